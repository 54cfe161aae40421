/* NAME=VALUE on the command line -> the arguments of a launch; see cli.h. */
#include "base/suggest.h"
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- Scalars --------------------------------------------------------------------------------- */

static int bad_scalar(const tilec_parameter *parameter, const char *text)
{
    return cli_error("argument '%s': '%s' is not a value of type %s", parameter->name, text,
                     tilec_type_name(parameter->type));
}

static bool read_signed(const char *text, int bits, int64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoll(text, &end, 0);
    if (end == text || *end || errno)
        return false;
    int64_t most = (int64_t)(((uint64_t)1 << (bits - 1)) - 1);
    return *value <= most && *value >= -most - 1;
}

static bool read_unsigned(const char *text, int bits, int64_t *value)
{
    char *end;
    errno = 0;
    uint64_t number = strtoull(text, &end, 0);
    if (end == text || *end || errno || strchr(text, '-'))
        return false;
    *value = (int64_t)number;
    return bits == 64 || number < (uint64_t)1 << bits;
}

static bool read_integer(const char *text, tilec_type type, int64_t *value)
{
    int bits = (int)tilec_type_size(type) * 8;
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
        *value = text[0] == 't';
        return type == TILEC_BOOL;
    }
    if (type == TILEC_BOOL)
        return read_unsigned(text, 1, value);
    return type <= TILEC_I64 ? read_signed(text, bits, value) : read_unsigned(text, bits, value);
}

static int read_scalar(struct cli_values *values, const tilec_parameter *parameter,
                       const char *text, tilec_argument *argument)
{
    int64_t integer;
    char *end;
    if (parameter->type >= TILEC_F16) {
        double real = strtod(text, &end);
        if (end == text || *end)
            return bad_scalar(parameter, text);
        *argument = tilec_float(parameter->type, real);
        return CLI_FINE;
    }
    if (!read_integer(text, parameter->type, &integer))
        return bad_scalar(parameter, text);
    *argument = tilec_int(parameter->type, integer);
    values->known[values->known_count++] = (tilec_value){parameter->name, integer};
    return CLI_FINE;
}

/* ---- Buffers --------------------------------------------------------------------------------- */

static int bad_buffer(const tilec_parameter *parameter, const char *text)
{
    cli_error("argument '%s': '%s' is not an array", parameter->name, text);
    const char *type = tilec_type_name(parameter->type);
    cli_hint("a buffer takes @FILE.npy, new:%s[SHAPE], zeros:%s[SHAPE] or rand:%s[SHAPE]:SEED", type,
             type, type);
    return CLI_WRONG;
}

/* How an array that the command line makes is filled. */
enum filling { NEW, ZEROS, RANDOM, FILLINGS };

static const struct {
    const char *prefix;
    size_t length;
} fillings[FILLINGS] = {[NEW] = {"new:", 4}, [ZEROS] = {"zeros:", 6}, [RANDOM] = {"rand:", 5}};

/* FILLINGS: none. */
static enum filling find_filling(const char *text)
{
    int i = 0;
    while (i < FILLINGS && strncmp(text, fillings[i].prefix, fillings[i].length) != 0)
        i++;
    return (enum filling)i;
}

/* TYPE[SHAPE], of random ones TYPE[SHAPE]:SEED. */
static int make_array(const tilec_parameter *parameter, const char *text, enum filling filling,
                      struct cli_array *array)
{
    const char *at = text;
    char *end;
    bool is_random = filling == RANDOM;
    if (!cli_array_parse(parameter->name, &at, array))
        return CLI_WRONG;
    errno = 0;
    uint64_t seed = is_random && at[0] == ':' ? strtoull(at + 1, &end, 10) : 0;
    if (is_random && (at[0] != ':' || at[1] < '0' || at[1] > '9' || *end || errno)) {
        cli_error("argument '%s': random numbers need a seed, a whole number from 0 to %llu",
                  parameter->name, (unsigned long long)UINT64_MAX);
        cli_hint("write rand:%.*s:1", (int)(at - text), text);
        return CLI_WRONG;
    }
    if (!is_random && *at)
        return bad_buffer(parameter, text);
    if (!cli_array_new(parameter->name, array))
        return CLI_WRONG;
    if (is_random)
        cli_array_randomise(array, seed);
    else if (filling == ZEROS)
        memset(array->data, 0, array->bytes);
    return CLI_FINE;
}

