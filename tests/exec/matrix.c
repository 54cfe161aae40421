/*
 * Random kernels of the matrix form, written here as source: operands through views, transposes,
 * strides and pointers, all element types, chained epilogues, batches, one sum or two, or two dots in one
 * sum, sums that start with a tile, operands of another type, ragged sizes and blocks. Data are small whole numbers and every step is exact in them, so the CPU's schedule
 * must give the interpreter's results bit for bit, with any number of threads. Each kernel must also
 * have been recognised: a perf note says that one was not.
 */
#include "written.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../seeds.h"

enum {
    COUNT = 60,
    LARGE_COUNT = 10,
    COPIED_COUNT = 15,
    SHARED_COUNT = 6,
    FAR_COUNT = 4,
    SWEPT_COUNT = 4,
    PASSED_COUNT = 10
};

/* LARGE: across the schedule's own blocks. COPIED: several blocks of a B that lies as it is packed,
 * so that kernels copy the next one. SHARED: the same operands, where threads would write to the
 * same lines. FAR: few rows, and a B of more memory than some processors keep translations for.
 * SWEPT: a row, and a B of floats that some fetch ahead. PASSED: an A that the second
 * level holds, so that on some all strips of it pass over a panel before the next one. */
enum extent { SMALL, LARGE, COPIED, SHARED, FAR, SWEPT, PASSED };

enum form { PLAIN, TURNED, STRIDED, POINTERS, FORMS };

struct array {
    tilec_type type;
    int64_t count;
    void *data;
};

struct problem {
    uint32_t seed, first_seed;
    const struct written_element *element;
    const struct written_element *stored[2]; /* of A, and of B and D; converted to element */
    enum form a, b, c, d;
    bool batched, two, merged, add_form, trips, narrow, gridded;
    int start; /* what the first sum starts with: zeros (below 2), the bias or the residual */
    int64_t m, n, k, batches, block[3];
    int64_t a_stride[3], b_stride[3], c_stride[3]; /* row, column, batch */
    int epilogue;
    int bound; /* of a further load behind the sums, not always the stores' */
    char source[6000];
    size_t length;
    struct array arrays[6];
};

/* ---- random choices -------------------------------------------------------------------------- */

static int64_t random_below(struct problem *p, int64_t n)
{
    return written_below(&p->seed, n);
}

static void choose_strides(struct problem *p, enum form form, int64_t rows, int64_t columns,
                           int64_t *stride)
{
    bool turned = form == TURNED || (form != PLAIN && random_below(p, 2));
    int64_t padding = form == PLAIN || form == TURNED ? 0 : random_below(p, 4);
    int64_t gap = form >= STRIDED && random_below(p, 4) == 0 ? 2 : 1; /* no unit stride at all */
    stride[0] = turned ? gap : (columns + padding) * gap;
    stride[1] = turned ? (rows + padding) * gap : gap;
    stride[2] = (turned ? stride[1] * columns : stride[0] * rows) + padding;
}

static void choose_sizes(struct problem *p, enum extent extent)
{
    static const int64_t large[][3] = {
        {7, 1000, 300}, {70, 70, 2500}, {300, 20, 1100}, {1, 300, 4500}, {1030, 3, 4200}};
    static const int64_t copied[][3] = {
        {65, 400, 1100}, {49, 384, 1300}, {100, 256, 2100}, {55, 640, 700}, {61, 512, 769}};
    static const int64_t shared[][3] = {
        {150, 131, 70}, {200, 190, 61}, {129, 129, 90}, {260, 144, 33}};
    static const int64_t far[][3] = {{52, 544, 2000}, {14, 1040, 2040}};
    static const int64_t swept[][3] = {{1, 2061, 1700}, {1, 1030, 3060}};
    static const int64_t passed[][3] = {
        {64, 64, 64}, {129, 131, 70}, {97, 200, 257}, {50, 33, 300}, {203, 47, 259}};
    if (extent == SMALL)
        return;
    const int64_t *size = extent == LARGE    ? large[p->first_seed % 5]
                          : extent == COPIED ? copied[random_below(p, 5)]
                          : extent == SHARED ? shared[random_below(p, 4)]
                          : extent == FAR    ? far[p->first_seed % 2]
                          : extent == SWEPT  ? swept[p->first_seed % 2]
                                             : passed[p->first_seed / 5 % 5];
    p->m = size[0];
    p->n = size[1];
    p->k = size[2];
    for (int i = 0; i < 3; i++)
        p->block[i] = p->n < 32 && i == 1 ? 4 : 32;
    if (extent == LARGE)
        return;
    p->element = &written_elements[p->first_seed % 5];
    p->a = p->b = PLAIN;
    p->batched = p->two = false;
    if (extent == SHARED || extent == PASSED)
        p->epilogue = 0;
    if (extent == PASSED) {
        p->c = PLAIN;
        p->gridded = false;
    }
}

