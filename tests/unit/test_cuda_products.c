/*
 * Products of matrices as CUDA text: they use tensor cores (mma.sync, operands by ldmatrix where it
 * can; on sm_90a wgmma, where four warps have tiles for it), strict floats fused multiply-adds;
 * warps share deep tiles. All compile for sm_80 and sm_90a without a warning, and keep all values
 * in registers; no product of warpgroups is made to wait for another. Without NVRTC the text is
 * only made.
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

#define LARGE "64", "64", NULL, NULL
#define ALONE NULL /* one warp, or two, have all of the tile; or no such instruction */

/* uses: NULL: for sm_90a alone. tensor: operands come by ldmatrix; else each thread multiplies.
 * threads: NULL, or the launch bounds. Warps share the inner axis of a deep tile. */
static const struct {
    const char *file, *kernel, *type, *block_k, *uses;
    bool tensor;
    const char *block_m, *block_n, *threads;
    const char *team; /* what there is instead of `uses` and ldmatrix on sm_90a; NULL: the same */
} products[] = {
    {"gemm", "gemm", "half", "32", "f32.f16.f16.f32", true, "64", "64", NULL,
     "m64n64k16.f32.f16.f16"},
    {"gemm", "gemm", "bfloat", "32", "f32.bf16.bf16.f32", true, "64", "64", NULL,
     "m64n64k16.f32.bf16.bf16"},
    {"gemm", "gemm", "float", "32", "f32.tf32.tf32.f32", true, LARGE},
    {"gemm_int8", NULL, "float", "64", "s32.s8.s8.s32", true, LARGE},
    {"gemm_transposed", "gemm_nt", "half", "32", "f32.f16.f16.f32", true, "64", "64", NULL,
     "m64n64k16.f32.f16.f16"},
    {"gemm_transposed", "gemm_tn", "half", "32", "f32.f16.f16.f32", true, "64", "64", NULL,
     "m64n64k16.f32.f16.f16"},
    {"gemm_transposed", "gemm_tt", "bfloat", "32", "f32.bf16.bf16.f32", true, "64", "64", NULL,
     "m64n64k16.f32.bf16.bf16"},
    {"gemm_epilogue", "gemm_bias_gelu", "half", "32", "f32.f16.f16.f32", true, "64", "64", NULL,
     "m64n64k16.f32.f16.f16"},
    {"gemm_gated", "gemm_gated", "half", "32", "f32.f16.f16.f32", true, "64", "64", NULL,
     "m64n64k16.f32.f16.f16"},
    {"gemm", "gemm", "float", "32", "__fmaf_rn", false, LARGE},
    {"gemm_transposed", "gemm_tn", "float", "16", "__fmaf_rn", false, LARGE},
    {"gemm_transposed", "gemm_nt", "float", "12", "__fmaf_rn", false, LARGE},
    {"gemm_epilogue", "gemm_bias_gelu", "float", "32", "__fmaf_rn", false, LARGE},
    {"gemm", "gemm", "half", "64", "f32.f16.f16.f32", true, "16", "16", "(256)", ALONE},
    {"gemm", "gemm", "half", "256", "f32.f16.f16.f32", true, "16", "32", "(256)", ALONE},
    {"gemm", "gemm", "half", "96", "f32.f16.f16.f32", true, "32", "32", "(256)", ALONE},
    {"gemm", "gemm", "float", "256", "__fmaf_rn", false, "32", "16", "(256)", ALONE},
    {"gemm_gated", "gemm_gated", "float", "72", "__fmaf_rn", false, "16", "16", "(128)",
     ALONE}, /* 18 steps: 2 sets */
    {"gemm", "gemm", "half", "32", "cp.async.cg", true, "128", "256", NULL,
     "m64n256k16.f32.f16.f16"},
    {"gemm", "gemm", "half", "32", "m8n8.x4.trans", true, "128", "128", NULL,
     "m64n128k16.f32.f16.f16"},
    {"gemm", "gemm", "half", "32", "<vec<ushort, 8>>().store_device", true,
     "64", "64", NULL, "<vec<ushort, 8>>().store_device"}, /* of 4 lanes' pairs */
    {"gemm", "gemm", "bfloat", "32", "uint(256l), v_", true, "128", "256", NULL,
     "m64n256k16.f32.bf16.bf16"}, /* swizzled rows */
    {"gemm_transposed", "gemm_tt", "bfloat", "32", "cp.async.cg", true, "128", "128", NULL,
     "1, 1, 1, 1, 0;"},
    {"gemm", "gemm", "float", "16", "__launch_bounds__(256, 2)", false, "128", "128", NULL, ALONE},
    {"gemm", "gemm", "float", "16", "tilec_outer_fma", false, "128", "256", "(256)", ALONE},
    {"gemm", "gemm", "float", "32", "cp.async.cg", false, "128", "256", "(256)", ALONE},
    {"gemm", "gemm", "float", "32", "tilec_shared + 58368", false, "64", "64", NULL,
     ALONE}, /* no padding */
    {"gemm", "gemm", "float", "16", "shared_a_landing_1_12[", false, "64", "64", "(64, 2)",
     ALONE}, /* 3 stages */
    {"gemm_transposed", "gemm_nt", "float", "16", "shared_b_landing", false, "128", "256", "(256)",
     ALONE},
    {"gemm_transposed", "gemm_tn", "float", "16", "cp.async.cg", false, "128", "128", NULL, ALONE},
    {"gemm", "gemm", "half", "64", NULL, true, "128", "256", "(256)",
     "wgmma.wait_group.sync.aligned 1;"},
    {"gemm", "gemm", "half", "64", NULL, true, "256", "128", "(256)",
     "fence.proxy.async.shared::cta;"},
    {"gemm", "gemm", "bfloat", "128", NULL, true, "64", "128", "(128)", "alignas(1024) extern"},
    {"gemm", "gemm", "half", "64", NULL, true, "128", "64", "(128)", "matrix_at<64, 8192, "},
    {"gemm_transposed", "gemm_nt", "half", "64", NULL, true, "128", "256", "(256)",
     "1, 1, 1, 0, 0;"},
    {"gemm_transposed", "gemm_tn", "half", "32", NULL, true, "128", "256", "(256)",
     "1, 1, 1, 1, 1;"},
    {"gemm_transposed", "gemm_tt", "half", "64", NULL, true, "128", "256", "(256)",
     "1, 1, 1, 1, 0;"},
    {"gemm_transposed", "gemm_nt", "bfloat", "32", NULL, true, "64", "128", "(128)",
     "matrix_at<32, 4096, "},
    {"gemm_epilogue", "gemm_bias_gelu", "half", "64", NULL, true, "128", "128", "(128)",
     "m64n128k16"},
    {"gemm_gated", "gemm_gated", "half", "64", NULL, true, "64", "128", "(128)", "m64n128k16"},
};

