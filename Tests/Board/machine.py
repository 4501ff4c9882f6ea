# SPDX-License-Identifier: Apache-2.0
"""An emulated board: starts, cuts its power, and runs commands on it over SSH."""
import dataclasses
import json
import os
import pathlib
import re
import resource
import socket
import subprocess
import time

from disk import Disk
from lines import HANG_SECONDS, Hang, Lines


@dataclasses.dataclass
class Model:
    """What differs between the boards of two architectures. The emulator interprets the processor, since KVM may be
    missing."""
    program: str
    program_package: str
    machine: str
    processor: str
    uart: str
    # The options of the emulator for the console, /dev/ttyS0, and the UART, whose data are the chardevs of these names.
    console_options: tuple
    uart_options: tuple
    can_suspend: bool


MODELS = {
    # This processor boots fastest. Both ports are 16550.
    "amd64": Model("qemu-system-x86_64", "qemu-system-x86", "q35", "Nehalem", "/dev/ttyS1",
                   ("-serial", "chardev:console"), ("-device", "isa-serial,chardev=uart"), True),
    # The processor of a Raspberry Pi 4. The UART is the only PL011, so the console is a 16550.
    "arm64": Model("qemu-system-aarch64", "qemu-system-arm", "virt", "cortex-a72", "/dev/ttyAMA0",
                   ("-device", "pci-serial,chardev=console"), ("-serial", "chardev:uart"), False),
}


