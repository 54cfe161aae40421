/*
 * Tile IR: elements as text, what the reader and the verifier refuse and what they say, copies,
 * kernels with their host functions.
 */
#include "ir/affine.h"
#include "ir/ir.h"
#include "ir/number.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

struct state {
    jmp_buf out_of_memory;
    struct arena arena;
    struct diagnostics diagnostics;
};

static int setup(void **state)
{
    static struct state s;
    arena_init(&s.arena, allocator_default, &s.out_of_memory);
    diagnostics_init(&s.diagnostics, &s.arena);
    *state = &s;
    return 0;
}

static int teardown(void **state)
{
    struct state *s = *state;
    arena_free(&s->arena);
    return 0;
}

/* ---- shapes ---------------------------------------------------------------------------------- */

/* Which axis of `from` each axis of `to` is, where axes of 1 come and go. */
static void axes_of_reshapes(void **state)
{
    static const struct {
        int from_rank, to_rank;
        int32_t from[IR_MAX_RANK], to[IR_MAX_RANK];
        bool simple;
        int before[IR_MAX_RANK];
    } cases[] = {
        {2, 2, {4, 8}, {4, 8}, true, {0, 1}},   {2, 3, {4, 8}, {1, 4, 8}, true, {-1, 0, 1}},
        {3, 1, {1, 1, 8}, {8}, true, {2}},      {1, 0, {1}, {0}, true, {0}},
        {2, 2, {4, 8}, {4, 2}, false, {0, -1}}, {2, 2, {4, 8}, {8, 4}, false, {-1, -1}},
        {1, 2, {4}, {4, 8}, false, {0, -1}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int before[IR_MAX_RANK];
        struct ir_type from = ir_tile(IR_F32, cases[i].from_rank, cases[i].from);
        struct ir_type to = ir_tile(IR_F32, cases[i].to_rank, cases[i].to);
        assert_int_equal(ir_reshape_axes(from, to, before), cases[i].simple);
        for (int k = 0; k < to.rank; k++)
            assert_int_equal(before[k], cases[i].before[k]);
    }
}

/* ---- elements -------------------------------------------------------------------------------- */

static void expect_element(struct state *s, enum ir_elem elem, uint64_t bits, const char *expected)
{
    struct text text;
    uint64_t again;
    text_init(&text, &s->arena);
    ir_element_print(bits, elem, &text);
    assert_string_equal(text.items, expected);
    assert_true(ir_element_read(text.items, text.count, elem, &again));
    assert_int_equal(again, bits);
}

static void elements(void **state)
{
    struct state *s = *state;
    expect_element(s, IR_BOOL, 1, "true");
    expect_element(s, IR_I8, 0x80, "-128");
    expect_element(s, IR_I64, UINT64_C(1) << 63, "-9223372036854775808");
    expect_element(s, IR_U64, UINT64_MAX, "18446744073709551615");
    expect_element(s, IR_F32, 0x3f800000, "1.0");
    expect_element(s, IR_F32, 0x80000000, "-0.0");
    expect_element(s, IR_F32, 0x3dcccccd, "0.1");
    expect_element(s, IR_F32, 0x40490fdb, "3.1415927");
    expect_element(s, IR_F32, 0x7149f2ca, "1e30");
    expect_element(s, IR_F32, 0x33d6bf95, "1e-7");
    expect_element(s, IR_F32, 0x0da24260, "0x0da24260"); /* 1e-30: 10^30 is not exact */
    expect_element(s, IR_F32, 0x7fc00000, "nan");
    expect_element(s, IR_F32, 0xffc00000, "0xffc00000"); /* a NaN with a sign */
    expect_element(s, IR_F32, 0xff800000, "-inf");
    expect_element(s, IR_F16, 0x7bff, "65500.0"); /* the shortest that rounds to 65504 */
    expect_element(s, IR_F16, 0x0001, "6e-8");
    expect_element(s, IR_BF16, 0x3f80, "1.0");
    expect_element(s, IR_F64, 0x400921fb54442d18, "3.141592653589793");
    expect_element(s, IR_F64, 0x4341c37937e08000, "10000000000000000.0");
    expect_element(s, IR_F64, 0x4376345785d8a000, "1e17");
}

static void every_half_element(void **state)
{
    struct state *s = *state;
    for (uint32_t bits = 0; bits < 0x10000; bits++) {
        for (int k = 0; k < 2; k++) {
            struct text text;
            uint64_t again;
            text_init(&text, &s->arena);
            ir_element_print(bits, k ? IR_F16 : IR_BF16, &text);
            assert_true(ir_element_read(text.items, text.count, k ? IR_F16 : IR_BF16, &again));
            assert_int_equal(again, bits);
        }
    }
}

static void bad_elements(void **state)
{
    (void)state;
    static const struct {
        enum ir_elem elem;
        const char *text;
    } bad[] = {
        {IR_I8, "128"},
        {IR_I8, "-129"},
        {IR_U8, "256"},
        {IR_U8, "-1"},
        {IR_I32, ""},
        {IR_I32, "1.0"},
        {IR_BOOL, "1"},
        {IR_F32, "1e-30"},
        {IR_F32, "."},
        {IR_F32, "1.2.3"},
        {IR_F32, "e5"},
        {IR_F32, "1e"},
        {IR_F32, "1e99999"},
        {IR_F32, "+1"},
        {IR_F32, "-nan"},
        {IR_F16, "0x10000"},
        {IR_I64, "9223372036854775808"},
        {IR_U64, "18446744073709551616"},
        {IR_F64, "0.12345678901234567890123"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint64_t bits;
        if (ir_element_read(bad[i].text, strlen(bad[i].text), bad[i].elem, &bits))
            fail_msg("'%s' was read", bad[i].text);
    }
}

/* ---- what is refused ------------------------------------------------------------------------- */

static struct ir_func *read(struct state *s, const char *text)
{
    struct source_file *file = ARENA_NEW(&s->arena, struct source_file);
    *file = (struct source_file){"test.ir", text, strlen(text)};
    s->diagnostics.count = s->diagnostics.error_count = 0;
    return ir_read(&s->arena, &s->diagnostics, file);
}

/* Bodies of func @f(%p: ptr<f32>, %n: i64, %x: f32, %c: bool), with the first error each gives. */
static const struct {
    const char *body, *message;
} refused[] = {
    /* the reader */
    {"%a = frob %n : i64", "unknown op 'frob'"},
    {"%a = add %n, %y : i64", "unknown value '%y'"},
    {"%n = add %n, %n : i64", "'%n' is defined twice"},
    {"%a = add %n, %n : i65", "unknown type 'i65'"},
    {"%a = add %n, %n", "expected ':'"},
    {"add %n, %n : i64", "expected an op"},
    {"%a = constant {1.5} : i64", "not a number of type i64 that can be read exactly"},
    {"%a = constant : i64", "expected '{'"},
    {"%a = broadcast %n : i64[0]", "expected an integer from 1 to 1048576"},
    {"%a = broadcast %n : i64[1024, 1025]", "more than 1048576 elements"},
    {"%a = broadcast %n : i64[1, 1, 1, 1, 1, 1, 1]", "more than 6 axes"},
    {"%a, %b = split %n : i64", "expected '('"},
    {"%a = sum {axis 1000} %n : i64", "expected an integer from -1 to 6"},
    {"print {\"a} %n", "expected a quoted string"},
    {"print {\"\\q\"} %n", "string with a bad escape or a NUL"},
    {"print {\"\\x00\"} %n", "string with a bad escape or a NUL"},
    {"return # ", "expected an op"},
    /* structure */
    {"%a = add %n, %n : i64", "function 'f': a region without a terminator"},
    {"return return", "'return': is not the last op of its region"},
    {"if %c { yield } else { } return", "'if': a region without a terminator"},
    {"%a = add %n : i64 return", "'add': 1 operands, expected 2"},
    {"%a = scan {axis 0} %n by (%u, %v) : i64 { yield %u } return", "'scan': axis 0 of i64"},
    /* visibility */
    {"if %c { %a = add %n, %n : i64 yield } else { yield } %b = neg %a : i64 return",
     "'neg': operand 0 is not defined where it is used"},
    /* types */
    {"%a = add %n, %x : i64 return", "'add': operand 1 has type f32, expected i64"},
    {"%a = add %n, %n : f32 return", "'add': result 0 has type f32, expected i64"},
    {"%a, %b = add %n, %n : (i64, i64) return", "'add': 2 results, expected 1"},
    {"%a = rem %x, %x : f32 return", "'rem': not allowed on f32"},
    {"%a = sqrt %n : i64 return", "'sqrt': not allowed on i64"},
    {"%a = not %x : f32 return", "'not': not allowed on f32"},
    {"%h = cast %x : f16 %a = fma %h, %h, %h : f16 return", "'fma': not allowed on f16"},
    {"%a = lt %p, %p : bool return", "'lt': not allowed on pointers"},
    {"%a = select %n, %x, %x : f32 return", "'select': operand 0 has type i64, expected bool"},
    {"%a = cast %x : f32 return", "'cast': from f32 to f32"},
    {"%a = cast %p : i64 return", "'cast': from ptr<f32> to i64"},
    {"%a = bitcast %x : i64 return", "'bitcast': from f32 to i64"},
    {"%a = addptr %n, %n : i64 return", "'addptr': operand 0 has type i64, expected a pointer"},
    {"%a = constant {2} : u8 %b = constant {0x02} : bool return",
     "'constant': bits do not fit in bool"},
    {"%a = arange {4 to 4} : i64[1] return", "'arange': from 4 to 4"},
    {"%a = arange {0 to 4} : i64[5] return", "'arange': result 0 has type i64[5], expected i64[4]"},
    {"%a = arange {0 to 9223372036854775807} : i64[1] return",
     "'arange': from 0 to 9223372036854775807"},
    {"%a = arange {0 to 4 layout \"L\" bits 0 0 xor 0 per_thread 1} : i64[4] return",
     "'arange': a layout whose bits are no permutation"},
    {"%a = arange {0 to 4 layout \"L\" bits 0 xor 0 per_thread 1} : i64[4] return",
     "'arange': a layout that does not fit 4 elements"},
    {"%a = program_id {axis 3} : i64 return", "'program_id': axis 3"},
    {"%a = broadcast %x : f32[2, 3] %b = broadcast %a : f32[2, 4] return",
     "'broadcast': from f32[2, 3] to f32[2, 4]"},
    {"%a = broadcast %x : f32[2, 3] %b = reshape %a : f32[5] return",
     "'reshape': from f32[2, 3] to f32[5]"},
    {"%a = broadcast %x : f32[2, 3] %b = trans {0 0} %a : f32[2, 3] return",
     "'trans': axes are no permutation"},
    {"%a = broadcast %x : f32[3] %b, %d = split %a : (f32, f32) return",
     "'split': the last axis of f32[3] is not 2"},
    {"%a = load %n : f32 return", "'load': operand 0 has type i64, expected a pointer"},
    {"%a = load %p, %c : f32 return", "'load': a mask without a value for what is masked off"},
    {"store %p, %n return", "'store': operand 1 has type i64, expected f32"},
    {"%a = atomic_add %p, %x, %n : f32 return",
     "'atomic_add': operand 2 has type i64, expected bool"},
    {"%a = atomic_or %p, %x : f32 return", "'atomic_or': not allowed on f32"},
    {"%a = view_load {rank 2} %p, %n, %n, %n, %x : f32[4] return",
     "'view_load': 5 operands for a view of rank 2"},
    {"%a = view_load {rank 1} %p, %n, %n, %n, %x : f32[4, 4] return",
     "'view_load': a tile of type f32[4, 4] through a view of f32 and rank 1"},
    {"%a = sum {axis -1} %c : bool return", "'sum': not allowed on bool"},
    {"%a = max {axis 0} %n : i64 return", "'max': axis 0 of i64"},
    {"%a = broadcast %x : f32[2, 3] %b = dot %a, %a, %a : f32[2, 3] return",
     "'dot': of f32[2, 3], f32[2, 3] and f32[2, 3]"},
    /* control */
    {"if %n { yield } else { yield } return", "'if': operand 0 has type i64, expected bool"},
    {"%a = if %c : f32 { yield %x } else { yield } return", "'yield': 0 operands, expected 1"},
    {"%a = if %c : f32 { yield %x } else { yield %n } return",
     "'yield': operand 0 has type i64, expected f32"},
    {"for %i = %n to %n step %x { yield } return", "'for': operand 2 has type f32, expected i64"},
    {"%a = for %i = %n to %n step %n carry (%b = %x) : i64 { yield %b } return",
     "'for': result 0 has type i64, expected f32"},
    {"for %i = %n to %n step %n carry (%b = %x) { yield %b } return",
     "'for': 0 results, expected 1"},
    {"while { yield } do { yield } return", "'yield': ends a region that 'condition' should end"},
    {"while { condition %n } do { yield } return",
     "'condition': operand 0 has type i64, expected bool"},
    {"if %c { return } else { yield } return", "'return': ends a region that 'yield' should end"},
    {"yield", "'yield': ends a function"},
    {"return %n", "'return': 1 values, expected 0"},
    {"assert {\"\"} %n return", "'assert': operand 0 has type i64, expected bool"},
    {"%a = broadcast %x : f32[4] %b = scan {axis 0} %a by (%u, %v) : f32[4] "
     "{ store %p, %u yield %u } return",
     "'scan': 'store' inside, which is not pure"},
};

static void refusals(void **state)
{
    struct state *s = *state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char *text = arena_format(
            &s->arena, "func @f(%%p: ptr<f32>, %%n: i64, %%x: f32, %%c: bool) {\n%s\n}\n",
            refused[i].body);
        if (read(s, text))
            fail_msg("'%s' was read", refused[i].body);
        const char *message = s->diagnostics.items[0].message;
        if (strcmp(message, refused[i].message) != 0)
            fail_msg("'%s' gives\n%s\nnot\n%s", refused[i].body, message, refused[i].message);
    }
}

static void refused_functions(void **state)
{
    struct state *s = *state;
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"", "expected 'func'"},
        {"func f() { return }", "expected a name such as @kernel"},
        {"func @f() { return } junk", "expected the end of the file"},
        {"func @f(%a: f32[4]) { return }",
         "function 'f': parameter 0 is neither a scalar nor a pointer"},
        {"func @f(%a: f32, %a.1: f32) { return }",
         "function 'f': parameters 0 and 1 are both called 'a'"},
        {"func @f(%p: ptr<f32>) -> (i64) { return %p }",
         "function 'f': parameter 0 of a host function is a pointer"},
        {"func @f() -> (i64) { %a = program_id {axis 0} : i64 return %a }",
         "'program_id': not allowed in a host function"},
        {"func @f() -> (i64) { %a = arange {0 to 4} : i64[4] %b = sum {axis 0} %a : i64 return %b "
         "}",
         "'arange': a tile in a host function"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_null(read(s, bad[i].text));
        assert_string_equal(s->diagnostics.items[0].message, bad[i].message);
    }
}

