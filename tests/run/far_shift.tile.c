// A shift of 64 bits by 32 or more stays one where GPU code computes with 32 bits.
// run: Out=new:i32[32] --out Out=out.npy
// devices: interp cpu msl-host
#include <tilec/kernel.h>
launch_grid(k, 1);
kernel void k(int *restrict Out)
{
    int64_t i = arange(0, 32);
    store(Out + i, cast(int, (i * 65536 >> 40) < i / 16));
}
---
run 1
Out i32[32]
0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
