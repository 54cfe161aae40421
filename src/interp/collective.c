/*
 * Reductions, scans and dot: always one element after the other, by index. Other targets may take
 * another order where language.md lets them; bound.c says how far that can lead.
 */
#include "interp/machine.h"

#include <math.h>
#include <string.h>

/* The place of an overflow is not worth a second walk: the first lane is named. */
static void report_overflow(struct machine *m, const struct step *step, unsigned faults)
{
    if (!(faults & IR_FAULT_OVERFLOW))
        return;
    struct report *report = report_begin(m, FAULT_OVERFLOW);
    if (report)
        report_words(m, report, NULL, 0, "signed overflow in %s of %s", ir_ops[step->op->code].name,
                     ir_elems[step->results[0]->elem].name);
}

/* accumulated[0..inner) = accumulated (op) row, elementwise */
static void combine(enum ir_opcode op, enum ir_elem elem, uint64_t *accumulated,
                    const uint64_t *row, int64_t inner, unsigned *faults)
{
    const uint64_t *const operands[] = {accumulated, row, NULL};
    ir_eval_elements(op, elem, elem, (size_t)inner, operands, accumulated, faults);
}

void collective_reduce(struct machine *m, const struct step *step)
{
    struct slot *result = step->results[0];
    const struct slot *operand = step->operands[0];
    struct lanes lanes = lanes_of(operand->type, step->op->attributes.axis);
    enum ir_opcode op = ir_combining_op(step->op->code);
    uint64_t identity = ir_eval_identity(step->op->code, operand->elem);
    unsigned faults = 0;
    for (int64_t i = 0; i < result->count; i++)
        result->bits[i] = identity;
    for (int64_t o = 0; o < lanes.outer; o++)
        for (int64_t k = 0; k < lanes.count; k++)
            combine(op, operand->elem, result->bits + o * lanes.inner,
                    operand->bits + (o * lanes.count + k) * lanes.inner, lanes.inner, &faults);
    report_overflow(m, step, faults);
    if (m->bounds)
        bound_reduce(step);
}

/* A number whose greatest is what max (or min) gives; NaN is above everything. */
static uint64_t order_key(uint64_t bits, enum ir_elem elem, bool least)
{
    int width = elem == IR_BOOL ? 1 : ir_elems[elem].bits;
    uint64_t sign = UINT64_C(1) << (width - 1), all = sign | (sign - 1);
    uint64_t key = bits;
    if (ir_is_signed(elem))
        key = bits ^ sign;
    if (ir_is_float(elem)) {
        unsigned faults = 0;
        if (ir_eval(IR_OP_ISNAN, elem, IR_BOOL, &bits, &faults))
            return UINT64_MAX;
        key = bits & sign ? ~bits & all : bits | sign;
    }
    return least ? all - key : key;
}

void collective_argmax(struct machine *m, const struct step *step)
{
    struct slot *result = step->results[0];
    const struct slot *operand = step->operands[0];
    struct lanes lanes = lanes_of(operand->type, step->op->attributes.axis);
    bool least = step->op->code == IR_OP_ARGMIN;
    for (int64_t lane = 0; lane < result->count; lane++) {
        const uint64_t *bits =
            operand->bits + lane / lanes.inner * lanes.count * lanes.inner + lane % lanes.inner;
        uint64_t best = 0;
        result->bits[lane] = 0;
        for (int64_t k = 0; k < lanes.count; k++) {
            uint64_t key = order_key(bits[k * lanes.inner], operand->elem, least);
            if (k > 0 && key <= best)
                continue;
            best = key;
            result->bits[lane] = (uint64_t)k;
        }
    }
    if (m->bounds)
        bound_argmax(step);
}

void collective_cumulate(struct machine *m, const struct step *step)
{
    struct slot *result = step->results[0];
    const struct slot *operand = step->operands[0];
    struct lanes lanes = lanes_of(operand->type, step->op->attributes.axis);
    enum ir_opcode op = ir_combining_op(step->op->code);
    bool exclusive = step->op->attributes.exclusive;
    size_t row_bytes = (size_t)lanes.inner * sizeof(uint64_t);
    unsigned faults = 0;
    for (int64_t o = 0; o < lanes.outer; o++) {
        uint64_t *to = result->bits + o * lanes.count * lanes.inner;
        const uint64_t *from = operand->bits + o * lanes.count * lanes.inner;
        for (int64_t i = 0; i < lanes.inner && exclusive; i++)
            to[i] = ir_eval_before_first(step->op->code, operand->elem);
        /* Row k of the inclusive scan is row k + 1 of the exclusive one. */
        int64_t shift = exclusive ? lanes.inner : 0, rows = lanes.count - (exclusive ? 1 : 0);
        for (int64_t k = 0; k < rows; k++) {
            uint64_t *row = to + shift + k * lanes.inner;
            if (k == 0) {
                memcpy(row, from, row_bytes);
                continue;
            }
            memcpy(row, row - lanes.inner, row_bytes);
            combine(op, operand->elem, row, from + k * lanes.inner, lanes.inner, &faults);
        }
    }
    report_overflow(m, step, faults);
    if (m->bounds)
        bound_cumulate(step);
}

