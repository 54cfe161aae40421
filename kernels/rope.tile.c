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
