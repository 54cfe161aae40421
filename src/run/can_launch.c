/*
 * Refuses a kernel that no launch can meet the requirements of: the constants that it was compiled
 * with, and the scalars that were fixed, decide a launch_require, and it does not hold. Whoever
 * makes an object or text of such a kernel would learn it at the first launch only.
 */
#include "lang/lang.h"
#include "opt/opt.h"
#include "run/run.h"

#include <string.h>

/* Whether the values that are known make the condition false, whatever the others are. */
static bool never_holds(struct run_job *job, const struct ir_launch_require *require)
{
    static const char *const decide[] = {"fold", "dce"};
    struct opt_options options = {.pass_limit = -1, .only = decide, .only_count = 2};
    struct ir_func *copy = ir_func_clone(job->arena, require->condition);
    int64_t holds;
    return opt_run(copy, &options, &job->diagnostics) && copy->body->last &&
           copy->body->last->code == IR_OP_RETURN &&
           ir_constant_int(copy->body->last->operands[0], &holds) && !holds;
}

/* The text that gave the parameter its value, or NULL. */
static const char *value_text(const struct run_job *job, const char *name)
{
    const tilec_compile_options *options = &job->options;
    for (size_t i = 0; i < options->constant_count; i++)
        if (strcmp(options->constants[i].name, name) == 0)
            return options->constants[i].value ? options->constants[i].value : "1";
    for (int i = 0; i < job->program->define_count; i++)
        if (strcmp(job->program->defines[i].name, name) == 0)
            return job->program->defines[i].value;
    return NULL;
}

/* "it was compiled with n = 65, BLOCK = 16"; NULL: with nothing. */
static const char *given(struct run_job *job)
{
    struct text text;
    text_init(&text, job->arena);
    const struct lang_kernel *kernel = job->lang_kernel;
    for (int i = 0; kernel && i < kernel->parameter_count; i++) {
        const struct lang_parameter *parameter = &kernel->parameters[i];
        const char *value = value_text(job, parameter->name);
        if (value && !parameter->pointer)
            text_format(&text, "%s%s = %s", text.count ? ", " : "it was compiled with ",
                        parameter->name, value);
    }
    return text.count ? text.items : NULL;
}

bool run_job_can_launch(struct run_job *job)
{
    for (int i = 0; i < job->ir->require_count; i++) {
        const struct ir_launch_require *require = &job->ir->launch_requires[i];
        if (!never_holds(job, require))
            continue;
        struct diagnostic *added =
            diagnostics_add(&job->diagnostics, DIAGNOSTIC_ERROR, require->range,
                            "kernel '%s': no launch can meet this launch_require: %s",
                            job->kernel_name, require->text);
        const char *hint = given(job);
        if (added && hint)
            diagnostics_hint(&job->diagnostics, added, "%s", hint);
        job->status = TILEC_ERROR_REQUIREMENT;
        return false;
    }
    return true;
}
