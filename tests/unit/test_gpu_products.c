/*
 * Products by the matrix instructions of GPUs that are not here, as GPU IR: who holds what of their
 * fragments is what NVIDIA's manual says, and random products run on the machine for tests
 * (gpu_machine.h), which finds races and threads that do not meet. Elements are small integers, so
 * that results are exact.
 */
#include "base/half.h"
#include "gpu/pipeline.h"
#include "gpu_machine.h"
#include "gpu_source.h"

#include <math.h>

/* ---- the manual ------------------------------------------------------------------------------ */

/* PTX ISA, "Matrix Fragments for mma": row and column of element i of a lane. */
static void a_16x16(int lane, int i, int *row, int *column)
{
    *row = lane / 4 + (i % 4 >= 2 ? 8 : 0);
    *column = lane % 4 * 2 + (i & 1) + (i >= 4 ? 8 : 0);
}

static void b_16x8(int lane, int i, int *row, int *column)
{
    *row = lane % 4 * 2 + (i & 1) + (i >= 2 ? 8 : 0);
    *column = lane / 4;
}

static void c_16x8(int lane, int i, int *row, int *column)
{
    *row = lane / 4 + (i >= 2 ? 8 : 0);
    *column = lane % 4 * 2 + (i & 1);
}

static void a_16x32(int lane, int i, int *row, int *column)
{
    *row = lane / 4 + ((i >= 4 && i < 8) || i >= 12 ? 8 : 0);
    *column = lane % 4 * 4 + (i & 3) + (i >= 8 ? 16 : 0);
}

static void b_32x8(int lane, int i, int *row, int *column)
{
    *row = lane % 4 * 4 + (i & 3) + (i >= 4 ? 16 : 0);
    *column = lane / 4;
}

static void a_16x8(int lane, int i, int *row, int *column)
{
    *row = lane / 4 + (i == 1 || i == 3 ? 8 : 0);
    *column = lane % 4 + (i >= 2 ? 4 : 0);
}

static void b_8x8(int lane, int i, int *row, int *column)
{
    *row = lane % 4 + (i == 1 ? 4 : 0);
    *column = lane / 4;
}

/* How Apple's GPUs place thread_elements(). */
static void simdgroup(int lane, int i, int *row, int *column)
{
    *row = (lane / 16) * 4 + lane / 2 % 4;
    *column = (lane / 8 % 2) * 4 + lane % 2 * 2 + i;
}

typedef void place_function(int lane, int i, int *row, int *column);

static void check_fragment(const char *name, const struct gpu_fragment *f, place_function *manual)
{
    for (int lane = 0; lane < GPU_LANES; lane++) {
        for (int i = 0; i < 1 << f->register_bits; i++) {
            int row, column, manual_row, manual_column;
            machine_place(f, lane, i, &row, &column);
            manual(lane, i, &manual_row, &manual_column);
            if (row != manual_row || column != manual_column)
                fail_msg("%s, lane %d, element %d: [%d, %d] instead of [%d, %d]", name, lane, i,
                         row, column, manual_row, manual_column);
        }
    }
}

static void fragments_are_those_of_the_manuals(void **unused)
{
    static const struct {
        const char *name;
        place_function *a, *b, *c;
    } manual[] = {
        {"simdgroup 8x8x8 half", simdgroup, simdgroup, simdgroup},
        {"simdgroup 8x8x8 float", simdgroup, simdgroup, simdgroup},
        {"mma 16x8x16 half", a_16x16, b_16x8, c_16x8},
        {"mma 16x8x16 bfloat", a_16x16, b_16x8, c_16x8},
        {"mma 16x8x32 int8", a_16x32, b_32x8, c_16x8},
        {"mma 16x8x8 tf32", a_16x8, b_8x8, c_16x8},
        {"wgmma 64xNx16 half", a_16x16, b_16x8, c_16x8}, /* of the sums, each SIMD group's rows */
        {"wgmma 64xNx16 bfloat", a_16x16, b_16x8, c_16x8},
    };
    const struct gpu_instruction *i;
    (void)unused;
    for (size_t n = 0; (i = gpu_instruction(n)); n++) {
        size_t k = 0;
        if (i->backend == GPU_BACKEND_FMA) /* no instruction of a manual: chosen here */
            continue;
        while (strcmp(manual[k].name, i->name) != 0)
            assert_true(++k < sizeof manual / sizeof *manual);
        check_fragment(i->name, &i->a, manual[k].a);
        check_fragment(i->name, &i->b, manual[k].b);
        check_fragment(i->name, &i->c, manual[k].c);
    }
}

