#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fuzzes the NMEA decoder, the parser of policy files, the server side of the gpsd protocol and the
# decoder of MQTT packets, with libFuzzer and AddressSanitizer.
# usage: run.sh [INPUTS]; ten million inputs by default, a tenth of that for policies, and half of
# that for gpsd clients and for MQTT.
set -euo pipefail
cd "$(dirname "$0")/../.."
inputs=${1:-10000000}
# The flags are not in the package manifest, because a package with unsafe flags cannot be a
# dependency. The linker gold crashes with -sanitize=fuzzer,address; lld does not.
swift build -c release --product fixcast-fuzz --scratch-path .build/fuzz \
  -Xswiftc -DFUZZING -Xswiftc -sanitize=fuzzer,address -Xswiftc -use-ld=lld
program=.build/fuzz/release/fixcast-fuzz
mkdir -p .build/fuzz/corpus .build/fuzz/{policy,gpsd,mqtt}-corpus
"$program" --write-seeds .build/fuzz/seeds
"$program" policy --write-seeds .build/fuzz/policy-seeds
"$program" gpsd --write-seeds .build/fuzz/gpsd-seeds
# The backtracer hangs under a sanitizer, and LeakSanitizer reports Swift's globals as leaks.
export SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0
common=(-seed=1 -artifact_prefix=.build/fuzz/ -print_final_stats=1)
"$program" -runs="$inputs" -max_len=4096 "${common[@]}" .build/fuzz/corpus .build/fuzz/seeds
"$program" policy -runs="$((inputs / 10))" -max_len=2048 "${common[@]}" \
  .build/fuzz/policy-corpus .build/fuzz/policy-seeds
"$program" gpsd -runs="$((inputs / 2))" -max_len=256 "${common[@]}" \
  .build/fuzz/gpsd-corpus .build/fuzz/gpsd-seeds
"$program" mqtt -runs="$((inputs / 2))" -max_len=512 "${common[@]}" .build/fuzz/mqtt-corpus
