/*
 * First reductions one program ahead, where stores run one program behind (behind.c).
 *
 *     for each program:                          top = max of the first row
 *         top = max of a row                     for each program:
 *         e = exp(x - top); s = its sum,   ->        e = exp(x - top); s = its sum, and in the same
 *             and store the row before's                 nest, store the row before's e / s, and
 *                                                        next = max of the row after
 *                                                    top = next
 *
 * A pass that only looks for a maximum leaves memory idle, and ends in a reduction that all waits
 * for. In the nest that computes most, it costs three instructions per vector, and each line of
 * the next row is loaded there for the first time, as it arrives: all traffic is spread over the
 * whole round. Hand-written, softmax of float on rows of 4096, Zen 5, two threads | one, of a
 * copy's speed: 0.90 | 0.73 before, 0.93 | 0.92 with lines fetched 6 KB ahead of the row after,
 * 0.87 | 0.87 with 16 KB, 0.78 | 0.53 with none.
 *
 * It must be the first nest, reduce to maxima and minima, of which any order gives the same, and
 * read nothing that another nest has made. Behind the last program, the last one leads once more.
 */
#include "cpu/lead.h"
#include "cpu/slots.h"

static bool only_finds_bounds(const struct cpu_group *group)
{
    for (size_t i = 0; i < group->sinks.count; i++) {
        const struct cpu_sink *sink = &group->sinks.items[i];
        if (sink->kind != CPU_SINK_REDUCE || sink->op->results[0]->type.rank > 0 ||
            (sink->op->code != IR_OP_MAX && sink->op->code != IR_OP_MIN))
            return false;
    }
    for (size_t i = 0; i < group->accesses.count; i++) {
        if (group->accesses.items[i].op->code != IR_OP_LOAD)
            return false;
    }
    return group->accesses.count > 0 && group->moved.count == 0;
}

size_t cpu_lead_steps(struct cpu_emit *e, const struct cpu_schedule *s, size_t joined)
{
    size_t first = 0;
    while (first < joined && s->steps.items[first].kind == CPU_STEP_SCALAR)
        first++;
    const struct cpu_step *step = &s->steps.items[first];
    bool fits = first < joined && step->kind == CPU_STEP_GROUP && cpu_stream_leads(e) &&
                only_finds_bounds(step->group) &&
                ir_shape_equal(step->group->shape, s->steps.items[joined].group->shape);
    return fits ? first + 1 : 0;
}

static void enter_alone(struct cpu_emit *e, int program)
{
    e->together = CPU_MOST_TOGETHER;
    cpu_together_enter(e, program);
    e->together = 1;
}

/* By a program of its own, as what it makes does not reach beyond its branch. */
static void lead_first(struct cpu_emit *e, const struct cpu_schedule *s)
{
    LLVMBasicBlockRef first = cpu_block(e, "first"), on = cpu_block(e, "on");
    LLVMBuildCondBr(e->builder, e->first_round, first, on);
    LLVMPositionBuilderAtEnd(e->builder, first);
    enter_alone(e, CPU_PROGRAM_FIRST);
    for (size_t i = 0; i < e->lead.count && !e->failed; i++) {
        const struct cpu_step *step = &s->steps.items[i];
        if (step->kind == CPU_STEP_SCALAR)
            cpu_scalar_op(e, step->op);
        else
            cpu_emit_group(e, &step->group);
    }
    cpu_slots_put(e, &e->lead, s);
    LLVMBuildBr(e->builder, on);
    LLVMPositionBuilderAtEnd(e->builder, on);
    cpu_new_epoch(e);
}

void cpu_lead_begin(struct cpu_emit *e, struct cpu_schedule **schedules)
{
    cpu_takes(e, CPU_PATH_LEAD);
    lead_first(e, schedules[CPU_PROGRAM_FIRST]);
    enter_alone(e, CPU_PROGRAM_AFTER);
    for (size_t i = 0; i + 1 < e->lead.count; i++)
        cpu_scalar_op(e, schedules[CPU_PROGRAM_AFTER]->steps.items[i].op);
    enter_alone(e, CPU_PROGRAM_NOW);
    cpu_slots_take(e, &e->lead, schedules[CPU_PROGRAM_NOW]);
}

void cpu_lead_end(struct cpu_emit *e, struct cpu_schedule **schedules)
{
    enter_alone(e, CPU_PROGRAM_AFTER);
    cpu_slots_put(e, &e->lead, schedules[CPU_PROGRAM_AFTER]);
    enter_alone(e, CPU_PROGRAM_NOW);
}
