/*
 * Patterns: indices that divisions by constants and operations on bits make of consecutive ones.
 *
 *     x = arange(0, BLOCK)
 *     load(X + x / 2)                  each element twice: upsampling
 *     load(Scale + x / 32)             one for each group of 32
 *     load(X + (x ^ 1))                neighbours change places
 *     where(x % 2 == 0, -y, y)
 *
 * Lane by lane these would be divisions of 64 bits and gathers. But a vector starts at a multiple
 * of its lanes, and so does, by its form (ir/affine.h), the index: base plus lane, where it is
 * known what the base leaves when divided by a power of two. Then how the lanes differ from the
 * first one is known here, and a load at such places is a vector or two and a shuffle.
 *
 *     base = r (mod d):              (base + s l) / d = base / d + (r + s l) / d,  0 <= r < d
 *     base = r (mod g), g | d,       (base + s l) / d = base / d
 *     r + s l < g for all lanes:     (base + s l) % d = base % d + s l
 *
 * Both are of what is not negative, since division rounds toward zero. Bits from a power of two p
 * on that is above all that the lanes reach are the first lane's in all of them:
 *
 *     base = r (mod p), r + s l < p: (base + s l) ^ c = (base - r ^ c & -p) + (r + s l ^ c & p - 1)
 *
 * A load touches what lies between the lowest and the highest element that were asked for, as those
 * of strided.c do, and for the same reason only where no mask is left: both belong to one array.
 */
#include "cpu/pattern.h"

#include "base/bits.h"
#include "cpu/along.h"
#include "ir/affine.h"

enum { DEPTH = 12, MOST_STEP = 64, MOST_DIVISOR = 1 << 20 };

struct question {
    struct cpu_emit *e;
    int lanes;
    bool before; /* there is no body yet: it will be one whose vectors start at multiples */
};

static bool find(struct question *q, const struct ir_value *v, const struct cpu_position *p,
                 int depth, struct cpu_pattern *r);

/* ---- what the first lane leaves -------------------------------------------------------------- */

/* A scalar is `rest` and a multiple of what is returned. */
static int64_t multiple_of(const struct ir_value *scalar, int64_t *rest)
{
    const struct ir_region *region = scalar->op ? NULL : scalar->region;
    const struct ir_op *loop = region ? region->parent : NULL;
    int64_t step;
    *rest = 0;
    if (!loop || loop->code != IR_OP_FOR || scalar != region->arguments[0] ||
        !ir_constant_int(loop->operands[0], rest) || !ir_constant_int(loop->operands[2], &step) ||
        step <= 0 || step > MOST_DIVISOR || *rest < 0 || *rest > MOST_DIVISOR) {
        *rest = 0;
        return 1;
    }
    return step;
}

/* A tile of indices, none of them negative: x = rest (mod modulus) in the first lane, a divisor of
 * `wanted`, and `step` more in each lane. */
struct remainder {
    int64_t modulus, rest, step;
};

static bool remainder_of(struct question *q, const struct ir_value *x, const struct cpu_position *p,
                         int64_t wanted, struct remainder *r)
{
    struct ir_affine form;
    if (p->lane < 0 || !ir_affine_of(x, NULL, &form) || form.range.least < 0)
        return false;
    int64_t step = form.axis[p->lane], modulus = wanted, rest = form.constant % wanted, known;
    if (step < 0 || step > MOST_STEP)
        return false;
    for (int i = 0; i < form.term_count; i++) {
        int64_t more, multiple = multiple_of(form.terms[i].value, &more);
        int64_t factor = form.terms[i].factor % wanted; /* each below 2^20 */
        modulus = bits_common_divisor(modulus, factor * multiple);
        rest += factor * more % wanted;
    }
    for (int k = 0; k < p->rank; k++) {
        int64_t factor = form.axis[k] % wanted;
        if (k == p->lane)
            modulus = bits_common_divisor(modulus, factor * q->lanes);
        else if (!q->before && cpu_is_constant(p->index[k], &known))
            rest += factor * (known % wanted);
        else
            modulus = bits_common_divisor(modulus, factor);
    }
    rest %= modulus;
    *r = (struct remainder){modulus, rest < 0 ? rest + modulus : rest, step};
    return true;
}

/* ---- ops ------------------------------------------------------------------------------------- */

static bool constant_operand(const struct ir_op *op, int i, int64_t *value)
{
    return ir_constant_int(op->operands[i], value) && *value >= 0 && *value < MOST_DIVISOR;
}

