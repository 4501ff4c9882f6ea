# SPDX-License-Identifier: Apache-2.0
"""The daemon with a simulated receiver, a weather provider and a network, for tests of the status page.

A test that uses this module calls `enter_network_namespace` first, which needs root. The daemon, the
provider and Chromium then run in a network namespace without the internet.
"""

import contextlib
import json
import math
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / ".ci"))
import board  # noqa: E402

PROGRAM = pathlib.Path(os.environ.get("FIXCAST_PROGRAM", REPOSITORY / ".build/debug/fixcast")).resolve()
PORT = 8080
URL = f"http://127.0.0.1:{PORT}"
# The user `nobody`, who has no rule.
NOBODY = 65534
AS_NOBODY = ("/usr/bin/setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
# Talker: system of GSA sentences; number, elevation, azimuth and signal of each satellite.
SATELLITES = {
    "GP": (1, "02,42,071,38 05,29,310,35 12,61,149,44 13,15,209,30 15,33,184,39 18,08,021,28 24,52,104,41 "
              "29,48,238,40"),
    "GL": (2, "65,35,045,36 66,68,010,41 72,22,120,31 81,12,330,24"),
    "GA": (3, "03,55,200,42 05,31,088,37 09,18,155,29 15,64,300,43"),
}

STREAM = """
import socket, sys
connection = socket.socket(socket.AF_UNIX)
connection.connect(sys.argv[1])
connection.sendall(f"GET {sys.argv[2]} HTTP/1.1\\r\\nHost: fixcast\\r\\n\\r\\n".encode())
for line in connection.makefile():
    print(line, end="", flush=True)
"""


def ip(line):
    subprocess.run(["ip", *line.split()], check=True)


def enter_network_namespace():
    """Runs the script again in a network namespace with a default route; ends it if that is not permitted."""
    if os.environ.get("FIXCAST_TEST_NAMESPACE") == str(os.getppid()):
        ip("link set lo up")
        ip("link add wan0 type veth peer name isp0")
        ip("addr add 198.51.100.2/24 dev wan0")
        for name in ("wan0", "isp0"):
            ip(f"link set {name} up")
        return connect()
    probe = subprocess.run(["unshare", "--net", "ip", "link", "set", "lo", "up"], check=False)
    if probe.returncode:
        reason = f"{sys.argv[0]}: needs root and network namespaces"
        sys.exit(reason) if os.environ.get("CI") else sys.exit(print(f"{reason}; skipped"))
    environment = {**os.environ, "FIXCAST_TEST_NAMESPACE": str(os.getpid())}
    words = ["unshare", "--net", sys.executable, "-B", *sys.argv]
    sys.exit(subprocess.run(words, env=environment, check=False).returncode)


def connect():
    ip("route replace default via 198.51.100.1 dev wan0")


def disconnect():
    ip("route del default")


class Receiver(board.Receiver):
    """Sends what its simulator says. The base class has the pseudo-terminal and the thread."""

    def __init__(self, simulator, hertz):
        super().__init__(hertz)
        self.simulator = simulator

    def epoch(self, seconds):
        return self.simulator.epoch(seconds)


class Simulator:
    """A receiver that a test moves, covers, unplugs and plugs in again."""

    def __init__(self, link, hertz=4):
        self.link, self.hertz = pathlib.Path(link), hertz
        self.lat, self.lon = 54.0781, 10.8453
        self.has_fix = True
        self.speed, self.course = 0.0, 0.0
        # The talkers of satellites that are in view but not used.
        self.unused = set()
        self.texts = []
        self.sent = threading.Condition()
        self.count = 0
        self.receiver = None

    def plug(self):
        self.receiver = Receiver(self, self.hertz)
        new = self.link.with_name("new-link")
        new.symlink_to(self.receiver.devnode)
        new.rename(self.link)
        self.receiver.start()

    def unplug(self):
        if self.receiver:
            self.link.unlink()
            self.receiver.stop()
        self.receiver = None

    def wait_for_epochs(self, count):
        """Waits until the receiver has sent so many more epochs."""
        with self.sent:
            end = self.count + count
            if not self.sent.wait_for(lambda: self.count >= end, board.HANG_SECONDS):
                raise AssertionError("the simulated receiver does not send")

    def epoch(self, seconds):
        meters = self.speed / self.hertz
        self.lat += meters * math.cos(math.radians(self.course)) / 111_195
        self.lon += meters * math.sin(math.radians(self.course)) / 111_195 / math.cos(math.radians(self.lat))
        with self.sent:
            self.count += 1
            self.sent.notify_all()
        return "".join(map(board.sentence, self.bodies(time.gmtime(seconds), seconds % 1))).encode()

    def bodies(self, clock, fraction):
        at, date = time.strftime("%H%M%S", clock) + f".{round(fraction * 100):02d}", time.strftime("%d%m%y", clock)
        place = ",".join((*angle(self.lat, 2, "NS"), *angle(self.lon, 3, "EW"))) if self.has_fix else ",,,"
        valid, mode = ("A", "A") if self.has_fix else ("V", "N")
        count = 0
        yield f"GNRMC,{at},{valid},{place},{self.speed / 0.514444:.3f},{self.course:.2f},{date},,,{mode}"
        for talker, (system, text) in SATELLITES.items():
            satellites = text.split()
            used = [one[:2] for one in satellites] if self.has_fix and talker not in self.unused else []
            count += len(used)
            yield f"GNGSA,A,{3 if self.has_fix else 1},{','.join((used + [''] * 12)[:12])},1.50,0.80,1.27,{system}"
            pages = [satellites[n:n + 4] for n in range(0, len(satellites), 4)]
            for number, page in enumerate(pages, 1):
                yield f"{talker}GSV,{len(pages)},{number},{len(satellites):02d},{','.join(page)},0"
        yield f"GNGGA,{at},{place},{int(self.has_fix)},{count:02d},0.80,2.4,M,41.7,M,,"
        for text in self.texts:
            yield f"GNTXT,01,01,02,{text}"
        yield f"GNGLL,{place},{at},{valid},{mode}"


def angle(value, digits, letters):
    size = abs(value)
    degrees = int(size + 1e-9)
    return f"{degrees:0{digits}d}{(size - degrees) * 60:08.5f}", letters[value < 0]


class Provider(board.Provider):
    """A weather provider that answers after `release`, or with an error that contains `error`."""

    def __init__(self):
        self.released = threading.Event()
        self.answered_at = None
        self.error = None
        super().__init__()
        self.RequestHandlerClass = WeatherHandler


class WeatherHandler(board.WeatherHandler):
    def do_GET(self):
        self.server.released.wait(board.HANG_SECONDS)
        self.server.answered_at = time.monotonic()
        if not self.server.error:
            return super().do_GET()
        body = json.dumps({"error": True, "reason": self.server.error}).encode()
        self.send_response(400)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def weather(self):
        weather = super().weather()
        weather["current"].update(temperature_2m=8.4, apparent_temperature=5.1, dew_point_2m=5.5)
        hourly = weather["hourly"]
        for index, at in enumerate(hourly["time"]):
            wave, rain = math.sin((at / 3600 - 8) / 12 * math.pi), math.sin(at / 3600 / 7) - 0.3
            hourly["temperature_2m"][index] = round(7.5 + 3 * wave, 1)
            hourly["precipitation"][index] = round(max(0, rain * 2), 1)
            hourly["weather_code"][index] = 61 if rain > 0 else 2
            hourly["wind_speed_10m"][index] = round(6 + 3 * math.sin(at / 3600 / 9), 1)
            hourly["wind_gusts_10m"][index] = round(9.5 + 4 * math.sin(at / 3600 / 9), 1)
        midnights = weather["daily"]["time"]
        weather["daily"].update(
            sunrise=[at + 25_500 for at in midnights], sunset=[at + 54_100 for at in midnights],
            temperature_2m_max=[10.5, 9.2, 8.1, 8.8, 9.9, 7.0, 6.4],
            temperature_2m_min=[4.5, 5.0, 3.2, 2.9, 4.8, 3.1, 1.5])
        return weather


class Tunnel(threading.Thread):
    """Forwards a TCP port to the daemon's Unix socket, as `ssh -L` of root does."""

    def __init__(self, path):
        super().__init__(daemon=True)
        self.path = str(path)
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.start()

    def run(self):
        while True:
            client, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        with client, socket.socket(socket.AF_UNIX) as daemon:
            try:
                daemon.connect(self.path)
            except OSError:
                return
            back = threading.Thread(target=self.copy, args=(daemon, client), daemon=True)
            back.start()
            self.copy(client, daemon)
            back.join()

    @staticmethod
    def copy(source, target):
        try:
            while data := source.recv(65536):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            for end in (source, target):
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)


