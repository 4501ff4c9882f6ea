#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes screenshots of the status page in three sizes, dark and light.

usage: screenshots.py URL FOLDER [--whole]
       screenshots.py --daemon FOLDER [--whole]

URL is a mock's address or the link that `fixcast web` prints. With --daemon, which needs root, the
script starts the daemon with a simulated receiver that moves for two minutes. The files are named
status-WIDTHxHEIGHT-SCHEME.png. With --whole, they show the whole page and not only its beginning.
"""

import base64
import contextlib
import pathlib
import sys
import time

sys.dont_write_bytecode = True
import browser  # noqa: E402
import real_board  # noqa: E402

SIZES = ((320, 640), (768, 1024), (1920, 1080))


def clip(driver):
    """Returns the parameters of a screenshot of the whole page."""
    width, height = driver.execute_script(
        "return [document.documentElement.clientWidth, document.documentElement.scrollHeight]"
    )
    return {"captureBeyondViewport": True, "clip": {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}}


@contextlib.contextmanager
def simulated_boat():
    """Yields a link of a daemon whose receiver has moved, and from which a program requests the position."""
    board = real_board.RealBoard(receiver="ttyACM0")
    client = board.start_stream_of_nobody("to show the route on a map")
    try:
        board.simulator.speed = 12.0
        for course in range(60, 240, 15):
            board.simulator.course = float(course)
            board.simulator.wait_for_epochs(40)
        yield board.link()
    finally:
        client.kill()
        client.wait()
        board.stop()


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--whole"]
    if len(arguments) != 2:
        sys.exit(__doc__)
    if arguments[0] == "--daemon":
        real_board.enter_network_namespace()
    with simulated_boat() if arguments[0] == "--daemon" else contextlib.nullcontext(arguments[0]) as url:
        take(url, pathlib.Path(arguments[1]))


def take(url, folder):
    folder.mkdir(parents=True, exist_ok=True)
    with browser.chromium() as driver:
        driver.get(url)
        browser.wait_for(driver, "#card-health", "Running for")
        for width, height in SIZES:
            for scheme in browser.SCHEMES:
                browser.resize(driver, width, height, 2 if width < 600 else 1)
                browser.show_scheme(driver, scheme)
                time.sleep(1.2)  # The page adapts the map and the chart to the new size.
                picture = driver.execute_cdp_cmd(
                    "Page.captureScreenshot", {"format": "png", **(clip(driver) if "--whole" in sys.argv else {})}
                )
                file = folder / f"status-{width}x{height}-{scheme}.png"
                file.write_bytes(base64.b64decode(picture["data"]))
                overflow = driver.execute_script(
                    "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
                )
                print(f"{file}: {overflow} pixels too wide" if overflow > 0 else file)
        for message in browser.errors(driver):
            print("console:", message)


if __name__ == "__main__":
    main()
