/*
 * Addresses and masks of a matrix product; see matrix.c.
 *
 * An access reads or writes a tile of two axes. Its address is a polynomial in the axes, the
 * numbers of the blocks and the trip of the loop; each mask is a list of conditions, bound - index >
 * 0, where one axis takes part with the factor -1.
 */
#include "plan/matrix_internal.h"

#include "ir/affine.h"

/* ---- reading an access ----------------------------------------------------------------------- */

static bool add_condition(struct matrix_access *a, const struct polynomial *room)
{
    enum { MOST = sizeof a->conditions / sizeof *a->conditions };
    if (a->condition_count == MOST)
        return false;
    a->conditions[a->condition_count].room = *room;
    a->conditions[a->condition_count].index = (struct polynomial){0};
    a->conditions[a->condition_count].extent = *room;
    a->conditions[a->condition_count++].axis = -1;
    return true;
}

/* x < y and so on: y - x, or one more */
static bool read_comparison(struct matrix_search *s, const struct ir_op *op,
                            struct matrix_access *a)
{
    struct polynomial x, room, one = polynomial_constant(1);
    bool greater = op->code == IR_OP_GT || op->code == IR_OP_GE;
    if (!polynomial_of(op->operands[!greater], &s->scope, &room) ||
        !polynomial_of(op->operands[greater], &s->scope, &x) || !polynomial_add(&room, &x, -1))
        return false;
    bool equal = op->code == IR_OP_LE || op->code == IR_OP_GE;
    return (!equal || polynomial_add(&room, &one, 1)) && add_condition(a, &room);
}

static bool read_mask(struct matrix_search *s, const struct ir_value *mask, struct matrix_access *a,
                      int depth)
{
    const struct ir_op *op = mask->op;
    uint64_t bits;
    if (ir_constant_bits(mask, &bits))
        return bits == 1;
    if (!op || depth == 0)
        return false;
    int first = a->condition_count;
    switch (op->code) {
    case IR_OP_AND:
        return read_mask(s, op->operands[0], a, depth - 1) &&
               read_mask(s, op->operands[1], a, depth - 1);
    case IR_OP_LT:
    case IR_OP_LE:
    case IR_OP_GT:
    case IR_OP_GE:
        return read_comparison(s, op, a);
    case IR_OP_BROADCAST:
    case IR_OP_RESHAPE:
    case IR_OP_TRANS:
        if (!read_mask(s, op->operands[0], a, depth - 1))
            return false;
        for (int i = first; i < a->condition_count; i++) {
            if (!polynomial_reshape(op, &a->conditions[i].room))
                return false;
        }
        return true;
    default:
        return false;
    }
}

/* Which axis each condition is about. */
static bool sort_conditions(struct matrix_access *a)
{
    for (int i = 0; i < a->condition_count; i++) {
        struct polynomial factor[2], rest;
        int64_t value[2];
        if (a->conditions[i].axis >= 0 || !polynomial_has_axis(&a->conditions[i].room)) {
            continue;
        }
        for (int axis = 0; axis < 2; axis++) {
            polynomial_split_axis(&a->conditions[i].room, axis, &factor[axis], &rest);
            if (!polynomial_is_constant(&factor[axis], &value[axis]))
                return false;
        }
        if (!((value[0] == -1 && value[1] == 0) || (value[0] == 0 && value[1] == -1)))
            return false;
        a->conditions[i].axis = value[1] == -1;
        if (!polynomial_is_constant(&a->conditions[i].index, &value[0]))
            return false;
    }
    return true;
}

static bool read_pointer(struct matrix_search *s, const struct ir_op *op, struct matrix_access *a)
{
    const struct ir_value *pointer = op->operands[0], *mask = NULL;
    uint64_t bits;
    if (op->code == IR_OP_LOAD && op->operand_count > 1) {
        mask = op->operands[1];
        if (!ir_constant_bits(op->operands[2], &bits) || bits != 0)
            return matrix_fail(s, op, "a load does not read 0 where it is masked off");
    } else if (op->code != IR_OP_LOAD && op->operand_count > 2) {
        mask = op->operands[op->operand_count - 1];
    }
    if (!polynomial_of_address(pointer, &s->scope, &a->root, &a->address))
        return matrix_fail(s, op, "an address is not a sum of strides times indices");
    if (pointer->type.dims[0] == 1 || pointer->type.dims[1] == 1)
        return matrix_fail(s, op, "a block through pointers has one row or column");
    struct polynomial rest;
    for (int axis = 0; axis < 2; axis++)
        polynomial_split_axis(&a->address, axis, &a->stride[axis], &rest);
    s->no_wraps = !ir_is_load(op);
    bool limits = !mask || (read_mask(s, mask, a, 16) && sort_conditions(a));
    s->no_wraps = false;
    if (!limits)
        return matrix_fail(s, op, "a mask is not a limit of rows, columns or K");
    return true;
}

