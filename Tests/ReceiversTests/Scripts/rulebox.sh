#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Runs udev's real rule engine on a described device, in a /dev, a /run and a network of its own:
# without them it would make links and a database on the machine that runs the tests.
#
# rulebox.sh DESCRIPTION SYSPATH RULES...
#   Prints what `udevadm test` says of the device with the rules given beside those installed,
#   then "== database" with what is now known of it, and "== links" with the links made.
# rulebox.sh --probe
#   Succeeds where such a box can be made.
set -eu

if [ "${1:-}" = --probe ]; then exec unshare -m -n true; fi

[ "${FIXCAST_RULEBOX:-}" = inside ] || exec env FIXCAST_RULEBOX=inside unshare -m -n "$0" "$@"

description=$1 syspath=$2
shift 2
box=$(mktemp -d)
mount --make-rprivate /
# The rules lie below a folder that is about to be covered, or may.
mkdir "$box/rules"
cp "$description" "$box/description"
cp "$@" "$box/rules"
mkdir "$box/dev"
mount -t tmpfs tmpfs "$box/dev"
for node in null zero full random urandom tty ptmx; do
  cp -a "/dev/$node" "$box/dev/" 2>/dev/null || :
done
mkdir "$box/dev/pts" "$box/dev/shm"
mount --bind /dev/pts "$box/dev/pts"
mount --move "$box/dev" /dev
mount -t tmpfs tmpfs /run
mkdir -p /run/udev/rules.d
cp "$box/rules/"* /run/udev/rules.d
status=0
# The engine looks whether sysfs is the real one; this one is described.
timeout 20 umockdev-run -d "$box/description" -- env SYSTEMD_DEVICE_VERIFY_SYSFS=0 \
  udevadm test "$syspath" 2>&1 || status=$?
echo "== database"
cat /run/udev/data/c* 2>/dev/null || :
echo "== links"
find /dev -type l ! -lname '/proc/*' 2>/dev/null || :
umount /run 2>/dev/null || :
rm -rf "$box" 2>/dev/null || :
exit "$status"
