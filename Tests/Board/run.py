#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the package on an emulated board, with a real kernel, systemd, udev and drivers of USB receivers.

usage: run.py [DEB] [--arch amd64|arm64] [--release RELEASE] [--form short|long|cuts] [--cuts N] [--seed N] [--keep]

DEB is by default the package that `make deb` has written. The long form also boots ten times with a receiver, and cuts
the power N times; the form `cuts` only cuts the power. Prints a line for each check. The image of the board
is kept in .build/board, and made again when the packages that Fixcast depends on change. Needs root.
"""
import argparse
import pathlib
import platform
import random
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from checks import Checks  # noqa: E402
from lines import Hang  # noqa: E402
from long import CutsForm, LongForm  # noqa: E402
from machine import MODELS, Machine  # noqa: E402
from short import ShortForm  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The programs that the test needs, and the Debian package of each.
PROGRAMS = {"mmdebstrap": "mmdebstrap", "qemu-img": "qemu-utils", "mke2fs": "e2fsprogs", "ssh": "openssh-client",
            "nc": "netcat-openbsd", "openssl": "openssl"}


def package(options):
    """Returns the package to test."""
    if options.package:
        return pathlib.Path(options.package)
    folder, words = ROOT / ".build/deb", ""
    if options.release:
        folder, words = folder / f"{options.release}-{options.arch}", f" ARCH={options.arch} RELEASE={options.release}"
    found = sorted(folder.glob(f"fixcast_*_{options.arch}.deb"))
    if len(found) != 1:
        sys.exit(f"expected one package in {folder.relative_to(ROOT)}, got {len(found)}; run: make deb{words}")
    return found[0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("package", nargs="?")
    parser.add_argument("--arch", choices=MODELS, default="amd64", help="the architecture of the board")
    parser.add_argument("--release", help="the Debian release of the board, for a package from a cross build")
    parser.add_argument("--form", choices=("short", "long", "cuts"), default="short")
    parser.add_argument("--cuts", type=int, default=100, help="power cuts of the forms long and cuts")
    parser.add_argument("--seed", type=int, default=1, help="draws what a power cut loses")
    parser.add_argument("--keep", action="store_true", help="keep the disk and the logs of the board")
    options = parser.parse_args()
    model = MODELS[options.arch]
    programs = {**PROGRAMS, model.program: model.program_package}
    missing = [package for program, package in programs.items() if not shutil.which(program)]
    if missing:
        sys.exit(f"the test of the board needs Debian packages: sudo apt install {' '.join(missing)}")
    deb = package(options)
    release = options.release or platform.freedesktop_os_release()["VERSION_CODENAME"]
    image = ROOT / ".build/board" / f"{release}-{options.arch}"
    subprocess.run([pathlib.Path(__file__).with_name("image.sh"), deb, release, image], check=True)
    # Sockets need a short path.
    folder = pathlib.Path(tempfile.mkdtemp(prefix="board"))
    machine = Machine(image, folder, model)
    checks = Checks(machine)
    form = ShortForm(machine, checks, deb)
    if options.form != "short":
        form = (LongForm if options.form == "long" else CutsForm)(machine, checks, deb, options.cuts)
    try:
        form.run(random.Random(options.seed))
    except Hang:
        print("the checks after this one were not run")
    finally:
        machine.kill()
        passed = checks.finish()
        if passed and not options.keep:
            shutil.rmtree(folder)
        else:
            print(f"the logs of the board are in {folder}")
    sys.exit(not passed)


if __name__ == "__main__":
    main()
