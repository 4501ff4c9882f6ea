#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of the status page of the real daemon in Chromium, with a simulated receiver, provider and network.

Needs root, Debian's chromium, chromium-driver and python3-selenium, and for the accessibility test
axe-core-python from .ci/python-clients.txt. FIXCAST_PROGRAM names another build than the debug build.
"""

import json
import pathlib
import sys
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import browser  # noqa: E402
import pages  # noqa: E402
import real_board  # noqa: E402
from browser_tests import BrowserTests, report  # noqa: E402

AXE = next(real_board.REPOSITORY.glob(".build/python-clients/lib/*/site-packages/axe_core_python/axe.min.js"), None)
USER = f"uid={real_board.NOBODY}"
# The goals of the page for an event and for a change of its state.
EVENT_SECONDS, STATE_SECONDS = 2, 5


class CardTests(BrowserTests):
    board_options = {"has_weather": False}

    def test_each_card_shows_what_the_simulator_does(self):
        self.open()
        simulator = self.board.simulator
        figures = {}

        def event(card, text, cause):
            cause()
            figures[card] = self.wait(f"#card-{card}", text, goal=EVENT_SECONDS)

        self.wait("#card-map", "Neustadt in Holstein")
        self.assertRegex(self.text("#card-position"), "km S?SE of Neustadt")
        self.assertRegex(self.text("#card-map .places li"), r"Neustadt in Holstein\s+DE\s+\S+ km N?NW")
        self.assertNotIn("8.4 °C", self.text("#card-weather"))
        self.board.provider.released.set()
        browser.wait_until(lambda: self.board.provider.answered_at, "the daemon does not request the weather")
        self.wait("#card-weather", "8.4 °C", goal=EVENT_SECONDS)
        figures["weather"] = time.monotonic() - self.board.provider.answered_at
        self.wait("#forecast", "Next 48 hours", goal=EVENT_SECONDS)

        def cover():
            simulator.unused = {"GP"}

        def move():
            simulator.lat += 0.01

        event("sky", "8 of 16 satellites used", cover)
        drawing = self.drawing()
        simulator.wait_for_epochs(4)
        self.assertEqual(self.drawing(), drawing, "the map changes without a movement")
        start = time.monotonic()
        event("position", "54.0881", move)
        browser.wait_until(lambda: self.drawing() != drawing, "the map does not follow", goal=EVENT_SECONDS)
        figures["map"] = time.monotonic() - start
        self.addCleanup(self.plug)
        event("board", "unplugged", simulator.unplug)
        figures["health"] = self.wait("#card-health", "gone", goal=EVENT_SECONDS)
        report("seconds from an event to the card", {card: round(value, 2) for card, value in figures.items()})

    def drawing(self):
        return self.driver.execute_script("return document.querySelector('#map').innerHTML")


class DaemonTests(BrowserTests):
    def test_a_link_opens_the_page_once_and_its_address_does_not_keep_the_token(self):
        link = self.board.link()
        self.open(link)
        self.assertEqual(self.driver.current_url, real_board.URL + "/")
        self.assertEqual(self.driver.execute_script("return document.cookie"), "", "a script can read the cookie")
        self.driver.delete_all_cookies()
        self.driver.get(link)
        self.wait("main", "sudo fixcast web")
        self.driver.get(real_board.URL + "/")
        self.wait("main", "sudo fixcast web")

    def test_a_click_allows_a_waiting_client_which_then_gets_its_location(self):
        self.open()
        self.addCleanup(self.board.auth, "reset", USER)
        client = self.keep(self.board.start_as_nobody(real_board.PROGRAM, "locate", "--json", "--timeout", "60"))
        self.wait("#card-requests", USER)
        self.wait("#state-links", "1 request waits")
        self.wait("#card-requests", "sudo fixcast auth allow")
        start = time.monotonic()
        browser.click(self.driver, "#card-requests .allow")
        output, _ = client.communicate(timeout=browser.HANG_SECONDS)
        report("seconds from the click to the location of the client", round(time.monotonic() - start, 2))
        self.assertEqual(client.returncode, 0, output)
        location = json.loads(next(line for line in output.splitlines() if '"TPV"' in line))
        self.assertAlmostEqual(location["lat"], self.board.simulator.lat, places=5)
        self.wait("#decision", "for 2 h")
        self.wait("#card-requests", "No program waits")
        self.assertIn("web session", self.board.auth("list"))

    def test_a_request_is_shown_and_can_be_decided_by_keyboard(self):
        self.open()
        self.addCleanup(self.board.auth, "reset", USER)
        client = self.keep(self.board.start_stream_of_nobody("to draw a map"))
        line = next(line for line in client.stdout if "pending" in line)
        report("seconds from the request to the card", round(self.wait("#card-requests", "draw a map", goal=EVENT_SECONDS), 2))
        self.assertNotIn('"lat"', line)
        deny = self.driver.find_element("css selector", "#card-requests .deny")
        self.driver.execute_script("document.activeElement.blur()")
        self.press_tab_until(lambda: self.driver.switch_to.active_element == deny)
        deny.send_keys("\ue007")
        self.wait("#decision", "Denied")
        denied = next(line for line in client.stdout if "denied" in line)
        self.assertNotIn('"lat"', denied)

    def keep(self, client):
        """Ends a program with the test."""
        for step in (client.wait, client.stdout.close, client.kill):
            self.addCleanup(step)
        return client

    def press_tab_until(self, condition):
        for _ in range(60):
            self.driver.switch_to.active_element.send_keys("\ue004")
            if condition():
                return
        self.fail("the tab key does not reach the element")

    def test_after_the_denial_of_its_user_a_session_contains_no_position_and_receives_none(self):
        self.addCleanup(self.board.auth, "reset", USER)
        self.board.auth("allow", USER)
        self.open(self.board.link_of_nobody())
        self.wait("#card-weather", "by openmeteo")
        self.wait("#card-map", "Neustadt in Holstein")
        self.assertEqual(self.text("#card-requests"), "", "a session that may only look sees requests")
        stream = pages.Stream(pages.session(self.driver))
        self.addCleanup(stream.close)
        browser.wait_until(lambda: stream.count("TPV") > 1, "the stream has no position")
        words = ("54.0", "10.8", "°C", "Neustadt", "Sierksdorf")
        for word in words[:4]:
            self.assertIn(word, self.content())
        self.board.auth("deny", USER)
        report("seconds from the denial to the page", round(self.wait("#state", "No permission", goal=STATE_SECONDS), 2))
        self.wait("#state-detail", "sudo fixcast auth allow")
        browser.wait_until(lambda: stream.last("AUTH").get("status") == "denied", "the stream reports no denial")
        positions = stream.count("TPV")
        self.board.simulator.wait_for_epochs(12)
        for word in words:
            self.assertNotIn(word, self.content())
        self.assertFalse(self.driver.find_elements("css selector", "#map *, #forecast *"))
        self.assertEqual(stream.count("TPV"), positions)
        after = stream.text.rpartition('"status":"denied"')[2]
        for word in ('"lat"', "TPV", "SKY", "WEATHER"):
            self.assertNotIn(word, after)
        for path in ("location/last", "sky", "weather", "forecast", "track", "places"):
            with self.subTest(path=path):
                status, body = pages.get("/v1/" + path, pages.session(self.driver))
                self.assertEqual((status, b'"lat"' in body), (403, False), body)

    def test_an_unplugged_receiver_is_reported_and_the_page_recovers(self):
        self.open()
        self.addCleanup(self.plug)
        self.board.simulator.unplug()
        # The daemon may report that the open port hung up, and then that the port does not exist.
        report("seconds until the page reports an unplugged receiver",
               round(self.wait("#state", "eceiver", "No source", goal=STATE_SECONDS), 2))
        self.assertIn("last position", self.text("#state-detail"))
        self.wait("#card-position", "Not current")
        self.board.simulator.plug()
        report("seconds until the page recovers", round(self.wait("#state", "3D fix"), 2))

    def test_a_lost_fix_is_reported_and_the_page_recovers(self):
        self.open()
        self.addCleanup(setattr, self.board.simulator, "has_fix", True)
        self.board.simulator.has_fix = False
        self.wait("#state", "No fix", goal=STATE_SECONDS)
        self.board.simulator.has_fix = True
        self.wait("#state", "3D fix")

    def test_a_lost_network_is_reported_and_the_page_recovers(self):
        self.open()
        self.wait("#path", "connected")
        self.addCleanup(real_board.connect)
        real_board.disconnect()
        report("seconds until the page reports a lost network",
               round(self.wait("#path", "no route", goal=STATE_SECONDS), 2))
        self.wait("#state", "no network", goal=STATE_SECONDS)
        real_board.connect()
        self.wait("#path", "connected")
        browser.wait_until(lambda: "no network" not in self.text("#state"), "the page does not recover")

    def test_through_a_tunnel_the_page_reports_a_stopped_daemon_and_recovers(self):
        self.driver.execute_cdp_cmd("Network.clearBrowserCookies", {})
        self.open(real_board.Tunnel(self.board.folder / "socket").url)
        self.assertEqual(self.driver.get_cookies(), [])
        self.board.stop_daemon()
        report("seconds until the page reports a stopped daemon",
               round(self.wait("#state", "The board does not answer", goal=STATE_SECONDS), 2))
        self.wait("#card-position", "Not current")
        self.board.start()
        report("seconds until the page recovers from a restart", round(self.wait("#state", "3D fix"), 2))
        self.wait("#card-weather", "by openmeteo")

    def test_a_session_survives_a_restart_of_the_daemon(self):
        self.open()
        self.board.stop_daemon()
        self.wait("#state", "The board does not answer", goal=STATE_SECONDS)
        self.board.start()
        self.wait("#state", "3D fix")

    def test_a_restart_without_the_saved_sessions_ends_them_and_a_new_link_in_another_tab_revives_the_page(self):
        self.open()
        page = self.driver.current_window_handle
        self.board.stop_daemon()
        self.wait("#state", "The board does not answer", goal=STATE_SECONDS)
        (self.board.folder / "root/var/lib/fixcast/web-sessions.json").unlink()
        self.board.start()
        self.wait("#state", "This session has ended", goal=STATE_SECONDS)
        self.wait("#state-detail", "sudo fixcast web")
        self.assertNotIn("54.0", self.content())
        self.driver.switch_to.new_window("tab")
        self.driver.get(self.board.link())
        self.wait("#state", "3D fix")
        self.driver.close()
        self.driver.switch_to.window(page)
        self.wait("#state", "3D fix")

    def test_the_button_ends_the_session_of_this_browser(self):
        self.open()
        session = pages.session(self.driver)
        self.assertEqual(pages.get("/v1/status", session)[0], 200)
        browser.click(self.driver, "#log-out")
        self.wait("#state", "This session has ended", goal=STATE_SECONDS)
        self.assertNotIn("54.0", self.content())
        self.assertEqual(pages.get("/v1/status", session)[0], 401)
        self.assertIsNone(self.driver.execute_script("return localStorage.getItem('fixcast-key')"))

    def test_a_page_that_was_hidden_shows_the_newest_state(self):
        self.open()
        page = self.driver.current_window_handle
        self.driver.switch_to.new_window("tab")
        self.board.simulator.lat += 0.001
        expected = f"{self.board.simulator.lat:.6f}"
        self.board.simulator.wait_for_epochs(4)
        self.driver.close()
        self.driver.switch_to.window(page)
        self.wait("#coordinate", expected, goal=STATE_SECONDS)

    def test_a_client_without_gzip_gets_the_whole_script(self):
        self.open()
        status, body = pages.get("/fixcast.js", pages.session(self.driver))
        script = real_board.REPOSITORY / "Sources/DaemonServer/Web/Page/fixcast.js"
        self.assertEqual((status, len(body)), (200, len(script.read_bytes())))
        self.assertTrue(body == script.read_bytes(), "the script differs")

    def test_without_scripts_the_page_shows_the_state(self):
        self.open()
        self.addCleanup(self.driver.execute_cdp_cmd, "Emulation.setScriptExecutionDisabled", {"value": False})
        self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        self.driver.refresh()
        state = self.driver.find_element("id", "state").text
        self.assertIn("3D fix, ", state)
        self.assertIn(" s old, ±", state)
        self.assertTrue(self.driver.find_element("css selector", "noscript p").is_displayed())

    @unittest.skipUnless(AXE, "axe-core-python is not installed")
    def test_axe_finds_no_violation(self):
        self.addCleanup(browser.resize, self.driver, 1280, 900)
        self.addCleanup(self.plug)
        self.open()
        self.wait("#card-map", "Neustadt in Holstein")
        self.driver.execute_script("for (const table of document.querySelectorAll('details')) table.open = true")
        self.wait("#sky-table", "GPS")
        # The policy of the page forbids eval, so axe is evaluated by the debugger.
        self.driver.execute_cdp_cmd("Runtime.evaluate", {"expression": AXE.read_text()})
        checks = 0
        for width, scheme in ((320, "light"), (320, "dark"), (1280, "light"), (1280, "dark")):
            browser.resize(self.driver, width, 900)
            browser.show_scheme(self.driver, scheme)
            if width == 1280 and self.board.simulator.receiver:
                self.board.simulator.unplug()
                self.wait("#state", "eceiver")
            self.driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
            found = self.driver.execute_async_script("axe.run().then(arguments[0])")
            checks += len(found["passes"])
            problems = [(one["id"], one["nodes"][0]["html"]) for one in found["violations"]]
            self.assertEqual(problems, [], (width, scheme))
        report("rules that axe checked without a violation, in 4 states", checks)


if __name__ == "__main__":
    real_board.enter_network_namespace()
    unittest.main()
