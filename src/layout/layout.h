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
uint32_t layout_place(const struct layout *layout, uint32_t reg, uint32_t lane, uint32_t group);

/* The smallest part of the inverse: a place that holds the element (the same choice always; bits
 * that only replicate are 0). */
uint32_t layout_find(const struct layout *layout, uint32_t element);

/*
 * The language's explicit form: physical bits are the thread's (lanes, then groups) with the
 * register bits above them; bit_order[l] names the physical bit that becomes element bit l; then
 * the index is xored with xor_mask. Threads: 2^(lane_bits + group_bits). False when bit_order is
 * no permutation of 0..element_bits-1 or the sizes do not add up.
 */
bool layout_from_bit_order(struct layout *layout, int element_bits, const uint8_t *bit_order,
                           uint32_t xor_mask, int register_bits, int lane_bits, int group_bits);

/*
 * The usual layout for memory: each thread holds 2^vector_bits consecutive elements, lanes follow
 * each other, then groups, and further registers repeat that over the tile. A tile with fewer
 * elements than threads is replicated. axis_bits: last axis lowest.
 */
void layout_blocked(struct layout *layout, int rank, const int *axis_bits, int vector_bits,
                    int lane_bits, int group_bits);

/* log2 of how many consecutive elements along the last axis a thread holds in consecutive
 * registers, starting at register 0. */
int layout_contiguous_bits(const struct layout *layout);

/* The layout of a tile after the axis is reduced away: what held elements that differ only along
 * the axis now holds the same element. */
void layout_reduce_axis(const struct layout *layout, int axis, struct layout *result);

#endif
