/*
 * The interpreter on small pieces of Tile IR: what ops mean, which faults it finds and how it words
 * them, and how far it allows another target to be off.
 */
#include "interp/interp.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

struct fixture {
    jmp_buf out_of_memory;
    struct arena arena;
    struct diagnostics diagnostics;
    struct interp_argument arguments[6];
    int argument_count;
    struct interp_options options;
    struct text printed;
};

static int begin(void **state)
{
    struct fixture *f = test_calloc(1, sizeof *f);
    arena_init(&f->arena, allocator_default, &f->out_of_memory);
    diagnostics_init(&f->diagnostics, &f->arena);
    text_init(&f->printed, &f->arena);
    f->options = (struct interp_options){.grid = {1, 1, 1}, .check = true};
    *state = f;
    return 0;
}

static int end(void **state)
{
    struct fixture *f = *state;
    arena_free(&f->arena);
    test_free(f);
    return 0;
}

static void add_buffer(struct fixture *f, void *data, int64_t elements)
{
    f->arguments[f->argument_count++] =
        (struct interp_argument){.data = data, .elements = elements};
}

static void add_scalar(struct fixture *f, uint64_t bits)
{
    f->arguments[f->argument_count++] = (struct interp_argument){.bits = bits};
}

static struct ir_func *read_ir(struct fixture *f, const char *signature, const char *body)
{
    struct source_file *file = ARENA_NEW(&f->arena, struct source_file);
    file->name = "test.ir";
    file->text = arena_format(&f->arena, "func @k(%s) {\n%s  return\n}\n", signature, body);
    file->length = strlen(file->text);
    struct ir_func *func = ir_read(&f->arena, &f->diagnostics, file);
    if (!func)
        fail_msg("%s", f->diagnostics.items[0].message);
    return func;
}

/* Runs the body, closed by a return, on the arguments added so far. */
static bool run(struct fixture *f, const char *signature, const char *body)
{
    return interp_run(read_ir(f, signature, body), f->arguments, &f->options, &f->arena,
                      &f->diagnostics);
}

/* The run must find exactly this. */
static void expect_fault(struct fixture *f, const char *signature, const char *body,
                         const char *message)
{
    assert_false(run(f, signature, body));
    assert_int_equal(f->diagnostics.count, 1);
    assert_string_equal(f->diagnostics.items[0].message, message);
}

/* ---- what ops mean -------------------------------------------------------------------------- */

/* Defines %p, the addresses of the first n elements of %Out. */
#define OUT(n, elem)                                                                               \
    "  %o = broadcast %Out : ptr<" elem ">[" #n "]\n"                                              \
    "  %oi = arange {0 to " #n "} : i64[" #n "]\n"                                                 \
    "  %p = addptr %o, %oi : ptr<" elem ">[" #n "]\n"

static void check_i64(void **state, const char *body, int64_t count, const int64_t *expected)
{
    struct fixture *f = *state;
    int64_t out[16];
    memset(out, 0x55, sizeof out);
    f->argument_count = 0;
    add_buffer(f, out, count);
    if (!run(f, "%Out: ptr<i64>", body))
        fail_msg("%s", f->diagnostics.items[0].message);
    assert_memory_equal(out, expected, (size_t)count * sizeof *out);
}

