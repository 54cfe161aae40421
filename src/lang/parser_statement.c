/* Statements; see parser.h. Every statement recovers from the errors in it, so that a block goes on
 * with the next one. */
#include "lang/foreign.h"
#include "lang/parser_statement.h"

#include <string.h>

struct ast_statement *parser_new_statement(struct parser *p, enum ast_statement_kind kind)
{
    struct ast_statement *s = ARENA_NEW(p->arena, struct ast_statement);
    s->kind = kind;
    s->depth = 1;
    s->range = parser_peek(p)->range;
    return s;
}

/* Counts a part in the depth; NULL is allowed. */
static void adopt_depth(struct parser *p, struct ast_statement *s, int depth)
{
    if (s->depth < depth + 1)
        s->depth = depth + 1;
    if (s->depth > AST_MAX_DEPTH) {
        parser_fail(p, s->range, "nested too deeply: more than %d levels", AST_MAX_DEPTH);
        p->failed = p->fatal = true;
    }
}

void parser_adopt_expression(struct parser *p, struct ast_statement *s,
                             const struct ast_expression *e)
{
    if (e)
        adopt_depth(p, s, e->depth);
}

void parser_adopt_statement(struct parser *p, struct ast_statement *s,
                            const struct ast_statement *part)
{
    if (part)
        adopt_depth(p, s, part->depth);
}

/* ---- Declarations ---------------------------------------------------------------------------- */

void parser_refuse_array(struct parser *p, bool parameter)
{
    struct diagnostic *d =
        parser_fail(p, parser_peek(p)->range, "arrays are not supported in kernels");
    parser_hint(p, d,
                parameter ? "declare a pointer: 'float *x'"
                          : "a variable can hold a tile: 'float x = zeros(float, 16);'; constants "
                            "make a table: 'static const float x[2] = {1, 2};'");
}

/* What stands behind the name of a table. */
static void parse_table(struct parser *p, struct ast_variable *v)
{
    if (v->type->kind != AST_TYPE_ELEM || v->type->pointer)
        parser_hint(p, parser_fail(p, v->type->range, "a table holds numbers of one type"),
                    "write 'static const float t[2] = {1, 2};'");
    v->is_constexpr = true;
    v->initial = parser_table(p, v->name);
}

/* float f(float x); float a(1.0f); */
static void refuse_parentheses(struct parser *p, const struct ast_variable *v)
{
    const struct token *inside = parser_peek_second(p);
    enum word_class class = parser_word(inside);
    bool declares = class == WORD_TYPE || class == WORD_QUALIFIER || token_is_sign(inside, ')');
    struct diagnostic *d = parser_fail(p, v->range,
                                       declares ? "functions cannot be declared within functions"
                                                : "'%.100s' cannot get its value in parentheses",
                                       v->name);
    parser_hint(p, d, declares ? "a helper stands at file scope" : "write '= value'");
}

static struct ast_variable parse_variable(struct parser *p, const struct specifiers *specifiers)
{
    struct ast_variable v = {.is_constexpr = specifiers->is_constexpr};
    v.type = parser_pointer(p, specifiers);
    if (parser_at(p, '('))
        parser_fail(p, parser_peek(p)->range, "function pointers are not supported in kernels");
    if (parser_at(p, '['))
        parser_hint(p, parser_fail(p, parser_peek(p)->range, "several names in '[]' are C++'s"),
                    "a function gives one value: 'auto a = split(x, 0); auto b = split(x, 1);'");
    v.name = parser_declared_name(p, "the name of a variable", &v.range);
    if (parser_at(p, '[') && (v.is_constexpr || specifiers->type.is_const)) {
        parse_table(p, &v);
        return v;
    }
    if (parser_at(p, '['))
        parser_refuse_array(p, false);
    if (parser_at(p, '('))
        refuse_parentheses(p, &v);
    if (parser_at(p, ':') && p->parens > 0)
        parser_hint(p, parser_fail(p, parser_peek(p)->range, "a 'for' over values is C++'s"),
                    "write 'for (int i = first; i < last; i += step)'");
    if (parser_at(p, '{'))
        parser_hint(p, parser_fail(p, parser_peek(p)->range, "'{' gives a variable no value in C"),
                    "write '= value'");
    if (v.type->kind == AST_TYPE_VOID)
        parser_fail(p, v.type->range, "a variable cannot be void");
    if (parser_take(p, '='))
        v.initial = parser_initial(p);
    else if (v.type->kind == AST_TYPE_AUTO || v.type->kind == AST_TYPE_VIEW || v.is_constexpr)
        parser_fail(p, v.range, "'%.100s' needs a value where it is declared", v.name);
    return v;
}

