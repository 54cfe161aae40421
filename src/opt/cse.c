/*
 * cse: equal values of one scope become one value.
 *
 *   %p = addptr %X, %i : ptr<f32>                 %p = addptr %X, %i : ptr<f32>
 *   %x = load %p : f32                            %x = load %p : f32
 *   %q = addptr %X, %i : ptr<f32>            ->   %d = mul %x, %x : f32
 *   %y = load %q : f32
 *   %d = mul %x, %y : f32
 *
 * Pure ops without regions are equal when code, attributes, result types and operands are; operands
 * of a commutative op in either order. Loads are equal when, besides, nothing between may have
 * written what they read: each load remembers the age of the memory behind its pointer's root, and
 * every write to something that may alias makes that memory a new one. A loop that writes makes new
 * memory at its entry, since a trip comes after the writes of the trip before.
 *
 * The table is scoped: what a region computes is forgotten at its end.
 *
 * A load that stays only because two parameters may be the same memory gets a perf note.
 */
#include "opt/pass.h"

#include <string.h>

struct entry {
    struct ir_op *op;
    uint64_t hash;
    int64_t age, certain; /* of the memory that a load reads */
    struct entry *next;   /* in the bucket; newest first */
};

/* What a pointer parameter points to. Ages are numbers of writes. */
struct memory {
    int64_t age;     /* the last write that may have changed it */
    int64_t certain; /* the last one that no `restrict` would exclude */
    int writer;      /* the parameter of the last one that it would */
};

struct cse {
    const struct pass_context *context;
    struct ir_func *func;
    struct entry **buckets;
    size_t bucket_count; /* a power of two */
    struct {
        struct entry **items;
        size_t count, capacity;
    } entries;             /* in order of insertion, to leave a scope */
    struct memory *memory; /* by parameter; the last one is of unknown root */
    int64_t newest;
    bool changed;
};

/* ---- equality -------------------------------------------------------------------------------- */

static bool is_swapped(const struct ir_op *op)
{
    return ir_has(op, IR_COMMUTES) && op->operands[0]->id > op->operands[1]->id;
}

