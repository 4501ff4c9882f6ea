# SPDX-License-Identifier: Apache-2.0
"""Causes faults around the daemon, alone and in pairs, and checks the daemon's status."""

import glob
import random
import sys
import tempfile
import time

from board import Board
from expected_status import ExpectedStatus
from faults import FAULTS

#: The library that makes the daemon's wall clock jump. Without the library, --without-clock is
#: required, and only the receivers' clocks jump.
FAKETIME = next(iter(glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")), None)


def say(text):
    print(f"soak: {text}", flush=True)


class Soak:
    def __init__(self, board, minutes, seed):
        self.board = board
        self.seconds = int(minutes * 60)
        self.random = random.Random(seed)
        self.expected = ExpectedStatus(board)
        self.faults = {name: make(board) for name, make in FAULTS.items()}
        # The second at which each active fault ends, and from which each fault may begin again.
        self.ends = {}
        self.ready_from = {name: 0 for name in self.faults}
        self.counts = {name: 0 for name in self.faults}
        self.pairs = set()
        self.problems = []
        self.usages = []

    def run(self):
        """Runs one step per second. In the last 90 s no fault is active, so that the daemon recovers."""
        begun = time.monotonic()
        due = 20
        second = 0
        while second < self.seconds:
            second = int(time.monotonic() - begun)
            for name in [name for name, end in self.ends.items() if end <= second]:
                self.end(name, second)
            if second >= due and second < self.seconds - 100:
                due = second + self.random.randint(5, 14)
                self.begin(second)
            self.check(second)
            left = begun + second + 1 - time.monotonic()
            if left > 0:
                time.sleep(left)
        for name in list(self.ends):
            self.end(name, second)

    def begin(self, second):
        """Begins a fault if fewer than two are active; a fault repeats only after a pause."""
        ready = [name for name in self.faults
                 if name not in self.ends and self.ready_from[name] <= second]
        if len(self.ends) >= 2 or not ready:
            return
        # Faults that have not occurred yet are preferred.
        name = self.random.choice([name for name in ready if not self.counts[name]] or ready)
        least, most = self.faults[name].seconds
        end = second + self.random.randint(least, most)
        if end > self.seconds - 90:
            return
        for other in self.ends:
            self.pairs.add(frozenset((name, other)))
        self.ends[name] = end
        self.counts[name] += 1
        say(f"{second:4} s  {name} until {end} s")
        self.faults[name].begin()
        self.expected.begin_fault(name, second)

    def end(self, name, second):
        del self.ends[name]
        # The pause is longer than the daemon reports a past failure.
        self.ready_from[name] = second + 75
        self.faults[name].end()
        self.expected.end_fault(name, second)

    def check(self, second):
        if self.board.daemon.poll() is not None:
            self.problem(second, f"the daemon exited with {self.board.daemon.returncode}")
            raise SystemExit(self.summary(None))
        status, failure = self.board.status()
        for text in [failure] if failure else self.expected.check(second, status):
            self.problem(second, text)
        self.usages.append((second, *self.board.resource_usage()))

    def problem(self, second, text):
        self.problems.append(text)
        if len(self.problems) <= 40:
            say(f"{second:4} s  WRONG: {text} (active faults: {', '.join(self.ends) or 'none'})")

    def summary(self, code):
        """Prints the results and returns the exit code."""
        settled = [usage for usage in self.usages if usage[0] >= 15]
        first, last = settled[:15], self.usages[-15:]
        for index, (name, growth) in enumerate(
                [("kB of memory", 8192), ("threads", 3), ("descriptors", 3)], start=1):
            before, after = (max(row[index] for row in rows) for rows in (first, last))
            peak = max(row[index] for row in self.usages)
            say(f"{name}: {before} at the start, {after} at the end, {peak} at most")
            if after > before + growth:
                self.problem(self.seconds, f"{name} grew from {before} to {after}")
        if code is not None and code != 0:
            self.problem(self.seconds, f"the daemon exited with {code}")
        for name in [name for name, count in self.counts.items() if not count]:
            self.problem(self.seconds, f"the fault '{name}' never occurred; run for more minutes")
        total = sum(self.counts.values())
        say(f"{total} faults, {len(self.pairs)} pairs, {len(self.usages)} checks of the status: "
            + ", ".join(f"{name} {count}" for name, count in self.counts.items()))
        say(self.expected.summary())
        say("passed" if not self.problems else f"failed with {len(self.problems)} problems")
        return 1 if self.problems else 0


def main():
    program, minutes, seed = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
    if not FAKETIME and "--without-clock" not in sys.argv[4:]:
        raise SystemExit("soak: clock jumps need libfaketime; install faketime, or pass "
                         "--without-clock")
    result = 1
    with tempfile.TemporaryDirectory(prefix="soak") as folder:
        board = Board(program, folder)
        try:
            board.start(FAKETIME)
            soak = Soak(board, minutes, seed)
            soak.expected.wait_for_fix()
            say(f"{minutes} minutes, seed {seed}, pid {board.daemon.pid}"
                + ("" if FAKETIME else "; without faketime, only the receivers' clocks jump"))
            soak.run()
            code = board.stop()
            result = soak.summary("no status within 20 s of SIGTERM" if code is None else code)
        finally:
            board.close()
            if result != 0:
                with open(board.path("log"), errors="replace") as log:
                    sys.stdout.writelines(log.readlines()[-60:])
    raise SystemExit(result)


main()
