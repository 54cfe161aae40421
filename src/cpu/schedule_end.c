/*
 * The end of a region: where it leaves what a loop carries on or a branch results in. A value is
 * written straight to its place if nothing else at the end still reads what lies there, or if one
 * nest makes all of them before it writes any; else it is copied there in the end.
 */
#include "cpu/scheduler.h"

/* Whether making v reads the buffer; elsewhere: at another position than the nest's. */
static bool reads_buffer(struct cpu_schedule *s, struct ir_value *v,
                         const struct cpu_buffer *buffer, bool whole, bool *elsewhere)
{
    if (v->type.rank == 0)
        return false;
    if (info(s, v)->buffer) {
        if (info(s, v)->buffer != buffer)
            return false;
        *elsewhere = *elsewhere || !whole;
        return true;
    }
    if (!v->op || !first_visit(s, v, whole))
        return false;
    bool moves = ir_has(v->op, IR_MOVES);
    bool reads = false;
    for (int i = 0; i < v->op->operand_count; i++)
        reads |= reads_buffer(s, v->op->operands[i], buffer, whole && !moves, elsewhere);
    return reads;
}

/* How value i may be written straight to its target. */
enum place {
    PLACE_FREE,  /* nothing else at the end of the region still reads what lies there */
    PLACE_TURNS, /* others do, element by element: if one nest makes all before it writes them */
    PLACE_COPY,  /* what lies there is read at other positions */
};

static enum place place_of(struct cpu_schedule *s, const struct ir_op *end, int first, int i,
                           struct cpu_buffer **targets)
{
    enum place place = PLACE_FREE;
    for (int k = first; k < end->operand_count; k++) {
        bool elsewhere = false;
        s->epoch = cpu_new_epoch(s->e);
        bool reads = end->operands[k]->type.rank > 0 && targets[k - first] &&
                     reads_buffer(s, end->operands[k], targets[i - first], true, &elsewhere);
        if (reads && elsewhere)
            return PLACE_COPY;
        if (reads && k != i)
            place = PLACE_TURNS;
    }
    return place;
}

/* Whether the last `count` sinks of the open group are those that take turns. */
static bool turn_in_one_nest(const struct cpu_schedule *s, const struct cpu_group *group,
                             size_t count)
{
    if (group != s->open || group->sinks.count < count)
        return false;
    for (size_t k = 0; k < count; k++) {
        if (!group->sinks.items[group->sinks.count - 1 - k].turns)
            return false;
    }
    return true;
}

struct ending { /* of value i of a region's end */
    enum place place;
    struct cpu_group *group; /* that writes it, or NULL */
    size_t sink;
    struct cpu_buffer *copy; /* or NULL: it is written in place */
};

/*
 *     before, now = now, before + now      what each becomes is made of what the others were
 *
 * One nest that reads all at a place before it writes them there needs no copies. Where other
 * sinks came between, or another nest had to begin, what is still read is written apart first.
 */
static void take_turns(struct cpu_schedule *s, struct ending *endings, int count)
{
    struct cpu_group *group = NULL;
    size_t sinks = 0;
    bool one = true;
    for (int i = 0; i < count; i++) {
        if (!endings[i].group)
            continue;
        one = one && (!group || group == endings[i].group);
        group = endings[i].group;
        sinks++;
    }
    one = one && group && turn_in_one_nest(s, group, sinks);
    for (int i = 0; i < count && !one; i++) {
        if (!endings[i].group)
            continue;
        struct cpu_sink *sink = &endings[i].group->sinks.items[endings[i].sink];
        sink->turns = false;
        if (endings[i].place == PLACE_TURNS)
            sink->buffer = endings[i].copy = cpu_buffer_new(s->e, sink->value->type);
    }
}

void cpu_schedule_ending(struct cpu_schedule *s, struct ir_op *end, struct cpu_buffer **targets)
{
    int first = end->code == IR_OP_CONDITION, count = end->operand_count - first;
    struct ending *endings =
        ARENA_ARRAY(s->e->arena, struct ending, (size_t)end->operand_count + 1);
    bool turns = false;
    for (int i = 0; i < count && targets; i++) {
        struct ir_value *v = end->operands[first + i];
        if (v->type.rank == 0 || !targets[i] || info(s, v)->buffer == targets[i])
            continue;
        endings[i].place = place_of(s, end, first, first + i, targets);
        turns = turns || endings[i].place == PLACE_TURNS;
    }
    for (int i = 0; i < count && targets; i++) {
        struct ir_value *v = end->operands[first + i];
        if (v->type.rank == 0 || !targets[i] || info(s, v)->buffer == targets[i])
            continue;
        if (endings[i].place == PLACE_COPY)
            endings[i].copy = cpu_buffer_new(s->e, v->type);
        cpu_schedule_copy_into(s, v, endings[i].copy ? endings[i].copy : targets[i]);
        endings[i].group = s->open;
        endings[i].sink = s->open->sinks.count - 1;
        s->open->sinks.items[endings[i].sink].turns = turns;
    }
    if (turns)
        take_turns(s, endings, count);
    cpu_schedule_close(s);
    for (int i = 0; i < count; i++) {
        if (endings[i].copy)
            cpu_schedule_push(s, (struct cpu_step){.kind = CPU_STEP_COPY,
                                                   .from = endings[i].copy,
                                                   .to = targets[i]});
    }
}
