/* The size and the elements of a table: `[size] = {value, [place] = value, ...}`; see parser.h. */
#include "lang/parser_expression.h"

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
        parser_adopt(p, list, entry.place);
        if (parser_at(p, SIGN3('.', '.', '.')))
            parser_hint(p, parser_fail(p, parser_peek(p)->range, "a range of elements is GNU's"),
                        "each element has a value of its own: [0] = x, [1] = x");
        parser_expect(p, ']', "the element's place");
        parser_expect(p, '=', "the element's place");
    }
    if (parser_at(p, '{'))
        refuse_axis(p);
    entry.value = parser_expression(p);
    parser_adopt(p, list, entry.value);
    return entry;
}

struct ast_expression *parser_table(struct parser *p, const char *name)
{
    struct ast_expression *e = parser_new_expression(p, AST_LIST, parser_peek(p)->range);
    struct entry_list list = {0};
    parser_expect(p, '[', "the name of the table");
    if (!parser_at(p, ']')) {
        e->list.size = parser_expression(p);
        parser_adopt(p, e, e->list.size);
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
