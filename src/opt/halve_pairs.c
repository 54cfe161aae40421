/*
 * halve_pairs: tiles that are joined of two, or split in two, become two tiles of half the length.
 *
 *   %x = load (addptr %X, (arange 0 to 128))      %i = mul (arange 0 to 64), 2
 *   %p = reshape %x : f32[64, 2]                  %a = load (addptr %X, (add %i, 0))
 *   %a, %b = split %p                         ->  %b = load (addptr %X, (add %i, 1))
 *   %j = join %c, %d : f32[64, 2]                 store (addptr %Out, (add %i, 0)), %c
 *   store (addptr %Out, (arange 0 to 128)),       store (addptr %Out, (add %i, 1)), %d
 *       (reshape %j : f32[128])
 *
 * A loop nest of a CPU runs over the last axis in vectors, and of one of two elements that is a
 * vector of two. Loads and stores of every second element it makes vectors of (src/cpu/strided.c).
 * A GPU keeps pairs in one thread's registers and is left alone.
 *
 * Halves are taken of ops that work element by element: those that make indices, masks and
 * addresses, loads, and what is computed of them if nothing else wants it, or it would be computed
 * twice. A load's halves stand where it stood, so that no store comes between; a store's values for
 * different elements have different addresses, so that their order is free.
 */
#include "opt/pass.h"

enum { MOST_DEPTH = 24, BUDGET = 512 };

/* Which elements of the last axis: of [..., 2] the one, or of [..., 2 n] every second one. */
enum half { HALF_ONE, HALF_EVERY };

struct halve {
    struct ir_func *func;
    int budget;
    bool joined; /* what may be halved is made of a join */
    bool changed;
    struct made {
        const struct ir_value *of;
        enum half half;
        int k;
        struct ir_value *value;
        struct made *next;
    } *made;
};

static int last_size(struct ir_type type)
{
    return type.rank ? type.dims[type.rank - 1] : 0;
}

static struct ir_type half_type(struct ir_type type, enum half half)
{
    if (half == HALF_ONE)
        type.dims[--type.rank] = 0;
    else
        type.dims[type.rank - 1] /= 2;
    return type;
}

static bool has_half(struct ir_type type, enum half half)
{
    return half == HALF_ONE ? last_size(type) == 2
                            : last_size(type) % 2 == 0 && last_size(type) > 0;
}

/* Of a last axis of even length, either half is every second element of all in row-major order: so
 * it is of the same ones under another shape, if that has such an axis too. */
static bool reshaped_half(const struct ir_op *op, enum half *operand)
{
    *operand = last_size(op->operands[0]->type) == 2 ? HALF_ONE : HALF_EVERY;
    return has_half(op->operands[0]->type, *operand);
}

static bool is_rebuilt(const struct ir_op *op)
{
    return op->code == IR_OP_LOAD ||
           (ir_has(op, IR_PURE | IR_ELEMENTWISE) && op->code != IR_OP_CONVERT_LAYOUT);
}

/* An index, a mask or an address: little to compute twice. */
static bool is_place(struct ir_type type)
{
    return type.pointer || !ir_is_float((enum ir_elem)type.elem);
}

/* ---- whether there are halves ---------------------------------------------------------------- */

static bool may_halve(struct halve *h, struct ir_value *value, enum half half, int depth)
{
    const struct ir_value *v = ir_current(value);
    const struct ir_op *op = v->op;
    enum half operand;
    if (!op || !has_half(v->type, half) || depth == 0 || h->budget-- <= 0)
        return false;
    switch (op->code) {
    case IR_OP_CONSTANT:
    case IR_OP_ARANGE:
        return true;
    case IR_OP_JOIN:
        h->joined = h->joined || half == HALF_ONE;
        return half == HALF_ONE;
    case IR_OP_BROADCAST:
        return last_size(op->operands[0]->type) <= 1 ||
               may_halve(h, op->operands[0], half, depth - 1);
    default:
        break;
    }
    if (v->uses > 1 && !is_place(v->type))
        return false;
    if (op->code == IR_OP_RESHAPE)
        return reshaped_half(op, &operand) && may_halve(h, op->operands[0], operand, depth - 1);
    if (!is_rebuilt(op))
        return false;
    for (int i = 0; i < op->operand_count; i++) {
        if (op->operands[i]->type.rank > 0 && !may_halve(h, op->operands[i], half, depth - 1))
            return false;
    }
    return true;
}

/* ---- halves ---------------------------------------------------------------------------------- */

static struct ir_value *halve(struct halve *h, struct ir_value *v, enum half half, int k);

static struct ir_value *halve_arange(struct ir_builder *b, const struct ir_op *op, enum half half,
                                     int k)
{
    int64_t begin = op->attributes.begin + k;
    if (half == HALF_ONE)
        return ir_constant_i64(b, begin);
    struct ir_value *i = ir_arange(b, 0, last_size(op->results[0]->type) / 2);
    struct ir_value *two = ir_constant(b, i->type, 2);
    struct ir_value *first = ir_constant(b, i->type, (uint64_t)begin);
    return ir_binary(b, IR_OP_ADD, ir_binary(b, IR_OP_MUL, i, two), first);
}

