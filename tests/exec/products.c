/*
 * The shipped matrix products against a reference in double: every variant, over shapes around the
 * block sizes and around what the CPU's schedule cuts a product into, on the interpreter and the
 * CPU. On a GPU also in tiles so large that four warps multiply together.
 */
#include "harness.h"

#include <math.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* ---- references: sizes are M = a, N = b, K = c ----------------------------------------------- */

/* out[M, N] += a b, with b and a of any strides */
static void multiply(double *out, const double *a, int64_t a_row, int64_t a_column, const double *b,
                     int64_t b_row, int64_t b_column, const int64_t *size)
{
    for (int64_t i = 0; i < size[0]; i++)
        for (int64_t l = 0; l < size[2]; l++)
            for (int64_t j = 0; j < size[1]; j++)
                out[i * size[1] + j] += a[i * a_row + l * a_column] * b[l * b_row + j * b_column];
}

static void product(struct exec_problem *p, int out)
{
    multiply(p->array[out], p->array[0], p->size[2], 1, p->array[1], p->size[1], 1, p->size);
    p->scale = 1 + sqrt((double)p->size[2]);
}

static void gemm(struct exec_problem *p)
{
    product(p, 2);
}

static void gemm_nt(struct exec_problem *p)
{
    multiply(p->array[2], p->array[0], p->size[2], 1, p->array[1], 1, p->size[2], p->size);
    p->scale = 1 + sqrt((double)p->size[2]);
}

static void gemm_tn(struct exec_problem *p)
{
    multiply(p->array[2], p->array[0], 1, p->size[0], p->array[1], p->size[1], 1, p->size);
    p->scale = 1 + sqrt((double)p->size[2]);
}

static void gemm_tt(struct exec_problem *p)
{
    multiply(p->array[2], p->array[0], 1, p->size[0], p->array[1], 1, p->size[2], p->size);
    p->scale = 1 + sqrt((double)p->size[2]);
}

static void gemm_batched(struct exec_problem *p)
{
    int64_t m = p->size[0], n = p->size[1], k = p->size[2];
    for (int64_t i = 0; i < p->size[3]; i++)
        multiply(p->array[2] + i * m * n, p->array[0] + i * m * k, k, 1, p->array[1] + i * k * n, n,
                 1, p->size);
    p->scale = 1 + sqrt((double)k);
}

static void gemm_bias(struct exec_problem *p)
{
    product(p, 3);
    for (int64_t i = 0; i < p->size[0] * p->size[1]; i++)
        p->array[3][i] += p->array[2][i % p->size[1]];
}

static void gemm_bias_relu(struct exec_problem *p)
{
    gemm_bias(p);
    for (int64_t i = 0; i < p->size[0] * p->size[1]; i++)
        p->array[3][i] = fmax(p->array[3][i], 0);
}

static void gemm_bias_gelu(struct exec_problem *p)
{
    gemm_bias(p);
    for (int64_t i = 0; i < p->size[0] * p->size[1]; i++)
        p->array[3][i] *= 0.5 * (1 + erf(p->array[3][i] / sqrt(2)));
}

static void gemm_residual(struct exec_problem *p)
{
    product(p, 3);
    for (int64_t i = 0; i < p->size[0] * p->size[1]; i++)
        p->array[3][i] = 0.5 * p->array[3][i] + 2 * p->array[2][i];
}

static double silu(double x)
{
    return x / (1 + exp(-x));
}

static void gemm_scaled(struct exec_problem *p)
{
    product(p, 4);
    for (int64_t i = 0; i < p->size[0] * p->size[1]; i++)
        p->array[4][i] =
            silu(p->array[4][i] * p->array[2][i / p->size[1]] * p->array[3][i % p->size[1]]);
    p->scale *= 10; /* the scales, which the tolerance does not see */
}

static void gemm_gated(struct exec_problem *p)
{
    int64_t n = p->size[1], k = p->size[2];
    for (int64_t i = 0; i < p->size[0]; i++)
        for (int64_t j = 0; j < n; j++) {
            double gate = 0, up = 0;
            for (int64_t l = 0; l < k; l++) {
                gate += p->array[0][i * k + l] * p->array[1][l * n + j];
                up += p->array[0][i * k + l] * p->array[2][l * n + j];
            }
            p->array[3][i * n + j] = silu(gate) * up;
        }
    p->scale = 4 * (1 + (double)k);
}

