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
