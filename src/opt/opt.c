/*
 * The pass manager: one list of passes, one pipeline, and everything that is done around a pass.
 *
 * Only the manager checks what passes need, verifies, dumps, times and counts, so that a pass is
 * one function from IR to IR. A pass that leaves broken IR behind is an internal fault: the error
 * names the pass, the function and the op, and how to see the IR before it.
 */
#include "opt/opt.h"
#include "base/clock.h"
#include "opt/pass.h"

#include <string.h>

/* Properties of the IR that passes need and keep; see passes.def. */
enum { FOLDED = 1 << 0, MERGED = 1 << 1, SPLIT = 1 << 2 };

enum pass_id {
#define PASS(name, needs, keeps, meaning) PASS_##name,
#include "opt/passes.def"
#undef PASS
    PASS_COUNT
};

struct pass {
    const char *name;
    pass_function *run;
    unsigned needs, keeps;
    const char *meaning;
};

static const struct pass passes[PASS_COUNT] = {
#define PASS(name, needs, keeps, meaning) {#name, pass_##name, needs, keeps, meaning},
#include "opt/passes.def"
#undef PASS
};

/* What a pass establishes. */
static unsigned gives(enum pass_id id)
{
    return id == PASS_fold                 ? FOLDED
           : id == PASS_cse                ? MERGED
           : id == PASS_split_masked_loops ? SPLIT
                                           : 0;
}

/* Unrolling comes when loops are small, and before masks are proved, for which its counters are
 * constants. Splitting needs indices that are simple and equal where they are the same; what it
 * leaves (copies of bodies, known masks, constants in the bounds) is cleaned by the last round. */
static const uint8_t pipeline[] = {
    PASS_fold,
    PASS_cse,
    PASS_licm,
    PASS_dce,
    PASS_unroll_short_loops,
    PASS_halve_pairs,
    PASS_fold,
    PASS_prove_masks,
    PASS_fold,
    PASS_cse,
    PASS_dce,
    PASS_split_masked_loops,
    PASS_unroll_carrying_loops,
    PASS_fold,
    PASS_narrow_small,
    PASS_cse,
    PASS_licm,
    PASS_dce,
};

struct manager {
    struct ir_func *func;
    const struct opt_options *options;
    struct diagnostics *diagnostics;
    struct pass_context context;
    unsigned properties;
    int number;   /* of the next pass in the pipeline */
    int changing; /* passes that changed something so far */
    const char *previous;
};

struct ir_builder pass_builder(struct ir_func *func, struct ir_op *op)
{
    return (struct ir_builder){
        .func = func, .region = op->parent, .before = op, .range = op->range};
}

/* ---- options --------------------------------------------------------------------------------- */

static const struct pass *find_pass(const char *name)
{
    for (int i = 0; i < PASS_COUNT; i++) {
        if (strcmp(passes[i].name, name) == 0)
            return &passes[i];
    }
    return NULL;
}

bool opt_is_pass(const char *name)
{
    return find_pass(name) != NULL;
}

static bool check_name(const struct opt_options *options, struct diagnostics *diagnostics,
                       const char *name)
{
    if (find_pass(name))
        return true;
    struct diagnostic *error = diagnostics_add(diagnostics, DIAGNOSTIC_ERROR,
                                               (struct source_range){0}, "unknown pass '%s'", name);
    struct text names;
    text_init(&names, diagnostics->arena);
    for (int i = 0; i < PASS_COUNT; i++)
        text_format(&names, "%s%s", i > 0 ? ", " : "", passes[i].name);
    diagnostics_hint(diagnostics, error, "the passes are %s%s", names.items,
                     options->further ? options->further : "");
    return false;
}

static bool check_options(const struct opt_options *options, struct diagnostics *diagnostics)
{
    bool fine = true;
    for (int i = 0; i < options->off_count; i++)
        fine &= check_name(options, diagnostics, options->off[i]);
    for (int i = 0; i < options->only_count; i++)
        fine &= check_name(options, diagnostics, options->only[i]);
    if (options->stop_after)
        fine &= check_name(options, diagnostics, options->stop_after);
    const char *dump = options->dump;
    if (dump && strcmp(dump, "all") != 0 && strcmp(dump, "changed") != 0)
        fine &= check_name(options, diagnostics, dump);
    return fine;
}

static bool is_off(const struct opt_options *options, const struct pass *pass)
{
    for (int i = 0; i < options->off_count; i++) {
        if (strcmp(options->off[i], pass->name) == 0)
            return true;
    }
    return false;
}

/* ---- around a pass --------------------------------------------------------------------------- */

