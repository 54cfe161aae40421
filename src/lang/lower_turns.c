/*
 * Loops whose turns are known although they do not count: all that they count by is constant, so that the
 * turns are tried here, and counted.
 */
#include "lang/lower_count.h"

enum { MOST_TURNS_TRIED = 64 }; /* more than 64 doublings no loop makes */

/* Makes what the steps assign known, or says that it is not. */
static bool know_variables(struct lower *l, const struct loop_effects *steps)
{
    for (int i = 0; i < steps->count; i++) {
        struct variable *variable = &l->variables.items[steps->variables[i]];
        struct value v = variable->value;
        uint64_t bits = v.bits;
        if (!value_is_number(v) || v.type.rank > 0 || v.weak ||
            !(v.constant || (v.ir && ir_constant_bits(v.ir, &bits))))
            return false;
        struct value known = value_constant(value_elem(v), bits);
        known.index = v.index;
        known.nominal = v.nominal;
        variable->value = known;
    }
    return true;
}

/* What a body assigns is not known behind its first turn, whatever it is in front of it. */
static void forget_variables(struct lower *l, const struct loop_effects *body)
{
    for (int i = 0; i < body->count; i++) {
        struct value *v = &l->variables.items[body->variables[i]].value;
        if (v->kind == VALUE_DATA)
            *v = value_like(*v, ir_region_add_argument(l->b.func, l->b.region, v->type, NULL));
    }
}

/* Tries the condition and the steps until the condition does not hold; -1: it is not known. */
static int64_t try_turns(struct lower *l, const struct ast_statement *s,
                         const struct loop_effects *steps)
{
    for (int64_t turns = 0; turns <= MOST_TURNS_TRIED && !l->stopped; turns++) {
        struct value goes_on = lower_condition(l, s->loop.condition, "for");
        if (!goes_on.constant)
            return -1;
        if (!goes_on.bits)
            return turns;
        lower_statement(l, s->loop.steps);
        for (int i = 0; i < steps->count; i++) {
            if (!l->variables.items[steps->variables[i]].value.constant)
                return -1;
        }
    }
    return -1;
}

/* The turns of a loop whose condition and steps hang on constants alone: `for (k = 1; k < 64; k *=
 * 2)`; -1: they are not known. What is tried leaves nothing behind. */
int64_t lower_known_turns(struct lower *l, const struct ast_statement *s,
                          const struct loop_effects *effects)
{
    if (!s->loop.condition || !s->loop.steps || effects->has_break || effects->has_return)
        return -1;
    struct loop_effects steps = lower_loop_effects(l, s->loop.steps);
    struct loop_effects body = lower_loop_effects(l, s->loop.body);
    size_t count = (size_t)effects->count;
    struct value *before = ARENA_ARRAY(l->arena, struct value, count);
    struct source_range *placed = ARENA_ARRAY(l->arena, struct source_range, count);
    for (size_t i = 0; i < count; i++) {
        before[i] = l->variables.items[effects->variables[i]].value;
        placed[i] = l->variables.items[effects->variables[i]].placed;
    }
    struct checkpoint checkpoint = lower_mark(l);
    struct ir_builder outside;
    bool folds = l->frame->folds;
    lower_open_region(l, &outside);
    l->frame->folds = true;
    forget_variables(l, &body);
    int64_t turns = know_variables(l, &steps) ? try_turns(l, s, &steps) : -1;
    l->frame->folds = folds;
    l->b = outside;
    for (size_t i = 0; i < count; i++) {
        l->variables.items[effects->variables[i]].value = before[i];
        l->variables.items[effects->variables[i]].placed = placed[i];
    }
    if (!l->stopped)
        lower_undo(l, &checkpoint);
    return turns;
}
