/* Other people's compilers in a folder that is removed; see private_folder.h. */
#define _GNU_SOURCE
#include "run/private_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

bool private_folder_find(const char *name, char *path, size_t size)
{
    const char *folders = getenv("PATH");
    while (folders && *folders) {
        size_t length = strcspn(folders, ":");
        if (snprintf(path, size, "%.*s/%s", (int)length, folders, name) < (int)size &&
            access(path, X_OK) == 0)
            return true;
        folders += length + (folders[length] == ':');
    }
    return false;
}

const char *private_folder_root(void)
{
    const char *root = getenv("TMPDIR");
    return root && *root ? root : "/tmp";
}

static void hold_signals(struct private_folder *folder)
{
    sigset_t ending;
    sigemptyset(&ending);
    sigaddset(&ending, SIGINT);
    sigaddset(&ending, SIGTERM);
    sigaddset(&ending, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &ending, &folder->before);
    folder->held = true;
}

bool private_folder_make(struct private_folder *folder, const char *kind)
{
    int length = snprintf(folder->path, sizeof folder->path, "%s/tilec-%s-XXXXXX",
                          private_folder_root(), kind);
    if (length >= (int)sizeof folder->path) {
        errno = ENAMETOOLONG;
        return false;
    }
    hold_signals(folder);
    folder->made = mkdtemp(folder->path) != NULL; /* mode 0700 */
    return folder->made;
}

void private_folder_remove(struct private_folder *folder, const char *const *names, size_t count)
{
    char file[sizeof folder->path + 64];
    for (size_t i = 0; folder->made && i < count; i++) {
        snprintf(file, sizeof file, "%s/%s", folder->path, names[i]);
        unlink(file);
    }
    if (folder->made)
        rmdir(folder->path);
    if (folder->held)
        pthread_sigmask(SIG_SETMASK, &folder->before, NULL);
    folder->made = folder->held = false;
}

static bool redirect(posix_spawn_file_actions_t *actions, const char *messages, int streams)
{
    int first = streams & 1 ? 1 : 2;
    return posix_spawn_file_actions_addopen(actions, first, messages, O_WRONLY | O_CREAT | O_TRUNC,
                                            0600) == 0 &&
           (streams != 3 || posix_spawn_file_actions_adddup2(actions, 1, 2) == 0);
}

/* Signals as they were, but for one: who ignores that of children has them inherit it, and
 * compilers that start programs of their own then fail. */
static bool set_signals(posix_spawnattr_t *attributes, const struct private_folder *folder)
{
    sigset_t usual;
    sigemptyset(&usual);
    sigaddset(&usual, SIGCHLD);
    return posix_spawnattr_setsigmask(attributes, &folder->before) == 0 &&
           posix_spawnattr_setsigdefault(attributes, &usual) == 0 &&
           posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) ==
               0;
}

/* How it ended is lost where the process ignores SIGCHLD, or waits for all of its children; then
 * what was made tells, which compilers remove when they fail. */
static bool ends_well(pid_t child, const char *product)
{
    int status = -1;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return access(product, F_OK) == 0;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool private_folder_run(const struct private_folder *folder, const char *const *arguments,
                        const char *product, const char *messages, int streams)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return false;
    if (posix_spawnattr_init(&attributes) != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return false;
    }
    pid_t child;
    bool started = redirect(&actions, messages, streams) && set_signals(&attributes, folder) &&
                   posix_spawn(&child, arguments[0], &actions, &attributes,
                               (char *const *)arguments, environ) == 0;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return started && ends_well(child, product);
}

bool private_folder_write(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        return false;
    bool written = fwrite(bytes, 1, size, file) == size;
    return fclose(file) == 0 && written;
}
