/*
 * A tuning from export to validation: variants that are wrong or do not fit are not eligible, equal
 * ones are chosen in declared order, the manifest binds the choice, and what comes out verifies.
 * The clock is the test's own: every dispatch takes as long.
 */
#include <tilec/lab.h>

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const char *experiment = "tests/lab/small-tuning.json";
static char folder[] = "/tmp/test_lab_tune_XXXXXX";
static double seconds;

static double ticking(void *user)
{
    (void)user;
    return seconds += 10e-6;
}

static tilec_lab_options options_with(const char *baseline)
{
    tilec_lab_options options = {.size = sizeof options, .baseline = baseline, .now = ticking};
    return options;
}

static const char *path_of(const char *name)
{
    static char paths[8][64];
    static int next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

/* Writes what a call gave; fails with its error. */
static void write_text(tilec_status status, tilec_lab_text *text, const char *name)
{
    if (status != TILEC_OK)
        fail_msg("%s: %s", name, text->error ? text->error : tilec_status_string(status));
    FILE *file = fopen(path_of(name), "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text->text, 1, text->length, file), text->length);
    fclose(file);
    tilec_lab_text_free(text);
}

static json_t *read_json(const char *name)
{
    json_t *json = json_load_file(path_of(name), 0, NULL);
    assert_non_null(json);
    return json;
}

static void export(void)
{
    tilec_lab_options options = options_with(NULL);
    tilec_lab_text text = {0};
    write_text(tilec_lab_export(experiment, &options, &text), &text, "baseline.json");
}

static void tune_and_freeze(void)
{
    tilec_lab_options options = options_with(path_of("baseline.json"));
    tilec_lab_text text = {0};
    write_text(tilec_lab_tune(experiment, &options, &text), &text, "tuning.json");
    write_text(tilec_lab_freeze(experiment, path_of("baseline.json"), path_of("tuning.json"),
                                path_of("manifest.json"), &text),
               &text, "manifest.json");
}

/* In a process of its own, as it must be. The error's text, or NULL. */
static const char *validate(const char *name)
{
    static char why[1024];
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        tilec_lab_options options = options_with(NULL);
        tilec_lab_text text = {0};
        tilec_status status = tilec_lab_validate(path_of(name), &options, &text);
        const char *error = text.error ? text.error : "";
        if (status == TILEC_OK)
            write_text(status, &text, "validation.json");
        else if (write(ends[1], error, strlen(error)) < 0)
            _exit(2);
        _exit(status == TILEC_OK ? 0 : 1);
    }
    close(ends[1]);
    ssize_t length = read(ends[0], why, sizeof why - 1);
    why[length > 0 ? length : 0] = '\0';
    close(ends[0]);
    int status;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? NULL : why;
}

static const json_t *score_of(const json_t *record, const char *name)
{
    const json_t *scores = json_object_get(json_object_get(record, "selection"), "scores");
    for (size_t i = 0; i < json_array_size(scores); i++) {
        const json_t *score = json_array_get(scores, i);
        const json_t *variant = json_object_get(score, "variant");
        if (strcmp(json_string_value(json_object_get(variant, "name")), name) == 0)
            return score;
    }
    fail_msg("no score of '%s'", name);
    return NULL;
}

static void assert_error(const json_t *record, const char *name, const char *wanted)
{
    const json_t *score = score_of(record, name);
    assert_true(json_is_false(json_object_get(score, "eligible")));
    const char *error = json_string_value(json_object_get(score, "error"));
    if (!error || !strstr(error, wanted))
        fail_msg("%s: '%s' does not say '%s'", name, error ? error : "nothing", wanted);
}

static const char *selected(const json_t *record)
{
    const json_t *variant = json_object_get(json_object_get(record, "selection"), "selected");
    const char *name = json_string_value(json_object_get(variant, "name"));
    return name ? name : "(none)";
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void tuning_record(void **state)
{
    (void)state;
    json_t *record = read_json("tuning.json");
    assert_string_equal(json_string_value(json_object_get(record, "kind")), "tuning");
    assert_string_equal(json_string_value(json_object_get(record, "control")), "before");
    assert_int_equal(json_integer_value(json_object_get(record, "training_process_id")), getpid());
    assert_error(record, "wrong", "float32_2x100: 2 elements differ from the reference");
    assert_error(record, "small", "the whole row must fit");
    /* Equal times: the first that is eligible. */
    assert_string_equal(selected(record), "tile");
    const json_t *one = json_array_get(json_object_get(record, "cases"), 1);
    assert_string_equal(json_string_value(json_object_get(one, "status")), "ok");
    const json_t *summary = json_object_get(one, "summary");
    assert_non_null(json_object_get(summary, "tile"));
    assert_non_null(json_object_get(summary, "loop"));
    assert_null(json_object_get(summary, "wrong"));
    assert_null(json_object_get(summary, "before"));
    json_decref(record);
}

static void manifest_and_validation(void **state)
{
    (void)state;
    json_t *manifest = read_json("manifest.json");
    assert_string_equal(json_string_value(json_object_get(manifest, "kind")), "frozen_selection");
    assert_string_equal(selected(manifest), "tile");
    json_decref(manifest);
    const char *why = validate("manifest.json");
    if (why)
        fail_msg("%s", why);
    json_t *record = read_json("validation.json");
    const json_t *variant = json_object_get(record, "selected");
    assert_string_equal(json_string_value(json_object_get(variant, "name")), "tile");
    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(record, "configuration"), "seed")),
        9473);
    json_decref(record);
}

