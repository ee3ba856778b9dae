#!/usr/bin/env bash
# explorer_check.sh FOLDER: builds the page of runs in FOLDER from the sources in explorer/, checks its types, and compares it with the committed page, byte for byte. Needs Node.js and npm.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$1
rm -rf "$folder"
mkdir -p "$folder"
cp -r explorer/src explorer/build.mjs explorer/package.json explorer/package-lock.json explorer/tsconfig.json "$folder"
cd "$folder"
npm ci --no-audit --no-fund --loglevel=error
npm run --silent check
npm run --silent build
cd - >/dev/null
if ! cmp "$folder/explorer.html" explorer/explorer.html; then
  echo "explorer/explorer.html is not what its sources build: \`npm ci && npm run build\` in explorer/ builds it" >&2
  exit 1
fi
echo "explorer/explorer.html is what its sources build"
