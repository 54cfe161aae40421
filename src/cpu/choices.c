/*
 * Loads at one of two places, by a condition that changes along the lanes.
 *
 *     half = where(i < n, i + n, i - n)         the other half of a row, where a ring goes on, ..
 *     load(X + half)
 *
 * Lane by lane that would be a gather. But either place is one more per lane, so the load is two
 * masked ones of consecutive elements: of the lanes that choose the one, and of the others.
 *
 * Which place a choice is in a body is asked for as in an interior (along.c): with the condition
 * among what is bounded, once as holding and once as failing.
 */
#include "cpu/choices.h"
#include "cpu/along.h"

enum { DEPTH = 8 };

static bool is_made(struct cpu_emit *e, const struct ir_value *v)
{
    const struct cpu_value *value = cpu_value_of(e, v);
    return !v->op || (value->buffer && value->ready);
}

static bool goes_on(const struct ir_op *op)
{
    return cpu_is_index(op->results[0]->type) &&
           (op->code == IR_OP_ADDPTR || op->code == IR_OP_ADD || op->code == IR_OP_SUB);
}

/* The one selection on the way to v at the same position that has no step, or NULL. */
static const struct ir_op *choice_in(struct cpu_emit *e, const struct ir_value *v,
                                     const struct cpu_position *p, int depth)
{
    int64_t step;
    const struct ir_op *op = v->op;
    if (is_made(e, v) || depth == 0)
        return NULL;
    if (op->code == IR_OP_SELECT)
        return cpu_is_index(v->type) ? op : NULL;
    if (!goes_on(op))
        return NULL;
    bool known[2];
    for (int i = 0; i < 2; i++)
        known[i] = cpu_step_along(e, op->operands[i], p, &step);
    return known[0] == known[1] ? NULL : choice_in(e, op->operands[known[0]], p, depth - 1);
}

/* Where the first of consecutive elements is if the condition holds, or fails, in all lanes; NULL:
 * they are not consecutive. */
static LLVMValueRef place_if(struct cpu_emit *e, const struct ir_op *choice, bool holds,
                             const struct ir_value *pointer, const struct cpu_position *p)
{
    struct cpu_body body = e->body;
    int count = body.interior ? body.bounded_count : 0;
    struct cpu_bounded *bounded = ARENA_ARRAY(e->arena, struct cpu_bounded, (size_t)count + 1);
    LLVMValueRef place = NULL;
    int64_t step;
    for (int i = 0; i < count; i++)
        bounded[i] = body.bounded[i];
    bounded[count] = (struct cpu_bounded){
        .mask = choice->operands[0], .position = *p, .holds = holds, .program = e->entered};
    unsigned around = e->epoch; /* what was made there stays known, or it would be made again */
    cpu_new_epoch(e);
    e->body.interior = true;
    e->body.bounded = bounded;
    e->body.bounded_count = count + 1;
    if (cpu_step_along(e, pointer, p, &step) && step == 1) {
        LLVMTypeRef unit = cpu_memory_type(e, ir_scalar((enum ir_elem)pointer->type.elem));
        LLVMValueRef first = cpu_first_along(e, pointer, p);
        LLVMValueRef lane = p->index[p->lane];
        place = LLVMBuildGEP2(e->builder, unit, first, &lane, 1, "");
    }
    e->body = body;
    e->epoch = around;
    return place;
}

bool cpu_choice_places(struct cpu_emit *e, const struct ir_value *pointer,
                       const struct cpu_position *p, struct cpu_choice *choice)
{
    int64_t step;
    if (p->lane < 0 || pointer->type.rank == 0 || cpu_step_along(e, pointer, p, &step))
        return false;
    const struct ir_op *op = choice_in(e, pointer, p, DEPTH);
    if (!op || cpu_bounded_of(e, op->operands[0], NULL, p))
        return false;
    choice->condition = op->operands[0];
    for (int i = 0; i < 2; i++) {
        choice->place[i] = place_if(e, op, i == 0, pointer, p);
        if (!choice->place[i])
            return false;
    }
    return true;
}

bool cpu_may_choose(struct cpu_emit *e, const struct ir_value *v)
{
    int64_t a, b;
    const struct ir_op *op = v->op;
    for (int depth = DEPTH; depth > 0 && op && !is_made(e, v); depth--) {
        if (op->code == IR_OP_SELECT)
            return cpu_is_index(v->type) && cpu_may_step_along(e, op->operands[1], &a) &&
                   cpu_may_step_along(e, op->operands[2], &b) && a == 1 && b == 1;
        if (!goes_on(op))
            return false;
        bool known = cpu_may_step_along(e, op->operands[0], &a);
        if (known == cpu_may_step_along(e, op->operands[1], &b))
            return false;
        v = op->operands[known];
        op = v->op;
    }
    return false;
}
