#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Floods each protocol of the daemon, and measures allowed clients; revokes access from open streams.
# usage: run.sh [PROGRAM [OPTION...]]; by default the release build. Options: see floods.py --help.
# Needs root, because the clients are of several users, and because the test makes separate namespaces
# for the network and processes. The test does not change the network and the processes of the machine.
set -euo pipefail
cd "$(dirname "$0")/../.."
program=${1:-.build/release/fixcast}
[ -x "$program" ] || { echo "floods: $program not found; run: make release" >&2; exit 66; }
[ "$(id -u)" = 0 ] || { echo "floods: needs root" >&2; exit 77; }
program=$(readlink -f "$program")
# Other users may not be able to read the modules of another Python than Debian's.
# The PID namespace makes all processes end with the test.
exec unshare --mount --net --pid --fork --kill-child --mount-proc --propagation private \
  /usr/bin/python3 -B Tests/Floods/floods.py "$program" "${@:2}"
