#!/usr/bin/env bash
# Questions of planners, answered by `plan` and by searches of the same spaces with every bound open: all orders, schedules and offloads, and all
# degrees up to the number of processors.
# plan_questions.sh [PROGRAM [NAME…]]: a line for each question (all, or those named): objective of the plan, of the best candidate, their ratio,
# seconds of processor time of the plan, and whether its next commands run. QUICK=1 leaves out the wide searches, which take up to minutes.
# Exit status 1 if a plan is more than 1 % worse than the best, takes more than 10 s, or has a command that fails.
set -euo pipefail
program=$(realpath "${1:-build/opledger}")
wanted=" ${*:2} "
cd "$(dirname "$0")/../tests/data/plan_questions"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
status=0 slow=0

number() { grep -m1 -o "\"$1\": [0-9.e+-]*" "$2" | sed 's/.*: //'; }
is() { awk "BEGIN {exit !($1)}"; }

# Prints the objective of the best candidate of a search; 0 if none is feasible.
best() {
  "$program" search "$@" --top 1 --format json >"$scratch/search" 2>"$scratch/messages" || grep -q infeasible "$scratch/messages" || cat "$scratch/messages" >&2
  sed -n '/"best": \[/,$p' "$scratch/search" >"$scratch/best"
  number "$objective" "$scratch/best" || echo 0
}

# Runs the commands below `next` of a plan that was written into a folder.
run_commands() {
  sed -n '/"commands"/,/}/p' "$1" | grep -o '"opledger [^"]*"' | tr -d '"' | while read -r command; do
    bash -c "${command/#opledger/"$program"}" >"$scratch/next" 2>&1 || { echo "failed: $command" >&2; cat "$scratch/next" >&2; exit 1; }
  done
}

# question NAME MODEL SYSTEM GPUS ARGUMENT…: ARGUMENT are options of `plan`; `--` separates the settings of the searches that are compared.
question() {
  local name=$1 model=$2 system=$3 gpus=$4 options=() widest=0 value ratio=- seconds commands=yes
  shift 4
  [[ "$wanted" == "  " || "$wanted" == *" $name "* ]] || return 0
  while [[ "$1" != -- ]]; do options+=("$1"); shift; done
  shift
  local TIMEFORMAT='%3U %3S'
  local run=(plan "$model" --gpus "$gpus" --system "$system" "${options[@]}" --format json)
  { time "$program" "${run[@]}" >"$scratch/answer" 2>"$scratch/messages"; } 2>"$scratch/time" || { cat "$scratch/messages" >&2; exit 1; }
  seconds=$(awk '{print $1 + $2}' "$scratch/time")
  sed -n '/"chosen"/,$p' "$scratch/answer" >"$scratch/chosen"
  value=$(number "$objective" "$scratch/chosen")
  "$program" "${run[@]}" -o "$scratch/plan" >"$scratch/answer" 2>"$scratch/messages" || { cat "$scratch/messages" >&2; exit 1; }
  run_commands "$scratch/answer" || commands=no
  if [[ ${QUICK:-0} != 1 ]]; then
    for space in "${spaces[@]}"; do
      local found
      # shellcheck disable=SC2086,SC2046
      found=$(best $space "$model" "$system" --objective "$objective" --set "processors=$gpus" "$@" $(for input in $widest_inputs; do echo "--set $input=$gpus"; done))
      if is "$found > $widest"; then widest=$found; fi
    done
    ratio=$(awk "BEGIN {printf \"%.4f\", $value / $widest}")
    if is "$ratio < 0.99"; then status=1; fi
  fi
  if is "$seconds > 3"; then slow=$((slow + 1)); fi
  if is "$seconds > 10" || [[ $commands == no ]]; then status=1; fi
  printf '%-22s %14.1f %14.1f %8s %8.2f %s\n' "$name" "$value" "$widest" "$ratio" "$seconds" "$commands"
}

