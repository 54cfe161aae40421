/*
 * Between which places of a nest's innermost loop all masks hold, and which conditions go the way
 * they mostly do: from the masks of its loads, stores and views, and what selects choose by.
 * masks.c says where a single one holds.
 */
#include "cpu/nest.h"

#include "cpu/along.h"
#include "cpu/spread.h"

/* What follows counts on it: min(max(i, 0), n - 1) where the maximum is i. */
static void suppose(struct cpu_emit *e, struct cpu_nest *n)
{
    cpu_new_epoch(e);
    e->body.interior = true;
    e->body.bounded = n->bounded;
    e->body.bounded_count = n->bounded_count;
}

/* Whether a mask is made with an access that has one itself: in an interior it would be without,
 * and touch what it must not. *left: how many values may still be looked at; else it may be. */
static bool hangs_on_access(struct cpu_emit *e, const struct ir_value *v, int *left)
{
    const struct ir_op *op = v->op;
    const struct cpu_value *value = cpu_value_of(e, v);
    if (!op || v->type.rank == 0 || (value->buffer && value->ready))
        return false;
    if ((*left)-- <= 0 || op->code == IR_OP_VIEW_LOAD || (op->code == IR_OP_LOAD && ir_mask_of(op)))
        return true;
    for (int i = 0; i < op->operand_count; i++) {
        if (hangs_on_access(e, op->operands[i], left))
            return true;
    }
    return false;
}

static bool limits_in_body(struct cpu_emit *e, const struct cpu_nest *n,
                           const struct cpu_bounded *bounded, struct cpu_limits *limits)
{
    const struct cpu_position *p = &bounded->position;
    if (bounded->view)
        return cpu_view_limits(e, bounded->view, p, n->size, limits);
    if (bounded->chosen)
        return cpu_choice_limits(e, bounded->mask->op, bounded->chosen, p, n->size, limits);
    return cpu_limits_of(e, bounded->mask, p, n->size, limits);
}

/* Where it is not yet known what the interior is, nothing is read as there. */
static bool limits_of(struct cpu_emit *e, const struct cpu_nest *n,
                      const struct cpu_bounded *bounded, struct cpu_limits *limits)
{
    enum { MOST_VALUES = 64 };
    int left = MOST_VALUES;
    struct cpu_body body = e->body;
    if (!e->body.interior || bounded->view || !hangs_on_access(e, bounded->mask, &left))
        return limits_in_body(e, n, bounded, limits);
    cpu_new_epoch(e);
    e->body.interior = false;
    e->body.bounded_count = 0;
    bool found = limits_in_body(e, n, bounded, limits);
    e->body = body;
    cpu_new_epoch(e);
    return found;
}

/* access: its mask, which holds where the whole tile's do. */
static void add_bounded(struct cpu_emit *e, struct cpu_nest *n, struct cpu_bounded bounded,
                        bool access)
{
    for (int i = n->bounded_before; i < n->bounded_count; i++) {
        struct cpu_bounded *b = &n->bounded[i];
        if (b->mask == bounded.mask && b->view == bounded.view)
            return;
    }
    struct cpu_limits limits;
    struct cpu_span span;
    if (n->whole && access && n->bounded_count < CPU_MOST_BOUNDED) {
        bounded.whole = true;
        n->bounded[n->bounded_count++] = bounded;
        suppose(e, n);
        return;
    }
    if (n->bounded_count == CPU_MOST_BOUNDED) {
        if (n->bounded_before > 0) /* the mask may stand there for another program */
            n->all = cpu_i64(e, 0);
        return;
    }
    if (!limits_of(e, n, &bounded, &limits))
        return;
    bounded.program = e->entered;
    if (cpu_limits_hold(e, &bounded, &limits))
        bounded.within = limits.holds;
    n->bounded[n->bounded_count++] = bounded;
    span = bounded.holds ? limits.holds : limits.fails;
    n->from = cpu_max_i64(e, n->from, span.from);
    n->all = cpu_min_i64(e, n->all, span.to);
    suppose(e, n);
}

/* A mask of an access should hold. One that holds in few places is no bound: most of a nest would
 * be left to the masked body. */
static void add_mask(struct cpu_emit *e, struct cpu_nest *n, const struct ir_value *mask,
                     const struct cpu_position *p)
{
    if (n->whole || cpu_is_likely(e, mask, p) != CPU_UNLIKELY)
        add_bounded(e, n, (struct cpu_bounded){.mask = mask, .position = *p, .holds = true}, true);
}

