#ifndef TILEC_RUN_RUN_H
#define TILEC_RUN_RUN_H
/*
 * What the files of run/ share: the structs behind the public handles.
 *
 * Every public function that may fail has the same shape: check its pointers, run_enter (takes the
 * context's lock and forgets the last diagnostics), do the work, run_leave. Work that uses an arena
 * runs inside guard_run. Handles are allocated with the context's allocator and hold a reference to
 * the context, so that they may be destroyed in any order.
 */
#include "base/arena.h"
#include "base/diagnostics.h"
#include "cpu/cpu.h"
#include "cpu/features.h"
#include "gpu/gpu.h"
#include "ir/ir.h"
#include "lang/lang.h"
#include "opt/opt.h"
#include "run/elf.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#define TILEC_EXPERIMENTAL
#include <tilec/tilec.h>

/* ---- context.c, report.c --------------------------------------------------------------------- */

/* The diagnostics of the last call, as the public interface shows them. */
struct run_report {
    struct arena arena;
    tilec_diagnostic *items;
    size_t count;
};

/* One block of scratch memory per thread, kept between launches. */
struct run_scratch {
    unsigned char **blocks; /* each RUN_SCRATCH_FRONT bytes behind what was allocated, aligned */
    void **allocated;
    int count;
    size_t bytes; /* of each block */
};

struct tilec_context {
    struct allocator allocator;
    pthread_mutex_t lock;
    atomic_int references;
    int threads, most_threads;
    char *cache_directory;        /* NULL: nothing is cached */
    const struct cpu_module *cpu; /* loaded when first needed */
    const struct nvrtc *nvrtc;    /* likewise */
    struct run_cuda *cuda;        /* likewise */
    int device;                   /* number of the GPU */
    char cpu_text[320];           /* describes the CPU; see devices.c */
    char cuda_text[600];          /* the GPU */
    struct run_report report;
    struct run_scratch scratch; /* of tilec_launch, which holds the lock */
};

void run_enter(tilec_context *context);
/* Waits for the call that another thread is in: what it uses is not freed under it. For the public
 * functions that destroy; by the standard a mutex may be destroyed as soon as it was unlocked. */
void run_wait(tilec_context *context);
tilec_status run_leave(tilec_context *context, tilec_status status);
void run_context_retain(tilec_context *context);
void run_context_release(tilec_context *context);

/* Zeroed memory of the context's allocator, or NULL. */
void *run_allocate(tilec_context *context, size_t count, size_t size);
void run_free(tilec_context *context, void *memory);

void run_report_clear(tilec_context *context);
/* Copies what a stage found, so that neither its arena nor the sources need to live on. */
void run_report_add(tilec_context *context, const struct diagnostics *diagnostics);
void run_report_no_memory(tilec_context *context);
/* Adds an error without a place and returns status. hint may be NULL. */
tilec_status run_fail(tilec_context *context, tilec_status status, const char *hint,
                      const char *format, ...) __attribute__((format(printf, 4, 5)));
/* INVALID, of a function whose handle or result pointer is NULL, or whose array has no entries;
 * told where there is a context. Takes and gives back its lock. */
tilec_status run_misused(tilec_context *context);
/* For the usual "did you mean"; NULL when nothing is near. */
const char *run_did_you_mean(char *buffer, size_t size, const char *best);

bool run_is_struct_size(size_t size);
/* Copies the caller's options into ours, as many bytes as the caller knows; false if size is bad.
 */
bool run_read_options(void *ours, size_t our_size, const void *theirs);
#define RUN_READ_OPTIONS(ours, theirs) run_read_options((ours), sizeof *(ours), (theirs))

/* ---- program.c ------------------------------------------------------------------------------- */

struct run_files { /* every file that was read, the kernel file first */
    struct source_file **items;
    size_t count, capacity;
    int descriptor; /* 1 + that of the file that is being read; 0: none is */
};

