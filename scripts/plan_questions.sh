#!/usr/bin/env bash
# Questions of planners, answered by the shipped spaces as they are and with every bound of parallelism raised to the number of processors.
# plan_questions.sh [PROGRAM [NAME…]]: a line for each question (all, or those named): the default's answer, the best of the widest space, their
# ratio, candidates of both, and the instructions of the default's search if valgrind is installed and COUNT=1 is set (slow: minutes).
# Exit status 1 if a default's answer is more than 1 % worse.
set -euo pipefail
program=$(realpath "${1:-build/opledger}")
wanted=" ${*:2} "
cd "$(dirname "$0")/../tests/data/plan_questions"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
status=0

number() { grep -m1 -o "\"$1\": [0-9.e+]*" "$2" | sed 's/.*: //'; }
best() { sed -n '/"best": \[/,$p' "$1" >"$1.best"; number "$2" "$1.best"; }

# question NAME METRIC PROCESSORS WIDEST ARGUMENT…: WIDEST lists the inputs that the wide search raises to PROCESSORS.
question() {
  local name=$1 metric=$2 processors=$3 widest=$4 raised=() input
  shift 4
  [[ "$wanted" == "  " || "$wanted" == *" $name "* ]] || return 0
  for input in $widest; do raised+=(--set "$input=$processors"); done
  local run=(search "$@" --set "processors=$processors" --top 1 --format json)
  "$program" "${run[@]}" >"$scratch/default" 2>"$scratch/messages" || { cat "$scratch/messages" >&2; exit 1; }
  "$program" "${run[@]}" "${raised[@]}" >"$scratch/wide" 2>"$scratch/messages" || { cat "$scratch/messages" >&2; exit 1; }
  local instructions=-
  if [[ ${COUNT:-0} == 1 ]]; then
    valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null --log-file="$scratch/log" "$program" "${run[@]}" --jobs 1 >/dev/null 2>&1
    instructions=$(sed -n 's/.*refs: *//p' "$scratch/log")
  fi
  local answer widest_answer
  answer=$(best "$scratch/default" "$metric") widest_answer=$(best "$scratch/wide" "$metric")
  printf '%-24s %14.1f %14.1f %8.4f %12d %12d %16s\n' "$name" "$answer" "$widest_answer" \
    "$(awk "BEGIN {print $answer / $widest_answer}")" "$(number candidates "$scratch/default")" "$(number candidates "$scratch/wide")" "$instructions"
  if awk "BEGIN {exit !($answer < 0.99 * $widest_answer)}"; then status=1; fi
}

printf '%-24s %14s %14s %8s %12s %12s %16s\n' question default widest ratio candidates of_widest instructions
training="deepest_pp widest_cp widest_ep"
serving="deepest_pp widest_ep"
question long_13b tokens_per_second 64 "$training" standard ./long_13b.yaml h100-80g-sxm --set batch_size=32 --set stack=megatron-core
question mixtral tokens_per_second 64 "$training" standard mixtral-8x7b h100-80g-sxm --set batch_size=512
question deepseek_v3 tokens_per_second 2048 "widest_cp widest_ep" standard deepseek-v3 h100-80g-sxm --set batch_size=15360
question gpt_oss_served output_tokens_per_second_per_rank 4 "$serving" serving gpt-oss-120b h100-80g-sxm --set stack=./vllm_experts_4bit.yaml \
  --set prompt=1024 --set output=512 --set longest_tpot=50ms
question deepseek_v3_served output_tokens_per_second_per_rank 16 "$serving" serving deepseek-v3 h200-141g-sxm --set stack=./sglang_fp8.yaml \
  --set prompt=2048 --set output=512
question deepseek_v3_separate worker_tokens_per_second_per_rank 16 widest_ep disaggregated deepseek-v3 h200-141g-sxm --set stack=./sglang_fp8.yaml \
  --set prompt=2048 --set output=512 --set longest_tpot=50ms
exit $status
