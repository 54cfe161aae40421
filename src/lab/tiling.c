/* Gates, scores, choices and manifests of tunings; see tiling.h. */
#include "lab/tiling.h"
#include "base/json_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

json_t *lab_tiling_policy(const struct lab_experiment *experiment)
{
    const struct lab_gate *gate = &experiment->gate;
    json_t *policy = json_object(), *batches = json_array();
    for (size_t i = 0; i < gate->throughput_count; i++)
        json_array_append_new(batches, json_integer(gate->throughput_batches[i]));
    json_object_set_new(policy, "aligned_throughput_device_speedup_minimum",
                        json_real(gate->device_speedup_minimum));
    json_object_set_new(policy, "aligned_throughput_batches", batches);
    json_object_set_new(policy, "aligned_width", json_integer(experiment->aligned_width));
    json_object_set_new(policy, "every_case_wall_latency_ratio_maximum",
                        json_real(gate->wall_ratio_maximum));
    json_object_set_new(policy, "every_ragged_case_device_latency_ratio_maximum",
                        json_real(gate->ragged_ratio_maximum));
    json_object_set_new(policy, "promotion", json_string(gate->policy));
    return policy;
}

json_t *lab_tiling_variant(const struct lab_arm *arm)
{
    json_t *variant = json_copy((json_t *)arm->variant);
    json_object_del(variant, "arm");
    return variant;
}

/* ---- the gate -------------------------------------------------------------------------------- */

/* Speed-ups are control / candidate, so that a latency ratio is one over them. */
static bool slower_than(const struct lab_gate_times *times, double speedup, double least)
{
    return !times->comparable || !(speedup >= least);
}

static bool ratio_above(const struct lab_gate_times *times, double speedup, double most)
{
    return !times->comparable || !(1 / speedup <= most);
}

json_t *lab_tiling_gate(const struct lab_experiment *experiment, const struct lab_gate_case *cases,
                        size_t arm)
{
    const struct lab_gate *gate = &experiment->gate;
    json_t *slow = json_array(), *late = json_array(), *ragged = json_array();
    for (size_t i = 0; i < experiment->case_count; i++) {
        const struct lab_case *c = &experiment->cases[i];
        const struct lab_gate_times *times = &cases[i].arms[arm];
        if (lab_case_throughput(experiment, c) &&
            slower_than(times, times->device_speedup, gate->device_speedup_minimum))
            json_array_append_new(slow, json_string(c->name));
        if (ratio_above(times, times->wall_speedup, gate->wall_ratio_maximum))
            json_array_append_new(late, json_string(c->name));
        if (lab_case_ragged(experiment, c) &&
            ratio_above(times, times->device_speedup, gate->ragged_ratio_maximum))
            json_array_append_new(ragged, json_string(c->name));
    }
    json_t *json = json_object();
    bool passed = !json_array_size(slow) && !json_array_size(late) && !json_array_size(ragged);
    json_object_set_new(json, "passed", json_boolean(passed));
    json_object_set_new(json, "policy", lab_tiling_policy(experiment));
    json_object_set_new(json, "failed_aligned_throughput_device_cases", slow);
    json_object_set_new(json, "failed_wall_cases", late);
    json_object_set_new(json, "failed_ragged_device_cases", ragged);
    return json;
}

/* ---- the choice ------------------------------------------------------------------------------ */

struct score {
    size_t failures;
    double least, mean;
};

static struct score score_of(const struct lab_experiment *experiment,
                             const struct lab_gate_case *cases, size_t arm, const json_t *gate)
{
    struct score score = {.least = INFINITY};
    double sum = 0, count = 0;
    for (size_t i = 0; i < experiment->case_count; i++) {
        if (!lab_case_throughput(experiment, &experiment->cases[i]))
            continue;
        double speedup = cases[i].arms[arm].device_speedup;
        score.least = fmin(score.least, speedup);
        sum += log(speedup);
        count++;
    }
    score.mean = exp(sum / count);
    score.failures = json_array_size(json_object_get(gate, "failed_wall_cases")) +
                     json_array_size(json_object_get(gate, "failed_ragged_device_cases"));
    return score;
}

static bool better(const struct score *a, const struct score *b)
{
    if (a->failures != b->failures)
        return a->failures < b->failures;
    if (a->least != b->least)
        return a->least > b->least;
    return a->mean > b->mean;
}

static json_t *score_json(const struct score *score, json_t *gate)
{
    json_t *json = json_object();
    json_object_set_new(json, "eligible", json_true());
    json_object_set_new(json, "regression_guard_failures",
                        json_integer((json_int_t)score->failures));
    json_object_set_new(json, "minimum_aligned_throughput_device_speedup",
                        json_real(score->least));
    json_object_set_new(json, "geomean_aligned_throughput_device_speedup", json_real(score->mean));
    json_object_set_new(json, "training_gate", gate);
    return json;
}

