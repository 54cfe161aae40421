/*
 * How far another target may be off.
 *
 * Each element has an error e: whatever the other target computed in its place lies within e of our
 * value. 0 says bit for bit the same; infinity says nothing is known. Errors start where
 * language.md leaves freedom (approximate functions, the order of sums and products) and spread
 * through what is computed from there: to first order and with room for the rounding of both sides,
 * or over the whole interval where a function is monotone. A value whose interval straddles a
 * comparison, a conversion to integer or an index leads to "nothing is known".
 *
 * Sums and products of numbers that leave no room for rounding in any order (small integers,
 * mostly) are exact, so that a test on such data still compares bit for bit.
 */
#include "interp/machine.h"

#include <math.h>
#include <string.h>

#define UNKNOWN ((double)INFINITY)

/* Both sides are within their bound of the true value: 2 ULP for a target, 1 for us with the
 * rounding. 16-bit elements round a float that is far more accurate. */
enum { APPROXIMATE_ULPS = 3, APPROXIMATE_ULPS_16 = 2 };

/* ---- slots ---------------------------------------------------------------------------------- */

static void set_exact(struct slot *slot)
{
    slot->inexact = false;
}

void slot_set_unknown(struct slot *slot)
{
    slot->inexact = true;
    for (int64_t i = 0; i < slot->count; i++)
        slot->errors[i] = UNKNOWN;
}

void slot_set_error(struct slot *slot, int64_t i, double error)
{
    if (!slot->inexact)
        memset(slot->errors, 0, (size_t)slot->count * sizeof *slot->errors);
    slot->inexact = true;
    slot->errors[i] = error;
}

/* Notes whether any of the errors that were written counts. */
static void slot_settle(struct slot *slot)
{
    slot->inexact = false;
    for (int64_t i = 0; i < slot->count && !slot->inexact; i++)
        slot->inexact = slot->errors[i] != 0;
}

static double value_of(const struct slot *slot, int64_t i)
{
    return ir_eval_to_double(slot->bits[i], slot->elem);
}

/* ---- formats -------------------------------------------------------------------------------- */

static int precision_of(enum ir_elem elem)
{
    return elem == IR_F16 ? 11 : elem == IR_BF16 ? 8 : elem == IR_F32 ? 24 : 53;
}

static int least_exponent_of(enum ir_elem elem)
{
    return elem == IR_F16 ? -14 : elem == IR_F64 ? -1022 : -126;
}

static double greatest_of(enum ir_elem elem)
{
    int precision = precision_of(elem);
    int exponent = elem == IR_F16 ? 15 : elem == IR_F64 ? 1023 : 127;
    return ldexp(2.0 - ldexp(1.0, 1 - precision), exponent);
}

/* Distance of neighbours at a magnitude. */
static double ulp_of(enum ir_elem elem, double magnitude)
{
    int exponent = least_exponent_of(elem);
    if (magnitude > 0 && isfinite(magnitude) && ilogb(magnitude) > exponent)
        exponent = ilogb(magnitude);
    return ldexp(1.0, exponent - precision_of(elem) + 1);
}

/* ---- elementwise ---------------------------------------------------------------------------- */

/* One element of an elementwise op: values, errors, and what came out. */
struct element {
    enum ir_opcode code;
    enum ir_elem elem, result_elem; /* of the first operand and of the result */
    int operands;
    double x[3], e[3];
    double result;
};

static double call_in_double(enum ir_opcode code, double x, double y)
{
    const uint64_t operands[] = {ir_eval_from_double(x, IR_F64), ir_eval_from_double(y, IR_F64), 0};
    unsigned faults = 0;
    return ir_eval_to_double(ir_eval(code, IR_F64, IR_F64, operands, &faults), IR_F64);
}

/* Over the interval of the first operand, for functions that only rise or only fall. */
static double monotone_error(const struct element *t)
{
    double middle = call_in_double(t->code, t->x[0], 0);
    double above = fabs(call_in_double(t->code, t->x[0] + t->e[0], 0) - middle);
    double below = fabs(call_in_double(t->code, t->x[0] - t->e[0], 0) - middle);
    return isnan(above) || isnan(below) ? UNKNOWN : fmax(above, below);
}

