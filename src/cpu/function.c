/*
 * Whole functions: a kernel variant with its loop over programs, and the host functions.
 *
 * A program's place on the grid is carried along by counting; only the first one of a call is
 * found by division, and not even that where the call starts in the first row of the grid.
 */
#include "cpu/collect.h"
#include "cpu/matrix.h"
#include "cpu/share.h"

#include <string.h>

/* ---- pieces --------------------------------------------------------------------------------- */

static void add_text_attribute(struct cpu_emit *e, const char *name, const char *value)
{
    LLVMAttributeRef attribute =
        LLVMCreateStringAttribute(e->context, name, (unsigned)strlen(name), value,
                                  (unsigned)strlen(value));
    LLVMAddAttributeAtIndex(e->function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, attribute);
}

static void add_attribute(struct cpu_emit *e, LLVMAttributeIndex where, const char *name)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(e->function, where, LLVMCreateEnumAttribute(e->context, kind, 0));
}

void cpu_function_begin(struct cpu_emit *e, const struct ir_func *func, const char *symbol,
                        LLVMTypeRef type)
{
    e->func = func;
    e->function = LLVMAddFunction(e->module, symbol, type);
    add_text_attribute(e, "target-cpu", e->level->llvm_cpu);
    add_text_attribute(e, "target-features", e->level->llvm_features);
    add_text_attribute(e, "prefer-vector-width", "512");
    add_attribute(e, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "nounwind");
    e->entry = cpu_block(e, "entry");
    e->body = (struct cpu_body){.lanes = 1};
    e->loop_of = NULL;
    cpu_new_epoch(e);
}

void cpu_function_values(struct cpu_emit *e, const struct ir_func *func)
{
    e->func = func;
    e->value_count = ir_value_count(func->body);
    e->values = ARENA_ARRAY(e->arena, struct cpu_value, (size_t)e->value_count);
    e->together = 1;
    e->behind = false;
    e->collected_count = 0;
    e->written.known = false;
    e->written.count = 0;
    e->programs[0].values = e->values;
}

/* Closes the block of allocas, which grew until now. */
void cpu_function_end(struct cpu_emit *e, LLVMBasicBlockRef start)
{
    LLVMPositionBuilderAtEnd(e->builder, e->entry);
    LLVMBuildBr(e->builder, start);
}

LLVMValueRef cpu_word(struct cpu_emit *e, LLVMValueRef array, int index, LLVMTypeRef type)
{
    LLVMValueRef offset = cpu_i64(e, index);
    LLVMValueRef place = LLVMBuildGEP2(e->builder, e->i64, array, &offset, 1, "");
    LLVMValueRef load = LLVMBuildLoad2(e->builder, type, place, "");
    cpu_set_align(load, 8);
    return load;
}

/* A parameter out of the array of arguments: 64 bits each. */
static LLVMValueRef argument(struct cpu_emit *e, LLVMValueRef array, int index, struct ir_type type)
{
    if (type.pointer)
        return cpu_word(e, array, index, e->pointer);
    LLVMValueRef bits = cpu_word(e, array, index, e->i64);
    LLVMTypeRef target = cpu_register_type(e, type);
    if (type.elem == IR_BOOL)
        return LLVMBuildICmp(e->builder, LLVMIntNE, bits, cpu_i64(e, 0), "");
    unsigned width = ir_elems[type.elem].bits;
    if (width < 64)
        bits = LLVMBuildTrunc(e->builder, bits, LLVMIntTypeInContext(e->context, width), "");
    return LLVMBuildBitCast(e->builder, bits, target, "");
}

void cpu_function_parameters(struct cpu_emit *e, const struct ir_func *func, LLVMValueRef array)
{
    for (int i = 0; i < func->parameter_count; i++)
        cpu_value_of(e, func->body->arguments[i])->scalar =
            argument(e, array, i, func->parameters[i].type);
}

/* ---- kernels -------------------------------------------------------------------------------- */

struct program_loop {
    int axes; /* of the grid along which the place is known: what the kernel asks for */
    LLVMValueRef begin, end, id, first[3], next[3], next_id;
    LLVMValueRef before[3]; /* behind.c: the program of the round before */
    LLVMBasicBlockRef head, done;
};

/* An assert and a print tell which program they are of. */
static bool find_axes(struct ir_op *op, void *user)
{
    int *axes = user;
    if (op->code == IR_OP_PROGRAM_ID && op->attributes.axis >= *axes)
        *axes = op->attributes.axis + 1;
    if (op->code == IR_OP_ASSERT || op->code == IR_OP_PRINT)
        *axes = 3;
    return true;
}