struct tilec_program {
    tilec_context *context;
    atomic_int references;
    struct arena arena;
    struct source_file *file;
    struct run_files files;
    int define_count;
    struct lang_define *defines;
    bool tile_ir;
    struct lang_unit *unit;         /* NULL for Tile IR */
    struct ir_kernel *ir;           /* Tile IR: as read, for listing only; Metal: without code */
    struct metal_program *metal;    /* metal.c; NULL: no Metal source */
    struct diagnostics diagnostics; /* of the parser */
};

void run_program_release(tilec_program *program);
/* The same without the lock, for tilec_compile. */
tilec_status run_program_create(tilec_context *context, const tilec_source *source,
                                tilec_program **program);

/* ---- kernel.c -------------------------------------------------------------------------------- */

typedef void run_code(const uint64_t *arguments, const int64_t *grid, int64_t begin, int64_t end,
                      unsigned char *scratch);
typedef void run_grid_code(const uint64_t *scalars, int64_t *grid);
typedef int32_t run_require_code(const uint64_t *scalars);
typedef void run_needs_code(const uint64_t *inputs, int64_t *needed);

struct run_entry { /* a compiled kernel (entry.c) or an object file */
    const unsigned char *bytes;
    size_t size;
};

struct run_objects { /* what the kernel's code is loaded from, in this order */
    int count;
    struct run_entry items[CPU_MOST_OBJECTS];
};

struct run_parameter {
    const char *name;
    enum ir_elem elem;
    bool pointer, is_const, is_restrict;
    bool is_fixed;  /* a scalar; a launch with another value is refused */
    uint64_t fixed; /* its bits */
    bool is_read;   /* the kernel may read the buffer */
};

struct run_launch;

/* What a target does with a kernel and its launches. */
struct run_backend {
    const char *name;
    /* Grid and launch_require of the scalars; *failed: the first that does not hold, or -1. */
    tilec_status (*grid)(tilec_kernel *kernel, const uint64_t *scalars, int64_t grid[3]);
    tilec_status (*require)(tilec_kernel *kernel, const uint64_t *scalars, int32_t *failed);
    /* Make and free what is the backend's of a launch, such as launch->device. NULL: nothing. */
    bool (*make)(struct run_launch *launch);
    void (*unmake)(struct run_launch *launch);
    /* After arguments, grid and requirements were checked, if there are programs. NULL: nothing. */
    tilec_status (*prepare)(struct run_launch *launch, const tilec_launch_options *options);
    tilec_status (*go)(struct run_launch *launch);
    /* Reports what go returned; NULL: go does so itself, and is called with the context's lock. */
    tilec_status (*report)(struct run_launch *launch, tilec_status status);
    void (*release)(tilec_kernel *kernel); /* of kernel->device; NULL: nothing */
};

extern const struct run_backend run_backend_cpu, run_backend_interp, run_backend_msl_host,
    run_backend_cuda;

struct tilec_kernel {
    tilec_context *context;
    atomic_int references;
    struct arena arena; /* everything below that is text or an array */
    const struct run_backend *backend;
    const char *name, *cpu;
    int parameter_count, pointer_count, scalar_count;
    struct run_parameter *parameters;
    int grid_rank; /* sizes that launch_grid gives; 0: there is none */
    int require_count;
    const char **require_texts;
    bool from_cache;
    double seconds;
    struct cpu_stats stats;
    struct run_launch *launch; /* of tilec_launch; a prepared launch has its own */

    /* cpu */
    struct elf_image *image;
    unsigned primary; /* the variant that was made first; others follow when a launch wants them */
    run_code *code[CPU_VARIANT_COUNT];
    tilec_kernel *others[CPU_VARIANT_COUNT]; /* what holds the code of later variants */
    tilec_compile_options options;           /* a copy, to make them */
    run_grid_code *grid;
    run_require_code *require;
    run_needs_code *needs;

