/*
 * Plans for GPU targets; see gpu.h. Requirements are held or refused by name, never weakened.
 *
 * Left open, a program gets a thread for every four elements of its largest tile, from 32 to 256
 * threads, and more only where a thread would hold over 16 elements.
 */
#include "plan/gpu.h"
#include "base/bits.h"
#include "plan/fed_loop.h"
#include "plan/instruction.h"
#include "plan/plan.h"

#include <string.h>

const char *const gpu_backend_names[] = {"elementwise", "simdgroup", "mma", "scalar", "fma"};
const char *const gpu_staging_names[] = {"device", "threadgroup"};
const char *const gpu_swizzle_names[] = {"linear", "grouped", "diagonal", "morton", "hilbert"};

enum {
    USUAL_PER_THREAD = 4,
    USUAL_THREADS = 256,
    MOST_PER_THREAD = 16,
    USUAL_STAGES = 2,
    ASYNC_STAGES = 4,
    FED_STAGES = 2
};
/* Fragments of a product that a SIMD group has; the second where there are groups enough and each
 * thread has registers for them: then fewer operands are read for each product. Threads that multiply
 * alone need more groups, to hide how long each product takes. */
enum { FRAGMENTS_PER_GROUP = 16, MOST_FRAGMENTS = 32, MOST_SPLIT = 8 };
enum { TEAM_GROUPS = 4, ENOUGH_GROUPS = 4, ENOUGH_FMA_GROUPS = 8 };

struct planner {
    const struct gpu_target *target;
    const struct ir_kernel *kernel;
    struct arena *arena;
    struct diagnostics *diagnostics;
    struct gpu_plan *plan;
    int64_t elements;   /* of the largest tile, axes padded to powers of two */
    struct products {
        int fragments;     /* of the largest; 0: there is none */
        int operand_bytes; /* of its operands' elements */
        int steps;         /* fragments along its inner axis */
        bool team;         /* four SIMD groups may do it together, where the target has such teams */
        bool deep;         /* that is at least twice as long as the sides of its result */
    } matrices, fma;       /* that the target's instructions do, or each thread alone */
    bool has_dot_loop;  /* one that may be pipelined */
    bool has_fed_loop;  /* likewise, of which trips do more than add products */
    int chained_rows;   /* of the products of such a loop that hang on each other; 0: none do */
    bool has_two_axes;  /* the grid has, as far as the kernel asks */
    const char *no_dot, *no_fma; /* why there is no such product, or no such loop */
    const char *no_loop;
    const struct ir_layout *layout; /* an explicit one of a tile, or NULL */
    struct source_range layout_range;
    bool failed;
};

static void reason(struct planner *p, const char *text)
{
    struct gpu_plan *plan = p->plan;
    const char **grown = ARENA_ARRAY(p->arena, const char *, (size_t)plan->reason_count + 1);
    for (int i = 0; i < plan->reason_count; i++)
        grown[i] = plan->reasons[i];
    grown[plan->reason_count++] = text;
    plan->reasons = grown;
}

static struct diagnostic *fail(struct planner *p, struct source_range range, const char *message)
{
    p->failed = true;
    return diagnostics_add(p->diagnostics, DIAGNOSTIC_ERROR, range, "%s", message);
}

/* ---- what the kernel asks of the device ------------------------------------------------------ */

static int64_t padded_count(struct ir_type type)
{
    int64_t count = 1;
    for (int i = 0; i < type.rank; i++) {
        int64_t dim = 1;
        while (dim < type.dims[i])
            dim *= 2;
        count *= dim;
    }
    return count;
}

static void check_elem(struct planner *p, struct ir_type type, struct source_range range,
                       const char *what)
{
    if (type.elem != IR_F64 || p->target->has_f64 || p->failed)
        return;
    struct diagnostic *added =
        fail(p, range,
             arena_format(p->arena, "the target '%s' has no double, which %s has", p->target->name,
                          what));
    diagnostics_hint(p->diagnostics, added, "use float");
}

