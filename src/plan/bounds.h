#ifndef TILEC_PLAN_BOUNDS_H
#define TILEC_PLAN_BOUNDS_H
/*
 * Ranges of a kernel's values as formulas, for bounds.c: bounds_range.c computes with them,
 * bounds_value.c finds them.
 *
 * A *variable* is what runs through values independently: a grid axis, a loop counter, an
 * arange along one axis of a tile (one arange may stand along both axes). For every integer value
 * we keep its least and largest value over all variables, both certainly reached, and enough to
 * know when that stays so:
 *   - a sum of two values that share a variable reaches the sum of their maxima only if both grow
 *     with it, or both shrink with it;
 *   - cutting a range off at a mask's bound leaves a value that is reached only if the values have
 *     no gaps (step 1), or if the bound does not cut.
 *
 * Formulas do not wrap around. In the host function a value's mark is the largest magnitude that it
 * can have (0: not known); where a sum or product may not fit 64 bits, both sides are first kept
 * within FARTHEST, which no buffer reaches. That turns no address that is inside of a buffer into
 * one that is not: both ends go to 0, not beyond it.
 */
#include "plan/plan.h"

#define FARTHEST ((INT64_C(1) << 62) - 1)

enum { MAX_CUTS = 8, MAX_VARIABLES = 64, MAX_LOOPS = 16 };

struct range {
    bool known;
    int root;                   /* pointers: the parameter that it is an offset from; else -1 */
    struct ir_value *lo, *hi;   /* i64; offsets for a pointer */
    struct ir_value *condition; /* holds when all this is true; NULL: always */
    uint64_t variables;         /* that it depends on; 0: one value, lo == hi */
    uint64_t up, down;          /* variables that it does not shrink or grow with */
    int64_t step;               /* distance of neighbouring values; 0 unknown */
    int64_t run; /* at least that many values without gap occur together; 0 unknown */
};

/* Where the axes of a value lie in a value of another shape; -1: nowhere. */
struct axes {
    int8_t to[IR_MAX_RANK];
};

/* A value that a mask restricts, with its restricted range. Its axes may not be those of the access
 * (the mask was reshaped), so its variables are also kept as the access knows them. */
struct cut {
    const struct ir_value *value;
    struct range range;
    struct axes axes;
    uint64_t variables;
    bool used;
};

struct variable { /* an arange along an axis; arange NULL: a grid axis or a loop counter */
    const struct ir_op *arange;
    int axis;
};

struct loop { /* a for that the walk is in */
    const struct ir_value *counter;
    struct range range;
};

struct bounds {
    const struct ir_func *kernel;
    struct arena *arena;
    struct ir_builder builder; /* in the host function */
    struct ir_value **scalars; /* per parameter of the kernel: i64, or NULL */
    struct ir_value *grid[3];
    struct range program_ids[3];
    struct ir_value **needed; /* per parameter: so far, or NULL */
    struct ir_value *zero, *one;
    int variable_count, access_count;
    struct variable variables[MAX_VARIABLES];
    int loop_count;
    struct loop loops[MAX_LOOPS];
    struct ir_value *reached; /* condition under which the current region runs; NULL: surely */
    int cut_count;
    struct cut cuts[MAX_CUTS];
    int64_t epoch; /* of the memo in ir_value.mark and .data; another per access */
    int depth;
};

/* ---- formulas (bounds_range.c) --------------------------------------------------------------- */

struct ir_value *bounds_binary(struct bounds *b, enum ir_opcode code, struct ir_value *x,
                               struct ir_value *y);
int64_t bounds_magnitude(const struct ir_value *value);
struct ir_value *bounds_of_magnitude(struct ir_value *value, int64_t most); /* the value, marked */
struct ir_value *bounds_add(struct bounds *b, struct ir_value *x, struct ir_value *y);
struct ir_value *bounds_sub(struct bounds *b, struct ir_value *x, struct ir_value *y);
struct ir_value *bounds_mul(struct bounds *b, struct ir_value *x, struct ir_value *y);
struct ir_value *bounds_least(struct bounds *b, struct ir_value *x, struct ir_value *y);
struct ir_value *bounds_greatest(struct bounds *b, struct ir_value *x, struct ir_value *y);
/* Conditions, of which NULL is one that always holds. */
struct ir_value *bounds_both(struct bounds *b, struct ir_value *x, struct ir_value *y);
void bounds_require(struct bounds *b, struct range *range, struct ir_value *condition);

/* ---- ranges (bounds_range.c) ----------------------------------------------------------------- */

static const struct range unknown = {.root = -1};

struct range bounds_single(struct ir_value *value);
struct range bounds_constant(struct bounds *b, int64_t value);
/* The bit of a variable; 0 when there are too many. */
uint64_t bounds_variable_bit(struct bounds *b, const struct ir_op *arange, int axis);
/* What takes all values lo, lo + step, ..., hi with one variable. */
struct range bounds_running(uint64_t bit, struct ir_value *lo, struct ir_value *hi, int64_t step,
                            int64_t run);
/* What takes all values begin, begin + 1, ..., end - 1 with one variable. */
struct range bounds_counting(struct bounds *b, uint64_t bit, int64_t begin, int64_t end);
/* The same variables along other axes; false when one has no place there. */
bool bounds_move_bits(struct bounds *b, uint64_t *bits, const struct axes *axes);
struct range bounds_moved(struct bounds *b, struct range x, const struct axes *axes);
struct range bounds_negated(struct bounds *b, struct range x);
struct range bounds_sum(struct bounds *b, struct range x, struct range y);
/* x times one value; for a value that is only known to the launch, if that is not negative. */
struct range bounds_scaled(struct bounds *b, struct range x, struct range factor);
struct range bounds_product(struct bounds *b, struct range x, struct range y);
/* Functions that grow with x, given one value y: the ends go to the ends. */
struct range bounds_monotone(struct bounds *b, enum ir_opcode code, struct range x, struct range y);
struct range bounds_least_or_greatest(struct bounds *b, enum ir_opcode code, struct range x,
                                      struct range y);
/* x % m: all of 0 .. m - 1 if x has no gaps and starts at 0 or earlier and does not go below. */
struct range bounds_remainder(struct bounds *b, struct range x, struct range m);

/* ---- values of the kernel (bounds_value.c) --------------------------------------------------- */

/* The value that is repeated along axes, if any. */
static inline const struct ir_value *strip(const struct ir_value *value)
{
    while (value->op &&
           (value->op->code == IR_OP_BROADCAST || value->op->code == IR_OP_CONVERT_LAYOUT))
        value = value->op->operands[0];
    return value;
}

/* Where the axes of op's operand are in its result. Axes of one element do not matter. */
struct axes bounds_axes(const struct ir_op *op);
struct range bounds_range(struct bounds *b, const struct ir_value *value);

#endif
