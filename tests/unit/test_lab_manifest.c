/*
 * What exports and manifests refuse: changed bytes, experiments, compilers and programs, reused seeds
 * and processes, other flags, an incomplete matrix. Each has its message.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/sha256.h"
#include "lab/manifest.h"
#include "lab/run_record.h"
#include "lab/tiling.h"

#include "lab_records.h"

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

/* ---- baselines ------------------------------------------------------------------------------- */

static json_t *export_of(const char *experiment)
{
    tilec_lab_text text = {0};
    tilec_lab_options options = {.size = sizeof options, .cache_directory = ""};
    if (tilec_lab_export(experiment, &options, &text) != TILEC_OK)
        fail_msg("%s", text.error);
    json_t *json = json_loads(text.text, 0, NULL);
    assert_non_null(json);
    tilec_lab_text_free(&text);
    return json;
}

static const char *baseline_refusal(const json_t *json, const char *experiment, const char *target)
{
    const char *error = NULL;
    struct lab_experiment e;
    struct lab_baseline baseline;
    if (!lab_experiment_open(&arena, experiment, &e, &error))
        fail_msg("%s", error);
    char *bytes = json_dumps(json, 0);
    if (lab_baseline_check(&arena, json, bytes, strlen(bytes), &e, target, &baseline, &error)) {
        struct lab_frozen frozen = lab_baseline_find(&baseline, &e.arms[1], &e.cases[3]);
        assert_non_null(strstr(frozen.text, "func @rmsnorm("));
        error = NULL;
    }
    free(bytes);
    lab_experiment_close(&e);
    return error;
}

static void assert_says(const char *message, const char *words)
{
    if (!message || !strstr(message, words))
        fail_msg("got '%s', wanted '%s'", message ? message : "(accepted)", words);
}

static json_t *frozen_arm(json_t *json, size_t i)
{
    json_t *item = json_array_get(json_object_get(json, "cases"), i);
    return json_object_get(json_object_get(item, "arms"), "frozen_baseline");
}

static void baselines(void **state)
{
    (void)state;
    const char *path = "tests/lab/declared-comparison.json";
    json_t *json = export_of(path), *arm = frozen_arm(json, 2);
    assert_null(baseline_refusal(json, path, "cpu"));
    assert_says(baseline_refusal(json, path, "cuda"), "was exported for the target 'cpu'");
    assert_says(baseline_refusal(json, "lab/rmsnorm-register.json", "cpu"),
                "is a baseline for the experiment 'declared-comparison'");

    /* bytes that changed: with the old seal, and with a new one over another text */
    json_t *text = json_incref(json_object_get(arm, "source"));
    json_object_set_new(arm, "source", json_string("func @rmsnorm() {\n}\n"));
    assert_says(baseline_refusal(json, path, "cpu"), "was changed after it was exported");
    seal(&arena, json);
    assert_says(baseline_refusal(json, path, "cpu"), "has another text for 'frozen_baseline'");
    json_object_set_new(arm, "source", text);

    /* other constants, requirements, flags */
    json_object_set_new(json_object_get(arm, "constants"), "BLOCK", json_string("32"));
    seal(&arena, json);
    assert_says(baseline_refusal(json, path, "cpu"), "was compiled with other constants");
    json_object_set_new(json_object_get(arm, "constants"), "BLOCK", json_string("16"));
    json_object_set_new(arm, "relaxed", json_true());
    seal(&arena, json);
    assert_says(baseline_refusal(json, path, "cpu"), "was compiled with other constants, "
                                                     "requirements or flags");
    json_object_set_new(arm, "relaxed", json_false());
    json_array_append_new(json_object_get(arm, "requirements"), json_string("threads=2"));
    seal(&arena, json);
    assert_says(baseline_refusal(json, path, "cpu"), "was compiled with other constants");
    json_array_clear(json_object_get(arm, "requirements"));

    /* an experiment that changed, a matrix that is not complete */
    seal(&arena, json);
    assert_null(baseline_refusal(json, path, "cpu"));
    json_t *hash = json_incref(json_object_get(json, "experiment_sha256"));
    json_object_set_new(json, "experiment_sha256", json_string("00"));
    seal(&arena, json);
    assert_says(baseline_refusal(json, path, "cpu"), "was exported for another version");
    json_object_set_new(json, "experiment_sha256", hash);
    json_object_del(json_object_get(json_array_get(json_object_get(json, "cases"), 2), "arms"),
                    "frozen_baseline");
    seal(&arena, json);
    assert_says(baseline_refusal(json, path, "cpu"), "the matrix is incomplete");
    json_array_remove(json_object_get(json, "cases"), 7);
    seal(&arena, json);
    assert_says(baseline_refusal(json, path, "cpu"), "has 7 cases, the experiment 8");
    json_object_set_new(json, "kind", json_string("comparison"));
    assert_says(baseline_refusal(json, path, "cpu"), "is no baseline");
    json_decref(json);
}

