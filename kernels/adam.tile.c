#include <tilec/kernel.h>

#ifndef T
#define T float /* the type of weights and gradients: float, half or bfloat; the arithmetic is float */
#endif

launch_grid(adam, cdiv(n, BLOCK));
tune(adam, BLOCK, 1024, 4096);

/*
 * One step of AdamW on n weights, in place:
 *
 *     M = beta1 M + (1 - beta1) G,  V = beta2 V + (1 - beta2) G^2
 *     P = P - lr (M / correction1 / (sqrt(V / correction2) + eps) + decay P)
 *
 * correction1 = 1 - beta1^step and correction2 = 1 - beta2^step, step from 1 on, are the caller's: they
 * are the same for all weights. The arrays are [n] and lie apart; P and G are of the storage type, the
 * moments M and V, which start as zeros, are float. P is rounded once.
 */
kernel void adam(T *restrict P, const T *restrict G, float *restrict M, float *restrict V, int n,
                 float lr, float beta1, float beta2, float eps, float decay, float correction1,
                 float correction2, constexpr int BLOCK)
{
    int i = program_id(0) * BLOCK + arange(0, BLOCK);
    float rate = lr / correction1, spread = 1.0f / sqrt(correction2), keep_of_p = 1.0f - lr * decay;
    float p = load(P + i, i < n);
    float g = load(G + i, i < n);
    float m = beta1 * load(M + i, i < n) + (1.0f - beta1) * g;
    float v = beta2 * load(V + i, i < n) + (1.0f - beta2) * g * g;
    store(M + i, m, i < n);
    store(V + i, v, i < n);
    store(P + i, keep_of_p * p - rate * m / (sqrt(v) * spread + eps), i < n);
}
