/*
 * Turns of a staged loop's operands (stage.c, turn.c), in slices between products.
 */
#include "gpu/stage.h"

static struct ir_value *slot_at(struct stage *s, int buffer, uint16_t positions)
{
    return s->slots[buffer][__builtin_ctz(positions)];
}

void gpu_stage_begin_turns(struct stage *s, const struct gpu_phase *phase, struct ir_value *exists)
{
    const struct gpu_pipeline *p = s->pipeline;
    for (int b = 0; b < p->buffer_count; b++) {
        const struct gpu_buffer *from = &p->buffers[b];
        if (!phase->reads[b])
            continue;
        struct gpu_turn *turn = &s->turns[s->turn_count++];
        *turn = gpu_turn_of(s->l, from, &p->buffers[from->turned]);
        turn->source = slot_at(s, b, phase->reads[b]);
        turn->target = slot_at(s, from->turned, phase->writes[from->turned]);
        if (exists)
            turn->source = ir_ternary(&s->l->b, IR_OP_SELECT, exists, turn->source,
                                      slot_at(s, b, phase->instead[b]));
    }
}

int gpu_stage_slices(const struct stage *s)
{
    int slices = 0;
    for (int i = 0; i < s->turn_count; i++)
        slices += s->turns[i].slices;
    return slices;
}

static void move_slice(struct stage *s, int slice, bool store, struct ir_value **elements)
{
    const struct gpu_turn *turn = s->turns;
    while (slice >= turn->slices)
        slice -= turn++->slices;
    if (store)
        gpu_turn_store(s->l, turn, slice, elements);
    else
        gpu_turn_load(s->l, turn, slice, elements);
}

void gpu_stage_end_turns(struct stage *s)
{
    struct ir_value *elements[STAGE_SLICE];
    for (int i = 0; i < gpu_stage_slices(s); i++) {
        move_slice(s, i, false, elements);
        move_slice(s, i, true, elements);
    }
    s->turn_count = 0;
}

/* In gap number `gap` between products: slices are read in as many gaps as there are but the last,
 * and written in the gap behind. */
void gpu_stage_turn_between(struct stage *s, int gap, int gaps, struct ir_value **elements)
{
    int slices = gpu_stage_slices(s);
    for (int i = 0; i < slices; i++) {
        if (gap > 0 && i * (gaps - 1) / slices == gap - 1)
            move_slice(s, i, true, elements + i * STAGE_SLICE);
    }
    for (int i = 0; i < slices; i++) {
        if (i * (gaps - 1) / slices == gap)
            move_slice(s, i, false, elements + i * STAGE_SLICE);
    }
}
