/* Emits reductions; see reduce.h. reduce_parts.h says where the special ones are. */
#include "cpu/reduce_parts.h"

#include "cpu/carry.h"
#include "cpu/math_build.h"
#include "cpu/reduce_bits.h"
#include "cpu/squares.h"
#include "ir/eval.h"

/* ---- combining two partial results ---------------------------------------------------------- */

LLVMValueRef cpu_reduction_combine(struct cpu_emit *e, const struct cpu_sink *sink, LLVMValueRef a,
                                   LLVMValueRef b)
{
    enum ir_elem elem = cpu_reduced_elem(sink);
    bool is_float = ir_is_float(elem);
    switch (sink->op->code) {
    case IR_OP_SUM:
        return is_float ? LLVMBuildFAdd(e->builder, a, b, "") : LLVMBuildAdd(e->builder, a, b, "");
    case IR_OP_PROD:
        return is_float ? LLVMBuildFMul(e->builder, a, b, "") : LLVMBuildMul(e->builder, a, b, "");
    case IR_OP_MAX:
        return cpu_minmax(&e->math, CPU_MAXIMUM, elem, a, b);
    case IR_OP_MIN:
        return cpu_minmax(&e->math, CPU_MINIMUM, elem, a, b);
    case IR_OP_ANY:
        return LLVMBuildOr(e->builder, a, b, "");
    default:
        return LLVMBuildAnd(e->builder, a, b, "");
    }
}

static LLVMValueRef reduce_lanes(struct cpu_emit *e, const struct cpu_sink *sink, LLVMValueRef v)
{
    static const enum cpu_reduction kinds[] = {
        [IR_OP_SUM - IR_OP_SUM] = CPU_REDUCE_SUM, [IR_OP_PROD - IR_OP_SUM] = CPU_REDUCE_PROD,
        [IR_OP_MAX - IR_OP_SUM] = CPU_REDUCE_MAX, [IR_OP_MIN - IR_OP_SUM] = CPU_REDUCE_MIN,
        [IR_OP_ANY - IR_OP_SUM] = CPU_REDUCE_OR,  [IR_OP_ALL - IR_OP_SUM] = CPU_REDUCE_AND};
    if (cpu_width_of(v) == 1)
        return v;
    return cpu_reduce(&e->math, kinds[sink->op->code - IR_OP_SUM], cpu_reduced_elem(sink), v);
}

/* ---- state ---------------------------------------------------------------------------------- */

int cpu_partial_lanes(const struct cpu_reduction_state *state)
{
    return state->counts     ? 1
           : state->bytes    ? state->lanes / 4
           : state->products ? state->lanes / 2
                             : state->lanes;
}

void cpu_add_slices(struct cpu_emit *e, const struct cpu_reduction_state *state, LLVMValueRef v[2],
                    LLVMValueRef (*add)(struct cpu_emit *e, LLVMValueRef sum, LLVMValueRef a,
                                        LLVMValueRef b))
{
    LLVMValueRef slot = state->partial[e->body.copy % state->copies];
    LLVMTypeRef type = cpu_vector(e->i32, cpu_partial_lanes(state));
    LLVMValueRef sum = LLVMBuildLoad2(e->builder, type, slot, "");
    unsigned lanes = (unsigned)state->lanes;
    for (unsigned i = 0; i < (unsigned)cpu_width_of(v[0]); i += lanes) {
        LLVMValueRef a = mb_slice(&e->math, v[0], i, lanes), b = mb_slice(&e->math, v[1], i, lanes);
        sum = add(e, sum, a, b);
    }
    LLVMBuildStore(e->builder, sum, slot);
}

LLVMTypeRef cpu_partial_type(struct cpu_emit *e, const struct cpu_sink *sink)
{
    if (cpu_finds_index(sink->op))
        return cpu_index_key_type(e, cpu_reduced_elem(sink));
    return cpu_elem_type(&e->math, cpu_reduced_elem(sink));
}

/* The value that changes nothing; for argmax the worst key. */
static LLVMValueRef identity(struct cpu_emit *e, const struct cpu_sink *sink)
{
    enum ir_elem elem = cpu_reduced_elem(sink);
    if (cpu_finds_index(sink->op))
        return cpu_index_worst(e, sink);
    return cpu_constant(e, ir_scalar(elem), ir_eval_identity(sink->op->code, elem));
}

