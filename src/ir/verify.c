/*
 * The verifier of Tile IR.
 *
 * Three steps, each of which relies on the one before:
 *   structure   pointers, links and counts hang together; gives every value a number
 *   visibility  an operand is defined before its use, in the same region or in one around it
 *   ops         counts and types, from the op table where its rule says all, else by hand
 *
 * An op's errors stop at its first one, so that none is a follow-up of another; the same holds for
 * a whole function whose structure is broken.
 */
#include "ir/ir.h"

#include <string.h>

struct verifier {
    struct diagnostics *diagnostics;
    const struct ir_func *func;
    enum ir_level level;
    struct {
        struct ir_value **items;
        size_t count, capacity;
    } values;                     /* by id */
    bool *visible;                /* by id, while the walk is where the value may be used */
    const struct ir_table *table; /* the last one that was found proper */
    int op_count;
    bool fine;
};

static bool broken(struct verifier *v, const struct ir_op *op, const char *message)
{
    v->fine = false;
    if (op)
        diagnostics_add(v->diagnostics, DIAGNOSTIC_ERROR, op->range, "'%s': %s",
                        ir_ops[op->code].name, message);
    else
        diagnostics_add(v->diagnostics, DIAGNOSTIC_ERROR, v->func->range, "function '%s': %s",
                        v->func->name ? v->func->name : "", message);
    return false;
}

#define BROKEN(v, op, ...) broken((v), (op), arena_format((v)->diagnostics->arena, __VA_ARGS__))
#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return BROKEN(v, op, __VA_ARGS__);                                                     \
    } while (0)

static const char *type_text(struct verifier *v, struct ir_type type)
{
    struct text text;
    text_init(&text, v->diagnostics->arena);
    ir_type_print(type, &text);
    return text.items;
}

/* ---- structure ----------------------------------------------------------------------------- */

static bool is_type(struct ir_type type, enum ir_level level)
{
    int64_t elements = 1;
    if (type.space > (level == IR_LEVEL_GPU && type.pointer ? IR_SPACE_THREADGROUP : 0))
        return false;
    if (type.elem >= IR_ELEM_COUNT || type.rank > IR_MAX_RANK)
        return false;
    for (int i = 0; i < IR_MAX_RANK; i++) {
        if (i >= type.rank ? type.dims[i] != 0 : type.dims[i] < 1)
            return false;
        if (i < type.rank)
            elements *= type.dims[i]; /* at most 2^20 * 2^31 */
        if (elements > IR_MAX_ELEMENTS)
            return false;
    }
    return true;
}

static bool add_value(struct verifier *v, const struct ir_op *op, struct ir_value *value)
{
    CHECK(value && is_type(value->type, v->level), "a value without a proper type");
    value->id = (int)v->values.count;
    ARENA_PUSH(v->diagnostics->arena, &v->values, value);
    return true;
}

static bool check_counts(struct verifier *v, const struct ir_op *op)
{
    const struct ir_op_info *info = &ir_ops[op->code];
    int most = info->most < 0 ? IR_MAX_OPERANDS : info->most;
    CHECK(op->operand_count >= info->least && op->operand_count <= most,
          info->least == most ? "%d operands, expected %d" : "%d operands, expected %d to %d",
          op->operand_count, info->least, most);
    CHECK(op->result_count >= 0 && op->result_count <= IR_MAX_OPERANDS, "%d results",
          op->result_count);
    CHECK(op->region_count >= 0 && op->region_count <= 2, "%d regions", op->region_count);
    CHECK((op->operand_count == 0 || op->operands) && (op->result_count == 0 || op->results) &&
              (op->region_count == 0 || op->regions),
          "a list is missing");
    return true;
}

static bool collect_region(struct verifier *v, const struct ir_op *op,
                           const struct ir_region *region, int depth);

