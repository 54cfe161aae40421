#include <tilec/kernel.h>

#ifndef T
#define T float /* the storage type: float, half or bfloat; sums and exponentials are float */
#endif

launch_grid(attention, cdiv(n, BLOCK_M), heads);
tune(attention, D, 64); /* the size of a head; not for choosing */
tune(attention, BLOCK_M, 64, 32, 128);
tune(attention, BLOCK_N, 64, 32, 128);

/*
 * Out[h] = softmax(scale Q[h] K[h]^T) V[h], row by row, for h < heads. Q and Out are [heads, n, D],
 * K and V are [heads, keys, D], all row-major; Out does not overlap the others. With causal not 0,
 * row i sees key j where j <= i + keys - n, so the last row sees all; a row that sees no key gives
 * zeros.
 *
 * One program per BLOCK_M rows of a head. It goes over the keys once, in blocks: top is the largest
 * product so far, and what was summed up to then is scaled down when top rises. The weights are
 * powers of 2, the same function, and are rounded to T before they are summed up and meet V. Products
 * are scaled where the top is taken off, in one step: so the scale must not turn their order around,
 * and q has its sign; nor be 0, times which the -infinity of a key that is not seen is no number.
 */
kernel void attention(const T *restrict Q, const T *restrict K, const T *restrict V,
                      T *restrict Out, int heads, int n, int keys, float scale, int causal,
                      constexpr int D, constexpr int BLOCK_M, constexpr int BLOCK_N)
{
    auto k = view(K, heads, keys, D);
    auto v = view(V, heads, keys, D);
    int h = program_id(1);
    int first = program_id(0) * BLOCK_M;
    int row = first + expand_dims(arange(0, BLOCK_M), 1);
    int shift = causal ? keys - n : keys; /* row i sees key j where j <= i + shift */
    int end = minimum(keys, first + BLOCK_M + shift);

    T q = tile_load(view(Q, heads, n, D), h, first, 0, BLOCK_M, D);
    q = scale < 0.0f ? -q : q;
    float log2_scale = maximum(abs(scale) * 1.44269504f, 1.17549435e-38f); /* log2(e); 2^-126 */
    float top = full(float, -INFINITY, BLOCK_M, 1);
    float total = zeros(float, BLOCK_M, 1);
    float acc = zeros(float, BLOCK_M, D);
    for (int j = 0; j < end; j += BLOCK_N) {
        int col = j + expand_dims(arange(0, BLOCK_N), 0);
        float s = dot(q, trans(tile_load(k, h, j, 0, BLOCK_N, D)));
        s = where(col < keys && col <= row + shift, s, -INFINITY);
        float higher = maximum(top, max(s, axis(1), keep));
        float base = where(higher == -INFINITY, 0.0f, higher); /* a row that has seen no key yet */
        T weight = (T)exp2(fma(s, log2_scale, -base * log2_scale));
        float shrink = exp2((top - base) * log2_scale);
        total = total * shrink + sum((float)weight, axis(1), keep);
        acc = dot(weight, tile_load(v, h, j, 0, BLOCK_N, D), acc * shrink);
        top = higher;
    }
    tile_store(view(Out, heads, n, D), h, first, 0, acc / where(total == 0.0f, 1.0f, total));
}
