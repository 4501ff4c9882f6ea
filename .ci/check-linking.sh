#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks how the program is linked: full RELRO, position-independent, no RUNPATH.
# usage: check-linking.sh [PROGRAM]
set -euo pipefail
cd "$(dirname "$0")/.."
program=${1:-.build/release/fixcast}
section=$(readelf -d "$program") segments=$(readelf -lW "$program")
fail() { echo "$program: $1" >&2; exit 1; }
! grep -E '\((RPATH|RUNPATH)\)' <<<"$section" || fail "has a RUNPATH"
grep -qE '\((FLAGS|FLAGS_1)\).*\b(BIND_NOW|NOW)\b' <<<"$section" || fail "binds functions lazily: no BIND_NOW"
grep -q GNU_RELRO <<<"$segments" || fail "has no GNU_RELRO"
grep -qE '\(FLAGS_1\).*\bPIE\b' <<<"$section" || fail "is not position-independent"
echo "the program has full RELRO, is position-independent and has no RUNPATH"