static void gemm_int8_scaled(struct exec_problem *p)
{
    product(p, 5);
    for (int64_t i = 0; i < p->size[0] * p->size[1]; i++) {
        int64_t row = i / p->size[1], column = i % p->size[1];
        p->array[5][i] =
            p->array[5][i] * p->array[2][row] * p->array[3][column] + p->array[4][column];
    }
}

/* PART is 8 */
static void gemm_split_k(struct exec_problem *p)
{
    int64_t m = p->size[0], n = p->size[1], k = p->size[2];
    for (int64_t l = 0; l < k; l++)
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++)
                p->array[2][l / 8 * m * n + i * n + j] +=
                    p->array[0][i * k + l] * p->array[1][l * n + j];
    p->scale = 4;
}

static void gemm_split_k_sum(struct exec_problem *p)
{
    int64_t count = p->size[0] * p->size[1];
    for (int64_t i = 0; i < count * p->size[2]; i++)
        p->array[1][i % count] += p->array[0][i];
    p->scale = 1 + sqrt((double)p->size[2]);
}

/* ---- cases ----------------------------------------------------------------------------------- */

#define LIST(...) __VA_ARGS__
#define FLOATS "f32 f16 bf16"
#define APPROXIMATE LIST({4e-6, 1.2e-3, 9e-3})
#define BLOCKS                                                                                     \
    LIST({"BLOCK_M=32 BLOCK_N=32 BLOCK_K=16", "BLOCK_M=8 BLOCK_N=16 BLOCK_K=4",                    \
          "BLOCK_M=5 BLOCK_N=7 BLOCK_K=3"})
/* Also a tile that is deep: SIMD groups of a GPU share its inner axis. */
#define DEEP_BLOCKS                                                                                \
    LIST({"BLOCK_M=32 BLOCK_N=32 BLOCK_K=16", "BLOCK_M=8 BLOCK_N=16 BLOCK_K=4",                    \
          "BLOCK_M=5 BLOCK_N=7 BLOCK_K=3", "BLOCK_M=16 BLOCK_N=16 BLOCK_K=96"})
#define SHAPES                                                                                     \
    LIST({{0, 4, 4, 3},                                                                            \
          {1, 1, 1, 1},                                                                            \
          {3, 5, 0, 2},                                                                            \
          {4, 0, 3, 2},                                                                            \
          {17, 1, 9, 3},                                                                           \
          {1, 33, 64, 2},                                                                          \
          {1, 33, 0, 2},                                                                           \
          {31, 33, 17, 2},                                                                         \
          {64, 64, 64, 1},                                                                         \
          {130, 70, 257, 2},                                                                       \
          {-1}})
#define CASE(file, name, arguments, types, reference, tolerance)                                   \
    {                                                                                              \
        "kernels/" file ".tile.c", #name, arguments, types, BLOCKS, SHAPES, reference, tolerance   \
    }
#define DEEP_CASE(file, name, arguments, types, reference, tolerance)                              \
    {                                                                                              \
        "kernels/" file ".tile.c", #name, arguments, types, DEEP_BLOCKS, SHAPES, reference,        \
            tolerance                                                                              \
    }
#define SIZES " M=a N=b K=c"

/* Warpgroups multiply where all sizes are multiples of 16; the last shape's are not. */
#define LARGE_BLOCKS                                                                               \
    LIST({"BLOCK_M=128 BLOCK_N=256 BLOCK_K=64", "BLOCK_M=64 BLOCK_N=128 BLOCK_K=32",               \
          "BLOCK_M=128 BLOCK_N=64 BLOCK_K=128"})
#define LARGE_SHAPES                                                                               \
    LIST({{16, 16, 16, 2},                                                                         \
          {64, 128, 0, 1},                                                                         \
          {128, 256, 64, 2},                                                                       \
          {272, 528, 208, 2},                                                                      \
          {144, 80, 1024, 2},                                                                      \
          {130, 70, 257, 1},                                                                       \
          {-1}})
