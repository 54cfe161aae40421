#include <tilec/kernel.h>

#ifndef T
#define T float /* the element type: any */
#endif

launch_grid(copy, cdiv(n, BLOCK));
tune(copy, BLOCK, 16384, 4096, 65536);

/* Out[i] = X[i] for i < n, bit for bit. X and Out are [n] and do not overlap. */
kernel void copy(const T *restrict X, T *restrict Out, int n, constexpr int BLOCK)
{
    int i = program_id(0) * BLOCK + arange(0, BLOCK);
    store(Out + i, load(X + i, i < n), i < n);
}
