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
 * nests whose masked bodies are dear.
 */
#include "base/bits.h"
#include "cpu/along.h"
#include "cpu/carry.h"
#include "cpu/choices.h"
#include "cpu/lanes.h"
#include "cpu/cost.h"
#include "cpu/nest.h"
#include "cpu/offsets.h"
#include "cpu/pattern.h"
#include "cpu/reduce.h"
#include "cpu/reduce_bits.h"
#include "cpu/saturate.h"
#include "cpu/schedule.h"
#include "cpu/small.h"
#include "cpu/spread.h"
#include "cpu/squares.h"
#include "cpu/strided.h"

enum { MOST_COPIES = 4 };    /* of the body of a nest that computes little */
enum { MOST_FOR_TWO = 16 };  /* cost of a body that is copied once */
enum { MOST_FOR_LINE = 48 }; /* cost of a body that is copied to store whole cache lines */

/* ---- sinks of all programs ------------------------------------------------------------------ */

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

/* ---- choosing lanes ------------------------------------------------------------------------- */

struct survey { /* of what the body computes */
    struct cpu_emit *e;
    const struct cpu_group *group;
    unsigned epoch;
    int widest; /* bytes of the widest element that is computed in vectors */
    int cost;
    int longest;      /* cycles of the longest chain of ops that need each other */
    bool only_writes; /* no reductions, no atomics */
    bool approximate;
    bool patterns; /* of pattern.c */
};

static int vector_width(struct cpu_emit *e, const struct ir_value *v)
{
    enum ir_elem elem = (enum ir_elem)v->type.elem;
    bool index = v->type.pointer || elem == IR_I64 || elem == IR_U64;
    int64_t step;
    if (cpu_affine_of(e, v)->known || (elem == IR_BOOL && !v->type.pointer) ||
        (index &&
         (cpu_may_step_along(e, v, &step) || cpu_may_have_pattern(e, v) || cpu_may_choose(e, v))))
        return 0;
    if (v->type.pointer)
        return 8;
    bool computes = v->op && v->op->code != IR_OP_LOAD && v->op->code != IR_OP_VIEW_LOAD &&
                    v->op->code != IR_OP_CAST && v->op->code != IR_OP_SELECT;
    if ((elem == IR_F16 || elem == IR_BF16) && computes)
        return 4;
    return (int)ir_elem_bytes(elem);
}

static bool writes_buffer(const struct cpu_group *group, const struct cpu_buffer *buffer)
{
    for (size_t i = 0; i < group->sinks.count; i++) {
        if (group->sinks.items[i].buffer == buffer)
            return true;
    }
    return false;
}

/* How long a result is waited for, in cycles of common processors. */
static int latency(const struct ir_op *op)
{
    struct ir_type type = op->result_count ? op->results[0]->type : op->operands[0]->type;
    switch (op->code) {
    case IR_OP_CONSTANT:
    case IR_OP_ARANGE:
    case IR_OP_BROADCAST:
    case IR_OP_BITCAST:
        return 0;
    case IR_OP_DIV:
    case IR_OP_SQRT:
        return 12;
    case IR_OP_MUL:
    case IR_OP_FMA:
        return 4;
    case IR_OP_CAST:
        return 3;
    default:
        return ir_is_float((enum ir_elem)type.elem) ? 3 : 1;
    }
}

static bool is_extended(const struct ir_value *v)
{
    const struct ir_op *op = v->op;
    enum ir_elem from = op && op->code == IR_OP_CAST ? (enum ir_elem)op->operands[0]->type.elem
                                                     : (enum ir_elem)v->type.elem;
    return (op && op->code == IR_OP_CONSTANT) || v->type.rank == 0 ||
           (!ir_is_float(from) && from != IR_BOOL && ir_elems[from].bits <= 32);
}

/* A 64-bit integer that is made of ints on the way to another one, such as their product, of which
 * the upper half is taken: it is no reason for vectors that leave the ints half a register. */
