/*
 * Partners: loads and stores at i and at i ^ j, under masks that let in one of each pair.
 *
 *     int other = i ^ j;
 *     bool mine = other > i && i < n;               one of the two orders both
 *     int a = load(X + i, mine), b = load(X + other, mine);
 *     store(X + i, minimum(a, b), mine);
 *     store(X + other, maximum(a, b), mine);
 *
 * An element that comes later may have its i where this one has its other, so what is loaded was
 * kept in scratch memory before anything is stored. But a mask that says other > i is false there:
 * if both were let in,
 *
 *     i of the one = other of the other, so that other of the one = i of the other,
 *     and each would lie above the other.
 *
 * With >= the two are the same element; < and <= are alike. Places that are equal to each other's,
 * or partners to partners, are of the same element, as no two of i are equal. All of that is so
 * where i ^ j ^ j is i: i fits into the 32 bits to which it is cut, which is asked as the program
 * runs (apart.c).
 */
#include "cpu/partners.h"

/* i ^ j, for a tile i of places and a j that is the same for all of them; NULL: v is no such value.
 */
static const struct ir_value *partner_of(struct cpu_emit *e, const struct ir_value *v)
{
    const struct ir_op *op = v->op;
    if (op && op->code == IR_OP_CAST && op->operands[0]->type.elem == IR_I32)
        op = op->operands[0]->op;
    if (v->type.elem != IR_I64 || v->type.pointer || !op || op->code != IR_OP_XOR)
        return NULL;
    for (int side = 0; side < 2; side++) {
        const struct ir_value *i = op->operands[side];
        if (i->type.elem == IR_I32 && i->op && i->op->code == IR_OP_CAST)
            i = i->op->operands[0];
        if (i->type.elem == IR_I64 && cpu_is_injective(e, i) &&
            cpu_is_uniform(e, op->operands[1 - side]))
            return i;
    }
    return NULL;
}

/* Which partners the mask wants, by the first comparison of both that it is made of. */
static bool find_partners(struct cpu_emit *e, const struct ir_value *mask, struct cpu_partners *p)
{
    const struct ir_op *op = mask->op;
    if (!op)
        return false;
    if (op->code == IR_OP_AND)
        return find_partners(e, op->operands[0], p) || find_partners(e, op->operands[1], p);
    for (int side = 0; side < 2 && ir_is_ordering(op->code); side++) {
        const struct ir_value *of = op->operands[side], *i = partner_of(e, of);
        bool greater = op->code == IR_OP_GT || op->code == IR_OP_GE;
        if (!i || i != op->operands[1 - side])
            continue;
        *p = (struct cpu_partners){.i = i, .of = of, .above = greater == (side == 0)};
        return true;
    }
    return false;
}

static bool partners_of(struct cpu_emit *e, const struct ir_op *access, struct cpu_partners *p)
{
    const struct ir_value *mask = ir_mask_of(access);
    const struct ir_op *address = access->operands[0]->op;
    if ((access->code != IR_OP_LOAD && access->code != IR_OP_STORE) || !mask || !address ||
        address->code != IR_OP_ADDPTR || !cpu_is_uniform(e, address->operands[0]) ||
        !find_partners(e, mask, p))
        return false;
    p->base = address->operands[0];
    return address->operands[1] == p->i || address->operands[1] == p->of;
}

bool cpu_are_partners(struct cpu_emit *e, const struct ir_op *a, const struct ir_op *b,
                      struct cpu_partners *partners)
{
    struct cpu_partners other;
    return partners_of(e, a, partners) && partners_of(e, b, &other) &&
           partners->base == other.base && partners->i == other.i && partners->of == other.of &&
           partners->above == other.above;
}

LLVMValueRef cpu_partners_fit(struct cpu_emit *e, const struct cpu_partners *partners)
{
    struct cpu_linear linear = cpu_linear_of(e, partners->i);
    struct ir_type shape = partners->i->type;
    LLVMBuilderRef builder = e->builder;
    LLVMValueRef least = cpu_i64(e, INT32_MIN), most = cpu_i64(e, INT32_MAX), zero = cpu_i64(e, 0);
    LLVMValueRef base = linear.base ? linear.base : zero, low = base, high = base;
    if (partners->of->op->code == IR_OP_XOR)
        return LLVMConstInt(e->i1, 1, false); /* of 64 bits */
    for (int k = 0; k < shape.rank; k++) {
        LLVMValueRef step = linear.axis[k] ? linear.axis[k] : zero;
        LLVMValueRef end = LLVMBuildMul(builder, step, cpu_i64(e, shape.dims[k] - 1), "");
        low = LLVMBuildAdd(builder, low, cpu_min_i64(e, end, zero), "");
        high = LLVMBuildAdd(builder, high, cpu_max_i64(e, end, zero), "");
    }
    /* the base too, so that neither end has wrapped: steps have 31 bits, shapes 20 */
    LLVMValueRef from = LLVMBuildICmp(builder, LLVMIntSGE, base, least, "");
    LLVMValueRef to = LLVMBuildICmp(builder, LLVMIntSLE, base, most, "");
    LLVMValueRef first = LLVMBuildICmp(builder, LLVMIntSGE, low, least, "");
    LLVMValueRef last = LLVMBuildICmp(builder, LLVMIntSLE, high, most, "");
    LLVMValueRef within = LLVMBuildAnd(builder, from, to, "");
    return LLVMBuildAnd(builder, within, LLVMBuildAnd(builder, first, last, ""), "");
}
