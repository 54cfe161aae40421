/*
 * Index arithmetic: which tiles are affine in the place of their elements.
 *
 * cpu_affine_of answers from the IR alone; cpu_linear_of makes the scalars. Both walk the same few
 * ops. Only 64-bit integers and pointers can be affine with a coefficient: narrower integers wrap,
 * and a wrapped sum widened again is not affine. A value that is the same for all elements is
 * affine with no coefficient, whatever its type.
 */
#include "cpu/emit.h"

/* ---- from the IR alone ---------------------------------------------------------------------- */

static const struct cpu_affine uniform = {.known = true};

static bool all_zero(const struct cpu_affine *a)
{
    for (int k = 0; k < IR_MAX_RANK; k++) {
        if (a->axis[k].kind != CPU_ZERO)
            return false;
    }
    return a->known;
}

bool cpu_is_index(struct ir_type type)
{
    return type.pointer || type.elem == IR_I64 || type.elem == IR_U64;
}

static void add_axis(struct cpu_affine *r, int k, const struct cpu_affine *b, int64_t sign)
{
    if (b->axis[k].kind == CPU_ZERO)
        return;
    if (r->axis[k].kind == CPU_RUNTIME || b->axis[k].kind == CPU_RUNTIME) {
        r->axis[k].kind = CPU_RUNTIME;
        return;
    }
    uint64_t sum = (uint64_t)r->axis[k].value + (uint64_t)sign * (uint64_t)b->axis[k].value;
    r->axis[k].value = (int64_t)sum;
    r->axis[k].kind = sum ? CPU_CONSTANT : CPU_ZERO;
}

static struct cpu_affine affine_sum(struct cpu_emit *e, const struct ir_op *op, int64_t sign)
{
    struct cpu_affine r = *cpu_affine_of(e, op->operands[0]);
    const struct cpu_affine *b = cpu_affine_of(e, op->operands[1]);
    r.known = r.known && b->known;
    for (int k = 0; k < IR_MAX_RANK && r.known; k++)
        add_axis(&r, k, b, sign);
    return r;
}

static struct cpu_affine affine_scaled(const struct cpu_affine *a, bool constant, int64_t factor)
{
    struct cpu_affine r = *a;
    for (int k = 0; k < IR_MAX_RANK; k++) {
        if (r.axis[k].kind == CPU_ZERO)
            continue;
        if (!constant || r.axis[k].kind == CPU_RUNTIME) {
            r.axis[k].kind = CPU_RUNTIME;
            continue;
        }
        r.axis[k].value = (int64_t)((uint64_t)r.axis[k].value * (uint64_t)factor);
        r.axis[k].kind = r.axis[k].value ? CPU_CONSTANT : CPU_ZERO;
    }
    return r;
}

static struct cpu_affine affine_product(struct cpu_emit *e, const struct ir_op *op)
{
    const struct cpu_affine *a = cpu_affine_of(e, op->operands[0]);
    const struct cpu_affine *b = cpu_affine_of(e, op->operands[1]);
    int64_t factor = 0;
    if (a->known && all_zero(b)) {
        bool constant = ir_constant_int(op->operands[1], &factor);
        return affine_scaled(a, constant, factor);
    }
    if (b->known && all_zero(a)) {
        bool constant = ir_constant_int(op->operands[0], &factor);
        return affine_scaled(b, constant, factor);
    }
    return (struct cpu_affine){0};
}

static struct cpu_affine affine_reshape(struct cpu_emit *e, const struct ir_op *op)
{
    struct ir_type from = op->operands[0]->type, to = op->results[0]->type;
    const struct cpu_affine *a = cpu_affine_of(e, op->operands[0]);
    struct cpu_affine r = {.known = a->known};
    if (!a->known || all_zero(a))
        return r;
    if (cpu_reshape_is_simple(op)) {
        int axes[IR_MAX_RANK];
        ir_reshape_axes(from, to, axes);
        for (int t = 0; t < to.rank; t++) {
            if (axes[t] >= 0)
                r.axis[t] = a->axis[axes[t]];
        }
        return r;
    }
    if (from.rank != 1)
        return (struct cpu_affine){0};
    int64_t stride = 1;
    for (int t = to.rank - 1; t >= 0; t--) {
        if (to.dims[t] > 1) {
            r.axis[t] = a->axis[0];
            r.axis[t].value = (int64_t)((uint64_t)r.axis[t].value * (uint64_t)stride);
        }
        stride *= to.dims[t];
    }
    return r;
}

