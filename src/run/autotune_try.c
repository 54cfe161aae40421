/* One candidate of a tuning: compiled, checked, timed; see autotune.h. */
#include "run/autotune.h"

#include "base/half.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- compiling ------------------------------------------------------------------------------- */

const char *autotune_reason(tilec_tuning *tuning, tilec_status status)
{
    tilec_diagnostic diagnostic;
    for (size_t i = 0; tilec_diagnostic_get(tuning->context, i, &diagnostic) == TILEC_OK; i++)
        if (diagnostic.kind == TILEC_DIAGNOSTIC_ERROR)
            return arena_format(&tuning->arena, "%s", diagnostic.message);
    return tilec_status_string(status);
}

tilec_kernel *autotune_compile(tilec_tuning *tuning, int i)
{
    tilec_candidate *candidate = &tuning->candidates[i];
    tilec_compile_options options = tuning->options;
    struct arena *arena = &tuning->arena;
    size_t asked = candidate->value_count - candidate->constant_count;
    tilec_define *constants =
        ARENA_ARRAY(arena, tilec_define, options.constant_count + candidate->constant_count);
    const char **requirements = ARENA_ARRAY(arena, const char *, options.requirement_count + asked);
    if (options.constant_count)
        memcpy(constants, options.constants, options.constant_count * sizeof *constants);
    for (size_t v = 0; v < candidate->constant_count; v++)
        constants[options.constant_count++] =
            (tilec_define){candidate->values[v].name,
                           arena_format(arena, "%lld", (long long)candidate->values[v].value)};
    for (size_t r = 0; r < options.requirement_count; r++)
        requirements[r] = options.requirements[r];
    for (size_t v = candidate->constant_count; v < candidate->value_count; v++)
        requirements[options.requirement_count++] = arena_format(
            arena, "%s=%lld", candidate->values[v].name, (long long)candidate->values[v].value);
    options.constants = constants;
    options.requirements = requirements;
    tilec_kernel *kernel;
    tuning->status = tilec_program_compile(tuning->program, &options, &kernel);
    if (tuning->status != TILEC_OK)
        candidate->error = autotune_reason(tuning, tuning->status);
    return kernel;
}

