#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs in the box, a test container: simulates a new user with sudo, who follows the README's first
steps over SSH, from the package to the position and the weather. The first pass types every command of the README.
The second pass adds typical mistakes, and checks that each message names a command that helps.

Only commands from the README, commands from earlier output, and the mistakes are typed. The
reported time is that of the machine plus that of typing five characters per second.
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
from terminal import LOCAL_PROMPT, BOARD_PROMPT, Terminal  # noqa: E402

PASSWORD = "a-board-in-a-box"
CHARACTERS_PER_SECOND = 5
# The limit of machine time plus typing time.
LIMIT_SECONDS = 300
# The time limit of this script; the time limit of the box is slightly longer.
TIMEOUT_SECONDS = 340
README = pathlib.Path("/box/README.md").read_text()
# The receiver's link, which the README names.
DEVICE = re.search(r'^device = "(.+)"$', README, re.MULTILINE)[1]
# The start of each command of the README's first steps, and a pattern of the command's output.
PATTERNS = {
    "scp ": "100%",
    "ssh ": "",
    "sudo apt install ": "Setting up fixcast",
    "sudo tee /etc/fixcast/": "",
    "fixcast check-config": f"no errors sources: serial:{re.escape(DEVICE)} ",
    "sudo fixcast auth allow ": "may know where the board is",
    "fixcast locate": r"position 5\.6\d+° N",
    "fixcast weather": r"Temperature 27\.4 °C.*Open-Meteo",
    "fixcast status": "running, fix",
}
# Commands that print the position for a user with permission.
POSITION_COMMANDS = ["fixcast locate --timeout 3", "fixcast watch --json --seconds 3"] + [
    f"{sys.executable} /run/request.py {path}" for path in ("/v1/location", "/v1/events?purpose=x")]
# Sends a request to the daemon and prints the reply, of a stream the first parts.
REQUEST = r"""import socket, sys
connection = socket.socket(socket.AF_UNIX)
connection.settimeout(5)
connection.connect("/run/fixcast/fixcast.sock")
connection.sendall(f"GET {sys.argv[1]} HTTP/1.1\r\nHost: fixcast\r\n\r\n".encode())
for _ in range(5):
    print(connection.recv(65536).decode(), flush=True)
"""


def check(statement, holds, output=""):
    """Prints a statement that holds; otherwise raises an error with the output."""
    if not holds:
        raise AssertionError(f"{statement}\n{output}")
    print(f"ok      {statement}", flush=True)


def run_as_root(*words, data=None):
    """Runs a command as root and returns its output; raises an error if the command fails."""
    done = subprocess.run(words, input=data, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=60, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(words)}: exit code {done.returncode}: {done.stdout}")
    return done.stdout


def await_reload(word):
    """Waits until the status contains a word: `systemctl reload` returns before the reload ends.
    Asks as the user with permission: root in a service, as here, does not learn the sources."""
    for _ in range(100):
        output = subprocess.run(["runuser", "-u", "pi", "--", "fixcast", "status"], text=True,
                                stdout=subprocess.PIPE, timeout=20, check=False).stdout
        if word in output:
            return
        time.sleep(0.05)
    raise AssertionError(f"the status does not contain {word} after the reload\n{output}")


def readme():
    """Returns the commands of the README's first steps by their start, in order. A command includes
    the lines of its here-document."""
    section = README.split("\n## First steps\n")[1]
    lines, ending = [], None
    for line in section.split("\n## ")[0].splitlines():
        if ending:
            lines[-1] += "\n" + line
            ending = None if line == ending else ending
        elif line.startswith("$ "):
            lines.append(line[2:].split("   #")[0].rstrip())
            document = re.search(r"<<'(\w+)'", line)
            ending = document and document[1]
    commands = {next(name for name in PATTERNS if line.startswith(name)): line for line in lines}
    check("this test has a pattern for each command of the README's first steps",
          len(commands) == len(lines) == len(PATTERNS), "\n".join(lines))
    return commands


