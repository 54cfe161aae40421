/*
 * The reader of the text form that print.c writes.
 *
 * One function per piece of the grammar; each returns false after the first error, which is the
 * only one reported. Names map to values through one table per function; whether a value is visible
 * where it is used, and whether types fit, is the verifier's business, which runs on what was read.
 * Nothing in the text is trusted: depth, counts and sizes are bounded before anything is allocated.
 */
#include "ir/ir.h"
#include "ir/number.h"
#include "ir/tokens.h"

#include <string.h>

struct symbol {
    const char *name; /* in the text; NULL: a free place */
    size_t length;
    struct ir_value *value;
};

struct value_list {
    struct ir_value **items;
    size_t count, capacity;
};

struct token_list {
    struct ir_token *items;
    size_t count, capacity;
};

struct reader {
    struct arena *arena;
    struct diagnostics *diagnostics;
    const struct source_file *file;
    struct ir_token token; /* the next one */
    uint32_t last_end;     /* where the token before it ended */
    struct ir_builder builder;
    struct symbol *symbols; /* open addressing, capacity a power of two, at most half full */
    size_t symbol_count, symbol_capacity;
    int depth, op_count;
    enum ir_level level;
    struct {
        struct named_table {
            struct ir_token name;
            struct ir_table *table;
        } *items;
        size_t count, capacity;
    } tables; /* of the function */
};

enum { MOST_TABLES = 1000 }; /* of a function */

/* ---- tokens and errors --------------------------------------------------------------------- */

static struct source_range range_of(const struct reader *r, const struct ir_token *token)
{
    return (struct source_range){r->file, token->begin, token->end};
}

#define FAIL_AT(r, token, ...)                                                                     \
    (diagnostics_add((r)->diagnostics, DIAGNOSTIC_ERROR, range_of((r), (token)), __VA_ARGS__),     \
     false)
#define FAIL(r, ...) FAIL_AT((r), &(r)->token, __VA_ARGS__)

static void advance(struct reader *r)
{
    r->last_end = r->token.end;
    r->token = ir_token_next(r->file, r->token.end);
}

static bool accept(struct reader *r, const char *text)
{
    if (!ir_token_is(&r->token, text))
        return false;
    advance(r);
    return true;
}

static bool expect(struct reader *r, const char *text)
{
    return accept(r, text) || FAIL(r, "expected '%s'", text);
}

static bool expect_kind(struct reader *r, enum ir_token_kind kind, const char *what,
                        struct ir_token *token)
{
    if (r->token.kind != kind)
        return FAIL(r, "expected %s", what);
    *token = r->token;
    advance(r);
    return true;
}

static bool read_integer(struct reader *r, int64_t least, int64_t most, int64_t *value)
{
    struct ir_token token;
    if (!expect_kind(r, IR_TOKEN_NUMBER, "an integer", &token))
        return false;
    if (!ir_integer_read(token.text, token.length, value) || *value < least || *value > most)
        return FAIL_AT(r, &token, "expected an integer from %lld to %lld", (long long)least,
                       (long long)most);
    return true;
}

static bool read_int(struct reader *r, int least, int most, int *value)
{
    int64_t wide;
    if (!read_integer(r, least, most, &wide))
        return false;
    *value = (int)wide;
    return true;
}

