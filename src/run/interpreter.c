/* Launches of kernels that were compiled for the target "interp"; see run.h. */
#include "interp/interp.h"

#include "base/guard.h"
#include "run/run.h"

/* One call of the interpreter, with memory of its own. */
struct call {
    struct arena arena;
    struct diagnostics diagnostics;
    struct run_launch *launch;
    tilec_kernel *kernel;
    const uint64_t *scalars;
    int64_t *grid;
    int32_t failed;
    bool good;
};

static tilec_status run_call(struct call *call, void (*work)(void *call))
{
    tilec_context *context = call->kernel->context;
    tilec_status status = TILEC_ERROR_NO_MEMORY;
    arena_init(&call->arena, context->allocator, NULL);
    if (guard_run(&call->arena, work, call)) {
        run_report_add(context, &call->diagnostics);
        status = call->good ? TILEC_OK : TILEC_ERROR_FAULT;
    }
    arena_free(&call->arena);
    return status;
}

/* ---- the kernel ------------------------------------------------------------------------------ */

static void fill_arguments(const struct run_launch *launch, struct interp_argument *arguments,
                           struct interp_bound *bounds)
{
    for (int i = 0; i < launch->kernel->parameter_count; i++) {
        arguments[i].elements = launch->elements[i];
        bounds[i].allowed = launch->allowed[i];
        if (launch->kernel->parameters[i].pointer) {
            arguments[i].data = (void *)(uintptr_t)launch->values[i];
            arguments[i].initialised = launch->initialised[i];
        } else {
            arguments[i].bits = launch->values[i];
        }
    }
}

static bool wants_bounds(const struct run_launch *launch)
{
    for (int i = 0; i < launch->kernel->parameter_count; i++)
        if (launch->allowed[i])
            return true;
    return false;
}

static void run_kernel(void *user)
{
    struct call *call = user;
    struct run_launch *launch = call->launch;
    size_t count = (size_t)call->kernel->parameter_count;
    struct interp_argument *arguments = ARENA_ARRAY(&call->arena, struct interp_argument, count);
    struct interp_bound *bounds = ARENA_ARRAY(&call->arena, struct interp_bound, count);
    diagnostics_init(&call->diagnostics, &call->arena);
    fill_arguments(launch, arguments, bounds);
    struct interp_options options = {
        .grid = {launch->grid[0], launch->grid[1], launch->grid[2]},
        .check = !launch->unchecked,
        .step_limit = launch->step_limit,
        .print = launch->hooks.print,
        .user = launch->hooks.user,
        .bounds = wants_bounds(launch) ? bounds : NULL,
    };
    call->good =
        interp_run(call->kernel->ir->func, arguments, &options, &call->arena, &call->diagnostics);
}

static tilec_status go(struct run_launch *launch)
{
    struct call call = {.launch = launch, .kernel = launch->kernel};
    return run_call(&call, run_kernel);
}

/* ---- host functions -------------------------------------------------------------------------- */

static void run_grid(void *user)
{
    struct call *call = user;
    uint64_t results[3] = {1, 1, 1};
    diagnostics_init(&call->diagnostics, &call->arena);
    call->good = interp_host(call->kernel->ir->grid, call->scalars, results, &call->arena,
                             &call->diagnostics);
    for (int axis = 0; axis < 3; axis++)
        call->grid[axis] = axis < call->kernel->grid_rank ? (int64_t)results[axis] : 1;
}

tilec_status run_interp_grid(tilec_kernel *kernel, const uint64_t *scalars, int64_t grid[3])
{
    struct call call = {.kernel = kernel, .scalars = scalars, .grid = grid};
    return run_call(&call, run_grid);
}

static void run_requirements(void *user)
{
    struct call *call = user;
    const struct ir_kernel *ir = call->kernel->ir;
    diagnostics_init(&call->diagnostics, &call->arena);
    call->good = true;
    call->failed = -1;
    for (int i = 0; call->good && call->failed < 0 && i < ir->require_count; i++) {
        uint64_t holds = 0;
        call->good = interp_host(ir->launch_requires[i].condition, call->scalars, &holds,
                                 &call->arena, &call->diagnostics);
        if (call->good && !holds)
            call->failed = i;
    }
}

tilec_status run_interp_require(tilec_kernel *kernel, const uint64_t *scalars, int32_t *failed)
{
    struct call call = {.kernel = kernel, .scalars = scalars};
    tilec_status status = run_call(&call, run_requirements);
    *failed = call.failed;
    return status;
}

const struct run_backend run_backend_interp = {
    .name = "interp",
    .grid = run_interp_grid,
    .require = run_interp_require,
    .go = go,
};
