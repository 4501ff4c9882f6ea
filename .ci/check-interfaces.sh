#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds each module from scratch, links a program with it, and checks the link map: the program
# must not contain Fixcast's C targets, NIO, OpenCombine, or code that only devices or tests need.
# usage: check-interfaces.sh [MODULE...]   (by default WeatherFeature)
#
# WeatherFeature depends on all three client interfaces, so its check covers the interfaces too.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- WeatherFeature
interfaces="LocationClient PathMonitorClient WeatherClient"
# The maximum build time in seconds. Without a limit the time is only printed, because it depends on
# the load of the machine.
limit=${FIXCAST_INTERFACES_SECONDS:-}
# The names of Fixcast's C targets start with C and another capital letter.
forbidden='^(C[A-Z][A-Za-z0-9]*|SQLiteStore|_?C?NIO.*|.*OpenCombine.*|AsyncHTTPClient|Hummingbird.*)$'
forbidden+='|^(ArgumentParser|.*IssueReporting.*|Receivers|LocationServices|.*ClientLive)$'
forbidden+='|^lib(gps|udev|sqlite3|Foundation|FoundationNetworking|FoundationInternationalization)\.so'
scratch=$(mktemp -d "${TMPDIR:-/tmp}/fixcast-interfaces.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
log=$scratch/log

# Fetches the packages first, so that the build time does not include the download.
swift package --scratch-path "$scratch" resolve >"$log" 2>&1 || {
  cat "$log"
  exit 1
}

TIMEFORMAT='%R %U %S'
check() {
  local module=$1 wall user system processor libraries modules
  rm -rf "$scratch"/debug* "$scratch"/*-linux-gnu* "$scratch"/*.db*
  { time swift build --scratch-path "$scratch" --target "$module" >"$log" 2>&1; } \
    2>"$scratch/time" || {
    tail -20 "$log"
    echo "$module: the build failed"
    return 1
  }
  read -r wall user system <"$scratch/time"
  processor=$(awk "BEGIN { print $user + $system }")

  printf 'import %s\n' "$module" >"$scratch/main.swift"
  swiftc -o "$scratch/probe" "$scratch/main.swift" -I "$scratch/debug/Modules" \
    "$scratch"/debug/*.build/*.o -Xlinker -Map="$scratch/map" >"$log" 2>&1 || {
    cat "$log"
    echo "$module: a program that imports only this module does not link"
    return 1
  }
  # The linked modules, and the shared libraries that the program loads.
  modules=$(grep -oE '/[A-Za-z0-9_]+\.build/' "$scratch/map" | sed 's|^/||; s|\.build/$||' | sort -u)
  libraries=$(objdump -p "$scratch/probe" | awk '/NEEDED/ { print $2 }')
  echo "$module: built from scratch in $wall s, with $processor s of processor time"
  echo "$module: linked modules:" $modules
  echo "$module: shared libraries:" $libraries
  if printf '%s\n' $modules $libraries | grep -E "$forbidden"; then
    echo "$module: must not depend on the modules and libraries above"
    return 1
  fi
  if [ "$module" = WeatherFeature ]; then
    for interface in $interfaces; do
      grep -qx "$interface" <<<"$modules" || {
        echo "$module: does not contain $interface; check that module separately"
        return 1
      }
    done
  fi
  [ -z "$limit" ] || awk "BEGIN { exit !($wall <= $limit) }" || {
    echo "$module: the build took more than $limit s"
    return 1
  }
}

status=0
for module in "$@"; do check "$module" || status=1; done
exit $status
