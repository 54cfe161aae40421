#!/bin/sh
# The headers of objects for the CPU are C99 and C++11 to the strictest warnings, whatever the kernel's
# parameters are: of every type, fixed or not, with and without a grid, one level of code or several.
set -eu
tilec=$TILEC_BUILD_DIR/tilec
"$tilec" devices | grep -q '^cpu *level' || { echo "skipped: built without the CPU backend"; exit 77; }
[ "$(uname -m)" = x86_64 ] || { echo "skipped: levels of x86-64 are not there"; exit 77; }
. tests/script/strict.inc
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/types.tile.c" <<'KERNEL'
launch_grid(types, cdiv(class, 64), 1 + (n & 3));
launch_require(types, class >= 0, "class counts /* and is no comment */");
kernel void types(float *restrict X, const bfloat *B, int class, long n, int8_t i8, uint8_t u8, uint16_t u16,
                  uint32_t u32, uint64_t u64, half h, double d, bool b, float tilec_parallel)
{
    int i = program_id(0) * 64 + arange(0, 64);
    float x = i8 + u8 + u16 + u32 + u64 + (float)h + (float)d + b + tilec_parallel + n;
    store(X + i, load(B + i, i < class) + x, i < class);
}
kernel void gridless(const int *X, int64_t *Out)
{
    store(Out + program_id(0), X[0]);
}
KERNEL
"$tilec" build "$work/types.tile.c" -o "$work/types.o"
"$tilec" build "$work/types.tile.c" -D i8=-3 -D u64=7 -D h=0.5 -D d=2.5 -D b=1 --symbol fixed -o "$work/fixed.o"
"$tilec" build "$work/types.tile.c:gridless" --cpu x86-64-v3 --cpu x86-64-v4 -o "$work/gridless.o"
strictly "$work/types.h"
strictly "$work/fixed.h"
strictly "$work/gridless.h"
printf '#include "%s"\n' "$work/types.h" "$work/fixed.h" "$work/gridless.h" >"$work/all.h"
strictly "$work/all.h"
