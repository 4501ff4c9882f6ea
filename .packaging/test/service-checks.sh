# SPDX-License-Identifier: Apache-2.0
# Facts about the installed service while it runs: what the unit keeps it from, and how it knows who
# asks. Read by `check`, and not run.
# shellcheck shell=bash

# A device that everybody may open, and of a kind that is no receiver.
opens_no_other_device() {
  mknod -m 666 /dev/box-other c 1 11
  printf '[[source]]\ntype = "serial"\ndevice = "/dev/box-other"\n' >/etc/fixcast/conf.d/box.toml
  systemctl reload fixcast && journal_says 'open: Operation not permitted'
}

# A receiver on a pseudo-terminal, read by the installed service.
gets_a_fix() {
  local devnode
  mkfifo /run/receiver.out
  exec 9<>/run/receiver.out
  fixcast simulate --hz 1 --link /run/receiver >&9 2>/dev/null &
  # Its first line; the service's user may open it then as it may a receiver.
  read -rt 20 -u 9 devnode && chgrp dialout "$devnode" && chmod 660 "$devnode" || return 1
  printf '[[source]]\ntype = "serial"\ndevice = "/run/receiver"\n' >/etc/fixcast/conf.d/box.toml
  # Root's programs in a unit are asked about as all others are.
  fixcast auth allow unit=box.service --always
  systemctl restart fixcast && has "$(fixcast locate --json --timeout 30)" '"mode":3'
}

# What systemd was told and has not passed over.
is_told_to_be_confined() {
  local said line
  said=$(systemctl show --all fixcast)
  for line in ProtectSystem=strict ProtectHome=yes DevicePolicy=closed NoNewPrivileges=yes \
    CapabilityBoundingSet= AmbientCapabilities= MemoryDenyWriteExecute=yes PrivateTmp=yes \
    RestrictNamespaces=yes RestrictSUIDSGID=yes LockPersonality=yes SystemCallErrorNumber=1 \
    MemoryMax=134217728 TasksMax=128 LimitCORE=0 User=fixcast; do
    grep -qx -- "$line" <<<"$said" ||
      { echo "not $line but" "$(grep "^${line%%=*}=" <<<"$said")"; return 1; }
  done
}

# What the kernel says of the process itself.
is_held_by_the_kernel() {
  local status name
  status=$(tr '\t' ' ' <"/proc/$(property MainPID)/status")
  for name in CapInh CapPrm CapEff CapBnd CapAmb; do
    has "$status" "$name: 0000000000000000" || return 1
  done
  has "$status" "NoNewPrivs: 1" && has "$status" "Seccomp: 2"
}

# The mounts that the process may write to, but those that hold no files of the board's.
sees_to_write_only_its_own() {
  local mounts
  mounts=$(awk '{
    for (last = 7; $last != "-"; last++) {}
    if ($6 ~ /^rw/ && $(last + 1) !~ /^(proc|devpts)$/ && $5 !~ /^\/dev(\/|$)/) print $5
  }' "/proc/$(property MainPID)/mountinfo" | sort | paste -sd' ')
  is "$mounts" "/run/fixcast /tmp /var/lib/fixcast /var/tmp"
}

# Places that everybody may write to, and a program that is root whoever runs it: nothing but the unit
# keeps the service from them.
lay_out_temptations() {
  local place
  for place in /etc /usr /srv /var/log /run /home; do mkdir -m 777 "$place/open"; done
  touch /home/open/file /tmp/of-all
  # The board's own, where it has one; else it is as absent to the service as to everybody.
  mknod -m 666 /dev/ttyS0 c 4 64
  cp /usr/bin/id /usr/open/id && chmod 4755 /usr/open/id
}

# What a port says that is there, or that has nothing behind its name.
is_open_or_absent() {
  case $1 in
    done | 'No such device' | 'No such device or address' | 'Input/output error') ;;
    *) return 1 ;;
  esac
}

