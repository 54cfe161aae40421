/* The pass list of GPU IR and what is done around a pass; see gpu.h. */
#include "gpu/pass.h"
#include "base/clock.h"
#include "ir/affine.h"

#include <string.h>

enum pass_id {
#define MATRIX(name, meaning)
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
#undef MATRIX
};

static const char *const before[] = {
#define MATRIX(name, meaning) #name,
#define BEFORE(name, meaning) #name,
#define PASS(name, meaning)
#include "gpu/passes.def"
#undef PASS
#undef BEFORE
#undef MATRIX
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
    PASS_split_addresses,
    PASS_cse,
    PASS_licm,
    PASS_reduce_strength,
    PASS_hoist_uniforms,
    PASS_cse,
    PASS_lower_indices,
    PASS_cse,
    PASS_merge_barriers,
    PASS_dce,
    PASS_whole_copies,
    PASS_early_loads,
    PASS_predicate,
    PASS_fetch_ahead,
};

struct manager {
    struct gpu_kernel *kernel;
    const struct gpu_options *options;
    struct diagnostics *diagnostics;
    struct pass_context context;
    int number, changing; /* passes so far; those that changed something */
};

/* ---- options --------------------------------------------------------------------------------- */

static int find_pass(const char *name)
{
    for (int i = 0; i < PASS_COUNT; i++) {
        if (strcmp(passes[i].name, name) == 0)
            return i;
    }
    return -1;
}

static bool is_before(const char *name)
{
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        if (strcmp(before[i], name) == 0)
            return true;
    }
    return false;
}

bool gpu_is_pass(const char *name)
{
    return find_pass(name) >= 0 || is_before(name);
}

void gpu_list_passes(struct text *out)
{
    for (int i = 0; i < PASS_COUNT; i++)
        text_format(out, ", %s%s", opt_is_pass(passes[i].name) ? "gpu:" : "", passes[i].name);
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        text_format(out, ", %s", before[i]);
}

static bool is_listed(const char *const *names, int count, const char *name)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0)
            return true;
    }
    return false;
}

bool gpu_wants_pass(const struct gpu_options *options, const char *name)
{
    if (!options)
        return true;
    if (options->only)
        return is_listed(options->only, options->only_count, name);
    return !is_listed(options->off, options->off_count, name) &&
           !(options->limited && options->limit == 0);
}

static bool check_name(const char *name, bool also_before, struct diagnostics *diagnostics)
{
    struct text names;
    if (find_pass(name) >= 0 || (also_before && is_before(name)))
        return true;
    struct source_range nowhere = {0};
    if (is_before(name)) {
        struct diagnostic *added = diagnostics_add(
            diagnostics, DIAGNOSTIC_ERROR, nowhere,
            "pass '%s' decides how a kernel is lowered: there is no GPU IR yet behind it", name);
        diagnostics_hint(diagnostics, added, "leave it out (--off) and compare what comes out");
        return false;
    }
    struct diagnostic *added = diagnostics_add(diagnostics, DIAGNOSTIC_ERROR, nowhere,
                                               "unknown pass '%s' over GPU IR", name);
    text_init(&names, diagnostics->arena);
    for (int i = 0; i < PASS_COUNT; i++)
        text_format(&names, "%s%s", i > 0 ? ", " : "", passes[i].name);
    for (size_t i = 0; also_before && i < sizeof before / sizeof *before; i++)
        text_format(&names, ", %s", before[i]);
    diagnostics_hint(diagnostics, added, "the passes are %s", names.items);
    return false;
}

static bool check_options(const struct gpu_options *options, struct diagnostics *diagnostics)
{
    const char *dump = options->dump;
    for (int i = 0; i < options->off_count; i++) {
        if (!check_name(options->off[i], true, diagnostics))
            return false;
    }
    for (int i = 0; i < options->only_count; i++) {
        if (!check_name(options->only[i], true, diagnostics))
            return false;
    }
    if (dump && strcmp(dump, "all") != 0 && strcmp(dump, "changed") != 0 &&
        !check_name(dump, false, diagnostics))
        return false;
    return !options->stop_after || check_name(options->stop_after, false, diagnostics);
}

/* ---- around a pass --------------------------------------------------------------------------- */

static bool verify_after(const struct manager *m, const char *pass)
{
    struct diagnostics found;
    const struct ir_func *func = m->kernel->func;
    diagnostics_init(&found, m->diagnostics->arena);
    if (gpu_verify(func, &found))
        return true;
    diagnostics_add(m->diagnostics, DIAGNOSTIC_ERROR, found.items[0].range,
                    "internal error: broken GPU IR after pass '%s' in function '%s': %s", pass,
                    func->name, found.items[0].message);
    return false;
}

