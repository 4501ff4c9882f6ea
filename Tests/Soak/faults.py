# SPDX-License-Identifier: Apache-2.0
"""The faults of the soak test, each with a beginning and an end."""

import os


class Fault:
    #: The minimum and maximum duration in seconds.
    seconds = (6, 25)

    def __init__(self, board):
        self.board = board


class ReceiverUnplugged(Fault):
    def begin(self):
        self.board.serial_receiver.unplug()

    def end(self):
        self.board.serial_receiver.plug()


class GPSDKilled(Fault):
    def begin(self):
        self.board.kill_child(self.board.gpsd)

    def end(self):
        self.board.start_gpsd()


class PathLost(Fault):
    def begin(self):
        self.board.disconnect()

    def end(self):
        self.board.connect()


class ProviderDown(Fault):
    # The fault lasts longer than a minute, because there is one lookup per minute.
    seconds = (90, 120)

    def begin(self):
        self.board.kill_child(self.board.provider)

    def end(self):
        self.board.serve_weather()


class DiskFull(Fault):
    seconds = (18, 35)

    def begin(self):
        with open(self.path(), "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError:
                pass

    def end(self):
        os.unlink(self.path())

    def path(self):
        return os.path.join(self.board.volume, "filler")


class SinkBlocked(Fault):
    # The fault lasts long enough for the pipe to fill, since the sink blocks only then.
    seconds = (32, 45)

    def begin(self):
        self.board.is_reading = False

    def end(self):
        self.board.is_reading = True


class ExecCrashing(Fault):
    def begin(self):
        open(self.board.path("crash"), "w").close()

    def end(self):
        os.unlink(self.board.path("crash"))


class ConfigurationBroken(Fault):
    def begin(self):
        self.board.configure(self.board.configuration() + '[[sink]]\ntype = "gxp"\n')
        self.board.reload()

    def end(self):
        self.board.configure(self.board.configuration())
        self.board.reload()


class ClockJumped(Fault):
    """A jump of the board's wall clock and of the receivers' time."""

    #: The sizes of the jumps in seconds, used in turn.
    jumps = [3600, -3600, 86_400, -86_400, 31_536_000]

    def begin(self):
        self.jumps = self.jumps[1:] + self.jumps[:1]
        self.board.set_clock(self.jumps[0])
        self.board.drive.jump = self.jumps[0]

    def end(self):
        self.board.set_clock(0)
        self.board.drive.jump = 0


FAULTS = {
    "receiver unplugged": ReceiverUnplugged, "gpsd killed": GPSDKilled, "path lost": PathLost,
    "provider down": ProviderDown, "disk full": DiskFull, "sink blocked": SinkBlocked,
    "exec crashing": ExecCrashing, "configuration broken": ConfigurationBroken,
    "clock jumped": ClockJumped,
}
