/* Experiment files: each thing wrong is refused with its place; the shipped ones are read as meant. */
#include "base/guard.h"
#include "base/json_text.h"
#include "lab/experiment.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static struct arena arena;
static jmp_buf failure;

static int set_up(void **state)
{
    (void)state;
    if (setjmp(failure))
        return 1;
    arena_init(&arena, allocator_default, &failure);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_free(&arena);
    return 0;
}

/* The message about the file at lab/NAME.json with the first `from` replaced by `to`; NULL when it is
 * accepted. */
static const char *message_about(const char *name, const char *from, const char *to)
{
    const char *error = NULL;
    size_t length;
    const char *path = arena_format(&arena, "lab/%s.json", name);
    const char *text = json_text_file(&arena, path, 1 << 20, &length, &error);
    assert_non_null(text);
    const char *at = strstr(text, from);
    if (!at)
        fail_msg("'%s' is not in %s", from, path);
    char file[] = "/tmp/test_lab_experiment_XXXXXX";
    int descriptor = mkstemp(file);
    FILE *stream = fdopen(descriptor, "w");
    fprintf(stream, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    fclose(stream);
    struct lab_experiment experiment;
    if (lab_experiment_open(&arena, file, &experiment, &error))
        lab_experiment_close(&experiment);
    unlink(file);
    if (error && strncmp(error, file, strlen(file)) == 0)
        error += strlen(file);
    return error;
}

static void wrong_files(void **state)
{
    (void)state;
    static const struct {
        const char *name, *from, *to, *message;
    } cases[] = {
        {"rmsnorm-register", "tilec_experiment", "metile", ": kind: 'tilec_experiment' is expected"},
        {"rmsnorm-register", "\"version\": 1", "\"version\": 2", ": version: a whole number from 1 to 1"},
        {"rmsnorm-register", "comparison", "compare", ": form: 'compare' is not one of 'comparison', "},
        {"rmsnorm-register", "\"problem\": \"rmsnorm\"", "\"problem\": \"conv\"",
         ": problem: 'conv' is not rmsnorm or gemm"},
        {"rmsnorm-register", "\"seed\": 619", "\"seed\": -1", ": seed: a whole number from 0"},
        {"rmsnorm-register", "\"seed\": 619,", "", ": seed: is missing"},
        {"rmsnorm-register", "\"seed\"", "\"sead\": 1, \"seed\"",
         ": sead: is not known; did you mean 'seed'?"},
        {"rmsnorm-register", "float16_32x1009", "float16_1x1009",
         ": cases[1].name: 'float16_32x1009' is expected: dtype and sizes"},
        {"rmsnorm-register", "\"float16_32x1009\", \"dtype\": \"float16\", \"batches\": 32,",
         "\"float16_1x1009\", \"dtype\": \"float16\", \"batches\": 1,",
         ": cases[1].name: 'float16_1x1009' names an earlier case too"},
        {"rmsnorm-register", "float16_32x1009", "../x", ": cases[1].name: a name of 1 to 63"},
        {"rmsnorm-register", "\"dtype\": \"float16\"", "\"dtype\": \"float8\"",
         ": cases[0].dtype: 'float8' is not"},
        {"rmsnorm-register", "\"width\": 1009", "\"width\": 1009.5", ": cases[0].width: a whole number"},
        {"rmsnorm-register", "\"batches\": 1, \"width\": 1009", "\"batches\": 1048576, \"width\": 1009",
         ": cases[0].name: X would have more than 268435456 elements"},
        {"rmsnorm-register", "\"rtol\": 0.001", "\"rtol\": 2", ": tolerance.float16.rtol: a number from"},
        {"rmsnorm-register", "\"float32\": {\"rtol\"", "\"float64\": {\"rtol\"",
         ": tolerance.float32: is missing"},
        {"rmsnorm-register", "\"rounds\": 3", "\"rounds\": 0", ": configuration.rounds: a whole number"},
        {"rmsnorm-register", "\"rep_ms\": 100.0", "\"rep_ms\": 100, \"minimum_pairs\": 19",
         ": configuration.minimum_pairs: a number from 20"},
        {"rmsnorm-register", "\"candidate\",", "\"null\",", ": candidate.name: 'null' is the name of"},
        {"rmsnorm-register", "\"name\": \"current_control\"", "\"name\": \"candidate\"",
         ": controls[1].name: 'candidate' names an earlier arm too"},
        {"rmsnorm-register", ":rmsnorm_register\"", "\"", ": candidate.kernel: FILE:KERNEL is expected"},
        {"rmsnorm-register", "\"N\": \"width\"", "\"N\": 1.5", ": candidate.constants.N: a whole number"},
        {"rmsnorm-register", "\"frozen\": true", "\"frozen\": 1", ": controls[0].frozen: true or false"},
        {"rmsnorm-register", "\"frozen\": true", "\"external\": \"torch\"",
         ": controls[0].external: only a comparator"},
        {"rmsnorm-register", "[32, 256]", "[]", ": gate.throughput_batches: a list of 1 to"},
        {"rmsnorm-register", "[32, 256]", "[\"32\"]", ": gate.throughput_batches: whole numbers"},
        {"rmsnorm-register", "1.03", "NaN", "' is not JSON that can be read: line"},
        {"rmsnorm-register", "619", "123456789012345678901234567890", "' is not JSON that can be read"},
        {"rmsnorm-tiling", "9473", "1741", ": validation_seed: is the training seed too"},
        {"rmsnorm-tiling", "\"aligned_width\": 1024,", "", ": gate.aligned_width: is missing"},
        {"gemm-staged", "[64, 64, 64]", "[64, 64]", ": cases[0].shape: 3 sizes are expected"},
        {"gemm-staged", "[64, 64, 64]", "[64, 0, 64]", ": cases[0].shape: whole numbers from 1"},
        {"gemm-staged", "buffering=2", "buffering", ": candidate.requirements: texts NAME=VALUE"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *message = message_about(cases[i].name, cases[i].from, cases[i].to);
        if (!message || !strstr(message, cases[i].message))
            fail_msg("%s with '%s': got '%s', wanted '%s'", cases[i].name, cases[i].to,
                     message ? message : "(accepted)", cases[i].message);
    }
}

/* What was declared comes out, and the hash of the declaration does not depend on its layout. */
static void shipped_files(void **state)
{
    (void)state;
    const char *error = NULL;
    struct lab_experiment e;
    assert_true(lab_experiment_open(&arena, "lab/rmsnorm-tiling.json", &e, &error));
    assert_int_equal(e.case_count, 12);
    assert_int_equal(e.arm_count, 10);
    int throughput = 0, ragged = 0;
    for (size_t i = 0; i < e.case_count; i++) {
        throughput += lab_case_throughput(&e, &e.cases[i]);
        ragged += lab_case_ragged(&e, &e.cases[i]);
    }
    assert_int_equal(throughput, 4);
    assert_int_equal(ragged, 6);
    assert_string_equal(e.arms[1].file, "lab/kernels/rmsnorm_register.tile.c");
    assert_string_equal(lab_constant_value(&e, &e.cases[0], &e.arms[1].constants[0]), "1009");
    assert_true(e.arms[9].frozen && e.arms[9].role == LAB_CONTROL);

    char *other = json_dumps(e.json, JSON_INDENT(7));
    char file[] = "/tmp/test_lab_experiment_XXXXXX";
    int descriptor = mkstemp(file);
    assert_true(descriptor >= 0);
    FILE *stream = fdopen(descriptor, "w");
    assert_non_null(stream);
    fputs(other, stream);
    fclose(stream);
    free(other);
    struct lab_experiment again;
    assert_true(lab_experiment_open(&arena, file, &again, &error));
    assert_string_equal(e.sha256, again.sha256);
    unlink(file);
    lab_experiment_close(&again);
    lab_experiment_close(&e);

    assert_null(message_about("rmsnorm-register", "619", "620"));
    assert_null(message_about("gemm-staged", "431", "1"));
}

/* JSON that would take much memory or stack is refused before it is built. */
static void hostile_json(void **state)
{
    (void)state;
    const char *error = NULL;
    char *deep = malloc(1 << 20);
    memset(deep, '[', 1 << 20);
    assert_null(json_text_load(&arena, deep, 1 << 20, &error));
    assert_string_equal(error, "line 1, column 49: more than 48 brackets inside each other");
    size_t many = 2 * (size_t)JSON_TEXT_VALUES + 8;
    char *wide = malloc(many);
    for (size_t i = 0; i < many; i++)
        wide[i] = "0,"[i % 2];
    wide[0] = '[';
    assert_null(json_text_load(&arena, wide, many, &error));
    assert_non_null(strstr(error, "more than 4194304 values"));
    static const char *const wrong[] = {"",       "{",          "[1,]",      "[NaN]",  "[Infinity]",
                                        "[1e999]", "[1] 2",     "[\"\\u0000\"]", "[1 2]",
                                        "{\"a\":1,\"a\":2}",    "[9223372036854775808]",
                                        "[\"\xff\"]"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        json_t *json = json_text_load(&arena, wrong[i], strlen(wrong[i]), &error);
        if (json)
            fail_msg("accepted: %s", wrong[i]);
    }
    static const char odd[] = "{\"b\":[\"]]\\\"[\"],\"a\":1}";
    json_t *fine = json_text_load(&arena, odd, strlen(odd), &error);
    assert_non_null(fine);
    assert_string_equal(json_text_canonical(&arena, fine, NULL), "{\"a\":1,\"b\":[\"]]\\\"[\"]}");
    json_decref(fine);
    free(deep);
    free(wide);
}

/* A right result passes; one wrong element, one left poisoned, or one NaN does not. */
static void checks(void **state)
{
    (void)state;
    const struct lab_problem *gemm = lab_problem_find("gemm");
    struct lab_case c = {.name = "c", .dtype = LAB_FLOAT32, .sizes = {2, 3, 5}};
    struct lab_data data;
    struct lab_check check;
    assert_true(lab_data_make(gemm, &c, 1, &data));
    float *a = data.tensors[0].data, *b = data.tensors[1].data, *out = data.tensors[2].data;
    assert_true(lab_data_check(&data, 0, LAB_POLICY_FLOAT, 1e-6, 1e-6, &check));
    assert_false(check.passed);
    assert_int_equal(check.wrong, 6);
    for (int m = 0; m < 2; m++) {
        for (int n = 0; n < 3; n++) {
            double sum = 0;
            for (int k = 0; k < 5; k++)
                sum += (double)a[m * 5 + k] * b[k * 3 + n];
            out[m * 3 + n] = (float)sum;
        }
    }
    assert_true(lab_data_check(&data, 0, LAB_POLICY_FLOAT, 0, 0, &check));
    assert_true(check.passed && check.max_absolute_error == 0);
    out[5] += 0.25f;
    assert_true(lab_data_check(&data, 0, LAB_POLICY_FLOAT, 1e-6, 1e-6, &check));
    assert_true(!check.passed && check.wrong == 1);
    assert_true(check.max_absolute_error > 0.2499 && check.max_absolute_error < 0.2501);
    lab_data_poison(&data);
    assert_true(out[0] != out[0]);
    lab_data_free(&data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(wrong_files, set_up, tear_down),
        cmocka_unit_test_setup_teardown(shipped_files, set_up, tear_down),
        cmocka_unit_test_setup_teardown(hostile_json, set_up, tear_down),
        cmocka_unit_test_setup_teardown(checks, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
