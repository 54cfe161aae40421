#ifndef TILEC_TESTS_RANDOM_IR_H
#define TILEC_TESTS_RANDOM_IR_H
/*
 * Random valid Tile IR for tests: every op, every element type, nested control flow, names that
 * clash and texts that need escapes.
 *
 * Every function has the same parameters (random_ir_parameters). What it reads and writes lies in
 * the first RANDOM_IR_ELEMENTS elements of each pointer, so that it may be executed: indices are
 * masked with RANDOM_IR_ELEMENTS - 1, loops make a few trips. With `executable` set, ops are left
 * out whose result a pass may legally change (the bits of a NaN) or that print.
 */
#include "ir/ir.h"

#include <string.h>

enum { RANDOM_IR_ELEMENTS = 64, RANDOM_IR_POOL = 4096 };

static const struct ir_parameter random_ir_parameters[] = {
    {.name = "A", .type = {.elem = IR_F32, .pointer = true}, .is_const = true},
    {.name = "B", .type = {.elem = IR_F32, .pointer = true}},
    {.name = "I", .type = {.elem = IR_I32, .pointer = true}, .is_restrict = true},
    {.name = "H", .type = {.elem = IR_F16, .pointer = true}, .is_restrict = true},
    {.name = "n", .type = {.elem = IR_I32}},
    {.name = "m", .type = {.elem = IR_I64}},
    {.name = "x", .type = {.elem = IR_F32}},
    {.name = "flag", .type = {.elem = IR_BOOL}},
};
enum { RANDOM_IR_PARAMETERS = 8, RANDOM_IR_POINTERS = 4 };

struct random_ir {
    uint64_t state;
    bool executable;
    struct ir_builder b;
    struct ir_value *pool[RANDOM_IR_POOL]; /* visible values */
    int count;
    int depth;
};

