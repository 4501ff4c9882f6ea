#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the daemon of a build with a simulated receiver and weather provider, and checks the
commands that users run. Exits within two minutes in any case.

usage: smoke_daemon.py [PROGRAM]
"""
import json
import os
import pathlib
import signal
import socket
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.dont_write_bytecode = True
import board  # noqa: E402

program = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".build/release/fixcast").resolve()


def check(statement, holds, output=""):
    """Prints a statement that holds; otherwise raises an error with the output."""
    if not holds:
        raise AssertionError(f"{statement}: {output}")
    print(f"ok      {statement}", flush=True)


def objects(text):
    """Returns the JSON objects in lines of text."""
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def check_daemon(folder, receiver, provider):
    file = f"{folder}/all.jsonl"
    base = board.serial(receiver.devnode) + board.weather(provider.url())
    sink = f'[[sink]]\ntype = "jsonlines"\nname = "all"\nfile = "{file}"\n'
    chronyd = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    chronyd.bind(f"{folder}/chrony")
    chronyd.settimeout(board.HANG_SECONDS)
    sink += f'[[sink]]\ntype = "chrony"\npath = "{folder}/chrony"\n'
    daemon = board.Daemon(program, folder, base + sink)
    try:
        daemon.wait_for("serving on")
        output, code = daemon.run("locate", "--json", "--timeout", "20")
        fix = objects(output)[0] if code == 0 else {}
        check("locate prints the position from the receiver",
              fix.get("mode") == 3 and 5.5 < fix["lat"] < 6 and fix["device"] == receiver.devnode,
              output)
        sizes = [len(chronyd.recv(100)) for _ in range(3)]
        check("chronyd gets samples of 40 bytes", sizes == [40, 40, 40], sizes)
        output, code = daemon.run("watch", "--json", "--no-weather", "--seconds", "3")
        fixes = [line for line in objects(output) if line["class"] == "TPV"]
        check(f"watch prints every fix: {len(fixes)} in 3 s", code == 0 and len(fixes) >= 8, output)
        end = time.monotonic() + board.HANG_SECONDS
        while True:
            output, code = daemon.run("status", "--json")
            status = json.loads(output)["daemon"]
            if status["lookups"]["answered"] or time.monotonic() > end:
                break
            time.sleep(0.2)
        check("status reports a running source and an answered weather lookup",
              code == 0 and status["source"]["state"] == "running"
              and status["lookups"]["answered"] >= 1, output)
        request = provider.request_paths[0]
        check("the provider gets the position rounded to hundredths of a degree",
              "latitude=5.6" in request and "&longitude=-0.21&" in request, request)
        check("the sink contains the weather", '"class":"WEATHER"' in pathlib.Path(file).read_text(),
              daemon.log_text())
        output, code = daemon.run("weather", "--json", "--weather-url", provider.url())
        check("weather prints the weather at the position",
              code == 0 and objects(output)[0]["temperature"] == 27.4, output)

        daemon.process.send_signal(signal.SIGHUP)
        daemon.wait_for("configuration reloaded: nothing changed")
        check("SIGHUP reloads the configuration", True)
        daemon.reload(base + sink.replace("jsonlines", "jsonlins"))
        daemon.wait_for("the previous one stays active")
        output, code = daemon.run("status")
        check("after an invalid change the previous configuration stays active",
              code == 0 and "previous configuration still active" in output
              and 'did you mean "jsonlines"' in " ".join(output.split()),
              output)
        daemon.reload(base)
        daemon.wait_for("sink all removed")
        check("a valid change is applied", True)

        # Runs the command as a user without a rule or an answer, which needs root.
        if os.geteuid() == 0:
            daemon.program, fixcast = "/usr/bin/setpriv", daemon.program
            output, code = daemon.run("--reuid=65534", "--regid=65534", "--clear-groups", fixcast,
                                      "locate", "--json", "--timeout", "1")
            daemon.program = fixcast
            check("a user without a decision gets no position, but the command that allows it",
                  code == 77 and "sudo fixcast auth allow uid=65534" in output and '"lat"' not in output,
                  output)
        code = daemon.stop()
        check("SIGTERM stops the daemon with exit code 0", code == 0, daemon.log_text())
        check("the stopped daemon removes its socket", not os.path.exists(f"{folder}/socket"))
    except BaseException:
        print(daemon.log_text(), file=sys.stderr)
        raise
    finally:
        if daemon.process.poll() is None:
            daemon.process.kill()
            daemon.process.wait()


def main():
    started = time.monotonic()
    receiver, provider = board.Receiver(5), board.Provider()
    receiver.start()
    with tempfile.TemporaryDirectory(prefix="fixcast-") as folder:
        try:
            check_daemon(folder, receiver, provider)
        except (AssertionError, KeyError, ValueError) as error:
            sys.exit(f"FAILED  {type(error).__name__}: {error}")
        finally:
            receiver.stop()
    print(f"smoke: all checks of the daemon passed in {time.monotonic() - started:.0f} s")


main()
