/*
 * Recognising matrix products; see matrix.h.
 *
 * Addresses come first: the coefficient of a tile's axis in the address of the store says how far
 * apart rows and columns lie, and the scalar whose coefficient is the block's size times that is the
 * block's number. The operands must then depend on the same numbers in the same way, and on the
 * trip of the loop as on the place along K. Masks must be limits of rows, columns and K.
 */
#include "plan/matrix_internal.h"

#include <string.h>

bool matrix_fail(struct matrix_search *s, const struct ir_op *place, const char *reason)
{
    if (!s->reason) {
        s->reason = reason;
        s->place = place;
    }
    return false;
}

/* ---- what the loop carries ------------------------------------------------------------------- */

static struct ir_region *loop_region(const struct matrix_search *s)
{
    return s->matrix->loop->regions[0];
}

static const struct ir_value *carried_next(const struct matrix_search *s, int index)
{
    return loop_region(s)->last->operands[index];
}

static const struct ir_value *carried_start(const struct matrix_search *s, int index)
{
    return s->matrix->loop->operands[3 + index];
}

/* What is added to a carried integer or address per trip. */
static bool carried_step(struct matrix_search *s, const struct ir_value *argument,
                         struct polynomial *step)
{
    struct polynomial start, next, rest, unused;
    const struct ir_value *root, *next_root;
    int index = argument->index - 1;
    if (s->raw) /* one carried value in terms of another */
        return false;
    s->raw = argument;
    bool good;
    if (argument->type.pointer) {
        good = polynomial_of_address(carried_next(s, index), &s->scope, &next_root, &next);
        s->raw = NULL;
        good = good && polynomial_of_address(carried_start(s, index), &s->scope, &root, &start) &&
               root == next_root && polynomial_add(&next, &start, -1);
        *step = next;
    } else {
        good = polynomial_of(carried_next(s, index), &s->scope, &next);
        s->raw = NULL;
        struct polynomial self = polynomial_symbol(argument);
        good = good && polynomial_add(&next, &self, -1) &&
               polynomial_split_symbol(&next, argument, &unused, &rest) && unused.count == 0;
        *step = next;
    }
    return good && !polynomial_has_axis(step) &&
           polynomial_split_symbol(step, s->trip, &unused, &rest) && unused.count == 0;
}

static int lookup_counter(struct matrix_search *s, struct polynomial *p)
{
    struct polynomial trip = polynomial_symbol(s->trip);
    if (s->raw || !polynomial_of(s->matrix->loop->operands[0], NULL, p))
        return -1;
    return polynomial_add(p, &trip, s->step) ? 1 : -1;
}

/* index % n: people keep rows that nobody stores within the array that way. Below n it is the
 * index, and matrix_check_wraps asks that nothing is stored from n on; so in a store's own limits,
 * which say that, it is none. */
static int lookup_remainder(struct matrix_search *s, const struct ir_op *op, struct polynomial *p)
{
    struct polynomial modulus;
    if (s->no_wraps || !polynomial_of(op->operands[0], &s->scope, p) ||
        !polynomial_of(op->operands[1], &s->scope, &modulus))
        return -1;
    for (int i = 0; i < s->wrap_count; i++) {
        if (polynomial_equal(&s->wraps[i].index, p) &&
            polynomial_equal(&s->wraps[i].modulus, &modulus))
            return 1;
    }
    if (s->wrap_count == 4)
        return -1;
    s->wraps[s->wrap_count].index = *p;
    s->wraps[s->wrap_count++].modulus = modulus;
    return 1;
}

