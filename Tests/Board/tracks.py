# SPDX-License-Identifier: Apache-2.0
"""The files that a board writes, and what is left of them after a power cut."""
import contextlib
import datetime
import io
import json
import pathlib
import re
import sqlite3
import tarfile
import tempfile
import time
import xml.etree.ElementTree

FOLDER = "/var/lib/fixcast"
# The sinks write to the disk every 5 s in place of every 60 s, so that a short test has something to lose.
SECONDS = 5
# A cut loses the positions of one interval, and those on their way to the disk.
MAX_LOST_SECONDS = SECONDS + 5
SINKS = f"""
[[sink]]
type = "gpx"
file = "{FOLDER}/track.gpx"
fsync_seconds = {SECONDS}

[[sink]]
type = "sqlite"
file = "{FOLDER}/track.sqlite"
batch_seconds = {SECONDS}

[[sink]]
type = "jsonlines"
file = "{FOLDER}/events.jsonl"
fsync = "interval"
fsync_seconds = {SECONDS}

# Without a broker, so that the batches stay in the outbox.
[[sink]]
type = "fleet"
broker = "mqtt://127.0.0.1:9"
board = "board"
outbox = "{FOLDER}/fleet.sqlite"
rest_interval_seconds = 1
batch_seconds = {SECONDS}
"""


class Damaged(AssertionError):
    """A file cannot be read to its end."""


def seconds(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def gpx_times(folder):
    """Returns the times of the points in all GPX files, in seconds since 1970."""
    times = []
    for path in sorted(folder.glob("track*.gpx")):
        try:
            root = xml.etree.ElementTree.parse(path)
        except xml.etree.ElementTree.ParseError as error:
            raise Damaged(f"expected well-formed XML in {path.name}\n"
                          f"got {error}; the end is {path.read_bytes()[-200:]!r}") from None
        times += [seconds(each.text) for each in root.iter("{http://www.topografix.com/GPX/1/1}time")]
    return times


def database_times(path, query):
    """Returns the times that a query finds in an SQLite file in milliseconds, in seconds since 1970."""
    if not path.exists():
        return []
    try:
        with contextlib.closing(sqlite3.connect(path)) as database:
            result = database.execute("PRAGMA integrity_check").fetchone()[0]
            if result != "ok":
                raise Damaged(f"expected an intact database\ngot {result}")
            return [row[0] / 1000 for row in database.execute(query)]
    except sqlite3.DatabaseError as error:
        raise Damaged(f"expected an intact database\ngot {error}") from None


def sqlite_times(folder):
    return database_times(folder / "track.sqlite",
                          "SELECT time_milliseconds FROM track WHERE time_milliseconds IS NOT NULL")


def outbox_times(folder):
    """Returns the times of the last positions of the batches in the outbox of a fleet."""
    if not (folder / "fleet.sqlite").exists():
        raise Damaged("expected the file fleet.sqlite\ngot none")
    return database_times(folder / "fleet.sqlite",
                          "SELECT time_milliseconds FROM batch WHERE time_milliseconds IS NOT NULL")


def json_times(folder):
    path = folder / "events.jsonl"
    data, times = path.read_bytes() if path.exists() else b"", []
    if count := data.count(b"\0"):
        raise Damaged(f"expected no NUL bytes\ngot {count}, the first at {data.index(0)} of {len(data)} bytes")
    if data[-1:] not in (b"", b"\n"):
        raise Damaged(f"expected a whole last line\ngot {data[-80:]!r}")
    for line in data.splitlines():
        try:
            event = json.loads(line)
        except ValueError:
            raise Damaged(f"expected whole lines of JSON\ngot {line!r}") from None
        if event.get("class") == "TPV" and "time" in event:
            times.append(seconds(event["time"]))
    return times


# The files by kind, each with the function that reads its times and fails if it is damaged.
KINDS = {"GPX": gpx_times, "SQLite": sqlite_times, "JSON lines": json_times, "outbox": outbox_times}


class Tracks:
    def __init__(self, machine):
        self.machine = machine
        # The times of the first and the last position before the power cut, in seconds since 1970.
        self.begin = self.last = None

    def configure(self):
        """Adds the sinks. The configuration is synced, because the power will be cut."""
        self.machine.run("cat >/etc/fixcast/conf.d/tracks.toml && sync && fixcast check-config"
                         " && systemctl reload fixcast", data=SINKS.encode())
        self.begin = time.time()

    def cut(self, random, watch, rollback=0):
        """Cuts the power. `watch` has the positions that a client of the daemon received."""
        self.machine.cut_power(random, rollback)
        self.last = self.begin
        for line, arrived in watch.received():
            if arrived <= self.machine.disk.cut_time and '"class":"TPV"' in line:
                if match := re.search(r'"time":"([^"]+)"', line):
                    self.last = seconds(match[1])

    @contextlib.contextmanager
    def files(self, folder=FOLDER):
        """Copies a folder of the board to a temporary folder."""
        with tempfile.TemporaryDirectory() as name:
            data = self.machine.read(f"tar -C {folder} -cf - .")
            tarfile.open(fileobj=io.BytesIO(data)).extractall(name)
            yield pathlib.Path(name)

    def lost_seconds(self, times):
        """Returns the time between the last point in a file and the last position before the power cut."""
        return self.last - max((each for each in times if each <= self.last), default=self.begin)
