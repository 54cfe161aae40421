/* Files that commands write; see cli.h. */
#include "base/replacement.h"
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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

/* Of a path, the folder up to the last slash. */
static bool same_folder(const char *a, const char *b)
{
    struct stat folders[2];
    const char *const paths[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        char folder[PATH_MAX];
        const char *slash = strrchr(paths[i], '/');
        int length = snprintf(folder, sizeof folder, "%.*s.",
                              slash ? (int)(slash - paths[i]) + 1 : 0, paths[i]);
        if (length < 0 || (size_t)length >= sizeof folder || stat(folder, &folders[i]) != 0)
            return false;
    }
    return folders[0].st_dev == folders[1].st_dev && folders[0].st_ino == folders[1].st_ino;
}

bool cli_same_output(const char *a, const char *b)
{
    struct stat there;
    const char *x = strrchr(a, '/'), *y = strrchr(b, '/');
    if (cli_is_stream(a) || cli_is_stream(b))
        return strcmp(a, b) == 0;
    if (stat(a, &there) == 0 && !S_ISREG(there.st_mode))
        return false;
    return strcmp(a, b) == 0 || same_file(a, b) ||
           (strcmp(x ? x + 1 : a, y ? y + 1 : b) == 0 && same_folder(a, b));
}

bool cli_is_stream(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

int cli_check_output(const struct cli *cli, const char *path)
{
    if (cli_is_stream(path))
        return CLI_FINE;
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
    if (cli_is_stream(path))
        return CLI_FINE;
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

static bool write_all(int file, const void *bytes, size_t length)
{
    const char *at = bytes;
    while (length > 0) {
        ssize_t put = write(file, at, length);
        if (put < 0 && errno != EINTR)
            return false;
        at += put > 0 ? put : 0;
        length -= put > 0 ? (size_t)put : 0;
    }
    return true;
}

static bool write_in_place(const char *path, const void *bytes, size_t length)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0)
        return false;
    bool good = write_all(file, bytes, length);
    int why = errno;
    bool closed = close(file) == 0;
    errno = good ? errno : why;
    return good && closed;
}

/* What is there and is no regular file (/dev/null, a pipe, a link), or stands in a folder that
 * takes no further files, is written to and not replaced. */
int cli_write_file(const struct cli *cli, const char *path, const void *bytes, size_t length)
{
    int status = cli_check_output(cli, path);
    if (status != CLI_FINE)
        return status;
    if (cli_is_stream(path))
        return cli_print(bytes, length) ? CLI_FINE : CLI_WRONG;
    struct stat before;
    struct replacement file;
    bool there = lstat(path, &before) == 0, apart = !there || S_ISREG(before.st_mode);
    if (apart && replacement_open(&file, path) &&
        replacement_close(&file, write_all(file.file, bytes, length)))
        return CLI_FINE;
    if (there && (!apart || errno == EACCES) && write_in_place(path, bytes, length))
        return CLI_FINE;
    return cli_error("cannot write '%s': %s", path, strerror(errno));
}

int cli_write_text(const struct cli *cli, const char *text, size_t length)
{
    const char *path = cli_value(cli, FLAG_OUTPUT);
    if (path)
        return cli_write_file(cli, path, text, length);
    return cli_print(text, length) ? CLI_FINE : CLI_WRONG;
}
