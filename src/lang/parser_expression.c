/*
 * Expressions, in C's grammar without the comma operator; see parser.h.
 *
 *   expression  = conditional [assignment-operator expression]
 *   conditional = binary ["?" expression ":" conditional]
 *   binary      = unary (operator unary)*            by precedence, operators.def
 *   unary       = operator unary | "(" type ")" unary | postfix
 *   postfix     = primary ("[" expression "]" | "++" | "--")*
 *   primary     in parser_primary.c
 */
#include "lang/parser_expression.h"

#include "lang/foreign.h"
#include "lang/operators.h"

#include <string.h>

struct ast_expression *parser_new_expression(struct parser *p, enum ast_expression_kind kind,
                                             struct source_range at)
{
    struct ast_expression *e = ARENA_NEW(p->arena, struct ast_expression);
    e->kind = kind;
    e->depth = 1;
    e->range = e->at = at;
    return e;
}

struct ast_expression *parser_nothing(struct parser *p, struct source_range at)
{
    struct ast_expression *e = parser_new_expression(p, AST_NAME, at);
    e->name = "";
    return e;
}

void parser_adopt(struct parser *p, struct ast_expression *e, const struct ast_expression *child)
{
    if (e->depth < child->depth + 1)
        e->depth = child->depth + 1;
    if (e->depth > AST_MAX_DEPTH) {
        struct diagnostic *d = parser_fail(p, e->at,
                                           "this expression is too long: more than %d "
                                           "operations depend on each other",
                                           AST_MAX_DEPTH);
        parser_hint(p, d, "split it into several statements");
    }
}

/* Words of Python that people from Triton write between operands. */
static void refuse_word(struct parser *p)
{
    const struct token *token = parser_peek(p);
    const char *hint = NULL;
    if (token->line_start || token->kind != TOKEN_NAME)
        return;
    if (token_is_name(token, "and"))
        hint = "'and' is written '&&'";
    else if (token_is_name(token, "or"))
        hint = "'or' is written '||'";
    else if (token_is_name(token, "is"))
        hint = "'is' is written '=='";
    else if (token_is_name(token, "in") || token_is_name(token, "not"))
        hint = "compare with each value: x == a || x == b";
    else if (token_is_name(token, "as"))
        hint = "a conversion is written '(float)x'";
    else if (token_is_name(token, "if") && !token_is_sign(parser_peek_second(p), '('))
        hint = "where(c, x, y) chooses for each element; scalars may take c ? x : y";
    if (hint)
        parser_hint(
            p,
            parser_fail(p, token->range, "'%.*s' is no operator", (int)token->length, token->text),
            hint);
}

/* ---- Postfix, unary -------------------------------------------------------------------------- */

/* The operand of ++ and --, and what stands left of =. */
static void check_target(struct parser *p, const struct ast_expression *target)
{
    bool is_memory =
        target->kind == AST_INDEX || (target->kind == AST_UNARY && target->unary.code == AST_DEREF);
    if (target->kind == AST_NAME || is_memory)
        return;
    struct diagnostic *d =
        parser_fail(p, target->range, "only a variable or memory can be assigned to");
    if (target->kind == AST_CALL)
        parser_hint(p, d, "X[i] = value stores one element, store(X + i, value, mask) a tile");
    if (target->kind == AST_BINARY && operator_precedence(target->binary.code) <= 7)
        parser_hint(p, d, "compare with '=='");
}

/* x[:, None], x[0:4] */
static void refuse_slice(struct parser *p)
{
    struct diagnostic *d;
    if (!parser_at(p, ':') && !parser_at(p, SIGN3('.', '.', '.')))
        return;
    d = parser_fail(p, parser_peek(p)->range, "slices are not supported in kernels");
    parser_hint(p, d,
                "expand_dims(x, axis) gives a tile a further axis of 1; load(X + arange(0, n)) "
                "reads neighbours");
}

static struct ast_expression *parse_index(struct parser *p, struct ast_expression *base)
{
    struct ast_expression *e = parser_new_expression(p, AST_INDEX, parser_advance(p).range);
    e->index.base = base;
    refuse_slice(p);
    e->index.index = parser_expression(p);
    if (parser_at(p, ',')) {
        struct diagnostic *d = parser_fail(p, parser_peek(p)->range,
                                           "one index only: a pointer "
                                           "has one axis");
        parser_hint(p, d,
                    "use view(pointer, rows, columns) and tile_load; expand_dims(x, axis) gives "
                    "a tile a further axis of 1");
    }
    refuse_slice(p);
    if (!parser_take(p, ']'))
        parser_unexpected(p, "']'");
    parser_adopt(p, e, base);
    parser_adopt(p, e, e->index.index);
    e->range = parser_range(p, base->range);
    return e;
}

