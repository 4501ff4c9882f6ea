#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Decodes the recordings of receivers with a cross-built program, under qemu, and with the program of this
# machine. Fails if an output, a message or an exit code differs.
# usage: compare.sh ARCHITECTURE RELEASE [PROGRAM]   (PROGRAM: by default .build/release/fixcast)
# `make test-deps` fetches the recordings.
set -euo pipefail
cd "$(dirname "$0")/../.."
arch=$1 target=.build/cross/$2-$1 native=${3:-.build/release/fixcast}
case $arch in arm64) cpu=aarch64 ;; *) echo "$arch: not cross-built" >&2; exit 1 ;; esac
emulated=("qemu-$cpu-static" -L "$target/root" "$target/build/release/fixcast")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# decode NAME PROGRAM...: writes output, messages and exit code of each recording in each format.
decode() {
  local out=$work/$1 file format status
  shift
  for file in .build/recordings/*.log; do
    for format in jsonlines gpx csv geojson; do
      status=0
      mkdir -p "$out/${file##*/}"
      "$@" decode --verbose --format "$format" "$file" >"$out/${file##*/}/$format" \
        2>"$out/${file##*/}/$format.messages" || status=$?
      echo "$status" >"$out/${file##*/}/$format.status"
    done
  done
}

"${emulated[@]}" --version --verbose
decode emulated "${emulated[@]}"
decode native "$native"
diff -r "$work/native" "$work/emulated"
echo "equal: $(find "$work/native" -type f | wc -l) files of $(ls .build/recordings/*.log | wc -l) recordings"
