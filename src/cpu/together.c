/*
 * Two programs side by side.
 *
 *     for each program:                  for each two programs:
 *         sum of a row                       sums of two rows, in one loop
 *         mean, by a division        ->      two means
 *         sum of squares                     ...
 *         ...
 *
 * Between the nests of a short program stand latencies that nothing hides: a reduction of a vector
 * to a scalar, a division, a square root, together some 260 cycles of LayerNorm's 600 on a row of
 * 1024 floats in cache. Two programs share them. They also share what is loaded and converted alike
 * by every program, such as the weights of a normalisation, which counts in long rows too. Each
 * program does exactly what it would do alone, so results do not change.
 *
 * Programs may run in any order, so they may run together, if no store of one can reach what the
 * other loads; then the last program may also run twice, as its own companion, where their number
 * is odd. That is proved from the parameters, and atomics, asserts and prints are left alone.
 *
 * Measured on Zen 4, one thread, rows of 1024 in cache: LayerNorm of bfloat 49.5 to 39.8 us, of
 * float 39.5 to 37.6, RMSNorm of bfloat 38.1 to 29.6; three or four together gain 5% more in 16
 * bits and lose as much in float. RMSNorm of float, which waits for the caches, lost 20%: hence
 * LEAST_PER_LINE. With streaming stores, rows of 4096: LayerNorm of bfloat 15.4 to 14.0 ms, of half
 * 19.0 to 15.9; of float, where two rows fill the first-level cache, prototypes lost 5 to 20%.
 *
 * On Zen 3 with AVX2, in cache: LayerNorm of bfloat 66.2 to 63.7 us, of half 55.8 to 51.3, RMSNorm
 * of bfloat 45.9 to 41.4, of half 35.8 to 37.5, of float 34.9 to 39.6. With streaming stores, rows
 * of 4096, two threads: RMSNorm of half 7.4 to 6.0 ms, LayerNorm of half 9.0 to 8.9; but of bfloat,
 * whose weights are widened at no cost worth sharing (pairs.c), RMSNorm 6.6 to 7.4, LayerNorm 9.1
 * to 10.2.
 *
 * Where lines are fetched into the first-level cache (stream.c), two rows at a time lose: four
 * streams of loads and two of streaming stores took 6.8 ms for RMSNorm of half on Zen 5, two
 * threads, one row at a time 5.8; LayerNorm of bfloat 6.8 and 6.1. Where stores can run one program
 * behind (behind.c), that comes first.
 */
#include "cpu/schedule.h"
#include "cpu/share.h"

#include <string.h>

enum {
    MOST_BYTES = 8 << 10, /* of one program's output and scratch memory */
    MOST_COST = 1200,     /* vector instructions of a program that latencies count in, by cost.h */
    LEAST_PER_LINE = 10,  /* of these, if a vector is a cache line, per line stored: lighter ones
                           * wait  for the cache */
    LEAST_STREAMING = 20, /* the same where the line comes from memory */
};

void cpu_together_enter(struct cpu_emit *e, int program)
{
    e->entered = e->together == 1 ? 0 : program;
    if (e->together == 1)
        return;
    e->values = e->programs[program].values;
    for (int k = 0; k < 3; k++)
        e->program[k] = e->programs[program].program[k];
}

/* ---- whether -------------------------------------------------------------------------------- */

static bool is_scalar(const struct ir_op *op)
{
    return ir_has(op, IR_PURE) || op->code == IR_OP_PROGRAM_ID || op->code == IR_OP_NUM_PROGRAMS ||
           op->code == IR_OP_CONSTANT;
}

struct body { /* what a kernel's body has */
    struct cpu_emit *e;
    const struct ir_op *stores[4], *loads[8];
    int store_count, load_count;
    bool shares; /* a tile that is the same for every program */
    bool fits;
};

static bool look_at(struct ir_op *op, void *user)
{
    struct body *b = user;
    bool tile = op->operand_count > 0 && op->operands[0]->type.rank > 0;
    if (op->code == IR_OP_STORE && tile && b->store_count < 4)
        b->stores[b->store_count++] = op;
    else if (op->code == IR_OP_LOAD && tile && b->load_count < 8)
        b->loads[b->load_count++] = op;
    else if (op->region_count > 0 || !(ir_has(op, IR_PURE) || is_scalar(op) || !op->next))
        b->fits = false;
    if (op->code == IR_OP_LOAD && tile)
        b->shares = b->shares || cpu_is_fixed(b->e, op->results[0]);
    return true;
}

static bool accesses_fit(struct cpu_emit *e, struct ir_region *region, bool *shares)
{
    struct body b = {.e = e, .fits = true};
    ir_walk(region, look_at, &b);
    *shares = b.shares;
    /* no store reaches what is loaded */
    for (int i = 0; i < b.store_count && b.fits; i++) {
        for (int k = 0; k < b.load_count; k++)
            b.fits = b.fits && cpu_are_apart(e, ir_pointer_root(b.stores[i]->operands[0]),
                                             ir_pointer_root(b.loads[k]->operands[0]));
    }
    return b.fits && b.store_count > 0;
}

static int64_t bytes_of(struct ir_type type)
{
    return ir_element_count(type) * cpu_memory_bytes(type);
}

struct weight { /* of one program */
    int64_t cost, bytes, stored;
    int reductions;
    bool pairs; /* a nest in the order of pairs.c */
};

