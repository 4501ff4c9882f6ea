# SPDX-License-Identifier: Apache-2.0
"""Boards of a fleet that run the daemon, with its sink `fleet` and its outbox."""
import os, signal, sqlite3, subprocess

import cluster

SIMULATED = '[[source]]\ntype = "simulated"\n'
UNPLUGGED = '[[source]]\ntype = "serial"\ndevice = "/dev/unplugged"\n'


class Daemon(cluster.Server):
    """A daemon in a folder of its own, which starts again on its outbox."""

    def __init__(self, number, folder, program, broker, batch):
        self.board, self.root = f"b{number:05}", folder / f"b{number:05}"
        self.root.mkdir()
        self.configuration = self.root / "config.toml"
        self.settings = f"""
[daemon]
socket = "{self.root}/s"
state_directory = "{self.root}/state"
[weather]
enabled = false
[gpsd_server]
enabled = false
[[sink]]
type = "fleet"
broker = "mqtt://127.0.0.1:{broker.port}"
board = "{self.board}"
outbox = "{self.root}/fleet.sqlite"
batch_fixes = {batch}
batch_seconds = {batch}
rest_interval_seconds = 1
interval_seconds = 0
start_delay_seconds = 2
"""
        self.configuration.write_text(self.settings + SIMULATED)
        super().__init__(
            self.board, folder, [program, "run", "--config", self.configuration],
            env=dict(os.environ, FIXCAST_ROOT=str(self.root / "root"), FIXCAST_SOCKET=str(self.root / "s")))

    def outbox(self, query):
        with sqlite3.connect(self.root / "fleet.sqlite", timeout=10) as outbox:
            return outbox.execute(query).fetchall()


class Volume:
    """A small volume on the folder of a board, in a mount namespace of this process."""

    def __init__(self, daemon):
        self.path, configuration = daemon.root, daemon.configuration.read_text()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "fleet", self.path], check=True)
        daemon.configuration.write_text(configuration)

    def fill(self):
        """Fills the volume, and returns what makes room again."""
        filler = self.path / "filler"
        try:
            with open(filler, "wb", buffering=0) as file:
                while True:
                    file.write(bytes(4096))
        except OSError:
            return filler.unlink

    def kill(self):
        subprocess.run(["umount", "--lazy", self.path], check=True)


class Fleet:
    """The daemons of a run."""

    def __init__(self, options, folder, brokers):
        self.daemons = []
        for number in range(options.daemons):
            broker = brokers[number % len(brokers)]
            self.daemons.append(Daemon(number, folder, options.daemon_program, broker, options.batch))
        self.volume = Volume(self.daemons[-1])
        self.servers = [self.volume, *(daemon.start() for daemon in self.daemons)]

    def kill_some(self):
        """Kills a tenth of the boards, and returns what starts them again."""
        victims = self.daemons[:max(1, len(self.daemons) // 10)]
        for daemon in victims:
            daemon.kill()
        return lambda: [daemon.start() for daemon in victims]

    def finish(self):
        """Starts all boards again without a receiver, so that they publish what is in their outboxes."""
        for daemon in self.daemons:
            daemon.process.send_signal(signal.SIGTERM)
        for daemon in self.daemons:
            daemon.process.wait(30)
            daemon.configuration.write_text(daemon.settings + UNPLUGGED)
            daemon.start()

    def is_done(self):
        return all(daemon.outbox("SELECT count(*) FROM batch") == [(0,)] for daemon in self.daemons)

    def counts(self):
        """Returns the epoch and the number of the last fix of each board, and the number of kept batches."""
        made = {}
        for daemon in self.daemons:
            [(epoch,)] = daemon.outbox("SELECT number FROM epoch")
            [(last,)] = daemon.outbox("SELECT seq FROM sqlite_sequence WHERE name = 'batch'")
            made[daemon.board] = (epoch, last)
        return made, sum(daemon.outbox("SELECT count(*) FROM batch")[0][0] for daemon in self.daemons)
