/*
 * What a launch makes of its products before the first block: the operands' places and strides,
 * what is packed, how much of K, how many panels and rows run at a time.
 */
#include "cpu/matrix_block.h"

enum { UNPACKED_ROWS = 48, UNPACKED_STRIDE = 4096 };

static struct matrix_operand_values operand(struct matrix_block *b,
                                            const struct matrix_operand *from)
{
    struct cpu_matrix *m = b->m;
    int64_t bytes = (int64_t)ir_elem_bytes(from->elem);
    LLVMValueRef base = scaled(b, cpu_matrix_polynomial(m, &from->base), bytes);
    LLVMValueRef pointer = cpu_matrix_offset(m, cpu_matrix_scalar(m, from->root), base);
    LLVMValueRef outer = scaled(b, cpu_matrix_polynomial(m, &from->outer_stride), bytes);
    LLVMValueRef inner = scaled(b, cpu_matrix_polynomial(m, &from->inner_stride), bytes);
    return (struct matrix_operand_values){pointer, outer, inner};
}

/* Trips of the loop, without overflow. */
static LLVMValueRef trips(struct matrix_block *b)
{
    struct cpu_emit *e = b->m->e;
    const struct ir_op *loop = b->m->plan->loop;
    if (!loop)
        return cpu_i64(e, 1);
    LLVMValueRef lo = cpu_matrix_scalar(b->m, loop->operands[0]);
    LLVMValueRef hi = cpu_matrix_scalar(b->m, loop->operands[1]);
    LLVMValueRef step = cpu_matrix_scalar(b->m, loop->operands[2]);
    LLVMValueRef way =
        LLVMBuildSub(e->builder, LLVMBuildSub(e->builder, hi, lo, ""), cpu_i64(e, 1), "");
    LLVMValueRef some = cpu_add(e, LLVMBuildUDiv(e->builder, way, step, ""), cpu_i64(e, 1));
    return choose(b, compare(b, LLVMIntSLT, lo, hi), some, cpu_i64(e, 0));
}

static LLVMValueRef needs_packed_a(struct matrix_block *b, const struct matrix_product_values *p)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    if (!cpu_matrix_keeps(m, false))
        return yes_or_no(b, true);
    LLVMValueRef strided =
        compare(b, LLVMIntNE, p->a.inner, cpu_i64(e, cpu_matrix_element(m, false)));
    if (m->unit_a)
        strided = yes_or_no(b, false);
    if (m->group == 1)
        return strided;
    LLVMValueRef over = LLVMBuildURem(e->builder, p->depth, cpu_i64(e, m->group), "");
    return LLVMBuildOr(e->builder, strided, compare(b, LLVMIntNE, over, cpu_i64(e, 0)), "");
}

/* Rows of A that lie across K are transposed in blocks: the more of them the better. */
static LLVMValueRef rows_packed_at_once(struct matrix_block *b,
                                        const struct matrix_product_values *p)
{
    struct cpu_matrix *m = b->m;
    LLVMValueRef few = cpu_i64(m->e, m->machine->pack_rows),
                 many = cpu_i64(m->e, CPU_MATRIX_A_ROWS);
    LLVMValueRef element = cpu_i64(m->e, cpu_matrix_element(m, false));
    return m->unit_a ? few : choose(b, compare(b, LLVMIntEQ, p->a.inner, element), few, many);
}

/* Whether a row of B is one piece of memory. */
static LLVMValueRef has_unit_b(struct matrix_block *b, const struct matrix_product_values *p)
{
    struct cpu_matrix *m = b->m;
    return m->unit_b
               ? yes_or_no(b, true)
               : compare(b, LLVMIntEQ, p->b.outer, cpu_i64(m->e, cpu_matrix_element(m, true)));
}

LLVMValueRef cpu_matrix_is_small_b(struct matrix_block *b, const struct matrix_product_values *p,
                                   int64_t most)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    if (!cpu_matrix_takes_plain_b(m))
        return yes_or_no(b, false);
    LLVMValueRef width = LLVMBuildSub(e->builder, b->p[COLUMN_END], b->p[COLUMN], "");
    LLVMValueRef bytes = scaled(b, LLVMBuildMul(e->builder, width, p->depth, ""), m->unit);
    return compare(b, LLVMIntSLE, bytes, cpu_i64(e, most));
}

