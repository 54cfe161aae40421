/*
 * GPU IR from text: what the verifier takes and refuses, that text read and printed is the same
 * text, what single passes do, and what the planner promises or refuses.
 */
#include "base/guard.h"
#include "gpu/gpu.h"
#include "gpu/pass.h"
#include "gpu/zeros.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include <string.h>

struct state {
    jmp_buf out_of_memory;
    struct arena arena;
    struct diagnostics diagnostics;
    struct source_file file;
};

static void begin(struct state *s, const char *text)
{
    arena_init(&s->arena, allocator_default, &s->out_of_memory);
    diagnostics_init(&s->diagnostics, &s->arena);
    s->file =
        (struct source_file){.name = "test.ir", .text = text, .length = (uint32_t)strlen(text)};
}

static const char *printed(struct state *s, const struct ir_func *func)
{
    struct text text;
    text_init(&text, &s->arena);
    ir_print(func, &text);
    return text.items;
}

/* ---- text and verifier ----------------------------------------------------------------------- */

#define FUNC(body) "func @k(%X: const ptr<f32>, %Y: ptr<f32>, %n: i64) {\n" body "  return\n}\n"

static const char every_op[] = FUNC("  %s = shared {\"s\" 64 padding 2} : ptr<f32, threadgroup>\n"
                                    "  %t = thread_index {0 to 64} : i64\n"
                                    "  %lane = lane_index {0 to 32} : i64\n"
                                    "  %group = group_index {0 to 2} : i64\n"
                                    "  %p = addptr %X, %t : ptr<f32>\n"
                                    "  %v = vector_load {packed} %p : f32[4]\n"
                                    "  %w = vector_load {aligned} %p : f32[4]\n"
                                    "  %sum = add %v, %w : f32[4]\n"
                                    "  %x = extract {3} %sum : f32\n"
                                    "  %y = shuffle_xor {16} %x : f32\n"
                                    "  %z = shuffle_up {1} %y : f32\n"
                                    "  %a = shuffle %z, %lane : f32\n"
                                    "  %b = group_sum %a : f32\n"
                                    "  %c = group_prod %b : f32\n"
                                    "  %q = addptr %s, %group : ptr<f32, threadgroup>\n"
                                    "  store %q, %c\n"
                                    "  barrier {threadgroup}\n"
                                    "  %d = load %q : f32\n"
                                    "  barrier {device}\n"
                                    "  barrier {group}\n"
                                    "  %e = lt %d, %x : bool\n"
                                    "  %f = group_and %e : bool\n"
                                    "  %g = group_or %f : bool\n"
                                    "  %i = cast %d : i32\n"
                                    "  %j = group_max %i : i32\n"
                                    "  %k = group_min %j : i32\n"
                                    "  %r = arange {0 to 4} : i64[4]\n"
                                    "  %h = broadcast %d : f32[4]\n"
                                    "  %l = pack %d, %x, %y, %z : f32[4]\n"
                                    "  %m = mul %h, %l : f32[4]\n"
                                    "  %o = addptr %Y, %t : ptr<f32>\n"
                                    "  vector_store {packed} %o, %m\n"
                                    "  %fa = fragment_load {rows} %s, %n : f32[8, 8]\n"
                                    "  %fb = fragment_load {columns} %s, %n : f32[8, 8]\n"
                                    "  %fc = fragment_fill %d : f32[8, 8]\n"
                                    "  %fd = fragment_mma %fa, %fb, %fc : f32[8, 8]\n"
                                    "  %fe = fragment_elements %fd : f32[2]\n"
                                    "  %ff = fragment_pack %fe : f32[8, 8]\n"
                                    "  fragment_store {rows} %Y, %n, %ff\n");

static void test_text(void **unused)
{
    (void)unused;
    struct state s;
    begin(&s, every_op);
    struct ir_func *func = gpu_read(&s.arena, &s.diagnostics, &s.file);
    if (!func)
        fail_msg("%s", s.diagnostics.items[0].message);
    assert_string_equal(printed(&s, func), every_op);
    arena_free(&s.arena);
}

