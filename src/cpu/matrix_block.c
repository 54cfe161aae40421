/*
 * The schedule of one thread's rectangle of a matrix product; see matrix.h.
 *
 *   void block(arguments, grid, scratch, batch, row, row_end, column, column_end)
 *
 * Sums that K's blocks hand on lie in the result itself where that is allowed, in tiles of sums side by
 * side where K has one block only (the epilogue takes them at once, or there are none as kernels store what
 * the sums are converted to), else in a block of sums in scratch, whose size bounds the rows that run at a
 * time.
 *
 * B is packed once per block of columns and K and stays in L2 and L3 while the strips of rows pass
 * over it; a strip of A stays in L1 while the panels pass. A is used as it lies, unless its elements
 * must be converted or do not run along K; then up to 48 rows are packed at a time. B is used as it lies
 * where it is so small, or the rows are so few, that packing would cost more than it gives. Where A stays in L2,
 * some processors take it the other way round: a panel stays in L1 while all strips pass over it.
 */
#include "cpu/matrix.h"

#include <string.h>

enum { ARGUMENTS, GRID, SCRATCH, BATCH, ROW, ROW_END, COLUMN, COLUMN_END, PARAMETERS };

enum { UNPACKED_ROWS = 48, UNPACKED_STRIDE = 4096 };

/* Strips of so many rows have full kernels. */
enum { COPY_LEAST_ROWS = 2 * CPU_MATRIX_ROWS };

/* From here on all strips pass over a panel: such have 5 or 6 rows. */
enum { PASS_LEAST_ROWS = 48 };

struct operand_values {
    LLVMValueRef pointer, outer, inner; /* element (0, 0), and distances in bytes */
};

struct product_values {
    struct operand_values a, b;
    LLVMValueRef depth;  /* elements along K */
    LLVMValueRef blocks; /* of K, at least one */
    LLVMValueRef steps;  /* of a block of K but the last */
    LLVMValueRef pack_a, pack_b;
    LLVMValueRef pack_rows; /* of A, at a time */
    LLVMValueRef near_a;    /* kernels do not fetch A's rows */
};

struct block {
    struct cpu_matrix *m;
    LLVMValueRef p[PARAMETERS];
    struct product_values products[MATRIX_MOST_PRODUCTS];
    LLVMValueRef sweep;     /* a few rows, and B as it lies */
    LLVMValueRef few;       /* few rows: wider blocks */
    LLVMValueRef direct;    /* the result takes the sums */
    LLVMValueRef single;    /* one block of K and one product: a tile of sums is enough */
    LLVMValueRef converts;  /* the same of what they convert the sums to */
    LLVMValueRef near_sums; /* kernels do not fetch them */
    LLVMValueRef result, result_row; /* of the plain store */
    LLVMValueRef panels;    /* of columns, per block of columns */
    LLVMValueRef most_rows; /* per block of rows */
    LLVMValueRef sums;      /* the block of sums in scratch */
    LLVMValueRef here, there; /* slots: this block's panels of B, and where the next ones may be made */
    LLVMValueRef copied;      /* slot: whether this block's panels are there already */
    /* in the loops */
    LLVMValueRef column, columns; /* of the block of columns */
    LLVMValueRef row, rows;       /* of the block of rows */
    LLVMValueRef sums_row, apart; /* distances in the sums */
};

/* How kernels copy B's next block: in each pause one step of a *set* of panels. A *part* is what one
 * kernel copies; every so many kernels one does. */
struct copies {
    LLVMValueRef from, step;    /* the block's start, and the distance of steps */
    LLVMValueRef steps, pauses; /* in the block, and in a kernel */
    LLVMValueRef sets;          /* neighbours are copied by successive kernels */
    LLVMValueRef parts, every;  /* no parts: nothing is copied */
};

/* One strip of rows in one block of K. */
struct strip {
    LLVMValueRef k0, depth, steps; /* elements before, elements, units */
    LLVMValueRef load, last;
    LLVMValueRef row, height; /* within the block of rows */
    LLVMValueRef a, a_row, kernel;
    LLVMValueRef converts; /* the kernel of a full tile stores the result */
    /* the next strip's rows, or those that will be packed next, of which each kernel fetches a piece */
    LLVMValueRef next_a, next_a_row, fetches;
    LLVMValueRef piece, piece_step; /* bytes of each row, and of that in each pause */
    LLVMValueRef per_strip, number; /* panels; strips before this one */
    struct copies next;
};

static int64_t tile_columns(const struct cpu_matrix *m)
{
    return (int64_t)m->lanes * m->vectors;
}

/* Of panels that are copied together. */
static int64_t set_columns(const struct cpu_matrix *m)
{
    return tile_columns(m) * m->machine->copy_panels;
}

static LLVMValueRef scaled(struct block *b, LLVMValueRef v, int64_t factor)
{
    return LLVMBuildMul(b->m->e->builder, v, cpu_i64(b->m->e, factor), "");
}

static LLVMValueRef compare(struct block *b, LLVMIntPredicate predicate, LLVMValueRef x,
                            LLVMValueRef y)
{
    return LLVMBuildICmp(b->m->e->builder, predicate, x, y, "");
}

static LLVMValueRef choose(struct block *b, LLVMValueRef condition, LLVMValueRef x, LLVMValueRef y)
{
    return LLVMBuildSelect(b->m->e->builder, condition, x, y, "");
}

/* x / y rounded up, both positive */
static LLVMValueRef divide_up(struct block *b, LLVMValueRef x, LLVMValueRef y)
{
    struct cpu_emit *e = b->m->e;
    LLVMValueRef most = LLVMBuildSub(e->builder, cpu_add(e, x, y), cpu_i64(e, 1), "");
    return LLVMBuildUDiv(e->builder, most, y, "");
}

static LLVMValueRef yes_or_no(struct block *b, bool value)
{
    return LLVMConstInt(b->m->e->i1, value, false);
}

/* ---- values of the launch -------------------------------------------------------------------- */

static struct operand_values operand(struct block *b, const struct matrix_operand *from)
{
    struct cpu_matrix *m = b->m;
    int64_t bytes = (int64_t)ir_elem_bytes(from->elem);
    LLVMValueRef base = scaled(b, cpu_matrix_polynomial(m, &from->base), bytes);
    LLVMValueRef pointer = cpu_matrix_offset(m, cpu_matrix_scalar(m, from->root), base);
    LLVMValueRef outer = scaled(b, cpu_matrix_polynomial(m, &from->outer_stride), bytes);
    LLVMValueRef inner = scaled(b, cpu_matrix_polynomial(m, &from->inner_stride), bytes);
    return (struct operand_values){pointer, outer, inner};
}

