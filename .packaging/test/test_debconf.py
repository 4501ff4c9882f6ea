#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of the installation question, with debconf and a database of their own."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
DEBIAN = pathlib.Path(__file__).resolve().parent.parent / "debian"
QUESTION = "fixcast/allowed-users"
RC = """Config: configdb
Templates: templatedb

Name: configdb
Driver: File
Filename: {0}/config.dat

Name: templatedb
Driver: File
Filename: {0}/templates.dat
"""
PASSWD = """root:x:0:0:root:/root:/bin/bash
daemon:x:1:1::/:/usr/sbin/nologin
pi:x:1001:1001::/home/pi:/bin/bash
guest:x:1002:1002::/home/guest:/bin/bash
odd;name:x:1003:1003::/:/bin/sh
nobody:x:65534:65534::/nonexistent:/usr/sbin/nologin
"""


@unittest.skipUnless(pathlib.Path("/usr/share/debconf/frontend").exists(), "needs debconf")
class DebconfTests(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        (self.path / "rc").write_text(RC.format(self.path))
        (self.path / "passwd").write_text(PASSWD)
        self.script("getent", f'cat "{self.path}/passwd"')
        self.script("fixcast", f'echo "$*" >>"{self.path}/calls"; [ "$3" != user=gone ]')
        self.environment = os.environ | {
            "DEBCONF_SYSTEMRC": str(self.path / "rc"), "DEBIAN_FRONTEND": "noninteractive",
            "DEBCONF_NOWARNINGS": "yes", "PATH": f"{self.path}:{os.environ['PATH']}"}
        # debconf finds the templates beside the script, as dpkg lays them down.
        (self.path / "fixcast.templates").write_text((DEBIAN / "templates").read_text())

    def script(self, name, text):
        path = self.path / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def run_command(self, *words, **options):
        return subprocess.run(
            words, env=self.environment, check=True, capture_output=True, text=True, **options)

    def run_maintainer_script(self, name, *words):
        path = self.path / f"fixcast.{name}"
        path.write_text((DEBIAN / name).read_text().replace("#DEBHELPER#", ""))
        path.chmod(0o755)
        return self.run_command(path, *words)

    def install(self, previous=""):
        """Configures the package as dpkg does, and returns the arguments of each `fixcast`."""
        calls = self.path / "calls"
        calls.unlink(missing_ok=True)
        self.run_maintainer_script("config", "configure", previous)
        self.run_maintainer_script("postinst", "configure", previous)
        return calls.read_text().splitlines() if calls.exists() else []

    def preseed(self, value):
        self.run_command(
            "debconf-set-selections", input=f"fixcast {QUESTION} multiselect {value}\n")

    def test_a_noninteractive_installation_allows_nobody(self):
        self.assertEqual(self.install(), [])

    def test_the_question_offers_the_accounts_of_people(self):
        self.install()
        database = (self.path / "config.dat").read_text()
        self.assertIn("users = pi, guest\n", database)

    def test_preseeded_users_are_recorded_once_like_an_operators_answer(self):
        self.preseed("pi, guest")
        reason = "--reason chosen at installation"
        self.assertEqual(
            self.install(),
            [f"auth allow user=pi {reason}", f"auth allow user=guest {reason}"])
        self.assertEqual(self.install(previous="1.0"), [])

    def test_a_user_who_cannot_be_recorded_does_not_fail_the_installation(self):
        self.preseed("gone, pi")
        self.assertEqual(len(self.install()), 2)

    def test_a_machine_without_accounts_of_people_is_not_asked(self):
        (self.path / "passwd").write_text("root:x:0:0:root:/root:/bin/bash\n")
        self.assertEqual(self.install(), [])
        self.assertNotIn("users = ", (self.path / "config.dat").read_text())


if __name__ == "__main__":
    unittest.main()
