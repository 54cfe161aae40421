#!/bin/sh
# The MSL of every kernel in kernels/, tests/run/ and tests/lang/ is C++ to clang, with the host's
# metal_stdlib. Each stands in a namespace of its own, so that one compiler run does for all.
set -eu
tilec=${TILEC_BUILD_DIR:-build}/tilec
skip() {
    echo "skipped: $1"
    exit 77
}
[ -x "$tilec" ] || skip "there is no tilec"
command -v clang++-19 >/dev/null || skip "there is no clang++-19"
[ -f src/run/msl/metal_stdlib ] || skip "there is no metal_stdlib for the host"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

count=0
# add SOURCE ARGUMENTS...: appends the MSL of a kernel
add() {
    "$tilec" emit "$@" --stage msl >"$work/one" 2>"$work/errors" || return 1
    count=$((count + 1))
    printf 'namespace k%d { /* %s */\n' "$count" "$(basename "$1")" >>"$work/all"
    grep -v '^#include' "$work/one" >>"$work/all"
    printf '}\n' >>"$work/all"
}

printf '#include <metal_stdlib>\n' >"$work/all"
for file in kernels/*.tile.c; do
    for kernel in $(sed -n 's/^kernel void \([a-z0-9_]*\)(.*/\1/p' "$file"); do
        add "$file:$kernel" || add "$file:$kernel" -D BLOCK=1024 ||
            { echo "$file:$kernel has no MSL:"; cat "$work/errors"; exit 1; }
    done
done
# Some of these need constants, or double, which Metal lacks.
for file in tests/run/*.tile.c tests/lang/*.tile.c; do
    input=$work/$(basename "$file")
    sed '/^---$/,$d' "$file" >"$input"
    for kernel in $(sed -n 's/^kernel void \([a-z0-9_]*\)(.*/\1/p' "$input"); do
        add "$input:$kernel" || true
    done
done
[ "$count" -ge 60 ] || { echo "only $count kernels have MSL"; exit 1; }
clang++-19 -x c++ -std=c++20 -fsyntax-only -Wno-unknown-attributes -Isrc/run/msl "$work/all"
echo "$count kernels"
