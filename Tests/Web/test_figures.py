#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Sizes, times and memory of the status page of the real daemon in Chromium. Prints the figures.

Needs root, Debian's chromium, chromium-driver and python3-selenium. FIXCAST_PROGRAM names another
build than the debug build.
"""

import pathlib
import sys
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import browser  # noqa: E402
import pages  # noqa: E402
import real_board  # noqa: E402
from browser_tests import report  # noqa: E402

# The time limit of the page after it has slept.
STATE_SECONDS = 5


class FigureTests(unittest.TestCase):
    """All tests run while one page sleeps, because the daemon waits for 30 seconds before it drops the page."""

    @classmethod
    def setUpClass(cls):
        cls.board = real_board.RealBoard(hertz=10)
        cls.addClassCleanup(cls.board.stop)
        chromium = browser.chromium()
        cls.sleeper = chromium.__enter__()
        cls.addClassCleanup(chromium.__exit__, None, None, None)
        cls.sleeper.get(cls.board.link())
        browser.wait_for(cls.sleeper, "#state", "3D fix")
        cls.cookie = pages.session(cls.sleeper)
        cls.sleep = browser.Sleep(cls.sleeper, real_board.PORT)
        cls.addClassCleanup(cls.sleep.end)

    def test_the_first_paint_needs_at_most_60_kilobytes(self):
        with browser.chromium() as driver:
            driver.get(self.board.link())
            browser.wait_for(driver, "#card-weather", "by openmeteo")
            driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": pages.FIRST_STATE})
            figures = []
            for _ in range(5):
                driver.execute_cdp_cmd("Network.clearBrowserCache", {})
                driver.get(real_board.URL + "/")
                browser.wait_for(driver, "#state-detail", "old")
                browser.wait_until(lambda: driver.execute_script(pages.IS_LOADED), "no coastline")
                figures.append(driver.execute_script(pages.FIGURES))
        best = {name: min(figure[name] for figure in figures) for name in figures[0]}
        report("bytes of page, style and script", best["page"])
        report("bytes with the coastline", best["all"])
        report("milliseconds to the first paint", best["paint"])
        report("milliseconds to the state in the page", best["text"])
        report("milliseconds to the state from the stream", best["live"])
        self.assertLessEqual(best["all"], 60_000)
        browser.check_goal(best["live"] / 1000, 0.3)

    def test_twenty_pages_need_4_megabytes_and_a_page_that_sleeps_is_dropped(self):
        one = pages.Page(self.cookie)
        self.addCleanup(one.close)
        one.wait_for_positions(30)
        alone = one.delays()
        before = pages.resident_kilobytes(self.board.daemon.process.pid)
        several = [pages.Page(self.cookie) for _ in range(20)]
        for page in several:
            self.addCleanup(page.close)
        for page in several:
            page.wait_for_positions(100)
        growth = pages.resident_kilobytes(self.board.daemon.process.pid) - before
        report("kB more memory with 20 pages", growth)
        report("milliseconds from the receiver to one page (median, maximum)", alone)
        report("milliseconds from the receiver to the slowest of 20 pages", max(page.delays() for page in several))
        self.assertEqual(sum(page.refusals for page in several), 0)
        self.assertLessEqual(growth, 4096)
        browser.check_goal(max(max(page.delays()) for page in several) / 1000, 1)
        self.sleep.wait_until_dropped()
        report("seconds until a page that sleeps was dropped", round(self.sleep.seconds))
        self.board.simulator.lat += 0.01
        self.board.simulator.wait_for_epochs(2)
        self.sleep.end()
        browser.wait_for(self.sleeper, "#coordinate", f"{self.board.simulator.lat:.6f}", goal=STATE_SECONDS)


if __name__ == "__main__":
    real_board.enter_network_namespace()
    unittest.main()
