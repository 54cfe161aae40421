/*
 * Compiling a program to a kernel, through the cache where there is one; see run.h.
 *
 * A kernel is always filled in from an entry, whether that comes from the disk or was just made, so
 * that both ways are the same. Only the code that most launches want is made at first: for buffers
 * that do not overlap, with plain stores. Other variants are made when a launch wants them (each is
 * an entry of its own), because making code is most of the time that compiling takes.
 */
#include "base/clock.h"
#include "base/guard.h"
#include "run/run.h"

/* ---- interpreter ----------------------------------------------------------------------------- */

static void compile_interp(struct run_job *job)
{
    tilec_kernel *kernel = job->kernel;
    if (!run_job_lower(job) || !run_job_plan(job) || !run_job_optimise(job))
        return;
    run_kernel_describe(kernel, job->ir);
    kernel->backend = &run_backend_interp;
    kernel->cpu = "";
    kernel->ir = job->ir;
    atomic_fetch_add(&job->program->references, 1);
    kernel->program = job->program;
}

/* ---- CPU ------------------------------------------------------------------------------------- */

static bool load_entry(struct run_job *job, struct run_entry entry, bool from_cache)
{
    struct run_objects objects;
    const char *why = "broken entry";
    tilec_kernel *kernel = job->kernel;
    tilec_status status = TILEC_ERROR_INTERNAL;
    if (run_entry_read(job, entry, from_cache, &objects))
        status = run_kernel_load(kernel, &objects, job->variant != RUN_PRIMARY, &why);
    if (status == TILEC_OK) {
        kernel->backend = &run_backend_cpu;
        kernel->cpu = job->level.name;
        kernel->from_cache = from_cache;
        return true;
    }
    elf_unload(kernel->image);
    kernel->image = NULL;
    if (from_cache && status != TILEC_ERROR_NO_MEMORY)
        return false; /* it is compiled again, which is no error */
    return run_job_fail(job, status, NULL, "the compiled code cannot be loaded: %s", why);
}

static bool load_from_cache(struct run_job *job, const unsigned char *key)
{
    struct run_entry entry;
    entry.bytes = run_cache_find(job->context->cache_directory, key, job->arena, &entry.size);
    return entry.bytes && load_entry(job, entry, true);
}

static bool generate(struct run_job *job)
{
    if (!run_job_lower(job) || !run_job_plan(job) || !run_job_optimise(job) ||
        !run_job_load_cpu(job))
        return false;
    struct cpu_options options = {
        .level = job->level.name,
        .variants =
            1u << (job->variant == RUN_PRIMARY ? run_job_primary(job) : (unsigned)job->variant),
        .relaxed = job->options.relaxed != 0,
        .symbol = RUN_SYMBOL,
        .alone = job->variant != RUN_PRIMARY,
        .threads = job->context->threads,
    };
    return run_job_codegen(job, &options, CPU_OBJECT);
}

static bool check_level(struct run_job *job)
{
    struct cpu_features host;
    cpu_features_detect(&host);
    if (cpu_features_cover(&host, &job->level.features))
        return true;
    return run_job_fail(job, TILEC_ERROR_TARGET, NULL,
                        "this processor does not have what CPU level '%s' needs", job->level.name);
}

static const char *keep_text(struct arena *arena, const char *text)
{
    return text ? arena_format(arena, "%s", text) : NULL;
}

/* Everything that making another variant needs. */
static void keep_options(struct run_job *job)
{
    tilec_kernel *kernel = job->kernel;
    struct arena *arena = &kernel->arena;
    const tilec_compile_options *from = &job->options;
    tilec_define *constants = ARENA_ARRAY(arena, tilec_define, from->constant_count);
    const char **requirements = ARENA_ARRAY(arena, const char *, from->requirement_count);
    for (size_t i = 0; i < from->constant_count; i++) {
        constants[i].name = keep_text(arena, from->constants[i].name);
        constants[i].value = keep_text(arena, from->constants[i].value);
    }
    for (size_t i = 0; i < from->requirement_count; i++)
        requirements[i] = keep_text(arena, from->requirements[i]);
    /* Field by field: what is the caller's memory must not come along unseen. */
    kernel->options = (tilec_compile_options){
        .size = sizeof *from,
        .kernel = keep_text(arena, from->kernel),
        .target = "cpu",
        .cpu = keep_text(arena, from->cpu),
        .constants = constants,
        .constant_count = from->constant_count,
        .requirements = requirements,
        .requirement_count = from->requirement_count,
        .grid = keep_text(arena, from->grid),
        .relaxed = from->relaxed,
        .passes = from->passes, /* whether there are any: run_add_variant looks at no more */
    };
    kernel->program = job->program;
    atomic_fetch_add(&job->program->references, 1);
}

