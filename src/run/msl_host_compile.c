/*
 * MSL text to a loaded library: the text and our headers go to a private folder, clang++ makes a
 * shared object of them, and the folder is removed as soon as that is loaded.
 *
 * clang++ is started with a list of arguments, never through a shell. Its flags:
 *   -fsanitize=thread   puts a call in front of every load and store; metal_stdlib defines them
 *   read-before-write   else TSan drops a load that a store to the same place follows
 *   -O1                 the least that keeps registers out of memory
 *   no contraction, no excess precision: Metal's safe mathematics
 */
#define _GNU_SOURCE
#include "run/msl_host_parts.h"
#include "base/guard.h"
#include "run/private_folder.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

/* The headers' text, made by cmake/embed.cmake. */
#include "run/msl_host_headers.inc"

static const char *const compilers[] = {"clang++-19", "clang++"};

static bool find_compiler(char *path, size_t size)
{
    for (size_t i = 0; i < sizeof compilers / sizeof *compilers; i++)
        if (private_folder_find(compilers[i], path, size))
            return true;
    return false;
}

bool msl_host_available(void)
{
    char path[4096];
    return find_compiler(path, sizeof path);
}

/* ---- The private folder ---------------------------------------------------------------------- */

static const char *const files[] = {"metal_stdlib", "msl_host_abi.h", "kernel.cpp", "kernel.so",
                                    "messages"};
enum { FILE_STDLIB, FILE_ABI, FILE_SOURCE, FILE_LIBRARY, FILE_MESSAGES, FILE_COUNT };

struct msl_folder {
    struct private_folder private;
    char files[FILE_COUNT][4096 + 16];
};

static bool make_folder(struct msl_folder *folder)
{
    if (!private_folder_make(&folder->private, "msl"))
        return false;
    for (int i = 0; i < FILE_COUNT; i++)
        snprintf(folder->files[i], sizeof folder->files[i], "%s/%s", folder->private.path,
                 files[i]);
    return true;
}

/* Says what is wrong with the folder, of which TMPDIR would give another. Returns false. */
static bool folder_fails(struct diagnostics *diagnostics, const char *what)
{
    msl_host_fail(diagnostics, "%s in '%s', which msl-host needs for clang++", what,
                  private_folder_root());
    if (diagnostics->count)
        diagnostics_hint(diagnostics, &diagnostics->items[diagnostics->count - 1],
                         "TMPDIR names the folder; without it that is /tmp");
    return false;
}

/* ---- Running clang++ ------------------------------------------------------------------------- */

/* Conversions of half by the processor, where it has them: a fifth of a product's time else. Both ways
 * are exact. What cannot be left out is said twice. */
static const char *half_flag(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("f16c"))
        return "-mf16c";
#endif
    return "-fPIC";
}

static bool spawn(const char *compiler, const struct msl_folder *folder)
{
    char include[sizeof folder->private.path + 2];
    snprintf(include, sizeof include, "-I%s", folder->private.path);
    const char *const arguments[] = {compiler,
                                     "-std=c++20",
                                     "-O1",
                                     "-w",
                                     "-fPIC",
                                     "-shared",
                                     "-nostdinc++",
                                     "-nostdlib++",
                                     "-fno-exceptions",
                                     "-fno-rtti",
                                     "-fno-strict-aliasing",
                                     "-fno-math-errno",
                                     "-ffp-contract=off",
                                     "-Xclang",
                                     "-ffloat16-excess-precision=none",
                                     "-fwrapv",
                                     "-fvisibility=hidden",
                                     half_flag(),
                                     "-fsanitize=thread",
                                     "-mllvm",
                                     "-tsan-instrument-read-before-write",
                                     "-mllvm",
                                     "-tsan-instrument-func-entry-exit=0",
                                     include,
                                     "-include",
                                     "metal_stdlib",
                                     "-o",
                                     folder->files[FILE_LIBRARY],
                                     folder->files[FILE_SOURCE],
                                     NULL};
    return private_folder_run(&folder->private, arguments, folder->files[FILE_LIBRARY],
                              folder->files[FILE_MESSAGES], 2);
}

/* Quotes the first error in the text, without the private folder's name, or else the first thing
 * that clang++ said: then it failed for another reason, which is no defect of the text, and *misfit
 * is set. */
static bool report_messages(const struct msl_folder *folder, bool *misfit,
                            struct diagnostics *diagnostics)
{
    char line[400], first[400] = "it gave no reason";
    const char *found = NULL;
    FILE *file = fopen(folder->files[FILE_MESSAGES], "r");
    for (bool is_first = true; file && !found && fgets(line, sizeof line, file); is_first = false) {
        line[strcspn(line, "\n")] = '\0';
        if (is_first)
            snprintf(first, sizeof first, "%s", line);
        /* "FOLDER/kernel.cpp:line:column: error: ..." */
        if (strncmp(line, folder->private.path, strlen(folder->private.path)) == 0 &&
            strstr(line, "error"))
            found = line + strlen(folder->private.path) + 1;
    }
    if (file)
        fclose(file);
    if (found)
        return msl_host_fail(diagnostics, "clang++ refuses the MSL text: %s", found);
    *misfit = true;
    msl_host_fail(diagnostics, "clang++ fails, which msl-host needs: %s", first);
    if (diagnostics->count)
        diagnostics_hint(diagnostics, &diagnostics->items[diagnostics->count - 1],
                         "it needs memory, files that it may open, and room in '%s'",
                         private_folder_root());
    return false;
}

