/* What the GPUs can do: the one place where limits of devices are written down; see gpu.h. */
#include "plan/gpu.h"

#include <stdlib.h>
#include <string.h>

const struct gpu_target gpu_target_msl = {
    .name = "msl",
    .most_threads = 1024,
    .shared_bytes = 32768,
    .exchange_bytes = 32768,
    .most_registers = 1024,
    .vector_elements = 4,
    .vector_bytes = 16,
    .packed_vectors = true,
    .has_f64 = false,
    .matrices = GPU_BACKEND_SIMDGROUP,
};

const struct gpu_loads gpu_loads_nvidia[] = {{2048, 1}, {4096, 2}, {16384, 4}, {0, 8}};

/* shared: KiB that a program may have after opting in; threads, memory (KiB), blocks: of a
 * multiprocessor; cluster: blocks of one that every device of the kind takes; rows: KiB of them
 * that a multiprocessor should have on the way, ahead: KiB of them that should be fetched before
 * they are read, both measured on an H200 alone; teams: of SIMD groups multiply. */
#define NVIDIA(number, text, shared, threads, memory, blocks, cluster, rows, ahead, teams)         \
    {                                                                                              \
        number,                                                                                    \
        {                                                                                          \
            .name = "cuda", .arch = text, .most_threads = 1024, .shared_bytes = (shared) << 10,    \
            .exchange_bytes = 32768, .most_registers = 1024, .vector_elements = 16,                \
            .vector_bytes = 16, .loads = gpu_loads_nvidia, .most_partials = 16, .few_groups = 4,   \
            .has_f64 = true, .predicates = true, .host_floats = true, .async_copies = true,        \
            .deep_groups = 8, .matrices = GPU_BACKEND_MMA, .usual_registers = 32,                  \
            .cluster_blocks = cluster, .resident_threads = threads,                                \
            .resident_shared_bytes = (memory) << 10, .resident_registers = 65536,                  \
            .most_blocks = blocks, .row_bytes = (rows) << 10, .resident_barriers = 64,             \
            .program_barriers = 16, .fetches = true, .fetch_bytes = (ahead) << 10,                 \
            .part_barriers = true, .warpgroups = teams                                             \
        }                                                                                          \
    }

static const struct {
    int number;
    struct gpu_target target;
} nvidia[] = {
    NVIDIA(80, "sm_80", 163, 2048, 164, 32, 0, 0, 0, false),
    NVIDIA(86, "sm_86", 99, 1536, 100, 16, 0, 0, 0, false),
    NVIDIA(87, "sm_87", 163, 1536, 164, 16, 0, 0, 0, false),
    NVIDIA(89, "sm_89", 99, 1536, 100, 24, 0, 0, 0, false),
    NVIDIA(90, "sm_90a", 227, 2048, 228, 32, 8, 56, 4096, true),
    NVIDIA(90, "sm_90", 227, 2048, 228, 32, 8, 56, 4096, false),
    NVIDIA(100, "sm_100", 227, 2048, 228, 32, 8, 0, 0, false),
    NVIDIA(120, "sm_120", 99, 1536, 100, 24, 8, 0, 0, false),
};

const struct gpu_target *gpu_target_cuda(const char *arch)
{
    const struct gpu_target *found = NULL;
    char *end;
    if (strncmp(arch, "sm_", 3) != 0 || arch[3] < '1' || arch[3] > '9')
        return NULL;
    long number = strtol(arch + 3, &end, 10);
    if (*end && (end[1] || (*end != 'a' && *end != 'f')))
        return NULL;
    for (size_t i = 0; i < sizeof nvidia / sizeof *nvidia; i++) {
        if (strcmp(nvidia[i].target.arch, arch) == 0)
            return &nvidia[i].target;
        if (nvidia[i].number <= number)
            found = &nvidia[i].target;
    }
    return found;
}
