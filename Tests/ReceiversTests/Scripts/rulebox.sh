#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Runs `udevadm test` for a simulated device in a private /dev, /run and network namespace, so that
# links and database entries are not created on the machine that runs the tests.
#
# rulebox.sh DESCRIPTION SYSPATH RULES...
#   Prints the output of `udevadm test` for the device, with the given rules in addition to the
#   installed rules, then "== database" with the database entry, and "== links" with the links.
# rulebox.sh --probe
#   Succeeds if the namespaces can be created.
set -eu

if [ "${1:-}" = --probe ]; then exec unshare -m -n true; fi

[ "${FIXCAST_RULEBOX:-}" = inside ] || exec env FIXCAST_RULEBOX=inside unshare -m -n "$0" "$@"

description=$1 syspath=$2
shift 2
box=$(mktemp -d)
mount --make-rprivate /
# Copied, because the mounts below may hide the original files.
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
# udevadm would reject the simulated sysfs of umockdev without this variable.
timeout 20 umockdev-run -d "$box/description" -- env SYSTEMD_DEVICE_VERIFY_SYSFS=0 \
  udevadm test "$syspath" 2>&1 || status=$?
echo "== database"
cat /run/udev/data/c* 2>/dev/null || :
echo "== links"
find /dev -type l ! -lname '/proc/*' 2>/dev/null || :
umount /run 2>/dev/null || :
rm -rf "$box" 2>/dev/null || :
exit "$status"
