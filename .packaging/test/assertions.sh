# SPDX-License-Identifier: Apache-2.0
# Functions for the checks that run in the box, a test container. Sourced, not executed.
# shellcheck shell=bash
set -u
failures=0
service=${service:-fixcast}

# check STATEMENT COMMAND...: runs the command and prints whether the statement holds.
check() {
  local statement=$1 output
  shift
  if output=$("$@" 2>&1); then
    echo "ok      $statement"
  else
    echo "FAILED  $statement"
    printf '%s\n' "$output" | tail -n 20 | sed 's/^/        /'
    failures=$((failures + 1))
  fi
}

# property NAME: prints a property of the service.
property() { systemctl show "$service" --property="$1" --value; }
equals() { [ "$1" = "$2" ] || { echo "expected '$2', got '$1'"; return 1; }; }
contains() { grep -qF -- "$2" <<<"$1" || { echo "'$2' is not in: $1"; return 1; }; }
lacks() { ! grep -qF -- "$2" <<<"$1" || { echo "'$2' is in: $1"; return 1; }; }
# owner FILE: prints user, group and mode of a file.
owner() { stat -c '%U:%G %a' "$1"; }
is_active() { equals "$(property ActiveState)" active; }

# journal_contains PATTERN [OPTION...]: waits up to 30 s for a line in the service's journal. The
# options are passed to journalctl. A pipe instead of the process substitution would also wait for
# journalctl, which notices the end of grep only when it writes the next line.
journal_contains() {
  local pattern=$1
  shift
  grep -m1 -E -- "$pattern" < <(timeout 30 journalctl -u "$service" -f -n all -o cat "$@") >/dev/null ||
    { echo "no line of the journal matches: $pattern"; return 1; }
}

# Prints the option of journalctl that limits the output to new entries.
from_now() {
  printf -- '--after-cursor='
  journalctl -u "$service" -n 1 -o cat --show-cursor | sed -n 's/^-- cursor: //p'
}
