/*
 * The front end as a whole: shipped kernels and the manual's examples lower to IR that verifies and
 * reads back; small kernels compute what C would; grids, requirements and tune values; limits;
 * failing allocations. Messages and IR are tested by text, in tests/lang and tests/error.
 */
#include "base/guard.h"
#include "interp/interp.h"
#include "lang/ast.h"
#include "lang/foreign.h"
#include "lang/lang.h"

#include <glob.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { OUT_COUNT = 64, NO_VALUE = -99 };

enum {
#ifdef TILEC_TINY_LIMITS
    DOUBLINGS = 14,
    VARIABLES = 70,
    CHAIN = 14,
    LOOPS = 8,
#else
    DOUBLINGS = 40,
    VARIABLES = 1100,
    CHAIN = 100,
    LOOPS = 40,
#endif
};

struct fixture {
    jmp_buf out_of_memory;
    struct arena arena;
    struct diagnostics diagnostics;
};

static int begin(void **state)
{
    struct fixture *f = test_calloc(1, sizeof *f);
    arena_init(&f->arena, allocator_default, &f->out_of_memory);
    diagnostics_init(&f->diagnostics, &f->arena);
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

static void print_diagnostics(struct fixture *f)
{
    struct text text;
    text_init(&text, &f->arena);
    for (size_t i = 0; i < f->diagnostics.count; i++)
        diagnostics_print(&f->diagnostics.items[i], &text);
    print_message("%s", text.items ? text.items : "");
}

static struct source_file *file_of(struct fixture *f, const char *name, const char *text)
{
    struct source_file *file = ARENA_NEW(&f->arena, struct source_file);
    *file = (struct source_file){.name = name, .text = text, .length = strlen(text)};
    return file;
}

static struct lang_unit *parse(struct fixture *f, const char *text,
                               const struct lang_define *defines, int define_count)
{
    struct lang_unit *unit = lang_parse(&f->arena, &f->diagnostics, file_of(f, "test.tile.c", text),
                                        defines, define_count, (struct lang_includer){0});
    if (!unit)
        print_diagnostics(f);
    assert_non_null(unit);
    return unit;
}

/* Lowers with every constexpr parameter bound to size; NULL after errors. */
static struct ir_kernel *lower(struct fixture *f, struct lang_unit *unit,
                               const struct lang_kernel *kernel, int64_t size)
{
    struct lang_binding bindings[16];
    int count = 0;
    for (int i = 0; i < kernel->parameter_count; i++) {
        if (kernel->parameters[i].is_constexpr)
            bindings[count++] = (struct lang_binding){kernel->parameters[i].name, size};
    }
    return lang_lower(unit, &f->diagnostics, kernel, bindings, count, NULL, 0);
}

static void check_ir(struct fixture *f, const struct ir_kernel *kernel)
{
    struct text once, twice;
    text_init(&once, &f->arena);
    text_init(&twice, &f->arena);
    bool fine = ir_kernel_verify(kernel, &f->diagnostics);
    if (!fine)
        print_diagnostics(f);
    assert_true(fine);
    ir_kernel_print(kernel, &once);
    const struct ir_kernel *again =
        ir_kernel_read(&f->arena, &f->diagnostics, file_of(f, "printed", once.items));
    assert_non_null(again);
    ir_kernel_print(again, &twice);
    assert_string_equal(once.items, twice.items);
}

static void check_all_kernels(struct fixture *f, struct lang_unit *unit)
{
    assert_true(unit->kernel_count > 0);
    for (int i = 0; i < unit->kernel_count; i++) {
        size_t before = f->diagnostics.count;
        const struct ir_kernel *kernel = lower(f, unit, &unit->kernels[i], 16);
        if (!kernel)
            print_diagnostics(f);
        assert_non_null(kernel);
        assert_int_equal(f->diagnostics.count, before);
        check_ir(f, kernel);
    }
}

static char *read_file(struct fixture *f, const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t most = 1 << 20;
    char *text = arena_alloc(&f->arena, most + 1);
    text[fread(text, 1, most, file)] = '\0';
    fclose(file);
    return text;
}

/* ---- Kernels and the manual -------------------------------------------------------------- */

static void lowers_shipped_kernels(void **state)
{
    static const char *const types[] = {"float", "half", "bfloat"};
    glob_t found;
    assert_int_equal(glob("kernels/*.tile.c", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        for (int t = 0; t < 3; t++) {
            struct lang_define define = {"T", types[t]};
            struct lang_unit *unit =
                parse(*state, read_file(*state, found.gl_pathv[i]), &define, 1);
            check_all_kernels(*state, unit);
        }
    }
    globfree(&found);
}

/* Every ```c block of the manual is a whole file. */
static void lowers_examples_of_the_manual(void **state)
{
    struct fixture *f = *state;
    char *text = read_file(f, "docs/language.md");
    int count = 0;
    while ((text = strstr(text, "```c\n"))) {
        text += strlen("```c\n");
        char *after = strstr(text, "\n```");
        assert_non_null(after);
        *after = '\0';
        check_all_kernels(f, parse(f, text, NULL, 0));
        text = after + 1;
        count++;
    }
    assert_true(count >= 3);
}

static void manual_lists_every_builtin(void **state)
{
    struct fixture *f = *state;
    const char *manual = read_file(f, "docs/language.md");
    static const struct {
        const char *name, *handler, *parameters, *result, *meaning;
    } rows[] = {
#define BUILTIN(name, handler, op, parameters, result, meaning)                                    \
    {#name, #handler, parameters, result, meaning},
#include "lang/builtins.def"
#undef BUILTIN
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool word = strcmp(rows[i].handler, "word") == 0;
        const char *line =
            word ? arena_format(&f->arena, "| `%s` | %s |\n", rows[i].name, rows[i].meaning)
                 : arena_format(&f->arena, "| `%s(%s)` | %s | %s |\n", rows[i].name,
                                rows[i].parameters, rows[i].result, rows[i].meaning);
        if (!strstr(manual, line))
            print_message("docs/language.md lacks: %s", line);
        assert_non_null(strstr(manual, line));
    }
}

/* ---- Small kernels compute what C would -------------------------------------------------- */

/* Runs the first kernel of a text, `void k(int *Out, int n)`, in one program. */
static void run(struct fixture *f, const char *text, int n, int32_t *out)
{
    struct lang_unit *unit = parse(f, text, NULL, 0);
    const struct ir_kernel *kernel = lower(f, unit, &unit->kernels[0], 4);
    if (!kernel)
        print_diagnostics(f);
    assert_non_null(kernel);
    check_ir(f, kernel);
    for (int i = 0; i < OUT_COUNT; i++)
        out[i] = NO_VALUE;
    struct interp_argument arguments[] = {{.data = out, .elements = OUT_COUNT},
                                          {.bits = (uint32_t)n}};
    struct interp_options options = {.grid = {1, 1, 1}, .check = true, .step_limit = 1000000};
    bool fine = interp_run(kernel->func, arguments, &options, &f->arena, &f->diagnostics);
    if (!fine)
        print_diagnostics(f);
    assert_true(fine);
}

struct example {
    const char *body; /* of kernel void k(int *Out, int n) */
    int n;
    int count;
    int32_t expected[8];
};

static const char *const helpers =
    "static int sign(int x) { if (x > 0) return 1; else if (x < 0) return -1; return 0; }\n"
    "static int halvings(int x) { int k = 0; while (true) { if (x <= 1) return k; x /= 2; k++; } "
    "}\n"
    "static int first_multiple(int from, int of) {\n"
    "    for (int i = from; i < from + of; i++) { if (i % of == 0) return i; }\n"
    "    return -1;\n}\n"
    "static int larger(int a, int b) { return maximum(a, b); }\n";

static const struct example examples[] = {
    /* for */
    {"int s = 0; for (int i = 0; i < n; i++) s += i; store(Out, s);", 5, 1, {10}},
    {"int s = 0; for (int i = 1; i <= n; i += 2) s += i; store(Out, s);", 5, 1, {9}},
    {"int s = 0; for (int i = n; i > 0; i--) s = s * 10 + i; store(Out, s);", 4, 1, {4321}},
    {"int s = 0; for (int i = n; i >= 0; i -= 3) s = s * 10 + i; store(Out, s);", 7, 1, {741}},
    {"int s = 0; for (int i = n; i > 0; i += -2) s = s * 10 + i; store(Out, s);", 5, 1, {531}},
    {"int s = 7; for (int i = 0; i < n; i++) s = 0; store(Out, s);", 0, 1, {7}},
    {"int s = 7; for (int i = 3; i < n; i++) s = 0; store(Out, s);", -5, 1, {7}},
    {"int s = 7; for (int i = 0; i < 9; i += n) s++; store(Out, s);", 4, 1, {10}},
    {"int t = 3; for (int i = 0; i < n; i++) t = t + arange(0, 4); store(Out + arange(0, 4), t);",
     2,
     4,
     {3, 5, 7, 9}},
    {"int t = 3; for (int i = 0; i < n; i++) t = t + arange(0, 4); store(Out + arange(0, 4), t);",
     0,
     4,
     {3, 3, 3, 3}},
    {"int s = 0; for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) s += j; store(Out, s);",
     4,
     1,
     {10}},
    /* break, continue */
    {"int s = 0; for (int i = 0; i < n; i++) { if (i == 3) break; s += 10; } store(Out, s);",
     9,
     1,
     {30}},
    {"int s = 0; for (int i = 0; i < n; i++) { if (i == 3) break; s += 10; } store(Out, s);",
     2,
     1,
     {20}},
    {"int s = 0; for (int i = 0; i < n; i++) { if (i % 2 == 0) continue; s = s * 10 + i; }"
     "store(Out, s);",
     6,
     1,
     {135}},
    {"int s = 0; for (int i = 0; i < n; i++) { if (i % 2 == 0) { s += 100; continue; }"
     "if (i > 4) { s += 1000; break; } s += i; } store(Out, s);",
     9,
     1,
     {1304}},
    {"int s = 0; for (int i = 0; i < n; i++) { for (int j = 0; j < n; j++) { if (j == i) break;"
     "s++; } if (s > 3) break; } store(Out, s);",
     5,
     1,
     {6}},
    {"int s = 0; for (int i = 0; i < n; i++) { { { if (i == 1) continue; } s += i; } s += 10; }"
     "store(Out, s);",
     3,
     1,
     {22}},
    {"for (int i = 0; i < n; i++) { store(Out + i, i); break; }", 3, 2, {0, NO_VALUE}},
    {"for (int i = 0; i < n; i++) { continue; store(Out + i, i); }", 3, 1, {NO_VALUE}},
    /* while */
    {"int k = n, t = 0; while (k != 1) { k = k % 2 == 0 ? k / 2 : 3 * k + 1; t++; } store(Out, t);",
     6,
     1,
     {8}},
    {"int k = 0; while (k < n) { k++; if (k == 2) continue; if (k == 4) break; store(Out + k, k); "
     "}",
     9,
     6,
     {NO_VALUE, 1, NO_VALUE, 3, NO_VALUE, NO_VALUE}},
    {"int k = 0; while (true) { if (k * k >= n) break; k++; } store(Out, k);", 10, 1, {4}},
    /* the step of a loop that can be left, when it is not positive */
    {"for (int i = 0; i < 3; i += n) { if (i == 2) break; store(Out + i, 1); }",
     1,
     3,
     {1, 1, NO_VALUE}},
    /* return */
    {"if (n > 2) return; store(Out, 1);", 3, 1, {NO_VALUE}},
    {"if (n > 2) return; store(Out, 1);", 2, 1, {1}},
    {"if (n > 2) { store(Out, 5); if (n > 4) return; store(Out + 1, 6); } store(Out + 2, 7);",
     5,
     3,
     {5, NO_VALUE, NO_VALUE}},
    {"if (n > 2) { store(Out, 5); if (n > 4) return; store(Out + 1, 6); } store(Out + 2, 7);",
     3,
     3,
     {5, 6, 7}},
    {"for (int i = 0; i < n; i++) { if (i == 2) return; store(Out + i, i); } store(Out + 5, 5);",
     4,
     6,
     {0, 1, NO_VALUE, NO_VALUE, NO_VALUE, NO_VALUE}},
    {"for (int i = 0; i < n; i++) { if (i == 2) return; store(Out + i, i); } store(Out + 5, 5);",
     2,
     6,
     {0, 1, NO_VALUE, NO_VALUE, NO_VALUE, 5}},
    {"for (int i = 0; i < n; i++) { for (int j = 0; j < n; j++) { if (i + j == 3) return;"
     "store(Out + i * 4 + j, 1); } }",
     3,
     7,
     {1, 1, 1, NO_VALUE, 1, 1, NO_VALUE}},
    /* if */
    {"int x = 1; if (n > 2) x = 2; else if (n > 1) x = 3; else { int x = 9; x++; } store(Out, x);",
     2,
     1,
     {3}},
    {"int x = 1; if (n > 2) x = 2; else if (n > 1) x = 3; else { int x = 9; x++; } store(Out, x);",
     1,
     1,
     {1}},
    {"int x; if (n > 0) x = 4; else x = arange(0, 2) + 5; store(Out + arange(0, 2), x);",
     0,
     2,
     {5, 6}},
    {"int x; if (n > 0) x = 4; else x = arange(0, 2) + 5; store(Out + arange(0, 2), x);",
     1,
     2,
     {4, 4}},
    /* helpers */
    {"store(Out, sign(n)); store(Out + 1, sign(-n)); store(Out + 2, sign(n - n));",
     5,
     3,
     {1, -1, 0}},
    {"store(Out, halvings(n)); store(Out + 1, halvings(1));", 9, 2, {3, 0}},
    {"store(Out, first_multiple(n, 7)); store(Out + 1, first_multiple(n, 0));", 10, 2, {14, -1}},
    {"store(Out + arange(0, 4), scan(larger, (arange(0, 4) * 3) % 5));", 0, 4, {0, 3, 3, 4}},
    /* short circuits: the right side would divide by zero or read out of bounds */
    {"store(Out, n != 0 && 12 / n > 2); store(Out + 1, n == 0 || 12 % n == 1);", 0, 2, {0, 1}},
    {"store(Out, n < 64 && Out[n] == 1); store(Out + 1, n > 0 ? 5 : Out[n]);", 100, 2, {0, 5}},
    /* integers */
    {"store(Out, -7 / n); store(Out + 1, -7 % n); store(Out + 2, cdiv(-7, n));",
     2,
     3,
     {-3, -1, -3}},
    {"uint8_t q = 200; store(Out, q + 100); q += 100; store(Out + 1, q); store(Out + 2, (q & 15) - "
     "15);",
     0,
     3,
     {300, 44, -3}},
    {"unsigned u = n; store(Out, u - 2 > 1000); store(Out + 1, n - 2 > 1000);", 1, 2, {1, 0}},
    {"long big = n; big = big * n * n; store(Out, big / n / n);", 100000, 1, {100000}},
    {"int big = n; big = big * n * n; store(Out, big / n / n);", 100000, 1, {100000}},
    {"store(Out, next_pow2(n)); store(Out + 1, next_pow2(n - 5)); store(Out + 2, next_pow2(64));",
     5,
     3,
     {8, 1, 64}},
    {"bool b = n; store(Out, b + b); store(Out + 1, !b); store(Out + 2, sum(arange(0, 4) > 1));",
     7,
     3,
     {2, 0, 2}},
    {"int8_t small = n; store(Out, small); int16_t other = n + 65536; store(Out + 1, other);",
     300,
     2,
     {44, 300}},
    /* floats */
    {"float x = n; store(Out, x * 0.5); store(Out + 1, cast(int8_t, x * 100)); store(Out + 2, "
     "NAN);",
     5,
     3,
     {2, 127, 0}},
    {"half h = 2049; store(Out, h); store(Out + 1, h * 0.5 + 1);", 0, 2, {2048, 1025}},
    /* shapes */
    {"int x = expand_dims(arange(0, 2), 1) * 10 + expand_dims(arange(0, 3), 0);"
     "store(Out + arange(0, 3), sum(x, axis(0))); store(Out + 3 + arange(0, 2), max(x, axis(1)));",
     0,
     5,
     {10, 12, 14, 2, 12}},
    {"int x = reshape(arange(0, 6), 2, 3); store(Out + arange(0, 6), reshape(trans(x), 6));",
     0,
     6,
     {0, 3, 1, 4, 2, 5}},
    {"int x = join(arange(0, 3), 9); store(Out + arange(0, 3), split(x, 0));"
     "store(Out + 3 + arange(0, 3), split(x, 1));",
     0,
     6,
     {0, 1, 2, 9, 9, 9}},
    {"store(Out, argmax(where(arange(0, 8) % 3 == 2, 5, 1)));", 0, 1, {2}},
};

static void computes_what_c_would(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const struct example *e = &examples[i];
        const char *text = arena_format(&f->arena, "%skernel void k(int *Out, int n)\n{\n%s\n}\n",
                                        helpers, e->body);
        int32_t out[OUT_COUNT];
        run(f, text, e->n, out);
        for (int k = 0; k < e->count; k++) {
            if (out[k] != e->expected[k])
                print_message("%s\nn = %d: Out[%d] is %d, expected %d\n", e->body, e->n, k, out[k],
                              e->expected[k]);
            assert_int_equal(out[k], e->expected[k]);
        }
    }
}

/* ---- Launches ---------------------------------------------------------------------------- */

static const char *const launch_text =
    "constexpr int MOST = 1000;\n"
    "launch_grid(k, cdiv(n, B), 2);\n"
    "tune(k, B, next_pow2(n), MOST / 10, missing_later ? 1 : 2);\n"
    "launch_require(k, n <= B, \"too long\");\n"
    "require(k, threads = 4 * B, precision = exact);\n"
    "kernel void k(float *Out, int n, float scale, bool missing_later, constexpr int B)\n"
    "{ store(Out + arange(0, B), scale); }\n";

static void evaluates_grids(void **state)
{
    struct fixture *f = *state;
    struct lang_unit *unit = parse(f, launch_text, NULL, 0);
    const struct ir_kernel *kernel = lower(f, unit, &unit->kernels[0], 16);
    assert_non_null(kernel);
    uint64_t scalars[] = {100, 0, 0}, results[3];
    assert_true(interp_host(kernel->grid, scalars, results, &f->arena, &f->diagnostics));
    assert_int_equal(results[0], 7);
    assert_int_equal(results[1], 2);
    assert_int_equal(kernel->require_count, 1);
    assert_true(interp_host(kernel->launch_requires[0].condition, scalars, results, &f->arena,
                            &f->diagnostics));
    assert_int_equal(results[0], 0);
    assert_int_equal(kernel->requirement_count, 2);
    assert_string_equal(kernel->requirements[0].name, "threads");
    assert_int_equal(kernel->requirements[0].number, 64);
    assert_string_equal(kernel->requirements[1].word, "exact");
}

static void takes_grids_as_text(void **state)
{
    struct fixture *f = *state;
    struct lang_unit *unit = parse(f, launch_text, NULL, 0);
    struct lang_binding b = {"B", 16};
    struct ir_func *grid =
        lang_lower_grid(unit, &f->diagnostics, &unit->kernels[0], &b, 1, "3, cdiv(n, B) + MOST, 1");
    assert_non_null(grid);
    uint64_t scalars[] = {100, 0, 0}, results[3];
    assert_true(interp_host(grid, scalars, results, &f->arena, &f->diagnostics));
    assert_int_equal(results[1], 1007);
    static const char *const wrong[] = {
        "1, 2, 3, 4",    "",         "m",  "Out", "1.5", "1 +", "float", "x = 1", "arange(0, 4)",
        "program_id(0)", "\"text\"", "n n"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        size_t errors = f->diagnostics.error_count;
        assert_null(lang_lower_grid(unit, &f->diagnostics, &unit->kernels[0], &b, 1, wrong[i]));
        assert_true(f->diagnostics.error_count > errors);
    }
}

static void evaluates_tune_values(void **state)
{
    struct fixture *f = *state;
    struct lang_unit *unit = parse(f, launch_text, NULL, 0);
    const struct lang_tune *tune = &unit->kernels[0].tunes[0];
    struct lang_binding n = {"n", 1000};
    int64_t value;
    assert_true(lang_tune_value(unit, tune, 0, &n, 1, &value));
    assert_int_equal(value, 1024);
    assert_true(lang_tune_value(unit, tune, 1, &n, 1, &value));
    assert_int_equal(value, 100);
    assert_false(lang_tune_value(unit, tune, 2, &n, 1, &value)); /* not known yet */
    assert_false(lang_tune_value(unit, tune, 0, NULL, 0, &value));
}

static void takes_requirements_as_text(void **state)
{
    struct fixture *f = *state;
    struct lang_unit *unit = parse(f, launch_text, NULL, 0);
    struct lang_binding b = {"B", 16};
    const char *extra[] = {"buffering=2", "precision=exact"};
    struct ir_kernel *kernel =
        lang_lower(unit, &f->diagnostics, &unit->kernels[0], &b, 1, extra, 2);
    assert_non_null(kernel);
    assert_int_equal(kernel->requirement_count, 3);
    static const char *const wrong[] = {"threads=65", "buffering", "buffering=n", "=", "a=1.5"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_null(lang_lower(unit, &f->diagnostics, &unit->kernels[0], &b, 1, &wrong[i], 1));
}

/* ---- Limits ------------------------------------------------------------------------------ */

/* Lowers text that is too much for something; there must be one error, and soon. */
static void is_too_much(struct fixture *f, const char *text)
{
    struct lang_unit *unit = parse(f, text, NULL, 0);
    assert_null(lower(f, unit, &unit->kernels[0], 4));
    assert_int_equal(f->diagnostics.error_count, 1);
    f->diagnostics.count = f->diagnostics.error_count = 0;
}

static void bounds_its_work(void **state)
{
    struct fixture *f = *state;
    struct text text;
    text_init(&text, &f->arena);
    text_string(&text, "static float f0(float x) { return x; }\n");
    for (int i = 1; i < DOUBLINGS; i++) /* 2^40 calls */
        text_format(&text, "static float f%d(float x) { return f%d(x) + f%d(x); }\n", i, i - 1,
                    i - 1);
    text_format(&text, "kernel void k(float *Out) { store(Out, f%d(1)); }\n", DOUBLINGS - 1);
    is_too_much(f, text.items);

    text_init(&text, &f->arena);
    text_string(&text, "kernel void k(float *Out) {\n");
    for (int i = 0; i < VARIABLES; i++)
        text_format(&text, "float x%d = %d;\n", i, i);
    text_string(&text, "}\n");
    is_too_much(f, text.items);

    text_init(&text, &f->arena); /* helpers of nine levels in a chain */
    text_string(&text, "static float f0(float x) { return x; }\n");
    for (int i = 1; i < CHAIN; i++)
        text_format(
            &text, "static float f%d(float x) { return ((((((((f%d(x)+1)+1)+1)+1)+1)+1)+1)+1); }\n",
            i, i - 1);
    text_format(&text, "kernel void k(float *Out) { store(Out, f%d(1)); }\n", CHAIN - 1);
    is_too_much(f, text.items);
}

/* Loops in loops, in which a scalar takes a shape: the attempts must not multiply. */
static void nests_loops_cheaply(void **state)
{
    struct fixture *f = *state;
    struct text text;
    text_init(&text, &f->arena);
    text_string(&text, "kernel void k(float *Out, int n) { float s = 0, t = 0; int j = 0;\n");
    for (int i = 0; i < LOOPS; i++)
        text_format(&text, "for (int i%d = 0; i%d < n; i%d++)\n", i, i, i);
    text_string(&text, "{ s += t; t += arange(0, 4); j += i3; }\nstore(Out, sum(s) + j); }\n");
    struct lang_unit *unit = parse(f, text.items, NULL, 0);
    const struct ir_kernel *kernel = lower(f, unit, &unit->kernels[0], 4);
    if (!kernel)
        print_diagnostics(f);
    assert_non_null(kernel);
    check_ir(f, kernel);
}

/* ---- Failing allocations ----------------------------------------------------------------- */

struct failing {
    long left;
};

static void *allocate(void *user, size_t size)
{
    struct failing *failing = user;
    return failing->left-- > 0 ? malloc(size) : NULL;
}

static void release(void *user, void *memory)
{
    (void)user;
    free(memory);
}

static void compile_everything(void *user)
{
    struct fixture *f = user;
    diagnostics_init(&f->diagnostics, &f->arena);
    struct lang_unit *unit = parse(f, launch_text, NULL, 0);
    assert_non_null(lower(f, unit, &unit->kernels[0], 16));
}

static void survives_failing_allocations(void **state)
{
    (void)state;
    bool finished = false;
    for (long n = 0; !finished && n < 1000; n++) {
        struct fixture f = {0};
        struct failing failing = {n};
        struct allocator allocator = {allocate, release, &failing};
        arena_init(&f.arena, allocator, &f.out_of_memory);
        finished = guard_run(&f.arena, compile_everything, &f);
        arena_free(&f.arena);
    }
    assert_true(finished);
}

/* A name that became a built-in needs no hint any more, and would never show it. */
static void foreign_names_are_no_builtins(void **state)
{
    static const char *const names[] = {
#define FOREIGN(name, hint) #name,
#define FOREIGN_VALUE(name, hint) #name,
#define FOREIGN_FAMILY(name, hint) #name,
#include "lang/foreign.def"
    };
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (ast_is_builtin(names[i]))
            fail_msg("'%s' of foreign.def is a built-in", names[i]);
        for (size_t k = 0; k < i; k++)
            if (strcmp(names[i], names[k]) == 0)
                fail_msg("'%s' stands twice in foreign.def", names[i]);
    }
}

/* No family takes in a built-in, whose misspellings would get its hint. */
static void foreign_families_hold_no_builtin(void **state)
{
    static const char *const names[] = {
#define BUILTIN(name, ...) #name,
#include "lang/builtins.def"
#undef BUILTIN
    };
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (foreign_hint(names[i]))
            fail_msg("'%s' gets the hint of a family", names[i]);
}

/* A function of <math.h> is here, or it has a hint: by its letters alone tanf is near to tanh. */
static void mathematics_of_c_has_hints(void **state)
{
    static const char *const names[] = {
        "acos",  "acosh",     "asin",   "asinh",     "atan",   "atan2",  "atanh",     "cbrt",
        "ceil",  "copysign",  "cos",    "cosh",      "erf",    "erfc",   "exp",       "exp2",
        "expm1", "fabs",      "fdim",   "floor",     "fma",    "fmax",   "fmin",      "fmod",
        "frexp", "hypot",     "ilogb",  "ldexp",     "lgamma", "llrint", "llround",   "log",
        "log10", "log1p",     "log2",   "logb",      "lrint",  "lround", "modf",      "nearbyint",
        "pow",   "nextafter", "remquo", "remainder", "rint",   "round",  "roundeven", "scalbln",
        "sin",   "scalbn",    "sinh",   "sqrt",      "tan",    "tanh",   "tgamma",    "trunc",
        "exp10", "nexttoward"};
    static const char *const endings[] = {"", "f", "l"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
            char name[32];
            snprintf(name, sizeof name, "%s%s", names[i], endings[k]);
            if (!ast_is_builtin(names[i]) && !foreign_hint(name))
                fail_msg("'%s' has no hint", name);
        }
    /* What may be a variable's name is one where it is not called. */
    assert_null(foreign_value_hint("length"));
    assert_non_null(foreign_hint("length"));
    assert_non_null(foreign_value_hint("threadIdx"));
    assert_null(foreign_hint("lengthy"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(lowers_shipped_kernels, begin, end),
        cmocka_unit_test_setup_teardown(lowers_examples_of_the_manual, begin, end),
        cmocka_unit_test_setup_teardown(manual_lists_every_builtin, begin, end),
        cmocka_unit_test(foreign_names_are_no_builtins),
        cmocka_unit_test(foreign_families_hold_no_builtin),
        cmocka_unit_test(mathematics_of_c_has_hints),
        cmocka_unit_test_setup_teardown(computes_what_c_would, begin, end),
        cmocka_unit_test_setup_teardown(evaluates_grids, begin, end),
        cmocka_unit_test_setup_teardown(takes_grids_as_text, begin, end),
        cmocka_unit_test_setup_teardown(evaluates_tune_values, begin, end),
        cmocka_unit_test_setup_teardown(takes_requirements_as_text, begin, end),
        cmocka_unit_test_setup_teardown(bounds_its_work, begin, end),
        cmocka_unit_test_setup_teardown(nests_loops_cheaply, begin, end),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
