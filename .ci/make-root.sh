#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes a minimal Debian system with the packages, from scratch or from a copy of BASE. Keeps an
# existing system that has the same packages. The release and its sources are those of this system.
# usage: make-root.sh ROOT PACKAGES [BASE]   (PACKAGES are separated by commas)
set -euo pipefail
root=$1 packages=$2 base=${3:-} started=$SECONDS
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
# The sources of this system for its release, with updates and security updates.
list=$(apt-get indextargets --format 'deb $(SITE) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
  awk -v suite="$suite" '$3 == suite || $3 == suite "-updates" || $3 == suite "-security"')
[ "$list" ] || { echo "apt has no sources of Debian $suite; run: apt-get update"; exit 1; }
mapfile -t sources <<<"$list"
wanted="$suite $packages $list $([ -z "$base" ] || cat "$base.made")"
[ "$(cat "$root.made" 2>/dev/null)" != "$wanted" ] || exit 0
echo "-- make ${root##*/}, a minimal Debian $suite"
mkdir -p "$(dirname "$root")"
rm -rf --one-file-system "$root" "$root.made"
options=(--variant=essential)
if [ "$base" ]; then
  options=(--variant=custom --skip=check/empty)
  cp -ax "$base" "$root"
  # mmdebstrap makes the device nodes itself.
  find "$root/dev" -mindepth 1 -delete
fi
# dpkg need not sync files to disk, since the root can be made again. The mount namespace removes
# mounts that mmdebstrap leaves behind; otherwise `cp` would copy a mounted /proc without end.
unshare --mount --propagation private \
  mmdebstrap "${options[@]}" --dpkgopt=force-unsafe-io --include="$packages" "$suite" "$root" \
  "${sources[@]}" >"$root.log" 2>&1 || { tail -n 20 "$root.log"; exit 1; }
rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/* \
  "$root/etc/dpkg/dpkg.cfg.d/99mmdebstrap"
echo "$wanted" >"$root.made"
echo "ok      ${root##*/} has $(du -sm "$root" | cut -f1) MB, made in $((SECONDS - started)) s"
