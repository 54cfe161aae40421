/*
 * The target "cuda" through the public API: memory, launches, streams, graphs, times, the cache.
 */
#include "cuda_state.h"

/* ---- memory ---------------------------------------------------------------------------------- */

static void memory_goes_and_comes(void **result)
{
    struct state *s = *result;
    void *memory, *stream, *begin, *end;
    unsigned char in[256], out[256];
    double seconds;
    for (int i = 0; i < 256; i++)
        in[i] = (unsigned char)(i * 7);
    expect(s, tilec_cuda_allocate(s->context, 256, &memory), TILEC_OK);
    expect(s, tilec_cuda_stream_create(s->context, &stream), TILEC_OK);
    expect(s, tilec_cuda_event_create(s->context, &begin), TILEC_OK);
    expect(s, tilec_cuda_event_create(s->context, &end), TILEC_OK);
    expect(s, tilec_cuda_event_record(s->context, begin, stream), TILEC_OK);
    expect(s, tilec_cuda_copy(s->context, memory, in, 256, stream), TILEC_OK);
    expect(s, tilec_cuda_fill(s->context, memory, 9, 16, stream), TILEC_OK);
    expect(s, tilec_cuda_event_record(s->context, end, stream), TILEC_OK);
    expect(s, tilec_cuda_stream_after(s->context, stream, end), TILEC_OK);
    expect(s, tilec_cuda_event_wait(s->context, end), TILEC_OK);
    expect(s, tilec_cuda_event_seconds(s->context, begin, end, &seconds), TILEC_OK);
    assert_true(seconds > 0 && seconds < 10);
    expect(s, tilec_cuda_copy(s->context, out, memory, 256, NULL), TILEC_OK);
    memset(in, 9, 16);
    assert_memory_equal(in, out, 256);
    expect(s, tilec_cuda_copy(s->context, NULL, NULL, 0, NULL), TILEC_OK);
    expect(s, tilec_cuda_copy(s->context, NULL, in, 1, NULL), TILEC_ERROR_INVALID);
    expect(s, tilec_cuda_event_destroy(s->context, begin), TILEC_OK);
    expect(s, tilec_cuda_event_destroy(s->context, end), TILEC_OK);
    expect(s, tilec_cuda_stream_destroy(s->context, stream), TILEC_OK);
    expect(s, tilec_cuda_free(s->context, memory), TILEC_OK);
    expect(s, tilec_cuda_free(s->context, NULL), TILEC_OK);
}

static void too_much_memory_is_a_status(void **result)
{
    struct state *s = *result;
    void *memory = s;
    tilec_diagnostic d;
    expect(s, tilec_cuda_allocate(s->context, (size_t)1 << 50, &memory), TILEC_ERROR_NO_MEMORY);
    assert_null(memory);
    assert_int_equal(tilec_diagnostic_get(s->context, 0, &d), TILEC_OK);
    assert_non_null(strstr(d.message, "1125899906842624 bytes"));
    expect(s, tilec_cuda_allocate(s->context, 64, &memory), TILEC_OK); /* nothing is broken */
    expect(s, tilec_cuda_free(s->context, memory), TILEC_OK);
}

/* ---- launches -------------------------------------------------------------------------------- */

/* Lengths and addresses that are multiples of 16, and such that are not. */
static void host_buffers_are_copied(void **result)
{
    struct state *s = *result;
    static _Alignas(64) float x[COUNT + 1], out[COUNT + 1];
    tilec_launch_options options = {.size = sizeof options, .host_buffers = 1};
    static const struct {
        int n, shift;
    } cases[] = {{4096, 0}, {4096, 1}, {4097, 0}, {1, 0}, {1023, 1}, {0, 0}, {4992, 0}};
    need_compiler(s);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fill(x + cases[i].shift, out + cases[i].shift);
        expect(s, launch(s, x + cases[i].shift, out + cases[i].shift, cases[i].n, &options),
               TILEC_OK);
        expect_twice(s, x + cases[i].shift, out + cases[i].shift, cases[i].n);
    }
    if (s->fake)
        assert_int_equal(s->fake->launches, 6); /* nothing is launched for no programs */
}

static void a_buffer_may_be_both(void **result)
{
    struct state *s = *result;
    static float x[COUNT], out[COUNT];
    tilec_launch_options options = {.size = sizeof options, .host_buffers = 1};
    need_compiler(s);
    fill(x, out);
    memcpy(out, x, sizeof out);
    expect(s, launch(s, out, out, COUNT, &options), TILEC_OK);
    for (int i = 0; !s->fake && i < COUNT; i++)
        assert_true(out[i] == 2 * x[i]);
    if (s->fake)
        assert_int_equal(s->fake->allocations, 0);
}

