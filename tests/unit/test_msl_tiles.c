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

/* Kernels of a source, fewer where they would have more threadgroup memory together. */
enum { BATCH = 6, SHARED_BYTES = 32768 };

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
    int shared_bytes; /* of all kernels of the source */
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

static void run_all(struct state *s);

static void add(struct state *s, uint64_t seed)
{
    struct tiles_case *c = ARENA_NEW(&s->arena, struct tiles_case);
    struct text text;
    int number = (int)(seed % BATCH); /* a source has consecutive ones */
    *c = (struct tiles_case){
        .seed = seed,
        .generator = {.state = seed, .dense = true, .threads = seed % 7 ? 32 << seed % 6 : 0}};
    generate(&c->generator, &s->arena);
    c->generator.func->name = arena_format(&s->arena, "k%d", number);
    struct ir_requirement threads = {.name = "threads", .number = c->generator.threads};
    struct ir_kernel kernel = {.func = c->generator.func,
                               .requirements = &threads,
                               .requirement_count = c->generator.threads != 0};
    text_init(&text, &s->arena);
    struct gpu_plan *plan = plan_gpu(&kernel, &gpu_target_msl, false, &s->arena, &s->diagnostics);
    if (plan)
        plan->short_arrays = seed % 5 < 3;
    struct gpu_kernel *gpu =
        plan ? gpu_lower(&kernel, plan, NULL, &s->arena, &s->diagnostics) : NULL;
    if (!gpu || !emit_kernel(gpu, &emit_msl, &text, &s->diagnostics))
        fail_with(s, seed, "it does not compile");
    c->threads = gpu->threads;
    if (s->shared_bytes + gpu->shared_bytes > SHARED_BYTES)
        run_all(s);
    s->shared_bytes += gpu->shared_bytes;
    append(s, text.items, number);
    ARENA_PUSH(&s->arena, &s->cases, *c);
}

static void interpret(struct state *s, const struct tiles_case *c)
{
    const struct generator *g = &c->generator;
    struct memory *m = &s->wanted;
    struct interp_argument arguments[PARAMETERS];
    for (int i = 0; i < PARAMETERS; i++)
        arguments[i] = parameters[i].type.pointer
                           ? (struct interp_argument){.data = memory_array(m, i), .elements = SIZE}
                           : (struct interp_argument){.bits = tiles_scalar(g, i)};
    struct interp_options options = {.grid = {1, 1, 1}};
    if (!interp_run(g->func, arguments, &options, &s->arena, &s->diagnostics))
        fail_with(s, c->seed, "the interpreter refuses");
}

static void run_host(struct state *s, struct msl_host_program *program, struct tiles_case *c)
{
    struct generator *g = &c->generator;
    struct memory *m = &s->is;
    struct msl_host_buffer buffers[PARAMETERS];
    uint64_t scalars[PARAMETERS];
    for (int i = 0; i < PARAMETERS; i++) {
        scalars[i] = tiles_scalar(g, i);
        buffers[i] = parameters[i].type.pointer
                         ? (struct msl_host_buffer){memory_array(m, i), memory_bytes(i)}
                         : (struct msl_host_buffer){&scalars[i], sizeof scalars[i]};
    }
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

/* What the source has so far, which is empty then. */
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
        int element;
        const char *array = memory_difference(&s->is, &s->wanted, &element);
        if (array)
            fail_with(s, c->seed,
                      arena_format(&s->arena, "element %d of %s differs", element, array));
    }
    msl_host_free(program);
    text_init(&s->source, &s->arena);
    s->cases.count = 0;
    s->shared_bytes = 0;
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
