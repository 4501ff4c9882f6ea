# SPDX-License-Identifier: Apache-2.0
"""Runs Home Assistant, mosquitto and the daemon with a simulated receiver, and checks the entities.

usage: test_home_assistant.py HASS PROGRAM
"""
import json
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / ".ci"))
sys.dont_write_bytecode = True
import board  # noqa: E402

CLIENT = "http://127.0.0.1/"
CONFIGURATION = """
homeassistant: {{name: t, latitude: 5.6, longitude: -0.20576, elevation: 60, unit_system: metric, time_zone: UTC}}
http: {{server_host: 127.0.0.1, server_port: {port}}}
api:
logger: {{default: warning}}
"""


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def weather(handler):
    """Answers with the weather of the requested latitude: 11 °C in the south, 19 °C in the north."""
    latitude = board.first_number(r"latitude=([\d.]+)", handler.path)
    text = json.dumps(ORIGINAL(handler)).replace("27.4", "11.0" if latitude < 5.7 else "19.0")
    return {**json.loads(text), "latitude": latitude}


class Receiver(board.Receiver):
    """A receiver that loses its fix while `has_fix` is false, as indoors."""

    has_fix = True

    def epoch(self, seconds):
        if self.has_fix:
            return super().epoch(seconds)
        clock = time.gmtime(seconds)
        at = time.strftime("%H%M%S", clock) + ".00"
        return "".join(map(board.sentence, [
            f"GNRMC,{at},V,,,,,,,{time.strftime('%d%m%y', clock)},,,N", "GNVTG,,,,,,,,,N",
            f"GNGGA,{at},,,,,0,00,99.99,,,,,,", "GNGSA,A,1,,,,,,,,,,,,,99.99,99.99,99.99",
            f"GNGLL,,,,,{at},V,N"])).encode()


ORIGINAL, board.WeatherHandler.weather = board.WeatherHandler.weather, weather


class HomeAssistant:
    def __init__(self, program, folder, broker_port):
        self.folder, self.port, self.program = pathlib.Path(folder), free_port(), program
        self.token = None
        (self.folder / ".storage").mkdir(parents=True)
        (self.folder / "configuration.yaml").write_text(CONFIGURATION.format(port=self.port))
        entry = {"created_at": "2025-01-01T00:00:00+00:00", "modified_at": "2025-01-01T00:00:00+00:00",
                 "data": {"broker": "127.0.0.1", "port": broker_port, "discovery": True},
                 "disabled_by": None, "discovery_keys": {}, "domain": "mqtt",
                 "entry_id": "01JTESTMQTT0000000000000000", "minor_version": 2, "options": {},
                 "pref_disable_new_entities": False, "pref_disable_polling": False, "source": "user",
                 "subentries": [], "title": "m", "unique_id": None, "version": 1}
        (self.folder / ".storage/core.config_entries").write_text(json.dumps(
            {"version": 1, "minor_version": 5, "key": "core.config_entries",
             "data": {"entries": [entry]}}))
        self.start()

    def start(self):
        self.log = open(self.folder / "output", "ab")
        self.process = subprocess.Popen([self.program, "-c", str(self.folder), "--skip-pip"],
                                        stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def request(self, path, body=None, form=False):
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        if body is not None:
            headers["Content-Type"] = ("application/x-www-form-urlencoded" if form
                                       else "application/json")
            body = (urllib.parse.urlencode(body) if form else json.dumps(body)).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", body, headers)
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)

    def log_in(self):
        """Creates the first user, when Home Assistant answers."""
        user = {"client_id": CLIENT, "name": "t", "username": "t", "password": "t", "language": "en"}
        code = wait_until("Home Assistant has started",
                          lambda: self.request("/api/onboarding/users", user), 120)["auth_code"]
        form = {"client_id": CLIENT, "grant_type": "authorization_code", "code": code}
        self.token = self.request("/auth/token", form, form=True)["access_token"]

    def entities(self):
        return {one["entity_id"]: one for one in self.request("/api/states")
                if "van" in one["entity_id"]}


def wait_until(statement, condition, seconds=30):
    """Waits until a condition holds, prints the statement, and returns the condition's value."""
    end, last = time.monotonic() + seconds, None
    while time.monotonic() < end:
        try:
            last = condition()
            if last:
                print(f"ok      {statement}", flush=True)
                return last
        except (urllib.error.URLError, OSError, KeyError, ValueError) as error:
            last = error
        time.sleep(0.2)
    raise AssertionError(f"{statement}: {last}")


