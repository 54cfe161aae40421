/*
 * Every kernel of kernels/ as CUDA text, for float and half, for sm_80 and sm_90a: it compiles
 * without a warning and keeps all values in registers. Without NVRTC the text is only made.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tilec/tilec.h>
#include <cmocka.h>

#include "cuda_harness.h"

static const struct {
    const char *file, *kernel;
    tilec_define constants[3];
} kernels[] = {
    {"activations", "gelu", {{"BLOCK", "1024"}}},
    {"activations", "gelu_tanh", {{"BLOCK", "1024"}}},
    {"activations", "silu", {{"BLOCK", "1024"}}},
    {"activations", "swiglu", {{"BLOCK", "512"}}},
    {"copy", "copy", {{"BLOCK", "1024"}}},
    {"cross_entropy", "cross_entropy", {{"BLOCK", "1024"}}},
    {"gemm", "gemm", {{"BLOCK_M", "32"}, {"BLOCK_N", "32"}, {"BLOCK_K", "16"}}},
    {"histogram", "histogram", {{"BLOCK", "256"}}},
    {"layernorm", "layernorm", {{"BLOCK", "1024"}}},
    {"layernorm", "layernorm_tile", {{"BLOCK", "1024"}}},
    {"rmsnorm", "rmsnorm", {{"BLOCK", "1024"}}},
    {"rmsnorm", "rmsnorm_tile", {{"BLOCK", "4096"}}},
    {"row_argmax", "row_argmax", {{"BLOCK", "128"}}},
    {"row_cumsum", "row_cumsum", {{"BLOCK", "256"}}},
    {"softmax", "softmax", {{"BLOCK", "1024"}}},
    {"softmax", "softmax_tile", {{"BLOCK", "4096"}}},
    {"transpose", "transpose", {{"BLOCK_M", "32"}, {"BLOCK_N", "32"}}},
    {"vector_add", "vector_add", {{"BLOCK", "1024"}}},
    {"matvec_nf4", "matvec_nf4", {{"ROWS", "4"}, {"BLOCKS", "2"}}},
    {"matvec_q4", "matvec_q4", {{"ROWS", "4"}, {"GROUPS", "8"}}},
    {"matvec_q8", "matvec_q8", {{"ROWS", "4"}, {"GROUPS", "8"}}},
    {"median", "median", {{"REACH", "2"}, {"BLOCK", "256"}}},
    {"nbody", "nbody", {{"BLOCK", "64"}}},
    {"upsample", "upsample_nearest", {{"FACTOR", "2"}, {"BLOCK", "256"}}},
    {"attention", "attention", {{"D", "64"}, {"BLOCK_M", "64"}, {"BLOCK_N", "32"}}},
    {"attention", "attention", {{"D", "64"}, {"BLOCK_M", "64"}, {"BLOCK_N", "64"}}},
    {"rope", "rope", {{"BLOCK", "64"}}},
    {"rope", "rope_pairs", {{"BLOCK", "64"}}},
    {"attention_decode", "attention_decode", {{"D", "128"}, {"BLOCK", "64"}}},
    {"group_norm", "group_norm", {{"BLOCK", "1024"}}},
    {"top_k", "top_k", {{"K", "8"}, {"BLOCK", "1024"}}},
    {"dropout", "dropout", {{"BLOCK", "1024"}}},
    {"adam", "adam", {{"BLOCK", "1024"}}},
    {"rmsnorm_backward", "rmsnorm_backward", {{"BLOCK", "4096"}}},
    {"rmsnorm_backward", "rmsnorm_backward_weight", {{"BLOCK", "256"}}},
    /* rows that a cluster of blocks shares, from sm_90 on */
    {"softmax", "softmax_tile", {{"BLOCK", "131072"}}},
    {"rmsnorm", "rmsnorm_tile", {{"BLOCK", "65536"}}},
    {"layernorm", "layernorm_tile", {{"BLOCK", "65536"}}},
};
enum { IN_CLUSTERS = 3 };

