/*
 * Exchanges: loads at i ^ j, where i grows by one per lane and j is the same for all.
 *
 *     int i = program_id(0) * BLOCK + arange(0, BLOCK);
 *     float other = load(X + (i ^ j));              one step of a sorting network, of an FFT
 *
 * The addresses are neither affine nor one apart, so that this was a gather. But where the first
 * lane's i is a multiple of the number of lanes W, i ^ j is (first ^ (j & -W)) + (lane ^ (j & W -
 * 1)): the W elements of another aligned vector, each of them once, in an order that hangs on j
 * alone. No element is touched that the lanes do not ask for. The order is made by log2(W)
 * exchanges of halves, of pairs of quarters and so on, each done where its bit of j is set; for a j
 * of W or more there is none, which a branch finds. Where the first lane is at no such place, which
 * is asked as the program runs, it is a gather as before.
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
    if (!op || op->code != IR_OP_XOR || offset->type.elem != IR_I32)
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

static LLVMValueRef reorder(struct cpu_emit *e, LLVMValueRef v, LLVMValueRef order)
{
    LLVMValueRef zero = LLVMConstInt(e->i32, 0, false);
    for (int bit = 0; 1 << bit < e->body.lanes; bit++) {
        LLVMValueRef one = LLVMConstInt(e->i32, 1ull << bit, false);
        LLVMValueRef set = LLVMBuildAnd(e->builder, order, one, "");
        set = LLVMBuildICmp(e->builder, LLVMIntNE, set, zero, "");
        v = LLVMBuildSelect(e->builder, set, swap_lanes(e, v, bit), v, "");
    }
    return v;
}

bool cpu_load_exchanged(struct cpu_emit *e, const struct ir_op *op, const struct cpu_position *p,
                        struct cpu_element *loaded)
{
    struct ir_type type = ir_scalar((enum ir_elem)op->results[0]->type.elem);
    int lanes = e->body.lanes;
    const struct ir_value *same, *pointer = op->operands[0];
    const struct ir_value *offset =
        op->code == IR_OP_LOAD && p->lane >= 0 ? cpu_offset_of(e, pointer) : NULL;
    const struct ir_value *grows = offset ? growing_side(e, offset, p, &same) : NULL;
    LLVMValueRef pointers, base = grows ? cpu_offset_base(e, pointer, p) : NULL;
    if (!base || !bits_is_power(lanes) || !cpu_offset_address(e, pointer, p, &pointers))
        return false;
    LLVMValueRef last = LLVMConstInt(e->i32, (unsigned long long)lanes - 1, false);
    LLVMValueRef zero = LLVMConstInt(e->i32, 0, false);
    LLVMValueRef first = cpu_add(e, cpu_first_along(e, grows, p), p->index[p->lane]);
    first = LLVMBuildTrunc(e->builder, first, e->i32, "");
    LLVMValueRef j = cpu_element_of(e, same, p).v;
    LLVMValueRef order = LLVMBuildAnd(e->builder, j, last, "");
    LLVMValueRef aligned = LLVMBuildAnd(e->builder, first, last, "");
    aligned = LLVMBuildICmp(e->builder, LLVMIntEQ, aligned, zero, "");
    LLVMValueRef ordered = LLVMBuildICmp(e->builder, LLVMIntEQ, order, zero, "");
    LLVMBasicBlockRef blocks[3], whole = cpu_block(e, "exchanged"), apart = cpu_block(e, "apart");
    LLVMBasicBlockRef within = cpu_block(e, "within"), done = cpu_block(e, "done");
    LLVMBuildCondBr(e->builder, aligned, whole, apart);

    LLVMPositionBuilderAtEnd(e->builder, whole);
    LLVMTypeRef unit = cpu_memory_type(e, type), vector = cpu_vector(unit, lanes);
    LLVMValueRef least =
        LLVMBuildXor(e->builder, first, LLVMBuildXor(e->builder, j, order, ""), "");
    least = LLVMBuildSExt(e->builder, least, e->i64, "");
    least = LLVMBuildGEP2(e->builder, unit, base, &least, 1, "");
    LLVMValueRef v[3] = {LLVMBuildLoad2(e->builder, vector, least, "")};
    cpu_set_align(v[0], cpu_memory_bytes(type));
    blocks[0] = LLVMGetInsertBlock(e->builder);
    LLVMBuildCondBr(e->builder, ordered, done, within);

    LLVMPositionBuilderAtEnd(e->builder, within);
    v[1] = reorder(e, v[0], order);
    blocks[1] = LLVMGetInsertBlock(e->builder);
    LLVMBuildBr(e->builder, done);

    LLVMPositionBuilderAtEnd(e->builder, apart);
    LLVMValueRef gathered = cpu_gather(e, type, pointers, NULL, NULL);
    v[2] = cpu_to_memory(e, type, gathered);
    blocks[2] = LLVMGetInsertBlock(e->builder);
    LLVMBuildBr(e->builder, done);

    LLVMPositionBuilderAtEnd(e->builder, done);
    LLVMValueRef all = LLVMBuildPhi(e->builder, vector, "");
    LLVMAddIncoming(all, v, blocks, 3);
    *loaded = (struct cpu_element){cpu_from_memory(e, type, all), true};
    return true;
}
