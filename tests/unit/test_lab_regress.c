/*
 * Whole compilers against each other: the verdict on four processes' answers, which are made up
 * here, and what makes them incomparable. tests/cli/lab_regress.txt starts processes.
 */
#include "base/guard.h"
#include "lab/process.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;
static jmp_buf failure;
static struct lab_experiment experiment;

static int set_up(void **state)
{
    const char *error = NULL;
    (void)state;
    if (setjmp(failure))
        return -1;
    arena_init(&arena, allocator_default, &failure);
    return lab_experiment_open(&arena, "lab/regress-cpu.json", &experiment, &error) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    lab_experiment_close(&experiment);
    arena_free(&arena);
    return 0;
}

/* Process p's answer; times[case] in us, 0: the case was wrong. */
static json_t *answer_of(int p, const double *times)
{
    json_t *answer = json_object(), *cases = json_array();
    json_object_set_new(answer, "experiment_sha256", json_string(experiment.sha256));
    json_object_set_new(answer, "device", json_string("made up"));
    json_object_set_new(answer, "platform", json_string("paper"));
    json_object_set_new(answer, "target", json_string("cpu"));
    json_object_set_new(answer, "compiler_implementation_sha256",
                        json_string(lab_process_side[p] ? "new" : "old"));
    for (size_t i = 0; i < experiment.case_count; i++) {
        json_t *one = json_object(), *timing = json_object();
        json_object_set_new(one, "name", json_string(experiment.cases[i].name));
        json_object_set_new(one, "input_sha256", json_string("same"));
        json_object_set_new(one, "source_sha256", json_string(lab_process_side[p] ? "b" : "a"));
        json_object_set_new(one, "status", json_string(times[i] > 0 ? "ok" : "error"));
        json_object_set_new(timing, "wall_us", json_real(times[i]));
        if (times[i] > 0)
            json_object_set_new(one, "timing", timing);
        else
            json_decref(timing);
        json_array_append_new(cases, one);
    }
    json_object_set_new(answer, "cases", cases);
    return answer;
}

struct session {
    json_t *answers[LAB_PROCESS_COUNT], *record;
    struct lab_regression regression;
    const char *error;
};

/* All cases take 10 us in all processes, but for case 0. */
static struct session open_session(const double first[LAB_PROCESS_COUNT])
{
    struct session s = {.record = json_object(), .regression = {.threshold = 0.03}};
    double times[16];
    for (int p = 0; p < LAB_PROCESS_COUNT; p++) {
        for (size_t i = 0; i < experiment.case_count; i++)
            times[i] = 10;
        times[0] = first[p];
        s.answers[p] = answer_of(p, times);
    }
    return s;
}

static bool compare(struct session *s)
{
    s->error = NULL;
    return lab_process_compare(&arena, &experiment, s->answers, s->record, &s->regression,
                               &s->error);
}

static void close_session(struct session *s)
{
    for (int p = 0; p < LAB_PROCESS_COUNT; p++)
        json_decref(s->answers[p]);
    json_decref(s->record);
}

static void verdicts(void **state)
{
    /* baseline, current, current, baseline */
    static const struct {
        double first[LAB_PROCESS_COUNT];
        bool regressed;
    } cases[] = {
        {{10, 10, 10, 10}, false},        {{10, 10.2, 10.2, 10}, false}, /* below the threshold */
        {{10, 10.5, 10.5, 10}, true},     /* beyond it, and nothing is noisy */
        {{10, 9, 9, 10}, false},          /* faster */
        {{10, 10.9, 10.4, 10}, true},     /* noisy by 4.7%, slower by 6.5% */
        {{10, 11.3, 10.0, 10}, false},    /* one slow process: the sides are 12% apart */
        {{9.5, 10.6, 10.6, 10.6}, false}, /* slower by 5.6%, but the baseline moved by 11% */
        {{10, 0, 10, 10}, true},          /* wrong now */
        {{0, 10, 10, 10}, false},         /* was wrong before: nothing to compare with */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct session s = open_session(cases[i].first);
        assert_true(compare(&s));
        if (s.regression.regressed != cases[i].regressed)
            fail_msg("row %zu: regressed is %d", i, s.regression.regressed);
        const json_t *verdict = json_object_get(s.record, "regression");
        assert_int_equal(json_is_true(json_object_get(verdict, "passed")), !cases[i].regressed);
        close_session(&s);
    }
}

