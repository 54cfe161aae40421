/* Ops of the text form, with their attributes and regions; see reader.h. */
#include "ir/number.h"
#include "ir/reader.h"

#include <string.h>

/* ---- attributes ------------------------------------------------------------------------------ */

/* layout "name" bits 0 1 2 xor 3 per_thread 4 */
static bool read_layout(struct reader *r, const struct ir_layout **result)
{
    struct ir_layout *layout = ARENA_NEW(r->arena, struct ir_layout);
    *result = layout;
    int64_t mask;
    if (!reader_expect(r, "layout") || !reader_string(r, &layout->name))
        return false;
    if (reader_accept(r, "bits")) {
        do {
            int bit;
            if (layout->bits == IR_MAX_LAYOUT_BITS)
                return FAIL(r, "more than %d bits", (int)IR_MAX_LAYOUT_BITS);
            if (!reader_int(r, 0, IR_MAX_LAYOUT_BITS - 1, &bit))
                return false;
            layout->bit_order[layout->bits++] = (uint8_t)bit;
        } while (r->token.kind == IR_TOKEN_NUMBER);
    }
    if (!reader_expect(r, "xor") || !reader_integer(r, 0, UINT32_MAX, &mask) ||
        !reader_expect(r, "per_thread"))
        return false;
    layout->xor_mask = (uint32_t)mask;
    return reader_int(r, 0, IR_MAX_ELEMENTS, &layout->per_thread);
}

static bool read_range(struct reader *r, struct ir_attributes *a)
{
    if (!reader_integer(r, INT64_MIN, INT64_MAX, &a->begin) || !reader_expect(r, "to") ||
        !reader_integer(r, INT64_MIN, INT64_MAX, &a->end))
        return false;
    return !ir_token_is(&r->token, "layout") || read_layout(r, &a->layout);
}

static bool read_permutation(struct reader *r, struct ir_attributes *a)
{
    for (int i = 0; r->token.kind == IR_TOKEN_NUMBER; i++) {
        int axis;
        if (i == IR_MAX_RANK)
            return FAIL(r, "more than %d axes", (int)IR_MAX_RANK);
        if (!reader_int(r, 0, IR_MAX_RANK - 1, &axis))
            return false;
        a->permutation[i] = (uint8_t)axis;
    }
    return true;
}

/* "name" elements padding n */
static bool read_shared(struct reader *r, struct ir_attributes *a)
{
    bool fine = reader_string(r, &a->text) && reader_integer(r, 1, IR_MAX_ELEMENTS, &a->number) &&
                reader_expect(r, "padding") && reader_integer(r, 0, IR_MAX_ELEMENTS, &a->padding);
    a->aligned = fine && reader_accept(r, "aligned");
    return fine;
}

/* One word or the other. */
static bool read_either(struct reader *r, const char *yes, const char *no, bool *is)
{
    *is = reader_accept(r, yes);
    return *is || reader_expect(r, no);
}

static bool read_matrix(struct reader *r, struct ir_matrix *matrix)
{
    return read_either(r, "columns", "rows", &matrix->columns) &&
           reader_int(r, 0, IR_MAX_ELEMENTS, &matrix->row) && reader_expect(r, "panel") &&
           reader_integer(r, 0, IR_MAX_ELEMENTS, &matrix->panel);
}

static bool read_table_name(struct reader *r, struct ir_attributes *a)
{
    struct ir_token name;
    if (!reader_token(r, IR_TOKEN_SYMBOL, "a table such as @t", &name))
        return false;
    a->table = reader_find_table(r, &name);
    return a->table || FAIL_AT(r, &name, "unknown table '@%.*s'", (int)name.length, name.text);
}

static bool read_scope(struct reader *r, struct ir_attributes *a)
{
    for (int i = 0; i < IR_SCOPE_COUNT; i++) {
        if (reader_accept(r, ir_scope_names[i])) {
            a->scope = (enum ir_scope)i;
            return true;
        }
    }
    return FAIL(r, "expected a barrier's scope");
}

/* A constant's element is only remembered: its type comes later. */
static bool read_element(struct reader *r, struct ir_token *element)
{
    *element = r->token;
    if (element->kind != IR_TOKEN_NUMBER && element->kind != IR_TOKEN_WORD)
        return FAIL(r, "expected a number");
    reader_advance(r);
    return true;
}

static bool read_scan_attributes(struct reader *r, struct ir_attributes *a)
{
    bool fine = reader_expect(r, "axis") && reader_int(r, 0, IR_MAX_RANK, &a->axis);
    a->exclusive = fine && reader_accept(r, "exclusive");
    return fine;
}

