/*
 * Records of our own structure, of every kind, made without measuring: they verify, every alteration
 * but of what the verifier lists is found, and what must be refused has its own message.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/sha256.h"

#include "lab_records.h"
#include "lab_tamper.h"

static struct arena arena;
static jmp_buf failure;
static struct verify_memo memo;

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

enum kind { COMPARISON, INCOMPARABLE, TUNING, BROKEN_TUNING, VALIDATION, PROCESSES, KIND_COUNT };

static json_t *make(enum kind kind)
{
    static const char *const paths[KIND_COUNT] = {
        [COMPARISON] = "tests/lab/declared-comparison.json",
        [INCOMPARABLE] = "tests/lab/declared-comparison.json",
        [TUNING] = "tests/lab/declared-tuning.json",
        [BROKEN_TUNING] = "tests/lab/declared-tuning.json",
        [VALIDATION] = "tests/lab/declared-tuning.json",
        [PROCESSES] = "tests/lab/declared-processes.json",
    };
    struct maker maker;
    json_t *record = NULL;
    maker_open(&maker, &arena, paths[kind]);
    switch (kind) {
    case COMPARISON: record = make_comparison(&maker, -1); break;
    case INCOMPARABLE: record = make_comparison(&maker, 2); break;
    case TUNING: record = make_tuning(&maker, -1); break;
    case BROKEN_TUNING: record = make_tuning(&maker, 1); break;
    case VALIDATION: record = make_validation(&maker); break;
    case PROCESSES: record = make_processes(&maker); break;
    case KIND_COUNT: break;
    }
    lab_experiment_close(&maker.experiment);
    return record;
}

static void assert_verifies(const json_t *record)
{
    char first[256];
    if (tamper_problems(record, &memo, true, first))
        fail_msg("%s", first);
}

/* ---- everything altered ---------------------------------------------------------------------- */

static void altered(enum kind kind, const char *name)
{
    json_t *record = make(kind);
    assert_verifies(record);
    tamper_all(name, record, &memo);
    assert_verifies(record);
    json_decref(record);
}

static void comparison_altered(void **state)
{
    (void)state;
    altered(COMPARISON, "comparison");
}

static void incomparable_altered(void **state)
{
    (void)state;
    altered(INCOMPARABLE, "comparison with a failed control");
}

static void tuning_altered(void **state)
{
    (void)state;
    altered(TUNING, "tuning");
    altered(BROKEN_TUNING, "tuning with a failed variant");
}

static void validation_altered(void **state)
{
    (void)state;
    altered(VALIDATION, "validation");
}

static void processes_altered(void **state)
{
    (void)state;
    altered(PROCESSES, "processes");
}

/* ---- what must be refused -------------------------------------------------------------------- */

/* The value at a path of keys and numbers, such as "cases.0.rounds". */
static json_t *at(json_t *value, const char *path)
{
    char part[64];
    while (*path) {
        size_t length = strcspn(path, ".");
        snprintf(part, sizeof part, "%.*s", (int)length, path);
        value = json_is_array(value) ? json_array_get(value, strtoul(part, NULL, 10))
                                     : json_object_get(value, part);
        if (!value)
            fail_msg("no '%s'", part);
        path += length + (path[length] == '.');
    }
    return value;
}

/* Puts a value in its place, at the last part of the path; NULL takes it away. */
static void put(json_t *root, const char *path, json_t *value)
{
    char container[256];
    const char *last = strrchr(path, '.');
    snprintf(container, sizeof container, "%.*s", last ? (int)(last - path) : 0, path);
    json_t *object = at(root, container);
    last = last ? last + 1 : path;
    if (!value && json_is_array(object))
        json_array_remove(object, strtoul(last, NULL, 10));
    else if (!value)
        json_object_del(object, last);
    else if (json_is_array(object))
        json_array_set_new(object, strtoul(last, NULL, 10), value);
    else
        json_object_set_new(object, last, value);
}

