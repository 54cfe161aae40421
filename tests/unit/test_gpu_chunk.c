/*
 * Tiles that are too large for registers: kernels that go over them in pieces, and those that
 * cannot and stay as they are. GPU IR in lockstep (gpu_machine.h) against the interpreter, bit for
 * bit.
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

enum { ROWS = 64, COLUMNS = 128, COUNT = ROWS * COLUMNS, THREADS = 32, PER_THREAD = 16 };

#define KERNEL(body)                                                                               \
    "#include <tilec/kernel.h>\n"                                                                  \
    "require(k, threads = 32);\n"                                                                  \
    "kernel void k(const int *restrict X, int *restrict Out, int m, int n)\n{\n"                   \
    "    int r = expand_dims(arange(0, 64), 1), c = expand_dims(arange(0, 128), 0);\n" body "}\n"

static const struct {
    const char *source;
    bool chunked;
} cases[] = {
    {KERNEL("store(Out + r * n + c, load(X + r * n + c, r < m && c < n) * 3, r < m && c < n);\n"),
     true},
    /* the store's address is turned over */
    {KERNEL("store(Out + c * 64 + r, load(X + r * 128 + c) + r);\n"), true},
    /* rows stay whole where they are summed */
    {KERNEL("int x = load(X + r * 128 + c);\n"
            "store(Out + r * 128 + c, x - expand_dims(sum(x, axis(1)), 1));\n"),
     true},
    /* so do columns, which are cut along the other axis */
    {KERNEL("int x = load(X + r * 128 + c);\n"
            "store(Out + r * 128 + c, x - expand_dims(max(x, axis(0)), 0));\n"),
     true},
    {KERNEL("int i = arange(0, 8192);\n"
            "store(Out + 8191 - i, load(X + i, i < m * n) ^ i, i % 3 != 0);\n"),
     true},
    {KERNEL("atomic_add(Out + (r * 128 + c) % 7, load(X + r * 128 + c));\n"), true},
    {KERNEL("store(Out + trans(r * 128 + c), load(X + trans(r * 128 + c)) + 1);\n"), true},
    /* elements of a piece meet those of others */
    {KERNEL("int i = expand_dims(arange(0, 64), 1) * 64 + expand_dims(arange(0, 64), 0);\n"
            "int x = load(X + i);\n"
            "store(Out + i, x - 2 * trans(x));\n"),
     false},
    {KERNEL("int x = load(X + r * 128 + c);\n"
            "store(Out + r * 128 + c, x - sum(x));\n"),
     false},
    /* two shapes */
    {KERNEL("store(Out + r * 128 + c, load(X + r * 128 + c));\n"
            "store(Out + arange(0, 64), 7);\n"),
     false},
    /* a scalar that is read may be written by a piece */
    {KERNEL("int first = load(X);\n"
            "store(Out + r * 128 + c, load(X + r * 128 + c) + first);\n"),
     false},
};

struct state {
    jmp_buf out_of_memory;
    struct arena arena;
    struct diagnostics diagnostics;
    struct machine machine;
    _Alignas(16) int32_t x[COUNT], wanted[COUNT], is[COUNT];
};

static int most_per_thread(const struct gpu_kernel *gpu)
{
    int most = 0;
    for (int i = 0; i < gpu->value_layout_count; i++) {
        int registers = 1 << gpu->value_layouts[i].layout.register_bits;
        most = registers > most ? registers : most;
    }
    return most;
}

static void check_case(struct state *s, int index, int m, int n)
{
    const struct gpu_case c = {s->x, s->wanted, s->is, COUNT, m, n, 1};
    struct gpu_options options = {.verify_each = true};
    arena_init(&s->arena, allocator_default, &s->out_of_memory);
    if (setjmp(s->out_of_memory))
        fail_msg("out of memory");
    diagnostics_init(&s->diagnostics, &s->arena);
    for (int i = 0; i < COUNT; i++) {
        s->x[i] = (int32_t)((uint32_t)i * 2654435761u >> 20);
        s->wanted[i] = s->is[i] = -1;
    }
    struct ir_kernel *kernel =
        gpu_case_kernel(&s->arena, &s->diagnostics, cases[index].source, NULL);
    gpu_case_interpret(&c, kernel->func, &s->arena, &s->diagnostics);
    struct gpu_kernel *gpu = gpu_lower(kernel, NULL, &options, &s->arena, &s->diagnostics);
    if (!gpu)
        fail_msg("case %d: %s", index, s->diagnostics.items[0].message);
    if (gpu->chunked != cases[index].chunked || gpu->threads != THREADS)
        fail_msg("case %d: %s, %d threads", index, gpu->chunked ? "cut" : "not cut", gpu->threads);
    if (gpu->chunked && most_per_thread(gpu) > PER_THREAD)
        fail_msg("case %d: %d elements per thread", index, most_per_thread(gpu));
    const char *why = gpu_case_run(&c, &s->machine, gpu);
    if (why)
        fail_msg("case %d: %s", index, why);
    arena_free(&s->arena);
}

static void large_tiles_go_in_pieces(void **unused)
{
    struct state *s = calloc(1, sizeof *s);
    (void)unused;
    assert_non_null(s);
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        check_case(s, i, ROWS, COLUMNS);
        check_case(s, i, 37, 101);
    }
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(large_tiles_go_in_pieces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
