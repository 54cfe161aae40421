#ifndef TILEC_BENCH_HANDWRITTEN_H
#define TILEC_BENCH_HANDWRITTEN_H
/* Hand-written row kernels, once per compiler; see handwritten.c. All arrays row-major. */

enum { HANDWRITTEN_MAX_WIDTH = 8192 }; /* of a softmax row */

#define HANDWRITTEN_ONE(peer, suffix)                                                              \
    void peer##_softmax_##suffix(const void *in, void *out, long rows, long width);                \
    void peer##_layernorm_##suffix(const void *in, const void *weights, const void *biases,        \
                                   void *out, long rows, long width, float epsilon);               \
    void peer##_rmsnorm_##suffix(const void *in, const void *weights, void *out, long rows,        \
                                 long width, float epsilon);
#define HANDWRITTEN(peer)                                                                          \
    HANDWRITTEN_ONE(peer, f32) HANDWRITTEN_ONE(peer, f16) HANDWRITTEN_ONE(peer, bf16)

HANDWRITTEN(gcc)
HANDWRITTEN(clang)

/* In place: gelu(x + bias), by the error function; bias is float[width]. */
typedef void bias_gelu_function(float *in_out, const float *bias, long rows, long width);
bias_gelu_function gcc_bias_gelu_f32, clang_bias_gelu_f32;

#endif
