/*
 * C's types as the kernel language has them: which type an operation has, and how values get there.
 *
 * The integer rules are C's with one addition, the index class (value.h): where C would compute in
 * int, an index computes in 64 bits, and what meets one becomes one. The floating rules differ from
 * C's in one point: arithmetic of half stays half. docs/language.md states all of them.
 */
#include "lang/lower.h"

#include "ir/eval.h"

#include <math.h>
#include <string.h>

/* ---- Making values ----------------------------------------------------------------------- */

struct value value_from_ir(struct ir_value *ir, enum ir_elem nominal)
{
    return (struct value){.kind = VALUE_DATA, .type = ir->type, .nominal = nominal, .ir = ir};
}

struct value value_index(struct ir_value *ir, enum ir_elem nominal)
{
    struct value v = value_from_ir(ir, nominal);
    v.index = true;
    return v;
}

struct value value_constant(enum ir_elem elem, uint64_t bits)
{
    return (struct value){.kind = VALUE_DATA,
                          .type = ir_scalar(elem),
                          .nominal = elem,
                          .constant = true,
                          .bits = bits};
}

struct value value_index_constant(int64_t number)
{
    struct value v = value_constant(IR_I64, (uint64_t)number);
    v.nominal = IR_I32;
    v.index = true;
    return v;
}

struct value value_weak(double real, float single)
{
    struct value v = value_constant(IR_F32, 0);
    v.weak = true;
    v.real = real;
    v.single = single;
    return v;
}

bool value_number(struct value v, int64_t *number)
{
    if (!v.constant || v.weak || !value_is_integral(v))
        return false;
    *number = ir_eval_to_int(v.bits, value_elem(v));
    return true;
}

struct value value_like(struct value v, struct ir_value *ir)
{
    struct value result = value_from_ir(ir, v.nominal);
    result.index = v.index && ir->type.elem == IR_I64;
    result.is_const = v.is_const;
    return result;
}

/* ---- Names of types ---------------------------------------------------------------------- */

const char *lower_elem_name(enum ir_elem elem)
{
    switch (elem) {
    case IR_I32:
        return "int";
    case IR_I64:
        return "long";
    case IR_U32:
        return "unsigned int";
    default:
        return ir_elems[elem].c_name;
    }
}

const char *lower_shape_name(struct lower *l, struct ir_type type)
{
    if (type.rank == 0)
        return "a scalar";
    struct text text;
    text_init(&text, l->arena);
    for (int i = 0; i < type.rank; i++)
        text_format(&text, "%s%d", i ? ", " : "[", type.dims[i]);
    text_char(&text, ']');
    return text.items;
}

const char *lower_type_name(struct lower *l, struct value v)
{
    switch (v.kind) {
    case VALUE_POISON:
    case VALUE_NONE:
        break;
    case VALUE_VOID:
        return "void";
    case VALUE_VIEW:
        return "a view";
    case VALUE_LAYOUT:
        return "layout_t";
    case VALUE_TABLE:
        return "a table";
    case VALUE_DATA: {
        const char *elem = lower_elem_name(v.type.pointer ? value_elem(v) : v.nominal);
        if (v.type.pointer)
            elem = arena_format(l->arena, "%s%s *", v.is_const ? "const " : "", elem);
        if (v.type.rank == 0)
            return elem;
        return arena_format(l->arena, "%s %s", elem, lower_shape_name(l, v.type));
    }
    }
    return "nothing";
}

/* ---- From values to IR ------------------------------------------------------------------------
 */

struct ir_value *lower_ir(struct lower *l, struct value v)
{
    if (v.ir)
        return v.ir;
    v = lower_settle(l, v);
    if (v.constant)
        return ir_constant(&l->b, v.type, v.bits);
    return v.ir;
}

struct value lower_settle(struct lower *l, struct value v)
{
    if (v.kind != VALUE_DATA)
        return v;
    if (v.weak)
        return lower_convert(l, v, IR_F32);
    if (!v.product)
        return v;
    struct product *product = v.product;
    v.product = NULL;
    if (v.constant)
        return v;
    struct value operands[] = {product->left, product->right};
    return lower_elementwise(l, product->range, IR_OP_MUL, operands, 2);
}

/* ---- Conversions ------------------------------------------------------------------------------
 */

/* A weak constant, rounded once; to integers C converts the double that it is there. */
static uint64_t weak_bits(struct value v, enum ir_elem elem)
{
    uint32_t bits;
    memcpy(&bits, &v.single, sizeof bits);
    if (elem == IR_F32)
        return bits;
    if (ir_is_float(elem))
        return ir_eval_from_double(v.real, elem);
    uint64_t real;
    memcpy(&real, &v.real, sizeof real);
    return ir_eval_cast(real, IR_F64, elem);
}

