/*
 * Exchanges: loads and stores at i ^ j, where i grows by one per lane and j is the same for all.
 *
 *     int i = program_id(0) * BLOCK + arange(0, BLOCK);
 *     float other = load(X + (i ^ j));              one step of a sorting network, of an FFT
 *
 * The addresses are neither affine nor one apart, so that this was a gather. But where the first
 * lane's i is a multiple of the number of lanes W, i ^ j is (first ^ (j & -W)) + (lane ^ (j & W -
 * 1)): the W elements of another aligned vector, each of them once, in an order that hangs on j
 * alone and undoes itself. A mask is put into that order, too, so that no element is touched that
 * the lanes do not ask for. The order is made by one permutation of ints, or by log2(W) exchanges
 * of halves, of pairs of quarters and so on, each done where its bit of j is set; for a j of W or
 * more there is none, which a branch finds. Where the first lane is at no such place, which is
 * asked as the program runs, it is a gather or scatter as before.
 */
#include "cpu/exchange.h"
#include "base/bits.h"
#include "cpu/along.h"
#include "cpu/offsets.h"

/* v ^ u with v one more per lane and u the same for all: v before it was cut to 32 bits. */
static const struct ir_value *growing_side(struct cpu_emit *e, const struct ir_value *offset,
                                           const struct cpu_position *p,
                                           const struct ir_value **same)
{
    const struct ir_op *op = offset->op;
    if (!op || op->code != IR_OP_XOR || offset->type.elem != IR_I32 || cpu_run_of(e, op, p))
        return NULL;
    for (int side = 0; side < 2; side++) {
        const struct ir_op *cut = op->operands[side]->op;
        int64_t step, known;
        *same = op->operands[1 - side];
        if (ir_constant_int(*same, &known))
            return NULL; /* what pattern.c makes of it is known to the compiler */
        if (cut && cut->code == IR_OP_CAST && cut->operands[0]->type.elem == IR_I64 &&
            cpu_step_along(e, cut->operands[0], p, &step) && step == 1 && cpu_is_uniform(e, *same))
            return cut->operands[0];
    }
    return NULL;
}

/* Lane i takes lane i ^ (1 << bit). */
static LLVMValueRef swap_lanes(struct cpu_emit *e, LLVMValueRef v, int bit)
{
    int lanes = e->body.lanes;
    LLVMValueRef *places = ARENA_ARRAY(e->arena, LLVMValueRef, (size_t)lanes);
    for (int i = 0; i < lanes; i++)
        places[i] = LLVMConstInt(e->i32, (unsigned long long)(i ^ 1 << bit), false);
    LLVMValueRef poison = LLVMGetPoison(LLVMTypeOf(v));
    return LLVMBuildShuffleVector(e->builder, v, poison, LLVMConstVector(places, (unsigned)lanes),
                                  "");
}

static LLVMValueRef swap_by_bits(struct cpu_emit *e, LLVMValueRef v, LLVMValueRef order)
{
    LLVMValueRef zero = LLVMConstInt(e->i32, 0, false), values[2] = {v};
    LLVMBasicBlockRef blocks[2] = {LLVMGetInsertBlock(e->builder)};
    LLVMBasicBlockRef within = cpu_block(e, "within"), ordered = cpu_block(e, "ordered");
    LLVMValueRef none = LLVMBuildICmp(e->builder, LLVMIntEQ, order, zero, "");
    LLVMBuildCondBr(e->builder, none, ordered, within);
    LLVMPositionBuilderAtEnd(e->builder, within);
    for (int bit = 0; 1 << bit < e->body.lanes; bit++) {
        LLVMValueRef one = LLVMConstInt(e->i32, 1ull << bit, false);
        LLVMValueRef set = LLVMBuildAnd(e->builder, order, one, "");
        set = LLVMBuildICmp(e->builder, LLVMIntNE, set, zero, "");
        v = LLVMBuildSelect(e->builder, set, swap_lanes(e, v, bit), v, "");
    }
    values[1] = v;
    blocks[1] = LLVMGetInsertBlock(e->builder);
    LLVMBuildBr(e->builder, ordered);
    LLVMPositionBuilderAtEnd(e->builder, ordered);
    LLVMValueRef all = LLVMBuildPhi(e->builder, LLVMTypeOf(v), "");
    LLVMAddIncoming(all, values, blocks, 2);
    return all;
}

