/* The execution report of a kernel for each target; see report/report.h and tilec.h. */
#include "report/report.h"

#include "emit/emit.h"
#include "ir/number.h"
#include "run/msl_host.h"
#include "run/nvrtc.h"
#include "run/run.h"

#include <stdlib.h>
#include <string.h>

struct explanation {
    json_t *report; /* to be given back, whatever happens */
    bool as_text;
    char *text; /* of the context's allocator */
    size_t length;
};

static const char *const target_names[] = {
    [RUN_CPU] = "cpu", [RUN_INTERP] = "interp", [RUN_MSL] = "msl", [RUN_MSL_HOST] = "msl-host",
    [RUN_CUDA] = "cuda"};

/* The constexpr parameters, from wherever they were set. */
static void add_constants(const struct run_job *job, struct report_head *head)
{
    const struct lang_kernel *kernel = job->lang_kernel;
    int count = kernel ? kernel->parameter_count : 0;
    struct report_constant *constants =
        ARENA_ARRAY(job->arena, struct report_constant, (size_t)count);
    head->constants = constants;
    for (int p = 0; p < count; p++) {
        const char *name = kernel->parameters[p].name, *value = NULL;
        for (int i = 0; i < job->program->define_count; i++)
            if (strcmp(job->program->defines[i].name, name) == 0)
                value = job->program->defines[i].value;
        for (size_t i = 0; i < job->options.constant_count; i++)
            if (strcmp(job->options.constants[i].name, name) == 0)
                value = job->options.constants[i].value ? job->options.constants[i].value : "1";
        if (value && kernel->parameters[p].is_constexpr)
            constants[head->constant_count++] = (struct report_constant){name, value};
    }
}

static void add_fixed(const struct run_job *job, struct report_head *head)
{
    const struct ir_func *func = job->ir->func;
    struct report_constant *fixed =
        ARENA_ARRAY(job->arena, struct report_constant, (size_t)func->parameter_count);
    head->fixed = fixed;
    for (int p = 0; p < func->parameter_count; p++) {
        const struct ir_parameter *parameter = &func->parameters[p];
        enum ir_elem elem = (enum ir_elem)parameter->type.elem;
        if (parameter->is_fixed)
            fixed[head->fixed_count++] = (struct report_constant){
                parameter->name, ir_element_text(parameter->fixed, elem, job->arena)};
    }
}

static struct report_head head(const struct run_job *job)
{
    struct report_head head = {
        .target = target_names[job->target],
        .kernel = job->ir->func->name,
        .passes = job->passes.names,
        .pass_count = job->passes.count,
    };
    add_constants(job, &head);
    add_fixed(job, &head);
    return head;
}

/* ---- targets --------------------------------------------------------------------------------- */

static json_t *explain_interp(struct run_job *job)
{
    if (!run_job_lower(job) || !run_job_plan(job) || !run_job_optimise(job))
        return NULL;
    struct report_head of = head(job);
    return report_interp(&of, job->ir->func);
}

static const char *generate(struct run_job *job, enum cpu_format format)
{
    struct cpu_options options = {
        .level = job->level.name,
        .variants = 1u << run_job_primary(job),
        .relaxed = job->options.relaxed != 0,
    };
    if (!run_job_codegen(job, &options, format))
        return NULL;
    return arena_copy_text(job->arena, job->object.bytes, job->object.size);
}

/* What a user should know of how the code runs. */
static void add_reasons(const struct cpu_stats *stats, struct report_cpu *made)
{
    static const char *const orders[] = {
        [CPU_ORDER_ALONE] = "each thread runs its programs one after the other",
        [CPU_ORDER_SIDE_BY_SIDE] =
            "each thread runs two programs at a time, side by side: one alone would "
            "wait for its own results, or load what both need",
        [CPU_ORDER_BEHIND] =
            "each thread stores the results of one program in a loop of the next, so "
            "that memory is busy while it computes",
        [CPU_ORDER_PRODUCT] =
            "the launch runs as one matrix product, cut for caches and registers, "
            "not by the kernel's blocks (docs/matrix.md)",
    };
    made->backend = stats->order == CPU_ORDER_PRODUCT ? "matrix" : "vector";
    made->reasons[made->reason_count++] = orders[stats->order];
    if (stats->differs & CPU_VARIANT_STREAMING)
        made->reasons[made->reason_count++] =
            "launches on large arrays take another version, whose stores go past the caches";
    if (stats->differs & CPU_VARIANT_NO_OVERLAP)
        made->reasons[made->reason_count++] =
            "launches on arrays that overlap take another version, which assumes less";
}

