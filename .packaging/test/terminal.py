# SPDX-License-Identifier: Apache-2.0
"""A pseudo-terminal with a shell, in which a test types commands."""
import os
import pty
import re
import select
import time

# The prompts of the local shell and of the board's shell.
LOCAL_PROMPT = r"me\$ $"
BOARD_PROMPT = r"pi@box:\S* ?\$ $"


class Terminal:
    """A pseudo-terminal with a shell.

    Only commands in `commands` or in earlier output may be typed, except mistakes.
    """

    def __init__(self, commands, password):
        self.commands, self.password, self.earlier_output = commands, password, ""
        self.typed = 0
        # The last typed command, and the output since then.
        self.line, self.output = "", ""
        # All output, without control sequences.
        self.transcript = ""
        process, self.descriptor = pty.fork()
        if process == 0:
            os.execve("/bin/sh", ["sh"], {"PATH": os.environ["PATH"], "HOME": "/root", "PS1": "me$ ",
                                          "TERM": "vt100", "COLUMNS": "120"})
        self.read_until(LOCAL_PROMPT, 10)

    def read_until(self, pattern, seconds):
        """Reads until the output matches a pattern, and returns it without control sequences."""
        self.output, end = "", time.monotonic() + seconds
        while True:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.descriptor], [], [], left)[0]:
                raise AssertionError(f"no {pattern} in the output after {seconds} s: {self.output}")
            self.output += os.read(self.descriptor, 65536).decode(errors="replace")
            plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07|\r", "", self.output)
            if re.search(pattern, plain):
                self.transcript += plain
                return plain

    def enter(self, text):
        """Types text and the return key."""
        self.typed += len(text) + 1
        os.write(self.descriptor, f"{text}\r".encode())

    def type(self, line, ending=BOARD_PROMPT, seconds=90, is_wrong=False):
        """Types a line, answers questions such as for a password, and returns the output."""
        if not is_wrong and line not in self.commands and line not in self.earlier_output:
            raise AssertionError(f"neither the README nor earlier output contains '{line}'")
        self.line = line
        for part in line.split("\n"):
            self.enter(part)
        output = ""
        while True:
            output += self.read_until(
                rf"{ending}|[Pp]assword[^\n]*: $|\(yes/no[^\n]*\? $|\[Y/n\] $", seconds)
            if re.search(ending, output):
                break
            if output.rstrip().endswith("]"):
                self.enter("y")
            else:
                self.enter("yes" if output.rstrip().endswith("?") else self.password)
            output += "\n"
        self.earlier_output += " ".join(output.replace(line, "", 1).split())
        return " ".join(output.split())

    def interrupt(self):
        """Types Ctrl-C."""
        self.typed += 1
        os.write(self.descriptor, b"\x03")
        return self.read_until(BOARD_PROMPT, 10)

    def close(self):
        """Closes the terminal, which ends its sessions with a hang-up signal."""
        os.close(self.descriptor)
