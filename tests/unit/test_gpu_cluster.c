/*
 * Programs that several blocks run: in a cluster, whose reductions cross blocks, and spread over
 * blocks that know nothing of each other. GPU IR in lockstep (gpu_machine.h) against the interpreter,
 * bit for bit; what cannot be shared is run by one block and gives the same. And GPU IR that breaks
 * the rules of clusters.
 */
#include "base/guard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "gpu_case.h"

enum { PROGRAMS = 2, TILE = 4096, COUNT = PROGRAMS * TILE };

/* Blocks of 64 threads, of which a cluster has two at least; 8 words of a tile for each thread. */
static const struct gpu_target target = {
    .name = "test",
    .arch = "test",
    .most_threads = 128,
    .shared_bytes = 32768,
    .most_registers = 1024,
    .vector_elements = 4,
    .vector_bytes = 16,
    .loads = gpu_loads_nvidia,
    .most_partials = 16,
    .usual_registers = 8,
    .cluster_blocks = 8,
};

#define KERNEL(body)                                                                               \
    "#include <tilec/kernel.h>\n"                                                                  \
    "kernel void k(const int *restrict X, int *restrict Out, int m, int n)\n{\n"                   \
    "    int p = program_id(0) * 4096, i = arange(0, 4096);\n"                                     \
    "    int r = expand_dims(arange(0, 64), 1), c = expand_dims(arange(0, 64), 0);\n" body "}\n"

static const struct {
    const char *source;
    int blocks; /* 1: no cluster */
    bool cluster;
    const char *note; /* part of one, or NULL: there is none */
} cases[] = {
    {KERNEL("int x = load(X + p + i, i < n, 0);\n"
            "store(Out + p + i, x * 3 - sum(x) + max(x), i < n);\n"),
     8, true, NULL},
    /* floats: as integers that order alike; small whole numbers, so that sums are exact */
    {KERNEL("float x = cast(float, load(X + p + i, i < n, 7) % 64);\n"
            "store(Out + p + i, cast(int, x - max(x) + sum(x) - min(x)));\n"),
     8, true, NULL},
    /* half a cluster: 2048 elements */
    {KERNEL("int j = arange(0, 2048);\n"
            "int x = load(X + p + j);\n"
            "store(Out + p + j, x ^ min(x));\n"),
     4, true, NULL},
    {KERNEL("int x = load(X + p + arange(0, 2048));\n" /* indices are 64 bits wide */
            "store(Out + p, sum(x) + argmax(x, axis(0)));\n"),
     8, true, NULL},
    {KERNEL("int j = arange(0, 2048);\n"
            "long x = cast(long, load(X + p + j)) << 33;\n"
            "store(Out + p + j, cast(int, sum(x) >> 33));\n"),
     8, true, NULL},
    /* one axis lies in blocks, so nothing crosses; the other's sums stay in lanes */
    {KERNEL("int x = load(X + p + r * 64 + c);\n"
            "store(Out + p + r * 64 + c, x - expand_dims(sum(x, axis(1)), 1));\n"),
     0, false, NULL},
    {KERNEL("int x = load(X + p + r * 64 + c);\n"
            "int y = x - expand_dims(max(x, axis(0)), 0);\n"
            "store(Out + p + r * 64 + c, y + sum(x));\n"),
     1, false, "differ between lanes"},
    {KERNEL("int x = load(X + p + i);\n"
            "store(Out + p + i, x + cast(int, any(x == 5)));\n"),
     1, false, "neither 4 nor 8 bytes"},
    {KERNEL("int x = load(X + p + i);\n"
            "store(Out + p + i, cumsum(x) + sum(x));\n"),
     1, false, "move between threads"},
    {KERNEL("int x = load(X + p + r * 64 + c);\n"
            "store(Out + p + r * 64 + c, trans(x) + sum(x));\n"),
     1, false, "move between threads"},
    {KERNEL("int x = load(X + p + i);\n"
            "store(Out + p + i, gather(x, 4095 - i) + sum(x));\n"),
     1, false, "move between threads"},
    {KERNEL("int x = load(X + p + i);\n"
            "if (n > 100)\n    store(Out + p + i, x + sum(x));\n"),
     1, false, "loops or branches"},
    {KERNEL("store(Out + p + i, load(X + p + i));\n"
            "store(Out + p + i, sum(load(Out + p + 4095 - i)) + i);\n"),
     1, false, "others stored"},
    /* fits a block */
    {KERNEL("int j = arange(0, 1024);\n"
            "int x = load(X + p + j);\n"
            "store(Out + p + j, x + sum(x));\n"),
     1, false, NULL},
    /* spread: 256 threads with one access of 4 elements each */
    {KERNEL("store(Out + p + i, load(X + p + i, i < n, 0) * 3, i < n);\n"), 4, false, NULL},
    {KERNEL("store(Out + p + r * 64 + c, load(X + p + r * 64 + c, r < 63 && c < n, 0) + m);\n"
            "store(Out + p, 17);\n"),
     1, false, NULL}, /* the second store may hit what another thread stored */
    {KERNEL("atomic_add(Out + p + i, load(X + p + i));\n"
            "store(Out + p + i, 1, i < 0);\n"),
     1, false, NULL},
    {KERNEL("int x = load(X + p + r * 64 + c);\n"
            "store(Out + p + r * 64 + c, trans(x));\n"),
     1, false, NULL},
};

