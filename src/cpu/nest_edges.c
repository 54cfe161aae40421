/*
 * Edges of a nest that are as thin as they can be.
 *
 * Without AVX-512 masked bodies are slow: of elements of 8 and 16 bits each lane is a turn of a
 * loop (memory.c), and gathers are taken apart; with it, bodies that gather. Where a nest may store
 * the same twice (only stores, and loads of nothing that they write), it runs them for those
 * elements alone whose masks fail. What the unrolled loop leaves at its ends is done without masks,
 * in vectors that overlap with others:
 *
 *         [0, from) masked;  one vector from `from` on;  [first, end) unrolled;
 *         vectors up to `all`, the last of which ends there;  [all, reach) masked
 *
 * From `reach` on no mask of a store holds any more.
 *
 * Sobel of bytes on Zen 3, [60, 1024], two edges per row: 28.7 us before, 15.0 then
 * (build/tilec-bench --part pictures).
 */
#include "cpu/nest.h"

#include "cpu/along.h"

bool cpu_nest_may_repeat(struct cpu_emit *e, const struct cpu_nest *n)
{
    const struct cpu_group *group = n->group;
    for (size_t i = 0; i < group->sinks.count; i++) {
        const struct ir_op *store = group->sinks.items[i].op;
        if (group->sinks.items[i].kind != CPU_SINK_STORE)
            return false;
        const struct ir_value *to = ir_pointer_root(store->operands[0]);
        for (size_t k = 0; k < group->accesses.count; k++) {
            const struct ir_op *op = group->accesses.items[k].op;
            bool loads = op->code == IR_OP_LOAD || op->code == IR_OP_VIEW_LOAD;
            if (loads && !cpu_are_apart(e, ir_pointer_root(op->operands[0]), to))
                return false;
        }
    }
    return true;
}

/* Whether what is a vector access in the interior is a gather where it is masked. */
static bool gathers_at_edges(struct cpu_emit *e, const struct cpu_nest *n)
{
    for (int i = 0; i < n->bounded_count; i++) {
        if (n->bounded[i].chosen)
            return true;
    }
    for (size_t i = 0; i < n->group->accesses.count; i++) {
        const struct ir_op *op = n->group->accesses.items[i].op;
        int64_t step;
        if (op->code == IR_OP_LOAD && cpu_may_step_along(e, op->operands[0], &step) && step != 0 &&
            step != 1)
            return true;
    }
    return false;
}

bool cpu_nest_has_thin_edges(struct cpu_emit *e, const struct cpu_nest *n)
{
    return e->together == 1 && n->tops.count == 0 && n->lanes > 1 && n->lanes <= n->size &&
           n->bounded_count > 0 && (!e->level->features.avx512 || gathers_at_edges(e, n)) &&
           cpu_nest_may_repeat(e, n);
}

/* [from, to) without masks, one vector at a time; one that would go on beyond `last` ends there. */
static void emit_overlapping(struct cpu_emit *e, struct cpu_nest *n, LLVMValueRef from,
                             LLVMValueRef to, LLVMValueRef last)
{
    struct cpu_loop loop;
    LLVMValueRef latest = LLVMBuildSub(e->builder, last, cpu_i64(e, n->lanes), "");
    cpu_loop_begin(e, &loop, from, to, n->lanes);
    cpu_nest_set_body(e, n, true);
    cpu_nest_emit_body(e, n, cpu_min_i64(e, loop.index, latest));
    cpu_loop_end(e, &loop);
    cpu_new_epoch(e);
}

void cpu_nest_emit_masked(struct cpu_emit *e, struct cpu_nest *n, LLVMValueRef from,
                          LLVMValueRef to)
{
    struct cpu_loop loop;
    cpu_loop_begin(e, &loop, from, to, n->lanes);
    cpu_nest_set_body(e, n, false);
    e->body.active = cpu_places_within(e, (struct cpu_span){cpu_i64(e, 0), to}, loop.index);
    cpu_nest_emit_body(e, n, loop.index);
    cpu_loop_end(e, &loop);
    cpu_new_epoch(e);
}

/* Whether one or two elements at each end of a row are done faster one by one than in a masked
 * vector: if that has accesses whose lanes are turns of a loop, or if the processor stores masked
 * vectors slowly. A step of the game of life in bytes, 64 rows of 1000 (bench/everyday), took 2.2
 * times as long as C by gcc on Zen 1 with vectors, 1.35 times with elements; a convolution of 3 by
 * 3 of floats, 62 rows of 250, 21.3 us and 16.8. With AVX-512 edges are only thin where they
 * gather: such a convolution that repeats its edges took 18.4 us and 6.0 on Zen 4, a blur of 60 by
 * 1024 bytes (bench/pictures) 16.3 and 7.2. */
