/* File scope: functions, constants, and the lines about kernels; see parser.h. */
#include "lang/parser.h"

#include <string.h>

struct item_list {
    struct ast_item *items;
    size_t count, capacity;
};

/* ---- Functions ------------------------------------------------------------------------------- */

struct parameter_list {
    struct ast_parameter *items;
    size_t count, capacity;
};

static struct ast_parameter parse_parameter(struct parser *p)
{
    struct ast_parameter parameter = {0};
    if (parser_at(p, SIGN3('.', '.', '.')))
        parser_fail(p, parser_peek(p)->range, "'...' is not supported in kernels");
    struct specifiers specifiers = parser_specifiers(p);
    if (specifiers.is_static || specifiers.is_kernel || specifiers.is_inline)
        parser_fail(p, specifiers.range, "a parameter has a type only");
    parameter.type = parser_pointer(p, &specifiers);
    parameter.is_constexpr = specifiers.is_constexpr;
    if (parser_at(p, '('))
        parser_fail(p, parser_peek(p)->range, "function pointers are not supported in kernels");
    parameter.name = parser_declared_name(p, "the name of a parameter", &parameter.range);
    if (parser_at(p, '['))
        parser_refuse_array(p, true);
    if (parser_at(p, ':') && token_is_name(parser_peek_second(p), "constexpr"))
        parser_hint(p,
                    parser_fail(p, parser_peek(p)->range,
                                "'constexpr' stands in front of a parameter's type"),
                    arena_format(p->arena, "write 'constexpr int %s'", parameter.name));
    if (parser_at(p, '=')) {
        parser_hint(p, parser_report(p, parser_peek(p)->range, "a parameter cannot have a default"),
                    "tune(kernel, name, value) gives a constexpr parameter its candidates");
        parser_advance(p);
        parameter.refused = parser_expression(p);
    }
    if (parameter.type->kind == AST_TYPE_VOID)
        parser_fail(p, parameter.range, "a parameter cannot be void");
    return parameter;
}

static void parse_parameters(struct parser *p, struct ast_function *function)
{
    struct parameter_list list = {0};
    parser_expect(p, '(', "the name of the function");
    if (parser_at_word(p, "void") && token_is_sign(parser_peek_second(p), ')'))
        parser_advance(p);
    if (!parser_at(p, ')')) {
        do {
            struct ast_parameter parameter = parse_parameter(p);
            ARENA_PUSH(p->arena, &list, parameter);
        } while (parser_take(p, ','));
    }
    if (parser_at_type(p) || parser_at(p, ';'))
        parser_expect(p, ',', "the parameter");
    parser_expect(p, ')', "the parameters");
    function->parameters = list.items;
    function->parameter_count = (int)list.count;
}

static void check_function_kind(struct parser *p, const struct specifiers *specifiers,
                                const struct ast_function *function)
{
    struct diagnostic *d;
    if (parser_at(p, SIGN2('-', '>'))) { /* C++'s, whatever stands in front */
        d = parser_fail(p, parser_peek(p)->range, "a function's type stands in front of its name");
        parser_hint(p, d,
                    specifiers->is_kernel ? "write 'kernel void NAME(parameters)'"
                                          : "write 'static float NAME(parameters)'");
    } else if (specifiers->is_kernel) {
        if (function->result->kind != AST_TYPE_VOID)
            parser_hint(p, parser_report(p, function->result->range, "a kernel returns void"),
                        "results are stored through pointers");
    } else if (!specifiers->is_static) {
        d = parser_report(p, function->range, "function '%.100s' is neither 'kernel' nor 'static'",
                          function->name);
        parser_hint(p, d, "write 'kernel void' for what can be launched, 'static' for a helper");
    }
}

static void parse_function(struct parser *p, const struct specifiers *specifiers,
                           struct ast_function *function, struct item_list *items,
                           struct ast_item item)
{
    p->cut = p->damaged = p->lost = false;
    function->is_kernel = specifiers->is_kernel;
    parse_parameters(p, function);
    check_function_kind(p, specifiers, function);
    if (!function->is_kernel && parser_take(p, ';')) {
        const struct ast_function *ahead = function;
        ARENA_PUSH(p->arena, &p->declared, ahead);
        return; /* it is not needed */
    }
    if (!parser_at(p, '{'))
        parser_unexpected(p, "'{' and the body of the function");
    function->body = parser_block(p);
    function->damaged = p->damaged;
    function->lost = p->lost || p->failed;
    item.range = parser_range(p, item.range);
    item.function = function;
    ARENA_PUSH(p->arena, items, item);
}