/* What stands in braces behind the op's name. */
static bool read_attributes(struct reader *r, enum ir_opcode code, struct ir_attributes *a,
                            struct ir_token *element)
{
    bool fine = true;
    enum ir_attribute kind = ir_ops[code].attribute;
    if (kind == IR_ATTRIBUTE_NONE)
        return true;
    if (!reader_expect(r, "{"))
        return false;
    switch (kind) {
    case IR_ATTRIBUTE_NONE:
        break;
    case IR_ATTRIBUTE_BITS:
        fine = read_element(r, element);
        break;
    case IR_ATTRIBUTE_AXIS:
        fine = reader_expect(r, "axis") && reader_int(r, -1, IR_MAX_RANK, &a->axis);
        break;
    case IR_ATTRIBUTE_RANGE:
        fine = read_range(r, a);
        break;
    case IR_ATTRIBUTE_PERMUTATION:
        fine = read_permutation(r, a);
        break;
    case IR_ATTRIBUTE_SCAN:
        fine = read_scan_attributes(r, a);
        break;
    case IR_ATTRIBUTE_VIEW:
        fine = reader_expect(r, "rank") && reader_int(r, 1, IR_MAX_RANK, &a->view_rank);
        break;
    case IR_ATTRIBUTE_LAYOUT:
        fine = read_layout(r, &a->layout);
        break;
    case IR_ATTRIBUTE_TABLE:
        fine = read_table_name(r, a);
        break;
    case IR_ATTRIBUTE_TEXT:
        fine = reader_string(r, &a->text);
        break;
    case IR_ATTRIBUTE_NUMBER:
        fine = reader_integer(r, 0, INT32_MAX, &a->number);
        break;
    case IR_ATTRIBUTE_SHARED:
        fine = read_shared(r, a);
        break;
    case IR_ATTRIBUTE_SCOPE:
        fine = read_scope(r, a);
        break;
    case IR_ATTRIBUTE_ALIGNMENT:
        fine = read_either(r, "aligned", "packed", &a->aligned);
        break;
    case IR_ATTRIBUTE_ORDER:
        fine = read_either(r, "columns", "rows", &a->columns);
        break;
    case IR_ATTRIBUTE_MATRICES:
        fine = read_matrix(r, &a->matrices[0]) && read_matrix(r, &a->matrices[1]);
        break;
    }
    return fine && reader_expect(r, "}");
}

/* ---- ops ------------------------------------------------------------------------------------- */

static bool read_body(struct reader *r, struct ir_region *region)
{
    struct ir_builder outside = r->builder;
    if (!reader_expect(r, "{") || !reader_ops(r, region))
        return false;
    r->builder = outside;
    return reader_expect(r, "}");
}

static bool add_argument(struct reader *r, struct ir_region *region, const struct ir_token *name,
                         struct ir_type type)
{
    return reader_define(r, name, ir_region_add_argument(r->builder.func, region, type, NULL));
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
    if (!reader_accept(r, "carry"))
        return true;
    if (!reader_expect(r, "("))
        return false;
    do {
        if (!reader_check_count(r, inits->count) ||
            !reader_token(r, IR_TOKEN_VALUE, "a name such as %x", &name) ||
            !reader_expect(r, "=") || !reader_value(r, &init))
            return false;
        ARENA_PUSH(r->arena, arguments, name);
        ARENA_PUSH(r->arena, inits, init);
    } while (reader_accept(r, ","));
    return reader_expect(r, ")");
}

static bool read_for(struct reader *r, uint32_t begin, const struct token_list *names)
{
    struct ir_token counter;
    struct token_list arguments = {0};
    struct value_list operands = {0};
    struct ir_type *types;
    static const char *const words[] = {"=", "to", "step"};
    if (!reader_token(r, IR_TOKEN_VALUE, "a name such as %i", &counter))
        return false;
    for (int i = 0; i < 3; i++) {
        struct ir_value *value;
        if (!reader_expect(r, words[i]) || !reader_value(r, &value))
            return false;
        ARENA_PUSH(r->arena, &operands, value);
    }
    if (!read_carry(r, &arguments, &operands) || !reader_result_types(r, names, &types))
        return false;
    struct ir_op *op = build(r, IR_OP_FOR, begin, &operands, names, types, 1, NULL);
    struct ir_region *body = op->regions[0];
    if (!add_argument(r, body, &counter, ir_scalar(IR_I64)))
        return false;
    for (size_t i = 0; i < arguments.count; i++) {
        if (!add_argument(r, body, &arguments.items[i], operands.items[3 + i]->type))
            return false;
    }
    return read_body(r, body) && reader_define_all(r, names, op->results);
}

