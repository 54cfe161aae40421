/*
 * narrow: indices in 32 bits, where that is enough.
 *
 *   %N = cast %n : i64
 *   %a = mul %row, %N : i64                  %r = cast %row : i32
 *   %p = addptr %X, %a : ptr<f32>            %a = mul %r, %n : i32
 *   %c = add %t, %256 : i64           ->     %i = add %a, (cast %t : i32) : i32
 *   %q = addptr %p, %c : ptr<f32>            %p = addptr %X, (cast %i : i64) : ptr<f32>
 *                                            %q = addptr %p, %256 : ptr<f32>
 *
 * An address lies in its array wherever something is accessed, so that its number of elements from
 * the array's first one is below 2^31 if the array has no more. The low 32 bits of a sum or product
 * depend on those of its operands alone; so that number may be computed in 32 bits however large
 * the numbers on the way are, and widened once. Constants that are added stay outside, where
 * hardware adds them for nothing: without them a number is less by the constant, hence fits too.
 * That holds for threadgroup memory always, for buffers when the launch knows how large they are.
 *
 * A comparison is made in 32 bits where ranges prove that both sides fit.
 *
 * Buffers' addresses of asynchronous copies beside products of warpgroups stay as they are:
 * split_addresses takes their sums apart, so that a copy in a loop has one addition left. Those
 * threads copy while tensor cores read threadgroup memory, and what they compute is on the way of
 * the copies: half 4096^3 took 217 instead of 192 us with it.
 */
#include "gpu/pass.h"
#include "ir/affine.h"

enum { MOST_DEPTH = 48, MOST_TERMS = 8, MOST_CONSTANT = 1 << 24 };

struct narrower {
    struct pass_context *context;
    struct ir_func *func;
    bool teams; /* products of warpgroups are in it */
    bool changed;
};

/* ---- the low 32 bits of a value -------------------------------------------------------------- */

static struct ir_builder behind(struct narrower *n, struct ir_value *value)
{
    struct ir_op *op = value->op;
    struct ir_region *region = op ? op->parent : value->region;
    return (struct ir_builder){.func = n->func,
                               .region = region,
                               .before = op ? op->next : region->first,
                               .range = op ? op->range : n->func->range};
}

static bool fits(const struct ir_value *value)
{
    struct ir_interval range = ir_range(value);
    return range.least >= INT32_MIN && range.most <= INT32_MAX;
}

/* Whether a shift by it means the same in 32 bits: counts are taken modulo the width. */
static bool is_short_count(const struct ir_value *value)
{
    struct ir_interval range = ir_range(value);
    return range.least >= 0 && range.most < 32;
}

/* Whether the low 32 bits of the result follow from those of the operands. */
static bool keeps_low_bits(const struct ir_op *op)
{
    switch (op->code) {
    case IR_OP_SHR: /* this and the next look at all bits */
        return fits(op->operands[0]) && is_short_count(op->operands[1]);
    case IR_OP_DIV:
    case IR_OP_REM:
    case IR_OP_MINIMUM:
    case IR_OP_MAXIMUM:
        return fits(op->operands[0]) && fits(op->operands[1]) && fits(op->results[0]);
    case IR_OP_ADD:
    case IR_OP_SUB:
    case IR_OP_MUL:
    case IR_OP_NEG:
    case IR_OP_AND:
    case IR_OP_OR:
    case IR_OP_XOR:
        return true;
    case IR_OP_SHL:
        return is_short_count(op->operands[1]);
    default:
        return false;
    }
}

static bool is_narrow_cast(const struct ir_op *op)
{
    return op->code == IR_OP_CAST && op->operands[0]->type.rank == 0 &&
           op->operands[0]->type.elem == IR_I32;
}

/* Whether an i64 is computed from numbers that are narrow anyway, so that little is cut off. */
static bool is_cheap(const struct ir_value *value, int depth)
{
    const struct ir_op *op = value->op;
    if (!op || depth == 0)
        return false;
    if (op->code == IR_OP_CONSTANT || is_narrow_cast(op) ||
        ir_ops[op->code].attribute == IR_ATTRIBUTE_RANGE || op->code == IR_OP_PROGRAM_ID)
        return true;
    for (int i = 0; i < op->operand_count; i++) {
        if (!keeps_low_bits(op) || !is_cheap(op->operands[i], depth - 1))
            return false;
    }
    return op->operand_count > 0;
}

/* An i32, behind the value's definition; data: the one that was made before. */
static struct ir_value *low_bits(struct narrower *n, struct ir_value *value, int depth)
{
    struct ir_op *op = value->op;
    if (value->data)
        return value->data;
    struct ir_value *operands[2], *low;
    bool inside = op && depth > 0 && keeps_low_bits(op);
    for (int i = 0; inside && i < op->operand_count; i++)
        operands[i] = low_bits(n, op->operands[i], depth - 1);
    struct ir_builder b = behind(n, value);
    struct ir_type type = ir_scalar(IR_I32);
    if (op && op->code == IR_OP_CONSTANT)
        low = ir_constant(&b, type, (uint32_t)op->attributes.bits);
    else if (op && is_narrow_cast(op))
        low = op->operands[0];
    else if (inside)
        low = ir_build(&b, op->code, op->operand_count, operands, 1, &type, 0, NULL)->results[0];
    else
        low = ir_cast(&b, value, IR_I32);
    value->data = low;
    return low;
}

