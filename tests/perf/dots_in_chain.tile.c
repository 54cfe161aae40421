#include <tilec/kernel.h>
launch_grid(f, cdiv(n, 64));
/* One dot's result is the other's operand, and the tiles are large: nothing to say. */
kernel void f(const float *restrict Q, const float *restrict K, const float *restrict V,
              float *restrict Out, int n, int keys)
{
    int first = program_id(0) * 64;
    auto q = tile_load(view(Q, n, 64), first, 0, 64, 64);
    float acc = zeros(float, 64, 64);
    for (int j = 0; j < keys; j += 32) {
        float s = dot(q, trans(tile_load(view(K, keys, 64), j, 0, 32, 64)));
        acc = dot(s * s, tile_load(view(V, keys, 64), j, 0, 32, 64), acc);
    }
    tile_store(view(Out, n, 64), first, 0, acc);
}
---