static bool collect_op(struct verifier *v, const struct ir_region *region,
                       const struct ir_op *previous, const struct ir_op *op, int depth)
{
    if (++v->op_count > IR_MAX_OPS)
        return BROKEN(v, NULL, "more than %d ops", (int)IR_MAX_OPS);
    int codes = v->level == IR_LEVEL_GPU ? (int)GPU_OP_END : (int)IR_OP_COUNT;
    if ((unsigned)op->code >= (unsigned)codes)
        return BROKEN(v, NULL, "an op with an unknown code %d", (int)op->code);
    CHECK(op->parent == region && op->previous == previous &&
              (op->next ? op->next->previous == op : region->last == op),
          "links of the op list are broken");
    if (!check_counts(v, op))
        return false;
    for (int i = 0; i < op->result_count; i++) {
        if (!add_value(v, op, op->results[i]))
            return false;
        CHECK(op->results[i]->op == op && op->results[i]->index == i,
              "result %d does not know its op", i);
    }
    for (int i = 0; i < op->operand_count; i++)
        CHECK(op->operands[i], "operand %d is missing", i);
    for (int i = 0; i < op->region_count; i++) {
        CHECK(op->regions[i] && op->regions[i]->parent == op, "region %d does not know its op", i);
        if (!collect_region(v, op, op->regions[i], depth + 1))
            return false;
    }
    return true;
}

/* op: the one that holds the region, or NULL */
static bool collect_region(struct verifier *v, const struct ir_op *op,
                           const struct ir_region *region, int depth)
{
    CHECK(depth <= IR_MAX_DEPTH, "regions nest more than %d deep", (int)IR_MAX_DEPTH);
    CHECK(region->argument_count >= 0 && region->argument_count <= IR_MAX_OPERANDS + 1 &&
              (region->argument_count == 0 || region->arguments),
          "a region with %d arguments", region->argument_count);
    for (int i = 0; i < region->argument_count; i++) {
        struct ir_value *argument = region->arguments[i];
        if (!add_value(v, op, argument))
            return false;
        CHECK(!argument->op && argument->region == region && argument->index == i,
              "argument %d does not know its region", i);
    }
    const struct ir_op *previous = NULL;
    for (const struct ir_op *inner = region->first; inner; inner = inner->next) {
        if (!collect_op(v, region, previous, inner, depth))
            return false;
        previous = inner;
    }
    CHECK(previous && previous == region->last && ir_has(previous, IR_TERMINATOR),
          "a region without a terminator");
    return true;
}

/* ---- pieces of the type rules -------------------------------------------------------------- */

static struct ir_type operand_type(const struct ir_op *op, int i)
{
    return op->operands[i]->type;
}

static bool expect_type(struct verifier *v, const struct ir_op *op, const char *what, int i,
                        struct ir_type actual, struct ir_type wanted)
{
    CHECK(ir_type_equal(actual, wanted), "%s %d has type %s, expected %s", what, i,
          type_text(v, actual), type_text(v, wanted));
    return true;
}

static bool expect_operand(struct verifier *v, const struct ir_op *op, int i, struct ir_type wanted)
{
    return expect_type(v, op, "operand", i, operand_type(op, i), wanted);
}

static bool expect_results(struct verifier *v, const struct ir_op *op, int count)
{
    CHECK(op->result_count == count, "%d results, expected %d", op->result_count, count);
    return true;
}

static bool expect_result(struct verifier *v, const struct ir_op *op, struct ir_type wanted)
{
    return expect_results(v, op, 1) &&
           expect_type(v, op, "result", 0, op->results[0]->type, wanted);
}

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
    CHECK(allowed && !type.pointer, "not allowed on %s", type_text(v, type));
    CHECK(op->code != IR_OP_FMA || elem == IR_F32 || elem == IR_F64, "not allowed on %s",
          type_text(v, type));
    return true;
}

static struct ir_type bool_like(struct ir_type shape)
{
    return ir_with_elem(shape, IR_BOOL);
}

/* ---- ops whose rule stands in the table ----------------------------------------------------- */

