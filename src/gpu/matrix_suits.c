/*
 * Who does a product, and how its operands come: by an instruction of each SIMD group or of a team
 * of four, staged in a pipeline, fed by copies in a loop that does more, or in registers.
 */
#include "gpu/marker.h"

#include "opt/pass.h"

const struct gpu_instruction *marker_instruction(const struct marker *m, const struct ir_op *dot)
{
    /* Vectors of as many sums as a lane multiplies at once are not everywhere. */
    int64_t sums =
        m->plan->target->vector_elements < 16 || m->plan->stages == 1
            ? 0
            : ir_element_count(dot->results[0]->type) * m->plan->split / m->plan->threads;
    return gpu_instruction_for(m->plan->backend, m->plan->relaxed, sums, dot->operands[0]->type,
                               dot->operands[1]->type, dot->results[0]->type, NULL);
}

bool marker_is_staged(const struct marker *m, struct ir_op *loop, struct plan_dot_loop *form)
{
    const struct ir_op *where;
    const char *why;
    if (m->plan->staging != GPU_STAGING_THREADGROUP || loop->code != IR_OP_FOR ||
        !plan_dot_loop(loop, form, &why, &where))
        return false;
    for (int i = 0; i < form->count; i++) {
        if (!marker_instruction(m, form->dots[i].op) || form->dots[i].added)
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

bool marker_is_fed(struct marker *m, struct ir_op *loop, struct plan_fed_loop *form)
{
    struct plan_dot_loop sums;
    if (m->plan->staging != GPU_STAGING_THREADGROUP || m->plan->backend != GPU_BACKEND_MMA ||
        !m->schedule->async || marker_is_staged(m, loop, &sums) || !plan_fed_loop(loop, form))
        return false;
    int count = 0;
    for (int i = 0; i < form->count; i++) {
        struct plan_fed_dot dot = form->dots[i];
        const struct gpu_instruction *instruction = marker_instruction(m, dot.op);
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
bool marker_suits_teams(struct marker *m, struct ir_op *loop, const struct plan_dot_loop *form)
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
bool marker_is_kept(const struct ir_op *loop, const struct plan_fed_dot *dot)
{
    return !dot->loads[0] && pass_is_outside(dot->op->operands[0], loop);
}

/* Whether teams do a product of a loop that is fed: they read its right operand from a slot, and
 * the left one, too, or from registers where another product of the trip made it. (NVIDIA's
 * assembler, 13.0, keeps no left operand in registers from trip to trip: it writes others over it.)
 * And there are not too many sums of all such products. */
bool marker_is_fed_to_team(struct marker *m, const struct plan_fed_loop *form,
                           const struct ir_op *op)
{
    int64_t sums = 0;
    bool found = false;
    for (int i = 0; m->schedule->teams && i < form->count; i++) {
        const struct plan_fed_dot *dot = &form->dots[i];
        struct ir_type sum = dot->op->results[0]->type;
        if (!dot->loads[1] || !(dot->loads[0] || dot->chained || marker_is_kept(form->loop, dot)) ||
            !gpu_instruction_for_teams(m->plan, dot->op->operands[0]->type, sum))
            continue;
        sums += ir_element_count(sum) / m->plan->threads;
        found = found || dot->op == op;
    }
    return found && sums <= MOST_TEAM_SUMS;
}
