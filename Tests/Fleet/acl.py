#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the access control lists and the size limit of the article "Brokers of a fleet" on one broker.

usage: acl.py mosquitto|nats|rabbitmq

Takes the snippet from the article, and starts the broker with it. The board b1 must reach its own
topics, among them all to which the sink `fleet` subscribes, and neither read nor write those of the
board b2.
"""
import os, pathlib, re, socket, struct, subprocess, sys, tempfile, time

import cluster

ARTICLE = pathlib.Path(__file__).parents[2] / "Sources/fixcast/fixcast.docc/FleetBrokers.md"


def snippet(name):
    """Returns the indented block after the line that names it."""
    match = re.search(rf"<!-- {name} -->\n\n((?:    .*\n|\n)+)", ARTICLE.read_text())
    return "\n".join(line[4:] for line in match[1].splitlines())


class Client:
    def __init__(self, port, user, password, client_id=None):
        body = self.text("MQTT") + bytes([4, 0xC2, 0, 60])
        body += self.text(client_id or user) + self.text(user) + self.text(password)
        # NATS rejects a client id for a moment after another connection has used it.
        for _ in range(10):
            self.socket = socket.create_connection(("127.0.0.1", port), 5)
            self.socket.settimeout(3)
            self.socket.sendall(b"\x10" + bytes([len(body)]) + body)
            answer = self.packet()
            self.connack = answer[1][1] if answer else None
            if self.connack == 0:
                break
            time.sleep(0.5)

    @staticmethod
    def text(value):
        return struct.pack("!H", len(value)) + value.encode()

    def read(self, count):
        """Returns the next bytes; raises ConnectionError at the end."""
        data = b""
        while len(data) < count:
            part = self.socket.recv(count - len(data))
            if not part:
                raise ConnectionError("the broker closed the connection")
            data += part
        return data

    def packet(self):
        """Returns the type and the body of the next packet; None after a timeout or the end."""
        try:
            head = self.read(2)
            while head[-1] >= 128:
                head += self.read(1)
            length = sum((digit & 127) << 7 * index for index, digit in enumerate(head[1:]))
            return head[0] >> 4, self.read(length)
        except (TimeoutError, ConnectionError):
            return None

    def subscribe(self, topic):
        body = b"\0\1" + self.text(topic) + b"\1"
        self.socket.sendall(b"\x82" + bytes([len(body)]) + body)
        answer = self.packet()
        return bool(answer) and answer[1][2] < 3

    def publish(self, topic, size=1):
        body = self.text(topic) + b"\0\2" + b"x" * size
        length = [len(body) & 127 | 128, len(body) >> 7 & 127 | 128, len(body) >> 14]
        try:
            self.socket.sendall(b"\x32" + bytes(length) + body)
        except ConnectionError:
            pass

    def topics(self):
        """Returns the topics of the messages that arrive until there are no more."""
        found, self.sizes = [], []
        while packet := self.packet():
            if packet[0] == 3:
                size = struct.unpack("!H", packet[1][:2])[0]
                found.append(packet[1][2:2 + size].decode())
                self.sizes.append(len(packet[1]) - size - 4)
                self.socket.sendall(b"\x40\2" + packet[1][2 + size:4 + size])
        return found


def mosquitto(folder):
    for user in USERS:
        subprocess.run(["mosquitto_passwd", "-b", *(["-c"] if user == USERS[0] else []), folder / "passwd", user, user],
                       check=True)
    (folder / "acl").write_text(snippet("mosquitto acl"))
    [server] = cluster.mosquitto(folder)
    file = folder / "mosquitto.conf"
    file.write_text(file.read_text().replace(
        "allow_anonymous true", "use_username_as_clientid true\nallow_anonymous false\n"
        f"password_file {folder}/passwd\nacl_file {folder}/acl"))
    for name in ("passwd", "acl"):
        os.chmod(folder / name, 0o700)
    return [server.start().ready()]


def nats(folder):
    [server, *_] = cluster.nats(folder)
    file = folder / "nats0.conf"
    # One node: without the cluster and its replicas.
    text = re.sub(r"cluster \{.*\}\n", "", file.read_text()).replace("stream_replicas: 3, ", "")
    file.write_text(text + snippet("nats authorization").replace("PASSWORD-OF-", ""))
    return [server.start().ready()]


def rabbitmq(folder):
    server = cluster.rabbitmq(folder)[0]
    lines = [f"rabbitmqctl {verb} {user} {user}" for user in USERS for verb in ["add_user"]]
    lines += snippet("rabbitmq permissions").replace("sudo ", "").splitlines()
    control = [str(cluster.RABBITMQ / "sbin/rabbitmqctl"), "-n", "fc0@localhost"]
    script = "rabbitmqctl() { '" + "' '".join(control) + "' \"$@\"; }; set -e\n" + "\n".join(lines)
    subprocess.run(["bash", "-c", script], check=True, env=server.env, stdout=subprocess.DEVNULL)
    return [server]


USERS, failures = ["fixcast-fleet", "b1", "b2"], []
# The topics to which the sink `fleet` subscribes.
READ = ("status", "ack", "weather")


def check(condition, text):
    print(("ok      " if condition else "FAILED  ") + text, flush=True)
    if not condition:
        failures.append(text)


cluster.enter_namespace()
with tempfile.TemporaryDirectory(prefix="fleet") as name:
    folder, servers = pathlib.Path(name), []
    try:
        servers = globals()[sys.argv[1]](folder)
        port = servers[0].port
        consumer = Client(port, "fixcast-fleet", "fixcast-fleet")
        check(consumer.connack == 0 and consumer.subscribe("fleet/v1/+/+/fix"), "the consumer reads all shards")
        board = Client(port, "b1", "b1")
        own = [f"fleet/v1/7/b1/{kind}" for kind in READ]
        for topic in own:
            check(board.connack == 0 and board.subscribe(topic), f"a board subscribes to {topic}")
        board.publish("fleet/v1/7/b1/fix")
        board.publish("fleet/v1/7/b1/status")
        for kind in ("ack", "weather"):
            consumer.publish(f"fleet/v1/7/b1/{kind}")
            consumer.publish(f"fleet/v1/4/b2/{kind}")
        check(sorted(board.topics()) == sorted(own), "a board reads its status, and what the consumer writes")
        if sys.argv[1] == "mosquitto":
            # Unless mosquitto replaces the client id, the connection of the consumer ends, and checks fail.
            Client(port, "b2", "b2", client_id="fixcast-fleet")
        for topic in ("fleet/v1/4/b2/fix", "fleet/v1/7/b1/ack", "fleet/v1/8/b1/fix"):
            Client(port, "b1", "b1").publish(topic)
        for topic in (*(f"fleet/v1/4/b2/{kind}" for kind in READ), "fleet/v1/#"):
            spy = Client(port, "b1", "b1")
            spy.subscribe(topic)
            time.sleep(0.5)
            for kind in READ:
                consumer.publish(f"fleet/v1/4/b2/{kind}")
            found = [name for name in spy.topics() if "/b1/" not in name]
            check(found == [], f"a board does not read {topic}")
        Client(port, "b2", "b2").publish("fleet/v1/4/b2/fix")
        for size in (65_536, 2_000_000):
            Client(port, "b1", "b1").publish("fleet/v1/7/b1/fix", size)
            time.sleep(0.5)
        received = consumer.topics()
        check({1, 65_536} <= set(consumer.sizes), "a board writes its fixes")
        if sys.argv[1] != "nats":  # It has no limit for MQTT clients.
            check(max(consumer.sizes) == 65_536, "a board writes no message beyond the size limit")
        check("fleet/v1/8/b1/fix" not in received, "a board does not write to another shard")
        check(received.count("fleet/v1/4/b2/fix") == 1, "a board does not write fixes of another board")
    finally:
        for server in servers:
            server.kill()
        if failures or sys.exc_info()[0]:
            for log in sorted(folder.glob("*.log")):
                print(f"--- {log.name}\n" + log.read_text(errors="replace")[-2500:], file=sys.stderr)
sys.exit(1 if failures else 0)
