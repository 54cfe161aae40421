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
 */
#include "cpu/reduce_bits.h"
#include "cpu/math_build.h"

static const char *const keeps[] = {"llvm.smax", "llvm.umin", "llvm.umax"};
static const char *const reduces[] = {"llvm.vector.reduce.smax", "llvm.vector.reduce.umin",
                                      "llvm.vector.reduce.umax"};

static bool is_small_float(struct ir_type type)
{
    return !type.pointer && (type.elem == IR_F16 || type.elem == IR_BF16);
}

static bool is_range(const struct ir_op *op)
{
    return op->code == IR_OP_MAX || op->code == IR_OP_MIN;
}

bool cpu_bits_apply(struct cpu_emit *e, const struct cpu_sink *sink)
{
    struct ir_type type = sink->op->operands[0]->type;
    const struct cpu_features *f = &e->level->features;
    bool fits = is_small_float(type) || (type.elem == IR_F32 && f->avx2 && !f->avx512);
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
}

void cpu_bits_step(struct cpu_emit *e, struct cpu_sink *sink, LLVMValueRef value)
{
    LLVMTypeRef type = bits_type(e, sink);
    value = to_bits(e, sink, value);
    for (int i = 0; i < 3; i++) {
        LLVMValueRef slot = sink->state->bits[i];
        LLVMValueRef operands[] = {LLVMBuildLoad2(e->builder, type, slot, ""), value};
        LLVMBuildStore(e->builder, cpu_intrinsic(e, keeps[i], 1, &type, 2, operands), slot);
    }
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
    LLVMValueRef s = v[0], l = v[1], u = v[2], zero = mb_const_int(s, 0);
    enum ir_elem elem = (enum ir_elem)sink->op->operands[0]->type.elem;
    int64_t infinity = elem == IR_F32 ? 0x7f800000 : elem == IR_F16 ? 0x7c00 : 0x7f80;
    int64_t quiet = elem == IR_F32 ? 0x7fc00000 : elem == IR_F16 ? 0x7e00 : 0x7fc0;
    int64_t sign = INT64_C(1) << (bits_of(sink) - 1);
    LLVMValueRef chosen = sink->op->code == IR_OP_MAX
                              ? mb_select(m, mb_icmp(m, LLVMIntSLT, s, zero), l, s)
                              : mb_select(m, mb_icmp(m, LLVMIntSLT, u, zero), u, l);
    LLVMValueRef positive = mb_icmp(m, LLVMIntSGT, s, mb_const_int(s, infinity));
    LLVMValueRef negative = mb_icmp(m, LLVMIntUGT, u, mb_const_int(u, infinity | sign));
    LLVMValueRef nan = LLVMBuildOr(e->builder, positive, negative, "");
    chosen = mb_select(m, nan, mb_const_int(s, quiet), chosen);
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
