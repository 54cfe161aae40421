/*
 * A group as code: one loop nest.
 *
 * The last axis that is longer than 1 runs over vectors, the axes before it are plain loops around
 * it. Where masks bound the innermost loop (masks.c), it runs in up to three parts: a head in which
 * everything is masked, an interior in which they all hold, unrolled, and a rest like the head.
 *
 *     for outer axes:
 *         from, all = between which places all masks hold
 *         first = from, rounded up to lanes; 0 if no interior is left then
 *         for j in [0, first) by lanes: the body with masks
 *         for j in [first, all) by lanes * copies: the body, copies times, without masks
 *         for j from there to the end by lanes: the body with masks
 *
 * Head and rest are one loop, which is entered twice, so that there are two bodies, not three. Most
 * masks hold from the first place on, and there is no head. nest_edges.c has another order, for
 * nests whose masked bodies are dear. nest.h says where the parts are written.
 */
#include "cpu/nest.h"

#include "cpu/carry.h"
#include "cpu/reduce.h"
#include "cpu/spread.h"
#include "cpu/squares.h"

/* ---- head, interior and rest ---------------------------------------------------------------- */

static void emit_rest(struct cpu_emit *e, struct cpu_nest *n, LLVMValueRef from)
{
    int64_t whole = n->size - n->size % n->lanes, start = 0;
    bool ragged = whole != n->size;
    bool fixed = cpu_is_constant(from, &start);
    struct cpu_loop loop;
    if ((!fixed || start < n->size) && cpu_nest_emit_settled(e, n, from))
        return;
    if (!fixed || start < whole) {
        /* where nothing is bounded, whole vectors need no mask; else one loop does all */
        bool one_loop = ragged && n->bounded_count > 0;
        cpu_loop_begin(e, &loop, from, cpu_i64(e, one_loop ? n->size : whole), n->lanes);
        cpu_nest_set_body(e, n, false);
        e->body.aligned = true;
        if (one_loop)
            e->body.active = cpu_nest_active(e, n, loop.index);
        cpu_nest_emit_around(e, n, loop.index);
        cpu_loop_end(e, &loop);
        if (one_loop)
            return;
    }
    if (ragged) {
        cpu_nest_set_body(e, n, false);
        e->body.aligned = true;
        e->body.active = cpu_nest_active(e, n, cpu_i64(e, whole));
        cpu_nest_emit_around(e, n, cpu_i64(e, whole));
    }
}

/* An exponential near 0 is a chain of some 50 cycles. Where registers are split, a processor finds
 * too few vectors to work at beside it: on Zen 1 two, operation by operation, took 13.4 cycles each
 * where one took 15.1. Other bodies keep single vectors, as LLVM takes its time (with two in all,
 * softmax took 49 ms for 34). Sums are made of both halves in turn, to the same bits. */
static bool goes_beside(const struct cpu_emit *e, const struct cpu_nest *n)
{
    if (!e->level->features.split_avx2 || n->tops.count == 0 || n->copies > 1 || e->together > 1 ||
        n->size < 2 * n->lanes)
        return false;
    for (size_t i = 0; i < n->group->sinks.count; i++) {
        const struct cpu_sink *sink = &n->group->sinks.items[i];
        bool sums = sink->kind == CPU_SINK_REDUCE && sink->op->code == IR_OP_SUM &&
                    sink->op->attributes.bits != CPU_SUM_FUSED &&
                    sink->state->kind == CPU_REDUCE_ALL;
        if (sink->kind != CPU_SINK_BUFFER && !sums)
            return false;
    }
    return true;
}