static bool masks_slowly(struct cpu_emit *e, const struct cpu_nest *n)
{
    if (e->level->features.split_avx2 || e->level->features.avx512)
        return true;
    if (!e->level->features.avx2)
        return false;
    for (size_t i = 0; i < n->group->accesses.count; i++) {
        const struct ir_op *op = n->group->accesses.items[i].op;
        if (ir_elem_bytes((enum ir_elem)op->operands[0]->type.elem) < 4)
            return true;
    }
    return false;
}

static void emit_elements(struct cpu_emit *e, struct cpu_nest *n, LLVMValueRef from,
                          LLVMValueRef to)
{
    int lanes = n->lanes, lane = n->position.lane;
    struct cpu_loop loop;
    n->lanes = 1;
    n->position.lane = -1;
    cpu_loop_begin(e, &loop, from, to, 1);
    cpu_nest_set_body(e, n, false);
    e->body.bounded_count = 0; /* what it says is of lanes */
    cpu_nest_emit_body(e, n, loop.index);
    cpu_loop_end(e, &loop);
    cpu_new_epoch(e);
    n->lanes = lanes;
    n->position.lane = lane;
}

/* [from, to) with masks, of a nest that only stores. */
static void emit_edge(struct cpu_emit *e, struct cpu_nest *n, LLVMValueRef from, LLVMValueRef to)
{
    enum { FEW = 4 };
    if (!masks_slowly(e, n)) {
        cpu_nest_emit_masked(e, n, from, to);
        return;
    }
    LLVMBasicBlockRef few = cpu_block(e, "few"), many = cpu_block(e, "many");
    LLVMBasicBlockRef on = cpu_block(e, "on");
    LLVMValueRef count = LLVMBuildSub(e->builder, to, from, "");
    LLVMValueRef is_few = LLVMBuildICmp(e->builder, LLVMIntSLE, count, cpu_i64(e, FEW), "");
    LLVMBuildCondBr(e->builder, is_few, few, many);
    LLVMPositionBuilderAtEnd(e->builder, few);
    emit_elements(e, n, from, to);
    LLVMBuildBr(e->builder, on);
    LLVMPositionBuilderAtEnd(e->builder, many);
    cpu_nest_emit_masked(e, n, from, to);
    LLVMBuildBr(e->builder, on);
    LLVMPositionBuilderAtEnd(e->builder, on);
}

/* Asked without what holds in the interior, as it is about what lies outside. */
LLVMValueRef cpu_nest_reach(struct cpu_emit *e, const struct cpu_nest *n)
{
    LLVMValueRef size = cpu_i64(e, n->size), reach = cpu_i64(e, 0);
    e->body = (struct cpu_body){.lanes = n->lanes};
    cpu_new_epoch(e);
    for (size_t i = 0; i < n->group->sinks.count; i++) {
        const struct ir_op *op = n->group->sinks.items[i].op;
        struct cpu_limits limits;
        if (n->group->sinks.items[i].kind != CPU_SINK_STORE || op->code != IR_OP_STORE ||
            op->operand_count < 3 ||
            !cpu_limits_of(e, op->operands[2], &n->position, n->size, &limits))
            return size;
        reach = cpu_max_i64(e, reach, cpu_fails_from(e, &limits, n->size));
    }
    return reach;
}

void cpu_nest_emit_in_one_loop(struct cpu_emit *e, struct cpu_nest *n, LLVMValueRef start,
                               LLVMValueRef end, LLVMValueRef all)
{
    LLVMValueRef latest = LLVMBuildSub(e->builder, all, cpu_i64(e, n->lanes), "");
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->builder);
    LLVMBasicBlockRef part = cpu_block(e, "part"), on = cpu_block(e, "on");
    LLVMBuildBr(e->builder, part);
    LLVMPositionBuilderAtEnd(e->builder, part);
    LLVMValueRef from = LLVMBuildPhi(e->builder, e->i64, "");
    LLVMValueRef to = LLVMBuildPhi(e->builder, e->i64, "");
    cpu_new_epoch(e);
    bool anywhere = n->anywhere;
    n->anywhere = true;
    cpu_nest_emit_interior(e, n, from, to);
    n->anywhere = anywhere;
    LLVMBasicBlockRef behind = LLVMGetInsertBlock(e->builder);
    LLVMValueRef more = LLVMBuildICmp(e->builder, LLVMIntSLT, to, all, "");
    LLVMBuildCondBr(e->builder, more, part, on);
    LLVMAddIncoming(from, (LLVMValueRef[]){start, latest}, (LLVMBasicBlockRef[]){before, behind},
                    2);
    LLVMAddIncoming(to, (LLVMValueRef[]){end, all}, (LLVMBasicBlockRef[]){before, behind}, 2);
    LLVMPositionBuilderAtEnd(e->builder, on);
    cpu_new_epoch(e);
}

