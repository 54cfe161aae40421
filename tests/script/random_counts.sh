#!/bin/sh
# Random tests say how many seeds they ran, as many as they were asked for, and fail where that would
# be none: one took the name of a folder for a number and ran nothing for weeks. See tests/seeds.h.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
if grep -n 'getenv("[A-Z_]*_\(SEEDS\|FIRST\|COUNT\|SEED\)")' tests/*/*.c tests/*/*.h |
    grep -v TILEC_SEEDS; then
    echo "numbers of seeds come from tests/seeds.h"
    status=1
fi
for source in $(grep -l 'seeds_of("' tests/*/*.c); do
    name=$(sed -n 's/.*seeds_of("\([A-Z_]*\)".*/\1/p' "$source" | head -n 1)
    program=$TILEC_BUILD_DIR/$(basename "$source" .c)
    case $source in tests/exec/*) program=$TILEC_BUILD_DIR/exec_$(basename "$source" .c) ;; esac
    if [ ! -x "$program" ]; then
        echo "$program is not built here"
        continue
    fi
    counts=1
    [ "$name" != GPU_TILES ] || counts="1 0 $work 1x -1" # the others read them as it does
    for count in $counts; do
        ran=0
        env "${name}_SEEDS=$count" "${name}_FIRST=7" "$program" >"$work/out" 2>&1 || ran=$?
        if [ $ran = 77 ]; then
            echo "$(basename "$program"): $(grep '^skipped: ' "$work/out")"
            break
        elif [ "$count" = 1 ]; then
            [ $ran = 0 ] && grep -q "^$name: seeds 7 to 7 ran$" "$work/out" && continue
        else
            [ $ran != 0 ] && grep -q "$name: no seeds\|is no number" "$work/out" && continue
        fi
        echo "${name}_SEEDS=$count $program ends with $ran:"
        cat "$work/out"
        status=1
    done
done
exit $status
