/*
 * tilec lab validate: the choice that a manifest froze, measured on the held-out seed in a fresh
 * process, against the control, and judged by the tuning's gate. What changed since is refused; see
 * manifest.h.
 */
#include "base/json_text.h"
#include "lab/manifest.h"
#include "lab/run.h"
#include "lab/run_record.h"
#include "lab/tiling.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct validate {
    struct lab_run run;
    const char *path;
    const json_t *manifest;
    char manifest_sha256[LAB_HASH_SIZE];
};

static struct lab_call *call_of(struct validate *v)
{
    return v->run.session.call;
}

/* A file that the manifest names under that key; NULL after lab_call_fail. */
static const char *named_file(struct validate *v, struct lab_call *call, const char *key)
{
    const char *name = json_string_value(json_object_get(v->manifest, key));
    if (name)
        return lab_path_beside(&call->arena, v->path, name);
    lab_call_fail(call, TILEC_ERROR_INVALID, "'%s' names no '%s': it is no manifest of 'tilec lab "
                  "tune'", v->path, key);
    return NULL;
}

static bool changed_since(struct validate *v, const char *path, const char *arm)
{
    lab_call_fail(call_of(v), TILEC_ERROR_INVALID,
                  "'%s': the kernel file '%s' of '%s' changed since the tuning: what was chosen is "
                  "not there any more; tune again",
                  v->path, path, arm);
    return false;
}

/* What the arm's file included is what it was. */
static bool check_includes(struct validate *v, const struct lab_arm *arm, const json_t *shader)
{
    const json_t *list = json_object_get(shader, "includes");
    struct arena *arena = &call_of(v)->arena;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *include = json_array_get(list, i);
        const char *path = lab_path_beside(arena, arm->file, json_text_at(include, "path"));
        const char *error = NULL;
        char now[LAB_HASH_SIZE];
        size_t length;
        const char *text = json_text_file(arena, path, 1 << 20, &length, &error);
        lab_bytes_sha256(text ? text : "", text ? length : 0, now);
        if (strcmp(json_text_at(include, "source_sha256"), now) != 0)
            return changed_since(v, path, arm->name);
    }
    return true;
}

/* The kernel files are those that were tuned: the tuning record has the hash of each arm's text,
 * and of what that includes, but for frozen ones, which are the baseline's. False after
 * lab_call_fail. */
static bool check_sources(struct validate *v, const json_t *tuning)
{
    struct lab_session *s = &v->run.session;
    const struct lab_experiment *e = &s->experiment;
    const struct lab_arm *selected = lab_manifest_selected(v->manifest, e);
    const json_t *cases = json_object_get(tuning, "cases");
    for (size_t a = 0; a < e->arm_count; a++) {
        const struct lab_arm *arm = &e->arms[a];
        char now[LAB_HASH_SIZE];
        if (!s->texts[a].text || (arm->role == LAB_CANDIDATE && arm != selected))
            continue;
        lab_bytes_sha256(s->texts[a].text, s->texts[a].length, now);
        for (size_t i = 0; i < json_array_size(cases); i++) {
            const json_t *shaders = json_object_get(json_array_get(cases, i), "shaders");
            const json_t *shader = json_object_get(shaders, arm->name);
            if (shader && strcmp(json_text_at(shader, "source_sha256"), now) != 0)
                return changed_since(v, s->texts[a].path, arm->name);
            if (shader && !check_includes(v, arm, shader))
                return false;
        }
    }
    return true;
}