/* In the interpreter nothing has been written to a new array. */
static const uint8_t *nothing_written(const struct cli *cli, const struct cli_array *array)
{
    bool interpreted = cli->options.target && strcmp(cli->options.target, "interp") == 0;
    return interpreted ? arena_alloc(cli->arena, (size_t)array->count) : NULL;
}

static int read_buffer(struct cli *cli, const tilec_parameter *parameter, const char *text,
                       tilec_argument *argument, struct cli_array *array)
{
    int status = CLI_FINE;
    enum filling filling = find_filling(text);
    if (text[0] == '@' && cli_is_stream(text + 1))
        status = cli_usage(cli, "array '%s' needs a file, not '-'", parameter->name);
    else if (text[0] == '@')
        status = cli_array_read(parameter->name, text + 1, parameter->type, array) ? CLI_FINE
                                                                                   : CLI_WRONG;
    else if (filling != FILLINGS)
        status = make_array(parameter, text + fillings[filling].length, filling, array);
    else
        return bad_buffer(parameter, text);
    if (status != CLI_FINE)
        return status;
    if (array->type != parameter->type) {
        cli_error("argument '%s' has type %s, but the kernel takes %s", parameter->name,
                  tilec_type_name(array->type), tilec_type_name(parameter->type));
        return CLI_WRONG;
    }
    *argument = tilec_buffer(array->type, array->data, array->rank, array->shape);
    array->is_new = filling == NEW;
    if (filling == NEW)
        argument->initialised = nothing_written(cli, array);
    return CLI_FINE;
}

/* ---- All of them ----------------------------------------------------------------------------- */

struct signature {
    size_t count;
    tilec_parameter *parameters;
    const char **given; /* by parameter */
};

/* Which kernels the file has, of many the first ones. */
static void hint_kernels(const struct cli *cli)
{
    enum { MOST = 8 };
    size_t count = tilec_program_kernel_count(cli->program);
    struct text list;
    text_init(&list, cli->arena);
    for (size_t i = 0; i < count && i < MOST; i++)
        text_format(&list, "%s'%s'", i ? ", " : "", tilec_program_kernel_name(cli->program, i));
    if (count > 0)
        cli_hint("it has %s%s", list.items, count > MOST ? " and others" : "");
}

static int read_signature(struct cli *cli, struct signature *signature)
{
    tilec_status status =
        tilec_program_parameter_count(cli->program, cli->kernel, &signature->count);
    if (status == TILEC_ERROR_NOT_FOUND) {
        struct suggestion suggestion = {.name = cli->kernel ? cli->kernel : ""};
        for (size_t i = 0; i < tilec_program_kernel_count(cli->program); i++)
            suggestion_offer(&suggestion, tilec_program_kernel_name(cli->program, i));
        if (!cli->kernel)
            return cli_error("'%s' has no kernel", cli->file);
        cli_error("'%s' has no kernel '%s'", cli->file, cli->kernel);
        if (suggestion.best)
            cli_hint("did you mean '%s'?", suggestion.best);
        else
            hint_kernels(cli);
        return CLI_WRONG;
    }
    signature->parameters = ARENA_ARRAY(cli->arena, tilec_parameter, signature->count);
    signature->given = ARENA_ARRAY(cli->arena, const char *, signature->count);
    for (size_t i = 0; i < signature->count; i++)
        tilec_program_parameter(cli->program, cli->kernel, i, &signature->parameters[i]);
    return CLI_FINE;
}

static const char *kernel_name(const struct cli *cli)
{
    return cli->kernel ? cli->kernel : tilec_program_kernel_name(cli->program, 0);
}

/* The file's first kernel that has the parameter; NULL: none. */
static const char *kernel_with(const struct cli *cli, const char *name)
{
    for (size_t k = 0; k < tilec_program_kernel_count(cli->program); k++) {
        const char *kernel = tilec_program_kernel_name(cli->program, k);
        tilec_parameter parameter;
        for (size_t i = 0; tilec_program_parameter(cli->program, kernel, i, &parameter) == TILEC_OK;
             i++)
            if (strcmp(parameter.name, name) == 0)
                return kernel;
    }
    return NULL;
}

