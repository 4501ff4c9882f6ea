#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of check_versions.py."""
import json
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
PACKAGING = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PACKAGING))
import check_versions as versions  # noqa: E402

ONE, TWO = "1" * 40, "2" * 40
LIST = f"""# Comment
copied 9.3.0 v9.3.0 MIT swift-one/Sources/Copied
libz - - Zlib system
swift 6.3.1 swift-6.3.1-RELEASE Apache-2.0 WITH Swift-exception https://example.org/swift
swiftlang 6.2.3 swift-6.2.3-RELEASE Apache-2.0 WITH Swift-exception https://example.org/swift
swift-one 1.2.3 {ONE} Apache-2.0 WITH Swift-exception https://example.org/one
"""


class VersionsTests(unittest.TestCase):
    def setUp(self):
        self.rows = versions.rows(LIST)

    def pins(self, **changes):
        pins = versions.pins(versions.resolved_from(self.rows))
        for name, change in changes.items():
            pins.setdefault(name.replace("_", "-"), {"version": "1.0.0", "revision": TWO}).update(change)
        return pins

    def test_reading_and_writing_a_list_keeps_every_row(self):
        self.assertEqual(self.rows["swift-one"]["licence"], "Apache-2.0 WITH Swift-exception")
        self.assertEqual(versions.rows(versions.text_of(self.rows)), self.rows)

    def test_versions_resolved_from_the_list_do_not_differ_from_it(self):
        self.assertEqual(list(versions.differences(self.rows, self.pins())), [])
        self.assertEqual(len(json.loads(versions.resolved_from(self.rows))["pins"]), 1)

    def test_another_version_and_a_moved_tag_are_differences(self):
        found = list(versions.differences(self.rows, self.pins(swift_one={"version": "1.2.4"})))
        self.assertEqual(found, [f"swift-one: 1.2.4 ({ONE[:12]}) is resolved, 1.2.3 ({ONE[:12]}) is listed"])
        self.assertTrue(list(versions.differences(self.rows, self.pins(swift_one={"revision": TWO}))))

    def test_an_added_or_removed_package_is_a_difference(self):
        found = list(versions.differences(self.rows, self.pins(swift_two={})))
        self.assertEqual(found, ["swift-two 1.0.0 is resolved, but not listed"])
        self.assertEqual(list(versions.differences(self.rows, {})),
                         ["swift-one 1.2.3 is listed, but no longer resolved"])

    def test_a_copy_of_another_version_is_a_difference(self):
        with tempfile.TemporaryDirectory() as folder:
            header = pathlib.Path(folder) / "swift-one/Sources/Copied/include/c_nio_llhttp.h"
            header.parent.mkdir(parents=True)
            for minor, count in ((3, 0), (4, 1)):
                header.write_text("".join(f"#define LLHTTP_VERSION_{part} {number}\n" for part, number in
                                          (("MAJOR", 9), ("MINOR", minor), ("PATCH", 0))))
                self.assertEqual(len(list(versions.copies(self.rows, pathlib.Path(folder)))), count)

    def test_every_row_of_the_real_list_has_a_licence(self):
        listed = versions.rows((PACKAGING / "versions.txt").read_text())
        self.assertGreater(len(listed), 20)
        self.assertNotIn("NOASSERTION", {row["licence"] for row in listed.values()})


if __name__ == "__main__":
    unittest.main()
