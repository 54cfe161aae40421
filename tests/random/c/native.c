#define _GNU_SOURCE /* mkdtemp, dlopen */
/* Kernels as C, compiled and loaded; see native.h. */
#include "native.h"

#include "tests/random/kernel.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the language says of C: signed integers wrap, char is signed, each operation of half and
 * float rounds by itself and products fuse nowhere unasked. */
static const char flags[] = "-std=gnu2x -w -O0 -shared -fPIC -fwrapv -fno-strict-aliasing "
                            "-fsigned-char -ffp-contract=off -Itests/random/c/include";

static const char *half_flags(const char *compiler)
{
    return strstr(compiler, "clang") ? "-Xclang -ffloat16-excess-precision=none"
                                     : "-fexcess-precision=16";
}

static const char *bfloat_flags(const char *compiler)
{
    return strstr(compiler, "clang") ? "-DHAS_BFLOAT -Xclang -fbfloat16-excess-precision=none"
                                     : "-DHAS_BFLOAT";
}

/* One kernel, and the function that runs it on its whole grid. */
static void write_kernel(FILE *file, struct kernel *kernel)
{
    unsigned long long seed = kernel->seed;
    fprintf(file, "#define k kernel_%llu\n%s#undef k\n\n", seed, render_kernel(kernel));
    fprintf(file, "void run_%llu(void **arguments, const int64_t *grid)\n{\n", seed);
    fprintf(file, "    FOR_ALL_PROGRAMS(grid, %d) kernel_%llu(", kernel->tile, seed);
    int count = 0;
    for (int i = 0; i < kernel->parameter_count; i++) {
        const struct parameter *p = kernel->parameters[i];
        if (!p->used)
            continue;
        fputs(count ? ", " : "", file);
        if (p->kind == PARAMETER_SCALAR)
            fprintf(file, "*(const %s *)arguments[%d]", c_name(p->elem), count);
        else
            fprintf(file, "arguments[%d]", count);
        count++;
    }
    fputs(");\n}\n\n", file);
}

static void read_reason(struct native *native, const char *path)
{
    FILE *file = fopen(path, "r");
    size_t length = file ? fread(native->why, 1, sizeof native->why - 1, file) : 0;
    native->why[length] = '\0';
    if (file)
        fclose(file);
}

static void open_library(struct native *native, const char *compiler, bool bfloat,
                         struct kernel *const *kernels, uint64_t count)
{
    const char *temporary = getenv("TMPDIR");
    char folder[400], source[450], library[450], said[450], command[2000];
    *native = (struct native){.why = "no temporary folder"};
    snprintf(folder, sizeof folder, "%s/tilec-c-XXXXXX", temporary ? temporary : "/tmp");
    if (!mkdtemp(folder))
        return;
    snprintf(source, sizeof source, "%s/kernels.c", folder);
    snprintf(library, sizeof library, "%s/kernels.so", folder);
    snprintf(said, sizeof said, "%s/said", folder);
    FILE *file = fopen(source, "w");
    for (uint64_t i = 0; file && i < count; i++)
        write_kernel(file, kernels[i]);
    if (file)
        fclose(file);
    snprintf(command, sizeof command,
             "%s %s %s %s -include tilec/kernel.h -o '%s' '%s' -lm >'%s' 2>&1", compiler, flags,
             half_flags(compiler), bfloat ? bfloat_flags(compiler) : "", library, source, said);
    if (file && system(command) == 0)
        native->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    read_reason(native, said);
    unlink(source);
    unlink(library);
    unlink(said);
    rmdir(folder);
}

void native_open(struct native *native, const char *compiler, struct kernel *const *kernels,
                 uint64_t count)
{
    open_library(native, compiler, count > 0 && kernels[0]->bfloat, kernels, count);
}

static bool can_compile(const char *compiler, bool bfloat)
{
    struct native native;
    open_library(&native, compiler, bfloat, NULL, 0);
    bool available = native.library != NULL;
    native_close(&native);
    return available;
}

bool native_is_available(const char *compiler)
{
    return can_compile(compiler, false);
}

bool native_has_bfloat(const char *compiler)
{
    return can_compile(compiler, true);
}

native_kernel *native_find(const struct native *native, const struct kernel *kernel)
{
    char name[40];
    snprintf(name, sizeof name, "run_%" PRIu64, kernel->seed);
    void *found = native->library ? dlsym(native->library, name) : NULL;
    native_kernel *function;
    memcpy(&function, &found, sizeof function);
    return function;
}

void native_close(struct native *native)
{
    if (native->library)
        dlclose(native->library);
    native->library = NULL;
}
