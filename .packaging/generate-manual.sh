#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Generates the manual, the shell completions and the list of licences from the release build, into
# .build/packaging.
# Environment: RELEASE_FOLDER and EMULATOR, see build-deb.sh.
set -euo pipefail
cd "$(dirname "$0")/.."
release=${RELEASE_FOLDER:-.build/release} out=.build/packaging
[ -x "$release/fixcast" ] || { echo "$release/fixcast not found; run: make release" >&2; exit 1; }
program() { ${EMULATOR:-} "$release/fixcast" "$@"; }
rm -rf "$out"
mkdir -p "$out/man"
for shell in bash zsh fish; do
  # Shells source this file, so it needs no interpreter line.
  program --generate-completion-script "$shell" | sed '1{/^#!/d}' >"$out/fixcast.$shell"
done
# The pages show the date of the last commit, so that the same source results in the same pages.
date=$(date -u -d "@${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}" +%F)
.packaging/list_licences.py "$release" >"$out/notices"
.packaging/list_licences.py --spdx "$release" >"$out/fixcast.spdx.json"
# Compares the list in LinkedLibraries.swift with the libraries that are linked.
diff <(.packaging/list_licences.py --names "$release") \
  <(program --version --verbose | sed -nE 's/^  ([^ ]+) ([^ ]+) \(.*/\1 \2/p' | grep -v ' lib.*\.so') || {
  echo "LinkedLibraries.swift differs from the linked libraries; < is linked, > is listed" >&2
  exit 1
}
reference=()
# The manual page of the settings, if the program supports `--reference`.
if program check-config --reference >"$out/reference" 2>/dev/null; then
  reference=(--reference "$out/reference")
else
  rm "$out/reference"
fi
program --experimental-dump-help |
  python3 .packaging/generate_manual.py "$out/man" --date "$date" "${reference[@]}"
