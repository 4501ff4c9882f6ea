#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Plugs simulated receivers in and out while a program monitors devices.

Run under umockdev-wrapper:  hotplug.py SCENARIO PROGRAM ARGUMENTS...
Prints one JSON object with the observations. A step that takes more than a minute is a failure. The
program is always terminated at the end.

umockdev requires that parents are added before children, since the child's event is sent at once,
and that on removal the event is sent before the device is removed, children before parents. A tty
has no N: line, because its node would not be removed; a link to a pseudo-terminal is used instead.
"""
import ctypes
import json
import os
import queue
import signal
import statistics
import subprocess
import sys
import termios
import threading
import time

import gi

gi.require_version("UMockdev", "1.0")
from gi.repository import UMockdev  # noqa: E402

STEP_SECONDS = 60
CYCLES = 200
LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.ptsname.restype = ctypes.c_char_p


class Terminal:
    """A pseudo-terminal whose slave is not open; the master shows if the slave was ever opened."""

    def __init__(self):
        self.master = LIBC.posix_openpt(os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
        if self.master < 0 or LIBC.grantpt(self.master) or LIBC.unlockpt(self.master):
            raise OSError(ctypes.get_errno(), "posix_openpt")
        self.path = LIBC.ptsname(self.master).decode()

    def was_opened_and_closed(self):
        """Whether the slave was opened and closed: poll(2) reports a hang-up only after a close."""
        import select

        poller = select.poll()
        poller.register(self.master, 0)
        return any(event & select.POLLHUP for _, event in poller.poll(0))

    def settings(self):
        return termios.tcgetattr(self.master)

    def close(self):
        os.close(self.master)


class Device:
    """A USB device with one tty."""

    def __init__(self, port, vendor, product, maker, model, driver, serial=None):
        self.usb = "/devices/pci0000:00/0000:00:14.0/usb1/" + port
        self.interface = f"{self.usb}/{port}:1.0"
        self.port, self.vendor, self.product = port, vendor, product
        self.maker, self.model, self.driver, self.serial = maker, model, driver, serial

    def tty(self, name):
        return f"{self.interface}/tty/{name}"

    def description(self, name):
        identity = f"{self.maker}_{self.model}".replace(" ", "_")
        if self.serial:
            identity += "_" + self.serial
        number = int("".join(filter(str.isdigit, name)))
        major = 166 if name.startswith("ttyACM") else 188
        lines = [
            f"P: {self.usb}", "E: SUBSYSTEM=usb", "E: DEVTYPE=usb_device",
            f"A: idVendor={self.vendor}\\n", f"A: idProduct={self.product}\\n",
            f"A: manufacturer={self.maker}\\n", f"A: product={self.model}\\n",
        ]
        if self.serial:
            lines.append(f"A: serial={self.serial}\\n")
        lines += [
            "", f"P: {self.interface}", "E: SUBSYSTEM=usb", "E: DEVTYPE=usb_interface",
            f"E: DRIVER={self.driver}", "A: bInterfaceNumber=00\\n",
            f"L: driver=../../../../../../bus/usb/drivers/{self.driver}",
            "", f"P: {self.tty(name)}", f"E: DEVNAME=/dev/{name}", "E: SUBSYSTEM=tty",
            f"E: MAJOR={major}", f"E: MINOR={number}", "E: ID_BUS=usb",
            f"E: ID_VENDOR_ID={self.vendor}", f"E: ID_MODEL_ID={self.product}",
            "E: ID_USB_INTERFACE_NUM=00", f"E: ID_USB_DRIVER={self.driver}",
            f"E: DEVLINKS=/dev/serial/by-path/pci-0000:00:14.0-usb-0:{self.port[2:]}:1.0"
            f" /dev/serial/by-id/usb-{identity}-if00",
            f"A: dev={major}:{number}\\n", "",
        ]
        return "\n".join(lines)


class Bed:
    def __init__(self):
        self.testbed = UMockdev.Testbed.new()
        self.dev = os.path.join(self.testbed.get_root_dir(), "dev")
        os.makedirs(self.dev, exist_ok=True)

    def plug(self, device, name, terminal):
        os.symlink(terminal.path, os.path.join(self.dev, name))
        self.testbed.add_from_string(device.description(name))

    def unplug(self, device, name):
        os.unlink(os.path.join(self.dev, name))
        for path in (device.tty(name), device.interface, device.usb):
            self.testbed.uevent("/sys" + path, "remove")
            self.testbed.remove_device("/sys" + path)


def descriptors(folder):
    """Returns the targets of the descriptors in a folder of /proc."""
    targets = []
    for name in os.listdir(folder):
        try:
            targets.append(os.readlink(f"{folder}/{name}"))
        except OSError:
            pass  # the descriptor was closed meanwhile
    return targets


def umockdev_sockets():
    """Returns the targets of the descriptors that are connected to umockdev's emulation of ioctl(2)."""
    output = subprocess.run(["ss", "-xnH"], check=True, stdout=subprocess.PIPE, text=True).stdout
    # Columns: type, state, two queues, path and inode of the socket, path and inode of its peer.
    rows = [line.split() for line in output.splitlines()]
    return {f"socket:[{row[7]}]" for row in rows if len(row) > 7 and "/ioctl/" in row[4]}