class RealBoard:
    """The daemon and all that surrounds it, in a temporary folder."""

    def __init__(self, receiver="receiver", hertz=4, has_weather=True, error=None):
        self.temporary = tempfile.TemporaryDirectory(prefix="fixcast-")
        self.folder = pathlib.Path(self.temporary.name)
        self.provider = Provider()
        self.provider.error = error
        if has_weather:
            self.provider.released.set()
        self.simulator = Simulator(self.folder / receiver, hertz)
        self.simulator.plug()
        self.configuration = (
            f'[web]\nlisten = "127.0.0.1:{PORT}"\n'
            + board.serial(str(self.simulator.link).replace('"', '\\"')) + board.weather(self.provider.url()))
        self.daemon = None
        self.start()

    def start(self):
        self.daemon = board.Daemon(PROGRAM, self.folder, self.configuration)
        self.daemon.wait_for("serving on")

    def link(self):
        """Returns the link of `fixcast web` for root, who decides."""
        return self.linked(self.daemon.run("web", "--json"))

    def link_of_nobody(self):
        """Returns the link of `fixcast web` for the user `nobody`, who may only look."""
        return self.linked(self.run_as_nobody("web", "--json"))

    @staticmethod
    def linked(result):
        output, code = result
        if code:
            raise AssertionError(f"fixcast web: exit code {code}: {output}")
        return json.loads(output)["url"]

    def run_as_nobody(self, *words):
        done = subprocess.run([*AS_NOBODY, str(PROGRAM), *words], env=self.daemon.environment, timeout=board.HANG_SECONDS,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False)
        return done.stdout, done.returncode

    def start_as_nobody(self, *words):
        return subprocess.Popen([*AS_NOBODY, *map(str, words)], env=self.daemon.environment,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def start_stream_of_nobody(self, purpose):
        """Starts a program that prints its event stream."""
        target = "/v1/events?purpose=" + urllib.parse.quote(purpose)
        return self.start_as_nobody(sys.executable, "-c", STREAM, self.folder / "socket", target)

    def auth(self, *words):
        """Runs `fixcast auth` as root."""
        output, code = self.daemon.run("auth", *words)
        if code:
            raise AssertionError(f"fixcast auth {' '.join(words)}: exit code {code}: {output}")
        return output

    def stop_daemon(self):
        try:
            self.daemon.stop()
        finally:
            self.daemon.log.close()

    def stop(self):
        self.provider.released.set()
        try:
            self.stop_daemon()
        finally:
            self.simulator.unplug()
            self.provider.shutdown()
            self.provider.server_close()
            self.temporary.cleanup()
