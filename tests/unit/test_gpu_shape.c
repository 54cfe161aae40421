/*
 * How a row is shared out where vectors must be aligned: threads, and accesses of each, from what
 * is known of addresses and widths. The expected shapes are those that were measured to be fastest
 * on an H200.
 */
#include "emit/emit.h"
#include "gpu/gpu.h"
#include "lang/lang.h"
#include "opt/opt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "gpu_like.h"

static const struct gpu_target target = {
    GPU_LIKE_NVIDIA, .name = "test", .most_threads = 1024};

static const char rows_of_any_width[] =
    "#include <tilec/kernel.h>\n"
    "kernel void k(const T *restrict X, const T *restrict W, T *restrict Out, int N, float eps)\n"
    "{\n"
    "    int row = program_id(0), col = arange(0, BLOCK);\n"
    "    float x = load(X + row * N + col, col < N);\n"
    "    float w = load(W + col, col < N);\n"
    "    store(Out + row * N + col, x / sqrt(sum(x * x) / N + eps) * w, col < N);\n"
    "}\n";

static const char rows_of_fixed_width[] =
    "#include <tilec/kernel.h>\n"
    "kernel void k(const T *restrict X, const T *restrict W, T *restrict Out, int N, float eps)\n"
    "{\n"
    "    int row = program_id(0), col = arange(0, BLOCK);\n"
    "    float x = load(X + row * WIDTH + col, col < WIDTH);\n"
    "    float w = load(W + col, col < WIDTH);\n"
    "    store(Out + row * WIDTH + col, x / sqrt(sum(x * x) / WIDTH + eps) * w, col < WIDTH);\n"
    "}\n";

static const char required_multiple[] =
    "#include <tilec/kernel.h>\n"
    "launch_require(k, N > 0 && N % 4 == 0, \"rows of whole vectors\");\n"
    "kernel void k(const T *restrict X, const T *restrict W, T *restrict Out, int N, float eps)\n"
    "{\n"
    "    int row = program_id(0), col = arange(0, BLOCK);\n"
    "    float x = load(X + row * N + col, col < N);\n"
    "    store(Out + row * N + col, x * load(W + col, col < N) + eps, col < N);\n"
    "}\n";

/* Parameters that are multiples of 16: X, W, Out; and N. */
enum { ARRAYS = 7, ALL = 15 };

static const struct {
    const char *source, *type, *block, *width;
    unsigned aligned;
    int threads, elements, accesses; /* of one access; accesses of each array by each thread */
    unsigned used;                   /* of aligned */
} cases[] = {
    {rows_of_any_width, "half", "1024", "0", ALL, 64, 8, 2, ALL},
    {rows_of_any_width, "half", "4096", "0", ALL, 256, 8, 2, ALL},
    {rows_of_any_width, "half", "8192", "0", ALL, 256, 8, 4, ALL},
    {rows_of_any_width, "float", "1024", "0", ALL, 64, 4, 4, ALL},
    {rows_of_any_width, "float", "4096", "0", ALL, 512, 4, 2, ALL},
    {rows_of_any_width, "float", "8192", "0", ALL, 512, 4, 4, ALL},
    {rows_of_any_width, "float", "32768", "0", ALL, 1024, 4, 8, ALL},
    {rows_of_any_width, "half", "1024", "0", ARRAYS, 256, 1, 4, 0},
    {rows_of_any_width, "float", "1024", "0", 0, 256, 1, 4, 0},
    {rows_of_fixed_width, "half", "1024", "1009", ALL, 128, 1, 8, 0},
    {rows_of_fixed_width, "float", "1024", "1009", ALL, 128, 1, 8, 0},
    {rows_of_fixed_width, "half", "1024", "1024", ARRAYS, 64, 8, 2, ARRAYS},
    {rows_of_fixed_width, "half", "1024", "1000", ARRAYS, 64, 8, 2, ARRAYS},
    {rows_of_fixed_width, "half", "1024", "1004", ARRAYS, 64, 4, 4, ARRAYS},
    {rows_of_fixed_width, "float", "1024", "1004", ARRAYS, 64, 4, 4, ARRAYS},
    {rows_of_fixed_width, "float", "128", "128", ARRAYS, 32, 4, 1, ARRAYS},
    {required_multiple, "float", "1024", "0", ARRAYS, 128, 4, 2, ARRAYS},
};

