#ifndef TILEC_IR_FLOAT_RANGE_H
#define TILEC_IR_FLOAT_RANGE_H
/* Between which numbers the elements of a floating value lie. */
#include "ir/ir.h"

/* Every element e is a NaN, which only one that says so may be, or least <= e <= most. */
struct ir_float_range {
    double least, most; /* infinities among them */
    bool nan;
};

/* What can be said without executing anything; of floats of any element type. It holds where every
 * op rounds as the language says: not under relaxed math. */
struct ir_float_range ir_float_range(const struct ir_value *value);

#endif