static const char *copy_token(struct reader *r, const struct ir_token *token)
{
    return arena_copy_text(r->arena, token->text, token->length);
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A quoted string with its escapes decoded. */
static bool read_string(struct reader *r, const char **string)
{
    struct ir_token token;
    if (!expect_kind(r, IR_TOKEN_STRING, "a quoted string", &token))
        return false;
    char *copy = arena_copy_text(r->arena, token.text, token.length);
    size_t to = 0;
    for (size_t i = 0; i < token.length; i++) {
        char c = token.text[i];
        if (c == '\\') {
            c = ++i < token.length ? token.text[i] : '\0';
            if (c == 'n') {
                c = '\n';
            } else if (c == 'x' && i + 2 < token.length) {
                int high = hex_digit(token.text[i + 1]), low = hex_digit(token.text[i + 2]);
                c = (char)(high < 0 || low < 0 ? 0 : high * 16 + low);
                i += 2;
            } else if (c != '"' && c != '\\') {
                c = '\0';
            }
        }
        if (c == '\0')
            return FAIL_AT(r, &token, "string with a bad escape or a NUL");
        copy[to++] = c;
    }
    copy[to] = '\0';
    *string = copy;
    return true;
}

/* ---- names --------------------------------------------------------------------------------- */

static struct symbol *find_symbol(struct reader *r, const char *name, size_t length)
{
    size_t hash = 5381;
    for (size_t i = 0; i < length; i++)
        hash = hash * 33 + (unsigned char)name[i];
    for (;; hash++) {
        struct symbol *symbol = &r->symbols[hash & (r->symbol_capacity - 1)];
        if (!symbol->name || (symbol->length == length && memcmp(symbol->name, name, length) == 0))
            return symbol;
    }
}

static void grow_symbols(struct reader *r)
{
    struct symbol *old = r->symbols;
    size_t old_capacity = r->symbol_capacity;
    r->symbol_capacity = old_capacity ? old_capacity * 2 : 64;
    r->symbols = ARENA_ARRAY(r->arena, struct symbol, r->symbol_capacity);
    for (size_t i = 0; i < old_capacity; i++) {
        if (old[i].name)
            *find_symbol(r, old[i].name, old[i].length) = old[i];
    }
}

/* The hint in a name: without the ".1" that made it unique; NULL for a number. */
static const char *hint_of(struct reader *r, const struct ir_token *token)
{
    if (token->text[0] >= '0' && token->text[0] <= '9')
        return NULL;
    const char *point = memchr(token->text, '.', token->length);
    return arena_copy_text(r->arena, token->text,
                           point ? (size_t)(point - token->text) : token->length);
}

static bool define(struct reader *r, const struct ir_token *token, struct ir_value *value)
{
    if (2 * (r->symbol_count + 1) > r->symbol_capacity)
        grow_symbols(r);
    struct symbol *symbol = find_symbol(r, token->text, token->length);
    if (symbol->name)
        return FAIL_AT(r, token, "'%%%.*s' is defined twice", (int)token->length, token->text);
    *symbol = (struct symbol){token->text, token->length, value};
    r->symbol_count++;
    value->name = hint_of(r, token);
    return true;
}

static bool read_value(struct reader *r, struct ir_value **value)
{
    struct ir_token token;
    if (!expect_kind(r, IR_TOKEN_VALUE, "a value such as %x", &token))
        return false;
    struct symbol *symbol = find_symbol(r, token.text, token.length);
    if (!symbol->name)
        return FAIL_AT(r, &token, "unknown value '%%%.*s'", (int)token.length, token.text);
    *value = symbol->value;
    return true;
}

static bool check_count(struct reader *r, size_t count)
{
    return count < IR_MAX_OPERANDS || FAIL(r, "more than %d values", (int)IR_MAX_OPERANDS);
}

/* value {, value}; none when no value comes next */
static bool read_values(struct reader *r, struct value_list *list)
{
    struct ir_value *value;
    if (r->token.kind != IR_TOKEN_VALUE)
        return true;
    do {
        if (!check_count(r, list->count) || !read_value(r, &value))
            return false;
        ARENA_PUSH(r->arena, list, value);
    } while (accept(r, ","));
    return true;
}

/* %name {, %name}, not yet defined */
static bool read_names(struct reader *r, struct token_list *list)
{
    struct ir_token token;
    do {
        if (!check_count(r, list->count) ||
            !expect_kind(r, IR_TOKEN_VALUE, "a name such as %x", &token))
            return false;
        ARENA_PUSH(r->arena, list, token);
    } while (accept(r, ","));
    return true;
}

/* ---- types --------------------------------------------------------------------------------- */

static bool read_elem(struct reader *r, struct ir_type *type)
{
    struct ir_token token;
    enum ir_elem elem;
    if (!expect_kind(r, IR_TOKEN_WORD, "a type", &token))
        return false;
    if (!ir_elem_by_name(token.text, token.length, &elem))
        return FAIL_AT(r, &token, "unknown type '%.*s'", (int)token.length, token.text);
    type->elem = (uint8_t)elem;
    return true;
}

static bool read_dims(struct reader *r, struct ir_type *type)
{
    int64_t elements = 1;
    do {
        int dim;
        struct ir_token token = r->token;
        if (type->rank == IR_MAX_RANK)
            return FAIL(r, "more than %d axes", (int)IR_MAX_RANK);
        if (!read_int(r, 1, IR_MAX_ELEMENTS, &dim))
            return false;
        elements *= dim;
        if (elements > IR_MAX_ELEMENTS)
            return FAIL_AT(r, &token, "more than %d elements", (int)IR_MAX_ELEMENTS);
        type->dims[type->rank++] = dim;
    } while (accept(r, ","));
    return expect(r, "]");
}

static bool read_type(struct reader *r, struct ir_type *type)
{
    *type = (struct ir_type){0};
    if (accept(r, "ptr")) {
        type->pointer = true;
        if (!expect(r, "<") || !read_elem(r, type))
            return false;
        if (r->level == IR_LEVEL_GPU && accept(r, ",")) {
            type->space = IR_SPACE_THREADGROUP;
            if (!expect(r, "threadgroup"))
                return false;
        }
        if (!expect(r, ">"))
            return false;
    } else if (!read_elem(r, type)) {
        return false;
    }
    return !accept(r, "[") || read_dims(r, type);
}

/* "(" type {, type} ")" behind an open parenthesis; count of them are wanted */
static bool read_type_list(struct reader *r, struct ir_type *types, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if ((i > 0 && !expect(r, ",")) || !read_type(r, &types[i]))
            return false;
    }
    return expect(r, ")");
}