/* Each text, and what its first error must say. */
static const struct {
    const char *text, *error;
} refused[] = {
    {FUNC("  %c = constant {0.0} : f32[4, 4]\n"), "neither a scalar nor a vector"},
    {FUNC("  %c = constant {0.0} : f32[17]\n"), "neither a scalar nor a vector"},
    {FUNC("  %c = constant {0.0} : f32[4]\n  %d = sum {axis 0} %c : f32\n"), "no op of one thread"},
    {FUNC("  %c = constant {0.0} : f32[4]\n  %d = reshape %c : f32[4]\n"), "no op of one thread"},
    {FUNC("  %t = thread_index {1 to 64} : i64\n"), "range"},
    {FUNC("  %t = thread_index {0 to 64} : i32\n"), "wrong type"},
    {FUNC("  %c = constant {0.0} : f32[4]\n  %d = extract {4} %c : f32\n"), "no element 4"},
    {FUNC("  %d = shuffle_xor {32} %n : i64\n"), "32 lanes away"},
    {FUNC("  %d = shuffle_xor {1} %n : i64\n"), "at most 32 bits"},
    {FUNC("  %d = vector_load {packed} %X : i32[4]\n"), "no vector of the pointer's element"},
    {FUNC("  %d = vector_load {packed} %X : f32\n"), "no vector of the pointer's element"},
    {FUNC("  %p = broadcast %X : ptr<f32>[4]\n"), "neither a scalar nor a vector"},
    {FUNC("  %s = shared {\"s\" 4 padding 0} : ptr<f32>\n"), "no pointer into threadgroup memory"},
    {FUNC("  %d = constant {0.0} : f32\n  %e = pack %d, %n : f32[2]\n"),
     "no scalar like the first"},
    {FUNC("  %t = thread_index {0 to 64} : i64\n  %c = lt %t, %n : bool\n"
          "  if %c {\n    barrier {threadgroup}\n    yield\n  } else {\n    yield\n  }\n"),
     "threads may have parted"},
    {FUNC("  %t = thread_index {0 to 64} : i64\n  %a = constant {0} : i64\n"
          "  for %i = %a to %t step %n {\n    barrier {threadgroup}\n    yield\n  }\n"),
     "threads may have parted"},
    {FUNC("  %x = load %X : f32\n  %y = shuffle_up {1} %x : f32\n  %c = lt %x, %y : bool\n"
          "  if %c {\n    barrier {threadgroup}\n    yield\n  } else {\n    yield\n  }\n"),
     "threads may have parted"}, /* the first lane has no value of another one */
    {FUNC("  %lane = lane_index {0 to 32} : i64\n  %p = addptr %X, %lane : ptr<f32>\n"
          "  %x = load %p : f32\n  %y = shuffle %x, %lane : f32\n  %c = lt %y, %y : bool\n"
          "  if %c {\n    barrier {threadgroup}\n    yield\n  } else {\n    yield\n  }\n"),
     "threads may have parted"},
    {FUNC("  %d = fragment_load {rows} %X, %n : f32[8, 8]\n  %e = fragment_elements %d : f32[2]\n"
          "  %x = extract {0} %e : f32\n  %c = lt %x, %x : bool\n"
          "  if %c {\n    barrier {threadgroup}\n    yield\n  } else {\n    yield\n  }\n"),
     "threads may have parted"},
    {FUNC("  %s = shared {\"s\" 4 padding 0} : ptr<f32, threadgroup>\n"
          "  %p = addptr %s, %n : ptr<f32, threadgroup>\n"
          "  %d = vector_load {aligned} %p : f32[4]\n"),
     "not seen to be a multiple"},
    {FUNC("  %d = fragment_load {rows} %X, %n : f32[8, 9]\n"), "neither a scalar nor a vector"},
    {FUNC("  %d = fragment_load {rows} %X, %n : f16[8, 8]\n"), "no fragment of the pointer's"},
    {FUNC("  %d = fragment_load {rows} %X, %n : f32[8, 8]\n  %e = neg %d : f32[8, 8]\n"),
     "neither a scalar nor a vector"},
    {FUNC("  %d = fragment_load {rows} %X, %n : f32[8, 8]\n"
          "  %e = fragment_load {rows} %X, %n : f32[16, 8]\n"
          "  %f = fragment_mma %d, %e, %d : f32[8, 8]\n"),
     "shapes do not fit"},
    {FUNC("  %d = fragment_load {rows} %X, %n : f32[8, 8]\n  %e = fragment_elements %d : f32[4]\n"),
     "each lane has 2 elements"},
    {FUNC("  %t = thread_index {0 to 64} : i64\n  %c = lt %t, %n : bool\n"
          "  if %c {\n    %d = fragment_load {rows} %X, %n : f32[8, 8]\n    yield\n"
          "  } else {\n    yield\n  }\n"),
     "threads may have parted"},
    {FUNC("  %p = addptr %X, %n : ptr<f32>\n  %q = load %p : f32\n  %d = group_max %q : f32\n"),
     "not allowed on f32"},
};

static void test_refused(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct state s;
        begin(&s, refused[i].text);
        if (gpu_read(&s.arena, &s.diagnostics, &s.file))
            fail_msg("taken: %s", refused[i].text);
        const char *message = s.diagnostics.items[0].message;
        if (!strstr(message, refused[i].error))
            fail_msg("'%s' instead of '%s'", message, refused[i].error);
        arena_free(&s.arena);
    }
}

/* A condition that all threads share lets them meet: of a group's sum, of what stands at one
 * address of a buffer or of threadgroup memory, and of a fragment's elements that are all one. */
static void test_uniform(void **unused)
{
    (void)unused;
    struct state s;
    begin(&s, FUNC("  %t = thread_index {0 to 64} : i64\n"
                   "  %p = addptr %X, %t : ptr<f32>\n"
                   "  %x = load %p : f32\n"
                   "  %sum = group_sum %x : f32\n"
                   "  %y = load %X : f32\n"
                   "  %s = shared {\"s\" 4 padding 0} : ptr<f32, threadgroup>\n"
                   "  %z = load %s : f32\n"
                   "  %f = fragment_fill %z : f32[8, 8]\n"
                   "  %g = fragment_elements %f : f32[2]\n"
                   "  %h = extract {1} %g : f32\n"
                   "  %i = add %h, %y : f32\n"
                   "  %c = lt %sum, %i : bool\n"
                   "  if %c {\n    barrier {threadgroup}\n    yield\n"
                   "  } else {\n    yield\n  }\n"));
    assert_non_null(gpu_read(&s.arena, &s.diagnostics, &s.file));
    arena_free(&s.arena);
}

static void test_tile_level(void **unused)
{
    (void)unused;
    struct state s;
    begin(&s, every_op);
    assert_null(ir_read(&s.arena, &s.diagnostics, &s.file));
    arena_free(&s.arena);
}

/* ---- passes ---------------------------------------------------------------------------------- */