static LLVMValueRef needs_packed_b(struct matrix_block *b, const struct matrix_product_values *p)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    LLVMValueRef plain = b->sweep;
    if (cpu_matrix_takes_plain_b(m)) {
        LLVMValueRef height = LLVMBuildSub(e->builder, b->p[ROW_END], b->p[ROW], "");
        LLVMValueRef small = cpu_matrix_is_small_b(b, p, m->machine->plain_bytes);
        LLVMValueRef close = compare(b, LLVMIntULE, p->b.inner, cpu_i64(e, UNPACKED_STRIDE));
        LLVMValueRef few = LLVMBuildAnd(
            e->builder, compare(b, LLVMIntSLE, height, cpu_i64(e, UNPACKED_ROWS)), close, "");
        plain = LLVMBuildOr(e->builder, LLVMBuildOr(e->builder, small, few, ""), plain, "");
    }
    return LLVMBuildNot(e->builder, LLVMBuildAnd(e->builder, plain, has_unit_b(b, p), ""), "");
}

static void read_product(struct matrix_block *b, int i)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    const struct matrix_product *from = &m->plan->products[i];
    struct matrix_product_values *p = &b->products[i];
    p->a = operand(b, &from->a);
    p->b = operand(b, &from->b);
    p->depth = scaled(b, trips(b), from->block_k);
    if (from->has_depth)
        p->depth = cpu_min_i64(e, p->depth, cpu_matrix_limit(m, &from->depth));
    p->depth =
        choose(b, cpu_matrix_guards(m, from->guards, from->guard_count), p->depth, cpu_i64(e, 0));
    p->depth = cpu_max_i64(e, p->depth, cpu_i64(e, 0));
}

/* A few rows pass over B as it lies, if all products let them. Four rows have kernels of their own,
 * which are as good where B stays in L2. */
static void choose_sweep(struct matrix_block *b, LLVMValueRef height)
{
    enum { IN_L2 = 1 << 20 };
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    b->sweep = yes_or_no(b, false);
    if (m->sweep_rows)
        b->sweep = compare(b, LLVMIntSLE, height, cpu_i64(e, CPU_MATRIX_SWEEP_ROWS));
    LLVMValueRef fewer = compare(b, LLVMIntSLT, height, cpu_i64(e, CPU_MATRIX_LEAST_ROWS));
    for (int i = 0; i < m->plan->product_count && m->sweep_rows; i++) {
        const struct matrix_product_values *p = &b->products[i];
        LLVMValueRef pays =
            LLVMBuildOr(e->builder, fewer,
                        LLVMBuildNot(e->builder, cpu_matrix_is_small_b(b, p, IN_L2), ""), "");
        pays = LLVMBuildAnd(e->builder, pays, has_unit_b(b, p), "");
        b->sweep = LLVMBuildAnd(e->builder, b->sweep, pays, "");
    }
}

/* Whether so many rows and columns of elements are few enough to stay near by themselves. */
static LLVMValueRef is_near(struct matrix_block *b, LLVMValueRef rows, LLVMValueRef columns,
                            int64_t element)
{
    struct cpu_emit *e = b->m->e;
    if (!b->m->machine->near_bytes)
        return yes_or_no(b, false);
    LLVMValueRef bytes = scaled(b, LLVMBuildMul(e->builder, rows, columns, ""), element);
    return compare(b, LLVMIntSLE, bytes, cpu_i64(e, b->m->machine->near_bytes));
}

/* With many rows, deeper blocks: fewer passes over the sums. If those wait in scratch, all columns
 * must have room beside them, or A is read (and converted) too often. */
static LLVMValueRef choose_depth(struct matrix_block *b, const struct matrix_product_values *p,
                                 LLVMValueRef height, LLVMValueRef steps, LLVMValueRef most)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    if (m->machine->deep_bytes == CPU_MATRIX_DEPTH_BYTES || m->plan->product_count > 1)
        return most;
    LLVMValueRef many = compare(b, LLVMIntSGT, height, cpu_i64(e, m->machine->copy_rows));
    LLVMValueRef deeper = choose(b, p->pack_a, cpu_i64(e, m->machine->packed_bytes / m->unit),
                                 cpu_i64(e, m->machine->deep_bytes / m->unit));
    if (!m->direct) {
        LLVMValueRef width = LLVMBuildSub(e->builder, b->p[COLUMN_END], b->p[COLUMN], "");
        LLVMValueRef bytes = LLVMBuildMul(e->builder, scaled(b, width, m->unit), deeper, "");
        LLVMValueRef fits =
            compare(b, LLVMIntSLE, bytes, cpu_i64(e, (CPU_MATRIX_BYTES - m->panels) / 2));
        fits = LLVMBuildOr(e->builder, fits, compare(b, LLVMIntSLE, steps, deeper), "");
        many = LLVMBuildAnd(e->builder, many, fits, "");
    }
    return choose(b, many, deeper, most);
}

