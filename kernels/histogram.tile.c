#include <tilec/kernel.h>

launch_grid(histogram, cdiv(n, BLOCK));
tune(histogram, BLOCK, 4096, 1024);

/*
 * Count[b] += how often b occurs in X, for 0 <= b < bins; other values are not counted. X is [n],
 * Count is [bins]. The caller sets Count, to zeros as a rule: programs add to it atomically.
 */
kernel void histogram(const int *restrict X, int *restrict Count, int n, int bins,
                      constexpr int BLOCK)
{
    int i = program_id(0) * BLOCK + arange(0, BLOCK);
    int x = load(X + i, i < n, -1);
    atomic_add(Count + x, 1, x >= 0 && x < bins);
}
