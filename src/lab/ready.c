/* Arms made ready; see ready.h. */
#define TILEC_EXPERIMENTAL /* the passes */
#include "lab/ready.h"

#include <string.h>

/* ---- kernels --------------------------------------------------------------------------------- */

/* The first error that the context has, or what the status means. */
static const char *reason(const struct lab_bench *bench, tilec_status status)
{
    tilec_diagnostic diagnostic;
    for (size_t i = 0; tilec_diagnostic_get(bench->context, i, &diagnostic) == TILEC_OK; i++) {
        if (diagnostic.kind != TILEC_DIAGNOSTIC_ERROR)
            continue;
        if (!diagnostic.file)
            return arena_format(bench->arena, "%s", diagnostic.message);
        return arena_format(bench->arena, "%s:%d:%d: %s", diagnostic.file, diagnostic.line,
                            diagnostic.column, diagnostic.message);
    }
    return tilec_status_string(status);
}

static tilec_status compile(const struct lab_bench *bench, const struct lab_arm *arm,
                            const struct lab_text *text, const struct lab_case *c,
                            struct lab_ready *ready)
{
    tilec_define *defines = ARENA_ARRAY(bench->arena, tilec_define, arm->constant_count + 1);
    size_t count = 0;
    defines[count++] = (tilec_define){"T", lab_dtype_c(c->dtype)};
    for (size_t i = 0; i < arm->constant_count; i++)
        defines[count++] = (tilec_define){
            arm->constants[i].name, lab_constant_value(bench->experiment, c, &arm->constants[i])};
    tilec_source source = {.size = sizeof source,
                           .path = text->path ? text->path : arm->file,
                           .text = text->text,
                           .text_length = text->length,
                           .defines = text->tile_ir ? NULL : defines,
                           .define_count = text->tile_ir ? 0 : count,
                           .tile_ir = text->tile_ir};
    tilec_pass_options none = {.size = sizeof none, .limited = 1, .limit = 0};
    tilec_compile_options options = {.size = sizeof options,
                                     .kernel = arm->kernel,
                                     .target = bench->target,
                                     .requirements = arm->requirements,
                                     .requirement_count = arm->requirement_count,
                                     .relaxed = arm->relaxed,
                                     .passes = text->tile_ir ? &none : NULL};
    tilec_status status = tilec_program_create(bench->context, &source, &ready->program);
    ready->compiled = options;
    if (status == TILEC_OK)
        status = tilec_program_compile(ready->program, &options, &ready->kernel);
    return status;
}

static tilec_type type_of(enum lab_dtype dtype)
{
    return dtype == LAB_FLOAT16 ? TILEC_F16 : TILEC_F32;
}

/* The value of the parameter of that name, by the problem's table. */
static bool find_argument(const struct lab_bench *bench, const struct lab_data *data,
                          const tilec_parameter *parameter, tilec_argument *argument)
{
    const struct lab_problem *problem = data->problem;
    for (int t = 0; t < data->tensor_count; t++) {
        const struct lab_tensor *tensor = &data->tensors[t];
        if (strcmp(parameter->name, tensor->name) != 0)
            continue;
        *argument = tilec_buffer(type_of(data->dtype), tensor->place, tensor->rank, tensor->shape);
        return true;
    }
    for (int d = 0; d < problem->dimension_count; d++) {
        if (strcmp(parameter->name, problem->scalars[d]) == 0) {
            *argument = tilec_int(parameter->type, data->sizes[d]);
            return true;
        }
    }
    if (!problem->epsilon || strcmp(parameter->name, problem->epsilon) != 0)
        return false;
    *argument = tilec_float(parameter->type, bench->experiment->epsilon);
    return true;
}