/* Of two operands, for functions that rise or fall along each: the corners are the extremes. */
static double corners_error(const struct element *t)
{
    double middle = call_in_double(t->code, t->x[0], t->x[1]), worst = 0;
    for (int corner = 0; corner < 4; corner++) {
        double x = t->x[0] + (corner & 1 ? t->e[0] : -t->e[0]);
        double y = t->x[1] + (corner & 2 ? t->e[1] : -t->e[1]);
        double off = fabs(call_in_double(t->code, x, y) - middle);
        worst = isnan(off) ? UNKNOWN : fmax(worst, off);
    }
    return worst;
}

/* For a positive base. */
static double pow_error(const struct element *t)
{
    if (t->e[0] == 0 && t->e[1] == 0)
        return 0;
    if (t->x[0] <= t->e[0])
        return UNKNOWN;
    return corners_error(t);
}

/* An angle jumps where the point may cross the negative axis, or may be the origin. */
static double atan2_error(const struct element *t)
{
    if (t->e[0] == 0 && t->e[1] == 0)
        return 0;
    if (fabs(t->x[0]) <= t->e[0] && t->x[1] <= t->e[1])
        return UNKNOWN;
    return corners_error(t);
}

/* Rises from pole to pole. */
static double tan_error(const struct element *t)
{
    if (t->e[0] == 0)
        return 0;
    bool pole = t->e[0] >= 1.5 || cos(t->x[0] - t->e[0]) * cos(t->x[0] + t->e[0]) <= 0;
    return pole ? UNKNOWN : monotone_error(t);
}

/* As long as the quotient's whole part is the same. The factor is for what its lower end rounds. */
static double fmod_error(const struct element *t)
{
    double x = fabs(t->x[0]), y = fabs(t->x[1]);
    if (!(y > t->e[1]))
        return UNKNOWN;
    double least = trunc(fmax(x - t->e[0], 0) / (y + t->e[1]) * (1 - 0x1p-50));
    double most = trunc((x + t->e[0]) / (y - t->e[1]));
    return least == most ? t->e[0] + most * t->e[1] : UNKNOWN;
}

static double div_error(const struct element *t)
{
    double divisor = fabs(t->x[1]);
    if (divisor <= t->e[1])
        return UNKNOWN;
    return (t->e[0] + fabs(t->result) * t->e[1]) / (divisor - t->e[1]);
}

/* What the operands' errors do to the result, before rounding. */
static double spread_error(const struct element *t)
{
    const double *x = t->x, *e = t->e;
    double product = fabs(x[0]) * e[1] + fabs(x[1]) * e[0] + e[0] * e[1];
    switch ((int)t->code) {
    case IR_OP_NEG:
    case IR_OP_ABS:
    case IR_OP_CAST:
        return e[0];
    case IR_OP_ADD:
    case IR_OP_SUB:
    case IR_OP_HYPOT:
        return e[0] + e[1];
    case IR_OP_MUL:
        return product;
    case IR_OP_DIV:
        return div_error(t);
    case IR_OP_FMOD:
        return fmod_error(t);
    case IR_OP_FMA:
        return product + e[2];
    case IR_OP_MAXIMUM:
    case IR_OP_MINIMUM:
    case IR_OP_FMAX:
    case IR_OP_FMIN:
        return fmax(e[0], e[1]);
    case IR_OP_SIN:
    case IR_OP_COS:
        return fmin(e[0], 2);
    case IR_OP_TAN:
        return tan_error(t);
    case IR_OP_POW:
        return pow_error(t);
    case IR_OP_ATAN2:
        return atan2_error(t);
    default:
        return e[0] == 0 ? 0 : monotone_error(t);
    }
}

static bool any_error(const struct element *t)
{
    return t->e[0] != 0 || t->e[1] != 0 || t->e[2] != 0;
}

