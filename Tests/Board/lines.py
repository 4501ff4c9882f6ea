# SPDX-License-Identifier: Apache-2.0
"""Lines that arrive from the board, such as those of its journal, and waiting for one of them."""
import pathlib
import re
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / ".ci"))
import board  # noqa: E402

# The time after which an event counts as never happening, also on a busy machine.
HANG_SECONDS = board.HANG_SECONDS


class Hang(Exception):
    """An event did not happen. The checks that follow make no sense."""


class Lines(threading.Thread):
    """Reads a stream to its end and keeps its lines."""

    def __init__(self, name, stream, log=None):
        super().__init__(daemon=True)
        self.name, self.stream, self.log = name, stream, log
        self.lines, self.times = [], []
        self.changed = threading.Condition()
        self.has_ended = False
        self.start()

    def run(self):
        try:
            for line in iter(self.stream.readline, b""):
                self.add(line.decode(errors="replace").rstrip("\r\n"))
        except OSError:
            pass  # The machine ended.
        with self.changed:
            self.has_ended = True
            self.changed.notify_all()

    def add(self, line):
        if self.log:
            self.log.write(line + "\n")
            self.log.flush()
        with self.changed:
            self.lines.append(line)
            self.times.append(time.monotonic())
            self.changed.notify_all()

    def mark(self):
        """Returns the number of lines, to wait for a later line."""
        with self.changed:
            return len(self.lines)

    def received(self):
        """Returns the lines so far, each with its monotonic time."""
        with self.changed:
            return list(zip(self.lines, self.times))

    def wait(self, pattern, after=0, times=1):
        """Waits for a line that matches a pattern, or for several. Returns the last match and its time."""
        deadline, index, count = time.monotonic() + HANG_SECONDS, after, 0
        with self.changed:
            while True:
                for index in range(index, len(self.lines)):
                    match = re.search(pattern, self.lines[index])
                    count += bool(match)
                    if count == times:
                        return match, self.times[index]
                index = len(self.lines)
                if self.has_ended or not self.changed.wait(deadline - time.monotonic()):
                    end = "the end of the stream" if self.has_ended else f"nothing in {HANG_SECONDS} s"
                    raise Hang(f"expected a line of the {self.name} that matches {pattern!r}\n"
                               f"got {end}, after:\n" + "\n".join(self.lines[-15:]))
