/*
 * What is proved of an access: how many neighbouring registers of a thread stand side by side in
 * memory, whether such groups are aligned, and whether one mask tells for a whole group.
 */
#include "gpu/site.h"

/* ---- addresses ------------------------------------------------------------------------------- */

int gpu_axis_of_bit(const struct layout *layout, int place, int *bit)
{
    uint32_t column = layout->basis[place];
    int axis = layout->rank - 1, at;
    *bit = 0;
    if (!column)
        return -1;
    at = __builtin_ctz(column);
    while (at >= layout->axis_bits[axis])
        at -= layout->axis_bits[axis--];
    *bit = at;
    return axis;
}

/* Whether the address grows by 1 << b when register bit b is set, for the bits below `bits`. */
static bool is_contiguous(const struct site *s, int bits)
{
    for (int b = 0; b < bits; b++) {
        int64_t stride;
        int bit, axis = gpu_axis_of_bit(s->layout, b, &bit);
        if (axis < 0 || s->layout->offset & s->layout->basis[b] ||
            !gpu_stride_along(s->offsets, axis, &stride) || stride != INT64_C(1) << b >> bit ||
            stride << bit != INT64_C(1) << b)
            return false;
    }
    return true;
}

/* Low bits that are 0 in the indices along each axis at the first register of an access. */
static void first_index_zeros(const struct site *s, int bits, int *axis_zeros)
{
    uint32_t held[IR_MAX_RANK] = {0};
    for (int b = 0; b < bits; b++) {
        int bit, axis = gpu_axis_of_bit(s->layout, b, &bit);
        held[axis] |= 1u << bit;
    }
    for (int i = 0; i < IR_MAX_RANK; i++)
        axis_zeros[i] = __builtin_ctz(~held[i]);
}

static bool is_aligned(const struct lowering *l, const struct site *s, int bits, uint64_t *because)
{
    int axis_zeros[IR_MAX_RANK], bytes = __builtin_ctzll(ir_elem_bytes(s->elem));
    first_index_zeros(s, bits, axis_zeros);
    struct gpu_zeros offsets = gpu_low_zeros(l->promises, s->offsets, axis_zeros);
    offsets.bits += bytes;
    struct gpu_zeros all = gpu_fewer_zeros(gpu_low_zeros(l->promises, s->pointer, NULL), offsets);
    *because = all.because;
    return all.bits >= bits + bytes;
}

/* ---- masks ----------------------------------------------------------------------------------- */

/* A mask's comparisons may have other axes than the access: fewer before a reshape that adds axes of
 * size 1, or single elements before a broadcast. By axis of the access: the comparison's axis, or -1
 * along which it is one element. */
struct axes {
    int of[IR_MAX_RANK];
};

/* How an integer tile changes over the registers of an access: not at all, as their numbers do, or
 * in another way. */
enum change { SAME, COUNTS, OTHER };

static enum change change_of(const struct site *s, const struct ir_value *value,
                             const struct axes *axes)
{
    bool same = true, counts = true;
    for (int b = 0; 1 << b < s->access; b++) {
        int64_t stride = 0;
        int bit, axis = gpu_axis_of_bit(s->layout, b, &bit);
        if (axis < 0 ||
            (axes->of[axis] >= 0 && !gpu_stride_along(value, axes->of[axis], &stride)))
            return OTHER;
        same = same && stride == 0;
        counts = counts && (int64_t)((uint64_t)stride << bit) == INT64_C(1) << b;
    }
    return same ? SAME : counts ? COUNTS : OTHER;
}

/* Whether col < n is the same for all elements of an access: where col counts up from a multiple of
 * their number, and n is another. */
