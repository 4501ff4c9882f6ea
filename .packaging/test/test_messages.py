#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of generate_messages.py: the check fails if sources, rows and article do not agree."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / ".ci/generate_messages.py"
ROWS = """# Not read
Sample/Skipped.swift\ta sample

# First
PATH: cannot be read...
inner text\tThe file is missing.\t`ls PATH`

# Not listed: progress
waiting for the file
"""
SOURCE = r"""
// "a comment is no message"
func open(path: String) throws {
  print("waiting for the file")
  help(help: "Opens a file.")
  throw Failure("\(path): cannot be read: "
    + "\(text(of: "inner text" + ")"))" + (isOld ? "; it is old" : ""))
}
"""
ARTICLE = "# Article\n\n<!-- messages: begin -->\n<!-- messages: end -->\n\nEnd.\n"


class MessagesTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.article = self.root / "Sources/fixcast/fixcast.docc/Messages.md"
        self.write(".ci/messages.tsv", ROWS)
        self.write("Sources/Sample/Open.swift", SOURCE)
        self.write("Sources/Sample/Skipped.swift", 'let text = "nothing of this counts"\n')
        self.write("Sources/fixcast/fixcast.docc/Messages.md", ARTICLE)

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def run_script(self, *options):
        result = subprocess.run([sys.executable, "-B", SCRIPT, "--root", self.root, *options],
                                capture_output=True, text=True)
        return result.returncode, result.stderr

    def test_the_article_gets_each_message_once_with_cause_and_remedy(self):
        self.assertEqual(self.run_script(), (0, ""))
        text = self.article.read_text()
        self.assertIn("## First\n\n| message | cause | remedy |\n|---|---|---|\n"
                      "| `inner text` | The file is missing. | `ls PATH` |\n"
                      "| `PATH: cannot be read: ...` | The file is missing. | `ls PATH` |\n", text)
        self.assertTrue(text.endswith("<!-- messages: end -->\n\nEnd.\n"))
        self.assertNotIn("waiting", text)
        self.assertEqual(self.run_script("--check"), (0, ""))

    def test_the_check_fails_if_a_message_is_added_to_a_source(self):
        self.run_script()
        self.write("Sources/Sample/New.swift", 'let error = "\\(file): this is new"\n')
        code, errors = self.run_script("--check")
        self.assertEqual(code, 1)
        self.assertIn("Sample/New.swift: no row in .ci/messages.tsv for: FILE: this is new", errors)

    def test_the_check_fails_if_no_message_matches_a_row(self):
        self.run_script()
        self.write("Sources/Sample/Open.swift", SOURCE.replace("waiting for the file", "waiting"))
        self.assertEqual(self.run_script("--check"),
                         (1, ".ci/messages.tsv: no message matches: waiting for the file\n"))

    def test_the_check_fails_if_a_file_that_is_not_read_is_gone(self):
        self.run_script()
        (self.root / "Sources/Sample/Skipped.swift").unlink()
        self.assertIn("no such file in Sources: Sample/Skipped.swift", self.run_script("--check")[1])

    def test_the_check_fails_if_the_article_is_stale_and_changes_nothing(self):
        self.assertEqual(self.run_script("--check"), (
            1, "Sources/fixcast/fixcast.docc/Messages.md: the table differs; "
            "run: .ci/generate_messages.py\n"))
        self.assertEqual(self.article.read_text(), ARTICLE)

    def test_nothing_is_written_if_a_row_has_no_cause(self):
        self.write(".ci/messages.tsv", "# First\nPATH: cannot be read...\n")
        self.assertEqual(self.run_script(), (1, ".ci/messages.tsv:2: no cause and remedy\n"))
        self.assertEqual(self.article.read_text(), ARTICLE)


if __name__ == "__main__":
    unittest.main()