/* The condition of a select: whichever way it mostly is. Of indices, what varies along the lanes
 * should be chosen, which is an address in a row. */
static void add_condition(struct cpu_emit *e, struct cpu_nest *n, const struct ir_op *op,
                          const struct cpu_position *p)
{
    const struct ir_value *chosen = cpu_choice_of(e, op, p);
    enum cpu_likely likely = cpu_is_likely(e, op->operands[0], p);
    bool holds = chosen ? chosen == op->operands[1] : likely == CPU_LIKELY;
    if (chosen || likely != CPU_UNSURE)
        add_bounded(e, n,
                    (struct cpu_bounded){.mask = op->operands[0], .position = *p, .holds = holds},
                    false);
}

static void add_choice(struct cpu_emit *e, struct cpu_nest *n, const struct ir_op *op,
                       const struct cpu_position *p)
{
    const struct ir_value *chosen = cpu_choice_of(e, op, p);
    if (chosen)
        add_bounded(e, n,
                    (struct cpu_bounded){
                        .mask = op->results[0], .position = *p, .holds = true, .chosen = chosen},
                    false);
}

static void note_top(struct cpu_emit *e, struct cpu_nest *n, const struct ir_op *op,
                     const struct cpu_position *p)
{
    const struct ir_value *factor = NULL;
    const struct ir_value *top =
        op->code == IR_OP_EXP ? cpu_own_maximum(op->operands[0]) : cpu_narrowed_top(e, op, &factor);
    struct cpu_value *value = top ? cpu_value_of(e, top) : NULL;
    if (!value || !value->spread || !cpu_is_along_lanes(op->results[0], p))
        return;
    value->near = NULL;
    const struct cpu_value *by = factor ? cpu_value_of(e, factor) : NULL;
    for (int i = 0; i < n->tops.count; i++) {
        if (n->tops.items[i].top == value && n->tops.items[i].factor == by)
            return;
    }
    if (n->tops.count == CPU_MOST_TOPS) {
        n->tops.missed[e->entered] = true;
        return;
    }
    n->tops.items[n->tops.count].program = e->entered;
    n->tops.items[n->tops.count].top = value;
    n->tops.items[n->tops.count++].factor = by;
}

static void bound_value(struct cpu_emit *e, struct cpu_nest *n, const struct ir_value *v,
                        const struct cpu_position *p, unsigned epoch);

static void bound_operands(struct cpu_emit *e, struct cpu_nest *n, const struct ir_op *op,
                           const struct cpu_position *p, unsigned epoch)
{
    for (int i = 0; i < op->operand_count; i++) {
        if (op->code == IR_OP_GATHER && i == 0)
            continue;
        bound_value(e, n, op->operands[i], p, epoch);
    }
}

/* Masks of loads and conditions of selects that the value is made with. */
static void bound_value(struct cpu_emit *e, struct cpu_nest *n, const struct ir_value *v,
                        const struct cpu_position *p, unsigned epoch)
{
    struct cpu_value *value = cpu_value_of(e, v);
    const struct ir_op *op = v->op;
    if (v->type.rank == 0 || value->visited[1] == epoch || !op || (value->buffer && value->ready) ||
        cpu_affine_of(e, v)->known)
        return;
    value->visited[1] = epoch;
    struct cpu_position q = *p;
    switch (op->code) {
    case IR_OP_LOAD:
        if (ir_mask_of(op))
            add_mask(e, n, ir_mask_of(op), p);
        break;
    case IR_OP_VIEW_LOAD:
        add_bounded(e, n, (struct cpu_bounded){.view = op, .position = *p, .holds = true}, true);
        break;
    case IR_OP_SELECT: /* after what is chosen from */
        bound_operands(e, n, op, p, epoch);
        add_condition(e, n, op, p);
        return;
    case IR_OP_MAXIMUM:
    case IR_OP_MINIMUM:
        bound_operands(e, n, op, p, epoch);
        add_choice(e, n, op, p);
        return;
    case IR_OP_EXP:
    case IR_OP_CAST:
        note_top(e, n, op, p);
        break;
    case IR_OP_JOIN:
    case IR_OP_SPLIT:
        n->tops.missed[e->entered] = true;
        return;
    case IR_OP_RESHAPE:
        if (!cpu_reshape_is_simple(op)) {
            n->tops.missed[e->entered] = true;
            return;
        }
        q = cpu_operand_position(e, op, p);
        break;
    case IR_OP_BROADCAST:
    case IR_OP_TRANS:
        q = cpu_operand_position(e, op, p);
        break;
    default:
        break;
    }
    bound_operands(e, n, op, &q, epoch);
}

