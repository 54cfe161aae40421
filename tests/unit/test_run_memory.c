/*
 * Failing allocations: a whole session (context, compile, launch, errors) is run again and again,
 * with the n-th allocation failing, for every n. Each time the session either works or says that
 * memory is out, and everything is released.
 *
 * In a build with TILEC_TINY_LIMITS arenas ask for every piece by itself, so that n counts every
 * allocation there is.
 */
#include <tilec/tilec.h>

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "../skip.h"

struct counter {
    long made, left; /* left: allocations until one fails; negative: none does */
    long living;
};

static void *allocate(void *user, size_t size)
{
    struct counter *counter = user;
    counter->made++;
    if (counter->left == 0)
        return NULL;
    if (counter->left > 0)
        counter->left--;
    counter->living++;
    return malloc(size);
}

static void release(void *user, void *memory)
{
    struct counter *counter = user;
    counter->living--;
    free(memory);
}

static const char text[] = "launch_grid(twice, cdiv(n, 64));\n"
                           "launch_require(twice, n > 0, \"there is something\");\n"
                           "kernel void twice(const float *X, float *Out, int n)\n"
                           "{\n"
                           "    int i = program_id(0) * 64 + arange(0, 64);\n"
                           "    float x = load(X + i, i < n);\n"
                           "    for (int k = 0; k < 1; k++)\n"
                           "        x += x;\n"
                           "    store(Out + i, x + 0.0f * sum(x), i < n);\n"
                           "}\n";

/* Fine, or out of memory and nothing else; a diagnostic says so whenever there is a context. */
static bool is_fine(tilec_context *context, tilec_status status, tilec_status wanted)
{
    tilec_diagnostic diagnostic;
    if (status == wanted)
        return true;
    if (status != TILEC_ERROR_NO_MEMORY)
        fail_msg("status %d: %s", (int)status, tilec_status_string(status));
    assert_int_equal(tilec_diagnostic_get(context, 0, &diagnostic), TILEC_OK);
    assert_string_equal(diagnostic.message, "out of memory");
    return false;
}

static bool launch(tilec_context *context, tilec_kernel *kernel)
{
    enum { N = 100 };
    float x[N], out[N] = {0};
    for (int i = 0; i < N; i++)
        x[i] = (float)i;
    tilec_prepared *prepared = NULL;
    tilec_argument arguments[] = {tilec_array(TILEC_F32, x, N), tilec_array(TILEC_F32, out, N),
                                  tilec_int(TILEC_I32, N)};
    bool fine =
        is_fine(context, tilec_launch(kernel, NULL, arguments, 3, NULL), TILEC_OK) &&
        is_fine(context, tilec_launch(kernel, NULL, arguments, 2, NULL), TILEC_ERROR_ARGUMENT) &&
        is_fine(context, tilec_prepare(kernel, NULL, arguments, 3, NULL, &prepared), TILEC_OK) &&
        is_fine(context, tilec_prepared_run(prepared), TILEC_OK);
    assert_true(!fine || out[99] == 198);
    tilec_prepared_destroy(prepared);
    return fine;
}

static bool session(struct counter *counter, const char *target, const char *cache)
{
    tilec_context_options options = {.size = sizeof options,
                                     .allocate = allocate,
                                     .release = release,
                                     .user = counter,
                                     .cache_directory = cache};
    tilec_context *context;
    tilec_kernel *kernel = NULL;
    tilec_source source = {.size = sizeof source, .path = "twice.tile.c", .text = text};
    tilec_compile_options target_options = {.size = sizeof target_options, .target = target};
    tilec_status status = tilec_context_create(&options, &context);
    if (status != TILEC_OK) {
        assert_int_equal(status, TILEC_ERROR_NO_MEMORY);
        return false;
    }
    bool fine =
        is_fine(context, tilec_compile(context, &source, &target_options, &kernel), TILEC_OK) &&
        launch(context, kernel);
    assert_true((kernel != NULL) || !fine);
    tilec_kernel_destroy(kernel);
    tilec_context_destroy(context);
    assert_int_equal(counter->living, 0);
    return fine;
}

static void fail_each(const char *target, const char *cache, long most)
{
    struct counter all = {.left = -1};
    assert_true(session(&all, target, cache));
    long step = all.made / most + 1;
    for (long n = 0; n < all.made; n += step) {
        struct counter counter = {.left = n};
        session(&counter, target, cache);
        assert_int_equal(counter.living, 0);
    }
}

static void interpreted(void **state)
{
    (void)state;
    fail_each("interp", "", 100000);
}