static int unknown_argument(const struct cli *cli, const struct signature *signature,
                            const char *name)
{
    struct suggestion suggestion = {.name = name};
    for (size_t i = 0; i < signature->count; i++)
        suggestion_offer(&suggestion, signature->parameters[i].name);
    cli_error("kernel '%s' has no parameter '%s'", kernel_name(cli), name);
    const char *other = kernel_with(cli, name);
    if (other)
        cli_hint("kernel '%s' has it: write %s:%s", other, cli->file, other);
    else if (suggestion.best)
        cli_hint("did you mean '%s'?", suggestion.best);
    return CLI_WRONG;
}

static int refuse_word(const struct cli *cli, const char *word)
{
    if (!cli_is_kernel(cli, word))
        return cli_usage(cli, "expected NAME=VALUE, not '%s'", word);
    cli_error("expected NAME=VALUE, not '%s'", word);
    cli_hint_kernel(cli, word);
    return CLI_USAGE;
}

/* Finds the parameter of every NAME=VALUE. */
static int match_words(struct cli *cli, struct signature *signature)
{
    for (int i = 1; i < cli->word_count; i++) {
        const char *name, *value;
        size_t found = 0;
        if (!cli_split(cli, cli->words[i], &name, &value))
            return refuse_word(cli, cli->words[i]);
        while (found < signature->count && strcmp(signature->parameters[found].name, name) != 0)
            found++;
        if (found == signature->count)
            return unknown_argument(cli, signature, name);
        if (signature->given[found])
            return cli_error("argument '%s' is given twice", name);
        signature->given[found] = value;
    }
    return CLI_FINE;
}

static int missing_argument(const struct cli *cli, const tilec_parameter *parameter)
{
    bool buffer = parameter->kind == TILEC_BUFFER;
    cli_error("kernel '%s' needs the argument '%s', a%s of %s", kernel_name(cli), parameter->name,
              buffer ? "n array" : " scalar", tilec_type_name(parameter->type));
    const char *name = parameter->name, *type = tilec_type_name(parameter->type);
    cli_hint(buffer ? "write %s=@FILE.npy, %s=new:%s[SHAPE], %s=zeros:%s[SHAPE] or "
                      "%s=rand:%s[SHAPE]:SEED"
                    : "write %s=NUMBER",
             name, name, type, name, type, name, type);
    return CLI_WRONG;
}

static int read_argument(struct cli *cli, struct cli_values *values, const char *text,
                         const tilec_parameter *parameter)
{
    size_t at = values->count;
    tilec_argument *argument = &values->arguments[at];
    if (!text && parameter->is_fixed)
        return CLI_FINE;
    if (!text)
        return missing_argument(cli, parameter);
    values->count++; /* so that its array is freed whatever happens */
    int status = parameter->kind == TILEC_BUFFER
                     ? read_buffer(cli, parameter, text, argument, &values->arrays[at])
                     : read_scalar(values, parameter, text, argument);
    argument->name = parameter->name;
    return status;
}

int cli_read_values(struct cli *cli, struct cli_values *values)
{
    struct signature signature;
    int status = read_signature(cli, &signature);
    if (status == CLI_FINE)
        status = match_words(cli, &signature);
    if (status != CLI_FINE)
        return status;
    values->arguments = ARENA_ARRAY(cli->arena, tilec_argument, signature.count);
    values->arrays = ARENA_ARRAY(cli->arena, struct cli_array, signature.count);
    values->known = ARENA_ARRAY(cli->arena, tilec_value, signature.count);
    for (size_t i = 0; i < signature.count && status == CLI_FINE; i++) {
        const tilec_parameter *parameter = &signature.parameters[i];
        bool constant = parameter->kind == TILEC_CONSTEXPR || parameter->kind == TILEC_LAYOUT;
        if (!constant)
            status = read_argument(cli, values, signature.given[i], parameter);
        else if (signature.given[i])
            cli_add_constant(cli, parameter->name, signature.given[i]);
    }
    return status;
}

void cli_free_values(struct cli_values *values)
{
    for (size_t i = 0; i < values->count; i++)
        cli_array_free(&values->arrays[i]);
}

struct cli_array *cli_find_array(const struct cli_values *values, const char *name)
{
    struct suggestion suggestion = {.name = name};
    for (size_t i = 0; i < values->count; i++) {
        if (values->arguments[i].kind != TILEC_BUFFER)
            continue;
        if (strcmp(values->arguments[i].name, name) == 0)
            return &values->arrays[i];
        suggestion_offer(&suggestion, values->arguments[i].name);
    }
    cli_error("the kernel has no array '%s'", name);
    if (suggestion.best)
        cli_hint("did you mean '%s'?", suggestion.best);
    return NULL;
}
