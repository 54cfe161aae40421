/*
 * The rules of ops: counts and types, from the op table where its rule says all, else by hand.
 *
 * Here an op's operands are known to be there and to have proper types (verify.c).
 */
#include "ir/verifier.h"

/* ---- pieces of the rules --------------------------------------------------------------------- */

bool ir_verify_type(struct verifier *v, const struct ir_op *op, const char *what, int i,
                    struct ir_type actual, struct ir_type wanted)
{
    CHECK(ir_type_equal(actual, wanted), "%s %d has type %s, expected %s", what, i,
          ir_verify_type_text(v, actual), ir_verify_type_text(v, wanted));
    return true;
}

bool ir_verify_operand(struct verifier *v, const struct ir_op *op, int i, struct ir_type wanted)
{
    return ir_verify_type(v, op, "operand", i, operand_type(op, i), wanted);
}

bool ir_verify_result_count(struct verifier *v, const struct ir_op *op, int count)
{
    CHECK(op->result_count == count, "%d results, expected %d", op->result_count, count);
    return true;
}

static bool verify_result(struct verifier *v, const struct ir_op *op, struct ir_type wanted)
{
    return ir_verify_result_count(v, op, 1) &&
           ir_verify_type(v, op, "result", 0, op->results[0]->type, wanted);
}

static struct ir_type bool_like(struct ir_type shape)
{
    return ir_with_elem(shape, IR_BOOL);
}

/* ---- ops whose rule stands in the table ------------------------------------------------------ */

/* The element that the op's flags allow for its first operand. */
static bool check_element(struct verifier *v, const struct ir_op *op)
{
    unsigned flags = ir_ops[op->code].flags;
    if (!(flags & (IR_INTEGER | IR_FLOAT | IR_NUMERIC | IR_LOGIC)))
        return true;
    struct ir_type type = operand_type(op, 0);
    enum ir_elem elem = (enum ir_elem)type.elem;
    bool allowed = ((flags & (IR_INTEGER | IR_NUMERIC | IR_LOGIC)) && ir_is_integer(elem)) ||
                   ((flags & (IR_FLOAT | IR_NUMERIC)) && ir_is_float(elem)) ||
                   ((flags & IR_LOGIC) && elem == IR_BOOL);
    CHECK(allowed && !type.pointer, "not allowed on %s", ir_verify_type_text(v, type));
    CHECK(op->code != IR_OP_FMA || elem == IR_F32 || elem == IR_F64, "not allowed on %s",
          ir_verify_type_text(v, type));
    return true;
}

static bool check_cast(struct verifier *v, const struct ir_op *op)
{
    struct ir_type from = operand_type(op, 0);
    if (!ir_verify_result_count(v, op, 1))
        return false;
    struct ir_type to = op->results[0]->type;
    CHECK(ir_shape_equal(from, to) && !from.pointer && !to.pointer && from.elem != to.elem,
          "from %s to %s", ir_verify_type_text(v, from), ir_verify_type_text(v, to));
    CHECK(op->code == IR_OP_CAST || (ir_elems[from.elem].bits == ir_elems[to.elem].bits &&
                                     from.elem != IR_BOOL && to.elem != IR_BOOL),
          "from %s to %s", ir_verify_type_text(v, from), ir_verify_type_text(v, to));
    return true;
}

static bool check_by_rule(struct verifier *v, const struct ir_op *op)
{
    struct ir_type first = operand_type(op, 0), result = first;
    CHECK(op->region_count == 0, "has a region");
    switch (ir_ops[op->code].rule) {
    case IR_RULE_SPECIAL:
        return true;
    case IR_RULE_CAST:
    case IR_RULE_BITCAST:
        return check_cast(v, op);
    case IR_RULE_ADDRESS:
        CHECK(first.pointer, "operand 0 has type %s, expected a pointer",
              ir_verify_type_text(v, first));
        return ir_verify_operand(v, op, 1, ir_with_elem(first, IR_I64)) &&
               verify_result(v, op, first);
    case IR_RULE_SELECT:
        result = operand_type(op, 1);
        return ir_verify_operand(v, op, 0, bool_like(result)) &&
               ir_verify_operand(v, op, 2, result) && verify_result(v, op, result);
    case IR_RULE_COMPARE:
        CHECK(!first.pointer, "not allowed on pointers");
        result = bool_like(first);
        break;
    case IR_RULE_TEST:
        result = bool_like(first);
        break;
    case IR_RULE_LIKE_FIRST:
        break;
    }
    for (int i = 1; i < op->operand_count; i++) {
        if (!ir_verify_operand(v, op, i, first))
            return false;
    }
    return verify_result(v, op, result);
}

