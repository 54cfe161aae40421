/*
 * What moving B's bytes adds to the sums of a strip's rows; see matrix.h.
 *
 *   void sums(a, a_row, steps, rows, to)
 *
 * The instructions for bytes take one unsigned operand. B's elements are moved while they are packed, so
 * that A can be used as it lies; then a sum has `moved` times the sum of A's row too much, the same for all
 * columns. A strip has at most CPU_MATRIX_ROWS rows; those from `rows` on repeat the last one.
 */
#include "cpu/matrix.h"

enum { A, A_ROW, STEPS, ROWS, TO, PARAMETERS };
enum { SUMS = 8 }; /* that are stored */

struct sums {
    struct cpu_matrix *m;
    LLVMValueRef p[PARAMETERS];
    LLVMValueRef row[CPU_MATRIX_ROWS], slots[CPU_MATRIX_ROWS];
};

static void add_units(struct sums *s, LLVMValueRef step, LLVMValueRef mask)
{
    struct cpu_matrix *m = s->m;
    struct cpu_emit *e = m->e;
    LLVMTypeRef type = cpu_vector(m->sum_type, m->lanes);
    for (int r = 0; r < CPU_MATRIX_ROWS; r++) {
        LLVMValueRef place = LLVMBuildGEP2(e->builder, m->unit_type, s->row[r], &step, 1, "");
        LLVMValueRef units = cpu_matrix_load(m, type, place, 1, mask);
        LLVMValueRef sum = LLVMBuildLoad2(e->builder, type, s->slots[r], "");
        LLVMBuildStore(e->builder, cpu_matrix_multiply(m, units, cpu_matrix_moved(m), sum),
                       s->slots[r]);
    }
}

/* Sums of two neighbours each: those of a, then those of b. */
static LLVMValueRef add_neighbours(struct cpu_emit *e, LLVMValueRef a, LLVMValueRef b, int count)
{
    LLVMValueRef *places = ARENA_ARRAY(e->arena, LLVMValueRef, (size_t)count), halves[2];
    for (int odd = 0; odd < 2; odd++) {
        for (int i = 0; i < count; i++)
            places[i] = LLVMConstInt(e->i32, (unsigned long long)(2 * i + odd), false);
        LLVMValueRef mask = LLVMConstVector(places, (unsigned)count);
        halves[odd] = LLVMBuildShuffleVector(e->builder, a, b, mask, "");
    }
    return LLVMBuildAdd(e->builder, halves[0], halves[1], "");
}

/* All rows' lanes become one vector of SUMS sums. */
static LLVMValueRef reduce(struct sums *s)
{
    struct cpu_matrix *m = s->m;
    struct cpu_emit *e = m->e;
    LLVMTypeRef type = cpu_vector(m->sum_type, m->lanes);
    LLVMValueRef v[SUMS];
    for (int r = 0; r < SUMS; r++)
        v[r] = r < CPU_MATRIX_ROWS ? LLVMBuildLoad2(e->builder, type, s->slots[r], "")
                                   : LLVMConstNull(type);
    for (int count = SUMS; count > 1; count /= 2)
        for (int i = 0; i < count / 2; i++)
            v[i] = add_neighbours(e, v[2 * i], v[2 * i + 1], m->lanes);
    for (int lanes = m->lanes; lanes > SUMS; lanes /= 2)
        v[0] = add_neighbours(e, v[0], LLVMGetUndef(LLVMTypeOf(v[0])), lanes / 2);
    return v[0];
}

void cpu_matrix_sums(struct cpu_matrix *m)
{
    struct cpu_emit *e = m->e;
    struct sums *s = ARENA_NEW(e->arena, struct sums);
    *s = (struct sums){.m = m};
    LLVMTypeRef types[PARAMETERS] = {e->pointer, e->i64, e->i64, e->i64, e->pointer};
    m->sums_type = LLVMFunctionType(e->void_type, types, PARAMETERS, false);
    m->sums = cpu_matrix_begin(m, "sums", m->sums_type);
    for (int i = 0; i < PARAMETERS; i++)
        s->p[i] = LLVMGetParam(m->sums, (unsigned)i);
    LLVMTypeRef type = cpu_vector(m->sum_type, m->lanes);
    LLVMValueRef last = LLVMBuildSub(e->builder, s->p[ROWS], cpu_i64(e, 1), "");
    for (int r = 0; r < CPU_MATRIX_ROWS; r++) {
        LLVMValueRef row = cpu_min_i64(e, cpu_i64(e, r), last);
        s->row[r] = cpu_matrix_offset(m, s->p[A], LLVMBuildMul(e->builder, row, s->p[A_ROW], ""));
        s->slots[r] = cpu_alloca(e, type, "sum");
        LLVMBuildStore(e->builder, LLVMConstNull(type), s->slots[r]);
    }
    struct cpu_loop loop;
    cpu_loop_begin(e, &loop, cpu_i64(e, 0), s->p[STEPS], m->lanes);
    LLVMValueRef left = LLVMBuildSub(e->builder, s->p[STEPS], loop.index, "");
    add_units(s, loop.index, cpu_matrix_mask(m, left, m->lanes));
    cpu_loop_end(e, &loop);
    cpu_set_align(LLVMBuildStore(e->builder, reduce(s), s->p[TO]), m->unit);
    cpu_matrix_end(m);
}
