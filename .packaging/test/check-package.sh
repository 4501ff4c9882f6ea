#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs in the box: installs, runs, breaks and removes the package, one line a fact.
. /box/facts.sh
. /box/service.sh
dropins=/etc/systemd/system/fixcast.service.d
state=/var/lib/fixcast

# One of the daemon's own lines, with the priority that it was given.
logs_with_priority() {
  local words=$1 line field
  journal_says "$words" || return 1
  line=$(journalctl -u fixcast -o json --no-pager | grep -m1 "\"MESSAGE\":\"$words")
  for field in '"_TRANSPORT":"stdout"' '"SYSLOG_IDENTIFIER":"fixcast"' "\"PRIORITY\":\"$2\""; do
    has "$line" "$field" || return 1
  done
}

# The processes of the service's user.
processes() {
  local uid folder
  uid=$(id -u fixcast) || return 0
  for folder in /proc/[0-9]*; do
    [ "$(stat -c %u "$folder" 2>/dev/null)" != "$uid" ] || tr '\0' ' ' <"$folder/cmdline"
  done
}

is_settled() {
  local pid
  pid=$(property MainPID)
  is "$(awk '/^Uid:/ {print $2}' "/proc/$pid/status")" "$(id -u fixcast)" &&
    has " $(grep ^Groups: "/proc/$pid/status") " "$(getent group dialout | cut -d: -f3)"
}

is_hung_up_on() {
  local pid=$1 restarts=$2
  # Of a service that is down it would be this very group.
  [ "$pid" -gt 1 ] || return 1
  kill -STOP "$pid"
  journal_says 'Scheduled restart job, restart counter is at '$((restarts + 1)) || return 1
  # Waits for the start that is under way.
  timeout 30 systemctl start fixcast && active && has "$(journalctl -u fixcast -o cat)" "watchdog" &&
    { [ "$(property MainPID)" != "$pid" ] || { echo "the same process"; false; }; }
}

reloads() {
  local pid from
  pid=$(property MainPID)
  # It has been before, and said so then too.
  from=$(from_now)
  systemctl reload fixcast && journal_says 'configuration (was )?read again' "$from" &&
    is "$(property MainPID)" "$pid"
}

is_kept_for_the_service() {
  fixcast auth allow uid=1234 --reason package && is "$(owner $state/decisions.json)" \
    "fixcast:fixcast 600" && has "$(runuser -u fixcast -- fixcast auth list)" "uid=1234"
}

is_handed_over() {
  systemctl stop fixcast
  rm -rf $state
  fixcast auth allow uid=1234 --reason package && systemctl start fixcast &&
    is "$(owner $state) $(owner $state/decisions.json)" "fixcast:fixcast 700 fixcast:fixcast 600"
}

is_restarted_from() {
  active && { [ "$(property MainPID)" != "$1" ] || { echo "the same process"; false; }; }
}

# What a command keeps for the next one lies elsewhere: others could not reach the socket through a
# folder that root made for itself.
is_the_daemons_to_make() {
  systemctl stop fixcast
  fixcast weather 54.3,10.1 >/dev/null 2>&1
  is "$(ls -d /run/fixcast 2>/dev/null)" "" && systemctl start fixcast
}

is_documented() {
  local page
  for page in man1/fixcast.1 man1/fixcast-run.1 man5/fixcast.toml.5 man8/fixcast.service.8; do
    [ -s "/usr/share/man/$page.gz" ] || { echo "no $page"; return 1; }
  done
  for page in bash-completion/completions/fixcast zsh/vendor-completions/_fixcast \
    fish/vendor_completions.d/fixcast.fish; do
    [ -s "/usr/share/$page" ] || { echo "no $page"; return 1; }
  done
}