class Watcher:
    """The program with its output lines and resource usage."""

    def __init__(self, command):
        self.lines = queue.Queue()
        self.ready = threading.Event()
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            # The program is killed when this script ends, even if the script is killed.
            preexec_fn=lambda: LIBC.prctl(1, signal.SIGKILL))
        threading.Thread(target=self.read_output, daemon=True).start()
        threading.Thread(target=self.read_errors, daemon=True).start()

    def read_output(self):
        for line in self.process.stdout:
            self.lines.put(json.loads(line))

    def read_errors(self):
        for line in self.process.stderr:
            if "watching" in line:
                self.ready.set()
            else:
                sys.stderr.write(line)

    def wait_ready(self):
        if not self.ready.wait(STEP_SECONDS):
            raise TimeoutError("the program did not start to monitor devices")

    def next(self):
        try:
            return self.lines.get(timeout=STEP_SECONDS)
        except queue.Empty:
            raise TimeoutError("the program printed nothing") from None

    def resource_usage(self):
        """Returns the numbers of descriptors and threads, the memory, and the kinds of descriptors.

        umockdev connects a socket for each open device. If two threads open devices at the same
        moment, it forgets one of these sockets, so they are not counted.
        """
        folder = f"/proc/{self.process.pid}"
        umockdev = umockdev_sockets()
        kinds = [kind for kind in descriptors(folder + "/fd") if kind not in umockdev]
        with open(folder + "/statm") as file:
            resident = int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        return {
            "descriptors": len(kinds),
            "threads": len(os.listdir(folder + "/task")),
            "residentBytes": resident,
            "kinds": sorted(kinds),
        }

    def settled_usage(self, limit):
        """Returns the resource usage as soon as the usage is within a limit, or after a minute."""
        end = time.monotonic() + STEP_SECONDS
        while True:
            usage = self.resource_usage()
            if all(usage[kind] <= limit[kind] for kind in ("descriptors", "threads")):
                return usage
            if time.monotonic() > end:
                return usage
            time.sleep(0.1)  # there is no notification of a thread that has ended

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(STEP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()


def ublox():
    return Device("1-2", "1546", "01a7", "u-blox AG", "u-blox 7", "cdc_acm")


def cycle(bed, watcher, device, name):
    """Plugs a device in and out; returns the printed objects and the delays in seconds."""
    terminal = Terminal()
    began = time.monotonic()
    bed.plug(device, name, terminal)
    found, plugged = watcher.next(), time.monotonic() - began
    began = time.monotonic()
    bed.unplug(device, name)
    gone, unplugged = watcher.next(), time.monotonic() - began
    terminal.close()
    return {"found": found, "foundSeconds": plugged, "gone": gone, "goneSeconds": unplugged}


def replug(bed, watcher):
    """One receiver with two devnodes, one after the other."""
    watcher.wait_ready()
    return {"cycles": [cycle(bed, watcher, ublox(), name) for name in ("ttyACM0", "ttyACM1")]}


def plugged_before(bed, watcher):
    """A receiver that was plugged in before the program started: reported and removed once."""
    watcher.wait_ready()
    found = watcher.next()
    bed.unplug(ublox(), "ttyACM0")
    return {"found": found, "gone": watcher.next()}


def many(bed, watcher):
    """Many cycles, with the resource usage of the program before and after."""
    watcher.wait_ready()
    seconds = []

    def run_cycles(count):
        for number in range(count):
            seen = cycle(bed, watcher, ublox(), f"ttyACM{number % 4}")
            if (seen["found"]["state"], seen["gone"]["state"]) != ("receiver", "gone"):
                raise AssertionError(seen)
            seconds.append((seen["foundSeconds"], seen["goneSeconds"]))

    # Warm up, so that one-time allocations such as memory pools are not counted.
    run_cycles(CYCLES // 4)
    before = watcher.resource_usage()
    run_cycles(CYCLES)
    return {
        "cycles": CYCLES, "before": before, "after": watcher.settled_usage(before),
        "usualFoundSeconds": statistics.median(found for found, _ in seconds),
        "usualGoneSeconds": statistics.median(gone for _, gone in seconds),
    }


def untouched(bed, watcher):
    """A converter, which must not be opened and whose line settings must not change."""
    watcher.wait_ready()
    device = Device("1-5", "067b", "2303", "Prolific Technology Inc.", "USB-Serial Controller",
                    "pl2303")
    terminal = Terminal()
    settings = terminal.settings()
    bed.plug(device, "ttyUSB0", terminal)
    said = watcher.next()
    # When a second device is reported, the program has finished processing the first device.
    other = Terminal()
    bed.plug(ublox(), "ttyACM0", other)
    watcher.next()
    result = {
        "said": said,
        "opened": terminal.was_opened_and_closed(),
        "receiverOpened": other.was_opened_and_closed(),
        "settingsChanged": terminal.settings() != settings,
        "held": os.path.realpath(terminal.path) in [
            os.readlink(f"/proc/{watcher.process.pid}/fd/{name}")
            for name in os.listdir(f"/proc/{watcher.process.pid}/fd")],
    }
    # Check that an opened and changed line would have been detected.
    descriptor = os.open(terminal.path, os.O_RDWR | os.O_NOCTTY)
    changed = termios.tcgetattr(descriptor)
    changed[4] = changed[5] = termios.B4800
    termios.tcsetattr(descriptor, termios.TCSANOW, changed)
    os.close(descriptor)
    result["wouldShow"] = terminal.was_opened_and_closed() and terminal.settings() != settings
    return result


def held(bed, watcher):
    """A receiver that this script has open while the program discovers it."""
    watcher.wait_ready()
    terminal = Terminal()
    descriptor = os.open(terminal.path, os.O_RDWR | os.O_NOCTTY)
    bed.plug(ublox(), "ttyACM0", terminal)
    said = watcher.next()
    os.close(descriptor)
    return {"said": said, "holder": os.getpid()}


SCENARIOS = {
    "held": held, "replug": replug, "plugged-before": plugged_before, "many": many, "untouched": untouched,
}


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    scenario, command = sys.argv[1], sys.argv[2:]
    bed = Bed()
    before = Terminal()
    if scenario == "plugged-before":
        bed.plug(ublox(), "ttyACM0", before)
    watcher = Watcher(command)
    try:
        result = SCENARIOS[scenario](bed, watcher)
    finally:
        status = watcher.end()
    result["exit"] = status
    print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