/* Where the interior begins and ends: a multiple of lanes, and of steps from there on. */
static void place_interior(struct cpu_emit *e, const struct cpu_nest *n, LLVMValueRef *first,
                           LLVMValueRef *end)
{
    int64_t step = (int64_t)n->lanes * n->copies * (n->beside ? 2 : 1), known;
    LLVMValueRef zero = cpu_i64(e, 0);
    if (cpu_is_constant(n->from, &known) && known == 0) {
        *first = zero;
        *end = LLVMBuildAnd(e->builder, n->all, cpu_i64(e, -step), "");
        return;
    }
    LLVMValueRef up = LLVMBuildAdd(e->builder, n->from, cpu_i64(e, n->lanes - 1), "");
    up = LLVMBuildAnd(e->builder, up, cpu_i64(e, -n->lanes), "");
    LLVMValueRef room = LLVMBuildSub(e->builder, n->all, up, "");
    LLVMValueRef some = LLVMBuildICmp(e->builder, LLVMIntSGE, room, cpu_i64(e, step), "");
    room = LLVMBuildAnd(e->builder, room, cpu_i64(e, -step), "");
    *first = LLVMBuildSelect(e->builder, some, up, zero, "");
    LLVMValueRef last = LLVMBuildAdd(e->builder, up, room, "");
    *end = LLVMBuildSelect(e->builder, some, last, zero, "");
}

/* The masked body from 0 to first and, behind the interior, from end on; of both what lies between
 * settled elements. */
static void emit_around(struct cpu_emit *e, struct cpu_nest *n, LLVMValueRef first,
                        LLVMValueRef end)
{
    LLVMValueRef size = cpu_i64(e, n->size);
    LLVMValueRef no = LLVMConstInt(e->i1, 0, false), yes = LLVMConstInt(e->i1, 1, false);
    struct cpu_span between = {cpu_i64(e, 0), size};
    bool settles = cpu_nest_find_settled(e, n, &between);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->builder);
    LLVMBasicBlockRef part = cpu_block(e, "part"), inner = cpu_block(e, "inner");
    LLVMBasicBlockRef on = cpu_block(e, "on");
    LLVMBuildBr(e->builder, part);
    LLVMPositionBuilderAtEnd(e->builder, part);
    LLVMValueRef from = LLVMBuildPhi(e->builder, e->i64, "");
    LLVMValueRef to = LLVMBuildPhi(e->builder, e->i64, "");
    LLVMValueRef last = LLVMBuildPhi(e->builder, e->i1, "");
    struct cpu_loop loop;
    cpu_loop_begin(e, &loop, from, to, n->lanes);
    cpu_nest_set_body(e, n, false);
    e->body.aligned = true;
    e->body.active = cpu_nest_active(e, n, loop.index);
    cpu_nest_emit_around(e, n, loop.index);
    cpu_loop_end(e, &loop);
    LLVMBuildCondBr(e->builder, last, on, inner);
    LLVMPositionBuilderAtEnd(e->builder, inner);
    cpu_new_epoch(e);
    cpu_nest_emit_interior(e, n, first, end);
    LLVMValueRef rest =
        settles ? cpu_max_i64(e, end, between.from) : end; /* no interior: end is 0 */
    LLVMBasicBlockRef blocks[] = {before, LLVMGetInsertBlock(e->builder)};
    LLVMBuildBr(e->builder, part);
    LLVMAddIncoming(from, (LLVMValueRef[]){between.from, rest}, blocks, 2);
    LLVMAddIncoming(to, (LLVMValueRef[]){first, between.to}, blocks, 2);
    LLVMAddIncoming(last, (LLVMValueRef[]){no, yes}, blocks, 2);
    LLVMPositionBuilderAtEnd(e->builder, on);
    cpu_new_epoch(e);
    if (settles)
        cpu_nest_fill_settled(e, n, &between);
}

/* ---- the nest ------------------------------------------------------------------------------- */

static void each_reduction(struct cpu_emit *e, struct cpu_nest *n, bool lanes, bool begin)
{
    for (size_t i = 0; i < cpu_nest_sink_count(e, n); i++) {
        struct cpu_sink *sink = cpu_nest_enter_sink(e, n, i);
        if (sink->kind != CPU_SINK_REDUCE || (sink->state->kind == CPU_REDUCE_LANES) != lanes)
            continue;
        if (begin)
            cpu_reduction_begin(e, sink);
        else if (lanes && n->gathers)
            cpu_reduction_keep_row(e, sink, n->row);
        else
            cpu_reduction_end(e, sink, &n->position);
    }
}