def prepare():
    """Sets up the board: a user with sudo, a guest, an SSH server, and a virtual network cable to a
    namespace with the weather provider."""
    # The installation asks who may know the position; these users leave the question to the commands.
    run_as_root("debconf-set-selections", data="debconf debconf/frontend select Noninteractive\n")
    run_as_root("useradd", "--create-home", "guest")
    run_as_root("useradd", "--create-home", "--shell", "/bin/bash", "--groups", "sudo", "pi")
    pathlib.Path("/run/request.py").write_text(REQUEST)
    run_as_root("chpasswd", data=f"pi:{PASSWORD}\n")
    hosts = pathlib.Path("/etc/hosts")
    hosts.write_text("127.0.0.1 localhost box board\n203.0.113.10 api.open-meteo.com\n")
    run_as_root("sh", "-c", "ip netns add internet"
                " && ip link add wan0 type veth peer name isp0 netns internet"
                " && ip addr add 198.51.100.2/24 dev wan0 && ip link set wan0 up"
                " && ip -n internet addr add 198.51.100.1/24 dev isp0 && ip -n internet link set isp0 up"
                " && ip -n internet addr add 203.0.113.10/32 dev lo && ip -n internet link set lo up"
                " && ip route add default via 198.51.100.1")
    run_as_root("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                "/CN=api.open-meteo.com", "-addext", "subjectAltName=DNS:api.open-meteo.com", "-addext",
                "basicConstraints=critical,CA:true", "-keyout", "/run/key", "-out",
                "/usr/local/share/ca-certificates/box.crt")
    run_as_root("update-ca-certificates")
    # gpsd runs only in the last part of the test.
    run_as_root("systemctl", "disable", "--quiet", "--now", "gpsd.socket", "gpsd.service")
    run_as_root("systemctl", "start", "ssh", "systemd-logind", "systemd-user-sessions")
    provider = subprocess.Popen(
        ["ip", "netns", "exec", "internet", sys.executable, "-B", "-c",
         "import sys, time; sys.path.insert(0, '/box'); import board; board.Provider("
         "('203.0.113.10', 443), ('/usr/local/share/ca-certificates/box.crt', '/run/key'));"
         "print('ready', flush=True); time.sleep(600)"], stdout=subprocess.PIPE)
    if provider.stdout.readline() != b"ready\n":
        raise AssertionError("the weather provider did not start")


def set_cable(state):
    """Plugs the network cable in (up) or out (down)."""
    run_as_root("ip", "-n", "internet", "link", "set", "isp0", state)
    if state == "up":
        run_as_root("sh", "-c", "ip -n internet addr show dev isp0 | grep -q 198.51.100.1"
                    " || ip -n internet addr add 198.51.100.1/24 dev isp0")


def plug_in_receiver():
    receiver = board.Receiver(1)
    # Group and mode as udev sets them.
    run_as_root("chgrp", "dialout", receiver.devnode)
    os.chmod(receiver.devnode, 0o660)
    os.makedirs(os.path.dirname(DEVICE), exist_ok=True)
    os.symlink(receiver.devnode, DEVICE)
    receiver.start()
    return receiver


def unplug(receiver):
    os.unlink(DEVICE)
    receiver.stop()


def get_package():
    """Puts the package into the folder in which the user types."""
    version = run_as_root("dpkg-deb", "-f", "/box/fixcast.deb", "Version").strip()
    pathlib.Path(f"/root/fixcast_{version}_box.deb").symlink_to("/box/fixcast.deb")
    os.chdir("/root")


def reset_board():
    """Purges the package with its state, and removes the user's files."""
    run_as_root("apt-get", "-qq", "purge", "-y", "fixcast")
    run_as_root("sh", "-c", "rm -rf /home/pi/* /home/pi/.local /root/.ssh /etc/fixcast")


def check_time(terminal, started, title):
    """Checks that machine time and typing time together stay within the limit."""
    machine = time.monotonic() - started
    typing = terminal.typed / CHARACTERS_PER_SECOND
    check(f"{title} took {typing + machine:.0f} s: {typing:.0f} s to type {terminal.typed} characters, "
          f"and {machine:.0f} s of the machine", typing + machine < LIMIT_SECONDS, "too long")


def follow_first_steps(commands):
    """Types the commands of the README's first steps in order, with a receiver and a network."""
    set_cable("up")
    receiver = plug_in_receiver()
    terminal, started = Terminal(commands.values(), PASSWORD), time.monotonic()
    ending = LOCAL_PROMPT
    for name, line in commands.items():
        if name == "ssh ":
            ending = BOARD_PROMPT
        output = terminal.type(line, ending, seconds=120)
        check(f"the README's command works: {name.strip()}",
              re.search(PATTERNS[name], output) is not None, output)
    check_time(terminal, started, "following the README")
    terminal.close()
    unplug(receiver)


