/*
 * A micro-kernel's loop over K: steps, and pauses in which it does something for the next ones; see
 * matrix_kernel.h.
 */
#include "cpu/matrix_kernel.h"

LLVMValueRef cpu_micro_moving(struct micro_kernel *k, int parameter)
{
    LLVMValueRef slot = cpu_alloca(k->m->e, k->m->e->pointer, "moving");
    LLVMBuildStore(k->m->e->builder, k->p[parameter], slot);
    return slot;
}

LLVMValueRef cpu_micro_move_on(struct micro_kernel *k, LLVMValueRef slot, LLVMValueRef bytes)
{
    struct cpu_emit *e = k->m->e;
    LLVMValueRef place = LLVMBuildLoad2(e->builder, e->pointer, slot, "");
    LLVMBuildStore(e->builder, cpu_matrix_offset(k->m, place, bytes), slot);
    return place;
}

/* ---- one step -------------------------------------------------------------------------------- */

/* A's unit of a row at a step, in every lane. */
static LLVMValueRef spread_a(struct micro_kernel *k, int row, LLVMValueRef step)
{
    struct cpu_emit *e = k->m->e;
    LLVMValueRef place = LLVMBuildGEP2(e->builder, k->m->unit_type, k->row[row], &step, 1, "");
    LLVMValueRef load = LLVMBuildLoad2(e->builder, k->m->unit_type, place, "");
    cpu_set_align(load, (int64_t)ir_elem_bytes(k->m->packed));
    return cpu_splat(e, load, k->m->lanes);
}

static bool fetches_b(const struct micro_kernel *k)
{
    return k->m->machine->fetch_ahead && !k->edge && !k->turns;
}

/* A row's sums are complete, in registers, before anything more is loaded: of many steps LLVM would
 * load far more ahead than there are registers for. */
static void end_row(struct micro_kernel *k, int row)
{
    struct cpu_emit *e = k->m->e;
    LLVMTypeRef type = cpu_vector(k->m->sum_type, k->m->lanes);
    LLVMValueRef sums[CPU_MATRIX_MOST_VECTORS];
    for (int v = 0; v < k->vectors; v++)
        sums[v] = LLVMBuildLoad2(e->builder, type, k->slots[row][v], "");
    cpu_matrix_keep_first(k->m, sums, k->vectors);
    for (int v = 0; v < k->vectors; v++)
        LLVMBuildStore(e->builder, sums[v], k->slots[row][v]);
}

static void load_b(struct micro_kernel *k, LLVMValueRef place, LLVMValueRef *b)
{
    for (int v = 0; v < k->vectors; v++)
        b[v] = cpu_micro_load(k, k->m->unit_type, place, v);
}

/* What a step gives for a row. */
static void add_row(struct micro_kernel *k, int row, LLVMValueRef step, const LLVMValueRef *b)
{
    struct cpu_matrix *m = k->m;
    struct cpu_emit *e = m->e;
    LLVMTypeRef type = cpu_vector(m->sum_type, m->lanes);
    LLVMValueRef a = spread_a(k, row, step), products[CPU_MATRIX_MOST_VECTORS];
    for (int v = 0; v < k->vectors; v++)
        products[v] = cpu_matrix_multiply_only(m, a, b[v]);
    /* Zen 3 spreads products and additions in turns badly over its units: 150 to 165 GOP/s, by
     * where the code lies. With the additions behind all products of a row it is 165 anywhere. */
    if (products[0])
        cpu_matrix_keep(m, products, k->vectors);
    for (int v = 0; v < k->vectors; v++) {
        LLVMValueRef sum = LLVMBuildLoad2(e->builder, type, k->slots[row][v], "");
        sum = products[v] ? LLVMBuildAdd(e->builder, products[v], sum, "")
                          : cpu_matrix_multiply(m, a, b[v], sum);
        LLVMBuildStore(e->builder, sum, k->slots[row][v]);
    }
}

