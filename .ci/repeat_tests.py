#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Repeats the test suite on an idle machine, under load, and beside a second copy of itself.

A test that fails in one of these runs depends on the speed or the state of the machine. Each run
adds a row to a table; the script exits with 1 if a run failed. Build first: make build.

usage: .ci/repeat_tests.py [--idle RUNS] [--loaded RUNS] [--paused RUNS] [--beside RUNS]
"""
import argparse
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUNDLE = ROOT / ".build/debug/fixcastPackageTests.xctest"
BUSY_LOOPS_PER_CORE = 2
PAUSE_SECONDS = 6
PAUSE_PERIOD_SECONDS = 40


def children(process_id):
    """Returns the ids of all descendants of a process."""
    found = []
    for path in pathlib.Path(f"/proc/{process_id}/task").glob("*/children"):
        try:
            ids = [int(word) for word in path.read_text().split()]
        except OSError:
            continue  # the thread has ended
        for child in ids:
            found += [child] + children(child)
    return found


def is_suite(process_id):
    try:
        arguments = pathlib.Path(f"/proc/{process_id}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return arguments[0].endswith(b".xctest") or any(a.endswith(b".xctest") for a in arguments[1:2])


class Pauses:
    """Stops the process of the suite for some seconds, again and again."""

    def __init__(self, process):
        self.process, self.ended = process, threading.Event()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        while not self.ended.wait(PAUSE_PERIOD_SECONDS):
            # The suite's own process is the first one; tests start further copies of it.
            suite = [child for child in children(self.process.pid) if is_suite(child)][:1]
            for process_id in suite:
                os.kill(process_id, signal.SIGSTOP)
            self.ended.wait(PAUSE_SECONDS)
            for process_id in suite:
                os.kill(process_id, signal.SIGCONT)

    def end(self):
        self.ended.set()
        self.thread.join()


def failures(log):
    """Returns the lines of a log that report an issue, without their details."""
    lines = re.sub(r"\x1b\[[0-9;]*m", "", log.read_text(errors="replace")).splitlines()
    return [line for line in lines if line.startswith("✘")]


def run(load):
    """Runs the suite once; returns the time in seconds and the failed runs' lines."""
    loops = []
    if load in ("loaded", "paused"):
        for _ in range(BUSY_LOOPS_PER_CORE * os.cpu_count()):
            loops.append(subprocess.Popen(["sh", "-c", "while :; do :; done"]))
    second_log = ROOT / ".build/tests-beside.log"
    second = None
    start = time.monotonic()
    try:
        first = subprocess.Popen([ROOT / ".ci/run-tests.sh"], stdout=subprocess.DEVNULL)
        if load == "beside":
            with open(second_log, "wb") as log:
                second = subprocess.Popen(
                    [BUNDLE, "--testing-library", "swift-testing"], cwd=ROOT, stdout=log,
                    stderr=log)
        pauses = Pauses(first) if load == "paused" else None
        status = first.wait()
        if pauses:
            pauses.end()
        seconds = time.monotonic() - start
        lines = failures(ROOT / ".build/tests.log") if status else []
        if second and second.wait():
            lines += failures(second_log) or [f"the second copy ended with {second.returncode}"]
        if status and not lines:
            lines = [f"run-tests.sh ended with {status}; see .build/tests.log"]
        return seconds, lines
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for load in ("idle", "loaded", "paused", "beside"):
        parser.add_argument(f"--{load}", type=int, default=0, metavar="RUNS")
    counts = vars(parser.parse_args())
    if not any(counts.values()):
        parser.error("name the runs, such as --idle 10 --loaded 5 --paused 5 --beside 3")
    failed = 0
    print("| run | load | seconds | result |\n|--:|---|--:|---|", flush=True)
    number = 0
    for load, count in counts.items():
        for _ in range(count):
            number += 1
            seconds, lines = run(load)
            failed += bool(lines)
            result = "passed" if not lines else f"failed: {lines[0]}"
            print(f"| {number} | {load} | {seconds:.0f} | {result} |", flush=True)
            for line in lines:
                print(f"  {line}", file=sys.stderr, flush=True)
    print(f"{number - failed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
