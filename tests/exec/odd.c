/*
 * Random kernels around the edges of the matrix form (tests/exec/matrix.c has its middle): mostly
 * as it should be, and in a few places something else that C allows. Masks that are no limits, or
 * others than the operands'; rows that are wrapped, clamped or moved; strides of 0 and below;
 * numbers of blocks by dividing by anything; results of every type; stores beside stores, under
 * other conditions; what is stored loaded again, turned, or the same array under another name.
 * Which of them run as one product is the CPU backend's affair, but some must, and all must give
 * the interpreter's bits: data are small whole numbers, and every step is exact in them. What the
 * interpreter finds wrong (programs that race) is not run elsewhere.
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
#include "../skip.h"

enum { COUNT = 120, GPU_COUNT = 12, SPAN = 60000, ARRAYS = 7, SCALARS = 21 };
enum { A, B, D, BIAS, RESIDUAL, C, E };

struct array {
    tilec_type type;
    void *data;
};

struct result { /* of an array of any element */
    const char *name;
    tilec_type type;
};

struct problem {
    uint32_t seed;
    uint64_t first_seed;
    const char *target;
    const struct written_element *element;
    const struct result *stored[2]; /* of A and B */
    const struct result *result[2]; /* of C and E */
    int64_t M, N, K, block[3], grid[3], batches;
    int64_t a[3], b[3], c[3]; /* strides of rows, columns and batches */
    int64_t lo, w, p, q, d;
    int64_t far, top; /* anywhere in 64 bits */
    int alias;        /* the array that is C, or -1 */
    bool square;
    char source[8000];
    size_t length;
    struct array arrays[ARRAYS];
};

static const struct result results[] = {
    {"float", TILEC_F32},    {"half", TILEC_F16},     {"bfloat", TILEC_BF16},
    {"double", TILEC_F64},   {"bool", TILEC_BOOL},    {"int8_t", TILEC_I8},
    {"int16_t", TILEC_I16},  {"int", TILEC_I32},      {"int64_t", TILEC_I64},
    {"uint8_t", TILEC_U8},   {"uint16_t", TILEC_U16}, {"uint32_t", TILEC_U32},
    {"uint64_t", TILEC_U64},
};

/* ---- choices --------------------------------------------------------------------------------- */

static int64_t below(struct problem *p, int64_t n)
{
    return written_below(&p->seed, n);
}

/* The first one, but for one time in `odds`. */
static const char *choose(struct problem *p, int odds, const char *const *texts, size_t count)
{
    return texts[below(p, odds) ? 0 : below(p, (int64_t)count)];
}
#define CHOOSE(p, odds, texts) choose(p, odds, texts, sizeof(texts) / sizeof *(texts))

static void put(struct problem *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct problem *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    p->length +=
        (size_t)vsnprintf(p->source + p->length, sizeof p->source - p->length, format, arguments);
    va_end(arguments);
    assert_true(p->length < sizeof p->source);
}

/* Of rows that are `inner` long: along either axis, with gaps, backwards, or all the same. */
static void choose_strides(struct problem *p, int64_t *stride, int64_t outer, int64_t inner,
                           bool zero)
{
    bool turned = below(p, 3) == 0;
    int64_t gap = below(p, 4) ? 1 : 2;
    stride[turned] = ((turned ? outer : inner) + below(p, 4)) * gap;
    stride[!turned] = gap;
    stride[2] = SPAN;
    for (int i = 0; i < 2; i++) {
        if (below(p, 6) == 0)
            stride[i] = -stride[i];
        else if (zero && below(p, 8) == 0)
            stride[i] = 0;
    }
    if (zero && below(p, 4) == 0)
        stride[2] = 0;
}

static const struct result *of_type(tilec_type type)
{
    size_t i = 0;
    while (results[i].type != type)
        i++;
    return &results[i];
}

