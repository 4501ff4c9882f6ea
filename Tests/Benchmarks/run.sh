#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures the figures in the article Benchmarks in one run on one machine, so that they are comparable.
# usage: run.sh [FOLDER WITH LOGS]; without recorded logs, the simulator's output is used.
set -euo pipefail
cd "$(dirname "$0")/../.."
logs=${1:-${FIXCAST_CORPUS:-../shared/corpus}/nmea}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The options are those of `make release`, so that nothing is built twice.
read -ra release <<<"${RELEASE_FLAGS:--c release --static-swift-stdlib}"
swift build "${release[@]}" --product fixcast-bench
swift build "${release[@]}" --product fixcast
bench=.build/release/fixcast-bench

# Without a corpus, both inputs are the same simulated log.
gsv_receivers=(quectel-eg25-g st-teseo-liv3f ublox-zed-f9p-nmea skytraq-PX1172RH_DS)
if compgen -G "$logs/*.log" >/dev/null; then
  cat "$logs"/*.log >"$work/corpus.nmea"
  echo "corpus: $(ls "$logs"/*.log | wc -l) recorded logs"
  # Half of the sentences of multi-band receivers are GSV, which need the most work.
  for _ in {1..10}; do
    for name in "${gsv_receivers[@]}"; do
      if [ -f "$logs/$name.log" ]; then cat "$logs/$name.log"; fi
    done
  done >"$work/gsv.nmea"
else
  "$bench" simulate "$work/corpus.nmea" 20000
  echo "corpus: simulated, because there are no recorded logs"
fi
if [ ! -s "$work/gsv.nmea" ]; then cp "$work/corpus.nmea" "$work/gsv.nmea"; fi
echo "gsv: $(grep -ac '^[$]..GSV' "$work/gsv.nmea") of $(grep -ac '^[$]' "$work/gsv.nmea") sentences are GSV"

for input in corpus gsv; do
  echo; echo "-- parse, $input: framing, checksum and all fields, in memory, one thread"
  "$bench" parse "$work/$input.nmea" 300
  echo; echo "-- decode, $input: parse, assemble epochs and write JSON, in memory, one thread"
  "$bench" decode "$work/$input.nmea" 100
done
echo; echo "-- latency: from the last byte of an epoch to the fix"
"$bench" latency - 20000
echo; echo "-- coverage: share of fixes of stationary receivers within the 95 % error, by status"
mkdir "$work/logs"
for folder in .build/recordings "$logs" "$logs/../other"; do
  [ ! -d "$folder" ] || find "$(realpath "$folder")" -name '*.log' -exec ln -sf -t "$work/logs" {} +
done
"$bench" coverage "$work/logs" 1
echo; echo "-- places: lookup of the nearest place of a point"
"$bench" places - 20000
echo; echo "-- latency at 10 Hz, compared with gpsd: last byte to the delegate or libgps client"
"$bench" gpsd-latency .build/release/fixcast 300
echo; echo "-- latency of the daemon's gpsd server at 10 Hz, compared with gpsd: last byte to libgps client"
"$bench" gpsd-server-latency .build/release/fixcast 300

# The difference of two runs with different numbers of rounds excludes the start of the program.
objcopy --strip-debug "$bench" "$work/bench"
instructions() {
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$work/bench" "$@" \
    2>&1 >/dev/null | awk '/Collected/ {print $4}'
}
allocations() {
  valgrind --tool=memcheck "$work/bench" "$@" 2>&1 >/dev/null |
    awk '/total heap usage/ {gsub(",", "", $5); print $5}'
}
for input in corpus gsv; do
  log=$work/$input.nmea
  sentences=$("$bench" parse "$log" 1 | awk '/ sentences, / {print $1; exit}')
  echo; echo "-- counts per sentence, $input (valgrind, difference of two runs, 2 rounds of $sentences)"
  for mode in parse decode; do
    few=$(instructions $mode "$log" 2) many=$(instructions $mode "$log" 4)
    echo "$mode: $(((many - few) / 2 / sentences)) instructions"
    few=$(allocations $mode "$log" 2) many=$(allocations $mode "$log" 4)
    awk -v mode=$mode -v n=$((many - few)) -v s="$sentences" \
      'BEGIN {printf "%s: %.4f allocations (%d per round)\n", mode, n / 2 / s, n / 2}'
  done
done

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
for input in corpus gsv; do
  # Comments are removed, because gpsdecode does not accept them on standard input.
  for _ in {1..10}; do grep -av '^#' "$work/$input.nmea" || true; done >"$work/big.nmea"
  echo; echo "-- complete command, $input, file to file, best of 5 ($(stat -c %s "$work/big.nmea") bytes)"
  ours=$(best "$work/big.nmea" .build/release/fixcast decode -)
  theirs=$(best "$work/big.nmea" gpsdecode)
  awk -v o="$ours" -v t="$theirs" 'BEGIN {
    printf "fixcast decode %.3f s, gpsdecode %.3f s: %.1f times as fast\n", o, t, t / o }'
done

echo; echo "-- resource usage of the daemon"
# This is the last step, because it fails if a goal is missed.
Tests/Benchmarks/footprint.py .build/release/fixcast --strict \
  --seconds "${FIXCAST_FOOTPRINT_SECONDS:-60}"
