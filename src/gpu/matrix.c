/* Schedules of products, and layouts around them; see matrix.h. */
#include "gpu/matrix.h"

#include "gpu/assign.h"
#include "gpu/shape.h"
#include "opt/pass.h"

bool gpu_has_products(const struct gpu_plan *plan)
{
    return plan->backend == GPU_BACKEND_SIMDGROUP || plan->backend == GPU_BACKEND_MMA ||
           plan->backend == GPU_BACKEND_FMA;
}

/* ---- passes over the schedule ---------------------------------------------------------------- */

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

/* ---- sums ------------------------------------------------------------------------------------ */

static bool fuse(struct ir_op *op, void *user)
{
    struct ir_value *sum;
    struct ir_op *dot = plan_added_dot(op, &sum);
    struct ir_func *func = user;
    if (!dot || !ir_type_equal(sum->type, dot->results[0]->type))
        return true;
    struct ir_builder b = {func, op->parent, op, dot->range};
    struct ir_value *operands[] = {dot->operands[0], dot->operands[1], sum};
    struct ir_op *made = ir_build(&b, IR_OP_DOT, 3, operands, 1, &sum->type, 0, NULL);
    made->results[0]->name = op->results[0]->name;
    ir_replace(op->results[0], made->results[0]);
    return true;
}

void gpu_fuse_sums(struct ir_func *func)
{
    ir_walk(func->body, fuse, func);
    ir_apply_replacements(func);
}

/* ---- layouts around products ----------------------------------------------------------------- */

struct marker {
    const struct gpu_plan *plan;
    const struct gpu_schedule *schedule;
    const struct gpu_promises *promises;
    struct arena *arena;
};

static struct layout *copy_of(struct marker *m, struct layout layout)
{
    struct layout *copy = ARENA_NEW(m->arena, struct layout);
    *copy = layout;
    return copy;
}

/* Loads and broadcasts that a value is made of get the layout, unless they have one. */
static void wish(struct marker *m, struct ir_value *value, struct layout layout, int depth)
{
    struct ir_op *op = value->op;
    if (!op || op->data || depth == 0 || value->type.rank == 0 || op->attributes.layout)
        return;
    struct ir_type type = value->type;
    if (op->code == IR_OP_LOAD) {
        op->data = copy_of(m, layout);
    } else if (op->code == IR_OP_BROADCAST && op->operands[0]->type.rank > 0) {
        op->data = copy_of(m, layout);
        wish(m, op->operands[0], gpu_layout_before_broadcast(layout, op->operands[0]->type, type),
             depth - 1);
    } else if (op->code == IR_OP_RESHAPE && op->operands[0]->type.rank > 0 &&
               gpu_keeps_bits(op->operands[0]->type, type)) {
        wish(m, op->operands[0], gpu_layout_reshape(layout, op->operands[0]->type), depth - 1);
    } else if (ir_has(op, IR_PURE | IR_ELEMENTWISE)) {
        for (int i = 0; i < op->operand_count; i++)
            wish(m, op->operands[i], layout, depth - 1);
    }
}

enum { DEPTH = 16 };

static const struct gpu_instruction *instruction_of(const struct marker *m, const struct ir_op *dot)
{
    /* Vectors of as many sums as a lane multiplies at once are not everywhere. */
    int64_t sums = m->plan->target->vector_elements < 16 || m->plan->stages == 1
                       ? 0
                       : ir_element_count(dot->results[0]->type) * m->plan->split / m->plan->threads;
    return gpu_instruction_for(m->plan->backend, m->plan->relaxed, sums, dot->operands[0]->type,
                               dot->operands[1]->type, dot->results[0]->type, NULL);
}

/* Whether a loop will be a pipeline. */
static bool is_staged(const struct marker *m, struct ir_op *loop, struct plan_dot_loop *form)
{
    const struct ir_op *where;
    const char *why;
    if (m->plan->staging != GPU_STAGING_THREADGROUP || loop->code != IR_OP_FOR ||
        !plan_dot_loop(loop, form, &why, &where))
        return false;
    for (int i = 0; i < form->count; i++) {
        if (!instruction_of(m, form->dots[i].op) || form->dots[i].added)
            return false;
    }
    return true;
}

/* Whether copies may bring a load's tile to a product: 16 bytes at a time, in the order of memory.
 */
static bool may_feed(struct marker *m, const struct ir_op *load, enum ir_elem elem)
{
    int axis;
    struct ir_type type = load->results[0]->type;
    return type.rank == 2 && type.elem == elem && !gpu_is_padded(type) &&
           !load->attributes.layout &&
           gpu_access_width(m->plan, m->promises, load, &axis) * (int)ir_elem_bytes(elem) >= 16;
}

