/*
 * Kernels at the limit of blocks inside each other: what is below it or at it goes through every
 * stage and runs alike, what is one above it, or far above it, is one error in words.
 */
#include <tilec/tilec.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ir/ir.h"
#include "lang/lower.h"

/* Each makes one more block: what opens it, and what closes it behind the innermost statement. */
static const struct kind {
    const char *name, *open, *close;
} kinds[] = {
    {"if", "if (n >= 0)\n", ""},
    {"for", "for (int a = 0; a < one; a++)\n", ""},
    {"while", "while (m < 1)\n", ""},
    {"do", "do\n", "while (m < 1);\n"},
    {"else", "if (n < 0) t = t * 2.0f; else\n", ""},
    {"return", "if (n < 0) return;\nt = t + 1.0f;\n", ""},
    {"mixed", "if (n >= 0) for (int a = 0; a < one; a++)\n", ""},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

static const char head[] = "launch_grid(k, 1);\n"
                           "kernel void k(const float *X, float *Y, int one, int n)\n"
                           "{\n"
                           "int i = arange(0, 64), m = 0;\n"
                           "float t = load(X + i);\n";

static char *source(const struct kind *kind, int count)
{
    char *text = malloc(sizeof head + 1000 + (size_t)count * 100), *end = text;
    assert_non_null(text);
    end += sprintf(end, "%s", head);
    int at_once = strcmp(kind->name, "mixed") == 0 ? 2 : 1; /* blocks that one turn opens */
    for (int i = 0; i < count / at_once; i++)
        end += sprintf(end, "%s", kind->open);
    if (count % at_once)
        end += sprintf(end, "if (n >= 0)\n");
    end += sprintf(end, "{ t = t + 1.0f; m = m + 1; }\n");
    for (int i = 0; i < count / at_once; i++)
        end += sprintf(end, "%s", kind->close);
    sprintf(end, "store(Y + i, t);\n}\n");
    return text;
}

static bool has_target(tilec_context *context, const char *name)
{
    for (size_t i = 0; i < tilec_device_count(context); i++) {
        tilec_device device;
        assert_int_equal(tilec_device_get(context, i, &device), TILEC_OK);
        if (strcmp(device.target, name) == 0)
            return device.available;
    }
    return false;
}

static tilec_program *program_of(tilec_context *context, const char *text)
{
    tilec_source given = {
        .size = sizeof given, .path = "nest.tile.c", .text = text, .text_length = strlen(text)};
    tilec_program *program = NULL;
    tilec_program_create(context, &given, &program);
    return program;
}

static const struct {
    const char *name, *target;
    tilec_stage stage;
} stages[] = {{"tile", "interp", TILEC_STAGE_TILE},
              {"llvm", "cpu", TILEC_STAGE_LLVM},
              {"msl", NULL, TILEC_STAGE_MSL},
              {"cuda", NULL, TILEC_STAGE_CUDA}};

static void expect_stages(tilec_context *context, const struct kind *kind, int count, bool fine)
{
    char *text = source(kind, count);
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        if (stages[i].target && !has_target(context, stages[i].target))
            continue;
        tilec_program *program = program_of(context, text);
        tilec_compile_options options = {.size = sizeof options};
        char *made = NULL;
        size_t length;
        tilec_status status = TILEC_ERROR_COMPILE; /* the parser may refuse it before */
        if (program)
            status = tilec_emit(program, &options, stages[i].stage, &made, &length);
        tilec_release(context, made);
        tilec_program_destroy(program);
        if (status != (fine ? TILEC_OK : TILEC_ERROR_COMPILE))
            fail_msg("%d of '%s', stage %s: status %d", count, kind->name, stages[i].name, status);
        if (fine)
            continue;
        tilec_diagnostic d;
        assert_int_equal(tilec_diagnostic_count(context), 1);
        assert_int_equal(tilec_diagnostic_get(context, 0, &d), TILEC_OK);
        if (!strstr(d.text, "nested too deeply") || d.line < 6)
            fail_msg("%d of '%s', stage %s: %s", count, kind->name, stages[i].name, d.text);
    }
    free(text);
}