static void choose_types(struct problem *p)
{
    bool gpu = strcmp(p->target, "cpu") != 0;
    p->element = &written_elements[below(p, gpu ? 4 : 5)];
    for (int i = 0; i < 2; i++) {
        bool other = p->element->type != TILEC_I8 && below(p, 4) == 0;
        p->stored[i] = of_type(p->element->type);
        if (other)
            p->stored[i] = gpu ? of_type(written_elements[below(p, 4)].type)
                               : &results[below(p, sizeof results / sizeof *results)];
        do
            p->result[i] = &results[below(p, sizeof results / sizeof *results)];
        while (gpu && (p->result[i]->type == TILEC_F64 || p->result[i]->type == TILEC_BF16));
        for (size_t k = 0; k < sizeof results / sizeof *results && below(p, 2); k++) {
            if (results[k].type == p->element->sum)
                p->result[i] = &results[k];
        }
    }
}

/* Sums and differences of the two may have no place in 64 bits. */
static void choose_far(struct problem *p)
{
    p->far = below(p, 9) - 4;
    p->top = below(p, 40);
    if (below(p, 2))
        p->top = below(p, 2) ? INT64_MAX - below(p, 9) : INT64_MIN + 1 + below(p, 9);
    if (below(p, 6) == 0)
        p->far = below(p, 2) ? INT64_MAX - below(p, 9) : INT64_MIN + 60 + below(p, 9);
}

static void choose_problem(struct problem *p)
{
    static const int64_t blocks[] = {16, 32, 8, 4, 5, 24};
    bool gpu = strcmp(p->target, "cpu") != 0;
    choose_types(p);
    for (int i = 0; i < 3; i++)
        p->block[i] = blocks[below(p, gpu ? 2 : 6)];
    if (below(p, 2))
        p->block[1] = p->block[0];
    p->square = p->block[0] == p->block[1];
    p->M = below(p, 8) ? below(p, 50) : below(p, 2);
    p->N = below(p, 8) ? below(p, 50) : below(p, 2);
    p->K = below(p, 8) ? below(p, 60) : 0;
    p->batches = 1 + below(p, 2);
    p->lo = below(p, 5);
    p->w = 1 + below(p, 40);
    p->p = below(p, 6);
    p->q = below(p, 60);
    choose_far(p);
    choose_strides(p, p->a, p->M, p->K, true);
    choose_strides(p, p->b, p->K, p->N, true);
    choose_strides(p, p->c, 110, 110, false);
    p->alias = below(p, 5) ? -1 : (int)(below(p, 2) ? RESIDUAL : below(p, 2) ? BIAS : below(p, 2));
    if (p->alias >= 0) /* one type, where there is one */
        p->result[0] = &results[p->element->sum == TILEC_F64   ? 3
                                : p->element->sum == TILEC_I32 ? 7
                                                               : 0];
    if (p->alias == A || p->alias == B) {
        if (p->stored[p->alias]->type != p->result[0]->type)
            p->alias = -1;
    }
}

/* ---- source ---------------------------------------------------------------------------------- */

static int64_t cdiv(int64_t x, int64_t y)
{
    return (x + y - 1) / y;
}