/* Whether a loop will be fed (plan/fed_loop.h); only loads that copies can do are left in the form.
 */
static bool is_fed(struct marker *m, struct ir_op *loop, struct plan_fed_loop *form)
{
    struct plan_dot_loop sums;
    if (m->plan->staging != GPU_STAGING_THREADGROUP || m->plan->backend != GPU_BACKEND_MMA ||
        !m->schedule->async || is_staged(m, loop, &sums) || !plan_fed_loop(loop, form))
        return false;
    int count = 0;
    for (int i = 0; i < form->count; i++) {
        struct plan_fed_dot dot = form->dots[i];
        const struct gpu_instruction *instruction = instruction_of(m, dot.op);
        for (int side = 0; side < 2; side++) {
            const struct gpu_fragment *f = !instruction ? NULL
                                           : side       ? &instruction->b
                                                        : &instruction->a;
            if (!f || f->vector || (dot.loads[side] && !may_feed(m, dot.loads[side], f->elem)))
                dot.loads[side] = NULL;
        }
        form->dots[count] = dot;
        count += dot.loads[0] || dot.loads[1];
    }
    form->count = count;
    return count > 0;
}

enum { MOST_TEAM_SUMS = 128 }; /* of a lane, which may need as many registers for all else */

/* Whether teams of SIMD groups do all products of a loop: they have an instruction for each, and
 * all operands are loads that copies do 16 bytes at a time. */
static bool suits_teams(struct marker *m, struct ir_op *loop, const struct plan_dot_loop *form)
{
    int64_t sums = 0;
    for (int d = 0; d < form->count; d++) {
        const struct ir_op *dot = form->dots[d].op;
        struct ir_type sum = dot->results[0]->type;
        if (!m->schedule->teams || !gpu_instruction_for_teams(m->plan, dot->operands[0]->type, sum))
            return false;
        if (d == 0 || form->dots[d].carried != form->dots[d - 1].carried)
            sums += ir_element_count(sum) / m->plan->threads;
        for (int side = 0; side < 2; side++) {
            const struct ir_value *value = dot->operands[side];
            const struct ir_op *load = gpu_operand_load(loop, form, value);
            int bytes = (int)ir_elem_bytes((enum ir_elem)value->type.elem), axis;
            if (!load || gpu_access_width(m->plan, m->promises, load, &axis) * bytes < 16)
                return false;
        }
    }
    return sums <= MOST_TEAM_SUMS;
}

/* Whether the left operand of a product of the loop is made in front of it. */
static bool is_kept(const struct ir_op *loop, const struct plan_fed_dot *dot)
{
    return !dot->loads[0] && pass_is_outside(dot->op->operands[0], loop);
}

/* Whether teams do a product of a loop that is fed: they read its right operand from a slot, and
 * the left one, too, or from registers where another product of the trip made it. (NVIDIA's
 * assembler, 13.0, keeps no left operand in registers from trip to trip: it writes others over it.)
 * And there are not too many sums of all such products. */
static bool is_fed_to_team(struct marker *m, const struct plan_fed_loop *form,
                           const struct ir_op *op)
{
    int64_t sums = 0;
    bool found = false;
    for (int i = 0; m->schedule->teams && i < form->count; i++) {
        const struct plan_fed_dot *dot = &form->dots[i];
        struct ir_type sum = dot->op->results[0]->type;
        if (!dot->loads[1] || !(dot->loads[0] || dot->chained || is_kept(form->loop, dot)) ||
            !gpu_instruction_for_teams(m->plan, dot->op->operands[0]->type, sum))
            continue;
        sums += ir_element_count(sum) / m->plan->threads;
        found = found || dot->op == op;
    }
    return found && sums <= MOST_TEAM_SUMS;
}

static void mark_dot(struct marker *m, struct ir_op *op)
{
    struct plan_fed_loop fed;
    struct ir_type a = op->operands[0]->type, b = op->operands[1]->type;
    struct ir_type sum = op->results[0]->type;
    struct plan_dot_loop form;
    struct ir_op *loop = op->parent->parent;
    const struct gpu_instruction *i = instruction_of(m, op);
    bool staged = i && loop && is_staged(m, loop, &form);
    /* Without staging each thread would hold rows and columns in registers. */
    if (!i || (i->backend == GPU_BACKEND_FMA && !staged))
        return;
    bool team = staged ? suits_teams(m, loop, &form)
                       : loop && loop->code == IR_OP_FOR && is_fed(m, loop, &fed) &&
                             is_fed_to_team(m, &fed, op);
    if (team)
        i = gpu_instruction_for_teams(m->plan, a, sum);
    struct gpu_dot *dot = ARENA_NEW(m->arena, struct gpu_dot);
    dot->instruction = i;
    dot->a = gpu_fragment_layout(m->plan, i, GPU_ROLE_A, a, sum);
    dot->b = gpu_fragment_layout(m->plan, i, GPU_ROLE_B, b, sum);
    dot->c = gpu_fragment_layout(m->plan, i, GPU_ROLE_C, sum, sum);
    op->data = dot;
    op->results[0]->data = copy_of(m, dot->c);
}

