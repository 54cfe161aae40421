/*
 * Launches: what was given is checked (launch_check.c), then the backend runs the programs; see
 * run.h.
 */
#include "run/launch.h"

#include <string.h>

/* ---- making ---------------------------------------------------------------------------------- */

struct run_launch *run_launch_new(tilec_kernel *kernel, struct run_scratch *scratch)
{
    tilec_context *context = kernel->context;
    size_t count = (size_t)kernel->parameter_count;
    struct run_launch *launch = run_allocate(context, 1, sizeof *launch);
    if (!launch)
        return NULL;
    launch->kernel = kernel;
    launch->scratch = scratch;
    launch->values = run_allocate(context, count, sizeof *launch->values);
    launch->elements = run_allocate(context, count, sizeof *launch->elements);
    launch->inputs = run_allocate(context, count + 3, sizeof *launch->inputs);
    launch->needed = run_allocate(context, count, sizeof *launch->needed);
    launch->given = run_allocate(context, count, sizeof *launch->given);
    launch->initialised = run_allocate(context, count, sizeof *launch->initialised);
    launch->allowed = run_allocate(context, count, sizeof *launch->allowed);
    pthread_mutex_init(&launch->hooks.lock, NULL);
    if (launch->values && launch->elements && launch->inputs && launch->needed && launch->given &&
        launch->initialised && launch->allowed &&
        (!kernel->backend->make || kernel->backend->make(launch)))
        return launch;
    run_launch_free(launch);
    return NULL;
}