/* What the lab writes, the lab verifies. */
static void fresh_records_verify(void **state)
{
    static const char *const names[] = {"tuning.json", "manifest.json", "validation.json"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        tilec_lab_text text = {0};
        tilec_status status = tilec_lab_verify(path_of(names[i]), &text);
        if (status != TILEC_OK)
            fail_msg("%s: %s%s", names[i], text.error ? text.error : "",
                     text.text ? text.text : "");
        tilec_lab_text_free(&text);
    }
}

/* Writes the record with the value at a path of keys replaced, and verifies it. */
static tilec_status verify_altered(const char *name, const char *const *path, json_t *value)
{
    json_t *record = read_json(name), *at = record;
    for (; path[1]; path++)
        at = json_is_array(at) ? json_array_get(at, (size_t)atoi(path[0]))
                               : json_object_get(at, path[0]);
    if (json_is_array(at))
        json_array_set_new(at, (size_t)atoi(path[0]), value);
    else
        json_object_set_new(at, path[0], value);
    /* Not by the seal of the whole record, which would find everything. */
    json_object_del(record, "record_sha256");
    assert_int_equal(json_dump_file(record, path_of("altered.json"), JSON_REAL_PRECISION(17)), 0);
    json_decref(record);
    tilec_lab_text text = {0};
    tilec_status status = tilec_lab_verify(path_of("altered.json"), &text);
    tilec_lab_text_free(&text);
    return status;
}

static void null_record_verifies(void **state)
{
    static const char *const paths[][5] = {
        {"null", "experiments"},
        {"null", "alarms", "count"},
        {"null", "alarms", "share"},
        {"null", "slower", "interval", "1"},
        {"null", "undecided", "interval", "0"},
        {"null", "alarms_by_ratio_of_medians", "count"},
        {"null", "apart_device", "q95"},
        {"null", "device_latency_ratios", "float16_2x100", "1"},
        {"controls", "loop", "median_device_latency_ratio"},
        {"alarm_threshold"},
    };
    static const char *const same[] = {"null", "experiments", NULL};
    (void)state;
    tilec_lab_options options = options_with(NULL);
    tilec_lab_text text = {0};
    write_text(tilec_lab_null("tests/lab/small.json", 3, 1, &options, &text), &text, "null.json");
    assert_int_equal(verify_altered("null.json", same, json_integer(6)), TILEC_OK);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (verify_altered("null.json", paths[i], json_integer(5)) == TILEC_OK)
            fail_msg("row %zu: the alteration is not found", i);
}

static void refusals(void **state)
{
    (void)state;
    tilec_lab_options options = options_with(NULL);
    tilec_lab_text text = {0};
    assert_int_equal(tilec_lab_tune(experiment, &options, &text), TILEC_ERROR_INVALID);
    assert_non_null(strstr(text.error, "'before' is taken from an export"));
    tilec_lab_text_free(&text);
    assert_int_equal(tilec_lab_tune("tests/lab/small.json", &options, &text), TILEC_ERROR_INVALID);
    assert_non_null(strstr(text.error, "is a comparison, and this needs a tuning"));
    tilec_lab_text_free(&text);
    /* In the process that tuned, a validation proves nothing. */
    assert_int_equal(tilec_lab_validate(path_of("manifest.json"), &options, &text),
                     TILEC_ERROR_INVALID);
    assert_non_null(strstr(text.error, "process"));
    tilec_lab_text_free(&text);
    /* One byte of the tuning record. */
    FILE *file = fopen(path_of("tuning.json"), "a");
    fputc(' ', file);
    fclose(file);
    const char *why = validate("manifest.json");
    assert_non_null(why);
    if (!strstr(why, "tuning"))
        fail_msg("'%s' does not name the tuning record", why);
}

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    export();
    tune_and_freeze();
    return 0;
}

static int tear_down(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

/* Copies a text file into the folder, with every `from` in it replaced, and `more` behind it. */
static void copy_file(const char *path, const char *name, const char *from, const char *to,
                      const char *more)
{
    static char text[1 << 16];
    FILE *in = fopen(path, "r"), *out = fopen(path_of(name), "w");
    assert_true(in && out);
    text[fread(text, 1, sizeof text - 1, in)] = '\0';
    const char *at = text;
    for (const char *next; (next = strstr(at, from)) != NULL; at = next + strlen(from))
        fprintf(out, "%.*s%s", (int)(next - at), at, to);
    fprintf(out, "%s%s", at, more);
    fclose(in);
    fclose(out);
}

/* A choice is of kernels as they were: even a comment that came since is refused, in what was
 * chosen; what was not chosen is nobody's business. */
static void changed_kernels_are_refused(void **state)
{
    (void)state;
    copy_file("tests/lab/small-tuning.json", "moved.json", "../../kernels/", "", "");
    copy_file("kernels/rmsnorm.tile.c", "rmsnorm.tile.c", "\n", "\n", "");
    copy_file("tests/lab/wrong.tile.c", "wrong.tile.c", "\n", "\n", "");
    experiment = path_of("moved.json");
    export();
    experiment = path_of("moved.json");
    tune_and_freeze();
    copy_file("tests/lab/wrong.tile.c", "wrong.tile.c", "\n", "\n", "/* wrong still */\n");
    const char *why = validate("manifest.json");
    if (why)
        fail_msg("%s", why);
    copy_file("kernels/rmsnorm.tile.c", "rmsnorm.tile.c", "\n", "\n", "/* later */\n");
    why = validate("manifest.json");
    if (!why || !strstr(why, "rmsnorm.tile.c' of 'tile' changed since the tuning"))
        fail_msg("validated, or: %s", why ? why : "nothing is said");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tuning_record),
        cmocka_unit_test(manifest_and_validation),
        cmocka_unit_test(fresh_records_verify),
        cmocka_unit_test(null_record_verifies),
        cmocka_unit_test(refusals),
        cmocka_unit_test(changed_kernels_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
