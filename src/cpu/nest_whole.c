/*
 * Whether all masks of a nest hold for the whole tile.
 *
 *     row = first + expand_dims(arange(0, ROWS), 1)        ROWS rows of a few vectors each
 *     col = expand_dims(arange(0, COLS), 0)
 *     load(X + row * n + col, row < rows && col < n)
 *
 * Where rows are short, asking each of them between which places its masks hold takes longer than
 * the row. So one question comes first, about the corners of the tile; if they all hold, a copy of
 * the nest runs whose bounds are constants, else the nest as elsewhere. Both make sums in the same
 * order, as the other one's interior is the whole row there.
 *
 * Zen 5, AVX-512, one thread, in cache, us before and after: matvec_q4 of 256 x 4096 39.2 and 30.7,
 * a product of int8 with scales per 32 in tiles of 64 x 64 x 32 (512 x 1024 x 1024) 3270 and 2590,
 * of 8 rows 139 and 83, a convolution along a line by dots 243 and 181, rows of q4_0 to float 6.5
 * and 4.0, a transpose in tiles of 32 x 32 84 and 64.
 */
#include "cpu/nest.h"

enum { MOST_VECTORS = 16 }; /* of a row: longer ones do not feel what is asked */

struct whole {
    struct cpu_emit *e;
    unsigned epoch;
    LLVMValueRef holds; /* so far; NULL: nothing was asked */
    bool unknown;       /* a mask is of another kind */
};

static void also(struct whole *w, LLVMValueRef holds)
{
    w->holds = w->holds ? LLVMBuildAnd(w->e->builder, w->holds, holds, "") : holds;
}

/* value + by, or the greatest or least integer. */
static LLVMValueRef moved(struct cpu_emit *e, LLVMValueRef value, int64_t by)
{
    LLVMValueRef operands[] = {value ? value : cpu_i64(e, 0), cpu_i64(e, by)};
    return by ? cpu_intrinsic(e, "llvm.sadd.sat", 1, &e->i64, 2, operands) : operands[0];
}

/* The greatest element of an index, or the least one; NULL: it is not known. */
static LLVMValueRef extreme(struct cpu_emit *e, const struct ir_value *v, bool greatest)
{
    const struct cpu_affine *affine = cpu_affine_of(e, v);
    int64_t by = 0, part;
    for (int k = 0; affine->known && k < v->type.rank; k++) {
        int64_t factor = affine->axis[k].value;
        if (affine->axis[k].kind == CPU_ZERO || v->type.dims[k] == 1)
            continue;
        if (affine->axis[k].kind == CPU_RUNTIME ||
            __builtin_mul_overflow(factor, (int64_t)v->type.dims[k] - 1, &part))
            return NULL;
        if ((part > 0) == greatest && __builtin_add_overflow(by, part, &by))
            return NULL;
    }
    return affine->known ? moved(e, cpu_linear_of(e, v).base, by) : NULL;
}

static void ask_compare(struct whole *w, const struct ir_op *op)
{
    static const LLVMIntPredicate predicates[] = {LLVMIntSLT, LLVMIntSLE, LLVMIntSGT, LLVMIntSGE};
    const struct ir_value *a = op->operands[0], *b = op->operands[1];
    if (a->type.pointer || a->type.elem != IR_I64) {
        w->unknown = true;
        return;
    }
    bool less = op->code == IR_OP_LT || op->code == IR_OP_LE;
    LLVMValueRef x = extreme(w->e, a, less), y = x ? extreme(w->e, b, !less) : NULL;
    if (y)
        also(w, LLVMBuildICmp(w->e->builder, predicates[op->code - IR_OP_LT], x, y, ""));
    w->unknown = w->unknown || !y;
}

