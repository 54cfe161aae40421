#include <tilec/kernel.h>

#ifndef T
#define T float /* the element type; sums are float */
#endif

/*
 * Out[0] = the sum of X[0..n), in two launches: sum_parts gives a sum for each of `programs` programs,
 * sum_total adds those up. The order is fixed by the constants and `programs`, so that a sum repeats
 * bit for bit. Program p adds up the blocks p, p + programs, p + 2 programs, ...
 */
launch_grid(sum_parts, programs);
tune(sum_parts, BLOCK, 4096, 1024);

kernel void sum_parts(const T *restrict X, float *restrict Parts, int n, int programs,
                      constexpr int BLOCK)
{
    float s = 0.0f;
    for (int i = program_id(0) * BLOCK; i < n; i += programs * BLOCK) {
        int at = i + arange(0, BLOCK);
        s += cast(float, load(X + at, at < n));
    }
    store(Parts + program_id(0), sum(s));
}

launch_grid(sum_total, 1);
launch_require(sum_total, programs <= BLOCK, "all parts must fit in one tile of BLOCK elements");
tune(sum_total, BLOCK, 256, 2048, 16384);

kernel void sum_total(const float *restrict Parts, float *restrict Out, int programs,
                      constexpr int BLOCK)
{
    int i = arange(0, BLOCK);
    store(Out, sum(load(Parts + i, i < programs)));
}
