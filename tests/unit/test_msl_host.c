/*
 * msl-host: small kernels that are right or wrong in one way each, and the recorded sources of an
 * earlier compiler on their recorded inputs (../shared/seeds, where that is there).
 *
 * One translation unit holds all small kernels, because clang++ takes half a second for each.
 */
#include "base/half.h"
#include "base/random.h"
#include "run/msl_host.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../skip.h"
#include "rmsnorm_record.h"

static const char small_kernels[] =
    "#include <metal_stdlib>\n"
    "using namespace metal;\n"
    "// A threadgroup's sum: lanes, then one partial per SIMD group.\n"
    "kernel void sum(device const float *x [[buffer(0)]], device float *out [[buffer(1)]],\n"
    "                uint i [[thread_position_in_grid]], uint3 group "
    "[[threadgroup_position_in_grid]],\n"
    "                uint lane [[thread_index_in_simdgroup]],\n"
    "                uint simd [[simdgroup_index_in_threadgroup]]) {\n"
    "    threadgroup float partial[2];\n"
    "    float mine = simd_sum(x[i]);\n"
    "    if (lane == 0) partial[simd] = mine;\n"
    "    threadgroup_barrier(mem_flags::mem_threadgroup);\n"
    "    out[group.x * 64 + simd * 32 + lane] = partial[0] + partial[1];\n"
    "}\n"
    "[[kernel]] void reverse(device int *x [[buffer(0)]],\n"
    "                        uint i [[thread_index_in_threadgroup]]) {\n"
    "    alignas(16) threadgroup int t[64]; // threadgroup in a comment\n"
    "    threadgroup int *p = (threadgroup int *)t;\n"
    "    p[i] = x[i];\n"
    "    threadgroup_barrier(mem_flags::mem_threadgroup);\n"
    "    x[i] = p[63 - i];\n"
    "}\n"
    "kernel void no_barrier(device int *x [[buffer(0)]],\n"
    "                       uint i [[thread_index_in_threadgroup]]) {\n"
    "    threadgroup int t[64];\n"
    "    t[i] = x[i];\n"
    "    if (i > 0) t[i - 1] = 1;\n"
    "    x[i] = t[i];\n"
    "}\n"
    "kernel void wrong_barrier(device int *x [[buffer(0)]],\n"
    "                          uint i [[thread_index_in_threadgroup]]) {\n"
    "    x[i] = 1;\n"
    "    threadgroup_barrier(mem_flags::mem_threadgroup);\n"
    "    x[63 - i] = 2;\n"
    "}\n"
    "kernel void divergent_barrier(device int *x [[buffer(0)]],\n"
    "                              uint i [[thread_index_in_threadgroup]]) {\n"
    "    if (i < 40) threadgroup_barrier(mem_flags::mem_device);\n"
    "    x[i] = 1;\n"
    "}\n"
    "kernel void divergent_sum(device int *x [[buffer(0)]],\n"
    "                          uint i [[thread_index_in_threadgroup]]) {\n"
    "    if (i != 5) x[i] = simd_sum(1);\n"
    "}\n"
    "kernel void early_end(device int *x [[buffer(0)]],\n"
    "                      uint i [[thread_index_in_threadgroup]]) {\n"
    "    if (i == 0) return;\n"
    "    threadgroup_barrier(mem_flags::mem_device);\n"
    "    x[i] = 1;\n"
    "}\n"
    "kernel void two_barriers(device int *x [[buffer(0)]],\n"
    "                         uint i [[thread_index_in_threadgroup]]) {\n"
    "    if (i < 32) threadgroup_barrier(mem_flags::mem_device);\n"
    "    else threadgroup_barrier(mem_flags::mem_device);\n"
    "    x[i] = 1;\n"
    "}\n"
    "constant int table[64] = {7, 8, 9};\n"
    "kernel void constants(device int *x [[buffer(0)]],\n"
    "                      uint i [[thread_index_in_threadgroup]]) {\n"
    "    constant int *p = x[i] > 50 ? table + 1 : table;\n"
    "    x[i] = p[i % 4];\n"
    "}\n"
    "kernel void beyond(device int *x [[buffer(0)]],\n"
    "                   uint i [[thread_index_in_threadgroup]]) {\n"
    "    x[i + 1] = 1;\n"
    "}\n"
    "kernel void before(device const int *x [[buffer(0)]], device int *y [[buffer(1)]],\n"
    "                   uint i [[thread_index_in_threadgroup]]) {\n"
    "    y[i] = x[int(i) - 1];\n"
    "}\n"
    /* A 32-bit -1 that was taken for an unsigned number, times 4 and times 8. */
    "kernel void unsigned_before(device const int *x [[buffer(0)]], device int *y [[buffer(1)]],\n"
    "                            uint i [[thread_index_in_threadgroup]]) {\n"
    "    y[i] = x[i - 1 + (i > 0)];\n"
    "}\n"
    "kernel void unsigned_before_long(device const long *x [[buffer(0)]],\n"
    "                                 device int *y [[buffer(1)]],\n"
    "                                 uint i [[thread_index_in_threadgroup]]) {\n"
    "    y[i] = int(x[i < 1 ? i - 1 : 0]);\n"
    "}\n"
    "kernel void wild(device const int *x [[buffer(0)]], device int *y [[buffer(1)]],\n"
    "                 uint i [[thread_index_in_threadgroup]]) {\n"
    "    y[i] = x[(long(i + 1) << 37) + 5];\n"
    "}\n"
    "kernel void wild_back(device int *x [[buffer(0)]], device int *y [[buffer(1)]],\n"
    "                      uint i [[thread_index_in_threadgroup]]) {\n"
    "    y[long(i) - (long(1) << 40)] = x[i];\n"
    "}\n"
    "kernel void unwritten(device int *x [[buffer(0)]],\n"
    "                      uint i [[thread_index_in_threadgroup]]) {\n"
    "    threadgroup int t[64];\n"
    "    if (i != 7) t[i] = 3;\n"
    "    t[i] += 1;\n"
    "    x[i] = t[i];\n"
    "}\n"
    "kernel void between_groups(device int *x [[buffer(0)]],\n"
    "                           uint i [[thread_index_in_threadgroup]]) {\n"
    "    x[i] = 1;\n"
    "}\n"
    "kernel void count(device atomic_uint *x [[buffer(0)]]) {\n"
    "    atomic_fetch_add_explicit(x, 1u, memory_order_relaxed);\n"
    "}\n"
    "kernel void unaligned(device const float *x [[buffer(0)]], device float *y [[buffer(1)]],\n"
    "                      uint i [[thread_index_in_threadgroup]]) {\n"
    "    if (i == 0) *(device float4 *)y = *(device const float4 *)(x + 1) * 2.0f;\n"
    "}\n"
    "kernel void packed(device const float *x [[buffer(0)]], device float *y [[buffer(1)]],\n"
    "                   uint i [[thread_index_in_threadgroup]]) {\n"
    "    if (i == 0) *(device packed_float4 *)(y + 1) =\n"
    "        float4(*(device const packed_float4 *)(x + 1)) * 2.0f;\n"
    "}\n"
    "kernel void shuffles(device int *x [[buffer(0)]], constant int &base [[buffer(1)]],\n"
    "                     ushort i [[thread_index_in_threadgroup]]) {\n"
    "    int v = base + i;\n"
    "    x[i] = simd_shuffle_xor(v, 3) + 100 * simd_shuffle(v, 2) + 10000 * simd_max(i % 7);\n"
    "}\n"
    "kernel void exchange(device int *x [[buffer(0)]],\n"
    "                     uint i [[thread_index_in_threadgroup]]) {\n"
    "    threadgroup int t[64];\n"
    "    t[i] = i;\n"
    "    simdgroup_barrier(mem_flags::mem_threadgroup);\n"
    "    x[i] = t[i ^ 1];\n"
    "}\n"
    "kernel void exchange_far(device int *x [[buffer(0)]],\n"
    "                         uint i [[thread_index_in_threadgroup]]) {\n"
    "    threadgroup int t[64];\n"
    "    t[i] = i;\n"
    "    simdgroup_barrier(mem_flags::mem_threadgroup);\n"
    "    x[i] = t[i ^ 32];\n"
    "}\n"
    "// Two products of 8 by 8, one per SIMD group: out = a b + 1, the second with b transposed.\n"
    "kernel void product(device const half *a [[buffer(0)]], device const half *b [[buffer(1)]],\n"
    "                    device float *out [[buffer(2)]],\n"
    "                    uint simd [[simdgroup_index_in_threadgroup]]) {\n"
    "    simdgroup_half8x8 x, y;\n"
    "    simdgroup_float8x8 z = make_filled_simdgroup_matrix<float, 8, 8>(1.0f);\n"
    "    simdgroup_load(x, a, 8);\n"
    "    simdgroup_load(y, b + 64, 9, ulong2(0), simd == 1);\n"
    "    simdgroup_multiply_accumulate(z, x, y, z);\n"
    "    z.thread_elements()[0] *= 2.0f;\n"
    "    z.thread_elements()[1] *= 2.0f;\n"
    "    simdgroup_store(z, out + simd * 64, 8);\n"
    "}\n"
    "kernel void divergent_product(device float *out [[buffer(0)]],\n"
    "                              uint i [[thread_index_in_threadgroup]]) {\n"
    "    simdgroup_float8x8 z(1.0f);\n"
    "    if (i != 31) simdgroup_multiply(z, z, z);\n"
    "    out[i] = z.thread_elements()[0];\n"
    "}\n"
    "kernel void far_product(device const float *a [[buffer(0)]], device float *out [[buffer(1)]]) "
    "{\n"
    "    simdgroup_float8x8 z;\n"
    "    simdgroup_load(z, a + 1);\n"
    "    simdgroup_store(z, out);\n"
    "}\n";

