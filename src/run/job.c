/*
 * The steps of a compilation: lang -> opt -> plan -> code; see run.h.
 *
 * A step returns false when it failed, with a diagnostic added and job->status set. Compilations,
 * emitting text and building objects are different sequences of the same steps.
 */
#include "base/guard.h"
#include "base/suggest.h"
#include "opt/opt.h"
#include "plan/plan.h"
#include "run/run.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool run_job_fail(struct run_job *job, tilec_status status, const char *hint, const char *format,
                  ...)
{
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    struct diagnostic *added = diagnostics_add(&job->diagnostics, DIAGNOSTIC_ERROR,
                                               (struct source_range){0}, "%s", message);
    if (hint)
        diagnostics_hint(&job->diagnostics, added, "%s", hint);
    job->status = status;
    return false;
}

/* For a step whose diagnostics say why. */
static bool failed(struct run_job *job, tilec_status status)
{
    job->status = status;
    return false;
}

/* ---- selecting ------------------------------------------------------------------------------- */

static bool no_kernel(struct run_job *job, const char *wanted)
{
    char hint[160];
    struct suggestion suggestion = {.name = wanted ? wanted : ""};
    for (size_t i = 0; i < tilec_program_kernel_count(job->program); i++)
        suggestion_offer(&suggestion, tilec_program_kernel_name(job->program, i));
    const char *file = job->program->file->name;
    if (!wanted)
        return run_job_fail(job, TILEC_ERROR_NOT_FOUND, NULL, "'%s' has no kernel", file);
    return run_job_fail(job, TILEC_ERROR_NOT_FOUND,
                        run_did_you_mean(hint, sizeof hint, suggestion.best),
                        "'%s' has no kernel '%s'", file, wanted);
}

static bool select_kernel(struct run_job *job)
{
    const char *wanted = job->options.kernel;
    if (job->program->unit) {
        job->lang_kernel = lang_find_kernel(job->program->unit, wanted);
        if (!job->lang_kernel)
            return no_kernel(job, wanted);
        job->kernel_name = job->lang_kernel->name;
        return true;
    }
    job->kernel_name = job->program->ir->func->name;
    return !wanted || strcmp(wanted, job->kernel_name) == 0 ? true : no_kernel(job, wanted);
}

static const struct {
    const char *name;
    enum run_target target;
} targets[] = {
    {"cpu", RUN_CPU},
    {"interp", RUN_INTERP},
    {"msl", RUN_MSL},
    {"msl-host", RUN_MSL_HOST},
    {"cuda", RUN_CUDA},
};

static bool select_target(struct run_job *job)
{
    const char *usual = job->program->metal ? "msl-host" : "cpu";
    const char *target = job->options.target ? job->options.target : usual;
    struct text hint;
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        if (strcmp(target, targets[i].name) != 0)
            continue;
        job->target = targets[i].target;
        return true;
    }
    text_init(&hint, job->arena);
    text_string(&hint, "the targets are");
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        text_format(&hint, "%s '%s'", i ? "," : "", targets[i].name);
    return run_job_fail(job, TILEC_ERROR_TARGET, hint.items, "unknown target '%s'", target);
}

bool run_job_select_gpu(struct run_job *job)
{
    const char *arch = job->options.arch ? job->options.arch : "sm_80";
    job->gpu = job->target == RUN_CUDA ? gpu_target_cuda(arch) : &gpu_target_msl;
    job->arch = arch;
    if (job->gpu)
        return true;
    return run_job_fail(job, TILEC_ERROR_TARGET, "write 'sm_80', 'sm_90a' or a later one",
                        "the target 'cuda' has no architecture '%s'", arch);
}

static bool select_level(struct run_job *job)
{
    const char *level = job->options.cpu ? job->options.cpu : "native";
    struct text hint;
    if (cpu_level_find(level, &job->level))
        return true;
    text_init(&hint, job->arena);
    text_string(&hint, "this machine's architecture has the levels");
    for (const char *const *name = cpu_level_names(); *name; name++)
        text_format(&hint, " '%s'", *name);
    return run_job_fail(job, TILEC_ERROR_TARGET, hint.items, "unknown CPU level '%s'", level);
}

/* Kernel, target and level. */
static bool select_all(struct run_job *job)
{
    return select_kernel(job) && select_target(job) && select_level(job);
}

/* ---- lowering -------------------------------------------------------------------------------- */

static bool parse_integer(const char *text, int64_t *value)
{
    char *end;
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
        *value = text[0] == 't';
        return true;
    }
    if (*text != '-' && (*text < '0' || *text > '9'))
        return false;
    errno = 0;
    *value = strtoll(text, &end, 0);
    return *end == '\0' && end != text && errno == 0;
}

