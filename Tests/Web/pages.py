# SPDX-License-Identifier: Apache-2.0
"""Clients that load and poll as the status page does, without a browser, and figures of pages."""

import datetime
import http.client
import json
import pathlib
import re
import statistics
import threading
import time

import browser
import real_board

# Records when the page contains the state: `text` from the server, `live` from the stream.
FIRST_STATE = """
window.firstState = {};
new MutationObserver(() => {
  const [text, live] = ["state", "state-detail"].map((id) => document.getElementById(id)?.textContent);
  if (text) window.firstState.text ??= performance.now();
  if (live) window.firstState.live ??= performance.now();
}).observe(document, { subtree: true, childList: true, characterData: true });
"""
IS_LOADED = "return performance.getEntriesByType('resource').some(({ name }) => name.endsWith('coastline.bin'))"
FIGURES = """
const entries = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
const bytes = (pattern) =>
  entries.filter(({ name }) => pattern.test(name)).reduce((sum, { transferSize }) => sum + transferSize, 0);
return {
  page: bytes(/8080\\/$|css$|js$/),
  all: bytes(/8080\\/$|css$|js$|bin$/),
  paint: Math.round(performance.getEntriesByName("first-contentful-paint")[0]?.startTime),
  text: Math.round(firstState.text),
  live: Math.round(firstState.live),
};
"""


def session(driver):
    """Returns the cookie of the session of a page, with the key of the session as `key`."""
    key = driver.execute_script("return localStorage.getItem('fixcast-key')")
    return {**driver.get_cookies()[0], "key": key}


def connect(path, cookie, headers=()):
    connection = http.client.HTTPConnection("127.0.0.1", real_board.PORT, timeout=browser.HANG_SECONDS)
    fields = {"Cookie": f"{cookie['name']}={cookie['value']}", "X-Fixcast-Key": cookie["key"], **dict(headers)}
    connection.request("GET", path, headers=fields)
    return connection, connection.getresponse()


def get(path, cookie, headers=()):
    """Returns the status code and the body."""
    connection, response = connect(path, cookie, headers)
    body = response.read()
    connection.close()
    return response.status, body


class Stream(threading.Thread):
    """The event stream of a page; counts the events and measures the ages of positions on arrival."""

    def __init__(self, cookie, stores=True):
        super().__init__(daemon=True)
        self.connection, self.response = connect("/v1/events?purpose=status%20page&page=1", cookie)
        while self.response.status != 200:
            self.close()
            time.sleep(0.1)
            self.connection, self.response = connect("/v1/events?purpose=status%20page&page=1", cookie)
        self.stores = stores
        self.lines, self.delays = [], []
        self.positions = 0
        self.start()

    def run(self):
        try:
            for line in self.response:
                if self.stores:
                    self.lines.append(line.decode())
                if line.startswith(b'data: {"class":"TPV"'):
                    self.note(json.loads(line[6:]))
        except (OSError, ValueError, AttributeError):
            pass  # The test has closed the connection.

    def note(self, position):
        self.positions += 1
        if "time" in position:
            sent = datetime.datetime.fromisoformat(position["time"].replace("Z", "+00:00"))
            self.delays.append(time.time() - sent.timestamp())

    @property
    def text(self):
        return "".join(self.lines)

    def count(self, name):
        return self.text.count(f'data: {{"class":"{name}"')

    def last(self, name):
        found = re.findall(r'data: (\{"class":"' + name + r'".*)', self.text)
        return json.loads(found[-1]) if found else {}

    def close(self):
        self.response.close()
        self.connection.close()


class Page:
    """Loads what the page loads, keeps a stream open and polls the status every five seconds."""

    RESOURCES = ("/", "/fixcast.css", "/fixcast.js", "/coastline.bin", "/v1/authorization", "/v1/status",
                 "/v1/forecast", "/v1/places", "/v1/track")

    def __init__(self, cookie):
        self.cookie = cookie
        for path in self.RESOURCES:
            # A browser retries: the daemon limits the rate of connections.
            while get(path, cookie, {"Accept-Encoding": "gzip"})[0] != 200:
                time.sleep(0.1)
        self.stream = Stream(cookie, stores=False)
        self.closed = threading.Event()
        self.refusals = 0
        threading.Thread(target=self.poll, daemon=True).start()

    def poll(self):
        while not self.closed.wait(5):
            self.refusals += get("/v1/status", self.cookie)[0] != 200

    def wait_for_positions(self, count):
        browser.wait_until(
            lambda: self.stream.positions >= count, lambda: f"{self.stream.positions} positions instead of {count}")

    def delays(self):
        """Returns the median and the maximum time from the receiver to the page, in milliseconds."""
        # The first position is that before the stream.
        delays = self.stream.delays[1:]
        return round(statistics.median(delays) * 1000), round(max(delays) * 1000)

    def close(self):
        self.closed.set()
        self.stream.close()


def resident_kilobytes(process):
    status = pathlib.Path(f"/proc/{process}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1])
