#!/bin/sh
# The manual page is what the table of flags gives; `tilec --manual > docs/tilec.1` brings it up to date.
set -u
tilec=${TILEC_BUILD_DIR:-build}/tilec
[ -x "$tilec" ] || { echo "skipped: there is no tilec"; exit 77; }
"$tilec" --manual | diff -u docs/tilec.1 -