static void deep_nest(void **state)
{
    struct state *s = *state;
    struct text text;
    text_init(&text, &s->arena);
    text_string(&text, "func @f(%c: bool) {");
    for (int i = 0; i < 100000; i++)
        text_string(&text, " if %c {");
    assert_null(read(s, text.items));
    assert_non_null(strstr(s->diagnostics.items[0].message, "nested too deeply"));
}

/* ---- broken links and removed values --------------------------------------------------------- */

static void removed_value(void **state)
{
    struct state *s = *state;
    struct ir_func *func =
        read(s, "func @f(%n: i64) { %a = neg %n : i64 %b = neg %a : i64 return }");
    assert_non_null(func);
    ir_remove(func->body->first);
    assert_false(ir_verify(func, &s->diagnostics));
    assert_string_equal(s->diagnostics.items[0].message,
                        "'neg': operand 0 is not defined where it is used");
}

static void use_before_definition(void **state)
{
    struct state *s = *state;
    struct ir_func *func =
        read(s, "func @f(%n: i64) { %a = neg %n : i64 %b = neg %a : i64 return }");
    ir_move_before(func->body->first->next, func->body->first);
    assert_false(ir_verify(func, &s->diagnostics));
}

static void broken_links(void **state)
{
    struct state *s = *state;
    struct ir_func *func = read(s, "func @f(%n: i64) { %a = neg %n : i64 return }");
    func->body->first->next = func->body->first;
    assert_false(ir_verify(func, &s->diagnostics));
    func = read(s, "func @f(%n: i64) { %a = neg %n : i64 return }");
    func->body->first->operands[0] = NULL;
    assert_false(ir_verify(func, &s->diagnostics));
    func = read(s, "func @f(%n: i64) { %a = neg %n : i64 return }");
    func->body->first->code = (enum ir_opcode)1000;
    assert_false(ir_verify(func, &s->diagnostics));
}