static void launches_are_queued(void **result)
{
    struct state *s = *result;
    float x[COUNT], out[COUNT];
    void *from, *to, *stream;
    need_compiler(s);
    fill(x, out);
    expect(s, tilec_cuda_allocate(s->context, sizeof x, &from), TILEC_OK);
    expect(s, tilec_cuda_allocate(s->context, sizeof x, &to), TILEC_OK);
    expect(s, tilec_cuda_stream_create(s->context, &stream), TILEC_OK);
    tilec_launch_options options = {.size = sizeof options, .stream = stream, .overlap = 1};
    const tilec_argument arguments[3] = {tilec_array(TILEC_F32, from, COUNT),
                                         tilec_array(TILEC_F32, to, COUNT),
                                         tilec_int(TILEC_I32, 4000)};
    tilec_prepared *prepared;
    if (s->fake)
        memcpy(s->fake->value_bytes, (int[]){8, 8, 4}, 3 * sizeof(int));
    expect(s, tilec_prepare(s->kernel, NULL, arguments, 3, &options, &prepared), TILEC_OK);
    int waits = s->fake ? s->fake->waits : 0;
    expect(s, tilec_cuda_copy(s->context, from, x, sizeof x, stream), TILEC_OK);
    expect(s, tilec_cuda_copy(s->context, to, out, sizeof x, stream), TILEC_OK);
    expect(s, tilec_prepared_run(prepared), TILEC_OK);
    expect(s, tilec_prepared_run(prepared), TILEC_OK);
    if (s->fake) {
        assert_int_equal(s->fake->waits, waits);
        assert_int_equal(s->fake->config.grid[0], 4);
        assert_int_equal(s->fake->config.block[0], 128);
        assert_ptr_equal(s->fake->config.stream, stream);
        assert_int_equal(s->fake->overlaps, 1);
        assert_int_equal(s->fake->values[0], (uintptr_t)from);
        assert_int_equal(s->fake->values[1], (uintptr_t)to);
        assert_int_equal(s->fake->values[2], 4000);
    }
    expect(s, tilec_cuda_stream_wait(s->context, stream), TILEC_OK);
    expect(s, tilec_cuda_copy(s->context, out, to, sizeof x, NULL), TILEC_OK);
    expect_twice(s, x, out, 4000);
    tilec_prepared_destroy(prepared);
    expect(s, tilec_cuda_stream_destroy(s->context, stream), TILEC_OK);
    expect(s, tilec_cuda_free(s->context, from), TILEC_OK);
    expect(s, tilec_cuda_free(s->context, to), TILEC_OK);
}

/* What is captured runs when the graph does, as often as it does; and the stream is usable after a
 * capture that failed. */
static void graphs_replay_launches(void **result)
{
    struct state *s = *result;
    float x[COUNT], out[COUNT];
    void *from, *to, *stream, *graph;
    need_compiler(s);
    fill(x, out);
    expect(s, tilec_cuda_allocate(s->context, sizeof x, &from), TILEC_OK);
    expect(s, tilec_cuda_allocate(s->context, sizeof x, &to), TILEC_OK);
    expect(s, tilec_cuda_stream_create(s->context, &stream), TILEC_OK);
    expect(s, tilec_cuda_copy(s->context, from, x, sizeof x, NULL), TILEC_OK);
    expect(s, tilec_cuda_copy(s->context, to, out, sizeof x, NULL), TILEC_OK);
    tilec_launch_options options = {.size = sizeof options, .stream = stream};
    const tilec_argument arguments[3] = {tilec_array(TILEC_F32, from, COUNT),
                                         tilec_array(TILEC_F32, to, COUNT),
                                         tilec_int(TILEC_I32, 4000)};
    tilec_prepared *prepared;
    expect(s, tilec_prepare(s->kernel, NULL, arguments, 3, &options, &prepared), TILEC_OK);
    expect(s, tilec_cuda_capture_begin(s->context, NULL), TILEC_ERROR_INVALID);
    expect(s, tilec_cuda_capture_begin(s->context, stream), TILEC_OK);
    for (int i = 0; i < 3; i++)
        expect(s, tilec_prepared_run(prepared), TILEC_OK);
    expect(s, tilec_cuda_capture_end(s->context, stream, &graph), TILEC_OK);
    expect(s, tilec_cuda_stream_wait(s->context, stream), TILEC_OK);
    float now[COUNT];
    expect(s, tilec_cuda_copy(s->context, now, to, sizeof x, NULL), TILEC_OK);
    assert_memory_equal(now, out, sizeof now); /* nothing has run */
    for (int i = 0; i < 2; i++)
        expect(s, tilec_cuda_graph_launch(s->context, graph, stream), TILEC_OK);
    expect(s, tilec_cuda_graph_launch(s->context, graph, NULL), TILEC_OK);
    expect(s, tilec_cuda_stream_wait(s->context, stream), TILEC_OK);
    expect(s, tilec_cuda_copy(s->context, now, to, sizeof x, NULL), TILEC_OK);
    expect_twice(s, x, now, 4000);
    expect(s, tilec_cuda_graph_destroy(s->context, graph), TILEC_OK);
    expect(s, tilec_cuda_graph_destroy(s->context, NULL), TILEC_OK);
    if (s->fake) {
        assert_int_equal(s->fake->graph_launches, 3);
        assert_int_equal(s->fake->graphs, 0);
        s->fake->fail_capture_end = 901;
        expect(s, tilec_cuda_capture_begin(s->context, stream), TILEC_OK);
        expect(s, tilec_cuda_capture_end(s->context, stream, &graph), TILEC_ERROR_INVALID);
        assert_null(graph);
        s->fake->fail_capture_end = 0;
    }
    tilec_prepared_destroy(prepared);
    expect(s, tilec_cuda_stream_destroy(s->context, stream), TILEC_OK);
    expect(s, tilec_cuda_free(s->context, from), TILEC_OK);
    expect(s, tilec_cuda_free(s->context, to), TILEC_OK);
}

