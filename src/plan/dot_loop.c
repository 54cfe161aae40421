/* Recognition of loops of products; see dot_loop.h. */
#include "plan/dot_loop.h"

struct ir_op *plan_added_dot(const struct ir_op *add, struct ir_value **to)
{
    uint64_t bits;
    for (int i = 0; add->code == IR_OP_ADD && i < 2; i++) {
        struct ir_op *dot = add->operands[i]->op;
        *to = add->operands[1 - i];
        if (dot && dot->code == IR_OP_DOT && dot->parent == add->parent &&
            ir_constant_bits(dot->operands[2], &bits) && bits == 0 &&
            ir_is_used_once(add->parent, dot->results[0]))
            return dot;
    }
    return NULL;
}

/* The sum that a step adds to, and its dot; NULL where the chain breaks. */
static struct ir_value *step_back(const struct ir_region *body, struct ir_value *value,
                                  struct ir_op **dot, bool *added)
{
    struct ir_op *op = value->op;
    struct ir_value *to;
    if (!op || op->parent != body || !ir_is_used_once(body, value))
        return NULL;
    *dot = plan_added_dot(op, &to);
    *added = *dot != NULL;
    if (*added)
        return to;
    *dot = op;
    return op->code == IR_OP_DOT ? op->operands[2] : NULL;
}

/* Follows what result k adds up back to the carried sum: one dot, or several in a chain. */
static bool add_chain(struct plan_dot_loop *l, const struct ir_region *body, int k)
{
    struct ir_value *value = body->last->operands[k];
    int first = l->count;
    while (value && value != body->arguments[1 + k] && l->count < PLAN_DOT_LOOP_DOTS) {
        struct ir_op *dot = NULL;
        bool added = false;
        value = step_back(body, value, &dot, &added);
        for (int i = l->count; i > first; i--) /* the chain is followed from its end */
            l->dots[i] = l->dots[i - 1];
        l->dots[first].op = dot;
        l->dots[first].carried = k;
        l->dots[first].added = added;
        l->count += value != NULL;
    }
    return value == body->arguments[1 + k] && l->count > first &&
           ir_is_used_once(body, body->arguments[1 + k]);
}

bool plan_is_pointwise(const struct ir_op *op)
{
    return ir_has(op, IR_PURE | IR_ELEMENTWISE) || op->code == IR_OP_CONSTANT ||
           op->code == IR_OP_ARANGE || op->code == IR_OP_PROGRAM_ID ||
           op->code == IR_OP_NUM_PROGRAMS ||
           (op->code >= IR_OP_BROADCAST && op->code <= IR_OP_TRANS);
}

static bool is_member(const struct plan_dot_loop *l, const struct ir_op *op)
{
    for (int i = 0; i < l->count; i++) {
        if (l->dots[i].op == op)
            return true;
    }
    return false;
}

static bool op_may_stand(const struct plan_dot_loop *l, const struct ir_op *op)
{
    bool loads = ir_has(op, IR_READS) && !ir_has(op, IR_WRITES);
    return ir_has(op, IR_TERMINATOR) || is_member(l, op) || loads || plan_is_pointwise(op);
}

bool plan_is_sum(const struct plan_dot_loop *loop, int k)
{
    for (int i = 0; i < loop->count; i++) {
        if (loop->dots[i].carried == k)
            return true;
    }
    return false;
}

bool plan_dot_loop(struct ir_op *loop, struct plan_dot_loop *result, const char **why,
                   const struct ir_op **where)
{
    const struct ir_region *body = loop->regions[0];
    int64_t step;
    *result = (struct plan_dot_loop){.loop = loop};
    *where = loop;
    for (int k = 0; k < loop->result_count; k++) {
        int before = result->count;
        if (!add_chain(result, body, k))
            result->count = before; /* an offset that grows, or what is refused below */
    }
    *why = "no carried value of the loop is a sum of products and nothing else";
    if (result->count == 0)
        return false;
    *why = "its step is no positive constant";
    if (!ir_constant_int(loop->operands[2], &step) || step <= 0 || step > INT32_MAX)
        return false;
    *why = "the loop does more than load, compute elements and sum products";
    for (const struct ir_op *op = body->first; op; op = op->next) {
        *where = op;
        if (!op_may_stand(result, op))
            return false;
    }
    return true;
}
