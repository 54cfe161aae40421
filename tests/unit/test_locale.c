/*
 * A host program may have set a locale whose decimal point is a comma: every text that the library
 * makes or reads is the same as without. The locale is the system's or made for the test.
 */
#include <tilec/lab.h>
#include <tilec/tilec.h>

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../skip.h"
#include "base/sha256.h"

#include "lab_records.h"

static const char text[] = "launch_grid(k, 1);\n"
                           "kernel void k(const float *X, float *Y, double *Z, float s, int n)\n"
                           "{\n"
                           "    int i = arange(0, 64);\n"
                           "    int lost = 3.7;\n"
                           "    float x = load(X + i, i < n);\n"
                           "    store(Y + i, 0.37f * x + s * 1.5e-7f + (half)0.3);\n"
                           "    store(Z + i, cast(double, exp(x)) * 0.1 + 2.5);\n"
                           "    tile_print(\"s\", s);\n"
                           "}\n";

static char folder[] = "/tmp/tilec-locale-XXXXXX";

/* A locale with a decimal comma, or NULL. */
static const char *comma(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "pt_BR.UTF-8"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (setlocale(LC_ALL, names[i]))
            return names[i];
    char command[200];
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >%s/log 2>&1",
             folder, folder);
    if (system(command) != 0)
        return NULL;
    setenv("LOCPATH", folder, 1);
    return setlocale(LC_ALL, "de_DE.UTF-8");
}

static bool has_comma(const char *name)
{
    return setlocale(LC_ALL, name) && strcmp(localeconv()->decimal_point, ",") == 0;
}

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : 1;
}

static int tear_down(void **state)
{
    (void)state;
    char command[100];
    setlocale(LC_ALL, "C");
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* ---- what is compared ------------------------------------------------------------------------ */

struct told {
    char bytes[1 << 20];
    size_t count;
};

static void tell(struct told *told, const char *what, const char *given, size_t length)
{
    size_t left = sizeof told->bytes - told->count;
    assert_true(length + 100 < left);
    told->count += (size_t)snprintf(told->bytes + told->count, left, "---- %s\n%.*s\n", what,
                                    (int)length, given);
}

static void print(void *user, const char *given, size_t length)
{
    tell(user, "print", given, length);
}

static void tell_diagnostics(struct told *told, tilec_context *context)
{
    for (size_t i = 0; i < tilec_diagnostic_count(context); i++) {
        tilec_diagnostic d;
        assert_int_equal(tilec_diagnostic_get(context, i, &d), TILEC_OK);
        tell(told, "diagnostic", d.text, strlen(d.text));
    }
}

static void tell_stages(struct told *told, tilec_context *context, tilec_program *program)
{
    static const struct {
        const char *name, *target;
        tilec_stage stage;
    } stages[] = {{"ast", NULL, TILEC_STAGE_AST},
                  {"lowered", NULL, TILEC_STAGE_LOWERED},
                  {"tile", NULL, TILEC_STAGE_TILE},
                  {"llvm", "cpu", TILEC_STAGE_LLVM},
                  {"assembly", "cpu", TILEC_STAGE_ASSEMBLY},
                  {"gpu", "cuda", TILEC_STAGE_GPU},
                  {"cuda", "cuda", TILEC_STAGE_CUDA}};
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        tilec_compile_options options = {.size = sizeof options, .target = stages[i].target};
        char *made = NULL;
        size_t length;
        if (tilec_emit(program, &options, stages[i].stage, &made, &length) == TILEC_OK)
            tell(told, stages[i].name, made, length);
        tell_diagnostics(told, context);
        tilec_release(context, made);
    }
    for (int form = TILEC_REPORT_JSON; form <= TILEC_REPORT_TEXT; form++) {
        tilec_compile_options options = {.size = sizeof options};
        char *made = NULL;
        size_t length;
        if (tilec_explain(program, &options, (tilec_report_form)form, &made, &length) == TILEC_OK)
            tell(told, "report", made, length);
        tilec_release(context, made);
    }
}

