#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Moves, removes, truncates and damages the files of a running daemon.

Usage: files.py PROGRAM [EVENT...]

Runs `PROGRAM daemon` with a simulated receiver of one position a second and one sink for each kind of
file. For each event and kind of file, prints the number of lost points, the number of warnings and the
time until the file at the path has a new point. Exits with 1 if a sink lost more than a batch, did not
warn exactly once or did not recover.
"""

import datetime
import glob
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

BATCH = 5
#: The time limit for a daemon that hangs.
LIMIT = 300
NUL_BYTES = 2961
GPX = "{http://www.topografix.com/GPX/1/1}"
#: The errors of a damaged file; a damaged database may also contain NULL in place of a time.
UNREADABLE = (OSError, ValueError, TypeError, KeyError, sqlite3.Error,
              xml.etree.ElementTree.ParseError)
KINDS = {"SQLite track": "track.sqlite", "GPX": "track.gpx", "JSON lines": "track.jsonl",
         "MQTT outbox": "mqtt.sqlite", "fleet outbox": "fleet.sqlite"}
DURING = ["removed", "moved", "replaced", "emptied", "halved", "made read-only"]
BETWEEN = ["torn tail", "tail of NUL bytes"]


def is_database(path):
    return path.endswith(".sqlite") or ".sqlite." in path


def happen(event, path):
    size = os.path.getsize(path)
    if event == "removed":
        os.unlink(path)
    elif event in ("moved", "replaced"):
        os.rename(path, path + ".old")
        if event == "replaced":
            open(path, "x").close()
    elif event == "emptied":
        os.truncate(path, 0)
    elif event == "halved":
        os.truncate(path, size // 2)
    elif event == "made read-only":
        os.chmod(path, 0o400)
    else:
        cut = NUL_BYTES if is_database(path) else 40
        os.truncate(path, size - cut)
        if event == "tail of NUL bytes":
            os.truncate(path, size - cut + NUL_BYTES)


def seconds(text):
    time = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    return round(time.timestamp())


def column(entries, count, last):
    for index in range(count):
        last += entries[min(index, len(entries) - 1)]
        yield last


def fleet_times(payload):
    batch = json.loads(payload)
    return [time // 1000 for time in column(batch["t"], batch["n"], batch["t0"])]


def points(path):
    """Returns the times of the points of a well-formed file."""
    if not is_database(path):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if ".gpx" in path:
            root = xml.etree.ElementTree.fromstring(text)
            return [seconds(time.text) for time in root.iter(GPX + "time")]
        objects = [json.loads(line) for line in text.splitlines()]
        return [seconds(entry["time"]) for entry in objects if entry["class"] == "TPV"]
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        tables = [name for name, in database.execute("SELECT name FROM sqlite_master")]
        if "track" in tables:
            rows = database.execute("SELECT time_milliseconds FROM track")
        elif "outbox" in tables:
            rows = database.execute("SELECT time_milliseconds FROM outbox")
        else:
            return [time for payload, in database.execute("SELECT payload FROM batch")
                    for time in fleet_times(payload)]
        return [time // 1000 for time, in rows]
    finally:
        database.close()


def points_or_none(path):
    """Returns the times of the points; an empty list if the file cannot be read at the moment."""
    try:
        return points(path)
    except UNREADABLE:
        return []


def wait(condition, daemon):
    end = time.monotonic() + LIMIT
    while not condition():
        if time.monotonic() > end or daemon.poll() is not None:
            return False
        time.sleep(0.02)
    return True


class Board:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.paths = {kind: os.path.join(folder, name) for kind, name in KINDS.items()}
        # A port that refuses connections, so that the outboxes keep all positions.
        self.refusing = socket.socket()
        self.refusing.bind(("127.0.0.1", 0))
        broker = f"mqtt://127.0.0.1:{self.refusing.getsockname()[1]}"
        path = self.paths
        with open(os.path.join(folder, "config.toml"), "w", encoding="utf-8") as file:
            file.write(f"""