/* Infinity or NaN came out of operands some of which are uncertain: certain all the same? */
static bool special_is_certain(const struct element *t)
{
    bool nan = false, infinite = false, finite = true;
    for (int i = 0; i < t->operands; i++) {
        nan |= t->e[i] == 0 && isnan(t->x[i]);
        infinite |= t->e[i] == 0 && isinf(t->x[i]);
        /* Not only finite, but certain of its sign. */
        finite &= t->e[i] == 0 || (isfinite(t->x[i]) && fabs(t->x[i]) > t->e[i]);
    }
    if (isnan(t->result))
        return nan && t->code != IR_OP_FMAX && t->code != IR_OP_FMIN;
    bool arithmetic = t->code == IR_OP_ADD || t->code == IR_OP_SUB || t->code == IR_OP_MUL ||
                      t->code == IR_OP_MAXIMUM || t->code == IR_OP_MINIMUM;
    return arithmetic && infinite && finite;
}

/* An approximate function of certain operands gave infinity or NaN: certain, unless it is an
 * overflow so close to the limit that the other side may stay below it. */
static double approximate_special(const struct element *t)
{
    if (isnan(t->result) || t->elem == IR_F64)
        return 0;
    double wide = fabs(call_in_double(t->code, t->x[0], t->x[1]));
    return wide > greatest_of(t->elem) * 1.02 ? 0 : UNKNOWN;
}

static double float_error(const struct element *t)
{
    bool approximate = (ir_ops[t->code].flags & IR_APPROX) != 0;
    if (!approximate && !any_error(t))
        return 0;
    if (!isfinite(t->result)) {
        if (any_error(t))
            return special_is_certain(t) ? 0 : UNKNOWN;
        return approximate_special(t);
    }
    double error = spread_error(t);
    int ulps = 1;
    if (approximate)
        ulps = ir_elems[t->result_elem].bits == 16 ? APPROXIMATE_ULPS_16 : APPROXIMATE_ULPS;
    error += ulps * ulp_of(t->result_elem, fabs(t->result) + error);
    if (isnan(error) || fabs(t->result) + error > greatest_of(t->result_elem))
        return UNKNOWN;
    return error;
}

/* The result is an integer or a bool: the same, or nothing is known. */
static bool discrete_is_certain(const struct element *t)
{
    double x = t->x[0], y = t->x[1], e = t->e[0] + t->e[1];
    if (ir_is_comparison(t->code))
        return (isnan(x) && t->e[0] == 0) || (isnan(y) && t->e[1] == 0) || fabs(x - y) > e;
    switch ((int)t->code) {
    case IR_OP_ISNAN:
    case IR_OP_ISINF:
        return isfinite(x) && fabs(x) + e <= greatest_of(t->elem);
    case IR_OP_SIGNBIT:
        return fabs(x) > e;
    case IR_OP_CAST:
        return isfinite(e) && (t->result_elem != IR_BOOL || fabs(x) > e) &&
               ir_eval_from_double(x - e, t->result_elem) ==
                   ir_eval_from_double(x + e, t->result_elem);
    default:
        return false;
    }
}

static double element_error(const struct element *t)
{
    if (!any_error(t) && !(ir_ops[t->code].flags & IR_APPROX))
        return 0;
    if (t->code == IR_OP_BITCAST)
        return UNKNOWN;
    if (ir_is_float(t->result_elem))
        return ir_is_float(t->elem) ? float_error(t) : UNKNOWN;
    return ir_is_float(t->elem) && discrete_is_certain(t) ? 0 : UNKNOWN;
}

static double select_error(const struct step *step, int64_t i)
{
    const struct slot *condition = step->operands[0];
    const struct slot *yes = step->operands[1], *no = step->operands[2];
    if (slot_error(condition, i) == 0)
        return slot_error(condition->bits[i] ? yes : no, i);
    if (!ir_is_float(yes->elem))
        return UNKNOWN;
    double distance = fabs(value_of(yes, i) - value_of(no, i));
    double error = distance + fmax(slot_error(yes, i), slot_error(no, i));
    return isnan(error) ? UNKNOWN : error;
}

