#!/bin/sh
# The golden tests of a build without the CPU backend, in every build: what needs the backend is skipped
# and named, the rest passes on the interpreter alone.
set -eu
[ -x "$TILEC_BUILD_DIR/tilec" ] || { echo "skipped: there is no tilec"; exit 77; }
out=$(mktemp)
trap 'rm -f "$out"' EXIT
status=0
"$TILEC_BUILD_DIR/golden" --no-cpu --tilec "$TILEC_BUILD_DIR/tilec" tests/run >"$out" 2>&1 || status=$?
[ $status = 0 ] || cat "$out"
for file in $(grep -l '^// devices: cpu$' tests/run/*); do
    grep -q "^skipped: $file needs the CPU backend$" "$out" || { echo "$file ran"; status=1; }
done
tail -n 1 "$out"
exit $status
