/*
 * Finding the CPU backend, and the functions that compiled kernels may call; see run.h.
 *
 * The backend lies beside the library (or program) that contains this code when it was just built,
 * and in tilec/ beside it when installed. Nothing else is searched: a library path from the
 * environment would let others choose the code that runs.
 */
#define _GNU_SOURCE
#include "run/run.h"

#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const module_places[] = {"libtilec-cpu.so", "tilec/libtilec-cpu.so"};
enum { MODULE_PLACES = sizeof module_places / sizeof *module_places };

/* The file that the system mapped this code from, whatever name it was asked for by. */
static bool mapped_file(char path[PATH_MAX])
{
    char line[PATH_MAX + 128];
    const uintptr_t self = (uintptr_t)mapped_file;
    FILE *maps = fopen("/proc/self/maps", "re");
    bool found = false;
    while (maps && !found && fgets(line, sizeof line, maps)) {
        unsigned long begin, end;
        int name = 0;
        if (sscanf(line, "%lx-%lx %*s %*s %*s %*s %n", &begin, &end, &name) < 2 || !name ||
            self < begin || self >= end)
            continue;
        line[strcspn(line, "\n")] = '\0';
        found = realpath(line + name, path) != NULL;
    }
    if (maps)
        fclose(maps);
    return found;
}

/* The file that contains this code, absolute; false when the system does not say. A name that is
 * relative was so for the folder in which the program started (or, of a program found through PATH,
 * for none): in the folder of the day it may be somebody else's file, and the backend beside that
 * somebody else's code. */
static bool own_file(char path[PATH_MAX])
{
    Dl_info information;
    if (dladdr((void *)(uintptr_t)own_file, &information) && information.dli_fname &&
        information.dli_fname[0] == '/' && realpath(information.dli_fname, path))
        return true;
    return mapped_file(path);
}

/* The backend's file at place i; false when that would be too long. */
static bool module_path(int i, char path[PATH_MAX])
{
    char own[PATH_MAX];
    if (!own_file(own))
        return false;
    int length = snprintf(path, PATH_MAX, "%s/%s", dirname(own), module_places[i]);
    return length > 0 && length < PATH_MAX;
}

static const struct cpu_module *open_module(const char *path, char *why, size_t size)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        snprintf(why, size, "%s", dlerror());
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

const struct cpu_module *run_open_cpu_module(char *why, size_t size)
{
    char path[PATH_MAX];
    struct stat information;
    for (int i = 0; i < MODULE_PLACES; i++)
        if (module_path(i, path) && stat(path, &information) == 0)
            return open_module(path, why, size);
    snprintf(why, size, "libtilec-cpu.so is not installed beside the tilec library");
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
    uint64_t id = own_file(path) ? mix_file(1, path) : 0;
    for (int i = 0; i < MODULE_PLACES; i++)
        if (module_path(i, path))
            id = mix_file(id, path);
    return id;
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
