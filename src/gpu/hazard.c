/*
 * Barriers between accesses of the kernel's buffers.
 *
 * In Tile IR what a program stores, its later loads see. Here another thread may have stored it. So
 * a barrier stands in front of an access that may touch what another thread has touched since the
 * last one, unless both only read, or each element surely belongs to the same thread both times.
 * Buffers of different parameters do not meet when one of them is restrict.
 */
#include "gpu/lower.h"

#include "gpu/widen.h"
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

static bool follows(const struct access *before, const struct access *after);

static bool conflicts(const struct lowering *l, const struct access *a, const struct access *b)
{
    return (a->writes || b->writes) &&
           pass_may_alias(&nothing_known, l->source, a->root, b->root) && !is_harmless(a, b) &&
           !follows(a, b);
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
        access.loop = op->parent->parent;
    }
    for (size_t i = 0; i < l->pending.count; i++) {
        if (conflicts(l, &l->pending.items[i], &access)) {
            gpu_barrier(l, IR_SCOPE_DEVICE);
            l->pending.count = 0;
            break;
        }
    }
    access.loop = NULL; /* this trip's alone */
    push(l, access);
}

/* ---- trips of a loop ------------------------------------------------------------------------- */

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
    if (ir_shows_operand(op))
        return growth(op->operands[0], loop, depth - 1, factor);
    switch (op->code) {
    case IR_OP_CONSTANT:
    case IR_OP_ARANGE:
    case IR_OP_PROGRAM_ID:
        return true;
    case IR_OP_ADD:
    case IR_OP_SUB:
    case IR_OP_ADDPTR:
        if (!growth(op->operands[0], loop, depth - 1, &x) ||
            !growth(op->operands[1], loop, depth - 1, &y))
            return false;
        *factor = (int64_t)((uint64_t)x + (op->code == IR_OP_SUB ? 0 - (uint64_t)y : (uint64_t)y));
        return true;
    case IR_OP_MUL:
        if (!ir_constant_int(op->operands[1], &c) || !growth(op->operands[0], loop, depth - 1, &x))
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
    int64_t apart; /* two trips; what does not fit is further than any tile is wide */
    return total <= far && total >= -far &&
           (__builtin_mul_overflow(total < 0 ? -total : total, step, &apart) || apart > reach);
}

/* ---- one loop behind another ----------------------------------------------------------------- */

enum { MOST_TERMS = 8 };

/* An address in a loop: terms + constant + factor * counter + 0..reach, in elements. */
struct span {
    const struct ir_op *loop;
    int count;
    struct {
        const struct ir_value *value;
        int64_t factor;
    } terms[MOST_TERMS];
    int64_t constant, factor, reach;
};

static bool add_term(struct span *span, const struct ir_value *value, int64_t factor)
{
    for (int i = 0; i < span->count; i++) {
        if (span->terms[i].value == value) {
            span->terms[i].factor += factor;
            return true;
        }
    }
    if (span->count == MOST_TERMS)
        return false;
    span->terms[span->count].value = value;
    span->terms[span->count++].factor = factor;
    return true;
}

static bool add_to_span(struct span *span, const struct ir_value *value, int64_t scale, int depth)
{
    const struct ir_op *op = value->op;
    int64_t constant;
    if (value == span->loop->regions[0]->arguments[0]) {
        span->factor += scale;
        return true;
    }
    if (!value->type.pointer && ir_constant_int(value, &constant)) {
        span->constant += constant * scale;
        return constant > -(1 << 30) && constant < 1 << 30;
    }
    bool sum = op && (op->code == IR_OP_ADD || op->code == IR_OP_ADDPTR || op->code == IR_OP_SUB);
    if (sum && depth > 0)
        return add_to_span(span, op->operands[0], scale, depth - 1) &&
               add_to_span(span, op->operands[1], op->code == IR_OP_SUB ? -scale : scale,
                           depth - 1);
    if (value->type.rank == 0)
        return pass_is_outside(value, span->loop) && add_term(span, value, scale);
    if (!op || depth == 0)
        return false;
    if (ir_shows_operand(op))
        return add_to_span(span, op->operands[0], scale, depth - 1);
    if (op->code != IR_OP_ARANGE)
        return false;
    span->constant += op->attributes.begin * scale;
    return op->attributes.begin > -(1 << 30) && op->attributes.begin < 1 << 30;
}