void run_launch_free(struct run_launch *launch)
{
    if (!launch)
        return;
    tilec_context *context = launch->kernel->context;
    run_free(context, launch->values);
    run_free(context, launch->elements);
    run_free(context, launch->inputs);
    run_free(context, launch->needed);
    run_free(context, launch->given);
    run_free(context, launch->initialised);
    run_free(context, launch->allowed);
    if (launch->kernel->backend->unmake)
        launch->kernel->backend->unmake(launch);
    pthread_mutex_destroy(&launch->hooks.lock);
    run_free(context, launch);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void set_hooks(struct run_launch *launch, const tilec_launch_options *options)
{
    launch->hooks.print = options->print;
    launch->hooks.user = options->user;
    launch->hooks.grid = launch->grid;
}

/* Checks and fills the launch. */
static tilec_status launch_prepare(struct run_launch *launch, const int64_t *grid,
                                   const tilec_argument *arguments, size_t count,
                                   const tilec_launch_options *given)
{
    tilec_launch_options options;
    if (!RUN_READ_OPTIONS(&options, given) || options.threads < 0 || options.step_limit < 0)
        return FAIL(launch, TILEC_ERROR_INVALID, NULL, "bad launch options");
    const tilec_context *context = launch->kernel->context;
    launch->threads = options.threads ? options.threads : context->threads;
    if (launch->threads > context->most_threads)
        launch->threads = context->most_threads;
    launch->step_limit = options.step_limit;
    launch->unchecked = options.unchecked != 0;
    launch->device_seconds = options.device_seconds;
    launch->thread_order = options.thread_order;
    set_hooks(launch, &options);
    tilec_status status = run_launch_check_arguments(launch, arguments, count);
    if (status != TILEC_OK || (status = run_launch_check_restrict(launch)) != TILEC_OK)
        return status;
    run_launch_collect_scalars(launch);
    if ((status = run_launch_find_grid(launch, grid)) != TILEC_OK ||
        (status = run_launch_check_requirements(launch)) != TILEC_OK)
        return status;
    if (!launch->kernel->backend->prepare || launch->programs == 0)
        return TILEC_OK;
    return launch->kernel->backend->prepare(launch, &options);
}

/* Runs it; on the CPU without any lock or allocation. Reports nothing: see launch_report. */
static tilec_status launch_go(struct run_launch *launch)
{
    if (launch->device_seconds)
        *launch->device_seconds = 0;
    return launch->programs == 0 ? TILEC_OK : launch->kernel->backend->go(launch);
}

static tilec_status launch_report(struct run_launch *launch, tilec_status status)
{
    const struct run_backend *backend = launch->kernel->backend;
    return backend->report ? backend->report(launch, status) : status;
}

/* ---- public ---------------------------------------------------------------------------------- */

tilec_status tilec_launch(tilec_kernel *kernel, const int64_t *grid,
                          const tilec_argument *arguments, size_t argument_count,
                          const tilec_launch_options *options)
{
    if (!kernel)
        return TILEC_ERROR_INVALID;
    run_enter(kernel->context);
    struct run_launch *launch = kernel->launch;
    tilec_status status = launch_prepare(launch, grid, arguments, argument_count, options);
    if (status == TILEC_OK)
        status = launch_report(launch, launch_go(launch));
    return run_leave(kernel->context, status);
}

tilec_status tilec_kernel_grid(tilec_kernel *kernel, const tilec_argument *arguments,
                               size_t argument_count, int64_t grid[3])
{
    if (!kernel || !grid)
        return run_misused(kernel ? kernel->context : NULL);
    grid[0] = grid[1] = grid[2] = 0;
    run_enter(kernel->context);
    struct run_launch *launch = kernel->launch;
    tilec_status status = run_launch_match(launch, arguments, argument_count);
    for (int i = 0; status == TILEC_OK && i < kernel->parameter_count; i++)
        if (!kernel->parameters[i].pointer)
            status = run_launch_check_scalar(launch, i, launch->given[i]);
    if (status == TILEC_OK) {
        run_launch_collect_scalars(launch);
        status = run_launch_find_grid(launch, NULL);
    }
    if (status == TILEC_OK)
        memcpy(grid, launch->grid, sizeof launch->grid);
    return run_leave(kernel->context, status);
}

/* Scratch is its own, which is what lets it run beside others. */
struct tilec_prepared {
    tilec_kernel *kernel;
    struct run_launch *launch;
    struct run_scratch scratch;
};

void tilec_prepared_destroy(tilec_prepared *prepared)
{
    if (!prepared)
        return;
    tilec_kernel *kernel = prepared->kernel;
    run_launch_free(prepared->launch);
    run_scratch_free(kernel->context, &prepared->scratch);
    run_free(kernel->context, prepared);
    run_kernel_release(kernel);
}

tilec_status tilec_prepare(tilec_kernel *kernel, const int64_t *grid,
                           const tilec_argument *arguments, size_t argument_count,
                           const tilec_launch_options *options, tilec_prepared **result)
{
    if (result)
        *result = NULL;
    if (!kernel || !result)
        return run_misused(kernel ? kernel->context : NULL);
    tilec_context *context = kernel->context;
    run_enter(context);
    tilec_prepared *prepared = run_allocate(context, 1, sizeof *prepared);
    if (!prepared)
        return run_leave(context, TILEC_ERROR_NO_MEMORY);
    atomic_fetch_add(&kernel->references, 1);
    prepared->kernel = kernel;
    prepared->launch = run_launch_new(kernel, &prepared->scratch);
    tilec_status status = TILEC_ERROR_NO_MEMORY;
    if (prepared->launch) {
        prepared->launch->is_prepared = true;
        status = launch_prepare(prepared->launch, grid, arguments, argument_count, options);
    }
    if (status == TILEC_OK)
        *result = prepared;
    else
        tilec_prepared_destroy(prepared);
    return run_leave(context, status);
}

/* Where the backend allows it, only what went wrong takes the lock, to be reported. */
tilec_status tilec_prepared_run(tilec_prepared *prepared)
{
    if (!prepared)
        return TILEC_ERROR_INVALID;
    struct run_launch *launch = prepared->launch;
    tilec_context *context = launch->kernel->context;
    if (launch->kernel->backend->report) {
        tilec_status status = launch_go(launch);
        if (status == TILEC_OK)
            return status;
        run_enter(context);
        return run_leave(context, launch_report(launch, status));
    }
    run_enter(context);
    return run_leave(context, launch_go(launch));
}