void lower_warn_of_vanished(struct lower *l, struct value v)
{
    if (!v.vanished)
        return;
    lower_warning(l, *v.vanished, "the quotient of these integers is 0, and becomes a float");
    lower_hint(l, "'.0' behind one of them makes it one of floats: 1.0 / 3");
}

struct value lower_convert(struct lower *l, struct value v, enum ir_elem elem)
{
    if (!value_is_number(v))
        return v;
    if (v.weak)
        return value_constant(elem, weak_bits(v, elem));
    if (v.constant) {
        if (ir_is_float(elem))
            lower_warn_of_vanished(l, v);
        uint64_t bits = ir_eval_cast(v.bits, value_elem(v), elem);
        struct value result = value_constant(elem, value_elem(v) == elem ? v.bits : bits);
        return result;
    }
    if (value_elem(v) == elem) {
        v.index = false;
        v.nominal = elem;
        return v; /* a pending product of this type stays one */
    }
    return value_from_ir(ir_cast(&l->b, lower_ir(l, v), elem), elem);
}

struct value lower_to_index(struct lower *l, struct value v)
{
    if (!value_is_integral(v) || v.index)
        return v;
    enum ir_elem nominal = ir_elems[value_elem(v)].bits == 64 ? IR_I64 : IR_I32;
    v = lower_convert(l, v, IR_I64);
    v.index = true;
    v.nominal = nominal;
    return v;
}

struct value lower_narrow(struct lower *l, struct value v)
{
    return v.index ? lower_convert(l, v, v.nominal) : v;
}

struct value lower_promote(struct lower *l, struct value v)
{
    if (!value_is_integral(v) || v.index || ir_elems[value_elem(v)].bits >= 32)
        return v;
    return lower_convert(l, v, IR_I32);
}

/* The floating type of an operation of which one side at least is floating; x and y are not both
 * weak. False: half with bfloat. */
static bool usual_float(struct value x, struct value y, enum ir_elem *elem)
{
    enum ir_elem a = value_elem(x), b = value_elem(y);
    bool x_floats = ir_is_float(a), y_floats = ir_is_float(b);
    if ((x.weak && y_floats) || !x_floats)
        *elem = b;
    else if ((y.weak && x_floats) || !y_floats)
        *elem = a;
    else if ((a == IR_F16 && b == IR_BF16) || (a == IR_BF16 && b == IR_F16))
        return false;
    else
        *elem = ir_elems[a].bits >= ir_elems[b].bits ? a : b;
    return true;
}

/* The type of an operation of two promoted integers, neither of them an index. */
static enum ir_elem usual_integer(enum ir_elem a, enum ir_elem b)
{
    bool unsigned_a = !ir_is_signed(a), unsigned_b = !ir_is_signed(b);
    if (unsigned_a == unsigned_b)
        return ir_elems[a].bits >= ir_elems[b].bits ? a : b;
    enum ir_elem of_unsigned = unsigned_a ? a : b, of_signed = unsigned_a ? b : a;
    return ir_elems[of_unsigned].bits >= ir_elems[of_signed].bits ? of_unsigned : of_signed;
}

static void usual_index(struct lower *l, struct value *x, struct value *y)
{
    *x = lower_promote(l, *x);
    *y = lower_promote(l, *y);
    enum ir_elem nominal = usual_integer(x->nominal, y->nominal);
    if (ir_is_signed(nominal)) {
        *x = lower_to_index(l, *x);
        *y = lower_to_index(l, *y);
        x->nominal = y->nominal = nominal;
    } else {
        *x = lower_convert(l, *x, nominal);
        *y = lower_convert(l, *y, nominal);
    }
}

bool lower_usual(struct lower *l, struct source_range range, struct value *x, struct value *y,
                 bool promote)
{
    if (x->weak && y->weak)
        return true;
    if (value_is_float(*x) || value_is_float(*y)) {
        enum ir_elem elem;
        if (!usual_float(*x, *y, &elem)) {
            lower_error(l, range, "half and bfloat do not mix ('%s' and '%s')",
                        lower_type_name(l, *x), lower_type_name(l, *y));
            lower_hint(l, "cast one of them, or both to float");
            return false;
        }
        *x = lower_convert(l, *x, elem);
        *y = lower_convert(l, *y, elem);
        return true;
    }
    if (x->index || y->index) {
        usual_index(l, x, y);
        return true;
    }
    if (!promote && value_elem(*x) == value_elem(*y))
        return true;
    *x = lower_promote(l, *x);
    *y = lower_promote(l, *y);
    enum ir_elem elem = usual_integer(value_elem(*x), value_elem(*y));
    *x = lower_convert(l, *x, elem);
    *y = lower_convert(l, *y, elem);
    return true;
}

