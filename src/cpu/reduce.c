/*
 * Emits reductions; see reduce.h.
 *
 * argmax and argmin order elements by an integer key that says everything: a float's bits made
 * monotonic, with NaN beyond all others on either side. Each lane keeps its best key and the least
 * index that has it; the end picks the best key and the least index among its owners.
 */
#include "cpu/reduce.h"
#include "cpu/carry.h"
#include "cpu/math_build.h"
#include "cpu/reduce_bits.h"
#include "cpu/squares.h"
#include "ir/eval.h"

static bool finds_index(const struct ir_op *op)
{
    return op->code == IR_OP_ARGMAX || op->code == IR_OP_ARGMIN;
}

static enum ir_elem operand_elem(const struct cpu_sink *sink)
{
    return (enum ir_elem)sink->op->operands[0]->type.elem;
}

/* ---- keys of argmax and argmin -------------------------------------------------------------- */

static bool key_is_signed(enum ir_elem elem)
{
    return ir_is_float(elem) || ir_is_signed(elem);
}

static LLVMTypeRef key_type(struct cpu_emit *e, enum ir_elem elem)
{
    if (elem == IR_F64)
        return e->i64;
    if (ir_is_float(elem))
        return e->i32;
    return cpu_elem_type(&e->math, elem);
}

static int width_of(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? (int)LLVMGetVectorSize(type) : 1;
}

static LLVMValueRef splat_int(struct cpu_emit *e, LLVMTypeRef element, uint64_t bits, int lanes)
{
    return cpu_splat(e, LLVMConstInt(element, bits, false), lanes);
}

/* The key that beats every other one (for max: NaN's), as bits. */
static uint64_t extreme_key(LLVMTypeRef type, bool is_signed, bool high)
{
    unsigned width = LLVMGetIntTypeWidth(type);
    uint64_t all = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    if (!is_signed)
        return high ? all : 0;
    return high ? all >> 1 : (all >> 1) + 1;
}

/* Integers that are ordered as the floats are whose bits these are. AVX2 selects by the sign as it
 * is; AVX-512 would make a mask of it first, and there shifts are faster. */
static LLVMValueRef monotonic(struct cpu_emit *e, LLVMValueRef bits, LLVMTypeRef type, int lanes)
{
    LLVMValueRef magnitude = splat_int(e, type, extreme_key(type, true, true), lanes);
    if (e->level->features.avx2 && !e->level->features.avx512) {
        LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(bits));
        LLVMValueRef negative = LLVMBuildICmp(e->builder, LLVMIntSLT, bits, zero, "");
        LLVMValueRef turned = LLVMBuildXor(e->builder, bits, magnitude, "");
        return LLVMBuildSelect(e->builder, negative, turned, bits, "");
    }
    unsigned width = LLVMGetIntTypeWidth(type);
    LLVMValueRef sign = LLVMBuildAShr(e->builder, bits, splat_int(e, type, width - 1, lanes), "");
    return LLVMBuildXor(e->builder, bits, LLVMBuildAnd(e->builder, sign, magnitude, ""), "");
}

static LLVMValueRef key_of(struct cpu_emit *e, const struct cpu_sink *sink, LLVMValueRef v)
{
    enum ir_elem elem = operand_elem(sink);
    if (!ir_is_float(elem))
        return v;
    if (elem != IR_F64)
        v = cpu_convert(&e->math, v, elem, IR_F32);
    int lanes = width_of(LLVMTypeOf(v));
    LLVMTypeRef type = key_type(e, elem);
    LLVMValueRef bits = LLVMBuildBitCast(e->builder, v, cpu_vector(type, lanes), "");
    LLVMValueRef key = monotonic(e, bits, type, lanes);
    LLVMValueRef nan = LLVMBuildFCmp(e->builder, LLVMRealUNO, v, v, "");
    uint64_t best = extreme_key(type, true, sink->op->code == IR_OP_ARGMAX);
    return LLVMBuildSelect(e->builder, nan, splat_int(e, type, best, lanes), key, "");
}

static LLVMIntPredicate better(const struct cpu_sink *sink)
{
    bool is_signed = key_is_signed(operand_elem(sink));
    if (sink->op->code == IR_OP_ARGMAX)
        return is_signed ? LLVMIntSGT : LLVMIntUGT;
    return is_signed ? LLVMIntSLT : LLVMIntULT;
}

/* ---- combining two partial results ---------------------------------------------------------- */

