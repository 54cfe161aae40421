/*
 * The body of a nest: its sinks, for one vector of each program that shares the nest; and the
 * interior, where no mask is asked and the body stands in several copies.
 */
#include "cpu/nest.h"

#include "cpu/reduce.h"
#include "cpu/reduce_bits.h"
#include "cpu/strided.h"

/* ---- sinks of all programs ------------------------------------------------------------------- */

size_t cpu_nest_sink_count(const struct cpu_emit *e, const struct cpu_nest *n)
{
    size_t count = 0;
    for (int k = 0; k < e->together; k++)
        count += n->groups[k]->sinks.count;
    return count;
}

struct cpu_sink *cpu_nest_enter_sink(struct cpu_emit *e, const struct cpu_nest *n, size_t i)
{
    int program = 0;
    while (i >= n->groups[program]->sinks.count)
        i -= n->groups[program++]->sinks.count;
    cpu_together_enter(e, program);
    return &n->groups[program]->sinks.items[i];
}

/* ---- one body -------------------------------------------------------------------------------- */

static void emit_sink(struct cpu_emit *e, struct cpu_sink *sink, const struct cpu_position *p)
{
    switch (sink->kind) {
    case CPU_SINK_STORE:
        cpu_store(e, sink->op, p);
        return;
    case CPU_SINK_ATOMIC:
        cpu_atomic(e, sink->op, p, sink->buffer);
        return;
    case CPU_SINK_REDUCE:
        cpu_reduction_step(e, sink, p);
        return;
    case CPU_SINK_BUFFER: {
        struct cpu_element element = cpu_element_of(e, sink->value, p);
        if (!sink->only_made)
            cpu_buffer_write(e, sink->buffer, p, element);
        return;
    }
    }
}

/* What is narrowed to a bfloat: the conversion has a block of its own for rare elements, and LLVM
 * does not see behind it that a load before it gives the same. */
static const struct ir_value *before_narrowing(struct cpu_emit *e, const struct ir_value *v)
{
    const struct ir_op *op = v->op;
    bool narrows = op && op->code == IR_OP_CAST && v->type.elem == IR_BF16 &&
                   op->operands[0]->type.elem == IR_F32;
    return narrows && cpu_pair_lanes(e) > 0 ? op->operands[0] : v;
}

/* With several programs, what they store is made before anything is stored (in cache, for all
 * copies of the body): then loads that are the same in all of them (a normalisation's weights) are
 * one to LLVM, and no load waits for a store before it to an address that ends in the same 12 bits.
 * Where stores run one program behind (behind.c), rows whose distance is a multiple of 4 KB have
 * such addresses everywhere: softmax of float, rows of 4096 on Zen 4, had 0.37 of a copy's speed on
 * one thread and 0.61 on two where it stored first, and has 0.85 and 0.87; with an output 1 KB
 * farther on, 0.93 and 0.92 to 0.94 and 0.95.
 */
static void make_before_stores(struct cpu_emit *e, const struct cpu_nest *n)
{
    size_t count = cpu_nest_sink_count(e, n);
    for (size_t i = 0; i < 2 * count; i++) {
        const struct cpu_sink *sink = cpu_nest_enter_sink(e, n, i % count);
        const struct ir_value *v = NULL;
        if (sink->kind == CPU_SINK_BUFFER)
            v = sink->value;
        else if (sink->kind == CPU_SINK_STORE && sink->op->code == IR_OP_STORE)
            v = sink->op->operands[1];
        if (v)
            cpu_element_of(e, i < count ? before_narrowing(e, v) : v, &n->position);
    }
}

/* Of the program before: what it stores may be where this program's tile will be (behind.c). */
static size_t first_sink(const struct cpu_emit *e, const struct cpu_nest *n)
{
    return e->behind && e->together > 1 ? n->groups[0]->sinks.count : 0;
}