static void ask_mask(struct whole *w, const struct ir_value *mask)
{
    const struct ir_op *op = mask->op;
    if (mask->type.rank == 0) {
        also(w, cpu_value_of(w->e, mask)->scalar);
        return;
    }
    if (op && ir_is_ordering(op->code)) {
        ask_compare(w, op);
        return;
    }
    switch (op ? op->code : IR_OP_COUNT) {
    case IR_OP_BROADCAST:
    case IR_OP_RESHAPE:
    case IR_OP_TRANS:
        ask_mask(w, op->operands[0]);
        return;
    case IR_OP_AND:
        ask_mask(w, op->operands[0]);
        ask_mask(w, op->operands[1]);
        return;
    default:
        w->unknown = true;
    }
}

static void ask_view(struct whole *w, const struct ir_op *op, struct ir_type tile)
{
    struct cpu_emit *e = w->e;
    int axes = op->attributes.view_rank, first = axes - tile.rank;
    for (int k = 0; k < axes; k++) {
        LLVMValueRef extent = cpu_value_of(e, op->operands[1 + k])->scalar;
        LLVMValueRef index = cpu_value_of(e, op->operands[1 + 2 * axes + k])->scalar;
        LLVMValueRef last = moved(e, index, k >= first ? tile.dims[k - first] - 1 : 0);
        also(w, LLVMBuildICmp(e->builder, LLVMIntSGE, index, cpu_i64(e, 0), ""));
        also(w, LLVMBuildICmp(e->builder, LLVMIntSLT, last, extent, ""));
    }
}

/* All masks of loads that nest_bounds.c may meet, and perhaps more. */
static void ask_value(struct whole *w, const struct ir_value *v)
{
    struct cpu_value *value = cpu_value_of(w->e, v);
    const struct ir_op *op = v->op;
    if (v->type.rank == 0 || value->visited[1] == w->epoch || !op || w->unknown ||
        (value->buffer && value->ready) || cpu_affine_of(w->e, v)->known)
        return;
    value->visited[1] = w->epoch;
    if (op->code == IR_OP_VIEW_LOAD)
        ask_view(w, op, v->type);
    if (op->code == IR_OP_LOAD && ir_mask_of(op))
        ask_mask(w, ir_mask_of(op));
    for (int i = op->code == IR_OP_GATHER; i < op->operand_count; i++)
        ask_value(w, op->operands[i]);
}

static void ask_sink(struct whole *w, const struct cpu_sink *sink)
{
    const struct ir_op *op = sink->op;
    if (sink->kind == CPU_SINK_BUFFER) {
        ask_value(w, sink->value);
        return;
    }
    if (sink->kind == CPU_SINK_STORE && op->code == IR_OP_VIEW_STORE)
        ask_view(w, op, op->operands[op->operand_count - 1]->type);
    else if (sink->kind == CPU_SINK_STORE && ir_mask_of(op))
        ask_mask(w, ir_mask_of(op));
    for (int i = 0; i < op->operand_count; i++)
        ask_value(w, op->operands[i]);
}

static bool has_rows(const struct cpu_nest *n)
{
    for (int k = 0; k < n->axis; k++) {
        if (n->group->shape.dims[k] > 1)
            return true;
    }
    return false;
}

LLVMValueRef cpu_nest_ask_whole(struct cpu_emit *e, struct cpu_nest *n)
{
    n->whole = false;
    if (e->together > 1 || n->lanes == 1 || n->size > MOST_VECTORS * n->lanes || !has_rows(n) ||
        cpu_nest_runs_of(e, n))
        return NULL;
    cpu_new_epoch(e);
    e->body = (struct cpu_body){.lanes = n->lanes};
    struct whole w = {.e = e, .epoch = cpu_new_epoch(e)};
    for (size_t i = 0; i < n->group->sinks.count && !w.unknown; i++)
        ask_sink(&w, &n->group->sinks.items[i]);
    int64_t known;
    cpu_new_epoch(e);
    n->whole = !w.unknown && !w.holds; /* there are none */
    return w.unknown || !w.holds || cpu_is_constant(w.holds, &known) ? NULL : w.holds;
}
