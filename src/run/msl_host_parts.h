#ifndef TILEC_RUN_MSL_HOST_PARTS_H
#define TILEC_RUN_MSL_HOST_PARTS_H
/* What the files of msl-host share. */
#include "run/msl/msl_host_abi.h"
#include "run/msl_host.h"

/* ---- msl_host_source.c: MSL text -> C++ text and a list of kernels --------------------------- */

struct msl_kernel {
    const char *name;
    const char *buffers[MSL_HOST_BUFFERS]; /* names of parameters by index; NULL: not used */
    const char *types[MSL_HOST_BUFFERS];   /* as written: "device const half *" */
};

struct msl_source {
    struct text text; /* C++ for the host: MSL's lines are its first lines */
    struct msl_kernel *items;
    size_t count, capacity;
};

/* False with errors in diagnostics. */
bool msl_source_read(struct msl_source *source, const char *text, size_t length,
                     struct arena *arena, struct diagnostics *diagnostics);

/* ---- msl_host_compile.c ---------------------------------------------------------------------- */

typedef void msl_kernel_code(void *const *buffers, const struct msl_host_place *place);

struct msl_host_program {
    struct arena arena;
    struct msl_source source;
    void *library;
    msl_kernel_code **code;              /* per kernel */
    const struct msl_host_hooks **hooks; /* where the library looks for them */
    char *shared[2];                     /* bounds of the threadgroup variables */
};

/* Loads what clang++ made of program->source. */
bool msl_host_load(struct msl_host_program *program, const char *path,
                   struct diagnostics *diagnostics);

/* An error without a place. Returns false. */
bool msl_host_fail(struct diagnostics *diagnostics, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- msl_host_memory.c: what every access is checked against --------------------------------- */

enum { MSL_SPACE_DEVICE, MSL_SPACE_SHARED, MSL_SPACE_COUNT };

/* Who accesses, and when: the clocks count the barriers that order this kind of memory. */
struct msl_thread {
    uint32_t group;                          /* of the grid, from 1 */
    uint32_t thread;                         /* in the threadgroup */
    uint32_t barriers[MSL_SPACE_COUNT];      /* threadgroup barriers so far */
    uint32_t simd_barriers[MSL_SPACE_COUNT]; /* those, and barriers of its SIMD group */
};

struct msl_region;

struct msl_memory {
    unsigned char *slots; /* device buffers: one in the middle of each slot, the rest unmapped */
    size_t slots_bytes, slot_bytes; /* all of them, each */
    size_t count;
    struct msl_region *regions; /* count buffers, then the threadgroup variables */
    size_t owners[MSL_HOST_BUFFERS]; /* by buffer: whose region its bytes are in */
    const struct msl_kernel *kernel;
    const void *library; /* any address in it */
};

/* Copies the buffers in. False: no memory. */
bool msl_memory_open(struct msl_memory *memory, const struct msl_host_program *program,
                     const struct msl_kernel *kernel, const struct msl_host_launch *launch);
/* NULL: not bound */
void *msl_memory_buffer(const struct msl_memory *memory, const struct msl_host_launch *launch,
                        size_t index);
void msl_memory_write_back(const struct msl_memory *memory);
void msl_memory_close(struct msl_memory *memory);

/* Checks one access and remembers it. False with the reason in fault. */
bool msl_memory_access(struct msl_memory *memory, const struct msl_thread *thread,
                       const void *address, size_t size, size_t alignment,
                       enum msl_host_access kind, char *fault, size_t fault_size);

#endif
