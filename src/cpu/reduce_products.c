/*
 * Sums of products of bytes and shorts, in pairs:
 *
 *     int q = load(Q + i), v = load(V + i);      numbers of 16 bits, as ranges prove
 *     sum(q * v)                                 partial[k] += q[2k] * v[2k] + q[2k + 1] * v[2k +
 * 1]
 *
 * As ints, each product takes a lane of 32 bits. Instead both factors stay in 16, twice as many in
 * a vector, and one instruction (x86's vpmaddwd) multiplies them and adds each two products. Sums
 * of ints wrap, so that their order is free; of the one pair whose sum has no int, four times
 * -32768, the instruction gives -2^31, which is that sum wrapped. LLVM finds the instruction by
 * itself only before a sum that ends in one number.
 */
#include "cpu/dot_units.h"
#include "cpu/math_build.h"
#include "cpu/reduce_parts.h"
#include "cpu/small.h"

static bool is_int(const struct ir_value *v)
{
    return v->type.elem == IR_I32 || v->type.elem == IR_U32;
}

/* What makes the value's bits here, whatever their sign. */
static const struct ir_op *made_by(struct cpu_emit *e, const struct ir_value *v)
{
    const struct ir_op *op = cpu_value_of(e, v)->buffer ? NULL : v->op;
    bool turns = op && op->code == IR_OP_CAST && is_int(v) && is_int(op->operands[0]);
    return turns ? made_by(e, op->operands[0]) : op;
}

const struct ir_op *cpu_reduction_product(struct cpu_emit *e, const struct ir_op *op)
{
    const struct ir_value *summed = op->operands[0];
    const struct ir_op *product = op->code == IR_OP_SUM ? made_by(e, summed) : NULL;
    if (!product || product->code != IR_OP_MUL ||
        (op->attributes.axis >= 0 && op->attributes.axis != summed->type.rank - 1))
        return NULL;
    for (int i = 0; i < 2; i++) {
        if (!cpu_is_of_shorts(e, product->operands[i]))
            return NULL;
    }
    return product;
}

/* sum + the products of a's and b's lanes, of which there are twice as many. */
static LLVMValueRef add_products(struct cpu_emit *e, LLVMValueRef sum, LLVMValueRef a,
                                 LLVMValueRef b)
{
    LLVMTypeRef ints = LLVMTypeOf(sum);
    LLVMValueRef v[] = {a, b};
    if (!e->level->features.neon) {
        for (int i = 0; i < 2; i++)
            v[i] = LLVMBuildBitCast(e->builder, v[i], ints, "");
        return cpu_unit_multiply(e, CPU_UNIT_WORDS, v[0], v[1], sum);
    }
    unsigned count = (unsigned)cpu_width_of(sum);
    for (unsigned half = 0; half < 2; half++) { /* smlal, smlal2 */
        LLVMValueRef x[2];
        for (int i = 0; i < 2; i++)
            x[i] =
                LLVMBuildSExt(e->builder, mb_slice(&e->math, v[i], half * count, count), ints, "");
        sum = LLVMBuildAdd(e->builder, sum, LLVMBuildMul(e->builder, x[0], x[1], ""), "");
    }
    return sum;
}

void cpu_products_step(struct cpu_emit *e, struct cpu_sink *sink, const struct cpu_position *p)
{
    const struct ir_op *product = cpu_reduction_product(e, sink->op);
    LLVMValueRef v[2];
    for (int i = 0; i < 2; i++)
        v[i] = cpu_spread(e, cpu_short_element(e, product->operands[i], p));
    v[0] = cpu_only_active(e, v[0], LLVMConstNull(LLVMTypeOf(v[0])));
    cpu_add_slices(e, sink->state, v, add_products);
}