enum { LEAST_PARTIALS = 16 }; /* sums of squares whose rounding squares.c counts on */

void cpu_reduction_keep_order(struct cpu_reduction_state *state)
{
    state->copies = state->copies > 1 ? 1 : state->copies;
    if (state->lanes < LEAST_PARTIALS)
        state->squares[0] = NULL;
}

void cpu_reduction_plan(struct cpu_emit *e, const struct cpu_group *group, struct cpu_sink *sink,
                        int lane_axis, int lanes, int copies)
{
    struct cpu_reduction_state *state = ARENA_NEW(e->arena, struct cpu_reduction_state);
    sink->state = state;
    int axis = sink->op->attributes.axis;
    bool all = sink->op->results[0]->type.rank == 0;
    state->kind = all ? CPU_REDUCE_ALL : axis == lane_axis ? CPU_REDUCE_LANES : CPU_REDUCE_OUTER;
    state->lanes = lanes;
    state->copies = copies;
    if (state->kind == CPU_REDUCE_OUTER) {
        if (cpu_finds_index(sink->op))
            sink->indices = cpu_buffer_new(e, cpu_index_buffer_type(e, sink));
        return;
    }
    if (cpu_bits_apply(e, sink)) {
        cpu_bits_plan(e, sink);
        return;
    }
    state->counts = cpu_reduction_counted(e, sink->op) && lanes > e->level->vector_bits / 32;
    state->products = lanes >= CPU_LEAST_PAIRED && cpu_reduction_product(e, sink->op);
    state->bytes = !state->counts && cpu_reduction_adds_bytes(e, sink->op, lanes);
    LLVMTypeRef type = cpu_vector(cpu_partial_type(e, sink), cpu_partial_lanes(state));
    for (int i = 0; i < copies; i++) {
        state->partial[i] = cpu_alloca(e, type, "partial");
        if (cpu_finds_index(sink->op))
            state->index[i] = cpu_alloca(e, cpu_vector(e->i32, lanes), "index");
    }
    bool squares =
        all && lanes * copies >= LEAST_PARTIALS && cpu_squares_wanted(e, group, sink->op);
    for (int i = 0; i < copies && squares; i++)
        state->squares[i] = cpu_alloca(e, type, "squares");
    if (cpu_range_applies(e, sink))
        state->nan = cpu_alloca(e, cpu_vector(e->i1, lanes), "nan");
}

/* Fills a buffer with one value, a vector at a time (buffers are padded). */
static void fill_buffer(struct cpu_emit *e, const struct cpu_buffer *buffer, LLVMValueRef value)
{
    int64_t count = ir_element_count(buffer->type);
    int lanes = (int)(64 / cpu_memory_bytes(buffer->type));
    struct ir_type type = buffer->type;
    type.rank = 0;
    LLVMValueRef vector = cpu_splat(e, cpu_to_memory(e, type, value), lanes);
    struct cpu_loop loop;
    cpu_loop_begin(e, &loop, cpu_i64(e, 0), cpu_i64(e, count), lanes);
    LLVMValueRef store =
        LLVMBuildStore(e->builder, vector, cpu_buffer_target(e, buffer, loop.index));
    cpu_set_align(store, 64);
    cpu_loop_end(e, &loop);
}

void cpu_reduction_begin(struct cpu_emit *e, struct cpu_sink *sink)
{
    struct cpu_reduction_state *state = sink->state;
    LLVMValueRef start = identity(e, sink);
    if (state->kind == CPU_REDUCE_OUTER) {
        if (cpu_finds_index(sink->op)) {
            fill_buffer(e, sink->indices, start);
            fill_buffer(e, sink->buffer, cpu_i64(e, 0));
        } else {
            fill_buffer(e, sink->buffer, start);
        }
        return;
    }
    if (state->bits[0]) {
        cpu_bits_begin(e, sink, start);
        return;
    }
    if (state->nan)
        LLVMBuildStore(e->builder, LLVMConstNull(cpu_vector(e->i1, state->lanes)), state->nan);
    for (int i = 0; i < state->copies; i++) {
        LLVMValueRef partial = cpu_splat(e, start, cpu_partial_lanes(state));
        LLVMBuildStore(e->builder, partial, state->partial[i]);
        if (state->squares[i])
            LLVMBuildStore(e->builder, cpu_splat(e, start, state->lanes), state->squares[i]);
        if (cpu_finds_index(sink->op))
            LLVMBuildStore(e->builder, LLVMConstAllOnes(cpu_vector(e->i32, state->lanes)),
                           state->index[i]);
    }
}

