/*
 * How values change along the lanes.
 *
 *     y = min(max(row + k, 0), height - 1)       the same for all lanes
 *     x = min(max(column - 1, 0), width - 1)     one more per lane, but for the edges of the image
 *     load(X + y * width + x)
 *
 * affine.c asks for one form of the whole tile, which neither of these has. Here the question is
 * only by how much a value changes from lane to lane, whatever it does along the other axes: not at
 * all, or by a constant. Then it follows from the first lane's, which is a scalar, and addresses
 * one apart are one vector access.
 *
 * Where a nest's interior begins and ends is up to the nest (masks.c), so it may as well be the
 * part in which the maximum is always its one operand: it is "bounded" like a mask. The same holds
 * for an index that a condition selects. In the interior both count as the operand that is chosen
 * there; outside of it, and where the list of what is bounded is full, as what they are.
 *
 * A quotient of an index and what all lanes share is the same for a run of lanes, and a remainder
 * moves there as the index does: nest_runs.c makes interiors of such runs. Bits are alike: up to
 * where the index reaches j's lowest bit, i & j is the same, and i ^ j and i | j move as i does.
 */
#include "cpu/along.h"

enum {
    BUDGET = 256,      /* values that one question may look at */
    NEAR_AN_EDGE = 64, /* a constant bound up to this cuts off a margin, a larger one the rest */
    LEAST_RUN = 64,    /* lanes of an axis, and a divisor if it is constant */
};

/* Stands for a step that only a launch knows, where it need not be known. */
static const int64_t RUNTIME_STEP = INT64_C(1) << 40;

struct question {
    struct cpu_emit *e;
    bool supposes; /* that the nest will have an interior for all that can be bounded; steps that
                    * are not known before are RUNTIME_STEP */
    int budget;
};

static bool step_at(struct question *q, const struct ir_value *v, const struct cpu_position *p,
                    int64_t *step);

/* ---- choices --------------------------------------------------------------------------------- */

/* The operand of a maximum or minimum of signed indices that varies, if the other does not. */
static const struct ir_value *varying(struct question *q, const struct ir_value *a,
                                      const struct ir_value *b, const struct cpu_position *p)
{
    int64_t x, y;
    if (!step_at(q, a, p, &x) || !step_at(q, b, p, &y) || (x != 0) == (y != 0))
        return NULL;
    return x != 0 ? a : b;
}

static const struct ir_value *choice(struct question *q, const struct ir_op *op,
                                     const struct cpu_position *p)
{
    if (!op || p->lane < 0 || !cpu_is_index(op->results[0]->type))
        return NULL;
    if (op->code == IR_OP_SELECT)
        return varying(q, op->operands[1], op->operands[2], p);
    if ((op->code == IR_OP_MAXIMUM || op->code == IR_OP_MINIMUM) &&
        op->results[0]->type.elem == IR_I64)
        return varying(q, op->operands[0], op->operands[1], p);
    return NULL;
}

const struct ir_value *cpu_choice_of(struct cpu_emit *e, const struct ir_op *op,
                                     const struct cpu_position *p)
{
    struct question q = {.e = e, .budget = BUDGET};
    return choice(&q, op, p);
}

const struct ir_value *cpu_chosen(struct cpu_emit *e, const struct ir_op *op,
                                  const struct cpu_position *p)
{
    if (!op || !e->body.interior || (p->lane < 0 && !p->along))
        return NULL;
    if (op->code == IR_OP_SELECT) {
        const struct cpu_bounded *b = cpu_bounded_of(e, op->operands[0], NULL, p);
        return b ? op->operands[b->holds ? 1 : 2] : NULL;
    }
    if (op->code != IR_OP_MAXIMUM && op->code != IR_OP_MINIMUM)
        return NULL;
    const struct cpu_bounded *b = cpu_bounded_of(e, op->results[0], NULL, p);
    return b ? b->chosen : NULL;
}

/* ---- runs of quotients ----------------------------------------------------------------------- */

static bool is_division(const struct ir_op *op)
{
    return op && (op->code == IR_OP_DIV || op->code == IR_OP_REM) &&
           op->results[0]->type.elem == IR_I64 && !op->results[0]->type.pointer;
}

