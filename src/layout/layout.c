/* Layouts as affine maps over F2; see layout.h. */
#include "layout/layout.h"

#include "layout/f2.h"

#include <string.h>

static uint32_t low_bits(int count)
{
    return count >= 32 ? ~0u : (1u << count) - 1;
}

static int layout_rank_of_map(const struct layout *layout)
{
    struct f2_span span = {0};
    for (int i = 0; i < layout_place_bits(layout); i++)
        f2_span_add(&span, layout->basis[i]);
    return span.rank;
}

static bool sizes_are_valid(const struct layout *l)
{
    int sum = 0;
    if (l->element_bits < 0 || l->element_bits > LAYOUT_MAX_BITS || l->register_bits < 0 ||
        l->lane_bits < 0 || l->group_bits < 0 || l->block_bits < 0 ||
        l->block_bits > l->group_bits || l->rank < 0 || l->rank > LAYOUT_MAX_RANK)
        return false;
    if (l->register_bits > LAYOUT_MAX_BITS || l->lane_bits > LAYOUT_MAX_BITS ||
        l->group_bits > LAYOUT_MAX_BITS || layout_place_bits(l) > LAYOUT_MAX_BITS)
        return false;
    for (int a = 0; a < l->rank; a++) {
        if (l->axis_bits[a] < 0 || l->axis_bits[a] > LAYOUT_MAX_BITS)
            return false;
        sum += l->axis_bits[a];
    }
    return sum == l->element_bits;
}

bool layout_is_valid(const struct layout *layout)
{
    if (!sizes_are_valid(layout))
        return false;
    uint32_t outside = ~low_bits(layout->element_bits);
    if (layout->offset & outside)
        return false;
    for (int i = 0; i < layout_place_bits(layout); i++)
        if (layout->basis[i] & outside)
            return false;
    return layout_rank_of_map(layout) == layout->element_bits;
}

bool layout_is_bijective(const struct layout *layout)
{
    return layout_is_valid(layout) && layout_place_bits(layout) == layout->element_bits;
}

bool layout_equal(const struct layout *a, const struct layout *b)
{
    return a->element_bits == b->element_bits && a->register_bits == b->register_bits &&
           a->lane_bits == b->lane_bits && a->group_bits == b->group_bits &&
           a->block_bits == b->block_bits && a->offset == b->offset && a->rank == b->rank &&
           memcmp(a->axis_bits, b->axis_bits, (size_t)a->rank * sizeof *a->axis_bits) == 0 &&
           memcmp(a->basis, b->basis, (size_t)layout_place_bits(a) * sizeof *a->basis) == 0;
}

uint32_t layout_element(const struct layout *layout, uint32_t place)
{
    return layout->offset ^ f2_apply(layout->basis, layout_place_bits(layout), place);
}

uint32_t layout_place(const struct layout *layout, uint32_t reg, uint32_t lane, uint32_t group)
{
    return reg | lane << layout->register_bits |
           group << (layout->register_bits + layout->lane_bits);
}

uint32_t layout_find(const struct layout *layout, uint32_t element)
{
    struct f2_span span = {0};
    uint32_t place = 0;
    for (int i = 0; i < layout_place_bits(layout); i++)
        f2_span_add(&span, layout->basis[i]);
    f2_span_contains(&span, element ^ layout->offset, &place);
    return place;
}

bool layout_from_bit_order(struct layout *layout, int element_bits, const uint8_t *bit_order,
                           uint32_t xor_mask, int register_bits, int lane_bits, int group_bits)
{
    int thread_bits = lane_bits + group_bits;
    uint32_t seen = 0;
    if (element_bits < 0 || element_bits > LAYOUT_MAX_BITS ||
        register_bits + thread_bits != element_bits || (xor_mask & ~low_bits(element_bits)))
        return false;
    *layout = (struct layout){.element_bits = element_bits,
                              .register_bits = register_bits,
                              .lane_bits = lane_bits,
                              .group_bits = group_bits,
                              .offset = xor_mask,
                              .rank = 1,
                              .axis_bits = {element_bits}};
    for (int l = 0; l < element_bits; l++) {
        int physical = bit_order[l];
        if (physical >= element_bits || (seen >> physical & 1))
            return false;
        seen |= 1u << physical;
        /* The explicit form counts thread bits first; places count register bits first. */
        int place = physical < thread_bits ? register_bits + physical : physical - thread_bits;
        layout->basis[place] = 1u << l;
    }
    return true;
}

void layout_blocked(struct layout *layout, int rank, const int *axis_bits, int vector_bits,
                    int lane_bits, int group_bits)
{
    *layout = (struct layout){.lane_bits = lane_bits, .group_bits = group_bits, .rank = rank};
    for (int a = 0; a < rank; a++) {
        layout->axis_bits[a] = axis_bits[a];
        layout->element_bits += axis_bits[a];
    }
    int bits = layout->element_bits, threads = lane_bits + group_bits, next = 0;
    if (vector_bits > bits)
        vector_bits = bits;
    int above = bits - vector_bits - threads; /* element bits left for further registers */
    layout->register_bits = vector_bits + (above > 0 ? above : 0);
    for (int r = 0; r < vector_bits; r++)
        layout->basis[r] = 1u << next++;
    for (int t = 0; t < threads; t++) /* beyond the tile: a zero column, replicated */
        layout->basis[layout->register_bits + t] = next < bits ? 1u << next++ : 0;
    for (int r = vector_bits; r < layout->register_bits; r++)
        layout->basis[r] = 1u << next++;
}

int layout_contiguous_bits(const struct layout *layout)
{
    int last = layout->rank ? layout->axis_bits[layout->rank - 1] : 0;
    int bits = 0;
    while (bits < layout->register_bits && bits < last && layout->basis[bits] == 1u << bits)
        bits++;
    /* An offset or another column that touches these bits would turn the order around. */
    uint32_t inside = low_bits(bits), touched = layout->offset;
    for (int i = bits; i < layout_place_bits(layout); i++)
        touched |= layout->basis[i];
    while (bits && (touched & inside)) {
        bits--;
        touched |= layout->basis[bits];
        inside = low_bits(bits);
    }
    return bits;
}

void layout_reduce_axis(const struct layout *layout, int axis, struct layout *result)
{
    int below = 0, width = layout->axis_bits[axis];
    for (int a = axis + 1; a < layout->rank; a++)
        below += layout->axis_bits[a];
    *result = *layout;
    result->element_bits -= width;
    result->rank--;
    for (int a = axis; a < result->rank; a++)
        result->axis_bits[a] = layout->axis_bits[a + 1];
    for (int i = 0; i < layout_place_bits(layout); i++)
        result->basis[i] =
            (layout->basis[i] & low_bits(below)) | (layout->basis[i] >> (below + width) << below);
    result->offset =
        (layout->offset & low_bits(below)) | (layout->offset >> (below + width) << below);
}
