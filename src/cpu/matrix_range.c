/*
 * The function that takes a range of programs of a matrix product; see matrix.h.
 *
 * A range of programs is a share of the launch. Each batch (the programs that differ in rows and
 * columns only) gives the share's part of its columns, or of its rows where columns are few; the
 * source's blocks have no part in that. Ranges that cover the launch give parts that cover it.
 */
#include "cpu/matrix.h"

#include <string.h>

enum {
    MANY_COLUMNS = 128, /* from here on threads share columns, else rows */
    MANY_SHARED = 512,  /* the same where sharing columns costs more than sharing rows, */
    MANY_PLAIN = 1536,  /* and where B is seldom packed: bytes of a row of it */
    ROWS_SHARED = 2,    /* so many rows are not shared */
    LINE = 64,
};

struct range {
    struct cpu_matrix *m;
    LLVMValueRef arguments, grid, begin, end, scratch;
    LLVMValueRef batch; /* int64_t[3] on the stack */
    LLVMValueRef per_batch, batches;
    LLVMValueRef from, to; /* the share of a batch: programs of per_batch */
};

static bool is_batch_axis(const struct cpu_matrix *m, int axis)
{
    return axis != m->plan->row_axis && axis != m->plan->column_axis;
}

static void count_programs(struct range *r)
{
    struct cpu_emit *e = r->m->e;
    r->per_batch = r->batches = cpu_i64(e, 1);
    for (int k = 0; k < 3; k++) {
        LLVMValueRef *count = is_batch_axis(r->m, k) ? &r->batches : &r->per_batch;
        *count = cpu_mul(e, *count, e->grid[k]);
    }
}

/* Notes where batch number `index` stands on the grid's axes. */
static void set_batch(struct range *r, LLVMValueRef index)
{
    struct cpu_emit *e = r->m->e;
    for (int k = 0; k < 3; k++) {
        LLVMValueRef place = cpu_i64(e, 0), at = cpu_i64(e, k);
        if (is_batch_axis(r->m, k)) {
            place = LLVMBuildURem(e->builder, index, e->grid[k], "");
            index = LLVMBuildUDiv(e->builder, index, e->grid[k], "");
        }
        e->program[k] = place;
        LLVMBuildStore(e->builder, place, LLVMBuildGEP2(e->builder, e->i64, r->batch, &at, 1, ""));
    }
}

/* from/to of per_batch programs, as a part of `units`. */
static LLVMValueRef part(struct range *r, LLVMValueRef program, LLVMValueRef units)
{
    struct cpu_emit *e = r->m->e;
    return LLVMBuildUDiv(e->builder, LLVMBuildMul(e->builder, program, units, ""), r->per_batch,
                         "");
}

/*
 * Whether threads share a rectangle's columns. Then each packs a part of B, and packs or sums up all of A, if that is
 * done at all; where they share rows it is the other way round. And two threads write side by side in each row
 * of the result: to the same line, if rows do not start on lines, and else to lines which processors fetch ahead
 * from one another. So where A is packed or summed up, B is small and used as it lies, or lines are shared, they
 * share rows if there are no fewer of them (Zen 5 with two threads whose lines are far apart, us: 256^3 of half 70
 * and 66, int8 18.5 and 18.0, float 61.3 and 60.7; 257x255x259 of half 74 and 68, int8 26 and 21, bfloat 38.0 and
 * 37.3, float 64.1 and 63.5; 256x256x64 of float 17.2 and 16.5).
 */
