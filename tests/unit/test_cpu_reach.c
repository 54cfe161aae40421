/*
 * No access beyond an array: kernels that load and store in strides, around a place and in
 * patterns, in vectors where whole groups may be touched, on arrays that end where a page ends, or
 * begin where one begins, with pages that cannot be touched beside them. Every length counts:
 * vectors must end with the array.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <tilec/tilec.h>
#include <cmocka.h>

enum { PAGE = 1 << 16, STEPS = 5 };

/* Every element of each group, some of them, and one: X is [n, S]; elements that no store writes
 * stay what they were. Then each element S times, pairs that change places, and what groups hold in
 * S planes. */
static const char kernels[] =
    "#include <tilec/kernel.h>\n"
    "launch_grid(groups, cdiv(n, 64));\n"
    "kernel void groups(const T *restrict X, T *restrict Out, int n)\n"
    "{\n"
    "    int i = program_id(0) * 64 + arange(0, 64);\n"
    "    T a = load(X + S * i, i < n);\n"
    "    T b = load(X + S * i + 1, i < n);\n"
    "    T z = load(X + S * i + S - 1, i < n);\n"
    "    store(Out + S * i + S - 1, a, i < n);\n"
    "#if S > 3\n"
    "    store(Out + S * i + 2, b, i < n);\n"
    "#endif\n"
    "#if S > 2\n"
    "    store(Out + S * i + 1, b, i < n);\n"
    "#endif\n"
    "    store(Out + S * i, z, i < n);\n"
    "}\n"
    "launch_grid(first, cdiv(n, 64));\n"
    "kernel void first(const T *restrict X, T *restrict Out, int n)\n"
    "{\n"
    "    int i = program_id(0) * 64 + arange(0, 64);\n"
    "    store(Out + S * i, load(X + S * i, i < n), i < n);\n"
    "}\n"
    "launch_grid(last, cdiv(n, 64));\n"
    "kernel void last(const T *restrict X, T *restrict Out, int n)\n"
    "{\n"
    "    int i = program_id(0) * 64 + arange(0, 64);\n"
    "    store(Out + S * i + S - 1, load(X + S * i + S - 1, i < n), i < n);\n"
    "}\n"
    "launch_grid(around, cdiv(n, 64));\n"
    "kernel void around(const T *restrict X, T *restrict Out, int n)\n"
    "{\n"
    "    int i = program_id(0) * 64 + arange(0, 64);\n"
    "    T a = load(X + S * n - 1 - maximum(i - 1, 0), i < n);\n"
    "    T b = load(X + i - S, i >= S && i < n);\n"
    "    T c = load(X + minimum(i + S, S * n - 1), i < n);\n"
    "    store(Out + i, maximum(a, maximum(b, c)), i < n);\n"
    "}\n"
    "launch_grid(repeat, cdiv(S * n, 256));\n"
    "kernel void repeat(const T *restrict X, T *restrict Out, int n)\n"
    "{\n"
    "    int i = program_id(0) * 256 + arange(0, 256);\n"
    "    store(Out + i, load(X + S * n - n + i / S, i < S * n), i < S * n);\n"
    "}\n"
    "launch_grid(swap, cdiv(S * n, 256));\n"
    "kernel void swap(const T *restrict X, T *restrict Out, int n)\n"
    "{\n"
    "    int i = program_id(0) * 256 + arange(0, 256);\n"
    "    int other = where(i % 2 == 0, i + 1, i - 1);\n"
    "    store(Out + i, load(X + other, other < S * n), i < S * n);\n"
    "}\n"
    "launch_grid(pairs, cdiv(S * n, 256));\n"
    "kernel void pairs(const T *restrict X, T *restrict Out, int n)\n"
    "{\n"
    "    int i = program_id(0) * 256 + arange(0, 256);\n"
    "    auto x = reshape(load(X + i, i < S * n), 128, 2);\n"
    "    store(Out + i, reshape(join(split(x, 1), split(x, 0)), 256), i < S * n);\n"
    "}\n"
    "launch_grid(planes, cdiv(n, 64));\n"
    "kernel void planes(const T *restrict X, T *restrict Out, int n)\n"
    "{\n"
    "    int i = program_id(0) * 64 + arange(0, 64);\n"
    "    store(Out + i, load(X + S * i, i < n), i < n);\n"
    "    store(Out + n + i, load(X + S * i + 1, i < n), i < n);\n"
    "#if S > 2\n"
    "    store(Out + 2 * n + i, load(X + S * i + 2, i < n), i < n);\n"
    "#endif\n"
    "#if S > 3\n"
    "    store(Out + 3 * n + i, load(X + S * i + 3, i < n), i < n);\n"
    "#endif\n"
    "}\n";