static struct cpu_affine affine_moved(struct cpu_emit *e, const struct ir_op *op)
{
    const struct cpu_affine *a = cpu_affine_of(e, op->operands[0]);
    struct cpu_affine r = {.known = a->known};
    struct ir_type from = op->operands[0]->type;
    for (int k = 0; k < op->results[0]->type.rank && a->known && from.rank; k++) {
        if (op->code == IR_OP_TRANS)
            r.axis[k] = a->axis[op->attributes.permutation[k]];
        else if (from.dims[k] != 1)
            r.axis[k] = a->axis[k];
    }
    return r;
}

static bool operands_uniform(struct cpu_emit *e, const struct ir_op *op)
{
    if (!ir_has(op, IR_PURE | IR_ELEMENTWISE))
        return false;
    for (int i = 0; i < op->operand_count; i++) {
        if (!cpu_is_uniform(e, op->operands[i]))
            return false;
    }
    return true;
}

static struct cpu_affine affine_new(struct cpu_emit *e, const struct ir_value *v)
{
    const struct ir_op *op = v->op;
    if (v->type.rank == 0)
        return uniform;
    if (!op)
        return (struct cpu_affine){0};
    if (op->code == IR_OP_CONSTANT)
        return uniform;
    if (op->code == IR_OP_BROADCAST || op->code == IR_OP_TRANS)
        return affine_moved(e, op);
    if (op->code == IR_OP_RESHAPE)
        return affine_reshape(e, op);
    if (operands_uniform(e, op))
        return uniform;
    if (!cpu_is_index(v->type))
        return (struct cpu_affine){0};
    switch (op->code) {
    case IR_OP_ARANGE: {
        struct cpu_affine r = {.known = true};
        if (v->type.dims[0] > 1) {
            r.axis[0].kind = CPU_CONSTANT;
            r.axis[0].value = 1;
        }
        return r;
    }
    case IR_OP_ADD:
    case IR_OP_ADDPTR:
        return affine_sum(e, op, 1);
    case IR_OP_SUB:
        return affine_sum(e, op, -1);
    case IR_OP_NEG:
        return affine_scaled(cpu_affine_of(e, op->operands[0]), true, -1);
    case IR_OP_MUL:
        return affine_product(e, op);
    case IR_OP_CONVERT_LAYOUT:
        return *cpu_affine_of(e, op->operands[0]);
    default:
        return (struct cpu_affine){0};
    }
}

const struct cpu_affine *cpu_affine_of(struct cpu_emit *e, const struct ir_value *v)
{
    struct cpu_value *value = cpu_value_of(e, v);
    if (!value->affine_done) {
        value->affine = affine_new(e, v);
        value->affine_done = true;
    }
    return &value->affine;
}

bool cpu_is_uniform(struct cpu_emit *e, const struct ir_value *v)
{
    return all_zero(cpu_affine_of(e, v));
}

/* Constant coefficients in which each step is wider than all that lies inside it. */
bool cpu_is_injective(struct cpu_emit *e, const struct ir_value *v)
{
    const struct cpu_affine *a = cpu_affine_of(e, v);
    if (!a->known)
        return false;
    int64_t extent = 0;
    for (int k = v->type.rank - 1; k >= 0; k--) {
        if (v->type.dims[k] == 1)
            continue;
        int64_t step = a->axis[k].value;
        if (a->axis[k].kind != CPU_CONSTANT || step > INT32_MAX || step < -INT32_MAX)
            return false;
        step = step < 0 ? -step : step;
        if (step <= extent)
            return false;
        extent += step * (v->type.dims[k] - 1);
    }
    return true;
}

bool cpu_are_apart(struct cpu_emit *e, const struct ir_value *a, const struct ir_value *b)
{
    const struct ir_parameter *parameters = e->func->parameters;
    if (!a || !b || a == b)
        return false;
    if (parameters[a->index].is_restrict || parameters[b->index].is_restrict)
        return true;
    e->overlap_mattered = true;
    return e->no_overlap;
}

/* ---- as code -------------------------------------------------------------------------------- */

static struct cpu_linear linear_uniform(struct cpu_emit *e, const struct ir_value *v)
{
    struct cpu_position origin = {.rank = v->type.rank, .lane = -1};
    for (int k = 0; k < origin.rank; k++)
        origin.index[k] = cpu_i64(e, 0);
    LLVMValueRef scalar = cpu_element_of(e, v, &origin).v;
    struct cpu_linear r = {0};
    if (v->type.pointer)
        r.root = scalar;
    else
        r.base = scalar;
    return r;
}

