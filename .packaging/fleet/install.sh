#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the consumer of a fleet with its service, manual and documentation, for its package.
# Environment: DESTDIR, UNITDIR, SYSUSERSDIR, RELEASE_FOLDER and STRIP.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=${DESTDIR:-} program=${RELEASE_FOLDER:-.build/release}/fixcast-fleet
[ -x "$program" ] || { echo "$program not found; run: make release" >&2; exit 1; }
file() { install -D -m "$1" "$2" "$root$3"; }
install -D -m 755 --strip --strip-program="${STRIP:-strip}" "$program" "$root/usr/bin/fixcast-fleet"
file 644 .packaging/fleet/fixcast-fleet.service "${UNITDIR:-/lib/systemd/system}/fixcast-fleet.service"
file 644 .packaging/fleet/sysusers.conf "${SYSUSERSDIR:-/usr/lib/sysusers.d}/fixcast-fleet.conf"
file 644 .packaging/fleet/default /etc/default/fixcast-fleet
file 644 .packaging/fleet/fixcast-fleet.1 /usr/share/man/man1/fixcast-fleet.1
for page in Fleet FleetBrokers FleetDatabase FleetWeather FleetWireFormat; do
  file 644 "Sources/fixcast/fixcast.docc/$page.md" "/usr/share/doc/fixcast-fleet/$page.md"
done
file 644 .build/packaging/notices /usr/share/doc/fixcast-fleet/notices
