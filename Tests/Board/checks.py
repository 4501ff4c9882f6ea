# SPDX-License-Identifier: Apache-2.0
"""The checks of a board: one printed line each."""
import contextlib
import time
import traceback

from lines import Hang


class Checks:
    def __init__(self, machine):
        self.machine = machine
        self.passed_count = self.failed_count = 0
        self.begin = time.monotonic()

    @contextlib.contextmanager
    def check(self, name):
        """Runs the body as a check. A failed check is printed, and the next ones run, except after a hang."""
        begin, processor = time.monotonic(), self.machine.processor_seconds()
        # The body may add facts, which are printed in parentheses.
        facts, failure = [], None
        try:
            yield facts
            self.passed_count += 1
        except (AssertionError, Hang) as error:
            self.failed_count += 1
            failure = error
        except Exception as error:  # noqa: BLE001
            self.failed_count += 1
            failure = Hang(traceback.format_exc())
            failure.__cause__ = error
        times = [f"{time.monotonic() - begin:.1f} s", f"processor {self.machine.processor_seconds() - processor:.1f} s"]
        print(f"{'FAILED' if failure else 'passed'} {name} ({', '.join(facts + times)})", flush=True)
        if failure:
            print("\n".join("       " + line for line in str(failure).splitlines()), flush=True)
        if isinstance(failure, Hang):
            raise failure

    def finish(self):
        """Prints the sum, and returns whether all checks passed."""
        print(f"board: {self.passed_count} checks passed, {self.failed_count} failed, in "
              f"{time.monotonic() - self.begin:.0f} s; processor {self.machine.processor_seconds():.0f} s", flush=True)
        return self.failed_count == 0


def expect(what, expected, got):
    if expected != got:
        raise AssertionError(f"{what}\nexpected {expected!r}\ngot      {got!r}")


def expect_in(what, expected, got):
    """Checks that a text contains another text."""
    if expected not in got:
        raise AssertionError(f"{what}\nexpected a text with {expected!r}\ngot {got}")