#define LARGE_CASE(file, name, arguments, reference)                                               \
    {"kernels/" file ".tile.c",                                                                    \
     #name,                                                                                        \
     arguments,                                                                                    \
     "f16 bf16",                                                                                   \
     LARGE_BLOCKS,                                                                                 \
     LARGE_SHAPES,                                                                                 \
     reference,                                                                                    \
     APPROXIMATE}

static const struct exec_case cases[] = {
    DEEP_CASE("gemm", gemm, "A:T:ac:in B:T:cb:in C:T:ab:out" SIZES, FLOATS, gemm, APPROXIMATE),
    DEEP_CASE("gemm_transposed", gemm_nt, "A:T:ac:in B:T:bc:in C:T:ab:out" SIZES, FLOATS, gemm_nt,
              APPROXIMATE),
    DEEP_CASE("gemm_transposed", gemm_tn, "A:T:ca:in B:T:cb:in C:T:ab:out" SIZES, FLOATS, gemm_tn,
              APPROXIMATE),
    CASE("gemm_transposed", gemm_tt, "A:T:ca:in B:T:bc:in C:T:ab:out" SIZES, FLOATS, gemm_tt,
         APPROXIMATE),
    CASE("gemm_batched", gemm_batched, "A:T:dac:in B:T:dcb:in C:T:dab:out batch=d" SIZES, FLOATS,
         gemm_batched, APPROXIMATE),
    CASE("gemm_strided", gemm_strided,
         "A:T:ac:in B:T:bc:in C:T:ab:out" SIZES
         " a_row=c a_column=1 b_row=1 b_column=c c_row=b c_column=1",
         FLOATS, gemm_nt, APPROXIMATE),
    CASE("gemm_strided", gemm_strided,
         "A:T:ca:in B:T:cb:in C:T:ab:out" SIZES
         " a_row=1 a_column=a b_row=b b_column=1 c_row=b c_column=1",
         "f32", gemm_tn, APPROXIMATE),
    CASE("gemm_pointers", gemm_pointers,
         "A:T:ac:in B:T:cb:in C:T:ab:out" SIZES
         " a_row=c a_column=1 b_row=b b_column=1 c_row=b c_column=1",
         FLOATS, gemm, APPROXIMATE),
    {"kernels/gemm_grouped.tile.c",
     "gemm_grouped",
     "A:T:ac:in B:T:cb:in C:T:ab:out" SIZES
     " a_row=c a_column=1 b_row=b b_column=1 c_row=b c_column=1",
     FLOATS,
     {"BLOCK_M=32 BLOCK_N=32 BLOCK_K=16 GROUP=2", "BLOCK_M=8 BLOCK_N=16 BLOCK_K=4 GROUP=3"},
     SHAPES,
     gemm,
     APPROXIMATE},
    CASE("gemm_epilogue", gemm_bias, "A:T:ac:in B:T:cb:in Bias:T:b:in Out:T:ab:out" SIZES, FLOATS,
         gemm_bias, APPROXIMATE),
    CASE("gemm_epilogue", gemm_bias_relu, "A:T:ac:in B:T:cb:in Bias:T:b:in Out:T:ab:out" SIZES,
         FLOATS, gemm_bias_relu, APPROXIMATE),
    CASE("gemm_epilogue", gemm_bias_gelu, "A:T:ac:in B:T:cb:in Bias:T:b:in Out:T:ab:out" SIZES,
         FLOATS, gemm_bias_gelu, APPROXIMATE),
    CASE("gemm_epilogue", gemm_residual,
         "A:T:ac:in B:T:cb:in Residual:T:ab:in Out:T:ab:out" SIZES " alpha~0.5 beta~2", FLOATS,
         gemm_residual, APPROXIMATE),
    CASE("gemm_epilogue", gemm_scaled,
         "A:T:ac:in B:T:cb:in Row:f32:a:in Column:f32:b:in Out:T:ab:out" SIZES, FLOATS, gemm_scaled,
         APPROXIMATE),
    DEEP_CASE("gemm_gated", gemm_gated, "X:T:ac:in Gate:T:cb:in Up:T:cb:in Out:T:ab:out" SIZES,
              FLOATS, gemm_gated, APPROXIMATE),
    CASE("gemm_int8", gemm_int8, "A:i8:ac:in B:i8:cb:in C:i32:ab:out" SIZES, "i8", gemm, {0}),
    CASE("gemm_int8", gemm_int8_scaled,
         "A:i8:ac:in B:i8:cb:in Row:f32:a:in Column:f32:b:in Bias:f32:b:in Out:f32:ab:out" SIZES,
         "i8", gemm_int8_scaled, APPROXIMATE),
    {"kernels/gemm_split_k.tile.c",
     "gemm_split_k",
     "A:T:ac:in B:T:cb:in Parts:f32:dab:out" SIZES,
     FLOATS,
     {"BLOCK_M=32 BLOCK_N=32 BLOCK_K=8 PART=8", "BLOCK_M=5 BLOCK_N=7 BLOCK_K=4 PART=8"},
     {{4, 5, 0, 0}, {1, 1, 1, 1}, {17, 1, 9, 2}, {1, 33, 64, 8}, {130, 70, 257, 33}, {-1}},
     gemm_split_k,
     APPROXIMATE},
    {"kernels/gemm_split_k.tile.c",
     "gemm_split_k_sum",
     "Parts:f32:cab:in C:T:ab:out M=a N=b parts=c",
     FLOATS,
     {"BLOCK=64"},
     {{4, 5, 0}, {1, 1, 1}, {17, 1, 9}, {1, 33, 64}, {130, 70, 5}, {-1}},
     gemm_split_k_sum,
     APPROXIMATE},
    /* from here on for GPUs alone */
    LARGE_CASE("gemm", gemm, "A:T:ac:in B:T:cb:in C:T:ab:out" SIZES, gemm),
    LARGE_CASE("gemm_transposed", gemm_nt, "A:T:ac:in B:T:bc:in C:T:ab:out" SIZES, gemm_nt),
    LARGE_CASE("gemm_transposed", gemm_tn, "A:T:ca:in B:T:cb:in C:T:ab:out" SIZES, gemm_tn),
    LARGE_CASE("gemm_transposed", gemm_tt, "A:T:ca:in B:T:bc:in C:T:ab:out" SIZES, gemm_tt),
    LARGE_CASE("gemm_batched", gemm_batched, "A:T:dac:in B:T:dcb:in C:T:dab:out batch=d" SIZES,
               gemm_batched),
    LARGE_CASE("gemm_pointers", gemm_pointers,
               "A:T:ac:in B:T:cb:in C:T:ab:out" SIZES
               " a_row=c a_column=1 b_row=b b_column=1 c_row=b c_column=1",
               gemm),
    LARGE_CASE("gemm_epilogue", gemm_residual,
               "A:T:ac:in B:T:cb:in Residual:T:ab:in Out:T:ab:out" SIZES " alpha~0.5 beta~2",
               gemm_residual),
    LARGE_CASE("gemm_epilogue", gemm_scaled,
               "A:T:ac:in B:T:cb:in Row:f32:a:in Column:f32:b:in Out:T:ab:out" SIZES, gemm_scaled),
    {"kernels/gemm_gated.tile.c",
     "gemm_gated",
     "X:T:ac:in Gate:T:cb:in Up:T:cb:in Out:T:ab:out" SIZES,
     "f16 bf16",
     {"BLOCK_M=64 BLOCK_N=128 BLOCK_K=64", "BLOCK_M=128 BLOCK_N=64 BLOCK_K=32"},
     {{16, 16, 16, 2},
      {64, 128, 0, 1},
      {272, 528, 208, 2},
      {130, 70, 257, 1},
      {-1}}, /* less than half's most */
     gemm_gated,
     APPROXIMATE},
};
enum { LARGE_CASES = 9 };

/* ---- cmocka ---------------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
    size_t count = sizeof cases / sizeof *cases;
    if (argc < 2 || strcmp(argv[1], "cuda") != 0)
        count -= LARGE_CASES;
    return exec_main("products", cases, count, argc, argv);
}
