#ifndef TILEC_IR_EVAL_BITS_H
#define TILEC_IR_EVAL_BITS_H
/* The bits of elements and C's types, for eval.c and eval_convert.c. */
#include "base/half.h"
#include "ir/type.h"

#include <math.h>
#include <string.h>

static inline int width_of(enum ir_elem elem)
{
    return elem == IR_BOOL ? 1 : ir_elems[elem].bits;
}

static inline uint64_t cut(uint64_t bits, int width)
{
    return bits << (64 - width) >> (64 - width);
}

static inline int64_t sign_extend(uint64_t bits, int width)
{
    return (int64_t)(bits << (64 - width)) >> (64 - width);
}

static inline float float_of(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return value;
}

static inline uint64_t bits_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t bits_of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* value of a floating-point element; exact */
static inline double real_of(uint64_t bits, enum ir_elem elem)
{
    if (elem == IR_F32)
        return (double)float_of(bits);
    if (elem == IR_F64)
        return double_of(bits);
    return (double)(elem == IR_F16 ? half_to_float((uint16_t)bits)
                                   : bfloat_to_float((uint16_t)bits));
}

/* value rounded once to a floating-point element */
static inline uint64_t bits_of_real(double value, enum ir_elem elem)
{
    if (elem == IR_F32)
        return bits_of_float((float)value);
    if (elem == IR_F64)
        return bits_of_double(value);
    return elem == IR_F16 ? half_from_double(value) : bfloat_from_double(value);
}

/* As bits_of_real; a NaN becomes the one that stands for all. */
static inline uint64_t bits_of_result(double value, enum ir_elem elem)
{
    return bits_of_real(isnan(value) ? (double)NAN : value, elem);
}

static inline uint64_t sign_bit(int width)
{
    return UINT64_C(1) << (width - 1);
}

static inline uint64_t infinity_bits(enum ir_elem elem)
{
    return bits_of_real((double)INFINITY, elem);
}

#endif