static void choose(struct problem *p, enum extent extent)
{
    static const int64_t blocks[] = {4, 5, 8, 16, 24, 32, 64};
    p->element = &written_elements[random_below(p, 5)];
    p->a = (enum form)random_below(p, FORMS);
    p->b = (enum form)random_below(p, FORMS);
    p->c = random_below(p, 3) ? (random_below(p, 2) ? STRIDED : POINTERS) : PLAIN;
    p->batched = random_below(p, 3) == 0;
    p->two = random_below(p, 5) == 0;
    p->add_form = random_below(p, 2);
    p->trips = random_below(p, 2);
    p->narrow = random_below(p, 2);
    p->gridded = !p->batched && random_below(p, 4) == 0;
    p->epilogue = (int)random_below(p, 32);
    for (int i = 0; i < 3; i++)
        p->block[i] = blocks[random_below(p, 7)];
    int64_t reach = random_below(p, 4) ? 40 : 130;
    p->m = random_below(p, reach);
    p->n = random_below(p, reach);
    p->k = random_below(p, reach);
    if (random_below(p, 5) == 0) /* a few rows have a schedule of their own */
        p->m = 1 + random_below(p, 5);
    if (random_below(p, 16) == 0) /* nothing to add up */
        p->k = 0;
    choose_sizes(p, extent); /* the reference is the interpreter's, slowly */
    p->merged = p->two && random_below(p, 2);
    p->d = random_below(p, 2) ? PLAIN : p->b;
    p->start = (int)random_below(p, 4);
    for (int i = 0; i < 2; i++) {
        bool other = p->element->type != TILEC_I8 && random_below(p, 4) == 0;
        p->stored[i] = other ? &written_elements[random_below(p, 5)] : p->element;
    }
    p->batches = p->batched ? 1 + random_below(p, 3) : 1;
    choose_strides(p, p->a, p->m, p->k, p->a_stride);
    choose_strides(p, p->b, p->k, p->n, p->b_stride);
    choose_strides(p, p->c, p->m, p->n, p->c_stride);
    p->bound = (int)random_below(p, 8);
}

/* ---- source ---------------------------------------------------------------------------------- */

