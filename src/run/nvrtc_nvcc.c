/*
 * The same by the program nvcc, for machines that have the toolkit but not the library; see nvrtc.h.
 * It is started with a list of arguments, never through a shell, in a private folder that is removed
 * afterwards.
 */
#define _GNU_SOURCE
#include "run/nvrtc.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static bool is_program(const char *path)
{
    return access(path, X_OK) == 0;
}

static bool find_compiler(char *path, size_t size)
{
    const char *given = getenv("TILEC_NVCC"), *folders = getenv("PATH");
    if (given)
        return snprintf(path, size, "%s", given) < (int)size && is_program(path);
    while (folders && *folders) {
        size_t length = strcspn(folders, ":");
        if (snprintf(path, size, "%.*s/nvcc", (int)length, folders) < (int)size &&
            is_program(path))
            return true;
        folders += length + (folders[length] == ':');
    }
    return snprintf(path, size, "/usr/local/cuda/bin/nvcc") < (int)size && is_program(path);
}

/* ---- the private folder ---------------------------------------------------------------------- */

enum { FILE_SOURCE, FILE_CODE, FILE_MESSAGES, FILE_COUNT };
static const char *const file_names[] = {"kernel.cu", "kernel.out", "messages"};

struct folder {
    char path[256];
    char files[FILE_COUNT][300];
};

static bool make_folder(struct folder *folder)
{
    const char *root = getenv("TMPDIR");
    snprintf(folder->path, sizeof folder->path, "%s/tilec-cuda-XXXXXX",
             root && *root ? root : "/tmp");
    if (!mkdtemp(folder->path)) /* mode 0700 */
        return false;
    for (int i = 0; i < FILE_COUNT; i++)
        snprintf(folder->files[i], sizeof folder->files[i], "%s/%s", folder->path, file_names[i]);
    return true;
}

static void remove_folder(const struct folder *folder)
{
    for (int i = 0; i < FILE_COUNT; i++)
        unlink(folder->files[i]);
    rmdir(folder->path);
}

static bool write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    bool written = file && fputs(text, file) >= 0;
    return file && fclose(file) == 0 && written;
}

/* NULL when it cannot be read; ends with NUL. */
static char *read_file(struct arena *arena, const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    *size = 0;
    if (!file)
        return NULL;
    if (fseek(file, 0, SEEK_END) == 0) {
        long length = ftell(file);
        rewind(file);
        bytes = length >= 0 ? arena_alloc(arena, (size_t)length + 1) : NULL;
        *size = bytes ? fread(bytes, 1, (size_t)length, file) : 0;
    }
    fclose(file);
    if (bytes)
        bytes[*size] = '\0';
    return bytes;
}

/* ---- running nvcc ---------------------------------------------------------------------------- */

static bool run(const char *compiler, const struct nvrtc_request *request,
                const struct folder *folder, struct arena *arena)
{
    const char *arguments[16];
    int n = 0;
    arguments[n++] = compiler;
    arguments[n++] = request->ptx ? "-ptx" : "-cubin";
    arguments[n++] = arena_format(arena, "-arch=%s", request->arch);
    arguments[n++] = "-std=c++17";
    arguments[n++] = request->relaxed ? "--use_fast_math" : "--fmad=false";
    arguments[n++] = "-Xptxas=-v";
    if (request->define)
        arguments[n++] = arena_format(arena, "-D%s", request->define);
    arguments[n++] = "-o";
    arguments[n++] = folder->files[FILE_CODE];
    arguments[n++] = folder->files[FILE_SOURCE];
    arguments[n] = NULL;
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return false;
    pid_t child = -1;
    int status = -1;
    if (posix_spawn_file_actions_addopen(&actions, 1, folder->files[FILE_MESSAGES],
                                         O_WRONLY | O_CREAT | O_TRUNC, 0600) == 0 &&
        posix_spawn_file_actions_adddup2(&actions, 1, 2) == 0 &&
        posix_spawn(&child, compiler, &actions, NULL, (char *const *)arguments, environ) == 0) {
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
    }
    posix_spawn_file_actions_destroy(&actions);
    return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool compile(const char *compiler, const struct nvrtc_request *request,
                    const struct folder *folder, struct arena *arena, struct nvrtc_output *output)
{
    size_t length;
    output->log = "cannot write the text for nvcc to a file";
    if (!write_text(folder->files[FILE_SOURCE], request->text))
        return false;
    bool fine = run(compiler, request, folder, arena);
    const char *log = read_file(arena, folder->files[FILE_MESSAGES], &length);
    nvrtc_read_log(arena, log ? log : "", output);
    output->bytes = fine ? read_file(arena, folder->files[FILE_CODE], &output->size) : NULL;
    if (!output->bytes && !*output->log)
        output->log = "nvcc fails and gives no reason";
    return output->bytes != NULL;
}

bool nvrtc_compile_by_nvcc(const struct nvrtc_request *request, struct arena *arena,
                           struct nvrtc_output *output, bool *found)
{
    char compiler[4096];
    struct folder folder;
    *output = (struct nvrtc_output){.log = "cannot make a private folder for nvcc"};
    *found = find_compiler(compiler, sizeof compiler);
    if (!*found || !make_folder(&folder))
        return false;
    bool fine = compile(compiler, request, &folder, arena, output);
    remove_folder(&folder);
    return fine;
}
