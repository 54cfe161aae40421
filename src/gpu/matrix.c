/*
 * Marks on products, and wishes for layouts around them; see matrix.h.
 *
 * A dot that an instruction does gets its fragments, a loop that is pipelined or fed its form. What
 * meets a product on its way (operands that are not staged, an epilogue's loads, stores) is wished
 * in the product's layout, so that nothing is exchanged.
 */
#include "gpu/marker.h"

/* Loads and broadcasts that a value is made of get the layout, unless they have one. */
static void wish(struct marker *m, struct ir_value *value, struct layout layout, int depth)
{
    struct ir_op *op = value->op;
    if (!op || op->data || depth == 0 || value->type.rank == 0 || op->attributes.layout)
        return;
    struct ir_type type = value->type;
    if (op->code == IR_OP_LOAD) {
        op->data = marker_copy(m, layout);
    } else if (op->code == IR_OP_BROADCAST && op->operands[0]->type.rank > 0) {
        op->data = marker_copy(m, layout);
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

static void mark_dot(struct marker *m, struct ir_op *op)
{
    struct plan_fed_loop fed;
    struct ir_type a = op->operands[0]->type, b = op->operands[1]->type;
    struct ir_type sum = op->results[0]->type;
    struct plan_dot_loop form;
    struct ir_op *loop = op->parent->parent;
    const struct gpu_instruction *i = marker_instruction(m, op);
    bool staged = i && loop && marker_is_staged(m, loop, &form);
    /* Without staging each thread would hold rows and columns in registers. */
    if (!i || (i->backend == GPU_BACKEND_FMA && !staged))
        return;
    bool team = staged ? marker_suits_teams(m, loop, &form)
                       : loop && loop->code == IR_OP_FOR && marker_is_fed(m, loop, &fed) &&
                             marker_is_fed_to_team(m, &fed, op);
    if (team)
        i = gpu_instruction_for_teams(m->plan, a, sum);
    struct gpu_dot *dot = ARENA_NEW(m->arena, struct gpu_dot);
    dot->instruction = i;
    dot->a = gpu_fragment_layout(m->plan, i, GPU_ROLE_A, a, sum);
    dot->b = gpu_fragment_layout(m->plan, i, GPU_ROLE_B, b, sum);
    dot->c = gpu_fragment_layout(m->plan, i, GPU_ROLE_C, sum, sum);
    op->data = dot;
    op->results[0]->data = marker_copy(m, dot->c);
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

enum { SECTOR_BYTES = 32 }; /* that memory writes as a whole */

/* A product's fragment has 8 columns, of which a lane has two: half precision is stored in pieces
 * of 16 bytes, unless lanes collect what they store. */
static void wish_store(struct marker *m, struct ir_op *op)
{
    const struct layout *layout = op->operands[1]->data;
    int bytes = (int)ir_elem_bytes((enum ir_elem)op->operands[0]->type.elem), axis;
    if (m->plan->backend != GPU_BACKEND_MMA || !layout || op->operands[0]->type.rank != 2)
        return;
    int width = gpu_access_width(m->plan, m->promises, op, &axis);
    op->data = marker_copy(m, gpu_layout_gathered(*layout, axis, width, SECTOR_BYTES / bytes));
}

/* Loads that feed products are copies. */
static bool mark_fed_loop(struct marker *m, struct ir_op *op)
{
    struct plan_fed_loop form;
    if (op->code != IR_OP_FOR || !marker_is_fed(m, op, &form))
        return false;
    struct gpu_dot_loop *loop = ARENA_NEW(m->arena, struct gpu_dot_loop);
    loop->fed = true;
    loop->form = (struct plan_dot_loop){.loop = op, .count = form.count};
    for (int i = 0; i < form.count; i++) {
        struct gpu_dot *dot = form.dots[i].op->data;
        loop->form.dots[i].op = form.dots[i].op;
        loop->form.dots[i].carried = -1;
        dot->split = 1;
        dot->kept = dot->instruction->team_bits > 0 && marker_is_kept(op, &form.dots[i]);
        for (int side = 0; side < 2; side++) {
            struct ir_op *load = form.dots[i].loads[side];
            int axis;
            loop->loads[i][side] = load;
            dot->fed[side] = load != NULL;
            if (!load)
                continue;
            int width = gpu_access_width(m->plan, m->promises, load, &axis);
            load->data =
                marker_copy(m, gpu_layout_copy(load->results[0]->type, m->plan, axis, width));
        }
    }
    op->data = loop;
    return true;
}

static void mark_loop(struct marker *m, struct ir_op *op)
{
    struct plan_dot_loop form;
    if (mark_fed_loop(m, op) || !marker_is_staged(m, op, &form))
        return;
    struct gpu_dot_loop *loop = ARENA_NEW(m->arena, struct gpu_dot_loop);
    loop->form = form;
    marker_wish_copies(m, op, &form);
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
            op->results[k]->data =
                sum ? marker_copy(m, *sum) : op->regions[0]->last->operands[k]->data;
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
