#!/usr/bin/env bash
# golden_numbers.sh BASE: whether a change of the sources leaves every result alone. Compares, in order, all numbers of the golden texts (what cases of tests/cli expect, code in
# README.md and docs/) and of `eval --format json` of every shipped execution: those of this checkout and those of the commit BASE. Says how many are equal, or shows
# the first that differ. This checkout must be built (build/opledger). BASE is built in build/golden, unless BASE_PROGRAM names a program that was built from it.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/.."
base=$(git rev-parse --verify "${1:?usage: golden_numbers.sh BASE}^{commit}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Numbers of a text. Positions in documents (`a.yaml:3:5`) are left out: they change with the wording.
numbers() { sed -E 's/[^ ,|"();]+\.(yaml|json|csv):[0-9]+(:[0-9]+)?//g' | grep -oE '[0-9]+([.,][0-9]+)*([eE][-+]?[0-9]+)?' || true; }

# Folder of a checkout: the name of each golden text that both checkouts have, and its numbers; in pages those between fences.
golden() {
  local file
  (cd "$1" && while read -r file; do
    echo "$file"
    if [[ $file == *.case ]]; then sed -n '/^--- expected/,$p' "$file"; else awk '/^```/ {inside = !inside} inside' "$file"; fi | numbers
  done <"$work/texts")
}

texts() { (cd "$1" && find tests/cli README.md docs -name '*.case' -o -name '*.md' | sort); }

# Program and folder of its checkout: the name of each execution that names its model and machine, and the numbers of its results.
evaluated() {
  local program=$1 execution name model machine system
  (cd "$2" && for execution in executions/*.yaml; do
    name=$(basename "$execution" .yaml) model='' system=''
    for file in models/*.yaml; do
      file=$(basename "$file" .yaml)
      if [[ $name == "$file"-* && ${#file} -gt ${#model} ]]; then model=$file; fi
    done
    [[ -n $model ]] || continue
    machine=${name##*[0-9]x}
    for file in systems/"$machine"-*.yaml; do if [[ -e $file ]]; then system=$(basename "$file" .yaml); fi; done
    [[ -n $system ]] || continue
    echo "$name $model $system"
    "$program" eval "$model" "$name" "$system" --format json 2>/dev/null | numbers
  done)
}

if [[ -z ${BASE_PROGRAM:-} ]]; then
  [[ -d build/golden ]] || git clone --quiet --shared . build/golden
  git -C build/golden fetch --quiet origin "$base"
  git -C build/golden checkout --quiet "$base"
  (cd build/golden && cmake --preset release >/dev/null && cmake --build --preset release --target opledger_program opledger_image >/dev/null)
  BASE_PROGRAM=$PWD/build/golden/build/opledger
  checkout=$PWD/build/golden
else
  git archive "$base" README.md docs tests/cli executions models systems | tar -x -C "$work"
  checkout=$work
fi

comm -12 <(texts "$checkout") <(texts .) >"$work/texts"
(golden "$checkout" && evaluated "$BASE_PROGRAM" "$checkout") >"$work/before"
(golden . && evaluated "$PWD/build/opledger" .) >"$work/after"
if diff "$work/before" "$work/after" >"$work/differences"; then
  echo "equal: $(grep -cE '^[0-9]' "$work/after") numbers of $(grep -cE '[.](case|md)$' "$work/after") texts and $(grep -cE '^[^ ]+ [^ ]+ [^ ]+$' "$work/after") executions"
else
  head -n 40 "$work/differences"
  echo "$(grep -cE '^[<>]' "$work/differences") lines differ"
  exit 1
fi
