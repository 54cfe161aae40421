/*
 * Sums of squared distances from a mean that follow from sums of which threads meet once
 * (src/gpu/squares.c), on msl-host, and on a GPU where there is one; and where that is done.
 */
#include "gpu/gpu.h"
#include "squares_rows.h"

#include "../skip.h"

/* ---- results -------------------------------------------------------------------------------- */

/* One SIMD group; a few, some of whose lanes leave partial results, too; as many as are usual. */
static const struct {
    int block, threads;
} shapes[] = {{256, 32}, {1024, 64}, {1024, 0}, {2048, 0}};

static bool is_here(tilec_context *context, const char *name)
{
    tilec_device device;
    for (size_t i = 0; tilec_device_get(context, i, &device) == TILEC_OK; i++) {
        if (strcmp(device.target, name) == 0)
            return device.available;
    }
    return false;
}

static void check_target(const char *target, int shape_count, int type_count)
{
    tilec_context_options options = {.size = sizeof options, .cache_directory = ""};
    tilec_context *context;
    assert_int_equal(tilec_context_create(&options, &context), TILEC_OK);
    if (!is_here(context, target)) {
        tilec_context_destroy(context);
        SKIP("the device %s is not here", target);
    }
    for (int i = 0; i < shape_count; i++) {
        for (int t = 0; t < type_count; t++)
            check_type(context, target, NULL, shapes[i].threads, &types[t], shapes[i].block);
    }
    tilec_context_destroy(context);
}

static void test_msl(void **unused)
{
    (void)unused;
    check_target("msl-host", 2, 2);
}

static void test_cuda(void **unused)
{
    (void)unused;
    check_target("cuda", 4, 3);
}

/* ---- where it is done ----------------------------------------------------------------------- */

struct state {
    jmp_buf out_of_memory;
    struct arena arena;
    struct diagnostics diagnostics;
};

/* A branch that makes a number. */
static bool is_no_choice(struct ir_op *op, void *unused)
{
    (void)unused;
    return op->code != IR_OP_IF || op->result_count != 1 || op->results[0]->type.rank > 0 ||
           op->results[0]->type.elem != IR_F32;
}

static bool is_done(const char *distance, int n, bool off)
{
    struct state s = {0};
    if (setjmp(s.out_of_memory))
        fail_msg("out of memory");
    arena_init(&s.arena, allocator_default, &s.out_of_memory);
    diagnostics_init(&s.diagnostics, &s.arena);
    static const char *const passes[] = {"share_squares"};
    struct gpu_options options = {.off = passes, .off_count = off};
    struct ir_kernel *kernel = distances_kernel(&s.arena, &s.diagnostics, distance, n);
    struct gpu_kernel *made = gpu_lower(kernel, NULL, &options, &s.arena, &s.diagnostics);
    assert_non_null(made);
    bool done = !ir_walk(made->func->body, is_no_choice, NULL);
    arena_free(&s.arena);
    return done;
}

static void test_where(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof distances / sizeof *distances; i++) {
        if (is_done(distances[i].text, 1024, false) != distances[i].done)
            fail_msg("%s", distances[i].text);
    }
    assert_true(is_done(distances[0].text, 256, false));
    assert_false(is_done(distances[0].text, 128, false)); /* too few for the bound */
    assert_true(is_done(distances[0].text, 2048, false));
    assert_false(is_done(distances[0].text, 4096, false)); /* bound by memory */
    assert_false(is_done(distances[0].text, 1024, true));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_msl), cmocka_unit_test(test_cuda),
                                       cmocka_unit_test(test_where)};
    return RUN_TESTS(tests, NULL, NULL);
}
