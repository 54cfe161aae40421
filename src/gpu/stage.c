/*
 * Loops of products as pipelines: operand tiles are staged in threadgroup memory.
 *
 *   if there is a trip {                            the phases of pipeline.h, here of 2 stages
 *     copy the first trip's tiles into slot 0       load_first
 *     barrier                                       publish_first
 *     for all trips but the last {
 *       copy the next trip's tiles into slot 1      load_next
 *       sums += slot 0                              consume_current
 *       barrier                                     publish_and_recycle
 *     } with the slots rotated                      rotate_slots
 *     sums += slot 0                                consume_last
 *     barrier                                       release_last
 *   }
 *
 * With asynchronous copies the loop goes over all trips, and starts copies as long as there are
 * any. There the fragments of each step along the inner axis are loaded in front of the products of
 * the step before, and those of a trip's first step behind the barrier in front of the last
 * products of the trip before:
 *
 *     copy, load of step 1, products of step 0, ..., load of the last step   load_next,
 *                                                                            consume_current
 *     barrier                                                                publish_and_recycle
 *     load of the next trip's step 0, products of the last step              fetch_next
 *
 * Where teams of SIMD groups multiply what is staged, a trip only starts copies and its products,
 * which go on during the next one:
 *
 *     copy, start of this trip's products              load_next, consume_current
 *     wait for the products of the trip before         wait_before
 *     barrier                                          publish_and_recycle
 *
 * A copy is the loop's body without its dots, for the trip that is copied, in layouts that suit its
 * loads; what the operands are goes into the slots. So any pointwise computation on the way, any
 * mask and any fill is done once per element, by all threads together. What the loop carries beside
 * the sums (offsets that grow) goes with the copies. Sums are fragments from the first phase to the
 * last, and registers again behind the loop.
 *
 * In a loop that is fed (plan/fed_loop.h) a trip does all that stands in the body; only the copies
 * go ahead. What the loop carries goes with the trips then, and each product takes fragments from
 * the slots where it stands (multiply.c).
 *
 * Here the code of the phases is put together. What is decided before is in stage_plan.c; the
 * phases are copies (stage_copy.c), turns of what landed in another order (stage_turn.c) and
 * products (stage_multiply.c, stage_team.c) or trips (stage_fed.c); what goes through branches and
 * the loop is told in stage_values.c.
 */
#include "gpu/stage.h"

/* ---- which trips there are ------------------------------------------------------------------- */

/* high - distance, or the least number: nothing is below that. */
static struct ir_value *below_high(struct stage *s, int64_t distance)
{
    struct lowering *l = s->l;
    int64_t known;
    if (distance == 0)
        return s->high;
    if (ir_constant_int(s->high, &known) && known >= INT64_MIN + distance)
        return gpu_constant(l, known - distance);
    struct ir_value *high =
        ir_binary(&l->b, IR_OP_MAXIMUM, s->high, gpu_constant(l, INT64_MIN + distance));
    return ir_binary(&l->b, IR_OP_SUB, high, gpu_constant(l, distance));
}

/* Whether the first loop has more than so many trips. */
static struct ir_value *has_trip(struct stage *s, int number)
{
    return ir_binary(&s->l->b, IR_OP_LT, s->low, below_high(s, number * s->width));
}

/* ---- phases ---------------------------------------------------------------------------------- */

static void rotate(struct stage *s, const struct gpu_phase *phase)
{
    for (int b = 0; b < s->pipeline->buffer_count; b++) {
        struct ir_value **slots = s->slots[b], *first = slots[0];
        int count = gpu_buffer_slots(s->pipeline, &s->pipeline->buffers[b]);
        for (int i = 0; phase->rotates[b] && i + 1 < count; i++)
            slots[i] = slots[i + 1];
        if (phase->rotates[b])
            slots[count - 1] = first;
    }
}

/* Whether there is the trip that a phase is about; NULL: there is. */
static struct ir_value *condition_of(struct stage *s, const struct gpu_phase *phase)
{
    if (phase->region != GPU_STEADY)
        return phase->ahead > 0 ? has_trip(s, phase->ahead) : NULL;
    if (!s->pipeline->guarded || phase->ahead == 0 || phase->kind == GPU_PHASE_FETCH)
        return NULL;
    return ir_binary(&s->l->b, IR_OP_LT, s->trip, below_high(s, phase->ahead * s->width));
}

