/* Metal source as a program; see metal.h. */
#include "run/metal.h"

#include "base/guard.h"
#include "base/json_text.h"
#include "base/sha256.h"
#include "ir/number.h"
#include "run/msl_host_parts.h"

#include <stdlib.h>
#include <string.h>

struct reading {
    tilec_program *program;
    struct arena *arena;
    struct metal_program *metal;
    json_t *json;        /* the file's, or the export's; NULL: neither; freed at the end */
    const json_t *entry; /* the part of it that tells of the kernel */
    struct ir_parameter *parameters;
    int parameter_count;
    struct text uniforms; /* expressions, separated by commas */
    enum ir_elem uniform_elems[MSL_HOST_BUFFERS];
    int uniform_buffers[MSL_HOST_BUFFERS];
    int uniform_count;
};

__attribute__((format(printf, 2, 3))) static bool fail(struct reading *r, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char message[400];
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    diagnostics_add(&r->program->diagnostics, DIAGNOSTIC_ERROR, (struct source_range){0}, "%s",
                    message);
    return false;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* "cases/0/shaders/candidate": members by name, elements by number. */
static bool find_entry(struct reading *r, const char *path)
{
    r->entry = r->json;
    while (path && *path && r->entry) {
        size_t length = strcspn(path, "/");
        const char *name = arena_copy_text(r->arena, path, length);
        r->entry = json_is_array(r->entry) ? json_array_get(r->entry, strtoul(name, NULL, 10))
                                           : json_object_get(r->entry, name);
        path += length + (path[length] == '/');
    }
    return json_is_object(r->entry) || fail(r, "the JSON has no such entry, or it is no object");
}

/* A record or an export may be a stranger's: see json_text.h. */
static bool parse_json(struct reading *r, const char *text, size_t length)
{
    const char *error = NULL;
    r->json = json_text_load(r->arena, text, length, &error);
    return r->json || fail(r, "the launch export is no JSON: %s", error);
}

/* A string under one of two names, copied; NULL: neither. */
static const char *text_of(struct reading *r, const char *name, const char *other)
{
    const char *text = json_string_value(json_object_get(r->entry, name));
    if (!text)
        text = json_string_value(json_object_get(r->entry, other));
    return text ? arena_format(r->arena, "%s", text) : NULL;
}

/* ---- types ----------------------------------------------------------------------------------- */

static const struct {
    const char *name; /* in Metal */
    enum ir_elem elem;
} types[] = {
    {"bool", IR_BOOL},      {"char", IR_I8},         {"short", IR_I16},        {"int", IR_I32},
    {"long", IR_I64},       {"uchar", IR_U8},        {"ushort", IR_U16},       {"uint", IR_U32},
    {"ulong", IR_U64},      {"half", IR_F16},        {"float", IR_F32},        {"int8_t", IR_I8},
    {"int16_t", IR_I16},    {"int32_t", IR_I32},     {"int64_t", IR_I64},      {"uint8_t", IR_U8},
    {"uint16_t", IR_U16},   {"uint32_t", IR_U32},    {"uint64_t", IR_U64},     {"bfloat", IR_BF16},
    {"atomic_int", IR_I32}, {"atomic_uint", IR_U32}, {"atomic_float", IR_F32},
};

static bool has_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)) != NULL; at += length) {
        bool starts = at == text || !strchr("abcdefghijklmnopqrstuvwxyz_0123456789", at[-1]);
        bool ends = !at[length] || !strchr("abcdefghijklmnopqrstuvwxyz_0123456789", at[length]);
        if (starts && ends)
            return true;
    }
    return false;
}

/* "device const half *": an array; "constant int &": a scalar. */
static bool read_type(const char *text, struct ir_parameter *parameter)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (!has_word(text, types[i].name))
            continue;
        parameter->type = ir_scalar(types[i].elem);
        parameter->type.pointer = strchr(text, '*') != NULL;
        parameter->is_const = has_word(text, "const") || has_word(text, "constant");
        return true;
    }
    return false;
}

/* ---- parameters ------------------------------------------------------------------------------ */

