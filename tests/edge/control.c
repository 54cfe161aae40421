/* Edge cases of reductions, scans, loops, grids and empty shapes. */
#include "edge.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define HEAD "#include <tilec/kernel.h>\n"

/* `max` of {NaN, inf, 1}, of all NaN, NaN in the carried value; half, bfloat, float */
static void max_of_nan(void **state)
{
    static const struct {
        const char *name;
        tilec_type type;
    } types[] = {{"half", TILEC_F16}, {"bfloat", TILEC_BF16}, {"float", TILEC_F32}};
    (void)state;
    FOR_EACH_TARGET(target)
    {
        for (int t = 0; t < 3; t++) {
            unsigned char in[40 * 4];
            bool nan[5];
            float ignored[1];
            char text[1200];
            size_t size = tilec_type_size(types[t].type);
            /* 0..2: NaN, inf, 1; 3..35: all NaN; 36: 2 */
            for (int i = 0; i < 40; i++) {
                double value = i == 1 ? (double)INFINITY : i == 2 ? 1 : i >= 36 ? 2 : (double)NAN;
                uint64_t bits = tilec_float(types[t].type, value).bits;
                memcpy(in + (size_t)i * size, &bits, size);
            }
            snprintf(text, sizeof text,
                     HEAD "launch_grid(k, 1);\n"
                          "kernel void k(const %s *X, bool *Nan, float *Ignored)\n"
                          "{\n"
                          "    int i = arange(0, 3), j = arange(0, 33);\n"
                          "    store(Nan, isnan(max(load(X + i))));\n"
                          "    store(Nan + 1, isnan(max(load(X + 3 + j))));\n"
                          "    %s m = load(X);\n"
                          "    for (int step = 0; step < 3; step++)\n"
                          "        m = maximum(m, load(X + 36));\n"
                          "    store(Nan + 2, isnan(m));\n"
                          "    store(Nan + 3, isnan(min(load(X + i))));\n"
                          "    %s f = -INFINITY;\n"
                          "    for (int step = 0; step < 40; step++)\n"
                          "        f = fmax(f, load(X + step, step != 1));\n"
                          "    store(Ignored, f);\n"
                          "    store(Nan + 4, isnan(max(load(X + 36 + arange(0, 4)))));\n"
                          "}\n",
                     types[t].name, types[t].name, types[t].name);
            EDGE_RUN(target, text, tilec_array(types[t].type, in, 40), EDGE_ARRAY(TILEC_BOOL, nan),
                     EDGE_ARRAY(TILEC_F32, ignored));
            assert_true(nan[0] && nan[1] && nan[2] && nan[3] && !nan[4]);
            assert_true(ignored[0] == 2);
        }
    }
}

/* max and min of 16-bit floats go by their bits: signs, zeros, subnormals, NaN of either sign, in a
 * whole vector and in what is left of one; as they are, and widened first */
struct small_range {
    uint16_t fill, odd; /* all elements, and the one at a place */
    uint16_t greatest, least;
};

static void check_small_range(const char *target, const char *text, tilec_type type,
                              const struct small_range *row, int place)
{
    uint16_t in[167], out[2] = {1, 1};
    float wide[2];
    for (int i = 0; i < 167; i++)
        in[i] = i == place ? row->odd : row->fill;
    EDGE_RUN(target, text, EDGE_ARRAY(type, in), EDGE_ARRAY(type, out),
             EDGE_ARRAY(TILEC_F32, wide));
    uint16_t infinity = type == TILEC_F16 ? 0x7c00 : 0x7f80;
    bool nan = (row->greatest & 0x7fff) > infinity;
    for (int k = 0; k < 2; k++) {
        uint16_t expected = k ? row->least : row->greatest;
        if (nan)
            assert_true((out[k] & 0x7fff) > infinity && isnan(wide[k]));
        else
            assert_int_equal(out[k], expected);
        if (!nan && type == TILEC_BF16) {
            uint32_t bits;
            memcpy(&bits, &wide[k], 4);
            assert_int_equal(bits, (uint32_t)expected << 16);
        }
    }
}

