#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Attacks on the status page of the real daemon in Chromium: other origins, other names, and hostile text.

Needs root, Debian's chromium, chromium-driver and python3-selenium.
"""

import http.client
import http.server
import json
import pathlib
import sys
import threading
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import browser  # noqa: E402
import real_board  # noqa: E402

NAME = "evil.test"
DECISION = "/v1/authorization/decision"
STATUS = "return performance.getEntriesByType('navigation')[0].responseStatus"
SCRIPT = "<img src=x onerror=window.pwned=1>"
# As long as the name that it replaces in the answer of the daemon.
TOWN, SCRIPT_IN_TOWN = b"Neustadt in Holstein", b"<svg onload=pwned=1>"


class Attacker(http.server.ThreadingHTTPServer):
    """Serves an empty page from another origin on loopback: the same site, so browsers send the cookie."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), AttackerHandler)
        self.requests = []
        self.url = f"http://127.0.0.1:{self.server_address[1]}/"
        threading.Thread(target=self.serve_forever, daemon=True).start()


class AttackerHandler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.requests.append((self.path, dict(self.headers)))
        body = b"<!DOCTYPE html><title>attacker</title><body>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class HostileTunnel(real_board.Tunnel):
    """Replaces the name of a town. No input of the daemon contains names of towns."""

    @staticmethod
    def copy(source, target):
        real_board.Tunnel.copy(HostileReader(source), target)


class HostileReader:
    def __init__(self, source):
        self.source = source

    def recv(self, count):
        data = self.source.recv(count)
        while data.endswith(tuple(TOWN[:n] for n in range(1, len(TOWN)))):
            more = self.source.recv(count)
            if not more:
                break
            data += more
        return data.replace(TOWN, SCRIPT_IN_TOWN)

    def shutdown(self, how):
        self.source.shutdown(how)


class AttackTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.board = real_board.RealBoard(receiver=SCRIPT, error=SCRIPT)
        cls.addClassCleanup(cls.board.stop)
        chromium = browser.chromium(f"--host-resolver-rules=MAP {NAME} 127.0.0.1")
        cls.driver = chromium.__enter__()
        cls.addClassCleanup(chromium.__exit__, None, None, None)
        cls.attacker = Attacker()
        cls.addClassCleanup(cls.attacker.server_close)
        cls.addClassCleanup(cls.attacker.shutdown)
        cls.driver.get(cls.board.link())
        browser.wait_for(cls.driver, "#state", "3D fix")
        cls.cookie = cls.driver.get_cookies()[0]

    def wait(self, selector, text):
        return browser.wait_for(self.driver, selector, text)

    def attack(self, script, *arguments):
        """Opens the page of the attacker, runs a script with `done` there, and returns its result."""
        self.driver.get(self.attacker.url)
        self.assertEqual(self.driver.get_cookies()[0]["value"], self.cookie["value"], "the browser has no session")
        return self.driver.execute_async_script(
            f"const done = arguments[arguments.length - 1], board = '{real_board.URL}'; {script}", *arguments)

    def start_request(self, purpose):
        """Starts a program that waits for a decision, and returns the ID of its request."""
        client = self.board.start_stream_of_nobody(purpose)
        for step in (client.wait, client.stdout.close, client.kill):
            self.addCleanup(step)
        next(line for line in client.stdout if "pending" in line)
        pending = self.pending()
        self.assertEqual(len(pending), 1, pending)
        return pending[0]["id"]

    def pending(self):
        self.driver.get(real_board.URL + "/")
        return self.driver.execute_async_script(
            "const headers = { 'X-Fixcast-Key': localStorage.getItem('fixcast-key') };"
            "fetch('/v1/authorization', { headers }).then((answer) => answer.json()).then(arguments[0])")["requests"]

    def assert_nothing_decided(self, request):
        self.assertEqual([one["id"] for one in self.pending()], [request])
        self.assertNotIn(str(real_board.NOBODY), self.board.auth("list"))

    def test_a_name_that_resolves_to_the_board_is_refused(self):
        for url in (real_board.URL, real_board.Tunnel(self.board.folder / "socket").url):
            url = url.replace("127.0.0.1", NAME)
            with self.subTest(url=url):
                self.driver.get(url + "/")
                self.assertEqual(self.driver.execute_script(STATUS), 421)
                self.assertNotIn("54.0", self.driver.page_source)
                script = "fetch(arguments[0]).then((answer) => arguments[1](answer.status), arguments[1])"
                for path in ("/v1/location", "/v1/status", "/v1/events?purpose=a", "/fixcast.js"):
                    self.assertEqual(self.driver.execute_async_script(script, path), 421, path)

    def test_a_page_of_another_origin_cannot_decide_by_a_form(self):
        request = self.start_request("to be attacked")
        form = """
            const form = document.createElement("form");
            Object.assign(form, { action: board + arguments[0], method: "post", enctype: arguments[1] });
            const field = document.createElement("input");
            field.name = `{"request":"${arguments[2]}","decision":"allow","x":"`;
            field.value = '"}';
            form.append(field);
            document.body.append(form);
            form.submit();
            done();
        """
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
            with self.subTest(kind=kind):
                self.attack(form, DECISION, kind, request)
                browser.wait_until(lambda: self.driver.current_url == real_board.URL + DECISION, "no answer")
                self.assertEqual(self.driver.execute_script(STATUS), 403)
                self.assert_nothing_decided(request)

    def test_a_page_of_another_origin_cannot_decide_by_a_script(self):
        request = self.start_request("to be attacked")
        script = """
            fetch(board + arguments[0], {
              method: "POST", credentials: "include", body: arguments[1], ...arguments[2]
            }).then((answer) => done(answer.type), (error) => done(error.name));
        """
        body = json.dumps({"request": request, "decision": "allow"})
        for options, result in (
            ({"mode": "no-cors"}, "opaque"),
            ({"mode": "no-cors", "headers": {"Content-Type": "application/json", "X-Fixcast": "1"}}, "opaque"),
            ({"headers": {"Content-Type": "application/json", "X-Fixcast": "1"}}, "TypeError"),
        ):
            with self.subTest(options=options):
                # Chromium reports an opaque response as an error because of Cross-Origin-Resource-Policy.
                self.assertIn(self.attack(script, DECISION, body, options), (result, "TypeError"))
                self.assert_nothing_decided(request)

    def test_a_page_of_another_origin_cannot_read_the_position(self):
        read = """
            fetch(board + arguments[0], { credentials: "include" })
              .then((answer) => answer.text()).then(done, (error) => done(error.name));
        """
        for path in ("/", "/v1/location/last", "/v1/status", "/v1/authorization", "/metrics"):
            self.assertEqual(self.attack(read, path), "TypeError", path)
        stream = """
            const stream = new EventSource(board + "/v1/events?purpose=a&page=1", { withCredentials: true });
            stream.onopen = () => done("opened");
            stream.onerror = () => done("refused");
        """
        self.assertEqual(self.attack(stream), "refused")
        load = """
            const script = document.createElement("script");
            script.src = board + arguments[0];
            script.onload = () => done("loaded");
            script.onerror = () => done("refused");
            document.body.append(script);
        """
        for path in ("/v1/location/last", "/fixcast.js"):
            self.assertEqual(self.attack(load, path), "refused", path)

    def test_another_port_of_the_host_receives_no_secret_that_the_board_accepts(self):
        self.attack("done();")
        self.driver.refresh()
        path, fields = self.attacker.requests[-1]
        self.assertIn(self.cookie["value"], fields["Cookie"], "the browser does not send the cookie")
        self.assertNotIn("key", path)
        self.assertNotIn("X-Fixcast-Key", fields)
        keys = "return [Object.keys(localStorage), Object.keys(sessionStorage)]"
        self.assertEqual(self.driver.execute_script(keys), [[], []])
        for path in ("/v1/authorization", "/v1/location/last", "/v1/status", "/v1/events?purpose=a", "/metrics"):
            with self.subTest(path=path):
                connection = http.client.HTTPConnection("127.0.0.1", real_board.PORT, timeout=browser.HANG_SECONDS)
                connection.request("GET", path, headers={"Cookie": fields["Cookie"]})
                self.assertEqual(connection.getresponse().status, 401)
                connection.close()

    def test_a_page_of_another_origin_cannot_show_the_page_in_a_frame(self):
        browser.errors(self.driver)
        self.attack("""
            const frame = document.createElement("iframe");
            frame.src = board + "/";
            frame.onload = () => done();
            document.body.append(frame);
        """)
        self.assertIn("frame-ancestors", " ".join(browser.errors(self.driver)))
        self.driver.switch_to.frame(0)
        self.assertNotIn("Fixcast", self.driver.page_source)
        self.driver.switch_to.default_content()

    def test_hostile_text_is_shown_as_text(self):
        self.board.simulator.texts = ["<script>window.pwned=1</script>", SCRIPT]
        self.addCleanup(setattr, self.board.simulator, "texts", [])
        self.board.simulator.wait_for_epochs(4)
        self.start_request(SCRIPT)
        self.driver.get(HostileTunnel(self.board.folder / "socket").url + "/")
        browser.errors(self.driver)
        for card, words in {
            "requests": SCRIPT,  # the purpose of a program
            "board": SCRIPT,  # the name of a receiver
            "position": SCRIPT,
            "health": SCRIPT,  # the error of a weather provider
            "map": SCRIPT_IN_TOWN.decode(),
        }.items():
            with self.subTest(card=card):
                self.wait(f"#card-{card}", words)
        time_of_fix = browser.text_of(self.driver, "#card-position")
        self.board.simulator.lat += 0.001
        browser.wait_until(lambda: browser.text_of(self.driver, "#card-position") != time_of_fix, "no fix")
        self.assertIsNone(self.driver.execute_script("return window.pwned"))
        self.assertFalse(self.driver.find_elements("css selector", "main img, main script, svg[onload]"))
        # The provider has no forecast.
        self.assertEqual([error for error in browser.errors(self.driver) if "/v1/forecast" not in error], [])


if __name__ == "__main__":
    real_board.enter_network_namespace()
    unittest.main()
