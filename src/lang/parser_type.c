/* Types as written: specifiers, pointers; see parser.h. */
#include "lang/parser.h"

#include <string.h>

static const struct {
    const char *name;
    enum ast_type_kind kind;
    enum ir_elem elem;
} named_types[] = {
    {"bool", AST_TYPE_ELEM, IR_BOOL},     {"_Bool", AST_TYPE_ELEM, IR_BOOL},
    {"int8_t", AST_TYPE_ELEM, IR_I8},     {"int16_t", AST_TYPE_ELEM, IR_I16},
    {"int32_t", AST_TYPE_ELEM, IR_I32},   {"int64_t", AST_TYPE_ELEM, IR_I64},
    {"uint8_t", AST_TYPE_ELEM, IR_U8},    {"uint16_t", AST_TYPE_ELEM, IR_U16},
    {"uint32_t", AST_TYPE_ELEM, IR_U32},  {"uint64_t", AST_TYPE_ELEM, IR_U64},
    {"size_t", AST_TYPE_ELEM, IR_U64},    {"uintptr_t", AST_TYPE_ELEM, IR_U64},
    {"ptrdiff_t", AST_TYPE_ELEM, IR_I64}, {"intptr_t", AST_TYPE_ELEM, IR_I64},
    {"half", AST_TYPE_ELEM, IR_F16},      {"_Float16", AST_TYPE_ELEM, IR_F16},
    {"bfloat", AST_TYPE_ELEM, IR_BF16},   {"__bf16", AST_TYPE_ELEM, IR_BF16},
    {"float", AST_TYPE_ELEM, IR_F32},     {"auto", AST_TYPE_AUTO, 0},
    {"void", AST_TYPE_VOID, 0},           {"layout_t", AST_TYPE_LAYOUT, 0},
    {"view_t", AST_TYPE_VIEW, 0},
};

static const char vector_hint[] =
    "a variable holds a tile; what were members are variables or a last axis of their own";
static const char kernel_hint[] = "a kernel is 'kernel void NAME(parameters) { ... }'";
static const char memory_hint[] = "a program has no memory of its own: a variable can hold a tile";
static const char global_hint[] = "leave it out: every pointer of a kernel is to global memory";

/* What people write who come from elsewhere: a type, or what to do instead. */
static const struct {
    const char *name, *hint;
} foreign_types[] = {
    {"tl", "built-ins have no prefix; a constant is a parameter 'constexpr int NAME'"},
    {"float16", "half"},
    {"float16_t", "half"},
    {"fp16", "half"},
    {"f16", "half"},
    {"__half", "half"},
    {"bfloat16", "bfloat"},
    {"bfloat16_t", "bfloat"},
    {"bf16", "bfloat"},
    {"__nv_bfloat16", "bfloat"},
    {"fp32", "float"},
    {"fp64", "double"},
    {"float32", "float"},
    {"float32_t", "float"},
    {"f32", "float"},
    {"float64", "double"},
    {"float64_t", "double"},
    {"f64", "double"},
    {"int4_t", "two of 4 bits are a uint8_t q: (q & 15) - 8 and (q >> 4) - 8, say"},
    {"uint4_t", "two of 4 bits are a uint8_t q: q & 15 and q >> 4"},
    {"int8", "int8_t"},
    {"int16", "int16_t"},
    {"int32", "int"},
    {"int64", "int64_t"},
    {"uint8", "uint8_t"},
    {"uint16", "uint16_t"},
    {"uint32", "uint32_t"},
    {"uint64", "uint64_t"},
    {"i8", "int8_t"},
    {"i16", "int16_t"},
    {"i32", "int"},
    {"i64", "int64_t"},
    {"u8", "uint8_t"},
    {"u16", "uint16_t"},
    {"u32", "uint32_t"},
    {"u64", "uint64_t"},
    {"uint", "unsigned"},
    {"uchar", "uint8_t"},
    {"ushort", "uint16_t"},
    {"ulong", "uint64_t"},
    {"ssize_t", "ptrdiff_t"},
    {"string", NULL},
    {"fn", kernel_hint},
    {"func", kernel_hint},
    {"function", kernel_hint},
    {"let", "auto"},
    {"var", "auto"},
    {"float2", vector_hint},
    {"float3", vector_hint},
    {"float4", vector_hint},
    {"float8", vector_hint},
    {"int2", vector_hint},
    {"int4", vector_hint},
    {"uint2", vector_hint},
    {"uint4", vector_hint},
    {"uchar4", vector_hint},
    {"half2", vector_hint},
    {"double2", vector_hint},
    {"__kernel", kernel_hint},
    {"__global__", kernel_hint},
    {"export", kernel_hint},
    {"task", kernel_hint},
    {"pub", kernel_hint},
    {"__constant__", "a table of constants is 'static const float NAME[2] = {1, 2};'"},
    {"__int128", "the widest integers are int64_t and uint64_t"},
    {"delete", "a program has no heap: leave it out"},
    {"throw", "there are no exceptions: tile_assert(condition, \"text\") checks"},
    {"match", "write 'switch (x) { case 1: ... break; default: ... }'"},
    {"mut", "leave it out: what is not const can be assigned"},
    {"__device__", "a helper is 'static float NAME(parameters) { ... }'"},
    {"template", "a helper's parameters may be auto, and constants of a kernel are constexpr"},
    {"using", "'#define NAME type' names a type; built-ins have no prefix"},
    {"namespace", "built-ins have no prefix: exp, maximum, load"},
    {"dim3", "a grid is three sizes of launch_grid: program_id(0), program_id(1), program_id(2)"},
    {"__half2", vector_hint},
    {"__global", global_hint},
    {"global", global_hint},
    {"__constant", global_hint},
    {"device", global_hint},
    {"constant", global_hint},
    {"threadgroup", memory_hint},
    {"__local", memory_hint},
    {"local", memory_hint},
    {"__shared__", memory_hint},
    {"shared", memory_hint},
    {"uniform", "leave it out: scalars are uniform, tiles are not"},
    {"varying", "leave it out: what is computed from a tile, as arange(0, n) makes it, is one"},
};

