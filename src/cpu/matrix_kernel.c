/*
 * The tile of a micro-kernel: its sums, from where they were to where they go; see matrix_kernel.h.
 */
#include "cpu/matrix_kernel.h"

/* ---- memory ---------------------------------------------------------------------------------- */

static LLVMValueRef vector_place(struct micro_kernel *k, LLVMValueRef pointer, int v)
{
    int64_t bytes = v * k->m->lanes * k->m->unit;
    return bytes ? cpu_matrix_offset(k->m, pointer, cpu_i64(k->m->e, bytes)) : pointer;
}

static LLVMValueRef mask_of(struct micro_kernel *k, int v)
{
    return v == k->vectors - 1 ? k->mask : NULL;
}

LLVMValueRef cpu_micro_load(struct micro_kernel *k, LLVMTypeRef element, LLVMValueRef pointer,
                            int v)
{
    int64_t align = (int64_t)ir_elem_bytes(k->m->packed); /* user memory may have no more */
    return cpu_matrix_load(k->m, cpu_vector(element, k->m->lanes), vector_place(k, pointer, v),
                           align, mask_of(k, v));
}

static void store_vector(struct micro_kernel *k, LLVMValueRef value, LLVMValueRef pointer, int v)
{
    cpu_matrix_store(k->m, value, vector_place(k, pointer, v), k->m->unit, mask_of(k, v));
}

/* ---- sums ------------------------------------------------------------------------------------ */

static LLVMValueRef row_place(struct micro_kernel *k, LLVMValueRef pointer, LLVMValueRef distance,
                              int r)
{
    struct cpu_emit *e = k->m->e;
    LLVMValueRef row = cpu_i64(e, r);
    if (k->edge && r > 0) {
        LLVMValueRef last = LLVMBuildSub(e->builder, k->p[KERNEL_ROWS], cpu_i64(e, 1), "");
        row = cpu_min_i64(e, row, last);
    }
    return r ? cpu_matrix_offset(k->m, pointer, LLVMBuildMul(e->builder, row, distance, ""))
             : pointer;
}

void cpu_micro_start_sums(struct micro_kernel *k)
{
    struct cpu_matrix *m = k->m;
    struct cpu_emit *e = m->e;
    LLVMTypeRef type = cpu_vector(m->sum_type, m->lanes);
    LLVMValueRef start =
        cpu_splat(e, cpu_constant(e, ir_scalar(m->sum), m->plan->accumulators[0].start), m->lanes);
    for (int r = 0; r < k->rows; r++)
        for (int v = 0; v < k->vectors; v++)
            k->slots[r][v] = cpu_alloca(e, type, "sum");
    struct cpu_branch branch;
    LLVMIntPredicate loads = m->converts ? LLVMIntEQ : LLVMIntNE;
    LLVMValueRef which = cpu_i64(e, m->converts ? CPU_MATRIX_LOAD : CPU_MATRIX_START);
    cpu_branch_begin(e, &branch, LLVMBuildICmp(e->builder, loads, k->p[KERNEL_LOAD], which, ""));
    for (int r = 0; r < k->rows; r++) {
        LLVMValueRef place = row_place(k, k->p[KERNEL_C], k->p[KERNEL_C_ROW], r);
        for (int v = 0; v < k->vectors; v++)
            LLVMBuildStore(e->builder, cpu_micro_load(k, m->sum_type, place, v), k->slots[r][v]);
    }
    cpu_branch_else(e, &branch);
    for (int r = 0; r < k->rows; r++)
        for (int v = 0; v < k->vectors; v++)
            LLVMBuildStore(e->builder, start, k->slots[r][v]);
    cpu_branch_end(e, &branch);
}

static void fetch_sums(struct micro_kernel *k)
{
    struct cpu_matrix *m = k->m;
    struct cpu_emit *e = m->e;
    struct cpu_branch far;
    if (k->far_sums)
        cpu_branch_begin(e, &far, k->far_sums);
    for (int r = 0; r < k->rows; r++) {
        LLVMValueRef place = row_place(k, k->p[KERNEL_NEXT_C], k->p[KERNEL_C_ROW], r);
        for (int v = 0; v < k->vectors; v++)
            cpu_matrix_fetch(m, vector_place(k, place, v), 1);
    }
    if (k->far_sums)
        cpu_branch_end(e, &far);
}

/* What moving B's elements added to all sums of a row, in all lanes; NULL where they are not moved. */
static LLVMValueRef moved_sum(struct micro_kernel *k, int row)
{
    struct cpu_matrix *m = k->m;
    struct cpu_emit *e = m->e;
    if (!cpu_matrix_moves_b(m))
        return NULL;
    LLVMValueRef place = cpu_matrix_offset(m, k->p[KERNEL_MOVED], cpu_i64(e, row * m->unit));
    return cpu_splat(e, LLVMBuildLoad2(e->builder, m->sum_type, place, ""), m->lanes);
}

