/*
 * Sinks: what each wants, and which group it joins.
 *
 * A sink joins the open group if its shape is the group's, if nothing it needs is a result of that
 * group, and if running both element by element keeps the order of conflicting accesses; otherwise
 * the group is closed and another opened.
 *
 * What a sink wants is made inside its nest. A value wanted by a second group is made again if that
 * is cheap, else the group that made it first also writes it to a scratch buffer (cost.c has the
 * measure). Values that cannot be made element by element (a real reshape, the table of a gather,
 * operands of collectives) always get a buffer.
 *
 * Loads run late, so each store looks back: a load before it that may read what it writes, and that
 * is still wanted, is made into a buffer first. Between a load and a store of one and the same
 * address tile, without two equal addresses in it, an element meets only itself: no conflict. Where
 * it can be asked as the nest runs whether that is so, or whether both lie apart, it is (apart.c).
 */
#include "cpu/scheduler.h"

#include "cpu/apart.h"
#include "cpu/cost.h"
#include "cpu/strided.h"

/* ---- memory order ---------------------------------------------------------------------------- */

static bool may_overlap(struct cpu_schedule *s, const struct ir_op *a, const struct ir_op *b)
{
    return !cpu_are_apart(s->e, ir_pointer_root(a->operands[0]), ir_pointer_root(b->operands[0]));
}

bool cpu_schedule_conflicts(struct cpu_schedule *s, const struct ir_op *a, const struct ir_op *b)
{
    return (is_write(a) || is_write(b)) && may_overlap(s, a, b) && !cpu_never_meet(a, b);
}

/* Element i of one access can only meet element i of the other. */
static bool meets_itself(struct cpu_schedule *s, const struct ir_op *a, const struct ir_op *b)
{
    return a->code != IR_OP_VIEW_LOAD && a->code != IR_OP_VIEW_STORE &&
           b->code != IR_OP_VIEW_LOAD && b->code != IR_OP_VIEW_STORE &&
           a->operands[0] == b->operands[0] && a->operands[0]->type.rank > 0 &&
           cpu_is_injective(s->e, a->operands[0]);
}

/* ---- groups ---------------------------------------------------------------------------------- */

void cpu_schedule_push(struct cpu_schedule *s, struct cpu_step step)
{
    ARENA_PUSH(s->e->arena, &s->steps, step);
}

/* Loads that were kept before a store which then joined their nest, and all that wanted them, too. */
static void drop_kept(struct cpu_schedule *s, struct cpu_group *group)
{
    int last = 0;
    for (size_t i = 0; i < group->sinks.count; i++) {
        struct cpu_sink *sink = &group->sinks.items[i];
        if (sink->kind == CPU_SINK_STORE)
            last = (int)sink->op->mark;
    }
    for (size_t i = 0; i < group->sinks.count; i++) {
        struct cpu_sink *sink = &group->sinks.items[i];
        if (!sink->kept || info(s, sink->value)->need > last)
            continue;
        sink->only_made = true;
        info(s, sink->value)->buffer = NULL;
    }
}

void cpu_schedule_close(struct cpu_schedule *s)
{
    struct cpu_group *group = s->open;
    if (!group)
        return;
    s->open = NULL;
    drop_kept(s, group);
    cpu_schedule_push(s, (struct cpu_step){.kind = CPU_STEP_GROUP, .group = group});
    for (size_t i = 0; i < group->scalars.count; i++)
        cpu_schedule_push(
            s, (struct cpu_step){.kind = CPU_STEP_SCALAR, .op = group->scalars.items[i]});
}

static struct cpu_group *group_for(struct cpu_schedule *s, struct ir_type shape)
{
    if (!s->open) {
        s->open = ARENA_NEW(s->e->arena, struct cpu_group);
        s->open->shape = shape;
        s->open->schedule = s;
    }
    return s->open;
}

static bool is_own(struct cpu_schedule *s, const struct cpu_group *group)
{
    return group && group->schedule == s;
}

struct cpu_buffer *cpu_schedule_give_buffer(struct cpu_schedule *s, struct ir_value *v)
{
    struct ir_type type = v->type;
    struct cpu_value *value = info(s, v);
    value->buffer = cpu_buffer_new(s->e, type);
    if (!is_local(s, v))
        ARENA_PUSH(s->e->arena, &s->borrowed, v);
    return value->buffer;
}