/* The instruction that permutes as many ints, or NULL. */
static const char *permutation(const struct cpu_emit *e)
{
    if (e->body.lanes == 16 && e->level->features.avx512)
        return "llvm.x86.avx512.permvar.si.512";
    return e->body.lanes == 8 && e->level->features.avx2 ? "llvm.x86.avx2.permd" : NULL;
}

LLVMValueRef cpu_exchange_lanes(struct cpu_emit *e, const struct cpu_exchange *x, LLVMValueRef v)
{
    int lanes = e->body.lanes;
    LLVMTypeRef type = LLVMTypeOf(v), unit = LLVMGetElementType(type);
    LLVMTypeRef ints = cpu_vector(e->i32, lanes);
    if (unit == e->i1) {
        v = cpu_exchange_lanes(e, x, LLVMBuildSExt(e->builder, v, ints, ""));
        return LLVMBuildICmp(e->builder, LLVMIntNE, v, LLVMConstNull(ints), "");
    }
    bool is_float = LLVMGetTypeKind(unit) == LLVMFloatTypeKind;
    if (!permutation(e) || (unit != e->i32 && !is_float))
        return swap_by_bits(e, v, x->order);
    LLVMValueRef from =
        LLVMBuildXor(e->builder, cpu_iota(e, e->i32, lanes), cpu_splat(e, x->order, lanes), "");
    LLVMValueRef operands[] = {LLVMBuildBitCast(e->builder, v, ints, ""), from};
    v = cpu_intrinsic(e, permutation(e), 0, NULL, 2, operands);
    return LLVMBuildBitCast(e->builder, v, type, "");
}

bool cpu_exchange_of(struct cpu_emit *e, const struct ir_op *op, const struct cpu_position *p,
                     struct cpu_exchange *x)
{
    int lanes = e->body.lanes;
    const struct ir_value *same, *pointer = op->operands[0];
    const struct ir_value *offset = p->lane >= 0 ? cpu_offset_of(e, pointer) : NULL;
    const struct ir_value *grows = offset ? growing_side(e, offset, p, &same) : NULL;
    LLVMValueRef base = grows ? cpu_offset_base(e, pointer, p) : NULL;
    if (!base || !bits_is_power(lanes) || !cpu_offset_address(e, pointer, p, &x->pointers))
        return false;
    LLVMTypeRef unit = cpu_memory_type(e, ir_scalar((enum ir_elem)pointer->type.elem));
    LLVMValueRef last = LLVMConstInt(e->i32, (unsigned long long)lanes - 1, false);
    LLVMValueRef first = cpu_add(e, cpu_first_along(e, grows, p), p->index[p->lane]);
    first = LLVMBuildTrunc(e->builder, first, e->i32, "");
    LLVMValueRef j = cpu_element_of(e, same, p).v;
    x->order = LLVMBuildAnd(e->builder, j, last, "");
    LLVMValueRef beyond = LLVMBuildAnd(e->builder, first, last, "");
    x->aligned = LLVMBuildIsNull(e->builder, beyond, "");
    LLVMValueRef high = LLVMBuildXor(e->builder, j, x->order, "");
    LLVMValueRef least = LLVMBuildXor(e->builder, first, high, "");
    least = LLVMBuildSExt(e->builder, least, e->i64, "");
    x->first = LLVMBuildGEP2(e->builder, unit, base, &least, 1, "");
    return true;
}
