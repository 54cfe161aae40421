/* Files that take others' places; see replacement.h. */
#define _GNU_SOURCE
#include "base/replacement.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* How much of the path names its folder, with the slash. */
static int folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash - path) + 1 : 0;
}

/* The name does not depend on the file's, which may have the most bytes that a name has. */
static bool name_it(struct replacement *r, int attempt)
{
    int length = snprintf(r->name, sizeof r->name, "%.*s.tilec-%ld-%d.tmp", folder_length(r->path),
                          r->path, (long)getpid(), attempt);
    if (length >= 0 && (size_t)length < sizeof r->name)
        return true;
    errno = ENAMETOOLONG;
    return false;
}

/* -1 where the file system knows no such files, or they cannot be given a name later. */
static int open_nameless(const char *path)
{
    char folder[PATH_MAX];
    int length = snprintf(folder, sizeof folder, "%.*s.", folder_length(path), path);
    if (length < 0 || (size_t)length >= sizeof folder || access("/proc/self/fd", X_OK) != 0)
        return -1;
    return open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
}

/* Calls make with one name after the other until that is not taken; what it gave. */
static int make_named(struct replacement *r, int (*make)(const struct replacement *))
{
    int result = -1;
    errno = EEXIST;
    for (int attempt = 0; result < 0 && errno == EEXIST && attempt < 100; attempt++)
        result = name_it(r, attempt) ? make(r) : -1;
    if (result < 0)
        r->name[0] = '\0';
    return result;
}

static int open_named(const struct replacement *r)
{
    return open(r->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
}

static int link_to(const struct replacement *r, const char *name)
{
    char self[64];
    snprintf(self, sizeof self, "/proc/self/fd/%d", r->file);
    return linkat(AT_FDCWD, self, AT_FDCWD, name, AT_SYMLINK_FOLLOW);
}

static int link_named(const struct replacement *r)
{
    return link_to(r, r->name);
}

bool replacement_open(struct replacement *r, const char *path)
{
    struct stat before;
    r->path = path;
    r->name[0] = '\0';
    r->file = open_nameless(path);
    if (r->file < 0)
        r->file = make_named(r, open_named);
    if (r->file < 0)
        return false;
    return stat(path, &before) != 0 || fchmod(r->file, before.st_mode & 07777) == 0 ||
           replacement_close(r, false);
}

/* What a file system finds out only when a file is closed. */
static bool is_written(int file)
{
    int copy = dup(file);
    return copy >= 0 && close(copy) == 0;
}

static bool put_in_place(struct replacement *r)
{
    if (!r->name[0] && link_to(r, r->path) == 0)
        return true;
    if (!r->name[0] && (errno != EEXIST || make_named(r, link_named) != 0))
        return false;
    return rename(r->name, r->path) == 0;
}

bool replacement_close(struct replacement *r, bool good)
{
    good = good && is_written(r->file) && put_in_place(r);
    int why = errno;
    if (!good && r->name[0])
        unlink(r->name);
    close(r->file);
    errno = why;
    return good;
}