static struct ast_expression *new_unary(struct parser *p, enum ast_unary_operator code,
                                        struct ast_expression *operand, struct source_range at)
{
    struct ast_expression *e = parser_new_expression(p, AST_UNARY, at);
    e->unary.code = code;
    e->unary.operand = operand;
    parser_adopt(p, e, operand);
    e->range = parser_range(p, source_join(at, operand->range));
    return e;
}

/* x.to(half), tl.load(p): at the dot. */
static void refuse_member(struct parser *p, const struct ast_expression *e)
{
    static const char *const members[][2] = {
        {"to", "a conversion is written '(half)x' or cast(half, x)"},
        {"T", "trans(x) exchanges the last two axes"},
        {"shape", "the sizes of a tile are constants: give them names with constexpr"},
        {"dtype", "a variable's element type is the declared one"},
    };
    const struct token *member = parser_peek_second(p);
    const char *hint = NULL;
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (token_is_name(member, members[i][0]))
            hint = members[i][1];
    const char *name = token_copy(p->arena, member);
    if (!hint && member->kind == TOKEN_NAME && ast_is_builtin(name)) /* x.sum() */
        hint = arena_format(p->arena, "built-ins take their operands as arguments: %s(...)", name);
    if (e->kind == AST_NAME && foreign_value_hint(e->name)) /* tl.load, blockIdx.x */
        hint = foreign_value_hint(e->name);
    parser_hint(p,
                parser_fail(p, parser_peek(p)->range,
                            "values have no members: structs are not supported in kernels"),
                hint);
}

static struct ast_expression *parse_postfix(struct parser *p)
{
    struct ast_expression *e = parser_primary(p);
    for (;;) {
        struct source_range at = parser_peek(p)->range;
        bool increment = parser_at(p, SIGN2('+', '+'));
        if (parser_at(p, '[')) {
            e = parse_index(p, e);
        } else if (increment || parser_at(p, SIGN2('-', '-'))) {
            check_target(p, e);
            parser_advance(p);
            e = new_unary(p, increment ? AST_POST_INC : AST_POST_DEC, e, at);
        } else if (parser_at(p, '.') || parser_at(p, SIGN2('-', '>'))) {
            refuse_member(p, e);
        } else if (parser_at(p, '(')) {
            parser_fail(p, at, "only a name can be called");
        } else {
            return e;
        }
    }
}

static const struct {
    uint32_t sign;
    enum ast_unary_operator code;
} prefixes[] = {
    {'+', AST_PLUS},
    {'-', AST_NEG},
    {'!', AST_NOT},
    {'~', AST_BIT_NOT},
    {'*', AST_DEREF},
    {SIGN2('+', '+'), AST_PRE_INC},
    {SIGN2('-', '-'), AST_PRE_DEC},
};

static struct ast_expression *parse_unary(struct parser *p);

/* Behind a parenthesis whose contents are a type. */
static struct ast_expression *parse_cast(struct parser *p)
{
    struct ast_expression *e = parser_new_expression(p, AST_CAST, parser_advance(p).range);
    struct ast_type *type = parser_type_name(p);
    struct diagnostic *d = NULL;
    bool array = parser_at(p, '[');
    if (!array)
        parser_expect(p, ')', "the type");
    e->at = parser_range(p, e->at);
    if (array || parser_at(p, '{')) {
        d = parser_fail(p, e->at, "compound literals are not supported in kernels");
        parser_hint(p, d,
                    "zeros, full and arange make a tile; constants make a table: 'static const "
                    "float x[2] = {1, 2};'");
    } else if (type->pointer) {
        d = parser_fail(p, e->at, "casts of pointers are not supported in kernels");
        parser_hint(p, d,
                    "declare the parameter with the type that it has in memory, and pass memory "
                    "of two types twice; bitcast(type, value) converts what was loaded");
    } else if (type->kind == AST_TYPE_VOID) {
        d = parser_fail(p, e->at, "a cast to void is not supported in kernels");
        parser_hint(p, d, "unused values and parameters need no mark");
    } else if (type->kind != AST_TYPE_ELEM) {
        parser_fail(p, e->at, "a cast needs an element type, such as 'float'");
    }
    e->cast.type = type;
    e->cast.operand = parse_unary(p);
    parser_adopt(p, e, e->cast.operand);
    e->range = parser_range(p, e->at);
    return e;
}