static void shapes(void **state)
{
    check_i64(state,
              OUT(6, "i64") "  %a = arange {1 to 7} : i64[6]\n"
                            "  %b = reshape %a : i64[2, 3]\n"
                            "  %c = trans {1 0} %b : i64[3, 2]\n"
                            "  %d = reshape %c : i64[6]\n"
                            "  store %p, %d\n",
              6, (int64_t[]){1, 4, 2, 5, 3, 6});
    check_i64(state,
              OUT(6, "i64") "  %a = arange {1 to 4} : i64[3]\n"
                            "  %b = reshape %a : i64[3, 1]\n"
                            "  %c = broadcast %b : i64[3, 2]\n"
                            "  %d = reshape %c : i64[6]\n"
                            "  store %p, %d\n",
              6, (int64_t[]){1, 1, 2, 2, 3, 3});
    check_i64(state,
              OUT(4, "i64") "  %a = arange {0 to 2} : i64[2]\n"
                            "  %b = arange {5 to 7} : i64[2]\n"
                            "  %c = join %a, %b : i64[2, 2]\n"
                            "  %x, %y = split %c : (i64[2], i64[2])\n"
                            "  %e = join %y, %x : i64[2, 2]\n"
                            "  %d = reshape %e : i64[4]\n"
                            "  store %p, %d\n",
              4, (int64_t[]){5, 0, 6, 1});
    check_i64(state,
              OUT(4, "i64") "  %a = arange {10 to 16} : i64[6]\n"
                            "  %b = reshape %a : i64[3, 2]\n"
                            "  %i = constant {2} : i64[2, 2]\n"
                            "  %c = gather {axis 0} %b, %i : i64[2, 2]\n"
                            "  %d = reshape %c : i64[4]\n"
                            "  store %p, %d\n",
              4, (int64_t[]){14, 15, 14, 15});
}

static void reductions(void **state)
{
    check_i64(state,
              OUT(3, "i64") "  %a = arange {1 to 7} : i64[6]\n"
                            "  %b = reshape %a : i64[2, 3]\n"
                            "  %s = sum {axis 0} %b : i64[3]\n"
                            "  store %p, %s\n",
              3, (int64_t[]){5, 7, 9});
    check_i64(state,
              OUT(2, "i64") "  %a = arange {1 to 7} : i64[6]\n"
                            "  %b = reshape %a : i64[2, 3]\n"
                            "  %s = prod {axis 1} %b : i64[2]\n"
                            "  store %p, %s\n",
              2, (int64_t[]){6, 120});
    check_i64(state,
              "  %a = arange {-3 to 3} : i64[6]\n"
              "  %b = abs %a : i64[6]\n"
              "  %s = min {axis -1} %b : i64\n"
              "  store %Out, %s\n",
              1, (int64_t[]){0});
    check_i64(state,
              OUT(4, "i64") "  %a = arange {1 to 5} : i64[4]\n"
                            "  %s = cumsum {axis 0 exclusive} %a : i64[4]\n"
                            "  store %p, %s\n",
              4, (int64_t[]){0, 1, 3, 6});
    check_i64(state,
              OUT(4, "i64") "  %a = arange {1 to 5} : i64[4]\n"
                            "  %s = scan {axis 0} %a by (%x, %y) : i64[4] {\n"
                            "    %z = mul %x, %y : i64\n"
                            "    yield %z\n"
                            "  }\n"
                            "  store %p, %s\n",
              4, (int64_t[]){1, 2, 6, 24});
}

static void argmax_order(void **state)
{
    struct fixture *f = *state;
    float in[8] = {-0.0f, 0.0f, 0.0f, -1.0f, 1.0f, NAN, 7.0f, NAN};
    int64_t out[4];
    add_buffer(f, out, 4);
    add_buffer(f, in, 8);
    assert_true(run(f, "%Out: ptr<i64>, %X: ptr<f32>",
                    OUT(4, "i64") "  %x = broadcast %X : ptr<f32>[8]\n"
                                  "  %i = arange {0 to 8} : i64[8]\n"
                                  "  %q = addptr %x, %i : ptr<f32>[8]\n"
                                  "  %v = load %q : f32[8]\n"
                                  "  %w = reshape %v : f32[2, 4]\n"
                                  "  %a = argmax {axis 1} %w : i64[2]\n"
                                  "  %b = argmin {axis 1} %w : i64[2]\n"
                                  "  %c = join %a, %b : i64[2, 2]\n"
                                  "  %d = reshape %c : i64[4]\n"
                                  "  store %p, %d\n"));
    const int64_t expected[] = {1, 3, 1, 1}; /* +0.0 above -0.0; the first NaN */
    assert_memory_equal(out, expected, sizeof out);
}

