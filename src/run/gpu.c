/* Kernels as GPU IR and as MSL text; see run.h. The options' passes are those of Tile IR. */
#include "emit/emit.h"
#include "run/run.h"

struct gpu_kernel *run_job_gpu(struct run_job *job)
{
    struct gpu_options options = {.verify_each = job->options.passes != NULL};
    struct gpu_kernel *kernel = NULL;
    struct gpu_plan *plan = plan_gpu(job->ir, &gpu_target_msl, job->options.relaxed != 0,
                                     job->arena, &job->diagnostics);
    if (plan && !run_job_optimise(job))
        return NULL;
    if (plan)
        kernel = gpu_lower(job->ir, plan, &options, job->arena, &job->diagnostics);
    if (!kernel)
        job->status = TILEC_ERROR_COMPILE;
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
