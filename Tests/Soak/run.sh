#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the daemon while devices and services around it fail, and checks its status every second.
# usage: run.sh [--without-clock] [MINUTES [SEED [PROGRAM]]];
# by default ten minutes and the debug build.
# Clock jumps need Debian's faketime; without it, pass --without-clock.
# Needs root, because the test makes separate namespaces for the network, mounts and processes. The
# test does not change the network, the mounts and the processes of the machine.
set -euo pipefail
cd "$(dirname "$0")/../.."
options=()
[ "${1:-}" != --without-clock ] || { options=("$1"); shift; }
minutes=${1:-10} seed=${2:-1} program=${3:-.build/debug/fixcast}
[ -x "$program" ] || { echo "soak: $program not found; run: make build" >&2; exit 66; }
program=$(readlink -f "$program")
# The PID namespace makes all processes end with the soak test.
exec unshare --mount --net --pid --fork --kill-child --mount-proc --propagation private \
  python3 -B Tests/Soak/soak.py "$program" "$minutes" "$seed" "${options[@]}"
