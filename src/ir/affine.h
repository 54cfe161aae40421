#ifndef TILEC_IR_AFFINE_H
#define TILEC_IR_AFFINE_H
/*
 * Indices as affine forms: what an integer value is, element by element.
 *
 *   element [k0, k1, ...]  =  sum of factor * scalar  +  constant  +  axis[0] * k0 + axis[1] * k1
 * ...
 *
 * The scalars are values of the function (a parameter, a loop's counter). A form is exact: it is
 * given only where ranges prove that the two's complement arithmetic of the value, and of every
 * value on the way to it, does not wrap.
 */
#include "ir/ir.h"

enum { IR_AFFINE_TERMS = 8 };

/* Every element e of a value has least <= e <= most. */
struct ir_interval {
    int64_t least, most;
};

struct ir_affine {
    int term_count;
    struct {
        const struct ir_value *value; /* a scalar */
        int64_t factor;               /* not 0 */
    } terms[IR_AFFINE_TERMS];
    int64_t constant;
    int64_t axis[IR_MAX_RANK]; /* 0 along an axis of size 1 */
    struct ir_interval range;  /* of all elements */
};

/* What a caller knows beyond the IR: that a value lies in an interval. Optional (NULL). */
struct ir_assumption {
    const struct ir_value *value;
    struct ir_interval range;
};

/* What can be said without executing anything. program_id counts as below 2^47: a launch with more
 * programs would not end. For elements that are no integers: 0 to 1 for bool, else everything. */
struct ir_interval ir_range(const struct ir_value *value);

/* False when the value is no integer, or a tile that is not affine. A scalar always has a form, if
 * only itself. */
bool ir_affine_of(const struct ir_value *value, const struct ir_assumption *assumption,
                  struct ir_affine *form);

/* a - b; false when a factor or the number of terms overflows. The range is saturated. */
bool ir_affine_subtract(const struct ir_affine *a, const struct ir_affine *b, struct ir_type shape,
                        const struct ir_assumption *assumption, struct ir_affine *difference);

/* Counts the most that the axes of a shape can add into the constant; the form has no axes then.
 * False where that is too large for 64 bits. */
bool ir_affine_most_of_axes(struct ir_affine *form, struct ir_type shape);

/* The factor of a value, or 0. */
int64_t ir_affine_factor(const struct ir_affine *form, const struct ir_value *value);

#endif