/* Trips of the loop, without overflow. */
static LLVMValueRef trips(struct block *b)
{
    struct cpu_emit *e = b->m->e;
    const struct ir_op *loop = b->m->plan->loop;
    if (!loop)
        return cpu_i64(e, 1);
    LLVMValueRef lo = cpu_matrix_scalar(b->m, loop->operands[0]);
    LLVMValueRef hi = cpu_matrix_scalar(b->m, loop->operands[1]);
    LLVMValueRef step = cpu_matrix_scalar(b->m, loop->operands[2]);
    LLVMValueRef way = LLVMBuildSub(e->builder, LLVMBuildSub(e->builder, hi, lo, ""),
                                    cpu_i64(e, 1), "");
    LLVMValueRef some = cpu_add(e, LLVMBuildUDiv(e->builder, way, step, ""), cpu_i64(e, 1));
    return choose(b, compare(b, LLVMIntSLT, lo, hi), some, cpu_i64(e, 0));
}

static LLVMValueRef needs_packed_a(struct block *b, const struct product_values *p)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    if (!cpu_matrix_keeps(m, false))
        return yes_or_no(b, true);
    LLVMValueRef strided = compare(b, LLVMIntNE, p->a.inner,
                                   cpu_i64(e, cpu_matrix_element(m, false)));
    if (m->unit_a)
        strided = yes_or_no(b, false);
    if (m->group == 1)
        return strided;
    LLVMValueRef over = LLVMBuildURem(e->builder, p->depth, cpu_i64(e, m->group), "");
    return LLVMBuildOr(e->builder, strided, compare(b, LLVMIntNE, over, cpu_i64(e, 0)), "");
}

/* Rows of A that lie across K are transposed in blocks: the more of them the better. */
static LLVMValueRef rows_packed_at_once(struct block *b, const struct product_values *p)
{
    struct cpu_matrix *m = b->m;
    LLVMValueRef few = cpu_i64(m->e, m->machine->pack_rows), many = cpu_i64(m->e, CPU_MATRIX_A_ROWS);
    LLVMValueRef element = cpu_i64(m->e, cpu_matrix_element(m, false));
    return m->unit_a ? few : choose(b, compare(b, LLVMIntEQ, p->a.inner, element), few, many);
}

/* Whether a row of B is one piece of memory. */
static LLVMValueRef has_unit_b(struct block *b, const struct product_values *p)
{
    struct cpu_matrix *m = b->m;
    return m->unit_b ? yes_or_no(b, true)
                     : compare(b, LLVMIntEQ, p->b.outer,
                               cpu_i64(m->e, cpu_matrix_element(m, true)));
}

/* Whether kernels can use B as it lies, and there is so little of it. */
static LLVMValueRef is_small_b(struct block *b, const struct product_values *p, int64_t most)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    if (!cpu_matrix_takes_plain_b(m))
        return yes_or_no(b, false);
    LLVMValueRef width = LLVMBuildSub(e->builder, b->p[COLUMN_END], b->p[COLUMN], "");
    LLVMValueRef bytes = scaled(b, LLVMBuildMul(e->builder, width, p->depth, ""), m->unit);
    return compare(b, LLVMIntSLE, bytes, cpu_i64(e, most));
}

static LLVMValueRef needs_packed_b(struct block *b, const struct product_values *p)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    LLVMValueRef plain = b->sweep;
    if (cpu_matrix_takes_plain_b(m)) {
        LLVMValueRef height = LLVMBuildSub(e->builder, b->p[ROW_END], b->p[ROW], "");
        LLVMValueRef small = is_small_b(b, p, m->machine->plain_bytes);
        LLVMValueRef close = compare(b, LLVMIntULE, p->b.inner, cpu_i64(e, UNPACKED_STRIDE));
        LLVMValueRef few = LLVMBuildAnd(
            e->builder, compare(b, LLVMIntSLE, height, cpu_i64(e, UNPACKED_ROWS)), close, "");
        plain = LLVMBuildOr(e->builder, LLVMBuildOr(e->builder, small, few, ""), plain, "");
    }
    return LLVMBuildNot(e->builder, LLVMBuildAnd(e->builder, plain, has_unit_b(b, p), ""), "");
}

static void read_product(struct block *b, int i)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    const struct matrix_product *from = &m->plan->products[i];
    struct product_values *p = &b->products[i];
    p->a = operand(b, &from->a);
    p->b = operand(b, &from->b);
    p->depth = scaled(b, trips(b), from->block_k);
    if (from->has_depth)
        p->depth = cpu_min_i64(e, p->depth, cpu_matrix_polynomial(m, &from->depth));
    p->depth = choose(b, cpu_matrix_guards(m, from->guards, from->guard_count), p->depth,
                      cpu_i64(e, 0));
    p->depth = cpu_max_i64(e, p->depth, cpu_i64(e, 0));
}

/* A few rows pass over B as it lies, if all products let them. Four rows have kernels of their own, which
 * are as good where B stays in L2. */
static void choose_sweep(struct block *b, LLVMValueRef height)
{
    enum { IN_L2 = 1 << 20 };
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    b->sweep = yes_or_no(b, false);
    if (m->sweep_rows)
        b->sweep = compare(b, LLVMIntSLE, height, cpu_i64(e, CPU_MATRIX_SWEEP_ROWS));
    LLVMValueRef fewer = compare(b, LLVMIntSLT, height, cpu_i64(e, CPU_MATRIX_LEAST_ROWS));
    for (int i = 0; i < m->plan->product_count && m->sweep_rows; i++) {
        const struct product_values *p = &b->products[i];
        LLVMValueRef pays = LLVMBuildOr(
            e->builder, fewer, LLVMBuildNot(e->builder, is_small_b(b, p, IN_L2), ""), "");
        pays = LLVMBuildAnd(e->builder, pays, has_unit_b(b, p), "");
        b->sweep = LLVMBuildAnd(e->builder, b->sweep, pays, "");
    }
}