static void range_of_small_floats(void **state)
{
    static const struct small_range rows[] = {
        {0x3c00, 0x4000, 0x4000, 0x3c00}, {0x3c00, 0xc000, 0x3c00, 0xc000},
        {0xbc00, 0xc000, 0xbc00, 0xc000}, {0xbc00, 0x8001, 0x8001, 0xbc00},
        {0x8000, 0x0000, 0x0000, 0x8000}, {0x0000, 0x8000, 0x0000, 0x8000},
        {0x8000, 0x8000, 0x8000, 0x8000}, {0x0001, 0x8001, 0x0001, 0x8001},
        {0x7bff, 0x7fff, 0x7fff, 0x7fff}, {0xfbff, 0x7fff, 0x7fff, 0x7fff},
        {0x7bff, 0xffff, 0xffff, 0xffff}, {0xfbff, 0xffff, 0xffff, 0xffff}};
    static const struct {
        const char *name;
        tilec_type type;
        uint16_t infinity;
    } types[] = {{"half", TILEC_F16, 0x7c00}, {"bfloat", TILEC_BF16, 0x7f80}};
    (void)state;
    FOR_EACH_TARGET(target)
    for (int t = 0; t < 2; t++) {
        char text[800];
        snprintf(text, sizeof text,
                 HEAD "launch_grid(k, 1);\n"
                      "kernel void k(const %s *X, %s *Out, float *Wide)\n"
                      "{\n"
                      "    auto x = load(X + arange(0, 167));\n"
                      "    float w = x;\n"
                      "    store(Out, max(x));\n"
                      "    store(Out + 1, min(x));\n"
                      "    store(Wide, max(w));\n"
                      "    store(Wide + 1, min(w));\n"
                      "}\n",
                 types[t].name, types[t].name);
        uint16_t up = types[t].infinity, down = up | 0x8000;
        const struct small_range endless[] = {
            {up, up, up, up}, {down, down, down, down}, {up, down, up, down}};
        for (int place = 3; place < 167; place += 81) {
            for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
                check_small_range(target, text, types[t].type, &rows[i], place);
            for (size_t i = 0; i < sizeof endless / sizeof *endless; i++)
                check_small_range(target, text, types[t].type, &endless[i], place);
        }
    }
}

/* exp(x - max(x)) is compiled knowing that it is at most 1: far below, infinities, NaN */
static void exp_below_the_maximum(void **state)
{
    static const struct {
        const char *name;
        tilec_type type;
    } types[] = {{"half", TILEC_F16}, {"bfloat", TILEC_BF16}, {"float", TILEC_F32}};
    static const double rows[4][4] = {{3, -1000, -97, (double)-INFINITY},
                                      {-1000, -1000, -1096, (double)-INFINITY},
                                      {1, (double)NAN, 2, 3},
                                      {(double)-INFINITY, (double)INFINITY, 0, 1}};
    (void)state;
    FOR_EACH_TARGET(target)
    for (int t = 0; t < 3; t++) {
        unsigned char in[4 * 80 * 4];
        float out[4 * 80];
        char text[500];
        size_t size = tilec_type_size(types[t].type);
        for (int i = 0; i < 320; i++) {
            uint64_t bits = tilec_float(types[t].type, rows[i / 80][i % 4]).bits;
            memcpy(in + (size_t)i * size, &bits, size);
        }
        snprintf(text, sizeof text,
                 HEAD "launch_grid(k, 4);\n"
                      "kernel void k(const %s *restrict X, float *restrict Out)\n"
                      "{\n"
                      "    int i = program_id(0) * 80 + arange(0, 80);\n"
                      "    float x = load(X + i);\n"
                      "    store(Out + i, exp(x - max(x)));\n"
                      "}\n",
                 types[t].name);
        EDGE_RUN(target, text, tilec_array(types[t].type, in, 320), EDGE_ARRAY(TILEC_F32, out));
        for (int i = 0; i < 80; i++) {
            double top = i % 4 == 0 ? 1 : 0; /* exp(-100) is 26.5 units of the least subnormal */
            if (i % 4 == 2)
                assert_true(out[i] >= 0x1.9p-145f && out[i] <= 0x1.cp-145f);
            else
                assert_true(out[i] == top);
            if (i % 4 < 2)
                assert_true(out[80 + i] == 1);
            else if (i % 4 == 3)
                assert_true(out[80 + i] == 0);
            assert_true(isnan(out[160 + i]));
            assert_true(i % 4 == 1 ? isnan(out[240 + i]) : out[240 + i] == 0);
        }
    }
}

/* bfloat goes to float and back two elements at a time: each place gets its own, whole vectors and
 * what is left of them, and sums miss none */
static void bfloat_in_pairs(void **state)
{
    static const char text[] = HEAD
        "launch_grid(k, 1);\n"
        "kernel void k(const bfloat *restrict X, const bfloat *restrict W, bfloat *restrict Out,\n"
        "              float *restrict Sum, int n)\n"
        "{\n"
        "    int i = arange(0, 256);\n"
        "    float x = load(X + i, i < n), w = load(W + i, i < n);\n"
        "    store(Out + i, x * 2.0f + w, i < n);\n"
        "    store(Sum, sum(where(i < n, x - 1.0f, 0.0f)));\n"
        "    store(Sum + 1, sum(x * x));\n"
        "}\n";
    (void)state;
    FOR_EACH_TARGET(target)
    for (int n = 0; n <= 256; n += n < 34 ? 11 : n < 222 ? 47 : 1 + n % 3 * 7) {
        uint16_t x[256], w[256], out[256];
        float sums[2], less = 0, squares = 0;
        for (int i = 0; i < 256; i++) {
            x[i] = (uint16_t)tilec_float(TILEC_BF16, i % 101).bits;
            w[i] = (uint16_t)tilec_float(TILEC_BF16, i % 3 ? -4 : 6).bits;
            out[i] = 0xaaaa;
        }
        EDGE_RUN(target, text, EDGE_ARRAY(TILEC_BF16, x), EDGE_ARRAY(TILEC_BF16, w),
                 EDGE_ARRAY(TILEC_BF16, out), EDGE_ARRAY(TILEC_F32, sums),
                 tilec_int(TILEC_I32, n));
        for (int i = 0; i < 256; i++) {
            double r = i % 101 * 2 + (i % 3 ? -4 : 6);
            assert_int_equal(out[i], i < n ? (uint16_t)tilec_float(TILEC_BF16, r).bits : 0xaaaa);
            less += i < n ? (float)(i % 101 - 1) : 0;
            squares += i < n ? (float)((i % 101) * (i % 101)) : 0;
        }
        assert_true(sums[0] == less && sums[1] == squares);
    }
}

