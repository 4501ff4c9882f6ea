#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Boots the systemd of a root folder in separate namespaces (the box), runs one command there as a
# service, and exits when it finishes. All processes of the box are then killed. Changes to the root
# folder are discarded, and the box cannot write to this machine, except to SHARED.
# usage: run-in-box.sh ROOT SHARED SECONDS COMMAND
# SHARED is mounted as /box and contains COMMAND.
set -euo pipefail
root=$(readlink -f "$1") shared=$(readlink -f "$2") seconds=$3 command=$4

# Stage 2, the first process of a PID namespace: mounts the file systems and executes systemd.
if [ "${FIXCAST_BOX:-}" ]; then
  new=$FIXCAST_BOX/root
  mkdir "$FIXCAST_BOX"/{root,upper,work}
  mount -t overlay overlay "$new" \
    -o "lowerdir=$root,upperdir=$FIXCAST_BOX/upper,workdir=$FIXCAST_BOX/work" 2>/dev/null || {
    # Some machines do not allow an overlay on another overlay.
    mount -t tmpfs tmpfs "$new"
    cp -a "$root/." "$new"
  }
  mount -t proc proc "$new/proc"
  # These parts are read-only, because the box shares the kernel's settings with this machine.
  for part in sys sysrq-trigger; do
    [ -e "$new/proc/$part" ] || continue
    mount --bind "$new/proc/$part" "$new/proc/$part"
    mount -o remount,bind,ro "$new/proc/$part"
  done
  mount -t sysfs -o ro sysfs "$new/sys"
  mount -t cgroup2 cgroup2 "$new/sys/fs/cgroup"
  mount -t tmpfs -o mode=755,dev tmpfs "$new/dev"
  mkdir "$new/dev/pts" "$new/dev/shm" "$new/box"
  mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts "$new/dev/pts"
  ln -s pts/ptmx "$new/dev/ptmx"
  ln -s /proc/self/fd "$new/dev/fd"
  for node in null zero full random urandom tty; do
    cp -a "/dev/$node" "$new/dev/$node"
  done
  mount --bind "$shared" "$new/box"
  mkdir -p "$new/etc/systemd/system"
  cat >"$new/etc/systemd/system/box.service" <<UNIT
[Unit]
After=basic.target
SuccessAction=exit-force
FailureAction=exit-force
[Service]
Type=oneshot
ExecStart=$command
StandardOutput=append:/box/output
StandardError=append:/box/output
ExecStopPost=/bin/sh -c "journalctl -b -o short-monotonic --no-pager >/box/journal"
TimeoutStartSec=$seconds
UNIT
  # systemd-logind requires D-Bus.
  [ -e "$new/usr/bin/dbus-daemon" ] ||
    ln -sf /dev/null "$new/etc/systemd/system/systemd-logind.service"
  : >"$new/etc/machine-id"
  echo box >"$new/etc/hostname"
  cd "$new"
  mkdir .old
  pivot_root . .old
  umount -l .old
  exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin container=box TERM=dumb \
    /lib/systemd/systemd --system --unit=box.service --log-target=journal --show-status=0 \
    </dev/null >/dev/null 2>&1
fi

# Stage 1: a mount namespace and a control group, through which all processes are killed at the end.
if [ ! "${FIXCAST_BOX_STAGE:-}" ]; then
  exec env FIXCAST_BOX_STAGE=1 unshare --mount --propagation private "$0" "$@"
fi
work=$(mktemp -d)
mount -t tmpfs tmpfs "$work"
mkdir "$work/groups" "$work/box"
mount -t cgroup2 cgroup2 "$work/groups"
group=$work/groups/fixcast-box-$$
mkdir "$group"
clean() {
  echo 1 >"$group/cgroup.kill" 2>/dev/null || true
  find "$group" -depth -type d -exec rmdir {} + 2>/dev/null || true
  umount -R -l "$work"
  rmdir "$work"
}
trap clean EXIT
status=0
(
  echo "$BASHPID" >"$group/cgroup.procs"
  exec timeout -s KILL "$((seconds + 30))" \
    env FIXCAST_BOX="$work/box" \
    unshare --fork --pid --mount --net --ipc --uts --cgroup --kill-child \
    "$0" "$root" "$shared" "$seconds" "$command"
) || status=$?
exit "$status"
