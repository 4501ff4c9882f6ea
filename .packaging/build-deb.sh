#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the Debian packages from a finished release build. dpkg-buildpackage requires
# a folder named debian at the top of a source tree, so this script makes such a tree. The version of
# the package ends in a suffix for the Debian release, because the packages of two releases differ:
# they depend on other library versions. An upgrade of Debian then also upgrades Fixcast.
# Environment: RELEASE_FOLDER, the release build; DEB_FOLDER, the result; for a cross build also
# DEB_ARCHITECTURE, EMULATOR, a command that runs a program of that architecture, and STRIP.
set -euo pipefail
cd "$(dirname "$0")/.."
FIXCAST_SOURCE=$PWD
export FIXCAST_SOURCE
version=$(dpkg-parsechangelog -l .packaging/debian/changelog -S Version)
program=$(${EMULATOR:-} "${RELEASE_FOLDER:-.build/release}/fixcast" --version)
[ "$version" = "$program" ] || {
  echo "versions differ: $version in the changelog, $program in the program" >&2
  exit 1
}
.packaging/check_versions.py --toolchain
suffix=$(. /etc/os-release && [ "$ID" != debian ] || echo "${VERSION_ID:+~deb${VERSION_ID}u1}")
debs=${DEB_FOLDER:-.build/deb}
stage=$debs/fixcast-$version
# Packages for other systems are in subfolders, which remain.
rm -rf "$debs"/fixcast[-_]*
mkdir -p "$stage"
cp -R .packaging/debian "$stage/debian"
sed -i "1s/($version)/($version$suffix)/" "$stage/debian/changelog"
# In a cross build, the packages of `Build-Depends` are not of the target's architecture.
(cd "$stage" && dpkg-buildpackage -b -us -uc ${DEB_ARCHITECTURE:+-d -a"$DEB_ARCHITECTURE"})
echo "built: $(ls "$debs"/*.deb)"
