/*
 * scalarise: elements of index vectors are computed alone; pack and extract cancel.
 *
 *   %b = broadcast %x : i64[4]                      %c = constant {3} : i64
 *   %r = arange {0 to 4} : i64[4]            ->     %e = add %x, %c : i64
 *   %v = add %b, %r : i64[4]
 *   %e = extract {3} %v : i64
 *
 * Addresses and masks are computed for vectors of registers, but an access needs the first or last
 * element only. An extract moves through elementwise ops on integers and bools whose operands are
 * ranges, broadcasts, constants and packs in the end; what was loaded or is floating stays a
 * vector. Each element is made once, in front of the vector that it belongs to. A vector that
 * nothing else uses then dies.
 */
#include "gpu/pass.h"

enum { MOST_DEPTH = 24 };

struct scalariser {
    struct pass_context *context;
    struct ir_func *func;
    bool changed;
};

static bool is_index(struct ir_type type)
{
    return !type.pointer && !ir_is_float((enum ir_elem)type.elem);
}

/* mark: 0 not yet known, 1 cheap, 2 not */
static bool is_cheap(struct ir_value *value, int depth)
{
    const struct ir_op *op = value->op;
    if (value->mark)
        return value->mark == 1;
    bool cheap = false;
    if (op && (op->code == IR_OP_CONSTANT || op->code == IR_OP_ARANGE ||
               op->code == IR_OP_BROADCAST || (int)op->code == GPU_OP_PACK)) {
        cheap = true;
    } else if (op && depth > 0 && ir_has(op, IR_PURE | IR_ELEMENTWISE) && is_index(value->type)) {
        cheap = true;
        for (int i = 0; cheap && i < op->operand_count; i++)
            cheap = is_cheap(op->operands[i], depth - 1);
    }
    value->mark = cheap ? 1 : 2;
    return cheap;
}

static struct ir_value *element_of(struct scalariser *s, struct ir_value *vector, int k);

static struct ir_value *make_element(struct scalariser *s, struct ir_op *op, int k)
{
    struct ir_builder b = pass_builder(s->func, op);
    struct ir_type type = op->results[0]->type, scalar = ir_scalar((enum ir_elem)type.elem);
    struct ir_value *operands[4];
    if ((int)op->code == GPU_OP_PACK)
        return op->operands[k];
    if (op->code == IR_OP_BROADCAST)
        return op->operands[0];
    if (op->code == IR_OP_CONSTANT)
        return ir_constant(&b, scalar, op->attributes.bits);
    if (op->code == IR_OP_ARANGE)
        return ir_constant_i64(&b, op->attributes.begin + k);
    for (int i = 0; i < op->operand_count; i++)
        operands[i] = element_of(s, op->operands[i], k);
    return ir_build(&b, op->code, op->operand_count, operands, 1, &scalar, 0, &op->attributes)
        ->results[0];
}

/* data: the elements that were made so far */
static struct ir_value *element_of(struct scalariser *s, struct ir_value *vector, int k)
{
    struct ir_value **elements = vector->data;
    if (!elements) {
        elements = ARENA_ARRAY(s->context->arena, struct ir_value *, (size_t)vector->type.dims[0]);
        vector->data = elements;
    }
    if (!elements[k])
        elements[k] = make_element(s, vector->op, k);
    return elements[k];
}

/* The vector whose elements, in order and all of them, are packed; or NULL. */
static struct ir_value *repacked(const struct ir_op *op)
{
    struct ir_value *vector = NULL;
    for (int i = 0; i < op->operand_count; i++) {
        const struct ir_op *from = op->operands[i]->op;
        if (!from || (int)from->code != GPU_OP_EXTRACT || from->attributes.number != i ||
            (vector && from->operands[0] != vector))
            return NULL;
        vector = from->operands[0];
    }
    return ir_type_equal(vector->type, op->results[0]->type) ? vector : NULL;
}

static struct ir_value *same_operands(struct scalariser *s, struct ir_op *op)
{
    struct ir_builder b = pass_builder(s->func, op);
    for (int i = 1; i < op->operand_count; i++) {
        if (op->operands[i] != op->operands[0])
            return NULL;
    }
    return ir_broadcast(&b, op->operands[0], op->results[0]->type);
}

static void scalarise_region(struct scalariser *s, struct ir_region *region)
{
    struct ir_op *next;
    for (struct ir_op *op = region->first; op; op = next) {
        struct ir_value *value = NULL;
        next = op->next;
        for (int i = 0; i < op->operand_count; i++)
            op->operands[i] = ir_current(op->operands[i]);
        if ((int)op->code == GPU_OP_EXTRACT && is_cheap(op->operands[0], MOST_DEPTH))
            value = element_of(s, op->operands[0], (int)op->attributes.number);
        else if ((int)op->code == GPU_OP_PACK && !(value = repacked(op)))
            value = same_operands(s, op);
        if (value) {
            ir_replace(op->results[0], value);
            ir_remove(op);
            s->changed = true;
        }
        for (int i = 0; i < op->region_count; i++)
            scalarise_region(s, op->regions[i]);
    }
}

bool pass_scalarise(struct pass_context *context, struct ir_func *func)
{
    struct scalariser s = {.context = context, .func = func};
    ir_clear_marks(func);
    ir_clear_data(func->body);
    for (int i = 0; i < func->body->argument_count; i++)
        func->body->arguments[i]->data = NULL;
    scalarise_region(&s, func->body);
    ir_apply_replacements(func);
    return s.changed;
}
