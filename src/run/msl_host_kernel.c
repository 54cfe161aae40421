/*
 * The target "msl-host": kernels whose Metal source runs on this machine, every access checked; see
 * msl_host.h for the device and run.h for backends.
 *
 * Launches take the same arguments as on the CPU. Array sizes are not compared with what the kernel
 * needs: every access is checked when it is made, which says more.
 */
#include "run/msl_host.h"

#include "base/guard.h"
#include "emit/emit.h"
#include "interp/interp.h"
#include "run/metal.h"

#include <string.h>

/* kernel->device; in the kernel's arena. */
struct msl_host_kernel {
    struct msl_host_program *program;
    const char *function;
    uint32_t threads[3];
    const int *buffers;             /* by parameter: its buffer; NULL: the same number */
    const struct ir_func *prologue; /* of the buffers behind them; NULL: there is none */
};

/* ---- compiling ------------------------------------------------------------------------------- */

static bool check_compiler(struct run_job *job)
{
    if (msl_host_available())
        return true;
    return run_job_fail(job, TILEC_ERROR_TARGET, "install it (Debian: apt-get install clang-19)",
                        "the target 'msl-host' needs clang++-19, which is not in PATH");
}

/* What runs: this compiler's text, or that of the program. */
struct metal_code {
    struct msl_host_kernel device; /* without the program */
    const char *text;
    size_t length;
};

static bool generate(struct run_job *job, struct metal_code *code)
{
    struct text text;
    bool lowered = run_job_select_gpu(job) && run_job_lower(job);
    struct gpu_kernel *gpu = lowered ? run_job_gpu(job) : NULL;
    if (!gpu || !run_job_gpu_text(job, gpu, &text))
        return false;
    code->text = text.items;
    code->length = text.count;
    code->device.function = emit_function_name(gpu, &emit_msl, job->arena);
    code->device.threads[0] = (uint32_t)gpu->threads;
    code->device.threads[1] = code->device.threads[2] = 1;
    code->device.prologue = gpu->prologue;
    return true;
}

static bool take(struct run_job *job, struct metal_code *code)
{
    const struct metal_program *metal = job->program->metal;
    if (!metal_lower(job))
        return false;
    code->text = metal->source;
    code->length = metal->source_length;
    code->device.function = metal->function;
    code->device.buffers = metal->buffers;
    code->device.prologue = metal->prologue;
    memcpy(code->device.threads, metal->threads, sizeof metal->threads);
    return true;
}

void run_compile_msl_host(struct run_job *job)
{
    struct metal_code code = {0};
    tilec_kernel *kernel = job->kernel;
    bool foreign = job->program->metal != NULL;
    if (!check_compiler(job) || !(foreign ? take(job, &code) : generate(job, &code)))
        return;
    run_kernel_describe(kernel, job->ir);
    kernel->cpu = "";
    kernel->ir = job->ir;
    atomic_fetch_add(&job->program->references, 1);
    kernel->program = job->program;
    struct msl_host_kernel *device = ARENA_NEW(job->arena, struct msl_host_kernel);
    *device = code.device;
    kernel->device = device;
    kernel->backend = &run_backend_msl_host;
    bool misfit;
    device->program = msl_host_compile(code.text, code.length, true, &misfit, &job->diagnostics);
    if (!device->program)
        job->status = misfit    ? TILEC_ERROR_IO
                      : foreign ? TILEC_ERROR_COMPILE
                                : TILEC_ERROR_INTERNAL;
}

static void release(tilec_kernel *kernel)
{
    const struct msl_host_kernel *device = kernel->device;
    msl_host_free(device->program);
}

/* ---- launching ------------------------------------------------------------------------------- */

static tilec_status prepare(struct run_launch *launch, const tilec_launch_options *options)
{
    (void)options;
    const tilec_kernel *kernel = launch->kernel;
    if (launch->programs >= UINT32_MAX)
        return run_fail(kernel->context, TILEC_ERROR_GRID, NULL,
                        "kernel '%s': msl-host runs fewer than 2^32 - 1 threadgroups",
                        kernel->name);
    for (int i = 0; i < kernel->parameter_count; i++)
        if (kernel->parameters[i].pointer && launch->elements[i] < 0)
            return run_fail(kernel->context, TILEC_ERROR_ARGUMENT, "say how many elements it has",
                            "argument '%s' has an unknown size, which msl-host must know",
                            kernel->parameters[i].name);
    return TILEC_OK;
}