static bool divided(struct question *q, const struct ir_value *x, int64_t divisor, bool quotient,
                    const struct cpu_position *p, struct cpu_pattern *r)
{
    struct remainder x0;
    if (divisor < 1 || !remainder_of(q, x, p, divisor, &x0))
        return false;
    bool known = x0.modulus == divisor;
    if (!known && x0.rest + x0.step * (q->lanes - 1) >= x0.modulus)
        return false;
    r->whole = known && !quotient;
    for (int l = 0; l < q->lanes; l++) {
        int64_t at = (known ? x0.rest : 0) + x0.step * l;
        r->lane[l] = quotient ? (known ? at / divisor : 0) : (known ? at % divisor : at);
    }
    return true;
}

static int64_t bits_of(enum ir_opcode code, int64_t x, int64_t constant)
{
    return code == IR_OP_AND ? x & constant : code == IR_OP_OR ? x | constant : x ^ constant;
}

static bool with_bits(struct question *q, const struct ir_op *op, const struct cpu_position *p,
                      struct cpu_pattern *r)
{
    int64_t constant, known = 0;
    struct remainder x = {0};
    int first = constant_operand(op, 0, &constant);
    if (!first && !constant_operand(op, 1, &constant))
        return false;
    const struct ir_value *v = op->operands[first];
    if (op->code == IR_OP_AND && (constant & (constant + 1)) == 0)
        return divided(q, v, constant + 1, false, p, r);
    for (int64_t power = 1; power < MOST_DIVISOR; power *= 2) {
        struct remainder now;
        if (!remainder_of(q, v, p, power, &now))
            return false;
        if (now.modulus != power || known > constant)
            break;
        if (now.rest + now.step * (q->lanes - 1) < power) {
            known = power;
            x = now;
        }
    }
    if (known == 0)
        return false;
    r->whole = op->code == IR_OP_AND && constant < known; /* which leaves nothing of the base */
    for (int l = 0; l < q->lanes; l++)
        r->lane[l] = bits_of(op->code, x.rest + x.step * l, constant & (known - 1));
    return true;
}

static bool arithmetic(struct question *q, const struct ir_op *op, const struct cpu_position *p,
                       int depth, struct cpu_pattern *r)
{
    struct cpu_pattern a, b;
    if (!find(q, op->operands[0], p, depth - 1, &a) || !find(q, op->operands[1], p, depth - 1, &b))
        return false;
    r->whole = a.whole && b.whole;
    if (op->code == IR_OP_MUL) {
        bool first = b.whole; /* the constant */
        const struct cpu_pattern *constant = first ? &b : &a, *other = first ? &a : &b;
        for (int l = 1; l < q->lanes && !r->whole; l++) {
            if (!constant->whole || constant->lane[l] != constant->lane[0])
                return false;
        }
        for (int l = 0; l < q->lanes; l++)
            r->lane[l] = constant->lane[l] * other->lane[l];
        return true;
    }
    for (int l = 0; l < q->lanes; l++)
        r->lane[l] = op->code == IR_OP_SUB ? a.lane[l] - b.lane[l] : a.lane[l] + b.lane[l];
    return true;
}

static bool compared(struct question *q, const struct ir_op *op, const struct cpu_position *p,
                     int depth, struct cpu_pattern *r)
{
    struct cpu_pattern a, b;
    enum ir_elem elem = (enum ir_elem)op->operands[0]->type.elem;
    if (op->operands[0]->type.pointer || !ir_is_integer(elem) ||
        !find(q, op->operands[0], p, depth - 1, &a) || !a.whole ||
        !find(q, op->operands[1], p, depth - 1, &b) || !b.whole)
        return false;
    r->whole = true;
    for (int l = 0; l < q->lanes; l++) {
        int64_t x = a.lane[l], y = b.lane[l];
        r->lane[l] = op->code == IR_OP_EQ   ? x == y
                     : op->code == IR_OP_NE ? x != y
                     : op->code == IR_OP_LT ? x < y
                     : op->code == IR_OP_LE ? x <= y
                     : op->code == IR_OP_GT ? x > y
                                            : x >= y;
    }
    return true;
}

/* One of two places that are a constant apart, by a condition that is known in every lane. */
static bool selected(struct question *q, const struct ir_op *op, const struct cpu_position *p,
                     int depth, struct cpu_pattern *r)
{
    struct cpu_pattern condition, a, b;
    struct ir_affine form[2], apart;
    if (!find(q, op->operands[0], p, depth - 1, &condition) || !condition.whole ||
        !find(q, op->operands[1], p, depth - 1, &a) || !find(q, op->operands[2], p, depth - 1, &b))
        return false;
    int64_t distance = 0;
    r->whole = a.whole && b.whole;
    if (!r->whole) {
        if (a.whole || b.whole || !ir_affine_of(op->operands[1], NULL, &form[0]) ||
            !ir_affine_of(op->operands[2], NULL, &form[1]) ||
            !ir_affine_subtract(&form[1], &form[0], op->results[0]->type, NULL, &apart) ||
            apart.term_count > 0)
            return false;
        for (int k = 0; k < p->rank; k++) {
            if (apart.axis[k] != 0)
                return false;
        }
        distance = apart.constant;
        if (distance > MOST_DIVISOR || distance < -MOST_DIVISOR)
            return false;
    }
    int64_t from_a = r->whole ? 0 : a.lane[0], from_b = r->whole ? 0 : b.lane[0] - distance;
    for (int l = 0; l < q->lanes; l++)
        r->lane[l] = condition.lane[l] ? a.lane[l] - from_a : b.lane[l] - from_b;
    return true;
}

