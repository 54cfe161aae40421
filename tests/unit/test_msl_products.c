/*
 * Products on msl-host: random shapes, block sizes, SIMD-group grids, element types, operand
 * orders, epilogues, depths of pipelines, orders of programs, with passes switched off. Elements
 * are small integers, so that every order of additions gives the same bits, and each result is
 * known.
 *
 * MSL_PRODUCTS_SEEDS=n runs more cases, MSL_PRODUCTS_FIRST=n starts there.
 */
#include "base/half.h"
#include "../seeds.h"
#include "../skip.h"
#include "gpu_source.h"

enum { KERNELS = 16, MOST = 80 }; /* of one source; the longest side */

enum { NORMAL, TRANSPOSED };
enum { PLAIN, BIAS, RELU, RESIDUAL, SCALED, EPILOGUES };
enum { FLOAT, HALF, BFLOAT, TYPES };

static const char *const type_names[] = {"float", "half", "bfloat"};

struct product {
    uint64_t seed;
    int m, n, k, block_m, block_n, block_k;
    int groups, group_rows, stages, split, type, a, b, epilogue, swizzle;
    bool device, pointers, twice;
    const char *off[3]; /* passes that are switched off */
    int off_count, threads;
    char name[16];
};

struct arrays {
    float real[5][MOST * MOST]; /* A, B, C, bias or residual, row scales */
    uint16_t narrow[5][MOST * MOST];
};

struct batch {
    struct gpu_source source;
    struct text text;
    struct product products[KERNELS];
    int count;
    int64_t shared_bytes;
};

static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static int below(uint64_t *state, int count)
{
    return (int)(draw(state) % (uint64_t)count);
}

/* Mostly what instructions do; at times a side that they do not. */
static int block(uint64_t *state, int most_bits)
{
    return below(state, 16) == 0 ? 4 + below(state, 9) : 8 << below(state, most_bits - 2);
}

static struct product choose(uint64_t seed)
{
    static const char *const passes[] = {
        "pad_shared_memory", "double_buffer_k_loop", "vectorize_loads", "serpentine_mma",
        "preload_mma_tiles", "block_swizzle",        "split_k"};
    uint64_t s = seed * 977 + 5;
    struct product p = {.seed = seed};
    p.m = 1 + below(&s, MOST);
    p.n = 1 + below(&s, MOST);
    p.k = below(&s, 12) ? 1 + below(&s, MOST) : 0;
    p.block_m = block(&s, 5);
    p.block_n = block(&s, 5);
    p.block_k = below(&s, 6) ? block(&s, 5) : 8 + 8 * below(&s, 7);
    p.groups = 1 << below(&s, 4);
    p.group_rows = below(&s, 2) ? 0 : 1 << below(&s, 3);
    p.stages = 1 + below(&s, 4);
    p.split = below(&s, 3) ? 1 : 1 << below(&s, 3);
    p.split = p.split < p.groups ? p.split : p.groups;
    p.type = below(&s, TYPES);
    p.a = below(&s, 3) == 0;
    p.b = below(&s, 3) == 0;
    p.epilogue = below(&s, EPILOGUES);
    p.swizzle = below(&s, 5);
    p.device = below(&s, 4) == 0;
    p.pointers = below(&s, 4) == 0;
    p.twice = below(&s, 8) == 0;
    p.off_count = below(&s, 4);
    for (int i = 0; i < p.off_count; i++)
        p.off[i] = passes[below(&s, 7)];
    return p;
}

/* ---- the kernel ------------------------------------------------------------------------------ */

static void write_loads(struct text *text, const struct product *p)
{
    if (p->pointers) {
        text_format(text,
                    "        T x = load(A + expand_dims(i, 1) * %s + expand_dims(k + l, 0) * %s,"
                    " expand_dims(i, 1) < M && expand_dims(k + l, 0) < K);\n",
                    p->a ? "1" : "K", p->a ? "M" : "1");
        text_format(text,
                    "        T y = load(B + expand_dims(k + l, 1) * %s + expand_dims(j, 0) * %s,"
                    " expand_dims(k + l, 1) < K && expand_dims(j, 0) < N);\n",
                    p->b ? "1" : "N", p->b ? "K" : "1");
        return;
    }
    text_string(text, p->a ? "        T x = trans(tile_load(view(A, K, M), k, m, BK, BM));\n"
                           : "        T x = tile_load(view(A, M, K), m, k, BM, BK);\n");
    text_string(text, p->b ? "        T y = trans(tile_load(view(B, N, K), n, k, BN, BK));\n"
                           : "        T y = tile_load(view(B, K, N), k, n, BK, BN);\n");
}

