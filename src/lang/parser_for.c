/*
 * for loops; see parser.h.
 *
 * Most count: `for (int i = first; i < last; i += step)` in one of its spellings. What counts, with
 * which step and up to which bound, is noted here, from the loop's head alone; whether it may
 * become a counted loop of the IR, lower_count.c decides.
 */
#include "lang/operators.h"
#include "lang/parser_statement.h"

#include <string.h>

/* ---- The head -------------------------------------------------------------------------------- */

static const char for_hint[] = "write 'for (int i = first; i < last; i += step)', or use while";

static struct ast_statement *new_block(struct parser *p, const struct statement_list *list)
{
    struct ast_statement *s = parser_new_statement(p, AST_BLOCK);
    s->range = source_join(list->items[0]->range, list->items[list->count - 1]->range);
    s->block.items = list->items;
    s->block.count = (int)list->count;
    for (size_t i = 0; i < list->count; i++)
        parser_adopt_statement(p, s, list->items[i]);
    return s;
}

/* `i = 0, j = n`: what a for loop starts with or steps by. */
static struct ast_statement *parse_evaluations(struct parser *p)
{
    struct statement_list list = {0};
    do {
        struct ast_statement *s = parser_new_statement(p, AST_EVALUATE);
        s->evaluate = parser_expression(p);
        s->range = s->evaluate->range;
        parser_adopt_expression(p, s, s->evaluate);
        ARENA_PUSH(p->arena, &list, s);
    } while (parser_take(p, ','));
    return new_block(p, &list);
}

static void parse_for_start(struct parser *p, struct ast_statement *s)
{
    if (parser_take(p, ';'))
        return;
    if (!parser_at_type(p)) {
        const struct token *token = parser_peek(p);
        if (token->kind == TOKEN_NAME && parser_word(token) == WORD_NONE &&
            parser_peek_second(p)->kind == TOKEN_NAME)
            parser_unknown_type(p);
        s->loop.start = parse_evaluations(p);
        parser_expect(p, ';', "what the loop starts with");
        return;
    }
    struct ast_statement *start = parser_new_statement(p, AST_DECLARE);
    struct specifiers specifiers = parser_local_specifiers(p);
    parser_variables(p, &specifiers, &start->declare.variables, &start->declare.count);
    for (int i = 0; i < start->declare.count; i++)
        parser_adopt_expression(p, start, start->declare.variables[i].initial);
    s->loop.start = start;
}

static void parse_for_condition(struct parser *p, struct ast_statement *s)
{
    if (!parser_at(p, ';'))
        s->loop.condition = parser_expression(p);
    if (parser_at(p, ','))
        parser_hint(
            p,
            parser_fail(p, parser_peek(p)->range, "the comma operator is not supported in kernels"),
            "join conditions with '&&'");
    if (parser_at(p, ')'))
        parser_hint(p,
                    parser_fail(p, parser_peek(p)->range, "expected ';' and the step of the loop"),
                    for_hint);
    parser_expect(p, ';', "the condition");
}

/* ---- Loops that count ------------------------------------------------------------------------ */

static enum ast_binary_operator mirrored(enum ast_binary_operator code)
{
    switch ((int)code) {
    case AST_LT:
        return AST_GT;
    case AST_LE:
        return AST_GE;
    case AST_GT:
        return AST_LT;
    case AST_GE:
        return AST_LE;
    default:
        return code;
    }
}

static bool is_name(const struct ast_expression *e, const char *name)
{
    return e->kind == AST_NAME && strcmp(e->name, name) == 0;
}

/* i++, i += s, i = i + s and their descending forms; false: the step is none of these. */
static bool find_step(const struct ast_expression *e, struct ast_count *count)
{
    count->step_range = e->range;
    if (e->kind == AST_UNARY && e->unary.code >= AST_PRE_INC) {
        count->descending = e->unary.code == AST_PRE_DEC || e->unary.code == AST_POST_DEC;
        return is_name(e->unary.operand, count->counter);
    }
    if (e->kind != AST_ASSIGN || !is_name(e->assign.target, count->counter))
        return false;
    const struct ast_expression *v = e->assign.value;
    enum ast_binary_operator code = e->assign.code;
    count->step = e->assign.value;
    if (code == AST_NO_OPERATOR && v->kind == AST_BINARY &&
        is_name(v->binary.left, count->counter)) {
        code = v->binary.code;
        count->step = v->binary.right;
    }
    count->descending = code == AST_SUB;
    return code == AST_ADD || code == AST_SUB;
}