/* [.., 1] without that axis, where it goes. */
static struct ir_value *halve_broadcast(struct halve *h, struct ir_builder *b,
                                        const struct ir_op *op, enum half half, int k)
{
    struct ir_value *x = op->operands[0];
    struct ir_type shape = half_type(op->results[0]->type, half);
    if (last_size(x->type) > 1)
        x = halve(h, x, half, k);
    else if (x->type.rank > 0 && half == HALF_ONE)
        x = ir_reshape(b, x, half_type(x->type, half));
    return ir_broadcast(b, x, ir_with_shape(x->type, shape));
}

static struct ir_value *halve_reshape(struct halve *h, struct ir_builder *b, const struct ir_op *op,
                                      enum half half, int k)
{
    enum half operand;
    reshaped_half(op, &operand);
    struct ir_value *x = halve(h, op->operands[0], operand, k);
    struct ir_type type = half_type(op->results[0]->type, half);
    if (ir_type_equal(x->type, type))
        return x;
    return x->type.rank ? ir_reshape(b, x, type) : ir_broadcast(b, x, type);
}

static struct ir_value *rebuild(struct halve *h, struct ir_builder *b, const struct ir_op *op,
                                enum half half, int k)
{
    struct ir_value *operands[3];
    struct ir_type type = half_type(op->results[0]->type, half);
    for (int i = 0; i < op->operand_count; i++) {
        struct ir_value *x = op->operands[i];
        operands[i] = x->type.rank ? halve(h, x, half, k) : x;
    }
    return ir_build(b, op->code, op->operand_count, operands, 1, &type, 0, &op->attributes)
        ->results[0];
}

static struct ir_value *make(struct halve *h, struct ir_value *v, enum half half, int k)
{
    struct ir_op *op = v->op;
    struct ir_builder b = pass_builder(h->func, op);
    switch (op->code) {
    case IR_OP_CONSTANT:
        return ir_constant(&b, half_type(v->type, half), op->attributes.bits);
    case IR_OP_ARANGE:
        return halve_arange(&b, op, half, k);
    case IR_OP_JOIN:
        return op->operands[k];
    case IR_OP_BROADCAST:
        return halve_broadcast(h, &b, op, half, k);
    case IR_OP_RESHAPE:
        return halve_reshape(h, &b, op, half, k);
    default:
        return rebuild(h, &b, op, half, k);
    }
}

static struct ir_value *halve(struct halve *h, struct ir_value *v, enum half half, int k)
{
    v = ir_current(v);
    for (const struct made *m = h->made; m; m = m->next) {
        if (m->of == v && m->half == half && m->k == k)
            return m->value;
    }
    struct made *made = ARENA_NEW(h->func->arena, struct made);
    struct ir_value *value = make(h, v, half, k);
    *made = (struct made){v, half, k, value, h->made};
    h->made = made;
    return value;
}

/* ---- splits and stores ----------------------------------------------------------------------- */

static bool may_halve_all(struct halve *h, struct ir_value *const *values, int count,
                          enum half half)
{
    h->budget = BUDGET;
    h->joined = false;
    for (int i = 0; i < count; i++) {
        if (values[i]->type.rank > 0 && !may_halve(h, values[i], half, MOST_DEPTH))
            return false;
    }
    return true;
}

static void halve_split(struct halve *h, struct ir_op *op)
{
    if (op->operands[0]->op && op->operands[0]->op->code == IR_OP_JOIN)
        return; /* fold's */
    if (op->results[0]->type.rank == 0 || !may_halve_all(h, op->operands, 1, HALF_ONE))
        return;
    for (int k = 0; k < 2; k++)
        ir_replace(op->results[k], halve(h, op->operands[0], HALF_ONE, k));
    ir_remove(op);
    h->changed = true;
}

/* Gives the first of the two stores, which may be of pairs again. */
static struct ir_op *halve_store(struct halve *h, struct ir_op *op)
{
    struct ir_op *first = NULL;
    struct ir_type type = op->operands[0]->type;
    enum half half = last_size(type) == 2 ? HALF_ONE : HALF_EVERY;
    if (ir_element_count(type) <= 2 || !has_half(type, half) ||
        !may_halve_all(h, op->operands, op->operand_count, half) || !h->joined)
        return NULL;
    for (int k = 0; k < 2; k++) {
        struct ir_builder b = pass_builder(h->func, op);
        struct ir_value *operands[3];
        for (int i = 0; i < op->operand_count; i++) {
            struct ir_value *x = op->operands[i];
            operands[i] = x->type.rank ? halve(h, x, half, k) : x;
        }
        struct ir_op *store =
            ir_build(&b, IR_OP_STORE, op->operand_count, operands, 0, NULL, 0, &op->attributes);
        first = first ? first : store;
    }
    ir_remove(op);
    h->changed = true;
    return first;
}

static void visit(struct halve *h, struct ir_region *region)
{
    struct ir_op *next;
    for (struct ir_op *op = region->first; op; op = next) {
        next = op->next;
        for (int i = 0; i < op->region_count; i++)
            visit(h, op->regions[i]);
        if (op->code == IR_OP_SPLIT)
            halve_split(h, op);
        struct ir_op *again = op->code == IR_OP_STORE ? halve_store(h, op) : NULL;
        next = again ? again : next;
    }
}

bool pass_halve_pairs(struct pass_context *context, struct ir_func *func)
{
    struct halve h = {.func = func};
    if (!context->carries_in_memory)
        return false;
    ir_count_uses(func);
    visit(&h, func->body);
    ir_apply_replacements(func);
    return h.changed;
}
