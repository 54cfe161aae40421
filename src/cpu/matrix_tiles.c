/*
 * Tiles of sums: which kernel makes one, of what and to which place, what comes ahead of the next
 * one, and the epilogue behind them.
 */
#include "cpu/matrix_block.h"
#include "cpu/matrix_kernel.h"

LLVMValueRef cpu_matrix_edge(struct matrix_block *b, LLVMValueRef columns)
{
    struct cpu_matrix *m = b->m;
    LLVMValueRef kernel = m->edges[m->vectors];
    for (int v = m->vectors - 1; v > 0; v--)
        kernel = choose(b, compare(b, LLVMIntSLE, columns, cpu_i64(m->e, (int64_t)v * m->lanes)),
                        m->edges[v], kernel);
    return kernel;
}

static void call_epilogue(struct matrix_block *b, const struct matrix_strip *s, LLVMValueRef column,
                          LLVMValueRef columns, LLVMValueRef sums)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    LLVMValueRef values[] = {
        b->p[ARGUMENTS], b->p[GRID], b->p[SCRATCH], b->p[BATCH], cpu_add(e, b->row, s->row),
        s->height,       column,     columns,       sums,        b->sums_row,
        b->apart};
    LLVMBuildCall2(e->builder, m->epilogue_type, m->epilogue, values, 11, "");
}

/* A column's place among those of the tiles that the epilogue takes together. */
static LLVMValueRef in_tiles(struct matrix_block *b, LLVMValueRef column)
{
    LLVMValueRef mask = cpu_i64(b->m->e, tile_columns(b->m) * b->m->tile_panels - 1);
    return LLVMBuildAnd(b->m->e->builder, column, mask, "");
}

LLVMValueRef cpu_matrix_result_place(struct matrix_block *b, LLVMValueRef local_row,
                                     LLVMValueRef column)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    LLVMValueRef row = cpu_add(e, b->row, local_row);
    LLVMValueRef way = LLVMBuildMul(e->builder, row, b->result_row, "");
    way = cpu_add(
        e, way,
        scaled(b, cpu_add(e, b->column, column), (int64_t)ir_elem_bytes(m->plan->plain_elem)));
    return cpu_matrix_offset(m, b->result, way);
}

LLVMValueRef cpu_matrix_sums_place(struct matrix_block *b, LLVMValueRef local_row,
                                   LLVMValueRef column, int index)
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

void cpu_matrix_finish(struct matrix_block *b, int index, const struct matrix_strip *s,
                       LLVMValueRef column, LLVMValueRef width)
{
    struct cpu_emit *e = b->m->e;
    struct cpu_branch branch;
    if (index != b->m->plan->product_count - 1)
        return;
    LLVMValueRef ends =
        LLVMBuildAnd(e->builder, s->last, LLVMBuildNot(e->builder, b->direct, ""), "");
    cpu_branch_begin(e, &branch, ends);
    LLVMValueRef sums = cpu_matrix_sums_place(b, s->row, column, 0);
    call_epilogue(b, s, cpu_add(e, b->column, column), width, sums);
    cpu_branch_end(e, &branch);
}

/* The same behind a tile, of all tiles that it takes together if this is their last. */
static void finish_tile(struct matrix_block *b, int index, const struct matrix_strip *s,
                        LLVMValueRef column, LLVMValueRef width)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    struct cpu_branch branch;
    if (m->tile_panels == 1 && !m->converts) {
        cpu_matrix_finish(b, index, s, column, width);
        return;
    }
    LLVMValueRef before = in_tiles(b, column), end = cpu_add(e, column, width);
    LLVMValueRef last =
        compare(b, LLVMIntEQ, before, cpu_i64(e, tile_columns(m) * (m->tile_panels - 1)));
    last = LLVMBuildOr(e->builder, last, compare(b, LLVMIntSGE, end, b->columns), "");
    if (m->converts) { /* full tiles are stored already */
        LLVMValueRef part = compare(b, LLVMIntNE, width, cpu_i64(e, tile_columns(m)));
        part = LLVMBuildOr(e->builder, part, LLVMBuildNot(e->builder, s->converts, ""), "");
        last = LLVMBuildAnd(e->builder, last, part, "");
        before = choose(b, s->converts, cpu_i64(e, 0), before);
    }
    cpu_branch_begin(e, &branch, last);
    LLVMValueRef first = LLVMBuildSub(e->builder, column, before, "");
    cpu_matrix_finish(b, index, s, first, cpu_add(e, before, width));
    cpu_branch_end(e, &branch);
}

