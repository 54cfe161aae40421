/* tilec build: an object file and its C header; see cli.h. */
#include "cli/cli.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_target(const struct cli *cli, const char *target)
{
    return cli->options.target && strcmp(cli->options.target, target) == 0;
}

/* What the file is called, by target, when nobody says. */
static const char *default_end(const struct cli *cli)
{
    return is_target(cli, "msl") ? "metal" : is_target(cli, "cuda") ? "cubin" : "o";
}

/* The form that the output's name asks for. */
static bool read_form(const struct cli *cli, tilec_form *form)
{
    const char *object = cli_value(cli, FLAG_OUTPUT), *dot = object ? strrchr(object, '.') : NULL;
    *form = TILEC_FORM_CODE;
    if (!is_target(cli, "cuda") || !object || (dot && strcmp(dot, ".cubin") == 0))
        return true;
    if (dot && strcmp(dot, ".cu") == 0)
        *form = TILEC_FORM_TEXT;
    else if (dot && strcmp(dot, ".ptx") == 0)
        *form = TILEC_FORM_PTX;
    else
        return false;
    return true;
}

/* The object's name with .h (for MSL .json) in place of what follows the last dot. */
static const char *header_path(struct cli *cli, const char *object)
{
    const char *given = cli_value(cli, FLAG_HEADER);
    const char *dot = strrchr(object, '.'), *slash = strrchr(object, '/');
    size_t length = dot && (!slash || dot > slash) ? (size_t)(dot - object) : strlen(object);
    return given ? given
                 : arena_format(cli->arena, "%.*s.%s", (int)length, object,
                                is_target(cli, "msl") ? "json" : "h");
}

/* Adds a path as make reads it: a space or # behind a backslash, as are backslashes in front of
 * one; $ twice. False where make knows no way. */
static bool add_path(struct text *out, const char *path)
{
    size_t backslashes = 0;
    for (const char *c = path; *c; c++) {
        if (*c == '\n')
            return false;
        bool escaped = *c == ' ' || *c == '\t' || *c == '#';
        for (size_t i = 0; escaped && i <= backslashes; i++)
            text_string(out, "\\");
        if (*c == '$')
            text_string(out, "$");
        text_format(out, "%c", *c);
        backslashes = *c == '\\' ? backslashes + 1 : 0;
    }
    return true;
}

static bool was_listed(const tilec_program *program, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(tilec_program_file(program, i), tilec_program_file(program, index)) == 0)
            return true;
    return false;
}

/* A rule of make: the object, and after a colon the kernel and what it includes. */
static bool write_dependencies(struct cli *cli, const char *path, const char *object)
{
    struct text rule;
    text_init(&rule, cli->arena);
    bool known = add_path(&rule, object);
    text_string(&rule, ":");
    for (size_t i = 0; known && i < tilec_program_file_count(cli->program); i++) {
        if (was_listed(cli->program, i))
            continue;
        text_string(&rule, " \\\n ");
        known = add_path(&rule, tilec_program_file(cli->program, i));
    }
    text_string(&rule, "\n");
    if (known)
        return cli_write_file(cli, path, rule.items, rule.count) == CLI_FINE;
    cli_error("cannot write '%s': a file's name has a line break, which make cannot read", path);
    return false;
}

static int write_results(struct cli *cli, const char *name, const tilec_built *built)
{
    const char *object = cli_value(cli, FLAG_OUTPUT);
    if (!object)
        object = arena_format(cli->arena, "%s.%s", name, default_end(cli));
    const char *header = header_path(cli, object);
    if (cli_is_stream(object) && !cli_value(cli, FLAG_HEADER))
        return cli_usage(cli, "with '-o -' the other file needs a name: '--header FILE'");
    if (cli_same_output(object, header))
        return cli_usage(cli, "both files would have the same name '%s'", object);
    const char *dependencies = cli_value(cli, FLAG_DEPFILE);
    if (dependencies && (cli_is_stream(object) || cli_reads_stream(cli)))
        return cli_usage(cli, "'--depfile' needs files that have names, and '-' has none");
    if (dependencies &&
        (cli_same_output(dependencies, object) || cli_same_output(dependencies, header)))
        return cli_usage(cli, "two files would have the same name '%s'", dependencies);
    if (cli_check_output(cli, object) != CLI_FINE || cli_check_output(cli, header) != CLI_FINE ||
        (dependencies && cli_check_output(cli, dependencies) != CLI_FINE))
        return CLI_USAGE;
    /* First: an object that is there is taken for a build that went well. */
    if (dependencies && !write_dependencies(cli, dependencies, object))
        return CLI_WRONG;
    if (cli_write_file(cli, object, built->object, built->object_size) != CLI_FINE)
        return CLI_WRONG;
    if (cli_write_file(cli, header, built->header, built->header_size) == CLI_FINE)
        return CLI_FINE;
    if (cli_is_stream(object))
        return CLI_WRONG;
    struct stat status; /* a build tool takes an object that is there for a build that went well */
    if (lstat(object, &status) == 0 && S_ISREG(status.st_mode))
        unlink(object);
    return CLI_WRONG;
}

static int build(struct cli *cli)
{
    tilec_built built = {0};
    tilec_build_options options = {.size = sizeof options};
    int result = cli_open_kernel(cli, true);
    if (result != CLI_FINE)
        return result;
    options.cpus = cli_values(cli, FLAG_CPU, true, &options.cpu_count);
    options.symbol = cli_value(cli, FLAG_SYMBOL);
    if (!read_form(cli, &options.form))
        return cli_usage(cli, "for the target 'cuda' the output ends with .cu, .ptx or .cubin");
    const char *name = cli->kernel ? cli->kernel : tilec_program_kernel_name(cli->program, 0);
    result = cli_report(cli, tilec_build(cli->program, &cli->options, &options, &built));
    if (result == CLI_FINE)
        result = write_results(cli, options.symbol ? options.symbol : name, &built);
    tilec_release(cli->context, built.object);
    tilec_release(cli->context, built.header);
    return result;
}

int cli_build(struct cli *cli)
{
    int result = build(cli);
    cli_close(cli);
    return result;
}