void bound_elementwise(const struct step *step)
{
    struct slot *result = step->results[0];
    struct element t = {
        .code = step->op->code,
        .elem = step->operands[0]->elem,
        .result_elem = result->elem,
        .operands = step->op->operand_count,
    };
    bool inexact = (ir_ops[t.code].flags & IR_APPROX) != 0;
    for (int k = 0; k < t.operands; k++)
        inexact |= step->operands[k]->inexact;
    set_exact(result);
    if (!inexact)
        return;
    for (int64_t i = 0; i < result->count; i++) {
        if (t.code == IR_OP_SELECT) {
            result->errors[i] = select_error(step, i);
            continue;
        }
        for (int k = 0; k < t.operands; k++) {
            t.x[k] = value_of(step->operands[k], i);
            t.e[k] = slot_error(step->operands[k], i);
        }
        t.result = value_of(result, i);
        result->errors[i] = element_error(&t);
    }
    slot_settle(result);
}

/* ---- sums ----------------------------------------------------------------------------------- */

/* The power of two that the lowest set bit of a number stands for; infinity for 0. */
static double lowest_bit(double x)
{
    if (x == 0 || !isfinite(x))
        return (double)INFINITY;
    int exponent;
    int64_t digits = (int64_t)ldexp(frexp(x, &exponent), 53);
    return ldexp(1.0, exponent - 53 + __builtin_ctzll((uint64_t)digits));
}

/* A sum in any order: what it may differ by from the same sum in another one. */
struct sum {
    double absolute, error; /* of the finite terms */
    double quantum;         /* every term is a multiple of it */
    int64_t terms;
    bool special; /* an infinity or NaN is among them */
};

static const struct sum empty_sum = {.quantum = (double)INFINITY};

static void sum_add(struct sum *s, double x, double error, double quantum)
{
    s->terms++;
    if (isfinite(x))
        s->absolute += fabs(x);
    else
        s->special = true;
    s->error += error;
    s->quantum = fmin(s->quantum, quantum);
}

/* products: how many of the terms are products, each of which rounds by itself. Sums of subnormals
 * are exact, products are not. */
static double sum_error(const struct sum *s, enum ir_elem elem, int64_t products)
{
    if (s->special)
        return s->error == 0 && s->absolute < greatest_of(elem) ? 0 : UNKNOWN;
    if (isnan(s->error) || s->absolute + s->error > greatest_of(elem))
        return UNKNOWN;
    double unit = ldexp(1.0, -precision_of(elem));
    int64_t roundings = products + s->terms - 1;
    bool never_rounds = s->absolute <= s->quantum / unit && s->quantum >= ulp_of(elem, 0);
    if (s->error == 0 && (roundings <= 0 || never_rounds))
        return 0;
    /* Each side is off by at most that many half ULPs; the last factor is for second order. */
    double slack = 2 * (double)roundings * unit * (s->absolute + s->error) * 1.01;
    return s->error + slack + (double)(1 + products) * ulp_of(elem, 0);
}

/* ---- products ------------------------------------------------------------------------------- */

struct product {
    double low, high;         /* products of the magnitudes below and above 1 */
    double value, with_error; /* magnitude, and its upper end */
    int bits;                 /* an upper bound of the result's significant bits */
    int64_t terms;
    bool special, zero;
};

static void product_multiply(struct product *p, double x, double error)
{
    double magnitude = fabs(x);
    p->terms++;
    p->special |= !isfinite(x) || !isfinite(error);
    p->zero |= magnitude <= error;
    p->value *= magnitude;
    p->with_error *= magnitude + error;
    *(magnitude < 1 ? &p->low : &p->high) *= magnitude == 0 ? 1 : magnitude + error;
    if (isfinite(x) && x != 0)
        p->bits += 1 + ilogb(magnitude) - ilogb(lowest_bit(magnitude));
}