static void refusals(void **state)
{
    (void)state;
    static const struct {
        enum kind kind;
        const char *path, *value, *message;
    } cases[] = {
        {COMPARISON, "cases.3.compilations.candidate.path", "\"offline\"",
         "all arms are compiled in the same way"},
        {COMPARISON, "cases.3.compilations.candidate.flags", "[\"relaxed\"]",
         "all arms are compiled in the same way"},
        {COMPARISON, "cases.1", NULL, "the matrix of cases is not complete and in order"},
        {COMPARISON, "cases.7", NULL, "the matrix of cases is not complete and in order"},
        {COMPARISON, "cases.1.rounds.0.current_control.wall_us.candidate", "0",
         "a finite number above 0 is expected"},
        {COMPARISON, "cases.1.rounds.0.current_control.wall_us.candidate", "-1.5",
         "a finite number above 0 is expected"},
        {COMPARISON, "cases.1.rounds.0.current_control.wall_us.candidate", "null",
         "a number is expected"},
        {COMPARISON, "cases.1.rounds.0.current_control.wall_us.candidate", "\"inf\"",
         "a number is expected"},
        {COMPARISON, "cases.1.rounds.0.current_control.pairs", "19", "at least 20 pairs are needed"},
        {COMPARISON, "cases.1.rounds.1", NULL, "1 rounds, but 2 to 2 are declared"},
        {COMPARISON, "cases.1.rounds.0.current_control", NULL, "comparisons, the summary"},
        {COMPARISON, "cases.1.summary.current_control", NULL, "comparisons, the summary"},
        {COMPARISON, "cases.1.summary.onednn.wall_us", NULL, "is missing, but the rounds have it"},
        {COMPARISON, "cases.1.correctness.candidate", NULL, "every arm is checked before it is timed"},
        {COMPARISON, "cases.1.correctness.candidate.error", "\"wrong\"",
         "is true, but false comes out"},
        {COMPARISON, "cases.1.validated_before_timing", "false", "is false, but true comes out"},
        {COMPARISON, "cases.1.input_sha256", "\"00\"", "comes out"},
        {COMPARISON, "cases.1.shaders.candidate.source", "\"other\"", "comes out"},
        {COMPARISON, "promotion_gate.comparisons.current_control", NULL,
         "is missing: the gate compares with every control"},
        {COMPARISON, "promotion_gate.throughput_batches", "[1]", "is not what the policy says"},
        {COMPARISON, "record_sha256", "\"00\"", "comes out"},
        {COMPARISON, "version", "2", "is 2, but 1 comes out"},
        {COMPARISON, "kind", "\"null and void\"", "for which there are no rules"},
        {COMPARISON, "cases", "[]", "has 0 cases, not 1 to"},
        {COMPARISON, "cases.0.batches", "1e300", "a whole number is expected"},
        {COMPARISON, "cases.0.batches", "1000000000000", "is not from 1 to"},
        {INCOMPARABLE, "cases.2.status", "\"ok\"", "comes out"},
        {INCOMPARABLE, "cases.2.rounds", "[{}]", "the case was timed although an arm of it failed"},
        {INCOMPARABLE, "cases.2.summary", "{\"frozen_baseline\": {}}",
         "the arm was compared although it failed"},
        {TUNING, "cases.7", NULL, "the matrix of cases is not the declared one"},
        {TUNING, "validation_seed", "11", "is the training seed too: nothing was held out"},
        {TUNING, "training_seed", "13", "a tuning is measured with the training seed"},
        {TUNING, "training_process_id", "13", "the tuning is the training process"},
        {TUNING, "selection.heldout_results_used", "true", "is true, but false comes out"},
        {TUNING, "selection.scores.1", NULL, "2 scores for 3 variants"},
        {TUNING, "selection.scores.0.eligible", "false", "is false, but true comes out"},
        {TUNING, "variants.0.name", "\"block32\"", "scores repeat the variants"},
        {TUNING, "control", "\"nothing\"", "is not an arm of the case"},
        {BROKEN_TUNING, "selection.scores.1.eligible", "true", "is true, but false comes out"},
        {VALIDATION, "validation_seed", "11", "a validation is measured with the validation seed"},
        {VALIDATION, "training_seed", "13", "is the training seed too: nothing was held out"},
        {VALIDATION, "process_id", "4710", "is the tuning's process too: a fresh one is needed"},
        {PROCESSES, "pair_order", "[\"baseline\", \"current\"]", "is not what comes out"},
        {PROCESSES, "samples.current.1", NULL, "has 1 processes, the order 2"},
        {PROCESSES, "samples.current.0.compiler_implementation_sha256", "\"00\"",
         "a side is one compiler"},
        {PROCESSES, "samples.current.0.device", "\"another\"", "all processes run the same experiment on one machine"},
        {PROCESSES, "samples.current.0.cases.0.source_sha256", "\"00\"",
         "one compiler makes the same code in every process"},
        {PROCESSES, "samples.current.0.cases.0.timing.device_us", "0",
         "a finite number above 0 is expected"},
        {PROCESSES, "samples.current.0.cases.0.timing.device_min_max_us", "[60, 70]",
         "does not contain the median"},
        {PROCESSES, "regression.regressed_cases", "[]", "is not what comes out"},
        {PROCESSES, "regression.passed", "true", "is true, but false comes out"},
        {PROCESSES, "comparisons.0", NULL, "has 3 cases, the processes 4"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *record = make(cases[i].kind), *value = NULL;
        char first[256];
        if (cases[i].value)
            value = json_loads(cases[i].value, JSON_DECODE_ANY, NULL);
        put(record, cases[i].path, value);
        /* The seal would find it first; it is a case of its own. */
        bool sealed = strcmp(cases[i].path, "record_sha256") == 0;
        tamper_problems(record, &memo, sealed, first);
        if (!tamper_says(record, &memo, sealed, cases[i].message))
            fail_msg("%s = %s: got '%s', wanted '%s'", cases[i].path,
                     cases[i].value ? cases[i].value : "(nothing)", first, cases[i].message);
        json_decref(record);
    }
}

/* ---- as files, for the tests of the command line ---------------------------------------------- */

static int write_all(const char *folder)
{
    static const char *const names[KIND_COUNT] = {
        [COMPARISON] = "comparison",       [INCOMPARABLE] = "incomparable",
        [TUNING] = "tuning",               [BROKEN_TUNING] = "broken-tuning",
        [VALIDATION] = "validation",       [PROCESSES] = "processes",
    };
    void *state = NULL;
    if (set_up(&state))
        return 1;
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        json_t *record = make((enum kind)kind);
        const char *path = arena_format(&arena, "%s/%s.json", folder, names[kind]);
        if (json_dump_file(record, path, JSON_INDENT(1) | JSON_REAL_PRECISION(17)) != 0)
            return 1;
        json_decref(record);
    }
    return tear_down(&state);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(refusals, set_up, tear_down),
        cmocka_unit_test_setup_teardown(comparison_altered, set_up, tear_down),
        cmocka_unit_test_setup_teardown(incomparable_altered, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tuning_altered, set_up, tear_down),
        cmocka_unit_test_setup_teardown(validation_altered, set_up, tear_down),
        cmocka_unit_test_setup_teardown(processes_altered, set_up, tear_down),
    };
    if (argc == 3 && strcmp(argv[1], "--write") == 0)
        return write_all(argv[2]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
