/*
 * Packing: strided memory in, panels of B or rows of A out; see matrix.h.
 *
 *   void pack_b(from, outer, inner, depth, count, to)
 *   void pack_a(from, outer, inner, depth, count, to)
 *
 * outer is the distance of columns of B or rows of A, inner that of neighbours along K, in bytes;
 * depth counts elements along K, count columns or rows (A: at most CPU_MATRIX_A_ROWS).
 *
 * B becomes panels of `columns` columns: for each step one unit per column, side by side. A becomes
 * rows of units. What lies beyond depth in the last unit is 0 (in B before it is moved). Columns and rows
 * beyond count hold anything: the kernels give it to sums that nobody stores.
 *
 * Where memory runs along the vectors that are stored, packing copies lines of lanes; where it runs
 * across, it transposes blocks of lanes x lanes units; where neither, it copies single elements.
 */
#include "cpu/matrix_pack.h"

/* ---- places ---------------------------------------------------------------------------------- */

static LLVMValueRef from_place(struct pack *k, LLVMValueRef outer, LLVMValueRef element)
{
    struct cpu_emit *e = k->m->e;
    LLVMValueRef along = LLVMBuildMul(e->builder, element, k->p[PACK_INNER], "");
    LLVMValueRef bytes = cpu_add(e, LLVMBuildMul(e->builder, outer, k->p[PACK_OUTER], ""), along);
    return cpu_matrix_offset(k->m, k->p[PACK_FROM], bytes);
}

/* Of a unit: outer index and step. */
static LLVMValueRef to_place(struct pack *k, LLVMValueRef outer, LLVMValueRef step)
{
    struct cpu_matrix *m = k->m;
    struct cpu_emit *e = m->e;
    LLVMValueRef bytes;
    if (k->is_a) {
        LLVMValueRef along = cpu_mul(e, step, cpu_i64(e, m->unit));
        bytes = cpu_add(e, cpu_mul(e, outer, cpu_i64(e, m->a_stride)), along);
        return cpu_matrix_offset(m, k->p[PACK_TO], bytes);
    }
    LLVMValueRef width = cpu_i64(e, tile_columns(m));
    LLVMValueRef panel = LLVMBuildUDiv(e->builder, outer, width, "");
    LLVMValueRef column = LLVMBuildURem(e->builder, outer, width, "");
    LLVMValueRef along = LLVMBuildMul(e->builder, step, cpu_i64(e, tile_columns(m) * m->unit), "");
    bytes = cpu_add(e, LLVMBuildMul(e->builder, panel, k->panel, ""), along);
    bytes = cpu_add(e, bytes, LLVMBuildMul(e->builder, column, cpu_i64(e, m->unit), ""));
    return cpu_matrix_offset(m, k->p[PACK_TO], bytes);
}

/* ---- the three ways -------------------------------------------------------------------------- */

static LLVMValueRef less(struct cpu_emit *e, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildICmp(e->builder, LLVMIntSLE, a, b, "");
}

/* One line along the memory, of which `valid` are there: those of B run across K, those of A along it. */
static void copy_line(struct pack *k, LLVMValueRef outer, LLVMValueRef step, LLVMValueRef valid)
{
    struct cpu_emit *e = k->m->e;
    LLVMValueRef k0 = LLVMBuildMul(e->builder, step, cpu_i64(e, k->m->group), "");
    LLVMValueRef place = from_place(k, outer, k0);
    LLVMValueRef v =
        k->is_a ? cpu_pack_along(k, place, valid) : cpu_pack_across(k, place, k0, valid);
    cpu_pack_store(k, v, to_place(k, outer, step));
}

/* A pointer that a loop moves on by `step` bytes each time. */
struct walk {
    LLVMValueRef slot, at, step;
};

static struct walk walk_begin(struct cpu_emit *e, LLVMValueRef from, LLVMValueRef step)
{
    struct walk w = {.slot = cpu_alloca(e, e->pointer, "walk"), .step = step};
    LLVMBuildStore(e->builder, from, w.slot);
    return w;
}

static LLVMValueRef walk_on(struct cpu_matrix *m, struct walk *w)
{
    struct cpu_emit *e = m->e;
    w->at = LLVMBuildLoad2(e->builder, e->pointer, w->slot, "");
    LLVMBuildStore(e->builder, cpu_matrix_offset(m, w->at, w->step), w->slot);
    return w->at;
}