static LLVMValueRef combine(struct cpu_emit *e, const struct cpu_sink *sink, LLVMValueRef a,
                            LLVMValueRef b)
{
    enum ir_elem elem = operand_elem(sink);
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
    if (width_of(LLVMTypeOf(v)) == 1)
        return v;
    return cpu_reduce(&e->math, kinds[sink->op->code - IR_OP_SUM], operand_elem(sink), v);
}

/* ---- max and min by vrange ------------------------------------------------------------------ */

/*
 * AVX-512's vrange orders zeros but ignores NaN. So partial results leave NaN out, and which lanes
 * met one is kept apart, two vectors per compare: half the instructions of maximum itself.
 */
static bool by_range(struct cpu_emit *e, const struct cpu_sink *sink)
{
    enum ir_elem elem = operand_elem(sink);
    int64_t bytes = (int64_t)ir_elem_bytes(elem) * sink->state->lanes;
    return (sink->op->code == IR_OP_MAX || sink->op->code == IR_OP_MIN) &&
           (elem == IR_F32 || elem == IR_F64) && e->level->features.avx512 &&
           (bytes == 16 || bytes == 32 || bytes == 64);
}

static LLVMValueRef range(struct cpu_emit *e, const struct cpu_sink *sink, LLVMValueRef a,
                          LLVMValueRef b)
{
    enum { LESSER = 4, GREATER = 5 };
    LLVMValueRef result = a;
    mb_avx512(&e->math, "range", a, b, sink->op->code == IR_OP_MAX ? GREATER : LESSER, &result);
    return result;
}

static void range_step(struct cpu_emit *e, struct cpu_sink *sink, LLVMValueRef slot,
                       LLVMValueRef value)
{
    struct cpu_reduction_state *state = sink->state;
    LLVMTypeRef type = LLVMTypeOf(value), flags = cpu_vector(e->i1, state->lanes);
    LLVMValueRef old = LLVMBuildLoad2(e->builder, type, slot, "");
    LLVMBuildStore(e->builder, range(e, sink, old, value), slot);
    int copy = e->body.copy % state->copies; /* the nest may have more */
    if (e->body.fast && copy % 2 == 0 && copy + 1 < state->copies) {
        state->waiting = value;
        return;
    }
    LLVMValueRef other = e->body.fast && copy % 2 ? state->waiting : value;
    LLVMValueRef met = LLVMBuildFCmp(e->builder, LLVMRealUNO, other, value, "");
    LLVMValueRef before = LLVMBuildLoad2(e->builder, flags, state->nan, "");
    LLVMBuildStore(e->builder, LLVMBuildOr(e->builder, before, met, ""), state->nan);
}

/* The lanes of one vector: upper half onto lower down to 16 bytes, then by rotation. */
static LLVMValueRef range_lanes(struct cpu_emit *e, const struct cpu_sink *sink, LLVMValueRef v)
{
    int bytes = (int)ir_elem_bytes(operand_elem(sink)), lanes = width_of(LLVMTypeOf(v));
    for (; lanes * bytes > 16; lanes /= 2) {
        LLVMValueRef upper = mb_slice(&e->math, v, (unsigned)lanes / 2, (unsigned)lanes / 2);
        v = range(e, sink, mb_slice(&e->math, v, 0, (unsigned)lanes / 2), upper);
    }
    for (int step = lanes / 2; step > 0; step /= 2) {
        LLVMValueRef places[4];
        for (int i = 0; i < lanes; i++)
            places[i] = LLVMConstInt(e->i32, (unsigned long long)((i + step) % lanes), false);
        LLVMValueRef turned =
            LLVMBuildShuffleVector(e->builder, v, v, LLVMConstVector(places, (unsigned)lanes), "");
        v = range(e, sink, v, turned);
    }
    return LLVMBuildExtractElement(e->builder, v, LLVMConstInt(e->i32, 0, false), "");
}