/* The types of an op's results, as many as there are names in front of it. */
static bool read_result_types(struct reader *r, const struct token_list *names,
                              struct ir_type **types)
{
    *types = ARENA_ARRAY(r->arena, struct ir_type, names->count);
    if (names->count == 0)
        return true;
    if (!expect(r, ":"))
        return false;
    if (names->count == 1)
        return read_type(r, *types);
    return expect(r, "(") && read_type_list(r, *types, names->count);
}

/* ---- attributes ---------------------------------------------------------------------------- */

/* layout "name" bits 0 1 2 xor 3 per_thread 4 */
static bool read_layout(struct reader *r, const struct ir_layout **result)
{
    struct ir_layout *layout = ARENA_NEW(r->arena, struct ir_layout);
    *result = layout;
    int64_t mask;
    if (!expect(r, "layout") || !read_string(r, &layout->name))
        return false;
    if (accept(r, "bits")) {
        do {
            int bit;
            if (layout->bits == IR_MAX_LAYOUT_BITS)
                return FAIL(r, "more than %d bits", (int)IR_MAX_LAYOUT_BITS);
            if (!read_int(r, 0, IR_MAX_LAYOUT_BITS - 1, &bit))
                return false;
            layout->bit_order[layout->bits++] = (uint8_t)bit;
        } while (r->token.kind == IR_TOKEN_NUMBER);
    }
    if (!expect(r, "xor") || !read_integer(r, 0, UINT32_MAX, &mask) || !expect(r, "per_thread"))
        return false;
    layout->xor_mask = (uint32_t)mask;
    return read_int(r, 0, IR_MAX_ELEMENTS, &layout->per_thread);
}

static bool read_range(struct reader *r, struct ir_attributes *a)
{
    if (!read_integer(r, INT64_MIN, INT64_MAX, &a->begin) || !expect(r, "to") ||
        !read_integer(r, INT64_MIN, INT64_MAX, &a->end))
        return false;
    return !ir_token_is(&r->token, "layout") || read_layout(r, &a->layout);
}

static bool read_permutation(struct reader *r, struct ir_attributes *a)
{
    for (int i = 0; r->token.kind == IR_TOKEN_NUMBER; i++) {
        int axis;
        if (i == IR_MAX_RANK)
            return FAIL(r, "more than %d axes", (int)IR_MAX_RANK);
        if (!read_int(r, 0, IR_MAX_RANK - 1, &axis))
            return false;
        a->permutation[i] = (uint8_t)axis;
    }
    return true;
}

/* "name" elements padding n */
static bool read_shared(struct reader *r, struct ir_attributes *a)
{
    bool fine = read_string(r, &a->text) && read_integer(r, 1, IR_MAX_ELEMENTS, &a->number) &&
                expect(r, "padding") && read_integer(r, 0, IR_MAX_ELEMENTS, &a->padding);
    a->aligned = fine && accept(r, "aligned");
    return fine;
}

static bool read_matrix(struct reader *r, struct ir_matrix *matrix)
{
    matrix->columns = accept(r, "columns");
    return (matrix->columns || expect(r, "rows")) &&
           read_int(r, 0, IR_MAX_ELEMENTS, &matrix->row) && expect(r, "panel") &&
           read_integer(r, 0, IR_MAX_ELEMENTS, &matrix->panel);
}