    tilec_program *program; /* to make variants; interp: keeps the source alive for diagnostics */

    /* The others, whose host functions are interpreted. */
    struct ir_kernel *ir; /* NULL on the cpu */
    void *device;         /* what the backend's release frees */
};

tilec_status run_kernel_new(tilec_context *context, tilec_kernel **kernel);
void run_kernel_release(tilec_kernel *kernel);
/* Parameters, grid and launch requirements. Runs inside the arena's guard. */
void run_kernel_describe(tilec_kernel *kernel, const struct ir_kernel *ir);
/* Maps the object and finds its functions, which are called RUN_SYMBOL.something; alone: but for
 * the host functions, which another kernel has. False with a reason; TILEC_ERROR_NO_MEMORY or
 * TILEC_ERROR_INTERNAL. */
#define RUN_SYMBOL "kernel"
tilec_status run_kernel_load(tilec_kernel *kernel, const struct run_objects *objects, bool alone,
                             const char **why);

/* ---- job.c, compile.c ------------------------------------------------------------------------ */

enum run_target { RUN_CPU, RUN_INTERP, RUN_MSL, RUN_MSL_HOST, RUN_CUDA };
enum { RUN_PRIMARY = -1 };

/* One compilation under way: compile.c, emit.c and build.c start from it. */
struct run_job {
    tilec_context *context;
    tilec_program *program;
    tilec_compile_options options;
    struct arena own, *arena; /* arena: own, or that of an interpreted kernel, which keeps the IR */
    struct diagnostics diagnostics;
    tilec_status status; /* of what failed */
    enum run_target target;
    int variant; /* of the code to make, or RUN_PRIMARY */
    struct cpu_level level;
    const struct gpu_target *gpu; /* of the targets msl and cuda */
    const char *arch;             /* of cuda: "sm_90a" */
    const struct lang_kernel *lang_kernel; /* NULL for Tile IR */
    const char *kernel_name;
    struct ir_kernel *ir;
    struct opt_log passes;    /* of run_job_optimise */
    bool has_gpu_passes;      /* the caller's passes may be of GPU IR */
    tilec_pass_options gpu_passes;
    struct cpu_output object; /* freed with the job */
    tilec_kernel *kernel;     /* to be filled in; NULL when only text is wanted */
    void *user;               /* for work */
};

/* False: a bad size, or an array without its entries, which run_bad_options reports. */
bool run_read_compile_options(tilec_compile_options *options, const tilec_compile_options *given);
tilec_status run_bad_options(tilec_context *context);

/* Reads the options, runs work inside a guard and reports its diagnostics. The caller holds the
 * lock, sets kernel and user, and calls run_job_end when it needs nothing of the job any more. */
tilec_status run_job_run(struct run_job *job, tilec_program *program,
                         const tilec_compile_options *options, void (*work)(struct run_job *job));
void run_job_end(struct run_job *job);

/* The steps; each returns false with job->status and a diagnostic. They run inside the guard. */
bool run_job_select_gpu(struct run_job *job); /* job->gpu and arch, of the targets msl and cuda */
bool run_job_lower(struct run_job *job);    /* -> job->ir */
bool run_job_can_launch(struct run_job *job); /* whether launch_require can hold (can_launch.c) */
bool run_job_require(struct run_job *job);  /* requirements against target and level */
bool run_job_needs(struct run_job *job);    /* what buffers must have, before the passes */
bool run_job_plan(struct run_job *job);     /* requirements, and for the CPU needs */
bool run_job_optimise(struct run_job *job); /* passes, if the target or the options want them */
/* gpu_passes.c: the caller's pass options, of either kind; the second after run_job_optimise. */
void run_job_tile_options(struct run_job *job, const tilec_pass_options *passes,
                          struct opt_options *options);
