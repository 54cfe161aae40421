/*
 * Conversions between random layouts: orders of bits, xor masks, registers, fewer named threads
 * than there are (copies), through two axes and back, in loops and outside. GPU IR runs in lockstep
 * (gpu_machine.h) and must move each element to its place, without races. Of single conversions
 * the GPU IR is also asked by what they were done, which must be the cheapest that a search finds.
 *
 * GPU_CONVERT_SEEDS=n runs more seeds, GPU_CONVERT_FIRST=n starts there.
 */
#include "base/guard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "../seeds.h"
#include "gpu/assign.h"
#include "gpu_machine.h"

enum { MOST_ELEMENTS = 1 << 12 };

struct state {
    jmp_buf out_of_memory;
    struct arena arena;
    struct diagnostics diagnostics;
    struct machine machine;
    uint64_t random;
    struct ir_builder b;
    int bits; /* log2 of the tile's elements */
    enum ir_elem elem;
    uint64_t from[MOST_ELEMENTS], to[MOST_ELEMENTS];
};

static int below(struct state *s, int count)
{
    uint64_t z = s->random += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (int)((z ^ z >> 31) % (uint64_t)count);
}

static const struct ir_layout *random_layout(struct state *s)
{
    struct ir_layout *layout = ARENA_NEW(&s->arena, struct ir_layout);
    int threads = s->bits < 10 ? s->bits : 10; /* log2 of as many as may be named */
    int least = s->bits - threads, extra = below(s, 3);
    layout->name = "L";
    layout->bits = s->bits;
    layout->per_thread = 1 << (least + extra <= s->bits ? least + extra : s->bits);
    layout->xor_mask = below(s, 2) ? (uint32_t)below(s, 1 << s->bits) : 0;
    for (int i = 0; i < s->bits; i++)
        layout->bit_order[i] = (uint8_t)i;
    for (int i = s->bits - 1; i > 0; i--) {
        int k = below(s, 3) ? below(s, i + 1) : i; /* often nearly in order */
        uint8_t swapped = layout->bit_order[i];
        layout->bit_order[i] = layout->bit_order[k];
        layout->bit_order[k] = swapped;
    }
    return layout;
}

static struct ir_value *convert(struct state *s, struct ir_value *v)
{
    struct ir_attributes attributes = {.layout = random_layout(s)};
    return ir_build(&s->b, IR_OP_CONVERT_LAYOUT, 1, &v, 1, &v->type, 0, &attributes)->results[0];
}

/* Under two axes, converted there (the layout counts row-major), turned, and back in a row. */
static struct ir_value *through_two_axes(struct state *s, struct ir_value *v)
{
    struct ir_type row = v->type, rows = v->type, columns = v->type;
    struct ir_attributes attributes = {.permutation = {1, 0}};
    int low = s->bits / 2;
    rows.rank = columns.rank = 2;
    rows.dims[0] = columns.dims[1] = 1 << (s->bits - low);
    rows.dims[1] = columns.dims[0] = 1 << low;
    v = convert(s, ir_reshape(&s->b, v, rows));
    v = ir_build(&s->b, IR_OP_TRANS, 1, &v, 1, &columns, 0, &attributes)->results[0];
    return ir_reshape(&s->b, convert(s, v), row);
}

static struct ir_value *tile_pointer(struct state *s, int parameter, struct ir_value *index)
{
    struct ir_value *base = s->b.func->body->arguments[parameter];
    struct ir_type type = ir_with_shape(base->type, index->type);
    return ir_binary(&s->b, IR_OP_ADDPTR, ir_broadcast(&s->b, base, type), index);
}