/* Operands that are not staged are loaded as fragments, and what they are added to is made where
 * the sums are. */
static void wish_operands(struct marker *m, struct ir_op *op)
{
    const struct gpu_dot *dot = op->data;
    if (!dot || dot->staged)
        return;
    if (!dot->fed[0] && !dot->kept)
        wish(m, op->operands[0], dot->a, DEPTH);
    if (!dot->fed[1])
        wish(m, op->operands[1], dot->b, DEPTH);
    wish(m, op->operands[2], dot->c, DEPTH);
}

const struct layout *gpu_sum_layout(const struct ir_op *loop, int k)
{
    const struct gpu_dot_loop *marked = loop->data;
    for (int i = 0; marked && i < marked->form.count; i++) {
        if (marked->form.dots[i].carried == k)
            return &marked->sums[i];
    }
    return NULL;
}

static bool same_shape(struct ir_type a, struct ir_type b)
{
    bool same = a.rank == b.rank;
    for (int i = 0; same && i < a.rank; i++)
        same = a.dims[i] == b.dims[i];
    return same;
}

/* What all loads of tiles of one shape may take at once: values that meet on the way to a product are
 * loaded alike. */
static int width_of_copies(struct marker *m, const struct ir_op *load)
{
    int least = m->plan->vector_width, axis;
    for (const struct ir_op *op = load->parent->first; op; op = op->next) {
        if (op->code != IR_OP_LOAD || !same_shape(op->results[0]->type, load->results[0]->type))
            continue;
        int width = gpu_access_width(m->plan, m->promises, op, &axis);
        least = width < least ? width : least;
    }
    return least;
}

/* Whether an operand that is the load, perhaps transposed, lies along the other axis when it is
 * multiplied than in memory. */
static bool changes_order(const struct plan_dot_loop *form, const struct ir_op *load, int axis)
{
    for (int i = 0; i < form->count; i++) {
        const struct ir_op *dot = form->dots[i].op;
        const struct gpu_instruction *instruction = ((const struct gpu_dot *)dot->data)->instruction;
        for (int side = 0; side < 2; side++) {
            const struct ir_op *op = dot->operands[side]->op;
            bool trans = op && op->code == IR_OP_TRANS;
            int along = gpu_fragment_axis(side ? &instruction->b : &instruction->a);
            if (op && (trans ? op->operands[0]->op : op) == load && along >= 0 &&
                along != (trans ? 1 - axis : axis))
                return true;
        }
    }
    return false;
}

const struct ir_op *gpu_operand_load(const struct ir_op *loop, const struct plan_dot_loop *form,
                                     const struct ir_value *value)
{
    int uses = 0;
    for (int d = 0; d < form->count; d++)
        uses += (form->dots[d].op->operands[0] == value) + (form->dots[d].op->operands[1] == value);
    const struct ir_op *op = value->op;
    if (!op || op->parent != loop->regions[0] || (int)value->uses != uses)
        return NULL;
    if (op->code == IR_OP_TRANS) {
        value = op->operands[0];
        op = value->op;
        if (!op || op->parent != loop->regions[0] || value->uses != 1)
            return NULL;
    }
    return op->code == IR_OP_LOAD ? op : NULL;
}

struct gpu_buffer gpu_operand_buffer(const struct gpu_dot *dot, int side, struct ir_type type,
                                     bool padded, bool copied_by_columns)
{
    const struct gpu_instruction *i = dot->instruction;
    int along = gpu_fragment_axis(side ? &i->b : &i->a);
    bool by_columns = along < 0 ? copied_by_columns : along == 0;
    /* Lanes read neighbours of one row or column: padding would only move them off the start of a line of
     * all banks, which costs time. But what is written across starts in different banks. */
    bool pads = padded && (along < 0 || by_columns != copied_by_columns);
    struct gpu_buffer buffer = {
        .elem = side ? i->b.elem : i->a.elem,
        .rows = type.dims[0],
        .columns = type.dims[1],
        .by_columns = by_columns,
        .padding = pads ? i->padding : 0,
        .copied = type.dims[0] * type.dims[1],
    };
    if (i->team_bits > 0) {
        int row = by_columns ? buffer.rows : buffer.columns,
            most = GPU_PANEL_BYTES / (int)ir_elem_bytes(buffer.elem);
        buffer.panel = row < most ? row : most;
        buffer.swizzled = true;
        buffer.padding = 0;
    }
    return buffer;
}

