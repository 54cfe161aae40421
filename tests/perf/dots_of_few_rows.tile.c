#include <tilec/kernel.h>
launch_grid(f, n);
kernel void f(const float *restrict Q, const float *restrict K, const float *restrict V,
              float *restrict Out, int n, int keys)
{
    int first = program_id(0);
    auto q = tile_load(view(Q, n, 64), first, 0, 1, 64);
    float acc = zeros(float, 1, 64);
    for (int j = 0; j < keys; j += 32) {
        float s = dot(q, trans(tile_load(view(K, keys, 64), j, 0, 32, 64)));
        acc = dot(s * s, tile_load(view(V, keys, 64), j, 0, 32, 64), acc);
    }
    tile_store(view(Out, n, 64), first, 0, acc);
}
---
dots_of_few_rows.tile.c:10:19: perf: the products of 'f' run one program at a time: its tiles are so small that much of the time goes into moving them
        float s = dot(q, trans(tile_load(view(K, keys, 64), j, 0, 32, 64)));
                  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
hint: docs/matrix.md says which kernels run as one matrix product
