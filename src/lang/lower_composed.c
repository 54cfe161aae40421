/*
 * Built-ins that are written in the language (composed/composed.tile.c): a call becomes the ops of
 * a function there, as a call of a static helper does. They have the call's place in the file.
 */
#include "lang/lower.h"

#include <string.h>

/* The functions' text, made by cmake/embed.cmake. */
#include "lang/composed.inc"

static const struct lang_unit *functions_of(struct lower *l)
{
    if (!l->composed) {
        struct source_file *file = ARENA_NEW(l->arena, struct source_file);
        *file = (struct source_file){"composed.tile.c", (const char *)composed_tile_c,
                                     sizeof composed_tile_c};
        struct lang_includer none = {0};
        l->composed = lang_parse(l->arena, l->diagnostics, file, NULL, 0, none);
    }
    return l->composed;
}

static const struct ast_function *find(struct lower *l, const char *type, const char *name)
{
    const char *full = arena_format(l->arena, "%s_%s", type, name);
    return ast_find_function(functions_of(l)->ast, full);
}

/* The newest op at the builder's place; NULL: there is none. */
static struct ir_op *newest(const struct ir_builder *b)
{
    return b->before ? b->before->previous : b->region->last;
}

static struct value inline_function(struct lower *l, const struct call *call,
                                    const struct ast_function *function, struct value *operands,
                                    int count)
{
    const struct lang_unit *unit = l->unit;
    const struct ir_op *last = newest(&l->b);
    struct source_range ranges[BUILTIN_MAX_PARAMETERS];
    for (int i = 0; i < count; i++)
        ranges[i] = call->arguments[i].range;
    l->unit = functions_of(l);
    struct value result = lower_inline(l, call->range, function, operands, ranges, count);
    l->unit = unit;
    for (struct ir_op *op = newest(&l->b); op != last; op = op->previous)
        op->range = call->range;
    l->b.range = call->range;
    return result;
}

/* Calls the function for the first operand's type; `floats`: how many operands have that type. */
static struct value compose(struct lower *l, const struct call *call, struct value *operands,
                            int count, int floats)
{
    const char *name = call->builtin->name;
    enum ir_elem elem = value_elem(operands[0]);
    const struct ast_function *function = find(l, lower_elem_name(elem), name);
    if (!function)
        function = find(l, "any", name);
    if (function)
        return inline_function(l, call, function, operands, count);
    for (int i = 0; i < floats; i++)
        operands[i] = lower_convert(l, operands[i], IR_F32);
    struct value result = inline_function(l, call, find(l, "float", name), operands, count);
    return value_is_poison(result) ? result : lower_convert(l, result, elem);
}

BUILTIN_HANDLER(composed)
{
    struct value x = lower_settle(l, call->arguments[0].value);
    return compose(l, call, &x, 1, 1);
}

BUILTIN_HANDLER(composed_test)
{
    if (!lower_floating_argument(l, call))
        return value_poison;
    struct value x = lower_settle(l, call->arguments[0].value);
    return compose(l, call, &x, 1, 1);
}

BUILTIN_HANDLER(composed_pair)
{
    struct value operands[2];
    if (!lower_floating_pair(l, call, operands))
        return value_poison;
    operands[0] = lower_settle(l, operands[0]);
    operands[1] = lower_settle(l, operands[1]);
    return compose(l, call, operands, 2, 2);
}

/* An integer that int may not hold, as one of its type that int holds. */
static struct value limit(struct lower *l, const struct call *call, struct value n)
{
    enum { FAR = 1 << 16 };
    n = lower_narrow(l, lower_settle(l, n));
    enum ir_elem elem = value_elem(n);
    if (elem != IR_I64 && elem != IR_U32 && elem != IR_U64)
        return n;
    struct value most[] = {n, value_constant(elem, FAR)};
    n = lower_elementwise(l, call->range, IR_OP_MINIMUM, most, 2);
    if (elem != IR_I64)
        return n;
    struct value least[] = {n, value_constant(elem, (uint64_t)-FAR)};
    return lower_elementwise(l, call->range, IR_OP_MAXIMUM, least, 2);
}

BUILTIN_HANDLER(composed_scaling)
{
    struct value x = lower_settle(l, call->arguments[0].value);
    struct value n = limit(l, call, call->arguments[1].value);
    struct value operands[] = {x, n};
    return compose(l, call, operands, 2, 1);
}
