/* See polynomial.h. */
#include "plan/polynomial.h"

enum { DEPTH = 32, BUDGET = 2048 };

struct walk {
    const struct polynomial_scope *scope; /* or NULL */
    int budget;
};

/* ---- arithmetic ------------------------------------------------------------------------------ */

static int compare_terms(const struct polynomial_term *a, const struct polynomial_term *b)
{
    if (a->axis != b->axis)
        return a->axis < b->axis ? -1 : 1;
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    for (int i = 0; i < a->count; i++) {
        if (a->symbols[i] != b->symbols[i])
            return a->symbols[i]->id < b->symbols[i]->id ? -1 : 1;
    }
    return 0;
}

static bool add_term(struct polynomial *p, const struct polynomial_term *term)
{
    int at = 0;
    while (at < p->count && compare_terms(&p->terms[at], term) < 0)
        at++;
    if (at < p->count && compare_terms(&p->terms[at], term) == 0) {
        uint64_t sum = (uint64_t)p->terms[at].factor + (uint64_t)term->factor;
        p->terms[at].factor = (int64_t)sum;
        if (sum)
            return true;
        p->count--;
        for (int i = at; i < p->count; i++)
            p->terms[i] = p->terms[i + 1];
        return true;
    }
    if (p->count == POLYNOMIAL_TERMS)
        return false;
    for (int i = p->count++; i > at; i--)
        p->terms[i] = p->terms[i - 1];
    p->terms[at] = *term;
    return true;
}

struct polynomial polynomial_constant(int64_t value)
{
    struct polynomial p = {0};
    struct polynomial_term term = {.factor = value, .axis = -1};
    if (value)
        add_term(&p, &term);
    return p;
}

struct polynomial polynomial_symbol(const struct ir_value *value)
{
    struct polynomial p = {.count = 1};
    p.terms[0] = (struct polynomial_term){.factor = 1, .axis = -1, .count = 1, .symbols = {value}};
    return p;
}

static struct polynomial axis_place(int axis)
{
    struct polynomial p = {.count = 1};
    p.terms[0] = (struct polynomial_term){.factor = 1, .axis = axis};
    return p;
}

bool polynomial_add(struct polynomial *p, const struct polynomial *q, int64_t factor)
{
    for (int i = 0; i < q->count; i++) {
        struct polynomial_term term = q->terms[i];
        term.factor = (int64_t)((uint64_t)term.factor * (uint64_t)factor);
        if (term.factor && !add_term(p, &term))
            return false;
    }
    return true;
}

static bool multiply_terms(const struct polynomial_term *a, const struct polynomial_term *b,
                           struct polynomial_term *r)
{
    if (a->axis >= 0 && b->axis >= 0)
        return false;
    if (a->count + b->count > POLYNOMIAL_SYMBOLS)
        return false;
    *r = (struct polynomial_term){.factor = (int64_t)((uint64_t)a->factor * (uint64_t)b->factor),
                                  .axis = a->axis >= 0 ? a->axis : b->axis,
                                  .count = a->count + b->count};
    int i = 0, k = 0;
    for (int n = 0; n < r->count; n++) {
        bool first = k == b->count || (i < a->count && a->symbols[i]->id <= b->symbols[k]->id);
        r->symbols[n] = first ? a->symbols[i++] : b->symbols[k++];
    }
    return true;
}

bool polynomial_multiply(const struct polynomial *p, const struct polynomial *q,
                         struct polynomial *product)
{
    struct polynomial result = {0};
    for (int i = 0; i < p->count; i++) {
        for (int k = 0; k < q->count; k++) {
            struct polynomial_term term;
            if (!multiply_terms(&p->terms[i], &q->terms[k], &term))
                return false;
            if (term.factor && !add_term(&result, &term))
                return false;
        }
    }
    *product = result;
    return true;
}

bool polynomial_equal(const struct polynomial *p, const struct polynomial *q)
{
    if (p->count != q->count)
        return false;
    for (int i = 0; i < p->count; i++) {
        if (p->terms[i].factor != q->terms[i].factor ||
            compare_terms(&p->terms[i], &q->terms[i]) != 0)
            return false;
    }
    return true;
}

bool polynomial_is_constant(const struct polynomial *p, int64_t *value)
{
    *value = p->count ? p->terms[0].factor : 0;
    return p->count == 0 || (p->count == 1 && p->terms[0].axis < 0 && p->terms[0].count == 0);
}

bool polynomial_split_symbol(const struct polynomial *p, const struct ir_value *symbol,
                             struct polynomial *coefficient, struct polynomial *rest)
{
    struct polynomial c = {0}, r = {0};
    for (int i = 0; i < p->count; i++) {
        struct polynomial_term term = p->terms[i];
        int found = 0, kept = 0;
        for (int k = 0; k < term.count; k++) {
            if (term.symbols[k] == symbol)
                found++;
            else
                term.symbols[kept++] = term.symbols[k];
        }
        if (found > 1)
            return false;
        term.count = kept;
        add_term(found ? &c : &r, &term); /* no more terms than p's */
    }
    *coefficient = c;
    *rest = r;
    return true;
}

void polynomial_split_axis(const struct polynomial *p, int axis, struct polynomial *coefficient,
                           struct polynomial *rest)
{
    struct polynomial c = {0}, r = {0};
    for (int i = 0; i < p->count; i++) {
        struct polynomial_term term = p->terms[i];
        bool found = term.axis == axis;
        if (found)
            term.axis = -1;
        add_term(found ? &c : &r, &term);
    }
    *coefficient = c;
    *rest = r;
}

