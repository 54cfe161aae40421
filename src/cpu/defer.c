/*
 * Searches that are seldom wanted.
 *
 *     for (int c = 0; c < n; c += 1024) {
 *         float x = load(X + c + arange(0, 1024));
 *         float m = max(x);
 *         int a = argmax(x);
 *         if (m > best) {                     a scalar: fold makes a selection of it
 *             best = m;
 *             at = c + a;
 *         }
 *     }
 *
 * A block of a long row seldom has the row's maximum so far, and a maximum alone takes half of what
 * it takes to know its place, too. So argmax and argmin whose results one side of a selection
 * takes, and what scalars are made of them for it, go into a branch:
 *
 *     %a = argmax %x : i64                        %r = if %c : i64 {
 *     %b = add %n, %a : i64               ->        %a = argmax %x : i64
 *     %r = select %c, %b, %d : i64                  yield (add %n, %a)
 *                                                 } else { yield %d }
 *
 * They are pure, and nothing is written in between. What is searched is read again there, so it
 * must be loaded, and little be computed of it.
 */
#include "cpu/defer.h"

enum { LEAST_ELEMENTS = 128, MOST_OPS = 4 };

struct chain {
    struct ir_op *first, *select; /* the search, and what takes its result */
    int side;                     /* 1 or 2: which operand that is */
};

static bool is_cheap(const struct ir_value *v, int *ops)
{
    const struct ir_op *op = v->op;
    if (v->type.rank == 0 || (op && op->code == IR_OP_CONSTANT))
        return true;
    if (!op || --*ops < 0)
        return false;
    if (op->code == IR_OP_LOAD || op->code == IR_OP_VIEW_LOAD)
        return true;
    if (!ir_has(op, IR_PURE | IR_ELEMENTWISE) || ir_has(op, IR_APPROX))
        return op->code == IR_OP_BROADCAST && is_cheap(op->operands[0], ops);
    for (int i = 0; i < op->operand_count; i++) {
        if (!is_cheap(op->operands[i], ops))
            return false;
    }
    return true;
}

/* From the search to a selection in the same region, through scalars that nothing else uses. */
static bool find(struct ir_op *op, struct chain *c)
{
    int ops = MOST_OPS;
    bool searches = op->code == IR_OP_ARGMAX || op->code == IR_OP_ARGMIN;
    if (!searches || op->results[0]->type.rank > 0 ||
        ir_element_count(op->operands[0]->type) < LEAST_ELEMENTS ||
        !is_cheap(op->operands[0], &ops))
        return false;
    c->first = op;
    const struct ir_value *v = op->results[0];
    struct ir_op *user;
    for (;;) {
        user = ir_noted_user(v);
        if (!user || user->parent != op->parent || user->result_count != 1 ||
            user->results[0]->type.rank > 0 || !ir_has(user, IR_PURE | IR_ELEMENTWISE))
            return false;
        if (user->code == IR_OP_SELECT)
            break;
        v = user->results[0];
    }
    c->select = user;
    c->side = user->operands[1] == v ? 1 : 2;
    return user->operands[0] != v && user->operands[1] != user->operands[2];
}

/* Nothing between the two does anything but compute or read. */
static bool is_quiet(const struct chain *c)
{
    for (const struct ir_op *op = c->first; op != c->select; op = op->next) {
        bool reads = op->code == IR_OP_LOAD || op->code == IR_OP_VIEW_LOAD;
        if (op->region_count > 0 || (!reads && !ir_has(op, IR_PURE)))
            return false;
    }
    return true;
}

static void yield(struct ir_func *func, struct ir_region *region, struct ir_value *v,
                  struct source_range range)
{
    struct ir_builder b = {.func = func, .region = region, .range = range};
    ir_build(&b, IR_OP_YIELD, 1, &v, 0, NULL, 0, NULL);
}

static void move_into(struct ir_func *func, const struct chain *c)
{
    struct ir_op *select = c->select, *next;
    struct ir_builder b = {
        .func = func, .region = select->parent, .before = select, .range = select->range};
    struct ir_type type = select->results[0]->type;
    struct ir_op *branch = ir_build(&b, IR_OP_IF, 1, &select->operands[0], 1, &type, 2, NULL);
    yield(func, branch->regions[0], select->operands[1], select->range);
    yield(func, branch->regions[1], select->operands[2], select->range);
    struct ir_region *region = branch->regions[c->side - 1];
    for (struct ir_op *op = c->first; op != select; op = next) {
        next = ir_noted_user(op->results[0]);
        ir_move_before(op, region->last);
    }
    ir_replace(select->results[0], branch->results[0]);
}

struct searches {
    struct arena *arena;
    struct ir_op **items;
    size_t count, capacity;
};

static bool collect(struct ir_op *op, void *user)
{
    struct searches *s = user;
    if (op->code == IR_OP_ARGMAX || op->code == IR_OP_ARGMIN)
        ARENA_PUSH(s->arena, s, op);
    return true;
}

void cpu_defer_searches(struct ir_func *func)
{
    struct searches searches = {.arena = func->arena};
    ir_walk(func->body, collect, &searches);
    ir_note_users(func);
    for (size_t i = 0; i < searches.count; i++) {
        struct chain c;
        if (find(searches.items[i], &c) && is_quiet(&c)) {
            move_into(func, &c);
            ir_remove(c.select);
            ir_apply_replacements(func);
            ir_note_users(func);
        }
    }
}