/* ---- addresses ------------------------------------------------------------------------------- */

/* A pointer as what it starts from, a sum of numbers and a constant. */
struct address {
    struct ir_value *base, *terms[MOST_TERMS]; /* i64 */
    int term_count;
    int64_t constant; /* 0 to MOST_CONSTANT */
};

/* Splits added constants off; what is left, or NULL. */
static struct ir_value *without_constant(struct ir_value *offset, int64_t *constant)
{
    int64_t number;
    if (ir_constant_int(offset, &number) && number >= 0 && number <= MOST_CONSTANT - *constant) {
        *constant += number;
        return NULL;
    }
    const struct ir_op *op = offset->op;
    if (op && op->code == IR_OP_ADD && ir_constant_int(op->operands[1], &number) && number >= 0 &&
        number <= MOST_CONSTANT - *constant) {
        *constant += number;
        return without_constant(op->operands[0], constant);
    }
    return offset;
}

static bool take_apart(struct ir_value *pointer, struct address *a)
{
    *a = (struct address){0};
    while (pointer->op && pointer->op->code == IR_OP_ADDPTR) {
        struct ir_value *term = without_constant(pointer->op->operands[1], &a->constant);
        if (term && a->term_count == MOST_TERMS)
            return false;
        if (term)
            a->terms[a->term_count++] = term;
        pointer = pointer->op->operands[0];
    }
    a->base = pointer;
    bool is_array = pointer->op ? (int)pointer->op->code == GPU_OP_SHARED
                                : pointer->region && !pointer->region->parent;
    /* One that was an i32 already needs nothing. */
    return is_array && a->term_count > 0 &&
           !(a->term_count == 1 && a->terms[0]->op && is_narrow_cast(a->terms[0]->op));
}

static void narrow_address(struct narrower *n, struct ir_op *op, int place)
{
    struct address a;
    struct ir_value *pointer = op->operands[place];
    if (!pointer->type.pointer || pointer->type.rank > 0 ||
        (pointer->type.space == IR_SPACE_DEVICE && !n->context->short_arrays) ||
        !take_apart(pointer, &a))
        return;
    struct ir_builder b = pass_builder(n->func, op);
    struct ir_value *sum = low_bits(n, a.terms[a.term_count - 1], MOST_DEPTH);
    for (int i = a.term_count - 2; i >= 0; i--) /* from the base on: others have the same start */
        sum = ir_binary(&b, IR_OP_ADD, sum, low_bits(n, a.terms[i], MOST_DEPTH));
    pointer = ir_binary(&b, IR_OP_ADDPTR, a.base, ir_cast(&b, sum, IR_I64));
    if (a.constant)
        pointer = ir_binary(&b, IR_OP_ADDPTR, pointer, ir_constant_i64(&b, a.constant));
    op->operands[place] = pointer;
    n->changed = true;
}

/* ---- comparisons ----------------------------------------------------------------------------- */

static void narrow_comparison(struct narrower *n, struct ir_op *op)
{
    struct ir_value *a = op->operands[0], *b = op->operands[1];
    if (!ir_type_equal(a->type, ir_scalar(IR_I64)) || !is_cheap(a, 8) || !is_cheap(b, 8) ||
        !fits(a) || !fits(b))
        return;
    op->operands[0] = low_bits(n, a, MOST_DEPTH);
    op->operands[1] = low_bits(n, b, MOST_DEPTH);
    n->changed = true;
}

/* ---- all ------------------------------------------------------------------------------------- */

static bool narrow_op(struct ir_op *op, void *user)
{
    struct narrower *n = user;
    if ((int)op->code == GPU_OP_COPY_ASYNC && !n->teams)
        narrow_address(n, op, 1);
    if ((ir_has(op, IR_READS) || ir_has(op, IR_WRITES)) && op->operand_count > 0)
        narrow_address(n, op, 0);
    else if (op->code >= IR_OP_EQ && op->code <= IR_OP_GE && op->operand_count == 2)
        narrow_comparison(n, op);
    return true;
}

static bool is_no_team_product(struct ir_op *op, void *user)
{
    (void)user;
    return (int)op->code != GPU_OP_WARPGROUP_MMA;
}

bool pass_narrow(struct pass_context *context, struct ir_func *func)
{
    struct narrower n = {
        .context = context, .func = func, .teams = !ir_walk(func->body, is_no_team_product, NULL)};
    for (int i = 0; i < func->body->argument_count; i++)
        func->body->arguments[i]->data = NULL;
    ir_clear_data(func->body);
    ir_walk(func->body, narrow_op, &n);
    return n.changed;
}