struct variable_list {
    struct ast_variable *items;
    size_t count, capacity;
};

/* `int n == 3`, `int n := 3`, `int j in range(n)`, `for (int i = 0, i < n, i++)` */
static void refuse_behind_variable(struct parser *p)
{
    const struct token *token = parser_peek(p);
    if (token_is_sign(token, SIGN2('=', '=')) ||
        (token_is_sign(token, ':') && token_is_sign(parser_peek_second(p), '=')))
        parser_hint(p,
                    parser_fail(p, token->range, "'%s' gives a variable no value",
                                token_is_sign(token, ':') ? ":=" : "=="),
                    "write '='");
    else if (token_is_sign(token, '<') && p->parens > 0)
        parser_hint(
            p, parser_fail(p, token->range, "a ',' cannot stand in front of a condition"),
            "the parts of a 'for' end with ';': 'for (int i = first; i < last; i += step)'");
    else if (token_is_name(token, "in") && !token->line_start)
        parser_hint(p, parser_fail(p, token->range, "'in' is no word of C"),
                    "write 'for (int i = first; i < last; i += step)'");
}

void parser_variables(struct parser *p, const struct specifiers *specifiers,
                      struct ast_variable **variables, int *count)
{
    struct variable_list list = {0};
    do {
        if (list.count > 0 && parser_word(parser_peek(p)) == WORD_TYPE)
            parser_hint(p,
                        parser_fail(p, parser_peek(p)->range,
                                    "a type stands in front of a declaration's first name only"),
                        "leave it out, or write ';' for the ','");
        struct ast_variable v = parse_variable(p, specifiers);
        ARENA_PUSH(p->arena, &list, v);
    } while (parser_take(p, ','));
    refuse_behind_variable(p);
    parser_expect(p, ';', "the declaration");
    *variables = list.items;
    *count = (int)list.count;
}

struct specifiers parser_local_specifiers(struct parser *p)
{
    struct specifiers specifiers = parser_specifiers(p);
    if (specifiers.is_static && specifiers.type.is_const) /* as at file scope */
        specifiers.is_constexpr = true;
    bool is_constant = specifiers.is_constexpr && !specifiers.is_kernel && !specifiers.is_inline;
    if (parser_peek(p)->kind == TOKEN_NAME && token_is_sign(parser_peek_second(p), '(') &&
        (specifiers.is_static || specifiers.is_kernel || specifiers.is_inline))
        parser_hint(
            p,
            parser_fail(p, parser_peek(p)->range, "functions cannot be declared within functions"),
            "a helper stands at file scope");
    if (specifiers.is_static && !is_constant)
        parser_hint(
            p, parser_fail(p, specifiers.range, "static variables are not supported in kernels"),
            "what outlives a program stands in an array of the caller's; 'static const' makes a "
            "constant");
    else if (specifiers.is_kernel || specifiers.is_inline)
        parser_fail(p, specifiers.range, "functions cannot be declared within functions");
    return specifiers;
}

static struct ast_statement *parse_declaration(struct parser *p)
{
    struct ast_statement *s = parser_new_statement(p, AST_DECLARE);
    struct specifiers specifiers = parser_local_specifiers(p);
    parser_variables(p, &specifiers, &s->declare.variables, &s->declare.count);
    for (int i = 0; i < s->declare.count; i++)
        parser_adopt_expression(p, s, s->declare.variables[i].initial);
    return s;
}

