/* What a kernel becomes at each stage, as text; see tilec.h. */
#include "run/run.h"

#include <string.h>

struct emission {
    tilec_stage stage;
    char *text; /* of the context's allocator */
    size_t length;
};

static void hand_out(struct run_job *job, const char *text, size_t length)
{
    struct emission *emission = job->user;
    emission->text = run_allocate(job->context, length + 1, 1);
    emission->length = length;
    if (emission->text && length)
        memcpy(emission->text, text, length);
    if (!emission->text)
        job->status = TILEC_ERROR_NO_MEMORY;
}

static void emit_tile(struct run_job *job, tilec_stage stage)
{
    struct text text;
    job->target = RUN_INTERP; /* which meets every requirement that there is */
    if (!run_job_lower(job) || !run_job_require(job))
        return;
    job->target = RUN_CPU; /* the passes run, whatever the target */
    if (stage == TILEC_STAGE_TILE && !run_job_optimise(job))
        return;
    text_init(&text, job->arena);
    ir_kernel_print(job->ir, &text);
    hand_out(job, text.items, text.count);
}

static void emit_code(struct run_job *job, tilec_stage stage)
{
    if (job->target != RUN_CPU) {
        run_job_fail(job, TILEC_ERROR_TARGET, NULL,
                     "the target '%s' has no code: stages 'llvm' and 'asm' are of 'cpu'",
                     job->options.target);
        return;
    }
    if (!run_job_lower(job) || !run_job_plan(job) || !run_job_optimise(job) ||
        !run_job_load_cpu(job))
        return;
    struct cpu_options options = {
        .level = job->level.name,
        .variants = 1, /* one is enough to read */
        .relaxed = job->options.relaxed != 0,
    };
    if (run_job_codegen(job, &options, stage == TILEC_STAGE_LLVM ? CPU_LLVM_IR : CPU_ASSEMBLY))
        hand_out(job, job->object.bytes, job->object.size);
}

static void emit_gpu(struct run_job *job, tilec_stage stage)
{
    struct text text;
    bool given = job->options.target != NULL;
    enum run_target of_stage = stage == TILEC_STAGE_CUDA ? RUN_CUDA : RUN_MSL;
    if (given && job->target != RUN_MSL && job->target != RUN_MSL_HOST &&
        job->target != RUN_CUDA) {
        run_job_fail(job, TILEC_ERROR_TARGET, "leave the target out, or use 'msl' or 'cuda'",
                     "the target '%s' has no GPU IR", job->options.target);
        return;
    }
    if (given && stage != TILEC_STAGE_GPU && (job->target == RUN_CUDA) != (of_stage == RUN_CUDA)) {
        run_job_fail(job, TILEC_ERROR_TARGET, "leave the target out",
                     "the target '%s' has no such stage", job->options.target);
        return;
    }
    job->target = given ? job->target : of_stage;
    bool selected = run_job_select_gpu(job);
    struct gpu_kernel *kernel = selected && run_job_lower(job) ? run_job_gpu(job) : NULL;
    if (!kernel)
        return;
    text_init(&text, job->arena);
    if (stage == TILEC_STAGE_GPU)
        ir_print(kernel->func, &text);
    else if (!run_job_gpu_text(job, kernel, &text))
        return;
    hand_out(job, text.items, text.count);
}

static void emit(struct run_job *job)
{
    const struct emission *emission = job->user;
    if (emission->stage >= TILEC_STAGE_GPU)
        emit_gpu(job, emission->stage);
    else if (emission->stage == TILEC_STAGE_LLVM || emission->stage == TILEC_STAGE_ASSEMBLY)
        emit_code(job, emission->stage);
    else
        emit_tile(job, emission->stage);
}

/* The tree is that of the whole file and needs no kernel, constants or target. */
static void print_tree(struct run_job *job)
{
    struct text text;
    if (!job->program->unit) {
        run_job_fail(job, TILEC_ERROR_INVALID, NULL, "Tile IR has no syntax tree");
        return;
    }
    text_init(&text, job->arena);
    lang_print(job->program->unit, &text);
    hand_out(job, text.items, text.count);
}

tilec_status tilec_emit(tilec_program *program, const tilec_compile_options *options,
                        tilec_stage stage, char **text, size_t *length)
{
    struct emission emission = {.stage = stage};
    struct run_job job = {.variant = RUN_PRIMARY, .user = &emission};
    if (text)
        *text = NULL;
    if (length)
        *length = 0;
    if (!program || !text)
        return run_misused(program ? program->context : NULL);
    run_enter(program->context);
    tilec_status status;
    if ((unsigned)stage > TILEC_STAGE_CUDA) {
        status = run_fail(program->context, TILEC_ERROR_INVALID, NULL, "unknown stage");
        return run_leave(program->context, status);
    }
    status = run_job_run(&job, program, stage == TILEC_STAGE_AST ? NULL : options,
                         stage == TILEC_STAGE_AST ? print_tree : emit);
    run_job_end(&job);
    *text = emission.text;
    if (length)
        *length = emission.length;
    return run_leave(program->context, status);
}
