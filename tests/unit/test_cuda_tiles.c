/*
 * Random programs over larger tiles (random_tiles.h) as CUDA text: it compiles without a warning,
 * and on a GPU agrees with the interpreter bit for bit. Many kernels are one source.
 *
 * CUDA_TILES_SEEDS=n runs more seeds, CUDA_TILES_FIRST=n starts there.
 */
#include "base/guard.h"
#include "emit/emit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../seeds.h"
#include "cuda_harness.h"
#include "random_tiles.h"

enum { BATCH = 10 };

struct tiles_case {
    uint64_t seed;
    struct generator generator;
    int threads;
    unsigned shared_bytes;
};

struct state {
    struct cuda_harness harness;
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

static void add(struct state *s, uint64_t seed)
{
    struct tiles_case *c = ARENA_NEW(&s->arena, struct tiles_case);
    struct text text;
    int number = (int)s->cases.count;
    *c = (struct tiles_case){.seed = seed,
                             .generator = {.state = seed,
                                           .dense = true,
                                           .doubles = true,
                                           .threads = seed % 7 ? 32 << seed % 6 : 0}};
    generate(&c->generator, &s->arena);
    c->generator.func->name = arena_format(&s->arena, "k%d", number);
    struct ir_requirement threads = {.name = "threads", .number = c->generator.threads};
    struct ir_kernel kernel = {.func = c->generator.func,
                               .requirements = &threads,
                               .requirement_count = c->generator.threads != 0};
    text_init(&text, &s->arena);
    const struct gpu_target *target = gpu_target_cuda(s->harness.arch);
    struct gpu_plan *plan = plan_gpu(&kernel, target, false, &s->arena, &s->diagnostics);
    struct gpu_kernel *gpu =
        plan ? gpu_lower(&kernel, plan, NULL, &s->arena, &s->diagnostics) : NULL;
    if (!gpu || !emit_kernel(gpu, &emit_cuda, &text, &s->diagnostics))
        fail_with(s, seed, "it does not compile");
    c->threads = gpu->threads;
    c->shared_bytes = (unsigned)emit_dynamic_shared(gpu, &emit_cuda);
    cuda_append(&s->source, text.items, number);
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

static void run_gpu(struct state *s, cuda_module module, const struct tiles_case *c)
{
    const struct generator *g = &c->generator;
    struct memory *m = &s->is;
    char name[64];
    struct cuda_buffer buffers[PARAMETERS];
    for (int i = 0; i < PARAMETERS; i++)
        buffers[i] =
            parameters[i].type.pointer
                ? (struct cuda_buffer){.data = memory_array(m, i), .bytes = memory_bytes(i)}
                : (struct cuda_buffer){.scalar = tiles_scalar(g, i)};
    snprintf(name, sizeof name, "%s_kernel", g->func->name);
    cuda_run(&s->harness, module, name, c->threads, c->shared_bytes, buffers, PARAMETERS);
}

static void run_all(struct state *s, const struct nvrtc_output *code)
{
    cuda_module module;
    CUDA_CHECK(s->harness.driver.load(&module, code->bytes));
    for (size_t i = 0; i < s->cases.count; i++) {
        const struct tiles_case *c = &s->cases.items[i];
        fill(&s->wanted, c->seed);
        interpret(s, c);
        fill(&s->is, c->seed);
        run_gpu(s, module, c);
        int element;
        const char *array = memory_difference(&s->is, &s->wanted, &element);
        if (array)
            fail_with(s, c->seed,
                      arena_format(&s->arena, "element %d of %s differs", element, array));
    }
    s->harness.driver.unload(module);
}

static void check_batch(struct state *s, uint64_t from, uint64_t count)
{
    arena_init(&s->arena, allocator_default, &s->out_of_memory);
    if (setjmp(s->out_of_memory))
        fail_msg("out of memory");
    diagnostics_init(&s->diagnostics, &s->arena);
    text_init(&s->source, &s->arena);
    s->cases.items = NULL;
    s->cases.count = s->cases.capacity = 0;
    for (uint64_t seed = from; seed < from + count; seed++)
        add(s, seed);
    if (s->harness.nvrtc) {
        struct nvrtc_output code =
            cuda_compile(&s->harness, s->source.items, s->harness.arch, &s->arena);
        if (s->harness.has_gpu)
            run_all(s, &code);
    }
    arena_free(&s->arena);
}

/* Seeds on whose text NVIDIA's compiler did not end, while CUDA C++ showed it where loops start. */
static void test_ends(void **unused)
{
    static const uint64_t found[] = {115, 311};
    (void)unused;
    struct state *s = calloc(1, sizeof *s);
    cuda_harness_open(&s->harness);
    for (size_t i = 0; i < sizeof found / sizeof *found; i++)
        check_batch(s, found[i], 1);
    cuda_harness_close(&s->harness);
    free(s);
}

static void test_tiles(void **unused)
{
    (void)unused;
    struct seeds seeds = seeds_of("CUDA_TILES", 20);
    uint64_t from, count;
    struct state *s = calloc(1, sizeof *s);
    cuda_harness_open(&s->harness);
    while ((count = seeds_take(&seeds, BATCH, &from)))
        check_batch(s, from, count);
    cuda_harness_close(&s->harness);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ends), cmocka_unit_test(test_tiles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
