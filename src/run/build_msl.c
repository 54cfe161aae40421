/*
 * Ahead of time for Metal: a kernel's source and its launch export, the JSON that tells a program
 * how to launch it; see docs/metal.md.
 */
#include "base/sha256.h"
#include "emit/emit.h"
#include "ir/number.h"
#include "run/host_text.h"
#include "run/run.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* What the export says; all of it lies in the job's arena, so that nothing fails while jansson's
 * objects live. */
struct export
{
    const struct gpu_kernel *kernel;
    const char *function, *source;
    size_t source_length;
    char hash[SHA256_HEX];
    /* As expressions; NULL for what has no such form. */
    int grid_rank;
    const char **grid, **conditions, **needs;
    int needs_count;
    const char **uniforms; /* as many as the kernel has */
    const char **fixed;    /* by parameter, the value of a scalar that is fixed, or NULL */
    json_t *report; /* the export's */
};

/* ---- expressions ----------------------------------------------------------------------------- */

static void read_host_functions(struct export *export, struct arena *arena)
{
    const struct gpu_kernel *kernel = export->kernel;
    if (kernel->grid) {
        export->grid_rank = kernel->grid->result_count;
        export->grid = host_text_of(kernel->grid, "", arena);
    }
    if (kernel->needs) {
        export->needs_count = kernel->needs->result_count;
        export->needs = host_text_of(kernel->needs, "", arena);
    }
    if (kernel->prologue)
        export->uniforms = host_text_of(kernel->prologue, "", arena);
    export->conditions = ARENA_ARRAY(arena, const char *, (size_t)kernel->require_count);
    for (int i = 0; i < kernel->require_count; i++)
        export->conditions[i] = host_text_of(kernel->launch_requires[i].condition, "", arena)[0];
}

static void read_fixed(struct export *export, struct arena *arena)
{
    const struct ir_func *func = export->kernel->func;
    export->fixed = ARENA_ARRAY(arena, const char *, (size_t)func->parameter_count);
    for (int i = 0; i < func->parameter_count; i++) {
        const struct ir_parameter *p = &func->parameters[i];
        if (p->is_fixed)
            export->fixed[i] = ir_element_text(p->fixed, (enum ir_elem)p->type.elem, arena);
    }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *argument_json(const struct ir_parameter *parameter, int index)
{
    enum ir_elem elem = (enum ir_elem)parameter->type.elem;
    json_t *json =
        json_pack("{s:s, s:s, s:s, s:i, s:i}", "name", parameter->name, "kind",
                  parameter->type.pointer ? "array" : "scalar", "type", ir_elems[elem].name,
                  "bytes", (int)ir_elem_bytes(elem), "buffer", index);
    if (parameter->type.pointer)
        json_object_set_new(json, "written", json_boolean(!parameter->is_const));
    return json;
}

static json_t *maybe(const char *text)
{
    return text ? json_string(text) : json_null();
}

static json_t *arguments_json(const struct export *export)
{
    const struct ir_func *func = export->kernel->func;
    json_t *list = json_array();
    int array = 0, own = func->parameter_count - export->kernel->uniform_count;
    for (int i = 0; i < func->parameter_count; i++) {
        json_t *json = argument_json(&func->parameters[i], i);
        if (export->fixed[i])
            json_object_set_new(json, "fixed", json_string(export->fixed[i]));
        if (i >= own) {
            json_object_set_new(json, "kind", json_string("uniform"));
            json_object_set_new(json, "value", maybe(export->uniforms[i - own]));
        }
        if (func->parameters[i].type.pointer && export->needs && array < export->needs_count)
            json_object_set_new(json, "needs", maybe(export->needs[array++]));
        json_array_append_new(list, json);
    }
    return list;
}

static json_t *requires_json(const struct export *export)
{
    json_t *list = json_array();
    for (int i = 0; i < export->kernel->require_count; i++)
        json_array_append_new(list, json_pack("{s:s, s:o}", "text",
                                              export->kernel->launch_requires[i].text, "condition",
                                              maybe(export->conditions[i])));
    return list;
}

/* NULL without memory; to be freed. */
static char *export_json(const struct export *export)
{
    json_t *grid = json_array();
    for (int i = 0; i < export->grid_rank; i++)
        json_array_append_new(grid, maybe(export->grid[i]));
    json_t *json = json_pack(
        "{s:s, s:s, s:s, s:s, s:i, s:o, s:o, s:o, s:O}", "target", "msl", "kernel",
        export->kernel->func->name, "function", export->function, "source_sha256", export->hash,
        "threads_per_threadgroup", export->kernel->threads, "grid", grid, "requires",
        requires_json(export), "arguments", arguments_json(export), "report", export->report);
    char *text = json ? json_dumps(json, JSON_INDENT(2)) : NULL;
    json_decref(json);
    return text;
}

/* ---- results --------------------------------------------------------------------------------- */

static bool copy(struct run_job *job, const char *text, size_t length, void **out, size_t *size)
{
    *out = text ? run_allocate(job->context, length + 2, 1) : NULL;
    *size = length;
    if (*out)
        memcpy(*out, text, length);
    return *out != NULL;
}

static void hand_out(struct run_job *job, const struct export *export, tilec_built *built)
{
    void *header = NULL;
    char *json = export_json(export);
    bool fine =
        copy(job, export->source, export->source_length, &built->object, &built->object_size) &&
        copy(job, json, json ? strlen(json) : 0, &header, &built->header_size);
    free(json);
    built->header = header;
    if (!fine) {
        job->status = TILEC_ERROR_NO_MEMORY;
        return;
    }
    built->header[built->header_size++] = '\n';
}

void run_build_msl(struct run_job *job, const tilec_build_options *options, tilec_built *built)
{
    struct text text;
    struct sha256 hash;
    unsigned char digest[SHA256_BYTES];
    if (options->cpu_count || options->symbol) {
        run_job_fail(job, TILEC_ERROR_INVALID, NULL,
                     "a build for 'msl' takes no CPU level and no symbol");
        return;
    }
    bool lowered = run_job_select_gpu(job) && run_job_lower(job) && run_job_needs(job);
    struct export export = {.kernel = lowered ? run_job_gpu(job) : NULL};
    if (!export.kernel || !run_job_gpu_text(job, export.kernel, &text))
        return;
    export.function = emit_function_name(export.kernel, &emit_msl, job->arena);
    export.source = text.items;
    export.source_length = text.count;
    read_host_functions(&export, job->arena);
    read_fixed(&export, job->arena);
    sha256_init(&hash);
    sha256_add(&hash, text.items, text.count);
    sha256_end(&hash, digest);
    sha256_hex(digest, export.hash);
    export.report = run_job_report_gpu(job, export.kernel);
    hand_out(job, &export, built);
    json_decref(export.report);
}
