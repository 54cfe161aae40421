#ifndef TILEC_CPU_CPU_H
#define TILEC_CPU_CPU_H
/*
 * The CPU backend: Tile IR -> LLVM IR -> an ELF object in memory.
 *
 * It is a module of its own (libtilec-cpu.so), loaded on the first cache miss, so that a cached
 * kernel starts without LLVM. The one exported symbol is tilec_cpu_module(); everything is reached
 * through the table it returns.
 *
 * What an object holds, for a kernel called NAME, per variant v (bit 0: buffers do not overlap,
 * bit 1: streaming stores):
 *
 *   void NAME.v(const uint64_t *arguments, const int64_t grid[3], int64_t begin, int64_t end,
 *               unsigned char *scratch);
 *
 * runs programs begin <= id < end of the launch, id = x + grid[0] * (y + grid[1] * z), in order.
 * arguments[i] holds parameter i: a pointer, or a scalar's element bits zero-extended. scratch is
 * 64-byte aligned, scratch_bytes long and one per thread. It calls nothing but libm functions and
 * memcpy/memset/memmove; the loader resolves those.
 *
 *   void NAME.grid(const uint64_t *scalars, int64_t grid[3]);        host function, if any
 *   int32_t NAME.require(const uint64_t *scalars);  first launch requirement that fails, or -1
 */
#include "ir/ir.h"

#include <stddef.h>

enum { CPU_VARIANT_NO_OVERLAP = 1, CPU_VARIANT_STREAMING = 2, CPU_VARIANT_COUNT = 4 };

struct cpu_options {
    const char *level;      /* "native", "x86-64-v3", "x86-64-v4", "aarch64", ... */
    unsigned variants;      /* bit v set: make variant v; 1 at least */
    bool relaxed;           /* fast math allowed */
    bool position_independent;
    const char *symbol;     /* prefix of the symbols instead of the kernel's name, or NULL */
};

struct cpu_stats { /* read off the final code, for reports */
    int vector_bytes;       /* widest native vector used */
    int64_t scratch_bytes;  /* per thread */
    unsigned variants;      /* made */
};

struct cpu_output {
    void *bytes; /* allocated with malloc; the caller frees */
    size_t size;
    struct cpu_stats stats;
};

enum cpu_format { CPU_OBJECT, CPU_ASSEMBLY, CPU_LLVM_IR };

struct cpu_module {
    int version; /* CPU_MODULE_VERSION */
    /* Compiles the kernel (already optimised by opt_run). False with diagnostics. Thread-safe. */
    bool (*compile)(const struct ir_kernel *kernel, const struct cpu_options *options,
                    enum cpu_format format, struct arena *arena, struct diagnostics *diagnostics,
                    struct cpu_output *output);
};

enum { CPU_MODULE_VERSION = 1 };

const struct cpu_module *tilec_cpu_module(void);

#endif
