/* Built-ins that work element by element, and those about the program. */
#include "lang/lower.h"

static struct value elementwise(struct lower *l, const struct call *call, struct value *operands,
                                int count)
{
    return lower_elementwise(l, call->range, (enum ir_opcode)call->builtin->code, operands, count);
}

/* ---- The program ------------------------------------------------------------------------- */

BUILTIN_HANDLER(program)
{
    int64_t axis = call->arguments[0].number;
    if (axis < 0 || axis > 2) {
        lower_error(l, call->arguments[0].range, "a grid has the axes 0, 1 and 2, not %lld",
                    (long long)axis);
        return value_poison;
    }
    if (!l->in_kernel) {
        lower_error(l, call->range, "'%s' has no value outside of a kernel", call->builtin->name);
        return value_poison;
    }
    struct ir_attributes attributes = {.axis = (int)axis};
    struct ir_type type = ir_scalar(IR_I64);
    struct ir_op *op =
        ir_build(&l->b, (enum ir_opcode)call->builtin->code, 0, NULL, 1, &type, 0, &attributes);
    return value_index(op->results[0], IR_I32);
}

static const char *text_of(struct lower *l, const struct argument *argument)
{
    const struct ast_expression *e = argument->ast->value;
    return arena_copy_text(l->arena, e->text.bytes, e->text.length);
}

BUILTIN_HANDLER(tile_assert)
{
    struct ir_value *condition = lower_ir(l, call->arguments[0].value);
    struct ir_attributes attributes = {.text = text_of(l, &call->arguments[1])};
    ir_build(&l->b, IR_OP_ASSERT, 1, &condition, 0, NULL, 0, &attributes);
    return value_void;
}

BUILTIN_HANDLER(tile_print)
{
    struct ir_value *value = lower_ir(l, lower_settle(l, call->arguments[1].value));
    struct ir_attributes attributes = {.text = text_of(l, &call->arguments[0])};
    ir_build(&l->b, IR_OP_PRINT, 1, &value, 0, NULL, 0, &attributes);
    return value_void;
}

BUILTIN_HANDLER(static_require)
{
    if (call->arguments[0].number == 0)
        lower_error(l, call->range, "requirement not met: %s", text_of(l, &call->arguments[1]));
    return value_void;
}

/* ---- Conversions ------------------------------------------------------------------------- */

BUILTIN_HANDLER(cast)
{
    struct value x = call->arguments[1].value;
    x.vanished = NULL; /* it is said that it is meant */
    return lower_convert(l, x, call->arguments[0].elem);
}

BUILTIN_HANDLER(bitcast)
{
    enum ir_elem elem = call->arguments[0].elem;
    struct value x = lower_narrow(l, lower_settle(l, call->arguments[1].value));
    if (ir_elems[value_elem(x)].bits != ir_elems[elem].bits ||
        (elem == IR_BOOL) != value_is_bool(x)) {
        lower_error(l, call->range, "bitcast keeps the size, and '%s' has %d bits, '%s' has %d",
                    lower_elem_name(value_elem(x)), ir_elems[value_elem(x)].bits,
                    lower_elem_name(elem), ir_elems[elem].bits);
        lower_hint(l, "cast(type, x) converts the value");
        return value_poison;
    }
    if (value_elem(x) == elem)
        return x;
    if (x.constant)
        return value_constant(elem, x.bits);
    struct ir_value *operand = lower_ir(l, x);
    struct ir_type type = ir_with_elem(x.type, elem);
    struct ir_op *op = ir_build(&l->b, IR_OP_BITCAST, 1, &operand, 1, &type, 0, NULL);
    return value_from_ir(op->results[0], elem);
}

/* ---- Functions --------------------------------------------------------------------------- */

BUILTIN_HANDLER(math)
{
    return elementwise(l, call, &call->arguments[0].value, 1);
}

BUILTIN_HANDLER(abs)
{
    struct value x = lower_promote(l, call->arguments[0].value);
    return elementwise(l, call, &x, 1);
}

/* Of the bits that the type has, so that an index is cut to its C type, and 8 bits stay 8. */
BUILTIN_HANDLER(bits)
{
    struct value x = lower_narrow(l, lower_settle(l, call->arguments[0].value));
    if (value_is_bool(x))
        x = lower_promote(l, x);
    return elementwise(l, call, &x, 1);
}

/* Of the bits that the types have, too. */
BUILTIN_HANDLER(high_product)
{
    struct value v[2];
    for (int i = 0; i < 2; i++) {
        v[i] = lower_narrow(l, lower_settle(l, call->arguments[i].value));
        if (value_is_bool(v[i]))
            v[i] = lower_promote(l, v[i]);
    }
    if (!lower_usual(l, call->range, &v[0], &v[1], false))
        return value_poison;
    return elementwise(l, call, v, 2);
}

