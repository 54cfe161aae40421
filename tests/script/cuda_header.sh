#!/bin/sh
# The header that `tilec build --target cuda` writes is C99 and C++11, whatever a kernel's parameters are
# called: words of C++, names of the header's own, a function that it calls. What it computes is right.
set -eu
tilec=$TILEC_BUILD_DIR/tilec
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/named.tile.c" <<'KERNEL'
#include <tilec/kernel.h>
launch_grid(named, cdiv(class, 64), tilec_grid, memcpy + arg_class);
kernel void named(float *X, int class, int tilec_grid, int memcpy, int arg_class, int8_t bits, float this,
                  int64_t tilec_bits, int tilec_cuda_cdiv)
{
    int i = program_id(0) * 64 + arange(0, 64);
    store(X + i, bits * this + tilec_bits + tilec_cuda_cdiv, i < class);
}
KERNEL
"$tilec" build "$work/named.tile.c" --target cuda -D bits=-3 -D this=0.5 -D tilec_bits=7 -D tilec_cuda_cdiv=9 \
    -o "$work/named.cu"

cat >"$work/main.c" <<'MAIN'
#include "named.h"
#include <stdio.h>
int main(void)
{
    int64_t grid[3];
    named_grid(130, 4, 5, 6, -3, 0, 7, 9, grid);
    printf("%d %d %d", (int)grid[0], (int)grid[1], (int)grid[2]);
    printf(" %d %d %d\n", named_accepts(-3, 0.5f, 7, 9), named_accepts(3, 0.5f, 7, 9),
           named_accepts(-3, 0.5f, 7, 8));
    return 0;
}
MAIN
cp "$work/main.c" "$work/main.cc"
. tests/script/strict.inc
cat >"$work/sums.tile.c" <<'KERNEL'
launch_grid(sums, cdiv(a, 64) * b - 2, maximum(a / 3, minimum(b % 5, 7)), where(a > b, a, 1));
launch_require(sums, a >= 0 && a != 7 || b == 4, "a is one");
kernel void sums(float *X, int a, long b)
{
    store(X + arange(0, 64), a + b);
}
KERNEL
"$tilec" build "$work/sums.tile.c" --target cuda -o "$work/sums.cu"
grep -q static_cast "$work/sums.h" || { echo "no cast is looked at"; exit 1; }
strictly "$work/sums.h"
strictly "$work/named.h"

for compiler in "gcc -std=c99" "clang-19 -std=c99" "g++ -std=c++11" "clang++-19 -std=c++20"; do
    command -v "${compiler%% *}" >/dev/null || continue
    case $compiler in *++*) source=$work/main.cc ;; *) source=$work/main.c ;; esac
    $compiler -pedantic -Wall -Wextra -Wshadow -Werror "$source" -o "$work/main"
    said=$("$work/main")
    [ "$said" = "3 4 11 1 0 0" ] || { echo "$compiler: $said"; exit 1; }
done