static int lookup(const struct ir_value *value, void *user, struct polynomial *p)
{
    struct matrix_search *s = user;
    struct matrix_group group;
    if (matrix_read_group(value, &group)) { /* a block's number: nothing to take apart */
        *p = polynomial_symbol(value);
        return 1;
    }
    if (value->op && value->op->code == IR_OP_REM && value->type.rank == 1)
        return lookup_remainder(s, value->op, p);
    if (value->op || !s->matrix->loop || value->region != loop_region(s))
        return 0;
    if (value->index == 0)
        return lookup_counter(s, p);
    if (value == s->raw) { /* itself; of an address: nothing beyond its start */
        *p = value->type.pointer ? (struct polynomial){0} : polynomial_symbol(value);
        return 1;
    }
    struct polynomial step, trip = polynomial_symbol(s->trip), way;
    if (!carried_step(s, value, &step) || !polynomial_multiply(&step, &trip, &way))
        return -1;
    *p = (struct polynomial){0};
    if (!value->type.pointer &&
        !polynomial_of(carried_start(s, value->index - 1), &s->scope, p))
        return -1;
    return polynomial_add(p, &way, 1) ? 1 : -1;
}

/* ---- the loop and its dots ------------------------------------------------------------------- */

static const struct ir_op *find_dot(const struct ir_region *region)
{
    for (const struct ir_op *op = region->first; op; op = op->next) {
        if (op->code == IR_OP_DOT)
            return op;
        for (int i = 0; i < op->region_count; i++) {
            const struct ir_op *found = find_dot(op->regions[i]);
            if (found)
                return found;
        }
    }
    return NULL;
}

static bool find_loop(struct matrix_search *s, const struct ir_op *dot)
{
    const struct ir_region *body = s->func->body;
    struct plan_matrix *m = s->matrix;
    if (dot->parent == body)
        return true;
    const struct ir_op *loop = dot->parent->parent;
    if (loop->code != IR_OP_FOR || loop->parent != body)
        return matrix_fail(s, dot, "a dot is not in a single loop over K");
    if (!ir_constant_int(loop->operands[2], &s->step) || s->step <= 0)
        return matrix_fail(s, loop, "the loop's step is not a positive constant");
    m->loop = loop;
    s->trip = loop->regions[0]->arguments[0];
    return true;
}

/* The value is a sum of `argument` (once: found) and of dots, some of which may have another one of them to
 * start with. Notes the dots in the order of their evaluation. */
static bool collect_sum(struct matrix_search *s, const struct ir_value *v,
                        const struct ir_value *argument, bool *found)
{
    struct plan_matrix *m = s->matrix;
    const struct ir_op *op = v->op;
    uint64_t bits;
    if (v == argument) {
        bool first = !*found;
        *found = true;
        return first;
    }
    if (!op || v->uses != 1)
        return false;
    if (op->code == IR_OP_ADD)
        return collect_sum(s, op->operands[0], argument, found) &&
               collect_sum(s, op->operands[1], argument, found);
    bool fresh = op->code == IR_OP_DOT && ir_constant_bits(op->operands[2], &bits) && bits == 0;
    if (op->code != IR_OP_DOT || (!fresh && !collect_sum(s, op->operands[2], argument, found)) ||
        m->product_count == MATRIX_MOST_PRODUCTS)
        return false;
    m->products[m->product_count++] =
        (struct matrix_product){.dot = op, .accumulator = m->accumulator_count};
    return true;
}

/* All sums start with what changes nothing, and what the source starts them with is added behind the loop. */
static void add_first_later(struct plan_matrix *m)
{
    for (int i = 0; i < m->accumulator_count; i++) {
        enum ir_elem elem = m->accumulators[i].elem;
        m->accumulators[i].adds = true;
        m->accumulators[i].start =
            ir_is_float(elem) ? (uint64_t)1 << (8 * ir_elem_bytes(elem) - 1) : 0;
    }
}

static bool add_accumulator(struct matrix_search *s, const struct ir_value *result,
                            const struct ir_value *start, const struct ir_op *place)
{
    struct plan_matrix *m = s->matrix;
    uint64_t bits = 0;
    if (m->accumulator_count == MATRIX_MOST_ACCUMULATORS)
        return matrix_fail(s, place, "the kernel has more than four sums");
    struct ir_type type = result->type;
    bool constant = ir_constant_bits(start, &bits);
    if (m->accumulator_count && !ir_type_equal(type, m->accumulators[0].result->type))
        return matrix_fail(s, place, "the kernel's sums have different types");
    m->block_m = type.dims[0];
    m->block_n = type.dims[1];
    m->accumulators[m->accumulator_count++] =
        (struct matrix_accumulator){result, (enum ir_elem)type.elem, start, false, bits};
    if (!constant || m->accumulators[0].adds || bits != m->accumulators[0].start)
        add_first_later(m);
    return true;
}

