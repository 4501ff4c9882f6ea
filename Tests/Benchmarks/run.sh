#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures what the README claims, all in one run on one machine: what may be compared.
# usage: run.sh [FOLDER WITH LOGS]; without one the simulator's output is measured instead.
set -euo pipefail
cd "$(dirname "$0")/../.."
logs=${1:-${FIXCAST_CORPUS:-../shared/corpus}/nmea}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# As `make release` does, which says how, so that nothing is built twice.
read -ra release <<<"${RELEASE:--c release --static-swift-stdlib}"
swift build "${release[@]}" --product fixcast-bench
swift build "${release[@]}" --product fixcast
bench=.build/release/fixcast-bench

if compgen -G "$logs/*.log" >/dev/null; then
  cat "$logs"/*.log >"$work/all.nmea"
  echo "input: $(ls "$logs"/*.log | wc -l) recorded logs"
else
  "$bench" simulate "$work/all.nmea" 20000
  echo "input: simulated, no recorded logs here"
fi
# Without comments, which gpsdecode does not know on standard input.
for _ in 1 2 3 4 5 6 7 8 9 10; do grep -av '^#' "$work/all.nmea" || true; done >"$work/big.nmea"

echo; echo "-- parse: framing, checksum and all fields, from memory, one thread"
"$bench" parse "$work/all.nmea" 300
echo; echo "-- decode: the same, assembled into epochs and written as JSON, from memory"
"$bench" decode "$work/all.nmea" 100
echo; echo "-- latency: from the last byte of a learnt epoch to the fix"
"$bench" latency - 20000
echo; echo "-- coverage: how often the claimed 95 % errors of still receivers held, by status"
mkdir "$work/logs"
for folder in .build/recordings "$logs" "$logs/../other"; do
  [ ! -d "$folder" ] || find "$(realpath "$folder")" -name '*.log' -exec ln -sf -t "$work/logs" {} +
done
"$bench" coverage "$work/logs" 1
echo; echo "-- places: the nearest place of a point, from the program's own data"
"$bench" places - 20000
echo; echo "-- beside gpsd at 10 Hz: last byte of an epoch to the delegate and to a libgps client"
"$bench" gpsd-latency .build/release/fixcast 300

# Counts are the difference of two runs over the rounds between: start-up falls out.
sentences=$("$bench" parse "$work/all.nmea" 1 | awk '/ sentences, / {print $1; exit}')
objcopy --strip-debug "$bench" "$work/bench"
instructions() {
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$work/bench" "$1" "$work/all.nmea" "$2" \
    2>&1 >/dev/null | awk '/Collected/ {print $4}'
}
allocations() {
  valgrind --tool=memcheck "$work/bench" "$1" "$work/all.nmea" "$2" 2>&1 >/dev/null |
    awk '/total heap usage/ {gsub(",", "", $5); print $5}'
}
echo; echo "-- counts a sentence (valgrind, two runs' difference over 2 rounds of $sentences)"
for mode in parse decode; do
  few=$(instructions $mode 2) many=$(instructions $mode 4)
  echo "$mode: $(((many - few) / 2 / sentences)) instructions"
  few=$(allocations $mode 2) many=$(allocations $mode 4)
  awk -v mode=$mode -v n=$((many - few)) -v s="$sentences" \
    'BEGIN {printf "%s: %.4f allocations (%d a round)\n", mode, n / 2 / s, n / 2}'
done

echo; echo "-- the whole command, file to file, best of 5 ($(stat -c %s "$work/big.nmea") bytes)"
best() {
  python3 - "$@" <<'PY'
import subprocess, sys, time
best = 1e9
for _ in range(5):
    with open(sys.argv[1], "rb") as source, open("/dev/null", "wb") as sink:
        start = time.perf_counter()
        subprocess.run(sys.argv[2:], stdin=source, stdout=sink, stderr=sink, check=False)
        best = min(best, time.perf_counter() - start)
print(f"{best:.4f}")
PY
}
ours=$(best "$work/big.nmea" .build/release/fixcast decode -)
theirs=$(best "$work/big.nmea" gpsdecode)
awk -v o="$ours" -v t="$theirs" 'BEGIN {
  printf "fixcast decode %.3f s, gpsdecode %.3f s: %.1f times\n", o, t, t / o }'

echo; echo "-- what the daemon costs a board"
# The last, so that a goal that is missed hides no other figure.
Tests/Benchmarks/footprint.py .build/release/fixcast --strict \
  --seconds "${FIXCAST_FOOTPRINT_SECONDS:-60}"
