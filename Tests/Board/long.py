# SPDX-License-Identifier: Apache-2.0
"""The long form: boots with a receiver, many replugs and power cuts, and what an owner does with a package."""
import json
import time

import provider
from checks import expect, expect_in
from cuts import PowerCuts
from lines import board
from pins import PinsChecks
from short import CONFIGURATION, POSITION, ShortForm

BOOT_COUNT = 10
REPLUG_COUNT = 20
# The log of the daemon at this level contains positions, weather, and the changes of gates.
WEATHER = """
[daemon]
log_level = "debug"

[[sink]]
type = "log"

"""
# The documented limits in seconds: the delay after an outage, and the time between two lookups. The margin is for
# the emulated processor.
MAX_RELEASE_DELAY, MIN_INTERVAL, MARGIN = 30, 60, 10


class LongForm(ShortForm):
    def __init__(self, machine, checks, package, cut_count):
        super().__init__(machine, checks, package)
        self.cut_count = cut_count
        self.provider = provider.Provider(machine.folder)
        machine.forward = self.provider.forward()

    def run(self, random):
        self.install()
        self.plug_ublox()
        self.plug_converter()
        PinsChecks(self).run()
        mark = self.watch.mark()
        self.converter.plug()
        self.wait_for_position(self.converter, mark)
        self.replugs(self.converter, REPLUG_COUNT)
        self.second_receiver()
        try:
            self.renumber()
        finally:
            # Without it, the converter has another number in all later checks.
            self.machine.run("systemctl stop holder || true")
        self.figures()
        self.network()
        self.weather()
        self.suspend()
        self.reinstall()
        self.boots()
        PowerCuts(self, random, self.cut_count).run()
        self.remove()
        with self.check("the board switches off") as facts:
            facts.append(f"power off {self.machine.shut_down():.1f} s")

    def restart(self, name, plugged=(), **options):
        self.machine.shut_down()
        self.forget()
        self.boot(name, plugged, **options)
        self.watch = self.machine.stream("fixcast watch --json --no-weather")

    def boots(self):
        for number in range(1, BOOT_COUNT + 1):
            self.restart(f"boot {number} of {BOOT_COUNT} with the receiver plugged in", [self.converter])
            with self.check(f"the position is there after boot {number}") as facts:
                self.watch.wait(POSITION)
                facts.append(self.machine.run("cut -d' ' -f1 /proc/uptime").strip() + " s after the kernel started")

    def second_receiver(self):
        """Names the converter and the u-blox as two sources, and unplugs the converter."""
        file = "/etc/fixcast/conf.d/ublox.toml"
        with self.check("the position continues from a second receiver when the first one leaves") as facts:
            mark = self.watch.mark()
            self.machine.run(f"cat >{file} && fixcast check-config && systemctl reload fixcast",
                             data=f'[[source]]\ntype = "serial"\ndevice = "{self.ublox.device}"\n'.encode())
            self.ublox.plug()
            self.watch.wait(f'"class":"DEVICE".*"{self.ublox.device}"', mark)
            self.ublox.note_position()
            self.watch.wait(f'"class":"TPV","device":"{self.converter.link}".*"lat":', self.watch.mark())
            mark, begin = self.watch.mark(), time.monotonic()
            self.converter.unplug()
            end = self.watch.wait(f'"class":"TPV","device":"{self.ublox.device}".*"lat":', mark)[1]
            facts.append(f"after {end - begin:.1f} s")
            mark = self.watch.mark()
            self.converter.plug()
            self.ublox.unplug()
            self.watch.wait(f'"class":"TPV","device":"{self.converter.link}".*"lat":', mark)
            self.converter.note_position()
            self.machine.run(f"rm {file} && systemctl reload fixcast")

    def renumber(self):
        """Replugs the converter while a program keeps its port open, so that Linux gives it another number."""
        device, link = self.converter.device, self.converter.link
        with self.check("the status names the new number of a converter, and the name that does not change") as facts:
            self.name_port(device)
            self.watch.wait(f'"class":"TPV","device":"{device}".*"lat":', self.watch.mark())
            self.machine.run("systemd-run --quiet --unit=holder -p Type=exec"
                             f" -p StandardInput=file:{device} sleep infinity")
            self.unplug(self.converter)
            self.converter.plug()
            facts.append(self.machine.run(
                "timeout 60 sh -c 'until fixcast status --json | grep -o"
                f' "the receiver that was {device} is now [^;]*;[^\\"]*: {link}"; do sleep 0.2; done\'').split(";")[0])
        with self.check("the converter is read by the name that does not change"):
            mark = self.watch.mark()
            self.name_port(link)
            self.wait_for_position(self.converter, mark)

    def name_port(self, name):
        self.machine.run(f"cat >{CONFIGURATION} && fixcast check-config && systemctl reload fixcast",
                         data=f'[[source]]\ntype = "serial"\ndevice = "{name}"\n'.encode())

    def network(self):
        """Takes the network away. SSH uses it too, so the states of the path are read from the journal."""
        with self.check("the path follows the network, and the position does not depend on it"):
            mark, before = self.machine.journal.mark(), self.watch.mark()
            self.machine.run("systemd-run --quiet --unit=path fixcast path --watch --json")
            for state, is_up in (("satisfied", False), ("unsatisfied", True), ("satisfied", None)):
                self.machine.journal.wait(f'"class":"PATH","status":"{state}"', mark)
                mark = self.machine.journal.mark()
                if is_up is not None:
                    self.machine.qmp.command("set_link", name="network", up=is_up)
            self.watch.wait(POSITION, before, times=3)
            self.machine.run("systemctl stop path")

    def weather(self):
        """Looks up the weather, without and with a network. The events are read from the journal, too."""
        journal, file = self.machine.journal, "/etc/fixcast/conf.d/weather.toml"
        with self.check("the weather comes from a provider over TLS, whose authority the owner trusts") as facts:
            # The board lacks ca-certificates, which would write this file.
            self.machine.run(f"echo {provider.ADDRESS} {provider.NAME} >>/etc/hosts"
                             " && mkdir -p /etc/ssl/certs && cat >/etc/ssl/certs/ca-certificates.crt",
                             data=self.provider.authority.read_bytes())
            mark, begin = journal.mark(), time.monotonic()
            self.machine.run(f"cat >{file} && fixcast check-config && systemctl reload fixcast",
                             data=(WEATHER + board.weather(f"https://{provider.NAME}")).encode())
            lookup = self.provider.wait_for_request()
            facts.append(f"lookup after {lookup - begin:.1f} s")
            journal.wait(" weather .*openmeteo", mark)
            expect("the provider in the status", "openmeteo", self.weather_status()["provider"])
            output = json.loads(self.machine.run("fixcast weather --json", user="pi"))
            expect("the temperature that pi gets", 27.4, output["temperature"])
            self.provider.wait_for_request()
        with self.check("the gate holds lookups while there is no network, and then passes one in time") as facts:
            mark = journal.mark()
            self.machine.qmp.command("set_link", name="network", up=False)
            journal.wait("gate holds", mark)
            # The last report is not for the new place.
            self.converter.cable.carried_meters += 20_000
            mark = journal.mark()
            journal.wait(" location ", mark, times=10)
            expect("whether no request arrived", True, self.provider.requests.empty())
            self.machine.qmp.command("set_link", name="network", up=True)
            _, satisfied = journal.wait("network path satisfied", mark)
            arrived = self.provider.wait_for_request()
            facts.append(f"lookup {arrived - satisfied:.1f} s after the network and {arrived - lookup:.1f} s after the"
                         " last one")
            latest = max(satisfied + MAX_RELEASE_DELAY, lookup + MIN_INTERVAL) + MARGIN
            expect("whether the lookup was in time", True, arrived <= latest)
            journal.wait(" weather .*openmeteo", mark)
            journal.wait(" location ", journal.mark(), times=5)
            expect("whether there was only one lookup", True, self.provider.requests.empty())
            expect("the reason to hold lookups", None, self.weather_status().get("held"))
            self.machine.run(f"rm {file} && systemctl reload fixcast")

    def weather_status(self):
        return json.loads(self.machine.run("fixcast status --json"))["daemon"]["weather"]

    def suspend(self):
        """Suspends the board to memory. The arm64 board has only s2idle, and QEMU cannot wake it up ("wake-up from suspend
        is not supported by this guest")."""
        if not self.machine.model.can_suspend:
            return
        with self.check("the position is back after the board was suspended") as facts:
            # The converter loses its power while its port is open, so Linux gives it another number.
            self.machine.suspend()
            mark, begin = self.watch.mark(), time.monotonic()
            self.machine.qmp.command("system_wakeup")
            end = self.watch.wait(POSITION, mark, times=3)[1]
            facts.append(f"after {end - begin:.1f} s")
            self.expect_no_failed_unit()

    def figures(self):
        """Prints memory, processor time and bytes written, with one receiver and no sink."""
        with self.check("the memory, the writes and the processor time of the daemon are measured") as facts:
            mark = self.watch.mark()
            self.watch.wait(POSITION, mark)
            first = self.usage()
            mark = self.watch.mark()
            self.watch.wait(POSITION, mark, times=60)
            last = self.usage()
            facts += [f"{last['VmRSS'] / 1024:.1f} MB RSS",
                      f"{(last['write_bytes'] - first['write_bytes']) * 60 / 1e6:.1f} MB/h written by the daemon",
                      f"{(last['cpu'] - first['cpu']) / 1e9 / 60 * 100:.1f} % of a core"]
            mark = self.watch.mark()
            self.machine.run("systemctl restart fixcast")
            facts.append(f"processor time of a start {self.usage()['cpu'] / 1e9:.1f} s")
            self.watch.wait(POSITION, mark)

    def usage(self):
        """Returns the counters of the daemon by name."""
        output = self.machine.run(
            "pid=$(systemctl show fixcast -P MainPID); cat /proc/$pid/status /proc/$pid/io;"
            " echo cpu: $(systemctl show fixcast -P CPUUsageNSec)")
        fields = dict(line.split(":", 1) for line in output.splitlines() if ":" in line)
        return {name: int(fields[name].split()[0]) for name in ("VmRSS", "write_bytes", "cpu")}

    def reinstall(self):
        with self.check("a reinstallation keeps the configuration and the permission, and the position returns"):
            self.machine.run("DEBIAN_FRONTEND=noninteractive apt-get install -y --reinstall /root/fixcast.deb")
            expect_in("the answers", "user=pi", self.machine.run("fixcast auth list"))
            expect("the service", "active", self.machine.run("systemctl is-active fixcast").strip())
            self.watch = self.machine.stream("fixcast watch --json --no-weather")
            self.watch.wait(POSITION)

    def remove(self):
        with self.check("removal keeps configuration and state, and purge deletes the state"):
            self.machine.run("DEBIAN_FRONTEND=noninteractive apt-get remove -y fixcast")
            expect("a service after removal", "inactive", self.machine.run("systemctl is-active fixcast",
                                                                          check=False).strip())
            self.machine.run("test -e /etc/fixcast/config.toml && test -e /var/lib/fixcast/decisions.json")
            self.machine.run("DEBIAN_FRONTEND=noninteractive apt-get purge -y fixcast")
            expect("the state after purge", "", self.machine.run("ls -d /var/lib/fixcast 2>/dev/null", check=False))
            self.expect_no_failed_unit()


class CutsForm(LongForm):
    """Only the power cuts, so that many can be added up from runs with several seeds."""

    def run(self, random):
        self.install()
        self.plug_converter()
        mark = self.watch.mark()
        self.converter.plug()
        self.wait_for_position(self.converter, mark)
        PowerCuts(self, random, self.cut_count).run()