static bool is_program_id(const struct polynomial *p)
{
    const struct polynomial_term *term = &p->terms[0];
    return p->count == 1 && term->factor == 1 && term->count == 1 && term->axis < 0 &&
           term->symbols[0]->op && term->symbols[0]->op->code == IR_OP_PROGRAM_ID;
}

static bool read_view(struct matrix_search *s, const struct ir_op *op, struct matrix_access *a)
{
    int axes = op->attributes.view_rank;
    if (!polynomial_of_address(op->operands[0], &s->scope, &a->root, &a->address))
        return matrix_fail(s, op, "an address is not a sum of strides times indices");
    for (int k = 0; k < axes; k++) {
        struct polynomial extent, stride, index, way;
        if (!polynomial_of(op->operands[1 + k], &s->scope, &extent) ||
            !polynomial_of(op->operands[1 + axes + k], &s->scope, &stride) ||
            !polynomial_of(op->operands[1 + 2 * axes + k], &s->scope, &index) ||
            !polynomial_multiply(&index, &stride, &way) || !polynomial_add(&a->address, &way, 1) ||
            a->condition_count == 8)
            return matrix_fail(s, op, "an index of a view is too involved");
        int at = a->condition_count++, axis = k - (axes - 2);
        a->conditions[at].index = index;
        a->conditions[at].extent = a->conditions[at].room = extent;
        a->conditions[at].axis = axis < 0 ? -1 : axis;
        polynomial_add(&a->conditions[at].room, &index, -1);
        if (axis >= 0)
            a->stride[axis] = stride;
        else if (is_program_id(&index)) /* never negative: as a mask would say it */
            a->conditions[at] = (struct matrix_condition){
                .room = a->conditions[at].room, .extent = a->conditions[at].room, .axis = -1};
    }
    return true;
}

bool matrix_read_access(struct matrix_search *s, const struct ir_op *op,
                        struct matrix_access *access)
{
    uint64_t bits;
    *access = (struct matrix_access){0};
    if (op->code == IR_OP_VIEW_LOAD &&
        (!ir_constant_bits(op->operands[op->operand_count - 1], &bits) || bits != 0))
        return matrix_fail(s, op, "a load does not read 0 outside of its view");
    if (op->code == IR_OP_VIEW_LOAD || op->code == IR_OP_VIEW_STORE) {
        if (!read_view(s, op, access))
            return false;
    } else if (!read_pointer(s, op, access)) {
        return false;
    }
    /* From here on the address is that of the tile's first element, and the rooms too. */
    for (int axis = 0; axis < 2; axis++) {
        struct polynomial coefficient, rest;
        polynomial_split_axis(&access->address, axis, &coefficient, &rest);
        access->address = rest;
        for (int i = 0; i < access->condition_count; i++) {
            polynomial_split_axis(&access->conditions[i].room, axis, &coefficient, &rest);
            access->conditions[i].room = rest;
        }
    }
    return !polynomial_has_axis(&access->address) || matrix_fail(s, op, "an address mixes axes");
}

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
        return v->op->attributes.axis != m->row_axis && v->op->attributes.axis != m->column_axis;
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

/* p - block * symbol must not depend on either block; p is left without it. */
static bool take_block(struct matrix_search *s, struct polynomial *p,
                       const struct ir_value *symbol, const struct ir_value *other,
                       const struct polynomial *per_block)
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

/* ---- stores ---------------------------------------------------------------------------------- */

/* bound of rows or columns: room + block * symbol */
static bool take_limit(struct matrix_search *s, const struct ir_op *op,
                       const struct matrix_access *a, int i, struct polynomial *limit)
{
    const struct plan_matrix *m = s->matrix;
    bool column = a->conditions[i].axis == 1;
    struct polynomial minus = polynomial_constant(column ? -m->block_n : -m->block_m), index;
    const struct ir_value *own = column ? s->column_block : s->row_block;
    const struct ir_value *other = column ? s->row_block : s->column_block;
    int64_t start;
    *limit = a->conditions[i].room;
    if (!take_block(s, limit, own, other, &minus))
        return matrix_fail(s, op, "a mask is not a limit of rows, columns or K");
    /* a view's index must not be negative */
    index = a->conditions[i].index;
    struct polynomial plus = polynomial_constant(column ? m->block_n : m->block_m);
    if (index.count && own && !take_block(s, &index, own, other, &plus))
        return matrix_fail(s, op, "a view's index is not that of the program's block");
    return (polynomial_is_constant(&index, &start) && start >= 0) ||
           matrix_fail(s, op, "a view's index may be negative");
}

static bool add_guard(struct matrix_search *s, struct matrix_guard *guards, int *count,
                      const struct matrix_access *a, int i)
{
    if (*count == MATRIX_MOST_GUARDS || !matrix_is_common(s, &a->conditions[i].index) ||
        !matrix_is_common(s, &a->conditions[i].extent))
        return false;
    guards[(*count)++] = (struct matrix_guard){a->conditions[i].index, a->conditions[i].extent};
    return true;
}

