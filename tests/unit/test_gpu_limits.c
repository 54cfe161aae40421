/*
 * What a GPU target has too little of is refused by name before there is any text: devices that
 * have less and less of it, with the least that a kernel needs found from the other side.
 */
#include "gpu/gpu.h"
#include "lang/lang.h"
#include "opt/opt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static const char text[] = "#include <tilec/kernel.h>\n"
                           "launch_grid(k, 1);\n"
                           "kernel void k(float *restrict Out, const float *restrict X)\n"
                           "{\n"
                           "    int i = arange(0, 1024);\n"
                           "    float x = load(X + i);\n"
                           "    store(Out + i, x / sum(x));\n"
                           "}\n"
                           "launch_grid(many, 1);\n"
                           "kernel void many(float *restrict Out, const float *restrict X)\n"
                           "{\n"
                           "    int i = arange(0, 1048576);\n"
                           "    store(Out + i, cumsum(load(X + i)));\n"
                           "}\n";

struct state {
    jmp_buf out_of_memory;
    struct arena arena;
    struct diagnostics diagnostics;
    struct lang_unit *unit;
};

/* The kernel for a target; NULL and a diagnostic. */
static struct gpu_kernel *lower(struct state *s, const char *name, const struct gpu_target *target)
{
    diagnostics_init(&s->diagnostics, &s->arena);
    struct ir_kernel *kernel =
        lang_lower(s->unit, &s->diagnostics, lang_find_kernel(s->unit, name), NULL, 0, NULL, 0);
    assert_non_null(kernel);
    struct gpu_plan *plan = plan_gpu(kernel, target, false, &s->arena, &s->diagnostics);
    return plan ? gpu_lower(kernel, plan, NULL, &s->arena, &s->diagnostics) : NULL;
}

static void expect_refused(struct state *s, const char *message, const char *hint)
{
    assert_true(s->diagnostics.count > 0);
    const struct diagnostic *first = &s->diagnostics.items[0];
    if (!strstr(first->message, message) || !first->hint || !strstr(first->hint, hint))
        fail_msg("'%s' (%s), not '%s' (%s)", first->message, first->hint ? first->hint : "",
                 message, hint);
}

static void expect_accepted(struct state *s, const struct gpu_target *target)
{
    if (!lower(s, "k", target))
        fail_msg("%s", s->diagnostics.items[0].message);
}

static void threadgroup_memory(void **unused)
{
    struct state *s = *unused;
    struct gpu_target target = gpu_target_msl;
    target.name = "small";
    target.shared_bytes = 32; /* a float of each of 8 SIMD groups */
    struct gpu_kernel *kernel = lower(s, "k", &target);
    assert_non_null(kernel);
    assert_int_equal(kernel->shared_bytes, 32);
    target.shared_bytes = 31;
    assert_null(lower(s, "k", &target));
    expect_refused(s, "the kernel needs 32 bytes of threadgroup memory",
                   "the target 'small' has 31");
}

static void registers(void **unused)
{
    struct state *s = *unused;
    struct gpu_target target = gpu_target_msl;
    target.name = "small";
    target.most_threads = 32;
    target.most_registers = 32;
    expect_accepted(s, &target);
    target.most_registers = 16;
    assert_null(lower(s, "k", &target));
    expect_refused(s, "a tile of 1024 elements needs 32 registers of each of 32 threads",
                   "the target 'small' allows 16; use smaller tiles");
}

static void operations(void **unused)
{
    struct state *s = *unused;
    assert_null(lower(s, "many", &gpu_target_msl));
    expect_refused(s, "the kernel becomes more than", "use smaller tiles");
}

static int set_up(void **state)
{
    static struct state s;
    *state = &s;
    if (setjmp(s.out_of_memory))
        return 1;
    arena_init(&s.arena, allocator_default, &s.out_of_memory);
    struct source_file *file = ARENA_NEW(&s.arena, struct source_file);
    *file = (struct source_file){.name = "k", .text = text, .length = sizeof text - 1};
    diagnostics_init(&s.diagnostics, &s.arena);
    s.unit = lang_parse(&s.arena, &s.diagnostics, file, NULL, 0, (struct lang_includer){0});
    return !s.unit;
}

static int tear_down(void **state)
{
    struct state *s = *state;
    arena_free(&s->arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threadgroup_memory),
        cmocka_unit_test(registers),
        cmocka_unit_test(operations),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