/* Where the launch is waited for, the device's own time is known; on a stream it is not. */
static void the_device_tells_its_time(void **result)
{
    struct state *s = *result;
    static float x[COUNT], out[COUNT];
    double seconds = -1;
    void *stream;
    tilec_launch_options options = {
        .size = sizeof options, .host_buffers = 1, .device_seconds = &seconds};
    need_compiler(s);
    fill(x, out);
    for (int i = 0; i < 2; i++) {
        seconds = -1;
        expect(s, launch(s, x, out, COUNT, &options), TILEC_OK);
        assert_true(seconds > 0 && seconds < 1);
    }
    expect(s, tilec_cuda_stream_create(s->context, &stream), TILEC_OK);
    options.host_buffers = 0;
    options.stream = stream;
    void *memory;
    expect(s, tilec_cuda_allocate(s->context, sizeof x, &memory), TILEC_OK);
    expect(s, launch(s, memory, memory, COUNT, &options), TILEC_OK);
    assert_true(seconds == 0);
    expect(s, tilec_cuda_stream_wait(s->context, stream), TILEC_OK);
    expect(s, tilec_cuda_free(s->context, memory), TILEC_OK);
    expect(s, tilec_cuda_stream_destroy(s->context, stream), TILEC_OK);
}

static void wrong_launches_are_refused(void **result)
{
    struct state *s = *result;
    void *memory;
    const int64_t high[3] = {32768, 65536, 1};
    need_compiler(s);
    expect(s, tilec_cuda_allocate(s->context, 4096, &memory), TILEC_OK);
    expect(s, launch(s, memory, memory, 13, NULL), TILEC_ERROR_REQUIREMENT);
    expect(s, launch(s, NULL, memory, 5, NULL), TILEC_ERROR_ARGUMENT);
    tilec_argument arguments[3] = {tilec_array(TILEC_F32, memory, 1024),
                                   tilec_array(TILEC_F32, memory, 1024),
                                   tilec_int(TILEC_I32, 1025)};
    expect(s, tilec_launch(s->kernel, NULL, arguments, 3, NULL), TILEC_ERROR_ARGUMENT);
    arguments[2] = tilec_int(TILEC_I32, 1024);
    expect(s, tilec_launch(s->kernel, high, arguments, 3, NULL), TILEC_ERROR_GRID);
    expect(s, tilec_launch(s->kernel, NULL, arguments, 3, NULL), TILEC_OK);
    expect(s, tilec_cuda_free(s->context, memory), TILEC_OK);
}

/* ---- the cache ------------------------------------------------------------------------------- */

static void cubins_come_from_the_cache(void **result)
{
    struct state *s = *result;
    char folder[] = "/tmp/tilec-test-XXXXXX", command[64];
    need_compiler(s);
    assert_non_null(mkdtemp(folder));
    for (int i = 0; i < 2; i++) {
        tilec_context_options options = {.size = sizeof options, .cache_directory = folder};
        tilec_kernel_info info = {.size = sizeof info};
        tilec_context *context;
        tilec_kernel *kernel;
        assert_int_equal(tilec_context_create(&options, &context), TILEC_OK);
        assert_int_equal(compile(context, "twice.tile.c", twice_text, &kernel), TILEC_OK);
        assert_int_equal(tilec_kernel_get_info(kernel, &info), TILEC_OK);
        assert_string_equal(info.target, "cuda");
        assert_true(strncmp(info.cpu, "sm_", 3) == 0);
        assert_int_equal(info.from_cache, i);
        tilec_kernel_destroy(kernel);
        tilec_context_destroy(context);
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(memory_goes_and_comes, setup, teardown),
        cmocka_unit_test_setup_teardown(too_much_memory_is_a_status, setup, teardown),
        cmocka_unit_test_setup_teardown(host_buffers_are_copied, setup, teardown),
        cmocka_unit_test_setup_teardown(a_buffer_may_be_both, setup, teardown),
        cmocka_unit_test_setup_teardown(launches_are_queued, setup, teardown),
        cmocka_unit_test_setup_teardown(graphs_replay_launches, setup, teardown),
        cmocka_unit_test_setup_teardown(the_device_tells_its_time, setup, teardown),
        cmocka_unit_test_setup_teardown(wrong_launches_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(cubins_come_from_the_cache, setup, teardown),
    };
    return RUN_TESTS(tests, NULL, NULL);
}
