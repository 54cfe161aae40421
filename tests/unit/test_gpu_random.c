/*
 * The GPU compiler on random Tile IR of every op (random_ir.h): GPU IR, verified after each pass,
 * runs in lockstep (gpu_machine.h) for several numbers of threads and must agree with the
 * interpreter. Approximate functions and sums of floats are replaced by exact ops first, as for the
 * CPU.
 *
 * Random stores write some elements twice, in one op; which value stays is then up to chance, so
 * such programs end there ("a race"). test_gpu_tiles.c finds races that the compiler makes.
 *
 * GPU_RANDOM_SEEDS=n runs more seeds, GPU_RANDOM_FIRST=n starts there.
 */
#include "base/guard.h"
#include "interp/interp.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../seeds.h"
#include "gpu_machine.h"
#include "random_memory.h"

/* False when the program races with itself. */
static bool run_machine(struct state *s, struct ir_func *func, uint64_t seed, struct memory *memory)
{
    static const int64_t grid[3] = {2, 1, 1};
    struct ir_requirement requirements[] = {{.name = "fetch_ahead", .number = 1},
                                            {.name = "threads", .number = 32 << seed % 3}};
    struct ir_kernel kernel = {
        .func = func, .requirements = requirements, .requirement_count = 1 + (seed % 2 == 0)};
    struct gpu_target target = gpu_target_msl;
    struct gpu_options options = {.verify_each = true};
    struct machine *machine = arena_alloc(&s->arena, sizeof *machine);
    struct machine_argument arguments[RANDOM_IR_PARAMETERS] = {
        {.data = memory->a, .bytes = sizeof memory->a},
        {.data = memory->b, .bytes = sizeof memory->b},
        {.data = memory->i, .bytes = sizeof memory->i},
        {.data = memory->h, .bytes = sizeof memory->h},
    };
    for (int i = 0; i < 4; i++)
        arguments[4 + i].bits = scalars[i];
    target.has_f64 = true;
    target.fetches = true;
    struct gpu_plan *plan = plan_gpu(&kernel, &target, false, &s->arena, &s->diagnostics);
    if (plan)
        plan->short_arrays = seed % 3 > 0;
    struct gpu_kernel *gpu =
        plan ? gpu_lower(&kernel, plan, &options, &s->arena, &s->diagnostics) : NULL;
    const char *why = gpu ? machine_run(machine, gpu, arguments, grid) : "it does not compile";
    if (!why || strcmp(why, "store: a race in a buffer") == 0)
        return !why;
    show(s, func);
    if (gpu)
        show(s, gpu->func);
    fail_msg("seed %llu: %s", (unsigned long long)seed, why);
    return false;
}

static void compare(struct state *s, const struct ir_func *func, uint64_t seed,
                    const struct memory *is, const struct memory *wanted)
{
    for (int k = 0; k < RANDOM_IR_ELEMENTS; k++) {
        const char *where = !same_float(is->a[k], wanted->a[k])   ? "A"
                            : !same_float(is->b[k], wanted->b[k]) ? "B"
                            : is->i[k] != wanted->i[k]            ? "I"
                            : !same_half(is->h[k], wanted->h[k])  ? "H"
                                                                  : NULL;
        if (!where)
            continue;
        show(s, func);
        fail_msg("seed %llu: %s[%d] differs: A %g %g B %g %g I %d %d H %x %x",
                 (unsigned long long)seed, where, k, (double)is->a[k], (double)wanted->a[k],
                 (double)is->b[k], (double)wanted->b[k], is->i[k], wanted->i[k], is->h[k],
                 wanted->h[k]);
    }
}

/* False when the program races with itself: nothing is compared. */
static bool check_seed(uint64_t seed)
{
    struct state s;
    arena_init(&s.arena, allocator_default, &s.out_of_memory);
    if (setjmp(s.out_of_memory))
        fail_msg("out of memory");
    diagnostics_init(&s.diagnostics, &s.arena);
    struct ir_func *func = random_ir_func(&s.arena, seed, 30, true);
    ir_walk(func->body, make_exact, NULL);
    struct memory wanted, is;
    fill(&wanted, seed);
    run_interpreter(&s, func, &wanted);
    fill(&is, seed);
    bool ends = run_machine(&s, func, seed, &is);
    if (ends)
        compare(&s, func, seed, &is, &wanted);
    arena_free(&s.arena);
    return ends;
}

static void test_random(void **state)
{
    (void)state;
    struct seeds seeds = seeds_of("GPU_RANDOM", 600);
    uint64_t seed, compared = 0;
    while (seeds_take(&seeds, 1, &seed))
        compared += check_seed(seed);
    print_message("%llu of them compared, the others race\n", (unsigned long long)compared);
    if (seeds.count >= 60)
        assert_true(compared > seeds.count / 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
