#!/usr/bin/env bash
# Draws functions and headers for a reading: draw.sh SEED [FUNCTIONS [HEADERS]], by default 20 and 10.
# Prints each with its path and lines. The same seed draws the same from the same tree. Functions of fewer than fifteen lines are left out:
# most of these hold no algorithm. A reader who has not seen the code says idea, method and cost of each function, and what each declaration of
# a header does; where that fails, the text is mended.
set -euo pipefail
cd "$(dirname "$0")/.."
[[ ${1:-} =~ ^[0-9]+$ ]] || { echo "usage: scripts/draw.sh SEED [FUNCTIONS [HEADERS]]" >&2; exit 2; }
seed=$1 functions=${2:-20} headers=${3:-10}

folders() { sed -n 's/^opledger_folder(\([a-z]*\).*/\1/p' CMakeLists.txt; }
files() { folders | xargs -I{} find {} -name "*.$1" | LC_ALL=C sort; }

# `PATH FIRST LAST` of each function of at least fifteen lines: from its comment to the brace in the column where its first line begins.
long_functions() {
  files cc | xargs awk '
    FNR == 1 { comment = 0; first = 0 }
    first && $0 == indent "}" { if (FNR - opened >= 15) print FILENAME, first, FNR; first = 0; comment = 0; next }
    first { next }
    /^ *\/\// { if (!comment) comment = FNR; next }
    /^( ? ?)[A-Za-z].*\).*\{$/ && !/^ *(if|for|while|switch|else|namespace|class|struct|enum)[ (]/ {
      match($0, /^ */); indent = substr($0, 1, RLENGTH); opened = FNR; first = comment ? comment : FNR; next }
    { comment = 0 }'
}

# draw COUNT: as many of the lines as COUNT, by a Lehmer generator, since those of awk differ between implementations.
draw() {
  awk -v seed="$seed" -v count="$1" '
    { line[NR] = $0 }
    END {
      x = seed % 2147483646 + 1
      for (i = 0; i < 8; ++i) x = x * 16807 % 2147483647
      for (i = 1; i <= count && i <= NR; ++i) {
        x = x * 16807 % 2147483647
        j = i + x % (NR - i + 1)
        t = line[i]; line[i] = line[j]; line[j] = t
        print line[i]
      }
    }'
}

echo "seed $seed"
long_functions | draw "$functions" | while read -r path first last; do
  printf '\n=== %s:%s-%s\n' "$path" "$first" "$last"
  sed -n "${first},${last}p" "$path"
done
files h | draw "$headers" | while read -r path; do
  printf '\n=== %s\n' "$path"
  cat "$path"
done