void cpu_micro_store_row(struct micro_kernel *k, int row, bool converts)
{
    struct cpu_matrix *m = k->m;
    struct cpu_emit *e = m->e;
    LLVMTypeRef type = cpu_vector(m->sum_type, m->lanes);
    int64_t bytes = (int64_t)ir_elem_bytes(m->plan->plain_elem);
    LLVMValueRef place = row_place(k, k->p[KERNEL_C], k->p[KERNEL_C_ROW], row);
    LLVMValueRef moved = moved_sum(k, row);
    for (int v = 0; v < k->vectors; v++) {
        LLVMValueRef sum = LLVMBuildLoad2(e->builder, type, k->slots[row][v], "");
        if (moved)
            sum = LLVMBuildSub(e->builder, sum, moved, "");
        if (!converts) {
            store_vector(k, sum, place, v);
            continue;
        }
        LLVMValueRef way = cpu_i64(e, v * m->lanes * bytes);
        LLVMValueRef to = cpu_matrix_offset(m, place, way);
        cpu_matrix_store(m, cpu_matrix_convert(m, sum), to, bytes, NULL);
    }
}

void cpu_micro_store_sums(struct micro_kernel *k, bool converts)
{
    for (int r = 0; r < k->rows; r++)
        cpu_micro_store_row(k, r, converts);
}

/* ---- tiles ----------------------------------------------------------------------------------- */

void cpu_micro_place_rows(struct micro_kernel *k)
{
    for (int r = 0; r < k->rows; r++)
        k->row[r] = row_place(k, k->p[KERNEL_A], k->p[KERNEL_A_ROW], r);
}

LLVMValueRef cpu_micro_before_last(struct micro_kernel *k)
{
    struct cpu_emit *e = k->m->e;
    LLVMValueRef steps = k->p[KERNEL_STEPS], last = cpu_i64(e, k->m->machine->last_steps);
    if (!k->m->machine->last_steps)
        return steps;
    k->has_last = LLVMBuildICmp(e->builder, LLVMIntSGE, steps, last, "");
    return LLVMBuildSelect(e->builder, k->has_last, LLVMBuildSub(e->builder, steps, last, ""),
                           steps, "");
}

void cpu_micro_finish(struct micro_kernel *k, LLVMValueRef before, bool converts)
{
    struct cpu_branch branch;
    if (k->has_last) {
        cpu_branch_begin(k->m->e, &branch, k->has_last);
        cpu_micro_last_steps(k, before, converts);
        cpu_branch_else(k->m->e, &branch);
    }
    cpu_micro_store_sums(k, converts);
    if (k->has_last)
        cpu_branch_end(k->m->e, &branch);
}

/* One tile: the place of its sums is c, of its columns of B b. */
static void emit_tile(struct micro_kernel *k)
{
    struct cpu_matrix *m = k->m;
    struct cpu_emit *e = m->e;
    cpu_micro_start_sums(k);
    if (!k->edge && m->machine->fetch_sums)
        fetch_sums(k);
    LLVMValueRef before = cpu_micro_before_last(k);
    cpu_micro_depth(k, before);
    struct cpu_branch branch;
    bool converts = m->converts && !k->edge;
    if (converts) {
        LLVMValueRef which = cpu_i64(e, CPU_MATRIX_CONVERT);
        cpu_branch_begin(e, &branch,
                         LLVMBuildICmp(e->builder, LLVMIntEQ, k->p[KERNEL_LOAD], which, ""));
        cpu_micro_finish(k, before, true);
        cpu_branch_else(e, &branch);
    }
    cpu_micro_finish(k, before, false);
    if (converts)
        cpu_branch_end(e, &branch);
}

/* Some tiles side by side. */
static void emit_tiles(struct micro_kernel *k)
{
    struct cpu_emit *e = k->m->e;
    LLVMValueRef b = cpu_micro_moving(k, KERNEL_B), c = cpu_micro_moving(k, KERNEL_C),
                 next_a = cpu_micro_moving(k, KERNEL_NEXT_A);
    LLVMValueRef next_c = k->p[KERNEL_NEXT_C], ahead = k->p[KERNEL_AHEAD];
    LLVMValueRef end = LLVMBuildSub(e->builder, k->p[KERNEL_TILES], cpu_i64(e, 1), "");
    struct cpu_loop tiles;
    cpu_loop_enter(e, &tiles, cpu_i64(e, 0), k->p[KERNEL_TILES], 1);
    LLVMValueRef last = LLVMBuildICmp(e->builder, LLVMIntEQ, tiles.index, end, "");
    k->p[KERNEL_B] = cpu_micro_move_on(k, b, k->p[KERNEL_B_PANEL]);
    k->p[KERNEL_C] = cpu_micro_move_on(k, c, k->p[KERNEL_C_TILE]);
    k->p[KERNEL_NEXT_A] = cpu_micro_move_on(k, next_a, k->p[KERNEL_NEXT_A_PIECE]);
    LLVMValueRef beside = cpu_matrix_offset(k->m, k->p[KERNEL_C], k->p[KERNEL_C_TILE]);
    k->p[KERNEL_NEXT_C] = LLVMBuildSelect(e->builder, last, next_c, beside, "");
    k->p[KERNEL_AHEAD] = LLVMBuildSelect(e->builder, last, k->p[KERNEL_LAST_AHEAD], ahead, "");
    emit_tile(k);
    cpu_loop_end(e, &tiles);
}

