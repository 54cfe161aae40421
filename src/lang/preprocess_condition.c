/* #if expressions: 64-bit integers, all of C's operators, defined(NAME); see preprocess.h. */
#include "lang/literal.h"
#include "lang/operators.h"
#include "lang/preprocess_internal.h"

struct evaluator {
    struct preprocessor *pp;
    const struct token_list *line;
    size_t at;
    int nesting;
    struct source_range place; /* where messages point when the line ends too early */
};

static const struct token *peek(const struct evaluator *e)
{
    static const struct token end = {.kind = TOKEN_END};
    return !e->pp->stopped && e->at < e->line->count ? &e->line->items[e->at] : &end;
}

static bool take(struct evaluator *e, uint32_t code)
{
    if (!token_is_sign(peek(e), code))
        return false;
    e->at++;
    return true;
}

static void complain(struct evaluator *e)
{
    const struct token *token = peek(e);
    if (token->kind == TOKEN_END)
        preprocess_fail(e->pp, e->place, "the condition ends too early");
    else
        preprocess_fail(e->pp, token->range, "unexpected '%.*s' in a condition",
                        (int)(token->length < 60 ? token->length : 60), token->text);
}

static int64_t evaluate_conditional(struct evaluator *e, bool live);

/* live: whether the value counts; `0 && 1 / 0` is fine. */
static int64_t evaluate_unary(struct evaluator *e, bool live)
{
    if (e->nesting >= PREPROCESS_MAX_NESTING) {
        preprocess_fail(e->pp, peek(e)->range, "the condition is nested too deeply");
        return 0;
    }
    e->nesting++;
    int64_t value = 0;
    const struct token *token = peek(e);
    if (take(e, '(')) {
        value = evaluate_conditional(e, live);
        if (!take(e, ')'))
            complain(e);
    } else if (take(e, '!')) {
        value = !evaluate_unary(e, live);
    } else if (take(e, '-')) {
        value = (int64_t)(0 - (uint64_t)evaluate_unary(e, live));
    } else if (take(e, '+')) {
        value = evaluate_unary(e, live);
    } else if (take(e, '~')) {
        value = ~evaluate_unary(e, live);
    } else if (token->kind == TOKEN_NUMBER || token->kind == TOKEN_CHARACTER) {
        e->at++;
        struct ast_expression literal = {0};
        if (!literal_parse(e->pp->arena, e->pp->diagnostics, token, &literal))
            e->pp->stopped = true;
        else if (literal.kind == AST_INTEGER)
            value = (int64_t)literal.integer.value;
        else
            preprocess_fail(e->pp, token->range, "a condition takes integers only");
    } else if (token->kind == TOKEN_NAME) {
        e->at++; /* a name that is no macro is 0; true is 1 as in C23 */
        value = token_is_name(token, "true");
    } else {
        complain(e);
    }
    e->nesting--;
    return value;
}

static int64_t apply(struct evaluator *e, enum ast_binary_operator code, int64_t a, int64_t b,
                     bool live)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    switch (code) {
    case AST_OR_ELSE:
        return a || b;
    case AST_AND_THEN:
        return a && b;
    case AST_BIT_OR:
        return a | b;
    case AST_BIT_XOR:
        return a ^ b;
    case AST_BIT_AND:
        return a & b;
    case AST_EQ:
        return a == b;
    case AST_NE:
        return a != b;
    case AST_LT:
        return a < b;
    case AST_LE:
        return a <= b;
    case AST_GT:
        return a > b;
    case AST_GE:
        return a >= b;
    case AST_SHL:
        return (int64_t)(x << (y & 63));
    case AST_SHR:
        return a >> (y & 63);
    case AST_ADD:
        return (int64_t)(x + y);
    case AST_SUB:
        return (int64_t)(x - y);
    case AST_MUL:
        return (int64_t)(x * y);
    case AST_DIV:
    case AST_REM:
        if (b == 0 && live)
            preprocess_fail(e->pp, e->place, "division by zero in a condition");
        if (b == 0)
            return 0;
        if (b == -1)
            return code == AST_DIV ? (int64_t)(0 - x) : 0;
        return code == AST_DIV ? a / b : a % b;
    case AST_NO_OPERATOR:
    case AST_BINARY_COUNT:
        break;
    }
    return 0;
}

static int64_t evaluate_binary(struct evaluator *e, int least, bool live)
{
    int64_t left = evaluate_unary(e, live);
    for (;;) {
        enum ast_binary_operator code = operator_binary(peek(e));
        int precedence = operator_precedence(code);
        if (code == AST_NO_OPERATOR || precedence < least)
            return left;
        e->at++;
        bool right_live =
            live && !(code == AST_AND_THEN && !left) && !(code == AST_OR_ELSE && left);
        int64_t right = evaluate_binary(e, precedence + 1, right_live);
        left = apply(e, code, left, right, right_live);
    }
}

static int64_t evaluate_conditional(struct evaluator *e, bool live)
{
    int64_t condition = evaluate_binary(e, 1, live);
    if (!take(e, '?'))
        return condition;
    if (++e->nesting >= PREPROCESS_MAX_NESTING) {
        preprocess_fail(e->pp, e->place, "the condition is nested too deeply");
        return 0;
    }
    int64_t yes = evaluate_conditional(e, live && condition);
    if (!take(e, ':'))
        complain(e);
    int64_t no = evaluate_conditional(e, live && !condition);
    e->nesting--;
    return condition ? yes : no;
}

/* Replaces `defined X` and `defined(X)` by 1 or 0, before anything is expanded. */
static struct token_list replace_defined(struct preprocessor *pp, const struct token_list *line)
{
    struct token_list out = {0};
    for (size_t i = 0; i < line->count; i++) {
        struct token token = line->items[i];
        if (token_is_name(&token, "defined")) {
            bool paren = i + 1 < line->count && token_is_sign(&line->items[i + 1], '(');
            size_t name = i + 1 + paren;
            bool closed =
                !paren || (name + 1 < line->count && token_is_sign(&line->items[name + 1], ')'));
            if (name >= line->count || line->items[name].kind != TOKEN_NAME || !closed) {
                preprocess_fail(pp, token.range, "'defined' needs a name");
                return out;
            }
            bool known = macro_find(pp, &line->items[name]) != NULL;
            token.kind = TOKEN_NUMBER;
            token.text = known ? "1" : "0";
            token.length = 1;
            i = name + paren;
        }
        ARENA_PUSH(pp->arena, &out, token);
    }
    return out;
}

bool preprocess_condition(struct preprocessor *pp, struct token_list *line, struct token directive)
{
    if (!line->count) {
        preprocess_fail(pp, directive.range, "#%.*s needs a condition", (int)directive.length,
                        directive.text);
        return false;
    }
    struct token_list known = replace_defined(pp, line);
    if (pp->stopped)
        return false;
    pp->in_condition = true;
    struct token_list expanded = preprocess_expand(pp, &known);
    pp->in_condition = false;
    struct evaluator e = {.pp = pp, .line = &expanded, .place = line->items[0].range};
    int64_t value = pp->stopped ? 0 : evaluate_conditional(&e, true);
    if (!pp->stopped && e.at < expanded.count)
        complain(&e);
    return value != 0;
}