/* Between which elements a maximum looks for the least one. */
static void place_least(struct cpu_emit *e, const struct cpu_nest *n)
{
    for (size_t i = 0; i < cpu_nest_sink_count(e, n); i++) {
        const struct cpu_sink *sink = cpu_nest_enter_sink(e, n, i);
        if (sink->kind != CPU_SINK_REDUCE ||
            !cpu_is_along_lanes(sink->op->operands[0], &n->position))
            continue;
        sink->state->least_from = n->own[e->entered].from;
        sink->state->least_to = n->own[e->entered].to;
    }
}

/* What is near is asked of each program by its own tile and masks, so that its results do not
 * depend on which others it shares the nest with. */
static void find_near(struct cpu_emit *e, struct cpu_nest *n)
{
    bool missed = false;
    for (int k = 0; k < e->together; k++)
        missed = missed || n->tops.missed[k];
    for (int i = 0; i < n->tops.count; i++) {
        struct cpu_value *top = n->tops.items[i].top;
        const struct cpu_value *factor = n->tops.items[i].factor;
        int program = n->tops.items[i].program;
        if (n->tops.missed[program])
            continue;
        LLVMValueRef near = cpu_is_near(e, top, n->own[program].from, n->own[program].to);
        if (factor)
            near = LLVMBuildAnd(e->builder, near, cpu_is_common(e, factor->scalar), "");
        else
            top->near = near;
        n->near_if = n->near_if ? LLVMBuildAnd(e->builder, n->near_if, near, "") : near;
    }
    n->near_by_program = n->tops.count > 1 || missed;
    n->near_if = missed ? NULL : n->near_if;
}

/* Programs that share a nest share its interior, where all of their masks hold. If those are not
 * the same for all programs, an element is in the interior beside one companion and outside of it
 * beside another: then sums must not be made in another order there, or results would depend on
 * which programs run together, that is, on the number of threads. */
static void keep_orders(struct cpu_emit *e, struct cpu_nest *n)
{
    n->varies = false;
    for (int i = 0; i < n->bounded_count && e->together > 1; i++)
        n->varies = n->varies || !n->bounded[i].mask || !cpu_is_fixed(e, n->bounded[i].mask);
    for (size_t i = 0; i < cpu_nest_sink_count(e, n) && n->varies; i++) {
        const struct cpu_sink *sink = cpu_nest_enter_sink(e, n, i);
        if (sink->kind == CPU_SINK_REDUCE &&
            (sink->op->code == IR_OP_SUM || sink->op->code == IR_OP_PROD))
            cpu_reduction_keep_order(sink->state);
    }
}

/* Vectors without masks that the copies of the body left: masked ones are dear without AVX-512.
 * Gives where the next one begins. Rows of 120 floats in place (Floyd and Warshall, bench/everyday)
 * took 1080 us on Zen 1 without, 376 with these. */
static LLVMValueRef emit_singles(struct cpu_emit *e, struct cpu_nest *n, LLVMValueRef end)
{
    struct cpu_loop loop;
    int64_t known;
    if (e->level->features.avx512 || e->together > 1 || n->copies == 1 || n->bounded_count == 0 ||
        n->went_past || n->tops.count > 0 || !cpu_is_constant(n->from, &known) || known != 0)
        return end;
    bool stores = false;
    for (size_t i = 0; i < n->group->sinks.count; i++) {
        enum cpu_sink_kind kind = n->group->sinks.items[i].kind;
        stores = stores || kind == CPU_SINK_STORE;
        if (kind != CPU_SINK_STORE && kind != CPU_SINK_BUFFER)
            return end;
    }
    if (!stores)
        return end;
    LLVMValueRef to = LLVMBuildAnd(e->builder, n->all, cpu_i64(e, -n->lanes), "");
    cpu_loop_begin(e, &loop, end, to, n->lanes);
    cpu_nest_set_body(e, n, true);
    e->body.aligned = true;
    cpu_nest_emit_body(e, n, loop.index);
    cpu_loop_end(e, &loop);
    cpu_new_epoch(e);
    return cpu_max_i64(e, end, to);
}