/* Whether so many rows and columns of elements are few enough to stay near by themselves. */
static LLVMValueRef is_near(struct block *b, LLVMValueRef rows, LLVMValueRef columns,
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
static LLVMValueRef choose_depth(struct block *b, const struct product_values *p,
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

static void choose_blocks(struct block *b, struct product_values *p, LLVMValueRef height)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    LLVMValueRef steps = cpu_matrix_cdiv(m, p->depth, m->group);
    p->pack_a = needs_packed_a(b, p);
    p->pack_rows = rows_packed_at_once(b, p);
    p->pack_b = needs_packed_b(b, p);
    p->near_a = is_near(b, height, p->depth, cpu_matrix_element(m, false));
    /* with few rows, shorter blocks of more panels: longer pieces of rows take less time to copy, and fewer
     * translations where rows lie on pages of their own */
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

static void read_result(struct block *b)
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

/* What packing writes behind the last step of the last panel. */
static int64_t slack_bytes(const struct cpu_matrix *m)
{
    return (int64_t)m->lanes * tile_columns(m) * m->unit;
}

/* How many panels and rows run at a time. */
static void choose_sizes(struct block *b)
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
    LLVMValueRef slack = cpu_i64(e, slack_bytes(m));
    LLVMValueRef bytes = choose(b, in_place, cpu_i64(e, room), cpu_i64(e, half));
    bytes = cpu_min_i64(e, bytes, cpu_i64(e, m->machine->block_bytes + slack_bytes(m)));
    LLVMValueRef height = LLVMBuildSub(e->builder, b->p[ROW_END], b->p[ROW], "");
    if (m->machine->pause && m->machine->copied_bytes != m->machine->block_bytes) {
        LLVMValueRef copied = cpu_i64(e, m->machine->copied_bytes + slack_bytes(m));
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
        LLVMValueRef mask = cpu_i64(e, -m->machine->copy_panels), rest = cpu_i64(e, m->machine->copy_panels - 1);
        LLVMValueRef whole = LLVMBuildAnd(e->builder, cpu_add(e, b->panels, rest), mask, "");
        if (m->machine->copy_panels > 2) { /* of pairs, one left out may be half of all */
            LLVMValueRef even = LLVMBuildAnd(e->builder, most, mask, "");
            most = choose(b, compare(b, LLVMIntSGE, most, together), even, most);
        }
        b->panels = cpu_min_i64(e, whole, most);
    }
    LLVMValueRef rows = LLVMBuildUDiv(e->builder, cpu_i64(e, half), scaled(b, b->panels, row_bytes),
                                      "");
    rows = scaled(b, LLVMBuildUDiv(e->builder, rows, cpu_i64(e, CPU_MATRIX_ROWS), ""),
                  CPU_MATRIX_ROWS);
    b->most_rows = choose(b, in_place, height, rows);
    b->sums = cpu_matrix_place(m, m->panels + half);
}

/* ---- kernels --------------------------------------------------------------------------------- */

static LLVMValueRef kernel_of(struct block *b, LLVMValueRef height)
{
    struct cpu_matrix *m = b->m;
    LLVMValueRef kernel = m->edges[m->vectors];
    for (int rows = CPU_MATRIX_LEAST_ROWS; rows <= CPU_MATRIX_ROWS; rows++)
        kernel = choose(b, compare(b, LLVMIntEQ, height, cpu_i64(m->e, rows)), m->kernels[rows],
                        kernel);
    return kernel;
}

static LLVMValueRef edge_of(struct block *b, LLVMValueRef columns)
{
    struct cpu_matrix *m = b->m;
    LLVMValueRef kernel = m->edges[m->vectors];
    for (int v = m->vectors - 1; v > 0; v--)
        kernel = choose(b,
                        compare(b, LLVMIntSLE, columns, cpu_i64(m->e, (int64_t)v * m->lanes)),
                        m->edges[v], kernel);
    return kernel;
}

static void call_epilogue(struct block *b, const struct strip *s, LLVMValueRef column,
                          LLVMValueRef columns, LLVMValueRef sums)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    LLVMValueRef values[] = {b->p[ARGUMENTS], b->p[GRID], b->p[SCRATCH], b->p[BATCH],
                             cpu_add(e, b->row, s->row), s->height, column, columns, sums,
                             b->sums_row, b->apart};
    LLVMBuildCall2(e->builder, m->epilogue_type, m->epilogue, values, 11, "");
}

/* A column's place among those of the tiles that the epilogue takes together. */
static LLVMValueRef in_tiles(struct block *b, LLVMValueRef column)
{
    LLVMValueRef mask = cpu_i64(b->m->e, tile_columns(b->m) * b->m->tile_panels - 1);
    return LLVMBuildAnd(b->m->e->builder, column, mask, "");
}

/* Where the plain store puts a tile of the block. */
static LLVMValueRef result_place(struct block *b, LLVMValueRef local_row, LLVMValueRef column)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    LLVMValueRef row = cpu_add(e, b->row, local_row);
    LLVMValueRef way = LLVMBuildMul(e->builder, row, b->result_row, "");
    way = cpu_add(e, way, scaled(b, cpu_add(e, b->column, column),
                                 (int64_t)ir_elem_bytes(m->plan->plain_elem)));
    return cpu_matrix_offset(m, b->result, way);
}

/* Where the sums of a tile of the block are: of accumulator `index`. */
static LLVMValueRef sums_place(struct block *b, LLVMValueRef local_row, LLVMValueRef column, int index)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    LLVMValueRef row = cpu_add(e, b->row, local_row);
    LLVMValueRef global_way = scaled(b, cpu_add(e, b->column, column), m->unit);
    LLVMValueRef global = cpu_add(e, LLVMBuildMul(e->builder, row, b->result_row, ""), global_way);
    LLVMValueRef local_way = scaled(b, column, m->unit);
    LLVMValueRef local =
        cpu_add(e, LLVMBuildMul(e->builder, local_row, b->sums_row, ""), local_way);
    local = cpu_add(e, local, scaled(b, b->apart, index));
    LLVMValueRef tile = cpu_matrix_place(m, m->tiles);
    if (m->tile_panels > 1)
        tile = cpu_matrix_offset(m, tile, scaled(b, in_tiles(b, column), m->unit));
    LLVMValueRef place = choose(b, b->single, tile, cpu_matrix_offset(m, b->sums, local));
    return choose(b, b->direct, cpu_matrix_offset(m, b->result, global), place);
}

/* The epilogue, when the sums are complete. */
static void finish(struct block *b, int index, const struct strip *s, LLVMValueRef column,
                   LLVMValueRef width)
{
    struct cpu_emit *e = b->m->e;
    struct cpu_branch branch;
    if (index != b->m->plan->product_count - 1)
        return;
    LLVMValueRef ends = LLVMBuildAnd(e->builder, s->last, LLVMBuildNot(e->builder, b->direct, ""),
                                     "");
    cpu_branch_begin(e, &branch, ends);
    LLVMValueRef sums = sums_place(b, s->row, column, 0);
    call_epilogue(b, s, cpu_add(e, b->column, column), width, sums);
    cpu_branch_end(e, &branch);
}

/* The same behind a tile, of all tiles that it takes together if this is their last. */
static void finish_tile(struct block *b, int index, const struct strip *s, LLVMValueRef column,
                        LLVMValueRef width)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    struct cpu_branch branch;
    if (m->tile_panels == 1 && !m->converts) {
        finish(b, index, s, column, width);
        return;
    }
    LLVMValueRef before = in_tiles(b, column), end = cpu_add(e, column, width);
    LLVMValueRef last = compare(b, LLVMIntEQ, before,
                                cpu_i64(e, tile_columns(m) * (m->tile_panels - 1)));
    last = LLVMBuildOr(e->builder, last, compare(b, LLVMIntSGE, end, b->columns), "");
    if (m->converts) { /* full tiles are stored already */
        LLVMValueRef part = compare(b, LLVMIntNE, width, cpu_i64(e, tile_columns(m)));
        part = LLVMBuildOr(e->builder, part, LLVMBuildNot(e->builder, s->converts, ""), "");
        last = LLVMBuildAnd(e->builder, last, part, "");
        before = choose(b, s->converts, cpu_i64(e, 0), before);
    }
    cpu_branch_begin(e, &branch, last);
    LLVMValueRef first = LLVMBuildSub(e->builder, column, before, "");
    finish(b, index, s, first, cpu_add(e, before, width));
    cpu_branch_end(e, &branch);
}

