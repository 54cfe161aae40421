/*
 * Ranges of integers and floats (ir/affine.h, ir/float_range.h) on random straight-line code: what
 * the interpreter's arithmetic gives lies in them. And forms of integers, which are exact: each,
 * and the difference of two, is worth what its value is.
 */
#include "ir/affine.h"
#include "ir/eval.h"
#include "ir/float_range.h"
#include "../seeds.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { PARAMETERS = 10, OPS = 24, TRIALS = 40, TRUTH = 7 };

__extension__ typedef __int128 wide;

static const enum ir_elem parameter_elems[PARAMETERS] = {IR_U8,  IR_I8,  IR_I16,  IR_U16, IR_I32,
                                                         IR_U32, IR_F32, IR_BOOL, IR_I64};

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

static struct ir_value *pick(struct ir_value **values, int count, bool floats, uint64_t *state)
{
    for (int tries = 0; tries < 100; tries++) {
        struct ir_value *v = values[next_random(state) % (uint64_t)count];
        if (ir_is_float((enum ir_elem)v->type.elem) == floats && v->type.elem != IR_BOOL)
            return v;
    }
    return NULL;
}

static struct ir_value *constant(struct ir_builder *b, enum ir_elem elem, uint64_t *state)
{
    static const double numbers[] = {0,    -0.0, 1,     -1,   0.5,      255,       127,
                                     -128, 1e6,  -1e30, 3e38, INFINITY, -INFINITY, NAN};
    static const int64_t ints[] = {2,          3,           -5,        7,         31,
                                   UINT32_MAX, -3000000001, INT64_MAX, INT64_MIN, INT64_C(1) << 40};
    if (ir_is_integer(elem) && next_random(state) % 2)
        return ir_constant(
            b, ir_scalar(elem),
            ir_eval_cast((uint64_t)ints[next_random(state) % (sizeof ints / sizeof *ints)], IR_I64,
                         elem));
    double number = numbers[next_random(state) % (sizeof numbers / sizeof *numbers)];
    return ir_constant(b, ir_scalar(elem), ir_eval_from_double(number, elem));
}

/* An op on what is there, of floats mostly. */
static struct ir_value *grow(struct ir_builder *b, struct ir_value **values, int count,
                             uint64_t *state)
{
    static const enum ir_opcode unary[] = {IR_OP_NEG,  IR_OP_ABS,   IR_OP_FLOOR, IR_OP_CEIL,
                                           IR_OP_RINT, IR_OP_ROUND, IR_OP_TRUNC, IR_OP_SQRT};
    static const enum ir_opcode of_bits[] = {IR_OP_NEG, IR_OP_ABS, IR_OP_POPCOUNT, IR_OP_CLZ,
                                             IR_OP_CTZ};
    static const enum ir_opcode binary[] = {IR_OP_ADD,     IR_OP_SUB,  IR_OP_MUL,  IR_OP_DIV,
                                            IR_OP_MAXIMUM, IR_OP_FMAX, IR_OP_FMIN, IR_OP_MINIMUM};
    static const enum ir_elem ints[] = {IR_I8, IR_U8, IR_I16, IR_I32, IR_U32, IR_I64, IR_U64};
    static const enum ir_elem floats[] = {IR_F32, IR_F32, IR_F16, IR_F64, IR_BF16};
    bool on_float = next_random(state) % 4 != 0;
    struct ir_value *x = pick(values, count, on_float, state);
    if (!x)
        return NULL;
    enum ir_elem elem = (enum ir_elem)x->type.elem;
    struct ir_value *y = NULL;
    for (int i = 0; i < count && !y; i++) {
        struct ir_value *v = values[next_random(state) % (uint64_t)count];
        y = v->type.elem == x->type.elem ? v : NULL;
    }
    if (!y || next_random(state) % 3 == 0)
        y = constant(b, elem, state);
    switch (next_random(state) % 8) {
    case 0:
        return ir_cast(b, x, floats[next_random(state) % 5]);
    case 1:
        return ir_cast(b, x, ints[next_random(state) % 7]);
    case 2:
        return on_float ? ir_unary(b, unary[next_random(state) % 8], x)
                        : ir_unary(b, of_bits[next_random(state) % 5], x);
    case 3:
        return ir_ternary(b, IR_OP_SELECT, ir_binary(b, IR_OP_LT, x, y), x, y);
    case 4:
        return elem == IR_F32 || elem == IR_F64
                   ? ir_ternary(b, IR_OP_FMA, x, y, constant(b, elem, state))
                   : ir_binary(b, IR_OP_MUL, x, x);
    case 5: {
        struct ir_value *low = constant(b, elem, state), *high = constant(b, elem, state);
        bool ignores = on_float && next_random(state) % 2;
        x = ir_binary(b, ignores ? IR_OP_FMAX : IR_OP_MAXIMUM, x, low);
        return ir_binary(b, ignores ? IR_OP_FMIN : IR_OP_MINIMUM, x, high);
    }
    default:
        if (on_float)
            return ir_binary(b, binary[next_random(state) % 8], x, y);
        static const enum ir_opcode of_ints[] = {IR_OP_ADD,  IR_OP_SUB,     IR_OP_MUL,  IR_OP_ADD,
                                                 IR_OP_SUB,  IR_OP_MAXIMUM, IR_OP_DIV,  IR_OP_REM,
                                                 IR_OP_CDIV, IR_OP_MINIMUM, IR_OP_AND,  IR_OP_OR,
                                                 IR_OP_XOR,  IR_OP_SHR,     IR_OP_MULHI};
        return ir_binary(b, of_ints[next_random(state) % (sizeof of_ints / sizeof *of_ints)], x, y);
    }
}

