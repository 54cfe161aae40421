#include <tilec/kernel.h>

launch_grid(matvec_q8, cdiv(rows, ROWS));
tune(matvec_q8, ROWS, 4, 1);
tune(matvec_q8, GROUPS, 8, 16);

/*
 * Y = W X for bytes in groups of 32, each with a factor. W is [rows, groups, 32] with the factors
 * Scale[rows, groups], X is [groups, 32] with XScale[groups], Y is [rows], all row-major (the values
 * of ggml's q8_0, the factors in arrays of their own). One program per ROWS rows. The sum of a group
 * is exact, the sums of groups are float.
 */
kernel void matvec_q8(const int8_t *restrict W, const half *restrict Scale,
                      const int8_t *restrict X, const float *restrict XScale, float *restrict Y,
                      int rows, int groups, constexpr int ROWS, constexpr int GROUPS)
{
    int row = program_id(0) * ROWS + arange(0, ROWS);
    int r = expand_dims(row, 1);              /* [ROWS, 1] */
    int i = expand_dims(arange(0, 32), 0, 0); /* [1, 1, 32] */
    float acc = zeros(float, ROWS, GROUPS);
    for (int first = 0; first < groups; first += GROUPS) {
        int g = first + expand_dims(arange(0, GROUPS), 0); /* [1, GROUPS] */
        auto here = r < rows && g < groups;
        int w = load(W + expand_dims(r * groups + g, 2) * 32 + i, expand_dims(here, 2));
        int x = load(X + expand_dims(g, 2) * 32 + i, expand_dims(g < groups, 2));
        float scale = load(Scale + r * groups + g, here) * load(XScale + g, g < groups);
        acc += scale * sum(w * x, axis(2));
    }
    store(Y + row, sum(acc, axis(1)), row < rows);
}
