/*
 * A function as blocks of steps.
 *
 * Every value gets a slot, found through a table here and by pointer afterwards, so that running
 * touches neither the IR's scratch fields nor any table. Slots whose values cannot be alive at the
 * same time share storage: it is handed back after the last step of its own block that uses the
 * value, uses inside that step's blocks included. Arguments of a block are set anew each time that
 * it runs, so they are like any other value.
 */
#include "interp/machine.h"

/* What is known of a value: its slot, and the op of its own region that uses it last. */
struct entry {
    const struct ir_value *value;
    const struct ir_op *last_use;
    struct slot *slot;
};

struct storage {
    struct storage *next;
    int64_t count;
    uint64_t *bits;
    double *errors;
};

struct preparation {
    struct arena *arena;
    bool errors;
    struct entry *entries; /* open addressing; a power of two of them */
    size_t entry_count;
    struct storage *idle;         /* storage that nobody uses */
    const struct ir_op *finished; /* whose last uses are released */
};

/* ---- the table of values -------------------------------------------------------------------- */

static bool count_results(struct ir_op *op, void *user)
{
    size_t *count = user;
    *count += (size_t)op->result_count;
    for (int i = 0; i < op->region_count; i++)
        *count += (size_t)op->regions[i]->argument_count;
    return true;
}

static struct entry *entry_of(struct preparation *p, const struct ir_value *value)
{
    size_t mask = p->entry_count - 1;
    size_t place = (size_t)(((uint64_t)(uintptr_t)value >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 20);
    while (p->entries[place & mask].value && p->entries[place & mask].value != value)
        place++;
    struct entry *entry = &p->entries[place & mask];
    entry->value = value;
    return entry;
}

static const struct ir_region *region_of(const struct ir_value *value)
{
    return value->op ? value->op->parent : value->region;
}

/* The op around (or equal to) op that stands in the region itself. */
static const struct ir_op *ancestor_in(const struct ir_op *op, const struct ir_region *region)
{
    while (op->parent != region)
        op = op->parent->parent;
    return op;
}

static bool note_uses(struct ir_op *op, void *user)
{
    struct preparation *p = user;
    for (int i = 0; i < op->operand_count; i++)
        entry_of(p, op->operands[i])->last_use = ancestor_in(op, region_of(op->operands[i]));
    return true;
}

/* ---- slots ---------------------------------------------------------------------------------- */

static struct storage *take_storage(struct preparation *p, int64_t count)
{
    for (struct storage **link = &p->idle; *link; link = &(*link)->next)
        if ((*link)->count == count) {
            struct storage *found = *link;
            *link = found->next;
            return found;
        }
    struct storage *made = ARENA_NEW(p->arena, struct storage);
    made->count = count;
    made->bits = ARENA_ARRAY(p->arena, uint64_t, (size_t)count);
    if (p->errors)
        made->errors = ARENA_ARRAY(p->arena, double, (size_t)count);
    return made;
}

static struct slot *slot_new(struct preparation *p, const struct ir_value *value)
{
    struct storage *storage = take_storage(p, ir_element_count(value->type));
    struct slot *slot = ARENA_NEW(p->arena, struct slot);
    *slot = (struct slot){
        .type = value->type,
        .elem = value->type.pointer ? IR_U64 : (enum ir_elem)value->type.elem,
        .count = storage->count,
        .bits = storage->bits,
        .errors = storage->errors,
    };
    entry_of(p, value)->slot = slot;
    return slot;
}

/* Hands the slot's storage back; the slot stays valid until the storage is used again. */
static void slot_release(struct preparation *p, const struct slot *slot)
{
    struct storage *storage = ARENA_NEW(p->arena, struct storage);
    *storage = (struct storage){p->idle, slot->count, slot->bits, slot->errors};
    p->idle = storage;
}

/* ---- steps ---------------------------------------------------------------------------------- */

static void prepare_block(struct preparation *p, const struct ir_region *region,
                          struct block *block);

static void prepare_step(struct preparation *p, const struct ir_op *op, struct step *step)
{
    struct arena *arena = p->arena;
    step->op = op;
    step->operands = ARENA_ARRAY(arena, struct slot *, (size_t)op->operand_count);
    step->results = ARENA_ARRAY(arena, struct slot *, (size_t)op->result_count);
    for (int i = 0; i < op->operand_count; i++)
        step->operands[i] = entry_of(p, op->operands[i])->slot;
    for (int i = 0; i < op->result_count; i++)
        step->results[i] = slot_new(p, op->results[i]);
    if (op->code == IR_OP_TRANS || (op->code == IR_OP_BROADCAST && op->operands[0]->type.rank)) {
        int32_t *map = ARENA_ARRAY(arena, int32_t, (size_t)step->results[0]->count);
        shape_map(op, map);
        step->map = map;
    }
    if (op->code == IR_OP_DOT)
        step->scratch = ARENA_ARRAY(arena, double,
                                    (size_t)(step->operands[0]->count + step->operands[1]->count +
                                             step->operands[1]->type.dims[1]));
    step->blocks = ARENA_ARRAY(arena, struct block, (size_t)op->region_count);
    for (int i = 0; i < op->region_count; i++)
        prepare_block(p, op->regions[i], &step->blocks[i]);
}

/* An operand may stand in several places, and is released at the first. */
static bool release_operands(struct ir_op *op, void *user)
{
    struct preparation *p = user;
    for (int i = 0; i < op->operand_count; i++) {
        struct entry *entry = entry_of(p, op->operands[i]);
        if (entry->last_use == p->finished && entry->slot) {
            slot_release(p, entry->slot);
            entry->slot = NULL;
        }
    }
    return true;
}

static void release_after(struct preparation *p, struct ir_op *op, const struct step *step)
{
    p->finished = op;
    release_operands(op, p);
    for (int i = 0; i < op->region_count; i++)
        ir_walk(op->regions[i], release_operands, p);
    for (int i = 0; i < op->result_count; i++)
        if (!entry_of(p, op->results[i])->last_use)
            slot_release(p, step->results[i]);
}

static void prepare_block(struct preparation *p, const struct ir_region *region,
                          struct block *block)
{
    for (const struct ir_op *op = region->first; op; op = op->next)
        block->step_count++;
    block->steps = ARENA_ARRAY(p->arena, struct step, (size_t)block->step_count);
    block->argument_count = region->argument_count;
    block->arguments = ARENA_ARRAY(p->arena, struct slot *, (size_t)region->argument_count);
    for (int i = 0; i < region->argument_count; i++)
        block->arguments[i] = slot_new(p, region->arguments[i]);
    struct step *step = block->steps;
    for (struct ir_op *op = region->first; op; op = op->next, step++) {
        prepare_step(p, op, step);
        release_after(p, op, step);
    }
}

struct block *prepare(const struct ir_func *func, bool errors, struct arena *arena)
{
    struct preparation p = {.arena = arena, .errors = errors, .entry_count = 16};
    size_t values = (size_t)func->body->argument_count;
    ir_walk(func->body, count_results, &values);
    while (p.entry_count < 2 * values)
        p.entry_count *= 2;
    p.entries = ARENA_ARRAY(arena, struct entry, p.entry_count);
    ir_walk(func->body, note_uses, &p);
    struct block *block = ARENA_NEW(arena, struct block);
    prepare_block(&p, func->body, block);
    return block;
}
