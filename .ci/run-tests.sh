#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# All tests, each once. Many hold real programs to real seconds, and two cores busy with other tests
# would make those late: these run one after the other. Those that only compute run beside them, in a
# process of their own, and have the time of the processors that the others leave.
#
# What failed is said again at the end, where it is looked for.
set -uo pipefail
cd "$(dirname "$0")/.."
program=.build/debug/fixcastPackageTests.xctest
# What starts no program, opens no port and looks at no clock but its own: whole targets, and suites of
# others. A test that is not named here runs alone, as every new one does.
targets='FixcastConfigurationTests|DaemonProtocolTests|LocationClientTests|NMEATests|PipelineTests'
targets+='|PositioningTests|SQLiteStoreTests|WeatherClientTests'
targets+='|WeatherFeatureTests'
suites='DaemonTests\.FaultTests|LocationServicesTests\.PropertyTests'
computing="^($targets)\\.|^($suites)/"

logs=$(mktemp -d)
beside=
trap '[ -z "$beside" ] || kill "$beside" 2>/dev/null; rm -rf "$logs"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

"$program" --testing-library swift-testing --list-tests >"$logs/all" || exit 1
# A third of the others' share is enough to stand back where both want to run, and not so little that a
# build elsewhere on the machine would have limits of time run out.
nice -n 5 "$program" --testing-library swift-testing --no-parallel --filter "$computing" \
  >"$logs/computing" 2>&1 &
beside=$!
# Into a pipe it writes in colours, which are none of a log's.
"$program" --testing-library swift-testing --no-parallel --skip "$computing" 2>&1 |
  sed -u 's/\x1b\[[0-9;]*m//g' | tee "$logs/alone"
alone=${PIPESTATUS[0]}
wait "$beside"
computed=$?
beside=
printf '\n== those that only compute\n'
cat "$logs/computing"

# count FILE: how many tests a run says that it had, those among them that it skipped.
count() { grep -oE 'Test run with [0-9]+ tests?' "$1" | grep -oE '[0-9]+' || echo 0; }
printf '\n'
grep -h 'Test run with' "$logs/alone" "$logs/computing"
there=$(wc -l <"$logs/all") ran=$(($(count "$logs/alone") + $(count "$logs/computing")))
echo "tests: $ran of $there, in $SECONDS s"
status=$((alone ? alone : computed))
# Nobody would miss a test that each of the two left to the other.
[ "$status" -ne 0 ] || [ "$ran" = "$there" ] || { echo "each has to run once"; status=1; }
if [ "$status" -ne 0 ]; then
  printf '\n== failed, exit status %d\n' "$status"
  # An issue and the lines that explain it; a known one has another sign.
  awk '/^✘/ { print; next_lines = 3; next } /^[↳ ]/ && next_lines-- > 0 { print; next } { next_lines = 0 }' \
    "$logs/alone" "$logs/computing" | cut -c 1-400 | tail -n 60
fi
exit "$status"
