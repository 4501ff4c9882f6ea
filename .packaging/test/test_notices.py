#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of notices: who is named, and what of it is told."""
import importlib.machinery
import importlib.util
import json
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
SCRIPT = str(pathlib.Path(__file__).resolve().parent.parent / "notices")
LOADER = importlib.machinery.SourceFileLoader("notices", SCRIPT)
notices = importlib.util.module_from_spec(importlib.util.spec_from_loader("notices", LOADER))
LOADER.exec_module(notices)

APACHE = "\n   Apache License\n   Version 2.0, January 2004\n\n" + "Terms and conditions.\n" * 20


class NoticesTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.release = self.root / "release"
        self.write("Package.resolved", json.dumps({"pins": [
            {"identity": "swift-one", "state": {"version": "1.2.3"}}]}))
        self.link("One", "Two")

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def link(self, *modules):
        self.write("release/fixcast.product/Objects.LinkFileList", "".join(
            f"'/somewhere/.build/x/release/{module}.build/a.swift.o'\n" for module in modules))

    def package(self, name, module, licence=APACHE, **files):
        self.write(f".build/checkouts/{name}/Sources/{module}/{module}.swift", "")
        if licence:
            self.write(f".build/checkouts/{name}/LICENSE.txt", licence)
        for file, text in files.items():
            self.write(f".build/checkouts/{name}/{file}.txt", text)

    def said(self):
        return notices.notices(self.root, self.release)

    def test_packages_are_named_that_are_in_the_program_and_no_others(self):
        self.package("Swift-One", "One")
        self.package("swift-three", "Three")
        self.assertIn("Swift-One 1.2.3\n\nUnder the Apache License, Version 2.0.\n", self.said())
        self.assertNotIn("three", self.said())

    def test_a_notice_is_told(self):
        self.package("swift-one", "One", NOTICE="Copyright 2026 One\n")
        self.assertIn("\n\nCopyright 2026 One\n\n", self.said())

    def test_other_licences_and_those_of_what_was_taken_along_are_told_in_full(self):
        self.package("swift-one", "One", "MIT License\n\nCopyright (c) One\n")
        self.write(".build/checkouts/swift-one/Sources/One/LICENSE", "Copyright Somebody\n")
        self.assertIn("MIT License\n\nCopyright (c) One\n\nSources/One/LICENSE:\n\nCopyright Somebody\n",
                      self.said())

    def test_the_exception_is_told(self):
        self.package("swift-one", "One", APACHE + "## Runtime Library Exception")
        self.assertIn("Version 2.0, with the Runtime Library Exception.\n", self.said())

    def test_a_package_without_a_licence_ends_it(self):
        self.package("swift-one", "One", None)
        with self.assertRaisesRegex(SystemExit, "swift-one has no licence"):
            self.said()

    def test_a_program_that_holds_nothing_of_others_ends_it(self):
        self.package("swift-three", "Three")
        with self.assertRaises(SystemExit):
            self.said()


if __name__ == "__main__":
    unittest.main()
