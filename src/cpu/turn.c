/*
 * Tiles that are turned on their way into scratch memory.
 *
 *     k = trans(load of f32[64, 32] along its rows)         the second operand of a dot, mostly
 *
 * A nest's lanes run along the last axis of what it writes, which is not the one that the tile was
 * loaded along: each vector would be gathered element by element. Here blocks of lanes x lanes
 * elements are loaded as they lie, exchanged between registers, and then stored:
 *
 *     for j in columns by lanes: for i in rows by lanes:
 *         v[r] = x[j + r, i ..] for r < lanes; transpose v
 *         result[i + r, j ..] = f(v[r])
 *
 * where f is what is computed from the turned tile (a conversion). Where all masks of the rows
 * hold, nothing is masked. A 64 x 64 block of keys of attention took 13% of the time before.
 */
#include "cpu/turn.h"

#include "cpu/nest.h"

enum { LEAST_LANES = 4, MOST_LANES = 16 };

struct turn {
    struct cpu_emit *e;
    const struct cpu_sink *sink;
    const struct ir_value *turned; /* trans of x */
    const struct ir_value *x;
    int lanes;
    struct cpu_nest nest; /* of x: lanes along its rows */
};

/* A place in it: lanes x lanes elements, or fewer at the edges. */
struct square {
    LLVMValueRef j, row[MOST_LANES]; /* the result's column; x's rows */
    int columns, rows;               /* of the result */
    bool interior;
};

/* ---- whether --------------------------------------------------------------------------------- */

/* Whether neighbours of a row lie next to each other. */
static bool runs_along(struct cpu_emit *e, const struct ir_value *v)
{
    const struct ir_op *op = v->op;
    int last = v->type.rank - 1;
    uint64_t bits;
    if (v->type.rank == 0)
        return false;
    if (cpu_value_of(e, v)->buffer)
        return true;
    if (!op)
        return false;
    if (op->code == IR_OP_VIEW_LOAD)
        return ir_constant_bits(op->operands[2 * op->attributes.view_rank], &bits) && bits == 1;
    if (op->code == IR_OP_LOAD) {
        const struct cpu_affine *a = cpu_affine_of(e, op->operands[0]);
        return a->known && a->axis[last].kind == CPU_CONSTANT && a->axis[last].value == 1;
    }
    for (int i = 0; i < op->operand_count && ir_has(op, IR_ELEMENTWISE); i++) {
        if (runs_along(e, op->operands[i]))
            return true;
    }
    return false;
}

/* The turned tile that v is made from element by element, or NULL. */
static const struct ir_value *find_turned(struct cpu_emit *e, const struct ir_value *v)
{
    const struct ir_op *op = v->op;
    const struct ir_value *found = NULL;
    if (v->type.rank != 2 || v->type.pointer || !op || cpu_value_of(e, v)->ready)
        return NULL;
    if (op->code == IR_OP_TRANS && op->attributes.permutation[0] == 1)
        return v->type.elem != IR_BOOL && runs_along(e, op->operands[0]) ? v : NULL;
    for (int i = 0; i < op->operand_count && ir_has(op, IR_ELEMENTWISE) && !found; i++)
        found = find_turned(e, op->operands[i]);
    return found;
}

static int lanes_for(struct cpu_emit *e, const struct turn *t)
{
    struct ir_type from = t->turned->type, to = t->sink->value->type;
    int64_t widest = cpu_memory_bytes(from), bytes = cpu_memory_bytes(to);
    int lanes = (int)(e->level->vector_bits / 8 / (bytes > widest ? bytes : widest));
    int least = to.dims[0] < to.dims[1] ? to.dims[0] : to.dims[1];
    lanes = lanes > MOST_LANES ? MOST_LANES : lanes;
    while (lanes > 1 && lanes / 2 >= least)
        lanes /= 2;
    return lanes;
}

/* ---- a square -------------------------------------------------------------------------------- */

static void emit_square(struct turn *t, const struct square *q, LLVMValueRef i)
{
    struct cpu_emit *e = t->e;
    LLVMValueRef v[MOST_LANES], column = cpu_i64(e, q->columns), row = cpu_i64(e, q->rows);
    cpu_nest_set_body(e, &t->nest, q->interior);
    if (q->rows < t->lanes)
        e->body.active = cpu_lanes_below(e, row);
    for (int r = 0; r < q->columns; r++) {
        struct cpu_position p = {.rank = 2, .lane = 1, .index = {q->row[r], i}};
        v[r] = cpu_spread(e, cpu_element_of(e, t->x, &p));
    }
    for (int r = q->columns; r < t->lanes; r++)
        v[r] = LLVMConstNull(LLVMTypeOf(v[0]));
    cpu_transpose(e, v, t->lanes);
    cpu_nest_set_body(e, &t->nest, false);
    if (q->columns < t->lanes)
        e->body.active = cpu_lanes_below(e, column);
    for (int r = 0; r < q->rows; r++) {
        LLVMValueRef place = cpu_add(e, i, cpu_i64(e, r));
        struct cpu_position p = {.rank = 2, .lane = 1, .index = {place, q->j}};
        struct cpu_memos *made = &cpu_value_of(e, t->turned)->made;
        if (!cpu_memo_find(e, made, &p))
            cpu_memo_keep(e, made, &p, (struct cpu_element){v[r], true});
        cpu_buffer_write(e, t->sink->buffer, &p, cpu_element_of(e, t->sink->value, &p));
    }
}

