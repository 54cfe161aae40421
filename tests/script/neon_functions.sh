#!/bin/sh
# Functions of float, and look-ups in tables, compiled for AArch64 give the bits that they give here.
set -eu
. tests/script/neon.inc

cat >"$work/f.tile.c" <<'KERNEL'
#include <tilec/kernel.h>
/* In registers: as many as one vector, or one to four of bytes, has, and fewer. In memory: the last. */
static const float floats[16] = {-1, 0.5f, 3, INFINITY, 7, -0.0f, 1e-40f, 9, 11, 13, 15, 17, -19, 21, 23, 25};
static const float three[3] = {-1, 0.5f, 3};
static const half halves[32] = {0.5, -1.5, 2, 65504, 7, 8, 9, 10, -11, 12, 13, 14, 15, 16, 17, 18, 19, 20};
static const int8_t bytes[64] = {-128, 127, 5, 6, -7, [17] = 18, 19, [33] = -34, [47] = 48, 49, [63] = -64};
static const uint8_t few[16] = {255, 1, 2, 3, 200, [15] = 77};
static const float large[40] = {1, 2, 3, [15] = 4, 5, [31] = -6, 7, [39] = 8};
launch_grid(f, cdiv(n, BLOCK));
kernel void f(const float *restrict X, float *restrict Out, int n, constexpr int BLOCK)
{
    int i = program_id(0) * BLOCK + arange(0, BLOCK);
    float x = load(X + i, i < n);
    store(Out + i, RESULT, i < n);
}
KERNEL

compile() { # LEVEL TRIPLE [CFLAGS...]
    "$tilec" emit "$work/f.tile.c:f" -D "RESULT=$result" -D BLOCK=1024 --cpu "$1" --stage asm \
        -o "$work/f.s"
    triple=$2
    shift 2
    clang-19 --target="$triple" -c "$work/f.s" -o "$work/f.o"
    clang-19 --target="$triple" "$@" -O1 -Wall -Wextra -DSYMBOL='"f.0"' -c tests/neon/functions.c \
        -o "$work/main.o"
}
# exp of a difference from the maximum goes a shorter way. The last two round once from 63 bits to float, which lie
# just above the middle of two, and nowhere else.
for result in 'exp(x)' 'exp(x-max(x))' 'exp2(x)' 'expm1(x)' 'log(x)' 'log2(x)' 'log1p(x)' 'rsqrt(x)' 'sin(x)' 'cos(x)' \
    'exp10(x)' 'log10(x)' 'sinh(x)' 'cosh(x)' 'tan(x)' 'asin(x)' 'acos(x)' 'atan(x)' 'atan2(x,x*x-1)' 'cbrt(x)' 'hypot(x,3)' 'fmod(x,0.7f)' 'fmod(7e30f,x)' \
    'asinh(x)' 'acosh(x)' 'atanh(x)' 'erfc(x)' 'sinpi(x)' 'cospi(x)' 'tanh(x)' 'erf(x)' 'sigmoid(x)' 'pow(abs(x),1.7f)' \
    'floats[(int)x&15]' 'three[(int)x]' '(float)halves[(int)x&31]' '(float)bytes[(int)x&63]' \
    '(float)few[(int)x&15]+(float)few[(int)x]' 'large[(int)x]' \
    '(float)((uint64_t)x<<40|0x4000000001)' '(float)((int64_t)x<<40|0x4000000001)'; do
    compile native "$(clang-19 -dumpmachine)"
    clang-19 "$work/main.o" "$work/f.o" -o "$work/here" -lm
    compile aarch64 aarch64-linux-gnu -isystem "$root/include"
    link "$work/there" "$work/main.o" "$work/f.o"
    here=$("$work/here")
    there=$(qemu-aarch64 -L "$root" "$work/there")
    [ "$here" = "$there" ] || { echo "$result differs: $here here, $there on AArch64"; exit 1; }
done