/* Which part of B's next block the strip's kernel of a panel copies. */
struct part {
    LLVMValueRef from, to, panel, steps; /* steps 0: none */
};

static struct part choose_part(struct block *b, const struct strip *s, LLVMValueRef panel)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    const struct copies *next = &s->next;
    LLVMValueRef none = cpu_i64(e, 0), panel_bytes = cpu_matrix_panel_bytes(m, next->steps);
    LLVMValueRef from = cpu_alloca(e, e->pointer, "from"), to = cpu_alloca(e, e->pointer, "to");
    LLVMValueRef steps = cpu_alloca(e, e->i64, "steps");
    LLVMBuildStore(e->builder, s->a, from);
    LLVMBuildStore(e->builder, s->a, to);
    LLVMBuildStore(e->builder, none, steps);
    struct cpu_branch some;
    cpu_branch_begin(e, &some, compare(b, LLVMIntNE, next->parts, none));
    LLVMValueRef kernel = cpu_add(e, LLVMBuildMul(e->builder, s->number, s->per_strip, ""), panel);
    LLVMValueRef part = LLVMBuildUDiv(e->builder, kernel, next->every, "");
    LLVMValueRef between = LLVMBuildURem(e->builder, kernel, next->every, "");
    LLVMValueRef exists = compare(b, LLVMIntULT, part, next->parts);
    LLVMValueRef copies =
        LLVMBuildAnd(e->builder, compare(b, LLVMIntEQ, between, none), exists, "");
    LLVMValueRef set = LLVMBuildURem(e->builder, part, next->sets, "");
    LLVMValueRef first = LLVMBuildMul(e->builder, LLVMBuildUDiv(e->builder, part, next->sets, ""),
                                      next->pauses, "");
    LLVMValueRef steps_way = LLVMBuildMul(e->builder, first, next->step, "");
    LLVMValueRef way =
        cpu_add(e, scaled(b, set, set_columns(m) * cpu_matrix_element(m, true)), steps_way);
    LLVMBuildStore(e->builder, cpu_matrix_offset(m, next->from, way), from);
    LLVMValueRef first_way = scaled(b, first, tile_columns(m) * m->unit);
    way = cpu_add(
        e, LLVMBuildMul(e->builder, scaled(b, set, m->machine->copy_panels), panel_bytes, ""),
        first_way);
    LLVMValueRef there = LLVMBuildLoad2(e->builder, e->pointer, b->there, "");
    LLVMBuildStore(e->builder, cpu_matrix_offset(m, there, way), to);
    LLVMValueRef left = LLVMBuildSub(e->builder, next->steps, first, "");
    LLVMBuildStore(e->builder, choose(b, copies, cpu_min_i64(e, left, next->pauses), none), steps);
    cpu_branch_end(e, &some);
    from = LLVMBuildLoad2(e->builder, e->pointer, from, "");
    to = LLVMBuildLoad2(e->builder, e->pointer, to, "");
    steps = LLVMBuildLoad2(e->builder, e->i64, steps, "");
    return (struct part){from, to, panel_bytes, steps};
}

/* How far ahead of its loads a kernel fetches its panels: not where the block stays near. */
static LLVMValueRef ahead_in_panels(struct block *b, const struct product_values *p, const struct strip *s)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    LLVMValueRef panel_bytes = cpu_matrix_panel_bytes(m, s->steps);
    LLVMValueRef bytes = LLVMBuildMul(e->builder, panel_bytes, s->per_strip, "");
    LLVMValueRef far = compare(b, LLVMIntSGT, bytes, cpu_i64(e, m->machine->held_bytes));
    int64_t ahead = m->machine->fetch_ahead * tile_columns(m) * m->unit;
    return choose(b, LLVMBuildAnd(e->builder, far, p->pack_b, ""), cpu_i64(e, ahead), cpu_i64(e, 0));
}

/* How far into B a column of the block lies, at the block of K. */
static LLVMValueRef way_of_column(struct block *b, const struct product_values *p,
                                  const struct strip *s, LLVMValueRef column)
{
    struct cpu_emit *e = b->m->e;
    LLVMValueRef depth_way = LLVMBuildMul(e->builder, s->k0, p->b.inner, "");
    return cpu_add(e, LLVMBuildMul(e->builder, cpu_add(e, b->column, column), p->b.outer, ""),
                   depth_way);
}

/* The tiles of `count` panels side by side: more than one if all are full and their kernels do not copy. */
static void emit_tiles(struct block *b, int index, const struct strip *s, LLVMValueRef panel,
                       LLVMValueRef count)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    const struct product_values *p = &b->products[index];
    int64_t tile_bytes = tile_columns(m) * m->unit;
    LLVMValueRef zero = cpu_i64(e, 0), column = scaled(b, panel, tile_columns(m));
    LLVMValueRef left = LLVMBuildSub(e->builder, b->columns, column, "");
    LLVMValueRef width = cpu_min_i64(e, left, cpu_i64(e, tile_columns(m)));
    LLVMValueRef panel_bytes = cpu_matrix_panel_bytes(m, s->steps);
    LLVMValueRef packed = LLVMBuildMul(e->builder, panel, panel_bytes, "");
    LLVMValueRef plain = way_of_column(b, p, s, column);
    LLVMValueRef panels = LLVMBuildLoad2(e->builder, e->pointer, b->here, "");
    LLVMValueRef unpacked = cpu_matrix_offset(m, p->b.pointer, plain);
    LLVMValueRef b_place = choose(b, p->pack_b, cpu_matrix_offset(m, panels, packed), unpacked);
    LLVMValueRef b_step = choose(b, p->pack_b, cpu_i64(e, tile_bytes), p->b.inner);
    int accumulator = m->plan->products[index].accumulator;
    LLVMValueRef sums = sums_place(b, s->row, column, accumulator);
    LLVMValueRef sums_row = choose(b, b->direct, b->result_row, b->sums_row);
    LLVMValueRef full = compare(b, LLVMIntSGE, left, cpu_i64(e, tile_columns(m)));
    LLVMValueRef kernel = choose(b, full, s->kernel, edge_of(b, left));
    LLVMValueRef load = s->load, c_tile = cpu_i64(e, tile_bytes);
    if (m->converts) {
        LLVMValueRef stores = LLVMBuildAnd(e->builder, full, s->converts, "");
        int64_t bytes = tile_columns(m) * (int64_t)ir_elem_bytes(m->plan->plain_elem);
        sums = choose(b, stores, result_place(b, s->row, column), sums);
        sums_row = choose(b, stores, b->result_row, sums_row);
        load = choose(b, stores, cpu_i64(e, CPU_MATRIX_CONVERT), load);
        if (m->machine->passes)
            c_tile = choose(b, stores, cpu_i64(e, bytes), c_tile);
    }
    LLVMValueRef next_c = cpu_matrix_offset(m, sums, cpu_i64(e, tile_bytes));
    LLVMValueRef next_a = s->a, next_a_step = zero;
    struct part part = {s->a, s->a, zero, zero};
    LLVMValueRef behind = cpu_i64(e, tile_columns(m)), next_panel = NULL;
    if (count) {
        behind = scaled(b, count, tile_columns(m));
        next_panel = cpu_add(e, panel, count);
        next_c = cpu_matrix_offset(m, sums, LLVMBuildMul(e->builder, count, c_tile, ""));
    }
    if (m->machine->pause) {
        LLVMValueRef next_row = cpu_add(e, s->row, s->height);
        LLVMValueRef last = compare(b, LLVMIntSLE, left, behind);
        next_c = choose(b, last, sums_place(b, next_row, zero, accumulator), next_c);
        if (m->machine->near_bytes)
            next_c = choose(b, b->near_sums, sums, next_c);
        next_a = cpu_matrix_offset(m, s->next_a, LLVMBuildMul(e->builder, panel, s->piece, ""));
        next_a = choose(b, s->fetches, next_a, s->a);
        next_a_step = choose(b, s->fetches, s->piece_step, zero);
        part = choose_part(b, s, panel);
    }
    LLVMValueRef values[CPU_MATRIX_KERNEL_MOST] = {
        s->a,      s->a_row,    b_place,    b_step,   sums,
        sums_row,  s->steps,    load,       s->height, width,
        cpu_matrix_place(m, m->row_sums),   next_c,   next_a,
        s->next_a_row, next_a_step, part.from, s->next.step, part.to,
        part.panel, part.steps};
    if (count) {
        LLVMValueRef ahead = ahead_in_panels(b, p, s);
        LLVMValueRef plain_panel = scaled(b, p->b.outer, tile_columns(m));
        LLVMValueRef others = compare(b, LLVMIntSLT, next_panel, s->per_strip);
        LLVMValueRef more[] = {ahead,
                               choose(b, others, ahead, zero), /* not past the block's end */
                               count,
                               choose(b, p->pack_b, panel_bytes, plain_panel),
                               c_tile,
                               choose(b, s->fetches, s->piece, zero)};
        memcpy(values + CPU_MATRIX_KERNEL_LEAST, more, sizeof more);
        column = scaled(b, LLVMBuildSub(e->builder, next_panel, cpu_i64(e, 1), ""), tile_columns(m));
    }
    LLVMBuildCall2(e->builder, m->kernel_type, kernel, values, (unsigned)cpu_matrix_kernel_parameters(m),
                   "");
    finish_tile(b, index, s, column, width);
}

