/*
 * Sums that end at the ends of bytes, shorts or ints.
 *
 *     int s = load(X + i) + load(Y + i);                          shorts, which C promotes to int
 *     store(Out + i, minimum(maximum(s, -32768), 32767));
 *
 * Processors add and subtract bytes and shorts so in one instruction (paddsw, uqsub), and a vector
 * has room for two or four times as many of them as of ints. Ints, which are added in 64 bits to
 * be limited, have no instruction on x86, but it is a few of them in twice as many lanes. The
 * limits may be written as minima and maxima or as choices (`where(s > 255, 255, s)`), and one
 * alone will do where ranges (ir/affine.h) say that the sum never gets to the other end:
 * `maximum(a - b, 0)` of unsigned bytes.
 *
 * Why it is right: both operands are numbers of the short type, so their sum or difference is exact
 * in the wider one, and the limits are those of the short type or never met. What is limited again
 * may be an operand of the next.
 */
#include "cpu/saturate.h"
#include "ir/affine.h"

struct sum { /* limited to the numbers of a type */
    bool subtracts;
    const struct ir_value *a, *b;
};

struct limits { /* what is asked of a value: it, but not below the one or above the other */
    const struct ir_value *of;
    struct ir_interval ends;
};

static struct ir_interval numbers_of(enum ir_elem elem)
{
    int bits = (int)ir_elems[elem].bits - ir_is_signed(elem);
    int64_t most = bits >= 63 ? INT64_MAX : (INT64_C(1) << bits) - 1;
    return (struct ir_interval){ir_is_signed(elem) ? -most - 1 : 0, most};
}

static bool is_narrow(struct ir_type type)
{
    return !type.pointer && ir_is_integer((enum ir_elem)type.elem) && type.elem != IR_BOOL &&
           ir_elems[type.elem].bits <= 32;
}

static bool is_wider(struct ir_type type, enum ir_elem elem)
{
    return !type.pointer && ir_is_integer((enum ir_elem)type.elem) && type.elem != IR_BOOL &&
           ir_elems[type.elem].bits > ir_elems[elem].bits;
}

static bool lies_in(struct ir_interval a, struct ir_interval b)
{
    return a.least >= b.least && a.most <= b.most;
}

/* ---- limits ---------------------------------------------------------------------------------- */

/* x > c or its opposite, of a constant. */
static bool exceeds(const struct ir_op *op, int64_t *c, bool *opposite)
{
    if (!ir_is_ordering(op->code) || !ir_constant_int(op->operands[1], c))
        return false;
    *c -= op->code == IR_OP_LT || op->code == IR_OP_GE; /* x >= c is x > c - 1 */
    *opposite = op->code == IR_OP_LT || op->code == IR_OP_LE;
    return true;
}

/* What a minimum or maximum with a constant, or a choice that is one, limits. */
static const struct ir_value *limited(const struct ir_op *op, int64_t *end, bool *upper)
{
    bool opposite;
    int64_t c;
    if (op->code == IR_OP_MINIMUM || op->code == IR_OP_MAXIMUM) {
        *upper = op->code == IR_OP_MINIMUM;
        for (int i = 0; i < 2; i++) {
            if (ir_constant_int(op->operands[i], end))
                return op->operands[1 - i];
        }
        return NULL;
    }
    const struct ir_op *compare = op->code == IR_OP_SELECT ? op->operands[0]->op : NULL;
    if (!compare || !exceeds(compare, &c, &opposite))
        return NULL;
    const struct ir_value *above = op->operands[1 + opposite], *x = compare->operands[0];
    const struct ir_value *else_ = op->operands[2 - opposite];
    *upper = else_ == x;
    if ((above == x) == (else_ == x) || !ir_constant_int(above == x ? else_ : above, end))
        return NULL;
    return *end == c || *end == c + 1 ? x : NULL;
}

/* The op that makes the value in this nest; NULL: it is there already. */
static const struct ir_op *made_by(struct cpu_emit *e, const struct ir_value *v)
{
    return cpu_value_of(e, v)->buffer ? NULL : v->op;
}

