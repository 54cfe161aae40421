/*
 * Stores one program behind.
 *
 *     for each program:                      for each program, and one round more:
 *         top = max of a row                     top = max of a row
 *         e = exp(x - top); s = its sum   ->     e = exp(x - top); s = its sum; and, in the same
 *         store e / s                                nest, store e / s of the program before
 *
 * A nest that does nothing but store past the caches waits for memory, and one that computes
 * exponentials leaves memory idle. In one nest each hides the other. Softmax of float on Zen 5,
 * rows of 4096: from 0.79 to 0.84 of a copy's speed with two threads, 0.66 to 0.71 with one; on Zen
 * 4, with translations (stream.c), 0.70 to 0.79 and 0.75 to 0.88. The norms
 * compute too little for it: hand-written, LayerNorm lost 10 to 25% on one thread.
 *
 * Programs may run in any order, so a store may come after the loads of the next program, if it
 * reaches nothing that is loaded (together.c sees to that). What the program before made is kept: a
 * scalar in a variable, a tile in a buffer. At each place the nest reads what the program before
 * made there before it writes its own, so one buffer does, unless the stores read other places than
 * their own: then two take turns. (With two, and the row and the next one, 64 KB were in use:
 * softmax of float on Zen 5, rows of 16 KB, 0.71 | 0.72 of a copy's speed, with one 0.90 | 0.85.)
 *
 * In the first round there is no program before; then the first one's place is stored to, with
 * whatever the buffer holds, and stored to again in the second round with what is right. So where
 * is stored and loaded, and under which masks, must follow from the program's place alone, and the
 * nest must do nothing but store. In the last round the last program is computed once more.
 *
 * In 16 bits vectors of both nests differ in length, and both take the longer; with AVX2, what is
 * kept of bfloat is then in the order of pairs.c, which sums are made in, too. Softmax on Zen 3, of
 * the copy, two threads | one: half 0.46 | 0.44 to 0.50 | 0.47, bfloat 0.53 | 0.47 to 0.58 | 0.50
 * (as long as elements stay in the order of memory, 0.54 | 0.46). On Zen 5, with AVX-512, half 0.63
 * | 0.62 to 0.70 | 0.70, bfloat 0.59 | 0.60 to 0.72 | 0.73.
 */
#include "cpu/carry.h"
#include "cpu/lead.h"
#include "cpu/slots.h"
#include "cpu/squares.h"

enum {
    LEAST_COST = 16,       /* of a vector in the nest that the stores join, by cost.h */
    MOST_BYTES = 16 << 10, /* of one program's buffers */
};

/* ---- whether -------------------------------------------------------------------------------- */

/* A group that can run one program behind: stores, whose places follow from the program's. */
static bool only_stores(struct cpu_emit *e, const struct cpu_group *group)
{
    for (size_t i = 0; i < group->sinks.count; i++) {
        if (group->sinks.items[i].kind != CPU_SINK_STORE)
            return false;
    }
    for (size_t i = 0; i < group->accesses.count; i++) {
        const struct ir_op *op = group->accesses.items[i].op;
        int mask = op->code == IR_OP_STORE ? 2 : 1;
        if ((op->code != IR_OP_STORE && op->code != IR_OP_LOAD) ||
            !cpu_is_placed(e, op->operands[0]) ||
            (op->operand_count > mask && !cpu_is_placed(e, op->operands[mask])))
            return false;
    }
    return true;
}

/* A group that is done in its turn: it leaves scalars and tiles in buffers. */
static bool leaves_values(const struct cpu_group *group, int64_t *bytes)
{
    for (size_t i = 0; i < group->sinks.count; i++) {
        const struct cpu_sink *sink = &group->sinks.items[i];
        if (sink->kind == CPU_SINK_BUFFER)
            *bytes += ir_element_count(sink->buffer->type) * cpu_memory_bytes(sink->buffer->type);
        else if (sink->kind != CPU_SINK_REDUCE || sink->op->results[0]->type.rank > 0)
            return false;
    }
    return true;
}

/* The dearest of the groups before the last step; the stores join it. */
static size_t dearest(struct cpu_emit *e, const struct cpu_schedule *s, int *most)
{
    size_t found = 0;
    *most = 0;
    for (size_t i = 0; i + 1 < s->steps.count; i++) {
        const struct cpu_step *step = &s->steps.items[i];
        bool runs = step->kind == CPU_STEP_GROUP && !cpu_squares_skip(e, step->group);
        int cost = runs ? cpu_group_cost(e, step->group) : 0;
        if (cost > *most) {
            *most = cost;
            found = i;
        }
    }
    return found;
}

static bool steps_fit(const struct cpu_schedule *s)
{
    int64_t bytes = 0;
    for (size_t i = 0; i + 1 < s->steps.count; i++) {
        const struct cpu_step *step = &s->steps.items[i];
        if (step->kind == CPU_STEP_GROUP ? !leaves_values(step->group, &bytes)
                                         : step->kind != CPU_STEP_SCALAR)
            return false;
    }
    return bytes <= MOST_BYTES;
}

/* Whether the joined nest may take the vectors of the stores, twice as long as its own: LLVM makes
 * two of each, and sums are made of their halves in turn, in the same order as alone. */
static bool may_take_longer(struct cpu_emit *e, struct cpu_group *joined, struct cpu_group *last)
{
    if (cpu_group_lanes(e, last) != 2 * cpu_group_lanes(e, joined))
        return false;
    for (size_t i = 0; i < joined->sinks.count; i++) {
        const struct cpu_sink *sink = &joined->sinks.items[i];
        if (sink->kind == CPU_SINK_REDUCE &&
            (sink->op->code != IR_OP_SUM || sink->op->attributes.bits == CPU_SUM_FUSED))
            return false;
    }
    return true;
}

