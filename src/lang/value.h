#ifndef TILEC_LANG_VALUE_H
#define TILEC_LANG_VALUE_H
/*
 * What an expression is worth while a kernel is elaborated: an IR value and what the language knows
 * about it beyond its IR type.
 *
 * Index class. Signed values that come from program ids, ranges, loop counters and signed
 * parameters are exact: their IR type is i64 whatever was declared, and `nominal` keeps the C type,
 * to which explicit casts, bit operations and unsigned operands narrow them.
 *
 * Constants. A scalar known at compile time is `constant`, with its bits; it becomes an IR constant
 * only where an op needs it. A weak constant (0.5 without suffix, INFINITY) has no type of its own
 * yet: it is kept as a double and as a float, and takes a type later.
 *
 * Products. A float product is not emitted until something uses it, so that the `+` or `-` around
 * it can make an fma of it instead (lower_arithmetic.c).
 *
 * Poison. An expression with an error is worth poison. Whatever uses poison is poison and silent,
 * so that no error is the consequence of another.
 */
#include "ir/ir.h"

enum value_kind {
    VALUE_POISON, /* an error was reported */
    VALUE_NONE,   /* what a variable holds before its first assignment */
    VALUE_VOID,   /* of a call that gives nothing */
    VALUE_DATA,   /* numbers or addresses: a scalar or a tile */
    VALUE_VIEW,
    VALUE_LAYOUT,
    VALUE_TABLE,
};

struct product;

struct value {
    enum value_kind kind;
    struct ir_type type;     /* DATA: of the IR value; weak: f32 */
    enum ir_elem nominal;    /* C's type; differs from type.elem for an index only */
    bool index;              /* of the index class: type.elem is i64 */
    bool is_const;           /* a pointer that may not be stored through */
    bool constant;           /* a scalar known now: ir is NULL */
    bool weak;               /* constant: takes the other operand's type */
    bool literal;            /* constant, floating, as it was written: 3.7f */
    uint64_t bits;           /* constant and not weak */
    double real;             /* weak */
    float single;            /* weak: rounded to float, a literal from its digits */
    struct product *product; /* a product that may still fuse; ir is NULL unless constant */
    struct ir_value *ir;
    const struct view *view;
    const struct ir_layout *layout;
    const struct ir_table *table;
    const struct source_range *vanished; /* constant 0, of which the whole went in there: 1 / 3 */
};

/* Operands of a product: converted to its type, not yet broadcast. */
struct product {
    struct value left, right;
    struct source_range range;
};

/* view(p, ...): exists at compile time only. Extents and strides are index scalars. */
struct view {
    struct value base; /* scalar pointer */
    int rank;
    struct value extents[IR_MAX_RANK], strides[IR_MAX_RANK];
};

static inline bool value_is_poison(struct value v)
{
    return v.kind == VALUE_POISON;
}
static inline bool value_is_tile(struct value v)
{
    return v.kind == VALUE_DATA && v.type.rank > 0;
}
static inline bool value_is_pointer(struct value v)
{
    return v.kind == VALUE_DATA && v.type.pointer;
}
static inline bool value_is_number(struct value v)
{
    return v.kind == VALUE_DATA && !v.type.pointer;
}
static inline enum ir_elem value_elem(struct value v)
{
    return (enum ir_elem)v.type.elem;
}
static inline bool value_is_float(struct value v)
{
    return value_is_number(v) && ir_is_float(value_elem(v));
}
/* Integers and bool. */
static inline bool value_is_integral(struct value v)
{
    return value_is_number(v) && !ir_is_float(value_elem(v));
}
static inline bool value_is_bool(struct value v)
{
    return value_is_number(v) && value_elem(v) == IR_BOOL;
}

#endif
