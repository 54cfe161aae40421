// A limit of the device, by name.
#include <tilec/kernel.h>
launch_grid(no_atomic, 1);
kernel void no_atomic(half *Out)
{
    atomic_add(Out + arange(0, 32), cast(half, 1));
}
---
no_atomic.tile.c:6:5: error: the target 'msl' has no atomic operations on half
    atomic_add(Out + arange(0, 32), cast(half, 1));
    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
hint: use int, unsigned int or float in device memory
[status 1]
