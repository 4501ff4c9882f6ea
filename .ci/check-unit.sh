#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks the systemd unit: systemd must know every key, and `systemd-analyze security` must rate its
# exposure at most 1.5 of 10.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unit=$folder/fixcast.service
# The program and the manual need not be installed on the machine that runs this check.
sed 's|^ExecStart=/usr/bin/fixcast|ExecStart=/bin/true|; /^Documentation=/d' \
  .packaging/systemd/fixcast.service >"$unit"
problems=$(systemd-analyze verify "$unit" 2>&1 | grep -F fixcast.service || true)
[ -z "$problems" ] || { printf '%s\n' "$problems"; exit 1; }
systemd-analyze security --offline=true --threshold=15 --no-pager "$unit" >"$folder/exposure" || {
  grep -v '✓' "$folder/exposure"
  exit 1
}
echo "ok      fixcast.service has an exposure of $(tail -n 1 "$folder/exposure" | grep -oE '[0-9.]+ [A-Z]+')"
