#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs all checks of a change in sequence and prints the duration of each. The release and the
# documentation are built in the background at the lowest priority, while other steps run.
set -euo pipefail
cd "$(dirname "$0")/.."

step() {
  local name=$1 start=$SECONDS
  shift
  printf '\n== %s\n' "$name"
  "$@"
  printf '== %s: %d s\n' "$name" $((SECONDS - start))
}

# start NAME COMMAND...: runs a step in the background, in its own process group.
start() {
  printf '\n== %s: started in the background\n' "$1"
  shift
  set -m
  nice -n 19 "$@" >"$logs/background" 2>&1 &
  set +m
  background=$!
}

# finish NAME: waits for the background step and prints its output.
finish() {
  local start=$SECONDS status=0
  printf '\n== %s\n' "$1"
  wait "$background" || status=$?
  background=
  cat "$logs/background"
  [ "$status" = 0 ] || exit "$status"
  printf '== %s: waited %d s\n' "$1" $((SECONDS - start))
}

logs=$(mktemp -d)
background=
trap '[ -z "$background" ] || kill -- "-$background" 2>/dev/null; rm -rf "$logs"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# The options keep make from repeating these targets as dependencies of other targets.
make="make --no-print-directory --old-file=test-deps --old-file=build --old-file=release"

step "packages" make --no-print-directory test-deps
step "lint" $make lint
step "demo" $make --old-file=deps run
step "build" make --no-print-directory --old-file=test-deps build
step "interfaces" $make interfaces
step "client package" $make test-client
start "release" make --no-print-directory --old-file=test-deps release
step "test" $make test
finish "release"
start "documentation" $make docs
step "Foundation" .ci/check-foundation.sh
step "linking" .ci/check-linking.sh
step "compare" $make compare
step "smoke" $make smoke
step "installation" .ci/check-install.sh
step "package" $make package-test
step "board" $make --old-file=deb test-board
finish "documentation"
printf '\n== all: %d s\n' "$SECONDS"
