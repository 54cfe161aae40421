/*
 * tilec.h: compile tile kernels and run them.
 *
 *     tilec_context *context;
 *     tilec_kernel *kernel;
 *     tilec_define block = {"BLOCK", "1024"};
 *     tilec_source source = {.size = sizeof source, .path = "softmax.tile.c",
 *                            .defines = &block, .define_count = 1};
 *
 *     tilec_context_create(NULL, &context);
 *     if (tilec_compile(context, &source, NULL, &kernel) == TILEC_OK) {
 *         int64_t shape[2] = {rows, columns};
 *         tilec_argument arguments[4] = {
 *             tilec_buffer(TILEC_F32, in, 2, shape), tilec_buffer(TILEC_F32, out, 2, shape),
 *             tilec_int(TILEC_I32, rows), tilec_int(TILEC_I32, columns)};
 *         tilec_launch(kernel, NULL, arguments, 4, NULL);
 *     }
 *
 * Rules that hold for every function, unless its comment says otherwise:
 *
 *   Results      A status; what else a function makes comes back through pointers at the end, which
 *                are set to NULL or 0 when it fails. No function prints, exits or aborts.
 *   Errors       NO_MEMORY and INVALID any function may give, others are named. An index that is
 *                not below the count is INVALID or, where a name is returned, NULL.
 *   Reasons      Why a call failed tell tilec_diagnostic_count and tilec_diagnostic_get, until the
 *                next call with the same context or something made from it. Functions that only
 *                look up what a const handle holds give a status alone, and leave them as they are.
 *   NULL         Handles and result pointers must not be NULL: TILEC_ERROR_INVALID. An options
 *                pointer may be NULL: all defaults. Destroying NULL does nothing.
 *   Options      Zero the struct and set its size to sizeof of it; a zero field is the default.
 *                A library that is newer than the caller reads only that many bytes. A size that
 *                no struct has is TILEC_ERROR_INVALID.
 *   Ownership    What is passed in is copied, or used only during the call. What comes out belongs
 *                to the handle it was asked of and lives as long, unless it says "release".
 *   Threads      Contexts are independent of one another. Calls on one context, and on what was
 *                made from it, may come from several threads and wait for one another; but the
 *                diagnostics are those of the last call, so a thread that wants to read its own
 *                needs a context of its own. Only tilec_prepared_run of different prepared launches
 *                runs at the same time, on the targets "cpu" and "cuda".
 *   Text         UTF-8 or plain bytes, ending with NUL. Lines and columns count from 1, columns in
 *                bytes. Sizes are in elements where they are int64_t, in bytes where size_t.
 *
 * docs/api.md explains with examples.
 */
#ifndef TILEC_TILEC_H
#define TILEC_TILEC_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define TILEC_API __attribute__((visibility("default")))
#else
#define TILEC_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define TILEC_VERSION_MAJOR 0
#define TILEC_VERSION_MINOR 1
#define TILEC_VERSION_PATCH 0

/* The version of the library that runs: "0.1.0". */
TILEC_API const char *tilec_version(void);

/* ---- statuses and types -------------------------------------------------------------------- */

/* The numbers never change. */
typedef enum tilec_status {
    TILEC_OK = 0,
    TILEC_ERROR_NO_MEMORY = 1,   /* an allocation failed; nothing was changed */
    TILEC_ERROR_INVALID = 2,     /* used wrongly: NULL, unknown value, unknown option */
    TILEC_ERROR_IO = 3,          /* a file could not be read or written */
    TILEC_ERROR_COMPILE = 4,     /* the kernel's text is wrong */
    TILEC_ERROR_NOT_FOUND = 5,   /* no such kernel, define or parameter */
    TILEC_ERROR_REQUIREMENT = 6, /* the target cannot meet a requirement, which is named */
    TILEC_ERROR_TARGET = 7,      /* the target is unknown, or not available here */
    TILEC_ERROR_ARGUMENT = 8,    /* an argument is missing, surplus, mistyped, too small */
    TILEC_ERROR_GRID = 9,        /* the grid is negative, too large, or missing */
    TILEC_ERROR_FAULT = 10,      /* the kernel did something wrong (see target "interp") */
    TILEC_ERROR_INTERNAL = 11,   /* a defect of tilec */
    TILEC_ERROR_DEVICE = 12      /* the GPU failed or was lost; this process cannot use it any more */
} tilec_status;