static LLVMValueRef range_end(struct cpu_emit *e, struct cpu_sink *sink)
{
    struct cpu_reduction_state *state = sink->state;
    enum ir_elem elem = operand_elem(sink);
    LLVMTypeRef type = cpu_vector(cpu_elem_type(&e->math, elem), state->lanes);
    LLVMTypeRef flags = cpu_vector(e->i1, state->lanes);
    LLVMValueRef v = LLVMBuildLoad2(e->builder, type, state->partial[0], "");
    for (int i = 1; i < state->copies; i++)
        v = range(e, sink, v, LLVMBuildLoad2(e->builder, type, state->partial[i], ""));
    LLVMValueRef met = LLVMBuildLoad2(e->builder, flags, state->nan, "");
    LLVMValueRef any = cpu_intrinsic(e, "llvm.vector.reduce.or", 1, &flags, 1, &met);
    uint64_t quiet = elem == IR_F32 ? 0x7fc00000 : 0x7ff8000000000000;
    LLVMValueRef nan = cpu_constant(e, ir_scalar(elem), quiet);
    return LLVMBuildSelect(e->builder, any, nan, range_lanes(e, sink, v), "");
}

/* ---- counts --------------------------------------------------------------------------------- */

/*
 * sum(where(c == ' ', 1, 0)), which narrow_small (opt/) made a sum of a condition of bytes: added
 * up as ints, each vector of bytes would become four. Instead its lanes' bits are moved to a scalar
 * register, where one instruction counts them. A condition of ints is one addition as it is.
 */
struct ir_value *cpu_reduction_counted(const struct cpu_emit *e, const struct ir_op *op)
{
    const struct ir_op *cast = op->code == IR_OP_SUM ? op->operands[0]->op : NULL;
    bool fits = cast && cast->code == IR_OP_CAST && cast->operands[0]->type.elem == IR_BOOL &&
                (cast->results[0]->type.elem == IR_I32 || cast->results[0]->type.elem == IR_U32);
    int last = op->operands[0]->type.rank - 1;
    fits = fits && (op->attributes.axis < 0 || op->attributes.axis == last);
    return fits && e->level->features.avx2 ? cast->operands[0] : NULL;
}

static void count_step(struct cpu_emit *e, struct cpu_sink *sink, const struct cpu_position *p)
{
    const struct ir_value *condition = cpu_reduction_counted(e, sink->op);
    LLVMValueRef slot = sink->state->partial[e->body.copy % sink->state->copies];
    struct cpu_element element = cpu_element_of(e, condition, p);
    LLVMValueRef holds = p->lane >= 0 ? cpu_spread(e, element) : element.v;
    if (e->body.active)
        holds = LLVMBuildAnd(e->builder, holds, e->body.active, "");
    LLVMTypeRef bits = LLVMIntTypeInContext(e->context, (unsigned)width_of(LLVMTypeOf(holds)));
    holds = LLVMBuildBitCast(e->builder, holds, bits, "");
    bits = LLVMGetIntTypeWidth(bits) > 32 ? bits : e->i32;
    holds = LLVMBuildZExt(e->builder, holds, bits, "");
    LLVMValueRef count = cpu_intrinsic(e, "llvm.ctpop", 1, &bits, 1, &holds);
    count = LLVMBuildTrunc(e->builder, count, e->i32, "");
    LLVMValueRef old = LLVMBuildLoad2(e->builder, e->i32, slot, "");
    LLVMBuildStore(e->builder, LLVMBuildAdd(e->builder, old, count, ""), slot);
}

/* ---- state ---------------------------------------------------------------------------------- */

/* How many numbers a partial result is. */
static int partial_lanes(const struct cpu_reduction_state *state)
{
    return state->counts ? 1 : state->lanes;
}

static LLVMTypeRef partial_type(struct cpu_emit *e, const struct cpu_sink *sink)
{
    if (finds_index(sink->op))
        return key_type(e, operand_elem(sink));
    return cpu_elem_type(&e->math, operand_elem(sink));
}

/* The value that changes nothing; for argmax the worst key. */
static LLVMValueRef identity(struct cpu_emit *e, const struct cpu_sink *sink)
{
    enum ir_elem elem = operand_elem(sink);
    if (finds_index(sink->op)) {
        LLVMTypeRef type = key_type(e, elem);
        bool high = sink->op->code == IR_OP_ARGMIN;
        return LLVMConstInt(type, extreme_key(type, key_is_signed(elem), high), false);
    }
    return cpu_constant(e, ir_scalar(elem), ir_eval_identity(sink->op->code, elem));
}