static bool no_constant(struct run_job *job, const char *name)
{
    char near[160];
    struct suggestion suggestion = {.name = name};
    const char *hint = NULL;
    const struct lang_kernel *kernel = job->lang_kernel;
    for (int i = 0; i < kernel->parameter_count; i++) {
        const struct lang_parameter *p = &kernel->parameters[i];
        if (!p->pointer)
            suggestion_offer(&suggestion, p->name);
        else if (strcmp(p->name, name) == 0)
            hint = "it is an array, whose address and elements are only known at a launch";
    }
    return run_job_fail(job, TILEC_ERROR_NOT_FOUND,
                        hint ? hint : run_did_you_mean(near, sizeof near, suggestion.best),
                        "kernel '%s' has no parameter '%s' that a constant can set",
                        job->kernel_name, name);
}

/* Refuses a second value for a constant: which of them `#if` and the code see, none could tell. */
static bool is_given_once(struct run_job *job, const struct lang_binding *bindings, size_t at)
{
    const struct lang_binding *new = &bindings[at];
    int64_t value;
    for (size_t i = 0; i < at; i++)
        if (strcmp(bindings[i].name, new->name) == 0 && bindings[i].value != new->value)
            return run_job_fail(job, TILEC_ERROR_INVALID, NULL,
                                "the constant '%s' is given twice, as %lld and as %lld", new->name,
                                (long long)bindings[i].value, (long long)new->value);
    for (int i = 0; i < job->program->define_count; i++) {
        const struct lang_define *define = &job->program->defines[i];
        if (strcmp(define->name, new->name) == 0 &&
            (!parse_integer(define->value, &value) || value != new->value))
            return run_job_fail(job, TILEC_ERROR_INVALID, NULL,
                                "the constant '%s' is given twice, as %lld and by a define as %s",
                                new->name, (long long)new->value, define->value);
    }
    return true;
}

static bool read_constants(struct run_job *job, struct lang_binding *bindings)
{
    const struct lang_kernel *kernel = job->lang_kernel;
    for (size_t i = 0; i < job->options.constant_count; i++) {
        const tilec_define *constant = &job->options.constants[i];
        bool found = false;
        for (int p = 0; p < kernel->parameter_count; p++)
            found = found || (!kernel->parameters[p].pointer &&
                              strcmp(kernel->parameters[p].name, constant->name) == 0);
        if (!found)
            return no_constant(job, constant->name);
        bindings[i].name = constant->name;
        if (!parse_integer(constant->value ? constant->value : "1", &bindings[i].value))
            return run_job_fail(job, TILEC_ERROR_INVALID, NULL,
                                "the constant '%s' must be an integer, not '%s'", constant->name,
                                constant->value);
        if (!is_given_once(job, bindings, i))
            return false;
    }
    return true;
}

static bool lower_lang(struct run_job *job)
{
    struct lang_unit *unit = job->program->unit;
    const tilec_compile_options *options = &job->options;
    int count = (int)options->constant_count;
    struct lang_binding *bindings =
        ARENA_ARRAY(job->arena, struct lang_binding, options->constant_count);
    if (!read_constants(job, bindings))
        return false;
    unit->arena = job->arena; /* until run_job_run puts the program's back */
    job->ir = lang_lower(unit, &job->diagnostics, job->lang_kernel, bindings, count,
                         options->requirements, (int)options->requirement_count);
    if (job->ir && options->grid) {
        job->ir->grid = lang_lower_grid(unit, &job->diagnostics, job->lang_kernel, bindings, count,
                                        options->grid);
        if (!job->ir->grid)
            job->ir = NULL;
    }
    return job->ir ? true : failed(job, TILEC_ERROR_COMPILE);
}

/* Tile IR is read anew, because the passes change it. */
static bool read_ir(struct run_job *job)
{
    const tilec_compile_options *options = &job->options;
    if (options->constant_count || options->requirement_count || options->grid)
        return run_job_fail(job, TILEC_ERROR_INVALID, NULL,
                            "Tile IR takes no constants, requirements or grid");
    job->ir = ir_kernel_read(job->arena, &job->diagnostics, job->program->file);
    if (!job->ir || !ir_verify(job->ir->func, &job->diagnostics))
        return failed(job, TILEC_ERROR_COMPILE);
    return true;
}

bool run_job_lower(struct run_job *job)
{
    if (job->program->metal)
        return run_job_fail(job, TILEC_ERROR_TARGET, "run it with the target 'msl-host'",
                            "'%s' is Metal source, of which nothing else is made",
                            job->program->file->name);
    return (job->program->unit ? lower_lang(job) : read_ir(job)) && run_job_can_launch(job);
}