static bool check_cast(struct verifier *v, const struct ir_op *op)
{
    struct ir_type from = operand_type(op, 0);
    if (!expect_results(v, op, 1))
        return false;
    struct ir_type to = op->results[0]->type;
    CHECK(ir_shape_equal(from, to) && !from.pointer && !to.pointer && from.elem != to.elem,
          "from %s to %s", type_text(v, from), type_text(v, to));
    CHECK(op->code == IR_OP_CAST || (ir_elems[from.elem].bits == ir_elems[to.elem].bits &&
                                     from.elem != IR_BOOL && to.elem != IR_BOOL),
          "from %s to %s", type_text(v, from), type_text(v, to));
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
        CHECK(first.pointer, "operand 0 has type %s, expected a pointer", type_text(v, first));
        return expect_operand(v, op, 1, ir_with_elem(first, IR_I64)) && expect_result(v, op, first);
    case IR_RULE_SELECT:
        result = operand_type(op, 1);
        return expect_operand(v, op, 0, bool_like(result)) && expect_operand(v, op, 2, result) &&
               expect_result(v, op, result);
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
        if (!expect_operand(v, op, i, first))
            return false;
    }
    return expect_result(v, op, result);
}

/* ---- ops checked by hand: values and shapes ------------------------------------------------- */

static bool fits_element(uint64_t bits, int elem)
{
    int width = elem == IR_BOOL ? 1 : ir_elems[elem].bits;
    return width == 64 || bits >> width == 0;
}

static bool check_constant(struct verifier *v, const struct ir_op *op)
{
    if (!expect_results(v, op, 1))
        return false;
    struct ir_type type = op->results[0]->type;
    CHECK(!type.pointer, "of a pointer");
    CHECK(fits_element(op->attributes.bits, type.elem), "bits do not fit in %s",
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
        CHECK(fits_element(table->bits[i], (int)table->elem), "element %d does not fit in %s", i,
              ir_elems[table->elem].name);
    v->table = table;
    return true;
}

static bool check_lookup(struct verifier *v, const struct ir_op *op)
{
    const struct ir_table *table = op->attributes.table;
    return ((table && table == v->table) || check_table(v, op)) &&
           expect_result(v, op, ir_with_elem(operand_type(op, 0), table->elem));
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
    if (!expect_result(v, op, ir_tile(IR_I64, 1, &dim)))
        return false;
    return !op->attributes.layout || check_layout(v, op, count);
}

static bool check_broadcast(struct verifier *v, const struct ir_op *op)
{
    if (!expect_results(v, op, 1))
        return false;
    struct ir_type from = operand_type(op, 0), to = op->results[0]->type;
    bool fits = from.elem == to.elem && from.pointer == to.pointer &&
                (from.rank == 0 || from.rank == to.rank);
    for (int i = 0; i < from.rank && fits; i++)
        fits = from.dims[i] == to.dims[i] || from.dims[i] == 1;
    CHECK(fits, "from %s to %s", type_text(v, from), type_text(v, to));
    return true;
}

static bool check_reshape(struct verifier *v, const struct ir_op *op)
{
    if (!expect_results(v, op, 1))
        return false;
    struct ir_type from = operand_type(op, 0), to = op->results[0]->type;
    CHECK(from.elem == to.elem && from.pointer == to.pointer &&
              ir_element_count(from) == ir_element_count(to),
          "from %s to %s", type_text(v, from), type_text(v, to));
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
    return expect_result(v, op, to);
}

static bool check_join(struct verifier *v, const struct ir_op *op)
{
    struct ir_type type = operand_type(op, 0);
    CHECK(type.rank < IR_MAX_RANK, "more than %d axes", (int)IR_MAX_RANK);
    if (!expect_operand(v, op, 1, type))
        return false;
    type.dims[type.rank++] = 2;
    return expect_result(v, op, type);
}

static bool check_split(struct verifier *v, const struct ir_op *op)
{
    struct ir_type type = operand_type(op, 0);
    CHECK(type.rank > 0 && type.dims[type.rank - 1] == 2, "the last axis of %s is not 2",
          type_text(v, type));
    type = ir_without_axis(type, type.rank - 1);
    return expect_results(v, op, 2) &&
           expect_type(v, op, "result", 0, op->results[0]->type, type) &&
           expect_type(v, op, "result", 1, op->results[1]->type, type);
}

static bool check_axis(struct verifier *v, const struct ir_op *op)
{
    int axis = op->attributes.axis;
    CHECK(axis >= 0 && axis < operand_type(op, 0).rank, "axis %d of %s", axis,
          type_text(v, operand_type(op, 0)));
    return true;
}

static bool check_gather(struct verifier *v, const struct ir_op *op)
{
    if (!check_axis(v, op))
        return false;
    struct ir_type from = operand_type(op, 0), index = operand_type(op, 1), shape = from;
    int axis = op->attributes.axis;
    CHECK(index.rank == from.rank, "operand 1 has type %s", type_text(v, index));
    shape.dims[axis] = index.dims[axis];
    return expect_operand(v, op, 1, ir_with_elem(shape, IR_I64)) && expect_result(v, op, shape);
}

static bool check_grid_axis(struct verifier *v, const struct ir_op *op)
{
    CHECK(op->attributes.axis >= 0 && op->attributes.axis < 3, "axis %d", op->attributes.axis);
    return expect_result(v, op, ir_scalar(IR_I64));
}

/* ---- ops checked by hand: memory ------------------------------------------------------------ */

/* The type behind the pointers of operand 0. */
static bool check_pointer(struct verifier *v, const struct ir_op *op, struct ir_type *element)
{
    struct ir_type type = operand_type(op, 0);
    CHECK(type.pointer, "operand 0 has type %s, expected a pointer", type_text(v, type));
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
        (!expect_operand(v, op, 1, bool_like(type)) || !expect_operand(v, op, 2, type)))
        return false;
    return expect_result(v, op, type);
}