/* Keeps the one that needs most threads. */
static void look_at_layout(struct planner *p, const struct ir_op *op)
{
    const struct ir_layout *layout = op->attributes.layout, *most = p->layout;
    int64_t elements = INT64_C(1) << layout->bits;
    if (layout->per_thread < 1 || layout->per_thread > elements ||
        elements % layout->per_thread != 0) {
        fail(p, op->range,
             arena_format(p->arena, "layout '%s' has %d of %lld elements per thread",
                          layout->name ? layout->name : "", layout->per_thread,
                          (long long)elements));
        return;
    }
    if (most && elements / layout->per_thread <= (INT64_C(1) << most->bits) / most->per_thread)
        return;
    p->layout = layout;
    p->layout_range = op->range;
}

/* Keeps the largest. */
static void look_at_tile(struct planner *p, struct ir_type type)
{
    int64_t count = padded_count(type);
    if (count <= p->elements)
        return;
    p->elements = count;
    p->plan->tile = type;
}

static void count_product(struct products *products, const struct gpu_instruction *i,
                          struct ir_type sum, int inner)
{
    int fragments = (sum.dims[0] >> i->c.row_bits) * (sum.dims[1] >> i->c.column_bits);
    if (fragments <= products->fragments)
        return;
    products->fragments = fragments;
    products->operand_bytes = (int)ir_elem_bytes(i->operand);
    products->steps = inner >> i->a.column_bits;
    products->team = (i->operand == IR_F16 || i->operand == IR_BF16) && sum.dims[0] >= 64 &&
                     sum.dims[1] >= 64 && inner >= 32 && !(inner & (inner - 1));
    products->deep = inner >= 2 * sum.dims[0] && inner >= 2 * sum.dims[1];
}

/* Threads multiply alone what a pipeline has staged, and nothing else: operands in registers would
 * be held many times over. */
static bool stands_in_dot_loop(const struct ir_op *op, const char **why)
{
    struct plan_dot_loop loop;
    const struct ir_op *where;
    *why = "there is no loop around the product";
    return op->parent->parent && op->parent->parent->code == IR_OP_FOR &&
           plan_dot_loop(op->parent->parent, &loop, why, &where);
}

static void look_at_dot(struct planner *p, const struct ir_op *op)
{
    struct ir_type a = op->operands[0]->type, b = op->operands[1]->type;
    struct ir_type sum = op->results[0]->type;
    const struct gpu_instruction *i =
        gpu_instruction_for(p->target->matrices, p->plan->relaxed, 0, a, b, sum, &p->no_dot);
    if (i && i->backend == p->target->matrices)
        count_product(&p->matrices, i, sum, a.dims[1]);
    i = gpu_instruction_for(GPU_BACKEND_FMA, p->plan->relaxed, 0, a, b, sum, &p->no_fma);
    if (i && stands_in_dot_loop(op, &p->no_fma))
        count_product(&p->fma, i, sum, a.dims[1]);
}

static void look_at_loop(struct planner *p, struct ir_op *op)
{
    struct plan_dot_loop loop;
    const struct ir_op *where;
    struct plan_fed_loop fed;
    bool found = plan_dot_loop(op, &loop, &p->no_loop, &where);
    p->has_dot_loop = p->has_dot_loop || found;
    if (found || p->target->matrices != GPU_BACKEND_MMA || !p->target->async_copies ||
        !plan_fed_loop(op, &fed))
        return;
    p->has_fed_loop = true;
    for (int i = 0; i < fed.count; i++) {
        int rows = fed.dots[i].op->results[0]->type.dims[0];
        if (fed.dots[i].chained && rows > p->chained_rows)
            p->chained_rows = rows;
    }
}

/* A loop whose operands may be staged. */
static bool has_staged_loop(const struct planner *p)
{
    return p->has_dot_loop || p->has_fed_loop;
}

static bool look_at_op(struct ir_op *op, void *user)
{
    struct planner *p = user;
    if (op->code == IR_OP_DOT)
        look_at_dot(p, op);
    if (op->code == IR_OP_FOR)
        look_at_loop(p, op);
    p->has_two_axes = p->has_two_axes || (op->code == IR_OP_PROGRAM_ID && op->attributes.axis == 1);
    for (int i = 0; i < op->result_count; i++) {
        look_at_tile(p, op->results[i]->type);
        check_elem(p, op->results[i]->type, op->range, "this value");
    }
    if (op->code == IR_OP_VIEW_STORE || op->code == IR_OP_STORE)
        look_at_tile(p, op->operands[op->operand_count - 1]->type);
    if (op->attributes.layout)
        look_at_layout(p, op);
    return true;
}

