#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the daemon of a build as a service manager would, with a receiver and a provider of its own,
and asks it what its users ask. Ends within two minutes, whatever happens.

usage: smoke_daemon.py [PROGRAM]
"""
import json
import os
import pathlib
import signal
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.dont_write_bytecode = True
import board  # noqa: E402

program = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".build/release/fixcast").resolve()


def fact(words, holds, said=""):
    if not holds:
        raise AssertionError(f"{words}: {said}")
    print(f"ok      {words}", flush=True)


def objects(text):
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def look(folder, receiver, provider):
    file = f"{folder}/all.jsonl"
    base = board.serial(receiver.devnode) + board.weather(provider.url())
    sink = f'[[sink]]\ntype = "jsonlines"\nname = "all"\nfile = "{file}"\n'
    daemon = board.Daemon(program, folder, base + sink)
    try:
        daemon.wait_for("serving on")
        said, code = daemon.run("locate", "--json", "--timeout", "20")
        fix = objects(said)[0] if code == 0 else {}
        fact("locate tells where the board is",
             fix.get("mode") == 3 and 5.5 < fix["lat"] < 6 and fix["device"] == receiver.devnode,
             said)
        said, code = daemon.run("watch", "--json", "--no-weather", "--seconds", "3")
        fixes = [line for line in objects(said) if line["class"] == "TPV"]
        fact(f"watch follows it: {len(fixes)} fixes in 3 s", code == 0 and len(fixes) >= 8, said)
        end = time.monotonic() + 30
        while True:
            said, code = daemon.run("status", "--json")
            status = json.loads(said)["daemon"]
            if status["lookups"]["answered"] or time.monotonic() > end:
                break
            time.sleep(0.2)
        fact("status tells of the source and of a lookup that was answered",
             code == 0 and status["source"]["state"] == "running"
             and status["lookups"]["answered"] >= 1, said)
        question = provider.questions[0]
        fact("the provider was told hundredths of a degree",
             "latitude=5.6" in question and "&longitude=-0.21&" in question, question)
        fact("and its answer is in the sink", '"class":"WEATHER"' in pathlib.Path(file).read_text(),
             daemon.said())
        said, code = daemon.run("weather", "--json", "--weather-url", provider.url())
        fact("weather tells that of here", code == 0 and objects(said)[0]["temperature"] == 27.4,
             said)

        daemon.process.send_signal(signal.SIGHUP)
        daemon.wait_for("read again: nothing changed")
        fact("SIGHUP has the configuration read again", True)
        daemon.reload(base + sink.replace("jsonlines", "jsonlins"))
        daemon.wait_for("the previous one stays active")
        said, code = daemon.run("status")
        fact("a slip in it leaves the old one in force",
             code == 0 and "previous configuration still active" in said
             and 'did you mean "jsonlines"' in " ".join(said.split()),
             said)
        daemon.reload(base)
        daemon.wait_for("sink all removed")
        fact("and a right one is taken", True)

        # A name by which nobody is known here, so that it is asked who may know.
        if os.geteuid() == 0:
            daemon.program, mine = "/usr/bin/setpriv", daemon.program
            said, code = daemon.run("--reuid=65534", "--regid=65534", "--clear-groups", mine,
                                    "locate", "--json", "--timeout", "1")
            daemon.program = mine
            fact("somebody on whom nobody has decided is told nothing, and what to do",
                 code == 77 and "sudo fixcast auth allow uid=65534" in said and '"lat"' not in said,
                 said)
        code = daemon.end()
        fact("SIGTERM ends it with 0", code == 0, daemon.said())
        fact("and takes its socket away", not os.path.exists(f"{folder}/socket"))
    except BaseException:
        print(daemon.said(), file=sys.stderr)
        raise
    finally:
        if daemon.process.poll() is None:
            daemon.process.kill()
            daemon.process.wait()


def main():
    started = time.monotonic()
    signal.signal(signal.SIGALRM, lambda *_: sys.exit("smoke: not done after two minutes"))
    signal.alarm(120)
    receiver, provider = board.Receiver(5), board.Provider()
    receiver.start()
    with tempfile.TemporaryDirectory(prefix="fixcast-") as folder:
        try:
            look(folder, receiver, provider)
        except (AssertionError, KeyError, ValueError) as error:
            sys.exit(f"FAILED  {type(error).__name__}: {error}")
        finally:
            receiver.stop()
    print(f"smoke: the daemon, {time.monotonic() - started:.0f} s")


main()
