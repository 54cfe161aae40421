/*
 * Ops as expressions, by the dialect's table; see emit.h for what may stand in its texts.
 */
#include "emit/internal.h"

#include <math.h>
#include <string.h>

/* ---- helpers --------------------------------------------------------------------------------- */

static size_t word_length(const char *text)
{
    size_t length = 0;
    while ((text[length] >= 'a' && text[length] <= 'z') || text[length] == '_' ||
           (length > 0 && text[length] >= '0' && text[length] <= '9'))
        length++;
    return length;
}

static const char *use_helper(struct emitter *e, const char *name, size_t length);

/* Those that a helper calls stand before it in the table, so this ends. */
static void use_callees(struct emitter *e, const char *text)
{
    for (const char *at = strchr(text, '@'); at; at = strchr(at + 1, '@')) {
        size_t length = word_length(at + 1);
        if (at[1] == '@')
            at++;
        else
            use_helper(e, at + 1, length);
    }
}

static const char *use_helper(struct emitter *e, const char *name, size_t length)
{
    for (size_t i = 0; i < e->dialect->helper_count; i++) {
        const struct emit_helper *helper = &e->dialect->helpers[i];
        if (strlen(helper->name) != length || memcmp(helper->name, name, length) != 0)
            continue;
        if (!e->used[i]) {
            e->used[i] = true;
            use_callees(e, helper->text);
        }
        return arena_format(e->arena, "tilec_%s", helper->name);
    }
    diagnostics_add(e->diagnostics, DIAGNOSTIC_ERROR, e->func->range,
                    "internal error: no helper '%.*s' for the target's text", (int)length, name);
    e->failed = true;
    return "";
}

const char *emit_helper(struct emitter *e, const char *name)
{
    return use_helper(e, name, strlen(name));
}

void emit_print_helpers(struct emitter *e, struct text *out)
{
    for (size_t i = 0; i < e->dialect->helper_count; i++) {
        if (!e->used[i])
            continue;
        text_char(out, '\n');
        for (const char *c = e->dialect->helpers[i].text; *c; c++) {
            if (*c == '@' && c[1] != '@')
                text_string(out, "tilec_");
            else
                text_char(out, *c);
            c += *c == '@' && c[1] == '@';
        }
    }
}

/* ---- conversions ----------------------------------------------------------------------------- */

static bool is_narrow(enum ir_elem elem)
{
    return elem == IR_F16 || elem == IR_BF16;
}

static const char *call(struct emitter *e, const char *function, const char *argument)
{
    return arena_format(e->arena, "%s(%s)", function, argument);
}

/* To float and back. */
static const char *widen(struct emitter *e, enum ir_elem elem, const char *text)
{
    const char *helper = e->dialect->widen[elem];
    return call(e, helper ? emit_helper(e, helper) : "float", text);
}

static const char *narrow(struct emitter *e, enum ir_elem elem, const char *text)
{
    const char *helper = e->dialect->narrow[elem];
    return call(e, helper ? emit_helper(e, helper) : e->dialect->elems[elem], text);
}

/* From float or double. Bounds are exact: from these on the result is the least or the greatest integer. */
static const char *saturate(struct emitter *e, enum ir_elem from, enum ir_elem to,
                            const char *text)
{
    int bits = ir_elems[to].bits;
    bool is_signed = ir_is_signed(to);
    uint64_t sign = UINT64_C(1) << (bits - 1);
    uint64_t most = is_signed ? sign - 1 : sign | (sign - 1);
    double high = ldexp(1.0, is_signed ? bits - 1 : bits);
    const char *suffix = from == IR_F64 ? "" : "f";
    return arena_format(e->arena, "%s(%s, %.1f%s, %.1f%s, %s, %s)", emit_helper(e, "saturate"),
                        text, is_signed ? -high : 0.0, suffix, high, suffix,
                        emit_literal(e, to, is_signed ? sign : 0), emit_literal(e, to, most));
}

/* An integer or bool of any size to bf16, rounded once. */
static const char *whole_to_bfloat(struct emitter *e, enum ir_elem from, const char *text)
{
    const char *helper = ir_is_signed(from) ? "sticky_signed" : "sticky_unsigned";
    return narrow(e, IR_BF16, call(e, emit_helper(e, helper), text));
}