struct state {
    jmp_buf out_of_memory;
    struct arena arena;
    struct diagnostics diagnostics;
};

static struct gpu_kernel *compile_for(struct state *s, int index, const struct gpu_target *on,
                                      const struct gpu_known_range *bound, bool crowd)
{
    struct source_file *file = ARENA_NEW(&s->arena, struct source_file);
    const char *text = cases[index].source;
    struct lang_define defines[] = {{.name = "T", .value = cases[index].type},
                                    {.name = "BLOCK", .value = cases[index].block},
                                    {.name = "WIDTH", .value = cases[index].width}};
    *file = (struct source_file){.name = "shape.c", .text = text, .length = (uint32_t)strlen(text)};
    struct lang_unit *unit =
        lang_parse(&s->arena, &s->diagnostics, file, defines, 3, (struct lang_includer){0});
    const struct lang_kernel *chosen = unit ? lang_find_kernel(unit, NULL) : NULL;
    struct ir_kernel *kernel =
        chosen ? lang_lower(unit, &s->diagnostics, chosen, NULL, 0, NULL, 0) : NULL;
    struct gpu_plan *plan =
        kernel ? plan_gpu(kernel, on, false, &s->arena, &s->diagnostics) : NULL;
    struct gpu_options options = {.verify_each = true};
    if (!plan || !opt_run(kernel->func, NULL, &s->diagnostics))
        return NULL;
    plan->aligned = cases[index].aligned;
    if (bound)
        plan->bound = *bound;
    plan->crowd = crowd;
    return gpu_lower(kernel, plan, &options, &s->arena, &s->diagnostics);
}

static struct gpu_kernel *compile(struct state *s, int index, const struct gpu_target *on,
                                  const struct gpu_known_range *bound)
{
    return compile_for(s, index, on, bound, false);
}

struct accesses { /* of buffers */
    int by_width[17];
    bool all_aligned;
    int sums, barriers; /* sums over lanes */
};

static bool count_access(struct ir_op *op, void *user)
{
    struct accesses *a = user;
    int code = (int)op->code;
    a->sums += code == GPU_OP_GROUP_SUM;
    a->barriers += code == GPU_OP_BARRIER;
    bool vector = code == GPU_OP_VECTOR_LOAD || code == GPU_OP_VECTOR_STORE;
    if (!vector && op->code != IR_OP_LOAD && op->code != IR_OP_STORE)
        return true;
    if (op->operands[0]->type.space != IR_SPACE_DEVICE)
        return true;
    struct ir_type type = op->result_count ? op->results[0]->type : op->operands[1]->type;
    a->by_width[vector ? type.dims[0] : 1]++;
    a->all_aligned = a->all_aligned && (!vector || op->attributes.aligned);
    return true;
}

static void check_case(struct state *s, int i)
{
    struct accesses accesses = {.all_aligned = true};
    arena_init(&s->arena, allocator_default, &s->out_of_memory);
    if (setjmp(s->out_of_memory))
        fail_msg("out of memory");
    diagnostics_init(&s->diagnostics, &s->arena);
    struct gpu_kernel *gpu = compile(s, i, &target, NULL);
    if (!gpu)
        fail_msg("case %d: %s", i, s->diagnostics.items[0].message);
    ir_walk(gpu->func->body, count_access, &accesses);
    int width = cases[i].elements, all = 0;
    for (int w = 1; w <= 16; w++)
        all += accesses.by_width[w];
    if (gpu->threads != cases[i].threads || gpu->plan->threads != gpu->threads ||
        gpu->groups * GPU_LANES != gpu->threads || gpu->plan->vector_width != width)
        fail_msg("case %d: %d threads, vectors of %d", i, gpu->threads, gpu->plan->vector_width);
    if (accesses.by_width[width] != 3 * cases[i].accesses || all != 3 * cases[i].accesses)
        fail_msg("case %d: %d accesses of %d elements, %d in all", i, accesses.by_width[width],
                 width, all);
    assert_true(accesses.all_aligned);
    bool reduces = cases[i].source != required_multiple;
    assert_int_equal(accesses.sums, reduces ? 1 + (gpu->groups > target.most_partials) : 0);
    assert_int_equal(accesses.barriers, reduces && gpu->groups > 1);
    assert_int_equal(gpu->aligned_used, cases[i].used);
    arena_free(&s->arena);
}