static uint64_t random_ir_bits(struct random_ir *r)
{
    uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static int random_ir_below(struct random_ir *r, int count)
{
    return (int)(random_ir_bits(r) % (uint64_t)count);
}

static void random_ir_push(struct random_ir *r, struct ir_value *value)
{
    static const char *const names[] = {NULL, NULL, "m", "m", "value", "9lives", "a-b", "x.1"};
    if (!value->name)
        value->name = names[random_ir_below(r, 8)];
    if (r->count < RANDOM_IR_POOL)
        r->pool[r->count++] = value;
}

/* ---- types and operands ---------------------------------------------------------------------- */

static struct ir_type random_ir_shape(struct random_ir *r)
{
    static const struct ir_type shapes[] = {
        {.rank = 0},
        {.rank = 1, .dims = {8}},
        {.rank = 1, .dims = {8}},
        {.rank = 2, .dims = {4, 2}},
        {.rank = 2, .dims = {4, 4}},
        {.rank = 2, .dims = {1, 8}},
        {.rank = 1, .dims = {5}},
        {.rank = 3, .dims = {2, 1, 4}},
    };
    return shapes[random_ir_below(r, 8)];
}

static enum ir_elem random_ir_elem(struct random_ir *r)
{
    static const uint8_t common[] = {IR_F32, IR_I64, IR_I32, IR_BOOL, IR_F32, IR_I64};
    int choice = random_ir_below(r, 18);
    return choice < 6 ? common[choice] : (enum ir_elem)(choice % IR_ELEM_COUNT);
}

static uint64_t random_ir_element(struct random_ir *r, enum ir_elem elem)
{
    static const uint32_t floats[] = {0,          0x80000000, 0x3f800000, 0x7fc00000,
                                      0x7f800000, 0xff800000, 0x3f000000, 0x40490fdb};
    int width = ir_elems[elem].bits;
    uint64_t bits = random_ir_bits(r), mask = width == 64 ? UINT64_MAX : (1ull << width) - 1;
    if (elem == IR_BOOL)
        return bits & 1;
    if (elem == IR_F32 && (bits & 3))
        return floats[bits >> 8 & 7];
    if (ir_is_integer(elem) && (bits & 3))
        return (uint64_t)((int64_t)(bits >> 8 & 15) - 4) & mask;
    if (ir_is_float(elem) && r->executable) /* no NaN with a payload */
        return bits >> 8 & 1 ? 0 : UINT64_C(1) << (width - 3);
    return bits & mask;
}

/* One draw after the other: compilers evaluate arguments in orders of their own. */
static struct ir_type random_ir_type(struct random_ir *r)
{
    enum ir_elem elem = random_ir_elem(r);
    return ir_with_elem(random_ir_shape(r), elem);
}

static struct ir_value *random_ir_pick(struct random_ir *r, struct ir_type type)
{
    int start = random_ir_below(r, r->count);
    for (int i = 0; i < r->count && random_ir_below(r, 16); i++) {
        struct ir_value *value = r->pool[(start + i) % r->count];
        if (ir_type_equal(value->type, type))
            return value;
    }
    uint64_t bits = random_ir_element(r, (enum ir_elem)type.elem);
    struct ir_value *constant = ir_constant(&r->b, type, bits);
    random_ir_push(r, constant);
    return constant;
}

static struct ir_value *random_ir_pick_elem(struct random_ir *r, enum ir_elem elem,
                                            struct ir_type shape)
{
    return random_ir_pick(r, ir_with_elem(shape, elem));
}

static struct ir_type random_ir_tile(enum ir_elem elem, int d0, int d1)
{
    int32_t dims[] = {d0, d1};
    return ir_tile(elem, d1 ? 2 : 1, dims);
}

/* ---- elementwise ops, shapes, collectives ---------------------------------------------------- */

static bool random_ir_allows(enum ir_opcode code, enum ir_elem elem)
{
    unsigned flags = ir_ops[code].flags;
    if (code == IR_OP_FMA)
        return elem == IR_F32 || elem == IR_F64;
    if (!(flags & (IR_INTEGER | IR_FLOAT | IR_NUMERIC | IR_LOGIC)))
        return true;
    return (ir_is_integer(elem) && (flags & (IR_INTEGER | IR_NUMERIC | IR_LOGIC))) ||
           (ir_is_float(elem) && (flags & (IR_FLOAT | IR_NUMERIC))) ||
           (elem == IR_BOOL && (flags & IR_LOGIC));
}

static void random_ir_elementwise(struct random_ir *r)
{
    enum ir_opcode code = (enum ir_opcode)random_ir_below(r, IR_OP_COUNT);
    struct ir_type shape = random_ir_shape(r);
    enum ir_elem elem = random_ir_elem(r), other = random_ir_elem(r);
    enum ir_rule rule = ir_ops[code].rule;
    if (rule == IR_RULE_SPECIAL || rule == IR_RULE_ADDRESS || !random_ir_allows(code, elem))
        return;
    struct ir_type type = ir_with_elem(shape, elem), result = type;
    int count = ir_ops[code].least;
    struct ir_value *operands[3];
    if (rule == IR_RULE_CAST || rule == IR_RULE_BITCAST) {
        bool same_size = ir_elems[elem].bits == ir_elems[other].bits;
        bool bitcast = rule == IR_RULE_BITCAST;
        if (elem == other || (bitcast && (!same_size || elem == IR_BOOL || other == IR_BOOL)) ||
            (bitcast && r->executable && ir_is_float(elem)))
            return;
        result.elem = (uint8_t)other;
    } else if (rule == IR_RULE_COMPARE || rule == IR_RULE_TEST) {
        if (code == IR_OP_SIGNBIT && r->executable)
            return;
        result.elem = IR_BOOL;
    }
    for (int i = 0; i < count; i++)
        operands[i] = random_ir_pick(r, type);
    if (rule == IR_RULE_SELECT)
        operands[0] = random_ir_pick_elem(r, IR_BOOL, shape);
    random_ir_push(r, ir_build(&r->b, code, count, operands, 1, &result, 0, NULL)->results[0]);
}

static void random_ir_shape_op(struct random_ir *r)
{
    enum ir_elem elem = random_ir_elem(r);
    struct ir_attributes attributes = {0};
    struct ir_type result = random_ir_tile(elem, 4, 4), type;
    struct ir_value *v, *operands[2];
    switch (random_ir_below(r, 8)) {
    case 0:
        v = random_ir_pick(r, ir_scalar(elem));
        random_ir_push(r, ir_broadcast(&r->b, v, random_ir_shape(r)));
        return;
    case 1:
        v = random_ir_pick(r, random_ir_tile(elem, 1, 8));
        random_ir_push(r, ir_broadcast(&r->b, v, random_ir_tile(elem, 8, 8)));
        return;
    case 2:
        v = random_ir_pick(r, random_ir_tile(elem, 4, 2));
        random_ir_push(r, ir_reshape(&r->b, v, random_ir_tile(elem, 8, 0)));
        return;
    case 3:
        attributes.permutation[0] = (uint8_t)random_ir_below(r, 2);
        attributes.permutation[1] = 1 - attributes.permutation[0];
        operands[0] = random_ir_pick(r, result);
        ir_build(&r->b, IR_OP_TRANS, 1, operands, 1, &result, 0, &attributes);
        random_ir_push(r, r->b.region->last->results[0]);
        return;
    case 4:
        type = random_ir_tile(elem, 4, 0);
        result = random_ir_tile(elem, 4, 2);
        operands[0] = random_ir_pick(r, type);
        operands[1] = random_ir_pick(r, type);
        ir_build(&r->b, IR_OP_JOIN, 2, operands, 1, &result, 0, NULL);
        random_ir_push(r, r->b.region->last->results[0]);
        return;
    case 5: {
        type = random_ir_tile(elem, 4, 0);
        struct ir_type types[] = {type, type};
        operands[0] = random_ir_pick(r, random_ir_tile(elem, 4, 2));
        struct ir_op *split = ir_build(&r->b, IR_OP_SPLIT, 1, operands, 2, types, 0, NULL);
        random_ir_push(r, split->results[0]);
        random_ir_push(r, split->results[1]);
        return;
    }
    case 6:
        attributes.axis = random_ir_below(r, 2);
        operands[0] = random_ir_pick(r, result);
        operands[1] = ir_binary(&r->b, IR_OP_AND, random_ir_pick_elem(r, IR_I64, result),
                                ir_constant(&r->b, ir_with_elem(result, IR_I64), 3));
        ir_build(&r->b, IR_OP_GATHER, 2, operands, 1, &result, 0, &attributes);
        random_ir_push(r, r->b.region->last->results[0]);
        return;
    default: {
        static const struct ir_layout layout = {"L \"1\"", 3, {2, 0, 1}, 5, 2};
        result = random_ir_tile(elem, 8, 0);
        attributes.layout = &layout;
        operands[0] = random_ir_pick(r, result);
        ir_build(&r->b, IR_OP_CONVERT_LAYOUT, 1, operands, 1, &result, 0, &attributes);
        random_ir_push(r, r->b.region->last->results[0]);
        attributes.begin = -3;
        attributes.end = 5;
        result.elem = IR_I64;
        ir_build(&r->b, IR_OP_ARANGE, 0, NULL, 1, &result, 0, &attributes);
        random_ir_push(r, r->b.region->last->results[0]);
    }
    }
}

static void random_ir_collective(struct random_ir *r)
{
    static const uint8_t sums[] = {IR_F32, IR_F64, IR_I32, IR_I64, IR_U32, IR_U64};
    enum ir_opcode code = (enum ir_opcode)(IR_OP_SUM + random_ir_below(r, 14));
    struct ir_type shape = random_ir_shape(r);
    enum ir_elem elem = (enum ir_elem)sums[random_ir_below(r, 6)];
    if (shape.rank == 0)
        return;
    struct ir_attributes attributes = {.axis = random_ir_below(r, shape.rank)};
    struct ir_type type = ir_with_elem(shape, elem);
    if (code == IR_OP_DOT) {
        struct ir_value *a = random_ir_pick(r, random_ir_tile(IR_F16, 4, 4));
        struct ir_value *b = random_ir_pick(r, random_ir_tile(IR_F16, 4, 4));
        struct ir_value *c = random_ir_pick(r, random_ir_tile(IR_F32, 4, 4));
        struct ir_value *operands[] = {a, b, c};
        ir_build(&r->b, code, 3, operands, 1, &c->type, 0, NULL);
        random_ir_push(r, r->b.region->last->results[0]);
    } else if (code >= IR_OP_CUMSUM && code <= IR_OP_SCAN) {
        struct ir_value *v = random_ir_pick(r, type);
        attributes.exclusive = random_ir_below(r, 2);
        int regions = code == IR_OP_SCAN;
        struct ir_op *op = ir_build(&r->b, code, 1, &v, 1, &type, regions, &attributes);
        for (int i = 0; i < regions; i++) {
            struct ir_builder inner = {.func = r->b.func, .region = op->regions[0]};
            struct ir_type scalar = ir_scalar(elem);
            struct ir_value *a = ir_region_add_argument(r->b.func, inner.region, scalar, "a");
            struct ir_value *b = ir_region_add_argument(r->b.func, inner.region, scalar, "b");
            struct ir_value *c = ir_binary(&inner, IR_OP_MAXIMUM, b, a);
            ir_build(&inner, IR_OP_YIELD, 1, &c, 0, NULL, 0, NULL);
        }
        random_ir_push(r, op->results[0]);
    } else {
        if (code == IR_OP_ANY || code == IR_OP_ALL)
            type.elem = IR_BOOL;
        int axis = random_ir_below(r, 2) ? -1 : attributes.axis;
        random_ir_push(r, ir_reduce(&r->b, code, random_ir_pick(r, type), axis));
    }
}

/* ---- what algebra likes ---------------------------------------------------------------------- */

/* Zero, one, all ones, powers of two, the ends of the range; for floats both zeros and infinities.
 */
static struct ir_value *random_ir_special(struct random_ir *r, struct ir_type type)
{
    static const uint32_t floats[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000,
                                      0xff800000, 0x41000000, 0x3e800000, 0x7fc00000, 0x40400000};
    enum ir_elem elem = (enum ir_elem)type.elem;
    int width = ir_elems[elem].bits;
    uint64_t bits = 0, mask = width == 64 ? UINT64_MAX : (1ull << width) - 1;
    if (elem == IR_F32)
        bits = floats[random_ir_below(r, 10)];
    else if (elem == IR_BOOL)
        bits = random_ir_bits(r) & 1;
    else if (elem == IR_F64)
        bits = (uint64_t)(0x3ff + random_ir_below(r, 5)) << 52 | random_ir_bits(r) << 63;
    else if (elem == IR_F16 || elem == IR_BF16)
        bits = (uint64_t)(elem == IR_F16 ? 0x3c00 : 0x3f80) * (random_ir_bits(r) & 1);
    else
        switch (random_ir_below(r, 6)) {
        case 0:
            break;
        case 1:
            bits = 1;
            break;
        case 2:
            bits = mask;
            break;
        case 3:
            bits = UINT64_C(1) << (width - 1);
            break;
        case 4:
            bits = mask >> 1;
            break;
        default:
            bits = UINT64_C(1) << random_ir_below(r, width);
        }
    return ir_constant(&r->b, type, bits);
}

static struct ir_value *random_ir_chain_binary(struct random_ir *r, struct ir_value *x)
{
    enum ir_opcode code = (enum ir_opcode)random_ir_below(r, IR_OP_COUNT);
    if (ir_ops[code].rule != IR_RULE_LIKE_FIRST || ir_ops[code].least != 2 ||
        (ir_ops[code].flags & IR_APPROX) || !random_ir_allows(code, (enum ir_elem)x->type.elem))
        return x;
    struct ir_value *y =
        random_ir_below(r, 4) ? random_ir_special(r, x->type) : random_ir_pick(r, x->type);
    if (random_ir_below(r, 8) == 0)
        y = x;
    bool swapped = random_ir_below(r, 3) == 0;
    struct ir_value *z = ir_binary(&r->b, code, swapped ? y : x, swapped ? x : y);
    if (random_ir_below(r, 3) == 0 && random_ir_allows(IR_OP_ADD, (enum ir_elem)z->type.elem))
        z = ir_binary(&r->b, IR_OP_ADD, z, y); /* (x - y) + y and the like */
    return z;
}

static struct ir_value *random_ir_chain_compare(struct random_ir *r, struct ir_value *x)
{
    enum ir_opcode code = (enum ir_opcode)(IR_OP_EQ + random_ir_below(r, 6));
    struct ir_value *y = random_ir_below(r, 4) ? random_ir_special(r, x->type) : x;
    bool swapped = random_ir_below(r, 2);
    struct ir_value *c = ir_binary(&r->b, code, swapped ? y : x, swapped ? x : y);
    if (random_ir_below(r, 2))
        c = ir_unary(&r->b, IR_OP_NOT, c);
    if (random_ir_below(r, 3) == 0)
        return c;
    return ir_ternary(&r->b, IR_OP_SELECT, c, x, random_ir_special(r, x->type));
}

static struct ir_value *random_ir_chain_shape(struct random_ir *r, struct ir_value *x)
{
    struct ir_attributes attributes = {0};
    struct ir_type type = x->type;
    if (type.rank == 0)
        return ir_broadcast(&r->b, x, random_ir_shape(r));
    if (random_ir_below(r, 2) || type.rank != 2) {
        int32_t flat = (int32_t)ir_element_count(type);
        struct ir_type shape = ir_tile((enum ir_elem)type.elem, 1, &flat);
        if (type.rank == 1 && flat == 8)
            shape = random_ir_tile((enum ir_elem)type.elem, 4, 2);
        return ir_build(&r->b, IR_OP_RESHAPE, 1, &x, 1, &shape, 0, NULL)->results[0];
    }
    attributes.permutation[0] = 1;
    type.dims[0] = x->type.dims[1];
    type.dims[1] = x->type.dims[0];
    return ir_build(&r->b, IR_OP_TRANS, 1, &x, 1, &type, 0, &attributes)->results[0];
}

/* The address of one element of a parameter: often one of the first two, so that accesses meet. */
static struct ir_value *random_ir_place(struct random_ir *r, int parameter)
{
    struct ir_value *base = r->b.func->body->arguments[parameter];
    int place = random_ir_below(r, random_ir_below(r, 2) ? 2 : RANDOM_IR_ELEMENTS);
    return ir_binary(&r->b, IR_OP_ADDPTR, base, ir_constant_i64(&r->b, place));
}

static struct ir_value *random_ir_chain_fma(struct random_ir *r, struct ir_value *x)
{
    struct ir_value *added = random_ir_special(r, x->type);
    return ir_ternary(&r->b, IR_OP_FMA, x, random_ir_special(r, x->type), added);
}

/* A few ops behind each other, of the kind that cancel, collapse or nearly do. */
static void random_ir_chain(struct random_ir *r)
{
    struct ir_value *x;
    if (random_ir_below(r, 2)) /* something that is known at run time only, NaN among it */
        x = ir_load(&r->b, random_ir_place(r, random_ir_below(r, RANDOM_IR_POINTERS)), NULL, NULL);
    else
        x = random_ir_pick(r, random_ir_type(r));
    int count = 2 + random_ir_below(r, 4);
    for (int i = 0; i < count; i++) {
        enum ir_elem elem = (enum ir_elem)x->type.elem;
        static const enum ir_opcode unary[] = {IR_OP_NEG, IR_OP_ABS, IR_OP_NOT};
        int choice = random_ir_below(r, 9);
        if (choice < 4)
            x = random_ir_chain_binary(r, x);
        else if (choice == 4)
            x = ir_cast(&r->b, x, random_ir_elem(r));
        else if (choice == 5 && random_ir_allows(unary[count % 3], elem))
            x = ir_unary(&r->b, unary[count % 3], x);
        else if (choice == 6)
            x = random_ir_chain_compare(r, x);
        else if (choice == 7)
            x = random_ir_chain_shape(r, x);
        else if (choice == 8 && (elem == IR_F32 || elem == IR_F64))
            x = random_ir_chain_fma(r, x);
    }
    random_ir_push(r, x);
    /* To memory, so that it counts. */
    if (x->type.rank == 0 && random_ir_below(r, 4))
        ir_store(&r->b, random_ir_place(r, random_ir_below(r, 2)), ir_cast(&r->b, x, IR_F32), NULL);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static struct ir_value *random_ir_address(struct random_ir *r, int parameter, struct ir_type shape)
{
    struct ir_value *base = r->b.func->body->arguments[parameter];
    struct ir_value *index = random_ir_pick_elem(r, IR_I64, shape);
    struct ir_value *limit =
        ir_constant(&r->b, ir_with_elem(shape, IR_I64), RANDOM_IR_ELEMENTS - 1);
    index = ir_binary(&r->b, IR_OP_AND, index, limit);
    return ir_binary(&r->b, IR_OP_ADDPTR, ir_broadcast(&r->b, base, shape), index);
}

static void random_ir_memory(struct random_ir *r)
{
    struct ir_type shape = random_ir_shape(r);
    int parameter = random_ir_below(r, RANDOM_IR_POINTERS);
    struct ir_value *pointer = random_ir_address(r, parameter, shape);
    struct ir_type type = ir_with_elem(shape, (enum ir_elem)pointer->type.elem);
    struct ir_value *mask = random_ir_below(r, 2) ? random_ir_pick_elem(r, IR_BOOL, shape) : NULL;
    int choice = random_ir_below(r, 8);
    if (choice < 4) {
        struct ir_value *other = random_ir_pick(r, type);
        random_ir_push(r, ir_load(&r->b, pointer, mask, other));
    } else if (choice < 7) {
        ir_store(&r->b, pointer, random_ir_pick(r, type), mask);
    } else {
        struct ir_value *value = random_ir_pick(r, type), *expected = random_ir_pick(r, type);
        enum ir_opcode code = (enum ir_opcode)(IR_OP_ATOMIC_ADD + random_ir_below(r, 8));
        bool bits = code >= IR_OP_ATOMIC_AND && code <= IR_OP_ATOMIC_XOR;
        if (type.elem == IR_F16 || (bits && type.elem == IR_F32))
            code = IR_OP_ATOMIC_XCHG;
        bool cas = code == IR_OP_ATOMIC_CAS;
        struct ir_value *operands[] = {pointer, cas ? expected : value, cas ? value : mask, mask};
        int count = 2 + cas + (mask != NULL);
        struct ir_op *op = ir_build(&r->b, code, count, operands, 1, &type, 0, NULL);
        random_ir_push(r, op->results[0]);
    }
}

/* An 8 x 8 view of a parameter; indices may lie outside. */
static void random_ir_view(struct random_ir *r)
{
    struct ir_value *base = r->b.func->body->arguments[random_ir_below(r, 2)];
    struct ir_value *operands[8] = {base};
    for (int i = 0; i < 2; i++) {
        operands[1 + i] = ir_constant_i64(&r->b, 8 - random_ir_below(r, 3));
        operands[3 + i] = ir_constant_i64(&r->b, i == 0 ? 8 : 1);
        operands[5 + i] = random_ir_pick(r, ir_scalar(IR_I64));
    }
    struct ir_type type = random_ir_tile(IR_F32, 4, random_ir_below(r, 2) ? 4 : 0);
    struct ir_attributes attributes = {.view_rank = 2};
    bool load = random_ir_below(r, 2);
    operands[7] = random_ir_pick(r, load ? ir_scalar(IR_F32) : type);
    struct ir_op *op = ir_build(&r->b, load ? IR_OP_VIEW_LOAD : IR_OP_VIEW_STORE, 8, operands, load,
                                &type, 0, &attributes);
    if (load)
        random_ir_push(r, op->results[0]);
}

/* ---- control --------------------------------------------------------------------------------- */

static void random_ir_ops(struct random_ir *r, int count);

/* Fills a region and ends it with a terminator that gives values of the types. */
static void random_ir_region(struct random_ir *r, struct ir_region *region, enum ir_opcode end,
                             struct ir_value *first, int count, const struct ir_type *types)
{
    struct ir_builder outside = r->b;
    int visible = r->count;
    struct ir_value *operands[8];
    r->b = (struct ir_builder){.func = outside.func, .region = region};
    for (int i = 0; i < region->argument_count; i++)
        random_ir_push(r, region->arguments[i]);
    random_ir_ops(r, 1 + random_ir_below(r, 5));
    int from = 0;
    if (first)
        operands[from++] = first;
    for (int i = 0; i < count; i++)
        operands[from + i] = random_ir_pick(r, types[i]);
    ir_build(&r->b, end, from + count, operands, 0, NULL, 0, NULL);
    r->count = visible;
    r->b = outside;
}

static void random_ir_push_all(struct random_ir *r, const struct ir_op *op)
{
    for (int i = 0; i < op->result_count; i++)
        random_ir_push(r, op->results[i]);
}

static void random_ir_for(struct random_ir *r)
{
    struct ir_value *operands[8];
    struct ir_type types[3];
    int count = random_ir_below(r, 4);
    operands[0] = ir_constant_i64(&r->b, random_ir_below(r, 4) - 1);
    operands[1] = ir_constant_i64(&r->b, random_ir_below(r, 6));
    operands[2] = ir_constant_i64(&r->b, 1 + random_ir_below(r, 3));
    int known = random_ir_below(r, 8);
    if (known < 4) /* a bound that is not known: m & 3, m & 15 */
        operands[1] = ir_binary(&r->b, IR_OP_AND, r->b.func->body->arguments[5],
                                ir_constant_i64(&r->b, known ? 3 : 15));
    for (int i = 0; i < count; i++) {
        types[i] = random_ir_type(r);
        operands[3 + i] = random_ir_pick(r, types[i]);
    }
    struct ir_op *op = ir_build(&r->b, IR_OP_FOR, 3 + count, operands, count, types, 1, NULL);
    ir_region_add_argument(r->b.func, op->regions[0], ir_scalar(IR_I64), "i");
    for (int i = 0; i < count; i++)
        ir_region_add_argument(r->b.func, op->regions[0], types[i], NULL);
    random_ir_region(r, op->regions[0], IR_OP_YIELD, NULL, count, types);
    random_ir_push_all(r, op);
}

static void random_ir_if(struct random_ir *r)
{
    struct ir_type types[3];
    int count = random_ir_below(r, 4);
    struct ir_value *condition = random_ir_pick(r, ir_scalar(IR_BOOL));
    for (int i = 0; i < count; i++)
        types[i] = random_ir_type(r);
    struct ir_op *op = ir_build(&r->b, IR_OP_IF, 1, &condition, count, types, 2, NULL);
    for (int i = 0; i < 2; i++)
        random_ir_region(r, op->regions[i], IR_OP_YIELD, NULL, count, types);
    random_ir_push_all(r, op);
}

/* while (k < 3) { ...; k++; } with one more carried value */
static void random_ir_while(struct random_ir *r)
{
    struct ir_type types[] = {ir_scalar(IR_I64), random_ir_type(r)};
    struct ir_value *inits[] = {ir_constant_i64(&r->b, random_ir_below(r, 4)),
                                random_ir_pick(r, types[1])};
    struct ir_op *op = ir_build(&r->b, IR_OP_WHILE, 2, inits, 2, types, 2, NULL);
    struct ir_value *arguments[2][2];
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 2; k++)
            arguments[i][k] = ir_region_add_argument(r->b.func, op->regions[i], types[k], NULL);
    }
    struct ir_builder inner = {.func = r->b.func, .region = op->regions[0]};
    struct ir_value *go_on =
        ir_binary(&inner, IR_OP_LT, arguments[0][0], ir_constant_i64(&inner, 3));
    struct ir_value *end[] = {go_on, arguments[0][0], arguments[0][1]};
    ir_build(&inner, IR_OP_CONDITION, 3, end, 0, NULL, 0, NULL);
    inner.region = op->regions[1];
    struct ir_value *next =
        ir_binary(&inner, IR_OP_ADD, arguments[1][0], ir_constant_i64(&inner, 1));
    random_ir_region(r, op->regions[1], IR_OP_YIELD, next, 1, &types[1]);
    random_ir_push_all(r, op);
}