static void check_pass_knowing(pass_function *pass, bool short_arrays, const char *before,
                               const char *after)
{
    struct state s;
    begin(&s, before);
    struct pass_context context = {
        .arena = &s.arena, .diagnostics = &s.diagnostics, .short_arrays = short_arrays};
    struct ir_func *func = gpu_read(&s.arena, &s.diagnostics, &s.file);
    if (!func)
        fail_msg("%s", s.diagnostics.items[0].message);
    bool changed = pass(&context, func);
    assert_int_equal(changed, strcmp(before, after) != 0);
    assert_true(gpu_verify(func, &s.diagnostics));
    assert_string_equal(printed(&s, func), after);
    assert_false(pass(&context, func)); /* idempotent */
    arena_free(&s.arena);
}

static void check_pass(pass_function *pass, const char *before, const char *after)
{
    check_pass_knowing(pass, false, before, after);
}

static void test_narrow(void **unused)
{
    (void)unused;
    /* an address into an array that is known to be short; the added constant stays outside */
    static const char before[] = FUNC("  %t = thread_index {0 to 64} : i64\n"
                                      "  %a = mul %t, %n : i64\n"
                                      "  %p = addptr %X, %a : ptr<f32>\n"
                                      "  %b = constant {8} : i64\n"
                                      "  %c = add %t, %b : i64\n"
                                      "  %q = addptr %p, %c : ptr<f32>\n"
                                      "  %x = load %q : f32\n"
                                      "  store %Y, %x\n");
    check_pass_knowing(pass_narrow, false, before, before);
    check_pass_knowing(pass_narrow, true, before,
                       "func @k(%X: const ptr<f32>, %Y: ptr<f32>, %n: i64) {\n"
                       "  %0 = cast %n : i32\n"
                       "  %t = thread_index {0 to 64} : i64\n"
                       "  %1 = cast %t : i32\n"
                       "  %a = mul %t, %n : i64\n"
                       "  %2 = mul %1, %0 : i32\n"
                       "  %p = addptr %X, %a : ptr<f32>\n"
                       "  %b = constant {8} : i64\n"
                       "  %c = add %t, %b : i64\n"
                       "  %q = addptr %p, %c : ptr<f32>\n"
                       "  %3 = add %2, %1 : i32\n"
                       "  %4 = cast %3 : i64\n"
                       "  %5 = addptr %X, %4 : ptr<f32>\n"
                       "  %6 = constant {8} : i64\n"
                       "  %7 = addptr %5, %6 : ptr<f32>\n"
                       "  %x = load %7 : f32\n"
                       "  store %Y, %x\n  return\n}\n");
    /* comparisons where both sides fit; not where one may not */
    static const char wide[] = FUNC("  %t = thread_index {0 to 64} : i64\n"
                                    "  %c = lt %t, %n : bool\n"
                                    "  %x = load %X : f32\n"
                                    "  store %Y, %x, %c\n");
    check_pass(pass_narrow, wide, wide);
    check_pass(pass_narrow,
               FUNC("  %t = thread_index {0 to 64} : i64\n"
                    "  %a = constant {-3} : i64\n"
                    "  %c = lt %t, %a : bool\n"
                    "  %x = load %X : f32\n"
                    "  store %Y, %x, %c\n"),
               FUNC("  %t = thread_index {0 to 64} : i64\n"
                    "  %0 = cast %t : i32\n"
                    "  %a = constant {-3} : i64\n"
                    "  %1 = constant {-3} : i32\n"
                    "  %c = lt %0, %1 : bool\n"
                    "  %x = load %X : f32\n"
                    "  store %Y, %x, %c\n"));
    /* no shift by a count that 32 bits take modulo 32, though all numbers fit */
    static const char shift[] = FUNC("  %t = thread_index {0 to 64} : i64\n"
                                     "  %b = constant {36} : i64\n"
                                     "  %s = shr %t, %b : i64\n"
                                     "  %a = constant {1} : i64\n"
                                     "  %c = lt %s, %a : bool\n"
                                     "  %x = load %X : f32\n"
                                     "  store %Y, %x, %c\n");
    check_pass(pass_narrow, shift, shift);
}

static void test_hoist_uniforms(void **unused)
{
    (void)unused;
    struct state s;
    static const char before[] = FUNC("  %a = constant {1000} : i64\n  %b = constant {0} : i64\n"
                                      "  %q = div %n, %a : i64\n  %e = mul %q, %a : i64\n"
                                      "  for %i = %b to %e step %a {\n    yield\n  }\n");
    check_pass(pass_hoist_uniforms, before, before); /* nobody would compute it */
    begin(&s, before);
    struct pass_context context = {
        .arena = &s.arena, .diagnostics = &s.diagnostics, .hoists = true};
    struct ir_func *func = gpu_read(&s.arena, &s.diagnostics, &s.file);
    assert_true(pass_hoist_uniforms(&context, func));
    assert_true(gpu_verify(func, &s.diagnostics));
    assert_non_null(strstr(printed(&s, func), "%n: i64, %uniform0: i64) {"));
    assert_non_null(strstr(printed(&s, func), "for %i = %b to %uniform0 step %a {"));
    assert_non_null(context.prologue);
    assert_string_equal(printed(&s, context.prologue), "func @prologue(%n: i64) -> (i64) {\n"
                                                       "  %0 = constant {1000} : i64\n"
                                                       "  %1 = div %n, %0 : i64\n"
                                                       "  %2 = mul %1, %0 : i64\n"
                                                       "  return %2\n}\n");
    assert_false(pass_hoist_uniforms(&context, func));
    arena_free(&s.arena);
}

