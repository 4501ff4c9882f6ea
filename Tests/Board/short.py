# SPDX-License-Identifier: Apache-2.0
"""The short form: installation, the first plug of each receiver, replugs, and a power cut."""
import json
import re
import time

from checks import expect, expect_in
from receivers import Converter, UBlox
from tracks import KINDS, MAX_LOST_SECONDS, SECONDS, Tracks

POSITION = r'"class":"TPV".*"lat":'
# The file to which the commands that doctor prints add a source.
CONFIGURATION = "/etc/fixcast/conf.d/receiver.toml"
LOSS = r'"class":"DEVICE".*"activated":0|"class":"ERROR"'
REPLUG_COUNT = 3


class ShortForm:
    def __init__(self, machine, checks, package):
        self.machine, self.check, self.package = machine, checks.check, package
        self.ublox, self.converter = UBlox(machine), Converter(machine)
        self.watch = None

    def run(self, random):
        self.install()
        self.plug_ublox()
        self.plug_converter()
        self.cut_power(random)
        with self.check("the board switches off") as facts:
            facts.append(f"power off {self.machine.shut_down():.1f} s")
        self.forget()

    def forget(self):
        """Closes the cables after the power went off."""
        self.converter.forget()
        self.ublox.forget()

    # MARK: Installation

    def boot(self, name, plugged=(), **options):
        with self.check(name) as facts:
            facts.append(f"login {self.machine.start(plugged, **options):.1f} s")
            self.expect_no_failed_unit()

    def expect_no_failed_unit(self):
        """Waits until all units have started."""
        state = self.machine.run("systemctl is-system-running --wait", check=False).strip()
        expect("the state of the system", ("running", ""),
               (state, self.machine.run("systemctl --failed --no-legend --plain").strip()))

    def install(self):
        self.boot("the board boots without a receiver")
        with self.check("the package installs, with the answer that pi may know the position"):
            self.machine.run("cat >/root/fixcast.deb", data=self.package.read_bytes())
            self.machine.run("debconf-set-selections", data=b"fixcast fixcast/allowed-users multiselect pi\n")
            self.machine.run("DEBIAN_FRONTEND=noninteractive apt-get install -y /root/fixcast.deb")
            expect_in("the answers", "user=pi", self.machine.run("fixcast auth list"))
        with self.check("the service is active, and no unit has failed"):
            expect("the state of the service", "active", self.machine.run("systemctl is-active fixcast").strip())
            self.expect_no_failed_unit()
        with self.check("the driver of GNSS receivers is loaded before the first one is plugged in"):
            expect_in("the drivers", "gnss\n", self.machine.run("cat /proc/devices"))
        with self.check("the exposure of the service is at most 1.5 of 10") as facts:
            output = self.machine.run("systemd-analyze security --threshold=15 --no-pager fixcast.service")
            facts.append(output.splitlines()[-1].split(":")[1].split()[0])
        self.watch = self.machine.stream("fixcast watch --json --no-weather")

    # MARK: Receivers

    def wait_for_position(self, receiver, after):
        """Waits for a position of a receiver in the stream that pi watches. Returns the time."""
        when = self.watch.wait(POSITION, after)[1]
        receiver.note_position()
        return when

    def first_plug(self, receiver):
        """Plugs a receiver whose driver is not loaded, so that the plug loads the driver."""
        loaded = self.machine.run("cut -d' ' -f1 /proc/modules").split()
        expect(f"the driver {receiver.driver} before the plug", False, receiver.driver in loaded)
        receiver.plug()
        self.machine.journal.wait(f"kernel: .*{receiver.device.rsplit('/', 1)[1]}")

    def replugs(self, receiver, count=REPLUG_COUNT):
        with self.check(f"the {receiver.name} is back after each of {count} replugs") as facts:
            times = []
            for _ in range(count):
                self.unplug(receiver)
                mark, begin = self.watch.mark(), time.monotonic()
                receiver.plug()
                times.append(self.wait_for_position(receiver, mark) - begin)
            facts.append(f"after {min(times):.1f} to {max(times):.1f} s")

    def unplug(self, receiver):
        mark = self.watch.mark()
        receiver.unplug()
        self.watch.wait(LOSS, mark)

    def final_unplug(self, receiver):
        with self.check(f"unplugging the {receiver.name} is reported to a program that watches"):
            self.unplug(receiver)
        with self.check(f"no byte returns to the {receiver.name} while its port is open") as facts:
            echoes = ", ".join(str(len(each)) for each in receiver.echoed)
            facts.append(f"echoed by Linux while the port was opened: {echoes} bytes")
            expect("the bytes that returned in each plug", [b""] * len(receiver.returned), receiver.returned)

    def plug_ublox(self):
        with self.check("the first plug of a u-blox 7 gives a position, without configuration"):
            mark = self.watch.mark()
            self.first_plug(self.ublox)
            self.wait_for_position(self.ublox, mark)
        with self.check("pi gets the position, and fixcast devices names the receiver"):
            expect_in("the position", '"lat"', self.machine.run("fixcast locate --json", user="pi"))
            output = self.machine.run("fixcast devices", user="pi")
            expect_in("the devices", "1546:01a7", output)
            expect_in("the devices", "/dev/ttyACM0", output)
        self.replugs(self.ublox)
        self.final_unplug(self.ublox)

    def plug_converter(self):
        with self.check("the first plug of a USB converter gives a candidate, whose port doctor can configure"):
            self.first_plug(self.converter)
            self.machine.run("udevadm settle")
            output = self.machine.run("fixcast devices", user="pi")
            expect_in("the devices", "candidate", output)
            expect_in("the devices", "0403:6001", output)
            command = self.printed_command(self.converter.device)
            self.converter.link = self.machine.run("ls /dev/serial/by-id/*").strip()
            expect_in("the command", self.converter.link, command)
        with self.check("the command that doctor prints gives a position"):
            mark = self.watch.mark()
            self.machine.run(command, user="pi")
            self.machine.run("fixcast check-config && sudo systemctl reload fixcast", user="pi")
            self.wait_for_position(self.converter, mark)
            expect_in("the position", '"lat"', self.machine.run("fixcast locate --json", user="pi"))
        self.replugs(self.converter)
        with self.check("fixcast doctor finds no problem"):
            self.machine.run("fixcast doctor")
        self.final_unplug(self.converter)

    def printed_command(self, device):
        """Returns the command that doctor prints for a port."""
        findings = [json.loads(line) for line in self.machine.run("fixcast doctor --json", check=False).splitlines()]
        remedies = [each.get("mend", "") for each in findings if each.get("subject") == device]
        expect("the number of remedies for the port", 1, len(remedies))
        # Users copy the command from the text, so it must be there unchanged.
        expect_in("the text of doctor", f"-> {remedies[0]}\n", self.machine.run("fixcast doctor", check=False))
        return re.sub(r"\s+\(.*\)$", "", remedies[0])

    # MARK: Power cut

    def cut_power(self, random):
        tracks = Tracks(self.machine)
        self.converter.plug()
        with self.check("the power is cut while tracks are written") as facts:
            tracks.configure()
            mark = self.watch.mark()
            self.watch.wait(POSITION, mark, times=20)
            tracks.cut(random, self.watch)
            self.forget()
            facts.append(f"{self.machine.disk.lost_count} of {self.machine.disk.unflushed_count} unflushed writes lost")
        self.boot("the board boots after the power cut with the receiver plugged in, and no unit has failed",
                  [self.converter])
        with self.check("the position is back after the power cut"):
            self.watch = self.machine.stream("fixcast watch --json --no-weather")
            # The sinks open their files with the first position.
            self.watch.wait(POSITION, times=3)
            self.machine.run("systemctl stop fixcast")
        with tracks.files() as folder:
            for kind in KINDS:
                with self.check(f"{kind} is whole after the power cut, and at most {SECONDS} s are lost") as facts:
                    lost = tracks.lost_seconds(KINDS[kind](folder))
                    facts.append(f"{lost:.1f} s lost")
                    expect(f"whether at most {MAX_LOST_SECONDS} s are lost", True, lost <= MAX_LOST_SECONDS)