/* The lanes that turn it read along its rows (turn.c): of rows as long as a line of all banks, one row at a
 * time, which padding would only move off the start of a line. */
struct gpu_buffer gpu_landing_buffer(const struct gpu_buffer *to)
{
    enum { BANKS = 128 }; /* bytes */
    struct gpu_buffer landing = *to;
    landing.by_columns = !to->by_columns;
    landing.lands = false;
    landing.landing = true;
    int row = landing.by_columns ? landing.rows : landing.columns;
    if (row * (int)ir_elem_bytes(landing.elem) % BANKS == 0)
        landing.padding = 0;
    return landing;
}

/* Whether operands may land: asynchronous copies can do all of them, and there is memory. */
static bool may_land(struct marker *m, const struct ir_op *loop, const struct plan_dot_loop *form)
{
    struct gpu_pipeline p = {.stages = GPU_LANDING_STAGES};
    for (int d = 0; d < form->count; d++) {
        for (int side = 0; side < 2; side++) {
            const struct ir_value *value = form->dots[d].op->operands[side];
            const struct ir_op *load = gpu_operand_load(loop, form, value);
            const struct gpu_dot *dot = form->dots[d].op->data;
            struct gpu_buffer *b = &p.buffers[p.buffer_count];
            int axis;
            if (!load || gpu_is_padded(value->type) || ir_elem_bytes((enum ir_elem)value->type.elem) < 4)
                return false;
            gpu_access_width(m->plan, m->promises, load, &axis);
            bool lands = changes_order(form, load, axis);
            int along = gpu_fragment_axis(side ? &dot->instruction->b : &dot->instruction->a);
            *b = gpu_operand_buffer(dot, side, value->type, m->schedule->padded, (along == 0) != lands);
            b->lands = lands;
            if (b->lands)
                p.buffers[++p.buffer_count] = gpu_landing_buffer(b);
            p.buffer_count++;
        }
    }
    return gpu_pipeline_bytes(&p) <= m->plan->target->shared_bytes;
}

/* Loads of a pipelined loop are copies. What products read along the other axis is loaded element by element
 * where it cannot land, so that threads write neighbours. */
static void wish_copies(struct marker *m, struct ir_op *loop, const struct plan_dot_loop *form)
{
    bool lands = m->schedule->turns && m->plan->stages >= GPU_LANDING_STAGES &&
                 may_land(m, loop, form);
    for (struct ir_op *op = loop->regions[0]->first; op; op = op->next) {
        int axis;
        if (op->code != IR_OP_LOAD || op->results[0]->type.rank < 2 || op->attributes.layout)
            continue;
        gpu_access_width(m->plan, m->promises, op, &axis);
        int width = changes_order(form, op, axis) && !lands ? 1 : width_of_copies(m, op);
        op->data = copy_of(m, gpu_layout_copy(op->results[0]->type, m->plan, axis, width));
    }
}

enum { SECTOR_BYTES = 32 }; /* that memory writes as a whole */

/* A product's fragment has 8 columns, of which a lane has two: half precision is stored in pieces of 16
 * bytes, unless lanes collect what they store. */
static void wish_store(struct marker *m, struct ir_op *op)
{
    const struct layout *layout = op->operands[1]->data;
    int bytes = (int)ir_elem_bytes((enum ir_elem)op->operands[0]->type.elem), axis;
    if (m->plan->backend != GPU_BACKEND_MMA || !layout || op->operands[0]->type.rank != 2)
        return;
    int width = gpu_access_width(m->plan, m->promises, op, &axis);
    op->data = copy_of(m, gpu_layout_gathered(*layout, axis, width, SECTOR_BYTES / bytes));
}