static void write(struct problem *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void write(struct problem *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(p->source + p->length, sizeof p->source - p->length, format, arguments);
    va_end(arguments);
    p->length += (size_t)n;
    assert_true(p->length < sizeof p->source);
}

/* One operand's tile: rows and columns of the operand as the product sees it. */
struct operand {
    const char *name, *array;
    enum form form;
    const char *rows, *columns;           /* how many the operand has */
    const char *row, *column;             /* where the tile begins */
    const char *tile_rows, *tile_columns; /* and how many it has */
};

static void write_operand(struct problem *p, const struct operand *o)
{
    char lower = o->array[0] == 'D' ? 'b' /* the second product's B has the strides of B, if any */
                                    : (char)(o->array[0] + ('a' - 'A'));
    const char *t = p->stored[o->array[0] != 'A']->name;
    switch (o->form) {
    case PLAIN:
        write(p, "        auto %s = tile_load(view(%s, batches, %s, %s), z, %s, %s, %s, %s);\n",
              o->name, o->array, o->rows, o->columns, o->row, o->column, o->tile_rows,
              o->tile_columns);
        return;
    case TURNED:
        write(p,
              "        auto %s = trans(tile_load(view(%s, batches, %s, %s), z, %s, %s, %s, %s));\n",
              o->name, o->array, o->columns, o->rows, o->column, o->row, o->tile_columns,
              o->tile_rows);
        return;
    case STRIDED:
        write(p,
              "        auto %s = tile_load(view_strided(%s, batches, %s, %s, %c_batch, %c_row, "
              "%c_column), z, %s, %s, %s, %s);\n",
              o->name, o->array, o->rows, o->columns, lower, lower, lower, o->row, o->column,
              o->tile_rows, o->tile_columns);
        return;
    default:
        write(p,
              "        auto %s_i = %s + expand_dims(arange(0, %s), 1);\n"
              "        auto %s_j = %s + expand_dims(arange(0, %s), 0);\n",
              o->name, o->row, o->tile_rows, o->name, o->column, o->tile_columns);
        write(p,
              "        %s %s = load(%s + (z * %c_batch + %s_i * %c_row + %s_j * %c_column), "
              "z < batches && %s_i < %s && %s > %s_j);\n",
              t, o->name, o->array, lower, o->name, lower, o->name, lower, o->name, o->rows,
              o->columns, o->name);
    }
}

static void write_sum(struct problem *p, const char *sum, const char *a, const char *b)
{
    if (p->merged && p->add_form)
        write(p, "        %s = dot(%s, y) + dot(%s, %s) + %s;\n", sum, a, a, b, sum);
    else if (p->merged)
        write(p, "        %s += dot(%s, %s, dot(%s, y));\n", sum, a, b, a);
    else if (p->add_form)
        write(p, "        %s += dot(%s, %s);\n", sum, a, b);
    else
        write(p, "        %s = dot(%s, %s, %s);\n", sum, a, b, sum);
}

/* Steps that are exact in small whole numbers (and halves). */
static void write_epilogue(struct problem *p)
{
    const char *t = p->element->sum_name;
    bool integer = p->element->type == TILEC_I8;
    write(p, "    %s x = s1;\n", t);
    if (p->two && !p->merged)
        write(p, "    x = x * %s + s2;\n", integer ? "3" : "2.0f");
    if (p->epilogue & 1)
        write(p, "    x = expand_dims(tile_load(view(Bias, N), n, BN), 0) + x;\n");
    if (p->epilogue & 2)
        write(p, "    x = maximum(x, %s);\n", integer ? "-20" : "-20.0f");
    if (p->epilogue & 4)
        write(p, "    x = x + tile_load(view(Residual, M, N), m, n, BM, BN);\n");
    if (p->epilogue & 8)
        write(p, "    x = where(x > %s, %s - x, x);\n", integer ? "9" : "9.0f",
              integer ? "100" : "100.0f");
    if (p->epilogue & 16)
        write(p, "    x = x * expand_dims(cast(%s, m + arange(0, BM)) %% 5, 1);\n",
              integer ? "int" : "int");
}

/* Adds a vector whose bounds are those of the stores' columns, narrower, elsewhere, or of rows. */
static void write_bounded(struct problem *p)
{
    static const char *const loads[] = {"load(Bias + j, j < N, 2)",
                                        "load(Bias + j, j < N / 2, 2)",
                                        "expand_dims(tile_load(view(Bias, N / 2), n, BN), 0)",
                                        "expand_dims(tile_load(view(Bias, N), n + 1, BN), 0)",
                                        "expand_dims(tile_load(view(Bias, N), n, BN), 1)",
                                        "load(Bias + trans(j), trans(j) < N, 2)"};
    enum { LOADS = sizeof loads / sizeof *loads, ACROSS = 4 };
    if (p->bound >= LOADS || (p->bound >= ACROSS && p->block[0] != p->block[1]))
        return;
    write(p, "    auto j = n + expand_dims(arange(0, BN), 0);\n    x = x + %s;\n", loads[p->bound]);
}

static void write_store(struct problem *p)
{
    if (p->c == PLAIN)
        write(p, "    tile_store(view(C, batches, M, N), z, m, n, x);\n");
    else if (p->c == STRIDED)
        write(p,
              "    tile_store(view_strided(C, batches, M, N, c_batch, c_row, c_column), z, m, n, "
              "x);\n");
    else
        write(p,
              "    auto i = m + expand_dims(arange(0, BM), 1);\n"
              "    auto l = %s;\n"
              "    store(C + z * c_batch + i * c_row + l * c_column, x,\n"
              "          l < N && i < M && z < batches);\n",
              p->bound % 2 ? "expand_dims(arange(0, BN), 0) + n"
                           : "n + expand_dims(arange(0, BN), 0)");
}

static void write_kernel(struct problem *p)
{
    const char *t = p->element->name, *sum = p->element->sum_name;
    p->length = 0;
    write(p, "#include <tilec/kernel.h>\n"
             "constexpr int BM = %d, BN = %d, BK = %d;\n",
          (int)p->block[0], (int)p->block[1], (int)p->block[2]);
    if (p->gridded)
        write(p, "launch_grid(f, cdiv(M, BM) * cdiv(N, BN));\n");
    else
        write(p, "launch_grid(f, cdiv(N, BN), cdiv(M, BM), batches);\n");
    write(p,
          "kernel void f(const %s *restrict A, const %s *restrict B, const %s *restrict D, const %s "
          "*restrict Bias, const %s *restrict Residual, %s *restrict C, int M, int N, int K, int "
          "batches, int a_row, int a_column, int a_batch, int b_row, int b_column, int b_batch, int "
          "c_row, int c_column, int c_batch)\n{\n",
          p->stored[0]->name, p->stored[1]->name, p->stored[1]->name, sum, sum,
          p->narrow ? t : sum);
    if (p->gridded)
        write(p, "    int m = program_id(0) %% cdiv(M, BM) * BM;\n"
                 "    int n = program_id(0) / cdiv(M, BM) * BN;\n"
                 "    int z = 0;\n");
    else
        write(p, "    int m = program_id(1) * BM;\n    int n = program_id(0) * BN;\n"
                 "    int z = program_id(2);\n");
    write(p, "    %s s1 = zeros(%s, BM, BN);\n    %s s2 = zeros(%s, BM, BN);\n", sum, sum, sum,
          sum);
    if (p->start == 2)
        write(p, "    s1 = s1 + expand_dims(tile_load(view(Bias, N), n, BN), 0);\n");
    else if (p->start == 3)
        write(p, "    s1 = tile_load(view(Residual, M, N), m, n, BM, BN);\n");
    if (p->trips)
        write(p, "    for (int trip = 0; trip < cdiv(K, BK); trip++) {\n"
                 "        int k = trip * BK;\n");
    else
        write(p, "    for (int k = 0; k < K; k += BK) {\n");
    struct operand a = {"a", "A", p->a, "M", "K", "m", "k", "BM", "BK"};
    struct operand b = {"b", "B", p->b, "K", "N", "k", "n", "BK", "BN"};
    struct operand d = {"d", "D", p->d, "K", "N", "k", "n", "BK", "BN"};
    write_operand(p, &a);
    write_operand(p, &b);
    write(p, "        auto v = cast(%s, a);\n        auto w = cast(%s, b);\n", t, t);
    if (p->two) {
        write_operand(p, &d);
        write(p, "        auto y = cast(%s, d);\n", t);
    }
    write_sum(p, "s1", "v", "w");
    if (p->two && !p->merged)
        write_sum(p, "s2", "v", "y");
    write(p, "    }\n");
    write_epilogue(p);
    write_bounded(p);
    write_store(p);
    write(p, "}\n");
}

/* ---- data ------------------------------------------------------------------------------------ */

static void make_array(struct problem *p, int at, tilec_type type, int64_t count, int reach)
{
    struct array *a = &p->arrays[at];
    *a = (struct array){type, count, NULL};
    size_t size = tilec_type_size(type);
    a->data = malloc((size_t)(count + 1) * size);
    assert_non_null(a->data);
    for (int64_t i = 0; i < count; i++)
        written_set(type, a->data, i, (int)random_below(p, 2 * reach + 1) - reach);
}

static void make_arrays(struct problem *p)
{
    const struct written_element *e = p->element;
    static const int narrow[] = {127, 64, 64, 65}; /* up to 64 there is a faster way for B */
    int reach = e->type == TILEC_I8 ? 127 : 2;
    int reach_b = e->type == TILEC_I8 ? narrow[random_below(p, 4)] : 2;
    make_array(p, 0, p->stored[0]->type, p->batches * p->a_stride[2] + 8, reach);
    make_array(p, 1, p->stored[1]->type, p->batches * p->b_stride[2] + 8, reach_b);
    int64_t plain = p->k * p->n, strided = p->b_stride[2];
    make_array(p, 2, p->stored[1]->type, p->batches * (plain > strided ? plain : strided) + 8,
               reach_b);
    make_array(p, 3, e->sum, p->n, 2);
    make_array(p, 4, e->sum, p->m * p->n, 2);
    make_array(p, 5, p->narrow ? e->type : e->sum, p->batches * p->c_stride[2] + 8, 3);
}

/* ---- running --------------------------------------------------------------------------------- */

/* False: the machine does not have the level. */
static bool run(struct problem *p, const char *target, const char *level, int threads, void *result)
{
    memcpy(result, p->arrays[5].data,
           (size_t)p->arrays[5].count * tilec_type_size(p->arrays[5].type));
    tilec_argument arguments[19];
    int count = 0;
    for (int i = 0; i < 6; i++)
        arguments[count++] = tilec_buffer(p->arrays[i].type, i == 5 ? result : p->arrays[i].data, 1,
                                          &p->arrays[i].count);
    const int64_t scalars[] = {p->m,           p->n,           p->k,           p->batches,
                               p->a_stride[0], p->a_stride[1], p->a_stride[2], p->b_stride[0],
                               p->b_stride[1], p->b_stride[2], p->c_stride[0], p->c_stride[1],
                               p->c_stride[2]};
    for (int i = 0; i < 13; i++)
        arguments[count++] = tilec_int(TILEC_I32, scalars[i]);
    return written_run(&(struct written_launch){.source = p->source,
                                                .refused = "one program at a time",
                                                .target = target,
                                                .level = level,
                                                .threads = threads,
                                                .arguments = arguments,
                                                .argument_count = (size_t)count});
}

static void compare(struct problem *p, const char *level, int threads, const unsigned char *want,
                    const unsigned char *got, size_t bytes)
{
    size_t at = 0, size = tilec_type_size(p->arrays[5].type);
    while (at < bytes && want[at] == got[at])
        at++;
    if (at == bytes)
        return;
    fputs(p->source, stderr);
    fail_msg("seed %u, %s, %d threads, M %d N %d K %d, strides of C %d %d: element %zu differs",
             p->first_seed, level, threads, (int)p->m, (int)p->n, (int)p->k, (int)p->c_stride[0],
             (int)p->c_stride[1], at / size);
}

static void run_problem(uint32_t seed, enum extent extent)
{
    struct problem *p = calloc(1, sizeof *p);
    assert_non_null(p);
    p->seed = p->first_seed = seed;
    choose(p, extent);
    write_kernel(p);
    make_arrays(p);
    size_t bytes = (size_t)p->arrays[5].count * tilec_type_size(p->arrays[5].type);
    unsigned char *want = malloc(bytes), *got = malloc(bytes);
    assert_true(want && got);
    run(p, "interp", NULL, 1, want);
    run(p, "cpu", "native", 1, got);
    compare(p, "native", 1, want, got, bytes);
    const char *level = written_level(seed / 7919u);
    if (run(p, "cpu", level, 3, got))
        compare(p, level, 3, want, got, bytes);
    for (int i = 0; i < 6; i++)
        free(p->arrays[i].data);
    free(want);
    free(got);
    free(p);
}

static void test_random(void **state)
{
    (void)state;
    struct seeds seeds = seeds_of("MATRIX", COUNT);
    uint64_t seed;
    while (seeds_take(&seeds, 1, &seed))
        run_problem((uint32_t)seed * 7919u, SMALL);
}

static void test_large(void **state)
{
    (void)state;
    for (int i = 0; i < LARGE_COUNT; i++)
        run_problem((uint32_t)(i + 1) * 104729u, LARGE);
}

static void test_copied(void **state)
{
    (void)state;
    for (int i = 0; i < COPIED_COUNT; i++)
        run_problem((uint32_t)(i + 1) * 15485863u, COPIED);
}

static void test_far(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < FAR_COUNT; i++) /* float, half; one of each reaches farther */
        run_problem(i * 5 + i / 2, FAR);
}