struct fixture {
    struct arena arena;
    jmp_buf failure;
    struct diagnostics diagnostics;
    struct msl_host_program *program;
};

static void open_diagnostics(struct fixture *fixture)
{
    arena_init(&fixture->arena, allocator_default, &fixture->failure);
    diagnostics_init(&fixture->diagnostics, &fixture->arena);
}

static void skip_without_compiler(void)
{
    if (msl_host_available())
        return;
    SKIP(SKIP_WITHOUT_CLANG);
}

static const char *last_message(const struct fixture *fixture)
{
    const struct diagnostics *list = &fixture->diagnostics;
    return list->count ? list->items[list->count - 1].message : "";
}

static int open_small(void **state)
{
    static struct fixture fixture;
    if (setjmp(fixture.failure))
        return -1;
    open_diagnostics(&fixture);
    if (msl_host_available()) {
        fixture.program = msl_host_compile(small_kernels, strlen(small_kernels), true, NULL,
                                           &fixture.diagnostics);
        if (!fixture.program)
            print_message("%s\n", last_message(&fixture));
    }
    *state = &fixture;
    return 0;
}

static int close_small(void **state)
{
    struct fixture *fixture = *state;
    msl_host_free(fixture->program);
    arena_free(&fixture->arena);
    return 0;
}

