#!/usr/bin/env bash
# calibrate.sh PROGRAM TABLES OUT: fits the constants of every shipped machine to the measured times that are there - tests/data/measured, and below TABLES one table of each
# kind for many machines (gemm_training.csv.gz, …: the column `machine` tells them apart) - and those of every shipped stack to the measured steps of measured/validations/. Writes
# OUT/MACHINE.yaml and OUT/STACK.yaml; prints errors of what is shipped and of what was fitted.
set -euo pipefail
cd "$(dirname "$0")/.."
program=$1 tables=$2 out=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"

# Rows of one machine, with the columns and words that documents of measurements know.
rows() {
  zcat "$tables/$1.csv.gz" | awk -F, -v machine="$2" '
    NR == 1 { sub("latency_us", "us"); print }
    NR > 1 && $1 == machine {
      sub(",flash 3,", ",flash_3,"); sub(",flash 2,", ",flash,"); sub(",framework bench,", ",cudnn,"); sub(",agrad,", ",dgrad,")
      sub(",TN,0,", ",TN,none,"); sub(",NN,0,", ",NN,none,"); print
    }'
}

declare -A table_of=([products]=gemm_training [experts]=grouped_gemm_training [attention]=flash_attention_training [passes]=memory_pass [collectives]=collectives_in_node)
for document in systems/*.yaml; do
  machine=$(basename "$document" .yaml)
  measured=()
  for name in products experts attention passes collectives; do
    own=tests/data/measured/$machine/$name.csv
    file=$work/$machine.$name.csv
    if [ -f "$own" ]; then
      file=$own
    elif [ -f "$tables/${table_of[$name]}.csv.gz" ]; then
      rows "${table_of[$name]}" "$machine" > "$file"
    fi
    if [ -f "$file" ] && [ "$(wc -l < "$file")" -gt 30 ]; then measured+=(--measured "$name=$file"); fi
  done
  [ ${#measured[@]} -gt 0 ] || continue
  echo "== $machine"
  "$program" calibrate "$machine" "${measured[@]}" -o "$out/$machine.yaml" --format text || echo "$machine: nothing written"
done

for document in stacks/*.yaml; do
  stack=$(basename "$document" .yaml)
  measured=()
  for validation in measured/validations/measured_*.yaml; do
    if tr -d '\n' < "$validation" | grep -qE "stack: +$stack[,} ]" && grep -q "unit: s$" "$validation"; then measured+=(--measured "runs=$(basename "$validation" .yaml)"); fi
  done
  [ ${#measured[@]} -gt 0 ] || continue
  echo "== $stack"
  "$program" calibrate "$stack" "${measured[@]}" -o "$out/$stack.yaml" --format text || echo "$stack: nothing fitted"
done