/* ---- Constants ------------------------------------------------------------------------------- */

/* constexpr int N = 4, and C's older `static const int N = 4`, which is the same here. */
static void parse_constants(struct parser *p, struct specifiers *specifiers,
                            struct item_list *items, struct ast_item item)
{
    struct ast_variable *variables;
    int count;
    specifiers->is_constexpr = specifiers->is_constexpr || specifiers->type.is_const;
    if (parser_at_word(p, "kernel") && parser_peek_second(p)->kind == TOKEN_NAME)
        parser_hint(p,
                    parser_fail(p, parser_peek(p)->range, "'kernel' stands in front of the type"),
                    "write 'kernel void'");
    if (!specifiers->is_constexpr) {
        /* Looked at before the failure, after which nothing is left to look at. */
        const char *hint = token_is_sign(parser_peek_second(p), '[')
                               ? "a table of constants is 'static const float NAME[2] = {1, 2};'"
                               : "write 'constexpr int NAME = value;'";
        parser_hint(p,
                    parser_fail(p, specifiers->range,
                                "variables at file scope are not supported in kernels"),
                    hint);
    }
    parser_variables(p, specifiers, &variables, &count);
    item.kind = AST_CONSTANT;
    item.range = parser_range(p, item.range);
    for (int i = 0; i < count; i++) {
        item.constant = &variables[i];
        item.at = variables[i].range;
        ARENA_PUSH(p->arena, items, item);
    }
}

/* The number that an enumerator without a value has: one more than that of the one in front of it.
 */
static struct ast_expression *next_number(struct parser *p, const struct ast_variable *previous,
                                          struct source_range range)
{
    struct ast_expression *parts = ARENA_ARRAY(p->arena, struct ast_expression, 3);
    parts[0] =
        (struct ast_expression){.kind = AST_INTEGER, .depth = 1, .range = range, .at = range};
    parts[0].integer.elem = IR_I32;
    if (!previous)
        return &parts[0];
    parts[0].integer.value = 1;
    parts[1] = (struct ast_expression){.kind = AST_NAME, .depth = 1, .range = range, .at = range};
    parts[1].name = previous->name;
    parts[2] = (struct ast_expression){.kind = AST_BINARY, .depth = 2, .range = range, .at = range};
    parts[2].binary.code = AST_ADD;
    parts[2].binary.left = &parts[1];
    parts[2].binary.right = &parts[0];
    return &parts[2];
}

/* enum { A, B = 4, C }; is three constants. */
static void parse_enum(struct parser *p, struct item_list *items)
{
    struct ast_item item = {.kind = AST_CONSTANT, .range = parser_peek(p)->range};
    struct token word = *parser_peek(p);
    struct ast_type *type = ARENA_NEW(p->arena, struct ast_type);
    *type = (struct ast_type){.kind = AST_TYPE_ELEM, .elem = IR_I32, .range = word.range};
    parser_advance(p);
    if (parser_peek(p)->kind == TOKEN_NAME && parser_word(parser_peek(p)) == WORD_NONE)
        parser_advance(p);
    if (!parser_take(p, '{'))
        parser_refuse(p, &word);
    do {
        struct ast_variable *v = ARENA_NEW(p->arena, struct ast_variable);
        *v = (struct ast_variable){.type = type, .is_constexpr = true};
        if (parser_at(p, '}') && item.constant)
            break; /* behind a last comma */
        v->name = parser_declared_name(p, "the name of a constant", &v->range);
        v->initial =
            parser_take(p, '=') ? parser_expression(p) : next_number(p, item.constant, v->range);
        item.constant = v;
        item.at = v->range;
        ARENA_PUSH(p->arena, items, item);
    } while (parser_take(p, ','));
    parser_expect(p, '}', "the constants");
    parser_expect(p, ';', "the enumeration");
}