/* Which rows and columns, and which batch, a program has. */
static void put_blocks(struct problem *p)
{
    int64_t rows = cdiv(p->M, p->block[0]), columns = cdiv(p->N, p->block[1]);
    int64_t grid[3] = {columns, rows, p->batches};
    int kind = below(p, 2) ? 0 : (int)below(p, 12);
    p->d = 1 + below(p, 3);
    switch (kind) {
    default:
        put(p, "    int m = program_id(1) * BM, n = program_id(0) * BN, z = program_id(2);\n");
        break;
    case 1:
        put(p, "    int m = program_id(2) * BM, n = program_id(1) * BN, z = program_id(0);\n");
        memcpy(grid, (int64_t[]){p->batches, columns, rows}, sizeof grid);
        break;
    case 2:
    case 3:
        put(p, "    int over = program_id(0) / cdiv(N, BN), rest = program_id(0) %% cdiv(N, BN);\n"
               "    int m = over * BM, n = rest * BN, z = program_id(1);\n");
        memcpy(grid, (int64_t[]){rows * columns, p->batches, 1}, sizeof grid);
        break;
    case 4:
        put(p,
            "    int m = program_id(1) %% cdiv(M, BM) * BM, n = program_id(1) / cdiv(M, BM) * BN;\n"
            "    int z = program_id(0);\n");
        memcpy(grid, (int64_t[]){p->batches, rows * columns, 1}, sizeof grid);
        break;
    case 5: /* a number that has nothing to do with the array */
        p->d = below(p, 7) - 3;
        put(p, "    int m = program_id(0) / d * BM, n = program_id(0) %% d * BN, z = "
               "program_id(1);\n");
        memcpy(grid, (int64_t[]){1 + below(p, 6), p->batches, 1}, sizeof grid);
        break;
    case 6:
        put(p, "    int m = program_id(0) * BM, n = program_id(0) * BN, z = program_id(1);\n");
        memcpy(grid, (int64_t[]){rows, p->batches, 1}, sizeof grid);
        break;
    case 7:
        put(p, "    int m = program_id(0) * BM, n = 0, z = program_id(1);\n");
        memcpy(grid, (int64_t[]){rows, p->batches, 1}, sizeof grid);
        break;
    case 8:
        put(p, "    int m = (num_programs(1) - 1 - program_id(1)) * BM, n = program_id(0) * BN;\n"
               "    int z = program_id(2);\n");
        break;
    case 9:
        put(p, "    int m = program_id(1) * BM + lo, n = program_id(0) * BN, z = program_id(2);\n");
        break;
    case 10:
    case 11:
        put(p,
            "    int rows = cdiv(M%s, BM), columns = cdiv(N, BN), per = 2 * columns;\n"
            "    int first = program_id(0) / per * 2, high = minimum(rows - first, 2);\n"
            "    int m = (first + program_id(0) %% per %% high) * BM;\n"
            "    int n = program_id(0) %% per / high * BN, z = program_id(1);\n",
            below(p, 2) ? " - program_id(1) * BM" : "");
        memcpy(grid, (int64_t[]){rows * columns + (below(p, 3) ? 0 : below(p, 3)), p->batches, 1},
               sizeof grid);
        break;
    }
    memcpy(p->grid, grid, sizeof grid);
    put(p, "    auto I = m + arange(0, BM), J = n + arange(0, BN);\n"
           "    auto i = expand_dims(I, 1), j = expand_dims(J, 0);\n");
}

/* Operands as tiles va, vb: by pointers, or through views, whose own bounds cut them. */
static void put_operand(struct problem *p, bool is_b, const char *array, const char *to)
{
    static const char *const masks[][13] = {
        {"ROW(ai) && IN(ak)", "ROW(i) && IN(ak)", "K > ak && M > ai", "ai <= M - 1 && IN(ak)",
         "IN(ak)", "ROW(ai) && IN(ak) && p > 2", "ROW(ai) && IN(ak) && p > 2 && q > 20", "true",
         "ai < M && ak < K - 1", "ROW(ai) && IN(ak) && ai != 3", "ai < q && IN(ak)",
         "ai >= lo && ai < M && IN(ak)", "ROW(ai) && IN(ak) && z < batches"},
        {"IN(bk) && bj < N", "IN(bk) && j < N", "K > bk && N > bj", "bj <= N - 1 && IN(bk)",
         "IN(bk)", "bj < N && IN(bk) && 2 < p", "bj < N && IN(bk) && 2 < p && p > 2", "true",
         "bj < N && bk < K - 1", "bj < N && IN(bk) && bj != 3", "bj < q && IN(bk)",
         "bj >= lo && bj < N && IN(bk)", "bj < N && IN(bk) && z < batches"}};
    put(p, "        auto %s = cast(%s, ", to, p->element->name);
    int view = below(p, 2) ? (int)below(p, 4) : -1;
    char lower = is_b ? 'b' : 'a';
    const char *rows = is_b ? "K, N" : "M, K", *at = is_b ? "k, n, BK, BN" : "m, k, BM, BK";
    if (view == 0)
        put(p, "trans(tile_load(view_strided(%s + at + z * %c_batch, %s, %c_column, %c_row), %s))",
            array, lower, is_b ? "N, K" : "K, M", lower, lower,
            is_b ? "n, k, BN, BK" : "k, m, BK, BM");
    else if (view > 0)
        put(p, "tile_load(view_strided(%s + at + z * %c_batch, %s, %c_row, %c_column), %s)", array,
            lower, rows, lower, lower, at);
    else
        put(p, "load(%s + at + z * %c_batch + %s * %c_row + %s * %c_column, %s%s)", array, lower,
            is_b ? "bk" : "ai", lower, is_b ? "bj" : "ak", lower, choose(p, 8, masks[is_b], 13),
            below(p, 30) ? "" : ", 1");
    put(p, ");\n");
}

