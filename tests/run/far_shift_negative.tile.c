// A shift of 64 bits stays one where GPU code computes with 32 bits, also of what is far on the negative side only:
// the lower half of -(i << 30) is not that number.
// run: Out=new:i32[32] --out Out=out.npy
// devices: interp cpu msl-host
#include <tilec/kernel.h>
launch_grid(k, 1);
kernel void k(int *restrict Out)
{
    int64_t i = arange(0, 32);
    store(Out + i, cast(int, (i * -1073741824 >> 30) < -(i / 2)));
}
---
run 1
Out i32[32]
0 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
