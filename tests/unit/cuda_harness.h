#ifndef TILEC_TESTS_CUDA_HARNESS_H
#define TILEC_TESTS_CUDA_HARNESS_H
/*
 * For tests of CUDA text: compiles it with NVRTC, warnings being errors, and runs it where there is
 * a GPU. Where something is missing the tests say what and do without.
 *
 * TILEC_TEST_GPU=1: a missing GPU is a failure.
 */
#include "base/arena.h"
#include "run/cuda_driver.h"
#include "run/nvrtc.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cuda_harness {
    const struct nvrtc *nvrtc; /* NULL: none here */
    bool has_gpu;
    struct cuda_driver driver;
    cuda_context context;
    char arch[16]; /* of the GPU, else sm_90a */
};

static inline void cuda_harness_open(struct cuda_harness *h)
{
    char why[512];
    cuda_device device = 0;
    int major = 0, minor = 0;
    *h = (struct cuda_harness){.nvrtc = nvrtc_open(why, sizeof why), .arch = "sm_90a"};
    if (!h->nvrtc)
        print_message("skipped: CUDA text is not compiled: %s\n", why);
    if (cuda_driver_open(&h->driver, why, sizeof why) && h->driver.device_get(&device, 0) == 0 &&
        h->driver.retain(&h->context, device) == 0 && h->driver.push(h->context) == 0) {
        h->has_gpu = true;
        h->driver.device_attribute(&major, CUDA_DEVICE_MAJOR, device);
        h->driver.device_attribute(&minor, CUDA_DEVICE_MINOR, device);
        snprintf(h->arch, sizeof h->arch, "sm_%d%d%s", major, minor, major >= 9 ? "a" : "");
    } else {
        print_message("skipped: CUDA code is not run: %s\n", why);
    }
    const char *needed = getenv("TILEC_TEST_GPU");
    if (needed && *needed == '1' && !(h->has_gpu && h->nvrtc))
        fail_msg("TILEC_TEST_GPU is set, but there is no GPU or no NVRTC");
}

static inline void cuda_harness_close(struct cuda_harness *h)
{
    cuda_context popped;
    if (h->has_gpu)
        h->driver.pop(&popped);
    free((void *)(uintptr_t)h->nvrtc);
}

/* Fails on any warning. */
static inline struct nvrtc_output cuda_compile(struct cuda_harness *h, const char *text,
                                               const char *arch, struct arena *arena)
{
    struct nvrtc_output output;
    struct nvrtc_request request = {.text = text, .arch = arch};
    if (!nvrtc_compile(h->nvrtc, &request, arena, &output) || *output.log)
        fail_msg("%s: NVRTC says: %.3000s", arch, output.log);
    return output;
}

#define CUDA_CHECK(call)                                                                           \
    do {                                                                                           \
        int cuda_error_ = (call);                                                                  \
        if (cuda_error_)                                                                           \
            fail_msg("%s gives error %d", #call, cuda_error_);                                     \
    } while (0)

/* Helpers of each kernel stand in a namespace of their own. */
static inline void cuda_append(struct text *source, const char *text, int number)
{
    text_format(source, "namespace n%d {\n%s}\n", number, text);
}

struct cuda_buffer {
    void *data; /* in host memory; a copy is passed and copied back. NULL: a scalar */
    size_t bytes;
    uint64_t scalar;
};

enum { CUDA_MOST_BUFFERS = 16 };

/* One block of so many threads. */
static inline void cuda_run(struct cuda_harness *h, cuda_module module, const char *kernel,
                            int threads, unsigned shared_bytes, struct cuda_buffer *buffers,
                            int count)
{
    cuda_function function;
    uint64_t values[CUDA_MOST_BUFFERS];
    void *parameters[CUDA_MOST_BUFFERS];
    CUDA_CHECK(h->driver.function(&function, module, kernel));
    if (shared_bytes)
        CUDA_CHECK(h->driver.set_function(function, CUDA_FUNCTION_MOST_DYNAMIC_SHARED_BYTES,
                                          (int)shared_bytes));
    for (int i = 0; i < count; i++) {
        values[i] = buffers[i].scalar;
        parameters[i] = &values[i];
        if (!buffers[i].data)
            continue;
        CUDA_CHECK(h->driver.allocate(&values[i], buffers[i].bytes));
        CUDA_CHECK(h->driver.copy_in(values[i], buffers[i].data, buffers[i].bytes));
    }
    struct cuda_launch_config config = {
        .grid = {1, 1, 1}, .block = {(unsigned)threads, 1, 1}, .shared_bytes = shared_bytes};
    CUDA_CHECK(h->driver.launch(&config, function, parameters, NULL));
    CUDA_CHECK(h->driver.stream_wait(NULL));
    for (int i = 0; i < count; i++) {
        if (!buffers[i].data)
            continue;
        CUDA_CHECK(h->driver.copy_out(buffers[i].data, values[i], buffers[i].bytes));
        CUDA_CHECK(h->driver.free(values[i]));
    }
}

#endif