static struct ir_value *in_a_loop(struct state *s, struct ir_value *v)
{
    struct ir_value *operands[] = {ir_constant_i64(&s->b, 0), ir_constant_i64(&s->b, 3),
                                   ir_constant_i64(&s->b, 1), v};
    struct ir_op *loop = ir_build(&s->b, IR_OP_FOR, 4, operands, 1, &v->type, 1, NULL);
    struct ir_builder outside = s->b;
    s->b.region = loop->regions[0];
    ir_region_add_argument(s->b.func, s->b.region, ir_scalar(IR_I64), "i");
    struct ir_value *carried = ir_region_add_argument(s->b.func, s->b.region, v->type, "carried");
    struct ir_value *next = convert(s, convert(s, carried));
    ir_build(&s->b, IR_OP_YIELD, 1, &next, 0, NULL, 0, NULL);
    s->b = outside;
    return loop->results[0];
}

static void generate(struct state *s)
{
    static const enum ir_elem elems[] = {IR_F32, IR_I8, IR_I64, IR_F16, IR_BF16, IR_I32};
    struct ir_parameter parameters[] = {
        {.name = "X", .type = ir_pointer(IR_F32), .is_const = true, .is_restrict = true},
        {.name = "Y", .type = ir_pointer(IR_F32), .is_restrict = true},
    };
    s->bits = 1 + below(s, 12);
    s->elem = elems[below(s, 6)];
    parameters[0].type.elem = parameters[1].type.elem = (uint8_t)s->elem;
    struct ir_func *func = ir_func_new(&s->arena, "convert", 2, parameters);
    s->b = (struct ir_builder){.func = func, .region = func->body};
    struct ir_value *index = ir_arange(&s->b, 0, 1 << s->bits);
    struct ir_value *v = ir_load(&s->b, tile_pointer(s, 0, index), NULL, NULL);
    int steps = 1 + below(s, 3);
    for (int i = 0; i < steps; i++) {
        int choice = below(s, 4);
        v = choice == 0 ? in_a_loop(s, v) : choice == 1 ? through_two_axes(s, v) : convert(s, v);
    }
    ir_store(&s->b, tile_pointer(s, 1, index), v, NULL);
    ir_build(&s->b, IR_OP_RETURN, 0, NULL, 0, NULL, 0, NULL);
}

static void show(struct state *s, const struct ir_func *func)
{
    struct text text;
    text_init(&text, &s->arena);
    for (size_t i = 0; i < s->diagnostics.count; i++)
        diagnostics_print(&s->diagnostics.items[i], &text);
    ir_print(func, &text);
    fputs(text.items, stderr);
}

/* turns: how often the tile was turned over; conversions change nothing. */
static const char *check(struct state *s, const struct gpu_kernel *kernel, int turns)
{
    size_t bytes = ir_elem_bytes(s->elem), count = (size_t)1 << s->bits;
    struct machine_argument arguments[] = {{.data = s->from, .bytes = (int64_t)(bytes * count)},
                                           {.data = s->to, .bytes = (int64_t)(bytes * count)}};
    static const int64_t grid[] = {1, 1, 1};
    unsigned char *from = (unsigned char *)s->from, *to = (unsigned char *)s->to;
    for (size_t i = 0; i < bytes * count; i++)
        from[i] = (unsigned char)below(s, 256);
    memset(to, 0, bytes * count);
    const char *why = machine_run(&s->machine, kernel, arguments, grid);
    for (size_t i = 0; i < count && !why; i++) {
        size_t place = i;
        int low = s->bits / 2;
        for (int t = 0; t < turns; t++) /* element [r, c] of rows becomes [c, r] */
            place =
                (place & (((size_t)1 << (s->bits - low)) - 1)) << low | place >> (s->bits - low);
        if (memcmp(to + i * bytes, from + place * bytes, bytes) != 0)
            why = "an element is not where it belongs";
    }
    return why;
}

static bool count_turn(struct ir_op *op, void *user)
{
    *(int *)user += op->code == IR_OP_TRANS;
    return true;
}

