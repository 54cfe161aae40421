// An index that comes from other threads' memory: on GPUs the load of it, and so what it loads of an array that
// is only read, stays behind the barrier. Lane i takes W[T[(i + 37) mod 256]].
// run: T=@t.npy W=@w.npy Out=new:i32[8] --out Out=out.npy
// devices: interp cpu msl-host
// array t.npy i32[256]: 0 1 2 3 4 5 6 7
// array w.npy i32[8]: 10 11 12 13 14 15 16 17
#include <tilec/kernel.h>
launch_grid(k, 1);
kernel void k(const int *restrict T, const int *restrict W, int *restrict Out)
{
    int i = arange(0, 256);
    int t = load(T + i);
    int turned = gather(t, (i + 37) % 256);
    int w = load(W + turned);
    store(Out + i, w, i < 8);
}
---
run 1
Out i32[8]
15 16 17 10 11 12 13 14
