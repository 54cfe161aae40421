/*
 * Atomics: one LLVM atomic instruction per element, lane after lane, behind a branch on its mask.
 *
 * Integers have instructions for all of them; floats go through a compare-and-exchange loop, so
 * that max and min keep the language's order of NaN and zeros. All are sequentially consistent
 * with each other where it costs nothing (x86) and relaxed in what they promise: programs of a
 * launch have no order.
 */
#include "cpu/collect.h"

static LLVMTypeRef bits_type(struct cpu_emit *e, struct ir_type type)
{
    return LLVMIntTypeInContext(e->context, (unsigned)cpu_memory_bytes(type) * 8);
}

/* Registers to the integer that lies in memory, and back. */
static LLVMValueRef to_bits(struct cpu_emit *e, struct ir_type type, LLVMValueRef v)
{
    return LLVMBuildBitCast(e->builder, cpu_to_memory(e, type, v), bits_type(e, type), "");
}

static LLVMValueRef from_bits(struct cpu_emit *e, struct ir_type type, LLVMValueRef bits)
{
    LLVMValueRef v = LLVMBuildBitCast(e->builder, bits, cpu_memory_type(e, type), "");
    return cpu_from_memory(e, type, v);
}

/* The instruction of an op: of signed elements, and of all others. */
static const struct {
    LLVMAtomicRMWBinOp is_signed, other;
} instructions[IR_OP_COUNT] = {
    [IR_OP_ATOMIC_ADD] = {LLVMAtomicRMWBinOpAdd, LLVMAtomicRMWBinOpAdd},
    [IR_OP_ATOMIC_MAX] = {LLVMAtomicRMWBinOpMax, LLVMAtomicRMWBinOpUMax},
    [IR_OP_ATOMIC_MIN] = {LLVMAtomicRMWBinOpMin, LLVMAtomicRMWBinOpUMin},
    [IR_OP_ATOMIC_AND] = {LLVMAtomicRMWBinOpAnd, LLVMAtomicRMWBinOpAnd},
    [IR_OP_ATOMIC_OR] = {LLVMAtomicRMWBinOpOr, LLVMAtomicRMWBinOpOr},
    [IR_OP_ATOMIC_XOR] = {LLVMAtomicRMWBinOpXor, LLVMAtomicRMWBinOpXor},
    [IR_OP_ATOMIC_XCHG] = {LLVMAtomicRMWBinOpXchg, LLVMAtomicRMWBinOpXchg},
};

static bool direct_operation(const struct ir_op *op, enum ir_elem elem, LLVMAtomicRMWBinOp *result)
{
    *result = ir_is_signed(elem) ? instructions[op->code].is_signed : instructions[op->code].other;
    return !ir_is_float(elem) || op->code == IR_OP_ATOMIC_XCHG;
}

/* What a float atomic stores over the old value. */
static LLVMValueRef float_update(struct cpu_emit *e, const struct ir_op *op, enum ir_elem elem,
                                 LLVMValueRef old, LLVMValueRef v)
{
    if (op->code == IR_OP_ATOMIC_MAX)
        return cpu_minmax(&e->math, CPU_MAXIMUM, elem, old, v);
    if (op->code == IR_OP_ATOMIC_MIN)
        return cpu_minmax(&e->math, CPU_MINIMUM, elem, old, v);
    if (elem == IR_F32 || elem == IR_F64)
        return LLVMBuildFAdd(e->builder, old, v, "");
    LLVMValueRef x = cpu_convert(&e->math, old, elem, IR_F32);
    LLVMValueRef y = cpu_convert(&e->math, v, elem, IR_F32);
    return cpu_convert(&e->math, LLVMBuildFAdd(e->builder, x, y, ""), IR_F32, elem);
}

/* Returns the old value's bits. */
static LLVMValueRef exchange_loop(struct cpu_emit *e, const struct ir_op *op, struct ir_type type,
                                  LLVMValueRef pointer, LLVMValueRef v)
{
    LLVMTypeRef bits = bits_type(e, type);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->builder);
    LLVMBasicBlockRef again = cpu_block(e, "again"), done = cpu_block(e, "stored");
    LLVMValueRef first = LLVMBuildLoad2(e->builder, bits, pointer, "");
    LLVMSetOrdering(first, LLVMAtomicOrderingMonotonic);
    cpu_set_align(first, cpu_memory_bytes(type));
    LLVMBuildBr(e->builder, again);
    LLVMPositionBuilderAtEnd(e->builder, again);
    LLVMValueRef old = LLVMBuildPhi(e->builder, bits, "");
    LLVMAddIncoming(old, &first, &before, 1);
    LLVMValueRef update = float_update(e, op, (enum ir_elem)type.elem, from_bits(e, type, old), v);
    LLVMValueRef pair = LLVMBuildAtomicCmpXchg(e->builder, pointer, old, to_bits(e, type, update),
                                               LLVMAtomicOrderingAcquireRelease,
                                               LLVMAtomicOrderingMonotonic, false);
    LLVMValueRef seen = LLVMBuildExtractValue(e->builder, pair, 0, "");
    LLVMValueRef stored = LLVMBuildExtractValue(e->builder, pair, 1, "");
    LLVMBasicBlockRef end = LLVMGetInsertBlock(e->builder);
    LLVMAddIncoming(old, &seen, &end, 1);
    LLVMBuildCondBr(e->builder, stored, done, again);
    LLVMPositionBuilderAtEnd(e->builder, done);
    return old;
}

