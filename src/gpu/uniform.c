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

struct marking {
    bool changed;
};

static void mark(struct marking *m, struct ir_value *value, int64_t divergent)
{
    if (divergent && !value->mark) {
        value->mark = 1;
        m->changed = true;
    }
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
           code == GPU_OP_FRAGMENT_LOAD ||
           code == GPU_OP_FRAGMENT_LOAD_PAIR || code == GPU_OP_FRAGMENT_ELEMENTS ||
           (ir_has(op, IR_READS | IR_WRITES)); /* an atomic's old value */
}

static bool makes_uniform(const struct ir_op *op)
{
    int code = (int)op->code;
    return (code >= GPU_OP_GROUP_SUM && code <= GPU_OP_GROUP_OR) ||
           (code == GPU_OP_SHUFFLE && !op->operands[1]->mark) || code == GPU_OP_SHARED;
}

static void mark_loop(struct marking *m, const struct ir_op *op)
{
    bool is_for = op->code == IR_OP_FOR;
    int first = is_for ? 3 : 0;
    const struct ir_region *body = op->regions[is_for ? 0 : 1];
    bool parts = is_for ? op->operands[0]->mark || op->operands[1]->mark || op->operands[2]->mark
                        : op->regions[0]->last->operands[0]->mark;
    if (is_for)
        mark(m, body->arguments[0], op->operands[0]->mark || op->operands[2]->mark);
    for (int k = 0; k < op->result_count; k++) {
        struct ir_value *start = op->regions[0]->arguments[k + is_for];
        mark(m, start, op->operands[first + k]->mark || body->last->operands[k]->mark);
        if (is_for) {
            mark(m, op->results[k], start->mark || parts);
            continue;
        }
        struct ir_value *passed = op->regions[0]->last->operands[1 + k];
        mark(m, op->regions[1]->arguments[k], passed->mark);
        mark(m, op->results[k], passed->mark || parts);
    }
}

static bool mark_op(struct ir_op *op, void *user)
{
    struct marking *m = user;
    if (op->code == IR_OP_FOR || op->code == IR_OP_WHILE) {
        mark_loop(m, op);
        return true;
    }
    for (int k = 0; k < op->result_count; k++) {
        if (op->code == IR_OP_IF)
            mark(m, op->results[k],
                 op->operands[0]->mark || op->regions[0]->last->operands[k]->mark ||
                     op->regions[1]->last->operands[k]->mark);
        else if (!makes_uniform(op))
            mark(m, op->results[k],
                 is_source(op) || any_divergent(op, 0) || (int)op->code == GPU_OP_SHUFFLE_UP);
    }
    return true;
}

static bool clear(struct ir_op *op, void *user)
{
    (void)user;
    for (int i = 0; i < op->result_count; i++)
        op->results[i]->mark = 0;
    for (int r = 0; r < op->region_count; r++) {
        for (int i = 0; i < op->regions[r]->argument_count; i++)
            op->regions[r]->arguments[i]->mark = 0;
    }
    return true;
}

void gpu_mark_divergent(const struct ir_func *func)
{
    struct marking m = {.changed = true};
    for (int i = 0; i < func->body->argument_count; i++)
        func->body->arguments[i]->mark = 0;
    ir_walk(func->body, clear, NULL);
    while (m.changed) {
        m.changed = false;
        ir_walk(func->body, mark_op, &m);
    }
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
