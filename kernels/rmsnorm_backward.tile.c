#include <tilec/kernel.h>

#ifndef T
#define T float /* the storage type: float, half or bfloat; the arithmetic is float */
#endif

launch_grid(rmsnorm_backward, programs);
launch_require(rmsnorm_backward, programs > 0, "there is at least one program");
launch_require(rmsnorm_backward, N <= BLOCK, "the whole row must fit in one tile of BLOCK elements");
tune(rmsnorm_backward, BLOCK, next_pow2(N));

/*
 * The gradients of rmsnorm. With r = 1 / sqrt(mean of X[row, :] squared + eps), as kernels/rmsnorm has it,
 *
 *     dX[row, :] = r W dY[row, :] - r^3 mean(W dY[row, :] X[row, :]) X[row, :]
 *     Part[p, :] = sum over the rows p, p + programs, ... of r X[row, :] dY[row, :]
 *
 * X, dY and dX are [rows, N], row-major, W is [N], all of the storage type; Part is float [programs, N],
 * and rmsnorm_backward_weight adds it up. The sum stays in the program: an atomic for each element of
 * each row would be many times as slow. On a CPU a few programs a thread are enough.
 */
kernel void rmsnorm_backward(const T *restrict X, const T *restrict W, const T *restrict dY,
                             T *restrict dX, float *restrict Part, int rows, int N, int programs,
                             float eps, constexpr int BLOCK)
{
    int col = arange(0, BLOCK);
    float w = load(W + col, col < N);
    float dw = 0.0f;
    for (int row = program_id(0); row < rows; row += programs) {
        float x = load(X + row * N + col, col < N);
        float dy = load(dY + row * N + col, col < N);
        float r = rsqrt(sum(x * x) * (1.0f / N) + eps);
        float wdy = w * dy;
        float k = sum(wdy * x) * (1.0f / N) * r * r * r;
        store(dX + row * N + col, r * wdy - k * x, col < N);
        dw += r * x * dy;
    }
    store(Part + program_id(0) * N + col, dw, col < N);
}

launch_grid(rmsnorm_backward_weight, cdiv(N, BLOCK));
tune(rmsnorm_backward_weight, BLOCK, 256, 1024);

/* dW[c] = sum over p of Part[p, c]; Part is float [programs, N], dW is [N] of the storage type. */
kernel void rmsnorm_backward_weight(const float *restrict Part, T *restrict dW, int N, int programs,
                                    constexpr int BLOCK)
{
    int col = program_id(0) * BLOCK + arange(0, BLOCK);
    float dw = 0.0f;
    for (int p = 0; p < programs; p++)
        dw += load(Part + p * N + col, col < N);
    store(dW + col, dw, col < N);
}
