/*
 * `switch`: an `if` whose other arm is the rest of the switch,
 *
 *     switch (v) {                 ->  if (v == 1 || v == 2) { a }
 *     case 1: case 2: a; break;        else { b }
 *     default: b;
 *     }
 */
#include "lang/lower_branch.h"

/* A switch that is being elaborated. */
struct choice {
    const struct ast_statement *s;
    struct value value;
    struct value **cases; /* by arm: constants of the value's type */
};

/* The case of that value in front of case k of arm i, or NULL. */
static const struct ast_expression *earlier_case(const struct choice *c, int i, int k)
{
    for (int arm = 0; arm <= i; arm++) {
        int end = arm < i ? c->s->choice.arms[arm].count : k;
        for (int other = 0; other < end; other++) {
            const struct value *v = &c->cases[arm][other];
            if (!value_is_poison(*v) && v->bits == c->cases[i][k].bits)
                return c->s->choice.arms[arm].cases[other];
        }
    }
    return NULL;
}

static void read_case(struct lower *l, struct choice *c, int i, int k)
{
    const struct ast_expression *e = c->s->choice.arms[i].cases[k];
    struct value *v = &c->cases[i][k];
    int64_t number;
    *v = value_poison;
    if (!lower_constant(l, e, "the value of a case", &number))
        return;
    struct value constant = lower_value(l, e);
    enum ir_elem type = c->value.nominal;
    if (!constant.index) { /* C's conversion, also where the value is an index */
        lower_warn_of_change(l, e->range, constant, type, "the case");
        constant = lower_convert(l, constant, type);
    }
    *v = c->value.index ? lower_to_index(l, constant) : lower_convert(l, constant, type);
    v->nominal = type;
    const struct ast_expression *earlier = earlier_case(c, i, k);
    if (!earlier)
        return;
    lower_error(l, e->range, "the case %lld is there twice", (long long)number);
    lower_note(l, earlier->range, "the first one is here");
    *v = value_poison;
}

/* Whether the value is one of the arm's: a constant where both are known; poison after an error. */
static struct value is_chosen(struct lower *l, const struct choice *c, int arm)
{
    struct value any = value_constant(IR_BOOL, 0);
    for (int k = 0; k < c->s->choice.arms[arm].count; k++) {
        if (value_is_poison(c->value) || value_is_poison(c->cases[arm][k]))
            return value_poison;
        struct value pair[] = {c->value, c->cases[arm][k]};
        struct value equal =
            lower_elementwise(l, c->s->choice.arms[arm].cases[k]->range, IR_OP_EQ, pair, 2);
        struct value both[] = {any, equal};
        any = k == 0 ? equal : lower_elementwise(l, c->s->range, IR_OP_OR, both, 2);
    }
    return any;
}

static void lower_body(struct lower *l, const struct ast_statement *body)
{
    lower_block(l, (struct ast_statement *const *)&body, 1);
}

/* The default's statements, if there is one. */
static void otherwise(struct lower *l, const struct choice *c)
{
    for (int i = 0; i < c->s->choice.count; i++) {
        if (c->s->choice.arms[i].is_default)
            lower_body(l, c->s->choice.arms[i].body);
    }
}

/* if (value is of arm i) { its statements } else { the arms behind it } */
static void choose(struct lower *l, const struct choice *c, int i)
{
    while (i < c->s->choice.count && c->s->choice.arms[i].is_default)
        i++;
    if (i == c->s->choice.count) {
        otherwise(l, c);
        return;
    }
    struct value chosen = is_chosen(l, c, i);
    if (chosen.constant) {
        if (chosen.bits)
            lower_body(l, c->s->choice.arms[i].body);
        else
            choose(l, c, i + 1);
        return;
    }
    if (value_is_poison(chosen)) /* go on, for the errors in the arms */
        chosen = value_from_ir(ir_constant(&l->b, ir_scalar(IR_BOOL), 0), IR_BOOL);
    if (!lower_enter(l, c->s->range))
        return;
    struct branch branch;
    lower_branch_begin(l, &branch, c->s->range);
    lower_branch_open(l, &branch, 0);
    lower_body(l, c->s->choice.arms[i].body);
    lower_branch_close(l, &branch, 0);
    lower_branch_open(l, &branch, 1);
    choose(l, c, i + 1);
    lower_branch_close(l, &branch, 1);
    lower_branch_finish(l, &branch, chosen);
    lower_leave(l);
}

/* What the cases are compared with: a promoted integer or an index; poison after an error. */
static struct value chosen_by(struct lower *l, const struct ast_expression *e)
{
    struct value v = lower_value(l, e);
    if (value_is_poison(v))
        return v;
    if (value_is_tile(v)) {
        lower_error(l, e->range, "'switch' chooses once for the program; this is %s",
                    lower_shape_name(l, v.type));
        lower_hint(l,
                   "where(condition, x, y) chooses for each element, and so does t[i] of a table");
        return value_poison;
    }
    if (!value_is_integral(v)) {
        lower_error(l, e->range, "'switch' takes an integer, not %s",
                    v.kind == VALUE_DATA ? arena_format(l->arena, "'%s'", lower_type_name(l, v))
                                         : lower_type_name(l, v));
        return value_poison;
    }
    return lower_promote(l, lower_settle(l, v));
}

void lower_switch(struct lower *l, const struct ast_statement *s)
{
    int count = s->choice.count;
    struct choice c = {.s = s, .value = chosen_by(l, s->choice.value)};
    c.cases = ARENA_ARRAY(l->arena, struct value *, (size_t)count + 1);
    for (int i = 0; i < count; i++) {
        c.cases[i] = ARENA_ARRAY(l->arena, struct value, (size_t)s->choice.arms[i].count + 1);
        for (int k = 0; k < s->choice.arms[i].count && !l->stopped; k++) {
            if (value_is_poison(c.value))
                c.cases[i][k] = value_poison;
            else
                read_case(l, &c, i, k);
        }
    }
    choose(l, &c, 0);
}
