/*
 * How a matrix product's programs are numbered; see matrix.c.
 *
 * By rows and columns of blocks on two axes; on one axis, by a quotient and a remainder; or on one
 * axis in groups, as Triton's tutorial does, so that neighbours share what they load:
 *
 *   first = pid / (G * columns) * G;   height = minimum(rows - first, G);
 *   X = first + pid % (G * columns) % height;   Y = pid % (G * columns) / height;
 *
 * which takes each pair (X, Y) once where there are rows * columns programs.
 */
#include "plan/matrix_internal.h"

#include "ir/affine.h"

/* The operands of an op that commutes, if one of them is the constant. */
static const struct ir_value *other_than(const struct ir_op *op, int64_t constant)
{
    for (int i = 0; i < 2; i++) {
        if (ir_is_int(op->operands[i], constant))
            return op->operands[1 - i];
    }
    return NULL;
}

static const struct ir_op *op_of(const struct ir_value *v, enum ir_opcode code)
{
    return v && v->op && v->op->code == code ? v->op : NULL;
}

/* first + remainder, in either order: the two operands. */
static bool split_sum(const struct ir_op *add, const struct ir_op **product,
                      const struct ir_op **remainder)
{
    for (int i = 0; i < 2; i++) {
        *product = op_of(add->operands[i], IR_OP_MUL);
        *remainder = op_of(add->operands[1 - i], IR_OP_REM);
        if (*product && *remainder)
            return true;
    }
    return false;
}

bool matrix_read_group(const struct ir_value *x, struct matrix_group *group)
{
    const struct ir_op *add = x->type.rank == 0 ? op_of(x, IR_OP_ADD) : NULL;
    const struct ir_op *first, *place, *within, *quotient, *height, *left, *per_group;
    if (!add || !split_sum(add, &first, &place))
        return false;
    within = op_of(place->operands[0], IR_OP_REM);
    height = op_of(place->operands[1], IR_OP_MINIMUM);
    if (!within || !height || !op_of(within->operands[0], IR_OP_PROGRAM_ID))
        return false;
    if (!ir_constant_int(first->operands[0], &group->height) &&
        !ir_constant_int(first->operands[1], &group->height))
        return false;
    quotient = op_of(other_than(first, group->height), IR_OP_DIV);
    left = op_of(other_than(height, group->height), IR_OP_SUB);
    per_group = op_of(within->operands[1], IR_OP_MUL);
    if (group->height <= 0 || !quotient || !left || !per_group ||
        quotient->operands[0] != within->operands[0] ||
        quotient->operands[1] != within->operands[1] || left->operands[1] != first->results[0])
        return false;
    group->rows = left->operands[0];
    group->columns = other_than(per_group, group->height);
    group->within = within->results[0];
    group->rows_here = height->results[0];
    return group->columns != NULL;
}

const struct ir_op *matrix_program_of(const struct ir_value *v)
{
    struct matrix_group group;
    if (matrix_read_group(v, &group))
        v = group.within;
    for (int i = 0; i < 2 && v->op && (v->op->code == IR_OP_DIV || v->op->code == IR_OP_REM); i++)
        v = v->op->operands[0];
    return op_of(v, IR_OP_PROGRAM_ID);
}

static bool is_common_symbol(const struct matrix_search *s, const struct ir_value *v)
{
    struct polynomial p = polynomial_symbol(v);
    return matrix_is_common(s, &p);
}

/* The same in all batches, too. */
static bool is_of_launch(const struct matrix_search *s, const struct ir_value *v)
{
    struct matrix_search any = *s;
    any.all_axes = true;
    return is_common_symbol(&any, v);
}

static bool fail(struct matrix_search *s, const struct ir_op *place)
{
    return matrix_fail(s, place, "programs are not numbered by rows and columns of blocks");
}

bool matrix_find_order(struct matrix_search *s, const struct ir_op *place)
{
    struct plan_matrix *m = s->matrix;
    const struct ir_value *x = s->row_block, *y = s->column_block;
    const struct ir_op *px = x ? matrix_program_of(x) : NULL, *py = y ? matrix_program_of(y) : NULL;
    m->row_axis = px ? px->attributes.axis : -1;
    m->column_axis = py ? py->attributes.axis : -1;
    bool x_plain = !x || x->op == px, y_plain = !y || y->op == py;
    if (x_plain && y_plain)
        return !px || !py || m->row_axis != m->column_axis || fail(s, place);
    if (!x || !y || m->row_axis != m->column_axis)
        return fail(s, place);
    m->grouped = matrix_read_group(x, &m->group);
    if (m->grouped)
        return (y->op->code == IR_OP_DIV && y->op->operands[0] == m->group.within &&
                y->op->operands[1] == m->group.rows_here && is_of_launch(s, m->group.rows) &&
                is_of_launch(s, m->group.columns)) ||
               fail(s, place);
    if (x_plain || y_plain || x->op->operands[0] != y->op->operands[0] ||
        x->op->operands[1] != y->op->operands[1] || x->op->code == y->op->code ||
        x->op->operands[0]->op != px)
        return fail(s, place);
    m->divisor = x->op->operands[1];
    m->quotient_is_row = x->op->code == IR_OP_DIV;
    return is_common_symbol(s, m->divisor) || fail(s, place);
}

/* A program with a remainder below 0 there is none of, so if the divisor is a number of blocks up
 * to the limit of remainders, and below 0, nothing is stored. */
static bool is_cut(const struct plan_matrix *m)
{
    const struct polynomial *limit = m->quotient_is_row ? &m->column_limit : &m->row_limit;
    const struct ir_op *op = m->divisor->op;
    struct polynomial extent;
    int64_t block;
    return op && (op->code == IR_OP_CDIV || op->code == IR_OP_DIV) &&
           (m->quotient_is_row ? m->has_column_limit : m->has_row_limit) &&
           ir_constant_int(op->operands[1], &block) && block > 0 &&
           polynomial_of(op->operands[0], NULL, &extent) && polynomial_equal(&extent, limit);
}

bool matrix_check_divisor(struct matrix_search *s)
{
    struct plan_matrix *m = s->matrix;
    m->has_sign = m->divisor && ir_range(m->divisor).least < 0 && !is_cut(m);
    return !m->has_sign || is_of_launch(s, m->divisor) || fail(s, m->products[0].dot);
}