static struct ir_table *find_table(const struct reader *r, const struct ir_token *name)
{
    for (size_t i = 0; i < r->tables.count; i++) {
        const struct ir_token *other = &r->tables.items[i].name;
        if (other->length == name->length && memcmp(other->text, name->text, name->length) == 0)
            return r->tables.items[i].table;
    }
    return NULL;
}

static bool read_table_name(struct reader *r, struct ir_attributes *a)
{
    struct ir_token name;
    if (!expect_kind(r, IR_TOKEN_SYMBOL, "a table such as @t", &name))
        return false;
    a->table = find_table(r, &name);
    return a->table || FAIL_AT(r, &name, "unknown table '@%.*s'", (int)name.length, name.text);
}

static bool read_scope(struct reader *r, struct ir_attributes *a)
{
    for (int i = 0; i < IR_SCOPE_COUNT; i++) {
        if (accept(r, ir_scope_names[i])) {
            a->scope = (enum ir_scope)i;
            return true;
        }
    }
    return FAIL(r, "expected a barrier's scope");
}

/* What stands in braces behind the op's name. A constant's element is only remembered: its type
 * comes later. */
static bool read_attributes(struct reader *r, enum ir_opcode code, struct ir_attributes *a,
                            struct ir_token *element)
{
    bool fine = true;
    enum ir_attribute kind = ir_ops[code].attribute;
    if (kind == IR_ATTRIBUTE_NONE)
        return true;
    if (!expect(r, "{"))
        return false;
    switch (kind) {
    case IR_ATTRIBUTE_NONE:
        break;
    case IR_ATTRIBUTE_BITS:
        *element = r->token;
        if (element->kind != IR_TOKEN_NUMBER && element->kind != IR_TOKEN_WORD)
            return FAIL(r, "expected a number");
        advance(r);
        break;
    case IR_ATTRIBUTE_AXIS:
        fine = expect(r, "axis") && read_int(r, -1, IR_MAX_RANK, &a->axis);
        break;
    case IR_ATTRIBUTE_RANGE:
        fine = read_range(r, a);
        break;
    case IR_ATTRIBUTE_PERMUTATION:
        fine = read_permutation(r, a);
        break;
    case IR_ATTRIBUTE_SCAN:
        fine = expect(r, "axis") && read_int(r, 0, IR_MAX_RANK, &a->axis);
        a->exclusive = fine && accept(r, "exclusive");
        break;
    case IR_ATTRIBUTE_VIEW:
        fine = expect(r, "rank") && read_int(r, 1, IR_MAX_RANK, &a->view_rank);
        break;
    case IR_ATTRIBUTE_LAYOUT:
        fine = read_layout(r, &a->layout);
        break;
    case IR_ATTRIBUTE_TABLE:
        fine = read_table_name(r, a);
        break;
    case IR_ATTRIBUTE_TEXT:
        fine = read_string(r, &a->text);
        break;
    case IR_ATTRIBUTE_NUMBER:
        fine = read_integer(r, 0, INT32_MAX, &a->number);
        break;
    case IR_ATTRIBUTE_SHARED:
        fine = read_shared(r, a);
        break;
    case IR_ATTRIBUTE_SCOPE:
        fine = read_scope(r, a);
        break;
    case IR_ATTRIBUTE_ALIGNMENT:
        a->aligned = accept(r, "aligned");
        fine = a->aligned || expect(r, "packed");
        break;
    case IR_ATTRIBUTE_ORDER:
        a->columns = accept(r, "columns");
        fine = a->columns || expect(r, "rows");
        break;
    case IR_ATTRIBUTE_MATRICES:
        fine = read_matrix(r, &a->matrices[0]) && read_matrix(r, &a->matrices[1]);
        break;
    }
    return fine && expect(r, "}");
}

/* ---- ops ----------------------------------------------------------------------------------- */

static bool read_ops(struct reader *r, struct ir_region *region);

static bool read_body(struct reader *r, struct ir_region *region)
{
    struct ir_builder outside = r->builder;
    if (!expect(r, "{") || !read_ops(r, region))
        return false;
    r->builder = outside;
    return expect(r, "}");
}

static bool define_all(struct reader *r, const struct token_list *names,
                       struct ir_value *const *values)
{
    for (size_t i = 0; i < names->count; i++) {
        if (!define(r, &names->items[i], values[i]))
            return false;
    }
    return true;
}

static bool add_argument(struct reader *r, struct ir_region *region, const struct ir_token *name,
                         struct ir_type type)
{
    return define(r, name, ir_region_add_argument(r->builder.func, region, type, NULL));
}

