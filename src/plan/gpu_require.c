/*
 * A kernel's requirements, held in the plan or refused by name, never weakened. Each stands in a
 * table with the function that does that.
 */
#include "plan/planner.h"

#include "base/bits.h"

#include <string.h>

static void refuse(struct planner *p, const struct ir_requirement *r, const char *why)
{
    const char *value = r->word ? r->word : arena_format(p->arena, "%lld", (long long)r->number);
    struct diagnostic *added =
        planner_fail(p, r->range,
                     arena_format(p->arena, "the target '%s' cannot meet the requirement '%s = %s'",
                                  p->target->name, r->name, value));
    diagnostics_hint(p->diagnostics, added, "%s", why);
}

static void require_threads(struct planner *p, const struct ir_requirement *r, int64_t threads)
{
    if (threads > p->target->most_threads) {
        refuse(p, r,
               arena_format(p->arena, "a program%s has at most %d threads",
                            p->plan->programs > 1 ? " that shares its block" : "",
                            p->target->most_threads));
    } else if (threads < GPU_LANES || !bits_is_power(threads)) {
        refuse(p, r, "the number of threads is a power of two from 32 on");
    } else if (p->plan->threads && p->plan->threads != threads) {
        refuse(p, r,
               arena_format(p->arena, "another requirement asks for %d threads", p->plan->threads));
    } else {
        p->plan->threads = (int)threads;
        planner_reason(p, arena_format(p->arena, "%d threads: required", (int)threads));
    }
}

static void require_width(struct planner *p, const struct ir_requirement *r)
{
    if (r->number > p->target->vector_elements || !bits_is_power(r->number)) {
        refuse(p, r,
               arena_format(p->arena, "an access takes 1 to %d elements, a power of two",
                            p->target->vector_elements));
        return;
    }
    p->plan->vector_width = (int)r->number;
    p->plan->required_width = true;
    planner_reason(p, arena_format(p->arena, "vectors of %d: required", (int)r->number));
}

static const char *no_product(struct planner *p)
{
    return p->no_dot ? arena_format(p->arena, "no product is made with matrices: %s", p->no_dot)
                     : "the kernel has no dot";
}

/* The number of the word, which requirements.c has checked. */
static int word_of(const struct ir_requirement *r, const char *const *names)
{
    int i = 0;
    while (strcmp(names[i], r->word) != 0)
        i++;
    return i;
}

static void require_backend(struct planner *p, const struct ir_requirement *r)
{
    enum gpu_backend backend = (enum gpu_backend)word_of(r, gpu_backend_names);
    bool matrices = backend == GPU_BACKEND_SIMDGROUP || backend == GPU_BACKEND_MMA;
    if (matrices && backend != p->target->matrices)
        refuse(p, r, "the target has no such instructions");
    else if (matrices && p->matrices.fragments == 0)
        refuse(p, r, no_product(p));
    else if (backend == GPU_BACKEND_FMA && p->fma.fragments == 0)
        refuse(p, r, p->no_fma ? p->no_fma : "the kernel has no dot");
    p->plan->backend = backend;
    if (backend == GPU_BACKEND_SCALAR)
        p->plan->vector_width = 1;
}

static void require_staging(struct planner *p, const struct ir_requirement *r)
{
    p->plan->staging = (enum gpu_staging)word_of(r, gpu_staging_names);
    p->plan->required_staging = true;
    if (!gpu_has_products(p->plan))
        refuse(p, r, no_product(p));
    else if (p->plan->staging == GPU_STAGING_THREADGROUP && !has_staged_loop(p))
        refuse(p, r, p->no_loop ? p->no_loop : "there is no loop around the product");
}

