/* Checking exports; see baseline.h. */
#include "lab/baseline.h"
#include "base/json_text.h"
#include "lab/run_record.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct check {
    struct arena *arena;
    const json_t *json;
    const struct lab_experiment *experiment;
    const char *target;
    const char **error;
};

static bool refuse(const struct check *check, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool refuse(const struct check *check, const char *format, ...)
{
    char message[768];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    *check->error = arena_format(check->arena, "%s", message);
    return false;
}

static const char *text_at(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

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
    if (strcmp(text_at(check->json, "kind"), "frozen_baseline") != 0)
        return refuse(check, "is no baseline: 'tilec lab export' makes one");
    json_text_sha256(check->arena, check->json, "record_sha256", hex);
    if (strcmp(text_at(check->json, "record_sha256"), hex) != 0)
        return refuse(check, "was changed after it was exported: record_sha256 does not fit its "
                             "contents; export again");
    if (strcmp(text_at(check->json, "experiment"), check->experiment->name) != 0)
        return refuse(check, "is a baseline for the experiment '%.64s', not for '%s'",
                      text_at(check->json, "experiment"), check->experiment->name);
    if (strcmp(text_at(check->json, "experiment_sha256"), check->experiment->sha256) != 0)
        return refuse(check, "was exported for another version of the experiment '%s': what is "
                             "compared must be declared before; export again",
                      check->experiment->name);
    if (strcmp(text_at(check->json, "target"), check->target) != 0)
        return refuse(check, "was exported for the target '%.40s', not '%s': all arms go the same "
                             "way",
                      text_at(check->json, "target"), check->target);
    return true;
}

static bool check_arm(const struct check *check, const struct lab_arm *arm,
                      const struct lab_case *c, const json_t *frozen)
{
    char hex[LAB_HASH_SIZE];
    const json_t *source = json_object_get(frozen, "source");
    if (!json_is_string(source))
        return refuse(check, "has no '%s' for the case '%s': the matrix is incomplete", arm->name,
                      c->name);
    lab_bytes_sha256(json_string_value(source), json_string_length(source), hex);
    if (strcmp(text_at(frozen, "source_sha256"), hex) != 0)
        return refuse(check, "has another text for '%s' in the case '%s' than its source_sha256 "
                             "says: it was changed",
                      arm->name, c->name);
    if (!takes_same(frozen, "constants", lab_constants_json(check->experiment, arm, c)) ||
        !takes_same(frozen, "requirements", lab_requirements_json(arm)) ||
        !takes_same(frozen, "relaxed", json_boolean(arm->relaxed)))
        return refuse(check, "was compiled with other constants, requirements or flags for '%s' in "
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
        return refuse(check, "has %zu cases, the experiment %zu: the matrix is incomplete",
                      json_array_size(cases), experiment->case_count);
    for (size_t i = 0; i < experiment->case_count; i++) {
        const json_t *item = json_array_get(cases, i);
        if (strcmp(text_at(item, "name"), experiment->cases[i].name) != 0)
            return refuse(check, "has the case '%.64s' where '%s' is expected",
                          text_at(item, "name"), experiment->cases[i].name);
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
    struct check check = {arena, json, experiment, target, error};
    *baseline = (struct lab_baseline){.json = json};
    lab_bytes_sha256(bytes, length, baseline->sha256);
    return check_head(&check) && check_cases(&check);
}

struct lab_frozen lab_baseline_find(const struct lab_baseline *baseline,
                                    const struct lab_experiment *experiment,
                                    const struct lab_arm *arm, const struct lab_case *c)
{
    const json_t *cases = json_object_get(baseline->json, "cases");
    size_t index = (size_t)(c - experiment->cases);
    const json_t *item = json_array_get(cases, index);
    const json_t *frozen = json_object_get(json_object_get(item, "arms"), arm->name);
    const json_t *source = json_object_get(frozen, "source");
    return (struct lab_frozen){json_string_value(source), json_string_length(source),
                               text_at(frozen, "source_sha256")};
}
