/*
 * The schedule of one thread's rectangle of a matrix product; see matrix.h.
 *
 *   void block(arguments, grid, scratch, batch, row, row_end, column, column_end)
 *
 * Sums that K's blocks hand on lie in the result itself where that is allowed, in tiles of sums
 * side by side where K has one block only (the epilogue takes them at once, or there are none as
 * kernels store what the sums are converted to), else in a block of sums in scratch, whose size
 * bounds the rows that run at a time.
 *
 * B is packed once per block of columns and K and stays in L2 and L3 while the strips of rows pass
 * over it; a strip of A stays in L1 while the panels pass. A is used as it lies, unless its
 * elements must be converted or do not run along K; then up to 48 rows are packed at a time. B is
 * used as it lies where it is so small, or the rows are so few, that packing would cost more than
 * it gives. Where A stays in L2, some processors take it the other way round: a panel stays in L1
 * while all strips pass over it.
 */
#include "cpu/matrix_block.h"

/* Whether an earlier product adds to the same sums. */
static bool continues(const struct plan_matrix *plan, int index)
{
    for (int i = 0; i < index; i++) {
        if (plan->products[i].accumulator == plan->products[index].accumulator)
            return true;
    }
    return false;
}

/* The few rows, over all columns of the block. */
static void emit_sweep(struct matrix_block *b, int index, struct matrix_strip *s)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    const struct matrix_product_values *p = &b->products[index];
    s->row = cpu_i64(e, 0);
    s->height = b->rows;
    LLVMValueRef a_depth = LLVMBuildMul(e->builder, s->k0, p->a.inner, "");
    LLVMValueRef way = cpu_add(e, LLVMBuildMul(e->builder, b->row, p->a.outer, ""), a_depth);
    LLVMValueRef b_depth = LLVMBuildMul(e->builder, s->k0, p->b.inner, "");
    LLVMValueRef at = cpu_add(e, LLVMBuildMul(e->builder, b->column, p->b.outer, ""), b_depth);
    LLVMValueRef zero = cpu_i64(e, 0), plain = cpu_matrix_offset(m, p->a.pointer, way);
    LLVMValueRef packed = cpu_matrix_place(m, m->rows_a);
    /* strides are no matter unless elements must be converted or grouped */
    bool takes_a = m->group == 1 && cpu_matrix_keeps(m, false);
    LLVMValueRef packs = takes_a ? yes_or_no(b, false) : p->pack_a;
    struct cpu_branch branch;
    cpu_branch_begin(e, &branch, packs);
    LLVMValueRef row[] = {plain, p->a.outer, p->a.inner, s->depth, s->height, packed};
    LLVMBuildCall2(e->builder, m->pack_type, m->pack_a, row, 6, "");
    cpu_branch_end(e, &branch);
    LLVMValueRef one = compare(b, LLVMIntEQ, s->height, cpu_i64(e, 1));
    LLVMValueRef from = choose(b, packs, packed, plain);
    LLVMValueRef outer = choose(b, packs, cpu_i64(e, m->a_stride), p->a.outer);
    LLVMValueRef inner = scaled(b, p->a.inner, m->group);
    inner = choose(b, packs, cpu_i64(e, m->unit), inner);
    LLVMValueRef other = cpu_matrix_offset(m, p->b.pointer, at);
    LLVMValueRef sums =
        cpu_matrix_sums_place(b, s->row, zero, m->plan->products[index].accumulator);
    LLVMValueRef sums_row = choose(b, b->direct, b->result_row, b->sums_row);
    LLVMValueRef values[] = {from,     outer,     inner,      other,    p->b.inner, sums,
                             sums_row, s->height, b->columns, s->depth, s->load,    NULL};
    unsigned count = (unsigned)cpu_matrix_sweep_parameters(m);
    if (count == sizeof values / sizeof *values) {
        LLVMValueRef bytes = LLVMBuildMul(e->builder, p->depth, p->b.inner, "");
        LLVMValueRef far = compare(b, LLVMIntSGT, bytes, cpu_i64(e, m->machine->far_bytes));
        values[count - 1] = LLVMBuildZExt(e->builder, far, e->i64, "");
    }
    LLVMBuildCall2(e->builder, m->sweep_type, choose(b, one, m->sweep_row, m->sweep_rows), values,
                   count, "");
    cpu_matrix_finish(b, index, s, zero, b->columns);
}

