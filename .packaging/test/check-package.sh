#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs in the box, a test container: installs, runs, breaks and removes the package. Prints one line per check.
. /box/assertions.sh
. /box/service-checks.sh
. /box/identity-checks.sh
dropins=/etc/systemd/system/fixcast.service.d
state=/var/lib/fixcast

# logs_with_priority TEXT PRIORITY: checks that the daemon logged the text with the priority.
logs_with_priority() {
  local text=$1 line field
  journal_contains "$text" || return 1
  line=$(journalctl -u fixcast -o json --no-pager | grep -m1 "\"MESSAGE\":\"$text")
  for field in '"_TRANSPORT":"stdout"' '"SYSLOG_IDENTIFIER":"fixcast"' "\"PRIORITY\":\"$2\""; do
    contains "$line" "$field" || return 1
  done
}

# Prints the command lines of all processes of the service's user.
processes() {
  local uid folder
  uid=$(id -u fixcast) || return 0
  for folder in /proc/[0-9]*; do
    [ "$(stat -c %u "$folder" 2>/dev/null)" != "$uid" ] || tr '\0' ' ' <"$folder/cmdline"
  done
}

runs_as_service_user() {
  local pid
  pid=$(property MainPID)
  equals "$(awk '/^Uid:/ {print $2}' "/proc/$pid/status")" "$(id -u fixcast)" &&
    contains " $(grep ^Groups: "/proc/$pid/status") " "$(getent group dialout | cut -d: -f3)"
}

restarts_after_hang() {
  local pid=$1 restarts=$2
  # The PID of a stopped service is 0, and `kill 0` would kill this script's process group.
  [ "$pid" -gt 1 ] || return 1
  kill -STOP "$pid"
  journal_contains 'Scheduled restart job, restart counter is at '$((restarts + 1)) || return 1
  # Waits until the pending start has finished.
  timeout 30 systemctl start fixcast && is_active &&
    contains "$(journalctl -u fixcast -o cat)" "watchdog" &&
    { [ "$(property MainPID)" != "$pid" ] || { echo "the process is the same"; false; }; }
}

reloads() {
  local pid from
  pid=$(property MainPID)
  # Only new entries, because an earlier reload logged the same line.
  from=$(from_now)
  systemctl reload fixcast && journal_contains 'configuration reloaded' "$from" &&
    equals "$(property MainPID)" "$pid"
}

root_answers_belong_to_service() {
  fixcast auth allow uid=1234 --reason package && equals "$(owner $state/decisions.json)" \
    "fixcast:fixcast 600" && contains "$(runuser -u fixcast -- fixcast auth list)" "uid=1234"
}

early_answers_belong_to_service() {
  systemctl stop fixcast
  rm -rf $state
  fixcast auth allow uid=1234 --reason package && systemctl start fixcast &&
    equals "$(owner $state) $(owner $state/decisions.json)" "fixcast:fixcast 700 fixcast:fixcast 600"
}

# has_restarted PID: checks that the service runs with another PID.
has_restarted() {
  is_active && { [ "$(property MainPID)" != "$1" ] || { echo "the process is the same"; false; }; }
}

# Checks that a command run by root does not make the folder of the socket, because clients could
# not enter a folder that root's command has made.
commands_do_not_make_runtime_folder() {
  systemctl stop fixcast
  fixcast weather 54.3,10.1 >/dev/null 2>&1
  equals "$(ls -d /run/fixcast 2>/dev/null)" "" && systemctl start fixcast
}

has_manual_and_completions() {
  local page
  for page in man1/fixcast.1 man1/fixcast-run.1 man5/fixcast.toml.5 man8/fixcast.service.8; do
    [ -s "/usr/share/man/$page.gz" ] || { echo "no $page"; return 1; }
  done
  for page in bash-completion/completions/fixcast zsh/vendor-completions/_fixcast \
    fish/vendor_completions.d/fixcast.fish; do
    [ -s "/usr/share/$page" ] || { echo "no $page"; return 1; }
  done
}