static bool read_if(struct reader *r, uint32_t begin, const struct token_list *names)
{
    struct ir_value *condition;
    struct value_list operands = {0};
    struct ir_type *types;
    if (!reader_value(r, &condition) || !reader_result_types(r, names, &types))
        return false;
    ARENA_PUSH(r->arena, &operands, condition);
    struct ir_op *op = build(r, IR_OP_IF, begin, &operands, names, types, 2, NULL);
    return read_body(r, op->regions[0]) && reader_expect(r, "else") &&
           read_body(r, op->regions[1]) && reader_define_all(r, names, op->results);
}

static bool read_while(struct reader *r, uint32_t begin, const struct token_list *names)
{
    struct token_list before = {0}, after = {0};
    struct value_list inits = {0};
    struct ir_type *types;
    if (!read_carry(r, &before, &inits) || !reader_result_types(r, names, &types))
        return false;
    struct ir_op *op = build(r, IR_OP_WHILE, begin, &inits, names, types, 2, NULL);
    for (size_t i = 0; i < before.count; i++) {
        if (!add_argument(r, op->regions[0], &before.items[i], inits.items[i]->type))
            return false;
    }
    if (!read_body(r, op->regions[0]) || !reader_expect(r, "do"))
        return false;
    if (reader_accept(r, "(") && (!reader_names(r, &after) || !reader_expect(r, ")")))
        return false;
    if (after.count != before.count)
        return FAIL(r, "expected %d names in front of the second region", (int)before.count);
    for (size_t i = 0; i < after.count; i++) {
        if (!add_argument(r, op->regions[1], &after.items[i], inits.items[i]->type))
            return false;
    }
    return read_body(r, op->regions[1]) && reader_define_all(r, names, op->results);
}

/* {axis 0} %x by (%a, %b) : type { ... } */
static bool read_scan(struct reader *r, uint32_t begin, const struct token_list *names)
{
    struct ir_attributes attributes = {0};
    struct ir_token element;
    struct value_list operands = {0};
    struct token_list arguments = {0};
    struct ir_type *types;
    if (!read_attributes(r, IR_OP_SCAN, &attributes, &element) || !reader_values(r, &operands) ||
        !reader_expect(r, "by") || !reader_expect(r, "(") || !reader_names(r, &arguments) ||
        !reader_expect(r, ")") || !reader_result_types(r, names, &types))
        return false;
    struct ir_op *op = build(r, IR_OP_SCAN, begin, &operands, names, types, 1, &attributes);
    struct ir_type of = operands.count > 0 ? operands.items[0]->type : ir_scalar(IR_F32);
    for (size_t i = 0; i < arguments.count; i++) {
        struct ir_type scalar = ir_with_shape(of, ir_scalar(IR_F32));
        if (!add_argument(r, op->regions[0], &arguments.items[i], scalar))
            return false;
    }
    return read_body(r, op->regions[0]) && reader_define_all(r, names, op->results);
}

static bool read_plain(struct reader *r, enum ir_opcode code, uint32_t begin,
                       const struct token_list *names)
{
    struct ir_attributes attributes = {0};
    struct ir_token element = {0};
    struct value_list operands = {0};
    struct ir_type *types;
    bool takes = ir_ops[code].most != 0; /* else a value that comes next begins another op */
    if (!read_attributes(r, code, &attributes, &element) ||
        (takes && !reader_values(r, &operands)) || !reader_result_types(r, names, &types))
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
    return reader_define_all(r, names, op->results);
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
    if (r->token.kind == IR_TOKEN_VALUE && (!reader_names(r, &names) || !reader_expect(r, "=")))
        return false;
    if (++r->op_count > IR_MAX_OPS)
        return FAIL(r, "more than %d ops", (int)IR_MAX_OPS);
    if (!reader_token(r, IR_TOKEN_WORD, "an op", &name))
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

bool reader_ops(struct reader *r, struct ir_region *region)
{
    int most = r->level == IR_LEVEL_GPU ? IR_MAX_DEPTH - 1 : IR_MAX_BLOCKS;
    if (r->depth > most)
        return FAIL(r, "nested too deeply: this is inside %d blocks", most);
    r->depth++;
    while (!ir_token_is(&r->token, "}")) {
        r->builder.region = region;
        if (!read_op(r))
            return false;
    }
    r->depth--;
    return true;
}
