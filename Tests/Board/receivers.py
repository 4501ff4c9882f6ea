# SPDX-License-Identifier: Apache-2.0
"""The receivers of an emulated board: one behind a USB converter, and a u-blox 7."""
import math
import socket
import threading
import time

from lines import board


class Cable(threading.Thread):
    """Sends an epoch each second to a socket of the emulator, and counts the bytes that come back."""

    def __init__(self, connection):
        super().__init__(daemon=True)
        self.connection = connection
        self.returned = b""
        # The meters that are added to the position, as if the receiver had been carried.
        self.carried_meters = 0
        self.is_sending, self.is_closed = threading.Event(), threading.Event()
        self.start()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        """Reads what the board sends. The emulator stops the whole board while nobody reads it."""
        try:
            while data := self.connection.recv(4096):
                self.returned += data
        except OSError:
            pass  # The emulator ended.

    def run(self):
        due = math.ceil(time.time())
        while not self.is_closed.wait(max(0, due - time.time())):
            try:
                if self.is_sending.is_set():
                    # The receiver moves at 10 m/s.
                    self.connection.sendall(board.epoch(due, due % 100_000 * 10 + self.carried_meters, 10))
            except OSError:
                return  # The emulator ended.
            due = max(due + 1, math.floor(time.time()))

    def close(self):
        self.is_closed.set()
        self.join()
        try:
            self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # The emulator ended.
        self.reader.join()
        self.connection.close()


class Receiver:
    """A receiver that can be plugged in and unplugged."""

    def __init__(self, machine):
        self.machine = machine
        self.cable = None
        # For each plug, the bytes that came back until the first position, and those after it.
        self.echoed, self.returned = [], []

    def note_position(self):
        """Notes the bytes that came back while the daemon opened the port. Linux echoes what arrives in the moment
        between the start of the driver and the end of open(2), which no program can prevent."""
        self.echoed.append(self.cable.returned)

    def note_end(self):
        self.returned.append(self.cable.returned[len(self.echoed[-1]):])

    def forget(self):
        """Closes the cable when the emulator has ended."""
        if self.cable:
            self.cable.close()
            self.cable = None


class Converter(Receiver):
    """A receiver behind a USB converter with the id 0403:6001 (FTDI)."""

    name, device, driver = "USB converter", "/dev/ttyUSB0", "ftdi_sio"
    # The link to the device, which the configuration names.
    link = None

    def plug(self):
        """Connects, which is the plug of the emulated converter."""
        self.cable = Cable(self.machine.connect("converter"))
        self.cable.is_sending.set()

    def unplug(self):
        self.cable.close()
        self.note_end()
        self.cable = None


class Pins(Receiver):
    """A receiver on the UART of the board."""

    name = "receiver on the pins"

    def __init__(self, machine):
        super().__init__(machine)
        self.device = machine.model.uart

    def plug(self):
        self.cable = Cable(self.machine.connect("uart"))
        self.cable.is_sending.set()


class UBlox(Receiver):
    """A u-blox 7, which the board simulates as a USB device; see the script `ublox` of the board."""

    name, device, driver = "u-blox 7", "/dev/ttyACM0", "cdc_acm"

    def plug(self):
        if not self.cable:
            self.cable = Cable(self.machine.connect("ublox"))
        self.machine.run("ublox plug")
        self.cable.is_sending.set()

    def unplug(self):
        # Otherwise the emulator would keep the bytes until the next plug.
        self.cable.is_sending.clear()
        self.machine.run("ublox unplug")
        self.note_end()
        self.cable.returned = b""