struct state {
    jmp_buf out_of_memory;
    struct arena arena;
    struct diagnostics diagnostics;
    struct machine machine;
    _Alignas(16) int32_t x[COUNT], wanted[COUNT], is[COUNT];
};

static void start(struct state *s)
{
    arena_init(&s->arena, allocator_default, &s->out_of_memory);
    diagnostics_init(&s->diagnostics, &s->arena);
}

static struct gpu_kernel *compile(struct state *s, const struct ir_kernel *kernel)
{
    struct gpu_options options = {.verify_each = true};
    struct gpu_plan *plan = plan_gpu(kernel, &target, false, &s->arena, &s->diagnostics);
    if (!plan)
        return NULL;
    plan->aligned = 3; /* X and Out */
    plan->short_arrays = true;
    return gpu_lower(kernel, plan, &options, &s->arena, &s->diagnostics);
}

static bool has_note(const struct gpu_kernel *gpu, const char *part)
{
    for (int i = 0; i < gpu->note_count; i++) {
        if (strstr(gpu->notes[i], part ? part : "a thread holds more"))
            return true;
    }
    return false;
}

static void check_plan(const struct gpu_kernel *gpu, int index)
{
    if (cases[index].blocks && gpu->blocks != cases[index].blocks)
        fail_msg("case %d: %d blocks", index, gpu->blocks);
    if (cases[index].blocks && gpu->plan->cluster != cases[index].cluster)
        fail_msg("case %d: %s cluster", index, gpu->plan->cluster ? "a" : "no");
    if (has_note(gpu, cases[index].note) != (cases[index].note != NULL))
        fail_msg("case %d: a wrong note", index);
    assert_true(gpu->threads % gpu->blocks == 0 &&
                gpu->threads / gpu->blocks <= (gpu->plan->cluster ? 64 : 256));
}

static void check_case(struct state *s, int index, int m, int n)
{
    const struct gpu_case c = {s->x, s->wanted, s->is, COUNT, m, n, PROGRAMS};
    start(s);
    if (setjmp(s->out_of_memory))
        fail_msg("out of memory");
    for (int i = 0; i < COUNT; i++) {
        s->x[i] = (int32_t)((uint32_t)i * 2654435761u >> 20);
        s->wanted[i] = s->is[i] = -1;
    }
    struct ir_kernel *kernel =
        gpu_case_kernel(&s->arena, &s->diagnostics, cases[index].source, NULL);
    gpu_case_interpret(&c, kernel->func, &s->arena, &s->diagnostics);
    struct gpu_kernel *gpu = compile(s, kernel);
    if (!gpu)
        fail_msg("case %d: %s", index, s->diagnostics.items[0].message);
    check_plan(gpu, index);
    const char *why = gpu_case_run(&c, &s->machine, gpu);
    if (why)
        fail_msg("case %d: %s", index, why);
    arena_free(&s->arena);
}

static void blocks_share_programs(void **unused)
{
    struct state *s = calloc(1, sizeof *s);
    (void)unused;
    assert_non_null(s);
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        check_case(s, i, 5, 4096);
        check_case(s, i, 5, 1001);
    }
    free(s);
}