/* ---- kernels --------------------------------------------------------------------------------- */

static const char kernel_text[] =
    "func @scale(%X: const restrict ptr<f32>, %n: i32, %by: f32) {\n"
    "  return\n"
    "}\n"
    "\n"
    "grid func @scale.grid(%n: i32, %by: f32) -> (i64) {\n"
    "  %0 = constant {1} : i64\n"
    "  return %0\n"
    "}\n"
    "\n"
    "launch_require \"n \\\"small\\\"\\n\" func @\"odd name\"(%n: i32, %by: f32) -> (bool) {\n"
    "  %0 = constant {true} : bool\n"
    "  return %0\n"
    "}\n"
    "\n"
    "require threads = 256\n"
    "require variant = fast\n";

static struct ir_kernel *read_kernel(struct state *s, const char *text)
{
    struct source_file *file = ARENA_NEW(&s->arena, struct source_file);
    *file = (struct source_file){"kernel.ir", text, strlen(text)};
    s->diagnostics.count = s->diagnostics.error_count = 0;
    return ir_kernel_read(&s->arena, &s->diagnostics, file);
}

static void kernels(void **state)
{
    struct state *s = *state;
    struct ir_kernel *kernel = read_kernel(s, kernel_text);
    struct text text;
    assert_non_null(kernel);
    assert_string_equal(kernel->launch_requires[0].text, "n \"small\"\n");
    assert_string_equal(kernel->launch_requires[0].condition->name, "odd name");
    assert_int_equal(kernel->requirements[0].number, 256);
    assert_string_equal(kernel->requirements[1].word, "fast");
    text_init(&text, &s->arena);
    ir_kernel_print(kernel, &text);
    assert_string_equal(text.items, kernel_text);
}

