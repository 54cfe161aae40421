/*
 * Strips of rows over the panels of a block: A's rows, packed where they must be, stay in the first
 * level while the panels pass.
 */
#include "cpu/matrix_block.h"

/* Packs A's next strips of rows, as many as fit, where A is packed. first: the first of them. */
static void pack_strips(struct matrix_block *b, int index, const struct matrix_strip *s,
                        LLVMValueRef strip, LLVMValueRef first)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    const struct matrix_product_values *p = &b->products[index];
    LLVMValueRef strips = LLVMBuildUDiv(e->builder, p->pack_rows, cpu_i64(e, CPU_MATRIX_ROWS), "");
    LLVMValueRef over = LLVMBuildURem(e->builder, strip, strips, "");
    LLVMValueRef starts = compare(b, LLVMIntEQ, over, cpu_i64(e, 0));
    struct cpu_branch branch;
    cpu_branch_begin(e, &branch, LLVMBuildAnd(e->builder, p->pack_a, starts, ""));
    LLVMBuildStore(e->builder, s->row, first);
    LLVMValueRef left = LLVMBuildSub(e->builder, b->rows, s->row, "");
    LLVMValueRef one = compare(b, LLVMIntEQ, strips, cpu_i64(e, 1));
    LLVMValueRef rows = choose(b, one, s->height, cpu_min_i64(e, left, p->pack_rows));
    LLVMValueRef depth_way = LLVMBuildMul(e->builder, s->k0, p->a.inner, "");
    LLVMValueRef way =
        cpu_add(e, LLVMBuildMul(e->builder, cpu_add(e, b->row, s->row), p->a.outer, ""), depth_way);
    LLVMValueRef from = cpu_matrix_offset(m, p->a.pointer, way);
    LLVMValueRef to = cpu_matrix_place(m, m->rows_a);
    LLVMValueRef values[] = {from, p->a.outer, p->a.inner, s->depth, rows, to};
    LLVMBuildCall2(e->builder, m->pack_type, m->pack_a, values, 6, "");
    cpu_branch_end(e, &branch);
}

/* The start of the next strip's rows: the processor follows them from there on by itself. */
static void fetch_strip(struct matrix_block *b, const struct matrix_product_values *p,
                        const struct matrix_strip *s)
{
    enum { LINES = 4 };
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    LLVMValueRef next = s->next_a;
    struct cpu_branch branch;
    LLVMValueRef plain = LLVMBuildNot(e->builder, p->pack_a, "");
    if (m->machine->near_bytes)
        plain = LLVMBuildAnd(e->builder, plain, LLVMBuildNot(e->builder, p->near_a, ""), "");
    cpu_branch_begin(e, &branch, plain);
    for (int row = 0; row < CPU_MATRIX_ROWS; row++) {
        for (int line = 0; line < LINES; line++)
            cpu_matrix_fetch(m, cpu_matrix_offset(m, next, cpu_i64(e, line * 64)), 1);
        next = cpu_matrix_offset(m, next, s->next_a_row);
    }
    cpu_branch_end(e, &branch);
}

static LLVMValueRef kernel_of(struct matrix_block *b, LLVMValueRef height)
{
    struct cpu_matrix *m = b->m;
    LLVMValueRef kernel = m->edges[m->vectors];
    for (int rows = CPU_MATRIX_LEAST_ROWS; rows <= CPU_MATRIX_ROWS; rows++)
        kernel =
            choose(b, compare(b, LLVMIntEQ, height, cpu_i64(m->e, rows)), m->kernels[rows], kernel);
    return kernel;
}

static void emit_strip(struct matrix_block *b, int index, struct matrix_strip *s,
                       LLVMValueRef strip, LLVMValueRef first)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    const struct matrix_product_values *p = &b->products[index];
    s->number = strip;
    pack_strips(b, index, s, strip, first);
    LLVMValueRef since =
        LLVMBuildSub(e->builder, s->row, LLVMBuildLoad2(e->builder, e->i64, first, ""), "");
    LLVMValueRef since_way = scaled(b, since, m->a_stride);
    LLVMValueRef packed = cpu_matrix_offset(m, cpu_matrix_place(m, m->rows_a), since_way);
    LLVMValueRef depth_way = LLVMBuildMul(e->builder, s->k0, p->a.inner, "");
    LLVMValueRef way =
        cpu_add(e, LLVMBuildMul(e->builder, cpu_add(e, b->row, s->row), p->a.outer, ""), depth_way);
    s->a = choose(b, p->pack_a, packed, cpu_matrix_offset(m, p->a.pointer, way));
    s->a_row = choose(b, p->pack_a, cpu_i64(e, m->a_stride), p->a.outer);
    s->kernel = kernel_of(b, s->height);
    s->converts =
        LLVMBuildAnd(e->builder, b->converts,
                     compare(b, LLVMIntSGE, s->height, cpu_i64(e, CPU_MATRIX_LEAST_ROWS)), "");
    LLVMValueRef after = choose(b, p->pack_a, p->pack_rows, s->height);
    s->next_a_row = p->a.outer;
    s->next_a = cpu_matrix_offset(m, p->a.pointer,
                                  cpu_add(e, way, LLVMBuildMul(e->builder, after, p->a.outer, "")));
    s->fetches = compare(b, LLVMIntSLT, cpu_add(e, s->row, after), b->rows);
    if (m->machine->near_bytes)
        s->fetches =
            LLVMBuildAnd(e->builder, s->fetches, LLVMBuildNot(e->builder, p->near_a, ""), "");
    if (!m->machine->pause || m->machine->fetch_panels)
        fetch_strip(b, p, s);
    if (m->machine->fetch_panels) {
        LLVMValueRef most = cpu_i64(e, m->machine->fetch_panels);
        s->fetches =
            LLVMBuildAnd(e->builder, s->fetches, compare(b, LLVMIntSLE, s->per_strip, most), "");
    }
    if (m->sums) {
        LLVMValueRef values[] = {s->a, s->a_row, s->steps, s->height,
                                 cpu_matrix_place(m, m->row_sums)};
        LLVMBuildCall2(e->builder, m->sums_type, m->sums, values, 5, "");
    }
    cpu_matrix_run_panels(b, index, s);
}

/* Rows are dealt out evenly: strips differ by one row at most. */
void cpu_matrix_run_strips(struct matrix_block *b, int index, struct matrix_strip *s)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    LLVMValueRef count = cpu_matrix_cdiv(m, b->rows, CPU_MATRIX_ROWS);
    LLVMValueRef least = LLVMBuildUDiv(e->builder, b->rows, count, "");
    LLVMValueRef more = LLVMBuildURem(e->builder, b->rows, count, "");
    LLVMValueRef first = cpu_alloca(e, e->i64, "packed");
    LLVMBuildStore(e->builder, cpu_i64(e, 0), first);
    struct cpu_loop strips;
    cpu_loop_begin(e, &strips, cpu_i64(e, 0), count, 1);
    LLVMValueRef taller = compare(b, LLVMIntSLT, strips.index, more);
    s->height = cpu_add(e, least, LLVMBuildZExt(e->builder, taller, e->i64, ""));
    LLVMValueRef extra = cpu_min_i64(e, strips.index, more);
    s->row = cpu_add(e, LLVMBuildMul(e->builder, strips.index, least, ""), extra);
    emit_strip(b, index, s, strips.index, first);
    cpu_loop_end(e, &strips);
}