/* By where masks hold. */
static void emit_parts(struct cpu_emit *e, struct cpu_nest *n)
{
    LLVMValueRef first, end;
    int64_t known;
    cpu_nest_find_bounds(e, n);
    if (cpu_nest_has_thin_edges(e, n)) {
        cpu_nest_emit_thin_edges(e, n);
        return;
    }
    keep_orders(e, n);
    n->beside = goes_beside(e, n);
    place_interior(e, n, &first, &end);
    place_least(e, n);
    find_near(e, n);
    if (!cpu_is_constant(first, &known) || known != 0) {
        emit_around(e, n, first, end);
        return;
    }
    if (!cpu_is_constant(end, &known) || known > 0)
        cpu_nest_emit_interior(e, n, first, end);
    emit_rest(e, n, emit_singles(e, n, end));
}

/* By runs of bits where they are long. */
static void emit_by_bits(struct cpu_emit *e, struct cpu_nest *n, enum cpu_runs runs)
{
    LLVMBasicBlockRef blocks[] = {cpu_block(e, "short"), cpu_block(e, "long")};
    LLVMBasicBlockRef on = cpu_block(e, "on");
    LLVMBuildCondBr(e->builder, cpu_nest_ask_bits(e, n), blocks[1], blocks[0]);
    for (int i = 1; i >= 0; i--) {
        struct cpu_nest version = *n;
        version.bits = i;
        LLVMPositionBuilderAtEnd(e->builder, blocks[i]);
        cpu_new_epoch(e);
        if (i == 1 || (runs & CPU_RUNS_DIVIDED))
            cpu_nest_emit_runs(e, &version);
        else
            emit_parts(e, &version);
        LLVMBuildBr(e->builder, on);
    }
    LLVMPositionBuilderAtEnd(e->builder, on);
    cpu_new_epoch(e);
    e->body = (struct cpu_body){.lanes = n->lanes};
}

static void emit_innermost(struct cpu_emit *e, struct cpu_nest *n)
{
    each_reduction(e, n, true, true);
    enum cpu_runs runs = n->axis < 0 ? CPU_RUNS_NONE : cpu_nest_runs_of(e, n);
    if (n->axis < 0) {
        cpu_nest_set_body(e, n, false);
        cpu_nest_emit_body(e, n, NULL);
    } else if (runs & CPU_RUNS_BITS) {
        emit_by_bits(e, n, runs);
    } else if (runs) {
        cpu_nest_emit_runs(e, n);
    } else {
        emit_parts(e, n);
    }
    each_reduction(e, n, true, false);
}

static void emit_axis(struct cpu_emit *e, struct cpu_nest *n, int axis);

static void emit_gathered(struct cpu_emit *e, struct cpu_nest *n, int axis, int rows)
{
    struct cpu_loop *loop = &n->loops[axis];
    cpu_loop_begin(e, loop, cpu_i64(e, 0), cpu_i64(e, n->group->shape.dims[axis]), rows);
    n->gathers = true;
    for (n->row = 0; n->row < rows; n->row++) {
        cpu_new_epoch(e);
        n->position.index[axis] = cpu_add(e, loop->index, cpu_i64(e, n->row));
        emit_axis(e, n, axis + 1);
    }
    n->gathers = false;
    n->position.index[axis] = loop->index;
    e->body = (struct cpu_body){.lanes = rows};
    for (size_t i = 0; i < n->group->sinks.count; i++)
        cpu_reduction_rows(e, &n->group->sinks.items[i], &n->position, axis, rows);
    cpu_loop_end(e, loop);
}

static void emit_axis(struct cpu_emit *e, struct cpu_nest *n, int axis)
{
    if (axis == n->group->shape.rank) {
        emit_innermost(e, n);
        return;
    }
    n->position.index[axis] = cpu_i64(e, 0);
    if (axis == n->axis || n->group->shape.dims[axis] == 1) {
        emit_axis(e, n, axis + 1);
        return;
    }
    int gathered = cpu_nest_rows_that_gather(e, n, axis);
    if (gathered > 1) {
        emit_gathered(e, n, axis, gathered);
        return;
    }
    struct cpu_loop *loop = &n->loops[axis];
    int rows = cpu_nest_rows_at_once(n, axis);
    cpu_loop_begin(e, loop, cpu_i64(e, 0), cpu_i64(e, n->group->shape.dims[axis]), rows);
    cpu_new_epoch(e);
    n->position.index[axis] = loop->index;
    if (rows > 1) {
        n->jam = rows;
        n->jam_axis = axis;
    }
    for (int r = 0; r < rows; r++)
        n->jammed[r] = cpu_add(e, loop->index, cpu_i64(e, r));
    emit_axis(e, n, axis + 1);
    n->jam = 1;
    cpu_loop_end(e, loop);
}

