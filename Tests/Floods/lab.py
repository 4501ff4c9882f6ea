# SPDX-License-Identifier: Apache-2.0
"""The daemon with a receiver, its users, and child processes of these users."""

import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

import protocols

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / ".ci"))
import board  # noqa: E402

#: The user of the daemon.
SERVICE = 61000
#: Users of allowed clients, with an answer and with a rule. Each user may request the metrics 60 times at
#: once, so two users share the connections of a row.
ANSWERED, RULED = [61001, 61002], [61003, 61004]
#: Users without access, and users with an answer, who flood the daemon.
STRANGERS = [61010, 61011]
INSIDERS = [61020, 61021, 61022]


class Child:
    """A process that runs a function as a user, and returns a dictionary at its end.

    The function gets the dictionary, on which it may call `ready()` once, and then the arguments.
    """

    def __init__(self, user, body, *arguments, realtime=False):
        reading, writing = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(reading)
            run(writing, user, body, arguments, realtime)
        os.close(writing)
        self.reading = reading
        self.data = b""
        self.status = None

    def read(self, seconds):
        if not select.select([self.reading], [], [], max(0, seconds))[0]:
            return False
        chunk = os.read(self.reading, 65536)
        self.data += chunk
        return bool(chunk)

    def wait_ready(self, seconds=60):
        """Waits until the function has called `ready()`."""
        end = time.monotonic() + seconds
        while not self.data:
            if not self.read(end - time.monotonic()):
                raise RuntimeError(f"process {self.pid} is not ready after {seconds} s, or has ended")

    def is_running(self):
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self.status = status if pid else None
        return self.status is None

    def end(self):
        """Ends the process, and returns its dictionary; an empty one if it has failed."""
        if self.is_running():
            os.kill(self.pid, signal.SIGTERM)
        return self.result(60)

    def result(self, seconds):
        """Waits for the end of the process, and returns its dictionary."""
        end = time.monotonic() + seconds
        while self.read(end - time.monotonic()):
            pass
        if self.is_running():
            if time.monotonic() >= end:
                os.kill(self.pid, signal.SIGKILL)
            self.status = os.waitpid(self.pid, 0)[1]
        os.close(self.reading)
        return json.loads(self.data.lstrip(b"r") or b"{}")


class Report(dict):
    """The result of a child process."""

    def __init__(self, writing):
        super().__init__()
        self.writing = writing

    def ready(self):
        os.write(self.writing, b"r")

    def finish(self, *_):
        """Sends the result, and ends the process."""
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        data = json.dumps(self).encode()
        while data:
            data = data[os.write(self.writing, data):]
        os._exit(0)


def run(writing, user, body, arguments, realtime):
    """The child process of `Child`."""
    try:
        report = Report(writing)
        signal.signal(signal.SIGTERM, report.finish)
        if realtime:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        if user:
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)
        body(report, *arguments)
        report.finish()
    except BaseException:
        traceback.print_exc()
    os._exit(1)


def drive(report, link, hertz):
    """Simulates a receiver. It gets the processor first, because a real receiver does not share it."""
    receiver = board.Receiver(hertz)
    os.chmod(receiver.devnode, 0o666)
    os.symlink(receiver.devnode, link)
    report.ready()
    receiver.run()


class Lab:
    """The daemon as a service user, in a temporary folder."""

    def __init__(self, program, hertz):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="floods-"))
        self.children = []
        self.daemon = None
        try:
            self.start(program, hertz)
        except BaseException:
            self.stop()
            raise

    def start(self, program, hertz):
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
        policies = self.folder / "root/etc/fixcast/policy.d"
        policies.mkdir(parents=True)
        (policies / "floods.conf").write_text("".join(f"allow uid={user}\n" for user in RULED))
        state = self.folder / "root/var/lib/fixcast"
        state.mkdir(parents=True)
        for path in (self.folder, state):
            os.chown(path, SERVICE, SERVICE)
        # The service user may not be able to read the folder of the build.
        self.program = shutil.copy(program, self.folder / "fixcast")
        receiver = self.start_child(0, drive, f"{self.folder}/gps0", hertz, realtime=True)
        receiver.wait_ready()
        configuration = protocols.CONFIGURATION.format(folder=self.folder)
        self.daemon = board.Daemon(
            self.program, self.folder, configuration + board.serial(f"{self.folder}/gps0"), user=SERVICE)
        self.daemon.wait_for("serving on")
        self.daemon.wait_for("pipeline: fix source=")
        for user in (*ANSWERED, *INSIDERS):
            self.auth("allow", f"uid={user}")

    def start_child(self, *arguments, **options):
        child = Child(*arguments, **options)
        self.children.append(child)
        return child

    def end_child(self, child):
        self.children.remove(child)
        return child.end()

    def auth(self, *words):
        """Runs `fixcast auth` as root."""
        output, code = self.daemon.run("auth", *words)
        if code:
            raise RuntimeError(f"fixcast auth {' '.join(words)}: exit code {code}: {output}")

    def decided_at(self):
        """Returns the time at which the last answer was recorded: when its file was renamed."""
        return (self.folder / "root/var/lib/fixcast/decisions.json").stat().st_ctime_ns / 1e9

    def log_in(self, user):
        """Opens a session of a user, and returns its secrets."""
        child = Child(user, lambda report: report.update(vars(protocols.log_in(self.folder))))
        return protocols.Session(**child.result(60))

    def is_running(self):
        return self.daemon.process.poll() is None

    def kilobytes(self):
        """Returns the daemon's memory; 0 if it has ended."""
        if not self.is_running():
            return 0
        status = pathlib.Path(f"/proc/{self.daemon.process.pid}/status").read_text()
        return int(board.first_number(r"VmRSS:\s+(\d+)", status))

    def stop(self):
        for child in self.children:
            child.end()
        if self.daemon:
            self.daemon.stop()
            self.daemon.log.close()
        shutil.rmtree(self.folder)
