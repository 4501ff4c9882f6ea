# SPDX-License-Identifier: Apache-2.0
"""A proxy between a consumer and a broker that kills the consumer at a packet of MQTT."""
import asyncio, threading

import cluster

PUBLISH, PUBACK = 3, 4


class Proxy:
    """Forwards connections to a broker on loopback, in a thread of its own."""

    def __init__(self, broker_port):
        self.broker_port, self.is_fatal, self.kill = broker_port, None, None
        [self.port] = cluster.free_ports(1)
        started = threading.Event()
        threading.Thread(target=lambda: asyncio.run(self.serve(started)), daemon=True).start()
        started.wait(10)

    def kill_at(self, is_fatal, kill):
        """Calls `kill` at the next packet of the consumer that is fatal, which is not forwarded."""
        self.is_fatal, self.kill = is_fatal, kill

    async def serve(self, started):
        server = await asyncio.start_server(self.forward, "127.0.0.1", self.port)
        started.set()
        await server.serve_forever()

    async def forward(self, reader, writer):
        try:
            broker_reader, broker_writer = await asyncio.open_connection("127.0.0.1", self.broker_port)
        except OSError:
            writer.close()
            return
        await asyncio.gather(self.copy(broker_reader, writer), self.copy_packets(reader, broker_writer))

    async def copy(self, reader, writer):
        try:
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        writer.close()

    async def copy_packets(self, reader, writer):
        try:
            while True:
                header = await reader.readexactly(2)
                while header[-1] >= 128:
                    header += await reader.readexactly(1)
                length = sum((digit & 127) << 7 * index for index, digit in enumerate(header[1:]))
                body = await reader.readexactly(length)
                if self.is_fatal and self.is_fatal(header[0] >> 4, body):
                    self.is_fatal = None
                    self.kill()
                    break
                writer.write(header + body)
                await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass
        writer.close()


# The consumer sends PUBACK after COMMIT, and `ack` after PUBACK.
FATAL = {
    "commit": lambda kind, body: kind == PUBACK,
    "puback": lambda kind, body: kind == PUBLISH and body[2:2 + int.from_bytes(body[:2], "big")].endswith(b"/ack"),
}