/* Launches with the value that was fixed, then with another, which is refused in words. */
static void tell_launches(struct told *told, tilec_context *context, tilec_program *program,
                          const char *target)
{
    float x[64], y[64];
    double z[64];
    int64_t shape = 64;
    tilec_kernel *kernel = NULL;
    tilec_compile_options options = {.size = sizeof options, .target = target};
    tilec_status status = tilec_program_compile(program, &options, &kernel);
    tell_diagnostics(told, context);
    if (status != TILEC_OK)
        return;
    for (int i = 0; i < 64; i++)
        x[i] = (float)i / 64;
    for (int other = 0; other < 2; other++) {
        tilec_argument arguments[] = {
            tilec_buffer(TILEC_F32, x, 1, &shape), tilec_buffer(TILEC_F32, y, 1, &shape),
            tilec_buffer(TILEC_F64, z, 1, &shape), tilec_float(TILEC_F32, other ? 0.75 : 0.25),
            tilec_int(TILEC_I32, 64)};
        tilec_launch_options launch = {.size = sizeof launch, .print = print, .user = told};
        status = tilec_launch(kernel, NULL, arguments, 5, &launch);
        assert_int_equal(status, other ? TILEC_ERROR_ARGUMENT : TILEC_OK);
        tell_diagnostics(told, context);
    }
    assert_true(y[63] > 0.66f && y[63] < 0.67f);
    assert_true(z[63] > 2.76 && z[63] < 2.77);
    tilec_kernel_destroy(kernel);
}

static void tell_compiler(struct told *told)
{
    tilec_context *context;
    tilec_program *program;
    tilec_context_options options = {.size = sizeof options, .cache_directory = ""};
    tilec_define fixed = {"s", "0.25"};
    tilec_source source = {.size = sizeof source,
                           .path = "locale.tile.c",
                           .text = text,
                           .defines = &fixed,
                           .define_count = 1};
    assert_int_equal(tilec_context_create(&options, &context), TILEC_OK);
    assert_int_equal(tilec_program_create(context, &source, &program), TILEC_OK);
    tell_stages(told, context, program);
    tell_launches(told, context, program, "interp");
    tell_launches(told, context, program, "cpu");
    tilec_program_destroy(program);
    tilec_context_destroy(context);
}

/* ---- the tests ------------------------------------------------------------------------------- */

/* Calls in the "C" locale and in one with a comma, and compares what they tell. */
static void compare(void (*call)(struct told *told))
{
    struct told *expected = calloc(1, sizeof *expected), *told = calloc(1, sizeof *told);
    assert_non_null(expected);
    assert_non_null(told);
    setlocale(LC_ALL, "C");
    call(expected);
    const char *name = comma();
    if (!name || !has_comma(name)) {
        free(expected);
        free(told);
        SKIP("no locale with a decimal comma is here, and localedef makes none");
    }
    call(told);
    assert_string_equal(localeconv()->decimal_point, ","); /* it is as it was */
    char printed[20];
    snprintf(printed, sizeof printed, "%.1f", 0.5);
    assert_string_equal(printed, "0,5");
    setlocale(LC_ALL, "C");
    assert_true(expected->count > 1000);
    assert_string_equal(told->bytes, expected->bytes);
    free(expected);
    free(told);
}

static void the_compiler(void **state)
{
    (void)state;
    compare(tell_compiler);
}

static char record_path[100];

static void tell_lab(struct told *told)
{
    tilec_lab_text lab = {0};
    for (int format = TILEC_LAB_TABLE; format <= TILEC_LAB_HTML; format++) {
        lab = (tilec_lab_text){0};
        assert_int_equal(tilec_lab_show(record_path, (tilec_lab_format)format, &lab), TILEC_OK);
        tell(told, "show", lab.text, strlen(lab.text));
        tilec_lab_text_free(&lab);
    }
    lab = (tilec_lab_text){0};
    tilec_status status = tilec_lab_verify(record_path, &lab);
    tell(told, "verify", status == TILEC_OK ? lab.text : lab.error,
         strlen(status == TILEC_OK ? lab.text : lab.error));
    assert_int_equal(status, TILEC_OK);
    tilec_lab_text_free(&lab);
}

static void the_lab(void **state)
{
    (void)state;
    struct arena arena;
    struct maker maker;
    jmp_buf failure;
    if (setjmp(failure))
        fail_msg("no memory");
    arena_init(&arena, allocator_default, &failure);
    setlocale(LC_ALL, "C");
    maker_open(&maker, &arena, "tests/lab/declared-comparison.json");
    json_t *record = make_comparison(&maker, -1);
    lab_experiment_close(&maker.experiment);
    snprintf(record_path, sizeof record_path, "%s/record.json", folder);
    assert_int_equal(json_dump_file(record, record_path, JSON_INDENT(1)), 0);
    json_decref(record);
    arena_free(&arena);
    compare(tell_lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_compiler), cmocka_unit_test(the_lab)};
    return RUN_TESTS(tests, set_up, tear_down);
}