static bool has_runs(struct question *q, const struct ir_op *op, const struct cpu_position *p)
{
    int64_t dividend, divisor, known;
    return is_division(op) && p->lane >= 0 && op->results[0]->type.dims[p->lane] >= LEAST_RUN &&
           !(ir_constant_int(op->operands[1], &known) && known < LEAST_RUN) &&
           step_at(q, op->operands[0], p, &dividend) && dividend == 1 &&
           step_at(q, op->operands[1], p, &divisor) && divisor == 0;
}

bool cpu_has_runs(struct cpu_emit *e, const struct ir_op *op, const struct cpu_position *p)
{
    struct question q = {.e = e, .budget = BUDGET};
    return has_runs(&q, op, p);
}

static bool is_bits(const struct ir_op *op)
{
    struct ir_type type = op && op->result_count ? op->results[0]->type : (struct ir_type){0};
    return op && (op->code == IR_OP_AND || op->code == IR_OP_OR || op->code == IR_OP_XOR) &&
           !type.pointer && (type.elem == IR_I32 || type.elem == IR_I64);
}

/* Bits that are extended to an index, or the op itself. */
static const struct ir_op *extended_bits(const struct ir_op *op)
{
    const struct ir_op *bits = op && op->code == IR_OP_CAST ? op->operands[0]->op : NULL;
    bool extends = bits && is_bits(bits) && bits->results[0]->type.elem == IR_I32 &&
                   op->results[0]->type.elem == IR_I64;
    return extends ? bits : op;
}

const struct cpu_bounded *cpu_run_of(struct cpu_emit *e, const struct ir_op *op,
                                     const struct cpu_position *p)
{
    op = extended_bits(op);
    if (!(is_division(op) || is_bits(op)) || !e->body.interior || (p->lane < 0 && !p->along))
        return NULL;
    const struct cpu_bounded *b = cpu_bounded_of(e, op->results[0], NULL, p);
    return b && b->quotient ? b : NULL;
}

/* ---- runs of bits ---------------------------------------------------------------------------- */

/* The index that an operand of bits is, before it was cut to its C type. */
static const struct ir_value *uncut(const struct ir_value *v)
{
    if (v->type.elem == IR_I64)
        return v;
    bool cut = v->op && v->op->code == IR_OP_CAST && v->op->operands[0]->type.elem == IR_I64;
    return cut ? v->op->operands[0] : NULL;
}

/* What constants make of an index is pattern.c's. */
static bool bits_along(struct question *q, const struct ir_op *op, const struct cpu_position *p,
                       struct cpu_bits *bits)
{
    if (!is_bits(op) || p->lane < 0 || op->results[0]->type.dims[p->lane] < LEAST_RUN)
        return false;
    for (int side = 0; side < 2; side++) {
        int64_t step, known;
        *bits = (struct cpu_bits){.cut = op->operands[side],
                                  .index = uncut(op->operands[side]),
                                  .same = op->operands[1 - side]};
        if (bits->index && !ir_constant_int(bits->same, &known) &&
            step_at(q, bits->index, p, &step) && step == 1 && step_at(q, bits->same, p, &step) &&
            step == 0)
            return true;
    }
    return false;
}

bool cpu_bits_along(struct cpu_emit *e, const struct ir_op *op, const struct cpu_position *p,
                    struct cpu_bits *bits)
{
    struct question q = {.e = e, .budget = BUDGET};
    return bits_along(&q, op, p, bits);
}

static bool has_bit_runs(struct question *q, const struct ir_op *op, const struct cpu_position *p)
{
    struct cpu_bits bits;
    return q->supposes ? bits_along(q, op, p, &bits) : is_bits(op) && cpu_run_of(q->e, op, p);
}

/* i ^ j and i | j go on with i; cut to 32 bits they may wrap, but where they are extended again
 * they do not. */
