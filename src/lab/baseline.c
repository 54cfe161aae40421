/* Checking exports; see baseline.h. */
#include "lab/baseline.h"
#include "base/json_text.h"
#include "lab/refusal.h"
#include "lab/run_record.h"

#include <string.h>

struct check {
    struct lab_refusal refusal;
    const json_t *json;
    const struct lab_experiment *experiment;
    const char *target;
};

/* ---- how an arm was asked for ---------------------------------------------------------------- */

json_t *lab_constants_json(const struct lab_experiment *experiment, const struct lab_arm *arm,
                           const struct lab_case *c)
{
    json_t *json = json_object();
    json_object_set_new(json, "T", json_string(lab_dtype_c(c->dtype)));
    for (size_t i = 0; i < arm->constant_count; i++)
        json_object_set_new(json, arm->constants[i].name,
                            json_string(lab_constant_value(experiment, c, &arm->constants[i])));
    return json;
}

json_t *lab_requirements_json(const struct lab_arm *arm)
{
    json_t *json = json_array();
    for (size_t i = 0; i < arm->requirement_count; i++)
        json_array_append_new(json, json_string(arm->requirements[i]));
    return json;
}

static bool takes_same(const json_t *frozen, const char *key, json_t *declared)
{
    bool same = json_equal(json_object_get(frozen, key), declared);
    json_decref(declared);
    return same;
}

/* ---- checks ---------------------------------------------------------------------------------- */

static bool check_head(const struct check *check)
{
    char hex[LAB_HASH_SIZE];
    if (strcmp(json_text_at(check->json, "kind"), "frozen_baseline") != 0)
        return lab_refuse(&check->refusal, "is no baseline: 'tilec lab export' makes one");
    json_text_sha256(check->refusal.arena, check->json, "record_sha256", hex);
    if (strcmp(json_text_at(check->json, "record_sha256"), hex) != 0)
        return lab_refuse(&check->refusal,
                          "was changed after it was exported: record_sha256 does not fit its "
                          "contents; export again");
    if (strcmp(json_text_at(check->json, "experiment"), check->experiment->name) != 0)
        return lab_refuse(&check->refusal, "is a baseline for the experiment '%.64s', not for '%s'",
                          json_text_at(check->json, "experiment"), check->experiment->name);
    if (strcmp(json_text_at(check->json, "experiment_sha256"), check->experiment->sha256) != 0)
        return lab_refuse(&check->refusal,
                          "was exported for another version of the experiment '%s': what is "
                          "compared must be declared before; export again",
                          check->experiment->name);
    if (strcmp(json_text_at(check->json, "target"), check->target) != 0)
        return lab_refuse(&check->refusal,
                          "was exported for the target '%.40s', not '%s': all arms go the same "
                          "way",
                          json_text_at(check->json, "target"), check->target);
    return true;
}

static bool check_arm(const struct check *check, const struct lab_arm *arm,
                      const struct lab_case *c, const json_t *frozen)
{
    char hex[LAB_HASH_SIZE];
    const json_t *source = json_object_get(frozen, "source");
    if (!json_is_string(source))
        return lab_refuse(&check->refusal,
                          "has no '%s' for the case '%s': the matrix is incomplete", arm->name,
                          c->name);
    lab_bytes_sha256(json_string_value(source), json_string_length(source), hex);
    if (strcmp(json_text_at(frozen, "source_sha256"), hex) != 0)
        return lab_refuse(&check->refusal,
                          "has another text for '%s' in the case '%s' than its source_sha256 "
                          "says: it was changed",
                          arm->name, c->name);
    if (!takes_same(frozen, "constants", lab_constants_json(check->experiment, arm, c)) ||
        !takes_same(frozen, "requirements", lab_requirements_json(arm)) ||
        !takes_same(frozen, "relaxed", json_boolean(arm->relaxed)))
        return lab_refuse(&check->refusal,
                          "was compiled with other constants, requirements or flags for '%s' in "
                          "the case '%s' than the experiment declares: arms that were made in "
                          "different ways are not compared",
                          arm->name, c->name);
    return true;
}

static bool check_cases(const struct check *check)
{
    const struct lab_experiment *experiment = check->experiment;
    const json_t *cases = json_object_get(check->json, "cases");
    if (json_array_size(cases) != experiment->case_count)
        return lab_refuse(&check->refusal,
                          "has %zu cases, the experiment %zu: the matrix is incomplete",
                          json_array_size(cases), experiment->case_count);
    for (size_t i = 0; i < experiment->case_count; i++) {
        const json_t *item = json_array_get(cases, i);
        if (strcmp(json_text_at(item, "name"), experiment->cases[i].name) != 0)
            return lab_refuse(&check->refusal, "has the case '%.64s' where '%s' is expected",
                              json_text_at(item, "name"), experiment->cases[i].name);
        for (size_t a = 0; a < experiment->arm_count; a++) {
            const struct lab_arm *arm = &experiment->arms[a];
            const json_t *frozen = json_object_get(json_object_get(item, "arms"), arm->name);
            if (arm->frozen && !check_arm(check, arm, &experiment->cases[i], frozen))
                return false;
        }
    }
    return true;
}

bool lab_baseline_check(struct arena *arena, const json_t *json, const char *bytes, size_t length,
                        const struct lab_experiment *experiment, const char *target,
                        struct lab_baseline *baseline, const char **error)
{
    struct check check = {{arena, error}, json, experiment, target};
    *baseline = (struct lab_baseline){.json = json};
    lab_bytes_sha256(bytes, length, baseline->sha256);
    return check_head(&check) && check_cases(&check);
}

struct lab_frozen lab_baseline_find(const struct lab_baseline *baseline,
                                    const struct lab_arm *arm, const struct lab_case *c)
{
    const json_t *cases = json_object_get(baseline->json, "cases");
    const json_t *item = json_array_get(cases, c->index); /* in the file, whichever are kept */
    const json_t *frozen = json_object_get(json_object_get(item, "arms"), arm->name);
    const json_t *source = json_object_get(frozen, "source");
    return (struct lab_frozen){json_string_value(source), json_string_length(source),
                               json_text_at(frozen, "source_sha256")};
}