static void check(struct cuda_harness *h, tilec_context *context, size_t index, const char *arch)
{
    static const char *const aligned[] = {"all"};
    const tilec_define constants[] = {{"BLOCK_M", products[index].block_m},
                                      {"BLOCK_N", products[index].block_n},
                                      {"BLOCK_K", products[index].block_k}};
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
                                     .relaxed = products[index].tensor &&
                                                strcmp(products[index].type, "float") == 0,
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
    bool team = products[index].team && strcmp(arch, "sm_90a") == 0;
    const char *uses = team ? products[index].team : products[index].uses;
    if (!strstr(text, uses))
        fail_msg("%s (%s) in %s has no '%s'", products[index].kernel, products[index].type, arch,
                 uses);
    assert_int_equal(strstr(text, "ldmatrix") != NULL, products[index].tensor && !team);
    assert_int_equal(strstr(text, "wgmma") != NULL, team);
    if (products[index].threads)
        assert_non_null(strstr(text, products[index].threads));
    bool deep = atoi(products[index].block_k) >= 2 * atoi(products[index].block_m) &&
                atoi(products[index].block_k) >= 2 * atoi(products[index].block_n);
    assert_int_equal(strstr(text, "split_k") != NULL, deep);
    if (deep)
        assert_null(strstr(text, "tilec_rem_signed")); /* programs keep their order */
    if (h->nvrtc) {
        struct nvrtc_output code = cuda_compile(h, text, arch, &arena);
        if (code.resources.spill_bytes != 0)
            fail_msg("%s (%s) spills %d bytes", path, arch, code.resources.spill_bytes);
    }
    tilec_release(context, text);
    tilec_program_destroy(program);
    arena_free(&arena);
}

static void products_use_their_instructions(void **unused)
{
    struct cuda_harness h;
    tilec_context_options options = {.size = sizeof options, .cache_directory = ""};
    tilec_context *context;
    (void)unused;
    cuda_harness_open(&h);
    assert_int_equal(tilec_context_create(&options, &context), TILEC_OK);
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        if (products[i].uses)
            check(&h, context, i, "sm_80");
        check(&h, context, i, "sm_90a");
    }
    tilec_context_destroy(context);
    cuda_harness_close(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(products_use_their_instructions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
