/*
 * Sums of bytes, and of how far bytes are from each other:
 *
 *     sum(load(X + i))                            an average, a checksum
 *     sum(abs(load(X + i) - load(Y + i)))         which piece of a picture is most like another
 *
 * As ints, each vector of bytes becomes four. x86 has an instruction for both, vpsadbw: of each
 * eight bytes of two vectors the sum of their distances, in 64 bits, of which the upper ones are
 * zero, so that they can be added as ints. Sums of ints wrap, so that their order is free. Of bytes
 * alone it is the distance from zero.
 */
#include "cpu/reduce_parts.h"

enum { LEAST_BYTES = 16 };

/* What makes the value here, whatever its sign. */
static const struct ir_op *made_by(struct cpu_emit *e, const struct ir_value *v)
{
    const struct ir_op *op = cpu_value_of(e, v)->buffer ? NULL : v->op;
    bool turns = op && op->code == IR_OP_CAST && op->operands[0]->type.elem == IR_I32 &&
                 v->type.elem == IR_U32;
    return turns ? made_by(e, op->operands[0]) : op;
}

/* The bytes that an op makes ints of, or NULL. */
static struct ir_value *bytes_of(const struct ir_op *op)
{
    bool is = op && op->code == IR_OP_CAST && op->operands[0]->type.elem == IR_U8 &&
              op->operands[0]->type.rank > 0;
    return is ? op->operands[0] : NULL;
}

bool cpu_reduction_bytes(struct cpu_emit *e, const struct ir_op *op, struct ir_value *bytes[2])
{
    const struct ir_value *summed = op->operands[0];
    enum ir_elem elem = (enum ir_elem)summed->type.elem;
    const struct ir_op *made = op->code == IR_OP_SUM ? made_by(e, summed) : NULL;
    if (!made || !e->level->features.avx2 || (elem != IR_I32 && elem != IR_U32) ||
        (op->attributes.axis >= 0 && op->attributes.axis != summed->type.rank - 1))
        return false;
    bytes[0] = bytes_of(made);
    bytes[1] = NULL;
    if (bytes[0])
        return true;
    const struct ir_op *apart = made->code == IR_OP_ABS && summed->type.elem == IR_I32
                                    ? made_by(e, made->operands[0])
                                    : NULL;
    if (!apart || apart->code != IR_OP_SUB)
        return false;
    for (int i = 0; i < 2; i++)
        bytes[i] = bytes_of(made_by(e, apart->operands[i]));
    return bytes[0] && bytes[1];
}

bool cpu_reduction_adds_bytes(struct cpu_emit *e, const struct ir_op *op, int lanes)
{
    struct ir_value *bytes[2];
    return lanes >= LEAST_BYTES && cpu_reduction_bytes(e, op, bytes);
}

/* sum + the distances of a's and b's bytes, of which there are four times as many as ints. */
static LLVMValueRef add_distances(struct cpu_emit *e, LLVMValueRef sum, LLVMValueRef a,
                                  LLVMValueRef b)
{
    int lanes = cpu_width_of(a);
    const char *name = lanes == 64   ? "llvm.x86.avx512.psad.bw.512"
                       : lanes == 32 ? "llvm.x86.avx2.psad.bw"
                                     : "llvm.x86.sse2.psad.bw";
    LLVMValueRef operands[] = {a, b};
    LLVMValueRef distances = cpu_intrinsic(e, name, 0, NULL, 2, operands);
    distances = LLVMBuildBitCast(e->builder, distances, LLVMTypeOf(sum), "");
    return LLVMBuildAdd(e->builder, sum, distances, "");
}

void cpu_bytes_step(struct cpu_emit *e, struct cpu_sink *sink, const struct cpu_position *p)
{
    LLVMValueRef v[2];
    LLVMValueRef none = LLVMConstNull(cpu_vector(e->i8, e->body.lanes));
    struct ir_value *bytes[2];
    cpu_reduction_bytes(e, sink->op, bytes);
    for (int i = 0; i < 2; i++) {
        v[i] = bytes[i] ? cpu_spread(e, cpu_element_of(e, bytes[i], p)) : none;
        v[i] = cpu_only_active(e, v[i], none);
    }
    cpu_add_slices(e, sink->state, v, add_distances);
}