static void control(void **state)
{
    /* A loop that swaps its values: parallel copies. 1, 2 -> after 3 trips 2, 1. */
    check_i64(state,
              "  %z = constant {0} : i64\n"
              "  %one = constant {1} : i64\n"
              "  %two = constant {2} : i64\n"
              "  %three = constant {3} : i64\n"
              "  %a, %b = for %i = %z to %three step %one carry (%x = %one, %y = %two)"
              " : (i64, i64) {\n"
              "    yield %y, %x\n"
              "  }\n"
              "  %q = addptr %Out, %one : ptr<i64>\n"
              "  store %Out, %a\n"
              "  store %q, %b\n",
              2, (int64_t[]){2, 1});
    /* No trips: the initial value. A huge range with a huge step does not overflow. */
    check_i64(state,
              "  %lo = constant {-9223372036854775808} : i64\n"
              "  %hi = constant {9223372036854775807} : i64\n"
              "  %one = constant {1} : i64\n"
              "  %z = constant {0} : i64\n"
              "  %a = for %i = %hi to %lo step %one carry (%x = %one) : i64 {\n"
              "    yield %z\n"
              "  }\n"
              "  %b = for %j = %lo to %hi step %hi carry (%y = %a) : i64 {\n"
              "    %w = add %y, %one : i64\n"
              "    yield %w\n"
              "  }\n"
              "  store %Out, %b\n",
              1, (int64_t[]){4});
    check_i64(state,
              "  %z = constant {0} : i64\n"
              "  %one = constant {1} : i64\n"
              "  %ten = constant {10} : i64\n"
              "  %n, %s = while carry (%x = %z, %y = %z) : (i64, i64) {\n"
              "    %c = lt %x, %ten : bool\n"
              "    condition %c, %x, %y\n"
              "  } do (%x2, %y2) {\n"
              "    %u = add %x2, %one : i64\n"
              "    %v = add %y2, %u : i64\n"
              "    yield %u, %v\n"
              "  }\n"
              "  %c2 = eq %n, %ten : bool\n"
              "  %r = if %c2 : i64 {\n"
              "    yield %s\n"
              "  } else {\n"
              "    yield %z\n"
              "  }\n"
              "  store %Out, %r\n",
              1, (int64_t[]){55});
}

static void views(void **state)
{
    struct fixture *f = *state;
    int32_t in[6] = {1, 2, 3, 4, 5, 6}, out[6] = {0};
    add_buffer(f, out, 6);
    add_buffer(f, in, 6);
    /* A 2 x 3 view read at (-1, 1): a row and a column lie outside. */
    assert_true(run(f, "%Out: ptr<i32>, %X: ptr<i32>",
                    "  %r = constant {2} : i64\n"
                    "  %c = constant {3} : i64\n"
                    "  %one = constant {1} : i64\n"
                    "  %minus = constant {-1} : i64\n"
                    "  %z = constant {0} : i64\n"
                    "  %fill = constant {9} : i32\n"
                    "  %t = view_load {rank 2} %X, %r, %c, %c, %one, %minus, %one, %fill"
                    " : i32[2, 3]\n"
                    "  view_store {rank 2} %Out, %r, %c, %c, %one, %z, %z, %t\n"));
    const int32_t expected[] = {9, 9, 9, 2, 3, 9};
    assert_memory_equal(out, expected, sizeof out);
}