/* ---- if, while, do --------------------------------------------------------------------------- */

/* `(condition)`. After an error in it, goes on behind it; *broken then. */
struct ast_expression *parser_condition(struct parser *p, const char *behind, const char *form,
                                        bool *broken)
{
    struct parser_place place = parser_place(p);
    parser_refuse_colon(p, form);
    parser_expect(p, '(', behind);
    if (parser_at_type(p))
        parser_hint(
            p, parser_fail(p, parser_peek(p)->range, "a declaration cannot stand in a condition"),
            "declare the variable in front of it");
    struct ast_expression *condition = parser_expression(p);
    parser_expect(p, ')', "the condition");
    *broken = p->failed;
    if (p->failed)
        parser_skip_parens(p, place);
    if (!*broken && condition->kind == AST_ASSIGN) {
        parser_hint(p, parser_report(p, condition->at, "an assignment stands as a condition"),
                    condition->assign.code == AST_NO_OPERATOR ? "compare with '=='"
                                                              : "assign in front of it");
        *broken = true;
    }
    return condition;
}

static const char if_form[] = "write 'if (condition) { ... } else { ... }'";

/* What is done in a loop or under a condition, behind `word`. */
struct ast_statement *parser_body(struct parser *p, const char *word, const char *form)
{
    if (parser_at(p, ':'))
        parser_refuse_colon(p, form);
    if (parser_at(p, ';') && !parser_peek(p)->line_start && !parser_peek(p)->expanded &&
        !p->damaged)
        parser_hint(p,
                    diagnostics_add(p->diagnostics, DIAGNOSTIC_WARNING, parser_peek(p)->range,
                                    "'%s' has an empty body", word),
                    "leave the ';' out; '{}' says that it is meant");
    return parser_statement(p);
}

/* Other languages' word behind a condition, which may be a variable that is assigned to. */
static bool at_then(struct parser *p)
{
    if (!parser_at_word(p, "then"))
        return false;
    const struct token *next = parser_peek_second(p);
    return next->kind != TOKEN_SIGN || token_is_sign(next, '{') || next->line_start;
}

static struct ast_statement *parse_if(struct parser *p, bool *broken)
{
    struct ast_statement *s = parser_new_statement(p, AST_IF);
    parser_advance(p);
    if (parser_at_word(p, "constexpr")) {
        parser_hint(p, parser_report(p, parser_peek(p)->range, "'if constexpr' is C++'s"),
                    "leave 'constexpr' out: a constant condition chooses at compile time");
        parser_advance(p);
    }
    s->branch.condition = parser_condition(p, "'if'", if_form, broken);
    if (at_then(p)) {
        parser_hint(p, parser_report(p, parser_peek(p)->range, "'then' is no word of C"), if_form);
        parser_advance(p);
    }
    s->branch.then = parser_body(p, "if", if_form);
    if (parser_at_word(p, "elif"))
        parser_refuse_python(p);
    if (parser_at_word(p, "else")) {
        parser_advance(p);
        s->branch.otherwise = parser_body(p, "else", if_form);
    }
    parser_adopt_expression(p, s, s->branch.condition);
    parser_adopt_statement(p, s, s->branch.then);
    parser_adopt_statement(p, s, s->branch.otherwise);
    return s;
}

static struct ast_statement *parse_while(struct parser *p, bool *broken)
{
    struct ast_statement *s = parser_new_statement(p, AST_WHILE);
    const char *form = "write 'while (condition) { ... }'";
    parser_advance(p);
    s->repeat.condition = parser_condition(p, "'while'", form, broken);
    s->repeat.body = parser_body(p, "while", form);
    parser_adopt_expression(p, s, s->repeat.condition);
    parser_adopt_statement(p, s, s->repeat.body);
    return s;
}

