#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds from nothing what a feature is written against, and looks into the link map of a program
# that uses it: no C of ours, no NIO, no OpenCombine, nothing that only a device or a test needs.
#
# WeatherFeature is made of all three interfaces, so that what it does not bring none of them does,
# and each of them takes less time. `.ci/interfaces LocationClient ...` builds others, each alone.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- WeatherFeature
interfaces="LocationClient PathMonitorClient WeatherClient"
# How many seconds it may take by the clock. Without a limit the time is told and nothing more: how
# busy the machine is says nothing of the code.
limit=${FIXCAST_INTERFACES_SECONDS:-}
# Every C target of ours is named C and a capital, as those are that come.
heavy='^(C[A-Z][A-Za-z0-9]*|SQLiteStore|_?C?NIO.*|.*OpenCombine.*|AsyncHTTPClient|Hummingbird.*)$'
heavy+='|^(ArgumentParser|.*IssueReporting.*|Receivers|.*ClientLive)$'
heavy+='|^lib(gps|udev|sqlite3|Foundation|FoundationNetworking|FoundationInternationalization)\.so'
scratch=$(mktemp -d "${TMPDIR:-/tmp}/fixcast-interfaces.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
log=$scratch/log

# Getting the packages is no part of building.
swift package --scratch-path "$scratch" resolve >"$log" 2>&1 || {
  cat "$log"
  exit 1
}

TIMEFORMAT='%R %U %S'
look() {
  local module=$1 wall user system processor brought made
  rm -rf "$scratch"/debug* "$scratch"/*-linux-gnu* "$scratch"/*.db*
  { time swift build --scratch-path "$scratch" --target "$module" >"$log" 2>&1; } \
    2>"$scratch/time" || {
    tail -20 "$log"
    echo "$module: does not build"
    return 1
  }
  read -r wall user system <"$scratch/time"
  processor=$(awk "BEGIN { print $user + $system }")

  printf 'import %s\n' "$module" >"$scratch/main.swift"
  swiftc -o "$scratch/probe" "$scratch/main.swift" -I "$scratch/debug/Modules" \
    "$scratch"/debug/*.build/*.o -Xlinker -Map="$scratch/map" >"$log" 2>&1 || {
    cat "$log"
    echo "$module: a program cannot use it without more"
    return 1
  }
  # The modules whose objects went in, and the libraries that it wants when it runs.
  made=$(grep -oE '/[A-Za-z0-9_]+\.build/' "$scratch/map" | sed 's|^/||; s|\.build/$||' | sort -u)
  brought=$(objdump -p "$scratch/probe" | awk '/NEEDED/ { print $2 }')
  echo "$module: $wall s from nothing, $processor s of processor time"
  echo "$module: made of" $made
  echo "$module: wants" $brought
  if printf '%s\n' $made $brought | grep -E "$heavy"; then
    echo "$module: brings the above"
    return 1
  fi
  if [ "$module" = WeatherFeature ]; then
    for interface in $interfaces; do
      grep -qx "$interface" <<<"$made" || {
        echo "$module: is not made of $interface, which has to be looked at apart"
        return 1
      }
    done
  fi
  [ -z "$limit" ] || awk "BEGIN { exit !($wall <= $limit) }" || {
    echo "$module: takes more than $limit s"
    return 1
  }
}

status=0
for module in "$@"; do look "$module" || status=1; done
exit $status
