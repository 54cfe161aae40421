/*
 * Control flow that is known: branches on constants, loops of no trip or one, carried values that
 * never change. And branches that cost more than what stands in them:
 *
 *   %r = if %c : bool {                      %d = lt %i, %n : bool
 *     %d = lt %i, %n : bool           ->     %r = and %c, %d : bool
 *     yield %d
 *   } else {                                 y + dy >= 0 && y + dy < H: a loop with it in its body
 *     yield %false                           can be unrolled, and a mask made of it be followed
 *   }
 */
#include "opt/fold.h"

static void refresh(struct ir_op *op)
{
    for (int i = 0; i < op->operand_count; i++)
        op->operands[i] = ir_current(op->operands[i]);
}

/* Replaces the op's results and unlinks it. */
static bool finish(struct ir_op *op, struct ir_value *const *values)
{
    for (int i = 0; i < op->result_count; i++)
        ir_replace(op->results[i], values[i]);
    ir_remove(op);
    return true;
}

/* The region runs exactly once: its arguments are the values, what it yields are the results. */
static bool run_once(struct ir_op *op, struct ir_region *region, int first_yield)
{
    struct ir_op *end = region->last;
    pass_inline_region(region, op);
    return finish(op, end->operands + first_yield);
}

/* Whether the loop makes no trip (0) or one (1), else -1. */
static int known_trips(const struct ir_op *op)
{
    int64_t lo, hi, step;
    if (op->operands[0] == op->operands[1])
        return 0;
    if (ir_constant_int(op->operands[2], &step) && step <= 0)
        return 0;
    if (!ir_constant_int(op->operands[0], &lo) || !ir_constant_int(op->operands[1], &hi))
        return -1;
    if (lo >= hi)
        return 0;
    bool once =
        ir_constant_int(op->operands[2], &step) && (uint64_t)hi - (uint64_t)lo <= (uint64_t)step;
    return once ? 1 : -1;
}

static void replace_arguments(struct ir_region *region, int first, struct ir_value *const *values)
{
    for (int i = first; i < region->argument_count; i++)
        ir_replace(region->arguments[i], values[i - first]);
}

/* Carried values that are yielded as they came are the initial values. */
static void drop_unchanging(struct fold *fold, struct ir_op *op)
{
    struct ir_region *body = op->regions[0];
    for (int k = op->result_count - 1; k >= 0; k--) {
        if (ir_current(body->last->operands[k]) != body->arguments[1 + k])
            continue;
        ir_replace(op->results[k], op->operands[3 + k]);
        ir_replace(body->arguments[1 + k], op->operands[3 + k]);
        pass_drop_result(op, k);
        fold->changed = true;
    }
}

static bool fold_for(struct fold *fold, struct ir_op *op)
{
    int trips = known_trips(op);
    if (trips == 0)
        return finish(op, op->operands + 3);
    if (trips == 1) {
        ir_replace(op->regions[0]->arguments[0], op->operands[0]);
        replace_arguments(op->regions[0], 1, op->operands + 3);
        return run_once(op, op->regions[0], 0);
    }
    drop_unchanging(fold, op);
    return false;
}

/* Results that both arms give alike; they come from outside, or the arms could not agree. */
static void drop_equal_arms(struct fold *fold, struct ir_op *op)
{
    for (int k = op->result_count - 1; k >= 0; k--) {
        struct ir_value *value = ir_current(op->regions[0]->last->operands[k]);
        if (value != ir_current(op->regions[1]->last->operands[k]))
            continue;
        ir_replace(op->results[k], value);
        pass_drop_result(op, k);
        fold->changed = true;
    }
}

/* ---- branches that choose between a few scalars ---------------------------------------------- */

enum { MOST_CHOSEN = 4, MOST_ALWAYS = 8 }; /* results; ops in both arms, constants not counted */

/* A scalar op that may be done where its branch is not taken: it has no effect, and is cheaper than
 * a branch that is taken wrongly. */
static bool is_for_nothing(const struct ir_op *op)
{
    if (op->code == IR_OP_CONSTANT)
        return true;
    switch (op->code) {
    case IR_OP_DIV:
    case IR_OP_REM:
    case IR_OP_CDIV:
    case IR_OP_SQRT:
    case IR_OP_FMOD:
        return false;
    default:
        return ir_has(op, IR_PURE) && ir_has(op, IR_ELEMENTWISE) && !ir_has(op, IR_APPROX) &&
               op->result_count == 1 && op->results[0]->type.rank == 0;
    }
}

static bool arms_are_cheap(const struct ir_op *op)
{
    int count = 0;
    for (int i = 0; i < op->region_count; i++) {
        const struct ir_region *arm = op->regions[i];
        for (const struct ir_op *at = arm->first; at != arm->last; at = at->next) {
            count += at->code != IR_OP_CONSTANT;
            if (!is_for_nothing(at) || count > MOST_ALWAYS)
                return false;
        }
    }
    return true;
}

static struct ir_value *choose(struct ir_builder *b, struct ir_value *condition,
                               struct ir_value *then, struct ir_value *otherwise)
{
    int64_t constant;
    bool is_bool = then->type.elem == IR_BOOL;
    if (is_bool && ir_constant_int(otherwise, &constant) && !constant)
        return ir_binary(b, IR_OP_AND, condition, then);
    if (is_bool && ir_constant_int(then, &constant) && constant)
        return ir_binary(b, IR_OP_OR, condition, otherwise);
    return ir_ternary(b, IR_OP_SELECT, condition, then, otherwise);
}

static bool flatten_if(struct fold *fold, struct ir_op *op)
{
    struct ir_value *chosen[MOST_CHOSEN];
    if (op->result_count == 0 || op->result_count > MOST_CHOSEN || !arms_are_cheap(op))
        return false;
    for (int k = 0; k < op->result_count; k++) {
        if (op->results[k]->type.rank > 0 || op->results[k]->type.pointer)
            return false;
    }
    for (int i = 0; i < op->region_count; i++)
        pass_inline_region(op->regions[i], op);
    struct ir_builder b = pass_builder(fold->func, op);
    for (int k = 0; k < op->result_count; k++)
        chosen[k] = choose(&b, op->operands[0], ir_current(op->regions[0]->last->operands[k]),
                           ir_current(op->regions[1]->last->operands[k]));
    return finish(op, chosen);
}

static bool fold_if(struct fold *fold, struct ir_op *op)
{
    int64_t condition;
    if (ir_constant_int(op->operands[0], &condition))
        return run_once(op, op->regions[condition ? 0 : 1], 0);
    struct ir_op *inverse = fold_is(op->operands[0], IR_OP_NOT);
    if (inverse) {
        struct ir_region *then = op->regions[0];
        op->operands[0] = inverse->operands[0];
        op->regions[0] = op->regions[1];
        op->regions[1] = then;
        fold->changed = true;
    }
    drop_equal_arms(fold, op);
    return flatten_if(fold, op);
}

/* A loop whose condition is false the first time: what stands before it runs once. */
static bool fold_while(struct ir_op *op)
{
    struct ir_region *before = op->regions[0];
    int64_t go_on;
    if (!ir_constant_int(ir_current(before->last->operands[0]), &go_on) || go_on)
        return false;
    replace_arguments(before, 0, op->operands);
    return run_once(op, before, 1);
}

bool fold_control(struct fold *fold, struct ir_op *op)
{
    refresh(op);
    switch (op->code) {
    case IR_OP_FOR:
        return fold_for(fold, op);
    case IR_OP_IF:
        return fold_if(fold, op);
    case IR_OP_WHILE:
        return fold_while(op);
    default:
        return false;
    }
}