static void test_swept(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < SWEPT_COUNT; i++)
        run_problem(i * 5, SWEPT);
}

/* Each shape of floats and of doubles. */
static void test_passed(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < PASSED_COUNT; i++)
        run_problem(i * 5 + i % 2 * 4, PASSED);
}

static void test_shared(void **state)
{
    (void)state;
    for (int i = 0; i < 5 * SHARED_COUNT; i++)
        run_problem((uint32_t)(i + 1) * 32452843u, SHARED);
}

/* Programs in groups take each block once in the usual launch only; others must be right too. */
static void run_grouped(const char *target, int64_t programs, float *c)
{
    enum { M = 70, N = 50, K = 33 };
    static float a[M * K], b[K * N];
    for (int i = 0; i < M * K; i++)
        a[i] = (float)(i % 7 - 3);
    for (int i = 0; i < K * N; i++)
        b[i] = (float)(i % 5 - 2);
    for (int i = 0; i < M * N; i++)
        c[i] = -1;
    tilec_context *context;
    tilec_kernel *kernel;
    tilec_context_options context_options = {.size = sizeof context_options,
                                             .cache_directory = ""};
    assert_int_equal(tilec_context_create(&context_options, &context), TILEC_OK);
    tilec_define blocks[] = {
        {"BLOCK_M", "16"}, {"BLOCK_N", "16"}, {"BLOCK_K", "8"}, {"GROUP", "3"}};
    tilec_source source = {.size = sizeof source,
                           .path = "kernels/gemm_grouped.tile.c",
                           .defines = blocks,
                           .define_count = 4};
    tilec_compile_options options = {.size = sizeof options, .target = target};
    assert_int_equal(tilec_compile(context, &source, &options, &kernel), TILEC_OK);
    int64_t a_shape[] = {M, K}, b_shape[] = {K, N}, c_shape[] = {M, N}, grid[] = {programs, 1, 1};
    tilec_argument arguments[] = {tilec_buffer(TILEC_F32, a, 2, a_shape),
                                  tilec_buffer(TILEC_F32, b, 2, b_shape),
                                  tilec_buffer(TILEC_F32, c, 2, c_shape),
                                  tilec_int(TILEC_I32, M),
                                  tilec_int(TILEC_I32, N),
                                  tilec_int(TILEC_I32, K),
                                  tilec_int(TILEC_I32, K),
                                  tilec_int(TILEC_I32, 1),
                                  tilec_int(TILEC_I32, N),
                                  tilec_int(TILEC_I32, 1),
                                  tilec_int(TILEC_I32, N),
                                  tilec_int(TILEC_I32, 1)};
    assert_int_equal(tilec_launch(kernel, grid, arguments, 12, NULL), TILEC_OK);
    tilec_kernel_destroy(kernel);
    tilec_context_destroy(context);
}