/* Of a scalar. */
static const char *convert(struct emitter *e, enum ir_elem from, enum ir_elem to, const char *text)
{
    if (from == to)
        return text;
    if (is_narrow(from)) {
        text = widen(e, from, text);
        from = IR_F32;
    }
    if (to == IR_BOOL)
        return arena_format(e->arena, "%s != 0", text);
    if (is_narrow(to) && from == IR_F64) /* rounded to odd first, so that it rounds once */
        return narrow(e, to, call(e, emit_helper(e, "sticky_double"), text));
    if (to == IR_BF16)
        return from == IR_F32 ? narrow(e, to, text) : whole_to_bfloat(e, from, text);
    if (to == IR_F16) /* whole numbers that half can hold are exact in float */
        return narrow(e, to, call(e, "float", text));
    if (ir_is_float(from) && !ir_is_float(to))
        return saturate(e, from, to, text);
    return call(e, e->dialect->elems[to], text);
}

/* Vectors of these convert by the name of the type alone. */
static bool converts_whole(const struct emitter *e, enum ir_elem from, enum ir_elem to)
{
    if (from == IR_F32 && e->dialect->narrow_vector[to])
        return true;
    bool exact = to == IR_F32 ? from != IR_BF16 : ir_is_integer(to) && !ir_is_float(from);
    return e->dialect->converts_vectors && (exact || (from == IR_F32 && to == IR_F16));
}

static const char *cast(struct emitter *e, const struct ir_op *op, int element)
{
    struct ir_type to = op->results[0]->type;
    enum ir_elem from = (enum ir_elem)op->operands[0]->type.elem;
    const char *text = emit_operand(e, op->operands[0], element);
    const char *helper = from == IR_F32 ? e->dialect->narrow_vector[to.elem] : NULL;
    if (to.rank > 0 && element == EMIT_WHOLE)
        return call(e, helper ? emit_helper(e, helper) : emit_type(e, to), text);
    return convert(e, from, (enum ir_elem)to.elem, text);
}

static const char *bitcast(struct emitter *e, const struct ir_op *op, int element)
{
    enum ir_elem from = (enum ir_elem)op->operands[0]->type.elem;
    enum ir_elem to = (enum ir_elem)op->results[0]->type.elem;
    const char *type = e->dialect->elems[to];
    const char *text = emit_operand(e, op->operands[0], element);
    if (is_narrow(from) && e->dialect->half_bits)
        text = call(e, emit_helper(e, e->dialect->half_bits), text);
    if (strcmp(type, e->dialect->elems[from]) == 0)
        return text;
    return arena_format(e->arena, "as_type<%s>(%s)", type, text);
}

/* ---- the table ------------------------------------------------------------------------------- */

static unsigned kind_of(enum ir_elem elem)
{
    switch (elem) {
    case IR_BOOL:
        return EMIT_BOOL;
    case IR_F16:
        return EMIT_F16;
    case IR_BF16:
        return EMIT_BF16;
    case IR_F32:
        return EMIT_F32;
    case IR_F64:
        return EMIT_F64;
    default:
        return ir_is_signed(elem) ? EMIT_SIGNED : EMIT_UNSIGNED;
    }
}

/* The element that chooses the row: that of the values that the op is about. */
static enum ir_elem chosen_by(const struct ir_op *op)
{
    if (op->operand_count == 0 && op->result_count == 0)
        return IR_U64;
    const struct ir_value *value = op->operand_count == 0     ? op->results[0]
                                   : op->code == IR_OP_SELECT ? op->operands[1]
                                                              : op->operands[0];
    return (enum ir_elem)value->type.elem;
}

static const struct emit_spelling *find_row(const struct emitter *e, int code, unsigned kind)
{
    for (size_t i = 0; i < e->dialect->spelling_count; i++) {
        const struct emit_spelling *row = &e->dialect->spellings[i];
        if (row->code == code && (row->kinds & kind))
            return row;
    }
    return NULL;
}

/* *wide: the row is float's, for a narrower format. */
static const struct emit_spelling *find(const struct emitter *e, const struct ir_op *op, bool *wide)
{
    enum ir_elem elem = chosen_by(op);
    const struct emit_spelling *row = find_row(e, (int)op->code, kind_of(elem));
    *wide = !row && is_narrow(elem);
    return *wide ? find_row(e, (int)op->code, EMIT_F32) : row;
}

bool emit_is_whole(struct emitter *e, const struct ir_op *op)
{
    bool wide;
    if (op->code == IR_OP_CAST)
        return converts_whole(e, (enum ir_elem)op->operands[0]->type.elem,
                              (enum ir_elem)op->results[0]->type.elem);
    if (op->code == IR_OP_BITCAST || op->code == IR_OP_LOOKUP)
        return false;
    const struct emit_spelling *row = find(e, op, &wide);
    return row && row->vectors && !wide;
}