/* What starts with a type. The name is looked at to tell functions from constants. */
static void parse_declared(struct parser *p, struct item_list *items)
{
    struct ast_item item = {.kind = AST_FUNCTION, .range = parser_peek(p)->range};
    struct specifiers specifiers = parser_specifiers(p);
    if (parser_peek(p)->kind == TOKEN_NAME && !specifiers.is_kernel &&
        !token_is_sign(parser_peek_second(p), '(')) {
        parse_constants(p, &specifiers, items, item);
        return;
    }
    struct ast_function *function = ARENA_NEW(p->arena, struct ast_function);
    function->result = parser_pointer(p, &specifiers);
    if (parser_at(p, '('))
        parser_fail(p, parser_peek(p)->range, "function pointers are not supported in kernels");
    function->name = parser_declared_name(
        p, specifiers.is_constexpr ? "the name of a constant" : "the name of a function",
        &function->range);
    item.at = function->range;
    if (parser_at(p, '(') || specifiers.is_kernel) {
        parse_function(p, &specifiers, function, items, item);
        return;
    }
    parser_fail(p, specifiers.range, "variables at file scope are not supported in kernels");
}

/* ---- Lines about kernels --------------------------------------------------------------------- */

static const struct {
    const char *word;
    enum ast_item_kind kind;
} item_words[] = {
    {"launch_grid", AST_LAUNCH_GRID},
    {"tune", AST_TUNE},
    {"require", AST_REQUIRE},
    {"launch_require", AST_LAUNCH_REQUIRE},
    {"static_require", AST_STATIC_REQUIRE},
    {"static_assert", AST_STATIC_REQUIRE},
    {"_Static_assert", AST_STATIC_REQUIRE},
};

static enum ast_item_kind item_kind(const struct token *token)
{
    for (size_t i = 0; i < sizeof item_words / sizeof *item_words; i++)
        if (token_is_name(token, item_words[i].word))
            return item_words[i].kind;
    return AST_FUNCTION;
}

/* Splits the text off the end of the arguments. False after an error. */
static bool take_text(struct parser *p, struct ast_item *item)
{
    int last = item->argument_count - 1;
    const struct ast_expression *value = last >= 0 ? item->arguments[last].value : NULL;
    if (!value || value->kind != AST_TEXT) {
        parser_hint(p, parser_report(p, item->at, "a text must say what is required"),
                    "write '(condition, \"what is wrong when it does not hold\")'");
        return false;
    }
    item->text = value->text.bytes;
    item->argument_count = last;
    return true;
}

/* Arguments must be values, without names but for require, and as many as the kind takes. */
static void check_arguments(struct parser *p, const struct ast_item *item)
{
    static const struct {
        int least, most;
        const char *wanted;
    } counts[] = {
        [AST_LAUNCH_GRID] = {1, 3, "one to three numbers of programs"},
        [AST_TUNE] = {1, 1 << 20, "at least one candidate"},
        [AST_REQUIRE] = {1, 1 << 20, "at least one 'name = value'"},
        [AST_LAUNCH_REQUIRE] = {1, 1, "one condition"},
        [AST_STATIC_REQUIRE] = {1, 1, "one condition"},
    };
    if (item->argument_count < counts[item->kind].least ||
        item->argument_count > counts[item->kind].most) {
        bool surplus = item->argument_count > counts[item->kind].most;
        parser_report(p, surplus ? item->arguments[counts[item->kind].most].range : item->at,
                      "expected %s here", counts[item->kind].wanted);
        return;
    }
    for (int i = 0; i < item->argument_count; i++) {
        const struct ast_argument *argument = &item->arguments[i];
        bool named = argument->name != NULL;
        if (!argument->value || argument->value->kind == AST_TEXT)
            parser_report(p, argument->range, "expected an expression");
        else if (named != (item->kind == AST_REQUIRE))
            parser_report(p, argument->range,
                          named ? "an argument with a name cannot stand here"
                                : "expected 'name = value'");
    }
}

