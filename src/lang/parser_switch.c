/* switch and its labels; see parser.h. An arm ends with `break`, or where it leaves: none goes on
 * into the next. */
#include "lang/parser_statement.h"

struct arm_list {
    struct ast_arm *items;
    size_t count, capacity;
};

struct case_list {
    struct ast_expression **items;
    size_t count, capacity;
};

bool parser_at_label(const struct parser *p)
{
    return parser_at_word(p, "case") || parser_at_word(p, "default");
}

/* `case x:` and `default:`, as many as there are in a row. */
static void parse_labels(struct parser *p, struct ast_statement *s, struct ast_arm *arm)
{
    struct case_list list = {0};
    while (parser_at_label(p)) {
        struct token word = parser_advance(p);
        if (token_is_name(&word, "case")) {
            struct ast_expression *e = parser_expression(p);
            parser_adopt_expression(p, s, e);
            ARENA_PUSH(p->arena, &list, e);
            if (parser_at(p, SIGN3('.', '.', '.')))
                parser_hint(p, parser_fail(p, parser_peek(p)->range, "a range of cases is GNU's"),
                            "name each value: 'case 1: case 2:'");
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
    struct ast_statement *body = parser_new_statement(p, AST_BLOCK);
    while (!parser_at_end(p) && !parser_at(p, '}') && !parser_at_label(p) && !parser_at_item(p)) {
        struct ast_statement *item = parser_statement(p);
        parser_adopt_statement(p, body, item);
        ARENA_PUSH(p->arena, &list, item);
    }
    forgive_breaks(&list);
    body->block.items = list.items;
    body->block.count = (int)list.count;
    body->range = parser_range(p, body->range);
    arm->body = body;
    if (take_break(body) || !parser_at_label(p) || leaves(body))
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

struct ast_statement *parser_switch(struct parser *p, bool *broken)
{
    struct ast_statement *s = parser_new_statement(p, AST_SWITCH);
    struct arm_list arms = {0};
    parser_advance(p);
    s->choice.value = parser_condition(p, "'switch'", switch_form, broken);
    parser_adopt_expression(p, s, s->choice.value);
    struct source_range open = parser_peek(p)->range;
    parser_expect(p, '{', "the value of the switch");
    if (!parser_at_label(p) && !parser_at(p, '}'))
        parser_hint(p,
                    parser_fail(p, parser_peek(p)->range,
                                "a statement in a 'switch' stands behind a 'case'"),
                    switch_form);
    p->switches++;
    while (parser_at_label(p)) {
        struct ast_arm arm = {0};
        if (arms.count == AST_MAX_ARMS)
            parser_fail(p, parser_peek(p)->range, "a 'switch' does at most %d things",
                        AST_MAX_ARMS);
        parse_labels(p, s, &arm);
        parse_arm_body(p, &arm);
        parser_adopt_statement(p, s, arm.body);
        ARENA_PUSH(p->arena, &arms, arm);
    }
    p->switches--;
    check_defaults(p, &arms);
    if (parser_at_end(p) && !p->failed) {
        parser_unexpected(p, "'}'");
        parser_note_open(p, open);
    }
    parser_expect(p, '}', "the cases");
    s->choice.arms = arms.items;
    s->choice.count = (int)arms.count;
    return s;
}

/* A label that no switch reads. */
struct ast_statement *parser_refuse_label(struct parser *p)
{
    parser_hint(p,
                parser_fail(p, parser_peek(p)->range,
                            p->switches > 0 ? "a case stands in no braces but its switch's"
                                            : "a case stands outside of a 'switch'"),
                switch_form);
    return parser_new_statement(p, AST_EMPTY);
}