/* Adds a write of v to scratch to the group that makes v anyway. */
static void keep_in(struct cpu_schedule *s, struct cpu_group *group, struct ir_value *v)
{
    struct cpu_sink sink = {
        .kind = CPU_SINK_BUFFER, .value = v, .buffer = cpu_schedule_give_buffer(s, v)};
    ARENA_PUSH(s->e->arena, &group->sinks, sink);
    info(s, v)->pending = group;
}

/* ---- what a sink wants ----------------------------------------------------------------------- */

void cpu_schedule_need_buffer(struct cpu_schedule *s, struct ir_value *v)
{
    struct cpu_value *value = info(s, v);
    if (value->buffer || v->type.rank == 0)
        return;
    if (is_own(s, value->evaluated)) {
        keep_in(s, value->evaluated, v);
        return;
    }
    struct cpu_sink sink = {.kind = CPU_SINK_BUFFER, .value = v};
    cpu_schedule_add_sink(s, sink, v->type, &v, 1);
}

static struct ir_value *unconst(const struct ir_value *v)
{
    return (struct ir_value *)v;
}

void cpu_schedule_prepare(struct cpu_schedule *s, struct ir_value *v, bool whole)
{
    struct cpu_value *value = info(s, v);
    if (v->type.rank == 0 || value->buffer || !v->op || !first_visit(s, v, whole))
        return;
    struct ir_op *op = v->op;
    bool made = is_own(s, value->evaluated);
    if (made && whole && value->evaluated == s->open)
        return;
    if (made && cpu_cost(s->e, v, CPU_COST_AGAIN) > CPU_COST_AGAIN) {
        cpu_schedule_need_buffer(s, v);
        return;
    }
    switch (op->code) {
    case IR_OP_RESHAPE:
        if (!cpu_reshape_is_simple(op)) {
            if (!cpu_affine_of(s->e, v)->known ||
                !(cpu_is_uniform(s->e, v) || v->type.pointer || v->type.elem == IR_I64 ||
                  v->type.elem == IR_U64))
                cpu_schedule_need_buffer(s, unconst(cpu_reshape_source(op)));
            return;
        }
        cpu_schedule_prepare(s, op->operands[0], false);
        return;
    case IR_OP_GATHER:
        cpu_schedule_need_buffer(s, op->operands[0]);
        cpu_schedule_prepare(s, op->operands[1], whole);
        return;
    case IR_OP_BROADCAST:
    case IR_OP_TRANS:
    case IR_OP_JOIN:
    case IR_OP_SPLIT:
        for (int i = 0; i < op->operand_count; i++) {
            if (cpu_cost(s->e, op->operands[i], CPU_COST_MOVED) > CPU_COST_MOVED)
                cpu_schedule_need_buffer(s, op->operands[i]);
            else
                cpu_schedule_prepare(s, op->operands[i], false);
        }
        return;
    default:
        for (int i = 0; i < op->operand_count; i++)
            cpu_schedule_prepare(s, op->operands[i], whole);
        return;
    }
}

/* Calls visit for each value that making v in a nest reaches: leaves (scalars, buffers) too. */
struct closure {
    struct cpu_schedule *s;
    bool waits; /* something is a result of the open group */
    struct {
        const struct cpu_buffer **items;
        size_t count, capacity;
    } moved; /* buffers that are read at other positions than the nest's */
    struct {
        struct cpu_access *items;
        size_t count, capacity;
    } loads;
};

/* Elements of that operand become others of the result: all but a gather's indices. */
static bool is_moved(const struct ir_op *op, int operand)
{
    return ir_has(op, IR_MOVES) && !(op->code == IR_OP_GATHER && operand == 1);
}

static void collect(struct closure *c, struct ir_value *v, bool whole)
{
    struct cpu_schedule *s = c->s;
    struct cpu_value *value = info(s, v);
    if (is_pending(s, v)) {
        c->waits = c->waits || !(whole && value->evaluated == s->open && v->type.rank > 0);
        if (value->evaluated != s->open)
            return;
    }
    if (value->buffer && !is_pending(s, v)) {
        if (!whole)
            ARENA_PUSH(s->e->arena, &c->moved, value->buffer);
        return;
    }
    if (v->type.rank == 0 || !v->op || !first_visit(s, v, whole))
        return;
    struct ir_op *op = v->op;
    if (ir_is_load(op))
        ARENA_PUSH(s->e->arena, &c->loads, ((struct cpu_access){op, whole}));
    if (op->code == IR_OP_RESHAPE && !cpu_reshape_is_simple(op)) {
        collect(c, unconst(cpu_reshape_source(op)), false);
        return;
    }
    for (int i = 0; i < op->operand_count; i++)
        collect(c, op->operands[i], whole && !is_moved(op, i));
}