static void nothing_to_export(void **state)
{
    (void)state;
    tilec_lab_text text = {0};
    assert_int_equal(tilec_lab_export("lab/gemm-staged.json", NULL, &text), TILEC_ERROR_INVALID);
    assert_says(text.error, "nothing to export");
    tilec_lab_text_free(&text);
}

/* ---- manifests ------------------------------------------------------------------------------- */

struct made {
    struct maker maker;
    json_t *tuning, *manifest;
    struct lab_manifest_files files;
    struct lab_identity identity;
};

static void make_manifest(struct made *made)
{
    struct lab_tiling_files files = {.manifest = "manifest.json",
                                     .experiment = "tests/lab/declared-tuning.json",
                                     .tuning = "tuning.json",
                                     .baseline = "baseline.json"};
    memset(made, 0, sizeof *made);
    maker_open(&made->maker, &arena, files.experiment);
    made->tuning = make_tuning(&made->maker, -1);
    memset(files.tuning_sha256, 'a', LAB_HASH_SIZE - 1);
    made->manifest = lab_tiling_manifest(&arena, made->tuning, &files);
    made->files = (struct lab_manifest_files){.manifest = made->manifest,
                                              .tuning = made->tuning,
                                              .experiment = &made->maker.experiment};
    memset(made->files.tuning_sha256, 'a', LAB_HASH_SIZE - 1);
    strcpy(made->files.baseline_sha256,
           json_string_value(json_object_get(made->tuning, "baseline_export_sha256")));
    strcpy(made->identity.compiler_sha256,
           json_string_value(json_object_get(made->tuning, "compiler_implementation_sha256")));
    strcpy(made->identity.program_sha256,
           json_string_value(json_object_get(made->tuning, "benchmark_source_sha256")));
    made->identity.process_id = 12;
}

static void free_made(struct made *made)
{
    json_decref(made->manifest);
    json_decref(made->tuning);
    lab_experiment_close(&made->maker.experiment);
}

static const char *manifest_refusal(const struct made *made)
{
    const char *error = NULL;
    return lab_manifest_check(&arena, &made->files, &made->identity, &error) ? NULL : error;
}

static void manifests(void **state)
{
    (void)state;
    struct made made;
    make_manifest(&made);
    assert_null(manifest_refusal(&made));
    const struct lab_arm *arm = lab_manifest_selected(made.manifest, &made.maker.experiment);
    assert_non_null(arm);
    assert_string_equal(json_string_value(json_object_get(made.manifest, "tuning_report")),
                        "tuning.json");

    /* what it is bound to */
    made.identity.compiler_sha256[3] ^= 1;
    assert_says(manifest_refusal(&made), "the compiler changed since the tuning");
    made.identity.compiler_sha256[3] ^= 1;
    made.identity.program_sha256[3] ^= 1;
    assert_says(manifest_refusal(&made), "the program that measures changed");
    made.identity.program_sha256[3] ^= 1;
    made.files.baseline_sha256[0] ^= 1;
    assert_says(manifest_refusal(&made), "the baseline export changed");
    made.files.baseline_sha256[0] ^= 1;
    made.files.tuning_sha256[0] = 'b';
    assert_says(manifest_refusal(&made), "the tuning record changed");
    made.files.tuning_sha256[0] = 'a';
    made.maker.experiment.sha256[0] ^= 1;
    assert_says(manifest_refusal(&made), "the experiment changed since the tuning");
    made.maker.experiment.sha256[0] ^= 1;
    made.identity.process_id = 4711;
    assert_says(manifest_refusal(&made), "a validation needs a fresh one");
    made.identity.process_id = 12;
    assert_null(manifest_refusal(&made));
    free_made(&made);
}

