#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs in the box, a test container: sets up a fleet as its article describes, with PostgreSQL and
# mosquitto, kills its parts, and removes the package. Prints one line per check.
service=fixcast-fleet
. /box/assertions.sh

as() { runuser -u "$1" -- "${@:2}"; }
query() { as fixcast-fleet psql -XAtq -d fixcast-fleet -c "$1"; }

# brings_positions SECONDS: checks that all positions of 20 boards become rows.
brings_positions() {
  local before after output made
  before=$(query 'SELECT count(*) FROM fleet.fix')
  output=$(fixcast-fleet simulate --broker mqtt://127.0.0.1 --boards 20 --batch 5 --seconds "$1") || {
    echo "$output"
    return 1
  }
  made=$(grep -o 'made=[0-9]*' <<<"$output" | cut -d= -f2)
  after=$(query 'SELECT count(*) FROM fleet.fix')
  [ "$made" -gt 0 ] && equals $((after - before)) "$made"
}

creates_tables() {
  as postgres createuser fixcast-fleet && as postgres createdb -O fixcast-fleet fixcast-fleet &&
    contains "$(as fixcast-fleet fixcast-fleet init)" "version"
}

# survives_kill_of UNIT: kills the main process of a unit in the middle of the positions of boards.
survives_kill_of() {
  local unit=$1 pid
  (
    sleep 5
    pid=$(systemctl show "$unit" --property=MainPID --value)
    [ "$pid" -gt 1 ] && kill -KILL "$pid"
    sleep 1
    systemctl start "$unit"
  ) &
  brings_positions 15
}

check "the package of the fleet installs" dpkg -i /box/fixcast-fleet.deb
check "the service is not started by the installation" \
  equals "$(systemctl is-active fixcast-fleet) $(systemctl is-enabled fixcast-fleet)" \
  "inactive disabled"
check "PostgreSQL and mosquitto start" systemctl start postgresql mosquitto
check "the tables are created with the article's commands" creates_tables
sed -i 's/^OPTIONS="/&--accept-simulated /' /etc/default/fixcast-fleet
check "the service starts" timeout 60 systemctl start fixcast-fleet
check "the service is active" is_active
check "the service runs as its own user" equals \
  "$(stat -c %U "/proc/$(property MainPID)")" fixcast-fleet
check "all positions become rows" brings_positions 10
check "all positions become rows although the consumer is killed" survives_kill_of fixcast-fleet
check "all positions become rows although PostgreSQL is killed" \
  survives_kill_of "postgresql@15-main"
check "no row is there twice" equals \
  "$(query 'SELECT count(*) - count(DISTINCT (board, epoch, seq)) FROM fleet.fix')" 0
check "boards are listed" contains "$(as fixcast-fleet fixcast-fleet boards)" "sim-00019"
check "the status is printed" as fixcast-fleet fixcast-fleet status
check "the package installs over an installed version" dpkg -i /box/fixcast-fleet.deb
check "the package is removed" dpkg -r fixcast-fleet
check "removal stops the service" equals "$(systemctl is-active fixcast-fleet)" inactive
check "removal keeps the options" test -s /etc/default/fixcast-fleet
check "the package is purged" dpkg -P fixcast-fleet
check "purging leaves no options" test ! -e /etc/default/fixcast-fleet

exit $((failures > 0))
