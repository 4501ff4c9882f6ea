# SPDX-License-Identifier: Apache-2.0
"""The simulated board of mock_board.py: its objects, events and incidents."""

import math
import threading
import time

DEVICE = "/dev/serial/by-id/usb-u-blox_AG_u-blox_7-if00"
HOSTILE = (
    "<img src=x onerror=\"document.title='run'\"> <script>document.title='run'</script> \u202egnp.exe\x07 " + "W" * 300
)
# Identifier, latitude, longitude, inhabitants, name.
PLACES = """
2864118 54.10707 10.8145 15000 Neustadt in Holstein
2857137 54.14907 10.95779 7000 Grömitz
2823590 53.99538 10.77632 9000 Timmendorfer Strand
2827552 54.06667 10.76667 1500 Sierksdorf
2836480 54.0315 10.7531 11000 Scharbeutz
2820860 53.96304 10.87239 13000 Travemünde
2881276 54.217 10.887 5000 Lensahn
2857943 54.1349 10.6151 17000 Eutin
2875601 53.86893 10.68729 212000 Lübeck
2856883 54.29233 10.8807 9900 Oldenburg in Holstein
2850258 53.95 10.73333 15000 Ratekau
2892794 54.18333 10.75 2500 Schönwalde am Bungsberg
"""
# gnssid: number, elevation, azimuth, signal; the next satellite.
SATELLITES = """
0: 2 42 71 38, 5 29 310 35, 12 61 149 44, 13 15 209 30, 15 33 184 39, 18 8 21 28, 20 19 277 33, 24 52 104 41, 25 74 332 45, 29 48 238 40, 30 5 65 22
6: 1 35 45 36, 2 68 10 41, 8 22 120 31, 17 12 330 24, 24 44 260 38
2: 3 55 200 42, 5 31 88 37, 9 18 155 29, 15 64 300 43, 27 9 350 21
3: 11 40 130 36, 14 25 225 33, 33 57 60 40
1: 123 28 160 34, 136 24 195 33
"""


def read_places():
    for line in PLACES.strip().splitlines():
        identifier, lat, lon, population, title = line.split(" ", 4)
        yield int(identifier), float(lat), float(lon), int(population), title


def read_satellites():
    for line in SATELLITES.strip().splitlines():
        system, numbers = line.split(": ")
        for satellite in numbers.split(", "):
            yield int(system), *map(int, satellite.split())


