#ifndef TILEC_PLAN_GPU_H
#define TILEC_PLAN_GPU_H
/*
 * Planning for GPU targets: how many threads run a program, and how wide accesses are. A plan is
 * made before anything is lowered, says why it is as it is, and does not change.
 */
#include "ir/ir.h"

enum { GPU_LANES = 32, GPU_LANE_BITS = 5 }; /* on every target */
enum { GPU_MOST_BLOCKS = 32 };              /* that share a program */
enum { GPU_CROWD = 8192 }; /* programs, from which on blocks of several are worth it */

/* A row of a table: accesses of a tile that a thread makes, of up to so many elements; 0: of any
 * number, which ends the table. */
struct gpu_loads {
    int64_t most_elements;
    int each;
};

enum gpu_backend {
    GPU_BACKEND_ELEMENTWISE,
    GPU_BACKEND_SIMDGROUP,
    GPU_BACKEND_MMA,
    GPU_BACKEND_SCALAR,
    GPU_BACKEND_FMA /* fused multiply-adds of each thread, with registers for a part of the result */
};

/* Where fragments of the operands of a product come from. */
enum gpu_staging { GPU_STAGING_DEVICE, GPU_STAGING_THREADGROUP };

/* In which order programs take the tiles of a two-dimensional grid. */
enum gpu_swizzle {
    GPU_SWIZZLE_LINEAR,
    GPU_SWIZZLE_GROUPED,
    GPU_SWIZZLE_DIAGONAL,
    GPU_SWIZZLE_MORTON,
    GPU_SWIZZLE_HILBERT
};

/* What a device can do, as far as the compiler must know. */
struct gpu_target {
    const char *name;    /* for messages: "msl", "cuda" */
    const char *arch;    /* "sm_90a"; NULL where there is only one */
    int most_threads;    /* of a program */
    int shared_bytes;    /* threadgroup memory of a program */
    int exchange_bytes;  /* of it, what one exchange between threads takes at most; 0: all */
    int most_registers;  /* elements of one tile that a thread may hold */
    int usual_registers; /* words of one tile that a thread of a full block holds without spilling
                            others; 0: not known */
    int cluster_blocks;  /* most blocks that may run a program together; 0: one */
    int vector_elements; /* most elements of a vector access */
    int vector_bytes;    /* most bytes of a vector access */
    bool packed_vectors; /* vectors may stand at any element; false: at multiples of their size */
    const struct gpu_loads *loads; /* how a tile is shared out (gpu/shape.c); NULL: as planned */
    int most_partials; /* of a reduction that each thread adds up itself; more are shared out */
    int few_groups;    /* so few that lanes leave partial results, too, up to most_partials in all */
    bool predicates;  /* an access may be left out without a branch */
    bool host_floats; /* quotients and roots round as on the host, which may compute them for it */
    bool has_f64;
    bool async_copies; /* from a buffer into threadgroup memory, of 4, 8 or 16 bytes */
    bool warpgroups;   /* four SIMD groups may multiply together, of half and bfloat in threadgroup
                          memory */
    enum gpu_backend matrices; /* that has instructions for products; ELEMENTWISE: none */
    int deep_groups; /* SIMD groups that share a product whose tile is deep; 0: depth changes nothing */
    /* Of a multiprocessor, where it is known: what all programs on it have at once. */
    int resident_threads, resident_shared_bytes, resident_registers, most_blocks;
    /* Of rows that are read whole, what a multiprocessor should have on the way at most; 0: not
     * known. Numbers of barriers see to that: it has so many for all of its programs, of which each
     * takes all up to the highest that it uses, program_barriers at most. */
    int row_bytes, resident_barriers, program_barriers;
    bool fetches;    /* has an instruction that only fetches into the second-level cache */
    int fetch_bytes; /* how much programs read between one and the one it should fetch for; 0: not
                        known */
    bool part_barriers; /* that a part of a block's threads meet at, so that it may run several
                           programs */
};

extern const struct gpu_target gpu_target_msl;

/* Measured on an H200: rows of softmax and RMSNorm, where one size off cost up to 35%. */
extern const struct gpu_loads gpu_loads_nvidia[];

/* Of an NVIDIA architecture, "sm_80" or "sm_90a"; one that is newer than all known ones is taken for
 * the newest. NULL: older than sm_80, or no architecture. */
const struct gpu_target *gpu_target_cuda(const char *arch);