static struct ast_expression *parse_prefixed(struct parser *p)
{
    struct token token = *parser_peek(p);
    for (size_t i = 0; token.kind == TOKEN_SIGN && i < sizeof prefixes / sizeof *prefixes; i++) {
        if (token.code != prefixes[i].sign)
            continue;
        parser_advance(p);
        struct ast_expression *operand = parse_unary(p);
        if (prefixes[i].code == AST_PRE_INC || prefixes[i].code == AST_PRE_DEC)
            check_target(p, operand);
        return new_unary(p, prefixes[i].code, operand, token.range);
    }
    if (parser_at(p, '&') || parser_at(p, SIGN2('&', '&'))) {
        struct diagnostic *d =
            parser_fail(p, token.range, "addresses cannot be taken with '&' in kernels");
        parser_hint(p, d, "the address of X[i] is 'X + i'");
    }
    return parse_postfix(p);
}

/* Whether the tokens are `(` and the start of a type. */
static bool at_cast(struct parser *p)
{
    if (!parser_at(p, '('))
        return false;
    enum word_class class = parser_word(parser_peek_second(p));
    return class == WORD_TYPE || class == WORD_QUALIFIER;
}

static struct ast_expression *parse_unary(struct parser *p)
{
    if (!parser_enter(p)) {
        parser_leave(p);
        return parser_nothing(p, p->previous);
    }
    struct ast_expression *e = at_cast(p) ? parse_cast(p) : parse_prefixed(p);
    parser_leave(p);
    return e;
}

/* ---- Binary, conditional, assignment --------------------------------------------------------- */

/* Of comparisons, and of the operators of bits. */
static bool is_comparing(int precedence)
{
    return precedence == 6 || precedence == 7;
}

static bool is_bitwise(int precedence)
{
    return precedence >= 3 && precedence <= 5;
}

/* a < b < c, which C takes for (a < b) < c */
static void warn_of_chain(struct parser *p, const struct ast_expression *left,
                          struct source_range at)
{
    struct source_range range = source_join(left->range, at);
    parser_hint(p,
                diagnostics_add(p->diagnostics, DIAGNOSTIC_WARNING, range,
                                "the result of a comparison, 0 or 1, is compared"),
                "'a < b < c' is written 'a < b && b < c'; parentheses say that it is meant");
}

/* Behind a sign: <>, =<, =>, <=>, ===, !==. */
static void refuse_comparison(struct parser *p, struct source_range sign)
{
    static const struct {
        const char *first, *whole, *hint;
    } others[] = {
        {"<", "<>", "write '!='"},   {"=", "=<", "write '<='"},
        {"=", "=>", "write '>='"},   {"<=", "<=>", "write (a > b) - (a < b)"},
        {"==", "===", "write '=='"}, {"!=", "!==", "write '!='"},
    };
    const struct token *next = parser_peek(p);
    bool goes_on = parser_at(p, '<') || parser_at(p, '>') || parser_at(p, '=');
    if (!goes_on || !sign.file || next->range.file != sign.file || next->range.begin != sign.end)
        return;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        size_t length = strlen(others[i].first);
        const char *text = sign.file->text + sign.begin;
        if (sign.end - sign.begin == length &&
            strncmp(text, others[i].whole, strlen(others[i].whole)) == 0)
            parser_hint(p,
                        parser_fail(p, source_join(sign, next->range), "'%s' is no operator",
                                    others[i].whole),
                        others[i].hint);
    }
}

/* x =+ 1, which C takes for x = +1 */
static void warn_of_sign(struct parser *p, struct source_range at)
{
    const struct token *sign = parser_peek(p);
    if ((!parser_at(p, '+') && !parser_at(p, '-')) || sign->range.begin != at.end ||
        sign->expanded || !parser_peek_second(p)->space_before)
        return;
    char spelling = (char)sign->code;
    struct diagnostic *d =
        diagnostics_add(p->diagnostics, DIAGNOSTIC_WARNING, source_join(at, sign->range),
                        "'=%c' assigns a value with a sign", spelling);
    diagnostics_hint(p->diagnostics, d, "write '%c=', or a blank behind the '='", spelling);
}

/* !a == b, which C takes for (!a) == b */
static void warn_of_not(struct parser *p, const struct ast_expression *left,
                        const struct ast_expression *right)
{
    bool bare = left->kind == AST_UNARY && left->unary.code == AST_NOT &&
                left->range.begin == left->at.begin && left->at.end - left->at.begin == 1;
    bool truth = (right->kind == AST_UNARY && right->unary.code == AST_NOT) ||
                 right->kind == AST_CALL || right->kind == AST_NAME;
    if (bare && !truth)
        parser_hint(p,
                    diagnostics_add(p->diagnostics, DIAGNOSTIC_WARNING, left->range,
                                    "'!' is done in front of the comparison"),
                    "'!a == b' is written 'a != b'; parentheses say that it is meant");
}

