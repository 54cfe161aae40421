/*
 * Sums of squared distances from a mean, for which threads need not meet again (plan/squares.h):
 *
 *   %s = sum %x                   %s = sum %x, %z = sum of %x * %x, %w = an element of %x:
 *   %m = ...                          reduced together, behind one barrier
 *   %d = sub %x, %m        ->     %m = ...
 *   %dd = mul %d, %d              %q = z - 2 m s + n m m
 *   %q = sum %dd                  %q.1 = if %good { yield %q } else { the sum, as it is written }
 *
 * All threads know the same sums, so that they go the same way. A reduction is a tree over
 * registers, lanes and groups, in which a term is rounded once for each bit of its index, and its
 * square once more: P + 4 is at most 1 + log2 T, and 11.5 P + 101 less than T - 1 from 256 elements
 * on. The element of the first register of the first thread says whether the sum rounds.
 *
 * Rows that latency bounds gain, 2 to 10% on an H200. Longer ones do not, as other programs run
 * while one meets: half 16384 x 4096 took 1.000 to 1.007 of the time, float 1.002 to 1.017.
 */
#include "gpu/squares.h"

#include "ir/eval.h"

enum { LEAST_ELEMENTS = 256, MOST_ELEMENTS = 2048 };

/* ---- which sums ------------------------------------------------------------------------------ */

/* arange < bound: for which the mask holds from the first element on. */
static bool is_bound(const struct ir_value *mask, const struct ir_value **bound)
{
    const struct ir_op *op = mask->op;
    if (!op || op->code != IR_OP_LT || mask->type.rank != 1)
        return false;
    const struct ir_op *range = op->operands[0]->op;
    *bound = op->operands[1];
    while ((*bound)->op && (*bound)->op->code == IR_OP_BROADCAST)
        *bound = (*bound)->op->operands[0];
    bool scalar =
        (*bound)->type.rank == 0 || ((*bound)->op && (*bound)->op->code == IR_OP_CONSTANT);
    return scalar && range && range->code == IR_OP_ARANGE && range->attributes.begin == 0;
}

static bool is_row(struct ir_type shape)
{
    int long_axes = 0;
    for (int k = 0; k < shape.rank; k++)
        long_axes += shape.dims[k] > 1;
    int64_t count = ir_element_count(shape);
    return long_axes == 1 && count >= LEAST_ELEMENTS && count <= MOST_ELEMENTS;
}

static bool find(struct ir_op *op, void *user)
{
    struct lowering *l = user;
    struct gpu_squares s = {.op = op};
    if (!plan_find_squares(op, &s.of) || !is_row(s.of.x->type) || l->plan->cluster ||
        (s.of.mask && !is_bound(s.of.mask, &s.bound)) || gpu_squares_of_sum(l, s.of.sum))
        return true;
    ARENA_PUSH(l->arena, &l->squares, s);
    return true;
}

void gpu_find_squares(struct lowering *l, const struct ir_func *func)
{
    if (gpu_wants_pass(l->options, "share_squares") && !l->shares && !l->plan->meets_twice)
        ir_walk(func->body, find, l);
}

struct gpu_squares *gpu_squares_of_sum(const struct lowering *l, const struct ir_op *op)
{
    for (size_t i = 0; i < l->squares.count; i++) {
        if (l->squares.items[i].of.sum == op)
            return &l->squares.items[i];
    }
    return NULL;
}

struct gpu_squares *gpu_squares_of_distances(const struct lowering *l, const struct ir_op *op)
{
    for (size_t i = 0; i < l->squares.count; i++) {
        if (l->squares.items[i].op == op)
            return &l->squares.items[i];
    }
    return NULL;
}

/* ---- the code -------------------------------------------------------------------------------- */

static struct ir_value *number(struct lowering *l, double value)
{
    return ir_constant(&l->b, ir_scalar(IR_F32), ir_eval_from_double(value, IR_F32));
}

