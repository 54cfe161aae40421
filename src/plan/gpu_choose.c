/*
 * What requirements leave open: how many threads a program has, how they share its products, and
 * how wide accesses are.
 *
 * A program gets a thread for every four elements of its largest tile, from 32 to 256 threads, and
 * more only where a thread would hold over 16 elements. Products are shared out by fragments
 * instead.
 */
#include "plan/planner.h"

enum { USUAL_PER_THREAD = 4, USUAL_THREADS = 256, MOST_PER_THREAD = 16 };
/* Fragments of a product that a SIMD group has; the second where there are groups enough and each
 * thread has registers for them: then fewer operands are read for each product. Threads that
 * multiply alone need more groups, to hide how long each product takes. */
enum { FRAGMENTS_PER_GROUP = 16, MOST_FRAGMENTS = 32, MOST_SPLIT = 8 };
enum { TEAM_GROUPS = 4, ENOUGH_GROUPS = 4, ENOUGH_FMA_GROUPS = 8 };

void planner_follow_layout(struct planner *p)
{
    const struct ir_layout *layout = p->layout;
    const char *name = layout->name ? layout->name : "";
    int64_t threads = (INT64_C(1) << layout->bits) / layout->per_thread;
    if (threads > p->target->most_threads) {
        struct diagnostic *added = planner_fail(
            p, p->layout_range,
            arena_format(p->arena, "layout '%s' needs %lld threads", name, (long long)threads));
        diagnostics_hint(p->diagnostics, added, "the target '%s' allows %d", p->target->name,
                         p->target->most_threads);
        return;
    }
    if (threads < GPU_LANES)
        threads = GPU_LANES;
    if (p->plan->threads && p->plan->threads < threads) {
        planner_fail(p, p->layout_range,
                     arena_format(p->arena,
                                  "layout '%s' needs %lld threads, the requirement says %d", name,
                                  (long long)threads, p->plan->threads));
        return;
    }
    if (p->plan->threads)
        return;
    p->plan->threads = (int)threads;
    planner_reason(p, arena_format(p->arena, "%d threads: layout '%s' has %d elements per thread",
                                   (int)threads, name, layout->per_thread));
}

/* Whether blocks may be taken together, as far as that can be said here: each element is treated
 * alone, and what is carried collects (gpu/widen.c decides in the end). */
static bool may_be_widened(const struct ir_op *loop)
{
    const struct ir_region *body = loop->regions[0];
    for (const struct ir_op *op = body->first; op != body->last; op = op->next) {
        bool tile = op->operand_count > 0 && op->operands[0]->type.rank > 0;
        if (op->region_count > 0 || op->code == IR_OP_DOT ||
            (tile && ir_has(op, IR_PURE) && !ir_has(op, IR_ELEMENTWISE) && op->code >= IR_OP_SUM))
            return false;
    }
    for (int i = 0; i < body->last->operand_count; i++) {
        const struct ir_op *next = body->last->operands[i]->op;
        if (!next ||
            (next->code != IR_OP_ADD && next->code != IR_OP_MUL && next->code != IR_OP_MAXIMUM &&
             next->code != IR_OP_MINIMUM && next->code != IR_OP_FMA))
            return false;
    }
    return true;
}

/* Whether a loop goes by blocks as large as the largest tile, which can be taken together. */
static bool is_no_block_loop(struct ir_op *op, void *user)
{
    const struct planner *p = user;
    int64_t step;
    return op->code != IR_OP_FOR || !ir_constant_int(op->operands[2], &step) ||
           step != p->elements || !may_be_widened(op);
}

static int fragments_per_group(const struct planner *p, int groups)
{
    bool many = p->plan->backend == GPU_BACKEND_MMA ? groups >= ENOUGH_GROUPS
                                                    : p->plan->async && groups >= ENOUGH_FMA_GROUPS;
    return many ? MOST_FRAGMENTS : FRAGMENTS_PER_GROUP;
}

static const struct products *products_of(const struct planner *p)
{
    return p->plan->backend == GPU_BACKEND_FMA ? &p->fma : &p->matrices;
}

bool planner_is_deep(const struct planner *p)
{
    return p->target->deep_groups > 0 && p->has_dot_loop && products_of(p)->deep &&
           p->plan->staging == GPU_STAGING_THREADGROUP;
}

