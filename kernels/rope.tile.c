#include <tilec/kernel.h>

#ifndef T
#define T float /* the storage type: float, half or bfloat; the arithmetic is float */
#endif

launch_grid(rope, tokens, heads);
launch_require(rope, pairs <= BLOCK, "the pairs of a head must fit in one tile of BLOCK elements");
tune(rope, BLOCK, next_pow2(pairs));

/*
 * Rotary position embedding. X and Out are [tokens, heads, 2, pairs], row-major; Position is
 * [tokens]. Elements i of a head's two halves are a point of the plane, which Out has turned by the
 * angle Position[t] * base^(-i / pairs), in radians. Out may be X. One program per token and head.
 */
kernel void rope(const T *X, const int *restrict Position, T *Out, int tokens, int heads, int pairs,
                 float base, constexpr int BLOCK)
{
    int t = program_id(0);
    int i = arange(0, BLOCK);
    int place = (t * heads + program_id(1)) * 2 * pairs + i;
    float angle = Position[t] * exp2(i * (-log2(base) / pairs));
    float x = load(X + place, i < pairs);
    float y = load(X + place + pairs, i < pairs);
    float c = cos(angle);
    float s = sin(angle);
    store(Out + place, x * c - y * s, i < pairs);
    store(Out + place + pairs, y * c + x * s, i < pairs);
}

launch_grid(rope_pairs, tokens, heads);
launch_require(rope_pairs, pairs <= BLOCK, "the pairs of a head must fit in one tile of BLOCK elements");
tune(rope_pairs, BLOCK, next_pow2(pairs));

/*
 * The same where the points of a head lie one after the other: X and Out are [tokens, heads, pairs,
 * 2]. Cos and Sin are [tokens, pairs], of the angles of each token's position.
 */
kernel void rope_pairs(const T *X, const float *restrict Cos, const float *restrict Sin, T *Out,
                       int tokens, int heads, int pairs, constexpr int BLOCK)
{
    int t = program_id(0);
    int i = arange(0, BLOCK), k = arange(0, 2 * BLOCK);
    int first = (t * heads + program_id(1)) * 2 * pairs;
    auto point = reshape(load(X + first + k, k < 2 * pairs), BLOCK, 2);
    float x = split(point, 0), y = split(point, 1);
    float c = load(Cos + t * pairs + i, i < pairs);
    float s = load(Sin + t * pairs + i, i < pairs);
    store(Out + first + k, reshape(join(x * c - y * s, y * c + x * s), 2 * BLOCK), k < 2 * pairs);
}
