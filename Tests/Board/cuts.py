# SPDX-License-Identifier: Apache-2.0
"""Many power cuts at random moments, and a table of what they damage and what is repaired."""
import time

from checks import expect
from short import POSITION
from tracks import KINDS, MAX_LOST_SECONDS, Damaged, Tracks

# Copies the state before each start of the daemon, which repairs the files.
DROP_IN = b"""[Service]
ExecStartPre=+/bin/sh -c "rm -rf /run/before && cp -a /var/lib/fixcast /run/before"
"""
POSITIONS = range(8, 20)
# The writes of about three seconds.
ROLLBACK_WRITES = 30


class PowerCuts:
    def __init__(self, form, random, count):
        self.form, self.machine, self.random, self.count = form, form.machine, random, count
        self.tracks = Tracks(form.machine)
        self.damaged, self.repaired, self.lost = ({kind: [] for kind in KINDS} for _ in range(3))
        self.decisions = []

    def run(self):
        self.machine.run("mkdir -p /etc/systemd/system/fixcast.service.d"
                         " && cat >/etc/systemd/system/fixcast.service.d/board.conf && systemctl daemon-reload",
                         data=DROP_IN)
        self.tracks.configure()
        for number in range(1, self.count + 1):
            self.cut(number)
            self.form.boot(f"boot after power cut {number} of {self.count}", [self.form.converter])
            with self.form.check(f"the files are whole after power cut {number}") as facts:
                self.inspect(facts)
        self.print_table()

    def cut(self, number):
        """Cuts the power after a decision, some positions, and a part of a second."""
        form = self.form
        self.machine.disk.note_size()
        self.decisions.append(f"uid={20_000 + number}")
        self.machine.run(f"fixcast auth allow {self.decisions[-1]}")
        writes_at_decision = self.machine.disk.logged_count()
        for _ in range(self.random.choice(POSITIONS)):
            form.watch.wait(POSITION, form.watch.mark())
            self.machine.disk.note_size()
        time.sleep(self.random.random())
        self.tracks.cut(self.random, form.watch, ROLLBACK_WRITES)
        if self.machine.disk.write_count < writes_at_decision:
            self.decisions.pop()  # The power went before the decision.
        form.forget()

    def inspect(self, facts):
        form = self.form
        form.watch = self.machine.stream("fixcast watch --json --no-weather")
        form.watch.wait(POSITION, times=3)
        facts.append(f"{self.machine.disk.lost_count} of {self.machine.disk.unflushed_count} unflushed writes lost")
        problems = []
        # A running daemon changes the files while they are copied.
        self.machine.run("systemctl stop fixcast")
        with self.tracks.files("/run/before") as before, self.tracks.files() as after:
            for kind, read in KINDS.items():
                try:
                    read(before)
                    self.damaged[kind].append(False)
                except Damaged:
                    self.damaged[kind].append(True)
                try:
                    lost = self.tracks.lost_seconds(read(after))
                except Damaged as error:
                    self.repaired[kind].append(False)
                    problems.append(f"{kind}: {error}")
                    continue
                self.lost[kind].append(lost)
                self.repaired[kind].append(self.damaged[kind][-1])
                facts.append(f"{kind} {'repaired, ' if self.damaged[kind][-1] else ''}{lost:.1f} s lost")
                if lost > MAX_LOST_SECONDS:
                    problems.append(f"{kind}: expected a loss of at most {MAX_LOST_SECONDS} s\ngot {lost:.1f} s")
        self.machine.run("systemctl start fixcast")
        kept = self.machine.run("fixcast auth list").split()
        expect("the lost decisions", [], [each for each in self.decisions if each not in kept])
        if problems:
            raise AssertionError("\n".join(problems))

    def print_table(self):
        print("file kind     cuts  damaged  repaired  seconds lost (median, most)")
        for kind in KINDS:
            lost = sorted(self.lost[kind]) or [float("nan")]
            print(f"{kind:12}  {self.count:4}  {sum(self.damaged[kind]):7}  {sum(self.repaired[kind]):8}  "
                  f"{lost[len(lost) // 2]:.1f}, {lost[-1]:.1f}", flush=True)

