#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of manual.py: what a command line may say, and what mdoc must not take it for."""
import datetime
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import manual  # noqa: E402

DAY = datetime.date(2026, 11, 21)


def option(name, **more):
    names = [{"kind": "long", "name": name}]
    return {"kind": "option", "names": names, "preferredName": names[0], "isOptional": True,
            "valueName": name, "abstract": f"Says {name}.", **more}


class ManualTests(unittest.TestCase):
    def test_text_is_never_taken_for_a_macro(self):
        self.assertEqual(manual.escaped(".Sh X"), "\\&.Sh X")
        self.assertEqual(manual.escaped("'so"), "\\&'so")
        self.assertEqual(manual.escaped("a\\b"), "a\\eb")

    def test_an_argument_is_never_taken_for_a_macro(self):
        self.assertEqual(manual.argument("Ar"), "\\&Ar")
        self.assertEqual(manual.argument("."), "\\&.")
        self.assertEqual(manual.argument("two words"), '"two words"')
        self.assertEqual(manual.argument("lat,lon"), "lat,lon")

    def test_each_sentence_begins_a_line(self):
        self.assertEqual(manual.prose("One. Two, e.g. three. 4.5 m."), ["One.", "Two, e.g. three. 4.5 m."])

    def test_long_sentences_are_wrapped(self):
        lines = manual.prose("word " * 60)
        self.assertTrue(all(len(line) <= 78 for line in lines))
        self.assertEqual(" ".join(lines).split(), ["word"] * 60)

    def test_indented_lines_stay_as_they_are(self):
        lines = manual.discussion("Before.\n\n  fixcast a\n  fixcast b\n\nAfter.")
        self.assertEqual(lines, ["Before.", ".Bd -literal -offset indent", "fixcast a", "fixcast b",
                                 ".Ed", ".Pp", "After."])

    def test_the_synopsis_shows_what_is_optional_and_what_repeats(self):
        file = {"kind": "positional", "valueName": "file", "isOptional": False}
        command = {"arguments": [file, option("speed"), option("source", isRepeating=True),
                                 option("secret", shouldDisplay=False)]}
        self.assertEqual(manual.synopsis(["replay"], command), [
            ".Nm fixcast", ".Cm replay", ".Ar file", ".Op Fl -speed Ar speed",
            ".Op Fl -source Ar source ..."])

    def test_options_tell_defaults_and_choices(self):
        text = "\n".join(manual.options({"arguments": [
            option("speed", defaultValue="1"), option("scene", allValues=["a", "b"])]}))
        self.assertIn(".It Fl -speed Ar speed\nSays speed.\nBy default 1.", text)
        self.assertIn("One of a, b.", text)

    def test_every_subcommand_has_its_page_or_part(self):
        child = {"commandName": "allow", "abstract": "Allow it.", "arguments": [option("for")]}
        command = {"commandName": "auth", "abstract": "Who may know.", "subcommands": [child]}
        help_command = {"commandName": "help"}
        root = {"commandName": "fixcast", "abstract": "It.", "subcommands": [command, help_command]}
        text = manual.root_page(root, DAY)
        self.assertIn(".Dd November 21, 2026", text)
        self.assertIn(".Xr fixcast-auth 1", text)
        self.assertNotIn("fixcast-help", text)
        text = manual.subcommand_page(command, DAY)
        self.assertIn(".Ss fixcast auth allow", text)
        self.assertIn("Fl -for Ar for", text)


if __name__ == "__main__":
    unittest.main()