/* How many panels a call takes at most: those that the epilogue takes together, or all; one where kernels copy or
 * are those of edges. */
static LLVMValueRef panels_per_call(struct block *b, const struct strip *s)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    LLVMValueRef stored = LLVMBuildOr(e->builder, b->direct, s->converts, "");
    LLVMValueRef most = choose(b, stored, s->per_strip, cpu_i64(e, m->tile_panels));
    LLVMValueRef copies = compare(b, LLVMIntNE, s->next.parts, cpu_i64(e, 0));
    LLVMValueRef low = compare(b, LLVMIntSLT, s->height, cpu_i64(e, CPU_MATRIX_LEAST_ROWS));
    return choose(b, LLVMBuildOr(e->builder, copies, low, ""), cpu_i64(e, 1), most);
}

static void emit_panels(struct block *b, int index, const struct strip *s)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    struct cpu_loop panels;
    if (!m->machine->passes) {
        cpu_loop_begin(e, &panels, cpu_i64(e, 0), s->per_strip, 1);
        emit_tiles(b, index, s, panels.index, NULL);
        cpu_loop_end(e, &panels);
        return;
    }
    LLVMValueRef most = panels_per_call(b, s);
    LLVMValueRef whole = LLVMBuildUDiv(e->builder, b->columns, cpu_i64(e, tile_columns(m)), "");
    cpu_loop_begin(e, &panels, cpu_i64(e, 0), s->per_strip, 1);
    LLVMValueRef left = LLVMBuildSub(e->builder, whole, panels.index, "");
    panels.step = cpu_max_i64(e, cpu_min_i64(e, left, most), cpu_i64(e, 1));
    emit_tiles(b, index, s, panels.index, panels.step);
    cpu_loop_end(e, &panels);
}

/* ---- strips ---------------------------------------------------------------------------------- */

/* Packs A's next strips of rows, as many as fit, where A is packed. first: the first of them. */
static void pack_strips(struct block *b, int index, const struct strip *s, LLVMValueRef strip,
                        LLVMValueRef first)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    const struct product_values *p = &b->products[index];
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
static void fetch_strip(struct block *b, const struct product_values *p, const struct strip *s)
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

static void emit_strip(struct block *b, int index, struct strip *s, LLVMValueRef strip,
                       LLVMValueRef first)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    const struct product_values *p = &b->products[index];
    s->number = strip;
    pack_strips(b, index, s, strip, first);
    LLVMValueRef since = LLVMBuildSub(e->builder, s->row,
                                      LLVMBuildLoad2(e->builder, e->i64, first, ""), "");
    LLVMValueRef since_way = scaled(b, since, m->a_stride);
    LLVMValueRef packed = cpu_matrix_offset(m, cpu_matrix_place(m, m->rows_a), since_way);
    LLVMValueRef depth_way = LLVMBuildMul(e->builder, s->k0, p->a.inner, "");
    LLVMValueRef way =
        cpu_add(e, LLVMBuildMul(e->builder, cpu_add(e, b->row, s->row), p->a.outer, ""), depth_way);
    s->a = choose(b, p->pack_a, packed, cpu_matrix_offset(m, p->a.pointer, way));
    s->a_row = choose(b, p->pack_a, cpu_i64(e, m->a_stride), p->a.outer);
    s->kernel = kernel_of(b, s->height);
    s->converts = LLVMBuildAnd(e->builder, b->converts,
                               compare(b, LLVMIntSGE, s->height, cpu_i64(e, CPU_MATRIX_LEAST_ROWS)), "");
    LLVMValueRef after = choose(b, p->pack_a, p->pack_rows, s->height);
    s->next_a_row = p->a.outer;
    s->next_a = cpu_matrix_offset(
        m, p->a.pointer, cpu_add(e, way, LLVMBuildMul(e->builder, after, p->a.outer, "")));
    s->fetches = compare(b, LLVMIntSLT, cpu_add(e, s->row, after), b->rows);
    if (m->machine->near_bytes)
        s->fetches =
            LLVMBuildAnd(e->builder, s->fetches, LLVMBuildNot(e->builder, p->near_a, ""), "");
    if (!m->machine->pause || m->machine->fetch_panels)
        fetch_strip(b, p, s);
    if (m->machine->fetch_panels) {
        LLVMValueRef most = cpu_i64(e, m->machine->fetch_panels);
        s->fetches = LLVMBuildAnd(e->builder, s->fetches,
                                  compare(b, LLVMIntSLE, s->per_strip, most), "");
    }
    if (m->sums) {
        LLVMValueRef values[] = {s->a, s->a_row, s->steps, s->height,
                                 cpu_matrix_place(m, m->row_sums)};
        LLVMBuildCall2(e->builder, m->sums_type, m->sums, values, 5, "");
    }
    emit_panels(b, index, s);
}