static void emit_product(struct matrix_block *b, int index)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    const struct matrix_product_values *p = &b->products[index];
    struct cpu_loop blocks;
    cpu_loop_begin(e, &blocks, cpu_i64(e, 0), p->blocks, 1);
    struct matrix_strip s = {0};
    LLVMValueRef per_block = scaled(b, p->steps, m->group);
    s.k0 = LLVMBuildMul(e->builder, blocks.index, per_block, "");
    s.depth = cpu_min_i64(e, per_block, LLVMBuildSub(e->builder, p->depth, s.k0, ""));
    s.depth = cpu_max_i64(e, s.depth, cpu_i64(e, 0));
    s.steps = cpu_matrix_cdiv(m, s.depth, m->group);
    LLVMValueRef later = compare(b, LLVMIntNE, blocks.index, cpu_i64(e, 0));
    s.load =
        continues(m->plan, index) ? cpu_i64(e, 1) : LLVMBuildZExt(e->builder, later, e->i64, "");
    LLVMValueRef end = LLVMBuildSub(e->builder, p->blocks, cpu_i64(e, 1), "");
    s.last = compare(b, LLVMIntEQ, blocks.index, end);
    s.per_strip = cpu_matrix_cdiv(m, b->columns, tile_columns(m));
    int64_t unit_of_a = m->group * cpu_matrix_element(m, false);
    s.piece = LLVMBuildUDiv(e->builder, scaled(b, s.steps, unit_of_a), s.per_strip, "");
    s.piece_step =
        LLVMBuildUDiv(e->builder, cpu_i64(e, m->machine->pause * unit_of_a), s.per_strip, "");
    s.next.step = cpu_i64(e, 0);
    struct cpu_branch branch;
    LLVMValueRef copied = LLVMBuildLoad2(e->builder, e->i1, b->copied, "");
    LLVMValueRef packs =
        LLVMBuildAnd(e->builder, p->pack_b, LLVMBuildNot(e->builder, copied, ""), "");
    LLVMValueRef passes = NULL;
    if (m->strips[CPU_MATRIX_ROWS]) {
        cpu_matrix_choose_copies(b, p, &s, per_block);
        passes = cpu_matrix_may_pass(b, p, &s);
        passes = LLVMBuildAnd(e->builder, passes, LLVMBuildNot(e->builder, copied, ""), "");
        packs = LLVMBuildAnd(e->builder, packs, LLVMBuildNot(e->builder, passes, ""), "");
    }
    cpu_branch_begin(e, &branch, packs);
    LLVMValueRef depth_way = LLVMBuildMul(e->builder, s.k0, p->b.inner, "");
    LLVMValueRef way = cpu_add(e, LLVMBuildMul(e->builder, b->column, p->b.outer, ""), depth_way);
    LLVMValueRef here = LLVMBuildLoad2(e->builder, e->pointer, b->here, "");
    LLVMValueRef values[] = {
        cpu_matrix_offset(m, p->b.pointer, way), p->b.outer, p->b.inner, s.depth, b->columns, here};
    LLVMBuildCall2(e->builder, m->pack_type, m->pack_b, values, 6, "");
    cpu_branch_end(e, &branch);
    if (m->machine->pause && !passes)
        cpu_matrix_choose_copies(b, p, &s, per_block);
    if (m->sweep_rows) {
        cpu_branch_begin(e, &branch, b->sweep);
        emit_sweep(b, index, &s);
        cpu_branch_else(e, &branch);
    }
    struct cpu_branch past;
    if (passes) {
        cpu_branch_begin(e, &past, passes);
        cpu_matrix_run_passes(b, &s);
        cpu_branch_else(e, &past);
    }
    cpu_matrix_run_strips(b, index, &s);
    if (passes)
        cpu_branch_end(e, &past);
    if (m->sweep_rows)
        cpu_branch_end(e, &branch);
    if (m->machine->pause)
        cpu_matrix_change_panels(b, &s);
    cpu_loop_end(e, &blocks);
}

