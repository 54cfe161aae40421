/* Types, names and constants as text. */
#include "base/half.h"
#include "emit/internal.h"

#include <math.h>
#include <string.h>

const char *emit_type(struct emitter *e, struct ir_type type)
{
    const char *elem = e->dialect->elems[type.elem];
    const char *space = e->dialect->spaces[type.space];
    if (type.pointer)
        return arena_format(e->arena, "%s%s%s *", space, *space ? " " : "", elem);
    if (type.rank == 0)
        return elem;
    if (type.rank == 2) {
        const char *text = e->dialect->fragment_type(type, e->arena);
        if (*text != '@')
            return text;
        return arena_format(e->arena, "%s%s", emit_helper(e, "fragment"), text + strlen("@fragment"));
    }
    return arena_format(e->arena, e->dialect->vector, elem, (int)type.dims[0]);
}

/* The number behind it keeps a name apart from all others, words of the language among them. */
const char *emit_name(struct emitter *e, struct ir_value *value)
{
    char *name =
        arena_format(e->arena, "%s_%d", value->name && *value->name ? value->name : "v", value->id);
    for (char *c = name; *c; c++) {
        bool digit = *c >= '0' && *c <= '9';
        bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || *c == '_';
        if (!(letter || (digit && c != name)))
            *c = c == name ? 'v' : '_';
    }
    value->data = name;
    return name;
}

/* ---- constants ------------------------------------------------------------------------------- */

static const char *float_literal(struct emitter *e, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (!isfinite(value))
        return arena_format(e->arena, "as_type<float>(0x%08xu)", (unsigned)bits);
    const char *digits = arena_format(e->arena, "%.9g", (double)value);
    bool whole = !strpbrk(digits, ".e");
    return arena_format(e->arena, "%s%sf", digits, whole ? ".0" : "");
}

static const char *double_literal(struct emitter *e, uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    if (!isfinite(value))
        return arena_format(e->arena, "as_type<double>(0x%016llxul)", (unsigned long long)bits);
    const char *digits = arena_format(e->arena, "%.17g", value);
    return arena_format(e->arena, "%s%s", digits, strpbrk(digits, ".e") ? "" : ".0");
}

static const char *signed_literal(struct emitter *e, enum ir_elem elem, uint64_t bits)
{
    int unused = 64 - ir_elems[elem].bits;
    int64_t value = (int64_t)(bits << unused) >> unused;
    const char *type = e->dialect->elems[elem];
    if (value == INT64_MIN)
        return arena_format(e->arena, "%s(0x8000000000000000ul)", type);
    if (elem == IR_I64)
        return arena_format(e->arena, "%lldl", (long long)value);
    if (elem == IR_I32 && value != INT32_MIN)
        return arena_format(e->arena, "%lld", (long long)value);
    return arena_format(e->arena, "%s(%lldl)", type, (long long)value);
}

static const char *unsigned_literal(struct emitter *e, enum ir_elem elem, uint64_t bits)
{
    unsigned long long value = bits;
    if (elem == IR_U64)
        return arena_format(e->arena, "%lluul", value);
    if (elem == IR_U32)
        return arena_format(e->arena, "%lluu", value);
    return arena_format(e->arena, "%s(%lluu)", e->dialect->elems[elem], value);
}

const char *emit_literal(struct emitter *e, enum ir_elem elem, uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float value;
    switch (elem) {
    case IR_BOOL:
        return bits ? "true" : "false";
    case IR_F32:
        memcpy(&value, &low, sizeof value);
        return float_literal(e, value);
    case IR_F64:
        return double_literal(e, bits);
    case IR_F16:
    case IR_BF16:
        if (e->dialect->narrow[elem])
            return arena_format(e->arena, "ushort(0x%04xu)", (unsigned)low);
        value = half_to_float((uint16_t)bits);
        if (isfinite(value))
            return arena_format(e->arena, "half(%s)", float_literal(e, value));
        return arena_format(e->arena, "as_type<half>(ushort(0x%04xu))", (unsigned)low);
    default:
        return ir_is_signed(elem) ? signed_literal(e, elem, bits) : unsigned_literal(e, elem, bits);
    }
}

/* ---- operands -------------------------------------------------------------------------------- */

const char *emit_operand(struct emitter *e, const struct ir_value *value, int element)
{
    bool vector = value->type.rank > 0;
    if (value->op && value->op->code == IR_OP_CONSTANT) {
        const char *text =
            emit_literal(e, (enum ir_elem)value->type.elem, value->op->attributes.bits);
        return vector && element == EMIT_WHOLE
                   ? arena_format(e->arena, "%s(%s)", emit_type(e, value->type), text)
                   : text;
    }
    if (!vector || element == EMIT_WHOLE)
        return value->data;
    return arena_format(e->arena, "%s%s", (const char *)value->data,
                        e->dialect->components[element]);
}
