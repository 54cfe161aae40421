/*
 * Micro-kernels: rows x vectors sums in registers over a block of K.
 *
 *   void kernel(a, a_row, b, b_step, c, c_row, steps, load, rows, columns)
 *
 * adds to the sums at c (load), or to the start value, what `steps` units of K give. a is row-major,
 * b_step is the distance of steps in b; distances are in bytes. A full kernel has its rows and
 * columns by name. An edge kernel has 6 rows, of which those from `rows` on repeat the last one (the
 * same values are stored twice), and masks in its last vector of columns.
 *
 * 6 x 4 vectors leave 8 of 32 registers for B and A, 6 x 2 leave 4 of 16; taller tiles lose because
 * rows of C that are a power of two apart share a cache set.
 */
#include "cpu/matrix.h"

enum { A, A_ROW, B, B_STEP, C, C_ROW, STEPS, LOAD, ROWS, COLUMNS, PARAMETERS };

struct kernel {
    struct cpu_matrix *m;
    LLVMValueRef p[PARAMETERS];
    int rows, vectors;
    bool edge;
    LLVMValueRef mask; /* of the last vector; NULL: full */
    LLVMValueRef row[CPU_MATRIX_ROWS];
    LLVMValueRef slots[CPU_MATRIX_ROWS][CPU_MATRIX_MOST_VECTORS];
};

/* ---- memory ---------------------------------------------------------------------------------- */

static LLVMValueRef vector_place(struct kernel *k, LLVMValueRef pointer, int v)
{
    int64_t bytes = v * k->m->lanes * k->m->unit;
    return bytes ? cpu_matrix_offset(k->m, pointer, cpu_i64(k->m->e, bytes)) : pointer;
}

static LLVMValueRef mask_of(struct kernel *k, int v)
{
    return v == k->vectors - 1 ? k->mask : NULL;
}

static LLVMValueRef load_vector(struct kernel *k, LLVMTypeRef element, LLVMValueRef pointer, int v)
{
    struct cpu_emit *e = k->m->e;
    LLVMTypeRef type = cpu_vector(element, k->m->lanes);
    LLVMValueRef mask = mask_of(k, v);
    int64_t align = (int64_t)ir_elem_bytes(k->m->packed); /* user memory may have no more */
    pointer = vector_place(k, pointer, v);
    if (!mask) {
        LLVMValueRef load = LLVMBuildLoad2(e->builder, type, pointer, "");
        cpu_set_align(load, align);
        return load;
    }
    LLVMTypeRef overloads[] = {type, e->pointer};
    LLVMValueRef operands[] = {pointer, LLVMConstInt(e->i32, (unsigned long long)align, false), mask,
                               LLVMConstNull(type)};
    return cpu_intrinsic(e, "llvm.masked.load", 2, overloads, 4, operands);
}

static void store_vector(struct kernel *k, LLVMValueRef value, LLVMValueRef pointer, int v)
{
    struct cpu_emit *e = k->m->e;
    LLVMValueRef mask = mask_of(k, v);
    pointer = vector_place(k, pointer, v);
    if (!mask) {
        cpu_set_align(LLVMBuildStore(e->builder, value, pointer), k->m->unit);
        return;
    }
    LLVMTypeRef overloads[] = {LLVMTypeOf(value), e->pointer};
    LLVMValueRef operands[] = {value, pointer,
                               LLVMConstInt(e->i32, (unsigned long long)k->m->unit, false), mask};
    cpu_intrinsic(e, "llvm.masked.store", 2, overloads, 4, operands);
}

/* ---- one step -------------------------------------------------------------------------------- */

