#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs all tests that were built, writes the log to .build/tests.log, and prints it without the
# lines that report the start of a test. Failures are printed again at the end.
set -uo pipefail
cd "$(dirname "$0")/.."
log=.build/tests.log
# The suite has up to 800 files open; the usual soft limit is 1024.
ulimit -S -n 4096 2>/dev/null || ulimit -S -n "$(ulimit -H -n)"
# `swift test` would wait for the lock of .build while a release is built beside the tests.
.build/debug/fixcastPackageTests.xctest --testing-library swift-testing 2>&1 | sed -u 's/\x1b\[[0-9;]*m//g' | tee "$log" |
  grep -vE '^(◇|✔ Test case)'
status=${PIPESTATUS[0]}
if [ "$status" != 0 ]; then
  printf '\n== tests failed; the complete log is in %s\n' "$log"
  # Each issue with up to three lines of details.
  awk '/^✘/ { print; more = 3; next } /^[↳ ]/ && more-- > 0 { print; next } { more = 0 }' "$log" |
    cut -c 1-400 | tail -n 60
fi
exit "$status"