static void rows_get_their_shapes(void **unused)
{
    struct state s;
    (void)unused;
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++)
        check_case(&s, i);
}

/* ---- how many programs a multiprocessor runs at once ------------------------------------------ */

static int most_resident(int index, const struct gpu_target *on)
{
    struct state s;
    arena_init(&s.arena, allocator_default, &s.out_of_memory);
    if (setjmp(s.out_of_memory))
        fail_msg("out of memory");
    diagnostics_init(&s.diagnostics, &s.arena);
    struct gpu_kernel *gpu = compile(&s, index, on, NULL);
    if (!gpu)
        fail_msg("case %d: %s", index, s.diagnostics.items[0].message);
    int most = gpu->plan->most_resident;
    arena_free(&s.arena);
    return most;
}

/* 8 KB of seven rows of 4096 halves are what is best on the way; of rows of 16 KB that would be
 * three, but with all 16 of its barriers a program still leaves room for three others. */
static void long_rows_are_not_too_many_at_once(void **unused)
{
    struct gpu_target on = target;
    (void)unused;
    on.resident_threads = 2048;
    on.row_bytes = 56 << 10;
    on.resident_barriers = 64;
    on.program_barriers = 16;
    assert_int_equal(most_resident(0, &on), 0); /* short */
    assert_int_equal(most_resident(1, &on), 7); /* eight of 256 threads */
    assert_int_equal(most_resident(2, &on), 4); /* likewise */
    assert_int_equal(most_resident(4, &on), 0); /* four of 512 threads */
    assert_int_equal(most_resident(16, &on), 0); /* nothing is reduced */
    on.row_bytes = 40 << 10;
    assert_int_equal(most_resident(1, &on), 5);
    for (int more = 64; more <= 1 << 20; more *= 2) { /* than there is room or barriers for */
        on.row_bytes = more << 10;
        assert_int_equal(most_resident(1, &on), 0);
    }
    on.row_bytes = 0;
    assert_int_equal(most_resident(1, &on), 0);
}

static bool holds_text(struct state *s, const struct gpu_kernel *kernel, const char *wanted)
{
    struct text out;
    text_init(&out, &s->arena);
    assert_true(emit_kernel(kernel, &emit_cuda, &out, &s->diagnostics));
    return strstr(out.items, wanted) != NULL;
}

static void check_sharing(int index, const struct gpu_target *on)
{
    struct state s;
    bool pairs = on->part_barriers && (index == 1 || index == 2);
    arena_init(&s.arena, allocator_default, &s.out_of_memory);
    if (setjmp(s.out_of_memory))
        fail_msg("out of memory");
    diagnostics_init(&s.diagnostics, &s.arena);
    struct gpu_kernel *few = compile_for(&s, index, on, NULL, false);
    struct gpu_kernel *many = compile_for(&s, index, on, NULL, true);
    assert_true(few && many);
    assert_int_equal(few->programs, 1);
    bool small = few->threads < 256; /* of which only the last let the next launch start */
    assert_int_equal(few->plan->minds_crowd, pairs || small);
    assert_false(few->plan->late_release);
    assert_int_equal(many->plan->late_release, small && !pairs);
    assert_int_equal(holds_text(&s, many, "gridDim.x - blockIdx.x <= 1024u"),
                     many->plan->late_release);
    assert_false(holds_text(&s, few, "gridDim.x - blockIdx.x"));
    assert_int_equal(many->programs, pairs ? 2 : 1);
    assert_int_equal(many->threads, pairs && index == 1 ? 128 : cases[index].threads);
    assert_int_equal(many->plan->target->most_threads, pairs ? 512 : 1024);
    assert_int_equal(many->plan->most_resident, pairs ? 0 : few->plan->most_resident);
    arena_free(&s.arena);
}

/* Two programs in a block, if there are many and their halves are rows of 8 KB, of four accesses of
 * each thread then, or of 16; each is planned for half a block's threads. */