void cpu_float_atomic(struct cpu_emit *e, const struct ir_op *op, LLVMValueRef pointer,
                      LLVMValueRef v)
{
    exchange_loop(e, op, ir_scalar((enum ir_elem)op->operands[0]->type.elem), pointer, v);
}

/* One atomic on one element; returns the old value. values: v, or expected and v. */
static LLVMValueRef atomic_element(struct cpu_emit *e, const struct ir_op *op, LLVMValueRef pointer,
                                   LLVMValueRef *values)
{
    struct ir_type type = ir_scalar((enum ir_elem)op->operands[0]->type.elem);
    LLVMAtomicRMWBinOp operation;
    LLVMValueRef old;
    if (op->code == IR_OP_ATOMIC_CAS) {
        LLVMValueRef expected = to_bits(e, type, values[0]), wanted = to_bits(e, type, values[1]);
        LLVMValueRef pair = LLVMBuildAtomicCmpXchg(e->builder, pointer, expected, wanted,
                                                   LLVMAtomicOrderingAcquireRelease,
                                                   LLVMAtomicOrderingMonotonic, false);
        old = LLVMBuildExtractValue(e->builder, pair, 0, "");
    } else if (direct_operation(op, (enum ir_elem)type.elem, &operation)) {
        old = LLVMBuildAtomicRMW(e->builder, operation, pointer, to_bits(e, type, values[0]),
                                 LLVMAtomicOrderingAcquireRelease, false);
    } else {
        old = exchange_loop(e, op, type, pointer, values[0]);
    }
    return from_bits(e, type, old);
}

static int value_count(const struct ir_op *op)
{
    return op->code == IR_OP_ATOMIC_CAS ? 2 : 1;
}

/* The same where a condition holds; 0 elsewhere. */
static LLVMValueRef atomic_where(struct cpu_emit *e, const struct ir_op *op, LLVMValueRef condition,
                                 LLVMValueRef pointer, LLVMValueRef *values)
{
    if (cpu_collect_add(e, op, condition, pointer, values[0]))
        return LLVMConstNull(LLVMTypeOf(values[0])); /* which nobody uses */
    if (!condition)
        return atomic_element(e, op, pointer, values);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->builder);
    LLVMBasicBlockRef run = cpu_block(e, "atomic"), on = cpu_block(e, "on");
    LLVMBuildCondBr(e->builder, condition, run, on);
    LLVMPositionBuilderAtEnd(e->builder, run);
    LLVMValueRef old = atomic_element(e, op, pointer, values);
    LLVMBasicBlockRef end = LLVMGetInsertBlock(e->builder);
    LLVMBuildBr(e->builder, on);
    LLVMPositionBuilderAtEnd(e->builder, on);
    LLVMValueRef result = LLVMBuildPhi(e->builder, LLVMTypeOf(old), "");
    LLVMValueRef none = LLVMConstNull(LLVMTypeOf(old));
    LLVMAddIncoming(result, &none, &before, 1);
    LLVMAddIncoming(result, &old, &end, 1);
    return result;
}

LLVMValueRef cpu_atomic_scalar(struct cpu_emit *e, const struct ir_op *op)
{
    LLVMValueRef values[2], condition = NULL;
    int count = value_count(op);
    for (int i = 0; i < count; i++)
        values[i] = cpu_value_of(e, op->operands[1 + i])->scalar;
    if (op->operand_count > 1 + count)
        condition = cpu_value_of(e, op->operands[1 + count])->scalar;
    return atomic_where(e, op, condition, cpu_value_of(e, op->operands[0])->scalar, values);
}

/* A vector in stack memory, so that a loop over lanes can pick one element; or a scalar. */
struct lane_array {
    LLVMValueRef slot, scalar; /* one of them is NULL */
    LLVMTypeRef unit;
    struct ir_type type;
};

