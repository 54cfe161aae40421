/*
 * Scheduling a region: see schedule.h.
 *
 * Ops are visited in program order. Pure tile ops and loads are left alone until a sink wants them
 * (schedule_sink.c).
 */
#include "cpu/scheduler.h"

#include "cpu/cost.h"
#include "cpu/dot.h"

/* ---- classes of ops ------------------------------------------------------------------------- */

static bool touches_tile(const struct ir_op *op)
{
    for (int i = 0; i < op->operand_count; i++) {
        if (op->operands[i]->type.rank > 0)
            return true;
    }
    for (int i = 0; i < op->result_count; i++) {
        if (op->results[i]->type.rank > 0)
            return true;
    }
    return false;
}

/* ---- ops ------------------------------------------------------------------------------------ */

static void schedule_store(struct cpu_schedule *s, struct ir_op *op)
{
    struct cpu_sink sink = {.kind = ir_is_atomic(op) ? CPU_SINK_ATOMIC : CPU_SINK_STORE, .op = op};
    struct ir_type shape = op->code == IR_OP_VIEW_STORE ? op->operands[op->operand_count - 1]->type
                                                        : op->operands[0]->type;
    if (ir_is_atomic(op) && op->results[0]->uses > 0)
        sink.buffer = cpu_schedule_give_buffer(s, op->results[0]);
    cpu_schedule_add_sink(s, sink, shape, op->operands, op->operand_count);
    if (sink.buffer)
        info(s, op->results[0])->pending = s->open;
}

static void schedule_reduction(struct cpu_schedule *s, struct ir_op *op)
{
    struct cpu_sink sink = {.kind = CPU_SINK_REDUCE, .op = op};
    struct ir_value *result = op->results[0];
    if (result->type.rank > 0)
        sink.buffer = cpu_schedule_give_buffer(s, result);
    cpu_schedule_add_sink(s, sink, op->operands[0]->type, op->operands, 1);
    info(s, result)->pending = s->open;
}

static void schedule_collective(struct cpu_schedule *s, struct ir_op *op)
{
    for (int i = 0; i < op->operand_count; i++)
        cpu_schedule_need_buffer(s, op->operands[i]);
    cpu_schedule_close(s);
    cpu_schedule_give_buffer(s, op->results[0]);
    cpu_schedule_push(s, (struct cpu_step){.kind = CPU_STEP_COLLECTIVE, .op = op});
}

/* Whether v is made from the region's argument, element by element, and nothing else is. */
static bool alone_takes(struct cpu_schedule *s, const struct ir_value *v,
                        const struct ir_value *argument)
{
    if (v->uses != 1 || v == argument)
        return v->uses == 1;
    bool takes = false;
    if (!v->op || v->op->parent != s->region || !ir_has(v->op, IR_ELEMENTWISE))
        return false;
    for (int i = 0; i < v->op->operand_count && !takes; i++)
        takes = alone_takes(s, v->op->operands[i], argument);
    return takes;
}

/* Where the region leaves the dot's result, if the dot may write it there: what a loop carries was
 * not wanted but for the dot's start. */
static struct cpu_buffer *target_of(struct cpu_schedule *s, const struct ir_op *op)
{
    const struct ir_op *end = s->region->last, *around = s->region->parent;
    const struct ir_value *v = op->results[0];
    if (!s->targets || !around || v->uses != 1)
        return NULL;
    for (int i = 0; i < end->operand_count; i++) {
        if (end->operands[i] != v)
            continue;
        if (around->code == IR_OP_IF)
            return s->targets[i];
        if (around->code != IR_OP_FOR)
            return NULL;
        const struct ir_value *argument = s->region->arguments[1 + i];
        bool free = argument->uses == 0 || alone_takes(s, op->operands[2], argument);
        return free && info(s, argument)->buffer == s->targets[i] ? s->targets[i] : NULL;
    }
    return NULL;
}

/* A group that copies b into scratch memory, if the dot may do without where all of b is inside of
 * its view (dot.c); else NULL. */
static struct cpu_group *copy_if_outside(struct cpu_schedule *s, const struct ir_op *op)
{
    struct ir_value *b = op->operands[1];
    if (!cpu_dot_in_place(s->e, op) || b->op->parent != s->region || info(s, b)->buffer)
        return NULL;
    struct cpu_group *group = ARENA_NEW(s->e->arena, struct cpu_group);
    struct cpu_sink sink = {
        .kind = CPU_SINK_BUFFER, .value = b, .buffer = cpu_buffer_new(s->e, b->type)};
    group->shape = b->type;
    group->schedule = s;
    ARENA_PUSH(s->e->arena, &group->sinks, sink);
    return group;
}

/* What it starts with is made in the dot's own loops, unless that is dear and wanted elsewhere. */
static void schedule_dot(struct cpu_schedule *s, struct ir_op *op)
{
    struct ir_value *start = op->operands[2], *result = op->results[0];
    struct cpu_group *copy = copy_if_outside(s, op);
    for (int i = 0; i < 2; i++) {
        bool turned;
        struct ir_value *v = cpu_dot_operand(s->e, op, i, &turned);
        if (i == 0 || !copy)
            cpu_schedule_need_buffer(s, v);
    }
    cpu_schedule_close(s);
    if (start->uses > 1 && cpu_cost(s->e, start, CPU_COST_AGAIN) > CPU_COST_AGAIN)
        cpu_schedule_need_buffer(s, start);
    s->epoch = cpu_new_epoch(s->e);
    cpu_schedule_prepare(s, start, true);
    cpu_schedule_close(s);
    struct cpu_buffer *target = target_of(s, op);
    if (target)
        info(s, result)->buffer = target;
    else
        cpu_schedule_give_buffer(s, result);
    cpu_schedule_push(s, (struct cpu_step){.kind = CPU_STEP_COLLECTIVE, .op = op, .group = copy});
}

