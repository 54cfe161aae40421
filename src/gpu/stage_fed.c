/*
 * Trips of a staged loop (stage.c) that is fed: see plan/fed_loop.h.
 *
 *   copy of the tiles of trip + n            what their addresses hang on is computed for that trip
 *   the body of this trip                    its dots read fragments from the slots
 *   barrier
 */
#include "gpu/slot.h"
#include "gpu/stage.h"

static bool feeds(const struct stage *s, const struct ir_op *op)
{
    const struct plan_fed_loop loop = {.loop = (struct ir_op *)s->loop};
    for (int d = 0; d < s->form->form.count; d++) {
        for (int side = 0; side < 2; side++) {
            const struct ir_value *value = s->operands[d][side].value;
            if (value && plan_feeds(&loop, value->op, op))
                return true;
        }
    }
    return false;
}

void gpu_stage_lower_feeds(struct stage *s, struct ir_value *counter)
{
    const struct ir_region *body = s->loop->regions[0];
    gpu_value_of(body->arguments[0])->scalar = counter;
    for (const struct ir_op *op = body->first; op != body->last && !s->l->failed; op = op->next) {
        if (!gpu_stage_is_copied(s, op) && feeds(s, op))
            gpu_lower_op(s->l, op);
    }
}

/* The first barrier of the pipeline stands between this and the products; its last one between
 * these and what comes behind the loop. */
void gpu_stage_keep_operands(struct stage *s)
{
    struct lowering *l = s->l;
    for (int d = 0; s->form->fed && d < s->form->form.count; d++) {
        const struct ir_value *value = s->form->form.dots[d].op->operands[0];
        struct gpu_dot *dot = s->form->form.dots[d].op->data;
        if (!dot->kept)
            continue;
        const struct gpu_tile *tile = gpu_tile(l, value, &gpu_home(value)->layout);
        struct gpu_buffer *buffer = ARENA_NEW(l->arena, struct gpu_buffer);
        *buffer = gpu_operand_buffer(dot, 0, value->type, false, false);
        struct ir_value *slot = gpu_staging(l, arena_format(l->arena, "kept_%d", d), buffer->elem,
                                            gpu_buffer_elements(buffer), 0);
        slot->op->attributes.aligned = true;
        dot->buffers[0] = buffer;
        dot->slots[0] = slot;
        struct ir_builder outside = gpu_begin_if(l, gpu_thread_owns(l, &tile->layout));
        for (int part = 0; part < tile->count; part++) {
            if (gpu_register_owns(&tile->layout, part * tile->width))
                gpu_put_present(l, buffer, value->type, tile, slot, part);
        }
        gpu_end_if(l, outside);
    }
}

/* Products read the slots of this trip, where buffers stand in position 0. */
static void take_slots(struct stage *s)
{
    for (int d = 0; d < s->form->form.count; d++) {
        struct gpu_dot *dot = s->form->form.dots[d].op->data;
        for (int side = 0; side < 2; side++) {
            int buffer = s->operands[d][side].buffer;
            if (!s->operands[d][side].value)
                continue;
            dot->buffers[side] = &s->pipeline->buffers[buffer];
            dot->slots[side] = s->slots[buffer][0];
        }
    }
}

/* Whether the op only loads, or transposes, what stands in a slot. */
static bool is_in_slot(const struct stage *s, const struct ir_op *op)
{
    for (int d = 0; d < s->form->form.count; d++) {
        for (int side = 0; side < 2; side++) {
            const struct staged_operand *o = &s->operands[d][side];
            if (o->value && (op == o->load || op == o->value->op))
                return true;
        }
    }
    return false;
}

void gpu_stage_run_trip(struct stage *s, const void *user)
{
    struct lowering *l = s->l;
    const struct ir_region *body = s->loop->regions[0];
    struct ir_value *const *next = s->carried.items;
    (void)user;
    take_slots(s);
    l->in_trip = true;
    gpu_value_of(body->arguments[0])->scalar = s->trip;
    for (int k = 0; k < s->loop->result_count; k++)
        next = gpu_bind(l, body->arguments[1 + k], next);
    for (const struct ir_op *op = body->first; op != body->last && !gpu_is_too_long(l);
         op = op->next) {
        if (!is_in_slot(s, op))
            gpu_lower_op(l, op);
    }
    l->in_trip = false;
    struct gpu_value_list carried = {0};
    for (int k = 0; k < s->loop->result_count && !l->failed; k++) {
        const struct ir_value *argument = body->arguments[1 + k];
        gpu_push_lowered(l, &carried, body->last->operands[k],
                         argument->type.rank > 0 ? &gpu_home(argument)->layout : NULL);
    }
    s->carried = l->failed ? s->carried : carried;
}