static const char *fill_arguments(const struct lab_bench *bench, const struct lab_data *data,
                                  struct lab_ready *ready)
{
    size_t count = tilec_kernel_parameter_count(ready->kernel);
    for (size_t i = 0; i < count; i++) {
        tilec_parameter parameter;
        tilec_kernel_parameter(ready->kernel, i, &parameter);
        if (i == LAB_MAX_ARGUMENTS || !find_argument(bench, data, &parameter, &ready->arguments[i]))
            return arena_format(
                bench->arena, "kernel '%s' has a parameter '%s', which the problem '%s' has not",
                tilec_kernel_name(ready->kernel), parameter.name, data->problem->name);
    }
    ready->argument_count = count;
    return NULL;
}

/* ---- on a GPU -------------------------------------------------------------------------------- */

static tilec_status queue_kernel(void *user)
{
    struct lab_ready *ready = user;
    return tilec_prepared_run(ready->prepared);
}

static tilec_status queue_external(void *user)
{
    struct lab_ready *ready = user;
    return ready->external->queue(ready->opened);
}

/* Launches that only launch: what a capture allows. */
static void prepare_replay(const struct lab_bench *bench, struct lab_ready *ready)
{
    tilec_launch_options options = {.size = sizeof options, .stream = bench->device->stream};
    tilec_status status = tilec_prepare(ready->kernel, NULL, ready->arguments,
                                        ready->argument_count, &options, &ready->prepared);
    if (status != TILEC_OK)
        ready->error = reason(bench, status);
    ready->replay = (struct lab_replay){bench->device, queue_kernel, ready, NULL, 0};
}

/* ---- both kinds of devices ------------------------------------------------------------------- */

static void make_kernel(const struct lab_bench *bench, const struct lab_text *text,
                        const struct lab_case *c, const struct lab_data *data,
                        struct lab_ready *ready)
{
    double begin = measure_clock_monotonic.now(NULL);
    tilec_status status = compile(bench, ready->arm, text, c, ready);
    ready->compile_seconds = measure_clock_monotonic.now(NULL) - begin;
    if (status != TILEC_OK)
        ready->error = reason(bench, status);
    else
        ready->error = fill_arguments(bench, data, ready);
    ready->options = (tilec_launch_options){
        .size = sizeof ready->options, .threads = bench->threads, .device_seconds = &ready->device};
    if (bench->device && !ready->error)
        prepare_replay(bench, ready);
}

/* ---- arms of others -------------------------------------------------------------------------- */

const tilec_lab_external *lab_bench_external(const struct lab_bench *bench, const char *name)
{
    for (size_t i = 0; i < bench->external_count; i++)
        if (strcmp(bench->externals[i].name, name) == 0)
            return &bench->externals[i];
    return NULL;
}

static void open_external(const struct lab_bench *bench, const struct lab_case *c,
                          const struct lab_data *data, struct lab_ready *ready)
{
    char why[256] = "";
    tilec_lab_tensor tensors[LAB_MAX_TENSORS];
    tilec_lab_dimension dimensions[LAB_MAX_DIMENSIONS];
    const char *name = ready->arm->external;
    ready->external = lab_bench_external(bench, name);
    if (!ready->external) {
        ready->error = arena_format(bench->arena, "'%s' is not present", name);
        return;
    }
    for (int t = 0; t < data->tensor_count; t++) {
        const struct lab_tensor *from = &data->tensors[t];
        tensors[t] = (tilec_lab_tensor){from->name, type_of(data->dtype), from->output,
                                        from->rank, from->shape,          from->place};
    }
    for (int d = 0; d < data->problem->dimension_count; d++)
        dimensions[d] = (tilec_lab_dimension){data->problem->dimensions[d], data->sizes[d]};
    tilec_lab_case described = {.size = sizeof described,
                                .problem = data->problem->name,
                                .name = c->name,
                                .type = type_of(data->dtype),
                                .dimension_count = (size_t)data->problem->dimension_count,
                                .dimensions = dimensions,
                                .tensor_count = (size_t)data->tensor_count,
                                .tensors = tensors,
                                .epsilon = bench->experiment->epsilon,
                                .threads = bench->threads,
                                .target = bench->target,
                                .stream = bench->device ? bench->device->stream : NULL};
    tilec_status status =
        ready->external->open(ready->external->user, &described, &ready->opened, why, sizeof why);
    if (status != TILEC_OK)
        ready->error =
            arena_format(bench->arena, "'%s': %s", name, *why ? why : tilec_status_string(status));
    else if (bench->device && ready->external->queue)
        ready->replay = (struct lab_replay){bench->device, queue_external, ready, NULL, 0};
}

