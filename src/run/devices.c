/* The targets and whether they can be used here; see tilec.h. */
#include "run/run.h"

#include <stdio.h>

size_t tilec_device_count(tilec_context *context)
{
    return context ? 2 : 0;
}

static void describe_cpu(tilec_context *context, tilec_device *device)
{
    struct cpu_level level;
    char why[256] = "";
    device->target = "cpu";
    if (!context->cpu)
        context->cpu = run_open_cpu_module(why, sizeof why);
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

tilec_status tilec_device_get(tilec_context *context, size_t index, tilec_device *device)
{
    if (!context || !device || index >= tilec_device_count(context))
        return TILEC_ERROR_INVALID;
    *device = (tilec_device){0};
    run_enter(context);
    if (index == 0) {
        describe_cpu(context, device);
    } else {
        device->target = "interp";
        device->available = 1;
        device->description = "interpreter that checks accesses, races and overflow, one thread";
    }
    return run_leave(context, TILEC_OK);
}
