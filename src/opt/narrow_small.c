/*
 * narrow_small: ints made of bytes or shorts, of which no more is asked, become bytes or shorts.
 *
 *   %w = cast %c : i32 (of u8)
 *   %g = ge %w, 97                               %g = ge %c, 97 : u8
 *   %l = le %w, 122                              %l = le %c, 122 : u8
 *   %s = select (and %g, %l), %w - 32, %w   ->   %r = select (and %g, %l), %c - 32, %c
 *   %r = cast %s : u8
 *
 * C promotes what is shorter than an int, and a vector has room for four times as many bytes as
 * ints. Asked of bytes: what a cast cuts, what a choice between bytes, `any` and `all` hang on, and
 * how often a condition holds: sum(where(c, 1, 0)), of which the cast of the condition is left.
 *
 * Why it is right: the low bits of sums, differences, products, choices and bits hang on low bits
 * alone. Comparisons, minima, magnitudes, divisions and shifts to the right hang on all bits; they
 * are done in fewer only where ranges (ir/affine.h) say that their operands have no more, as signed
 * or as unsigned numbers, so that the short ones are those numbers. All of what a root asks for is
 * made, or nothing: one int left over would keep the vectors as short as ints have them. Shorts
 * without a comparison are left to src/cpu/small.c, products and quotients of bytes too, as there
 * are no instructions for them.
 *
 * CPUs only: a thread of a GPU computes in registers of 32 bits.
 */
#include "ir/affine.h"
#include "opt/pass.h"

enum { BUDGET = 256 };

struct narrow {
    struct ir_func *func;
    int width;                 /* 8 or 16 */
    int budget, ops, compares; /* found under a root */
    bool changed;
    struct made { /* what was made for the root */
        const struct ir_value *of;
        enum ir_elem elem;
        struct ir_value *value;
        struct made *next;
    } *made;
};

static enum ir_elem elem_of(const struct narrow *n, bool is_signed)
{
    if (n->width == 8)
        return is_signed ? IR_I8 : IR_U8;
    return is_signed ? IR_I16 : IR_U16;
}

static bool is_int(struct ir_type type)
{
    return !type.pointer && (type.elem == IR_I32 || type.elem == IR_U32);
}

/* An integer, or bool, of no more bits than there are. */
static bool is_short(const struct narrow *n, struct ir_type type)
{
    return !type.pointer && !ir_is_float((enum ir_elem)type.elem) &&
           (int)ir_elems[type.elem].bits <= n->width;
}

/* ---- what may be narrowed -------------------------------------------------------------------- */

static bool fits(const struct narrow *n, const struct ir_value *v, bool is_signed)
{
    struct ir_interval range = ir_range(v);
    int64_t limit = INT64_C(1) << (is_signed ? n->width - 1 : n->width);
    return range.least >= (is_signed ? -limit : 0) && range.most < limit;
}

/* Whether all operands are numbers of so many bits; as which. */
static bool operands_fit(const struct narrow *n, const struct ir_op *op, bool *is_signed)
{
    for (int as_signed = 0; as_signed < 2; as_signed++) {
        bool all = true;
        for (int i = 0; i < op->operand_count; i++)
            all = all && fits(n, op->operands[i], as_signed);
        *is_signed = as_signed;
        if (all)
            return true;
    }
    return false;
}

static bool counts_below_width(const struct narrow *n, const struct ir_value *count)
{
    int64_t known;
    return ir_constant_int(count, &known) && known >= 0 && known < n->width;
}

static bool divides_by_positive(const struct ir_op *op)
{
    int64_t known;
    return ir_constant_int(op->operands[1], &known) && known > 0;
}

/* Whether the op's low bits can be made of those of its operands. */
static bool is_narrowed(const struct narrow *n, const struct ir_op *op)
{
    bool is_signed;
    switch (op->code) {
    case IR_OP_ADD:
    case IR_OP_SUB:
    case IR_OP_NEG:
    case IR_OP_AND:
    case IR_OP_OR:
    case IR_OP_XOR:
    case IR_OP_NOT:
    case IR_OP_SELECT:
        return true;
    case IR_OP_MUL:
        return n->width == 16;
    case IR_OP_SHL:
        return counts_below_width(n, op->operands[1]);
    case IR_OP_SHR:
        return counts_below_width(n, op->operands[1]) &&
               (fits(n, op->operands[0], false) || fits(n, op->operands[0], true));
    case IR_OP_DIV:
        return n->width == 16 && divides_by_positive(op) && operands_fit(n, op, &is_signed);
    case IR_OP_MAXIMUM:
    case IR_OP_MINIMUM:
        return operands_fit(n, op, &is_signed);
    case IR_OP_ABS:
        return fits(n, op->operands[0], true);
    default:
        return false;
    }
}

static bool may_choose(struct narrow *n, struct ir_value *value);

/* A condition that is taken as it is. */
static bool is_at_hand(const struct ir_op *op)
{
    return op->code == IR_OP_CONSTANT || op->code == IR_OP_LOAD || op->code == IR_OP_VIEW_LOAD ||
           (op->code == IR_OP_BROADCAST && op->operands[0]->type.rank == 0);
}