static bool comparison_agrees(struct lowering *l, const struct site *s, const struct ir_op *op,
                              const struct axes *axes)
{
    bool less = op->code == IR_OP_LT || op->code == IR_OP_GE; /* col on the left */
    const struct ir_value *col = op->operands[!less], *n = op->operands[less];
    if ((!less && op->code != IR_OP_GT && op->code != IR_OP_LE) ||
        !ir_is_integer((enum ir_elem)col->type.elem) || change_of(s, n, axes) != SAME)
        return false;
    if (change_of(s, col, axes) == SAME)
        return true;
    int held[IR_MAX_RANK], axis_zeros[IR_MAX_RANK] = {0};
    int bits = __builtin_ctz((unsigned)s->access);
    first_index_zeros(s, bits, held);
    for (int i = 0; i < s->layout->rank; i++)
        if (axes->of[i] >= 0)
            axis_zeros[axes->of[i]] = held[i];
    struct gpu_zeros zeros = gpu_fewer_zeros(gpu_low_zeros(l->promises, col, axis_zeros),
                                             gpu_low_zeros(l->promises, n, axis_zeros));
    if (change_of(s, col, axes) != COUNTS || zeros.bits < bits)
        return false;
    l->aligned_used |= zeros.because;
    return true;
}

/* The axes before a broadcast or a reshape; false where a reshape does more than add or drop axes of
 * size 1. */
static bool axes_before(const struct ir_op *op, int rank, const struct axes *axes,
                        struct axes *before)
{
    struct ir_type from = op->operands[0]->type, to = op->results[0]->type;
    int place[IR_MAX_RANK]; /* of axes of the result, in the operand */
    bool simple = ir_reshape_axes(from, to, place);
    if (op->code == IR_OP_RESHAPE && !simple)
        return false;
    for (int i = 0; i < to.rank && op->code == IR_OP_BROADCAST; i++)
        place[i] = i;
    for (int i = 0; i < rank; i++) {
        int axis = axes->of[i] >= 0 ? place[axes->of[i]] : -1;
        before->of[i] = axis >= 0 && from.dims[axis] > 1 ? axis : -1;
    }
    return true;
}

static bool mask_agrees(struct lowering *l, const struct site *s, const struct ir_value *mask,
                        const struct axes *axes, int depth)
{
    const struct ir_op *op = mask->op;
    struct axes before;
    if (!op || depth == 0)
        return false;
    if (op->code == IR_OP_BROADCAST && op->operands[0]->type.rank == 0)
        return true;
    if (op->code == IR_OP_BROADCAST || op->code == IR_OP_RESHAPE)
        return axes_before(op, s->layout->rank, axes, &before) &&
               mask_agrees(l, s, op->operands[0], &before, depth - 1);
    if (op->code == IR_OP_AND || op->code == IR_OP_OR)
        return mask_agrees(l, s, op->operands[0], axes, depth - 1) &&
               mask_agrees(l, s, op->operands[1], axes, depth - 1);
    return op->operand_count == 2 && ir_has(op, IR_ELEMENTWISE) &&
           comparison_agrees(l, s, op, axes);
}

static bool masks_agree(struct lowering *l, const struct site *s)
{
    struct ir_type type = s->op->operands[0]->type;
    for (int b = 0; 1 << b < s->access; b++) {
        int bit, axis = gpu_axis_of_bit(s->layout, b, &bit);
        if (axis < 0 || type.dims[axis] % s->access != 0)
            return false;
    }
    struct axes axes;
    for (int i = 0; i < IR_MAX_RANK; i++)
        axes.of[i] = i;
    return !s->mask || mask_agrees(l, s, s->mask, &axes, 8);
}

/* ---- both ------------------------------------------------------------------------------------ */

void gpu_choose_access(struct lowering *l, struct site *s)
{
    const struct gpu_target *target = l->plan->target;
    int width = s->width, bytes = (int)ir_elem_bytes(s->elem), bits = 0;
    uint64_t because = 0;
    s->access = 1;
    if (s->elem == IR_BOOL || !s->offsets)
        return;
    while (width > 1 && (width * bytes > target->vector_bytes || width > target->vector_elements))
        width /= 2;
    while (1 << bits < width)
        bits++;
    while (bits > 0 && !is_contiguous(s, bits))
        bits--;
    while (bits > 0 && !(s->aligned = is_aligned(l, s, bits, &because)) && !target->packed_vectors)
        bits--;
    s->access = 1 << bits;
    if (s->aligned)
        l->aligned_used |= because;
    s->agrees = masks_agree(l, s);
}