bool parser_at_type(const struct parser *p)
{
    enum word_class class = parser_word(parser_peek(p));
    return class == WORD_TYPE || class == WORD_QUALIFIER;
}

/* The words of C's arithmetic types, which combine in any order. */
struct arithmetic {
    int chars, shorts, ints, longs, doubles, signeds, unsigneds;
};

static int *arithmetic_counter(struct arithmetic *a, const struct token *token)
{
    const struct {
        const char *word;
        int *counter;
    } counters[] = {{"char", &a->chars},        {"short", &a->shorts},   {"int", &a->ints},
                    {"long", &a->longs},        {"double", &a->doubles}, {"signed", &a->signeds},
                    {"unsigned", &a->unsigneds}};
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
        if (token_is_name(token, counters[i].word))
            return counters[i].counter;
    return NULL;
}

/* The element that the words name together; false when they do not fit. */
static bool arithmetic_elem(const struct arithmetic *a, enum ir_elem *elem)
{
    bool is_unsigned = a->unsigneds > 0;
    int sizes = a->chars + a->shorts + (a->longs > 0);
    if (a->doubles) {
        *elem = IR_F64;
        return a->doubles == 1 && !sizes && !a->ints && !a->signeds && !a->unsigneds;
    }
    if (sizes > 1 || a->longs > 2 || a->ints > 1 || a->signeds + a->unsigneds > 1 ||
        (a->chars && a->ints))
        return false;
    if (a->chars)
        *elem = is_unsigned ? IR_U8 : IR_I8;
    else if (a->shorts)
        *elem = is_unsigned ? IR_U16 : IR_I16;
    else if (a->longs)
        *elem = is_unsigned ? IR_U64 : IR_I64;
    else
        *elem = is_unsigned ? IR_U32 : IR_I32;
    return true;
}

static bool take_qualifier(struct parser *p, struct specifiers *s)
{
    const struct {
        const char *word;
        bool *flag;
    } flags[] = {{"const", &s->type.is_const},
                 {"constexpr", &s->is_constexpr},
                 {"static", &s->is_static},
                 {"inline", &s->is_inline},
                 {"kernel", &s->is_kernel}};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        if (parser_at_word(p, flags[i].word)) {
            *flags[i].flag = true;
            parser_advance(p);
            return true;
        }
    }
    return false;
}

/* bool, int8_t, half, auto, ...: types of one word. */
static bool find_named_type(const struct token *token, struct ast_type *type)
{
    for (size_t i = 0; i < sizeof named_types / sizeof *named_types; i++) {
        if (token_is_name(token, named_types[i].name)) {
            type->kind = named_types[i].kind;
            type->elem = named_types[i].elem;
            return true;
        }
    }
    return false;
}

/* What stands behind the name of a variable or parameter. */
static bool ends_name(const struct token *token)
{
    return token_is_sign(token, '=') || token_is_sign(token, ',') || token_is_sign(token, ';') ||
           token_is_sign(token, ')') || token_is_sign(token, '[');
}

