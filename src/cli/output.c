/* Files that commands write; see cli.h. */
#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    return a && stat(a, &x) == 0 && stat(b, &y) == 0 && S_ISREG(y.st_mode) &&
           x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

int cli_check_output(const struct cli *cli, const char *path)
{
    static const enum cli_flag inputs[] = {FLAG_BASELINE, FLAG_EXPERIMENT, FLAG_LAUNCH};
    bool is_read = same_file(cli->file ? cli->file : cli->word_count ? cli->words[0] : NULL, path);
    for (size_t i = 1; i < tilec_program_file_count(cli->program); i++)
        is_read = is_read || same_file(tilec_program_file(cli->program, i), path);
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        is_read = is_read || same_file(cli_value(cli, inputs[i]), path);
    return is_read ? cli_usage(cli, "'%s' is read: writing to it would destroy it", path)
                   : CLI_FINE;
}

int cli_foresee_output(const struct cli *cli, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *folder =
        slash ? arena_copy_text(cli->arena, path, (size_t)(slash - path) + 1) : ".";
    struct stat status;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return cli_error("cannot write '%s': %s", path, strerror(EISDIR));
    if (access(path, W_OK) != 0 && (errno != ENOENT || access(folder, W_OK) != 0))
        return cli_error("cannot write '%s': %s", path, strerror(errno));
    return cli_check_output(cli, path);
}

int cli_write_file(const struct cli *cli, const char *path, const char *text, size_t length)
{
    int status = cli_check_output(cli, path);
    if (status != CLI_FINE)
        return status;
    FILE *file = fopen(path, "wb");
    bool written = file && fwrite(text, 1, length, file) == length;
    if ((file && fclose(file) != 0) || !written)
        return cli_error("cannot write '%s': %s", path, strerror(errno));
    return CLI_FINE;
}

int cli_write_text(const struct cli *cli, const char *text, size_t length)
{
    const char *path = cli_value(cli, FLAG_OUTPUT);
    if (path)
        return cli_write_file(cli, path, text, length);
    return cli_print(text, length) ? CLI_FINE : CLI_WRONG;
}