static void test_stages(void **state)
{
    (void)state;
    tilec_context *context;
    assert_int_equal(tilec_context_create(NULL, &context), TILEC_OK);
    for (int k = 0; k < KINDS; k++) {
        expect_stages(context, &kinds[k], IR_MAX_BLOCKS - 1, true);
        expect_stages(context, &kinds[k], IR_MAX_BLOCKS, true);
        expect_stages(context, &kinds[k], IR_MAX_BLOCKS + 1, false);
        expect_stages(context, &kinds[k], 10 * 1000, false);
    }
    tilec_context_destroy(context);
}

static void expect_run(tilec_context *context, const struct kind *kind, const char *target)
{
    char *text = source(kind, IR_MAX_BLOCKS);
    tilec_program *program = program_of(context, text);
    tilec_compile_options options = {.size = sizeof options, .target = target};
    tilec_kernel *kernel;
    assert_int_equal(tilec_program_compile(program, &options, &kernel), TILEC_OK);
    float x[64], y[64];
    int64_t shape = 64;
    for (int i = 0; i < 64; i++)
        x[i] = (float)i, y[i] = -1;
    tilec_argument arguments[] = {tilec_buffer(TILEC_F32, x, 1, &shape),
                                  tilec_buffer(TILEC_F32, y, 1, &shape), tilec_int(TILEC_I32, 1),
                                  tilec_int(TILEC_I32, 5)};
    assert_int_equal(tilec_launch(kernel, NULL, arguments, 4, NULL), TILEC_OK);
    int added = strcmp(kind->name, "return") == 0 ? IR_MAX_BLOCKS + 1 : 1;
    for (int i = 0; i < 64; i++)
        assert_true(y[i] == (float)(i + added));
    tilec_kernel_destroy(kernel);
    tilec_program_destroy(program);
    free(text);
}

static void test_runs(void **state)
{
    (void)state;
    tilec_context *context;
    tilec_context_options options = {.size = sizeof options, .cache_directory = ""};
    assert_int_equal(tilec_context_create(&options, &context), TILEC_OK);
    for (int k = 0; k < KINDS; k++) {
        expect_run(context, &kinds[k], "interp");
        if (has_target(context, "cpu"))
            expect_run(context, &kinds[k], "cpu");
    }
    tilec_context_destroy(context);
}

/* ---- Tile IR as text ------------------------------------------------------------------------- */

static tilec_program *program_of_ir(tilec_context *context, const char *text)
{
    tilec_source given = {.size = sizeof given,
                          .path = "nest.ir",
                          .text = text,
                          .text_length = strlen(text),
                          .tile_ir = 1};
    tilec_program *program = NULL;
    tilec_program_create(context, &given, &program);
    return program;
}

/* As deep as C may be: what the front end makes at its limit is read, and every stage takes it. */
static void test_same_limit(void **state)
{
    (void)state;
    tilec_context *context;
    assert_int_equal(tilec_context_create(NULL, &context), TILEC_OK);
    for (int k = 0; k < KINDS; k++) {
        char *text = source(&kinds[k], IR_MAX_BLOCKS), *lowered, *made;
        size_t length;
        tilec_compile_options options = {.size = sizeof options};
        tilec_program *program = program_of(context, text);
        assert_int_equal(tilec_emit(program, &options, TILEC_STAGE_LOWERED, &lowered, &length),
                         TILEC_OK);
        tilec_program_destroy(program);
        program = program_of_ir(context, lowered);
        for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
            if (stages[i].target && !has_target(context, stages[i].target))
                continue;
            assert_int_equal(tilec_emit(program, &options, stages[i].stage, &made, &length),
                             TILEC_OK);
            tilec_release(context, made);
        }
        tilec_program_destroy(program);
        tilec_release(context, lowered);
        free(text);
    }
    tilec_context_destroy(context);
}

