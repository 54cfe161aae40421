/*
 * A survey of what the body of a group computes: how wide its widest elements are, which sets how
 * many a vector has, what it costs, and how long its longest chain is.
 *
 * Values are visited from the sinks on, each once, as far as the nest makes them itself. What steps
 * by a constant, indices in patterns and 64-bit integers between ints take no vectors of their own
 * width.
 */
#include "cpu/survey.h"

#include "cpu/along.h"
#include "cpu/choices.h"
#include "cpu/cost.h"
#include "cpu/fixed_offsets.h"
#include "cpu/lanes.h"
#include "cpu/offsets.h"
#include "cpu/pattern.h"
#include "cpu/reduce.h"
#include "cpu/saturate.h"
#include "cpu/small.h"
#include "cpu/squares.h"

static int vector_width(struct cpu_emit *e, const struct ir_value *v)
{
    enum ir_elem elem = (enum ir_elem)v->type.elem;
    bool index = v->type.pointer || elem == IR_I64 || elem == IR_U64;
    int64_t step;
    if (cpu_affine_of(e, v)->known || (elem == IR_BOOL && !v->type.pointer) ||
        (index &&
         (cpu_may_step_along(e, v, &step) || cpu_may_have_pattern(e, v) || cpu_may_choose(e, v))))
        return 0;
    if (v->type.pointer)
        return 8;
    bool computes = v->op && v->op->code != IR_OP_LOAD && v->op->code != IR_OP_VIEW_LOAD &&
                    v->op->code != IR_OP_CAST && v->op->code != IR_OP_SELECT;
    if ((elem == IR_F16 || elem == IR_BF16) && computes)
        return 4;
    return (int)ir_elem_bytes(elem);
}

static bool writes_buffer(const struct cpu_group *group, const struct cpu_buffer *buffer)
{
    for (size_t i = 0; i < group->sinks.count; i++) {
        if (group->sinks.items[i].buffer == buffer)
            return true;
    }
    return false;
}

/* How long a result is waited for, in cycles of common processors. */
static int latency(const struct ir_op *op)
{
    struct ir_type type = op->result_count ? op->results[0]->type : op->operands[0]->type;
    switch (op->code) {
    case IR_OP_CONSTANT:
    case IR_OP_ARANGE:
    case IR_OP_BROADCAST:
    case IR_OP_BITCAST:
        return 0;
    case IR_OP_DIV:
    case IR_OP_SQRT:
        return 12;
    case IR_OP_MUL:
    case IR_OP_FMA:
        return 4;
    case IR_OP_CAST:
        return 3;
    default:
        return ir_is_float((enum ir_elem)type.elem) ? 3 : 1;
    }
}

static bool is_extended(const struct ir_value *v)
{
    const struct ir_op *op = v->op;
    enum ir_elem from = op && op->code == IR_OP_CAST ? (enum ir_elem)op->operands[0]->type.elem
                                                     : (enum ir_elem)v->type.elem;
    return (op && op->code == IR_OP_CONSTANT) || v->type.rank == 0 ||
           (!ir_is_float(from) && from != IR_BOOL && ir_elems[from].bits <= 32);
}

/* A 64-bit integer that is made of ints on the way to another one, such as their product, of which
 * the upper half is taken: it is no reason for vectors that leave the ints half a register. */
static bool is_between_ints(const struct ir_value *v, int depth)
{
    const struct ir_op *op = v->op;
    if (is_extended(v) || (op && op->code == IR_OP_BROADCAST && op->operands[0]->type.rank == 0))
        return true;
    if (!op || depth == 0)
        return false;
    switch (op->code) {
    case IR_OP_MUL:
    case IR_OP_ADD:
    case IR_OP_SUB:
    case IR_OP_SHR:
        return is_between_ints(op->operands[0], depth - 1) &&
               is_between_ints(op->operands[1], depth - 1);
    default:
        return false;
    }
}

static bool cuts_between_ints(const struct ir_op *op)
{
    enum { DEPTH = 3 };
    enum ir_elem from = op ? (enum ir_elem)op->operands[0]->type.elem : IR_BOOL;
    return op && op->code == IR_OP_CAST && (from == IR_I64 || from == IR_U64) &&
           op->operands[0]->type.rank > 0 && ir_elems[op->results[0]->type.elem].bits == 32 &&
           !ir_is_float((enum ir_elem)op->results[0]->type.elem) && op->operands[0]->op &&
           is_between_ints(op->operands[0], DEPTH);
}

/* An index that changes in a pattern from lane to lane, and by no constant. */
static bool has_only_pattern(struct cpu_emit *e, const struct ir_value *v)
{
    int64_t step;
    return cpu_is_index(v->type) && !cpu_affine_of(e, v)->known &&
           !cpu_may_step_along(e, v, &step) && cpu_may_have_pattern(e, v);
}

/* What is computed in ints, whatever it looks like (lanes.c). */
static bool is_of_ints(struct cpu_emit *e, const struct ir_value *v, int width)
{
    struct cpu_lanes form;
    if (v->type.pointer)
        return width > 0 && cpu_may_have_lanes(e, v, e->level->vector_bits / 32, &form);
    return v->op && v->type.elem == IR_BOOL && cpu_may_compare_lanes(e, v->op);
}

static void note_width(struct cpu_survey *s, int bytes)
{
    s->widest = bytes > s->widest ? bytes : s->widest;
}

static void survey_value(struct cpu_survey *s, const struct ir_value *v, bool small);

/* What the nest makes in another form than its type says: offsets to one pointer, patterns, ints.
 * False: v is none of these. */
