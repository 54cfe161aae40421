/* Walks over the tree: the operands of an expression, every call in a statement (recursion.h), the
 * names of an expression. Depth is bounded by AST_MAX_DEPTH. */
#include "lang/recursion.h"

#include <string.h>

void ast_each_operand(const struct ast_expression *e,
                      void (*visit)(void *user, const struct ast_expression *operand), void *user)
{
    switch (e->kind) {
    case AST_INTEGER:
    case AST_FLOATING:
    case AST_TEXT:
    case AST_NAME:
        break;
    case AST_UNARY:
        visit(user, e->unary.operand);
        break;
    case AST_BINARY:
        visit(user, e->binary.left);
        visit(user, e->binary.right);
        break;
    case AST_ASSIGN:
        visit(user, e->assign.target);
        visit(user, e->assign.value);
        break;
    case AST_CONDITIONAL:
        visit(user, e->conditional.condition);
        visit(user, e->conditional.yes);
        visit(user, e->conditional.no);
        break;
    case AST_CALL:
        for (int i = 0; i < e->call.argument_count; i++) {
            if (e->call.arguments[i].value)
                visit(user, e->call.arguments[i].value);
        }
        break;
    case AST_INDEX:
        visit(user, e->index.base);
        visit(user, e->index.index);
        break;
    case AST_CAST:
        visit(user, e->cast.operand);
        break;
    case AST_LIST:
        if (e->list.size)
            visit(user, e->list.size);
        for (int i = 0; i < e->list.count; i++) {
            if (e->list.entries[i].place)
                visit(user, e->list.entries[i].place);
            visit(user, e->list.entries[i].value);
        }
        break;
    }
}

/* ---- calls of statements --------------------------------------------------------------------- */

struct visit {
    void (*call)(void *user, const struct ast_expression *call);
    void *user;
};

static void calls_within(void *user, const struct ast_expression *e)
{
    struct visit *v = user;
    if (e->kind == AST_CALL)
        v->call(v->user, e);
    ast_each_operand(e, calls_within, v);
}

static void visit_expression(struct visit *v, const struct ast_expression *e)
{
    if (e)
        calls_within(v, e);
}

static void visit_statement(struct visit *v, const struct ast_statement *s)
{
    if (!s)
        return;
    switch (s->kind) {
    case AST_DECLARE:
        for (int i = 0; i < s->declare.count; i++)
            visit_expression(v, s->declare.variables[i].initial);
        break;
    case AST_EVALUATE:
        visit_expression(v, s->evaluate);
        break;
    case AST_BLOCK:
        for (int i = 0; i < s->block.count; i++)
            visit_statement(v, s->block.items[i]);
        break;
    case AST_IF:
        visit_expression(v, s->branch.condition);
        visit_statement(v, s->branch.then);
        visit_statement(v, s->branch.otherwise);
        break;
    case AST_FOR:
        visit_statement(v, s->loop.start);
        visit_expression(v, s->loop.condition);
        visit_statement(v, s->loop.steps);
        visit_statement(v, s->loop.body);
        break;
    case AST_WHILE:
    case AST_DO:
        visit_expression(v, s->repeat.condition);
        visit_statement(v, s->repeat.body);
        break;
    case AST_SWITCH:
        visit_expression(v, s->choice.value);
        for (int i = 0; i < s->choice.count; i++) {
            for (int k = 0; k < s->choice.arms[i].count; k++)
                visit_expression(v, s->choice.arms[i].cases[k]);
            visit_statement(v, s->choice.arms[i].body);
        }
        break;
    case AST_RETURN:
        visit_expression(v, s->result);
        break;
    case AST_BREAK:
    case AST_CONTINUE:
    case AST_EMPTY:
    case AST_BROKEN:
        break;
    }
}

void ast_visit_calls(const struct ast_statement *statement,
                     void (*visit)(void *user, const struct ast_expression *call), void *user)
{
    struct visit v = {.call = visit, .user = user};
    visit_statement(&v, statement);
}

/* ---- names of an expression ------------------------------------------------------------------ */

struct wanted {
    const char *name;
    bool found;
};

static void compare_name(void *user, const struct ast_expression *e)
{
    struct wanted *wanted = user;
    if (e->kind == AST_NAME)
        wanted->found = wanted->found || strcmp(e->name, wanted->name) == 0;
    ast_each_operand(e, compare_name, wanted);
}

bool ast_mentions(const struct ast_expression *e, const char *name)
{
    struct wanted wanted = {.name = name};
    if (e)
        compare_name(&wanted, e);
    return wanted.found;
}
