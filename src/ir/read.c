/* Functions and kernels of the text form; see reader.h. */
#include "ir/number.h"
#include "ir/reader.h"

enum { MOST_TABLES = 1000 }; /* of a function */

/* ---- functions ------------------------------------------------------------------------------- */

static bool read_table_element(struct reader *r, enum ir_elem elem, uint64_t *bits)
{
    const struct ir_token *token = &r->token;
    if ((token->kind != IR_TOKEN_NUMBER && token->kind != IR_TOKEN_WORD) ||
        !ir_element_read(token->text, token->length, elem, bits))
        return FAIL(r, "not a number of type %s that can be read exactly", ir_elems[elem].name);
    reader_advance(r);
    return true;
}

/* @name type {element, ...} */
static bool read_table(struct reader *r)
{
    struct named_table named = {.table = ARENA_NEW(r->arena, struct ir_table)};
    struct ir_type type = {0};
    uint64_t *bits = ARENA_ARRAY(r->arena, uint64_t, IR_MAX_TABLE);
    if (!reader_token(r, IR_TOKEN_SYMBOL, "a table's name such as @t", &named.name))
        return false;
    if (reader_find_table(r, &named.name))
        return FAIL_AT(r, &named.name, "'@%.*s' is defined twice", (int)named.name.length,
                       named.name.text);
    if (r->tables.count == MOST_TABLES)
        return FAIL_AT(r, &named.name, "more than %d tables", MOST_TABLES);
    if (!reader_elem(r, &type) || !reader_expect(r, "{"))
        return false;
    *named.table = (struct ir_table){
        .name = reader_hint(r, &named.name), .elem = (enum ir_elem)type.elem, .bits = bits};
    do {
        if (named.table->count == IR_MAX_TABLE)
            return FAIL(r, "more than %d elements", (int)IR_MAX_TABLE);
        if (!read_table_element(r, named.table->elem, &bits[named.table->count]))
            return false;
        named.table->count++;
    } while (reader_accept(r, ","));
    ARENA_PUSH(r->arena, &r->tables, named);
    return reader_expect(r, "}");
}

/* The tables, then the ops. */
static bool read_func_body(struct reader *r, struct ir_func *func)
{
    r->tables.items = NULL;
    r->tables.count = r->tables.capacity = 0;
    if (!reader_expect(r, "{"))
        return false;
    while (reader_accept(r, "table")) {
        if (!read_table(r))
            return false;
    }
    return reader_ops(r, func->body) && reader_expect(r, "}");
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
    reader_advance(r);
    return true;
}

/* %X: const restrict ptr<f32>, %N: i32 = 1024 */
static bool read_parameter(struct reader *r, struct ir_parameter *parameter, struct ir_token *name)
{
    *parameter = (struct ir_parameter){0};
    if (!reader_token(r, IR_TOKEN_VALUE, "a parameter such as %X", name) || !reader_expect(r, ":"))
        return false;
    parameter->range = reader_range(r, name);
    parameter->name = reader_hint(r, name);
    parameter->is_const = reader_accept(r, "const");
    parameter->is_restrict = reader_accept(r, "restrict");
    return reader_type(r, &parameter->type) && (!reader_accept(r, "=") || read_fixed(r, parameter));
}

static bool read_parameters(struct reader *r, struct parameter_list *parameters,
                            struct token_list *names)
{
    if (!reader_expect(r, "("))
        return false;
    if (reader_accept(r, ")"))
        return true;
    do {
        struct ir_parameter parameter;
        struct ir_token name;
        if (!reader_check_count(r, names->count) || !read_parameter(r, &parameter, &name))
            return false;
        ARENA_PUSH(r->arena, parameters, parameter);
        ARENA_PUSH(r->arena, names, name);
    } while (reader_accept(r, ","));
    return reader_expect(r, ")");
}

/* [-> (type, ...)] */
static bool read_results(struct reader *r, struct type_list *results)
{
    struct ir_type type;
    if (r->token.kind != IR_TOKEN_ARROW)
        return true;
    reader_advance(r);
    if (!reader_expect(r, "("))
        return false;
    do {
        if (!reader_check_count(r, results->count) || !reader_type(r, &type))
            return false;
        ARENA_PUSH(r->arena, results, type);
    } while (reader_accept(r, ","));
    return reader_expect(r, ")");
}

static bool read_symbol(struct reader *r, const char **name)
{
    struct ir_token token;
    if (reader_accept(r, "@"))
        return reader_string(r, name);
    if (!reader_token(r, IR_TOKEN_SYMBOL, "a name such as @kernel", &token))
        return false;
    *name = reader_copy(r, &token);
    return true;
}

static bool read_func(struct reader *r, struct ir_func **result)
{
    struct parameter_list parameters = {0};
    struct token_list names = {0};
    struct type_list results = {0};
    const char *name;
    uint32_t begin = r->token.begin;
    if (!reader_expect(r, "func") || !read_symbol(r, &name) ||
        !read_parameters(r, &parameters, &names) || !read_results(r, &results))
        return false;
    struct ir_func *func = ir_func_new(r->arena, name, (int)parameters.count, parameters.items);
    func->range = (struct source_range){r->file, begin, r->last_end};
    func->result_count = (int)results.count;
    func->results = results.items;
    r->builder = (struct ir_builder){.func = func};
    r->symbols = NULL;
    r->symbol_count = r->symbol_capacity = 0;
    r->op_count = r->depth = 0;
    reader_grow_names(r);
    *result = func;
    return reader_define_all(r, &names, func->body->arguments) && read_func_body(r, func);
}

/* ---- kernels --------------------------------------------------------------------------------- */

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
    if (!reader_token(r, IR_TOKEN_WORD, "a requirement's name", &name) || !reader_expect(r, "="))
        return false;
    requirement.name = reader_copy(r, &name);
    if (r->token.kind == IR_TOKEN_WORD) {
        requirement.word = reader_copy(r, &r->token);
        reader_advance(r);
    } else if (!reader_integer(r, INT64_MIN, INT64_MAX, &requirement.number)) {
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
    if (reader_accept(r, "grid") && !read_func(r, &kernel->grid))
        return false;
    while (reader_accept(r, "launch_require")) {
        struct ir_launch_require require = {0};
        if (!reader_string(r, &require.text) || !read_func(r, &require.condition))
            return false;
        ARENA_PUSH(r->arena, &conditions, require);
    }
    while (reader_accept(r, "require")) {
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