/* An integer parameter of which the launch's value is known so far. */
struct gpu_known_range {
    bool known;
    int parameter;
    int64_t least, most;
};

/* So many that most multiprocessors of a large device have two. */
enum { GPU_MANY_PROGRAMS = 256 };

struct gpu_plan {
    const struct gpu_target *target;
    enum gpu_backend backend;
    int threads;      /* of a program; a power of two from 32 on */
    int groups;       /* SIMD groups: threads / 32 */
    int blocks;       /* that share these evenly (gpu/cluster.h) */
    int programs;     /* that a block runs, each with threads, barriers and memory of its own */
    bool required_programs;
    bool crowd;       /* a launch is known to have GPU_CROWD programs or more along x */
    bool minds_crowd; /* it would be another plan if that were not, or were, known */
    int long_launch;  /* programs from which on it would be another plan; 0: it would not */
    bool is_long;     /* a launch is known to have so many */
    /* For which program one fetches what that will load: so many places further on; or so many bytes
     * of what programs read. 0, 0: for none. */
    int fetch_ahead, fetch_bytes;
    bool required_fetch;
    bool late_release; /* only a launch's last programs let the next one start before their end */
    bool meets_twice; /* for a mean and for distances from it (gpu/squares.c) */
    bool cluster;     /* they are a cluster, which reductions may cross */
    bool one_block;   /* whatever the tiles are */
    int vector_width; /* elements that a thread accesses at once where addresses allow it; 1: never
                       */
    bool required_width; /* vector_width was required: accesses must have it */
    bool plain_loads; /* of arrays that are only read, too: what is read-only the target's compiler
                         moves */
    int resident; /* programs that registers should allow a multiprocessor at once; 0: not said */
    int most_resident; /* programs that a multiprocessor should run at once at most; 0: any number */
    int open_threads; /* the number of threads may still change: 1 + its reason's number; 0: not */
    /* Parameters (bit i: number i) that are known to be multiples of 16: addresses in bytes,
     * integers as numbers. */
    uint64_t aligned;
    struct gpu_known_range bound; /* see gpu/bound.h */
    bool hoists; /* launches compute what hangs on their scalars alone: gpu_kernel's prologue */
    bool short_arrays; /* every array is known to have at most 2^31 elements */
    bool many_programs;  /* a launch is known to have GPU_MANY_PROGRAMS or more */
    bool minds_programs; /* it would be another plan if that were not, or were, known */
    bool overlaps;     /* launches may begin while the one before ends */
    bool folds_grid;   /* the grid is launched along its first axis; see gpu/fold_grid.c */
    bool relaxed;
    struct ir_type tile; /* the kernel's largest; a scalar where there is none */
    /* Of products of matrices (backend SIMDGROUP, MMA or FMA). */
    enum gpu_staging staging;
    bool required_staging;
    int stages; /* of the pipeline that stages operands; 1: none */
    bool required_stages;
    bool async; /* copies of operands are asynchronous where they can */
    int group_rows; /* SIMD groups along the rows of a product; 0: as square as can be */
    int split;      /* sets of SIMD groups that share the inner axis of a product; 1: none do */
    bool required_split;
    enum gpu_swizzle swizzle;
    int reason_count;
    const char **reasons; /* for the report: "256 threads: 4 of 1024 elements each" */
};

/* Whether instructions, or each thread by multiply-adds, do the kernel's products. */
static inline bool gpu_has_products(const struct gpu_plan *plan)
{
    return plan->backend == GPU_BACKEND_SIMDGROUP || plan->backend == GPU_BACKEND_MMA ||
           plan->backend == GPU_BACKEND_FMA;
}

extern const char *const gpu_backend_names[];
extern const char *const gpu_staging_names[];
extern const char *const gpu_swizzle_names[];

/* From the kernel's tiles and requirements. NULL and errors where a requirement, or the kernel
 * itself, asks for what the target does not have. kernel: as the front end made it, or optimised.
 */
struct gpu_plan *plan_gpu(const struct ir_kernel *kernel, const struct gpu_target *target,
                          bool relaxed, struct arena *arena, struct diagnostics *diagnostics);

/* A copy with room for three more reasons. */
struct gpu_plan *gpu_plan_copy(const struct gpu_plan *plan, struct arena *arena);

/* Lets a block run so many programs: from then on the plan's target is what each of them has of
 * one. */
void gpu_plan_share_block(struct gpu_plan *plan, int programs, struct arena *arena);

#endif