/* ---- the functions --------------------------------------------------------------------------- */

/* The same mask, from signs that stay in a register: LLVM would compare in each step, with two vectors that
 * there are no registers for, so that sums wait in memory (257x255x259 of float: 7%). */
static LLVMValueRef in_register(struct cpu_matrix *m, LLVMValueRef mask)
{
    struct cpu_emit *e = m->e;
    LLVMTypeRef type =
        cpu_vector(LLVMIntTypeInContext(e->context, (unsigned)m->unit * 8), m->lanes);
    LLVMValueRef signs = LLVMBuildSExt(e->builder, mask, type, "");
    cpu_matrix_keep(m, &signs, 1);
    return LLVMBuildICmp(e->builder, LLVMIntSLT, signs, LLVMConstNull(type), "");
}

static void emit_body(struct micro_kernel *k)
{
    struct cpu_matrix *m = k->m;
    struct cpu_emit *e = m->e;
    for (int i = 0; i < cpu_matrix_kernel_parameters(m); i++)
        k->p[i] = LLVMGetParam(e->function, (unsigned)i);
    if (k->edge && m->masks) {
        LLVMValueRef full = cpu_i64(e, (int64_t)(k->vectors - 1) * m->lanes);
        k->mask =
            cpu_matrix_mask(m, LLVMBuildSub(e->builder, k->p[KERNEL_COLUMNS], full, ""), m->lanes);
        if (e->level->vector_bits < 512)
            k->mask = in_register(m, k->mask);
    }
    cpu_micro_place_rows(k);
    if (m->machine->near_bytes) /* next_c is c where they are near */
        k->far_sums = LLVMBuildICmp(e->builder, LLVMIntNE, k->p[KERNEL_NEXT_C], k->p[KERNEL_C], "");
    if (m->machine->passes && !k->edge)
        emit_tiles(k);
    else
        emit_tile(k);
}

static LLVMValueRef emit_kernel(struct cpu_matrix *m, int rows, int vectors, bool edge)
{
    struct micro_kernel *k = ARENA_NEW(m->e->arena, struct micro_kernel);
    *k = (struct micro_kernel){.m = m, .rows = rows, .vectors = vectors, .edge = edge};
    const char *name =
        arena_format(m->e->arena, "%s%dx%d", edge ? "edge" : "kernel", rows, vectors * m->lanes);
    LLVMValueRef function = cpu_matrix_begin(m, name, m->kernel_type);
    emit_body(k);
    cpu_matrix_end(m);
    return function;
}

int cpu_matrix_kernel_parameters(const struct cpu_matrix *m)
{
    return m->machine->passes ? KERNEL_PARAMETERS : KERNEL_AHEAD;
}

void cpu_matrix_kernels(struct cpu_matrix *m)
{
    struct cpu_emit *e = m->e;
    static const int pointers[] = {KERNEL_A,      KERNEL_B,      KERNEL_C,    KERNEL_MOVED,
                                   KERNEL_NEXT_C, KERNEL_NEXT_A, KERNEL_FROM, KERNEL_TO};
    LLVMTypeRef types[KERNEL_PARAMETERS];
    for (int i = 0; i < KERNEL_PARAMETERS; i++)
        types[i] = e->i64;
    for (size_t i = 0; i < sizeof pointers / sizeof *pointers; i++)
        types[pointers[i]] = e->pointer;
    unsigned count = (unsigned)cpu_matrix_kernel_parameters(m);
    m->kernel_type = LLVMFunctionType(e->void_type, types, count, false);
    for (int rows = CPU_MATRIX_LEAST_ROWS; rows <= CPU_MATRIX_ROWS; rows++)
        m->kernels[rows] = emit_kernel(m, rows, m->vectors, false);
    for (int v = 1; v <= m->vectors; v++)
        m->edges[v] = emit_kernel(m, CPU_MATRIX_ROWS, v, true);
}
