/*
 * Regions, control flow and scalars.
 *
 * Scalars are LLVM values; those that a loop carries live in stack slots that mem2reg turns into
 * registers. Carried tiles live in scratch buffers that the schedule has chosen.
 */
#include "cpu/apart.h"
#include "cpu/schedule.h"
#include "cpu/share.h"
#include "cpu/turn.h"

/* ---- scalar ops ----------------------------------------------------------------------------- */

static LLVMValueRef scalar_of(struct cpu_emit *e, const struct ir_value *v)
{
    return cpu_value_of(e, v)->scalar;
}

static void set_scalar(struct cpu_emit *e, const struct ir_value *v, LLVMValueRef scalar)
{
    cpu_value_of(e, v)->scalar = scalar;
}

static void call_hook(struct cpu_emit *e, unsigned slot, LLVMTypeRef *types, LLVMValueRef *values,
                      unsigned count)
{
    LLVMValueRef front = cpu_i64(e, -8), offset = cpu_i64(e, 8 * (int64_t)slot);
    LLVMValueRef place = LLVMBuildGEP2(e->builder, e->i8, e->scratch, &front, 1, "");
    LLVMValueRef hooks = LLVMBuildLoad2(e->builder, e->pointer, place, "hooks");
    place = LLVMBuildGEP2(e->builder, e->i8, hooks, &offset, 1, "");
    LLVMValueRef function = LLVMBuildLoad2(e->builder, e->pointer, place, "hook");
    values[0] = hooks;
    types[0] = e->pointer;
    LLVMTypeRef type = LLVMFunctionType(e->void_type, types, count, false);
    LLVMBuildCall2(e->builder, type, function, values, count, "");
}

static LLVMValueRef text_constant(struct cpu_emit *e, const char *text)
{
    return LLVMBuildGlobalStringPtr(e->builder, text ? text : "", "text");
}

/* x + grid[0] * (y + grid[1] * z) */
static LLVMValueRef program_number(struct cpu_emit *e)
{
    LLVMValueRef yz = cpu_add(e, e->program[1], cpu_mul(e, e->grid[1], e->program[2]));
    return cpu_add(e, e->program[0], cpu_mul(e, e->grid[0], yz));
}

/* A program whose assert does not hold ends there: what stands behind may rely on it. */
static void emit_assert(struct cpu_emit *e, const struct ir_op *op)
{
    LLVMBasicBlockRef fails = cpu_block(e, "assert"), on = cpu_block(e, "on");
    LLVMBuildCondBr(e->builder, scalar_of(e, op->operands[0]), on, fails);
    LLVMPositionBuilderAtEnd(e->builder, fails);
    LLVMTypeRef types[3] = {NULL, e->pointer, e->i64};
    LLVMValueRef text = text_constant(e, op->attributes.text);
    LLVMValueRef values[3] = {NULL, text, program_number(e)};
    call_hook(e, 0, types, values, 3);
    LLVMBuildBr(e->builder, e->program_end);
    LLVMPositionBuilderAtEnd(e->builder, on);
}

static LLVMValueRef dims_constant(struct cpu_emit *e, struct ir_type type)
{
    LLVMValueRef dims[IR_MAX_RANK];
    for (int k = 0; k < IR_MAX_RANK; k++)
        dims[k] = LLVMConstInt(e->i32, (unsigned long long)type.dims[k], false);
    LLVMValueRef array = LLVMConstArray2(e->i32, dims, IR_MAX_RANK);
    LLVMValueRef global = LLVMAddGlobal(e->module, LLVMTypeOf(array), "dims");
    LLVMSetInitializer(global, array);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    return global;
}

static void emit_print(struct cpu_emit *e, const struct ir_op *op)
{
    struct ir_value *v = op->operands[0];
    LLVMValueRef elements;
    if (v->type.rank > 0) {
        elements = cpu_buffer_pointer(e, cpu_value_of(e, v)->buffer, NULL);
    } else {
        elements = cpu_alloca(e, cpu_memory_type(e, v->type), "printed");
        LLVMBuildStore(e->builder, cpu_to_memory(e, v->type, scalar_of(e, v)), elements);
    }
    int elem = v->type.pointer ? IR_U64 : v->type.elem;
    LLVMTypeRef types[7] = {NULL, e->pointer, e->i64, e->i32, e->i32, e->pointer, e->pointer};
    LLVMValueRef text = text_constant(e, op->attributes.text);
    LLVMValueRef program = program_number(e), dims = dims_constant(e, v->type);
    LLVMValueRef values[7] = {NULL,
                              text,
                              program,
                              LLVMConstInt(e->i32, (unsigned long long)elem, false),
                              LLVMConstInt(e->i32, v->type.rank, false),
                              dims,
                              elements};
    call_hook(e, 1, types, values, 7);
}