/* The place of program `begin`: a branch spares the divisions where it is (begin, 0, 0). */
static void first_program(struct cpu_emit *e, struct program_loop *loop)
{
    for (int k = loop->axes; k < 3; k++)
        e->program[k] = loop->first[k] = loop->next[k] = loop->before[k] = cpu_i64(e, 0);
    if (loop->axes == 0)
        return;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder);
    LLVMBasicBlockRef divide = cpu_block(e, "divide"), start = cpu_block(e, "programs");
    LLVMValueRef row = LLVMBuildICmp(e->builder, LLVMIntSLT, loop->begin, e->grid[0], "");
    LLVMBuildCondBr(e->builder, row, start, divide);
    LLVMPositionBuilderAtEnd(e->builder, divide);
    LLVMValueRef left = loop->begin, divided[3];
    for (int k = 0; k < loop->axes; k++) {
        divided[k] = k == 2 ? left : LLVMBuildURem(e->builder, left, e->grid[k], "");
        if (k + 1 < loop->axes)
            left = LLVMBuildUDiv(e->builder, left, e->grid[k], "");
    }
    LLVMBuildBr(e->builder, start);
    LLVMPositionBuilderAtEnd(e->builder, start);
    LLVMValueRef direct[] = {loop->begin, cpu_i64(e, 0), cpu_i64(e, 0)};
    for (int k = 0; k < loop->axes; k++) {
        loop->first[k] = LLVMBuildPhi(e->builder, e->i64, "");
        LLVMAddIncoming(loop->first[k], &direct[k], &here, 1);
        LLVMAddIncoming(loop->first[k], &divided[k], &divide, 1);
    }
}

/* Counts on by one program. */
static void next_program(struct cpu_emit *e, const struct program_loop *loop, LLVMValueRef *next)
{
    LLVMValueRef carry = cpu_i64(e, 1);
    for (int k = 0; k < loop->axes; k++) {
        LLVMValueRef up = LLVMBuildAdd(e->builder, e->program[k], carry, "");
        LLVMValueRef full = LLVMBuildICmp(e->builder, LLVMIntEQ, up, e->grid[k], "");
        next[k] = k < 2 ? LLVMBuildSelect(e->builder, full, cpu_i64(e, 0), up, "") : up;
        carry = LLVMBuildZExt(e->builder, full, e->i64, "");
    }
}

/* The programs of one round: beyond the last one, the last one again. */
static void place_programs(struct cpu_emit *e, struct program_loop *loop)
{
    for (int i = 0; i < e->together; i++) {
        memcpy(e->programs[i].program, e->program, sizeof e->program);
        LLVMValueRef id = LLVMBuildAdd(e->builder, loop->next_id, cpu_i64(e, 1), "");
        next_program(e, loop, loop->next);
        LLVMValueRef more = LLVMBuildICmp(e->builder, LLVMIntSLT, id, loop->end, "");
        loop->next_id = id;
        for (int k = 0; k < loop->axes && i + 1 < e->together; k++)
            e->program[k] = LLVMBuildSelect(e->builder, more, loop->next[k], e->program[k], "");
    }
    cpu_together_enter(e, 0);
}

/* The program of this round, those of the rounds before and after, and the first round's. There is
 * one round more than programs: in the first, the program before is the same, in the last, the
 * program is once more the last, as the one after it is already in the round before. */
static void place_behind(struct cpu_emit *e, struct program_loop *loop)
{
    next_program(e, loop, loop->next);
    loop->next_id = LLVMBuildAdd(e->builder, loop->id, cpu_i64(e, 1), "");
    LLVMValueRef more = LLVMBuildICmp(e->builder, LLVMIntSLT, loop->next_id, loop->end, "");
    for (int k = 0; k < loop->axes; k++)
        loop->next[k] = LLVMBuildSelect(e->builder, more, loop->next[k], e->program[k], "");
    memcpy(e->programs[CPU_PROGRAM_NOW].program, e->program, sizeof e->program);
    memcpy(e->programs[CPU_PROGRAM_BEFORE].program, loop->before, sizeof loop->before);
    memcpy(e->programs[CPU_PROGRAM_AFTER].program, loop->next, sizeof loop->next);
    memcpy(e->programs[CPU_PROGRAM_FIRST].program, e->program, sizeof e->program);
    e->first_round = LLVMBuildICmp(e->builder, LLVMIntEQ, loop->id, loop->begin, "");
    LLVMValueRef rounds = LLVMBuildSub(e->builder, loop->id, loop->begin, "");
    e->odd = LLVMBuildTrunc(e->builder, rounds, e->i1, "");
}