/* A store or an atomic with so many values behind the pointer, then perhaps a mask. */
static bool check_write(struct verifier *v, const struct ir_op *op, int values, bool has_result)
{
    struct ir_type type;
    if (!check_pointer(v, op, &type))
        return false;
    for (int i = 1; i <= values; i++) {
        if (!expect_operand(v, op, i, type))
            return false;
    }
    if (op->operand_count > values + 1 && !expect_operand(v, op, values + 1, bool_like(type)))
        return false;
    return has_result ? expect_result(v, op, type) : expect_results(v, op, 0);
}

static bool check_arithmetic_atomic(struct verifier *v, const struct ir_op *op)
{
    CHECK(operand_type(op, 0).elem != IR_BOOL, "not allowed on bool");
    return check_write(v, op, 1, true);
}

static bool check_view(struct verifier *v, const struct ir_op *op)
{
    int rank = op->attributes.view_rank, last = op->operand_count - 1;
    CHECK(rank >= 1 && rank <= IR_MAX_RANK && last == 3 * rank + 1,
          "%d operands for a view of rank %d", op->operand_count, rank);
    struct ir_type base = operand_type(op, 0);
    CHECK(base.pointer && base.rank == 0, "operand 0 has type %s, expected a scalar pointer",
          type_text(v, base));
    for (int i = 1; i < last; i++) {
        if (!expect_operand(v, op, i, ir_scalar(IR_I64)))
            return false;
    }
    enum ir_elem elem = (enum ir_elem)base.elem;
    struct ir_type tile = operand_type(op, last);
    if (op->code == IR_OP_VIEW_LOAD) {
        if (!expect_operand(v, op, last, ir_scalar(elem)) || !expect_results(v, op, 1))
            return false;
        tile = op->results[0]->type;
    } else if (!expect_results(v, op, 0)) {
        return false;
    }
    CHECK(!tile.pointer && tile.elem == elem && tile.rank >= 1 && tile.rank <= rank,
          "a tile of type %s through a view of %s and rank %d", type_text(v, tile),
          ir_elems[elem].name, rank);
    return true;
}

/* ---- ops checked by hand: collectives -------------------------------------------------------- */

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
        CHECK(is_accumulator((enum ir_elem)type.elem), "not allowed on %s", type_text(v, type));
    } else if (op->code == IR_OP_ANY || op->code == IR_OP_ALL) {
        return expect_operand(v, op, 0, bool_like(type)) && expect_result(v, op, result);
    } else if (op->code == IR_OP_ARGMAX || op->code == IR_OP_ARGMIN) {
        result = ir_with_elem(result, IR_I64);
    }
    return expect_result(v, op, result);
}

