/* Finding the file that contains code; see code_file.h. */
#define _GNU_SOURCE
#include "base/code_file.h"

#include <dlfcn.h>
#include <libgen.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What the system mapped the code from, whatever name it was asked for by. */
static bool mapped_file(const void *code, char path[PATH_MAX])
{
    char line[PATH_MAX + 128];
    const uintptr_t at = (uintptr_t)code;
    FILE *maps = fopen("/proc/self/maps", "re");
    bool found = false;
    while (maps && !found && fgets(line, sizeof line, maps)) {
        unsigned long begin, end;
        int name = 0;
        if (sscanf(line, "%lx-%lx %*s %*s %*s %*s %n", &begin, &end, &name) < 2 || !name ||
            at < begin || at >= end)
            continue;
        line[strcspn(line, "\n")] = '\0';
        found = realpath(line + name, path) != NULL;
    }
    if (maps)
        fclose(maps);
    return found;
}

bool code_file(const void *code, char path[PATH_MAX])
{
    Dl_info information;
    if (dladdr(code, &information) && information.dli_fname && information.dli_fname[0] == '/' &&
        realpath(information.dli_fname, path))
        return true;
    return mapped_file(code, path);
}

bool code_module(const void *code, const char *name, char path[PATH_MAX])
{
    static const char *const places[] = {"", TILEC_MODULE_FOLDER "/"};
    char own[PATH_MAX];
    struct stat information;
    if (!code_file(code, own))
        return false;
    const char *folder = dirname(own);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        int length = snprintf(path, PATH_MAX, "%s/%s%s", folder, places[i], name);
        if (length > 0 && length < PATH_MAX && stat(path, &information) == 0)
            return true;
    }
    return false;
}