/* Rows are dealt out evenly: strips differ by one row at most. */
static void emit_strips(struct block *b, int index, struct strip *s)
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

/* ---- all strips past one panel --------------------------------------------------------------- */

/* Where the second level holds A and the first one a panel beside two strips, all strips pass over
 * one panel before the next one. Each strip is fetched by the kernel of that before it, as is the B
 * of the next panel. */
static LLVMValueRef passes_strips(struct block *b, const struct product_values *p,
                                  const struct strip *s)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    LLVMValueRef passes = LLVMBuildAnd(e->builder, b->direct, b->single, "");
    LLVMValueRef needs[] = {
        LLVMBuildNot(e->builder, p->pack_a, ""),
        p->near_a,
        LLVMBuildOr(e->builder, p->pack_b, is_small_b(b, p, m->machine->plain_bytes), ""),
        compare(b, LLVMIntEQ, s->next.parts, cpu_i64(e, 0)),
        compare(b, LLVMIntSGE, b->rows, cpu_i64(e, PASS_LEAST_ROWS)),
        compare(b, LLVMIntSLE, cpu_matrix_panel_bytes(m, s->steps),
                cpu_i64(e, m->machine->panel_bytes))};
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        passes = LLVMBuildAnd(e->builder, passes, needs[i], "");
    return passes;
}

/* Strips of one height past a panel. */
struct pass {
    LLVMValueRef row, height, strips;
    LLVMValueRef after; /* the row of the strip that comes next */
    LLVMValueRef column, b, b_step;
    LLVMValueRef beside, beside_row;
};

static void emit_pass(struct block *b, const struct strip *s, const struct pass *pass)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    const struct product_values *p = &b->products[0];
    LLVMValueRef zero = cpu_i64(e, 0), none = LLVMConstNull(e->pointer);
    LLVMValueRef depth_way = LLVMBuildMul(e->builder, s->k0, p->a.inner, "");
    LLVMValueRef rows = cpu_matrix_offset(m, p->a.pointer, depth_way);
    rows = cpu_matrix_offset(m, rows, LLVMBuildMul(e->builder, b->row, p->a.outer, ""));
    LLVMValueRef a =
        cpu_matrix_offset(m, rows, LLVMBuildMul(e->builder, pass->row, p->a.outer, ""));
    LLVMValueRef after =
        cpu_matrix_offset(m, rows, LLVMBuildMul(e->builder, pass->after, p->a.outer, ""));
    LLVMValueRef c = result_place(b, pass->row, pass->column);
    LLVMValueRef left = LLVMBuildSub(e->builder, b->columns, pass->column, "");
    struct cpu_branch some, full;
    cpu_branch_begin(e, &some, compare(b, LLVMIntSGT, pass->strips, zero));
    cpu_branch_begin(e, &full, compare(b, LLVMIntSGE, left, cpu_i64(e, tile_columns(m))));
    LLVMValueRef tall = compare(b, LLVMIntEQ, pass->height, cpu_i64(e, CPU_MATRIX_ROWS));
    LLVMValueRef function =
        choose(b, tall, m->strips[CPU_MATRIX_ROWS], m->strips[CPU_MATRIX_ROWS - 1]);
    LLVMValueRef values[] = {a,     p->a.outer,    pass->b,         pass->b_step,
                             c,     b->result_row, s->steps,        pass->strips,
                             after, pass->beside,  pass->beside_row};
    LLVMBuildCall2(e->builder, m->strips_type, function, values, sizeof values / sizeof *values,
                   "");
    cpu_branch_else(e, &full);
    struct cpu_loop strips;
    cpu_loop_begin(e, &strips, zero, pass->strips, 1);
    LLVMValueRef way = LLVMBuildMul(e->builder, strips.index, pass->height, "");
    LLVMValueRef a_strip = cpu_matrix_offset(m, a, LLVMBuildMul(e->builder, way, p->a.outer, ""));
    LLVMValueRef c_strip =
        cpu_matrix_offset(m, c, LLVMBuildMul(e->builder, way, b->result_row, ""));
    LLVMValueRef edge[CPU_MATRIX_KERNEL_MOST] = {
        a_strip, p->a.outer,   pass->b, pass->b_step, c_strip, b->result_row, s->steps,
        s->load, pass->height, left,    none,         c_strip, a_strip,       zero,
        zero,    none,         zero,    none,         zero,    zero,          zero,
        zero,    zero,         zero,    zero,         zero};
    LLVMBuildCall2(e->builder, m->kernel_type, edge_of(b, left), edge,
                   (unsigned)cpu_matrix_kernel_parameters(m), "");
    cpu_loop_end(e, &strips);
    cpu_branch_end(e, &full);
    cpu_branch_end(e, &some);
}

/* Where the panel from a column on starts: the last one, if it has more than one vector of columns, so much earlier
 * that it is whole. Those that it shares with the one before are computed twice, to the same bits, by full kernels,
 * which take no longer than an edge's. */
static LLVMValueRef whole_panel(struct block *b, LLVMValueRef column)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    LLVMValueRef tile = cpu_i64(e, tile_columns(m));
    LLVMValueRef left = LLVMBuildSub(e->builder, b->columns, column, "");
    LLVMValueRef early = LLVMBuildSub(e->builder, b->columns, tile, "");
    LLVMValueRef earlier = LLVMBuildAnd(e->builder, compare(b, LLVMIntSGT, left, cpu_i64(e, m->lanes)),
                                        compare(b, LLVMIntSGE, early, cpu_i64(e, 0)), "");
    return choose(b, earlier, cpu_min_i64(e, column, early), column);
}

