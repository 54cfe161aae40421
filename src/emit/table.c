/*
 * Tables of constants, and the look-ups in them.
 *
 *     constant float tilec_table0_nf4[16] = {-1.0f, -0.6961928f, ...};
 *     float v_7 = uint(i_5) < 16u ? tilec_table0_nf4[uint(i_5)] : 0.0f;
 *
 * Infinities and NaNs have no literals that an array may be made of. A table with one of them holds
 * its elements' bits.
 */
#include "emit/internal.h"

#include "ir/eval.h"

#include <math.h>
#include <string.h>

static bool is_finite(const struct ir_table *table)
{
    for (int i = 0; ir_is_float(table->elem) && i < table->count; i++) {
        if (!isfinite(ir_eval_to_double(table->bits[i], table->elem)))
            return false;
    }
    return true;
}

/* What the array holds. */
static enum ir_elem held(const struct ir_table *table)
{
    if (is_finite(table))
        return table->elem;
    return ir_elems[table->elem].bits == 64   ? IR_U64
           : ir_elems[table->elem].bits == 32 ? IR_U32
                                              : IR_U16;
}

static const char *table_name(struct emitter *e, size_t place)
{
    const char *name = e->tables.items[place]->name;
    char *text = arena_format(e->arena, "tilec_table%zu_%s", place, name ? name : "");
    for (char *c = text; *c; c++) {
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9')))
            *c = '_';
    }
    return text;
}

void emit_print_tables(struct emitter *e, struct text *out)
{
    enum { IN_A_ROW = 8 };
    for (size_t k = 0; k < e->tables.count; k++) {
        const struct ir_table *table = e->tables.items[k];
        enum ir_elem elem = held(table);
        text_format(out, "\n%s %s %s[%d] = {", e->dialect->table, e->dialect->elems[elem],
                    table_name(e, k), table->count);
        for (int i = 0; i < table->count; i++)
            text_format(out, "%s%s%s", i ? "," : "", i % IN_A_ROW == 0 ? "\n    " : " ",
                        emit_literal(e, elem, table->bits[i]));
        text_string(out, "\n};\n");
    }
}

const char *emit_lookup(struct emitter *e, const struct ir_op *op, int element)
{
    const struct ir_table *table = op->attributes.table;
    enum ir_elem index = (enum ir_elem)op->operands[0]->type.elem;
    const char *wide = e->dialect->elems[ir_elems[index].bits > 32 ? IR_U64 : IR_U32];
    const char *place =
        arena_format(e->arena, "%s(%s)", wide, emit_operand(e, op->operands[0], element));
    const char *found =
        arena_format(e->arena, "%s[%s]", table_name(e, ir_table_place(&e->tables, table)), place);
    const char *type = e->dialect->elems[table->elem];
    if (strcmp(e->dialect->elems[held(table)], type) != 0)
        found = arena_format(e->arena, "as_type<%s>(%s)", type, found);
    return arena_format(e->arena, "%s < %du ? %s : %s", place, table->count, found,
                        emit_literal(e, table->elem, 0));
}
