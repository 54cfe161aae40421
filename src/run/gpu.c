/* Kernels as GPU IR and as MSL text; see run.h. */
#include "emit/emit.h"
#include "run/run.h"

struct gpu_kernel *run_job_gpu(struct run_job *job)
{
    struct gpu_options options;
    struct gpu_kernel *kernel = NULL;
    struct gpu_plan *plan = plan_gpu(job->ir, &gpu_target_msl, job->options.relaxed != 0,
                                     job->arena, &job->diagnostics);
    job->has_gpu_passes = true;
    if (plan && (!run_job_optimise(job) || !run_job_gpu_options(job, &options)))
        return NULL;
    if (plan) /* the export and msl-host compute a prologue */
        plan->hoists = plan->target == &gpu_target_msl;
    if (plan)
        kernel = gpu_lower(job->ir, plan, &options, job->arena, &job->diagnostics);
    if (!kernel)
        job->status = plan && job->options.passes ? TILEC_ERROR_INVALID : TILEC_ERROR_COMPILE;
    return kernel;
}

bool run_job_msl(struct run_job *job, const struct gpu_kernel *kernel, struct text *text)
{
    text_init(text, job->arena);
    if (emit_kernel(kernel, &emit_msl, text, &job->diagnostics))
        return true;
    job->status = TILEC_ERROR_COMPILE;
    return false;
}
