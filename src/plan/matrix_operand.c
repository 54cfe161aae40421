/*
 * Operands of a matrix product: each dot multiplies two tiles that are loaded, which move with the
 * program's block and with the trip along K, and end where the result or K does.
 */
#include "plan/matrix_internal.h"

#include "ir/affine.h"

/* The first trip's place along K must not be negative where a view compares it with 0. */
static bool starts_inside(struct matrix_search *s, const struct polynomial *start)
{
    int64_t constant;
    struct polynomial lo;
    if (polynomial_is_constant(start, &constant))
        return constant >= 0;
    const struct ir_op *loop = s->matrix->loop;
    return loop && polynomial_of(loop->operands[0], NULL, &lo) && polynomial_equal(start, &lo) &&
           ir_range(loop->operands[0]).least >= 0;
}

/* Takes trip * per_trip off p; false: p depends on the trip in another way. */
static bool take_trip(struct matrix_search *s, struct polynomial *p,
                      const struct polynomial *per_trip)
{
    struct polynomial coefficient, rest;
    if (!s->trip)
        return true;
    if (!polynomial_split_symbol(p, s->trip, &coefficient, &rest) ||
        !polynomial_equal(&coefficient, per_trip))
        return false;
    *p = rest;
    return true;
}

static bool depth_condition(struct matrix_search *s, struct matrix_product *product, bool *has,
                            struct polynomial *depth, const struct matrix_access *a, int i)
{
    struct polynomial room = a->conditions[i].room, start = a->conditions[i].index;
    struct polynomial minus = polynomial_constant(-product->block_k);
    struct polynomial plus = polynomial_constant(product->block_k);
    if (*has || !take_trip(s, &room, &minus) || !matrix_is_common(s, &room))
        return false;
    if (start.count && (!take_trip(s, &start, &plus) || !starts_inside(s, &start)))
        return false;
    *has = true;
    *depth = room;
    return true;
}

/* A condition that the store does not have: both operands must have it, so that all is 0 times 0
 * where it does not hold. */
static bool take_guard(struct matrix_search *s, struct matrix_product *product,
                       const struct matrix_access *a, int i, bool is_b)
{
    if (is_b)
        return matrix_has_guard(product->guards, product->guard_count, a, i);
    return matrix_add_guard(s, product->guards, &product->guard_count, a, i);
}

static bool operand_conditions(struct matrix_search *s, const struct ir_op *op,
                               struct matrix_product *product, const struct matrix_access *a,
                               bool is_b, int outer, bool *has, struct polynomial *depth)
{
    struct plan_matrix *m = s->matrix;
    for (int i = 0; i < a->condition_count; i++) {
        int axis = a->conditions[i].axis;
        if (axis < 0) {
            if (!matrix_has_guard(m->guards, m->guard_count, a, i) &&
                !take_guard(s, product, a, i, is_b))
                return matrix_fail(s, op, "a condition of a load is none of the store");
            continue;
        }
        if (axis != outer) {
            if (!depth_condition(s, product, has, depth, a, i))
                return matrix_fail(s, op, "a mask is not a limit of rows, columns or K");
            continue;
        }
        struct matrix_access turned = *a; /* matrix_take_limit knows rows as axis 0 */
        turned.conditions[i].axis = is_b;
        struct polynomial limit;
        if (!matrix_take_limit(s, op, &turned, i, &limit))
            return false;
        bool known = is_b ? m->has_column_limit : m->has_row_limit;
        if (!known || !polynomial_equal(&limit, is_b ? &m->column_limit : &m->row_limit))
            return matrix_fail(s, op, "an operand ends elsewhere than the result");
    }
    return true;
}

/* To what the dot multiplies, from a type that arrays have. A second conversion might round on the way. */
static bool is_one_conversion(const struct ir_op *dot, const struct ir_value *v)
{
    return v->op->code == IR_OP_CAST && v->type.elem == dot->operands[0]->type.elem &&
           v->op->operands[0]->type.elem != v->type.elem &&
           v->op->operands[0]->type.elem != IR_BOOL;
}