static struct ast_statement *parse_do(struct parser *p, bool *broken)
{
    struct ast_statement *s = parser_new_statement(p, AST_DO);
    const char *form = "write 'do { ... } while (condition);'";
    parser_advance(p);
    s->repeat.body = parser_body(p, "do", form);
    if (!parser_at_word(p, "while")) {
        parser_hint(
            p,
            parser_fail(p, parser_peek(p)->range, "expected 'while' behind the body of a do loop"),
            form);
        return s;
    }
    parser_advance(p);
    s->repeat.condition = parser_condition(p, "'while'", form, broken);
    parser_expect(p, ';', "the condition");
    parser_adopt_expression(p, s, s->repeat.condition);
    parser_adopt_statement(p, s, s->repeat.body);
    return s;
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

static struct ast_statement *finish_block(struct parser *p, struct ast_statement *s,
                                          struct statement_list *list, struct source_range open)
{
    s->block.items = list->items;
    s->block.count = (int)list->count;
    s->range = parser_range(p, open);
    return s;
}

struct ast_statement *parser_block(struct parser *p)
{
    struct ast_statement *s = parser_new_statement(p, AST_BLOCK);
    struct source_range open = s->range;
    struct statement_list list = {0};
    parser_expect(p, '{', "the parameters");
    while (!parser_at_end(p) && !parser_at(p, '}')) {
        if (parser_at_item(p)) {
            parser_report_cut(p, open);
            break;
        }
        if (parser_at_word(p, "else") && parser_cut_by_else(p, open))
            return finish_block(p, s, &list, open);
        struct ast_statement *item = parser_statement(p);
        parser_adopt_statement(p, s, item);
        ARENA_PUSH(p->arena, &list, item);
    }
    if (parser_at_end(p) && !p->failed) {
        parser_unexpected(p, "'}'");
        parser_note_open(p, open);
    }
    if (parser_at(p, '}'))
        parser_note_askew(p, open);
    parser_take(p, '}');
    return finish_block(p, s, &list, open);
}

/* ---- The rest -------------------------------------------------------------------------------- */

static struct ast_statement *parse_return(struct parser *p)
{
    struct ast_statement *s = parser_new_statement(p, AST_RETURN);
    parser_advance(p);
    if (!parser_at(p, ';') && !parser_at(p, '}'))
        s->result = parser_expression(p);
    parser_adopt_expression(p, s, s->result);
    parser_expect(p, ';', "'return'");
    return s;
}

/* break; continue; and the empty statement. */
static struct ast_statement *parse_word(struct parser *p, enum ast_statement_kind kind,
                                        const char *what)
{
    struct ast_statement *s = parser_new_statement(p, kind);
    if (kind != AST_EMPTY)
        parser_advance(p);
    parser_expect(p, ';', what);
    return s;
}

/* A name and ':'; what Python and Go declare so is no statement, nor is std::sort(x). */
static void refuse_name_label(struct parser *p)
{
    struct source_range name = parser_advance(p).range, sign = parser_advance(p).range;
    static const char label[] = "labels are not supported in kernels";
    if (parser_at(p, ':'))
        parser_hint(p, parser_fail(p, sign, "'::' is C++'s"), parser_prefix_hint);
    else if (parser_at(p, '=') || parser_at_type(p)) /* i := 3, i: int = 3 */
        parser_hint(p, parser_fail(p, name, label), "a variable is declared 'int i = value;'");
    else
        parser_hint(p, parser_report(p, name, label), "use if, while, break and continue");
}

/* a, b = f(x); x = 1, y = 2; */
static void refuse_comma(struct parser *p, const struct ast_expression *first)
{
    parser_hint(
        p, parser_fail(p, parser_peek(p)->range, "the comma operator is not supported in kernels"),
        first->kind == AST_NAME ? "a function gives one value: 'a = split(x, 0); b = split(x, 1);'"
                                : "write two statements");
}

/* ISPC's cif (c) { ... }, and what else is no statement of C. */
static void refuse_block(struct parser *p, const struct ast_expression *head)
{
    const char *name = head->kind == AST_CALL   ? head->call.name
                       : head->kind == AST_NAME ? head->name
                                                : NULL;
    const char *hint = name ? foreign_hint(name) : NULL;
    if (name && (hint || !parser_peek(p)->line_start)) /* else a ';' is missing */
        parser_hint(p, parser_fail(p, head->at, "'%s' is no statement of C", name), hint);
}

static struct ast_statement *parse_evaluation(struct parser *p)
{
    struct ast_statement *s = parser_new_statement(p, AST_EVALUATE);
    const struct token *token = parser_peek(p);
    const struct token *second = parser_peek_second(p);
    if (token->kind == TOKEN_NAME && parser_word(token) == WORD_NONE &&
        second->kind == TOKEN_NAME && !second->line_start)
        parser_unknown_type(p);
    if (p->errors > 0 && token_is_name(token, "catch"))
        p->failed = true; /* the 'try' in front of it was refused */
    s->evaluate = parser_expression(p);
    parser_adopt_expression(p, s, s->evaluate);
    if (parser_at(p, ','))
        refuse_comma(p, s->evaluate);
    if (parser_at(p, '{'))
        refuse_block(p, s->evaluate);
    parser_expect(p, ';', "the expression");
    return s;
}

static bool at_name_and_colon(struct parser *p)
{
    const struct token *token = parser_peek(p);
    return token->kind == TOKEN_NAME && parser_word(token) == WORD_NONE &&
           token_is_sign(parser_peek_second(p), ':');
}

/* *broken: there was an error in it from which the parser has recovered. */
static struct ast_statement *parse_statement(struct parser *p, bool *broken)
{
    if (at_name_and_colon(p)) {
        refuse_name_label(p);
        *broken = p->failed;
        return p->failed || parser_at(p, '}') ? parser_new_statement(p, AST_EMPTY)
                                              : parser_statement(p);
    }
    if (parser_at(p, '{'))
        return parser_block(p);
    if (parser_at(p, ';'))
        return parse_word(p, AST_EMPTY, "the statement");
    if (parser_at(p, '[') && token_is_sign(parser_peek_second(p), '['))
        parser_unexpected(p, NULL); /* [[unlikely]] */
    if (parser_at_type(p))
        return parse_declaration(p);
    if (parser_word(parser_peek(p)) != WORD_STATEMENT)
        return parse_evaluation(p);
    if (parser_at_word(p, "if"))
        return parse_if(p, broken);
    if (parser_at_word(p, "for"))
        return parser_for(p, broken);
    if (parser_at_word(p, "while"))
        return parse_while(p, broken);
    if (parser_at_word(p, "do"))
        return parse_do(p, broken);
    if (parser_at_word(p, "switch"))
        return parser_switch(p, broken);
    if (parser_at_label(p))
        return parser_refuse_label(p);
    if (parser_at_word(p, "return"))
        return parse_return(p);
    if (parser_at_word(p, "break"))
        return parse_word(p, AST_BREAK, "'break'");
    if (parser_at_word(p, "continue"))
        return parse_word(p, AST_CONTINUE, "'continue'");
    parser_hint(p, parser_fail(p, parser_peek(p)->range, "'else' without 'if'"),
                "several statements under an 'if' stand in braces");
    return parser_new_statement(p, AST_EMPTY);
}

struct ast_statement *parser_statement(struct parser *p)
{
    struct parser_place place = parser_place(p);
    struct source_range from = parser_peek(p)->range;
    if (!parser_enter(p)) {
        parser_leave(p);
        return parser_new_statement(p, AST_EMPTY);
    }
    size_t names = p->names.count;
    bool broken = false;
    int strays = p->strays;
    struct ast_statement *s = parse_statement(p, &broken);
    s->range = parser_range(p, from);
    broken = broken || p->failed;
    if (p->failed)
        parser_skip_statement(p, place);
    if (broken) {
        s->kind = AST_BROKEN;
        s->broken.names = parser_mentions(p, names, &s->broken.count);
        s->broken.vague = p->strays > strays;
        p->damaged = true;
    }
    parser_leave(p);
    return s;
}
