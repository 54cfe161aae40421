#include <tilec/kernel.h>

#ifndef T
#define T float /* the storage type: float or half; the arithmetic is float */
#endif
#ifndef LAYOUT
#define LAYOUT layout(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, .per_thread = 4)
#endif

/* Which thread keeps which of the row's elements. */
constexpr layout_t OWNERS = LAYOUT;

/*
 * Out[r, :] = X[r, :] / sqrt(mean of X[r, :] squared + eps) * W, as kernels/rmsnorm.tile.c, for rows
 * of N <= 1024 elements, fixed when compiled: each thread keeps its part of the row in registers.
 * X and Out are [rows, N], row-major; W is [N]; eps has the unit of X squared.
 */
launch_grid(rmsnorm_register, rows);

kernel void rmsnorm_register(const T *restrict X, const T *restrict W, T *restrict Out, int rows,
                             float eps, constexpr int N)
{
    static_require(N <= 1024, "the whole row must fit in one tile of 1024 elements");
    int row = program_id(0);
    int col = arange_in(OWNERS, 0, 1024);
    float x = load(X + row * N + col, col < N);
    float w = load(W + col, col < N);
    float scale = 1.0f / sqrt(sum(x * x) / N + eps);
    store(Out + row * N + col, x * scale * w, col < N);
}