static bool has_guard(const struct matrix_guard *guards, int count, const struct matrix_access *a,
                      int i)
{
    for (int k = 0; k < count; k++) {
        if (polynomial_equal(&guards[k].index, &a->conditions[i].index) &&
            polynomial_equal(&guards[k].extent, &a->conditions[i].extent))
            return true;
    }
    return false;
}

/* The first store sets limits and guards; others must have the same ones. */
static bool store_conditions(struct matrix_search *s, const struct ir_op *op,
                             const struct matrix_access *a, bool first)
{
    struct plan_matrix *m = s->matrix;
    bool *has[2] = {&m->has_row_limit, &m->has_column_limit};
    struct polynomial *limits[2] = {&m->row_limit, &m->column_limit};
    bool met[2] = {false, false};
    int guards = 0;
    for (int i = 0; i < a->condition_count; i++) {
        int axis = a->conditions[i].axis;
        struct polynomial limit;
        if (axis < 0) {
            guards++;
            if (first ? !add_guard(s, m->guards, &m->guard_count, a, i)
                      : !has_guard(m->guards, m->guard_count, a, i))
                return matrix_fail(s, op, "a condition of a store depends on the block");
            continue;
        }
        if (!take_limit(s, op, a, i, &limit))
            return false;
        if ((first && !*has[axis]) || (*has[axis] && polynomial_equal(&limit, limits[axis]))) {
            *has[axis] = met[axis] = true;
            *limits[axis] = limit;
            continue;
        }
        return matrix_fail(s, op, "stores reach differently far");
    }
    return (first || (met[0] == *has[0] && met[1] == *has[1] && guards == m->guard_count)) ||
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
        return matrix_fail(s, op, "it has more than four stores");
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
    if (!take_block(s, &base, s->row_block, NULL, &per[0]) || !matrix_is_common(s, &a.stride[0]) ||
        !matrix_is_common(s, &a.stride[1]))
        return matrix_fail(s, op, "a store's address does not move by whole blocks");
    m->stores[m->store_count++] = op;
    return store_conditions(s, op, &a, first) && (!first || note_plain(s, op, &a, &base));
}

bool matrix_find_stores(struct matrix_search *s)
{
    struct plan_matrix *m = s->matrix;
    for (const struct ir_op *op = s->func->body->first; op; op = op->next) {
        if (op->code == IR_OP_ASSERT || op->code == IR_OP_PRINT)
            return matrix_fail(s, op, "it asserts or prints something");
        if (ir_has(op, IR_WRITES) && !add_store(s, op))
            return false;
    }
    m->plain = m->plain && m->store_count == 1;
    return m->store_count > 0 || matrix_fail(s, m->products[0].dot, "the sums are not stored");
}

/* ---- operands of dots ------------------------------------------------------------------------ */

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
        return has_guard(product->guards, product->guard_count, a, i);
    return add_guard(s, product->guards, &product->guard_count, a, i);
}

static bool operand_conditions(struct matrix_search *s, const struct ir_op *op,
                               struct matrix_product *product, const struct matrix_access *a,
                               bool is_b, int outer, bool *has, struct polynomial *depth)
{
    struct plan_matrix *m = s->matrix;
    for (int i = 0; i < a->condition_count; i++) {
        int axis = a->conditions[i].axis;
        if (axis < 0) {
            if (!has_guard(m->guards, m->guard_count, a, i) && !take_guard(s, product, a, i, is_b))
                return matrix_fail(s, op, "a condition of a load is none of the store");
            continue;
        }
        if (axis != outer) {
            if (!depth_condition(s, product, has, depth, a, i))
                return matrix_fail(s, op, "a mask is not a limit of rows, columns or K");
            continue;
        }
        struct matrix_access turned = *a; /* take_limit knows rows as axis 0 */
        turned.conditions[i].axis = is_b;
        struct polynomial limit;
        if (!take_limit(s, op, &turned, i, &limit))
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
    if (!take_block(s, &base, is_b ? s->column_block : s->row_block,
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
    int met = 0;
    for (int i = 0; i < b.condition_count; i++) {
        if (b.conditions[i].axis < 0)
            met += has_guard(product->guards, product->guard_count, &b, i);
    }
    return met >= product->guard_count;
}

/* An index that was taken modulo n is right only where nothing is stored from n on. */
static bool check_wraps(struct matrix_search *s, const struct ir_op *place)
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
            good = good ||
                   (has && block && polynomial_equal(&place_factor, &one) &&
                    take_block(s, &rest, block, NULL, &per) && polynomial_equal(&rest, &minus) &&
                    polynomial_equal(&s->wraps[i].modulus,
                                     column ? &m->column_limit : &m->row_limit));
        }
        if (!good)
            return matrix_fail(s, place, "an index is taken modulo something else than a limit");
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
            return matrix_fail(s, product->dot, "its operands end at different places along K");
        product->has_depth = has_a;
    }
    return check_wraps(s, m->products[0].dot);
}