static bool survey_form(struct cpu_survey *s, const struct ir_value *v, int width)
{
    enum { COST_OF_INTS = 8 };
    const struct ir_value *offset = v->type.pointer && width > 0 ? cpu_offset_of(s->e, v) : NULL;
    if (v->type.pointer && width > 0 && cpu_kept_offset(s->e, v)) {
        note_width(s, 4);
        s->cost++;
    } else if (offset) {
        note_width(s, 4);
        survey_value(s, offset, false);
        cpu_value_of(s->e, v)->chain = cpu_value_of(s->e, offset)->chain;
    } else if (has_only_pattern(s->e, v)) {
        s->cost++;
        s->patterns = true;
    } else if (is_of_ints(s->e, v, width)) {
        note_width(s, 4);
        s->cost += COST_OF_INTS;
    } else {
        return false;
    }
    return true;
}

/* A sum that saturates is one instruction for each of its parts. */
static bool survey_saturated(struct cpu_survey *s, const struct ir_op *op)
{
    const struct ir_value *parts[CPU_MOST_SATURATED];
    int count = cpu_saturated(s->e, op, parts);
    for (int i = 0; i < count; i++)
        survey_value(s, parts[i], false);
    s->cost += count > 0 ? count - 1 : 0;
    return count > 0;
}

static void survey_op(struct cpu_survey *s, const struct ir_op *op, struct cpu_value *result,
                      bool small)
{
    s->cost += cpu_op_cost(s->e, op);
    s->approximate = s->approximate || ir_has(op, IR_APPROX);
    if (cuts_between_ints(op)) {
        int widest = s->widest;
        survey_value(s, op->operands[0], false);
        s->widest = widest > 4 ? widest : 4;
    }
    int chain = 0;
    for (int i = 0; i < op->operand_count; i++) {
        const struct ir_value *operand = op->operands[i];
        bool condition = op->code == IR_OP_SELECT && i == 0;
        survey_value(s, operand,
                     op->code == IR_OP_CAST ? cpu_is_small(s->e, op) : small && !condition);
        if (operand->type.rank > 0 && cpu_value_of(s->e, operand)->chain > chain)
            chain = cpu_value_of(s->e, operand)->chain;
    }
    result->chain = chain + latency(op);
    s->longest = result->chain > s->longest ? result->chain : s->longest;
}

/* small: v is an int of which 16 bits are made. */
static void survey_value(struct cpu_survey *s, const struct ir_value *v, bool small)
{
    struct cpu_value *value = cpu_value_of(s->e, v);
    if (v->type.rank == 0 || value->visited[0] == s->epoch)
        return;
    value->visited[0] = s->epoch;
    value->chain = 0;
    int width = vector_width(s->e, v);
    if (survey_form(s, v, width))
        return;
    note_width(s, small && width > 2 ? 2 : width);
    bool kept = value->buffer && (value->ready || !writes_buffer(s->group, value->buffer));
    if (!v->op || kept || cpu_affine_of(s->e, v)->known || survey_saturated(s, v->op))
        return;
    survey_op(s, v->op, value, small);
}

static void survey_sink(struct cpu_survey *s, const struct cpu_sink *sink)
{
    s->cost += sink->kind == CPU_SINK_ATOMIC ? 64 : 1;
    s->only_writes =
        s->only_writes && (sink->kind == CPU_SINK_BUFFER || sink->kind == CPU_SINK_STORE);
    if (sink->kind == CPU_SINK_BUFFER) {
        survey_value(s, sink->value, false);
        return;
    }
    struct ir_value *counted =
        sink->kind == CPU_SINK_REDUCE ? cpu_reduction_counted(s->e, sink->op) : NULL;
    struct ir_value *bytes[2] = {NULL};
    bool adds_bytes =
        sink->kind == CPU_SINK_REDUCE && !counted && cpu_reduction_bytes(s->e, sink->op, bytes);
    const struct ir_op *product =
        sink->kind == CPU_SINK_REDUCE ? cpu_reduction_product(s->e, sink->op) : NULL;
    if (counted)
        survey_value(s, counted, false);
    for (int i = 0; i < 2 && product; i++)
        survey_value(s, product->operands[i], true);
    for (int i = 0; i < 2 && adds_bytes && bytes[i]; i++)
        survey_value(s, bytes[i], false);
    note_width(s, product ? 2 : adds_bytes ? 1 : 0);
    for (int i = 0; i < sink->op->operand_count && !counted && !product && !adds_bytes; i++)
        survey_value(s, sink->op->operands[i], false);
    s->cost += sink->kind == CPU_SINK_REDUCE && cpu_squares_wanted(s->e, s->group, sink->op);
    if (sink->kind == CPU_SINK_REDUCE &&
        (sink->op->code == IR_OP_ARGMAX || sink->op->code == IR_OP_ARGMIN))
        note_width(s, 4);
    if (sink->kind == CPU_SINK_STORE && s->widest == 0)
        s->widest = (int)ir_elem_bytes((enum ir_elem)sink->op->operands[0]->type.elem);
}

struct cpu_survey cpu_survey_group(struct cpu_emit *e, const struct cpu_group *group)
{
    struct cpu_survey survey = {
        .e = e, .group = group, .epoch = cpu_new_epoch(e), .only_writes = true};
    for (size_t i = 0; i < group->sinks.count; i++)
        survey_sink(&survey, &group->sinks.items[i]);
    return survey;
}

int cpu_group_cost(struct cpu_emit *e, const struct cpu_group *group)
{
    return cpu_survey_group(e, group).cost;
}
