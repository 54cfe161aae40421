/* Edge cases of addresses, masks, fills, views and aliasing. */
#include "../pages.h"
#include "../skip.h"
#include "edge.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HEAD "#include <tilec/kernel.h>\n"

/* A store at an element offset just over 2^31: the right element, never a wrapped address */
static void offset_over_2_31(void **state)
{
    (void)state;
    const size_t size = ((size_t)1 << 31) + 4096;
    int8_t *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        SKIP("there is no room for %zu bytes of addresses", size);
    FOR_EACH_TARGET(target)
    {
        /* msl-host remembers so many things of every byte that 2 GB are too much for a test. */
        if (strcmp(target, "msl-host") == 0)
            continue;
        /* Unknown lengths are trusted; where arrays are copied they must be known. */
        const int64_t elements = strcmp(target, "cuda") == 0 ? (int64_t)size : -1;
        EDGE_RUN(target,
                 HEAD "launch_grid(k, 2);\n"
                      "kernel void k(int8_t *Out, int stride)\n"
                      "{\n"
                      "    int i = program_id(0) * stride + 8 * program_id(0) + arange(0, 4);\n"
                      "    store(Out + i, cast(int8_t, 5));\n"
                      "}\n",
                 tilec_array(TILEC_I8, memory, elements), tilec_int(TILEC_I32, INT32_MAX));
        const size_t at = (size_t)INT32_MAX + 8;
        assert_int_equal(memory[at - 1], 0);
        for (size_t i = 0; i < 4; i++)
            assert_int_equal(memory[at + i], 5);
        assert_int_equal(memory[at + 4], 0);
        memset(memory + at, 0, 4);
    }
    munmap(memory, size);
}

/* A masked vector load whose last valid element ends at an unmapped page: no fault, the fill */
static void mask_ends_at_unmapped_page(void **state)
{
    (void)state;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *memory =
        mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    assert_int_equal(mprotect(memory, page, PROT_NONE), 0);
    assert_int_equal(mprotect(memory + 2 * page, page, PROT_NONE), 0);
    float *end = (float *)(void *)(memory + 2 * page), *begin = (float *)(void *)(memory + page);
    int8_t *byte_end = (int8_t *)end;
    float out[64], first[64];
    int8_t bytes[64];
    FOR_EACH_TARGET(target)
    {
        for (int n = 0; n <= 33; n++) {
            for (int i = 0; i < n; i++) {
                (end - n)[i] = (float)i;
                begin[i] = (float)(i + 100);
            }
            EDGE_RUN(
                target,
                HEAD "launch_grid(k, 1);\n"
                     "kernel void k(const float *X, const float *Y, float *Out, float *First,\n"
                     "              int n)\n"
                     "{\n"
                     "    int i = arange(0, 64);\n"
                     "    store(Out + i, load(X + i, i < n, -7.0f));\n"
                     "    store(First + i, load(Y + (i - 64 + n), i - 64 + n >= 0, -7.0f));\n"
                     "}\n",
                tilec_array(TILEC_F32, end - n, n), tilec_array(TILEC_F32, begin, n),
                EDGE_ARRAY(TILEC_F32, out), EDGE_ARRAY(TILEC_F32, first), tilec_int(TILEC_I32, n));
            for (int i = 0; i < 64; i++) {
                assert_true(out[i] == (i < n ? (float)i : -7.0f));
                assert_true(first[i] == (i >= 64 - n ? (float)(i - 64 + n + 100) : -7.0f));
            }
            for (int i = 0; i < n; i++)
                (byte_end - n)[i] = (int8_t)i;
            EDGE_RUN(target,
                     HEAD "launch_grid(k, 1);\n"
                          "kernel void k(const int8_t *X, int8_t *Out, int n)\n"
                          "{\n"
                          "    int i = arange(0, 64);\n"
                          "    store(Out + i, load(X + i, i < n, -7));\n"
                          "}\n",
                     tilec_array(TILEC_I8, byte_end - n, n), EDGE_ARRAY(TILEC_I8, bytes),
                     tilec_int(TILEC_I32, n));
            for (int i = 0; i < 64; i++)
                assert_int_equal(bytes[i], i < n ? i : -7);
        }
    }
    munmap(memory, 3 * page);
}

