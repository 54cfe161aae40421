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
    uint64_t refused; /* programs beyond tiny limits */
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

static const struct gpu_target strict = {GPU_LIKE_NVIDIA, .name = "strict", .most_threads = 1024,
                                         .has_f64 = true};

/* Small blocks, so that tiles need several: a cluster, or any. */
static const struct gpu_target small_blocks = {
    GPU_LIKE_NVIDIA,    .name = "small",      .arch = "small",
    .most_threads = 64, .usual_registers = 2, .cluster_blocks = 16,
};

static uint64_t aligned_arguments(struct memory *m, const struct generator *g)
{
    uint64_t set = 0;
    for (int i = 0; i < PARAMETERS; i++) {
        uint64_t value =
            parameters[i].type.pointer ? (uintptr_t)memory_array(m, i) : tiles_scalar(g, i);
        set |= (uint64_t)(value % 16 == 0) << i;
    }
    return set;
}

static const struct gpu_target *target_of(uint64_t seed)
{
    return seed % 5 == 2 ? &small_blocks : seed % 3 == 0 ? &strict : &gpu_target_msl;
}

/* Six seeds of seven require a number of threads, but not where blocks share programs. */
static int threads_of(uint64_t seed)
{
    return seed % 7 == 0 || target_of(seed) == &small_blocks ? 0 : 32 << seed % 6;
}

/* Some require besides that nothing is a vector. */
static struct gpu_kernel *compile(struct state *s, const struct generator *g, uint64_t seed)
{
    struct ir_requirement requirements[] = {
        {.name = "threads", .number = g->threads},
        {.name = "vector_width", .number = 1},
    };
    struct ir_kernel kernel = {.func = g->func,
                               .requirements = requirements,
                               .requirement_count = !g->threads      ? 0
                                                    : seed % 11 == 0 ? 2
                                                                     : 1};
    struct gpu_options options = {.verify_each = true};
    const struct gpu_target *target = target_of(seed);
    struct gpu_plan *plan = plan_gpu(&kernel, target, false, &s->arena, &s->diagnostics);
    if (!plan)
        return NULL;
    plan->aligned = target->loads ? aligned_arguments(&s->is, g) : 0;
    plan->short_arrays = seed % 5 < 3;
    return gpu_lower(&kernel, plan, &options, &s->arena, &s->diagnostics);
}

#ifdef TILEC_TINY_LIMITS
enum { SEEDS = 40, TINY_LIMITS = true };
#else
enum { SEEDS = 200, TINY_LIMITS = false };
#endif

/* Some have too many operations for tiny limits, or values that a loop carries. */
static bool is_beyond_limits(const struct state *s)
{
    const struct diagnostics *d = &s->diagnostics;
    return TINY_LIMITS && d->count > 0 && strstr(d->items[d->count - 1].message, "more than");
}

static void check(struct state *s, const struct generator *g, uint64_t seed)
{
    struct memory *m = &s->is;
    struct machine_argument arguments[PARAMETERS];
    for (int i = 0; i < PARAMETERS; i++)
        arguments[i] = parameters[i].type.pointer
                           ? (struct machine_argument){.data = memory_array(m, i),
                                                       .bytes = (int64_t)memory_bytes(i)}
                           : (struct machine_argument){.bits = tiles_scalar(g, i)};
    static const int64_t grid[3] = {1, 1, 1};
    struct gpu_kernel *kernel = compile(s, g, seed);
    int element;
    if (!kernel && is_beyond_limits(s)) {
        s->refused++;
        return;
    }
    fill(m, seed);
    const char *why =
        kernel ? machine_run(&s->machine, kernel, arguments, grid) : "it does not compile";
    const char *array = why ? NULL : memory_difference(m, &s->wanted, &element);
    if (array) {
        snprintf(s->machine.fault, sizeof s->machine.fault, "element %d of %s differs", element,
                 array);
        why = s->machine.fault;
    }
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
        if (!made && is_beyond_limits(s))
            return;
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
    struct generator g = {.state = seed,
                          .dense = true,
                          .doubles = target_of(seed)->has_f64 && seed % 8 != 0,
                          .threads = threads_of(seed)};
    generate(&g, &s->arena);
    fill(&s->wanted, seed);
    interpret(s, &g);
    check(s, &g, seed);
    if (seed % 8 == 0)
        check_idempotent(s, &g, seed);
    arena_free(&s->arena);
}

static void test_tiles(void **unused)
{
    (void)unused;
    struct seeds seeds = seeds_of("GPU_TILES", SEEDS);
    uint64_t seed;
    struct state *s = calloc(1, sizeof *s);
    while (seeds_take(&seeds, 1, &seed))
        check_seed(s, seed);
    assert_true(s->refused < seeds.count / 2 + 1);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tiles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
