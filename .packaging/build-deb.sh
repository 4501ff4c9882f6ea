#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the Debian package in .build/deb from a finished release build. dpkg-buildpackage requires
# a folder named debian at the top of a source tree, so this script makes such a tree. The version of
# the package ends in a suffix for the Debian release, because the packages of two releases differ:
# they depend on other library versions. An upgrade of Debian then also upgrades Fixcast.
set -euo pipefail
cd "$(dirname "$0")/.."
FIXCAST_SOURCE=$PWD
export FIXCAST_SOURCE
version=$(dpkg-parsechangelog -l .packaging/debian/changelog -S Version)
program=$("${PROGRAM:-.build/release/fixcast}" --version)
[ "$version" = "$program" ] || {
  echo "versions differ: $version in the changelog, $program in the program" >&2
  exit 1
}
.packaging/check_versions.py --toolchain
suffix=$(. /etc/os-release && [ "$ID" != debian ] || echo "${VERSION_ID:+~deb${VERSION_ID}u1}")
stage=.build/deb/fixcast-$version
rm -rf .build/deb
mkdir -p "$stage"
cp -R .packaging/debian "$stage/debian"
sed -i "1s/($version)/($version$suffix)/" "$stage/debian/changelog"
(cd "$stage" && dpkg-buildpackage -b -us -uc)
echo "built: $(ls .build/deb/*.deb)"
