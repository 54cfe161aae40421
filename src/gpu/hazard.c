/*
 * Barriers between accesses of the kernel's buffers.
 *
 * In Tile IR what a program stores, its later loads see. Here another thread may have stored it. So
 * a barrier stands in front of an access that may touch what another thread has touched since the
 * last one, unless both only read, or each element surely belongs to the same thread both times.
 * Buffers of different parameters do not meet when one of them is restrict.
 */
#include "gpu/lower.h"

#include "opt/pass.h"

static const struct pass_context nothing_known;

/* The same addresses, each by the one thread that holds the element; or surely different ones. */
static bool is_harmless(const struct access *a, const struct access *b)
{
    if (!a->base || a->base != b->base || a->offsets != b->offsets)
        return false;
    return a->disjoint ||
           (b->base && layout_equal(&a->layout, &b->layout) && layout_is_bijective(&a->layout));
}

static bool conflicts(const struct lowering *l, const struct access *a, const struct access *b)
{
    return (a->writes || b->writes) &&
           pass_may_alias(&nothing_known, l->source, a->root, b->root) && !is_harmless(a, b);
}

static void push(struct lowering *l, struct access access)
{
    for (size_t i = 0; i < l->pending.count; i++) {
        const struct access *known = &l->pending.items[i];
        if (known->root == access.root && known->writes == access.writes && !known->base)
            return;
    }
    ARENA_PUSH(l->arena, &l->pending, access);
}

struct access_list gpu_save_pending(struct lowering *l)
{
    struct access_list copy = {0};
    for (size_t i = 0; i < l->pending.count; i++)
        ARENA_PUSH(l->arena, &copy, l->pending.items[i]);
    return copy;
}

void gpu_note_access(struct lowering *l, const struct ir_op *op, const struct ir_value *base,
                       const struct ir_value *offsets, const struct layout *layout)
{
    struct access access = {.root = pass_pointer_root(base), .writes = ir_has(op, IR_WRITES)};
    if (layout) {
        access.base = base;
        access.offsets = offsets;
        access.layout = *layout;
    }
    for (size_t i = 0; i < l->pending.count; i++) {
        if (conflicts(l, &l->pending.items[i], &access)) {
            gpu_barrier(l, IR_SCOPE_DEVICE);
            l->pending.count = 0;
            break;
        }
    }
    push(l, access);
}

/* ---- trips of a loop ------------------------------------------------------------------------------ */

/* By how much a value grows with the counter, modulo 2^64; false when that is not known. */
static bool growth(const struct ir_value *value, const struct ir_op *loop, int depth,
                   int64_t *factor)
{
    const struct ir_op *op = value->op;
    int64_t x, y, c;
    *factor = value == loop->regions[0]->arguments[0];
    if (*factor || pass_is_outside(value, loop))
        return true;
    if (!op || depth == 0)
        return false;
    switch (op->code) {
    case IR_OP_CONSTANT:
    case IR_OP_ARANGE:
    case IR_OP_PROGRAM_ID:
        return true;
    case IR_OP_BROADCAST:
    case IR_OP_RESHAPE:
    case IR_OP_TRANS:
    case IR_OP_CONVERT_LAYOUT:
        return growth(op->operands[0], loop, depth - 1, factor);
    case IR_OP_ADD:
    case IR_OP_SUB:
    case IR_OP_ADDPTR:
        if (!growth(op->operands[0], loop, depth - 1, &x) ||
            !growth(op->operands[1], loop, depth - 1, &y))
            return false;
        *factor = (int64_t)((uint64_t)x + (op->code == IR_OP_SUB ? 0 - (uint64_t)y : (uint64_t)y));
        return true;
    case IR_OP_MUL:
        if (!ir_constant_int(op->operands[1], &c) ||
            !growth(op->operands[0], loop, depth - 1, &x))
            return false;
        *factor = (int64_t)((uint64_t)x * (uint64_t)c);
        return true;
    default:
        return false;
    }
}

/* Whether each trip touches addresses of its own: the counter moves them further than the tile is
 * wide. A tile whose addresses wrap around would not lie in a buffer. */
static bool trips_are_disjoint(const struct ir_value *base, const struct ir_value *offsets,
                               const struct ir_op *loop)
{
    const int64_t far = INT64_C(1) << 40;
    int64_t of_base, of_offsets = 0, step, stride, reach = 0;
    if (loop->code != IR_OP_FOR || !ir_constant_int(loop->operands[2], &step) || step <= 0 ||
        step > far || !growth(base, loop, 16, &of_base) ||
        (offsets && !growth(offsets, loop, 16, &of_offsets)))
        return false;
    int64_t total = (int64_t)((uint64_t)of_base + (uint64_t)of_offsets);
    for (int i = 0; offsets && i < offsets->type.rank; i++) {
        if (!gpu_stride_along(offsets, i, &stride) || stride > far || stride < -far)
            return false;
        reach += (stride < 0 ? -stride : stride) * (offsets->type.dims[i] - 1);
    }
    return total <= far && total >= -far && (total < 0 ? -total : total) * step > reach;
}

struct region_walk {
    struct lowering *l;
    const struct ir_op *loop;
};

static bool note_op(struct ir_op *op, void *user)
{
    struct region_walk *walk = user;
    struct ir_value *base, *offsets;
    if (!pass_touches_memory(op, IR_READS | IR_WRITES) || !op->operands[0]->type.pointer)
        return true;
    gpu_pointer_parts(op->operands[0], &base, &offsets);
    struct access access = {.root = pass_pointer_root(base), .writes = ir_has(op, IR_WRITES)};
    if (walk->loop && trips_are_disjoint(base, offsets, walk->loop)) {
        access.base = base;
        access.offsets = offsets;
        access.disjoint = true;
    }
    push(walk->l, access);
    return true;
}

void gpu_note_region(struct lowering *l, const struct ir_region *region, const struct ir_op *loop)
{
    struct region_walk walk = {l, loop};
    ir_walk((struct ir_region *)region, note_op, &walk);
}
