# SPDX-License-Identifier: Apache-2.0
"""Allowed clients: one that connects again and again, one with an open page, and one with open streams."""

import datetime
import random
import re
import time

import protocols

#: A position in the event stream of a page.
TPV = re.compile(rb'data: \{"class":"TPV"(?=.*"lat":).*"time":"([^"]*)Z"')
#: The pause between two connections, which keeps the client below 50 connections per second. It varies by
#: more than the time between two positions of the receiver.
PAUSE_SECONDS = 0.02, 0.08


def first_answer(folder, protocol, request):
    """Connects once; returns the time to the first position in milliseconds, or `None` and the reason."""
    start = time.monotonic()
    try:
        with protocols.connect(protocol.place, folder) as client:
            client.sendall(request)
            if protocols.receive_until(client, protocol.answer) is None:
                return None, "closed"
    except OSError as error:
        return None, type(error).__name__ + f" {error.errno}"
    return (time.monotonic() - start) * 1000, None


def connect_often(report, folder, protocol, session, count, goal_ms):
    """Connects `count` times, one after the other; stops early if a tenth of the connections is late."""
    report.update(delays=[], failures=[])
    late = 0
    for _ in range(count):
        delay, failure = first_answer(folder, protocol, protocol.bytes(session))
        if failure:
            report["failures"].append(failure)
        else:
            report["delays"].append(delay)
        late += failure is not None or delay > goal_ms
        if late > count / 10:
            return
        time.sleep(random.uniform(*PAUSE_SECONDS))


def keep_page_open(report, folder, page, session, path):
    """Opens the stream of a page, until the end.

    Writes two times of each position to a file: when it has arrived, and that of the receiver.
    """
    with open(path, "a", encoding="ascii", buffering=1) as file, protocols.connect(page.place, folder) as client:
        client.sendall(page.bytes(session, streams=True))
        rest = b""
        report.ready()
        while chunk := receive(client):
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                if found := TPV.match(line):
                    sent = datetime.datetime.fromisoformat(found[1].decode())
                    file.write(f"{time.monotonic()} {sent.timestamp()}\n")


def follow(report, folder, protocol, session):
    """Opens a stream, and reports the times of all positions in it, until it is ended."""
    report["times"] = []
    position = protocols.LATITUDE if protocol.stream else protocol.answer
    with protocols.connect(protocol.place, folder) as client:
        client.sendall(protocol.bytes(session, streams=True))
        rest = b""
        while chunk := receive(client):
            now = time.time()
            # The rest of an incomplete line may contain the beginning of a position.
            *lines, rest = (rest + chunk).split(b"\n")
            if any(map(position.search, lines)):
                if not report["times"]:
                    report.ready()
                report["times"].append(now)


def request_often(report, folder, protocol):
    """Requests the position until it is ended, and reports the times at which it was in the response."""
    report["times"] = []
    while True:
        report["last_request"] = time.time()
        with protocols.connect(protocol.place, folder) as client:
            client.sendall(protocol.bytes(None))
            if protocols.receive_until(client, protocol.answer):
                if not report["times"]:
                    report.ready()
                report["times"].append(time.time())
        time.sleep(PAUSE_SECONDS[0])


def receive(client):
    """Waits for data, however long; returns none at the end."""
    while True:
        try:
            return client.recv(65536)
        except BlockingIOError:
            continue  # SO_RCVTIMEO
        except ConnectionError:
            return b""
