/* tilec build: an object file and its C header; see cli.h. */
#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Writes a file beside its place first, so that a build tool never sees half of it. What is there
 * and is no regular file (/dev/null, a pipe, a link) is written to and not replaced.
 */
static bool write_file(struct cli *cli, const char *path, const void *bytes, size_t size)
{
    struct stat status;
    bool in_place = lstat(path, &status) == 0 && !S_ISREG(status.st_mode);
    const char *half = in_place ? path : arena_format(cli->arena, "%s.%ld", path, (long)getpid());
    FILE *file = fopen(half, "wb");
    bool written = file && fwrite(bytes, 1, size, file) == size;
    if (file && fclose(file) != 0)
        written = false;
    if (written && (in_place || rename(half, path) == 0))
        return true;
    cli_error("cannot write '%s': %s", path, strerror(errno));
    if (file && !in_place)
        unlink(half);
    return false;
}

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

static int write_results(struct cli *cli, const char *name, const tilec_built *built)
{
    const char *object = cli_value(cli, FLAG_OUTPUT);
    if (!object)
        object = arena_format(cli->arena, "%s.%s", name, default_end(cli));
    const char *header = header_path(cli, object);
    if (strcmp(object, header) == 0)
        return cli_usage(cli, "both files would have the same name '%s'", object);
    if (!write_file(cli, object, built->object, built->object_size))
        return CLI_WRONG;
    if (write_file(cli, header, built->header, built->header_size))
        return CLI_FINE;
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
