/*
 * Plans for GPU targets; see gpu.h. Requirements are held or refused by name, never weakened.
 *
 * Left open, a program gets a thread for every four elements of its largest tile, from 32 to 256
 * threads, and more only where a thread would hold over 16 elements.
 */
#include "plan/gpu.h"

#include "plan/plan.h"

#include <string.h>

const struct gpu_target gpu_target_msl = {
    .name = "msl",
    .most_threads = 1024,
    .shared_bytes = 32768,
    .most_registers = 1024,
    .vector_elements = 4,
    .vector_bytes = 16,
    .packed_vectors = true,
    .has_f64 = false,
    .has_print = false,
};

const struct gpu_loads gpu_loads_nvidia[] = {{2048, 1}, {4096, 2}, {16384, 4}, {0, 8}};

const char *const gpu_backend_names[] = {"elementwise", "simdgroup", "mma", "scalar"};

enum { USUAL_PER_THREAD = 4, USUAL_THREADS = 256, MOST_PER_THREAD = 16 };

struct planner {
    const struct gpu_target *target;
    const struct ir_kernel *kernel;
    struct arena *arena;
    struct diagnostics *diagnostics;
    struct gpu_plan *plan;
    int64_t elements;               /* of the largest tile, axes padded to powers of two */
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

static bool look_at_op(struct ir_op *op, void *user)
{
    struct planner *p = user;
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

static bool is_power_of_two(int64_t n)
{
    return n > 0 && !(n & (n - 1));
}

static void require_threads(struct planner *p, const struct ir_requirement *r, int64_t threads)
{
    if (threads > p->target->most_threads) {
        refuse(p, r,
               arena_format(p->arena, "a program has at most %d threads", p->target->most_threads));
    } else if (threads < GPU_LANES || !is_power_of_two(threads)) {
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
    if (r->number > p->target->vector_elements || !is_power_of_two(r->number)) {
        refuse(p, r,
               arena_format(p->arena, "an access takes 1 to %d elements, a power of two",
                            p->target->vector_elements));
        return;
    }
    p->plan->vector_width = (int)r->number;
    p->plan->required_width = true;
    reason(p, arena_format(p->arena, "vectors of %d: required", (int)r->number));
}

static void require_backend(struct planner *p, const struct ir_requirement *r)
{
    if (strcmp(r->word, "simdgroup") == 0 || strcmp(r->word, "mma") == 0) {
        refuse(p, r, "only elementwise and scalar code is generated");
    } else if (strcmp(r->word, "scalar") == 0) {
        p->plan->backend = GPU_BACKEND_SCALAR;
        p->plan->vector_width = 1;
    }
}

static void require(struct planner *p, const struct ir_requirement *r)
{
    if (strcmp(r->name, "threads") == 0) {
        require_threads(p, r, r->number);
    } else if (strcmp(r->name, "groups") == 0) {
        require_threads(p, r, r->number * GPU_LANES);
    } else if (strcmp(r->name, "vector_width") == 0) {
        require_width(p, r);
    } else if (strcmp(r->name, "backend") == 0) {
        require_backend(p, r);
    } else if (strcmp(r->name, "precision") == 0) {
        if ((strcmp(r->word, "relaxed") == 0) != p->plan->relaxed)
            refuse(p, r, "fast math is allowed by --relaxed, or by relaxed in the compile options");
    } else if (strcmp(r->name, "buffering") == 0) {
        if (r->number != 1)
            refuse(p, r, "loops are not pipelined");
    } else if (strcmp(r->name, "swizzle") == 0) {
        if (strcmp(r->word, "linear") != 0)
            refuse(p, r, "programs run in linear order");
    } else {
        refuse(p, r, "it has no effect here");
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

static void choose_threads(struct planner *p)
{
    int64_t threads = GPU_LANES;
    /* Such loops are widened instead, so that a thread takes several elements of several blocks. */
    bool blocks = p->elements >= GPU_LANES && p->elements <= USUAL_THREADS &&
                  !ir_walk(p->kernel->func->body, is_no_block_loop, p);
    if (blocks)
        threads = p->elements;
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
    for (int i = 0; i < kernel->requirement_count; i++)
        require(&p, &kernel->requirements[i]);
    if (p.layout && !p.failed)
        follow_layout(&p);
    if (p.failed)
        return NULL;
    if (!p.plan->threads)
        choose_threads(&p);
    if (!p.plan->vector_width)
        p.plan->vector_width = target->vector_elements;
    p.plan->groups = p.plan->threads / GPU_LANES;
    return p.plan;
}