static LLVMValueRef shares_columns(struct range *r, LLVMValueRef height, LLVMValueRef columns)
{
    struct cpu_matrix *m = r->m;
    struct cpu_emit *e = m->e;
    bool prepares_a = !cpu_matrix_keeps(m, false) || cpu_matrix_moves_b(m);
    LLVMValueRef many =
        LLVMBuildICmp(e->builder, LLVMIntSGE, columns, cpu_i64(e, MANY_COLUMNS), "");
    LLVMValueRef low =
        LLVMBuildICmp(e->builder, LLVMIntSLE, height, cpu_i64(e, CPU_MATRIX_ROWS), "");
    bool plain_b = cpu_matrix_takes_plain_b(m);
    if (m->plan->plain && m->machine->vector_bits == 512) {
        LLVMValueRef flat = LLVMBuildICmp(e->builder, LLVMIntSLT, height, columns, "");
        LLVMValueRef most = cpu_i64(e, plain_b ? MANY_PLAIN / m->unit : MANY_SHARED);
        LLVMValueRef more = LLVMBuildICmp(e->builder, LLVMIntSGT, columns, most, "");
        LLVMValueRef keeps = LLVMBuildOr(e->builder, more, flat, "");
        if (!prepares_a && !plain_b) {
            LLVMValueRef row = cpu_matrix_polynomial(m, &m->plan->plain_row_stride);
            int64_t line = LINE / (int64_t)ir_elem_bytes(m->plan->plain_elem);
            LLVMValueRef over = LLVMBuildAnd(e->builder, row, cpu_i64(e, line - 1), "");
            LLVMValueRef apart = LLVMBuildICmp(e->builder, LLVMIntEQ, over, cpu_i64(e, 0), "");
            keeps = LLVMBuildOr(e->builder, keeps, apart, "");
        }
        many = LLVMBuildAnd(e->builder, many, keeps, "");
    }
    return LLVMBuildOr(e->builder, many, low, "");
}

/* The share of a rectangle of the batch. */
static void emit_rectangle(struct range *r, LLVMValueRef row, LLVMValueRef row_end,
                           LLVMValueRef column_end)
{
    struct cpu_matrix *m = r->m;
    struct cpu_emit *e = m->e;
    LLVMValueRef height = LLVMBuildSub(e->builder, row_end, row, "");
    LLVMValueRef wide = shares_columns(r, height, column_end);
    LLVMValueRef size =
        LLVMBuildSelect(e->builder, wide, cpu_i64(e, m->lanes), cpu_i64(e, ROWS_SHARED), "");
    LLVMValueRef whole = LLVMBuildSelect(e->builder, wide, column_end, height, "");
    LLVMValueRef most = cpu_add(e, whole, LLVMBuildSub(e->builder, size, cpu_i64(e, 1), ""));
    LLVMValueRef units = LLVMBuildUDiv(e->builder, cpu_max_i64(e, most, cpu_i64(e, 0)), size, "");
    LLVMValueRef from = LLVMBuildMul(e->builder, part(r, r->from, units), size, "");
    LLVMValueRef to = LLVMBuildMul(e->builder, part(r, r->to, units), size, "");
    to = cpu_min_i64(e, to, whole);
    LLVMValueRef first_row = cpu_add(e, row, from), last_row = cpu_add(e, row, to);
    first_row = LLVMBuildSelect(e->builder, wide, row, first_row, "");
    last_row = LLVMBuildSelect(e->builder, wide, row_end, last_row, "");
    from = LLVMBuildSelect(e->builder, wide, from, cpu_i64(e, 0), "");
    to = LLVMBuildSelect(e->builder, wide, to, column_end, "");
    LLVMValueRef values[] = {r->arguments, r->grid,  r->scratch, r->batch,
                             first_row,    last_row, from,       to};
    LLVMBuildCall2(e->builder, m->block_type, m->block, values, 8, "");
}

static LLVMValueRef limited(struct range *r, LLVMValueRef blocks, int32_t block, bool has_limit,
                            const struct polynomial *limit)
{
    struct cpu_emit *e = r->m->e;
    LLVMValueRef whole = LLVMBuildMul(e->builder, blocks, cpu_i64(e, block), "");
    if (has_limit)
        whole = cpu_min_i64(e, whole, cpu_matrix_limit(r->m, limit));
    return cpu_max_i64(e, whole, cpu_i64(e, 0));
}

static LLVMValueRef row_limit(struct range *r, LLVMValueRef blocks)
{
    const struct plan_matrix *plan = r->m->plan;
    return limited(r, blocks, plan->block_m, plan->has_row_limit, &plan->row_limit);
}