static bool add_parameter(struct reading *r, const char *name, int buffer,
                          const struct ir_parameter *like)
{
    struct ir_parameter *parameter = &r->parameters[r->parameter_count];
    *parameter = *like;
    parameter->name = name;
    r->metal->buffers[r->parameter_count++] = buffer;
    return true;
}

static bool parameters_of_source(struct reading *r, const struct msl_kernel *kernel)
{
    for (int i = 0; i < MSL_HOST_BUFFERS; i++) {
        struct ir_parameter parameter = {0};
        if (!kernel->buffers[i])
            continue;
        if (!read_type(kernel->types[i], &parameter))
            return fail(r, "parameter '%s' has the type '%s', which arguments cannot have",
                        kernel->buffers[i], kernel->types[i]);
        add_parameter(r, kernel->buffers[i], i, &parameter);
    }
    return true;
}

static bool find_elem(const char *name, enum ir_elem *elem)
{
    for (int i = 0; name && i < IR_ELEM_COUNT; i++)
        if (strcmp(ir_elems[i].name, name) == 0) {
            *elem = (enum ir_elem)i;
            return true;
        }
    return false;
}

/* What a launch computes from the scalars. */
static bool add_uniform(struct reading *r, const json_t *item, const char *name, enum ir_elem elem,
                        int buffer)
{
    const char *value = json_string_value(json_object_get(item, "value"));
    if (!value)
        return fail(r, "the launch export does not say how '%s' is computed", name);
    text_format(&r->uniforms, "%s%s", r->uniform_count ? ", " : "", value);
    r->uniform_elems[r->uniform_count] = elem;
    r->uniform_buffers[r->uniform_count++] = buffer;
    return true;
}

/* The one value that the source was made for. */
static bool read_fixed(struct reading *r, const json_t *item, const char *name,
                       struct ir_parameter *parameter)
{
    const char *value = json_string_value(json_object_get(item, "fixed"));
    if (!value)
        return true;
    parameter->is_fixed = true;
    return (!parameter->type.pointer &&
            ir_element_read(value, strlen(value), (enum ir_elem)parameter->type.elem,
                            &parameter->fixed)) ||
           fail(r, "the launch export fixes '%s' at what it cannot be", name);
}

static bool parameters_of_export(struct reading *r, const json_t *list)
{
    bool used[MSL_HOST_BUFFERS] = {false};
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        const char *name = json_string_value(json_object_get(item, "name"));
        const char *kind = json_string_value(json_object_get(item, "kind"));
        json_int_t buffer = json_integer_value(json_object_get(item, "buffer"));
        enum ir_elem elem;
        if (!name || !kind || !json_is_integer(json_object_get(item, "buffer")) || buffer < 0 ||
            buffer >= MSL_HOST_BUFFERS || used[buffer] ||
            !find_elem(json_string_value(json_object_get(item, "type")), &elem))
            return fail(r, "argument %zu of the launch export lacks name, kind, type or buffer", i);
        used[buffer] = true;
        if (strcmp(kind, "uniform") == 0) {
            if (!add_uniform(r, item, name, elem, (int)buffer))
                return false;
            continue;
        }
        struct ir_parameter parameter = {.type = ir_scalar(elem)};
        parameter.type.pointer = strcmp(kind, "array") == 0;
        if (!read_fixed(r, item, name, &parameter))
            return false;
        parameter.is_const = !json_is_true(json_object_get(item, "written"));
        add_parameter(r, arena_format(r->arena, "%s", name), (int)buffer, &parameter);
    }
    return true;
}

static const struct msl_kernel *find_function(struct reading *r, const struct msl_source *source)
{
    for (size_t i = 0; i < source->count; i++)
        if (!r->metal->function || strcmp(source->items[i].name, r->metal->function) == 0)
            return &source->items[i];
    fail(r, "the Metal source has no kernel '%s'", r->metal->function);
    return NULL;
}

