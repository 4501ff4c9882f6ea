#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the tests of the status page in two processes, since most tests wait for the page or the
# daemon. Prints the output of both when they have ended, since `make test` runs other tests beside.
set -uo pipefail
cd "$(dirname "$0")"
logs=$(mktemp -d)
trap 'rm -r "$logs"' EXIT
run() {
  local status=0 test
  for test; do "./$test" || status=1; done
  return "$status"
}
run test_page.py test_attacks.py test_figures.py >"$logs/page" 2>&1 &
status=0
run test_daemon.py >"$logs/daemon" 2>&1 || status=1
wait $! || status=1
cat "$logs/daemon" "$logs/page"
exit "$status"
