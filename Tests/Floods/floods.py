# SPDX-License-Identifier: Apache-2.0
"""Measures allowed clients of the daemon during floods, and how soon a denial ends open streams.

Prints a table; exits with 1 if a goal is missed. Connections during the flood "connect fast" have no goal.
"""

import argparse
import signal
import sys
import time

import attackers
import clients
import lab
import protocols
import revocation
from table import Table

PAGE = next(protocol for protocol in protocols.PROTOCOLS if protocol.is_web)
#: The goal for the first answer, in milliseconds, and the share of connections that must reach it.
GOAL_MS, GOAL_SHARE = 100, 0.99
#: The goal for the time between two positions of an open page, in milliseconds. 99 of 100 must arrive.
PAGE_GOAL_MS = 1000


def parse():
    parser = argparse.ArgumentParser(prog="run.sh", description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--connections", type=int, default=100, help="connections per row")
    parser.add_argument("--repeats", type=int, default=10, help="denials")
    parser.add_argument("--hertz", type=int, default=20, help="positions of the receiver per second")
    parser.add_argument("--protocols", default="", help="flood only protocols whose names contain this text")
    parser.add_argument("--floods", default=",".join(("none", *attackers.FLOODS)), help="names of floods")
    parser.add_argument("--parts", default="floods,revocation")
    return parser.parse_args()


class OpenPage:
    """A page that was opened before the floods. Its stream must stay open and get each position."""

    def __init__(self, board, user, session):
        self.board, self.user, self.session = board, user, session
        self.path = board.folder / f"page-{user}"
        self.path.touch()
        self.path.chmod(0o666)
        self.open()

    def open(self):
        self.child = self.board.start_child(
            self.user, clients.keep_page_open, self.board.folder, PAGE, self.session, str(self.path))
        self.child.wait_ready()

    def open_again(self):
        """Opens the page again if its stream was closed."""
        if not self.child.is_running():
            self.board.end_child(self.child)
            self.open()

    def check(self, start, end, hertz):
        """Returns the gaps between positions in a time in milliseconds, the number of positions that are
        missing, and whether the stream is open."""
        is_open = self.child.is_running()
        lines = self.path.read_text().split("\n")[:-1]
        rows = [row for row in (tuple(map(float, line.split())) for line in lines) if start < row[0] < end]
        times = [start, *(row[0] for row in rows), end]
        gaps = [(second - first) * 1000 for first, second in zip(times, times[1:])]
        sent = round((rows[-1][1] - rows[0][1]) * hertz) + 1 if rows else 0
        return gaps, sent - len(rows), is_open


class Floods:
    """The rows of all floods."""

    def __init__(self, board, table, options):
        self.board, self.table, self.options = board, table, options
        users = (*lab.ANSWERED, *lab.RULED, *lab.STRANGERS, *lab.INSIDERS)
        self.sessions = {user: board.log_in(user) for user in users}
        self.pages = {user: OpenPage(board, user, self.sessions[user]) for user in (lab.ANSWERED[0], lab.RULED[0])}

    def run(self):
        for flood in self.options.floods.split(","):
            for protocol in protocols.PROTOCOLS:
                # A Unix socket has no addresses.
                is_possible = flood != "change addresses" or isinstance(protocol.place, int)
                if not self.board.is_running():
                    return
                if self.options.protocols in protocol.name and is_possible:
                    self.flood(protocol, flood)
        for protocol in protocols.PROTOCOLS:
            self.wait_until_served(protocol)

    def flood(self, protocol, flood):
        """Measures a client with an answer and one with a rule, with the users who flood for each."""
        running = {}
        self.wait_until_served(protocol)
        for page in self.pages.values():
            page.open_again()
        for client, users in (("answer", lab.ANSWERED), ("rule", lab.RULED)):
            for each in attackers.users(flood, protocol, client):
                running[each] = running.get(each) or self.attack(protocol, flood, each)
            self.measure(protocol, flood, client, users)
        if running:
            reports = [self.board.end_child(child) for child in running.values()]
            self.table.note("flood: " + "; ".join(
                ", ".join(f"{key} {value}" for key, value in report.items()) for report in reports)
                + f"; the daemon has {self.board.kilobytes()} kB")

    def wait_until_served(self, protocol):
        """Waits until the daemon has ended what the flood before has begun."""
        user = lab.RULED[0]
        for _ in range(60):
            child = self.board.start_child(
                user, clients.connect_often, self.board.folder, protocol, self.sessions[user], 1, GOAL_MS)
            report = child.result(60)
            self.board.children.remove(child)
            if report.get("delays") and report["delays"][0] <= GOAL_MS:
                return
        self.table.note("the daemon does not recover from the flood before")
        self.table.missed.append(f"{protocol.name}: recovery from a flood")

    def attack(self, protocol, flood, user):
        child = self.board.start_child(
            user, attackers.FLOODS[flood], self.board.folder, protocol, self.sessions[user])
        child.wait_ready()
        return child

    def measure(self, protocol, flood, client, users):
        """Prints the row of a client, and the row of its open page."""
        start = time.monotonic()
        delays, failures = [], []
        for user in users:
            count = self.options.connections // len(users)
            child = self.board.start_child(
                user, clients.connect_often, self.board.folder, protocol, self.sessions[user], count, GOAL_MS)
            report = child.result(count * (protocols.HANG_SECONDS + 1))
            self.board.children.remove(child)
            delays += report.get("delays", [])
            failures += report.get("failures", ["the client has failed"])
        end = time.monotonic()
        in_time = sum(delay <= GOAL_MS for delay in delays)
        count = len(delays) + len(failures)
        # A flood that uses both processors delays every program. Its goals are the daemon and the open page.
        goal = "none" if flood == "connect fast" else f"99 of 100 in {GOAL_MS} ms"
        self.table.row(protocol.name, flood, client, count, delays, len(failures), goal,
                       None if goal == "none" else in_time >= GOAL_SHARE * count)
        if failures:
            self.table.note(", ".join(f"{failures.count(each)} x {each}" for each in sorted(set(failures))))
        gaps, lost, is_open = self.pages[users[0]].check(start, end, self.options.hertz)
        count = len(gaps) + 1 + lost
        self.table.row("open page", flood, client, count, gaps, lost, f"open, no gap of {PAGE_GOAL_MS} ms",
                       is_open and bool(gaps) and max(gaps) <= PAGE_GOAL_MS and lost <= count / 100)
        if not is_open:
            self.table.note("the stream was closed")


def main():
    options = parse()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))
    board, table = lab.Lab(options.program, options.hertz), Table()
    try:
        table.heading()
        if "floods" in options.parts:
            Floods(board, table, options).run()
        if "revocation" in options.parts and board.is_running():
            revocation.run(board, table, options.repeats)
        if not board.is_running():
            table.missed.append(f"the daemon has ended with {board.daemon.process.returncode}")
            print(board.daemon.log_text()[-3000:], flush=True)
    except BaseException:
        print(board.daemon.log_text()[-3000:], flush=True)
        raise
    finally:
        board.stop()
    print("all goals reached" if not table.missed else "\n".join(["missed:", *table.missed]))
    raise SystemExit(1 if table.missed else 0)


main()
