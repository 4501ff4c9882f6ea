#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of generate_manual.py."""
import datetime
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import generate_manual as manual  # noqa: E402

DAY = datetime.date(2026, 11, 21)


def option(name, **more):
    names = [{"kind": "long", "name": name}]
    return {"kind": "option", "names": names, "preferredName": names[0], "isOptional": True,
            "valueName": name, "abstract": f"Sets {name}.", **more}


class ManualTests(unittest.TestCase):
    def test_text_is_escaped_so_that_it_is_not_a_macro(self):
        self.assertEqual(manual.escaped(".Sh X"), "\\&.Sh X")
        self.assertEqual(manual.escaped("'so"), "\\&'so")
        self.assertEqual(manual.escaped("a\\b"), "a\\eb")

    def test_an_argument_is_escaped_so_that_it_is_not_a_macro(self):
        self.assertEqual(manual.argument("Ar"), "\\&Ar")
        self.assertEqual(manual.argument("."), "\\&.")
        self.assertEqual(manual.argument("two words"), '"two words"')
        self.assertEqual(manual.argument("lat,lon"), "lat,lon")

    def test_each_sentence_starts_on_a_new_line(self):
        self.assertEqual(manual.prose("One. Two, e.g. three. 4.5 m."), ["One.", "Two, e.g. three. 4.5 m."])

    def test_long_sentences_are_wrapped(self):
        lines = manual.prose("word " * 60)
        self.assertTrue(all(len(line) <= 78 for line in lines))
        self.assertEqual(" ".join(lines).split(), ["word"] * 60)

    def test_indented_lines_become_literal_text(self):
        lines = manual.discussion("Before.\n\n  fixcast a\n  fixcast b\n\nAfter.")
        self.assertEqual(lines, ["Before.", ".Bd -literal -offset indent", "fixcast a", "fixcast b",
                                 ".Ed", ".Pp", "After."])

    def test_examples_of_a_command_and_its_subcommands_are_one_section(self):
        child = {"commandName": "b", "discussion": "Text.\n\nExamples:\n  fixcast a b"}
        command = {"commandName": "a", "discussion": "Text.\n\nExamples:\n  fixcast a",
                   "subcommands": [child]}
        text = manual.subcommand_page(command, DAY)
        self.assertIn(".Sh EXAMPLES\n.Bd -literal -offset indent\nfixcast a\nfixcast a b\n.Ed\n", text)
        self.assertEqual(text.count("Text."), 2)
        self.assertNotIn("Examples:", text)

    def test_a_command_without_examples_has_no_such_section(self):
        self.assertEqual(manual.examples({"commandName": "a", "discussion": "Text."}), [])

    def test_the_synopsis_marks_optional_and_repeating_arguments(self):
        file = {"kind": "positional", "valueName": "file", "isOptional": False}
        command = {"arguments": [file, option("speed"), option("source", isRepeating=True),
                                 option("secret", shouldDisplay=False)]}
        self.assertEqual(manual.synopsis(["replay"], command), [
            ".Nm fixcast", ".Cm replay", ".Ar file", ".Op Fl -speed Ar speed",
            ".Op Fl -source Ar source ..."])

    def test_options_are_printed_with_defaults_and_choices(self):
        text = "\n".join(manual.options({"arguments": [
            option("speed", defaultValue="1"), option("scene", allValues=["a", "b"])]}))
        self.assertIn(".It Fl -speed Ar speed\nSets speed.\nBy default 1.", text)
        self.assertIn("One of a, b.", text)

    def test_every_subcommand_has_a_page_or_a_section(self):
        child = {"commandName": "allow", "abstract": "Allow access.", "arguments": [option("for")]}
        command = {"commandName": "auth", "abstract": "Manage access.", "subcommands": [child]}
        help_command = {"commandName": "help"}
        root = {"commandName": "fixcast", "abstract": "A GPS bridge.", "subcommands": [command, help_command]}
        text = manual.root_page(root, DAY)
        self.assertIn(".Dd November 21, 2026", text)
        self.assertIn(".Xr fixcast-auth 1", text)
        self.assertNotIn("fixcast-help", text)
        text = manual.subcommand_page(command, DAY)
        self.assertIn(".Ss fixcast auth allow", text)
        self.assertIn("Fl -for Ar for", text)


if __name__ == "__main__":
    unittest.main()