static bool is_between_ints(const struct ir_value *v, int depth)
{
    const struct ir_op *op = v->op;
    if (is_extended(v) || (op && op->code == IR_OP_BROADCAST && op->operands[0]->type.rank == 0))
        return true;
    if (!op || depth == 0)
        return false;
    switch (op->code) {
    case IR_OP_MUL:
    case IR_OP_ADD:
    case IR_OP_SUB:
    case IR_OP_SHR:
        return is_between_ints(op->operands[0], depth - 1) &&
               is_between_ints(op->operands[1], depth - 1);
    default:
        return false;
    }
}

static bool cuts_between_ints(const struct ir_op *op)
{
    enum { DEPTH = 3 };
    enum ir_elem from = op ? (enum ir_elem)op->operands[0]->type.elem : IR_BOOL;
    return op && op->code == IR_OP_CAST && (from == IR_I64 || from == IR_U64) &&
           op->operands[0]->type.rank > 0 && ir_elems[op->results[0]->type.elem].bits == 32 &&
           !ir_is_float((enum ir_elem)op->results[0]->type.elem) && op->operands[0]->op &&
           is_between_ints(op->operands[0], DEPTH);
}

/* An index that changes in a pattern from lane to lane, and by no constant. */
static bool has_only_pattern(struct cpu_emit *e, const struct ir_value *v)
{
    int64_t step;
    return cpu_is_index(v->type) && !cpu_affine_of(e, v)->known &&
           !cpu_may_step_along(e, v, &step) && cpu_may_have_pattern(e, v);
}

/* What is computed in ints, whatever it looks like (lanes.c). */
static bool is_of_ints(struct cpu_emit *e, const struct ir_value *v, int width)
{
    struct cpu_lanes form;
    if (v->type.pointer)
        return width > 0 && cpu_may_have_lanes(e, v, e->level->vector_bits / 32, &form);
    return v->op && v->type.elem == IR_BOOL && cpu_may_compare_lanes(e, v->op);
}

/* small: v is an int of which 16 bits are made. */
static void survey_value(struct survey *s, const struct ir_value *v, bool small)
{
    struct cpu_value *value = cpu_value_of(s->e, v);
    if (v->type.rank == 0 || value->visited[0] == s->epoch)
        return;
    value->visited[0] = s->epoch;
    value->chain = 0;
    int width = vector_width(s->e, v);
    const struct ir_value *offset = v->type.pointer && width > 0 ? cpu_offset_of(s->e, v) : NULL;
    if (offset) {
        s->widest = s->widest > 4 ? s->widest : 4;
        survey_value(s, offset, false);
        value->chain = cpu_value_of(s->e, offset)->chain;
        return;
    }
    if (has_only_pattern(s->e, v)) {
        s->cost++;
        s->patterns = true;
        return;
    }
    if (is_of_ints(s->e, v, width)) {
        enum { COST = 8 };
        s->widest = s->widest > 4 ? s->widest : 4;
        s->cost += COST;
        return;
    }
    width = small && width > 2 ? 2 : width;
    s->widest = width > s->widest ? width : s->widest;
    bool kept = value->buffer && (value->ready || !writes_buffer(s->group, value->buffer));
    if (!v->op || kept || cpu_affine_of(s->e, v)->known)
        return;
    const struct ir_value *parts[CPU_MOST_SATURATED];
    int saturated = cpu_saturated(s->e, v->op, parts);
    for (int i = 0; i < saturated; i++)
        survey_value(s, parts[i], false);
    if (saturated > 0) {
        s->cost += saturated - 1;
        return;
    }
    s->cost += cpu_op_cost(s->e, v->op);
    s->approximate = s->approximate || ir_has(v->op, IR_APPROX);
    if (cuts_between_ints(v->op)) {
        int widest = s->widest;
        survey_value(s, v->op->operands[0], false);
        s->widest = widest > 4 ? widest : 4;
    }
    bool cast = v->op->code == IR_OP_CAST;
    int chain = 0;
    for (int i = 0; i < v->op->operand_count; i++) {
        const struct ir_value *operand = v->op->operands[i];
        bool condition = v->op->code == IR_OP_SELECT && i == 0;
        survey_value(s, operand, cast ? cpu_is_small(s->e, v->op) : small && !condition);
        if (operand->type.rank > 0 && cpu_value_of(s->e, operand)->chain > chain)
            chain = cpu_value_of(s->e, operand)->chain;
    }
    value->chain = chain + latency(v->op);
    s->longest = value->chain > s->longest ? value->chain : s->longest;
}

