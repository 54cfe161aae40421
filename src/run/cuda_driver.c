/* NVIDIA's driver; see cuda_driver.h. */
#define _GNU_SOURCE
#include "run/cuda_driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void *open_library(void)
{
    static const char *const names[] = {"libcuda.so.1", "libcuda.so"};
    const char *given = getenv("TILEC_CUDA_DRIVER");
    void *library = given ? dlopen(given, RTLD_NOW | RTLD_LOCAL) : NULL;
    for (size_t i = 0; !given && !library && i < sizeof names / sizeof *names; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return library;
}

int cuda_driver_open(struct cuda_driver *driver, char *why, size_t size)
{
    const char *missing = NULL;
    void *library = open_library();
    if (!library) {
        snprintf(why, size, "NVIDIA's driver (libcuda.so.1) is not installed");
        return 0;
    }
#define FIND(name, symbol, parameters)                                                             \
    *(void **)&driver->name = dlsym(library, #symbol);                                             \
    missing = driver->name ? missing : #symbol;
    CUDA_FUNCTIONS(FIND)
#undef FIND
    if (missing) {
        snprintf(why, size, "NVIDIA's driver has no function %s: it is older than version 12",
                 missing);
        return 0;
    }
    int failed = driver->init(0);
    const char *text = NULL;
    if (failed && driver->error_string(failed, &text) == 0 && text)
        snprintf(why, size, "NVIDIA's driver does not start: %s", text);
    else if (failed)
        snprintf(why, size, "NVIDIA's driver does not start: error %d", failed);
    return !failed;
}
