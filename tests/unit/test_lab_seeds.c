/*
 * The three records of an earlier compiler, which are not in this repository: the folder is
 * TILEC_SEEDS. They verify as they are, re-indented, and with keys in another order; what cannot be
 * confirmed is exactly what is listed; every other alteration is found. With arguments: the same for
 * other records.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "lab_tamper.h"
#include "recorded.h"

static struct verify_memo memo;

static json_t *load(const char *path)
{
    json_error_t error;
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (!root)
        fail_msg("%s: %s", path, error.text);
    return root;
}

/* The keys of every object in the opposite order. */
static json_t *reversed(const json_t *value)
{
    if (json_is_array(value)) {
        json_t *list = json_array();
        for (size_t i = 0; i < json_array_size(value); i++)
            json_array_append_new(list, reversed(json_array_get(value, i)));
        return list;
    }
    if (!json_is_object(value))
        return json_deep_copy(value);
    size_t count = json_object_size(value);
    const char **keys = calloc(count + 1, sizeof *keys);
    json_t *object = json_object(), *member;
    const char *key;
    size_t at = count;
    json_object_foreach((json_t *)value, key, member)
        keys[--at] = key;
    for (size_t i = 0; i < count; i++)
        json_object_set_new(object, keys[i], reversed(json_object_get(value, keys[i])));
    free(keys);
    return object;
}

static void assert_verifies(const char *name, const char *how, const json_t *root)
{
    char first[256];
    if (tamper_problems(root, &memo, true, first))
        fail_msg("%s %s: %s", name, how, first);
}

/* Written with another indentation and read again. */
static void check_copies(const char *name, const json_t *root)
{
    static const size_t flags[] = {JSON_COMPACT, JSON_INDENT(1), JSON_INDENT(7) | JSON_SORT_KEYS};
    assert_verifies(name, "as it is", root);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        char *text = json_dumps(root, flags[i]);
        json_error_t error;
        json_t *again = json_loads(text, JSON_REJECT_DUPLICATES, &error);
        assert_non_null(again);
        assert_verifies(name, "re-indented", again);
        json_decref(again);
        free(text);
    }
    json_t *other = reversed(root);
    assert_verifies(name, "with its keys in the opposite order", other);
    json_decref(other);
}

static json_t *load_seed(const char *name)
{
    char path[4096];
    assert_true(recorded_path(name, path, sizeof path));
    return load(path);
}

static void assert_unconfirmed(const char *name, const char *const *numbers,
                               const char *const *texts)
{
    struct arena arena;
    jmp_buf failure;
    const char *error;
    json_t *root = load_seed(name);
    if (setjmp(failure))
        fail_msg("out of memory");
    arena_init(&arena, allocator_default, &failure);
    struct verify v = {.arena = &arena, .root = root, .memo = &memo};
    assert_true(verify_record(&v, &error));
    for (int is_text = 0; is_text < 2; is_text++) {
        const char *const *wanted = is_text ? texts : numbers;
        const char **got = verify_unconfirmed(&v, is_text);
        for (; *got && *wanted && strcmp(*got, *wanted) == 0; got++)
            wanted++;
        if (*got || *wanted)
            fail_msg("%s: not confirmed: got '%s', wanted '%s'", name, *got ? *got : "no more",
                     *wanted ? *wanted : "no more");
    }
    arena_free(&arena);
    json_decref(root);
}

/* ---- the lists ------------------------------------------------------------------------------- */

static void register_list(void **state)
{
    (void)state;
    static const char *const numbers[] = {
        "baseline_compiler_implementation_sha256",
        "benchmark_source_sha256",
        "cases[].correctness.*.max_absolute_error",
        "cases[].correctness.*.max_difference_from_matched_policy",
        "cases[].rounds[].*.pairs",
        "compiler_implementation_sha256",
        "configuration.rep_ms",
        "configuration.warmup_ms",
        "precision_comparison.same_weight_representation",
        NULL,
    };
    static const char *const texts[] = {
        "baseline_method",
        "baseline_root",
        "current_root",
        "device",
        "metrics.gpu",
        "metrics.wall",
        "mlx_version",
        "platform",
        "precision_comparison.class",
        "precision_comparison.mlx_fast_caveat",
        "precision_comparison.mlx_fast_source",
        "precision_comparison.primary_mlx_comparator",
        "precision_comparison.primary_policy",
        "precision_comparison.reference",
        "promotion_gate.policy",
        "recorded_at",
        "specialization_caveat",
        NULL,
    };
    assert_unconfirmed("rmsnorm-register", numbers, texts);
}