static bool check_scan_op(struct verifier *v, const struct ir_op *op)
{
    struct ir_type type = operand_type(op, 0);
    if (!check_axis(v, op))
        return false;
    CHECK(!type.pointer, "not allowed on %s", type_text(v, type));
    CHECK(op->code != IR_OP_CUMSUM || is_accumulator((enum ir_elem)type.elem), "not allowed on %s",
          type_text(v, type));
    return expect_result(v, op, type);
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
        CHECK(elem == IR_F32 || elem == IR_F64, "not allowed on %s", type_text(v, a));
    CHECK(a.rank == 2 && b.rank == 2 && acc.rank == 2 && !a.pointer && !b.pointer &&
              b.elem == elem && a.dims[1] == b.dims[0] && a.dims[0] == acc.dims[0] &&
              b.dims[1] == acc.dims[1],
          "of %s, %s and %s", type_text(v, a), type_text(v, b), type_text(v, acc));
    return expect_operand(v, op, 2, ir_with_elem(acc, sum)) && expect_result(v, op, acc);
}

/* ---- ops checked by hand: control ------------------------------------------------------------ */

static bool expect_regions(struct verifier *v, const struct ir_op *op, int count)
{
    CHECK(op->region_count == count, "%d regions, expected %d", op->region_count, count);
    return true;
}

/* Arguments from first on have the types of the values. */
static bool expect_arguments(struct verifier *v, const struct ir_op *op,
                             const struct ir_region *region, int first,
                             struct ir_value *const *values, int count)
{
    CHECK(region->argument_count == first + count, "a region with %d arguments, expected %d",
          region->argument_count, first + count);
    for (int i = 0; i < count; i++) {
        if (!expect_type(v, op, "region argument", first + i, region->arguments[first + i]->type,
                         values[i]->type))
            return false;
    }
    return true;
}

/* The region ends with the terminator, whose operands from first on have the values' types. */
static bool expect_end(struct verifier *v, const struct ir_region *region, enum ir_opcode code,
                       int first, struct ir_value *const *values, int count)
{
    const struct ir_op *op = region->last;
    CHECK(op->code == code, "ends a region that '%s' should end", ir_ops[code].name);
    CHECK(op->operand_count == first + count, "%d operands, expected %d", op->operand_count,
          first + count);
    for (int i = 0; i < count; i++) {
        if (!expect_operand(v, op, first + i, values[i]->type))
            return false;
    }
    return true;
}

static bool expect_results_like(struct verifier *v, const struct ir_op *op,
                                struct ir_value *const *values, int count)
{
    if (!expect_results(v, op, count))
        return false;
    for (int i = 0; i < count; i++) {
        if (!expect_type(v, op, "result", i, op->results[i]->type, values[i]->type))
            return false;
    }
    return true;
}

static bool check_for(struct verifier *v, const struct ir_op *op)
{
    if (!expect_regions(v, op, 1))
        return false;
    for (int i = 0; i < 3; i++) {
        if (!expect_operand(v, op, i, ir_scalar(IR_I64)))
            return false;
    }
    struct ir_value *const *inits = op->operands + 3;
    int count = op->operand_count - 3;
    const struct ir_region *body = op->regions[0];
    return expect_results_like(v, op, inits, count) &&
           expect_arguments(v, op, body, 1, inits, count) &&
           expect_type(v, op, "region argument", 0, body->arguments[0]->type, ir_scalar(IR_I64)) &&
           expect_end(v, body, IR_OP_YIELD, 0, inits, count);
}

static bool check_if(struct verifier *v, const struct ir_op *op)
{
    if (!expect_regions(v, op, 2) || !expect_operand(v, op, 0, ir_scalar(IR_BOOL)))
        return false;
    for (int i = 0; i < 2; i++) {
        if (!expect_arguments(v, op, op->regions[i], 0, NULL, 0) ||
            !expect_end(v, op->regions[i], IR_OP_YIELD, 0, op->results, op->result_count))
            return false;
    }
    return true;
}

static bool check_while(struct verifier *v, const struct ir_op *op)
{
    if (!expect_regions(v, op, 2))
        return false;
    struct ir_value *const *inits = op->operands;
    int count = op->operand_count;
    return expect_results_like(v, op, inits, count) &&
           expect_arguments(v, op, op->regions[0], 0, inits, count) &&
           expect_arguments(v, op, op->regions[1], 0, inits, count) &&
           expect_end(v, op->regions[0], IR_OP_CONDITION, 1, inits, count) &&
           expect_end(v, op->regions[1], IR_OP_YIELD, 0, inits, count);
}

