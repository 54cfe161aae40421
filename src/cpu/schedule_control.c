/*
 * Loops and branches in a schedule: what their regions would overwrite or make again and again is
 * written to buffers before them, and what they carry lies in buffers of its own.
 */
#include "cpu/scheduler.h"

#include "cpu/cost.h"
#include "cpu/dot.h"

/* Loads of this region that something inside the op may overwrite, and that are still wanted. */
static bool save_from(struct ir_op *inner, void *user)
{
    const struct inner_uses *uses = user;
    struct cpu_schedule *s = uses->s;
    if (!is_write(inner))
        return true;
    for (size_t k = 0; k < s->loads.count; k++) {
        struct ir_value *v = s->loads.items[k]->results[0];
        if (!info(s, v)->buffer && info(s, v)->need >= uses->place &&
            cpu_schedule_conflicts(s, s->loads.items[k], inner))
            cpu_schedule_need_buffer(s, v);
    }
    return true;
}

/* Values that are too dear to be made inside a region again and again, or that must lie in a
 * buffer. */
static bool keep_free(struct ir_op *inner, void *user)
{
    struct cpu_schedule *s = ((const struct inner_uses *)user)->s;
    for (int i = 0; i < 2 && inner->code == IR_OP_DOT; i++) {
        bool turned;
        struct ir_value *v = cpu_dot_operand(s->e, inner, i, &turned);
        if (is_local(s, v) && v->op && is_lazy(v->op))
            cpu_schedule_need_buffer(s, v);
    }
    for (int i = 0; i < inner->operand_count; i++) {
        struct ir_value *v = inner->operands[i];
        if (is_local(s, v) && v->op && is_lazy(v->op) && !info(s, v)->buffer &&
            cpu_cost(s->e, v, CPU_COST_AGAIN) > CPU_COST_AGAIN)
            cpu_schedule_need_buffer(s, v);
    }
    return true;
}

/* A loop that alone goes on with what the loop before it carried does so in place. */
static bool takes_over(struct cpu_schedule *s, const struct ir_op *op, int i)
{
    struct ir_value *init = op->code == IR_OP_FOR ? op->operands[3 + i] : NULL;
    if (!init || init->uses != 1 || !init->op || init->op->code != IR_OP_FOR ||
        init->op->parent != op->parent)
        return false;
    info(s, op->results[i])->buffer = info(s, init)->buffer;
    info(s, op->regions[0]->arguments[1 + i])->buffer = info(s, init)->buffer;
    return true;
}

void cpu_schedule_control(struct cpu_schedule *s, struct ir_op *op)
{
    cpu_schedule_await(s, op);
    struct inner_uses uses = {s, (int)op->mark};
    for (int i = 0; i < op->region_count; i++) {
        ir_walk(op->regions[i], save_from, &uses);
        ir_walk(op->regions[i], keep_free, &uses);
    }
    int first = op->code == IR_OP_FOR ? 3 : 0;
    for (int i = 0; i < op->result_count; i++) {
        struct ir_value *result = op->results[i];
        if (result->type.rank == 0 || takes_over(s, op, i))
            continue;
        struct cpu_buffer *buffer = cpu_schedule_give_buffer(s, result);
        if (op->code == IR_OP_IF)
            continue;
        /* a while loop has two sets: its results are what the condition passes on */
        if (op->code == IR_OP_WHILE)
            buffer = cpu_buffer_new(s->e, result->type);
        info(s, op->regions[0]->arguments[i + (op->code == IR_OP_FOR)])->buffer = buffer;
        if (op->code == IR_OP_WHILE)
            info(s, op->regions[1]->arguments[i])->buffer = info(s, result)->buffer;
        cpu_schedule_copy_into(s, op->operands[first + i], buffer);
    }
    cpu_schedule_close(s);
    cpu_schedule_push(s, (struct cpu_step){.kind = CPU_STEP_CONTROL, .op = op});
}
