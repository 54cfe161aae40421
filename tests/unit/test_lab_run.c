/*
 * tilec_lab_run on the processor at hand: what stands in a record when all is well, and when an arm
 * is wrong, missing, or somebody else's. The clock is the test's own, so that times are known.
 */
#include <tilec/lab.h>

#include <jansson.h>
#include <math.h>
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

/* Each look at it takes 10 us. */
static double ticking(void *user)
{
    double *seconds = user;
    return *seconds += 10e-6;
}

static double seconds;

static tilec_lab_options options_with(const tilec_lab_external *external)
{
    tilec_lab_options options = {.size = sizeof options,
                                 .externals = external,
                                 .external_count = external ? 1 : 0,
                                 .now = ticking,
                                 .clock_user = &seconds};
    return options;
}

/* tests/lab/small.json with a part replaced, in a file beside it: path is a template for its name. */
static void write_experiment(const char *from, const char *to, char *path)
{
    static char text[1 << 14];
    FILE *file = fopen("tests/lab/small.json", "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    char *at = strstr(text, from);
    assert_non_null(at);
    file = fdopen(mkstemp(path), "w");
    fprintf(file, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    fclose(file);
}

/* The record of such an experiment, or NULL with the error printed into why. */
static json_t *run(const char *from, const char *to, const tilec_lab_options *options, char *why)
{
    char path[] = "tests/lab/tmp_XXXXXX";
    write_experiment(from, to, path);
    tilec_lab_text record = {0};
    seconds = 0;
    tilec_status status = tilec_lab_run(path, options, &record);
    unlink(path);
    json_t *json = status == TILEC_OK ? json_loads(record.text, 0, NULL) : NULL;
    snprintf(why, 512, "%s", record.error ? record.error : "");
    tilec_lab_text_free(&record);
    return json;
}

static json_t *run_fine(const char *from, const char *to, const tilec_lab_options *options)
{
    char why[512];
    json_t *json = run(from, to, options, why);
    if (!json)
        fail_msg("no record: %s", why);
    return json;
}

/* The value at "cases.0.summary"; fails when it is not there. */
static const json_t *at(const json_t *json, const char *place)
{
    char key[64];
    for (const char *rest = place; *rest;) {
        size_t length = strcspn(rest, ".");
        snprintf(key, sizeof key, "%.*s", (int)length, rest);
        json = json_is_array(json) ? json_array_get(json, (size_t)atoi(key))
                                   : json_object_get(json, key);
        if (!json)
            fail_msg("no '%s' in '%s'", key, place);
        rest += length + (rest[length] == '.');
    }
    return json;
}

static const char *text_at(const json_t *json, const char *place)
{
    const char *text = json_string_value(at(json, place));
    return text ? text : "(no text)";
}

static double number_at(const json_t *json, const char *place)
{
    return json_number_value(at(json, place));
}

static void near(double got, double wanted)
{
    if (!(fabs(got - wanted) <= 1e-6 * fabs(wanted)))
        fail_msg("%.17g, not %.17g", got, wanted);
}

/* ---- somebody else's arm: RMSNorm by a plain loop over float --------------------------------- */

struct mine {
    tilec_lab_tensor x, w, out;
    int64_t rows, width;
    double epsilon;
    int runs;
};

static int opened, closed;

static tilec_status mine_open(void *user, const tilec_lab_case *c, void **arm, char *why,
                              size_t why_size)
{
    if (c->type != TILEC_F32) {
        snprintf(why, why_size, "float only");
        return TILEC_ERROR_TARGET;
    }
    assert_string_equal(c->problem, "rmsnorm");
    assert_string_equal(c->dimensions[1].name, "width");
    struct mine *mine = calloc(1, sizeof *mine);
    *mine = (struct mine){c->tensors[0],
                          c->tensors[1],
                          c->tensors[2],
                          c->dimensions[0].size,
                          c->dimensions[1].size,
                          c->epsilon,
                          0};
    assert_true(c->tensors[2].is_output);
    *(int *)user += 1;
    *arm = mine;
    return TILEC_OK;
}

static tilec_status mine_run(void *arm, double *device_seconds)
{
    struct mine *mine = arm;
    (void)device_seconds;
    mine->runs++;
    const float *x = mine->x.data, *w = mine->w.data;
    float *out = mine->out.data;
    for (int64_t r = 0; r < mine->rows; r++) {
        double sum = 0;
        for (int64_t i = 0; i < mine->width; i++)
            sum += (double)x[r * mine->width + i] * (double)x[r * mine->width + i];
        float scale = (float)(1 / sqrt(sum / (double)mine->width + mine->epsilon));
        for (int64_t i = 0; i < mine->width; i++)
            out[r * mine->width + i] = x[r * mine->width + i] * scale * w[i];
    }
    return TILEC_OK;
}

static void mine_close(void *arm)
{
    closed++;
    free(arm);
}

static const tilec_lab_external mine = {"mine", "1.0", &opened, mine_open, mine_run, mine_close, 0, NULL};

/* ---- tests ----------------------------------------------------------------------------------- */

static void record_of_a_comparison(void **state)
{
    (void)state;
    tilec_lab_options options = options_with(NULL);
    json_t *json = run_fine("\"small\"", "\"small\"", &options);
    assert_string_equal(text_at(json, "kind"), "comparison");
    assert_int_equal(json_integer_value(at(json, "process_id")), getpid());
    assert_int_equal(strlen(text_at(json, "compiler_implementation_sha256")), 64);
    assert_int_equal(number_at(json, "configuration.seed"), 619);
    assert_int_equal(json_array_size(at(json, "cases")), 2);
    for (int c = 0; c < 2; c++) {
        const json_t *one = json_array_get(at(json, "cases"), (size_t)c);
        assert_string_equal(text_at(one, "status"), "ok");
        assert_true(json_is_true(at(one, "correctness.candidate.passed")));
        assert_true(json_is_true(at(one, "correctness.loop.passed")));
        assert_int_equal(json_array_size(at(one, "rounds")), 2);
        assert_true(number_at(one, "rounds.1.loop.pairs") >= 20);
        /* A dispatch looks at the clock twice, a sample twice around it, whatever the arm. */
        near(number_at(one, "rounds.0.loop.wall_us.candidate"), 30);
        near(number_at(one, "rounds.0.loop.device_us.control"), 10);
        near(number_at(one, "summary.loop.wall_us.speedup"), 1);
        near(number_at(one, "summary.null.wall_us.paired.latency_ratio"), 1);
        assert_string_equal(text_at(one, "shaders.loop.function_name"), "rmsnorm");
        assert_string_equal(text_at(one, "shaders.loop.constants.BLOCK"), "128");
        assert_non_null(strstr(text_at(one, "shaders.loop.source"), "launch_grid(rmsnorm, rows)"));
        assert_string_equal(text_at(one, "compilations.loop.path"), "cpu");
    }
    assert_string_equal(text_at(json, "absent.0.name"), "library");
    near(number_at(json, "noise_floor.wall_latency_ratio"), 1);
    /* Every ratio is 1: nothing is too slow, and what was to be faster is not. */
    const json_t *gate = at(json, "promotion_gate.comparisons.loop");
    assert_int_equal(json_array_size(at(gate, "failed_wall_cases")), 0);
    assert_int_equal(json_array_size(at(gate, "failed_device_cases")), 2);
    json_decref(json);
}

static void somebody_elses_arm(void **state)
{
    (void)state;
    tilec_lab_options options = options_with(&mine);
    opened = closed = 0;
    json_t *json = run_fine("\"small\"", "\"small\"", &options);
    /* half: said, and the case stands; float: checked and timed. */
    assert_string_equal(text_at(json, "cases.0.correctness.library.error"), "'mine': float only");
    assert_string_equal(text_at(json, "cases.0.status"), "ok");
    assert_null(json_object_get(at(json, "cases.0.summary"), "library"));
    assert_true(json_is_true(at(json, "cases.1.correctness.library.passed")));
    /* It does not look at the clock itself: 10 us against 30. */
    near(number_at(json, "cases.1.summary.library.wall_us.speedup"), 1.0 / 3);
    assert_null(json_object_get(at(json, "cases.1.summary.library"), "device_us"));
    assert_int_equal(json_array_size(at(json, "absent")), 0);
    assert_int_equal(opened, 1);
    assert_int_equal(closed, 1);
    json_decref(json);
}

/* A wrong arm stays with its error, nothing of the case is timed, and the gate fails. */
static void wrong_arms(void **state)
{
    static const struct {
        const char *kernel, *error;
    } cases[] = {{"wrong.tile.c:rmsnorm_wrong", "elements differ from the reference"},
                 {"wrong.tile.c:rmsnorm_short", "2 elements differ from the reference"},
                 {"wrong.tile.c:rmsnorm_strange",
                  "has a parameter 'strange', which the problem 'rmsnorm' has not"},
                 {"wrong.tile.c:missing", "has no kernel 'missing'"}};
    (void)state;
    tilec_lab_options options = options_with(NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char to[128];
        snprintf(to, sizeof to, "\"name\": \"loop\", \"kernel\": \"%s\"", cases[i].kernel);
        json_t *json = run_fine("\"name\": \"loop\",\n      \"kernel\": "
                                "\"../../kernels/rmsnorm.tile.c:rmsnorm\"",
                                to, &options);
        assert_string_equal(text_at(json, "cases.0.status"), "incomparable");
        assert_true(json_is_false(at(json, "cases.0.correctness.loop.passed")));
        const char *error = text_at(json, "cases.0.correctness.loop.error");
        if (!strstr(error, cases[i].error))
            fail_msg("'%s' does not say '%s'", error, cases[i].error);
        assert_null(json_object_get(at(json, "cases.0"), "rounds"));
        assert_true(json_is_false(at(json, "promotion_gate.passed")));
        assert_int_equal(
            json_array_size(at(json, "promotion_gate.comparisons.loop.failed_wall_cases")), 2);
        assert_string_equal(text_at(json, "promotion_gate.comparisons.loop.failed_device_cases.0"),
                            "float16_2x100");
        json_decref(json);
    }
}

/* A frozen arm without its export is no arm; where nothing could be timed without it, nothing is
 * begun. */
static void frozen_without_export(void **state)
{
    (void)state;
    static const char from[] = "\"name\": \"loop\",";
    static const char to[] = "\"name\": \"loop\", \"frozen\": true,";
    tilec_lab_options options = options_with(NULL);
    char why[512];
    assert_null(run(from, to, &options, why));
    assert_non_null(strstr(why, "'loop' is taken from an export"));
    options.target = "interp";
    json_t *json = run_fine(from, to, &options);
    assert_non_null(strstr(text_at(json, "cases.0.correctness.loop.error"), "an export"));
    assert_string_equal(text_at(json, "cases.0.status"), "incomparable");
    json_decref(json);
}

/* The checkers check; that they take time says nothing. */
static void checking_targets(void **state)
{
    (void)state;
    tilec_lab_options options = options_with(NULL);
    options.target = "interp";
    json_t *json = run_fine("\"small\"", "\"small\"", &options);
    assert_non_null(strstr(text_at(json, "timing_refused"), "'interp'"));
    assert_true(json_is_true(at(json, "cases.1.correctness.candidate.passed")));
    assert_null(json_object_get(at(json, "cases.1"), "summary"));
    assert_true(json_is_false(at(json, "promotion_gate.passed")));
    json_decref(json);
}

/* Several cases at once, or one after the other: the same record but for when it was made. */
static void cases_are_checked_at_once(void **state)
{
    (void)state;
    tilec_lab_options options = options_with(&mine);
    options.target = "interp";
    json_t *records[2];
    for (int i = 0; i < 2; i++) {
        options.jobs = i ? 8 : 1;
        records[i] = run_fine("\"small\"", "\"small\"", &options);
        for (size_t c = 0; c < 2; c++)
            json_object_del((json_t *)json_array_get(at(records[i], "cases"), c), "compile");
    }
    assert_true(json_equal(at(records[0], "cases"), at(records[1], "cases")));
    assert_true(json_equal(at(records[0], "promotion_gate"), at(records[1], "promotion_gate")));
    assert_string_equal(text_at(records[1], "cases.0.name"), "float16_2x100");
    json_decref(records[0]);
    json_decref(records[1]);
}

/* A layout as a constant: a parameter of the kernel, in arms that are frozen too. */
static void layouts_are_constants(void **state)
{
    static const char from[] = "\"../../kernels/rmsnorm.tile.c:rmsnorm\",\n"
                               "      \"constants\": {\"BLOCK\": 128}";
    static const char to[] = "\"layout.tile.c:rmsnorm_layout\", \"frozen\": true, "
                             "\"constants\": {\"N\": \"width\", "
                             "\"L\": \"layout(0, 1, 2, 3, 4, 5, 6, .per_thread = 2)\"}";
    static const char *const targets[] = {"cpu", "interp"};
    (void)state;
    for (int t = 0; t < 2; t++) {
        char baseline[] = "tests/lab/tmp_XXXXXX", experiment[] = "tests/lab/tmp_XXXXXX";
        tilec_lab_options options = options_with(NULL);
        tilec_lab_text text = {0};
        options.target = targets[t];
        write_experiment(from, to, experiment);
        if (tilec_lab_export(experiment, &options, &text) != TILEC_OK)
            fail_msg("%s", text.error);
        FILE *file = fdopen(mkstemp(baseline), "w");
        fwrite(text.text, 1, text.length, file);
        fclose(file);
        tilec_lab_text_free(&text);
        options.baseline = baseline;
        if (tilec_lab_run(experiment, &options, &text) != TILEC_OK)
            fail_msg("%s", text.error);
        json_t *json = json_loads(text.text, 0, NULL);
        assert_true(json_is_true(at(json, "cases.1.correctness.loop.passed")));
        assert_string_equal(text_at(json, "cases.1.shaders.loop.constants.L"),
                            "layout(0, 1, 2, 3, 4, 5, 6, .per_thread = 2)");
        json_decref(json);
        tilec_lab_text_free(&text);
        unlink(baseline);
        unlink(experiment);
    }
}

/* Equal times: no alarm, in as many comparisons as were asked for. */
static void null_experiments(void **state)
{
    (void)state;
    tilec_lab_options options = options_with(NULL);
    tilec_lab_text record = {0};
    assert_int_equal(tilec_lab_null("tests/lab/small.json", 3, 1, &options, &record), TILEC_OK);
    json_t *json = json_loads(record.text, 0, NULL);
    assert_string_equal(text_at(json, "kind"), "null");
    assert_int_equal(number_at(json, "null.experiments"), 6);
    assert_int_equal(number_at(json, "null.alarms.count"), 0);
    near(number_at(json, "null.alarms.interval.1"), 0.4592581); /* 0 of 6, Clopper and Pearson */
    near(number_at(json, "null.apart_wall.greatest"), 1);
    assert_int_equal(json_array_size(at(json, "null.device_latency_ratios.float32_2x100")), 3);
    assert_int_equal(number_at(json, "controls.loop.experiments"), 6);
    assert_int_equal(number_at(json, "controls.loop.slower.count"), 0);
    json_decref(json);
    tilec_lab_text_free(&record);

    options.target = "interp";
    assert_int_equal(tilec_lab_null("tests/lab/small.json", 1, 0, &options, &record),
                     TILEC_ERROR_TARGET);
    assert_non_null(strstr(record.error, "its times are those of the checks"));
    tilec_lab_text_free(&record);
    assert_int_equal(tilec_lab_null("tests/lab/small.json", 0, 0, &options, &record),
                     TILEC_ERROR_INVALID);
}

/* ---- two arms of the caller's ---------------------------------------------------------------- */

struct stepping {
    double *clock, step;
    int fails_at, runs;
};

static tilec_status stepping_run(void *user, double *device_seconds)
{
    struct stepping *arm = user;
    if (++arm->runs == arm->fails_at)
        return TILEC_ERROR_FAULT;
    *arm->clock += arm->step;
    *device_seconds += arm->step / 2;
    return TILEC_OK;
}

static double look(void *user)
{
    return *(double *)user;
}

static void two_callbacks(void **state)
{
    static const struct {
        double step;
        tilec_lab_verdict verdict;
    } cases[] = {{1e-3, TILEC_LAB_SAME},
                 {1.01e-3, TILEC_LAB_SAME},
                 {1.05e-3, TILEC_LAB_SLOWER},
                 {0.9e-3, TILEC_LAB_FASTER}};
    (void)state;
    double clock = 0;
    tilec_lab_compare_options options = {.size = sizeof options, .now = look, .clock_user = &clock};
    tilec_lab_comparison result;
    tilec_lab_text text = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct stepping one = {&clock, 1e-3, 0, 0}, other = {&clock, cases[i].step, 0, 0};
        tilec_lab_arm control = {"one", stepping_run, &one, 1};
        tilec_lab_arm candidate = {"other", stepping_run, &other, i % 2 == 0};
        assert_int_equal(tilec_lab_compare(&control, &candidate, &options, &result, &text),
                         TILEC_OK);
        assert_int_equal(result.verdict, cases[i].verdict);
        near(result.wall.ratio, cases[i].step / 1e-3);
        near(result.wall.control, 1e-3);
        assert_true(result.wall.low <= result.wall.ratio && result.wall.ratio <= result.wall.high);
        near(result.device.ratio, i % 2 == 0 ? cases[i].step / 1e-3 : 0);
        assert_true(result.pairs >= 60 && result.rounds == 3 && result.batch == 1);
    }
    struct stepping one = {&clock, 1e-3, 100, 0};
    tilec_lab_arm arm = {"one", stepping_run, &one, 1};
    assert_int_equal(tilec_lab_compare(&arm, &arm, &options, &result, &text), TILEC_ERROR_FAULT);
    assert_string_equal(text.error, "one: a dispatch failed");
    tilec_lab_text_free(&text);
    arm.run = NULL;
    assert_int_equal(tilec_lab_compare(&arm, &arm, &options, &result, &text), TILEC_ERROR_INVALID);
    options.size = 2;
    arm.run = stepping_run;
    assert_int_equal(tilec_lab_compare(&arm, &arm, &options, &result, &text), TILEC_ERROR_INVALID);
}

static void refusals(void **state)
{
    static const struct {
        const char *from, *to, *why;
    } cases[] = {
        {"\"targets\": [\"cpu\", \"interp\", \"msl-host\"]", "\"targets\": [\"cuda\"]",
         "experiment 'small' is for the targets 'cuda', not for 'cpu'"},
        {"../../kernels/rmsnorm.tile.c:rmsnorm_tile", "nowhere.tile.c:x", "arm 'candidate'"},
        {"\"comparison\"", "\"compare\"", "form: 'compare' is not one of"},
    };
    (void)state;
    tilec_lab_options options = options_with(NULL);
    char why[512];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *json = run(cases[i].from, cases[i].to, &options, why);
        assert_null(json);
        if (!strstr(why, cases[i].why))
            fail_msg("'%s' does not say '%s'", why, cases[i].why);
    }
    tilec_lab_text text = {0};
    static const char *const one[] = {"float32_2x100"}, *const unknown[] = {"float32_2x100", "x"};
    options.cases = one;
    options.case_count = 1;
    json_t *json = run_fine("\"small\"", "\"small\"", &options);
    assert_int_equal(json_array_size(at(json, "cases")), 1);
    assert_string_equal(text_at(json, "cases.0.name"), "float32_2x100");
    near(number_at(json, "cases_left_out"), 1);
    json_decref(json);
    options.cases = unknown;
    options.case_count = 2;
    assert_null(run("\"small\"", "\"small\"", &options, why));
    assert_string_equal(why, "experiment 'small' has no case 'x'");
    options.case_count = 0;
    assert_int_equal(tilec_lab_run(NULL, NULL, &text), TILEC_ERROR_INVALID);
    options.size = 1;
    assert_int_equal(tilec_lab_run("tests/lab/small.json", &options, &text), TILEC_ERROR_INVALID);
    tilec_lab_text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(record_of_a_comparison),
        cmocka_unit_test(somebody_elses_arm),
        cmocka_unit_test(wrong_arms),
        cmocka_unit_test(frozen_without_export),
        cmocka_unit_test(checking_targets),
        cmocka_unit_test(cases_are_checked_at_once),
        cmocka_unit_test(layouts_are_constants),
        cmocka_unit_test(null_experiments),
        cmocka_unit_test(two_callbacks),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