/* How many elements count. */
static struct ir_value *count_of(struct lowering *l, const struct gpu_squares *s)
{
    int64_t size = ir_element_count(s->of.x->type);
    uint64_t bits;
    if (!s->bound)
        return number(l, (double)size);
    struct ir_type type = ir_scalar((enum ir_elem)s->bound->type.elem);
    struct ir_value *n =
        ir_constant_bits(s->bound, &bits) ? ir_constant(&l->b, type, bits) : gpu_scalar(s->bound);
    n = ir_binary(&l->b, IR_OP_MINIMUM, n, ir_constant(&l->b, type, (uint64_t)size));
    n = ir_binary(&l->b, IR_OP_MAXIMUM, n, ir_constant(&l->b, type, 0));
    return ir_cast(&l->b, n, IR_F32);
}

/* Whether the witness's square shows that the sum rounds. */
static struct ir_value *sum_rounds(struct lowering *l, struct ir_value *witness,
                                   struct ir_value *mean, struct ir_value *sum)
{
    struct ir_builder *b = &l->b;
    struct ir_value *distance = ir_binary(b, IR_OP_SUB, witness, mean);
    struct ir_value *square = ir_binary(b, IR_OP_MUL, distance, distance);
    struct ir_value *mask = ir_constant(b, ir_scalar(IR_I32), 0x7f800000);
    struct ir_value *exponent = ir_binary(b, IR_OP_AND, ir_bitcast(&l->b, sum, IR_I32), mask);
    struct ir_value *half = number(l, 0.5);
    struct ir_value *power = ir_binary(b, IR_OP_MUL, ir_bitcast(&l->b, exponent, IR_F32), half);
    struct ir_value *back = ir_binary(b, IR_OP_SUB, ir_binary(b, IR_OP_ADD, square, power), power);
    struct ir_value *quarter = ir_binary(b, IR_OP_MUL, sum, number(l, 0.25));
    struct ir_value *small = ir_binary(b, IR_OP_LE, square, quarter);
    return ir_binary(b, IR_OP_AND, ir_binary(b, IR_OP_NE, back, square), small);
}

static struct ir_value *less(struct lowering *l, struct ir_value *a, struct ir_value *b,
                             double factor)
{
    return ir_binary(&l->b, IR_OP_LE, a, ir_binary(&l->b, IR_OP_MUL, b, number(l, factor)));
}

struct ir_op *gpu_squares_begin(struct lowering *l, const struct gpu_squares *s,
                                struct ir_builder *outside)
{
    struct ir_builder *b = &l->b;
    struct ir_value *sum = gpu_scalar(s->of.sum->results[0]), *mean = gpu_scalar(s->of.m);
    struct ir_value *n = count_of(l, s);
    struct ir_value *twice = ir_binary(b, IR_OP_MUL, sum, number(l, -2));
    struct ir_value *part = ir_ternary(b, IR_OP_FMA, n, mean, twice);
    struct ir_value *q = ir_ternary(b, IR_OP_FMA, mean, part, s->squares);
    struct ir_value *good = less(l, s->squares, q, PLAN_SQUARES_MOST_Z);
    struct ir_value *far = ir_binary(b, IR_OP_MUL, ir_binary(b, IR_OP_MUL, n, mean), mean);
    good = gpu_and(l, good, less(l, far, q, PLAN_SQUARES_MOST_MEAN));
    good = gpu_and(l, good, ir_binary(b, IR_OP_LE, q, number(l, PLAN_SQUARES_MOST)));
    good = gpu_and(l, good, ir_binary(b, IR_OP_LE, number(l, PLAN_SQUARES_LEAST), q));
    good = gpu_and(l, good, sum_rounds(l, s->witness, mean, q));
    struct ir_type type = ir_scalar(IR_F32);
    struct ir_op *branch = ir_build(b, IR_OP_IF, 1, &good, 1, &type, 2, NULL);
    *outside = l->b;
    *b = (struct ir_builder){b->func, branch->regions[0], NULL, b->range};
    ir_build(b, IR_OP_YIELD, 1, &q, 0, NULL, 0, NULL);
    b->region = branch->regions[1];
    return branch;
}

struct ir_value *gpu_squares_end(struct lowering *l, struct ir_op *branch,
                                 struct ir_builder outside, struct ir_value *sum)
{
    ir_build(&l->b, IR_OP_YIELD, 1, &sum, 0, NULL, 0, NULL);
    l->b = outside;
    return branch->results[0];
}
