#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the documentation of every library with docc; an invalid link or parameter is an error.
# usage: build-docs.sh [FLAG...]   (use the flags of `make build`; other flags rebuild everything)
set -euo pipefail
cd "$(dirname "$0")/.."
graphs=.build/symbol-graphs
out=.build/docs
rm -rf "$graphs" "$out"
mkdir -p "$graphs" "$out"
# Removes old symbol graphs, so that a graph that cannot be built is detected as missing.
find .build -type d -name symbolgraph -path '*-linux-gnu*' -prune -exec rm -rf {} +
modules=$(sed -n '/^let libraries = \[/,/^\]/p' Package.swift | grep -oE '"[A-Za-z]+"' | tr -d '"')
# dump-symbol-graph also fails if a target without documentation has no symbol graph. Its exit code
# is therefore only reported, and the graphs are checked instead.
log=$graphs/log
exit_code=0
swift package "$@" dump-symbol-graph --minimum-access-level public >"$log" 2>&1 || exit_code=$?
found=$(find .build -type d -name symbolgraph -path '*-linux-gnu*' -print -quit)
missing=
for module in $modules; do
  [ -s "$found/$module.symbols.json" ] || missing="$missing $module"
done
if [ "$missing" ]; then
  tail -n 40 "$log"
  echo "no symbol graph of$missing; dump-symbol-graph exited with $exit_code; its output is in $log"
  exit 1
fi
status=0
for module in $modules; do
  mkdir -p "$graphs/$module"
  cp "$found/$module.symbols.json" "$graphs/$module/"
  # The folder with the module's articles, if there is one.
  articles=()
  [ -d "Sources/$module/$module.docc" ] && articles=("Sources/$module/$module.docc")
  docc convert "${articles[@]}" --additional-symbol-graph-dir "$graphs/$module" \
    --fallback-display-name "$module" --fallback-bundle-identifier "fixcast.$module" \
    --output-path "$out/$module.doccarchive" --warnings-as-errors || {
    status=1
    echo "$module: docc failed, see above"
  }
done
[ $status = 0 ] && echo "documented: $(echo $modules)"
exit $status
