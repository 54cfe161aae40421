/*
 * Which values may differ between threads.
 *
 * A thread's numbers differ, and what is computed or loaded with them. A group reduction, and a
 * shuffle from one lane, give the lanes of a group one value; groups got it from the same scratch,
 * so it counts as uniform. A load from one address gives all threads the same: another thread
 * writes there only on the far side of a barrier.
 */
#include "gpu/uniform.h"

#include "ir/ir.h"

bool gpu_is_collective(const struct ir_op *op)
{
    int code = (int)op->code;
    return code == GPU_OP_BARRIER || (code >= GPU_OP_SHUFFLE && code <= GPU_OP_GROUP_OR) ||
           (code >= GPU_OP_FRAGMENT_LOAD && code <= GPU_OP_FRAGMENT_MMA) ||
           (code >= GPU_OP_WARPGROUP_BEGIN && code <= GPU_OP_WARPGROUP_WAIT) ||
           (code >= GPU_OP_CLUSTER_EXPECT && code <= GPU_OP_CLUSTER_WAIT);
}

static bool any_divergent(const struct ir_op *op, int first)
{
    for (int i = first; i < op->operand_count; i++) {
        if (op->operands[i]->mark)
            return true;
    }
    return false;
}

static bool is_source(const struct ir_op *op)
{
    int code = (int)op->code;
    return code == GPU_OP_THREAD_INDEX || code == GPU_OP_LANE_INDEX || code == GPU_OP_GROUP_INDEX ||
           code == GPU_OP_FRAGMENT_LOAD || code == GPU_OP_FRAGMENT_LOAD_PAIR ||
           (ir_has(op, IR_READS | IR_WRITES)); /* an atomic's old value */
}

static bool makes_uniform(const struct ir_op *op)
{
    int code = (int)op->code;
    return (code >= GPU_OP_GROUP_SUM && code <= GPU_OP_GROUP_OR) ||
           (code == GPU_OP_SHUFFLE && !op->operands[1]->mark);
}

/* True when the value was not marked yet. */
static bool mark(struct ir_value *value, int64_t divergent)
{
    if (!divergent || value->mark)
        return false;
    value->mark = 1;
    return true;
}

static void mark_region(const struct ir_region *region);

/* A trip makes divergent what the next one starts with, so trips are followed until none does. */
static void mark_for(const struct ir_op *op)
{
    const struct ir_region *body = op->regions[0];
    bool parts = op->operands[0]->mark || op->operands[1]->mark || op->operands[2]->mark;
    mark(body->arguments[0], op->operands[0]->mark || op->operands[2]->mark);
    for (int k = 0; k < op->result_count; k++)
        mark(body->arguments[k + 1], op->operands[3 + k]->mark);
    bool again;
    do {
        mark_region(body);
        again = false;
        for (int k = 0; k < op->result_count; k++)
            again |= mark(body->arguments[k + 1], body->last->operands[k]->mark);
    } while (again);
    for (int k = 0; k < op->result_count; k++)
        mark(op->results[k], body->arguments[k + 1]->mark || parts);
}

static void mark_while(const struct ir_op *op)
{
    const struct ir_region *test = op->regions[0], *body = op->regions[1];
    for (int k = 0; k < op->result_count; k++)
        mark(test->arguments[k], op->operands[k]->mark);
    bool again;
    do {
        mark_region(test);
        for (int k = 0; k < op->result_count; k++)
            mark(body->arguments[k], test->last->operands[1 + k]->mark);
        mark_region(body);
        again = false;
        for (int k = 0; k < op->result_count; k++)
            again |= mark(test->arguments[k], body->last->operands[k]->mark);
    } while (again);
    for (int k = 0; k < op->result_count; k++)
        mark(op->results[k], test->last->operands[1 + k]->mark || test->last->operands[0]->mark);
}

