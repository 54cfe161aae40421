#include <tilec/kernel.h>

#ifndef T
#define T float /* the element type: any */
#endif

launch_grid(transpose, cdiv(M, BLOCK_M), cdiv(N, BLOCK_N));
tune(transpose, BLOCK_M, 32, 16, 64, 128);
tune(transpose, BLOCK_N, 32, 16, 64, 128);

/* Out[j, i] = X[i, j]. X is [M, N] and Out is [N, M], both row-major; they do not overlap. */
kernel void transpose(const T *restrict X, T *restrict Out, int M, int N, constexpr int BLOCK_M,
                      constexpr int BLOCK_N)
{
    auto x = view(X, M, N);
    auto out = view(Out, N, M);
    int m = program_id(0) * BLOCK_M;
    int n = program_id(1) * BLOCK_N;
    tile_store(out, n, m, trans(tile_load(x, m, n, BLOCK_M, BLOCK_N)));
}