static void emit_blocks(struct matrix_block *b)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    struct cpu_loop columns, rows;
    LLVMValueRef width = LLVMBuildSub(e->builder, b->p[COLUMN_END], b->p[COLUMN], "");
    LLVMValueRef height = LLVMBuildSub(e->builder, b->p[ROW_END], b->p[ROW], "");
    LLVMValueRef per_block = scaled(b, b->panels, tile_columns(m));
    cpu_matrix_set_panels(b);
    cpu_loop_begin(e, &columns, cpu_i64(e, 0), divide_up(b, width, per_block), 1);
    LLVMValueRef before = LLVMBuildMul(e->builder, columns.index, per_block, "");
    b->column = cpu_add(e, b->p[COLUMN], before);
    b->columns = cpu_min_i64(e, per_block, LLVMBuildSub(e->builder, width, before, ""));
    cpu_loop_begin(e, &rows, cpu_i64(e, 0), divide_up(b, height, b->most_rows), 1);
    before = LLVMBuildMul(e->builder, rows.index, b->most_rows, "");
    b->row = cpu_add(e, b->p[ROW], before);
    b->rows = cpu_min_i64(e, b->most_rows, LLVMBuildSub(e->builder, height, before, ""));
    LLVMValueRef sums_row = scaled(b, b->panels, tile_columns(m) * m->unit);
    b->apart = LLVMBuildMul(e->builder, b->most_rows, sums_row, "");
    LLVMValueRef tiles_row = cpu_i64(e, m->tile_panels * tile_columns(m) * m->unit);
    b->sums_row = choose(b, b->single, tiles_row, sums_row);
    for (int i = 0; i < m->plan->product_count; i++)
        emit_product(b, i);
    cpu_loop_end(e, &rows);
    cpu_loop_end(e, &columns);
}

/* Whether all elements of B that the block reads suit vpmaddubsw. To look at them costs as much as
 * 20 rows or so gain. */
static LLVMValueRef suits_narrow(struct matrix_block *b)
{
    enum { LEAST_ROWS = 32 };
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    LLVMValueRef height = LLVMBuildSub(e->builder, b->p[ROW_END], b->p[ROW], "");
    LLVMValueRef width = LLVMBuildSub(e->builder, b->p[COLUMN_END], b->p[COLUMN], "");
    LLVMValueRef slot = cpu_alloca(e, e->i1, "suits");
    LLVMBuildStore(e->builder, compare(b, LLVMIntSGE, height, cpu_i64(e, LEAST_ROWS)), slot);
    for (int i = 0; i < m->plan->product_count; i++) {
        const struct matrix_product_values *p = &b->products[i];
        LLVMValueRef way = LLVMBuildMul(e->builder, b->p[COLUMN], p->b.outer, "");
        LLVMValueRef values[] = {cpu_matrix_offset(m, p->b.pointer, way), p->b.outer, p->b.inner,
                                 p->depth, width};
        struct cpu_branch branch;
        cpu_branch_begin(e, &branch, LLVMBuildLoad2(e->builder, e->i1, slot, ""));
        LLVMBuildStore(e->builder, LLVMBuildCall2(e->builder, m->scan_type, m->scan, values, 5, ""),
                       slot);
        cpu_branch_end(e, &branch);
    }
    return LLVMBuildLoad2(e->builder, e->i1, slot, "");
}

void cpu_matrix_block(struct cpu_matrix *m)
{
    struct cpu_emit *e = m->e;
    LLVMTypeRef types[PARAMETERS] = {e->pointer, e->pointer, e->pointer, e->pointer,
                                     e->i64,     e->i64,     e->i64,     e->i64};
    m->block_type = LLVMFunctionType(e->void_type, types, PARAMETERS, false);
    m->block = cpu_matrix_begin(m, "block", m->block_type);
    struct matrix_block *b = ARENA_NEW(e->arena, struct matrix_block);
    *b = (struct matrix_block){.m = m};
    for (int i = 0; i < PARAMETERS; i++)
        b->p[i] = LLVMGetParam(m->block, (unsigned)i);
    struct cpu_branch branch;
    LLVMValueRef some_columns = compare(b, LLVMIntSLT, b->p[COLUMN], b->p[COLUMN_END]);
    LLVMValueRef some = LLVMBuildAnd(e->builder, compare(b, LLVMIntSLT, b->p[ROW], b->p[ROW_END]),
                                     some_columns, "");
    cpu_branch_begin(e, &branch, some);
    cpu_matrix_launch(m, b->p[ARGUMENTS], b->p[GRID], b->p[SCRATCH], b->p[BATCH]);
    cpu_matrix_choose_sizes(b);
    if (m->wide) {
        struct cpu_branch fits;
        cpu_branch_begin(e, &fits, suits_narrow(b));
        emit_blocks(b);
        cpu_branch_else(e, &fits);
        LLVMBuildCall2(e->builder, m->block_type, m->wide->block, b->p, PARAMETERS, "");
        cpu_branch_end(e, &fits);
    } else {
        emit_blocks(b);
    }
    cpu_branch_end(e, &branch);
    cpu_matrix_end(m);
}
