// The old values of atomic operations on bits, in words of 32 bits, which every target has.
// devices: interp cpu msl-host
// run: X=@x.npy All=@zero1.npy Own=@zero8.npy Signed=@ones.npy Out=new:u32[8] --out All=a.npy --out Own=w.npy --out Signed=s.npy --out Out=o.npy
// array x.npy i32[8]: 0 1 5 9 31 33 64 95
// array zero1.npy u32[1]: 0
// array zero8.npy u32[8]: 0
// array ones.npy i32[2]: -1 7
#include <tilec/kernel.h>
launch_grid(k, 2);
kernel void k(const int *X, uint32_t *All, uint32_t *Own, int *Signed, uint32_t *Out)
{
    int i = program_id(0) * 4 + arange(0, 4), x = load(X + i);
    atomic_xor(All, x);
    atomic_and(Signed, ~x);
    atomic_or(Signed + 1, -16 - x, i == 2);
    uint32_t none = atomic_or(Own + i, x), set = atomic_xor(Own + i, 255, i != 2),
             flipped = atomic_and(Own + i, 15);
    store(Out + i, none * 1000000 + set * 1000 + flipped);
}
---
run 1
All u32[1]
44
Own u32[8]
15 14 5 6 0 14 15 0
Signed i32[2]
-128 -17
Out u32[8]
255 1254 5 9246 31224 33222 64191 95160