static void put_start(struct problem *p)
{
    static const char *const starts[] = {"zeros(S, BM, BN)",
                                         "full(S, 3, BM, BN)",
                                         "zeros(S, BM, BN) + load(Bias + at + j, j < N)",
                                         "load(R + at + i * c_row + j * c_column, i < M && j < N)",
                                         "zeros(S, BM, BN) - 1",
                                         "(S)c0"};
    put(p, "    S s1 = %s;\n    S s2 = %s;\n", CHOOSE(p, 2, starts), CHOOSE(p, 2, starts));
}

static void put_sum(struct problem *p, const char *to, const char *a, const char *b)
{
    static const char *const forms[] = {"%1$s = dot(%2$s, %3$s, %1$s)", "%1$s += dot(%2$s, %3$s)",
                                        "%1$s = dot(%2$s, %3$s) + %1$s",
                                        "%1$s = %1$s - dot(%2$s, %3$s)"};
    char text[100];
    const char *form = below(p, 12) ? forms[below(p, 3)] : forms[3];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(text, sizeof text, form, to, a, b);
#pragma GCC diagnostic pop
    put(p, "        %s;\n", text);
}

static void put_loop(struct problem *p)
{
    static const char *const heads[] = {
        "for (int k = 0; k < K; k += BK) {",
        "for (int t = 0; t < cdiv(K, BK); t++) {\n        int k = t * BK;",
        "for (int k = lo; k < K; k += BK) {",
        "for (int k = 0; k < K - 3; k += BK) {",
        "for (int k = z * 16; k < minimum(K, z * 16 + 16); k += BK) {",
        "{\n        int k = 0;",
        "for (int k = 0; k < K; k += BK + 1) {",
        "for (int k = K; k > 0; k -= BK) {",
        "for (int k = 0; k <= K; k += BK) {",
        "for (int k = 0; k < K; k += BK / 2) {",
    };
    put(p, "    %s\n", CHOOSE(p, 4, heads));
    put(p, "        auto ak = k + expand_dims(arange(0, BK), 0);\n"
           "        auto bk = k + expand_dims(arange(0, BK), 1);\n");
    put_operand(p, false, "A", "va");
    put_operand(p, true, "B", "vb");
    put_sum(p, "s1", "va", "vb");
    if (below(p, 4) == 0) {
        put_operand(p, true, "D", "vd");
        bool other = below(p, 3) == 0;
        if (other)
            put_operand(p, false, "A", "ve");
        put_sum(p, below(p, 2) ? "s1" : "s2", other ? "ve" : "va", "vd");
    }
    put(p, "    }\n");
}

#define PLACE "C + at + z * c_batch + i * c_row + j * c_column"