/* accumulated = region(accumulated, next); the block leaves its result in its yield's operand. */
static void scan_element(struct machine *m, const struct step *step, struct slot *result,
                         int64_t to, int64_t previous, const struct slot *operand, int64_t from)
{
    const struct block *block = &step->blocks[0];
    struct slot *a = block->arguments[0], *b = block->arguments[1];
    a->bits[0] = result->bits[previous];
    b->bits[0] = operand->bits[from];
    a->inexact = b->inexact = false;
    run_block(m, block);
    result->bits[to] = block->steps[block->step_count - 1].operands[0]->bits[0];
    m->step = step;
}

/* Whether the order of combining shows in the digits. */
static bool scan_rounds(const struct ir_region *region)
{
    for (const struct ir_op *op = region->first; op; op = op->next) {
        bool rounds = false;
        for (int i = 0; i < op->result_count; i++)
            rounds |= ir_is_float((enum ir_elem)op->results[i]->type.elem);
        bool chooses = op->code == IR_OP_MAXIMUM || op->code == IR_OP_MINIMUM ||
                       op->code == IR_OP_FMAX || op->code == IR_OP_FMIN ||
                       op->code == IR_OP_SELECT || op->code == IR_OP_CONSTANT;
        if (rounds && !chooses)
            return true;
    }
    return false;
}

/* Row k of the inclusive scan is row k + 1 of the exclusive one, whose row 0 is 0: a helper has no
 * neutral element that we know. */
void collective_scan(struct machine *m, const struct step *step)
{
    struct slot *result = step->results[0];
    const struct slot *operand = step->operands[0];
    struct lanes lanes = lanes_of(operand->type, step->op->attributes.axis);
    int64_t shift = step->op->attributes.exclusive ? 1 : 0;
    for (int64_t lane = 0; lane < lanes.outer * lanes.inner; lane++) {
        int64_t first = lane / lanes.inner * lanes.count * lanes.inner + lane % lanes.inner;
        if (shift)
            result->bits[first] = 0;
        if (shift < lanes.count)
            result->bits[first + shift * lanes.inner] = operand->bits[first];
        for (int64_t k = 1; k + shift < lanes.count && !m->stopped; k++) {
            int64_t from = first + k * lanes.inner, to = from + shift * lanes.inner;
            scan_element(m, step, result, to, to - lanes.inner, operand, from);
        }
    }
    result->inexact = false;
    if (m->bounds && (operand->inexact || scan_rounds(step->op->regions[0])))
        slot_set_unknown(result);
}

/* ---- dot ------------------------------------------------------------------------------------ */

/*
 * Everything is computed in double: exact for i8, and for f32 each product and sum is rounded to
 * float, which gives float's own results (see ir/eval.c). scratch: as many as a, b and a row of
 * acc.
 */
static void dot_decode(const struct slot *slot, double *values)
{
    for (int64_t i = 0; i < slot->count; i++)
        values[i] = ir_eval_to_double(slot->bits[i], slot->elem);
}

static void dot_row(const double *a, const double *b, double *row, int64_t k_count, int64_t n_count,
                    bool narrow)
{
    for (int64_t k = 0; k < k_count; k++)
        for (int64_t n = 0; n < n_count; n++) {
            double product = a[k] * b[k * n_count + n];
            if (narrow)
                row[n] = (double)(float)(row[n] + (double)(float)product);
            else
                row[n] += product;
        }
}

static uint64_t dot_encode(double value, enum ir_elem elem, unsigned *faults)
{
    if (elem == IR_I32) {
        int64_t wide = (int64_t)value;
        if (wide != (int32_t)wide)
            *faults |= IR_FAULT_OVERFLOW;
        return (uint32_t)wide;
    }
    return ir_eval_from_double(value != value ? (double)NAN : value, elem);
}

void collective_dot(struct machine *m, const struct step *step)
{
    struct slot *result = step->results[0];
    const struct slot *left = step->operands[0], *right = step->operands[1];
    const struct slot *addend = step->operands[2];
    int64_t k_count = left->type.dims[1], n_count = right->type.dims[1];
    double *a = step->scratch, *b = a + left->count, *row = b + right->count;
    unsigned faults = 0;
    dot_decode(left, a);
    dot_decode(right, b);
    for (int64_t i = 0; i < left->type.dims[0]; i++) {
        for (int64_t n = 0; n < n_count; n++)
            row[n] = ir_eval_to_double(addend->bits[i * n_count + n], addend->elem);
        dot_row(a + i * k_count, b, row, k_count, n_count, result->elem == IR_F32);
        for (int64_t n = 0; n < n_count; n++)
            result->bits[i * n_count + n] = dot_encode(row[n], result->elem, &faults);
    }
    report_overflow(m, step, faults);
    if (m->bounds)
        bound_dot(step);
}
