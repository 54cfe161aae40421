/*
 * The CPU backend where it must not slip: masked accesses that end at an unmapped page, offsets
 * beyond 2^31 elements, places on a three-dimensional grid, stores that overlap later loads, NaN in
 * carried values, asserts and prints.
 */
#include "base/guard.h"
#include "base/half.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <cmocka.h>

#include "../skip.h"
#include "cpu_harness.h"

enum { PAGE = 4096 };

struct state {
    jmp_buf out_of_memory;
    struct arena arena;
    struct diagnostics diagnostics;
};

static struct state *state_new(void)
{
    struct state *s = calloc(1, sizeof *s);
    arena_init(&s->arena, allocator_default, &s->out_of_memory);
    diagnostics_init(&s->diagnostics, &s->arena);
    return s;
}

static void state_free(struct state *s)
{
    arena_free(&s->arena);
    free(s);
}

static void run(struct state *s, const char *text, unsigned variant, const char *level,
                const uint64_t *arguments, const int64_t *grid, const struct cpu_hooks *hooks)
{
    struct source_file file = {"test", text, strlen(text)};
    const char *volatile why = "the text is wrong";
    if (setjmp(s->out_of_memory))
        fail_msg("out of memory");
    struct ir_kernel *kernel = ir_kernel_read(&s->arena, &s->diagnostics, &file);
    if (kernel)
        why = harness_run(kernel, level, variant, arguments, grid, hooks, &s->arena,
                          &s->diagnostics);
    if (!why)
        return;
    struct text out;
    text_init(&out, &s->arena);
    for (size_t i = 0; i < s->diagnostics.count; i++)
        diagnostics_print(&s->diagnostics.items[i], &out);
    fail_msg("%s: %s", why, out.items ? out.items : "");
}

static const int64_t one_program[3] = {1, 1, 1};

/* ---- the edge of a page ---------------------------------------------------------------------- */

/* The last `bytes` bytes before a page that may not be touched. */
static unsigned char *edge(size_t bytes)
{
    unsigned char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(pages != MAP_FAILED && mprotect(pages + PAGE, PAGE, PROT_NONE) == 0);
    return pages + PAGE - bytes;
}

static void check_edge(const char *level, const char *elem, size_t bytes, const char *zero)
{
    struct state *s = state_new();
    const char *text = arena_format(
        &s->arena,
        "func @k(%%X: ptr<%s>, %%Y: restrict ptr<%s>, %%n: i64) {\n"
        "  %%i = arange {0 to 40} : i64[40]\n"
        "  %%n.1 = broadcast %%n : i64[40]\n"
        "  %%m = lt %%i, %%n.1 : bool[40]\n"
        "  %%x = broadcast %%X : ptr<%s>[40]\n"
        "  %%y = broadcast %%Y : ptr<%s>[40]\n"
        "  %%x.1 = addptr %%x, %%i : ptr<%s>[40]\n"
        "  %%y.1 = addptr %%y, %%i : ptr<%s>[40]\n"
        "  %%z = constant {%s} : %s[40]\n"
        "  %%v = load %%x.1, %%m, %%z : %s[40]\n"
        "  store %%y.1, %%v, %%m\n"
        "  return\n"
        "}\n",
        elem, elem, elem, elem, elem, elem, zero, elem, elem);
    for (size_t n = 0; n <= 40; n += n < 3 || n > 37 ? 1 : 5) {
        unsigned char *x = edge(n * bytes), *y = edge(n * bytes);
        for (size_t i = 0; i < n * bytes; i++)
            x[i] = (unsigned char)(bytes == 1 && elem[0] == 'b' ? i & 1 : i % 100);
        uint64_t arguments[] = {(uintptr_t)x, (uintptr_t)y, n};
        run(s, text, 0, level, arguments, one_program, NULL);
        assert_memory_equal(x, y, n * bytes);
    }
    state_free(s);
}

static void test_edge_of_page(void **unused)
{
    (void)unused;
    for (const char *const *level = harness_levels(); *level; level++) {
        check_edge(*level, "f32", 4, "0.0");
        check_edge(*level, "f64", 8, "0.0");
        check_edge(*level, "f16", 2, "0.0");
        check_edge(*level, "bf16", 2, "0.0");
        check_edge(*level, "i8", 1, "0");
        check_edge(*level, "bool", 1, "false");
    }
}