bool autotune_hold(tilec_tuning *tuning, int i)
{
    tilec_kernel_destroy(tuning->at_hand);
    tuning->at_hand = NULL;
    tuning->at_hand = autotune_compile(tuning, i);
    return tuning->at_hand;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

bool autotune_copy_arrays(tilec_tuning *tuning)
{
    for (size_t i = 0; i < tuning->argument_count; i++) {
        struct autotune_array *array = &tuning->arrays[i];
        tilec_argument *argument = &tuning->arguments[i];
        if (!array->bytes)
            continue;
        size_t room = (array->bytes + 63) / 64 * 64;
        array->start = aligned_alloc(64, room);
        array->work = aligned_alloc(64, room);
        array->wanted = aligned_alloc(64, room);
        if (!array->start || !array->work || !array->wanted)
            return false;
        if (tuning->on_gpu) /* see autotune_open_gpu */
            continue;
        memcpy(array->start, argument->data, array->bytes);
        argument->data = array->work;
    }
    return true;
}

static void release_prepared(tilec_tuning *tuning)
{
    for (int p = 0; p < 2; p++) {
        lab_replay_free(&tuning->replays[p]);
        tilec_prepared_destroy(tuning->prepared[p]);
    }
    tuning->prepared[0] = tuning->prepared[1] = NULL;
}

void autotune_release(tilec_tuning *tuning)
{
    release_prepared(tuning);
    tilec_kernel_destroy(tuning->at_hand);
    tilec_kernel_destroy(tuning->standard);
    tuning->at_hand = tuning->standard = NULL;
    autotune_close_gpu(tuning);
    for (size_t i = 0; i < AUTOTUNE_MOST_PARAMETERS; i++) {
        struct autotune_array *array = &tuning->arrays[i];
        free(array->start);
        free(array->work);
        free(array->wanted);
        free(array->allowed);
        *array = (struct autotune_array){0};
    }
}

static void restart(tilec_tuning *tuning)
{
    for (size_t i = 0; i < tuning->argument_count; i++)
        if (tuning->arrays[i].work)
            memcpy(tuning->arrays[i].work, tuning->arrays[i].start, tuning->arrays[i].bytes);
}

static void keep_wanted(tilec_tuning *tuning)
{
    for (size_t i = 0; i < tuning->argument_count; i++)
        if (tuning->arrays[i].work)
            memcpy(tuning->arrays[i].wanted, tuning->arrays[i].work, tuning->arrays[i].bytes);
}

/* ---- what is right --------------------------------------------------------------------------- */

/* About a second of the interpreter. */
enum { INTERP_ELEMENTS = 1 << 16, INTERP_STEPS = 300000 };

bool autotune_is_small(const tilec_tuning *tuning)
{
    size_t elements = 0;
    for (size_t i = 0; i < tuning->argument_count; i++)
        elements += tuning->arrays[i].elements;
    return elements <= INTERP_ELEMENTS;
}

/* The interpreter defines the language, and says how far another target may be off. */
static bool interpret(tilec_tuning *tuning)
{
    tilec_argument arguments[AUTOTUNE_MOST_PARAMETERS];
    tilec_launch_options launch = {.size = sizeof launch, .step_limit = INTERP_STEPS};
    tilec_candidate *standard = &tuning->candidates[0];
    const char *target = tuning->options.target, *error = standard->error;
    memcpy(arguments, tuning->arguments, sizeof arguments);
    for (size_t i = 0; i < tuning->argument_count; i++) {
        struct autotune_array *array = &tuning->arrays[i];
        if (tuning->on_gpu)
            arguments[i].data = array->work ? array->work : array->readable;
        if (!array->work)
            continue;
        array->allowed = calloc(array->elements + 1, sizeof(double));
        if (!array->allowed)
            return false;
        arguments[i].allowed = array->allowed;
    }
    tuning->options.target = "interp";
    tilec_kernel *kernel = autotune_compile(tuning, 0);
    tuning->options.target = target;
    standard->error = error;
    bool good = kernel &&
                tilec_launch(kernel, NULL, arguments, tuning->argument_count, &launch) == TILEC_OK;
    tilec_kernel_destroy(kernel);
    return good;
}

static void forget_bounds(tilec_tuning *tuning)
{
    for (size_t i = 0; i < tuning->argument_count; i++) {
        free(tuning->arrays[i].allowed);
        tuning->arrays[i].allowed = NULL;
    }
}

static tilec_status launch_once(tilec_tuning *tuning, tilec_kernel *kernel)
{
    tilec_launch_options launch = {.size = sizeof launch, .threads = tuning->tune.threads};
    restart(tuning);
    tilec_status status = autotune_to_gpu(tuning);
    if (status == TILEC_OK)
        status = tilec_launch(kernel, NULL, tuning->arguments, tuning->argument_count, &launch);
    return status == TILEC_OK ? autotune_from_gpu(tuning) : status;
}

tilec_status autotune_make_wanted(tilec_tuning *tuning)
{
    restart(tuning);
    if (!tuning->options.relaxed && autotune_is_small(tuning) && interpret(tuning)) {
        keep_wanted(tuning);
        return TILEC_OK;
    }
    forget_bounds(tuning);
    tilec_status status = launch_once(tuning, tuning->standard);
    if (status == TILEC_OK)
        keep_wanted(tuning);
    return status;
}

/* ---- checking -------------------------------------------------------------------------------- */

static bool is_float(tilec_type type)
{
    return type >= TILEC_F16;
}

static double value_at(tilec_type type, const void *data, size_t i)
{
    switch (type) {
    case TILEC_F16:
        return (double)half_to_float(((const uint16_t *)data)[i]);
    case TILEC_BF16:
        return (double)bfloat_to_float(((const uint16_t *)data)[i]);
    case TILEC_F32:
        return (double)((const float *)data)[i];
    default:
        return ((const double *)data)[i];
    }
}

/* Sums in another order differ by some units in the last place of their greatest terms. */
static double tolerance_of(tilec_type type)
{
    return type == TILEC_F16    ? 2e-3
           : type == TILEC_BF16 ? 1.6e-2
           : type == TILEC_F32  ? 1e-5
                                : 1e-13;
}

static double greatest_of(const struct autotune_array *array)
{
    double greatest = 0;
    for (size_t i = 0; i < array->elements; i++) {
        double size = fabs(value_at(array->type, array->wanted, i));
        if (isfinite(size) && size > greatest)
            greatest = size;
    }
    return greatest;
}

/* Elements that are wrong. */
static size_t count_wrong(const struct autotune_array *array)
{
    size_t wrong = 0;
    if (!is_float(array->type)) {
        size_t size = tilec_type_size(array->type);
        for (size_t i = 0; i < array->elements; i++)
            wrong += memcmp((const char *)array->work + i * size,
                            (const char *)array->wanted + i * size, size) != 0;
        return wrong;
    }
    double greatest = array->allowed ? 0 : greatest_of(array);
    for (size_t i = 0; i < array->elements; i++) {
        double got = value_at(array->type, array->work, i);
        double wanted = value_at(array->type, array->wanted, i);
        double allowed = array->allowed ? array->allowed[i]
                                        : tolerance_of(array->type) * (fabs(wanted) + greatest);
        bool same = got == wanted || (isnan(got) && isnan(wanted));
        wrong += !same && !(fabs(got - wanted) <= allowed);
    }
    return wrong;
}

bool autotune_check(tilec_tuning *tuning, int i)
{
    tilec_candidate *candidate = &tuning->candidates[i];
    tilec_status status = tuning->status = launch_once(tuning, tuning->at_hand);
    if (status != TILEC_OK) {
        candidate->error = autotune_reason(tuning, status);
        return false;
    }
    for (size_t a = 0; a < tuning->argument_count; a++) {
        const struct autotune_array *array = &tuning->arrays[a];
        size_t wrong = array->work ? count_wrong(array) : 0;
        if (!wrong)
            continue;
        candidate->error = arena_format(&tuning->arena, "wrong: %zu of %zu elements of '%s'", wrong,
                                        array->elements, tuning->arguments[a].name);
        return false;
    }
    return true;
}

/* ---- timing ---------------------------------------------------------------------------------- */

struct trial {
    tilec_tuning *tuning;
    tilec_prepared *prepared;
};

static bool run_trial(void *user, double *device)
{
    const struct trial *trial = user;
    (void)device;
    return tilec_prepared_run(trial->prepared) == TILEC_OK;
}

/* Arrays that the kernel reads and has changed: a counter that went on would lead out of others. */
static bool is_carried(const tilec_tuning *tuning, size_t i)
{
    const struct autotune_array *array = &tuning->arrays[i];
    return array->work && tuning->standard->parameters[array->parameter].is_read &&
           memcmp(array->start, array->wanted, array->bytes) != 0;
}

static void put_back(void *user)
{
    tilec_tuning *tuning = ((const struct trial *)user)->tuning;
    for (size_t i = 0; i < tuning->argument_count; i++)
        if (tuning->arrays[i].carried)
            memcpy(tuning->arrays[i].work, tuning->arrays[i].start, tuning->arrays[i].bytes);
}

/* Whether one launch changes what the next one reads. */
static bool find_carried(tilec_tuning *tuning)
{
    bool some = false;
    for (size_t i = 0; i < tuning->argument_count; i++) {
        tuning->arrays[i].carried = is_carried(tuning, i);
        some = some || tuning->arrays[i].carried;
    }
    return some;
}

static tilec_prepared *prepare(tilec_tuning *tuning, int i, tilec_kernel *kernel)
{
    tilec_launch_options launch = {.size = sizeof launch,
                                   .threads = tuning->tune.threads,
                                   .stream = tuning->on_gpu ? tuning->device.stream : NULL};
    tilec_prepared *prepared;
    tilec_status status =
        tilec_prepare(kernel, NULL, tuning->arguments, tuning->argument_count, &launch, &prepared);
    if (status != TILEC_OK) {
        tuning->status = status;
        tuning->candidates[i].error = autotune_reason(tuning, status);
    }
    return prepared;
}

/* The time of a candidate is split into rounds; a noisy machine gets twice as many, but where each launch
 * waits for a scheduler's slice, pairs do not help: it ends after some times its time. */
static struct measure_options measuring(const tilec_tuning *tuning)
{
    struct measure_options options = measure_options_default;
    double seconds = tuning->tune.seconds > 0 ? tuning->tune.seconds : 0.1;
    options.least_rounds = 4;
    options.most_rounds = 8;
    options.warmup = seconds / 20;
    options.budget = seconds / 5;
    options.least_pairs = 10;
    options.most_seconds = 5 * seconds;
    return options;
}

bool autotune_time(tilec_tuning *tuning, int i, struct measure_effect *effect)
{
    struct measured measured;
    struct measure_options options = measuring(tuning);
    tuning->prepared[0] = prepare(tuning, i, tuning->standard);
    tuning->prepared[1] = prepare(tuning, i, tuning->at_hand);
    if (!tuning->prepared[0] || !tuning->prepared[1]) {
        release_prepared(tuning);
        return false;
    }
    struct trial trials[2] = {{tuning, tuning->prepared[0]}, {tuning, tuning->prepared[1]}};
    struct measure_arm arms[2] = {
        {.name = "default", .run = run_trial, .user = &trials[0]},
        {.name = "candidate", .run = run_trial, .user = &trials[1]},
    };
    if (!tuning->on_gpu && find_carried(tuning))
        arms[0].before = arms[1].before = put_back;
    restart(tuning);
    autotune_to_gpu(tuning);
    autotune_replay(tuning, arms);
    bool good = measure_arms(&arms[0], &arms[1], &options, &tuning->clock, &measured);
    *effect = measured.has_device ? measured.device : measured.wall;
    measure_free(&measured);
    release_prepared(tuning);
    if (!good)
        tuning->candidates[i].error = arena_format(&tuning->arena, "not timed: %s", measured.why);
    return good;
}
