// args: --require vector_width=4
// The stride is known at run time only.
#include <tilec/kernel.h>
launch_grid(k, 1);
kernel void k(const float *restrict X, float *restrict Out, int stride)
{
    int i = arange(0, 1024) * stride;
    store(Out + i, load(X + i));
}
---
tests/gpu/width_unproved.tile.c:5:13: error: the requirement 'vector_width = 4' is not met
kernel void k(const float *restrict X, float *restrict Out, int stride)
            ^
hint: no addresses are proved to be contiguous over so many elements of a thread
