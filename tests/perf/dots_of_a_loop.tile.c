#include <tilec/kernel.h>
launch_grid(f, cdiv(m, 64));
/* The second product's operand is what the first one's loop carried: nothing to say either. */
kernel void f(const float *restrict X, const float *restrict U, const float *restrict W,
              float *restrict Out, int m, int k)
{
    int first = program_id(0) * 64;
    float hidden = zeros(float, 64, 64), acc = zeros(float, 64, 64);
    for (int j = 0; j < k; j += 64)
        hidden = dot(tile_load(view(X, m, k), first, j, 64, 64), tile_load(view(U, k, 64), j, 0, 64, 64),
                     hidden);
    hidden = maximum(hidden, 0.0f);
    for (int j = 0; j < 4; j++)
        acc = dot(hidden, tile_load(view(W, 256, 64), 64 * j, 0, 64, 64), acc);
    tile_store(view(Out, m, 64), first, 0, acc);
}
---