static void put_epilogue(struct problem *p)
{
    static const char *const steps[] = {
        "x = x + load(Bias + at + j, j < N);",
        "x = x + load(Bias + at + i, i < M, 1);",
        "x = x + load(Bias + at + expand_dims(J %% w, 0));",
        "x = x + load(Bias + at + expand_dims(I %% M, 1), i < M && j < N);",
        "x = x - load(R + at + i * c_row + j * c_column, i < M && j < N);",
        "x = x + load(R + at + j * c_row + i * c_column, j < M && i < N);",
        "x = x + load(R + at + expand_dims(I %% w, 1) * c_row + j * c_column, j < q);",
        "x = x + tile_load(view_strided(R + at, N, M, c_row, c_column), m, n, BM, BN);",
        "x = x + tile_load(view_strided(R + at, M, N, c_row, c_column), m + lo, n, BM, BN);",
        "x = maximum(x, -20);",
        "x = where(i > j, x, -x);",
        "x = x * (S)(i %% 5);",
        "x = x + (S)program_id(0) - (S)program_id(1);",
        "x = x + load(Bias + at + program_id(1));",
        "x = x + (p > 2 ? 1 : 2);",
        "x = where(load(Bias + at + j) > 0, x, 0);",
        "x = x + (S)c0;",
        "x = x + (S)load(" PLACE ", i < M && j < N);",
        "x = x + (S)load(" PLACE ", i < q && j < N);",
        ("x = x + (S)load(C + at + z * c_batch + expand_dims(I %% w, 1) * c_row + j * c_column, "
         "j < N);"),
        "x = where((i + j) %% 3 == 0, 1, x);",
    };
    static const char *const square[] = {
        "x = x + trans(load(R + at + i * c_row + j * c_column));",
        "x = x + (S)trans(load(" PLACE "));",
        "x = x + trans((S)c0);",
        "x = x + load(Bias + at + trans(j), trans(j) < N, 2);",
        "x = trans(x);",
    };
    for (int64_t left = below(p, 4); left > 0; left--) {
        put(p, "    ");
        if (p->square && below(p, 5) == 0)
            put(p, "%s", square[below(p, 5)]);
        else
            for (const char *c = steps[below(p, 21)]; *c; c += c[0] == '%' && c[1] == '%' ? 2 : 1)
                put(p, "%c", *c);
        put(p, "\n");
    }
}

static void put_store(struct problem *p, int which)
{
    static const char *const masks[] = {
        "ROW(i) && j < N",
        "j < N && i <= M - 1",
        "i < M && j < N && far > top",
        "i < M && j < N && far - p <= top",
        "i < M && j < N && i != 3",
        "j < N && i < M && i >= lo",
        "i < M && j < N && p > 2",
        "i < M && j < N && j < q",
        "expand_dims(I % M, 1) < M && j < N",
        "i - lo < M && j < N",
        "i < M && j < N && z < batches",
        "i < M && j < N && (i + j) % 2 == 0",
        "!(i >= M) && j < N",
        "i < M && j < N && i <= j",
        "i < M - z && j < N",
        "i < M && j < N && z != 1",
        "M > i && N > j && true",
        "true",
        "i < M && j < N && p > 2 && q > 20",
        "2 < p && j < N && i < M && p > 2",
        "i < M && j < N && program_id(0) > 0",
        "j < N",
        "i < M",
    };
    static const char *const casts[] = {
        "x",
        "x",
        "cast(half, x)",
        "cast(bool, x)",
        "x > 0",
        "cast(unsigned, x)",
        "cast(int8_t, x)",
        "cast(double, x)",
        "cast(uint8_t, cast(int, x))",
        "cast(float, cast(int16_t, x))",
        "-x",
    };
    static const char *const additions[] = {"atomic_add", "atomic_max", "atomic_min",
                                            "atomic_xchg"};
    const char *value = casts[below(p, strcmp(p->target, "cpu") ? 7 : 11)];
    const char *mask = CHOOSE(p, 3, masks);
    char name = which ? 'E' : 'C';
    tilec_type type = p->result[which]->type;
    bool counts = type == TILEC_I32 || type == TILEC_F32;
    int kind = (int)below(p, 6);
    if (kind == 0)
        put(p,
            "    tile_store(view_strided(%c + at + z * c_batch, M, N, c_row, c_column), m%s, n, "
            "%s);\n",
            name, below(p, 5) ? "" : " + lo", value);
    else if (kind == 1)
        put(p,
            "    tile_store(view_strided(%c + at, batches, M, N, c_batch, c_row, c_column), z, m, "
            "n, %s);\n",
            name, value);
    else if (kind == 2 && counts && below(p, 2))
        put(p, "    %s(%c + at + i * c_row + j * c_column, %s, %s);\n", CHOOSE(p, 3, additions),
            name, value, mask);
    else
        put(p, "    store(%c + at + z * c_batch + i * c_row + j * c_column, %s, %s);\n", name,
            value, mask);
}

