/* See host_text.h. */
#include "run/host_text.h"

enum { DEEPEST = 64, LONGEST = 4096 };

/* Casts are left out: all is computed in 64 bits. */
static const char *expression(struct arena *arena, const struct ir_func *func, const char *prefix,
                              const struct ir_value *value, int depth)
{
    struct text text;
    int64_t number;
    if (!value->op)
        return value->region == func->body ? func->parameters[value->index].name : NULL;
    if (ir_constant_int(value, &number))
        return arena_format(arena, "%lld", (long long)number);
    if (!ir_has(value->op, IR_PURE | IR_ELEMENTWISE) || depth > DEEPEST)
        return NULL;
    if (value->op->code == IR_OP_CAST)
        return expression(arena, func, prefix, value->op->operands[0], depth + 1);
    text_init(&text, arena);
    text_format(&text, "%s%s(", prefix, ir_ops[value->op->code].name);
    for (int i = 0; i < value->op->operand_count; i++) {
        const char *operand = expression(arena, func, prefix, value->op->operands[i], depth + 1);
        if (!operand || text.count > LONGEST)
            return NULL;
        text_format(&text, "%s%s", i ? ", " : "", operand);
    }
    text_char(&text, ')');
    return text.items;
}

const char **host_text_of(const struct ir_func *func, const char *prefix, struct arena *arena)
{
    const char **list = ARENA_ARRAY(arena, const char *, (size_t)func->result_count + 1);
    for (int i = 0; i < func->result_count; i++)
        list[i] = expression(arena, func, prefix, func->body->last->operands[i], 0);
    return list;
}
