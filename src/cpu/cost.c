/* Costs of ops. Only their order of magnitude matters: reloading and converting is cheap, an
 * exponential is not. */
#include "cpu/cost.h"
#include "cpu/along.h"
#include "cpu/lookup.h"
#include "cpu/pattern.h"

static bool is_small_float(struct ir_type type)
{
    return !type.pointer && (type.elem == IR_F16 || type.elem == IR_BF16);
}

/* Most masks hold in the interior of a nest and cost nothing there. */
bool cpu_is_bound(struct cpu_emit *e, const struct ir_value *mask)
{
    const struct ir_op *op = mask->op;
    if (op && (op->code == IR_OP_AND || op->code == IR_OP_OR))
        return cpu_is_bound(e, op->operands[0]) && cpu_is_bound(e, op->operands[1]);
    int64_t step;
    return op && op->code >= IR_OP_EQ && op->code <= IR_OP_GE &&
           cpu_may_step_along(e, op->operands[0], &step) &&
           cpu_may_step_along(e, op->operands[1], &step);
}

static int load_cost(struct cpu_emit *e, const struct ir_op *op)
{
    int mask = op->operand_count > 1 && op->code == IR_OP_LOAD && !cpu_is_bound(e, op->operands[1]);
    if (op->code == IR_OP_VIEW_LOAD)
        return 2;
    const struct cpu_affine *a = cpu_affine_of(e, op->operands[0]);
    int last = op->operands[0]->type.rank - 1;
    int64_t step = 0;
    if (last < 0)
        return 16;
    if (a->known && a->axis[last].kind != CPU_ZERO)
        step = a->axis[last].kind == CPU_CONSTANT ? a->axis[last].value : 2;
    else if (!a->known && !cpu_may_step_along(e, op->operands[0], &step))
        return cpu_may_have_pattern(e, op->operands[0]) ? 3 + mask : 16;
    return step == 0 || step == 1 ? 1 + mask : 16;
}

/* Widening once and keeping the result is faster than widening twice, while the wide tile and
 * another like it leave room in the first-level cache; where registers are split, from the second
 * level, too: RMSNorm of half on Zen 1, rows of 4096, 0.60 to 0.75 of a copy's speed. With AVX2,
 * bfloat in pairs (pairs.c) is widened as fast as the wide tile is loaded, and a tile that is kept
 * is not in pairs: RMSNorm of [256, 1024] on Zen 3 took 54 us with it kept, 47 without. */
static int widening_cost(struct cpu_emit *e, struct ir_type from, struct ir_type type)
{
    enum { MOST_KEPT = 8 << 10, MOST_SPLIT = 16 << 10 };
    int64_t most = e->level->features.split_avx2 ? MOST_SPLIT : MOST_KEPT;
    if (from.elem == IR_BF16 && e->level->features.avx2 && !e->level->features.avx512)
        return 2;
    return ir_element_count(type) * cpu_memory_bytes(type) <= most ? 4 : 2;
}

int cpu_op_cost(struct cpu_emit *e, const struct ir_op *op)
{
    struct ir_type type = op->result_count ? op->results[0]->type : op->operands[0]->type;
    int base = is_small_float(type) ? 3 : 1;
    if (ir_is_comparison(op->code))
        return cpu_is_bound(e, op->results[0]) ? 0 : 1;
    switch (op->code) {
    case IR_OP_CONSTANT:
    case IR_OP_ARANGE:
    case IR_OP_BROADCAST:
    case IR_OP_CONVERT_LAYOUT:
    case IR_OP_BITCAST:
        return 0;
    case IR_OP_LOAD:
    case IR_OP_VIEW_LOAD:
        return load_cost(e, op);
    case IR_OP_SELECT:
        return cpu_is_bound(e, op->operands[0]) ? 0 : base;
    case IR_OP_RESHAPE:
        return cpu_reshape_is_simple(op) ? 0 : 2;
    case IR_OP_LOOKUP:
        return cpu_lookup_cost(e, op);
    case IR_OP_TRANS:
    case IR_OP_GATHER:
        return 16;
    case IR_OP_DIV:
    case IR_OP_REM:
    case IR_OP_CDIV:
        return ir_is_float((enum ir_elem)type.elem) ? 6 : 24;
    case IR_OP_SQRT:
        return 6;
    case IR_OP_FMOD:
        return 16;
    case IR_OP_MAXIMUM:
    case IR_OP_MINIMUM:
    case IR_OP_FMAX:
    case IR_OP_FMIN:
        return ir_is_float((enum ir_elem)type.elem) ? 2 * base : 1;
    case IR_OP_CAST:
        return is_small_float(op->operands[0]->type) ? widening_cost(e, op->operands[0]->type, type)
                                                     : base;
    default:
        return ir_has(op, IR_APPROX) ? 16 : base;
    }
}

static int cost_within(struct cpu_emit *e, const struct ir_value *v, int limit)
{
    if (v->type.rank == 0)
        return 0;
    if (cpu_value_of(e, v)->buffer || !v->op)
        return 1;
    if (cpu_is_uniform(e, v))
        return 0;
    int64_t step;
    if (cpu_is_index(v->type) && (cpu_affine_of(e, v)->known || cpu_may_step_along(e, v, &step) ||
                                  cpu_may_have_pattern(e, v)))
        return 1;
    int cost = cpu_op_cost(e, v->op);
    /* an address that is affine, and a mask that bounds it, are scalars */
    for (int i = 0; i < v->op->operand_count && cost <= limit; i++) {
        const struct ir_value *operand = v->op->operands[i];
        if (cpu_affine_of(e, operand)->known)
            continue;
        cost += cost_within(e, operand, limit - cost);
    }
    return cost;
}

int cpu_cost(struct cpu_emit *e, const struct ir_value *v, int limit)
{
    return cost_within(e, v, limit);
}