/* ---- planning -------------------------------------------------------------------------------- */

/* Buffer sizes are read off the kernel as it was written, with one mask per access; later passes
 * take loops apart. A few passes on a copy make equal values one. */
bool run_job_needs(struct run_job *job)
{
    static const char *const simplify[] = {"fold", "cse", "dce"};
    struct opt_options options = {.pass_limit = -1, .only = simplify, .only_count = 3};
    struct ir_func *copy = ir_func_clone(job->arena, job->ir->func);
    if (!opt_run(copy, &options, &job->diagnostics))
        return failed(job, TILEC_ERROR_INTERNAL);
    plan_bounds(job->ir, copy, job->arena);
    return true;
}

bool run_job_require(struct run_job *job)
{
    struct plan_target target = {
        .name = job->target == RUN_CPU ? "cpu" : "interp",
        .level = job->level.name,
        .has_schedule = job->target == RUN_CPU,
        .relaxed = job->options.relaxed != 0,
        .vector_bits = job->level.vector_bits,
    };
    switch (plan_requirements(job->ir, &target, &job->diagnostics)) {
    case PLAN_MET:
        return true;
    case PLAN_WRONG:
        return failed(job, TILEC_ERROR_COMPILE);
    case PLAN_REFUSED:
        return failed(job, TILEC_ERROR_REQUIREMENT);
    }
    return false;
}

bool run_job_plan(struct run_job *job)
{
    return run_job_require(job) && (job->target != RUN_CPU || run_job_needs(job));
}

/* ---- passes ---------------------------------------------------------------------------------- */

static void on_dump(void *user, const struct opt_dump *dump)
{
    const tilec_pass_options *passes = user;
    tilec_dump out = {dump->pass, dump->number, dump->changed, dump->text};
    passes->on_dump(passes->user, &out);
}

static void on_time(void *user, const char *pass, double seconds)
{
    const tilec_pass_options *passes = user;
    passes->on_time(passes->user, pass, seconds);
}

static void read_passes(tilec_pass_options *passes, struct opt_options *options)
{
    options->verify_each = passes->verify_each != 0;
    options->off = passes->off;
    options->off_count = (int)passes->off_count;
    options->only = passes->only;
    options->only_count = (int)passes->only_count;
    options->stop_after = passes->stop_after;
    options->pass_limit = passes->limited ? passes->limit : -1;
    options->dump = passes->dump;
    options->on_dump = passes->on_dump ? on_dump : NULL;
    options->on_time = passes->on_time ? on_time : NULL;
    options->user = passes;
}

/* Host functions are small and called at every launch: always optimised, never dumped. */
static bool optimise_host(struct run_job *job)
{
    struct opt_options options = {.pass_limit = -1};
    bool good = !job->ir->grid || opt_run(job->ir->grid, &options, &job->diagnostics);
    good = good && (!job->ir->needs || opt_run(job->ir->needs, &options, &job->diagnostics));
    for (int i = 0; good && i < job->ir->require_count; i++)
        good = opt_run(job->ir->launch_requires[i].condition, &options, &job->diagnostics);
    return good ? true : failed(job, TILEC_ERROR_INTERNAL);
}

bool run_job_optimise(struct run_job *job)
{
    struct opt_options options = {.pass_limit = -1};
    tilec_pass_options passes;
    /* The interpreter runs what was written, unless a pass is what is to be tested. */
    if (job->target == RUN_INTERP && !job->options.passes)
        return true;
    RUN_READ_OPTIONS(&passes, job->options.passes);
    read_passes(&passes, &options);
    if (job->has_gpu_passes)
        run_job_tile_options(job, &passes, &options);
    else if (!run_job_only_tile_options(job, &passes))
        return false;
    options.log = &job->passes;
    options.unrolls = true;
    options.carries_in_memory = job->target == RUN_CPU || job->target == RUN_INTERP;
    options.bounds_in_nests = job->target == RUN_CPU;
    if (!opt_run(job->ir->func, &options, &job->diagnostics))
        return failed(job, job->options.passes ? TILEC_ERROR_INVALID : TILEC_ERROR_INTERNAL);
    return optimise_host(job);
}

/* ---- code ------------------------------------------------------------------------------------ */

bool run_job_load_cpu(struct run_job *job)
{
    char why[512];
    const char *hint = NULL;
    if (!job->context->cpu)
        job->context->cpu = run_open_cpu_module(why, sizeof why, &hint);
    if (job->context->cpu)
        return true;
    return run_job_fail(job, TILEC_ERROR_TARGET, hint, "the CPU backend cannot be used: %s", why);
}