void cpu_micro_step(struct micro_kernel *k, LLVMValueRef step, LLVMValueRef b_place)
{
    struct cpu_matrix *m = k->m;
    LLVMValueRef b[CPU_MATRIX_MOST_VECTORS];
    load_b(k, b_place, b);
    if (fetches_b(k))
        cpu_matrix_fetch(m, cpu_matrix_offset(m, b_place, k->p[KERNEL_AHEAD]), 1);
    for (int r = 0; r < k->rows; r++) {
        add_row(k, r, step, b);
        if (k->turns)
            end_row(k, r);
    }
}

void cpu_micro_last_steps(struct micro_kernel *k, LLVMValueRef from, bool converts)
{
    struct cpu_emit *e = k->m->e;
    int count = k->m->machine->last_steps;
    LLVMValueRef places[CPU_MATRIX_MOST_LAST], b[CPU_MATRIX_MOST_VECTORS],
        last[CPU_MATRIX_MOST_VECTORS];
    for (int i = 0; i < count; i++)
        places[i] = cpu_micro_move_on(k, k->b, k->p[KERNEL_B_STEP]);
    load_b(k, places[count - 1], last);
    for (int r = 0; r < k->rows; r++) {
        for (int i = 0; i < count; i++) {
            if (i < count - 1)
                load_b(k, places[i], b);
            add_row(k, r, cpu_add(e, from, cpu_i64(e, i)), i < count - 1 ? b : last);
        }
        end_row(k, r);
        cpu_micro_store_row(k, r, converts);
    }
}

/* ---- pauses ---------------------------------------------------------------------------------- */

static void fetch_rows(struct micro_kernel *k, int level)
{
    LLVMValueRef line = cpu_micro_move_on(k, k->next_a, k->p[KERNEL_NEXT_A_STEP]);
    for (int r = 0; r < CPU_MATRIX_ROWS; r++) {
        cpu_matrix_fetch(k->m, line, level);
        line = cpu_matrix_offset(k->m, line, k->p[KERNEL_NEXT_A_ROW]);
    }
}

static void copy_step(struct micro_kernel *k)
{
    struct cpu_matrix *m = k->m;
    struct cpu_emit *e = m->e;
    int64_t columns = tile_columns(m);
    LLVMValueRef from = cpu_micro_move_on(k, k->from, k->p[KERNEL_FROM_STEP]);
    LLVMValueRef to = cpu_micro_move_on(k, k->to, cpu_i64(e, columns * m->unit));
    LLVMValueRef inner =
        LLVMBuildSDiv(e->builder, k->p[KERNEL_FROM_STEP], cpu_i64(e, m->group), "");
    LLVMValueRef ahead =
        LLVMBuildMul(e->builder, k->p[KERNEL_FROM_STEP], cpu_i64(e, m->machine->copy_ahead), "");
    for (int i = 0; i < m->machine->copy_panels; i++) {
        if (i) {
            from = cpu_matrix_offset(m, from, cpu_i64(e, columns * cpu_matrix_element(m, true)));
            to = cpu_matrix_offset(m, to, k->p[KERNEL_TO_PANEL]);
        }
        cpu_matrix_copy_step(m, from, inner, to, ahead);
    }
}

static void emit_pause(struct micro_kernel *k, LLVMValueRef step)
{
    struct cpu_emit *e = k->m->e;
    struct cpu_branch branch;
    int level = k->m->machine->fetch_level;
    if (k->edge || level == 1)
        fetch_rows(k, 1);
    if (k->edge)
        return;
    LLVMValueRef number = LLVMBuildUDiv(e->builder, step, cpu_i64(e, k->m->machine->pause), "");
    cpu_branch_begin(e, &branch,
                     LLVMBuildICmp(e->builder, LLVMIntSLT, number, k->p[KERNEL_COPIES], ""));
    if (level != 1)
        fetch_rows(k, level);
    copy_step(k);
    if (level != 1) {
        cpu_branch_else(e, &branch);
        fetch_rows(k, 1);
    }
    cpu_branch_end(e, &branch);
}

/* ---- all steps ------------------------------------------------------------------------------- */