/* a & b == c, which C takes for a & (b == c). left, right: of what is made without parentheses, its
 * precedence; two comparisons, and what goes on with bits, are meant as conditions. */
static void warn_of_bits(struct parser *p, const struct ast_expression *e, int left, int right)
{
    bool first = is_comparing(left);
    if (first == is_comparing(right) || is_bitwise(left) || is_bitwise(right) || p->failed)
        return;
    const struct ast_expression *compared = first ? e->binary.left : e->binary.right;
    const char *sign = operator_spelling(e->binary.code);
    const char *comparison = operator_spelling(compared->binary.code);
    struct diagnostic *d =
        diagnostics_add(p->diagnostics, DIAGNOSTIC_WARNING, compared->range,
                        "'%s' is done in front of '%s', which gets its result", comparison, sign);
    diagnostics_hint(p->diagnostics, d,
                     first ? "write 'a %s (b %s c)'; parentheses say that it is meant"
                           : "write '(a %s b) %s c'; parentheses say that it is meant",
                     first ? comparison : sign, first ? sign : comparison);
}

/* *made: the precedence of what was made without parentheses, or 0. */
static struct ast_expression *parse_binary(struct parser *p, int least, int *made)
{
    struct ast_expression *left = parse_unary(p);
    for (*made = 0;;) {
        enum ast_binary_operator code = operator_binary(parser_peek(p));
        int precedence = operator_precedence(code);
        if (code == AST_NO_OPERATOR || precedence < least)
            return left;
        struct ast_expression *e = parser_new_expression(p, AST_BINARY, parser_advance(p).range);
        refuse_comparison(p, e->at);
        e->binary.code = code;
        e->binary.left = left;
        int behind;
        e->binary.right = parse_binary(p, precedence + 1, &behind);
        if (*made == precedence && is_comparing(precedence) && !p->failed)
            warn_of_chain(p, left, parser_range(p, left->range));
        if (*made == 0 && is_comparing(precedence) && !p->failed)
            warn_of_not(p, left, e->binary.right);
        if (is_bitwise(precedence))
            warn_of_bits(p, e, *made, behind);
        *made = precedence;
        parser_adopt(p, e, left);
        parser_adopt(p, e, e->binary.right);
        e->range = parser_range(p, left->range);
        left = e;
    }
}

static struct ast_expression *parse_conditional(struct parser *p)
{
    int made;
    struct ast_expression *condition = parse_binary(p, 1, &made);
    if (!parser_at(p, '?') || !parser_enter(p))
        return condition;
    struct ast_expression *e = parser_new_expression(p, AST_CONDITIONAL, parser_advance(p).range);
    e->conditional.condition = condition;
    if (parser_at(p, ':'))
        parser_hint(p, parser_fail(p, parser_range(p, e->at), "'?:' without a value is GNU's"),
                    "write 'x ? x : y'");
    e->conditional.yes = parser_expression(p);
    parser_expect(p, ':', "the first choice of '?'");
    e->conditional.no = parse_conditional(p);
    parser_adopt(p, e, condition);
    parser_adopt(p, e, e->conditional.yes);
    parser_adopt(p, e, e->conditional.no);
    e->range = parser_range(p, condition->range);
    parser_leave(p);
    return e;
}

static struct ast_expression *parse_assignment(struct parser *p)
{
    struct ast_expression *left = parse_conditional(p);
    enum ast_binary_operator code = operator_compound(parser_peek(p));
    if (code == AST_NO_OPERATOR && !parser_at(p, '='))
        return left;
    struct ast_expression *e = parser_new_expression(p, AST_ASSIGN, parser_peek(p)->range);
    check_target(p, left);
    parser_advance(p);
    refuse_comparison(p, e->at);
    if (code == AST_NO_OPERATOR)
        warn_of_sign(p, e->at);
    e->assign.code = code;
    e->assign.target = left;
    e->assign.value = parser_initial(p);
    parser_adopt(p, e, e->assign.value);
    e->range = parser_range(p, left->range);
    return e;
}

struct ast_expression *parser_expression(struct parser *p)
{
    if (!parser_enter(p)) {
        parser_leave(p);
        return parser_nothing(p, p->previous);
    }
    struct ast_expression *e = parse_assignment(p);
    refuse_word(p);
    parser_leave(p);
    return e;
}

struct ast_expression *parser_initial(struct parser *p)
{
    if (parser_at(p, '{')) {
        struct diagnostic *d =
            parser_fail(p, parser_peek(p)->range, "lists of values are not supported in kernels");
        parser_hint(p, d, "make a tile with zeros, full or arange");
    }
    return parser_expression(p);
}
