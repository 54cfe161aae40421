/*
 * The CPU backend on random programs over larger tiles (random_tiles.h), compared with the
 * interpreter, bit for bit.
 *
 * CPU_TILES_SEEDS=n runs more seeds, CPU_TILES_FIRST=n starts there.
 */
#include "base/guard.h"
#include "interp/interp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "../seeds.h"
#include "cpu_harness.h"
#include "random_tiles.h"

/* ---- running --------------------------------------------------------------------------------- */

struct state {
    jmp_buf out_of_memory;
    struct arena arena;
    struct diagnostics diagnostics;
    struct memory wanted, is;
};

static void show(struct state *s, const struct ir_func *func)
{
    struct text text;
    text_init(&text, &s->arena);
    for (size_t i = 0; i < s->diagnostics.count; i++)
        diagnostics_print(&s->diagnostics.items[i], &text);
    ir_print(func, &text);
    fputs(text.items, stderr);
}

static void interpret(struct state *s, const struct generator *g)
{
    struct memory *m = &s->wanted;
    struct interp_argument arguments[PARAMETERS];
    for (int i = 0; i < PARAMETERS; i++)
        arguments[i] = parameters[i].type.pointer
                           ? (struct interp_argument){.data = memory_array(m, i), .elements = SIZE}
                           : (struct interp_argument){.bits = tiles_scalar(g, i)};
    struct interp_options options = {.grid = {1, 1, 1}};
    if (!interp_run(g->func, arguments, &options, &s->arena, &s->diagnostics)) {
        show(s, g->func);
        fail_msg("the interpreter refuses");
    }
}

static void check(struct state *s, const struct generator *g, uint64_t seed, const char *level)
{
    struct memory *m = &s->is;
    uint64_t arguments[PARAMETERS];
    for (int i = 0; i < PARAMETERS; i++)
        arguments[i] =
            parameters[i].type.pointer ? (uintptr_t)memory_array(m, i) : tiles_scalar(g, i);
    static const int64_t grid[3] = {1, 1, 1};
    struct ir_kernel kernel = {.func = g->func};
    fill(m, seed);
    const char *why =
        harness_run(&kernel, level, seed & 3, arguments, grid, NULL, &s->arena, &s->diagnostics);
    int element;
    const char *array = why ? NULL : memory_difference(m, &s->wanted, &element);
    if (array) {
        show(s, g->func);
        fail_msg("seed %llu, level %s: element %d of %s differs", (unsigned long long)seed, level,
                 element, array);
    }
    if (why) {
        show(s, g->func);
        fail_msg("seed %llu, level %s: %s", (unsigned long long)seed, level, why);
    }
}

static void check_seed(struct state *s, uint64_t seed)
{
    arena_init(&s->arena, allocator_default, &s->out_of_memory);
    if (setjmp(s->out_of_memory))
        fail_msg("out of memory");
    diagnostics_init(&s->diagnostics, &s->arena);
    struct generator g = {.state = seed, .doubles = true};
    generate(&g, &s->arena);
    fill(&s->wanted, seed);
    interpret(s, &g);
    for (const char *const *level = harness_levels(); *level; level++)
        check(s, &g, seed, *level);
    arena_free(&s->arena);
}

static void test_tiles(void **unused)
{
    (void)unused;
    struct seeds seeds = seeds_of("CPU_TILES", 40);
    uint64_t seed;
    struct state *s = malloc(sizeof *s);
    while (seeds_take(&seeds, 1, &seed))
        check_seed(s, seed);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tiles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