static void test_fold_grid(void **unused)
{
    (void)unused;
    struct state s;
    begin(&s, "func @k(%Out: ptr<i64>, %c: bool) {\n"
              "  %z = program_id {axis 2} : i64\n"
              "  %x = program_id {axis 0} : i64\n"
              "  %n = num_programs {axis 1} : i64\n"
              "  %a = add %x, %z : i64\n"
              "  %b = add %a, %n : i64\n"
              "  if %c {\n"
              "    %y = program_id {axis 1} : i64\n"
              "    %d = add %b, %y : i64\n"
              "    %p = addptr %Out, %d : ptr<i64>\n"
              "    store %p, %d\n"
              "    yield\n"
              "  } else {\n"
              "    yield\n"
              "  }\n"
              "  return\n}\n");
    struct ir_func *func = gpu_read(&s.arena, &s.diagnostics, &s.file);
    gpu_fold_grid(func);
    assert_true(gpu_verify(func, &s.diagnostics));
    assert_string_equal(
        printed(&s, func),
        "func @k(%Out: ptr<i64>, %c: bool, %grid0: u32, %grid1: u32, %grid2: u32) {\n"
        "  %0 = program_id {axis 0} : i64\n"
        "  %1 = cast %0 : u32\n"
        "  %2 = rem %1, %grid0 : u32\n"
        "  %3 = cast %grid0 : i64\n"
        "  %4 = cast %2 : i64\n"
        "  %5 = div %1, %grid0 : u32\n"
        "  %6 = rem %5, %grid1 : u32\n"
        "  %7 = cast %grid1 : i64\n"
        "  %8 = cast %6 : i64\n"
        "  %9 = div %5, %grid1 : u32\n"
        "  %10 = cast %grid2 : i64\n"
        "  %11 = cast %9 : i64\n"
        "  %a = add %4, %11 : i64\n"
        "  %b = add %a, %7 : i64\n"
        "  if %c {\n"
        "    %d = add %b, %8 : i64\n"
        "    %p = addptr %Out, %d : ptr<i64>\n"
        "    store %p, %d\n"
        "    yield\n"
        "  } else {\n"
        "    yield\n"
        "  }\n"
        "  return\n}\n");
    arena_free(&s.arena);
}

/* Quotients of floats move where the host rounds as the device does; functions never do. */
static void test_hoist_floats(void **unused)
{
    (void)unused;
    struct state s;
    static const char before[] =
        FUNC("  %a = constant {1.0} : f32\n  %f = cast %n : f32\n  %q = div %a, %f : f32\n"
             "  %r = rsqrt %q : f32\n  store %Y, %r\n");
    for (int floats = 0; floats < 2; floats++) {
        begin(&s, before);
        struct pass_context context = {.arena = &s.arena,
                                       .diagnostics = &s.diagnostics,
                                       .hoists = true,
                                       .hoists_floats = floats > 0};
        struct ir_func *func = gpu_read(&s.arena, &s.diagnostics, &s.file);
        assert_int_equal(pass_hoist_uniforms(&context, func), floats);
        assert_true(gpu_verify(func, &s.diagnostics));
        if (floats) {
            assert_non_null(strstr(printed(&s, func), "%n: i64, %uniform0: f32) {"));
            assert_non_null(strstr(printed(&s, func), "rsqrt %uniform0 : f32"));
            assert_string_equal(printed(&s, context.prologue),
                                "func @prologue(%n: i64) -> (f32) {\n"
                                "  %0 = constant {1.0} : f32\n"
                                "  %1 = cast %n : f32\n"
                                "  %2 = div %0, %1 : f32\n"
                                "  return %2\n}\n");
        }
        arena_free(&s.arena);
    }
}

/* The thread's part goes in front of what is the same for all threads; once. */
static void test_split_addresses(void **unused)
{
    (void)unused;
#define LOOP(body)                                                                                 \
    FUNC("  %s = shared {\"s\" 256 padding 0} : ptr<f32, threadgroup>\n"                            \
         "  %t = thread_index {0 to 64} : i64\n"                                                   \
         "  %zero = constant {0} : i64\n"                                                          \
         "  %true = constant {true} : bool\n"                                                      \
         "  %q = addptr %s, %zero : ptr<f32, threadgroup>\n"                                       \
         "  for %i = %zero to %n step %n {\n" body                                                 \
         "    copy_async {1} %q, %p, %true, %true\n"                                               \
         "    yield\n  }\n")
    check_pass(pass_split_addresses,
               LOOP("    %r = add %i, %t : i64\n"
                    "    %m = mul %r, %n : i64\n"
                    "    %a = add %m, %t : i64\n"
                    "    %b = add %a, %n : i64\n"
                    "    %p = addptr %X, %b : ptr<f32>\n"),
               FUNC("  %s = shared {\"s\" 256 padding 0} : ptr<f32, threadgroup>\n"
                    "  %t = thread_index {0 to 64} : i64\n"
                    "  %zero = constant {0} : i64\n"
                    "  %true = constant {true} : bool\n"
                    "  %q = addptr %s, %zero : ptr<f32, threadgroup>\n"
                    "  for %i = %zero to %n step %n {\n"
                    "    %r = add %i, %t : i64\n"
                    "    %m = mul %r, %n : i64\n"
                    "    %a = add %m, %t : i64\n"
                    "    %b = add %a, %n : i64\n"
                    "    %0 = mul %t, %n : i64\n"
                    "    %1 = mul %i, %n : i64\n"
                    "    %2 = add %0, %t : i64\n"
                    "    %3 = addptr %X, %2 : ptr<f32>\n"
                    "    %4 = add %n, %1 : i64\n"
                    "    %5 = addptr %3, %4 : ptr<f32>\n"
                    "    %p = addptr %X, %b : ptr<f32>\n"
                    "    copy_async {1} %q, %5, %true, %true\n"
                    "    yield\n  }\n"));
    static const char squares[] = LOOP("    %m = mul %i, %i : i64\n"
                                       "    %p = addptr %X, %m : ptr<f32>\n");
    static const char same[] = LOOP("    %p = addptr %X, %t : ptr<f32>\n");
    check_pass(pass_split_addresses, squares, squares);
    check_pass(pass_split_addresses, same, same);
}

