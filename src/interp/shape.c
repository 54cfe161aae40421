/* Ops that make elements out of nothing or move them. */
#include "interp/machine.h"

#include "ir/eval.h"
#include "ir/number.h"

#include <inttypes.h>
#include <string.h>

void slot_copy(struct slot *to, const struct slot *from)
{
    memcpy(to->bits, from->bits, (size_t)to->count * sizeof *to->bits);
    to->inexact = from->inexact;
    if (from->inexact)
        memcpy(to->errors, from->errors, (size_t)to->count * sizeof *to->errors);
}

/* One element with its error. inexact is up to the caller. */
static inline void move(struct slot *to, int64_t i, const struct slot *from, int64_t k)
{
    to->bits[i] = from->bits[k];
    if (to->inexact)
        to->errors[i] = slot_error(from, k);
}

void shape_constant(struct machine *m, const struct step *step)
{
    (void)m;
    struct slot *result = step->results[0];
    for (int64_t i = 0; i < result->count; i++)
        result->bits[i] = step->op->attributes.bits;
    result->inexact = false;
}

void shape_arange(struct machine *m, const struct step *step)
{
    (void)m;
    struct slot *result = step->results[0];
    for (int64_t i = 0; i < result->count; i++)
        result->bits[i] = (uint64_t)step->op->attributes.begin + (uint64_t)i;
    result->inexact = false;
}

void shape_copy(struct machine *m, const struct step *step)
{
    (void)m;
    slot_copy(step->results[0], step->operands[0]);
}

/* Distance between neighbours along each axis, in row-major order. */
static void strides_of(struct ir_type type, int64_t *strides)
{
    int64_t stride = 1;
    for (int axis = type.rank - 1; axis >= 0; axis--) {
        strides[axis] = stride;
        stride *= type.dims[axis];
    }
}

void shape_map(const struct ir_op *op, int32_t *map)
{
    struct ir_type from = op->operands[0]->type, to = op->results[0]->type;
    int64_t strides[IR_MAX_RANK], steps[IR_MAX_RANK], index[IR_MAX_RANK] = {0};
    strides_of(from, strides);
    for (int axis = 0; axis < to.rank; axis++) {
        if (op->code == IR_OP_TRANS)
            steps[axis] = strides[op->attributes.permutation[axis]];
        else
            steps[axis] = from.dims[axis] == 1 ? 0 : strides[axis];
    }
    int64_t place = 0, count = ir_element_count(to);
    for (int64_t i = 0; i < count; i++) {
        map[i] = (int32_t)place;
        for (int axis = to.rank - 1; axis >= 0; axis--) {
            place += steps[axis];
            if (++index[axis] < to.dims[axis])
                break;
            place -= steps[axis] * to.dims[axis];
            index[axis] = 0;
        }
    }
}

void shape_move(struct machine *m, const struct step *step)
{
    (void)m;
    struct slot *result = step->results[0];
    const struct slot *operand = step->operands[0];
    const int32_t *map = step->map;
    result->inexact = operand->inexact;
    for (int64_t i = 0; i < result->count; i++)
        result->bits[i] = operand->bits[map ? map[i] : 0];
    for (int64_t i = 0; i < result->count && result->inexact; i++)
        result->errors[i] = operand->errors[map ? map[i] : 0];
}

void shape_join(struct machine *m, const struct step *step)
{
    (void)m;
    struct slot *result = step->results[0];
    const struct slot *a = step->operands[0], *b = step->operands[1];
    result->inexact = a->inexact || b->inexact;
    for (int64_t i = 0; i < a->count; i++) {
        move(result, 2 * i, a, i);
        move(result, 2 * i + 1, b, i);
    }
}

void shape_split(struct machine *m, const struct step *step)
{
    (void)m;
    const struct slot *operand = step->operands[0];
    for (int half = 0; half < 2; half++) {
        struct slot *result = step->results[half];
        result->inexact = operand->inexact;
        for (int64_t i = 0; i < result->count; i++)
            move(result, i, operand, 2 * i + half);
    }
}

struct lanes lanes_of(struct ir_type type, int axis)
{
    if (axis < 0)
        return (struct lanes){1, ir_element_count(type), 1};
    struct lanes lanes = {1, type.dims[axis], 1};
    for (int i = 0; i < axis; i++)
        lanes.outer *= type.dims[i];
    for (int i = axis + 1; i < type.rank; i++)
        lanes.inner *= type.dims[i];
    return lanes;
}

void shape_gather(struct machine *m, const struct step *step)
{
    struct slot *result = step->results[0];
    const struct slot *from = step->operands[0], *index = step->operands[1];
    struct lanes to = lanes_of(result->type, step->op->attributes.axis);
    struct lanes lanes = lanes_of(from->type, step->op->attributes.axis);
    result->inexact = from->inexact;
    for (int64_t i = 0; i < result->count; i++) {
        int64_t place = ir_eval_to_int(index->bits[i], index->elem);
        if (place < 0 || place >= lanes.count) {
            struct report *report = report_begin(m, FAULT_INDEX);
            if (report)
                report_words(m, report, index, i,
                             "gather at index %" PRId64 " of an axis of %" PRId64, place,
                             lanes.count);
            result->bits[i] = 0;
            if (result->inexact)
                result->errors[i] = 0;
            continue;
        }
        int64_t outer = i / to.inner / to.count, inner = i % to.inner;
        move(result, i, from, (outer * lanes.count + place) * lanes.inner + inner);
    }
    if (index->inexact)
        slot_set_unknown(result);
}

/* A table is reported by its name, as it was declared. */
static void report_outside(struct machine *m, const struct slot *index, int64_t element,
                           const struct ir_table *table)
{
    struct report *report = report_begin(m, FAULT_INDEX);
    if (!report)
        return;
    const char *number = ir_element_text(index->bits[element], index->elem, m->arena);
    const char *name = table->name ? arena_format(m->arena, "table '%s'", table->name) : "a table";
    report_words(m, report, index, element, "index %s is outside of %s, which has %d element%s,",
                 number, name, table->count, table->count == 1 ? "" : "s");
}

void shape_lookup(struct machine *m, const struct step *step)
{
    struct slot *result = step->results[0];
    const struct slot *index = step->operands[0];
    const struct ir_table *table = step->op->attributes.table;
    result->inexact = false;
    for (int64_t i = 0; i < result->count; i++) {
        unsigned faults = 0;
        result->bits[i] = ir_eval_lookup(table, index->elem, index->bits[i], &faults);
        if (faults)
            report_outside(m, index, i, table);
    }
    if (index->inexact)
        slot_set_unknown(result);
}