static void selection_list(void **state)
{
    (void)state;
    static const char *const numbers[] = {
        "baseline_export_sha256",
        "benchmark_source_sha256",
        "compiler_implementation_sha256",
        "precision_comparison.bitwise_exact",
        "precision_comparison.relaxed_precision",
        "precision_comparison.same_weight_representation",
        "selection.scores[].geomean_aligned_throughput_gpu_speedup",
        "selection.scores[].minimum_aligned_throughput_gpu_speedup",
        "selection.scores[].training_gate.failed_aligned_throughput_gpu_cases (length and order)",
        "training_process_id",
        "training_seed",
        "tuning_report_sha256",
        "validation_seed",
        NULL,
    };
    static const char *const texts[] = {
        "precision_comparison.class",
        "precision_comparison.mlx_fast_caveat",
        "precision_comparison.mlx_fast_source",
        "precision_comparison.primary_mlx_comparator",
        "precision_comparison.primary_policy",
        "recorded_at",
        "selection.rule",
        "selection.scope",
        "selection.scores[].training_gate.failed_ragged_gpu_cases[]",
        "selection.scores[].training_gate.failed_wall_cases[]",
        "tuning_report",
        NULL,
    };
    assert_unconfirmed("rmsnorm-tiling-selection", numbers, texts);
}

static void gemm_list(void **state)
{
    (void)state;
    static const char *const numbers[] = {
        "benchmark_source_sha256",
        "configuration.cooldown_seconds",
        "configuration.rep_ms",
        "configuration.warmup_ms",
        "precision_comparison.bitwise_exact",
        "precision_comparison.same_weight_representation",
        "samples.*[].cases[].timing.gpu_min_max_us[]",
        "samples.*[].cases[].timing.samples",
        "samples.*[].cases[].timing.wall_min_max_us[]",
        NULL,
    };
    static const char *const texts[] = {
        "metric",
        "precision_comparison.arithmetic",
        "precision_comparison.class",
        "precision_comparison.reference",
        "precision_comparison.storage",
        "recorded_at",
        NULL,
    };
    assert_unconfirmed("gemm-staged", numbers, texts);
}

/* ---- everything altered ---------------------------------------------------------------------- */

static void alter(const char *name, json_t *root)
{
    check_copies(name, root);
    tamper_all(name, root, &memo);
    json_decref(root);
}

static void register_altered(void **state)
{
    (void)state;
    alter("rmsnorm-register", load_seed("rmsnorm-register"));
}

static void selection_altered(void **state)
{
    (void)state;
    alter("rmsnorm-tiling-selection", load_seed("rmsnorm-tiling-selection"));
}

static void gemm_altered(void **state)
{
    (void)state;
    alter("gemm-staged", load_seed("gemm-staged"));
}

/* Records' paths; behind `--experiment FILE` they are held to that experiment. */
static void others_altered(void **state)
{
    struct arena arena;
    jmp_buf failure;
    struct lab_experiment experiment = {0};
    const char *error = NULL;
    if (setjmp(failure))
        fail_msg("out of memory");
    arena_init(&arena, allocator_default, &failure);
    for (char **path = *state; *path; path++) {
        if (strcmp(*path, "--experiment") != 0) {
            alter(*path, load(*path));
            continue;
        }
        if (tamper_experiment)
            lab_experiment_close(&experiment);
        if (!lab_experiment_open(&arena, *++path, &experiment, &error))
            fail_msg("%s", error);
        tamper_experiment = &experiment;
    }
    if (tamper_experiment)
        lab_experiment_close(&experiment);
    tamper_experiment = NULL;
    arena_free(&arena);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(register_list),    cmocka_unit_test(selection_list),
        cmocka_unit_test(gemm_list),        cmocka_unit_test(selection_altered),
        cmocka_unit_test(register_altered), cmocka_unit_test(gemm_altered),
    };
    const struct CMUnitTest others[] = {
        cmocka_unit_test_prestate(others_altered, argv + 1),
    };
    if (argc > 1)
        return cmocka_run_group_tests(others, NULL, NULL);
    if (!getenv("TILEC_SEEDS") || !getenv("TILEC_SEEDS")[0]) {
        puts("skipped: " RECORDED_MISSING);
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
