/*
 * What expressions are made of: names, constants, calls, parentheses; and what people from other
 * languages write in their place.
 *
 *   primary     = number | name | name "(" arguments ")" | "(" expression ")"
 */
#include "lang/parser_expression.h"

#include <math.h>
#include <string.h>

/* Words of Python in front of an operand: not x, lambda x: y. */
static void refuse_prefix(struct parser *p, const struct token *word)
{
    const struct token *next = parser_peek(p);
    bool operand = next->kind == TOKEN_NAME || next->kind == TOKEN_NUMBER;
    if (next->line_start)
        return;
    if (token_is_name(word, "not") && operand)
        parser_hint(p, parser_fail(p, word->range, "'not' is no operator"), "'not' is written '!'");
    if (token_is_name(word, "lambda") && (operand || token_is_sign(next, ':')))
        parser_hint(p, parser_fail(p, word->range, "'lambda' is Python's, and kernel files are C"),
                    "a grid is an expression, such as cdiv(n, BLOCK); scan takes the name of a "
                    "static helper");
}

static bool at_sign_twice(struct parser *p, unsigned sign, unsigned next)
{
    return parser_at(p, sign) && token_is_sign(parser_peek_second(p), next);
}

const char parser_prefix_hint[] = "built-ins have no prefix: exp, maximum, load";

/* What C++ and CUDA write behind a name: std::exp, static_cast<int>(x), f<<<1, 256>>>(x). */
static void refuse_behind_name(struct parser *p, const struct token *name)
{
    static const char *const casts[] = {"static_cast", "reinterpret_cast", "const_cast",
                                        "dynamic_cast", "bit_cast"};
    const struct token *sign = parser_peek(p);
    bool quoted = sign->kind == TOKEN_TEXT || sign->kind == TOKEN_CHARACTER;
    if (quoted && name->length < 4 && sign->range.begin == name->range.end)
        parser_hint(p,
                    parser_fail(p, name->range, "'%.*s' is no prefix of C's", (int)name->length,
                                name->text),
                    "a text is written \"text\", with a backslash as '\\\\'; tile_print(\"x\", x) "
                    "shows a value");
    if (at_sign_twice(p, ':', ':'))
        parser_hint(p, parser_fail(p, sign->range, "'::' is C++'s"), parser_prefix_hint);
    if (at_sign_twice(p, SIGN2('<', '<'), '<'))
        parser_hint(p, parser_fail(p, sign->range, "kernels are not launched from a kernel file"),
                    "launch_grid(KERNEL, x, y, z) says how many programs run; 'tilec run' or a C "
                    "program launches them");
    if (token_is_name(name, "new") && !sign->line_start && sign->kind == TOKEN_NAME)
        parser_hint(
            p, parser_fail(p, name->range, "'new' is C++'s"),
            "a program has no heap: a variable can hold a tile: 'float x = zeros(float, 16);'");
    if (at_sign_twice(p, '!', '(') && sign->range.begin == name->range.end)
        parser_hint(p,
                    parser_fail(p, source_join(name->range, sign->range), "'%.*s!' is Rust's",
                                (int)name->length, name->text),
                    "tile_print(\"text\", x) prints, tile_assert(condition, \"text\") checks");
    for (size_t i = 0; parser_at(p, '<') && i < sizeof casts / sizeof *casts; i++)
        if (token_is_name(name, casts[i]))
            parser_hint(p, parser_fail(p, name->range, "'%s' is C++'s", casts[i]),
                        "a conversion is written '(int)x'; bitcast(int, x) keeps the bits");
}

/* true, false, INFINITY, NAN; NULL for every other name. */
static struct ast_expression *parse_named_constant(struct parser *p, const struct token *token)
{
    bool is_true = token_is_name(token, "true");
    if (is_true || token_is_name(token, "false")) {
        struct ast_expression *e = parser_new_expression(p, AST_INTEGER, token->range);
        e->integer.value = is_true;
        e->integer.elem = IR_BOOL;
        return e;
    }
    bool infinity = token_is_name(token, "INFINITY");
    if (infinity || token_is_name(token, "NAN")) {
        struct ast_expression *e = parser_new_expression(p, AST_FLOATING, token->range);
        e->floating.single = infinity ? INFINITY : NAN;
        e->floating.value = e->floating.single;
        e->floating.text = infinity ? "inf" : "nan";
        e->floating.weak = true;
        e->floating.elem = IR_F32;
        return e;
    }
    return NULL;
}

/* sizeof(type) */
static struct ast_expression *parse_sizeof(struct parser *p)
{
    struct ast_expression *e = parser_new_expression(p, AST_INTEGER, parser_advance(p).range);
    if (!parser_take(p, '(') || !parser_at_type(p)) {
        parser_hint(p, parser_fail(p, parser_peek(p)->range, "'sizeof' takes a type"),
                    "element types have fixed sizes: float 4, half 2, int 4, long 8 bytes");
        return e;
    }
    const struct ast_type *type = parser_type_name(p);
    parser_expect(p, ')', "the type");
    if (type->kind != AST_TYPE_ELEM)
        parser_fail(p, type->range, "'sizeof' takes an element type, such as 'float'");
    e->range = parser_range(p, e->at);
    e->integer.value = type->pointer ? 8 : ir_elem_bytes(type->elem);
    e->integer.elem = IR_U64;
    return e;
}