/* ---- products -------------------------------------------------------------------------------- */

enum { SIDE = 72, MOST = 128 };
enum { FLOAT, HALF, BFLOAT, INT8, TYPES };

struct problem {
    int m, n, k, type, groups, stages, split, transposed_a, transposed_b;
    int turns; /* over K */
    bool device, fma; /* operands from device memory; threads multiply floats alone */
    bool uneven;      /* the inner axis of tiles is no power of two */
    bool aligned;     /* the sizes are multiples of 16, which the plan knows */
    bool large;       /* tiles of 64 x 64, not 32 x 32 */
    int block_m, block_n, block_k; /* of tiles that teams may multiply; 0: as above */
    bool short_arrays;
};

static const char source[] =
    "#include <tilec/kernel.h>\n"
    "launch_grid(f, cdiv(M, BM), cdiv(N, BN));\n"
    "#if FMA\n"
    "require(f, backend = fma);\n"
    "#endif\n"
    "kernel void f(const T *restrict A, const T *restrict B, S *restrict C, int M, int N, int K)\n"
    "{\n"
    "    int m = program_id(0) * BM, n = program_id(1) * BN;\n"
    "    S acc = zeros(S, BM, BN);\n"
    "    for (int turn = 0; turn < TURNS; turn++)\n"
    "    for (int k = 0; k < K; k += BK) {\n"
    "#if TA\n"
    "        auto x = trans(tile_load(view(A, K, M), k, m, BK, BM));\n"
    "#else\n"
    "        auto x = tile_load(view(A, M, K), m, k, BM, BK);\n"
    "#endif\n"
    "#if TB\n"
    "        auto y = trans(tile_load(view(B, N, K), n, k, BN, BK));\n"
    "#else\n"
    "        auto y = tile_load(view(B, K, N), k, n, BK, BN);\n"
    "#endif\n"
    "        acc = dot(x, y, acc);\n"
    "    }\n"
    "    tile_store(view(C, M, N), m, n, acc + acc);\n"
    "}\n";

static const struct {
    const char *name, *sum;
    int bytes;
    const char *block_k, *uneven_k;
} types[] = {{"float", "float", 4, "16", "24"},
             {"half", "float", 2, "32", "48"},
             {"bfloat", "float", 2, "16", "80"},
             {"int8_t", "int", 1, "32", "96"}};

static int element(int which, int i)
{
    return which ? i * 5 % 11 - 5 : i * 3 % 7 - 3;
}

static void put(const struct problem *p, unsigned char *at, int value)
{
    float real = (float)value;
    uint32_t bits;
    memcpy(&bits, &real, sizeof bits);
    uint16_t narrow = p->type == HALF ? half_from_double(value) : (uint16_t)(bits >> 16);
    if (p->type == FLOAT)
        memcpy(at, &real, 4);
    else if (p->type == INT8)
        *(int8_t *)at = (int8_t)value;
    else
        memcpy(at, &narrow, 2);
}

static void check(const struct problem *p, const unsigned char *c)
{
    for (int i = 0; i < p->m * p->n; i++) {
        int sum = 0, row = i / p->n, column = i % p->n, is;
        float real;
        for (int k = 0; k < p->k; k++)
            sum += element(0, p->transposed_a ? k * p->m + row : row * p->k + k) *
                   element(1, p->transposed_b ? column * p->k + k : k * p->n + column);
        memcpy(&real, c + 4 * i, 4);
        memcpy(&is, c + 4 * i, 4);
        is = p->type == INT8 ? is : (int)real;
        sum *= p->turns > 1 ? 2 : 1;
        if (is != 2 * sum)
            fail_msg("%s, %dx%dx%d, %d groups: [%d, %d] is %d, not %d", types[p->type].name, p->m,
                     p->n, p->k, p->groups, row, column, is, 2 * sum);
    }
}

static const char *number(struct gpu_source *s, int value)
{
    return arena_format(&s->arena, "%d", value);
}

