/*
 * Roots of numbers that are known not to be subnormal.
 *
 *   %12 = fma %sum, %inverse, %eps          a sum of squares times a positive constant, and 1e-6
 *   %scale = rsqrt %12              ->      rsqrt_normal %12
 *
 * The instruction of a GPU takes subnormal numbers for 0, so that rsqrt costs a second root and a
 * choice. A lower bound of the operand shows where neither is needed: squares, magnitudes, roots
 * and exponentials are no less than 0, and sums, products and quotients of such are not either; a
 * constant that is added lifts the bound, as rounding is monotonic. NaN stays NaN on both ways.
 * What is looked at is Tile IR, where a sum over a tile is one op still. Scalars only: a row has
 * one root.
 */
#include "gpu/lower.h"

#include "ir/eval.h"

#include <math.h>

enum { MOST_DEPTH = 12 };

static double least_of(const struct ir_value *value, int depth);

/* The bound of a product: 0 or unknown. */
static double least_product(const struct ir_value *x, const struct ir_value *y, int depth)
{
    bool positive = x == y || (least_of(x, depth) >= 0 && least_of(y, depth) >= 0);
    return positive ? 0 : -INFINITY;
}

/* x + y, of which each is at least its bound: where one is not negative, the sum is no less than
 * the other's. */
static double least_sum(double x, double y)
{
    if (x >= 0 && y >= 0)
        return fmax(x, y);
    return x >= 0 ? y : y >= 0 ? x : -INFINITY;
}

/* A float that the value is not below, if it is no NaN; -INFINITY where nothing is known. */
static double least_of(const struct ir_value *value, int depth)
{
    const struct ir_op *op = value->op;
    uint64_t bits;
    if (value->type.elem != IR_F32 || value->type.pointer || depth > MOST_DEPTH)
        return -INFINITY;
    if (ir_constant_bits(value, &bits)) {
        double number = ir_eval_to_double(bits, IR_F32);
        return isnan(number) ? -INFINITY : number;
    }
    if (!op)
        return -INFINITY;
    struct ir_value *const *of = op->operands;
    depth++;
    switch (op->code) {
    case IR_OP_BROADCAST:
    case IR_OP_RESHAPE:
    case IR_OP_TRANS:
    case IR_OP_MAX:
    case IR_OP_MIN:
        return least_of(of[0], depth);
    case IR_OP_SUM:
        return least_of(of[0], depth) >= 0 ? 0 : -INFINITY;
    case IR_OP_ABS:
    case IR_OP_SQRT:
    case IR_OP_EXP:
    case IR_OP_EXP2:
        return 0;
    case IR_OP_ADD:
        return least_sum(least_of(of[0], depth), least_of(of[1], depth));
    case IR_OP_MUL:
        return least_product(of[0], of[1], depth);
    case IR_OP_FMA:
        return least_sum(least_product(of[0], of[1], depth), least_of(of[2], depth));
    case IR_OP_DIV: /* by 0 too: infinity; of a negative zero by a positive number: -0 */
        return least_of(of[0], depth) >= 0 && least_of(of[1], depth) > 0 ? 0 : -INFINITY;
    case IR_OP_SELECT:
        return fmin(least_of(of[1], depth), least_of(of[2], depth));
    case IR_OP_MAXIMUM:
        return fmax(least_of(of[0], depth), least_of(of[1], depth));
    case IR_OP_MINIMUM:
        return fmin(least_of(of[0], depth), least_of(of[1], depth));
    default:
        return -INFINITY;
    }
}

int gpu_scalar_opcode(const struct ir_op *op)
{
    bool root = op->code == IR_OP_RSQRT && op->results[0]->type.elem == IR_F32;
    return root && least_of(op->operands[0], 0) >= 0x1p-126 ? (int)GPU_OP_RSQRT_NORMAL
                                                            : (int)op->code;
}
