/*
 * Finds recursion among the functions of a file, which inlining could not survive.
 *
 * Functions that call only finished functions are finished, again and again; what is left is on a
 * cycle or calls into one. No recursion of its own over the call graph, which may be long.
 */
#include "lang/recursion.h"

struct callee {
    int function;
    struct source_range at;
};

struct node {
    const struct ast_function *function;
    struct {
        struct callee *items;
        size_t count, capacity;
    } callees;
    bool finished, visited;
    const struct node *caller; /* the last one that listed it: lists hold everyone once */
};

struct graph {
    struct arena *arena;
    const struct ast_unit *unit;
    struct node *nodes;
    int count;
    struct node *current;
};

static int find_node(const struct graph *g, const char *name)
{
    const struct ast_function *function = ast_find_function(g->unit, name);
    for (int i = 0; function && i < g->count; i++)
        if (g->nodes[i].function == function)
            return i;
    return -1;
}

static void note_call(void *user, const struct ast_expression *call)
{
    struct graph *g = user;
    struct callee callee = {find_node(g, call->call.name), call->at};
    if (callee.function < 0 || g->nodes[callee.function].caller == g->current)
        return;
    g->nodes[callee.function].caller = g->current;
    ARENA_PUSH(g->arena, &g->current->callees, callee);
}

/* The first function that it calls and that is not finished. */
static const struct callee *open_callee(const struct graph *g, const struct node *node)
{
    for (size_t i = 0; i < node->callees.count; i++)
        if (!g->nodes[node->callees.items[i].function].finished)
            return &node->callees.items[i];
    return NULL;
}

static void finish_what_can_be(struct graph *g)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < g->count; i++) {
            if (!g->nodes[i].finished && !open_callee(g, &g->nodes[i])) {
                g->nodes[i].finished = true;
                changed = true;
            }
        }
    }
}

/* Follows open calls until they come back to a function: that one is on a cycle. */
static void report_cycle(struct graph *g, struct diagnostics *diagnostics, int start)
{
    int at = start;
    while (!g->nodes[at].visited) {
        g->nodes[at].visited = true;
        at = open_callee(g, &g->nodes[at])->function;
    }
    const struct callee *call = open_callee(g, &g->nodes[at]);
    const char *name = g->nodes[at].function->name;
    struct diagnostic *d;
    if (call->function == at)
        d = diagnostics_add(diagnostics, DIAGNOSTIC_ERROR, call->at,
                            "recursion is not supported in kernels: '%s' calls itself", name);
    else
        d = diagnostics_add(diagnostics, DIAGNOSTIC_ERROR, call->at,
                            "recursion is not supported in kernels: '%s' calls '%s', which calls "
                            "it again",
                            name, g->nodes[call->function].function->name);
    diagnostics_hint(diagnostics, d, "write a loop");
}

void recursion_check(struct arena *arena, struct diagnostics *diagnostics,
                     const struct ast_unit *unit)
{
    struct graph g = {.arena = arena, .unit = unit};
    g.nodes = ARENA_ARRAY(arena, struct node, (size_t)unit->item_count);
    for (int i = 0; i < unit->item_count; i++)
        if (unit->items[i].kind == AST_FUNCTION)
            g.nodes[g.count++].function = unit->items[i].function;
    for (int i = 0; i < g.count; i++) {
        g.current = &g.nodes[i];
        ast_visit_calls(g.nodes[i].function->body, note_call, &g);
    }
    finish_what_can_be(&g);
    for (int i = 0; i < g.count; i++) {
        if (!g.nodes[i].finished) {
            report_cycle(&g, diagnostics, i);
            return; /* one is enough */
        }
    }
}
