/*
 * The interior of a nest whose stores may go past the caches, which must start at multiples of a
 * vector: a copy for results that begin at cache lines, one that shifts them there (shifted.c), and
 * one with plain stores where neither can be.
 *
 * Most arrays of C programs need the second copy: large ones of malloc begin 16 bytes behind a
 * page, and rows of odd lengths begin anywhere. Zen 5, softmax of floats, before (plain stores) and
 * after, one thread and two: [33255, 1009] 10.1 and 6.1 ms, then 5.8 and 4.7; [67108, 500] 11.0
 * and 7.0, then 5.3 and 4.6.
 *
 *     tilec run kernels/softmax.tile.c:softmax_tile -D BLOCK=1024 X=rand:f32[33255,1009]:1 \
 *         Out=new:f32[33255,1009] rows=33255 N=1009 --time --threads 1
 */
#include "cpu/nest.h"
#include "cpu/shifted.h"

enum { LINE = 64 };

static int element_bytes(const struct cpu_sink *sink)
{
    return (int)ir_elem_bytes((enum ir_elem)sink->op->operands[0]->type.elem);
}

/* Where the sink's store of consecutive elements starts, which may go past the caches. */
static bool may_stream(struct cpu_emit *e, const struct cpu_nest *n, const struct cpu_sink *sink,
                       LLVMValueRef *pointer)
{
    return sink->kind == CPU_SINK_STORE && n->lanes > 1 && cpu_stream_may(e, sink->op, n->lanes) &&
           cpu_store_address(e, sink->op, &n->position, pointer);
}

static void fetch_pages(struct cpu_emit *e, const struct cpu_nest *n)
{
    for (size_t i = 0; i < cpu_nest_sink_count(e, n); i++) {
        const struct cpu_sink *sink = cpu_nest_enter_sink(e, n, i);
        LLVMValueRef pointer;
        if (may_stream(e, n, sink, &pointer))
            cpu_stream_pages(e, sink->op, pointer, n->size * element_bytes(sink));
    }
}

/* Whether every store of consecutive elements starts at a cache line; NULL: there is no such store.
 */
static LLVMValueRef stores_aligned(struct cpu_emit *e, const struct cpu_nest *n)
{
    LLVMValueRef low = NULL;
    for (size_t i = 0; i < cpu_nest_sink_count(e, n); i++) {
        const struct cpu_sink *sink = cpu_nest_enter_sink(e, n, i);
        LLVMValueRef pointer;
        if (!may_stream(e, n, sink, &pointer))
            continue;
        LLVMValueRef bits = LLVMBuildPtrToInt(e->builder, pointer, e->i64, "");
        low = low ? LLVMBuildOr(e->builder, low, bits, "") : bits;
    }
    if (!low)
        return NULL;
    low = LLVMBuildAnd(e->builder, low, cpu_i64(e, LINE - 1), "");
    return LLVMBuildICmp(e->builder, LLVMIntEQ, low, cpu_i64(e, 0), "");
}

/* ---- results that begin elsewhere ------------------------------------------------------------ */

/* What is shifted is stored later than without: that must not matter to another access of its
 * program, nor to a load of another one, which may work in place. */
static bool may_wait(struct cpu_emit *e, const struct cpu_nest *n, size_t which)
{
    const struct cpu_sink *sink = cpu_nest_enter_sink(e, n, which);
    const struct ir_value *root = ir_pointer_root(sink->op->operands[0]);
    int own = e->entered;
    for (int k = 0; k < e->together; k++) {
        const struct cpu_group *group = n->groups[k];
        for (size_t i = 0; group && i < group->accesses.count; i++) {
            const struct ir_op *op = group->accesses.items[i].op;
            bool matters = k == own ? op != sink->op : ir_has(op, IR_READS);
            if (matters && !cpu_are_apart(e, root, ir_pointer_root(op->operands[0])))
                return false;
        }
    }
    return true;
}

/* Whether all stores can be shifted; what must hold then: of their addresses, and that nothing of
 * less than 4 bytes is left behind the interior, which would have to go through the caches. */
static bool may_shift(struct cpu_emit *e, const struct cpu_nest *n, LLVMValueRef end,
                      LLVMValueRef *condition)
{
    *condition = LLVMConstInt(e->i1, 1, false);
    for (size_t i = 0; i < cpu_nest_sink_count(e, n); i++) {
        const struct cpu_sink *sink = cpu_nest_enter_sink(e, n, i);
        LLVMValueRef pointer;
        if (!may_stream(e, n, sink, &pointer))
            continue;
        int element = element_bytes(sink);
        if (!cpu_shift_fits(e, element, n->lanes) || !may_wait(e, n, i))
            return false;
        LLVMValueRef fits = cpu_shift_by_units(e, element, pointer);
        if (n->all && element < CPU_SHIFT_UNIT)
            fits = LLVMBuildAnd(e->builder, fits,
                                LLVMBuildICmp(e->builder, LLVMIntEQ, end, n->all, ""), "");
        *condition = LLVMBuildAnd(e->builder, *condition, fits, "");
    }
    return true;
}

