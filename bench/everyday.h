#ifndef TILEC_BENCH_EVERYDAY_H
#define TILEC_BENCH_EVERYDAY_H
/* Everyday kernels in C, once per compiler; see everyday_peers.c. What they compute stands in
 * everyday.tile.c. */

struct everyday {
    const void *in, *other;
    void *out;
    long n, m, j, k;
    float scale;
    int zero;
};

#define EVERYDAY_KERNELS(X)                                                                        \
    X(bitonic)                                                                                     \
    X(bitonic_place)                                                                               \
    X(floyd)                                                                                       \
    X(redblack)                                                                                    \
    X(furthest)                                                                                    \
    X(classes) X(upper) X(hex) X(q8_floats) X(q8_product) X(q8_dot) X(requantise) X(rescale)       \
        X(complex_product) X(life) X(nearest) X(mix) X(brighter) X(haar) X(planes) X(swap) X(gemv) \
            X(conv3) X(conv3_edges) X(heat) X(pool) X(moving) X(bilinear) X(merge) X(histogram)    \
                X(csr) X(compact) X(prefix) X(prefix_floats) X(row_suffix) X(centre)

#define EVERYDAY_DECLARE(name)                                                                     \
    void gcc_##name(const struct everyday *);                                                      \
    void clang_##name(const struct everyday *);
EVERYDAY_KERNELS(EVERYDAY_DECLARE)

enum { EVERYDAY_PIECE = 4096 }; /* bytes that `classes` counts at a time */

#endif
