/*
 * Copies of a staged loop's operands (stage.c) into slots.
 *
 * The loop's body without its dots is lowered for the trip that is copied. Then owners of the
 * operands' tiles write their registers; or the loads of the operands become asynchronous copies,
 * of which some are kept back, to be started between the products of the trip.
 */
#include "gpu/slot.h"
#include "gpu/stage.h"

static struct ir_value *counter_of(struct stage *s, struct ir_value *from, int ahead)
{
    struct lowering *l = s->l;
    if (ahead == 0)
        return from;
    return ir_binary(&l->b, IR_OP_ADD, from, gpu_constant(l, ahead * s->width));
}

static bool is_dot(const struct stage *s, const struct ir_op *op)
{
    for (int d = 0; d < s->form->form.count; d++) {
        if (s->form->form.dots[d].op == op)
            return true;
    }
    return false;
}

static bool is_async(const struct stage *s)
{
    return s->pipeline->mechanism == GPU_MECHANISM_ASYNC;
}

/* A load of an operand, or what transposes it. */
bool gpu_stage_is_copied(const struct stage *s, const struct ir_op *op)
{
    for (int d = 0; is_async(s) && d < s->form->form.count; d++) {
        for (int side = 0; side < 2; side++) {
            const struct staged_operand *o = &s->operands[d][side];
            if (o->value && (op == o->load || op == o->value->op))
                return true;
        }
    }
    return false;
}

/* The body for one trip: operands and the next carried values. */
static void lower_body(struct stage *s, struct ir_value *counter)
{
    struct lowering *l = s->l;
    const struct ir_region *body = s->loop->regions[0];
    struct ir_value *const *next = s->carried.items;
    gpu_value_of(body->arguments[0])->scalar = counter;
    for (int k = 0; k < s->loop->result_count; k++) {
        if (!plan_is_sum(&s->form->form, k))
            next = gpu_bind(l, body->arguments[1 + k], next);
    }
    for (const struct ir_op *op = body->first; op != body->last && !l->failed; op = op->next) {
        if (!is_dot(s, op) && !gpu_stage_is_copied(s, op))
            gpu_lower_op(l, op);
    }
    struct gpu_value_list carried = {0};
    for (int k = 0; k < s->loop->result_count; k++) {
        struct ir_value *argument = body->arguments[1 + k];
        if (plan_is_sum(&s->form->form, k))
            continue;
        gpu_push_lowered(l, &carried, body->last->operands[k],
                         argument->type.rank > 0 ? &gpu_home(argument)->layout : NULL);
    }
    s->carried = carried;
}

/* The operand's tile in whatever layout it has. */
static const struct gpu_tile *tile_of(struct lowering *l, const struct ir_value *value)
{
    for (const struct gpu_tile *tile = gpu_home(value); tile; tile = tile->next) {
        if (tile->parts)
            return tile;
    }
    return gpu_tile(l, value, &gpu_home(value)->layout);
}

/* Where registers of a tile go. */
struct place {
    struct lowering *l;
    const struct gpu_buffer *buffer;
    const struct layout *layout;
    struct ir_value *slot;
};

static struct ir_value *place_of(void *user, int reg)
{
    const struct place *p = user;
    return ir_binary(&p->l->b, IR_OP_ADDPTR, p->slot,
                     gpu_slot_index(p->l, p->buffer, p->layout, reg));
}

struct layout gpu_stage_loaded_layout(const struct staged_operand *o)
{
    const struct layout *layout = o->load->data;
    const struct ir_op *op = o->value->op;
    return op == o->load ? *layout : gpu_layout_before_trans(*layout, op->attributes.permutation);
}

/* Owners write the tile into the slot, or start copies of it. */
static void put_tile(struct stage *s, const struct staged_operand *o, struct ir_value *slot)
{
    struct lowering *l = s->l;
    const struct gpu_buffer *buffer = &s->pipeline->buffers[o->copied];
    const struct gpu_tile *tile = is_async(s) ? NULL : tile_of(l, o->value);
    struct layout layout = tile ? tile->layout : gpu_stage_loaded_layout(o);
    struct place place = {l, buffer, &layout, slot};
    struct ir_value *owns = gpu_thread_owns(l, &layout);
    if (s->late_exists) {
        gpu_copy_tile(l, o->load, place_of, &place, &s->late);
        return;
    }
    struct ir_builder outside = gpu_begin_if(l, owns);
    if (is_async(s))
        gpu_copy_tile(l, o->load, place_of, &place, NULL);
    for (int part = 0; tile && part < tile->count; part++) {
        if (gpu_register_owns(&layout, part * tile->width))
            gpu_put_present(l, buffer, o->value->type, tile, slot, part);
    }
    gpu_end_if(l, outside);
}

void gpu_stage_copy(struct stage *s, const void *user)
{
    const struct gpu_phase *phase = user;
    uint32_t done = 0;
    struct ir_value *counter =
        counter_of(s, phase->region == GPU_PROLOGUE ? s->low : s->trip, phase->ahead);
    if (s->form->fed)
        gpu_stage_lower_feeds(s, counter);
    else
        lower_body(s, counter);
    for (int d = 0; d < s->form->form.count; d++) {
        for (int side = 0; side < 2; side++) {
            const struct staged_operand *o = &s->operands[d][side];
            if (!o->value)
                continue;
            for (int i = 0; !(done >> o->copied & 1) && i < s->pipeline->stages; i++) {
                if (phase->writes[o->copied] >> i & 1)
                    put_tile(s, o, s->slots[o->copied][i]);
            }
            done |= 1u << o->copied;
        }
    }
}

void gpu_stage_mark_copies(struct stage *s, int in_flight)
{
    struct ir_attributes attributes = {.number = in_flight < 0 ? 0 : in_flight};
    int code = in_flight < 0 ? GPU_OP_COPIES_COMMIT : GPU_OP_COPIES_WAIT;
    if (is_async(s))
        ir_build(&s->l->b, (enum ir_opcode)code, 0, NULL, 0, NULL, 0, &attributes);
}

/* ---- late copies ----------------------------------------------------------------------------- */

/* Whether copies can be started between the products of the trip that they are started in, or in
 * front of those that go on: all that a trip computes for them may be computed for a trip that
 * there is not. */
bool gpu_stage_starts_late(struct stage *s, const struct gpu_phase *phase)
{
    const struct ir_region *body = s->loop->regions[0];
    if (phase->region != GPU_STEADY || !s->pipeline->guarded || s->carried.count > 0 ||
        s->form->fed || s->products[0].dot->instruction->backend != GPU_BACKEND_MMA ||
        !(s->pipeline->starts || gpu_stage_loads_ahead(s, 0)))
        return false;
    for (const struct ir_op *op = body->first; op != body->last; op = op->next) {
        if (!is_dot(s, op) && !gpu_stage_is_copied(s, op) && !ir_has(op, IR_PURE))
            return false;
    }
    for (int i = 0; i < 2 * s->form->form.count; i++) {
        struct layout layout = gpu_stage_loaded_layout(&s->operands[i / 2][i % 2]);
        if (gpu_thread_owns(s->l, &layout))
            return false;
    }
    return true;
}

void gpu_stage_start_late(struct stage *s, size_t count)
{
    while (s->late_done < count)
        gpu_start_copy(s->l, &s->late.items[s->late_done++], s->late_exists);
}
