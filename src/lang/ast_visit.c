/* Visits every call in a statement (recursion.h), or the names of an expression. Depth is bounded
 * by AST_MAX_DEPTH. */
#include "lang/recursion.h"

#include <string.h>

struct visit {
    void (*call)(void *user, const struct ast_expression *call);
    void (*name)(void *user, const char *name); /* or NULL */
    void *user;
};

static void visit_expression(const struct visit *v, const struct ast_expression *e)
{
    if (!e)
        return;
    switch (e->kind) {
    case AST_INTEGER:
    case AST_FLOATING:
    case AST_TEXT:
        break;
    case AST_NAME:
        if (v->name)
            v->name(v->user, e->name);
        break;
    case AST_UNARY:
        visit_expression(v, e->unary.operand);
        break;
    case AST_BINARY:
        visit_expression(v, e->binary.left);
        visit_expression(v, e->binary.right);
        break;
    case AST_ASSIGN:
        visit_expression(v, e->assign.target);
        visit_expression(v, e->assign.value);
        break;
    case AST_CONDITIONAL:
        visit_expression(v, e->conditional.condition);
        visit_expression(v, e->conditional.yes);
        visit_expression(v, e->conditional.no);
        break;
    case AST_CALL:
        if (v->call)
            v->call(v->user, e);
        for (int i = 0; i < e->call.argument_count; i++)
            visit_expression(v, e->call.arguments[i].value);
        break;
    case AST_INDEX:
        visit_expression(v, e->index.base);
        visit_expression(v, e->index.index);
        break;
    case AST_CAST:
        visit_expression(v, e->cast.operand);
        break;
    case AST_LIST:
        visit_expression(v, e->list.size);
        for (int i = 0; i < e->list.count; i++) {
            visit_expression(v, e->list.entries[i].place);
            visit_expression(v, e->list.entries[i].value);
        }
        break;
    }
}

static void visit_statement(const struct visit *v, const struct ast_statement *s)
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

struct wanted {
    const char *name;
    bool found;
};

static void compare_name(void *user, const char *name)
{
    struct wanted *wanted = user;
    wanted->found = wanted->found || strcmp(name, wanted->name) == 0;
}

bool ast_mentions(const struct ast_expression *e, const char *name)
{
    struct wanted wanted = {.name = name};
    struct visit v = {.name = compare_name, .user = &wanted};
    visit_expression(&v, e);
    return wanted.found;
}