/* An array as it is; a scalar as a small buffer. data is never NULL: that means "not bound". */
static struct msl_host_buffer buffer(struct run_launch *launch, int index)
{
    const struct run_parameter *parameter = &launch->kernel->parameters[index];
    size_t bytes = ir_elem_bytes(parameter->elem);
    if (!parameter->pointer)
        return (struct msl_host_buffer){&launch->values[index], bytes};
    if (launch->elements[index] == 0)
        return (struct msl_host_buffer){&launch->values[index], 0};
    return (struct msl_host_buffer){(void *)(uintptr_t)launch->values[index],
                                    (size_t)launch->elements[index] * bytes};
}

struct going {
    struct arena arena;
    struct diagnostics diagnostics;
    struct run_launch *launch;
    bool good;
};

/* What the kernel wants to have computed on the host, behind its own arguments. */
static bool add_uniforms(struct going *going, struct msl_host_buffer *buffers, const char **names,
                         int *count)
{
    struct run_launch *launch = going->launch;
    const struct msl_host_kernel *device = launch->kernel->device;
    if (!device->prologue)
        return true;
    int uniforms = device->prologue->result_count;
    uint64_t *values = ARENA_ARRAY(&going->arena, uint64_t, (size_t)uniforms);
    if (!interp_host(device->prologue, launch->inputs, values, &going->arena, &going->diagnostics))
        return false;
    for (int i = 0; i < uniforms; i++) {
        size_t bytes = ir_elem_bytes((enum ir_elem)device->prologue->results[i].elem);
        int place = device->buffers ? device->buffers[*count] : *count;
        buffers[place] = (struct msl_host_buffer){&values[i], bytes};
        names[place] = "uniform";
        ++*count;
    }
    return true;
}

static void run_guarded(void *user)
{
    struct going *going = user;
    struct run_launch *launch = going->launch;
    const struct msl_host_kernel *device = launch->kernel->device;
    struct msl_host_buffer buffers[MSL_HOST_BUFFERS] = {{0}};
    const char *names[MSL_HOST_BUFFERS] = {0};
    diagnostics_init(&going->diagnostics, &going->arena);
    for (int i = 0; i < launch->kernel->parameter_count; i++) {
        int place = device->buffers ? device->buffers[i] : i;
        buffers[place] = buffer(launch, i);
        names[place] = launch->kernel->parameters[i].name;
    }
    int count = launch->kernel->parameter_count;
    if (!add_uniforms(going, buffers, names, &count))
        return;
    struct msl_host_launch run = {
        .kernel = device->function,
        .groups = {(uint32_t)launch->grid[0], (uint32_t)launch->grid[1], (uint32_t)launch->grid[2]},
        .threads = {device->threads[0], device->threads[1], device->threads[2]},
        .buffers = buffers,
        .buffer_count = MSL_HOST_BUFFERS,
        .names = names,
        .order = launch->thread_order,
    };
    going->good = msl_host_run(device->program, &run, &going->diagnostics);
}

static tilec_status go(struct run_launch *launch)
{
    struct going going = {.launch = launch};
    tilec_context *context = launch->kernel->context;
    tilec_status status = TILEC_ERROR_NO_MEMORY;
    arena_init(&going.arena, context->allocator, NULL);
    if (guard_run(&going.arena, run_guarded, &going)) {
        run_report_add(context, &going.diagnostics);
        status = going.good ? TILEC_OK : TILEC_ERROR_FAULT;
    }
    arena_free(&going.arena);
    return status;
}

const struct run_backend run_backend_msl_host = {
    .name = "msl-host",
    .grid = run_interp_grid,
    .require = run_interp_require,
    .prepare = prepare,
    .go = go,
    .release = release,
};