static void refused_kernels(void **state)
{
    struct state *s = *state;
    assert_null(read_kernel(s, "func @f() { return } grid func @g() -> (f32) "
                               "{ %a = constant {1.0} : f32 return %a }"));
    assert_string_equal(s->diagnostics.items[0].message,
                        "function 'g': a grid has 1 to 3 results of type i64");
    assert_null(
        read_kernel(s, "func @f(%p: ptr<f32>, %n: i32) { return } grid func @g(%n: i64) -> (i64) "
                       "{ return %n }"));
    assert_string_equal(s->diagnostics.items[0].message,
                        "function 'g': parameters differ from the scalars of 'f'");
}

/* ---- copies ---------------------------------------------------------------------------------- */

static void clone_into_another_arena(void **state)
{
    struct state *s = *state;
    struct text before, after;
    struct ir_func *func = read(s, "func @f(%n: i64) { print {\"text\"} %n return }");
    text_init(&before, &s->arena);
    ir_print(func, &before);

    jmp_buf out_of_memory;
    struct arena other;
    arena_init(&other, allocator_default, &out_of_memory);
    struct ir_func *copy = ir_func_clone(&other, func);
    assert_ptr_not_equal(copy->name, func->name);
    assert_ptr_not_equal(copy->body->first->attributes.text, func->body->first->attributes.text);
    text_init(&after, &other);
    ir_print(copy, &after);
    assert_string_equal(after.items, before.items);
    arena_free(&other);
}

