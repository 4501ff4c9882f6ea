#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures fleets of simulated boards on loopback: delays, rows, processor time and memory.

usage: load.py --boards N[,N...] [--hz H] [--batch B] [--seconds S] [--broker NAME]

The boards are `fixcast-fleet simulate`. The delay is the time from the last fix of a batch to its
row, without the time that a fix waits for the batch. Prints a line of JSON for each number of boards.
"""
import argparse, json, os, pathlib, tempfile, threading, time

import cluster

parser = argparse.ArgumentParser()
parser.add_argument("--broker", choices=cluster.BROKERS, default="mosquitto")
parser.add_argument("--boards", default="10,100,1000,10000")
parser.add_argument("--hz", type=float, default=1)
parser.add_argument("--batch", type=int, default=10)
parser.add_argument("--batch-seconds", type=float, default=None, help="default: as long as a batch takes")
parser.add_argument("--seconds", type=float, default=60)
parser.add_argument("--program", default=str(pathlib.Path(__file__).parents[2] / ".build/release/fixcast-fleet"))
options = parser.parse_args()
cluster.enter_namespace()
TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds(server):
    """Returns the processor time of a server and of its processes, also of those that have ended."""
    ticks = 0
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if server.process.pid in (int(fields[1]), int(fields[3])):  # the parent, and the session
            ticks += int(fields[11]) + int(fields[12])
            if stat.parent.name == str(server.process.pid):
                ticks += int(fields[13]) + int(fields[14])
    return ticks / TICKS


class Memory:
    """Reads the memory of a server every 5 s."""

    def __init__(self, server):
        self.samples, self.end = [], threading.Event()
        self.thread = threading.Thread(target=self.run, args=[server], daemon=True)
        self.thread.start()

    def run(self, server):
        while not self.end.wait(5):
            self.samples.append((server.rss_kilobytes() or 0) / 1024)

    def stop(self):
        self.end.set()
        self.thread.join()
        step = max(1, len(self.samples) // 10)
        return [round(value, 1) for value in self.samples[::step]]


def run(boards, folder):
    running = []
    try:
        database, brokers = cluster.start(folder, options.broker, options.program, running)
        consumer = cluster.Consumer("consumer", folder, options.program, database, brokers, "--accept-simulated").start()
        running.append(consumer)
        consumer.wait_for_shards(16)
        memory, start = Memory(consumer), time.monotonic()
        servers = {"consumer": consumer, "database": database, "broker": brokers[0]}
        before = {name: cpu_seconds(server) for name, server in servers.items()}
        batch_seconds = options.batch_seconds or max(1, options.batch / options.hz)
        simulator = cluster.Server("simulator", folder, [
            options.program, "simulate", "--boards", boards, "--seconds", options.seconds, "--hz", options.hz,
            "--batch", options.batch, "--batch-seconds", batch_seconds, "--wait", 120,
            *[word for broker in brokers for word in ("--broker", f"mqtt://127.0.0.1:{broker.port}")]]).start()
        running.append(simulator)
        boards_cpu = 0
        while simulator.process.poll() is None:
            boards_cpu = cpu_seconds(simulator) or boards_cpu
            time.sleep(0.5)
        wall = time.monotonic() - start
        used = {name: cpu_seconds(server) - before[name] for name, server in servers.items()} | {"boards": boards_cpu}
        metrics = consumer.metrics()
        delays = database.query(
            "SELECT percentile_cont(ARRAY[0.5, 0.99, 1.0]::float[]) WITHIN GROUP (ORDER BY delay) FROM "
            "(SELECT DISTINCT ON (board, epoch, received) extract(epoch FROM received - time)::float * 1000 AS delay "
            "FROM fleet.fix ORDER BY board, epoch, received, seq DESC) AS last")
        rows = int(database.query("SELECT count(*) FROM fleet.fix"))
        return {
            "boards": boards, "wall_s": round(wall), "messages": metrics.get("fixcast_fleet_batches_total"), "rows": rows,
            "delay_ms": [round(float(value)) for value in delays.strip("{}").split(",")] if delays else None,
            "cpu_s": {name: round(value, 1) for name, value in used.items()},
            "cpu_ms_per_board_minute": {
                name: round(value * 1000 / boards / wall * 60, 2) for name, value in used.items()},
            "consumer_mb": memory.stop(), "broker_mb": round((brokers[0].rss_kilobytes() or 0) / 1024),
            "simulator": (folder / "simulator.log").read_text().split()}
    finally:
        for server in reversed(running):
            server.kill()


for number in options.boards.split(","):
    with tempfile.TemporaryDirectory(prefix="fleet") as name:
        os.chmod(name, 0o755)
        print(json.dumps(run(int(number), pathlib.Path(name))), flush=True)
