/*
 * Control flow that is known: branches on constants, loops of no trip or one, carried values that
 * never change.
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
    return false;
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
