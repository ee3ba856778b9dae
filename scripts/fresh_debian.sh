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
root=$folder/root
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

[[ -x $root/usr/bin/apt-get ]] || quietly "debootstrap" debootstrap --variant=minbase bookworm "$root" "$mirror"
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
