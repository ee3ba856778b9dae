#!/usr/bin/env bash
# step.sh WHAT COMMAND…: runs a command as one step: one line about it on standard error, what it prints in build/logs/WHAT.log. If it fails, that is said, with the
# end of the log. On a terminal the line counts ninja's progress meanwhile.
set -euo pipefail
what=$1 log=build/logs/$1.log
shift
mkdir -p build/logs
SECONDS=0
"$@" >"$log" 2>&1 </dev/null &
job=$!
trap 'kill "$job" 2>/dev/null; wait "$job"; exit 130' INT TERM
while [[ -t 2 ]] && kill -0 "$job" 2>/dev/null; do
  printf '\r%s … %s' "$what" "$(tail -n 1 "$log" | grep -oE '^ *\[?[0-9]+/[0-9]+' | tr -d ' [')" >&2
  sleep 0.5
done
status=0
wait "$job" || status=$?
times >"$log.times"
processor=$(tail -n 1 "$log.times" | tr 'ms' '  ' | awk '{printf "%.0f", $1 * 60 + $2 + $3 * 60 + $4}')
rm -f "$log.times"
[[ ! -t 2 ]] || printf '\r' >&2
if ((status == 0)); then
  echo "$what: ${SECONDS} s, ${processor} s of processor time" >&2
else
  echo "$what failed after ${SECONDS} s; its last lines, of $log:" >&2
  tail -n 25 "$log" | sed 's/^/  /' >&2
fi
exit "$status"