/* Whether the low bits of the ints can be made. */
static bool may_cut(struct narrow *n, struct ir_value *value)
{
    const struct ir_value *v = ir_current(value);
    const struct ir_op *op = v->op;
    if (!op || !is_int(v->type) || n->budget-- <= 0)
        return false;
    switch (op->code) {
    case IR_OP_CONSTANT:
        return true;
    case IR_OP_BROADCAST:
        return op->operands[0]->type.rank == 0 || may_cut(n, op->operands[0]);
    case IR_OP_CAST:
        return is_short(n, op->operands[0]->type) || may_cut(n, op->operands[0]);
    default:
        break;
    }
    if (!is_narrowed(n, op))
        return false;
    n->ops++;
    for (int i = 0; i < op->operand_count; i++) {
        bool condition = op->code == IR_OP_SELECT && i == 0;
        if (condition ? !may_choose(n, op->operands[i]) : !may_cut(n, op->operands[i]))
            return false;
    }
    return true;
}

/* Whether shorts, or indices as they are, can be compared in place of the operands. */
static bool may_compare(struct narrow *n, const struct ir_op *op)
{
    struct ir_type type = op->operands[0]->type;
    bool is_signed;
    if (!is_int(type))
        return is_short(n, type) || (!type.pointer && type.elem == IR_I64);
    n->compares++;
    return operands_fit(n, op, &is_signed) && may_cut(n, op->operands[0]) &&
           may_cut(n, op->operands[1]);
}

/* Whether the condition is made of shorts alone, of indices, or of conditions that are at hand. */
static bool may_choose(struct narrow *n, struct ir_value *value)
{
    const struct ir_value *v = ir_current(value);
    const struct ir_op *op = v->op;
    if (!op || n->budget-- <= 0)
        return false;
    if (ir_is_comparison(op->code))
        return may_compare(n, op);
    switch (op->code) {
    case IR_OP_AND:
    case IR_OP_OR:
    case IR_OP_XOR:
    case IR_OP_NOT:
        for (int i = 0; i < op->operand_count; i++) {
            if (!may_choose(n, op->operands[i]))
                return false;
        }
        return true;
    default:
        return is_at_hand(op);
    }
}

/* ---- narrowing ------------------------------------------------------------------------------- */

static struct ir_value *cut(struct narrow *n, struct ir_value *v, enum ir_elem elem);
static struct ir_value *choose(struct narrow *n, struct ir_value *v);

/* The op on shorter operands. Where all of its bits count, they are signed as their ranges say. */
static struct ir_value *cut_op(struct narrow *n, struct ir_builder *b, const struct ir_op *op,
                               enum ir_elem elem)
{
    struct ir_value *in[3];
    bool is_signed = ir_is_signed(elem);
    if (op->code == IR_OP_SHR)
        is_signed = !fits(n, op->operands[0], false);
    else if (op->code == IR_OP_ABS)
        is_signed = true;
    else if (op->code == IR_OP_DIV || op->code == IR_OP_MAXIMUM || op->code == IR_OP_MINIMUM)
        operands_fit(n, op, &is_signed);
    for (int i = 0; i < op->operand_count; i++) {
        bool condition = op->code == IR_OP_SELECT && i == 0;
        in[i] =
            condition ? choose(n, op->operands[i]) : cut(n, op->operands[i], elem_of(n, is_signed));
    }
    struct ir_value *made = op->operand_count == 1   ? ir_unary(b, op->code, in[0])
                            : op->operand_count == 2 ? ir_binary(b, op->code, in[0], in[1])
                                                     : ir_ternary(b, op->code, in[0], in[1], in[2]);
    return ir_cast(b, made, elem);
}

static struct ir_value *make_cut(struct narrow *n, struct ir_value *v, enum ir_elem elem)
{
    struct ir_op *op = v->op;
    struct ir_builder b = pass_builder(n->func, op);
    uint64_t mask = (UINT64_C(1) << n->width) - 1;
    switch (op->code) {
    case IR_OP_CONSTANT:
        return ir_constant(&b, ir_with_elem(v->type, elem), op->attributes.bits & mask);
    case IR_OP_BROADCAST: {
        struct ir_value *x = op->operands[0];
        x = x->type.rank == 0 ? ir_cast(&b, x, elem) : cut(n, x, elem);
        return ir_broadcast(&b, x, ir_with_elem(v->type, elem));
    }
    case IR_OP_CAST:
        if (!is_short(n, op->operands[0]->type))
            return cut(n, op->operands[0], elem);
        return ir_cast(&b, ir_current(op->operands[0]), elem);
    default:
        return cut_op(n, &b, op, elem);
    }
}

/* What was made of a value before, or else; bool: a condition. */
static struct ir_value *find(const struct narrow *n, const struct ir_value *v, enum ir_elem elem)
{
    for (const struct made *m = n->made; m; m = m->next) {
        if (m->of == v && m->elem == elem)
            return m->value;
    }
    return NULL;
}

