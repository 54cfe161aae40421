#include <tilec/kernel.h>

#ifndef T
#define T float /* the storage type: float, half or bfloat; the arithmetic is float */
#endif

launch_grid(dropout, cdiv(n, BLOCK));
tune(dropout, BLOCK, 1024, 4096);

/*
 * Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3"): the first of the four
 * words that the counter (counter, 0, 0, 0) gives under the key (seed, 0). The same pair gives the
 * same word on every target, so that a backward pass can make the mask again instead of loading it.
 */
static uint32_t philox(uint32_t seed, uint32_t counter)
{
    uint32_t c0 = counter, c1 = 0, c2 = 0, c3 = 0;
    uint32_t k0 = seed, k1 = 0;
    for (int i = 0; i < 10; i++) {
        uint64_t a = (uint64_t)0xD2511F53u * c0;
        uint64_t b = (uint64_t)0xCD9E8D57u * c2;
        c0 = (uint32_t)(b >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)b;
        c2 = (uint32_t)(a >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)a;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    return c0;
}

/*
 * Out[i] = X[i] / (1 - p) with probability 1 - p, else 0; X and Out are [n], 0 <= p < 1. Which elements
 * are kept hangs on seed and i alone. Out may be X.
 */
kernel void dropout(const T *X, T *Out, int n, float p, int seed, constexpr int BLOCK)
{
    int i = program_id(0) * BLOCK + arange(0, BLOCK);
    float x = load(X + i, i < n);
    float uniform = (float)(philox(seed, i) >> 8) * 0x1p-24f; /* in [0, 1), every value exact */
    store(Out + i, where(uniform >= p, x * (1.0f / (1.0f - p)), 0.0f), i < n);
}