static void replacement_chains(void **state)
{
    struct state *s = *state;
    struct ir_func *func = read(
        s, "func @f(%n: i64) { %a = neg %n : i64 %b = neg %a : i64 %c = neg %b : i64 return }");
    struct ir_op *a = func->body->first, *b = a->next, *c = b->next;
    ir_replace(b->results[0], a->results[0]);
    ir_replace(a->results[0], func->body->arguments[0]);
    assert_ptr_equal(ir_current(b->results[0]), func->body->arguments[0]);
    ir_apply_replacements(func);
    assert_ptr_equal(c->operands[0], func->body->arguments[0]);
    assert_null(b->results[0]->replaced_by);
}

/* ---- ranges and affine forms ----------------------------------------------------------------- */

static const struct ir_value *last_value(const struct ir_func *func)
{
    return func->body->last->previous->results[0];
}

static void affine_form(void **state)
{
    struct state *s = *state;
    struct ir_func *func = read(
        s, "func @f(%n: i32) {\n"
           "%w = cast %n : i64 %c = constant {3} : i64 %m = mul %w, %c : i64\n"
           "%t = broadcast %m : i64[4, 8] %k = arange {2 to 10} : i64[8]\n"
           "%r = reshape %k : i64[1, 8] %d = broadcast %r : i64[4, 8] %u = add %t, %d : i64[4, 8]\n"
           "%v = sub %u, %t : i64[4, 8] %z = add %u, %v : i64[4, 8] return }");
    struct ir_affine form;
    assert_true(ir_affine_of(last_value(func), NULL, &form));
    assert_int_equal(form.term_count, 1);
    assert_ptr_equal(form.terms[0].value, func->body->arguments[0]);
    assert_int_equal(form.terms[0].factor, 3);
    assert_int_equal(form.constant, 4);
    assert_int_equal(form.axis[0], 0);
    assert_int_equal(form.axis[1], 2);
    assert_int_equal(form.range.least, -3 * (INT64_C(1) << 31) + 4);
}

