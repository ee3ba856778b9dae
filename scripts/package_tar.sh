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
command -v dpkg-query >/dev/null || fail "there is no dpkg-query: only Debian tells the licences of the libraries"
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
mkdir -p "$root"/{lib,libexec,LICENSES}

for component in program licence; do
  cmake --install "$build" --component "$component" --prefix "$root" --strip >/dev/null
done
mv "$root/bin/opledger" "$root/libexec/opledger"
install -s "$build/opledger_launcher" "$root/bin/opledger"

# Prints the headers of the system that were compiled into the program: some of them are whole libraries.
headers() {
  ninja -C "$build" -t inputs opledger | grep '\.o$' | xargs ninja -C "$build" -t deps | grep -oE '/usr/.*' | sort -u
}

# Reads patterns of paths and prints the Debian packages that have these files.
packages() {
  xargs dpkg-query --search | sed 's/: .*//' | sort -u
}

# Copies the licence of a package, and writes where its sources are. PART says what opledger has of the package.
record() {  # PACKAGE PART
  local name=${1%%:*} source
  cp "/usr/share/doc/$name/copyright" "$root/LICENSES/$name"
  source=$(dpkg-query --show --showformat='${source:Package}/${source:Version}' "$1")
  printf '%-20s %-8s https://snapshot.debian.org/package/%s/\n' "$name" "$2" "$source" >>"$root/SOURCES"
}

cat >"$root/SOURCES" <<'TEXT'
Debian packages in this folder: package, part, sources. The part is `library` for files in lib, and `headers` for code that was compiled into
libexec/opledger, or linked into bin/opledger. LICENSES has the licence of each package. An address ends with the name and the version of a source package.
While Debian offers this version, deb.debian.org has it too: `apt-get source NAME=VERSION`.

TEXT
mapfile -t libraries < <(ldd "$build/opledger" | sed -nE 's/.* => (\/[^ ]+) .*/\1/p')
loader=$(ldd "$build/opledger" | sed -nE 's/^\s*(\/[^ ]+) .*/\1/p')
cp -L "${libraries[@]}" "$root/lib/"
cp -L "$loader" "$root/lib/loader"
found=$(realpath "$loader" "${libraries[@]}" | sed 's,^/usr,,; s,^,*,' | packages) || fail "no Debian package has some library: its licence is unknown"
for package in $found; do record "$package" library; done
found=$(headers | packages) || fail "no Debian package has some header: its licence is unknown"
for package in $found; do record "$package" headers; done
mapfile -t common < <(grep -ohE '/usr/share/common-licenses/[A-Za-z0-9.-]*[A-Za-z0-9]' "$root"/LICENSES/* | sort -u)
mkdir "$root/LICENSES/common-licenses"
cp -L "${common[@]}" "$root/LICENSES/common-licenses/"

cat >"$root/README" <<'TEXT'
bin/opledger runs from any folder, and through symbolic links: ln -s "$PWD/bin/opledger" /usr/local/bin/opledger
It needs the folders beside bin, and nothing of the system but its kernel, Linux. share/doc/opledger has its pages and its licence.
LICENSES has the licences of the Debian packages in this folder, and SOURCES the addresses of their sources.
TEXT

tar --create --directory "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$time" --format=gnu "$name" | gzip -9n >"$work/tar"
mv "$work/tar" "$folder/$name.tar.gz"
