/*
 * Sums of squared distances from a mean that follow from the sums of elements and of squares
 * (src/cpu/squares.c): never off by more than the sum itself may be in some order, exact where no
 * order rounds, the same whatever rows run beside, and done where it should be and nowhere else.
 */
#include "cpu/cpu.h"
#include "cpu/features.h"
#include "run/run.h"
#include "squares_rows.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- results -------------------------------------------------------------------------------- */

static void check_level(tilec_context *context, const char *level)
{
    static const int blocks[] = {512, 1024, 4096};
    for (int t = 0; t < 3; t++) {
        for (int b = 0; b < 3; b++)
            check_type(context, "cpu", level, 0, &types[t], blocks[b]);
    }
}

static void test_sums(void **unused)
{
    (void)unused;
    static const char *const levels[] = {"generic", "x86-64-v3", "native"};
    struct cpu_features host;
    struct cpu_level level;
    tilec_context_options options = {.size = sizeof options, .cache_directory = ""};
    tilec_context *context;
    assert_int_equal(tilec_context_create(&options, &context), TILEC_OK);
    cpu_features_detect(&host);
    for (int i = 0; i < 3; i++) {
        if (cpu_level_find(levels[i], &level) && cpu_features_cover(&host, &level.features))
            check_level(context, levels[i]);
    }
    tilec_context_destroy(context);
}

/* ---- where it is done ----------------------------------------------------------------------- */

struct state {
    jmp_buf out_of_memory;
    struct arena arena;
    struct diagnostics diagnostics;
};

static bool is_done(const char *distance, int n, const char *level, unsigned variant)
{
    struct state s = {0};
    if (setjmp(s.out_of_memory))
        fail_msg("out of memory");
    arena_init(&s.arena, allocator_default, &s.out_of_memory);
    diagnostics_init(&s.diagnostics, &s.arena);
    struct ir_kernel *kernel = distances_kernel(&s.arena, &s.diagnostics, distance, n);
    struct cpu_options options = {.level = level, .variants = 1u << variant, .symbol = "k"};
    struct cpu_output output;
    assert_true(tilec_cpu_module()->compile(kernel, &options, CPU_LLVM_IR, &s.arena, &s.diagnostics,
                                            &output));
    bool done = false;
    for (size_t at = 0; at + 10 <= output.size; at++)
        done = done || memcmp((char *)output.bytes + at, "distances:", 10) == 0;
    free(output.bytes);
    arena_free(&s.arena);
    return done;
}

static void test_where(void **unused)
{
    (void)unused;
    static const char *const levels[] = {"x86-64-v3", "x86-64-v4"};
    struct cpu_level level;
    for (int k = 0; k < 2 && cpu_level_find(levels[k], &level); k++) {
        for (size_t i = 0; i < sizeof distances / sizeof *distances; i++) {
            if (is_done(distances[i].text, 1024, levels[k], 0) != distances[i].done)
                fail_msg("%s, %s", distances[i].text, levels[k]);
        }
        assert_true(is_done(distances[0].text, 512, levels[k], 0));
        assert_false(is_done(distances[0].text, 256, levels[k], 0)); /* too few for the bound */
    }
    if (cpu_level_find("x86-64-v3", &level)) /* without fused multiply-add */
        assert_false(is_done(distances[0].text, 1024, "generic", 0));
    if (cpu_level_find("x86-64-v3", &level)) /* bound by memory */
        assert_false(is_done(distances[0].text, 1024, "x86-64-v3", CPU_VARIANT_STREAMING));
    if (cpu_level_find("x86-64-v4", &level))
        assert_true(is_done(distances[0].text, 1024, "x86-64-v4", CPU_VARIANT_STREAMING));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sums), cmocka_unit_test(test_where)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
