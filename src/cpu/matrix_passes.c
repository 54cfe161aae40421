/*
 * The other way round: where the second level holds A and the first one a panel beside two strips,
 * all strips pass over one panel before the next one. Each strip is fetched by the kernel of that
 * before it, as is the B of the next panel.
 */
#include "cpu/matrix_block.h"
#include "cpu/matrix_kernel.h"

/* From here on all strips pass over a panel: such have 5 or 6 rows. */
enum { PASS_LEAST_ROWS = 48 };

LLVMValueRef cpu_matrix_may_pass(struct matrix_block *b, const struct matrix_product_values *p,
                                 const struct matrix_strip *s)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    LLVMValueRef passes = LLVMBuildAnd(e->builder, b->direct, b->single, "");
    LLVMValueRef needs[] = {LLVMBuildNot(e->builder, p->pack_a, ""),
                            p->near_a,
                            LLVMBuildOr(e->builder, p->pack_b,
                                        cpu_matrix_is_small_b(b, p, m->machine->plain_bytes), ""),
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

static void emit_pass(struct matrix_block *b, const struct matrix_strip *s, const struct pass *pass)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    const struct matrix_product_values *p = &b->products[0];
    LLVMValueRef zero = cpu_i64(e, 0), none = LLVMConstNull(e->pointer);
    LLVMValueRef depth_way = LLVMBuildMul(e->builder, s->k0, p->a.inner, "");
    LLVMValueRef rows = cpu_matrix_offset(m, p->a.pointer, depth_way);
    rows = cpu_matrix_offset(m, rows, LLVMBuildMul(e->builder, b->row, p->a.outer, ""));
    LLVMValueRef a =
        cpu_matrix_offset(m, rows, LLVMBuildMul(e->builder, pass->row, p->a.outer, ""));
    LLVMValueRef after =
        cpu_matrix_offset(m, rows, LLVMBuildMul(e->builder, pass->after, p->a.outer, ""));
    LLVMValueRef c = cpu_matrix_result_place(b, pass->row, pass->column);
    LLVMValueRef left = LLVMBuildSub(e->builder, b->columns, pass->column, "");
    struct cpu_branch some, full;
    cpu_branch_begin(e, &some, compare(b, LLVMIntSGT, pass->strips, zero));
    cpu_branch_begin(e, &full, compare(b, LLVMIntSGE, left, cpu_i64(e, tile_columns(m))));
    LLVMValueRef tall = compare(b, LLVMIntEQ, pass->height, cpu_i64(e, CPU_MATRIX_ROWS));
    LLVMValueRef function =
        choose(b, tall, m->strips[CPU_MATRIX_ROWS], m->strips[CPU_MATRIX_ROWS - 1]);
    LLVMValueRef values[STRIPS_PARAMETERS] = {
        [KERNEL_A] = a,
        [KERNEL_A_ROW] = p->a.outer,
        [KERNEL_B] = pass->b,
        [KERNEL_B_STEP] = pass->b_step,
        [KERNEL_C] = c,
        [KERNEL_C_ROW] = b->result_row,
        [KERNEL_STEPS] = s->steps,
        [STRIPS_COUNT] = pass->strips,
        [STRIPS_NEXT_A] = after,
        [STRIPS_BESIDE] = pass->beside,
        [STRIPS_BESIDE_ROW] = pass->beside_row,
    };
    LLVMBuildCall2(e->builder, m->strips_type, function, values, STRIPS_PARAMETERS, "");
    cpu_branch_else(e, &full);
    struct cpu_loop strips;
    cpu_loop_begin(e, &strips, zero, pass->strips, 1);
    LLVMValueRef way = LLVMBuildMul(e->builder, strips.index, pass->height, "");
    LLVMValueRef a_strip = cpu_matrix_offset(m, a, LLVMBuildMul(e->builder, way, p->a.outer, ""));
    LLVMValueRef c_strip =
        cpu_matrix_offset(m, c, LLVMBuildMul(e->builder, way, b->result_row, ""));
    LLVMValueRef edge[KERNEL_PARAMETERS];
    for (int i = 0; i < KERNEL_PARAMETERS; i++)
        edge[i] = zero;
    edge[KERNEL_A] = edge[KERNEL_NEXT_A] = a_strip;
    edge[KERNEL_A_ROW] = p->a.outer;
    edge[KERNEL_B] = pass->b;
    edge[KERNEL_B_STEP] = pass->b_step;
    edge[KERNEL_C] = edge[KERNEL_NEXT_C] = c_strip;
    edge[KERNEL_C_ROW] = b->result_row;
    edge[KERNEL_STEPS] = s->steps;
    edge[KERNEL_LOAD] = s->load;
    edge[KERNEL_ROWS] = pass->height;
    edge[KERNEL_COLUMNS] = left;
    edge[KERNEL_MOVED] = edge[KERNEL_FROM] = edge[KERNEL_TO] = none;
    LLVMBuildCall2(e->builder, m->kernel_type, cpu_matrix_edge(b, left), edge,
                   (unsigned)cpu_matrix_kernel_parameters(m), "");
    cpu_loop_end(e, &strips);
    cpu_branch_end(e, &full);
    cpu_branch_end(e, &some);
}

/* Where the panel from a column on starts: the last one, if it has as many vectors of columns as a
 * whole one, so much earlier that it is whole. Those that it shares with the one before are
 * computed twice, to the same bits, by full kernels, which take no longer than an edge's. */
static LLVMValueRef whole_panel(struct matrix_block *b, LLVMValueRef column)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    LLVMValueRef tile = cpu_i64(e, tile_columns(m));
    LLVMValueRef left = LLVMBuildSub(e->builder, b->columns, column, "");
    LLVMValueRef early = LLVMBuildSub(e->builder, b->columns, tile, "");
    LLVMValueRef earlier = LLVMBuildAnd(
        e->builder, compare(b, LLVMIntSGT, left, cpu_i64(e, (int64_t)m->lanes * (m->vectors - 1))),
        compare(b, LLVMIntSGE, early, cpu_i64(e, 0)), "");
    return choose(b, earlier, cpu_min_i64(e, column, early), column);
}

void cpu_matrix_run_passes(struct matrix_block *b, const struct matrix_strip *s)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    const struct matrix_product_values *p = &b->products[0];
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
    LLVMValueRef from =
        cpu_matrix_offset(m, p->b.pointer, cpu_matrix_way_of_column(b, p, s, column));
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