static void survey_sink(struct survey *s, const struct cpu_sink *sink)
{
    s->cost += sink->kind == CPU_SINK_ATOMIC ? 64 : 1;
    s->only_writes =
        s->only_writes && (sink->kind == CPU_SINK_BUFFER || sink->kind == CPU_SINK_STORE);
    if (sink->kind == CPU_SINK_BUFFER) {
        survey_value(s, sink->value, false);
        return;
    }
    struct ir_value *counted =
        sink->kind == CPU_SINK_REDUCE ? cpu_reduction_counted(s->e, sink->op) : NULL;
    if (counted)
        survey_value(s, counted, false);
    for (int i = 0; i < sink->op->operand_count && !counted; i++)
        survey_value(s, sink->op->operands[i], false);
    s->cost += sink->kind == CPU_SINK_REDUCE && cpu_squares_wanted(s->e, s->group, sink->op);
    if (sink->kind == CPU_SINK_REDUCE &&
        (sink->op->code == IR_OP_ARGMAX || sink->op->code == IR_OP_ARGMIN))
        s->widest = s->widest > 4 ? s->widest : 4;
    if (sink->kind == CPU_SINK_STORE && s->widest == 0)
        s->widest = (int)ir_elem_bytes((enum ir_elem)sink->op->operands[0]->type.elem);
}

static struct survey survey_group(struct cpu_emit *e, const struct cpu_group *group)
{
    struct survey survey = {.e = e, .group = group, .epoch = cpu_new_epoch(e), .only_writes = true};
    for (size_t i = 0; i < group->sinks.count; i++)
        survey_sink(&survey, &group->sinks.items[i]);
    return survey;
}

int cpu_group_cost(struct cpu_emit *e, const struct cpu_group *group)
{
    return survey_group(e, group).cost;
}

/* A nest that computes in float only to store shorter elements: two registers of the one make one
 * of 16 bits, and a whole cache line is stored at once; AVX2 packs two to store 16 bytes. Not four:
 * rows that are shorter than a vector are masked, and masked bytes are stored one by one there. */
static bool stores_shorter(struct cpu_emit *e, const struct cpu_nest *n, int widest)
{
    int bytes = 0;
    int64_t step;
    for (size_t i = 0; i < n->group->sinks.count; i++) {
        const struct cpu_sink *sink = &n->group->sinks.items[i];
        if (sink->kind != CPU_SINK_STORE)
            return false;
        int size = (int)ir_elem_bytes((enum ir_elem)sink->op->operands[0]->type.elem);
        if (size == 1 && (sink->op->code != IR_OP_STORE ||
                          !cpu_may_step_along(e, sink->op->operands[0], &step) || step != 1))
            return false; /* channels, which shuffles put together */
        if (bytes != 0 && size != bytes)
            return false;
        bytes = size;
    }
    bool packs = cpu_rounds_by_bits(&e->level->features);
    return widest == 4 && (bytes == 2 || (bytes == 1 && packs));
}

/* Where a vector is shorter than a cache line: as many copies as store a whole one, whose parts
 * then leave together, and for which one fetch ahead is enough. */
