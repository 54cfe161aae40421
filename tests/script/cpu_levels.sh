#!/bin/sh
# Kernels compile for every CPU level, also for those that this machine cannot run, in a time that says that
# LLVM ended at all. LLVM 19 did not for sums of two bools in registers of masks of which one is known to be
# false (src/cpu/math_minmax.c).
set -eu
tilec=${TILEC_BUILD_DIR:-build}/tilec
random=${TILEC_BUILD_DIR:-build}/random_kernels
"$tilec" emit kernels/copy.tile.c --stage asm -o /dev/null 2>/dev/null ||
    { echo "skipped: no CPU backend"; exit 77; }
case $(uname -m) in x86_64) levels='x86-64-v3 x86-64-v4 generic' ;; *) levels=generic ;; esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/sum.tile.c" <<'KERNEL'
#include <tilec/kernel.h>
launch_grid(k, 1);
kernel void k(const bool *restrict B, T *restrict Out)
{
    bool b = load(B), c = load(B + 1);
    store(Out, sum(cast(T, join(false, b)), axis(0)));
    store(Out + 1, sum(cast(T, join(c, false)), axis(0)));
    store(Out + 2, sum(cast(T, join(join(false, b), join(c, false)))));
    store(Out + 3, sum(cast(T, load(B + arange(0, 4)) && arange(0, 4) != SKIP)));
    store(Out + 4, sum(cast(T, load(B + arange(0, 5)) && arange(0, 5) == SKIP)));
}
KERNEL

failed=0
compile() { # FILE LEVEL [-D NAME=VALUE...]
    file=$1 level=$2
    shift 2
    timeout 60 "$tilec" emit "$file" "$@" --cpu "$level" --stage asm -o /dev/null || {
        echo "status $? (124: not done after 60 s): $(basename "$file") $* for $level"
        failed=1
    }
}
for level in $levels; do
    for type in bool uint8_t int16_t uint32_t int64_t half float; do
        for skip in 0 1 2 3; do compile "$work/sum.tile.c" "$level" -D "T=$type" -D "SKIP=$skip"; done
    done
done
for seed in 1 2 3 4 5 6 7 8; do
    "$random" --count 1 --seed $seed --show | sed '/^---$/,$d' >"$work/random.tile.c"
    for level in $levels; do compile "$work/random.tile.c" "$level"; done
done
exit $failed