/* ---- far away -------------------------------------------------------------------------------- */

static void test_far_offset(void **unused)
{
    (void)unused;
    struct state *s = state_new();
    const int64_t stride = (INT64_C(1) << 31) + 5;
    size_t bytes = (size_t)stride * 4 + PAGE;
    char *far = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (far == MAP_FAILED)
        SKIP("there is no room for %zu bytes of addresses", bytes);
    float *data = (float *)far;
    uint64_t arguments[] = {(uintptr_t)far, (uint64_t)stride};
    static const int64_t grid[3] = {2, 1, 1};
    run(s,
        "func @k(%X: ptr<f32>, %stride: i64) {\n"
        "  %p = program_id {axis 0} : i64\n"
        "  %o = mul %p, %stride : i64\n"
        "  %o.1 = broadcast %o : i64[16]\n"
        "  %i = arange {0 to 16} : i64[16]\n"
        "  %j = add %i, %o.1 : i64[16]\n"
        "  %x = broadcast %X : ptr<f32>[16]\n"
        "  %q = addptr %x, %j : ptr<f32>[16]\n"
        "  %v = cast %j : f32[16]\n"
        "  store %q, %v\n"
        "  return\n"
        "}\n",
        0, "native", arguments, grid, NULL);
    for (int i = 0; i < 16; i++) {
        assert_true(data[i] == (float)i);
        assert_true(data[stride + i] == (float)(stride + i));
    }
    munmap(far, bytes);
    state_free(s);
}

static void test_grid(void **unused)
{
    (void)unused;
    struct state *s = state_new();
    int64_t out[3 * 5 * 7] = {0};
    uint64_t arguments[] = {(uintptr_t)out};
    static const int64_t grid[3] = {3, 5, 7};
    run(s,
        "func @k(%X: ptr<i64>) {\n"
        "  %x = program_id {axis 0} : i64\n"
        "  %y = program_id {axis 1} : i64\n"
        "  %z = program_id {axis 2} : i64\n"
        "  %gx = num_programs {axis 0} : i64\n"
        "  %gy = num_programs {axis 1} : i64\n"
        "  %a = mul %gy, %z : i64\n"
        "  %b = add %a, %y : i64\n"
        "  %c = mul %b, %gx : i64\n"
        "  %i = add %c, %x : i64\n"
        "  %h = constant {100} : i64\n"
        "  %t = constant {10000} : i64\n"
        "  %d = mul %y, %h : i64\n"
        "  %e = mul %z, %t : i64\n"
        "  %f = add %x, %d : i64\n"
        "  %v = add %f, %e : i64\n"
        "  %p = addptr %X, %i : ptr<i64>\n"
        "  store %p, %v\n"
        "  return\n"
        "}\n",
        0, "native", arguments, grid, NULL);
    for (int64_t i = 0; i < 3 * 5 * 7; i++)
        assert_int_equal(out[i], i % 3 + 100 * (i / 3 % 5) + 10000 * (i / 15));
    state_free(s);
}

/* ---- order in memory ------------------------------------------------------------------------- */

/* X[i + 64] = X[i] over a tile of 256: every load comes before every store. */
static void test_shifted_store(void **unused)
{
    (void)unused;
    static const char text[] = "func @k(%X: ptr<f32>, %Y: ptr<f32>) {\n"
                               "  %i = arange {0 to 256} : i64[256]\n"
                               "  %x = broadcast %X : ptr<f32>[256]\n"
                               "  %y = broadcast %Y : ptr<f32>[256]\n"
                               "  %p = addptr %x, %i : ptr<f32>[256]\n"
                               "  %q = addptr %y, %i : ptr<f32>[256]\n"
                               "  %v = load %p : f32[256]\n"
                               "  store %q, %v\n"
                               "  return\n"
                               "}\n";
    for (const char *const *level = harness_levels(); *level; level++) {
        struct state *s = state_new();
        float data[320];
        for (int i = 0; i < 320; i++)
            data[i] = (float)i;
        uint64_t arguments[] = {(uintptr_t)data, (uintptr_t)(data + 64)};
        run(s, text, 0, *level, arguments, one_program, NULL);
        for (int i = 0; i < 320; i++)
            assert_true(data[i] == (float)(i < 64 ? i : i - 64));
        state_free(s);
    }
}

/* ---- NaN, infinities ------------------------------------------------------------------------- */

