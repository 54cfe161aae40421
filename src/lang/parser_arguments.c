/* Arguments: of calls, of launch_grid and its like, and of the command line; see parser.h. */
#include "lang/parser_expression.h"

#include "lang/foreign.h"
#include "lang/literal.h"

#include <ctype.h>
#include <string.h>

bool parser_literal(struct parser *p, const struct token *token, struct ast_expression *out)
{
    if (literal_parse(p->arena, p->diagnostics, token, out))
        return true;
    p->failed = true;
    p->errors++;
    return false;
}

/* Adjacent texts as one. */
static struct ast_expression *parse_text(struct parser *p)
{
    struct token token = parser_advance(p);
    struct ast_expression *e = parser_new_expression(p, AST_TEXT, token.range);
    parser_literal(p, &token, e);
    while (parser_peek(p)->kind == TOKEN_TEXT) {
        struct ast_expression more = {0};
        token = parser_advance(p);
        if (!parser_literal(p, &token, &more))
            break;
        struct text both;
        text_init(&both, p->arena);
        text_append(&both, e->text.bytes, e->text.length);
        text_append(&both, more.text.bytes, more.text.length);
        e->text.bytes = both.items;
        e->text.length = both.count;
    }
    e->range = parser_range(p, e->range);
    return e;
}

/* ISPC's foreach (i = 0 ... n): the word in front of the '(' that has just been read. */
static bool is_in_foreach(const struct parser *p)
{
    static const char word[] = "foreach";
    const struct source_file *file = p->previous.file;
    size_t length = strlen(word), at = p->previous.begin;
    while (file && at > 0 && file->text[at - 1] == ' ')
        at--;
    return file && at >= length && memcmp(file->text + at - length, word, length) == 0;
}

/* The axis of axis=1, of which the '=' is given; 'k' where it is no number of one digit. */
static char digit_behind(const struct token *sign)
{
    const struct source_file *file = sign->range.file;
    size_t at = sign->range.end;
    while (file && at < file->length && file->text[at] == ' ')
        at++;
    bool digit = file && at + 1 < file->length && isdigit((unsigned char)file->text[at]) &&
                 !isalnum((unsigned char)file->text[at + 1]);
    return digit ? file->text[at] : 'k';
}

/* load(p, mask=m) */
static void refuse_name(struct parser *p)
{
    const struct token *token = parser_peek(p);
    if (is_in_foreach(p)) {
        parser_hint(p, parser_fail(p, token->range, "'foreach' is no statement of C"),
                    foreign_hint("foreach"));
        return;
    }
    char axis = digit_behind(parser_peek_second(p));
    struct diagnostic *d =
        parser_fail(p, token->range, "arguments of functions have no names in C, only their order");
    if (token_is_name(token, "keep_dims"))
        parser_hint(p, d, "write keep");
    else if (token_is_name(token, "descending"))
        parser_hint(p, d, "write reverse for the greatest first, nothing for the least");
    else if (token_is_name(token, "axis") || token_is_name(token, "dim"))
        parser_hint(p, d,
                    arena_format(p->arena,
                                 "leave '%.*s =' out; an axis of a reduction, scan or sort is "
                                 "written axis(%c)",
                                 (int)token->length, token->text, axis));
    else
        parser_hint(p, d,
                    arena_format(p->arena, "leave '%.*s =' out",
                                 token->length > 60 ? 60 : (int)token->length, token->text));
}