/* A scalar taken out of a tile of one or two elements (reshape, split). */
static LLVMValueRef tile_scalar(struct cpu_emit *e, const struct ir_op *op, int index)
{
    const struct ir_value *v = op->operands[0];
    if (v->type.rank == 0)
        return scalar_of(e, v);
    struct cpu_position p = {.rank = v->type.rank, .lane = -1};
    for (int k = 0; k < p.rank; k++)
        p.index[k] = cpu_i64(e, v->type.dims[k] == 2 ? index : 0);
    return cpu_buffer_read(e, cpu_value_of(e, v)->buffer, v->type, &p).v;
}

static void scalar_elementwise(struct cpu_emit *e, const struct ir_op *op)
{
    LLVMValueRef v[3];
    for (int i = 0; i < op->operand_count; i++)
        v[i] = scalar_of(e, op->operands[i]);
    set_scalar(e, op->results[0], cpu_elementwise(e, op, v));
}

void cpu_scalar_op(struct cpu_emit *e, const struct ir_op *op)
{
    static const struct cpu_position nowhere = {.rank = 0, .lane = -1};
    struct ir_value *result = op->result_count ? op->results[0] : NULL;
    if (ir_is_atomic(op)) {
        set_scalar(e, result, cpu_atomic_scalar(e, op));
        return;
    }
    switch (op->code) {
    case IR_OP_CONSTANT:
        set_scalar(e, result, cpu_constant(e, result->type, op->attributes.bits));
        return;
    case IR_OP_PROGRAM_ID:
        set_scalar(e, result, e->program[op->attributes.axis]);
        return;
    case IR_OP_NUM_PROGRAMS:
        set_scalar(e, result, e->grid[op->attributes.axis]);
        return;
    case IR_OP_LOAD:
        set_scalar(e, result, cpu_load(e, op, &nowhere).v);
        return;
    case IR_OP_STORE:
        cpu_store(e, op, &nowhere);
        return;
    case IR_OP_SUM:
    case IR_OP_PROD:
    case IR_OP_MAX:
    case IR_OP_MIN:
    case IR_OP_ANY:
    case IR_OP_ALL:
    case IR_OP_BROADCAST:
    case IR_OP_TRANS:
        set_scalar(e, result, scalar_of(e, op->operands[0]));
        return;
    case IR_OP_ARGMAX:
    case IR_OP_ARGMIN:
        set_scalar(e, result, cpu_i64(e, 0));
        return;
    case IR_OP_RESHAPE:
        set_scalar(e, result, tile_scalar(e, op, 0));
        return;
    case IR_OP_SPLIT:
        for (int i = 0; i < 2; i++)
            set_scalar(e, op->results[i], tile_scalar(e, op, i));
        return;
    case IR_OP_ASSERT:
        emit_assert(e, op);
        return;
    case IR_OP_PRINT:
        emit_print(e, op);
        return;
    default:
        if (ir_has(op, IR_ELEMENTWISE | IR_PURE))
            scalar_elementwise(e, op);
        else
            cpu_error(e, op, "the CPU backend cannot run '%s' on scalars", ir_ops[op->code].name);
        return;
    }
}

/* ---- carried values ------------------------------------------------------------------------- */

/* One slot per carried scalar; buffers of the carried tiles. */
struct carried {
    LLVMValueRef *slots;
    struct cpu_buffer **buffers;
};

static struct carried carried_new(struct cpu_emit *e, struct ir_value *const *values, int count)
{
    struct carried c = {ARENA_ARRAY(e->arena, LLVMValueRef, (size_t)count + 1),
                        ARENA_ARRAY(e->arena, struct cpu_buffer *, (size_t)count + 1)};
    for (int i = 0; i < count; i++) {
        if (values[i]->type.rank == 0)
            c.slots[i] = cpu_alloca(e, cpu_register_type(e, values[i]->type), "carried");
        else
            c.buffers[i] = cpu_value_of(e, values[i])->buffer;
    }
    return c;
}

