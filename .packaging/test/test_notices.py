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


class Tree(unittest.TestCase):
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


class NoticesTests(Tree):
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


class SPDXTests(Tree):
    def setUp(self):
        super().setUp()
        self.write(".packaging/versions.txt", f"""
copied abc {'a' * 40} MIT swift-one/Sources/Copied
other 1 1 MIT swift-one/Sources/Other
libz - - Zlib system
swift 6.3.1 swift-6.3.1-RELEASE Apache-2.0 https://github.com/swiftlang/swift
swift-one 1.2.3 {'1' * 40} Apache-2.0 https://github.com/x/swift-one.git
swift-three 3.0.0 {'3' * 40} Apache-2.0 https://github.com/x/swift-three
""")
        self.link("One", "Copied")
        self.package("swift-one", "One")
        self.package("swift-three", "Three")

    def test_what_is_linked_is_listed_with_copies_of_others_code_and_swift(self):
        self.assertEqual(list(notices.linked_libraries(self.root, self.release)), ["copied", "swift", "swift-one"])

    def test_a_package_that_is_not_listed_ends_it(self):
        self.package("swift-two", "Copied")
        with self.assertRaisesRegex(SystemExit, "swift-two"):
            notices.linked_libraries(self.root, self.release)

    def test_a_document_names_each_once_and_relates_each(self):
        linked = notices.linked_libraries(self.root, self.release)
        document = notices.spdx("0.1.0", linked, [("libz.so.1", "Zlib", "zlib1g", "1.2")], "2026-11-22T00:00:00Z")
        by_name = {package["name"]: package for package in document["packages"]}
        self.assertEqual(sorted(by_name), ["copied", "fixcast", "libz.so.1", "swift", "swift-one"])
        self.assertEqual(by_name["swift-one"]["downloadLocation"],
                         f"git+https://github.com/x/swift-one@{'1' * 40}")
        self.assertEqual(by_name["libz.so.1"]["externalRefs"][0]["referenceLocator"], "pkg:deb/debian/zlib1g@1.2")
        ids = [package["SPDXID"] for package in document["packages"]]
        self.assertEqual(len(ids), len(set(ids)))
        said = {(one["spdxElementId"], one["relationshipType"], one["relatedSpdxElement"])
                for one in document["relationships"]}
        self.assertEqual({other for _, _, other in said}, set(ids))
        self.assertIn(("SPDXRef-swift-one", "CONTAINS", "SPDXRef-copied"), said)
        self.assertIn(("SPDXRef-fixcast", "DYNAMIC_LINK", "SPDXRef-libz.so.1"), said)


if __name__ == "__main__":
    unittest.main()
