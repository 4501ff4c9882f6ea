#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that `make ci` or `make long` runs every target that the Makefile describes, so that no
# target stays broken unnoticed.
set -euo pipefail
cd "$(dirname "$0")/.."
# These check nothing; every other target needs `deps`.
other="help format lines clean ci long deps"
# These run elsewhere: `deb` in package-test, `install` and `uninstall` in check-install.sh, and
# `apt-repository` in the workflow.
other+=" deb install uninstall apt-repository"
ran=$(sed -nE 's/^(step|start) "[^"]*" .*make (.*)$/\2/p; s/^targets=\((.*)\)$/\1/p' \
  .ci/run-steps.sh .ci/run-long.sh)
status=0
while read -r target; do
  case " $(echo $other $ran) " in *" $target "*) continue ;; esac
  echo "make $target: neither .ci/run-steps.sh nor .ci/run-long.sh runs this target" >&2
  status=1
done < <(sed -n 's/^\([a-z-]*\):.*## .*/\1/p' Makefile .packaging/install.mk)
exit "$status"