static json_t *ineligible_json(const char *error)
{
    json_t *json = json_object();
    json_object_set_new(json, "eligible", json_false());
    json_object_set_new(json, "error", json_string(error));
    return json;
}

json_t *lab_tiling_selection(const struct lab_experiment *experiment,
                             const struct lab_gate_case *cases, const char *const *errors)
{
    json_t *json = json_object(), *scores = json_array(), *selected = json_null();
    struct score best = {0};
    for (size_t a = 0; a < experiment->arm_count; a++) {
        const struct lab_arm *arm = &experiment->arms[a];
        if (arm->role != LAB_CANDIDATE)
            continue;
        json_t *entry;
        if (errors[a]) {
            entry = ineligible_json(errors[a]);
        } else {
            json_t *gate = lab_tiling_gate(experiment, cases, a);
            struct score score = score_of(experiment, cases, a, gate);
            entry = score_json(&score, gate);
            if (json_is_null(selected) || better(&score, &best)) {
                json_decref(selected);
                selected = lab_tiling_variant(arm);
                best = score;
            }
        }
        json_object_set_new(entry, "variant", lab_tiling_variant(arm));
        json_array_append_new(scores, entry);
    }
    json_object_set_new(json, "scope", json_string("one variant for every case"));
    json_object_set_new(json, "rule", json_string(experiment->selection_rule));
    json_object_set_new(json, "selected", selected);
    json_object_set_new(json, "scores", scores);
    json_object_set_new(json, "heldout_results_used", json_false());
    return json;
}

/* ---- manifests ------------------------------------------------------------------------------- */

/* The folder of a file that may not be there yet, without links, with a slash at its end. */
static char *real_folder(struct arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *folder = slash ? arena_copy_text(arena, path, (size_t)(slash - path) + 1) : ".";
    char *real = realpath(folder, NULL);
    char *copy = real ? arena_format(arena, "%s/", real) : NULL;
    free(real);
    return copy;
}

/* How the manifest names a file. */
static const char *path_from(struct arena *arena, const char *manifest, const char *file)
{
    const char *slash = strrchr(file, '/');
    const char *base = real_folder(arena, manifest), *folder = real_folder(arena, file);
    if (!base || !folder)
        return file;
    const char *whole = arena_format(arena, "%s%s", folder, slash ? slash + 1 : file);
    size_t length = strlen(base);
    return strncmp(whole, base, length) == 0 ? whole + length : whole;
}

json_t *lab_tiling_manifest(struct arena *arena, const json_t *tuning,
                            const struct lab_tiling_files *files)
{
    static const char *const repeated[] = {
        "experiment",    "experiment_sha256",  "recorded_at",
        "platform",      "device",             "target",
        "training_seed", "validation_seed",    "compiler_implementation_sha256",
        "gate_policy",   "training_process_id", "benchmark_source_sha256",
        "variants",      "selection",          "baseline_export_sha256",
        "precision_comparison", "compiler_version", "declared_cases",
    };
    static const char *const sizes[] = {"name", "dtype", "batches", "width", "shape"};
    json_t *json = json_object(), *cases = json_array();
    char hex[LAB_HASH_SIZE];
    json_object_set_new(json, "kind", json_string("frozen_selection"));
    json_object_set_new(json, "version", json_integer(1));
    for (size_t i = 0; i < sizeof repeated / sizeof *repeated; i++)
        if (json_object_get(tuning, repeated[i]))
            json_object_set(json, repeated[i], json_object_get(tuning, repeated[i]));
    for (size_t i = 0; i < json_array_size(json_object_get(tuning, "cases")); i++) {
        const json_t *item = json_array_get(json_object_get(tuning, "cases"), i);
        json_t *short_item = json_object();
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
            if (json_object_get(item, sizes[k]))
                json_object_set(short_item, sizes[k], json_object_get(item, sizes[k]));
        json_array_append_new(cases, short_item);
    }
    json_object_set_new(json, "cases", cases);
    json_object_set_new(json, "experiment_file",
                        json_string(path_from(arena, files->manifest, files->experiment)));
    json_object_set_new(json, "baseline_export",
                        json_string(path_from(arena, files->manifest, files->baseline)));
    json_object_set_new(json, "tuning_report",
                        json_string(path_from(arena, files->manifest, files->tuning)));
    json_object_set_new(json, "tuning_report_sha256", json_string(files->tuning_sha256));
    json_text_sha256(arena, json, NULL, hex);
    json_object_set_new(json, "record_sha256", json_string(hex));
    return json;
}