/* The noise of the session counts for a case that looks quiet itself. */
static void noise_of_the_session(void **state)
{
    static const double first[LAB_PROCESS_COUNT] = {10, 10.5, 10.5, 10};
    (void)state;
    struct session s = open_session(first);
    for (size_t i = 1; i < experiment.case_count; i++) {
        json_t *one = json_array_get(json_object_get(s.answers[3], "cases"), i);
        json_object_set_new(json_object_get(one, "timing"), "wall_us", json_real(11));
    }
    assert_true(compare(&s));
    assert_false(s.regression.regressed);
    assert_true(fabs(s.regression.noise - log(1.1)) < 1e-9);
    close_session(&s);
}

static void record_of_processes(void **state)
{
    static const double first[LAB_PROCESS_COUNT] = {8, 4, 9, 18};
    (void)state;
    struct session s = open_session(first);
    assert_true(compare(&s));
    const json_t *one = json_array_get(json_object_get(s.record, "comparisons"), 0);
    const json_t *wall = json_object_get(one, "wall_us");
    assert_true(fabs(json_real_value(json_object_get(wall, "baseline")) - 12) < 1e-9);
    assert_true(fabs(json_real_value(json_object_get(wall, "current")) - 6) < 1e-9);
    assert_true(fabs(json_real_value(json_object_get(wall, "speedup")) - 2) < 1e-9);
    const json_t *baseline = json_object_get(json_object_get(wall, "samples"), "baseline");
    assert_true(json_real_value(json_array_get(baseline, 0)) == 8);
    assert_true(json_real_value(json_array_get(baseline, 1)) == 18);
    const json_t *sources = json_object_get(one, "source_sha256");
    assert_string_equal(json_string_value(json_object_get(sources, "current")), "b");
    const json_t *samples = json_object_get(s.record, "samples");
    assert_ptr_equal(json_array_get(json_object_get(samples, "baseline"), 1), s.answers[3]);
    assert_ptr_equal(json_array_get(json_object_get(samples, "current"), 0), s.answers[1]);
    close_session(&s);
}

static void incomparable(void **state)
{
    static const double first[LAB_PROCESS_COUNT] = {10, 10, 10, 10};
    static const struct {
        int process;
        const char *key, *value, *error;
    } cases[] = {
        {2, "device", "another", "the second current process has another device than the first"},
        {1, "platform", "another", "another platform"},
        {3, "experiment_sha256", "x", "the second baseline process measured another experiment"},
        {2, "compiler_implementation_sha256", "x", "the current compiler changed between"},
        {3, "compiler_implementation_sha256", "x", "the baseline compiler changed between"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct session s = open_session(first);
        json_object_set_new(s.answers[cases[i].process], cases[i].key, json_string(cases[i].value));
        assert_false(compare(&s));
        if (!strstr(s.error, cases[i].error))
            fail_msg("'%s' does not say '%s'", s.error, cases[i].error);
        close_session(&s);
    }
    struct session s = open_session(first);
    json_t *one = json_array_get(json_object_get(s.answers[1], "cases"), 2);
    json_object_set_new(one, "input_sha256", json_string("others"));
    assert_false(compare(&s));
    assert_non_null(strstr(s.error, "had other inputs in the case 'float16_1x1024'"));
    json_array_remove(json_object_get(s.answers[1], "cases"), 7);
    assert_false(compare(&s));
    assert_non_null(strstr(s.error, "has 7 cases, the experiment 8"));
    close_session(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts),
        cmocka_unit_test(noise_of_the_session),
        cmocka_unit_test(record_of_processes),
        cmocka_unit_test(incomparable),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
