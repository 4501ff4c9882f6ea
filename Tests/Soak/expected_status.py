# SPDX-License-Identifier: Apache-2.0
"""The expected status of the daemon for the active faults."""

import time

#: For each fault of a sink: the sink, the seconds after which the status must show the fault, and the
#: error text. A full disk takes 14 s to show, since writes succeed until the last page is full.
SINKS = {
    "disk full": ("full", 14, "No space"),
    "sink blocked": ("blocked", 28, "longer than"),
    "exec crashing": ("crashing", 5, "code 3"),
}


class ExpectedStatus:
    """The faults so far, and the comparison of each status with these faults."""

    def __init__(self, board):
        self.board = board
        self.began_at, self.ended_at, self.durations = {}, {}, {}
        self.second = 0
        self.last = None
        self.longest_gap = 0.0

    def wait_for_fix(self):
        """Waits until the daemon has fixes from both sources, and weather."""
        for _ in range(120):
            status, failure = self.board.status()
            if status and status["source"].get("fixAge", 9) < 2 \
                    and status["lookups"]["answered"] > 0 and not status["source"]["notices"] \
                    and status["path"]["status"] == "satisfied":
                return
            time.sleep(0.5)
        raise SystemExit(f"soak: no fix and weather within a minute: {failure or status}")

    def begin_fault(self, name, second):
        self.began_at[name] = second
        self.ended_at.pop(name, None)

    def end_fault(self, name, second):
        self.durations[name] = second - self.began_at.pop(name)
        self.ended_at[name] = second

    def active_seconds(self, name):
        """Returns the seconds for which a fault has been active; -1 if the fault is not active."""
        return self.second - self.began_at[name] if name in self.began_at else -1

    def inactive_seconds(self, name):
        """Returns the seconds since the end of a fault; -1 while the fault is active."""
        if name in self.began_at:
            return -1
        return self.second - self.ended_at[name] if name in self.ended_at else 10_000

    def recovery(self, name, minimum):
        """Returns the maximum recovery time in seconds. The retry delay doubles, so the last delay may
        be as long as the whole fault."""
        return minimum + 2 * self.durations.get(name, 0)

    def check(self, second, status):
        """Yields a text for each difference between the actual and the expected status."""
        self.second = second
        yield from self.fixes(status)
        for plugin in status["plugins"]:
            yield from self.plugin(plugin)
        yield from self.network(status)
        self.last = status

    def fixes(self, status):
        source = status["source"]
        age = source.get("fixAge")
        # Each source must be available if the number of seconds is positive.
        serial = (self.inactive_seconds("receiver unplugged")
                  - self.recovery("receiver unplugged", 5))
        gpsd = self.inactive_seconds("gpsd killed") - 8
        # The seconds since the clock last jumped; the modulo replaces -1 by 10,000. After a jump, the
        # sources need some seconds to recover.
        jumped = min(self.inactive_seconds("clock jumped") % 10_001,
                     self.active_seconds("clock jumped") % 10_001)
        available = max(serial, gpsd)
        if age is not None:
            self.longest_gap = max(self.longest_gap, age)
        if available > 0 and jumped > 8:
            if source["state"] != "running":
                yield f"fixes are available, but the source is {source['state']}"
            if age is None or age > 4:
                yield f"fixes are available, but the last one is {age} s old"
        if min(self.active_seconds("receiver unplugged"), self.active_seconds("gpsd killed")) > 7:
            if source["state"] != "waiting" or not source.get("lastError"):
                yield f"no source delivers fixes, but the status is: {source}"
        for name, word, overdue in [("receiver unplugged", "gps0", serial),
                                    ("gpsd killed", "gpsd:", gpsd)]:
            is_reported = any(word in notice for notice in source["notices"])
            if self.active_seconds(name) > 2 and not is_reported:
                yield f"{name} for {self.active_seconds(name)} s, but not reported: " \
                    f"{source['notices']}"
            if self.inactive_seconds(name) >= 0 and overdue > 0 and is_reported:
                yield f"{name} ended {self.inactive_seconds(name)} s ago, still reported: " \
                    f"{source['notices']}"

    def plugin(self, plugin):
        name, state = plugin["name"], plugin["state"]
        fault, delay, word = next(
            ((fault, *sink[1:]) for fault, sink in SINKS.items() if sink[0] == name), (None, 0, ""))
        queued = plugin["queue"] - plugin.get("undelivered", 0)
        if queued > plugin["queueLimit"]:
            yield f"{name} has {queued} events queued, limit {plugin['queueLimit']}"
        if plugin["out"] > plugin["in"]:
            yield f"{name} has output {plugin['out']} of {plugin['in']} events"
        if fault is None:
            if state != "running":
                yield f"no fault affects {name}, but it is {state}: {plugin.get('lastError')}"
            # The daemon's weather reporter keeps only the newest event.
            dropped = 0 if name == "outlook" else plugin["dropped"]
            if plugin["role"] == "sink" and (plugin["errors"] or dropped):
                yield f"no fault affects {name}, but it has errors or drops: {plugin}"
            # The daemon's internal sinks do not receive every position.
            if plugin["role"] == "sink" and name not in ("clients", "journal") \
                    and self.inactive_seconds("receiver unplugged") > 40 \
                    and plugin.get("successAge", 99) > 4:
                yield f"no fault affects {name}, but its last success is " \
                    f"{plugin.get('successAge')} s old"
            return
        if self.active_seconds(fault) > delay and self.has_fixes(delay):
            if word not in plugin.get("lastError", "") \
                    or plugin.get("errorAge", 9999) > self.active_seconds(fault):
                yield f"{fault} for {self.active_seconds(fault)} s: {plugin}"
        overdue = self.inactive_seconds(fault) - self.recovery(fault, 12)
        if overdue > 0 and self.has_fixes(4):
            if state != "running" or plugin.get("successAge", 99) > 4:
                yield f"{fault} ended {self.inactive_seconds(fault)} s ago, not recovered: {plugin}"

    def has_fixes(self, seconds):
        """Returns whether fixes have been available for a number of seconds."""
        return any(self.inactive_seconds(name) > seconds + self.recovery(name, 8)
                   for name in ("receiver unplugged", "gpsd killed"))

    def network(self, status):
        path = status.get("path", {}).get("status")
        if self.active_seconds("path lost") > 3 and path != "unsatisfied":
            yield f"the path has been lost for {self.active_seconds('path lost')} s, but is {path}"
        if self.inactive_seconds("path lost") > 5 and path != "satisfied":
            yield f"the path was restored {self.inactive_seconds('path lost')} s ago: " \
                f"{status.get('path')}"
        weather = next(p for p in status["plugins"] if p["name"] == "weather")
        if self.active_seconds("provider down") > 80 and self.has_fixes(80) \
                and self.inactive_seconds("path lost") > 80:
            if weather.get("errorAge", 9999) > self.active_seconds("provider down"):
                yield f"the provider has been down for {self.active_seconds('provider down')} s: " \
                    f"{weather}"
        available = min(self.inactive_seconds("provider down"), self.inactive_seconds("path lost"))
        if available > 200 and self.has_fixes(200) and weather.get("successAge", 9999) > 200:
            yield f"weather has been available for {available} s: {weather}"
        wrong = status["configuration"]["wrong"]
        if self.active_seconds("configuration broken") > 3 and not wrong:
            yield "the configuration is invalid, but not reported as such"
        if self.inactive_seconds("configuration broken") > 3 and wrong:
            yield f"the configuration is valid, but reported as invalid: {wrong}"

    def summary(self):
        status = self.last or {"plugins": [], "lookups": {}}
        parts = [f"{p['name']} in {p['in']} out {p['out']} dropped {p['dropped']} errors "
                 f"{p['errors']} restarts {p['restarts']}" for p in status["plugins"]
                 if p["role"] == "sink"]
        return (f"longest without a fix {self.longest_gap} s; lookups {status['lookups']}; "
                + "; ".join(parts))
