/*
 * Expressions, in C's grammar without the comma operator; see parser.h.
 *
 *   expression  = conditional [assignment-operator expression]
 *   conditional = binary ["?" expression ":" conditional]
 *   binary      = unary (operator unary)*            by precedence, operators.def
 *   unary       = operator unary | "(" type ")" unary | postfix
 *   postfix     = primary ("[" expression "]" | "++" | "--")*
 *   primary     = number | name | name "(" arguments ")" | "(" expression ")"
 */
#include "lang/foreign.h"
#include "lang/literal.h"
#include "lang/operators.h"
#include "lang/parser.h"

#include <math.h>
#include <string.h>

static struct ast_expression *new_expression(struct parser *p, enum ast_expression_kind kind,
                                             struct source_range at)
{
    struct ast_expression *e = ARENA_NEW(p->arena, struct ast_expression);
    e->kind = kind;
    e->depth = 1;
    e->range = e->at = at;
    return e;
}

/* Stands where an error has been reported. */
static struct ast_expression *new_nothing(struct parser *p, struct source_range at)
{
    struct ast_expression *e = new_expression(p, AST_NAME, at);
    e->name = "";
    return e;
}

/* Counts a child in the depth, which bounds every later recursion over the tree. */
static void adopt(struct parser *p, struct ast_expression *e, const struct ast_expression *child)
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
    else if (token_is_name(token, "if") && !token_is_sign(parser_peek_second(p), '('))
        hint = "where(c, x, y) chooses for each element; scalars may take c ? x : y";
    if (hint)
        parser_hint(p,
                    parser_fail(p, token->range, "'%.*s' is no operator", (int)token->length,
                                token->text),
                    hint);
}

/* ---- Arguments ------------------------------------------------------------------------------- */

