#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Plugs simulated NMEA receivers in and out while a program reads them.

Run under umockdev-wrapper:  group.py SCENARIO PROGRAM ARGUMENTS...
The program prints one JSON object per line, such as {"event": "fix", "source": "/dev/ttyACM0"}.
This script prints one JSON object with the observations.
"""
import json
import os
import queue
import signal
import statistics
import sys
import threading
import time
import tty

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from hotplug import Bed, Device, STEP_SECONDS, Terminal, Watcher, ublox  # noqa: E402

CYCLES = 200


def sentence(body):
    checksum = 0
    for character in body:
        checksum ^= ord(character)
    return f"${body}*{checksum:02X}\r\n"


def epoch(hdop):
    now = time.time()
    clock = time.strftime("%H%M%S", time.gmtime(now)) + f".{int(now % 1 * 100):02d}"
    date = time.strftime("%d%m%y", time.gmtime(now))
    return (
        sentence(f"GNGGA,{clock},5130.0000,N,00007.0000,W,1,09,{hdop},40.0,M,47.0,M,,")
        + sentence(f"GNGSA,A,3,01,02,03,04,05,06,07,08,09,,,,{hdop},{hdop},{hdop}")
        + sentence(f"GNRMC,{clock},A,5130.0000,N,00007.0000,W,0.1,0.0,{date},,,A")
    ).encode()


class Feed:
    """A simulated line that sends text periodically and records the bytes written to it."""

    def __init__(self, text, hertz=1.0):
        self.terminal = Terminal()
        self.text, self.period = text, 1 / hertz
        self.received = b""
        tty.setraw(self.terminal.master)
        os.set_blocking(self.terminal.master, False)
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self.send, daemon=True)
        self.thread.start()

    def send(self):
        while True:
            try:
                if self.text:
                    os.write(self.terminal.master, self.text())
            except OSError:
                pass  # no reader
            try:
                self.received += os.read(self.terminal.master, 4096)
            except OSError:
                pass  # nothing was written, or no program has the slave open
            if self.stopped.wait(self.period):
                return

    def pull(self):
        self.stopped.set()
        self.thread.join()
        self.terminal.close()


def receiver(hdop=1.0, hertz=1.0):
    return Feed(lambda: epoch(hdop), hertz)


def await_event(watcher, wanted, source=None):
    """Returns the next event of a kind and the events before it."""
    before, end = [], time.monotonic() + STEP_SECONDS
    while True:
        try:
            event = watcher.lines.get(timeout=max(0.001, end - time.monotonic()))
        except queue.Empty:
            raise TimeoutError(f"no event {wanted} of {source}; last: {before[-5:]}") from None
        if event["event"] == wanted and source in (None, event["source"]):
            return event, before
        before.append(event)


def cycle(bed, watcher, device, name, hertz=1.0):
    """Plugs a receiver in and out; returns its names and the delays in seconds."""
    feed = receiver(hertz=hertz)
    began = time.monotonic()
    bed.plug(device, name, feed.terminal)
    _, before = await_event(watcher, "fix", "/dev/" + name)
    fixed = time.monotonic() - began
    names = [e.get("stableName") for e in before if e["event"] == "receiver"]
    began = time.monotonic()
    feed.pull()
    bed.unplug(device, name)
    lost, _ = await_event(watcher, "lost")
    gone = time.monotonic() - began
    await_event(watcher, "inactive")
    return {"source": "/dev/" + name, "names": names, "fixSeconds": fixed, "lostSeconds": gone,
            "reason": lost.get("reason")}


def replug(bed, watcher):
    """One receiver with three devnodes, one after the other, at one epoch per second."""
    watcher.wait_ready()
    return {"cycles": [cycle(bed, watcher, ublox(), f"ttyACM{n}") for n in range(3)]}


def many(bed, watcher):
    """Many cycles, with the resource usage of the program before and after."""
    watcher.wait_ready()
    seen = [cycle(bed, watcher, ublox(), f"ttyACM{n % 4}", 20) for n in range(CYCLES // 4)]
    before = watcher.resource_usage()
    seen += [cycle(bed, watcher, ublox(), f"ttyACM{n % 4}", 20) for n in range(CYCLES)]
    return {
        "cycles": CYCLES, "before": before, "after": watcher.settled_usage(before),
        "usualFixSeconds": statistics.median(c["fixSeconds"] for c in seen),
        "usualLostSeconds": statistics.median(c["lostSeconds"] for c in seen),
    }


def two(bed, watcher):
    """The better of two receivers is unplugged and plugged in again."""
    watcher.wait_ready()
    other = Device("1-3", "1546", "01a8", "u-blox AG", "u-blox 8", "cdc_acm")
    good, poor = receiver(hdop=0.8), receiver(hdop=9.0)
    bed.plug(ublox(), "ttyACM0", good.terminal)
    await_event(watcher, "fix", "/dev/ttyACM0")
    bed.plug(other, "ttyACM1", poor.terminal)
    await_event(watcher, "receiver", "/dev/ttyACM1")
    time.sleep(2.5)  # time in which no fix of the worse receiver may be delivered
    began = time.monotonic()
    good.pull()
    bed.unplug(ublox(), "ttyACM0")
    _, before = await_event(watcher, "fix", "/dev/ttyACM1")
    over = time.monotonic() - began
    early = [e for e in before if e["event"] == "fix" and e["source"] == "/dev/ttyACM1"]
    lost = [e for e in before if e["event"] == "lost"]
    good = receiver(hdop=0.8)
    began = time.monotonic()
    bed.plug(ublox(), "ttyACM2", good.terminal)
    _, before = await_event(watcher, "fix", "/dev/ttyACM2")
    back = time.monotonic() - began
    good.pull()
    poor.pull()
    return {"failOverSeconds": over, "returnSeconds": back, "early": len(early),
            "lost": len(lost), "between": len([e for e in before if e["event"] == "fix"])}


O_PATH = 0o10000000


def open_paths(process):
    """Returns the paths that a process has open, except those opened with O_PATH."""
    paths = []
    for name in os.listdir(f"/proc/{process}/fd"):
        try:
            path = os.readlink(f"/proc/{process}/fd/{name}")
            with open(f"/proc/{process}/fdinfo/{name}") as file:
                flags = next(line for line in file if line.startswith("flags:"))
        except OSError:
            continue  # the descriptor was closed meanwhile
        if not int(flags.split()[1], 8) & O_PATH:
            paths.append(path)
    return paths


def converter(text, seconds):
    """Returns a scenario with a PL2303 converter whose device is not a receiver."""

    def scenario(bed, watcher):
        watcher.wait_ready()
        device = Device("1-5", "067b", "2303", "Prolific Technology Inc.",
                        "USB-Serial Controller", "pl2303")
        feed = Feed(text, 10)
        began = time.monotonic()
        bed.plug(device, "ttyUSB0", feed.terminal)
        end, opened, released = began + seconds, None, None
        path = os.path.realpath(feed.terminal.path)
        while time.monotonic() < end and released is None:
            if path in open_paths(watcher.process.pid):
                opened = opened or time.monotonic() - began
            elif opened:
                released = time.monotonic() - began
            time.sleep(0.02)
        feed.pull()
        bed.unplug(device, "ttyUSB0")
        events = []
        while not watcher.lines.empty():
            events.append(watcher.lines.get())
        return {"opened": opened is not None, "releasedSeconds": released,
                "writtenBytes": len(feed.received),
                "events": [{"event": e["event"], "reason": e.get("reason")} for e in events]}

    return scenario


def arduino():
    return b"temperature 21.4 humidity 48 %\r\n$HELLO,1,2*00\r\n"


SCENARIOS = {
    "replug": replug, "many": many, "two": two,
    "silent-converter": converter(None, 120), "arduino": converter(arduino, 120),
    "unasked-silent": converter(None, 3), "unasked-arduino": converter(arduino, 3),
}


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    scenario, command = sys.argv[1], sys.argv[2:]
    bed = Bed()
    watcher = Watcher(command)
    try:
        result = SCENARIOS[scenario](bed, watcher)
    finally:
        watcher.end()
    print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
