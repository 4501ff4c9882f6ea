# SPDX-License-Identifier: Apache-2.0
"""The table of results."""

import statistics

COLUMNS = ["protocol", "flood", "client", "n", "median ms", "p99 ms", "max ms", "failures", "goal", "result"]
WIDTHS = [16, 16, 9, 5, 9, 8, 8, 8, 24, 6]


def percentile(values, share):
    """Returns the value that a share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * round(share * 100) // 100) - 1)]


class Table:
    def __init__(self):
        self.missed = []

    def heading(self):
        self.line(COLUMNS)

    def line(self, cells):
        print("  ".join(str(cell).ljust(width) for cell, width in zip(cells, WIDTHS)).rstrip(), flush=True)

    def row(self, protocol, flood, client, count, values, failures, goal, passed):
        """Prints the times of a row in milliseconds. `count` includes the failures, which have no time.

        `passed` is `None` for a row without a goal.
        """
        figures = [f"{number:.1f}" for number in (
            statistics.median(values), percentile(values, 0.99), max(values))] if values else ["-"] * 3
        self.line([protocol, flood, client, count, *figures, failures, goal,
                   "-" if passed is None else "passed" if passed else "MISSED"])
        if passed is False:
            self.missed.append(f"{protocol}, {flood}, {client}")

    def note(self, text):
        print(f"    {text}", flush=True)
