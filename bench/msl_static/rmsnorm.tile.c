#include <tilec/kernel.h>

/*
 * The kernels of the record: X and Out are [rows, width], W is [width], all of the storage type T;
 * the arithmetic is float. One program per row.
 */
launch_grid(rmsnorm_loop, rows);

/* Loop form: the width is an argument. */
kernel void rmsnorm_loop(const T *restrict X, const T *restrict W, T *restrict Out, int rows, int N,
                         float eps, constexpr int BLOCK)
{
    int row = program_id(0);
    float s = 0.0f;
    for (int i = 0; i < N; i += BLOCK) {
        int col = i + arange(0, BLOCK);
        float x = load(X + row * N + col, col < N);
        s += x * x;
    }
    float scale = 1.0f / sqrt(sum(s) / N + eps);
    for (int i = 0; i < N; i += BLOCK) {
        int col = i + arange(0, BLOCK);
        float x = load(X + row * N + col, col < N);
        float w = load(W + col, col < N);
        store(Out + row * N + col, x * scale * w, col < N);
    }
}

launch_grid(rmsnorm_register, rows);

/* Register form: the width is known when the kernel is compiled. */
kernel void rmsnorm_register(const T *restrict X, const T *restrict W, T *restrict Out, int rows,
                             float eps, constexpr int WIDTH)
{
    int row = program_id(0);
    int col = arange(0, 1024);
    float x = load(X + row * WIDTH + col, col < WIDTH);
    float w = load(W + col, col < WIDTH);
    float scale = 1.0f / sqrt(sum(x * x) / WIDTH + eps);
    store(Out + row * WIDTH + col, x * scale * w, col < WIDTH);
}
