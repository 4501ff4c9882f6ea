#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A server that behaves like a board with the status page: for development and screenshots.

usage: mock_board.py [--port N] [INCIDENT ...]

Prints the address. The board moves along the coast near Neustadt in Holstein. An incident is named
on the command line, or caused later with `POST /mock/INCIDENT`:

    unplug, plug          the receiver is unplugged, or plugged in again
    nofix, fix            the receiver loses its fix, or gets one
    nonetwork, network    the network path is lost, or returns
    deny, reduce, full    the session loses access, has reduced accuracy, or has full accuracy
    revoke                the session loses access, and its stream does not report it
    withhold              the stream sends nothing more, and each value of the position is refused
    look, decide          the role of the session
    request               one more program asks for access
    hostile               names and texts contain markup and control characters
    hang, wake            the board stops answering and keeps its connections, or answers again
    drop                  all event streams are closed
    end                   the session ends
    night                 the weather is that of a winter night with snow
"""

import argparse
import gzip
import http.server
import json
import pathlib
import queue
import sys
import threading
import time

from simulated_board import Board

PAGE = pathlib.Path(__file__).resolve().parents[2] / "Sources/DaemonServer/Web/Page"
TYPES = {".css": "text/css", ".js": "text/javascript", ".bin": "application/octet-stream"}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


class Handler(http.server.BaseHTTPRequestHandler):
    board = None

    def answer(self, code, body, kind="application/json", **headers):
        if isinstance(body, dict):
            body = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
        self.send_response(code)
        for name, value in {
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            "Content-Security-Policy": POLICY,
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cache-Control": "no-store",
            "Connection": "close",
            **headers,
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        path = self.path.partition("?")[0]
        board = self.board
        while board.hanging:
            time.sleep(0.1)
        if path == "/" or path.lstrip("/") in ("fixcast.css", "fixcast.js", "coastline.bin"):
            file = PAGE / (path.lstrip("/") or "index.html")
            data = file.read_bytes()
            if path == "/":
                data = data.replace(b"<!--STATE-->", b"3D fix, 0.3 s old, \xc2\xb12.4 m (95 %)")
            return self.answer(
                200,
                gzip.compress(data, 9),
                TYPES.get(file.suffix, "text/html; charset=utf-8"),
                **{"Content-Encoding": "gzip"},
            )
        if path == "/login":
            return self.answer(303, b"", "text/plain", Location="/")
        if board.ended:
            return self.answer(
                401,
                {
                    "class": "ERROR",
                    "error": "unauthorized",
                    "message": "no session",
                    "advice": "on the board, run: sudo fixcast web",
                },
            )
        if path == "/v1/events":
            return self.stream()
        full = {"/v1/sky": board.sky, "/v1/track": board.track}
        some = {
            "/v1/location": board.tpv,
            "/v1/weather": board.weather,
            "/v1/forecast": board.forecast,
            "/v1/places": board.places,
        }
        free = {"/v1/status": board.status, "/v1/authorization": board.authorization}
        is_refused = board.access == "denied" or board.withholding
        if path in full and (board.access != "full" or is_refused) or path in some and is_refused:
            return self.answer(
                403,
                {
                    "class": "ERROR",
                    "error": "notAuthorized",
                    "message": "not allowed",
                    "advice": "allow it with: sudo fixcast auth allow user=pi",
                },
            )
        resource = (full | some | free).get(path)
        return (
            self.answer(200, resource())
            if resource
            else self.answer(404, {"class": "ERROR", "error": "notFound", "message": "unknown path"})
        )

    def do_POST(self):
        board = self.board
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path.startswith("/mock/"):
            known = board.incident(self.path[6:])
            return self.answer(200 if known else 404, {})
        while board.hanging:
            time.sleep(0.1)
        is_safe = (
            self.headers.get("X-Fixcast") == "1"
            and self.headers.get("Content-Type") == "application/json"
            and self.headers.get("Origin") == "http://" + self.headers.get("Host", "")
        )
        if self.path != "/v1/authorization/decision" or not is_safe or board.role != "decide":
            return self.answer(
                403, {"class": "ERROR", "error": "notAuthorized", "message": "this session may only look"}
            )
        decision = json.loads(body)
        board.decisions.append(decision)
        board.requests = [request for request in board.requests if request["id"] != decision["request"]]
        board.publish({"class": "REQUESTS", "requests": board.requests})
        return self.answer(200, board.authorization())

    def stream(self):
        events = queue.Queue()
        self.send_response(200)
        for name, value in {
            "Content-Type": "text/event-stream",
            "Cache-Control": "no-store",
            "Connection": "close",
            "Fixcast-Heartbeat": "15",
        }.items():
            self.send_header(name, value)
        self.end_headers()
        with self.board.lock:
            self.board.streams.add(events)
            for event in self.board.first_events():
                events.put(event)
        try:
            count = 0
            while True:
                try:
                    event = events.get(timeout=15)
                except queue.Empty:
                    self.wfile.write(b": heartbeat\n\n")
                    continue
                if event is None:
                    break
                count += 1
                self.wfile.write(
                    f"id: {count}\nevent: {event['class']}\ndata: {json.dumps(event, ensure_ascii=False)}\n\n".encode()
                )
        except OSError:
            pass
        finally:
            with self.board.lock:
                self.board.streams.discard(events)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    """A mock of a board on a free port of loopback, or on `port`."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, port=0):
        self.board = Board()
        super().__init__(("127.0.0.1", port), type("BoardHandler", (Handler,), {"board": self.board}))
        self.url = f"http://127.0.0.1:{self.server_address[1]}/"
        for target in (self.serve_forever, self.board.run):
            threading.Thread(target=target, daemon=True).start()

    def handle_error(self, request, client_address):
        pass  # A page that closes a connection is not an error.


def main():
    parser = argparse.ArgumentParser(usage="mock_board.py [--port N] [INCIDENT ...]")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("incidents", nargs="*")
    options = parser.parse_args()
    server = Server(options.port)
    for name in options.incidents:
        if not server.board.incident(name):
            sys.exit(f"mock_board.py: unknown incident {name}")
    print(server.url, flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()
