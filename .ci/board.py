# SPDX-License-Identifier: Apache-2.0
"""A simulated board for tests: a receiver on a pseudo-terminal, a weather provider, the daemon."""
import http.server
import json
import math
import os
import pathlib
import pty
import re
import signal
import ssl
import subprocess
import threading
import time
import tty

# The time after which a condition counts as never met, also on a busy machine.
HANG_SECONDS = 600


def sentence(body):
    checksum = 0
    for byte in body.encode():
        checksum ^= byte
    return f"${body}*{checksum:02X}\r\n"


def epoch(seconds, meters, speed):
    """Returns the sentences of a receiver that has moved some metres north, at a speed in metres per second."""
    clock = time.gmtime(seconds)
    at = time.strftime("%H%M%S", clock) + f".{int(round(seconds % 1 * 100)):02d}"
    minutes = 5.6 * 60 + meters / 1852
    place = f"{int(minutes // 60):02d}{minutes % 60:08.5f},N,00012.34567,W"
    knots = speed / 0.514444
    return "".join(map(sentence, [
        f"GNRMC,{at},A,{place},{knots:.3f},0.00,{time.strftime('%d%m%y', clock)},,,A",
        f"GNVTG,0.00,T,,M,{knots:.3f},N,{speed * 3.6:.3f},K,A",
        f"GNGGA,{at},{place},1,12,0.80,61.7,M,23.3,M,,",
        "GNGSA,A,3,02,05,12,13,15,18,20,24,25,29,30,32,1.50,0.80,1.27",
        "GPGSV,3,1,12,02,42,071,38,05,29,310,35,12,61,149,44,13,15,209,30",
        "GPGSV,3,2,12,15,33,184,39,18,08,021,28,20,19,277,33,24,52,104,41",
        "GPGSV,3,3,12,25,74,332,45,29,48,238,40,30,05,065,26,32,11,141,31",
        f"GNGLL,{place},{at},A,A"])).encode()


class Receiver(threading.Thread):
    """Simulates a u-blox receiver with its default output: eight sentences per epoch, in one write.

    The receiver moves north from the coast of Ghana fast enough to reach the next weather cell within a test.
    """

    def __init__(self, hertz, meters_per_second=30.0):
        super().__init__(daemon=True)
        self.hertz, self.speed = hertz, meters_per_second
        self.master, self.slave = pty.openpty()
        tty.setraw(self.slave)
        os.set_blocking(self.master, False)
        self.devnode = os.ttyname(self.slave)
        self.epochs = 0
        self.stopped = threading.Event()

    def epoch(self, seconds):
        return epoch(seconds, self.epochs / self.hertz * self.speed, self.speed)

    def run(self):
        interval = 1 / self.hertz
        # Epochs are aligned to the second, like those of a real receiver.
        due = math.ceil(time.time())
        while not self.stopped.wait(max(0, due - time.time())):
            try:
                os.write(self.master, self.epoch(due))
            except BlockingIOError:
                pass  # No program reads the port. A real receiver drops the data too.
            self.epochs += 1
            due = math.ceil(time.time()) if due < time.time() - 1 else round(due + interval, 3)

    def stop(self):
        self.stopped.set()
        self.join()
        os.close(self.slave)
        os.close(self.master)


class Provider(http.server.ThreadingHTTPServer):
    """A weather server that implements Open-Meteo's protocol, over TLS if it has a certificate."""

    daemon_threads = True

    def __init__(self, address=("127.0.0.1", 0), certificate=None):
        self.request_paths = []
        super().__init__(address, WeatherHandler)
        self.scheme = "http"
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            self.socket = context.wrap_socket(self.socket, server_side=True)
            self.scheme = "https"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def url(self, host="127.0.0.1"):
        return f"{self.scheme}://{host}:{self.server_address[1]}"

    def note_request(self, path):
        self.request_paths.append(path)

    def handle_error(self, request, client_address):
        pass  # A client that disconnects is not an error.


class WeatherHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.server.note_request(self.path)
        body = json.dumps(self.weather()).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def weather(self):
        hour = int(time.time()) // 3600 * 3600
        day = hour // 86400 * 86400
        hours, days = range(168), range(7)
        now = {"temperature_2m": 27.4, "apparent_temperature": 31.0, "dew_point_2m": 24.1,
               "relative_humidity_2m": 82, "precipitation": 0.2, "weather_code": 61,
               "cloud_cover": 75, "pressure_msl": 1011.2, "wind_speed_10m": 4.2,
               "wind_gusts_10m": 7.9, "wind_direction_10m": 215, "visibility": 12000}
        units = {"time": "unixtime", "temperature_2m": "°C", "wind_speed_10m": "m/s",
                 "precipitation": "mm", "temperature_2m_max": "°C", "precipitation_sum": "mm"}
        return {
            "latitude": 5.625, "longitude": -0.1875, "utc_offset_seconds": 0, "timezone": "GMT",
            "current_units": units, "hourly_units": units, "daily_units": units,
            "current": {"time": int(time.time()) // 900 * 900, "interval": 900, **now},
            "hourly": {"time": [hour + 3600 * n for n in hours],
                       **{key: [value for _ in hours] for key, value in now.items()}},
            "daily": {"time": [day + 86400 * n for n in days], "weather_code": [61 for _ in days],
                      "temperature_2m_max": [31.0 for _ in days],
                      "temperature_2m_min": [24.5 for _ in days],
                      "precipitation_sum": [3.1 for _ in days],
                      "sunrise": [day + 86400 * n + 21300 for n in days],
                      "sunset": [day + 86400 * n + 64100 for n in days]}}

    def log_message(self, *_):
        pass


class Daemon:
    """A process of `fixcast run` with its own folder. The method `run` runs a command with it.

    Without a user, the daemon runs as the user of the test.
    """

    def __init__(self, program, folder, configuration, user=None):
        self.program, self.folder = str(program), pathlib.Path(folder)
        self.folder.mkdir(exist_ok=True)
        self.folder.chmod(0o755)
        self.environment = {"PATH": os.environ["PATH"], "FIXCAST_SOCKET": f"{folder}/socket",
                            "FIXCAST_ROOT": f"{folder}/root",
                            "FIXCAST_STATE_DIRECTORY": f"{folder}/root/var/lib/fixcast"}
        self.configure(configuration)
        self.log = open(f"{folder}/log", "w+b")
        self.process = subprocess.Popen(
            [self.program, "run", "--config", f"{folder}/config.toml"], stdin=subprocess.DEVNULL,
            stdout=self.log, stderr=self.log, env=self.environment, user=user, group=user,
            extra_groups=None if user is None else [])

    def configure(self, text):
        head = (f'[daemon]\nsocket = "{self.folder}/socket"\n'
                f'state_directory = "{self.folder}/root/var/lib/fixcast"\n')
        new = self.folder / "config.new"
        new.write_text(head + text)
        new.rename(self.folder / "config.toml")

    def reload(self, text):
        """Replaces the configuration and sends SIGHUP, as `systemctl reload` does."""
        self.configure(text)
        self.process.send_signal(signal.SIGHUP)

    def log_text(self):
        return (self.folder / "log").read_text(errors="replace")

    def wait_for(self, text, times=1):
        """Waits until the log contains a text at least `times` times."""
        end = time.monotonic() + HANG_SECONDS
        while self.log_text().count(text) < times:
            if self.process.poll() is not None:
                raise AssertionError(f"the daemon exited with {self.process.returncode}: "
                                     f"{self.log_text()}")
            if time.monotonic() > end:
                raise AssertionError(f"'{text}' is not in the log after {HANG_SECONDS} s: "
                                     f"{self.log_text()}")
            time.sleep(0.05)

    def run(self, *words):
        """Runs a command of the program and returns its output and its exit code."""
        done = subprocess.run([self.program, *words], env=self.environment, timeout=HANG_SECONDS,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        return done.stdout, done.returncode

    def stop(self):
        """Stops the daemon with SIGTERM, as systemd does, and returns its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(HANG_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"the daemon did not stop in {HANG_SECONDS} s: "
                                 f"{self.log_text()}") from None


def weather(url):
    """Returns the configuration of a provider at a URL."""
    return f'[weather]\nproviders = ["openmeteo"]\n[weather.openmeteo]\nbase_url = "{url}"\n'


def serial(devnode):
    """Returns the configuration of a serial receiver."""
    return f'[[source]]\ntype = "serial"\ndevice = "{devnode}"\n'


def first_number(pattern, text):
    """Returns the number in the first match of a pattern."""
    found = re.search(pattern, text)
    if not found:
        raise AssertionError(f"{pattern} does not match: {text}")
    return float(found[1])