/* Deeper than that it is an error of the text, and never one of a pass. */
static void test_deeper_ir(void **state)
{
    (void)state;
    static const struct {
        const char *open, *behind, *close; /* behind: the open's number, where it has one */
    } nests[] = {{"if %c {\n", NULL, "yield\n} else {\nyield\n}\n"},
                 {"for %i", " = %z to %n step %o {\n", "yield\n}\n"},
                 {"while {\ncondition %c\n} do {\n", NULL, "yield\n}\n"}};
    tilec_context *context;
    assert_int_equal(tilec_context_create(NULL, &context), TILEC_OK);
    for (size_t k = 0; k < sizeof nests / sizeof *nests; k++) {
        for (int count = IR_MAX_BLOCKS; count <= IR_MAX_DEPTH + 1; count++) {
            char *text = malloc(1000 + (size_t)count * 100), *end = text;
            assert_non_null(text);
            end += sprintf(end, "func @k(%%X: ptr<f32>, %%c: bool, %%n: i64) {\n"
                                "%%z = constant {0} : i64\n%%o = constant {1} : i64\n"
                                "%%f = constant {1.0} : f32\n");
            for (int i = 0; i < count; i++) {
                end += sprintf(end, "%s", nests[k].open);
                if (nests[k].behind)
                    end += sprintf(end, "%d%s", i, nests[k].behind);
            }
            end += sprintf(end, "store %%X, %%f\n");
            for (int i = 0; i < count; i++)
                end += sprintf(end, "%s", nests[k].close);
            sprintf(end, "return\n}\n");
            tilec_diagnostic d;
            tilec_program *program = program_of_ir(context, text);
            if ((program != NULL) != (count <= IR_MAX_BLOCKS))
                fail_msg("%d of '%s': %s", count, nests[k].open,
                         tilec_diagnostic_get(context, 0, &d) ? "read" : d.text);
            if (!program) {
                assert_int_equal(tilec_diagnostic_count(context), 1);
                assert_int_equal(tilec_diagnostic_get(context, 0, &d), TILEC_OK);
                assert_non_null(strstr(d.text, "nested too deeply"));
            }
            tilec_program_destroy(program);
            free(text);
        }
    }
    tilec_context_destroy(context);
}

/* ---- chains ---------------------------------------------------------------------------------- */

/* Of indices, whose layouts are asked for from the last one back to the first. */
static void test_chain(void **state)
{
    (void)state;
    enum { CHAIN = LOWER_MAX_WORK / 10 };
    static const char line[] = "p = p + i;\n";
    char *text = malloc(1000 + CHAIN * sizeof line), *end = text;
    assert_non_null(text);
    end += sprintf(end, "launch_grid(k, 1);\n"
                        "kernel void k(const float *X, float *Y, int n)\n"
                        "{\n"
                        "int i = arange(0, 64), p = i;\n");
    for (int i = 0; i < CHAIN; i++)
        end += sprintf(end, "%s", line);
    sprintf(end, "store(Y + i, load(X + p, p < n, 0.0f));\n}\n");
    tilec_context *context;
    assert_int_equal(tilec_context_create(NULL, &context), TILEC_OK);
    for (int stage = TILEC_STAGE_MSL; stage <= TILEC_STAGE_CUDA; stage++) {
        tilec_program *program = program_of(context, text);
        tilec_compile_options options = {.size = sizeof options};
        char *made = NULL;
        size_t length;
        assert_int_equal(tilec_emit(program, &options, (tilec_stage)stage, &made, &length),
                         TILEC_OK);
        tilec_release(context, made);
        tilec_program_destroy(program);
    }
    tilec_context_destroy(context);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stages),     cmocka_unit_test(test_runs),
        cmocka_unit_test(test_same_limit), cmocka_unit_test(test_deeper_ir),
        cmocka_unit_test(test_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
