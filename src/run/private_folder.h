#ifndef TILEC_RUN_PRIVATE_FOLDER_H
#define TILEC_RUN_PRIVATE_FOLDER_H
/*
 * Other people's compilers: found in PATH, started without a shell, with their files in a private
 * folder that is gone whatever ends the process while they work.
 */
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

struct private_folder {
    bool held, made;
    sigset_t before; /* the signals that were blocked before they were held */
    char path[4096];
};

/* The program's path; false when PATH has none of that name. */
bool private_folder_find(const char *name, char *path, size_t size);

/* Where folders are made: $TMPDIR, else /tmp. */
const char *private_folder_root(void);
/* Makes $TMPDIR/tilec-KIND-XXXXXX. From here to private_folder_remove what would end the process
 * waits; a child gets it at once. False, with errno: there is none. */
bool private_folder_make(struct private_folder *folder, const char *kind);
/* Its files by these names, the folder itself, and the signals; also where making it failed, and
 * of a folder of zeros nothing. */
void private_folder_remove(struct private_folder *folder, const char *const *names, size_t count);

/* Waits for the program arguments[0], which makes the file `product`, and whose output in `streams`
 * (1, 2, or 3: both) goes to the file `messages`. False: it was not started, or failed. The list
 * ends with NULL. */
bool private_folder_run(const struct private_folder *folder, const char *const *arguments,
                        const char *product, const char *messages, int streams);

/* False: it is not there whole. */
bool private_folder_write(const char *path, const void *bytes, size_t size);

#endif
