#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that the kernel's limits leave room for the tests: without inotify instances, descriptors or
# processes, tests would fail or wait for events that never come.
set -euo pipefail
status=0

# require NAME FREE NEEDED REMEDY
require() {
  local free=$2
  [ "$free" = unlimited ] || [ "$free" -ge 0 ] || free=0
  [ "$free" = unlimited ] || [ "$free" -ge "$3" ] || {
    echo "the tests need $3 $1, but only $free are free; $4" >&2
    status=1
  }
}

uid=$(id -u)
# The inotify instances of this user's processes; without permission, a process counts as having none.
used=$(find /proc/[0-9]*/fd -user "$uid" -lname 'anon_inode:inotify' 2>/dev/null | wc -l || true)
require "inotify instances" $(($(cat /proc/sys/fs/inotify/max_user_instances) - used)) 64 \
  "raise the limit: sudo sysctl fs.inotify.max_user_instances=512"
# run-tests.sh raises the soft limit up to the hard limit.
require "open files" "$(ulimit -H -n)" 2048 "raise the limit: ulimit -n 2048"
processes=$(ulimit -u)
# Root may start any number of processes.
if [ "$uid" != 0 ] && [ "$processes" != unlimited ]; then
  threads=$(find /proc/[0-9]*/task -mindepth 1 -maxdepth 1 -user "$uid" 2>/dev/null | wc -l || true)
  require "processes and threads" $((processes - threads)) 512 "raise the limit: ulimit -u 4096"
fi
exit "$status"
