# SPDX-License-Identifier: Apache-2.0
# Checks of the running service: its confinement by the unit, and the authorization of its clients.
# Sourced by check-package.sh, not executed.
# shellcheck shell=bash
probe=/box/probe-confinement.pl

# Makes a device that every user may open, but whose type is not that of a receiver.
opens_no_other_device() {
  mknod -m 666 /dev/box-other c 1 11
  printf '[[source]]\ntype = "serial"\ndevice = "/dev/box-other"\n' >/etc/fixcast/conf.d/box.toml
  systemctl reload fixcast && journal_contains 'open: Operation not permitted' &&
    journal_contains 'DeviceAllow=char-1 rw'
}

# Lets the installed service read a simulated receiver on a pseudo-terminal.
gets_a_fix() {
  local devnode
  mkfifo /run/receiver.out
  exec 9<>/run/receiver.out
  fixcast simulate --hz 1 --link /run/receiver >&9 2>/dev/null &
  # The first line is the device node, which gets the group and mode of a real receiver.
  read -rt 20 -u 9 devnode && chgrp dialout "$devnode" && chmod 660 "$devnode" || return 1
  printf '[[source]]\ntype = "serial"\ndevice = "/run/receiver"\n' >/etc/fixcast/conf.d/box.toml
  # A program run by root also needs authorization if it runs in a unit.
  fixcast auth allow unit=box.service --always
  systemctl restart fixcast && contains "$(fixcast locate --json --timeout 30)" '"mode":3'
}

# Checks that systemd accepted the unit's settings.
has_confinement_settings() {
  local settings line
  settings=$(systemctl show --all fixcast)
  for line in ProtectSystem=strict ProtectHome=yes DevicePolicy=closed NoNewPrivileges=yes \
    CapabilityBoundingSet= AmbientCapabilities= MemoryDenyWriteExecute=yes PrivateTmp=yes \
    RestrictNamespaces=yes RestrictSUIDSGID=yes LockPersonality=yes SystemCallErrorNumber=1 \
    MemoryMax=134217728 TasksMax=128 LimitCORE=0 User=fixcast; do
    grep -qx -- "$line" <<<"$settings" ||
      { echo "expected $line, got" "$(grep "^${line%%=*}=" <<<"$settings")"; return 1; }
  done
}

# Checks capabilities and filters of the process as the kernel reports them.
is_confined_by_kernel() {
  local status name
  status=$(tr '\t' ' ' <"/proc/$(property MainPID)/status")
  for name in CapInh CapPrm CapEff CapBnd CapAmb; do
    contains "$status" "$name: 0000000000000000" || return 1
  done
  contains "$status" "NoNewPrivs: 1" && contains "$status" "Seccomp: 2"
}

# Checks the writable mounts of the process, except proc and devices.
has_only_own_writable_mounts() {
  local mounts
  mounts=$(awk '{
    for (last = 7; $last != "-"; last++) {}
    if ($6 ~ /^rw/ && $(last + 1) !~ /^(proc|devpts)$/ && $5 !~ /^\/dev(\/|$)/) print $5
  }' "/proc/$(property MainPID)/mountinfo" | sort | paste -sd' ')
  equals "$mounts" "/run/fixcast /tmp /var/lib/fixcast /var/tmp"
}

# Makes folders that every user may write to, and a setuid program of root. Only the unit prevents
# the service from using them.
make_unprotected_files() {
  local folder major
  for folder in /etc /usr /srv /var/log /run /home; do mkdir -m 777 "$folder/open"; done
  touch /home/open/file /tmp/of-all
  # The first serial port of the machine. If there is none, opening the device fails for every user.
  mknod -m 666 /dev/ttyS0 c 4 64
  # The ports of receivers that are plugged in after the start of the service. Their drivers are not
  # loaded in the box.
  for major in 166 188 204 207 216; do mknod -m 666 "/dev/late-$major" c "$major" 0; done
  cp /usr/bin/id /usr/open/id && chmod 4755 /usr/open/id
}

# is_open_or_absent RESULT: checks that a port was opened, or that the kernel found no device.
is_open_or_absent() {
  case $1 in
    done | 'No such device' | 'No such device or address' | 'Input/output error') ;;
    *) return 1 ;;
  esac
}

