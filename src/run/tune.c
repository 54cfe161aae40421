/* Values for the constexpr parameters that a caller leaves open; see tilec.h. */
#include "base/guard.h"
#include "base/suggest.h"
#include "run/run.h"

struct choice {
    tilec_program *program;
    const struct lang_kernel *kernel;
    const tilec_value *known;
    size_t known_count;
    struct arena arena;
    struct lang_binding *chosen;
    int count;
};

static void choose(void *user)
{
    struct choice *choice = user;
    struct lang_unit *unit = choice->program->unit;
    struct lang_binding *known =
        ARENA_ARRAY(&choice->arena, struct lang_binding, choice->known_count);
    for (size_t i = 0; i < choice->known_count; i++)
        known[i] = (struct lang_binding){choice->known[i].name, choice->known[i].value};
    unit->arena = &choice->arena; /* until tilec_program_tune puts the program's back */
    lang_tune_choose(unit, choice->kernel, known, (int)choice->known_count, &choice->chosen,
                     &choice->count);
}

static tilec_status hand_out(struct choice *choice, tilec_value **chosen, size_t *count)
{
    tilec_context *context = choice->program->context;
    tilec_value *values = run_allocate(context, (size_t)choice->count + 1, sizeof *values);
    if (!values)
        return TILEC_ERROR_NO_MEMORY;
    for (int i = 0; i < choice->count; i++)
        values[i] = (tilec_value){choice->chosen[i].name, choice->chosen[i].value};
    *chosen = values;
    *count = (size_t)choice->count;
    return TILEC_OK;
}

static tilec_status no_kernel(const tilec_program *program, const char *wanted)
{
    char hint[160];
    struct suggestion suggestion = {.name = wanted ? wanted : ""};
    for (int i = 0; i < program->unit->kernel_count; i++)
        suggestion_offer(&suggestion, program->unit->kernels[i].name);
    return run_fail(program->context, TILEC_ERROR_NOT_FOUND,
                    run_did_you_mean(hint, sizeof hint, suggestion.best),
                    wanted ? "'%s' has no kernel '%s'" : "'%s' has no kernel", program->file->name,
                    wanted);
}

static bool are_named(const tilec_value *values, size_t count)
{
    if (count > 10000 || (count && !values))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!values[i].name)
            return false;
    return true;
}

tilec_status tilec_program_tune(tilec_program *program, const char *kernel,
                                const tilec_value *known, size_t known_count, tilec_value **chosen,
                                size_t *count)
{
    if (chosen)
        *chosen = NULL;
    if (count)
        *count = 0;
    if (!program || !chosen || !count || !are_named(known, known_count))
        return run_misused(program ? program->context : NULL);
    tilec_context *context = program->context;
    run_enter(context);
    struct choice choice = {.program = program, .known = known, .known_count = known_count};
    tilec_status status = TILEC_OK;
    arena_init(&choice.arena, context->allocator, NULL);
    if (program->unit) {
        choice.kernel = lang_find_kernel(program->unit, kernel);
        if (!choice.kernel)
            status = no_kernel(program, kernel);
        else if (!guard_run(&choice.arena, choose, &choice))
            status = TILEC_ERROR_NO_MEMORY;
        program->unit->arena = &program->arena;
    }
    if (status == TILEC_OK)
        status = hand_out(&choice, chosen, count);
    arena_free(&choice.arena);
    return run_leave(context, status);
}
