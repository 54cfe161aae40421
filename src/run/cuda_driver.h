#ifndef TILEC_RUN_CUDA_DRIVER_H
#define TILEC_RUN_CUDA_DRIVER_H
/*
 * The functions of NVIDIA's driver (libcuda) that tilec calls, found with dlopen, and the few types
 * and numbers that go with them. Each returns 0, or an error's number.
 */
#include <stddef.h>
#include <stdint.h>

typedef int cuda_device;
typedef uint64_t cuda_pointer;
typedef struct cuda_context_object *cuda_context;
typedef struct cuda_module_object *cuda_module;
typedef struct cuda_function_object *cuda_function;
typedef struct cuda_stream_object *cuda_stream;
typedef struct cuda_event_object *cuda_event;
typedef struct cuda_graph_object *cuda_graph;
typedef struct cuda_graph_exec_object *cuda_graph_exec;

enum { /* errors that are told apart */
    CUDA_INVALID_VALUE = 1,
    CUDA_NO_MEMORY = 2,
    CUDA_INVALID_HANDLE = 400,
};

enum { /* cuDeviceGetAttribute, cuFuncSetAttribute */
       CUDA_DEVICE_MULTIPROCESSORS = 16,
       CUDA_DEVICE_MAJOR = 75,
       CUDA_DEVICE_MINOR = 76,
       CUDA_FUNCTION_MOST_DYNAMIC_SHARED_BYTES = 8,
};

enum { CUDA_CAPTURE_RELAXED = 2 }; /* no call of any thread is forbidden during the capture */

enum {
    CUDA_ATTRIBUTE_CLUSTER = 4,
    CUDA_ATTRIBUTE_OVERLAP = 6, /* programmatic stream serialization */
};

struct cuda_launch_attribute {
    int id;
    char padding[4];
    union {
        int overlap;
        unsigned cluster[3];
        char room[64];
    } value;
};

struct cuda_launch_config {
    unsigned grid[3], block[3];
    unsigned shared_bytes; /* dynamic */
    cuda_stream stream;
    struct cuda_launch_attribute *attributes;
    unsigned attribute_count;
};

#define CUDA_FUNCTIONS(F)                                                                          \
    F(init, cuInit, (unsigned flags))                                                              \
    F(driver_version, cuDriverGetVersion, (int *version))                                          \
    F(error_name, cuGetErrorName, (int error, const char **name))                                  \
    F(error_string, cuGetErrorString, (int error, const char **text))                              \
    F(device_count, cuDeviceGetCount, (int *count))                                                \
    F(device_get, cuDeviceGet, (cuda_device * device, int index))                                  \
    F(device_name, cuDeviceGetName, (char *name, int length, cuda_device device))                  \
    F(device_attribute, cuDeviceGetAttribute, (int *value, int attribute, cuda_device device))     \
    F(device_memory, cuDeviceTotalMem_v2, (size_t *bytes, cuda_device device))                     \
    F(retain, cuDevicePrimaryCtxRetain, (cuda_context * context, cuda_device device))              \
    F(release, cuDevicePrimaryCtxRelease_v2, (cuda_device device))                                 \
    F(current, cuCtxGetCurrent, (cuda_context * context))                                          \
    F(push, cuCtxPushCurrent_v2, (cuda_context context))                                           \
    F(pop, cuCtxPopCurrent_v2, (cuda_context * context))                                           \
    F(load, cuModuleLoadData, (cuda_module * module, const void *image))                           \
    F(unload, cuModuleUnload, (cuda_module module))                                                \
    F(function, cuModuleGetFunction,                                                               \
      (cuda_function * function, cuda_module module, const char *name))                            \
    F(function_attribute, cuFuncGetAttribute, (int *value, int attribute, cuda_function function)) \
    F(set_function, cuFuncSetAttribute, (cuda_function function, int attribute, int value))        \
    F(occupancy, cuOccupancyMaxActiveBlocksPerMultiprocessor,                                      \
      (int *blocks, cuda_function function, int threads, size_t shared_bytes))                     \
    F(cluster_occupancy, cuOccupancyMaxActiveClusters,                                             \
      (int *clusters, cuda_function function, const struct cuda_launch_config *config))            \
    F(launch, cuLaunchKernelEx,                                                                    \
      (const struct cuda_launch_config *config, cuda_function function, void **parameters,         \
       void **extra))                                                                              \
    F(allocate, cuMemAlloc_v2, (cuda_pointer * memory, size_t bytes))                              \
    F(free, cuMemFree_v2, (cuda_pointer memory))                                                   \
    F(copy, cuMemcpyAsync,                                                                         \
      (cuda_pointer to, cuda_pointer from, size_t bytes, cuda_stream stream))                      \
    F(copy_in, cuMemcpyHtoD_v2, (cuda_pointer to, const void *from, size_t bytes))                 \
    F(copy_out, cuMemcpyDtoH_v2, (void *to, cuda_pointer from, size_t bytes))                      \
    F(fill, cuMemsetD8Async,                                                                       \
      (cuda_pointer to, unsigned char byte, size_t bytes, cuda_stream stream))                     \
    F(stream_create, cuStreamCreate, (cuda_stream * stream, unsigned flags))                       \
    F(stream_destroy, cuStreamDestroy_v2, (cuda_stream stream))                                    \
    F(stream_wait, cuStreamSynchronize, (cuda_stream stream))                                      \
    F(stream_after, cuStreamWaitEvent, (cuda_stream stream, cuda_event event, unsigned flags))     \
    F(event_create, cuEventCreate, (cuda_event * event, unsigned flags))                           \
    F(event_destroy, cuEventDestroy_v2, (cuda_event event))                                        \
    F(event_record, cuEventRecord, (cuda_event event, cuda_stream stream))                         \
    F(event_wait, cuEventSynchronize, (cuda_event event))                                          \
    F(event_elapsed, cuEventElapsedTime, (float *milliseconds, cuda_event begin, cuda_event end))  \
    F(capture_begin, cuStreamBeginCapture_v2, (cuda_stream stream, int mode))                      \
    F(capture_end, cuStreamEndCapture, (cuda_stream stream, cuda_graph * graph))                   \
    F(graph_make, cuGraphInstantiateWithFlags,                                                     \
      (cuda_graph_exec * made, cuda_graph graph, unsigned long long flags))                        \
    F(graph_destroy, cuGraphDestroy, (cuda_graph graph))                                           \
    F(graph_upload, cuGraphUpload, (cuda_graph_exec graph, cuda_stream stream))                    \
    F(graph_launch, cuGraphLaunch, (cuda_graph_exec graph, cuda_stream stream))                    \
    F(graph_free, cuGraphExecDestroy, (cuda_graph_exec graph))

struct cuda_driver {
#define POINTER(name, symbol, parameters) int(*name) parameters;
    CUDA_FUNCTIONS(POINTER)
#undef POINTER
};

/* Opens and initialises it. False with a reason. The library stays loaded. */
int cuda_driver_open(struct cuda_driver *driver, char *why, size_t size);

#endif
