#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the release into an empty folder, runs the program there, and removes it: only the
# administrator's files may stay.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
make="make --no-print-directory --old-file=deps --old-file=release DESTDIR=$root"
$make install >/dev/null
"$root/usr/local/bin/fixcast" --version
for file in lib/systemd/system/fixcast.service share/man/man1/fixcast.1; do
  [ -s "$root/usr/local/$file" ] || { echo "make install: no $file" >&2; exit 1; }
done
$make uninstall >/dev/null
left=$(find "$root" ! -type d -printf '/%P\n')
[ "$left" = /etc/fixcast/config.toml ] || {
  printf 'make uninstall left:\n%s\n' "$left" >&2
  exit 1
}
echo "make install and make uninstall: passed"
