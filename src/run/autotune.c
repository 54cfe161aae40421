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
#include "run/cuda.h"

#include "base/guard.h"
#include "base/sha256.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- arguments ------------------------------------------------------------------------------- */

static tilec_status fail(tilec_tuning *tuning, tilec_status status, const char *message,
                         const char *name)
{
    run_enter(tuning->context);
    return run_leave(tuning->context, run_fail(tuning->context, status, NULL, message, name));
}

/* Targets that check kernels have times that say nothing of them. */
static tilec_status take_target(tilec_tuning *tuning)
{
    const char *target = tuning->options.target;
    tuning->on_gpu = target && strcmp(target, "cuda") == 0;
    if (target && (strcmp(target, "interp") == 0 || strcmp(target, "msl-host") == 0))
        return fail(tuning, TILEC_ERROR_TARGET,
                    "the target '%s' checks kernels: its times choose nothing", target);
    return TILEC_OK;
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
        return fail(tuning, TILEC_ERROR_ARGUMENT,
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

static tilec_status take_arguments(tilec_tuning *tuning, const tilec_argument *arguments,
                                   size_t count)
{
    size_t parameters = 0, launched = 0, taken = 0;
    const char *kernel = tuning->options.kernel;
    tilec_status status = tilec_program_parameter_count(tuning->program, kernel, &parameters);
    if (status == TILEC_ERROR_NOT_FOUND)
        return fail(tuning, status, "there is no kernel '%s'", kernel ? kernel : "");
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
            return fail(tuning, TILEC_ERROR_ARGUMENT, "no argument is given for '%s'",
                        parameter.name);
        if (taken == AUTOTUNE_MOST_PARAMETERS)
            return fail(tuning, TILEC_ERROR_ARGUMENT, "'%s' is one parameter too much to tune",
                        parameter.name);
        tuning->arrays[taken].parameter = number;
        status = take_argument(tuning, taken++, &parameter, given);
    }
    tuning->argument_count = taken;
    if (status == TILEC_OK && taken != count)
        return fail(tuning, TILEC_ERROR_ARGUMENT, "an argument has no parameter of '%s'",
                    kernel ? kernel : "the kernel");
    return status;
}

/* ---- candidates ------------------------------------------------------------------------------ */

static bool is_whole(tilec_type type)
{
    return type <= TILEC_U64;
}

/* Integer scalars and constants, which candidates and launch_require may depend on. */
static int known_values(tilec_tuning *tuning, struct lang_binding *known)
{
    int count = 0;
    for (size_t i = 0; i < tuning->argument_count; i++) {
        const tilec_argument *a = &tuning->arguments[i];
        if (a->kind == TILEC_SCALAR && is_whole(a->type))
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
        (int)tuning->options.requirement_count, AUTOTUNE_MOST_CANDIDATES, &found);
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
        return fail(tuning, TILEC_ERROR_INVALID, "Tile IR has nothing to tune%s", "");
    run_enter(tuning->context);
    bool found = guard_run(&tuning->arena, list_candidates, tuning);
    program->unit->arena = &program->arena;
    run_leave(tuning->context, TILEC_OK);
    if (!found)
        return TILEC_ERROR_NO_MEMORY;
    if (tuning->count > AUTOTUNE_MOST_CANDIDATES)
        return fail(tuning, TILEC_ERROR_INVALID,
                    "the tune lines of '%s' combine to more than 256 candidates",
                    tuning->options.kernel ? tuning->options.kernel : "the kernel");
    return TILEC_OK;
}

/* ---- the stored choice ----------------------------------------------------------------------- */

static void add_argument(struct sha256 *hash, const tilec_tuning *tuning, size_t i)
{
    const tilec_argument *a = &tuning->arguments[i];
    sha256_add_string(hash, a->name);
    sha256_add_u64(hash, (uint64_t)a->kind);
    sha256_add_u64(hash, (uint64_t)a->type);
    /* Floating-point scalars are data, integers are sizes. */
    sha256_add_u64(hash, a->kind == TILEC_SCALAR && is_whole(a->type) ? a->bits : 0);
    sha256_add_u64(hash, tuning->arrays[i].elements);
}

/* The processor's name, which two levels of code may share. */
static void add_processor(struct sha256 *hash)
{
    char line[512];
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, "model name", 10) != 0 && strncmp(line, "CPU part", 8) != 0)
            continue;
        sha256_add_string(hash, line);
        break;
    }
    if (file)
        fclose(file);
}