static int copies_of_line(struct cpu_emit *e, const struct cpu_nest *n)
{
    int copies = 1;
    if (!cpu_rounds_by_bits(&e->level->features))
        return 1;
    for (size_t i = 0; i < n->group->sinks.count; i++) {
        const struct cpu_sink *sink = &n->group->sinks.items[i];
        if (sink->kind != CPU_SINK_STORE || n->lanes == 1)
            continue;
        int bytes = (int)ir_elem_bytes((enum ir_elem)sink->op->operands[0]->type.elem);
        while (copies < MOST_COPIES && copies * n->lanes * bytes < 64)
            copies *= 2;
    }
    return copies;
}

/* AVX2 has 16 registers: half of them for partial results, or else those go through memory, which
 * is slower than the few additions that wait for each other. */
static bool partials_fit(struct cpu_emit *e, const struct cpu_nest *n)
{
    enum { MOST_REGISTERS = 8 };
    int registers = 0;
    if (!cpu_rounds_by_bits(&e->level->features))
        return true;
    for (size_t i = 0; i < n->group->sinks.count; i++) {
        const struct cpu_sink *sink = &n->group->sinks.items[i];
        int bits = sink->kind == CPU_SINK_REDUCE
                       ? (int)ir_elems[sink->op->operands[0]->type.elem].bits
                       : 0;
        if (bits && cpu_squares_wanted(e, n->group, sink->op))
            bits *= 2;
        if (bits && cpu_reduction_counted(e, sink->op))
            continue;
        registers += (bits * n->lanes + e->level->vector_bits - 1) / e->level->vector_bits;
    }
    return registers * n->copies * e->together <= MOST_REGISTERS;
}

/* A large body that is one chain, such as the rounds of a random generator: a processor looks ahead
 * not far enough to find the next vector's, so that it mostly waits. Two registers of each value
 * are two chains beside each other: dropout on Zen 3 takes 0.6 times as long. */
static bool waits_for_itself(const struct survey *survey)
{
    return survey->cost > MOST_FOR_LINE && 2 * survey->longest > survey->cost &&
           survey->only_writes && !survey->approximate;
}

/* In cache a second copy of a dear body only takes registers: silu of float ran in 71 us with one
 * copy, in 82 with two on Zen 3, softmax alike, gelu in 63.9 and 63.5; but RMSNorm of bfloat, of
 * which a body is two registers of less work, 20% faster with two in rows of 100. */
static void choose_lanes(struct cpu_emit *e, struct cpu_nest *n)
{
    struct survey survey = survey_group(e, n->group);
    int widest = survey.widest ? survey.widest : 4, native = e->level->vector_bits / 8;
    n->lanes = native / widest;
    n->lanes = n->lanes > 64 ? 64 : n->lanes;
    if (e->level->features.avx2 &&
        (stores_shorter(e, n, widest) || (widest == 4 && cpu_in_pairs(e, n->group, NULL, 0)))) {
        n->lanes *= 2;
        survey.cost *= 2;
    }
    if (waits_for_itself(&survey) && n->lanes <= 32)
        n->lanes *= 2;
    while (n->lanes > 1 && n->lanes / 2 >= n->size)
        n->lanes /= 2;
    int bytes = n->lanes * widest < native ? n->lanes * widest : native;
    if (n->lanes > 1 && bytes > e->vector_bytes)
        e->vector_bytes = bytes;
    n->dear = widest == 4 && survey.cost > MOST_FOR_TWO * (n->lanes * widest / native);
    n->light = survey.cost <= 8;
    n->patterns = survey.patterns;
    n->copies = survey.cost <= 8 ? MOST_COPIES : survey.cost <= MOST_FOR_TWO ? 2 : 1;
    if (n->copies == 1 && survey.cost <= MOST_FOR_LINE && (e->streaming || !n->dear))
        n->copies = copies_of_line(e, n);
    while (n->copies > 1 && (n->copies * n->lanes > n->size || !partials_fit(e, n)))
        n->copies /= 2;
}

