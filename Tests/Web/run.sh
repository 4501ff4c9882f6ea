#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the tests of the status page in two processes, since most tests wait for the page or the daemon.
set -uo pipefail
cd "$(dirname "$0")"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
run() {
  local status=0 test
  for test; do "./$test" || status=1; done
  return "$status"
}
run test_page.py test_attacks.py test_figures.py >"$log" 2>&1 &
status=0
run test_daemon.py || status=1
wait $! || status=1
cat "$log"
exit "$status"
