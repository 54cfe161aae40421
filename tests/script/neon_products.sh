#!/bin/sh
# Matrix products for AArch64.
set -eu
. tests/script/neon.inc
target="--target=aarch64-linux-gnu -isystem $root/include"

run() { # FILE KERNEL TYPE LETTER ARGUMENTS
    "$tilec" emit "kernels/$1.tile.c:$2" $5 -D BLOCK_M=32 -D BLOCK_N=32 -D BLOCK_K=16 \
        --cpu aarch64 --stage asm -o "$work/k.s"
    clang-19 --target=aarch64-linux-gnu -c "$work/k.s" -o "$work/k.o"
    clang-19 $target -O1 -Wall -Wextra -DSYMBOL="\"$2.0\"" -DTYPE="'$4'" -c tests/neon/products.c \
        -o "$work/main.o"
    link "$work/run" "$work/main.o" "$work/k.o"
    qemu-aarch64 -L "$root" "$work/run" || { echo "$2 of $3 is wrong"; exit 1; }
}
run gemm gemm float f "-D T=float"
run gemm gemm half h "-D T=half"
run gemm gemm bfloat b "-D T=bfloat"
run gemm_int8 gemm_int8 int8_t i ""
