#!/bin/sh
# Matrix products for AArch64: compiled here, linked with the cross C library, run under qemu-user.
# Debian: clang-19 lld-19 libc6-dev-arm64-cross qemu-user.
set -eu
root=/usr/aarch64-linux-gnu
tilec=${TILEC_BUILD_DIR:-build}/tilec
for tool in clang-19 ld.lld-19 qemu-aarch64; do
    command -v "$tool" >/dev/null 2>&1 || { echo "skipped: no $tool"; exit 77; }
done
[ -f "$root/lib/crt1.o" ] || { echo "skipped: no C library for AArch64 in $root"; exit 77; }
"$tilec" emit kernels/copy.tile.c --stage asm -o /dev/null 2>/dev/null ||
    { echo "skipped: no CPU backend"; exit 77; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
target="--target=aarch64-linux-gnu -isystem $root/include"

run() { # FILE KERNEL TYPE LETTER ARGUMENTS
    "$tilec" emit "kernels/$1.tile.c:$2" $5 -D BLOCK_M=32 -D BLOCK_N=32 -D BLOCK_K=16 \
        --cpu aarch64 --stage asm -o "$work/k.s"
    clang-19 --target=aarch64-linux-gnu -c "$work/k.s" -o "$work/k.o"
    clang-19 $target -O1 -Wall -Wextra -DSYMBOL="\"$2.0\"" -DTYPE="'$4'" -c tests/neon/products.c \
        -o "$work/main.o"
    ld.lld-19 -dynamic-linker "$root/lib/ld-linux-aarch64.so.1" -o "$work/run" "$root/lib/crt1.o" \
        "$root/lib/crti.o" "$work/main.o" "$work/k.o" -L "$root/lib" -lc -lm "$root/lib/crtn.o"
    qemu-aarch64 -L "$root" "$work/run" || { echo "$2 of $3 is wrong"; exit 1; }
}
run gemm gemm float f "-D T=float"
run gemm gemm half h "-D T=half"
run gemm gemm bfloat b "-D T=bfloat"
run gemm_int8 gemm_int8 int8_t i ""