/* A scalar op, or one that reads a scalar out of a tile (a reshape or split of a one-element tile).
 */
static void schedule_scalar(struct cpu_schedule *s, struct ir_op *op)
{
    for (int i = 0; i < op->operand_count; i++)
        cpu_schedule_need_buffer(s, op->operands[i]);
    bool waits = false;
    for (int i = 0; i < op->operand_count; i++)
        waits = waits || is_pending(s, op->operands[i]);
    bool pure = ir_has(op, IR_PURE);
    if (waits && pure) {
        ARENA_PUSH(s->e->arena, &s->open->scalars, op);
        for (int i = 0; i < op->result_count; i++)
            info(s, op->results[i])->pending = s->open;
        return;
    }
    if (waits ||
        op->code == IR_OP_ASSERT) /* no load from behind an assert joins a group before it */
        cpu_schedule_close(s);
    if (!pure && is_write(op))
        cpu_schedule_save_loads(s, op);
    for (size_t i = 0; !pure && s->open && i < s->open->accesses.count; i++) {
        if (cpu_schedule_conflicts(s, s->open->accesses.items[i].op, op))
            cpu_schedule_close(s);
    }
    cpu_schedule_push(s, (struct cpu_step){.kind = CPU_STEP_SCALAR, .op = op});
}

/* ---- the region ----------------------------------------------------------------------------- */

/* need of a value: the place of the last op of this region that wants it, directly or through ops
 * that are made late. Places are op->mark. */
static void raise_need(struct cpu_schedule *s, const struct ir_value *v, int need)
{
    struct cpu_value *value = info(s, v);
    if (is_local(s, v) && value->need < need)
        value->need = need;
}

static bool raise_inner(struct ir_op *inner, void *user)
{
    struct inner_uses *uses = user;
    for (int i = 0; i < inner->operand_count; i++)
        raise_need(uses->s, inner->operands[i], uses->place);
    return true;
}

static void find_needs(struct cpu_schedule *s)
{
    int place = 0;
    for (struct ir_op *op = s->region->first; op; op = op->next)
        op->mark = ++place;
    for (struct ir_op *op = s->region->last; op; op = op->previous) {
        int need = (int)op->mark;
        if (is_lazy(op)) {
            need = 0;
            for (int i = 0; i < op->result_count; i++)
                need = info(s, op->results[i])->need > need ? info(s, op->results[i])->need : need;
        }
        for (int i = 0; i < op->operand_count; i++)
            raise_need(s, op->operands[i], need);
        struct inner_uses uses = {s, (int)op->mark};
        for (int i = 0; i < op->region_count; i++)
            ir_walk(op->regions[i], raise_inner, &uses);
    }
}

static void schedule_op(struct cpu_schedule *s, struct ir_op *op)
{
    if (is_control(op)) {
        cpu_schedule_control(s, op);
    } else if (op->code == IR_OP_DOT) {
        schedule_dot(s, op);
    } else if (is_collective(op)) {
        schedule_collective(s, op);
    } else if (is_write(op) && touches_tile(op)) {
        schedule_store(s, op);
    } else if (is_reduction(op) && touches_tile(op)) {
        schedule_reduction(s, op);
    } else if (!is_lazy(op)) {
        schedule_scalar(s, op);
    } else if (ir_is_load(op)) {
        ARENA_PUSH(s->e->arena, &s->loads, op);
    }
}

/* The region around this one is scheduled as a whole: it may have given v a buffer that it writes
 * after this region. Here v has none. */
static void hide_late_buffer(struct cpu_schedule *s, struct ir_value *v)
{
    struct cpu_value *value = info(s, v);
    if (v->type.rank == 0 || !v->op || is_local(s, v) || !is_lazy(v->op) || value->ready ||
        !first_visit(s, v, true))
        return;
    if (value->buffer)
        ARENA_PUSH(s->e->arena, &s->hidden, ((struct cpu_hidden){v, value->buffer}));
    value->buffer = NULL;
    for (int i = 0; i < v->op->operand_count; i++)
        hide_late_buffer(s, v->op->operands[i]);
}

static bool hide_late_buffers(struct ir_op *op, void *user)
{
    for (int i = 0; i < op->operand_count; i++)
        hide_late_buffer(user, op->operands[i]);
    return true;
}

void cpu_schedule_region(struct cpu_schedule *s, struct cpu_emit *e, struct ir_region *region,
                         struct cpu_buffer **targets)
{
    *s = (struct cpu_schedule){.e = e, .region = region, .targets = targets};
    s->epoch = cpu_new_epoch(e);
    ir_walk(region, hide_late_buffers, s);
    find_needs(s);
    for (struct ir_op *op = region->first; op != region->last; op = op->next)
        schedule_op(s, op);
    cpu_schedule_await(s, region->last);
    cpu_schedule_ending(s, region->last, targets);
}

void cpu_schedule_end(struct cpu_schedule *s)
{
    for (size_t i = 0; i < s->borrowed.count; i++) {
        info(s, s->borrowed.items[i])->buffer = NULL;
        info(s, s->borrowed.items[i])->ready = false;
    }
    for (size_t i = 0; i < s->hidden.count; i++)
        info(s, s->hidden.items[i].value)->buffer = s->hidden.items[i].buffer;
}