static struct ir_op *build(struct reader *r, enum ir_opcode code, uint32_t begin,
                           const struct value_list *operands, const struct token_list *names,
                           const struct ir_type *types, int regions,
                           const struct ir_attributes *attributes)
{
    r->builder.range = (struct source_range){r->file, begin, r->last_end};
    return ir_build(&r->builder, code, (int)operands->count, operands->items, (int)names->count,
                    types, regions, attributes);
}

/* carry (%argument = %init, ...) */
static bool read_carry(struct reader *r, struct token_list *arguments, struct value_list *inits)
{
    struct ir_token name;
    struct ir_value *init;
    if (!accept(r, "carry"))
        return true;
    if (!expect(r, "("))
        return false;
    do {
        if (!check_count(r, inits->count) ||
            !expect_kind(r, IR_TOKEN_VALUE, "a name such as %x", &name) || !expect(r, "=") ||
            !read_value(r, &init))
            return false;
        ARENA_PUSH(r->arena, arguments, name);
        ARENA_PUSH(r->arena, inits, init);
    } while (accept(r, ","));
    return expect(r, ")");
}

static bool read_for(struct reader *r, uint32_t begin, const struct token_list *names)
{
    struct ir_token counter;
    struct token_list arguments = {0};
    struct value_list operands = {0};
    struct ir_type *types;
    static const char *const words[] = {"=", "to", "step"};
    if (!expect_kind(r, IR_TOKEN_VALUE, "a name such as %i", &counter))
        return false;
    for (int i = 0; i < 3; i++) {
        struct ir_value *value;
        if (!expect(r, words[i]) || !read_value(r, &value))
            return false;
        ARENA_PUSH(r->arena, &operands, value);
    }
    if (!read_carry(r, &arguments, &operands) || !read_result_types(r, names, &types))
        return false;
    struct ir_op *op = build(r, IR_OP_FOR, begin, &operands, names, types, 1, NULL);
    struct ir_region *body = op->regions[0];
    if (!add_argument(r, body, &counter, ir_scalar(IR_I64)))
        return false;
    for (size_t i = 0; i < arguments.count; i++) {
        if (!add_argument(r, body, &arguments.items[i], operands.items[3 + i]->type))
            return false;
    }
    return read_body(r, body) && define_all(r, names, op->results);
}

static bool read_if(struct reader *r, uint32_t begin, const struct token_list *names)
{
    struct ir_value *condition;
    struct value_list operands = {0};
    struct ir_type *types;
    if (!read_value(r, &condition) || !read_result_types(r, names, &types))
        return false;
    ARENA_PUSH(r->arena, &operands, condition);
    struct ir_op *op = build(r, IR_OP_IF, begin, &operands, names, types, 2, NULL);
    return read_body(r, op->regions[0]) && expect(r, "else") && read_body(r, op->regions[1]) &&
           define_all(r, names, op->results);
}

static bool read_while(struct reader *r, uint32_t begin, const struct token_list *names)
{
    struct token_list before = {0}, after = {0};
    struct value_list inits = {0};
    struct ir_type *types;
    if (!read_carry(r, &before, &inits) || !read_result_types(r, names, &types))
        return false;
    struct ir_op *op = build(r, IR_OP_WHILE, begin, &inits, names, types, 2, NULL);
    for (size_t i = 0; i < before.count; i++) {
        if (!add_argument(r, op->regions[0], &before.items[i], inits.items[i]->type))
            return false;
    }
    if (!read_body(r, op->regions[0]) || !expect(r, "do"))
        return false;
    if (accept(r, "(") && (!read_names(r, &after) || !expect(r, ")")))
        return false;
    if (after.count != before.count)
        return FAIL(r, "expected %d names in front of the second region", (int)before.count);
    for (size_t i = 0; i < after.count; i++) {
        if (!add_argument(r, op->regions[1], &after.items[i], inits.items[i]->type))
            return false;
    }
    return read_body(r, op->regions[1]) && define_all(r, names, op->results);
}