static LLVMValueRef column_limit(struct range *r, LLVMValueRef blocks)
{
    const struct plan_matrix *plan = r->m->plan;
    return limited(r, blocks, plan->block_n, plan->has_column_limit, &plan->column_limit);
}

/* How many programs of the launch have one quotient. x / 0 is 0 and x % 0 is x. Where the divisor
 * is below 0 nothing is stored (matrix_order.c). */
static LLVMValueRef whole_row(struct range *r, LLVMValueRef divisor)
{
    struct cpu_emit *e = r->m->e;
    LLVMValueRef all = e->grid[r->m->plan->row_axis];
    LLVMValueRef some = LLVMBuildICmp(e->builder, LLVMIntSGT, divisor, cpu_i64(e, 0), "");
    return LLVMBuildSelect(e->builder, some, cpu_min_i64(e, divisor, all), all, "");
}

/* Programs numbered along one axis fill whole rows (or columns) of blocks and a part of one more.
 */
static void emit_numbered(struct range *r)
{
    struct cpu_matrix *m = r->m;
    struct cpu_emit *e = m->e;
    const struct plan_matrix *plan = m->plan;
    LLVMValueRef count = e->grid[plan->row_axis];
    LLVMValueRef per = whole_row(r, cpu_matrix_scalar(m, plan->divisor));
    LLVMValueRef full = LLVMBuildUDiv(e->builder, count, per, "");
    LLVMValueRef over = LLVMBuildURem(e->builder, count, per, "");
    LLVMValueRef one_more = cpu_add(e, full, cpu_i64(e, 1));
    if (plan->quotient_is_row) {
        LLVMValueRef columns = column_limit(r, per);
        emit_rectangle(r, cpu_i64(e, 0), row_limit(r, full), columns);
        LLVMValueRef rest = column_limit(r, over);
        LLVMValueRef rows_end = row_limit(r, one_more);
        emit_rectangle(r, row_limit(r, full), rows_end, rest);
        return;
    }
    /* the same, cut the other way: all rows of the blocks in both columns, then the rest */
    LLVMValueRef wide = column_limit(r, one_more);
    emit_rectangle(r, cpu_i64(e, 0), row_limit(r, over), wide);
    LLVMValueRef narrow = column_limit(r, full);
    LLVMValueRef rows_end = row_limit(r, per);
    emit_rectangle(r, row_limit(r, over), rows_end, narrow);
}

/* Programs in groups take each block once if there are as many as blocks. Any other launch runs
 * program by program. */
static void emit_grouped(struct range *r)
{
    struct cpu_matrix *m = r->m;
    struct cpu_emit *e = m->e;
    LLVMValueRef rows = cpu_matrix_scalar(m, m->plan->group.rows);
    LLVMValueRef columns = cpu_matrix_scalar(m, m->plan->group.columns);
    LLVMValueRef width = column_limit(r, columns);
    emit_rectangle(r, cpu_i64(e, 0), row_limit(r, rows), width);
}

/* Whether all blocks are there, each once; or numbers of blocks are none below 0. */
static LLVMValueRef is_whole(struct range *r)
{
    struct cpu_matrix *m = r->m;
    struct cpu_emit *e = m->e;
    if (m->plan->divisor)
        return LLVMBuildICmp(e->builder, LLVMIntSGE, cpu_matrix_scalar(m, m->plan->divisor),
                             cpu_i64(e, 0), "");
    LLVMValueRef rows = cpu_matrix_scalar(m, m->plan->group.rows);
    LLVMValueRef columns = cpu_matrix_scalar(m, m->plan->group.columns);
    LLVMValueRef programs = e->grid[m->plan->row_axis]; /* 2^32 at most */
    LLVMValueRef blocks = LLVMBuildMul(e->builder, rows, columns, "");
    LLVMValueRef all = LLVMBuildICmp(e->builder, LLVMIntEQ, blocks, programs, "");
    LLVMValueRef some = LLVMBuildICmp(e->builder, LLVMIntSGT, rows, cpu_i64(e, 0), "");
    for (int i = 0; i < 2; i++) { /* else the product may have wrapped */
        LLVMValueRef few = LLVMBuildICmp(e->builder, LLVMIntULE, i ? columns : rows, programs, "");
        some = LLVMBuildAnd(e->builder, some, few, "");
    }
    return LLVMBuildAnd(e->builder, all, some, "");
}

