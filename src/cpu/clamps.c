/*
 * Clamped sums of ints and an index, in ints.
 *
 *     int q = (int)rint(x * scale) + zero;       zero is a parameter, so an index: 64 bits
 *     store(Out + i, minimum(maximum(q, -128), 127));
 *
 * The sum is exact, and a nest that computes it takes vectors of half as many elements. But what is
 * clamped to ints needs no more than ints: of an int tile x, of which least <= x <= most is
 * known (of any int, if nothing else), and a scalar u
 *
 *     clamp(x + u, lo, hi)   ->   clamp(x, a, b) + v           in 32 bits, with the scalars
 *                                 v = clamp(u, lo - most, hi - least)
 *                                 a = max(lo - v, least), b = min(hi - v, most)
 *
 * Where v is not u, x + u lies on one side of [lo, hi] for every such x, and so does x + v, or it
 * is the end itself. Then lo - v <= most and hi - v >= least, so that a and b are ints, and no x
 * lies beyond the end that was cut off one of them. The sum is in [lo, hi]: its lower 32 bits are
 * all of it, and v may be cut to them. Of bytes, all of this has 16 bits (small.c).
 *
 * Of unsigned bytes or shorts that are clamped to their own ends, as where pixels become brighter,
 *
 *     clamp(x + u, 0, hi)   ->   max(min(x + max(v, 0), hi) - max(-v, 0), 0)
 *
 * which is two instructions that saturate (saturate.c): one of the two scalars is 0.
 */
#include "cpu/clamps.h"
#include "ir/affine.h"

struct clamp {
    struct ir_value *ints;    /* the tile, before it was extended */
    struct ir_value *sum;     /* what is clamped */
    struct ir_value *uniform; /* the scalar that is added to it */
    bool negative;            /* or subtracted */
    int64_t least, most;
    struct ir_interval range; /* of the ints */
};

static bool is_int_range(int64_t least, int64_t most)
{
    return least >= INT32_MIN && most <= INT32_MAX;
}

/* An int tile that was extended to 64 bits. */
static struct ir_value *extended(struct ir_value *v)
{
    struct ir_op *op = v->op;
    struct ir_value *from = op && op->code == IR_OP_CAST ? op->operands[0] : NULL;
    if (!from || from->type.pointer || ir_is_float((enum ir_elem)from->type.elem) ||
        from->type.elem == IR_I64 || from->type.elem == IR_U64)
        return NULL;
    struct ir_interval range = ir_range(from);
    return is_int_range(range.least, range.most) ? from : NULL;
}

/* A scalar whose sums with ints are far from the ends of 64 bits. */
static struct ir_value *uniform(struct ir_value *v)
{
    struct ir_op *op = v->op;
    struct ir_value *scalar = op && op->code == IR_OP_BROADCAST && op->operands[0]->type.rank == 0
                                  ? op->operands[0]
                              : op && op->code == IR_OP_CONSTANT ? v
                                                                 : NULL;
    struct ir_interval range = scalar ? ir_range(scalar) : (struct ir_interval){0, 0};
    const int64_t far = INT64_C(1) << 60;
    return scalar && range.least >= -far && range.most <= far ? scalar : NULL;
}

static bool find_sum(struct ir_value *v, struct clamp *c)
{
    struct ir_op *op = v->op;
    if (!op || (op->code != IR_OP_ADD && op->code != IR_OP_SUB))
        return false;
    c->sum = v;
    c->negative = op->code == IR_OP_SUB;
    c->ints = extended(op->operands[0]);
    c->uniform = uniform(op->operands[1]);
    if (c->ints && c->uniform)
        return true;
    c->ints = extended(op->operands[1]);
    c->uniform = uniform(op->operands[0]);
    return c->ints && c->uniform && !c->negative;
}

/* A minimum of a maximum or the other way round, both with constants. */
static bool find(const struct ir_op *op, struct clamp *c)
{
    const struct ir_op *inner = op->operand_count == 2 ? op->operands[0]->op : NULL;
    int64_t outer_end, inner_end;
    bool outer_max = op->code == IR_OP_MAXIMUM;
    if ((!outer_max && op->code != IR_OP_MINIMUM) || op->results[0]->type.rank == 0 ||
        op->results[0]->type.elem != IR_I64 || !inner ||
        inner->code != (outer_max ? IR_OP_MINIMUM : IR_OP_MAXIMUM) ||
        !ir_constant_int(op->operands[1], &outer_end) ||
        !ir_constant_int(inner->operands[1], &inner_end))
        return false;
    c->least = outer_max ? outer_end : inner_end;
    c->most = outer_max ? inner_end : outer_end;
    if (c->least > c->most || !is_int_range(c->least, c->most) || !find_sum(inner->operands[0], c))
        return false;
    c->range = ir_range(c->ints);
    return true;
}

/* ---- as ints --------------------------------------------------------------------------------- */

static struct ir_value *ends(struct ir_builder *b, struct ir_value *v, int64_t least, int64_t most)
{
    struct ir_value *low = ir_constant_i64(b, least), *high = ir_constant_i64(b, most);
    return ir_binary(b, IR_OP_MINIMUM, ir_binary(b, IR_OP_MAXIMUM, v, low), high);
}

static struct ir_value *spread(struct ir_builder *b, struct ir_value *v, struct ir_type shape)
{
    return ir_broadcast(b, ir_cast(b, v, IR_I32), ir_with_elem(shape, IR_I32));
}