static void dump(const struct manager *m, const char *pass, bool changed)
{
    const struct gpu_options *options = m->options;
    const struct ir_func *func = m->kernel->func;
    struct opt_dump record = {.pass = pass, .number = m->number, .changed = changed};
    struct text text;
    if (!options->dump || !options->on_dump)
        return;
    if (strcmp(options->dump, "all") != 0 && strcmp(options->dump, pass) != 0 &&
        !(changed && strcmp(options->dump, "changed") == 0))
        return;
    if (changed) {
        text_init(&text, func->arena);
        ir_print(func, &text);
        record.text = text.items;
    }
    options->on_dump(options->user, &record);
}

/* Puts the name of a pass that changed something into kernel->passes, once. */
static void note_pass(struct gpu_kernel *kernel, const char *name)
{
    for (int i = 0; i < kernel->pass_count; i++) {
        if (strcmp(kernel->passes[i], name) == 0)
            return;
    }
    if (!kernel->passes)
        kernel->passes = ARENA_ARRAY(kernel->func->arena, const char *,
                                     PASS_COUNT + sizeof before / sizeof *before);
    kernel->passes[kernel->pass_count++] = name;
}

static bool run_pass(struct manager *m, int pass)
{
    const struct gpu_options *options = m->options;
    const char *name = passes[pass].name;
    double start = options->on_time ? clock_seconds() : 0;
    bool changed = passes[pass].run(&m->context, m->kernel->func);
    if (options->on_time)
        options->on_time(options->user, name, clock_seconds() - start);
    if (changed)
        note_pass(m->kernel, name);
    m->changing += changed;
    if (options->verify_each && !verify_after(m, name))
        return false;
    dump(m, name, changed);
    m->number++;
    return true;
}

/* ---- the pipeline ---------------------------------------------------------------------------- */

static bool run_only(struct manager *m)
{
    for (int i = 0; i < m->options->only_count; i++) {
        int pass = find_pass(m->options->only[i]);
        if (pass >= 0 && !run_pass(m, pass))
            return false;
    }
    return true;
}

static bool run_pipeline(struct manager *m)
{
    const struct gpu_options *options = m->options;
    for (size_t i = 0; i < sizeof pipeline; i++) {
        const char *name = passes[pipeline[i]].name;
        if (options->limited && m->changing >= options->limit)
            break;
        if (!gpu_wants_pass(options, name))
            continue;
        if (!run_pass(m, pipeline[i]))
            return false;
        if (options->stop_after && strcmp(options->stop_after, name) == 0)
            break;
    }
    return true;
}

bool gpu_run_passes(struct gpu_kernel *kernel, const struct gpu_promises *promises,
                    const struct gpu_options *options, struct diagnostics *diagnostics)
{
    static const struct gpu_options defaults = {0};
    struct ir_assumption bound = {0};
    struct manager m = {
        .kernel = kernel,
        .options = options ? options : &defaults,
        .diagnostics = diagnostics,
        .context = {.arena = kernel->func->arena,
                    .diagnostics = diagnostics,
                    .promises = promises,
                    .short_arrays = kernel->plan && kernel->plan->short_arrays,
                    .hoists = kernel->plan && kernel->plan->hoists,
                    .hoists_floats = kernel->plan && kernel->plan->target->host_floats,
                    .roomy = kernel->resident == 1,
                    .predicates = kernel->plan && kernel->plan->target->predicates &&
                                  kernel->plan->backend == GPU_BACKEND_ELEMENTWISE,
                    .threads = kernel->threads},
    };
    if (kernel->plan) {
        m.context.fetch_ahead = kernel->plan->fetch_ahead;
        m.context.fetch_bytes = kernel->blocks == 1 ? kernel->plan->fetch_bytes : 0;
    }
    if (kernel->plan && kernel->plan->bound.known) {
        const struct gpu_known_range *range = &kernel->plan->bound;
        bound.value = kernel->func->body->arguments[range->parameter];
        bound.range = (struct ir_interval){range->least, range->most};
        m.context.assumption = &bound;
    }
    if (!check_options(m.options, diagnostics))
        return false;
    for (int i = 0; i < kernel->matrix_pass_count; i++)
        note_pass(kernel, kernel->matrix_passes[i]);
    if (kernel->chunked)
        note_pass(kernel, "chunk");
    if (kernel->guarded)
        note_pass(kernel, "guard_masks");
    if (kernel->widened)
        note_pass(kernel, "widen");
    if (kernel->shares_squares)
        note_pass(kernel, "share_squares");
    if (m.options->verify_each && !verify_after(&m, "lowering"))
        return false;
    if (!(m.options->only ? run_only(&m) : run_pipeline(&m)))
        return false;
    if (kernel->plan && kernel->plan->folds_grid)
        gpu_fold_grid(kernel->func);
    if (kernel->plan && kernel->plan->programs > 1)
        gpu_share_block(kernel->func);
    kernel->aligned_used |= m.context.aligned_used;
    kernel->prologue = m.context.prologue;
    kernel->uniform_count = kernel->prologue ? kernel->prologue->result_count : 0;
    return m.options->verify_each || verify_after(&m, "the last");
}
