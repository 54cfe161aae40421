#ifndef TILEC_TESTS_CPU_HARNESS_H
#define TILEC_TESTS_CPU_HARNESS_H
/* Compiles Tile IR with the CPU backend, loads the object and runs it. */
#include "cpu/cpu.h"
#include "cpu/features.h"
#include "run/elf.h"
#include "run/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Levels that this machine runs, narrow ones first; NULL-terminated. */
static const char *const *harness_levels(void)
{
    static const char *const all[] = {"generic", "x86-64-v3", "native"};
    static const char *usable[4];
    int count = 0;
    struct cpu_features host;
    struct cpu_level level;
    cpu_features_detect(&host);
    for (int i = 0; i < 3; i++) {
        if (cpu_level_find(all[i], &level) && cpu_features_cover(&host, &level.features))
            usable[count++] = all[i];
    }
    usable[count] = NULL;
    return usable;
}

struct harness_way {
    const char *level;
    const enum cpu_fetching *fetching; /* see cpu.h */
    unsigned variant;
    int64_t share; /* so many programs in a call */
};

/* NULL, or why it does not work. */
static const char *harness_run_way(const struct ir_kernel *kernel, const struct harness_way *way,
                                   const uint64_t *arguments, const int64_t *grid,
                                   const struct cpu_hooks *hooks, struct arena *arena,
                                   struct diagnostics *diagnostics)
{
    struct cpu_options options = {.level = way->level,
                                  .variants = 1u << way->variant,
                                  .symbol = "k",
                                  .fetching = way->fetching};
    struct cpu_output output;
    if (!tilec_cpu_module()->compile(kernel, &options, CPU_OBJECT, arena, diagnostics, &output))
        return "it does not compile";
    struct elf_load load = {.allocator = allocator_default, .resolve = run_resolve};
    struct elf_image *image = elf_load(&load, output.bytes, output.size);
    free(output.bytes);
    if (!image)
        return load.why;
    char name[] = "k.0";
    name[2] = (char)('0' + way->variant);
    run_code *run = (run_code *)elf_symbol(image, name);
    if (!run)
        return "it lacks the variant's symbol";
    size_t bytes = (size_t)output.stats.scratch_bytes;
    unsigned char *block = aligned_alloc(64, bytes + 128);
    memset(block, 0xa5, bytes + 128); /* a NaN or a large number where nothing was written */
    memcpy(block + 56, &hooks, sizeof hooks);
    int64_t programs = grid[0] * grid[1] * grid[2];
    for (int64_t from = 0; from < programs; from += way->share) {
        int64_t to = programs - from < way->share ? programs : from + way->share;
        run(arguments, grid, from, to, block + 64);
    }
    free(block);
    elf_unload(image);
    return NULL;
}

/* The same in two calls. */
static inline const char *harness_run(const struct ir_kernel *kernel, const char *level,
                                      unsigned variant, const uint64_t *arguments,
                                      const int64_t *grid, const struct cpu_hooks *hooks,
                                      struct arena *arena, struct diagnostics *diagnostics)
{
    int64_t programs = grid[0] * grid[1] * grid[2];
    struct harness_way way = {.level = level, .variant = variant, .share = (programs + 1) / 2};
    return harness_run_way(kernel, &way, arguments, grid, hooks, arena, diagnostics);
}

#endif
