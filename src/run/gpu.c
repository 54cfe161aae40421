/* Kernels as GPU IR, and as text in Metal's language or CUDA C++; see run.h. */
#include "emit/emit.h"
#include "run/run.h"

#include <string.h>

uint64_t run_alignable(const struct ir_func *func)
{
    uint64_t set = 0;
    for (int i = 0; i < func->parameter_count && i < 64; i++) {
        struct ir_type type = func->parameters[i].type;
        if (type.pointer || ir_is_integer((enum ir_elem)type.elem))
            set |= UINT64_C(1) << i;
    }
    return set;
}

/* The parameters that the options promise to be multiples of 16. */
static bool read_aligned(struct run_job *job, uint64_t *aligned)
{
    const struct ir_func *func = job->ir->func;
    *aligned = 0;
    for (size_t k = 0; k < job->options.aligned_count; k++) {
        const char *name = job->options.aligned[k];
        int i = 0;
        if (strcmp(name, "all") == 0) {
            *aligned = run_alignable(func);
            continue;
        }
        while (i < func->parameter_count && strcmp(func->parameters[i].name, name) != 0)
            i++;
        if (i == func->parameter_count || !(run_alignable(func) >> i & 1))
            return run_job_fail(job, TILEC_ERROR_NOT_FOUND, NULL,
                                "kernel '%s' has no array and no integer '%s' that could be a "
                                "multiple of 16",
                                job->kernel_name, name);
        *aligned |= UINT64_C(1) << i;
    }
    return true;
}

/* Whether the file's grid is known, because its scalars are fixed, and is that large. */
static bool has_many_programs(const struct ir_kernel *kernel)
{
    int64_t programs = 1, size;
    const struct ir_op *last = kernel->grid ? kernel->grid->body->last : NULL;
    for (int axis = 0; last && axis < last->operand_count; axis++) {
        if (!ir_constant_int(last->operands[axis], &size) || size < 0 ||
            __builtin_mul_overflow(programs, size, &programs))
            return false;
    }
    return last && programs >= GPU_MANY_PROGRAMS;
}

struct gpu_plan *run_job_gpu_plan(struct run_job *job)
{
    uint64_t aligned;
    if (!read_aligned(job, &aligned))
        return NULL;
    struct gpu_plan *plan = plan_gpu(job->ir, job->gpu, job->options.relaxed != 0, job->arena,
                                     &job->diagnostics);
    if (!plan) {
        job->status = TILEC_ERROR_COMPILE;
        return NULL;
    }
    plan->aligned = aligned;
    if (!run_job_optimise(job))
        return NULL;
    plan->many_programs = has_many_programs(job->ir);
    return plan;
}

struct gpu_kernel *run_job_gpu(struct run_job *job)
{
    struct gpu_options options;
    struct gpu_kernel *kernel = NULL;
    job->has_gpu_passes = true;
    struct gpu_plan *plan = run_job_gpu_plan(job);
    if (!plan || !run_job_gpu_options(job, &options))
        return NULL;
    plan->hoists = plan->target == &gpu_target_msl; /* its export and msl-host compute a prologue */
    kernel = gpu_lower(job->ir, plan, &options, job->arena, &job->diagnostics);
    if (!kernel)
        job->status = job->options.passes ? TILEC_ERROR_INVALID : TILEC_ERROR_COMPILE;
    return kernel;
}

bool run_job_gpu_text(struct run_job *job, const struct gpu_kernel *kernel, struct text *text)
{
    const struct emit_dialect *dialect = job->target == RUN_CUDA ? &emit_cuda : &emit_msl;
    text_init(text, job->arena);
    if (emit_kernel(kernel, dialect, text, &job->diagnostics))
        return true;
    job->status = TILEC_ERROR_COMPILE;
    return false;
}