def check(home, daemon, receiver, configuration, subscribe, publish):
    def state(entity, platform="sensor"):
        return home.entities()[f"{platform}.van_{entity}" if entity else f"{platform}.van"]

    def shows(entity, text, platform="sensor"):
        return lambda: state(entity, platform)["state"] == text

    def number(entity, low, high):
        return lambda: low <= float(state(entity)["state"]) <= high

    tracker = ("", "home", "device_tracker")
    wait_until("the tracker is at home", shows(*tracker))
    attributes = state("", "device_tracker")["attributes"]
    assert all(isinstance(attributes[key], float) for key in ("latitude", "longitude")), attributes
    assert abs(attributes["latitude"] - 5.6) < 0.001, attributes
    wait_until("the receiver is connected", shows("receiver", "on", "binary_sensor"))
    wait_until("the fix is 3D", shows("fix", "3D"))
    wait_until("the speed is 0", number("speed", 0, 0.1))
    wait_until("the temperature is the provider's", number("temperature", 10.9, 11.1))
    condition = wait_until("provider and age are attributes of the condition",
                           lambda: "age" in state("condition")["attributes"] and state("condition"))
    assert condition["attributes"]["provider"] == "openmeteo", condition
    count = len(home.entities())
    assert count == 14, sorted(home.entities())
    print(f"ok      {count} entities", flush=True)

    # 50 km to the north.
    receiver.epochs, receiver.speed = 50_000_000, 0.001
    wait_until("the tracker leaves home when the board moves",
               shows("", "not_home", "device_tracker"))
    wait_until("the weather follows the board", number("temperature", 18.9, 19.1), 180)
    moved = state("condition")["attributes"]
    assert moved["lat"] > 5.7, moved

    home.stop()
    messages = subscribe()
    home.start()
    wait_until("the states are published again after Home Assistant's start",
               lambda: "fixcast/van/availability online" in messages(), 90)
    wait_until("all entities are back",
               lambda: len([1 for one in home.entities().values()
                            if one["state"] != "unavailable"]) == 14, 60)

    receiver.has_fix = False
    wait_until("the tracker is unknown without a fix", shows("", "unknown", "device_tracker"))
    wait_until("the fix is none", shows("fix", "none"))
    wait_until("the speed is unknown without a fix", shows("speed", "unknown"))
    assert "latitude" not in state("", "device_tracker")["attributes"]
    assert state("receiver", "binary_sensor")["state"] == "on"
    receiver.has_fix = True
    wait_until("the tracker is back with the fix", shows("", "not_home", "device_tracker"))

    daemon.reload(configuration + 'classes = ["TPV", "DEVICE"]\n')
    wait_until("the entities of the weather are removed with its class",
               lambda: "sensor.van_temperature" not in home.entities()
               and "sensor.van_condition" not in home.entities())
    assert len(home.entities()) == 9, sorted(home.entities())

    daemon.reload(configuration.replace("homeassistant = true", "homeassistant = false"))
    daemon.wait_for("connected to mqtt://", times=3)
    publish("homeassistant/device/fixcast_van/config")
    wait_until("the device is removed by an empty message", lambda: not home.entities())
    daemon.reload(configuration)
    wait_until("the device is back", lambda: len(home.entities()) == 14)
    wait_until("the tracker is back", shows("", "not_home", "device_tracker"))

    receiver.stop()
    wait_until("the receiver is off after it was unplugged",
               shows("receiver", "off", "binary_sensor"))
    wait_until("the tracker is unknown without a receiver",
               shows("", "unknown", "device_tracker"))
    assert "latitude" not in state("", "device_tracker")["attributes"]
    assert daemon.stop() == 0
    wait_until("all entities are unavailable after the stop of the daemon",
               lambda: all(one["state"] == "unavailable" for one in home.entities().values()))


def main():
    hass, program = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        file = pathlib.Path(folder, "mosquitto.conf")
        file.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\nuser root\n")
        broker = subprocess.Popen(["mosquitto", "-c", str(file)], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        receiver, provider = Receiver(1, 0.0), board.Provider()
        receiver.start()
        started, subscribers = [], []

        def subscribe():
            """Returns a function that returns the messages since now."""
            output = open(f"{folder}/messages", "w+b")
            subscribers.append(subprocess.Popen(
                ["mosquitto_sub", "-p", str(port), "-R", "-v", "-t", "fixcast/#"],
                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.DEVNULL))
            return pathlib.Path(folder, "messages").read_text

        def publish(topic):
            """Publishes an empty retained message."""
            subprocess.run(["mosquitto_pub", "-p", str(port), "-r", "-n", "-t", topic], check=True)

        try:
            sink = (f'[[sink]]\ntype = "mqtt"\nbroker = "mqtt://127.0.0.1:{port}"\nboard = "van"\n'
                    'homeassistant = true\ninterval_seconds = 1\nrest_interval_seconds = 5\n')
            wait_until("mosquitto listens",
                       lambda: not socket.create_connection(("127.0.0.1", port)).close())
            configuration = (board.serial(receiver.devnode) + board.weather(provider.url()) + sink)
            daemon = board.Daemon(program, f"{folder}/board", configuration)
            started.append(daemon)
            daemon.wait_for("connected to mqtt://")
            home = HomeAssistant(hass, f"{folder}/home", port)
            started.append(home)
            home.log_in()
            check(home, daemon, receiver, configuration, subscribe, publish)
            log = pathlib.Path(folder, "home/home-assistant.log").read_text(errors="replace")
            lines = [line for line in log.splitlines() if re.search("mqtt", line, re.IGNORECASE)]
            assert not lines, lines
            print("ok      Home Assistant logged no warning about MQTT", flush=True)
        finally:
            for one in started:
                one.stop()
            for process in [broker, *subscribers]:
                process.terminate()
                process.wait()


if __name__ == "__main__":
    main()