static void mark_if(const struct ir_op *op)
{
    for (int r = 0; r < 2; r++)
        mark_region(op->regions[r]);
    for (int k = 0; k < op->result_count; k++)
        mark(op->results[k], op->operands[0]->mark || op->regions[0]->last->operands[k]->mark ||
                                 op->regions[1]->last->operands[k]->mark);
}

static void mark_op(const struct ir_op *op)
{
    for (int r = 0; r < op->region_count; r++)
        mark_region(op->regions[r]);
    bool divergent = !makes_uniform(op) &&
                     (is_source(op) || any_divergent(op, 0) || (int)op->code == GPU_OP_SHUFFLE_UP);
    for (int k = 0; k < op->result_count; k++)
        mark(op->results[k], divergent);
}

static void mark_region(const struct ir_region *region)
{
    for (const struct ir_op *op = region->first; op; op = op->next) {
        if (op->code == IR_OP_FOR)
            mark_for(op);
        else if (op->code == IR_OP_WHILE)
            mark_while(op);
        else if (op->code == IR_OP_IF)
            mark_if(op);
        else
            mark_op(op);
    }
}

void gpu_mark_divergent(const struct ir_func *func)
{
    ir_clear_marks(func);
    mark_region(func->body);
}

/* ---- making conditions uniform --------------------------------------------------------------- */

static bool is_not_collective(struct ir_op *op, void *user)
{
    (void)user;
    return !gpu_is_collective(op);
}

bool gpu_holds_collective(const struct ir_op *op)
{
    for (int r = 0; r < op->region_count; r++) {
        if (!ir_walk(op->regions[r], is_not_collective, NULL))
            return true;
    }
    return false;
}

static struct ir_value *of_lane_0(struct ir_builder *b, struct ir_value *v)
{
    struct ir_value *operands[] = {v, ir_constant_i64(b, 0)};
    struct ir_type type = v->type;
    return ir_build(b, (enum ir_opcode)GPU_OP_SHUFFLE, 2, operands, 1, &type, 0, NULL)->results[0];
}

/* A bool or an i64 from lane 0, 32 bits at a time. */
static struct ir_value *first_lane(struct ir_builder *b, struct ir_value *v)
{
    struct ir_value *low = of_lane_0(b, ir_cast(b, v, IR_U32));
    if (v->type.elem == IR_BOOL)
        return ir_binary(b, IR_OP_NE, low, ir_constant(b, low->type, 0));
    struct ir_value *wide = ir_cast(b, v, IR_U64);
    struct ir_value *width = ir_constant(b, wide->type, 32);
    struct ir_value *high = of_lane_0(b, ir_cast(b, ir_binary(b, IR_OP_SHR, wide, width), IR_U32));
    high = ir_binary(b, IR_OP_SHL, ir_cast(b, high, IR_U64), width);
    return ir_cast(b, ir_binary(b, IR_OP_OR, high, ir_cast(b, low, IR_U64)), IR_I64);
}

struct unifier {
    struct ir_func *func;
    bool changed;
};

static bool unify(struct ir_op *op, void *user)
{
    struct unifier *u = user;
    int count = op->code == IR_OP_FOR ? 3 : op->code == IR_OP_IF ? 1 : 0;
    if (op->region_count == 0 || !gpu_holds_collective(op))
        return true;
    struct ir_op *at = op->code == IR_OP_WHILE ? op->regions[0]->last : op;
    for (int i = 0; i < (op->code == IR_OP_WHILE ? 1 : count); i++) {
        struct ir_builder b = {
            .func = u->func, .region = at->parent, .before = at, .range = at->range};
        if (!at->operands[i]->mark)
            continue;
        at->operands[i] = first_lane(&b, at->operands[i]);
        u->changed = true;
    }
    return true;
}

bool gpu_make_uniform(struct ir_func *func)
{
    struct unifier u = {.func = func};
    gpu_mark_divergent(func);
    ir_walk(func->body, unify, &u);
    return u.changed;
}