def utc(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{int(seconds % 1 * 1000):03d}Z"


def separation(lat, lon, other_lat, other_lon):
    """Returns distance in metres and bearing in degrees, for short distances."""
    north, east = (other_lat - lat) * 111195, (other_lon - lon) * 111195 * math.cos(math.radians(lat))
    return math.hypot(north, east), math.degrees(math.atan2(east, north)) % 360


class Board:
    """The state of the board; every method returns objects of the API."""

    def __init__(self):
        self.started = time.time()
        self.access, self.role = "full", "decide"
        self.plugged, self.fixed, self.network = True, True, True
        self.hanging, self.ended, self.hostile, self.night = False, False, False, False
        self.withholding = False
        self.requests, self.request_count, self.decisions = [], 0, []
        self.streams = set()
        self.lock = threading.Lock()
        self.last_fix = time.time()

    def text(self, text):
        return HOSTILE if self.hostile else text

    def position(self, seconds):
        angle = seconds / 340
        return 54.078 + 0.02 * math.sin(angle), 10.845 + 0.055 * math.sin(angle / 2 + 1)

    def auth(self):
        if self.access == "denied":
            return {
                "class": "AUTH",
                "status": "denied",
                "accuracy": "full",
                "advice": "allow it with: sudo fixcast auth allow user=pi",
            }
        return {"class": "AUTH", "status": "authorizedAlways", "accuracy": self.access}

    def tpv(self):
        now = time.time()
        if not (self.fixed and self.plugged):
            return {"class": "TPV", "device": DEVICE, "mode": 1, "time": utc(now), "age": 0.1}
        lat, lon = self.position(now)
        if self.access == "reduced":
            return {
                "class": "TPV",
                "mode": 2,
                "time": utc(now // 900 * 900),
                "lat": round(lat / 0.045) * 0.045,
                "lon": round(lon / 0.077) * 0.077,
                "eph": 5000,
            }
        self.last_fix = now
        ahead = self.position(now + 1)
        meters, course = separation(lat, lon, *ahead)
        return {
            "class": "TPV",
            "device": self.text(DEVICE),
            "mode": 3,
            "time": utc(now // 1),
            "lat": round(lat, 9),
            "lon": round(lon, 9),
            "altHAE": 44.1,
            "altMSL": 2.4,
            "geoidSep": 41.7,
            "speed": round(meters, 3),
            "track": round(course, 2),
            "climb": 0.0,
            "eph": round(2.4 + math.sin(now / 7), 1),
            "epv": 4.8,
            "sats": sum(ss > 30 for *_, ss in read_satellites()),
            "hdop": 0.8,
            "age": 0.2,
        }

    def sky(self):
        shift = (time.time() - self.started) / 60
        return {
            "class": "SKY",
            "device": DEVICE,
            "time": utc(time.time()),
            "hdop": 0.8,
            "vdop": 1.3,
            "pdop": 1.5,
            "satellites": [
                {
                    "PRN": n,
                    "gnssid": system,
                    "svid": n,
                    "sigid": 0,
                    "el": el,
                    "az": (az + shift) % 360,
                    "ss": max(0, round(ss + 2 * math.sin(time.time() / 5 + n))),
                    "used": ss > 30,
                }
                for system, n, el, az, ss in read_satellites()
            ],
        }

    def device(self):
        return {
            "class": "DEVICE",
            "path": self.text(DEVICE),
            "driver": "NMEA0183",
            "activated": utc(self.started) if self.plugged else 0,
            "model": self.text("u-blox 7"),
            "bps": 9600,
        }

    def path(self):
        if self.network:
            return {
                "class": "PATH",
                "status": "satisfied",
                "interfaces": ["wlan0", "eth0"],
                "expensive": False,
                "constrained": False,
            }
        return {
            "class": "PATH",
            "status": "unsatisfied",
            "reason": "noCarrier",
            "interfaces": [],
            "expensive": False,
            "constrained": False,
        }

    def hour(self, at):
        local = at / 3600 + 1
        wave = math.sin((local % 24 - 9) / 24 * 2 * math.pi)
        rain = max(0, math.sin(at / 3600 / 7) - 0.35) * 3
        cold = -9 if self.night else 0
        condition = (
            ("snow" if rain else "clear")
            if self.night
            else "rain" if rain > 1 else "lightrain" if rain else "partlycloudy" if wave > 0 else "overcast"
        )
        return {
            "time": utc(at),
            "temperature": round(8.5 + 4 * wave + cold, 1),
            "precipitation": round(rain, 1),
            "precipitationProbability": round(min(95, 10 + rain * 30)),
            "windSpeed": round(6 + 3 * math.sin(at / 3600 / 9), 1),
            "windGust": round(9.5 + 4 * math.sin(at / 3600 / 9), 1),
            "windDirection": (230 + at / 3600 * 5) % 360,
            "condition": condition,
        }

    def days(self):
        midnight = time.time() // 86400 * 86400
        days = []
        for n in range(7):
            hours = [self.hour(midnight + n * 86400 + 3600 * h) for h in range(24)]
            days.append(
                {
                    "date": utc(midnight + n * 86400)[:10],
                    "min": min(h["temperature"] for h in hours) - n % 3,
                    "max": max(h["temperature"] for h in hours) + n % 2,
                    "condition": ["rain", "partlycloudy", "lightrainshowers", "clear", "thunderstorm", "fog", "snow"][
                        n
                    ],
                    "precipitation": round(sum(h["precipitation"] for h in hours), 1),
                    "precipitationProbability": [80, 10, 55, 0, 70, 5, 60][n],
                    "maxWindSpeed": max(h["windSpeed"] for h in hours),
                    "sunrise": utc(midnight + n * 86400 + 25800 + 90 * n),
                    "sunset": utc(midnight + n * 86400 + 54300 - 60 * n),
                }
            )
        return days

    def places(self):
        lat, lon = self.position(time.time())
        found = []
        for identifier, place_lat, place_lon, population, title in read_places():
            meters, direction = separation(lat, lon, place_lat, place_lon)
            found.append(
                {
                    "id": identifier,
                    "title": self.text(title),
                    "country": "DE",
                    "lat": place_lat,
                    "lon": place_lon,
                    "distance": round(meters, 1),
                    "bearing": round((direction + 180) % 360, 1),
                    "population": population,
                }
            )
        return {"class": "PLACES", "places": sorted(found, key=lambda place: place["distance"])}

    def weather(self):
        now = time.time()
        hour = self.hour(now)
        nearest = self.places()["places"][0]
        place = {key: nearest[key] for key in ("id", "title", "country", "distance", "bearing")}
        stale = {} if self.network else {"reason": "no network: no carrier", "retryAfter": 240}
        return {
            "class": "WEATHER",
            "time": utc(now),
            "place": place,
            "lat": 54.08,
            "lon": 10.84,
            "kind": "forecast" if self.network else "interpolated",
            "provider": self.text("openmeteo"),
            "issued": utc(now - 312),
            "age": 312,
            "distance": 640.0,
            "stale": not self.network,
            "temperature": hour["temperature"],
            "apparentTemperature": hour["temperature"] - 2.6,
            "dewPoint": hour["temperature"] - 3,
            "humidity": 81,
            "pressure": 1012.3,
            "pressureTendency": -1.2,
            "windSpeed": hour["windSpeed"],
            "windGust": hour["windGust"],
            "windDirection": 240,
            "precipitation": hour["precipitation"],
            "precipitationProbability": hour["precipitationProbability"],
            "cloudCover": 75,
            "visibility": 12000,
            "condition": self.text(hour["condition"]),
            "sunrise": self.days()[0]["sunrise"],
            "sunset": self.days()[0]["sunset"],
            "light": "day",
            "moon": "waxingGibbous",
            "moonIllumination": 93.2,
            "days": self.days(),
            "attribution": self.text("Weather data by Open-Meteo.com (CC BY 4.0)"),
            **stale,
        }

    def forecast(self):
        first = time.time() // 3600 * 3600
        return {
            "class": "FORECAST",
            "provider": "openmeteo",
            "issued": utc(time.time() - 312),
            "age": 312,
            "lat": 54.08,
            "lon": 10.84,
            "attribution": self.text("Weather data by Open-Meteo.com"),
            "licence": "CC BY 4.0",
            "hours": [self.hour(first + 3600 * n) for n in range(48)],
            "days": self.days(),
        }

    def track(self):
        now = time.time() // 10 * 10
        times = [now - 3600 + 10 * n for n in range(361)]
        return {"class": "TRACK", "points": [[t, *self.position(t)] for t in times]}

    def status(self):
        up = time.time() - self.started
        source = {
            "name": DEVICE,
            "state": "running",
            "bytes": int(up * 512),
            "sentences": int(up * 8),
            "badLines": 2,
            "lines": {
                "used": int(up * 8),
                "wrongChecksum": 2,
                "text": f"{int(up * 512)} bytes, {int(up * 8) + 2} lines: {int(up * 8)} used, 2 with a wrong checksum",
            },
            "messages": [
                {"source": DEVICE, "kind": "antenna", "antenna": "good", "age": 3, "message": "the receiver reports a good antenna"}
            ],
            "notices": [],
            "droppedEvents": 0,
            "errors": 0,
            "restarts": 0,
            "fixAge": round(time.time() - self.last_fix, 1),
        }
        if not self.plugged:
            source["notices"] = [f"{DEVICE}: unplugged; connect the receiver"]
        elif not self.fixed:
            source["noFix"] = {
                "text": "the receiver sees 4 satellites, 1 of them strong; give the antenna a view of the sky",
                "input": "valid",
                "seconds": 40,
            }
        plugins = [
            ("gate", "reachability", "running", 4211, 4211, 0, 0),
            ("stage", "place", "running", 4211, 4211, 0, 0),
            ("stage", "weather", "running", 4211, 12, 0, 1),
            ("sink", "jsonlines", "running", 4211, 4211, 0, 0),
            ("sink", "gpx", "running", 4211, 845, 0, 0),
            ("sink", "mqtt", "waiting", 4211, 3902, 14, 6),
        ]
        rows = [
            {
                "role": role,
                "name": name,
                "state": state,
                "errors": errors,
                "in": received,
                "out": sent,
                "dropped": dropped,
                "queue": 3 if name == "mqtt" else 0,
                "queueLimit": 64,
            }
            for role, name, state, received, sent, dropped, errors in plugins
        ]
        rows[-1] |= {
            "lastError": self.text("127.0.0.1:1883: connection refused; start the broker or correct `broker`"),
            "errorAge": 21.0,
            "reason": self.text("mqtt://127.0.0.1:1883: Connection refused"),
            "stateAge": 95.0,
            "oldestAge": 90.0,
        }
        daemon = {
            "release": "1.0.0",
            "source": {"state": "running"},
            "path": {k: v for k, v in self.path().items() if k in ("status", "reason")},
        }
        if self.access == "full":
            daemon |= {
                "uptime": round(up),
                "source": source,
                "plugins": rows,
                "lookups": {"asked": 13, "answered": 12, "failed": 1, "postponed": 0},
                "weather": {"provider": "openmeteo", "answerAge": 312.0},
                "locations": 4211,
                "held": 0,
                "errors": 7,
                "configuration": {"files": ["/etc/fixcast/fixcast.toml"], "age": round(up), "wrong": []},
                "servers": [
                    {
                        "name": "gpsd",
                        "listening": ["127.0.0.1:2947", "[::1]:2947"],
                        "failures": [],
                        "clients": 2,
                        "refused": 0,
                        "dropped": 0,
                    }
                ],
                "lostLogLines": 0,
                "lostAuditLines": 0,
            }
        return {
            "class": "STATUS",
            "version": 1,
            "mode": "enforced",
            "client": "web session 1, link created by root",
            "connections": 3,
            "refused": 0,
            "authorization": self.auth(),
            "daemon": daemon,
        }

    def authorization(self):
        extra = {"role": self.role}
        if self.role == "decide":
            extra["requests"] = self.requests
        return self.auth() | extra

    def add_request(self):
        self.request_count += 1
        client, purpose, kind = [
            ("user=pi unit=navigator.service", "to draw a map", "always"),
            ("user=anna", "to tag photos with the place", "whenInUse"),
            ("user=ben", "to find help", "temporaryFull"),
        ][(self.request_count - 1) % 3]
        self.requests = [
            *self.requests,
            {
                "id": f"r{self.request_count}",
                "client": self.text(client),
                "purpose": self.text(purpose),
                "request": kind,
                "since": utc(time.time()),
                "command": f"sudo fixcast auth allow {self.text(client.split()[0])} --for 2h",
            },
        ]

    # Events

    def first_events(self):
        yield self.auth()
        if self.role == "decide":
            yield {"class": "REQUESTS", "requests": self.requests}
        if self.access == "denied":
            return
        if self.plugged:
            yield self.device()
            yield self.tpv()
        if self.access == "full":
            yield self.sky()
        yield self.path()
        yield self.weather()

    def publish(self, event):
        with self.lock:
            for stream in self.streams:
                stream.put(event)

    def run(self):
        while True:
            time.sleep(1 - time.time() % 1)
            if self.hanging or self.withholding or self.access == "denied":
                continue
            if self.plugged and self.access == "full":
                self.publish(self.tpv())
                self.publish(self.sky())

    def incident(self, name):
        if name in ("plug", "unplug"):
            self.plugged = name == "plug"
            if not self.plugged:
                self.publish(
                    {
                        "class": "ERROR",
                        "error": "sourceLost",
                        "message": "the receiver is gone",
                        "source": DEVICE,
                        "reason": "deactivated",
                        "device": DEVICE,
                    }
                )
            self.publish(self.device())
        elif name in ("fix", "nofix"):
            self.fixed = name == "fix"
        elif name in ("network", "nonetwork"):
            self.network = name == "network"
            self.publish(self.path())
            self.publish(
                {
                    "class": "GATE",
                    "gate": "reachability",
                    "verdict": "passed" if self.network else "held",
                    **({} if self.network else {"reason": "noCarrier"}),
                    "held": 0 if self.network else 1,
                }
            )
            self.publish(self.weather())
        elif name in ("deny", "reduce", "full"):
            self.access = {"deny": "denied", "reduce": "reduced", "full": "full"}[name]
            for event in self.first_events():
                self.publish(event)
        elif name == "revoke":
            self.access = "denied"
        elif name == "withhold":
            self.withholding = True
            self.publish(self.weather() | {"issued": utc(time.time())})
        elif name in ("look", "decide"):
            self.role = name
            self.publish(self.auth())
        elif name == "request":
            self.add_request()
            self.publish({"class": "REQUESTS", "requests": self.requests})
        elif name in ("hang", "wake"):
            self.hanging = name == "hang"
        elif name == "drop":
            self.publish(None)
        elif name == "end":
            self.ended = True
            self.publish(None)
        elif name in ("hostile", "night"):
            setattr(self, name, True)
            self.publish(self.device())
            self.publish(self.weather())
        else:
            return False
        return True
