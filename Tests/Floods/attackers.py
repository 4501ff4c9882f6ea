# SPDX-License-Identifier: Apache-2.0
"""Programs of other users that flood one protocol. Each runs in a process of its own until it is ended."""

import contextlib
import itertools
import os
import select
import time

import lab
import protocols

#: More connections than an owner can have.
CONNECTIONS = 40
#: The time between two connections of a flood that holds connections, as in a browser's burst.
PAUSE_SECONDS = 0.015
#: The time after which each flood ends by itself.
MAX_SECONDS = 600


def addresses():
    """Returns loopback addresses in turn, so that the ports of one address do not run out."""
    return itertools.cycle(f"127.0.{os.getpid() % 200 + 1}.{number}" for number in range(1, 250))


def is_open(client):
    """Reads what has arrived; returns whether the daemon has not closed the connection."""
    try:
        while chunk := client.recv(65536):
            if len(chunk) < 65536:
                return True
        return False
    except BlockingIOError:
        return True
    except OSError:
        return False


def is_open_unread(client):
    """Returns whether the daemon has not closed the connection, and reads nothing."""
    poll = select.poll()
    poll.register(client, select.POLLRDHUP)
    return not poll.poll(0)


def hold(report, folder, protocol, request, buffer=None, check=is_open):
    """Keeps as many connections as the daemon permits, and replaces each one that it closes."""
    clients, turns = [], addresses()
    report.update(opened=0, held=0)
    end = time.monotonic() + MAX_SECONDS
    while time.monotonic() < end:
        clients = [client for client in clients if check(client) or client.close()]
        report["held"] = len(clients)
        if len(clients) < CONNECTIONS:
            with contextlib.suppress(OSError):
                client = protocols.connect(protocol.place, folder, next(turns), buffer, waits=False)
                clients.append(client)
                client.send(request)
            report["opened"] += 1
            if report["opened"] == CONNECTIONS:
                report.ready()
        time.sleep(PAUSE_SECONDS)


def take_places(report, folder, protocol, session):
    """Opens streams, or else sends complete requests, and reads the answers."""
    hold(report, folder, protocol, protocol.bytes(session, streams=True))


def read_slowly(report, folder, protocol, session):
    """Opens streams, and never reads."""
    hold(report, folder, protocol, protocol.bytes(session, streams=True), 2048, is_open_unread)


def send_half(report, folder, protocol, session):
    """Sends the first half of a request, and waits."""
    request = protocol.bytes(session) or b"$GPRMC,"
    hold(report, folder, protocol, request[:len(request) // 2])


def connect(report, folder, protocol, session, pause_seconds=0, turns=None):
    """Connects and closes as fast as it can, or with pauses."""
    turns = turns or addresses()
    report["opened"] = 0
    end = time.monotonic() + MAX_SECONDS
    while time.monotonic() < end:
        with contextlib.suppress(OSError):
            protocols.connect(protocol.place, folder, next(turns), waits=False).close()
            report["opened"] += 1
            if report["opened"] == 500:
                report.ready()
        if pause_seconds:
            time.sleep(pause_seconds)


def connect_steadily(*arguments):
    """Connects a few hundred times per second, from one address."""
    connect(*arguments, pause_seconds=0.002, turns=itertools.repeat("127.0.0.1"))


def change_addresses(*arguments):
    """Connects a few hundred times per second, each time from another address of the board."""
    connect(*arguments, pause_seconds=0.002)


#: The floods by their names in the table.
FLOODS = {"take all places": take_places, "read slowly": read_slowly, "half requests": send_half,
          "connect steadily": connect_steadily, "change addresses": change_addresses, "connect fast": connect}


def users(flood, protocol, client):
    """Returns the users who flood, one process each, while a client of a kind is measured.

    Three users with an answer can take all places of a feed except those reserved for clients with a rule.
    One user cannot.
    Two processes that connect without a pause use both processors of a small board.
    """
    if flood == "none":
        return []
    if flood == "connect fast":
        return lab.STRANGERS
    return [*lab.STRANGERS, *lab.INSIDERS[:3 if client == "rule" and protocol.is_feed else 1]]