static void test_grouped(void **state)
{
    (void)state;
    static float want[70 * 50], got[70 * 50];
    for (int64_t programs = 17; programs <= 20; programs++) { /* 20 blocks */
        run_grouped("interp", programs, want);
        run_grouped("cpu", programs, got);
        assert_memory_equal(want, got, sizeof want);
    }
}

enum { BYTES_M = 40, BYTES_N = 70, BYTES_K = 101 };

static void run_bytes(tilec_kernel *kernel, int8_t *a, int8_t *b, int32_t *c)
{
    int64_t a_shape[] = {BYTES_M, BYTES_K}, b_shape[] = {BYTES_K, BYTES_N};
    int64_t c_shape[] = {BYTES_M, BYTES_N};
    tilec_argument arguments[] = {
        tilec_buffer(TILEC_I8, a, 2, a_shape), tilec_buffer(TILEC_I8, b, 2, b_shape),
        tilec_buffer(TILEC_I32, c, 2, c_shape), tilec_int(TILEC_I32, BYTES_M),
        tilec_int(TILEC_I32, BYTES_N),         tilec_int(TILEC_I32, BYTES_K)};
    /* one thread: a share of fewer than 32 rows would not be looked at */
    tilec_launch_options launch = {.size = sizeof launch, .threads = 1};
    assert_int_equal(tilec_launch(kernel, NULL, arguments, 6, &launch), TILEC_OK);
}

