#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs all tests as `swift test` does, writes the whole log to .build/tests.log, and prints what passed
# without the lines of tests that start. Failures are printed again at the end.
set -uo pipefail
cd "$(dirname "$0")/.."
log=.build/tests.log
swift test --skip-build --disable-xctest 2>&1 | sed -u 's/\x1b\[[0-9;]*m//g' | tee "$log" |
  grep -vE '^(◇|✔ Test case)'
status=${PIPESTATUS[0]}
if [ "$status" != 0 ]; then
  printf '\n== failed; the whole log is in %s\n' "$log"
  # Each issue with the lines that explain it.
  awk '/^✘/ { print; more = 3; next } /^[↳ ]/ && more-- > 0 { print; next } { more = 0 }' "$log" |
    cut -c 1-400 | tail -n 60
fi
exit "$status"