static bool weigh_group(struct cpu_emit *e, const struct cpu_group *group, struct weight *w)
{
    for (size_t i = 0; i < group->sinks.count; i++) {
        const struct cpu_sink *sink = &group->sinks.items[i];
        bool whole = sink->kind == CPU_SINK_REDUCE && sink->op->results[0]->type.rank == 0;
        if (sink->kind != CPU_SINK_STORE && sink->kind != CPU_SINK_BUFFER && !whole)
            return false;
        w->reductions += whole;
        if (sink->kind == CPU_SINK_BUFFER)
            w->bytes += bytes_of(sink->buffer->type);
    }
    for (size_t i = 0; i < group->accesses.count; i++) {
        const struct ir_op *op = group->accesses.items[i].op;
        if (op->operands[0]->type.rank > 0 && op->code == IR_OP_STORE)
            w->stored += bytes_of(op->operands[1]->type);
    }
    int64_t vectors = ir_element_count(group->shape) * 32 / e->level->vector_bits;
    w->cost += cpu_group_cost(e, group) * vectors;
    w->pairs = w->pairs || cpu_in_pairs(e, group, NULL, 0);
    return true;
}

static bool is_worth_it(struct cpu_emit *e, const struct cpu_schedule *s, bool shares)
{
    int64_t least = e->streaming ? LEAST_STREAMING : LEAST_PER_LINE;
    struct weight w = {0};
    for (size_t i = 0; i < s->steps.count; i++) {
        const struct cpu_step *step = &s->steps.items[i];
        bool fits = step->kind == CPU_STEP_SCALAR
                        ? is_scalar(step->op)
                        : step->kind == CPU_STEP_GROUP && weigh_group(e, step->group, &w);
        if (!fits)
            return false;
    }
    if (e->streaming && (cpu_stream_alone(e) ||
                         (w.pairs && cpu_rounds_by_bits(&e->level->features))))
        return false;
    int64_t work = w.cost * e->level->vector_bits / 512; /* whatever the vectors' width */
    return w.reductions > 0 && (shares || w.cost <= MOST_COST) &&
           w.bytes + w.stored <= MOST_BYTES && work >= w.stored / 64 * least;
}

static struct cpu_schedule *schedule(struct cpu_emit *e, struct ir_region *body)
{
    struct cpu_schedule *s = ARENA_NEW(e->arena, struct cpu_schedule);
    cpu_schedule_region(s, e, body, NULL);
    return s;
}

static int programs_of_round(const struct cpu_emit *e)
{
    return !e->behind || e->lead.count == 0 ? CPU_SIDE_BY_SIDE : CPU_MOST_TOGETHER;
}

/* Each program's values start as what is known before scheduling: the parameters, and tiles made
 * once for all. */
void cpu_together_plan(struct cpu_emit *e, struct ir_region *body, struct cpu_schedule **schedules)
{
    size_t count = (size_t)e->value_count, bytes = count * sizeof *e->values;
    bool shares, fits = accesses_fit(e, body, &shares);
    for (int k = 1; k < CPU_MOST_TOGETHER && fits; k++) {
        e->programs[k].values = ARENA_ARRAY(e->arena, struct cpu_value, count + 1);
        memcpy(e->programs[k].values, e->values, bytes);
    }
    int64_t start = e->scratch_bytes;
    schedules[0] = schedule(e, body);
    e->behind = fits && cpu_behind_plan(e, schedules[0]);
    bool side_by_side = fits && !e->behind && is_worth_it(e, schedules[0], shares);
    if (!side_by_side && !e->behind)
        return;
    e->together = side_by_side ? CPU_SIDE_BY_SIDE : 1;
    e->order = side_by_side ? CPU_ORDER_SIDE_BY_SIDE : CPU_ORDER_BEHIND;
    cpu_takes(e, side_by_side ? CPU_PATH_SIDE_BY_SIDE : CPU_PATH_BEHIND);
    if (e->behind) /* no store to one buffer looks like the loads from the other that follow it */
        e->scratch_bytes = start + (e->scratch_bytes - start + 4095) / 4096 * 4096;
    for (int k = 1; k < programs_of_round(e); k++) {
        int64_t used = e->scratch_bytes;
        e->values = e->programs[k].values;
        schedules[k] = schedule(e, body);
        if (k > CPU_PROGRAM_BEFORE) /* of such a program only what has no buffer runs */
            e->scratch_bytes = used;
    }
    e->values = e->programs[0].values;
}

/* ---- the code ------------------------------------------------------------------------------- */

static void end_schedules(struct cpu_emit *e, struct cpu_schedule **schedules)
{
    for (int k = 0; k < e->together; k++) {
        cpu_together_enter(e, k);
        cpu_schedule_end(schedules[k]);
    }
    e->together = 1;
    e->values = e->programs[0].values;
}

/* Both schedules come from one body, so their steps are the same. */
void cpu_together_emit(struct cpu_emit *e, struct cpu_schedule **schedules)
{
    if (e->together == 1 && !e->behind) {
        cpu_emit_schedule(e, schedules[0]);
        return;
    }
    if (e->behind) {
        cpu_behind_emit(e, schedules);
        e->together = programs_of_round(e);
        end_schedules(e, schedules);
        return;
    }
    cpu_stream_choose(e, schedules[0]);
    for (size_t i = 0; i < schedules[0]->steps.count && !e->failed; i++) {
        struct cpu_group *groups[CPU_MOST_TOGETHER];
        cpu_share_mark(e, CPU_MARK_STEP);
        for (int k = 0; k < e->together; k++) {
            const struct cpu_step *step = &schedules[k]->steps.items[i];
            groups[k] = step->group;
            cpu_together_enter(e, k);
            if (step->kind == CPU_STEP_SCALAR)
                cpu_scalar_op(e, step->op);
        }
        if (groups[0])
            cpu_emit_group(e, groups);
    }
    end_schedules(e, schedules);
}