/* ---- values and shapes ----------------------------------------------------------------------- */

bool ir_verify_fits_element(uint64_t bits, int elem)
{
    int width = elem == IR_BOOL ? 1 : ir_elems[elem].bits;
    return width == 64 || bits >> width == 0;
}

static bool check_constant(struct verifier *v, const struct ir_op *op)
{
    if (!ir_verify_result_count(v, op, 1))
        return false;
    struct ir_type type = op->results[0]->type;
    CHECK(!type.pointer, "of a pointer");
    CHECK(ir_verify_fits_element(op->attributes.bits, type.elem), "bits do not fit in %s",
          ir_elems[type.elem].name);
    return true;
}

static bool check_table(struct verifier *v, const struct ir_op *op)
{
    const struct ir_table *table = op->attributes.table;
    CHECK(table && table->bits && table->count >= 1 && table->count <= IR_MAX_TABLE &&
              (unsigned)table->elem < IR_ELEM_COUNT,
          "without a proper table");
    for (int i = 0; i < table->count; i++)
        CHECK(ir_verify_fits_element(table->bits[i], (int)table->elem),
              "element %d does not fit in %s", i, ir_elems[table->elem].name);
    v->table = table;
    return true;
}

static bool check_lookup(struct verifier *v, const struct ir_op *op)
{
    const struct ir_table *table = op->attributes.table;
    return ((table && table == v->table) || check_table(v, op)) &&
           verify_result(v, op, ir_with_elem(operand_type(op, 0), table->elem));
}

static bool check_layout(struct verifier *v, const struct ir_op *op, int64_t elements)
{
    const struct ir_layout *layout = op->attributes.layout;
    CHECK(layout && layout->bits >= 0 && layout->bits <= IR_MAX_LAYOUT_BITS &&
              INT64_C(1) << layout->bits == elements,
          "a layout that does not fit %lld elements", (long long)elements);
    uint32_t seen = 0;
    for (int i = 0; i < layout->bits; i++)
        seen |= layout->bit_order[i] < layout->bits ? 1u << layout->bit_order[i] : 0;
    CHECK(seen == (UINT32_C(1) << layout->bits) - 1, "a layout whose bits are no permutation");
    return true;
}

static bool check_arange(struct verifier *v, const struct ir_op *op)
{
    int64_t count;
    bool overflow = __builtin_sub_overflow(op->attributes.end, op->attributes.begin, &count);
    CHECK(!overflow && count >= 1 && count <= IR_MAX_ELEMENTS, "from %lld to %lld",
          (long long)op->attributes.begin, (long long)op->attributes.end);
    int32_t dim = (int32_t)count;
    if (!verify_result(v, op, ir_tile(IR_I64, 1, &dim)))
        return false;
    return !op->attributes.layout || check_layout(v, op, count);
}

static bool check_broadcast(struct verifier *v, const struct ir_op *op)
{
    if (!ir_verify_result_count(v, op, 1))
        return false;
    struct ir_type from = operand_type(op, 0), to = op->results[0]->type;
    bool fits = from.elem == to.elem && from.pointer == to.pointer &&
                (from.rank == 0 || from.rank == to.rank);
    for (int i = 0; i < from.rank && fits; i++)
        fits = from.dims[i] == to.dims[i] || from.dims[i] == 1;
    CHECK(fits, "from %s to %s", ir_verify_type_text(v, from), ir_verify_type_text(v, to));
    return true;
}

static bool check_reshape(struct verifier *v, const struct ir_op *op)
{
    if (!ir_verify_result_count(v, op, 1))
        return false;
    struct ir_type from = operand_type(op, 0), to = op->results[0]->type;
    CHECK(from.elem == to.elem && from.pointer == to.pointer &&
              ir_element_count(from) == ir_element_count(to),
          "from %s to %s", ir_verify_type_text(v, from), ir_verify_type_text(v, to));
    return true;
}

static bool check_trans(struct verifier *v, const struct ir_op *op)
{
    struct ir_type from = operand_type(op, 0), to = from;
    unsigned seen = 0;
    for (int i = 0; i < from.rank; i++) {
        int axis = op->attributes.permutation[i];
        CHECK(axis < from.rank && !(seen >> axis & 1), "axes are no permutation");
        seen |= 1u << axis;
        to.dims[i] = from.dims[axis];
    }
    return verify_result(v, op, to);
}