static void add_options(struct sha256 *hash, const tilec_compile_options *options)
{
    sha256_add_string(hash, options->kernel);
    sha256_add_string(hash, options->target);
    sha256_add_string(hash, options->cpu);
    sha256_add_string(hash, options->grid);
    sha256_add_string(hash, options->arch);
    sha256_add_u64(hash, (uint64_t)(options->relaxed != 0));
    sha256_add_u64(hash, options->constant_count);
    for (size_t i = 0; i < options->constant_count; i++) {
        sha256_add_string(hash, options->constants[i].name);
        sha256_add_string(hash, options->constants[i].value);
    }
    sha256_add_u64(hash, options->requirement_count);
    for (size_t i = 0; i < options->requirement_count; i++)
        sha256_add_string(hash, options->requirements[i]);
}

/* The GPU with its driver, and the compiler for it: opened here if they were not, so that the key
 * is the same before a choice is looked for and when it is stored. */
static void add_gpu(struct sha256 *hash, const tilec_tuning *tuning)
{
    char why[512];
    tilec_context *context = tuning->context;
    run_enter(context);
    const struct run_cuda *cuda = run_cuda_open(context, why, sizeof why);
    if (!context->nvrtc)
        context->nvrtc = nvrtc_open(why, sizeof why);
    sha256_add_string(hash, cuda ? cuda->description : "");
    sha256_add_u64(hash, (uint64_t)(context->nvrtc ? nvrtc_version(context->nvrtc) : 0));
    run_leave(context, TILEC_OK);
}

/* Device, toolchain, source, sizes, candidates. */
static void make_key(const tilec_tuning *tuning, unsigned char key[RUN_KEY_BYTES])
{
    struct sha256 hash;
    struct cpu_level level = {0};
    sha256_init(&hash);
    sha256_add_string(&hash, "autotune 1");
    sha256_add_string(&hash, TILEC_VERSION);
    sha256_add_u64(&hash, run_build_id());
    if (tuning->on_gpu)
        add_gpu(&hash, tuning);
    else
        add_processor(&hash);
    if (cpu_level_find("native", &level)) {
        sha256_add_string(&hash, level.llvm_features);
        sha256_add_u64(&hash, (uint64_t)level.fetching);
        sha256_add_u64(&hash, level.halves);
    }
    run_cache_add_program(&hash, tuning->program);
    add_options(&hash, &tuning->options);
    sha256_add_u64(
        &hash, (uint64_t)(tuning->tune.threads ? tuning->tune.threads : tuning->context->threads));
    for (size_t i = 0; i < tuning->argument_count; i++)
        add_argument(&hash, tuning, i);
    for (int i = 0; i < tuning->count; i++) {
        const tilec_candidate *candidate = &tuning->candidates[i];
        sha256_add_u64(&hash, candidate->value_count);
        for (size_t v = 0; v < candidate->value_count; v++) {
            sha256_add_string(&hash, candidate->values[v].name);
            sha256_add_u64(&hash, (uint64_t)candidate->values[v].value);
        }
    }
    sha256_end(&hash, key);
}

static void find_choice(void *user)
{
    tilec_tuning *tuning = user;
    unsigned char key[RUN_KEY_BYTES];
    size_t size;
    const char *directory = tuning->context->cache_directory;
    make_key(tuning, key);
    const unsigned char *entry =
        directory ? run_cache_find(directory, key, &tuning->arena, &size) : NULL;
    if (!entry || size != 1 || entry[0] >= tuning->count)
        return;
    tuning->chosen = entry[0];
    tuning->from_cache = true;
}

static void keep_choice(const tilec_tuning *tuning)
{
    unsigned char key[RUN_KEY_BYTES], chosen = (unsigned char)tuning->chosen;
    make_key(tuning, key);
    if (tuning->context->cache_directory)
        run_cache_store(tuning->context->cache_directory, key, (struct run_entry){&chosen, 1});
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
        return fail(tuning, TILEC_ERROR_FAULT, "the declared default cannot be tuned against: %s",
                    standard->error);
    }
    double noise = fmax(log(standard->ratio_high), -log(standard->ratio_low));
    for (int i = 1; i < tuning->count; i++)
        try_candidate(tuning, i);
    confirm(tuning, noise);
    /* Else nothing was decided, and the next call may find a quieter machine. */
    if (isfinite(noise))
        keep_choice(tuning);
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
    return fail(tuning, status, "%s", why);
}

static void tune(void *user)
{
    struct work *work = user;
    tilec_tuning *tuning = work->tuning;
    work->status = take_target(tuning);
    if (work->status == TILEC_OK)
        work->status = take_arguments(tuning, work->arguments, work->count);
    if (work->status == TILEC_OK)
        work->status = open_candidates(tuning);
    if (work->status != TILEC_OK)
        return;
    if (!tuning->tune.again)
        find_choice(tuning);
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
    tilec_status status =
        compile_options ? run_bad_options(tuning->context)
                        : run_fail(tuning->context, TILEC_ERROR_INVALID, NULL, "bad tuning options");
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
        return TILEC_ERROR_INVALID;
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