static bool read_parameters(struct reading *r)
{
    struct msl_source source = {0};
    const json_t *list = json_object_get(r->entry, "arguments");
    if (!msl_source_read(&source, r->metal->source, r->metal->source_length, r->arena,
                         &r->program->diagnostics))
        return false;
    const struct msl_kernel *kernel = find_function(r, &source);
    if (!kernel)
        return false;
    r->metal->function = kernel->name;
    r->parameters = ARENA_ARRAY(r->arena, struct ir_parameter, MSL_HOST_BUFFERS);
    r->metal->buffers = ARENA_ARRAY(r->arena, int, MSL_HOST_BUFFERS);
    return json_is_array(list) && json_array_size(list) <= MSL_HOST_BUFFERS
               ? parameters_of_export(r, list)
               : parameters_of_source(r, kernel);
}

/* ---- threads, grid, requirements ------------------------------------------------------------- */

static bool read_threads(struct reading *r)
{
    const json_t *one = json_object_get(r->entry, "threads_per_threadgroup");
    const json_t *three = json_object_get(r->entry, "threadgroup_size");
    const char *attribute = strstr(r->metal->source, "max_total_threads_per_threadgroup(");
    long long sizes[3] = {0, 1, 1};
    if (json_is_integer(one))
        sizes[0] = json_integer_value(one);
    for (size_t i = 0; i < 3 && json_array_size(three) == 3; i++)
        sizes[i] = json_integer_value(json_array_get(three, i));
    if (!one && !three && attribute)
        sizes[0] = strtoll(strchr(attribute, '(') + 1, NULL, 10);
    for (int i = 0; i < 3; i++) {
        if (sizes[i] < 1 || sizes[i] > MSL_HOST_THREADS)
            return fail(r,
                        "neither the launch export nor the source says how many threads a "
                        "threadgroup has, 1 to %d",
                        MSL_HOST_THREADS);
        r->metal->threads[i] = (uint32_t)sizes[i];
    }
    return true;
}

static struct metal_scalars scalars_of(struct arena *arena, const struct ir_func *func)
{
    struct metal_scalars scalars = {0};
    scalars.items = ARENA_ARRAY(arena, struct ir_parameter, (size_t)func->parameter_count);
    for (int i = 0; i < func->parameter_count; i++)
        if (!func->parameters[i].type.pointer)
            scalars.items[scalars.count++] = func->parameters[i];
    return scalars;
}

static bool read_grid(struct reading *r, struct ir_kernel *kernel,
                      const struct metal_scalars *scalars)
{
    const json_t *grid = json_object_get(r->entry, "grid");
    struct text text;
    const char *why;
    text_init(&text, r->arena);
    for (size_t i = 0; i < json_array_size(grid); i++) {
        const char *axis = json_string_value(json_array_get(grid, i));
        if (!axis)
            return true; /* has no such form: a launch must say it */
        text_format(&text, "%s%s", i ? ", " : "", axis);
    }
    if (text.count == 0)
        return true;
    kernel->grid = metal_expressions(r->arena, scalars, text.items, 3, NULL, &why);
    return kernel->grid || fail(r, "the launch export's grid has %s", why);
}

static bool read_requires(struct reading *r, struct ir_kernel *kernel,
                          const struct metal_scalars *scalars)
{
    const json_t *list = json_object_get(r->entry, "requires");
    kernel->launch_requires =
        ARENA_ARRAY(r->arena, struct ir_launch_require, json_array_size(list));
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        static const enum ir_elem is_bool = IR_BOOL;
        const char *why, *text = json_string_value(json_object_get(item, "text"));
        const char *condition = json_string_value(json_object_get(item, "condition"));
        if (!condition)
            continue;
        struct ir_launch_require *require = &kernel->launch_requires[kernel->require_count++];
        require->text = arena_format(r->arena, "%s", text ? text : condition);
        require->condition = metal_expressions(r->arena, scalars, condition, 1, &is_bool, &why);
        if (!require->condition)
            return fail(r, "requirement %zu of the launch export has %s", i, why);
    }
    return true;
}

static bool read_uniforms(struct reading *r, const struct metal_scalars *scalars)
{
    const char *why;
    for (int i = 0; i < r->uniform_count; i++)
        r->metal->buffers[r->parameter_count + i] = r->uniform_buffers[i];
    if (r->uniform_count == 0)
        return true;
    r->metal->prologue = metal_expressions(r->arena, scalars, r->uniforms.items, r->uniform_count,
                                           r->uniform_elems, &why);
    return r->metal->prologue || fail(r, "a uniform of the launch export has %s", why);
}