static void programs_begin(struct cpu_emit *e, struct program_loop *loop,
                           struct cpu_schedule **schedules)
{
    LLVMBasicBlockRef some = cpu_block(e, "some");
    loop->done = cpu_block(e, "return");
    LLVMValueRef any = LLVMBuildICmp(e->builder, LLVMIntSLT, loop->begin, loop->end, "");
    LLVMBuildCondBr(e->builder, any, some, loop->done);
    LLVMPositionBuilderAtEnd(e->builder, some);
    first_program(e, loop);
    cpu_make_once(e);
    cpu_share_mark(e, CPU_MARK_LOOP);
    cpu_together_plan(e, e->func->body, schedules);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->builder);
    loop->head = cpu_block(e, "program");
    e->program_end = cpu_block(e, "next");
    LLVMBuildBr(e->builder, loop->head);
    LLVMPositionBuilderAtEnd(e->builder, loop->head);
    loop->id = LLVMBuildPhi(e->builder, e->i64, "id");
    LLVMAddIncoming(loop->id, &loop->begin, &before, 1);
    for (int k = 0; k < loop->axes; k++) {
        e->program[k] = LLVMBuildPhi(e->builder, e->i64, "pid");
        LLVMAddIncoming(e->program[k], &loop->first[k], &before, 1);
    }
    for (int k = 0; k < loop->axes && e->behind; k++) {
        loop->before[k] = LLVMBuildPhi(e->builder, e->i64, "before");
        LLVMAddIncoming(loop->before[k], &loop->first[k], &before, 1);
    }
    memcpy(loop->first, e->program, sizeof loop->first);
    loop->next_id = loop->id;
    if (e->behind)
        place_behind(e, loop);
    else
        place_programs(e, loop);
}

static void programs_end(struct cpu_emit *e, struct program_loop *loop)
{
    LLVMBasicBlockRef latch = e->program_end;
    LLVMBuildBr(e->builder, latch);
    LLVMPositionBuilderAtEnd(e->builder, latch);
    LLVMValueRef more = LLVMBuildICmp(e->builder, e->behind ? LLVMIntSLE : LLVMIntSLT,
                                      loop->next_id, loop->end, "");
    LLVMBuildCondBr(e->builder, more, loop->head, loop->done);
    LLVMAddIncoming(loop->id, &loop->next_id, &latch, 1);
    for (int k = 0; k < loop->axes; k++)
        LLVMAddIncoming(loop->first[k], &loop->next[k], &latch, 1);
    for (int k = 0; k < loop->axes && e->behind; k++)
        LLVMAddIncoming(loop->before[k], &loop->first[k], &latch, 1);
    LLVMPositionBuilderAtEnd(e->builder, loop->done);
    cpu_share_mark(e, CPU_MARK_REPEAT);
    cpu_collect_end(e);
    cpu_stream_end(e);
    LLVMBuildRetVoid(e->builder);
}

LLVMValueRef cpu_emit_programs(struct cpu_emit *e, const struct ir_func *func, const char *symbol)
{
    LLVMTypeRef types[] = {e->pointer, e->pointer, e->i64, e->i64, e->pointer};
    cpu_function_begin(e, func, symbol, LLVMFunctionType(e->void_type, types, 5, false));
    cpu_function_values(e, func);
    for (LLVMAttributeIndex i = 1; i <= 2; i++) {
        add_attribute(e, i, "noalias");
        add_attribute(e, i, "readonly");
    }
    add_attribute(e, 5, "noalias");
    cpu_stream_begin(e);
    int64_t scratch_before = e->scratch_bytes, apart_before = e->apart_bytes;
    e->scratch_bytes = 0;

    LLVMBasicBlockRef start = cpu_block(e, "start");
    LLVMPositionBuilderAtEnd(e->builder, start);
    e->dummy = cpu_alloca(e, e->i64, "dummy");
    cpu_function_parameters(e, func, LLVMGetParam(e->function, 0));
    for (int k = 0; k < 3; k++)
        e->grid[k] = cpu_word(e, LLVMGetParam(e->function, 1), k, e->i64);
    e->scratch = LLVMGetParam(e->function, 4);
    cpu_share_begin(e);
    cpu_collect_begin(e);
    struct program_loop loop = {.begin = LLVMGetParam(e->function, 2),
                                .end = LLVMGetParam(e->function, 3)};
    ir_walk(func->body, find_axes, &loop.axes);
    struct cpu_schedule *schedules[CPU_MOST_TOGETHER];
    programs_begin(e, &loop, schedules);
    cpu_together_emit(e, schedules);
    programs_end(e, &loop);
    e->apart_bytes = e->scratch_bytes;
    cpu_share_end(e, !e->behind);
    cpu_function_end(e, start);
    if (scratch_before > e->scratch_bytes)
        e->scratch_bytes = scratch_before;
    if (apart_before > e->apart_bytes)
        e->apart_bytes = apart_before;
    return e->function;
}

