/*
 * max and min of floats as integers: of half and bfloat without a conversion, of float where no
 * instruction orders zeros (AVX2).
 *
 * The bits of a float are a sign and a magnitude that orders like the float. Of three integers
 *
 *     S = the greatest as signed,  L = the least as unsigned,  U = the greatest as unsigned
 *
 * S is the greatest float if it is not negative, and else, all being negative, L is (the least
 * magnitude). The least float is U (the greatest magnitude) if any is negative, else L. A positive
 * NaN makes S greater than infinity, a negative one U greater than -infinity. Zeros come out in
 * order: -0.0 is the least of the negatives. So a vector of elements costs three operations, where
 * vrange needs a conversion of 16 bits to float and half the elements per vector, and where maxps
 * with its operands in order and a test for NaN takes five.
 *
 * A maximum whose distance to the least element is wanted (spread.c) goes by the bits on all levels,
 * as U or L is the least one, and exponentials then come to the same on all. Only -infinity has to be
 * kept from U where masks leave elements out.
 */
#include "cpu/reduce_bits.h"
#include "cpu/math_build.h"
#include "cpu/spread.h"

static const char *const keeps[] = {"llvm.smax", "llvm.umin", "llvm.umax"};
static const char *const reduces[] = {"llvm.vector.reduce.smax", "llvm.vector.reduce.umin",
                                      "llvm.vector.reduce.umax"};

enum { SIGNED_GREATEST, LEAST, GREATEST }; /* S, L, U */

static bool is_small_float(struct ir_type type)
{
    return !type.pointer && (type.elem == IR_F16 || type.elem == IR_BF16);
}

static bool is_range(const struct ir_op *op)
{
    return op->code == IR_OP_MAX || op->code == IR_OP_MIN;
}

static bool wants_spread(const struct cpu_sink *sink)
{
    return sink->state->kind == CPU_REDUCE_ALL && sink->op->code == IR_OP_MAX &&
           sink->op->attributes.bits == CPU_MAX_SPREAD;
}

bool cpu_bits_apply(struct cpu_emit *e, const struct cpu_sink *sink)
{
    struct ir_type type = sink->op->operands[0]->type;
    const struct cpu_features *f = &e->level->features;
    bool orders = f->avx2 && !f->avx512; /* only integers in one operation */
    bool fits = is_small_float(type) || (type.elem == IR_F32 && (orders || wants_spread(sink)));
    return is_range(sink->op) && fits && sink->state->kind != CPU_REDUCE_OUTER;
}

static unsigned bits_of(const struct cpu_sink *sink)
{
    return ir_elems[sink->op->operands[0]->type.elem].bits;
}

static LLVMTypeRef bits_type(struct cpu_emit *e, const struct cpu_sink *sink)
{
    return cpu_vector(LLVMIntTypeInContext(e->context, bits_of(sink)), sink->state->lanes);
}

static LLVMValueRef to_bits(struct cpu_emit *e, const struct cpu_sink *sink, LLVMValueRef v)
{
    return mb_cast_bits(&e->math, v, mb_int_type(&e->math, v, bits_of(sink)));
}

bool cpu_bits_spread(const struct cpu_sink *sink)
{
    return sink->state->bits[0] && wants_spread(sink);
}

void cpu_bits_plan(struct cpu_emit *e, struct cpu_sink *sink)
{
    for (int i = 0; i < 3; i++)
        sink->state->bits[i] = cpu_alloca(e, bits_type(e, sink), "bits");
}

void cpu_bits_begin(struct cpu_emit *e, struct cpu_sink *sink, LLVMValueRef start)
{
    LLVMValueRef bits = cpu_splat(e, to_bits(e, sink, start), sink->state->lanes);
    for (int i = 0; i < 3; i++)
        LLVMBuildStore(e->builder, bits, sink->state->bits[i]);
    if (cpu_bits_spread(sink))
        LLVMBuildStore(e->builder, LLVMConstNull(LLVMTypeOf(bits)), sink->state->bits[GREATEST]);
}

static LLVMValueRef infinity_bits(const struct cpu_sink *sink, LLVMValueRef like, bool negative)
{
    enum ir_elem elem = (enum ir_elem)sink->op->operands[0]->type.elem;
    int64_t infinity = elem == IR_F32 ? 0x7f800000 : elem == IR_F16 ? 0x7c00 : 0x7f80;
    int64_t sign = INT64_C(1) << (bits_of(sink) - 1);
    return mb_const_int(like, negative ? infinity | sign : infinity);
}

/* Zero in place of a -infinity that stands where masks may leave elements out, or in no element. */
static LLVMValueRef without_others(struct cpu_emit *e, const struct cpu_sink *sink, LLVMValueRef v)
{
    LLVMValueRef within = e->body.within[e->entered], active = e->body.active;
    if (within && active)
        within = LLVMBuildAnd(e->builder, within, active, "");
    else if (!within)
        within = active;
    if (!within || !cpu_bits_spread(sink))
        return v;
    LLVMValueRef none = LLVMBuildICmp(e->builder, LLVMIntNE, v, infinity_bits(sink, v, true), "");
    LLVMValueRef counts = LLVMBuildOr(e->builder, within, none, "");
    return LLVMBuildSelect(e->builder, counts, v, LLVMConstNull(LLVMTypeOf(v)), "");
}

