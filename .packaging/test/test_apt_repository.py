#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of the apt repository: the real apt installs from it, with folders of its own.

With FIXCAST_DEB, the path of a package that `make deb` built, that package takes the place of the
small one with the same distribution and architecture.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SCRIPT = ROOT / ".packaging/apt_repository.sh"
ARTICLE = ROOT / "Sources/fixcast/fixcast.docc/Install.md"
RELEASES = {"bookworm": "12", "trixie": "13"}
ARCHITECTURES = ("amd64", "arm64")
TARGETS = [(suite, architecture) for suite in RELEASES for architecture in ARCHITECTURES]
# Only these settings apply, and none of this machine. apt runs its downloads as the user _apt, who
# cannot read the folder of the test.
APT_CONFIGURATION = """Dir "{root}";
Dir::State::status "{status}";
APT::Architecture "{architecture}";
APT::Architectures {{ "{architecture}"; }};
APT::Sandbox::User "root";
Acquire::Languages "none";
"""


def run(*words, environment=None, check=True):
    done = subprocess.run(words, env=os.environ | (environment or {}), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if check and done.returncode != 0:
        raise AssertionError(f"{words}: exit code {done.returncode}: {done.stdout}")
    return done


def field(deb, name):
    return run("dpkg-deb", "--field", str(deb), name).stdout.strip()


def make_package(folder, version, architecture):
    tree = folder / "tree"
    (tree / "DEBIAN").mkdir(parents=True)
    (tree / "DEBIAN/control").write_text(
        f"Package: fixcast\nVersion: {version}\nArchitecture: {architecture}\n"
        "Maintainer: Fixcast maintainers <maintainers@fixcast.invalid>\nDescription: test\n")
    deb = folder / f"fixcast_{version}_{architecture}.deb"
    run("dpkg-deb", "--build", "--root-owner-group", str(tree), str(deb))
    shutil.rmtree(tree)
    return deb


def make_key(keyring):
    """Makes a key pair in a keyring of its own, and returns its fingerprint."""
    keyring.mkdir(mode=0o700)
    environment = {"GNUPGHOME": str(keyring)}
    run("gpg", "--batch", "--passphrase", "", "--quick-generate-key", "Test", "ed25519", "sign", "1d",
        environment=environment)
    keys = run("gpg", "--batch", "--with-colons", "--list-keys", environment=environment).stdout
    return re.search(r"^fpr:+([0-9A-F]+):", keys, re.M)[1]


@unittest.skipUnless(shutil.which("apt-ftparchive") and shutil.which("gpg"), "needs apt-utils, gnupg")
class AptRepositoryTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.path = pathlib.Path(cls.scratch.name)
        cls.keyring = cls.path / "keyring"
        cls.addClassCleanup(run, "gpgconf", "--homedir", str(cls.keyring), "--kill", "all")
        cls.key = make_key(cls.keyring)
        cls.packages = {}
        # One folder per artifact, as CI's jobs upload them.
        for suite, architecture in TARGETS:
            folder = cls.path / f"artifacts/fixcast-{suite}-{architecture}"
            folder.mkdir(parents=True)
            cls.packages[suite, architecture] = make_package(
                folder, f"1.2~deb{RELEASES[suite]}u1", architecture)
        cls.built = os.environ.get("FIXCAST_DEB")
        if cls.built:
            release = re.search(r"~deb(\d+)u1$", field(cls.built, "Version"))[1]
            suite = next(name for name in RELEASES if RELEASES[name] == release)
            cls.target = suite, field(cls.built, "Architecture")
            small = cls.packages[cls.target]
            cls.packages[cls.target] = pathlib.Path(shutil.copy(cls.built, small.parent))
            small.unlink()
        cls.signed = cls.build("signed", {"GNUPGHOME": str(cls.keyring), "SIGNING_KEY": cls.key})
        cls.unsigned = cls.build("unsigned", {"SIGNING_KEY": ""})

    @classmethod
    def build(cls, name, environment):
        run(str(SCRIPT), str(cls.path / "artifacts"), str(cls.path / name), environment=environment)
        return cls.path / name

    def refusal(self, folder):
        done = run(str(SCRIPT), str(folder), str(self.path / "refused"), check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(list(self.path.glob("refused*")), [])
        return done.stdout

    def make_apt(self, source, architecture, status=None):
        """Returns a function that runs apt-get with an empty root, and the root."""
        root = pathlib.Path(tempfile.mkdtemp(dir=self.path))
        for name in ("etc/apt/apt.conf.d", "etc/apt/preferences.d", "var/lib/apt/lists/partial",
                     "var/lib/dpkg", "var/cache/apt/archives/partial", "var/log/apt"):
            (root / name).mkdir(parents=True)
        (root / "var/lib/dpkg/status").touch()
        (root / "etc/apt/sources.list").write_text(source + "\n")
        configuration = root / "apt.conf"
        configuration.write_text(APT_CONFIGURATION.format(
            root=root, architecture=architecture, status=status or root / "var/lib/dpkg/status"))
        environment = {"APT_CONFIG": str(configuration), "LC_ALL": "C"}

        def apt(*words, check=True):
            return run("apt-get", "-y", *words, environment=environment, check=check)
        return apt, root

    @staticmethod
    def source(repository, suite, options):
        # apt does not copy a package of a `file:` repository into its cache.
        return f"deb [{options}] copy:{repository} {suite} main"

    def test_apt_downloads_the_package_of_each_distribution_and_architecture(self):
        for suite, architecture in TARGETS:
            with self.subTest(suite=suite, architecture=architecture):
                package = self.packages[suite, architecture]
                # The dependencies of the built package are those that this machine has.
                status = None
                if self.built and (suite, architecture) == self.target:
                    status = "/var/lib/dpkg/status"
                apt, root = self.make_apt(self.source(
                    self.signed, suite, f"signed-by={self.signed}/fixcast.asc"), architecture, status)
                self.assertNotIn("W:", apt("update").stdout)
                apt("install", "--download-only", "--reinstall", "fixcast")
                files = list((root / "var/cache/apt/archives").glob("*.deb"))
                self.assertEqual([file.read_bytes() for file in files], [package.read_bytes()])

    def test_the_package_of_the_next_distribution_is_an_upgrade(self):
        self.assertEqual(run("dpkg", "--compare-versions", "1.2~deb12u1", "lt", "1.2~deb13u1",
                             check=False).returncode, 0)

    def test_apt_rejects_a_repository_that_another_key_signed(self):
        keyring = self.path / "other"
        self.addCleanup(run, "gpgconf", "--homedir", str(keyring), "--kill", "all")
        key = make_key(keyring)
        other = self.path / "other.asc"
        other.write_text(run("gpg", "--batch", "--armor", "--export", key,
                             environment={"GNUPGHOME": str(keyring)}).stdout)
        apt, _ = self.make_apt(self.source(self.signed, "trixie", f"signed-by={other}"), "arm64")
        self.assertNotEqual(apt("update", check=False).returncode, 0)

    def test_apt_accepts_an_unsigned_repository_only_if_it_is_trusted(self):
        apt, _ = self.make_apt(self.source(self.unsigned, "trixie", "arch=arm64"), "arm64")
        self.assertIn("is not signed", apt("update", check=False).stdout)
        apt, _ = self.make_apt(self.source(self.unsigned, "trixie", "trusted=yes"), "arm64")
        apt("update")
        apt("install", "--download-only", "fixcast")

    def test_the_lines_of_the_article_add_the_repository(self):
        lines = re.findall(r"^\$ (.*(?:keyrings|sources\.list\.d).*)$", ARTICLE.read_text(), re.M)
        self.assertEqual(len(lines), 2, lines)
        for suite in RELEASES:
            apt, root = self.make_apt("", "arm64")
            (root / "etc/apt/keyrings").mkdir()
            (root / "etc/apt/sources.list.d").mkdir()
            release = root / "os-release"
            release.write_text(f"VERSION_CODENAME={suite}\n")
            for line in lines:
                line = line.replace("sudo ", "").replace("/etc/os-release", str(release))
                line = line.replace("/etc/apt", f"{root}/etc/apt")
                run("sh", "-ec", line.replace("/media/usb", str(self.signed)))
            apt("update")
            self.assertIn("fixcast", apt("install", "--simulate", "fixcast").stdout)

    def test_packages_that_the_repository_cannot_hold_are_refused(self):
        for version, architecture, message in (
                ("1.2", "amd64", "names no distribution"),
                ("1.2~deb11u1", "amd64", "names no distribution"),
                ("1.2~deb12u1", "riscv64", "the architecture riscv64 is not one of: amd64 arm64")):
            folder = pathlib.Path(tempfile.mkdtemp(dir=self.path))
            make_package(folder, version, architecture)
            self.assertIn(message, self.refusal(folder))
        self.assertIn("no .deb files", self.refusal(tempfile.mkdtemp(dir=self.path)))

    def test_two_packages_with_the_same_version_are_refused(self):
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.path))
        deb = make_package(folder, "1.2~deb12u1", "arm64")
        (folder / "again").mkdir()
        shutil.copy(deb, folder / "again")
        self.assertIn("a second file with the same version", self.refusal(folder))

    def test_a_folder_that_is_not_a_repository_is_not_replaced(self):
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.path))
        (folder / "precious").touch()
        done = run(str(SCRIPT), str(self.path / "artifacts"), str(folder), check=False)
        self.assertIn("not an apt repository", done.stdout)
        self.assertTrue((folder / "precious").exists())


if __name__ == "__main__":
    unittest.main()
