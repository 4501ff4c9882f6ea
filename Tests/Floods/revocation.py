# SPDX-License-Identifier: Apache-2.0
"""Denies a client with open streams on every protocol, beside six busy loops, and measures its last positions."""

import os
import time

import clients
import lab
import protocols

#: The user who is denied.
USER = lab.ANSWERED[0]
LOAD = 6
GOAL_MS = 60
#: The time before a denial in which each stream must have had a position, and after it in which none may
#: arrive, in seconds.
BEFORE_SECONDS, AFTER_SECONDS = 1, 2
#: The metrics are no stream: they are requested often during the denial.
METRICS = next(protocol for protocol in protocols.PROTOCOLS if protocol.place == protocols.METRICS)
#: The page and its API are one stream.
STREAMS = [protocol for protocol in protocols.PROTOCOLS
           if protocol != METRICS and protocol.name != "page's API (TCP)"]
FOLLOWED = [*STREAMS, METRICS]


def loop(report):
    """Uses a processor."""
    end = time.monotonic() + 600
    while time.monotonic() < end:
        pass


def run(board, table, repeats):
    """Prints a row for each protocol."""
    loops = [board.start_child(lab.STRANGERS[0], loop) for _ in range(LOAD)]
    late = {protocol: [] for protocol in FOLLOWED}
    returned, broken = [], {protocol: 0 for protocol in FOLLOWED}
    session = board.log_in(USER)
    for _ in range(repeats):
        streams = {protocol: board.start_child(
            USER, clients.follow, board.folder, protocol, session) for protocol in STREAMS}
        for stream in streams.values():
            stream.wait_ready()
        time.sleep(BEFORE_SECONDS)
        streams[METRICS] = board.start_child(USER, clients.request_often, board.folder, METRICS)
        streams[METRICS].wait_ready()
        board.auth("deny", f"uid={USER}")
        returned.append((time.time() - board.decided_at()) * 1000)
        decided = board.decided_at()
        time.sleep(AFTER_SECONDS)
        for protocol, stream in streams.items():
            report = board.end_child(stream)
            times = report.get("times", [])
            is_complete = report.get("last_request", decided + 1) > decided
            if is_complete and any(decided - BEFORE_SECONDS < each < decided for each in times):
                late[protocol].append((times[-1] - decided) * 1000)
            else:
                broken[protocol] += 1
        board.auth("allow", f"uid={USER}")
    load = os.getloadavg()[0]
    for protocol in FOLLOWED:
        values = late[protocol]
        table.row(protocol.name, f"denial, {LOAD} loops", "answer", repeats, values, broken[protocol],
                  f"last position in {GOAL_MS} ms",
                  len(values) == repeats and max(values) <= GOAL_MS)
        table.note("ms after the decision was recorded: " + " ".join(f"{each:.0f}" for each in values))
    table.note(f"load average {load:.1f}; the command returned after "
               + " ".join(f"{each:.0f}" for each in returned) + " ms")
    for child in loops:
        board.end_child(child)