static struct gpu_kernel *lower(struct gpu_source *s, const struct problem *p,
                                const struct gpu_target *target)
{
    struct gpu_choices choices = {.constants = {{"T", types[p->type].name},
                                                {"S", types[p->type].sum},
                                                {"BM", p->block_m ? number(s, p->block_m)
                                                       : p->large ? "64"
                                                                  : "32"},
                                                {"BN", p->block_n ? number(s, p->block_n)
                                                       : p->large ? "64"
                                                                  : "32"},
                                                {"BK", p->block_k  ? number(s, p->block_k)
                                                       : p->uneven ? types[p->type].uneven_k
                                                                   : types[p->type].block_k},
                                                {"TA", p->transposed_a ? "1" : "0"},
                                                {"TB", p->transposed_b ? "1" : "0"},
                                                {"FMA", p->fma ? "1" : "0"},
                                                {"TURNS", p->turns > 1 ? "2" : "1"}}};
    struct gpu_options options = {.verify_each = true};
    struct ir_kernel *made = gpu_source_lower(s, source, NULL, &choices);
    struct gpu_plan *plan = made ? plan_gpu(made, target, true, &s->arena, &s->diagnostics) : NULL;
    if (!plan)
        gpu_source_fail(s, "no plan");
    bool plain = target->matrices == GPU_BACKEND_SIMDGROUP && p->type == INT8;
    assert_int_equal(plan->backend, p->fma  ? GPU_BACKEND_FMA
                                    : plain ? GPU_BACKEND_ELEMENTWISE
                                            : target->matrices);
    plan->groups = p->groups;
    plan->threads = p->groups * GPU_LANES;
    plan->stages = p->stages;
    plan->split = p->split;
    plan->staging = p->device ? GPU_STAGING_DEVICE : plan->staging;
    plan->aligned = p->aligned ? UINT64_MAX : 0;
    plan->short_arrays = p->short_arrays;
    struct gpu_kernel *gpu = gpu_lower(made, plan, &options, &s->arena, &s->diagnostics);
    if (!gpu)
        gpu_source_fail(s, "it is refused");
    return gpu;
}

static int swizzled; /* buffers so far */
/* Of pipelines so far: copies that were asynchronous, operands that were turned behind them, and
 * products of teams. */
static int async, turned, teams;

static void run(const struct problem *p, const struct gpu_target *target)
{
    struct gpu_source s;
    static _Alignas(16) unsigned char a[MOST * MOST * 4], b[MOST * MOST * 4], c[MOST * MOST * 4];
    struct machine machine;
    int bytes = types[p->type].bytes;
    arena_init(&s.arena, allocator_default, &s.out_of_memory);
    if (setjmp(s.out_of_memory))
        fail_msg("out of memory");
    diagnostics_init(&s.diagnostics, &s.arena);
    struct gpu_kernel *gpu = lower(&s, p, target);
    for (int i = 0; i < MOST * MOST; i++) {
        put(p, a + i * bytes, element(0, i));
        put(p, b + i * bytes, element(1, i));
    }
    struct machine_argument arguments[] = {{.data = a, .bytes = p->m * p->k * bytes},
                                           {.data = b, .bytes = p->k * p->n * bytes},
                                           {.data = c, .bytes = p->m * p->n * 4},
                                           {.bits = (uint64_t)p->m},
                                           {.bits = (uint64_t)p->n},
                                           {.bits = (uint64_t)p->k}};
    int side = p->large ? 64 : 32, bm = p->block_m ? p->block_m : side,
        bn = p->block_n ? p->block_n : side;
    const int64_t grid[] = {(p->m + bm - 1) / bm, (p->n + bn - 1) / bn, 1};
    const char *fault = machine_run(&machine, gpu, arguments, grid);
    if (fault)
        fail_msg("%s, %dx%dx%d: %s", types[p->type].name, p->m, p->n, p->k, fault);
    check(p, c);
    const struct gpu_pipeline *pipeline = gpu->pipeline_count > 0 ? gpu->pipelines[0] : NULL;
    async += pipeline && pipeline->mechanism == GPU_MECHANISM_ASYNC;
    teams += pipeline && pipeline->starts;
    turned += pipeline && pipeline->buffer_count > 2;
    for (int i = 0; pipeline && i < pipeline->buffer_count; i++)
        swizzled += pipeline->buffers[i].swizzled;
    arena_free(&s.arena);
}

