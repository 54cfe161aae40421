/* #if expressions: all of C's operators, defined(NAME); see preprocess.h. As in C all numbers have
 * 64 bits, and an operator is unsigned where one of its operands is. */
#include "lang/literal.h"
#include "lang/operators.h"
#include "lang/preprocess_internal.h"

#include <string.h>

struct evaluator {
    struct preprocessor *pp;
    const struct token_list *line;
    size_t at;
    int nesting;
    bool told;                 /* of a type */
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

struct number {
    uint64_t bits;
    bool is_unsigned;
};

static struct number truth(bool value)
{
    return (struct number){.bits = value};
}

static struct number evaluate_conditional(struct evaluator *e, bool live);

static struct number evaluate_literal(struct evaluator *e)
{
    const struct token *token = peek(e);
    struct ast_expression literal = {0};
    e->at++;
    if (!literal_parse(e->pp->arena, e->pp->diagnostics, token, &literal))
        e->pp->stopped = true;
    else if (token->kind == TOKEN_CHARACTER)
        return (struct number){.bits = (uint64_t)(int32_t)literal.integer.value};
    else if (literal.kind == AST_INTEGER)
        return (struct number){.bits = literal.integer.value,
                               .is_unsigned = literal.integer.value > INT64_MAX ||
                                              memchr(token->text, 'u', token->length) ||
                                              memchr(token->text, 'U', token->length)};
    else
        preprocess_fail(e->pp, token->range, "a condition takes integers only");
    return truth(false);
}

/* A name that is no macro is 0; true is 1 as in C23. A type's was hardly meant: `T == half` holds
 * whatever type T names. */
static struct number evaluate_name(struct evaluator *e, bool live)
{
    static const struct {
        const char *spelling, *class;
    } words[] = {
#define WORD(spelling, class) {#spelling, #class},
#define REFUSED(spelling, what, hint)
#include "lang/words.def"
#undef WORD
#undef REFUSED
    };
    const struct token *token = peek(e);
    e->at++;
    for (size_t i = 0; live && !e->told && i < sizeof words / sizeof *words; i++) {
        if (strcmp(words[i].class, "WORD_TYPE") == 0 && token_is_name(token, words[i].spelling)) {
            e->told = true;
            struct diagnostic *d =
                diagnostics_add(e->pp->diagnostics, DIAGNOSTIC_WARNING, token->range,
                                "the type '%s' is a 0 in a condition", words[i].spelling);
            diagnostics_hint(e->pp->diagnostics, d,
                             "numbers can be compared: '-D WIDE=1' and '#if WIDE'");
        }
    }
    return truth(token_is_name(token, "true"));
}

/* live: whether the value counts; `0 && 1 / 0` is fine. */
static struct number evaluate_unary(struct evaluator *e, bool live)
{
    if (e->nesting >= PREPROCESS_MAX_NESTING) {
        preprocess_fail(e->pp, peek(e)->range, "the condition is nested too deeply");
        return truth(false);
    }
    e->nesting++;
    struct number value = {0};
    const struct token *token = peek(e);
    if (take(e, '(')) {
        value = evaluate_conditional(e, live);
        if (!take(e, ')'))
            complain(e);
    } else if (take(e, '!')) {
        value = truth(!evaluate_unary(e, live).bits);
    } else if (take(e, '-')) {
        value = evaluate_unary(e, live);
        value.bits = 0 - value.bits;
    } else if (take(e, '+')) {
        value = evaluate_unary(e, live);
    } else if (take(e, '~')) {
        value = evaluate_unary(e, live);
        value.bits = ~value.bits;
    } else if (token->kind == TOKEN_NUMBER || token->kind == TOKEN_CHARACTER) {
        value = evaluate_literal(e);
    } else if (token->kind == TOKEN_NAME) {
        value = evaluate_name(e, live);
    } else {
        complain(e);
    }
    e->nesting--;
    return value;
}

static int64_t compare(struct number a, struct number b)
{
    int64_t x = (int64_t)a.bits, y = (int64_t)b.bits;
    if (a.is_unsigned || b.is_unsigned)
        return (a.bits > b.bits) - (a.bits < b.bits);
    return (x > y) - (x < y);
}

static struct number divide(struct evaluator *e, enum ast_binary_operator code, struct number a,
                            struct number b, bool live)
{
    bool is_unsigned = a.is_unsigned || b.is_unsigned, quotient = code == AST_DIV;
    int64_t x = (int64_t)a.bits, y = (int64_t)b.bits;
    uint64_t bits = 0;
    if (y == 0 && live)
        preprocess_fail(e->pp, e->place, "division by zero in a condition");
    if (y == 0)
        bits = 0;
    else if (is_unsigned)
        bits = quotient ? a.bits / b.bits : a.bits % b.bits;
    else if (y == -1) /* the least integer has no quotient */
        bits = quotient ? 0 - a.bits : 0;
    else
        bits = (uint64_t)(quotient ? x / y : x % y);
    return (struct number){bits, is_unsigned};
}

static struct number apply(struct evaluator *e, enum ast_binary_operator code, struct number a,
                           struct number b, bool live)
{
    uint64_t x = a.bits, y = b.bits;
    bool is_unsigned = a.is_unsigned || b.is_unsigned;
    switch (code) {
    case AST_OR_ELSE:
        return truth(x || y);
    case AST_AND_THEN:
        return truth(x && y);
    case AST_EQ:
        return truth(x == y);
    case AST_NE:
        return truth(x != y);
    case AST_LT:
        return truth(compare(a, b) < 0);
    case AST_LE:
        return truth(compare(a, b) <= 0);
    case AST_GT:
        return truth(compare(a, b) > 0);
    case AST_GE:
        return truth(compare(a, b) >= 0);
    case AST_SHL:
        return (struct number){x << (y & 63), a.is_unsigned};
    case AST_SHR:
        return (struct number){a.is_unsigned ? x >> (y & 63) : (uint64_t)((int64_t)x >> (y & 63)),
                               a.is_unsigned};
    case AST_BIT_OR:
        return (struct number){x | y, is_unsigned};
    case AST_BIT_XOR:
        return (struct number){x ^ y, is_unsigned};
    case AST_BIT_AND:
        return (struct number){x & y, is_unsigned};
    case AST_ADD:
        return (struct number){x + y, is_unsigned};
    case AST_SUB:
        return (struct number){x - y, is_unsigned};
    case AST_MUL:
        return (struct number){x * y, is_unsigned};
    case AST_DIV:
    case AST_REM:
        return divide(e, code, a, b, live);
    case AST_NO_OPERATOR:
    case AST_BINARY_COUNT:
        break;
    }
    return truth(false);
}

static struct number evaluate_binary(struct evaluator *e, int least, bool live)
{
    struct number left = evaluate_unary(e, live);
    for (;;) {
        enum ast_binary_operator code = operator_binary(peek(e));
        int precedence = operator_precedence(code);
        if (code == AST_NO_OPERATOR || precedence < least)
            return left;
        e->at++;
        bool right_live =
            live && !(code == AST_AND_THEN && !left.bits) && !(code == AST_OR_ELSE && left.bits);
        struct number right = evaluate_binary(e, precedence + 1, right_live);
        left = apply(e, code, left, right, right_live);
    }
}

static struct number evaluate_conditional(struct evaluator *e, bool live)
{
    struct number condition = evaluate_binary(e, 1, live);
    if (!take(e, '?'))
        return condition;
    if (++e->nesting >= PREPROCESS_MAX_NESTING) {
        preprocess_fail(e->pp, e->place, "the condition is nested too deeply");
        return truth(false);
    }
    struct number yes = evaluate_conditional(e, live && condition.bits);
    if (!take(e, ':'))
        complain(e);
    struct number no = evaluate_conditional(e, live && !condition.bits);
    e->nesting--;
    return (struct number){condition.bits ? yes.bits : no.bits, yes.is_unsigned || no.is_unsigned};
}

bool preprocess_condition(struct preprocessor *pp, struct token_list *line, struct token directive)
{
    if (!line->count) {
        preprocess_fail(pp, directive.range, "#%.*s needs a condition", (int)directive.length,
                        directive.text);
        return false;
    }
    pp->in_condition = true;
    struct token_list expanded = preprocess_expand(pp, line);
    pp->in_condition = false;
    struct evaluator e = {.pp = pp, .line = &expanded, .place = line->items[0].range};
    struct number value = pp->stopped ? truth(false) : evaluate_conditional(&e, true);
    if (!pp->stopped && e.at < expanded.count)
        complain(&e);
    return value.bits != 0;
}
