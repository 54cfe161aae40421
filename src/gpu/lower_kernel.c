/*
 * From a kernel and a plan to a GPU kernel: Tile IR is expanded and simplified (prepare), lowered
 * op by op (lower.c) until what it needs of threadgroup memory is there, and run through the passes
 * of GPU IR (passes.c).
 */
#include "gpu/lower.h"

#include "gpu/bound.h"
#include "gpu/chunk.h"
#include "gpu/cluster.h"
#include "gpu/expand.h"
#include "gpu/guard.h"
#include "gpu/shape.h"
#include "gpu/squares.h"
#include "gpu/uniform.h"
#include "gpu/widen.h"
#include "opt/opt.h"

/* ---- what is left for the report ------------------------------------------------------------- */

struct value_layouts {
    struct arena *arena;
    struct gpu_value_layout *items;
    size_t count, capacity;
};

static bool note_layouts(struct ir_op *op, void *user)
{
    struct value_layouts *list = user;
    for (int i = 0; i < op->result_count; i++) {
        const struct ir_value *value = op->results[i];
        const struct gpu_tile *tile = value->type.rank > 0 ? gpu_home(value) : NULL;
        if (!tile)
            continue;
        struct gpu_value_layout layout = {
            .name = value->name ? value->name : arena_format(list->arena, "v%d", value->id),
            .type = value->type,
            .layout = tile->layout,
        };
        ARENA_PUSH(list->arena, list, layout);
    }
    return true;
}

static bool has_no_assert(struct ir_op *op, void *user)
{
    (void)user;
    return op->code != IR_OP_ASSERT;
}

static void report(struct lowering *l, struct gpu_kernel *kernel)
{
    struct value_layouts layouts = {.arena = l->arena};
    ir_number((struct ir_func *)l->source);
    ir_walk(l->source->body, note_layouts, &layouts);
    kernel->value_layouts = layouts.items;
    kernel->value_layout_count = (int)layouts.count;
    kernel->aligned_used |= l->aligned_used;
    kernel->conversions = l->conversions.items;
    kernel->conversion_count = (int)l->conversions.count;
    kernel->product = l->product;
    kernel->resident = l->resident > 1 ? l->resident : l->plan->resident;
    for (size_t i = 0; i < l->squares.count; i++)
        kernel->shares_squares = kernel->shares_squares || l->squares.items[i].squares;
    kernel->pipelines = l->pipelines.items;
    kernel->pipeline_count = (int)l->pipelines.count;
    const char **notes = ARENA_ARRAY(l->arena, const char *, 3);
    kernel->notes = notes;
    kernel->note_count = 0;
    if (!ir_walk(l->source->body, has_no_assert, NULL))
        notes[kernel->note_count++] =
            "tile_assert is not checked: a GPU cannot stop a launch; interp and cpu check it";
    if (l->shares)
        notes[kernel->note_count++] =
            "reductions share threadgroup memory, which costs barriers: there is not enough for "
            "arrays of their own";
    if (l->single)
        notes[kernel->note_count++] = arena_format(
            l->arena, "a thread holds more of the largest tile than suits its registers: %s",
            l->single);
}

/* ---- Tile IR before it is lowered ------------------------------------------------------------ */

static bool run_passes(struct ir_func *func, const char *const *passes, int count,
                       struct diagnostics *diagnostics)
{
    struct opt_options options = {.only = passes, .only_count = count, .pass_limit = -1};
    return opt_run(func, &options, diagnostics);
}

static bool simplify(struct ir_func *func, struct diagnostics *diagnostics)
{
    static const char *const passes[] = {"fold",        "cse",  "licm", "dce",
                                         "prove_masks", "fold", "cse",  "dce"};
    return run_passes(func, passes, sizeof passes / sizeof *passes, diagnostics);
}

/* What was copied into branches must not be found outside. */
static bool drop_unused(struct ir_func *func, struct diagnostics *diagnostics)
{
    static const char *const passes[] = {"dce"};
    return run_passes(func, passes, sizeof passes / sizeof *passes, diagnostics);
}

/* A loop over pieces has an interior where masks are known. */
static bool split(struct ir_func *func, struct diagnostics *diagnostics)
{
    static const char *const passes[] = {"fold", "cse", "split_masked_loops"};
    return run_passes(func, passes, sizeof passes / sizeof *passes, diagnostics);
}

/* What views and pointer tiles leave behind, in particular masks that always hold, is simplified
 * while it is still Tile IR. */