static void products_are_right(void **unused)
{
    struct gpu_target mma = gpu_target_msl;
    (void)unused;
    mma.name = "mma";
    mma.matrices = GPU_BACKEND_MMA;
    mma.shared_bytes = 65536;
    for (int i = 0; i < 48; i++) {
        struct problem p = {.m = 1 + i * 13 % SIDE,
                            .n = 1 + i * 29 % SIDE,
                            .k = i % 9 ? 1 + i * 37 % SIDE : 0,
                            .type = i % TYPES,
                            .groups = 1 << i / 4 % 4,
                            .stages = 1 + i / 3 % 3,
                            .split = 1,
                            .transposed_a = i / 5 % 2,
                            .transposed_b = i / 7 % 2,
                            .device = i % 6 == 5,
                            .uneven = i % 5 == 2};
        p.split = i % 4 == 1 && p.groups > 1 ? 2 : 1;
        run(&p, &mma);
        run(&p, &gpu_target_msl);
        p.type = FLOAT;
        p.fma = true;
        p.split = p.groups > 2 ? 4 : p.groups;
        run(&p, &mma);
        p.uneven = !p.uneven;
        p.split = p.groups > 1 ? 2 : 1;
        run(&p, &gpu_target_msl);
    }
    assert_int_equal(async, 0);
    mma.async_copies = true;
    mma.packed_vectors = false;
    for (int i = 0; i < 48; i++) {
        struct problem p = {.m = 16 * (1 + i * 13 % 4),
                            .n = 16 * (1 + i * 29 % 4),
                            .k = 16 * (i * 37 % 5),
                            .type = i % TYPES,
                            .groups = 1 << i / 4 % 4,
                            .stages = 1 + i / 3 % 4,
                            .split = 1,
                            .transposed_a = i / 5 % 2,
                            .transposed_b = i / 7 % 2,
                            .turns = 1 + i % 4 / 3,
                            .aligned = i % 8 < 7};
        mma.vector_elements = 4 << i / 4 % 3;
        run(&p, &mma);
        p.type = FLOAT;
        p.fma = true;
        run(&p, &mma);
        p.large = true;
        p.groups = 1 << i % 2;
        run(&p, &mma);
    }
    assert_true(async >= 12);
    assert_true(swizzled >= 12);
    assert_true(turned >= 3);
}

/* ---- loops that are fed ---------------------------------------------------------------------- */

enum { HEAD = 64, MOST_KEYS = 200, MOST_ROWS = 130 };

static char wrong[512];

struct trips {
    int block_m, block_n, rows, keys, causal, stages, groups; /* groups: 0: as planned */
    bool teams, aligned;
};

static double half_at(const uint16_t *data, int i)
{
    return half_to_float(data[i]);
}

/* kernels/attention.tile.c for one head; whether the result is right. */
static bool attend(const struct trips *t, const uint16_t *q, const uint16_t *k, const uint16_t *v,
                   const uint16_t *out)
{
    double weight[MOST_KEYS];
    for (int i = 0; i < t->rows; i++) {
        double total = 0, top = -INFINITY;
        int seen =
            t->causal && i + t->keys - t->rows + 1 < t->keys ? i + t->keys - t->rows + 1 : t->keys;
        for (int j = 0; j < seen; j++) {
            weight[j] = 0;
            for (int d = 0; d < HEAD; d++)
                weight[j] += 0.125 * half_at(q, i * HEAD + d) * half_at(k, j * HEAD + d);
            top = fmax(top, weight[j]);
        }
        for (int j = 0; j < seen; j++)
            total += weight[j] = exp(weight[j] - top);
        for (int d = 0; d < HEAD; d++) {
            double sum = 0, is = half_at(out, i * HEAD + d);
            for (int j = 0; j < seen; j++)
                sum += weight[j] / total * half_at(v, j * HEAD + d);
            if (!(fabs(is - sum) <= 4e-3 * (1 + fabs(sum)))) {
                snprintf(wrong, sizeof wrong, "[%d, %d] is %g, not %g", i, d, is, sum);
                return false;
            }
        }
    }
    return true;
}

/* Leaves a phase out, unproved, where there is such a number. */
static bool leave_out(void *user, struct gpu_pipeline *p)
{
    int without = *(const int *)user;
    if (without < 0 || without >= p->phase_count)
        return true;
    for (int i = without; i + 1 < p->phase_count; i++)
        p->phases[i] = p->phases[i + 1];
    p->phase_count--;
    return false;
}

static int fed_async, fed_teams, fed_phases;

/* What is wrong with the result, or a fault; NULL: nothing. without: a phase that is left out, or
 * -1. */