static void look_at_kernel(struct planner *p)
{
    const struct ir_func *func = p->kernel->func;
    for (int i = 0; i < func->parameter_count; i++)
        check_elem(p, func->parameters[i].type, func->parameters[i].range,
                   arena_format(p->arena, "'%s'", func->parameters[i].name));
    p->elements = 1;
    ir_walk(func->body, look_at_op, p);
}

/* ---- requirements ---------------------------------------------------------------------------- */

static void refuse(struct planner *p, const struct ir_requirement *r, const char *why)
{
    const char *value = r->word ? r->word : arena_format(p->arena, "%lld", (long long)r->number);
    struct diagnostic *added =
        fail(p, r->range,
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
        reason(p, arena_format(p->arena, "%d threads: required", (int)threads));
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
    reason(p, arena_format(p->arena, "vectors of %d: required", (int)r->number));
}

static bool has_matrices(const struct planner *p)
{
    return p->plan->backend == GPU_BACKEND_SIMDGROUP || p->plan->backend == GPU_BACKEND_MMA ||
           p->plan->backend == GPU_BACKEND_FMA;
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
    if (!has_matrices(p))
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
    if (!has_matrices(p))
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
    else if (r->number > 1 && !has_matrices(p))
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
    reason(p, arena_format(p->arena, "%d programs in a block: required", programs));
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

static void look_at_requirements(struct planner *p)
{
    for (int k = 0; k < REQUIREMENT_COUNT; k++) {
        for (int i = 0; i < p->kernel->requirement_count; i++) {
            const struct ir_requirement *r = &p->kernel->requirements[i];
            if (strcmp(r->name, requirements[k].name) == 0)
                requirements[k].require(p, r);
        }
    }
}

/* ---- what is left open ----------------------------------------------------------------------- */

/* An explicit layout fixes by its registers how many threads there are at least; further threads
 * hold copies. */
static void follow_layout(struct planner *p)
{
    const struct ir_layout *layout = p->layout;
    const char *name = layout->name ? layout->name : "";
    int64_t threads = (INT64_C(1) << layout->bits) / layout->per_thread;
    if (threads > p->target->most_threads) {
        struct diagnostic *added = fail(
            p, p->layout_range,
            arena_format(p->arena, "layout '%s' needs %lld threads", name, (long long)threads));
        diagnostics_hint(p->diagnostics, added, "the target '%s' allows %d", p->target->name,
                         p->target->most_threads);
        return;
    }
    if (threads < GPU_LANES)
        threads = GPU_LANES;
    if (p->plan->threads && p->plan->threads < threads) {
        fail(p, p->layout_range,
             arena_format(p->arena, "layout '%s' needs %lld threads, the requirement says %d", name,
                          (long long)threads, p->plan->threads));
        return;
    }
    if (p->plan->threads)
        return;
    p->plan->threads = (int)threads;
    reason(p, arena_format(p->arena, "%d threads: layout '%s' has %d elements per thread",
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
        if (!next || (next->code != IR_OP_ADD && next->code != IR_OP_MUL &&
                      next->code != IR_OP_MAXIMUM && next->code != IR_OP_MINIMUM &&
                      next->code != IR_OP_FMA))
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

static const struct products *products_of(const struct planner *p)
{
    return p->plan->backend == GPU_BACKEND_FMA ? &p->fma : &p->matrices;
}

static int fragments_per_group(const struct planner *p, int groups)
{
    bool many = p->plan->backend == GPU_BACKEND_MMA ? groups >= ENOUGH_GROUPS
                                                    : p->plan->async && groups >= ENOUGH_FMA_GROUPS;
    return many ? MOST_FRAGMENTS : FRAGMENTS_PER_GROUP;
}

/* Whether the inner axis is what there is to share: the result is small, and waiting for its operands
 * takes longer than multiplying. */
static bool is_deep(const struct planner *p)
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

/* Of a deep product: so many sets of groups as there are groups to spare. */
static void choose_split(struct planner *p)
{
    int groups = groups_of_fragments(p);
    int most = p->plan->threads ? p->plan->threads / GPU_LANES : p->target->deep_groups;
    while (p->plan->split < MOST_SPLIT && groups * p->plan->split * 2 <= most &&
           products_of(p)->steps % (p->plan->split * 2) == 0)
        p->plan->split *= 2;
    if (p->plan->split > 1)
        reason(p, arena_format(p->arena, "%d sets of SIMD groups share the inner axis: the tile is deep",
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
    reason(p, arena_format(p->arena,
                           "%d threads: %d of %d rows for each SIMD group, of products in a chain",
                           p->plan->threads, p->chained_rows / groups, p->chained_rows));
}

/* A program whose products are made of fragments. */
static void choose_groups(struct planner *p)
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
    while (is_deep(p) && groups < fragments && groups * p->plan->split < p->target->deep_groups)
        groups *= 2;
    p->plan->threads = groups * p->plan->split * GPU_LANES;
    reason(p, arena_format(p->arena, "%d threads: %d of %d fragments for each SIMD group",
                           p->plan->threads, (fragments + groups - 1) / groups, fragments));
}

static void choose_threads(struct planner *p)
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
    reason(p, arena_format(p->arena, "%d threads: %lld of %lld elements each", (int)threads,
                           (long long)each, (long long)p->elements));
}

/* Vectors of operands as wide as an access may be: what is longer would come in pieces that
 * neighbouring threads do not read side by side. */
static int usual_width(const struct planner *p)
{
    int most = p->target->vector_elements, bytes = products_of(p)->operand_bytes;
    if (!has_matrices(p) || bytes * most <= p->target->vector_bytes)
        return most;
    return p->target->vector_bytes / bytes;
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
    /* A deep tile is mostly loaded at once: loads through registers are there sooner than asynchronous
     * copies, and small programs do not win back the two divisions that renumber them. */
    if (!has_staged_loop(p) || is_deep(p))
        return;
    p->plan->async = p->target->async_copies;
    p->plan->stages = !p->plan->async ? USUAL_STAGES : p->has_dot_loop ? ASYNC_STAGES : FED_STAGES;
    if (p->has_two_axes && p->has_dot_loop)
        p->plan->swizzle = GPU_SWIZZLE_GROUPED;
}

/* Reasons, in the words of the record where they are the same. */
static void explain_matrices(struct planner *p)
{
    if (!has_matrices(p))
        return;
    reason(p, "The selected SIMDgroup grid partitions accumulator fragments without overlap.");
    reason(p, p->plan->staging == GPU_STAGING_THREADGROUP
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
    look_at_kernel(&p);
    start_plan(&p);
    look_at_requirements(&p);
    if (p.layout && !p.failed)
        follow_layout(&p);
    if (p.failed)
        return NULL;
    if (!has_matrices(&p) || p.plan->staging == GPU_STAGING_DEVICE)
        p.plan->stages = 1;
    if (!p.plan->required_split && has_matrices(&p) && is_deep(&p))
        choose_split(&p);
    if (!p.plan->threads && has_matrices(&p))
        choose_groups(&p);
    else if (!p.plan->threads)
        choose_threads(&p);
    explain_matrices(&p);
    if (!p.plan->vector_width)
        p.plan->vector_width = usual_width(&p);
    p.plan->groups = p.plan->threads / GPU_LANES;
    p.plan->group_rows = has_matrices(&p) && p.chained_rows ? p.plan->groups : 0;
    return p.plan;
}

static int power_below(int n)
{
    int power = 1;
    while (power * 2 <= n)
        power *= 2;
    return power;
}

void gpu_plan_share_block(struct gpu_plan *plan, int programs, struct arena *arena)
{
    struct gpu_target *part = ARENA_NEW(arena, struct gpu_target);
    *part = *plan->target;
    part->most_threads = power_below(part->most_threads / programs);
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