LLVMValueRef cpu_only_active(struct cpu_emit *e, LLVMValueRef value, LLVMValueRef otherwise)
{
    if (!e->body.active)
        return value;
    return LLVMBuildSelect(e->builder, e->body.active, value, otherwise, "");
}

struct cpu_position cpu_without_axis(const struct cpu_position *p, int axis)
{
    struct cpu_position q = {.rank = p->rank - 1, .lane = p->lane > axis ? p->lane - 1 : p->lane};
    for (int k = 0; k < q.rank; k++)
        q.index[k] = p->index[k < axis ? k : k + 1];
    return q;
}

struct cpu_element cpu_kept_element(struct cpu_emit *e, const struct cpu_buffer *buffer,
                                    const struct cpu_position *p)
{
    struct cpu_element element = cpu_buffer_read(e, buffer, buffer->type, p);
    if (p->lane >= 0)
        element = (struct cpu_element){cpu_spread(e, element), true};
    return element;
}

static void step_outer(struct cpu_emit *e, struct cpu_sink *sink, LLVMValueRef value,
                       const struct cpu_position *p)
{
    struct cpu_position q = cpu_without_axis(p, sink->op->attributes.axis);
    if (!cpu_finds_index(sink->op)) {
        struct cpu_element old = cpu_kept_element(e, sink->buffer, &q);
        old.v = cpu_reduction_combine(e, sink, old.v, value);
        cpu_buffer_write(e, sink->buffer, &q, old);
        return;
    }
    cpu_index_step_outer(e, sink, value, p, &q);
}

/* The vector, or where the nest's are longer (behind.c) its pieces one after the other. */
static LLVMValueRef combine_pieces(struct cpu_emit *e, const struct cpu_sink *sink,
                                   LLVMValueRef partial, LLVMValueRef value)
{
    int lanes = cpu_width_of(partial), all = cpu_width_of(value);
    if (lanes == all)
        return cpu_reduction_combine(e, sink, partial, value);
    for (int i = 0; i < all; i += lanes)
        partial = cpu_reduction_combine(e, sink, partial,
                                        mb_slice(&e->math, value, (unsigned)i, (unsigned)lanes));
    return partial;
}

/* The same of the squares, each fused into its sum. */
static void step_squares(struct cpu_emit *e, const struct cpu_reduction_state *state,
                         LLVMValueRef value)
{
    LLVMValueRef slot = state->squares[e->body.copy % state->copies];
    if (!slot)
        return;
    LLVMTypeRef type = cpu_vector(LLVMFloatTypeInContext(e->context), state->lanes);
    LLVMValueRef sum = LLVMBuildLoad2(e->builder, type, slot, "");
    for (int i = 0; i < cpu_width_of(value); i += state->lanes) {
        LLVMValueRef x = mb_slice(&e->math, value, (unsigned)i, (unsigned)state->lanes);
        sum = mb_fma(&e->math, x, x, sum);
    }
    LLVMBuildStore(e->builder, sum, slot);
}

/* partial = fma(x, y, partial), for a sum whose operand is x * y */
static void step_fused(struct cpu_emit *e, struct cpu_sink *sink, const struct cpu_position *p)
{
    struct cpu_reduction_state *state = sink->state;
    const struct ir_op *product = sink->op->operands[0]->op;
    LLVMValueRef slot = state->partial[e->body.copy % state->copies], operands[3];
    LLVMTypeRef type = cpu_vector(cpu_partial_type(e, sink), state->lanes);
    for (int i = 0; i < 2; i++) {
        struct cpu_element element = cpu_element_of(e, product->operands[i], p);
        operands[i] = p->lane >= 0 ? cpu_spread(e, element) : element.v;
    }
    LLVMValueRef old = operands[2] = LLVMBuildLoad2(e->builder, type, slot, "");
    LLVMValueRef sum = cpu_intrinsic(e, "llvm.fma", 1, &type, 3, operands);
    LLVMBuildStore(e->builder, cpu_only_active(e, sum, old), slot);
}