/* A size below RANDOM_IR_ELEMENTS - 16 and what is known of it: all, a range, or its type only. */
static struct ir_value *random_ir_size(struct random_ir *r)
{
    struct ir_func *func = r->b.func;
    struct ir_value *m = func->body->arguments[5]; /* 0, 13 or 26 in tests that execute */
    switch (random_ir_below(r, 4)) {
    case 0:
        return ir_constant_i64(&r->b, random_ir_below(r, 40) - 2);
    case 1:
        return ir_binary(&r->b, IR_OP_AND, m, ir_constant_i64(&r->b, 31));
    case 2:
        return m;
    default:
        return ir_cast(&r->b, func->body->arguments[4], IR_I64); /* -3, 4 or 11 */
    }
}

static struct ir_value *random_ir_mask(struct random_ir *r, struct ir_builder *b,
                                       struct ir_value *column, struct ir_value *size)
{
    struct ir_value *bound = ir_broadcast(b, size, column->type);
    switch (random_ir_below(r, 4)) {
    case 0:
        return ir_binary(b, IR_OP_LE, column, bound);
    case 1:
        return ir_binary(b, IR_OP_GT, bound, column);
    case 2:
        return ir_binary(b, IR_OP_GE, bound, column);
    default:
        return ir_binary(b, IR_OP_LT, column, bound);
    }
}

