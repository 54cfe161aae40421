/*
 * Arithmetic of bytes in 16 bits.
 *
 *     int a = load(X + i), b = load(X + i + 1);      bytes, which C promotes to int
 *     store(Out + i, (3 * a + b + 2) / 4)            and cuts again
 *
 * A vector has room for twice as many 16-bit integers as for ints. What is cut to 16 bits or less
 * needs no more of the sums, differences and products it is made of: their low bits depend on low
 * bits alone. Divisions, shifts to the right, minima and the like do need all bits of their
 * operands; they are done in 16 bits where ranges (ir/affine.h) prove that the operands have no
 * more, as signed or as unsigned numbers. Either way results are the same, bit for bit.
 *
 * Blur of 3 by 3 bytes on Zen 3: docs/benchmarks-kernels.md.
 */
#include "cpu/along.h"
#include "cpu/small.h"
#include "ir/affine.h"

enum { BUDGET = 128 };

static bool is_small(struct ir_type type)
{
    return !type.pointer && ir_is_integer((enum ir_elem)type.elem) &&
           ir_elems[type.elem].bits <= 16 && type.elem != IR_BOOL;
}

static bool is_int(struct ir_type type)
{
    return !type.pointer && (type.elem == IR_I32 || type.elem == IR_U32);
}

/* Whether all values fit in 16 bits, as signed numbers or as unsigned ones. */
static bool fits(const struct ir_value *v, bool is_signed)
{
    struct ir_interval range = ir_range(v);
    return is_signed ? range.least >= INT16_MIN && range.most <= INT16_MAX
                     : range.least >= 0 && range.most <= UINT16_MAX;
}

static bool operands_fit(const struct ir_op *op, bool is_signed)
{
    for (int i = op->code == IR_OP_SELECT; i < op->operand_count; i++) {
        if (!fits(op->operands[i], is_signed))
            return false;
    }
    return true;
}

static bool is_shift(const struct ir_op *op, int64_t *count)
{
    return (op->code == IR_OP_SHL || op->code == IR_OP_SHR) &&
           ir_constant_int(op->operands[1], count) && *count >= 0 && *count < 16;
}

/* Whether the op's low 16 bits can be made of those of its operands. */
static bool op_is_small(const struct ir_op *op)
{
    int64_t count;
    switch (op->code) {
    case IR_OP_ADD:
    case IR_OP_SUB:
    case IR_OP_MUL:
    case IR_OP_NEG:
    case IR_OP_AND:
    case IR_OP_OR:
    case IR_OP_XOR:
    case IR_OP_SELECT:
        return true;
    case IR_OP_SHL:
        return is_shift(op, &count);
    case IR_OP_SHR:
        return is_shift(op, &count) &&
               (fits(op->operands[0], true) || fits(op->operands[0], false));
    case IR_OP_DIV:
        return ir_constant_int(op->operands[1], &count) && count > 0 &&
               (operands_fit(op, true) || operands_fit(op, false));
    case IR_OP_MAXIMUM:
    case IR_OP_MINIMUM:
        return operands_fit(op, true) || operands_fit(op, false);
    case IR_OP_ABS:
        return operands_fit(op, true);
    default:
        return false;
    }
}

/* Whether the result's elements are the operand's, or have the same bits. */
static bool keeps_bits(const struct ir_op *op)
{
    return cpu_moves_elements(op) || (op->code == IR_OP_CAST && is_int(op->operands[0]->type));
}

/* Counts ops of ints that would be done in 16 bits; false: something has to stay an int. */
static bool collect(struct cpu_emit *e, const struct ir_value *v, int *budget, int *ops)
{
    const struct ir_op *op = v->op;
    const struct cpu_value *value = cpu_value_of(e, v);
    if (v->type.rank == 0 || cpu_is_uniform(e, v))
        return true;
    if (!op || value->buffer || !is_int(v->type) || --*budget <= 0)
        return false;
    if (op->code == IR_OP_CAST && is_small(op->operands[0]->type))
        return true;
    if (keeps_bits(op))
        return collect(e, op->operands[0], budget, ops);
    if (!op_is_small(op))
        return false;
    ++*ops;
    for (int i = op->code == IR_OP_SELECT; i < op->operand_count; i++) {
        if (!collect(e, op->operands[i], budget, ops))
            return false;
    }
    return true;
}

bool cpu_is_small(struct cpu_emit *e, const struct ir_op *cast)
{
    int budget = BUDGET, ops = 0;
    struct cpu_value *value = cpu_value_of(e, cast->results[0]);
    if (cast->code != IR_OP_CAST || cast->results[0]->type.rank == 0 ||
        !is_small(cast->results[0]->type) || !is_int(cast->operands[0]->type))
        return false;
    if (!value->small_known) {
        value->small_known = true;
        value->small = collect(e, cast->operands[0], &budget, &ops) && ops > 0;
    }
    return value->small;
}