static bool check_scan(struct verifier *v, const struct ir_op *op)
{
    if (!expect_regions(v, op, 1) || !check_scan_op(v, op))
        return false;
    struct ir_value scalar = {.type = ir_without_axis(operand_type(op, 0), -1)};
    struct ir_value *pair[] = {&scalar, &scalar};
    for (const struct ir_op *inner = op->regions[0]->first; inner; inner = inner->next) {
        CHECK(ir_has(inner, IR_PURE) || ir_has(inner, IR_TERMINATOR),
              "'%s' inside, which is not pure", ir_ops[inner->code].name);
    }
    return expect_arguments(v, op, op->regions[0], 0, pair, 2) &&
           expect_end(v, op->regions[0], IR_OP_YIELD, 0, pair, 1);
}

static bool check_return(struct verifier *v, const struct ir_op *op)
{
    const struct ir_func *func = v->func;
    CHECK(!op->parent->parent, "inside a region");
    CHECK(op->operand_count == func->result_count, "%d values, expected %d", op->operand_count,
          func->result_count);
    for (int i = 0; i < func->result_count; i++) {
        if (!expect_operand(v, op, i, func->results[i]))
            return false;
    }
    return true;
}

static bool check_assert(struct verifier *v, const struct ir_op *op)
{
    return expect_operand(v, op, 0, bool_like(operand_type(op, 0)));
}

/* ---- all ops --------------------------------------------------------------------------------- */