static void many_long_rows_share_blocks(void **unused)
{
    struct gpu_target on = target;
    (void)unused;
    on.row_bytes = 56 << 10;
    on.resident_threads = 2048;
    on.resident_barriers = 64;
    on.program_barriers = 16;
    for (int part_barriers = 0; part_barriers < 2; part_barriers++) {
        on.part_barriers = part_barriers;
        for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++)
            check_sharing(i, &on);
    }
}

/* ---- what the launch knows of a row's length -------------------------------------------------- */

struct counts {
    int loads, masked, shuffles, barriers;
};

static bool count_op(struct ir_op *op, void *user)
{
    struct counts *c = user;
    bool loads = op->code == IR_OP_LOAD && op->operands[0]->type.space == IR_SPACE_DEVICE;
    c->loads += loads;
    c->masked += loads && op->operand_count > 1;
    c->shuffles += (int)op->code == GPU_OP_SHUFFLE_XOR;
    c->barriers += (int)op->code == GPU_OP_BARRIER;
    return true;
}

static struct counts count_with(int index, const struct gpu_target *on,
                                const struct gpu_known_range *bound, int *threads)
{
    struct state s;
    struct counts counts = {0};
    arena_init(&s.arena, allocator_default, &s.out_of_memory);
    if (setjmp(s.out_of_memory))
        fail_msg("out of memory");
    diagnostics_init(&s.diagnostics, &s.arena);
    struct gpu_kernel *gpu = compile(&s, index, on, bound);
    if (!gpu)
        fail_msg("case %d: %s", index, s.diagnostics.items[0].message);
    ir_walk(gpu->func->body, count_op, &counts);
    *threads = gpu->threads;
    arena_free(&s.arena);
    return counts;
}

enum { ANY_WIDTH_NARROW = 7, N = 3 }; /* a case; the parameter */

/* A thread has elements t, t + 128, ... of two arrays: those of the part where the row ends are masked,
 * what lies behind it is not even loaded. */
static void masks_go_where_the_end_is_known(void **unused)
{
    static const struct {
        int64_t least, most;
        int loads, masked;
    } known[] = {
        {896, INT64_MAX, 16, 2}, {640, 767, 12, 2}, {1009, 1009, 16, 2}, {895, 895, 14, 2},
        {5, 5, 2, 2},            {1024, 1024, 0, 0}, /* its rows are aligned: vectors */
    };
    int threads;
    (void)unused;
    for (int i = 0; i < (int)(sizeof known / sizeof *known); i++) {
        struct gpu_known_range bound = {true, N, known[i].least, known[i].most};
        struct counts c = count_with(ANY_WIDTH_NARROW, &target, &bound, &threads);
        if (threads != (known[i].loads > 0 ? 128 : 64) || c.loads != known[i].loads || c.masked != known[i].masked)
            fail_msg("from %lld: %d threads, %d loads, %d masked", (long long)known[i].least, threads,
                     c.loads, c.masked);
    }
    struct counts c = count_with(ANY_WIDTH_NARROW, &target, NULL, &threads);
    assert_int_equal(c.loads, 8);
    assert_int_equal(c.masked, 8);
}

/* Few groups leave lanes' sums to threadgroup memory: as many partial results as one thread adds up. */
static void few_groups_shuffle_less(void **unused)
{
    static const struct {
        int index, threads, shuffles;
    } expected[] = {{0, 64, 2}, {ANY_WIDTH_NARROW, 256, 0}, {15, 32, 0}};
    struct gpu_target few = target;
    int threads;
    (void)unused;
    few.few_groups = 4;
    for (int i = 0; i < (int)(sizeof expected / sizeof *expected); i++) {
        struct counts c = count_with(expected[i].index, &few, NULL, &threads);
        assert_int_equal(threads, expected[i].threads);
        assert_int_equal(c.shuffles, expected[i].shuffles);
        assert_int_equal(c.barriers, threads > GPU_LANES);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_get_their_shapes),
                                       cmocka_unit_test(long_rows_are_not_too_many_at_once),
                                       cmocka_unit_test(many_long_rows_share_blocks),
                                       cmocka_unit_test(masks_go_where_the_end_is_known),
                                       cmocka_unit_test(few_groups_shuffle_less)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
