#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fetches the recordings of gpsd's regression tests, and gpsd's decoded output for each recording,
# from Debian's source package into .build/recordings. Does nothing if that folder exists.
#
# apt reads copies of the machine's sources with "deb" replaced by "deb-src", and writes only to a
# temporary folder. The machine's configuration is not changed, and root is not needed.
set -euo pipefail
cd "$(dirname "$0")/.."
target=.build/recordings
[ ! -d "$target" ] || exit 0

fail() { echo "fetch-recordings: $1" >&2; exit 1; }

mkdir -p .build
work=$(mktemp -d "$PWD/.build/recordings.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{sources,lists/partial,archives,logs}
# apt downloads as the user _apt, which must be able to enter this folder.
chmod 755 "$work"

for file in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
  case $file in
    *.sources) sed 's/^Types:.*/Types: deb-src/' "$file" >"$work/sources/${file##*/}" ;;
    *.list) [ ! -f "$file" ] || sed -n 's/^deb\([[:space:]]\)/deb-src\1/p' "$file" >"$work/sources/${file##*/}" ;;
  esac
done

apt() {
  apt-get -q -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$work/sources" \
    -o Dir::State::Lists="$work/lists" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= "$@" \
    >>"$work/log" 2>&1
}

echo "fetching gpsd's recordings"
# A third-party source may have no index of source packages, so errors of the update are ignored.
apt update || true
(cd "$work/archives" && apt source --download-only gpsd) || {
  grep -E '^(E|Err|W):' "$work/log" >&2 || cat "$work/log" >&2
  fail "cannot download the source package of gpsd; check the network connection"
}
archive=$(find "$work/archives" -name 'gpsd_*.orig.tar.*' ! -name '*.asc')
[ -f "$archive" ] || fail "the source package of gpsd contains no upstream archive"
tar -xf "$archive" -C "$work/logs" --strip-components=3 --wildcards --no-wildcards-match-slash \
  '*/test/daemon/*.log' '*/test/daemon/*.log.chk' || fail "no recordings in ${archive##*/}"

count=0
for log in "$work"/logs/*.log; do
  [ ! -s "$log" ] || [ ! -f "$log.chk" ] || count=$((count + 1))
done
[ "$count" -ge 100 ] || fail "${archive##*/} contains $count recordings; expected at least 100"
mv "$work/logs" "$target"
echo "extracted $count recordings from ${archive##*/} to $target"