static struct ast_argument parse_argument(struct parser *p, bool names)
{
    struct ast_argument argument = {.range = parser_peek(p)->range};
    struct source_range range;
    if (parser_take(p, '.')) {
        argument.name = parser_expect_name(p, "the name of an argument", &range);
        if (!parser_take(p, '='))
            parser_unexpected(p, "'=' and the argument's value");
    } else if (names && parser_peek(p)->kind == TOKEN_NAME &&
               token_is_sign(parser_peek_second(p), '=')) {
        argument.name = parser_expect_name(p, "the name of an argument", &range);
        parser_advance(p);
    } else if (parser_peek(p)->kind == TOKEN_NAME && token_is_sign(parser_peek_second(p), '=')) {
        refuse_name(p);
    }
    if (parser_at_type(p) && !token_is_sign(parser_peek_second(p), '(')) /* f(int(x)) is refused */
        argument.type = parser_type_name(p);
    else if (parser_peek(p)->kind == TOKEN_TEXT)
        argument.value = parse_text(p);
    else
        argument.value = parser_expression(p);
    argument.range = parser_range(p, argument.range);
    return argument;
}

struct argument_list {
    struct ast_argument *items;
    size_t count, capacity;
};

/* Whether an operand begins in the same line. */
static bool at_operand(const struct parser *p)
{
    const struct token *token = parser_peek(p);
    bool name = token->kind == TOKEN_NAME && parser_word(token) == WORD_NONE;
    return !token->line_start && !token->expanded && (name || token->kind == TOKEN_NUMBER);
}

/* The place behind the last token. */
static struct source_range behind(const struct parser *p)
{
    struct source_range range = p->previous;
    range.begin = range.end;
    return range;
}

void parser_arguments(struct parser *p, bool names, struct ast_argument **arguments, int *count)
{
    struct argument_list list = {0};
    p->calls++;
    if (!parser_at(p, ')')) {
        do {
            struct ast_argument argument = parse_argument(p, names);
            ARENA_PUSH(p->arena, &list, argument);
        } while (parser_take(p, ','));
    }
    p->calls--;
    if (at_operand(p) && list.count > 0)
        parser_fail(p, behind(p), "expected ',' or ')' behind the argument");
    parser_expect(p, ')', "the arguments");
    *arguments = list.items;
    *count = (int)list.count;
}

/* What stands there in the file, on one line. */
static struct ast_expression *written_text(struct parser *p, struct source_range range)
{
    struct ast_expression *e = parser_new_expression(p, AST_TEXT, range);
    struct text text;
    text_init(&text, p->arena);
    for (uint32_t at = range.begin; range.file && at < range.end && text.count < 200; at++) {
        bool blank = strchr(" \t\r\n", range.file->text[at]) != NULL;
        if (!blank)
            text_char(&text, range.file->text[at]);
        else if (text.count && text.items[text.count - 1] != ' ')
            text_char(&text, ' ');
    }
    e->text.bytes = text.items ? text.items : "";
    e->text.length = text.count;
    return e;
}

void parser_default_text(struct parser *p, struct ast_argument **arguments, int *count)
{
    const struct ast_argument *condition = *arguments;
    if (p->failed || *count != 1 || !condition->value || condition->value->kind == AST_TEXT)
        return;
    struct ast_argument *both = ARENA_ARRAY(p->arena, struct ast_argument, 2);
    both[0] = *condition;
    both[1].range = condition->range;
    both[1].value = written_text(p, condition->range);
    *arguments = both;
    *count = 2;
}

void parser_argument_list(struct parser *p, bool names, struct ast_argument **arguments, int *count)
{
    struct argument_list list = {0};
    do {
        struct ast_argument argument = parse_argument(p, names);
        ARENA_PUSH(p->arena, &list, argument);
    } while (parser_take(p, ','));
    if (!parser_at_end(p))
        parser_unexpected(p, "the end");
    *arguments = list.items;
    *count = (int)list.count;
}

struct ast_expression *parser_call(struct parser *p, const char *name, struct source_range at)
{
    struct ast_expression *e = parser_new_expression(p, AST_CALL, at);
    e->call.name = name;
    parser_expect(p, '(', "the name of the function");
    parser_arguments(p, false, &e->call.arguments, &e->call.argument_count);
    e->range = parser_range(p, at);
    for (int i = 0; i < e->call.argument_count; i++)
        if (e->call.arguments[i].value)
            parser_adopt(p, e, e->call.arguments[i].value);
    return e;
}
