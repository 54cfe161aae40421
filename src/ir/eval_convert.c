/*
 * What casts make of an element, and the elements that reductions start with; see eval.h.
 */
#include "ir/eval.h"
#include "ir/eval_bits.h"

/* Truncates, saturates; NaN gives 0. The limits are compared as doubles: both are exact. */
static uint64_t integer_from_real(double value, enum ir_elem to)
{
    int width = width_of(to);
    if (isnan(value))
        return 0;
    if (ir_is_signed(to)) {
        double limit = ldexp(1.0, width - 1);
        if (value >= limit)
            return sign_bit(width) - 1;
        return value <= -limit ? sign_bit(width) : cut((uint64_t)(int64_t)value, width);
    }
    if (value >= ldexp(1.0, width))
        return cut(UINT64_MAX, width);
    return value <= 0 ? 0 : (uint64_t)value;
}

/* Rounds once, from all 64 bits. */
static uint64_t real_from_integer(uint64_t bits, bool is_signed, enum ir_elem to)
{
    int64_t value = (int64_t)bits;
    switch (to) {
    case IR_F16:
        return is_signed ? half_from_int64(value) : half_from_uint64(bits);
    case IR_BF16:
        return is_signed ? bfloat_from_int64(value) : bfloat_from_uint64(bits);
    case IR_F32:
        return bits_of_float(is_signed ? (float)value : (float)bits);
    default:
        return bits_of_double(is_signed ? (double)value : (double)bits);
    }
}

uint64_t ir_eval_cast(uint64_t bits, enum ir_elem from, enum ir_elem to)
{
    if (from == to)
        return bits;
    if (ir_is_float(from)) {
        double value = real_of(bits, from);
        if (to == IR_BOOL)
            return value != 0;
        return ir_is_float(to) ? bits_of_real(value, to) : integer_from_real(value, to);
    }
    if (to == IR_BOOL)
        return bits != 0;
    uint64_t wide = (uint64_t)ir_eval_to_int(bits, from);
    if (ir_is_float(to))
        return real_from_integer(wide, ir_is_signed(from), to);
    return cut(wide, width_of(to));
}

double ir_eval_to_double(uint64_t bits, enum ir_elem elem)
{
    if (ir_is_float(elem))
        return real_of(bits, elem);
    return ir_is_signed(elem) ? (double)ir_eval_to_int(bits, elem) : (double)bits;
}

uint64_t ir_eval_from_double(double value, enum ir_elem elem)
{
    return ir_eval_cast(bits_of_double(value), IR_F64, elem);
}

int64_t ir_eval_to_int(uint64_t bits, enum ir_elem elem)
{
    return ir_is_signed(elem) ? sign_extend(bits, width_of(elem)) : (int64_t)bits;
}

/* ---- reductions ----------------------------------------------------------------------------- */

static uint64_t lowest(enum ir_elem elem)
{
    if (ir_is_float(elem))
        return bits_of_real(-(double)INFINITY, elem);
    return ir_is_signed(elem) ? sign_bit(width_of(elem)) : 0;
}

static uint64_t highest(enum ir_elem elem)
{
    if (ir_is_float(elem))
        return infinity_bits(elem);
    int width = width_of(elem);
    return ir_is_signed(elem) ? sign_bit(width) - 1 : cut(UINT64_MAX, width);
}

enum ir_opcode ir_combining_op(enum ir_opcode code)
{
    switch ((int)code) {
    case IR_OP_SUM:
    case IR_OP_CUMSUM:
        return IR_OP_ADD;
    case IR_OP_PROD:
    case IR_OP_CUMPROD:
        return IR_OP_MUL;
    case IR_OP_MAX:
    case IR_OP_CUMMAX:
        return IR_OP_MAXIMUM;
    case IR_OP_MIN:
    case IR_OP_CUMMIN:
        return IR_OP_MINIMUM;
    case IR_OP_ANY:
        return IR_OP_OR;
    default:
        return IR_OP_AND;
    }
}

uint64_t ir_eval_before_first(enum ir_opcode code, enum ir_elem elem)
{
    bool is_zero = code == IR_OP_CUMSUM || code == IR_OP_SCAN;
    return is_zero ? 0 : ir_eval_identity(code, elem);
}

uint64_t ir_eval_identity(enum ir_opcode code, enum ir_elem elem)
{
    switch ((int)code) {
    case IR_OP_PROD:
    case IR_OP_CUMPROD:
        return ir_eval_from_double(1.0, elem);
    case IR_OP_MAX:
    case IR_OP_ARGMAX:
    case IR_OP_CUMMAX:
        return lowest(elem);
    case IR_OP_MIN:
    case IR_OP_ARGMIN:
    case IR_OP_CUMMIN:
        return highest(elem);
    case IR_OP_ALL:
        return 1;
    default: /* sum, cumsum, any: only -0.0 leaves every float as it is */
        return ir_is_float(elem) ? bits_of_real(-0.0, elem) : 0;
    }
}