/* Where arithmetic may wrap there is no form for a tile, and a scalar is only itself. */
static void no_affine_form(void **state)
{
    struct state *s = *state;
    struct ir_affine form;
    struct ir_func *func = read(s, "func @f(%n: i64) { %a = add %n, %n : i64 return }");
    assert_true(ir_affine_of(last_value(func), NULL, &form));
    assert_ptr_equal(form.terms[0].value, last_value(func));
    func = read(s, "func @f(%n: i64) { %b = broadcast %n : i64[4] %k = arange {0 to 4} : i64[4] "
                   "%a = add %b, %k : i64[4] return }");
    assert_false(ir_affine_of(last_value(func), NULL, &form));
    struct ir_assumption small = {func->body->arguments[0], {0, 1000}};
    assert_true(ir_affine_of(last_value(func), &small, &form));
    assert_int_equal(form.range.most, 1003);
    func = read(s, "func @f(%n: i32) { %b = broadcast %n : i32[4] %a = add %b, %b : i32[4] "
                   "%c = cast %a : i64[4] return }");
    assert_false(ir_affine_of(last_value(func), NULL, &form));
}

/* A sum doubled 200 times: the question has to end, and the answer to be right. */
static void bounded_work(void **state)
{
    struct state *s = *state;
    struct text text;
    text_init(&text, &s->arena);
    text_string(&text, "func @f(%n: i64) { %a0 = add %n, %n : i64");
    for (int i = 0; i < 200; i++)
        text_format(&text, " %%a%d = add %%a%d, %%a%d : i64", i + 1, i, i);
    text_string(&text, " return }");
    struct ir_func *func = read(s, text.items);
    struct ir_affine form;
    assert_non_null(func);
    assert_true(ir_affine_of(last_value(func), NULL, &form));
    assert_int_equal(ir_range(last_value(func)).least, INT64_MIN);
}