/* The largest sums of two products on either side of what 16 bits hold: B of 64 everywhere, and with one
 * element beyond in a corner. */
static void check_bytes(tilec_kernel *kernel)
{
    static int8_t a[BYTES_M * BYTES_K], b[BYTES_K * BYTES_N];
    static int32_t c[BYTES_M * BYTES_N];
    static const int8_t extremes[] = {64, -64}, others[] = {0, 65, -65, 127, -128};
    static const int corners[] = {0, BYTES_N - 1, BYTES_K / 2 * BYTES_N + 33,
                                  (BYTES_K - 1) * BYTES_N, BYTES_K * BYTES_N - 1};
    for (int i = 0; i < 2 * 5 * 5; i++) {
        int corner = corners[i / 10], other = others[i / 2 % 5];
        memset(a, i % 3 ? 127 : -128, sizeof a);
        memset(b, extremes[i % 2], sizeof b);
        if (other)
            b[corner] = (int8_t)other;
        run_bytes(kernel, a, b, c);
        for (int at = 0; at < BYTES_M * BYTES_N; at++) {
            int want = 0;
            for (int k = 0; k < BYTES_K; k++)
                want += a[at / BYTES_N * BYTES_K + k] * b[k * BYTES_N + at % BYTES_N];
            assert_int_equal(c[at], want);
        }
    }
}