static LLVMValueRef multiply_add(struct kernel *k, LLVMValueRef a, LLVMValueRef b, LLVMValueRef sum)
{
    struct cpu_matrix *m = k->m;
    struct cpu_emit *e = m->e;
    LLVMTypeRef type = LLVMTypeOf(sum);
    LLVMTypeRef shorts = LLVMVectorType(LLVMInt16TypeInContext(e->context), (unsigned)m->lanes * 2);
    switch (m->step) {
    case CPU_MATRIX_BF16: {
        LLVMTypeRef pairs =
            LLVMVectorType(LLVMBFloatTypeInContext(e->context), (unsigned)m->lanes * 2);
        LLVMValueRef operands[] = {sum, LLVMBuildBitCast(e->builder, a, pairs, ""),
                                   LLVMBuildBitCast(e->builder, b, pairs, "")};
        return cpu_intrinsic(e, "llvm.x86.avx512bf16.dpbf16ps.512", 0, NULL, 3, operands);
    }
    case CPU_MATRIX_VNNI: {
        LLVMValueRef operands[] = {sum, a, b};
        return cpu_intrinsic(e, "llvm.x86.avx512.vpdpbusd.512", 0, NULL, 3, operands);
    }
    case CPU_MATRIX_MADD: {
        LLVMValueRef operands[] = {LLVMBuildBitCast(e->builder, a, shorts, ""),
                                   LLVMBuildBitCast(e->builder, b, shorts, "")};
        const char *name = m->lanes == 16 ? "llvm.x86.avx512.pmaddw.d.512"
                                          : "llvm.x86.avx2.pmadd.wd";
        return LLVMBuildAdd(e->builder, cpu_intrinsic(e, name, 0, NULL, 2, operands), sum, "");
    }
    case CPU_MATRIX_FMA:
        break;
    }
    if (!ir_is_float(m->sum))
        return LLVMBuildAdd(e->builder, LLVMBuildMul(e->builder, a, b, ""), sum, "");
    if (!e->level->features.fma)
        return LLVMBuildFAdd(e->builder, LLVMBuildFMul(e->builder, a, b, ""), sum, "");
    LLVMValueRef operands[] = {a, b, sum};
    return cpu_intrinsic(e, "llvm.fma", 1, &type, 3, operands);
}

/* A's unit of a row at a step, in every lane. */
static LLVMValueRef spread_a(struct kernel *k, int row, LLVMValueRef step)
{
    struct cpu_emit *e = k->m->e;
    LLVMValueRef place =
        LLVMBuildGEP2(e->builder, k->m->unit_type, k->row[row], &step, 1, "");
    LLVMValueRef load = LLVMBuildLoad2(e->builder, k->m->unit_type, place, "");
    cpu_set_align(load, (int64_t)ir_elem_bytes(k->m->packed));
    return cpu_splat(e, load, k->m->lanes);
}

