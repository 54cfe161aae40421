/*
 * Exponentials of a tile less its maximum, where the whole tile is near its maximum.
 *
 *     top = max(x)                 and low, the least of x, which costs nothing (reduce_bits.c)
 *     e = exp(x - top)       ->    if top - low <= 20: a loop with exp of [-20, 0]
 *                                  else:               a loop with exp of [-infinity, 0]
 *
 * The shorter exponential needs no limit, no second scaling and no second part of ln 2: three of
 * the 13 operations (math_exp.c). x - top rounds, but rounding keeps order, and top - low rounds to
 * the same side, so no argument is below -20. A NaN or an infinity among the elements makes top -
 * low infinite or NaN, and the answer no.
 *
 * Elements that a mask leaves out are mostly -infinity. So low is only that of the elements between
 * the places where masks begin and end to hold, and the loop must stay between them; what is
 * outside goes through exp of [-infinity, 0], which gives the same bits from -20 on when the tile
 * is near. So equal elements of a tile become equal exponentials, wherever they stand.
 *
 * Such exponentials, times a scalar of common size, are normal numbers, which AVX2 rounds to bfloat in
 * 6 operations for 16, not 10 (convert.c).
 *
 * Of programs that share a loop (together.c, behind.c), it is the short one if all of them are near.
 * In the other one a tile that is near still leaves out the second part of ln 2, by a selection, so
 * that its bits do not depend on its neighbours.
 */
#include "cpu/spread.h"
#include "cpu/math_build.h"

const struct ir_value *cpu_own_maximum(const struct ir_value *v)
{
    if (!v->op || v->op->code != IR_OP_SUB || v->type.rank == 0)
        return NULL;
    const struct ir_value *x = v->op->operands[0], *top = v->op->operands[1];
    while (top->op && top->op->code == IR_OP_BROADCAST)
        top = top->op->operands[0];
    if (x->op && top->op && x->op->code == IR_OP_CAST && top->op->code == IR_OP_CAST &&
        ir_is_float((enum ir_elem)x->type.elem)) {
        x = x->op->operands[0];
        top = top->op->operands[0];
    }
    bool own = top->op && top->op->code == IR_OP_MAX && top->op->operands[0] == x &&
               top->type.rank == 0 && ir_is_float((enum ir_elem)x->type.elem);
    return own ? top : NULL;
}

static bool mark(struct ir_op *op, void *user)
{
    (void)user;
    const struct ir_value *top = op->code == IR_OP_EXP ? cpu_own_maximum(op->operands[0]) : NULL;
    if (top)
        top->op->attributes.bits = CPU_MAX_SPREAD;
    return true;
}

void cpu_mark_spreads(struct ir_func *func)
{
    ir_walk(func->body, mark, NULL);
}

const struct ir_value *cpu_narrowed_top(struct cpu_emit *e, const struct ir_op *cast,
                                        const struct ir_value **factor)
{
    const struct ir_op *product = cast->code == IR_OP_CAST ? cast->operands[0]->op : NULL;
    if (!product || product->code != IR_OP_MUL || product->results[0]->type.elem != IR_F32 ||
        cast->results[0]->type.elem != IR_BF16 || !cpu_rounds_by_bits(&e->level->features))
        return NULL;
    for (int i = 0; i < 2; i++) {
        const struct ir_op *exp = product->operands[i]->op;
        const struct ir_op *other = product->operands[1 - i]->op;
        if (!exp || exp->code != IR_OP_EXP || !other || other->code != IR_OP_BROADCAST ||
            other->operands[0]->type.rank > 0)
            continue;
        *factor = other->operands[0];
        return cpu_own_maximum(exp->operands[0]);
    }
    return NULL;
}

/* Between 2^-90 and 2^90: times what is between 2^-29 and 1, a normal number below 2^111. */
LLVMValueRef cpu_is_common(struct cpu_emit *e, LLVMValueRef factor)
{
    LLVMValueRef size = mb_abs(&e->math, factor);
    LLVMValueRef least = mb_fcmp(&e->math, LLVMRealOGE, size, mb_const_float(size, 0x1p-90));
    LLVMValueRef most = mb_fcmp(&e->math, LLVMRealOLE, size, mb_const_float(size, 0x1p90));
    return LLVMBuildAnd(e->builder, least, most, "");
}

bool cpu_is_along_lanes(const struct ir_value *v, const struct cpu_position *p)
{
    for (int k = 0; k < v->type.rank; k++) {
        if (k != p->lane && v->type.dims[k] != 1)
            return false;
    }
    return p->lane >= 0;
}

LLVMValueRef cpu_is_near(struct cpu_emit *e, const struct cpu_value *top, LLVMValueRef first,
                         LLVMValueRef end)
{
    LLVMValueRef limit = mb_const_float(top->spread, CPU_EXP_NEAR);
    LLVMValueRef near = LLVMBuildFCmp(e->builder, LLVMRealOLE, top->spread, limit, "");
    LLVMValueRef behind = LLVMBuildICmp(e->builder, LLVMIntSGE, first, top->spread_from, "");
    LLVMValueRef before = LLVMBuildICmp(e->builder, LLVMIntSLE, end, top->spread_to, "");
    near = LLVMBuildAnd(e->builder, near, behind, "");
    return LLVMBuildAnd(e->builder, near, before, "");
}
