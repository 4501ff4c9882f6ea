# SPDX-License-Identifier: Apache-2.0
# Checks which client the service takes processes of units, logins, containers and namespaces for, and which
# access they get. Sourced by check-package.sh, not executed.
# shellcheck shell=bash
identities=/run/identities

# in_unit UNIT PROPERTY...: runs the client in a unit.
in_unit() {
  local unit=$1
  shift
  systemd-run --quiet --unit="$unit" --property=Type=oneshot --property=TimeoutStartSec=90 \
    --property="StandardOutput=truncate:/run/$unit.output" "${@/#/--property=}" "${client[@]}" &&
    cat "/run/$unit.output"
}

# in_scope SCOPE SLICE [OPTION...]: runs the client in a scope, as a login or a container does.
in_scope() {
  local scope=$1 slice=$2
  shift 2
  # systemd stops the slice of a user after the last login, and refuses a login until that has ended.
  case $slice in user-*) systemctl stop "$slice" || return 1 ;; esac
  systemd-run --quiet --scope --unit="$scope" --slice="$slice" "$@" "${client[@]}"
}

# in_group GROUP USER: runs the client in a control group that systemd has not made.
in_group() {
  local group=/sys/fs/cgroup$1
  mkdir -p "$group" || return 1
  (echo "$BASHPID" >"$group/cgroup.procs" &&
    exec setpriv --reuid="$2" --regid="$2" --clear-groups "${client[@]}")
}

# in_namespace OPTION FUNCTION...: runs the client in a namespace that unshare(1) makes for it.
in_namespace() {
  local -a client=(unshare "$1" /box/identity-client.pl)
  shift
  "$@"
}

# identity PROCESS OWN-UID USER UNIT ACCESS FUNCTION...: runs the client, adds its line to the table, and
# compares it with the expected identity and access.
identity() { check "the service identifies $1" identifies "$@"; }
identifies() {
  local process=$1 own=$2 user=$3 unit=${4:+ unit=$4} access=$5
  local name words line role=look socket=position tcp=position
  local -a client=(/box/identity-client.pl)
  shift 5
  # systemd chooses the number of a dynamic user.
  if [ "$user" = dynamic ]; then
    name="uid=6????$unit" words=$name
  else
    name="uid=$(id -u "$user")$unit" words="user=$user$unit"
  fi
  case $access in
    operator) role=decide ;;
    operator-without-network) role=decide tcp="no connection" ;;
    without-network) tcp="no connection" ;;
    nothing) socket="nothing as $words" tcp=$socket ;;
  esac
  line=$("$@")
  echo "$process; $line" >>$identities
  # Not quoted, because the expected line may contain a pattern.
  [[ $line == $own\;\ $name\;\ $role\;\ $socket\;\ $tcp ]] ||
    { echo "expected '$own; $name; $role; $socket; $tcp', got '$line'"; return 1; }
}

print_identities() {
  local process own name role socket tcp
  while IFS=';' read -r process own name role socket tcp; do
    printf '        %-45s|%-8s|%-35s|%-8s|%-10s|%s\n' \
      "$process" "$own" "$name" "$role" "${socket% as *}" "$tcp"
  done < <(echo "process; own uid; client; role; socket; gpsd over TCP" && cat $identities)
}

check_identities() {
  local unit
  : >$identities
  for unit in one dynamic mapped local; do fixcast auth allow unit=$unit.service --always; done >/dev/null
  identity "an allowed unit" 1 daemon one.service position in_unit one.service User=daemon
  identity "another unit of the same user" 1 daemon two.service nothing in_unit two.service User=daemon
  identity "an allowed unit with a dynamic user" '6????' dynamic dynamic.service position \
    in_unit dynamic.service DynamicUser=yes
  identity "another unit with a dynamic user" '6????' dynamic other.service nothing \
    in_unit other.service DynamicUser=yes
  identity "a unit of root" 0 root full.service nothing in_unit full.service
  identity "a unit of root without capabilities" 0 root bare.service nothing \
    in_unit bare.service CapabilityBoundingSet= NoNewPrivileges=yes
  identity "an allowed unit in a user namespace" 1 daemon mapped.service position \
    in_unit mapped.service User=daemon PrivateUsers=yes
  identity "a unit that is root in a user namespace" 0 daemon two.service nothing \
    in_namespace --map-root-user in_unit two.service User=daemon
  identity "an allowed unit in a network namespace" 1 daemon local.service without-network \
    in_unit local.service User=daemon PrivateNetwork=yes
  identity "root in a login" 0 root '' operator in_scope session-1.scope user-0.slice
  identity "root in a login and a network namespace" 0 root '' operator-without-network \
    in_namespace --net in_scope session-2.scope user-0.slice
  identity "a user in a login" 1 daemon '' nothing in_scope session-3.scope user-1.slice --uid=daemon
  identity "a login that is root in a user namespace" 0 daemon '' nothing \
    in_namespace --map-root-user in_scope session-4.scope user-1.slice --uid=daemon
  identity "a user's own unit of an allowed name" 1 daemon '' nothing \
    in_group /user.slice/user-1.slice/user@1.service/app.slice/one.service 1
  identity "root in a container" 0 root docker-1.scope nothing in_scope docker-1.scope system.slice
  identity "root in a container without a unit" 0 root '' nothing in_group /docker/1 0
  print_identities
}