[daemon]
socket = "{folder}/s"
state_directory = "{folder}/state"
[weather]
enabled = false
[[source]]
type = "simulated"
[[sink]]
type = "sqlite"
file = "{path["SQLite track"]}"
[[sink]]
type = "gpx"
file = "{path["GPX"]}"
[[sink]]
type = "jsonlines"
file = "{path["JSON lines"]}"
[[sink]]
type = "mqtt"
broker = "{broker}"
board = "a"
interval_seconds = 0
rest_interval_seconds = 0
outbox = "{path["MQTT outbox"]}"
[[sink]]
type = "fleet"
broker = "{broker}"
board = "b"
interval_seconds = 0
rest_interval_seconds = 0
batch_fixes = {BATCH}
outbox = "{path["fleet outbox"]}"
""")
        self.log = os.path.join(folder, "log")

    def start(self):
        environment = dict(os.environ, FIXCAST_SOCKET=self.folder + "/s",
                           FIXCAST_ROOT=self.folder + "/root")
        with open(self.log, "ab") as log:
            return subprocess.Popen(
                [self.program, "run", "--config", os.path.join(self.folder, "config.toml")],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment)

    def warnings(self, path):
        with open(self.log, encoding="utf-8", errors="replace") as file:
            return [line for line in file if "warning" in line and path in line]

    def have_points(self, since, count):
        return all(sum(time > since for time in points_or_none(path)) >= count
                   for path in self.paths.values())


def stop(daemon):
    daemon.send_signal(signal.SIGTERM)
    daemon.wait(LIMIT)


def check(program, event):
    """Prints a line for each kind of file; returns whether all are right."""
    with tempfile.TemporaryDirectory() as folder:
        board = Board(program, folder)
        daemon = board.start()
        wait(lambda: board.have_points(0, 2 * BATCH + 2), daemon)
        if event in BETWEEN:
            stop(daemon)
        earlier = {kind: points_or_none(path) for kind, path in board.paths.items()}
        for path in board.paths.values():
            happen(event, path)
        begin = time.monotonic()
        last = {kind: max(times, default=0) for kind, times in earlier.items()}
        if event in BETWEEN:
            daemon = board.start()
        recovery = {}

        def note_recovery():
            for kind, path in board.paths.items():
                if kind not in recovery and max(points_or_none(path), default=0) > last[kind]:
                    recovery[kind] = time.monotonic() - begin
            return len(recovery) == len(KINDS)

        wait(note_recovery, daemon)
        newest = max(last.values())
        wait(lambda: board.have_points(newest, 2 * BATCH), daemon)
        stop(daemon)
        return all([report(board, event, kind, earlier[kind], recovery.get(kind)) for kind in KINDS])


def report(board, event, kind, earlier, recovery):
    path = board.paths[kind]
    files = [path] + (glob.glob(path + ".old") if event in ("moved", "replaced") else [])
    try:
        present = sorted(time for file in files for time in points(file))
    except UNREADABLE as error:
        print(f"{kind:13} {event:18} the file cannot be read: {error}  WRONG", flush=True)
        return False
    later = [time for time in present if time > max(earlier)]
    if event in BETWEEN:
        # The points while no daemon ran are not lost.
        begin = later[0] if later else 0
    else:
        begin = max(earlier) + 1
    lost = set(range(begin, max(present) + 1)) - set(present)
    if event in ("moved", "replaced", "made read-only"):
        lost |= set(earlier) - set(present)
    elif event in BETWEEN and not is_database(path):
        lost |= set(earlier) - set(present)
    warnings = board.warnings(path)
    # The simulated receivers of two runs may send the same second.
    is_double = event not in BETWEEN and len(set(present)) < len(present)
    is_right = (len(lost) <= BATCH and len(warnings) == 1 and recovery is not None
                and not is_double)
    print(f"{kind:13} {event:18} lost {len(lost)} of {len(present)}, {len(warnings)} warnings, "
          + (f"recovered after {recovery:.1f} s" if recovery is not None else "NOT RECOVERED")
          + ("" if is_right else "  WRONG"), flush=True)
    if not is_right:
        print("".join(warnings), end="")
    return is_right


def main():
    program = os.path.abspath(sys.argv[1])
    events = sys.argv[2:] or DURING + BETWEEN
    sys.exit(0 if all([check(program, event) for event in events]) else 1)


if __name__ == "__main__":
    main()