/* max over a carried tile: NaN wins wherever it stands, and -0.0 < +0.0. */
static void test_max(void **unused)
{
    (void)unused;
    static const char text[] = "func @k(%X: const ptr<f32>, %O: restrict ptr<f32>, %n: i64) {\n"
                               "  %z = constant {0} : i64\n"
                               "  %s = constant {32} : i64\n"
                               "  %m = constant {-inf} : f32[32]\n"
                               "  %r = for %i = %z to %n step %s carry (%a = %m) : f32[32] {\n"
                               "    %l = arange {0 to 32} : i64[32]\n"
                               "    %i.1 = broadcast %i : i64[32]\n"
                               "    %c = add %i.1, %l : i64[32]\n"
                               "    %x = broadcast %X : ptr<f32>[32]\n"
                               "    %p = addptr %x, %c : ptr<f32>[32]\n"
                               "    %n.1 = broadcast %n : i64[32]\n"
                               "    %k = lt %c, %n.1 : bool[32]\n"
                               "    %v = load %p, %k, %m : f32[32]\n"
                               "    %b = maximum %a, %v : f32[32]\n"
                               "    yield %b\n"
                               "  }\n"
                               "  %t = max {axis -1} %r : f32\n"
                               "  store %O, %t\n"
                               "  return\n"
                               "}\n";
    for (const char *const *level = harness_levels(); *level; level++) {
        struct state *s = state_new();
        float x[100], out = 7;
        uint64_t arguments[] = {(uintptr_t)x, (uintptr_t)&out, 100};
        for (int i = 0; i < 100; i++)
            x[i] = -0.0f;
        run(s, text, 0, *level, arguments, one_program, NULL);
        assert_true(out == 0 && signbit(out));
        x[37] = 0.0f;
        run(s, text, 0, *level, arguments, one_program, NULL);
        assert_true(out == 0 && !signbit(out));
        x[50] = INFINITY;
        x[99] = NAN;
        run(s, text, 0, *level, arguments, one_program, NULL);
        assert_true(isnan(out));
        arguments[2] = 99;
        run(s, text, 0, *level, arguments, one_program, NULL);
        assert_true(out == INFINITY);
        arguments[2] = 0;
        run(s, text, 0, *level, arguments, one_program, NULL);
        assert_true(out == -INFINITY);
        state_free(s);
    }
}

static bool is_quiet(uint16_t bfloat)
{
    return (bfloat & 0x7fc0) == 0x7fc0;
}

/* To bfloat, NaN stays NaN whatever its payload is, alone among others, whole vectors and tail: a
 * float from memory (%F), a product of a bfloat and a scalar (%X, %s), and its square root. */
