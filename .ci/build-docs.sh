#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the documentation of every library with docc; a broken link or parameter is an error.
# usage: docs [FLAG...]   (those of `make build`, or everything is built again with others)
set -euo pipefail
cd "$(dirname "$0")/.."
graphs=.build/symbol-graphs
out=.build/docs
rm -rf "$graphs" "$out"
mkdir -p "$graphs" "$out"
# What an earlier run left would stand in for what cannot be made now.
find .build -type d -name symbolgraph -path '*-linux-gnu*' -prune -exec rm -rf {} +
modules=$(sed -n '/^let libraries = \[/,/^\]/p' Package.swift | grep -oE '"[A-Za-z]+"' | tr -d '"')
# It goes on past a target that has no graph, and fails for it then: what counts is whether those that
# are wanted are there.
log=$graphs/log
dumped=0
swift package "$@" dump-symbol-graph --minimum-access-level public >"$log" 2>&1 || dumped=$?
found=$(find .build -type d -name symbolgraph -path '*-linux-gnu*' -print -quit)
missing=
for module in $modules; do
  [ -s "$found/$module.symbols.json" ] || missing="$missing $module"
done
if [ "$missing" ]; then
  tail -n 40 "$log"
  echo "no symbol graph of$missing; dump-symbol-graph ended with $dumped, all it said is in $log"
  exit 1
fi
status=0
for module in $modules; do
  mkdir -p "$graphs/$module"
  cp "$found/$module.symbols.json" "$graphs/$module/"
  # Articles, where a module has any.
  articles=()
  [ -d "Sources/$module/$module.docc" ] && articles=("Sources/$module/$module.docc")
  docc convert "${articles[@]}" --additional-symbol-graph-dir "$graphs/$module" \
    --fallback-display-name "$module" --fallback-bundle-identifier "fixcast.$module" \
    --output-path "$out/$module.doccarchive" --warnings-as-errors || { status=1; echo "^ $module"; }
done
[ $status = 0 ] && echo "documented: $(echo $modules)"
exit $status