static struct ir_type key_buffer_type(struct cpu_emit *e, const struct cpu_sink *sink)
{
    static const enum ir_elem by_log[] = {IR_I8, IR_I16, IR_I32, IR_I64};
    unsigned width = LLVMGetIntTypeWidth(key_type(e, operand_elem(sink)));
    int log = width == 8 ? 0 : width == 16 ? 1 : width == 32 ? 2 : 3;
    return ir_with_elem(sink->buffer->type, by_log[log]);
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
        if (finds_index(sink->op))
            sink->indices = cpu_buffer_new(e, key_buffer_type(e, sink));
        return;
    }
    if (cpu_bits_apply(e, sink)) {
        cpu_bits_plan(e, sink);
        return;
    }
    state->counts = cpu_reduction_counted(e, sink->op) && lanes > e->level->vector_bits / 32;
    LLVMTypeRef type = cpu_vector(partial_type(e, sink), partial_lanes(state));
    for (int i = 0; i < copies; i++) {
        state->partial[i] = cpu_alloca(e, type, "partial");
        if (finds_index(sink->op))
            state->index[i] = cpu_alloca(e, cpu_vector(e->i32, lanes), "index");
    }
    bool squares =
        all && lanes * copies >= LEAST_PARTIALS && cpu_squares_wanted(e, group, sink->op);
    for (int i = 0; i < copies && squares; i++)
        state->squares[i] = cpu_alloca(e, type, "squares");
    if (by_range(e, sink))
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
        LLVMBuildStore(e->builder, vector, cpu_buffer_pointer(e, buffer, loop.index));
    cpu_set_align(store, 64);
    cpu_loop_end(e, &loop);
}