static bool at_restrict(const struct parser *p)
{
    return parser_at_word(p, "restrict") || parser_at_word(p, "__restrict") ||
           parser_at_word(p, "__restrict__");
}

static const char restrict_hint[] = "write 'float *restrict x'";

const char *parser_foreign_type_hint(struct parser *p, const struct token *token)
{
    for (size_t i = 0; i < sizeof foreign_types / sizeof *foreign_types; i++) {
        const char *hint = foreign_types[i].hint;
        if (token_is_name(token, foreign_types[i].name))
            return !hint || strchr(hint, ' ') ? hint : arena_format(p->arena, "write '%s'", hint);
    }
    return NULL;
}

/* Triton's `BLOCK: tl.constexpr`, of which the ':' is given. */
static bool is_constexpr_behind(const struct token *colon)
{
    static const char *const spellings[] = {"tl.constexpr", "constexpr"};
    const struct source_file *file = colon->range.file;
    size_t at = colon->range.end;
    while (file && at < file->length && file->text[at] == ' ')
        at++;
    for (size_t i = 0; file && i < sizeof spellings / sizeof *spellings; i++) {
        size_t length = strlen(spellings[i]);
        if (length <= file->length - at && memcmp(file->text + at, spellings[i], length) == 0)
            return true;
    }
    return false;
}

bool parser_is_refused_type(const struct parser *p, const struct token *token)
{
    for (size_t i = 0; i < p->refused_types.count; i++)
        if (token_is_name(token, p->refused_types.items[i]))
            return true;
    return false;
}

void parser_unknown_type(struct parser *p)
{
    const struct token *token = parser_peek(p);
    if (at_restrict(p))
        parser_hint(p, parser_fail(p, token->range, "'restrict' stands behind the '*'"),
                    restrict_hint);
    if (token->kind != TOKEN_NAME || parser_word(token) != WORD_NONE) {
        parser_unexpected(p, "a type");
        return;
    }
    if (parser_refuse_python(p))
        return;
    p->failed = p->failed || parser_is_refused_type(p, token);
    bool behind = token_is_sign(parser_peek_second(p), ':'); /* x: float */
    bool is_constant = behind && is_constexpr_behind(parser_peek_second(p));
    if (token_is_name(token, "using"))
        parser_note_typedef(p, token);
    const char *foreign = parser_foreign_type_hint(p, token);
    const char *near = foreign ? NULL : parser_near_type(p, token);
    bool untyped = !foreign && !near && ends_name(parser_peek_second(p)); /* f(x, y), pi = 3 */
    struct diagnostic *d =
        parser_fail(p, token->range, untyped ? "'%.*s' has no type" : "unknown type '%.*s'",
                    (int)(token->length > 60 ? 60 : token->length), token->text);
    if (foreign)
        parser_hint(p, d, foreign);
    else if (is_constant)
        parser_hint(p, d,
                    arena_format(p->arena, "write 'constexpr int %.*s'",
                                 (int)(token->length > 60 ? 60 : token->length), token->text));
    else if (behind || untyped)
        parser_hint(p, d, "the type stands in front of the name: 'const float *X'");
    else if (near)
        diagnostics_hint(p->diagnostics, d, "did you mean '%s'?", near);
}

void parser_note_typedef(struct parser *p, const struct token *word)
{
    struct lexer lexer;
    struct token name = {0};
    int braces = 0;
    if (!word->range.file || word->expanded)
        return;
    lexer_init(&lexer, word->range.file, p->arena, NULL);
    lexer.at = word->range.end;
    for (struct token t = lexer_next(&lexer);
         t.kind != TOKEN_END &&
         !((token_is_sign(&t, ';') || token_is_sign(&t, '=')) && braces == 0);
         t = lexer_next(&lexer)) {
        braces += token_is_sign(&t, '{') - token_is_sign(&t, '}');
        if (t.kind == TOKEN_NAME && parser_word(&t) == WORD_NONE)
            name = t;
    }
    if (name.length) {
        const char *type = token_copy(p->arena, &name);
        ARENA_PUSH(p->arena, &p->refused_types, type);
    }
}