/* 64 threads per threadgroup. */
static bool launch(struct fixture *fixture, const char *kernel, uint32_t groups, uint64_t order,
                   struct msl_host_buffer *buffers, size_t count)
{
    skip_without_compiler();
    assert_non_null(fixture->program);
    fixture->diagnostics.count = fixture->diagnostics.error_count = 0;
    struct msl_host_launch launch = {.kernel = kernel,
                                     .groups = {groups, 1, 1},
                                     .threads = {64, 1, 1},
                                     .buffers = buffers,
                                     .buffer_count = count,
                                     .order = order};
    return msl_host_run(fixture->program, &launch, &fixture->diagnostics);
}

static void sums_with_a_barrier(void **state)
{
    float x[256], out[256];
    for (int i = 0; i < 256; i++)
        x[i] = (float)i;
    struct msl_host_buffer buffers[] = {{x, sizeof x}, {out, sizeof out}};
    for (uint64_t order = 0; order < 4; order++) {
        memset(out, 0, sizeof out);
        assert_true(launch(*state, "sum", 4, order, buffers, 2));
        for (int i = 0; i < 256; i++)
            assert_true(out[i] == (float)(64 * 64 * (i / 64) + 63 * 32));
    }
}

static void right_kernels_run(void **state)
{
    int x[64], y[64], base = 5;
    for (int i = 0; i < 64; i++)
        x[i] = i;
    struct msl_host_buffer one[] = {{x, sizeof x}};
    assert_true(launch(*state, "reverse", 1, 1, one, 1));
    for (int i = 0; i < 64; i++)
        assert_int_equal(x[i], 63 - i);
    assert_true(launch(*state, "exchange", 1, 9, one, 1));
    for (int i = 0; i < 64; i++)
        assert_int_equal(x[i], i ^ 1);
    assert_true(launch(*state, "constants", 1, 0, one, 1));
    assert_int_equal(x[1], 8);
    assert_int_equal(x[52], 8);
    x[0] = 0;
    assert_true(launch(*state, "count", 3, 0, one, 1));
    assert_int_equal(x[0], 192);
    struct msl_host_buffer two[] = {{y, sizeof y}, {&base, sizeof base}};
    assert_true(launch(*state, "shuffles", 1, 7, two, 2));
    for (int i = 0; i < 64; i++)
        assert_int_equal(y[i], (i ^ 3) + 5 + 100 * (i / 32 * 32 + 2 + 5) + 60000);
    float from[8] = {0, 1, 2, 3, 4}, to[8] = {0};
    struct msl_host_buffer floats[] = {{from, sizeof from}, {to, sizeof to}};
    assert_true(launch(*state, "packed", 1, 0, floats, 2));
    assert_true(to[0] == 0 && to[1] == 2 && to[4] == 8 && to[5] == 0);
}

