# SPDX-License-Identifier: Apache-2.0
"""Simulated receivers on pseudo-terminals that move along the same route."""

import os
import pty
import threading
import time
import tty


def sentence(body):
    total = 0
    for byte in body.encode():
        total ^= byte
    return f"${body}*{total:02X}\r\n"


def angle(degrees, digits, positive, negative):
    """Returns an angle in NMEA's format: degrees with a number of digits, minutes, and direction."""
    side = positive if degrees >= 0 else negative
    units = round(abs(degrees) * 600_000)
    return f"{units // 600_000:0{digits}d}{units % 600_000 / 10_000:07.4f},{side}"


def epoch(utc, latitude, longitude):
    when = time.gmtime(utc)
    clock, day = time.strftime("%H%M%S", when) + ".00", time.strftime("%d%m%y", when)
    place = angle(latitude, 2, "N", "S") + "," + angle(longitude, 3, "E", "W")
    return (sentence(f"GPRMC,{clock},A,{place},388.8,090.0,{day},,,A")
            + sentence(f"GPGGA,{clock},{place},1,08,1.0,100.0,M,46.0,M,,")
            + sentence("GPGSA,A,3,01,02,03,04,05,06,07,08,,,,,2.0,1.0,1.7")).encode()


class Receiver:
    """A receiver whose device node has a symbolic link with a fixed name, as udev makes."""

    def __init__(self, link):
        self.link = link
        self.lock = threading.Lock()
        self.master = self.slave = None
        self.plug()

    def plug(self):
        with self.lock:
            self.master, self.slave = pty.openpty()
            tty.setraw(self.slave)
            os.set_blocking(self.master, False)
            node = os.ttyname(self.slave)
            # gpsd opens the device as an unprivileged user.
            os.chmod(node, 0o666)
            os.symlink(node, self.link + ".new")
            os.replace(self.link + ".new", self.link)

    def unplug(self):
        with self.lock:
            os.close(self.slave)
            os.close(self.master)
            self.master = self.slave = None
            os.unlink(self.link)

    def send(self, data):
        with self.lock:
            if self.master is None:
                return
            try:
                os.write(self.master, data)
            except OSError:
                pass


class Drive(threading.Thread):
    """Sends one epoch per second from all receivers, for a board that moves east at high speed."""

    def __init__(self, receivers):
        super().__init__(daemon=True)
        self.receivers = receivers
        self.jump = 0
        self.ended = threading.Event()

    def run(self):
        begun = time.monotonic()
        count = 0
        while not self.ended.wait(max(0.0, begun + count - time.monotonic())):
            data = epoch(int(time.time()) + self.jump, 48.1, -20 + count * 0.0027)
            for receiver in self.receivers:
                receiver.send(data)
            count += 1
