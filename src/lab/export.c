/*
 * tilec lab export: freezes kernels as this compiler makes them, so that later ones can be compared
 * with it although it is not there any more; see baseline.h.
 */
#define TILEC_EXPERIMENTAL
#include "lab/baseline.h"
#include "lab/run_record.h"

#include <string.h>

struct export {
    struct lab_call *call;
    const char *path;
    tilec_lab_options options;
    struct lab_experiment experiment;
    bool is_open;
    struct lab_bench bench;
    tilec_program *program;
};

/* ---- one arm of one case --------------------------------------------------------------------- */

static const char *reason(const struct export *e, tilec_status status)
{
    tilec_diagnostic diagnostic;
    if (tilec_diagnostic_get(e->bench.context, 0, &diagnostic) == TILEC_OK)
        return diagnostic.message;
    return tilec_status_string(status);
}

/* The program of an arm's file with the case's constants; kept in the export until the next one. */
static tilec_status open_program(struct export *e, const struct lab_arm *arm,
                                 const struct lab_case *c)
{
    size_t count = 0;
    tilec_define *defines = ARENA_ARRAY(&e->call->arena, tilec_define, arm->constant_count + 1);
    defines[count++] = (tilec_define){"T", lab_dtype_c(c->dtype)};
    for (size_t i = 0; i < arm->constant_count; i++)
        defines[count++] = (tilec_define){
            arm->constants[i].name, lab_constant_value(&e->experiment, c, &arm->constants[i])};
    tilec_source source = {
        .size = sizeof source, .path = arm->file, .defines = defines, .define_count = count};
    tilec_program_destroy(e->program);
    e->program = NULL;
    return tilec_program_create(e->bench.context, &source, &e->program);
}

/* The kernel's interface: what a launch must pass. */
static json_t *parameters_of(const struct export *e, const struct lab_arm *arm)
{
    static const char *const kinds[] = {[TILEC_SCALAR] = "scalar", [TILEC_BUFFER] = "buffer"};
    json_t *list = json_array();
    size_t count = 0;
    tilec_program_parameter_count(e->program, arm->kernel, &count);
    for (size_t i = 0; i < count; i++) {
        tilec_parameter parameter;
        if (tilec_program_parameter(e->program, arm->kernel, i, &parameter) != TILEC_OK ||
            (parameter.kind != TILEC_SCALAR && parameter.kind != TILEC_BUFFER))
            continue;
        json_t *json = json_object();
        json_object_set_new(json, "name", json_string(parameter.name));
        json_object_set_new(json, "kind", json_string(kinds[parameter.kind]));
        json_object_set_new(json, "type", json_string(tilec_type_name(parameter.type)));
        json_object_set_new(json, "const", json_boolean(parameter.is_const));
        json_array_append_new(list, json);
    }
    return list;
}

static json_t *arm_json(const struct export *e, const struct lab_arm *arm, const struct lab_case *c,
                        const char *text, size_t length)
{
    char hex[LAB_HASH_SIZE];
    json_t *json = json_object();
    lab_bytes_sha256(text, length, hex);
    json_object_set_new(json, "source", json_stringn(text, length));
    json_object_set_new(json, "source_sha256", json_string(hex));
    json_object_set_new(json, "function_name", json_string(arm->kernel));
    json_object_set_new(json, "constants", lab_constants_json(&e->experiment, arm, c));
    json_object_set_new(json, "requirements", lab_requirements_json(arm));
    json_object_set_new(json, "relaxed", json_boolean(arm->relaxed));
    json_object_set_new(json, "parameters", parameters_of(e, arm));
    return json;
}

/* NULL after lab_call_fail. */
static json_t *freeze(struct export *e, const struct lab_arm *arm, const struct lab_case *c)
{
    char *text = NULL;
    size_t length = 0;
    tilec_compile_options options = {.size = sizeof options,
                                     .kernel = arm->kernel,
                                     .target = e->bench.target,
                                     .requirements = arm->requirements,
                                     .requirement_count = arm->requirement_count,
                                     .relaxed = arm->relaxed};
    tilec_status status = open_program(e, arm, c);
    if (status == TILEC_OK)
        status = tilec_emit(e->program, &options, TILEC_STAGE_TILE, &text, &length);
    if (status != TILEC_OK) {
        lab_call_fail(e->call, status, "arm '%s' in case '%s': %s", arm->name, c->name,
                      reason(e, status));
        return NULL;
    }
    json_t *json = arm_json(e, arm, c, text, length);
    tilec_release(e->bench.context, text);
    return json;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static bool add_case(struct export *e, json_t *cases, const struct lab_case *c)
{
    json_t *item = lab_record_case(&e->experiment, c), *arms = json_object();
    json_array_append_new(cases, item);
    json_object_set_new(item, "arms", arms);
    for (size_t a = 0; a < e->experiment.arm_count; a++) {
        if (!e->experiment.arms[a].frozen)
            continue;
        json_t *frozen = freeze(e, &e->experiment.arms[a], c);
        if (!frozen)
            return false;
        json_object_set_new(arms, e->experiment.arms[a].name, frozen);
    }
    return true;
}

static bool open_export(struct export *e)
{
    const char *error = NULL;
    size_t frozen = 0;
    tilec_context_options options = {.size = sizeof options, .cache_directory = ""};
    if (!lab_experiment_open(&e->call->arena, e->path, &e->experiment, &error)) {
        lab_call_fail(e->call, TILEC_ERROR_IO, "%s", error);
        return false;
    }
    e->is_open = true;
    for (size_t a = 0; a < e->experiment.arm_count; a++)
        frozen += e->experiment.arms[a].frozen;
    if (!frozen) {
        lab_call_fail(e->call, TILEC_ERROR_INVALID,
                      "%s: nothing to export: no control says \"frozen\": true", e->path);
        return false;
    }
    e->bench = (struct lab_bench){.arena = &e->call->arena,
                                  .experiment = &e->experiment,
                                  .target = e->options.target ? e->options.target : "cpu"};
    tilec_status status = tilec_context_create(&options, &e->bench.context);
    if (status != TILEC_OK)
        lab_call_fail(e->call, status, "no context: %s", tilec_status_string(status));
    return status == TILEC_OK;
}

static void work(struct lab_call *call)
{
    struct export *e = (struct export *)call->arguments;
    e->call = call;
    if (!open_export(e))
        return;
    json_t *record = lab_record_head("frozen_baseline", &e->bench, -1), *cases = json_array();
    call->files[call->file_count++] = record;
    json_object_del(record, "metrics");
    json_object_set_new(record, "cases", cases);
    for (size_t i = 0; i < e->experiment.case_count; i++)
        if (!add_case(e, cases, &e->experiment.cases[i]))
            return;
    lab_record_deliver(call, record);
}

tilec_status tilec_lab_export(const char *experiment, const tilec_lab_options *options,
                              tilec_lab_text *baseline)
{
    struct export e = {.path = experiment};
    if (!experiment || !baseline || !lab_options_read(&e.options, options))
        return TILEC_ERROR_INVALID;
    tilec_status status = lab_call_run(work, &e, baseline);
    tilec_program_destroy(e.program);
    tilec_context_destroy(e.bench.context);
    if (e.is_open)
        lab_experiment_close(&e.experiment);
    return status;
}