static void choose_blocks(struct matrix_block *b, struct matrix_product_values *p,
                          LLVMValueRef height)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    LLVMValueRef steps = cpu_matrix_cdiv(m, p->depth, m->group);
    p->pack_a = needs_packed_a(b, p);
    p->pack_rows = rows_packed_at_once(b, p);
    p->pack_b = needs_packed_b(b, p);
    p->near_a = is_near(b, height, p->depth, cpu_matrix_element(m, false));
    /* with few rows, shorter blocks of more panels: longer pieces of rows take less time to copy,
     * and fewer translations where rows lie on pages of their own */
    LLVMValueRef wide = LLVMBuildAnd(e->builder, b->few, p->pack_b, "");
    int64_t deep = CPU_MATRIX_DEPTH_BYTES / m->unit;
    LLVMValueRef most = choose(b, wide, cpu_i64(e, deep / m->group), cpu_i64(e, deep));
    if (m->machine->reach_bytes) {
        LLVMValueRef bytes = LLVMBuildMul(e->builder, p->depth, p->b.inner, "");
        LLVMValueRef far = compare(b, LLVMIntSGT, bytes, cpu_i64(e, m->machine->reach_bytes));
        most = choose(b, LLVMBuildAnd(e->builder, wide, far, ""),
                      cpu_i64(e, m->machine->few_bytes / m->unit), most);
    }
    most = choose_depth(b, p, height, steps, most);
    p->blocks = cpu_max_i64(e, divide_up(b, steps, most), cpu_i64(e, 1));
    p->steps = scaled(b, cpu_matrix_cdiv(m, divide_up(b, steps, p->blocks), 4), 4);
}

static void read_result(struct matrix_block *b)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    b->direct = yes_or_no(b, m->direct);
    b->result = LLVMConstNull(e->pointer);
    b->result_row = cpu_i64(e, 0);
    b->converts = yes_or_no(b, m->converts);
    if (!m->direct && !m->converts)
        return;
    const struct plan_matrix *plan = m->plan;
    int64_t bytes = (int64_t)ir_elem_bytes(plan->plain_elem);
    LLVMValueRef base = scaled(b, cpu_matrix_polynomial(m, &plan->plain_base), bytes);
    b->result = cpu_matrix_offset(m, cpu_matrix_scalar(m, plan->plain_root), base);
    b->result_row = scaled(b, cpu_matrix_polynomial(m, &plan->plain_row_stride), bytes);
    if (!m->unit_c) {
        LLVMValueRef stride = cpu_matrix_polynomial(m, &plan->plain_column_stride);
        *(m->direct ? &b->direct : &b->converts) = compare(b, LLVMIntEQ, stride, cpu_i64(e, 1));
    }
}

int64_t cpu_matrix_slack(const struct cpu_matrix *m)
{
    return (int64_t)m->lanes * tile_columns(m) * m->unit;
}