void cpu_bits_step(struct cpu_emit *e, struct cpu_sink *sink, LLVMValueRef value)
{
    LLVMTypeRef type = bits_type(e, sink);
    value = to_bits(e, sink, value);
    for (int i = 0; i < 3; i++) {
        LLVMValueRef slot = sink->state->bits[i];
        LLVMValueRef kept = LLVMBuildLoad2(e->builder, type, slot, "");
        LLVMValueRef v = i == GREATEST ? without_others(e, sink, value) : value;
        LLVMValueRef operands[] = {kept, v};
        LLVMBuildStore(e->builder, cpu_intrinsic(e, keeps[i], 1, &type, 2, operands), slot);
    }
}

static void keep_spread(struct cpu_emit *e, const struct cpu_sink *sink, LLVMValueRef top,
                        LLVMValueRef low)
{
    enum ir_elem elem = (enum ir_elem)sink->op->operands[0]->type.elem;
    LLVMTypeRef type = cpu_elem_type(&e->math, elem);
    top = cpu_convert(&e->math, mb_cast_bits(&e->math, top, type), elem, IR_F32);
    low = cpu_convert(&e->math, mb_cast_bits(&e->math, low, type), elem, IR_F32);
    struct cpu_value *value = cpu_value_of(e, sink->op->results[0]);
    value->spread = LLVMBuildFSub(e->builder, top, low, "");
    value->spread_from = sink->state->least_from;
    value->spread_to = sink->state->least_to;
}

LLVMValueRef cpu_bits_end(struct cpu_emit *e, struct cpu_sink *sink)
{
    struct cpu_math *m = &e->math;
    LLVMTypeRef type = bits_type(e, sink);
    LLVMValueRef v[3];
    for (int i = 0; i < 3; i++) {
        v[i] = LLVMBuildLoad2(e->builder, type, sink->state->bits[i], "");
        if (sink->state->lanes > 1)
            v[i] = cpu_intrinsic(e, reduces[i], 1, &type, 1, &v[i]);
    }
    LLVMValueRef s = v[SIGNED_GREATEST], l = v[LEAST], u = v[GREATEST], zero = mb_const_int(s, 0);
    enum ir_elem elem = (enum ir_elem)sink->op->operands[0]->type.elem;
    int64_t quiet = elem == IR_F32 ? 0x7fc00000 : elem == IR_F16 ? 0x7e00 : 0x7fc0;
    LLVMValueRef least = mb_select(m, mb_icmp(m, LLVMIntSLT, u, zero), u, l);
    LLVMValueRef chosen =
        sink->op->code == IR_OP_MAX ? mb_select(m, mb_icmp(m, LLVMIntSLT, s, zero), l, s) : least;
    LLVMValueRef positive = mb_icmp(m, LLVMIntSGT, s, infinity_bits(sink, s, false));
    LLVMValueRef negative = mb_icmp(m, LLVMIntUGT, u, infinity_bits(sink, u, true));
    LLVMValueRef nan = LLVMBuildOr(e->builder, positive, negative, "");
    chosen = mb_select(m, nan, mb_const_int(s, quiet), chosen);
    if (cpu_bits_spread(sink) && sink->state->least_to)
        keep_spread(e, sink, chosen, least);
    return mb_cast_bits(m, chosen, cpu_elem_type(m, elem));
}

/* ---- before casts --------------------------------------------------------------------------- */

struct moves {
    struct ir_func *func;
    struct ir_op **items; /* reductions that were replaced */
    size_t count, capacity;
};

/* The conversion is exact and keeps the order and NaN, so it may as well come last. Along an outer
 * axis the partial results are tiles, which do better in float. */
static bool move_cast(struct ir_op *op, void *user)
{
    struct moves *moves = user;
    if (!is_range(op))
        return true;
    const struct ir_op *cast = op->operands[0]->op;
    int axis = op->attributes.axis, rank = op->operands[0]->type.rank;
    enum ir_elem elem = (enum ir_elem)op->results[0]->type.elem;
    if (!cast || cast->code != IR_OP_CAST || !is_small_float(cast->operands[0]->type) ||
        !ir_is_float(elem) || rank == 0 || (axis >= 0 && axis != rank - 1))
        return true;
    struct ir_builder b = {
        .func = moves->func, .region = op->parent, .before = op, .range = op->range};
    struct ir_value *reduced = ir_reduce(&b, op->code, cast->operands[0], axis);
    ir_replace(op->results[0], ir_cast(&b, reduced, elem));
    ARENA_PUSH(moves->func->arena, moves, op);
    return true;
}

void cpu_bits_before_casts(struct ir_func *func)
{
    struct moves moves = {.func = func};
    ir_walk(func->body, move_cast, &moves);
    ir_apply_replacements(func);
    for (size_t i = 0; i < moves.count; i++)
        ir_remove(moves.items[i]);
}