struct value lower_truth(struct lower *l, struct source_range range, struct value v)
{
    if (v.kind == VALUE_POISON || value_is_bool(v))
        return v;
    if (!value_is_number(v)) {
        lower_error(l, range, "a condition cannot be %s",
                    v.kind == VALUE_DATA   ? arena_format(l->arena, "'%s'", lower_type_name(l, v))
                    : v.kind == VALUE_VOID ? "a call that returns nothing"
                                           : lower_type_name(l, v));
        if (value_is_pointer(v))
            lower_hint(l, "a pointer parameter is never null");
        return value_poison;
    }
    return lower_convert(l, lower_settle(l, v), IR_BOOL);
}

/* Whether a declaration of this type keeps an index what it is. */
static bool keeps_index(enum ir_elem elem)
{
    return ir_is_signed(elem) && ir_elems[elem].bits >= 32;
}

static struct value assign_pointer(struct lower *l, struct source_range range, struct value v,
                                   struct ir_type type, bool to_const, const char *what)
{
    if (!value_is_pointer(v) || v.type.elem != type.elem) {
        struct value wanted = {.kind = VALUE_DATA, .type = type, .is_const = to_const};
        lower_error(l, range, "%s takes '%s', not '%s'", what, lower_type_name(l, wanted),
                    lower_type_name(l, v));
        if (value_is_number(v))
            lower_hint(l, "the address of X[i] is 'X + i', and 'X[i] = value' stores there");
        return value_poison;
    }
    if (v.is_const && !to_const) {
        lower_error(l, range, "%s would drop the const of '%s'", what, lower_type_name(l, v));
        lower_hint(l, "declare it 'const %s *'", lower_elem_name(value_elem(v)));
        return value_poison;
    }
    v.is_const = to_const;
    return v;
}

/* ---- Constants that change ---------------------------------------------------------------- */

static bool integer_fits(struct value v, enum ir_elem elem, int64_t *number)
{
    int bits = ir_elems[elem].bits;
    *number = ir_eval_to_int(v.bits, value_elem(v));
    if (bits == 64)
        return true; /* the same bits; of another sign they are often meant */
    bool is_signed = ir_is_signed(elem) && ir_is_signed(value_elem(v));
    int64_t least = -(INT64_C(1) << (bits - 1));
    int64_t most = (INT64_C(1) << (is_signed ? bits - 1 : bits)) - 1;
    bool huge = value_elem(v) == IR_U64 && *number < 0;
    return !huge && *number >= least && *number <= most;
}

/* Whether an integer is that number, which may have more digits than a double holds. */
static bool is_same_number(double real, uint64_t bits, enum ir_elem elem)
{
    long double number = ir_is_signed(elem) ? (long double)ir_eval_to_int(bits, elem)
                                            : (long double)(uint64_t)ir_eval_to_int(bits, elem);
    return number == (long double)real;
}

/* C's text of a constant of type elem. */
static const char *constant_text(struct lower *l, enum ir_elem elem, uint64_t bits)
{
    if (ir_is_float(elem))
        return arena_format(l->arena, "%.9g", ir_eval_to_double(bits, elem));
    if (elem == IR_U64)
        return arena_format(l->arena, "%llu", (unsigned long long)bits);
    return arena_format(l->arena, "%lld", (long long)ir_eval_to_int(bits, elem));
}

void lower_warn_of_change(struct lower *l, struct source_range range, struct value v,
                          enum ir_elem elem, const char *what)
{
    if (!v.constant || !value_is_number(v) || elem == IR_BOOL)
        return;
    int64_t number;
    uint64_t after = lower_convert(l, v, elem).bits;
    bool to_float = ir_is_float(elem);
    double result = to_float ? ir_eval_to_double(after, elem) : 0;
    double real = v.weak ? v.real : ir_eval_to_double(v.bits, value_elem(v));
    if (to_float            ? !isinf(result) || isinf(real)
        : value_is_float(v) ? !(v.weak || v.literal) || is_same_number(real, after, elem)
                            : integer_fits(v, elem, &number))
        return;
    const char *before =
        v.weak ? arena_format(l->arena, "%.9g", v.real) : constant_text(l, value_elem(v), v.bits);
    lower_warning(l, range, "%s takes '%s': the constant %s becomes %s", what,
                  lower_elem_name(elem), before, constant_text(l, elem, after));
    lower_hint(l, "'(%s)' in front of it says that this is meant", lower_elem_name(elem));
}