/* How many panels and rows run at a time. */
static void choose_counts(struct matrix_block *b)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    const struct plan_matrix *plan = m->plan;
    b->single = yes_or_no(b, false);
    if (plan->product_count == 1)
        b->single = compare(b, LLVMIntEQ, b->products[0].blocks, cpu_i64(e, 1));
    b->single = LLVMBuildAnd(e->builder, b->single, LLVMBuildNot(e->builder, b->sweep, ""), "");
    b->converts = LLVMBuildAnd(e->builder, b->converts, b->single, "");
    LLVMValueRef in_place = LLVMBuildOr(e->builder, b->direct, b->single, "");
    LLVMValueRef all_rows = LLVMBuildSub(e->builder, b->p[ROW_END], b->p[ROW], "");
    LLVMValueRef all_columns = LLVMBuildSub(e->builder, b->p[COLUMN_END], b->p[COLUMN], "");
    b->near_sums = choose(b, b->direct, is_near(b, all_rows, all_columns, m->unit), b->single);
    int64_t room = CPU_MATRIX_BYTES - m->panels, half = room / 2 / 64 * 64;
    LLVMValueRef steps = b->products[0].steps, packed = b->products[0].pack_b;
    for (int i = 1; i < plan->product_count; i++) {
        steps = cpu_max_i64(e, steps, b->products[i].steps);
        packed = LLVMBuildOr(e->builder, packed, b->products[i].pack_b, "");
    }
    LLVMValueRef slack = cpu_i64(e, cpu_matrix_slack(m));
    LLVMValueRef bytes = choose(b, in_place, cpu_i64(e, room), cpu_i64(e, half));
    bytes = cpu_min_i64(e, bytes, cpu_i64(e, m->machine->block_bytes + cpu_matrix_slack(m)));
    LLVMValueRef height = LLVMBuildSub(e->builder, b->p[ROW_END], b->p[ROW], "");
    if (m->machine->pause && m->machine->copied_bytes != m->machine->block_bytes) {
        LLVMValueRef copied = cpu_i64(e, m->machine->copied_bytes + cpu_matrix_slack(m));
        LLVMValueRef few = compare(b, LLVMIntSLE, height, cpu_i64(e, m->machine->copy_rows));
        bytes = choose(b, few, cpu_min_i64(e, bytes, copied), bytes);
    }
    LLVMValueRef panel = cpu_max_i64(e, cpu_matrix_panel_bytes(m, steps), cpu_i64(e, 1));
    LLVMValueRef most =
        LLVMBuildUDiv(e->builder, LLVMBuildSub(e->builder, bytes, slack, ""), panel, "");
    LLVMValueRef width = LLVMBuildSub(e->builder, b->p[COLUMN_END], b->p[COLUMN], "");
    LLVMValueRef all = cpu_matrix_cdiv(m, width, tile_columns(m));
    /* a block of sums must have rows for one strip at least */
    int64_t row_bytes = tile_columns(m) * m->unit * plan->accumulator_count;
    LLVMValueRef fit = cpu_i64(e, half / row_bytes / CPU_MATRIX_ROWS);
    LLVMValueRef sums_fit = choose(b, in_place, all, fit);
    most = cpu_min_i64(e, choose(b, packed, most, all), sums_fit);
    most = cpu_max_i64(e, most, cpu_i64(e, 1));
    b->panels = divide_up(b, all, divide_up(b, all, most));
    if (m->machine->pause) { /* as many as are copied at a time, where there is room */
        LLVMValueRef together = cpu_i64(e, m->machine->copy_panels);
        LLVMValueRef mask = cpu_i64(e, -m->machine->copy_panels),
                     rest = cpu_i64(e, m->machine->copy_panels - 1);
        LLVMValueRef whole = LLVMBuildAnd(e->builder, cpu_add(e, b->panels, rest), mask, "");
        if (m->machine->copy_panels > 2) { /* of pairs, one left out may be half of all */
            LLVMValueRef even = LLVMBuildAnd(e->builder, most, mask, "");
            most = choose(b, compare(b, LLVMIntSGE, most, together), even, most);
        }
        b->panels = cpu_min_i64(e, whole, most);
    }
    LLVMValueRef rows =
        LLVMBuildUDiv(e->builder, cpu_i64(e, half), scaled(b, b->panels, row_bytes), "");
    rows = scaled(b, LLVMBuildUDiv(e->builder, rows, cpu_i64(e, CPU_MATRIX_ROWS), ""),
                  CPU_MATRIX_ROWS);
    b->most_rows = choose(b, in_place, height, rows);
    b->sums = cpu_matrix_place(m, m->panels + half);
}

void cpu_matrix_choose_sizes(struct matrix_block *b)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    LLVMValueRef height = LLVMBuildSub(e->builder, b->p[ROW_END], b->p[ROW], "");
    b->few = compare(b, LLVMIntSLE, height, cpu_i64(e, m->machine->copy_rows / 4));
    for (int i = 0; i < m->plan->product_count; i++)
        read_product(b, i);
    choose_sweep(b, height);
    for (int i = 0; i < m->plan->product_count; i++)
        choose_blocks(b, &b->products[i], height);
    read_result(b);
    choose_counts(b);
}
