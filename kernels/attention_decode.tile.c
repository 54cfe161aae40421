#include <tilec/kernel.h>

#ifndef T
#define T half /* the storage type of Q, K, V and Out: float, half or bfloat; the arithmetic is float */
#endif

launch_grid(attention_decode, heads, batch);
launch_require(attention_decode, kv_heads >= 1 && heads % kv_heads == 0,
               "each head of K and V must serve as many heads of Q");
tune(attention_decode, D, 128); /* the size of a head; not for choosing */
tune(attention_decode, BLOCK, 64, 32);

/*
 * One step of generation: the softmax of scale Q K^T over the keys that are there so far, times V,
 * for one query per head. Q and Out are [batch, heads, D], K and V [batch, kv_heads, room, D],
 * row-major; of the `room` keys of b the first Length[b] count (all, if that is more; if it is less
 * than 1, Out is 0). heads / kv_heads heads of Q that follow each other share a head of K and V.
 *
 * One program per head. It goes over the keys once, in blocks: top is the largest product so far,
 * and what was summed up to then is scaled down when top rises.
 */
kernel void attention_decode(const T *restrict Q, const T *restrict K, const T *restrict V,
                             const int *restrict Length, T *restrict Out, int batch, int heads,
                             int kv_heads, int room, float scale, constexpr int D,
                             constexpr int BLOCK)
{
    int h = program_id(0), b = program_id(1);
    int d = expand_dims(arange(0, D), 0);                              /* [1, D] */
    int first = (b * kv_heads + h / (heads / kv_heads)) * room;        /* of its keys */
    float q = (float)load(Q + (b * heads + h) * D + d) * scale;
    int keys = minimum(Length[b], room);
    float top = -INFINITY;
    float total = 0;
    float acc = zeros(float, D);
    for (int j = 0; j < keys; j += BLOCK) {
        int key = j + expand_dims(arange(0, BLOCK), 1);                /* [BLOCK, 1] */
        int at = (first + key) * D + d;                                /* [BLOCK, D] */
        float product = sum((float)load(K + at, key < keys) * q, axis(1), keep);
        product = where(key < keys, product, -INFINITY);
        float higher = maximum(top, max(product));
        float weight = exp(product - higher);
        float shrink = exp(top - higher);
        total = total * shrink + sum(weight);
        acc = acc * shrink + sum(weight * (float)load(V + at, key < keys), axis(0));
        top = higher;
    }
    store(Out + (b * heads + h) * D + arange(0, D), acc / (total > 0 ? total : 1.0f));
}
