#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the demo and the daemon of the release build, and checks their output.
set -euo pipefail
cd "$(dirname "$0")/.."
output=$(timeout 60 .build/release/fixcast demo --seconds 10 2>&1) || {
  printf '%s\n' "$output"
  echo "the demo failed"
  exit 1
}
printf '%s\n' "$output" | tail -n 25
for pattern in '[1-9][0-9]* fixes' '[1-9][0-9]* answered' '[1-9][0-9]* locations held' '^0 errors'; do
  grep -qE "$pattern" <<<"$output" || { echo "the demo's summary does not match: $pattern"; exit 1; }
done
.ci/smoke_daemon.py