# The daemon starts the probe as a sink, under the rules of the unit. The results are compared with
# those of the same probe, run by the same user outside the unit.
probe_is_confined() {
  local attempt inside outside failed=0 count=0
  $probe --machine || return 1
  journal_contains 'all attempts finished' || return 1
  find /etc /usr /srv /var/log /run /home -path '*/open/tried' -delete
  rm -f /run/fixcast/tried /tmp/tried $state/tried $state/set
  runuser -u fixcast -- $probe $state/outside </dev/null >/dev/null || return 1
  while IFS=$'\t' read -r attempt inside _ outside; do
    count=$((count + 1))
    case $attempt in
      # On a machine without a serial port, both attempts fail with the same error.
      'may open a '*port*) [ "$inside" = "$outside" ] && is_open_or_absent "$outside" ;;
      'may '*) [ "$inside" = "done" ] && [ "$outside" = "done" ] ;;
      *) [ "$inside" != "done" ] && [ "$outside" = "done" ] ;;
    esac || { echo "$attempt: $inside inside the unit, $outside outside"; failed=1; }
  done < <(paste $state/inside $state/outside)
  # One line of the probe makes five attempts.
  [ "$count" = $(($(grep -c '^attempt("' $probe) + 4)) ] || { echo "only $count attempts"; failed=1; }
  return $failed
}

# Checks that the daemon cannot write to forbidden folders even if its configuration names them.
cannot_write_to_configured_folders() {
  journal_contains '/home/open/track.gpx.*Permission denied' &&
    journal_contains '/srv/open/track.gpx.*Read-only file system' || return 1
  [ ! -e /home/open/track.gpx ] && [ ! -e /srv/open/track.gpx ]
}

# run_in_unit UNIT COMMAND...: runs a command in a unit as the user daemon, and waits for its exit.
# The output goes to /run/UNIT.output.
run_in_unit() {
  local unit=$1
  shift
  systemd-run --quiet --unit="$unit" --property=Type=oneshot --property=User=daemon \
    --property="StandardOutput=truncate:/run/$unit.output" --property=TimeoutStartSec=60 "$@"
}

allowed_unit_gets_position() {
  fixcast auth allow unit=map.service --always
  run_in_unit map.service fixcast locate --json --timeout 30 ||
    { cat /run/map.service.output; return 1; }
  contains "$(cat /run/map.service.output)" '"lat":'
}

denied_unit_gets_no_position() {
  fixcast auth deny unit=thief.service
  ! run_in_unit thief.service fixcast locate --json --timeout 30 ||
    { echo "the command succeeded"; return 1; }
  equals "$(systemctl show thief.service --property=ExecMainStatus --value)" 77 &&
    lacks "$(cat /run/thief.service.output)" '"lat"' &&
    contains "$(cat /run/thief.service.output)" \
      "unit=thief.service is not allowed to access the location"
}

# Checks that the request of a unit without a rule or answer waits until an operator allows it.
undecided_unit_waits_for_answer() {
  local client
  run_in_unit guest.service fixcast locate --json --timeout 50 &
  client=$!
  journal_contains 'fixcast auth allow user=daemon unit=guest.service' &&
    contains "$(fixcast auth pending)" "unit=guest.service" &&
    lacks "$(cat /run/guest.service.output)" '"lat"' &&
    fixcast auth allow unit=guest.service --always || return 1
  wait $client
  contains "$(cat /run/guest.service.output)" '"lat":'
}

# logs_use UNIT COUNT: waits until the log of uses has an entry of the unit with COUNT locations.
logs_use() {
  local line="\"event\":\"stopped\",\"client\":\"uid=[0-9]+ unit=$1\".*\"count\":$2,"
  grep -qm1 -E "$line" < <(timeout 30 tail -n +1 -f $state/uses.jsonl) ||
    { echo "no entry of $1 with $2 locations in:"; cat $state/uses.jsonl; return 1; }
}

check_service() {
  make_unprotected_files
  printf '[[sink]]\ntype = "%s"\nname = "%s"\n%s\n' \
    exec probe "command = [\"$probe\", \"$state/inside\"]" \
    gpx home 'file = "/home/open/track.gpx"' gpx srv 'file = "/srv/open/track.gpx"' \
    >/etc/fixcast/conf.d/confined.toml
  systemctl reload fixcast
  check "systemd accepted all confinement settings of the unit" has_confinement_settings
  check "the kernel grants no capabilities and filters system calls" is_confined_by_kernel
  check "only the folders of the service are writable" has_only_own_writable_mounts
  check "a plugin can do exactly what the unit allows" probe_is_confined
  check "the daemon cannot write to forbidden folders that its configuration names" \
    cannot_write_to_configured_folders
  check "an allowed unit gets the position" allowed_unit_gets_position
  check "a denied unit of the same user gets no position" denied_unit_gets_no_position
  check "an undecided unit waits for an answer" undecided_unit_waits_for_answer
  check "the log of uses records which unit got a location" eval \
    'logs_use map.service 1 && logs_use thief.service 0 && logs_use guest.service 1'
  rm /etc/fixcast/conf.d/confined.toml
  systemctl reload fixcast
}
