/*
 * Elements of two bytes that move two, four or eight at a time: the layouts of such units hold each
 * element where the tile's do, for random layouts; and transposed tiles, as GPU IR in lockstep against the interpreter.
 */
#include "base/guard.h"
#include "gpu/pairs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <stdio.h>
#include <cmocka.h>

#include "gpu_case.h"
#include "gpu_like.h"

/* ---- layouts --------------------------------------------------------------------------------- */

static uint32_t random_bits(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

/* A permutation of the element's bits, some combined, some with an offset: still onto. */
static struct layout random_layout(uint64_t *state)
{
    struct layout layout = {.element_bits = 9,
                            .register_bits = 3,
                            .lane_bits = 5,
                            .group_bits = 1,
                            .rank = 2,
                            .axis_bits = {4, 5}};
    for (int i = 0; i < 9; i++)
        layout.basis[i] = 1u << i;
    for (int i = 8; i > 0; i--) {
        int k = (int)(random_bits(state) % (unsigned)(i + 1));
        uint32_t other = layout.basis[k];
        layout.basis[k] = layout.basis[i];
        layout.basis[i] = other;
    }
    for (int n = random_bits(state) % 3; n > 0; n--) {
        int i = (int)(random_bits(state) % 9), k = (int)(random_bits(state) % 9);
        layout.basis[i] ^= i == k ? 0 : layout.basis[k];
    }
    layout.offset = random_bits(state) % 4 == 0 ? random_bits(state) % 512 : 0;
    return layout;
}

/* Which element bit the register bit is: the one in which two registers differ. */
static int pair_bit(const struct layout *layout, int reg)
{
    return __builtin_ctz(layout_element(layout, 0) ^ layout_element(layout, 1u << reg));
}

/* Each place of a unit holds what the tile's layout has there: of the register that is said to be it,
 * the unit's element with the place's bits put in, one element bit after the other. */
static void check_units(const struct layout *layout, const struct layout *units,
                        const struct gpu_pairs *pairs, const int *bits)
{
    struct layout left = *layout;
    int element_bit[GPU_MOST_PAIRED_BITS];
    assert_true(layout_is_valid(units));
    for (int i = 0; i < pairs->bits; i++) {
        element_bit[i] = pair_bit(&left, bits[i]);
        for (int k = bits[i]; k + 1 < layout_place_bits(&left); k++)
            left.basis[k] = left.basis[k + 1];
        left.register_bits--;
        for (int k = 0; k < layout_place_bits(&left); k++) /* as the next unit's elements count */
            left.basis[k] = (left.basis[k] & ((1u << element_bit[i]) - 1)) |
                            left.basis[k] >> (element_bit[i] + 1) << element_bit[i];
        left.offset = (left.offset & ((1u << element_bit[i]) - 1)) |
                      left.offset >> (element_bit[i] + 1) << element_bit[i];
    }
    for (uint32_t place = 0; place < 1u << layout_place_bits(units); place++) {
        uint32_t reg = place & ((1u << units->register_bits) - 1);
        for (uint32_t k = 0; k < 1u << pairs->bits; k++) {
            uint32_t element = layout_element(units, place);
            for (int i = pairs->bits - 1; i >= 0; i--)
                element = (element >> element_bit[i] << (element_bit[i] + 1)) |
                          (element & ((1u << element_bit[i]) - 1)) | (k >> i & 1) << element_bit[i];
            uint32_t own = (uint32_t)gpu_register_of_unit(pairs, bits, (int)reg, (int)k);
            assert_int_equal(layout_element(layout, (place >> units->register_bits)
                                                            << layout->register_bits |
                                                        own),
                             element);
        }
    }
}

static void units_lie_where_their_elements_do(void **unused)
{
    uint64_t state = 7;
    int found[GPU_MOST_PAIRED_BITS + 1] = {0};
    (void)unused;
    for (int n = 0; n < 2000; n++) {
        struct layout from = random_layout(&state), to = random_layout(&state);
        struct gpu_pairs pairs;
        bool any = gpu_find_pairs(&from, &to, 1 + n % GPU_MOST_PAIRED_BITS, &pairs);
        assert_int_equal(any, pairs.bits > 0);
        found[pairs.bits]++;
        check_units(&from, &pairs.from, &pairs, pairs.from_bit);
        check_units(&to, &pairs.to, &pairs, pairs.to_bit);
    }
    for (int i = 0; i <= 2; i++)
        assert_true(found[i] > 20);
}

/* ---- kernels --------------------------------------------------------------------------------- */

enum { SIDE = 64, COUNT = SIDE * SIDE };

static const struct gpu_target target = {
    GPU_LIKE_NVIDIA, .name = "test", .most_threads = 1024};

#define KERNEL(type, body)                                                                         \
    "#include <tilec/kernel.h>\n"                                                                  \
    "require(k, threads = THREADS);\n"                                                             \
    "kernel void k(const " type " *restrict X, " type " *restrict Out, int m, int n)\n{\n"         \
    "    int r = expand_dims(arange(0, 64), 1), c = expand_dims(arange(0, 64), 0);\n" body "}\n"

static const struct {
    const char *source;
    bool pairs; /* with 64 to 256 threads, whose vectors are aligned */
} kernels[] = {
    {KERNEL("unsigned short", "store(Out + r * 64 + c, trans(load(X + r * 64 + c)));\n"), true},
    {KERNEL("short", "store(Out + r * 64 + c, trans(load(X + r * 64 + c, r < m && c < n, 7)), "
                     "c < m);\n"),
     true},
    {KERNEL("half", "half x = load(X + r * 64 + c);\n"
                    "store(Out + r * 64 + c, trans(x) + x);\n"),
     true},
    {KERNEL("bfloat", "store(Out + r * 64 + c, -trans(load(X + r * 64 + c)));\n"), true},
    {KERNEL("int", "store(Out + r * 64 + c, trans(load(X + r * 64 + c)));\n"), false},
};

struct state {
    jmp_buf out_of_memory;
    struct arena arena;
    struct diagnostics diagnostics;
    struct machine machine;
    _Alignas(16) uint32_t x[COUNT], wanted[COUNT], is[COUNT];
};

static bool is_word_array(struct ir_op *op, void *user)
{
    (void)user;
    return (int)op->code != GPU_OP_SHARED || op->results[0]->type.elem != IR_U32;
}

static void check_kernel(struct state *s, int index, const char *threads, int m, int n)
{
    const struct gpu_case c = {s->x, s->wanted, s->is, COUNT, m, n, 1};
    struct gpu_options options = {.verify_each = true};
    struct lang_define define = {.name = "THREADS", .value = threads};
    arena_init(&s->arena, allocator_default, &s->out_of_memory);
    if (setjmp(s->out_of_memory))
        fail_msg("out of memory");
    diagnostics_init(&s->diagnostics, &s->arena);
    for (int i = 0; i < COUNT; i++) { /* halves that are numbers */
        s->x[i] = (uint32_t)i * 2654435761u & 0x3fff3fffu;
        s->wanted[i] = s->is[i] = 0;
    }
    struct ir_kernel *kernel =
        gpu_case_kernel(&s->arena, &s->diagnostics, kernels[index].source, &define);
    gpu_case_interpret(&c, kernel->func, &s->arena, &s->diagnostics);
    struct gpu_plan *plan = plan_gpu(kernel, &target, false, &s->arena, &s->diagnostics);
    assert_non_null(plan);
    plan->aligned = 3; /* X and Out */
    struct gpu_kernel *gpu = gpu_lower(kernel, plan, &options, &s->arena, &s->diagnostics);
    if (!gpu)
        fail_msg("kernel %d: %s", index, s->diagnostics.items[0].message);
    if (ir_walk(gpu->func->body, is_word_array, NULL) == kernels[index].pairs)
        fail_msg("kernel %d, %s threads: %s pairs", index, threads,
                 kernels[index].pairs ? "no" : "unexpected");
    const char *why = gpu_case_run(&c, &s->machine, gpu);
    if (why)
        fail_msg("kernel %d, %s threads: %s", index, threads, why);
    arena_free(&s->arena);
}

static void transposed_tiles_move_in_pairs(void **unused)
{
    static const char *const threads[] = {"64", "128", "256"};
    (void)unused;
    struct state *s = aligned_alloc(64, (sizeof *s + 63) / 64 * 64);
    assert_non_null(s);
    for (int i = 0; i < (int)(sizeof kernels / sizeof *kernels); i++) {
        for (int t = 0; t < 3; t++) {
            check_kernel(s, i, threads[t], 64, 64);
            check_kernel(s, i, threads[t], 37, 50);
        }
    }
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(units_lie_where_their_elements_do),
                                       cmocka_unit_test(transposed_tiles_move_in_pairs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
