/*
 * Several rows of a tile at once, in nests that only reduce: rows that add to the same sums of
 * columns, and rows that end together.
 */
#include "cpu/nest.h"

#include "base/bits.h"
#include "cpu/reduce.h"

/*
 * Sums of columns lie in memory, where each row of a tile adds to them. If several rows do at once,
 * one after the other, they are read and written once for all of these:
 *
 *     for j by lanes: sum[j] = (((sum[j] + x[i][j]) + x[i + 1][j]) + x[i + 2][j]) + x[i + 3][j]
 *
 * Where all masks hold, as their bounds may differ from row to row, and where something is
 * computed: what is only loaded waits for memory, of which several rows at once, 4 KB apart, took 5
 * to 15% more (Zen 5). attention_decode of 8 heads over 1000 keys in halves: 65 us before, 52 with
 * this.
 */
static bool is_column_sum(const struct cpu_sink *sink, int axis)
{
    if (sink->kind != CPU_SINK_REDUCE || sink->state->kind != CPU_REDUCE_OUTER || sink->indices ||
        sink->op->attributes.axis != axis)
        return false;
    const struct ir_op *made = sink->op->operands[0]->op;
    return made && ir_has(made, IR_ELEMENTWISE) && !ir_has(made, IR_READS) &&
           made->code != IR_OP_CAST;
}

static bool may_jam(const struct cpu_nest *n, int axis)
{
    struct ir_type shape = n->group->shape;
    if (!n->whole || n->dear || n->group->sinks.count == 0)
        return false;
    for (int k = axis + 1; k < shape.rank; k++) {
        if (k != n->axis && shape.dims[k] > 1)
            return false;
    }
    for (size_t i = 0; i < n->group->sinks.count; i++) {
        if (!is_column_sum(&n->group->sinks.items[i], axis))
            return false;
    }
    return true;
}

int cpu_nest_rows_at_once(const struct cpu_nest *n, int axis)
{
    int rows = may_jam(n, axis) ? CPU_MOST_JAMMED : 1;
    while (n->group->shape.dims[axis] % rows != 0)
        rows /= 2;
    return rows;
}

/* How many rows of a few vectors, that only reduce, end together (reduce.c). Where they have masks,
 * all of them hold, or there would be much code. */
int cpu_nest_rows_that_gather(struct cpu_emit *e, const struct cpu_nest *n, int axis)
{
    enum { MOST_VECTORS = 64, LEAST = 4 };
    struct ir_type shape = n->group->shape;
    int64_t vectors = n->lanes > 1 ? n->size / n->lanes : 0;
    int rows = CPU_MOST_ROWS;
    if (e->together > 1 || n->axis <= axis || vectors < 1 || n->size % n->lanes != 0 ||
        n->group->sinks.count == 0 || !bits_is_power(n->lanes))
        return 1;
    for (int k = axis + 1; k < shape.rank; k++) {
        if (k != n->axis && shape.dims[k] > 1)
            return 1;
    }
    for (size_t i = 0; i < n->group->sinks.count; i++) {
        const struct cpu_sink *sink = &n->group->sinks.items[i];
        if (!cpu_reduction_may_gather(sink))
            return 1;
        int most = cpu_reduction_most_rows(sink);
        rows = most < rows ? most : rows;
    }
    for (size_t i = 0; i < n->group->accesses.count && !n->whole; i++) {
        const struct ir_op *op = n->group->accesses.items[i].op;
        if (op->code != IR_OP_LOAD || op->operand_count > 1)
            return 1;
    }
    while (rows > 1 && (shape.dims[axis] % rows != 0 || rows * vectors > MOST_VECTORS))
        rows /= 2;
    return rows < LEAST ? 1 : rows;
}