static bool bits_step(struct question *q, const struct ir_op *op, const struct cpu_position *p,
                      int64_t *step)
{
    const struct ir_op *bits = extended_bits(op);
    if (op->results[0]->type.elem != IR_I64 || !has_bit_runs(q, bits, p))
        return false;
    *step = bits->code != IR_OP_AND;
    return true;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* The op's operands do not change from lane to lane. */
static bool all_same(struct question *q, const struct ir_op *op, const struct cpu_position *p)
{
    for (int i = 0; i < op->operand_count; i++) {
        int64_t step;
        if (!step_at(q, op->operands[i], p, &step) || step != 0)
            return false;
    }
    return true;
}

static bool arithmetic_step(struct question *q, const struct ir_op *op,
                            const struct cpu_position *p, int64_t *step)
{
    int64_t a, b = 0, factor;
    if (!cpu_is_index(op->results[0]->type) || !step_at(q, op->operands[0], p, &a) ||
        (op->operand_count > 1 && !step_at(q, op->operands[1], p, &b)))
        return false;
    switch (op->code) {
    case IR_OP_ADD:
    case IR_OP_ADDPTR:
        return !__builtin_add_overflow(a, b, step);
    case IR_OP_SUB:
        return !__builtin_sub_overflow(a, b, step);
    case IR_OP_NEG:
        return !__builtin_sub_overflow((int64_t)0, a, step);
    default: /* mul */
        *step = 0;
        if (a == 0 && b == 0)
            return true;
        if (ir_constant_int(op->operands[1], &factor))
            return !__builtin_mul_overflow(a, factor, step);
        if (ir_constant_int(op->operands[0], &factor))
            return !__builtin_mul_overflow(b, factor, step);
        *step = RUNTIME_STEP;
        return q->supposes && (cpu_is_uniform(q->e, op->operands[0]) ||
                               cpu_is_uniform(q->e, op->operands[1]));
    }
}

/* What is chosen has the step; a condition that all lanes share chooses for them together. */
static bool choice_step(struct question *q, const struct ir_op *op, const struct cpu_position *p,
                        int64_t *step)
{
    const struct ir_value *chosen = q->supposes ? choice(q, op, p) : cpu_chosen(q->e, op, p);
    int first = op->code == IR_OP_SELECT;
    int64_t condition = 0, other;
    if (chosen)
        return step_at(q, chosen, p, step);
    return cpu_is_index(op->results[0]->type) && step_at(q, op->operands[first], p, step) &&
           step_at(q, op->operands[first + 1], p, &other) && *step == other &&
           (!first || (step_at(q, op->operands[0], p, &condition) && condition == 0));
}

static bool step_of_op(struct question *q, const struct ir_op *op, const struct cpu_position *p,
                       int64_t *step)
{
    *step = 0;
    if (cpu_moves_elements(op)) {
        struct cpu_position operand = cpu_operand_position(q->e, op, p);
        return step_at(q, op->operands[0], &operand, step);
    }
    switch (op->code) {
    case IR_OP_DIV:
    case IR_OP_REM:
        if (q->supposes ? has_runs(q, op, p) : cpu_run_of(q->e, op, p) != NULL) {
            *step = op->code == IR_OP_REM;
            return true;
        }
        return all_same(q, op, p);
    case IR_OP_SELECT:
    case IR_OP_MAXIMUM:
    case IR_OP_MINIMUM:
        return choice_step(q, op, p, step) || (*step = 0, all_same(q, op, p));
    case IR_OP_ADD:
    case IR_OP_ADDPTR:
    case IR_OP_SUB:
    case IR_OP_NEG:
    case IR_OP_MUL:
        return arithmetic_step(q, op, p, step) || (*step = 0, all_same(q, op, p));
    case IR_OP_LOAD:
        return all_same(q, op, p);
    case IR_OP_AND:
        return has_bit_runs(q, op, p) || all_same(q, op, p);
    case IR_OP_OR:
    case IR_OP_XOR:
    case IR_OP_CAST:
        return bits_step(q, op, p, step) || (*step = 0, all_same(q, op, p));
    default:
        return ir_has(op, IR_PURE | IR_ELEMENTWISE) && all_same(q, op, p);
    }
}

static bool step_at(struct question *q, const struct ir_value *v, const struct cpu_position *p,
                    int64_t *step)
{
    *step = 0;
    if (p->lane < 0 || v->type.rank == 0 || cpu_is_uniform(q->e, v))
        return true;
    const struct cpu_value *value = cpu_value_of(q->e, v);
    const struct cpu_affine *a = cpu_affine_of(q->e, v);
    if (a->known) {
        if (a->axis[p->lane].kind == CPU_CONSTANT)
            *step = a->axis[p->lane].value;
        if (a->axis[p->lane].kind == CPU_RUNTIME)
            *step = RUNTIME_STEP;
        return a->axis[p->lane].kind != CPU_RUNTIME || q->supposes;
    }
    if (!v->op || (value->buffer && value->ready) || q->budget-- <= 0)
        return false;
    return step_of_op(q, v->op, p, step);
}

bool cpu_step_along(struct cpu_emit *e, const struct ir_value *v, const struct cpu_position *p,
                    int64_t *step)
{
    struct question q = {.e = e, .budget = BUDGET};
    return step_at(&q, v, p, step);
}

bool cpu_may_step_along(struct cpu_emit *e, const struct ir_value *v, int64_t *step)
{
    struct question q = {.e = e, .supposes = true, .budget = BUDGET};
    struct cpu_position p = {.rank = v->type.rank, .lane = -1};
    for (int k = 0; k < p.rank; k++) {
        p.index[k] = cpu_i64(e, 0);
        p.lane = v->type.dims[k] > 1 ? k : p.lane;
    }
    return step_at(&q, v, &p, step);
}

LLVMValueRef cpu_first_along(struct cpu_emit *e, const struct ir_value *v,
                             const struct cpu_position *p)
{
    struct cpu_position first = *p;
    if (p->lane >= 0)
        first.index[p->lane] = cpu_i64(e, 0);
    first.along = p->along || (p->lane >= 0 && e->body.interior);
    first.lane = -1;
    return cpu_element_of(e, v, &first).v;
}

/* ---- which way a mask is as a rule ----------------------------------------------------------- */

static enum cpu_likely opposite(enum cpu_likely likely)
{
    return likely == CPU_LIKELY ? CPU_UNLIKELY : likely == CPU_UNLIKELY ? CPU_LIKELY : CPU_UNSURE;
}

/* x < n holds for most x, x < 1 for few, x >= 1 for most; x >= n for few, but x >= k may be either.
 */
static enum cpu_likely compare_likely(struct cpu_emit *e, const struct ir_op *op,
                                      const struct cpu_position *p)
{
    struct question q = {.e = e, .supposes = true, .budget = BUDGET};
    int64_t a, b, bound;
    if (!step_at(&q, op->operands[0], p, &a) || !step_at(&q, op->operands[1], p, &b) || a == b)
        return CPU_UNSURE;
    if (op->code == IR_OP_EQ || op->code == IR_OP_NE)
        return op->code == IR_OP_NE ? CPU_LIKELY : CPU_UNLIKELY;
    bool less = op->code == IR_OP_LT || op->code == IR_OP_LE, below = less == (a > b);
    const struct ir_value *fixed = a == 0 ? op->operands[0] : op->operands[1];
    bool constant = ir_constant_int(fixed, &bound);
    bool margin = constant && bound <= NEAR_AN_EDGE && bound >= -NEAR_AN_EDGE;
    if (below)
        return margin ? CPU_UNLIKELY : CPU_LIKELY;
    return margin ? CPU_LIKELY : constant ? CPU_UNLIKELY : CPU_UNSURE;
}

/* and: the less likely of the two; or: the likelier */
static enum cpu_likely both_likely(struct cpu_emit *e, const struct ir_op *op,
                                   const struct cpu_position *p)
{
    enum cpu_likely a = cpu_is_likely(e, op->operands[0], p);
    enum cpu_likely b = cpu_is_likely(e, op->operands[1], p);
    bool uniform_a = cpu_is_uniform(e, op->operands[0]);
    bool uniform_b = cpu_is_uniform(e, op->operands[1]);
    if (uniform_a || uniform_b)
        return uniform_a ? b : a;
    enum cpu_likely strong = op->code == IR_OP_AND ? CPU_UNLIKELY : CPU_LIKELY;
    if (a == strong || b == strong)
        return strong;
    return a == b ? a : CPU_UNSURE;
}

enum cpu_likely cpu_is_likely(struct cpu_emit *e, const struct ir_value *mask,
                              const struct cpu_position *p)
{
    const struct ir_op *op = mask->op;
    if (!op || p->lane < 0)
        return CPU_UNSURE;
    if (cpu_moves_elements(op)) {
        struct cpu_position q = cpu_operand_position(e, op, p);
        return cpu_is_likely(e, op->operands[0], &q);
    }
    if (ir_is_comparison(op->code))
        return compare_likely(e, op, p);
    switch (op->code) {
    case IR_OP_AND:
    case IR_OP_OR:
        return both_likely(e, op, p);
    case IR_OP_NOT:
        return opposite(cpu_is_likely(e, op->operands[0], p));
    default:
        return CPU_UNSURE;
    }
}