static void compile_cpu(struct run_job *job)
{
    const char *directory = job->options.passes ? NULL : job->context->cache_directory;
    unsigned char key[RUN_KEY_BYTES];
    if (!check_level(job))
        return;
    if (job->variant == RUN_PRIMARY)
        keep_options(job);
    if (directory) {
        run_cache_key(job, key);
        if (load_from_cache(job, key))
            return;
        if (job->status != TILEC_OK)
            return;
    }
    if (!generate(job))
        return;
    struct run_entry entry = run_entry_write(job);
    if (load_entry(job, entry, false) && directory)
        run_cache_store(directory, key, entry);
}

/* ---- public ---------------------------------------------------------------------------------- */

static void compile(struct run_job *job)
{
    if (job->target == RUN_INTERP)
        compile_interp(job);
    else if (job->target == RUN_CPU)
        compile_cpu(job);
    else if (job->target == RUN_MSL_HOST)
        run_compile_msl_host(job);
    else if (job->target == RUN_CUDA)
        run_cuda_compile(job);
    else
        run_job_fail(job, TILEC_ERROR_TARGET,
                     "the target 'msl-host' runs its text on this machine; `tilec emit --stage "
                     "msl` prints it",
                     "kernels for the target 'msl' run on Apple's devices only");
}

tilec_status run_add_variant(tilec_kernel *kernel, unsigned variant)
{
    struct run_job job = {.variant = (int)variant};
    if (kernel->options.passes) /* they may be gone */
        return TILEC_ERROR_INTERNAL;
    tilec_status status = run_kernel_new(kernel->context, &job.kernel);
    if (status != TILEC_OK)
        return status;
    status = run_job_run(&job, kernel->program, &kernel->options, compile);
    if (status == TILEC_OK && job.kernel->code[variant]) {
        kernel->others[variant] = job.kernel;
        kernel->code[variant] = job.kernel->code[variant];
        if (job.kernel->stats.scratch_bytes > kernel->stats.scratch_bytes)
            kernel->stats.scratch_bytes = job.kernel->stats.scratch_bytes;
        run_report_clear(kernel->context); /* the warnings were shown before */
    } else {
        run_kernel_release(job.kernel);
        status = status == TILEC_OK ? TILEC_ERROR_INTERNAL : status;
    }
    run_job_end(&job);
    return status;
}

static tilec_status compile_kernel(tilec_program *program, const tilec_compile_options *options,
                                   tilec_kernel **result)
{
    struct run_job job = {.variant = RUN_PRIMARY};
    double begin = clock_seconds();
    tilec_status status = run_kernel_new(program->context, &job.kernel);
    if (status != TILEC_OK)
        return status;
    status = run_job_run(&job, program, options, compile);
    if (status == TILEC_OK) {
        job.kernel->launch = run_launch_new(job.kernel, &program->context->scratch);
        status = job.kernel->launch ? TILEC_OK : TILEC_ERROR_NO_MEMORY;
    }
    job.kernel->seconds = clock_seconds() - begin;
    if (status == TILEC_OK)
        *result = job.kernel;
    else
        run_kernel_release(job.kernel);
    run_job_end(&job);
    return status;
}

tilec_status tilec_program_compile(tilec_program *program, const tilec_compile_options *options,
                                   tilec_kernel **kernel)
{
    if (kernel)
        *kernel = NULL;
    if (!program || !kernel)
        return run_misused(program ? program->context : NULL);
    tilec_context *context = program->context;
    run_enter(context);
    return run_leave(context, compile_kernel(program, options, kernel));
}

tilec_status tilec_compile(tilec_context *context, const tilec_source *source,
                           const tilec_compile_options *options, tilec_kernel **kernel)
{
    tilec_program *program = NULL;
    if (kernel)
        *kernel = NULL;
    if (!context || !kernel)
        return run_misused(context);
    run_enter(context);
    tilec_status status = run_program_create(context, source, &program);
    if (status == TILEC_OK)
        status = compile_kernel(program, options, kernel);
    run_program_release(program);
    return run_leave(context, status);
}
