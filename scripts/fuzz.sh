#!/usr/bin/env bash
# fuzz.sh BUILD SECONDS [AT_ONCE [TARGET…]]: runs the fuzz targets in BUILD (those named, else all) for SECONDS each, AT_ONCE of them at a time (1), on the
# committed seeds and on what earlier runs found in BUILD/corpus. The log of each is BUILD/TARGET.log; what breaks one is left in BUILD/failures: shrink it, add
# it to tests/fuzz/corpus once it is mended. Ends with a table of what was run; exit status 1: something broke.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1 seconds=$2 at_once=${3:-1}
shift $(($# < 3 ? $# : 3))

names=("$@")
shopt -s nullglob
if ((${#names[@]} == 0)); then
  for source in tests/fuzz/*_fuzz.cc; do names+=("$(basename "$source" .cc)"); done
fi
((${#names[@]})) || { echo "fuzz.sh: no fuzz targets" >&2; exit 1; }

# One target. Its exit status goes to a file, since several run at once.
fuzz() {
  local name=$1 seeds=() status=0
  mkdir -p "$build/corpus/$name" "$build/failures"
  [[ -d tests/fuzz/corpus/$name ]] && seeds=("tests/fuzz/corpus/$name")
  # The address sanitizer keeps freed memory back, and for each allocation the calls that led there: less of both is faster and finds the same.
  ASAN_OPTIONS=quarantine_size_mb=64:malloc_context_size=4:${ASAN_OPTIONS:-} "$build/$name" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -max_len=32768 \
    -print_final_stats=1 -artifact_prefix="$build/failures/$name-" "$build/corpus/$name" "${seeds[@]}" >"$build/$name.log" 2>&1 || status=$?
  echo "$status" >"$build/$name.status"
}

# What libFuzzer or the target says of a run: `of LOG PATTERN`, the last one's first group.
of() { sed -nE "s/$2/\1/p" "$1" | tail -n 1; }

row() {
  local name=$1 log=$build/$1.log covered ends
  covered=$(of "$log" '.* cov: ([0-9]+) .*')
  ends=$(sed -nE 's/^ended with ([^:]*): ([0-9]+)$/\2 \1/p' "$log" | paste -sd, | sed 's/,/, /g')
  echo "| ${name%_fuzz} | $(of "$log" '^stat::number_of_executed_units: +([0-9]+)') | ${covered:-?} | $(of "$log" '.* corp: ([0-9]+).*') |" \
    "$(of "$log" '^stat::peak_rss_mb: +([0-9]+)') | $(($(cat "$build/$name.status") != 0)) | $ends |"
}

for name in "${names[@]}"; do
  while (($(jobs -rp | wc -l) >= at_once)); do wait -n; done
  echo "$name, $seconds s"
  fuzz "$name" &
done
wait

failed=0
for name in "${names[@]}"; do
  [[ $(cat "$build/$name.status") == 0 ]] && continue
  failed=1
  echo "== $name broke: $build/$name.log"
  tail -n 40 "$build/$name.log"
done
echo
echo "| target, $seconds s each | inputs | edges covered | kept | peak MiB | findings | ended with |"
echo "| --- | ---: | ---: | ---: | ---: | ---: | --- |"
for name in "${names[@]}"; do row "$name"; done
exit $failed