/* Subnormals stored as bfloat, alone in a block of others, in every place of it */
static void subnormals_to_bfloat(void **state)
{
    static const char text[] = HEAD "launch_grid(k, 1);\n"
                                    "kernel void k(const float *X, bfloat *Out)\n"
                                    "{\n"
                                    "    int i = arange(0, 96);\n"
                                    "    store(Out + i, load(X + i));\n"
                                    "}\n";
    (void)state;
    FOR_EACH_TARGET(target)
    for (int place = 0; place < 96; place += 5) {
        float in[96];
        uint16_t out[96];
        for (int i = 0; i < 96; i++)
            in[i] = i == place ? 0x1.18p-128f : i % 2 ? 1.0f : -0.0f;
        EDGE_RUN(target, text, EDGE_ARRAY(TILEC_F32, in), EDGE_ARRAY(TILEC_BF16, out));
        /* 1.18p-128 is 35 times bfloat's least, 2^-133 */
        for (int i = 0; i < 96; i++)
            assert_int_equal(out[i], i == place ? 0x23 : i % 2 ? 0x3f80 : 0x8000);
    }
}

/* Reduce and broadcast with widths 1, 24, 48, 229 and axes of size 1 */
static void odd_widths(void **state)
{
    static const int widths[] = {1, 2, 24, 31, 48, 229};
    (void)state;
    FOR_EACH_TARGET(target)
    {
        for (int w = 0; w < 6; w++) {
            int n = widths[w];
            int32_t in[3 * 229], all[4], rows[3], columns[229], spread[3 * 229];
            char text[2000];
            for (int i = 0; i < 3 * n; i++)
                in[i] = (i * 37) % 101 - 50;
            snprintf(text, sizeof text,
                     HEAD
                     "launch_grid(k, 1);\n"
                     "kernel void k(const int *X, int *All, int *Rows, int *Columns, int *Spread)\n"
                     "{\n"
                     "    int x = tile_load(view(X, 3, %d), 0, 0, 3, %d);\n"
                     "    int j = arange(0, %d), r = arange(0, 3);\n"
                     "    store(All, sum(x));\n"
                     "    store(All + 1, max(x));\n"
                     "    store(All + 2, argmin(x));\n"
                     "    int t = reshape(x, 1, 3, %d);\n"
                     "    store(All + 3, all(sum(t, axis(0), keep) == t));\n"
                     "    store(Rows + r, sum(x, axis(1)));\n"
                     "    store(Columns + j, max(x, axis(0)));\n"
                     "    int s = broadcast_to(sum(x, axis(1), keep), 3, %d) - x;\n"
                     "    tile_store(view(Spread, 3, %d), 0, 0, s);\n"
                     "}\n",
                     n, n, n, n, n, n);
            EDGE_RUN(target, text, tilec_array(TILEC_I32, in, 3 * n), EDGE_ARRAY(TILEC_I32, all),
                     EDGE_ARRAY(TILEC_I32, rows), EDGE_ARRAY(TILEC_I32, columns),
                     EDGE_ARRAY(TILEC_I32, spread));
            int total = 0, greatest = in[0], least_at = 0;
            for (int row = 0; row < 3; row++) {
                int sum = 0;
                for (int j = 0; j < n; j++) {
                    int value = in[row * n + j];
                    sum += value;
                    greatest = value > greatest ? value : greatest;
                    least_at = value < in[least_at] ? row * n + j : least_at;
                }
                assert_int_equal(rows[row], sum);
                for (int j = 0; j < n; j++)
                    assert_int_equal(spread[row * n + j], sum - in[row * n + j]);
                total += sum;
            }
            assert_int_equal(all[0], total);
            assert_int_equal(all[1], greatest);
            assert_int_equal(all[2], least_at);
            assert_int_equal(all[3], 1); /* a sum over an axis of 1 */
            for (int j = 0; j < n; j++) {
                int column = in[j] > in[n + j] ? in[j] : in[n + j];
                column = in[2 * n + j] > column ? in[2 * n + j] : column;
                assert_int_equal(columns[j], column);
            }
        }
    }
}

/* A loop of zero trips, of an upper bound below the lower; its value used after: the initial value
 */