static void ranges(void **state)
{
    struct state *s = *state;
    static const struct {
        const char *ops;
        int64_t least, most;
    } cases[] = {
        {"%a = cast %n : i64", INT32_MIN, INT32_MAX},
        {"%a = program_id {axis 0} : i64", 0, (INT64_C(1) << 47) - 1},
        {"%c = constant {7} : i64 %a = rem %m, %c : i64", -6, 6},
        {"%c = constant {7} : i64 %d = and %m, %c : i64 %a = rem %d, %c : i64", 0, 6},
        {"%c = constant {0} : i64 %a = rem %m, %c : i64", INT64_MIN, INT64_MAX},
        {"%c = constant {63} : i64 %a = and %m, %c : i64", 0, 63},
        {"%a = constant {-5} : i8", -5, -5},
        {"%c = constant {4} : i64 %b = cast %u : i64 %a = div %b, %c : i64", 0, 63},
        {"%c = constant {4} : i64 %b = cast %u : i64 %a = cdiv %b, %c : i64", 0, 64},
        {"%c = constant {4} : i64 %b = cast %n : i64 %a = shr %b, %c : i64", INT32_MIN / 16,
         INT32_MAX / 16},
        {"%c = constant {64} : i64 %b = cast %u : i64 %a = shr %b, %c : i64", INT64_MIN, INT64_MAX},
        {"%b = cast %u : i64 %c = constant {9} : i64 %a = minimum %b, %c : i64", 0, 9},
        {"%b = cast %u : i64 %c = constant {9} : i64 %a = maximum %b, %c : i64", 9, 255},
        {"%a = add %m, %m : i64", INT64_MIN, INT64_MAX},
        {"%a = mul %u, %u : u8", 0, 255},
        {"%a = arange {3 to 9} : i64[6]", 3, 8},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ir_func *func =
            read(s, arena_format(&s->arena, "func @f(%%n: i32, %%m: i64, %%u: u8) { %s return }",
                                 cases[i].ops));
        assert_non_null(func);
        struct ir_interval range = ir_range(last_value(func));
        if (range.least != cases[i].least || range.most != cases[i].most)
            fail_msg("%s: %lld to %lld", cases[i].ops, (long long)range.least,
                     (long long)range.most);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(axes_of_reshapes),
        TEST(elements),
        TEST(every_half_element),
        TEST(bad_elements),
        TEST(refusals),
        TEST(refused_functions),
        TEST(deep_nest),
        TEST(removed_value),
        TEST(use_before_definition),
        TEST(broken_links),
        TEST(kernels),
        TEST(refused_kernels),
        TEST(clone_into_another_arena),
        TEST(replacement_chains),
        TEST(affine_form),
        TEST(no_affine_form),
        TEST(bounded_work),
        TEST(ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
