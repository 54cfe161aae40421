/*
 * Plans for GPU targets; see gpu.h. A kernel is looked at (gpu_look.c), what it requires is held or
 * refused (gpu_require.c), and what it leaves open is chosen (gpu_choose.c).
 */
#include "plan/planner.h"

#include "base/bits.h"
#include "plan/plan.h"

const char *const gpu_backend_names[] = {"elementwise", "simdgroup", "mma", "scalar", "fma"};
const char *const gpu_staging_names[] = {"device", "threadgroup"};
const char *const gpu_swizzle_names[] = {"linear", "grouped", "diagonal", "morton", "hilbert"};

enum { USUAL_STAGES = 2, ASYNC_STAGES = 4, FED_STAGES = 2 };

void planner_reason(struct planner *p, const char *text)
{
    struct gpu_plan *plan = p->plan;
    const char **grown = ARENA_ARRAY(p->arena, const char *, (size_t)plan->reason_count + 1);
    for (int i = 0; i < plan->reason_count; i++)
        grown[i] = plan->reasons[i];
    grown[plan->reason_count++] = text;
    plan->reasons = grown;
}

struct diagnostic *planner_fail(struct planner *p, struct source_range range, const char *message)
{
    p->failed = true;
    return diagnostics_add(p->diagnostics, DIAGNOSTIC_ERROR, range, "%s", message);
}

/* Before requirements: what a kernel gets that asks for nothing. */
static void start_plan(struct planner *p)
{
    p->plan->staging = has_staged_loop(p) ? GPU_STAGING_THREADGROUP : GPU_STAGING_DEVICE;
    p->plan->stages = has_staged_loop(p) ? USUAL_STAGES : 1;
    p->plan->split = 1;
    p->plan->blocks = 1;
    p->plan->programs = 1;
    p->plan->overlaps = true;
    if (p->matrices.fragments > 0)
        p->plan->backend = p->target->matrices;
    else if (p->fma.fragments > 0 && p->target->matrices == GPU_BACKEND_MMA)
        p->plan->backend = GPU_BACKEND_FMA;
    else
        return;
    /* A deep tile is mostly loaded at once: loads through registers are there sooner than
     * asynchronous copies, and small programs do not win back the two divisions that renumber them.
     */
    if (!has_staged_loop(p) || planner_is_deep(p))
        return;
    p->plan->async = p->target->async_copies;
    p->plan->stages = !p->plan->async ? USUAL_STAGES : p->has_dot_loop ? ASYNC_STAGES : FED_STAGES;
    if (p->has_two_axes && p->has_dot_loop)
        p->plan->swizzle = GPU_SWIZZLE_GROUPED;
}

/* Reasons, in the words of the record where they are the same. */
static void explain_matrices(struct planner *p)
{
    if (!gpu_has_products(p->plan))
        return;
    planner_reason(p,
                   "The selected SIMDgroup grid partitions accumulator fragments without overlap.");
    planner_reason(p, p->plan->staging == GPU_STAGING_THREADGROUP
                          ? "Cooperative loads stage operand tiles in threadgroup memory."
                          : "Operand fragments are loaded from device memory.");
}

struct gpu_plan *plan_gpu(const struct ir_kernel *kernel, const struct gpu_target *target,
                          bool relaxed, struct arena *arena, struct diagnostics *diagnostics)
{
    static const struct plan_target any = {.name = "gpu"}; /* names and values only */
    struct planner p = {.target = target,
                        .kernel = kernel,
                        .arena = arena,
                        .diagnostics = diagnostics,
                        .plan = ARENA_NEW(arena, struct gpu_plan)};
    p.plan->target = target;
    p.plan->relaxed = relaxed;
    if (plan_requirements(kernel, &any, diagnostics) != PLAN_MET)
        return NULL;
    planner_look(&p);
    start_plan(&p);
    planner_require(&p);
    if (p.layout && !p.failed)
        planner_follow_layout(&p);
    if (p.failed)
        return NULL;
    if (!gpu_has_products(p.plan) || p.plan->staging == GPU_STAGING_DEVICE)
        p.plan->stages = 1;
    if (!p.plan->required_split && gpu_has_products(p.plan) && planner_is_deep(&p))
        planner_choose_split(&p);
    if (!p.plan->threads && gpu_has_products(p.plan))
        planner_choose_groups(&p);
    else if (!p.plan->threads)
        planner_choose_threads(&p);
    explain_matrices(&p);
    if (!p.plan->vector_width)
        p.plan->vector_width = planner_usual_width(&p);
    p.plan->groups = p.plan->threads / GPU_LANES;
    p.plan->group_rows = gpu_has_products(p.plan) && p.chained_rows ? p.plan->groups : 0;
    return p.plan;
}

void gpu_plan_share_block(struct gpu_plan *plan, int programs, struct arena *arena)
{
    struct gpu_target *part = ARENA_NEW(arena, struct gpu_target);
    *part = *plan->target;
    part->most_threads = (int)bits_power_to(part->most_threads / programs);
    part->shared_bytes = part->shared_bytes / programs & ~15;
    if (part->exchange_bytes > part->shared_bytes)
        part->exchange_bytes = part->shared_bytes;
    if (part->deep_groups > part->most_threads / GPU_LANES)
        part->deep_groups = part->most_threads / GPU_LANES;
    plan->target = part;
    plan->programs = programs;
}

struct gpu_plan *gpu_plan_copy(const struct gpu_plan *plan, struct arena *arena)
{
    struct gpu_plan *copy = ARENA_NEW(arena, struct gpu_plan);
    *copy = *plan;
    copy->reasons = ARENA_ARRAY(arena, const char *, (size_t)plan->reason_count + 4);
    for (int i = 0; i < plan->reason_count; i++)
        copy->reasons[i] = plan->reasons[i];
    return copy;
}
