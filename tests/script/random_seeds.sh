#!/bin/sh
# A seed of the random kernels is the same kernel whichever compiler built the generator: no draw may
# depend on the order in which a compiler evaluates arguments. gcc and clang take opposite orders.
set -eu
[ -z "$TILEC_SANITIZE" ] || { echo "skipped: the library wants its sanitizers"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
compilers=0
# The run-time library of the compiler that built tilec, if it has OpenMP.
openmp=$(ldd "$TILEC_BUILD_DIR/libtilec.so" | awk '/lib[gi]*omp/ { print $3 }')
for compiler in gcc clang-19; do
    command -v $compiler >/dev/null 2>&1 || continue
    $compiler -std=gnu17 -w -I. -Isrc -Iinclude tests/random/*.c tests/random/c/*.c tests/variants.c \
        "$TILEC_BUILD_DIR/libtilec_core.a" "$TILEC_BUILD_DIR/libtilec_base.a" $openmp -lm -lpthread -ldl \
        $(pkg-config --libs jansson libcrypto) -o "$work/$compiler"
    "$work/$compiler" --show --count 200 --seed 1 >"$work/$compiler.kernels"
    "$work/$compiler" --show --count 200 --seed 1 --targets interp,c:cc >>"$work/$compiler.kernels"
    compilers=$((compilers + 1))
done
[ $compilers = 2 ] || { echo "skipped: gcc or clang-19 is missing"; exit 77; }
cmp "$work/gcc.kernels" "$work/clang-19.kernels"