/* float("inf"): whether a text or character stands behind the '('. */
static bool is_of_text(const struct token *parenthesis)
{
    const struct source_file *file = parenthesis->range.file;
    size_t at = parenthesis->range.end;
    while (file && at < file->length && file->text[at] == ' ')
        at++;
    return file && at < file->length && (file->text[at] == '"' || file->text[at] == '\'');
}

static struct ast_expression *parse_name(struct parser *p)
{
    struct token token = *parser_peek(p);
    struct ast_expression *constant = parse_named_constant(p, &token);
    if (constant) {
        parser_advance(p);
        return constant;
    }
    if (token_is_name(&token, "sizeof"))
        return parse_sizeof(p);
    if (parser_word(&token) == WORD_ASSERT) { /* one name for its three spellings */
        parser_advance(p);
        struct ast_expression *e = parser_call(p, "static_require", token.range);
        parser_default_text(p, &e->call.arguments, &e->call.argument_count);
        return e;
    }
    if (parser_word(&token) == WORD_TYPE && token_is_sign(parser_peek_second(p), '(')) {
        int length = (int)token.length;
        bool of_text = is_of_text(parser_peek_second(p));
        parser_hint(p, parser_fail(p, token.range, "a type cannot be called"),
                    of_text ? "infinity is written INFINITY, a NaN is written NAN"
                            : arena_format(p->arena, "a conversion is written '(%.*s)x'", length,
                                           token.text));
        return parser_nothing(p, token.range);
    }
    if (parser_word(&token) != WORD_NONE) {
        parser_unexpected(p, "an expression");
        return parser_nothing(p, token.range);
    }
    parser_advance(p);
    refuse_prefix(p, &token);
    refuse_behind_name(p, &token);
    const char *name = token_copy(p->arena, &token);
    if (parser_at(p, '('))
        return parser_call(p, name, token.range);
    struct ast_expression *e = parser_new_expression(p, AST_NAME, token.range);
    e->name = name;
    return e;
}

static struct ast_expression *parse_parenthesis(struct parser *p)
{
    struct source_range from = parser_advance(p).range;
    if (parser_at(p, '{'))
        parser_fail(p, from, "statement expressions are not supported in kernels");
    struct ast_expression *e = parser_expression(p);
    if (parser_at(p, ',')) {
        struct diagnostic *d =
            parser_fail(p, parser_peek(p)->range, "the comma operator is not supported in kernels");
        parser_hint(p, d,
                    p->calls > 0 ? "sizes and indices are arguments of their own: f(a, b), not "
                                   "f((a, b))"
                                 : "write two statements");
    }
    parser_expect(p, ')', "the expression");
    const struct token *next = parser_peek(p);
    if (e->kind == AST_NAME && !next->line_start && !next->expanded &&
        (next->kind == TOKEN_NUMBER ||
         (next->kind == TOKEN_NAME && parser_word(next) == WORD_NONE))) { /* (float4)x */
        struct token type = {.kind = TOKEN_NAME, .text = e->name};
        type.length = (uint32_t)strlen(e->name);
        p->failed = p->failed || parser_is_refused_type(p, &type);
        const char *hint = parser_foreign_type_hint(p, &type);
        parser_hint(p, parser_fail(p, e->range, "unknown type '%.60s'", e->name),
                    hint ? hint : "a conversion is written '(float)x'");
    }
    e->range = parser_range(p, from);
    return e;
}

static void refuse_list(struct parser *p)
{
    const struct token *second = parser_peek_second(p);
    bool lambda =
        token_is_sign(second, ']') || token_is_sign(second, '&') || token_is_sign(second, '=');
    parser_hint(
        p, parser_fail(p, parser_peek(p)->range, "lists and lambdas are not supported in kernels"),
        p->calls > 0 && !lambda
            ? "sizes and indices are arguments of their own: f(a, b), not f([a, b])"
            : "zeros, full and arange make a tile; a function is a static helper");
}

struct ast_expression *parser_primary(struct parser *p)
{
    const struct token *token = parser_peek(p);
    if (token->kind == TOKEN_NAME)
        return parse_name(p);
    if (parser_at(p, '('))
        return parse_parenthesis(p);
    if (token->kind == TOKEN_NUMBER || token->kind == TOKEN_CHARACTER) {
        struct token literal = parser_advance(p);
        struct ast_expression *e = parser_new_expression(p, AST_INTEGER, literal.range);
        parser_literal(p, &literal, e);
        return e;
    }
    struct ast_expression *nothing = parser_nothing(p, token->range);
    if (parser_at(p, '['))
        refuse_list(p);
    else if (token->kind == TOKEN_TEXT)
        parser_hint(p, parser_fail(p, token->range, "a text can only be an argument of a function"),
                    "texts are for tile_assert, tile_print and the requirements");
    else
        parser_unexpected(p, "an expression");
    return nothing;
}
