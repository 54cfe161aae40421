/*
 * Scheduling a region: see schedule.h.
 *
 * Ops are visited in program order. Pure tile ops and loads are left alone until a sink wants them.
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
 * address tile, without two equal addresses in it, an element meets only itself: no conflict.
 */
#include "cpu/schedule.h"
#include "cpu/cost.h"
#include "cpu/dot.h"
#include "cpu/strided.h"

static struct cpu_value *info(struct cpu_schedule *s, const struct ir_value *v)
{
    return cpu_value_of(s->e, v);
}

/* ---- classes of ops ------------------------------------------------------------------------- */

static bool is_reduction(const struct ir_op *op)
{
    return op->code >= IR_OP_SUM && op->code <= IR_OP_ALL;
}

static bool is_collective(const struct ir_op *op)
{
    return op->code >= IR_OP_CUMSUM && op->code <= IR_OP_DOT;
}

static bool is_atomic(const struct ir_op *op)
{
    return op->code >= IR_OP_ATOMIC_ADD && op->code <= IR_OP_ATOMIC_CAS;
}

static bool is_load(const struct ir_op *op)
{
    return op->code == IR_OP_LOAD || op->code == IR_OP_VIEW_LOAD;
}

static bool is_write(const struct ir_op *op)
{
    return op->code == IR_OP_STORE || op->code == IR_OP_VIEW_STORE || is_atomic(op);
}

static bool is_control(const struct ir_op *op)
{
    return op->code == IR_OP_FOR || op->code == IR_OP_IF || op->code == IR_OP_WHILE;
}

static bool touches_tile(const struct ir_op *op)
{
    for (int i = 0; i < op->operand_count; i++) {
        if (op->operands[i]->type.rank > 0)
            return true;
    }
    for (int i = 0; i < op->result_count; i++) {
        if (op->results[i]->type.rank > 0)
            return true;
    }
    return false;
}

/* A tile op that is made where it is wanted. */
static bool is_lazy(const struct ir_op *op)
{
    if (is_reduction(op) || is_collective(op) || is_write(op) || is_control(op))
        return false;
    return op->result_count > 0 && op->results[0]->type.rank > 0;
}

/* ---- memory order --------------------------------------------------------------------------- */

static bool may_overlap(struct cpu_schedule *s, const struct ir_op *a, const struct ir_op *b)
{
    return !cpu_are_apart(s->e, ir_pointer_root(a->operands[0]), ir_pointer_root(b->operands[0]));
}

static bool conflicts(struct cpu_schedule *s, const struct ir_op *a, const struct ir_op *b)
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

/* ---- groups --------------------------------------------------------------------------------- */

static void push_step(struct cpu_schedule *s, struct cpu_step step)
{
    ARENA_PUSH(s->e->arena, &s->steps, step);
}

static void close_group(struct cpu_schedule *s)
{
    struct cpu_group *group = s->open;
    if (!group)
        return;
    s->open = NULL;
    push_step(s, (struct cpu_step){.kind = CPU_STEP_GROUP, .group = group});
    for (size_t i = 0; i < group->scalars.count; i++)
        push_step(s, (struct cpu_step){.kind = CPU_STEP_SCALAR, .op = group->scalars.items[i]});
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

static bool is_pending(struct cpu_schedule *s, const struct ir_value *v)
{
    return s->open && info(s, v)->pending == s->open;
}

static bool is_own(struct cpu_schedule *s, const struct cpu_group *group)
{
    return group && group->schedule == s;
}

/* The region that v is defined in is this one. */
static bool is_local(struct cpu_schedule *s, const struct ir_value *v)
{
    return (v->op ? v->op->parent : v->region) == s->region;
}

static struct cpu_buffer *give_buffer(struct cpu_schedule *s, struct ir_value *v)
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
    struct cpu_sink sink = {.kind = CPU_SINK_BUFFER, .value = v, .buffer = give_buffer(s, v)};
    ARENA_PUSH(s->e->arena, &group->sinks, sink);
    info(s, v)->pending = group;
}

static void add_sink(struct cpu_schedule *s, struct cpu_sink sink, struct ir_type shape,
                     struct ir_value *const *wanted, int wanted_count);

/* ---- what a sink wants ---------------------------------------------------------------------- */