static void put_kernel(struct problem *p)
{
    static const char *const row[] = {"I",      "I % M",    "I % w", "minimum(I, M - 1)",
                                      "I + lo", "I % M % w"};
    static const char *const column[] = {"J",      "J % N",    "J % w", "minimum(J, N - 1)",
                                         "J + lo", "J % N % w"};
    const char *keyword = p->alias < 0 ? "restrict " : "";
    static const char *const rows[] = {"x < M", "x - far < top", "x <= top"};
    static const char *const depths[] = {"x < K", "x - far < top", "x <= top"};
    put(p, "#include <tilec/kernel.h>\n#define S %s\n", p->element->sum_name);
    put(p, "#define ROW(x) %s\n#define IN(x) %s\n", CHOOSE(p, 4, rows), CHOOSE(p, 4, depths));
    put(p, "constexpr int BM = %d, BN = %d, BK = %d;\n", (int)p->block[0], (int)p->block[1],
        (int)p->block[2]);
    put(p,
        "kernel void f(const %s *%sA, const %s *%sB, const %s *%sD, const S *%sBias, const S "
        "*%sR, ",
        p->stored[0]->name, keyword, p->stored[1]->name, keyword, p->stored[1]->name, keyword,
        keyword, keyword);
    put(p, "%s *%sC, %s *%sE,\n    int M, int N, int K, int batches, int at, ", p->result[0]->name,
        keyword, p->result[1]->name, keyword);
    put(p,
        "int a_row, int a_column, int a_batch, int b_row, int b_column, int b_batch, int c_row, "
        "int c_column, int c_batch, int lo, int w, int p, int q, int d, long far, long top)\n{\n");
    put_blocks(p);
    put(p, "    auto ai = expand_dims(%s, 1), bj = expand_dims(%s, 0);\n", CHOOSE(p, 6, row),
        CHOOSE(p, 6, column));
    put(p, "    auto c0 = load(" PLACE ", i < M && j < N);\n");
    put_start(p);
    put_loop(p);
    put(p, "    auto x = s1%s;\n", below(p, 4) ? "" : " + s2");
    put_epilogue(p);
    put_store(p, 0);
    if (below(p, 3) == 0)
        put_store(p, 1);
    put(p, "}\n");
}

/* ---- running --------------------------------------------------------------------------------- */

static void make_arrays(struct problem *p)
{
    const tilec_type types[ARRAYS] = {p->stored[0]->type, p->stored[1]->type, p->stored[1]->type,
                                      p->element->sum,    p->element->sum,    p->result[0]->type,
                                      p->result[1]->type};
    for (int i = 0; i < ARRAYS; i++) {
        p->arrays[i] = (struct array){types[i], malloc(4 * SPAN * sizeof(int64_t))};
        assert_non_null(p->arrays[i].data);
        int reach = types[i] == TILEC_I8 && i < BIAS ? 127 : 2, low = -reach;
        if (types[i] == TILEC_U16 || types[i] == TILEC_U32 || types[i] == TILEC_U64)
            low = 0; /* wrapped it would be large */
        for (int64_t k = 0; k < 4 * SPAN; k++)
            written_set(types[i], p->arrays[i].data, k, (int)below(p, 2 * reach + 1) + low);
    }
}

enum { RESULT_BYTES = 4 * SPAN * sizeof(int64_t) };

static bool run(struct problem *p, const char *target, const char *level, int threads,
                unsigned char *got, bool *faults, bool *whole)
{
    const int64_t count = 4 * SPAN, at = SPAN;
    for (int i = 0; i < 2; i++)
        memcpy(got + i * (size_t)RESULT_BYTES, p->arrays[C + i].data, RESULT_BYTES);
    tilec_argument arguments[ARRAYS + SCALARS];
    for (int i = 0; i < ARRAYS; i++) {
        void *data = i >= C ? got + (i - C) * (size_t)RESULT_BYTES : p->arrays[i].data;
        arguments[i] = tilec_buffer(p->arrays[i].type, i == p->alias ? got : data, 1, &count);
    }
    const int64_t scalars[SCALARS] = {p->M,    p->N,    p->K,    p->batches, at,      p->a[0],
                                      p->a[1], p->a[2], p->b[0], p->b[1],    p->b[2], p->c[0],
                                      p->c[1], p->c[2], p->lo,   p->w,       p->p,    p->q,
                                      p->d,    p->far,  p->top};
    for (int i = 0; i < SCALARS; i++)
        arguments[ARRAYS + i] = tilec_int(i < SCALARS - 2 ? TILEC_I32 : TILEC_I64, scalars[i]);
    return written_run(&(struct written_launch){.source = p->source,
                                                .target = target,
                                                .level = level,
                                                .threads = threads,
                                                .grid = p->grid,
                                                .faults = faults,
                                                .runs_whole = whole,
                                                .arguments = arguments,
                                                .argument_count = ARRAYS + SCALARS});
}

