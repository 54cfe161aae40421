/*
 * The same by the program nvcc, for machines that have the toolkit but not the library; see
 * nvrtc.h. It is started with a list of arguments, never through a shell, in a private folder that
 * is removed afterwards, whatever ends this.
 */
#define _GNU_SOURCE
#include "run/nvrtc.h"
#include "base/guard.h"
#include "run/private_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_program(const char *path)
{
    return access(path, X_OK) == 0;
}

static bool find_compiler(char *path, size_t size)
{
    const char *given = getenv("TILEC_NVCC");
    if (given)
        return snprintf(path, size, "%s", given) < (int)size && is_program(path);
    if (private_folder_find("nvcc", path, size))
        return true;
    return snprintf(path, size, "/usr/local/cuda/bin/nvcc") < (int)size && is_program(path);
}

/* ---- the private folder ---------------------------------------------------------------------- */

enum { FILE_SOURCE, FILE_CODE, FILE_MESSAGES, FILE_COUNT };
static const char *const file_names[] = {"kernel.cu", "kernel.out", "messages"};

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

struct compiling {
    const struct nvrtc_request *request;
    struct arena *arena;
    struct nvrtc_output *output;
    const char *compiler;
    struct private_folder folder;
    bool compiled;
};

static const char *file_in(const struct compiling *c, int file)
{
    return arena_format(c->arena, "%s/%s", c->folder.path, file_names[file]);
}

static bool run(struct compiling *c, const char *source, const char *code, const char *messages)
{
    const struct nvrtc_request *request = c->request;
    const char *arguments[16];
    int n = 0;
    arguments[n++] = c->compiler;
    arguments[n++] = request->ptx ? "-ptx" : "-cubin";
    arguments[n++] = arena_format(c->arena, "-arch=%s", request->arch);
    arguments[n++] = "-std=c++17";
    arguments[n++] = request->relaxed ? "--use_fast_math" : "--fmad=false";
    arguments[n++] = "-Xptxas=-v";
    if (request->define)
        arguments[n++] = arena_format(c->arena, "-D%s", request->define);
    arguments[n++] = "-o";
    arguments[n++] = code;
    arguments[n++] = source;
    arguments[n] = NULL;
    return private_folder_run(&c->folder, arguments, code, messages, 3);
}

static void compile_guarded(void *user)
{
    struct compiling *c = user;
    struct nvrtc_output *output = c->output;
    size_t length;
    output->log = "cannot make a private folder for nvcc";
    if (!private_folder_make(&c->folder, "cuda"))
        return;
    output->log = "cannot write the text for nvcc to a file";
    const char *source = file_in(c, FILE_SOURCE), *code = file_in(c, FILE_CODE);
    const char *messages = file_in(c, FILE_MESSAGES);
    if (!private_folder_write(source, c->request->text, strlen(c->request->text)))
        return;
    bool fine = run(c, source, code, messages);
    const char *log = read_file(c->arena, messages, &length);
    nvrtc_read_log(c->arena, log ? log : "", output);
    output->bytes = fine ? read_file(c->arena, code, &output->size) : NULL;
    if (!output->bytes && !*output->log)
        output->log = "nvcc fails and gives no reason";
    c->compiled = output->bytes != NULL;
}

bool nvrtc_compile_by_nvcc(const struct nvrtc_request *request, struct arena *arena,
                           struct nvrtc_output *output, bool *found)
{
    char compiler[4096];
    struct compiling compiling = {
        .request = request, .arena = arena, .output = output, .compiler = compiler};
    *output = (struct nvrtc_output){.log = ""};
    *found = find_compiler(compiler, sizeof compiler);
    if (!*found)
        return false;
    bool finished = guard_run(arena, compile_guarded, &compiling);
    private_folder_remove(&compiling.folder, file_names, FILE_COUNT);
    if (!finished)
        longjmp(*arena->on_failure, 1);
    return compiling.compiled;
}