static void emit_rows(struct turn *t, struct square *q)
{
    struct cpu_emit *e = t->e;
    int64_t rows = t->sink->value->type.dims[0], whole = rows - rows % t->lanes;
    struct cpu_loop loop;
    q->rows = t->lanes;
    cpu_loop_begin(e, &loop, cpu_i64(e, 0), cpu_i64(e, whole), t->lanes);
    emit_square(t, q, loop.index);
    cpu_loop_end(e, &loop);
    q->rows = (int)(rows - whole);
    if (q->rows)
        emit_square(t, q, cpu_i64(e, whole));
}

/* All rows of the result in so many columns from q->j on; two versions if anything is masked. */
static void emit_columns(struct turn *t, struct square *q)
{
    struct cpu_emit *e = t->e;
    cpu_nest_begin_bounds(e, &t->nest);
    for (int r = 0; r < q->columns; r++) {
        q->row[r] = cpu_add(e, q->j, cpu_i64(e, r));
        struct cpu_position p = {.rank = 2, .lane = 1, .index = {q->row[r], cpu_i64(e, 0)}};
        cpu_nest_bound_also(e, &t->nest, t->x, &p);
    }
    q->interior = t->nest.bounded_count > 0;
    if (!q->interior) {
        emit_rows(t, q);
        return;
    }
    LLVMBasicBlockRef inside = cpu_block(e, "inside"), edge = cpu_block(e, "edge");
    LLVMBasicBlockRef done = cpu_block(e, "turned");
    LLVMValueRef from = LLVMBuildICmp(e->builder, LLVMIntSLE, t->nest.from, cpu_i64(e, 0), "");
    LLVMValueRef to =
        LLVMBuildICmp(e->builder, LLVMIntSGE, t->nest.all, cpu_i64(e, t->nest.size), "");
    LLVMBuildCondBr(e->builder, LLVMBuildAnd(e->builder, from, to, ""), inside, edge);
    for (int masked = 0; masked < 2; masked++) {
        LLVMPositionBuilderAtEnd(e->builder, masked ? edge : inside);
        q->interior = !masked;
        emit_rows(t, q);
        LLVMBuildBr(e->builder, done);
    }
    LLVMPositionBuilderAtEnd(e->builder, done);
}

bool cpu_emit_turned(struct cpu_emit *e, struct cpu_group *group)
{
    struct turn t = {.e = e, .sink = &group->sinks.items[0]};
    if (group->sinks.count != 1 || t.sink->kind != CPU_SINK_BUFFER || e->together > 1)
        return false;
    t.turned = find_turned(e, t.sink->value);
    if (!t.turned)
        return false;
    t.lanes = lanes_for(e, &t);
    if (t.lanes < LEAST_LANES)
        return false;
    t.x = t.turned->op->operands[0];
    t.nest = (struct cpu_nest){.group = group,
                               .groups = &group,
                               .axis = 1,
                               .size = t.x->type.dims[1],
                               .lanes = t.lanes,
                               .copies = 1,
                               .position = {.rank = 2, .lane = 1}};
    e->group = group;
    int bytes = t.lanes * (int)cpu_memory_bytes(t.turned->type);
    e->vector_bytes = bytes > e->vector_bytes ? bytes : e->vector_bytes;
    int64_t columns = t.sink->value->type.dims[1], whole = columns - columns % t.lanes;
    struct square *q = ARENA_NEW(e->arena, struct square);
    struct cpu_loop loop;
    q->columns = t.lanes;
    cpu_loop_begin(e, &loop, cpu_i64(e, 0), cpu_i64(e, whole), t.lanes);
    q->j = loop.index;
    emit_columns(&t, q);
    cpu_loop_end(e, &loop);
    q->columns = (int)(columns - whole);
    q->j = cpu_i64(e, whole);
    if (q->columns)
        emit_columns(&t, q);
    e->body = (struct cpu_body){.lanes = 1};
    cpu_value_of(e, t.sink->value)->ready = true;
    cpu_new_epoch(e);
    return true;
}