static void loops_of_no_trips(void **state)
{
    static const struct {
        int from, to, trips;
    } loops[] = {{0, 0, 0}, {5, 2, 0}, {0, 1, 1}, {-3, 0, 3}, {0, 2, 2}};
    (void)state;
    FOR_EACH_TARGET(target)
    {
        for (int i = 0; i < 5; i++) {
            float out[8];
            int32_t count[1];
            EDGE_RUN(target,
                     HEAD "launch_grid(k, 1);\n"
                          "kernel void k(float *Out, int *Count, int from, int to)\n"
                          "{\n"
                          "    float acc = 7.0f;\n"
                          "    int n = 0;\n"
                          "    for (int i = from; i < to; i++) {\n"
                          "        acc = acc + full(float, 1, 8);\n"
                          "        n++;\n"
                          "    }\n"
                          "    store(Out + arange(0, 8), acc);\n"
                          "    store(Count, n);\n"
                          "}\n",
                     EDGE_ARRAY(TILEC_F32, out), EDGE_ARRAY(TILEC_I32, count),
                     tilec_int(TILEC_I32, loops[i].from), tilec_int(TILEC_I32, loops[i].to));
            assert_int_equal(count[0], loops[i].trips);
            for (int k = 0; k < 8; k++)
                assert_true(out[k] == 7 + (float)loops[i].trips);
        }
    }
}

/* Loops that start at the lesser of a bound and of what is passed, at the greater, and at a
 * remainder: of steps that leave the bound at the first trip or go on to it. NVIDIA's compiler does not
 * end on the first kind as C (see loop_start in src/emit). */
static void loops_from_within_bounds(void **state)
{
    static const int starts[] = {-4, -1, 0, 1, 2, 3, 7};
    (void)state;
    FOR_EACH_TARGET(target)
    {
        for (size_t s = 0; s < sizeof starts / sizeof *starts; s++) {
            int n = starts[s], wanted[4] = {0};
            int32_t count[4];
            EDGE_RUN(target,
                     HEAD "launch_grid(k, 1);\n"
                          "kernel void k(int *Count, int n)\n"
                          "{\n"
                          "    int least = 0, wide = 0, most = 0, rest = 0;\n"
                          "    for (int i = minimum(n, 2); i < 3; i += 2)\n"
                          "        least++;\n"
                          "    for (int i = minimum(n, 6); i < 7; i += 3)\n"
                          "        wide++;\n"
                          "    for (int i = maximum(n, -2); i < 3; i += 2)\n"
                          "        most++;\n"
                          "    for (int i = n & 3; i < 4; i += 2)\n"
                          "        rest++;\n"
                          "    store(Count, least);\n"
                          "    store(Count + 1, wide);\n"
                          "    store(Count + 2, most);\n"
                          "    store(Count + 3, rest);\n"
                          "}\n",
                     EDGE_ARRAY(TILEC_I32, count), tilec_int(TILEC_I32, n));
            for (int i = n < 2 ? n : 2; i < 3; i += 2)
                wanted[0]++;
            for (int i = n < 6 ? n : 6; i < 7; i += 3)
                wanted[1]++;
            for (int i = n > -2 ? n : -2; i < 3; i += 2)
                wanted[2]++;
            for (int i = n & 3; i < 4; i += 2)
                wanted[3]++;
            for (int i = 0; i < 4; i++)
                assert_int_equal(count[i], wanted[i]);
        }
    }
}

/* A carried variable that starts as int or bool and becomes float or another shape: an error that
 * names the variable and both types */
static void carried_variables_keep_their_type(void **state)
{
    (void)state;
    float out[16];
    const tilec_argument argument[] = {EDGE_ARRAY(TILEC_F32, out)};
    edge_expect("interp",
                HEAD "launch_grid(k, 1);\n"
                     "kernel void k(float *Out)\n"
                     "{\n"
                     "    float acc = full(float, 0, 8);\n"
                     "    for (int i = 0; i < 4; i++)\n"
                     "        acc = full(float, 0, 16);\n"
                     "    store(Out + arange(0, 16), acc);\n"
                     "}\n",
                NULL, argument, 1, TILEC_ERROR_COMPILE);
    assert_non_null(strstr(edge_message(), "'acc'"));
    assert_non_null(strstr(edge_message(), "[8]"));
    assert_non_null(strstr(edge_message(), "[16]"));
}

/* An argument that happens to be 1 or 0 changes nothing */
static void arguments_of_one_and_zero(void **state)
{
    (void)state;
    for (int n = 0; n <= 2; n++)
        FOR_EACH_TARGET(target)
        {
            const float in[7] = {1, 2, 3, 4, 5, 6, 7};
            float out[4];
            EDGE_RUN(target,
                     HEAD "launch_grid(k, 1);\n"
                          "kernel void k(const float *X, float *Out, int n, float scale)\n"
                          "{\n"
                          "    int i = arange(0, 4);\n"
                          "    float acc = load(X + n * i);\n"
                          "    for (int j = 0; j < n; j++)\n"
                          "        acc = acc * scale + n;\n"
                          "    store(Out + i, acc, n * i < 7);\n"
                          "}\n",
                     EDGE_ARRAY(TILEC_F32, in), EDGE_ARRAY(TILEC_F32, out),
                     tilec_int(TILEC_I32, n), tilec_float(TILEC_F32, n));
            static const float expected[3][4] = {{1, 1, 1, 1}, {2, 3, 4, 5}, {10, 18, 26, 34}};
            assert_memory_equal(out, expected[n], sizeof out);
        }
}