/* Whether an unsigned number of a short type is clamped to all numbers of the type. */
static bool is_saturated(const struct clamp *c)
{
    struct ir_type type = c->ints->type;
    return (type.elem == IR_U8 || type.elem == IR_U16) && c->least == 0 &&
           c->most == (INT64_C(1) << ir_elems[type.elem].bits) - 1;
}

static struct ir_value *saturated(struct ir_builder *b, const struct clamp *c, struct ir_value *u)
{
    struct ir_type type = c->sum->type, ints = ir_with_elem(type, IR_I32);
    struct ir_value *zero = ir_constant_i64(b, 0), *x = ir_cast(b, c->ints, IR_I32);
    struct ir_value *more = ir_binary(b, IR_OP_MAXIMUM, u, zero);
    struct ir_value *less = ir_binary(b, IR_OP_MAXIMUM, ir_unary(b, IR_OP_NEG, u), zero);
    x = ir_binary(b, IR_OP_ADD, x, spread(b, more, type));
    x = ir_binary(b, IR_OP_MINIMUM, x, ir_constant(b, ints, (uint64_t)c->most));
    x = ir_binary(b, IR_OP_SUB, x, spread(b, less, type));
    return ir_binary(b, IR_OP_MAXIMUM, x, ir_constant(b, ints, 0));
}

static struct ir_value *clamped(struct ir_builder *b, const struct clamp *c)
{
    struct ir_type type = c->sum->type;
    struct ir_value *u = c->uniform, *least = ir_constant_i64(b, c->least);
    struct ir_value *most = ir_constant_i64(b, c->most);
    int64_t value;
    if (u->type.rank > 0 && ir_constant_int(u, &value))
        u = ir_constant_i64(b, value);
    if (c->negative)
        u = ir_unary(b, IR_OP_NEG, u);
    u = ends(b, u, c->least - c->range.most, c->most - c->range.least);
    if (is_saturated(c))
        return saturated(b, c, u);
    struct ir_value *low = ir_binary(b, IR_OP_SUB, least, u);
    struct ir_value *high = ir_binary(b, IR_OP_SUB, most, u);
    low = ends(b, low, c->range.least, c->range.most);
    high = ends(b, high, c->range.least, c->range.most);
    struct ir_value *x = ir_cast(b, c->ints, IR_I32);
    x = ir_binary(b, IR_OP_MAXIMUM, x, spread(b, low, type));
    x = ir_binary(b, IR_OP_MINIMUM, x, spread(b, high, type));
    return ir_binary(b, IR_OP_ADD, x, spread(b, u, type));
}

/* What all uses of a value cut it to, or IR_BOOL. */
static enum ir_elem cut_to(const struct ir_value *v)
{
    return (enum ir_elem)(v->mark > 0 ? v->mark - 1 : IR_BOOL);
}

static int64_t most_of(enum ir_elem elem)
{
    return (INT64_C(1) << (ir_is_signed(elem) ? ir_elems[elem].bits - 1 : ir_elems[elem].bits)) - 1;
}

static int64_t least_of(enum ir_elem elem)
{
    return ir_is_signed(elem) ? -most_of(elem) - 1 : 0;
}

/* The limits of what it is cut to change nothing. But packing limits, and LLVM packs only what it
 * sees limited so; elsewhere they cost two instructions of a short one. */
static struct ir_value *limited(struct ir_builder *b, struct ir_value *v, enum ir_elem elem)
{
    struct ir_value *low = ir_constant(b, v->type, (uint32_t)least_of(elem));
    struct ir_value *high = ir_constant(b, v->type, (uint32_t)most_of(elem));
    return ir_binary(b, IR_OP_MINIMUM, ir_binary(b, IR_OP_MAXIMUM, v, low), high);
}

static bool is_short(enum ir_elem elem)
{
    return elem == IR_I8 || elem == IR_U8 || elem == IR_I16 || elem == IR_U16;
}

/* Notes in each value's mark what all uses cut it to: the element and 1; -1 where they differ. */
static bool note_uses(struct ir_op *op, void *user)
{
    (void)user;
    for (int i = 0; i < op->operand_count; i++) {
        struct ir_value *v = op->operands[i];
        int cut = op->code == IR_OP_CAST && is_short((enum ir_elem)op->results[0]->type.elem)
                      ? (int)op->results[0]->type.elem + 1
                      : -1;
        v->mark = v->mark == 0 || v->mark == cut ? cut : -1;
    }
    return true;
}

static bool clear_marks(struct ir_op *op, void *user)
{
    (void)user;
    for (int i = 0; i < op->operand_count; i++)
        op->operands[i]->mark = 0;
    for (int i = 0; i < op->result_count; i++)
        op->results[i]->mark = 0;
    return true;
}

static bool rewrite(struct ir_op *op, void *user)
{
    struct clamp c;
    struct ir_func *func = user;
    if (op->result_count != 1 || !find(op, &c))
        return true;
    struct ir_builder b = {.func = func, .region = op->parent, .before = op, .range = op->range};
    struct ir_value *ints = clamped(&b, &c);
    enum ir_elem cut = cut_to(op->results[0]);
    bool has_ints = c.range.least < INT16_MIN || c.range.most > INT16_MAX;
    if (cut != IR_BOOL && has_ints && c.least >= least_of(cut) && c.most <= most_of(cut))
        ints = limited(&b, ints, cut);
    ir_replace(op->results[0], ir_cast(&b, ints, IR_I64));
    return true;
}

void cpu_cut_clamps(struct ir_func *func)
{
    ir_walk(func->body, clear_marks, NULL);
    ir_walk(func->body, note_uses, NULL);
    ir_walk(func->body, rewrite, func);
    ir_apply_replacements(func);
}