bool lower_floating_argument(struct lower *l, const struct call *call)
{
    struct value x = call->arguments[0].value;
    if (value_is_float(x))
        return true;
    lower_error(l, call->arguments[0].range, "'%s' takes a floating value, not '%s'",
                call->builtin->name, lower_type_name(l, x));
    return false;
}

BUILTIN_HANDLER(test)
{
    if (!lower_floating_argument(l, call))
        return value_poison;
    return elementwise(l, call, &call->arguments[0].value, 1);
}

/* Two operands of their common type. */
static struct value pair_of(struct lower *l, const struct call *call, enum ir_opcode code,
                            struct value x, struct value y)
{
    struct value operands[] = {x, y};
    if (!lower_usual(l, call->range, &operands[0], &operands[1], false))
        return value_poison;
    if (value_is_bool(operands[0])) {
        operands[0] = lower_promote(l, operands[0]);
        operands[1] = lower_promote(l, operands[1]);
    }
    return lower_elementwise(l, call->range, code, operands, 2);
}

BUILTIN_HANDLER(pair)
{
    return pair_of(l, call, (enum ir_opcode)call->builtin->code, call->arguments[0].value,
                   call->arguments[1].value);
}

BUILTIN_HANDLER(clamp)
{
    struct value x =
        pair_of(l, call, IR_OP_MAXIMUM, call->arguments[0].value, call->arguments[1].value);
    return value_is_poison(x) ? x : pair_of(l, call, IR_OP_MINIMUM, x, call->arguments[2].value);
}

bool lower_floating_pair(struct lower *l, const struct call *call, struct value operands[2])
{
    for (int i = 0; i < 2; i++)
        operands[i] = call->arguments[i].value;
    if (!lower_usual(l, call->range, &operands[0], &operands[1], false))
        return false;
    for (int i = 0; i < 2 && !value_is_float(operands[i]); i++)
        operands[i] = lower_convert(l, operands[i], IR_F32);
    return true;
}

BUILTIN_HANDLER(float_pair)
{
    struct value operands[2];
    return lower_floating_pair(l, call, operands) ? elementwise(l, call, operands, 2)
                                                  : value_poison;
}

BUILTIN_HANDLER(integer_pair)
{
    struct value operands[] = {call->arguments[0].value, call->arguments[1].value};
    if (!lower_usual(l, call->range, &operands[0], &operands[1], true))
        return value_poison;
    return elementwise(l, call, operands, 2);
}

BUILTIN_HANDLER(fma)
{
    struct value v[] = {call->arguments[0].value, call->arguments[1].value,
                        call->arguments[2].value};
    bool fine = lower_usual(l, call->range, &v[0], &v[1], false) &&
                lower_usual(l, call->range, &v[1], &v[2], false) &&
                lower_usual(l, call->range, &v[0], &v[1], false);
    if (!fine)
        return value_poison;
    for (int i = 0; i < 3; i++)
        v[i] = value_is_float(v[i]) ? lower_settle(l, v[i]) : lower_convert(l, v[i], IR_F32);
    if (value_elem(v[0]) != IR_F32 && value_elem(v[0]) != IR_F64) {
        lower_error(l, call->range, "'fma' takes float or double, not '%s'",
                    lower_elem_name(value_elem(v[0])));
        lower_hint(l, "cast an operand to float: fma(cast(float, x), y, z)");
        return value_poison;
    }
    return elementwise(l, call, v, 3);
}

BUILTIN_HANDLER(where)
{
    struct value v[] = {call->arguments[0].value, call->arguments[1].value,
                        call->arguments[2].value};
    if (!lower_usual(l, call->range, &v[1], &v[2], false))
        return value_poison;
    return elementwise(l, call, v, 3);
}

/* Sets all bits below the highest of n - 1, and adds one. */
BUILTIN_HANDLER(next_pow2)
{
    struct value one = value_index_constant(1);
    struct value n[] = {lower_to_index(l, call->arguments[0].value), one};
    n[0] = lower_elementwise(l, call->range, IR_OP_MAXIMUM, n, 2);
    n[1] = one;
    struct value x = lower_elementwise(l, call->range, IR_OP_SUB, n, 2);
    for (int shift = 1; shift < 64; shift *= 2) {
        struct value shifted[] = {x, value_index_constant(shift)};
        struct value both[] = {x, lower_elementwise(l, call->range, IR_OP_SHR, shifted, 2)};
        x = lower_elementwise(l, call->range, IR_OP_OR, both, 2);
    }
    struct value sum[] = {x, one};
    return lower_elementwise(l, call->range, IR_OP_ADD, sum, 2);
}
