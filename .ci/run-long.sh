#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the targets of the Makefile that `make ci` does not run, and prints the result of each: they
# take too long for every change, or need packages that Debian 12 does not have.
# usage: run-long.sh [TARGET...]
# Writes the log of each target to .build/long. With SHORT=1, the fuzzers use a hundredth of their
# inputs, the soak test runs for two minutes, fleets use only mosquitto, clients connect 20 times in each
# flood, and the emulated board has two power cuts; this shows only that the targets work. The other
# targets run in full.
set -uo pipefail
cd "$(dirname "$0")/.."
short=${SHORT:-}
targets=(bench test-times fuzz faults soak test-fleet test-floods test-homeassistant test-board)
[ $# = 0 ] || targets=("$@")
logs=.build/long
mkdir -p "$logs"

# Prints why a target cannot run on this machine, or nothing.
missing() {
  case $1 in
  test-homeassistant) command -v "${PYTHON:-python3.13}" >/dev/null ||
    echo "needs Python 3.13; set PYTHON to its path" ;;
  soak) [ "$(id -u)" = 0 ] || echo "needs root" ;;
  test-fleet | test-floods) [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null || echo "needs root or sudo without a password" ;;
  esac
}

options=(FORM=long)
[ -z "$short" ] || options+=(MINUTES=2 FUZZ_INPUTS=100000 FLEET_BROKERS=mosquitto FLOOD_CONNECTIONS=20 CUTS=2)
results=() passed=0 failed=0 skipped=0
for target in "${targets[@]}"; do
  reason=$(missing "$target")
  if [ -n "$reason" ]; then
    results+=("$target: not run: $reason")
    skipped=$((skipped + 1))
    continue
  fi
  printf '\n== %s: log in %s\n' "$target" "$logs/$target.log"
  start=$SECONDS
  if make --no-print-directory "$target" "${options[@]}" >"$logs/$target.log" 2>&1; then
    results+=("$target: passed in $((SECONDS - start)) s")
    passed=$((passed + 1))
  else
    tail -n 30 "$logs/$target.log"
    results+=("$target: failed after $((SECONDS - start)) s")
    failed=$((failed + 1))
  fi
done
printf '\n'
printf '%s\n' "${results[@]}"
printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
[ "$failed" = 0 ]
