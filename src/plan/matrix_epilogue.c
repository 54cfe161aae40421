/*
 * What a matrix product's kernel does beside the product; see matrix.c. A target runs it element by
 * element, a few rows and columns at a time, when the sums are complete, so every element must
 * depend on its own place only, and no store may change what is read later.
 */
#include "plan/matrix_internal.h"

static const struct ir_value *pointer_root(const struct ir_value *v)
{
    while (v->op && v->op->operand_count > 0 && v->op->operands[0]->type.pointer)
        v = v->op->operands[0];
    if (!v->op && v->region->parent && v->region->parent->code == IR_OP_FOR && v->index > 0)
        return pointer_root(v->region->parent->operands[3 + v->index - 1]);
    return !v->op && !v->region->parent ? v : NULL;
}

/* Whether both touch, at each place of the tile, the same element. */
static bool same_places(struct matrix_search *s, const struct ir_op *load, const struct ir_op *store)
{
    struct matrix_access a, b;
    return load->results[0]->type.rank == 2 &&
           ir_shape_equal(load->results[0]->type, s->matrix->accumulators[0].result->type) &&
           matrix_read_access(s, load, &a) && matrix_read_access(s, store, &b) &&
           polynomial_equal(&a.address, &b.address) &&
           polynomial_equal(&a.stride[0], &b.stride[0]) &&
           polynomial_equal(&a.stride[1], &b.stride[1]);
}

static bool comes_before(const struct ir_op *a, const struct ir_op *b)
{
    for (const struct ir_op *op = a; op; op = op->next) {
        if (op == b)
            return true;
    }
    return false;
}

/* Operands are read again for other columns and rows, when stores have been made. */
static bool is_operand(const struct plan_matrix *m, const struct ir_op *load)
{
    for (int i = 0; i < m->product_count; i++) {
        if (m->products[i].a.load == load || m->products[i].b.load == load)
            return true;
    }
    return false;
}

/* Loads and stores of one array, or of arrays that may overlap. */
static bool check_pair(struct matrix_search *s, const struct ir_op *other,
                       const struct ir_op *store)
{
    const struct ir_value *x = pointer_root(other->operands[0]);
    const struct ir_value *y = pointer_root(store->operands[0]);
    const struct ir_parameter *parameters = s->func->parameters;
    if (!x || !y)
        return matrix_fail(s, other, "an access is to memory of unknown origin");
    if (x == y) {
        if (ir_is_load(other) && !is_operand(s->matrix, other) && other->parent == s->func->body &&
            same_places(s, other, store) && comes_before(other, store))
            return true;
        s->reason = NULL; /* of the comparison */
        return matrix_fail(s, other, "the kernel also reads, elsewhere, the array that it writes");
    }
    if (!parameters[x->index].is_restrict && !parameters[y->index].is_restrict)
        s->matrix->needs_no_overlap = true;
    return true;
}

static bool check_access(struct matrix_search *s, const struct ir_op *op)
{
    const struct plan_matrix *m = s->matrix;
    for (int i = 0; i < m->store_count; i++) {
        if (m->stores[i] != op && !check_pair(s, op, m->stores[i]))
            return false;
    }
    return true;
}

static bool is_stored(const struct plan_matrix *m, const struct ir_value *root)
{
    for (int i = 0; i < m->store_count; i++) {
        if (pointer_root(m->stores[i]->operands[0]) == root)
            return true;
    }
    return false;
}

/* Depends on a sum or on what a store changes, or on so much (budget: values that may still be
 * looked at) that it may: then it is only known at its own place. */
static bool has_place(const struct matrix_search *s, const struct ir_value *v, int *budget)
{
    const struct plan_matrix *m = s->matrix;
    for (int i = 0; i < m->accumulator_count; i++) {
        if (m->accumulators[i].result == v)
            return true;
    }
    if (--*budget < 0)
        return true;
    if (!v->op || v->type.rank == 0)
        return false;
    if (ir_is_load(v->op) && is_stored(m, pointer_root(v->op->operands[0])))
        return true;
    for (int i = 0; i < v->op->operand_count; i++) {
        if (has_place(s, v->op->operands[i], budget))
            return true;
    }
    return false;
}

static bool only_ones(const struct ir_op *op)
{
    struct ir_type from = op->operands[0]->type, to = op->results[0]->type;
    int i = 0, k = 0;
    for (;; i++, k++) {
        while (i < from.rank && from.dims[i] == 1)
            i++;
        while (k < to.rank && to.dims[k] == 1)
            k++;
        if (i == from.rank || k == to.rank)
            return i == from.rank && k == to.rank;
        if (from.dims[i] != to.dims[k])
            return false;
    }
}

static bool is_elementwise(struct matrix_search *s, const struct ir_op *op)
{
    int budget = 256;
    switch (op->code) {
    case IR_OP_CONSTANT:
    case IR_OP_PROGRAM_ID:
    case IR_OP_NUM_PROGRAMS:
    case IR_OP_ARANGE:
    case IR_OP_BROADCAST:
    case IR_OP_RETURN:
        return true;
    case IR_OP_RESHAPE:
        return op->results[0]->type.rank == 0 ? op->operands[0]->type.rank == 0 : only_ones(op);
    case IR_OP_TRANS:
        return !has_place(s, op->operands[0], &budget);
    case IR_OP_LOAD:
    case IR_OP_VIEW_LOAD:
        return true;
    default:
        return ir_has(op, IR_PURE | IR_ELEMENTWISE);
    }
}

static bool check_op(struct matrix_search *s, const struct ir_op *op, bool behind)
{
    const struct plan_matrix *m = s->matrix;
    if (ir_has(op, IR_WRITES)) {
        if (!behind)
            return matrix_fail(s, op, "the kernel stores before the product is complete");
        if (op->result_count && op->results[0]->uses)
            return matrix_fail(s, op, "the old value of an atomic is used");
        return check_access(s, op);
    }
    if (op->region_count)
        return matrix_fail(s, op, "the kernel has another loop or a branch");
    if (op->code == IR_OP_DOT && !m->loop)
        return true;
    if (!is_elementwise(s, op))
        return matrix_fail(s, op, "what is done with the sums is not element by element");
    return !ir_is_load(op) || check_access(s, op);
}

bool matrix_check_epilogue(struct matrix_search *s)
{
    const struct plan_matrix *m = s->matrix;
    const struct ir_op *product = m->loop ? m->loop : m->products[m->product_count - 1].dot;
    bool behind = false;
    for (const struct ir_op *op = s->func->body->first; op; op = op->next) {
        if (op != m->loop && !check_op(s, op, behind))
            return false;
        behind = behind || op == product;
    }
    if (!m->loop)
        return true;
    for (const struct ir_op *op = m->loop->regions[0]->first; op; op = op->next) {
        if (ir_is_load(op) && !check_access(s, op))
            return false;
    }
    return true;
}