static bool keeps_value(const struct ir_op *cast)
{
    struct ir_type from = cast->operands[0]->type, to = cast->results[0]->type;
    enum ir_elem elem = (enum ir_elem)to.elem;
    if (from.pointer || to.pointer || !ir_is_integer((enum ir_elem)from.elem) ||
        !ir_is_integer(elem) || elem == IR_U64)
        return false;
    struct ir_interval range = ir_range(cast->operands[0]);
    int bits = ir_elems[elem].bits;
    if (bits == 64)
        return from.elem != IR_U64;
    int64_t most = ir_is_signed(elem) ? (INT64_C(1) << (bits - 1)) - 1 : (INT64_C(1) << bits) - 1;
    return range.least >= (ir_is_signed(elem) ? -most - 1 : 0) && range.most <= most;
}

static bool of_op(struct question *q, const struct ir_op *op, const struct cpu_position *p,
                  int depth, struct cpu_pattern *r)
{
    int64_t constant;
    if (ir_is_comparison(op->code))
        return compared(q, op, p, depth, r);
    switch (op->code) {
    case IR_OP_DIV:
    case IR_OP_REM:
        return constant_operand(op, 1, &constant) &&
               divided(q, op->operands[0], constant, op->code == IR_OP_DIV, p, r);
    case IR_OP_SHR:
        return constant_operand(op, 1, &constant) && constant < 20 &&
               constant < ir_elems[op->results[0]->type.elem].bits &&
               divided(q, op->operands[0], INT64_C(1) << constant, true, p, r);
    case IR_OP_AND:
    case IR_OP_OR:
    case IR_OP_XOR:
        return op->results[0]->type.elem != IR_BOOL && with_bits(q, op, p, r);
    case IR_OP_CAST:
        return keeps_value(op) && find(q, op->operands[0], p, depth - 1, r);
    case IR_OP_ADDPTR:
    case IR_OP_ADD:
    case IR_OP_SUB:
    case IR_OP_MUL:
        return cpu_is_index(op->results[0]->type) && arithmetic(q, op, p, depth, r);
    case IR_OP_SELECT:
        return cpu_is_index(op->results[0]->type) && selected(q, op, p, depth, r);
    default:
        return false;
    }
}

static bool within_reach(const struct question *q, const struct cpu_pattern *r)
{
    for (int l = 0; l < q->lanes; l++) {
        if (r->lane[l] > MOST_DIVISOR || r->lane[l] < -MOST_DIVISOR)
            return false;
    }
    return true;
}

static bool find(struct question *q, const struct ir_value *v, const struct cpu_position *p,
                 int depth, struct cpu_pattern *r)
{
    int64_t step, constant;
    bool steps = q->before ? cpu_may_step_along(q->e, v, &step) : cpu_step_along(q->e, v, p, &step);
    if (steps && (step > MOST_STEP || step < -MOST_STEP))
        return false;
    if (steps) {
        int64_t least =
            v->type.elem == IR_U64 ? 0 : -MOST_DIVISOR; /* above 2^63 it looks negative */
        r->whole = ir_constant_int(v, &constant) && constant <= MOST_DIVISOR && constant >= least;
        for (int l = 0; l < q->lanes; l++)
            r->lane[l] = r->whole ? constant : step * l;
        return true;
    }
    if (!v->op || depth == 0 || (cpu_value_of(q->e, v)->buffer && cpu_value_of(q->e, v)->ready))
        return false;
    if (cpu_moves_elements(v->op)) {
        struct cpu_position operand = cpu_operand_position(q->e, v->op, p);
        return operand.lane >= 0 && find(q, v->op->operands[0], &operand, depth - 1, r);
    }
    return of_op(q, v->op, p, depth, r) && within_reach(q, r);
}

bool cpu_pattern_of(struct cpu_emit *e, const struct ir_value *v, const struct cpu_position *p,
                    struct cpu_pattern *pattern)
{
    struct question q = {e, e->body.lanes, false};
    return p->lane >= 0 && e->body.aligned && q.lanes > 1 && q.lanes <= CPU_PATTERN_LANES &&
           find(&q, v, p, DEPTH, pattern);
}

