/*
 * Tile IR as text.
 *
 *   func @scale(%X: const restrict ptr<f32>, %n: i32) {
 *     %0 = constant {0} : i64
 *     %1 = constant {1} : i64
 *     %sum = constant {0.0} : f32
 *     %n.1 = cast %n : i64
 *     %sum.1 = for %i = %0 to %n.1 step %1 carry (%sum.2 = %sum) : f32 {
 *       %p = addptr %X, %i : ptr<f32>
 *       %x = load %p : f32
 *       %2 = add %sum.2, %x : f32
 *       yield %2
 *     }
 *     return
 *   }
 *
 * Tables that lookups choose from stand in front of the ops, each once:
 *
 *     table @nf4 f32 {-1.0, -0.6961928, ...}
 *     %x = lookup {@nf4} %i : f32[16]
 *
 * A line is: results = op {attributes} operands : result types. Only control flow has a form of its
 * own (for, if, while, scan). Names are hints: a value without one gets a number, and the second
 * value called %n becomes %n.1; the reader drops such a suffix, so that text read and printed again
 * is the same text. Bytes that cannot stand in a name become '_'.
 */
#include "ir/ir.h"
#include "ir/number.h"

#include <inttypes.h>
#include <string.h>

struct name_count {
    const char *name;
    int count; /* values that have it so far */
};

struct printer {
    struct text *out;
    struct arena *arena;
    const char **names;       /* by value id */
    int named, unnamed;       /* values met so far; those of them without a name */
    struct name_count *table; /* open addressing, capacity a power of two */
    size_t capacity;
    struct ir_tables tables;
    const char **table_names;
};

/* ---- names --------------------------------------------------------------------------------- */

static bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static const char *clean_name(struct printer *p, const char *name)
{
    size_t length = name ? strlen(name) : 0;
    if (length == 0 || (name[0] >= '0' && name[0] <= '9'))
        return NULL;
    char *clean = arena_copy_text(p->arena, name, length);
    for (size_t i = 0; i < length; i++) {
        if (!is_name_char(clean[i]))
            clean[i] = '_';
    }
    return clean;
}

static struct name_count *find_name(struct printer *p, const char *name)
{
    size_t hash = 5381;
    for (const char *c = name; *c; c++)
        hash = hash * 33 + (unsigned char)*c;
    for (;; hash++) {
        struct name_count *entry = &p->table[hash & (p->capacity - 1)];
        if (!entry->name || strcmp(entry->name, name) == 0)
            return entry;
    }
}

static void name_value(struct printer *p, const struct ir_value *value)
{
    const char *clean = clean_name(p, value->name);
    const char **name = &p->names[p->named++];
    if (!clean) {
        *name = arena_format(p->arena, "%d", p->unnamed++);
        return;
    }
    struct name_count *entry = find_name(p, clean);
    entry->name = clean;
    *name = entry->count ? arena_format(p->arena, "%s.%d", clean, entry->count) : clean;
    entry->count++;
}

/* In the order of ir_number, so that ids index the names. */
static void name_values(struct printer *p, const struct ir_region *region)
{
    for (int i = 0; i < region->argument_count; i++)
        name_value(p, region->arguments[i]);
    for (const struct ir_op *op = region->first; op; op = op->next) {
        for (int i = 0; i < op->result_count; i++)
            name_value(p, op->results[i]);
        for (int i = 0; i < op->region_count; i++)
            name_values(p, op->regions[i]);
    }
}

/* ---- pieces -------------------------------------------------------------------------------- */

static void print_quoted(struct text *out, const char *string)
{
    text_char(out, '"');
    for (const char *c = string; *c; c++) {
        if (*c == '"' || *c == '\\')
            text_format(out, "\\%c", *c);
        else if (*c == '\n')
            text_string(out, "\\n");
        else if (*c < ' ' || *c > '~')
            text_format(out, "\\x%02x", (unsigned)(unsigned char)*c);
        else
            text_char(out, *c);
    }
    text_char(out, '"');
}

static void print_symbol(struct text *out, const char *name)
{
    bool plain = *name != '\0';
    for (const char *c = name; *c; c++)
        plain = plain && (is_name_char(*c) || *c == '.');
    text_char(out, '@');
    if (plain)
        text_string(out, name);
    else
        print_quoted(out, name);
}

