#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Runs a real systemd-udevd in a private /dev, /run and network namespace, triggers kernel events
# for devices, and prints the results.
#
# udevdbox.sh "NAME=VENDOR:PRODUCT ..." RULES...
#   NAME is an unused virtual console, such as tty41. A copy of its sysfs folder with the vendor and
#   product ids is mounted over the real folder, visible to this daemon only. The events are sent by
#   the kernel.
#   For each device, prints "== NAME", its entry in udev's database, "L:" with the path of each link
#   in /dev, and "N:" with the group and mode of the device node. Finally prints "== log" with the
#   output of the daemon.
# udevdbox.sh --probe "NAME ..."
#   Succeeds if the namespaces can be created.
set -eu
daemon=/lib/systemd/systemd-udevd

if [ "$1" = --probe ]; then
  [ -x "$daemon" ]
  for name in $2; do
    [ -w "/sys/devices/virtual/tty/$name/uevent" ]
    [ -c "/dev/$name" ]
  done
  exec unshare -m -n true
fi

[ "${FIXCAST_UDEVDBOX:-}" = inside ] || exec env FIXCAST_UDEVDBOX=inside unshare -m -n "$0" "$@"

devices=$1
shift
box=$(mktemp -d)
mount --make-rprivate /
# Copied, because the mounts below may hide the original files.
mkdir "$box/rules" "$box/dev"
cp "$@" "$box/rules"

mount -t tmpfs tmpfs "$box/dev"
for node in null zero full random urandom tty ptmx; do
  cp -a "/dev/$node" "$box/dev/" 2>/dev/null || :
done
mkdir "$box/dev/pts" "$box/dev/shm"
for device in $devices; do
  name=${device%%=*} ids=${device#*=}
  cp -a "/dev/$name" "$box/dev/"
  chown 0:0 "$box/dev/$name"
  chmod 600 "$box/dev/$name"
  folder=/sys/devices/virtual/tty/$name
  mkdir -p "$box/real/$name" "$box/shown/$name"
  mount --bind "$folder" "$box/real/$name"
  for file in uevent dev; do cat "$folder/$file" >"$box/shown/$name/$file"; done
  ln -s ../../../../class/tty "$box/shown/$name/subsystem"
  echo "${ids%%:*}" >"$box/shown/$name/idVendor"
  echo "${ids#*:}" >"$box/shown/$name/idProduct"
  mount --bind "$box/shown/$name" "$folder"
done
mount --move "$box/dev" /dev
mount -t tmpfs tmpfs /run
mkdir -p /run/udev/rules.d
cp "$box/rules/"* /run/udev/rules.d

# The variable makes udevd accept the modified sysfs. The timeout stops udevd if this script is
# killed.
SYSTEMD_DEVICE_VERIFY_SYSFS=0 timeout --kill-after=5 150 "$daemon" >"$box/log" 2>&1 &
process=$!
trap 'kill "$process" 2>/dev/null || :' EXIT
tries=0
until udevadm control --ping --timeout=1 2>/dev/null; do
  tries=$((tries + 1))
  if [ "$tries" -ge 500 ] || ! kill -0 "$process" 2>/dev/null; then
    cat "$box/log"
    exit 1
  fi
  sleep 0.1
done

for device in $devices; do echo add >"$box/real/${device%%=*}/uevent"; done
# Wait for the database entry of each device, which udevd writes after the rules have run.
for device in $devices; do
  name=${device%%=*}
  entry=/run/udev/data/c$(cat "$box/shown/$name/dev")
  tries=0
  until [ -e "$entry" ] || [ "$tries" -ge 500 ]; do
    tries=$((tries + 1))
    sleep 0.1
  done
done
udevadm settle --timeout=50

for device in $devices; do
  name=${device%%=*}
  echo "== $name"
  cat "/run/udev/data/c$(cat "$box/shown/$name/dev")"
  # udevd creates relative links.
  find /dev -type l ! -path '/dev/char/*' \( -lname "$name" -o -lname "*/$name" \) -printf 'L:%p\n'
  stat -c 'N:%G %a' "/dev/$name"
done
kill "$process"
wait "$process" || :
echo "== log"
cat "$box/log"
for device in $devices; do
  umount "/sys/devices/virtual/tty/${device%%=*}" "$box/real/${device%%=*}"
done
rm -rf --one-file-system "$box"
