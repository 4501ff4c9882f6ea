#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the licence notices of the libraries that are linked into the program.

usage: list_licences.py [RELEASE]          (RELEASE: the build folder, by default .build/release)
       list_licences.py --spdx [RELEASE]   (prints an SPDX 2.3 document of all libraries)
       list_licences.py --names [RELEASE]  (prints name and version of each linked library)

The linker's list of objects determines the packages: it omits packages that are fetched but not
linked. Each package is printed with its version, its licence, its NOTICE and the licences of code
that it contains from other projects. The Apache License is only named, because Debian installs
its full text.
"""
import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import check_versions  # noqa: E402

APACHE = "Apache License, Version 2.0"


def linked_modules(release):
    """Returns the modules whose objects are linked into the program."""
    linked = release / "fixcast.product/Objects.LinkFileList"
    if not linked.exists():
        raise SystemExit(f"{linked}, the list of linked objects, not found; run: make release")
    objects = linked.read_text().split()
    return {part.removesuffix(".build") for line in objects
            for part in pathlib.Path(line.strip("'\"")).parts if part.endswith(".build") and part != ".build"}


def licence_of(package):
    """Returns the licence of a package: one line for the Apache License, otherwise its full text."""
    texts = sorted(package.glob("LICENSE*"))
    if not texts:
        raise SystemExit(f"{package.name} has no LICENSE file")
    text = texts[0].read_text()
    if "Apache License" not in text[:200]:
        return text.strip()
    exception = ", with the Runtime Library Exception" if "Runtime Library Exception" in text else ""
    return f"Under the {APACHE}{exception}."


def notice_of(package, version, modules):
    """Returns name, version, licence and notices of a package and of the code that it contains."""
    parts = [f"{package.name} {version}".strip(), licence_of(package)]
    notices = sorted(package.glob("NOTICE*"))
    parts += [notice.read_text().strip("\n").rstrip() for notice in notices]
    for module in sorted(modules):
        for text in sorted((package / "Sources" / module).rglob("LICENSE*")):
            parts.append(f"{text.relative_to(package)}:\n\n{text.read_text().strip()}")
    return "\n\n".join(parts)


def notices(root, release):
    resolved = json.loads((root / "Package.resolved").read_text())["pins"]
    versions = {pin["identity"]: pin["state"].get("version", "") for pin in resolved}
    modules = linked_modules(release)
    texts = []
    for package in sorted(check_versions.checkouts(release).iterdir()):
        linked = {module for module in modules if (package / "Sources" / module).is_dir()}
        if linked:
            texts.append(notice_of(package, versions.get(package.name.lower(), ""), linked))
    if not texts:
        raise SystemExit(f"no library of another project is linked in {release}")
    texts.append("Swift's runtime, standard library and FoundationEssentials\n\n"
                 f"Under the {APACHE}, with the Runtime Library Exception.")
    return f"\n\n{'=' * 78}\n\n".join(texts) + "\n"


def linked_libraries(root, release, toolchain=None):
    """Returns the linked rows of versions.txt by name: packages, copies within packages, and Swift.

    toolchain is the release tag of the compiler; by default, that of the compiler in $SWIFT.
    """
    listed = check_versions.rows((root / ".packaging/versions.txt").read_text())
    compiler = check_versions.toolchain_row(listed, toolchain or check_versions.toolchain())
    listed = {name: row for name, row in listed.items() if not check_versions.is_toolchain(row)}
    listed[check_versions.TOOLCHAIN] = compiler
    modules, checkouts = linked_modules(release), check_versions.checkouts(release)
    packages = {package.name.lower() for package in checkouts.iterdir()
                if any((package / "Sources" / module).is_dir() for module in modules)}
    unlisted = packages - listed.keys()
    if unlisted:
        raise SystemExit(f"not in .packaging/versions.txt: {', '.join(sorted(unlisted))}")
    return {name: row for name, row in sorted(listed.items())
            if name == check_versions.TOOLCHAIN or name in packages
            or not row["origin"].startswith("https://") and row["origin"].split("/")[-1] in modules}


def loaded_libraries(root, program):
    """Yields soname, licence, Debian package and its version of each shared library of the program."""
    listed = check_versions.rows((root / ".packaging/versions.txt").read_text())
    dynamic = subprocess.run(["readelf", "-d", program], capture_output=True, text=True,
                             check=True).stdout
    for name in re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic):
        if name.startswith("ld-"):
            continue  # This is the dynamic loader, which belongs to libc.
        row = listed.get(name.split(".so")[0])
        if not row:
            raise SystemExit(f"{name} is not in .packaging/versions.txt")
        found = subprocess.run(["dpkg-query", "-S", f"*/{name}"], capture_output=True, text=True,
                               check=False).stdout
        package = found.split(":")[0].strip() or None
        version = subprocess.run(["dpkg-query", "-W", "-f", "${Version}\n", package], capture_output=True,
                                 text=True, check=False).stdout if package else ""
        # A package that is installed for two architectures has the same version for both.
        yield name, row["licence"], package, version.split("\n")[0]


def identifier(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]", "-", name)


def package_of(name, version, licence, location, reference=None):
    package = {"name": name, "SPDXID": identifier(name), "versionInfo": version or "NOASSERTION",
               "downloadLocation": location, "filesAnalyzed": False,
               "licenseConcluded": "NOASSERTION", "licenseDeclared": licence,
               "copyrightText": "NOASSERTION"}
    if reference:
        package["externalRefs"] = [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                    "referenceLocator": reference}]
    return package


def spdx_of(name, row):
    origin = row["origin"].removesuffix(".git")
    if not origin.startswith("https://"):
        return package_of(name, row["version"], row["licence"], "NOASSERTION",
                          f"pkg:generic/{name}@{row['revision']}")
    return package_of(name, row["version"], row["licence"], f"git+{origin}@{row['revision']}",
                      f"pkg:swift/{origin.removeprefix('https://')}@{row['version']}")


def spdx(version, linked, loaded, created):
    """Returns the SPDX document of the program, its linked libraries and its shared libraries."""
    program = identifier("fixcast")
    packages = [package_of("fixcast", version, "Apache-2.0", "NOASSERTION")]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", program)]
    for name, row in linked.items():
        packages.append(spdx_of(name, row))
        inside = row["origin"].split("/")[0]
        relations.append((identifier(inside), "CONTAINS", identifier(name)) if inside in linked
                         else (program, "STATIC_LINK", identifier(name)))
    for soname, licence, package, installed in loaded:
        packages.append(package_of(soname, installed, licence, "NOASSERTION",
                                   package and f"pkg:deb/debian/{package}@{installed}"))
        relations.append((program, "DYNAMIC_LINK", identifier(soname)))
    digest = hashlib.sha256(json.dumps([packages, relations]).encode()).hexdigest()[:16]
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"fixcast-{version}",
        "documentNamespace": f"https://fixcast.invalid/spdx/fixcast-{version}-{digest}",
        "creationInfo": {"created": created, "creators": ["Tool: fixcast-list-licences"]},
        "packages": packages,
        "relationships": [{"spdxElementId": one, "relationshipType": how, "relatedSpdxElement": other}
                          for one, how, other in relations]}


def main(arguments):
    root = pathlib.Path(__file__).resolve().parent.parent
    options = [word for word in arguments if word.startswith("--")]
    folders = [pathlib.Path(word) for word in arguments if not word.startswith("--")]
    release = folders[0] if folders else root / ".build/release"
    if "--names" in options:
        for name, row in linked_libraries(root, release).items():
            print(name, row["version"])
    elif "--spdx" in options:
        program = release / "fixcast"
        emulator = os.environ.get("EMULATOR", "").split()
        version = subprocess.run([*emulator, program, "--version"], capture_output=True, text=True,
                                 check=True)
        seconds = int(os.environ.get("SOURCE_DATE_EPOCH") or program.stat().st_mtime)
        created = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
        document = spdx(version.stdout.strip(), linked_libraries(root, release),
                        list(loaded_libraries(root, program)), created.strftime("%Y-%m-%dT%H:%M:%SZ"))
        print(json.dumps(document, indent=1))
    else:
        sys.stdout.write(notices(root, release))


if __name__ == "__main__":
    main(sys.argv[1:])
