#include <tilec/kernel.h>

launch_grid(matvec_nf4, cdiv(rows, ROWS));
tune(matvec_nf4, ROWS, 4, 8);
tune(matvec_nf4, BLOCKS, 1, 2, 4);

/* The 16 values of NF4: quantiles of a normal distribution, from -1 to 1 with 0 among them. */
static const float nf4[16] = {
    -1.0f,          -0.6961928009f, -0.5250730515f, -0.3949174881f, -0.2844413817f, -0.1847734302f,
    -0.0910500363f, 0.0f,           0.0795802996f,  0.1609302014f,  0.2461123019f,  0.3379152417f,
    0.4407098293f,  0.5626170039f,  0.7229568362f,  1.0f};

/*
 * Y = W X for weights of 4 bits that stand for the values of a table, as bitsandbytes packs NF4. W is
 * [rows, blocks, 64]; a block has the factor Absmax[r, b] and 32 bytes of Q, which is [rows, blocks, 32]:
 * the high half of byte i chooses the value of weight 2 i, the low half that of weight 2 i + 1. X is
 * [blocks, 64], Y is [rows], all row-major. One program per ROWS rows; the sums are float.
 */
kernel void matvec_nf4(const uint8_t *restrict Q, const float *restrict Absmax,
                       const float *restrict X, float *restrict Y, int rows, int blocks,
                       constexpr int ROWS, constexpr int BLOCKS)
{
    int row = program_id(0) * ROWS + arange(0, ROWS);
    int r = expand_dims(row, 1, 2);           /* [ROWS, 1, 1] */
    int i = expand_dims(arange(0, 32), 0, 0); /* [1, 1, 32] */
    float acc = zeros(float, ROWS, BLOCKS, 32);
    for (int first = 0; first < blocks; first += BLOCKS) {
        int b = first + expand_dims(arange(0, BLOCKS), 0, 2); /* [1, BLOCKS, 1] */
        auto here = r < rows && b < blocks;
        int pair = load(Q + (r * blocks + b) * 32 + i, here);
        float even = load(X + b * 64 + 2 * i, b < blocks);
        float odd = load(X + b * 64 + 2 * i + 1, b < blocks);
        float product = nf4[pair >> 4] * even + nf4[pair & 15] * odd;
        acc += load(Absmax + r * blocks + b, here) * product;
    }
    store(Y + row, sum(reshape(acc, ROWS, BLOCKS * 32), axis(1)), row < rows);
}
