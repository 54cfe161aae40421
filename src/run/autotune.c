/*
 * tilec_program_autotune: which of the values that tune lines list is fastest for these arguments.
 *
 * Every candidate is compiled, run once on copies of the arrays, and compared with what is right,
 * before it is timed; one that cannot be compiled, does not fit, or is wrong is reported and left
 * out. Each is timed in pairs with the declared default (lab/measure.h), and so is the default
 * itself, compiled once more: how far those two look apart is the noise. A candidate replaces the
 * default only if its whole interval is faster by more than the noise, and if it is again in a
 * second measurement, because the best of many measurements is partly luck. The choice is kept in
 * the cache directory under everything that it depends on.
 */
#include "run/autotune.h"

#include "base/guard.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CANDIDATES = 256 };

/* ---- candidates ------------------------------------------------------------------------------ */

/* Targets that check kernels have times that say nothing of them. */
static tilec_status take_target(tilec_tuning *tuning)
{
    const char *target = tuning->options.target;
    tuning->on_gpu = target && strcmp(target, "cuda") == 0;
    if (target && (strcmp(target, "interp") == 0 || strcmp(target, "msl-host") == 0))
        return autotune_fail(tuning, TILEC_ERROR_TARGET,
                             "the target '%s' checks kernels: its times choose nothing", target);
    return TILEC_OK;
}

/* Integer scalars and constants, which candidates and launch_require may depend on. */
static int known_values(tilec_tuning *tuning, struct lang_binding *known)
{
    int count = 0;
    for (size_t i = 0; i < tuning->argument_count; i++) {
        const tilec_argument *a = &tuning->arguments[i];
        if (a->kind == TILEC_SCALAR && autotune_is_whole(a->type))
            known[count++] = (struct lang_binding){a->name, (int64_t)a->bits};
    }
    for (size_t i = 0; i < tuning->options.constant_count; i++) {
        const tilec_define *constant = &tuning->options.constants[i];
        char *end;
        int64_t value = strtoll(constant->value ? constant->value : "1", &end, 0);
        if (*end == '\0')
            known[count++] = (struct lang_binding){constant->name, value};
    }
    return count;
}

static void list_candidates(void *user)
{
    tilec_tuning *tuning = user;
    struct lang_unit *unit = tuning->program->unit;
    const struct lang_kernel *kernel = lang_find_kernel(unit, tuning->options.kernel);
    struct lang_candidate *found = NULL;
    size_t room = tuning->argument_count + tuning->options.constant_count;
    unit->arena = &tuning->arena; /* until open_candidates puts the program's back */
    struct lang_binding *known = ARENA_ARRAY(&tuning->arena, struct lang_binding, room);
    tuning->count = lang_tune_candidates(
        unit, kernel, known, known_values(tuning, known), tuning->options.requirements,
        (int)tuning->options.requirement_count, MOST_CANDIDATES, &found);
    tuning->candidates = ARENA_ARRAY(&tuning->arena, tilec_candidate, (size_t)tuning->count);
    for (int i = 0; i < tuning->count; i++) {
        tilec_value *values = ARENA_ARRAY(&tuning->arena, tilec_value, (size_t)found[i].count);
        for (int v = 0; v < found[i].count; v++)
            values[v] = (tilec_value){found[i].values[v].name, found[i].values[v].value};
        tuning->candidates[i].values = values;
        tuning->candidates[i].value_count = (size_t)found[i].count;
        tuning->candidates[i].constant_count = (size_t)found[i].constant_count;
    }
}

static tilec_status open_candidates(tilec_tuning *tuning)
{
    tilec_program *program = tuning->program;
    if (!program->unit)
        return autotune_fail(tuning, TILEC_ERROR_INVALID, "Tile IR has nothing to tune%s", "");
    run_enter(tuning->context);
    bool found = guard_run(&tuning->arena, list_candidates, tuning);
    program->unit->arena = &program->arena;
    run_leave(tuning->context, TILEC_OK);
    if (!found)
        return TILEC_ERROR_NO_MEMORY;
    if (tuning->count > MOST_CANDIDATES)
        return autotune_fail(tuning, TILEC_ERROR_INVALID,
                             "the tune lines of '%s' combine to more than 256 candidates",
                             tuning->options.kernel ? tuning->options.kernel : "the kernel");
    return TILEC_OK;
}

