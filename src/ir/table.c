/* Tables of constants, which lookups choose from; see ir.h. */
#include "ir/ir.h"

#include <string.h>

bool ir_table_equal(const struct ir_table *a, const struct ir_table *b)
{
    return a == b || (a && b && a->elem == b->elem && a->count == b->count &&
                      memcmp(a->bits, b->bits, (size_t)a->count * sizeof *a->bits) == 0);
}

uint64_t ir_table_hash(const struct ir_table *table)
{
    enum { LOOKED_AT = 16 };
    uint64_t hash = (uint64_t)table->elem << 32 | (uint64_t)table->count;
    for (int i = 0; i < table->count && i < LOOKED_AT; i++)
        hash = (hash ^ table->bits[i]) * UINT64_C(0x9e3779b97f4a7c15);
    return hash;
}

size_t ir_table_place(const struct ir_tables *tables, const struct ir_table *table)
{
    for (size_t i = 0; i < tables->count; i++) {
        if (tables->items[i] == table)
            return i;
    }
    for (size_t i = 0; i < tables->count; i++) {
        if (ir_table_equal(tables->items[i], table))
            return i;
    }
    return tables->count;
}

struct collection {
    struct ir_tables tables;
    struct arena *arena;
    bool merge;
};

static bool is_there(const struct collection *c, const struct ir_table *table)
{
    for (size_t i = 0; i < c->tables.count; i++) {
        if (c->tables.items[i] == table || (c->merge && ir_table_equal(c->tables.items[i], table)))
            return true;
    }
    return false;
}

static bool collect(struct ir_op *op, void *user)
{
    struct collection *c = user;
    const struct ir_table *table = op->attributes.table;
    if (table && !is_there(c, table))
        ARENA_PUSH(c->arena, &c->tables, table);
    return true;
}

struct ir_tables ir_tables_of(struct ir_func *func, struct arena *arena, bool merge)
{
    struct collection c = {.arena = arena, .merge = merge};
    ir_walk(func->body, collect, &c);
    return c.tables;
}