/* Operand i in the order that equal ops share. */
static struct ir_value *key_operand(const struct ir_op *op, int i)
{
    return op->operands[i < 2 && is_swapped(op) ? 1 - i : i];
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint64_t hash_op(const struct ir_op *op)
{
    const struct ir_attributes *a = &op->attributes;
    uint64_t hash = mix((uint64_t)op->code, a->bits);
    hash = mix(hash, (uint64_t)a->begin);
    hash = mix(hash, (uint64_t)a->number);
    hash = mix(hash, (uint64_t)(a->axis + 1));
    hash = mix(hash, a->table ? ir_table_hash(a->table) : 0);
    for (int i = 0; i < op->operand_count; i++)
        hash = mix(hash, (uint64_t)key_operand(op, i)->id);
    struct ir_type type = op->results[0]->type;
    hash = mix(hash, type.elem);
    for (int i = 0; i < type.rank; i++)
        hash = mix(hash, (uint64_t)type.dims[i]);
    return hash;
}

static bool equal_layouts(const struct ir_layout *a, const struct ir_layout *b)
{
    if (a == b)
        return true;
    return a && b && a->bits == b->bits && a->xor_mask == b->xor_mask &&
           a->per_thread == b->per_thread &&
           memcmp(a->bit_order, b->bit_order, (size_t)a->bits) == 0;
}

static bool equal_attributes(const struct ir_op *x, const struct ir_op *y)
{
    const struct ir_attributes *a = &x->attributes, *b = &y->attributes;
    int rank = x->results[0]->type.rank;
    switch (ir_ops[x->code].attribute) {
    case IR_ATTRIBUTE_NONE:
        return true;
    case IR_ATTRIBUTE_BITS:
        return a->bits == b->bits;
    case IR_ATTRIBUTE_AXIS:
        return a->axis == b->axis;
    case IR_ATTRIBUTE_RANGE:
        return a->begin == b->begin && a->end == b->end && equal_layouts(a->layout, b->layout);
    case IR_ATTRIBUTE_PERMUTATION:
        return memcmp(a->permutation, b->permutation, (size_t)rank) == 0;
    case IR_ATTRIBUTE_SCAN:
        return a->axis == b->axis && a->exclusive == b->exclusive;
    case IR_ATTRIBUTE_VIEW:
        return a->view_rank == b->view_rank;
    case IR_ATTRIBUTE_LAYOUT:
        return equal_layouts(a->layout, b->layout);
    case IR_ATTRIBUTE_TABLE:
        return ir_table_equal(a->table, b->table);
    case IR_ATTRIBUTE_NUMBER:
        return a->number == b->number;
    case IR_ATTRIBUTE_ALIGNMENT:
        return a->aligned == b->aligned;
    case IR_ATTRIBUTE_ORDER:
        return a->columns == b->columns;
    case IR_ATTRIBUTE_TEXT:
    case IR_ATTRIBUTE_SHARED:
    case IR_ATTRIBUTE_MATRICES:
    case IR_ATTRIBUTE_SCOPE:
        break;
    }
    return false;
}

static bool equal_ops(const struct ir_op *x, const struct ir_op *y)
{
    if (x->code != y->code || x->operand_count != y->operand_count ||
        x->result_count != y->result_count || !equal_attributes(x, y))
        return false;
    for (int i = 0; i < x->operand_count; i++) {
        if (key_operand(x, i) != key_operand(y, i))
            return false;
    }
    for (int i = 0; i < x->result_count; i++) {
        if (!ir_type_equal(x->results[i]->type, y->results[i]->type))
            return false;
    }
    return true;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static struct memory *memory_of(struct cse *cse, int root)
{
    return &cse->memory[root < 0 ? cse->func->parameter_count : root];
}

static void note_write(struct cse *cse, const struct ir_op *op)
{
    int root = pass_written_root(op);
    cse->newest++;
    for (int i = -1; i < cse->func->parameter_count; i++) {
        struct memory *memory = memory_of(cse, i);
        if (!pass_may_alias(cse->context, cse->func, i, root))
            continue;
        memory->age = cse->newest;
        if (i < 0 || root < 0 || i == root)
            memory->certain = cse->newest;
        else
            memory->writer = root;
    }
}

static bool note_writes(struct ir_op *op, void *user)
{
    if (pass_touches_memory(op, IR_WRITES))
        note_write(user, op);
    return true;
}

static bool is_load(const struct ir_op *op)
{
    return ir_has(op, IR_READS) && !ir_has(op, IR_WRITES);
}

/* ---- the walk -------------------------------------------------------------------------------- */

/* The earlier op that computes the same, or NULL and the op is remembered. */
static struct ir_op *find_or_add(struct cse *cse, struct ir_op *op)
{
    uint64_t hash = hash_op(op);
    int root = is_load(op) ? pass_pointer_root(op->operands[0]) : -1;
    struct memory memory = is_load(op) ? *memory_of(cse, root) : (struct memory){0};
    struct entry **bucket = &cse->buckets[hash & (cse->bucket_count - 1)];
    for (struct entry *entry = *bucket; entry; entry = entry->next) {
        if (entry->hash != hash || !equal_ops(entry->op, op))
            continue;
        if (entry->age == memory.age)
            return entry->op;
        if (entry->certain == memory.certain)
            pass_note_alias(cse->context, cse->func, op, memory.writer, "is repeated");
        break; /* an older one is no better */
    }
    struct entry *entry = ARENA_NEW(cse->context->arena, struct entry);
    *entry = (struct entry){
        .op = op, .hash = hash, .age = memory.age, .certain = memory.certain, .next = *bucket};
    *bucket = entry;
    ARENA_PUSH(cse->context->arena, &cse->entries, entry);
    return NULL;
}

static void leave_scope(struct cse *cse, size_t count)
{
    while (cse->entries.count > count) {
        struct entry *entry = cse->entries.items[--cse->entries.count];
        cse->buckets[entry->hash & (cse->bucket_count - 1)] = entry->next;
    }
}

static void cse_region(struct cse *cse, struct ir_region *region);

/* Regions see what was computed before them; afterwards what they wrote is new memory. */
static void cse_regions(struct cse *cse, struct ir_op *op)
{
    bool loop = op->code != IR_OP_IF;
    size_t bytes = sizeof *cse->memory * (size_t)(cse->func->parameter_count + 1);
    struct memory *before = arena_alloc(cse->context->arena, bytes);
    if (loop) {
        for (int i = 0; i < op->region_count; i++)
            ir_walk(op->regions[i], note_writes, cse);
    }
    memcpy(before, cse->memory, bytes);
    for (int i = 0; i < op->region_count; i++) {
        memcpy(cse->memory, before, bytes);
        cse_region(cse, op->regions[i]);
    }
    memcpy(cse->memory, before, bytes);
    for (int i = 0; i < op->region_count; i++)
        ir_walk(op->regions[i], note_writes, cse);
}

static void cse_op(struct cse *cse, struct ir_op *op)
{
    for (int i = 0; i < op->operand_count; i++)
        op->operands[i] = ir_current(op->operands[i]);
    if (op->region_count > 0) {
        cse_regions(cse, op);
        return;
    }
    if (pass_touches_memory(op, IR_WRITES))
        note_write(cse, op);
    if ((!ir_has(op, IR_PURE) && !is_load(op)) || op->result_count == 0)
        return;
    struct ir_op *same = find_or_add(cse, op);
    if (!same)
        return;
    for (int i = 0; i < op->result_count; i++) {
        if (!same->results[i]->name)
            same->results[i]->name = op->results[i]->name;
        ir_replace(op->results[i], same->results[i]);
    }
    ir_remove(op);
    cse->changed = true;
}

static void cse_region(struct cse *cse, struct ir_region *region)
{
    size_t count = cse->entries.count;
    struct ir_op *next;
    for (struct ir_op *op = region->first; op; op = next) {
        next = op->next;
        cse_op(cse, op);
    }
    leave_scope(cse, count);
}

static bool count_op(struct ir_op *op, void *user)
{
    (void)op;
    ++*(size_t *)user;
    return true;
}

bool pass_cse(struct pass_context *context, struct ir_func *func)
{
    struct cse cse = {.context = context, .func = func, .bucket_count = 16};
    size_t ops = 0;
    ir_walk(func->body, count_op, &ops);
    while (cse.bucket_count < ops)
        cse.bucket_count *= 2;
    cse.buckets = ARENA_ARRAY(context->arena, struct entry *, cse.bucket_count);
    cse.memory = ARENA_ARRAY(context->arena, struct memory, (size_t)func->parameter_count + 1);
    ir_number(func); /* operands are hashed by id, so that the order of results is deterministic */
    cse_region(&cse, func->body);
    if (cse.changed)
        ir_apply_replacements(func);
    return cse.changed;
}
