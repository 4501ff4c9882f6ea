#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the tests of the status page. The tests with figures run alone; the others, two at a time.
set -uo pipefail
cd "$(dirname "$0")"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
(status=0
./test_page.py || status=1
./test_attacks.py || status=1
exit "$status") >"$log" 2>&1 &
status=0
./test_daemon.py || status=1
wait $! || status=1
cat "$log"
./test_figures.py || status=1
exit "$status"