static void check_seed(struct state *s, uint64_t seed)
{
    arena_init(&s->arena, allocator_default, &s->out_of_memory);
    if (setjmp(s->out_of_memory))
        fail_msg("out of memory");
    diagnostics_init(&s->diagnostics, &s->arena);
    s->random = seed;
    generate(s);
    struct ir_kernel kernel = {.func = s->b.func};
    struct gpu_options options = {.verify_each = true};
    int turns = 0;
    ir_walk(kernel.func->body, count_turn, &turns);
    struct gpu_kernel *gpu = gpu_lower(&kernel, NULL, &options, &s->arena, &s->diagnostics);
    const char *why = gpu ? check(s, gpu, turns) : "it does not compile";
    if (why) {
        show(s, kernel.func);
        if (gpu)
            show(s, gpu->func);
        fail_msg("seed %llu: %s", (unsigned long long)seed, why);
    }
    arena_free(&s->arena);
}

static void test_conversions(void **unused)
{
    (void)unused;
    struct seeds seeds = seeds_of("GPU_CONVERT", 1000);
    uint64_t seed;
    struct state *s = calloc(1, sizeof *s);
    while (seeds_take(&seeds, 1, &seed))
        check_seed(s, seed);
    free(s);
}

/* ---- the cheapest mechanism ------------------------------------------------------------------ */

struct emitted { /* ops of the final GPU IR */
    int shuffles, barriers, shared;
};

static bool count_moves(struct ir_op *op, void *user)
{
    struct emitted *emitted = user;
    int code = (int)op->code;
    emitted->shuffles += code == GPU_OP_SHUFFLE || code == GPU_OP_SHUFFLE_XOR;
    emitted->barriers += code == GPU_OP_BARRIER;
    emitted->shared += code == GPU_OP_SHARED;
    return true;
}

/* By search: for every place of the result, is there a source in the same thread, in the same SIMD
 * group, anywhere? */
static enum layout_mechanism cheapest(const struct layout *from, const struct layout *to)
{
    bool registers = true, shuffle = true;
    for (uint32_t p = 0; p < 1u << layout_place_bits(to); p++) {
        bool in_thread = false, in_group = false;
        uint32_t thread = p >> to->register_bits, element = layout_element(to, p);
        for (uint32_t q = 0; q < 1u << layout_place_bits(from); q++) {
            if (layout_element(from, q) != element)
                continue;
            uint32_t other = q >> from->register_bits;
            in_thread = in_thread || other == thread;
            in_group = in_group || other >> GPU_LANE_BITS == thread >> GPU_LANE_BITS;
        }
        registers = registers && in_thread;
        shuffle = shuffle && in_group;
    }
    return registers ? LAYOUT_REGISTERS : shuffle ? LAYOUT_SHUFFLE : LAYOUT_EXCHANGE;
}

/* Two axes: an index tile of each, in the layout; their flat index. */
static struct ir_value *index_in(struct state *s, const struct ir_layout *layout, bool two_axes)
{
    struct ir_attributes attributes = {.end = 1 << s->bits, .layout = layout};
    int32_t count = 1 << s->bits, columns = 1 << s->bits / 2;
    struct ir_type row = ir_tile(IR_I64, 1, &count);
    if (!two_axes)
        return ir_build(&s->b, IR_OP_ARANGE, 0, NULL, 1, &row, 0, &attributes)->results[0];
    int32_t dims[2] = {count / columns, columns}, down[2] = {dims[0], 1}, right[2] = {1, columns};
    struct ir_type tile = ir_tile(IR_I64, 2, dims);
    struct ir_value *i = ir_reshape(&s->b, ir_arange(&s->b, 0, dims[0]), ir_tile(IR_I64, 2, down));
    struct ir_value *k = ir_reshape(&s->b, ir_arange(&s->b, 0, columns), ir_tile(IR_I64, 2, right));
    i = ir_binary(&s->b, IR_OP_MUL, ir_broadcast(&s->b, i, tile),
                  ir_broadcast(&s->b, ir_constant_i64(&s->b, columns), tile));
    i = ir_binary(&s->b, IR_OP_ADD, i, ir_broadcast(&s->b, k, tile));
    return ir_build(&s->b, IR_OP_CONVERT_LAYOUT, 1, &i, 1, &tile, 0, &attributes)->results[0];
}

