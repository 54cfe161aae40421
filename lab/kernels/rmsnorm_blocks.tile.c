#include <tilec/kernel.h>

#ifndef T
#define T float /* the storage type: float or half; the arithmetic is float */
#endif

/*
 * Out[r, :] = X[r, :] / sqrt(mean of X[r, :] squared + eps) * W, as kernels/rmsnorm.tile.c:rmsnorm,
 * in blocks of BLOCK elements. UNROLL 2: two blocks in each turn of a loop, with a sum each.
 * PREFETCH 1: the next block is loaded before this one is worked on. Not both.
 */
launch_grid(rmsnorm_blocks, rows);

kernel void rmsnorm_blocks(const T *restrict X, const T *restrict W, T *restrict Out, int rows,
                           int N, float eps, constexpr int BLOCK, constexpr int UNROLL,
                           constexpr int PREFETCH)
{
    static_require(UNROLL == 1 || (UNROLL == 2 && !PREFETCH), "UNROLL is 1, or 2 without PREFETCH");
    int row = program_id(0);
    int block = arange(0, BLOCK);
    float s = 0.0f;
    float other = 0.0f;
    float next = load(X + row * N + block, block < N);
    for (int i = 0; i < N; i += UNROLL * BLOCK) {
        int col = i + block;
        float x = next;
        if (PREFETCH)
            next = load(X + row * N + col + BLOCK, col + BLOCK < N);
        else
            x = load(X + row * N + col, col < N);
        s += x * x;
        if (UNROLL == 2) {
            float y = load(X + row * N + col + BLOCK, col + BLOCK < N);
            other += y * y;
        }
    }
    float scale = 1.0f / sqrt((sum(s) + sum(other)) / N + eps);
    next = load(X + row * N + block, block < N);
    for (int i = 0; i < N; i += UNROLL * BLOCK) {
        int col = i + block;
        float x = next;
        if (PREFETCH)
            next = load(X + row * N + col + BLOCK, col + BLOCK < N);
        else
            x = load(X + row * N + col, col < N);
        store(Out + row * N + col, x * scale * load(W + col, col < N), col < N);
        if (UNROLL == 2) {
            int more = col + BLOCK;
            float y = load(X + row * N + more, more < N);
            store(Out + row * N + more, y * scale * load(W + more, more < N), more < N);
        }
    }
}
