#!/usr/bin/env bash
# fresh_debian.sh [TARGET…]: what somebody sees who has nothing but Debian 12: makes one below a temporary folder, clones this repository's last commit into it and
# runs `make TARGET` there (demo, if none is named). Fails if that fails, if `make demo` takes more than SECONDS_ALLOWED (330) of processor time once the packages
# are there, or prints more than 40 lines besides its result. Needs root, debootstrap and git. The mirror is DEBIAN_MIRROR, or the one of this system's apt, whose
# proxy is used too; FRESH_DEBIAN is an existing folder to work in, which is kept.
set -euo pipefail
cd "$(dirname "$0")/.."
fail() { echo "fresh_debian.sh: $*" >&2; exit 1; }
((EUID == 0)) || fail "needs root"
command -v debootstrap >/dev/null || fail "needs debootstrap"
allowed=${SECONDS_ALLOWED:-330}
folder=${FRESH_DEBIAN:-$(mktemp -d)}
root=$folder/bookworm
[[ -n ${FRESH_DEBIAN:-} ]] || trap 'rm -rf --one-file-system "$folder"' EXIT

mirror=${DEBIAN_MIRROR:-$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Codename: bookworm' | head -n 1)}
mirror=${mirror:-$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Release: bookworm' | head -n 1)}
[[ -n $mirror ]] || fail "this system's apt names no mirror of Debian 12: set DEBIAN_MIRROR"
eval "$(apt-config shell http_proxy_of_apt Acquire::http::Proxy)"
[[ -z ${http_proxy_of_apt:-} ]] || export http_proxy=$http_proxy_of_apt

say() { printf '%s: %s\n' "$1" "$2"; }
quietly() {  # WHAT COMMAND…
  local what=$1 begun=$SECONDS
  shift
  "$@" >"$folder/log" 2>&1 </dev/null || { tail -n 25 "$folder/log" >&2; fail "$what failed"; }
  say "$what" "$((SECONDS - begun)) s"
}
inside() { chroot "$root" /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
  ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} "$@"; }

make_debian() {  # RELEASE
  [[ -x $folder/$1/usr/bin/apt-get ]] || quietly "debootstrap $1" debootstrap --variant=minbase "$1" "$folder/$1" "$mirror"
}

# Unpacks a tar file in a folder, links to its program, and prints what the program says with this folder as the root of files.
try_tar() {  # FILE ROOT
  local chroot name question
  chroot=$(command -v chroot) name=$(basename "$1" .tar.gz)
  mkdir -p "$2/opt" "$2/usr/local/bin"
  tar --extract --directory "$2/opt" --file "$1"
  ln -sf "/opt/$name/bin/opledger" "$2/usr/local/bin/opledger"
  for question in --version "eval gpt3-175b gpt3-175b-64xa100 a100-80g-sxm" "plan llama-3-8b --gpus 16 --system h100-80g-sxm --tokens 300B -o /plan"; do
    echo "$ opledger $question"
    # shellcheck disable=SC2086  # words of a command
    env -i "$chroot" "$2" /usr/local/bin/opledger $question
  done
}

if [[ ${1:-} == tar ]]; then
  file=${2:-$(ls -t build/packages/opledger-*-linux-*.tar.gz 2>/dev/null | head -n 1)}
  [[ -f $file ]] || fail "there is no tar file${file:+ $file}: \`make package\` makes it"
  for place in bullseye bookworm trixie nothing; do
    [[ $place == nothing ]] || make_debian "$place"
    [[ ! -e $folder/$place/usr/bin/cc ]] || fail "$place has a compiler"
    begun=$SECONDS
    rm -rf "${folder:?}/$place"/{opt,plan}
    try_tar "$file" "$folder/$place" >"$folder/$place.out" || fail "the program fails on $place"
    [[ $place == bullseye ]] && cat "$folder/$place.out"
    cmp "$folder/bullseye.out" "$folder/$place.out" || fail "the program prints something else on $place"
    say "$place" "$((SECONDS - begun)) s to unpack $(basename "$file") and run it"
  done
  exit
fi

make_debian bookworm
cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
quietly "make and git" inside env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends make git
rm -rf "$root/root/opledger"
quietly "clone" git clone --no-hardlinks "file://$PWD" "$root/root/opledger"
chmod 0700 "$root/root"
inside make --no-print-directory -C /root/opledger setup

for target in "${@:-demo}"; do
  begun=$(date +%s)
  TIMEFORMAT='%U %S'
  status=0
  { time inside make --no-print-directory -C /root/opledger "$target" >"$folder/out" 2>"$folder/err"; } 2>"$folder/times" || status=$?
  cat "$folder/err" "$folder/out"
  lines=$(wc -l <"$folder/err") seconds=$(awk '{printf "%.0f", $1 + $2}' "$folder/times")
  say "make $target" "$(($(date +%s) - begun)) s, $seconds s of processor time, $lines lines besides the result"
  ((status == 0)) || fail "make $target failed"
  [[ $target != demo ]] || ((seconds <= allowed)) || fail "more than $allowed s"
  [[ $target != demo ]] || ((lines <= 40)) || fail "more than 40 lines"
done