static struct ir_value *keep(struct narrow *n, const struct ir_value *v, enum ir_elem elem,
                             struct ir_value *value)
{
    struct made *made = ARENA_NEW(n->func->arena, struct made);
    *made = (struct made){v, elem, value, n->made};
    n->made = made;
    return value;
}

static struct ir_value *cut(struct narrow *n, struct ir_value *v, enum ir_elem elem)
{
    v = ir_current(v);
    struct ir_value *made = find(n, v, elem);
    return made ? made : keep(n, v, elem, make_cut(n, v, elem));
}

static struct ir_value *make_choice(struct narrow *n, struct ir_value *v)
{
    struct ir_op *op = v->op;
    struct ir_builder b = pass_builder(n->func, op);
    bool compares = op->code >= IR_OP_EQ && op->code <= IR_OP_GE, is_signed;
    struct ir_value *in[2];
    if (is_at_hand(op) || (compares && !is_int(op->operands[0]->type)))
        return v;
    if (compares)
        operands_fit(n, op, &is_signed);
    for (int i = 0; i < op->operand_count; i++)
        in[i] =
            compares ? cut(n, op->operands[i], elem_of(n, is_signed)) : choose(n, op->operands[i]);
    return op->operand_count == 1 ? ir_unary(&b, op->code, in[0])
                                  : ir_binary(&b, op->code, in[0], in[1]);
}

static struct ir_value *choose(struct narrow *n, struct ir_value *v)
{
    v = ir_current(v);
    struct ir_value *made = find(n, v, IR_BOOL);
    return made ? made : keep(n, v, IR_BOOL, make_choice(n, v));
}

/* ---- roots ----------------------------------------------------------------------------------- */

/* The condition that a sum of ints counts, or NULL. */
static struct ir_value *counted(const struct ir_op *sum)
{
    const struct ir_op *op = ir_current(sum->operands[0])->op;
    if (!op || !is_int(op->results[0]->type))
        return NULL;
    if (op->code == IR_OP_CAST && op->operands[0]->type.elem == IR_BOOL)
        return op->operands[0];
    bool selects =
        op->code == IR_OP_SELECT && ir_is_int(op->operands[1], 1) && ir_is_int(op->operands[2], 0);
    return selects ? op->operands[0] : NULL;
}

/* What a root hangs on: a condition, or (a cast's) ints; NULL: it is no root. */
static struct ir_value *asked(const struct narrow *n, const struct ir_op *op)
{
    const struct ir_value *result = op->result_count == 1 ? op->results[0] : NULL;
    switch (op->code) {
    case IR_OP_CAST:
        return result->type.rank > 0 && is_short(n, result->type) && result->type.elem != IR_BOOL &&
                       is_int(op->operands[0]->type)
                   ? op->operands[0]
                   : NULL;
    case IR_OP_SELECT:
        return result->type.rank > 0 && is_short(n, result->type) ? op->operands[0] : NULL;
    case IR_OP_ANY:
    case IR_OP_ALL:
        return op->operands[0];
    case IR_OP_SUM:
        return counted(op);
    default:
        return NULL;
    }
}

static struct ir_value *rebuild(struct narrow *n, struct ir_op *op, struct ir_value *from)
{
    struct ir_builder b = pass_builder(n->func, op);
    struct ir_value *result = op->results[0];
    if (op->code == IR_OP_CAST) {
        enum ir_elem to = (enum ir_elem)result->type.elem;
        return ir_cast(&b, cut(n, from, elem_of(n, ir_is_signed(to))), to);
    }
    struct ir_value *condition = choose(n, from);
    if (op->code == IR_OP_SELECT)
        return ir_ternary(&b, IR_OP_SELECT, condition, op->operands[1], op->operands[2]);
    if (op->code == IR_OP_SUM)
        condition = ir_cast(&b, condition, (enum ir_elem)op->operands[0]->type.elem);
    return ir_reduce(&b, op->code, condition, op->attributes.axis);
}

static bool visit(struct ir_op *op, void *user)
{
    struct narrow *n = user;
    for (n->width = 8; n->width <= 16; n->width *= 2) {
        struct ir_value *from = asked(n, op);
        n->budget = BUDGET;
        n->ops = n->compares = 0;
        n->made = NULL;
        if (!from || from->type.rank == 0)
            continue;
        bool cuts = op->code == IR_OP_CAST;
        if (cuts ? !may_cut(n, from) : !may_choose(n, from))
            continue;
        if (n->compares == 0 && !(n->width == 8 && n->ops > 0))
            continue;
        ir_replace(op->results[0], rebuild(n, op, from));
        ir_remove(op);
        n->changed = true;
        break;
    }
    return true;
}

bool pass_narrow_small(struct pass_context *context, struct ir_func *func)
{
    struct narrow n = {.func = func};
    if (!context->carries_in_memory)
        return false;
    ir_walk(func->body, visit, &n);
    ir_apply_replacements(func);
    return n.changed;
}