static double product_error(const struct product *p, enum ir_elem elem)
{
    double unit = ldexp(1.0, -precision_of(elem));
    bool exact = p->with_error == p->value;
    if (p->special || !(p->high * 2 < greatest_of(elem)))
        return UNKNOWN;
    if (p->terms <= 1)
        return p->with_error - p->value;
    if (p->zero && p->value == 0 && exact)
        return 0;
    if (!(p->low > ldexp(1.0, least_exponent_of(elem) + 1)))
        return UNKNOWN; /* an underflow half way depends on the order */
    if (exact && p->bits <= precision_of(elem))
        return 0;
    double slack = 2 * (double)p->terms * unit * p->with_error * 1.01;
    return p->with_error - p->value + slack + ulp_of(elem, p->with_error);
}

/* ---- reductions ----------------------------------------------------------------------------- */

/* Element k of a lane. */
struct lane {
    const struct slot *slot;
    int64_t first, stride, count;
};

static struct lane lane_of(const struct step *step, int64_t number)
{
    const struct slot *operand = step->operands[0];
    struct lanes lanes = lanes_of(operand->type, step->op->attributes.axis);
    int64_t first = number / lanes.inner * lanes.count * lanes.inner + number % lanes.inner;
    return (struct lane){operand, first, lanes.inner, lanes.count};
}

static double lane_value(const struct lane *lane, int64_t k)
{
    return value_of(lane->slot, lane->first + k * lane->stride);
}

static double lane_error(const struct lane *lane, int64_t k)
{
    return slot_error(lane->slot, lane->first + k * lane->stride);
}

static double lane_worst_error(const struct lane *lane)
{
    double worst = 0;
    for (int64_t k = 0; k < lane->count; k++)
        worst = fmax(worst, lane_error(lane, k));
    return worst;
}

static double lane_sum_error(const struct lane *lane, enum ir_elem elem)
{
    struct sum sum = empty_sum;
    for (int64_t k = 0; k < lane->count; k++) {
        double x = lane_value(lane, k);
        sum_add(&sum, x, lane_error(lane, k), lowest_bit(x));
    }
    return sum_error(&sum, elem, 0);
}

static double lane_product_error(const struct lane *lane, enum ir_elem elem)
{
    struct product product = {.low = 1, .high = 1, .value = 1, .with_error = 1};
    for (int64_t k = 0; k < lane->count; k++)
        product_multiply(&product, lane_value(lane, k), lane_error(lane, k));
    return product_error(&product, elem);
}

/* A maximum is as uncertain as the least certain element, but an infinity that wins is certain. */
static double extreme_error(double worst, double result)
{
    return isfinite(result) || isinf(worst) ? worst : 0;
}

void bound_reduce(const struct step *step)
{
    struct slot *result = step->results[0];
    bool is_float = ir_is_float(result->elem);
    bool rounds = step->op->code == IR_OP_SUM || step->op->code == IR_OP_PROD;
    set_exact(result);
    if (!step->operands[0]->inexact && !(is_float && rounds))
        return;
    for (int64_t i = 0; i < result->count; i++) {
        struct lane lane = lane_of(step, i);
        if (!is_float)
            result->errors[i] = lane_worst_error(&lane) == 0 ? 0 : UNKNOWN;
        else if (step->op->code == IR_OP_SUM)
            result->errors[i] = lane_sum_error(&lane, result->elem);
        else if (step->op->code == IR_OP_PROD)
            result->errors[i] = lane_product_error(&lane, result->elem);
        else
            result->errors[i] = extreme_error(lane_worst_error(&lane), value_of(result, i));
    }
    slot_settle(result);
}

void bound_argmax(const struct step *step)
{
    struct slot *result = step->results[0];
    set_exact(result);
    if (!step->operands[0]->inexact)
        return;
    for (int64_t i = 0; i < result->count; i++) {
        struct lane lane = lane_of(step, i);
        result->errors[i] = lane_worst_error(&lane) == 0 ? 0 : UNKNOWN;
    }
    slot_settle(result);
}

