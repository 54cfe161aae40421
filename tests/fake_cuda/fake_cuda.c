/*
 * A stand-in for NVIDIA's driver: memory is the host's, kernels do nothing or what the test says, and
 * everything is written down. It lets the code around the driver be tested where there is no GPU,
 * and errors that no healthy GPU gives.
 */
#include "fake_cuda.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct fake_cuda state;

__attribute__((visibility("default"))) struct fake_cuda *fake_cuda_state(void)
{
    return &state;
}

static int context_object, module_object;
static cuda_context stack[16];

/* Functions are their names, which stay. */
struct function {
    char name[128];
    struct function *next;
};
static struct function *functions;

/* A graph: the launches that were captured. As the driver's it keeps where the parameters lie, but
 * not their values: tests do not change them. */
struct launch {
    struct cuda_launch_config config;
    struct function *function;
    void **parameters;
};
struct graph {
    int count;
    struct launch launches[4096];
};
static struct graph *capturing;

static int run_launch(const struct launch *launch)
{
    if (!state.fail_launch && state.kernel)
        state.kernel(launch->function->name, &launch->config, launch->parameters);
    return state.fail_launch;
}

/* The name as the driver has it. */
#define FAKE(symbol, parameters)                                                                   \
    int symbol parameters;                                                                         \
    __attribute__((visibility("default"))) int symbol parameters

#pragma GCC diagnostic ignored "-Wunused-parameter"

/* The call that shall fail does nothing; what gives something back always works. */
static int fails(const char *name)
{
    if (++state.calls != state.fail_call)
        return 0;
    state.failed = name;
    return state.fail_error;
}

