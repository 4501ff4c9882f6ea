#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the resource usage of the daemon: size of the stripped program, memory, processor time
and wakeups. The daemon runs without a receiver, with a receiver at 1 Hz, with a receiver at 10 Hz,
and with a receiver at 1 Hz and 32 clients of its gpsd server; weather is enabled.

The simulated provider implements Open-Meteo's protocol on loopback. It uses TLS if possible (as
root, with openssl), because certificates and keys need memory, too. A wakeup is a voluntary context
switch of any thread, as counted in /proc/PID/task/*/status.

usage: footprint.py PROGRAM [--seconds N] [--strict]    (--strict: fail if a goal is missed)
"""
import argparse
import os
import pathlib
import selectors
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / ".ci"))
import board  # noqa: E402

# Maximum size and memory in MB, processor time in per cent of a core, and wakeups per second.
GOALS = {"size": 36.0, "memory": 32.0, "processor": 1.0, "wakeups": 15.0}
BUNDLE = "/etc/ssl/certs/ca-certificates.crt"
# The time before each measurement, for the first fix, the first lookup and closing connections.
SETTLE_SECONDS = 20


class Table:
    def __init__(self):
        self.missed = []
        print(f"{'':<46} {'figure':>9} {'goal':>7}", flush=True)

    def row(self, title, figure, unit, goal=None):
        verdict = ""
        if goal is not None:
            is_met = figure <= goal
            verdict = f"{goal:>5g} {'met' if is_met else 'MISSED'}"
            if not is_met:
                self.missed.append(title)
        print(f"{title:<46} {figure:>7.2f} {unit:<3} {verdict}", flush=True)


class Process:
    """The kernel's figures for a process."""

    def __init__(self, number):
        self.folder = pathlib.Path(f"/proc/{number}")

    def megabytes(self, file, key):
        kilobytes = board.first_number(rf"(?m)^{key}:\s+(\d+) kB", (self.folder / file).read_text())
        return kilobytes * 1024 / 1e6

    def seconds(self):
        fields = (self.folder / "stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def switches(self):
        counts = {}
        for task in (self.folder / "task").iterdir():
            try:
                text = (task / "status").read_text()
            except FileNotFoundError:
                continue  # The thread has ended.
            counts[task.name] = board.first_number(r"\nvoluntary_ctxt_switches:\s+(\d+)", text)
        return counts


class GPSDClients(threading.Thread):
    """Connected clients of the daemon's gpsd server; they read what the server sends."""

    def __init__(self, port, count):
        super().__init__(daemon=True)
        self.selector = selectors.DefaultSelector()
        self.positions = {}
        self.stopped = threading.Event()
        for _ in range(count):
            client = socket.create_connection(("127.0.0.1", port), timeout=10)
            client.sendall(b'?WATCH={"enable":true,"json":true};')
            self.selector.register(client, selectors.EVENT_READ)
            self.positions[client] = 0

    def run(self):
        while not self.stopped.is_set():
            for key, _ in self.selector.select(0.2):
                data = key.fileobj.recv(65536)
                self.positions[key.fileobj] += data.count(b'"lat":')
                if not data:
                    self.selector.unregister(key.fileobj)

    def stop(self):
        """Closes the connections and returns the smallest number of positions of a client."""
        self.stopped.set()
        self.join()
        for client in self.positions:
            client.close()
        return min(self.positions.values())


def usage(process, seconds):
    """Returns processor time in per cent and wakeups per second over a number of seconds.

    The wakeups of a thread that ends during this time are not counted.
    """
    began, spent, before = time.monotonic(), process.seconds(), process.switches()
    time.sleep(seconds)
    after = process.switches()
    elapsed = time.monotonic() - began
    wakeups = sum(count - before.get(task, 0) for task, count in after.items())
    return (process.seconds() - spent) / elapsed * 100, wakeups / elapsed


def certificate(folder):
    """Makes a certificate for localhost that child processes trust; None if that is not possible.

    The certificate bundle is replaced by a bind mount that only this process and its children see.
    """
    if os.geteuid() != 0 or not os.path.exists(BUNDLE):
        return None
    made = subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
         "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-addext",
         "basicConstraints=critical,CA:true", "-keyout", f"{folder}/key", "-out", f"{folder}/cert"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    if made.returncode != 0:
        return None
    bundle = pathlib.Path(folder, "bundle")
    bundle.write_bytes(pathlib.Path(BUNDLE).read_bytes() + pathlib.Path(folder, "cert").read_bytes())
    subprocess.run(["mount", "--bind", bundle, BUNDLE], check=True)
    return f"{folder}/cert", f"{folder}/key"


def measure(table, program, folder, provider, hertz, seconds, client_count=0):
    """Measures one run of the daemon, with or without a receiver and clients."""
    receiver = board.Receiver(hertz) if hertz else None
    host = "localhost" if provider.scheme == "https" else "127.0.0.1"
    weather = board.weather(provider.url(host))
    source = board.serial(receiver.devnode) if receiver else '[[source]]\ntype = "auto"\n'
    if receiver:
        receiver.start()
    requests_before = len(provider.request_paths)
    # The socket keeps the port free for the daemon, because it does not listen.
    reserved = socket.socket()
    reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    reserved.bind(("127.0.0.1", 0))
    port = reserved.getsockname()[1]
    server = f'[gpsd_server]\nlisten = ["127.0.0.1:{port}"]\n'
    clients = None
    daemon = board.Daemon(program, pathlib.Path(folder, f"board-{hertz}-{client_count}"),
                          source + weather + server)
    try:
        daemon.wait_for("serving on")
        if client_count:
            daemon.wait_for("gpsd server: listening on")
            output, code = daemon.run("auth", "allow", f"uid={os.geteuid()}", "--always")
            if code != 0:
                raise AssertionError(output)
            clients = GPSDClients(port, client_count)
            clients.start()
        time.sleep(SETTLE_SECONDS)
        process, epochs = Process(daemon.process.pid), receiver.epochs if receiver else 0
        percent, wakeups = usage(process, seconds)
        if receiver and receiver.epochs - epochs < 0.95 * hertz * seconds:
            raise AssertionError(f"the receiver sent {receiver.epochs - epochs} epochs")
        if receiver and len(provider.request_paths) == requests_before:
            raise AssertionError(f"the daemon did not request weather: {daemon.log_text()}")
        scenario = f"{hertz} Hz, weather on" if receiver else "no receiver"
        if clients:
            scenario = f"{hertz} Hz, {client_count} gpsd clients"
        memory = GOALS["memory"]
        table.row(f"{scenario}: RSS", process.megabytes("status", "VmRSS"), "MB", memory)
        table.row(f"{scenario}: peak RSS", process.megabytes("status", "VmHWM"), "MB")
        table.row(f"{scenario}: PSS", process.megabytes("smaps_rollup", "Pss"), "MB")
        table.row(f"{scenario}: anonymous RSS", process.megabytes("status", "RssAnon"), "MB")
        processor = None if clients else GOALS["processor"]
        table.row(f"{scenario}: processor", percent, "%", processor)
        table.row(f"{scenario}: wakeups", wakeups, "/s", None if hertz else GOALS["wakeups"])
        if receiver and not clients:
            table.row(f"{scenario}: wakeups except one per epoch", wakeups - hertz, "/s",
                      GOALS["wakeups"])
        table.row(f"{scenario}: threads", len(process.switches()), "")
        if clients and (positions := clients.stop()) < 0.95 * hertz * seconds:
            raise AssertionError(f"a client received {positions} positions")
        if daemon.stop() != 0:
            raise AssertionError(
                f"the daemon exited with {daemon.process.returncode}: {daemon.log_text()}")
    finally:
        if daemon.process.poll() is None:
            daemon.process.kill()
            daemon.process.wait()
        reserved.close()
        if receiver:
            receiver.stop()


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program", type=pathlib.Path)
    arguments.add_argument("--seconds", type=int, default=180)
    arguments.add_argument("--strict", action="store_true")
    options = arguments.parse_args()
    program = options.program.resolve()
    if os.geteuid() == 0 and not os.environ.get("FIXCAST_FOOTPRINT"):
        # In a private mount namespace, the bind mount does not affect other processes.
        os.environ["FIXCAST_FOOTPRINT"] = "1"
        os.execvp("unshare", ["unshare", "--mount", "--propagation", "private", sys.executable,
                              *sys.argv])
    with tempfile.TemporaryDirectory(prefix="fixcast-") as folder:
        os.chmod(folder, 0o755)
        stripped = pathlib.Path(folder, "fixcast")
        subprocess.run(["strip", "-o", stripped, program], check=True)
        provider = board.Provider(certificate=certificate(folder))
        print(f"each measured for {options.seconds} s after {SETTLE_SECONDS} s; provider over "
              f"{provider.scheme}; wakeups: voluntary context switches of all threads")
        table = Table()
        table.row("stripped program", stripped.stat().st_size / 1e6, "MB", GOALS["size"])
        for hertz in (0, 1, 10):
            measure(table, stripped, folder, provider, hertz, options.seconds)
        measure(table, stripped, folder, provider, 1, options.seconds, client_count=32)
        print(f"missed goals: {', '.join(table.missed) or 'none'}")
        if options.strict and table.missed:
            sys.exit(1)


try:
    main()
except (AssertionError, OSError, subprocess.CalledProcessError) as error:
    sys.exit(f"footprint: {error}")
