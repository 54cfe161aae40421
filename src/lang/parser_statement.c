/* Statements; see parser.h. Every statement recovers from the errors in it, so that a block goes on
 * with the next one. */
#include "lang/foreign.h"
#include "lang/operators.h"
#include "lang/parser.h"

#include <string.h>

static struct ast_statement *new_statement(struct parser *p, enum ast_statement_kind kind)
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

static void adopt_expression(struct parser *p, struct ast_statement *s,
                             const struct ast_expression *e)
{
    if (e)
        adopt_depth(p, s, e->depth);
}

static void adopt_statement(struct parser *p, struct ast_statement *s,
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

static struct ast_variable parse_variable(struct parser *p, const struct specifiers *specifiers)
{
    struct ast_variable v = {.is_constexpr = specifiers->is_constexpr};
    v.type = parser_pointer(p, specifiers);
    if (parser_at(p, '('))
        parser_fail(p, parser_peek(p)->range, "function pointers are not supported in kernels");
    v.name = parser_declared_name(p, "the name of a variable", &v.range);
    if (parser_at(p, '[') && (v.is_constexpr || specifiers->type.is_const)) {
        parse_table(p, &v);
        return v;
    }
    if (parser_at(p, '['))
        parser_refuse_array(p, false);
    if (parser_at(p, '('))
        parser_fail(p, v.range, "functions cannot be declared within functions");
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

void parser_variables(struct parser *p, const struct specifiers *specifiers,
                      struct ast_variable **variables, int *count)
{
    struct variable_list list = {0};
    do {
        struct ast_variable v = parse_variable(p, specifiers);
        ARENA_PUSH(p->arena, &list, v);
    } while (parser_take(p, ','));
    parser_expect(p, ';', "the declaration");
    *variables = list.items;
    *count = (int)list.count;
}

static struct specifiers parse_local_specifiers(struct parser *p)
{
    struct specifiers specifiers = parser_specifiers(p);
    if (specifiers.is_static && specifiers.type.is_const) /* as at file scope */
        specifiers.is_constexpr = true;
    bool is_constant = specifiers.is_constexpr && !specifiers.is_kernel && !specifiers.is_inline;
    if ((specifiers.is_static && !is_constant) || specifiers.is_kernel || specifiers.is_inline)
        parser_fail(p, specifiers.range,
                    specifiers.is_static ? "static variables are not supported in kernels"
                                         : "functions cannot be declared within functions");
    return specifiers;
}

static struct ast_statement *parse_declaration(struct parser *p)
{
    struct ast_statement *s = new_statement(p, AST_DECLARE);
    struct specifiers specifiers = parse_local_specifiers(p);
    parser_variables(p, &specifiers, &s->declare.variables, &s->declare.count);
    for (int i = 0; i < s->declare.count; i++)
        adopt_expression(p, s, s->declare.variables[i].initial);
    return s;
}

/* ---- if, while, do --------------------------------------------------------------------------- */

/* `(condition)`. After an error in it, goes on behind it; *broken then. */
static struct ast_expression *parse_condition(struct parser *p, const char *behind,
                                              const char *form, bool *broken)
{
    struct parser_place place = parser_place(p);
    parser_refuse_colon(p, form);
    parser_expect(p, '(', behind);
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
static struct ast_statement *parse_body(struct parser *p, const char *word, const char *form)
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

static struct ast_statement *parse_if(struct parser *p, bool *broken)
{
    struct ast_statement *s = new_statement(p, AST_IF);
    parser_advance(p);
    s->branch.condition = parse_condition(p, "'if'", if_form, broken);
    s->branch.then = parse_body(p, "if", if_form);
    if (parser_at_word(p, "elif"))
        parser_refuse_python(p);
    if (parser_at_word(p, "else")) {
        parser_advance(p);
        s->branch.otherwise = parse_body(p, "else", if_form);
    }
    adopt_expression(p, s, s->branch.condition);
    adopt_statement(p, s, s->branch.then);
    adopt_statement(p, s, s->branch.otherwise);
    return s;
}

static struct ast_statement *parse_while(struct parser *p, bool *broken)
{
    struct ast_statement *s = new_statement(p, AST_WHILE);
    const char *form = "write 'while (condition) { ... }'";
    parser_advance(p);
    s->repeat.condition = parse_condition(p, "'while'", form, broken);
    s->repeat.body = parse_body(p, "while", form);
    adopt_expression(p, s, s->repeat.condition);
    adopt_statement(p, s, s->repeat.body);
    return s;
}

static struct ast_statement *parse_do(struct parser *p, bool *broken)
{
    struct ast_statement *s = new_statement(p, AST_DO);
    const char *form = "write 'do { ... } while (condition);'";
    parser_advance(p);
    s->repeat.body = parse_body(p, "do", form);
    if (!parser_at_word(p, "while")) {
        parser_hint(
            p,
            parser_fail(p, parser_peek(p)->range, "expected 'while' behind the body of a do loop"),
            form);
        return s;
    }
    parser_advance(p);
    s->repeat.condition = parse_condition(p, "'while'", form, broken);
    parser_expect(p, ';', "the condition");
    adopt_expression(p, s, s->repeat.condition);
    adopt_statement(p, s, s->repeat.body);
    return s;
}

/* ---- for ------------------------------------------------------------------------------------- */

static const char for_hint[] = "write 'for (int i = first; i < last; i += step)', or use while";

struct statement_list {
    struct ast_statement **items;
    size_t count, capacity;
};

static struct ast_statement *new_block(struct parser *p, const struct statement_list *list)
{
    struct ast_statement *s = new_statement(p, AST_BLOCK);
    s->range = source_join(list->items[0]->range, list->items[list->count - 1]->range);
    s->block.items = list->items;
    s->block.count = (int)list->count;
    for (size_t i = 0; i < list->count; i++)
        adopt_statement(p, s, list->items[i]);
    return s;
}

/* `i = 0, j = n`: what a for loop starts with or steps by. */
static struct ast_statement *parse_evaluations(struct parser *p)
{
    struct statement_list list = {0};
    do {
        struct ast_statement *s = new_statement(p, AST_EVALUATE);
        s->evaluate = parser_expression(p);
        s->range = s->evaluate->range;
        adopt_expression(p, s, s->evaluate);
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
    struct ast_statement *start = new_statement(p, AST_DECLARE);
    struct specifiers specifiers = parse_local_specifiers(p);
    parser_variables(p, &specifiers, &start->declare.variables, &start->declare.count);
    for (int i = 0; i < start->declare.count; i++)
        adopt_expression(p, start, start->declare.variables[i].initial);
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
    parser_expect(p, ';', "the condition");
}

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

/* ---- for loops that count -------------------------------------------------------------------- */

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

static struct ast_statement *parse_for(struct parser *p, bool *broken)
{
    struct ast_statement *s = new_statement(p, AST_FOR);
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
    s->loop.body = parse_body(p, "for", for_hint);
    adopt_statement(p, s, s->loop.start);
    adopt_expression(p, s, s->loop.condition);
    adopt_statement(p, s, s->loop.steps);
    adopt_statement(p, s, s->loop.body);
    return s;
}

/* ---- switch ---------------------------------------------------------------------------------- */

static void note_open(struct parser *p, struct source_range open);

struct arm_list {
    struct ast_arm *items;
    size_t count, capacity;
};

struct case_list {
    struct ast_expression **items;
    size_t count, capacity;
};

static bool at_label(const struct parser *p)
{
    return parser_at_word(p, "case") || parser_at_word(p, "default");
}

/* `case x:` and `default:`, as many as there are in a row. */
static void parse_labels(struct parser *p, struct ast_statement *s, struct ast_arm *arm)
{
    struct case_list list = {0};
    while (at_label(p)) {
        struct token word = parser_advance(p);
        if (token_is_name(&word, "case")) {
            struct ast_expression *e = parser_expression(p);
            adopt_expression(p, s, e);
            ARENA_PUSH(p->arena, &list, e);
            parser_expect(p, ':', "the value of the case");
            continue;
        }
        parser_expect(p, ':', "'default'");
        if (arm->is_default) {
            parser_report(p, word.range, "this 'switch' has two defaults");
            diagnostics_add(p->diagnostics, DIAGNOSTIC_NOTE, arm->default_range,
                            "the first one is here");
        }
        arm->is_default = true;
        arm->default_range = word.range;
    }
    arm->cases = list.items;
    arm->count = (int)list.count;
}

/* Whether nothing behind the statement is reached from it. */
static bool leaves(const struct ast_statement *s)
{
    switch ((int)s->kind) {
    case AST_RETURN:
    case AST_CONTINUE:
    case AST_BROKEN: /* who knows */
        return true;
    case AST_BLOCK:
        return s->block.count > 0 && leaves(s->block.items[s->block.count - 1]);
    case AST_IF:
        return s->branch.otherwise && leaves(s->branch.then) && leaves(s->branch.otherwise);
    default:
        return false;
    }
}

/* Takes the `break` off that ends the block, or a block that ends it; false: there is none. */
static bool take_break(struct ast_statement *block)
{
    struct ast_statement *last =
        block->block.count > 0 ? block->block.items[block->block.count - 1] : NULL;
    if (last && last->kind == AST_BLOCK)
        return take_break(last);
    if (!last || last->kind != AST_BREAK)
        return false;
    block->block.count--;
    return true;
}

/* A label may be what could not be read: then every `break` may end a case. */
static void forgive_breaks(struct statement_list *list)
{
    size_t kept = 0;
    bool broken = false;
    for (size_t i = 0; i < list->count; i++)
        broken = broken || list->items[i]->kind == AST_BROKEN;
    for (size_t i = 0; i < list->count; i++) {
        if (broken && list->items[i]->kind == AST_BLOCK)
            take_break(list->items[i]);
        if (!broken || list->items[i]->kind != AST_BREAK)
            list->items[kept++] = list->items[i];
    }
    list->count = kept;
}

/* The statements of an arm, up to the next label. */
static void parse_arm_body(struct parser *p, struct ast_arm *arm)
{
    struct statement_list list = {0};
    struct ast_statement *body = new_statement(p, AST_BLOCK);
    while (!parser_at_end(p) && !parser_at(p, '}') && !at_label(p) && !parser_at_item(p)) {
        struct ast_statement *item = parser_statement(p);
        adopt_statement(p, body, item);
        ARENA_PUSH(p->arena, &list, item);
    }
    forgive_breaks(&list);
    body->block.items = list.items;
    body->block.count = (int)list.count;
    body->range = parser_range(p, body->range);
    arm->body = body;
    if (take_break(body) || !at_label(p) || leaves(body))
        return;
    p->damaged = true;
    parser_hint(p,
                parser_report(p, parser_peek(p)->range,
                              "the case above goes on into this one, which is not supported in "
                              "kernels"),
                "end it with 'break;'");
}

static void check_defaults(struct parser *p, const struct arm_list *arms)
{
    const struct ast_arm *first = NULL;
    for (size_t i = 0; i < arms->count; i++) {
        struct ast_arm *arm = &arms->items[i];
        if (arm->is_default && first) {
            parser_report(p, arm->default_range, "this 'switch' has two defaults");
            diagnostics_add(p->diagnostics, DIAGNOSTIC_NOTE, first->default_range,
                            "the first one is here");
            arm->is_default = false;
        }
        first = arm->is_default ? arm : first;
    }
}

static const char switch_form[] = "write 'switch (x) { case 1: ... break; default: ... }'";

static struct ast_statement *parse_switch(struct parser *p, bool *broken)
{
    struct ast_statement *s = new_statement(p, AST_SWITCH);
    struct arm_list arms = {0};
    parser_advance(p);
    s->choice.value = parse_condition(p, "'switch'", switch_form, broken);
    adopt_expression(p, s, s->choice.value);
    struct source_range open = parser_peek(p)->range;
    parser_expect(p, '{', "the value of the switch");
    if (!at_label(p) && !parser_at(p, '}'))
        parser_hint(p,
                    parser_fail(p, parser_peek(p)->range,
                                "a statement in a 'switch' stands behind a 'case'"),
                    switch_form);
    p->switches++;
    while (at_label(p)) {
        struct ast_arm arm = {0};
        if (arms.count == AST_MAX_ARMS)
            parser_fail(p, parser_peek(p)->range, "a 'switch' does at most %d things",
                        AST_MAX_ARMS);
        parse_labels(p, s, &arm);
        parse_arm_body(p, &arm);
        adopt_statement(p, s, arm.body);
        ARENA_PUSH(p->arena, &arms, arm);
    }
    p->switches--;
    check_defaults(p, &arms);
    if (parser_at_end(p) && !p->failed) {
        parser_unexpected(p, "'}'");
        note_open(p, open);
    }
    parser_expect(p, '}', "the cases");
    s->choice.arms = arms.items;
    s->choice.count = (int)arms.count;
    return s;
}

/* ---- Blocks and the rest --------------------------------------------------------------------- */

/* Where the first word of this place's line stands, and how far in; a tab counts as one. */
static uint32_t first_word(struct source_range at, uint32_t *column)
{
    uint32_t line = at.begin;
    while (line > 0 && at.file->text[line - 1] != '\n')
        line--;
    *column = 0;
    while (at.file->text[line + *column] == ' ' || at.file->text[line + *column] == '\t')
        ++*column;
    return line + *column;
}

static uint32_t indentation(struct source_range at)
{
    uint32_t column;
    first_word(at, &column);
    return column;
}

static bool begins_with_if(struct source_range at)
{
    uint32_t column, word = first_word(at, &column);
    return at.begin - word > 2 && memcmp(at.file->text + word, "if", 2) == 0;
}

/* Keeps the first block that ends where the line of its '{' is not indented to: if a '}' is
 * missing, it is that one's. */
static void note_askew(struct parser *p, struct source_range open)
{
    const struct token *close = parser_peek(p);
    if (!p->askew.file && open.file && close->range.file == open.file && close->line_start &&
        indentation(close->range) != indentation(open))
        p->askew = open;
}

/* The '{' that has no '}', as it seems. */
static void note_open(struct parser *p, struct source_range open)
{
    diagnostics_add(p->diagnostics, DIAGNOSTIC_NOTE, p->askew.file ? p->askew : open,
                    "to match this '{'");
}

/* The next function begins within this one: its '}' is missing. Said once per function. */
static void report_cut(struct parser *p, struct source_range open)
{
    struct source_range range = p->previous;
    range.begin = range.end;
    if (!p->cut) {
        parser_report(p, range, "expected '}' before the next function");
        p->lost = true;
        note_open(p, open);
    }
    p->cut = true;
}

/* An 'else' under the 'if' whose block it stands in: the block's '}' is missing, and is taken as
 * read. */
static bool cut_by_else(struct parser *p, struct source_range open)
{
    struct source_range at = parser_peek(p)->range;
    if (!at.file || at.file != open.file || !parser_peek(p)->line_start ||
        indentation(at) != indentation(open) || !begins_with_if(open))
        return false;
    struct source_range range = p->previous;
    range.begin = range.end;
    parser_report(p, range, "expected '}' in front of 'else'");
    diagnostics_add(p->diagnostics, DIAGNOSTIC_NOTE, open, "to match this '{'");
    p->damaged = true;
    p->braces--;
    return true;
}

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
    struct ast_statement *s = new_statement(p, AST_BLOCK);
    struct source_range open = s->range;
    struct statement_list list = {0};
    parser_expect(p, '{', "the parameters");
    while (!parser_at_end(p) && !parser_at(p, '}')) {
        if (parser_at_item(p)) {
            report_cut(p, open);
            break;
        }
        if (parser_at_word(p, "else") && cut_by_else(p, open))
            return finish_block(p, s, &list, open);
        struct ast_statement *item = parser_statement(p);
        adopt_statement(p, s, item);
        ARENA_PUSH(p->arena, &list, item);
    }
    if (parser_at_end(p) && !p->failed) {
        parser_unexpected(p, "'}'");
        note_open(p, open);
    }
    if (parser_at(p, '}'))
        note_askew(p, open);
    parser_take(p, '}');
    return finish_block(p, s, &list, open);
}

static struct ast_statement *parse_return(struct parser *p)
{
    struct ast_statement *s = new_statement(p, AST_RETURN);
    parser_advance(p);
    if (!parser_at(p, ';') && !parser_at(p, '}'))
        s->result = parser_expression(p);
    adopt_expression(p, s, s->result);
    parser_expect(p, ';', "'return'");
    return s;
}

/* break; continue; and the empty statement. */
static struct ast_statement *parse_word(struct parser *p, enum ast_statement_kind kind,
                                        const char *what)
{
    struct ast_statement *s = new_statement(p, kind);
    if (kind != AST_EMPTY)
        parser_advance(p);
    parser_expect(p, ';', what);
    return s;
}

/* A name and ':'; what Python and Go declare so is no statement, nor is std::sort(x). */
static void refuse_label(struct parser *p)
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
    struct ast_statement *s = new_statement(p, AST_EVALUATE);
    const struct token *token = parser_peek(p);
    const struct token *second = parser_peek_second(p);
    if (token->kind == TOKEN_NAME && parser_word(token) == WORD_NONE &&
        second->kind == TOKEN_NAME && !second->line_start)
        parser_unknown_type(p);
    s->evaluate = parser_expression(p);
    adopt_expression(p, s, s->evaluate);
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
        refuse_label(p);
        *broken = p->failed;
        return p->failed || parser_at(p, '}') ? new_statement(p, AST_EMPTY) : parser_statement(p);
    }
    if (parser_at(p, '{'))
        return parser_block(p);
    if (parser_at(p, ';'))
        return parse_word(p, AST_EMPTY, "the statement");
    if (parser_at_type(p))
        return parse_declaration(p);
    if (parser_word(parser_peek(p)) != WORD_STATEMENT)
        return parse_evaluation(p);
    if (parser_at_word(p, "if"))
        return parse_if(p, broken);
    if (parser_at_word(p, "for"))
        return parse_for(p, broken);
    if (parser_at_word(p, "while"))
        return parse_while(p, broken);
    if (parser_at_word(p, "do"))
        return parse_do(p, broken);
    if (parser_at_word(p, "switch"))
        return parse_switch(p, broken);
    if (at_label(p)) {
        bool within = p->switches > 0;
        parser_hint(p,
                    parser_fail(p, parser_peek(p)->range,
                                within ? "a case stands in no braces but its switch's"
                                       : "a case stands outside of a 'switch'"),
                    switch_form);
        return new_statement(p, AST_EMPTY);
    }
    if (parser_at_word(p, "return"))
        return parse_return(p);
    if (parser_at_word(p, "break"))
        return parse_word(p, AST_BREAK, "'break'");
    if (parser_at_word(p, "continue"))
        return parse_word(p, AST_CONTINUE, "'continue'");
    parser_hint(p, parser_fail(p, parser_peek(p)->range, "'else' without 'if'"),
                "several statements under an 'if' stand in braces");
    return new_statement(p, AST_EMPTY);
}

struct ast_statement *parser_statement(struct parser *p)
{
    struct parser_place place = parser_place(p);
    struct source_range from = parser_peek(p)->range;
    if (!parser_enter(p)) {
        parser_leave(p);
        return new_statement(p, AST_EMPTY);
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