static const char *run_trips(const struct trips *t, int without)
{
    struct gpu_source s;
    static _Alignas(16) uint16_t q[MOST_ROWS * HEAD], k[MOST_KEYS * HEAD], v[MOST_KEYS * HEAD],
        out[MOST_ROWS * HEAD];
    struct machine machine;
    arena_init(&s.arena, allocator_default, &s.out_of_memory);
    if (setjmp(s.out_of_memory))
        fail_msg("out of memory");
    diagnostics_init(&s.diagnostics, &s.arena);
    struct gpu_choices choices = {.constants = {{"T", "half"},
                                                {"D", "64"},
                                                {"BLOCK_M", number(&s, t->block_m)},
                                                {"BLOCK_N", number(&s, t->block_n)}}};
    struct gpu_options options = {
        .verify_each = without < 0, .on_pipeline = leave_out, .user = &without};
    struct ir_kernel *made =
        gpu_source_lower(&s, gpu_source_read(&s, "kernels/attention.tile.c"), NULL, &choices);
    struct gpu_target target = *gpu_target_cuda(t->teams ? "sm_90a" : "sm_80");
    struct gpu_plan *plan = made ? plan_gpu(made, &target, false, &s.arena, &s.diagnostics) : NULL;
    if (!plan)
        gpu_source_fail(&s, "no plan");
    plan->stages = t->stages;
    plan->aligned = t->aligned ? 0xf : 0; /* arrays */
    if (t->groups) {
        plan->groups = t->groups;
        plan->threads = t->groups * GPU_LANES;
    }
    struct gpu_kernel *gpu = gpu_lower(made, plan, &options, &s.arena, &s.diagnostics);
    if (!gpu)
        gpu_source_fail(&s, "it is refused");
    for (int i = 0; i < MOST_KEYS * HEAD; i++) {
        k[i] = half_from_double((i * 37 % 101 - 50) / 25.0);
        v[i] = half_from_double((i * 53 % 97 - 48) / 24.0);
    }
    for (int i = 0; i < MOST_ROWS * HEAD; i++) {
        q[i] = half_from_double((i * 29 % 103 - 51) / 25.0);
        out[i] = 0x7e00; /* NaN */
    }
    float scale = 0.125;
    uint32_t bits;
    memcpy(&bits, &scale, sizeof bits);
    struct machine_argument arguments[] = {{.data = q, .bytes = t->rows * HEAD * 2},
                                           {.data = k, .bytes = t->keys * HEAD * 2},
                                           {.data = v, .bytes = t->keys * HEAD * 2},
                                           {.data = out, .bytes = t->rows * HEAD * 2},
                                           {.bits = 1},
                                           {.bits = (uint64_t)t->rows},
                                           {.bits = (uint64_t)t->keys},
                                           {.bits = bits},
                                           {.bits = (uint64_t)t->causal}};
    const int64_t grid[] = {(t->rows + t->block_m - 1) / t->block_m, 1, 1};
    const char *fault = machine_run(&machine, gpu, arguments, grid);
    if (fault)
        snprintf(wrong, sizeof wrong, "%s", fault);
    bool right = !fault && attend(t, q, k, v, out);
    const struct gpu_pipeline *pipeline = gpu->pipeline_count > 0 ? gpu->pipelines[0] : NULL;
    fed_async += pipeline && pipeline->mechanism == GPU_MECHANISM_ASYNC;
    fed_teams += pipeline && pipeline->buffers[0].panel > 0;
    fed_phases = pipeline ? pipeline->phase_count : 0;
    arena_free(&s.arena);
    return right ? NULL : wrong;
}

static void expect_right(const struct trips *t)
{
    const char *fault = run_trips(t, -1);
    if (fault)
        fail_msg("%d x %d, %d rows, %d keys: %s", t->block_m, t->block_n, t->rows, t->keys, fault);
}

static void trips_of_fed_loops_are_right(void **unused)
{
    (void)unused;
    for (int i = 0; i < 12; i++) {
        struct trips t = {.block_m = 16 << i % 3,
                          .block_n = 16 << i % 2,
                          .rows = 1 + i * 37 % 90,
                          .keys = 1 + i * 61 % 130,
                          .causal = i / 2 % 2,
                          .stages = 1 + i % 4,
                          .groups = i % 5 == 4 ? 2 : 0,
                          .aligned = i % 6 != 5};
        expect_right(&t);
    }
    assert_true(fed_async >= 6);
    for (int i = 0; i < 6; i++) {
        struct trips t = {.block_m = i == 3 ? 128 : 64,
                          .block_n = i == 2 ? 128 : 64,
                          .rows = 1 + i * 37 % 130,
                          .keys = 64 + i * 61 % 130,
                          .causal = i % 2,
                          .stages = 2 + i % 3,
                          .groups = i == 5 ? 8 : 0,
                          .teams = true,
                          .aligned = true};
        expect_right(&t);
    }
    assert_true(fed_teams >= 4);
}

