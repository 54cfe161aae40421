/*
 * Building and changing Tile IR.
 *
 * Everything is allocated in the function's arena and never freed alone, so an op that was removed
 * stays readable: a pass may unlink it first and look at it later. Uses are not tracked; a pass
 * that needs them calls ir_count_uses. Replacing is done in two steps for the same reason:
 * ir_replace notes old -> new, ir_apply_replacements then rewrites every operand in one walk,
 * which is linear however many values were replaced.
 */
#include "ir/ir.h"

#include <string.h>

/* ---- values, regions, functions ------------------------------------------------------------ */

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

/* ---- ops ----------------------------------------------------------------------------------- */

/* An op whose operands and results' types are to be set. Results lie behind their op, because walks
 * read them in that order; operands stand alone, so that AddressSanitizer sees who asks for one
 * more. */
static struct ir_op *op_new(struct ir_func *func, enum ir_opcode code, int operand_count,
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
    struct ir_op *op = op_new(b->func, code, operand_count, result_count, region_count);
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

/* The shape without an axis; axis -1: a scalar. */
static struct ir_type without_axis(struct ir_type type, int axis)
{
    if (axis < 0) {
        type.rank = 0;
        memset(type.dims, 0, sizeof type.dims);
        return type;
    }
    for (int i = axis; i + 1 < type.rank; i++)
        type.dims[i] = type.dims[i + 1];
    type.rank--;
    type.dims[type.rank] = 0;
    return type;
}

struct ir_value *ir_reduce(struct ir_builder *b, enum ir_opcode code, struct ir_value *v, int axis)
{
    struct ir_attributes attributes = {.axis = axis};
    struct ir_type type = without_axis(v->type, axis);
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

/* ---- lists --------------------------------------------------------------------------------- */

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

bool ir_walk(struct ir_region *region, bool (*visit)(struct ir_op *op, void *user), void *user)
{
    struct ir_op *next;
    for (struct ir_op *op = region->first; op; op = next) {
        next = op->next; /* visit may remove the op */
        if (!visit(op, user))
            return false;
        for (int i = 0; op->parent && i < op->region_count; i++) {
            if (!ir_walk(op->regions[i], visit, user))
                return false;
        }
    }
    return true;
}

static bool clear_data(struct ir_op *op, void *user)
{
    (void)user;
    for (int i = 0; i < op->result_count; i++)
        op->results[i]->data = NULL;
    for (int r = 0; r < op->region_count; r++) {
        for (int i = 0; i < op->regions[r]->argument_count; i++)
            op->regions[r]->arguments[i]->data = NULL;
    }
    return true;
}

void ir_clear_data(struct ir_region *region)
{
    ir_walk(region, clear_data, NULL);
}

/* ---- whole-function walks ------------------------------------------------------------------ */

/* Every value: the arguments of a region, then op by op its results and its regions' values. */
static void each_value(struct ir_region *region, void (*visit)(struct ir_value *value, void *user),
                       void *user)
{
    for (int i = 0; i < region->argument_count; i++)
        visit(region->arguments[i], user);
    for (struct ir_op *op = region->first; op; op = op->next) {
        for (int i = 0; i < op->result_count; i++)
            visit(op->results[i], user);
        for (int i = 0; i < op->region_count; i++)
            each_value(op->regions[i], visit, user);
    }
}

void ir_replace(struct ir_value *old, struct ir_value *new_value)
{
    if (old != new_value)
        old->replaced_by = new_value;
}

/* The chain is shortened on the way. */
struct ir_value *ir_current(struct ir_value *value)
{
    struct ir_value *end = value;
    while (end->replaced_by)
        end = end->replaced_by;
    while (value->replaced_by) {
        struct ir_value *next = value->replaced_by;
        value->replaced_by = end;
        value = next;
    }
    return end;
}

static bool replace_operands(struct ir_op *op, void *user)
{
    (void)user;
    for (int i = 0; i < op->operand_count; i++)
        op->operands[i] = ir_current(op->operands[i]);
    return true;
}

static void forget_replacement(struct ir_value *value, void *user)
{
    (void)user;
    value->replaced_by = NULL;
}

void ir_apply_replacements(struct ir_func *func)
{
    ir_walk(func->body, replace_operands, NULL);
    /* A value that stays in the function may take part in other replacements later. */
    each_value(func->body, forget_replacement, NULL);
}

static void clear_uses(struct ir_value *value, void *user)
{
    (void)user;
    value->uses = 0;
}

static bool add_uses(struct ir_op *op, void *user)
{
    (void)user;
    for (int i = 0; i < op->operand_count; i++)
        op->operands[i]->uses++;
    return true;
}

struct use_count {
    const struct ir_value *value;
    int count;
    struct ir_op *last;
};

static bool count_use(struct ir_op *op, void *user)
{
    struct use_count *u = user;
    for (int i = 0; i < op->operand_count; i++) {
        if (op->operands[i] == u->value) {
            u->count++;
            u->last = op;
        }
    }
    return true;
}

struct ir_op *ir_only_user(const struct ir_region *region, const struct ir_value *value)
{
    struct use_count u = {.value = value};
    ir_walk((struct ir_region *)region, count_use, &u);
    return u.count == 1 ? u.last : NULL;
}

bool ir_is_used_once(const struct ir_region *region, const struct ir_value *value)
{
    return ir_only_user(region, value) != NULL;
}

void ir_count_uses(struct ir_func *func)
{
    each_value(func->body, clear_uses, NULL);
    ir_walk(func->body, add_uses, NULL);
}

static bool note_user(struct ir_op *op, void *user)
{
    (void)user;
    for (int i = 0; i < op->operand_count; i++)
        op->operands[i]->data = op;
    return true;
}

void ir_note_users(struct ir_func *func)
{
    ir_count_uses(func);
    ir_walk(func->body, note_user, NULL);
}

struct ir_op *ir_noted_user(const struct ir_value *value)
{
    return value->uses == 1 ? value->data : NULL;
}

static void clear_mark(struct ir_value *value, void *user)
{
    (void)user;
    value->mark = 0;
}

void ir_clear_marks(const struct ir_func *func)
{
    each_value(func->body, clear_mark, NULL);
}

int ir_value_count(const struct ir_region *region)
{
    int count = region->argument_count;
    for (const struct ir_op *op = region->first; op; op = op->next) {
        count += op->result_count;
        for (int i = 0; i < op->region_count; i++)
            count += ir_value_count(op->regions[i]);
    }
    return count;
}

static void set_id(struct ir_value *value, void *user)
{
    value->id = (*(int *)user)++;
}

void ir_number(struct ir_func *func)
{
    int next = 0;
    each_value(func->body, set_id, &next);
}

/* ---- copies -------------------------------------------------------------------------------- */

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
        op_new(func, op->code, op->operand_count, op->result_count, op->region_count);
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

/* ---- constants ----------------------------------------------------------------------------- */

bool ir_constant_bits(const struct ir_value *v, uint64_t *bits)
{
    while (v->op && (v->op->code == IR_OP_BROADCAST || v->op->code == IR_OP_RESHAPE))
        v = v->op->operands[0];
    if (!v->op || v->op->code != IR_OP_CONSTANT)
        return false;
    *bits = v->op->attributes.bits;
    return true;
}

const struct ir_value *ir_pointer_root(const struct ir_value *v)
{
    while (v->op) {
        switch (v->op->code) {
        case IR_OP_ADDPTR:
        case IR_OP_BROADCAST:
        case IR_OP_RESHAPE:
        case IR_OP_TRANS:
        case IR_OP_CONVERT_LAYOUT:
            v = v->op->operands[0];
            break;
        default:
            return NULL;
        }
    }
    return v->region->parent ? NULL : v;
}

struct reads {
    const struct ir_func *func;
    bool *of; /* by parameter */
};

static bool note_reads(struct ir_op *op, void *user)
{
    struct reads *reads = user;
    for (int i = 0; i < op->operand_count && ir_has(op, IR_READS); i++) {
        struct ir_type type = op->operands[i]->type;
        if (!type.pointer || type.space != IR_SPACE_DEVICE)
            continue;
        const struct ir_value *root = ir_pointer_root(op->operands[i]);
        for (int k = 0; k < reads->func->parameter_count; k++)
            reads->of[k] = reads->of[k] || !root || root->index == k;
    }
    return true;
}

const bool *ir_reads(struct arena *arena, const struct ir_func *func)
{
    struct reads reads = {func, ARENA_ARRAY(arena, bool, (size_t)func->parameter_count + 1)};
    ir_walk(func->body, note_reads, &reads);
    return reads.of;
}

bool ir_constant_int(const struct ir_value *v, int64_t *value)
{
    enum ir_elem elem = (enum ir_elem)v->type.elem;
    uint64_t bits;
    if (v->type.pointer || ir_is_float(elem) || !ir_constant_bits(v, &bits))
        return false;
    int unused = 64 - ir_elems[elem].bits;
    *value = ir_is_signed(elem) ? (int64_t)(bits << unused) >> unused : (int64_t)bits;
    return true;
}
