#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Repeats the test suite on an idle machine, under load, with pauses, and beside a second copy.

A test that fails in one of these runs depends on the speed or the state of the machine. Each run
adds a row to a table; the script exits with 1 if a run failed. The logs of a run that failed are
kept in .build/failed-RUN and .build/failed-RUN-beside. Build first: make build.

usage: .ci/repeat_tests.py [--idle RUNS] [--loaded RUNS] [--paused RUNS] [--beside RUNS]
"""
import argparse
import contextlib
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
FIRST_LOG, SECOND_LOG = ROOT / ".build/tests.log", ROOT / ".build/tests-beside.log"
BUSY_LOOPS_PER_CORE = 2
PAUSE_SECONDS = 6
PAUSE_PERIOD_SECONDS = 40


def descendants(process_id):
    """Returns the ids of all descendants of a process."""
    found = []
    for path in pathlib.Path(f"/proc/{process_id}/task").glob("*/children"):
        try:
            ids = [int(word) for word in path.read_text().split()]
        except OSError:
            continue  # the thread has ended
        for child in ids:
            found += [child] + descendants(child)
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
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.ended.wait(PAUSE_PERIOD_SECONDS - PAUSE_SECONDS):
            # The suite's own process is the first one; tests start further copies of it.
            suite = [child for child in descendants(self.process.pid) if is_suite(child)][:1]
            self.send(signal.SIGSTOP, suite)
            self.ended.wait(PAUSE_SECONDS)
            self.send(signal.SIGCONT, suite)

    @staticmethod
    def send(number, processes):
        for process in processes:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, number)

    def end(self):
        self.ended.set()
        self.thread.join()


def failures(log):
    """Returns the lines of a log that report an issue, without their details."""
    if not log.exists():
        return []
    lines = re.sub(r"\x1b\[[0-9;]*m", "", log.read_text(errors="replace")).splitlines()
    return [line for line in lines if line.startswith("✘")]


def keep_logs(number):
    for log, name in ((FIRST_LOG, f"failed-{number}"), (SECOND_LOG, f"failed-{number}-beside")):
        if log.exists():
            log.rename(log.with_name(name))


def run(load):
    """Runs the suite once; returns the time in seconds and the lines that report failures."""
    loops = []
    if load in ("loaded", "paused"):
        for _ in range(BUSY_LOOPS_PER_CORE * os.cpu_count()):
            loops.append(subprocess.Popen(["sh", "-c", "while :; do :; done"]))
    for log in (FIRST_LOG, SECOND_LOG):
        log.unlink(missing_ok=True)
    first = second = pauses = None
    start = time.monotonic()
    try:
        first = subprocess.Popen([ROOT / ".ci/run-tests.sh"], stdout=subprocess.DEVNULL)
        if load == "beside":
            with open(SECOND_LOG, "wb") as log:
                second = subprocess.Popen(
                    ["bash", "-c", f"ulimit -S -n 4096; exec {BUNDLE} --testing-library swift-testing"],
                    cwd=ROOT, stdout=log, stderr=log)
        pauses = Pauses(first) if load == "paused" else None
        status = first.wait()
        seconds = time.monotonic() - start
        lines = failures(FIRST_LOG) if status else []
        if second and second.wait():
            lines += failures(SECOND_LOG) or [f"the second copy ended with {second.returncode}"]
        if status and not lines:
            lines = [f"run-tests.sh ended with {status}; see .build/tests.log"]
        return seconds, lines
    finally:
        if pauses:
            pauses.end()
        for process in [*loops, first, second]:
            if process and process.poll() is None:
                process.terminate()
                process.wait()


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
            if lines:
                keep_logs(number)
            result = "passed" if not lines else f"failed: {lines[0]}"
            print(f"| {number} | {load} | {seconds:.0f} | {result} |", flush=True)
            for line in lines:
                print(f"  {line}", file=sys.stderr, flush=True)
    print(f"{number - failed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