/* How far ahead of its loads a kernel fetches its panels: not where the block stays near. */
static LLVMValueRef ahead_in_panels(struct matrix_block *b, const struct matrix_product_values *p,
                                    const struct matrix_strip *s, LLVMValueRef panel_bytes)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    LLVMValueRef bytes = LLVMBuildMul(e->builder, panel_bytes, s->per_strip, "");
    LLVMValueRef far = compare(b, LLVMIntSGT, bytes, cpu_i64(e, m->machine->held_bytes));
    int64_t ahead = m->machine->fetch_ahead * tile_columns(m) * m->unit;
    return choose(b, LLVMBuildAnd(e->builder, far, p->pack_b, ""), cpu_i64(e, ahead),
                  cpu_i64(e, 0));
}

LLVMValueRef cpu_matrix_way_of_column(struct matrix_block *b, const struct matrix_product_values *p,
                                      const struct matrix_strip *s, LLVMValueRef column)
{
    struct cpu_emit *e = b->m->e;
    LLVMValueRef depth_way = LLVMBuildMul(e->builder, s->k0, p->b.inner, "");
    return cpu_add(e, LLVMBuildMul(e->builder, cpu_add(e, b->column, column), p->b.outer, ""),
                   depth_way);
}

/* A call of a kernel for the tiles of `count` panels side by side; NULL: one. */
struct tiles {
    LLVMValueRef panel, count;
    LLVMValueRef column, left, width; /* the first one's: place, columns from there on, its own */
    LLVMValueRef next_panel;          /* behind them, of several */
    LLVMValueRef kernel;
    LLVMValueRef panel_bytes;         /* of a packed panel of B */
    LLVMValueRef c_tile;              /* bytes of a tile's row, in sums or in the result */
    int accumulator;
    LLVMValueRef values[KERNEL_PARAMETERS];
};

static void place_b(struct matrix_block *b, const struct matrix_product_values *p,
                    const struct matrix_strip *s, struct tiles *t)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    t->panel_bytes = cpu_matrix_panel_bytes(m, s->steps);
    LLVMValueRef packed = LLVMBuildMul(e->builder, t->panel, t->panel_bytes, "");
    LLVMValueRef plain = cpu_matrix_way_of_column(b, p, s, t->column);
    LLVMValueRef panels = LLVMBuildLoad2(e->builder, e->pointer, b->here, "");
    LLVMValueRef unpacked = cpu_matrix_offset(m, p->b.pointer, plain);
    t->values[KERNEL_B] = choose(b, p->pack_b, cpu_matrix_offset(m, panels, packed), unpacked);
    t->values[KERNEL_B_STEP] =
        choose(b, p->pack_b, cpu_i64(e, tile_columns(m) * m->unit), p->b.inner);
}

/* The kernel, and where its sums are, or where it stores what they are converted to. */
static void place_c(struct matrix_block *b, const struct matrix_strip *s, struct tiles *t)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    LLVMValueRef sums = cpu_matrix_sums_place(b, s->row, t->column, t->accumulator);
    LLVMValueRef sums_row = choose(b, b->direct, b->result_row, b->sums_row);
    LLVMValueRef load = s->load;
    LLVMValueRef full = compare(b, LLVMIntSGE, t->left, cpu_i64(e, tile_columns(m)));
    t->kernel = choose(b, full, s->kernel, cpu_matrix_edge(b, t->left));
    t->c_tile = cpu_i64(e, tile_columns(m) * m->unit);
    if (m->converts) {
        LLVMValueRef stores = LLVMBuildAnd(e->builder, full, s->converts, "");
        int64_t bytes = tile_columns(m) * (int64_t)ir_elem_bytes(m->plan->plain_elem);
        sums = choose(b, stores, cpu_matrix_result_place(b, s->row, t->column), sums);
        sums_row = choose(b, stores, b->result_row, sums_row);
        load = choose(b, stores, cpu_i64(e, CPU_MATRIX_CONVERT), load);
        if (m->machine->passes)
            t->c_tile = choose(b, stores, cpu_i64(e, bytes), t->c_tile);
    }
    t->values[KERNEL_C] = sums;
    t->values[KERNEL_C_ROW] = sums_row;
    t->values[KERNEL_LOAD] = load;
}

