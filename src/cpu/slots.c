/*
 * Scalars that one round of the loop over programs leaves to the next; see slots.h.
 */
#include "cpu/slots.h"
#include "cpu/spread.h"

#include <math.h>

static bool is_placed_within(struct cpu_emit *e, const struct ir_value *v)
{
    const struct ir_op *op = v->op;
    struct cpu_value *value = cpu_value_of(e, v);
    if (!op)
        return !v->region->parent; /* a parameter */
    if (value->visited[0] == e->epoch)
        return true;
    value->visited[0] = e->epoch;
    switch (op->code) {
    case IR_OP_CONSTANT:
    case IR_OP_ARANGE:
    case IR_OP_PROGRAM_ID:
    case IR_OP_NUM_PROGRAMS:
    case IR_OP_BROADCAST:
    case IR_OP_RESHAPE:
    case IR_OP_CONVERT_LAYOUT:
        break;
    default:
        if (!ir_has(op, IR_PURE | IR_ELEMENTWISE))
            return false;
    }
    for (int i = 0; i < op->operand_count; i++) {
        if (!is_placed_within(e, op->operands[i]))
            return false;
    }
    return true;
}

bool cpu_is_placed(struct cpu_emit *e, const struct ir_value *v)
{
    cpu_new_epoch(e);
    return is_placed_within(e, v);
}

/* Calls visit for every op of the steps whose results are scalars. */
static void each_scalar_op(struct cpu_emit *e, const struct cpu_slots *slots,
                           const struct cpu_schedule *s,
                           void (*visit)(struct cpu_emit *e, const struct cpu_slots *slots,
                                         const struct ir_op *op))
{
    for (size_t i = 0; i < slots->count; i++) {
        const struct cpu_step *step = &s->steps.items[i];
        if (step->kind == CPU_STEP_SCALAR)
            visit(e, slots, step->op);
        for (size_t k = 0; step->kind == CPU_STEP_GROUP && k < step->group->sinks.count; k++) {
            if (step->group->sinks.items[k].kind == CPU_SINK_REDUCE)
                visit(e, slots, step->group->sinks.items[k].op);
        }
    }
}

/* ---- the variables -------------------------------------------------------------------------- */

static void make_scalars(struct cpu_emit *e, const struct cpu_slots *slots, const struct ir_op *op)
{
    for (int i = 0; i < op->result_count; i++) {
        const struct ir_value *v = op->results[i];
        if (cpu_is_placed(e, v))
            continue;
        LLVMTypeRef type = cpu_register_type(e, v->type);
        slots->scalars[v->id] = cpu_alloca(e, type, "kept");
        LLVMBuildStore(e->builder, LLVMConstNull(type), slots->scalars[v->id]);
    }
}

static void make_spreads(struct cpu_emit *e, const struct cpu_slots *slots, const struct ir_op *op)
{
    if (op->code != IR_OP_MAX || op->attributes.bits != CPU_MAX_SPREAD)
        return;
    LLVMTypeRef f32 = LLVMFloatTypeInContext(e->context);
    LLVMValueRef *spread = slots->spreads[op->results[0]->id];
    for (int i = 0; i < 3; i++) {
        LLVMValueRef nothing = i ? cpu_i64(e, 0) : LLVMConstReal(f32, INFINITY);
        spread[i] = cpu_alloca(e, LLVMTypeOf(nothing), "spread");
        LLVMBuildStore(e->builder, nothing, spread[i]);
    }
}

void cpu_slots_make(struct cpu_emit *e, struct cpu_slots *slots, const struct cpu_schedule *s,
                    size_t count)
{
    size_t values = (size_t)e->value_count + 1;
    slots->scalars = ARENA_ARRAY(e->arena, LLVMValueRef, values);
    slots->spreads = arena_alloc(e->arena, values * sizeof *slots->spreads);
    slots->count = count;
    each_scalar_op(e, slots, s, make_scalars);
    each_scalar_op(e, slots, s, make_spreads);
}

/* ---- into them ------------------------------------------------------------------------------ */

static void put_scalars(struct cpu_emit *e, const struct cpu_slots *slots, const struct ir_op *op)
{
    for (int i = 0; i < op->result_count; i++) {
        const struct ir_value *v = op->results[i];
        if (slots->scalars[v->id])
            LLVMBuildStore(e->builder, cpu_value_of(e, v)->scalar, slots->scalars[v->id]);
    }
}

static const LLVMValueRef *spread_of(const struct cpu_slots *slots, const struct ir_op *op)
{
    const LLVMValueRef *spread = op->result_count ? slots->spreads[op->results[0]->id] : NULL;
    return spread && spread[0] ? spread : NULL;
}

static void put_spreads(struct cpu_emit *e, const struct cpu_slots *slots, const struct ir_op *op)
{
    const LLVMValueRef *spread = spread_of(slots, op);
    const struct cpu_value *value = spread ? cpu_value_of(e, op->results[0]) : NULL;
    if (!value || !value->spread)
        return;
    LLVMBuildStore(e->builder, value->spread, spread[0]);
    LLVMBuildStore(e->builder, value->spread_from, spread[1]);
    LLVMBuildStore(e->builder, value->spread_to, spread[2]);
}

void cpu_slots_put(struct cpu_emit *e, const struct cpu_slots *slots, const struct cpu_schedule *s)
{
    each_scalar_op(e, slots, s, put_scalars);
    each_scalar_op(e, slots, s, put_spreads);
}

/* ---- out of them ---------------------------------------------------------------------------- */

static void take_scalars(struct cpu_emit *e, const struct cpu_slots *slots, const struct ir_op *op)
{
    for (int i = 0; i < op->result_count; i++) {
        const struct ir_value *v = op->results[i];
        LLVMValueRef slot = slots->scalars[v->id];
        if (slot)
            cpu_value_of(e, v)->scalar =
                LLVMBuildLoad2(e->builder, cpu_register_type(e, v->type), slot, "");
        else if (i == 0)
            cpu_scalar_op(e, op);
    }
}

static void take_spreads(struct cpu_emit *e, const struct cpu_slots *slots, const struct ir_op *op)
{
    const LLVMValueRef *spread = spread_of(slots, op);
    if (!spread)
        return;
    struct cpu_value *value = cpu_value_of(e, op->results[0]);
    value->spread =
        LLVMBuildLoad2(e->builder, LLVMFloatTypeInContext(e->context), spread[0], "");
    value->spread_from = LLVMBuildLoad2(e->builder, e->i64, spread[1], "");
    value->spread_to = LLVMBuildLoad2(e->builder, e->i64, spread[2], "");
}

void cpu_slots_take(struct cpu_emit *e, const struct cpu_slots *slots, const struct cpu_schedule *s)
{
    each_scalar_op(e, slots, s, take_scalars);
    each_scalar_op(e, slots, s, take_spreads);
}