/* Each phase of the pipeline is needed: without it there is a race, or the result is wrong. */
static void phases_of_fed_loops_are_needed(void **unused)
{
    (void)unused;
    for (int team = 0; team < 2; team++) {
        for (int stages = 2; stages < 5; stages++) {
            struct trips t = {.block_m = team ? 64 : 16,
                              .block_n = team ? 64 : 32,
                              .rows = 16,
                              .keys = 200,
                              .stages = stages,
                              .teams = team,
                              .aligned = true};
            expect_right(&t);
            int phases = fed_phases;
            assert_true(phases >= 5);
            for (int i = 0; i < phases; i++) {
                if (!run_trips(&t, i))
                    fail_msg("%d stages: nothing is wrong without phase %d", stages, i);
            }
        }
    }
}

/* Teams of four SIMD groups: all shapes of teams and panels, both orders of both operands, all
 * numbers of stages; and what they have no instruction for. */
static void products_of_teams_are_right(void **unused)
{
    static const int shapes[][4] = {/* block, and SIMD groups */
                                    {64, 64, 32, 4},   {64, 128, 64, 4},  {128, 64, 64, 4},
                                    {128, 128, 32, 8}, {64, 128, 128, 8}, {128, 64, 32, 8},
#ifndef TILEC_TINY_LIMITS /* more operations of a thread than are possible then */
                                    {64, 256, 32, 4},
#endif
                                    {64, 64, 128, 4},  {256, 64, 32, 16}, {64, 64, 64, 8},
                                    {64, 32, 64, 4}}; /* 32 columns: too few */
    enum { SHAPES = sizeof shapes / sizeof *shapes };
    struct gpu_target mma = gpu_target_msl;
    (void)unused;
    mma.name = "mma";
    mma.matrices = GPU_BACKEND_MMA;
    mma.shared_bytes = 227 << 10;
    mma.async_copies = mma.warpgroups = true;
    mma.packed_vectors = false;
    mma.vector_elements = 16;
    mma.vector_bytes = 16;
    teams = 0;
    for (int i = 0; i < 2 * SHAPES; i++) {
        const int *shape = shapes[i % SHAPES];
        struct problem p = {.m = 16 * (1 + i * 5 % 8),
                            .n = 16 * (1 + i * 3 % 8),
                            .k = i % 5 == 4 ? 0 : 16 * (1 + i * 7 % 8),
                            .type = 1 + i % 2,
                            .groups = shape[3],
                            .stages = 2 + i % 4,
                            .split = 1,
                            .transposed_a = i / 2 % 2,
                            .transposed_b = i / 4 % 2,
                            .turns = 1 + i % 7 / 6,
                            .aligned = true,
                            .short_arrays = i % 2,
                            .block_m = shape[0],
                            .block_n = shape[1],
                            .block_k = shape[2]};
        run(&p, &mma);
    }
    assert_int_equal(teams, 2 * SHAPES - 4);
    /* Memory for two stages of 64 x 64 x 32, and for one, which threads copy themselves. */
    for (int stages = 2; stages > 0; stages--) {
        struct problem p = {.m = 80, .n = 112, .k = 112, .type = HALF, .groups = 4, .stages = 4};
        p.split = p.turns = 1;
        p.aligned = true;
        p.block_m = p.block_n = 64;
        p.block_k = 32;
        mma.shared_bytes = stages * 8192;
        run(&p, &mma);
    }
    mma.shared_bytes = 227 << 10;
    assert_int_equal(teams, 2 * SHAPES - 2);
    teams -= 2;
    struct problem other = {.m = 64,
                            .n = 64,
                            .k = 64,
                            .type = HALF,
                            .groups = 4,
                            .stages = 3,
                            .split = 1,
                            .aligned = true,
                            .block_m = 64,
                            .block_n = 64,
                            .block_k = 48};
    run(&other, &mma); /* an inner axis that is no power of two */
    other.block_k = 32;
    other.aligned = false;
    run(&other, &mma); /* rows anywhere */
    other.aligned = true;
    other.split = 2;
    run(&other, &mma); /* groups that share the inner axis */
    other.split = 1;
    other.groups = 2;
    run(&other, &mma);
    other.groups = 4;
    other.block_m = 32;
    run(&other, &mma);
    other.block_m = 64;
    other.block_k = 16;
    run(&other, &mma);
    assert_int_equal(teams, 2 * SHAPES - 4);
}

