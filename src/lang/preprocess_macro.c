/* Macros by name: a table of them, those that every kernel has, and those of -D; see preprocess.h.
 */
#include "lang/preprocess_internal.h"

#include <string.h>

static uint32_t hash_name(const char *text, uint32_t length)
{
    uint32_t hash = 2166136261u;
    for (uint32_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return hash;
}

static void insert(struct preprocessor *pp, struct macro *macro)
{
    struct macro **bucket = &pp->buckets[macro->hash & (pp->bucket_count - 1)];
    macro->next = *bucket;
    *bucket = macro;
}

static void grow_buckets(struct preprocessor *pp)
{
    struct macro **old = pp->buckets;
    uint32_t count = pp->bucket_count;
    pp->bucket_count = count ? count * 4 : MACRO_BUCKETS;
    pp->buckets = ARENA_ARRAY(pp->arena, struct macro *, pp->bucket_count);
    for (uint32_t i = 0; i < count; i++) {
        for (struct macro *macro = old[i], *next; macro; macro = next) {
            next = macro->next;
            insert(pp, macro);
        }
    }
}

void macro_add(struct preprocessor *pp, struct macro *macro)
{
    if (pp->macro_count >= pp->bucket_count)
        grow_buckets(pp);
    macro->hash = hash_name(macro->name, macro->length);
    pp->macro_count++;
    insert(pp, macro);
}

static struct macro **find_place(struct preprocessor *pp, const struct token *name)
{
    uint32_t hash = hash_name(name->text, name->length);
    struct macro **place = &pp->buckets[hash & (pp->bucket_count - 1)];
    while (*place && ((*place)->hash != hash || (*place)->length != name->length ||
                      memcmp((*place)->name, name->text, name->length) != 0))
        place = &(*place)->next;
    return place;
}

struct macro *macro_find(struct preprocessor *pp, const struct token *name)
{
    struct macro *macro = *find_place(pp, name);
    if (macro)
        macro->used = true;
    return macro;
}

void macro_remove(struct preprocessor *pp, const struct token *name)
{
    struct macro **place = find_place(pp, name);
    if (!*place)
        return;
    *place = (*place)->next; /* still listed among the defines */
    pp->macro_count--;
}

static bool same_tokens(const struct token *a, const struct token *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (a[i].length != b[i].length || memcmp(a[i].text, b[i].text, a[i].length) != 0)
            return false;
    return true;
}

bool macro_same(const struct macro *a, const struct macro *b)
{
    return a->function_like == b->function_like && a->variadic == b->variadic &&
           a->parameter_count == b->parameter_count && a->body.count == b->body.count &&
           same_tokens(a->parameters, b->parameters, (size_t)a->parameter_count) &&
           same_tokens(a->body.items, b->body.items, a->body.count);
}

int macro_parameter(const struct macro *macro, const struct token *token)
{
    if (token->kind == TOKEN_NAME)
        for (int i = 0; i < macro->parameter_count; i++)
            if (macro->parameters[i].length == token->length &&
                memcmp(macro->parameters[i].text, token->text, token->length) == 0)
                return i;
    return -1;
}

bool macro_is_variadic_word(const struct token *token)
{
    return token_is_name(token, "__VA_ARGS__") || token_is_name(token, "__VA_OPT__");
}

size_t macro_optional_end(const struct macro *macro, size_t at)
{
    const struct token_list *body = &macro->body;
    int depth = 0;
    for (at++; at < body->count; at++) {
        depth += token_is_sign(&body->items[at], '(');
        depth -= token_is_sign(&body->items[at], ')');
        if (depth == 0)
            break;
    }
    return at;
}

/* ---- Predefined, and -D ---------------------------------------------------------------------- */

/* What <limits.h>, <stdint.h> and <float.h> give a kernel that runs through a C compiler too. */
static const struct {
    const char *name, *text;
} predefined[] = {
    {"__TILEC__", "1"},
    {"__STDC_VERSION__", "202311l"},
    {"__LINE__", ""}, /* see expand */
    {"INT8_MIN", "(-128)"},
    {"INT8_MAX", "127"},
    {"UINT8_MAX", "255"},
    {"INT16_MIN", "(-32768)"},
    {"INT16_MAX", "32767"},
    {"UINT16_MAX", "65535"},
    {"INT32_MIN", "(-2147483647 - 1)"},
    {"INT32_MAX", "2147483647"},
    {"UINT32_MAX", "4294967295u"},
    {"INT64_MIN", "(-9223372036854775807l - 1)"},
    {"INT64_MAX", "9223372036854775807l"},
    {"UINT64_MAX", "18446744073709551615ul"},
    {"INT_MIN", "(-2147483647 - 1)"},
    {"INT_MAX", "2147483647"},
    {"UINT_MAX", "4294967295u"},
    {"CHAR_BIT", "8"},
    {"SHRT_MIN", "(-32768)"},
    {"SHRT_MAX", "32767"},
    {"USHRT_MAX", "65535"},
    {"LONG_MIN", "(-9223372036854775807l - 1)"},
    {"LONG_MAX", "9223372036854775807l"},
    {"ULONG_MAX", "18446744073709551615ul"},
    {"SIZE_MAX", "18446744073709551615ul"},
    {"FLT_MAX", "3.40282346638528859811704183484516925e+38f"},
    {"FLT_MIN", "1.17549435082228750796873653722224568e-38f"},
    {"FLT_EPSILON", "1.1920928955078125e-7f"},
    {"DBL_MAX", "((double)1.7976931348623157e+308)"},
    {"DBL_MIN", "((double)2.2250738585072014e-308)"},
    {"DBL_EPSILON", "((double)2.2204460492503131e-16)"},
};

static struct macro *add_text_macro(struct preprocessor *pp, const char *name, const char *value,
                                    struct source_range definition, const struct source_file *file,
                                    uint32_t value_at)
{
    struct macro *macro = ARENA_NEW(pp->arena, struct macro);
    macro->name = name;
    macro->length = (uint32_t)strlen(name);
    macro->definition = definition;
    macro->is_define = definition.file != NULL;
    struct source_file *own = ARENA_NEW(pp->arena, struct source_file);
    *own = (struct source_file){"<predefined>", value, strlen(value)};
    struct lexer lexer;
    lexer_init(&lexer, file ? file : own, pp->arena, pp->diagnostics);
    lexer.at = value_at;
    for (struct token t = lexer_next(&lexer); t.kind != TOKEN_END; t = lexer_next(&lexer)) {
        t.line_start = false;
        ARENA_PUSH(pp->arena, &macro->body, t);
    }
    if (lexer.broken)
        pp->stopped = true;
    macro_add(pp, macro);
    return macro;
}

void preprocess_predefine(struct preprocessor *pp)
{
    for (size_t i = 0; i < sizeof predefined / sizeof *predefined; i++)
        add_text_macro(pp, predefined[i].name, predefined[i].text, (struct source_range){0}, NULL,
                       0);
}

static bool is_name(struct preprocessor *pp, const char *text)
{
    struct source_file file = {"", text, strlen(text)};
    struct lexer lexer;
    lexer_init(&lexer, &file, pp->arena, NULL);
    struct token token = lexer_next(&lexer);
    return token.kind == TOKEN_NAME && token.length == file.length;
}

void preprocess_define(struct preprocessor *pp, const struct lang_define *define)
{
    struct source_file *file = ARENA_NEW(pp->arena, struct source_file);
    const char *value = define->value ? define->value : "1";
    file->name = "<command line>";
    file->text = arena_format(pp->arena, "-D %s=%s", define->name, value);
    file->length = strlen(file->text);
    uint32_t name_end = 3 + (uint32_t)strlen(define->name);
    struct source_range range = {file, 3, name_end};
    if (!is_name(pp, define->name)) {
        preprocess_fail(pp, range, "'%.100s' cannot be defined: not a name", define->name);
        return;
    }
    if (ast_is_builtin(define->name)) {
        preprocess_fail(pp, range, "'%s' cannot be defined: it is a built-in", define->name);
        return;
    }
    for (size_t i = 0; i < pp->defines.count; i++) {
        const struct source_file *before = pp->defines.items[i]->definition.file;
        if (strcmp(pp->defines.items[i]->name, define->name) != 0 ||
            strcmp(before->text, file->text) == 0)
            continue;
        preprocess_fail(pp, range, "'%.100s' is defined twice, as '%.100s' and as '%.100s'",
                        define->name, before->text + name_end + 1, value);
        return;
    }
    struct macro *macro = add_text_macro(pp, define->name, value, range, file, name_end + 1);
    ARENA_PUSH(pp->arena, &pp->defines, macro);
}
