/*
 * Tables of constants: their declaration, and what t[i] is.
 *
 *     static const float nf4[16] = {-1.0f, -0.6961928f, ..., 1.0f};
 *     float w = nf4[load(Q + i) & 15];
 *
 * A table exists at compile time; its elements come into the IR with the lookups that choose them.
 * With a constant index the element is a constant. Tables with the same name and elements are one,
 * so that a helper's is there once however often the helper is called.
 */
#include "lang/lower.h"

#include "ir/eval.h"

#include <string.h>

const char lower_table_hint[] = "t[i] reads elements of a table, also for a tile of indices";

/* ---- declarations ---------------------------------------------------------------------------- */

/* The size that was written, 0 where none was; false after an error. */
static bool declared_size(struct lower *l, const struct ast_variable *declared, int64_t *size)
{
    const struct ast_expression *e = declared->initial->list.size;
    *size = 0;
    if (!e)
        return true;
    if (!lower_constant(l, e, arena_format(l->arena, "the size of '%s'", declared->name), size))
        return false;
    if (*size >= 1 && *size <= IR_MAX_TABLE)
        return true;
    lower_error(l, e->range, "a table has 1 to %d elements, not %lld", (int)IR_MAX_TABLE,
                (long long)*size);
    return false;
}

/* Where an entry stands; next: behind the one before it. */
static bool place_of(struct lower *l, const struct ast_variable *declared,
                     const struct ast_entry *entry, int64_t size, int64_t next, int64_t *place)
{
    struct source_range range = entry->place ? entry->place->range : entry->value->range;
    *place = next;
    if (entry->place && !lower_constant(l, entry->place, "an element's place", place))
        return false;
    if (*place >= 0 && *place < (size ? size : IR_MAX_TABLE))
        return true;
    if (*place < 0)
        lower_error(l, range, "element %lld is outside of '%s'", (long long)*place, declared->name);
    else if (!size)
        lower_error(l, range, "a table has at most %d elements", (int)IR_MAX_TABLE);
    else
        lower_error(l, range, "element %lld is outside of '%s', which has %lld element%s",
                    (long long)*place, declared->name, (long long)size, size == 1 ? "" : "s");
    return false;
}

/* An entry's bits; false after an error. */
static bool element_bits(struct lower *l, const struct ast_variable *declared,
                         const struct ast_expression *e, uint64_t *bits)
{
    const char *what = arena_format(l->arena, "an element of '%s'", declared->name);
    enum ir_elem elem = declared->type->elem;
    struct value v = lower_value(l, e);
    if (!value_is_number(v)) {
        lower_assign_convert(l, e->range, v, ir_scalar(elem), false, what);
        return false;
    }
    if (!v.constant) {
        lower_error(l, e->range, "%s must be known at compile time", what);
        lower_hint_constant(l, e);
        return false;
    }
    lower_warn_of_change(l, e->range, v, elem, what);
    *bits = lower_settle(l, lower_convert(l, v, elem)).bits;
    return true;
}

static const struct ir_table *shared_table(struct lower *l, struct ir_table table)
{
    for (size_t i = 0; i < l->tables.count; i++) {
        const struct ir_table *other = l->tables.items[i];
        if (strcmp(other->name, table.name) == 0 && ir_table_equal(other, &table))
            return other;
    }
    struct ir_table *copy = ARENA_NEW(l->arena, struct ir_table);
    uint64_t *bits = ARENA_ARRAY(l->arena, uint64_t, (size_t)table.count);
    memcpy(bits, table.bits, (size_t)table.count * sizeof *bits);
    *copy = table;
    copy->bits = bits;
    const struct ir_table *kept = copy;
    ARENA_PUSH(l->arena, &l->tables, kept);
    return kept;
}

struct value lower_table(struct lower *l, const struct ast_variable *declared)
{
    const struct ast_expression *list = declared->initial;
    uint64_t bits[IR_MAX_TABLE] = {0};
    bool set[IR_MAX_TABLE] = {0};
    int64_t size, place, next = 0, end = 0;
    bool fine = declared_size(l, declared, &size);
    for (int i = 0; fine && i < list->list.count && !l->stopped; i++) {
        const struct ast_entry *entry = &list->list.entries[i];
        fine = place_of(l, declared, entry, size, next, &place);
        if (!fine)
            break;
        if (set[place])
            lower_warning(l, entry->value->range, "element %lld of '%s' is set twice",
                          (long long)place, declared->name);
        fine = element_bits(l, declared, entry->value, &bits[place]) && fine;
        set[place] = true;
        next = place + 1;
        end = next > end ? next : end;
    }
    if (!fine || l->stopped)
        return value_poison;
    if (!size && !end)
        return lower_error(l, list->range, "'%s' has neither a size nor elements", declared->name);
    struct ir_table table = {declared->name, declared->type->elem, (int)(size ? size : end), bits};
    return (struct value){.kind = VALUE_TABLE, .table = shared_table(l, table)};
}

/* ---- elements -------------------------------------------------------------------------------- */

static struct value constant_element(struct lower *l, const struct ast_expression *e,
                                     const struct ir_table *table, struct value index)
{
    unsigned faults = 0;
    struct value v =
        value_constant(table->elem, ir_eval_lookup(table, value_elem(index), index.bits, &faults));
    int64_t number;
    if (!faults)
        return v;
    bool known = value_number(index, &number);
    lower_error(l, e->index.index->range, "index %s is outside of '%s', which has %d element%s",
                known ? arena_format(l->arena, "%lld", (long long)number) : "of this size",
                table->name, table->count, table->count == 1 ? "" : "s");
    return value_poison;
}

struct value lower_table_element(struct lower *l, const struct ast_expression *e,
                                 struct value table, struct value index)
{
    if (!value_is_integral(index)) {
        lower_error(l, e->index.index->range, "the index of a table must be an integer, not %s",
                    index.kind == VALUE_DATA
                        ? arena_format(l->arena, "'%s'", lower_type_name(l, index))
                        : lower_type_name(l, index));
        return value_poison;
    }
    if (value_is_bool(index))
        index = lower_promote(l, index);
    index = lower_settle(l, index);
    if (index.constant)
        return constant_element(l, e, table.table, index);
    if (!l->in_kernel) {
        lower_error(l, e->range, "in front of a launch, a table takes a constant index only");
        return value_poison;
    }
    l->b.range = e->range;
    return value_from_ir(ir_lookup(&l->b, table.table, lower_ir(l, index)), table.table->elem);
}