static void print_value(struct printer *p, const struct ir_value *value)
{
    text_format(p->out, "%%%s", p->names[value->id]);
}

static void print_values(struct printer *p, struct ir_value *const *values, int count)
{
    for (int i = 0; i < count; i++) {
        if (i > 0)
            text_string(p->out, ", ");
        print_value(p, values[i]);
    }
}

static void print_result_types(struct printer *p, const struct ir_op *op)
{
    if (op->result_count == 0)
        return;
    text_string(p->out, op->result_count > 1 ? " : (" : " : ");
    for (int i = 0; i < op->result_count; i++) {
        if (i > 0)
            text_string(p->out, ", ");
        ir_type_print(op->results[i]->type, p->out);
    }
    if (op->result_count > 1)
        text_char(p->out, ')');
}

static void print_layout(struct text *out, const struct ir_layout *layout)
{
    text_string(out, "layout ");
    print_quoted(out, layout->name ? layout->name : "");
    for (int i = 0; i < layout->bits; i++)
        text_format(out, "%s%d", i == 0 ? " bits " : " ", layout->bit_order[i]);
    text_format(out, " xor %" PRIu32 " per_thread %d", layout->xor_mask, layout->per_thread);
}

static void print_range(struct text *out, const struct ir_attributes *a)
{
    text_format(out, " {%" PRId64 " to %" PRId64, a->begin, a->end);
    if (a->layout) {
        text_char(out, ' ');
        print_layout(out, a->layout);
    }
}

static void print_permutation(struct text *out, const struct ir_attributes *a, int rank)
{
    text_string(out, " {");
    for (int i = 0; i < rank; i++)
        text_format(out, i == 0 ? "%d" : " %d", a->permutation[i]);
}

static void print_shared(struct text *out, const struct ir_attributes *a)
{
    text_string(out, " {");
    print_quoted(out, a->text ? a->text : "");
    text_format(out, " %" PRId64 " padding %" PRId64 "%s", a->number, a->padding,
                a->aligned ? " aligned" : "");
}

static void print_matrices(struct text *out, const struct ir_attributes *a)
{
    for (int i = 0; i < 2; i++)
        text_format(out, "%s%s %d panel %" PRId64, i == 0 ? " {" : " ",
                    a->matrices[i].columns ? "columns" : "rows", a->matrices[i].row,
                    a->matrices[i].panel);
}

static void print_attributes(struct printer *p, const struct ir_op *op)
{
    struct text *out = p->out;
    const struct ir_attributes *a = &op->attributes;
    switch (ir_ops[op->code].attribute) {
    case IR_ATTRIBUTE_NONE:
        return;
    case IR_ATTRIBUTE_BITS:
        text_string(out, " {");
        ir_element_print(a->bits, (enum ir_elem)op->results[0]->type.elem, out);
        break;
    case IR_ATTRIBUTE_AXIS:
        text_format(out, " {axis %d", a->axis);
        break;
    case IR_ATTRIBUTE_RANGE:
        print_range(out, a);
        break;
    case IR_ATTRIBUTE_PERMUTATION:
        print_permutation(out, a, op->results[0]->type.rank);
        break;
    case IR_ATTRIBUTE_SCAN:
        text_format(out, " {axis %d%s", a->axis, a->exclusive ? " exclusive" : "");
        break;
    case IR_ATTRIBUTE_VIEW:
        text_format(out, " {rank %d", a->view_rank);
        break;
    case IR_ATTRIBUTE_LAYOUT:
        text_string(out, " {");
        print_layout(out, a->layout);
        break;
    case IR_ATTRIBUTE_TABLE:
        text_format(out, " {@%s", p->table_names[ir_table_place(&p->tables, a->table)]);
        break;
    case IR_ATTRIBUTE_TEXT:
        text_string(out, " {");
        print_quoted(out, a->text ? a->text : "");
        break;
    case IR_ATTRIBUTE_NUMBER:
        text_format(out, " {%" PRId64, a->number);
        break;
    case IR_ATTRIBUTE_SHARED:
        print_shared(out, a);
        break;
    case IR_ATTRIBUTE_SCOPE:
        text_format(out, " {%s", ir_scope_names[a->scope]);
        break;
    case IR_ATTRIBUTE_ALIGNMENT:
        text_format(out, " {%s", a->aligned ? "aligned" : "packed");
        break;
    case IR_ATTRIBUTE_ORDER:
        text_format(out, " {%s", a->columns ? "columns" : "rows");
        break;
    case IR_ATTRIBUTE_MATRICES:
        print_matrices(out, a);
        break;
    }
    text_char(out, '}');
}