static json_t *explain_cpu(struct run_job *job)
{
    if (!run_job_lower(job) || !run_job_plan(job) || !run_job_optimise(job) ||
        !run_job_load_cpu(job))
        return NULL;
    struct report_cpu made = {.level = job->level.name, .vector_bits = job->level.vector_bits};
    made.llvm = generate(job, CPU_LLVM_IR);
    made.assembly = made.llvm ? generate(job, CPU_ASSEMBLY) : NULL;
    if (!made.assembly)
        return NULL;
    made.scratch_bytes = job->object.stats.scratch_bytes;
    made.apart_bytes = job->object.stats.apart_bytes;
    add_reasons(&job->object.stats, &made);
    struct report_head of = head(job);
    return report_cpu(&of, &made);
}

json_t *run_job_report_gpu(struct run_job *job, const struct gpu_kernel *kernel)
{
    struct report_head of = head(job);
    return report_gpu(&of, kernel, job->arena);
}

static struct gpu_kernel *lower_gpu(struct run_job *job)
{
    return run_job_select_gpu(job) && run_job_lower(job) ? run_job_gpu(job) : NULL;
}

static json_t *explain_msl(struct run_job *job)
{
    struct gpu_kernel *kernel = lower_gpu(job);
    return kernel ? run_job_report_gpu(job, kernel) : NULL;
}

/* What clang++ made of the text, too. */
static json_t *explain_msl_host(struct run_job *job)
{
    struct text text;
    struct explanation *e = job->user;
    struct gpu_kernel *kernel = lower_gpu(job);
    if (!kernel || !run_job_gpu_text(job, kernel, &text))
        return NULL;
    bool misfit;
    struct msl_host_program *program =
        msl_host_compile(text.items, text.count, true, &misfit, &job->diagnostics);
    if (!program) {
        job->status = misfit                 ? TILEC_ERROR_IO
                      : msl_host_available() ? TILEC_ERROR_INTERNAL
                                             : TILEC_ERROR_TARGET;
        return NULL;
    }
    json_int_t shared = (json_int_t)msl_host_shared_bytes(program);
    msl_host_free(program);
    e->report = run_job_report_gpu(job, kernel);
    bool fine = report_toolchain(e->report, "compiler", json_string("clang++")) &&
                report_toolchain(e->report, "threadgroup_bytes", json_integer(shared));
    return fine ? e->report : NULL;
}

/* Blocks that a multiprocessor holds at once. Registers are handed out to warps by 256, shared memory
 * comes with 1 KiB of the system's for each block. */
static int blocks_at_once(const struct gpu_target *target, const struct gpu_kernel *kernel,
                          const struct nvrtc_resources *resources, int shared_bytes)
{
    int per_warp = (resources->registers * GPU_LANES + 255) / 256 * 256;
    int threads = kernel->threads / kernel->blocks * kernel->programs;
    int by_registers = per_warp ? 65536 / per_warp / (threads / GPU_LANES) : target->most_blocks;
    int by_threads = target->resident_threads / threads;
    int by_shared = target->resident_shared_bytes / (shared_bytes + 1024);
    int blocks = target->most_blocks;
    blocks = by_registers < blocks ? by_registers : blocks;
    blocks = by_threads < blocks ? by_threads : blocks;
    blocks = by_shared < blocks ? by_shared : blocks;
    int by_barriers = kernel->plan->most_resident; /* 0: any number */
    /* numbers that are known only when it runs take all that a block has */
    if (kernel->programs > 1)
        by_barriers = target->resident_barriers / target->program_barriers;
    return by_barriers > 0 && by_barriers < blocks ? by_barriers : blocks;
}