static void compare(struct problem *p, const char *level, int threads, const unsigned char *want,
                    const unsigned char *got)
{
    size_t at = 0;
    while (at < 2 * (size_t)RESULT_BYTES && want[at] == got[at])
        at++;
    if (at == 2 * (size_t)RESULT_BYTES)
        return;
    size_t which = at / RESULT_BYTES, size = tilec_type_size(p->arrays[C + which].type);
    fputs(p->source, stderr);
    fail_msg("seed %d, %s %s, %d threads, M %d N %d K %d, strides of A %d %d, B %d %d, C %d %d: "
             "element %d of "
             "%c differs",
             (int)p->first_seed, p->target, level, threads, (int)p->M, (int)p->N, (int)p->K,
             (int)p->a[0], (int)p->a[1], (int)p->b[0], (int)p->b[1], (int)p->c[0], (int)p->c[1],
             (int)(at % RESULT_BYTES / size) - SPAN, "CE"[which]);
}

/* What became of a problem. */
enum outcome { FAULTY, BY_PROGRAMS, WHOLE, OUTCOMES };

static enum outcome run_problem(uint64_t seed, const char *target)
{
    struct problem *p = calloc(1, sizeof *p);
    assert_non_null(p);
    p->first_seed = seed;
    p->seed = (uint32_t)seed * 7919u;
    p->target = target;
    choose_problem(p);
    put_kernel(p);
    make_arrays(p);
    unsigned char *want = malloc(2 * (size_t)RESULT_BYTES), *got = malloc(2 * (size_t)RESULT_BYTES);
    assert_true(want && got);
    bool faults, whole = false;
    run(p, "interp", NULL, 1, want, &faults, NULL);
    if (!faults && run(p, target, "native", 1, got, NULL, &whole))
        compare(p, "native", 1, want, got);
    const char *level = written_level((uint32_t)seed);
    if (!faults && strcmp(target, "cpu") == 0) {
        if (run(p, target, level, 3, got, NULL, NULL))
            compare(p, level, 3, want, got);
        else
            written_emit(p->source, level);
    }
    for (int i = 0; i < ARRAYS; i++)
        free(p->arrays[i].data);
    free(want);
    free(got);
    free(p);
    return faults ? FAULTY : whole ? WHOLE : BY_PROGRAMS;
}

static const char *target = "cpu";

static void test_random(void **state)
{
    (void)state;
    bool cpu = strcmp(target, "cpu") == 0;
    if (!cpu && system("command -v clang++-19 >/dev/null") != 0)
        SKIP(SKIP_WITHOUT_CLANG);
    struct seeds seeds = seeds_of("ODD", cpu ? COUNT : GPU_COUNT);
    uint64_t seed;
    int outcomes[OUTCOMES] = {0};
    while (seeds_take(&seeds, 1, &seed))
        outcomes[run_problem(seed, target)]++;
    print_message("%d as one product, %d by programs, %d wrong by themselves\n", outcomes[WHOLE],
                  outcomes[BY_PROGRAMS], outcomes[FAULTY]);
    assert_true(seeds.count < 50 || !cpu || outcomes[WHOLE] >= (int)seeds.count / 10);
    assert_true(seeds.count < 50 || outcomes[FAULTY] <= (int)seeds.count / 2);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
    target = argc > 1 ? argv[1] : target;
    return RUN_TESTS(tests, NULL, NULL);
}
