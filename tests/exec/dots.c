/*
 * Random kernels with products of tiles that are not one product as a whole: the first one's result
 * is computed with and becomes an operand of the second, as in attention, whose sums a loop carries
 * in every way that there is (scaled, looked at elsewhere, under a condition, exchanged, turned,
 * over two loops, in a while loop). Operands lie along either axis, with gaps or behind masks, in
 * all element types; sizes of tiles go from 1 on, and the last tile is mostly ragged. Data are
 * small whole numbers (int8: all) and every step is exact in them, so the CPU must give the
 * interpreter's results bit for bit, with any number of threads.
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

enum { COUNT = 80, IN_PLACE_COUNT = 12, PROGRAMS = 3, ARRAYS = 4, OUT = 3 };

/* What a turn of the loop does. s [M, N] is dot(a, b) so far; v is [N, L]. */
static const char *const bodies[] = {
    /* scaled as attention does */
    "        acc = dot((T)w, v, acc * shrink);\n"
    "        seen += sum(w, axis(1), keep);\n",
    /* what the loop carries is wanted elsewhere, so that the product must not be written there */
    "        seen += sum(acc, axis(1), keep);\n"
    "        acc = dot((T)w, v, acc);\n",
    "        S now = dot((T)w, v, -acc);\n"
    "        seen += sum(now + acc, axis(1), keep);\n"
    "        acc = now;\n",
    /* also behind the product, at other places */
    "        S now = dot((T)w, v);\n"
    "        other = other - sum(acc, axis(0), keep);\n"
    "        acc = now;\n",
    /* under conditions */
    "        if (j % 2 == 0)\n"
    "            acc = dot((T)w, v, acc + acc);\n"
    "        else\n"
    "            acc = -acc;\n",
    "        S add = zeros(S, M, L);\n"
    "        if (j % 3 != 1)\n"
    "            add = dot((T)w, v, 1);\n"
    "        acc = acc - add;\n",
    /* exchanged */
    "        S now = dot((T)w, v, acc);\n"
    "        acc = other;\n"
    "        other = now;\n",
    "        other = dot((T)w, v, other - acc);\n"
    "        acc = dot((T)w, v, acc);\n",
    /* the product turned, of turned tiles */
    "        acc = acc + trans(dot(trans(v), trans((T)w)));\n",
    "        other = other - dot(trans(trans((T)w)), v, trans(trans(acc)));\n"
    "        acc = dot((T)w, v, trans(dot(trans(v), trans((T)w))));\n",
    /* of a part, and of what is one row or column */
    "        acc = dot((T)w, v, acc) + dot((T)seen, (T)sum(v, axis(0), keep));\n"
    "        acc = maximum(minimum(acc, 8), -8);\n",
    /* in a loop of its own */
    "        for (int i = 0; i < 2; i++)\n"
    "            acc = dot((T)w, v, acc);\n"
    "        for (int i = 0; i < j; i++)\n"
    "            acc = dot((T)w, v, acc * shrink);\n",
};
enum { BODIES = sizeof bodies / sizeof *bodies };

enum form { PLAIN, TURNED, STRIDED, POINTERS, FORMS };

struct array {
    tilec_type type;
    int64_t count;
    void *data;
};

struct problem {
    uint32_t seed, first_seed;
    const struct written_element *element;
    enum form form[3];  /* of A, B and V */
    int64_t M, N, K, L; /* of the tiles */
    int64_t m, n, k, l; /* of the arrays */
    int64_t turns;
    int body;
    bool as_while, two_loops, hoisted;
    char source[6000];
    size_t length;
    struct array arrays[ARRAYS];
};

static int64_t random_below(struct problem *p, int64_t n)
{
    return written_below(&p->seed, n);
}

static int64_t random_size(struct problem *p)
{
    static const int64_t sizes[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  12, 13, 15,
                                    16, 17, 20, 24, 31, 32, 33, 40, 48, 64, 65};
    return sizes[random_below(p, (int64_t)(sizeof sizes / sizeof *sizes))];
}

/* Of an array: as large as the tile, larger or smaller. */
static int64_t random_extent(struct problem *p, int64_t tile)
{
    int64_t kind = random_below(p, 4);
    if (kind < 2)
        return tile;
    return kind == 2 ? tile + random_below(p, 20) : tile - random_below(p, tile + 1);
}

/* V may be read where it lies, if its rows are no longer than the tile's. */
static void choose_in_place(struct problem *p)
{
    static const int64_t beyond[] = {0, 8, 3};
    p->element = &written_elements[random_below(p, 2) ? 0 : 4];
    p->form[2] = PLAIN;
    p->L = random_below(p, 2) ? 16 : 32;
    p->l = p->L + beyond[p->first_seed / 7919u % 3];
    p->turns = 2 + random_below(p, 3);
    p->n = p->N * p->turns - random_below(p, 2);
}