/* A grid with a zero; a grid of 2^16 in y; a product beyond 2^32 */
static void grids(void **state)
{
    static const char *const text = HEAD "kernel void k(int *Out)\n"
                                         "{\n"
                                         "    atomic_add(Out, 1);\n"
                                         "}\n";
    static const struct {
        int64_t grid[3];
        tilec_status status;
        int32_t count;
    } cases[] = {
        {{0, 5, 1}, TILEC_OK, 0},
        {{5, 0, 1}, TILEC_OK, 0},
        {{2, 3, 0}, TILEC_OK, 0},
        {{2, 3, 4}, TILEC_OK, 24},
        {{1, 1 << 16, 1}, TILEC_OK, 1 << 16},
        {{1 << 16, 1 << 16, 16}, TILEC_ERROR_GRID, 0},
        {{-1, 1, 1}, TILEC_ERROR_GRID, 0},
    };
    (void)state;
    FOR_EACH_TARGET(target)
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int32_t out[1] = {0};
        const tilec_argument argument[] = {EDGE_ARRAY(TILEC_I32, out)};
        edge_expect(target, text, cases[i].grid, argument, 1, cases[i].status);
        assert_int_equal(out[0], cases[i].count);
    }
}

/* A rank-0 output; a [128, 0] array; K = 0 in a matrix product: works; nothing done; zeros */
static void nothing_to_read(void **state)
{
    (void)state;
    FOR_EACH_TARGET(target)
    {
        float out[1] = {0}, empty[1] = {0}, product[4] = {9, 9, 9, 9};
        const int64_t no_columns[] = {128, 0};
        EDGE_RUN(target,
                 HEAD "launch_grid(k, 1);\n"
                      "kernel void k(float *Out, const float *Empty, float *Product, int columns)\n"
                      "{\n"
                      "    store(Out, 3.0f);\n"
                      "    auto e = view(Empty, 128, columns);\n"
                      "    store(Out, 1.0f + sum(tile_load(e, 0, 0, 16, 16)));\n"
                      "    float acc = zeros(float, 2, 2);\n"
                      "    for (int k = 0; k < columns; k += 16)\n"
                      "        acc = dot(tile_load(e, 0, k, 2, 16),\n"
                      "                  trans(tile_load(e, 0, k, 2, 16)), acc);\n"
                      "    tile_store(view(Product, 2, 2), 0, 0, acc);\n"
                      "}\n",
                 tilec_buffer(TILEC_F32, out, 0, NULL),
                 tilec_buffer(TILEC_F32, empty, 2, no_columns), EDGE_ARRAY(TILEC_F32, product),
                 tilec_int(TILEC_I32, 0));
        assert_true(out[0] == 1);
        for (int i = 0; i < 4; i++)
            assert_true(product[i] == 0);
    }
}

/* `dot` with K = 1, M = 1: exact */
static void thin_dot(void **state)
{
    (void)state;
    const float a[1] = {3}, b[5] = {1, -2, 0.5f, 4, 1e6f};
    FOR_EACH_TARGET(target)
    {
        float outer[5], inner[1];
        EDGE_RUN(target,
                 HEAD "launch_grid(k, 1);\n"
                      "kernel void k(const float *A, const float *B, float *Outer, float *Inner)\n"
                      "{\n"
                      "    float a = tile_load(view(A, 1, 1), 0, 0, 1, 1);\n"
                      "    float b = tile_load(view(B, 1, 5), 0, 0, 1, 5);\n"
                      "    tile_store(view(Outer, 1, 5), 0, 0, dot(a, b));\n"
                      "    tile_store(view(Inner, 1, 1), 0, 0, dot(b, trans(b)));\n"
                      "}\n",
                 EDGE_ARRAY(TILEC_F32, a), EDGE_ARRAY(TILEC_F32, b), EDGE_ARRAY(TILEC_F32, outer),
                 EDGE_ARRAY(TILEC_F32, inner));
        for (int i = 0; i < 5; i++)
            assert_true(outer[i] == 3 * b[i]);
        assert_true(fabsf(inner[0] - 1e12f) <= 0x1p16f);
    }
}

/* NaN and infinities in a chain of `dot`s stay in their rows and columns, whatever stands in lanes
 * that no element has; a loop without turns leaves what it carries, signs of zero included */