#define FAIL_HERE(name)                                                                            \
    do {                                                                                           \
        int error = fails(#name);                                                                  \
        if (error)                                                                                 \
            return error;                                                                          \
    } while (0)

FAKE(cuInit, (unsigned flags))
{
    FAIL_HERE(cuInit);
    return 0;
}
FAKE(cuDriverGetVersion, (int *version))
{
    FAIL_HERE(cuDriverGetVersion);
    *version = 13000;
    return 0;
}
FAKE(cuGetErrorName, (int error, const char **name))
{
    *name = "FAKE_ERROR";
    return 0;
}
FAKE(cuGetErrorString, (int error, const char **text))
{
    *text = error == CUDA_NO_MEMORY ? "out of memory" : "it went wrong";
    return 0;
}
FAKE(cuDeviceGetCount, (int *count))
{
    FAIL_HERE(cuDeviceGetCount);
    *count = 1;
    return 0;
}
FAKE(cuDeviceGet, (cuda_device * device, int index))
{
    FAIL_HERE(cuDeviceGet);
    *device = index;
    return 0;
}
FAKE(cuDeviceGetName, (char *name, int length, cuda_device device))
{
    FAIL_HERE(cuDeviceGetName);
    strncpy(name, "Fake GPU", (size_t)length);
    return 0;
}
FAKE(cuDeviceGetAttribute, (int *value, int attribute, cuda_device device))
{
    FAIL_HERE(cuDeviceGetAttribute);
    *value = attribute == CUDA_DEVICE_MAJOR ? 9 : attribute == CUDA_DEVICE_MINOR ? 0 : 132;
    return 0;
}
FAKE(cuDeviceTotalMem_v2, (size_t *bytes, cuda_device device))
{
    FAIL_HERE(cuDeviceTotalMem_v2);
    *bytes = (size_t)1 << 30;
    return 0;
}
FAKE(cuDevicePrimaryCtxRetain, (cuda_context * context, cuda_device device))
{
    FAIL_HERE(cuDevicePrimaryCtxRetain);
    *context = (cuda_context)(void *)&context_object;
    return 0;
}
FAKE(cuDevicePrimaryCtxRelease_v2, (cuda_device device))
{
    return 0;
}
FAKE(cuCtxGetCurrent, (cuda_context * context))
{
    FAIL_HERE(cuCtxGetCurrent);
    *context = state.context_depth ? stack[state.context_depth - 1] : NULL;
    return 0;
}
FAKE(cuCtxPushCurrent_v2, (cuda_context context))
{
    FAIL_HERE(cuCtxPushCurrent_v2);
    stack[state.context_depth++] = context;
    return 0;
}
FAKE(cuCtxPopCurrent_v2, (cuda_context * context))
{
    *context = stack[--state.context_depth];
    return 0;
}
FAKE(cuModuleLoadData, (cuda_module * module, const void *image))
{
    FAIL_HERE(cuModuleLoadData);
    *module = (cuda_module)(void *)&module_object;
    state.modules++;
    return memcmp(image, "\177ELF", 4) == 0 ? 0 : 200;
}
FAKE(cuModuleUnload, (cuda_module module))
{
    state.modules--;
    return 0;
}
FAKE(cuModuleGetFunction, (cuda_function * function, cuda_module module, const char *name))
{
    FAIL_HERE(cuModuleGetFunction);
    struct function *found = functions;
    while (found && strcmp(found->name, name) != 0)
        found = found->next;
    if (!found) {
        found = calloc(1, sizeof *found);
        strncpy(found->name, name, sizeof found->name - 1);
        found->next = functions;
        functions = found;
    }
    *function = (cuda_function)(void *)found;
    return strstr(name, "_kernel") ? 0 : 500;
}
FAKE(cuFuncGetAttribute, (int *value, int attribute, cuda_function function))
{
    FAIL_HERE(cuFuncGetAttribute);
    *value = 0;
    return 0;
}
FAKE(cuFuncSetAttribute, (cuda_function function, int attribute, int value))
{
    FAIL_HERE(cuFuncSetAttribute);
    return 0;
}
FAKE(cuOccupancyMaxActiveBlocksPerMultiprocessor,
     (int *blocks, cuda_function function, int threads, size_t shared_bytes))
{
    FAIL_HERE(cuOccupancyMaxActiveBlocksPerMultiprocessor);
    *blocks = 1;
    return 0;
}
FAKE(cuOccupancyMaxActiveClusters,
     (int *clusters, cuda_function function, const struct cuda_launch_config *config))
{
    FAIL_HERE(cuOccupancyMaxActiveClusters);
    *clusters = state.clusters;
    return state.context_depth && config->attribute_count == 1 && config->attributes[0].id == 4 ? 0 : 1;
}
FAKE(cuLaunchKernelEx, (const struct cuda_launch_config *config, cuda_function function,
                        void **parameters, void **extra))
{
    FAIL_HERE(cuLaunchKernelEx);
    if (!state.context_depth)
        return 201;
    state.launches++;
    state.config = *config;
    state.overlaps = config->attribute_count ? config->attributes[0].value.overlap : 0;
    for (int i = 0; i < 8 && state.value_bytes[i]; i++) {
        state.values[i] = 0;
        memcpy(&state.values[i], parameters[i], (size_t)state.value_bytes[i]);
    }
    struct launch launch = {*config, (struct function *)(void *)function, parameters};
    launch.config.attributes = NULL; /* the caller's, and gone after the call */
    launch.config.attribute_count = 0;
    if (!capturing)
        return run_launch(&launch);
    if (capturing->count == (int)(sizeof capturing->launches / sizeof *capturing->launches))
        return CUDA_NO_MEMORY;
    capturing->launches[capturing->count++] = launch;
    return state.fail_launch;
}
FAKE(cuMemAlloc_v2, (cuda_pointer * memory, size_t bytes))
{
    FAIL_HERE(cuMemAlloc_v2);
    void *got = bytes < (size_t)1 << 30 ? aligned_alloc(256, (bytes + 255) / 256 * 256) : NULL;
    state.allocations += got != NULL;
    *memory = (uintptr_t)got;
    return got ? 0 : CUDA_NO_MEMORY;
}
FAKE(cuMemFree_v2, (cuda_pointer memory))
{
    state.allocations--;
    free((void *)(uintptr_t)memory);
    return 0;
}
FAKE(cuMemcpyAsync, (cuda_pointer to, cuda_pointer from, size_t bytes, cuda_stream stream))
{
    FAIL_HERE(cuMemcpyAsync);
    memcpy((void *)(uintptr_t)to, (void *)(uintptr_t)from, bytes);
    return 0;
}
FAKE(cuMemcpyHtoD_v2, (cuda_pointer to, const void *from, size_t bytes))
{
    FAIL_HERE(cuMemcpyHtoD_v2);
    memcpy((void *)(uintptr_t)to, from, bytes);
    return 0;
}
FAKE(cuMemcpyDtoH_v2, (void *to, cuda_pointer from, size_t bytes))
{
    FAIL_HERE(cuMemcpyDtoH_v2);
    memcpy(to, (void *)(uintptr_t)from, bytes);
    return 0;
}
FAKE(cuMemsetD8Async, (cuda_pointer to, unsigned char byte, size_t bytes, cuda_stream stream))
{
    FAIL_HERE(cuMemsetD8Async);
    memset((void *)(uintptr_t)to, byte, bytes);
    return 0;
}
FAKE(cuStreamCreate, (cuda_stream * stream, unsigned flags))
{
    FAIL_HERE(cuStreamCreate);
    *stream = malloc(1);
    return 0;
}
FAKE(cuStreamDestroy_v2, (cuda_stream stream))
{
    free(stream);
    return 0;
}
FAKE(cuStreamSynchronize, (cuda_stream stream))
{
    FAIL_HERE(cuStreamSynchronize);
    state.waits++;
    return state.fail_wait;
}
FAKE(cuStreamWaitEvent, (cuda_stream stream, cuda_event event, unsigned flags))
{
    FAIL_HERE(cuStreamWaitEvent);
    return 0;
}
FAKE(cuEventCreate, (cuda_event * event, unsigned flags))
{
    FAIL_HERE(cuEventCreate);
    *event = calloc(1, sizeof(struct timespec));
    return *event ? 0 : CUDA_NO_MEMORY;
}
FAKE(cuEventDestroy_v2, (cuda_event event))
{
    free(event);
    return 0;
}
FAKE(cuEventRecord, (cuda_event event, cuda_stream stream))
{
    FAIL_HERE(cuEventRecord);
    clock_gettime(CLOCK_MONOTONIC, (struct timespec *)(void *)event);
    return 0;
}
FAKE(cuEventSynchronize, (cuda_event event))
{
    FAIL_HERE(cuEventSynchronize);
    return state.fail_wait;
}
FAKE(cuEventElapsedTime, (float *milliseconds, cuda_event begin, cuda_event end))
{
    FAIL_HERE(cuEventElapsedTime);
    const struct timespec *from = (void *)begin, *to = (void *)end;
    double seconds = (double)(to->tv_sec - from->tv_sec);
    *milliseconds = (float)(seconds * 1e3 + (double)(to->tv_nsec - from->tv_nsec) * 1e-6);
    return 0;
}
FAKE(cuStreamBeginCapture_v2, (cuda_stream stream, int mode))
{
    FAIL_HERE(cuStreamBeginCapture_v2);
    capturing = calloc(1, sizeof *capturing);
    state.captures++;
    return capturing && stream ? 0 : CUDA_INVALID_VALUE;
}
FAKE(cuStreamEndCapture, (cuda_stream stream, cuda_graph *graph))
{
    FAIL_HERE(cuStreamEndCapture);
    *graph = (cuda_graph)(void *)capturing;
    if (!capturing)
        return 901;
    capturing = NULL;
    if (!state.fail_capture_end)
        return 0;
    free(*graph);
    *graph = NULL;
    return state.fail_capture_end;
}
FAKE(cuGraphInstantiateWithFlags,
     (cuda_graph_exec * made, cuda_graph graph, unsigned long long flags))
{
    FAIL_HERE(cuGraphInstantiateWithFlags);
    struct graph *copy = malloc(sizeof *copy);
    if (!copy)
        return CUDA_NO_MEMORY;
    memcpy(copy, graph, sizeof *copy);
    *made = (cuda_graph_exec)(void *)copy;
    state.graphs++;
    return 0;
}
FAKE(cuGraphDestroy, (cuda_graph graph))
{
    free(graph);
    return 0;
}
FAKE(cuGraphUpload, (cuda_graph_exec graph, cuda_stream stream))
{
    FAIL_HERE(cuGraphUpload);
    return 0;
}
FAKE(cuGraphLaunch, (cuda_graph_exec graph, cuda_stream stream))
{
    FAIL_HERE(cuGraphLaunch);
    const struct graph *g = (void *)graph;
    int result = 0;
    state.graph_launches++;
    for (int i = 0; i < g->count && !result; i++)
        result = run_launch(&g->launches[i]);
    return result;
}
FAKE(cuGraphExecDestroy, (cuda_graph_exec graph))
{
    state.graphs--;
    free(graph);
    return 0;
}
