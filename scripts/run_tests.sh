#!/usr/bin/env bash
# run_tests.sh PRESET JOBS: runs the tests of a preset. Prints what failed, with what it printed, the sum, and what was skipped, with reason and cure; everything is in build/logs.
set -euo pipefail
preset=$1 jobs=$2 log=build/logs/test-$1.log
tests=build
[[ $preset == release ]] || tests=build/$preset
mkdir -p build/logs
status=0
scripts/step.sh "test-$preset" ctest --preset "$preset" --parallel "$jobs" --no-label-summary 2>"$log.said" || status=$?
((status == 0)) || awk '/^ *[0-9]+\/[0-9]+ Test +#/ {failed = /\*\*\*(Failed|Timeout|Exception|Not Run|Bad Command)/} /^ +Start +[0-9]+:/ {failed = 0} failed' "$log" | head -n 400
sed -n '/^The following tests FAILED/,/^$/p; /tests passed,/p' "$log" | grep -vE '^$|^Errors while'
scripts/skipped_tests.sh "$tests/Testing/Temporary/LastTest.log"
if ((status == 0)); then cat "$log.said"; else echo "all that the tests printed: $log"; fi
rm -f "$log.said"
exit "$status"
