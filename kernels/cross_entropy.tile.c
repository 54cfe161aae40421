#include <tilec/kernel.h>

#ifndef T
#define T float /* the storage type of the scores: float, half or bfloat; the arithmetic is float */
#endif

launch_grid(cross_entropy, rows);
tune(cross_entropy, BLOCK, 1024, 256, 512);

/*
 * Loss[r] = log(sum over c of exp(X[r, c])) - X[r, Label[r]]: the cross entropy, in nats, of the
 * softmax of a row of scores against its label. X is [rows, N], row-major; Label and Loss are
 * [rows]. A label outside [0, N) marks a row to ignore; its loss is 0. One program per row.
 */
kernel void cross_entropy(const T *restrict X, const int *restrict Label, float *restrict Loss,
                          int rows, int N, constexpr int BLOCK)
{
    int row = program_id(0);
    float m = -INFINITY;
    for (int i = 0; i < N; i += BLOCK) {
        int col = i + arange(0, BLOCK);
        m = maximum(m, load(X + row * N + col, col < N, -INFINITY));
    }
    float top = max(m);
    float s = 0.0f;
    for (int i = 0; i < N; i += BLOCK) {
        int col = i + arange(0, BLOCK);
        float x = load(X + row * N + col, col < N, -INFINITY);
        s += exp(x - top);
    }
    int label = load(Label + row);
    bool counts = label >= 0 && label < N;
    float score = load(X + row * N + label, counts);
    store(Loss + row, where(counts, log(sum(s)) + (top - score), 0.0f));
}
