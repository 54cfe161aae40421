// args: --stage msl
// A layout that no thread has registers for, with another behind it.
#include <tilec/kernel.h>
launch_grid(k, 1);
kernel void k(const float *X, float *Out)
{
    layout_t whole = layout(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, .per_thread = 2048);
    layout_t some = layout(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, .per_thread = 64);
    int i = arange(0, 2048);
    float x = convert_layout(load(X + i), whole);
    store(Out + i, convert_layout(cumsum(x), some));
}
---
gpu_layout_registers.tile.c:10:15: error: a tile of 2048 elements needs 2048 registers of each of 32 threads
    float x = convert_layout(load(X + i), whole);
              ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
hint: the target 'msl' allows 1024; use smaller tiles
