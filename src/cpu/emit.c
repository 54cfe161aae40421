/*
 * The code generator's context, and LLVM's builder in short forms.
 *
 * LLVM's builder folds operations on constants, so nothing here tests for them except where a
 * constant decides what is built (a NULL that stands for zero, a loop with a known trip count).
 */
#include "cpu/share.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- context -------------------------------------------------------------------------------- */

struct cpu_value *cpu_value_of(struct cpu_emit *e, const struct ir_value *v)
{
    return &e->values[v->id];
}

void cpu_error(struct cpu_emit *e, const struct ir_op *op, const char *format, ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    struct source_range none = {0};
    diagnostics_add(e->diagnostics, DIAGNOSTIC_ERROR, op ? op->range : none, "%s", message);
    e->failed = true;
}

/* Buffers end in padding, so that a whole vector may be read where only its start is wanted. */
struct cpu_buffer *cpu_buffer_new(struct cpu_emit *e, struct ir_type type)
{
    struct cpu_buffer *buffer = ARENA_NEW(e->arena, struct cpu_buffer);
    buffer->offset = e->scratch_bytes;
    buffer->type = type;
    int64_t bytes = ir_element_count(type) * cpu_memory_bytes(type);
    e->scratch_bytes += (bytes + 63) / 64 * 64 + 64 * cpu_memory_bytes(type);
    e->scratch_bytes = (e->scratch_bytes + 63) / 64 * 64;
    buffer->tile = cpu_share_add(e, e->scratch_bytes - buffer->offset);
    return buffer;
}

LLVMValueRef cpu_alloca(struct cpu_emit *e, LLVMTypeRef type, const char *name)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder);
    LLVMPositionBuilderAtEnd(e->builder, e->entry);
    LLVMValueRef slot = LLVMBuildAlloca(e->builder, type, name);
    LLVMPositionBuilderAtEnd(e->builder, here);
    return slot;
}

LLVMBasicBlockRef cpu_block(struct cpu_emit *e, const char *name)
{
    return LLVMAppendBasicBlockInContext(e->context, e->function, name);
}

/* The dot at the end keeps the line apart from the number by which LLVM makes names unique. */
LLVMBasicBlockRef cpu_op_block(struct cpu_emit *e, const struct ir_op *op)
{
    const char *name = ir_ops[op->code].name;
    if (!op->range.file)
        return cpu_block(e, name);
    int line = source_line_of(&e->line, op->range.file, op->range.begin);
    return cpu_block(e, arena_format(e->arena, "%s.%d.", name, line));
}

unsigned cpu_new_epoch(struct cpu_emit *e)
{
    return e->epoch = ++e->epochs;
}

/* ---- types ---------------------------------------------------------------------------------- */

LLVMTypeRef cpu_vector(LLVMTypeRef element, int lanes)
{
    return lanes == 1 ? element : LLVMVectorType(element, (unsigned)lanes);
}

LLVMTypeRef cpu_register_type(struct cpu_emit *e, struct ir_type type)
{
    return type.pointer ? e->pointer : cpu_elem_type(&e->math, (enum ir_elem)type.elem);
}

LLVMTypeRef cpu_memory_type(struct cpu_emit *e, struct ir_type type)
{
    if (!type.pointer && type.elem == IR_BOOL)
        return e->i8;
    return cpu_register_type(e, type);
}

int64_t cpu_memory_bytes(struct ir_type type)
{
    return type.pointer ? 8 : (int64_t)ir_elem_bytes((enum ir_elem)type.elem);
}

/* ---- values --------------------------------------------------------------------------------- */

LLVMValueRef cpu_i64(struct cpu_emit *e, int64_t value)
{
    return LLVMConstInt(e->i64, (unsigned long long)value, true);
}

LLVMValueRef cpu_constant(struct cpu_emit *e, struct ir_type type, uint64_t bits)
{
    if (type.pointer)
        return LLVMConstIntToPtr(LLVMConstInt(e->i64, bits, false), e->pointer);
    LLVMTypeRef llvm_type = cpu_elem_type(&e->math, (enum ir_elem)type.elem);
    unsigned width = type.elem == IR_BOOL ? 1 : ir_elems[type.elem].bits;
    LLVMTypeRef integer = LLVMIntTypeInContext(e->context, width);
    return LLVMConstBitCast(LLVMConstInt(integer, bits, false), llvm_type);
}

LLVMValueRef cpu_splat(struct cpu_emit *e, LLVMValueRef scalar, int lanes)
{
    if (lanes == 1)
        return scalar;
    if (LLVMIsConstant(scalar) && !LLVMIsUndef(scalar)) {
        LLVMValueRef *all = ARENA_ARRAY(e->arena, LLVMValueRef, (size_t)lanes);
        for (int i = 0; i < lanes; i++)
            all[i] = scalar;
        return LLVMConstVector(all, (unsigned)lanes);
    }
    LLVMTypeRef type = cpu_vector(LLVMTypeOf(scalar), lanes);
    LLVMValueRef one = LLVMBuildInsertElement(e->builder, LLVMGetPoison(type), scalar,
                                              LLVMConstInt(e->i32, 0, false), "");
    LLVMValueRef zeros = LLVMConstNull(cpu_vector(e->i32, lanes));
    return LLVMBuildShuffleVector(e->builder, one, LLVMGetPoison(type), zeros, "");
}

