#ifndef TILEC_LAYOUT_F2_H
#define TILEC_LAYOUT_F2_H
/*
 * Linear algebra over F2 on machine words: a vector is a word of up to 32 bits, addition is xor, a
 * linear map is its list of columns. A span keeps a basis in echelon form together with how each
 * basis vector was made from the vectors that were added, so that membership also gives
 * coordinates.
 */
#include <stdbool.h>
#include <stdint.h>

enum { F2_MAX = 32 };

struct f2_span {
    int rank;
    int added;               /* vectors given to f2_span_add so far */
    uint32_t vector[F2_MAX]; /* echelon basis: leading bits differ */
    uint32_t origin[F2_MAX]; /* bit i: the i-th added vector is part of the combination */
};

/* Adds a vector; false when it lay in the span already (it still counts as added). */
bool f2_span_add(struct f2_span *span, uint32_t vector);

/* Whether vector = xor of added vectors; *combination gets which (bit i: the i-th), if not NULL. */
bool f2_span_contains(const struct f2_span *span, uint32_t vector, uint32_t *combination);

/* Image of a vector under a map given by its columns. */
uint32_t f2_apply(const uint32_t *columns, int count, uint32_t vector);

#endif