/* What each row adds is made first, so that what they add to stays in registers. */
static void emit_jammed(struct cpu_emit *e, struct cpu_nest *n)
{
    size_t count = n->group->sinks.count, each = count * (size_t)n->jam;
    for (size_t i = 0; i < 2 * each; i++) {
        struct cpu_sink *sink = &n->group->sinks.items[i % count];
        n->position.index[n->jam_axis] = n->jammed[i % each / count];
        if (i < each)
            cpu_element_of(e, sink->op->operands[0], &n->position);
        else
            emit_sink(e, sink, &n->position);
    }
    n->position.index[n->jam_axis] = n->jammed[0];
}

/* Tiles that a loop carries, from sink i on of its program: what one of them was may be what
 * another becomes. Gives how many. */
static size_t emit_turns(struct cpu_emit *e, const struct cpu_nest *n, size_t i)
{
    size_t count = 0, all = cpu_nest_sink_count(e, n);
    const struct cpu_sink *first = cpu_nest_enter_sink(e, n, i), *sink = first;
    const struct cpu_group *group = n->groups[e->entered];
    size_t most = (size_t)(group->sinks.items + group->sinks.count - first);
    struct cpu_element *made = ARENA_ARRAY(e->arena, struct cpu_element, most);
    for (; count < most && i + count < all && sink->turns; sink++, count++)
        made[count] = cpu_element_of(e, sink->value, &n->position);
    for (size_t k = 0; k < count; k++)
        cpu_buffer_write(e, first[k].buffer, &n->position, made[k]);
    return count;
}

void cpu_nest_emit_body(struct cpu_emit *e, struct cpu_nest *n, LLVMValueRef lane_index)
{
    if (n->axis >= 0)
        n->position.index[n->axis] = lane_index;
    e->body.place = lane_index;
    if (n->jam > 1) {
        emit_jammed(e, n);
        return;
    }
    int ahead = e->behind ? 1 : e->together;
    for (int k = 0; k < ahead && e->body.fast; k++) {
        cpu_together_enter(e, k);
        cpu_stream_ahead(e, &n->position, n->light);
    }
    if (e->together > 1)
        make_before_stores(e, n);
    cpu_load_channels(e, n->group, &n->position);
    size_t count = cpu_nest_sink_count(e, n);
    for (size_t i = 0; i < count;) {
        int stored = cpu_store_groups(e, n->group, i, &n->position);
        if (stored > 0) {
            i += (size_t)stored;
            continue;
        }
        size_t k = (i + first_sink(e, n)) % count;
        struct cpu_sink *sink = cpu_nest_enter_sink(e, n, k);
        if (sink->turns) {
            i += emit_turns(e, n, k);
            continue;
        }
        i++;
        e->body.shift = n->past == CPU_PAST_SHIFTED ? n->shifts[k] : NULL;
        emit_sink(e, sink, &n->position);
    }
}

LLVMValueRef cpu_nest_active(struct cpu_emit *e, const struct cpu_nest *n, LLVMValueRef index)
{
    if (n->size % n->lanes == 0)
        return NULL;
    return cpu_places_within(e, (struct cpu_span){cpu_i64(e, 0), cpu_i64(e, n->size)}, index);
}

void cpu_nest_set_body(struct cpu_emit *e, struct cpu_nest *n, bool interior)
{
    cpu_new_epoch(e);
    e->body = (struct cpu_body){.lanes = n->lanes,
                                .interior = interior,
                                .misses_rows = !interior && cpu_nest_misses_rows(e, n),
                                .near_by_tile = n->tops.count > 0,
                                .bounded = n->bounded,
                                .bounded_count = n->bounded_count,
                                .went_past = n->went_past};
}

