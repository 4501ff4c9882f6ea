#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs or removes the program, its service, rules, manual, documentation and completions.
# usage: install.sh [--remove]
# Environment: DESTDIR, PREFIX, SYSCONFDIR, UNITDIR, SYSUSERSDIR, UDEVDIR, ZSHDIR,
# RELEASE_FOLDER and, for another architecture, STRIP.
set -euo pipefail
cd "$(dirname "$0")/.."
prefix=${PREFIX:-/usr/local} root=${DESTDIR:-} etc=${SYSCONFDIR:-/etc}/fixcast
unit=${UNITDIR:-$prefix/lib/systemd/system} sysusers=${SYSUSERSDIR:-$prefix/lib/sysusers.d}
udev=${UDEVDIR:-$prefix/lib/udev/rules.d} share=$prefix/share
zsh=${ZSHDIR:-$share/zsh/site-functions}
program=${RELEASE_FOLDER:-.build/release}/fixcast generated=.build/packaging
removing=
[ "${1:-}" = --remove ] && removing=yes

# file MODE SOURCE TARGET: installs or removes one file.
file() {
  if [ "$removing" ]; then rm -f "$root$3"; else install -D -m "$1" "$2" "$root$3"; fi
}

# Whether the program is installed in the running system, not in a folder for a package.
is_live() { [ -z "$root" ] && [ "$(id -u)" = 0 ] && [ -d /run/systemd/system ]; }

if [ "$removing" ] && is_live; then
  systemctl disable --now fixcast-web.socket fixcast.service 2>/dev/null || true
fi

if [ ! "$removing" ]; then
  [ -x "$program" ] || { echo "$program not found; run: make release" >&2; exit 1; }
  "${STRIP:-strip}" -o "$generated/fixcast" "$program"
  sed "s|^ExecStart=/usr/bin/|ExecStart=$prefix/bin/|" .packaging/systemd/fixcast.service \
    >"$generated/fixcast.service"
fi

file 755 "$generated/fixcast" "$prefix/bin/fixcast"
file 644 "$generated/fixcast.service" "$unit/fixcast.service"
file 644 .packaging/systemd/fixcast-web.socket "$unit/fixcast-web.socket"
file 644 .packaging/sysusers.d/fixcast.conf "$sysusers/fixcast.conf"
for rules in udev/*.rules; do file 644 "$rules" "$udev/${rules##*/}"; done
if [ "$removing" ]; then
  # The generated pages may no longer exist in the build folder, so patterns match their names.
  rm -f "$root$share"/man/man1/fixcast{,-*}.1 "$root$share"/man/man[58]/fixcast.*.[58]
else
  for page in .packaging/*.[1-9] "$generated"/man/*.[1-9]; do
    file 644 "$page" "$share/man/man${page##*.}/${page##*/}"
  done
fi
# The Markdown documents are installed in one folder, so links between them lose their folder parts.
for document in README.md .github/{CONTRIBUTING,SECURITY}.md Sources/fixcast/fixcast.docc/*.md \
  Sources/Plugins/Plugins.docc/ExecPlugins.md \
  Sources/LocationServices/LocationServices.docc/CoreLocation.md \
  Sources/WeatherFeature/WeatherFeature.docc/TestedWeatherFeature.md; do
  page=${document##*/}
  if [ ! "$removing" ]; then
    mkdir -p "$generated/doc"
    sed -E 's!\]\(([A-Za-z0-9._-]+/)+([A-Za-z0-9._-]+\.(md|svg)(#[a-z0-9_-]*)?)\)!](\2)!g' "$document" \
      >"$generated/doc/$page"
  fi
  file 644 "$generated/doc/$page" "$share/doc/fixcast/$page"
done
for picture in Sources/fixcast/fixcast.docc/*.{svg,png}; do
  [ ! -e "$picture" ] || file 644 "$picture" "$share/doc/fixcast/${picture##*/}"
done
file 644 "$generated/notices" "$share/doc/fixcast/notices"
file 644 "$generated/fixcast.spdx.json" "$share/doc/fixcast/fixcast.spdx.json"
file 644 "$generated/fixcast.bash" "$share/bash-completion/completions/fixcast"
file 644 "$generated/fixcast.zsh" "$zsh/_fixcast"
file 644 "$generated/fixcast.fish" "$share/fish/vendor_completions.d/fixcast.fish"

# Neither installation nor removal changes the administrator's files.
if [ "$removing" ]; then
  rmdir --ignore-fail-on-non-empty "$root$share/doc/fixcast" 2>/dev/null || true
  rmdir --ignore-fail-on-non-empty "$root/usr/lib/fixcast/policy.d" "$root/usr/lib/fixcast" \
    2>/dev/null || true
  echo "kept: $root$etc and $root/var/lib/fixcast"
else
  # The program reads an image's rules from /usr/lib, whatever the prefix is.
  install -d "$root$etc/conf.d" "$root$etc/policy.d" "$root/usr/lib/fixcast/policy.d"
  [ -e "$root$etc/config.toml" ] || file 644 .packaging/config.toml "$etc/config.toml"
fi

if is_live; then
  [ "$removing" ] || systemd-sysusers "$sysusers/fixcast.conf"
  systemctl daemon-reload
  udevadm control --reload 2>/dev/null || true
  [ "$removing" ] || echo "to start the service: systemctl enable --now fixcast"
fi