LLVMValueRef cpu_spread(struct cpu_emit *e, struct cpu_element element)
{
    return element.vector ? element.v : cpu_splat(e, element.v, e->body.lanes);
}

LLVMValueRef cpu_iota(struct cpu_emit *e, LLVMTypeRef element, int lanes)
{
    if (lanes == 1)
        return LLVMConstNull(element);
    LLVMValueRef *all = ARENA_ARRAY(e->arena, LLVMValueRef, (size_t)lanes);
    for (int i = 0; i < lanes; i++)
        all[i] = LLVMConstInt(element, (unsigned long long)i, false);
    return LLVMConstVector(all, (unsigned)lanes);
}

LLVMValueRef cpu_intrinsic(struct cpu_emit *e, const char *name, int overload_count,
                           LLVMTypeRef *overloads, int operand_count, LLVMValueRef *operands)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef function =
        LLVMGetIntrinsicDeclaration(e->module, id, overloads, (size_t)overload_count);
    return LLVMBuildCall2(e->builder, LLVMGlobalGetValueType(function), function, operands,
                          (unsigned)operand_count, "");
}

bool cpu_is_constant(LLVMValueRef v, int64_t *value)
{
    if (!LLVMIsAConstantInt(v))
        return false;
    *value = LLVMConstIntGetSExtValue(v);
    return true;
}

static bool is_zero(LLVMValueRef v)
{
    int64_t value;
    return !v || (cpu_is_constant(v, &value) && value == 0);
}

LLVMValueRef cpu_add(struct cpu_emit *e, LLVMValueRef a, LLVMValueRef b)
{
    if (is_zero(a))
        return b ? b : a;
    return is_zero(b) ? a : LLVMBuildAdd(e->builder, a, b, "");
}

LLVMValueRef cpu_mul(struct cpu_emit *e, LLVMValueRef a, LLVMValueRef b)
{
    if (!a || !b)
        return NULL;
    int64_t value;
    if (cpu_is_constant(a, &value) && value == 1)
        return b;
    if (cpu_is_constant(b, &value) && value == 1)
        return a;
    return LLVMBuildMul(e->builder, a, b, "");
}

static LLVMValueRef choose_i64(struct cpu_emit *e, LLVMIntPredicate keep_a, LLVMValueRef a,
                               LLVMValueRef b)
{
    if (a == b)
        return a;
    LLVMValueRef condition = LLVMBuildICmp(e->builder, keep_a, a, b, "");
    return LLVMBuildSelect(e->builder, condition, a, b, "");
}

LLVMValueRef cpu_magnitude(struct cpu_emit *e, LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    LLVMValueRef operands[] = {v, LLVMConstInt(e->i1, 0, false)};
    return cpu_intrinsic(e, "llvm.abs", 1, &type, 2, operands);
}

LLVMValueRef cpu_min_i64(struct cpu_emit *e, LLVMValueRef a, LLVMValueRef b)
{
    return choose_i64(e, LLVMIntSLT, a, b);
}

LLVMValueRef cpu_max_i64(struct cpu_emit *e, LLVMValueRef a, LLVMValueRef b)
{
    return choose_i64(e, LLVMIntSGT, a, b);
}

void cpu_set_align(LLVMValueRef access, int64_t bytes)
{
    LLVMSetAlignment(access, (unsigned)bytes);
}

/* ---- loops ---------------------------------------------------------------------------------- */

static void begin_loop(struct cpu_emit *e, struct cpu_loop *loop, LLVMValueRef from, LLVMValueRef to,
                       int64_t step, bool sure)
{
    loop->to = to;
    loop->step = cpu_i64(e, step);
    loop->head = e->loop_of ? cpu_op_block(e, e->loop_of) : cpu_block(e, "loop");
    loop->exit = cpu_block(e, "done");
    loop->before = LLVMGetInsertBlock(e->builder);
    LLVMValueRef any = sure ? NULL : LLVMBuildICmp(e->builder, LLVMIntSLT, from, to, "");
    int64_t known;
    if (sure || (cpu_is_constant(any, &known) && known != 0))
        LLVMBuildBr(e->builder, loop->head);
    else
        LLVMBuildCondBr(e->builder, any, loop->head, loop->exit);
    LLVMPositionBuilderAtEnd(e->builder, loop->head);
    loop->index = LLVMBuildPhi(e->builder, e->i64, "");
    LLVMAddIncoming(loop->index, &from, &loop->before, 1);
}

void cpu_loop_begin(struct cpu_emit *e, struct cpu_loop *loop, LLVMValueRef from, LLVMValueRef to,
                    int64_t step)
{
    begin_loop(e, loop, from, to, step, false);
}

void cpu_loop_enter(struct cpu_emit *e, struct cpu_loop *loop, LLVMValueRef from, LLVMValueRef to,
                    int64_t step)
{
    begin_loop(e, loop, from, to, step, true);
}

void cpu_loop_end(struct cpu_emit *e, struct cpu_loop *loop)
{
    LLVMValueRef next = LLVMBuildAdd(e->builder, loop->index, loop->step, "");
    LLVMSetNSW(next, true);
    LLVMValueRef more = LLVMBuildICmp(e->builder, LLVMIntSLT, next, loop->to, "");
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(e->builder);
    LLVMBuildCondBr(e->builder, more, loop->head, loop->exit);
    LLVMAddIncoming(loop->index, &next, &latch, 1);
    LLVMPositionBuilderAtEnd(e->builder, loop->exit);
}
