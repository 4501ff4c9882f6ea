# SPDX-License-Identifier: Apache-2.0
"""A terminal with a shell in it, and a person who types there what was said to type."""
import os
import pty
import re
import select
import time

# A shell's, where the package was made and on the board.
HERE = r"me\$ $"
PROMPT = r"pi@box:\S* ?\$ $"


class Terminal:
    """A terminal with a shell in it, and a person in front of it."""

    def __init__(self, commands, password):
        self.commands, self.password, self.answers = commands, password, ""
        self.typed = 0
        # What was typed last, and what was said since.
        self.line, self.said = "", ""
        process, self.descriptor = pty.fork()
        if process == 0:
            os.execve("/bin/sh", ["sh"], {"PATH": os.environ["PATH"], "HOME": "/root", "PS1": "me$ ",
                                          "TERM": "vt100", "COLUMNS": "120"})
        self.until(HERE, 10)

    def until(self, pattern, seconds):
        """Reads until what was said since ends in a pattern."""
        self.said, end = "", time.monotonic() + seconds
        while True:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.descriptor], [], [], left)[0]:
                raise AssertionError(f"no {pattern} in {seconds} s: {self.said}")
            self.said += os.read(self.descriptor, 65536).decode(errors="replace")
            plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07|\r", "", self.said)
            if re.search(pattern, plain):
                return plain

    def enter(self, text):
        self.typed += len(text) + 1
        os.write(self.descriptor, f"{text}\r".encode())

    def type(self, line, ending=PROMPT, seconds=90, is_wrong=False):
        """Types a line, and what is asked for on the way; what is said to it."""
        # A command in an answer stands there as it is typed.
        if not is_wrong and line not in self.commands and line not in self.answers:
            raise AssertionError(f"nothing said to type '{line}'")
        self.line = line
        for part in line.split("\n"):
            self.enter(part)
        said = ""
        while True:
            said += self.until(rf"{ending}|[Pp]assword[^\n]*: $|\(yes/no[^\n]*\? $|\[Y/n\] $", seconds)
            if re.search(ending, said):
                break
            if said.rstrip().endswith("]"):
                self.enter("y")
            else:
                self.enter("yes" if said.rstrip().endswith("?") else self.password)
            said += "\n"
        self.answers += " ".join(said.replace(line, "", 1).split())
        return " ".join(said.split())

    def interrupt(self):
        self.typed += 1
        os.write(self.descriptor, b"\x03")
        return self.until(PROMPT, 10)

    def close(self):
        """Turns the terminal off; who is logged in by it is hung up on."""
        os.close(self.descriptor)
