#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the Swift toolchain for Debian 12 in /usr, for container images without Swift. Needs root.
# Does nothing if swift is installed.
# usage: install-swift.sh [--packages]   (--packages only lists the Debian packages that Swift needs)
set -euo pipefail
cd "$(dirname "$0")/.."
packages="binutils ca-certificates curl g++ git gpg libcurl4-openssl-dev libedit-dev libncurses-dev \
libsqlite3-dev libxml2-dev pkg-config tzdata uuid-dev"
[ "${1:-}" != --packages ] || { echo "$packages"; exit; }
! command -v swift >/dev/null || exit 0
# The tag of the release, such as swift-6.3.1-RELEASE.
release=$(sed -n 's/^swift [^ ]* \(swift-[^ ]*-RELEASE\) .*/\1/p' .packaging/versions.txt)
# The Swift 6.x Release Signing Key.
fingerprint=52BB7E3DE28A71BE22EC05FFEF80A866B47A981F
case $(dpkg --print-architecture) in
  amd64) platform=debian12 ;;
  arm64) platform=debian12-aarch64 ;;
  *) echo "install-swift: no toolchain for $(dpkg --print-architecture)" >&2; exit 1 ;;
esac
url=https://download.swift.org/${release,,}/$platform/$release/$release-$platform.tar.gz

export DEBIAN_FRONTEND=noninteractive
apt-get -qq update
apt-get -qq install -y --no-install-recommends $packages

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GNUPGHOME=$work
curl -fsSL -o "$work/keys" https://www.swift.org/keys/all-keys.asc
curl -fsSL -o "$work/swift.tar.gz" "$url" -o "$work/swift.tar.gz.sig" "$url.sig"
gpg --batch --quiet --import "$work/keys"
gpg --batch --status-fd 1 --verify "$work/swift.tar.gz.sig" "$work/swift.tar.gz" >"$work/status"
grep -q "^\[GNUPG:\] VALIDSIG .*$fingerprint" "$work/status" || {
  echo "install-swift: $url is not signed with the key $fingerprint" >&2
  exit 1
}
tar -xzf "$work/swift.tar.gz" --directory / --strip-components=1
swift --version