/* The body where masks may not hold, with the lanes in which they do if a reduction wants them. */
void cpu_nest_emit_around(struct cpu_emit *e, struct cpu_nest *n, LLVMValueRef index)
{
    for (size_t i = 0; i < cpu_nest_sink_count(e, n) && n->bounded_count > 0; i++) {
        const struct cpu_sink *sink = cpu_nest_enter_sink(e, n, i);
        if (sink->kind != CPU_SINK_REDUCE || !cpu_bits_spread(sink) || e->body.within[e->entered])
            continue;
        e->body.within[e->entered] = cpu_places_within(e, n->own[e->entered], index);
    }
    cpu_nest_emit_body(e, n, index);
}

/* ---- the interior ---------------------------------------------------------------------------- */

static bool in_pairs(struct cpu_emit *e, const struct cpu_nest *n)
{
    if (e->together > 1 && e->behind)
        return cpu_in_pairs_behind(e, n->groups, n->bounded, n->bounded_count);
    for (size_t i = 0; i < n->group->sinks.count && n->varies; i++) {
        if (n->group->sinks.items[i].kind == CPU_SINK_REDUCE) /* see keep_orders */
            return false;
    }
    return cpu_in_pairs(e, n->group, n->bounded, n->bounded_count);
}

static void interior_loop(struct cpu_emit *e, struct cpu_nest *n, LLVMValueRef first,
                          LLVMValueRef end)
{
    int beside = n->beside && n->near ? 2 : 1;
    struct cpu_loop loop;
    cpu_nest_begin_shifts(e, n, first);
    cpu_loop_begin(e, &loop, first, end, (int64_t)n->lanes * n->copies * beside);
    cpu_nest_set_body(e, n, n->bounded_count > 0);
    e->body.lanes = n->lanes * beside;
    e->body.fast = true;
    e->body.near = n->near;
    e->body.near_by_tile = n->near_by_program;
    e->body.past = n->past != CPU_PAST_NONE;
    e->body.aligned = !n->anywhere;
    e->body.origin = first;
    if (n->past == CPU_PAST_SHIFTED)
        e->body.first_trip = LLVMBuildICmp(e->builder, LLVMIntEQ, loop.index, first, "");
    e->body.pairs = n->lanes == cpu_pair_lanes(e) && in_pairs(e, n);
    if (e->body.pairs)
        cpu_takes(e, CPU_PATH_PAIRS);
    LLVMValueRef place[CPU_MOST_COPIES];
    for (int i = 0; i < n->copies; i++) {
        LLVMValueRef offset = cpu_i64(e, (int64_t)i * n->lanes);
        place[i] = i ? LLVMBuildAdd(e->builder, loop.index, offset, "") : loop.index;
        n->position.index[n->axis] = place[i];
        if (e->together > 1 && !e->streaming)
            make_before_stores(e, n);
    }
    for (int i = 0; i < n->copies; i++) {
        e->body.copy = i;
        cpu_nest_emit_body(e, n, place[i]);
    }
    cpu_loop_end(e, &loop);
    cpu_nest_end_shifts(e, n, first, end);
}

/* Two versions where exponentials may be near 0. */
void cpu_nest_emit_loops(struct cpu_emit *e, struct cpu_nest *n, LLVMValueRef first,
                         LLVMValueRef end)
{
    if (!n->near_if) {
        interior_loop(e, n, first, end);
        return;
    }
    cpu_takes(e, CPU_PATH_NEAR);
    LLVMBasicBlockRef near = cpu_block(e, "near"), far = cpu_block(e, "far");
    LLVMBasicBlockRef done = cpu_block(e, "done");
    LLVMBuildCondBr(e->builder, n->near_if, near, far);
    LLVMPositionBuilderAtEnd(e->builder, near);
    n->near = true;
    interior_loop(e, n, first, end);
    n->near = false;
    LLVMBuildBr(e->builder, done);
    LLVMPositionBuilderAtEnd(e->builder, far);
    interior_loop(e, n, first, end);
    LLVMBuildBr(e->builder, done);
    LLVMPositionBuilderAtEnd(e->builder, done);
}