/* One limit after the other; false: they leave a constant. */
static bool find_limits(struct cpu_emit *e, const struct ir_value *v, struct limits *l)
{
    *l = (struct limits){v, {INT64_MIN, INT64_MAX}};
    for (;;) {
        int64_t end;
        bool upper;
        const struct ir_op *op = made_by(e, l->of);
        const struct ir_value *x = op ? limited(op, &end, &upper) : NULL;
        if (!x)
            return true;
        if (upper ? end < l->ends.least : end > l->ends.most)
            return false;
        if (upper && end < l->ends.most)
            l->ends.most = end;
        if (!upper && end > l->ends.least)
            l->ends.least = end;
        l->of = x;
    }
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* Whether v is a sum or difference of two numbers of the type that ends at its ends. */
static bool find_sum(struct cpu_emit *e, const struct ir_value *v, enum ir_elem elem,
                     struct sum *sum)
{
    struct limits l;
    if (!is_wider(v->type, elem) || v->type.rank == 0 || !find_limits(e, v, &l) || l.of == v)
        return false;
    const struct ir_op *op = made_by(e, l.of);
    struct ir_interval all = numbers_of(elem);
    if (!op || (op->code != IR_OP_ADD && op->code != IR_OP_SUB))
        return false;
    *sum = (struct sum){op->code == IR_OP_SUB, op->operands[0], op->operands[1]};
    struct ir_interval a = ir_range(sum->a), b = ir_range(sum->b);
    if (!lies_in(a, all) || !lies_in(b, all))
        return false;
    struct ir_interval range = {a.least + b.least, a.most + b.most};
    if (sum->subtracts)
        range = (struct ir_interval){a.least - b.most, a.most - b.least};
    bool low = all.least > range.least, high = range.most > all.most;
    return lies_in(range, numbers_of((enum ir_elem)v->type.elem)) && (low || high) &&
           (low ? l.ends.least == all.least : l.ends.least <= range.least) &&
           (high ? l.ends.most == all.most : l.ends.most >= range.most);
}

/* A number of the type that is at hand: what was extended, or the same for all elements. */
static const struct ir_value *at_hand(struct cpu_emit *e, const struct ir_value *v)
{
    if (v->type.rank == 0 || cpu_is_uniform(e, v))
        return v;
    const struct ir_op *op = made_by(e, v);
    bool extends = op && op->code == IR_OP_CAST && is_narrow(op->operands[0]->type);
    return extends ? op->operands[0] : NULL;
}

static bool collect(struct cpu_emit *e, const struct ir_value *v, enum ir_elem elem,
                    const struct ir_value **parts, int *count)
{
    struct sum sum;
    if (find_sum(e, v, elem, &sum))
        return collect(e, sum.a, elem, parts, count) && collect(e, sum.b, elem, parts, count);
    const struct ir_value *part = at_hand(e, v);
    if (!part || *count == CPU_MOST_SATURATED ||
        ir_elems[part->type.elem].bits > (part == v ? 64 : ir_elems[elem].bits))
        return false;
    parts[(*count)++] = part;
    return true;
}

int cpu_saturated(struct cpu_emit *e, const struct ir_op *cast,
                  const struct ir_value *parts[CPU_MOST_SATURATED])
{
    int count = 0;
    if (cast->code != IR_OP_CAST || cast->results[0]->type.rank == 0 ||
        !is_narrow(cast->results[0]->type) ||
        !collect(e, cast->operands[0], (enum ir_elem)cast->results[0]->type.elem, parts, &count))
        return 0;
    return count > 1 ? count : 0;
}

/* ---- as code --------------------------------------------------------------------------------- */

static struct cpu_element make(struct cpu_emit *e, const struct ir_value *v, enum ir_elem elem,
                               const struct cpu_position *p)
{
    struct sum sum;
    if (!find_sum(e, v, elem, &sum)) {
        const struct ir_value *part = at_hand(e, v);
        struct cpu_element element = cpu_element_of(e, part, p);
        element.v = cpu_convert(&e->math, element.v, (enum ir_elem)part->type.elem, elem);
        return element;
    }
    struct cpu_element a = make(e, sum.a, elem, p), b = make(e, sum.b, elem, p);
    bool vector = a.vector || b.vector, is_signed = ir_is_signed(elem);
    LLVMValueRef operands[] = {vector ? cpu_spread(e, a) : a.v, vector ? cpu_spread(e, b) : b.v};
    LLVMTypeRef type = LLVMTypeOf(operands[0]);
    const char *name = sum.subtracts ? (is_signed ? "llvm.ssub.sat" : "llvm.usub.sat")
                                     : (is_signed ? "llvm.sadd.sat" : "llvm.uadd.sat");
    return (struct cpu_element){cpu_intrinsic(e, name, 1, &type, 2, operands), vector};
}

struct cpu_element cpu_saturated_element(struct cpu_emit *e, const struct ir_op *cast,
                                         const struct cpu_position *p)
{
    return make(e, cast->operands[0], (enum ir_elem)cast->results[0]->type.elem, p);
}