/* Twice, if masks may hold for the whole tile. */
static void emit_axes(struct cpu_emit *e, struct cpu_nest *n)
{
    LLVMValueRef whole = cpu_nest_ask_whole(e, n);
    if (!whole) {
        emit_axis(e, n, 0);
        return;
    }
    LLVMBasicBlockRef blocks[] = {cpu_block(e, "some"), cpu_block(e, "whole")};
    LLVMBasicBlockRef on = cpu_block(e, "on");
    LLVMBuildCondBr(e->builder, whole, blocks[1], blocks[0]);
    for (int i = 1; i >= 0; i--) {
        LLVMPositionBuilderAtEnd(e->builder, blocks[i]);
        cpu_new_epoch(e);
        n->whole = i;
        emit_axis(e, n, 0);
        LLVMBuildBr(e->builder, on);
    }
    LLVMPositionBuilderAtEnd(e->builder, on);
    cpu_new_epoch(e);
}

static void set_ready(struct cpu_emit *e, const struct cpu_sink *sink)
{
    const struct ir_value *v = sink->kind == CPU_SINK_BUFFER ? sink->value
                               : sink->op->result_count      ? sink->op->results[0]
                                                             : NULL;
    if (v && cpu_value_of(e, v)->buffer == sink->buffer)
        cpu_value_of(e, v)->ready = true;
}

/* What the group is for: its first store, atomic or reduction, else its first tile. */
static const struct ir_op *purpose(const struct cpu_group *group)
{
    const struct cpu_sink *sinks = group->sinks.items;
    for (size_t i = 0; i < group->sinks.count; i++)
        if (sinks[i].kind != CPU_SINK_BUFFER)
            return sinks[i].op;
    return group->sinks.count ? sinks[0].value->op : NULL;
}

void cpu_emit_group(struct cpu_emit *e, struct cpu_group *const *groups)
{
    struct cpu_group *group = groups[0];
    struct cpu_nest nest = {.group = group, .groups = groups, .jam = 1};
    e->group = group;
    e->loop_of = purpose(group);
    cpu_together_enter(e, 0);
    cpu_nest_choose_axes(&nest);
    cpu_nest_choose_lanes(e, &nest);
    int lanes = nest.lanes, copies = nest.copies; /* of partial results */
    if (e->behind && e->together > 1)
        cpu_nest_take_longer(e, &nest, groups[CPU_PROGRAM_BEFORE]);
    if (nest.lanes > lanes)
        copies = 1;
    nest.position.rank = group->shape.rank;
    nest.position.lane = nest.axis;
    cpu_new_epoch(e);
    struct cpu_shortcut shortcut;
    bool shortens = cpu_squares_begin(e, groups, &nest.position, nest.lanes, &shortcut);
    e->body = (struct cpu_body){.lanes = nest.lanes};
    size_t own = group->sinks.count;
    for (size_t i = 0; i < cpu_nest_sink_count(e, &nest); i++) {
        struct cpu_sink *sink = cpu_nest_enter_sink(e, &nest, i);
        if (sink->kind != CPU_SINK_REDUCE)
            continue;
        bool leads = i >= own && e->behind; /* any order of its elements gives the same */
        cpu_reduction_plan(e, group, sink, nest.axis, leads ? nest.lanes : lanes,
                           leads ? 1 : copies);
    }
    each_reduction(e, &nest, false, true);
    emit_axes(e, &nest);
    e->body = (struct cpu_body){.lanes = 1};
    each_reduction(e, &nest, false, false);
    if (shortens)
        cpu_squares_end(e, groups, &shortcut);
    for (size_t i = 0; i < cpu_nest_sink_count(e, &nest); i++) {
        const struct cpu_sink *sink = cpu_nest_enter_sink(e, &nest, i);
        set_ready(e, sink);
    }
    cpu_new_epoch(e);
}