/* The x86-64-v3 level sums pairs of products in 16 bits where B allows it. */
static void test_bytes_reach(void **state)
{
    (void)state;
    tilec_context *context;
    tilec_kernel *kernel;
    tilec_context_options context_options = {.size = sizeof context_options,
                                             .cache_directory = ""};
    assert_int_equal(tilec_context_create(&context_options, &context), TILEC_OK);
    tilec_define blocks[] = {{"BLOCK_M", "16"}, {"BLOCK_N", "16"}, {"BLOCK_K", "8"}};
    tilec_source source = {.size = sizeof source,
                           .path = "kernels/gemm_int8.tile.c",
                           .defines = blocks,
                           .define_count = 3};
    tilec_compile_options options = {
        .size = sizeof options, .target = "cpu", .kernel = "gemm_int8", .cpu = "x86-64-v3"};
    tilec_status status = tilec_compile(context, &source, &options, &kernel);
    if (status == TILEC_OK) {
        check_bytes(kernel);
        tilec_kernel_destroy(kernel);
    } else { /* another machine */
        assert_int_equal(status, TILEC_ERROR_TARGET);
    }
    tilec_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),     cmocka_unit_test(test_large),
        cmocka_unit_test(test_copied),     cmocka_unit_test(test_shared),
        cmocka_unit_test(test_far),        cmocka_unit_test(test_swept),
        cmocka_unit_test(test_passed),     cmocka_unit_test(test_grouped),
        cmocka_unit_test(test_bytes_reach)};
    return cmocka_run_group_tests_name("matrix", tests, NULL, NULL);
}
