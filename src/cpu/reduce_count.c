/*
 * How often a condition holds: sum(where(c == ' ', 1, 0)), which narrow_small (opt/) made a sum of
 * a condition of bytes.
 *
 * Added up as ints, each vector of bytes would become four. Instead its lanes' bits are moved to a
 * scalar register, where one instruction counts them. A condition of ints is one addition as it is.
 */
#include "cpu/reduce_parts.h"

struct ir_value *cpu_reduction_counted(const struct cpu_emit *e, const struct ir_op *op)
{
    const struct ir_op *cast = op->code == IR_OP_SUM ? op->operands[0]->op : NULL;
    bool fits = cast && cast->code == IR_OP_CAST && cast->operands[0]->type.elem == IR_BOOL &&
                (cast->results[0]->type.elem == IR_I32 || cast->results[0]->type.elem == IR_U32);
    int last = op->operands[0]->type.rank - 1;
    fits = fits && (op->attributes.axis < 0 || op->attributes.axis == last);
    return fits && e->level->features.avx2 ? cast->operands[0] : NULL;
}

void cpu_count_step(struct cpu_emit *e, struct cpu_sink *sink, const struct cpu_position *p)
{
    const struct ir_value *condition = cpu_reduction_counted(e, sink->op);
    LLVMValueRef slot = sink->state->partial[e->body.copy % sink->state->copies];
    struct cpu_element element = cpu_element_of(e, condition, p);
    LLVMValueRef holds = p->lane >= 0 ? cpu_spread(e, element) : element.v;
    if (e->body.active)
        holds = LLVMBuildAnd(e->builder, holds, e->body.active, "");
    LLVMTypeRef bits = LLVMIntTypeInContext(e->context, (unsigned)cpu_width_of(holds));
    holds = LLVMBuildBitCast(e->builder, holds, bits, "");
    bits = LLVMGetIntTypeWidth(bits) > 32 ? bits : e->i32;
    holds = LLVMBuildZExt(e->builder, holds, bits, "");
    LLVMValueRef count = cpu_intrinsic(e, "llvm.ctpop", 1, &bits, 1, &holds);
    count = LLVMBuildTrunc(e->builder, count, e->i32, "");
    LLVMValueRef old = LLVMBuildLoad2(e->builder, e->i32, slot, "");
    LLVMBuildStore(e->builder, LLVMBuildAdd(e->builder, old, count, ""), slot);
}
