# SPDX-License-Identifier: Apache-2.0
"""A weather server that answers every request in Open-Meteo's format."""

import http.server
import json
import sys
import time
import urllib.parse


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
        body = json.dumps({
            "latitude": float(query["latitude"][0]),
            "longitude": float(query["longitude"][0]),
            "utc_offset_seconds": 0,
            "current_units": {"temperature_2m": "°C", "wind_speed_10m": "m/s",
                              "precipitation": "mm"},
            "current": {"time": int(time.time()) // 900 * 900, "interval": 900,
                        "temperature_2m": 11.0},
        }).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer((sys.argv[1], int(sys.argv[2])), Handler)
print("weather server: listening", flush=True)
server.serve_forever()
