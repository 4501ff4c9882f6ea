#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the packages of a build with versions.txt, so that a release has known inputs.

usage: check_versions.py             (fails if Package.resolved, or a copy of other code in a package,
                                      differs from versions.txt)
       check_versions.py --toolchain (also fails if the Swift toolchain differs, whose libraries are
                                      linked)
       check_versions.py --resolve   (writes Package.resolved from versions.txt if it is missing)
       check_versions.py --update    (writes the versions of Package.resolved to versions.txt; keeps
                                      the licences)
"""
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEAD = """\
# The inputs of a release: name, version, revision, SPDX licence and origin.
# The origin is the package's URL, or the module of another package that contains a copy, or "system"
# for a shared library, whose version is that of the system.
# The row swiftlang is Debian's compiler, which builds packages for other architectures.
# After `swift package update`: .packaging/check_versions.py --update, and review the changes of each package.
"""
TOOLCHAIN = "swift"
RELEASE = pathlib.Path(os.environ.get("RELEASE_FOLDER") or ROOT / ".build/release")


def rows(text):
    """Returns the rows of versions.txt by name."""
    found = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            # A licence with an exception consists of three words.
            name, version, revision, *licence, origin = line.split()
            found[name] = {"version": version, "revision": revision,
                           "licence": " ".join(licence), "origin": origin}
    return found


def text_of(rows):
    return HEAD + "".join(
        f"{name} {row['version']} {row['revision']} {row['licence']} {row['origin']}\n"
        for name, row in sorted(rows.items()))


def is_toolchain(row):
    return row["revision"].startswith("swift-")


def is_package(row):
    """Whether a row is a package of Package.resolved, not a copy within a package or a toolchain."""
    return row["origin"].startswith("https://") and not is_toolchain(row)


def toolchain_row(rows, tag):
    """Returns the row of a compiler. The program distinguishes compilers by their minor versions only."""
    minor = tag.split(".")[:2]
    return next((row for row in rows.values()
                 if is_toolchain(row) and row["revision"].split(".")[:2] == minor), rows[TOOLCHAIN])


def checkouts(release):
    """Returns the folder with the sources of the packages of a release build."""
    return release.parent / "checkouts"


def pins(resolved):
    """Returns the packages of Package.resolved as rows."""
    return {pin["identity"]: {"version": pin["state"].get("version", "-"),
                              "revision": pin["state"]["revision"], "origin": pin["location"]}
            for pin in json.loads(resolved)["pins"]}


def resolved_from(rows):
    """Returns the text of Package.resolved with the versions of the rows."""
    return json.dumps({"version": 2, "pins": [
        {"identity": name, "kind": "remoteSourceControl", "location": row["origin"],
         "state": {"revision": row["revision"], "version": row["version"]}}
        for name, row in sorted(rows.items()) if is_package(row)]}, indent=2) + "\n"


def differences(rows, pins):
    """Yields a line for each package whose version or revision differs from the list."""
    listed = {name: row for name, row in rows.items() if is_package(row)}
    for name in sorted(listed.keys() | pins.keys()):
        wanted, got = listed.get(name), pins.get(name)
        if not got:
            yield f"{name} {wanted['version']} is listed, but no longer resolved"
        elif not wanted:
            yield f"{name} {got['version']} is resolved, but not listed"
        elif (wanted["version"], wanted["revision"]) != (got["version"], got["revision"]):
            yield (f"{name}: {got['version']} ({got['revision'][:12]}) is resolved, "
                   f"{wanted['version']} ({wanted['revision'][:12]}) is listed")


def copies(rows, checkouts):
    """Yields a line for each copy of other code whose package declares another version."""
    for name, row in rows.items():
        module = checkouts / row["origin"]
        if is_package(row) or not module.is_dir():
            continue
        declared = "\n".join(path.read_text(errors="replace") for path in
                          [*module.glob("hash.txt"), *module.glob("include/c_nio_llhttp.h")])
        parts = re.findall(r"LLHTTP_VERSION_\w+ (\d+)", declared)
        if row["revision"] not in declared and ".".join(parts) != row["version"]:
            yield f"{name}: {row['origin']} does not contain {row['version']}"


def toolchain():
    """Returns the release tag of the compiler."""
    output = subprocess.run([*os.environ.get("SWIFT", "swift").split(), "--version"],
                            capture_output=True, text=True, check=False).stdout
    tag = re.search(r"\((swift-[^)]*)\)", output)
    return tag[1] if tag else "unknown"


def main(arguments):
    versions, resolved = ROOT / ".packaging/versions.txt", ROOT / "Package.resolved"
    listed = rows(versions.read_text())
    if "--resolve" in arguments:
        if not resolved.exists():
            resolved.write_text(resolved_from(listed))
        return
    if not resolved.exists():
        raise SystemExit("Package.resolved not found; run: .packaging/check_versions.py --resolve")
    got = pins(resolved.read_text())
    if "--update" in arguments:
        kept = {name: row for name, row in listed.items() if not is_package(row) or name in got}
        for name, pin in got.items():
            kept[name] = {"licence": "NOASSERTION", **kept.get(name, {}), **pin}
        tag = toolchain()
        kept[TOOLCHAIN] |= {"revision": tag, "version": tag.removeprefix("swift-").split("-")[0]}
        versions.write_text(text_of(kept))
        listed = kept
    found = [*differences(listed, got), *copies(listed, checkouts(RELEASE))]
    wanted = [row["revision"] for row in listed.values() if is_toolchain(row)]
    if "--toolchain" in arguments and toolchain() not in wanted:
        found.append(f"swift: the toolchain is {toolchain()}, but {' or '.join(wanted)} is listed")
    if found:
        raise SystemExit(
            "this build differs from .packaging/versions.txt:\n  " + "\n  ".join(found)
            + "\nTo build the listed versions: rm Package.resolved && .packaging/check_versions.py --resolve\n"
            "To accept the new versions: .packaging/check_versions.py --update, and commit versions.txt")


if __name__ == "__main__":
    main(sys.argv[1:])
