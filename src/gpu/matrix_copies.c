/*
 * Copies of a pipeline's operands: which loads they are, in which order they lie in threadgroup
 * memory, and whether they land in the order of device memory first (turn.c turns them).
 */
#include "gpu/marker.h"

static bool same_shape(struct ir_type a, struct ir_type b)
{
    bool same = a.rank == b.rank;
    for (int i = 0; same && i < a.rank; i++)
        same = a.dims[i] == b.dims[i];
    return same;
}

/* What all loads of tiles of one shape may take at once: values that meet on the way to a product
 * are loaded alike. */
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
        const struct gpu_instruction *instruction =
            ((const struct gpu_dot *)dot->data)->instruction;
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
    /* Lanes read neighbours of one row or column: padding would only move them off the start of a
     * line of all banks, which costs time. But what is written across starts in different banks. */
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

/* The lanes that turn it read along its rows (turn.c): of rows as long as a line of all banks, one
 * row at a time, which padding would only move off the start of a line. */
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
            if (!load || gpu_is_padded(value->type) ||
                ir_elem_bytes((enum ir_elem)value->type.elem) < 4)
                return false;
            gpu_access_width(m->plan, m->promises, load, &axis);
            bool lands = changes_order(form, load, axis);
            int along = gpu_fragment_axis(side ? &dot->instruction->b : &dot->instruction->a);
            *b = gpu_operand_buffer(dot, side, value->type, m->schedule->padded,
                                    (along == 0) != lands);
            b->lands = lands;
            if (b->lands)
                p.buffers[++p.buffer_count] = gpu_landing_buffer(b);
            p.buffer_count++;
        }
    }
    return gpu_pipeline_bytes(&p) <= m->plan->target->shared_bytes;
}

/* Loads of a pipelined loop are copies. What products read along the other axis is loaded element
 * by element where it cannot land, so that threads write neighbours. */
void marker_wish_copies(struct marker *m, struct ir_op *loop, const struct plan_dot_loop *form)
{
    bool lands =
        m->schedule->turns && m->plan->stages >= GPU_LANDING_STAGES && may_land(m, loop, form);
    for (struct ir_op *op = loop->regions[0]->first; op; op = op->next) {
        int axis;
        if (op->code != IR_OP_LOAD || op->results[0]->type.rank < 2 || op->attributes.layout)
            continue;
        gpu_access_width(m->plan, m->promises, op, &axis);
        int width = changes_order(form, op, axis) && !lands ? 1 : width_of_copies(m, op);
        op->data = marker_copy(m, gpu_layout_copy(op->results[0]->type, m->plan, axis, width));
    }
}