/* ---- texts with places ----------------------------------------------------------------------- */

struct spelling {
    struct emitter *e;
    const struct ir_op *op;
    int element;
    bool wide;
};

static const char *operand(const struct spelling *s, int index)
{
    const struct ir_value *value = s->op->operands[index];
    const char *text = emit_operand(s->e, value, s->element);
    enum ir_elem elem = (enum ir_elem)value->type.elem;
    return s->wide && is_narrow(elem) ? widen(s->e, elem, text) : text;
}

static struct ir_type part(const struct spelling *s, struct ir_type type)
{
    return s->element == EMIT_WHOLE || type.pointer ? type : ir_scalar((enum ir_elem)type.elem);
}

static const char *result_type(const struct spelling *s)
{
    return emit_type(s->e, part(s, s->op->results[0]->type));
}

static const char *computing_type(const struct spelling *s)
{
    struct ir_type type = part(s, s->op->operands[0]->type);
    bool wide = ir_elems[type.elem].bits > 32;
    return emit_type(s->e, ir_with_elem(type, wide ? IR_U64 : IR_U32));
}

static struct ir_type accessed(const struct spelling *s)
{
    return s->op->result_count > 0 ? s->op->results[0]->type : s->op->operands[1]->type;
}

/* A bool in memory is a byte. */
static const char *memory_type(const struct spelling *s)
{
    struct ir_type type = accessed(s);
    if (type.elem == IR_BOOL)
        type.elem = IR_U8;
    if (s->op->attributes.aligned || type.rank == 0)
        return emit_type(s->e, type);
    return arena_format(s->e->arena, s->e->dialect->packed_vector,
                        s->e->dialect->elems[type.elem], (int)type.dims[0]);
}

static const char *place(const struct spelling *s, char letter)
{
    struct arena *arena = s->e->arena;
    const struct ir_op *op = s->op;
    switch (letter) {
    case 't':
        return result_type(s);
    case 'w':
        return computing_type(s);
    case 'm':
        return arena_format(arena, "%du", ir_elems[op->operands[0]->type.elem].bits - 1);
    case 'n':
        return arena_format(arena, "%lld", (long long)op->attributes.number);
    case 'a':
        return arena_format(arena, "%c", "xyz"[op->attributes.axis]);
    case 'k':
        return arena_format(arena, "%d", (int)accessed(s).dims[0]);
    case 'r':
        return op->results[0]->data;
    case 'R':
        return op->results[1]->data;
    case 'e':
        return emit_type(s->e, ir_scalar((enum ir_elem)op->results[0]->type.elem));
    case 'c':
        return op->attributes.columns ? "true" : "false";
    case 'f':
        return op->operand_count == ir_ops[op->code].least
                   ? ""
                   : arena_format(arena, ", %s", operand(s, op->operand_count - 1));
    case 'q':
        return s->e->dialect->spaces[op->operands[0]->type.space];
    case 's':
        return s->e->dialect->space_names[op->operands[0]->type.space];
    case 'p':
        return memory_type(s);
    default:
        return operand(s, letter - '0');
    }
}

static const char *expand(const struct spelling *s, const char *pattern)
{
    struct text text;
    text_init(&text, s->e->arena);
    for (const char *c = pattern; *c; c++) {
        if (*c == '$') {
            text_string(&text, place(s, *++c));
        } else if (*c == '@') {
            size_t length = word_length(c + 1);
            text_string(&text, use_helper(s->e, c + 1, length));
            c += length;
        } else {
            text_char(&text, *c);
        }
    }
    return text.items;
}

const char *emit_spell(struct emitter *e, const struct ir_op *op, int element)
{
    struct spelling s = {.e = e, .op = op, .element = element};
    if (op->code == IR_OP_CAST)
        return cast(e, op, element);
    if (op->code == IR_OP_BITCAST)
        return bitcast(e, op, element);
    if (op->code == IR_OP_LOOKUP)
        return emit_lookup(e, op, element);
    const struct emit_spelling *row = find(e, op, &s.wide);
    if (!row) {
        emit_fail(e, op,
                  arena_format(e->arena, "the target '%s' has no '%s' on %s", e->dialect->name,
                               ir_ops[op->code].name, ir_elems[chosen_by(op)].c_name),
                  "convert to float or int first");
        return "";
    }
    const char *text = expand(&s, row->text);
    enum ir_elem elem = chosen_by(op);
    bool back = s.wide && op->result_count > 0 && op->results[0]->type.elem == elem;
    return back ? narrow(e, elem, text) : text;
}