static void products_of_matrices(void **state)
{
    uint16_t a[64], b[64 + 72];
    float out[128];
    for (int i = 0; i < 64 + 72; i++) {
        b[i] = half_from_double(i % 13 - 6);
        if (i < 64)
            a[i] = half_from_double(i % 7 - 3);
    }
    struct msl_host_buffer buffers[] = {{a, sizeof a}, {b, sizeof b}, {out, sizeof out}};
    bool ran = launch(*state, "product", 1, 5, buffers, 3);
    if (!ran)
        fail_msg("%s", last_message(*state));
    for (int i = 0; i < 128; i++) {
        int simd = i / 64, row = i / 8 % 8, column = i % 8;
        double sum = 1;
        for (int k = 0; k < 8; k++)
            sum += (double)half_to_float(a[8 * row + k]) *
                   (double)half_to_float(b[64 + (simd ? 9 * column + k : 9 * k + column)]);
        assert_true(out[i] == (float)(2 * sum));
    }
}

/* A kernel, how many threadgroups, and words of what must be said in any order of the threads. */
static const struct {
    const char *kernel;
    uint32_t groups;
    const char *words;
} faults[] = {
    {"no_barrier", 1, "a race"},
    {"wrong_barrier", 1, "a race"},
    {"exchange_far", 1, "threadgroup memory"},
    {"between_groups", 2, "of threadgroup 0 wrote: a race"},
    {"divergent_barrier", 1, "waits at a barrier in line"},
    {"divergent_sum", 1, "thread 5 has ended"},
    {"early_end", 1, "thread 1 waits at a barrier in line"},
    {"early_end", 1, "thread 0 has ended"},
    {"two_barriers", 1, "thread 32 waits at a barrier in line"},
    {"beyond", 1, "buffer 0 ('x') at offset 256, which has 256 bytes"},
    {"before", 1, "reads 4 bytes of buffer 0 ('x') at offset -4"},
    {"unsigned_before", 1, "buffer 0 ('x') at offset 17179869180, which has 256 bytes"},
    {"unsigned_before_long", 1, "buffer 0 ('x') at offset 34359738360, which has 256 bytes"},
    {"wild", 1, "reads 4 bytes far outside of every buffer"},
    {"wild_back", 1, "writes 4 bytes far outside of every buffer"},
    {"unwritten", 1, "thread 7 of threadgroup 0 reads 4 bytes of threadgroup memory"},
    {"unaligned", 1, "not aligned"},
    {"divergent_product", 1, "thread 31 has ended"},
    {"far_product", 1, "at offset 256, which has 256 bytes"},
};

static void wrong_kernels_are_caught(void **state)
{
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        for (uint64_t order = 0; order < 4; order++) {
            int x[64] = {0}, y[64] = {0};
            struct msl_host_buffer buffers[] = {{x, sizeof x}, {y, sizeof y}};
            bool ran = launch(*state, faults[i].kernel, faults[i].groups, order, buffers, 2);
            const char *message = last_message(*state);
            if (ran || !strstr(message, faults[i].words))
                fail_msg("%s, order %d: '%s'", faults[i].kernel, (int)order, message);
            for (int j = 0; j < 64; j++)
                assert_int_equal(x[j], 0); /* a fault leaves the buffers alone */
        }
}

static void bad_requests_are_refused(void **state)
{
    struct fixture *fixture = *state;
    int x[64];
    struct msl_host_buffer buffers[] = {{x, sizeof x}};
    assert_false(launch(fixture, "none", 1, 0, buffers, 1));
    assert_string_equal(last_message(fixture), "the MSL text has no kernel 'none'");
    assert_false(launch(fixture, "sum", 1, 0, buffers, 1));
    assert_string_equal(last_message(fixture), "kernel 'sum' gets no buffer 1 ('out')");
    assert_false(launch(fixture, "count", 0, 0, buffers, 1));
    static const char text[] = "kernel void f(device int *x [[buffer(0)]]) { x[0] = nothing; }";
    assert_null(msl_host_compile(text, strlen(text), false, NULL, &fixture->diagnostics));
    assert_non_null(strstr(last_message(fixture), "trusted"));
    assert_null(msl_host_compile(text, strlen(text), true, NULL, &fixture->diagnostics));
    assert_non_null(strstr(last_message(fixture), "use of undeclared identifier 'nothing'"));
    assert_null(msl_host_compile("", 0, true, NULL, &fixture->diagnostics));
    assert_string_equal(last_message(fixture), "the MSL text has no kernel");
    static const char sampler[] = "kernel void f(texture2d<float> t [[texture(0)]]) { }";
    assert_null(msl_host_compile(sampler, strlen(sampler), true, NULL, &fixture->diagnostics));
    assert_non_null(strstr(last_message(fixture), "knows no attribute 'texture'"));
}