static bool make_kernel(struct reading *r)
{
    struct ir_kernel *kernel = ARENA_NEW(r->arena, struct ir_kernel);
    struct ir_func *func =
        ir_func_new(r->arena, r->metal->function, r->parameter_count, r->parameters);
    struct ir_builder b = {.func = func, .region = func->body};
    ir_build(&b, IR_OP_RETURN, 0, NULL, 0, NULL, 0, NULL);
    struct metal_scalars scalars = scalars_of(r->arena, func);
    kernel->func = func;
    if (!read_grid(r, kernel, &scalars) || !read_requires(r, kernel, &scalars) ||
        !read_uniforms(r, &scalars))
        return false;
    r->program->ir = kernel;
    return true;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static bool check_hash(struct reading *r)
{
    struct sha256 hash;
    unsigned char digest[SHA256_BYTES];
    char text[SHA256_HEX];
    const char *wanted = json_string_value(json_object_get(r->entry, "source_sha256"));
    if (!wanted)
        return true;
    sha256_init(&hash);
    sha256_add(&hash, r->metal->source, r->metal->source_length);
    sha256_end(&hash, digest);
    sha256_hex(digest, text);
    return strcmp(text, wanted) == 0 ||
           fail(r, "the Metal source is not the one that the launch export was made for: its "
                   "SHA-256 is another");
}

/* JSON that has the source inside, or a source and perhaps JSON beside it. */
static bool find_source(struct reading *r, const tilec_source *source)
{
    const struct source_file *file = r->program->file;
    bool is_json = file->length > 0 && file->text[strspn(file->text, " \t\r\n")] == '{';
    if (is_json && !parse_json(r, file->text, file->length))
        return false;
    if (!is_json && source->launch && !parse_json(r, source->launch, strlen(source->launch)))
        return false;
    if (r->json && !find_entry(r, source->entry))
        return false;
    r->metal->source = is_json ? text_of(r, "source", "msl_source") : file->text;
    if (!r->metal->source)
        return fail(r, "the JSON has no Metal source in that entry");
    r->metal->source_length = is_json ? strlen(r->metal->source) : file->length;
    r->metal->function = text_of(r, "function", "function_name");
    return true;
}

struct reading_all {
    struct reading r;
    const tilec_source *source;
    bool fine;
};

static void read_all(void *user)
{
    struct reading_all *all = user;
    struct reading *r = &all->r;
    text_init(&r->uniforms, r->arena);
    r->metal = r->program->metal = ARENA_NEW(r->arena, struct metal_program);
    r->metal->trusted = all->source->trusted != 0;
    all->fine = find_source(r, all->source) && check_hash(r) && read_parameters(r) &&
                read_threads(r) && make_kernel(r);
}

/* A guard of its own: the JSON is not the arena's. */
bool metal_read(tilec_program *program, const tilec_source *source)
{
    struct reading_all all = {.r = {.program = program, .arena = &program->arena},
                              .source = source};
    bool finished = guard_run(&program->arena, read_all, &all);
    json_decref(all.r.json);
    if (!finished)
        longjmp(*program->arena.on_failure, 1);
    return all.fine;
}

bool metal_lower(struct run_job *job)
{
    const tilec_program *program = job->program;
    const char *why;
    if (job->options.constant_count || job->options.requirement_count)
        return run_job_fail(job, TILEC_ERROR_INVALID, NULL,
                            "Metal source takes no constants and no requirements");
    if (!program->metal->trusted)
        return run_job_fail(job, TILEC_ERROR_INVALID,
                            "read it, then say --trust-source, or set trusted in the source",
                            "'%s' would run as native code of this process", program->file->name);
    job->ir = ARENA_NEW(job->arena, struct ir_kernel);
    *job->ir = *program->ir;
    if (!job->options.grid)
        return true;
    struct metal_scalars scalars = scalars_of(job->arena, program->ir->func);
    job->ir->grid = metal_expressions(job->arena, &scalars, job->options.grid, 3, NULL, &why);
    return job->ir->grid || run_job_fail(job, TILEC_ERROR_INVALID, NULL, "the grid '%s' has %s",
                                         job->options.grid, why);
}
