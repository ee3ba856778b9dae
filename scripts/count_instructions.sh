#!/usr/bin/env bash
# count_instructions.sh [PROGRAM]: instructions that whole searches execute, by callgrind, for each candidate. Unlike seconds these do not depend on what else
# the machine is doing. Needs valgrind; PROGRAM is build/opledger if none is given.
set -euo pipefail
program=${1:-build/opledger}
command -v valgrind >/dev/null || { echo "count_instructions.sh: needs valgrind" >&2; exit 1; }

count() {
  local name=$1 candidates instructions answer log
  shift
  log=$(mktemp)
  answer=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null --log-file="$log" "$program" search "$@" --jobs 1 --format json 2>/dev/null)
  instructions=$(sed -n 's/.*refs: *//p' "$log" | tr -d ,)
  rm -f "$log"
  candidates=$(grep -m1 -o '"candidates": [0-9]*' <<<"$answer" | grep -o '[0-9]*$')
  printf '%-14s %12d candidates %16d instructions %10d for each\n' "$name" "$candidates" "$instructions" $((instructions / candidates))
}

count calculon calculon calculon/gpt3-175B calculon/a100_80g --set num_procs=4096 --set max_batch_size=3072 --set datatype=float16
count standard standard llama-3-70b h100-80g-sxm --set processors=1024 --set batch_size=1024
count standard_wide standard llama-3-70b h100-80g-sxm --set processors=1024 --set batch_size=2048 --set widest_cp=16 --set offloads=true \
  --set orders=true