static void one_step(struct kernel *k, LLVMValueRef step, LLVMValueRef b_place)
{
    struct cpu_matrix *m = k->m;
    struct cpu_emit *e = m->e;
    LLVMTypeRef type = cpu_vector(m->sum_type, m->lanes);
    LLVMValueRef b[CPU_MATRIX_MOST_VECTORS];
    for (int v = 0; v < k->vectors; v++)
        b[v] = load_vector(k, m->unit_type, b_place, v);
    for (int r = 0; r < k->rows; r++) {
        LLVMValueRef a = spread_a(k, r, step);
        for (int v = 0; v < k->vectors; v++) {
            LLVMValueRef sum = LLVMBuildLoad2(e->builder, type, k->slots[r][v], "");
            LLVMBuildStore(e->builder, multiply_add(k, a, b[v], sum), k->slots[r][v]);
        }
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

static LLVMValueRef row_place(struct kernel *k, LLVMValueRef pointer, LLVMValueRef distance, int r)
{
    struct cpu_emit *e = k->m->e;
    LLVMValueRef row = cpu_i64(e, r);
    if (k->edge && r > 0) {
        LLVMValueRef last = LLVMBuildSub(e->builder, k->p[ROWS], cpu_i64(e, 1), "");
        row = cpu_min_i64(e, row, last);
    }
    return r ? cpu_matrix_offset(k->m, pointer, LLVMBuildMul(e->builder, row, distance, ""))
             : pointer;
}

static void start_sums(struct kernel *k)
{
    struct cpu_matrix *m = k->m;
    struct cpu_emit *e = m->e;
    LLVMTypeRef type = cpu_vector(m->sum_type, m->lanes);
    LLVMValueRef start = cpu_splat(
        e, cpu_constant(e, ir_scalar(m->sum), m->plan->accumulators[0].start), m->lanes);
    for (int r = 0; r < k->rows; r++)
        for (int v = 0; v < k->vectors; v++)
            k->slots[r][v] = cpu_alloca(e, type, "sum");
    struct cpu_branch branch;
    cpu_branch_begin(e, &branch, LLVMBuildICmp(e->builder, LLVMIntNE, k->p[LOAD], cpu_i64(e, 0), ""));
    for (int r = 0; r < k->rows; r++) {
        LLVMValueRef place = row_place(k, k->p[C], k->p[C_ROW], r);
        for (int v = 0; v < k->vectors; v++)
            LLVMBuildStore(e->builder, load_vector(k, m->sum_type, place, v), k->slots[r][v]);
    }
    cpu_branch_else(e, &branch);
    for (int r = 0; r < k->rows; r++)
        for (int v = 0; v < k->vectors; v++)
            LLVMBuildStore(e->builder, start, k->slots[r][v]);
    cpu_branch_end(e, &branch);
}

/* What moving A's elements by 128 added; it stands behind the panel's last step. */
static LLVMValueRef corrected(struct kernel *k, LLVMValueRef sum, LLVMValueRef behind, int v)
{
    if (k->m->step != CPU_MATRIX_VNNI)
        return sum;
    return LLVMBuildSub(k->m->e->builder, sum, load_vector(k, k->m->sum_type, behind, v), "");
}

static void emit_body(struct kernel *k)
{
    struct cpu_matrix *m = k->m;
    struct cpu_emit *e = m->e;
    LLVMTypeRef type = cpu_vector(m->sum_type, m->lanes);
    for (int i = 0; i < PARAMETERS; i++)
        k->p[i] = LLVMGetParam(e->function, (unsigned)i);
    if (k->edge && m->masks) {
        LLVMValueRef full = cpu_i64(e, (int64_t)(k->vectors - 1) * m->lanes);
        k->mask = cpu_matrix_mask(m, LLVMBuildSub(e->builder, k->p[COLUMNS], full, ""), m->lanes);
    }
    for (int r = 0; r < k->rows; r++)
        k->row[r] = row_place(k, k->p[A], k->p[A_ROW], r);
    start_sums(k);
    LLVMValueRef b_slot = cpu_alloca(e, e->pointer, "b");
    LLVMBuildStore(e->builder, k->p[B], b_slot);
    struct cpu_loop loop;
    cpu_loop_begin(e, &loop, cpu_i64(e, 0), k->p[STEPS], 1);
    LLVMValueRef b = LLVMBuildLoad2(e->builder, e->pointer, b_slot, "");
    one_step(k, loop.index, b);
    LLVMBuildStore(e->builder, cpu_matrix_offset(m, b, k->p[B_STEP]), b_slot);
    cpu_loop_end(e, &loop);
    LLVMValueRef behind = LLVMBuildLoad2(e->builder, e->pointer, b_slot, "");
    for (int r = 0; r < k->rows; r++) {
        LLVMValueRef place = row_place(k, k->p[C], k->p[C_ROW], r);
        for (int v = 0; v < k->vectors; v++) {
            LLVMValueRef sum = LLVMBuildLoad2(e->builder, type, k->slots[r][v], "");
            store_vector(k, corrected(k, sum, behind, v), place, v);
        }
    }
}

static LLVMValueRef emit_kernel(struct cpu_matrix *m, int rows, int vectors, bool edge)
{
    struct kernel *k = ARENA_NEW(m->e->arena, struct kernel);
    *k = (struct kernel){.m = m, .rows = rows, .vectors = vectors, .edge = edge};
    const char *name =
        arena_format(m->e->arena, "%s%dx%d", edge ? "edge" : "kernel", rows, vectors * m->lanes);
    LLVMValueRef function = cpu_matrix_begin(m, name, m->kernel_type);
    emit_body(k);
    cpu_matrix_end(m);
    return function;
}

void cpu_matrix_kernels(struct cpu_matrix *m)
{
    struct cpu_emit *e = m->e;
    LLVMTypeRef types[PARAMETERS] = {e->pointer, e->i64, e->pointer, e->i64, e->pointer,
                                     e->i64,     e->i64, e->i64,     e->i64, e->i64};
    m->kernel_type = LLVMFunctionType(e->void_type, types, PARAMETERS, false);
    for (int rows = 1; rows <= CPU_MATRIX_ROWS; rows++)
        m->kernels[rows] = emit_kernel(m, rows, m->vectors, false);
    for (int v = 1; v <= m->vectors; v++)
        m->edges[v] = emit_kernel(m, CPU_MATRIX_ROWS, v, true);
}