static struct lane_array spill(struct cpu_emit *e, struct ir_type type, struct cpu_element element)
{
    struct lane_array a = {.type = type, .unit = cpu_memory_type(e, type)};
    a.type.rank = 0;
    if (!element.vector) {
        a.scalar = element.v;
        return a;
    }
    LLVMValueRef vector = cpu_to_memory(e, a.type, element.v);
    a.slot = cpu_alloca(e, LLVMTypeOf(vector), "lanes");
    LLVMBuildStore(e->builder, vector, a.slot);
    return a;
}

static LLVMValueRef lane_place(struct cpu_emit *e, const struct lane_array *a, LLVMValueRef lane)
{
    return LLVMBuildGEP2(e->builder, a->unit, a->slot, &lane, 1, "");
}

static LLVMValueRef lane_load(struct cpu_emit *e, const struct lane_array *a, LLVMValueRef lane)
{
    if (a->scalar)
        return a->scalar;
    LLVMValueRef v = LLVMBuildLoad2(e->builder, a->unit, lane_place(e, a, lane), "");
    return cpu_from_memory(e, a->type, v);
}

/* All lanes of a position in order. Old values go to the result's buffer, if there is one. */
static void atomic_lanes(struct cpu_emit *e, const struct ir_op *op, const struct cpu_position *p,
                         struct cpu_element *in, struct cpu_element mask,
                         const struct cpu_buffer *result)
{
    int count = value_count(op);
    struct lane_array arrays[3], mask_array, old_array;
    for (int i = 0; i <= count; i++)
        arrays[i] = spill(e, op->operands[i]->type, in[i]);
    if (mask.v)
        mask_array = spill(e, ir_scalar(IR_BOOL), mask);
    struct ir_type type = ir_scalar((enum ir_elem)op->operands[0]->type.elem);
    LLVMValueRef zero = LLVMConstNull(cpu_register_type(e, type));
    if (result)
        old_array = spill(e, type, (struct cpu_element){cpu_splat(e, zero, e->body.lanes), true});
    struct cpu_loop loop;
    cpu_loop_begin(e, &loop, cpu_i64(e, 0), cpu_i64(e, e->body.lanes), 1);
    LLVMValueRef values[2], condition = mask.v ? lane_load(e, &mask_array, loop.index) : NULL;
    LLVMValueRef pointer = lane_load(e, &arrays[0], loop.index);
    for (int i = 0; i < count; i++)
        values[i] = lane_load(e, &arrays[1 + i], loop.index);
    LLVMValueRef old = atomic_where(e, op, condition, pointer, values);
    if (result) {
        LLVMValueRef place = lane_place(e, &old_array, loop.index);
        LLVMBuildStore(e->builder, cpu_to_memory(e, type, old), place);
    }
    cpu_loop_end(e, &loop);
    if (!result)
        return;
    LLVMTypeRef vector = cpu_vector(old_array.unit, e->body.lanes);
    LLVMValueRef all = LLVMBuildLoad2(e->builder, vector, old_array.slot, "");
    cpu_buffer_write(e, result, p, (struct cpu_element){cpu_from_memory(e, type, all), true});
}

void cpu_atomic(struct cpu_emit *e, const struct ir_op *op, const struct cpu_position *p,
                const struct cpu_buffer *result)
{
    struct cpu_element in[3] = {{0}}, mask = {0};
    int count = value_count(op);
    for (int i = 0; i <= count; i++)
        in[i] = cpu_element_of(e, op->operands[i], p);
    if (op->operand_count > 1 + count)
        mask = cpu_element_of(e, op->operands[1 + count], p);
    int64_t known;
    if (mask.v && !mask.vector && cpu_is_constant(mask.v, &known) && known != 0)
        mask.v = NULL;
    if (p->lane < 0) {
        LLVMValueRef values[2] = {in[1].v, in[2].v};
        LLVMValueRef old = atomic_where(e, op, mask.v, in[0].v, values);
        if (result)
            cpu_buffer_write(e, result, p, (struct cpu_element){old, false});
        return;
    }
    if (e->body.active) {
        struct cpu_element active = {e->body.active, true};
        if (mask.v)
            active.v = LLVMBuildAnd(e->builder, cpu_spread(e, mask), active.v, "");
        mask = active;
    }
    LLVMBasicBlockRef done =
        cpu_collect_lanes(e, op, in[0], in[1], mask.v ? cpu_spread(e, mask) : NULL);
    atomic_lanes(e, op, p, in, mask, result);
    if (done) {
        LLVMBuildBr(e->builder, done);
        LLVMPositionBuilderAtEnd(e->builder, done);
    }
}
