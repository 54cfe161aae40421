#ifndef TILEC_GPU_PAIRS_H
#define TILEC_GPU_PAIRS_H
#include "layout/layout.h"

/* Elements of two bytes that move two at a time: layouts of words, and which register bits they lack;
 * see pairs.c. */
struct gpu_pairs {
    int from_bit, to_bit;
    struct layout from, to;
};

/* False where no register bit of both layouts holds the same neighbours. */
bool gpu_find_pairs(const struct layout *from, const struct layout *to, struct gpu_pairs *pairs);

#endif
