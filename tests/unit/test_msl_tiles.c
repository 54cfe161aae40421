/*
 * The MSL of random programs over larger tiles (random_tiles.h), run by msl-host, must agree with
 * the interpreter bit for bit, without races and with all threads at every barrier. All kernels are
 * one source, because starting clang takes longest.
 *
 * MSL_TILES_SEEDS=n runs more seeds, MSL_TILES_FIRST=n starts there.
 */
#include "base/guard.h"
#include "emit/emit.h"
#include "run/msl_host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../seeds.h"
#include "../skip.h"
#include "random_tiles.h"

/* Kernels of a source: together they may have 32 KiB of threadgroup memory. */
enum { BATCH = 6 };

struct tiles_case {
    uint64_t seed;
    struct generator generator;
    int threads;
};

struct state {
    jmp_buf out_of_memory;
    struct arena arena;
    struct diagnostics diagnostics;
    struct text source;
    struct memory wanted, is;
    struct {
        struct tiles_case *items;
        size_t count, capacity;
    } cases;
};

static void fail_with(struct state *s, uint64_t seed, const char *what)
{
    struct text text;
    text_init(&text, &s->arena);
    for (size_t i = 0; i < s->diagnostics.count; i++)
        diagnostics_print(&s->diagnostics.items[i], &text);
    fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, what, text.items ? text.items : "");
}

/* Helpers of each kernel get names of their own. */
static void append(struct state *s, const char *text, int number)
{
    for (const char *at; (at = strstr(text, "tilec_")); text = at + 6) {
        text_append(&s->source, text, (size_t)(at - text));
        text_format(&s->source, "t%d_", number);
    }
    text_string(&s->source, text);
}

static void add(struct state *s, uint64_t seed)
{
    struct tiles_case *c = ARENA_NEW(&s->arena, struct tiles_case);
    struct text text;
    int number = (int)s->cases.count;
    *c = (struct tiles_case){.seed = seed, .generator = {.state = seed, .dense = true}};
    generate(&c->generator, &s->arena);
    c->generator.func->name = arena_format(&s->arena, "k%d", number);
    struct ir_requirement threads = {.name = "threads", .number = 32 << seed % 6};
    struct ir_kernel kernel = {
        .func = c->generator.func, .requirements = &threads, .requirement_count = seed % 7 != 0};
    text_init(&text, &s->arena);
    struct gpu_plan *plan =
        plan_gpu(&kernel, &gpu_target_msl, false, &s->arena, &s->diagnostics);
    if (plan)
        plan->short_arrays = seed % 5 < 3;
    struct gpu_kernel *gpu =
        plan ? gpu_lower(&kernel, plan, NULL, &s->arena, &s->diagnostics) : NULL;
    if (!gpu || !emit_kernel(gpu, &emit_msl, &text, &s->diagnostics))
        fail_with(s, seed, "it does not compile");
    c->threads = gpu->threads;
    append(s, text.items, number);
    ARENA_PUSH(&s->arena, &s->cases, *c);
}

static void interpret(struct state *s, const struct tiles_case *c)
{
    const struct generator *g = &c->generator;
    struct memory *m = &s->wanted;
    struct interp_argument arguments[PARAMETERS] = {
        {.data = m->f, .elements = SIZE},  {.data = m->h, .elements = SIZE},
        {.data = m->b, .elements = SIZE},  {.data = m->io, .elements = SIZE},
        {.data = m->oi, .elements = SIZE}, {.bits = (uint64_t)g->n},
        {.bits = (uint64_t)g->m},          {.bits = (uint64_t)g->step}};
    struct interp_options options = {.grid = {1, 1, 1}};
    if (!interp_run(g->func, arguments, &options, &s->arena, &s->diagnostics))
        fail_with(s, c->seed, "the interpreter refuses");
}

static void run_host(struct state *s, struct msl_host_program *program, struct tiles_case *c)
{
    struct generator *g = &c->generator;
    struct memory *m = &s->is;
    struct msl_host_buffer buffers[PARAMETERS] = {
        {m->f, sizeof m->f},   {m->h, sizeof m->h}, {m->b, sizeof m->b}, {m->io, sizeof m->io},
        {m->oi, sizeof m->oi}, {&g->n, 8},          {&g->m, 8},          {&g->step, 8},
    };
    struct msl_host_launch launch = {
        .kernel = g->func->name,
        .groups = {1, 1, 1},
        .threads = {(uint32_t)c->threads, 1, 1},
        .buffers = buffers,
        .buffer_count = PARAMETERS,
        .order = c->seed % 5,
    };
    if (!msl_host_run(program, &launch, &s->diagnostics))
        fail_with(s, c->seed, "msl-host finds");
}

static void run_all(struct state *s)
{
    struct msl_host_program *program =
        msl_host_compile(s->source.items, s->source.count, true, NULL, &s->diagnostics);
    if (!program)
        fail_with(s, 0, "the source does not compile");
    for (size_t i = 0; i < s->cases.count; i++) {
        struct tiles_case *c = &s->cases.items[i];
        fill(&s->wanted, c->seed);
        interpret(s, c);
        fill(&s->is, c->seed);
        run_host(s, program, c);
        if (memcmp(s->is.io, s->wanted.io, sizeof s->is.io) != 0)
            fail_with(s, c->seed, "IO differs");
        if (memcmp(s->is.oi, s->wanted.oi, sizeof s->is.oi) != 0)
            fail_with(s, c->seed, "OI differs");
    }
    msl_host_free(program);
}

static void check_batch(struct state *s, uint64_t from, uint64_t count)
{
    memset(s, 0, sizeof *s);
    arena_init(&s->arena, allocator_default, &s->out_of_memory);
    if (setjmp(s->out_of_memory))
        fail_msg("out of memory");
    diagnostics_init(&s->diagnostics, &s->arena);
    text_init(&s->source, &s->arena);
    for (uint64_t seed = from; seed < from + count; seed++)
        add(s, seed);
    run_all(s);
    arena_free(&s->arena);
}

static void test_tiles(void **unused)
{
    (void)unused;
    struct seeds seeds = seeds_of("MSL_TILES", 24);
    uint64_t from, count;
    if (!msl_host_available())
        SKIP(SKIP_WITHOUT_CLANG);
    struct state *s = calloc(1, sizeof *s);
    while ((count = seeds_take(&seeds, BATCH, &from)))
        check_batch(s, from, count);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tiles)};
    return RUN_TESTS(tests, NULL, NULL);
}