enum { COPIES = 8 };

/* Conditions of copies are computed where the strongest of them does not hold, each comparison but
 * that one; of fewer copies, and where too many conditions do not follow from one another, all
 * stays. */
static void test_whole_copies(void **unused)
{
    (void)unused;
    static const int places[COPIES] = {0, 16, 32, 48, 64, 112, 80, 96};
    static const char begins[] = "  %s = shared {\"s\" 256 padding 0} : ptr<f32, threadgroup>\n"
                                 "  %t = thread_index {0 to 64} : i64\n"
                                 "  %zero = constant {0} : i64\n"
                                 "  %go = lt %zero, %n : bool\n"
                                 "  for %i = %zero to %n step %n {\n"
                                 "    if %go {\n";
    static const char ends[] = "      yield\n    } else {\n      yield\n    }\n    yield\n  }\n";
    for (int variant = 0; variant < 3; variant++) {
        struct state s;
        struct text before, after;
        int count = COPIES - (variant == 1);
        begin(&s, "");
        text_init(&before, &s.arena);
        text_init(&after, &s.arena);
        text_format(&before, "func @k(%%X: ptr<f32>, %%Y: ptr<f32>, %%n: i64) {\n%s", begins);
        text_string(&after, before.items);
        for (int pass = 0; pass < 2;
             pass++) { /* what stays; what goes to the way with conditions */
            for (int k = 0; k < count; k++) {
                struct text *out = (k == 5) == (pass == 0) ? &after : NULL;
                const char *left = variant == 2 ? "mul" : "add";
                if (pass == 0)
                    text_format(
                        &before,
                        "      %%k%d = constant {%d} : i64\n      %%a%d = %s %%t, %%k%d : i64\n"
                        "      %%v%d = lt %%a%d, %%n : bool\n      %%w%d = and %%v%d, %%go : bool\n"
                        "      copy_async {1} %%s, %%X, %%w%d\n",
                        k, places[k], k, left, k, k, k, k, k, k);
                if (out)
                    text_format(out,
                                "%s      %%k%d = constant {%d} : i64\n%s      %%a%d = add %%t, "
                                "%%k%d : i64\n"
                                "%s      %%v%d = lt %%a%d, %%n : bool\n",
                                pass ? "  " : "", k, places[k], pass ? "  " : "", k, k,
                                pass ? "  " : "", k, k);
                if (pass)
                    text_format(&after, "        %%w%d = and %%v%d, %%go : bool\n", k, k);
            }
            if (pass)
                continue;
            text_string(&after, "      %0 = and %v5, %go : bool\n      if %0 {\n"
                                "        %1 = constant {true} : bool\n");
            for (int k = 0; k < count; k++)
                text_string(&after, "        copy_async {1} %s, %X, %1\n");
            text_string(&after, "        yield\n      } else {\n");
        }
        for (int k = 0; k < count; k++)
            text_format(&after, "        copy_async {1} %%s, %%X, %%w%d\n", k);
        text_format(&before, "%s  return\n}\n", ends);
        text_format(&after, "        yield\n      }\n%s  return\n}\n", ends);
        check_pass(pass_whole_copies, before.items, variant ? before.items : after.items);
        arena_free(&s.arena);
    }
}

/* n is a multiple of 16: 16 n + 8 + (0 to 7) passes it together with 16 n, but 16 n + 8 + (0 to 15) not. */
static void test_lower_indices(void **unused)
{
    (void)unused;
    static const uint8_t zeros[] = {2, 2, 4};
    static const struct gpu_promises promises = {.count = 3, .zeros = zeros};
#define INDEX(shift)                                                                               \
    FUNC("  %t = thread_index {0 to 256} : i64\n"                                                  \
         "  %a = constant {" shift "} : i64\n"                                                     \
         "  %g = shr %t, %a : i64\n"                                                               \
         "  %b = constant {24} : i64\n"                                                            \
         "  %r = add %g, %b : i64\n"                                                               \
         "  %d = constant {16} : i64\n"                                                            \
         "  %m = mul %n, %d : i64\n"                                                               \
         "  %i = add %m, %r : i64\n"                                                               \
         "  %c = lt %i, %n : bool\n"                                                               \
         "  %x = load %X : f32\n"                                                                  \
         "  store %Y, %x, %c\n")
    for (int i = 0; i < 2; i++) {
        struct state s;
        begin(&s, i ? INDEX("4") : INDEX("5"));
        struct pass_context context = {
            .arena = &s.arena, .diagnostics = &s.diagnostics, .promises = &promises};
        struct ir_func *func = gpu_read(&s.arena, &s.diagnostics, &s.file);
        assert_int_equal(pass_lower_indices(&context, func), !i);
        assert_true(gpu_verify(func, &s.diagnostics));
        const char *text = printed(&s, func);
        assert_non_null(strstr(text, i ? "lt %i, %n" : "%0 = constant {16} : i64\n"
                                                       "  %1 = add %m, %0 : i64\n"
                                                       "  %c = lt %1, %n : bool\n"));
        assert_false(pass_lower_indices(&context, func));
        arena_free(&s.arena);
    }
}

