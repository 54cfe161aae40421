/*
 * Stores of a matrix product: they say which scalars number the blocks, how far rows and columns
 * reach, and under which other conditions anything is stored. Operands are held against that
 * (matrix_operand.c).
 */
#include "plan/matrix_internal.h"

/* ---- what programs share --------------------------------------------------------------------- */

/* budget: values that may still be looked at, because shared ones are met again and again. */
static bool is_common_value(const struct matrix_search *s, const struct ir_value *v, int *budget)
{
    const struct plan_matrix *m = s->matrix;
    if (!v->op)
        return !v->region->parent;
    if (--*budget < 0 || v->type.rank > 0 || !ir_has(v->op, IR_PURE) || v->op->region_count)
        return false;
    if (v->op->code == IR_OP_PROGRAM_ID)
        return !s->all_axes && v->op->attributes.axis != m->row_axis &&
               v->op->attributes.axis != m->column_axis;
    for (int i = 0; i < v->op->operand_count; i++) {
        if (!is_common_value(s, v->op->operands[i], budget))
            return false;
    }
    return true;
}

bool matrix_is_common(const struct matrix_search *s, const struct polynomial *p)
{
    for (int i = 0; i < p->count; i++) {
        if (p->terms[i].axis >= 0)
            return false;
        for (int k = 0; k < p->terms[i].count; k++) {
            int budget = 256;
            if (!is_common_value(s, p->terms[i].symbols[k], &budget))
                return false;
        }
    }
    return true;
}

/* ---- the numbers of the blocks --------------------------------------------------------------- */

static bool scaled_equal(const struct polynomial *p, const struct polynomial *q, int64_t factor)
{
    struct polynomial scaled = {0};
    return polynomial_add(&scaled, q, factor) && polynomial_equal(p, &scaled);
}

/* Finds X and Y: the scalars that move the store by whole blocks. */
static bool find_blocks(struct matrix_search *s, const struct ir_op *op,
                        const struct matrix_access *a)
{
    const struct plan_matrix *m = s->matrix;
    for (int i = 0; i < a->address.count; i++) {
        for (int k = 0; k < a->address.terms[i].count; k++) {
            const struct ir_value *v = a->address.terms[i].symbols[k];
            struct polynomial coefficient, rest;
            if (v == s->row_block || v == s->column_block || !matrix_program_of(v) ||
                !polynomial_split_symbol(&a->address, v, &coefficient, &rest))
                continue;
            if (!s->row_block && scaled_equal(&coefficient, &a->stride[0], m->block_m))
                s->row_block = v;
            else if (!s->column_block && scaled_equal(&coefficient, &a->stride[1], m->block_n))
                s->column_block = v;
        }
    }
    return (a->stride[0].count && a->stride[1].count) ||
           matrix_fail(s, op, "rows or columns of the result lie on each other");
}

bool matrix_take_block(struct matrix_search *s, struct polynomial *p, const struct ir_value *symbol,
                       const struct ir_value *other, const struct polynomial *per_block)
{
    struct polynomial coefficient = {0}, rest = *p, none = {0};
    if (other && (!polynomial_split_symbol(&rest, other, &coefficient, &rest) || coefficient.count))
        return false;
    if (symbol && (!polynomial_split_symbol(p, symbol, &coefficient, &rest) ||
                   !polynomial_equal(&coefficient, per_block)))
        return false;
    if (!symbol && !polynomial_equal(&coefficient, &none))
        return false;
    *p = rest;
    return matrix_is_common(s, p);
}

/* ---- limits and guards ----------------------------------------------------------------------- */

bool matrix_take_limit(struct matrix_search *s, const struct ir_op *op,
                       const struct matrix_access *a, int i, struct polynomial *limit)
{
    const struct plan_matrix *m = s->matrix;
    bool column = a->conditions[i].axis == 1;
    struct polynomial minus = polynomial_constant(column ? -m->block_n : -m->block_m), index;
    const struct ir_value *own = column ? s->column_block : s->row_block;
    const struct ir_value *other = column ? s->row_block : s->column_block;
    int64_t start;
    *limit = a->conditions[i].room;
    if (!matrix_take_block(s, limit, own, other, &minus))
        return matrix_fail(s, op, "a mask is not a limit of rows, columns or K");
    /* a view's index must not be negative */
    index = a->conditions[i].index;
    struct polynomial plus = polynomial_constant(column ? m->block_n : m->block_m);
    if (index.count && own && !matrix_take_block(s, &index, own, other, &plus))
        return matrix_fail(s, op, "a view's index is not that of the program's block");
    return (polynomial_is_constant(&index, &start) && start >= 0) ||
           matrix_fail(s, op, "a view's index may be negative");
}

bool matrix_add_guard(struct matrix_search *s, struct matrix_guard *guards, int *count,
                      const struct matrix_access *a, int i)
{
    if (*count == MATRIX_MOST_GUARDS || !matrix_is_common(s, &a->conditions[i].index) ||
        !matrix_is_common(s, &a->conditions[i].extent))
        return false;
    guards[(*count)++] = (struct matrix_guard){a->conditions[i].index, a->conditions[i].extent};
    return true;
}

