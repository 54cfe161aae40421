/*
 * Copies of regions and of whole functions. While one is made, the data of a value that was copied
 * is its copy.
 */
#include "ir/ir.h"

#include <string.h>

struct clone {
    struct ir_builder builder;
    const struct ir_region *root; /* only values defined in it are mapped */
    bool deep;                    /* into another arena: texts, layouts and tables are copied too */
    struct {
        const struct ir_table *from, *to;
    } *tables; /* that were copied */
    size_t table_count, table_capacity;
};

static const char *clone_text(struct clone *clone, const char *text)
{
    if (!text || !clone->deep)
        return text;
    return arena_copy_text(clone->builder.func->arena, text, strlen(text));
}

/* True when the value is defined in the region or in one inside it. Values outside may carry stale
 * data of earlier passes, so the map is asked for values inside only. */
static bool is_inside(const struct ir_value *value, const struct ir_region *root)
{
    const struct ir_region *region = value->op ? value->op->parent : value->region;
    while (region && region != root)
        region = region->parent ? region->parent->parent : NULL;
    return region == root;
}

static struct ir_value *mapped(struct clone *clone, struct ir_value *value)
{
    return is_inside(value, clone->root) ? value->data : value;
}

static const struct ir_table *clone_table(struct clone *clone, const struct ir_table *table)
{
    struct arena *arena = clone->builder.func->arena;
    for (size_t i = 0; i < clone->table_count; i++) {
        if (clone->tables[i].from == table)
            return clone->tables[i].to;
    }
    struct ir_table *copy = ARENA_NEW(arena, struct ir_table);
    uint64_t *bits = ARENA_ARRAY(arena, uint64_t, (size_t)table->count);
    memcpy(bits, table->bits, (size_t)table->count * sizeof *bits);
    *copy = (struct ir_table){clone_text(clone, table->name), table->elem, table->count, bits};
    if (clone->table_count == clone->table_capacity)
        clone->tables = arena_grow(arena, clone->tables, clone->table_count, &clone->table_capacity,
                                   sizeof *clone->tables);
    clone->tables[clone->table_count].from = table;
    clone->tables[clone->table_count++].to = copy;
    return copy;
}

static struct ir_attributes clone_attributes(struct clone *clone, struct ir_attributes attributes)
{
    if (!clone->deep)
        return attributes;
    attributes.text = clone_text(clone, attributes.text);
    if (attributes.table)
        attributes.table = clone_table(clone, attributes.table);
    if (attributes.layout) {
        struct ir_layout *layout = ARENA_NEW(clone->builder.func->arena, struct ir_layout);
        *layout = *attributes.layout;
        layout->name = clone_text(clone, layout->name);
        attributes.layout = layout;
    }
    return attributes;
}

static void clone_ops(struct clone *clone, const struct ir_region *region, const struct ir_op *end);

static void clone_op(struct clone *clone, const struct ir_op *op)
{
    struct ir_func *func = clone->builder.func;
    struct ir_op *copy =
        ir_op_new(func, op->code, op->operand_count, op->result_count, op->region_count);
    for (int i = 0; i < op->operand_count; i++)
        copy->operands[i] = mapped(clone, op->operands[i]);
    copy->attributes = clone_attributes(clone, op->attributes);
    copy->range = op->range;
    for (int i = 0; i < op->result_count; i++) {
        copy->results[i]->type = op->results[i]->type;
        copy->results[i]->name = clone_text(clone, op->results[i]->name);
        op->results[i]->data = copy->results[i];
    }
    ir_insert(copy, clone->builder.region, clone->builder.before);

    struct ir_builder outside = clone->builder;
    for (int i = 0; i < op->region_count; i++) {
        const struct ir_region *from = op->regions[i];
        for (int k = 0; k < from->argument_count; k++) {
            struct ir_value *argument = from->arguments[k];
            argument->data = ir_region_add_argument(func, copy->regions[i], argument->type,
                                                    clone_text(clone, argument->name));
        }
        clone->builder.region = copy->regions[i];
        clone->builder.before = NULL;
        clone_ops(clone, from, NULL);
    }
    clone->builder = outside;
}

static void clone_ops(struct clone *clone, const struct ir_region *region, const struct ir_op *end)
{
    for (const struct ir_op *op = region->first; op && op != end; op = op->next)
        clone_op(clone, op);
}

void ir_clone_region(struct ir_builder *b, const struct ir_region *region,
                     struct ir_value **results)
{
    struct clone clone = {.builder = *b, .root = region};
    const struct ir_op *terminator = region->last;
    clone_ops(&clone, region, terminator);
    for (int i = 0; results && i < terminator->operand_count; i++)
        results[i] = mapped(&clone, terminator->operands[i]);
}

struct ir_func *ir_func_clone(struct arena *arena, const struct ir_func *func)
{
    struct ir_func *copy =
        ir_func_new(arena, arena_copy_text(arena, func->name, strlen(func->name)),
                    func->parameter_count, func->parameters);
    copy->range = func->range;
    copy->result_count = func->result_count;
    copy->results = ARENA_ARRAY(arena, struct ir_type, (size_t)func->result_count);
    for (int i = 0; i < func->result_count; i++)
        copy->results[i] = func->results[i];

    struct clone clone = {
        .builder = {.func = copy, .region = copy->body}, .root = func->body, .deep = true};
    for (int i = 0; i < func->parameter_count; i++) {
        const char *name = clone_text(&clone, func->parameters[i].name);
        copy->parameters[i].name = name;
        copy->body->arguments[i]->name = name;
        func->body->arguments[i]->data = copy->body->arguments[i];
    }
    clone_ops(&clone, func->body, NULL);
    return copy;
}