static void bound_sink(struct cpu_emit *e, struct cpu_nest *n, const struct cpu_sink *sink,
                       unsigned epoch)
{
    const struct cpu_position *p = &n->position;
    if (sink->kind == CPU_SINK_BUFFER) {
        bound_value(e, n, sink->value, p, epoch);
        return;
    }
    const struct ir_op *op = sink->op;
    if (sink->kind == CPU_SINK_STORE && op->code == IR_OP_VIEW_STORE)
        add_bounded(e, n, (struct cpu_bounded){.view = op, .position = *p, .holds = true}, true);
    else if (sink->kind == CPU_SINK_STORE && ir_mask_of(op))
        add_mask(e, n, ir_mask_of(op), p);
    bound_operands(e, n, op, p, epoch);
}

void cpu_nest_begin_bounds(struct cpu_emit *e, struct cpu_nest *n)
{
    cpu_new_epoch(e);
    e->body = (struct cpu_body){.lanes = n->lanes};
    n->from = cpu_i64(e, 0);
    n->all = cpu_i64(e, n->size);
    n->tops.count = 0;
    for (int k = 0; k < CPU_MOST_TOGETHER; k++)
        n->tops.missed[k] = false;
    n->near_if = NULL;
    n->near_by_program = false;
    n->bounded_count = 0;
}

void cpu_nest_bound_also(struct cpu_emit *e, struct cpu_nest *n, const struct ir_value *v,
                         const struct cpu_position *p)
{
    n->bounded_before = n->bounded_count;
    bound_value(e, n, v, p, cpu_new_epoch(e));
}

void cpu_nest_find_bounds(struct cpu_emit *e, struct cpu_nest *n)
{
    cpu_nest_begin_bounds(e, n);
    n->position.index[n->axis] = cpu_i64(e, 0);
    unsigned epoch = cpu_new_epoch(e);
    struct cpu_span all = {n->from, n->all};
    for (int k = 0; k < e->together; k++) {
        cpu_together_enter(e, k);
        n->from = cpu_i64(e, 0);
        n->all = cpu_i64(e, n->size);
        if (!e->behind) /* the same masks for each program */
            n->bounded_count = e->body.bounded_count = 0;
        n->bounded_before = n->bounded_count;
        if (n->at)
            cpu_nest_bound_runs(e, n);
        for (size_t i = 0; i < n->groups[k]->sinks.count; i++)
            bound_sink(e, n, &n->groups[k]->sinks.items[i], epoch);
        n->own[k] = (struct cpu_span){n->from, n->all};
        all.from = cpu_max_i64(e, all.from, n->from);
        all.to = cpu_min_i64(e, all.to, n->all);
    }
    n->from = all.from;
    n->all = all.to;
}

/* On what is the same for all lanes: one value for the tile, or one for each of its rows. */
static bool hangs_on_more(struct cpu_emit *e, const struct ir_value *mask,
                          const struct cpu_position *p)
{
    const struct ir_op *op = mask->op;
    int64_t known;
    if (op && op->code == IR_OP_AND)
        return hangs_on_more(e, op->operands[0], p) || hangs_on_more(e, op->operands[1], p);
    if (op && mask->type.rank > 0 && cpu_moves_elements(op)) {
        struct cpu_position q = cpu_operand_position(e, op, p);
        return op->operands[0]->type.rank == 0 || hangs_on_more(e, op->operands[0], &q);
    }
    return mask->type.rank > 0 && cpu_step_along(e, mask, p, &known) && known == 0 &&
           !ir_constant_int(mask, &known);
}

bool cpu_nest_misses_rows(struct cpu_emit *e, const struct cpu_nest *n)
{
    for (int i = 0; i < n->bounded_count; i++) {
        const struct cpu_bounded *b = &n->bounded[i];
        if (b->mask && !b->chosen && hangs_on_more(e, b->mask, &b->position))
            return true;
    }
    return false;
}
