#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of the status page in Chromium against a mock board.

Needs Debian's chromium, chromium-driver and python3-selenium, and for the accessibility test
axe-core-python from .ci/python-clients.txt.
"""

import pathlib
import sys
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import browser  # noqa: E402
import mock_board  # noqa: E402
from simulated_board import DEVICE, HOSTILE  # noqa: E402

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
AXE = next(REPOSITORY.glob(".build/python-clients/lib/*/site-packages/axe_core_python/axe.min.js"), None)
POSITION_WORDS = ("54.0", "10.8", "10.9", "Sierksdorf", "Neustadt", "°C", "km/h")


class PageTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.chromium = browser.chromium()
        cls.driver = cls.chromium.__enter__()
        cls.addClassCleanup(cls.chromium.__exit__, None, None, None)

    def setUp(self):
        self.server = mock_board.Server()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.driver.get(self.server.url)
        self.wait("#state", "3D fix")
        self.wait("#card-health", "Running for")
        browser.errors(self.driver)

    def tearDown(self):
        self.driver.get("about:blank")

    def cause(self, *incidents):
        for incident in incidents:
            self.assertTrue(self.server.board.incident(incident), incident)

    def wait(self, selector, text):
        browser.wait_for(self.driver, selector, text)

    def text(self, selector):
        return browser.text_of(self.driver, selector)

    def test_each_card_shows_the_values_of_the_board(self):
        for card, words in {
            "position": ("54.0", "±", "above sea level", "km/h", "20 used, 26 in view", DEVICE),
            "requests": ("No program waits",),
            "sky": ("20 of 26 satellites used", "GPS 8/11", "GLONASS 4/5"),
            "map": ("Sierksdorf", "Neustadt in Holstein"),
            "weather": ("°C", "forecast, by openmeteo, 5 min old", "Open-Meteo.com", "Next 48 hours", "Low, high"),
            "board": ("active", "u-blox 7", "connected", "sink mqtt", "dropped 14", "gpsd"),
            "health": ("needs attention", "sink mqtt: mqtt://127.0.0.1:1883: Connection refused", "1.0.0", "13 asked"),
        }.items():
            for word in words:
                with self.subTest(card=card, word=word):
                    self.wait(f"#card-{card}", word)
        track = "return document.querySelector('#map .track').getAttribute('d').split('L').length"
        browser.wait_until(lambda: self.driver.execute_script(track) > 300, "the map does not show the track")

    def test_a_click_allows_a_request_for_two_hours(self):
        self.cause("request")
        self.wait("#state-links", "1 request waits")
        self.wait("#card-requests", "sudo fixcast auth allow user=pi")
        browser.click(self.driver, "#card-requests .allow")
        self.wait("#decision", "Allowed: user=pi unit=navigator.service for 2 h.")
        self.wait("#card-requests", "No program waits")
        self.assertEqual(self.server.board.decisions, [{"request": "r1", "decision": "allow", "hours": 2}])

    def test_a_session_that_may_only_look_sees_no_requests(self):
        self.cause("request", "look")
        browser.wait_until(lambda: not self.text("#card-requests"), "the card of requests is still shown")

    def test_the_page_reports_an_unplugged_receiver_a_lost_fix_and_a_lost_network_and_recovers(self):
        for incident, words, end in (
            ("unplug", "Receiver unplugged", "plug"),
            ("nofix", "No fix", "fix"),
            ("nonetwork", "no network", "network"),
        ):
            with self.subTest(incident=incident):
                # A stream that is opened after an incident contains only what follows.
                browser.wait_until(lambda: len(self.server.board.streams) == 1, "the page has no stream")
                self.cause(incident)
                self.wait("#state", words)
                self.cause(end)
                browser.wait_until(lambda: self.text("#state") == "3D fix", "the page does not recover")

    def test_the_page_reports_a_board_that_does_not_answer_and_recovers(self):
        self.cause("hang")
        self.wait("#state", "The board does not answer")
        self.wait("#state-detail", "last response")
        self.wait("#card-position", "Not current")
        self.cause("wake")
        self.wait("#state", "3D fix")

    def test_a_closed_stream_is_opened_again(self):
        self.cause("drop")
        browser.wait_until(lambda: not self.server.board.streams, "the stream is still open")
        browser.wait_until(lambda: len(self.server.board.streams) == 1, "no stream was opened")

    def test_after_a_revocation_the_page_contains_no_position(self):
        self.wait("#card-weather", "°C")
        self.cause("deny")
        self.wait("#state", "No permission")
        self.wait("#state-detail", "sudo fixcast auth allow user=pi")
        self.assert_no_position()

    def assert_no_position(self):
        content = self.driver.execute_script("return document.documentElement.outerHTML + document.title")
        self.assertEqual([word for word in POSITION_WORDS if word in content], [])

    def test_a_revocation_that_only_the_status_reports_removes_the_position(self):
        self.wait("#card-weather", "°C")
        self.cause("revoke")
        self.wait("#state", "No permission")
        self.assert_no_position()

    def test_a_refused_value_removes_the_position(self):
        self.wait("#card-weather", "°C")
        self.cause("withhold")
        self.wait("#card-position", "No position has been received")
        self.assert_no_position()

    def test_a_page_that_was_hidden_shows_no_position_before_the_board_allows_it_again(self):
        self.wait("#card-weather", "°C")
        page = self.driver.current_window_handle
        self.driver.switch_to.new_window("tab")
        browser.wait_until(lambda: not self.server.board.streams, "the hidden page keeps its stream")
        self.cause("revoke", "hang")
        self.addCleanup(self.cause, "wake")
        self.driver.close()
        self.driver.switch_to.window(page)
        browser.wait_until(
            lambda: self.driver.execute_script("return !document.hidden"), "the page is still hidden"
        )
        self.assert_no_position()
        self.cause("wake")
        self.wait("#state", "No permission")

    def test_a_request_for_full_accuracy_cannot_be_allowed_with_reduced_accuracy(self):
        self.cause("request", "request", "request")
        self.wait("#state-links", "3 requests wait")
        buttons = {
            item.get_attribute("data-request"): [
                button.get_attribute("data-decision") for button in item.find_elements("css selector", "button")
            ]
            for item in self.driver.find_elements("css selector", "#card-requests [data-request]")
        }
        self.assertEqual(
            buttons,
            {"r1": ["allow", "allowReduced", "deny"], "r2": ["allow", "allowReduced", "deny"], "r3": ["allow", "deny"]},
        )

    def test_reduced_accuracy_removes_the_satellites_and_the_track(self):
        self.cause("reduce")
        self.wait("#state", "Approximate position")
        self.wait("#card-sky", "Satellites need full accuracy")
        self.wait("#card-position", "±5 km")
        self.assertEqual(
            self.driver.execute_script("return document.querySelector('#map .track').getAttribute('d')"), "M0 0"
        )

    def test_an_ended_session_names_the_command_for_a_new_one(self):
        self.cause("end")
        self.wait("#state", "This session has ended")
        self.wait("#state-detail", "sudo fixcast web")
        self.assertNotIn("54.0", self.text("body"))

    def test_text_of_clients_receivers_and_providers_is_never_markup(self):
        self.cause("hostile", "request")
        self.driver.refresh()
        markup = HOSTILE.split("\u202e")[0].strip()
        for card in ("requests", "board", "weather", "position", "map"):
            with self.subTest(card=card):
                browser.wait_until(lambda: markup[:20] in self.text(f"#card-{card}"), "the text is not shown")
        self.assertNotEqual(self.driver.title, "run")
        self.assertFalse(self.driver.find_elements("css selector", "main img, main script"))
        self.assertNotIn("\u202e", self.text("body"))
        self.assertEqual(browser.errors(self.driver), [])

    def test_a_hidden_page_closes_its_stream_and_opens_it_when_shown(self):
        page = self.driver.current_window_handle
        self.driver.switch_to.new_window("tab")
        browser.wait_until(lambda: not self.server.board.streams, "the hidden page keeps its stream")
        self.driver.close()
        self.driver.switch_to.window(page)
        browser.wait_until(lambda: len(self.server.board.streams) == 1, "the page has no stream")
        self.wait("#state", "3D fix")

    def test_the_page_is_never_wider_than_the_window(self):
        self.cause("hostile", "request")
        self.addCleanup(browser.resize, self.driver, 1280, 900)
        for width in (320, 480, 768, 1199, 1920):
            browser.resize(self.driver, width, 900)
            excess = self.driver.execute_script(
                "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
            )
            self.assertLessEqual(excess, 0, f"at a width of {width} pixels")

    @unittest.skipUnless(AXE, "axe-core-python is not installed")
    def test_axe_finds_no_violation(self):
        self.addCleanup(browser.resize, self.driver, 1280, 900)
        self.cause("request")
        self.driver.execute_script("for (const table of document.querySelectorAll('details')) table.open = true")
        # The policy of the page forbids eval, so axe is evaluated by the debugger.
        self.driver.execute_cdp_cmd("Runtime.evaluate", {"expression": AXE.read_text()})
        for width, scheme, incident in (
            (320, "light", "nonetwork"),
            (1280, "dark", "unplug"),
            (320, "dark", "reduce"),
            (1280, "light", "deny"),
            (768, "dark", "full"),
            (320, "light", "end"),
        ):
            self.cause(incident)
            browser.resize(self.driver, width, 900)
            browser.show_scheme(self.driver, scheme)
            time.sleep(1)
            found = self.driver.execute_async_script("axe.run().then(arguments[0])")["violations"]
            self.assertEqual([(one["id"], one["nodes"][0]["html"]) for one in found], [], (width, scheme, incident))


if __name__ == "__main__":
    unittest.main()
