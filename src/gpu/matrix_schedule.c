/*
 * The schedule of products, which the passes of the matrix form change, one decision each
 * (gpu/passes.def); see matrix.h.
 */
#include "gpu/matrix.h"

/* By as much as the instruction's loads need. */
static bool pad_shared_memory(struct gpu_schedule *s, const struct gpu_plan *plan)
{
    bool changed = !s->padded && plan->staging == GPU_STAGING_THREADGROUP;
    s->padded = s->padded || changed;
    return changed;
}

/* For instructions whose loads take pieces of 16 bytes. */
static bool swizzle_shared_memory(struct gpu_schedule *s, const struct gpu_plan *plan)
{
    bool changed = !s->swizzled && plan->async && plan->backend == GPU_BACKEND_MMA &&
                   plan->staging == GPU_STAGING_THREADGROUP;
    s->swizzled = s->swizzled || changed;
    return changed;
}

static bool double_buffer_k_loop(struct gpu_schedule *s, const struct gpu_plan *plan)
{
    bool changed = s->stages != plan->stages && plan->staging == GPU_STAGING_THREADGROUP;
    if (changed)
        s->stages = plan->stages;
    return changed;
}

static bool async_copies(struct gpu_schedule *s, const struct gpu_plan *plan)
{
    bool changed = !s->async && s->stages > 1 && plan->async;
    s->async = s->async || changed;
    return changed;
}

/* They read swizzled rows, and copies should go on meanwhile. */
static bool warpgroup_mma(struct gpu_schedule *s, const struct gpu_plan *plan)
{
    bool changed =
        !s->teams && s->swizzled && s->async && plan->target->warpgroups && plan->programs <= 1;
    s->teams = s->teams || changed;
    return changed;
}

static bool turn_operands(struct gpu_schedule *s, const struct gpu_plan *plan)
{
    bool changed = !s->turns && s->async && plan->stages >= GPU_LANDING_STAGES;
    s->turns = s->turns || changed;
    return changed;
}

static bool vectorize_loads(struct gpu_schedule *s, const struct gpu_plan *plan)
{
    bool changed = !s->vectors && plan->vector_width > 1;
    s->vectors = plan->vector_width > 1;
    return changed;
}

static bool serpentine_mma(struct gpu_schedule *s, const struct gpu_plan *plan)
{
    bool changed = !s->serpentine;
    (void)plan;
    s->serpentine = true;
    return changed;
}

static bool preload_mma_tiles(struct gpu_schedule *s, const struct gpu_plan *plan)
{
    bool changed = !s->preload;
    (void)plan;
    s->preload = true;
    return changed;
}

static bool split_k(struct gpu_schedule *s, const struct gpu_plan *plan)
{
    int split = plan->staging == GPU_STAGING_THREADGROUP ? plan->split : 1;
    bool changed = s->split != split;
    s->split = split;
    return changed;
}

static bool block_swizzle(struct gpu_schedule *s, const struct gpu_plan *plan)
{
    bool changed = s->swizzle != plan->swizzle;
    s->swizzle = plan->swizzle;
    return changed;
}

static const struct {
    const char *name;
    bool (*run)(struct gpu_schedule *s, const struct gpu_plan *plan);
} passes[] = {
#define BEFORE(name, meaning)
#define PASS(name, meaning)
#define MATRIX(name, meaning) {#name, name},
#include "gpu/passes.def"
#undef MATRIX
#undef PASS
#undef BEFORE
};

_Static_assert(sizeof passes / sizeof *passes == GPU_MATRIX_PASSES, "the table and its size");

int gpu_matrix_schedule(struct gpu_schedule *schedule, const struct gpu_plan *plan,
                        const struct gpu_options *options, const char **names)
{
    int count = 0;
    *schedule = (struct gpu_schedule){.stages = 1, .split = 1};
    for (int i = 0; i < GPU_MATRIX_PASSES; i++) {
        bool off = (!gpu_has_products(plan) && passes[i].run != block_swizzle) ||
                   !gpu_wants_pass(options, passes[i].name);
        if (!off && passes[i].run(schedule, plan))
            names[count++] = passes[i].name;
    }
    return count;
}
