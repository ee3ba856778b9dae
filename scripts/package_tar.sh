#!/usr/bin/env bash
# package_tar.sh BUILD FOLDER: makes FOLDER/opledger-VERSION-linux-MACHINE.tar.gz of the program in BUILD, with the C library, the dynamic loader and all other libraries
# that it needs: the system only supplies the kernel. The tar file has the licences of the Debian packages in it and says where their sources are. One program gives the
# same bytes each time: files are sorted, and have the time SOURCE_DATE_EPOCH, or that of the last commit. Needs Debian, a BUILD by ninja and a static C library (libc6-dev).
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C
fail() { echo "package_tar.sh: $*" >&2; exit 1; }
(($# == 2)) || fail "expected: package_tar.sh BUILD FOLDER"
build=$1 folder=$2
time=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct || true)}
[[ -n $time ]] || fail "there is no commit: set SOURCE_DATE_EPOCH to the time of the files"

cmake --build "$build" --target opledger_program opledger_launcher opledger_share >/dev/null
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
name=opledger-$version-linux-$(uname -m)
mkdir -p "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022
root=$work/$name
mkdir -p "$root"/{lib,libexec}

for component in program licence; do
  cmake --install "$build" --component "$component" --prefix "$root" --strip >/dev/null
done
mv "$root/bin/opledger" "$root/libexec/opledger"
install -s "$build/opledger_launcher" "$root/bin/opledger"

mapfile -t libraries < <(ldd "$build/opledger" | sed -nE 's/.* => (\/[^ ]+) .*/\1/p')
loader=$(ldd "$build/opledger" | sed -nE 's/^\s*(\/[^ ]+) .*/\1/p')
cp -L "${libraries[@]}" "$root/lib/"
cp -L "$loader" "$root/lib/loader"
scripts/record_packages.sh "$build" opledger "$root" "$loader" "${libraries[@]}"

cat >"$root/README" <<'TEXT'
bin/opledger runs from any folder, and through symbolic links: ln -s "$PWD/bin/opledger" /usr/local/bin/opledger
It needs the folders beside bin, and nothing of the system but its kernel, Linux. share/doc/opledger has its pages and its licence.
LICENSES has the licences of the Debian packages in this folder, and SOURCES the addresses of their sources.
TEXT

tar --create --directory "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$time" --format=gnu "$name" | gzip -9n >"$work/tar"
mv "$work/tar" "$folder/$name.tar.gz"
