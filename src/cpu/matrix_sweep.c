/*
 * Products of a few rows, where memory is all that counts; see matrix.h.
 *
 *   void sweep(a, a_row, a_step, b, b_inner, c, c_row, rows, columns, depth, load, far)
 *
 * A's rows times B as it lies: c[i, j] += a[i, k] b[k, j], DEEP rows of B at a time over all columns, so that
 * B is read once and in a few long streams, while c stays in L1 or L2. A has rows of units, a_step bytes
 * apart; B is converted and becomes units on the way. One function is for one row, the other for as many as
 * CPU_MATRIX_SWEEP_ROWS, of which those from `rows` on repeat the last one. far (where there is
 * machine->far_bytes and B is used as it lies): B exceeds the caches.
 */
#include "cpu/matrix.h"

enum { DEEP = 8 };
enum { A, A_ROW, A_STEP, B, B_INNER, C, C_ROW, ROWS, COLUMNS, DEPTH, LOAD, FAR, PARAMETERS };

struct sweep {
    struct cpu_matrix *m;
    LLVMValueRef p[PARAMETERS];
    int rows;
    bool far; /* what is emitted fetches B ahead */
    LLVMValueRef row_a[CPU_MATRIX_SWEEP_ROWS], row_c[CPU_MATRIX_SWEEP_ROWS];
    LLVMValueRef a[CPU_MATRIX_SWEEP_ROWS][DEEP]; /* in all lanes */
    LLVMValueRef moved[CPU_MATRIX_SWEEP_ROWS];   /* what moving B's elements adds, in all lanes */
};

/* The place of a row's sums, `v` vectors behind a column. */
static LLVMValueRef sums_place(struct sweep *s, int row, LLVMValueRef column, int v)
{
    struct cpu_matrix *m = s->m;
    struct cpu_emit *e = m->e;
    column = cpu_add(e, column, cpu_i64(e, (int64_t)v * m->lanes));
    return cpu_matrix_offset(m, s->row_c[row], cpu_mul(e, column, cpu_i64(e, m->unit)));
}

/* Units from element k0 of K on, of some vectors of columns side by side; valid: as below. */
static void read_units_of_b(struct sweep *s, LLVMValueRef place, LLVMValueRef k0, int vectors,
                            LLVMValueRef valid, LLVMValueRef *units)
{
    struct cpu_matrix *m = s->m;
    int64_t bytes = m->lanes * cpu_matrix_element(m, true);
    if (vectors > 1 && cpu_matrix_by_lines(m)) {
        cpu_matrix_line_units(m, place, s->p[B_INNER], units);
        return;
    }
    for (int v = 0; v < vectors; v++) {
        LLVMValueRef at = v ? cpu_matrix_offset(m, place, cpu_i64(m->e, v * bytes)) : place;
        units[v] = cpu_matrix_units(m, at, s->p[B_INNER], k0, s->p[DEPTH], valid);
    }
}

/* Some vectors of sums of each row, and some units of B from number `first` on. valid: columns, of one
 * vector, or NULL for all of the vectors and of K. All sums are read before one is stored: rows may be the
 * same. */
static void sweep_vectors(struct sweep *s, LLVMValueRef first, LLVMValueRef column, int vectors,
                          int units, LLVMValueRef load, LLVMValueRef valid)
{
    struct cpu_matrix *m = s->m;
    struct cpu_emit *e = m->e;
    LLVMValueRef mask = valid ? cpu_matrix_mask(m, valid, m->lanes) : NULL;
    LLVMTypeRef type = cpu_vector(m->sum_type, m->lanes);
    LLVMValueRef start = cpu_splat(
        e, cpu_constant(e, ir_scalar(m->sum), m->plan->accumulators[0].start), m->lanes);
    LLVMValueRef sums[CPU_MATRIX_SWEEP_ROWS][CPU_MATRIX_MOST_VECTORS];
    LLVMValueRef b[CPU_MATRIX_MOST_VECTORS];
    for (int r = 0; r < s->rows; r++)
        for (int v = 0; v < vectors; v++)
            sums[r][v] = LLVMBuildSelect(
                e->builder, load,
                cpu_matrix_load(m, type, sums_place(s, r, column, v), m->unit, mask), start, "");
    LLVMValueRef way = LLVMBuildMul(e->builder, column, cpu_i64(e, cpu_matrix_element(m, true)), "");
    for (int i = 0; i < units; i++) {
        LLVMValueRef k0 = LLVMBuildMul(e->builder, cpu_add(e, first, cpu_i64(e, i)),
                                       cpu_i64(e, m->group), "");
        LLVMValueRef at = cpu_add(e, LLVMBuildMul(e->builder, k0, s->p[B_INNER], ""), way);
        LLVMValueRef place = cpu_matrix_offset(m, s->p[B], at);
        if (s->far)
            cpu_matrix_fetch(m, cpu_matrix_offset(m, place, cpu_i64(e, m->machine->far_ahead)),
                             m->machine->far_level);
        read_units_of_b(s, place, k0, vectors, valid, b);
        for (int r = 0; r < s->rows; r++)
            for (int v = 0; v < vectors; v++)
                sums[r][v] = cpu_matrix_multiply(m, s->a[r][i], b[v], sums[r][v]);
    }
    for (int r = 0; r < s->rows; r++) {
        for (int v = 0; v < vectors; v++) {
            if (cpu_matrix_moves_b(m))
                sums[r][v] = LLVMBuildSub(e->builder, sums[r][v], s->moved[r], "");
            cpu_matrix_store(m, sums[r][v], sums_place(s, r, column, v), m->unit, mask);
        }
    }
}