/* Where stores join a nest of shorter vectors (behind.c), it takes theirs. */
static void take_longer(struct cpu_emit *e, struct cpu_nest *n, struct cpu_group *other)
{
    int lanes = cpu_group_lanes(e, other);
    if (lanes <= n->lanes)
        return;
    struct cpu_nest stores = {.group = other, .lanes = lanes};
    n->lanes = lanes;
    n->copies = copies_of_line(e, &stores);
    while (n->copies > 1 && n->copies * n->lanes > n->size)
        n->copies /= 2;
}

static void choose_axes(struct cpu_nest *n)
{
    struct ir_type shape = n->group->shape;
    n->axis = -1;
    n->size = 1;
    for (int k = 0; k < shape.rank; k++) {
        if (shape.dims[k] > 1) {
            n->axis = k;
            n->size = shape.dims[k];
        }
    }
}

int cpu_group_lanes(struct cpu_emit *e, struct cpu_group *group)
{
    struct cpu_nest n = {.group = group};
    choose_axes(&n);
    choose_lanes(e, &n);
    return n.lanes;
}

/* ---- the body ------------------------------------------------------------------------------- */

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
    case CPU_SINK_BUFFER:
        cpu_buffer_write(e, sink->buffer, p, cpu_element_of(e, sink->value, p));
        return;
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
    if (n->jam > 1) {
        emit_jammed(e, n);
        return;
    }
    int ahead = e->behind ? 1 : e->together;
    for (int k = 0; k < ahead && e->body.fast; k++) {
        cpu_together_enter(e, k);
        cpu_stream_ahead(e, &n->position, n->light);
    }
    if (e->together > 1 && !e->behind)
        make_before_stores(e, n);
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
    return cpu_lanes_below(e, LLVMBuildSub(e->builder, cpu_i64(e, n->size), index, ""));
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
    if (n->past == CPU_PAST_SHIFTED)
        e->body.first_trip = LLVMBuildICmp(e->builder, LLVMIntEQ, loop.index, first, "");
    e->body.pairs = n->lanes == cpu_pair_lanes(e) && in_pairs(e, n);
    if (e->body.pairs)
        cpu_takes(e, CPU_PATH_PAIRS);
    LLVMValueRef place[MOST_COPIES];
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

/* The body where masks may not hold, with the lanes in which they do if a reduction wants them. */
void cpu_nest_emit_around(struct cpu_emit *e, struct cpu_nest *n, LLVMValueRef index)
{
    for (size_t i = 0; i < cpu_nest_sink_count(e, n) && n->bounded_count > 0; i++) {
        const struct cpu_sink *sink = cpu_nest_enter_sink(e, n, i);
        if (sink->kind != CPU_SINK_REDUCE || !cpu_bits_spread(sink) || e->body.within[e->entered])
            continue;
        const struct cpu_span *own = &n->own[e->entered];
        LLVMValueRef from = LLVMBuildSub(e->builder, own->from, index, "");
        LLVMValueRef below = cpu_lanes_below(e, LLVMBuildSub(e->builder, own->to, index, ""));
        e->body.within[e->entered] = LLVMBuildAnd(e->builder, below, cpu_lanes_from(e, from), "");
    }
    cpu_nest_emit_body(e, n, index);
}

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

static void emit_innermost(struct cpu_emit *e, struct cpu_nest *n)
{
    each_reduction(e, n, true, true);
    if (n->axis < 0) {
        cpu_nest_set_body(e, n, false);
        cpu_nest_emit_body(e, n, NULL);
    } else {
        LLVMValueRef first, end;
        int64_t known;
        if (cpu_nest_has_runs(e, n)) {
            cpu_nest_emit_runs(e, n);
            each_reduction(e, n, true, false);
            return;
        }
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
        } else {
            if (!cpu_is_constant(end, &known) || known > 0)
                cpu_nest_emit_interior(e, n, first, end);
            emit_rest(e, n, end);
        }
    }
    each_reduction(e, n, true, false);
}

