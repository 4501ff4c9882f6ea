#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the Python packages that tests use, from PyPI into .build/python-clients. Does
# nothing if the same versions are installed.
set -euo pipefail
cd "$(dirname "$0")/.."
list=.ci/python-clients.txt
target=.build/python-clients
! cmp -s "$list" "$target/installed.txt" || exit 0

echo "installing Python packages for tests"
mkdir -p .build
rm -rf "$target"
# Debian's interpreter by its path, because a developer's PATH may begin with another one.
/usr/bin/python3 -m venv "$target"
"$target/bin/pip" install --quiet --disable-pip-version-check --no-deps --require-hashes --use-pep517 \
  -r "$list"
cp "$list" "$target/installed.txt"
