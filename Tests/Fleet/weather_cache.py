#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the nginx cache of the article "Weather of a fleet".

1,000 requests at once from boards in 20 cells must be 20 requests to the provider. While the
provider fails, boards must get the last report.
"""
import collections, concurrent.futures, http.server, os, pathlib, re, subprocess, sys, tempfile, threading, time
import urllib.error, urllib.request

import cluster

ARTICLE = pathlib.Path(__file__).parents[2] / "Sources/fixcast/fixcast.docc/FleetWeather.md"
requests, failing = collections.Counter(), threading.Event()


class Provider(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        requests[self.path] += 1
        time.sleep(0.2)
        body = b"{}"
        self.send_response(503 if failing.is_set() else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 512


def get(port, cell):
    url = f"http://127.0.0.1:{port}/v1/forecast?latitude=52.{cell}&longitude=13.4&current=temperature_2m"
    try:
        return urllib.request.urlopen(url, timeout=600).status
    except urllib.error.HTTPError as error:
        return error.code


cluster.enter_namespace()
provider = Server(("127.0.0.1", 0), Provider)
threading.Thread(target=provider.serve_forever, daemon=True).start()
[port] = cluster.free_ports(1)
with tempfile.TemporaryDirectory(prefix="fleet") as name:
    text = re.search(r"<!-- nginx cache -->\n\n((?:    .*\n|\n)+)", ARTICLE.read_text())[1]
    text = text.replace("/var/cache/nginx/weather", f"{name}/cache").replace("8096", f"127.0.0.1:{port}")
    text = text.replace("https://api.open-meteo.com", f"http://127.0.0.1:{provider.server_port}")
    # Seconds instead of minutes, so that the test sees a report expire.
    text = text.replace("200 15m", "200 1s").replace("504 1m", "504 1s")
    paths = " ".join(f"{kind}_temp_path {name}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    user = "user root;" if os.getuid() == 0 else ""
    pathlib.Path(name, "nginx.conf").write_text(
        f"{user} pid {name}/pid; error_log {name}/error.log; worker_processes 1; daemon off; "
        f"events {{ worker_connections 4096; }} http {{ access_log off; {paths}\n{text}}}\n")
    nginx = cluster.Server("nginx", pathlib.Path(name), ["nginx", "-p", name, "-c", f"{name}/nginx.conf"], port=port)
    try:
        nginx.start().ready()
        start = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(200) as pool:
            codes = collections.Counter(pool.map(lambda number: get(port, number % 20), range(1000)))
        first = sum(requests.values())
        # While a report of a second expires, boards may cause another request for a cell.
        limit = 20 * (2 + time.monotonic() - start)
        print(f"1000 requests in 20 cells: {dict(codes)}, {first} to the provider")
        failing.set()
        time.sleep(1.5)
        stale = collections.Counter(get(port, number % 20) for number in range(40))
        print(f"while the provider fails: {dict(stale)}")
    finally:
        nginx.kill()
        if sys.exc_info()[0]:
            print(pathlib.Path(name, "nginx.log").read_text(), file=sys.stderr)
sys.exit(0 if codes == {200: 1000} and 20 <= first <= limit and stale == {200: 40} else 1)
