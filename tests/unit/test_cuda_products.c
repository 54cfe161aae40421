/*
 * Products of matrices as CUDA text: they use tensor cores (mma.sync, operands by ldmatrix where it
 * can), compile for sm_80 and sm_90a without a warning, and keep all values in registers. Without
 * NVRTC the text is only made.
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
    const char *file, *kernel, *type, *block_k, *uses;
    bool loads; /* ldmatrix */
} products[] = {
    {"gemm", "gemm", "half", "32", "f32.f16.f16.f32", true},
    {"gemm", "gemm", "bfloat", "32", "f32.bf16.bf16.f32", true},
    {"gemm", "gemm", "float", "32", "f32.tf32.tf32.f32", true},
    {"gemm_int8", NULL, "float", "64", "s32.s8.s8.s32", true},
    {"gemm_transposed", "gemm_nt", "half", "32", "f32.f16.f16.f32", true},
    {"gemm_transposed", "gemm_tn", "half", "32", "f32.f16.f16.f32", true},
    {"gemm_transposed", "gemm_tt", "bfloat", "32", "f32.bf16.bf16.f32", true},
    {"gemm_epilogue", "gemm_bias_gelu", "half", "32", "f32.f16.f16.f32", true},
    {"gemm_gated", "gemm_gated", "half", "32", "f32.f16.f16.f32", true},
};

static void check(struct cuda_harness *h, tilec_context *context, size_t index, const char *arch)
{
    static const char *const aligned[] = {"all"};
    const tilec_define constants[] = {
        {"BLOCK_M", "64"}, {"BLOCK_N", "64"}, {"BLOCK_K", products[index].block_k}};
    const tilec_define storage = {"T", products[index].type};
    char path[64], *text;
    jmp_buf failure;
    struct arena arena;
    tilec_program *program;
    tilec_diagnostic diagnostic = {0};
    snprintf(path, sizeof path, "kernels/%s.tile.c", products[index].file);
    tilec_source source = {
        .size = sizeof source, .path = path, .defines = &storage, .define_count = 1};
    tilec_compile_options options = {.size = sizeof options,
                                     .kernel = products[index].kernel,
                                     .target = "cuda",
                                     .arch = arch,
                                     .relaxed = strcmp(products[index].type, "float") == 0,
                                     .aligned = aligned,
                                     .aligned_count = 1,
                                     .constants = constants,
                                     .constant_count = 3};
    if (setjmp(failure))
        fail_msg("out of memory");
    arena_init(&arena, allocator_default, &failure);
    if (tilec_program_create(context, &source, &program) != TILEC_OK ||
        tilec_emit(program, &options, TILEC_STAGE_CUDA, &text, NULL) != TILEC_OK) {
        tilec_diagnostic_get(context, 0, &diagnostic);
        fail_msg("%s: %s", path, diagnostic.message ? diagnostic.message : "fails");
    }
    assert_non_null(strstr(text, products[index].uses));
    assert_int_equal(strstr(text, "ldmatrix") != NULL, products[index].loads);
    if (h->nvrtc) {
        struct nvrtc_output code = cuda_compile(h, text, arch, &arena);
        if (code.resources.spill_bytes != 0)
            fail_msg("%s (%s) spills %d bytes", path, arch, code.resources.spill_bytes);
    }
    tilec_release(context, text);
    tilec_program_destroy(program);
    arena_free(&arena);
}

static void products_use_tensor_cores(void **unused)
{
    struct cuda_harness h;
    tilec_context_options options = {.size = sizeof options, .cache_directory = ""};
    tilec_context *context;
    (void)unused;
    cuda_harness_open(&h);
    assert_int_equal(tilec_context_create(&options, &context), TILEC_OK);
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        check(&h, context, i, "sm_80");
        check(&h, context, i, "sm_90a");
    }
    tilec_context_destroy(context);
    cuda_harness_close(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(products_use_tensor_cores)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