struct value lower_assign_convert(struct lower *l, struct source_range range, struct value v,
                                  struct ir_type type, bool to_const, const char *what)
{
    enum ir_elem elem = (enum ir_elem)type.elem;
    if (v.kind == VALUE_POISON)
        return v;
    if (type.pointer)
        return assign_pointer(l, range, v, type, to_const, what);
    if (!value_is_number(v)) {
        lower_error(l, range, "%s takes '%s', not %s", what, lower_elem_name(elem),
                    v.kind == VALUE_DATA ? arena_format(l->arena, "'%s'", lower_type_name(l, v))
                                         : lower_type_name(l, v));
        if (v.kind == VALUE_VIEW || v.kind == VALUE_LAYOUT)
            lower_hint(l, "declare it '%s'", v.kind == VALUE_VIEW ? "auto" : "layout_t");
        else if (value_is_pointer(v))
            lower_hint(l, "load(pointer, mask) reads what a pointer points to");
        return value_poison;
    }
    if (v.index && keeps_index(elem)) {
        v.nominal = elem;
        return v;
    }
    lower_warn_of_change(l, range, v, elem, what);
    return lower_settle(l, lower_convert(l, v, elem));
}

/* ---- Shapes ------------------------------------------------------------------------------------
 */

bool lower_broadcasts(struct ir_type from, struct ir_type to)
{
    if (from.rank == 0)
        return true;
    if (from.rank != to.rank)
        return false;
    for (int i = 0; i < from.rank; i++) {
        if (from.dims[i] != to.dims[i] && from.dims[i] != 1)
            return false;
    }
    return true;
}

struct value lower_broadcast(struct lower *l, struct value v, struct ir_type shape)
{
    if (v.kind != VALUE_DATA || ir_shape_equal(v.type, shape))
        return v;
    v = lower_settle(l, v);
    if (v.constant)
        return value_like(v, ir_constant(&l->b, ir_with_shape(v.type, shape), v.bits));
    return value_like(v, ir_broadcast(&l->b, lower_ir(l, v), shape));
}

bool lower_check_shape(struct lower *l, struct source_range range, struct ir_type type)
{
    int64_t count = 1;
    for (int i = 0; i < type.rank; i++) {
        count *= type.dims[i];
        if (count > IR_MAX_ELEMENTS) {
            lower_error(l, range, "a tile has at most %d elements; this one is %s",
                        (int)IR_MAX_ELEMENTS, lower_shape_name(l, type));
            return false;
        }
    }
    return true;
}

static bool join_shapes(struct ir_type *shape, struct ir_type other)
{
    if (other.rank == 0)
        return true;
    if (shape->rank == 0) {
        *shape = ir_with_shape(*shape, other);
        return true;
    }
    if (shape->rank != other.rank)
        return false;
    for (int i = 0; i < other.rank; i++) {
        if (shape->dims[i] == 1)
            shape->dims[i] = other.dims[i];
        else if (other.dims[i] != 1 && other.dims[i] != shape->dims[i])
            return false;
    }
    return true;
}

static bool has_thin_axis(struct ir_type type)
{
    for (int i = 0; i < type.rank; i++)
        if (type.dims[i] == 1)
            return true;
    return false;
}

static const char *shapes_hint(struct ir_type a, struct ir_type b)
{
    if (a.rank == 2 && b.rank == 2 && a.dims[0] == b.dims[1] && a.dims[1] == b.dims[0] &&
        !has_thin_axis(a))
        return "trans(x) exchanges the last two axes";
    if (ir_element_count(a) == ir_element_count(b) && !has_thin_axis(a) && !has_thin_axis(b))
        return "reshape(x, sizes...) gives the same elements another shape";
    if (a.rank != b.rank)
        return "expand_dims(v, axis) gives a tile a further axis of 1, which broadcasts";
    return "each axis must be equal on both sides, or 1 on one of them";
}

bool lower_common_shape(struct lower *l, struct source_range range, struct value *const *values,
                        int count)
{
    struct ir_type shape = ir_scalar(IR_BOOL);
    for (int i = 0; i < count; i++) {
        struct ir_type before = shape;
        if (join_shapes(&shape, values[i]->type))
            continue;
        lower_error(l, range, "shapes %s and %s do not match", lower_shape_name(l, before),
                    lower_shape_name(l, values[i]->type));
        lower_hint(l, "%s", shapes_hint(before, values[i]->type));
        return false;
    }
    if (!lower_check_shape(l, range, shape))
        return false;
    for (int i = 0; i < count; i++)
        *values[i] = lower_broadcast(l, *values[i], shape);
    return true;
}