static bool add_resources(struct run_job *job, const struct gpu_kernel *kernel,
                          const struct nvrtc_output *code, json_t *report)
{
    const struct nvrtc_resources *r = &code->resources;
    int shared = r->shared_bytes + emit_dynamic_shared(kernel, &emit_cuda);
    int blocks = blocks_at_once(job->gpu, kernel, r, shared);
    int threads = kernel->threads / kernel->blocks * kernel->programs;
    double occupancy = (double)(blocks * threads) / job->gpu->resident_threads;
    return report_toolchain(report, "arch", json_string(job->arch)) &&
           report_toolchain(report, "registers", json_integer(r->registers)) &&
           report_toolchain(report, "spill_bytes", json_integer(r->spill_bytes)) &&
           report_toolchain(report, "stack_bytes", json_integer(r->stack_bytes)) &&
           report_toolchain(report, "shared_bytes", json_integer(shared)) &&
           report_toolchain(report, "code_bytes", json_integer((json_int_t)code->size)) &&
           report_toolchain(report, "blocks_per_multiprocessor", json_integer(blocks)) &&
           report_toolchain(report, "occupancy", json_real(occupancy));
}

/* What NVIDIA's compiler made of the text, too. */
static json_t *explain_cuda(struct run_job *job)
{
    struct text text;
    struct explanation *e = job->user;
    struct nvrtc_output code;
    struct gpu_kernel *kernel = lower_gpu(job);
    if (!kernel || !run_job_gpu_text(job, kernel, &text))
        return NULL;
    struct nvrtc_request request = {
        .text = text.items, .arch = job->arch, .relaxed = job->options.relaxed != 0};
    if (!run_job_nvrtc(job, &request, &code))
        return NULL;
    e->report = run_job_report_gpu(job, kernel);
    return e->report && add_resources(job, kernel, &code, e->report) ? e->report : NULL;
}

static json_t *(*const explainers[])(struct run_job *job) = {
    [RUN_CPU] = explain_cpu,
    [RUN_INTERP] = explain_interp,
    [RUN_MSL] = explain_msl,
    [RUN_MSL_HOST] = explain_msl_host,
    [RUN_CUDA] = explain_cuda,
};

/* ---- results --------------------------------------------------------------------------------- */

static void hand_out(struct run_job *job, const char *text, size_t length)
{
    struct explanation *e = job->user;
    e->text = run_allocate(job->context, length + 2, 1);
    e->length = length;
    if (!e->text) {
        job->status = TILEC_ERROR_NO_MEMORY;
        return;
    }
    memcpy(e->text, text, length);
    if (length && text[length - 1] != '\n')
        e->text[e->length++] = '\n';
}

static void explain(struct run_job *job)
{
    struct explanation *e = job->user;
    struct text text;
    text_init(&text, job->arena);
    json_t *report = explainers[job->target](job);
    if (job->status != TILEC_OK)
        return;
    e->report = report;
    if (!report) {
        job->status = TILEC_ERROR_NO_MEMORY;
        return;
    }
    if (e->as_text) {
        report_text(report, &text);
        hand_out(job, text.items, text.count);
        return;
    }
    char *json = json_dumps(report, JSON_INDENT(2));
    if (json)
        hand_out(job, json, strlen(json));
    else
        job->status = TILEC_ERROR_NO_MEMORY;
    free(json);
}

tilec_status tilec_explain(tilec_program *program, const tilec_compile_options *options,
                           tilec_report_form form, char **text, size_t *length)
{
    struct explanation e = {.as_text = form == TILEC_REPORT_TEXT};
    struct run_job job = {.variant = RUN_PRIMARY, .user = &e};
    if (text)
        *text = NULL;
    if (length)
        *length = 0;
    if (!program || !text)
        return run_misused(program ? program->context : NULL);
    run_enter(program->context);
    tilec_status status;
    if ((unsigned)form > TILEC_REPORT_TEXT) {
        status = run_fail(program->context, TILEC_ERROR_INVALID, NULL, "unknown form");
        return run_leave(program->context, status);
    }
    status = run_job_run(&job, program, options, explain);
    run_job_end(&job);
    json_decref(e.report);
    *text = e.text;
    if (length)
        *length = e.length;
    return run_leave(program->context, status);
}