/* A masked load without fill, then summed; the same with an explicit fill of 0: 0 in both */
static void masked_off_reads_zero(void **state)
{
    (void)state;
    const float in[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    float out[3];
    FOR_EACH_TARGET(target)
    {
        memset(out, 0x77, sizeof out);
        EDGE_RUN(target,
                 HEAD "launch_grid(k, 1);\n"
                      "kernel void k(const float *X, float *Out, int n)\n"
                      "{\n"
                      "    int i = arange(0, 24);\n"
                      "    store(Out, sum(load(X + i, i < n)));\n"
                      "    store(Out + 1, sum(load(X + i, i < n, 0)));\n"
                      "    store(Out + 2, sum(load(X + i, i < 3)));\n"
                      "}\n",
                 EDGE_ARRAY(TILEC_F32, in), EDGE_ARRAY(TILEC_F32, out), tilec_int(TILEC_I32, 0));
        assert_true(out[0] == 0 && out[1] == 0 && out[2] == 6);
    }
}

/* A tile past the edge with a chosen fill (-inf for a max): that fill in every outside element */
static void fill_past_the_edge(void **state)
{
    (void)state;
    const float in[6] = {-5, -6, -7, -8, -9, -10}; /* 2 x 3 */
    float top[2], tile[64];
    FOR_EACH_TARGET(target)
    {
        memset(tile, 0, sizeof tile);
        EDGE_RUN(target,
                 HEAD "launch_grid(k, 1);\n"
                      "kernel void k(const float *X, float *Top, float *Tile)\n"
                      "{\n"
                      "    auto x = view(X, 2, 3);\n"
                      "    float t = tile_load_or(-INFINITY, x, -1, -2, 8, 8);\n"
                      "    store(Top, max(t));\n"
                      "    store(Top + 1, max(tile_load_or(-INFINITY, x, 5, 0, 4)));\n"
                      "    tile_store(view(Tile, 8, 8), 0, 0, t);\n"
                      "}\n",
                 EDGE_ARRAY(TILEC_F32, in), EDGE_ARRAY(TILEC_F32, top),
                 EDGE_ARRAY(TILEC_F32, tile));
        assert_true(top[0] == -5 && top[1] == -INFINITY);
        for (int row = 0; row < 8; row++)
            for (int column = 0; column < 8; column++) {
                bool inside = row >= 1 && row < 3 && column >= 2 && column < 5;
                float expected = inside ? in[(row - 1) * 3 + column - 2] : -INFINITY;
                assert_true(tile[row * 8 + column] == expected);
            }
    }
}

/* int8 -2 filled into a tile: -2 everywhere; bool stored and summed: true is 1, the sum a count */
static void small_fills_and_bools(void **state)
{
    (void)state;
    int8_t bytes[24];
    int32_t wide[24], count[1];
    bool flags[24];
    FOR_EACH_TARGET(target)
    {
        EDGE_RUN(target,
                 HEAD "launch_grid(k, 1);\n"
                      "kernel void k(int8_t *Bytes, int *Wide, bool *Flags, int *Count)\n"
                      "{\n"
                      "    int i = arange(0, 24);\n"
                      "    int8_t x = full(int8_t, -2, 24);\n"
                      "    store(Bytes + i, x);\n"
                      "    store(Wide + i, x);\n"
                      "    store(Flags + i, i % 3 == 0);\n"
                      "    store(Count, sum(i % 3 == 0));\n"
                      "}\n",
                 EDGE_ARRAY(TILEC_I8, bytes), EDGE_ARRAY(TILEC_I32, wide),
                 EDGE_ARRAY(TILEC_BOOL, flags), EDGE_ARRAY(TILEC_I32, count));
        for (int i = 0; i < 24; i++) {
            assert_int_equal(bytes[i], -2);
            assert_int_equal(wide[i], -2);
            assert_int_equal(((unsigned char *)flags)[i], i % 3 == 0);
        }
        assert_int_equal(count[0], 8);
    }
}

/* A load behind `where` with an index out of range: the checker reports it; the mask makes it safe
 */
static void where_does_not_guard(void **state)
{
    (void)state;
    const float in[4] = {1, 2, 3, 4};
    float out[8];
    const tilec_argument arguments[] = {EDGE_ARRAY(TILEC_F32, in), EDGE_ARRAY(TILEC_F32, out)};
    edge_expect("interp",
                HEAD "launch_grid(k, 1);\n"
                     "kernel void k(const float *X, float *Out)\n"
                     "{\n"
                     "    int i = arange(0, 8);\n"
                     "    store(Out + i, where(i < 4, load(X + i), 0));\n"
                     "}\n",
                NULL, arguments, 2, TILEC_ERROR_FAULT);
    assert_string_equal(edge_message(),
                        "load outside 'X': offset 4, but it has 4 elements, in program (0, 0, 0), "
                        "element [4] (and 3 more times)");
    FOR_EACH_TARGET(target)
    {
        EDGE_RUN(target,
                 HEAD "launch_grid(k, 1);\n"
                      "kernel void k(const float *X, float *Out)\n"
                      "{\n"
                      "    int i = arange(0, 8);\n"
                      "    store(Out + i, where(i < 4, load(X + i, i < 4), 0));\n"
                      "}\n",
                 EDGE_ARRAY(TILEC_F32, in), EDGE_ARRAY(TILEC_F32, out));
        for (int i = 0; i < 8; i++)
            assert_true(out[i] == (i < 4 ? in[i] : 0));
    }
}

/* A kernel that writes where it reads, shifted by 64 elements: program order within a program */
static void shifted_in_place(void **state)
{
    (void)state;
    enum { N = 300 };
    float x[N];
    FOR_EACH_TARGET(target)
    {
        for (int shift = 1; shift <= 64; shift *= 4) {
            float expected[N];
            for (int i = 0; i < N; i++)
                x[i] = expected[i] = (float)i;
            EDGE_RUN(target,
                     HEAD "launch_grid(k, 1);\n"
                          "kernel void k(const float *X, float *Out, int n, int shift)\n"
                          "{\n"
                          "    for (int j = 0; j < n; j += 32) {\n"
                          "        int i = j + arange(0, 32);\n"
                          "        float a = load(X + i, i < n);\n"
                          "        store(Out + i + shift, a + 1000.0f, i + shift < n);\n"
                          "    }\n"
                          "}\n",
                     EDGE_ARRAY(TILEC_F32, x), EDGE_ARRAY(TILEC_F32, x), tilec_int(TILEC_I32, N),
                     tilec_int(TILEC_I32, shift));
            for (int j = 0; j < N; j += 32) {
                float tile[32];
                for (int i = 0; i < 32 && j + i < N; i++)
                    tile[i] = expected[j + i];
                for (int i = 0; i < 32 && j + i + shift < N; i++)
                    expected[j + i + shift] = tile[i] + 1000;
            }
            for (int i = 0; i < N; i++)
                assert_true(x[i] == expected[i]);
        }
    }
}

/* A^T B, A B^T, a column-major output: as the plain product */
static void transposed_products(void **state)
{
    (void)state;
    enum { M = 5, N = 7, K = 3 };
    float a[M * K], b[K * N], a_t[K * M], b_t[N * K], out[4][M * N];
    for (int m = 0; m < M; m++)
        for (int k = 0; k < K; k++)
            a[m * K + k] = a_t[k * M + m] = (float)(m * 3 - k * 2);
    for (int k = 0; k < K; k++)
        for (int n = 0; n < N; n++)
            b[k * N + n] = b_t[n * K + k] = (float)(n - k * 4);
    FOR_EACH_TARGET(target)
    {
        memset(out, 0x77, sizeof out);
        EDGE_RUN(target,
                 HEAD "launch_grid(k, 1);\n"
                      "kernel void k(const float *A, const float *B, const float *AT,\n"
                      "              const float *BT, float *C0, float *C1, float *C2, float *C3)\n"
                      "{\n"
                      "    float a = tile_load(view(A, 5, 3), 0, 0, 8, 4);\n"
                      "    float b = tile_load(view(B, 3, 7), 0, 0, 4, 8);\n"
                      "    float at = tile_load(view(AT, 3, 5), 0, 0, 4, 8);\n"
                      "    float bt = tile_load(view(BT, 7, 3), 0, 0, 8, 4);\n"
                      "    tile_store(view(C0, 5, 7), 0, 0, dot(a, b));\n"
                      "    tile_store(view(C1, 5, 7), 0, 0, dot(trans(at), b));\n"
                      "    tile_store(view(C2, 5, 7), 0, 0, dot(a, trans(bt)));\n"
                      "    tile_store(view_strided(C3, 5, 7, 1, 5), 0, 0, dot(a, b));\n"
                      "}\n",
                 EDGE_ARRAY(TILEC_F32, a), EDGE_ARRAY(TILEC_F32, b), EDGE_ARRAY(TILEC_F32, a_t),
                 EDGE_ARRAY(TILEC_F32, b_t), EDGE_ARRAY(TILEC_F32, out[0]),
                 EDGE_ARRAY(TILEC_F32, out[1]), EDGE_ARRAY(TILEC_F32, out[2]),
                 EDGE_ARRAY(TILEC_F32, out[3]));
        for (int m = 0; m < M; m++)
            for (int n = 0; n < N; n++) {
                float expected = 0;
                for (int k = 0; k < K; k++)
                    expected += a[m * K + k] * b[k * N + n];
                for (int form = 0; form < 3; form++)
                    assert_true(out[form][m * N + n] == expected);
                assert_true(out[3][n * M + m] == expected);
            }
    }
}

/* Bits of halves and bfloats that are masked and stored side by side: ptxas narrows two at a time and
 * has lost the masks (half_bits in src/emit/cuda_helpers.def). -(2^k), from bytes, which are
 * converted one by one. Each expression is a kernel, as other uses of the bits keep it from that. */
static void masked_halves(void **state)
{
    (void)state;
    enum { N = 64, FORMS = 4 };
    static const char *const types[] = {"half", "bfloat"};
    static const char *const forms[FORMS] = {"bitcast(uint16_t, abs(h))", "b & 0x3fff", "b % 256", "(uint8_t)b"};
    int8_t in[N];
    for (int i = 0; i < N; i++)
        in[i] = (int8_t) - (1 << i % 7);
    FOR_EACH_TARGET(target)
    for (int t = 0; t < 2; t++)
        for (int f = 0; f < FORMS; f++) {
            char text[800];
            uint16_t out[N];
            snprintf(text, sizeof text,
                     HEAD "launch_grid(k, 1);\n"
                          "kernel void k(const int8_t *restrict X, uint16_t *restrict Out)\n"
                          "{\n"
                          "    int i = arange(0, 64);\n"
                          "    %s h = (%s)load(X + i);\n"
                          "    uint16_t b = bitcast(uint16_t, h);\n"
                          "    store(Out + i, %s);\n"
                          "}\n",
                     types[t], types[t], forms[f]);
            EDGE_RUN(target, text, EDGE_ARRAY(TILEC_I8, in), EDGE_ARRAY(TILEC_U16, out));
            for (int i = 0; i < N; i++) {
                /* the exponents 15 + k and 127 + k stand in front of 10 and 7 bits */
                const int bits = t ? (127 + i % 7) << 7 : (15 + i % 7) << 10;
                const int expected[FORMS] = {bits, bits & 0x3fff, bits % 256, bits % 256};
                assert_int_equal(out[i], expected[f]);
            }
        }
}

/* Conditions, limits and masks that are themselves loaded under a mask: where that fails, nothing is
 * read while it is asked where a row's vectors need no masks. Places come from memory, and one place
 * serves all lanes. */
static void masks_of_masked_loads(void **state)
{
    enum { BYTES = 512 };
    static const int32_t places[] = {0, 511, 512, 700, 2047};
    (void)state;
    uint8_t *x = pages_new(BYTES, PAGES_END);
    assert_non_null(x);
    for (int i = 0; i < BYTES; i++)
        x[i] = (uint8_t)(i % 7 + 1);
    FOR_EACH_TARGET(target)
    {
        for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
            int32_t at[8] = {[5] = places[k]}, out[4 * 31];
            EDGE_RUN(target,
                     HEAD "launch_grid(k, 1);\n"
                          "kernel void k(const int *At, const uint8_t *X, int *Out)\n"
                          "{\n"
                          "    int i = arange(0, 31);\n"
                          "    int j = load(At + full(long, 5, 9, 31));\n"
                          "    int x = load(X + j, j < 512, 0), n = full(int, 1, 9, 31);\n"
                          "    int row = broadcast_to(expand_dims(i, 0), 9, 31);\n"
                          "    store(Out + i, sum(where(x != 0, n, row), axis(0)));\n"
                          "    store(Out + 31 + i, sum(minimum(maximum(x, row), row + 3), axis(0)));\n"
                          "    store(Out + 62 + i, sum(where(x > 0 && row < 7, n, n + n), axis(0)));\n"
                          "    int p = load(At + full(long, 5, 31)), line = load(X + p, p < 512, 0);\n"
                          "    store(Out + 93 + i, line, line > 0);\n"
                          "}\n",
                     EDGE_ARRAY(TILEC_I32, at), tilec_array(TILEC_U8, x, BYTES),
                     EDGE_ARRAY(TILEC_I32, out));
            int there = places[k] < BYTES ? x[places[k]] : 0;
            for (int i = 0; i < 31; i++) {
                int most = there > i ? there : i;
                assert_int_equal(out[i], there ? 9 : 9 * i);
                assert_int_equal(out[31 + i], 9 * (most < i + 3 ? most : i + 3));
                assert_int_equal(out[62 + i], there && i < 7 ? 9 : 18);
                if (there)
                    assert_int_equal(out[93 + i], there);
            }
        }
    }
    pages_free(x, BYTES);
}

const struct CMUnitTest edge_memory_tests[] = {
    cmocka_unit_test(offset_over_2_31),      cmocka_unit_test(mask_ends_at_unmapped_page),
    cmocka_unit_test(masked_off_reads_zero), cmocka_unit_test(fill_past_the_edge),
    cmocka_unit_test(small_fills_and_bools), cmocka_unit_test(where_does_not_guard),
    cmocka_unit_test(shifted_in_place),      cmocka_unit_test(transposed_products),
    cmocka_unit_test(masked_halves),         cmocka_unit_test(masks_of_masked_loads),
};
const size_t edge_memory_test_count = sizeof edge_memory_tests / sizeof *edge_memory_tests;