static bool first_visit(struct cpu_schedule *s, const struct ir_value *v, bool whole)
{
    struct cpu_value *value = info(s, v);
    if (value->visited[whole] == s->epoch)
        return false;
    value->visited[whole] = s->epoch;
    return true;
}

static void need_buffer(struct cpu_schedule *s, struct ir_value *v)
{
    struct cpu_value *value = info(s, v);
    if (value->buffer || v->type.rank == 0)
        return;
    if (is_own(s, value->evaluated)) {
        keep_in(s, value->evaluated, v);
        return;
    }
    struct cpu_sink sink = {.kind = CPU_SINK_BUFFER, .value = v};
    add_sink(s, sink, v->type, &v, 1);
}

static struct ir_value *unconst(const struct ir_value *v)
{
    return (struct ir_value *)v;
}

/* Gives buffers to what the nest that makes v cannot make itself, or should not make again. whole:
 * v is wanted at the position of the nest. */
static void prepare(struct cpu_schedule *s, struct ir_value *v, bool whole)
{
    struct cpu_value *value = info(s, v);
    if (v->type.rank == 0 || value->buffer || !v->op || !first_visit(s, v, whole))
        return;
    struct ir_op *op = v->op;
    bool made = is_own(s, value->evaluated);
    if (made && whole && value->evaluated == s->open)
        return;
    if (made && cpu_cost(s->e, v, CPU_COST_AGAIN) > CPU_COST_AGAIN) {
        need_buffer(s, v);
        return;
    }
    switch (op->code) {
    case IR_OP_RESHAPE:
        if (!cpu_reshape_is_simple(op)) {
            if (!cpu_affine_of(s->e, v)->known ||
                !(cpu_is_uniform(s->e, v) || v->type.pointer || v->type.elem == IR_I64 ||
                  v->type.elem == IR_U64))
                need_buffer(s, unconst(cpu_reshape_source(op)));
            return;
        }
        prepare(s, op->operands[0], false);
        return;
    case IR_OP_GATHER:
        need_buffer(s, op->operands[0]);
        prepare(s, op->operands[1], whole);
        return;
    case IR_OP_BROADCAST:
    case IR_OP_TRANS:
    case IR_OP_JOIN:
    case IR_OP_SPLIT:
        for (int i = 0; i < op->operand_count; i++) {
            if (cpu_cost(s->e, op->operands[i], CPU_COST_MOVED) > CPU_COST_MOVED)
                need_buffer(s, op->operands[i]);
            else
                prepare(s, op->operands[i], false);
        }
        return;
    default:
        for (int i = 0; i < op->operand_count; i++)
            prepare(s, op->operands[i], whole);
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
    if (is_load(op))
        ARENA_PUSH(s->e->arena, &c->loads, ((struct cpu_access){op, whole}));
    bool moves = op->code == IR_OP_RESHAPE || op->code == IR_OP_BROADCAST ||
                 op->code == IR_OP_TRANS || op->code == IR_OP_JOIN || op->code == IR_OP_SPLIT;
    if (op->code == IR_OP_RESHAPE && !cpu_reshape_is_simple(op)) {
        collect(c, unconst(cpu_reshape_source(op)), false);
        return;
    }
    for (int i = 0; i < op->operand_count; i++) {
        if (op->code == IR_OP_GATHER && i == 0)
            collect(c, op->operands[i], false);
        else
            collect(c, op->operands[i], whole && !moves);
    }
}

static void mark_made(struct cpu_schedule *s, struct ir_value *v, struct cpu_group *group)
{
    struct cpu_value *value = info(s, v);
    if (v->type.rank == 0 || value->buffer || !v->op || !is_lazy(v->op) ||
        !ir_shape_equal(v->type, group->shape) || is_own(s, value->evaluated))
        return;
    value->evaluated = group;
    switch (v->op->code) {
    case IR_OP_RESHAPE:
    case IR_OP_BROADCAST:
    case IR_OP_TRANS:
    case IR_OP_JOIN:
    case IR_OP_SPLIT:
        return;
    default:
        break;
    }
    for (int i = v->op->code == IR_OP_GATHER; i < v->op->operand_count; i++)
        mark_made(s, v->op->operands[i], group);
}

/* ---- joining a group ------------------------------------------------------------------------ */

static bool order_broken(struct cpu_schedule *s, const struct cpu_access *earlier,
                         const struct ir_op *later, bool later_whole)
{
    if (!conflicts(s, earlier->op, later))
        return false;
    return !(earlier->whole && later_whole && meets_itself(s, earlier->op, later));
}

/* The sink may not join the open group as it is. */
static bool must_close(struct cpu_schedule *s, const struct closure *c, const struct ir_op *write)
{
    if (c->waits)
        return true;
    for (size_t i = 0; i < s->open->accesses.count; i++) {
        const struct cpu_access *earlier = &s->open->accesses.items[i];
        if (write && order_broken(s, earlier, write, true))
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

/* Makes loads that the write would spoil into buffers. True when there was one. */
static bool save_loads(struct cpu_schedule *s, const struct closure *c, struct ir_op *write)
{
    bool saved = false;
    for (size_t k = 0; k < c->loads.count; k++) {
        const struct cpu_access *load = &c->loads.items[k];
        if (!info(s, load->op->results[0])->buffer &&
            order_broken(s, load, write, true)) {
            need_buffer(s, load->op->results[0]);
            saved = true;
        }
    }
    for (size_t k = 0; k < s->loads.count; k++) {
        struct ir_value *v = s->loads.items[k]->results[0];
        if (!info(s, v)->buffer && info(s, v)->need > write->mark &&
            conflicts(s, s->loads.items[k], write)) {
            need_buffer(s, v);
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
            prepare(s, wanted[i], true);
        }
        struct closure c = closure_of(s, wanted, wanted_count);
        if (write && save_loads(s, &c, write))
            c = closure_of(s, wanted, wanted_count);
        if (!s->open || (ir_shape_equal(s->open->shape, shape) && !must_close(s, &c, write)))
            return c;
        close_group(s);
    }
}

static void add_sink(struct cpu_schedule *s, struct cpu_sink sink, struct ir_type shape,
                     struct ir_value *const *wanted, int wanted_count)
{
    struct cpu_emit *e = s->e;
    struct ir_op *write = sink.op && is_write(sink.op) ? sink.op : NULL;
    struct closure c = make_room(s, write, shape, wanted, wanted_count);
    struct cpu_group *group = group_for(s, shape);
    for (int i = 0; i < wanted_count; i++)
        mark_made(s, wanted[i], group);
    if (sink.kind == CPU_SINK_BUFFER && !sink.buffer) {
        sink.buffer = give_buffer(s, sink.value);
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

/* ---- ops ------------------------------------------------------------------------------------ */

static void schedule_store(struct cpu_schedule *s, struct ir_op *op)
{
    struct cpu_sink sink = {.kind = is_atomic(op) ? CPU_SINK_ATOMIC : CPU_SINK_STORE, .op = op};
    struct ir_type shape = op->code == IR_OP_VIEW_STORE
                               ? op->operands[op->operand_count - 1]->type
                               : op->operands[0]->type;
    if (is_atomic(op) && op->results[0]->uses > 0)
        sink.buffer = give_buffer(s, op->results[0]);
    add_sink(s, sink, shape, op->operands, op->operand_count);
    if (sink.buffer)
        info(s, op->results[0])->pending = s->open;
}

static void schedule_reduction(struct cpu_schedule *s, struct ir_op *op)
{
    struct cpu_sink sink = {.kind = CPU_SINK_REDUCE, .op = op};
    struct ir_value *result = op->results[0];
    if (result->type.rank > 0)
        sink.buffer = give_buffer(s, result);
    add_sink(s, sink, op->operands[0]->type, op->operands, 1);
    info(s, result)->pending = s->open;
}

/* Closes the open group if an operand is one of its results. */
static void await_operands(struct cpu_schedule *s, const struct ir_op *op)
{
    for (int i = 0; i < op->operand_count; i++) {
        if (is_pending(s, op->operands[i]))
            close_group(s);
    }
}

static void schedule_collective(struct cpu_schedule *s, struct ir_op *op)
{
    for (int i = 0; i < op->operand_count; i++)
        need_buffer(s, op->operands[i]);
    close_group(s);
    give_buffer(s, op->results[0]);
    push_step(s, (struct cpu_step){.kind = CPU_STEP_COLLECTIVE, .op = op});
}

/* Whether v is made from the region's argument, element by element, and nothing else is. */
static bool alone_takes(struct cpu_schedule *s, const struct ir_value *v,
                        const struct ir_value *argument)
{
    if (v->uses != 1 || v == argument)
        return v->uses == 1;
    bool takes = false;
    if (!v->op || v->op->parent != s->region || !ir_has(v->op, IR_ELEMENTWISE))
        return false;
    for (int i = 0; i < v->op->operand_count && !takes; i++)
        takes = alone_takes(s, v->op->operands[i], argument);
    return takes;
}

/* Where the region leaves the dot's result, if the dot may write it there: what a loop carries was
 * not wanted but for the dot's start. */
static struct cpu_buffer *target_of(struct cpu_schedule *s, const struct ir_op *op)
{
    const struct ir_op *end = s->region->last, *around = s->region->parent;
    const struct ir_value *v = op->results[0];
    if (!s->targets || !around || v->uses != 1)
        return NULL;
    for (int i = 0; i < end->operand_count; i++) {
        if (end->operands[i] != v)
            continue;
        if (around->code == IR_OP_IF)
            return s->targets[i];
        if (around->code != IR_OP_FOR)
            return NULL;
        const struct ir_value *argument = s->region->arguments[1 + i];
        bool free = argument->uses == 0 || alone_takes(s, op->operands[2], argument);
        return free && info(s, argument)->buffer == s->targets[i] ? s->targets[i] : NULL;
    }
    return NULL;
}

/* A group that copies b into scratch memory, if the dot may do without where all of b is inside of
 * its view (dot.c); else NULL. */
static struct cpu_group *copy_if_outside(struct cpu_schedule *s, const struct ir_op *op)
{
    struct ir_value *b = op->operands[1];
    if (!cpu_dot_in_place(s->e, op) || b->op->parent != s->region || info(s, b)->buffer)
        return NULL;
    struct cpu_group *group = ARENA_NEW(s->e->arena, struct cpu_group);
    struct cpu_sink sink = {
        .kind = CPU_SINK_BUFFER, .value = b, .buffer = cpu_buffer_new(s->e, b->type)};
    group->shape = b->type;
    group->schedule = s;
    ARENA_PUSH(s->e->arena, &group->sinks, sink);
    return group;
}

/* What it starts with is made in the dot's own loops, unless that is dear and wanted elsewhere. */
static void schedule_dot(struct cpu_schedule *s, struct ir_op *op)
{
    struct ir_value *start = op->operands[2], *result = op->results[0];
    struct cpu_group *copy = copy_if_outside(s, op);
    for (int i = 0; i < 2; i++) {
        bool turned;
        struct ir_value *v = cpu_dot_operand(s->e, op, i, &turned);
        if (i == 0 || !copy)
            need_buffer(s, v);
    }
    close_group(s);
    if (start->uses > 1 && cpu_cost(s->e, start, CPU_COST_AGAIN) > CPU_COST_AGAIN)
        need_buffer(s, start);
    s->epoch = cpu_new_epoch(s->e);
    prepare(s, start, true);
    close_group(s);
    struct cpu_buffer *target = target_of(s, op);
    if (target)
        info(s, result)->buffer = target;
    else
        give_buffer(s, result);
    push_step(s, (struct cpu_step){.kind = CPU_STEP_COLLECTIVE, .op = op, .group = copy});
}

/* A scalar op, or one that reads a scalar out of a tile (a reshape or split of a one-element tile). */
static void schedule_scalar(struct cpu_schedule *s, struct ir_op *op)
{
    for (int i = 0; i < op->operand_count; i++)
        need_buffer(s, op->operands[i]);
    bool waits = false;
    for (int i = 0; i < op->operand_count; i++)
        waits = waits || is_pending(s, op->operands[i]);
    bool pure = ir_has(op, IR_PURE);
    if (waits && pure) {
        ARENA_PUSH(s->e->arena, &s->open->scalars, op);
        for (int i = 0; i < op->result_count; i++)
            info(s, op->results[i])->pending = s->open;
        return;
    }
    if (waits || op->code == IR_OP_ASSERT) /* no load from behind an assert joins a group before it */
        close_group(s);
    if (!pure && is_write(op))
        save_loads(s, &(struct closure){.s = s}, op);
    for (size_t i = 0; !pure && s->open && i < s->open->accesses.count; i++) {
        if (conflicts(s, s->open->accesses.items[i].op, op))
            close_group(s);
    }
    push_step(s, (struct cpu_step){.kind = CPU_STEP_SCALAR, .op = op});
}

/* ---- control ops ---------------------------------------------------------------------------- */

struct inner_uses { /* for walks over the ops inside a control op */
    struct cpu_schedule *s;
    int place; /* of the control op */
};

/* Loads of this region that something inside the op may overwrite, and that are still wanted. */
static bool save_from(struct ir_op *inner, void *user)
{
    const struct inner_uses *uses = user;
    struct cpu_schedule *s = uses->s;
    if (!is_write(inner))
        return true;
    for (size_t k = 0; k < s->loads.count; k++) {
        struct ir_value *v = s->loads.items[k]->results[0];
        if (!info(s, v)->buffer && info(s, v)->need >= uses->place &&
            conflicts(s, s->loads.items[k], inner))
            need_buffer(s, v);
    }
    return true;
}

/* Values that are too dear to be made inside a region again and again, or that must lie in a
 * buffer. */
static bool keep_free(struct ir_op *inner, void *user)
{
    struct cpu_schedule *s = ((const struct inner_uses *)user)->s;
    for (int i = 0; i < 2 && inner->code == IR_OP_DOT; i++) {
        bool turned;
        struct ir_value *v = cpu_dot_operand(s->e, inner, i, &turned);
        if (is_local(s, v) && v->op && is_lazy(v->op))
            need_buffer(s, v);
    }
    for (int i = 0; i < inner->operand_count; i++) {
        struct ir_value *v = inner->operands[i];
        if (is_local(s, v) && v->op && is_lazy(v->op) && !info(s, v)->buffer &&
            cpu_cost(s->e, v, CPU_COST_AGAIN) > CPU_COST_AGAIN)
            need_buffer(s, v);
    }
    return true;
}

static void copy_into(struct cpu_schedule *s, struct ir_value *v, struct cpu_buffer *buffer)
{
    for (size_t i = 0; s->open && i < s->open->moved.count; i++) {
        if (s->open->moved.items[i] == buffer)
            close_group(s);
    }
    struct cpu_sink sink = {.kind = CPU_SINK_BUFFER, .value = v, .buffer = buffer};
    add_sink(s, sink, v->type, &v, 1);
}

/* A loop that alone goes on with what the loop before it carried does so in place. */
static bool takes_over(struct cpu_schedule *s, const struct ir_op *op, int i)
{
    struct ir_value *init = op->code == IR_OP_FOR ? op->operands[3 + i] : NULL;
    if (!init || init->uses != 1 || !init->op || init->op->code != IR_OP_FOR ||
        init->op->parent != op->parent)
        return false;
    info(s, op->results[i])->buffer = info(s, init)->buffer;
    info(s, op->regions[0]->arguments[1 + i])->buffer = info(s, init)->buffer;
    return true;
}

static void schedule_control(struct cpu_schedule *s, struct ir_op *op)
{
    await_operands(s, op);
    struct inner_uses uses = {s, (int)op->mark};
    for (int i = 0; i < op->region_count; i++) {
        ir_walk(op->regions[i], save_from, &uses);
        ir_walk(op->regions[i], keep_free, &uses);
    }
    int first = op->code == IR_OP_FOR ? 3 : 0;
    for (int i = 0; i < op->result_count; i++) {
        struct ir_value *result = op->results[i];
        if (result->type.rank == 0 || takes_over(s, op, i))
            continue;
        struct cpu_buffer *buffer = give_buffer(s, result);
        if (op->code == IR_OP_IF)
            continue;
        /* a while loop has two sets: its results are what the condition passes on */
        if (op->code == IR_OP_WHILE)
            buffer = cpu_buffer_new(s->e, result->type);
        info(s, op->regions[0]->arguments[i + (op->code == IR_OP_FOR)])->buffer = buffer;
        if (op->code == IR_OP_WHILE)
            info(s, op->regions[1]->arguments[i])->buffer = info(s, result)->buffer;
        copy_into(s, op->operands[first + i], buffer);
    }
    close_group(s);
    push_step(s, (struct cpu_step){.kind = CPU_STEP_CONTROL, .op = op});
}

/* ---- the end of a region -------------------------------------------------------------------- */

/* Whether making v reads the buffer; elsewhere: at another position than the nest's. */
static bool reads_buffer(struct cpu_schedule *s, struct ir_value *v, const struct cpu_buffer *buffer,
                         bool whole, bool *elsewhere)
{
    if (v->type.rank == 0)
        return false;
    if (info(s, v)->buffer) {
        if (info(s, v)->buffer != buffer)
            return false;
        *elsewhere = *elsewhere || !whole;
        return true;
    }
    if (!v->op || !first_visit(s, v, whole))
        return false;
    bool moves = v->op->code == IR_OP_RESHAPE || v->op->code == IR_OP_BROADCAST ||
                 v->op->code == IR_OP_TRANS || v->op->code == IR_OP_JOIN ||
                 v->op->code == IR_OP_SPLIT || v->op->code == IR_OP_GATHER;
    bool reads = false;
    for (int i = 0; i < v->op->operand_count; i++)
        reads |= reads_buffer(s, v->op->operands[i], buffer, whole && !moves, elsewhere);
    return reads;
}

/* How value i may be written straight to its target. */
enum place {
    PLACE_FREE,  /* nothing else at the end of the region still reads what lies there */
    PLACE_TURNS, /* others do, element by element: if one nest makes all before it writes them */
    PLACE_COPY,  /* what lies there is read at other positions */
};

static enum place place_of(struct cpu_schedule *s, const struct ir_op *end, int first, int i,
                           struct cpu_buffer **targets)
{
    enum place place = PLACE_FREE;
    for (int k = first; k < end->operand_count; k++) {
        bool elsewhere = false;
        s->epoch = cpu_new_epoch(s->e);
        bool reads = end->operands[k]->type.rank > 0 && targets[k - first] &&
                     reads_buffer(s, end->operands[k], targets[i - first], true, &elsewhere);
        if (reads && elsewhere)
            return PLACE_COPY;
        if (reads && k != i)
            place = PLACE_TURNS;
    }
    return place;
}

/* Whether the last `count` sinks of the open group are those that take turns. */
static bool turn_in_one_nest(const struct cpu_schedule *s, const struct cpu_group *group,
                             size_t count)
{
    if (group != s->open || group->sinks.count < count)
        return false;
    for (size_t k = 0; k < count; k++) {
        if (!group->sinks.items[group->sinks.count - 1 - k].turns)
            return false;
    }
    return true;
}

struct ending { /* of value i of a region's end */
    enum place place;
    struct cpu_group *group; /* that writes it, or NULL */
    size_t sink;
    struct cpu_buffer *copy; /* or NULL: it is written in place */
};

/*
 *     before, now = now, before + now      what each becomes is made of what the others were
 *
 * One nest that reads all at a place before it writes them there needs no copies. Where other
 * sinks came between, or another nest had to begin, what is still read is written apart first.
 */
static void take_turns(struct cpu_schedule *s, struct ending *endings, int count)
{
    struct cpu_group *group = NULL;
    size_t sinks = 0;
    bool one = true;
    for (int i = 0; i < count; i++) {
        if (!endings[i].group)
            continue;
        one = one && (!group || group == endings[i].group);
        group = endings[i].group;
        sinks++;
    }
    one = one && group && turn_in_one_nest(s, group, sinks);
    for (int i = 0; i < count && !one; i++) {
        if (!endings[i].group)
            continue;
        struct cpu_sink *sink = &endings[i].group->sinks.items[endings[i].sink];
        sink->turns = false;
        if (endings[i].place == PLACE_TURNS)
            sink->buffer = endings[i].copy = cpu_buffer_new(s->e, sink->value->type);
    }
}

static void schedule_end(struct cpu_schedule *s, struct ir_op *end, struct cpu_buffer **targets)
{
    int first = end->code == IR_OP_CONDITION, count = end->operand_count - first;
    struct ending *endings =
        ARENA_ARRAY(s->e->arena, struct ending, (size_t)end->operand_count + 1);
    bool turns = false;
    for (int i = 0; i < count && targets; i++) {
        struct ir_value *v = end->operands[first + i];
        if (v->type.rank == 0 || !targets[i] || info(s, v)->buffer == targets[i])
            continue;
        endings[i].place = place_of(s, end, first, first + i, targets);
        turns = turns || endings[i].place == PLACE_TURNS;
    }
    for (int i = 0; i < count && targets; i++) {
        struct ir_value *v = end->operands[first + i];
        if (v->type.rank == 0 || !targets[i] || info(s, v)->buffer == targets[i])
            continue;
        if (endings[i].place == PLACE_COPY)
            endings[i].copy = cpu_buffer_new(s->e, v->type);
        copy_into(s, v, endings[i].copy ? endings[i].copy : targets[i]);
        endings[i].group = s->open;
        endings[i].sink = s->open->sinks.count - 1;
        s->open->sinks.items[endings[i].sink].turns = turns;
    }
    if (turns)
        take_turns(s, endings, count);
    close_group(s);
    for (int i = 0; i < count; i++) {
        if (endings[i].copy)
            push_step(s, (struct cpu_step){
                             .kind = CPU_STEP_COPY, .from = endings[i].copy, .to = targets[i]});
    }
}

/* ---- the region ----------------------------------------------------------------------------- */

/* need of a value: the place of the last op of this region that wants it, directly or through ops
 * that are made late. Places are op->mark. */
static void raise_need(struct cpu_schedule *s, const struct ir_value *v, int need)
{
    struct cpu_value *value = info(s, v);
    if (is_local(s, v) && value->need < need)
        value->need = need;
}

static bool raise_inner(struct ir_op *inner, void *user)
{
    struct inner_uses *uses = user;
    for (int i = 0; i < inner->operand_count; i++)
        raise_need(uses->s, inner->operands[i], uses->place);
    return true;
}

static void find_needs(struct cpu_schedule *s)
{
    int place = 0;
    for (struct ir_op *op = s->region->first; op; op = op->next)
        op->mark = ++place;
    for (struct ir_op *op = s->region->last; op; op = op->previous) {
        int need = (int)op->mark;
        if (is_lazy(op)) {
            need = 0;
            for (int i = 0; i < op->result_count; i++)
                need = info(s, op->results[i])->need > need ? info(s, op->results[i])->need : need;
        }
        for (int i = 0; i < op->operand_count; i++)
            raise_need(s, op->operands[i], need);
        struct inner_uses uses = {s, (int)op->mark};
        for (int i = 0; i < op->region_count; i++)
            ir_walk(op->regions[i], raise_inner, &uses);
    }
}

static void schedule_op(struct cpu_schedule *s, struct ir_op *op)
{
    if (is_control(op)) {
        schedule_control(s, op);
    } else if (op->code == IR_OP_DOT) {
        schedule_dot(s, op);
    } else if (is_collective(op)) {
        schedule_collective(s, op);
    } else if (is_write(op) && touches_tile(op)) {
        schedule_store(s, op);
    } else if (is_reduction(op) && touches_tile(op)) {
        schedule_reduction(s, op);
    } else if (!is_lazy(op)) {
        schedule_scalar(s, op);
    } else if (is_load(op)) {
        ARENA_PUSH(s->e->arena, &s->loads, op);
    }
}

/* The region around this one is scheduled as a whole: it may have given v a buffer that it writes
 * after this region. Here v has none. */
static void hide_late_buffer(struct cpu_schedule *s, struct ir_value *v)
{
    struct cpu_value *value = info(s, v);
    if (v->type.rank == 0 || !v->op || is_local(s, v) || !is_lazy(v->op) || value->ready ||
        !first_visit(s, v, true))
        return;
    if (value->buffer)
        ARENA_PUSH(s->e->arena, &s->hidden, ((struct cpu_hidden){v, value->buffer}));
    value->buffer = NULL;
    for (int i = 0; i < v->op->operand_count; i++)
        hide_late_buffer(s, v->op->operands[i]);
}

static bool hide_late_buffers(struct ir_op *op, void *user)
{
    for (int i = 0; i < op->operand_count; i++)
        hide_late_buffer(user, op->operands[i]);
    return true;
}

void cpu_schedule_region(struct cpu_schedule *s, struct cpu_emit *e, struct ir_region *region,
                         struct cpu_buffer **targets)
{
    *s = (struct cpu_schedule){.e = e, .region = region, .targets = targets};
    s->epoch = cpu_new_epoch(e);
    ir_walk(region, hide_late_buffers, s);
    find_needs(s);
    for (struct ir_op *op = region->first; op != region->last; op = op->next)
        schedule_op(s, op);
    await_operands(s, region->last);
    schedule_end(s, region->last, targets);
}

void cpu_schedule_end(struct cpu_schedule *s)
{
    for (size_t i = 0; i < s->borrowed.count; i++) {
        info(s, s->borrowed.items[i])->buffer = NULL;
        info(s, s->borrowed.items[i])->ready = false;
    }
    for (size_t i = 0; i < s->hidden.count; i++)
        info(s, s->hidden.items[i].value)->buffer = s->hidden.items[i].buffer;
}