static void choose(struct problem *p, bool in_place)
{
    p->element = &written_elements[random_below(p, 5)];
    p->body = (int)(p->first_seed / 7919u % BODIES);
    for (int i = 0; i < 3; i++)
        p->form[i] = (enum form)random_below(p, FORMS);
    p->M = random_size(p);
    p->N = random_size(p);
    p->K = random_size(p);
    p->L = random_size(p);
    p->turns = random_below(p, 5);
    p->m = random_extent(p, p->M);
    p->k = random_extent(p, p->K);
    p->l = random_extent(p, p->L);
    p->n = random_extent(p, p->N * p->turns);
    p->as_while = random_below(p, 4) == 0;
    p->two_loops = random_below(p, 4) == 0;
    p->hoisted = random_below(p, 2);
    if (in_place)
        choose_in_place(p);
}

/* ---- source ---------------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static void put(struct problem *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    p->length +=
        (size_t)vsnprintf(p->source + p->length, sizeof p->source - p->length, format, arguments);
    va_end(arguments);
    assert_true(p->length < sizeof p->source);
}

/* A tile [rows, columns] of an array [height, width], from (i, j) on; what is beyond is 0. */
static void put_load(struct problem *p, int which, const char *i, const char *j, const char *rows,
                     const char *columns, const char *height, const char *width)
{
    char name = "ABV"[which];
    switch (p->form[which]) {
    case PLAIN:
        put(p, "tile_load(view(%c, %s, %s), %s, %s, %s, %s)", name, height, width, i, j, rows,
            columns);
        return;
    case TURNED:
        put(p, "trans(tile_load(view(%c, %s, %s), %s, %s, %s, %s))", name, width, height, j, i,
            columns, rows);
        return;
    case STRIDED:
        put(p, "tile_load(view_strided(%c, %s, %s, 2 * %s + 1, 2), %s, %s, %s, %s)", name, height,
            width, width, i, j, rows, columns);
        return;
    default:
        put(p,
            "load(%c + (%s + expand_dims(arange(0, %s), 1)) * %s + %s + expand_dims(arange(0, %s), "
            "0), "
            "%s + expand_dims(arange(0, %s), 1) < %s && %s + expand_dims(arange(0, %s), 0) < %s)",
            name, i, rows, width, j, columns, i, rows, height, j, columns, width);
        return;
    }
}

static void put_loop(struct problem *p, const char *from, const char *to)
{
    if (p->as_while)
        put(p, "    int j = %s;\n    while (j < %s) {\n", from, to);
    else
        put(p, "    for (int j = %s; j < %s; j++) {\n", from, to);
    put(p, "        T b = ");
    put_load(p, 1, "0", "j * N", "K", "N", "k", "n");
    put(p, ";\n        T v = ");
    put_load(p, 2, "j * N", "0", "N", "L", "n", "l");
    put(p, ";\n");
    if (!p->hoisted) {
        put(p, "        T a = ");
        put_load(p, 0, "0", "0", "M", "K", "m", "k");
        put(p, ";\n");
    }
    put(p, "        S s = dot(a, b);\n"
           "        S w = where(j * N + expand_dims(arange(0, N), 0) < n, s, -1);\n"
           "        w = maximum(minimum(w, 2), -2);\n"
           "        S shrink = where(max(w, axis(1), keep) > 1, -1, 1);\n");
    put(p, "%s", bodies[p->body]);
    if (p->as_while)
        put(p, "        j += 1;\n");
    put(p, "    }\n");
}

static void write_kernel(struct problem *p)
{
    put(p,
        "#include <tilec/kernel.h>\n"
        "constexpr int M = %d; constexpr int N = %d; constexpr int K = %d; constexpr int L = %d;\n"
        "#define T %s\n#define S %s\n"
        "launch_grid(f, %d);\n"
        "kernel void f(const T *restrict A, const T *restrict B, const T *restrict V, S *restrict "
        "Out,\n"
        "              int m, int n, int k, int l, int turns)\n"
        "{\n"
        "    A += program_id(0); B += program_id(0); V += program_id(0);\n",
        (int)p->M, (int)p->N, (int)p->K, (int)p->L, p->element->name, p->element->sum_name,
        PROGRAMS);
    if (p->hoisted) {
        put(p, "    T a = ");
        put_load(p, 0, "0", "0", "M", "K", "m", "k");
        put(p, ";\n");
    }
    put(p, "    S acc = zeros(S, M, L);\n"
           "    S other = full(S, 1, M, L);\n"
           "    S seen = zeros(S, M, 1);\n");
    if (p->two_loops) {
        put_loop(p, "0", "turns / 2");
        p->as_while = false;
        put_loop(p, "turns / 2", "turns");
    } else {
        put_loop(p, "0", "turns");
    }
    put(p,
        "    auto o = view(Out, %d, M, L);\n"
        "    tile_store(o, 3 * program_id(0), 0, 0, acc);\n"
        "    tile_store(o, 3 * program_id(0) + 1, 0, 0, other + zeros(S, M, L));\n"
        "    tile_store(o, 3 * program_id(0) + 2, 0, 0, seen + zeros(S, M, L));\n"
        "}\n",
        3 * PROGRAMS);
}