bool matrix_has_guard(const struct matrix_guard *guards, int count, const struct matrix_access *a,
                      int i)
{
    for (int k = 0; k < count; k++) {
        if (polynomial_equal(&guards[k].index, &a->conditions[i].index) &&
            polynomial_equal(&guards[k].extent, &a->conditions[i].extent))
            return true;
    }
    return false;
}

bool matrix_meets_guards(const struct matrix_guard *guards, int count,
                         const struct matrix_access *a)
{
    for (int k = 0; k < count; k++) {
        bool met = false;
        for (int i = 0; i < a->condition_count; i++)
            met = met || (a->conditions[i].axis < 0 && matrix_has_guard(&guards[k], 1, a, i));
        if (!met)
            return false;
    }
    return true;
}

/* ---- stores ---------------------------------------------------------------------------------- */

/* The first store sets limits and guards; others must have the same ones. */
static bool store_conditions(struct matrix_search *s, const struct ir_op *op,
                             const struct matrix_access *a, bool first)
{
    struct plan_matrix *m = s->matrix;
    bool *has[2] = {&m->has_row_limit, &m->has_column_limit};
    struct polynomial *limits[2] = {&m->row_limit, &m->column_limit};
    bool met[2] = {false, false};
    for (int i = 0; i < a->condition_count; i++) {
        int axis = a->conditions[i].axis;
        struct polynomial limit;
        if (axis < 0) {
            if (first ? !matrix_add_guard(s, m->guards, &m->guard_count, a, i)
                      : !matrix_has_guard(m->guards, m->guard_count, a, i))
                return matrix_fail(s, op, "a condition of a store depends on the block");
            continue;
        }
        if (!matrix_take_limit(s, op, a, i, &limit))
            return false;
        if ((first && !*has[axis]) || (*has[axis] && polynomial_equal(&limit, limits[axis]))) {
            *has[axis] = met[axis] = true;
            *limits[axis] = limit;
            continue;
        }
        return matrix_fail(s, op, "stores reach differently far");
    }
    return (first || (met[0] == *has[0] && met[1] == *has[1] &&
                      matrix_meets_guards(m->guards, m->guard_count, a))) ||
           matrix_fail(s, op, "stores reach differently far");
}

static bool note_plain(struct matrix_search *s, const struct ir_op *op,
                       const struct matrix_access *a, const struct polynomial *base)
{
    struct plan_matrix *m = s->matrix;
    const struct ir_value *value =
        op->operands[op->code == IR_OP_STORE ? 1 : op->operand_count - 1];
    m->plain_elem = (enum ir_elem)value->type.elem;
    if (value->op && value->op->code == IR_OP_CAST)
        value = value->op->operands[0];
    m->plain = (op->code == IR_OP_STORE || op->code == IR_OP_VIEW_STORE) &&
               m->accumulator_count == 1 && value == m->accumulators[0].result &&
               !m->accumulators[0].adds;
    m->plain_root = a->root;
    m->plain_base = *base;
    m->plain_row_stride = a->stride[0];
    m->plain_column_stride = a->stride[1];
    return true;
}

static bool add_store(struct matrix_search *s, const struct ir_op *op)
{
    struct plan_matrix *m = s->matrix;
    struct matrix_access a;
    bool view = op->code == IR_OP_VIEW_STORE;
    struct ir_type type = op->operands[view ? op->operand_count - 1 : 0]->type;
    if (m->store_count == MATRIX_MOST_STORES)
        return matrix_fail(s, op, "the kernel has more than four stores");
    if (!ir_shape_equal(type, m->accumulators[0].result->type))
        return matrix_fail(s, op, "a store has another shape than the sums");
    if (!matrix_read_access(s, op, &a))
        return false;
    bool first = m->store_count == 0;
    if (first && (!find_blocks(s, op, &a) || !matrix_find_order(s, op)))
        return false;
    struct polynomial base = a.address, per[2] = {{0}, {0}};
    polynomial_add(&per[0], &a.stride[0], m->block_m);
    polynomial_add(&per[1], &a.stride[1], m->block_n);
    struct polynomial coefficient, rest;
    if (s->column_block && (!polynomial_split_symbol(&base, s->column_block, &coefficient, &rest) ||
                            !polynomial_equal(&coefficient, &per[1])))
        return matrix_fail(s, op, "a store's address does not move by whole blocks");
    if (s->column_block)
        base = rest;
    if (!matrix_take_block(s, &base, s->row_block, NULL, &per[0]) ||
        !matrix_is_common(s, &a.stride[0]) || !matrix_is_common(s, &a.stride[1]))
        return matrix_fail(s, op, "a store's address does not move by whole blocks");
    m->stores[m->store_count++] = op;
    return store_conditions(s, op, &a, first) && (!first || note_plain(s, op, &a, &base));
}

bool matrix_find_stores(struct matrix_search *s)
{
    struct plan_matrix *m = s->matrix;
    for (const struct ir_op *op = s->func->body->first; op; op = op->next) {
        if (op->code == IR_OP_ASSERT || op->code == IR_OP_PRINT)
            return matrix_fail(s, op, "the kernel asserts or prints something");
        if (ir_has(op, IR_WRITES) && !add_store(s, op))
            return false;
    }
    m->plain = m->plain && m->store_count == 1;
    return m->store_count > 0 || matrix_fail(s, m->products[0].dot, "the sums are not stored");
}