struct cpu_kernel_facts cpu_emit_kernel(struct cpu_emit *e, const struct ir_func *func,
                                        unsigned variant, const char *symbol)
{
    e->overlap_mattered = e->streaming_mattered = e->streamed = false;
    e->no_overlap = (variant & CPU_VARIANT_NO_OVERLAP) != 0;
    e->streaming = e->reads_once = false;
    e->order = CPU_ORDER_PRODUCT;
    if (cpu_matrix_emit(e, func, variant, symbol))
        return (struct cpu_kernel_facts){e->overlap_mattered, false};
    e->streaming = (variant & CPU_VARIANT_STREAMING) != 0;
    e->order = CPU_ORDER_ALONE;
    cpu_emit_programs(e, func, symbol);
    return (struct cpu_kernel_facts){e->overlap_mattered, e->streaming_mattered};
}

/* ---- host functions ------------------------------------------------------------------------- */

void cpu_emit_host(struct cpu_emit *e, const struct ir_func *func, const char *symbol, int at_least)
{
    LLVMTypeRef types[] = {e->pointer, e->pointer};
    cpu_function_begin(e, func, symbol, LLVMFunctionType(e->void_type, types, 2, false));
    cpu_function_values(e, func);
    LLVMBasicBlockRef start = cpu_block(e, "start");
    LLVMPositionBuilderAtEnd(e->builder, start);
    cpu_function_parameters(e, func, LLVMGetParam(e->function, 0));
    cpu_emit_region(e, func->body, NULL);
    int count = func->result_count > at_least ? func->result_count : at_least;
    for (int i = 0; i < count && !e->failed; i++) {
        LLVMValueRef v = cpu_i64(e, 1), place, offset = cpu_i64(e, i);
        if (i < func->result_count) {
            const struct ir_value *result = func->body->last->operands[i];
            v = cpu_convert(&e->math, cpu_value_of(e, result)->scalar,
                            (enum ir_elem)result->type.elem, IR_I64);
        }
        place = LLVMBuildGEP2(e->builder, e->i64, LLVMGetParam(e->function, 1), &offset, 1, "");
        LLVMBuildStore(e->builder, v, place);
    }
    LLVMBuildRetVoid(e->builder);
    cpu_function_end(e, start);
}

void cpu_emit_require(struct cpu_emit *e, struct ir_func *const *conditions, int count,
                      const char *symbol)
{
    LLVMTypeRef types[] = {e->pointer};
    cpu_function_begin(e, NULL, symbol, LLVMFunctionType(e->i32, types, 1, false));
    LLVMBasicBlockRef start = cpu_block(e, "start");
    LLVMPositionBuilderAtEnd(e->builder, start);
    for (int i = 0; i < count && !e->failed; i++) {
        cpu_function_values(e, conditions[i]);
        cpu_function_parameters(e, conditions[i], LLVMGetParam(e->function, 0));
        cpu_emit_region(e, conditions[i]->body, NULL);
        if (e->failed)
            return;
        LLVMBasicBlockRef fails = cpu_block(e, "fails"), holds = cpu_block(e, "holds");
        LLVMValueRef v = cpu_value_of(e, conditions[i]->body->last->operands[0])->scalar;
        LLVMBuildCondBr(e->builder, v, holds, fails);
        LLVMPositionBuilderAtEnd(e->builder, fails);
        LLVMBuildRet(e->builder, LLVMConstInt(e->i32, (unsigned long long)i, false));
        LLVMPositionBuilderAtEnd(e->builder, holds);
    }
    LLVMBuildRet(e->builder, LLVMConstAllOnes(e->i32));
    cpu_function_end(e, start);
}