LLVMValueRef cpu_micro_start_line(struct cpu_emit *e, LLVMValueRef index)
{
    static const char align[] = ".p2align 6";
    static const char constraint[] = "=r,0";
    LLVMTypeRef type = LLVMFunctionType(e->i64, &e->i64, 1, false);
    LLVMValueRef code =
        LLVMGetInlineAsm(type, align, sizeof align - 1, constraint, sizeof constraint - 1, true,
                         false, LLVMInlineAsmDialectATT, false);
    return LLVMBuildCall2(e->builder, type, code, &index, 1, "");
}

static bool takes_pairs(const struct micro_kernel *k)
{
    return k->m->machine->pairs && !k->edge;
}

/* Where they are taken in pairs, an even number, and not 0. */
static void emit_steps(struct micro_kernel *k, LLVMValueRef from, LLVMValueRef to)
{
    struct cpu_emit *e = k->m->e;
    struct cpu_loop loop;
    if (takes_pairs(k))
        cpu_loop_enter(e, &loop, cpu_micro_start_line(e, from), to, 2);
    else
        cpu_loop_begin(e, &loop, from, to, 1);
    cpu_micro_step(k, loop.index, cpu_micro_move_on(k, k->b, k->p[KERNEL_B_STEP]));
    if (takes_pairs(k)) {
        LLVMValueRef next = cpu_micro_move_on(k, k->b, k->p[KERNEL_B_STEP]);
        cpu_micro_step(k, cpu_add(e, loop.index, cpu_i64(e, 1)), next);
    }
    cpu_loop_end(e, &loop);
}

/* The first step by itself, if it would be left over; returns how many are done. */
static LLVMValueRef emit_odd_step(struct micro_kernel *k, LLVMValueRef steps)
{
    struct cpu_emit *e = k->m->e;
    if (!takes_pairs(k))
        return cpu_i64(e, 0);
    LLVMValueRef odd = LLVMBuildAnd(e->builder, steps, cpu_i64(e, 1), "");
    struct cpu_branch branch;
    cpu_branch_begin(e, &branch, LLVMBuildICmp(e->builder, LLVMIntNE, odd, cpu_i64(e, 0), ""));
    cpu_micro_step(k, cpu_i64(e, 0), cpu_micro_move_on(k, k->b, k->p[KERNEL_B_STEP]));
    cpu_branch_end(e, &branch);
    return odd;
}

/* Whether a kernel has nothing to do in pauses: then it does not pause. NULL: it always has. */
static LLVMValueRef is_idle(struct micro_kernel *k)
{
    struct cpu_emit *e = k->m->e;
    if (!k->m->machine->fetch_panels && !k->m->machine->near_bytes)
        return NULL;
    LLVMValueRef work = LLVMBuildOr(e->builder, k->p[KERNEL_NEXT_A_STEP], k->p[KERNEL_COPIES], "");
    return LLVMBuildICmp(e->builder, LLVMIntEQ, work, cpu_i64(e, 0), "");
}

void cpu_micro_depth(struct micro_kernel *k, LLVMValueRef steps)
{
    struct cpu_emit *e = k->m->e;
    k->b = cpu_micro_moving(k, KERNEL_B);
    if (!k->m->machine->pause) {
        emit_steps(k, cpu_i64(e, 0), steps);
        return;
    }
    k->next_a = cpu_micro_moving(k, KERNEL_NEXT_A);
    k->from = cpu_micro_moving(k, KERNEL_FROM);
    k->to = cpu_micro_moving(k, KERNEL_TO);
    LLVMValueRef pause = cpu_i64(e, k->m->machine->pause), idle = is_idle(k);
    if (idle)
        pause = LLVMBuildSelect(e->builder, idle, steps, pause, "");
    LLVMValueRef done = emit_odd_step(k, steps);
    struct cpu_loop pauses;
    cpu_loop_begin(e, &pauses, done, steps, 1);
    pauses.step = pause;
    struct cpu_branch busy;
    if (idle)
        cpu_branch_begin(e, &busy, LLVMBuildNot(e->builder, idle, ""));
    emit_pause(k, pauses.index);
    if (idle)
        cpu_branch_end(e, &busy);
    LLVMValueRef end = cpu_add(e, pauses.index, pause);
    emit_steps(k, pauses.index, cpu_min_i64(e, end, steps));
    cpu_loop_end(e, &pauses);
}