/* ---- both ------------------------------------------------------------------------------------ */

void lab_ready_make(const struct lab_bench *bench, const struct lab_arm *arm,
                    const struct lab_text *text, const struct lab_case *c,
                    const struct lab_data *data, struct lab_ready *ready)
{
    *ready = (struct lab_ready){.arm = arm, .clock = bench->clock};
    if (arm->external)
        open_external(bench, c, data, ready);
    else
        make_kernel(bench, text, c, data, ready);
}

void lab_ready_free(struct lab_ready *ready)
{
    lab_replay_free(&ready->replay);
    tilec_prepared_destroy(ready->prepared);
    if (ready->opened)
        ready->external->close(ready->opened);
    tilec_kernel_destroy(ready->kernel);
    tilec_program_destroy(ready->program);
    ready->opened = NULL;
    ready->prepared = NULL;
    ready->kernel = NULL;
    ready->program = NULL;
}

static tilec_status dispatch(struct lab_ready *ready, double *device)
{
    if (ready->opened)
        return ready->external->run(ready->opened, device);
    if (ready->replay.queue)
        return lab_replay_once(&ready->replay);
    const struct measure_clock *clock = ready->clock;
    double begin = clock ? clock->now(clock->user) : 0;
    tilec_status status =
        tilec_launch(ready->kernel, NULL, ready->arguments, ready->argument_count, &ready->options);
    *device += clock ? clock->now(clock->user) - begin : ready->device;
    return status;
}

void lab_ready_check(const struct lab_bench *bench, struct lab_data *data, struct lab_ready *ready)
{
    const struct lab_tolerance *tolerance = &bench->experiment->tolerances[data->dtype];
    double device = 0;
    if (ready->error)
        return;
    lab_data_poison(data);
    tilec_status status = bench->device ? lab_device_poison(bench->device, data) : TILEC_OK;
    if (status == TILEC_OK)
        status = dispatch(ready, &device);
    if (status == TILEC_OK && bench->device)
        status = lab_device_fetch(bench->device, data);
    if (status != TILEC_OK) {
        ready->error = ready->opened ? "a dispatch failed" : reason(bench, status);
        return;
    }
    if (!lab_data_check(data, bench->experiment->epsilon, ready->arm->policy, tolerance->rtol,
                        tolerance->atol, &ready->check)) {
        ready->error = "not enough memory for the reference";
        return;
    }
    ready->checked = true;
    if (!ready->check.passed)
        ready->error = arena_format(bench->arena, "%lld elements differ from the reference",
                                    (long long)ready->check.wrong);
}

static bool run(void *user, double *device)
{
    return dispatch(user, device) == TILEC_OK;
}

/* On a GPU. A test's clock stands for the device's too. */
static bool replay(void *user, int count, double *device)
{
    struct lab_ready *ready = user;
    const struct measure_clock *clock = ready->clock;
    double begin = clock ? clock->now(clock->user) : 0, seconds = 0;
    if (lab_replay_run(&ready->replay, count, &seconds) != TILEC_OK)
        return false;
    *device += clock ? clock->now(clock->user) - begin : seconds;
    return true;
}

struct measure_arm lab_ready_measure(struct lab_ready *ready)
{
    bool replays = ready->replay.queue;
    bool tells = ready->opened && !replays ? ready->external->has_device_time : true;
    return (struct measure_arm){.name = ready->arm->name,
                                .run = run,
                                .user = ready,
                                .has_device_time = tells,
                                .run_many = replays ? replay : NULL,
                                .most_batch = replays ? LAB_MOST_REPLAYED : 0};
}