# README and articles, in one folder, where each link to another of them leads to a file. The packager
# may have compressed what is long.
has_articles() {
  local folder=/usr/share/doc/fixcast page link
  for page in README Install Configure Authorization Weather HTTP-API Plugins Troubleshooting \
    Benchmarks Architecture Using-the-libraries ExecPlugins; do
    [ -s "$folder/$page.md" ] || [ -s "$folder/$page.md.gz" ] || { echo "no $page"; return 1; }
  done
  for link in $(zcat -f "$folder"/*.md* | grep -oE '\]\([A-Za-z0-9._/-]+\.md[)#]' | tr -d '])(#' | sort -u)
  do
    [ -s "$folder/$link" ] || [ -s "$folder/$link.gz" ] || { echo "a link to $link"; return 1; }
  done
}

# Of those whose work is in the program, one that says nothing but its licence, and one that has taken
# something along.
tells_of_others() {
  local said
  said=$(zcat /usr/share/doc/fixcast/notices.gz) && has "$said" "swift-collections " &&
    has "$said" "Copyright Fedor Indutny"
}

lists_libraries() {
  has "$(zcat /usr/share/doc/fixcast/fixcast.spdx.json.gz)" '"SPDX-2.3"' &&
    has "$(fixcast --version --verbose)" "  boringssl "
}

# Where a link stands that the service's user has laid, root's command makes nothing.
makes_nothing_behind_a_link() {
  local link=$state/weather.sqlite
  systemctl stop fixcast
  rm -f "$link"*
  runuser -u fixcast -- ln -s /etc/nologin "$link"
  fixcast weather 54.3,10.1 >/dev/null 2>&1
  [ ! -e /etc/nologin ] || { echo "made /etc/nologin"; rm /etc/nologin; return 1; }
  rm "$link"
  fixcast weather 54.3,10.1 >/dev/null 2>&1
  [ ! -e "$link" ] || { echo "made $link"; return 1; }
  systemctl start fixcast
}

decodes() {
  has "$(printf '$GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*6A\r\n' |
    fixcast decode)" '"class":"TPV"'
}

# The same service, only quicker to be found dead.
mkdir -p $dropins
printf '[Service]\nWatchdogSec=2\nRestartSec=100ms\n' >$dropins/quick.conf

fact "installs" dpkg -i /box/fixcast.deb
fact "has all it depends on" sh -c 'dpkg --audit | grep . && exit 1; exit 0'
fact "the program starts" fixcast --version
fact "the program decodes" decodes
fact "manual and completions are there" is_documented
fact "README and articles are there, and link to each other" has_articles
fact "and what others want told of their work" tells_of_others
fact "and which libraries it is linked with" lists_libraries
fact "the service is enabled" systemctl is-enabled fixcast
fact "the service is ready" active
fact "it says how it is" test -n "$(property StatusText)"
fact "it is its own user's, in the group of receivers" is_settled
fact "its state is its own" is "$(owner $state)" "fixcast:fixcast 700"
fact "its socket's folder is for all" is "$(owner /run/fixcast)" "fixcast:fixcast 755"
fact "its start is in the journal" journal_says 'Started fixcast.service'
fact "its socket is for all" is "$(stat -c '%U %a' /run/fixcast/fixcast.sock)" "fixcast 666"
fact "it logs to the journal, with priorities" \
  logs_with_priority 'fixcast: serving on /run/fixcast/' 5
fact "it opens no device that is no receiver" opens_no_other_device
fact "it gets a fix" gets_a_fix
fact "and logs which receiver has one" journal_says 'fixcast.pipeline: simulated fix.* source=/'
fact "and tells its status to anybody" has \
  "$(runuser -u daemon -- fixcast status)" "you are        uid=$(id -u daemon)"
fact "it reads its configuration again" reloads
service_facts
fact "root's answers are the service's to read" is_kept_for_the_service
fact "and so are those given before its first start" is_handed_over
fact "and no command makes its socket's folder" is_the_daemons_to_make
fact "and no command of root's follows a link of the service's" makes_nothing_behind_a_link
fact "it is restarted when it hangs" is_hung_up_on "$(property MainPID)" "$(property NRestarts)"
before=$(property MainPID)
fact "a newer package installs over it" dpkg -i /box/fixcast.deb
fact "and restarts it" is_restarted_from "$before"
fact "and leaves answers" test -s $state/decisions.json

fact "is removed" dpkg -r fixcast
fact "removal leaves no process" is "$(processes)" ""
fact "removal leaves no service" is "$(systemctl is-active fixcast)" inactive
fact "removal keeps answers" test -s $state/decisions.json
fact "removal keeps the configuration" test -s /etc/fixcast/config.toml
fact "comes back" dpkg -i /box/fixcast.deb
fact "with its answers" has "$(fixcast auth list)" "uid=1234"
# Not the package's, and so not its to take away.
rm -f /etc/fixcast/conf.d/box.toml
fact "is purged" dpkg -P fixcast
fact "purging leaves no process" is "$(processes)" ""
fact "purging leaves no state" test ! -e $state
fact "purging leaves no configuration" test ! -e /etc/fixcast

exit $((failures > 0))