/* What the kernel fetches and copies for the next ones. */
static void look_ahead(struct matrix_block *b, const struct matrix_strip *s, struct tiles *t)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    LLVMValueRef zero = cpu_i64(e, 0), sums = t->values[KERNEL_C];
    LLVMValueRef behind = cpu_i64(e, tile_columns(m)), way = t->c_tile;
    if (t->count) {
        behind = scaled(b, t->count, tile_columns(m));
        t->next_panel = cpu_add(e, t->panel, t->count);
        way = LLVMBuildMul(e->builder, t->count, t->c_tile, "");
    }
    LLVMValueRef next_c = cpu_matrix_offset(m, sums, way);
    LLVMValueRef next_a = s->a, next_a_step = zero;
    struct matrix_part part = {s->a, s->a, zero, zero};
    if (m->machine->pause) {
        LLVMValueRef next_row = cpu_add(e, s->row, s->height);
        LLVMValueRef last = compare(b, LLVMIntSLE, t->left, behind);
        LLVMValueRef below = cpu_matrix_sums_place(b, next_row, zero, t->accumulator);
        next_c = choose(b, last, below, next_c);
        if (m->machine->near_bytes)
            next_c = choose(b, b->near_sums, sums, next_c);
        next_a = cpu_matrix_offset(m, s->next_a, LLVMBuildMul(e->builder, t->panel, s->piece, ""));
        next_a = choose(b, s->fetches, next_a, s->a);
        next_a_step = choose(b, s->fetches, s->piece_step, zero);
        part = cpu_matrix_part_of(b, s, t->panel);
    }
    t->values[KERNEL_NEXT_C] = next_c;
    t->values[KERNEL_NEXT_A] = next_a;
    t->values[KERNEL_NEXT_A_ROW] = s->next_a_row;
    t->values[KERNEL_NEXT_A_STEP] = next_a_step;
    t->values[KERNEL_FROM] = part.from;
    t->values[KERNEL_FROM_STEP] = s->next.step;
    t->values[KERNEL_TO] = part.to;
    t->values[KERNEL_TO_PANEL] = part.panel;
    t->values[KERNEL_COPIES] = part.steps;
}

/* How a kernel goes from tile to tile. Returns the last one's first column. */
static LLVMValueRef pass_on(struct matrix_block *b, const struct matrix_product_values *p,
                            const struct matrix_strip *s, struct tiles *t)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    LLVMValueRef zero = cpu_i64(e, 0);
    LLVMValueRef ahead = ahead_in_panels(b, p, s, t->panel_bytes);
    LLVMValueRef plain_panel = scaled(b, p->b.outer, tile_columns(m));
    LLVMValueRef others = compare(b, LLVMIntSLT, t->next_panel, s->per_strip);
    t->values[KERNEL_AHEAD] = ahead;
    t->values[KERNEL_LAST_AHEAD] = choose(b, others, ahead, zero); /* not past the block's end */
    t->values[KERNEL_TILES] = t->count;
    t->values[KERNEL_B_PANEL] = choose(b, p->pack_b, t->panel_bytes, plain_panel);
    t->values[KERNEL_C_TILE] = t->c_tile;
    t->values[KERNEL_NEXT_A_PIECE] = choose(b, s->fetches, s->piece, zero);
    LLVMValueRef last = LLVMBuildSub(e->builder, t->next_panel, cpu_i64(e, 1), "");
    return scaled(b, last, tile_columns(m));
}

/* The tiles of `count` panels side by side: more than one if all are full and their kernels do not
 * copy. */
static void emit_tiles(struct matrix_block *b, int index, const struct matrix_strip *s,
                       LLVMValueRef panel, LLVMValueRef count)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    const struct matrix_product_values *p = &b->products[index];
    struct tiles t = {
        .panel = panel, .count = count, .accumulator = m->plan->products[index].accumulator};
    t.column = scaled(b, panel, tile_columns(m));
    t.left = LLVMBuildSub(e->builder, b->columns, t.column, "");
    t.width = cpu_min_i64(e, t.left, cpu_i64(e, tile_columns(m)));
    place_b(b, p, s, &t);
    place_c(b, s, &t);
    look_ahead(b, s, &t);
    t.values[KERNEL_A] = s->a;
    t.values[KERNEL_A_ROW] = s->a_row;
    t.values[KERNEL_STEPS] = s->steps;
    t.values[KERNEL_ROWS] = s->height;
    t.values[KERNEL_COLUMNS] = t.width;
    t.values[KERNEL_MOVED] = cpu_matrix_place(m, m->row_sums);
    LLVMValueRef last = count ? pass_on(b, p, s, &t) : t.column;
    LLVMBuildCall2(e->builder, m->kernel_type, t.kernel, t.values,
                   (unsigned)cpu_matrix_kernel_parameters(m), "");
    finish_tile(b, index, s, last, t.width);
}

/* How many panels a call takes at most: those that the epilogue takes together, or all; one where
 * kernels copy or are those of edges. */
static LLVMValueRef panels_per_call(struct matrix_block *b, const struct matrix_strip *s)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    LLVMValueRef stored = LLVMBuildOr(e->builder, b->direct, s->converts, "");
    LLVMValueRef most = choose(b, stored, s->per_strip, cpu_i64(e, m->tile_panels));
    LLVMValueRef copies = compare(b, LLVMIntNE, s->next.parts, cpu_i64(e, 0));
    LLVMValueRef low = compare(b, LLVMIntSLT, s->height, cpu_i64(e, CPU_MATRIX_LEAST_ROWS));
    return choose(b, LLVMBuildOr(e->builder, copies, low, ""), cpu_i64(e, 1), most);
}

void cpu_matrix_run_panels(struct matrix_block *b, int index, const struct matrix_strip *s)
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