/* {axis 0} %x by (%a, %b) : type { ... } */
static bool read_scan(struct reader *r, uint32_t begin, const struct token_list *names)
{
    struct ir_attributes attributes = {0};
    struct ir_token element;
    struct value_list operands = {0};
    struct token_list arguments = {0};
    struct ir_type *types;
    if (!read_attributes(r, IR_OP_SCAN, &attributes, &element) || !read_values(r, &operands) ||
        !expect(r, "by") || !expect(r, "(") || !read_names(r, &arguments) || !expect(r, ")") ||
        !read_result_types(r, names, &types))
        return false;
    struct ir_op *op = build(r, IR_OP_SCAN, begin, &operands, names, types, 1, &attributes);
    struct ir_type of = operands.count > 0 ? operands.items[0]->type : ir_scalar(IR_F32);
    for (size_t i = 0; i < arguments.count; i++) {
        struct ir_type scalar = ir_with_shape(of, ir_scalar(IR_F32));
        if (!add_argument(r, op->regions[0], &arguments.items[i], scalar))
            return false;
    }
    return read_body(r, op->regions[0]) && define_all(r, names, op->results);
}

static bool read_plain(struct reader *r, enum ir_opcode code, uint32_t begin,
                       const struct token_list *names)
{
    struct ir_attributes attributes = {0};
    struct ir_token element = {0};
    struct value_list operands = {0};
    struct ir_type *types;
    bool takes = ir_ops[code].most != 0; /* else a value that comes next begins another op */
    if (!read_attributes(r, code, &attributes, &element) || (takes && !read_values(r, &operands)) ||
        !read_result_types(r, names, &types))
        return false;
    if (ir_ops[code].attribute == IR_ATTRIBUTE_BITS) {
        if (names->count != 1)
            return FAIL_AT(r, &element, "a constant has one result");
        enum ir_elem elem = (enum ir_elem)types[0].elem;
        if (!ir_element_read(element.text, element.length, elem, &attributes.bits))
            return FAIL_AT(r, &element, "not a number of type %s that can be read exactly",
                           ir_elems[elem].name);
    }
    struct ir_op *op = build(r, code, begin, &operands, names, types, 0, &attributes);
    return define_all(r, names, op->results);
}

static bool find_opcode(const struct ir_token *token, enum ir_level level, enum ir_opcode *code)
{
    int count = level == IR_LEVEL_GPU ? (int)GPU_OP_END : (int)IR_OP_COUNT;
    for (int i = 0; i < count; i++) {
        if (strlen(ir_ops[i].name) == token->length &&
            memcmp(ir_ops[i].name, token->text, token->length) == 0) {
            *code = (enum ir_opcode)i;
            return true;
        }
    }
    return false;
}

/* [names =] op ... */
static bool read_op(struct reader *r)
{
    uint32_t begin = r->token.begin;
    struct token_list names = {0};
    struct ir_token name;
    enum ir_opcode code;
    if (r->token.kind == IR_TOKEN_VALUE && (!read_names(r, &names) || !expect(r, "=")))
        return false;
    if (++r->op_count > IR_MAX_OPS)
        return FAIL(r, "more than %d ops", (int)IR_MAX_OPS);
    if (!expect_kind(r, IR_TOKEN_WORD, "an op", &name))
        return false;
    if (!find_opcode(&name, r->level, &code))
        return FAIL_AT(r, &name, "unknown op '%.*s'", (int)name.length, name.text);
    if (code == IR_OP_FOR)
        return read_for(r, begin, &names);
    if (code == IR_OP_IF)
        return read_if(r, begin, &names);
    if (code == IR_OP_WHILE)
        return read_while(r, begin, &names);
    if (code == IR_OP_SCAN)
        return read_scan(r, begin, &names);
    return read_plain(r, code, begin, &names);
}

static bool read_ops(struct reader *r, struct ir_region *region)
{
    if (r->depth == IR_MAX_DEPTH)
        return FAIL(r, "regions nest more than %d deep", (int)IR_MAX_DEPTH);
    r->depth++;
    while (!ir_token_is(&r->token, "}")) {
        r->builder.region = region;
        if (!read_op(r))
            return false;
    }
    r->depth--;
    return true;
}

/* ---- functions ----------------------------------------------------------------------------- */

static bool read_table_element(struct reader *r, enum ir_elem elem, uint64_t *bits)
{
    const struct ir_token *token = &r->token;
    if ((token->kind != IR_TOKEN_NUMBER && token->kind != IR_TOKEN_WORD) ||
        !ir_element_read(token->text, token->length, elem, bits))
        return FAIL(r, "not a number of type %s that can be read exactly", ir_elems[elem].name);
    advance(r);
    return true;
}

