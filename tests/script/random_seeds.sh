#!/bin/sh
# A seed of the random kernels is the same kernel whichever compiler built the generator: no draw may
# depend on the order in which a compiler evaluates arguments. gcc and clang take opposite orders.
set -eu
[ -z "$TILEC_SANITIZE" ] || { echo "skipped: the library wants its sanitizers"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
compilers=0
for compiler in gcc clang-19; do
    command -v $compiler >/dev/null 2>&1 || continue
    $compiler -std=gnu17 -w -Isrc -Iinclude tests/random/*.c "$TILEC_BUILD_DIR/libtilec_base.a" \
        -L"$TILEC_BUILD_DIR" -ltilec -Wl,-rpath,"$TILEC_BUILD_DIR" -lm -lpthread \
        $(pkg-config --libs jansson libcrypto) -o "$work/$compiler"
    "$work/$compiler" --show --count 200 --seed 1 >"$work/$compiler.kernels"
    compilers=$((compilers + 1))
done
[ $compilers = 2 ] || { echo "skipped: gcc or clang-19 is missing"; exit 77; }
cmp "$work/gcc.kernels" "$work/clang-19.kernels"