static void special_dots(void **state)
{
    (void)state;
    const float q[3 * 2] = {1, 0, INFINITY, 1, NAN, 1}, k[5 * 2] = {1, 2, 0, 1, -1, 0, 2, 2, 0, 0};
    const float v[5 * 3] = {1, 0, 1, 1, 0, INFINITY, 1, 0, 1, 1, 0, 1, 1, 0, 1};
    FOR_EACH_TARGET(target)
    {
        for (int turns = 0; turns < 3; turns++) {
            float scores[15], sums[9];
            EDGE_RUN(target,
                     HEAD
                     "launch_grid(k, 1);\n"
                     "kernel void k(const float *Q, const float *K, const float *V, float *S,\n"
                     "              float *Out, int turns)\n"
                     "{\n"
                     "    float q = tile_load(view(Q, 3, 2), 0, 0, 3, 2);\n"
                     "    float acc = full(float, -0.0f, 3, 3);\n"
                     "    for (int i = 0; i < turns; i++) {\n"
                     "        float s = dot(q, trans(tile_load(view(K, 5, 2), 0, 0, 5, 2)));\n"
                     "        tile_store(view(S, 3, 5), 0, 0, s);\n"
                     "        acc = dot(s, tile_load(view(V, 5, 3), 0, 0, 5, 3), acc * 0.5f);\n"
                     "    }\n"
                     "    tile_store(view(Out, 3, 3), 0, 0, acc);\n"
                     "}\n",
                     EDGE_ARRAY(TILEC_F32, q), EDGE_ARRAY(TILEC_F32, k), EDGE_ARRAY(TILEC_F32, v),
                     EDGE_ARRAY(TILEC_F32, scores), EDGE_ARRAY(TILEC_F32, sums),
                     tilec_int(TILEC_I32, turns));
            for (int j = 0; j < 9 && turns == 0; j++)
                assert_true(sums[j] == 0 && signbit(sums[j]));
            if (turns == 0)
                continue;
            const float row[5] = {1, 0, -1, 2, 0};
            for (int j = 0; j < 5; j++) {
                assert_true(scores[j] == row[j]);
                assert_true(row[j] == 0 ? isnan(scores[5 + j]) : isinf(scores[5 + j]));
                assert_true(isnan(scores[10 + j]));
            }
            assert_true(sums[0] == (turns == 1 ? 2 : 3) && sums[1] == 0 && isnan(sums[2]));
            for (int j = 3; j < 9; j++)
                assert_true(isnan(sums[j]));
        }
    }
}

/* `cumsum` longer than a warp and inside a loop: the sequential result */
static void long_cumsum(void **state)
{
    (void)state;
    FOR_EACH_TARGET(target)
    {
        int32_t out[3 * 100], exclusive[100], columns[4 * 3];
        EDGE_RUN(target,
                 HEAD "launch_grid(k, 1);\n"
                      "kernel void k(int *Out, int *Exclusive, int *Columns)\n"
                      "{\n"
                      "    int j = arange(0, 100);\n"
                      "    int carry = 0;\n"
                      "    for (int i = 0; i < 300; i += 100) {\n"
                      "        int x = (i + j) % 7 - 2;\n"
                      "        store(Out + i + j, cumsum(x) + carry);\n"
                      "        carry += sum(x);\n"
                      "    }\n"
                      "    store(Exclusive + j, cumsum(j, exclusive));\n"
                      "    int t = reshape(arange(0, 12), 4, 3);\n"
                      "    tile_store(view(Columns, 4, 3), 0, 0, cumsum(t, axis(0)));\n"
                      "}\n",
                 EDGE_ARRAY(TILEC_I32, out), EDGE_ARRAY(TILEC_I32, exclusive),
                 EDGE_ARRAY(TILEC_I32, columns));
        int running = 0;
        for (int i = 0; i < 300; i++)
            assert_int_equal(out[i], running += i % 7 - 2);
        for (int i = 0; i < 100; i++)
            assert_int_equal(exclusive[i], i * (i - 1) / 2);
        const int32_t expected[] = {0, 1, 2, 3, 5, 7, 9, 12, 15, 18, 22, 26};
        assert_memory_equal(columns, expected, sizeof expected);
    }
}

/* Scans of lengths around those of vectors, of elements of each size: sequential results, with the
 * signs of zeros and NaN from where it stands on. */
