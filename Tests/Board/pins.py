# SPDX-License-Identifier: Apache-2.0
"""A receiver on the UART of the board, without and with a console on the port."""
import json

from checks import expect, expect_in
from receivers import Pins
from short import CONFIGURATION, POSITION


class PinsChecks:
    def __init__(self, form):
        self.form, self.machine, self.check = form, form.machine, form.check
        self.receiver = Pins(form.machine)
        self.name = self.receiver.device.rsplit("/", 1)[1]
        self.unit = f"serial-getty@{self.name}.service"

    def run(self):
        """Runs while no other receiver is plugged in, and keeps the configuration."""
        self.machine.run(f"mv {CONFIGURATION} /root/other.toml && systemctl reload fixcast")
        self.read()
        self.meet_console()
        self.receiver.forget()
        self.machine.run(f"mv /root/other.toml {CONFIGURATION} && systemctl reload fixcast")

    def read(self):
        with self.check("a receiver on the pins gives a position after the command that doctor prints"):
            self.receiver.plug()
            command = self.form.printed_command(self.receiver.device)
            mark = self.form.watch.mark()
            self.machine.run(command, user="pi")
            self.machine.run("fixcast check-config && sudo systemctl reload fixcast", user="pi")
            self.form.wait_for_position(self.receiver, mark)
            self.machine.run("fixcast doctor")
        with self.check("no byte returns to the receiver on the pins while its port is open") as facts:
            mark = self.form.watch.mark()
            self.form.watch.wait(POSITION, mark, times=5)
            self.receiver.note_end()
            facts.append(f"echoed by Linux while the port was opened: {len(self.receiver.echoed[-1])} bytes")
            expect("the bytes that returned", b"", self.receiver.returned[-1])

    def meet_console(self):
        self.receiver.forget()
        self.form.restart("the board boots with a console on the pins", [self.receiver], console=self.name)
        with self.check("doctor names the console and the login on the pins, and locate refers to doctor"):
            # The journal begins with the boot.
            self.wait_for_login(0)
            finding = self.finding()
            for word in (f"(console={self.name})", f"({self.unit})"):
                expect_in("the finding", word, finding["message"])
            expect_in("the remedy", f"(and remove console={self.name} from ", finding["mend"])
            expect_in("the answer", "see: fixcast doctor",
                      self.machine.run("fixcast locate --timeout 1", user="pi", check=False))
        self.receiver.forget()
        self.form.restart("the board boots without a console on the pins", [self.receiver])
        with self.check("the position of the receiver on the pins is back, and doctor finds no problem"):
            self.form.watch.wait(POSITION)
            self.machine.run("fixcast doctor")
        with self.check("the command that doctor prints ends a login on the pins, and the position is back"):
            mark = self.machine.journal.mark()
            self.machine.run(f"systemctl enable --now {self.unit}")
            self.wait_for_login(mark)
            mark = self.form.watch.mark()
            self.machine.run(self.finding()["mend"], user="pi")
            self.form.watch.wait(POSITION, mark)
            self.machine.run("fixcast doctor")

    def wait_for_login(self, mark):
        """Waits until a login has taken the receiver's sentences for names and passwords, and made the port its own."""
        self.machine.journal.wait("a login has taken it", mark)

    def finding(self):
        """Returns what doctor finds about the port of the pins, which the configuration names."""
        output = self.machine.run("fixcast doctor --json", check=False)
        findings = [json.loads(line) for line in output.splitlines()]
        found = [each for each in findings if each.get("subject") == self.receiver.device]
        expect("the severities of the findings about the port", ["bad"], [each["severity"] for each in found])
        return found[0]
