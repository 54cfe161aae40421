/*
 * The target "cuda" where devices are lost, and where any call of the driver fails.
 */
#include "cuda_state.h"

#include <spawn.h>
#include <sys/wait.h>

static void a_lost_device_is_a_status(void **result)
{
    struct state *s = *result;
    void *memory;
    tilec_diagnostic d;
    need_compiler(s);
    if (!s->fake)
        SKIP("the stand-in for a driver is not used: a GPU would be lost for the other tests");
    expect(s, tilec_cuda_allocate(s->context, 4096, &memory), TILEC_OK);
    s->fake->fail_wait = 700;
    expect(s, launch(s, memory, memory, 1024, NULL), TILEC_ERROR_DEVICE);
    assert_int_equal(tilec_diagnostic_get(s->context, 0, &d), TILEC_OK);
    assert_non_null(strstr(d.message, "kernel 'twice' fails"));
    void *stream = &d;
    tilec_launch_options options = {.size = sizeof options, .stream = stream};
    expect(s, launch(s, memory, memory, 1024, &options), TILEC_OK); /* it is only queued */
    expect(s, tilec_cuda_stream_wait(s->context, stream), TILEC_ERROR_DEVICE);
    s->fake->fail_launch = 719;
    expect(s, launch(s, memory, memory, 1024, &options), TILEC_ERROR_DEVICE);
    s->fake->fail_launch = CUDA_INVALID_HANDLE;
    expect(s, launch(s, memory, memory, 1024, &options), TILEC_ERROR_INVALID);
    s->fake->fail_launch = s->fake->fail_wait = 0;
    expect(s, tilec_cuda_free(s->context, memory), TILEC_OK);
}

/* A GPU is lost for the whole process, so another one loses it: what it says is its status. */
static void lose_the_device(void **unused)
{
    (void)unused;
    struct state s = {0};
    void *stream, *memory, *nowhere = (void *)(uintptr_t)4096;
    assert_int_equal(tilec_context_create(NULL, &s.context), TILEC_OK);
    expect(&s, compile(s.context, "twice.tile.c", twice_text, &s.kernel), TILEC_OK);
    expect(&s, tilec_cuda_stream_create(s.context, &stream), TILEC_OK);
    expect(&s, tilec_cuda_allocate(s.context, 4096, &memory), TILEC_OK);
    tilec_launch_options options = {.size = sizeof options, .stream = stream};
    expect(&s, launch(&s, nowhere, memory, 1024, &options), TILEC_OK); /* it is only queued */
    expect(&s, tilec_cuda_stream_wait(s.context, stream), TILEC_ERROR_DEVICE);
    expect(&s, launch(&s, memory, memory, 1024, NULL), TILEC_ERROR_DEVICE);
    expect(&s, tilec_cuda_copy(s.context, memory, &s, 16, stream), TILEC_ERROR_DEVICE);
    expect(&s, tilec_cuda_stream_wait(s.context, stream), TILEC_ERROR_DEVICE);
    expect(&s, tilec_cuda_allocate(s.context, 4096, &memory), TILEC_ERROR_DEVICE);
    tilec_kernel_destroy(s.kernel);
    tilec_context_destroy(s.context);
}

