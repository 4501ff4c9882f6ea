# SPDX-License-Identifier: Apache-2.0
"""The simulated board of the soak test: its network, file systems, gpsd and daemon."""

import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time

from receiver import Drive, Receiver

HERE = os.path.dirname(os.path.abspath(__file__))
PROVIDER = ("192.0.2.2", 8080)
SET_PIPE_SIZE = 1031  # F_SETPIPE_SZ of fcntl(2)


def run(*words):
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Board:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.children = []
        self.daemon = None
        self.volume = self.path("volume")
        os.mkdir(self.volume)
        run("mount", "-t", "tmpfs", "-o", "size=2m", "none", self.volume)
        self.make_network()
        self.serve_weather()
        self.serial_receiver = Receiver(self.path("gps0"))
        self.gpsd_receiver = Receiver(self.path("gps1"))
        self.drive = Drive([self.serial_receiver, self.gpsd_receiver])
        self.drive.start()
        self.port = free_port()
        self.gpsd = None
        self.start_gpsd()
        self.is_reading = True

    def path(self, name):
        return os.path.join(self.folder, name)

    def start_child(self, words, **options):
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, **options)
        self.children.append(process)
        return process

    def kill_child(self, process):
        """Kills a process that the soak test has started."""
        process.kill()
        process.wait()
        if process in self.children:
            self.children.remove(process)

    # The network: a virtual cable to a namespace with the weather server.

    def make_network(self):
        run("ip", "link", "set", "lo", "up")
        self.peer = self.start_child(["unshare", "--net", "sleep", "infinity"])
        # Waits until the child has entered its namespace.
        here = os.readlink("/proc/self/ns/net")
        for _ in range(1000):
            if os.readlink(f"/proc/{self.peer.pid}/ns/net") != here:
                break
            time.sleep(0.01)
        run("ip", "link", "add", "cable", "type", "veth", "peer", "name", "far",
            "netns", str(self.peer.pid))
        self.run_in_namespace("ip", "link", "set", "lo", "up")
        self.run_in_namespace("ip", "address", "add", PROVIDER[0] + "/24", "dev", "far")
        self.run_in_namespace("ip", "link", "set", "far", "up")
        run("ip", "address", "add", "192.0.2.1/24", "dev", "cable")
        self.connect()

    def namespace_command(self):
        return ["nsenter", f"--net=/proc/{self.peer.pid}/ns/net"]

    def run_in_namespace(self, *words):
        run(*self.namespace_command(), *words)

    def connect(self):
        run("ip", "link", "set", "cable", "up")
        run("ip", "route", "replace", "default", "via", PROVIDER[0])

    def disconnect(self):
        run("ip", "link", "set", "cable", "down")

    def serve_weather(self):
        words = [sys.executable, "-B", os.path.join(HERE, "provider.py"), *map(str, PROVIDER)]
        self.provider = self.start_child(
            self.namespace_command() + words, stdout=subprocess.DEVNULL)

    def start_gpsd(self):
        environment = dict(os.environ, GPSD_SHM_KEY=hex(0x46500000 + self.port))
        self.gpsd = self.start_child(
            ["/usr/sbin/gpsd", "-N", "-n", "-S", str(self.port), self.path("gps1")],
            env=environment, stderr=subprocess.DEVNULL)

    # The daemon.

    def configuration(self):
        script = os.path.join(HERE, "crashing.sh")
        return f"""
[daemon]
socket = "{self.path('s')}"
state_directory = "{self.path('state')}"
[weather]
providers = ["openmeteo"]
[weather.openmeteo]
base_url = "http://{PROVIDER[0]}:{PROVIDER[1]}"
daily_limit_requests = 100000
[[source]]
type = "serial"
device = "{self.path('gps0')}"
[[source]]
type = "gpsd"
port = {self.port}
[[stage]]
type = "place"
[[stage]]
type = "weather"
min_seconds = 10
max_age_seconds = 60
[[sink]]
type = "jsonlines"
name = "witness"
file = "{self.path('witness.jsonl')}"
[[sink]]
type = "jsonlines"
name = "full"
file = "{self.volume}/full.jsonl"
limit_bytes = 0
[[sink]]
type = "jsonlines"
name = "blocked"
timeout_seconds = 3
[[sink]]
type = "exec"
name = "crashing"
command = ["/bin/sh", "{script}", "{self.path('crash')}"]
"""

    def configure(self, text):
        with open(self.path("config.toml.new"), "w") as file:
            file.write(text)
        os.replace(self.path("config.toml.new"), self.path("config.toml"))

    def reload(self):
        # The child process is the daemon itself, because the shell executes it with `exec`.
        self.daemon.send_signal(signal.SIGHUP)

    def environment(self):
        return dict(os.environ, FIXCAST_SOCKET=self.path("s"), FIXCAST_ROOT=self.path("root"))

    def start(self, preload):
        self.configure(self.configuration())
        self.set_clock(0)
        environment = self.environment()
        if preload:
            environment.update(
                LD_PRELOAD=preload, FAKETIME_TIMESTAMP_FILE=self.path("clock"),
                FAKETIME_CACHE_DURATION="1", FAKETIME_DONT_FAKE_MONOTONIC="1",
                DONT_FAKE_MONOTONIC="1", FAKETIME_DISABLE_SHM="1")
        reading, writing = os.pipe()
        fcntl.fcntl(writing, SET_PIPE_SIZE, 4096)
        self.log = open(self.path("log"), "wb")
        # libfaketime moves the environment of the first program, and Swift then does not find its
        # arguments. A shell is therefore the first program, and it executes the daemon.
        self.daemon = self.start_child(
            ["/bin/sh", "-c", 'exec "$0" "$@"', self.program, "run", "--config",
             self.path("config.toml")],
            env=environment, stdout=writing, stderr=self.log)
        os.close(writing)
        threading.Thread(target=self.read, args=(reading,), daemon=True).start()

    def read(self, descriptor):
        """Reads the daemon's standard output while is_reading is true."""
        while True:
            if not self.is_reading:
                time.sleep(0.1)
            elif not os.read(descriptor, 65536):
                return

    def set_clock(self, seconds):
        with open(self.path("clock.new"), "w") as file:
            file.write(f"{seconds:+d}\n")
        os.replace(self.path("clock.new"), self.path("clock"))

    def status(self):
        """Returns the result of `fixcast status --json`, or None and the error."""
        try:
            done = subprocess.run(
                [self.program, "status", "--json"], env=self.environment(), timeout=10,
                stdin=subprocess.DEVNULL, capture_output=True)
        except subprocess.TimeoutExpired:
            return None, "status took more than 10 s"
        if done.returncode != 0:
            return None, f"status ended with {done.returncode}: {done.stderr.decode()}"
        return json.loads(done.stdout)["daemon"], None

    def resource_usage(self):
        """Returns memory in kB, threads and descriptors of the daemon."""
        with open(f"/proc/{self.daemon.pid}/status") as file:
            fields = dict(line.split(":", 1) for line in file)
        return (int(fields["VmRSS"].split()[0]), int(fields["Threads"]),
                len(os.listdir(f"/proc/{self.daemon.pid}/fd")))

    def stop(self):
        """Stops the daemon with SIGTERM; returns the exit status, or None if none within 20 s."""
        self.daemon.send_signal(signal.SIGTERM)
        try:
            return self.daemon.wait(20)
        except subprocess.TimeoutExpired:
            return None

    def close(self):
        self.drive.ended.set()
        for process in list(self.children):
            self.kill_child(process)
        subprocess.run(["umount", "--lazy", self.volume], check=False)