# The daemon starts `confined` as a sink, under all that it is under itself, and what that says is held
# against what the same program says of the same user outside of the unit.
can_do_no_more_than_it_must() {
  local what inside outside failed=0 tried=0
  /box/confined --machine || return 1
  journal_says 'all is tried' || return 1
  find /etc /usr /srv /var/log /run /home -path '*/open/tried' -delete
  rm -f /run/fixcast/tried /tmp/tried $state/tried $state/set
  runuser -u fixcast -- /box/confined $state/outside </dev/null >/dev/null || return 1
  while IFS=$'\t' read -r what inside _ outside; do
    tried=$((tried + 1))
    case $what in
      # A board without such a port refuses everybody: that is all that two failures may mean.
      'may open a serial port') [ "$inside" = "$outside" ] && is_open_or_absent "$outside" ;;
      'may '*) [ "$inside" = "done" ] && [ "$outside" = "done" ] ;;
      *) [ "$inside" != "done" ] && [ "$outside" = "done" ] ;;
    esac || { echo "$what: inside $inside, outside $outside"; failed=1; }
  done < <(paste $state/inside $state/outside)
  [ "$tried" = "$(grep -c '^try_to("' /box/confined)" ] || { echo "$tried tried"; failed=1; }
  return $failed
}

# And the daemon itself, where its configuration sends it.
is_kept_from_where_it_is_sent() {
  journal_says '/home/open/track.gpx.*Permission denied' &&
    journal_says '/srv/open/track.gpx.*Read-only file system' || return 1
  [ ! -e /home/open/track.gpx ] && [ ! -e /srv/open/track.gpx ]
}

# ask UNIT COMMAND...: by the same ordinary user, as a unit, to its end; both its streams go to a file.
ask() {
  local unit=$1
  shift
  systemd-run --quiet --unit="$unit" --property=Type=oneshot --property=User=daemon \
    --property="StandardOutput=truncate:/run/$unit.said" --property=TimeoutStartSec=60 "$@"
}

is_told() {
  fixcast auth allow unit=map.service --always
  ask map.service fixcast locate --json --timeout 30 || { cat /run/map.service.said; return 1; }
  has "$(cat /run/map.service.said)" '"lat":'
}

is_refused() {
  fixcast auth deny unit=thief.service
  ! ask thief.service fixcast locate --json --timeout 30 || { echo "it ended well"; return 1; }
  is "$(systemctl show thief.service --property=ExecMainStatus --value)" 77 &&
    lacks "$(cat /run/thief.service.said)" '"lat"' &&
    has "$(cat /run/thief.service.said)" "unit=thief.service may not know"
}

# Nobody has said anything of this one: it waits until somebody does.
is_waited_for() {
  local asking
  ask guest.service fixcast locate --json --timeout 50 &
  asking=$!
  journal_says 'fixcast auth allow uid=[0-9]+ unit=guest.service' &&
    has "$(fixcast auth pending)" "unit=guest.service" &&
    lacks "$(cat /run/guest.service.said)" '"lat"' &&
    fixcast auth allow unit=guest.service --always || return 1
  wait $asking
  has "$(cat /run/guest.service.said)" '"lat":'
}

# used UNIT COUNT: a unit ended its asking with so many locations, as the log of uses has it, or is
# about to have it.
used() {
  local line="\"event\":\"stopped\",\"client\":\"uid=[0-9]+ unit=$1\".*\"count\":$2,"
  grep -qm1 -E "$line" < <(timeout 30 tail -n +1 -f $state/uses.jsonl) ||
    { echo "no $1 with $2 locations in:"; cat $state/uses.jsonl; return 1; }
}

service_facts() {
  lay_out_temptations
  printf '[[sink]]\ntype = "%s"\nname = "%s"\n%s\n' \
    exec confined "command = [\"/box/confined\", \"$state/inside\"]" \
    gpx home 'file = "/home/open/track.gpx"' gpx srv 'file = "/srv/open/track.gpx"' \
    >/etc/fixcast/conf.d/confined.toml
  systemctl reload fixcast
  fact "systemd was told to confine it, and does" is_told_to_be_confined
  fact "it has no capability, can get none, and calls are filtered" is_held_by_the_kernel
  fact "it sees nothing to write but its own" sees_to_write_only_its_own
  fact "what it starts can do no more than it must" can_do_no_more_than_it_must
  fact "nor can itself, where its configuration sends it" is_kept_from_where_it_is_sent
  fact "a unit that is allowed is told where the board is" is_told
  fact "another of the same user, which is denied, is not" is_refused
  fact "a third waits until somebody has said so" is_waited_for
  fact "and the log of uses says which of them got a location" eval \
    'used map.service 1 && used thief.service 0 && used guest.service 1'
  rm /etc/fixcast/conf.d/confined.toml
  systemctl reload fixcast
}
