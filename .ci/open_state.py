#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lists the stored properties that other files of the module can change, of types that span files.

A type that is split over several files by extensions has no boundary, unless its stored properties
are private. Constants and `private(set)` variables are not listed, because other files cannot
change them, nor are plain values: structs whose other files have no mutating function.

usage: .ci/open_state.py [--max NUMBER]   with a limit, lists only if there are more, and exits with 1
"""
import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TYPE = re.compile(r"^(?:@\w+ )*(?:(?:public|package|internal|fileprivate|private|final|indirect|nonisolated) )*"
                  r"(?:struct|class|actor|enum) (\w+)")
EXTENSION = re.compile(r"^(?:(?:public|package) )?extension (\w+)(?: [:{w]|$)")
PROPERTY = re.compile(r"^  (?:@\w+(?:\([^)]*\))? )*((?:(?:public|package|private|fileprivate|weak|lazy|unowned|"
                      r"private\(set\)|fileprivate\(set\)|nonisolated) )*)var (\w+)")


def declarations(path):
    """Yields the types and the extensions of a file: name, whether it is an extension, variables, whether it
    can change the state."""
    name, is_extension, variables, mutates = None, False, [], False
    lines = path.read_text().splitlines()
    for number, line in enumerate(lines):
        start = TYPE.match(line) or EXTENSION.match(line)
        if start:
            if name:
                yield name, is_extension, variables, mutates
            name, is_extension, variables = start[1], not TYPE.match(line), []
            mutates = bool(re.search(r"\b(class|actor)\b", line))
        mutates = mutates or is_extension and "mutating func" in line
        variable = PROPERTY.match(line)
        if name and not is_extension and variable and not is_computed(lines, number):
            if not re.search(r"private|fileprivate", variable[1]):
                variables.append(variable[2])
    if name:
        yield name, is_extension, variables, mutates


def is_computed(lines, number):
    """Whether the variable that starts in a line has a getter."""
    text = " ".join(lines[number:number + 3]).split("=")[0]
    return "{" in text and not re.search(r"\{\s*(did|will)Set", text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--max", type=int, metavar="NUMBER")
    limit = parser.parse_args().max
    files, state, mutable, homes = {}, {}, {}, {}
    for path in sorted((ROOT / "Sources").glob("*/**/*.swift")):
        module = path.relative_to(ROOT / "Sources").parts[0]
        for name, is_extension, variables, mutates in declarations(path):
            if mutates:
                mutable.setdefault((module, name), set()).add(None if not is_extension else path)
            files.setdefault((module, name), set()).add(path)
            if not is_extension:
                homes[module, name] = path
                state.setdefault((module, name), []).extend(variables)
    lines, count = [], 0
    for key, variables in sorted(state.items(), key=lambda item: -len(item[1])):
        if len(files[key]) > 1 and variables and mutable.get(key, set()) - {homes[key]}:
            count += len(variables)
            lines.append(f"{'.'.join(key)} ({len(files[key])} files): {', '.join(variables)}")
    is_exceeded = limit is not None and count > limit
    if limit is None or is_exceeded:
        print("\n".join(lines))
    print(f"{count} stored properties of types that span files are open to their module"
          + (f"; the limit is {limit}" if is_exceeded else ""))
    sys.exit(is_exceeded)


if __name__ == "__main__":
    main()
