/* The pass list of GPU IR and what is done around a pass; see gpu.h. */
#include "gpu/pass.h"

#include <string.h>

enum pass_id {
#define BEFORE(name, meaning)
#define PASS(name, meaning) PASS_##name,
#include "gpu/passes.def"
#undef PASS
    PASS_COUNT
};

static const struct {
    const char *name;
    pass_function *run;
} passes[PASS_COUNT] = {
#define PASS(name, meaning) {#name, pass_##name},
#include "gpu/passes.def"
#undef PASS
#undef BEFORE
};

static const char *const before[] = {
#define BEFORE(name, meaning) #name,
#define PASS(name, meaning)
#include "gpu/passes.def"
#undef PASS
#undef BEFORE
};

/* Splitting vectors of indices makes scalars that fold, and masks that ranges decide. */
static const uint8_t pipeline[] = {
    PASS_fold,
    PASS_cse,
    PASS_dce,
    PASS_scalarise,
    PASS_fold,
    PASS_cse,
    PASS_dce,
    PASS_prove_masks,
    PASS_fold,
    PASS_narrow,
    PASS_fold,
    PASS_licm,
    PASS_reduce_strength,
    PASS_cse,
    PASS_merge_barriers,
    PASS_dce,
};

static bool is_known(const char *name)
{
    for (int i = 0; i < PASS_COUNT; i++) {
        if (strcmp(passes[i].name, name) == 0)
            return true;
    }
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        if (strcmp(before[i], name) == 0)
            return true;
    }
    return false;
}

static bool check_name(const char *name, struct diagnostics *diagnostics)
{
    if (is_known(name))
        return true;
    diagnostics_add(diagnostics, DIAGNOSTIC_ERROR, (struct source_range){0},
                    "unknown pass '%s' over GPU IR", name);
    return false;
}

static bool is_off(const struct gpu_options *options, const char *name)
{
    for (int i = 0; options && i < options->off_count; i++) {
        if (strcmp(options->off[i], name) == 0)
            return true;
    }
    return false;
}

static bool verify_after(const struct ir_func *func, const char *pass,
                         struct diagnostics *diagnostics)
{
    struct diagnostics found;
    diagnostics_init(&found, diagnostics->arena);
    if (gpu_verify(func, &found))
        return true;
    diagnostics_add(diagnostics, DIAGNOSTIC_ERROR, found.items[0].range,
                    "internal error: broken GPU IR after pass '%s' in function '%s': %s", pass,
                    func->name, found.items[0].message);
    return false;
}

static void dump(const struct ir_func *func, const struct gpu_options *options, const char *pass,
                 bool changed)
{
    struct text text;
    if (!options || !options->dump || !options->on_dump)
        return;
    bool all = strcmp(options->dump, "all") == 0;
    if (!all && strcmp(options->dump, pass) != 0 &&
        !(changed && strcmp(options->dump, "changed") == 0))
        return;
    text_init(&text, func->arena);
    if (changed)
        ir_print(func, &text);
    options->on_dump(options->user, pass, changed, changed ? text.items : NULL);
}

static void note_pass(struct gpu_kernel *kernel, const char *name)
{
    for (int i = 0; i < kernel->pass_count; i++) {
        if (strcmp(kernel->passes[i], name) == 0)
            return;
    }
    if (!kernel->passes)
        kernel->passes = ARENA_ARRAY(kernel->func->arena, const char *, PASS_COUNT + 2);
    kernel->passes[kernel->pass_count++] = name;
}

bool gpu_run_passes(struct gpu_kernel *kernel, const struct gpu_options *options,
                    struct diagnostics *diagnostics)
{
    struct ir_func *func = kernel->func;
    struct pass_context context = {.arena = func->arena,
                                   .diagnostics = diagnostics,
                                   .short_arrays = kernel->plan && kernel->plan->short_arrays};
    bool each = options && options->verify_each;
    for (int i = 0; options && i < options->off_count; i++) {
        if (!check_name(options->off[i], diagnostics))
            return false;
    }
    if (kernel->chunked)
        note_pass(kernel, "chunk");
    if (kernel->widened)
        note_pass(kernel, "widen");
    if (each && !verify_after(func, "lowering", diagnostics))
        return false;
    for (size_t i = 0; i < sizeof pipeline; i++) {
        const char *name = passes[pipeline[i]].name;
        if (is_off(options, name))
            continue;
        bool changed = passes[pipeline[i]].run(&context, func);
        if (changed)
            note_pass(kernel, name);
        if (each && !verify_after(func, name, diagnostics))
            return false;
        dump(func, options, name, changed);
    }
    return each || verify_after(func, "the last", diagnostics);
}