static void check(const struct ir_value *v, uint64_t bits, uint64_t seed)
{
    enum ir_elem elem = (enum ir_elem)v->type.elem;
    if (ir_is_float(elem)) {
        struct ir_float_range range = ir_float_range(v);
        double x = ir_eval_to_double(bits, elem);
        if (x != x ? !range.nan : !(range.least <= x && x <= range.most))
            fail_msg("seed %llu: %s gives %g, range %g to %g%s", (unsigned long long)seed,
                     ir_ops[v->op->code].name, x, range.least, range.most,
                     range.nan ? " or NaN" : "");
        return;
    }
    struct ir_interval range = ir_range(v);
    int64_t x = ir_eval_to_int(bits, elem);
    if (elem != IR_U64 && !(range.least <= x && x <= range.most))
        fail_msg("seed %llu: %s gives %lld, range %lld to %lld", (unsigned long long)seed,
                 ir_ops[v->op->code].name, (long long)x, (long long)range.least,
                 (long long)range.most);
}

/* An integer that a value has. */
static wide number_of(const struct ir_value *v)
{
    int64_t x = ir_eval_to_int((uint64_t)v->mark, (enum ir_elem)v->type.elem);
    return v->type.elem == IR_U64 ? (wide)(uint64_t)x : x;
}

static wide worth(const struct ir_affine *form)
{
    wide sum = form->constant;
    for (int i = 0; i < form->term_count; i++)
        sum += form->terms[i].factor * number_of(form->terms[i].value);
    return sum;
}

/* The forms of both, and their difference. */
static void check_forms(const struct ir_value *v, const struct ir_value *before, uint64_t seed)
{
    const struct ir_value *values[2] = {v, before};
    struct ir_affine forms[2], difference;
    wide x[2];
    for (int i = 0; i < 2; i++) {
        if (!ir_affine_of(values[i], NULL, &forms[i]))
            return;
        x[i] = number_of(values[i]);
        if (worth(&forms[i]) != x[i] || forms[i].range.least > x[i] || forms[i].range.most < x[i])
            fail_msg("seed %llu: %lld is not worth its form", (unsigned long long)seed,
                     (long long)x[i]);
    }
    if (!ir_affine_subtract(&forms[0], &forms[1], ir_scalar(IR_I64), NULL, &difference))
        return;
    wide d = x[0] - x[1];
    if (worth(&difference) != d || (d <= INT64_MAX && difference.range.most < d) ||
        (d >= INT64_MIN && difference.range.least > d))
        fail_msg("seed %llu: %lld - %lld is not worth its form", (unsigned long long)seed,
                 (long long)x[0], (long long)x[1]);
}