void cpu_reduction_begin(struct cpu_emit *e, struct cpu_sink *sink)
{
    struct cpu_reduction_state *state = sink->state;
    LLVMValueRef start = identity(e, sink);
    if (state->kind == CPU_REDUCE_OUTER) {
        if (finds_index(sink->op)) {
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
        LLVMValueRef partial = cpu_splat(e, start, partial_lanes(state));
        LLVMBuildStore(e->builder, partial, state->partial[i]);
        if (state->squares[i])
            LLVMBuildStore(e->builder, cpu_splat(e, start, state->lanes), state->squares[i]);
        if (finds_index(sink->op))
            LLVMBuildStore(e->builder, LLVMConstAllOnes(cpu_vector(e->i32, state->lanes)),
                           state->index[i]);
    }
}

/* ---- one step ------------------------------------------------------------------------------- */

static LLVMValueRef only_active(struct cpu_emit *e, LLVMValueRef value, LLVMValueRef otherwise)
{
    if (!e->body.active)
        return value;
    return LLVMBuildSelect(e->builder, e->body.active, value, otherwise, "");
}

/* Of the first lane: along the axis, or row-major over everything. */
static LLVMValueRef place_of(struct cpu_emit *e, const struct cpu_sink *sink,
                             const struct cpu_position *p)
{
    struct ir_type type = sink->op->operands[0]->type;
    int axis = sink->op->attributes.axis;
    LLVMValueRef place = NULL;
    int64_t stride = 1;
    for (int k = type.rank - 1; k >= 0; k--) {
        if (axis >= 0 && k != axis)
            continue;
        place = cpu_add(e, place, cpu_mul(e, p->index[k], cpu_i64(e, stride)));
        stride *= type.dims[k];
    }
    return LLVMBuildTrunc(e->builder, place ? place : cpu_i64(e, 0), e->i32, "");
}

static struct cpu_position without_axis(const struct cpu_position *p, int axis)
{
    struct cpu_position q = {.rank = p->rank - 1, .lane = p->lane > axis ? p->lane - 1 : p->lane};
    for (int k = 0; k < q.rank; k++)
        q.index[k] = p->index[k < axis ? k : k + 1];
    return q;
}

static struct cpu_element buffer_element(struct cpu_emit *e, const struct cpu_buffer *buffer,
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
    struct cpu_position q = without_axis(p, sink->op->attributes.axis);
    if (!finds_index(sink->op)) {
        struct cpu_element old = buffer_element(e, sink->buffer, &q);
        old.v = combine(e, sink, old.v, value);
        cpu_buffer_write(e, sink->buffer, &q, old);
        return;
    }
    int lanes = width_of(LLVMTypeOf(value));
    struct cpu_element best = buffer_element(e, sink->indices, &q);
    struct cpu_element where = buffer_element(e, sink->buffer, &q);
    LLVMValueRef key = key_of(e, sink, value);
    LLVMValueRef place = place_of(e, sink, p);
    place = cpu_splat(e, LLVMBuildZExt(e->builder, place, e->i64, ""), lanes);
    LLVMValueRef wins = LLVMBuildICmp(e->builder, better(sink), key, best.v, "");
    best.v = LLVMBuildSelect(e->builder, wins, key, best.v, "");
    where.v = LLVMBuildSelect(e->builder, wins, place, where.v, "");
    cpu_buffer_write(e, sink->indices, &q, best);
    cpu_buffer_write(e, sink->buffer, &q, where);
}

/* The vector, or where the nest's are longer (behind.c) its pieces one after the other. */
static LLVMValueRef combine_pieces(struct cpu_emit *e, const struct cpu_sink *sink,
                                   LLVMValueRef partial, LLVMValueRef value)
{
    int lanes = width_of(LLVMTypeOf(partial)), all = width_of(LLVMTypeOf(value));
    if (lanes == all)
        return combine(e, sink, partial, value);
    for (int i = 0; i < all; i += lanes)
        partial =
            combine(e, sink, partial, mb_slice(&e->math, value, (unsigned)i, (unsigned)lanes));
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
    for (int i = 0; i < width_of(LLVMTypeOf(value)); i += state->lanes) {
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
    LLVMTypeRef type = cpu_vector(partial_type(e, sink), state->lanes);
    for (int i = 0; i < 2; i++) {
        struct cpu_element element = cpu_element_of(e, product->operands[i], p);
        operands[i] = p->lane >= 0 ? cpu_spread(e, element) : element.v;
    }
    LLVMValueRef old = operands[2] = LLVMBuildLoad2(e->builder, type, slot, "");
    LLVMValueRef sum = cpu_intrinsic(e, "llvm.fma", 1, &type, 3, operands);
    LLVMBuildStore(e->builder, only_active(e, sum, old), slot);
}

/* argmax, argmin: the slot of the index gets the first lane's place in all lanes that win; each
 * lane adds its own number at the end (placed). No float has the worst key, so that a lane's first
 * element wins by itself; the worst integer has it, and wins where there is no index yet. */
static void step_index(struct cpu_emit *e, const struct cpu_sink *sink, LLVMValueRef slot,
                       LLVMValueRef old, LLVMValueRef value, const struct cpu_position *p)
{
    const struct cpu_reduction_state *state = sink->state;
    LLVMValueRef index_slot = state->index[e->body.copy % state->copies];
    LLVMTypeRef index_type = cpu_vector(e->i32, state->lanes);
    LLVMValueRef worst = cpu_splat(e, identity(e, sink), state->lanes);
    LLVMValueRef key = only_active(e, key_of(e, sink, value), worst);
    LLVMValueRef where = LLVMBuildLoad2(e->builder, index_type, index_slot, "");
    LLVMValueRef wins = LLVMBuildICmp(e->builder, better(sink), key, old, "");
    if (!ir_is_float(operand_elem(sink))) {
        LLVMValueRef none = LLVMConstAllOnes(index_type);
        LLVMValueRef empty = LLVMBuildICmp(e->builder, LLVMIntEQ, where, none, "");
        if (e->body.active)
            empty = LLVMBuildAnd(e->builder, empty, e->body.active, "");
        wins = LLVMBuildOr(e->builder, wins, empty, "");
    }
    LLVMValueRef place = cpu_splat(e, place_of(e, sink, p), state->lanes);
    LLVMBuildStore(e->builder, LLVMBuildSelect(e->builder, wins, key, old, ""), slot);
    LLVMBuildStore(e->builder, LLVMBuildSelect(e->builder, wins, place, where, ""), index_slot);
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
        count_step(e, sink, p);
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
        cpu_bits_step(e, sink, only_active(e, value, start));
        return;
    }
    LLVMValueRef slot = state->partial[e->body.copy % state->copies];
    LLVMTypeRef type = cpu_vector(partial_type(e, sink), state->lanes);
    LLVMValueRef old = LLVMBuildLoad2(e->builder, type, slot, "");
    if (state->nan) {
        range_step(e, sink, slot, only_active(e, value, start));
        return;
    }
    if (!finds_index(sink->op)) {
        value = only_active(e, value, start);
        LLVMBuildStore(e->builder, combine_pieces(e, sink, old, value), slot);
        step_squares(e, state, value);
        return;
    }
    step_index(e, sink, slot, old, value, p);
}

/* ---- the end -------------------------------------------------------------------------------- */

static LLVMValueRef reduce_int(struct cpu_emit *e, const char *name, LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    if (width_of(type) == 1)
        return v;
    return cpu_intrinsic(e, name, 1, &type, 1, &v);
}

/* Best key of two partial results, least index among equals; an index of all ones is none. */
static void merge_indices(struct cpu_emit *e, const struct cpu_sink *sink, LLVMValueRef *key,
                          LLVMValueRef *index, LLVMValueRef key2, LLVMValueRef index2)
{
    LLVMValueRef none = LLVMConstAllOnes(LLVMTypeOf(*index));
    LLVMValueRef wins = LLVMBuildICmp(e->builder, better(sink), key2, *key, "");
    LLVMValueRef equal = LLVMBuildICmp(e->builder, LLVMIntEQ, key2, *key, "");
    LLVMValueRef less = LLVMBuildICmp(e->builder, LLVMIntULT, index2, *index, "");
    LLVMValueRef exists = LLVMBuildICmp(e->builder, LLVMIntNE, index2, none, "");
    wins = LLVMBuildAnd(e->builder, wins, exists, "");
    wins = LLVMBuildOr(e->builder, wins, LLVMBuildAnd(e->builder, equal, less, ""), "");
    *key = LLVMBuildSelect(e->builder, wins, key2, *key, "");
    *index = LLVMBuildSelect(e->builder, wins, index2, *index, "");
}

/* The places of one partial result. The lanes run over the last axis that is longer than 1, and
 * over the axis of the reduction if it has one: they are one apart. */
static LLVMValueRef placed(struct cpu_emit *e, const struct cpu_reduction_state *state, int copy)
{
    LLVMTypeRef type = cpu_vector(e->i32, state->lanes);
    LLVMValueRef first = LLVMBuildLoad2(e->builder, type, state->index[copy], "");
    if (state->lanes == 1)
        return first;
    LLVMValueRef none = LLVMConstAllOnes(type);
    LLVMValueRef is_none = LLVMBuildICmp(e->builder, LLVMIntEQ, first, none, "");
    LLVMValueRef place = LLVMBuildAdd(e->builder, first, cpu_iota(e, e->i32, state->lanes), "");
    return LLVMBuildSelect(e->builder, is_none, none, place, "");
}

static LLVMValueRef end_index(struct cpu_emit *e, struct cpu_sink *sink)
{
    struct cpu_reduction_state *state = sink->state;
    LLVMTypeRef key_vector = cpu_vector(partial_type(e, sink), state->lanes);
    LLVMTypeRef index_vector = cpu_vector(e->i32, state->lanes);
    LLVMValueRef key = LLVMBuildLoad2(e->builder, key_vector, state->partial[0], "");
    LLVMValueRef index = placed(e, state, 0);
    for (int i = 1; i < state->copies; i++) {
        LLVMValueRef others = placed(e, state, i);
        merge_indices(e, sink, &key, &index,
                      LLVMBuildLoad2(e->builder, key_vector, state->partial[i], ""), others);
    }
    bool is_signed = key_is_signed(operand_elem(sink));
    const char *best = sink->op->code == IR_OP_ARGMAX
                           ? (is_signed ? "llvm.vector.reduce.smax" : "llvm.vector.reduce.umax")
                           : (is_signed ? "llvm.vector.reduce.smin" : "llvm.vector.reduce.umin");
    LLVMValueRef top = cpu_splat(e, reduce_int(e, best, key), state->lanes);
    LLVMValueRef owns = LLVMBuildICmp(e->builder, LLVMIntEQ, key, top, "");
    index = LLVMBuildSelect(e->builder, owns, index, LLVMConstAllOnes(index_vector), "");
    index = reduce_int(e, "llvm.vector.reduce.umin", index);
    return LLVMBuildZExt(e->builder, index, e->i64, "");
}

static LLVMValueRef combine_copies(struct cpu_emit *e, const struct cpu_sink *sink,
                                   const LLVMValueRef *slots)
{
    const struct cpu_reduction_state *state = sink->state;
    LLVMTypeRef type = cpu_vector(partial_type(e, sink), partial_lanes(state));
    LLVMValueRef v[CPU_MOST_COPIES];
    for (int i = 0; i < state->copies; i++)
        v[i] = LLVMBuildLoad2(e->builder, type, slots[i], "");
    for (int step = 1; step < state->copies; step *= 2) {
        for (int i = 0; i + step < state->copies; i += 2 * step)
            v[i] = combine(e, sink, v[i], v[i + step]);
    }
    return v[0];
}

static LLVMValueRef end_value(struct cpu_emit *e, const struct cpu_sink *sink,
                              const LLVMValueRef *slots)
{
    return reduce_lanes(e, sink, combine_copies(e, sink, slots));
}

void cpu_reduction_end(struct cpu_emit *e, struct cpu_sink *sink, const struct cpu_position *p)
{
    struct cpu_reduction_state *state = sink->state;
    if (state->kind == CPU_REDUCE_OUTER)
        return;
    LLVMValueRef result = finds_index(sink->op) ? end_index(e, sink)
                          : state->bits[0]      ? cpu_bits_end(e, sink)
                          : state->nan          ? range_end(e, sink)
                                                : end_value(e, sink, state->partial);
    if (state->kind == CPU_REDUCE_ALL) {
        struct cpu_value *value = cpu_value_of(e, sink->op->results[0]);
        value->scalar = result;
        value->squares = state->squares[0] ? end_value(e, sink, state->squares) : NULL;
        return;
    }
    struct cpu_position q = without_axis(p, sink->op->attributes.axis);
    q.lane = -1;
    cpu_buffer_write(e, sink->buffer, &q, (struct cpu_element){result, false});
}

/* ---- rows that end together ------------------------------------------------------------------ */

/*
 * Row by row, each halving of a row's vector is a shuffle and an addition, and then a number is
 * stored. Of two rows at once it is two shuffles and an addition:
 *
 *     a0 a1 a2 a3, b0 b1 b2 b3   ->   a0 a1 b0 b1 + a2 a3 b2 b3   ->   one of four rows: ..
 *
 * Upper halves are added to lower ones as in the end of one row (math_minmax.c), so that the bits
 * are the same. A vector of sums is stored, and the next nest's vector need not wait for the
 * numbers.
 */

bool cpu_reduction_may_gather(const struct cpu_sink *sink)
{
    const struct cpu_reduction_state *state = sink->state;
    if (sink->kind != CPU_SINK_REDUCE || state->kind != CPU_REDUCE_LANES || finds_index(sink->op) ||
        state->nan || state->bits[0] || state->squares[0] || state->counts)
        return false;
    enum ir_elem elem = operand_elem(sink);
    switch (sink->op->code) {
    case IR_OP_SUM:
    case IR_OP_PROD:
        return elem == IR_F32 || elem == IR_F64 || elem == IR_I32 || elem == IR_U32 ||
               elem == IR_I64 || elem == IR_U64;
    default:
        return false;
    }
}

void cpu_reduction_keep_row(struct cpu_emit *e, struct cpu_sink *sink, int r)
{
    sink->state->rows[r] = combine_copies(e, sink, sink->state->partial);
}

/* Of each part of `width` lanes of a and then of b, or of a alone: its lower or upper half. */
static LLVMValueRef halves(struct cpu_emit *e, LLVMValueRef a, LLVMValueRef b, int width, int upper)
{
    int lanes = width_of(LLVMTypeOf(a)), count = 0;
    LLVMValueRef place[2 * 64];
    for (int i = 0; i < (b ? 2 : 1) * lanes; i++) {
        if (i % width / (width / 2) == upper)
            place[count++] = LLVMConstInt(e->i32, (unsigned long long)i, false);
    }
    return LLVMBuildShuffleVector(e->builder, a, b ? b : LLVMGetPoison(LLVMTypeOf(a)),
                                  LLVMConstVector(place, (unsigned)count), "");
}

void cpu_reduction_rows(struct cpu_emit *e, struct cpu_sink *sink, const struct cpu_position *p,
                        int axis, int count)
{
    LLVMValueRef *v = sink->state->rows;
    int width = sink->state->lanes;
    for (int left = count; width > 1; width /= 2, left /= 2) {
        for (int i = 0; i < (left > 1 ? left / 2 : 1); i++) {
            LLVMValueRef a = left > 1 ? v[2 * i] : v[0], b = left > 1 ? v[2 * i + 1] : NULL;
            LLVMValueRef low = halves(e, a, b, width, 0), high = halves(e, a, b, width, 1);
            v[i] = combine(e, sink, low, high);
        }
    }
    struct cpu_position q = without_axis(p, sink->op->attributes.axis);
    q.lane = axis;
    cpu_buffer_write(e, sink->buffer, &q, (struct cpu_element){v[0], true});
}