static void require_stages(struct planner *p, const struct ir_requirement *r)
{
    p->plan->stages = (int)r->number;
    p->plan->required_stages = true;
    if (r->number == 1)
        return;
    if (!gpu_has_products(p->plan))
        refuse(p, r, no_product(p));
    else if (!has_staged_loop(p))
        refuse(p, r, p->no_loop ? p->no_loop : "there is no loop around the product");
    else if (p->plan->required_staging && p->plan->staging == GPU_STAGING_DEVICE)
        refuse(p, r, "another requirement asks for operands from device memory");
}

static void require_split(struct planner *p, const struct ir_requirement *r)
{
    p->plan->split = (int)r->number;
    p->plan->required_split = true;
    if (!bits_is_power(r->number))
        refuse(p, r, "it is a power of two");
    else if (r->number > 1 && !gpu_has_products(p->plan))
        refuse(p, r, no_product(p));
    else if (r->number > 1 && !p->has_dot_loop)
        refuse(p, r, p->no_loop ? p->no_loop : "there is no loop around the product");
    else if (p->plan->threads && p->plan->threads < r->number * GPU_LANES)
        refuse(p, r, "another requirement asks for fewer SIMD groups");
    else if (r->number > 1 && p->plan->staging == GPU_STAGING_DEVICE)
        refuse(p, r, "another requirement asks for operands from device memory");
}

static void require_swizzle(struct planner *p, const struct ir_requirement *r)
{
    p->plan->swizzle = (enum gpu_swizzle)word_of(r, gpu_swizzle_names);
    if (p->plan->swizzle != GPU_SWIZZLE_LINEAR && !p->has_two_axes)
        refuse(p, r, "the kernel asks for no program_id(1): its grid has one axis");
}

static void require_precision(struct planner *p, const struct ir_requirement *r)
{
    if ((strcmp(r->word, "relaxed") == 0) != p->plan->relaxed)
        refuse(p, r, "fast math is allowed by --relaxed, or by relaxed in the compile options");
}

static void require_programs(struct planner *p, const struct ir_requirement *r)
{
    int programs = (int)r->number;
    p->plan->required_programs = true;
    if (programs == 1)
        return;
    if (!p->target->part_barriers)
        refuse(p, r, "the target has no barriers for a part of a block");
    else if (programs > p->target->program_barriers)
        refuse(p, r,
               arena_format(p->arena, "a block has %d barriers", p->target->program_barriers));
    if (p->failed)
        return;
    gpu_plan_share_block(p->plan, programs, p->arena);
    p->target = p->plan->target;
    planner_reason(p, arena_format(p->arena, "%d programs in a block: required", programs));
}

static void require_fetch(struct planner *p, const struct ir_requirement *r)
{
    if (!p->target->fetches)
        refuse(p, r, "the target has no instruction that only fetches");
    p->plan->required_fetch = true;
    p->plan->fetch_ahead = (int)r->number;
}

static void require_groups(struct planner *p, const struct ir_requirement *r)
{
    require_threads(p, r, r->number * GPU_LANES);
}

static void require_thread_count(struct planner *p, const struct ir_requirement *r)
{
    require_threads(p, r, r->number);
}

/* In the order in which they are looked at: what others depend on comes first. */
static const struct {
    const char *name;
    void (*require)(struct planner *p, const struct ir_requirement *r);
} requirements[] = {
    {"programs_per_block", require_programs},
    {"fetch_ahead", require_fetch},
    {"threads", require_thread_count},
    {"groups", require_groups},
    {"vector_width", require_width},
    {"backend", require_backend},
    {"precision", require_precision},
    {"staging", require_staging},
    {"buffering", require_stages},
    {"swizzle", require_swizzle},
    {"split_k", require_split},
};
enum { REQUIREMENT_COUNT = sizeof requirements / sizeof *requirements };

void planner_require(struct planner *p)
{
    for (int k = 0; k < REQUIREMENT_COUNT; k++) {
        for (int i = 0; i < p->kernel->requirement_count; i++) {
            const struct ir_requirement *r = &p->kernel->requirements[i];
            if (strcmp(r->name, requirements[k].name) == 0)
                requirements[k].require(p, r);
        }
    }
}