static void dot_and_host(void **state)
{
    struct fixture *f = *state;
    float out[4];
    add_buffer(f, out, 4);
    assert_true(run(f, "%Out: ptr<f32>",
                    OUT(4, "f32") "  %a = constant {2.0} : f16[2, 3]\n"
                                  "  %b = constant {0.5} : f16[3, 2]\n"
                                  "  %c = constant {1.0} : f32[2, 2]\n"
                                  "  %d = dot %a, %b, %c : f32[2, 2]\n"
                                  "  %e = reshape %d : f32[4]\n"
                                  "  store %p, %e\n"));
    for (int i = 0; i < 4; i++)
        assert_true(out[i] == 4.0f);

    static const char grid[] = "func @grid(%n: i32) -> (i64, i64) {\n"
                               "  %b = constant {16} : i32\n"
                               "  %q = cdiv %n, %b : i32\n"
                               "  %r = cast %q : i64\n"
                               "  %one = constant {1} : i64\n"
                               "  return %r, %one\n"
                               "}\n";
    struct source_file file = {"grid.ir", grid, sizeof grid - 1};
    struct ir_func *func = ir_read(&f->arena, &f->diagnostics, &file);
    assert_non_null(func);
    uint64_t n = 33, results[2];
    assert_true(interp_host(func, &n, results, &f->arena, &f->diagnostics));
    assert_int_equal(results[0], 3);
    assert_int_equal(results[1], 1);
}

/* ---- faults --------------------------------------------------------------------------------- */

static void outside(void **state)
{
    struct fixture *f = *state;
    float both[8] = {0}; /* %X is the first half: the second is memory, but not its own */
    add_buffer(f, both, 4);
    add_buffer(f, both + 4, 4);
    f->options.grid[0] = 2;
    expect_fault(f, "%X: ptr<f32>, %Y: ptr<f32>",
                 "  %x = broadcast %X : ptr<f32>[2, 3]\n"
                 "  %i = arange {0 to 6} : i64[6]\n"
                 "  %r = reshape %i : i64[2, 3]\n"
                 "  %q = addptr %x, %r : ptr<f32>[2, 3]\n"
                 "  %v = load %q : f32[2, 3]\n",
                 "load outside 'X': offset 4, but it has 4 elements, in program (0, 0, 0), "
                 "element [1, 1] (and 3 more times)");
    assert_int_equal(
        source_locate(f->diagnostics.items[0].range.file, f->diagnostics.items[0].range.begin).line,
        6);
}

static void outside_by_far(void **state)
{
    struct fixture *f = *state;
    float x = 0;
    add_buffer(f, &x, 1);
    expect_fault(f, "%X: ptr<f32>",
                 "  %i = constant {9223372036854775807} : i64\n"
                 "  %q = addptr %X, %i : ptr<f32>\n"
                 "  %r = addptr %q, %i : ptr<f32>\n"
                 "  %v = constant {1.0} : f32\n"
                 "  store %r, %v\n",
                 "store outside 'X': offset 140737488355327 or beyond, but it has 1 element, in program "
                 "(0, 0, 0)");
    assert_true(x == 0);
}

static void masks_make_safe(void **state)
{
    struct fixture *f = *state;
    int32_t x[2] = {1, 2};
    add_buffer(f, x, 2);
    assert_true(run(f, "%X: ptr<i32>",
                    "  %x = broadcast %X : ptr<i32>[4]\n"
                    "  %i = arange {0 to 4} : i64[4]\n"
                    "  %q = addptr %x, %i : ptr<i32>[4]\n"
                    "  %two = constant {2} : i64[4]\n"
                    "  %m = lt %i, %two : bool[4]\n"
                    "  %z = constant {5} : i32[4]\n"
                    "  %v = load %q, %m, %z : i32[4]\n"
                    "  %w = add %v, %v : i32[4]\n"
                    "  store %q, %w, %m\n"));
    assert_int_equal(x[0], 2);
    assert_int_equal(x[1], 4);
}

static void unwritten(void **state)
{
    struct fixture *f = *state;
    float x[2] = {0};
    const uint8_t initialised[] = {1, 0};
    add_buffer(f, x, 2);
    f->arguments[0].initialised = initialised;
    expect_fault(f, "%X: ptr<f32>",
                 "  %one = constant {1} : i64\n"
                 "  %q = addptr %X, %one : ptr<f32>\n"
                 "  %a = load %X : f32\n"
                 "  %b = load %q : f32\n"
                 "  store %q, %a\n"
                 "  %c = load %q : f32\n",
                 "read of 'X'[1], which nobody wrote, in program (0, 0, 0)");
}

