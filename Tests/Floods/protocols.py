# SPDX-License-Identifier: Apache-2.0
"""The protocols of the daemon as clients use them: addresses, requests and the first answer."""

import errno
import json
import os
import re
import socket
import struct
from dataclasses import dataclass

#: Ports of the test's own network namespace.
GPSD, NMEA, METRICS, WEB = 2947, 10110, 9477, 8080
#: The time after which a client gives up, in seconds.
HANG_SECONDS = 2
CONFIGURATION = f"""
[weather]
enabled = false
[gpsd_server]
listen = ["127.0.0.1:{GPSD}"]
[nmea_server]
enabled = true
listen = ["127.0.0.1:{NMEA}"]
socket = "{{folder}}/nmea"
[metrics]
listen = ["127.0.0.1:{METRICS}"]
position = true
[web]
listen = "127.0.0.1:{WEB}"
"""


@dataclass(frozen=True)
class Protocol:
    """A way to get the position."""

    name: str
    #: The port, or the name of a Unix socket in the folder of the daemon.
    place: int | str
    #: The request; `{session}` stands for the fields of a session, `{key}` for its key.
    request: str
    #: Matches the first answer with a position.
    answer: re.Pattern
    #: The request for a stream, if it is another one.
    stream: str = ""

    @property
    def is_web(self):
        return self.place == WEB

    @property
    def is_feed(self):
        return self.place in (GPSD, NMEA, "nmea")

    def bytes(self, session, streams=False):
        """Returns the complete request."""
        text = streams and self.stream or self.request
        return text.format(session=session and session.fields or "", key=session and session.key).encode()


def http(target, host="localhost", fields=""):
    return f"GET {target} HTTP/1.1\r\nHost: {host}\r\n{fields}\r\n"


WATCH = '?WATCH={{"enable":true,"json":true}};'
LATITUDE = re.compile(rb'"lat":')
PAGE_STREAM = http(f"/v1/events?purpose=status%20page&page=1&key={{key}}", f"127.0.0.1:{WEB}", "{session}")
PROTOCOLS = [
    Protocol("events (Unix)", "socket", http("/v1/events?purpose=floods", "fixcast"), LATITUDE),
    Protocol("gpsd (TCP)", GPSD, WATCH, LATITUDE),
    Protocol("NMEA (TCP)", NMEA, "", re.compile(rb"RMC,[\d.]+,A,|GGA,[\d.]+,\d")),
    Protocol("NMEA (Unix)", "nmea", "", re.compile(rb"RMC,[\d.]+,A,|GGA,[\d.]+,\d")),
    Protocol("page (TCP)", WEB, http("/", f"127.0.0.1:{WEB}", "{session}"), re.compile(rb"3D fix"), PAGE_STREAM),
    Protocol("page's API (TCP)", WEB, http("/v1/location/last", f"127.0.0.1:{WEB}", "{session}"), LATITUDE,
             PAGE_STREAM),
    Protocol("metrics (TCP)", METRICS, http("/metrics"), re.compile(rb"\nfixcast_position_latitude_degrees\{")),
]


def connect(place, folder, address="127.0.0.1", buffer=None, waits=True):
    """Connects as a program does that waits for each call; gives up after `HANG_SECONDS`."""
    client = socket.socket(socket.AF_INET if isinstance(place, int) else socket.AF_UNIX)
    try:
        limit = struct.pack("ll", HANG_SECONDS, 0)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, limit)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, limit)
        if buffer:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        client.setblocking(waits)
        if isinstance(place, int):
            if address != "127.0.0.1":
                # IP_BIND_ADDRESS_NO_PORT: the kernel may use each port for several connections.
                client.setsockopt(socket.IPPROTO_IP, 24, 1)
                client.bind((address, 0))
        error = client.connect_ex(("127.0.0.1", place) if isinstance(place, int) else f"{folder}/{place}")
        # On loopback, a connection whose call does not wait is complete all the same.
        if error and (waits or error != errno.EINPROGRESS):
            raise OSError(error, os.strerror(error))
        return client
    except OSError:
        client.close()
        raise


def receive_until(client, pattern, limit=1 << 20):
    """Reads until the data match a pattern; returns the data, or `None` if the daemon has closed."""
    data = b""
    while not pattern.search(data):
        chunk = client.recv(65536)
        if not chunk or len(data) > limit:
            return None
        data += chunk
    return data


@dataclass(frozen=True)
class Session:
    """The secrets of a browser's session."""

    cookie: str
    key: str

    @property
    def fields(self):
        return f"Cookie: {self.cookie}\r\nX-Fixcast-Key: {self.key}\r\n"


def read_all(client):
    """Reads a response to its end."""
    data = b""
    while chunk := client.recv(65536):
        data += chunk
    return data.decode("latin1")


def log_in(folder):
    """Opens a session of this process's user, as `fixcast web` and a browser do."""
    with connect("socket", folder) as client:
        client.sendall(b"POST /v1/web/link HTTP/1.1\r\nHost: fixcast\r\nContent-Type: application/json\r\n"
                       b"Content-Length: 2\r\n\r\n{}")
        reply = read_all(client)
    token = json.loads(reply.partition("\r\n\r\n")[2])["url"].partition("/login?t=")[2]
    with connect(WEB, folder) as client:
        client.sendall(http(f"/login?t={token}", f"127.0.0.1:{WEB}").encode())
        reply = read_all(client)
    return Session(re.search(r"(?i)set-cookie: ([^;\r]*)", reply)[1], re.search(r"#key=(\w+)", reply)[1])