static void test_nan_to_bfloat(void **unused)
{
    (void)unused;
    enum { N = 77 };
    static const char text[] = "func @k(%X: const ptr<bf16>, %F: const ptr<f32>, "
                               "%P: restrict ptr<bf16>, %Q: restrict ptr<bf16>, %s: f32) {\n"
                               "  %i = arange {0 to 128} : i64[128]\n"
                               "  %n = constant {77} : i64[128]\n"
                               "  %m = lt %i, %n : bool[128]\n"
                               "  %x = broadcast %X : ptr<bf16>[128]\n"
                               "  %x.1 = addptr %x, %i : ptr<bf16>[128]\n"
                               "  %z = constant {0.0} : bf16[128]\n"
                               "  %x.2 = load %x.1, %m, %z : bf16[128]\n"
                               "  %x.3 = cast %x.2 : f32[128]\n"
                               "  %f = broadcast %F : ptr<f32>[128]\n"
                               "  %f.1 = addptr %f, %i : ptr<f32>[128]\n"
                               "  %y = constant {0.0} : f32[128]\n"
                               "  %f.2 = load %f.1, %m, %y : f32[128]\n"
                               "  %p = broadcast %P : ptr<bf16>[128]\n"
                               "  %p.1 = addptr %p, %i : ptr<bf16>[128]\n"
                               "  %q = broadcast %Q : ptr<bf16>[128]\n"
                               "  %q.1 = addptr %q, %i : ptr<bf16>[128]\n"
                               "  %s.1 = broadcast %s : f32[128]\n"
                               "  %a = mul %x.3, %s.1 : f32[128]\n"
                               "  %b = sqrt %a : f32[128]\n"
                               "  %c = cast %b : bf16[128]\n"
                               "  store %p.1, %c, %m\n"
                               "  %d = cast %f.2 : bf16[128]\n"
                               "  store %q.1, %d, %m\n"
                               "  return\n"
                               "}\n";
    static const uint32_t nans[] = {0x7f800001, 0x7fffffff, 0xffffffff, 0xff80ffff,
                                    0x7f808000, 0x7fbfffff, 0xffc08000, 0x7fc00000};
    for (const char *const *level = harness_levels(); *level; level++) {
        struct state *s = state_new();
        for (int k = 0; k < 48; k++) {
            uint16_t x[N], p[N], q[N];
            float f[N];
            uint32_t nan = nans[k % 8], scalar = k % 3 == 0 ? nan : 0x40490fdb;
            for (int i = 0; i < N; i++) {
                x[i] = bfloat_from_double((float)(i + 1) * 0.37f);
                f[i] = (float)(i - 40) * 1.2345f;
            }
            int at = k * 13 % N;
            x[at] = k % 3 == 1 ? 0xff81 : k % 3 == 2 ? 0xc000 : x[at];
            memcpy(&f[at], &nan, sizeof nan);
            uint64_t arguments[] = {(uintptr_t)x, (uintptr_t)f, (uintptr_t)p, (uintptr_t)q, scalar};
            run(s, text, 0, *level, arguments, one_program, NULL);
            for (int i = 0; i < N; i++) {
                float want = sqrtf(bfloat_to_float(x[i]) * 3.14159274f);
                assert_true(q[i] == bfloat_from_double(f[i]));
                assert_true(k % 3 == 0 || isnan(want) ? is_quiet(p[i])
                                                      : p[i] == bfloat_from_double(want));
            }
        }
        state_free(s);
    }
}

/* ---- hooks ----------------------------------------------------------------------------------- */

struct notes {
    struct cpu_hooks hooks; /* first */
    int failures, prints;
    int64_t last;
    int32_t elements[6];
};

static void on_failed(const struct cpu_hooks *hooks, const char *text, int64_t id)
{
    struct notes *notes = (struct notes *)(uintptr_t)hooks;
    assert_string_equal(text, "small");
    notes->failures++;
    notes->last = id;
}

static void on_print(const struct cpu_hooks *hooks, const char *text, int64_t id, int32_t elem,
                     int32_t rank, const int32_t *dims, const void *elements)
{
    struct notes *notes = (struct notes *)(uintptr_t)hooks;
    assert_string_equal(text, "v ");
    assert_true(elem == IR_I32 && rank == 2 && dims[0] == 2 && dims[1] == 3);
    memcpy(notes->elements, elements, sizeof notes->elements);
    notes->prints++;
    notes->last = id;
}

static void test_hooks(void **unused)
{
    (void)unused;
    struct state *s = state_new();
    struct notes notes = {.hooks = {on_failed, on_print}};
    static const int64_t grid[3] = {2, 2, 1};
    run(s,
        "func @k() {\n"
        "  %y = program_id {axis 1} : i64\n"
        "  %i = arange {0 to 6} : i64[6]\n"
        "  %j = reshape %i : i64[2, 3]\n"
        "  %y.1 = broadcast %y : i64[2, 3]\n"
        "  %t = constant {6} : i64[2, 3]\n"
        "  %k = add %j, %y.1 : i64[2, 3]\n"
        "  %c = lt %k, %t : bool[2, 3]\n"
        "  assert {\"small\"} %c\n"
        "  %v = cast %k : i32[2, 3]\n"
        "  print {\"v \"} %v\n"
        "  return\n"
        "}\n",
        0, "native", NULL, grid, &notes.hooks);
    assert_int_equal(notes.failures, 2);
    assert_int_equal(notes.prints, 2); /* a program ends where its assert does not hold */
    assert_int_equal(notes.last, 3);
    for (int i = 0; i < 6; i++)
        assert_int_equal(notes.elements[i], i);
    state_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edge_of_page), cmocka_unit_test(test_far_offset),
        cmocka_unit_test(test_grid),         cmocka_unit_test(test_shifted_store),
        cmocka_unit_test(test_max),          cmocka_unit_test(test_nan_to_bfloat),
        cmocka_unit_test(test_hooks),
    };
    return RUN_TESTS(tests, NULL, NULL);
}