/* "out of memory", ...; never NULL; static. */
TILEC_API const char *tilec_status_string(tilec_status status);

/* Element types. half and bfloat are passed as their 16 bits, bool as a byte of 0 or 1. */
typedef enum tilec_type {
    TILEC_BOOL = 0,
    TILEC_I8 = 1,
    TILEC_I16 = 2,
    TILEC_I32 = 3,
    TILEC_I64 = 4,
    TILEC_U8 = 5,
    TILEC_U16 = 6,
    TILEC_U32 = 7,
    TILEC_U64 = 8,
    TILEC_F16 = 9,
    TILEC_BF16 = 10,
    TILEC_F32 = 11,
    TILEC_F64 = 12
} tilec_type;

/* "f32", ...; NULL when type is none of the above. Static. */
TILEC_API const char *tilec_type_name(tilec_type type);
/* Bytes of one element; 0 when type is none of the above. */
TILEC_API size_t tilec_type_size(tilec_type type);
/* The type called name; TILEC_ERROR_NOT_FOUND when there is none (*type is then left alone). */
TILEC_API tilec_status tilec_type_find(const char *name, tilec_type *type);

/* ---- context ------------------------------------------------------------------------------- */

/* Holds the memory functions, the cache directory, the number of threads and the diagnostics. */
typedef struct tilec_context tilec_context;

typedef struct tilec_context_options {
    size_t size; /* sizeof(tilec_context_options) */
    /* Memory functions, both or neither; allocate returns NULL when there is none, release is never
     * given NULL. They may be called from any thread that calls tilec, and by several at once. LLVM,
     * OpenMP and the C library allocate on their own. */
    void *(*allocate)(void *user, size_t bytes);
    void (*release)(void *user, void *memory);
    void *user;
    /* Where compiled kernels are kept. NULL: $TILEC_CACHE_DIR, else $XDG_CACHE_HOME/tilec, else
     * ~/.cache/tilec. "": nowhere (as is TILEC_CACHE_DIR set to nothing). A directory that cannot
     * be used, or that others may write to, is not used; that is no error. A relative one is found
     * from where the process is when the context is created. */
    const char *cache_directory;
    /* Threads that a launch may use at most; 0: what OpenMP says (OMP_NUM_THREADS, else all). More
     * than four times the processors (and more than 64) never are. Making the code of a kernel for
     * the CPU uses as many, though eight at most. */
    int threads;
    int device; /* number of the GPU that target "cuda" uses, from 0 on */
} tilec_context_options;

/* A failure has no diagnostics. */
TILEC_API tilec_status tilec_context_create(const tilec_context_options *options,
                                            tilec_context **context);
/* What was made from the context stays valid and is destroyed on its own. Functions that destroy,
 * but for tilec_prepared_destroy, wait for a call that another thread is in. */
TILEC_API void tilec_context_destroy(tilec_context *context);

/* Frees what a function gave "to release", with the context of its handle. NULL does nothing. */
TILEC_API void tilec_release(tilec_context *context, void *memory);

/* ---- diagnostics --------------------------------------------------------------------------- */

typedef enum tilec_diagnostic_kind {
    TILEC_DIAGNOSTIC_ERROR = 0,
    TILEC_DIAGNOSTIC_WARNING = 1,
    TILEC_DIAGNOSTIC_NOTE = 2, /* belongs to the diagnostic before it */
    TILEC_DIAGNOSTIC_PERF = 3  /* what keeps the code from being faster */
} tilec_diagnostic_kind;

typedef struct tilec_diagnostic {
    tilec_diagnostic_kind kind;
    const char *file;         /* as the caller named it; NULL: no place in a source file */
    int line, column;         /* of the first byte; 0 without a place */
    int end_line, end_column; /* of the byte behind the last one */
    const char *message;      /* "unknown name 'foo'" */
    const char *hint;         /* what to write instead, or NULL */
    const char *source_line;  /* the line's text without its end, or NULL */
    const char *text;         /* all of it as a compiler prints it, lines ending with '\n' */
} tilec_diagnostic;

/* How many diagnostics the last call on the context, or on what was made from it, left. Successful
 * calls may leave warnings. */
TILEC_API size_t tilec_diagnostic_count(const tilec_context *context);
/* The pointers live as long as the diagnostics ("Reasons", above). */
TILEC_API tilec_status tilec_diagnostic_get(const tilec_context *context, size_t index,
                                            tilec_diagnostic *diagnostic);

