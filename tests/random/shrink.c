/*
 * The smallest kernel that still fails.
 *
 * Every step is tried and kept only when the kernel goes on failing in the same way: a statement
 * left out, a block put in the place of its loop, a helper left out, an expression replaced by a
 * constant or by one of its operands, a smaller grid, plainer data. Steps are repeated until none
 * helps.
 */
#include "kernel.h"

#include <string.h>

struct shrinker {
    struct kernel *kernel;
    bool (*fails)(void *user, struct kernel *kernel);
    void *user;
    struct random random;
    bool progress;
    int tries_left;
};

enum { MOST_TRIES = 3000 };

static bool still_fails(struct shrinker *s)
{
    if (s->tries_left-- <= 0)
        return false;
    bool fails = s->fails(s->user, s->kernel);
    s->progress |= fails;
    return fails;
}

/* ---- statements ----------------------------------------------------------------------------- */

/* Leaves out a statement, or puts its body in its place. True: *link is another statement now. */
static bool shrink_statement(struct shrinker *s, struct statement **link)
{
    struct statement *statement = *link;
    *link = statement->next;
    if (still_fails(s))
        return true;
    *link = statement;
    if (statement->has_other) {
        statement->has_other = false;
        if (!still_fails(s))
            statement->has_other = true;
    }
    if (!statement->has_body || !statement->body)
        return false;
    struct statement *last = statement->body;
    while (last->next)
        last = last->next;
    last->next = statement->next;
    *link = statement->body;
    if (still_fails(s))
        return true;
    last->next = NULL;
    *link = statement;
    return false;
}

static void shrink_statements(struct shrinker *s, struct statement **link)
{
    while (*link) {
        if (shrink_statement(s, link))
            continue;
        if ((*link)->has_body)
            shrink_statements(s, &(*link)->body);
        if ((*link)->has_other)
            shrink_statements(s, &(*link)->other);
        link = &(*link)->next;
    }
}

/* ---- expressions ---------------------------------------------------------------------------- */

static bool same_type(struct ir_type a, struct ir_type b)
{
    return a.elem == b.elem && a.rank == b.rank && memcmp(a.dims, b.dims, sizeof a.dims) == 0;
}

static struct expr *plain_constant(struct shrinker *s, struct ir_type type, const char *value)
{
    struct arena *arena = s->kernel->arena;
    const char *name = c_name((enum ir_elem)type.elem);
    if (type.rank)
        return expr_new(
            arena, type,
            arena_format(arena, "full(%s, %s%s)", name, value, sizes_text(arena, type)));
    return expr_new(arena, type, arena_format(arena, "cast(%s, %s)", name, value));
}

static bool try_expr(struct shrinker *s, struct expr **place, struct expr *candidate)
{
    struct expr *old = *place;
    *place = candidate;
    if (still_fails(s))
        return true;
    *place = old;
    return false;
}

static void shrink_expr(struct shrinker *s, struct expr **place)
{
    static const char *const values[] = {"0", "1", "3"};
    bool constant = (*place)->count == 0 && !(*place)->variable && !(*place)->parameter;
    for (int i = 0; i < 3 && !constant; i++)
        constant = try_expr(s, place, plain_constant(s, (*place)->type, values[i]));
    for (int i = 0; i < (*place)->count; i++) {
        struct expr *child = (*place)->children[i];
        if (same_type(child->type, (*place)->type) && try_expr(s, place, child))
            i = -1;
    }
    for (int i = 0; i < (*place)->count; i++)
        shrink_expr(s, &(*place)->children[i]);
}

static void shrink_expressions(struct shrinker *s, struct statement *statement)
{
    for (; statement; statement = statement->next) {
        for (int i = 0; i < statement->count; i++)
            shrink_expr(s, &statement->children[i]);
        if (statement->has_body)
            shrink_expressions(s, statement->body);
        if (statement->has_other)
            shrink_expressions(s, statement->other);
    }
}

/* ---- the rest ------------------------------------------------------------------------------- */

/* Outputs keep their size: fewer programs use the front of them. */
static void shrink_frame(struct shrinker *s)
{
    struct kernel *k = s->kernel;
    for (int axis = 0; axis < 3; axis++) {
        int64_t old = k->grid[axis];
        if (old == 1)
            continue;
        k->grid[axis] = 1;
        if (!still_fails(s))
            k->grid[axis] = old;
    }
    if (k->specials) {
        k->specials = false;
        k->specials = !still_fails(s);
    }
    for (int i = 0; i < k->parameter_count; i++) {
        struct parameter *p = k->parameters[i];
        bool fixed = p->fixed;
        p->fixed = false;
        p->fixed = fixed && !still_fails(s);
    }
    for (int period = 1; period <= 64 && !k->period; period *= 4) {
        k->period = period;
        if (!still_fails(s))
            k->period = 0;
    }
}

static void shrink_items(struct shrinker *s)
{
    for (struct item **link = &s->kernel->items; *link;) {
        struct item *item = *link;
        *link = item->next;
        if (still_fails(s))
            continue;
        *link = item;
        shrink_statements(s, &item->body);
        shrink_expressions(s, item->body);
        link = &item->next;
    }
}

void shrink_kernel(struct kernel *kernel, bool (*fails)(void *user, struct kernel *kernel),
                   void *user)
{
    struct shrinker s = {.kernel = kernel, .fails = fails, .user = user, .tries_left = MOST_TRIES};
    do {
        s.progress = false;
        shrink_statements(&s, &kernel->body);
        shrink_expressions(&s, kernel->body);
        shrink_items(&s);
        shrink_frame(&s);
    } while (s.progress && s.tries_left > 0);
}
