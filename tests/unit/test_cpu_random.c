/*
 * The CPU backend on random Tile IR: the same memory as the interpreter, bit for bit (any NaN counts
 * as the same), on every level that this machine runs and for both overlap variants.
 *
 * Ops whose result is not exact (approximate functions, sums of floats) are replaced by exact ones
 * first. CPU_RANDOM_SEEDS=n runs more seeds, CPU_RANDOM_FIRST=n starts there.
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
#include "cpu_harness.h"
#include "random_memory.h"

static void run_on(struct state *s, struct ir_func *func, const char *level, unsigned variant,
                   struct memory *memory)
{
    struct ir_kernel kernel = {.func = func};
    uint64_t arguments[RANDOM_IR_PARAMETERS] = {(uintptr_t)memory->a, (uintptr_t)memory->b,
                                                (uintptr_t)memory->i, (uintptr_t)memory->h};
    memcpy(arguments + 4, scalars, sizeof scalars);
    static const int64_t grid[3] = {2, 1, 1};
    const char *why = harness_run(&kernel, level, variant, arguments, grid, NULL, &s->arena,
                                  &s->diagnostics);
    if (!why)
        return;
    show(s, func);
    fail_msg("%s on level %s", why, level);
}

static void compare(struct state *s, const struct ir_func *func, uint64_t seed, const char *level,
                    const struct memory *is, const struct memory *wanted)
{
    for (int k = 0; k < RANDOM_IR_ELEMENTS; k++) {
        const char *where = !same_float(is->a[k], wanted->a[k])  ? "A"
                            : !same_float(is->b[k], wanted->b[k]) ? "B"
                            : is->i[k] != wanted->i[k]            ? "I"
                            : !same_half(is->h[k], wanted->h[k])  ? "H"
                                                                  : NULL;
        if (!where)
            continue;
        show(s, func);
        fail_msg("seed %llu, level %s: %s[%d] differs: A %g %g B %g %g I %d %d H %x %x",
                 (unsigned long long)seed, level, where, k, (double)is->a[k], (double)wanted->a[k],
                 (double)is->b[k], (double)wanted->b[k], is->i[k], wanted->i[k], is->h[k],
                 wanted->h[k]);
    }
}

static void check_seed(uint64_t seed)
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
    for (const char *const *level = harness_levels(); *level; level++) {
        fill(&is, seed);
        run_on(&s, func, *level, seed & 3, &is);
        compare(&s, func, seed, *level, &is, &wanted);
    }
    arena_free(&s.arena);
}

static void test_random(void **state)
{
    (void)state;
    struct seeds seeds = seeds_of("CPU_RANDOM", 60);
    uint64_t seed;
    while (seeds_take(&seeds, 1, &seed))
        check_seed(seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
