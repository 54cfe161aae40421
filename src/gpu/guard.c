/*
 * guard_masks: what a mask chooses, in a loop that is fed (plan/fed_loop.h), is left alone in trips
 * whose whole tile the mask lets through.
 *
 *   %m = lt (%j + arange 0 to 64), (broadcast %n)     %all = lt (%j + 63 - %n), 0
 *   %x = select %m, %s, %c                        ->  %x = if %all { yield %s } else {
 *                                                       %m = ...
 *                                                       yield (select %m, %s, %c)
 *                                                     }
 *
 * Only the last trips of a loop have an edge of the tile, but each would compare every element:
 * beside tensor cores that is much of its time. A loop of products is not split into an interior
 * and a tail (opt/split_masked_loops.c), which would be two pipelines, of which each has to be
 * filled.
 *
 * Why it is right. A comparison x < y qualifies when x - y has an affine form (ir/affine.h), which
 * is exact: a sum R of scalars times factors, a constant, and axes. It is true in all elements
 * exactly when R + constant + (most of axes) < 0, a scalar; that this sum does not wrap is checked
 * with ranges. A mask is such a comparison, or a conjunction of them. The branch is the same for
 * all threads, and the mask's ops are copied into it: they are pure, so that those outside vanish
 * if nothing else takes them.
 */
#include "gpu/guard.h"

#include "ir/affine.h"
#include "opt/pass.h"
#include "plan/fed_loop.h"

enum { MOST_COMPARISONS = 8, LEAST_ELEMENTS = 1024 };
static const int64_t NEAR = INT64_C(1) << 58;

struct guard {
    struct ir_func *func;
    struct ir_op *loop;
    struct ir_affine limits[MOST_COMPARISONS]; /* each must be below 0; axes are in the constants */
    int limit_count, made;
};

/* ---- which masks ----------------------------------------------------------------------------- */

/* Counts the most of the axes into the constant; false where the sum could not be computed. */
static bool normalise(struct ir_affine *d, struct ir_type shape)
{
    int64_t sum = 0;
    if (!ir_affine_most_of_axes(d, shape))
        return false;
    for (int i = 0; i < d->term_count; i++) {
        struct ir_interval range = ir_range(d->terms[i].value);
        int64_t factor = d->terms[i].factor, size;
        if (range.least < -NEAR || range.most > NEAR || factor == INT64_MIN)
            return false;
        int64_t reach = range.most > -range.least ? range.most : -range.least;
        if (__builtin_mul_overflow(reach, factor < 0 ? -factor : factor, &size) ||
            __builtin_add_overflow(sum, size, &sum) || sum > NEAR)
            return false;
    }
    return d->constant >= -NEAR && d->constant <= NEAR;
}

/* Whether a scalar of the form stands in front of the place: it is an argument, or of the loop's
 * own body, or from outside. */
static bool is_there(const struct guard *g, const struct ir_affine *d)
{
    for (int i = 0; i < d->term_count; i++) {
        const struct ir_value *value = d->terms[i].value;
        if (value->op && value->op->parent != g->loop->regions[0] &&
            !pass_is_outside(value, g->loop))
            return false;
    }
    return true;
}

static bool find_limits(struct guard *g, const struct ir_value *mask)
{
    const struct ir_op *op = mask->op;
    if (!op || g->limit_count == MOST_COMPARISONS)
        return false;
    if (op->code == IR_OP_AND)
        return find_limits(g, op->operands[0]) && find_limits(g, op->operands[1]);
    if (op->code == IR_OP_BROADCAST && op->operands[0]->type.rank > 0)
        return find_limits(g, op->operands[0]);
    struct ir_affine *limit = &g->limits[g->limit_count];
    if (!ir_is_comparison(op->code) || !pass_less_than_zero(op, NULL, limit) ||
        !normalise(limit, op->results[0]->type) || !is_there(g, limit))
        return false;
    g->limit_count++;
    return true;
}

/* ---- building -------------------------------------------------------------------------------- */