void cpu_reduction_step(struct cpu_emit *e, struct cpu_sink *sink, const struct cpu_position *p)
{
    struct cpu_reduction_state *state = sink->state;
    if (sink->op->code == IR_OP_SUM && sink->op->attributes.bits == CPU_SUM_FUSED &&
        state->kind == CPU_REDUCE_ALL) {
        step_fused(e, sink, p);
        return;
    }
    if (state->counts) {
        cpu_count_step(e, sink, p);
        return;
    }
    if (state->bytes) {
        cpu_bytes_step(e, sink, p);
        return;
    }
    if (state->products) {
        cpu_products_step(e, sink, p);
        return;
    }
    struct cpu_element element = cpu_element_of(e, sink->op->operands[0], p);
    LLVMValueRef value = p->lane >= 0 ? cpu_spread(e, element) : element.v;
    if (state->kind == CPU_REDUCE_OUTER) {
        step_outer(e, sink, value, p);
        return;
    }
    LLVMValueRef start = cpu_splat(e, identity(e, sink), p->lane >= 0 ? e->body.lanes : 1);
    if (state->bits[0]) {
        cpu_bits_step(e, sink, cpu_only_active(e, value, start));
        return;
    }
    LLVMValueRef slot = state->partial[e->body.copy % state->copies];
    LLVMTypeRef type = cpu_vector(cpu_partial_type(e, sink), state->lanes);
    LLVMValueRef old = LLVMBuildLoad2(e->builder, type, slot, "");
    if (state->nan) {
        cpu_range_step(e, sink, slot, cpu_only_active(e, value, start));
        return;
    }
    if (!cpu_finds_index(sink->op)) {
        value = cpu_only_active(e, value, start);
        LLVMBuildStore(e->builder, combine_pieces(e, sink, old, value), slot);
        step_squares(e, state, value);
        return;
    }
    cpu_index_step(e, sink, slot, old, value, p);
}

LLVMValueRef cpu_reduction_copies(struct cpu_emit *e, const struct cpu_sink *sink,
                                  const LLVMValueRef *slots)
{
    const struct cpu_reduction_state *state = sink->state;
    LLVMTypeRef type = cpu_vector(cpu_partial_type(e, sink), cpu_partial_lanes(state));
    LLVMValueRef v[CPU_MOST_COPIES];
    for (int i = 0; i < state->copies; i++)
        v[i] = LLVMBuildLoad2(e->builder, type, slots[i], "");
    for (int step = 1; step < state->copies; step *= 2) {
        for (int i = 0; i + step < state->copies; i += 2 * step)
            v[i] = cpu_reduction_combine(e, sink, v[i], v[i + step]);
    }
    return v[0];
}

static LLVMValueRef end_value(struct cpu_emit *e, const struct cpu_sink *sink,
                              const LLVMValueRef *slots)
{
    return reduce_lanes(e, sink, cpu_reduction_copies(e, sink, slots));
}

void cpu_reduction_end(struct cpu_emit *e, struct cpu_sink *sink, const struct cpu_position *p)
{
    struct cpu_reduction_state *state = sink->state;
    if (state->kind == CPU_REDUCE_OUTER)
        return;
    LLVMValueRef result = cpu_finds_index(sink->op) ? cpu_index_end(e, sink)
                          : state->bits[0]          ? cpu_bits_end(e, sink)
                          : state->nan              ? cpu_range_end(e, sink)
                                                    : end_value(e, sink, state->partial);
    if (state->kind == CPU_REDUCE_ALL) {
        struct cpu_value *value = cpu_value_of(e, sink->op->results[0]);
        value->scalar = result;
        value->squares = state->squares[0] ? end_value(e, sink, state->squares) : NULL;
        return;
    }
    struct cpu_position q = cpu_without_axis(p, sink->op->attributes.axis);
    q.lane = -1;
    cpu_buffer_write(e, sink->buffer, &q, (struct cpu_element){result, false});
}
