# SPDX-License-Identifier: Apache-2.0
"""Chromium without a window, for tests of the status page.

Needs Debian's chromium, chromium-driver and python3-selenium, which only /usr/bin/python3 finds.
"""

import contextlib
import os
import pathlib
import signal
import subprocess
import time

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

SCHEMES = ("light", "dark")
# The time after which a condition counts as never met, also on a busy machine.
HANG_SECONDS = 600


@contextlib.contextmanager
def chromium(*arguments, size=(1280, 900), language="en-GB", scheme="light"):
    """Starts Chromium and ends it with the block."""
    options = Options()
    options.binary_location = "/usr/bin/chromium"
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--hide-scrollbars",
        "--disable-background-networking",
        f"--lang={language}",
        *arguments,
    ):
        options.add_argument(argument)
    options.add_experimental_option("prefs", {"intl.accept_languages": language})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
    try:
        driver.execute_cdp_cmd("Emulation.setLocaleOverride", {"locale": language})
        resize(driver, *size)
        show_scheme(driver, scheme)
        yield driver
    finally:
        driver.quit()


def resize(driver, width, height, scale=1):
    """Sets the size of the page in CSS pixels; a window cannot be narrower than 500 pixels."""
    driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": width < 600},
    )


def show_scheme(driver, scheme):
    """Chooses the light or dark colours."""
    driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    )


def text_of(driver, selector):
    """Returns the text of the first element with plain spaces; empty if there is none or it is not shown."""
    return driver.execute_script(
        "const found = document.querySelector(arguments[0]); if (!found?.checkVisibility()) return '';"
        "return (found.innerText ?? found.textContent).replaceAll('\\u00a0', ' ')",
        selector,
    )


def wait_for(driver, selector, *texts, goal=None):
    """Waits until the element contains one of the texts, and returns the seconds that it took."""

    def contains_one():
        found.append(text_of(driver, selector))
        return any(text in found[-1] for text in texts)

    found = []
    return wait_until(contains_one, lambda: f"{selector} contains none of {texts}, but {found[-1]!r}", goal)


def wait_until(condition, message, goal=None):
    """Waits until the condition holds, and returns the seconds that it took.

    The goal in seconds is checked only if FIXCAST_CHECKS_TIMES is set, because a busy machine misses it.
    """
    start = time.monotonic()
    while not condition():
        if time.monotonic() - start > HANG_SECONDS:
            raise AssertionError(f"{message() if callable(message) else message} after {HANG_SECONDS} s")
        time.sleep(0.05)
    seconds = time.monotonic() - start
    check_goal(seconds, goal)
    return seconds


def check_goal(seconds, goal):
    """Fails if the time exceeds the goal and FIXCAST_CHECKS_TIMES is set."""
    if goal and seconds > goal and "FIXCAST_CHECKS_TIMES" in os.environ:
        raise AssertionError(f"took {seconds:.2f} s; the goal is {goal} s")


def click(driver, selector):
    """Waits until the first element is enabled, and clicks it as a user does: it must be visible and not covered."""
    wait_until(lambda: driver.find_element("css selector", selector).is_enabled(), f"{selector} is disabled")
    driver.find_element("css selector", selector).click()


def processes(driver):
    """Returns the process IDs of Chromium, without its driver."""
    parents = {}
    for file in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            number, _, rest = file.read_text().partition(" ")
            parents[int(number)] = int(rest.rpartition(")")[2].split()[1])
    found = [driver.service.process.pid]
    for number in found:
        found += [child for child, parent in parents.items() if parent == number]
    return found[1:]


def has_connection(numbers, port):
    """Returns whether one of the processes has a connection to a port."""
    words = ["ss", "-tnpH", "state", "established", "dport", "=", f":{port}"]
    output = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout
    return any(f"pid={number}," in output for number in numbers)


class Sleep:
    """Suspends the processes of Chromium, as a computer does that sleeps."""

    def __init__(self, driver, port):
        self.numbers, self.port = processes(driver), port
        self.start = time.monotonic()
        self.signal(signal.SIGSTOP)

    def signal(self, number):
        for process in self.numbers:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, number)

    @property
    def seconds(self):
        return time.monotonic() - self.start

    def wait_until_dropped(self, goal=60):
        """Waits until the server has closed the connections."""
        wait_until(lambda: not has_connection(self.numbers, self.port), "a sleeping page is still connected", goal)

    def end(self):
        self.signal(signal.SIGCONT)


def errors(driver):
    """Returns the errors of the console since the last call, such as violations of the content policy."""
    return [entry["message"] for entry in driver.get_log("browser") if entry["level"] == "SEVERE"]
