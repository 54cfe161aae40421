/*
 * Operands of products in the element of their sums.
 *
 *     %w = cast %x : f16[64, 64]                   %w = cast %x : f16[64, 64]
 *     %t = trans %k : f16[64, 64]           ->     %f = cast %w : f32[64, 64]
 *     %s = dot %w, %t, %a : f32[64, 64]            %l = cast %k : f32[64, 64]
 *                                                  %t = trans %l : f32[64, 64]
 *                                                  %s = dot %f, %t, %a : f32[64, 64]
 *
 * The products of half, bfloat and int8 are exact in what they are summed up in, so converting
 * first changes nothing. It is done where the operand is made, once, and before a loop that does
 * not change it; dot.c would convert each operand each time. Where an instruction takes several
 * neighbours of K they become what it takes (dot_units.c). The product of two i32 is no op of the
 * language, but dot.c takes it. Kernels that are one product as a whole keep theirs (matrix.h).
 */
#include "cpu/widen.h"
#include "cpu/dot_units.h"
#include "plan/matrix.h"

struct widen {
    struct ir_func *func;
    struct {
        struct ir_op **items;
        size_t count, capacity;
    } dots;
    struct {
        struct widened {
            struct ir_value *from, *to;
        } *items;
        size_t count, capacity;
    } values;
};

static bool collect(struct ir_op *op, void *user)
{
    struct widen *w = user;
    if (op->code == IR_OP_DOT && op->operands[0]->type.elem != op->results[0]->type.elem)
        ARENA_PUSH(w->func->arena, &w->dots, op);
    return true;
}

/* Right behind what makes v. */
static struct ir_builder behind(struct widen *w, const struct ir_value *v,
                                struct source_range range)
{
    struct ir_builder b = {.func = w->func, .range = range};
    b.region = v->op ? v->op->parent : v->region;
    b.before = v->op ? v->op->next : v->region->first;
    return b;
}

static struct ir_value *widen(struct widen *w, struct ir_value *v, enum ir_elem elem,
                              struct source_range range)
{
    if (v->type.elem == elem)
        return v;
    for (size_t i = 0; i < w->values.count; i++) {
        if (w->values.items[i].from == v && w->values.items[i].to->type.elem == elem)
            return w->values.items[i].to;
    }
    struct ir_value *to;
    if (v->op && v->op->code == IR_OP_TRANS) {
        struct ir_value *source = widen(w, v->op->operands[0], elem, range);
        struct ir_type type = ir_with_elem(v->type, elem);
        struct ir_builder b = behind(w, v, range);
        to = ir_build(&b, IR_OP_TRANS, 1, &source, 1, &type, 0, &v->op->attributes)->results[0];
    } else {
        struct ir_builder b = behind(w, v, range);
        to = ir_cast(&b, v, elem);
    }
    ARENA_PUSH(w->func->arena, &w->values, ((struct widened){v, to}));
    return to;
}

void cpu_widen_dots(struct ir_func *func, const struct cpu_level *level)
{
    struct plan_matrix *plan = ARENA_NEW(func->arena, struct plan_matrix);
    const char *reason;
    const struct ir_op *place;
    struct widen w = {.func = func};
    ir_walk(func->body, collect, &w);
    if (w.dots.count == 0 || plan_matrix_find(func, plan, &reason, &place) == PLAN_MATRIX_FOUND)
        return;
    for (size_t i = 0; i < w.dots.count; i++) {
        struct ir_op *dot = w.dots.items[i];
        enum cpu_unit unit = cpu_unit_of(level, dot);
        enum ir_elem elem =
            unit == CPU_UNIT_ONE ? (enum ir_elem)dot->results[0]->type.elem : cpu_unit_elem(unit);
        for (int k = 0; k < 2; k++)
            dot->operands[k] = widen(&w, dot->operands[k], elem, dot->range);
    }
}