static void dump(struct manager *m, const struct pass *pass, bool changed)
{
    const struct opt_options *options = m->options;
    if (!options->dump || !options->on_dump)
        return;
    bool all = strcmp(options->dump, "all") == 0;
    bool wanted = all || strcmp(options->dump, pass->name) == 0 ||
                  (strcmp(options->dump, "changed") == 0 && changed);
    if (!wanted)
        return;
    struct opt_dump record = {.pass = pass->name, .number = m->number, .changed = changed};
    struct text text;
    text_init(&text, m->func->arena);
    if (changed) {
        ir_print(m->func, &text);
        record.text = text.items;
    }
    options->on_dump(options->user, &record);
}

/* Verifies into diagnostics of its own and reports the first error as the pass's fault. */
static bool verify_after(struct manager *m, const char *pass)
{
    struct diagnostics found;
    diagnostics_init(&found, m->diagnostics->arena);
    if (ir_verify(m->func, &found))
        return true;
    struct diagnostic *error =
        diagnostics_add(m->diagnostics, DIAGNOSTIC_ERROR, found.items[0].range,
                        "internal error: broken IR after pass '%s' in function '%s': %s", pass,
                        m->func->name, found.items[0].message);
    if (m->previous)
        diagnostics_hint(m->diagnostics, error, "--stop-after=%s shows the IR before it",
                         m->previous);
    return false;
}

static void note(struct opt_log *log, const char *pass)
{
    if (log)
        log->changes++;
    for (int i = 0; log && i < log->count; i++)
        if (strcmp(log->names[i], pass) == 0)
            return;
    if (log && log->count < (int)(sizeof log->names / sizeof *log->names))
        log->names[log->count++] = pass;
}

static bool run_pass(struct manager *m, const struct pass *pass)
{
    double start = m->options->on_time ? clock_seconds() : 0;
    bool changed = pass->run(&m->context, m->func);
    if (m->options->on_time)
        m->options->on_time(m->options->user, pass->name, clock_seconds() - start);
    if (changed) {
        m->properties &= pass->keeps;
        m->changing++;
        note(m->options->log, pass->name);
    }
    m->properties |= gives((enum pass_id)(pass - passes));
    if (m->options->verify_each && !verify_after(m, pass->name))
        return false;
    dump(m, pass, changed);
    m->number++;
    m->previous = pass->name;
    return true;
}

/* ---- the pipeline ---------------------------------------------------------------------------- */

static bool is_last(const struct manager *m, const struct pass *pass)
{
    const struct opt_options *options = m->options;
    return (options->stop_after && strcmp(options->stop_after, pass->name) == 0) ||
           (options->pass_limit >= 0 && m->changing >= options->pass_limit);
}

static bool run_only(struct manager *m)
{
    for (int i = 0; i < m->options->only_count; i++) {
        if (!run_pass(m, find_pass(m->options->only[i])))
            return false;
    }
    return true;
}

static bool run_pipeline(struct manager *m)
{
    for (size_t i = 0; i < sizeof pipeline; i++) {
        const struct pass *pass = &passes[pipeline[i]];
        /* What a switched-off pass would have given is missing on purpose. */
        if (is_off(m->options, pass)) {
            m->properties |= gives((enum pass_id)pipeline[i]);
            continue;
        }
        if (pass->needs & ~m->properties) {
            diagnostics_add(m->diagnostics, DIAGNOSTIC_ERROR, m->func->range,
                            "internal error: pass '%s' stands too early in the pipeline",
                            pass->name);
            return false;
        }
        if (!run_pass(m, pass))
            return false;
        if (is_last(m, pass))
            break;
    }
    return true;
}

bool opt_run(struct ir_func *func, const struct opt_options *options,
             struct diagnostics *diagnostics)
{
    static const struct opt_options defaults = {.pass_limit = -1};
    if (!options)
        options = &defaults;
    if (!check_options(options, diagnostics))
        return false;
    struct manager m = {
        .func = func,
        .options = options,
        .diagnostics = diagnostics,
        .context = {.arena = func->arena,
                    .diagnostics = diagnostics,
                    .assume_no_alias = options->assume_no_alias,
                    .unrolls = options->unrolls,
                    .carries_in_memory = options->carries_in_memory,
                    .bounds_in_nests = options->bounds_in_nests},
    };
    if (options->pass_limit == 0 && options->only_count == 0)
        return true;
    if (!(options->only_count > 0 ? run_only(&m) : run_pipeline(&m)))
        return false;
    return options->verify_each || verify_after(&m, m.previous ? m.previous : "none");
}
