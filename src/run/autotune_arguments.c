/* The arguments that a kernel is tuned for, matched with its parameters; see autotune.h. */
#include "run/autotune.h"

#include <string.h>

tilec_status autotune_fail(tilec_tuning *tuning, tilec_status status, const char *message,
                           const char *name)
{
    run_enter(tuning->context);
    return run_leave(tuning->context, run_fail(tuning->context, status, NULL, message, name));
}

static tilec_status count_elements(tilec_tuning *tuning, const tilec_parameter *parameter,
                                   const tilec_argument *given, int64_t *elements)
{
    run_enter(tuning->context);
    return run_leave(tuning->context,
                     run_check_shape(tuning->context, parameter->name,
                                     tilec_type_size(parameter->type), given, elements));
}

/* Takes over the argument for the n-th parameter of a launch. */
static tilec_status take_argument(tilec_tuning *tuning, size_t n, const tilec_parameter *parameter,
                                  const tilec_argument *given)
{
    struct autotune_array *array = &tuning->arrays[n];
    tuning->arguments[n] = *given;
    tuning->arguments[n].name = parameter->name;
    if (parameter->kind != TILEC_BUFFER || given->kind != TILEC_BUFFER)
        return TILEC_OK;
    int64_t elements;
    tilec_status status = count_elements(tuning, parameter, given, &elements);
    if (status != TILEC_OK)
        return status;
    if (elements < 0)
        return autotune_fail(tuning, TILEC_ERROR_ARGUMENT,
                             "tuning works on copies: the length of array '%s' must be known",
                             parameter->name);
    array->elements = (size_t)elements;
    array->type = parameter->type;
    if (!parameter->is_const)
        array->bytes = array->elements * tilec_type_size(parameter->type);
    return TILEC_OK;
}

static const tilec_argument *find_argument(const tilec_argument *arguments, size_t count, size_t n,
                                           const char *name)
{
    if (count && !arguments[0].name)
        return n < count ? &arguments[n] : NULL;
    for (size_t i = 0; i < count; i++)
        if (arguments[i].name && strcmp(arguments[i].name, name) == 0)
            return &arguments[i];
    return NULL;
}

/* By the source's defines or the options' constants: a launch needs no argument for it. */
static bool is_fixed(const tilec_tuning *tuning, const tilec_parameter *parameter)
{
    bool fixed = parameter->is_fixed;
    for (size_t i = 0; i < tuning->options.constant_count && !fixed; i++)
        fixed = strcmp(tuning->options.constants[i].name, parameter->name) == 0;
    return fixed && parameter->kind == TILEC_SCALAR;
}

tilec_status autotune_take_arguments(tilec_tuning *tuning, const tilec_argument *arguments,
                                     size_t count)
{
    size_t parameters = 0, launched = 0, taken = 0;
    const char *kernel = tuning->options.kernel;
    tilec_status status = tilec_program_parameter_count(tuning->program, kernel, &parameters);
    if (status == TILEC_ERROR_NOT_FOUND)
        return autotune_fail(tuning, status, "there is no kernel '%s'", kernel ? kernel : "");
    for (size_t i = 0; status == TILEC_OK && i < parameters; i++) {
        tilec_parameter parameter;
        status = tilec_program_parameter(tuning->program, kernel, i, &parameter);
        if (status != TILEC_OK || parameter.kind == TILEC_CONSTEXPR ||
            parameter.kind == TILEC_LAYOUT)
            continue;
        size_t number = launched++;
        const tilec_argument *given = find_argument(arguments, count, number, parameter.name);
        if (!given && is_fixed(tuning, &parameter))
            continue;
        if (!given)
            return autotune_fail(tuning, TILEC_ERROR_ARGUMENT, "no argument is given for '%s'",
                                 parameter.name);
        if (taken == AUTOTUNE_MOST_PARAMETERS)
            return autotune_fail(tuning, TILEC_ERROR_ARGUMENT,
                                 "'%s' is one parameter too much to tune", parameter.name);
        tuning->arrays[taken].parameter = number;
        status = take_argument(tuning, taken++, &parameter, given);
    }
    tuning->argument_count = taken;
    if (status == TILEC_OK && taken != count)
        return autotune_fail(tuning, TILEC_ERROR_ARGUMENT, "an argument has no parameter of '%s'",
                             kernel ? kernel : "the kernel");
    return status;
}
