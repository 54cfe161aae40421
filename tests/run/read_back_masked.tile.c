// What a program stored and reads again under a mask, by vectors on GPUs: threads wait first for the element of
// another, and the branch that loads it does not move ahead of that. 136 of the numbers 0 1 .. 7 0 1 .. are left.
// run: T=@t.npy Buffer=new:i32[256] Out=new:i32[1] n=200 --out Out=out.npy
// devices: interp cpu msl-host
// array t.npy i32[256]: 0 1 2 3 4 5 6 7
#include <tilec/kernel.h>
launch_grid(k, 1);
kernel void k(const int *restrict T, int *restrict Buffer, int *restrict Out, int n)
{
    int i = arange(0, 256);
    store(Buffer + i, load(T + i), i < n);
    int moved = load(Buffer + i + 64, i + 64 < n, 0);
    store(Out, sum(moved));
}
---
run 1
Out i32[1]
476