static bool has_cpu(void)
{
    tilec_context *context;
    tilec_device device;
    assert_int_equal(tilec_context_create(NULL, &context), TILEC_OK);
    assert_int_equal(tilec_device_get(context, 0, &device), TILEC_OK);
    bool available = device.available != 0;
    tilec_context_destroy(context);
    return available;
}

static void compiled(void **state)
{
    (void)state;
    if (!has_cpu())
        SKIP("the CPU backend is not here");
    fail_each("cpu", "", 300);
}

static void cached(void **state)
{
    (void)state;
    char folder[] = "/tmp/tilec-test-XXXXXX", command[64];
    if (!has_cpu())
        SKIP("the CPU backend is not here");
    assert_non_null(mkdtemp(folder));
    fail_each("cpu", folder, 300);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

/* Of the first hundred. */
static int open_files(void)
{
    int count = 0;
    for (int file = 0; file < 100; file++)
        count += fcntl(file, F_GETFD) >= 0;
    return count;
}

/* A matrix product, whose code is several objects, out of the cache. Its text is a file's. */
static bool product_session(struct counter *counter, const char *cache)
{
    tilec_context_options options = {.size = sizeof options,
                                     .allocate = allocate,
                                     .release = release,
                                     .user = counter,
                                     .cache_directory = cache};
    tilec_source source = {.size = sizeof source, .path = "kernels/gemm_epilogue.tile.c"};
    tilec_define sizes[] = {{"BLOCK_M", "64"}, {"BLOCK_N", "64"}, {"BLOCK_K", "32"}};
    tilec_compile_options compile_options = {
        .size = sizeof compile_options, .kernel = "gemm_bias", .constants = sizes, .constant_count = 3};
    tilec_context *context;
    tilec_kernel *kernel = NULL;
    if (tilec_context_create(&options, &context) != TILEC_OK)
        return false;
    int before = open_files();
    bool fine =
        is_fine(context, tilec_compile(context, &source, &compile_options, &kernel), TILEC_OK);
    assert_int_equal(open_files(), before);
    tilec_kernel_destroy(kernel);
    tilec_context_destroy(context);
    assert_int_equal(counter->living, 0);
    return fine;
}

static void cached_product(void **state)
{
    (void)state;
    char folder[] = "/tmp/tilec-test-XXXXXX", command[64];
    if (!has_cpu())
        SKIP("the CPU backend is not here");
    assert_non_null(mkdtemp(folder));
    struct counter first = {.left = -1}, all = {.left = -1};
    assert_true(product_session(&first, folder));
    assert_true(product_session(&all, folder));
    assert_true(all.made < first.made);
    for (long n = 0; n < all.made; n++) {
        struct counter counter = {.left = n};
        assert_false(product_session(&counter, folder));
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

/* After the first launch of a kernel no launch of it allocates. */
static void launches_allocate_nothing(void **state)
{
    (void)state;
    enum { N = 10000 };
    static float x[N], out[N];
    struct counter counter = {.left = -1};
    tilec_context_options options = {.size = sizeof options,
                                     .allocate = allocate,
                                     .release = release,
                                     .user = &counter,
                                     .cache_directory = ""};
    tilec_context *context;
    tilec_kernel *kernel;
    tilec_source source = {.size = sizeof source, .path = "twice.tile.c", .text = text};
    tilec_argument arguments[] = {tilec_array(TILEC_F32, x, N), tilec_array(TILEC_F32, out, N),
                                  tilec_int(TILEC_I32, N)};
    if (!has_cpu())
        SKIP("the CPU backend is not here");
    assert_int_equal(tilec_context_create(&options, &context), TILEC_OK);
    assert_int_equal(tilec_compile(context, &source, NULL, &kernel), TILEC_OK);
    assert_int_equal(tilec_launch(kernel, NULL, arguments, 3, NULL), TILEC_OK);
    long made = counter.made;
    for (int n = N; n > 0; n -= 999) {
        arguments[2] = tilec_int(TILEC_I32, n);
        assert_int_equal(tilec_launch(kernel, NULL, arguments, 3, NULL), TILEC_OK);
    }
    assert_int_equal(counter.made, made);
    tilec_kernel_destroy(kernel);
    tilec_context_destroy(context);
    assert_int_equal(counter.living, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launches_allocate_nothing),
        cmocka_unit_test(interpreted),
        cmocka_unit_test(compiled),
        cmocka_unit_test(cached),
        cmocka_unit_test(cached_product),
    };
    return RUN_TESTS(tests, NULL, NULL);
}