bool cpu_is_of_shorts(struct cpu_emit *e, const struct ir_value *v)
{
    int budget = BUDGET, ops = 0;
    return is_int(v->type) && fits(v, true) && collect(e, v, &budget, &ops);
}

/* ---- as code --------------------------------------------------------------------------------- */

static struct cpu_element small_of(struct cpu_emit *e, const struct ir_value *v,
                                   const struct cpu_position *p);

/* The low 16 bits of what is there as it is. */
static struct cpu_element cut(struct cpu_emit *e, const struct ir_value *v,
                              const struct cpu_position *p)
{
    struct cpu_element element = cpu_element_of(e, v, p);
    enum ir_elem to = ir_is_signed((enum ir_elem)v->type.elem) ? IR_I16 : IR_U16;
    element.v = cpu_convert(&e->math, element.v, (enum ir_elem)v->type.elem, to);
    return element;
}

static LLVMValueRef apply(struct cpu_emit *e, const struct ir_op *op, LLVMValueRef *v)
{
    bool is_unsigned = operands_fit(op, false);
    switch (op->code) {
    case IR_OP_SHL:
        return LLVMBuildShl(e->builder, v[0], v[1], "");
    case IR_OP_SHR:
        return is_unsigned ? LLVMBuildLShr(e->builder, v[0], v[1], "")
                           : LLVMBuildAShr(e->builder, v[0], v[1], "");
    case IR_OP_DIV:
        return is_unsigned ? LLVMBuildUDiv(e->builder, v[0], v[1], "")
                           : LLVMBuildSDiv(e->builder, v[0], v[1], "");
    case IR_OP_ABS:
        return cpu_magnitude(e, v[0]);
    case IR_OP_MAXIMUM:
    case IR_OP_MINIMUM:
        return cpu_minmax(&e->math, op->code == IR_OP_MAXIMUM ? CPU_MAXIMUM : CPU_MINIMUM,
                          is_unsigned ? IR_U16 : IR_I16, v[0], v[1]);
    default: /* low bits of the result hang on low bits alone: the same at any width */
        return cpu_elementwise(e, op, v);
    }
}

static struct cpu_element make(struct cpu_emit *e, const struct ir_value *v,
                               const struct cpu_position *p)
{
    const struct ir_op *op = v->op;
    if (v->type.rank == 0 || cpu_is_uniform(e, v))
        return cut(e, v, p);
    if (keeps_bits(op)) {
        struct cpu_position q = op->code == IR_OP_CAST ? *p : cpu_operand_position(e, op, p);
        return small_of(e, op->operands[0], &q);
    }
    if (op->code == IR_OP_CAST) {
        struct cpu_element element = cpu_element_of(e, op->operands[0], p);
        enum ir_elem from = (enum ir_elem)op->operands[0]->type.elem;
        element.v = cpu_convert(&e->math, element.v, from, ir_is_signed(from) ? IR_I16 : IR_U16);
        return element;
    }
    struct cpu_element in[3] = {{0}};
    LLVMValueRef values[3];
    bool vector = false;
    const struct ir_value *chosen = cpu_chosen(e, op, p);
    if (chosen)
        return small_of(e, chosen, p);
    for (int i = 0; i < op->operand_count; i++) {
        bool condition = op->code == IR_OP_SELECT && i == 0;
        in[i] = condition ? cpu_element_of(e, op->operands[i], p) : small_of(e, op->operands[i], p);
        vector = vector || in[i].vector;
    }
    for (int i = 0; i < op->operand_count; i++)
        values[i] = vector ? cpu_spread(e, in[i]) : in[i].v;
    return (struct cpu_element){apply(e, op, values), vector};
}

static struct cpu_element small_of(struct cpu_emit *e, const struct ir_value *v,
                                   const struct cpu_position *p)
{
    struct cpu_value *value = cpu_value_of(e, v);
    const struct cpu_element *made = cpu_memo_find(e, &value->shorts, p);
    return made ? *made : cpu_memo_keep(e, &value->shorts, p, make(e, v, p));
}

struct cpu_element cpu_small_element(struct cpu_emit *e, const struct ir_op *cast,
                                     const struct cpu_position *p)
{
    struct cpu_element element = small_of(e, cast->operands[0], p);
    enum ir_elem to = (enum ir_elem)cast->results[0]->type.elem;
    element.v = cpu_convert(&e->math, element.v, ir_is_signed(to) ? IR_I16 : IR_U16, to);
    return element;
}

struct cpu_element cpu_short_element(struct cpu_emit *e, const struct ir_value *v,
                                     const struct cpu_position *p)
{
    return small_of(e, v, p);
}