static void carried_store(struct cpu_emit *e, const struct carried *c,
                          struct ir_value *const *values, int count)
{
    for (int i = 0; i < count; i++) {
        if (c->slots[i])
            LLVMBuildStore(e->builder, scalar_of(e, values[i]), c->slots[i]);
    }
}

/* The values become what the slots hold; the tiles are ready. */
static void carried_load(struct cpu_emit *e, const struct carried *c,
                         struct ir_value *const *values, int count)
{
    for (int i = 0; i < count; i++) {
        if (c->slots[i])
            set_scalar(
                e, values[i],
                LLVMBuildLoad2(e->builder, cpu_register_type(e, values[i]->type), c->slots[i], ""));
        else
            cpu_value_of(e, values[i])->ready = true;
    }
    cpu_new_epoch(e);
}

/* ---- control ops ---------------------------------------------------------------------------- */

/*
 * The trip count is fixed at entry, and neither it nor the counter may overflow: the loop goes on
 * while more than one step is left. A step that is not positive runs nothing.
 */
static void emit_for(struct cpu_emit *e, const struct ir_op *op)
{
    struct ir_region *region = op->regions[0];
    LLVMValueRef lo = scalar_of(e, op->operands[0]), hi = scalar_of(e, op->operands[1]);
    LLVMValueRef step = scalar_of(e, op->operands[2]);
    struct carried c = carried_new(e, region->arguments + 1, op->result_count);
    carried_store(e, &c, op->operands + 3, op->result_count);
    LLVMBasicBlockRef body = cpu_op_block(e, op), done = cpu_block(e, "end");
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->builder);
    LLVMValueRef any = LLVMBuildICmp(e->builder, LLVMIntSLT, lo, hi, "");
    LLVMValueRef forward = LLVMBuildICmp(e->builder, LLVMIntSGT, step, cpu_i64(e, 0), "");
    LLVMValueRef runs = LLVMBuildAnd(e->builder, any, forward, "");
    cpu_share_mark(e, CPU_MARK_LOOP);
    LLVMBuildCondBr(e->builder, runs, body, done);
    LLVMPositionBuilderAtEnd(e->builder, body);
    LLVMValueRef i = LLVMBuildPhi(e->builder, e->i64, "i");
    LLVMAddIncoming(i, &lo, &before, 1);
    set_scalar(e, region->arguments[0], i);
    carried_load(e, &c, region->arguments + 1, op->result_count);
    cpu_emit_region(e, region, c.buffers);
    if (e->failed)
        return;
    carried_store(e, &c, region->last->operands, op->result_count);
    LLVMValueRef left = LLVMBuildSub(e->builder, hi, i, "");
    LLVMValueRef more = LLVMBuildICmp(e->builder, LLVMIntUGT, left, step, "");
    LLVMValueRef next = LLVMBuildAdd(e->builder, i, step, "");
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(e->builder);
    LLVMBuildCondBr(e->builder, more, body, done);
    LLVMAddIncoming(i, &next, &latch, 1);
    LLVMPositionBuilderAtEnd(e->builder, done);
    cpu_share_mark(e, CPU_MARK_REPEAT);
    carried_load(e, &c, op->results, op->result_count);
}

static void emit_if(struct cpu_emit *e, const struct ir_op *op)
{
    struct carried c = carried_new(e, op->results, op->result_count);
    LLVMBasicBlockRef then = cpu_block(e, "then"), other = cpu_block(e, "else");
    LLVMBasicBlockRef blocks[] = {then, other}, done = cpu_block(e, "endif");
    cpu_share_mark(e, CPU_MARK_IF);
    LLVMBuildCondBr(e->builder, scalar_of(e, op->operands[0]), then, other);
    for (int i = 0; i < 2; i++) {
        LLVMPositionBuilderAtEnd(e->builder, blocks[i]);
        cpu_new_epoch(e);
        cpu_emit_region(e, op->regions[i], c.buffers);
        if (e->failed)
            return;
        carried_store(e, &c, op->regions[i]->last->operands, op->result_count);
        if (i == 0)
            cpu_share_mark(e, CPU_MARK_ELSE);
        LLVMBuildBr(e->builder, done);
    }
    LLVMPositionBuilderAtEnd(e->builder, done);
    cpu_share_mark(e, CPU_MARK_ENDIF);
    carried_load(e, &c, op->results, op->result_count);
}

