# SPDX-License-Identifier: Apache-2.0
# What the checks in the box say, and how they ask: read by them, and not run.
# shellcheck shell=bash
set -u
failures=0

# fact WORDS COMMAND...: says whether it holds.
fact() {
  local words=$1 output
  shift
  if output=$("$@" 2>&1); then
    echo "ok      $words"
  else
    echo "FAILED  $words"
    printf '%s\n' "$output" | tail -n 20 | sed 's/^/        /'
    failures=$((failures + 1))
  fi
}

property() { systemctl show fixcast --property="$1" --value; }
is() { [ "$1" = "$2" ] || { echo "is '$1', not '$2'"; return 1; }; }
has() { grep -qF -- "$2" <<<"$1" || { echo "'$2' is not in: $1"; return 1; }; }
lacks() { ! grep -qF -- "$2" <<<"$1" || { echo "'$2' is in: $1"; return 1; }; }
owner() { stat -c '%U:%G %a' "$1"; }
active() { is "$(property ActiveState)" active; }

# journal_says WORDS [OPTION...]: reads the journal from its beginning, unless told from where, until a
# line comes; not in a pipe, whose beginning would be waited for too until it has something to write
# again.
journal_says() {
  local words=$1
  shift
  grep -m1 -E -- "$words" < <(timeout 30 journalctl -u fixcast -f -n all -o cat "$@") >/dev/null ||
    { echo "the journal does not say $words"; return 1; }
}

# Where the journal ends now, as an option of its.
from_now() {
  printf -- '--after-cursor='
  journalctl -u fixcast -n 1 -o cat --show-cursor | sed -n 's/^-- cursor: //p'
}
