#ifndef TILEC_GPU_PAIRS_H
#define TILEC_GPU_PAIRS_H
#include "layout/layout.h"

enum { GPU_MOST_PAIRED_BITS = 3 }; /* eight elements of two bytes: what a vector access takes */

/* Elements of two bytes that move together, two, four or eight at a time: layouts of such units, and
 * which register bits they lack, each as it stands when those before it are gone; see pairs.c. */
struct gpu_pairs {
    int bits; /* log2 of the elements of a unit */
    int from_bit[GPU_MOST_PAIRED_BITS], to_bit[GPU_MOST_PAIRED_BITS];
    struct layout from, to;
};

/* False where no register bit of both layouts holds the same neighbours. most: of bits. */
bool gpu_find_pairs(const struct layout *from, const struct layout *to, int most,
                    struct gpu_pairs *pairs);

/* The register of the element that a unit's register has at a place in the unit; bits: the
 * gpu_pairs' from_bit or to_bit. */
int gpu_register_of_unit(const struct gpu_pairs *pairs, const int *bits, int unit, int place);

#endif