static bool check_join(struct verifier *v, const struct ir_op *op)
{
    struct ir_type type = operand_type(op, 0);
    CHECK(type.rank < IR_MAX_RANK, "more than %d axes", (int)IR_MAX_RANK);
    if (!ir_verify_operand(v, op, 1, type))
        return false;
    type.dims[type.rank++] = 2;
    return verify_result(v, op, type);
}

static bool check_split(struct verifier *v, const struct ir_op *op)
{
    struct ir_type type = operand_type(op, 0);
    CHECK(type.rank > 0 && type.dims[type.rank - 1] == 2, "the last axis of %s is not 2",
          ir_verify_type_text(v, type));
    type = ir_without_axis(type, type.rank - 1);
    return ir_verify_result_count(v, op, 2) &&
           ir_verify_type(v, op, "result", 0, op->results[0]->type, type) &&
           ir_verify_type(v, op, "result", 1, op->results[1]->type, type);
}

static bool check_axis(struct verifier *v, const struct ir_op *op)
{
    int axis = op->attributes.axis;
    CHECK(axis >= 0 && axis < operand_type(op, 0).rank, "axis %d of %s", axis,
          ir_verify_type_text(v, operand_type(op, 0)));
    return true;
}

static bool check_gather(struct verifier *v, const struct ir_op *op)
{
    if (!check_axis(v, op))
        return false;
    struct ir_type from = operand_type(op, 0), index = operand_type(op, 1), shape = from;
    int axis = op->attributes.axis;
    CHECK(index.rank == from.rank, "operand 1 has type %s", ir_verify_type_text(v, index));
    shape.dims[axis] = index.dims[axis];
    return ir_verify_operand(v, op, 1, ir_with_elem(shape, IR_I64)) && verify_result(v, op, shape);
}

static bool check_grid_axis(struct verifier *v, const struct ir_op *op)
{
    CHECK(op->attributes.axis >= 0 && op->attributes.axis < 3, "axis %d", op->attributes.axis);
    return verify_result(v, op, ir_scalar(IR_I64));
}