/* Y[i] = X[i], loaded in one layout and stored in the other. */
static void generate_pair(struct state *s, const struct ir_layout *from, const struct ir_layout *to)
{
    struct ir_parameter parameters[] = {
        {.name = "X", .type = ir_pointer(IR_F32), .is_const = true, .is_restrict = true},
        {.name = "Y", .type = ir_pointer(IR_F32), .is_restrict = true},
    };
    struct ir_func *func = ir_func_new(&s->arena, "pair", 2, parameters);
    bool two_axes = below(s, 2);
    struct ir_attributes attributes = {.layout = to};
    s->elem = IR_F32;
    s->b = (struct ir_builder){.func = func, .region = func->body};
    struct ir_value *index = index_in(s, from, two_axes);
    struct ir_value *v = ir_load(&s->b, tile_pointer(s, 0, index), NULL, NULL);
    v = ir_build(&s->b, IR_OP_CONVERT_LAYOUT, 1, &v, 1, &v->type, 0, &attributes)->results[0];
    index = index_in(s, to, two_axes);
    ir_store(&s->b, tile_pointer(s, 1, index), v, NULL);
    ir_build(&s->b, IR_OP_RETURN, 0, NULL, 0, NULL, 0, NULL);
}

static const char *check_mechanism(struct state *s, const struct gpu_kernel *gpu,
                                   const struct ir_layout *from, const struct ir_layout *to,
                                   int *seen)
{
    struct emitted emitted = {0};
    int32_t count = 1 << s->bits;
    struct ir_type row = ir_tile(IR_F32, 1, &count);
    struct layout a = gpu_layout_explicit(from, row, gpu->plan);
    struct layout b = gpu_layout_explicit(to, row, gpu->plan);
    enum layout_mechanism wanted = cheapest(&a, &b);
    ir_walk(gpu->func->body, count_moves, &emitted);
    bool exchange = wanted == LAYOUT_EXCHANGE, shuffle = wanted == LAYOUT_SHUFFLE;
    seen[wanted]++;
    if (emitted.shared != exchange || emitted.barriers != exchange)
        return exchange ? "not one exchange behind one barrier"
                        : "an exchange, which is not needed";
    if ((emitted.shuffles > 0) != shuffle)
        return shuffle ? "no shuffle" : "shuffles, which are not needed";
    if (gpu->conversion_count > 1)
        return "more than one conversion";
    return NULL;
}

static void check_pair(struct state *s, uint64_t seed, int *seen)
{
    arena_init(&s->arena, allocator_default, &s->out_of_memory);
    if (setjmp(s->out_of_memory))
        fail_msg("out of memory");
    diagnostics_init(&s->diagnostics, &s->arena);
    s->random = seed;
    s->bits = 1 + below(s, 8);
    const struct ir_layout *from = random_layout(s), *to = random_layout(s);
    generate_pair(s, from, to);
    struct ir_kernel kernel = {.func = s->b.func};
    struct gpu_options options = {.verify_each = true};
    struct gpu_kernel *gpu = gpu_lower(&kernel, NULL, &options, &s->arena, &s->diagnostics);
    const char *why = gpu ? check(s, gpu, 0) : "it does not compile";
    if (!why)
        why = check_mechanism(s, gpu, from, to, seen);
    if (why) {
        show(s, kernel.func);
        if (gpu)
            show(s, gpu->func);
        fail_msg("pair %llu: %s", (unsigned long long)seed, why);
    }
    arena_free(&s->arena);
}

static void test_cheapest(void **unused)
{
    int seen[4] = {0};
    (void)unused;
    struct state *s = calloc(1, sizeof *s);
    for (uint64_t seed = 1; seed <= 1000; seed++)
        check_pair(s, seed, seen);
    free(s);
    for (int i = LAYOUT_REGISTERS; i <= LAYOUT_EXCHANGE; i++)
        assert_true(seen[i] > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_conversions),
                                       cmocka_unit_test(test_cheapest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
