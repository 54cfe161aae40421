/*
 * B's next block, which kernels copy while they compute, so that it need not be packed by itself:
 * into a second place for panels, which the block after this one then finds there.
 */
#include "cpu/matrix_block.h"

/* Of panels that are copied together. */
static int64_t set_columns(const struct cpu_matrix *m)
{
    return tile_columns(m) * m->machine->copy_panels;
}

/* Strips of so many rows have full kernels. */
enum { COPY_LEAST_ROWS = 2 * CPU_MATRIX_ROWS };

/* Two places for panels where kernels copy the next block's, one behind the other. */
void cpu_matrix_set_panels(struct matrix_block *b)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    int64_t apart = m->machine->pause ? m->machine->copied_bytes + cpu_matrix_slack(m) : 0;
    b->here = cpu_alloca(e, e->pointer, "here");
    b->there = cpu_alloca(e, e->pointer, "there");
    b->copied = cpu_alloca(e, e->i1, "copied");
    LLVMBuildStore(e->builder, cpu_matrix_place(m, m->panels), b->here);
    LLVMBuildStore(e->builder, cpu_matrix_place(m, m->panels + apart), b->there);
    LLVMBuildStore(e->builder, yes_or_no(b, false), b->copied);
}

/* Whether the kernels of a block copy B's next one, and how. They do if they have pauses enough,
 * and the next block is whole sets of panels whose rows lie in memory as they are packed. */
void cpu_matrix_choose_copies(struct matrix_block *b, const struct matrix_product_values *p,
                              struct matrix_strip *s, LLVMValueRef per_block)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    struct matrix_copies *next = &s->next;
    LLVMValueRef zero = cpu_i64(e, 0), one = cpu_i64(e, 1), set = cpu_i64(e, set_columns(m));
    LLVMValueRef most = scaled(b, b->panels, tile_columns(m));
    LLVMValueRef column = choose(b, s->last, cpu_add(e, b->column, most), b->column);
    LLVMValueRef k0 = choose(b, s->last, zero, cpu_add(e, s->k0, per_block));
    LLVMValueRef width =
        cpu_min_i64(e, most, LLVMBuildSub(e->builder, b->p[COLUMN_END], column, ""));
    LLVMValueRef depth = cpu_min_i64(e, per_block, LLVMBuildSub(e->builder, p->depth, k0, ""));
    LLVMValueRef depth_way = LLVMBuildMul(e->builder, k0, p->b.inner, "");
    LLVMValueRef way = cpu_add(e, LLVMBuildMul(e->builder, column, p->b.outer, ""), depth_way);
    next->from = cpu_matrix_offset(m, p->b.pointer, way);
    next->step = scaled(b, p->b.inner, m->group);
    next->steps = LLVMBuildSDiv(e->builder, depth, cpu_i64(e, m->group), "");
    LLVMValueRef steps = s->steps;
    if (m->machine->pairs) /* an odd one comes before the first pause */
        steps = LLVMBuildAnd(e->builder, steps, cpu_i64(e, -2), "");
    if (m->machine->last_steps) /* nor are there any in the last ones */
        steps = cpu_max_i64(
            e, LLVMBuildSub(e->builder, steps, cpu_i64(e, m->machine->last_steps), ""), zero);
    next->pauses = cpu_max_i64(e, cpu_matrix_cdiv(m, steps, m->machine->pause), one);
    next->sets = cpu_max_i64(e, LLVMBuildSDiv(e->builder, width, set, ""), one);
    LLVMValueRef parts =
        LLVMBuildMul(e->builder, next->sets, divide_up(b, next->steps, next->pauses), "");
    LLVMValueRef kernels =
        LLVMBuildMul(e->builder, cpu_matrix_cdiv(m, b->rows, CPU_MATRIX_ROWS), s->per_strip, "");
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
    if (m->machine->pairs || m->machine->last_steps)
        copies = LLVMBuildAnd(e->builder, copies, compare(b, LLVMIntNE, steps, zero), "");
    for (int i = 0; i < count; i++)
        copies = LLVMBuildAnd(e->builder, copies, needs[i], "");
    next->parts = choose(b, copies, parts, zero);
    next->every = LLVMBuildUDiv(e->builder, kernels, cpu_max_i64(e, next->parts, one), "");
}

struct matrix_part cpu_matrix_part_of(struct matrix_block *b, const struct matrix_strip *s,
                                      LLVMValueRef panel)
{
    struct cpu_matrix *m = b->m;
    struct cpu_emit *e = m->e;
    const struct matrix_copies *next = &s->next;
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
    LLVMValueRef first =
        LLVMBuildMul(e->builder, LLVMBuildUDiv(e->builder, part, next->sets, ""), next->pauses, "");
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
    return (struct matrix_part){from, to, panel_bytes, steps};
}

/* Behind a block: its successor's panels, if they were copied, become this block's. */
void cpu_matrix_change_panels(struct matrix_block *b, const struct matrix_strip *s)
{
    struct cpu_emit *e = b->m->e;
    LLVMValueRef copied = compare(b, LLVMIntNE, s->next.parts, cpu_i64(e, 0));
    LLVMValueRef here = LLVMBuildLoad2(e->builder, e->pointer, b->here, "");
    LLVMValueRef there = LLVMBuildLoad2(e->builder, e->pointer, b->there, "");
    LLVMBuildStore(e->builder, choose(b, copied, there, here), b->here);
    LLVMBuildStore(e->builder, choose(b, copied, here, there), b->there);
    LLVMBuildStore(e->builder, copied, b->copied);
}