class Machine:
    def __init__(self, image, folder, model):
        """`image` is the folder of image.sh; `folder` gets the files of this run."""
        self.image, self.folder, self.model = pathlib.Path(image), pathlib.Path(folder), model
        self.disk = Disk(self.image / "disk.raw", self.folder)
        self.process = self.journal = None
        # A server of this machine that the board can connect to, as an option of the emulator's network.
        self.forward = None
        self.boots = 0
        self.was_suspended = False
        self.ended_processor_seconds = 0.0

    # MARK: Power

    def start(self, plugged=(), console="ttyS0", clock="utc"):
        """Switches the power on with some receivers plugged in, and waits until the board accepts logins.
        Returns the seconds."""
        self.boots += 1
        self.was_suspended = False
        for path in self.folder.glob("*.socket"):
            path.unlink()

        def server(name):
            return f"socket,id={name},path={self.folder}/{name}.socket,server=on,wait=off"
        begin = time.monotonic()
        self.process = subprocess.Popen([
            self.model.program, "-M", self.model.machine, "-cpu", self.model.processor,
            "-accel", "tcg,thread=multi", "-m", "1G", "-smp", "2",
            "-nodefaults", "-display", "none", "-rtc", f"base={clock}",
            "-kernel", self.image / "vmlinuz", "-initrd", self.image / "initrd.img",
            "-append", f"root=/dev/vda rw console={console} quiet mitigations=off",
            "-chardev", f"file,id=console,path={self.folder}/console-{self.boots}.log", *self.model.console_options,
            "-chardev", server("qmp"), "-mon", "chardev=qmp,mode=control",
            *self.disk.options(), "-device", "virtio-rng-pci",
            # The emulator chooses a free port. The board reaches no other machine.
            "-netdev", ",".join(["user,id=net,restrict=on,hostfwd=tcp:127.0.0.1:0-10.0.2.15:22",
                                 *filter(None, [self.forward])]),
            "-device", "virtio-net-pci,netdev=net,romfile=,id=network",
            # The socket of a USB converter. A connection to it is the plug.
            "-device", "qemu-xhci", "-chardev", server("converter"), "-device", "usb-serial,chardev=converter",
            "-chardev", server("uart"), *self.model.uart_options,
            "-device", "virtio-serial-pci",
            "-chardev", server("journal"), "-device", "virtserialport,chardev=journal,name=journal",
            "-chardev", server("ublox"), "-device", "virtserialport,chardev=ublox,name=ublox"],
            stdin=subprocess.DEVNULL)
        self.qmp = Monitor(self.connect("qmp"))
        for receiver in plugged:
            receiver.plug()
        self.port = int(re.search(r"HOST_FORWARD\]\s+\d+\s+\S+\s+(\d+)", self.qmp.command_line("info usernet"))[1])
        log = (self.folder / f"journal-{self.boots}.log").open("w")
        self.journal = Lines("journal", self.connect("journal").makefile("rb"), log)
        for line in (r"sshd\[\d+\]: Server listening on 0\.0\.0\.0", "Finished systemd-user-sessions"):
            self.journal.wait(line)
        for user in ("root", "pi"):
            # Later commands share this connection, so that each is not a login of its own.
            self.check_call(*self.ssh(user), "-M", "-N", "-f")
        return time.monotonic() - begin

    def connect(self, name):
        """Connects to a socket of the emulator, which makes it soon after its start."""
        path, deadline = self.folder / f"{name}.socket", time.monotonic() + HANG_SECONDS
        while True:
            connection = socket.socket(socket.AF_UNIX)
            try:
                connection.connect(str(path))
                return connection
            except (FileNotFoundError, ConnectionRefusedError):
                connection.close()
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise Hang(f"expected the emulator to run\ngot its end with {self.process.poll()}") from None
                time.sleep(0.01)

    def cut_power(self, random, rollback=0):
        """Ends the emulator at once. What the board has not flushed to its disk is partly lost."""
        self.process.kill()
        self.finish()
        self.disk.settle(random, rollback)

    def shut_down(self):
        """Switches the board off like a user. Returns the seconds."""
        begin = time.monotonic()
        self.run("systemctl poweroff", check=False)
        if self.was_suspended:
            self.wait_for_power_down()
            self.qmp.command("quit")
        self.qmp.wait_for_end()
        self.finish()
        self.disk.settle()
        return time.monotonic() - begin

    def wait_for_power_down(self):
        """Waits for the last line of the kernel. After a suspension, QEMU 7.2 ignores that its board switches itself off,
        and that it suspends again."""
        console, deadline = self.folder / f"console-{self.boots}.log", time.monotonic() + HANG_SECONDS
        while b"reboot: Power down" not in console.read_bytes():
            if time.monotonic() > deadline:
                raise Hang("expected the board to switch off\ngot a board that still runs")
            time.sleep(0.1)

    def suspend(self):
        """Suspends the board to memory."""
        self.run("systemctl suspend")
        self.qmp.wait_for_suspension()
        self.was_suspended = True

    def finish(self):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.process.wait()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.ended_processor_seconds += after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        self.process = None
        self.journal.join()
        for user in ("root", "pi"):
            (self.folder / f"{user}.ssh").unlink(missing_ok=True)

    def kill(self):
        """Ends the emulator after a failure."""
        if self.process:
            self.process.kill()
            self.finish()

    def processor_seconds(self):
        """Returns the processor time of the emulator in all boots."""
        if not self.process:
            return self.ended_processor_seconds
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        ticks = int(fields[11]) + int(fields[12])
        return self.ended_processor_seconds + ticks / os.sysconf("SC_CLK_TCK")

    # MARK: Commands

    def ssh(self, user):
        return ["ssh", "-q", "-p", str(self.port), "-i", str(self.image / "key"), "-o", "StrictHostKeyChecking=no",
                "-o", "UserKnownHostsFile=/dev/null", "-o", f"ControlPath={self.folder}/{user}.ssh",
                f"{user}@127.0.0.1"]

    @staticmethod
    def check_call(*words):
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              timeout=HANG_SECONDS, check=False)
        if done.returncode:
            raise Hang(f"expected an SSH login\ngot exit code {done.returncode} of: {' '.join(words)}")

    def run(self, command, user="root", check=True, data=None):
        """Runs a command on the board and returns its output; raises an error if the command fails."""
        try:
            done = subprocess.run([*self.ssh(user), command], input=data or b"", timeout=HANG_SECONDS,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        except subprocess.TimeoutExpired:
            raise Hang(f"expected the end of: {command}\ngot none in {HANG_SECONDS} s") from None
        output = done.stdout.decode(errors="replace")
        if check and done.returncode:
            raise AssertionError(f"expected success of: {command}\ngot exit code {done.returncode}: {output}")
        return output

    def read(self, command):
        """Runs a command on the board and returns its standard output as bytes."""
        return subprocess.run([*self.ssh("root"), command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              timeout=HANG_SECONDS, check=True).stdout

    def stream(self, command, user="pi"):
        """Starts a command on the board, and returns its lines as they arrive."""
        process = subprocess.Popen([*self.ssh(user), command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT)
        return Lines(f"output of {command}", process.stdout)


class Monitor:
    """The emulator's control socket (QMP)."""

    def __init__(self, connection):
        self.connection, self.replies = connection, connection.makefile("r")
        self.replies.readline()
        self.command("qmp_capabilities")

    def command(self, command, /, **arguments):
        self.connection.sendall(json.dumps({"execute": command, "arguments": arguments}).encode() + b"\n")
        while True:
            reply = json.loads(self.replies.readline() or '{"error": {"desc": "the emulator ended"}}')
            if "error" in reply:
                raise Hang(f"expected success of {command}\ngot: {reply['error']['desc']}")
            if "return" in reply:
                return reply["return"]

    def wait_for_end(self):
        """Waits until the emulator closes the socket, because the board has switched itself off."""
        self.wait("switch off", lambda event: False)

    def wait_for_suspension(self):
        self.wait("suspend", lambda event: event == "SUSPEND")

    def wait(self, action, is_expected):
        """Waits for an event, or for the end of the emulator."""
        self.connection.settimeout(HANG_SECONDS)
        try:
            for reply in iter(self.replies.readline, ""):
                if is_expected(json.loads(reply).get("event")):
                    return
        except TimeoutError:
            raise Hang(f"expected the board to {action}\ngot a board that still runs") from None

    def command_line(self, line):
        """Runs a command of the emulator's text interface."""
        return self.command("human-monitor-command", **{"command-line": line})
