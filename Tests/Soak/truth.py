# SPDX-License-Identifier: Apache-2.0
"""What the daemon's status has to say, given what is so."""

import time

#: The sinks that a fault concerns, how soon it has to be seen, and the word for it. A page that was
#: begun has room for some seconds on a full disk as well.
SINKS = {
    "disk full": ("full", 14, "No space"),
    "sink blocked": ("blocked", 28, "longer than"),
    "exec crashing": ("crashing", 5, "code 3"),
}


class Truth:
    def __init__(self, board):
        self.board = board
        self.began_at, self.ended_at, self.lasted = {}, {}, {}
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

    def began(self, name, second):
        self.began_at[name] = second
        self.ended_at.pop(name, None)

    def ended(self, name, second):
        self.lasted[name] = second - self.began_at.pop(name)
        self.ended_at[name] = second

    def on(self, name):
        """For how long it is on; -1 where it is not."""
        return self.second - self.began_at[name] if name in self.began_at else -1

    def off(self, name):
        """For how long it has been over; -1 where it is on."""
        if name in self.began_at:
            return -1
        return self.second - self.ended_at[name] if name in self.ended_at else 10_000

    def patience(self, name, least):
        """How long its recovery may take: waits double, so that one lasts as long as all before."""
        return least + 2 * self.lasted.get(name, 0)

    def look(self, second, status):
        """What is not as it is said to be, in sentences."""
        self.second = second
        yield from self.fixes(status)
        for plugin in status["plugins"]:
            yield from self.plugin(plugin)
        yield from self.network(status)
        self.last = status

    def fixes(self, status):
        source = status["source"]
        age = source.get("fixAge")
        serial = self.off("receiver unplugged") - self.patience("receiver unplugged", 5)
        gpsd = self.off("gpsd killed") - 8
        # A jump makes of each receiver another for a moment.
        jumped = min(self.off("clock jumped") % 10_001, self.on("clock jumped") % 10_001)
        available = max(serial, gpsd)
        if age is not None:
            self.longest_gap = max(self.longest_gap, age)
        if available > 0 and jumped > 8:
            if source["state"] != "running":
                yield f"fixes can be had, and the source is {source['state']}"
            if age is None or age > 4:
                yield f"fixes can be had, and the last is {age} s old"
        if min(self.on("receiver unplugged"), self.on("gpsd killed")) > 7:
            if source["state"] != "waiting" or not source.get("lastError"):
                yield f"there is no source, and it is said: {source}"
        for name, word, bound in [("receiver unplugged", "gps0", serial), ("gpsd killed", "gpsd:",
                                                                          gpsd)]:
            is_told = any(word in notice for notice in source["notices"])
            if self.on(name) > 2 and not is_told:
                yield f"{name} for {self.on(name)} s, and it is not told: {source['notices']}"
            if self.off(name) >= 0 and bound > 0 and is_told:
                yield f"{name} is over for {self.off(name)} s: {source['notices']}"

    def plugin(self, plugin):
        name, state = plugin["name"], plugin["state"]
        fault, delay, word = next(
            ((fault, *sink[1:]) for fault, sink in SINKS.items() if sink[0] == name), (None, 0, ""))
        if plugin["queue"] > plugin["queueLimit"]:
            yield f"{name} has {plugin['queue']} waiting, of {plugin['queueLimit']}"
        if plugin["out"] > plugin["in"]:
            yield f"{name} gave on {plugin['out']} of {plugin['in']}"
        if fault is None:
            if state != "running":
                yield f"nothing concerns {name}, and it is {state}: {plugin.get('lastError')}"
            # The daemon's own reporter of the weather keeps the newest alone.
            dropped = 0 if name == "outlook" else plugin["dropped"]
            if plugin["role"] == "sink" and (plugin["errors"] or dropped):
                yield f"nothing concerns {name}: {plugin}"
            # The daemon's own two are not given positions that they have nothing to say of.
            if plugin["role"] == "sink" and name not in ("clients", "journal") \
                    and self.off("receiver unplugged") > 40 \
                    and plugin.get("successAge", 99) > 4:
                yield f"nothing concerns {name}, and it last wrote {plugin.get('successAge')} s ago"
            return
        if self.on(fault) > delay and self.has_fixes(delay):
            if word not in plugin.get("lastError", "") \
                    or plugin.get("errorAge", 9999) > self.on(fault):
                yield f"{fault} for {self.on(fault)} s: {plugin}"
        over = self.off(fault) - self.patience(fault, 12)
        if over > 0 and self.has_fixes(4):
            if state != "running" or plugin.get("successAge", 99) > 4:
                yield f"{fault} is over for {self.off(fault)} s: {plugin}"

    def has_fixes(self, seconds):
        """Whether something has come that is to be written, for that long."""
        return any(self.off(name) > seconds + self.patience(name, 8)
                   for name in ("receiver unplugged", "gpsd killed"))

    def network(self, status):
        path = status.get("path", {}).get("status")
        if self.on("path lost") > 3 and path != "unsatisfied":
            yield f"the path is lost for {self.on('path lost')} s, and is {path}"
        if self.off("path lost") > 5 and path != "satisfied":
            yield f"the path is back for {self.off('path lost')} s, and is {status.get('path')}"
        weather = next(p for p in status["plugins"] if p["name"] == "weather")
        if self.on("provider down") > 80 and self.has_fixes(80) and self.off("path lost") > 80:
            if weather.get("errorAge", 9999) > self.on("provider down"):
                yield f"the provider is down for {self.on('provider down')} s: {weather}"
        well = min(self.off("provider down"), self.off("path lost"))
        if well > 200 and self.has_fixes(200) and weather.get("successAge", 9999) > 200:
            yield f"the weather can be had for {well} s: {weather}"
        wrong = status["configuration"]["wrong"]
        if self.on("configuration broken") > 3 and not wrong:
            yield "the configuration is broken, and nothing is said to be wrong"
        if self.off("configuration broken") > 3 and wrong:
            yield f"the configuration is right, and said to be wrong: {wrong}"

    def summary(self):
        status = self.last or {"plugins": [], "lookups": {}}
        parts = [f"{p['name']} in {p['in']} out {p['out']} dropped {p['dropped']} errors "
                 f"{p['errors']} restarts {p['restarts']}" for p in status["plugins"]
                 if p["role"] == "sink"]
        return (f"longest without a fix {self.longest_gap} s; lookups {status['lookups']}; "
                + "; ".join(parts))