/* for (i = lo; i < size; i += step) with masks scale * i + arange(0, 8) < size on a load, a store
 * or both; masks of loads keep addresses at 0 and above, and all are below RANDOM_IR_ELEMENTS. */
static void random_ir_masked_loop(struct random_ir *r)
{
    struct ir_func *func = r->b.func;
    struct ir_type tile = random_ir_tile(IR_I64, 8, 0), value = random_ir_tile(IR_F32, 8, 0);
    struct ir_value *size = random_ir_size(r);
    struct ir_value *lo = ir_constant_i64(&r->b, random_ir_below(r, 3) * 4);
    struct ir_value *step = ir_constant_i64(&r->b, random_ir_below(r, 4) ? 8 : 3);
    struct ir_value *operands[] = {lo, size, step, random_ir_pick(r, value)};
    struct ir_op *op = ir_build(&r->b, IR_OP_FOR, 4, operands, 1, &value, 1, NULL);
    struct ir_builder b = {.func = func, .region = op->regions[0]};
    struct ir_value *i = ir_region_add_argument(func, b.region, ir_scalar(IR_I64), "i");
    struct ir_value *sum = ir_region_add_argument(func, b.region, value, "sum");
    if (random_ir_below(r, 4) == 0)
        i = ir_binary(&b, IR_OP_MUL, i, ir_constant_i64(&b, 2));
    struct ir_value *column =
        ir_binary(&b, IR_OP_ADD, ir_broadcast(&b, i, tile), ir_arange(&b, 0, 8));
    struct ir_value *mask = random_ir_mask(r, &b, column, size);
    if (random_ir_below(r, 3) == 0) {
        struct ir_value *other = random_ir_size(&(struct random_ir){.state = r->state, .b = b});
        mask = ir_binary(&b, IR_OP_AND, mask, random_ir_mask(r, &b, column, other));
    }
    /* Kept in bounds whatever the masks are. */
    struct ir_value *at =
        ir_binary(&b, IR_OP_AND, column, ir_constant(&b, tile, RANDOM_IR_ELEMENTS - 1));
    struct ir_value *from = ir_broadcast(&b, func->body->arguments[0], tile);
    struct ir_value *to = ir_broadcast(&b, func->body->arguments[1], tile);
    struct ir_value *x = ir_load(&b, ir_binary(&b, IR_OP_ADDPTR, from, at), mask, NULL);
    sum = ir_binary(&b, IR_OP_ADD, sum, x);
    if (random_ir_below(r, 2))
        ir_store(&b, ir_binary(&b, IR_OP_ADDPTR, to, at), sum, mask);
    ir_build(&b, IR_OP_YIELD, 1, &sum, 0, NULL, 0, NULL);
    random_ir_push_all(r, op);
}

