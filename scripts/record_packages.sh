#!/usr/bin/env bash
# record_packages.sh BUILD TARGET FOLDER LIBRARY…: writes of which Debian packages something is distributed with TARGET, which ninja makes in BUILD: those of the LIBRARY
# files, and those whose headers were compiled, since some are whole libraries. FOLDER/LICENSES gets their licences, FOLDER/SOURCES the addresses of their sources.
set -euo pipefail
export LC_ALL=C
fail() { echo "record_packages.sh: $*" >&2; exit 1; }
(($# > 3)) || fail "expected: record_packages.sh BUILD TARGET FOLDER LIBRARY…"
build=$1 target=$2 folder=$3
shift 3
command -v dpkg-query >/dev/null || fail "there is no dpkg-query: only Debian tells the licences of the libraries"
rm -rf "$folder/LICENSES"
mkdir -p "$folder/LICENSES"

# Reads patterns of paths and prints the Debian packages that have these files.
packages() {
  xargs dpkg-query --search | sed 's/: .*//' | sort -u
}

headers() {
  ninja -C "$build" -t inputs "$target" | grep '\.o$' | xargs ninja -C "$build" -t deps | grep -oE '/usr/.*' | sort -u
}

# Packages name some libraries below /lib and others below /usr/lib, where both are one folder.
libraries=$(realpath "$@" | sed 's,^/usr,,; s,^,*,' | packages) || fail "some library belongs to no Debian package: its licence is unknown"
headers=$(headers | packages) || fail "some header belongs to no Debian package: its licence is unknown"

record() {  # PART PACKAGE…
  local part=$1 package name source
  shift
  for package in "$@"; do
    name=${package%%:*}
    cp "/usr/share/doc/$name/copyright" "$folder/LICENSES/$name"
    source=$(dpkg-query --show --showformat='${source:Package}/${source:Version}' "$package")
    printf '%-20s %-8s https://snapshot.debian.org/package/%s/\n' "$name" "$part" "$source"
  done
}

# shellcheck disable=SC2086  # names of packages have no spaces
{
  cat <<'TEXT'
Debian packages that this folder has a part of: name, part, sources. The part is `library` for the files of shared libraries, and `headers` for code that was
compiled or linked into a file of opledger. LICENSES has the licence of each package. An address ends with the name and the version of a source package.
While Debian offers this version, deb.debian.org has it too: `apt-get source NAME=VERSION`.

TEXT
  record library $libraries
  record headers $headers
} >"$folder/SOURCES"

mapfile -t common < <(grep -ohE '/usr/share/common-licenses/[A-Za-z0-9.-]*[A-Za-z0-9]' "$folder"/LICENSES/* | sort -u)
mkdir "$folder/LICENSES/common-licenses"
cp -L "${common[@]}" "$folder/LICENSES/common-licenses/"