/* Some lines of one row of A, side by side, and the same place of the row that comes three later: that
 * begins on another page, where the processor's own fetching stops. */
static void copy_lines_of_a(struct pack *k, LLVMValueRef from, LLVMValueRef to, int count)
{
    enum { ROWS_AHEAD = 3, LINE = 64 };
    struct cpu_matrix *m = k->m;
    struct cpu_emit *e = m->e;
    int64_t bytes = (int64_t)m->lanes * m->group * k->element;
    LLVMValueRef ahead = cpu_mul(e, k->p[PACK_OUTER], cpu_i64(e, ROWS_AHEAD));
    for (int64_t i = 0; i < count; i++) {
        LLVMValueRef place = cpu_matrix_offset(m, from, cpu_i64(e, i * bytes));
        if (i * bytes % LINE == 0)
            cpu_matrix_fetch(m, cpu_matrix_offset(m, place, ahead), 1);
        LLVMValueRef there = cpu_matrix_offset(m, to, cpu_i64(e, i * m->lanes * m->unit));
        cpu_pack_store(k, cpu_pack_along(k, place, NULL), there);
    }
}

static void copy_rows_of_a(struct pack *k)
{
    enum { LINES = 4 };
    struct cpu_matrix *m = k->m;
    struct cpu_emit *e = m->e;
    int64_t per_line = (int64_t)m->lanes * m->group;
    LLVMValueRef from_step = cpu_i64(e, per_line * k->element);
    LLVMValueRef to_step = cpu_i64(e, m->lanes * m->unit);
    LLVMValueRef whole = LLVMBuildUDiv(e->builder, k->p[PACK_DEPTH], cpu_i64(e, per_line), "");
    LLVMValueRef over = LLVMBuildURem(e->builder, whole, cpu_i64(e, LINES), "");
    LLVMValueRef many = LLVMBuildSub(e->builder, whole, over, "");
    struct cpu_loop rows, lines;
    cpu_loop_begin(e, &rows, cpu_i64(e, 0), k->p[PACK_COUNT], 1);
    LLVMValueRef from = from_place(k, rows.index, cpu_i64(e, 0));
    LLVMValueRef to = to_place(k, rows.index, cpu_i64(e, 0));
    cpu_loop_begin(e, &lines, cpu_i64(e, 0), many, LINES);
    LLVMValueRef lines_to = cpu_matrix_offset(m, to, cpu_mul(e, lines.index, to_step));
    copy_lines_of_a(k, cpu_matrix_offset(m, from, cpu_mul(e, lines.index, from_step)), lines_to,
                    LINES);
    cpu_loop_end(e, &lines);
    cpu_loop_begin(e, &lines, many, whole, 1);
    LLVMValueRef line_to = cpu_matrix_offset(m, to, cpu_mul(e, lines.index, to_step));
    copy_lines_of_a(k, cpu_matrix_offset(m, from, cpu_mul(e, lines.index, from_step)), line_to, 1);
    cpu_loop_end(e, &lines);
    LLVMValueRef done = LLVMBuildMul(e->builder, whole, cpu_i64(e, per_line), "");
    struct cpu_branch rest;
    cpu_branch_begin(e, &rest, LLVMBuildICmp(e->builder, LLVMIntSLT, done, k->p[PACK_DEPTH], ""));
    LLVMValueRef left = LLVMBuildSub(e->builder, k->p[PACK_DEPTH], done, "");
    copy_line(k, rows.index, LLVMBuildMul(e->builder, whole, cpu_i64(e, m->lanes), ""), left);
    cpu_branch_end(e, &rest);
    cpu_loop_end(e, &rows);
}

/* One step of a whole panel. ahead: how far away the line is that will be copied some steps later.
 * store_ahead: so many steps later their place is written, and fetched now, or 0. */