/* ---- measuring ------------------------------------------------------------------------------- */

static void note(tilec_candidate *candidate, const struct measure_effect *effect)
{
    candidate->seconds = effect->candidate;
    candidate->ratio = effect->ratio;
    candidate->ratio_low = effect->interval.low;
    candidate->ratio_high = effect->interval.high;
}

/* Candidate i, from text to time. */
static bool try_candidate(tilec_tuning *tuning, int i)
{
    struct measure_effect effect;
    if (!autotune_hold(tuning, i) || !autotune_check(tuning, i) ||
        !autotune_time(tuning, i, &effect))
        return false;
    note(&tuning->candidates[i], &effect);
    return true;
}

static bool is_faster(const tilec_candidate *candidate, double noise)
{
    return !candidate->error && candidate->ratio > 0 && log(candidate->ratio_high) < -noise;
}

/* The fastest that is faster than the default beyond the noise; 0: none is. */
static int best_of(const tilec_tuning *tuning, double noise)
{
    int best = 0;
    for (int i = 1; i < tuning->count; i++)
        if (is_faster(&tuning->candidates[i], noise) &&
            (!best || tuning->candidates[i].ratio < tuning->candidates[best].ratio))
            best = i;
    return best;
}

static void confirm(tilec_tuning *tuning, double noise)
{
    int best = best_of(tuning, noise);
    if (best && try_candidate(tuning, best) && is_faster(&tuning->candidates[best], noise))
        tuning->chosen = best;
}

/* The default must be right; else there is nothing to compare with. Timed against itself it gives
 * the noise. */
static tilec_status measure_all(tilec_tuning *tuning)
{
    const tilec_candidate *standard = &tuning->candidates[0];
    tilec_status status = autotune_make_wanted(tuning);
    if (status != TILEC_OK)
        return status;
    if (!try_candidate(tuning, 0)) {
        if (tuning->status == TILEC_ERROR_NO_MEMORY)
            return tuning->status;
        return autotune_fail(tuning, TILEC_ERROR_FAULT,
                             "the declared default cannot be tuned against: %s", standard->error);
    }
    double noise = fmax(log(standard->ratio_high), -log(standard->ratio_low));
    for (int i = 1; i < tuning->count; i++)
        try_candidate(tuning, i);
    confirm(tuning, noise);
    /* Else nothing was decided, and the next call may find a quieter machine. */
    if (isfinite(noise))
        autotune_keep_choice(tuning);
    return TILEC_OK;
}

struct work {
    tilec_tuning *tuning;
    tilec_kernel **kernel;
    const tilec_argument *arguments;
    size_t count;
    tilec_status status;
};

/* Before anything is copied: addresses, types and sizes are what a launch would take. */
static tilec_status check_arguments(tilec_tuning *tuning)
{
    tilec_prepared *prepared;
    tilec_launch_options launch = {.size = sizeof launch,
                                   .threads = tuning->tune.threads,
                                   .host_buffers = tuning->tune.host_buffers};
    tilec_status status = tilec_prepare(tuning->standard, NULL, tuning->arguments,
                                        tuning->argument_count, &launch, &prepared);
    tilec_prepared_destroy(prepared);
    return status;
}

static tilec_status measure(tilec_tuning *tuning)
{
    tuning->standard = autotune_compile(tuning, 0);
    if (!tuning->standard)
        return tuning->status;
    tilec_status status = check_arguments(tuning);
    if (status != TILEC_OK)
        return status;
    if (!autotune_copy_arrays(tuning))
        return TILEC_ERROR_NO_MEMORY;
    status = autotune_open_gpu(tuning);
    if (status == TILEC_OK)
        status = measure_all(tuning);
    if (status == TILEC_OK || !tuning->on_gpu)
        return status;
    /* What the context has to say would be lost when the device's memory is freed. */
    const char *why = autotune_reason(tuning, status);
    autotune_release(tuning);
    return autotune_fail(tuning, status, "%s", why);
}