/* Parameters at their ends as often as anywhere. */
static uint64_t argument(enum ir_elem elem, uint64_t *state)
{
    static const double ends[] = {0, 1, -1, 127, -128, 255, 1e5, -1e5, 3e9, INFINITY, NAN};
    if (next_random(state) % 2)
        return ir_eval_from_double(ends[next_random(state) % 11], elem);
    return ir_eval_cast(next_random(state) << 33 ^ next_random(state), IR_I64, elem);
}

/* Not within one(), which calls setjmp: gcc then warns of its variables. */
__attribute__((noinline)) static int run(const struct ir_func *func, uint64_t seed, uint64_t *state)
{
    const struct ir_value *before = NULL;
    int narrow = 0;
    for (int i = 0; i < PARAMETERS; i++)
        func->body->arguments[i]->mark = (int64_t)argument(parameter_elems[i], state);
    for (const struct ir_op *op = func->body->first; op; op = op->next) {
        if (op->result_count != 1)
            continue;
        uint64_t in[3], bits;
        unsigned faults = 0;
        for (int i = 0; i < op->operand_count; i++)
            in[i] = (uint64_t)op->operands[i]->mark;
        enum ir_elem to = (enum ir_elem)op->results[0]->type.elem;
        if (op->code == IR_OP_CONSTANT)
            bits = op->attributes.bits;
        else if (op->code == IR_OP_SELECT)
            bits = in[0] ? in[1] : in[2];
        else
            bits = ir_eval(op->code, (enum ir_elem)op->operands[0]->type.elem, to, in, &faults);
        op->results[0]->mark = (int64_t)bits;
        check(op->results[0], bits, seed);
        if (ir_is_integer(to) && to != IR_BOOL) {
            check_forms(op->results[0], before ? before : op->results[0], seed);
            before = op->results[0];
        }
        narrow +=
            ir_is_float(to) && !ir_float_range(op->results[0]).nan && op->code != IR_OP_CONSTANT;
    }
    return narrow;
}

/* How often a range of floats says something. */
static int one(uint64_t seed)
{
    struct arena arena;
    jmp_buf out_of_memory;
    if (setjmp(out_of_memory))
        fail_msg("out of memory");
    arena_init(&arena, allocator_default, &out_of_memory);
    struct ir_parameter parameters[PARAMETERS] = {0};
    for (int i = 0; i < PARAMETERS; i++) {
        parameters[i].name = "p";
        parameters[i].type = ir_scalar(parameter_elems[i]);
    }
    struct ir_func *func = ir_func_new(&arena, "f", PARAMETERS, parameters);
    struct ir_builder b = {.func = func, .region = func->body};
    struct ir_value *values[PARAMETERS + 2 + OPS];
    uint64_t random = seed * 77 + 1;
    int count = 0, narrow = 0;
    for (int i = 0; i < PARAMETERS; i++)
        values[count++] = func->body->arguments[i];
    /* 0 or 1: factors may be as large as their numbers, and counts of bits differ. */
    values[count++] = ir_cast(&b, func->body->arguments[TRUTH], IR_I64);
    values[count++] = ir_cast(&b, func->body->arguments[TRUTH], IR_I32);
    for (int i = 0; i < OPS; i++) {
        struct ir_value *v = grow(&b, values, count, &random);
        if (v)
            values[count++] = v;
    }
    for (int i = 0; i < TRIALS; i++)
        narrow += run(func, seed, &random);
    arena_free(&arena);
    return narrow;
}

static void test_random(void **state)
{
    (void)state;
    struct seeds seeds = seeds_of("RANGES", 300);
    uint64_t first, narrow = 0;
    for (uint64_t count; (count = seeds_take(&seeds, 100, &first)) > 0;) {
        for (uint64_t i = 0; i < count; i++)
            narrow += (uint64_t)one(first + i);
    }
    assert_true(narrow >= seeds.count); /* each has some that says something, on average */
}