static void print_indent(struct printer *p, int depth)
{
    for (int i = 0; i < depth; i++)
        text_string(p->out, "  ");
}

/* ---- ops ----------------------------------------------------------------------------------- */

static void print_ops(struct printer *p, const struct ir_region *region, int depth);

static void print_body(struct printer *p, const struct ir_region *region, int depth)
{
    text_string(p->out, " {\n");
    print_ops(p, region, depth + 1);
    print_indent(p, depth);
    text_char(p->out, '}');
}

/* carry (%argument = %init, ...) */
static void print_carry(struct printer *p, struct ir_value *const *arguments,
                        struct ir_value *const *inits, int count)
{
    for (int i = 0; i < count; i++) {
        text_string(p->out, i == 0 ? " carry (" : ", ");
        print_value(p, arguments[i]);
        text_string(p->out, " = ");
        print_value(p, inits[i]);
    }
    if (count > 0)
        text_char(p->out, ')');
}

static void print_for(struct printer *p, const struct ir_op *op, int depth)
{
    const struct ir_region *body = op->regions[0];
    text_char(p->out, ' ');
    print_value(p, body->arguments[0]);
    static const char *const words[] = {" = ", " to ", " step "};
    for (int i = 0; i < 3; i++) {
        text_string(p->out, words[i]);
        print_value(p, op->operands[i]);
    }
    print_carry(p, body->arguments + 1, op->operands + 3, op->operand_count - 3);
    print_result_types(p, op);
    print_body(p, body, depth);
}

static void print_if(struct printer *p, const struct ir_op *op, int depth)
{
    text_char(p->out, ' ');
    print_value(p, op->operands[0]);
    print_result_types(p, op);
    print_body(p, op->regions[0], depth);
    text_string(p->out, " else");
    print_body(p, op->regions[1], depth);
}

static void print_while(struct printer *p, const struct ir_op *op, int depth)
{
    print_carry(p, op->regions[0]->arguments, op->operands, op->operand_count);
    print_result_types(p, op);
    print_body(p, op->regions[0], depth);
    text_string(p->out, " do");
    if (op->regions[1]->argument_count > 0) {
        text_string(p->out, " (");
        print_values(p, op->regions[1]->arguments, op->regions[1]->argument_count);
        text_char(p->out, ')');
    }
    print_body(p, op->regions[1], depth);
}

static void print_operands(struct printer *p, const struct ir_op *op)
{
    if (op->operand_count > 0)
        text_char(p->out, ' ');
    print_values(p, op->operands, op->operand_count);
}

static void print_scan(struct printer *p, const struct ir_op *op, int depth)
{
    print_attributes(p, op);
    print_operands(p, op);
    text_string(p->out, " by (");
    print_values(p, op->regions[0]->arguments, op->regions[0]->argument_count);
    text_char(p->out, ')');
    print_result_types(p, op);
    print_body(p, op->regions[0], depth);
}

static void print_op(struct printer *p, const struct ir_op *op, int depth)
{
    print_indent(p, depth);
    print_values(p, op->results, op->result_count);
    if (op->result_count > 0)
        text_string(p->out, " = ");
    text_string(p->out, ir_ops[op->code].name);
    if (op->code == IR_OP_FOR) {
        print_for(p, op, depth);
    } else if (op->code == IR_OP_IF) {
        print_if(p, op, depth);
    } else if (op->code == IR_OP_WHILE) {
        print_while(p, op, depth);
    } else if (op->code == IR_OP_SCAN) {
        print_scan(p, op, depth);
    } else {
        print_attributes(p, op);
        print_operands(p, op);
        print_result_types(p, op);
    }
    text_char(p->out, '\n');
}

static void print_ops(struct printer *p, const struct ir_region *region, int depth)
{
    for (const struct ir_op *op = region->first; op; op = op->next)
        print_op(p, op, depth);
}

/* ---- functions and kernels ----------------------------------------------------------------- */