static void emit_batch(struct range *r)
{
    struct cpu_matrix *m = r->m;
    struct cpu_emit *e = m->e;
    const struct plan_matrix *plan = m->plan;
    LLVMValueRef one = cpu_i64(e, 1);
    struct cpu_branch branch;
    cpu_branch_begin(e, &branch, cpu_matrix_guards(m, plan->guards, plan->guard_count));
    if (plan->grouped)
        emit_grouped(r);
    else if (plan->divisor)
        emit_numbered(r);
    else {
        LLVMValueRef across = plan->column_axis < 0 ? one : e->grid[plan->column_axis];
        LLVMValueRef columns = column_limit(r, across);
        LLVMValueRef rows = row_limit(r, plan->row_axis < 0 ? one : e->grid[plan->row_axis]);
        emit_rectangle(r, cpu_i64(e, 0), rows, columns);
    }
    cpu_branch_end(e, &branch);
}

static void emit_batches(struct range *r)
{
    struct cpu_emit *e = r->m->e;
    LLVMValueRef last = LLVMBuildSub(e->builder, r->end, cpu_i64(e, 1), "");
    LLVMValueRef first = LLVMBuildUDiv(e->builder, r->begin, r->per_batch, "");
    last = cpu_add(e, LLVMBuildUDiv(e->builder, last, r->per_batch, ""), cpu_i64(e, 1));
    struct cpu_loop loop;
    cpu_loop_begin(e, &loop, first, last, 1);
    set_batch(r, loop.index);
    LLVMValueRef before = LLVMBuildMul(e->builder, loop.index, r->per_batch, "");
    r->from = cpu_max_i64(e, LLVMBuildSub(e->builder, r->begin, before, ""), cpu_i64(e, 0));
    r->to = cpu_min_i64(e, LLVMBuildSub(e->builder, r->end, before, ""), r->per_batch);
    emit_batch(r);
    cpu_loop_end(e, &loop);
}

void cpu_matrix_range(struct cpu_matrix *m, const char *symbol)
{
    struct cpu_emit *e = m->e;
    LLVMTypeRef types[] = {e->pointer, e->pointer, e->i64, e->i64, e->pointer};
    LLVMTypeRef type = LLVMFunctionType(e->void_type, types, 5, false);
    cpu_matrix_begin(m, "range", type);
    LLVMSetLinkage(e->function, LLVMExternalLinkage);
    LLVMSetValueName2(e->function, symbol, strlen(symbol));
    struct range r = {.m = m,
                      .arguments = LLVMGetParam(e->function, 0),
                      .grid = LLVMGetParam(e->function, 1),
                      .begin = LLVMGetParam(e->function, 2),
                      .end = LLVMGetParam(e->function, 3),
                      .scratch = LLVMGetParam(e->function, 4)};
    r.batch = cpu_alloca(e, LLVMArrayType2(e->i64, 3), "batch");
    struct cpu_branch branch;
    cpu_branch_begin(e, &branch, LLVMBuildICmp(e->builder, LLVMIntSLT, r.begin, r.end, ""));
    cpu_matrix_launch(m, r.arguments, r.grid, r.scratch, NULL);
    count_programs(&r);
    struct cpu_branch whole;
    if (m->programs) {
        cpu_branch_begin(e, &whole, is_whole(&r));
        emit_batches(&r);
        cpu_branch_else(e, &whole);
        LLVMValueRef values[] = {r.arguments, r.grid, r.begin, r.end, r.scratch};
        LLVMBuildCall2(e->builder, type, m->programs, values, 5, "");
        cpu_branch_end(e, &whole);
    } else {
        emit_batches(&r);
    }
    cpu_branch_end(e, &branch);
    cpu_matrix_end(m);
}