static void mark_made(struct cpu_schedule *s, struct ir_value *v, struct cpu_group *group)
{
    struct cpu_value *value = info(s, v);
    if (v->type.rank == 0 || value->buffer || !v->op || !is_lazy(v->op) ||
        !ir_shape_equal(v->type, group->shape) || is_own(s, value->evaluated))
        return;
    value->evaluated = group;
    for (int i = 0; i < v->op->operand_count; i++)
        if (!is_moved(v->op, i))
            mark_made(s, v->op->operands[i], group);
}

/* ---- joining a group ------------------------------------------------------------------------- */

static bool order_broken(struct cpu_schedule *s, const struct cpu_access *earlier,
                         const struct ir_op *later, bool later_whole)
{
    if (!cpu_schedule_conflicts(s, earlier->op, later))
        return false;
    return !(earlier->whole && later_whole && meets_itself(s, earlier->op, later));
}

enum { MOST_ASKED = 8 };

/* Whether the group may be made twice, with what it stores taken for apart from what it loads. */
static bool may_ask(const struct cpu_group *group)
{
    for (size_t i = 0; i < group->sinks.count; i++) {
        if (group->sinks.items[i].kind != CPU_SINK_STORE &&
            group->sinks.items[i].kind != CPU_SINK_BUFFER)
            return false;
    }
    return group->asked.count < MOST_ASKED;
}

/* An access and a later write, in an order that may be broken: whether that can be asked. */
static bool is_asked(struct cpu_schedule *s, const struct cpu_access *earlier,
                     const struct ir_op *write)
{
    return write->code == IR_OP_STORE && earlier->whole &&
           cpu_may_ask_apart(s->e, earlier->op, write);
}

static void ask(struct cpu_schedule *s, struct cpu_group *group, const struct cpu_access *earlier,
                const struct ir_op *write)
{
    if (!order_broken(s, earlier, write, true))
        return;
    for (size_t i = 0; i < group->asked.count; i++) {
        if (group->asked.items[i].a == earlier->op && group->asked.items[i].b == write)
            return;
    }
    ARENA_PUSH(s->e->arena, &group->asked, ((struct cpu_pair){earlier->op, write}));
}

/* The sink may not join the open group as it is. */
static bool must_close(struct cpu_schedule *s, const struct closure *c, const struct ir_op *write)
{
    bool may = may_ask(s->open);
    if (c->waits)
        return true;
    for (size_t k = 0; k < c->loads.count && write && !may; k++) {
        if (order_broken(s, &c->loads.items[k], write, true))
            return true;
    }
    for (size_t i = 0; i < s->open->accesses.count; i++) {
        const struct cpu_access *earlier = &s->open->accesses.items[i];
        if (write && order_broken(s, earlier, write, true) && !(may && is_asked(s, earlier, write)))
            return true;
        for (size_t k = 0; k < c->loads.count && is_write(earlier->op); k++) {
            const struct cpu_access *load = &c->loads.items[k];
            if (load->op->mark > earlier->op->mark &&
                order_broken(s, earlier, load->op, load->whole))
                return true;
        }
    }
    return false;
}

bool cpu_schedule_save_loads(struct cpu_schedule *s, const struct ir_op *write)
{
    bool saved = false;
    size_t wanted = 0;
    for (size_t k = 0; k < s->loads.count; k++) {
        struct ir_value *v = s->loads.items[k]->results[0];
        if (info(s, v)->need <= write->mark) /* nor behind any later write */
            continue;
        s->loads.items[wanted++] = s->loads.items[k];
        if (!info(s, v)->buffer && cpu_schedule_conflicts(s, v->op, write)) {
            cpu_schedule_need_buffer(s, v);
            struct cpu_sink *sink =
                s->open ? &s->open->sinks.items[s->open->sinks.count - 1] : NULL;
            if (sink && sink->kind == CPU_SINK_BUFFER && sink->value == v)
                sink->kept = true;
            saved = true;
        }
    }
    s->loads.count = wanted;
    return saved;
}