/* The prefix that ends with element k gives result k, or k + 1 when the scan is exclusive. */
static void cumulate_lane(const struct step *step, int64_t number)
{
    struct slot *result = step->results[0];
    struct lane lane = lane_of(step, number);
    int64_t shift = step->op->attributes.exclusive ? 1 : 0;
    struct sum sum = empty_sum;
    struct product product = {.low = 1, .high = 1, .value = 1, .with_error = 1};
    double worst = 0;
    if (shift)
        result->errors[lane.first] = 0;
    for (int64_t k = 0; k + shift < lane.count; k++) {
        double x = lane_value(&lane, k), error = lane_error(&lane, k);
        int64_t to = lane.first + (k + shift) * lane.stride;
        sum_add(&sum, x, error, lowest_bit(x));
        product_multiply(&product, x, error);
        worst = fmax(worst, error);
        if (!ir_is_float(result->elem))
            result->errors[to] = worst == 0 ? 0 : UNKNOWN;
        else if (step->op->code == IR_OP_CUMSUM)
            result->errors[to] = sum_error(&sum, result->elem, 0);
        else if (step->op->code == IR_OP_CUMPROD)
            result->errors[to] = product_error(&product, result->elem);
        else
            result->errors[to] = extreme_error(worst, value_of(result, to));
    }
}

void bound_cumulate(const struct step *step)
{
    struct slot *result = step->results[0];
    bool accumulates = step->op->code == IR_OP_CUMSUM || step->op->code == IR_OP_CUMPROD;
    bool rounds = accumulates && ir_is_float(result->elem);
    set_exact(result);
    if (!step->operands[0]->inexact && !rounds)
        return;
    struct lanes lanes = lanes_of(result->type, step->op->attributes.axis);
    for (int64_t lane = 0; lane < lanes.outer * lanes.inner; lane++)
        cumulate_lane(step, lane);
    slot_settle(result);
}

/* ---- dot ------------------------------------------------------------------------------------ */

/* A target may flush subnormal bfloats, and with them products. */
static double flush_error(enum ir_elem elem, double a, double b)
{
    double product = fabs(a * b);
    if (elem != IR_BF16 || product == 0)
        return 0;
    bool tiny = fabs(a) < 0x1p-126 || fabs(b) < 0x1p-126 || product < 0x1p-100;
    return tiny ? product : 0;
}

/* And sums on the way, what they start with among them, if any of these can be subnormal. */
static double flush_sums_error(enum ir_elem elem, const struct sum *sum)
{
    bool possible = elem == IR_BF16 && sum->quantum < 0x1p-126;
    return possible ? (double)sum->terms * 0x1p-126 : 0;
}

static double dot_error(const struct step *step, int64_t row, int64_t column)
{
    const struct slot *left = step->operands[0], *right = step->operands[1];
    const struct slot *addend = step->operands[2];
    int64_t k_count = left->type.dims[1], n_count = right->type.dims[1];
    struct sum sum = empty_sum;
    for (int64_t k = 0; k < k_count; k++) {
        int64_t i = row * k_count + k, j = k * n_count + column;
        double a = value_of(left, i), b = value_of(right, j);
        double e = slot_error(left, i), f = slot_error(right, j);
        double error = fabs(a) * f + fabs(b) * e + e * f + flush_error(left->elem, a, b);
        sum_add(&sum, a * b, error, lowest_bit(a) * lowest_bit(b));
    }
    double c = value_of(addend, row * n_count + column);
    sum_add(&sum, c, slot_error(addend, row * n_count + column), lowest_bit(c));
    sum.error += flush_sums_error(left->elem, &sum);
    return sum_error(&sum, step->results[0]->elem, k_count);
}

void bound_dot(const struct step *step)
{
    struct slot *result = step->results[0];
    set_exact(result);
    bool inexact = false;
    for (int k = 0; k < 3; k++)
        inexact |= step->operands[k]->inexact;
    if (!ir_is_float(result->elem)) {
        if (inexact)
            slot_set_unknown(result);
        return;
    }
    for (int64_t i = 0; i < result->count; i++)
        result->errors[i] = dot_error(step, i / result->type.dims[1], i % result->type.dims[1]);
    slot_settle(result);
}