def walk_to_weather(commands):
    """Takes the shortest way from the package to the weather: nothing is typed in advance, and each
    message says what to type next."""
    receiver = plug_in_receiver()
    terminal, started = Terminal(commands.values(), PASSWORD), time.monotonic()
    terminal.type(commands["scp "], LOCAL_PROMPT)
    names = ["ssh ", "sudo apt install ", "sudo tee /etc/fixcast/", "fixcast check-config"]
    for name in names:
        terminal.type(commands[name], seconds=120)
    # The time of this check does not count.
    interrupted = time.monotonic()
    guest_learns_nothing()
    started += time.monotonic() - interrupted
    output = terminal.type(commands["fixcast locate"], r"s at most\)\n$")
    allow = re.search(r"sudo fixcast auth allow user=pi", output)
    check("a new user's locate prints at once what to type", allow is not None, output)
    # In a second terminal, since the first one waits.
    second = Terminal([commands["ssh "], allow[0]], PASSWORD)
    second.type(commands["ssh "])
    second.type(allow[0])
    second.close()
    output = terminal.read_until(BOARD_PROMPT, 20)
    check("locate goes on by itself when the permission is given",
          re.search(r"position\s+5\.6\d+° N", output) is not None, output)
    output = terminal.type(commands["fixcast weather"])
    pathlib.Path("/box/walk.txt").write_text(
        f"{terminal.transcript}\n\n-- the second terminal\n{second.transcript}\n")
    check("the seventh command prints the weather",
          re.search(PATTERNS["fixcast weather"], output) is not None, output)
    seconds = time.monotonic() - started + (terminal.typed + second.typed) / CHARACTERS_PER_SECOND
    check(f"from the package to the weather took {seconds:.0f} s and {len(names) + 3} commands",
          seconds < 120, "too long")
    terminal.close()
    # Otherwise a command that fails for every user would prove nothing about the guest.
    missing = [word for word in POSITION_COMMANDS if not prints_position("pi", word)]
    check("the user with permission gets the position from each command", not missing,
          "\n".join(missing))
    guest_learns_nothing()
    unplug(receiver)