static bool check_special(struct verifier *v, const struct ir_op *op)
{
    if ((int)op->code >= (int)IR_OP_COUNT)
        return true; /* src/gpu/verify.c's */
    switch (op->code) {
    case IR_OP_CONSTANT:
        return check_constant(v, op);
    case IR_OP_PROGRAM_ID:
    case IR_OP_NUM_PROGRAMS:
        return check_grid_axis(v, op);
    case IR_OP_ARANGE:
        return check_arange(v, op);
    case IR_OP_LOOKUP:
        return check_lookup(v, op);
    case IR_OP_BROADCAST:
        return check_broadcast(v, op);
    case IR_OP_RESHAPE:
        return check_reshape(v, op);
    case IR_OP_TRANS:
        return check_trans(v, op);
    case IR_OP_JOIN:
        return check_join(v, op);
    case IR_OP_SPLIT:
        return check_split(v, op);
    case IR_OP_GATHER:
        return check_gather(v, op);
    case IR_OP_CONVERT_LAYOUT:
        return check_layout(v, op, ir_element_count(operand_type(op, 0))) &&
               expect_result(v, op, operand_type(op, 0));
    case IR_OP_LOAD:
        return check_load(v, op);
    case IR_OP_STORE:
        return check_write(v, op, 1, false);
    case IR_OP_ATOMIC_ADD:
    case IR_OP_ATOMIC_MAX:
    case IR_OP_ATOMIC_MIN:
        return check_arithmetic_atomic(v, op);
    case IR_OP_ATOMIC_XCHG:
        return check_write(v, op, 1, true);
    case IR_OP_ATOMIC_CAS:
        return check_write(v, op, 2, true);
    case IR_OP_VIEW_LOAD:
    case IR_OP_VIEW_STORE:
        return check_view(v, op);
    case IR_OP_SUM:
    case IR_OP_PROD:
    case IR_OP_MAX:
    case IR_OP_MIN:
    case IR_OP_ARGMAX:
    case IR_OP_ARGMIN:
    case IR_OP_ANY:
    case IR_OP_ALL:
        return check_reduction(v, op);
    case IR_OP_CUMSUM:
    case IR_OP_CUMMAX:
        return check_scan_op(v, op);
    case IR_OP_SCAN:
        return check_scan(v, op);
    case IR_OP_DOT:
        return check_dot(v, op);
    case IR_OP_FOR:
        return check_for(v, op);
    case IR_OP_IF:
        return check_if(v, op);
    case IR_OP_WHILE:
        return check_while(v, op);
    case IR_OP_YIELD:
    case IR_OP_CONDITION:
        CHECK(op->parent->parent, "ends a function");
        CHECK(op->code != IR_OP_CONDITION || ir_type_equal(operand_type(op, 0), ir_scalar(IR_BOOL)),
              "operand 0 has type %s, expected bool", type_text(v, operand_type(op, 0)));
        return expect_results(v, op, 0);
    case IR_OP_RETURN:
        return check_return(v, op) && expect_results(v, op, 0);
    case IR_OP_ASSERT:
        return check_assert(v, op) && expect_results(v, op, 0);
    case IR_OP_PRINT:
        return expect_results(v, op, 0);
    default: /* IR_RULE_SPECIAL means one of the above */
        return BROKEN(v, op, "has no rule in the verifier");
    }
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

static bool check_op(struct verifier *v, const struct ir_op *op)
{
    CHECK(op == op->parent->last || !ir_has(op, IR_TERMINATOR), "is not the last op of its region");
    CHECK(ir_has(op, IR_REGION) || op->region_count == 0, "has a region");
    if (v->func->result_count > 0 && !check_host(v, op))
        return false;
    if (ir_ops[op->code].rule == IR_RULE_SPECIAL)
        return (op->operand_count == 0 || check_element(v, op)) && check_special(v, op);
    return check_element(v, op) && check_by_rule(v, op);
}

/* ---- visibility ------------------------------------------------------------------------------ */

static bool is_visible(const struct verifier *v, const struct ir_value *value)
{
    return value->id >= 0 && (size_t)value->id < v->values.count &&
           v->values.items[value->id] == value && v->visible[value->id];
}

static void set_visible(struct verifier *v, struct ir_value *const *values, int count, bool visible)
{
    for (int i = 0; i < count; i++)
        v->visible[values[i]->id] = visible;
}

static bool check_operands_visible(struct verifier *v, const struct ir_op *op)
{
    for (int i = 0; i < op->operand_count; i++)
        CHECK(is_visible(v, op->operands[i]), "operand %d is not defined where it is used", i);
    return true;
}

static void check_region(struct verifier *v, const struct ir_region *region)
{
    set_visible(v, region->arguments, region->argument_count, true);
    for (const struct ir_op *op = region->first; op; op = op->next) {
        if (check_operands_visible(v, op))
            check_op(v, op);
        for (int i = 0; i < op->region_count; i++)
            check_region(v, op->regions[i]);
        set_visible(v, op->results, op->result_count, true);
    }
    for (const struct ir_op *op = region->first; op; op = op->next)
        set_visible(v, op->results, op->result_count, false);
    set_visible(v, region->arguments, region->argument_count, false);
}

/* ---- functions and kernels ------------------------------------------------------------------- */

static bool is_identifier(const char *name)
{
    for (const char *c = name; *c; c++) {
        bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || *c == '_';
        if (!letter && (c == name || *c < '0' || *c > '9'))
            return false;
    }
    return *name != '\0';
}

static bool check_parameters(struct verifier *v)
{
    const struct ir_func *func = v->func;
    if (func->parameter_count < 0 || func->parameter_count > IR_MAX_OPERANDS ||
        func->body->argument_count != func->parameter_count)
        return BROKEN(v, NULL, "%d arguments for %d parameters", func->body->argument_count,
                      func->parameter_count);
    for (int i = 0; i < func->parameter_count; i++) {
        const struct ir_parameter *parameter = &func->parameters[i];
        if (!is_type(parameter->type, IR_LEVEL_TILE) || parameter->type.rank > 0 ||
            !ir_type_equal(parameter->type, func->body->arguments[i]->type))
            return BROKEN(v, NULL, "parameter %d is neither a scalar nor a pointer", i);
        if (parameter->is_fixed &&
            (parameter->type.pointer || !fits_element(parameter->fixed, parameter->type.elem)))
            return BROKEN(v, NULL, "parameter %d is fixed at what it cannot be", i);
        if (func->result_count > 0 && parameter->type.pointer)
            return BROKEN(v, NULL, "parameter %d of a host function is a pointer", i);
        if (parameter->name && !is_identifier(parameter->name))
            return BROKEN(v, NULL, "the name of parameter %d is no identifier", i);
        for (int k = 0; k < i; k++) {
            const char *other = func->parameters[k].name;
            if (other && parameter->name && strcmp(other, parameter->name) == 0)
                return BROKEN(v, NULL, "parameters %d and %d are both called '%s'", k, i, other);
        }
    }
    return true;
}

static bool check_results(struct verifier *v)
{
    const struct ir_func *func = v->func;
    if (func->result_count < 0 || func->result_count > IR_MAX_OPERANDS)
        return BROKEN(v, NULL, "%d results", func->result_count);
    for (int i = 0; i < func->result_count; i++) {
        if (!is_type(func->results[i], IR_LEVEL_TILE) || func->results[i].rank > 0 ||
            func->results[i].pointer)
            return BROKEN(v, NULL, "result %d is no scalar", i);
    }
    return true;
}

bool ir_verify_level(const struct ir_func *func, enum ir_level level,
                     struct diagnostics *diagnostics)
{
    struct verifier v = {.diagnostics = diagnostics, .func = func, .level = level, .fine = true};
    if (!func->name || !func->body || func->body->parent)
        return BROKEN(&v, NULL, "no name or no body");
    if (!collect_region(&v, NULL, func->body, 1) || !check_parameters(&v) || !check_results(&v))
        return false;
    v.visible = ARENA_ARRAY(diagnostics->arena, bool, v.values.count);
    check_region(&v, func->body);
    return v.fine;
}

bool ir_verify(const struct ir_func *func, struct diagnostics *diagnostics)
{
    return ir_verify_level(func, IR_LEVEL_TILE, diagnostics);
}

/* A host function's parameters are the kernel's scalar parameters, in order. */
static bool check_host_function(const struct ir_func *kernel, const struct ir_func *host,
                                struct diagnostics *diagnostics)
{
    struct verifier v = {.diagnostics = diagnostics, .func = host};
    if (!ir_verify(host, diagnostics))
        return false;
    int k = 0;
    for (int i = 0; i < kernel->parameter_count; i++) {
        if (kernel->parameters[i].type.pointer)
            continue;
        if (k >= host->parameter_count ||
            !ir_type_equal(kernel->parameters[i].type, host->parameters[k].type))
            return BROKEN(&v, NULL, "parameters differ from the scalars of '%s'", kernel->name);
        k++;
    }
    return k == host->parameter_count ||
           BROKEN(&v, NULL, "parameters differ from the scalars of '%s'", kernel->name);
}

static bool check_grid(const struct ir_func *kernel, const struct ir_func *grid,
                       struct diagnostics *diagnostics)
{
    struct verifier v = {.diagnostics = diagnostics, .func = grid};
    if (!check_host_function(kernel, grid, diagnostics))
        return false;
    bool fine = grid->result_count >= 1 && grid->result_count <= 3;
    for (int i = 0; i < grid->result_count; i++)
        fine = fine && grid->results[i].elem == IR_I64;
    return fine || BROKEN(&v, NULL, "a grid has 1 to 3 results of type i64");
}

static bool check_condition(const struct ir_func *kernel, const struct ir_func *condition,
                            struct diagnostics *diagnostics)
{
    struct verifier v = {.diagnostics = diagnostics, .func = condition};
    if (!check_host_function(kernel, condition, diagnostics))
        return false;
    return (condition->result_count == 1 && condition->results[0].elem == IR_BOOL) ||
           BROKEN(&v, NULL, "a launch requirement has one result of type bool");
}

bool ir_kernel_verify(const struct ir_kernel *kernel, struct diagnostics *diagnostics)
{
    struct verifier v = {.diagnostics = diagnostics, .func = kernel->func};
    if (!ir_verify(kernel->func, diagnostics))
        return false;
    if (kernel->func->result_count != 0)
        return BROKEN(&v, NULL, "a kernel has no results");
    if (kernel->grid && !check_grid(kernel->func, kernel->grid, diagnostics))
        return false;
    for (int i = 0; i < kernel->require_count; i++) {
        if (!kernel->launch_requires[i].text ||
            !check_condition(kernel->func, kernel->launch_requires[i].condition, diagnostics))
            return false;
    }
    return true;
}
