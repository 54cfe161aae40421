/*
 * The GPU compiler on random programs over larger tiles (random_tiles.h), for every number of
 * threads: GPU IR, verified after each pass, runs in lockstep (gpu_machine.h) and must agree with
 * the interpreter bit for bit, without races and with all threads at every barrier.
 *
 * GPU_TILES_SEEDS=n runs more seeds, GPU_TILES_FIRST=n starts there.
 */
#include "base/guard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "../seeds.h"
#include "gpu/pass.h"
#include "gpu_like.h"
#include "gpu_machine.h"
#include "random_tiles.h"

struct state {
    jmp_buf out_of_memory;
    struct arena arena;
    struct diagnostics diagnostics;
    struct memory wanted, is;
    struct machine machine;
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
    struct interp_argument arguments[PARAMETERS] = {
        {.data = m->f, .elements = SIZE},  {.data = m->h, .elements = SIZE},
        {.data = m->b, .elements = SIZE},  {.data = m->io, .elements = SIZE},
        {.data = m->oi, .elements = SIZE}, {.bits = (uint64_t)g->n},
        {.bits = (uint64_t)g->m},          {.bits = (uint64_t)g->step}};
    struct interp_options options = {.grid = {1, 1, 1}};
    if (!interp_run(g->func, arguments, &options, &s->arena, &s->diagnostics)) {
        show(s, g->func);
        fail_msg("the interpreter refuses");
    }
}

static const struct gpu_target strict = {
    GPU_LIKE_NVIDIA, .name = "strict", .most_threads = 1024};

/* Small blocks, so that tiles need several: a cluster, or any. */
static const struct gpu_target small_blocks = {
    GPU_LIKE_NVIDIA,
    .name = "small",
    .arch = "small",
    .most_threads = 64,
    .usual_registers = 2,
    .cluster_blocks = 16,
};

static uint64_t aligned_arguments(const struct memory *m, const struct generator *g)
{
    const uint64_t values[PARAMETERS] = {(uintptr_t)m->f,  (uintptr_t)m->h,  (uintptr_t)m->b,
                                         (uintptr_t)m->io, (uintptr_t)m->oi, (uint64_t)g->n,
                                         (uint64_t)g->m,   (uint64_t)g->step};
    uint64_t set = 0;
    for (int i = 0; i < PARAMETERS; i++)
        set |= (uint64_t)(values[i] % 16 == 0) << i;
    return set;
}

/* Six seeds of seven require a number of threads, some besides that nothing is a vector; a third is
 * for the strict target. One of five requires nothing, for blocks that share programs. */
static struct gpu_kernel *compile(struct state *s, const struct generator *g, uint64_t seed)
{
    struct ir_requirement requirements[] = {
        {.name = "threads", .number = 32 << seed % 6},
        {.name = "vector_width", .number = 1},
    };
    struct ir_kernel kernel = {.func = g->func,
                               .requirements = requirements,
                               .requirement_count = seed % 7 == 0    ? 0
                                                    : seed % 11 == 0 ? 2
                                                                     : 1};
    struct gpu_options options = {.verify_each = true};
    bool small = seed % 5 == 2;
    kernel.requirement_count = small ? 0 : kernel.requirement_count;
    const struct gpu_target *target = small           ? &small_blocks
                                      : seed % 3 == 0 ? &strict
                                                      : &gpu_target_msl;
    struct gpu_plan *plan = plan_gpu(&kernel, target, false, &s->arena, &s->diagnostics);
    if (!plan)
        return NULL;
    plan->aligned = target->loads ? aligned_arguments(&s->is, g) : 0;
    plan->short_arrays = seed % 5 < 3;
    return gpu_lower(&kernel, plan, &options, &s->arena, &s->diagnostics);
}

static void check(struct state *s, const struct generator *g, uint64_t seed)
{
    struct memory *m = &s->is;
    struct machine_argument arguments[PARAMETERS] = {{.data = m->f, .bytes = sizeof m->f},
                                                     {.data = m->h, .bytes = sizeof m->h},
                                                     {.data = m->b, .bytes = sizeof m->b},
                                                     {.data = m->io, .bytes = sizeof m->io},
                                                     {.data = m->oi, .bytes = sizeof m->oi},
                                                     {.bits = (uint64_t)g->n},
                                                     {.bits = (uint64_t)g->m},
                                                     {.bits = (uint64_t)g->step}};
    static const int64_t grid[3] = {1, 1, 1};
    struct gpu_kernel *kernel = compile(s, g, seed);
    fill(m, seed);
    const char *why =
        kernel ? machine_run(&s->machine, kernel, arguments, grid) : "it does not compile";
    if (!why && memcmp(m->io, s->wanted.io, sizeof m->io) != 0)
        why = "IO differs";
    if (!why && memcmp(m->oi, s->wanted.oi, sizeof m->oi) != 0)
        why = "OI differs";
    if (why) {
        show(s, g->func);
        if (kernel)
            show(s, kernel->func);
        fail_msg("seed %llu: %s", (unsigned long long)seed, why);
    }
}

/* What a pass has done, it finds nothing left of. */
static void check_idempotent(struct state *s, const struct generator *g, uint64_t seed)
{
    static const struct {
        const char *name;
        pass_function *run;
    } passes[] = {
#define MATRIX(name, meaning)
#define BEFORE(name, meaning)
#define PASS(name, meaning) {#name, pass_##name},
#include "gpu/passes.def"
#undef PASS
#undef BEFORE
#undef MATRIX
    };
    struct pass_context context = {.arena = &s->arena, .diagnostics = &s->diagnostics};
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++) {
        const char *off[] = {passes[i].name};
        struct ir_kernel kernel = {.func = g->func};
        struct gpu_options options = {.off = off, .off_count = 1};
        struct gpu_kernel *made = gpu_lower(&kernel, NULL, &options, &s->arena, &s->diagnostics);
        assert_non_null(made);
        passes[i].run(&context, made->func);
        if (passes[i].run(&context, made->func) || !gpu_verify(made->func, &s->diagnostics)) {
            show(s, made->func);
            fail_msg("seed %llu: %s is not idempotent", (unsigned long long)seed, passes[i].name);
        }
    }
}

static void check_seed(struct state *s, uint64_t seed)
{
    arena_init(&s->arena, allocator_default, &s->out_of_memory);
    if (setjmp(s->out_of_memory))
        fail_msg("out of memory");
    diagnostics_init(&s->diagnostics, &s->arena);
    struct generator g = {.state = seed, .dense = true};
    generate(&g, &s->arena);
    fill(&s->wanted, seed);
    interpret(s, &g);
    check(s, &g, seed);
    if (seed % 8 == 0)
        check_idempotent(s, &g, seed);
    arena_free(&s->arena);
}

#ifdef TILEC_TINY_LIMITS
enum { SEEDS = 40 }; /* some behind them have too many operations, or values that a loop carries */
#else
enum { SEEDS = 200 };
#endif

static void test_tiles(void **unused)
{
    (void)unused;
    struct seeds seeds = seeds_of("GPU_TILES", SEEDS);
    uint64_t seed;
    struct state *s = calloc(1, sizeof *s);
    while (seeds_take(&seeds, 1, &seed))
        check_seed(s, seed);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tiles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
