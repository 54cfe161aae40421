#include <tilec/kernel.h>

#ifndef T
#define T float /* the element type: float, double, half, bfloat or an integer type */
#endif

launch_grid(vector_add, cdiv(n, BLOCK));
tune(vector_add, BLOCK, 4096, 1024, 16384);

/* Out[i] = X[i] + Y[i] for i < n. X, Y and Out are [n]; Out does not overlap the others. */
kernel void vector_add(const T *restrict X, const T *restrict Y, T *restrict Out, int n,
                       constexpr int BLOCK)
{
    int i = program_id(0) * BLOCK + arange(0, BLOCK);
    store(Out + i, load(X + i, i < n) + load(Y + i, i < n), i < n);
}