/* ---- source -------------------------------------------------------------------------------- */

/* What -D NAME=VALUE says: sets the constexpr parameter of that name, or fixes the ordinary scalar
 * (docs/language.md, "Fixed scalars"), and defines a macro. */
typedef struct tilec_define {
    const char *name;
    const char *value; /* NULL: "1" */
} tilec_define;

typedef struct tilec_source {
    size_t size; /* sizeof(tilec_source) */
    /* The file's name. With text it only names the text in diagnostics; NULL: "<text>". */
    const char *path;
    const char *text;   /* the kernel file's text, or NULL: path is read; 64 MB at most */
    size_t text_length; /* bytes; with text and 0: up to the NUL */
    const tilec_define *defines;
    size_t define_count;
    int tile_ir; /* not 0: the text is Tile IR as tilec_emit prints it, not C */
    /* not 0: the text is Metal source, or JSON that has one inside; it runs on target "msl-host" and
     * nowhere else. docs/msl-host.md */
    int metal;
    const char *launch; /* its launch export (JSON), or NULL: the source says enough */
    const char *entry;  /* where in the JSON: "cases/0/shaders/candidate"; NULL: the whole */
    int trusted;        /* not 0: the source may run as native code of this process */
} tilec_source;

typedef enum tilec_parameter_kind {
    TILEC_SCALAR = 0,
    TILEC_BUFFER = 1,
    TILEC_CONSTEXPR = 2, /* an integer that is fixed when the kernel is compiled */
    TILEC_LAYOUT = 3     /* a layout that is fixed when the kernel is compiled */
} tilec_parameter_kind;

typedef struct tilec_parameter {
    const char *name;
    tilec_parameter_kind kind;
    tilec_type type; /* of the scalar, or of the buffer's elements */
    int is_const;    /* the kernel does not write the buffer */
    int is_restrict; /* nothing else that is written overlaps the buffer */
    /* A scalar that has one value at every launch: another is refused, and it may be left out. */
    int is_fixed;
    uint64_t fixed_bits; /* of a compiled kernel's: that value, zero-extended */
} tilec_parameter;

/* A kernel file, read and parsed, whose kernels can be listed and compiled. */
typedef struct tilec_program tilec_program;

/* Files named by #include "..." are looked for next to the including file; without a path they are
 * errors. Errors: IO, COMPILE. */
TILEC_API tilec_status tilec_program_create(tilec_context *context, const tilec_source *source,
                                            tilec_program **program);
TILEC_API void tilec_program_destroy(tilec_program *program);

/* The files that were read, once for each #include that was followed; the kernel file is the first.
 * A path is as it was given ("<text>": none was) or, of an included file, that of the folder of the
 * file that includes it and then the name in the #include. */
TILEC_API size_t tilec_program_file_count(const tilec_program *program);
TILEC_API const char *tilec_program_file(const tilec_program *program, size_t index);

TILEC_API size_t tilec_program_kernel_count(const tilec_program *program);
/* In the order of the file. */
TILEC_API const char *tilec_program_kernel_name(const tilec_program *program, size_t index);
/* The kernel's parameters as written, constexpr ones included. kernel NULL: the first.
 * Errors: NOT_FOUND (no such kernel). */
TILEC_API tilec_status tilec_program_parameter_count(const tilec_program *program,
                                                     const char *kernel, size_t *count);
TILEC_API tilec_status tilec_program_parameter(const tilec_program *program, const char *kernel,
                                               size_t index, tilec_parameter *parameter);

/* ---- compiling ----------------------------------------------------------------------------- */

struct tilec_pass_options; /* see the experimental part */

