/*
 * Micro-kernels that pass over all strips of rows below one panel, which stays in the first level; see
 * matrix_kernel.h.
 */
#include "cpu/matrix_kernel.h"

/* Six lines, `row` apart, from where the slot stands; it moves on by them. */
static void fetch_six(struct micro_kernel *k, LLVMValueRef slot, LLVMValueRef row)
{
    struct cpu_emit *e = k->m->e;
    LLVMValueRef line =
        cpu_micro_move_on(k, slot, LLVMBuildMul(e->builder, row, cpu_i64(e, CPU_MATRIX_ROWS), ""));
    for (int r = 0; r < CPU_MATRIX_ROWS; r++) {
        cpu_matrix_fetch(k->m, line, 1);
        line = cpu_matrix_offset(k->m, line, row);
    }
}

/* Whole turns to `end`, at least one. What they fetch is spread over their steps, if there are
 * enough: side by side it keeps B's loads waiting. */
static void emit_turns(struct micro_kernel *k, LLVMValueRef from, LLVMValueRef end)
{
    enum { STEPS_APART = 2 };
    struct cpu_emit *e = k->m->e;
    int turn = k->m->machine->turn;
    int fetches = turn < STEPS_APART * CPU_MATRIX_ROWS ? 0 : CPU_MATRIX_ROWS;
    struct cpu_loop loop;
    cpu_loop_enter(e, &loop, cpu_micro_start_line(e, from), end, turn);
    LLVMValueRef line = cpu_micro_move_on(k, k->next_a, cpu_i64(e, turn * k->m->unit));
    for (int i = 0; i < turn; i++) {
        LLVMValueRef step = i ? cpu_add(e, loop.index, cpu_i64(e, i)) : loop.index;
        cpu_micro_step(k, step, cpu_micro_move_on(k, k->b, k->p[KERNEL_B_STEP]));
        if (i % STEPS_APART || i / STEPS_APART >= fetches)
            continue;
        cpu_matrix_fetch(k->m, line, 1);
        line = cpu_matrix_offset(k->m, line, k->p[KERNEL_A_ROW]);
    }
    cpu_loop_end(e, &loop);
}

/* Steps that would be left over come first. */
static void emit_strip_depth(struct micro_kernel *k, LLVMValueRef steps)
{
    struct cpu_emit *e = k->m->e;
    LLVMValueRef over = LLVMBuildAnd(e->builder, steps, cpu_i64(e, k->m->machine->turn - 1), "");
    struct cpu_loop first;
    struct cpu_branch some;
    cpu_loop_begin(e, &first, cpu_i64(e, 0), over, 1);
    cpu_micro_step(k, first.index, cpu_micro_move_on(k, k->b, k->p[KERNEL_B_STEP]));
    cpu_loop_end(e, &first);
    cpu_branch_begin(e, &some, LLVMBuildICmp(e->builder, LLVMIntSLT, over, steps, ""));
    emit_turns(k, over, steps);
    cpu_branch_end(e, &some);
}

/* The sums of a tile begin with the constant, and nothing waits for their place. */
static void emit_strip_tile(struct micro_kernel *k)
{
    cpu_micro_start_sums(k);
    k->b = cpu_micro_moving(k, KERNEL_B);
    k->next_a = cpu_micro_moving(k, KERNEL_NEXT_A);
    LLVMValueRef before = cpu_micro_before_last(k);
    emit_strip_depth(k, before);
    cpu_micro_finish(k, before, false);
}

static void emit_strips(struct micro_kernel *k, LLVMValueRef function)
{
    struct cpu_matrix *m = k->m;
    struct cpu_emit *e = m->e;
    for (unsigned i = 0; i <= KERNEL_STEPS; i++)
        k->p[i] = LLVMGetParam(function, i);
    k->p[KERNEL_LOAD] = cpu_i64(e, CPU_MATRIX_START);
    k->p[KERNEL_FROM] = LLVMGetParam(function, STRIPS_BESIDE);
    LLVMValueRef count = LLVMGetParam(function, STRIPS_COUNT),
                 after = LLVMGetParam(function, STRIPS_NEXT_A);
    LLVMValueRef row = LLVMGetParam(function, STRIPS_BESIDE_ROW);
    LLVMValueRef a = cpu_micro_moving(k, KERNEL_A), c = cpu_micro_moving(k, KERNEL_C),
                 beside = cpu_micro_moving(k, KERNEL_FROM);
    LLVMValueRef a_tile = LLVMBuildMul(e->builder, k->p[KERNEL_A_ROW], cpu_i64(e, k->rows), "");
    LLVMValueRef c_tile = LLVMBuildMul(e->builder, k->p[KERNEL_C_ROW], cpu_i64(e, k->rows), "");
    LLVMValueRef end = LLVMBuildSub(e->builder, count, cpu_i64(e, 1), "");
    struct cpu_loop strips;
    cpu_loop_enter(e, &strips, cpu_i64(e, 0), count, 1);
    LLVMValueRef last = LLVMBuildICmp(e->builder, LLVMIntEQ, strips.index, end, "");
    k->p[KERNEL_A] = cpu_micro_move_on(k, a, a_tile);
    k->p[KERNEL_C] = cpu_micro_move_on(k, c, c_tile);
    k->p[KERNEL_NEXT_A] =
        LLVMBuildSelect(e->builder, last, after, cpu_matrix_offset(m, k->p[KERNEL_A], a_tile), "");
    cpu_micro_place_rows(k);
    fetch_six(k, beside, row);
    emit_strip_tile(k);
    cpu_loop_end(e, &strips);
}

static LLVMValueRef emit_strips_function(struct cpu_matrix *m, int rows)
{
    struct micro_kernel *k = ARENA_NEW(m->e->arena, struct micro_kernel);
    *k = (struct micro_kernel){.m = m, .rows = rows, .vectors = m->vectors, .turns = true};
    const char *name = arena_format(m->e->arena, "strips%dx%d", rows, m->vectors * m->lanes);
    LLVMValueRef function = cpu_matrix_begin(m, name, m->strips_type);
    emit_strips(k, function);
    cpu_matrix_end(m);
    return function;
}

void cpu_matrix_strips(struct cpu_matrix *m)
{
    struct cpu_emit *e = m->e;
    LLVMTypeRef types[STRIPS_PARAMETERS] = {e->pointer, e->i64,     e->pointer, e->i64,
                                            e->pointer, e->i64,     e->i64,     e->i64,
                                            e->pointer, e->pointer, e->i64};
    m->strips_type = LLVMFunctionType(e->void_type, types, STRIPS_PARAMETERS, false);
    for (int rows = CPU_MATRIX_ROWS - 1; rows <= CPU_MATRIX_ROWS; rows++)
        m->strips[rows] = emit_strips_function(m, rows);
}