static void emit_while(struct cpu_emit *e, const struct ir_op *op)
{
    struct ir_region *test = op->regions[0], *body = op->regions[1];
    int count = op->operand_count;
    struct carried in = carried_new(e, test->arguments, count);
    struct carried out = carried_new(e, op->results, count);
    carried_store(e, &in, op->operands, count);
    LLVMBasicBlockRef head = cpu_op_block(e, op), run = cpu_block(e, "do");
    LLVMBasicBlockRef done = cpu_block(e, "end");
    cpu_share_mark(e, CPU_MARK_LOOP);
    LLVMBuildBr(e->builder, head);
    LLVMPositionBuilderAtEnd(e->builder, head);
    carried_load(e, &in, test->arguments, count);
    cpu_emit_region(e, test, out.buffers);
    if (e->failed)
        return;
    carried_store(e, &out, test->last->operands + 1, count);
    cpu_share_mark(e, CPU_MARK_LEAVE);
    LLVMBuildCondBr(e->builder, scalar_of(e, test->last->operands[0]), run, done);
    LLVMPositionBuilderAtEnd(e->builder, run);
    carried_load(e, &out, body->arguments, count);
    cpu_emit_region(e, body, in.buffers);
    if (e->failed)
        return;
    carried_store(e, &in, body->last->operands, count);
    LLVMBuildBr(e->builder, head);
    LLVMPositionBuilderAtEnd(e->builder, done);
    cpu_share_mark(e, CPU_MARK_REPEAT);
    carried_load(e, &out, op->results, count);
}

static void emit_control(struct cpu_emit *e, const struct ir_op *op)
{
    if (op->code == IR_OP_FOR)
        emit_for(e, op);
    else if (op->code == IR_OP_IF)
        emit_if(e, op);
    else
        emit_while(e, op);
}

/* ---- regions -------------------------------------------------------------------------------- */

static void emit_copy(struct cpu_emit *e, const struct cpu_step *step)
{
    int64_t bytes = ir_element_count(step->to->type) * cpu_memory_bytes(step->to->type);
    LLVMValueRef from = cpu_buffer_pointer(e, step->from, NULL);
    LLVMValueRef to = cpu_buffer_target(e, step->to, NULL);
    LLVMBuildMemCpy(e->builder, to, 64, from, 64, cpu_i64(e, bytes));
}

static void emit_step(struct cpu_emit *e, struct cpu_step *step)
{
    cpu_share_mark(e, CPU_MARK_STEP);
    switch (step->kind) {
    case CPU_STEP_SCALAR:
        cpu_scalar_op(e, step->op);
        return;
    case CPU_STEP_GROUP:
        if (step->group->asked.count > 0)
            cpu_emit_apart(e, step->group);
        else if (!cpu_emit_turned(e, step->group))
            cpu_emit_group(e, &step->group);
        return;
    case CPU_STEP_COLLECTIVE:
        cpu_emit_collective(e, step->op, step->group);
        cpu_value_of(e, step->op->results[0])->ready = true;
        return;
    case CPU_STEP_CONTROL:
        emit_control(e, step->op);
        return;
    case CPU_STEP_COPY:
        emit_copy(e, step);
        return;
    }
}

void cpu_emit_schedule(struct cpu_emit *e, struct cpu_schedule *schedule)
{
    cpu_stream_choose(e, schedule);
    for (size_t i = 0; i < schedule->steps.count && !e->failed; i++)
        emit_step(e, &schedule->steps.items[i]);
    cpu_schedule_end(schedule);
}

void cpu_emit_region(struct cpu_emit *e, struct ir_region *region, struct cpu_buffer **targets)
{
    /* In the arena: groups are told apart by their schedule, so its address must stay its own. */
    struct cpu_schedule *schedule = ARENA_NEW(e->arena, struct cpu_schedule);
    cpu_schedule_region(schedule, e, region, targets);
    cpu_emit_schedule(e, schedule);
}