static bool is_adjacent(const struct cpu_schedule *s, size_t joined)
{
    for (size_t i = joined + 1; i + 1 < s->steps.count; i++) {
        if (s->steps.items[i].kind == CPU_STEP_GROUP)
            return false;
    }
    return true;
}

bool cpu_behind_plan(struct cpu_emit *e, const struct cpu_schedule *s)
{
    if (!e->streaming || !cpu_stream_joins(e) || s->steps.count < 2 || !steps_fit(s))
        return false;
    struct cpu_group *last = s->steps.items[s->steps.count - 1].group;
    int most;
    size_t place = dearest(e, s, &most);
    struct cpu_group *joined = s->steps.items[place].group;
    if (!last || most < LEAST_COST || !ir_shape_equal(joined->shape, last->shape) ||
        !only_stores(e, last) ||
        (cpu_group_lanes(e, joined) != cpu_group_lanes(e, last) &&
         !may_take_longer(e, joined, last)))
        return false;
    e->adjacent = is_adjacent(s, place);
    cpu_slots_make(e, &e->kept, s, s->steps.count - 1);
    cpu_slots_make(e, &e->lead, s, cpu_lead_steps(e, s, place));
    return true;
}

/* ---- the code ------------------------------------------------------------------------------- */

/* Whether the group reads its own element of the buffer and no other. */
static bool reads_in_place(const struct cpu_group *group, const struct cpu_buffer *buffer)
{
    for (size_t i = 0; i < group->moved.count; i++) {
        if (group->moved.items[i] == buffer)
            return false;
    }
    return true;
}

/* What the joined nest makes, it may put where its stores have just read what the program before
 * made. The two buffers of any other tile take turns. */
static void place_buffers(struct cpu_emit *e, struct cpu_schedule **schedules, size_t joined)
{
    size_t last = schedules[1]->steps.count - 1;
    const struct cpu_group *stores = schedules[1]->steps.items[last].group;
    for (size_t i = 0; i < last; i++) {
        const struct cpu_group *groups[] = {schedules[0]->steps.items[i].group,
                                            schedules[1]->steps.items[i].group};
        for (size_t k = 0; groups[0] && k < groups[0]->sinks.count; k++) {
            struct cpu_buffer *now = groups[0]->sinks.items[k].buffer;
            struct cpu_buffer *before = groups[1]->sinks.items[k].buffer;
            if (!now)
                continue;
            if (i == joined && reads_in_place(stores, before)) {
                now->place = before->place = cpu_i64(e, now->offset);
                continue;
            }
            LLVMValueRef a = cpu_i64(e, now->offset), b = cpu_i64(e, before->offset);
            now->place = LLVMBuildSelect(e->builder, e->odd, b, a, "");
            before->place = LLVMBuildSelect(e->builder, e->odd, a, b, "");
        }
    }
}

/* What the program before left, as if its steps had just been done. */
static void enter_before(struct cpu_emit *e, const struct cpu_schedule *s)
{
    cpu_together_enter(e, CPU_PROGRAM_BEFORE);
    cpu_slots_take(e, &e->kept, s);
    for (size_t i = 0; i + 1 < s->steps.count; i++) {
        const struct cpu_group *group = s->steps.items[i].group;
        for (size_t k = 0; group && k < group->sinks.count; k++) {
            if (group->sinks.items[k].kind == CPU_SINK_BUFFER)
                cpu_value_of(e, group->sinks.items[k].value)->ready = true;
        }
    }
}

/* The group of this program, with the last one of the program before and, where there is one, the
 * lead of the program after. */
static void emit_joined(struct cpu_emit *e, struct cpu_schedule **schedules, size_t joined)
{
    size_t last = schedules[CPU_PROGRAM_BEFORE]->steps.count - 1;
    struct cpu_group *groups[] = {schedules[CPU_PROGRAM_NOW]->steps.items[joined].group,
                                  schedules[CPU_PROGRAM_BEFORE]->steps.items[last].group, NULL};
    e->together = CPU_PROGRAM_BEFORE + 1;
    if (e->lead.count > 0)
        groups[e->together++] =
            schedules[CPU_PROGRAM_AFTER]->steps.items[e->lead.count - 1].group;
    cpu_emit_group(e, groups);
    cpu_together_enter(e, CPU_PROGRAM_NOW);
    e->together = 1;
}

void cpu_behind_emit(struct cpu_emit *e, struct cpu_schedule **schedules)
{
    const struct cpu_schedule *s = schedules[0];
    size_t last = s->steps.count - 1;
    int most;
    size_t joined = dearest(e, s, &most);
    place_buffers(e, schedules, joined);
    e->together = CPU_MOST_TOGETHER;
    enter_before(e, schedules[CPU_PROGRAM_BEFORE]);
    cpu_together_enter(e, CPU_PROGRAM_NOW);
    e->together = 1;
    cpu_stream_choose(e, s);
    if (e->lead.count > 0)
        cpu_lead_begin(e, schedules);
    for (size_t i = e->lead.count; i < last && !e->failed; i++) {
        const struct cpu_step *step = &s->steps.items[i];
        if (step->kind == CPU_STEP_SCALAR)
            cpu_scalar_op(e, step->op);
        else if (i == joined)
            emit_joined(e, schedules, joined);
        else
            cpu_emit_group(e, &step->group);
    }
    cpu_slots_put(e, &e->kept, s);
    if (e->lead.count > 0)
        cpu_lead_end(e, schedules);
}