static struct ir_func *prepare(const struct ir_func *func, struct gpu_kernel *kernel,
                               struct lowering *settings)
{
    const struct gpu_promises *promises = settings->promises;
    const struct gpu_schedule *schedule = settings->schedule;
    const struct gpu_options *options = settings->options;
    struct arena *arena = settings->arena;
    struct diagnostics *diagnostics = settings->diagnostics;
    struct ir_func *expanded = gpu_expand(func, arena, diagnostics);
    if (!expanded)
        return NULL;
    gpu_set_known_value(expanded, &kernel->plan->bound);
    gpu_swizzle_programs(expanded, schedule->swizzle);
    if (gpu_has_products(kernel->plan))
        gpu_fuse_sums(expanded);
    if (!simplify(expanded, diagnostics))
        return NULL;
    kernel->plan = gpu_shape(kernel->plan, expanded, promises, &kernel->aligned_used);
    if (!settings->one_block)
        kernel->plan = gpu_spread_plan(kernel->plan, expanded);
    bool one = kernel->plan->blocks <= 1;
    kernel->chunked = one && gpu_wants_pass(options, "chunk") && gpu_chunk(expanded, kernel->plan);
    kernel->widened =
        one && gpu_wants_pass(options, "widen") && gpu_widen(expanded, kernel->plan) > 0;
    if (one && !kernel->chunked && !kernel->widened && !settings->one_block)
        kernel->plan = gpu_cluster_plan(kernel->plan, expanded, &settings->single);
    kernel->guarded = kernel->plan->backend == GPU_BACKEND_MMA &&
                      gpu_wants_pass(options, "guard_masks") && gpu_guard_masks(expanded) > 0;
    kernel->threads = kernel->plan->threads;
    kernel->groups = kernel->plan->groups;
    kernel->blocks = kernel->plan->blocks;
    kernel->programs = kernel->plan->programs;
    if (kernel->chunked && !split(expanded, diagnostics))
        return NULL;
    if (kernel->guarded && !drop_unused(expanded, diagnostics))
        return NULL;
    if ((kernel->chunked || kernel->widened || kernel->guarded) && !simplify(expanded, diagnostics))
        return NULL;
    return expanded;
}

/* ---- until it fits --------------------------------------------------------------------------- */

static bool lower_func(struct lowering *l, struct gpu_kernel *kernel)
{
    struct ir_func *from = (struct ir_func *)l->source;
    struct ir_func *to = ir_func_new(l->arena, from->name, from->parameter_count, from->parameters);
    to->range = from->range;
    l->b = (struct ir_builder){.func = to, .region = to->body, .range = from->range};
    gpu_matrix_mark(from, l->plan, l->schedule, l->promises, l->arena);
    gpu_find_squares(l, from);
    if (!gpu_assign(from, l->plan, &kernel->layout_counts, l->diagnostics))
        return false;
    for (int i = 0; i < from->parameter_count; i++)
        gpu_value_of(from->body->arguments[i])->scalar = to->body->arguments[i];
    /* Shared arrays go in front of this op, which is removed in the end. */
    struct ir_value *mark = gpu_constant(l, 0);
    l->entry = mark->op;
    gpu_lower_ops(l, from->body);
    if (l->failed)
        return false;
    gpu_cluster_open(l);
    ir_remove(l->entry);
    gpu_make_uniform(to);
    kernel->func = to;
    report(l, kernel);
    return true;
}

static bool add_shared(struct ir_op *op, void *user)
{
    if ((int)op->code == GPU_OP_SHARED)
        *(int64_t *)user += (op->attributes.number + op->attributes.padding) *
                            (int64_t)ir_elem_bytes((enum ir_elem)op->results[0]->type.elem);
    return true;
}

static int64_t shared_bytes(const struct ir_func *func)
{
    int64_t bytes = 0;
    ir_walk(func->body, add_shared, &bytes);
    return bytes;
}

static bool count_op(struct ir_op *op, void *user)
{
    (void)op;
    return ++*(int *)user <= IR_MAX_OPS;
}

static bool has_few_ops(const struct ir_func *func)
{
    int count = 0;
    return ir_walk(func->body, count_op, &count);
}

/* Exchanges go through windows that are made smaller until all arrays fit; in the end reductions
 * have no arrays of their own. */
static bool lower_in_windows(struct gpu_kernel *kernel, struct lowering *l,
                             const struct ir_func *prepared)
{
    int most = kernel->plan->target->shared_bytes;
    struct lowering start = *l;
    int wanted = kernel->plan->target->exchange_bytes, first = wanted ? wanted : most;
    for (int window = first, i = 0; i < 12; i++, window = i == 6 ? first : window / 2) {
        *l = start;
        l->source = ir_func_clone(l->arena, prepared);
        l->window_bytes = window;
        l->shares = i >= 6;
        kernel->layout_counts = (struct gpu_layout_counts){0};
        if (!lower_func(l, kernel))
            return false;
        kernel->shared_bytes = (int)shared_bytes(kernel->func);
        if (shared_bytes(kernel->func) <= most)
            return true;
        if (!has_few_ops(kernel->func)) /* smaller windows take more: gpu_lower reports it */
            return true;
    }
    l->needed_bytes = kernel->shared_bytes;
    return false;
}