typedef struct tilec_compile_options {
    size_t size;        /* sizeof(tilec_compile_options) */
    const char *kernel; /* NULL: the file's first */
    /* "cpu" (also NULL) compiles for this machine; "interp" interprets and checks: out-of-bounds
     * accesses, elements nobody wrote, races between programs, overflow. "msl-host" runs the
     * kernel's Metal source here and checks it: accesses, races between threads, barriers that not
     * all threads reach; docs/msl-host.md. "cuda": an NVIDIA GPU; docs/cuda.md. */
    const char *target;
    const char *cpu; /* level to make code for: "native" (also NULL), "x86-64-v3", ... */
    /* Values of constexpr parameters, and of scalars to fix, besides the source's defines.
     * Integers. Two values for one name, also one of a define, are INVALID. */
    const tilec_define *constants;
    size_t constant_count;
    /* As require() in the file: "vector_width=8". Met or refused, never ignored. */
    const char *const *requirements;
    size_t requirement_count;
    /* Replaces the file's launch_grid: up to three expressions over the kernel's scalars, separated
     * by commas. NULL: the file's. */
    const char *grid;
    int relaxed; /* not 0: fast math; results differ from what the interpreter defines */
    const struct tilec_pass_options *passes; /* NULL: all passes. With it nothing is cached. */
    /* Target "cuda": the architecture to make code for, "sm_80" or later. NULL: that of the device
     * where a kernel is compiled to be launched, "sm_80" for text and for tilec_build. */
    const char *arch;
    /* Target "cuda", text and tilec_build: parameters that will be multiples of 16 at every launch,
     * arrays by their address in bytes; "all": every one. Launches look for themselves. */
    const char *const *aligned;
    size_t aligned_count;
} tilec_compile_options;

/* A kernel compiled for one target with all its constants. */
typedef struct tilec_kernel tilec_kernel;

/* Errors: COMPILE, NOT_FOUND, REQUIREMENT (also: no launch can meet a launch_require), TARGET,
 * INTERNAL, IO ("msl-host": no temporary folder, or clang++ cannot work), DEVICE ("cuda"). */
TILEC_API tilec_status tilec_program_compile(tilec_program *program,
                                             const tilec_compile_options *options,
                                             tilec_kernel **kernel);
/* tilec_program_create, compile and destroy in one. */
TILEC_API tilec_status tilec_compile(tilec_context *context, const tilec_source *source,
                                     const tilec_compile_options *options, tilec_kernel **kernel);
TILEC_API void tilec_kernel_destroy(tilec_kernel *kernel);

TILEC_API const char *tilec_kernel_name(const tilec_kernel *kernel);
/* What a launch takes: the buffers and scalars, in order, without constexpr parameters. */
TILEC_API size_t tilec_kernel_parameter_count(const tilec_kernel *kernel);
TILEC_API tilec_status tilec_kernel_parameter(const tilec_kernel *kernel, size_t index,
                                              tilec_parameter *parameter);

typedef struct tilec_kernel_info {
    size_t size;           /* set by the caller: sizeof(tilec_kernel_info) */
    const char *target;    /* "cpu", "interp", "msl-host", "cuda" */
    const char *cpu;       /* what the code needs: "x86-64-v4", "sm_90", ...; "": nothing */
    int from_cache;        /* 1: the code came from the cache directory */
    int has_grid;          /* 1: a launch needs no grid */
    int vector_bytes;      /* widest vector in the code; 0 unknown */
    int64_t scratch_bytes; /* memory that a launch needs per thread */
    double seconds;        /* that compiling or loading took */
} tilec_kernel_info;

TILEC_API tilec_status tilec_kernel_get_info(const tilec_kernel *kernel, tilec_kernel_info *info);

/* ---- launching ----------------------------------------------------------------------------- */

enum { TILEC_MAX_RANK = 8 };

/* One argument of a launch; see tilec_buffer, tilec_int and tilec_float below, which fill it. */
typedef struct tilec_argument {
    const char *name; /* NULL: it stands where the parameter does. Name all arguments or none. */
    tilec_parameter_kind kind; /* TILEC_SCALAR or TILEC_BUFFER */
    tilec_type type;           /* must be the parameter's */
    uint64_t bits; /* a scalar: its bits, zero-extended (a float's bits for TILEC_F32) */
    /* A buffer: the first element, aligned to the element's size. Used in place (but see
     * host_buffers), and only until the launch returns. May be NULL when there are no elements. */
    void *data;
    int rank;             /* 0 to TILEC_MAX_RANK; -1: no shape, elements counts */
    const int64_t *shape; /* rank sizes, each 0 or more; row-major, contiguous */
    int64_t elements; /* with rank -1: how many there are; -1: unknown, nothing is checked (not for
                       * target "msl-host"); other negative ones are an error */
    /* Only read by target "interp", NULL otherwise: */
    const uint8_t *initialised; /* a byte per element, 0: never written so far; NULL: all are */
    double *allowed; /* filled: per element, how far another target may be off; see docs/api.md */
} tilec_argument;

