/*
 * Addresses that are one address and an int for each lane.
 *
 *     load(Table + (x & 255))          %i = cast %x : i64[n];  addptr (broadcast %Table), %i
 *
 * As vectors of pointers, lanes are 64 bits wide, and so half as many as of what is loaded. But
 * x86 gathers and scatters by one address and offsets of 32 bits, so the int is only extended where
 * the address is made, which LLVM sees through, and is no reason for shorter vectors (survey.c).
 *
 * What the other places of the chain add must be the same in all lanes. Where that shows only at a
 * position (rows of an outer axis), vectors of pointers are made after all.
 */
#include "cpu/offsets.h"

static bool is_int(struct ir_type type)
{
    if (type.pointer || type.rank == 0 || type.elem == IR_BOOL ||
        ir_is_float((enum ir_elem)type.elem))
        return false;
    return ir_elems[type.elem].bits < 32 || type.elem == IR_I32;
}

/* What is extended to the index, unless either is kept in memory. */
static const struct ir_value *extended_int(struct cpu_emit *e, const struct ir_value *index)
{
    const struct ir_op *op = index->op;
    bool extends = op && op->code == IR_OP_CAST && is_int(op->operands[0]->type);
    return extends && !cpu_value_of(e, index)->buffer ? op->operands[0] : NULL;
}

static bool may_be_same(struct cpu_emit *e, const struct ir_value *index)
{
    return index->type.rank == 0 || cpu_affine_of(e, index)->known;
}

const struct ir_value *cpu_offset_of(struct cpu_emit *e, const struct ir_value *pointer)
{
    const struct ir_value *offset = NULL;
    for (; pointer->type.rank > 0; pointer = pointer->op->operands[0]) {
        const struct ir_op *op = pointer->op;
        if (!op || cpu_value_of(e, pointer)->buffer)
            return NULL;
        if (op->code == IR_OP_BROADCAST && op->operands[0]->type.rank == 0)
            return offset;
        if (op->code != IR_OP_ADDPTR)
            return NULL;
        if (may_be_same(e, op->operands[1]))
            continue;
        if (offset || !(offset = extended_int(e, op->operands[1])))
            return NULL;
    }
    return offset;
}

static LLVMValueRef extend(struct cpu_emit *e, LLVMValueRef v, enum ir_elem elem)
{
    LLVMTypeRef wide = cpu_vector(e->i64, e->body.lanes);
    if (ir_is_signed(elem))
        return LLVMBuildSExt(e->builder, v, wide, "");
    v = LLVMBuildZExt(e->builder, v, cpu_vector(e->i32, e->body.lanes), "");
    return LLVMBuildSExt(e->builder, v, wide, "");
}

LLVMValueRef cpu_offset_base(struct cpu_emit *e, const struct ir_value *pointer,
                             const struct cpu_position *p)
{
    const struct ir_value *offset = p->lane >= 0 ? cpu_offset_of(e, pointer) : NULL;
    LLVMTypeRef unit = cpu_memory_type(e, ir_scalar((enum ir_elem)pointer->type.elem));
    LLVMValueRef sum = NULL;
    if (!offset)
        return NULL;
    for (; pointer->op->code == IR_OP_ADDPTR; pointer = pointer->op->operands[0]) {
        const struct ir_value *index = pointer->op->operands[1];
        if (extended_int(e, index) == offset)
            continue;
        struct cpu_element element = cpu_element_of(e, index, p);
        if (element.vector)
            return NULL;
        sum = cpu_add(e, sum, element.v);
    }
    LLVMValueRef base = cpu_value_of(e, pointer->op->operands[0])->scalar;
    return sum ? LLVMBuildGEP2(e->builder, unit, base, &sum, 1, "") : base;
}

bool cpu_offset_address(struct cpu_emit *e, const struct ir_value *pointer,
                        const struct cpu_position *p, LLVMValueRef *pointers)
{
    LLVMValueRef base = cpu_offset_base(e, pointer, p);
    if (!base)
        return false;
    const struct ir_value *offset = cpu_offset_of(e, pointer);
    LLVMTypeRef unit = cpu_memory_type(e, ir_scalar((enum ir_elem)pointer->type.elem));
    struct cpu_element lanes = cpu_element_of(e, offset, p);
    if (!lanes.vector)
        return false;
    LLVMValueRef index = extend(e, lanes.v, (enum ir_elem)offset->type.elem);
    *pointers = LLVMBuildGEP2(e->builder, unit, base, &index, 1, "");
    return true;
}
