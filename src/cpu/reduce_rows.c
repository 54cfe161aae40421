/*
 * Rows that end together.
 *
 * Row by row, each halving of a row's vector is a shuffle and an addition, and then a number is
 * stored. Of two rows at once it is two shuffles and an addition:
 *
 *     a0 a1 a2 a3, b0 b1 b2 b3   ->   a0 a1 b0 b1 + a2 a3 b2 b3   ->   one of four rows: ..
 *
 * Upper halves are added to lower ones as in the end of one row (math_minmax.c), so that the bits
 * are the same. A vector of sums is stored, and the next nest's vector need not wait for the
 * numbers.
 */
#include "cpu/reduce_parts.h"

bool cpu_reduction_may_gather(const struct cpu_sink *sink)
{
    const struct cpu_reduction_state *state = sink->state;
    if (sink->kind != CPU_SINK_REDUCE || state->kind != CPU_REDUCE_LANES || state->squares[0] ||
        state->counts)
        return false;
    enum ir_elem elem = cpu_reduced_elem(sink);
    switch (sink->op->code) {
    case IR_OP_SUM:
    case IR_OP_PROD:
        return elem == IR_F32 || elem == IR_F64 || elem == IR_I32 || elem == IR_U32 ||
               elem == IR_I64 || elem == IR_U64;
    default:
        return false;
    }
}

int cpu_reduction_most_rows(const struct cpu_sink *sink)
{
    int lanes = cpu_partial_lanes(sink->state);
    return lanes < CPU_MOST_ROWS ? lanes : CPU_MOST_ROWS;
}

void cpu_reduction_keep_row(struct cpu_emit *e, struct cpu_sink *sink, int r)
{
    sink->state->rows[r] = cpu_reduction_copies(e, sink, sink->state->partial);
}

/* Of each part of `width` lanes of a and then of b, or of a alone: its lower or upper half. */
static LLVMValueRef halves(struct cpu_emit *e, LLVMValueRef a, LLVMValueRef b, int width, int upper)
{
    int lanes = cpu_width_of(a), count = 0;
    LLVMValueRef place[2 * 64];
    for (int i = 0; i < (b ? 2 : 1) * lanes; i++) {
        if (i % width / (width / 2) == upper)
            place[count++] = LLVMConstInt(e->i32, (unsigned long long)i, false);
    }
    return LLVMBuildShuffleVector(e->builder, a, b ? b : LLVMGetPoison(LLVMTypeOf(a)),
                                  LLVMConstVector(place, (unsigned)count), "");
}

void cpu_reduction_rows(struct cpu_emit *e, struct cpu_sink *sink, const struct cpu_position *p,
                        int axis, int count)
{
    LLVMValueRef *v = sink->state->rows;
    int width = cpu_partial_lanes(sink->state);
    for (int left = count; width > 1; width /= 2, left /= 2) {
        for (int i = 0; i < (left > 1 ? left / 2 : 1); i++) {
            LLVMValueRef a = left > 1 ? v[2 * i] : v[0], b = left > 1 ? v[2 * i + 1] : NULL;
            LLVMValueRef low = halves(e, a, b, width, 0), high = halves(e, a, b, width, 1);
            v[i] = cpu_reduction_combine(e, sink, low, high);
        }
    }
    struct cpu_position q = cpu_without_axis(p, sink->op->attributes.axis);
    q.lane = axis;
    cpu_buffer_write(e, sink->buffer, &q, (struct cpu_element){v[0], true});
}
