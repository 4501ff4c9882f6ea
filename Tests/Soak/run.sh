#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the daemon as a board does while what is around it fails, and reads every second whether it
# still says what is so.
# usage: run.sh [--without-clock] [MINUTES [SEED [PROGRAM]]];
# ten minutes and the debug build without.
# The daemon's wall clock jumps by Debian's faketime; without it, only where --without-clock says so.
# Needs root: it makes a network, a file system and processes of its own, and touches no others.
set -euo pipefail
cd "$(dirname "$0")/../.."
options=()
[ "${1:-}" != --without-clock ] || { options=("$1"); shift; }
minutes=${1:-10} seed=${2:-1} program=${3:-.build/debug/fixcast}
[ -x "$program" ] || { echo "soak: no $program; make it with: make build" >&2; exit 66; }
program=$(readlink -f "$program")
# In a process namespace nothing outlives it, however it ends.
exec unshare --mount --net --pid --fork --kill-child --mount-proc --propagation private \
  python3 -B Tests/Soak/soak.py "$program" "$minutes" "$seed" "${options[@]}"
