#include <tilec/kernel.h>

#ifndef T
#define T float /* the storage type: float, half or bfloat; the arithmetic is float */
#endif

/*
 * Activation functions, element by element on arrays of n elements of any shape. Arrays of one call
 * do not overlap. The result is rounded once, to the storage type.
 */

launch_grid(gelu, cdiv(n, BLOCK));
tune(gelu, BLOCK, 4096, 1024);

/* Out = X Phi(X), with Phi the normal distribution function: the exact form, through erf. */
kernel void gelu(const T *restrict X, T *restrict Out, int n, constexpr int BLOCK)
{
    int i = program_id(0) * BLOCK + arange(0, BLOCK);
    float x = load(X + i, i < n);
    store(Out + i, 0.5f * x * (1.0f + erf(x * 0.70710678118654752f)), i < n);
}

launch_grid(gelu_tanh, cdiv(n, BLOCK));
tune(gelu_tanh, BLOCK, 4096, 1024);

/* Out = X/2 (1 + tanh(sqrt(2/pi) (X + 0.044715 X^3))): the usual approximation of gelu. */
kernel void gelu_tanh(const T *restrict X, T *restrict Out, int n, constexpr int BLOCK)
{
    int i = program_id(0) * BLOCK + arange(0, BLOCK);
    float x = load(X + i, i < n);
    float inner = 0.79788456080286536f * (x + 0.044715f * x * x * x);
    store(Out + i, 0.5f * x * (1.0f + tanh(inner)), i < n);
}

launch_grid(silu, cdiv(n, BLOCK));
tune(silu, BLOCK, 4096, 1024);

/* Out = X / (1 + exp(-X)) */
kernel void silu(const T *restrict X, T *restrict Out, int n, constexpr int BLOCK)
{
    int i = program_id(0) * BLOCK + arange(0, BLOCK);
    float x = load(X + i, i < n);
    store(Out + i, x * sigmoid(x), i < n);
}

launch_grid(swiglu, cdiv(n, BLOCK));
tune(swiglu, BLOCK, 4096, 1024);

/* Out = silu(Gate) Up */
kernel void swiglu(const T *restrict Gate, const T *restrict Up, T *restrict Out, int n,
                   constexpr int BLOCK)
{
    int i = program_id(0) * BLOCK + arange(0, BLOCK);
    float gate = load(Gate + i, i < n);
    float up = load(Up + i, i < n);
    store(Out + i, gate * sigmoid(gate) * up, i < n);
}