/* Loads that feed products are copies. */
static bool mark_fed_loop(struct marker *m, struct ir_op *op)
{
    struct plan_fed_loop form;
    if (op->code != IR_OP_FOR || !is_fed(m, op, &form))
        return false;
    struct gpu_dot_loop *loop = ARENA_NEW(m->arena, struct gpu_dot_loop);
    loop->fed = true;
    loop->form = (struct plan_dot_loop){.loop = op, .count = form.count};
    for (int i = 0; i < form.count; i++) {
        struct gpu_dot *dot = form.dots[i].op->data;
        loop->form.dots[i].op = form.dots[i].op;
        loop->form.dots[i].carried = -1;
        dot->split = 1;
        dot->kept = dot->instruction->team_bits > 0 && is_kept(op, &form.dots[i]);
        for (int side = 0; side < 2; side++) {
            struct ir_op *load = form.dots[i].loads[side];
            int axis;
            loop->loads[i][side] = load;
            dot->fed[side] = load != NULL;
            if (!load)
                continue;
            int width = gpu_access_width(m->plan, m->promises, load, &axis);
            load->data = copy_of(m, gpu_layout_copy(load->results[0]->type, m->plan, axis, width));
        }
    }
    op->data = loop;
    return true;
}

static void mark_loop(struct marker *m, struct ir_op *op)
{
    struct plan_dot_loop form;
    if (mark_fed_loop(m, op) || !is_staged(m, op, &form))
        return;
    struct gpu_dot_loop *loop = ARENA_NEW(m->arena, struct gpu_dot_loop);
    loop->form = form;
    wish_copies(m, op, &form);
    for (int i = 0; i < form.count; i++) {
        struct gpu_dot *dot = form.dots[i].op->data;
        int steps = form.dots[i].op->operands[0]->type.dims[1] >> dot->instruction->a.column_bits;
        dot->staged = true;
        dot->split = steps % m->plan->split == 0 ? m->plan->split : 1;
        /* Dots that add to one sum share it alike, or do not share. */
        for (int k = 0; k < i; k++) {
            struct gpu_dot *other = form.dots[k].op->data;
            if (form.dots[k].carried == form.dots[i].carried && other->split != dot->split)
                dot->split = other->split = 1;
        }
    }
    for (int i = 0; i < form.count; i++) {
        const struct gpu_dot *dot = form.dots[i].op->data;
        struct ir_type sum = form.dots[i].op->results[0]->type;
        loop->sums[i] = dot->split > 1 ? gpu_layout_default(sum, m->plan, 1) : dot->c;
    }
    op->data = loop;
}

/* A loop's result, and a pointwise op's, are where a product is that they come from. */
static void follow(struct marker *m, struct ir_op *op)
{
    if (op->code == IR_OP_FOR) {
        for (int k = 0; k < op->result_count; k++) {
            const struct layout *sum = gpu_sum_layout(op, k);
            op->results[k]->data = sum ? copy_of(m, *sum) : op->regions[0]->last->operands[k]->data;
        }
        return;
    }
    for (int k = 0; op->code == IR_OP_IF && k < op->result_count; k++) {
        for (int r = 0; r < 2 && !op->results[k]->data; r++)
            op->results[k]->data = op->regions[r]->last->operands[k]->data;
    }
    if (!ir_has(op, IR_PURE | IR_ELEMENTWISE) || op->result_count == 0 ||
        op->results[0]->type.rank == 0)
        return;
    const struct layout *layout = NULL;
    for (int i = 0; i < op->operand_count && !layout; i++)
        layout = op->operands[i]->data;
    for (int i = 0; layout && i < op->operand_count; i++) {
        if (!op->operands[i]->data)
            wish(m, op->operands[i], *layout, DEPTH);
    }
    op->results[0]->data = (void *)layout;
}

static void mark_region(struct marker *m, struct ir_region *region)
{
    for (struct ir_op *op = region->first; op; op = op->next) {
        if (op->code == IR_OP_DOT)
            mark_dot(m, op);
        for (int r = 0; r < op->region_count; r++)
            mark_region(m, op->regions[r]);
        if (op->code == IR_OP_FOR)
            mark_loop(m, op);
        if (op->code == IR_OP_STORE)
            wish_store(m, op);
        follow(m, op);
    }
}

static bool wish_op(struct ir_op *op, void *user)
{
    if (op->code == IR_OP_DOT)
        wish_operands(user, op);
    return true;
}

static bool clear(struct ir_op *op, void *user)
{
    (void)user;
    op->data = NULL;
    return true;
}

void gpu_matrix_mark(struct ir_func *func, const struct gpu_plan *plan,
                     const struct gpu_schedule *schedule, const struct gpu_promises *promises,
                     struct arena *arena)
{
    struct marker m = {.plan = plan, .schedule = schedule, .promises = promises, .arena = arena};
    ir_walk(func->body, clear, NULL);
    ir_clear_data(func->body);
    for (int i = 0; i < func->parameter_count; i++)
        func->body->arguments[i]->data = NULL;
    if (!gpu_has_products(plan))
        return;
    ir_count_uses(func);
    mark_region(&m, func->body);
    ir_walk(func->body, wish_op, &m);
}
