#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks the systemd units: systemd must know every key, and `systemd-analyze security` must rate
# their exposure at most 1.5 of 10.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
sed '/^Documentation=/d' .packaging/systemd/fixcast-web.socket >"$folder/fixcast-web.socket"
for source in .packaging/systemd/fixcast.service .packaging/fleet/fixcast-fleet.service; do
  name=${source##*/} unit=$folder/${source##*/}
  # The programs and the manual need not be installed on the machine that runs this check.
  sed -E 's|^ExecStart=/usr/bin/fixcast[a-z-]*|ExecStart=/bin/true|; /^Documentation=/d' "$source" >"$unit"
  problems=$(systemd-analyze verify "$unit" 2>&1 | grep -F "$name" || true)
  [ -z "$problems" ] || { printf '%s\n' "$problems"; exit 1; }
  systemd-analyze security --offline=true --threshold=15 --no-pager "$unit" >"$folder/exposure" || {
    grep -v '✓' "$folder/exposure"
    exit 1
  }
  echo "ok      $name has an exposure of $(tail -n 1 "$folder/exposure" | grep -oE '[0-9.]+ [A-Z]+')"
done
problems=$(systemd-analyze verify "$folder/fixcast-web.socket" 2>&1 | grep -F fixcast-web || true)
[ -z "$problems" ] || { printf '%s\n' "$problems"; exit 1; }