def prints_position(user, word):
    """Runs a command as a user, and returns whether the output contains the position."""
    done = subprocess.run(["runuser", "-u", user, "--", "sh", "-c", word], timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    # The receiver's longitude does not change.
    return any(text in done.stdout for text in (b"0.2057", b"00012.34567"))


def guest_learns_nothing():
    """Runs as a user without permission everything that might print the position."""
    words = POSITION_COMMANDS + [
        "fixcast weather --timeout 3", "fixcast status --json", "fixcast doctor", "fixcast devices",
        "journalctl --no-pager", "ps axww -o args", "cat /proc/[0-9]*/cmdline",
        "grep -rs . /run/fixcast /var/lib/fixcast /etc/fixcast /tmp /var/tmp",
        "systemctl status fixcast --no-pager", f"cat {DEVICE}",
        f"{sys.executable} /run/request.py /v1/status"]
    shown = [word for word in words if prints_position("guest", word)]
    check("a guest learns nothing of the position", not shown, "\n".join(shown))


def make_mistakes(commands):
    """Starts without a receiver and a network, and makes a mistake in every step."""
    set_cable("down")
    terminal, started = Terminal(commands.values(), PASSWORD), time.monotonic()
    terminal.type(commands["scp "], LOCAL_PROMPT)
    terminal.type(commands["ssh "])
    terminal.type(commands["sudo apt install "], seconds=120)
    add_source, check_config = commands["sudo tee /etc/fixcast/"], commands["fixcast check-config"]
    locate, weather = commands["fixcast locate"], commands["fixcast weather"]

    output = terminal.type("fixcast wether", is_wrong=True)
    check("a mistyped command: the error suggests the right one", "fixcast weather" in output, output)
    output = terminal.type("fixcast start", is_wrong=True)
    check("fixcast start: the error names the command of systemctl",
          "sudo systemctl start fixcast" in output, output)
    terminal.type("sudo systemctl start fixcast")
    output = terminal.type("fixcast run", is_wrong=True)
    check("a second daemon: the error reports the running one", "already running" in output
          and "see: fixcast status" in output, output)
    output = terminal.type(commands["sudo fixcast auth allow "].replace("sudo ", ""), is_wrong=True)
    check("auth allow without root: the error suggests sudo",
          "try again with sudo" in output, output)
    output = terminal.type(locate, r"s at most\)\n$")
    check("locate without authorization: it prints at once the command that allows it",
          "allow it with: sudo fixcast auth allow user=pi" in output, output)
    terminal.interrupt()
    output = terminal.type(re.search(r"sudo fixcast auth allow user=\w+", output)[0])
    check("the printed command allows access", "may know where the board is" in output, output)
    output = terminal.type(locate, r"s at most\n$")
    check("locate without a receiver: it prints at once the problem and the manual page",
          "no data from a receiver yet" in output and "man fixcast.toml" in output, output)
    terminal.interrupt()
    plug_in_receiver()
    terminal.type(add_source.replace(DEVICE, "/dev/ttyUSB1"), is_wrong=True)
    terminal.type("sudo systemctl reload fixcast", is_wrong=True)
    await_reload("ttyUSB1")
    output = terminal.type("fixcast doctor", is_wrong=True)
    check("a missing port: doctor reports it and names the command that lists the ports",
          "BAD source" in output and "/dev/ttyUSB1" in output and "No such file" in output
          and "list the devices: fixcast devices" in output, output)
    terminal.type(add_source.replace("device", "devise"), is_wrong=True)
    output = terminal.type(check_config)
    check("a mistyped key: check-config prints its line and the right key",
          "receiver.toml:3" in output and 'did you mean "device"' in output, output)
    terminal.type(add_source)
    output = terminal.type(check_config)
    check("the corrected configuration is valid", "did you mean" not in output, output)
    output = terminal.type(locate)
    check("locate prints the position",
          re.search(PATTERNS["fixcast locate"], output) is not None, output)
    output = terminal.type(weather)
    check("weather without a network: the error names the provider and suggests doctor",
          "api.open-meteo.com" in output and "see: fixcast doctor" in output, output)
    output = terminal.type("fixcast doctor")
    check("doctor reports the unplugged cable and suggests plugging it in",
          "no carrier" in output.lower() and "plug the cable in" in output,
          output)
    set_cable("up")
    output = terminal.type(weather)
    check("weather prints the weather at the position",
          re.search(PATTERNS["fixcast weather"], output) is not None, output)
    check_time(terminal, started, "following the README with these mistakes")


def use_gpsd(commands):
    """Lets gpsd read the receiver, without a configured source."""
    os.unlink("/etc/fixcast/conf.d/receiver.toml")
    run_as_root("systemctl", "stop", "fixcast")
    pathlib.Path("/etc/default/gpsd").write_text(f'DEVICES="{DEVICE}"\nGPSD_OPTIONS="-n"\n')
    run_as_root("systemctl", "start", "gpsd.service", "fixcast")
    terminal = Terminal(commands.values(), PASSWORD)
    terminal.type(commands["ssh "])
    output = terminal.type(commands["fixcast locate"])
    check("without a configured source, locate prints the position from gpsd",
          re.search(PATTERNS["fixcast locate"], output) is not None, output)
    output = terminal.type(commands["fixcast status"])
    check("the status reports the running source with a fix",
          re.search(PATTERNS["fixcast status"], output) is not None,
          output)


def out_of_time(_, frame):
    """Raises an error with the call stack and the last typed command."""
    lines = [f"{entry.name}, line {entry.lineno}: {entry.line}"
             for entry in traceback.extract_stack(frame) if entry.filename == __file__]
    while frame and not isinstance(frame.f_locals.get("self"), Terminal):
        frame = frame.f_back
    if frame:
        terminal = frame.f_locals["self"]
        lines.append(f"typed: {terminal.line}\noutput since then: {terminal.output}")
    raise TimeoutError("\n".join([f"not finished after {TIMEOUT_SECONDS} s:", *lines]))


def main():
    commands = readme()
    prepare()
    get_package()
    follow_first_steps(commands)
    reset_board()
    walk_to_weather(commands)
    reset_board()
    make_mistakes(commands)
    use_gpsd(commands)


try:
    signal.signal(signal.SIGALRM, out_of_time)
    signal.alarm(TIMEOUT_SECONDS)
    main()
except (AssertionError, IndexError, KeyError, StopIteration, TypeError, OSError, ValueError,
        subprocess.SubprocessError) as error:
    print(f"FAILED  {type(error).__name__}: " + str(error).replace("\n", "\n        "))
    sys.exit(1)
