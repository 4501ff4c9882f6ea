#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Renders the bytes that a program wrote to a terminal as an SVG picture of that terminal.

Supports the sequences that `fixcast watch` uses: cursor position, erasing, bold and eight colors.
The same bytes always give the same picture.

usage: render_terminal.py COLUMNS ROWS TITLE <BYTES >SVG
"""
import itertools
import re
import sys
from xml.sax.saxutils import escape

CELL_WIDTH, LINE_HEIGHT, MARGIN, TITLE_HEIGHT = 8.4, 18, 14, 30
COLORS = {30: "#6e7681", 31: "#ff7b72", 32: "#7ee787", 33: "#e3b341", 34: "#79c0ff",
          35: "#d2a8ff", 36: "#76e3ea", 37: "#f0f6fc"}
PLAIN = ("#c9d1d9", False)
SEQUENCE = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])")


def screen(text, columns, rows):
    """Returns the cells of the terminal, each with a character and its style."""
    cells = [[(" ", PLAIN)] * columns for _ in range(rows)]
    row = column = position = 0
    style = PLAIN
    while position < len(text):
        sequence = SEQUENCE.match(text, position)
        if not sequence:
            if row < rows and column < columns:
                cells[row][column] = (text[position], style)
            column += 1
            position += 1
            continue
        position = sequence.end()
        numbers = [int(number) for number in sequence[1].split(";") if number.isdigit()]
        if sequence[2] == "H":
            row, column = (numbers[0] - 1, numbers[1] - 1) if len(numbers) == 2 else (0, 0)
        elif sequence[2] in "JK" and row < rows:
            cells[row][column:] = [(" ", PLAIN)] * (columns - min(column, columns))
            if sequence[2] == "J":
                cells[row + 1:] = [[(" ", PLAIN)] * columns for _ in range(row + 1, rows)]
        elif sequence[2] == "m":
            for number in numbers or [0]:
                if number == 0:
                    style = PLAIN
                elif number == 1:
                    style = ("#ffffff", True)
                elif number in COLORS:
                    style = (COLORS[number], style[1])
    return cells


def picture(cells, title):
    """Yields the lines of the SVG document."""
    width = len(cells[0]) * CELL_WIDTH + 2 * MARGIN
    height = len(cells) * LINE_HEIGHT + TITLE_HEIGHT + MARGIN
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
           f'role="img" aria-label="{escape(title)}">')
    yield f'<rect width="{width:g}" height="{height:g}" rx="8" fill="#0d1117"/>'
    for index, color in enumerate(["#ff5f57", "#febc2e", "#28c840"]):
        yield f'<circle cx="{MARGIN + 4 + 18 * index}" cy="15" r="5.5" fill="{color}"/>'
    yield (f'<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" '
           f'font-size="14" xml:space="preserve">')
    yield (f'<text x="{width / 2:g}" y="20" text-anchor="middle" fill="#8b949e">'
           f'{escape(title)}</text>')
    for number, line in enumerate(cells):
        y = TITLE_HEIGHT + number * LINE_HEIGHT + 14
        start = 0
        for (color, is_bold), run in itertools.groupby(line, key=lambda cell: cell[1]):
            text = "".join(character for character, _ in run)
            words = text.strip(" ")
            if words:
                x = MARGIN + (start + len(text) - len(text.lstrip(" "))) * CELL_WIDTH
                bold = ' font-weight="bold"' if is_bold else ""
                yield (f'<text x="{x:g}" y="{y}" textLength="{len(words) * CELL_WIDTH:g}" '
                       f'fill="{color}"{bold}>{escape(words)}</text>')
            start += len(text)
    yield "</g>"
    yield "</svg>"


def main():
    columns, rows, title = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    text = sys.stdin.buffer.read().decode()
    print("\n".join(picture(screen(text, columns, rows), title)))


main()
