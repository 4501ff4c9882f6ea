#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a fleet on loopback, kills its parts, and counts lost, repeated and reversed fixes.

usage: run.py --broker mosquitto|nats|rabbitmq [--boards N] [--seconds S] [--faults NAMES] ...

Each number in the result must be 0, except for the counts of fixes.
"""
import argparse, json, os, pathlib, signal, sqlite3, sys, tempfile, time

import cluster, daemons, proxy

parser = argparse.ArgumentParser()
parser.add_argument("--broker", choices=cluster.BROKERS, default="mosquitto")
parser.add_argument("--boards", type=int, default=50)
parser.add_argument("--processes", type=int, default=5, help="processes of boards")
parser.add_argument("--daemons", type=int, default=0, help="boards that run fixcast, in place of --boards; as root")
parser.add_argument("--seconds", type=float, default=60, help="time in which boards make fixes")
parser.add_argument("--drain", type=float, default=240, help="time in which all outboxes must become empty")
parser.add_argument("--batch", type=int, default=5)
parser.add_argument("--interval", type=float, default=1)
parser.add_argument("--resend", type=float, default=15, help="time without ack after which boards send again")
parser.add_argument("--faults", default="node,consumer,postgres,boards,two-nodes",
                    help="in this order, evenly spread over the time; empty for none")
parser.add_argument("--program", default=str(pathlib.Path(__file__).parents[2] / ".build/debug/fixcast-fleet"))
parser.add_argument("--consumer-options", default="")
parser.add_argument("--daemon-program", default=str(pathlib.Path(__file__).parents[2] / ".build/debug/fixcast"))
options = parser.parse_args()
cluster.enter_namespace(*["--mount"] * bool(options.daemons))
faults = [name for name in options.faults.split(",") if name]


def say(message):
    print("%6.1f s  %s" % (time.monotonic() - begin, message), flush=True)


class PythonBoards:
    """Processes of boards.py."""

    def __init__(self, folder, brokers, until):
        self.folder, self.servers = folder, []
        per = options.boards // options.processes
        for index in range(options.processes):
            self.servers.append(cluster.Server(f"boards{index}", folder, [
                sys.executable, pathlib.Path(__file__).with_name("boards.py"),
                "--ports", ",".join(str(broker.port) for broker in brokers), "--first", index * per, "--count", per,
                "--outbox", folder / f"outbox{index}.sqlite", "--batch", options.batch,
                "--interval", options.interval, "--resend", options.resend, "--until", until]).start())

    def kill_some(self):
        self.servers[0].kill()
        return self.servers[0].start

    def finish(self):
        pass

    def is_done(self):
        return all(server.process.poll() is not None for server in self.servers)

    def counts(self):
        """Returns the epoch and the number of the last fix of each board, and the number of kept batches."""
        made, left = {}, 0
        for index in range(options.processes):
            with sqlite3.connect(self.folder / f"outbox{index}.sqlite", timeout=10) as outbox:
                for name, epoch, last in outbox.execute("SELECT name, epoch, last FROM board"):
                    made[name] = (epoch, last)
                left += outbox.execute("SELECT count(*) FROM batch").fetchone()[0]
        return made, left


def inject(fault, brokers, database, consumers):
    """Injects a fault, and returns what to do 8 s later."""
    if fault in ("node", "two-nodes"):
        victims = brokers[:2] if fault == "two-nodes" and len(brokers) > 1 else brokers[-1:]
        for victim in victims:
            victim.kill()
        return lambda: [victim.start() for victim in victims]
    if fault in ("consumer", *proxy.FATAL):
        victim, spare = sorted(consumers, key=lambda each: -each.shard_count())
        if fault == "consumer":
            victim.kill()
        else:
            for each in proxies[victim]:
                each.kill_at(proxy.FATAL[fault], victim.kill)
            victim.process.wait(60)
            for each in proxies[victim]:
                each.kill_at(None, None)
        start = time.monotonic()
        spare.wait_for_shards()
        result.setdefault("failover_seconds", []).append(round(time.monotonic() - start, 1))
        return victim.start
    if fault == "postgres":
        database.kill()
        return lambda: database.start().ready()
    if fault == "boards":
        return fleet.kill_some()
    if fault == "full-disk":
        return fleet.volume.fill()
    raise ValueError(fault)


def check(database):
    made, left = fleet.counts()
    rows = {}
    for line in database.query(
            "SELECT board, epoch, count(*), count(DISTINCT seq), min(seq), max(seq) FROM fleet.fix "
            "GROUP BY board, epoch").splitlines():
        board, epoch, *numbers = line.split("|")
        rows[board, int(epoch)] = [int(number) for number in numbers]
    lost = sum(last - rows.get((name, epoch), [0, 0])[1] for name, (epoch, last) in made.items())
    result.update(
        fixes=sum(last for _, last in made.values()), lost=lost, left_in_outboxes=left,
        duplicates=sum(count - distinct for count, distinct, *_ in rows.values()),
        inversions=int(database.query(
            "SELECT count(*) FROM (SELECT time, lag(time) OVER (PARTITION BY board, epoch ORDER BY seq) AS before "
            "FROM fleet.fix) AS fixes WHERE time < before")))
    values = not options.daemons and database.query(
        "SELECT percentile_cont(ARRAY[0.5, 0.99, 1.0]::float[]) WITHIN GROUP (ORDER BY "
        f"extract(epoch FROM received - time)::float * 1000) FROM fleet.fix WHERE seq % {options.batch} = 0")
    if values:
        result["delay_ms"] = [round(float(value)) for value in values.strip("{}").split(",")]
    return lost == left == result["duplicates"] == result["inversions"] == 0


signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))
begin, result = time.monotonic(), {"broker": options.broker, "boards": options.daemons or options.boards, "faults": faults}
with tempfile.TemporaryDirectory(prefix="fleet") as name:
    folder, running = pathlib.Path(name), []
    folder.chmod(0o755)
    try:
        database, brokers = cluster.start(folder, options.broker, options.program, running)
        say("brokers and database are ready")
        consumers, proxies = [], {}
        for number in range(2):
            own = [proxy.Proxy(broker.port) for broker in brokers]
            consumer = cluster.Consumer(
                f"consumer{number}", folder, options.program, database, own, *options.consumer_options.split(),
                *["--accept-simulated"] * bool(options.daemons))
            consumers.append(consumer.start())
            proxies[consumer] = own
        running += consumers
        consumers[0].wait_for_shards(0)
        while sum(consumer.shard_count() for consumer in consumers) < 16:
            time.sleep(0.2)
        say("16 shards are served")
        until = time.time() + options.seconds
        fleet = daemons.Fleet(options, folder, brokers) if options.daemons else PythonBoards(folder, brokers, until)
        running += fleet.servers
        for index, fault in enumerate(faults):
            time.sleep(max(0, until - options.seconds * (len(faults) - index) / (len(faults) + 1) - time.time()))
            say(f"fault: {fault}")
            repair = inject(fault, brokers, database, consumers)
            time.sleep(8)
            repair()
            say(f"repaired: {fault}")
        time.sleep(max(0, until - time.time()))
        say("boards stop making fixes")
        result["consumer_rss_mb"] = [round((c.rss_kilobytes() or 0) / 1024) for c in consumers]
        result["consumer_cpu_s"] = [c.cpu_seconds() for c in consumers]
        result["rows"] = [c.metrics().get("fixcast_fleet_rows_total", 0) for c in consumers]
        end = time.monotonic() + options.drain
        fleet.finish()
        while not fleet.is_done() and time.monotonic() < end:
            time.sleep(0.5)
        say("the outboxes are empty" if time.monotonic() < end else "time is over")
        totals = {}
        for consumer in consumers:
            for key, value in consumer.metrics().items():
                if "shard" not in key and value:
                    totals[key.removeprefix("fixcast_fleet_")] = totals.get(key.removeprefix("fixcast_fleet_"), 0) + value
        result["consumers"] = totals
        passed = check(database)
        for consumer in consumers:
            if consumer.process.poll() is not None:
                raise RuntimeError(f"{consumer.name} ended with {consumer.process.poll()}")
    except BaseException:
        for log in sorted(folder.glob("*.log")):
            print(f"--- {log.name}\n" + log.read_text(errors="replace")[-1500:], file=sys.stderr)
        raise
    finally:
        for server in reversed(running):
            server.kill()
print(json.dumps(result))
sys.exit(0 if passed else 1)