/* ---- the verifier ---------------------------------------------------------------------------- */

#define BODY(text)                                                                                 \
    "func @k(%X: ptr<f32>) {\n"                                                                    \
    "  %a = shared {\"a\" 1024 padding 0 aligned} : ptr<f16, threadgroup>\n"                       \
    "  %b = shared {\"b\" 256 padding 0 aligned} : ptr<f16, threadgroup>\n"                        \
    "  %u = shared {\"u\" 1024 padding 0} : ptr<f16, threadgroup>\n"                               \
    "  %zero = constant {0.0} : f32\n"                                                             \
    "  %yes = constant {true} : bool\n"                                                            \
    "  %c = fragment_fill %zero : f32[16, 8]\n" text "  return\n}\n"
#define BEGIN "  warpgroup_begin\n"
#define MMA(result, a, sum)                                                                        \
    "  %" result " = warpgroup_mma {rows 16 panel 1024 columns 16 panel 256} %" a ", %b, %" sum    \
    " : f32[16, 8]\n"
#define COMMIT "  warpgroup_commit\n"
#define WAIT(result, sum) "  %" result " = warpgroup_wait {0} %" sum " : f32[16, 8]\n"
#define USE(fragment) "  %e = fragment_elements %" fragment " : f32[4]\n"
#define LOOP(body, next)                                                                           \
    "  %n = constant {4} : i64\n"                                                                  \
    "  %l = for %i = %n to %n step %n carry (%s = %c) : f32[16, 8] {\n" body "    yield %" next    \
    "\n  }\n"
#define LEFT "  %h = constant {0.0} : f16\n  %p = fragment_fill %h : f16[16, 16]\n"
#define HELD(matrix, left, sum)                                                                    \
    "  %d = warpgroup_mma {" matrix " columns 16 panel 256} %" left ", %b, %" sum " : f32[16, "    \
                                                                                  "8]\n"

static const struct {
    const char *text, *error; /* NULL: fine */
} broken[] = {
    {BODY(BEGIN MMA("d", "a", "c") COMMIT WAIT("e1", "d") USE("e1")), NULL},
    {BODY(BEGIN MMA("d", "a", "c") MMA("f", "a", "d") COMMIT WAIT("e1", "f") USE("e1")), NULL},
    {BODY(LOOP(BEGIN MMA("d", "a", "s") COMMIT, "d") WAIT("e1", "l") USE("e1")), NULL},
    {BODY(BEGIN MMA("d", "a", "c") COMMIT USE("d")), "nobody has waited for"},
    {BODY(LOOP(BEGIN MMA("d", "a", "s") COMMIT, "d") USE("l")), "nobody has waited for"},
    {BODY(LOOP(BEGIN MMA("d", "a", "s") COMMIT USE("s"), "d") WAIT("e1", "l")),
     "nobody has waited for"},
    {BODY(BEGIN MMA("d", "a", "c") COMMIT WAIT("e1", "d") USE("d")), "nobody has waited for"},
    {BODY(BEGIN MMA("d", "a", "c") MMA("f", "a", "d") MMA("g", "a", "d") COMMIT),
     "another op has taken"},
    {BODY(MMA("d", "a", "c") COMMIT), "behind no warpgroup_begin"},
    {BODY(BEGIN MMA("d", "a", "c") BEGIN COMMIT), "behind another one"},
    {BODY(BEGIN "  barrier {threadgroup}\n" MMA("d", "a", "c") COMMIT), "between products"},
    {BODY(BEGIN "  %f = fragment_fill %zero : f32[16, 8]\n" MMA("d", "a", "f") COMMIT),
     "between products"},
    {BODY(BEGIN MMA("d", "u", "c") COMMIT), "where swizzled rows may be"},
    {BODY(BEGIN "  %d = warpgroup_mma {rows 24 panel 1024 columns 16 panel 256} %a, %b, %c : "
                "f32[16, 8]\n" COMMIT),
     "there are no panels"},
    {BODY("  %d = warpgroup_wait {1} %c : f32[16, 8]\n"), "1 results"},
    /* a left operand in registers */
    {BODY(LEFT BEGIN HELD("rows 0 panel 0", "p", "c") COMMIT WAIT("e1", "d") USE("e1")), NULL},
    {BODY(LEFT BEGIN HELD("rows 16 panel 256", "p", "c") COMMIT WAIT("e1", "d")), "has no panels"},
    {BODY(BEGIN HELD("rows 0 panel 0", "c", "c") COMMIT WAIT("e1", "d")), "no fragment of 16 x 16"},
    {BODY(LEFT LOOP(BEGIN HELD("rows 0 panel 0", "p", "s") COMMIT, "d") WAIT("e1", "l")),
     "not made beside the product"},
};