static void races(void **state)
{
    struct fixture *f = *state;
    float x[4] = {0};
    add_buffer(f, x, 4);
    f->options.grid[0] = 2;
    f->options.grid[1] = 2;
    const char *write_one = "  %v = constant {1.0} : f32\n"
                            "  store %X, %v\n";
    expect_fault(f, "%X: ptr<f32>", write_one,
                 "race: writes 'X'[0], which program (0, 0, 0) writes, in program (1, 0, 0) "
                 "(and 2 more times)");
    f->diagnostics.count = 0;
    f->options.grid[1] = 1;
    expect_fault(f, "%X: ptr<f32>",
                 "  %i = program_id {axis 0} : i64\n"
                 "  %q = addptr %X, %i : ptr<f32>\n"
                 "  %a = load %X : f32\n"
                 "  store %q, %a\n",
                 "race: reads 'X'[0], which program (0, 0, 0) writes, in program (1, 0, 0)");
}

static void race_through_two_names(void **state)
{
    struct fixture *f = *state;
    uint32_t x[2] = {0};
    add_buffer(f, x, 2);
    add_buffer(f, (unsigned char *)x + 4, 4); /* the bytes of x[1] */
    f->options.grid[0] = 2;
    expect_fault(f, "%X: ptr<u32>, %Y: ptr<u8>",
                 "  %i = program_id {axis 0} : i64\n"
                 "  %one = constant {1} : i64\n"
                 "  %first = lt %i, %one : bool\n"
                 "  %byte = constant {7} : u8\n"
                 "  %word = constant {7} : u32\n"
                 "  %q = addptr %X, %one : ptr<u32>\n"
                 "  if %first {\n"
                 "    store %Y, %byte\n"
                 "    yield\n"
                 "  } else {\n"
                 "    store %q, %word\n"
                 "    yield\n"
                 "  }\n",
                 "race: writes 'X'[1], which program (0, 0, 0) writes, in program (1, 0, 0)");
}

static void atomics_do_not_race(void **state)
{
    struct fixture *f = *state;
    int32_t x[1] = {5};
    add_buffer(f, x, 1);
    f->options.grid[0] = 4;
    assert_true(run(f, "%X: ptr<i32>",
                    "  %q = broadcast %X : ptr<i32>[3]\n"
                    "  %v = constant {2} : i32[3]\n"
                    "  %old = atomic_add %q, %v : i32[3]\n"));
    assert_int_equal(x[0], 29);
    /* Beside plain reads they do, seen from both sides. */
    assert_false(run(f, "%X: ptr<i32>",
                     "  %v = constant {2} : i32\n"
                     "  %old = atomic_max %X, %v : i32\n"
                     "  %a = load %X : i32\n"));
    assert_int_equal(f->diagnostics.count, 2);
    assert_string_equal(f->diagnostics.items[1].message,
                        "race: reads 'X'[0], which several programs write, in program (1, 0, 0) "
                        "(and 2 more times)");
}

static void arithmetic_faults(void **state)
{
    struct fixture *f = *state;
    add_scalar(f, 0x7fffffff);
    expect_fault(f, "%n: i32",
                 "  %one = constant {1} : i32\n"
                 "  %a = add %n, %one : i32\n",
                 "signed overflow: add(2147483647, 1) of i32 in program (0, 0, 0)");
    f->diagnostics.count = 0;
    expect_fault(f, "%n: i32",
                 "  %i = constant {0} : i32[3]\n"
                 "  %b = broadcast %n : i32[3]\n"
                 "  %a = div %b, %i : i32[3]\n",
                 "integer division by zero: div(2147483647, 0) of i32 in program (0, 0, 0), "
                 "element [0]");
    f->diagnostics.count = 0;
    expect_fault(f, "%n: i32",
                 "  %c = constant {-1} : i32\n"
                 "  %a = shl %n, %c : i32\n",
                 "shift count out of range: shl(2147483647, -1) of i32 in program (0, 0, 0)");
    f->diagnostics.count = 0;
    f->options.check = false;
    assert_true(run(f, "%n: i32",
                    "  %c = constant {-1} : i32\n"
                    "  %a = shl %n, %c : i32\n"));
}

