#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of list_licences.py."""
import json
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import list_licences  # noqa: E402

APACHE = "\n   Apache License\n   Version 2.0, January 2004\n\n" + "Terms and conditions.\n" * 20


class Tree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.release = self.root / ".build/release"
        self.write("Package.resolved", json.dumps({"pins": [
            {"identity": "swift-one", "state": {"version": "1.2.3"}}]}))
        self.link("One", "Two")

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def link(self, *modules):
        self.write(".build/release/fixcast.product/Objects.LinkFileList", "".join(
            f"'/somewhere/.build/x/release/{module}.build/a.swift.o'\n" for module in modules))

    def package(self, name, module, licence=APACHE, **files):
        self.write(f".build/checkouts/{name}/Sources/{module}/{module}.swift", "")
        if licence:
            self.write(f".build/checkouts/{name}/LICENSE.txt", licence)
        for file, text in files.items():
            self.write(f".build/checkouts/{name}/{file}.txt", text)


class NoticesTests(Tree):
    def notices(self):
        return list_licences.notices(self.root, self.release)

    def test_only_linked_packages_are_listed(self):
        self.package("Swift-One", "One")
        self.package("swift-three", "Three")
        self.assertIn("Swift-One 1.2.3\n\nUnder the Apache License, Version 2.0.\n", self.notices())
        self.assertNotIn("three", self.notices())

    def test_the_notice_of_a_package_is_included(self):
        self.package("swift-one", "One", NOTICE="Copyright 2026 One\n")
        self.assertIn("\n\nCopyright 2026 One\n\n", self.notices())

    def test_other_licences_and_those_of_contained_code_are_included_in_full(self):
        self.package("swift-one", "One", "MIT License\n\nCopyright (c) One\n")
        self.write(".build/checkouts/swift-one/Sources/One/LICENSE", "Copyright Two\n")
        self.assertIn("MIT License\n\nCopyright (c) One\n\nSources/One/LICENSE:\n\nCopyright Two\n",
                      self.notices())

    def test_the_runtime_library_exception_is_included(self):
        self.package("swift-one", "One", APACHE + "## Runtime Library Exception")
        self.assertIn("Version 2.0, with the Runtime Library Exception.\n", self.notices())

    def test_a_package_without_a_licence_is_an_error(self):
        self.package("swift-one", "One", None)
        with self.assertRaisesRegex(SystemExit, "swift-one has no LICENSE file"):
            self.notices()

    def test_a_program_without_linked_packages_is_an_error(self):
        self.package("swift-three", "Three")
        with self.assertRaises(SystemExit):
            self.notices()


class SPDXTests(Tree):
    def setUp(self):
        super().setUp()
        self.write(".packaging/versions.txt", f"""
copied abc {'a' * 40} MIT swift-one/Sources/Copied
other 1 1 MIT swift-one/Sources/Other
libz - - Zlib system
swift 6.3.1 swift-6.3.1-RELEASE Apache-2.0 https://github.com/swiftlang/swift
swiftlang 6.2.3 swift-6.2.3-RELEASE Apache-2.0 https://github.com/swiftlang/swift
swift-one 1.2.3 {'1' * 40} Apache-2.0 https://github.com/x/swift-one.git
swift-three 3.0.0 {'3' * 40} Apache-2.0 https://github.com/x/swift-three
""")
        self.link("One", "Copied")
        self.package("swift-one", "One")
        self.package("swift-three", "Three")

    def test_linked_packages_are_listed_with_copies_of_other_code_and_swift(self):
        self.assertEqual(list(list_licences.linked_libraries(self.root, self.release)), ["copied", "swift", "swift-one"])

    def test_swift_has_the_version_of_the_compiler_that_built_the_program(self):
        for tag, version in (("swift-6.3.1-RELEASE", "6.3.1"), ("swift-6.2.3-RELEASE", "6.2.3"),
                             ("swift-6.2.1-RELEASE", "6.2.3"), ("unknown", "6.3.1")):
            linked = list_licences.linked_libraries(self.root, self.release, tag)
            self.assertEqual(linked["swift"]["version"], version, tag)
            self.assertNotIn("swiftlang", linked)

    def test_a_package_that_is_not_in_the_list_is_an_error(self):
        self.package("swift-two", "Copied")
        with self.assertRaisesRegex(SystemExit, "swift-two"):
            list_licences.linked_libraries(self.root, self.release)

    def test_a_document_lists_each_library_once_with_its_relationship(self):
        linked = list_licences.linked_libraries(self.root, self.release)
        document = list_licences.spdx("0.1.0", linked, [("libz.so.1", "Zlib", "zlib1g", "1.2")], "2026-11-22T00:00:00Z")
        by_name = {package["name"]: package for package in document["packages"]}
        self.assertEqual(sorted(by_name), ["copied", "fixcast", "libz.so.1", "swift", "swift-one"])
        self.assertEqual(by_name["swift-one"]["downloadLocation"],
                         f"git+https://github.com/x/swift-one@{'1' * 40}")
        self.assertEqual(by_name["libz.so.1"]["externalRefs"][0]["referenceLocator"], "pkg:deb/debian/zlib1g@1.2")
        ids = [package["SPDXID"] for package in document["packages"]]
        self.assertEqual(len(ids), len(set(ids)))
        relationships = {(one["spdxElementId"], one["relationshipType"], one["relatedSpdxElement"])
                         for one in document["relationships"]}
        self.assertEqual({other for _, _, other in relationships}, set(ids))
        self.assertIn(("SPDXRef-swift-one", "CONTAINS", "SPDXRef-copied"), relationships)
        self.assertIn(("SPDXRef-fixcast", "DYNAMIC_LINK", "SPDXRef-libz.so.1"), relationships)


if __name__ == "__main__":
    unittest.main()
