/*
 * Elements of two bytes that move two at a time: the layouts of words hold each pair where the tile's
 * do, for random layouts; and transposed tiles, as GPU IR in lockstep against the interpreter.
 */
#include "base/guard.h"
#include "gpu/pairs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "gpu_case.h"

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

static uint32_t with_bit(uint32_t bits, int bit, uint32_t value)
{
    return (bits >> bit << (bit + 1)) | (bits & ((1u << bit) - 1)) | value << bit;
}

/* Which element bit the pair is: the one in which the two registers differ. */
static int pair_bit(const struct layout *layout, int reg)
{
    return __builtin_ctz(layout_element(layout, 0) ^ layout_element(layout, 1u << reg));
}

static void check_words(const struct layout *layout, const struct layout *words, int reg)
{
    int bit = pair_bit(layout, reg);
    assert_true(layout_is_valid(words));
    for (uint32_t place = 0; place < 1u << layout_place_bits(words); place++) {
        uint32_t word = layout_element(words, place);
        for (uint32_t half = 0; half < 2; half++)
            assert_int_equal(layout_element(layout, with_bit(place, reg, half)),
                             with_bit(word, bit, half));
    }
}

static void words_lie_where_pairs_do(void **unused)
{
    uint64_t state = 7;
    int found = 0;
    (void)unused;
    for (int n = 0; n < 2000; n++) {
        struct layout from = random_layout(&state), to = random_layout(&state);
        struct gpu_pairs pairs;
        if (!gpu_find_pairs(&from, &to, &pairs))
            continue;
        found++;
        assert_int_equal(pair_bit(&from, pairs.from_bit), pair_bit(&to, pairs.to_bit));
        check_words(&from, &pairs.from, pairs.from_bit);
        check_words(&to, &pairs.to, pairs.to_bit);
    }
    assert_true(found > 200 && found < 1800); /* both happen */
}

/* ---- kernels --------------------------------------------------------------------------------- */

enum { SIDE = 64, COUNT = SIDE * SIDE };

static const struct gpu_target target = {
    .name = "test",
    .most_threads = 1024,
    .shared_bytes = 32768,
    .most_registers = 1024,
    .vector_elements = 8,
    .vector_bytes = 16,
    .loads = gpu_loads_nvidia,
    .most_partials = 16,
};

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
    const struct CMUnitTest tests[] = {cmocka_unit_test(words_lie_where_pairs_do),
                                       cmocka_unit_test(transposed_tiles_move_in_pairs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
