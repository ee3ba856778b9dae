#!/usr/bin/env bash
# score_serving.sh PROGRAM TABLES [PART]: how far computed times of serving are from measured ones. TABLES is a folder with decode_batch1.csv (one sequence at a time), static_batches.csv
# (batches that begin and end together) and served.csv (continuous batching under so many clients); PART is one of decode, static, served, or all. Each row becomes a run of
# tests/data/serving/scored; errors are of time: of a token, of a batch, of a token behind the first.
set -euo pipefail
program=$1 tables=$2 part=${3:-all}
runs=$(cd "$(dirname "$0")/../tests/data/serving/scored" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Cells by the names of their columns: cell["gpu"].
read_row='NR == 1 { for (i = 1; i <= NF; ++i) column[i] = $i; next } { for (i = 1; i <= NF; ++i) cell[column[i]] = $i }'

score() {  # NAME METRIC=COLUMN:UNIT BY
  echo "== $1"
  "$program" eval --table "$work/$1.csv" --path "$runs" --measured "$2" --by "$3" --format "${FORMAT:-text}" | sed '/^$/d; /^Errors$/d; /\.csv$/d'
}

decode() {
  awk -F, -v OFS=, "$read_row"'
    BEGIN {
      model["Llama-2-7B"] = "llama-2-7b"; model["Llama-2-70B"] = "llama-2-70b"; model["Llama-3.1-8B"] = "llama-3-8b"; model["Llama-3.1-70B"] = "llama-3-70b"
      model["Llama-3.1-405B"] = "llama-3.1-405b"; model["Mixtral-8x7B"] = "mixtral-8x7b"
      machine["A100-80GB 330W"] = "a100-80g-sxm"; width["int8"] = "1 byte"; width["int4 g32"] = "0.625 byte"
      print "execution,model,system,tp,quantised_width,weights,ms"
    }
    NR > 1 {
      print (cell["weights"] == "bf16" ? "alone" : "alone_quantised"), (cell["model"] in model ? model[cell["model"]] : tolower(cell["model"])),
            (cell["gpu"] in machine ? machine[cell["gpu"]] : cell["gpu"]), cell["n_gpus_tp"], width[cell["weights"]], cell["weights"], 1000 / cell["tokens_per_s"]
    }' "$tables/decode_batch1.csv" > "$work/decode.csv"
  score decode step_time=ms:ms weights,tp
}

static() {
  awk -F, -v OFS=, "$read_row"'
    BEGIN {
      model["GPT-J 6B"] = "gpt-j-6b"; model["LLaMA 7B"] = "llama-2-7b"; model["LLaMA 70B"] = "llama-2-70b"; model["Falcon 180B"] = "falcon-180b"
      machine["H100"] = "h100-80g-sxm"; machine["H200"] = "h200-141g-sxm"; machine["A100"] = "a100-80g-sxm"; machine["L40S"] = "l40s-48g"
      print "execution,model,system,tp,prompt,output,prompts,seconds"
    }
    NR > 1 {
      print (cell["precision"] == "FP8" ? "batch" : "batch_fp16"), (cell["model"] in model ? model[cell["model"]] : tolower(cell["model"])),
            (cell["gpu"] in machine ? machine[cell["gpu"]] : cell["gpu"]), cell["tp"], cell["input_len"], cell["output_len"], cell["batch"],
            cell["batch"] * cell["output_len"] / (cell["throughput"] * (cell["unit"] ~ /\/GPU/ ? cell["tp"] : 1))
    }' "$tables/static_batches.csv" > "$work/static.csv"
  score static batch_time=seconds:s system
}

# Experts in 4 bits are apart. Expert parallelism inside tensor parallelism has a mesh of its own. Releases of vLLM before 0.14, and rows without a release, schedule a pass when
# the one before it has ended.
served() {
  awk -F, -v OFS=, "$read_row"'
    BEGIN { print "execution,model,system,stack,weights,tp,mtp,ep,pp,dp,edp,prompt,output,clients,tpot_ms" }
    NR > 1 {
      dp = cell["attention_dp"] > 1 ? cell["attention_dp"] : 1
      ep = cell["ep"] > 1 ? cell["ep"] : 1
      folded = ep > 1 && dp == 1
      stack = cell["engine"]
      if (stack == "vllm" && (cell["version"] == "" || cell["version"] ~ /^0[.]([0-9]|1[0-3])[.]/)) stack = "vllm-0.11"
      if (stack == "trtllm" && cell["version"] ~ /^1[.]0[.]/) stack = "trtllm-1.0"
      print "served_" cell["weights"] (folded ? "_folded" : ""), cell["model"], cell["system"], stack, cell["weights"] (cell["model"] ~ /gpt-oss/ ? " experts" : ""),
            (folded ? "" : cell["tp"]), (folded ? cell["tp"] / ep : ""), (folded || dp > 1 ? ep : ""), cell["pp"], "", (dp > 1 ? dp / ep : ""),
            cell["prompt"], cell["output"], cell["concurrency"], cell["tpot_ms"]
    }' "$tables/served.csv" > "$work/served.csv"
  score served tpot=tpot_ms:ms stack,model,system,weights
}

case $part in
  all) decode; static; served ;;
  decode | static | served) "$part" ;;
  *) echo "score_serving.sh: unknown part $part: decode, static, served or all" >&2; exit 2 ;;
esac
