#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fuzzes framing, parsing and assembly with libFuzzer and AddressSanitizer.
# usage: run.sh [INPUTS], ten million without.
set -euo pipefail
cd "$(dirname "$0")/../.."
inputs=${1:-10000000}
# Flags of this build alone: the package itself stays free of unsafe ones. gold crashes on
# fuzzer,address together; lld does not.
swift build -c release --product fixcast-fuzz --scratch-path .build/fuzz \
  -Xswiftc -DFUZZING -Xswiftc -sanitize=fuzzer,address -Xswiftc -use-ld=lld
program=.build/fuzz/release/fixcast-fuzz
mkdir -p .build/fuzz/corpus
"$program" --write-seeds .build/fuzz/seeds
# The backtracer hangs under a sanitizer, and LeakSanitizer takes Swift's globals for leaks.
SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0 "$program" \
  -runs="$inputs" -max_len=4096 -seed=1 -artifact_prefix=.build/fuzz/ -print_final_stats=1 \
  .build/fuzz/corpus .build/fuzz/seeds