static void read_units_of_a(struct sweep *s, int row, LLVMValueRef first, int units)
{
    struct cpu_matrix *m = s->m;
    struct cpu_emit *e = m->e;
    s->moved[row] = LLVMConstNull(cpu_vector(m->sum_type, m->lanes));
    for (int i = 0; i < units; i++) {
        LLVMValueRef unit = cpu_add(e, first, cpu_i64(e, i));
        LLVMValueRef at =
            cpu_matrix_offset(m, s->row_a[row], LLVMBuildMul(e->builder, unit, s->p[A_STEP], ""));
        LLVMValueRef a = LLVMBuildLoad2(e->builder, m->unit_type, at, "");
        cpu_set_align(a, (int64_t)ir_elem_bytes(m->packed));
        s->a[row][i] = cpu_splat(e, a, m->lanes);
        if (cpu_matrix_moves_b(m))
            s->moved[row] =
                cpu_matrix_multiply(m, s->a[row][i], cpu_matrix_moved(m), s->moved[row]);
    }
}

/*
 * How many vectors of columns are taken together: those that whole lines of bytes make up, or a line of sums.
 * With half a line at a time (AVX2) rows of B give up to a tenth less from memory, and four rows, which read
 * all of A again for each, a fifth.
 */
static int vectors_together(const struct cpu_matrix *m)
{
    enum { LINE = 64 };
    return cpu_matrix_by_lines(m) ? m->vectors : (int)(LINE / (m->lanes * m->unit));
}

/* From unit `first` on, as many as `units`, over all columns. whole: all are within K. */
static void sweep_units(struct sweep *s, LLVMValueRef first, int units, bool whole)
{
    struct cpu_matrix *m = s->m;
    struct cpu_emit *e = m->e;
    LLVMValueRef later = LLVMBuildICmp(e->builder, LLVMIntNE, first, cpu_i64(e, 0), "");
    LLVMValueRef load = LLVMBuildOr(
        e->builder, LLVMBuildICmp(e->builder, LLVMIntNE, s->p[LOAD], cpu_i64(e, 0), ""), later, "");
    for (int r = 0; r < s->rows; r++)
        read_units_of_a(s, r, first, units);
    LLVMValueRef over = LLVMBuildURem(e->builder, s->p[COLUMNS], cpu_i64(e, m->lanes), "");
    LLVMValueRef full = LLVMBuildSub(e->builder, s->p[COLUMNS], over, ""), wide = cpu_i64(e, 0);
    struct cpu_loop columns;
    int together = vectors_together(m);
    if (whole && together > 1) {
        int64_t line = (int64_t)m->lanes * together;
        wide = LLVMBuildURem(e->builder, s->p[COLUMNS], cpu_i64(e, line), "");
        wide = LLVMBuildSub(e->builder, s->p[COLUMNS], wide, "");
        cpu_loop_begin(e, &columns, cpu_i64(e, 0), wide, line);
        sweep_vectors(s, first, columns.index, together, units, load, NULL);
        cpu_loop_end(e, &columns);
    }
    cpu_loop_begin(e, &columns, wide, full, m->lanes);
    sweep_vectors(s, first, columns.index, 1, units, load, whole ? NULL : cpu_i64(e, m->lanes));
    cpu_loop_end(e, &columns);
    struct cpu_branch tail;
    cpu_branch_begin(e, &tail, LLVMBuildICmp(e->builder, LLVMIntNE, over, cpu_i64(e, 0), ""));
    sweep_vectors(s, first, full, 1, units, load, over);
    cpu_branch_end(e, &tail);
}

/* A B that no cache holds, by one row: so many rows of it at a time as the machine fetches best.
 * Returns how many units are done. */