/* Of a parameter that a pass added behind the kernel's own, nothing is promised, whatever lies behind the
 * kernel's promises in memory. */
static void test_lower_indices_of_uniform(void **unused)
{
    (void)unused;
    static const uint8_t zeros[] = {2, 2, 4};
    for (int count = 2; count <= 3; count++) {
        struct state s;
        begin(&s, FUNC("  %t = thread_index {0 to 16} : i64\n"
                       "  %i = add %n, %t : i64\n"
                       "  %a = constant {0} : i64\n"
                       "  %c = ge %i, %a : bool\n"
                       "  %x = load %X : f32\n"
                       "  store %Y, %x, %c\n"));
        const struct gpu_promises promises = {.count = count, .zeros = zeros};
        struct pass_context context = {
            .arena = &s.arena, .diagnostics = &s.diagnostics, .promises = &promises};
        struct ir_func *func = gpu_read(&s.arena, &s.diagnostics, &s.file);
        assert_int_equal(pass_lower_indices(&context, func), count == 3);
        arena_free(&s.arena);
    }
}

/* Only whole branches of the body become masks, and only where the target has such accesses. */
static void test_predicate(void **unused)
{
    (void)unused;
    struct state s;
    static const char before[] =
        FUNC("  %t = constant {8} : i64\n  %c = lt %n, %t : bool\n"
             "  %v = if %c : f32[4] {\n    %p = addptr %X, %t : ptr<f32>\n"
             "    %w = vector_load {aligned} %p : f32[4]\n    yield %w\n  } else {\n"
             "    %z = constant {0.0} : f32[4]\n    yield %z\n  }\n"
             "  if %c {\n    %q = addptr %Y, %t : ptr<f32>\n    vector_store {aligned} %q, %v\n"
             "    yield\n  } else {\n    yield\n  }\n"
             "  if %c {\n    vector_store {aligned} %Y, %v\n    yield\n  } else {\n"
             "    %e = extract {0} %v : f32\n    store %Y, %e\n    yield\n  }\n");
    for (int predicates = 0; predicates < 2; predicates++) {
        begin(&s, before);
        struct pass_context context = {
            .arena = &s.arena, .diagnostics = &s.diagnostics, .predicates = predicates > 0};
        struct ir_func *func = gpu_read(&s.arena, &s.diagnostics, &s.file);
        assert_non_null(func);
        assert_int_equal(pass_predicate(&context, func), predicates);
        assert_true(gpu_verify(func, &s.diagnostics));
        const char *text = printed(&s, func);
        assert_int_equal(strstr(text, "vector_load {aligned} %p, %c, %z : f32[4]") != NULL,
                         predicates);
        assert_int_equal(strstr(text, "vector_store {aligned} %q, %v, %c") != NULL, predicates);
        assert_non_null(strstr(text, "    vector_store {aligned} %Y, %v\n"));
        assert_false(pass_predicate(&context, func));
        arena_free(&s.arena);
    }
}

static void test_early_loads(void **unused)
{
    (void)unused;
#define ROWS(w, body)                                                                              \
    "func @k(%X: const restrict ptr<f32>, %W: const restrict ptr<f32>, %Y: " w "ptr<f32>) {\n"     \
    "  %t = thread_index {0 to 32} : i64\n"                                                        \
    "  %x = load %X : f32\n" body "  store %p, %y\n  return\n}\n"
#define SUM "  %s = group_sum %x : f32\n"
#define LOAD "  %q = addptr %W, %t : ptr<f32>\n  %w = load %q : f32\n"
#define REST "  %y = mul %s, %w : f32\n  %p = addptr %Y, %t : ptr<f32>\n"
    check_pass(pass_early_loads, ROWS("restrict ", SUM LOAD REST),
               ROWS("restrict ", LOAD SUM REST));
    /* with a branch around it */
#define BRANCH                                                                                     \
    "  %c = lt %t, %t : bool\n"                                                                    \
    "  %w = if %c : f32 {\n    %r = load %W : f32\n    yield %r\n"                                 \
    "  } else {\n    %u = load %X : f32\n    yield %u\n  }\n"
    check_pass(pass_early_loads, ROWS("restrict ", SUM BRANCH REST),
               ROWS("restrict ", BRANCH SUM REST));
    /* not what the kernel may write, nor what hangs on the result of the meeting */
    static const char other[] = "func @k(%X: const ptr<f32>, %Y: ptr<f32>) {\n"
                                "  %x = load %X : f32\n  %s = group_sum %x : f32\n"
                                "  %w = load %X : f32\n  %y = mul %s, %w : f32\n"
                                "  store %Y, %y\n  return\n}\n";
    check_pass(pass_early_loads, other, other);
    static const char depends[] = "func @k(%X: const restrict ptr<i32>, %Y: restrict ptr<i32>) {\n"
                                  "  %x = load %X : i32\n  %s = group_sum %x : i32\n"
                                  "  %i = cast %s : i64\n  %p = addptr %X, %i : ptr<i32>\n"
                                  "  %w = load %p : i32\n  store %Y, %w\n  return\n}\n";
    check_pass(pass_early_loads, depends, depends);
}

