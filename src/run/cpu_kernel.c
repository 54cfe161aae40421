/* Kernels on this processor: which variant of the code runs, and what asserts in it report. */
#include "base/clock.h"
#include "run/launch.h"

/* ---- tile_assert ----------------------------------------------------------------------------- */

static void on_assert(const struct cpu_hooks *table, const char *text, int64_t id)
{
    struct run_hooks *hooks = (struct run_hooks *)(uintptr_t)table;
    if (atomic_exchange(&hooks->failed, true))
        return;
    hooks->text = text;
    hooks->program = id;
}

/* ---- variants of the code -------------------------------------------------------------------- */

/* Streaming stores bypass the caches, which pays when the output would not stay in them anyway. */
static bool is_output_large(const struct run_launch *launch)
{
    const int64_t large = (int64_t)16 << 20;
    int64_t bytes = 0;
    for (int i = 0; i < launch->kernel->parameter_count; i++) {
        const struct run_parameter *p = &launch->kernel->parameters[i];
        int64_t elements = launch->elements[i];
        if (!p->pointer || p->is_const || elements < 0)
            continue;
        if (elements >= large)
            return true;
        bytes += elements * (int64_t)ir_elem_bytes(p->elem);
    }
    return bytes >= large;
}

static tilec_status use_variant(struct run_launch *launch, unsigned variant)
{
    launch->variant = variant;
    return launch->kernel->code[variant] ? TILEC_OK : run_add_variant(launch->kernel, variant);
}

/* The code for buffers that overlap must be had; streaming is only faster. */
static tilec_status choose_variant(struct run_launch *launch)
{
    unsigned variant = launch->kernel->primary, differs = launch->kernel->stats.differs;
    if (variant & differs & CPU_VARIANT_NO_OVERLAP && run_launch_overlaps(launch))
        variant &= ~(unsigned)CPU_VARIANT_NO_OVERLAP;
    if (differs & CPU_VARIANT_STREAMING && is_output_large(launch)) {
        if (use_variant(launch, variant | CPU_VARIANT_STREAMING) == TILEC_OK)
            return TILEC_OK;
        run_report_clear(launch->kernel->context);
    }
    return use_variant(launch, variant);
}

/* ---- the backend ----------------------------------------------------------------------------- */

static tilec_status cpu_grid(tilec_kernel *kernel, const uint64_t *scalars, int64_t grid[3])
{
    kernel->grid(scalars, grid);
    for (int axis = kernel->grid_rank; axis < 3; axis++)
        grid[axis] = 1;
    return TILEC_OK;
}

static tilec_status cpu_require(tilec_kernel *kernel, const uint64_t *scalars, int32_t *failed)
{
    *failed = kernel->require(scalars);
    return TILEC_OK;
}

static tilec_status reserve(struct run_launch *launch)
{
    tilec_kernel *kernel = launch->kernel;
    int64_t threads = launch->threads < launch->programs ? launch->threads : launch->programs;
    if (run_scratch_reserve(kernel->context, launch->scratch, threads > 0 ? (int)threads : 1,
                            (size_t)kernel->stats.scratch_bytes))
        return TILEC_OK;
    return TILEC_ERROR_NO_MEMORY;
}

static tilec_status cpu_prepare(struct run_launch *launch, const tilec_launch_options *options)
{
    (void)options;
    const tilec_kernel *kernel = launch->kernel;
    tilec_status status = TILEC_OK;
    if (kernel->needs) {
        kernel->needs(launch->inputs, launch->needed);
        status = run_launch_compare_sizes(launch);
    }
    if (status == TILEC_OK)
        status = choose_variant(launch);
    return status == TILEC_OK ? reserve(launch) : status;
}

static tilec_status cpu_go(struct run_launch *launch)
{
    if (atomic_load_explicit(&launch->hooks.failed, memory_order_relaxed))
        atomic_store_explicit(&launch->hooks.failed, false, memory_order_relaxed);
    double begin = launch->device_seconds ? clock_seconds() : 0;
    run_programs(launch);
    if (launch->device_seconds)
        *launch->device_seconds = clock_seconds() - begin;
    return atomic_load_explicit(&launch->hooks.failed, memory_order_relaxed) ? TILEC_ERROR_FAULT
                                                                             : TILEC_OK;
}

static tilec_status cpu_report(struct run_launch *launch, tilec_status status)
{
    if (status != TILEC_ERROR_FAULT)
        return status;
    int64_t id = launch->hooks.program, x = launch->grid[0], y = launch->grid[1];
    return FAIL(launch, status, NULL,
                "kernel '%s', program (%lld, %lld, %lld): assertion failed: %s",
                launch->kernel->name, (long long)(id % x), (long long)(id / x % y),
                (long long)(id / x / y), launch->hooks.text);
}

/* What the code calls; threads.c hands it the table. */
static bool cpu_make(struct run_launch *launch)
{
    launch->hooks.table.failed = on_assert;
    launch->hooks.table.print = run_print;
    return true;
}

const struct run_backend run_backend_cpu = {
    .name = "cpu",
    .make = cpu_make,
    .grid = cpu_grid,
    .require = cpu_require,
    .prepare = cpu_prepare,
    .go = cpu_go,
    .report = cpu_report,
};