static void copy_step(struct pack *k, LLVMValueRef from, LLVMValueRef to, LLVMValueRef ahead,
                      int store_ahead)
{
    enum { LINE = 64 };
    struct cpu_matrix *m = k->m;
    struct cpu_emit *e = m->e;
    LLVMValueRef units[CPU_MATRIX_MOST_VECTORS];
    bool by_lines = cpu_matrix_by_lines(m);
    if (by_lines)
        cpu_matrix_line_units(m, from, k->p[PACK_INNER], units);
    for (int64_t v = 0; v < m->vectors; v++) {
        LLVMValueRef place = cpu_matrix_offset(m, from, cpu_i64(e, v * m->lanes * k->element));
        for (int i = 0; i < m->group && v * m->lanes * k->element % LINE == 0; i++) {
            LLVMValueRef way = cpu_add(e, ahead, cpu_mul(e, k->p[PACK_INNER], cpu_i64(e, i)));
            cpu_matrix_fetch(m, cpu_matrix_offset(m, place, way), 1);
        }
        if (!by_lines)
            units[v] = cpu_pack_across(k, place, NULL, NULL);
        int64_t way = v * m->lanes * m->unit, step = tile_columns(m) * m->unit;
        if (store_ahead)
            cpu_matrix_fetch(m, cpu_matrix_offset(m, to, cpu_i64(e, way + store_ahead * step)), 1);
        cpu_pack_store(k, units[v], cpu_matrix_offset(m, to, cpu_i64(e, way)));
    }
}

void cpu_matrix_copy_step(struct cpu_matrix *m, LLVMValueRef from, LLVMValueRef inner,
                          LLVMValueRef to, LLVMValueRef ahead)
{
    struct pack k = cpu_pack_of(m, false);
    k.p[PACK_INNER] = inner;
    copy_step(&k, from, to, ahead, m->machine->store_ahead);
}

/* The full steps of all whole panels. Several panels run side by side, so that a row of B gives
 * GROUP_BYTES at a time: it lies on a page of its own, and shorter pieces take up to three times as
 * long (from memory, 64 bytes of a row at a time 12 ns per line, 256 5 ns, 512 4.5 ns). */
static void copy_panels(struct pack *k, LLVMValueRef whole, LLVMValueRef full)
{
    enum { GROUP_BYTES = 512, STEPS_AHEAD = 8 };
    struct cpu_matrix *m = k->m;
    struct cpu_emit *e = m->e;
    int64_t row = tile_columns(m) * k->element;
    int64_t group = row < GROUP_BYTES ? tile_columns(m) * (GROUP_BYTES / row) : tile_columns(m);
    LLVMValueRef step = LLVMBuildMul(e->builder, k->p[PACK_INNER], cpu_i64(e, m->group), "");
    LLVMValueRef ahead = LLVMBuildMul(e->builder, step, cpu_i64(e, STEPS_AHEAD), "");
    struct cpu_loop groups, steps, panels;
    cpu_loop_begin(e, &groups, cpu_i64(e, 0), whole, group);
    LLVMValueRef end = cpu_min_i64(e, cpu_add(e, groups.index, cpu_i64(e, group)), whole);
    struct walk from = walk_begin(e, from_place(k, groups.index, cpu_i64(e, 0)), step);
    struct walk to = walk_begin(e, to_place(k, groups.index, cpu_i64(e, 0)),
                                cpu_i64(e, tile_columns(m) * m->unit));
    cpu_loop_begin(e, &steps, cpu_i64(e, 0), full, 1);
    struct walk from_panel = walk_begin(e, walk_on(m, &from), cpu_i64(e, row));
    struct walk to_panel = walk_begin(e, walk_on(m, &to), k->panel);
    cpu_loop_begin(e, &panels, groups.index, end, tile_columns(m));
    walk_on(m, &from_panel);
    walk_on(m, &to_panel);
    copy_step(k, from_panel.at, to_panel.at, ahead, 0);
    cpu_loop_end(e, &panels);
    cpu_loop_end(e, &steps);
    cpu_loop_end(e, &groups);
}

/* Columns from `outer` to `end` of the steps from `step` on, where either ends within a line. */
static void copy_rest(struct pack *k, LLVMValueRef outer, LLVMValueRef end, LLVMValueRef step)
{
    struct cpu_matrix *m = k->m;
    struct cpu_emit *e = m->e;
    struct cpu_loop lines, steps;
    cpu_loop_begin(e, &lines, outer, end, m->lanes);
    LLVMValueRef left = LLVMBuildSub(e->builder, end, lines.index, "");
    cpu_loop_begin(e, &steps, step, k->steps, 1);
    copy_line(k, lines.index, steps.index, left);
    cpu_loop_end(e, &steps);
    cpu_loop_end(e, &lines);
}