static bool find_operand(struct matrix_search *s, struct matrix_product *product, bool is_b,
                         bool *has_depth, struct polynomial *depth)
{
    const struct plan_matrix *m = s->matrix;
    const struct ir_value *v = product->dot->operands[is_b];
    struct matrix_operand *operand = is_b ? &product->b : &product->a;
    bool turned = false;
    while (v->op && (v->op->code == IR_OP_TRANS || is_one_conversion(product->dot, v))) {
        turned = turned != (v->op->code == IR_OP_TRANS && v->op->attributes.permutation[0] == 1);
        v = v->op->operands[0];
    }
    const struct ir_op *op = v->op;
    if (!op || (op->code != IR_OP_LOAD && op->code != IR_OP_VIEW_LOAD))
        return matrix_fail(s, product->dot, "an operand of the dot is computed, not loaded");
    struct matrix_access a;
    if (!matrix_read_access(s, op, &a))
        return false;
    int outer = is_b != turned, inner = !outer;
    struct polynomial base = a.address, per_trip = {0}, per_block = {0};
    polynomial_add(&per_trip, &a.stride[inner], product->block_k);
    polynomial_add(&per_block, &a.stride[outer], is_b ? m->block_n : m->block_m);
    if (!take_trip(s, &base, &per_trip))
        return matrix_fail(s, op, "an operand's address does not move along K with the loop");
    if (!matrix_take_block(s, &base, is_b ? s->column_block : s->row_block,
                           is_b ? s->row_block : s->column_block, &per_block) ||
        !matrix_is_common(s, &a.stride[0]) || !matrix_is_common(s, &a.stride[1]))
        return matrix_fail(s, op, "an operand's address does not move by whole blocks");
    *operand = (struct matrix_operand){.load = op,
                                       .root = a.root,
                                       .elem = (enum ir_elem)v->type.elem,
                                       .base = base,
                                       .outer_stride = a.stride[outer],
                                       .inner_stride = a.stride[inner]};
    return operand_conditions(s, op, product, &a, is_b, outer, has_depth, depth);
}

/* Whether B has all conditions that A has beyond the store's. */
static bool same_guards(struct matrix_search *s, const struct matrix_product *product)
{
    struct matrix_access b;
    if (product->guard_count == 0)
        return true;
    if (!matrix_read_access(s, product->b.load, &b))
        return false;
    return matrix_meets_guards(product->guards, product->guard_count, &b);
}

bool matrix_check_wraps(struct matrix_search *s)
{
    struct plan_matrix *m = s->matrix;
    for (int i = 0; i < s->wrap_count; i++) {
        bool good = false;
        for (int column = 0; column < 2; column++) {
            const struct ir_value *block = column ? s->column_block : s->row_block;
            bool has = column ? m->has_column_limit : m->has_row_limit;
            struct polynomial place_factor, rest, minus = {0}, one = polynomial_constant(1);
            struct polynomial per = polynomial_constant(column ? m->block_n : m->block_m);
            struct polynomial index = s->wraps[i].index;
            polynomial_split_axis(&index, 0, &place_factor, &rest);
            good = good || (has && block && polynomial_equal(&place_factor, &one) &&
                            matrix_take_block(s, &rest, block, NULL, &per) &&
                            polynomial_equal(&rest, &minus) &&
                            polynomial_equal(&s->wraps[i].modulus,
                                             column ? &m->column_limit : &m->row_limit));
        }
        if (!good)
            return matrix_fail(s, m->products[0].dot,
                               "an index is taken modulo something else than a limit");
    }
    return true;
}

/* The loop makes as many trips in all programs of a batch. */
static bool check_trips(struct matrix_search *s)
{
    const struct ir_op *loop = s->matrix->loop;
    for (int i = 0; loop && i < 2; i++) {
        struct polynomial bound;
        if (!polynomial_of(loop->operands[i], NULL, &bound) || !matrix_is_common(s, &bound))
            return matrix_fail(s, loop, "the loop's bounds depend on the block");
    }
    return true;
}

bool matrix_find_operands(struct matrix_search *s)
{
    struct plan_matrix *m = s->matrix;
    if (!check_trips(s))
        return false;
    for (int i = 0; i < m->product_count; i++) {
        struct matrix_product *product = &m->products[i];
        bool has_a = false, has_b = false;
        struct polynomial depth_b = {0};
        product->elem = (enum ir_elem)product->dot->operands[0]->type.elem;
        product->block_k = product->dot->operands[0]->type.dims[1];
        if (!find_operand(s, product, false, &has_a, &product->depth) ||
            !find_operand(s, product, true, &has_b, &depth_b))
            return false;
        if (!same_guards(s, product))
            return matrix_fail(s, product->dot, "a condition of a load is none of the store");
        if (has_a != has_b || !polynomial_equal(&product->depth, &depth_b))
            return matrix_fail(s, product->dot,
                               "the operands of a dot end at different places along K");
        product->has_depth = has_a;
    }
    return true;
}
