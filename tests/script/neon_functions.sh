#!/bin/sh
# Functions of float compiled for AArch64 give the bits that they give here: linked with the cross C
# library, run under qemu-user. Debian: clang-19 lld-19 libc6-dev-arm64-cross qemu-user.
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
cat >"$work/f.tile.c" <<'KERNEL'
#include <tilec/kernel.h>
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
# exp of a difference from the maximum goes a shorter way.
for result in 'exp(x)' 'exp(x-max(x))' 'exp2(x)' 'log(x)' 'log2(x)' 'rsqrt(x)' 'sin(x)' 'cos(x)' \
    'tanh(x)' 'erf(x)' 'sigmoid(x)' 'pow(abs(x),1.7f)'; do
    compile native "$(clang-19 -dumpmachine)"
    clang-19 "$work/main.o" "$work/f.o" -o "$work/here" -lm
    compile aarch64 aarch64-linux-gnu -isystem "$root/include"
    ld.lld-19 -dynamic-linker "$root/lib/ld-linux-aarch64.so.1" -o "$work/there" \
        "$root/lib/crt1.o" "$root/lib/crti.o" "$work/main.o" "$work/f.o" -L "$root/lib" -lc -lm \
        "$root/lib/crtn.o"
    here=$("$work/here")
    there=$(qemu-aarch64 -L "$root" "$work/there")
    [ "$here" = "$there" ] || { echo "$result differs: $here here, $there on AArch64"; exit 1; }
done