static void test_merge_barriers(void **unused)
{
    (void)unused;
#define SHARED "  %s = shared {\"s\" 64 padding 0} : ptr<f32, threadgroup>\n"
    /* nothing was accessed before the first; the wider scope stays of the other two */
    check_pass(pass_merge_barriers,
               FUNC(SHARED "  barrier {threadgroup}\n  %x = load %s : f32\n"
                           "  barrier {threadgroup}\n  barrier {device}\n  store %s, %x\n"),
               FUNC(SHARED "  %x = load %s : f32\n  barrier {device}\n  store %s, %x\n"));
    /* a device barrier behind an access of a buffer stays */
    check_pass(pass_merge_barriers,
               FUNC(SHARED "  %x = load %s : f32\n  barrier {threadgroup}\n  store %Y, %x\n"
                           "  barrier {device}\n  %y = load %Y : f32\n  store %s, %y\n"),
               FUNC(SHARED "  %x = load %s : f32\n  barrier {threadgroup}\n  store %Y, %x\n"
                           "  barrier {device}\n  %y = load %Y : f32\n  store %s, %y\n"));
    /* a loop's body may have been run before */
    check_pass(pass_merge_barriers,
               FUNC(SHARED "  %a = constant {0} : i64\n  for %i = %a to %n step %n {\n"
                           "    barrier {threadgroup}\n    %x = load %s : f32\n"
                           "    barrier {threadgroup}\n    store %s, %x\n    yield\n  }\n"),
               FUNC(SHARED "  %a = constant {0} : i64\n  for %i = %a to %n step %n {\n"
                           "    barrier {threadgroup}\n    %x = load %s : f32\n"
                           "    barrier {threadgroup}\n    store %s, %x\n    yield\n  }\n"));
}

static void test_scalarise(void **unused)
{
    (void)unused;
    check_pass(pass_scalarise,
               FUNC("  %b = broadcast %n : i64[4]\n  %r = arange {0 to 4} : i64[4]\n"
                    "  %v = add %b, %r : i64[4]\n  %e = extract {3} %v : i64\n"
                    "  %p = addptr %Y, %e : ptr<f32>\n  %x = load %X : f32\n  store %p, %x\n"),
               FUNC("  %b = broadcast %n : i64[4]\n  %0 = constant {3} : i64\n"
                    "  %r = arange {0 to 4} : i64[4]\n  %1 = add %n, %0 : i64\n"
                    "  %v = add %b, %r : i64[4]\n"
                    "  %p = addptr %Y, %1 : ptr<f32>\n  %x = load %X : f32\n  store %p, %x\n"));
    /* what was loaded stays a vector; taken apart and packed again it is the same */
    check_pass(pass_scalarise,
               FUNC("  %v = vector_load {packed} %X : f32[2]\n  %a = extract {0} %v : f32\n"
                    "  %b = extract {1} %v : f32\n  %w = pack %a, %b : f32[2]\n"
                    "  vector_store {packed} %Y, %w\n"),
               FUNC("  %v = vector_load {packed} %X : f32[2]\n  %a = extract {0} %v : f32\n"
                    "  %b = extract {1} %v : f32\n"
                    "  vector_store {packed} %Y, %v\n"));
}

/* ---- plans and limits ------------------------------------------------------------------------ */

static const char tile_kernel[] =
    "func @k(%X: const restrict ptr<f32>, %Y: restrict ptr<f32>, %n: i32) {\n"
    "  %r = arange {0 to 1024} : i64[1024]\n"
    "  %b = broadcast %X : ptr<f32>[1024]\n"
    "  %p = addptr %b, %r : ptr<f32>[1024]\n"
    "  %x = load %p : f32[1024]\n"
    "  %c = broadcast %Y : ptr<f32>[1024]\n"
    "  %q = addptr %c, %r : ptr<f32>[1024]\n"
    "  store %q, %x\n"
    "  return\n"
    "}\n";

/* Of a block's programs: the grid's first size comes with the launch, the other ones are as they
 * were. */
static void test_share_block(void **unused)
{
    (void)unused;
    struct state s;
    begin(&s, "func @k(%Out: ptr<i64>, %c: bool) {\n"
              "  %x = program_id {axis 0} : i64\n"
              "  %n = num_programs {axis 1} : i64\n"
              "  %a = add %x, %n : i64\n"
              "  if %c {\n"
              "    %m = num_programs {axis 0} : i64\n"
              "    %d = add %a, %m : i64\n"
              "    %p = addptr %Out, %d : ptr<i64>\n"
              "    store %p, %d\n"
              "    yield\n"
              "  } else {\n"
              "    yield\n"
              "  }\n"
              "  return\n}\n");
    struct ir_func *func = gpu_read(&s.arena, &s.diagnostics, &s.file);
    gpu_share_block(func);
    assert_true(gpu_verify(func, &s.diagnostics));
    assert_string_equal(printed(&s, func), "func @k(%Out: ptr<i64>, %c: bool, %grid_x: u32) {\n"
                                           "  %0 = cast %grid_x : i64\n"
                                           "  %x = program_id {axis 0} : i64\n"
                                           "  %n = num_programs {axis 1} : i64\n"
                                           "  %a = add %x, %n : i64\n"
                                           "  if %c {\n"
                                           "    %d = add %a, %0 : i64\n"
                                           "    %p = addptr %Out, %d : ptr<i64>\n"
                                           "    store %p, %d\n"
                                           "    yield\n"
                                           "  } else {\n"
                                           "    yield\n"
                                           "  }\n"
                                           "  return\n}\n");
    arena_free(&s.arena);
}

