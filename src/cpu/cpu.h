#ifndef TILEC_CPU_CPU_H
#define TILEC_CPU_CPU_H
/*
 * The CPU backend: Tile IR -> LLVM IR -> an ELF object in memory, or several that make up one.
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
 * runs programs begin <= id < end of the launch, id = x + grid[0] * (y + grid[1] * z), in no order
 * that counts (together.c).
 * arguments[i] holds parameter i: a pointer, or a scalar's element bits zero-extended. scratch is
 * 64-byte aligned, scratch_bytes long and one per thread. It calls nothing but libm functions and
 * memcpy/memset/memmove; the loader resolves those.
 *
 *   void NAME.grid(const uint64_t *scalars, int64_t grid[3]);        host function, if any
 *   int32_t NAME.require(const uint64_t *scalars);  first launch requirement that fails, or -1;
 *                                                   if there are any
 *   void NAME.needs(const uint64_t *inputs, int64_t *needed);   host function kernel->needs, if any
 *
 * inputs of needs: the scalars, then the grid's three sizes; needed: one number per pointer
 * parameter. tile_assert and tile_print call through the hooks (below), whose address stands in the
 * eight bytes in front of scratch; scratch is valid even when scratch_bytes is 0.
 */
#include "cpu/features.h"
#include "ir/ir.h"

enum { CPU_VARIANT_NO_OVERLAP = 1, CPU_VARIANT_STREAMING = 2, CPU_VARIANT_COUNT = 4 };

struct cpu_options {
    const char *level;      /* "native", "x86-64-v3", "x86-64-v4", "aarch64", ... */
    unsigned variants;      /* bit v set: make variant v; 1 at least */
    bool relaxed;           /* fast math allowed */
    const char *symbol;     /* prefix of the symbols instead of the kernel's name, or NULL */
    bool alone;             /* the variants alone: the host functions are made already */
    int threads;            /* that may make code; 0: and it is to be one object (parts.c) */
    /* How to fetch, instead of as the level's processors like it, or NULL: so that tests see every
     * way on any machine. */
    const enum cpu_fetching *fetching;
    bool spoils; /* tiles that nothing wants any more are overwritten: for tests */
};

/* How the programs of a launch follow one another. */
enum cpu_order {
    CPU_ORDER_ALONE,        /* one after the other */
    CPU_ORDER_SIDE_BY_SIDE, /* two at a time, op by op (together.c) */
    CPU_ORDER_BEHIND,       /* the stores of one in the loops of the next (behind.c) */
    CPU_ORDER_PRODUCT,      /* a range of them as one matrix product (matrix.h) */
};

/* What not every kernel's code has: tests count who takes it. */
enum cpu_path {
    CPU_PATH_SIDE_BY_SIDE, /* together.c */
    CPU_PATH_BEHIND,       /* behind.c */
    CPU_PATH_LEAD,         /* lead.c */
    CPU_PATH_SQUARES,      /* squares.c */
    CPU_PATH_NEAR,         /* spread.c: a loop for tiles near their maxima */
    CPU_PATH_PAIRS,        /* pairs.c */
    CPU_PATH_PAST,         /* stream.c: stores past the caches, */
    CPU_PATH_SHIFTED,      /* shifted to where they may go, */
    CPU_PATH_AHEAD,        /* and lines fetched that the next program will load, */
    CPU_PATH_EARLY,        /* in two nests, */
    CPU_PATH_PAGES,        /* and of the pages that it will store to */
    CPU_PATH_INTS,         /* lanes.c: addresses that are a scalar and ints */
    CPU_PATH_CLOSE,        /* close.c */
    CPU_PATH_COUNT
};

struct cpu_stats {          /* for reports */
    int vector_bytes;       /* widest native vector used */
    int64_t scratch_bytes;  /* per thread */
    int64_t apart_bytes;    /* so many if no tiles shared them (share.c) */
    unsigned variants;      /* made */
    unsigned differs;       /* bits of a variant's number that would make other code */
    enum cpu_order order;   /* of the last variant that was made */
    unsigned paths;         /* bits by enum cpu_path, of all variants that were made */
};

/* Provided by who launches the kernel. Called by several threads at once. */
struct cpu_hooks {
    /* A tile_assert that does not hold, once per program and place. id as above. */
    void (*failed)(const struct cpu_hooks *hooks, const char *text, int64_t id);
    /* tile_print. elements: those of the value in row-major order, each in its size in memory. */
    void (*print)(const struct cpu_hooks *hooks, const char *text, int64_t id, int32_t elem,
                  int32_t rank, const int32_t *dims, const void *elements);
};

enum { CPU_MOST_OBJECTS = 8 };

/* Objects lie one behind the other, and what one calls is in those before it. They are the same
 * whatever the number of threads. */
struct cpu_output {
    void *bytes; /* allocated with malloc; the caller frees */
    size_t size;
    int object_count; /* 1 for the other formats */
    size_t object_sizes[CPU_MOST_OBJECTS];
    struct cpu_stats stats;
};

/* In CPU_LLVM_IR every function carries the attributes target-cpu and target-features, so that
 * modules for several levels can be linked into one. */
enum cpu_format { CPU_OBJECT, CPU_ASSEMBLY, CPU_LLVM_IR };

/* One object from several modules of LLVM IR. Only what `wrapper` defines stays visible outside. */
struct cpu_link {
    int module_count;
    const char *const *modules; /* texts that compile gave, with different symbols */
    const char *wrapper;        /* text of a module that calls into them */
};

struct cpu_module {
    int version;           /* CPU_MODULE_VERSION: that this struct is as it stands here */
    uint64_t (*fit)(void); /* cpu_module_fit of its build */
    /* Compiles the kernel (already optimised by opt_run). False with diagnostics. Thread-safe. */
    bool (*compile)(const struct ir_kernel *kernel, const struct cpu_options *options,
                    enum cpu_format format, struct arena *arena, struct diagnostics *diagnostics,
                    struct cpu_output *output);
    /* Makes an object for ahead-of-time use (aot.c). */
    bool (*link)(const struct cpu_link *link, struct arena *arena, struct diagnostics *diagnostics,
                 struct cpu_output *output);
};

enum { CPU_MODULE_VERSION = 3 };

/* fit.c: a number that two builds share only if they mean the same by what crosses this border. The
 * module of another build lies where the library's own was once one was installed over the other
 * while a process runs. */
uint64_t cpu_module_fit(void);

const struct cpu_module *tilec_cpu_module(void);

#endif