bool cpu_may_have_pattern(struct cpu_emit *e, const struct ir_value *v)
{
    struct question q = {e, e->level->vector_bits / 32, true};
    struct cpu_position p = {.rank = v->type.rank, .lane = -1};
    struct cpu_pattern pattern;
    for (int k = 0; k < p.rank; k++) {
        p.index[k] = cpu_i64(e, 0);
        p.lane = v->type.dims[k] > 1 ? k : p.lane;
    }
    return p.lane >= 0 && q.lanes > 1 && q.lanes <= CPU_PATTERN_LANES &&
           find(&q, v, &p, DEPTH, &pattern);
}

static bool makes_patterns(enum ir_opcode code)
{
    switch (code) {
    case IR_OP_DIV:
    case IR_OP_REM:
    case IR_OP_SHR:
    case IR_OP_AND:
    case IR_OP_OR:
    case IR_OP_XOR:
        return true;
    default:
        return ir_is_comparison(code);
    }
}

bool cpu_pattern_element(struct cpu_emit *e, const struct ir_value *v, const struct cpu_position *p,
                         struct cpu_element *element)
{
    struct cpu_pattern pattern;
    LLVMValueRef lane[CPU_PATTERN_LANES];
    if (!makes_patterns(v->op->code) || v->type.pointer || !cpu_pattern_of(e, v, p, &pattern))
        return false;
    LLVMTypeRef unit = cpu_register_type(e, ir_scalar((enum ir_elem)v->type.elem));
    int64_t from = pattern.whole ? 0 : pattern.lane[0];
    bool same = true;
    for (int l = 0; l < e->body.lanes; l++) {
        same = same && pattern.lane[l] == pattern.lane[0];
        lane[l] = LLVMConstInt(unit, (unsigned long long)(pattern.lane[l] - from), true);
    }
    *element = (struct cpu_element){lane[0], false};
    if (!pattern.whole) {
        struct cpu_position first = *p;
        first.lane = -1;
        *element = cpu_element_of(e, v, &first);
    }
    if (same)
        return true;
    LLVMValueRef lanes = LLVMConstVector(lane, (unsigned)e->body.lanes);
    if (!pattern.whole)
        lanes = LLVMBuildAdd(e->builder, cpu_splat(e, element->v, e->body.lanes), lanes, "");
    *element = (struct cpu_element){lanes, true};
    return true;
}

/* ---- loads ----------------------------------------------------------------------------------- */

static void ends_of(const int64_t *offset, int lanes, int64_t *least, int64_t *most)
{
    *least = *most = offset[0];
    for (int l = 1; l < lanes; l++) {
        *least = offset[l] < *least ? offset[l] : *least;
        *most = offset[l] > *most ? offset[l] : *most;
    }
}

bool cpu_may_load_pattern(const struct cpu_emit *e, struct ir_type type, const int64_t *offset)
{
    int64_t least, most;
    ends_of(offset, e->body.lanes, &least, &most);
    return most - least < 2 * e->body.lanes && cpu_memory_bytes(type) <= 8;
}

static LLVMValueRef load_at(struct cpu_emit *e, struct ir_type type, LLVMValueRef pointer,
                            int64_t place, int64_t lanes)
{
    LLVMTypeRef unit = cpu_memory_type(e, type);
    LLVMValueRef offset = cpu_i64(e, place);
    pointer = LLVMBuildGEP2(e->builder, unit, pointer, &offset, 1, "");
    LLVMValueRef load = LLVMBuildLoad2(e->builder, cpu_vector(unit, (int)lanes), pointer, "");
    cpu_set_align(load, cpu_memory_bytes(type));
    return load;
}

/* Two vectors of a power of two of elements, the one from the lowest on, the other up to the
 * highest; or one that is all of them. */
LLVMValueRef cpu_load_pattern(struct cpu_emit *e, struct ir_type type, LLVMValueRef pointer,
                              const int64_t *offset)
{
    int64_t least, most, part = 1;
    int lanes = e->body.lanes;
    LLVMValueRef place[CPU_PATTERN_LANES];
    ends_of(offset, lanes, &least, &most);
    if (least == most)
        return cpu_splat(e, load_at(e, type, pointer, least, 1), lanes);
    while (2 * part <= most - least + 1 && part < lanes)
        part *= 2;
    LLVMValueRef low = load_at(e, type, pointer, least, part), high = low;
    if (part <= most - least)
        high = load_at(e, type, pointer, most - part + 1, part);
    for (int l = 0; l < lanes; l++) {
        bool in_low = offset[l] - least < part;
        int64_t at = in_low ? offset[l] - least : part + offset[l] - (most - part + 1);
        place[l] = LLVMConstInt(e->i32, (unsigned long long)at, false);
    }
    LLVMValueRef choice = LLVMConstVector(place, (unsigned)lanes);
    return LLVMBuildShuffleVector(e->builder, low, high, choice, "");
}