struct array {
    char *pages; /* three parts of PAGE bytes, of which the one between can be touched */
    char *data;
};

static struct array array_new(void)
{
    struct array a;
    a.pages = mmap(NULL, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(a.pages != MAP_FAILED);
    assert_int_equal(mprotect(a.pages + PAGE, PAGE, PROT_READ | PROT_WRITE), 0);
    return a;
}

static void array_place(struct array *a, size_t bytes, int at_end, int seed)
{
    a->data = a->pages + (at_end ? 2 * PAGE - (long)bytes : PAGE);
    for (size_t i = 0; i < bytes; i++)
        a->data[i] = (char)((i * 37 + (size_t)seed) % 61); /* no NaN in any type */
}

/* What the kernels mean, element by element. */
static void expect(int kernel, char *out, const char *x, size_t size, int64_t n, int64_t s)
{
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k < s && kernel == 0; k += k == 2 && s > 4 ? s - 3 : 1)
            memcpy(out + (s * i + k) * (int64_t)size,
                   x + (s * i + (k == s - 1 ? 0 : k == 0 ? s - 1 : 1)) * (int64_t)size, size);
        int64_t place = s * i + (kernel == 2 ? s - 1 : 0);
        if (kernel == 1 || kernel == 2)
            memcpy(out + place * (int64_t)size, x + place * (int64_t)size, size);
    }
    int64_t count = kernel == 7 && s > 4 ? 4 * n : s * n;
    for (int64_t i = 0; i < count && kernel >= 4; i++) {
        int64_t from = kernel == 4 ? s * n - n + i / s : kernel == 7 ? i % n * s + i / n : i ^ 1;
        memset(out + i * (int64_t)size, 0, size);
        if (from < s * n)
            memcpy(out + i * (int64_t)size, x + from * (int64_t)size, size);
    }
}

static void run_all(tilec_context *context, const char *type, tilec_type code, size_t size, int step,
                    const char *level)
{
    static const char *const names[] = {"groups", "first", "last",  "around",
                                        "repeat", "swap",  "pairs", "planes"};
    struct array x = array_new(), out = array_new();
    static char wanted[PAGE];
    char digits[8];
    snprintf(digits, sizeof digits, "%d", step);
    tilec_define defines[] = {{"T", type}, {"S", digits}};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        tilec_source source = {.size = sizeof source, .text = kernels, .defines = defines,
                               .define_count = 2};
        tilec_compile_options options = {.size = sizeof options, .kernel = names[k], .cpu = level};
        tilec_kernel *kernel;
        assert_int_equal(tilec_compile(context, &source, &options, &kernel), TILEC_OK);
        for (int64_t n = 0; n < 200; n += n < 80 ? 1 : 17) {
            for (int at_end = 0; at_end < 2; at_end++) {
                int64_t count = n * step;
                size_t bytes = (size_t)count * size;
                array_place(&x, bytes, at_end, 1);
                array_place(&out, bytes, at_end, 5);
                memcpy(wanted, out.data, bytes);
                expect((int)k, wanted, x.data, size, n, step);
                tilec_argument arguments[] = {tilec_buffer(code, x.data, 1, &count),
                                              tilec_buffer(code, out.data, 1, &count),
                                              tilec_int(TILEC_I32, n)};
                assert_int_equal(tilec_launch(kernel, NULL, arguments, 3, NULL), TILEC_OK);
                if (k != 3)
                    assert_memory_equal(out.data, wanted, bytes);
            }
        }
        tilec_kernel_destroy(kernel);
    }
    munmap(x.pages, 3 * PAGE);
    munmap(out.pages, 3 * PAGE);
}

static void strides_stay_inside(void **state)
{
    (void)state;
    static const char *const levels[] = {NULL, "generic"};
    tilec_context_options options = {.size = sizeof options, .cache_directory = ""};
    tilec_context *context;
    assert_int_equal(tilec_context_create(&options, &context), TILEC_OK);
    for (size_t l = 0; l < sizeof levels / sizeof *levels; l++) {
        for (int step = 2; step <= STEPS; step++) {
            run_all(context, "uint8_t", TILEC_U8, 1, step, levels[l]);
            run_all(context, "int16_t", TILEC_I16, 2, step, levels[l]);
            run_all(context, "float", TILEC_F32, 4, step, levels[l]);
            run_all(context, "double", TILEC_F64, 8, step, levels[l]);
        }
    }
    tilec_context_destroy(context);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(strides_stay_inside)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