static bool parse_literal(struct parser *p, const struct token *token, struct ast_expression *out)
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
    struct ast_expression *e = new_expression(p, AST_TEXT, token.range);
    parse_literal(p, &token, e);
    while (parser_peek(p)->kind == TOKEN_TEXT) {
        struct ast_expression more = {0};
        token = parser_advance(p);
        if (!parse_literal(p, &token, &more))
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

/* load(p, mask=m) */
static void refuse_name(struct parser *p)
{
    const struct token *token = parser_peek(p);
    if (is_in_foreach(p)) {
        parser_hint(p, parser_fail(p, token->range, "'foreach' is no statement of C"),
                    foreign_hint("foreach"));
        return;
    }
    struct diagnostic *d =
        parser_fail(p, token->range, "arguments of functions have no names in C, only their order");
    if (token_is_name(token, "keep_dims"))
        parser_hint(p, d, "write keep");
    else if (token_is_name(token, "axis"))
        parser_hint(p, d, "leave 'axis =' out; an axis of a reduction or scan is written axis(k)");
    else
        parser_hint(p, d, arena_format(p->arena, "leave '%.*s =' out",
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

static struct ast_expression *parse_call(struct parser *p, const char *name, struct source_range at)
{
    struct ast_expression *e = new_expression(p, AST_CALL, at);
    e->call.name = name;
    parser_expect(p, '(', "the name of the function");
    parser_arguments(p, false, &e->call.arguments, &e->call.argument_count);
    e->range = parser_range(p, at);
    for (int i = 0; i < e->call.argument_count; i++)
        if (e->call.arguments[i].value)
            adopt(p, e, e->call.arguments[i].value);
    return e;
}

/* ---- Primary --------------------------------------------------------------------------------- */

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
    if (at_sign_twice(p, ':', ':'))
        parser_hint(p, parser_fail(p, sign->range, "'::' is C++'s"), parser_prefix_hint);
    if (at_sign_twice(p, SIGN2('<', '<'), '<'))
        parser_hint(p, parser_fail(p, sign->range, "kernels are not launched from a kernel file"),
                    "launch_grid(KERNEL, x, y, z) says how many programs run; 'tilec run' or a C "
                    "program launches them");
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
        struct ast_expression *e = new_expression(p, AST_INTEGER, token->range);
        e->integer.value = is_true;
        e->integer.elem = IR_BOOL;
        return e;
    }
    bool infinity = token_is_name(token, "INFINITY");
    if (infinity || token_is_name(token, "NAN")) {
        struct ast_expression *e = new_expression(p, AST_FLOATING, token->range);
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
    struct ast_expression *e = new_expression(p, AST_INTEGER, parser_advance(p).range);
    parser_expect(p, '(', "'sizeof'");
    if (!parser_at_type(p)) {
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
        return parse_call(p, "static_require", token.range);
    }
    if (parser_word(&token) == WORD_TYPE && token_is_sign(parser_peek_second(p), '(')) {
        int length = (int)token.length;
        parser_hint(p, parser_fail(p, token.range, "a type cannot be called"),
                    arena_format(p->arena, "a conversion is written '(%.*s)x'", length, token.text));
        return new_nothing(p, token.range);
    }
    if (parser_word(&token) != WORD_NONE) {
        parser_unexpected(p, "an expression");
        return new_nothing(p, token.range);
    }
    parser_advance(p);
    refuse_prefix(p, &token);
    refuse_behind_name(p, &token);
    const char *name = token_copy(p->arena, &token);
    if (parser_at(p, '('))
        return parse_call(p, name, token.range);
    struct ast_expression *e = new_expression(p, AST_NAME, token.range);
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
    e->range = parser_range(p, from);
    return e;
}

static struct ast_expression *parse_primary(struct parser *p)
{
    const struct token *token = parser_peek(p);
    if (token->kind == TOKEN_NAME)
        return parse_name(p);
    if (parser_at(p, '('))
        return parse_parenthesis(p);
    if (token->kind == TOKEN_NUMBER || token->kind == TOKEN_CHARACTER) {
        struct token literal = parser_advance(p);
        struct ast_expression *e = new_expression(p, AST_INTEGER, literal.range);
        parse_literal(p, &literal, e);
        return e;
    }
    struct ast_expression *nothing = new_nothing(p, token->range);
    if (parser_at(p, '['))
        parser_hint(p,
                    parser_fail(p, token->range, "lists and lambdas are not supported in kernels"),
                    "zeros, full and arange make a tile; a function is a static helper");
    else if (token->kind == TOKEN_TEXT)
        parser_fail(p, token->range, "a text can only be an argument of a function");
    else
        parser_unexpected(p, "an expression");
    return nothing;
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
    struct ast_expression *e = new_expression(p, AST_INDEX, parser_advance(p).range);
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
    adopt(p, e, base);
    adopt(p, e, e->index.index);
    e->range = parser_range(p, base->range);
    return e;
}

static struct ast_expression *new_unary(struct parser *p, enum ast_unary_operator code,
                                        struct ast_expression *operand, struct source_range at)
{
    struct ast_expression *e = new_expression(p, AST_UNARY, at);
    e->unary.code = code;
    e->unary.operand = operand;
    adopt(p, e, operand);
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
    if (e->kind == AST_NAME && foreign_value_hint(e->name)) /* tl.load, blockIdx.x */
        hint = foreign_value_hint(e->name);
    parser_hint(p,
                parser_fail(p, parser_peek(p)->range,
                            "values have no members: structs are not supported in kernels"),
                hint);
}

static struct ast_expression *parse_postfix(struct parser *p)
{
    struct ast_expression *e = parse_primary(p);
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
    struct ast_expression *e = new_expression(p, AST_CAST, parser_advance(p).range);
    struct ast_type *type = parser_type_name(p);
    struct diagnostic *d = NULL;
    parser_expect(p, ')', "the type");
    e->at = parser_range(p, e->at);
    if (parser_at(p, '{'))
        parser_fail(p, e->at, "compound literals are not supported in kernels");
    else if (type->pointer) {
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
    adopt(p, e, e->cast.operand);
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
        return new_nothing(p, p->previous);
    }
    struct ast_expression *e = at_cast(p) ? parse_cast(p) : parse_prefixed(p);
    parser_leave(p);
    return e;
}

/* ---- Binary, conditional, assignment --------------------------------------------------------- */

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

static bool compares(enum ast_binary_operator code)
{
    return operator_precedence(code) == 6 || operator_precedence(code) == 7;
}

static struct ast_expression *parse_binary(struct parser *p, int least)
{
    struct ast_expression *left = parse_unary(p);
    int made = 0; /* precedence of what was made here */
    for (;;) {
        enum ast_binary_operator code = operator_binary(parser_peek(p));
        int precedence = operator_precedence(code);
        if (code == AST_NO_OPERATOR || precedence < least)
            return left;
        struct ast_expression *e = new_expression(p, AST_BINARY, parser_advance(p).range);
        e->binary.code = code;
        e->binary.left = left;
        e->binary.right = parse_binary(p, precedence + 1);
        if (made == precedence && compares(code) && !p->failed)
            warn_of_chain(p, left, parser_range(p, left->range));
        made = precedence;
        adopt(p, e, left);
        adopt(p, e, e->binary.right);
        e->range = parser_range(p, left->range);
        left = e;
    }
}

static struct ast_expression *parse_conditional(struct parser *p)
{
    struct ast_expression *condition = parse_binary(p, 1);
    if (!parser_at(p, '?') || !parser_enter(p))
        return condition;
    struct ast_expression *e = new_expression(p, AST_CONDITIONAL, parser_advance(p).range);
    e->conditional.condition = condition;
    e->conditional.yes = parser_expression(p);
    parser_expect(p, ':', "the first choice of '?'");
    e->conditional.no = parse_conditional(p);
    adopt(p, e, condition);
    adopt(p, e, e->conditional.yes);
    adopt(p, e, e->conditional.no);
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
    struct ast_expression *e = new_expression(p, AST_ASSIGN, parser_peek(p)->range);
    check_target(p, left);
    parser_advance(p);
    e->assign.code = code;
    e->assign.target = left;
    e->assign.value = parser_initial(p);
    adopt(p, e, e->assign.value);
    e->range = parser_range(p, left->range);
    return e;
}

struct ast_expression *parser_expression(struct parser *p)
{
    if (!parser_enter(p)) {
        parser_leave(p);
        return new_nothing(p, p->previous);
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

/* ---- Tables ---------------------------------------------------------------------------------- */

struct entry_list {
    struct ast_entry *items;
    size_t count, capacity;
};

static void refuse_axis(struct parser *p)
{
    parser_hint(p, parser_fail(p, parser_peek(p)->range, "a table has one axis"),
                "rows stand behind each other: t[i * columns + j]");
}

/* value, [place] = value */
static struct ast_entry parse_entry(struct parser *p, struct ast_expression *list)
{
    struct ast_entry entry = {0};
    if (parser_at(p, '.'))
        parser_fail(p, parser_peek(p)->range, "the elements of a table have no names");
    if (parser_take(p, '[')) {
        entry.place = parser_expression(p);
        adopt(p, list, entry.place);
        parser_expect(p, ']', "the element's place");
        parser_expect(p, '=', "the element's place");
    }
    if (parser_at(p, '{'))
        refuse_axis(p);
    entry.value = parser_expression(p);
    adopt(p, list, entry.value);
    return entry;
}

struct ast_expression *parser_table(struct parser *p, const char *name)
{
    struct ast_expression *e = new_expression(p, AST_LIST, parser_peek(p)->range);
    struct entry_list list = {0};
    parser_expect(p, '[', "the name of the table");
    if (!parser_at(p, ']')) {
        e->list.size = parser_expression(p);
        adopt(p, e, e->list.size);
    }
    parser_expect(p, ']', "the size of the table");
    if (parser_at(p, '['))
        refuse_axis(p);
    if (parser_at(p, ';') || parser_at(p, ','))
        parser_hint(p,
                    parser_fail(p, parser_peek(p)->range,
                                "'%.100s' needs its elements where it is declared", name),
                    "write 'static const float t[2] = {1, 2};'");
    parser_expect(p, '=', "the size of the table");
    struct source_range open = parser_peek(p)->range;
    if (!parser_at(p, '{'))
        parser_fail(p, open, "the elements of a table stand in braces");
    parser_take(p, '{');
    while (!parser_at(p, '}') && !parser_at_end(p)) {
        struct ast_entry entry = parse_entry(p, e);
        ARENA_PUSH(p->arena, &list, entry);
        if (!parser_take(p, ','))
            break;
    }
    if (!parser_at(p, '}'))
        parser_fail(p, parser_peek(p)->range, "expected ',' or '}' behind an element of the table");
    parser_take(p, '}');
    e->list.entries = list.items;
    e->list.count = (int)list.count;
    e->range = parser_range(p, open);
    return e;
}
