# SPDX-License-Identifier: Apache-2.0
"""The base of tests with the real daemon and Chromium."""

import sys
import unittest

import browser
import real_board


def report(words, figure):
    print(f"        {words}: {figure}", file=sys.stderr, flush=True)


class BrowserTests(unittest.TestCase):
    """Tests with one board and one Chromium."""

    board_options = {}

    @classmethod
    def setUpClass(cls):
        cls.board = real_board.RealBoard(**cls.board_options)
        cls.addClassCleanup(cls.board.stop)
        chromium = browser.chromium()
        cls.driver = chromium.__enter__()
        cls.addClassCleanup(chromium.__exit__, None, None, None)

    def tearDown(self):
        self.driver.get("about:blank")

    def open(self, url=None):
        """Opens the page, by default with a link of root, and waits until it is complete."""
        self.driver.get(url or self.board.link())
        self.wait("#state", "3D fix")
        self.wait("#card-health", "Running for")
        browser.errors(self.driver)

    def wait(self, selector, *texts, goal=None):
        try:
            return browser.wait_for(self.driver, selector, *texts, goal=goal)
        except AssertionError as error:
            raise AssertionError(f"{error}\nlog of the daemon:\n{self.board.daemon.log_text()[-2000:]}") from None

    def text(self, selector):
        return browser.text_of(self.driver, selector)

    def content(self):
        return self.driver.execute_script("return document.documentElement.outerHTML + document.title")

    def plug(self):
        if not self.board.simulator.receiver:
            self.board.simulator.plug()
            self.board.simulator.wait_for_epochs(4)
