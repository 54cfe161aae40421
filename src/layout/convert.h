#ifndef TILEC_LAYOUT_CONVERT_H
#define TILEC_LAYOUT_CONVERT_H
/*
 * Conversion between two layouts of one tile by the cheapest mechanism that the maps allow.
 *
 *   none       every place already holds what it needs
 *   registers  each thread permutes (or copies) its own registers
 *   shuffle    data moves between lanes of a group
 *   exchange   data moves between groups, through threadgroup memory
 *   cluster    data may move between blocks of a cluster, for which there is no way
 *
 * The plan is a linear map: place p of the result takes the value at place
 * source(p) = (xor of source_basis[i] over set bits i of p) xor source_offset of the operand.
 */
#include "layout/layout.h"

enum layout_mechanism {
    LAYOUT_NONE,
    LAYOUT_REGISTERS,
    LAYOUT_SHUFFLE,
    LAYOUT_EXCHANGE,
    LAYOUT_CLUSTER,
};

enum { LAYOUT_BANK_BITS = 5 }; /* 32 banks of 4 bytes on every GPU target */

struct layout_conversion {
    enum layout_mechanism mechanism;
    uint32_t source_basis[LAYOUT_MAX_BITS];
    uint32_t source_offset;
    /* For an exchange: element e stands in slot(e) = f2_apply(slot_basis, element_bits, e), a
     * bijection on the elements that makes both sides free of bank conflicts for elements as wide as
     * was said. */
    int element_bits;
    uint32_t slot_basis[LAYOUT_MAX_BITS];
};

/* False when the tiles differ or one layout is not valid. Threads may differ in number only if the
 * conversion is an exchange. */
bool layout_convert(const struct layout *from, const struct layout *to,
                    struct layout_conversion *plan);
/* Likewise of elements of 2^word_bits words of 4 bytes, at most 4 words. As many lanes at once as fill
 * the banks access their elements together: the lowest. */
bool layout_convert_words(const struct layout *from, const struct layout *to, int word_bits,
                          struct layout_conversion *plan);

#endif