static void copy_rows_of_b(struct pack *k)
{
    struct cpu_matrix *m = k->m;
    struct cpu_emit *e = m->e;
    LLVMValueRef over =
        LLVMBuildURem(e->builder, k->p[PACK_COUNT], cpu_i64(e, tile_columns(m)), "");
    LLVMValueRef whole = LLVMBuildSub(e->builder, k->p[PACK_COUNT], over, "");
    LLVMValueRef full = LLVMBuildUDiv(e->builder, k->p[PACK_DEPTH], cpu_i64(e, m->group), "");
    copy_panels(k, whole, full);
    copy_rest(k, cpu_i64(e, 0), whole, full);
    copy_rest(k, whole, k->p[PACK_COUNT], cpu_i64(e, 0));
}

/* A block of lanes x lanes units at (outer, step). tail: either may end within it. */
static void copy_block(struct pack *k, LLVMValueRef outer, LLVMValueRef step, bool tail)
{
    struct cpu_matrix *m = k->m;
    struct cpu_emit *e = m->e;
    LLVMValueRef *v = ARENA_ARRAY(e->arena, LLVMValueRef, (size_t)m->lanes);
    LLVMValueRef last = LLVMBuildSub(e->builder, k->p[PACK_COUNT], cpu_i64(e, 1), "");
    for (int i = 0; i < m->lanes; i++) {
        LLVMValueRef o = k->is_a ? outer : cpu_add(e, outer, cpu_i64(e, i));
        LLVMValueRef s = k->is_a ? cpu_add(e, step, cpu_i64(e, i)) : step;
        if (tail && !k->is_a)
            o = cpu_min_i64(e, o, last);
        LLVMValueRef k0 = LLVMBuildMul(e->builder, s, cpu_i64(e, m->group), "");
        LLVMValueRef valid = NULL;
        if (tail && k->is_a) { /* rows; none beyond the last step */
            valid = LLVMBuildSub(e->builder, k->p[PACK_COUNT], outer, "");
            LLVMValueRef inside = LLVMBuildICmp(e->builder, LLVMIntSLT, k0, k->p[PACK_DEPTH], "");
            valid = LLVMBuildSelect(e->builder, inside, valid, cpu_i64(e, 0), "");
        } else if (tail) {
            valid = LLVMBuildSub(e->builder, k->p[PACK_DEPTH], k0, "");
        }
        LLVMValueRef place = from_place(k, o, k0);
        v[i] = k->is_a ? cpu_pack_across(k, place, k0, valid) : cpu_pack_along(k, place, valid);
    }
    cpu_transpose(m->e, v, m->lanes);
    for (int i = 0; i < m->lanes; i++) {
        LLVMValueRef o = k->is_a ? cpu_add(e, outer, cpu_i64(e, i)) : outer;
        LLVMValueRef s = k->is_a ? step : cpu_add(e, step, cpu_i64(e, i));
        cpu_pack_store(k, v[i], to_place(k, o, s));
    }
}

/* Steps beyond the last are written too: the next panel or row overwrites them, or padding takes
 * them. */
static void copy_blocks(struct pack *k)
{
    struct cpu_matrix *m = k->m;
    struct cpu_emit *e = m->e;
    struct cpu_loop outer, inner;
    struct cpu_branch branch;
    cpu_loop_begin(e, &outer, cpu_i64(e, 0), k->p[PACK_COUNT], m->lanes);
    LLVMValueRef all = less(e, cpu_add(e, outer.index, cpu_i64(e, m->lanes)), k->p[PACK_COUNT]);
    cpu_loop_begin(e, &inner, cpu_i64(e, 0), k->steps, m->lanes);
    LLVMValueRef end = LLVMBuildMul(e->builder, cpu_add(e, inner.index, cpu_i64(e, m->lanes)),
                                    cpu_i64(e, m->group), "");
    LLVMValueRef full = LLVMBuildAnd(e->builder, all, less(e, end, k->p[PACK_DEPTH]), "");
    cpu_branch_begin(e, &branch, full);
    copy_block(k, outer.index, inner.index, false);
    cpu_branch_else(e, &branch);
    copy_block(k, outer.index, inner.index, true);
    cpu_branch_end(e, &branch);
    cpu_loop_end(e, &inner);
    cpu_loop_end(e, &outer);
}