static void expect_ok(tilec_context *context, const char *kernel, tilec_status status)
{
    tilec_diagnostic diagnostic = {0};
    if (status == TILEC_OK)
        return;
    tilec_diagnostic_get(context, 0, &diagnostic);
    fail_msg("%s: %s", kernel, diagnostic.message ? diagnostic.message : "fails");
}

static bool in_cluster(size_t index)
{
    return index >= sizeof kernels / sizeof *kernels - IN_CLUSTERS;
}

static void check(struct cuda_harness *h, tilec_context *context, size_t index, const char *type,
                  const char *arch, const char *requirement)
{
    char path[64], *text;
    jmp_buf failure;
    struct arena arena;
    tilec_program *program;
    const char *name = kernels[index].kernel;
    const tilec_define storage = {"T", type};
    snprintf(path, sizeof path, "kernels/%s.tile.c", kernels[index].file);
    tilec_source source = {
        .size = sizeof source, .path = path, .defines = &storage, .define_count = 1};
    tilec_compile_options options = {.size = sizeof options,
                                     .kernel = name,
                                     .target = "cuda",
                                     .arch = arch,
                                     .constants = kernels[index].constants,
                                     .requirements = &requirement,
                                     .requirement_count = requirement != NULL};
    while (options.constant_count < 3 && options.constants[options.constant_count].name)
        options.constant_count++;
    if (setjmp(failure))
        fail_msg("out of memory");
    arena_init(&arena, allocator_default, &failure);
    expect_ok(context, name, tilec_program_create(context, &source, &program));
    expect_ok(context, name, tilec_emit(program, &options, TILEC_STAGE_CUDA, &text, NULL));
    assert_null(strstr(text, "#include"));
    assert_int_equal(strstr(text, "__cluster_dims__") != NULL, in_cluster(index) && !requirement);
    assert_int_equal(strstr(text, ">= grid_x_") != NULL, requirement != NULL);
    if (h->nvrtc) {
        struct nvrtc_output code = cuda_compile(h, text, arch, &arena);
        if (code.resources.spill_bytes != 0 &&
            !requirement) /* the plan does not ask for such blocks */
            fail_msg("%s (%s, %s) spills %d bytes", name, type, arch, code.resources.spill_bytes);
        assert_true(code.resources.registers > 0);
    }
    tilec_release(context, text);
    tilec_program_destroy(program);
    arena_free(&arena);
}

static void kernels_compile(void **unused)
{
    static const char *const types[] = {"float", "half", "bfloat"};
    struct cuda_harness h;
    tilec_context_options options = {.size = sizeof options, .cache_directory = ""};
    tilec_context *context;
    (void)unused;
    cuda_harness_open(&h);
    assert_int_equal(tilec_context_create(&options, &context), TILEC_OK);
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        if (!in_cluster(i))
            check(&h, context, i, "float", "sm_80", NULL);
        check(&h, context, i, types[i % 3], "sm_90a", NULL);
        if (!in_cluster(i))
            check(&h, context, i, types[(i + 1) % 3], "sm_90a", "programs_per_block=2");
    }
    tilec_context_destroy(context);
    cuda_harness_close(&h);
}

/* Where there is a driver, NVRTC keeps what it made, and would say nothing about that. */
static void compilers_speak_every_time(void **unused)
{
    struct cuda_harness h;
    jmp_buf failure;
    struct arena arena;
    (void)unused;
    if (setjmp(failure))
        fail_msg("out of memory");
    arena_init(&arena, allocator_default, &failure);
    cuda_harness_open(&h);
    for (int i = 0; h.nvrtc && i < 2; i++) {
        struct nvrtc_output code =
            cuda_compile(&h, "__global__ void f(int *x) { *x = 1; }", h.arch, &arena);
        assert_true(code.resources.registers > 0);
        assert_int_equal(code.resources.spill_bytes, 0);
    }
    cuda_harness_close(&h);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(kernels_compile),
                                       cmocka_unit_test(compilers_speak_every_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