/* kernel f(float *X): what f gives is taken to be what it would be, so that the rest is checked. */
static void miss_result(struct parser *p, struct specifiers *s)
{
    const struct token *token = parser_peek(p);
    int length = (int)(token->length > 60 ? 60 : token->length);
    const char *type = s->is_kernel ? "kernel void" : "static auto";
    parser_hint(p, parser_report(p, token->range, "'%.*s' has no type", length, token->text),
                arena_format(p->arena, "write '%s %.*s'", type, length, token->text));
    s->type.kind = s->is_kernel ? AST_TYPE_VOID : AST_TYPE_AUTO;
}

/* int half = n / 2; uses of that name are no mistakes of their own. */
static void refuse_misnamed(struct parser *p)
{
    const struct token *token = parser_peek(p);
    const char *name = token_copy(p->arena, token);
    parser_hint(p, parser_fail(p, token->range, "'%s' is a type, no name for a variable", name),
                "choose another name");
    p->misnamed = name;
    p->lost = true;
}

struct specifiers parser_specifiers(struct parser *p)
{
    struct specifiers s = {.range = parser_peek(p)->range};
    struct arithmetic arithmetic = {0};
    bool named = false, counted = false;
    struct source_range type_range = {0};
    for (;;) {
        const struct token *token = parser_peek(p);
        bool is_name = (named || counted) && token_is_name(token, "kernel");
        if (!is_name && take_qualifier(p, &s))
            continue;
        if (parser_word(token) == WORD_REFUSED)
            parser_refuse(p, token);
        if (parser_word(token) != WORD_TYPE)
            break;
        int *counter = arithmetic_counter(&arithmetic, token);
        bool is_named = !counter && find_named_type(token, &s.type);
        type_range = source_join(type_range, token->range);
        if ((named || counted) && is_named && ends_name(parser_peek_second(p)))
            refuse_misnamed(p);
        else if (named || (is_named && counted))
            parser_fail(p, token->range, "two types in one declaration");
        if (counter)
            ++*counter;
        named = named || is_named;
        counted = counted || counter;
        parser_advance(p);
    }
    if (!named && !counted && (s.is_kernel || s.is_static) && parser_peek(p)->kind == TOKEN_NAME &&
        parser_word(parser_peek(p)) == WORD_NONE && token_is_sign(parser_peek_second(p), '(')) {
        miss_result(p, &s);
    } else if (!named && !counted) {
        parser_unknown_type(p);
    } else if (counted && arithmetic.doubles == 1 && arithmetic.longs == 1) {
        parser_hint(p, parser_fail(p, type_range, "long double is not supported in kernels"),
                    "write 'double'");
    } else if (counted && !arithmetic_elem(&arithmetic, &s.type.elem)) {
        parser_fail(p, type_range, "these words do not make a type");
    }
    s.range = parser_range(p, s.range);
    s.type.range = type_range;
    return s;
}

struct ast_type *parser_pointer(struct parser *p, const struct specifiers *specifiers)
{
    struct ast_type *type = ARENA_NEW(p->arena, struct ast_type);
    *type = specifiers->type;
    if (parser_at(p, '*') && type->kind != AST_TYPE_ELEM) {
        struct diagnostic *d = parser_fail(p, parser_peek(p)->range,
                                           "a pointer needs an element "
                                           "type, such as 'float *'");
        parser_hint(p, d, type->kind == AST_TYPE_AUTO ? "auto alone takes a pointer too" : NULL);
    }
    if (parser_take(p, '*')) {
        type->pointer = true;
        type->range = parser_range(p, type->range);
    }
    if (parser_at(p, '&'))
        parser_hint(
            p, parser_fail(p, parser_peek(p)->range, "references are not supported in kernels"),
            "parameters are values; a helper returns its result, a kernel stores it");
    for (;;) {
        if (at_restrict(p)) {
            if (!type->pointer)
                parser_hint(p,
                            parser_fail(p, parser_peek(p)->range, "only a pointer can be restrict"),
                            restrict_hint);
            type->is_restrict = true;
        } else if (!parser_at_word(p, "const")) {
            break;
        } else if (type->pointer) {
            type->is_fixed = true;
        } else {
            type->is_const = true; /* float const x */
        }
        parser_advance(p);
    }
    if (parser_at(p, '*'))
        parser_hint(p,
                    parser_fail(p, parser_peek(p)->range,
                                "pointers to pointers are not supported in kernels"),
                    "rows of one array are 'X + row * N', where N is what lies between two");
    return type;
}

struct ast_type *parser_type_name(struct parser *p)
{
    struct specifiers s = parser_specifiers(p);
    if (s.is_static || s.is_kernel || s.is_inline || s.is_constexpr)
        parser_fail(p, s.range, "only a type can stand here");
    return parser_pointer(p, &s);
}
