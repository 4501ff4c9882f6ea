#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that the workflow pins its dependencies: actions by commit, images by digest or by a tag
# with a full version. `image: ${{ matrix.image }}` is accepted, because the matrix lists each image
# on a separate `image:` line, which is checked.
# usage: check-pins.sh [FOLDER]
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-.github/workflows}
digest='@sha256:[0-9a-f]{64}' version=':[0-9]+\.[0-9]+\.[0-9]+[A-Za-z0-9.-]*'
status=0
while IFS= read -r line; do
  echo "not pinned: $line" >&2
  status=1
done < <(
  grep -rHnE '^[[:space:]-]*uses:' "$folder" | grep -vE "uses: *(\./|[^ ]+@[0-9a-f]{40}( |\$)|docker://[^ ]+$digest)" || true
  grep -rHnE '^[[:space:]-]*(image|container): *[^ ]' "$folder" | grep -vE "($digest|$version)\"?( |\$)|: *\\$\\{\\{ matrix\.image \\}\\}\$" || true
)
[ "$status" != 0 ] || echo "all actions and images are pinned"
exit "$status"