/* The plan with less of what takes threadgroup memory: stages, then partial sums, then staging
 * itself; NULL: the rest is required. */
static const struct gpu_plan *weaker_plan(const struct gpu_plan *plan, struct arena *arena)
{
    struct gpu_plan *weaker = ARENA_NEW(arena, struct gpu_plan);
    *weaker = *plan;
    if (plan->staging != GPU_STAGING_THREADGROUP)
        return NULL;
    if (plan->stages > 1 && !plan->required_stages) {
        weaker->stages--;
    } else if (plan->split > 1 && !plan->required_split) {
        weaker->split = 1;
    } else if (!plan->required_staging && !plan->required_split) {
        weaker->staging = GPU_STAGING_DEVICE;
        weaker->split = 1;
    } else {
        return NULL;
    }
    return weaker;
}

/* Operands of products are staged where there is memory for that, and it is not required. */
static bool lower_until_it_fits(struct gpu_kernel *kernel, struct lowering *settings,
                                const struct ir_func *prepared)
{
    const struct gpu_target *target = kernel->plan->target;
    const struct gpu_plan *plan = kernel->plan;
    struct lowering l = *settings;
    for (; plan; plan = weaker_plan(plan, settings->arena)) {
        kernel->plan = plan;
        l = *settings;
        l.plan = plan;
        if (lower_in_windows(kernel, &l, prepared))
            return true;
        settings->crosses = l.crosses;
        if (!l.needed_bytes)
            return false;
    }
    struct diagnostic *added = diagnostics_add(l.diagnostics, DIAGNOSTIC_ERROR, prepared->range,
                                               "the kernel needs %lld bytes of threadgroup memory",
                                               (long long)l.needed_bytes);
    diagnostics_hint(l.diagnostics, added, "the target '%s' has %d", target->name,
                     target->shared_bytes);
    return false;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void schedule_products(struct gpu_kernel *kernel, struct gpu_schedule *schedule,
                              const struct gpu_options *options, struct arena *arena)
{
    const struct gpu_plan *plan = kernel->plan;
    kernel->matrix_pass_count = gpu_matrix_schedule(schedule, plan, options, kernel->matrix_passes);
    if (!gpu_has_products(plan) || (schedule->vectors && schedule->split == plan->split))
        return;
    struct gpu_plan *changed = ARENA_NEW(arena, struct gpu_plan); /* what is left without passes */
    *changed = *plan;
    changed->split = schedule->split;
    changed->vector_width = schedule->vectors ? plan->vector_width : 1;
    kernel->plan = changed;
}

/* Where a cluster of blocks would have to move more than it can, one block runs a program. */
static bool lower_kernel(const struct ir_func *func, struct gpu_kernel *kernel,
                         struct lowering *settings)
{
    const struct gpu_plan *plan = kernel->plan;
    struct ir_func *prepared = prepare(func, kernel, settings);
    if (!prepared || lower_until_it_fits(kernel, settings, prepared))
        return prepared != NULL;
    if (!settings->crosses)
        return false;
    settings->one_block = true;
    if (kernel->plan->cluster)
        settings->single = arena_format(
            settings->arena, "blocks of a cluster share reductions only; %s", settings->crosses);
    kernel->plan = plan;
    prepared = prepare(func, kernel, settings);
    return prepared && lower_until_it_fits(kernel, settings, prepared);
}

/* Large tiles become a list of ops that no later stage takes. */
static bool check_length(const struct ir_func *func, struct diagnostics *diagnostics)
{
    bool fine = has_few_ops(func);
    if (!fine)
        gpu_report_length(func, diagnostics);
    return fine;
}

struct gpu_kernel *gpu_lower(const struct ir_kernel *kernel, const struct gpu_plan *plan,
                             const struct gpu_options *options, struct arena *arena,
                             struct diagnostics *diagnostics)
{
    struct gpu_kernel *result = ARENA_NEW(arena, struct gpu_kernel);
    struct gpu_schedule schedule;
    if (!plan)
        plan = plan_gpu(kernel, &gpu_target_msl, false, arena, diagnostics);
    if (!plan)
        return NULL;
    result->plan = plan;
    result->grid = kernel->grid;
    result->needs = kernel->needs;
    result->require_count = kernel->require_count;
    result->launch_requires = kernel->launch_requires;
    struct gpu_promises promises = gpu_promises_of(kernel, plan, arena);
    schedule_products(result, &schedule, options, arena);
    struct lowering settings = {.schedule = &schedule,
                                .one_block = plan->one_block,
                                .promises = &promises,
                                .options = options,
                                .arena = arena,
                                .diagnostics = diagnostics};
    if (!lower_kernel(kernel->func, result, &settings) ||
        !check_length(result->func, diagnostics) ||
        !gpu_run_passes(result, &promises, options, diagnostics) ||
        !gpu_validate(result, diagnostics))
        return NULL;
    return result;
}
