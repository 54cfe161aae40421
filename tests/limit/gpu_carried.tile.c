// args: --stage cuda --require threads=32
// Five tiles that a loop carries, of 1024 values of each thread.
#include <tilec/kernel.h>
launch_grid(k, 1);
kernel void k(const float *X, float *Out, int n)
{
    int i = arange(0, 32768);
    float a = load(X + i), b = a, c = a, d = a, e = a;
    for (int t = 0; t < n; t++) {
        float f = a;
        a = b + 1.0f; b = c * d; c = d; d = e; e = f;
    }
    store(Out + i, a + b + c + d + e);
}
---
gpu_carried.tile.c:9:5: error: this loop carries more than 4096 values of a thread
    for (int t = 0; t < n; t++) {
    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~
hint: use smaller tiles, or more threads