static struct gpu_kernel *lower_text(struct state *s, const char *text, const char *requirements)
{
    static char joined[4096];
    snprintf(joined, sizeof joined, "%s%s", text, requirements);
    begin(s, joined);
    struct ir_kernel *kernel = ir_kernel_read(&s->arena, &s->diagnostics, &s->file);
    if (!kernel)
        fail_msg("%s", s->diagnostics.items[0].message);
    struct gpu_options options = {.verify_each = true};
    return gpu_lower(kernel, NULL, &options, &s->arena, &s->diagnostics);
}

static void test_plan(void **unused)
{
    (void)unused;
    struct state s;
    struct gpu_kernel *kernel = lower_text(&s, tile_kernel, "");
    assert_non_null(kernel);
    assert_int_equal(kernel->threads, 256);
    assert_int_equal(kernel->shared_bytes, 0);
    const char *text = printed(&s, kernel->func);
    assert_non_null(strstr(text, "vector_load"));
    assert_null(strstr(text, " load"));
    arena_free(&s.arena);
    kernel = lower_text(&s, tile_kernel, "\nrequire threads = 64\nrequire vector_width = 2\n");
    assert_non_null(kernel);
    assert_int_equal(kernel->threads, 64);
    assert_non_null(strstr(printed(&s, kernel->func), "f32[2]"));
    arena_free(&s.arena);
}

static const struct {
    const char *requirements, *error;
} unmet[] = {
    {"\nrequire threads = 96\n", "'threads = 96'"},
    {"\nrequire threads = 64\nrequire groups = 4\n", "'groups = 4'"},
    {"\nrequire vector_width = 8\n", "'vector_width = 8'"},
    {"\nrequire threads = 1024\nrequire vector_width = 4\n", "'vector_width = 4' is not met"},
    {"\nrequire backend = simdgroup\n", "'backend = simdgroup'"},
    {"\nrequire staging = threadgroup\n", "'staging = threadgroup'"},
    {"\nrequire buffering = 2\n", "'buffering = 2'"},
    {"\nrequire precision = relaxed\n", "'precision = relaxed'"},
    {"\nrequire swizzle = morton\n", "'swizzle = morton'"},
    {"\nrequire programs_per_block = 2\n", "'programs_per_block = 2'"},
};

static void test_unmet(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof unmet / sizeof *unmet; i++) {
        struct state s;
        if (lower_text(&s, tile_kernel, unmet[i].requirements))
            fail_msg("met: %s", unmet[i].requirements);
        if (!strstr(s.diagnostics.items[0].message, unmet[i].error))
            fail_msg("'%s' instead of '%s'", s.diagnostics.items[0].message, unmet[i].error);
        arena_free(&s.arena);
    }
}

static void test_limits(void **unused)
{
    (void)unused;
    struct state s;
    assert_null(lower_text(&s, "func @k(%X: ptr<f64>) {\n  return\n}\n", ""));
    assert_non_null(strstr(s.diagnostics.items[0].message, "no double, which 'X' has"));
    arena_free(&s.arena);
    assert_null(lower_text(&s,
                           "func @k(%X: ptr<f32>) {\n"
                           "  %c = constant {0.0} : f32[1048576]\n"
                           "  %r = arange {0 to 1048576} : i64[1048576]\n"
                           "  %b = broadcast %X : ptr<f32>[1048576]\n"
                           "  %p = addptr %b, %r : ptr<f32>[1048576]\n"
                           "  %x = load %p : f32[1048576]\n"
                           "  store %p, %x\n"
                           "  return\n}\n",
                           "\nrequire threads = 32\n"));
    assert_non_null(
        strstr(s.diagnostics.items[0].message, "32768 registers of each of 32 threads"));
    arena_free(&s.arena);
    assert_null(lower_text(&s, "func @k(%X: ptr<f32>) {\n  print {\"x\"} %X\n  return\n}\n", ""));
    arena_free(&s.arena);
}

/* Each offset is the one before less its negative: who follows all operands without a limit follows
 * 2^32 of them. */
static void test_doubling(void **unused)
{
    struct state s;
    char text[4000];
    size_t used = (size_t)snprintf(text, sizeof text,
                                   "func @k(%%X: ptr<f32>) {\n"
                                   "  %%v0 = arange {0 to 64} : i64[64]\n");
    (void)unused;
    for (int i = 0; i < 34; i++)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "  %%w%d = neg %%v%d : i64[64]\n"
                                 "  %%v%d = sub %%v%d, %%w%d : i64[64]\n",
                                 i, i, i + 1, i, i);
    snprintf(text + used, sizeof text - used,
             "  %%b = broadcast %%X : ptr<f32>[64]\n"
             "  %%p = addptr %%b, %%v34 : ptr<f32>[64]\n"
             "  %%x = load %%p : f32[64]\n"
             "  store %%p, %%x\n  return\n}\n");
    assert_non_null(lower_text(&s, text, ""));
    arena_free(&s.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_uniform),
        cmocka_unit_test(test_tile_level),
        cmocka_unit_test(test_narrow),
        cmocka_unit_test(test_early_loads),
        cmocka_unit_test(test_hoist_uniforms),
        cmocka_unit_test(test_fold_grid),
        cmocka_unit_test(test_share_block),
        cmocka_unit_test(test_hoist_floats),
        cmocka_unit_test(test_predicate),
        cmocka_unit_test(test_split_addresses),
        cmocka_unit_test(test_whole_copies),
        cmocka_unit_test(test_lower_indices),
        cmocka_unit_test(test_lower_indices_of_uniform),
        cmocka_unit_test(test_merge_barriers),
        cmocka_unit_test(test_scalarise),
        cmocka_unit_test(test_plan),
        cmocka_unit_test(test_unmet),
        cmocka_unit_test(test_doubling),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