/* Factors, constants and axes at the ends of 64 bits: a difference that they cannot hold has no
 * form. Tiles of more elements have smaller factors, as the last one is worth the most. */
static void check_ends(struct ir_builder *b, struct ir_value *truth, int size)
{
    enum { VALUES = 8 };
    static const int64_t factors[VALUES] = {INT64_MAX, INT64_MIN, 1, -1, 2, 0, 1, -3};
    static const int64_t constants[VALUES] = {0, 0, INT64_MAX - 1, INT64_MIN + 1, 5, INT64_MIN,
                                              0, 0};
    struct ir_value *of = size > 1 ? ir_arange(b, 0, size) : ir_cast(b, truth, IR_I64);
    int64_t last = size > 1 ? size - 1 : 1;
    struct ir_affine forms[VALUES], difference;
    for (int i = 0; i < VALUES; i++) {
        uint64_t factor = (uint64_t)(factors[i] / last);
        struct ir_value *v = ir_binary(b, IR_OP_MUL, of, ir_constant(b, of->type, factor));
        v = ir_binary(b, IR_OP_ADD, v, ir_constant(b, of->type, (uint64_t)constants[i]));
        assert_true(ir_affine_of(v, NULL, &forms[i]));
    }
    for (int i = 0; i < VALUES * VALUES; i++) {
        int x = i / VALUES, y = i % VALUES;
        wide factor = (wide)(factors[x] / last) - factors[y] / last;
        wide constant = (wide)constants[x] - constants[y], most = factor > 0 ? factor * last : 0;
        if (!ir_affine_subtract(&forms[x], &forms[y], of->type, NULL, &difference))
            continue;
        assert_true(difference.constant == constant);
        if (size > 1)
            assert_true(difference.axis[0] == factor);
        else
            assert_true(ir_affine_factor(&difference, of) == factor);
        if (size > 1 && ir_affine_most_of_axes(&difference, of->type))
            assert_true(difference.constant == constant + most);
    }
}

/* The least of what is shifted, by a number that is not known, is not its own. */
static void check_shift(struct ir_builder *b, struct ir_value *truth, struct ir_value *x)
{
    struct ir_value *five = ir_constant(b, x->type, 5), *count = ir_cast(b, truth, IR_I32);
    struct ir_value *at_least = ir_binary(b, IR_OP_MAXIMUM, x, five);
    assert_true(ir_range(at_least).least == 5);
    assert_true(ir_range(ir_binary(b, IR_OP_SHR, at_least, count)).least <= 5 >> 1);
}

static void test_ends(void **state)
{
    (void)state;
    enum { MANY = IR_AFFINE_TERMS + 1 };
    struct arena arena;
    jmp_buf out_of_memory;
    if (setjmp(out_of_memory))
        fail_msg("out of memory");
    arena_init(&arena, allocator_default, &out_of_memory);
    struct ir_parameter parameters[MANY] = {0};
    for (int i = 0; i < MANY; i++) {
        parameters[i].name = "p";
        parameters[i].type = ir_scalar(i == 0 ? IR_BOOL : IR_I32);
    }
    struct ir_func *func = ir_func_new(&arena, "f", MANY, parameters);
    struct ir_builder b = {.func = func, .region = func->body};
    for (int size = 1; size <= 4; size *= 2)
        check_ends(&b, func->body->arguments[0], size);
    check_shift(&b, func->body->arguments[0], func->body->arguments[1]);
    /* One term more than a form has room for. */
    struct ir_value *sum = ir_cast(&b, func->body->arguments[0], IR_I64);
    struct ir_affine form;
    for (int i = 1; i < MANY; i++)
        sum = ir_binary(&b, IR_OP_ADD, sum, ir_cast(&b, func->body->arguments[i], IR_I64));
    assert_true(ir_affine_of(sum, NULL, &form));
    assert_true(form.term_count == 1 && form.terms[0].value == sum);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