static void parse_line(struct parser *p, struct item_list *items)
{
    struct token word = parser_advance(p);
    struct ast_item item = {.kind = item_kind(&word), .range = word.range, .at = word.range};
    struct source_range range;
    parser_expect(p, '(', "this word");
    if (item.kind != AST_STATIC_REQUIRE) {
        struct ast_function *named = ARENA_NEW(p->arena, struct ast_function);
        named->name = parser_expect_name(p, "the name of a kernel", &named->range);
        if (parser_at(p, '('))
            parser_hint(
                p, parser_fail(p, named->range, "the name of the kernel comes first"),
                arena_format(p->arena, "write '%s(KERNEL, ...)'", token_copy(p->arena, &word)));
        item.function = named; /* unit.c puts the kernel in its place */
        if (!parser_at(p, ')') || item.kind == AST_TUNE)
            parser_expect(p, ',', "the name of the kernel");
    }
    if (item.kind == AST_TUNE) {
        item.name = parser_expect_name(p, "the name of a parameter", &range);
        item.at = range;
        static const char form[] = "write 'tune(KERNEL, NAME, value, value)'";
        if (parser_at(p, '='))
            parser_hint(
                p,
                parser_fail(p, parser_peek(p)->range, "candidates stand behind a ',', not a '='"),
                form);
        parser_expect(p, ',', "the name of the parameter");
        if (parser_at(p, '{') || parser_at(p, '['))
            parser_hint(p, parser_fail(p, parser_peek(p)->range, "candidates stand in no list"),
                        form);
    }
    parser_arguments(p, item.kind == AST_REQUIRE, &item.arguments, &item.argument_count);
    parser_expect(p, ';', "')'");
    if (item.kind == AST_STATIC_REQUIRE)
        parser_default_text(p, &item.arguments, &item.argument_count);
    bool has_text = item.kind == AST_LAUNCH_REQUIRE || item.kind == AST_STATIC_REQUIRE;
    if (!has_text || take_text(p, &item))
        check_arguments(p, &item);
    item.range = parser_range(p, item.range);
    if (!p->failed)
        ARENA_PUSH(p->arena, items, item);
}

/* ---- The file -------------------------------------------------------------------------------- */

static void parse_item(struct parser *p, struct item_list *items)
{
    const struct token *token = parser_peek(p);
    enum word_class class = parser_word(token);
    if (parser_take(p, ';'))
        return;
    if (class == WORD_ITEM || class == WORD_ASSERT) {
        parse_line(p, items);
    } else if (token_is_name(token, "enum")) {
        parse_enum(p, items);
    } else if (parser_at_type(p)) {
        parse_declared(p, items);
    } else if (parser_at(p, '}')) {
        parser_fail(p, token->range, "this '}' closes nothing");
    } else if (token_is_name(token, "template")) {
        parser_unknown_type(p);
        p->fatal = p->failed; /* of its types nothing is known */
    } else if (token->kind == TOKEN_NAME && class == WORD_NONE &&
               parser_peek_second(p)->kind == TOKEN_NAME) {
        parser_unknown_type(p);
    } else if (!parser_refuse_paste(p)) {
        parser_unexpected(p, "a kernel, a static function or a constant");
    }
}

/* Whether what comes is meant as an item, not the rest of a function that a '}' too many has ended. */
static bool begins_item(const struct parser *p)
{
    const struct token *token = parser_peek(p);
    return token_is_name(token, "kernel") || token_is_name(token, "static") ||
           parser_word(token) == WORD_ITEM;
}

/* Takes an item back that could not be read. */
static void lose_item(struct item_list *items, size_t first, bool begun)
{
    items->count = first;
    if (!begun && first > 0 && items->items[first - 1].kind == AST_FUNCTION)
        items->items[first - 1].function->lost = true;
}

struct ast_unit *parser_unit(struct parser *p)
{
    struct item_list items = {0};
    struct ast_unit *unit = ARENA_NEW(p->arena, struct ast_unit);
    while (!parser_at_end(p)) {
        size_t first = items.count;
        bool begun = begins_item(p);
        p->names.count = 0;
        p->askew = (struct source_range){0};
        parse_item(p, &items);
        unit->vague = unit->vague || p->cut; /* it may hold other items */
        if (p->failed) {
            parser_skip_item(p);
            lose_item(&items, first, begun);
            unit->vague = true;
        }
    }
    unit->items = items.items;
    unit->item_count = (int)items.count;
    unit->ahead = p->declared.items;
    unit->ahead_count = (int)p->declared.count;
    unit->expansions = (struct ast_expansion *)preprocess_expansions(p->pp, &unit->expansion_count);
    return unit;
}