/*
 * Sums of columns lie in memory, where each row of a tile adds to them. If several rows do at once,
 * one after the other, they are read and written once for all of these:
 *
 *     for j by lanes: sum[j] = (((sum[j] + x[i][j]) + x[i + 1][j]) + x[i + 2][j]) + x[i + 3][j]
 *
 * Where all masks hold, as their bounds may differ from row to row, and where something is
 * computed: what is only loaded waits for memory, of which several rows at once, 4 KB apart, took 5
 * to 15% more (Zen 5). attention_decode of 8 heads over 1000 keys in halves: 65 us before, 52 with
 * this.
 */
static bool is_column_sum(const struct cpu_sink *sink, int axis)
{
    if (sink->kind != CPU_SINK_REDUCE || sink->state->kind != CPU_REDUCE_OUTER || sink->indices ||
        sink->op->attributes.axis != axis)
        return false;
    const struct ir_op *made = sink->op->operands[0]->op;
    return made && ir_has(made, IR_ELEMENTWISE) && !ir_has(made, IR_READS) &&
           made->code != IR_OP_CAST;
}

static bool may_jam(const struct cpu_nest *n, int axis)
{
    struct ir_type shape = n->group->shape;
    if (!n->whole || n->dear || n->group->sinks.count == 0)
        return false;
    for (int k = axis + 1; k < shape.rank; k++) {
        if (k != n->axis && shape.dims[k] > 1)
            return false;
    }
    for (size_t i = 0; i < n->group->sinks.count; i++) {
        if (!is_column_sum(&n->group->sinks.items[i], axis))
            return false;
    }
    return true;
}

static int rows_at_once(const struct cpu_nest *n, int axis)
{
    int rows = may_jam(n, axis) ? CPU_MOST_JAMMED : 1;
    while (n->group->shape.dims[axis] % rows != 0)
        rows /= 2;
    return rows;
}

/* How many rows of a few vectors, that only reduce, end together (reduce.c). Where they have masks,
 * all of them hold, or there would be much code. */
static int rows_that_gather(struct cpu_emit *e, const struct cpu_nest *n, int axis)
{
    enum { MOST_VECTORS = 64, LEAST = 4 };
    struct ir_type shape = n->group->shape;
    int64_t vectors = n->lanes > 1 ? n->size / n->lanes : 0;
    int rows = n->lanes < CPU_MOST_ROWS ? n->lanes : CPU_MOST_ROWS;
    if (e->together > 1 || n->axis <= axis || vectors < 1 || n->size % n->lanes != 0 ||
        n->group->sinks.count == 0 || !bits_is_power(n->lanes))
        return 1;
    for (int k = axis + 1; k < shape.rank; k++) {
        if (k != n->axis && shape.dims[k] > 1)
            return 1;
    }
    for (size_t i = 0; i < n->group->sinks.count; i++) {
        if (!cpu_reduction_may_gather(&n->group->sinks.items[i]))
            return 1;
    }
    for (size_t i = 0; i < n->group->accesses.count && !n->whole; i++) {
        const struct ir_op *op = n->group->accesses.items[i].op;
        if (op->code != IR_OP_LOAD || op->operand_count > 1)
            return 1;
    }
    while (rows > 1 && (shape.dims[axis] % rows != 0 || rows * vectors > MOST_VECTORS))
        rows /= 2;
    return rows < LEAST ? 1 : rows;
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
    int gathered = rows_that_gather(e, n, axis);
    if (gathered > 1) {
        emit_gathered(e, n, axis, gathered);
        return;
    }
    struct cpu_loop *loop = &n->loops[axis];
    int rows = rows_at_once(n, axis);
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
    choose_axes(&nest);
    choose_lanes(e, &nest);
    int lanes = nest.lanes, copies = nest.copies; /* of partial results */
    if (e->behind && e->together > 1)
        take_longer(e, &nest, groups[CPU_PROGRAM_BEFORE]);
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