bool polynomial_has_axis(const struct polynomial *p)
{
    for (int i = 0; i < p->count; i++) {
        if (p->terms[i].axis >= 0)
            return true;
    }
    return false;
}

/* ---- of values ------------------------------------------------------------------------------- */

static bool of_value(const struct ir_value *v, struct walk *w, int depth, struct polynomial *p);

/* Renames the axes: from axis k to to[k]; -1: the axis has one place, which is 0. */
static bool rename_axes(struct polynomial *p, const int *to)
{
    struct polynomial r = {0};
    for (int i = 0; i < p->count; i++) {
        struct polynomial_term term = p->terms[i];
        if (term.axis >= 0) {
            if (to[term.axis] < 0)
                continue;
            term.axis = to[term.axis];
        }
        if (!add_term(&r, &term))
            return false;
    }
    *p = r;
    return true;
}

static bool shape_map(const struct ir_op *op, int *map)
{
    struct ir_type from = op->operands[0]->type, to = op->results[0]->type;
    for (int i = 0; i < IR_MAX_RANK; i++)
        map[i] = i;
    switch (op->code) {
    case IR_OP_RESHAPE:
        return ir_reshape_axes(to, from, map);
    case IR_OP_TRANS:
        for (int i = 0; i < to.rank; i++)
            map[op->attributes.permutation[i]] = i;
        return true;
    default: /* broadcast: an axis of 1 has no term */
        return true;
    }
}

bool polynomial_reshape(const struct ir_op *op, struct polynomial *p)
{
    int map[IR_MAX_RANK];
    return ir_shows_operand(op) && shape_map(op, map) && rename_axes(p, map);
}

static bool is_long(const struct ir_value *v)
{
    return !v->type.pointer && v->type.elem == IR_I64;
}

static bool of_op(const struct ir_op *op, struct walk *w, int depth, struct polynomial *p)
{
    struct polynomial x, y;
    int map[IR_MAX_RANK];
    int64_t shift;
    if (ir_shows_operand(op))
        return of_value(op->operands[0], w, depth, p) && shape_map(op, map) && rename_axes(p, map);
    switch (op->code) {
    case IR_OP_ARANGE:
        *p = op->results[0]->type.dims[0] > 1 ? axis_place(0) : (struct polynomial){0};
        x = polynomial_constant(op->attributes.begin);
        return polynomial_add(p, &x, 1);
    case IR_OP_NEG:
        *p = (struct polynomial){0};
        return of_value(op->operands[0], w, depth, &x) && polynomial_add(p, &x, -1);
    case IR_OP_ADD:
    case IR_OP_SUB:
        return of_value(op->operands[0], w, depth, p) && of_value(op->operands[1], w, depth, &y) &&
               polynomial_add(p, &y, op->code == IR_OP_ADD ? 1 : -1);
    case IR_OP_MUL:
        return of_value(op->operands[0], w, depth, &x) && of_value(op->operands[1], w, depth, &y) &&
               polynomial_multiply(&x, &y, p);
    case IR_OP_SHL:
        *p = (struct polynomial){0};
        return ir_constant_int(op->operands[1], &shift) && shift >= 0 && shift < 63 &&
               of_value(op->operands[0], w, depth, &x) &&
               polynomial_add(p, &x, INT64_C(1) << shift);
    default:
        return false;
    }
}

static bool of_value(const struct ir_value *v, struct walk *w, int depth, struct polynomial *p)
{
    int64_t constant;
    if (!is_long(v) || depth == 0 || w->budget-- <= 0)
        return false;
    if (ir_constant_int(v, &constant)) {
        *p = polynomial_constant(constant);
        return true;
    }
    int known = w->scope ? w->scope->lookup(v, w->scope->user, p) : 0;
    if (known)
        return known > 0;
    if (v->op && of_op(v->op, w, depth - 1, p))
        return true;
    if (v->type.rank > 0)
        return false;
    *p = polynomial_symbol(v);
    return true;
}

bool polynomial_of(const struct ir_value *value, const struct polynomial_scope *scope,
                   struct polynomial *p)
{
    struct walk w = {scope, BUDGET};
    return of_value(value, &w, DEPTH, p);
}

/* ---- of addresses ---------------------------------------------------------------------------- */

static bool of_address(const struct ir_value *v, struct walk *w, int depth,
                       const struct ir_value **root, struct polynomial *p)
{
    struct polynomial offset;
    int map[IR_MAX_RANK];
    if (!v->type.pointer || depth == 0 || w->budget-- <= 0)
        return false;
    if (!v->op) {
        if (!v->region->parent) { /* a parameter */
            *root = v;
            *p = (struct polynomial){0};
            return true;
        }
        const struct ir_op *loop = v->region->parent; /* what it is when the loop starts, and more */
        int known = w->scope ? w->scope->lookup(v, w->scope->user, &offset) : 0;
        return known > 0 && loop->code == IR_OP_FOR &&
               of_address(loop->operands[3 + v->index - 1], w, depth - 1, root, p) &&
               polynomial_add(p, &offset, 1);
    }
    if (v->op->code == IR_OP_ADDPTR)
        return of_address(v->op->operands[0], w, depth - 1, root, p) &&
               of_value(v->op->operands[1], w, depth - 1, &offset) && polynomial_add(p, &offset, 1);
    return ir_shows_operand(v->op) && of_address(v->op->operands[0], w, depth - 1, root, p) &&
           shape_map(v->op, map) && rename_axes(p, map);
}

bool polynomial_of_address(const struct ir_value *pointer, const struct polynomial_scope *scope,
                           const struct ir_value **root, struct polynomial *p)
{
    struct walk w = {scope, BUDGET};
    return of_address(pointer, &w, DEPTH, root, p);
}