static void print_header(struct printer *p, const struct ir_func *func)
{
    text_string(p->out, "func ");
    print_symbol(p->out, func->name);
    text_char(p->out, '(');
    for (int i = 0; i < func->parameter_count; i++) {
        const struct ir_parameter *parameter = &func->parameters[i];
        if (i > 0)
            text_string(p->out, ", ");
        print_value(p, func->body->arguments[i]);
        text_format(p->out, ": %s%s", parameter->is_const ? "const " : "",
                    parameter->is_restrict ? "restrict " : "");
        ir_type_print(parameter->type, p->out);
        if (parameter->is_fixed) {
            text_string(p->out, " = ");
            ir_element_print(parameter->fixed, (enum ir_elem)parameter->type.elem, p->out);
        }
    }
    text_char(p->out, ')');
    for (int i = 0; i < func->result_count; i++) {
        text_string(p->out, i == 0 ? " -> (" : ", ");
        ir_type_print(func->results[i], p->out);
    }
    if (func->result_count > 0)
        text_char(p->out, ')');
}

static const char *table_name(struct printer *p, size_t index)
{
    const char *clean = clean_name(p, p->tables.items[index]->name);
    int same = 0;
    if (!clean)
        return arena_format(p->arena, "%zu", index);
    for (size_t i = 0; i < index; i++)
        same += strncmp(p->table_names[i], clean, strlen(clean)) == 0 &&
                strchr(".", p->table_names[i][strlen(clean)]) != NULL;
    return same ? arena_format(p->arena, "%s.%d", clean, same) : clean;
}

static void name_tables(struct printer *p, const struct ir_func *func)
{
    p->tables = ir_tables_of((struct ir_func *)func, p->arena, false);
    p->table_names = ARENA_ARRAY(p->arena, const char *, p->tables.count);
    for (size_t i = 0; i < p->tables.count; i++)
        p->table_names[i] = table_name(p, i);
}

static void print_table(struct printer *p, const struct ir_table *table, const char *name)
{
    enum { IN_A_ROW = 16 };
    bool rows = table->count > IN_A_ROW;
    text_format(p->out, "  table @%s %s {", name, ir_elems[table->elem].name);
    for (int i = 0; i < table->count; i++) {
        text_string(p->out, i ? "," : "");
        text_string(p->out, rows && i % IN_A_ROW == 0 ? "\n    " : i ? " " : "");
        ir_element_print(table->bits[i], table->elem, p->out);
    }
    text_string(p->out, rows ? "\n  }\n" : "}\n");
}

static void number_names(struct printer *p, const struct ir_func *func)
{
    int count = ir_value_count(func->body);
    while (p->capacity < 2 * (size_t)count)
        p->capacity *= 2;
    p->table = ARENA_ARRAY(p->arena, struct name_count, p->capacity);
    p->names = ARENA_ARRAY(p->arena, const char *, (size_t)count);
    ir_number((struct ir_func *)func);
    name_values(p, func->body);
}

const char **ir_names(const struct ir_func *func, struct arena *arena, int *count)
{
    struct printer p = {.arena = arena, .capacity = 16};
    number_names(&p, func);
    *count = p.named;
    return p.names;
}

void ir_print(const struct ir_func *func, struct text *out)
{
    struct printer p = {.out = out, .arena = out->arena, .capacity = 16};
    number_names(&p, func);
    name_tables(&p, func);
    print_header(&p, func);
    text_string(out, " {\n");
    for (size_t i = 0; i < p.tables.count; i++)
        print_table(&p, p.tables.items[i], p.table_names[i]);
    print_ops(&p, func->body, 1);
    text_string(out, "}\n");
}

void ir_kernel_print(const struct ir_kernel *kernel, struct text *out)
{
    ir_print(kernel->func, out);
    if (kernel->grid) {
        text_string(out, "\ngrid ");
        ir_print(kernel->grid, out);
    }
    for (int i = 0; i < kernel->require_count; i++) {
        text_string(out, "\nlaunch_require ");
        print_quoted(out, kernel->launch_requires[i].text);
        text_char(out, ' ');
        ir_print(kernel->launch_requires[i].condition, out);
    }
    for (int i = 0; i < kernel->requirement_count; i++) {
        const struct ir_requirement *requirement = &kernel->requirements[i];
        text_format(out, "%srequire %s = ", i == 0 ? "\n" : "", requirement->name);
        if (requirement->word)
            text_string(out, requirement->word);
        else
            text_format(out, "%" PRId64, requirement->number);
        text_char(out, '\n');
    }
}