static void emit_passes(struct block *b, const struct strip *s)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    const struct product_values *p = &b->products[0];
    LLVMValueRef zero = cpu_i64(e, 0), one = cpu_i64(e, 1);
    LLVMValueRef count = cpu_matrix_cdiv(m, b->rows, CPU_MATRIX_ROWS);
    LLVMValueRef least = LLVMBuildUDiv(e->builder, b->rows, count, "");
    LLVMValueRef more = LLVMBuildURem(e->builder, b->rows, count, "");
    /* six rows of B with each strip; not where they would soon be past the last one */
    LLVMValueRef lines = scaled(b, count, CPU_MATRIX_ROWS);
    LLVMValueRef suits =
        compare(b, LLVMIntSLT, lines, cpu_add(e, s->depth, cpu_i64(e, CPU_MATRIX_ROWS)));
    suits = LLVMBuildAnd(e->builder, suits, p->pack_b, "");
    struct cpu_loop panels;
    cpu_loop_begin(e, &panels, zero, s->per_strip, 1);
    LLVMValueRef column = whole_panel(b, scaled(b, panels.index, tile_columns(m)));
    LLVMValueRef here = LLVMBuildLoad2(e->builder, e->pointer, b->here, "");
    LLVMValueRef from = cpu_matrix_offset(m, p->b.pointer, way_of_column(b, p, s, column));
    struct cpu_branch packs;
    cpu_branch_begin(e, &packs, p->pack_b);
    LLVMValueRef left = LLVMBuildSub(e->builder, b->columns, column, "");
    LLVMValueRef width = cpu_min_i64(e, left, cpu_i64(e, tile_columns(m)));
    LLVMValueRef values[] = {from, p->b.outer, p->b.inner, s->depth, width, here};
    LLVMBuildCall2(e->builder, m->pack_type, m->pack_b, values, 6, "");
    cpu_branch_end(e, &packs);
    LLVMValueRef others = compare(b, LLVMIntSLT, cpu_add(e, panels.index, one), s->per_strip);
    others = LLVMBuildAnd(e->builder, others, suits, "");
    /* the next panel's last element: rows of B may start anywhere in a line, of which this panel
     * has the first part */
    LLVMValueRef end = cpu_matrix_offset(m, from, scaled(b, p->b.outer, 2 * tile_columns(m) - 1));
    struct pass high = {.row = zero,
                        .height = cpu_add(e, least, one),
                        .strips = more,
                        .after = LLVMBuildMul(e->builder, more, cpu_add(e, least, one), ""),
                        .column = column,
                        .b = choose(b, p->pack_b, here, from),
                        .b_step =
                            choose(b, p->pack_b, cpu_i64(e, tile_columns(m) * m->unit), p->b.inner),
                        .beside = choose(b, others, end, from),
                        .beside_row = choose(b, others, p->b.inner, zero)};
    emit_pass(b, s, &high);
    struct pass low = high;
    low.row = high.after;
    low.height = least;
    low.strips = LLVMBuildSub(e->builder, count, more, "");
    low.after = zero;
    LLVMValueRef fetched =
        LLVMBuildMul(e->builder, scaled(b, more, CPU_MATRIX_ROWS), high.beside_row, "");
    low.beside = cpu_matrix_offset(m, high.beside, fetched);
    emit_pass(b, s, &low);
    cpu_loop_end(e, &panels);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

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
static void emit_sweep(struct block *b, int index, struct strip *s)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    const struct product_values *p = &b->products[index];
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
    LLVMValueRef sums = sums_place(b, s->row, zero, m->plan->products[index].accumulator);
    LLVMValueRef sums_row = choose(b, b->direct, b->result_row, b->sums_row);
    LLVMValueRef values[] = {from,     outer,     inner,      other,    p->b.inner, sums,
                             sums_row, s->height, b->columns, s->depth, s->load, NULL};
    unsigned count = (unsigned)cpu_matrix_sweep_parameters(m);
    if (count == sizeof values / sizeof *values) {
        LLVMValueRef bytes = LLVMBuildMul(e->builder, p->depth, p->b.inner, "");
        LLVMValueRef far = compare(b, LLVMIntSGT, bytes, cpu_i64(e, m->machine->far_bytes));
        values[count - 1] = LLVMBuildZExt(e->builder, far, e->i64, "");
    }
    LLVMBuildCall2(e->builder, m->sweep_type, choose(b, one, m->sweep_row, m->sweep_rows), values, count,
                   "");
    finish(b, index, s, zero, b->columns);
}

/* Whether the kernels of a block copy B's next one, and how. They do if they have pauses enough, and the
 * next block is whole sets of panels whose rows lie in memory as they are packed. */
static void choose_copies(struct block *b, const struct product_values *p, struct strip *s,
                          LLVMValueRef per_block)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    struct copies *next = &s->next;
    LLVMValueRef zero = cpu_i64(e, 0), one = cpu_i64(e, 1), set = cpu_i64(e, set_columns(m));
    LLVMValueRef most = scaled(b, b->panels, tile_columns(m));
    LLVMValueRef column = choose(b, s->last, cpu_add(e, b->column, most), b->column);
    LLVMValueRef k0 = choose(b, s->last, zero, cpu_add(e, s->k0, per_block));
    LLVMValueRef width = cpu_min_i64(e, most, LLVMBuildSub(e->builder, b->p[COLUMN_END], column, ""));
    LLVMValueRef depth = cpu_min_i64(e, per_block, LLVMBuildSub(e->builder, p->depth, k0, ""));
    LLVMValueRef depth_way = LLVMBuildMul(e->builder, k0, p->b.inner, "");
    LLVMValueRef way = cpu_add(e, LLVMBuildMul(e->builder, column, p->b.outer, ""), depth_way);
    next->from = cpu_matrix_offset(m, p->b.pointer, way);
    next->step = scaled(b, p->b.inner, m->group);
    next->steps = LLVMBuildSDiv(e->builder, depth, cpu_i64(e, m->group), "");
    LLVMValueRef steps = s->steps;
    if (m->machine->pairs) /* an odd one comes before the first pause */
        steps = LLVMBuildAnd(e->builder, steps, cpu_i64(e, -2), "");
    next->pauses = cpu_max_i64(e, cpu_matrix_cdiv(m, steps, m->machine->pause), one);
    next->sets = cpu_max_i64(e, LLVMBuildSDiv(e->builder, width, set, ""), one);
    LLVMValueRef parts = LLVMBuildMul(e->builder, next->sets,
                                      divide_up(b, next->steps, next->pauses), "");
    LLVMValueRef kernels = LLVMBuildMul(e->builder, cpu_matrix_cdiv(m, b->rows, CPU_MATRIX_ROWS),
                                        s->per_strip, "");
    LLVMValueRef height = LLVMBuildSub(e->builder, b->p[ROW_END], b->p[ROW], "");
    LLVMValueRef needs[9] = {p->pack_b};
    int count = 1;
    needs[count++] = compare(b, LLVMIntEQ, p->b.outer, cpu_i64(e, cpu_matrix_element(m, true)));
    needs[count++] = compare(b, LLVMIntSGE, height, cpu_i64(e, COPY_LEAST_ROWS));
    needs[count++] = compare(b, LLVMIntSLE, height, cpu_i64(e, m->machine->copy_rows));
    needs[count++] = compare(b, LLVMIntSLE, height, b->most_rows);
    needs[count++] = compare(b, LLVMIntSGT, width, zero);
    LLVMValueRef over = LLVMBuildSRem(e->builder, width, set, "");
    needs[count++] = compare(b, LLVMIntEQ, over, zero);
    over = LLVMBuildSRem(e->builder, depth, cpu_i64(e, m->group), "");
    needs[count++] = compare(b, LLVMIntEQ, over, zero);
    needs[count++] = compare(b, LLVMIntSLE, parts, kernels);
    LLVMValueRef copies = yes_or_no(b, m->plan->product_count == 1);
    if (m->machine->pairs)
        copies = LLVMBuildAnd(e->builder, copies, compare(b, LLVMIntNE, steps, zero), "");
    for (int i = 0; i < count; i++)
        copies = LLVMBuildAnd(e->builder, copies, needs[i], "");
    next->parts = choose(b, copies, parts, zero);
    next->every = LLVMBuildUDiv(e->builder, kernels, cpu_max_i64(e, next->parts, one), "");
}

