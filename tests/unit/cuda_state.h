#ifndef TILEC_TESTS_CUDA_STATE_H
#define TILEC_TESTS_CUDA_STATE_H
/*
 * For tests of the target "cuda" through the public API: on a GPU where there is one, else on a
 * stand-in for the driver (tests/fake_cuda), on which kernels do nothing. Compiling needs NVRTC.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <tilec/cuda.h>
#include <cmocka.h>

#include "../skip.h"
#include "run/nvrtc.h"
#include "tests/fake_cuda/fake_cuda.h"

enum { COUNT = 5000 };

static const char twice_text[] = "#include <tilec/kernel.h>\n"
                           "launch_grid(twice, cdiv(n, 1024));\n"
                           "launch_require(twice, n != 13, \"n must not be 13\");\n"
                           "kernel void twice(const float *X, float *Out, int n)\n"
                           "{\n"
                           "    int i = program_id(0) * 1024 + arange(0, 1024);\n"
                           "    store(Out + i, load(X + i, i < n) * 2.0f, i < n);\n"
                           "}\n";

struct state {
    tilec_context *context;
    tilec_kernel *kernel;
    struct fake_cuda *fake; /* NULL: a GPU */
    bool compiles;
};

static inline struct fake_cuda *find_fake(void)
{
    char path[4096];
    const char *build = getenv("TILEC_BUILD_DIR"), *needed = getenv("TILEC_TEST_GPU");
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (driver || (needed && *needed == '1'))
        return NULL;
    snprintf(path, sizeof path, "%s/libfake_cuda.so", build ? build : "build");
    void *library = dlopen(path, RTLD_NOW);
    if (!library)
        fail_msg("%s", dlerror());
    setenv("TILEC_CUDA_DRIVER", path, 1);
    struct fake_cuda *(*get)(void);
    *(void **)&get = dlsym(library, "fake_cuda_state");
    return get();
}

static inline void expect(const struct state *s, tilec_status is, tilec_status wanted)
{
    tilec_diagnostic d = {0};
    if (is == wanted)
        return;
    tilec_diagnostic_get(s->context, 0, &d);
    fail_msg("%s, not %s: %s", tilec_status_string(is), tilec_status_string(wanted),
             d.message ? d.message : "");
}

static inline tilec_status compile(tilec_context *context, const char *path, const char *kernel_text,
                            tilec_kernel **kernel)
{
    tilec_source source = {.size = sizeof source, .path = path, .text = kernel_text};
    tilec_compile_options options = {.size = sizeof options, .target = "cuda"};
    return tilec_compile(context, &source, &options, kernel);
}

static inline int setup(void **result)
{
    char why[512];
    struct state *s = calloc(1, sizeof *s);
    tilec_context_options options = {.size = sizeof options, .cache_directory = ""};
    s->fake = find_fake();
    if (s->fake)
        *s->fake = (struct fake_cuda){0};
    const struct nvrtc *nvrtc = nvrtc_open(why, sizeof why);
    s->compiles = nvrtc != NULL;
    free((void *)(uintptr_t)nvrtc);
    assert_int_equal(tilec_context_create(&options, &s->context), TILEC_OK);
    if (s->compiles)
        expect(s, compile(s->context, "twice.tile.c", twice_text, &s->kernel), TILEC_OK);
    else
        print_message("kernels are not compiled: %s\n", why);
    *result = s;
    return 0;
}

static inline int teardown(void **result)
{
    struct state *s = *result;
    tilec_kernel_destroy(s->kernel);
    tilec_context_destroy(s->context);
    if (s->fake) { /* everything was given back, and the caller's context is current again */
        assert_int_equal(s->fake->modules, 0);
        assert_int_equal(s->fake->allocations, 0);
        assert_int_equal(s->fake->context_depth, 0);
    }
    free(s);
    return 0;
}

static inline void need_compiler(const struct state *s)
{
    if (!s->compiles)
        SKIP("there is no compiler for CUDA");
}

static inline void fill(float *x, float *out)
{
    for (int i = 0; i < COUNT; i++) {
        x[i] = (float)(i % 97) - 11;
        out[i] = -1;
    }
}

static inline void expect_twice(const struct state *s, const float *x, const float *out, int n)
{
    for (int i = 0; !s->fake && i < COUNT; i++)
        if (out[i] != (i < n ? 2 * x[i] : -1))
            fail_msg("element %d of %d is %g", i, n, (double)out[i]);
}

static inline tilec_status launch(const struct state *s, void *x, void *out, int n,
                           const tilec_launch_options *options)
{
    const tilec_argument arguments[3] = {tilec_array(TILEC_F32, x, n),
                                         tilec_array(TILEC_F32, out, n), tilec_int(TILEC_I32, n)};
    return tilec_launch(s->kernel, NULL, arguments, 3, options);
}

#endif
