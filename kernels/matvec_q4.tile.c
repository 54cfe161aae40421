#include <tilec/kernel.h>

launch_grid(matvec_q4, cdiv(rows, ROWS));
tune(matvec_q4, ROWS, 4, 8);
tune(matvec_q4, GROUPS, 8, 16);

/*
 * Y = W X for weights of 4 bits. W is [rows, groups, 32]; a group has the factor Scale[r, g] and 16
 * bytes of Q, which is [rows, groups, 16]: the low half of byte i is weight i plus 8, the high half
 * weight i + 16 plus 8 (the values of ggml's q4_0, the factors in an array of their own). X is
 * [groups, 32], Y is [rows], all row-major. One program per ROWS rows; the sums are float.
 */
kernel void matvec_q4(const uint8_t *restrict Q, const half *restrict Scale,
                      const float *restrict X, float *restrict Y, int rows, int groups,
                      constexpr int ROWS, constexpr int GROUPS)
{
    int row = program_id(0) * ROWS + arange(0, ROWS);
    int r = expand_dims(row, 1, 2);           /* [ROWS, 1, 1] */
    int i = expand_dims(arange(0, 16), 0, 0); /* [1, 1, 16] */
    float acc = zeros(float, ROWS, GROUPS, 16);
    for (int first = 0; first < groups; first += GROUPS) {
        int g = first + expand_dims(arange(0, GROUPS), 0, 2); /* [1, GROUPS, 1] */
        auto here = r < rows && g < groups;
        int pair = load(Q + (r * groups + g) * 16 + i, here);
        float low = (pair & 15) - 8;
        float high = (pair >> 4) - 8;
        float product =
            low * load(X + g * 32 + i, g < groups) + high * load(X + g * 32 + 16 + i, g < groups);
        acc += load(Scale + r * groups + g, here) * product;
    }
    store(Y + row, sum(reshape(acc, ROWS, GROUPS * 16), axis(1)), row < rows);
}