/* ---- the verifier ---------------------------------------------------------------------------- */

#define BODY(text)                                                                                 \
    "func @k(%X: ptr<f32>) {\n"                                                                    \
    "  %a = shared {\"a\" 64 padding 0} : ptr<f32, threadgroup>\n"                                 \
    "  %b = shared {\"b\" 64 padding 0} : ptr<f32, threadgroup>\n"                                 \
    "  %w = shared {\"w\" 1 padding 0} : ptr<u64, threadgroup>\n"                                  \
    "  %u = shared {\"u\" 1 padding 0} : ptr<u64, threadgroup>\n"                                  \
    "  %one = constant {1.0} : f32\n"                                                                \
    "  %yes = constant {true} : bool\n" text "  return\n}\n"

#define EXPECT "  cluster_expect {256} %w\n"
#define ARRIVE "  cluster_arrive\n"
#define JOIN "  cluster_join\n"
#define PUT "  cluster_put {4} %a, %one, %w\n"
#define WAIT "  cluster_wait %w\n"
#define READ "  %v = load %a : f32\n"

static const struct {
    const char *text, *error; /* NULL: fine */
} broken[] = {
    {BODY(EXPECT ARRIVE JOIN PUT WAIT READ), NULL},
    {BODY(EXPECT ARRIVE PUT JOIN WAIT), "in front of cluster_join"},
    {BODY(EXPECT JOIN ARRIVE), "in front of cluster_arrive"},
    {BODY(EXPECT ARRIVE JOIN PUT), "nobody waits"},
    {BODY(EXPECT ARRIVE JOIN WAIT), "nothing was put"},
    {BODY(EXPECT ARRIVE JOIN PUT READ WAIT), "before cluster_wait"},
    {BODY(EXPECT ARRIVE JOIN PUT WAIT WAIT), "waited for before"},
    {BODY(EXPECT ARRIVE JOIN PUT WAIT PUT), "expects nothing any more"},
    {BODY(ARRIVE EXPECT JOIN PUT WAIT), "behind cluster_arrive"},
    {BODY(EXPECT EXPECT ARRIVE JOIN PUT WAIT), "used twice"},
    {BODY(EXPECT ARRIVE ARRIVE JOIN PUT WAIT), "stands twice"},
    {BODY(EXPECT ARRIVE JOIN PUT "  cluster_put {4} %b, %one, %w\n" WAIT), "not its word's"},
    {BODY(EXPECT "  cluster_expect {256} %u\n" ARRIVE JOIN PUT "  cluster_put {4} %a, %one, %u\n"
              WAIT "  cluster_wait %u\n"),
     "not its word's"},
    {BODY(EXPECT ARRIVE JOIN PUT "  cluster_put {8} %a, %one, %w\n" WAIT), "number of blocks"},
    {BODY(EXPECT ARRIVE JOIN PUT WAIT "  store %a, %one\n"), "changes or reads"},
    {BODY(EXPECT ARRIVE JOIN PUT "  if %yes {\n" WAIT "    yield\n  } else {\n    yield\n  }\n" WAIT),
     "in a loop or branch"},
    {BODY("  cluster_expect {256} %a\n"), "no array of one u64"},
    {BODY(EXPECT ARRIVE), "nobody waits"},
    {BODY(ARRIVE), "without cluster_join"},
};

static void the_verifier_knows_clusters(void **unused)
{
    (void)unused;
    struct state *s = calloc(1, sizeof *s);
    assert_non_null(s);
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        start(s);
        if (setjmp(s->out_of_memory))
            fail_msg("out of memory");
        struct source_file *file = ARENA_NEW(&s->arena, struct source_file);
        *file = (struct source_file){
            .name = "k.ir", .text = broken[i].text, .length = (uint32_t)strlen(broken[i].text)};
        bool fine = gpu_read(&s->arena, &s->diagnostics, file) != NULL;
        const char *message = s->diagnostics.count > 0 ? s->diagnostics.items[0].message : "";
        if (fine != !broken[i].error || (!fine && !strstr(message, broken[i].error)))
            fail_msg("text %d: %s", (int)i, fine ? "accepted" : message);
        arena_free(&s->arena);
    }
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(blocks_share_programs),
                                       cmocka_unit_test(the_verifier_knows_clusters)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
