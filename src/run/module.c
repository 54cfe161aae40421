/*
 * Finding the CPU backend, and the functions that compiled kernels may call; see run.h.
 *
 * The backend lies where base/code_file.h says. Nothing else is searched: a library path from the
 * environment would let others choose the code that runs.
 */
#define _GNU_SOURCE
#include "base/code_file.h"
#include "run/run.h"

#include <dlfcn.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char module_name[] = "libtilec-cpu.so";

/* An address in the library. */
static const void *own_code(void)
{
    return (const void *)(uintptr_t)own_code;
}

static const struct cpu_module *open_module(const char *path, char *why, size_t size,
                                            const char **hint)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        snprintf(why, size, "%s", dlerror());
        *hint = "it is there, and the system does not load it: too little memory ('ulimit -v'), or "
                "a library that it needs is gone; the target 'interp' needs none of it";
        return NULL;
    }
    /* Never closed: LLVM does not survive being loaded twice. */
    const struct cpu_module *(*get)(void);
    *(void **)&get = dlsym(library, "tilec_cpu_module");
    const struct cpu_module *module = get ? get() : NULL;
    if (module && module->version == CPU_MODULE_VERSION && module->fit() == cpu_module_fit())
        return module;
    snprintf(why, size, "'%s' belongs to another version of tilec", path);
    return NULL;
}

const struct cpu_module *run_open_cpu_module(char *why, size_t size, const char **hint)
{
    char path[PATH_MAX];
    *hint = "build tilec with LLVM 19 (-DTILEC_CPU=ON), or use the target 'interp'";
    if (code_module(own_code(), module_name, path))
        return open_module(path, why, size, hint);
    snprintf(why, size, "%s is not installed beside the tilec library", module_name);
    return NULL;
}

/* Mixes in when a file was made and how long it is; a file that is not there adds nothing. */
static uint64_t mix_file(uint64_t id, const char *path)
{
    struct stat s;
    if (stat(path, &s) != 0)
        return id;
    const uint64_t parts[] = {(uint64_t)s.st_size, (uint64_t)s.st_ino, (uint64_t)s.st_dev,
                              (uint64_t)s.st_mtim.tv_sec, (uint64_t)s.st_mtim.tv_nsec};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        id = (id ^ parts[i]) * 0x9e3779b97f4a7c15u + (id >> 29);
    return id;
}

uint64_t run_build_id(void)
{
    char path[PATH_MAX];
    uint64_t id = code_file(own_code(), path) ? mix_file(1, path) : 0;
    return code_module(own_code(), module_name, path) ? mix_file(id, path) : id;
}

/* ---- functions for compiled kernels ---------------------------------------------------------- */

struct function {
    const char *name;
    void (*address)(void);
};

#define FUNCTION(name) {#name, (void (*)(void))name},
static const struct function functions[] = {
#include "run/functions.def"
};
#undef FUNCTION

void *run_resolve(void *user, const char *name)
{
    (void)user;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].name, name) == 0)
            return *(void **)(uintptr_t)&functions[i].address;
    return NULL;
}
