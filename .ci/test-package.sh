#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Debian's package, as a board would have it: looked at by the tools for that, then installed, run,
# broken and removed in the smallest Debian, under a systemd of its own. Takes root.
# usage: package          (make package-test makes the package first)
set -euo pipefail
cd "$(dirname "$0")/.."
started=$SECONDS
deb=$(ls .build/deb/fixcast_*.deb)

say() { printf '%s\n' "$*"; }

say "-- unit"
.ci/check-unit.sh

say "-- manual"
mandoc -T lint -W warning .packaging/*.[1-9] .build/packaging/man/*
say "ok      $(ls .packaging/*.[1-9] .build/packaging/man/* | wc -l) pages"

say "-- lintian"
lintian --no-cfg --fail-on error,warning --suppress-tags-from-file .packaging/lintian-tags "$deb"
say "ok      ${deb##*/}, $(stat -c %s "$deb") bytes"

suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
depends=$(dpkg-deb -f "$deb" Depends | tr ',' '\n' | sed 's/[|(].*//; s/ //g' | sort -u | paste -sd,)

# fresh ROOT PACKAGES [BEGUN]: the smallest Debian with these, or what BEGUN is with these too; kept
# for the next time.
fresh() {
  local root=$1 packages=$2 begun=${3:-} wanted mirror
  local -a how=(--variant=essential)
  wanted="$suite $packages $([ -z "$begun" ] || cat "$begun.made")"
  [ "$(cat "$root.made" 2>/dev/null)" != "$wanted" ] || return 0
  say "-- a fresh $suite, ${root##*/}"
  rm -rf --one-file-system "$root" "$root.made"
  if [ "$begun" ]; then
    how=(--variant=custom --skip=check/empty)
    cp -ax "$begun" "$root"
    # It makes the device nodes itself.
    find "$root/dev" -mindepth 1 -delete
  fi
  mirror=$(apt-get indextargets --format '$(SITE) $(RELEASE)' 'Created-By: Packages' |
    awk -v suite="$suite" '$2 == suite {print $1; exit}')
  # What a loss of power would cost is made anew. What it mounts, and may leave mounted, goes with
  # its name space: a copy of /proc has no end.
  unshare --mount --propagation private \
    mmdebstrap "${how[@]}" --dpkgopt=force-unsafe-io --include="$packages" "$suite" "$root" "$mirror" \
    >"$root.log" 2>&1 || { tail -n 20 "$root.log"; exit 1; }
  rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/* \
    "$root/etc/dpkg/dpkg.cfg.d/99mmdebstrap"
  echo "$wanted" >"$root.made"
  say "ok      $(du -sm "$root" | cut -f1) MB after $((SECONDS - started)) s"
}

shared=$(mktemp -d)
trap 'rm -rf "$shared"' EXIT
chmod 755 "$shared"
cp "$deb" "$shared/fixcast.deb"
cp .packaging/test/{check,confined,facts.sh,newcomer,service.sh,terminal.py} .ci/board.py README.md \
  "$shared/"
facts=0

# in_box ROOT SECONDS COMMAND: runs it under the systemd of a root, and says what it says.
in_box() {
  local status=0
  : >"$shared/output"
  .packaging/test/box "$1" "$shared" "$2" "$3" || status=$?
  cat "$shared/output"
  [ -s "$shared/output" ] || { say "FAILED  the box did not start"; status=1; }
  [ "$status" = 0 ] || { tail -n 80 "$shared/journal" 2>/dev/null || true; exit 1; }
  if grep -q '^FAILED' "$shared/output"; then exit 1; fi
  facts=$((facts + $(grep -c '^ok' "$shared/output")))
}

say "-- in a box"
# With what the package depends on, and no more.
fresh .build/package-root "systemd,init-system-helpers,$depends"
in_box .build/package-root 180 /box/check

say "-- somebody new, over SSH"
# As the image of a board has it, with what the package recommends.
fresh .build/package-board "apt,bash,ca-certificates,dbus,gpsd,iproute2,libpam-systemd,openssh-client,\
openssh-server,openssl,passwd,procps,python3,sudo,udev" .build/package-root
in_box .build/package-board 280 /box/newcomer
say "package: $facts facts, $((SECONDS - started)) s"