bool run_job_codegen(struct run_job *job, const struct cpu_options *options, enum cpu_format format)
{
    free(job->object.bytes);
    job->object = (struct cpu_output){0};
    if (job->context->cpu->compile(job->ir, options, format, job->arena, &job->diagnostics,
                                   &job->object))
        return true;
    return failed(job, TILEC_ERROR_COMPILE);
}

/* Two buffers, one of them written, that may be the same memory as far as the text says. */
static bool may_overlap(const struct ir_func *func)
{
    for (int i = 0; i < func->parameter_count; i++) {
        const struct ir_parameter *a = &func->parameters[i];
        for (int k = 0; k < i; k++) {
            const struct ir_parameter *b = &func->parameters[k];
            if (a->type.pointer && b->type.pointer && !(a->is_const && b->is_const) &&
                !a->is_restrict && !b->is_restrict)
                return true;
        }
    }
    return false;
}

static bool writes(const struct ir_func *func)
{
    for (int i = 0; i < func->parameter_count; i++)
        if (func->parameters[i].type.pointer && !func->parameters[i].is_const)
            return true;
    return false;
}

/* Buffers seldom overlap. With passes of the caller's nothing can be made later, so what is made
 * must do for every launch. */
unsigned run_job_primary(const struct run_job *job)
{
    return may_overlap(job->ir->func) && !job->options.passes ? CPU_VARIANT_NO_OVERLAP : 0;
}

/* Streaming pays for large outputs, which do not overlap their inputs as a rule. */
unsigned run_job_variants(const struct ir_kernel *kernel)
{
    unsigned variants = 1u << 0;
    unsigned best = 0;
    if (may_overlap(kernel->func)) {
        best = CPU_VARIANT_NO_OVERLAP;
        variants |= 1u << best;
    }
    if (writes(kernel->func))
        variants |= 1u << (best | CPU_VARIANT_STREAMING);
    return variants;
}

/* ---- running a job --------------------------------------------------------------------------- */

struct running {
    struct run_job *job;
    void (*work)(struct run_job *job);
};

static void run_work(void *user)
{
    struct running *running = user;
    struct run_job *job = running->job;
    diagnostics_init(&job->diagnostics, job->arena);
    if (job->kernel)
        job->kernel->arena.on_failure = job->arena->on_failure;
    if (select_all(job))
        running->work(job);
}

static bool are_texts(const char *const *texts, size_t count)
{
    if (count > 10000 || (count && !texts))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!texts[i])
            return false;
    return true;
}

static bool are_passes_valid(const tilec_pass_options *given)
{
    tilec_pass_options passes;
    return RUN_READ_OPTIONS(&passes, given) && are_texts(passes.off, passes.off_count) &&
           are_texts(passes.only, passes.only_count);
}

bool run_read_compile_options(tilec_compile_options *options, const tilec_compile_options *given)
{
    if (!RUN_READ_OPTIONS(options, given) || options->constant_count > 10000 ||
        (options->constant_count && !options->constants))
        return false;
    for (size_t i = 0; i < options->constant_count; i++)
        if (!options->constants[i].name)
            return false;
    return are_texts(options->requirements, options->requirement_count) &&
           are_texts(options->aligned, options->aligned_count) && are_passes_valid(options->passes);
}

tilec_status run_bad_options(tilec_context *context)
{
    return run_fail(context, TILEC_ERROR_INVALID, NULL,
                    "the compile options have a bad size, or an array without its entries");
}

/* Kernels of all targets but the CPU's keep their IR, for its host functions. */
static bool keeps_ir(const char *target)
{
    return target && strcmp(target, "cpu") != 0;
}

tilec_status run_job_run(struct run_job *job, tilec_program *program,
                         const tilec_compile_options *options, void (*work)(struct run_job *job))
{
    struct running running = {job, work};
    job->context = program->context;
    job->program = program;
    arena_init(&job->own, job->context->allocator, NULL);
    job->arena = &job->own;
    if (!run_read_compile_options(&job->options, options))
        return run_bad_options(job->context);
    if (job->kernel && (program->metal || keeps_ir(job->options.target)))
        job->arena = &job->kernel->arena;
    bool finished = guard_run(job->arena, run_work, &running);
    if (program->unit)
        program->unit->arena = &program->arena;
    if (!finished) {
        run_report_no_memory(job->context);
        return TILEC_ERROR_NO_MEMORY;
    }
    run_report_add(job->context, &job->diagnostics);
    return job->status;
}

void run_job_end(struct run_job *job)
{
    free(job->object.bytes);
    arena_free(&job->own);
}
