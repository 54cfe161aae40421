#ifndef TILEC_LAYOUT_LAYOUT_H
#define TILEC_LAYOUT_LAYOUT_H
/*
 * Layouts: which register of which lane of which SIMD group holds each element of a tile.
 *
 * A layout is an affine map over F2 from places to elements:
 *
 *     element = (xor of basis[i] over the set bits i of the place) xor offset
 *
 * A place is a word of bits: registers lowest, then lanes, then groups; where a cluster of blocks runs
 * a program, the topmost bits of the groups say which block has the group. An element is the index in
 * the tile in row-major order; a multi-dimensional tile concatenates its axes' bits, the last axis
 * lowest. All sizes are powers of two. Every element must be held somewhere (the map is onto); a
 * place bit whose column depends on others means that elements are replicated. The idea of layouts
 * as linear maps over F2 is that of Triton's linear layouts (Zhou et al., 2025, arXiv 2505.23819).
 *
 * Pure functions on values; nothing allocates.
 */
#include <stdbool.h>
#include <stdint.h>

enum { LAYOUT_MAX_BITS = 24, LAYOUT_MAX_RANK = 6 };

struct layout {
    int element_bits;  /* log2 of the tile's elements */
    int register_bits; /* log2 of registers per thread */
    int lane_bits;     /* log2 of lanes per group */
    int group_bits;    /* log2 of groups */
    int block_bits;    /* of them the topmost: blocks of a cluster that share the tile */
    uint32_t basis[LAYOUT_MAX_BITS];
    uint32_t offset;
    int rank;
    int axis_bits[LAYOUT_MAX_RANK]; /* sum: element_bits */
};

static inline int layout_place_bits(const struct layout *layout)
{
    return layout->register_bits + layout->lane_bits + layout->group_bits;
}

/* Sizes in bounds, columns within the elements, and onto. */
bool layout_is_valid(const struct layout *layout);
bool layout_is_bijective(const struct layout *layout);
bool layout_equal(const struct layout *a, const struct layout *b);

uint32_t layout_element(const struct layout *layout, uint32_t place);

#endif