static void copy_element(struct pack *k, LLVMValueRef outer, LLVMValueRef at)
{
    struct cpu_matrix *m = k->m;
    struct cpu_emit *e = m->e;
    struct ir_type type = ir_scalar(k->from);
    LLVMValueRef inside = LLVMBuildICmp(e->builder, LLVMIntSLT, at, k->p[PACK_DEPTH], "");
    LLVMValueRef place =
        LLVMBuildSelect(e->builder, inside, from_place(k, outer, at), e->dummy, "");
    LLVMValueRef v = LLVMBuildLoad2(e->builder, cpu_memory_type(e, type), place, "");
    cpu_set_align(v, k->element);
    v = LLVMBuildSelect(e->builder, inside, v, LLVMConstNull(cpu_memory_type(e, type)), "");
    LLVMValueRef group = cpu_i64(e, m->group);
    LLVMValueRef part = LLVMBuildURem(e->builder, at, group, "");
    LLVMValueRef to = to_place(k, outer, LLVMBuildUDiv(e->builder, at, group, ""));
    to = cpu_matrix_offset(m, to, LLVMBuildMul(e->builder, part, cpu_i64(e, k->packed), ""));
    cpu_set_align(LLVMBuildStore(e->builder, cpu_pack_convert(k, v), to), k->packed);
}

static void copy_elements(struct pack *k)
{
    struct cpu_emit *e = k->m->e;
    struct cpu_loop outer, inner;
    LLVMValueRef end = LLVMBuildMul(e->builder, k->steps, cpu_i64(e, k->m->group), "");
    cpu_loop_begin(e, &inner, cpu_i64(e, 0), end, 1);
    cpu_loop_begin(e, &outer, cpu_i64(e, 0), k->p[PACK_COUNT], 1);
    copy_element(k, outer.index, inner.index);
    cpu_loop_end(e, &outer);
    cpu_loop_end(e, &inner);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static LLVMValueRef emit_pack(struct cpu_matrix *m, bool is_a)
{
    struct cpu_emit *e = m->e;
    struct pack *k = ARENA_NEW(e->arena, struct pack);
    *k = cpu_pack_of(m, is_a);
    LLVMValueRef function = cpu_matrix_begin(m, is_a ? "pack_a" : "pack_b", m->pack_type);
    for (int i = 0; i < PACK_PARAMETERS; i++)
        k->p[i] = LLVMGetParam(function, (unsigned)i);
    LLVMValueRef element = cpu_i64(e, k->element);
    if (is_a ? m->unit_a : m->unit_b)
        k->p[is_a ? PACK_INNER : PACK_OUTER] = element;
    k->steps = cpu_matrix_cdiv(m, k->p[PACK_DEPTH], m->group);
    k->panel = cpu_matrix_panel_bytes(m, k->steps);
    struct cpu_branch straight, across;
    LLVMValueRef along = k->p[is_a ? PACK_INNER : PACK_OUTER],
                 other = k->p[is_a ? PACK_OUTER : PACK_INNER];
    cpu_branch_begin(e, &straight, LLVMBuildICmp(e->builder, LLVMIntEQ, along, element, ""));
    if (is_a)
        copy_rows_of_a(k);
    else
        copy_rows_of_b(k);
    cpu_branch_else(e, &straight);
    if (!(is_a ? m->unit_a : m->unit_b)) {
        cpu_branch_begin(e, &across, LLVMBuildICmp(e->builder, LLVMIntEQ, other, element, ""));
        copy_blocks(k);
        cpu_branch_else(e, &across);
        copy_elements(k);
        cpu_branch_end(e, &across);
    }
    cpu_branch_end(e, &straight);
    cpu_matrix_end(m);
    return function;
}

void cpu_matrix_pack(struct cpu_matrix *m)
{
    struct cpu_emit *e = m->e;
    LLVMTypeRef types[PACK_PARAMETERS] = {e->pointer, e->i64, e->i64, e->i64, e->i64, e->pointer};
    m->pack_type = LLVMFunctionType(e->void_type, types, PACK_PARAMETERS, false);
    m->pack_a = emit_pack(m, true);
    m->pack_b = emit_pack(m, false);
}