static void bad_buffers(void **state)
{
    struct fixture *f = *state;
    _Alignas(8) unsigned char bytes[16] = {0};
    const char *nothing = "";
    add_buffer(f, NULL, 4);
    expect_fault(f, "%X: ptr<f32>", nothing, "buffer 'X' is null");
    f->diagnostics = (struct diagnostics){.arena = &f->arena};
    f->arguments[0].elements = 0;
    assert_true(run(f, "%X: ptr<f32>", nothing));
    f->arguments[0] = (struct interp_argument){.data = bytes + 2, .elements = 2};
    expect_fault(f, "%X: ptr<f32>", nothing,
                 "buffer 'X' is not aligned: elements of f32 need a multiple of 4 bytes");
    f->diagnostics = (struct diagnostics){.arena = &f->arena};
    f->arguments[0] = (struct interp_argument){.data = bytes, .elements = 3};
    f->argument_count = 1;
    add_buffer(f, bytes + 8, 2);
    expect_fault(f, "%X: restrict ptr<f32>, %Y: ptr<f32>", nothing,
                 "buffers 'X' and 'Y' overlap, but 'X' is restrict");
    f->diagnostics = (struct diagnostics){.arena = &f->arena};
    f->arguments[0].elements = 2;
    assert_true(run(f, "%X: restrict ptr<f32>, %Y: ptr<f32>", nothing));
}

static void asserts_and_limits(void **state)
{
    struct fixture *f = *state;
    expect_fault(f, "",
                 "  %i = arange {0 to 3} : i64[3]\n"
                 "  %two = constant {2} : i64[3]\n"
                 "  %c = lt %i, %two : bool[3]\n"
                 "  assert {\"small\"} %c\n",
                 "assertion failed: small, in program (0, 0, 0), element [2]");
    f->diagnostics.count = 0;
    f->options.step_limit = 1000;
    f->options.check = false;
    expect_fault(f, "",
                 "  %t = constant {true} : bool\n"
                 "  while {\n"
                 "    condition %t\n"
                 "  } do {\n"
                 "    yield\n"
                 "  }\n",
                 "the limit of 1000 operations was reached in program (0, 0, 0)");
}

static void append_printed(void *user, const char *text, size_t length)
{
    text_append(user, text, length);
}

static void prints(void **state)
{
    struct fixture *f = *state;
    f->options.print = append_printed;
    f->options.user = &f->printed;
    assert_true(run(f, "",
                    "  %i = arange {0 to 4} : i64[4]\n"
                    "  %r = reshape %i : i64[2, 2]\n"
                    "  %x = constant {0.5} : f16\n"
                    "  print {\"x:\"} %x\n"
                    "  print {\"r\"} %r\n"));
    assert_string_equal(f->printed.items, "program (0, 0, 0): x: 0.5\n"
                                          "program (0, 0, 0): r [[0, 1], [2, 3]]\n");
}

static void nothing_to_do(void **state)
{
    struct fixture *f = *state;
    add_buffer(f, NULL, 5);
    f->options.grid[1] = 0;
    assert_true(run(f, "%X: ptr<f32>", "  %a = load %X : f32\n"));
    f->options.grid[0] = f->options.grid[1] = 1 << 20;
    assert_false(run(f, "%X: ptr<f32>", "  %a = load %X : f32\n"));
}

/* ---- bounds --------------------------------------------------------------------------------- */

/* What is allowed for the one element that the body stores to %Out, given four floats in %X, loaded
 * as %v. */
