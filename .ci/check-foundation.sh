#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that the program links only FoundationEssentials. All of Foundation would add 40 MB.
set -euo pipefail
cd "$(dirname "$0")/.."
program=.build/release/fixcast
# The program links Swift's libraries statically. The names of their symbols begin with the module.
symbols=$(mktemp)
trap 'rm -f "$symbols"' EXIT
nm "$program" >"$symbols"
if grep -m 5 -E ' \$s(10Foundation|20FoundationNetworking|30FoundationInternationalization)[A-Z0-9]' \
  "$symbols"; then
  echo "$program links the symbols above, which are not part of FoundationEssentials"
  exit 1
fi
# A stripped program would pass the check above, so a known symbol must be present.
grep -q ' \$s20FoundationEssentials' "$symbols" || { echo "$program has no symbol table"; exit 1; }
echo "the program links only FoundationEssentials"
