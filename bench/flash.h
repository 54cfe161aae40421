#ifndef TILEC_BENCH_FLASH_H
#define TILEC_BENCH_FLASH_H
/* Attention in C, once per compiler; see flash.c. */

enum { FLASH_ROWS = 32, FLASH_MOST_DEPTH = 128 };

/* Rows [from, to) of Out = softmax(scale Q K^T) V of one head: Q and Out are [n, depth], K and V
 * [keys, depth]. from and to are multiples of FLASH_ROWS, keys and depth of 64. */
#define FLASH_ONE(peer, suffix)                                                                    \
    void peer##_attention_##suffix(const void *q, const void *k, const void *v, void *out,         \
                                   long from, long to, long keys, long depth, float scale);
#define FLASH(peer) FLASH_ONE(peer, f32) FLASH_ONE(peer, f16) FLASH_ONE(peer, bf16)

FLASH(gcc)
FLASH(clang)

#endif
