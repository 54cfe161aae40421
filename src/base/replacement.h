#ifndef TILEC_BASE_REPLACEMENT_H
#define TILEC_BASE_REPLACEMENT_H
/*
 * A file that takes the place of what was there when all of it is written, so that nobody ever sees
 * half of it and what was there stays where it fails. Until then it has no name where the file
 * system can do that (O_TMPFILE): what ends the process leaves nothing behind.
 */
#include <limits.h>
#include <stdbool.h>

struct replacement {
    const char *path;
    int file;            /* to write to */
    char name[PATH_MAX]; /* beside path; empty: it has none yet */
};

/* path: where a regular file is or will be; its rights are those of what is there. False with
 * errno. */
bool replacement_open(struct replacement *r, const char *path);

/* Puts it in its place if it is good, else removes it. False with errno; of what is not good, with
 * the errno that it was called with. */
bool replacement_close(struct replacement *r, bool good);

#endif
