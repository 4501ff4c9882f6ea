#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs in the box: somebody new, over SSH, as an ordinary user who has sudo, types what the README
says and nothing else, from the package to "where am I and what is the weather": once all of it, line
by line as it stands there, and once with wrong turns on the way. Each of those is answered with what
to type next, which is typed then, and works.

What is typed stands in the README's section of first steps, in an answer before, or is one of the
wrong turns. The time told is that of the machine, and that of typing at five characters a second.
"""
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import traceback

sys.path.insert(0, "/box")
sys.dont_write_bytecode = True
import board  # noqa: E402
from terminal import HERE, PROMPT, Terminal  # noqa: E402

PASSWORD = "a-board-in-a-box"
CHARACTERS_PER_SECOND = 5
LIMIT_SECONDS = 300
# What all of this may take by the clock; the box allows it a little more.
ALLOWED_SECONDS = 260
# What each line of the README is answered with, by how it begins.
ANSWERS = {
    "make deb": r"built: \.build/deb/fixcast_\S+\.deb",
    "scp ": "100%",
    "ssh ": "",
    "sudo apt install ": "Setting up fixcast",
    "sudo tee /etc/fixcast/": "",
    "fixcast check-config": "no errors sources: serial:/dev/ttyUSB0 ",
    "sudo fixcast auth allow ": "may know where the board is",
    "fixcast locate": r"position 5\.6\d+° N",
    "fixcast weather": r"Temperature 27\.4 °C.*Open-Meteo",
    "fixcast status": "running, fix",
}


def fact(words, holds, said=""):
    if not holds:
        raise AssertionError(f"{words}\n{said}")
    print(f"ok      {words}", flush=True)


def root(*words, data=None):
    done = subprocess.run(words, input=data, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=60, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(words)}: {done.returncode}: {done.stdout}")
    return done.stdout


def await_reload(word):
    """Waits as long as somebody who types does not notice: the reload returns before it is done."""
    for _ in range(100):
        said = subprocess.run(["fixcast", "status"], stdout=subprocess.PIPE, text=True, timeout=20,
                              check=False).stdout
        if word in said:
            return
        time.sleep(0.05)
    raise AssertionError(f"the daemon has not read of {word}\n{said}")


def readme():
    """The commands of the README's first steps, each with the lines that belong to it, by how they
    begin and in the order in which they stand."""
    section = pathlib.Path("/box/README.md").read_text().split("\n## First steps\n")[1]
    lines, ending = [], None
    for line in section.split("\n## ")[0].splitlines():
        if ending:
            lines[-1] += "\n" + line
            ending = None if line == ending else ending
        elif line.startswith("$ "):
            lines.append(line[2:].split("   #")[0].rstrip())
            document = re.search(r"<<'(\w+)'", line)
            ending = document and document[1]
    commands = {next(name for name in ANSWERS if line.startswith(name)): line for line in lines}
    fact("the README's first steps are those that are known here",
         len(commands) == len(lines) == len(ANSWERS), "\n".join(lines))
    return commands


def prepare():
    """The board as its owner got it: a user with sudo, an SSH server, and a cable to the internet,
    which is one provider."""
    root("useradd", "--create-home", "--shell", "/bin/bash", "--groups", "sudo", "pi")
    root("chpasswd", data=f"pi:{PASSWORD}\n")
    hosts = pathlib.Path("/etc/hosts")
    hosts.write_text("127.0.0.1 localhost box board\n203.0.113.10 api.open-meteo.com\n")
    root("sh", "-c", "ip netns add internet && ip link add wan0 type veth peer name isp0 netns internet"
         " && ip addr add 198.51.100.2/24 dev wan0 && ip link set wan0 up"
         " && ip -n internet addr add 198.51.100.1/24 dev isp0 && ip -n internet link set isp0 up"
         " && ip -n internet addr add 203.0.113.10/32 dev lo && ip -n internet link set lo up"
         " && ip route add default via 198.51.100.1")
    root("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
         "/CN=api.open-meteo.com", "-addext", "subjectAltName=DNS:api.open-meteo.com", "-addext",
         "basicConstraints=critical,CA:true", "-keyout", "/run/key", "-out",
         "/usr/local/share/ca-certificates/box.crt")
    root("update-ca-certificates")
    # Not before somebody wants it.
    root("systemctl", "disable", "--quiet", "--now", "gpsd.socket", "gpsd.service")
    root("systemctl", "start", "ssh", "systemd-logind", "systemd-user-sessions")
    provider = subprocess.Popen(
        ["ip", "netns", "exec", "internet", sys.executable, "-B", "-c",
         "import sys, time; sys.path.insert(0, '/box'); import board; board.Provider("
         "('203.0.113.10', 443), ('/usr/local/share/ca-certificates/box.crt', '/run/key'));"
         "print('ready', flush=True); time.sleep(600)"], stdout=subprocess.PIPE)
    if provider.stdout.readline() != b"ready\n":
        raise AssertionError("no provider")


def cable(state):
    root("ip", "-n", "internet", "link", "set", "isp0", state)
    if state == "up":
        root("sh", "-c", "ip -n internet addr show dev isp0 | grep -q 198.51.100.1"
             " || ip -n internet addr add 198.51.100.1/24 dev isp0")


def plug_in():
    receiver = board.Receiver(1)
    # As udev leaves a port.
    root("chgrp", "dialout", receiver.devnode)
    os.chmod(receiver.devnode, 0o660)
    os.symlink(receiver.devnode, "/dev/ttyUSB0")
    receiver.start()
    return receiver

def unplug(receiver):
    os.unlink("/dev/ttyUSB0")
    receiver.stop()


def make_package():
    """The computer with Swift, where the package was made: its `make deb` has it already."""
    folder = pathlib.Path("/root/.build/deb")
    folder.mkdir(parents=True)
    version = root("dpkg-deb", "-f", "/box/fixcast.deb", "Version").strip()
    (folder / f"fixcast_{version}_box.deb").symlink_to("/box/fixcast.deb")
    make = pathlib.Path("/usr/local/bin/make")
    make.write_text('#!/bin/sh\n[ "$*" = deb ] && echo "built: $(ls .build/deb/*.deb)"\n')
    make.chmod(0o755)
    os.chdir("/root")


def start_anew():
    """The board as it was, without what was installed and answered, and nobody known to it."""
    root("apt-get", "-qq", "purge", "-y", "fixcast")
    root("sh", "-c", "rm -rf /home/pi/* /home/pi/.local /root/.ssh /etc/fixcast")


def tell_time(terminal, started, what):
    machine = time.monotonic() - started
    typing = terminal.typed / CHARACTERS_PER_SECOND
    fact(f"{what}: {terminal.typed} characters, {typing:.0f} s of typing, and {machine:.0f} s of the "
         f"machine: {typing + machine:.0f} s", typing + machine < LIMIT_SECONDS, "too long")


def walk_straight(commands):
    """All that the README says, in its order, by somebody who has a receiver and a network."""
    cable("up")
    receiver = plug_in()
    terminal, started = Terminal(commands.values(), PASSWORD), time.monotonic()
    ending = HERE
    for name, line in commands.items():
        if name == "ssh ":
            ending = PROMPT
        said = terminal.type(line, ending, seconds=120)
        fact(f"straight on: {name.strip()}", re.search(ANSWERS[name], said) is not None, said)
    tell_time(terminal, started, "the README from its first line to its last")
    terminal.close()
    unplug(receiver)


def walk_astray(commands):
    """The same, without a receiver and a network at first, and with a mistake wherever one can be."""
    cable("down")
    terminal, started = Terminal(commands.values(), PASSWORD), time.monotonic()
    terminal.type(commands["make deb"], HERE)
    terminal.type(commands["scp "], HERE)
    terminal.type(commands["ssh "])
    terminal.type(commands["sudo apt install "], seconds=120)
    naming, checking = commands["sudo tee /etc/fixcast/"], commands["fixcast check-config"]
    locate, weather = commands["fixcast locate"], commands["fixcast weather"]

    said = terminal.type("fixcast wether", is_wrong=True)
    fact("wrong turn: a slip in the command is told the right one", "fixcast weather" in said, said)
    said = terminal.type("fixcast start", is_wrong=True)
    fact("wrong turn: what the service manager does is told as its command",
         "sudo systemctl start fixcast" in said, said)
    terminal.type("sudo systemctl start fixcast")
    said = terminal.type("fixcast run", is_wrong=True)
    fact("wrong turn: a second daemon is told of the first", "already running" in said
         and "see: fixcast status" in said, said)
    said = terminal.type(commands["sudo fixcast auth allow "].replace("sudo ", ""), is_wrong=True)
    fact("wrong turn: answers of somebody who is not root are told to need sudo",
         "try again with sudo" in said, said)
    said = terminal.type(locate, r"s at most\n$")
    fact("wrong turn: asked before it was allowed, it says at once what allows it",
         "allow it with: sudo fixcast auth allow uid=" in said, said)
    terminal.interrupt()
    said = terminal.type(re.search(r"sudo fixcast auth allow uid=\d+", said)[0])
    fact("which does", "may know where the board is" in said, said)
    said = terminal.type(locate, r"s at most\n$")
    fact("wrong turn: without a receiver it says so at once, and where to read on",
         "no data from a receiver yet" in said and "man fixcast.toml" in said, said)
    terminal.interrupt()
    plug_in()
    terminal.type(naming.replace("ttyUSB0", "ttyUSB1"), is_wrong=True)
    terminal.type("sudo systemctl reload fixcast", is_wrong=True)
    await_reload("ttyUSB1")
    said = terminal.type("fixcast doctor", is_wrong=True)
    fact("wrong turn: of a port that is not there the doctor says so, and what finds the right one",
         "BAD source" in said and "/dev/ttyUSB1" in said and "No such file" in said
         and "-> fixcast devices" in said, said)
    terminal.type(naming.replace("device", "devise"), is_wrong=True)
    said = terminal.type(checking)
    fact("wrong turn: a slip in the configuration is told the line and the right key",
         "receiver.toml:3" in said and 'did you mean "device"' in said, said)
    terminal.type(naming)
    said = terminal.type(checking)
    fact("and the right one is right", "did you mean" not in said, said)
    said = terminal.type(locate)
    fact("where am I", re.search(ANSWERS["fixcast locate"], said) is not None, said)
    said = terminal.type(weather)
    fact("wrong turn: without a network it says who was not reached, and what looks for the reason",
         "api.open-meteo.com" in said and "see: fixcast doctor" in said, said)
    said = terminal.type("fixcast doctor")
    fact("which finds the cable unplugged", "no carrier" in said.lower() and "plug the cable in" in said,
         said)
    cable("up")
    said = terminal.type(weather)
    fact("what is the weather", re.search(ANSWERS["fixcast weather"], said) is not None, said)
    tell_time(terminal, started, "with these wrong turns")


def leave_it_to_gpsd(commands):
    """The receiver is gpsd's, and nothing is configured: the service asks gpsd."""
    os.unlink("/etc/fixcast/conf.d/receiver.toml")
    root("systemctl", "stop", "fixcast")
    pathlib.Path("/etc/default/gpsd").write_text('DEVICES="/dev/ttyUSB0"\nGPSD_OPTIONS="-n"\n')
    root("systemctl", "start", "gpsd.service", "fixcast")
    terminal = Terminal(commands.values(), PASSWORD)
    terminal.type(commands["ssh "])
    said = terminal.type(commands["fixcast locate"])
    fact("a receiver that gpsd reads is read by asking gpsd",
         re.search(ANSWERS["fixcast locate"], said) is not None, said)
    said = terminal.type(commands["fixcast status"])
    fact("and the status says that it runs", re.search(ANSWERS["fixcast status"], said) is not None,
         said)


def out_of_time(_, frame):
    """Says where the time ran out: the lines that led there, the last of them at the end."""
    lines = [f"{entry.name}, line {entry.lineno}: {entry.line}"
             for entry in traceback.extract_stack(frame) if entry.filename == __file__]
    person = frame
    while person and not isinstance(person.f_locals.get("self"), Terminal):
        person = person.f_back
    if person:
        terminal = person.f_locals["self"]
        lines.append(f"typed: {terminal.line}\nsaid since: {terminal.said}")
    raise TimeoutError("\n".join([f"not done after {ALLOWED_SECONDS} s:", *lines]))


def main():
    commands = readme()
    prepare()
    make_package()
    walk_straight(commands)
    start_anew()
    walk_astray(commands)
    leave_it_to_gpsd(commands)


try:
    signal.signal(signal.SIGALRM, out_of_time)
    signal.alarm(ALLOWED_SECONDS)
    main()
except (AssertionError, IndexError, KeyError, StopIteration, TypeError, OSError, ValueError,
        subprocess.SubprocessError) as error:
    print(f"FAILED  {type(error).__name__}: " + str(error).replace("\n", "\n        "))
    sys.exit(1)
