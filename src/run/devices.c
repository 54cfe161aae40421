/* The targets and whether they can be used here; see tilec.h. */
#include "run/cuda.h"
#include "run/msl_host.h"

#include <stdio.h>

static void describe_cpu(tilec_context *context, tilec_device *device)
{
    struct cpu_level level;
    char why[256] = "";
    const char *hint;
    device->target = "cpu";
    if (!context->cpu)
        context->cpu = run_open_cpu_module(why, sizeof why, &hint);
    device->available = context->cpu != NULL;
    if (!cpu_level_find("native", &level))
        device->available = 0;
    if (device->available)
        snprintf(context->cpu_text, sizeof context->cpu_text,
                 "level %s%s%s, vectors of %d bytes, %d thread%s", level.llvm_cpu,
                 level.llvm_features[0] ? " " : "", level.llvm_features, level.vector_bits / 8,
                 context->threads, context->threads == 1 ? "" : "s");
    else
        snprintf(context->cpu_text, sizeof context->cpu_text, "not available: %s", why);
    device->description = context->cpu_text;
}

static void describe_interp(tilec_context *context, tilec_device *device)
{
    (void)context;
    device->target = "interp";
    device->available = 1;
    device->description = "interpreter that checks accesses, races and overflow, one thread";
}

static void describe_msl_host(tilec_context *context, tilec_device *device)
{
    (void)context;
    device->target = "msl-host";
    device->available = msl_host_available();
    device->description =
        device->available
            ? "Metal source, run here and checked: accesses, races, barriers; one thread"
            : "not available: clang++-19 is not in PATH (Debian: apt-get install clang-19)";
}

static void describe_cuda(tilec_context *context, tilec_device *device)
{
    char why[256] = "", no_compiler[256] = "";
    const struct run_cuda *cuda = run_cuda_open(context, why, sizeof why);
    device->target = "cuda";
    device->available = cuda != NULL;
    if (cuda && !context->nvrtc)
        context->nvrtc = nvrtc_open(no_compiler, sizeof no_compiler);
    if (cuda)
        snprintf(context->cuda_text, sizeof context->cuda_text, "%s%s%s", cuda->description,
                 context->nvrtc ? "" : "; only through nvcc: ", context->nvrtc ? "" : no_compiler);
    else
        snprintf(context->cuda_text, sizeof context->cuda_text, "not available: %s", why);
    device->description = context->cuda_text;
}

static void (*const describe[])(tilec_context *context, tilec_device *device) = {
    describe_cpu, describe_interp, describe_msl_host, describe_cuda};

size_t tilec_device_count(tilec_context *context)
{
    return context ? sizeof describe / sizeof *describe : 0;
}

tilec_status tilec_device_get(tilec_context *context, size_t index, tilec_device *device)
{
    if (!context || !device)
        return run_misused(context);
    *device = (tilec_device){0};
    run_enter(context);
    if (index >= tilec_device_count(context)) {
        tilec_status status =
            run_fail(context, TILEC_ERROR_INVALID, NULL, "there is no device number %zu", index);
        return run_leave(context, status);
    }
    describe[index](context, device);
    return run_leave(context, TILEC_OK);
}