/* ---- The recorded sources -------------------------------------------------------------------- */

static void run_shader(struct fixture *fixture, struct problem *problem, const json_t *shader,
                       const json_t *correctness)
{
    const char *name = json_string_value(json_object_get(shader, "function_name"));
    bool with_width = json_array_size(json_object_get(shader, "argument_indices")) == 5;
    memset(problem->out, 0xff, problem->x_bytes); /* NaN */
    struct msl_host_buffer buffers[5] = {{problem->x, problem->x_bytes},
                                         {problem->w, problem->w_bytes},
                                         {problem->out, problem->x_bytes},
                                         {&problem->width, sizeof problem->width},
                                         {&problem->epsilon, sizeof problem->epsilon}};
    if (!with_width)
        buffers[3] = buffers[4];
    struct msl_host_launch launch = {.kernel = name,
                                     .groups = {(uint32_t)problem->batches, 1, 1},
                                     .buffers = buffers,
                                     .buffer_count = with_width ? 5 : 4};
    for (size_t i = 0; i < 3; i++)
        launch.threads[i] = (uint32_t)json_integer_value(
            json_array_get(json_object_get(shader, "threadgroup_size"), i));
    if (!msl_host_run(fixture->program, &launch, &fixture->diagnostics))
        fail_msg("%s", last_message(fixture));
    record_check_output(problem, json_real_value(json_object_get(correctness, "rtol")),
                 json_real_value(json_object_get(correctness, "atol")));
}

struct compiled { /* programs by their text */
    const char *text;
    struct msl_host_program *program;
};

static struct msl_host_program *compile_once(struct compiled *done, size_t *count, const char *text,
                                             struct fixture *fixture)
{
    for (size_t i = 0; i < *count; i++)
        if (strcmp(done[i].text, text) == 0)
            return done[i].program;
    struct msl_host_program *program =
        msl_host_compile(text, strlen(text), true, NULL, &fixture->diagnostics);
    if (!program)
        fail_msg("%s", last_message(fixture));
    done[(*count)++] = (struct compiled){text, program};
    return program;
}

static void recorded_sources_are_right(void **state)
{
    (void)state;
    skip_without_compiler();
    json_t *record = load_recorded("rmsnorm-register");
    if (!record)
        SKIP(RECORDED_MISSING);
    static struct fixture fixture;
    assert_int_equal(setjmp(fixture.failure), 0);
    open_diagnostics(&fixture);
    struct compiled done[36];
    size_t count = 0, sources = 0, i;
    const json_t *recorded, *cases = json_object_get(record, "cases");
    json_array_foreach(cases, i, recorded)
    {
        struct problem problem;
        record_make_inputs(&problem, recorded);
        const char *arm;
        json_t *shader;
        json_object_foreach(json_object_get(recorded, "shaders"), arm, shader)
        {
            const char *text = json_string_value(json_object_get(shader, "msl_source"));
            assert_true(count < 36);
            assert_sha256(text, strlen(text),
                          json_string_value(json_object_get(shader, "source_sha256")));
            fixture.program = compile_once(done, &count, text, &fixture);
            run_shader(&fixture, &problem, shader,
                       json_object_get(json_object_get(recorded, "correctness"), arm));
            sources++;
        }
        free(problem.x);
        free(problem.out);
    }
    assert_int_equal(sources, 36);
    assert_int_equal(count, 6);
    for (i = 0; i < count; i++)
        msl_host_free(done[i].program);
    arena_free(&fixture.arena);
    json_decref(record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_with_a_barrier),        cmocka_unit_test(right_kernels_run),
        cmocka_unit_test(wrong_kernels_are_caught),   cmocka_unit_test(bad_requests_are_refused),
        cmocka_unit_test(products_of_matrices),       cmocka_unit_test(recorded_sources_are_right),
    };
    return RUN_TESTS(tests, open_small, close_small);
}
