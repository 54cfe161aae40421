#ifndef TILEC_BENCH_BLAS_H
#define TILEC_BENCH_BLAS_H
/* OpenBLAS, BLIS and oneDNN's matrix products as peers: C = A B, row-major, A [M, K], B [K, N]. All
 * three define the same names, so they are opened at run time and apart. */
#include <stdbool.h>

enum product_type { PRODUCT_F32, PRODUCT_F16, PRODUCT_BF16, PRODUCT_I8, PRODUCT_TYPES };

struct product {
    enum product_type type;
    long m, n, k;
    int threads;
    const void *a, *b;
    void *c; /* in the type of A and B; int32_t for PRODUCT_I8 */
    bool turned; /* C = scale A B^T, B [N, K]: for float and bfloat only, and so is a scale */
    float scale; /* 0 counts as 1 */
};

/* Ready to be run; NULL: the library is not installed, or has no product of this type. */
struct blas_peer;
struct blas_peer *blas_openblas(const struct product *product);
struct blas_peer *blas_blis(const struct product *product);
/* The faster of oneDNN's functions for this shape: dnnl_sgemm or the matmul primitive; for 8-bit
 * integers dnnl_gemm_s8s8s32, dnnl_gemm_u8s8s32 or the matmul primitive. */
struct blas_peer *blas_onednn(const struct product *product);
/* oneDNN's product with bias (float[n]), then its GELU as a pass of its own. */
struct blas_peer *blas_onednn_gelu(const struct product *product, const float *bias);
bool blas_run(struct blas_peer *peer);
bool blas_takes_unsigned(const struct blas_peer *peer); /* A's bytes count as unsigned */
void blas_free(struct blas_peer *peer);

#endif