static bool check_convert_layout(struct verifier *v, const struct ir_op *op)
{
    struct ir_type type = operand_type(op, 0);
    return check_layout(v, op, ir_element_count(type)) && verify_result(v, op, type);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* The type behind the pointers of operand 0. */
static bool check_pointer(struct verifier *v, const struct ir_op *op, struct ir_type *element)
{
    struct ir_type type = operand_type(op, 0);
    CHECK(type.pointer, "operand 0 has type %s, expected a pointer", ir_verify_type_text(v, type));
    *element = ir_with_elem(type, (enum ir_elem)type.elem);
    return true;
}

static bool check_load(struct verifier *v, const struct ir_op *op)
{
    struct ir_type type;
    if (!check_pointer(v, op, &type))
        return false;
    CHECK(op->operand_count != 2, "a mask without a value for what is masked off");
    if (op->operand_count == 3 &&
        (!ir_verify_operand(v, op, 1, bool_like(type)) || !ir_verify_operand(v, op, 2, type)))
        return false;
    return verify_result(v, op, type);
}

/* A store or an atomic with so many values behind the pointer, then perhaps a mask. */
static bool check_write(struct verifier *v, const struct ir_op *op, int values, bool has_result)
{
    struct ir_type type;
    if (!check_pointer(v, op, &type))
        return false;
    for (int i = 1; i <= values; i++) {
        if (!ir_verify_operand(v, op, i, type))
            return false;
    }
    if (op->operand_count > values + 1 && !ir_verify_operand(v, op, values + 1, bool_like(type)))
        return false;
    return has_result ? verify_result(v, op, type) : ir_verify_result_count(v, op, 0);
}

static bool check_store(struct verifier *v, const struct ir_op *op)
{
    return check_write(v, op, 1, false);
}

static bool check_exchange(struct verifier *v, const struct ir_op *op)
{
    return check_write(v, op, 1, true);
}

static bool check_compare_exchange(struct verifier *v, const struct ir_op *op)
{
    return check_write(v, op, 2, true);
}

static bool check_arithmetic_atomic(struct verifier *v, const struct ir_op *op)
{
    CHECK(operand_type(op, 0).elem != IR_BOOL, "not allowed on bool");
    return check_write(v, op, 1, true);
}

static bool check_bit_atomic(struct verifier *v, const struct ir_op *op)
{
    enum ir_elem elem = (enum ir_elem)operand_type(op, 0).elem;
    CHECK(!ir_is_float(elem), "not allowed on %s", ir_elems[elem].name);
    return check_write(v, op, 1, true);
}

static bool check_view(struct verifier *v, const struct ir_op *op)
{
    int rank = op->attributes.view_rank, last = op->operand_count - 1;
    CHECK(rank >= 1 && rank <= IR_MAX_RANK && last == 3 * rank + 1,
          "%d operands for a view of rank %d", op->operand_count, rank);
    struct ir_type base = operand_type(op, 0);
    CHECK(base.pointer && base.rank == 0, "operand 0 has type %s, expected a scalar pointer",
          ir_verify_type_text(v, base));
    for (int i = 1; i < last; i++) {
        if (!ir_verify_operand(v, op, i, ir_scalar(IR_I64)))
            return false;
    }
    enum ir_elem elem = (enum ir_elem)base.elem;
    struct ir_type tile = operand_type(op, last);
    if (op->code == IR_OP_VIEW_LOAD) {
        if (!ir_verify_operand(v, op, last, ir_scalar(elem)) || !ir_verify_result_count(v, op, 1))
            return false;
        tile = op->results[0]->type;
    } else if (!ir_verify_result_count(v, op, 0)) {
        return false;
    }
    CHECK(!tile.pointer && tile.elem == elem && tile.rank >= 1 && tile.rank <= rank,
          "a tile of type %s through a view of %s and rank %d", ir_verify_type_text(v, tile),
          ir_elems[elem].name, rank);
    return true;
}

/* ---- collectives ----------------------------------------------------------------------------- */

static bool is_accumulator(enum ir_elem elem)
{
    return elem == IR_F32 || elem == IR_F64 || elem == IR_I32 || elem == IR_I64 || elem == IR_U32 ||
           elem == IR_U64;
}

static bool check_reduction(struct verifier *v, const struct ir_op *op)
{
    struct ir_type type = operand_type(op, 0);
    int axis = op->attributes.axis;
    if (axis != -1 && !check_axis(v, op))
        return false;
    struct ir_type result = ir_without_axis(type, axis);
    if (op->code == IR_OP_SUM || op->code == IR_OP_PROD) {
        CHECK(is_accumulator((enum ir_elem)type.elem), "not allowed on %s",
              ir_verify_type_text(v, type));
    } else if (op->code == IR_OP_ANY || op->code == IR_OP_ALL) {
        return ir_verify_operand(v, op, 0, bool_like(type)) && verify_result(v, op, result);
    } else if (op->code == IR_OP_ARGMAX || op->code == IR_OP_ARGMIN) {
        result = ir_with_elem(result, IR_I64);
    }
    return verify_result(v, op, result);
}

bool ir_verify_scan_op(struct verifier *v, const struct ir_op *op)
{
    struct ir_type type = operand_type(op, 0);
    if (!check_axis(v, op))
        return false;
    CHECK(!type.pointer, "not allowed on %s", ir_verify_type_text(v, type));
    bool accumulates = op->code == IR_OP_CUMSUM || op->code == IR_OP_CUMPROD;
    CHECK(!accumulates || is_accumulator((enum ir_elem)type.elem), "not allowed on %s",
          ir_verify_type_text(v, type));
    return verify_result(v, op, type);
}

static bool check_dot(struct verifier *v, const struct ir_op *op)
{
    struct ir_type a = operand_type(op, 0), b = operand_type(op, 1), acc = operand_type(op, 2);
    enum ir_elem elem = (enum ir_elem)a.elem, sum = elem;
    if (elem == IR_F16 || elem == IR_BF16)
        sum = IR_F32;
    else if (elem == IR_I8)
        sum = IR_I32;
    else
        CHECK(elem == IR_F32 || elem == IR_F64, "not allowed on %s", ir_verify_type_text(v, a));
    CHECK(a.rank == 2 && b.rank == 2 && acc.rank == 2 && !a.pointer && !b.pointer &&
              b.elem == elem && a.dims[1] == b.dims[0] && a.dims[0] == acc.dims[0] &&
              b.dims[1] == acc.dims[1],
          "of %s, %s and %s", ir_verify_type_text(v, a), ir_verify_type_text(v, b),
          ir_verify_type_text(v, acc));
    return ir_verify_operand(v, op, 2, ir_with_elem(acc, sum)) && verify_result(v, op, acc);
}

/* ---- messages -------------------------------------------------------------------------------- */

static bool check_assert(struct verifier *v, const struct ir_op *op)
{
    return ir_verify_operand(v, op, 0, bool_like(operand_type(op, 0))) &&
           ir_verify_result_count(v, op, 0);
}

static bool check_print(struct verifier *v, const struct ir_op *op)
{
    return ir_verify_result_count(v, op, 0);
}

/* ---- all ops --------------------------------------------------------------------------------- */

/* The ops whose rule is SPECIAL in the table, but for those of GPU IR, which src/gpu/verify.c
 * checks. */
static bool (*const by_hand[IR_OP_COUNT])(struct verifier *v, const struct ir_op *op) = {
    [IR_OP_CONSTANT] = check_constant,
    [IR_OP_PROGRAM_ID] = check_grid_axis,
    [IR_OP_NUM_PROGRAMS] = check_grid_axis,
    [IR_OP_ARANGE] = check_arange,
    [IR_OP_LOOKUP] = check_lookup,
    [IR_OP_BROADCAST] = check_broadcast,
    [IR_OP_RESHAPE] = check_reshape,
    [IR_OP_TRANS] = check_trans,
    [IR_OP_JOIN] = check_join,
    [IR_OP_SPLIT] = check_split,
    [IR_OP_GATHER] = check_gather,
    [IR_OP_CONVERT_LAYOUT] = check_convert_layout,
    [IR_OP_LOAD] = check_load,
    [IR_OP_STORE] = check_store,
    [IR_OP_ATOMIC_ADD] = check_arithmetic_atomic,
    [IR_OP_ATOMIC_MAX] = check_arithmetic_atomic,
    [IR_OP_ATOMIC_MIN] = check_arithmetic_atomic,
    [IR_OP_ATOMIC_AND] = check_bit_atomic,
    [IR_OP_ATOMIC_OR] = check_bit_atomic,
    [IR_OP_ATOMIC_XOR] = check_bit_atomic,
    [IR_OP_ATOMIC_XCHG] = check_exchange,
    [IR_OP_ATOMIC_CAS] = check_compare_exchange,
    [IR_OP_VIEW_LOAD] = check_view,
    [IR_OP_VIEW_STORE] = check_view,
    [IR_OP_SUM] = check_reduction,
    [IR_OP_PROD] = check_reduction,
    [IR_OP_MAX] = check_reduction,
    [IR_OP_MIN] = check_reduction,
    [IR_OP_ARGMAX] = check_reduction,
    [IR_OP_ARGMIN] = check_reduction,
    [IR_OP_ANY] = check_reduction,
    [IR_OP_ALL] = check_reduction,
    [IR_OP_CUMSUM] = ir_verify_scan_op,
    [IR_OP_CUMMAX] = ir_verify_scan_op,
    [IR_OP_CUMMIN] = ir_verify_scan_op,
    [IR_OP_CUMPROD] = ir_verify_scan_op,
    [IR_OP_SCAN] = ir_verify_scan,
    [IR_OP_DOT] = check_dot,
    [IR_OP_FOR] = ir_verify_for,
    [IR_OP_IF] = ir_verify_if,
    [IR_OP_WHILE] = ir_verify_while,
    [IR_OP_YIELD] = ir_verify_yield,
    [IR_OP_CONDITION] = ir_verify_yield,
    [IR_OP_RETURN] = ir_verify_return,
    [IR_OP_ASSERT] = check_assert,
    [IR_OP_PRINT] = check_print,
};

static bool check_by_hand(struct verifier *v, const struct ir_op *op)
{
    if ((int)op->code >= (int)IR_OP_COUNT)
        return true;
    CHECK(by_hand[op->code], "has no rule in the verifier");
    return by_hand[op->code](v, op);
}

/* Host functions compute grids and launch requirements from scalars alone. */
static bool check_host(struct verifier *v, const struct ir_op *op)
{
    CHECK(!ir_has(op, IR_READS) && !ir_has(op, IR_WRITES) && op->code != IR_OP_PROGRAM_ID &&
              op->code != IR_OP_NUM_PROGRAMS && op->code != IR_OP_LOOKUP,
          "not allowed in a host function");
    for (int i = 0; i < op->result_count; i++)
        CHECK(op->results[i]->type.rank == 0, "a tile in a host function");
    return true;
}

bool ir_verify_op(struct verifier *v, const struct ir_op *op)
{
    CHECK(op == op->parent->last || !ir_has(op, IR_TERMINATOR), "is not the last op of its region");
    CHECK(ir_has(op, IR_REGION) || op->region_count == 0, "has a region");
    if (v->func->result_count > 0 && !check_host(v, op))
        return false;
    if (ir_ops[op->code].rule == IR_RULE_SPECIAL)
        return (op->operand_count == 0 || check_element(v, op)) && check_by_hand(v, op);
    return check_element(v, op) && check_by_rule(v, op);
}