typedef struct tilec_launch_options {
    size_t size; /* sizeof(tilec_launch_options) */
    int threads; /* at most; 0: the context's. Results do not depend on it. */
    /* Where tile_print's text goes, piece by piece; NULL: nowhere. Called from one thread of the
     * launch at a time, in any order of programs; it must not call tilec with the same context. A
     * prepared launch keeps it. */
    void (*print)(void *user, const char *text, size_t length);
    void *user;
    /* For target "interp": */
    int64_t step_limit; /* operations at most, then TILEC_ERROR_FAULT; 0: no limit */
    int unchecked;      /* not 0: faults have their defined result and are not reported */
    /* For target "msl-host": in which order the threads of a threadgroup run between barriers: 0
     * forward, 1 backward, others shuffled with this seed. */
    uint64_t thread_order;
    /* Filled by each run: seconds that the device itself worked, without checks and hand-over (on
     * the CPU: the kernel's own run); 0 where the target cannot tell. NULL: not asked. A prepared
     * launch keeps the pointer. */
    double *device_seconds;
    /* For target "cuda": */
    void *stream; /* a CUstream: the launch is queued there; NULL: it is waited for */
    int overlap;  /* not 0: may start while the launch before it on the stream ends (programmatic
                   * dependent launch, sm_90 and later); results do not change */
    int host_buffers; /* not 0: buffers lie in host memory and are copied around the launch, which
                       * is waited for. Other targets ignore it: theirs always do. */
} tilec_launch_options;

/*
 * Runs the kernel on every program of the grid and returns when all is done.
 *
 * grid: three sizes, x y z, unused ones 1; NULL: the kernel's launch_grid. A size of 0 is fine and
 * nothing is done. The product may be at most 2^32.
 *
 * Checked before anything runs: arguments missing, surplus, of another type; buffers NULL,
 * unaligned, or smaller than the kernel certainly needs; launch_require. A kernel that addresses
 * beyond its buffers in ways that only running it can show is undefined on the CPU; the target
 * "interp" finds it. A fault on "msl-host" leaves the buffers as they were.
 *
 * Errors: ARGUMENT, GRID, REQUIREMENT (a launch_require), after which no buffer was touched; FAULT;
 * DEVICE; INTERNAL. Allocates nothing on the CPU after the first launch of a kernel with as many
 * threads; the first launch with buffers that overlap, or with outputs of 16 MB and more, may
 * compile once more for them.
 */
TILEC_API tilec_status tilec_launch(tilec_kernel *kernel, const int64_t *grid,
                                    const tilec_argument *arguments, size_t argument_count,
                                    const tilec_launch_options *options);

/* The grid that launch_grid gives for these arguments (scalars count, buffers may be left 0).
 * Errors: ARGUMENT, GRID. */
TILEC_API tilec_status tilec_kernel_grid(tilec_kernel *kernel, const tilec_argument *arguments,
                                         size_t argument_count, int64_t grid[3]);

/* A launch whose checks are done: buffers, scalars and grid are fixed. It keeps the data pointers,
 * not what they point to. Errors: those of tilec_launch but FAULT. */
typedef struct tilec_prepared tilec_prepared;

TILEC_API tilec_status tilec_prepare(tilec_kernel *kernel, const int64_t *grid,
                                     const tilec_argument *arguments, size_t argument_count,
                                     const tilec_launch_options *options,
                                     tilec_prepared **prepared);
/* Different prepared launches may run at the same time, one may not. On the CPU no allocation, no
 * lock. Errors: FAULT, DEVICE, INTERNAL. */
TILEC_API tilec_status tilec_prepared_run(tilec_prepared *prepared);
/* It must not be running. */
TILEC_API void tilec_prepared_destroy(tilec_prepared *prepared);

/* Arguments. Without a name; set .name afterwards to pass them by name. */
static inline tilec_argument tilec_buffer(tilec_type type, void *data, int rank,
                                          const int64_t *shape)
{
    tilec_argument argument = {NULL, TILEC_BUFFER, type, 0, data, rank, shape, 0, NULL, NULL};
    return argument;
}

/* A buffer of that many elements, in one dimension. */
static inline tilec_argument tilec_array(tilec_type type, void *data, int64_t elements)
{
    tilec_argument argument = {NULL, TILEC_BUFFER, type, 0, data, -1, NULL, elements, NULL, NULL};
    return argument;
}

/* An integer or bool scalar. A value that the type cannot hold wraps. */
TILEC_API tilec_argument tilec_int(tilec_type type, int64_t value);