/* Everything the manifest is bound to; false after lab_call_fail. */
static bool check_manifest(struct validate *v)
{
    struct lab_call *call = call_of(v);
    struct lab_manifest_files files = {.manifest = v->manifest,
                                       .experiment = &v->run.session.experiment};
    struct lab_identity identity = {.process_id = getpid()};
    const char *tuning = named_file(v, call, "tuning_report"), *bytes, *error = NULL;
    size_t length;
    files.tuning = tuning ? lab_call_read(call, tuning, &bytes, &length) : NULL;
    if (!files.tuning)
        return false;
    lab_bytes_sha256(bytes, length, files.tuning_sha256);
    memcpy(files.baseline_sha256, v->run.session.baseline.sha256, LAB_HASH_SIZE);
    lab_compiler_sha256(identity.compiler_sha256);
    lab_program_sha256(identity.program_sha256);
    if (lab_manifest_check(&call->arena, &files, &identity, &error))
        return check_sources(v, files.tuning);
    lab_call_fail(call, TILEC_ERROR_INVALID, "'%s': %s", v->path, error);
    return false;
}

/* Only the chosen variant and the controls are measured. */
static void keep_selected(struct validate *v)
{
    struct lab_session *s = &v->run.session;
    struct lab_experiment *e = &s->experiment;
    size_t count = 1, selected = (size_t)(lab_manifest_selected(v->manifest, e) - e->arms);
    struct lab_arm first = e->arms[selected];
    struct lab_text text = s->texts[selected];
    for (size_t a = 0; a < e->arm_count; a++) {
        if (e->arms[a].role == LAB_CANDIDATE)
            continue;
        /* count never passes a: the chosen one stands before every control. */
        e->arms[count] = e->arms[a];
        s->texts[count++] = s->texts[a];
    }
    e->arms[0] = first;
    s->texts[0] = text;
    e->arm_count = count;
}

static void put_choice(struct validate *v)
{
    static const char *const repeated[] = {"training_process_id", "training_seed",
                                           "validation_seed", "gate_policy"};
    const struct lab_experiment *e = &v->run.session.experiment;
    json_t *record = v->run.record;
    for (size_t i = 0; i < sizeof repeated / sizeof *repeated; i++)
        json_object_set(record, repeated[i], json_object_get(v->manifest, repeated[i]));
    json_object_set_new(record, "manifest_sha256", json_string(v->manifest_sha256));
    json_object_set_new(record, "control", json_string(e->arms[1].name));
    json_object_set_new(record, "selected", lab_tiling_variant(&e->arms[0]));
    json_object_set_new(record, "promotion_gate", lab_tiling_gate(e, v->run.gate_cases, 1));
}

static bool read_manifest(struct validate *v, struct lab_call *call)
{
    const char *bytes;
    size_t length;
    v->manifest = lab_call_read(call, v->path, &bytes, &length);
    if (!v->manifest)
        return false;
    lab_bytes_sha256(bytes, length, v->manifest_sha256);
    v->run.session.options.baseline = named_file(v, call, "baseline_export");
    return v->run.session.options.baseline;
}

static void work(struct lab_call *call)
{
    struct validate *v = (struct validate *)call->arguments;
    struct lab_session *s = &v->run.session;
    const char *experiment;
    if (!read_manifest(v, call) || !(experiment = named_file(v, call, "experiment_file")) ||
        !lab_session_open(s, call, experiment, LAB_TUNING) || !check_manifest(v))
        return;
    keep_selected(v);
    lab_run_begin(&v->run, "validation", s->experiment.validation_seed);
    if (!lab_run_cases(&v->run, s->experiment.validation_seed))
        return;
    lab_run_remarks(&v->run);
    put_choice(v);
    lab_record_deliver(call, v->run.record);
}

tilec_status tilec_lab_validate(const char *manifest, const tilec_lab_options *options,
                                tilec_lab_text *record)
{
    if (!manifest || !record)
        return TILEC_ERROR_INVALID;
    struct validate *v = calloc(1, sizeof *v);
    if (!v)
        return TILEC_ERROR_NO_MEMORY;
    v->path = manifest;
    tilec_status status = TILEC_ERROR_INVALID;
    if (lab_options_read(&v->run.session.options, options))
        status = lab_call_run(work, v, record);
    lab_session_close(&v->run.session);
    free(v);
    return status;
}
