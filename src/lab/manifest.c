/* What a validation refuses; see manifest.h. */
#include "lab/manifest.h"
#include "base/json_text.h"
#include "lab/refusal.h"
#include "lab/verify.h"

#include <string.h>

struct check {
    struct lab_refusal refusal;
    const struct lab_manifest_files *files;
    const struct lab_identity *identity;
};

const char *lab_path_beside(struct arena *arena, const char *file, const char *path)
{
    const char *slash = strrchr(file, '/');
    if (path[0] == '/' || !slash)
        return arena_format(arena, "%s", path);
    return arena_format(arena, "%.*s%s", (int)(slash - file) + 1, file, path);
}

/* ---- the manifest itself --------------------------------------------------------------------- */

static bool check_whole(const struct check *check)
{
    char hex[LAB_HASH_SIZE];
    const json_t *manifest = check->files->manifest;
    if (strcmp(json_text_at(manifest, "kind"), "frozen_selection") != 0)
        return lab_refuse(&check->refusal, "is no manifest: 'tilec lab tune' makes one");
    json_text_sha256(check->refusal.arena, manifest, "record_sha256", hex);
    if (strcmp(json_text_at(manifest, "record_sha256"), hex) != 0)
        return lab_refuse(&check->refusal,
                          "was changed after it was frozen: record_sha256 does not fit its "
                          "contents; tune again");
    return true;
}

/* The record must follow from itself, whoever sealed it. */
static bool check_record(const struct check *check, const json_t *record, const char *what)
{
    const char *error = NULL;
    struct verify v = {.arena = check->refusal.arena, .root = record, .path = ""};
    if (!verify_record(&v, &error))
        return lab_refuse(&check->refusal, "%s %s", what, error);
    if (v.problem_count)
        return lab_refuse(&check->refusal, "%s disagrees with itself: %s", what, v.problems[0]);
    return true;
}

/* ---- what it is bound to --------------------------------------------------------------------- */

static bool check_bindings(const struct check *check)
{
    const struct lab_manifest_files *files = check->files;
    const struct {
        const char *key, *now, *message;
    } bindings[] = {
        {"experiment_sha256", files->experiment->sha256,
         "the experiment changed since the tuning: cases, variants, gate and rule must stand "
         "before "
         "the first timing; tune again"},
        {"baseline_export_sha256", files->baseline_sha256,
         "the baseline export changed since the tuning: its bytes are not those that were "
         "measured; "
         "tune again"},
        {"tuning_report_sha256", files->tuning_sha256,
         "the tuning record changed since the choice was frozen; tune again"},
        {"compiler_implementation_sha256", check->identity->compiler_sha256,
         "the compiler changed since the tuning: the choice was not made for this one; tune again"},
        {"benchmark_source_sha256", check->identity->program_sha256,
         "the program that measures changed since the tuning; tune again"},
    };
    for (size_t i = 0; i < sizeof bindings / sizeof *bindings; i++)
        if (strcmp(json_text_at(files->manifest, bindings[i].key), bindings[i].now) != 0)
            return lab_refuse(&check->refusal, "%s (%s)", bindings[i].message, bindings[i].key);
    return true;
}

static bool check_held_out(const struct check *check)
{
    const json_t *manifest = check->files->manifest;
    const struct lab_experiment *experiment = check->files->experiment;
    int64_t training = json_integer_value(json_object_get(manifest, "training_seed"));
    int64_t held_out = json_integer_value(json_object_get(manifest, "validation_seed"));
    const json_t *trainer = json_object_get(manifest, "training_process_id");
    if (training == held_out)
        return lab_refuse(&check->refusal,
                          "the validation seed %lld is the training seed: what was tuned on is "
                          "not held out",
                          (long long)held_out);
    if (training != experiment->training_seed || held_out != experiment->validation_seed)
        return lab_refuse(
            &check->refusal, "the seeds are not those of the experiment, %lld and %lld",
            (long long)experiment->training_seed, (long long)experiment->validation_seed);
    if (!json_is_integer(trainer) || json_integer_value(trainer) == check->identity->process_id)
        return lab_refuse(&check->refusal,
                          "the tuning ran in this very process: a validation needs a fresh one");
    return true;
}

/* What the manifest says of the tuning is what the tuning record says. */
static bool check_repeats(const struct check *check)
{
    static const char *const keys[] = {
        "experiment",
        "experiment_sha256",
        "training_process_id",
        "training_seed",
        "validation_seed",
        "compiler_implementation_sha256",
        "gate_policy",
        "variants",
        "benchmark_source_sha256",
        "selection",
        "baseline_export_sha256",
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const json_t *here = json_object_get(check->files->manifest, keys[i]);
        const json_t *there = json_object_get(check->files->tuning, keys[i]);
        if (!json_equal(here, there))
            return lab_refuse(&check->refusal, "'%s' is not what the tuning record says", keys[i]);
    }
    return true;
}

static bool check_selected(const struct check *check)
{
    const json_t *manifest = check->files->manifest;
    const json_t *selection = json_object_get(manifest, "selection");
    if (json_is_true(json_object_get(selection, "heldout_results_used")))
        return lab_refuse(&check->refusal, "the choice was made with held-out results");
    if (json_is_null(json_object_get(selection, "selected")))
        return lab_refuse(&check->refusal,
                          "no variant could be chosen: every one failed in some case");
    if (!lab_manifest_selected(manifest, check->files->experiment))
        return lab_refuse(&check->refusal, "the chosen variant is not one of the experiment's");
    return true;
}

const struct lab_arm *lab_manifest_selected(const json_t *manifest,
                                            const struct lab_experiment *experiment)
{
    const json_t *selection = json_object_get(manifest, "selection");
    const char *name = json_text_at(json_object_get(selection, "selected"), "name");
    for (size_t i = 0; i < experiment->arm_count; i++)
        if (experiment->arms[i].role == LAB_CANDIDATE &&
            strcmp(experiment->arms[i].name, name) == 0)
            return &experiment->arms[i];
    return NULL;
}

bool lab_manifest_check(struct arena *arena, const struct lab_manifest_files *files,
                        const struct lab_identity *identity, const char **error)
{
    struct check check = {{arena, error}, files, identity};
    return check_whole(&check) && check_bindings(&check) && check_held_out(&check) &&
           check_record(&check, files->manifest, "the manifest") &&
           check_record(&check, files->tuning, "the tuning record") && check_repeats(&check) &&
           check_selected(&check);
}
