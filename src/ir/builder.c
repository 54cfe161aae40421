/*
 * Building Tile IR: functions, regions, and ops with the types that their rules give them.
 *
 * Everything is allocated in the function's arena and never freed alone, so an op that was removed
 * stays readable: a pass may unlink it first and look at it later.
 */
#include "ir/ir.h"

#include <string.h>

/* ---- values, regions, functions -------------------------------------------------------------- */

static struct ir_value *value_new(struct arena *arena, struct ir_type type, int index)
{
    struct ir_value *value = ARENA_NEW(arena, struct ir_value);
    value->type = type;
    value->index = index;
    return value;
}

struct ir_region *ir_region_new(struct ir_func *func, struct ir_op *parent)
{
    struct ir_region *region = ARENA_NEW(func->arena, struct ir_region);
    region->parent = parent;
    return region;
}

struct ir_value *ir_region_add_argument(struct ir_func *func, struct ir_region *region,
                                        struct ir_type type, const char *name)
{
    int count = region->argument_count;
    /* The storage doubles at each power of two. */
    if ((count & (count - 1)) == 0) {
        size_t capacity = count ? (size_t)count * 2 : 1;
        struct ir_value **grown = ARENA_ARRAY(func->arena, struct ir_value *, capacity);
        for (int i = 0; i < count; i++)
            grown[i] = region->arguments[i];
        region->arguments = grown;
    }
    struct ir_value *argument = value_new(func->arena, type, count);
    argument->region = region;
    argument->name = name;
    region->arguments[region->argument_count++] = argument;
    return argument;
}

struct ir_func *ir_func_new(struct arena *arena, const char *name, int parameter_count,
                            const struct ir_parameter *parameters)
{
    struct ir_func *func = ARENA_NEW(arena, struct ir_func);
    func->arena = arena;
    func->name = name;
    func->parameter_count = parameter_count;
    func->parameters = ARENA_ARRAY(arena, struct ir_parameter, (size_t)parameter_count);
    func->body = ir_region_new(func, NULL);
    for (int i = 0; i < parameter_count; i++) {
        func->parameters[i] = parameters[i];
        ir_region_add_argument(func, func->body, parameters[i].type, parameters[i].name);
    }
    return func;
}

/* ---- ops ------------------------------------------------------------------------------------- */

/* Results lie behind their op, because walks read them in that order; operands stand alone, so that
 * AddressSanitizer sees who asks for one more. */
struct ir_op *ir_op_new(struct ir_func *func, enum ir_opcode code, int operand_count,
                        int result_count, int region_count)
{
    struct whole {
        struct ir_op op;
        struct ir_value values[];
    };
    struct arena *arena = func->arena;
    size_t result = sizeof(struct ir_value) + sizeof(struct ir_value *);
    struct whole *whole = arena_alloc(arena, sizeof *whole + (size_t)result_count * result);
    struct ir_op *op = &whole->op;
    func->made++;
    op->code = code;
    op->operand_count = operand_count;
    op->result_count = result_count;
    op->region_count = region_count;
    op->operands = ARENA_ARRAY(arena, struct ir_value *, (size_t)operand_count); /* never NULL */
    op->results = (struct ir_value **)(void *)(whole->values + result_count);
    for (int i = 0; i < result_count; i++) {
        op->results[i] = &whole->values[i];
        op->results[i]->index = i;
        op->results[i]->op = op;
    }
    if (region_count)
        op->regions = ARENA_ARRAY(arena, struct ir_region *, (size_t)region_count);
    for (int i = 0; i < region_count; i++)
        op->regions[i] = ir_region_new(func, op);
    return op;
}

struct ir_op *ir_build(struct ir_builder *b, enum ir_opcode code, int operand_count,
                       struct ir_value *const *operands, int result_count,
                       const struct ir_type *results, int region_count,
                       const struct ir_attributes *attributes)
{
    struct ir_op *op = ir_op_new(b->func, code, operand_count, result_count, region_count);
    for (int i = 0; i < operand_count; i++)
        op->operands[i] = operands[i];
    for (int i = 0; i < result_count; i++)
        op->results[i]->type = results[i];
    if (attributes)
        op->attributes = *attributes;
    op->range = b->range;
    ir_insert(op, b->region, b->before);
    return op;
}

static struct ir_value *build_one(struct ir_builder *b, enum ir_opcode code, int operand_count,
                                  struct ir_value *const *operands, struct ir_type type,
                                  const struct ir_attributes *attributes)
{
    return ir_build(b, code, operand_count, operands, 1, &type, 0, attributes)->results[0];
}

/* The result's type, for ops whose rule gives it. */
static struct ir_type type_by_rule(enum ir_opcode code, int count,
                                   struct ir_value *const *operands)
{
    struct ir_type first = operands[0]->type;
    switch (ir_ops[code].rule) {
    case IR_RULE_COMPARE:
    case IR_RULE_TEST:
        return ir_with_elem(first, IR_BOOL);
    case IR_RULE_SELECT:
        return count > 1 ? operands[1]->type : first;
    case IR_RULE_LIKE_FIRST:
    case IR_RULE_ADDRESS:
    case IR_RULE_CAST:
    case IR_RULE_BITCAST:
    case IR_RULE_SPECIAL:
        break;
    }
    return first;
}