static double allowed_for(void **state, const char *out_elem, const float *x, const char *body)
{
    struct fixture *f = *state;
    double allowed[1] = {-1};
    float in[4];
    uint64_t out = 0;
    struct interp_bound bounds[2] = {{allowed}, {NULL}};
    memcpy(in, x, sizeof in);
    f->argument_count = 0;
    add_buffer(f, &out, 1);
    add_buffer(f, in, 4);
    f->options.bounds = bounds;
    f->options.check = false;
    assert_true(run(f, arena_format(&f->arena, "%%Out: ptr<%s>, %%X: ptr<f32>", out_elem),
                    arena_format(&f->arena,
                                 "  %%x = broadcast %%X : ptr<f32>[4]\n"
                                 "  %%i = arange {0 to 4} : i64[4]\n"
                                 "  %%q = addptr %%x, %%i : ptr<f32>[4]\n"
                                 "  %%v = load %%q : f32[4]\n%s",
                                 body)));
    return allowed[0];
}

static void bounds_of_sums(void **state)
{
    const char *sum = "  %s = sum {axis -1} %v : f32\n"
                      "  store %Out, %s\n";
    const float integers[4] = {3, -8, 1000, 12345}, fractions[4] = {0.1f, 1, 1e6f, -3};
    const float special[4] = {1, INFINITY, 0.1f, 5}, huge[4] = {3e38f, 3e38f, -3e38f, 0};
    assert_true(allowed_for(state, "f32", integers, sum) == 0); /* exact in any order */
    double e = allowed_for(state, "f32", fractions, sum);
    assert_true(e > 0.1 && e < 1); /* 6 half ULPs of 1e6 */
    assert_true(allowed_for(state, "f32", special, sum) == 0);
    assert_true(isinf(allowed_for(state, "f32", huge, sum))); /* overflows in one order only */
    assert_true(allowed_for(state, "f32", fractions,
                            "  %s = max {axis -1} %v : f32\n"
                            "  store %Out, %s\n") == 0);
}

/* Each product rounds by itself, in the subnormals too, and may or may not be fused with its sum. */
static void bounds_of_products(void **state)
{
    const char *dot = "  %a = reshape %v : f32[1, 4]\n"
                      "  %half = constant {0.5} : f32\n"
                      "  %b = broadcast %half : f32[4, 1]\n"
                      "  %zero = constant {0.0} : f32\n"
                      "  %c = broadcast %zero : f32[1, 1]\n"
                      "  %d = dot %a, %b, %c : f32[1, 1]\n"
                      "  %r = reshape %d : f32[1]\n"
                      "  %s = sum {axis -1} %r : f32\n"
                      "  store %Out, %s\n";
    const float odd[4] = {3e-45f, 4e-45f, 7e-45f, 1e-44f}, integers[4] = {3, -8, 1000, 12345};
    double e = allowed_for(state, "f32", odd, dot);
    assert_true(e >= 4 * 0x1p-149 && e < 16 * 0x1p-149);
    assert_true(allowed_for(state, "f32", integers, dot) == 0);
}

/* Products of bfloat may lose sums that are subnormal, those that they start with among them, and
 * no others. */
static void bounds_of_bfloat_products(void **state)
{
    const char *dot = "  %%t = cast %%v : bf16[4]\n"
                      "  %%a = reshape %%t : bf16[1, 4]\n"
                      "  %%one = constant {1.0} : bf16\n"
                      "  %%b = broadcast %%one : bf16[4, 1]\n"
                      "  %%start = constant {%s} : f32\n"
                      "  %%c = broadcast %%start : f32[1, 1]\n"
                      "  %%d = dot %%a, %%b, %%c : f32[1, 1]\n"
                      "  %%r = reshape %%d : f32[1]\n"
                      "  %%s = sum {axis -1} %%r : f32\n"
                      "  store %%Out, %%s\n";
    static const struct {
        float x[4];
        const char *start;
        double least, most; /* allowed */
    } cases[] = {
        {{0, 0, 0, 0}, "0x000116c2", 9.9e-41, 8 * 0x1p-126},
        {{0, 0, 0, 0}, "1.0", 0, 0},
        {{1, -1, 0.5f, 4}, "0.25", 0, 0},
        {{0x1p-126f, -0x1.02p-126f, 0, 0}, "0.0", 0x1p-133, 16 * 0x1p-126},
        {{0x1p-93f, -0x1.02p-93f, 0, 0}, "0.0", 0, 0},
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *body = arena_format(&f->arena, dot, cases[i].start);
        double allowed = allowed_for(state, "f32", cases[i].x, body);
        assert_true(allowed >= cases[i].least && allowed <= cases[i].most);
    }
}