/* ---- data ------------------------------------------------------------------------------------ */

/* Aligned as what is read in place must be; the programs beside the first are not. */
static void *allocate(size_t bytes)
{
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    assert_non_null(memory);
    return memset(memory, 0, bytes);
}

/* int8 has its whole range, as instructions that add up products of bytes may saturate or take one
 * side as unsigned; all sums fit. */
static int random_value(struct problem *p)
{
    if (p->element->type != TILEC_I8)
        return (int)random_below(p, 5) - 2;
    int kind = (int)random_below(p, 8);
    return kind == 0 ? -128 : kind == 1 ? 127 : (int)random_below(p, 256) - 128;
}

static void make_array(struct problem *p, int which, int64_t rows, int64_t columns)
{
    struct array *a = &p->arrays[which];
    *a = (struct array){p->element->type, rows * (2 * columns + 1) + PROGRAMS, NULL};
    a->data = allocate((size_t)a->count * 8);
    for (int64_t i = 0; i < a->count; i++)
        written_set(a->type, a->data, i, random_value(p));
}

static void make_arrays(struct problem *p)
{
    make_array(p, 0, p->m + 1, p->k + 1);
    make_array(p, 1, p->k + 1, p->n + 1);
    make_array(p, 2, p->n + 1, p->l + 1);
    struct array *out = &p->arrays[OUT];
    *out = (struct array){p->element->sum, 3 * PROGRAMS * p->M * p->L, NULL};
    out->data = allocate((size_t)out->count * 8);
}

/* ---- running --------------------------------------------------------------------------------- */

/* False: the machine does not have the level. */
static bool run(struct problem *p, const char *target, const char *level, int threads)
{
    memset(p->arrays[OUT].data, 0xff, (size_t)p->arrays[OUT].count * 8);
    tilec_argument arguments[9];
    int count = 0;
    for (int i = 0; i < ARRAYS; i++)
        arguments[count++] =
            tilec_buffer(p->arrays[i].type, p->arrays[i].data, 1, &p->arrays[i].count);
    const int64_t scalars[] = {p->m, p->n, p->k, p->l, p->turns};
    for (int i = 0; i < 5; i++)
        arguments[count++] = tilec_int(TILEC_I32, scalars[i]);
    return written_run(&(struct written_launch){.source = p->source,
                                                .target = target,
                                                .level = level,
                                                .threads = threads,
                                                .arguments = arguments,
                                                .argument_count = (size_t)count});
}

static void compare(struct problem *p, const char *level, int threads, const unsigned char *want)
{
    size_t at = 0, size = tilec_type_size(p->arrays[OUT].type);
    size_t bytes = (size_t)p->arrays[OUT].count * size;
    const unsigned char *got = p->arrays[OUT].data;
    while (at < bytes && want[at] == got[at])
        at++;
    if (at == bytes)
        return;
    fputs(p->source, stderr);
    fail_msg("seed %u, %s, %d threads, m %d n %d k %d l %d turns %d: element %zu differs",
             p->first_seed / 7919u, level, threads, (int)p->m, (int)p->n, (int)p->k, (int)p->l,
             (int)p->turns, at / size);
}

static void run_problem(uint32_t seed, bool in_place)
{
    struct problem *p = calloc(1, sizeof *p);
    assert_non_null(p);
    p->seed = p->first_seed = seed;
    choose(p, in_place);
    write_kernel(p);
    make_arrays(p);
    size_t bytes = (size_t)p->arrays[OUT].count * 8;
    unsigned char *want = malloc(bytes);
    assert_non_null(want);
    run(p, "interp", NULL, 1);
    memcpy(want, p->arrays[OUT].data, bytes);
    run(p, "cpu", "native", 1);
    compare(p, "native", 1, want);
    const char *level = written_level(seed / 7919u / BODIES);
    if (run(p, "cpu", level, 3))
        compare(p, level, 3, want);
    for (int i = 0; i < ARRAYS; i++)
        free(p->arrays[i].data);
    free(want);
    free(p);
}

static void test_random(void **state)
{
    (void)state;
    struct seeds seeds = seeds_of("DOTS", COUNT);
    uint64_t seed;
    while (seeds_take(&seeds, 1, &seed))
        run_problem((uint32_t)seed * 7919u, false);
}

static void test_in_place(void **state)
{
    (void)state;
    for (int i = 0; i < IN_PLACE_COUNT; i++)
        run_problem((uint32_t)(i + 1) * 7919u, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random),
                                       cmocka_unit_test(test_in_place)};
    return cmocka_run_group_tests_name("dots", tests, NULL, NULL);
}