/* Behind a block: its successor's panels, if they were copied, become this block's. */
static void change_panels(struct block *b, const struct strip *s)
{
    struct cpu_emit *e = b->m->e;
    LLVMValueRef copied = compare(b, LLVMIntNE, s->next.parts, cpu_i64(e, 0));
    LLVMValueRef here = LLVMBuildLoad2(e->builder, e->pointer, b->here, "");
    LLVMValueRef there = LLVMBuildLoad2(e->builder, e->pointer, b->there, "");
    LLVMBuildStore(e->builder, choose(b, copied, there, here), b->here);
    LLVMBuildStore(e->builder, choose(b, copied, here, there), b->there);
    LLVMBuildStore(e->builder, copied, b->copied);
}

static void emit_product(struct block *b, int index)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    const struct product_values *p = &b->products[index];
    struct cpu_loop blocks;
    cpu_loop_begin(e, &blocks, cpu_i64(e, 0), p->blocks, 1);
    struct strip s = {0};
    LLVMValueRef per_block = scaled(b, p->steps, m->group);
    s.k0 = LLVMBuildMul(e->builder, blocks.index, per_block, "");
    s.depth = cpu_min_i64(e, per_block, LLVMBuildSub(e->builder, p->depth, s.k0, ""));
    s.depth = cpu_max_i64(e, s.depth, cpu_i64(e, 0));
    s.steps = cpu_matrix_cdiv(m, s.depth, m->group);
    LLVMValueRef later = compare(b, LLVMIntNE, blocks.index, cpu_i64(e, 0));
    s.load = continues(m->plan, index) ? cpu_i64(e, 1)
                                       : LLVMBuildZExt(e->builder, later, e->i64, "");
    LLVMValueRef end = LLVMBuildSub(e->builder, p->blocks, cpu_i64(e, 1), "");
    s.last = compare(b, LLVMIntEQ, blocks.index, end);
    s.per_strip = cpu_matrix_cdiv(m, b->columns, tile_columns(m));
    int64_t unit_of_a = m->group * cpu_matrix_element(m, false);
    s.piece = LLVMBuildUDiv(e->builder, scaled(b, s.steps, unit_of_a), s.per_strip, "");
    s.piece_step = LLVMBuildUDiv(e->builder, cpu_i64(e, m->machine->pause * unit_of_a), s.per_strip, "");
    s.next.step = cpu_i64(e, 0);
    struct cpu_branch branch;
    LLVMValueRef copied = LLVMBuildLoad2(e->builder, e->i1, b->copied, "");
    LLVMValueRef packs =
        LLVMBuildAnd(e->builder, p->pack_b, LLVMBuildNot(e->builder, copied, ""), "");
    LLVMValueRef passes = NULL;
    if (m->strips[CPU_MATRIX_ROWS]) {
        choose_copies(b, p, &s, per_block);
        passes = passes_strips(b, p, &s);
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
        choose_copies(b, p, &s, per_block);
    if (m->sweep_rows) {
        cpu_branch_begin(e, &branch, b->sweep);
        emit_sweep(b, index, &s);
        cpu_branch_else(e, &branch);
    }
    struct cpu_branch past;
    if (passes) {
        cpu_branch_begin(e, &past, passes);
        emit_passes(b, &s);
        cpu_branch_else(e, &past);
    }
    emit_strips(b, index, &s);
    if (passes)
        cpu_branch_end(e, &past);
    if (m->sweep_rows)
        cpu_branch_end(e, &branch);
    if (m->machine->pause)
        change_panels(b, &s);
    cpu_loop_end(e, &blocks);
}

/* Two places for panels where kernels copy the next block's, one behind the other. */
static void set_panels(struct block *b)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    int64_t apart = m->machine->pause ? m->machine->copied_bytes + slack_bytes(m) : 0;
    b->here = cpu_alloca(e, e->pointer, "here");
    b->there = cpu_alloca(e, e->pointer, "there");
    b->copied = cpu_alloca(e, e->i1, "copied");
    LLVMBuildStore(e->builder, cpu_matrix_place(m, m->panels), b->here);
    LLVMBuildStore(e->builder, cpu_matrix_place(m, m->panels + apart), b->there);
    LLVMBuildStore(e->builder, yes_or_no(b, false), b->copied);
}

static void emit_blocks(struct block *b)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    struct cpu_loop columns, rows;
    LLVMValueRef width = LLVMBuildSub(e->builder, b->p[COLUMN_END], b->p[COLUMN], "");
    LLVMValueRef height = LLVMBuildSub(e->builder, b->p[ROW_END], b->p[ROW], "");
    LLVMValueRef per_block = scaled(b, b->panels, tile_columns(m));
    set_panels(b);
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

/* Whether all elements of B that the block reads suit vpmaddubsw. To look at them costs as much as 20
 * rows or so gain. */
static LLVMValueRef suits_narrow(struct block *b)
{
    enum { LEAST_ROWS = 32 };
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    LLVMValueRef height = LLVMBuildSub(e->builder, b->p[ROW_END], b->p[ROW], "");
    LLVMValueRef width = LLVMBuildSub(e->builder, b->p[COLUMN_END], b->p[COLUMN], "");
    LLVMValueRef slot = cpu_alloca(e, e->i1, "suits");
    LLVMBuildStore(e->builder, compare(b, LLVMIntSGE, height, cpu_i64(e, LEAST_ROWS)), slot);
    for (int i = 0; i < m->plan->product_count; i++) {
        const struct product_values *p = &b->products[i];
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
    struct block *b = ARENA_NEW(e->arena, struct block);
    *b = (struct block){.m = m};
    for (int i = 0; i < PARAMETERS; i++)
        b->p[i] = LLVMGetParam(m->block, (unsigned)i);
    struct cpu_branch branch;
    LLVMValueRef some_columns = compare(b, LLVMIntSLT, b->p[COLUMN], b->p[COLUMN_END]);
    LLVMValueRef some = LLVMBuildAnd(e->builder, compare(b, LLVMIntSLT, b->p[ROW], b->p[ROW_END]),
                                     some_columns, "");
    cpu_branch_begin(e, &branch, some);
    cpu_matrix_launch(m, b->p[ARGUMENTS], b->p[GRID], b->p[SCRATCH], b->p[BATCH]);
    LLVMValueRef height = LLVMBuildSub(e->builder, b->p[ROW_END], b->p[ROW], "");
    b->few = compare(b, LLVMIntSLE, height, cpu_i64(e, m->machine->copy_rows / 4));
    for (int i = 0; i < m->plan->product_count; i++)
        read_product(b, i);
    choose_sweep(b, height);
    for (int i = 0; i < m->plan->product_count; i++)
        choose_blocks(b, &b->products[i], height);
    read_result(b);
    choose_sizes(b);
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