/* False unless it is in a loop that counts and the tile's elements lie upwards of its first one. */
static bool span_of(const struct access *access, struct span *span)
{
    const int64_t far = INT64_C(1) << 40;
    *span = (struct span){.loop = access->loop};
    if (!access->loop || access->loop->code != IR_OP_FOR || !access->base ||
        !add_to_span(span, access->base, 1, 16) ||
        (access->offsets && !add_to_span(span, access->offsets, 1, 16)))
        return false;
    for (int i = 0; access->offsets && i < access->offsets->type.rank; i++) {
        int64_t stride;
        if (!gpu_stride_along(access->offsets, i, &stride) || stride < 0 || stride > far)
            return false;
        span->reach += stride * (access->offsets->type.dims[i] - 1);
    }
    return true;
}

static bool same_terms(const struct span *a, const struct span *b)
{
    if (a->count != b->count || a->constant != b->constant || a->factor != b->factor)
        return false;
    for (int i = 0; i < a->count; i++) {
        bool found = false;
        for (int k = 0; k < b->count; k++)
            found = found || (a->terms[i].value == b->terms[k].value &&
                              a->terms[i].factor == b->terms[k].factor);
        if (!found)
            return false;
    }
    return true;
}

/* A loop goes on where the one before ends, over the same array: an interior and its tail. All that
 * the first touches lies below all that the second touches. */
static bool follows(const struct access *before, const struct access *after)
{
    struct span a, b;
    int64_t step;
    if (before->loop == after->loop || !span_of(before, &a) || !span_of(after, &b) ||
        before->loop->operands[1] != after->loop->operands[0])
        return false;
    int64_t apart;
    return ir_constant_int(before->loop->operands[2], &step) && step > 0 && a.factor > 0 &&
           (__builtin_mul_overflow(a.factor, step, &apart) || a.reach < apart) &&
           gpu_ends_at_a_trip(before->loop, step) && same_terms(&a, &b);
}

/* ---- regions --------------------------------------------------------------------------------- */

struct region_walk {
    struct lowering *l;
    const struct ir_op *loop;
    bool inside, settles;
};

static struct access access_of(const struct region_walk *walk, const struct ir_op *op)
{
    struct ir_value *base, *offsets;
    gpu_pointer_parts(op->operands[0], &base, &offsets);
    struct access access = {.root = pass_pointer_root(base), .writes = ir_has(op, IR_WRITES)};
    if (walk->loop && walk->inside && trips_are_disjoint(base, offsets, walk->loop)) {
        access.base = base;
        access.offsets = offsets;
        access.disjoint = true;
    } else if (walk->loop && !walk->inside) {
        access.base = base;
        access.offsets = offsets;
        access.loop = walk->loop;
    }
    return access;
}

static bool note_op(struct ir_op *op, void *user)
{
    struct region_walk *walk = user;
    struct lowering *l = walk->l;
    if (!pass_touches_memory(op, IR_READS | IR_WRITES) || !op->operands[0]->type.pointer)
        return true;
    struct access access = access_of(walk, op);
    for (size_t i = 0; walk->settles && i < l->pending.count; i++) {
        if (conflicts(l, &l->pending.items[i], &access)) {
            gpu_barrier(l, IR_SCOPE_DEVICE);
            l->pending.count = 0;
        }
    }
    if (!walk->settles)
        push(l, access);
    return true;
}

void gpu_note_region(struct lowering *l, const struct ir_region *region, const struct ir_op *loop,
                     bool inside)
{
    struct region_walk walk = {.l = l, .loop = loop, .inside = inside};
    ir_walk((struct ir_region *)region, note_op, &walk);
}

void gpu_note_loop(struct lowering *l, const struct ir_op *loop)
{
    struct region_walk walk = {.l = l, .loop = loop, .settles = true};
    for (int i = 0; i < loop->region_count; i++)
        ir_walk(loop->regions[i], note_op, &walk);
}
