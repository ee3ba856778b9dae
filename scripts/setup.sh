#!/usr/bin/env bash
# setup.sh [GROUP…]: installs the Debian packages that opledger needs and this machine lacks. Groups: build (the default), mpi, fuzz, format, lint, bench, package,
# pages (Python with pandas, and sqlite3: some pages in docs/ show how to use them, and a test runs what they show), docs (the site of the pages), browser (for tests, which take Node.js and npm as
# they are), traces (protoc, by which a test reads exported traces), shell (what tests read manual pages, documents and completion with), instructions (valgrind, by
# which a test counts them), python (the Python module, and what its tests need).
# Says nothing and needs no network or privileges when nothing is missing. `a|b`: either serves; the first is installed.
set -euo pipefail

declare -A packages=(
  [build]="make g++ cmake ninja-build ccache mold libboost-dev|libboost1.74-dev libyaml-cpp-dev libfmt-dev doctest-dev nlohmann-json3-dev libcli11-dev
           libtbb-dev libsqlite3-dev zlib1g-dev libeigen3-dev libprotozero-dev libtomlplusplus-dev libutf8proc-dev libmimalloc-dev"
  [mpi]="libopenmpi-dev openmpi-bin"
  [fuzz]="clang libclang-rt-dev|libclang-rt-14-dev"
  [format]="clang-format"
  [lint]="clang-tidy"
  [bench]="libbenchmark-dev"
  [package]="dpkg-dev file lintian"
  [pages]="python3-pandas sqlite3"
  [docs]="mkdocs-material"
  [browser]="chromium"
  [traces]="protobuf-compiler"
  [shell]="mandoc yamllint zsh fish"
  [instructions]="valgrind"
  [python]="pybind11-dev python3-dev python3-pandas python3-numpy python3-pytest python3-build python3-setuptools python3-wheel python3-venv python3-nbconvert
            python3-ipykernel mypy patchelf"
)

if ! command -v dpkg-query >/dev/null; then
  echo "setup.sh: no dpkg here; install what docs/install.md lists with this system's own package manager" >&2
  exit 0
fi

installed() {
  [[ "$(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null)" == installed* ]]
}

missing=()
for group in "${@:-build}"; do
  [[ -v packages[$group] ]] || { echo "setup.sh: unknown group '$group' (known: ${!packages[*]})" >&2; exit 2; }
  for choice in ${packages[$group]}; do
    for package in ${choice//|/ }; do
      if installed "$package"; then continue 2; fi
    done
    missing+=("${choice%%|*}")
  done
done
if ((${#missing[@]} == 0)); then exit 0; fi

sudo=()
if ((EUID != 0)); then
  command -v sudo >/dev/null || { echo "setup.sh: not root and no sudo; please install: ${missing[*]}" >&2; exit 1; }
  sudo=(sudo)
fi
echo "setup.sh: installing ${missing[*]}" >&2
"${sudo[@]}" apt-get update --quiet=2 >&2
"${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install --quiet=2 --yes --no-install-recommends "${missing[@]}" >&2
