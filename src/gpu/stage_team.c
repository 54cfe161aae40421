/*
 * Products of a staged loop (stage.c) that teams of SIMD groups make, of operands where they are
 * staged.
 *
 * A product goes on while the threads do other things (team.c): until they have waited for it
 * (GPU_PHASE_WAIT), its operands are read and its sums are nobody's, but that further products may
 * add to them.
 */
#include "gpu/stage.h"

bool gpu_stage_has_teams(const struct stage *s)
{
    bool some = false;
    for (int d = 0; d < s->form->form.count; d++)
        some = some || s->products[d].dot->instruction->team_bits > 0;
    return some;
}

static void mark(struct stage *s, enum gpu_opcode code)
{
    if (gpu_stage_has_teams(s))
        ir_build(&s->l->b, (enum ir_opcode)code, 0, NULL, 0, NULL, 0, NULL);
}

void gpu_stage_begin_products(struct stage *s)
{
    mark(s, GPU_OP_WARPGROUP_BEGIN);
}

void gpu_stage_end_products(struct stage *s)
{
    mark(s, GPU_OP_WARPGROUP_COMMIT);
}

void gpu_stage_start_products(struct stage *s, int d, int position)
{
    struct gpu_team_operand operands[2];
    for (int side = 0; side < 2; side++) {
        int number = s->operands[d][side].buffer;
        operands[side] = (struct gpu_team_operand){.buffer = &s->pipeline->buffers[number],
                                                   .slot = s->slots[number][position]};
    }
    gpu_start_products(s->l, &s->products[d], operands, s->sums[d]);
}

void gpu_stage_wait(struct stage *s, const struct gpu_phase *phase)
{
    struct ir_attributes attributes = {.number = phase->in_flight};
    struct gpu_value_list sums = {0};
    if (phase->in_flight == 0)
        gpu_stage_collect(s, &sums, STAGE_SUMS);
    const struct ir_op *op =
        ir_build(&s->l->b, (enum ir_opcode)GPU_OP_WARPGROUP_WAIT, (int)sums.count, sums.items,
                 (int)sums.count, gpu_stage_types(s, &sums), 0, &attributes);
    if (sums.count > 0)
        gpu_stage_replace(s, op->results, STAGE_SUMS);
}