/* @name type {element, ...} */
static bool read_table(struct reader *r)
{
    struct named_table named = {.table = ARENA_NEW(r->arena, struct ir_table)};
    struct ir_type type = {0};
    uint64_t *bits = ARENA_ARRAY(r->arena, uint64_t, IR_MAX_TABLE);
    if (!expect_kind(r, IR_TOKEN_SYMBOL, "a table's name such as @t", &named.name))
        return false;
    if (find_table(r, &named.name))
        return FAIL_AT(r, &named.name, "'@%.*s' is defined twice", (int)named.name.length,
                       named.name.text);
    if (r->tables.count == MOST_TABLES)
        return FAIL_AT(r, &named.name, "more than %d tables", MOST_TABLES);
    if (!read_elem(r, &type) || !expect(r, "{"))
        return false;
    *named.table = (struct ir_table){
        .name = hint_of(r, &named.name), .elem = (enum ir_elem)type.elem, .bits = bits};
    do {
        if (named.table->count == IR_MAX_TABLE)
            return FAIL(r, "more than %d elements", (int)IR_MAX_TABLE);
        if (!read_table_element(r, named.table->elem, &bits[named.table->count]))
            return false;
        named.table->count++;
    } while (accept(r, ","));
    ARENA_PUSH(r->arena, &r->tables, named);
    return expect(r, "}");
}

/* The tables, then the ops. */
static bool read_func_body(struct reader *r, struct ir_func *func)
{
    r->tables.items = NULL;
    r->tables.count = r->tables.capacity = 0;
    if (!expect(r, "{"))
        return false;
    while (accept(r, "table")) {
        if (!read_table(r))
            return false;
    }
    return read_ops(r, func->body) && expect(r, "}");
}

struct parameter_list {
    struct ir_parameter *items;
    size_t count, capacity;
};

struct type_list {
    struct ir_type *items;
    size_t count, capacity;
};

/* What every launch gives a scalar; behind the "=". */
static bool read_fixed(struct reader *r, struct ir_parameter *parameter)
{
    struct ir_token number = r->token;
    enum ir_elem elem = (enum ir_elem)parameter->type.elem;
    if (parameter->type.pointer || parameter->type.rank > 0)
        return FAIL(r, "only a scalar can be fixed");
    if ((number.kind != IR_TOKEN_NUMBER && number.kind != IR_TOKEN_WORD) ||
        !ir_element_read(number.text, number.length, elem, &parameter->fixed))
        return FAIL(r, "not a number of type %s that can be read exactly", ir_elems[elem].name);
    parameter->is_fixed = true;
    advance(r);
    return true;
}

/* %X: const restrict ptr<f32>, %N: i32 = 1024 */
static bool read_parameter(struct reader *r, struct ir_parameter *parameter, struct ir_token *name)
{
    *parameter = (struct ir_parameter){0};
    if (!expect_kind(r, IR_TOKEN_VALUE, "a parameter such as %X", name) || !expect(r, ":"))
        return false;
    parameter->range = range_of(r, name);
    parameter->name = hint_of(r, name);
    parameter->is_const = accept(r, "const");
    parameter->is_restrict = accept(r, "restrict");
    return read_type(r, &parameter->type) && (!accept(r, "=") || read_fixed(r, parameter));
}

static bool read_parameters(struct reader *r, struct parameter_list *parameters,
                            struct token_list *names)
{
    if (!expect(r, "("))
        return false;
    if (accept(r, ")"))
        return true;
    do {
        struct ir_parameter parameter;
        struct ir_token name;
        if (!check_count(r, names->count) || !read_parameter(r, &parameter, &name))
            return false;
        ARENA_PUSH(r->arena, parameters, parameter);
        ARENA_PUSH(r->arena, names, name);
    } while (accept(r, ","));
    return expect(r, ")");
}

/* [-> (type, ...)] */
static bool read_results(struct reader *r, struct type_list *results)
{
    struct ir_type type;
    if (r->token.kind != IR_TOKEN_ARROW)
        return true;
    advance(r);
    if (!expect(r, "("))
        return false;
    do {
        if (!check_count(r, results->count) || !read_type(r, &type))
            return false;
        ARENA_PUSH(r->arena, results, type);
    } while (accept(r, ","));
    return expect(r, ")");
}

static bool read_symbol(struct reader *r, const char **name)
{
    struct ir_token token;
    if (accept(r, "@"))
        return read_string(r, name);
    if (!expect_kind(r, IR_TOKEN_SYMBOL, "a name such as @kernel", &token))
        return false;
    *name = copy_token(r, &token);
    return true;
}