/* Where no GPU IR is made: refuses the names of its passes. */
bool run_job_only_tile_options(struct run_job *job, const tilec_pass_options *passes);
bool run_job_gpu_options(struct run_job *job, struct gpu_options *options);
/* gpu.c: GPU IR for job->gpu from job->ir, or NULL; and its text in the target's language. */
struct gpu_kernel *run_job_gpu(struct run_job *job);
/* Its first step: the plan, from job->ir, which is then optimised. */
struct gpu_plan *run_job_gpu_plan(struct run_job *job);
/* Bits of the parameters that may be known to be multiples of 16. */
uint64_t run_alignable(const struct ir_func *func);
bool run_job_gpu_text(struct run_job *job, const struct gpu_kernel *kernel, struct text *text);
/* explain.c: the execution report, to be given back with json_decref; NULL: no memory. */
struct json_t *run_job_report_gpu(struct run_job *job, const struct gpu_kernel *kernel);
/* build_msl.c: built->object is the source, built->header the launch export. */
void run_build_msl(struct run_job *job, const tilec_build_options *options, tilec_built *built);
/* build_cuda.c: the code in the form that the options say, and its header. The first compiles with
 * whatever compiler of NVIDIA's there is. */
/* cuda_kernel.c: fills job->kernel. */
void run_cuda_compile(struct run_job *job);
struct nvrtc_request;
struct nvrtc_output;
bool run_job_nvrtc(struct run_job *job, const struct nvrtc_request *request,
                   struct nvrtc_output *output);
void run_build_cuda(struct run_job *job, const tilec_build_options *options, tilec_built *built);
bool run_job_load_cpu(struct run_job *job); /* -> context->cpu */
bool run_job_codegen(struct run_job *job, const struct cpu_options *options,
                     enum cpu_format format); /* -> job->object */
bool run_job_fail(struct run_job *job, tilec_status status, const char *hint, const char *format,
                  ...) __attribute__((format(printf, 4, 5)));
/* All variants that may be wanted, as a set; and the one that usually is. */
unsigned run_job_variants(const struct ir_kernel *kernel);
unsigned run_job_primary(const struct run_job *job);

/* Makes kernel->code[variant]. */
tilec_status run_add_variant(tilec_kernel *kernel, unsigned variant);

/* ---- entry.c, cache.c ------------------------------------------------------------------------ */

/* From job->ir and job->object; in job's arena. */
struct run_entry run_entry_write(const struct run_job *job);
/* Fills kernel, all but the code, and finds the objects in the entry; adds the entry's diagnostics
 * to job if repeat. False: the entry is broken. Runs inside job's guard. */
bool run_entry_read(struct run_job *job, struct run_entry entry, bool repeat,
                    struct run_objects *objects);

enum { RUN_KEY_BYTES = 32 };
void run_cache_key(const struct run_job *job, unsigned char key[RUN_KEY_BYTES]);
struct sha256;
/* All that a program's text says: files, names, defines. */
void run_cache_add_program(struct sha256 *hash, const tilec_program *program);
/* All that code for the level depends on. */
void run_cache_add_level(struct sha256 *hash, const struct cpu_level *level);
/* The directory to use; NULL: none. Allocated with the context's allocator. */
char *run_cache_directory(tilec_context *context, const char *wanted);
/* The verified bytes in arena; NULL: nothing usable. */
unsigned char *run_cache_find(const char *directory, const unsigned char key[RUN_KEY_BYTES],
                              struct arena *arena, size_t *size);
/* Failures are not reported: the next process compiles again. Some stores trim the directory. */
void run_cache_store(const char *directory, const unsigned char key[RUN_KEY_BYTES],
                     struct run_entry entry);
/* Bytes that the cache may fill, $TILEC_CACHE_MEGABYTES. */
uint64_t run_cache_limit(void);
/* Where the entries of the open directory fill more than limit bytes: removes those used least
 * recently, until at most three quarters are filled. Only files that the cache named are touched. */
