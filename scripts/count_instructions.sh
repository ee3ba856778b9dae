#!/usr/bin/env bash
# count_instructions.sh [PROGRAM [NAME…]]: instructions that one evaluation and whole searches execute, by cachegrind, and for each candidate: of those named, or of all. Unlike seconds
# these do not depend on what else the machine is doing. Needs valgrind; PROGRAM is build/opledger if none is given.
set -euo pipefail
program=${1:-build/opledger}
wanted=" ${*:2} "
command -v valgrind >/dev/null || { echo "count_instructions.sh: needs valgrind" >&2; exit 1; }

run() {
  valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null --log-file="$log" "$program" "$@" --format json 2>/dev/null
  instructions=$(sed -n 's/.*refs: *//p' "$log" | tr -d ,)
}

is_wanted() { [[ "$wanted" == "  " || "$wanted" == *" $1 "* ]]; }

count() {
  local name=$1 candidates
  is_wanted "$name" || return 0
  shift
  run search "$@" --jobs 1 >"$answer"
  candidates=$(grep -m1 -o '"candidates": [0-9]*' "$answer" | grep -o '[0-9]*$')
  printf '%-14s %12d candidates %16d instructions %10d for each\n' "$name" "$candidates" "$instructions" $((instructions / candidates))
}

log=$(mktemp) answer=$(mktemp)
trap 'rm -f "$log" "$answer"' EXIT
count_command() {
  local name=$1
  is_wanted "$name" || return 0
  shift
  run "$@" >/dev/null
  printf '%-14s %36s %9d instructions\n' "$name" '' "$instructions"
}
count_command eval eval llama-3-70b llama-3-70b-64xh100 h100-80g-sxm
# Few other documents are compared, because each is one more run.
count_command placements find llama-3-70b llama-3-70b-64xh100 h100-80g-sxm --set pp=1 --set chunks=1 --find placements --baselines megatron --memory-budget none
count_command recompute find llama-3-70b llama-3-70b-64xh100 h100-80g-sxm --find recompute --baselines recompute_full
count_command stages find llama-3-70b llama-3-70b-64xh100 h100-80g-sxm --set chunks=1
count calculon calculon calculon/gpt3-175B calculon/a100_80g --set num_procs=4096 --set max_batch_size=3072 --set datatype=float16
count standard standard llama-3-70b h100-80g-sxm --set processors=1024 --set batch_size=1024
count standard_wide standard llama-3-70b h100-80g-sxm --set processors=1024 --set batch_size=2048 --set widest_cp=16 --set offloads=true \
  --set orders=true
count wide_no_orders standard llama-3-70b h100-80g-sxm --set processors=1024 --set batch_size=2048 --set widest_cp=16 --set offloads=true
count serving serving llama-3-70b h200-141g-sxm --set processors=16
count serving_latent serving deepseek-v3 h200-141g-sxm --set processors=32 --set widest_ep=32 --set deepest_pp=1