static void check_text(size_t i)
{
    struct gpu_source s;
    arena_init(&s.arena, allocator_default, &s.out_of_memory);
    if (setjmp(s.out_of_memory))
        fail_msg("out of memory");
    diagnostics_init(&s.diagnostics, &s.arena);
    struct source_file file = {
        .name = "k.ir", .text = broken[i].text, .length = (uint32_t)strlen(broken[i].text)};
    bool fine = gpu_read(&s.arena, &s.diagnostics, &file) != NULL;
    const char *message = s.diagnostics.count > 0 ? s.diagnostics.items[0].message : "";
    if (fine != !broken[i].error || (!fine && !strstr(message, broken[i].error)))
        fail_msg("text %d: %s", (int)i, fine ? "accepted" : message);
    arena_free(&s.arena);
}

static void the_verifier_knows_teams(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++)
        check_text(i);
}

/* What is left of stages, sets of groups and staging in so much memory. */
struct room {
    int shared, stages, split;
    enum gpu_staging staging;
};

static void deep_tile_in(const struct room *room)
{
    struct gpu_choices choices = {.constants = {{"T", "half"}, {"S", "float"}, {"BM", "16"},
                                                {"BN", "16"}, {"BK", "64"}, {"TURNS", "1"}}};
    struct gpu_target mma = gpu_target_msl;
    struct gpu_source s;
    mma.name = "mma";
    mma.matrices = GPU_BACKEND_MMA;
    mma.deep_groups = 8;
    mma.shared_bytes = room->shared;
    arena_init(&s.arena, allocator_default, &s.out_of_memory);
    if (setjmp(s.out_of_memory))
        fail_msg("out of memory");
    diagnostics_init(&s.diagnostics, &s.arena);
    struct ir_kernel *made = gpu_source_lower(&s, source, NULL, &choices);
    struct gpu_plan *plan = made ? plan_gpu(made, &mma, false, &s.arena, &s.diagnostics) : NULL;
    struct gpu_kernel *gpu = plan ? gpu_lower(made, plan, NULL, &s.arena, &s.diagnostics) : NULL;
    if (!gpu)
        gpu_source_fail(&s, "it is refused");
    assert_int_equal(plan->split, 4);
    assert_int_equal(plan->swizzle, GPU_SWIZZLE_LINEAR);
    assert_int_equal(gpu->plan->staging, room->staging);
    assert_int_equal(gpu->plan->split, room->split);
    assert_int_equal(gpu->pipeline_count, room->staging == GPU_STAGING_THREADGROUP);
    if (gpu->pipeline_count > 0)
        assert_int_equal(gpu->pipelines[0]->stages, room->stages);
    assert_true(gpu->shared_bytes <= room->shared);
    arena_free(&s.arena);
}

/* A tile of 16 x 16 x 64 halves: 5,376 bytes a stage, 6,144 for the partial sums of four sets. */
static void a_deep_tile_gives_up_what_does_not_fit(void **unused)
{
    static const struct room rooms[] = {{16896, 2, 4, GPU_STAGING_THREADGROUP},
                                        {16895, 1, 4, GPU_STAGING_THREADGROUP},
                                        {11519, 1, 1, GPU_STAGING_THREADGROUP},
                                        {5375, 1, 1, GPU_STAGING_DEVICE}};
    (void)unused;
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
        deep_tile_in(&rooms[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fragments_are_those_of_the_manuals),
        cmocka_unit_test(a_deep_tile_gives_up_what_does_not_fit),
        cmocka_unit_test(products_are_right),
        cmocka_unit_test(trips_of_fed_loops_are_right),
        cmocka_unit_test(phases_of_fed_loops_are_needed),
        cmocka_unit_test(products_of_teams_are_right),
        cmocka_unit_test(the_verifier_knows_teams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