static void a_lost_gpu_is_a_status(void **result)
{
    struct state *s = *result;
    char *argv[] = {"/proc/self/exe", "lose", NULL};
    pid_t child;
    int status;
    need_compiler(s);
    if (s->fake)
        SKIP("there is no GPU");
    char path[4096] = {0};
    assert_true(readlink(argv[0], path, sizeof path - 1) > 0);
    argv[0] = path;
    assert_int_equal(posix_spawn(&child, path, NULL, NULL, argv, environ), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* ---- a driver whose calls fail --------------------------------------------------------------- */

/* Notes a status; the next step is made whatever it is, with what there is. */
static bool went(const struct state *s, tilec_status status, tilec_status *first)
{
    tilec_diagnostic d;
    if (status == TILEC_OK)
        return true;
    if (tilec_diagnostic_get(s->context, 0, &d) != TILEC_OK || !*d.message)
        fail_msg("%s fails, and nobody says so (%s)", s->fake->failed, tilec_status_string(status));
    if (*first == TILEC_OK)
        *first = status;
    return false;
}

static void use_device(struct state *s, tilec_status *first)
{
    static float x[COUNT], out[COUNT];
    double seconds;
    void *from = NULL, *to = NULL, *stream = NULL, *graph = NULL;
    tilec_prepared *prepared = NULL;
    tilec_launch_options copied = {
        .size = sizeof copied, .host_buffers = 1, .device_seconds = &seconds};
    if (!went(s, compile(s->context, "twice.tile.c", twice_text, &s->kernel), first))
        return;
    fill(x, out);
    went(s, launch(s, x, out, COUNT, &copied), first);
    bool fine = went(s, tilec_cuda_allocate(s->context, sizeof x, &from), first);
    fine = went(s, tilec_cuda_allocate(s->context, sizeof x, &to), first) && fine;
    fine = went(s, tilec_cuda_stream_create(s->context, &stream), first) && fine;
    if (fine) {
        tilec_launch_options queued = {.size = sizeof queued, .stream = stream};
        const tilec_argument arguments[3] = {tilec_array(TILEC_F32, from, COUNT),
                                             tilec_array(TILEC_F32, to, COUNT),
                                             tilec_int(TILEC_I32, 4000)};
        went(s, tilec_cuda_copy(s->context, from, x, sizeof x, stream), first);
        went(s, launch(s, from, to, 4000, &queued), first);
        went(s, tilec_cuda_stream_wait(s->context, stream), first);
        if (went(s, tilec_prepare(s->kernel, NULL, arguments, 3, &queued, &prepared), first)) {
            went(s, tilec_cuda_capture_begin(s->context, stream), first);
            went(s, tilec_prepared_run(prepared), first);
            if (!went(s, tilec_cuda_capture_end(s->context, stream, &graph), first))
                tilec_cuda_capture_end(s->context, stream, &graph);
            if (graph)
                went(s, tilec_cuda_graph_launch(s->context, graph, stream), first);
        }
        went(s, tilec_cuda_copy(s->context, out, to, sizeof x, NULL), first);
    }
    tilec_prepared_destroy(prepared);
    /* What could not be given back is there still, and goes at the second try. */
    if (!went(s, tilec_cuda_graph_destroy(s->context, graph), first))
        expect(s, tilec_cuda_graph_destroy(s->context, graph), TILEC_OK);
    if (!went(s, tilec_cuda_stream_destroy(s->context, stream), first))
        expect(s, tilec_cuda_stream_destroy(s->context, stream), TILEC_OK);
    if (!went(s, tilec_cuda_free(s->context, from), first))
        expect(s, tilec_cuda_free(s->context, from), TILEC_OK);
    if (!went(s, tilec_cuda_free(s->context, to), first))
        expect(s, tilec_cuda_free(s->context, to), TILEC_OK);
}

/* What only describes the device, and what another call makes up for. */
static bool does_without(const char *name)
{
    return strcmp(name, "cuDeviceGetName") == 0 || strcmp(name, "cuDeviceTotalMem_v2") == 0 ||
           strcmp(name, "cuDeviceGetAttribute") == 0 || strcmp(name, "cuDriverGetVersion") == 0 ||
           strcmp(name, "cuCtxGetCurrent") == 0;
}

/* Every call of the driver fails once, in every way: each ends in a status and a message, what was
 * taken is given back, and the next context works. */
static void any_call_may_fail(void **result)
{
    struct state *s = *result;
    static const int errors[] = {CUDA_INVALID_VALUE, CUDA_NO_MEMORY, 700, 999};
    char folder[] = "/tmp/tilec-test-XXXXXX", command[64];
    need_compiler(s);
    if (!s->fake)
        SKIP("the stand-in for a driver is not used");
    assert_non_null(mkdtemp(folder));
    for (size_t e = 0; e < sizeof errors / sizeof *errors; e++) {
        for (int call = 0;; call++) {
            tilec_context_options options = {.size = sizeof options, .cache_directory = folder};
            struct state own = {.fake = s->fake, .compiles = true};
            tilec_status first = TILEC_OK;
            int allocations = s->fake->allocations, modules = s->fake->modules;
            assert_int_equal(tilec_context_create(&options, &own.context), TILEC_OK);
            s->fake->failed = NULL;
            s->fake->calls = 0;
            s->fake->fail_call = call; /* 0: none, which is what all others are compared with */
            s->fake->fail_error = errors[e];
            use_device(&own, &first);
            s->fake->fail_call = 0;
            const char *failed = s->fake->failed;
            tilec_kernel_destroy(own.kernel);
            tilec_context_destroy(own.context);
            if (!failed != (first == TILEC_OK) && !(failed && does_without(failed)))
                fail_msg("%s (call %d) fails with %d: %s", failed ? failed : "nothing", call,
                         errors[e], tilec_status_string(first));
            if (s->fake->allocations != allocations || s->fake->modules != modules ||
                s->fake->context_depth != 0 || s->fake->graphs != 0)
                fail_msg("%s fails, and something is not given back", failed);
            if (call > 0 && !failed)
                break;
        }
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

int main(int argc, char **argv)
{
    (void)argv;
    const struct CMUnitTest losing[] = {cmocka_unit_test(lose_the_device)};
    if (argc > 1)
        return cmocka_run_group_tests(losing, NULL, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_lost_device_is_a_status, setup, teardown),
        cmocka_unit_test_setup_teardown(a_lost_gpu_is_a_status, setup, teardown),
        cmocka_unit_test_setup_teardown(any_call_may_fail, setup, teardown),
    };
    return RUN_TESTS(tests, NULL, NULL);
}