static void scan_lengths(void **state)
{
    enum { LENGTHS = 8, MOST = 131 };
    static const int lengths[LENGTHS] = {1, 7, 8, 9, 17, 33, 64, MOST};
    float in[MOST], late[MOST];
    (void)state;
    for (int i = 0; i < MOST; i++) {
        in[i] = i < 3 ? -0.0f : (float)(i * 5 % 7 - 3);
        late[i] = i == 40 ? NAN : in[i];
    }
    FOR_EACH_TARGET(target)
    {
        float sum[LENGTHS][MOST], before[LENGTHS][MOST], most[LENGTHS][MOST], nan[LENGTHS][MOST];
        int64_t wide[LENGTHS][MOST], wide_before[LENGTHS][MOST];
        int32_t narrow[LENGTHS][MOST], least[LENGTHS][MOST], byte[LENGTHS][MOST];
        float half[LENGTHS][MOST], brief[LENGTHS][MOST];
        EDGE_RUN(target,
                 HEAD
                 "launch_grid(k, 1);\n"
                 "#define ROW(AT, N) { \\\n"
                 "    int j = arange(0, N), at = AT * 131 + j; \\\n"
                 "    float x = load(X + j); \\\n"
                 "    store(Sum + at, cumsum(x)); \\\n"
                 "    store(Before + at, cumsum(x, exclusive)); \\\n"
                 "    store(Most + at, cummax(x)); \\\n"
                 "    store(Nan + at, cumsum(load(Late + j))); \\\n"
                 "    store(Wide + at, cumsum((int64_t)x)); \\\n"
                 "    store(WideBefore + at, cumsum((int64_t)x, exclusive)); \\\n"
                 "    store(Narrow + at, cumsum((int8_t)x)); \\\n"
                 "    store(Least + at, cummax((int32_t)x)); \\\n"
                 "    store(Brief + at, (float)cummax((bfloat)x)); \\\n"
                 "    store(Byte + at, (int32_t)cummax((int8_t)x)); \\\n"
                 "    store(Half + at, (float)cumsum((half)x)); }\n"
                 "kernel void k(const float *X, const float *Late, float *Sum, float *Before,\n"
                 "              float *Most, float *Nan, int64_t *Wide, int64_t *WideBefore,\n"
                 "              int32_t *Narrow, int32_t *Least, float *Brief,\n"
                 "              int32_t *Byte, float *Half)\n"
                 "{\n"
                 "    ROW(0, 1) ROW(1, 7) ROW(2, 8) ROW(3, 9) ROW(4, 17) ROW(5, 33) ROW(6, 64)\n"
                 "    ROW(7, 131)\n"
                 "}\n",
                 EDGE_ARRAY(TILEC_F32, in), EDGE_ARRAY(TILEC_F32, late),
                 tilec_array(TILEC_F32, sum, LENGTHS * MOST),
                 tilec_array(TILEC_F32, before, LENGTHS * MOST),
                 tilec_array(TILEC_F32, most, LENGTHS * MOST),
                 tilec_array(TILEC_F32, nan, LENGTHS * MOST),
                 tilec_array(TILEC_I64, wide, LENGTHS * MOST),
                 tilec_array(TILEC_I64, wide_before, LENGTHS * MOST),
                 tilec_array(TILEC_I32, narrow, LENGTHS * MOST),
                 tilec_array(TILEC_I32, least, LENGTHS * MOST),
                 tilec_array(TILEC_F32, brief, LENGTHS * MOST),
                 tilec_array(TILEC_I32, byte, LENGTHS * MOST),
                 tilec_array(TILEC_F32, half, LENGTHS * MOST));
        for (int l = 0; l < LENGTHS; l++) {
            float running = -0.0f, greatest = -INFINITY;
            for (int i = 0; i < lengths[l]; i++) {
                assert_true(before[l][i] == running);
                assert_int_equal(wide_before[l][i], (int64_t)running);
                running += in[i];
                greatest = in[i] > greatest ? in[i] : greatest;
                assert_true(sum[l][i] == running && !signbit(sum[l][i]) == !signbit(running));
                assert_true(i < 40 ? nan[l][i] == running : isnan(nan[l][i]));
                assert_true(most[l][i] == greatest);
                assert_int_equal(least[l][i], (int64_t)greatest);
                assert_int_equal(byte[l][i], (int64_t)greatest);
                assert_true(brief[l][i] == greatest);
                assert_int_equal(wide[l][i], (int64_t)running);
                assert_int_equal(narrow[l][i], (int64_t)running);
                assert_true(half[l][i] == running);
            }
        }
    }
}

/* Products, minima, and scans from the end, of lengths around those of vectors: sequential results
 */
static void further_scans(void **state)
{
    enum { LENGTHS = 6, MOST = 131 };
    static const int lengths[LENGTHS] = {1, 8, 9, 33, 64, MOST};
    float in[MOST], factors[MOST];
    (void)state;
    for (int i = 0; i < MOST; i++) {
        in[i] = i == 2 ? -0.0f : (float)(i * 5 % 7 - 2);
        factors[i] = i % 5 == 3 ? -1.0f : i % 2 ? 0.5f : 2.0f;
    }
    FOR_EACH_TARGET(target)
    {
        float least[LENGTHS][MOST], product[LENGTHS][MOST], before[LENGTHS][MOST];
        float back[LENGTHS][MOST], half[LENGTHS][MOST];
        int32_t behind[LENGTHS][MOST], signs[LENGTHS][MOST], byte[LENGTHS][MOST];
        EDGE_RUN(target,
                 HEAD
                 "launch_grid(k, 1);\n"
                 "static float lesser(float a, float b) { return minimum(a, b); }\n"
                 "#define ROW(AT, N) { \\\n"
                 "    int j = arange(0, N), at = AT * 131 + j; \\\n"
                 "    float x = load(X + j), f = load(F + j); \\\n"
                 "    store(Least + at, cummin(x)); \\\n"
                 "    store(Product + at, cumprod(f)); \\\n"
                 "    store(Before + at, cumprod(f, exclusive)); \\\n"
                 "    store(Back + at, scan(lesser, x, reverse)); \\\n"
                 "    store(Half + at, cummin((half)x, reverse)); \\\n"
                 "    store(Behind + at, cumsum((int)x, reverse, exclusive)); \\\n"
                 "    store(Signs + at, cumprod(where(f < 0, -1, 1), reverse)); \\\n"
                 "    store(Byte + at, cummin((int8_t)x)); }\n"
                 "kernel void k(const float *X, const float *F, float *Least, float *Product,\n"
                 "              float *Before, float *Back, float *Half, int *Behind, int *Signs,\n"
                 "              int *Byte)\n"
                 "{\n"
                 "    ROW(0, 1) ROW(1, 8) ROW(2, 9) ROW(3, 33) ROW(4, 64) ROW(5, 131)\n"
                 "}\n",
                 EDGE_ARRAY(TILEC_F32, in), EDGE_ARRAY(TILEC_F32, factors),
                 tilec_array(TILEC_F32, least, LENGTHS * MOST),
                 tilec_array(TILEC_F32, product, LENGTHS * MOST),
                 tilec_array(TILEC_F32, before, LENGTHS * MOST),
                 tilec_array(TILEC_F32, back, LENGTHS * MOST),
                 tilec_array(TILEC_F32, half, LENGTHS * MOST),
                 tilec_array(TILEC_I32, behind, LENGTHS * MOST),
                 tilec_array(TILEC_I32, signs, LENGTHS * MOST),
                 tilec_array(TILEC_I32, byte, LENGTHS * MOST));
        for (int l = 0; l < LENGTHS; l++) {
            float so_far = INFINITY, running = 1;
            for (int i = 0; i < lengths[l]; i++) {
                so_far = in[i] < so_far ? in[i] : so_far;
                assert_true(least[l][i] == so_far && byte[l][i] == (int)so_far);
                assert_true(before[l][i] == running);
                running *= factors[i];
                assert_true(product[l][i] == running);
            }
            int sum = 0, sign = 1;
            so_far = INFINITY;
            for (int i = lengths[l] - 1; i >= 0; i--) {
                assert_int_equal(behind[l][i], sum);
                sum += (int)in[i];
                sign = factors[i] < 0 ? -sign : sign;
                so_far = in[i] < so_far ? in[i] : so_far;
                assert_int_equal(signs[l][i], sign);
                assert_true(back[l][i] == so_far && half[l][i] == so_far);
            }
        }
    }
}