void run_cache_trim(int folder, uint64_t limit);
/* Notes that an entry was used; s is its state. */
void run_cache_renew(int file, const struct stat *s);

/* ---- module.c -------------------------------------------------------------------------------- */

/* A number that changes when the library or the CPU backend is built anew. */
uint64_t run_build_id(void);
/* Opens libtilec-cpu.so. NULL with a reason and what to do about it. */
const struct cpu_module *run_open_cpu_module(char *why, size_t size, const char **hint);
void *run_resolve(void *user, const char *name);

/* ---- launch.c, launch_check.c, cpu_kernel.c, threads.c --------------------------------------- */

enum { RUN_SCRATCH_FRONT = 64, RUN_LINE = 64 };

struct run_hooks {
    struct cpu_hooks table; /* first: the code gets its address */
    void (*print)(void *user, const char *text, size_t length);
    void *user;
    const int64_t *grid;
    pthread_mutex_t lock; /* one thread prints at a time */
    atomic_bool failed;
    const char *text; /* of the tile_assert that failed first */
    int64_t program;
};

/* A launch whose arguments are checked. */
struct run_launch {
    tilec_kernel *kernel;
    uint64_t *values;             /* per parameter: address or bits */
    int64_t *elements;            /* per parameter: of a buffer; -1 unknown */
    uint64_t *inputs;             /* the scalars, then the grid */
    int64_t *needed;              /* per buffer */
    const tilec_argument **given; /* per parameter; only during the checks */
    const uint8_t **initialised;  /* per parameter, for the interpreter */
    double **allowed;
    int64_t grid[3], programs;
    unsigned variant;
    int threads;
    int64_t step_limit;
    bool unchecked;
    uint64_t thread_order;
    double *device_seconds; /* the caller's, or NULL; a backend that can tell fills it */
    struct run_hooks hooks;
    struct run_scratch *scratch;
    void *device; /* the backend's own; see make */
    bool is_prepared; /* it runs with the same arguments each time */
    /* The calling thread's own, apart from what the others read. */
    char before[RUN_LINE];
    double program_seconds; /* of one program, last measured; 0: unknown */
    unsigned runs;
    char behind[RUN_LINE];
};

struct run_launch *run_launch_new(tilec_kernel *kernel, struct run_scratch *scratch);
void run_launch_free(struct run_launch *launch);
/* How many elements of so many bytes a buffer has; -1: unknown. */
tilec_status run_check_shape(tilec_context *context, const char *name, size_t bytes,
                             const tilec_argument *argument, int64_t *elements);
/* Refuses buffers with fewer elements than launch->needed says. */
tilec_status run_launch_compare_sizes(struct run_launch *launch);

bool run_scratch_reserve(tilec_context *context, struct run_scratch *scratch, int threads,
                         size_t bytes);
void run_scratch_free(tilec_context *context, struct run_scratch *scratch);
/* How many threads a launch uses when nobody says. */
int run_default_threads(void);
/* How many it may use, whoever says. Takes a system call. */
int run_most_threads(void);
void run_programs(struct run_launch *launch);

/* ---- print.c, interpreter.c ------------------------------------------------------------------ */

/* The hook for tile_print; the text is the interpreter's, letter for letter. */
void run_print(const struct cpu_hooks *hooks, const char *text, int64_t id, int32_t elem,
               int32_t rank, const int32_t *dims, const void *elements);

/* For backends whose kernels keep their IR; see struct run_backend. */
tilec_status run_interp_grid(tilec_kernel *kernel, const uint64_t *scalars, int64_t grid[3]);
tilec_status run_interp_require(tilec_kernel *kernel, const uint64_t *scalars, int32_t *failed);

/* ---- msl_host_kernel.c ----------------------------------------------------------------------- */

/* Compiles job->ir to MSL, and that for this machine; fills job->kernel. */
void run_compile_msl_host(struct run_job *job);

#endif