static bool read_func(struct reader *r, struct ir_func **result)
{
    struct parameter_list parameters = {0};
    struct token_list names = {0};
    struct type_list results = {0};
    const char *name;
    uint32_t begin = r->token.begin;
    if (!expect(r, "func") || !read_symbol(r, &name) || !read_parameters(r, &parameters, &names) ||
        !read_results(r, &results))
        return false;
    struct ir_func *func = ir_func_new(r->arena, name, (int)parameters.count, parameters.items);
    func->range = (struct source_range){r->file, begin, r->last_end};
    func->result_count = (int)results.count;
    func->results = results.items;
    r->builder = (struct ir_builder){.func = func};
    r->symbols = NULL;
    r->symbol_count = r->symbol_capacity = 0;
    r->op_count = r->depth = 0;
    grow_symbols(r);
    *result = func;
    return define_all(r, &names, func->body->arguments) && read_func_body(r, func);
}

/* ---- kernels ------------------------------------------------------------------------------- */

struct require_list {
    struct ir_launch_require *items;
    size_t count, capacity;
};

struct requirement_list {
    struct ir_requirement *items;
    size_t count, capacity;
};

/* require name = number or word */
static bool read_requirement(struct reader *r, struct requirement_list *list)
{
    struct ir_requirement requirement = {0};
    struct ir_token name;
    uint32_t begin = r->token.begin;
    if (!expect_kind(r, IR_TOKEN_WORD, "a requirement's name", &name) || !expect(r, "="))
        return false;
    requirement.name = copy_token(r, &name);
    if (r->token.kind == IR_TOKEN_WORD) {
        requirement.word = copy_token(r, &r->token);
        advance(r);
    } else if (!read_integer(r, INT64_MIN, INT64_MAX, &requirement.number)) {
        return false;
    }
    requirement.range = (struct source_range){r->file, begin, r->last_end};
    ARENA_PUSH(r->arena, list, requirement);
    return true;
}

static bool read_kernel(struct reader *r, struct ir_kernel *kernel)
{
    struct require_list conditions = {0};
    struct requirement_list requirements = {0};
    if (!read_func(r, &kernel->func))
        return false;
    if (accept(r, "grid") && !read_func(r, &kernel->grid))
        return false;
    while (accept(r, "launch_require")) {
        struct ir_launch_require require = {0};
        if (!read_string(r, &require.text) || !read_func(r, &require.condition))
            return false;
        ARENA_PUSH(r->arena, &conditions, require);
    }
    while (accept(r, "require")) {
        if (!read_requirement(r, &requirements))
            return false;
    }
    kernel->require_count = (int)conditions.count;
    kernel->launch_requires = conditions.items;
    kernel->requirement_count = (int)requirements.count;
    kernel->requirements = requirements.items;
    return true;
}

static bool start(struct reader *r, struct arena *arena, struct diagnostics *diagnostics,
                  const struct source_file *file)
{
    *r = (struct reader){.arena = arena, .diagnostics = diagnostics, .file = file};
    if (file->length >= INT32_MAX) {
        diagnostics_add(diagnostics, DIAGNOSTIC_ERROR, (struct source_range){file, 0, 0},
                        "file is larger than 2 GB");
        return false;
    }
    r->token = ir_token_next(file, 0);
    return true;
}

static bool at_end(struct reader *r)
{
    return r->token.kind == IR_TOKEN_END || FAIL(r, "expected the end of the file");
}

struct ir_func *ir_read_level(struct arena *arena, struct diagnostics *diagnostics,
                              const struct source_file *file, enum ir_level level)
{
    struct reader r;
    struct ir_func *func;
    if (!start(&r, arena, diagnostics, file))
        return NULL;
    r.level = level;
    if (!read_func(&r, &func) || !at_end(&r) || !ir_verify_level(func, level, diagnostics))
        return NULL;
    return func;
}

struct ir_func *ir_read(struct arena *arena, struct diagnostics *diagnostics,
                        const struct source_file *file)
{
    return ir_read_level(arena, diagnostics, file, IR_LEVEL_TILE);
}

struct ir_kernel *ir_kernel_read(struct arena *arena, struct diagnostics *diagnostics,
                                 const struct source_file *file)
{
    struct reader r;
    struct ir_kernel *kernel = ARENA_NEW(arena, struct ir_kernel);
    if (!start(&r, arena, diagnostics, file) || !read_kernel(&r, kernel) || !at_end(&r) ||
        !ir_kernel_verify(kernel, diagnostics))
        return NULL;
    return kernel;
}