static LLVMValueRef emit_far(struct sweep *s, LLVMValueRef full)
{
    struct cpu_matrix *m = s->m;
    struct cpu_emit *e = m->e;
    if (s->rows > 1 || cpu_matrix_sweep_parameters(m) != PARAMETERS)
        return cpu_i64(e, 0);
    int deep = m->machine->far_rows;
    LLVMValueRef done = cpu_alloca(e, e->i64, "done"), over;
    LLVMBuildStore(e->builder, cpu_i64(e, 0), done);
    struct cpu_branch far;
    struct cpu_loop rows;
    cpu_branch_begin(e, &far, LLVMBuildICmp(e->builder, LLVMIntNE, s->p[FAR], cpu_i64(e, 0), ""));
    over = LLVMBuildURem(e->builder, full, cpu_i64(e, deep), "");
    LLVMValueRef whole = LLVMBuildSub(e->builder, full, over, "");
    s->far = true;
    cpu_loop_begin(e, &rows, cpu_i64(e, 0), whole, deep);
    sweep_units(s, rows.index, deep, true);
    cpu_loop_end(e, &rows);
    s->far = false;
    LLVMBuildStore(e->builder, whole, done);
    cpu_branch_end(e, &far);
    return LLVMBuildLoad2(e->builder, e->i64, done, "");
}

int cpu_matrix_sweep_parameters(const struct cpu_matrix *m)
{
    return m->machine->far_bytes && cpu_matrix_takes_plain_b(m) ? PARAMETERS : FAR;
}

static LLVMValueRef emit_sweep(struct cpu_matrix *m, int most_rows)
{
    struct cpu_emit *e = m->e;
    struct sweep *s = ARENA_NEW(e->arena, struct sweep);
    *s = (struct sweep){.m = m, .rows = most_rows};
    LLVMValueRef function =
        cpu_matrix_begin(m, arena_format(e->arena, "sweep%d", most_rows), m->sweep_type);
    for (int i = 0; i < cpu_matrix_sweep_parameters(m); i++)
        s->p[i] = LLVMGetParam(function, (unsigned)i);
    LLVMValueRef last = LLVMBuildSub(e->builder, s->p[ROWS], cpu_i64(e, 1), "");
    for (int r = 0; r < s->rows; r++) {
        LLVMValueRef row = cpu_min_i64(e, cpu_i64(e, r), last);
        s->row_a[r] =
            cpu_matrix_offset(m, s->p[A], LLVMBuildMul(e->builder, row, s->p[A_ROW], ""));
        s->row_c[r] =
            cpu_matrix_offset(m, s->p[C], LLVMBuildMul(e->builder, row, s->p[C_ROW], ""));
    }
    int units = DEEP / m->group;
    LLVMValueRef full = LLVMBuildUDiv(e->builder, s->p[DEPTH], cpu_i64(e, m->group), "");
    LLVMValueRef over = LLVMBuildURem(e->builder, full, cpu_i64(e, units), "");
    LLVMValueRef whole = LLVMBuildSub(e->builder, full, over, "");
    LLVMValueRef done = emit_far(s, full);
    struct cpu_loop rows;
    cpu_loop_begin(e, &rows, done, whole, units);
    sweep_units(s, rows.index, units, true);
    cpu_loop_end(e, &rows);
    if (!LLVMIsConstant(done))
        whole = cpu_max_i64(e, whole, done);
    cpu_loop_begin(e, &rows, whole, cpu_matrix_cdiv(m, s->p[DEPTH], m->group), 1);
    sweep_units(s, rows.index, 1, m->group == 1);
    cpu_loop_end(e, &rows);
    struct cpu_branch empty;
    LLVMValueRef none = LLVMBuildICmp(e->builder, LLVMIntEQ, s->p[DEPTH], cpu_i64(e, 0), "");
    cpu_branch_begin(e, &empty, none);
    sweep_units(s, cpu_i64(e, 0), 0, true); /* what the sums start with */
    cpu_branch_end(e, &empty);
    cpu_matrix_end(m);
    return function;
}

void cpu_matrix_sweeps(struct cpu_matrix *m)
{
    struct cpu_emit *e = m->e;
    LLVMTypeRef types[] = {e->pointer, e->i64, e->i64, e->pointer, e->i64, e->pointer,
                           e->i64,     e->i64, e->i64, e->i64,     e->i64, e->i64};
    unsigned count = (unsigned)cpu_matrix_sweep_parameters(m);
    m->sweep_type = LLVMFunctionType(e->void_type, types, count, false);
    m->sweep_row = emit_sweep(m, 1);
    m->sweep_rows = emit_sweep(m, CPU_MATRIX_SWEEP_ROWS);
}
