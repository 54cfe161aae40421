/*
 * Fragments of matrices and products of teams; see emit.c.
 */
#include "emit/internal.h"

static const char *lane_element(struct emitter *e, const struct ir_value *fragment, int k)
{
    struct text text;
    text_init(&text, e->arena);
    for (const char *c = e->dialect->fragment_element; *c; c++) {
        if (*c == '%' && c[1] == 's')
            text_string(&text, fragment->data);
        else if (*c == '%')
            text_format(&text, "%d", k);
        else
            text_char(&text, *c);
        c += *c == '%';
    }
    return text.items;
}

static const char *own_element(struct emitter *e, const struct ir_op *op, int k)
{
    return lane_element(e, op->operands[0], k);
}

static void emit_fragment_pack(struct emitter *e, const struct ir_op *op)
{
    const struct ir_value *vector = op->operands[0], *result = op->results[0];
    int count = vector->type.rank ? (int)vector->type.dims[0] : 1;
    for (int k = 0; k < count; k++)
        emit_line(e, "%s = %s;", lane_element(e, result, k), emit_operand(e, vector, k));
}

void emit_fragment(struct emitter *e, const struct ir_op *op)
{
    int code = (int)op->code;
    if (code == GPU_OP_FRAGMENT_ELEMENTS) {
        bool vector = op->results[0]->type.rank > 0;
        emit_define(e, op->results[0],
                    vector ? emit_vector(e, op, own_element) : own_element(e, op, 0));
        return;
    }
    for (int i = 0; i < op->result_count; i++) {
        emit_name(e, op->results[i]);
        emit_line(e, "%s;", emit_declaration(e, op->results[i]));
    }
    if (code == GPU_OP_FRAGMENT_PACK)
        emit_fragment_pack(e, op);
    else
        emit_line(e, "%s;", emit_spell(e, op, EMIT_WHOLE));
}

/* Products that are started, or waited for: the sums' variables are theirs from then on. */
void emit_team(struct emitter *e, const struct ir_op *op)
{
    bool starts = (int)op->code == GPU_OP_WARPGROUP_MMA;
    if (!e->dialect->start_product) {
        emit_fail(e, op,
                  arena_format(e->arena, "the target '%s' has no warpgroups", e->dialect->name),
                  "this is a bug in tilec");
        return;
    }
    if (!starts)
        emit_line(e, "%s;", emit_spell(e, op, EMIT_WHOLE));
    for (int i = 0; i < op->result_count; i++)
        emit_define(
            e, op->results[i],
            emit_operand(e, op->operands[op->operand_count - op->result_count + i], EMIT_WHOLE));
    if (starts)
        emit_line(e, "%s;", e->dialect->start_product(e, op));
    for (int i = 0; !starts && i < op->result_count; i++)
        emit_line(e, "%s(%s);", emit_helper(e, e->dialect->settle),
                  (const char *)op->results[i]->data);
}