static void random_ir_check(struct random_ir *r)
{
    static const char *const texts[] = {"plain", "", "quote \" and \\ and \n", "\x01\xff%s", "//"};
    struct ir_attributes attributes = {.text = texts[random_ir_below(r, 5)]};
    bool print = random_ir_below(r, 2);
    struct ir_type type = print ? random_ir_type(r) : ir_with_elem(random_ir_shape(r), IR_BOOL);
    struct ir_value *value = random_ir_pick(r, type);
    if (!r->executable)
        ir_build(&r->b, print ? IR_OP_PRINT : IR_OP_ASSERT, 1, &value, 0, NULL, 0, &attributes);
}

static void random_ir_ops(struct random_ir *r, int count)
{
    r->depth++;
    for (int i = 0; i < count; i++) {
        int choice = random_ir_below(r, 48);
        if (choice >= 40)
            random_ir_chain(r);
        else if (choice < 16)
            random_ir_elementwise(r);
        else if (choice < 20)
            random_ir_shape_op(r);
        else if (choice < 24)
            random_ir_collective(r);
        else if (choice < 30)
            random_ir_memory(r);
        else if (choice < 32)
            random_ir_view(r);
        else if (choice < 33)
            random_ir_check(r);
        else if (r->depth > 3)
            continue;
        else if (choice < 35)
            random_ir_for(r);
        else if (choice < 37)
            random_ir_if(r);
        else if (choice < 38)
            random_ir_while(r);
        else
            random_ir_masked_loop(r);
    }
    r->depth--;
}

static struct ir_func *random_ir_func(struct arena *arena, uint64_t seed, int ops, bool executable)
{
    struct random_ir r = {.state = seed, .executable = executable};
    struct ir_func *func = ir_func_new(arena, "random", RANDOM_IR_PARAMETERS, random_ir_parameters);
    r.b = (struct ir_builder){.func = func, .region = func->body};
    for (int i = 0; i < RANDOM_IR_PARAMETERS; i++)
        random_ir_push(&r, func->body->arguments[i]);
    struct ir_attributes axis = {.axis = random_ir_below(&r, 3)};
    struct ir_type i64 = ir_scalar(IR_I64);
    ir_build(&r.b, IR_OP_PROGRAM_ID, 0, NULL, 1, &i64, 0, &axis);
    random_ir_push(&r, func->body->last->results[0]);
    random_ir_ops(&r, ops);
    ir_build(&r.b, IR_OP_RETURN, 0, NULL, 0, NULL, 0, NULL);
    return func;
}

#endif