static bool is_one(const struct ast_expression *e)
{
    return !e || (e->kind == AST_INTEGER && e->integer.value == 1);
}

static bool assigns(const struct ast_expression *e, const char *name)
{
    return (e->kind == AST_ASSIGN && is_name(e->assign.target, name)) ||
           (e->kind == AST_UNARY && e->unary.code >= AST_PRE_INC &&
            is_name(e->unary.operand, name));
}

/* The counter's one step, with the others beside it. Those run in front of it here: what stands
 * behind it and reads the counter finds it stepped, so that the loop does not count. */
static bool find_counter(struct parser *p, const struct ast_statement *s, struct ast_count *count)
{
    struct statement_list others = {0};
    int found = 0;
    for (int i = 0; i < s->loop.steps->block.count; i++) {
        struct ast_statement *item = s->loop.steps->block.items[i];
        if (!assigns(item->evaluate, count->counter)) {
            if (found && ast_mentions(item->evaluate, count->counter))
                return false;
            ARENA_PUSH(p->arena, &others, item);
        } else if (found++ || !find_step(item->evaluate, count)) {
            return false;
        }
    }
    if (others.count > 0)
        count->others = new_block(p, &others);
    const struct ast_statement *start = s->loop.start;
    if (start && start->kind == AST_DECLARE && start->declare.count == 1 &&
        start->declare.variables->initial && !start->declare.variables->is_constexpr &&
        !ast_type_is_fixed(start->declare.variables->type) &&
        strcmp(start->declare.variables->name, count->counter) == 0)
        count->declared = start->declare.variables;
    return found == 1 && !ast_mentions(count->bound, count->counter) &&
           !(count->step && ast_mentions(count->step, count->counter)) &&
           (count->relation != AST_NE || is_one(count->step));
}

/* A condition that compares a name with a bound, and steps that count that name: NULL else. */
static struct ast_count *find_count(struct parser *p, const struct ast_statement *s)
{
    const struct ast_expression *e = s->loop.condition;
    if (!e || !s->loop.steps || e->kind != AST_BINARY ||
        (operator_precedence(e->binary.code) != 7 && e->binary.code != AST_NE))
        return NULL;
    for (int side = 0; side < 2; side++) {
        const struct ast_expression *name = side ? e->binary.right : e->binary.left;
        struct ast_count *count = ARENA_NEW(p->arena, struct ast_count);
        count->condition_range = e->range;
        count->counter = name->name;
        count->bound = side ? e->binary.left : e->binary.right;
        count->relation = side ? mirrored(e->binary.code) : e->binary.code;
        if (name->kind == AST_NAME && find_counter(p, s, count))
            return count;
    }
    return NULL;
}

/* ---- The whole ------------------------------------------------------------------------------- */

struct ast_statement *parser_for(struct parser *p, bool *broken)
{
    struct ast_statement *s = parser_new_statement(p, AST_FOR);
    parser_advance(p);
    struct parser_place place = parser_place(p);
    parser_refuse_colon(p, for_hint);
    if (!parser_take(p, '('))
        parser_hint(p, parser_fail(p, parser_peek(p)->range, "expected '(' behind 'for'"),
                    for_hint);
    parse_for_start(p, s);
    parse_for_condition(p, s);
    if (!parser_at(p, ')'))
        s->loop.steps = parse_evaluations(p);
    parser_expect(p, ')', "the step");
    *broken = p->failed;
    if (p->failed)
        parser_skip_parens(p, place);
    else
        s->loop.count = find_count(p, s);
    s->loop.body = parser_body(p, "for", for_hint);
    parser_adopt_statement(p, s, s->loop.start);
    parser_adopt_expression(p, s, s->loop.condition);
    parser_adopt_statement(p, s, s->loop.steps);
    parser_adopt_statement(p, s, s->loop.body);
    return s;
}