/* Alters the manifest, sealed again where that is wanted. */
static const char *altered(const char *key, json_t *value, bool sealed)
{
    struct made made;
    make_manifest(&made);
    json_object_set_new(made.manifest, key, value);
    if (sealed)
        seal(&arena, made.manifest);
    const char *error = manifest_refusal(&made);
    free_made(&made);
    return error;
}

static void altered_manifests(void **state)
{
    (void)state;
    assert_says(altered("kind", json_string("tuning"), true), "is no manifest");
    assert_says(altered("recorded_at", json_string("later"), false),
                "was changed after it was frozen");
    assert_says(altered("validation_seed", json_integer(11), true),
                "what was tuned on is not held out");
    assert_says(altered("validation_seed", json_integer(14), true),
                "the seeds are not those of the experiment");
    assert_says(altered("cases", json_array(), true), "the manifest disagrees with itself");
    assert_says(altered("training_process_id", json_null(), true), "needs a fresh one");
    assert_says(altered("training_process_id", json_integer(4712), true),
                "'training_process_id' is not what the tuning record says");
}

/* Alters the choice in the manifest and the tuning alike. */
static void altered_choices(void **state)
{
    (void)state;
    static const struct {
        const char *key, *value, *message;
    } cases[] = {
        {"heldout_results_used", "true", "disagrees with itself"},
        {"selected", "null", "disagrees with itself"},
        {"selected", "{\"name\": \"block16\", \"block\": 16}", "disagrees with itself"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct made made;
        make_manifest(&made);
        json_object_set_new(json_object_get(made.manifest, "selection"), cases[i].key,
                            json_loads(cases[i].value, JSON_DECODE_ANY, NULL));
        seal(&arena, made.manifest);
        assert_says(manifest_refusal(&made), cases[i].message);
        free_made(&made);
    }
}

/* Scores and choice of the lab are those of the tests' own arithmetic. */
static void selections(void **state)
{
    (void)state;
    struct made made;
    make_manifest(&made);
    const struct lab_experiment *e = &made.maker.experiment;
    const char *errors[4] = {NULL};
    struct lab_gate_case *cases = ARENA_ARRAY(&arena, struct lab_gate_case, e->case_count);
    for (size_t i = 0; i < e->case_count; i++) {
        const json_t *item = json_array_get(json_object_get(made.tuning, "cases"), i);
        cases[i].arms = ARENA_ARRAY(&arena, struct lab_gate_times, e->arm_count);
        for (size_t a = 0; a < 3; a++)
            cases[i].arms[a] = (struct lab_gate_times){
                true, summary_of(item, e->arms[a].name, "device_us"),
                summary_of(item, e->arms[a].name, "wall_us")};
    }
    json_t *ours = lab_tiling_selection(e, cases, errors);
    const json_t *theirs = json_object_get(made.tuning, "selection");
    assert_true(json_equal(json_object_get(ours, "selected"), json_object_get(theirs, "selected")));
    for (size_t a = 0; a < 3; a++) {
        const json_t *x = json_array_get(json_object_get(ours, "scores"), a);
        const json_t *y = json_array_get(json_object_get(theirs, "scores"), a);
        const char *lists[] = {"failed_wall_cases", "failed_ragged_device_cases",
                               "failed_aligned_throughput_device_cases", "passed"};
        for (size_t k = 0; k < 4; k++)
            assert_true(json_equal(
                json_object_get(json_object_get(x, "training_gate"), lists[k]),
                json_object_get(json_object_get(y, "training_gate"), lists[k])));
        assert_true(fabs(json_real_value(json_object_get(
                             x, "geomean_aligned_throughput_device_speedup")) /
                             json_real_value(json_object_get(
                                 y, "geomean_aligned_throughput_device_speedup")) -
                         1) < 1e-12);
    }
    json_decref(ours);
    errors[0] = errors[1] = errors[2] = "it does not fit";
    ours = lab_tiling_selection(e, cases, errors);
    assert_true(json_is_null(json_object_get(ours, "selected")));
    json_decref(ours);
    free_made(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(baselines, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing_to_export, set_up, tear_down),
        cmocka_unit_test_setup_teardown(manifests, set_up, tear_down),
        cmocka_unit_test_setup_teardown(altered_manifests, set_up, tear_down),
        cmocka_unit_test_setup_teardown(altered_choices, set_up, tear_down),
        cmocka_unit_test_setup_teardown(selections, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