# Checks that README and articles are in one folder, and that the links between them work.
# dh_compress compresses long files, so a page may end in .gz.
has_articles() {
  local folder=/usr/share/doc/fixcast page link
  for page in README Install Configure Authorization ExistingPrograms HomeAssistant Prometheus Weather HTTP-API Plugins \
    Troubleshooting Benchmarks Architecture Using-the-libraries ExecPlugins; do
    [ -s "$folder/$page.md" ] || [ -s "$folder/$page.md.gz" ] || { echo "no $page"; return 1; }
  done
  for link in $(zcat -f "$folder"/*.md* | grep -oE '\]\([A-Za-z0-9._/-]+\.md[)#]' | tr -d '])(#' | sort -u)
  do
    [ -s "$folder/$link" ] || [ -s "$folder/$link.gz" ] ||
      { echo "the target of a link is missing: $link"; return 1; }
  done
}

# Checks the notices of a dependency with only a licence, and of a dependency that bundles another
# project's code.
has_notices() {
  local notices
  notices=$(zcat /usr/share/doc/fixcast/notices.gz) && contains "$notices" "swift-collections " &&
    contains "$notices" "Copyright Fedor Indutny"
}

lists_libraries() {
  contains "$(zcat /usr/share/doc/fixcast/fixcast.spdx.json.gz)" '"SPDX-2.3"' &&
    contains "$(fixcast --version --verbose)" "  boringssl "
}

# Checks that a command run by root does not follow a symbolic link made by the service's user.
does_not_follow_symbolic_link() {
  local link=$state/weather.sqlite
  systemctl stop fixcast
  rm -f "$link"*
  runuser -u fixcast -- ln -s /etc/nologin "$link"
  fixcast weather 54.3,10.1 >/dev/null 2>&1
  [ ! -e /etc/nologin ] || { echo "the command made /etc/nologin"; rm /etc/nologin; return 1; }
  rm "$link"
  fixcast weather 54.3,10.1 >/dev/null 2>&1
  [ ! -e "$link" ] || { echo "the command made $link"; return 1; }
  systemctl start fixcast
}

decodes() {
  contains "$(printf '$GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*6A\r\n' |
    fixcast decode)" '"class":"TPV"'
}

# Installs the package with a preseeded answer to its question.
preseeded_user_is_allowed() {
  printf 'pi:x:1001:1001::/:/bin/sh\n' >>/etc/passwd
  printf 'fixcast fixcast/allowed-users multiselect pi\n' | debconf-set-selections &&
    dpkg -i /box/fixcast.deb && contains "$(fixcast auth list)" "allow user=pi" &&
    contains "$(fixcast auth list)" "chosen at installation" &&
    equals "$(owner $state/decisions.json)" "fixcast:fixcast 600"
}

upgrade_does_not_restore_permission() {
  fixcast auth deny pi && dpkg -i /box/fixcast.deb &&
    contains "$(fixcast auth list)" "deny user=pi"
}

# Shortens the watchdog timeout and the restart delay.
mkdir -p $dropins
printf '[Service]\nWatchdogSec=2\nRestartSec=100ms\n' >$dropins/quick.conf

check "the package installs" dpkg -i /box/fixcast.deb
check "without an answer to its question, the package allows nobody" \
  lacks "$(fixcast auth list)" "allow "
check "all dependencies are installed" sh -c 'dpkg --audit | grep . && exit 1; exit 0'
check "the program starts" fixcast --version
check "the program decodes NMEA" decodes
check "manual pages and completions are installed" has_manual_and_completions
check "README and articles are installed, and their links work" has_articles
check "the notices of other projects are installed" has_notices
check "the list of linked libraries is installed" lists_libraries
check "the service is enabled" systemctl is-enabled fixcast
check "the service is active" is_active
check "the service reports its status to systemd" test -n "$(property StatusText)"
check "the service runs as its own user with the group dialout" runs_as_service_user
check "only the service can access its state directory" equals "$(owner $state)" "fixcast:fixcast 700"
check "every user can enter the folder of the socket" \
  equals "$(owner /run/fixcast)" "fixcast:fixcast 755"
check "the journal contains the start of the service" journal_contains 'Started fixcast.service'
check "every user can connect to the socket" \
  equals "$(stat -c '%U %a' /run/fixcast/fixcast.sock)" "fixcast 666"
check "the daemon logs to the journal with priorities" \
  logs_with_priority 'fixcast: serving on /run/fixcast/' 5
check "the service cannot open a device that is not a receiver" opens_no_other_device
check "the service gets a fix from a serial receiver" gets_a_fix
check "the journal names the receiver with a fix" \
  journal_contains 'fixcast.pipeline: simulated fix.* source=/'
check "every user can read the status" contains \
  "$(runuser -u daemon -- fixcast status)" "you are        user=daemon"
check "the service reloads its configuration" reloads
check_service
check_identities
check "answers given by root belong to the service's user" root_answers_belong_to_service
check "answers given before the first start belong to the service's user" early_answers_belong_to_service
check "no command creates the folder of the socket" commands_do_not_make_runtime_folder
check "no command run by root follows a symbolic link made by the service" does_not_follow_symbolic_link
check "a hanging service is restarted" \
  restarts_after_hang "$(property MainPID)" "$(property NRestarts)"
before=$(property MainPID)
check "the package installs over an installed version" dpkg -i /box/fixcast.deb
check "an upgrade restarts the service" has_restarted "$before"
check "an upgrade keeps answers" test -s $state/decisions.json

check "the package is removed" dpkg -r fixcast
check "removal leaves no process" equals "$(processes)" ""
check "removal stops the service" equals "$(systemctl is-active fixcast)" inactive
check "removal keeps answers" test -s $state/decisions.json
check "removal keeps the configuration" test -s /etc/fixcast/config.toml
check "the removed package installs again" dpkg -i /box/fixcast.deb
check "the reinstalled package has the earlier answers" contains "$(fixcast auth list)" "uid=1234"
# This file does not belong to the package, so purging would keep it.
rm -f /etc/fixcast/conf.d/box.toml
check "the package is purged" dpkg -P fixcast
check "purging leaves no process" equals "$(processes)" ""
check "purging leaves no state" test ! -e $state
check "purging leaves no configuration" test ! -e /etc/fixcast
check "a user chosen at installation is allowed" preseeded_user_is_allowed
check "an upgrade does not repeat the choice" upgrade_does_not_restore_permission
check "the package is purged again" dpkg -P fixcast

exit $((failures > 0))
