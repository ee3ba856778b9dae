#!/usr/bin/env bash
# fuzz.sh BUILD SECONDS: runs every fuzz target in BUILD for SECONDS, on the committed seeds and on what earlier runs found in BUILD/corpus.
# What breaks a target is left in BUILD/failures; add it to tests/fuzz/corpus once it is mended.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1 seconds=$2

shopt -s nullglob
sources=(tests/fuzz/*_fuzz.cc)
((${#sources[@]})) || { echo "fuzz.sh: no fuzz targets" >&2; exit 1; }

failed=0
for source in "${sources[@]}"; do
  name=$(basename "$source" .cc)
  mkdir -p "$build/corpus/$name" "$build/failures"
  seeds=()
  [[ -d tests/fuzz/corpus/$name ]] && seeds=("tests/fuzz/corpus/$name")
  echo "== $name, $seconds s"
  "$build/$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 -artifact_prefix="$build/failures/$name-" \
    "$build/corpus/$name" "${seeds[@]}" 2>"$build/$name.log" || { failed=1; tail -n 40 "$build/$name.log"; }
  grep -E '^(stat::number_of_executed_units|stat::new_units_added|stat::peak_rss_mb)' "$build/$name.log" || true
done
exit $failed