static const char *write_kernel(struct arena *arena, const struct product *p)
{
    static const char *const epilogues[] = {
        "", "    acc += expand_dims((float)tile_load(view(D, N), n, BN), 0);\n",
        "    acc = maximum(acc, 0.0f);\n",
        "    acc = 2.0f * acc - (float)tile_load(view(D, M, N), m, n, BM, BN);\n",
        "    acc = acc * expand_dims(tile_load(view(Row, M), m, BM), 1);\n"};
    struct text text;
    text_init(&text, arena);
    text_format(&text,
                "#include <tilec/kernel.h>\nlaunch_grid(%s, cdiv(M, BM), cdiv(N, BN));\n"
                "kernel void %s(const T *restrict A, const T *restrict B, T *restrict C,\n"
                "    const T *restrict D, const float *restrict Row, int M, int N, int K)\n{\n"
                "    int m = program_id(0) * BM, n = program_id(1) * BN;\n"
                "    int i = m + arange(0, BM), j = n + arange(0, BN), l = arange(0, BK);\n"
                "    float acc = zeros(float, BM, BN);\n"
                "    for (int k = 0; k < K; k += BK) {\n",
                p->name, p->name);
    write_loads(&text, p);
    text_string(&text, p->twice      ? "        acc = dot(x, y, dot(x, y, acc));\n    }\n"
                       : p->pointers ? "        acc += dot(x, y);\n    }\n"
                                     : "        acc = dot(x, y, acc);\n    }\n");
    text_string(&text, epilogues[p->epilogue]);
    text_string(&text, "    tile_store(view(C, M, N), m, n, acc);\n}\n");
    return text.items;
}

static bool has_instruction(const struct product *p)
{
    int sides[] = {p->block_m, p->block_n, p->block_k};
    for (int i = 0; i < 2; i++) {
        if (sides[i] < 8 || (sides[i] & (sides[i] - 1)))
            return false;
    }
    return sides[2] % 8 == 0;
}

static struct gpu_kernel *lower(struct batch *b, struct product *p)
{
    struct gpu_source *s = &b->source;
    struct arena *arena = &s->arena;
    struct gpu_choices choices = {.constants = {{"T", type_names[p->type]}}};
    const char *names[] = {"BM", "BN", "BK"};
    int sizes[] = {p->block_m, p->block_n, p->block_k};
    for (int i = 0; i < 3; i++) {
        choices.constants[1 + i][0] = names[i];
        choices.constants[1 + i][1] = arena_format(arena, "%d", sizes[i]);
    }
    struct ir_kernel *made = gpu_source_lower(s, write_kernel(arena, p), NULL, &choices);
    if (!made)
        gpu_source_fail(s, arena_format(arena, "case %d: the front end refuses", (int)p->seed));
    struct gpu_plan *plan = plan_gpu(made, &gpu_target_msl, false, arena, &s->diagnostics);
    if (!plan)
        gpu_source_fail(s, "no plan");
    assert_int_equal(plan->backend == GPU_BACKEND_SIMDGROUP, has_instruction(p));
    if (has_instruction(p)) {
        plan->groups = p->groups;
        plan->threads = p->groups * GPU_LANES;
        plan->group_rows = p->group_rows < p->groups ? p->group_rows : p->groups;
    }
    plan->stages = p->stages;
    plan->split = p->split;
    plan->staging = p->device ? GPU_STAGING_DEVICE : plan->staging;
    plan->swizzle = (enum gpu_swizzle)p->swizzle;
    struct gpu_options options = {.verify_each = true, .off = p->off, .off_count = p->off_count};
    struct gpu_kernel *gpu = gpu_lower(made, plan, &options, arena, &s->diagnostics);
    if (!gpu)
        gpu_source_fail(s, arena_format(arena, "case %d is refused", (int)p->seed));
    bool staged = has_instruction(p) && gpu->plan->staging == GPU_STAGING_THREADGROUP;
    assert_int_equal(gpu->pipeline_count > 0, staged);
    return gpu;
}

/* ---- elements -------------------------------------------------------------------------------- */