/* A floating-point scalar of any of the four types, rounded to nearest. */
TILEC_API tilec_argument tilec_float(tilec_type type, double value);

/* ---- devices ------------------------------------------------------------------------------- */

typedef struct tilec_device {
    const char *target;      /* "cpu", "interp", ... */
    int available;           /* 0: compiling for it fails with TILEC_ERROR_TARGET */
    const char *description; /* "AVX-512 (x86-64-v4), 2 threads", or why it is not available */
} tilec_device;

/* The text lives as long as the context. */
TILEC_API size_t tilec_device_count(tilec_context *context);
TILEC_API tilec_status tilec_device_get(tilec_context *context, size_t index, tilec_device *device);

/* ==== advanced: what a kernel becomes ======================================================= */

typedef enum tilec_stage {
    TILEC_STAGE_AST = 0,     /* the syntax tree; options are not looked at */
    TILEC_STAGE_LOWERED = 1, /* Tile IR as the front end made it */
    TILEC_STAGE_TILE = 2,    /* Tile IR after the passes */
    TILEC_STAGE_LLVM = 3,    /* LLVM IR */
    TILEC_STAGE_ASSEMBLY = 4,
    TILEC_STAGE_GPU = 5, /* GPU IR: what one thread does; of the targets "msl" and "cuda" */
    TILEC_STAGE_MSL = 6, /* the source in Metal's language; docs/metal.md */
    TILEC_STAGE_CUDA = 7 /* the source in CUDA C++; docs/cuda.md */
} tilec_stage;

/* *text, to release, ends with NUL, which *length does not count; length may be NULL. Errors: those
 * of tilec_program_compile; TARGET also where the target has no such stage. */
TILEC_API tilec_status tilec_emit(tilec_program *program, const tilec_compile_options *options,
                                  tilec_stage stage, char **text, size_t *length);

typedef enum tilec_report_form {
    TILEC_REPORT_JSON = 0, /* as docs/report.schema.json says */
    TILEC_REPORT_TEXT = 1  /* the same, shorter, to be read */
} tilec_report_form;

/* The execution report: what was really generated for the options' target, read off the final code:
 * loops, vector widths, memory, barriers, reductions, layouts; docs/report.md. *text, *length and
 * errors are as those of tilec_emit. */
TILEC_API tilec_status tilec_explain(tilec_program *program, const tilec_compile_options *options,
                                     tilec_report_form form, char **text, size_t *length);

/* In which form tilec_build gives a kernel for the target "cuda". */
typedef enum tilec_form {
    TILEC_FORM_CODE = 0, /* a cubin, for the architecture only */
    TILEC_FORM_PTX = 1,  /* PTX, for the architecture and later ones */
    TILEC_FORM_TEXT = 2  /* CUDA C++ */
} tilec_form;

/* Ahead of time: an object file and a C header that need neither tilec nor LLVM; docs/aot.md. For the
 * target "msl": the source and, in place of the header, the launch export; docs/metal.md. For "cuda":
 * code in the form wanted and a C header with the launch's geometry; docs/cuda.md. */
typedef struct tilec_build_options {
    size_t size; /* sizeof(tilec_build_options) */
    /* Levels that the object holds code for; the best that the processor has is chosen when it
     * runs. NULL or none: the compile options' cpu, or "x86-64-v3" ("generic" elsewhere). */
    const char *const *cpus;
    size_t cpu_count;
    const char *symbol; /* the C function's name; NULL: the kernel's. An identifier. */
    tilec_form form;    /* of target "cuda" */
} tilec_build_options;

typedef struct tilec_built {
    void *object; /* to release */
    size_t object_size;
    char *header; /* to release; ends with NUL */
    size_t header_size;
} tilec_built;

/* Errors: those of tilec_program_compile; INVALID also for a symbol that cannot name a function. */
TILEC_API tilec_status tilec_build(tilec_program *program, const tilec_compile_options *options,
                                   const tilec_build_options *build, tilec_built *built);

/* ==== experimental: may change in any version ================================================ */

#ifdef TILEC_EXPERIMENTAL

typedef struct tilec_dump {
    const char *pass;
    int number;       /* place in the pipeline, from 0 */
    int changed;      /* 0: text is NULL */
    const char *text; /* Tile IR that a source with tile_ir accepts */
} tilec_dump;

