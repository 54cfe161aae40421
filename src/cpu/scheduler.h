#ifndef TILEC_CPU_SCHEDULER_H
#define TILEC_CPU_SCHEDULER_H
/*
 * What the files of scheduling share: schedule.c (each op of a region), schedule_sink.c (what a
 * sink wants, and which group it joins), schedule_control.c (loops and branches), schedule_end.c
 * (where a region leaves its results).
 */
#include "cpu/schedule.h"

static inline struct cpu_value *info(struct cpu_schedule *s, const struct ir_value *v)
{
    return cpu_value_of(s->e, v);
}

/* ---- classes of ops ------------------------------------------------------------------------- */

static inline bool is_reduction(const struct ir_op *op)
{
    return op->code >= IR_OP_SUM && op->code <= IR_OP_ALL;
}

static inline bool is_collective(const struct ir_op *op)
{
    return op->code >= IR_OP_CUMSUM && op->code <= IR_OP_DOT;
}

static inline bool is_write(const struct ir_op *op)
{
    return op->code == IR_OP_STORE || op->code == IR_OP_VIEW_STORE || ir_is_atomic(op);
}

static inline bool is_control(const struct ir_op *op)
{
    return op->code == IR_OP_FOR || op->code == IR_OP_IF || op->code == IR_OP_WHILE;
}

/* A tile op that is made where it is wanted. */
static inline bool is_lazy(const struct ir_op *op)
{
    if (is_reduction(op) || is_collective(op) || is_write(op) || is_control(op))
        return false;
    return op->result_count > 0 && op->results[0]->type.rank > 0;
}

/* ---- values --------------------------------------------------------------------------------- */

/* v is a result of the open group. */
static inline bool is_pending(struct cpu_schedule *s, const struct ir_value *v)
{
    return s->open && info(s, v)->pending == s->open;
}

/* The region that v is defined in is this one. */
static inline bool is_local(struct cpu_schedule *s, const struct ir_value *v)
{
    return (v->op ? v->op->parent : v->region) == s->region;
}

static inline bool first_visit(struct cpu_schedule *s, const struct ir_value *v, bool whole)
{
    struct cpu_value *value = info(s, v);
    if (value->visited[whole] == s->epoch)
        return false;
    value->visited[whole] = s->epoch;
    return true;
}

/* ---- groups and sinks (schedule_sink.c) ----------------------------------------------------- */

/* Whether two accesses must keep their order. */
bool cpu_schedule_conflicts(struct cpu_schedule *s, const struct ir_op *a, const struct ir_op *b);
void cpu_schedule_push(struct cpu_schedule *s, struct cpu_step step);
/* The open group becomes a step, and the scalars behind it that waited for it. */
void cpu_schedule_close(struct cpu_schedule *s);
struct cpu_buffer *cpu_schedule_give_buffer(struct cpu_schedule *s, struct ir_value *v);
/* Sees to it that v is written to a buffer. */
void cpu_schedule_need_buffer(struct cpu_schedule *s, struct ir_value *v);
/* Gives buffers to what the nest that makes v cannot make itself, or should not make again. whole:
 * v is wanted at the position of the nest. */
void cpu_schedule_prepare(struct cpu_schedule *s, struct ir_value *v, bool whole);
/* Adds a sink of the shape, for which the wanted values are made, to the open group or a new one.
 */
void cpu_schedule_add_sink(struct cpu_schedule *s, struct cpu_sink sink, struct ir_type shape,
                           struct ir_value *const *wanted, int wanted_count);
void cpu_schedule_copy_into(struct cpu_schedule *s, struct ir_value *v, struct cpu_buffer *buffer);
/* Makes loads that are still wanted behind the write, and that it would spoil, into buffers. True
 * when there was one. */
bool cpu_schedule_save_loads(struct cpu_schedule *s, const struct ir_op *write);
/* Closes the open group if an operand is one of its results. */
void cpu_schedule_await(struct cpu_schedule *s, const struct ir_op *op);

/* ---- ops with regions, and the end of one --------------------------------------------------- */

struct inner_uses { /* for walks over the ops inside a control op */
    struct cpu_schedule *s;
    int place; /* of the control op */
};

void cpu_schedule_control(struct cpu_schedule *s, struct ir_op *op); /* schedule_control.c */
void cpu_schedule_ending(struct cpu_schedule *s, struct ir_op *end,
                         struct cpu_buffer **targets); /* schedule_end.c */

#endif