printf '%-22s %14s %14s %8s %8s %s\n' question plan widest ratio seconds commands
objective=tokens_per_second
spaces=("standard --set orders=true --set schedules=all --set offloads=true --set stack=megatron-core")
widest_inputs="widest_tp deepest_pp widest_cp widest_ep"
question llama_70b llama-3-70b h100-80g-sxm 512 --seq 8192 --batch 4M --tokens 2T -- --set seq=8192 --set batch_size=512
question long_13b ./long_13b.yaml h100-80g-sxm 64 --batch 32 -- --set batch_size=32
question mixtral mixtral-8x7b h100-80g-sxm 64 --batch 512 -- --set batch_size=512
question deepseek_v3 deepseek-v3 h100-80g-sxm 2048 --batch 15360 -- --set batch_size=15360
question qwen3_8b qwen3-8b b200-180g-sxm 8 --batch 256 -- --set batch_size=256
question gpt_oss_20b gpt-oss-20b mi300x-192g 32 --batch 256 -- --set batch_size=256
question gemma_2_9b gemma-2-9b a100-80g-sxm 16 --batch 128 -- --set batch_size=128
question mamba_2_8b mamba-2.8b a100-80g-sxm 8 --batch 512 -- --set batch_size=512
question jamba jamba-v0.1 h200-141g-sxm 8 --batch 128 -- --set batch_size=128
question t5_base t5-base a100-80g-sxm 8 --batch 2048 -- --set batch_size=2048
question vit_l_16 vit-l-16 l40s-48g 8 --batch 4096 -- --set batch_size=4096
question qwen3_32b qwen3-32b gb200-nvl72 64 --batch 256 -- --set batch_size=256

objective=deployed_tokens_per_second
spaces=(serving disaggregated)
widest_inputs="widest_tp widest_ep"
question gpt_oss_served gpt-oss-120b h100-80g-sxm 4 --serve --prompt 1024 --output 512 --tpot 50ms --weights none --stack ./vllm_experts_4bit.yaml -- \
  --set stack=./vllm_experts_4bit.yaml --set prompt=1024 --set output=512 --set longest_tpot=50ms
question deepseek_v3_served deepseek-v3 h200-141g-sxm 16 --serve --prompt 2048 --output 512 --weights none --stack ./sglang_fp8.yaml -- \
  --set stack=./sglang_fp8.yaml --set prompt=2048 --set output=512
question deepseek_v3_separate deepseek-v3 h200-141g-sxm 16 --serve --prompt 2048 --output 512 --tpot 50ms --weights none --stack ./sglang_fp8.yaml -- \
  --set stack=./sglang_fp8.yaml --set prompt=2048 --set output=512 --set longest_tpot=50ms
question qwen3_32b_served qwen3-32b h200-141g-sxm 8 --serve --prompt 2048 --output 512 --tpot 30ms -- \
  --set stack=vllm --set prompt=2048 --set output=512 --set longest_tpot=30ms
question llama_70b_served llama-3-70b h100-80g-sxm 8 --serve --prompt 4096 --output 256 --price 2.5 -- \
  --set stack=vllm --set prompt=4096 --set output=256 --set "system.price=2.5 USD/hour"
question mixtral_served mixtral-8x7b mi300x-192g 4 --serve --prompt 1024 --output 1024 --tpot 40ms -- \
  --set stack=vllm --set prompt=1024 --set output=1024 --set longest_tpot=40ms
question llama_405b_served llama-3.1-405b b200-180g-sxm 16 --serve --prompt 8192 --output 512 --ttft 5s -- \
  --set stack=vllm --set prompt=8192 --set output=512 --set longest_ttft=5s
question mistral_served mistral-7b l40s-48g 2 --serve --prompt 512 --output 128 -- --set stack=vllm --set prompt=512 --set output=128
printf '%s questions take more than 3 s of processor time\n' "$slow"
if ((slow > 2)); then status=1; fi
exit $status
