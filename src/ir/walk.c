/*
 * Walks over a function: what is changed or counted in all of its ops and values at once.
 *
 * Uses are not tracked; a pass that needs them calls ir_count_uses. Replacing is done in two steps
 * for the same reason: ir_replace notes old -> new, ir_apply_replacements then rewrites every
 * operand in one walk, which is linear however many values were replaced.
 */
#include "ir/ir.h"

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

/* ---- replacing ------------------------------------------------------------------------------- */

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

/* ---- uses ------------------------------------------------------------------------------------ */

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

/* ---- notes of passes: data, marks, ids ------------------------------------------------------- */

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
