#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests the Debian package: checks it with lintian, then installs, runs, breaks and removes it in a
# minimal Debian system (the box) with its own systemd. Needs root.
# usage: test-package.sh   (`make package-test` builds the package first)
set -euo pipefail
cd "$(dirname "$0")/.."
started=$SECONDS
deb=$(ls .build/deb/fixcast_*.deb) fleet=$(ls .build/deb/fixcast-fleet_*.deb)

say() { printf '%s\n' "$*"; }

say "-- check the systemd unit"
.ci/check-unit.sh

say "-- check the manual pages with mandoc"
mandoc -T lint -W warning .packaging/*.[1-9] .build/packaging/man/*
say "ok      mandoc accepts all $(ls .packaging/*.[1-9] .build/packaging/man/* | wc -l) pages"

say "-- check the package with lintian"
lintian --no-cfg --fail-on error,warning --suppress-tags-from-file .packaging/lintian-tags "$deb" "$fleet"
say "ok      lintian accepts ${deb##*/} ($(stat -c %s "$deb") bytes)"

say "-- install the package from an apt repository"
FIXCAST_DEB=$deb python3 -B .packaging/test/test_apt_repository.py
say "ok      apt downloads the package from a signed repository"

# depends DEB: prints the dependencies of a package, separated by commas.
depends() { dpkg-deb -f "$1" Depends | tr ',' '\n' | sed 's/[|(].*//; s/ //g' | sort -u | paste -sd,; }

shared=$(mktemp -d)
trap 'rm -rf "$shared"' EXIT
chmod 755 "$shared"
cp "$deb" "$shared/fixcast.deb"
cp "$fleet" "$shared/fixcast-fleet.deb"
cp .packaging/test/{assertions.sh,check-fleet.sh,check-package.sh,follow_readme.py,probe-confinement.pl} \
  .packaging/test/{identity-checks.sh,identity-client.pl,service-checks.sh,terminal.py} .ci/board.py README.md \
  "$shared/"
check_count=0

# in_box ROOT SECONDS COMMAND: runs a command under the systemd of a root and prints its output.
in_box() {
  local status=0
  : >"$shared/output"
  .packaging/test/run-in-box.sh "$1" "$shared" "$2" "$3" || status=$?
  cat "$shared/output"
  [ -s "$shared/output" ] || { say "FAILED  the box did not start"; status=1; }
  [ "$status" = 0 ] || { tail -n 80 "$shared/journal" 2>/dev/null || true; exit 1; }
  if grep -q '^FAILED' "$shared/output"; then exit 1; fi
  check_count=$((check_count + $(grep -c '^ok' "$shared/output")))
}

say "-- install, run and remove the package"
# This root contains only the dependencies of the package.
.ci/make-root.sh .build/package-root "systemd,init-system-helpers,$(depends "$deb")"
in_box .build/package-root 180 /box/check-package.sh

say "-- set up a fleet"
.ci/make-root.sh .build/package-fleet "mosquitto,postgresql,$(depends "$fleet")" .build/package-root
in_box .build/package-fleet 240 /box/check-fleet.sh

say "-- follow the README over SSH"
# This root also has the packages that Fixcast recommends, like the image of a board.
.ci/make-root.sh .build/package-board "apt,bash,ca-certificates,dbus,gpsd,iproute2,libpam-systemd,\
openssh-client,openssh-server,openssl,passwd,procps,python3,sudo,udev" .build/package-root
in_box .build/package-board 360 /box/follow_readme.py
cp "$shared/walk.txt" .build/package-walk.txt
say "package: $check_count checks passed in $((SECONDS - started)) s"