/* A copy that is left out is still a group, an empty one, so that barriers count alike. */
static void emit_phase(struct stage *s, const struct gpu_phase *phase)
{
    typedef void (*body)(struct stage *, const void *);
    static const body bodies[] = {[GPU_PHASE_COPY] = gpu_stage_copy,
                                  [GPU_PHASE_COMPUTE] = gpu_stage_compute,
                                  [GPU_PHASE_FETCH] = gpu_stage_fetch};
    static const int kinds[] = {[GPU_PHASE_COPY] = STAGE_CARRIED,
                                [GPU_PHASE_COMPUTE] = STAGE_SUMS,
                                [GPU_PHASE_FETCH] = STAGE_FETCHED};
    if (s->form->fed && phase->kind == GPU_PHASE_COMPUTE) {
        gpu_stage_run_trip(s, phase);
        return;
    }
    if (phase->kind != GPU_PHASE_COMPUTE)
        gpu_stage_end_turns(s);
    if (phase->kind == GPU_PHASE_WAIT) {
        gpu_stage_wait(s, phase);
        return;
    }
    if (phase->kind == GPU_PHASE_BARRIER) {
        gpu_stage_mark_copies(s, phase->in_flight);
        if (gpu_stage_has_teams(s))
            ir_build(&s->l->b, (enum ir_opcode)GPU_OP_COPIES_PUBLISH, 0, NULL, 0, NULL, 0, NULL);
        gpu_barrier(s->l, phase->scope);
        return;
    }
    if (phase->kind == GPU_PHASE_ROTATE) {
        rotate(s, phase);
        return;
    }
    struct ir_value *condition = condition_of(s, phase);
    if (phase->kind == GPU_PHASE_TURN) {
        gpu_stage_begin_turns(s, phase, condition);
        return;
    }
    if (phase->kind == GPU_PHASE_COPY && gpu_stage_starts_late(s, phase)) {
        s->late_exists = condition;
        gpu_stage_copy(s, phase);
        if (!s->pipeline->starts)
            return;
        gpu_stage_start_late(s, s->late.count);
        gpu_stage_mark_copies(s, -1);
        s->late_exists = NULL;
        return;
    }
    if (condition)
        gpu_stage_if(s, condition, s->form->fed ? 0 : kinds[phase->kind], bodies[phase->kind],
                     phase);
    else
        bodies[phase->kind](s, phase);
    if (phase->kind == GPU_PHASE_COMPUTE)
        gpu_stage_start_late(s, s->late.count);
    if (phase->kind == GPU_PHASE_COPY || (phase->kind == GPU_PHASE_COMPUTE && s->late_exists))
        gpu_stage_mark_copies(s, -1);
    if (phase->kind == GPU_PHASE_FETCH && phase->region == GPU_STEADY)
        gpu_stage_multiply_loaded(s, 0, &s->last);
}

static void emit_phases(struct stage *s, enum gpu_pipeline_region region)
{
    for (int i = 0; i < s->pipeline->phase_count; i++) {
        if (s->pipeline->phases[i].region == region)
            emit_phase(s, &s->pipeline->phases[i]);
    }
}

static void emit_steady(struct stage *s)
{
    struct lowering *l = s->l;
    struct gpu_value_list list = {0};
    ARENA_PUSH(l->arena, &list, s->low);
    int left = s->pipeline->guarded ? 0 : s->pipeline->stages - 1; /* trips for the drain */
    ARENA_PUSH(l->arena, &list, below_high(s, left * s->width));
    ARENA_PUSH(l->arena, &list, s->step);
    gpu_stage_collect(s, &list, STAGE_ALL);
    int count = (int)list.count - 3;
    struct ir_type *types = gpu_stage_types(s, &list);
    struct ir_op *loop =
        ir_build(&l->b, IR_OP_FOR, (int)list.count, list.items, count, types + 3, 1, NULL);
    struct ir_region *body = loop->regions[0];
    struct ir_builder outside = l->b;
    s->trip = ir_region_add_argument(l->b.func, body, ir_scalar(IR_I64),
                                     s->loop->regions[0]->arguments[0]->name);
    for (int i = 0; i < count; i++)
        ir_region_add_argument(l->b.func, body, types[3 + i], list.items[3 + i]->name);
    l->b.region = body;
    l->b.before = NULL;
    gpu_stage_replace(s, body->arguments + 1, STAGE_ALL);
    l->loop_depth++;
    emit_phases(s, GPU_STEADY);
    l->loop_depth--;
    gpu_stage_yield(s, STAGE_ALL);
    l->b = outside;
    gpu_stage_replace(s, loop->results, STAGE_ALL);
}

static void emit_trips(struct stage *s, const void *user)
{
    (void)user;
    gpu_stage_keep_operands(s);
    emit_phases(s, GPU_PROLOGUE);
    emit_steady(s);
    emit_phases(s, GPU_DRAIN);
}

/* ---- in front of the loop, and behind it ----------------------------------------------------- */

/* Slots of loops that come one after the other are the same memory: the drain leaves them free. */
static struct ir_value *slot_of(struct lowering *l, const struct gpu_buffer *buffer, int number)
{
    const char *name = arena_format(l->arena, "%s_%d", buffer->name, number);
    struct ir_value *slot =
        gpu_staging(l, name, buffer->elem, gpu_buffer_elements(buffer), gpu_buffer_padding(buffer));
    struct ir_attributes *attributes = &slot->op->attributes;
    attributes->aligned = attributes->aligned || buffer->panel > 0;
    return slot;
}

