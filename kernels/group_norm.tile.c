#include <tilec/kernel.h>

#ifndef T
#define T float /* the storage type: float, half or bfloat; the arithmetic is float */
#endif

launch_grid(group_norm, groups, batch);
launch_require(group_norm, per >= 1 && hw >= 1, "a group needs an element");
tune(group_norm, BLOCK, 1024, 256);

/*
 * Out = (X - mean) / sqrt(variance + eps) * W + B, with the mean and the variance of each group of
 * channels of each picture. X and Out are [batch, groups, per, hw], row-major: `per` channels a
 * group, hw points a channel; W and B are [groups, per]. One program per group. It goes over the
 * group as one row, whatever hw is: an element's channel is its place divided by hw.
 */
kernel void group_norm(const T *restrict X, const T *restrict W, const T *restrict B,
                       T *restrict Out, int batch, int groups, int per, int hw, float eps,
                       constexpr int BLOCK)
{
    int g = program_id(0);
    int size = per * hw;
    const T *x = X + (program_id(1) * groups + g) * size;
    T *out = Out + (program_id(1) * groups + g) * size;

    float total = zeros(float, BLOCK);
    for (int k = 0; k < size; k += BLOCK) {
        int i = k + arange(0, BLOCK);
        total += load(x + i, i < size);
    }
    float mean = sum(total) / size;
    float squares = zeros(float, BLOCK);
    for (int k = 0; k < size; k += BLOCK) {
        int i = k + arange(0, BLOCK);
        float d = where(i < size, load(x + i, i < size) - mean, 0.0f);
        squares += d * d;
    }
    float scale = 1.0f / sqrt(sum(squares) / size + eps);
    for (int k = 0; k < size; k += BLOCK) {
        int i = k + arange(0, BLOCK);
        int channel = g * per + i / hw;
        float w = load(W + channel, i < size);
        float b = load(B + channel, i < size);
        store(out + i, (load(x + i, i < size) - mean) * scale * w + b, i < size);
    }
}
