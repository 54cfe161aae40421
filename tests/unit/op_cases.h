#ifndef TILEC_TESTS_OP_CASES_H
#define TILEC_TESTS_OP_CASES_H
/*
 * Kernels of GPU IR with every elementwise op and conversion on every element type that a dialect
 * has, on scalars and on vectors of four, for tests of that dialect: the bits must be ir_eval's (any
 * NaN is as good as another), those of approximate functions near.
 */
#include "base/half.h"
#include "emit/emit.h"
#include "ir/eval.h"

#include <math.h>
#include <setjmp.h>
#include <string.h>

enum { COUNT = 256 }; /* elements of a buffer: operands in all combinations of 16 values */

struct op_case {
    enum ir_opcode code;
    enum ir_elem from, to;
    int width;
    struct ir_func *func;
};

struct op_state {
    const struct emit_dialect *dialect;
    /* Adds a kernel's text to the source, with its helpers kept apart from others'. */
    void (*append)(struct text *source, const char *text, int number);
    jmp_buf out_of_memory;
    struct arena arena;
    struct diagnostics diagnostics;
    struct text source;
    struct {
        struct op_case *items;
        size_t count, capacity;
    } cases;
};

/* ---- kernels --------------------------------------------------------------------------------- */

/* R[k] = op(X[k], Y[k], Z[k]) for the elements of each thread. */
static struct ir_func *make(struct op_state *s, const struct op_case *c, const char *name)
{
    struct ir_parameter parameters[4] = {
        {.name = "X"}, {.name = "Y"}, {.name = "Z"}, {.name = "R"}};
    for (int i = 0; i < 4; i++)
        parameters[i].type = ir_pointer(i == 3 ? c->to : c->from);
    if (c->code == IR_OP_SELECT)
        parameters[0].type = ir_pointer(IR_BOOL);
    struct ir_func *func = ir_func_new(&s->arena, name, 4, parameters);
    struct ir_builder b = {.func = func, .region = func->body};
    struct ir_attributes range = {.end = COUNT / 4};
    struct ir_type index = ir_scalar(IR_I64);
    struct ir_value *operands[4];
    struct ir_value *thread =
        ir_build(&b, (enum ir_opcode)GPU_OP_THREAD_INDEX, 0, NULL, 1, &index, 0, &range)
            ->results[0];
    struct ir_value *four = ir_constant_i64(&b, 4);
    thread = ir_binary(&b, IR_OP_MUL, thread, four);
    for (int k = 0; k < 4; k += c->width) {
        int32_t width = c->width;
        for (int i = 0; i < 4; i++) {
            struct ir_value *p = func->body->arguments[i];
            p = ir_binary(&b, IR_OP_ADDPTR, p, thread);
            p = ir_binary(&b, IR_OP_ADDPTR, p, ir_constant_i64(&b, k));
            struct ir_type type = ir_tile((enum ir_elem)p->type.elem, width > 1, &width);
            enum ir_opcode load = width > 1 ? (enum ir_opcode)GPU_OP_VECTOR_LOAD : IR_OP_LOAD;
            operands[i] = i == 3 ? p : ir_build(&b, load, 1, &p, 1, &type, 0, NULL)->results[0];
        }
        struct ir_type type = ir_tile(c->to, width > 1, &width);
        struct ir_value *result =
            ir_build(&b, c->code, ir_ops[c->code].most, operands, 1, &type, 0, NULL)->results[0];
        struct ir_value *stored[2] = {operands[3], result};
        ir_build(&b, width > 1 ? (enum ir_opcode)GPU_OP_VECTOR_STORE : IR_OP_STORE, 2, stored, 0,
                 NULL, 0, NULL);
    }
    ir_build(&b, IR_OP_RETURN, 0, NULL, 0, NULL, 0, NULL);
    return func;
}

static void add(struct op_state *s, enum ir_opcode code, enum ir_elem from, enum ir_elem to, int width)
{
    struct op_case c = {.code = code, .from = from, .to = to, .width = width};
    struct gpu_kernel kernel = {.threads = COUNT / 4, .blocks = 1};
    struct text text;
    text_init(&text, &s->arena);
    int number = (int)s->cases.count;
    c.func = kernel.func = make(s, &c, arena_format(&s->arena, "k%d", number));
    if (!gpu_verify(c.func, &s->diagnostics) ||
        !emit_kernel(&kernel, s->dialect, &text, &s->diagnostics))
        fail_msg("%s on %s: %s", ir_ops[code].name, ir_elems[from].name,
                 s->diagnostics.items[0].message);
    s->append(&s->source, text.items, number);
    ARENA_PUSH(&s->arena, &s->cases, c);
}

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

static void add_all(struct op_state *s, int width)
{
    for (int elem = 0; elem < IR_ELEM_COUNT; elem++) {
        if (!s->dialect->elems[elem])
            continue;
        for (int code = 0; code < (int)IR_OP_COUNT; code++) {
            enum ir_rule rule = ir_ops[code].rule;
            bool truth = rule == IR_RULE_COMPARE || rule == IR_RULE_TEST;
            if (is_allowed((enum ir_opcode)code, (enum ir_elem)elem))
                add(s, (enum ir_opcode)code, (enum ir_elem)elem,
                    truth ? IR_BOOL : (enum ir_elem)elem, width);
        }
        for (int to = 0; to < IR_ELEM_COUNT; to++) {
            if (!s->dialect->elems[to])
                continue;
            if (to != elem)
                add(s, IR_OP_CAST, (enum ir_elem)elem, (enum ir_elem)to, width);
            if (to != elem && to != IR_BOOL && elem != IR_BOOL &&
                ir_elems[to].bits == ir_elems[elem].bits)
                add(s, IR_OP_BITCAST, (enum ir_elem)elem, (enum ir_elem)to, width);
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
    uint64_t wanted = ir_eval(c->code, c->from, c->to, operands, &faults);
    if (!is_same(c, is, wanted))
        fail_msg("%s %s -> %s, width %d: of %llx %llx %llx comes %llx, not %llx",
                 ir_ops[c->code].name, ir_elems[c->from].name, ir_elems[c->to].name, c->width,
                 (unsigned long long)operands[0], (unsigned long long)operands[1],
                 (unsigned long long)operands[2], (unsigned long long)is,
                 (unsigned long long)wanted);
}

#endif