static void set_up(struct stage *s)
{
    struct lowering *l = s->l;
    const struct plan_dot_loop *form = &s->form->form;
    for (int d = 0; d < form->count; d++) {
        s->products[d] = gpu_product_of(l, form->dots[d].op);
        for (int side = 0; side < 2; side++) {
            if (s->form->fed && !s->form->loads[d][side])
                continue;
            s->operands[d][side].buffer = gpu_stage_buffer(s, d, side);
            s->operands[d][side].value = form->dots[d].op->operands[side];
            s->operands[d][side].copied = s->operands[d][side].buffer;
            s->operands[d][side].load =
                s->form->fed ? s->form->loads[d][side]
                             : gpu_operand_load(s->loop, form, s->operands[d][side].value);
        }
    }
    s->low = gpu_scalar(s->loop->operands[0]);
    s->high = gpu_scalar(s->loop->operands[1]);
    s->step = gpu_scalar(s->loop->operands[2]);
    ir_constant_int(s->loop->operands[2], &s->width);
    for (int k = 0; k < s->loop->result_count; k++) {
        const struct ir_value *argument = s->loop->regions[0]->arguments[1 + k];
        if (!plan_is_sum(form, k))
            gpu_push_lowered(l, &s->carried, s->loop->operands[3 + k],
                             argument->type.rank > 0 ? &gpu_home(argument)->layout : NULL);
    }
}

static void start_sums(struct stage *s)
{
    const struct plan_dot_loop *form = &s->form->form;
    for (int d = 0; !s->form->fed && d < form->count; d++) {
        const struct gpu_dot *dot = s->products[d].dot;
        if (d > 0 && form->dots[d].carried == form->dots[d - 1].carried) {
            s->sums[d] = s->sums[d - 1];
            continue;
        }
        const struct ir_value *start = s->loop->operands[3 + form->dots[d].carried];
        struct gpu_tile tile = *gpu_tile(s->l, start, &dot->c);
        struct ir_value *const *parts = tile.parts;
        gpu_new_parts(s->l, &tile);
        for (int i = 0; i < tile.count; i++)
            tile.parts[i] = parts[i];
        if (gpu_stage_split(s, d) > 1)
            gpu_split_start(s->l, &tile, gpu_stage_split(s, d));
        s->sums[d] = gpu_pack_fragments(s->l, &dot->instruction->c, &tile);
    }
}

static void finish(struct stage *s)
{
    const struct plan_dot_loop *form = &s->form->form;
    struct ir_value *const *next = s->carried.items;
    for (int k = 0; k < s->loop->result_count; k++) {
        struct ir_value *result = s->loop->results[k];
        if (!plan_is_sum(form, k))
            next = gpu_bind(s->l, result, next);
    }
    for (int d = 0; !s->form->fed && d < form->count; d++) {
        const struct gpu_product *p = &s->products[d];
        struct gpu_tile *tile = gpu_home(s->loop->results[form->dots[d].carried]);
        if (d > 0 && s->sums[d] == s->sums[d - 1])
            continue;
        if (gpu_stage_split(s, d) == 1) {
            gpu_unpack_fragments(s->l, tile, s->sums[d], p->rows * p->columns);
            continue;
        }
        struct gpu_tile partial = {.layout = p->dot->c,
                                   .width = gpu_layout_width(&p->dot->c, s->l->plan)};
        partial.count = (1 << partial.layout.register_bits) / partial.width;
        gpu_new_parts(s->l, &partial);
        gpu_unpack_fragments(s->l, &partial, s->sums[d], p->rows * p->columns);
        gpu_split_sum(s->l, &partial, tile, s->loop->results[form->dots[d].carried]->type,
                      gpu_stage_split(s, d));
    }
}

void gpu_stage_loop(struct lowering *l, const struct ir_op *op)
{
    struct stage s = {
        .l = l, .loop = op, .form = op->data, .pipeline = ARENA_NEW(l->arena, struct gpu_pipeline)};
    set_up(&s);
    if (!gpu_stage_make_pipeline(&s)) {
        l->failed = true;
        return;
    }
    gpu_note_loop(l, op);
    /* Fetches read the slots behind the last trip, too. */
    if (l->fetches_late || (s.pipeline->fetches && l->loop_depth > 0))
        gpu_barrier(l, IR_SCOPE_THREADGROUP);
    l->fetches_late = l->fetches_late || s.pipeline->fetches;
    struct access_list before = gpu_save_pending(l);
    for (int b = 0; b < s.pipeline->buffer_count; b++) {
        for (int i = 0; i < gpu_buffer_slots(s.pipeline, &s.pipeline->buffers[b]); i++)
            s.slots[b][i] = slot_of(l, &s.pipeline->buffers[b], i);
    }
    start_sums(&s);
    gpu_stage_if(&s, has_trip(&s, 0), STAGE_SUMS | STAGE_CARRIED, emit_trips, NULL);
    l->pending = before;
    gpu_note_region(l, op->regions[0], op, false);
    finish(&s);
}