struct ir_value *ir_unary(struct ir_builder *b, enum ir_opcode code, struct ir_value *a)
{
    return build_one(b, code, 1, &a, type_by_rule(code, 1, &a), NULL);
}

struct ir_value *ir_binary(struct ir_builder *b, enum ir_opcode code, struct ir_value *x,
                           struct ir_value *y)
{
    struct ir_value *operands[] = {x, y};
    return build_one(b, code, 2, operands, type_by_rule(code, 2, operands), NULL);
}

struct ir_value *ir_ternary(struct ir_builder *b, enum ir_opcode code, struct ir_value *x,
                            struct ir_value *y, struct ir_value *z)
{
    struct ir_value *operands[] = {x, y, z};
    return build_one(b, code, 3, operands, type_by_rule(code, 3, operands), NULL);
}

struct ir_value *ir_constant(struct ir_builder *b, struct ir_type type, uint64_t bits)
{
    struct ir_attributes attributes = {.bits = bits};
    return build_one(b, IR_OP_CONSTANT, 0, NULL, type, &attributes);
}

struct ir_value *ir_constant_i64(struct ir_builder *b, int64_t value)
{
    return ir_constant(b, ir_scalar(IR_I64), (uint64_t)value);
}

struct ir_value *ir_cast(struct ir_builder *b, struct ir_value *v, enum ir_elem elem)
{
    if (!v->type.pointer && v->type.elem == elem)
        return v;
    return build_one(b, IR_OP_CAST, 1, &v, ir_with_elem(v->type, elem), NULL);
}

struct ir_value *ir_bitcast(struct ir_builder *b, struct ir_value *v, enum ir_elem elem)
{
    return build_one(b, IR_OP_BITCAST, 1, &v, ir_with_elem(v->type, elem), NULL);
}

struct ir_value *ir_broadcast(struct ir_builder *b, struct ir_value *v, struct ir_type shape)
{
    if (ir_shape_equal(v->type, shape))
        return v;
    return build_one(b, IR_OP_BROADCAST, 1, &v, ir_with_shape(v->type, shape), NULL);
}

struct ir_value *ir_reshape(struct ir_builder *b, struct ir_value *v, struct ir_type shape)
{
    if (ir_shape_equal(v->type, shape))
        return v;
    return build_one(b, IR_OP_RESHAPE, 1, &v, ir_with_shape(v->type, shape), NULL);
}

struct ir_value *ir_arange(struct ir_builder *b, int64_t begin, int64_t end)
{
    struct ir_attributes attributes = {.begin = begin, .end = end};
    int32_t count = (int32_t)(end - begin);
    return build_one(b, IR_OP_ARANGE, 0, NULL, ir_tile(IR_I64, 1, &count), &attributes);
}

struct ir_value *ir_lookup(struct ir_builder *b, const struct ir_table *table,
                           struct ir_value *index)
{
    struct ir_attributes attributes = {.table = table};
    return build_one(b, IR_OP_LOOKUP, 1, &index, ir_with_elem(index->type, table->elem),
                     &attributes);
}

struct ir_value *ir_reduce(struct ir_builder *b, enum ir_opcode code, struct ir_value *v, int axis)
{
    struct ir_attributes attributes = {.axis = axis};
    struct ir_type type = ir_without_axis(v->type, axis);
    if (code == IR_OP_ARGMAX || code == IR_OP_ARGMIN)
        type.elem = IR_I64;
    else if (code == IR_OP_ANY || code == IR_OP_ALL)
        type.elem = IR_BOOL;
    return build_one(b, code, 1, &v, type, &attributes);
}

struct ir_value *ir_load(struct ir_builder *b, struct ir_value *pointer, struct ir_value *mask,
                         struct ir_value *other)
{
    struct ir_type type = ir_with_elem(pointer->type, (enum ir_elem)pointer->type.elem);
    if (mask && !other)
        other = ir_constant(b, type, 0);
    struct ir_value *operands[] = {pointer, mask, other};
    return build_one(b, IR_OP_LOAD, mask ? 3 : 1, operands, type, NULL);
}

void ir_store(struct ir_builder *b, struct ir_value *pointer, struct ir_value *value,
              struct ir_value *mask)
{
    struct ir_value *operands[] = {pointer, value, mask};
    ir_build(b, IR_OP_STORE, mask ? 3 : 2, operands, 0, NULL, 0, NULL);
}

/* ---- lists ----------------------------------------------------------------------------------- */

void ir_insert(struct ir_op *op, struct ir_region *region, struct ir_op *before)
{
    op->parent = region;
    op->next = before;
    op->previous = before ? before->previous : region->last;
    *(op->previous ? &op->previous->next : &region->first) = op;
    *(before ? &before->previous : &region->last) = op;
}

void ir_remove(struct ir_op *op)
{
    struct ir_region *region = op->parent;
    *(op->previous ? &op->previous->next : &region->first) = op->next;
    *(op->next ? &op->next->previous : &region->last) = op->previous;
    op->previous = op->next = NULL;
    op->parent = NULL;
}

void ir_move_before(struct ir_op *op, struct ir_op *before)
{
    if (op == before)
        return;
    ir_remove(op);
    ir_insert(op, before->parent, before);
}
