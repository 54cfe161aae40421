/* Tokens, names and types of the text form; see reader.h. */
#include "ir/reader.h"

#include "ir/number.h"

#include <string.h>

/* ---- tokens and errors ----------------------------------------------------------------------- */

struct source_range reader_range(const struct reader *r, const struct ir_token *token)
{
    return (struct source_range){r->file, token->begin, token->end};
}

void reader_advance(struct reader *r)
{
    r->last_end = r->token.end;
    r->token = ir_token_next(r->file, r->token.end);
}

bool reader_accept(struct reader *r, const char *text)
{
    if (!ir_token_is(&r->token, text))
        return false;
    reader_advance(r);
    return true;
}

bool reader_expect(struct reader *r, const char *text)
{
    return reader_accept(r, text) || FAIL(r, "expected '%s'", text);
}

bool reader_token(struct reader *r, enum ir_token_kind kind, const char *what,
                  struct ir_token *token)
{
    if (r->token.kind != kind)
        return FAIL(r, "expected %s", what);
    *token = r->token;
    reader_advance(r);
    return true;
}

bool reader_integer(struct reader *r, int64_t least, int64_t most, int64_t *value)
{
    struct ir_token token;
    if (!reader_token(r, IR_TOKEN_NUMBER, "an integer", &token))
        return false;
    if (!ir_integer_read(token.text, token.length, value) || *value < least || *value > most)
        return FAIL_AT(r, &token, "expected an integer from %lld to %lld", (long long)least,
                       (long long)most);
    return true;
}

bool reader_int(struct reader *r, int least, int most, int *value)
{
    int64_t wide;
    if (!reader_integer(r, least, most, &wide))
        return false;
    *value = (int)wide;
    return true;
}

const char *reader_copy(struct reader *r, const struct ir_token *token)
{
    return arena_copy_text(r->arena, token->text, token->length);
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A quoted string with its escapes decoded. */
bool reader_string(struct reader *r, const char **string)
{
    struct ir_token token;
    if (!reader_token(r, IR_TOKEN_STRING, "a quoted string", &token))
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

/* ---- names ----------------------------------------------------------------------------------- */

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

void reader_grow_names(struct reader *r)
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
const char *reader_hint(struct reader *r, const struct ir_token *token)
{
    if (token->text[0] >= '0' && token->text[0] <= '9')
        return NULL;
    const char *point = memchr(token->text, '.', token->length);
    return arena_copy_text(r->arena, token->text,
                           point ? (size_t)(point - token->text) : token->length);
}

bool reader_define(struct reader *r, const struct ir_token *token, struct ir_value *value)
{
    if (2 * (r->symbol_count + 1) > r->symbol_capacity)
        reader_grow_names(r);
    struct symbol *symbol = find_symbol(r, token->text, token->length);
    if (symbol->name)
        return FAIL_AT(r, token, "'%%%.*s' is defined twice", (int)token->length, token->text);
    *symbol = (struct symbol){token->text, token->length, value};
    r->symbol_count++;
    value->name = reader_hint(r, token);
    return true;
}

bool reader_value(struct reader *r, struct ir_value **value)
{
    struct ir_token token;
    if (!reader_token(r, IR_TOKEN_VALUE, "a value such as %x", &token))
        return false;
    struct symbol *symbol = find_symbol(r, token.text, token.length);
    if (!symbol->name)
        return FAIL_AT(r, &token, "unknown value '%%%.*s'", (int)token.length, token.text);
    *value = symbol->value;
    return true;
}

bool reader_check_count(struct reader *r, size_t count)
{
    return count < IR_MAX_OPERANDS || FAIL(r, "more than %d values", (int)IR_MAX_OPERANDS);
}

/* value {, value}; none when no value comes next */
bool reader_values(struct reader *r, struct value_list *list)
{
    struct ir_value *value;
    if (r->token.kind != IR_TOKEN_VALUE)
        return true;
    do {
        if (!reader_check_count(r, list->count) || !reader_value(r, &value))
            return false;
        ARENA_PUSH(r->arena, list, value);
    } while (reader_accept(r, ","));
    return true;
}

/* %name {, %name}, not yet defined */
bool reader_names(struct reader *r, struct token_list *list)
{
    struct ir_token token;
    do {
        if (!reader_check_count(r, list->count) ||
            !reader_token(r, IR_TOKEN_VALUE, "a name such as %x", &token))
            return false;
        ARENA_PUSH(r->arena, list, token);
    } while (reader_accept(r, ","));
    return true;
}

bool reader_define_all(struct reader *r, const struct token_list *names,
                       struct ir_value *const *values)
{
    for (size_t i = 0; i < names->count; i++) {
        if (!reader_define(r, &names->items[i], values[i]))
            return false;
    }
    return true;
}

struct ir_table *reader_find_table(const struct reader *r, const struct ir_token *name)
{
    for (size_t i = 0; i < r->tables.count; i++) {
        const struct ir_token *other = &r->tables.items[i].name;
        if (other->length == name->length && memcmp(other->text, name->text, name->length) == 0)
            return r->tables.items[i].table;
    }
    return NULL;
}

/* ---- types ----------------------------------------------------------------------------------- */

bool reader_elem(struct reader *r, struct ir_type *type)
{
    struct ir_token token;
    enum ir_elem elem;
    if (!reader_token(r, IR_TOKEN_WORD, "a type", &token))
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
        if (!reader_int(r, 1, IR_MAX_ELEMENTS, &dim))
            return false;
        elements *= dim;
        if (elements > IR_MAX_ELEMENTS)
            return FAIL_AT(r, &token, "more than %d elements", (int)IR_MAX_ELEMENTS);
        type->dims[type->rank++] = dim;
    } while (reader_accept(r, ","));
    return reader_expect(r, "]");
}

bool reader_type(struct reader *r, struct ir_type *type)
{
    *type = (struct ir_type){0};
    if (reader_accept(r, "ptr")) {
        type->pointer = true;
        if (!reader_expect(r, "<") || !reader_elem(r, type))
            return false;
        if (r->level == IR_LEVEL_GPU && reader_accept(r, ",")) {
            type->space = IR_SPACE_THREADGROUP;
            if (!reader_expect(r, "threadgroup"))
                return false;
        }
        if (!reader_expect(r, ">"))
            return false;
    } else if (!reader_elem(r, type)) {
        return false;
    }
    return !reader_accept(r, "[") || read_dims(r, type);
}

/* "(" type {, type} ")" behind an open parenthesis; count of them are wanted */
static bool read_type_list(struct reader *r, struct ir_type *types, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if ((i > 0 && !reader_expect(r, ",")) || !reader_type(r, &types[i]))
            return false;
    }
    return reader_expect(r, ")");
}

/* The types of an op's results, as many as there are names in front of it. */
bool reader_result_types(struct reader *r, const struct token_list *names, struct ir_type **types)
{
    *types = ARENA_ARRAY(r->arena, struct ir_type, names->count);
    if (names->count == 0)
        return true;
    if (!reader_expect(r, ":"))
        return false;
    if (names->count == 1)
        return reader_type(r, *types);
    return reader_expect(r, "(") && read_type_list(r, *types, names->count);
}