void cpu_nest_begin_shifts(struct cpu_emit *e, struct cpu_nest *n, LLVMValueRef first)
{
    if (n->past != CPU_PAST_SHIFTED)
        return;
    size_t count = cpu_nest_sink_count(e, n);
    n->shifts = ARENA_ARRAY(e->arena, struct cpu_shift *, count);
    n->position.index[n->axis] = first;
    cpu_new_epoch(e);
    for (size_t i = 0; i < count; i++) {
        const struct cpu_sink *sink = cpu_nest_enter_sink(e, n, i);
        LLVMValueRef pointer;
        if (!may_stream(e, n, sink, &pointer))
            continue;
        n->shifts[i] = ARENA_NEW(e->arena, struct cpu_shift);
        cpu_shift_begin(e, n->shifts[i], element_bytes(sink) * n->lanes, pointer);
    }
}

void cpu_nest_end_shifts(struct cpu_emit *e, struct cpu_nest *n, LLVMValueRef first,
                         LLVMValueRef end)
{
    if (n->past != CPU_PAST_SHIFTED)
        return;
    LLVMValueRef some = LLVMBuildICmp(e->builder, LLVMIntSLT, first, end, "");
    for (size_t i = 0; i < cpu_nest_sink_count(e, n); i++) {
        if (n->shifts[i])
            cpu_shift_end(e, n->shifts[i], some);
    }
}

/* ---- all copies ------------------------------------------------------------------------------ */

struct copies {
    struct cpu_nest *nest;
    LLVMValueRef first, end;
    LLVMBasicBlockRef on;
};

static void emit_copy(struct cpu_emit *e, struct copies *c, enum cpu_past past)
{
    LLVMBuildStore(e->builder, LLVMConstInt(e->i1, past != CPU_PAST_NONE, false),
                   c->nest->went_past);
    c->nest->past = past;
    if (past != CPU_PAST_NONE)
        fetch_pages(e, c->nest);
    cpu_nest_emit_loops(e, c->nest, c->first, c->end);
    c->nest->past = CPU_PAST_NONE;
    LLVMBuildBr(e->builder, c->on);
}

/* Where nothing begins at a line: shifted if that is possible and worth it. Programs side by side
 * store a row's tail long after the next one's head, so that they leave as two parts of a line. */
static void emit_unaligned(struct cpu_emit *e, struct copies *c)
{
    const struct cpu_nest *n = c->nest;
    bool beside = e->together > 1 && !e->behind;
    int64_t least = (beside ? 128 : 8) * (int64_t)n->lanes;
    LLVMValueRef shifts;
    c->nest->position.index[n->axis] = c->first;
    cpu_new_epoch(e);
    if (may_shift(e, n, c->end, &shifts)) {
        LLVMBasicBlockRef shifted = cpu_block(e, "shifted"), plain = cpu_block(e, "plain");
        LLVMValueRef length = LLVMBuildSub(e->builder, c->end, c->first, "");
        LLVMValueRef some = LLVMBuildICmp(e->builder, LLVMIntSGE, length, cpu_i64(e, least), "");
        cpu_takes(e, CPU_PATH_SHIFTED);
        LLVMBuildCondBr(e->builder, LLVMBuildAnd(e->builder, some, shifts, ""), shifted, plain);
        LLVMPositionBuilderAtEnd(e->builder, shifted);
        emit_copy(e, c, CPU_PAST_SHIFTED);
        LLVMPositionBuilderAtEnd(e->builder, plain);
    }
    emit_copy(e, c, CPU_PAST_NONE);
}

/* What is left of a row goes the way of its interior; before there was one, through the caches. */
static LLVMValueRef new_flag(struct cpu_emit *e)
{
    LLVMValueRef flag = cpu_alloca(e, e->i1, "went_past");
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder);
    LLVMPositionBuilderAtEnd(e->builder, e->entry);
    LLVMBuildStore(e->builder, LLVMConstInt(e->i1, 0, false), flag);
    LLVMPositionBuilderAtEnd(e->builder, here);
    return flag;
}

void cpu_nest_emit_interior(struct cpu_emit *e, struct cpu_nest *n, LLVMValueRef first,
                            LLVMValueRef end)
{
    n->position.index[n->axis] = first;
    LLVMValueRef aligned = stores_aligned(e, n);
    e->streaming_mattered = e->streaming_mattered || aligned;
    if (!aligned || !e->streaming) {
        cpu_nest_emit_loops(e, n, first, end);
        return;
    }
    e->streamed = true;
    cpu_takes(e, CPU_PATH_PAST);
    n->went_past = n->went_past ? n->went_past : new_flag(e);
    LLVMBasicBlockRef past = cpu_block(e, "past"), unaligned = cpu_block(e, "unaligned");
    struct copies copies = {n, first, end, cpu_block(e, "on")};
    LLVMBuildCondBr(e->builder, aligned, past, unaligned);
    LLVMPositionBuilderAtEnd(e->builder, past);
    emit_copy(e, &copies, CPU_PAST_LINES);
    LLVMPositionBuilderAtEnd(e->builder, unaligned);
    emit_unaligned(e, &copies);
    LLVMPositionBuilderAtEnd(e->builder, copies.on);
}