static bool write_files(const struct msl_folder *folder, const struct text *source)
{
    return private_folder_write(folder->files[FILE_STDLIB], metal_stdlib, sizeof metal_stdlib) &&
           private_folder_write(folder->files[FILE_ABI], msl_host_abi_h, sizeof msl_host_abi_h) &&
           private_folder_write(folder->files[FILE_SOURCE], source->items, source->count);
}

/* Runs clang++. What the folder cannot hold or run sets *misfit. */
static bool build(const struct msl_folder *folder, const struct text *source, bool *misfit,
                  struct diagnostics *diagnostics)
{
    char compiler[4096];
    struct statvfs system;
    if (!find_compiler(compiler, sizeof compiler))
        return msl_host_fail(diagnostics, "msl-host needs clang++-19, which is not in PATH");
    bool known = statvfs(folder->private.path, &system) == 0;
    *misfit = true;
    if (known && system.f_flag & ST_NOEXEC)
        return folder_fails(diagnostics, "code may not run");
    if (!write_files(folder, source))
        return folder_fails(diagnostics, "cannot write");
    if (spawn(compiler, folder))
        return !(*misfit = false);
    if (known && statvfs(folder->private.path, &system) == 0 && system.f_bavail == 0)
        return folder_fails(diagnostics, "no space is left");
    *misfit = false;
    return report_messages(folder, misfit, diagnostics);
}

/* ---- Loading --------------------------------------------------------------------------------- */

bool msl_host_load(struct msl_host_program *program, const char *path,
                   struct diagnostics *diagnostics)
{
    program->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!program->library)
        return msl_host_fail(diagnostics, "cannot load the compiled MSL: %s", dlerror());
    program->hooks = dlsym(program->library, "msl_host_hooks_now");
    void (*bounds)(char *[2]) = (void (*)(char *[2]))dlsym(program->library, "msl_host_shared");
    bool complete = program->hooks && bounds;
    program->code = ARENA_ARRAY(&program->arena, msl_kernel_code *, program->source.count);
    for (size_t i = 0; i < program->source.count; i++) {
        char symbol[512];
        snprintf(symbol, sizeof symbol, "msl_host_kernel_%s", program->source.items[i].name);
        program->code[i] = (msl_kernel_code *)dlsym(program->library, symbol);
        complete = complete && program->code[i];
    }
    if (!complete)
        return msl_host_fail(diagnostics, "the compiled MSL lacks a symbol");
    bounds(program->shared);
    return true;
}

struct compiling {
    struct msl_host_program *program;
    const char *text;
    size_t length;
    struct diagnostics said; /* in the program's arena, so that a failure ends at its guard */
    bool compiled, misfit;
    struct msl_folder folder;
};

static bool compile(struct compiling *c)
{
    struct msl_folder *folder = &c->folder;
    struct msl_host_program *program = c->program;
    if (!msl_source_read(&program->source, c->text, c->length, &program->arena, &c->said))
        return false;
    if (!make_folder(folder)) {
        char what[200];
        snprintf(what, sizeof what, "cannot make a folder (%s)", strerror(errno));
        c->misfit = true;
        return folder_fails(&c->said, what);
    }
    return build(folder, &program->source.text, &c->misfit, &c->said) &&
           msl_host_load(program, folder->files[FILE_LIBRARY], &c->said);
}

static void compile_guarded(void *user)
{
    struct compiling *compiling = user;
    compiling->compiled = compile(compiling);
}

static void repeat(const struct diagnostics *said, struct diagnostics *diagnostics)
{
    for (size_t i = 0; i < said->count; i++) {
        const struct diagnostic *d = &said->items[i];
        struct diagnostic *added =
            diagnostics_add(diagnostics, d->kind, d->range, "%s", d->message);
        if (d->hint)
            diagnostics_hint(diagnostics, added, "%s", d->hint);
    }
}

struct msl_host_program *msl_host_compile(const char *text, size_t length, bool trusted,
                                          bool *misfit, struct diagnostics *diagnostics)
{
    if (misfit)
        *misfit = false;
    if (!trusted) {
        msl_host_fail(diagnostics, "the MSL text is not this compiler's: it runs as native code, "
                                   "so that it must be trusted explicitly");
        return NULL;
    }
    struct msl_host_program *program = calloc(1, sizeof *program);
    if (program) {
        arena_init(&program->arena, allocator_default, NULL);
        struct compiling compiling = {.program = program, .text = text, .length = length};
        diagnostics_init(&compiling.said, &program->arena);
        bool finished = guard_run(&program->arena, compile_guarded, &compiling);
        private_folder_remove(&compiling.folder.private, files, FILE_COUNT);
        if (finished) {
            if (misfit)
                *misfit = compiling.misfit;
            repeat(&compiling.said, diagnostics);
            if (compiling.compiled)
                return program;
            msl_host_free(program);
            return NULL;
        }
    }
    msl_host_free(program);
    msl_host_fail(diagnostics, "no memory to compile MSL");
    return NULL;
}

size_t msl_host_shared_bytes(const struct msl_host_program *program)
{
    return (size_t)(program->shared[1] - program->shared[0]);
}

void msl_host_free(struct msl_host_program *program)
{
    if (!program)
        return;
    if (program->library)
        dlclose(program->library);
    arena_free(&program->arena);
    free(program);
}