static void bounds_spread(void **state)
{
    const float x[4] = {1, 2, 3, 4};
    double exp_error = allowed_for(state, "f32", x,
                                   "  %e = exp %v : f32[4]\n"
                                   "  %s = max {axis -1} %e : f32\n"
                                   "  store %Out, %s\n");
    assert_true(exp_error >= 2 * 0x1p-18 && exp_error <= 4 * 0x1p-18); /* ULPs of 54.6 */
    double scaled = allowed_for(state, "f32", x,
                                "  %e = exp %v : f32[4]\n"
                                "  %s = max {axis -1} %e : f32\n"
                                "  %c = constant {1024.0} : f32\n"
                                "  %t = mul %s, %c : f32\n"
                                "  store %Out, %t\n");
    assert_true(scaled >= 1024 * exp_error && scaled < 1500 * exp_error);
    double zero = allowed_for(state, "f32", x,
                              "  %e = exp %v : f32[4]\n"
                              "  %d = sub %e, %e : f32[4]\n"
                              "  %s = max {axis -1} %d : f32\n"
                              "  store %Out, %s\n");
    assert_true(zero >= 2 * exp_error); /* no cancellation of errors is assumed */
    assert_true(allowed_for(state, "f32", x,
                            "  %e = exp %v : f32[4]\n"
                            "  %s = max {axis -1} %v : f32\n"
                            "  store %Out, %s\n") == 0);
}

static void bounds_poison(void **state)
{
    const float x[4] = {1, 2, 3, 4};
    /* The index of the largest of uncertain values, and a cast that may go either way */
    assert_true(isinf(allowed_for(state, "i64", x,
                                  "  %e = exp %v : f32[4]\n"
                                  "  %s = argmax {axis -1} %e : i64\n"
                                  "  store %Out, %s\n")));
    assert_true(isinf(allowed_for(state, "i32", x,
                                  "  %e = exp2 %v : f32[4]\n"
                                  "  %s = max {axis -1} %e : f32\n"
                                  "  %c = cast %s : i32\n"
                                  "  store %Out, %c\n")));
    /* 54.598 is nowhere near an integer. */
    assert_true(allowed_for(state, "i32", x,
                            "  %e = exp %v : f32[4]\n"
                            "  %s = max {axis -1} %e : f32\n"
                            "  %c = cast %s : i32\n"
                            "  store %Out, %c\n") == 0);
    /* Steering control: nothing that is stored is certain. */
    assert_true(isinf(allowed_for(state, "f32", x,
                                  "  %e = log2 %v : f32[4]\n"
                                  "  %s = max {axis -1} %e : f32\n"
                                  "  %two = constant {2.0} : f32\n"
                                  "  %c = lt %s, %two : bool\n"
                                  "  store %Out, %two\n"
                                  "  if %c {\n"
                                  "    yield\n"
                                  "  } else {\n"
                                  "    yield\n"
                                  "  }\n")));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(shapes),
        TEST(reductions),
        TEST(argmax_order),
        TEST(control),
        TEST(views),
        TEST(dot_and_host),
        TEST(outside),
        TEST(outside_by_far),
        TEST(masks_make_safe),
        TEST(unwritten),
        TEST(races),
        TEST(race_through_two_names),
        TEST(atomics_do_not_race),
        TEST(arithmetic_faults),
        TEST(bad_buffers),
        TEST(asserts_and_limits),
        TEST(prints),
        TEST(nothing_to_do),
        TEST(bounds_of_sums),
        TEST(bounds_of_products),
        TEST(bounds_of_bfloat_products),
        TEST(bounds_spread),
        TEST(bounds_poison),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