static bool is_sum(const struct ir_value *v)
{
    return v->type.rank == 2 && !v->type.pointer;
}

/* What the loop carries: sums, and addresses or indices that are used in it alone. */
static bool collect_carried(struct matrix_search *s)
{
    const struct ir_op *loop = s->matrix->loop;
    for (int i = 0; i < loop->result_count; i++) {
        const struct ir_value *result = loop->results[i];
        bool index = result->type.pointer || (result->type.rank == 0 && result->type.elem == IR_I64);
        if (index) {
            if (result->uses)
                return matrix_fail(s, loop, "a carried address or index is used behind the loop");
            continue;
        }
        if (!is_sum(result))
            return matrix_fail(s, loop, "the loop carries something else than sums of dots");
        const struct ir_value *argument = loop_region(s)->arguments[i + 1];
        bool found = false;
        if (!collect_sum(s, carried_next(s, i), argument, &found) || !found || argument->uses != 1)
            return matrix_fail(s, loop, "a carried tile is not a sum of dots");
        if (!add_accumulator(s, result, carried_start(s, i), loop))
            return false;
    }
    return true;
}

/* Without a loop: a single dot. */
static bool collect_single(struct matrix_search *s, const struct ir_op *dot)
{
    struct plan_matrix *m = s->matrix;
    m->products[m->product_count++] = (struct matrix_product){.dot = dot};
    return add_accumulator(s, dot->results[0], dot->operands[2], dot);
}

/* Everything in the loop serves the dots: they are counted, and nothing else has an effect. */
static bool check_body(struct matrix_search *s)
{
    int dots = 0;
    const struct ir_region *region = s->matrix->loop ? loop_region(s) : s->func->body;
    for (const struct ir_op *op = region->first; op; op = op->next) {
        dots += op->code == IR_OP_DOT;
        bool allowed = ir_has(op, IR_PURE) || ir_has(op, IR_TERMINATOR) ||
                       op->code == IR_OP_LOAD || op->code == IR_OP_VIEW_LOAD;
        if (s->matrix->loop && (!allowed || op->region_count))
            return matrix_fail(s, op, "the loop does more than sum up dots");
    }
    if (dots != s->matrix->product_count)
        return matrix_fail(s, s->matrix->loop ? s->matrix->loop : s->matrix->products[0].dot,
                           "not every dot is part of a sum");
    return true;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static bool find(struct matrix_search *s, const struct ir_op *dot)
{
    if (!find_loop(s, dot))
        return false;
    bool collected = s->matrix->loop ? collect_carried(s) : collect_single(s, dot);
    return collected && check_body(s) && matrix_find_stores(s) && matrix_check_divisor(s) &&
           matrix_find_operands(s) && matrix_check_epilogue(s) && matrix_check_wraps(s);
}

enum plan_matrix_result plan_matrix_find(const struct ir_func *func, struct plan_matrix *matrix,
                                         const char **reason, const struct ir_op **place)
{
    const struct ir_op *dot = find_dot(func->body);
    *matrix = (struct plan_matrix){.row_axis = -1, .column_axis = -1};
    if (!dot)
        return PLAN_MATRIX_NONE;
    struct matrix_search s = {.func = func, .matrix = matrix, .step = 1};
    s.scope = (struct polynomial_scope){lookup, &s};
    if (find(&s, dot))
        return PLAN_MATRIX_FOUND;
    *reason = s.reason ? s.reason : "its indices are too involved";
    *place = s.place ? s.place : dot;
    return PLAN_MATRIX_OTHER;
}