/* Debugging of passes; docs/passes.md lists them. Unknown names are TILEC_ERROR_INVALID. */
typedef struct tilec_pass_options {
    size_t size; /* sizeof(tilec_pass_options) */
    int verify_each;
    const char *const *off; /* passes left out */
    size_t off_count;
    const char *const *only; /* if any: exactly these, in this order */
    size_t only_count;
    const char *stop_after; /* or NULL */
    int limited;            /* not 0: only the first `limit` changing passes change something */
    int limit;
    const char *dump; /* "all", "changed", a pass, or NULL */
    void (*on_dump)(void *user, const tilec_dump *dump);
    void (*on_time)(void *user, const char *pass, double seconds);
    void *user;
} tilec_pass_options;

/* A name with an integer: a constexpr parameter or a scalar of a launch. */
typedef struct tilec_value {
    const char *name;
    int64_t value;
} tilec_value;

/*
 * Values for the constexpr parameters of a kernel (NULL: the first) that neither the source's
 * defines nor `known` sets: the first combination of the candidates of its tune lines that its
 * launch_require lines accept; the first of all when they accept none. A parameter without tune
 * line, or whose candidates need a value that is not known, is left out. *chosen, *count of them,
 * is to release; the names live as long as the program. Errors: NOT_FOUND.
 */
TILEC_API tilec_status tilec_program_tune(tilec_program *program, const char *kernel,
                                          const tilec_value *known, size_t known_count,
                                          tilec_value **chosen, size_t *count);

/* ---- autotuning ---- */

/* One choice of values for what tune lines leave open; the first is the declared default. The
 * pointers live as long as the tuning. */
typedef struct tilec_candidate {
    const tilec_value *values; /* constexpr parameters, then requirements */
    size_t value_count;
    size_t constant_count; /* how many values are of constexpr parameters */
    int is_chosen;
    const char *error; /* why it was left out: not compiled, refused, wrong; NULL: it was not */
    double seconds;    /* of one launch, a median; 0: not timed */
    /* Its time as a multiple of the default's, timed in turns, with a 99% interval. Of the default:
     * against itself, which is the noise. 0: not timed. */
    double ratio, ratio_low, ratio_high;
} tilec_candidate;

typedef struct tilec_tuning tilec_tuning;

typedef struct tilec_autotune_options {
    size_t size;    /* sizeof(tilec_autotune_options) */
    int threads;    /* of launches, as in tilec_launch_options */
    int again;      /* not 0: measure even if the choice is stored */
    double seconds; /* to time each candidate; 0: 0.1 */
    /* Monotonic seconds in place of the system's clock, for tests. */
    double (*now)(void *clock_user);
    void *clock_user;
    int host_buffers; /* for target "cuda", as in tilec_launch_options: buffers lie in host memory */
} tilec_autotune_options;

/*
 * Compiles the kernel with the values of its tune lines that are fastest for these arguments. What
 * `options` sets is not tuned. Each candidate runs on copies of the arrays it writes and is compared
 * with the interpreter's result (the default's, where that would take long) before it is timed; one
 * that fails is left out, with its error. Another than the default is chosen only if it is faster
 * than the default beyond the noise, twice. The choice is stored in the cache directory, by device,
 * compiler, source, options, sizes and candidates, and found there by the next call.
 *
 * On the target "cuda" what counts is the device's time. Targets that check kernels have no times to
 * choose by.
 *
 * Takes the memory of the written arrays three times while it runs. Needs the lengths of all
 * arrays. Errors: those of compiling and launching the default, ARGUMENT, INVALID (more than 256
 * candidates; Tile IR), TARGET ("interp", "msl-host"), FAULT (the default is wrong).
 */
TILEC_API tilec_status tilec_program_autotune(tilec_program *program,
                                              const tilec_compile_options *options,
                                              const tilec_argument *arguments,
                                              size_t argument_count,
                                              const tilec_autotune_options *tune_options,
                                              tilec_kernel **kernel, tilec_tuning **tuning);
TILEC_API void tilec_tuning_destroy(tilec_tuning *tuning);
/* Candidates, in order. */
TILEC_API size_t tilec_tuning_count(const tilec_tuning *tuning);
TILEC_API tilec_status tilec_tuning_get(const tilec_tuning *tuning, size_t index,
                                        tilec_candidate *candidate);
/* 1: the choice was stored, and nothing was measured. */
TILEC_API int tilec_tuning_from_cache(const tilec_tuning *tuning);

#endif /* TILEC_EXPERIMENTAL */

#ifdef __cplusplus
}
#endif

#endif