/* Whether every limit is below 0. */
static struct ir_value *build_condition(struct ir_builder *b, const struct guard *g)
{
    struct ir_value *all = NULL;
    for (int k = 0; k < g->limit_count; k++) {
        const struct ir_affine *d = &g->limits[k];
        struct ir_value *sum = ir_constant_i64(b, d->constant);
        for (int i = 0; i < d->term_count; i++) {
            struct ir_value *term = ir_cast(b, (struct ir_value *)d->terms[i].value, IR_I64);
            struct ir_value *factor = ir_constant_i64(b, d->terms[i].factor);
            term = ir_binary(b, IR_OP_MUL, term, factor);
            sum = ir_binary(b, IR_OP_ADD, sum, term);
        }
        struct ir_value *zero = ir_constant_i64(b, 0);
        struct ir_value *below = ir_binary(b, IR_OP_LT, sum, zero);
        all = all ? ir_binary(b, IR_OP_AND, all, below) : below;
    }
    return all;
}

/* The mask once more, as far as it is computed in the loop. */
static struct ir_value *copy_mask(struct ir_builder *b, const struct guard *g,
                                  struct ir_value *value)
{
    const struct ir_op *op = value->op;
    if (!op || op->parent != g->loop->regions[0] || value->type.rank == 0)
        return value;
    struct ir_value *operands[2] = {NULL, NULL};
    for (int i = 0; i < op->operand_count; i++)
        operands[i] = copy_mask(b, g, op->operands[i]);
    return ir_build(b, op->code, op->operand_count, operands, 1, &value->type, 0, &op->attributes)
        ->results[0];
}

/* Whether copies of the mask are cheap and right: few pure ops of one or two operands. */
static bool may_copy(const struct guard *g, const struct ir_value *value, int *budget)
{
    const struct ir_op *op = value->op;
    if (!op || op->parent != g->loop->regions[0] || value->type.rank == 0)
        return true;
    bool plain = ir_has(op, IR_PURE | IR_ELEMENTWISE) || op->code == IR_OP_BROADCAST ||
                 op->code == IR_OP_RESHAPE || op->code == IR_OP_ARANGE ||
                 op->code == IR_OP_CONSTANT;
    if (!plain || op->operand_count > 2 || op->result_count != 1 || --*budget < 0)
        return false;
    for (int i = 0; i < op->operand_count; i++) {
        if (!may_copy(g, op->operands[i], budget))
            return false;
    }
    return true;
}

static void guard_choice(struct guard *g, struct ir_op *op)
{
    struct ir_builder b = pass_builder(g->func, op);
    struct ir_value *result = op->results[0], *condition = build_condition(&b, g);
    struct ir_op *branch = ir_build(&b, IR_OP_IF, 1, &condition, 1, &result->type, 2, NULL);
    branch->results[0]->name = result->name;
    b = (struct ir_builder){.func = g->func, .region = branch->regions[0], .range = op->range};
    ir_build(&b, IR_OP_YIELD, 1, &op->operands[1], 0, NULL, 0, NULL);
    b.region = branch->regions[1];
    struct ir_value *mask = copy_mask(&b, g, op->operands[0]);
    struct ir_value *chosen = ir_ternary(&b, IR_OP_SELECT, mask, op->operands[1], op->operands[2]);
    ir_build(&b, IR_OP_YIELD, 1, &chosen, 0, NULL, 0, NULL);
    ir_replace(result, branch->results[0]);
    ir_remove(op);
    g->made++;
}

static bool guard_loop(struct ir_op *loop, void *user)
{
    struct guard *g = user;
    struct ir_op *next;
    struct plan_fed_loop fed;
    struct plan_dot_loop sums;
    const struct ir_op *where;
    const char *why;
    /* One that only sums products is a pipeline by its form, and its masks are those of copies. */
    if (loop->code != IR_OP_FOR || plan_dot_loop(loop, &sums, &why, &where) ||
        !plan_fed_loop(loop, &fed))
        return true;
    g->loop = loop;
    for (struct ir_op *op = loop->regions[0]->first; op; op = next) {
        int budget = 64;
        next = op->next;
        g->limit_count = 0;
        if (op->code == IR_OP_SELECT && op->results[0]->type.rank > 0 &&
            ir_element_count(op->results[0]->type) >= LEAST_ELEMENTS &&
            find_limits(g, op->operands[0]) && may_copy(g, op->operands[0], &budget))
            guard_choice(g, op);
    }
    return true;
}

int gpu_guard_masks(struct ir_func *func)
{
    struct guard g = {.func = func};
    ir_walk(func->body, guard_loop, &g);
    ir_apply_replacements(func);
    return g.made;
}
