#!/bin/sh
# The recorded experiments that the CPU does not time, through 'lab run' on msl-host: a part of them, as
# all takes a minute and more. Every arm is right, no time is taken, the records say so.
set -u
tilec=$TILEC_BUILD_DIR/tilec
"$tilec" devices | grep '^msl-host' | grep -q 'not available\|no clang' &&
    { echo "skipped: no compiler for msl-host"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
expect() { # COUNT WORDS FILE
    count=$(grep -c "$2" "$3")
    [ "$count" = "$1" ] || { echo "$3: '$2' $count times, not $1"; status=1; }
}
"$tilec" lab run lab/gemm-staged.json --target msl-host --case float16_64x64x64 \
    --case float32_64x64x64 --jobs 2 -o "$work/gemm.json" || status=1
expect 2 '"passed": true' "$work/gemm.json"
expect 2 '"status": "checked"' "$work/gemm.json"
expect 1 '"timing_refused"' "$work/gemm.json"
expect 0 '"timing":' "$work/gemm.json"
expect 1 '"cases_left_out": 6' "$work/gemm.json"

"$tilec" lab export lab/rmsnorm-tiling.json --target msl-host -o "$work/frozen.json" &&
    "$tilec" lab run lab/rmsnorm-tiling.json --target msl-host --baseline "$work/frozen.json" \
        --case float32_1x1009 --case float16_1x1024 --jobs 2 -o "$work/tiling.json" || status=1
expect 20 '"passed": true' "$work/tiling.json"
expect 9 'nothing was timed' "$work/tiling.json"
"$tilec" lab show "$work/tiling.json" | grep -q 'float32_1x1009 *all 10 arms are right' ||
    { echo "not shown"; status=1; }

# A whole one, which verifies.
"$tilec" lab run tests/lab/small.json --target msl-host -o "$work/small.json" &&
    "$tilec" lab verify "$work/small.json" >/dev/null || status=1
expect 4 '"passed": true' "$work/small.json"
exit $status