static uint16_t narrow(const struct product *p, float value)
{
    uint32_t bits;
    if (p->type == HALF)
        return half_from_double(value);
    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static void fill(const struct product *p, struct arrays *a)
{
    uint64_t s = p->seed;
    for (int i = 0; i < 5; i++) {
        for (int k = 0; k < MOST * MOST; k++) {
            a->real[i][k] = i == 2 ? 99.0f : (float)(below(&s, 7) - 3);
            a->narrow[i][k] = narrow(p, a->real[i][k]);
        }
    }
}

static float wanted(const struct product *p, const struct arrays *a, int i, int j)
{
    float sum = 0;
    for (int k = 0; k < p->k; k++)
        sum += a->real[0][p->a ? k * p->m + i : i * p->k + k] *
               a->real[1][p->b ? j * p->k + k : k * p->n + j];
    sum = p->twice ? 2 * sum : sum;
    switch (p->epilogue) {
    case BIAS:
        return sum + a->real[3][j];
    case RELU:
        return sum > 0 ? sum : 0;
    case RESIDUAL:
        return 2 * sum - a->real[3][i * p->n + j];
    case SCALED:
        return sum * a->real[4][i];
    default:
        return sum;
    }
}

static void check(const struct product *p, const struct arrays *before, const struct arrays *after)
{
    for (int k = 0; k < MOST * MOST; k++) {
        bool inside = k < p->m * p->n;
        float value = inside ? wanted(p, before, k / p->n, k % p->n) : 99.0f;
        bool equal = p->type == FLOAT ? after->real[2][k] == value
                     : value == 0     ? !(after->narrow[2][k] & 0x7fff)
                                      : after->narrow[2][k] == narrow(p, value);
        if (!equal)
            fail_msg("case %d: element %d is wrong, %g wanted", (int)p->seed, k, (double)value);
    }
}

/* ---- running --------------------------------------------------------------------------------- */

static void run(struct batch *b, struct msl_host_program *program, struct product *p)
{
    struct arrays *before = malloc(sizeof *before), *after = malloc(sizeof *after);
    size_t bytes[] = {(size_t)(p->m * p->k), (size_t)(p->k * p->n), (size_t)(p->m * p->n),
                      p->epilogue == RESIDUAL ? (size_t)(p->m * p->n) : (size_t)p->n};
    struct msl_host_buffer buffers[8];
    fill(p, before);
    *after = *before;
    for (int i = 0; i < 4; i++) {
        bool wide = p->type == FLOAT;
        buffers[i].data = wide ? (void *)after->real[i] : (void *)after->narrow[i];
        buffers[i].size = bytes[i] * (wide ? 4 : 2);
    }
    buffers[4] = (struct msl_host_buffer){after->real[4], (size_t)p->m * 4};
    buffers[5] = (struct msl_host_buffer){&p->m, 4};
    buffers[6] = (struct msl_host_buffer){&p->n, 4};
    buffers[7] = (struct msl_host_buffer){&p->k, 4};
    struct msl_host_launch launch = {
        .kernel = p->name,
        .groups = {(uint32_t)((p->m + p->block_m - 1) / p->block_m),
                   (uint32_t)((p->n + p->block_n - 1) / p->block_n), 1},
        .threads = {(uint32_t)p->threads, 1, 1},
        .buffers = buffers,
        .buffer_count = 8,
        .order = p->seed % 5,
    };
    if (!msl_host_run(program, &launch, &b->source.diagnostics))
        gpu_source_fail(&b->source,
                        arena_format(&b->source.arena, "case %d: msl-host finds", (int)p->seed));
    check(p, before, after);
    free(before);
    free(after);
}

static void run_batch(struct batch *b)
{
    if (b->count == 0)
        return;
    struct msl_host_program *program =
        msl_host_compile(b->text.items, b->text.count, true, NULL, &b->source.diagnostics);
    if (!program)
        gpu_source_fail(&b->source, "the source does not compile");
    for (int i = 0; i < b->count; i++)
        run(b, program, &b->products[i]);
    msl_host_free(program);
    b->count = 0;
    b->shared_bytes = 0;
    text_init(&b->text, &b->source.arena);
}

static void add(struct batch *b, uint64_t seed)
{
    struct product p = choose(seed);
    struct text text;
    snprintf(p.name, sizeof p.name, "p%d", (int)seed);
    struct gpu_kernel *gpu = lower(b, &p);
    text_init(&text, &b->source.arena);
    if (!emit_kernel(gpu, &emit_msl, &text, &b->source.diagnostics))
        gpu_source_fail(&b->source, "it cannot be emitted");
    if (b->count == KERNELS || b->shared_bytes + gpu->shared_bytes > MSL_HOST_SHARED_BYTES)
        run_batch(b);
    p.threads = gpu->threads;
    b->shared_bytes += gpu->shared_bytes;
    gpu_source_append(&b->text, text.items, (int)seed);
    b->products[b->count++] = p;
}

static void products_are_right(void **unused)
{
    (void)unused;
    struct seeds seeds = seeds_of("MSL_PRODUCTS", 300);
    uint64_t from, count;
    if (!msl_host_available())
        SKIP(SKIP_WITHOUT_CLANG);
    struct batch *b = calloc(1, sizeof *b);
    while ((count = seeds_take(&seeds, 50, &from))) {
        arena_init(&b->source.arena, allocator_default, &b->source.out_of_memory);
        if (setjmp(b->source.out_of_memory))
            fail_msg("out of memory");
        diagnostics_init(&b->source.diagnostics, &b->source.arena);
        text_init(&b->text, &b->source.arena);
        for (uint64_t i = 0; i < count; i++)
            add(b, from + i);
        run_batch(b);
        arena_free(&b->source.arena);
    }
    free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(products_are_right)};
    return RUN_TESTS(tests, NULL, NULL);
}
