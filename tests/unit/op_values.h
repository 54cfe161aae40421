#ifndef TILEC_TESTS_OP_VALUES_H
#define TILEC_TESTS_OP_VALUES_H
/*
 * Every elementwise op and conversion on every element type, as the op table lists them, and
 * operands on which a target must give ir_eval's bits (any NaN is as good as another); approximate
 * functions must be near. So an op that a target lacks, or gets wrong, is found as soon as it is in
 * the table.
 */
#include "ir/eval.h"
#include "ir/ir.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { COUNT = 256 }; /* elements of a buffer: operands in all combinations of 16 values */

struct op_case {
    enum ir_opcode code;
    enum ir_elem from, to;
    int width; /* elements that one op computes; 0: all */
    struct ir_func *func;
};

/* ---- what there is --------------------------------------------------------------------------- */

static bool is_allowed(enum ir_opcode code, enum ir_elem elem)
{
    unsigned flags = ir_ops[code].flags;
    if (!(flags & IR_ELEMENTWISE) || (flags & (IR_READS | IR_WRITES)))
        return false;
    if (code == IR_OP_CAST || code == IR_OP_BITCAST || code == IR_OP_ADDPTR ||
        code == IR_OP_CONVERT_LAYOUT)
        return false;
    if (code == IR_OP_FMA)
        return elem == IR_F32 || elem == IR_F64;
    if (elem == IR_BOOL && !(flags & IR_LOGIC) && (flags & (IR_NUMERIC | IR_FLOAT | IR_INTEGER)))
        return false;
    return !((flags & IR_FLOAT) && !ir_is_float(elem)) && ir_eval_has(code, elem) &&
           !((flags & (IR_INTEGER | IR_LOGIC)) && ir_is_float(elem));
}

static bool is_index(enum ir_elem elem)
{
    return elem == IR_I8 || elem == IR_U8 || elem == IR_I32 || elem == IR_U64;
}

/* Calls add for each op and conversion on the elements that has says are there; a lookup is in
 * a table of value(to, 0), ..., value(to, 15). */
static void for_all_cases(bool (*has)(void *user, enum ir_elem elem),
                          void (*add)(void *user, enum ir_opcode code, enum ir_elem from,
                                      enum ir_elem to),
                          void *user)
{
    for (int elem = 0; elem < IR_ELEM_COUNT; elem++) {
        enum ir_elem from = (enum ir_elem)elem;
        if (!has(user, from))
            continue;
        for (int code = 0; code < (int)IR_OP_COUNT; code++) {
            enum ir_rule rule = ir_ops[code].rule;
            bool truth = rule == IR_RULE_COMPARE || rule == IR_RULE_TEST;
            if (is_allowed((enum ir_opcode)code, from))
                add(user, (enum ir_opcode)code, from, truth ? IR_BOOL : from);
        }
        for (int to = 0; to < IR_ELEM_COUNT; to++) {
            if (to == elem || !has(user, (enum ir_elem)to))
                continue;
            add(user, IR_OP_CAST, from, (enum ir_elem)to);
            if (is_index(from))
                add(user, IR_OP_LOOKUP, from, (enum ir_elem)to);
            if (to != IR_BOOL && elem != IR_BOOL && ir_elems[to].bits == ir_elems[elem].bits)
                add(user, IR_OP_BITCAST, from, (enum ir_elem)to);
        }
    }
}

/* ---- values ---------------------------------------------------------------------------------- */

static const double floats[16] = {0.0,   -0.0, 1.0,    -1.0,  0.5,    -2.5,   3.75,     127.5,
                                  255.0, -129, 1000.0, 33000, -70000, 1.9e19, INFINITY, NAN};
static const int64_t integers[16] = {0,          1,          -1,        2,        -2,   5,
                                     7,          31,         -100,      127,      -128, 32769,
                                     0x7fffffff, 0x40000081, INT64_MAX, INT64_MIN};

static uint64_t value(enum ir_elem elem, int k)
{
    if (elem == IR_BOOL)
        return (uint64_t)k & 1;
    if (ir_is_float(elem))
        return ir_eval_from_double(floats[k & 15], elem);
    return ir_eval_cast((uint64_t)integers[k & 15], IR_I64, elem);
}

static uint64_t looked_up(const struct op_case *c, uint64_t index)
{
    int64_t place = ir_eval_to_int(index, c->from);
    return place >= 0 && place < 16 ? value(c->to, (int)place) : 0;
}

static uint64_t operand(const struct op_case *c, int index, int k)
{
    int chosen = index == 0 ? k : index == 1 ? k >> 4 : k * 7 >> 3;
    if (c->code == IR_OP_SELECT && index == 0)
        return (uint64_t)(k % 3 == 0);
    return value(c->from, chosen);
}

static bool is_same(const struct op_case *c, uint64_t is, uint64_t wanted)
{
    if (is == wanted)
        return true;
    if (!ir_is_float(c->to) || c->code == IR_OP_BITCAST)
        return false;
    double x = ir_eval_to_double(is, c->to), y = ir_eval_to_double(wanted, c->to);
    if (isnan(x) || isnan(y))
        return isnan(x) && isnan(y);
    double near = c->to == IR_F64 ? 1e-13 : c->to == IR_F32 ? 1e-5 : c->to == IR_F16 ? 1e-3 : 1e-2;
    return (ir_ops[c->code].flags & IR_APPROX) && fabs(x - y) <= near * fmax(fabs(y), 1e-3);
}

/* Fails unless the result is the op's of the operands; index: of the element. */
static void check_element(const struct op_case *c, const uint64_t *operands, uint64_t is)
{
    unsigned faults = 0;
    uint64_t wanted = c->code == IR_OP_LOOKUP ? looked_up(c, operands[0])
                                              : ir_eval(c->code, c->from, c->to, operands, &faults);
    if (!is_same(c, is, wanted))
        fail_msg("%s %s -> %s, width %d: of %llx %llx %llx comes %llx, not %llx",
                 ir_ops[c->code].name, ir_elems[c->from].name, ir_elems[c->to].name, c->width,
                 (unsigned long long)operands[0], (unsigned long long)operands[1],
                 (unsigned long long)operands[2], (unsigned long long)is,
                 (unsigned long long)wanted);
}

#endif
