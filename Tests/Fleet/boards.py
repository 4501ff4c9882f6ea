#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Simulates boards of a fleet in one process: MQTT 3.1.1, QoS 1, an outbox in an SQLite file.

A board follows the rules of the article "From one board to a fleet": it commits each batch to its
outbox, publishes at most WINDOW batches without PUBACK, deletes fixes when `ack` arrives, and sends
again from the last acknowledged fix when no further fix is acknowledged for RESEND seconds, which
double with each repetition, or after a restart.
After SECONDS it stops making fixes, and the process ends when all outboxes are empty.
"""
import argparse, asyncio, hashlib, json, random, resource, sqlite3, struct, sys, time

parser = argparse.ArgumentParser()
parser.add_argument("--ports", required=True, help="ports of the brokers on 127.0.0.1")
parser.add_argument("--first", type=int, default=0)
parser.add_argument("--count", type=int, default=10)
parser.add_argument("--outbox", required=True)
parser.add_argument("--batch", type=int, default=5, help="fixes in a batch")
parser.add_argument("--interval", type=float, default=1, help="seconds between two fixes")
parser.add_argument("--until", type=float, required=True, help="Unix time of the last fix")
parser.add_argument("--resend", type=float, default=600)
parser.add_argument("--user", action="store_true", help="connect as user BOARD with password BOARD")
parser.add_argument("--simulated", action="store_true")
options = parser.parse_args()
PORTS, WINDOW = [int(port) for port in options.ports.split(",")], 10
random.seed(options.first)
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))

outbox = sqlite3.connect(options.outbox, isolation_level=None)
outbox.executescript("""PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF;
  CREATE TABLE IF NOT EXISTS board (name TEXT PRIMARY KEY, epoch INTEGER, last INTEGER, acked INTEGER);
  CREATE TABLE IF NOT EXISTS batch (name TEXT, first INTEGER, last INTEGER, json BLOB,
    PRIMARY KEY (name, first)) WITHOUT ROWID;""")
counts = dict(published=0, resent=0, acks=0, connections=0)


def text(value):
    data = value.encode()
    return struct.pack("!H", len(data)) + data


def packet(kind, body):
    length, digits = len(body), b""
    while True:
        digits += bytes([length & 127 | (128 if length > 127 else 0)])
        length >>= 7
        if not length:
            return bytes([kind]) + digits + body


class Board:
    def __init__(self, number):
        self.name = "b%05d" % number
        self.shard = hashlib.sha256(self.name.encode()).hexdigest()[0]
        row = outbox.execute("SELECT epoch, last, acked FROM board WHERE name = ?", [self.name]).fetchone()
        if not row:
            row = (random.randrange(1, 1 << 31), 0, 0)
            outbox.execute("INSERT INTO board VALUES (?, ?, ?, ?)", [self.name, *row])
        self.epoch, self.last, self.acked = row
        self.batches = dict(  # first -> (last, json), in order
            (first, (last, payload)) for first, last, payload in outbox.execute(
                "SELECT first, last, json FROM batch WHERE name = ? ORDER BY first", [self.name]))
        self.sent = self.acked  # the send pointer
        self.inflight, self.packet_id, self.writer = {}, 0, None
        self.progress_at, self.resend = time.monotonic(), options.resend
        self.port = number
        self.changed = asyncio.Event()

    def keep(self, times):
        first, self.last = self.last + 1, self.last + len(times)
        batch = {"v": 1, "b": self.name, "e": self.epoch, "n": len(times), "s0": first, "t0": times[0],
                 "t": [0] + [b - a for a, b in zip(times, times[1:])], "lat": [520000000 + first, 1],
                 "lon": [130000000, 0], "spd": [830, 0], "trk": [2940, 0], "eph": [24, 0], "mode": [3, 0], "sats": [9, 0]}
        if options.simulated:
            batch["sim"] = True
        for name in batch:  # a single fix has columns of one entry
            if isinstance(batch[name], list):
                batch[name] = batch[name][:len(times)]
        payload = json.dumps(batch, separators=(",", ":")).encode()
        with outbox:
            outbox.execute("BEGIN")
            outbox.execute("INSERT INTO batch VALUES (?, ?, ?, ?)", [self.name, first, self.last, payload])
            outbox.execute("UPDATE board SET last = ? WHERE name = ?", [self.last, self.name])
        self.batches[first] = (self.last, payload)
        self.changed.set()

    def acknowledge(self, payload):
        ack = json.loads(payload)
        counts["acks"] += 1
        if ack["e"] != self.epoch or ack["s"] <= self.acked:
            return
        self.acked, self.progress_at, self.resend = ack["s"], time.monotonic(), options.resend
        for first in [first for first, (last, _) in self.batches.items() if last <= self.acked]:
            del self.batches[first]
        outbox.execute("DELETE FROM batch WHERE name = ? AND last <= ?", [self.name, self.acked])
        outbox.execute("UPDATE board SET acked = ? WHERE name = ?", [self.acked, self.name])
        self.changed.set()

    async def produce(self):
        await asyncio.sleep(random.random() * options.interval * options.batch)
        times = []
        while time.time() < options.until:
            times.append(int(time.time() * 1000))
            if len(times) == options.batch:
                self.keep(times)
                times = []
            await asyncio.sleep(options.interval)
        if times:
            self.keep(times)

    def send(self):
        if self.batches and time.monotonic() - self.progress_at > self.resend:
            self.progress_at, self.sent = time.monotonic(), self.acked
            self.resend = max(self.resend, min(self.resend * 2, 14400))
            counts["resent"] += len(self.batches)
        for first, (last, payload) in self.batches.items():
            if len(self.inflight) >= WINDOW:
                break
            if last <= self.sent:
                continue
            self.packet_id = self.packet_id % 65535 + 1
            self.inflight[self.packet_id] = last
            self.sent = last
            topic = f"fleet/v1/{self.shard}/{self.name}/fix"
            self.writer.write(packet(0x32, text(topic) + struct.pack("!H", self.packet_id) + payload))
            counts["published"] += 1

    async def read(self, reader):
        while True:
            kind = (await reader.readexactly(1))[0]
            length = shift = 0
            while True:
                digit = (await reader.readexactly(1))[0]
                length |= (digit & 127) << shift
                shift += 7
                if digit < 128:
                    break
            body = await reader.readexactly(length)
            if kind >> 4 == 4:
                self.inflight.pop(struct.unpack("!H", body)[0], None)
                self.changed.set()
            elif kind >> 4 == 3:
                size = struct.unpack("!H", body[:2])[0]
                qos = kind >> 1 & 3
                if body[2:2 + size].endswith(b"/ack"):
                    self.acknowledge(body[2 + size + (2 if qos else 0):])
                if qos:
                    self.writer.write(packet(0x40, body[2 + size:4 + size]))

    def is_finished(self):
        return time.time() > options.until and not self.batches and self.producer.done()

    async def session(self):
        back_off = 0.2
        while not self.is_finished():
            reading = None
            try:
                reader, self.writer = await asyncio.wait_for(
                    asyncio.open_connection("127.0.0.1", PORTS[self.port % len(PORTS)]), 5)
                flags, credentials = (0xC2, text(self.name) * 2) if options.user else (2, b"")
                self.writer.write(packet(0x10, text("MQTT") + bytes([4, flags, 0, 60]) + text(self.name) + credentials))
                answer = await asyncio.wait_for(reader.readexactly(4), 15)
                if answer[3]:
                    raise OSError("CONNACK %d" % answer[3])
                counts["connections"] += 1
                down = f"fleet/v1/{self.shard}/{self.name}/ack"
                self.writer.write(packet(0x82, b"\0\1" + text(down) + b"\0"))
                # Without PUBACK the broker may not have a batch: the send pointer returns.
                self.inflight, self.sent, self.progress_at = {}, self.acked, time.monotonic()
                reading, pinged, back_off = asyncio.create_task(self.read(reader)), time.monotonic(), 0.2
                while not reading.done() and not self.is_finished():
                    self.changed.clear()
                    self.send()
                    if time.monotonic() - pinged > 25:
                        self.writer.write(b"\xc0\0")
                        pinged = time.monotonic()
                    try:
                        await asyncio.wait_for(self.changed.wait(), min(options.resend / 4, 5))
                    except asyncio.TimeoutError:
                        pass
                if reading.done():
                    reading.result()
            except (OSError, asyncio.TimeoutError, asyncio.IncompleteReadError):
                self.port += 1
                await asyncio.sleep(back_off * random.random())
                back_off = min(back_off * 2, 5)
            finally:
                if reading:
                    reading.cancel()
                if self.writer:
                    self.writer.close()

    async def run(self):
        self.producer = asyncio.create_task(self.produce())
        await asyncio.sleep(random.random() * min(options.count / 500, 20))
        await self.session()


async def report():
    while True:
        await asyncio.sleep(5)
        print(json.dumps(counts), flush=True)


async def main():
    boards = [Board(options.first + number) for number in range(options.count)]
    task = asyncio.create_task(report())
    await asyncio.gather(*(board.run() for board in boards))
    task.cancel()
    print(json.dumps({**counts, "finished": True}), flush=True)


asyncio.run(main())