/* SIMD groups that have the fragments: 16 each, or 32. */
static int groups_of_fragments(const struct planner *p)
{
    int groups = 1;
    while (groups * fragments_per_group(p, groups) < products_of(p)->fragments &&
           groups * 2 * GPU_LANES <= p->target->most_threads)
        groups *= 2;
    return groups;
}

void planner_choose_split(struct planner *p)
{
    int groups = groups_of_fragments(p);
    int most = p->plan->threads ? p->plan->threads / GPU_LANES : p->target->deep_groups;
    while (p->plan->split < MOST_SPLIT && groups * p->plan->split * 2 <= most &&
           products_of(p)->steps % (p->plan->split * 2) == 0)
        p->plan->split *= 2;
    if (p->plan->split > 1)
        planner_reason(p,
                       arena_format(p->arena,
                                    "%d sets of SIMD groups share the inner axis: the tile is deep",
                                    p->plan->split));
}

/* Products of which one takes what another one made: then each SIMD group has whole rows, so that a
 * sum is in the registers that the next product takes it from, and a reduction along a row stays
 * among four lanes. */
static void choose_groups_of_chain(struct planner *p)
{
    enum { ROWS = 16 }; /* of a fragment */
    int groups = 1;
    while (groups * 2 * ROWS <= p->chained_rows &&
           groups * 2 * GPU_LANES <= p->target->most_threads)
        groups *= 2;
    p->plan->threads = groups * GPU_LANES;
    planner_reason(
        p, arena_format(p->arena,
                        "%d threads: %d of %d rows for each SIMD group, of products in a chain",
                        p->plan->threads, p->chained_rows / groups, p->chained_rows));
}

/* A program whose products are made of fragments. */
void planner_choose_groups(struct planner *p)
{
    if (p->chained_rows) {
        choose_groups_of_chain(p);
        return;
    }
    int groups = groups_of_fragments(p), fragments = products_of(p)->fragments;
    /* Four multiply 64 x 64 together faster than two that have as many fragments as suit them. */
    if (p->target->warpgroups && products_of(p)->team && p->plan->async && p->has_dot_loop &&
        groups < TEAM_GROUPS)
        groups = TEAM_GROUPS;
    while (planner_is_deep(p) && groups < fragments &&
           groups * p->plan->split < p->target->deep_groups)
        groups *= 2;
    p->plan->threads = groups * p->plan->split * GPU_LANES;
    int each = (fragments + groups - 1) / groups, lane_sums = products_of(p)->lane_sums;
    if (p->plan->backend == GPU_BACKEND_FMA) /* how large its fragments are hangs on the threads */
        planner_reason(p, arena_format(p->arena, "%d threads: %d of %d sums each", p->plan->threads,
                                       each * lane_sums, fragments * lane_sums * GPU_LANES));
    else
        planner_reason(p,
                       arena_format(p->arena, "%d threads: %d of %d fragments for each SIMD group",
                                    p->plan->threads, each, fragments));
}

void planner_choose_threads(struct planner *p)
{
    int64_t threads = GPU_LANES;
    /* Such loops are widened instead, so that a thread takes several elements of several blocks. */
    bool blocks = p->elements >= GPU_LANES && p->elements <= USUAL_THREADS &&
                  !ir_walk(p->kernel->func->body, is_no_block_loop, p);
    if (blocks)
        threads = p->elements < p->target->most_threads ? p->elements : p->target->most_threads;
    while (threads < USUAL_THREADS && threads < p->target->most_threads &&
           threads * USUAL_PER_THREAD < p->elements)
        threads *= 2;
    while (threads < p->target->most_threads && threads * MOST_PER_THREAD < p->elements)
        threads *= 2;
    p->plan->threads = (int)threads;
    p->plan->open_threads = blocks ? 0 : 1 + p->plan->reason_count;
    int64_t each = p->elements > threads ? p->elements / threads : 1;
    planner_reason(p, arena_format(p->arena, "%d threads: %lld of %lld elements each", (int)threads,
                                   (long long)each, (long long)p->elements));
}

/* Vectors of operands as wide as an access may be: what is longer would come in pieces that
 * neighbouring threads do not read side by side. */
int planner_usual_width(const struct planner *p)
{
    int most = p->target->vector_elements, bytes = products_of(p)->operand_bytes;
    if (!gpu_has_products(p->plan) || bytes * most <= p->target->vector_bytes)
        return most;
    return p->target->vector_bytes / bytes;
}