/* The same of loads that the sink of the write wants itself, unless it meets itself there, or that
 * can be asked. */
static bool save_own_loads(struct cpu_schedule *s, const struct closure *c,
                           const struct ir_op *write)
{
    bool saved = false;
    for (size_t k = 0; k < c->loads.count; k++) {
        const struct cpu_access *load = &c->loads.items[k];
        if (!info(s, load->op->results[0])->buffer && order_broken(s, load, write, true) &&
            !is_asked(s, load, write)) {
            cpu_schedule_need_buffer(s, load->op->results[0]);
            saved = true;
        }
    }
    return saved;
}

static struct closure closure_of(struct cpu_schedule *s, struct ir_value *const *wanted, int count)
{
    struct closure c = {.s = s};
    s->epoch = cpu_new_epoch(s->e);
    for (int i = 0; i < count; i++)
        collect(&c, wanted[i], true);
    return c;
}

/* Makes ready what the sink wants, and closes the open group if the sink may not join it; then what
 * that group made is looked at again, so that dear values are kept. */
static struct closure make_room(struct cpu_schedule *s, struct ir_op *write, struct ir_type shape,
                                struct ir_value *const *wanted, int wanted_count)
{
    for (;;) {
        for (int i = 0; i < wanted_count; i++) {
            s->epoch = cpu_new_epoch(s->e);
            cpu_schedule_prepare(s, wanted[i], true);
        }
        struct closure c = closure_of(s, wanted, wanted_count);
        bool saved = write && save_own_loads(s, &c, write);
        if (write && (cpu_schedule_save_loads(s, write) || saved))
            c = closure_of(s, wanted, wanted_count);
        if (!s->open || (ir_shape_equal(s->open->shape, shape) && !must_close(s, &c, write)))
            return c;
        cpu_schedule_close(s);
    }
}

void cpu_schedule_add_sink(struct cpu_schedule *s, struct cpu_sink sink, struct ir_type shape,
                           struct ir_value *const *wanted, int wanted_count)
{
    struct cpu_emit *e = s->e;
    struct ir_op *write = sink.op && is_write(sink.op) ? sink.op : NULL;
    if (s->open && s->open->asked.count > 0 && sink.kind != CPU_SINK_STORE &&
        sink.kind != CPU_SINK_BUFFER)
        cpu_schedule_close(s);
    struct closure c = make_room(s, write, shape, wanted, wanted_count);
    struct cpu_group *group = group_for(s, shape);
    for (int i = 0; i < wanted_count; i++)
        mark_made(s, wanted[i], group);
    for (size_t k = 0; k < c.loads.count && write; k++)
        ask(s, group, &c.loads.items[k], write);
    for (size_t k = 0; k < group->accesses.count && write; k++)
        ask(s, group, &group->accesses.items[k], write);
    if (sink.kind == CPU_SINK_BUFFER && !sink.buffer) {
        sink.buffer = cpu_schedule_give_buffer(s, sink.value);
        info(s, sink.value)->pending = group;
    }
    for (size_t k = 0; k < c.loads.count; k++)
        ARENA_PUSH(e->arena, &group->accesses, c.loads.items[k]);
    for (size_t k = 0; k < c.moved.count; k++)
        ARENA_PUSH(e->arena, &group->moved, c.moved.items[k]);
    if (write)
        ARENA_PUSH(e->arena, &group->accesses, ((struct cpu_access){write, true}));
    ARENA_PUSH(e->arena, &group->sinks, sink);
}

void cpu_schedule_copy_into(struct cpu_schedule *s, struct ir_value *v, struct cpu_buffer *buffer)
{
    if (s->open && s->open->asked.count > 0) /* those that take turns are in one nest */
        cpu_schedule_close(s);
    for (size_t i = 0; s->open && i < s->open->moved.count; i++) {
        if (s->open->moved.items[i] == buffer)
            cpu_schedule_close(s);
    }
    struct cpu_sink sink = {.kind = CPU_SINK_BUFFER, .value = v, .buffer = buffer};
    cpu_schedule_add_sink(s, sink, v->type, &v, 1);
}

void cpu_schedule_await(struct cpu_schedule *s, const struct ir_op *op)
{
    for (int i = 0; i < op->operand_count; i++) {
        if (is_pending(s, op->operands[i]))
            cpu_schedule_close(s);
    }
}