/* Three rounds of masked, overlapping, unrolled: at the lower end, at the upper end, and what lies
 * behind that. Where masks hold from 0 on, there is but the upper end. */
void cpu_nest_emit_thin_edges(struct cpu_emit *e, struct cpu_nest *n)
{
    int64_t step = (int64_t)n->lanes * n->copies, known;
    LLVMValueRef zero = cpu_i64(e, 0), lanes = cpu_i64(e, n->lanes), reach = cpu_nest_reach(e, n);
    LLVMValueRef room = LLVMBuildSub(e->builder, n->all, n->from, "");
    LLVMValueRef some = LLVMBuildICmp(e->builder, LLVMIntSGE, room, lanes, "");
    LLVMValueRef from = LLVMBuildSelect(e->builder, some, n->from, zero, "");
    LLVMValueRef all = LLVMBuildSelect(e->builder, some, n->all, zero, "");
    LLVMValueRef up = LLVMBuildAdd(e->builder, from, cpu_i64(e, n->lanes - 1), "");
    up = LLVMBuildAnd(e->builder, up, cpu_i64(e, -n->lanes), "");
    room = LLVMBuildAnd(e->builder, LLVMBuildSub(e->builder, all, up, ""), cpu_i64(e, -step), "");
    LLVMValueRef end = LLVMBuildAdd(e->builder, up, room, "");
    if (cpu_is_constant(n->from, &known) && known == 0) {
        bool fixed = cpu_is_constant(end, &known);
        if (!fixed && n->dear && n->copies == 1 && !e->streaming && !n->patterns) {
            cpu_nest_emit_in_one_loop(e, n, zero, end, all);
        } else {
            if (!fixed || known > 0)
                cpu_nest_emit_interior(e, n, zero, end);
            cpu_new_epoch(e);
            emit_overlapping(e, n, end, all, all);
        }
        emit_edge(e, n, all, reach);
        return;
    }
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->builder);
    LLVMBasicBlockRef round = cpu_block(e, "round"), inner = cpu_block(e, "inner");
    LLVMBasicBlockRef on = cpu_block(e, "on");
    LLVMBuildBr(e->builder, round);
    LLVMPositionBuilderAtEnd(e->builder, round);
    LLVMValueRef bound[6]; /* of the three parts */
    for (int i = 0; i < 6; i++)
        bound[i] = LLVMBuildPhi(e->builder, e->i64, "");
    LLVMValueRef first = LLVMBuildPhi(e->builder, e->i1, "");
    LLVMValueRef ended = LLVMBuildPhi(e->builder, e->i1, "");
    emit_edge(e, n, bound[0], bound[1]);
    LLVMBuildCondBr(e->builder, ended, on, inner);
    LLVMPositionBuilderAtEnd(e->builder, inner);
    emit_overlapping(e, n, bound[2], bound[3], all);
    cpu_nest_emit_interior(e, n, bound[4], bound[5]);
    LLVMValueRef last = LLVMBuildNot(e->builder, first, "");
    LLVMValueRef starts[] = {zero, from, from, up, up, end};
    LLVMValueRef next[6] = {NULL, NULL, NULL, NULL, zero, zero};
    next[0] = LLVMBuildSelect(e->builder, first, zero, all, "");
    next[1] = LLVMBuildSelect(e->builder, first, zero, reach, "");
    next[2] = LLVMBuildSelect(e->builder, first, end, zero, "");
    next[3] = LLVMBuildSelect(e->builder, first, all, zero, "");
    LLVMBasicBlockRef blocks[] = {before, LLVMGetInsertBlock(e->builder)};
    LLVMBuildBr(e->builder, round);
    for (int i = 0; i < 6; i++)
        LLVMAddIncoming(bound[i], (LLVMValueRef[]){starts[i], next[i]}, blocks, 2);
    LLVMValueRef yes = LLVMConstInt(e->i1, 1, false), no = LLVMConstInt(e->i1, 0, false);
    LLVMAddIncoming(first, (LLVMValueRef[]){yes, no}, blocks, 2);
    LLVMAddIncoming(ended, (LLVMValueRef[]){no, last}, blocks, 2);
    LLVMPositionBuilderAtEnd(e->builder, on);
    cpu_new_epoch(e);
}