static struct cpu_linear linear_sum(struct cpu_emit *e, const struct ir_op *op, bool subtract)
{
    struct cpu_linear r = cpu_linear_of(e, op->operands[0]);
    struct cpu_linear b = cpu_linear_of(e, op->operands[1]);
    LLVMValueRef *into[IR_MAX_RANK + 1] = {&r.base}, *from[IR_MAX_RANK + 1] = {&b.base};
    for (int k = 0; k < IR_MAX_RANK; k++) {
        into[k + 1] = &r.axis[k];
        from[k + 1] = &b.axis[k];
    }
    for (int k = 0; k <= IR_MAX_RANK; k++) {
        if (!*from[k])
            continue;
        LLVMValueRef term = subtract ? LLVMBuildNeg(e->builder, *from[k], "") : *from[k];
        *into[k] = cpu_add(e, *into[k], term);
    }
    return r;
}

static struct cpu_linear linear_scaled(struct cpu_emit *e, struct cpu_linear a, LLVMValueRef factor)
{
    a.base = cpu_mul(e, a.base, factor);
    for (int k = 0; k < IR_MAX_RANK; k++)
        a.axis[k] = cpu_mul(e, a.axis[k], factor);
    return a;
}

static struct cpu_linear linear_product(struct cpu_emit *e, const struct ir_op *op)
{
    int scalar = cpu_is_uniform(e, op->operands[1]) ? 1 : 0;
    struct cpu_linear factor = cpu_linear_of(e, op->operands[scalar]);
    struct cpu_linear a = cpu_linear_of(e, op->operands[1 - scalar]);
    return linear_scaled(e, a, factor.base ? factor.base : cpu_i64(e, 0));
}

static struct cpu_linear linear_reshape(struct cpu_emit *e, const struct ir_op *op)
{
    struct ir_type from = op->operands[0]->type, to = op->results[0]->type;
    struct cpu_linear a = cpu_linear_of(e, op->operands[0]);
    struct cpu_linear r = {.root = a.root, .base = a.base};
    int axes[IR_MAX_RANK];
    if (cpu_reshape_is_simple(op)) {
        ir_reshape_axes(from, to, axes);
        for (int t = 0; t < to.rank; t++)
            r.axis[t] = axes[t] < 0 ? NULL : a.axis[axes[t]];
        return r;
    }
    int64_t stride = 1;
    for (int t = to.rank - 1; t >= 0; t--) {
        r.axis[t] = to.dims[t] == 1 ? NULL : cpu_mul(e, a.axis[0], cpu_i64(e, stride));
        stride *= to.dims[t];
    }
    return r;
}

static struct cpu_linear linear_moved(struct cpu_emit *e, const struct ir_op *op)
{
    struct cpu_linear a = cpu_linear_of(e, op->operands[0]);
    struct cpu_linear r = {.root = a.root, .base = a.base};
    struct ir_type from = op->operands[0]->type;
    for (int k = 0; k < op->results[0]->type.rank && from.rank; k++) {
        if (op->code == IR_OP_TRANS)
            r.axis[k] = a.axis[op->attributes.permutation[k]];
        else if (from.dims[k] != 1)
            r.axis[k] = a.axis[k];
    }
    return r;
}

static struct cpu_linear linear_new(struct cpu_emit *e, const struct ir_value *v)
{
    const struct ir_op *op = v->op;
    if (v->type.rank == 0)
        return linear_uniform(e, v);
    switch (op->code) {
    case IR_OP_BROADCAST:
    case IR_OP_TRANS:
        return linear_moved(e, op);
    case IR_OP_RESHAPE:
        return linear_reshape(e, op);
    default:
        break;
    }
    if (cpu_is_uniform(e, v))
        return linear_uniform(e, v);
    switch (op->code) {
    case IR_OP_ARANGE: {
        struct cpu_linear r = {.base = cpu_i64(e, op->attributes.begin)};
        r.axis[0] = cpu_i64(e, 1);
        return r;
    }
    case IR_OP_ADD:
    case IR_OP_ADDPTR:
        return linear_sum(e, op, false);
    case IR_OP_SUB:
        return linear_sum(e, op, true);
    case IR_OP_NEG:
        return linear_scaled(e, cpu_linear_of(e, op->operands[0]), cpu_i64(e, -1));
    case IR_OP_MUL:
        return linear_product(e, op);
    default: /* convert_layout */
        return cpu_linear_of(e, op->operands[0]);
    }
}

struct cpu_linear cpu_linear_of(struct cpu_emit *e, const struct ir_value *v)
{
    struct cpu_value *value = cpu_value_of(e, v);
    if (value->linear_epoch != e->epoch) {
        value->linear = linear_new(e, v);
        value->linear_epoch = e->epoch;
    }
    return value->linear;
}