static void tune(void *user)
{
    struct work *work = user;
    tilec_tuning *tuning = work->tuning;
    work->status = take_target(tuning);
    if (work->status == TILEC_OK)
        work->status = autotune_take_arguments(tuning, work->arguments, work->count);
    if (work->status == TILEC_OK)
        work->status = open_candidates(tuning);
    if (work->status != TILEC_OK)
        return;
    if (!tuning->tune.again)
        autotune_find_choice(tuning);
    if (!tuning->from_cache && tuning->count > 1)
        work->status = measure(tuning);
    if (work->status != TILEC_OK)
        return;
    tuning->candidates[tuning->chosen].is_chosen = 1;
    *work->kernel = autotune_compile(tuning, tuning->chosen);
    if (!*work->kernel)
        work->status = tuning->status;
}

/* ---- public ---------------------------------------------------------------------------------- */

void tilec_tuning_destroy(tilec_tuning *tuning)
{
    if (!tuning)
        return;
    tilec_context *context = tuning->context;
    autotune_release(tuning);
    run_program_release(tuning->program);
    arena_free(&tuning->arena);
    run_free(context, tuning);
    run_context_release(context);
}

static tilec_tuning *new_tuning(tilec_program *program)
{
    tilec_tuning *tuning = run_allocate(program->context, 1, sizeof *tuning);
    if (!tuning)
        return NULL;
    tuning->context = program->context;
    tuning->program = program;
    run_context_retain(tuning->context);
    atomic_fetch_add(&program->references, 1);
    arena_init(&tuning->arena, tuning->context->allocator, NULL);
    return tuning;
}

static tilec_status report_options(tilec_tuning *tuning, bool compile_options)
{
    run_enter(tuning->context);
    tilec_status status = compile_options ? run_bad_options(tuning->context)
                                          : run_fail(tuning->context, TILEC_ERROR_INVALID, NULL,
                                                     "bad tuning options");
    return run_leave(tuning->context, status);
}

static bool read_options(tilec_tuning *tuning, const tilec_compile_options *options,
                         const tilec_autotune_options *tune_options)
{
    bool fine = run_read_compile_options(&tuning->options, options);
    bool good = fine && RUN_READ_OPTIONS(&tuning->tune, tune_options) && tuning->tune.threads >= 0;
    if (!good)
        report_options(tuning, !fine);
    tuning->options.size = sizeof tuning->options; /* of NULL and of older callers too */
    tuning->clock = measure_clock_monotonic;
    if (tuning->tune.now)
        tuning->clock = (struct measure_clock){tuning->tune.now, tuning->tune.clock_user};
    return good;
}

tilec_status tilec_program_autotune(tilec_program *program, const tilec_compile_options *options,
                                    const tilec_argument *arguments, size_t argument_count,
                                    const tilec_autotune_options *tune_options,
                                    tilec_kernel **kernel, tilec_tuning **result)
{
    if (kernel)
        *kernel = NULL;
    if (result)
        *result = NULL;
    if (!program || !kernel || !result || (argument_count && !arguments))
        return run_misused(program ? program->context : NULL);
    tilec_tuning *tuning = new_tuning(program);
    if (!tuning)
        return TILEC_ERROR_NO_MEMORY;
    struct work work = {tuning, kernel, arguments, argument_count, TILEC_ERROR_INVALID};
    if (read_options(tuning, options, tune_options) && !guard_run(&tuning->arena, tune, &work))
        work.status = TILEC_ERROR_NO_MEMORY;
    autotune_release(tuning);
    if (work.status == TILEC_OK) {
        *result = tuning;
        return TILEC_OK;
    }
    tilec_kernel_destroy(*kernel);
    *kernel = NULL;
    tilec_tuning_destroy(tuning);
    return work.status;
}

size_t tilec_tuning_count(const tilec_tuning *tuning)
{
    return tuning ? (size_t)tuning->count : 0;
}

int tilec_tuning_from_cache(const tilec_tuning *tuning)
{
    return tuning && tuning->from_cache;
}

tilec_status tilec_tuning_get(const tilec_tuning *tuning, size_t index, tilec_candidate *candidate)
{
    if (!tuning || !candidate || index >= tilec_tuning_count(tuning))
        return TILEC_ERROR_INVALID;
    *candidate = tuning->candidates[index];
    return TILEC_OK;
}
