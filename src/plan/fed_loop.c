/* Recognition of loops whose products are fed by loads; see fed_loop.h. */
#include "plan/fed_loop.h"

/* Values that are looked at on the way to what a value hangs on; more are taken for a dependence.
 */
enum { MOST_VISITS = 512 };

/* Whether the trip's number and what the loop does not change decide the value. */
static bool is_of_the_trip(const struct ir_region *body, const struct ir_value *value, int *visits)
{
    const struct ir_op *op = value->op;
    if (!op)
        return value->region != body || value->index == 0;
    if (op->parent != body)
        return true; /* dominates the loop: regions of the body have no loads that are taken */
    if (++*visits > MOST_VISITS || !plan_is_pointwise(op))
        return false;
    for (int i = 0; i < op->operand_count; i++) {
        if (!is_of_the_trip(body, op->operands[i], visits))
            return false;
    }
    return true;
}

/* The load that an operand is and nothing else uses. */
static struct ir_op *load_of(const struct ir_region *body, const struct ir_value *value)
{
    struct ir_op *op = value->op;
    if (!op || op->parent != body || !ir_is_used_once(body, value))
        return NULL;
    if (op->code == IR_OP_TRANS) {
        value = op->operands[0];
        op = value->op;
        if (!op || op->parent != body || !ir_is_used_once(body, value))
            return NULL;
    }
    if (!ir_is_load(op) || op->result_count != 1)
        return NULL;
    int visits = 0;
    for (int i = 0; i < op->operand_count; i++) {
        if (!is_of_the_trip(body, op->operands[i], &visits))
            return NULL;
    }
    return op;
}

static bool stands_in(const struct ir_region *body, const struct ir_op *op)
{
    const struct ir_region *region = op->parent;
    while (region && region != body)
        region = region->parent ? region->parent->parent : NULL;
    return region == body;
}

static bool hangs_on_a_dot(const struct ir_region *body, const struct ir_value *value, int *visits)
{
    const struct ir_op *op = value->op;
    if (!op || !stands_in(body, op) || ++*visits > MOST_VISITS)
        return false;
    if (op->code == IR_OP_DOT)
        return true;
    for (int r = 0; r < op->region_count; r++) { /* a branch: what it yields */
        const struct ir_op *last = op->regions[r]->last;
        for (int i = 0; last && i < last->operand_count; i++) {
            if (hangs_on_a_dot(body, last->operands[i], visits))
                return true;
        }
    }
    for (int i = 0; i < op->operand_count; i++) {
        if (hangs_on_a_dot(body, op->operands[i], visits))
            return true;
    }
    return false;
}

static bool may_stand(struct ir_op *op, void *user)
{
    (void)user;
    return !ir_has(op, IR_WRITES) && op->code != IR_OP_FOR && op->code != IR_OP_WHILE;
}

bool plan_fed_loop(struct ir_op *loop, struct plan_fed_loop *result)
{
    struct ir_region *body = loop->regions[0];
    int64_t step;
    *result = (struct plan_fed_loop){.loop = loop};
    if (loop->code != IR_OP_FOR || !ir_constant_int(loop->operands[2], &step) || step <= 0 ||
        step > INT32_MAX || !ir_walk(body, may_stand, NULL))
        return false;
    for (struct ir_op *op = body->first; op; op = op->next) {
        if (op->code != IR_OP_DOT || result->count == PLAN_DOT_LOOP_DOTS)
            continue;
        struct plan_fed_dot *dot = &result->dots[result->count];
        int visits = 0;
        *dot = (struct plan_fed_dot){
            .op = op,
            .loads = {load_of(body, op->operands[0]), load_of(body, op->operands[1])},
            .chained = hangs_on_a_dot(body, op->operands[0], &visits),
        };
        result->count += dot->loads[0] || dot->loads[1];
    }
    return result->count > 0;
}

static bool hangs_on(const struct ir_region *body, const struct ir_op *from, const struct ir_op *op)
{
    if (from == op)
        return true;
    for (int i = 0; i < from->operand_count; i++) {
        const struct ir_op *next = from->operands[i]->op;
        if (next && next->parent == body && hangs_on(body, next, op))
            return true;
    }
    return false;
}

bool plan_feeds(const struct plan_fed_loop *loop, const struct ir_op *load, const struct ir_op *op)
{
    return hangs_on(loop->loop->regions[0], load, op);
}