/* `argmax` of equals: the first index; NaN wins; -0.0 < +0.0 */
static void argmax_of_equals(void **state)
{
    (void)state;
    float in[3][70];
    for (int i = 0; i < 70; i++) {
        in[0][i] = 4;
        in[1][i] = i == 41 || i == 67 ? NAN : (float)i;
        in[2][i] = i < 35 ? -0.0f : 0.0f;
    }
    FOR_EACH_TARGET(target)
    {
        int32_t greatest[3], least[3];
        EDGE_RUN(target,
                 HEAD "launch_grid(k, 1);\n"
                      "kernel void k(const float *X, int *Greatest, int *Least)\n"
                      "{\n"
                      "    for (int r = 0; r < 3; r++) {\n"
                      "        float x = load(X + r * 70 + arange(0, 70));\n"
                      "        store(Greatest + r, argmax(x));\n"
                      "        store(Least + r, argmin(x));\n"
                      "    }\n"
                      "}\n",
                 tilec_array(TILEC_F32, in, 3 * 70), EDGE_ARRAY(TILEC_I32, greatest),
                 EDGE_ARRAY(TILEC_I32, least));
        assert_int_equal(greatest[0], 0);
        assert_int_equal(least[0], 0);
        assert_int_equal(greatest[1], 41);
        assert_int_equal(least[1], 41);
        assert_int_equal(greatest[2], 35);
        assert_int_equal(least[2], 0);
    }
}

/* Two kernels of one name; two versions of one source: each its own code */
static void kernels_of_one_name(void **state)
{
    static const char *const texts[] = {
        HEAD "launch_grid(k, 1);\nkernel void k(int *Out) { store(Out, 1); }\n",
        HEAD "launch_grid(k, 1);\nkernel void k(int *Out) { store(Out, 2); }\n",
    };
    (void)state;
    FOR_EACH_TARGET(target)
    for (int i = 0; i < 4; i++) {
        int32_t out[1] = {0};
        EDGE_RUN(target, texts[i % 2], EDGE_ARRAY(TILEC_I32, out));
        assert_int_equal(out[0], i % 2 + 1);
    }
}

const struct CMUnitTest edge_control_tests[] = {
    cmocka_unit_test(max_of_nan),
    cmocka_unit_test(range_of_small_floats),
    cmocka_unit_test(subnormals_to_bfloat),
    cmocka_unit_test(bfloat_in_pairs),
    cmocka_unit_test(exp_below_the_maximum),
    cmocka_unit_test(odd_widths),
    cmocka_unit_test(loops_of_no_trips),
    cmocka_unit_test(loops_from_within_bounds),
    cmocka_unit_test(carried_variables_keep_their_type),
    cmocka_unit_test(arguments_of_one_and_zero),
    cmocka_unit_test(grids),
    cmocka_unit_test(nothing_to_read),
    cmocka_unit_test(thin_dot),
    cmocka_unit_test(special_dots),
    cmocka_unit_test(long_cumsum),
    cmocka_unit_test(scan_lengths),
    cmocka_unit_test(further_scans),
    cmocka_unit_test(argmax_of_equals),
    cmocka_unit_test(kernels_of_one_name),
};
const size_t edge_control_test_count = sizeof edge_control_tests / sizeof *edge_control_tests;
