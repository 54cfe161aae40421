/*
 * Launches: arguments and grid are checked, then the programs run; see run.h.
 *
 * This is the path that must cost less than a microsecond, so it works in arrays that were
 * allocated with the kernel and only looks at what it must. Every refusal is one clear message.
 */
#include "base/c_locale.h"
#include "base/suggest.h"
#include "ir/eval.h"
#include "plan/plan.h"
#include "run/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const int64_t most_programs = (int64_t)1 << 32;

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

/* ---- which argument is which ----------------------------------------------------------------- */

#define FAIL(launch, status, hint, ...)                                                            \
    run_fail((launch)->kernel->context, (status), (hint), __VA_ARGS__)

static tilec_status missing(const struct run_launch *launch, int parameter)
{
    const tilec_kernel *kernel = launch->kernel;
    return FAIL(launch, TILEC_ERROR_ARGUMENT, NULL, "kernel '%s': argument '%s' is missing",
                kernel->name, kernel->parameters[parameter].name);
}

static tilec_status surplus(const struct run_launch *launch, size_t count)
{
    const tilec_kernel *kernel = launch->kernel;
    return FAIL(launch, TILEC_ERROR_ARGUMENT, NULL,
                "kernel '%s' takes %d arguments, but %zu were given", kernel->name,
                kernel->parameter_count, count);
}

static tilec_status unknown_name(const struct run_launch *launch, const char *name)
{
    char hint[160];
    const tilec_kernel *kernel = launch->kernel;
    struct suggestion suggestion = {.name = name};
    for (int i = 0; i < kernel->parameter_count; i++)
        suggestion_offer(&suggestion, kernel->parameters[i].name);
    return FAIL(launch, TILEC_ERROR_ARGUMENT, run_did_you_mean(hint, sizeof hint, suggestion.best),
                "kernel '%s' has no parameter '%s'", kernel->name, name);
}

static tilec_status match_name(struct run_launch *launch, const tilec_argument *argument)
{
    const tilec_kernel *kernel = launch->kernel;
    if (!argument->name)
        return FAIL(launch, TILEC_ERROR_ARGUMENT, NULL, "kernel '%s': name all arguments or none",
                    kernel->name);
    for (int i = 0; i < kernel->parameter_count; i++) {
        if (strcmp(kernel->parameters[i].name, argument->name) != 0)
            continue;
        if (launch->given[i])
            return FAIL(launch, TILEC_ERROR_ARGUMENT, NULL,
                        "kernel '%s': argument '%s' is given twice", kernel->name, argument->name);
        launch->given[i] = argument;
        return TILEC_OK;
    }
    return unknown_name(launch, argument->name);
}

/* Fills launch->given. */
static tilec_status match(struct run_launch *launch, const tilec_argument *arguments, size_t count)
{
    const tilec_kernel *kernel = launch->kernel;
    size_t wanted = (size_t)kernel->parameter_count;
    bool by_name = count && arguments[0].name;
    if (!by_name && count > wanted)
        return surplus(launch, count);
    for (size_t i = 0; i < wanted; i++)
        launch->given[i] = by_name || i >= count ? NULL : &arguments[i];
    for (size_t i = 0; by_name && i < count; i++) {
        tilec_status status = match_name(launch, &arguments[i]);
        if (status != TILEC_OK)
            return status;
    }
    for (size_t i = 0; i < wanted; i++)
        if (!launch->given[i] && !kernel->parameters[i].is_fixed)
            return missing(launch, (int)i);
    return TILEC_OK;
}

/* ---- single arguments ------------------------------------------------------------------------ */

static tilec_status wrong_type(const struct run_launch *launch, const struct run_parameter *p,
                               tilec_type type)
{
    const char *name = tilec_type_name(type);
    return FAIL(launch, TILEC_ERROR_ARGUMENT, NULL,
                "argument '%s' has type %s, but the parameter is %s%s (%s)", p->name,
                name ? name : "unknown", ir_elems[p->elem].c_name, p->pointer ? " *" : "",
                ir_elems[p->elem].name);
}

static void put_scalar(char *out, size_t size, enum ir_elem elem, uint64_t bits)
{
    struct c_locale entered = c_locale_enter(); /* a launch has no guard */
    double real = ir_is_float(elem) ? ir_eval_to_double(bits, elem) : 0;
    if (isnan(real))
        snprintf(out, size, "nan of the bits 0x%llx", (unsigned long long)bits);
    else if (ir_is_float(elem))
        snprintf(out, size, "%.*g", elem == IR_F64 ? 17 : 9, real);
    else if (ir_is_signed(elem))
        snprintf(out, size, "%lld", (long long)ir_eval_to_int(bits, elem));
    else
        snprintf(out, size, "%llu", (unsigned long long)bits);
    c_locale_leave(entered);
}

static tilec_status not_fixed_value(const struct run_launch *launch, const struct run_parameter *p,
                                    uint64_t given)
{
    char is[64], wanted[64];
    put_scalar(is, sizeof is, p->elem, given);
    put_scalar(wanted, sizeof wanted, p->elem, p->fixed);
    return FAIL(launch, TILEC_ERROR_ARGUMENT, "compile the kernel for that value, or for all",
                "kernel '%s': argument '%s' is %s, but the code was made for %s",
                launch->kernel->name, p->name, is, wanted);
}

/* argument: NULL for one that is fixed and was left out. */
static tilec_status check_scalar(struct run_launch *launch, int i, const tilec_argument *argument)
{
    const struct run_parameter *p = &launch->kernel->parameters[i];
    unsigned bits = ir_elems[p->elem].bits;
    uint64_t value = argument ? argument->bits : p->fixed;
    if (argument && argument->kind != TILEC_SCALAR)
        return FAIL(launch, TILEC_ERROR_ARGUMENT, NULL,
                    "argument '%s' must be a %s scalar, not a buffer", p->name,
                    ir_elems[p->elem].name);
    if (argument && (int)argument->type != (int)p->elem)
        return wrong_type(launch, p, argument->type);
    if (p->elem == IR_BOOL)
        value = value != 0;
    else if (bits < 64)
        value &= ((uint64_t)1 << bits) - 1;
    if (p->is_fixed && value != p->fixed)
        return not_fixed_value(launch, p, value);
    launch->values[i] = value;
    launch->elements[i] = 0;
    return TILEC_OK;
}

/* Product of the sizes; false when a size is negative or it does not fit. A size of 0 makes it 0,
 * before and behind sizes of any length. */
static bool count_elements(const tilec_argument *argument, int64_t *elements)
{
    int64_t product = 1;
    bool fits = true;
    for (int axis = 0; axis < argument->rank; axis++) {
        int64_t size = argument->shape[axis];
        if (size < 0)
            return false;
        bool grew = __builtin_mul_overflow(product, size, &product);
        fits = size == 0 || (fits && !grew);
    }
    *elements = product;
    return fits;
}

tilec_status run_check_shape(tilec_context *context, const char *name, size_t bytes,
                             const tilec_argument *argument, int64_t *elements)
{
    if (argument->rank == -1 && argument->elements < -1)
        return run_fail(context, TILEC_ERROR_ARGUMENT, "-1 says that the length is unknown",
                        "argument '%s' has %lld elements", name, (long long)argument->elements);
    if (argument->rank == -1)
        *elements = argument->elements;
    else if (argument->rank < 0 || argument->rank > TILEC_MAX_RANK)
        return run_fail(context, TILEC_ERROR_ARGUMENT, NULL,
                        "argument '%s' has rank %d, but a rank is from 0 to %d", name,
                        argument->rank, TILEC_MAX_RANK);
    else if (argument->rank && !argument->shape)
        return run_fail(context, TILEC_ERROR_ARGUMENT, NULL, "argument '%s' has no shape", name);
    else if (!count_elements(argument, elements))
        return run_fail(context, TILEC_ERROR_ARGUMENT, NULL,
                        "argument '%s' has a shape that is negative or too large", name);
    if (*elements > INT64_MAX / (int64_t)bytes)
        return run_fail(context, TILEC_ERROR_ARGUMENT, NULL, "argument '%s' is too large", name);
    return TILEC_OK;
}

static tilec_status check_buffer(struct run_launch *launch, int i, const tilec_argument *argument)
{
    const struct run_parameter *p = &launch->kernel->parameters[i];
    uintptr_t address = (uintptr_t)argument->data;
    if (argument->kind != TILEC_BUFFER)
        return FAIL(launch, TILEC_ERROR_ARGUMENT, NULL,
                    "argument '%s' must be a buffer of %s, not a scalar", p->name,
                    ir_elems[p->elem].name);
    if ((int)argument->type != (int)p->elem)
        return wrong_type(launch, p, argument->type);
    tilec_status status =
        run_check_shape(launch->kernel->context, p->name, ir_elem_bytes(p->elem), argument,
                        &launch->elements[i]);
    if (status != TILEC_OK)
        return status;
    if (!address && launch->elements[i] != 0)
        return FAIL(launch, TILEC_ERROR_ARGUMENT, NULL, "argument '%s' is NULL", p->name);
    if (address & (ir_elem_bytes(p->elem) - 1))
        return FAIL(launch, TILEC_ERROR_ARGUMENT, NULL,
                    "argument '%s' is not aligned to its elements of %zu bytes", p->name,
                    ir_elem_bytes(p->elem));
    launch->values[i] = address;
    launch->initialised[i] = argument->initialised;
    launch->allowed[i] = argument->allowed;
    return TILEC_OK;
}

static tilec_status check_arguments(struct run_launch *launch, const tilec_argument *arguments,
                                    size_t count)
{
    if (count && !arguments)
        return FAIL(launch, TILEC_ERROR_INVALID, NULL, "the array of arguments is NULL");
    tilec_status status = match(launch, arguments, count);
    for (int i = 0; status == TILEC_OK && i < launch->kernel->parameter_count; i++)
        status = launch->kernel->parameters[i].pointer ? check_buffer(launch, i, launch->given[i])
                                                       : check_scalar(launch, i, launch->given[i]);
    return status;
}

/* ---- scalars, grid, requirements ------------------------------------------------------------- */

static void collect_scalars(struct run_launch *launch)
{
    const tilec_kernel *kernel = launch->kernel;
    int n = 0;
    for (int i = 0; i < kernel->parameter_count; i++)
        if (!kernel->parameters[i].pointer)
            launch->inputs[n++] = launch->values[i];
}

static tilec_status find_grid(struct run_launch *launch, const int64_t *grid)
{
    tilec_kernel *kernel = launch->kernel;
    for (int axis = 0; axis < 3; axis++)
        launch->grid[axis] = grid ? grid[axis] : 1;
    if (grid)
        return TILEC_OK;
    if (!kernel->grid_rank)
        return FAIL(launch, TILEC_ERROR_GRID,
                    "write launch_grid(KERNEL, ...) in the file, or pass a grid",
                    "kernel '%s' has no launch_grid and none was passed", kernel->name);
    return kernel->backend->grid(kernel, launch->inputs, launch->grid);
}

static tilec_status check_grid(struct run_launch *launch)
{
    const int64_t *grid = launch->grid;
    bool negative = grid[0] < 0 || grid[1] < 0 || grid[2] < 0;
    bool empty = grid[0] == 0 || grid[1] == 0 || grid[2] == 0;
    int64_t programs = grid[0];
    bool huge = __builtin_mul_overflow(programs, grid[1], &programs) ||
                __builtin_mul_overflow(programs, grid[2], &programs) || programs > most_programs;
    if (negative || (huge && !empty))
        return FAIL(launch, TILEC_ERROR_GRID, NULL, "kernel '%s': the grid (%lld, %lld, %lld) %s",
                    launch->kernel->name, (long long)grid[0], (long long)grid[1],
                    (long long)grid[2],
                    negative ? "has a negative size" : "has more than 2^32 programs");
    launch->programs = empty ? 0 : programs;
    for (int axis = 0; axis < 3; axis++)
        launch->inputs[launch->kernel->scalar_count + axis] = (uint64_t)grid[axis];
    return TILEC_OK;
}

static tilec_status check_requirements(struct run_launch *launch)
{
    tilec_kernel *kernel = launch->kernel;
    int32_t failed = -1;
    if (!kernel->require_count)
        return TILEC_OK;
    tilec_status status = kernel->backend->require(kernel, launch->inputs, &failed);
    if (status != TILEC_OK)
        return status;
    if (failed < 0 || failed >= kernel->require_count)
        return TILEC_OK;
    return FAIL(launch, TILEC_ERROR_REQUIREMENT, NULL,
                "kernel '%s': these arguments do not meet launch_require: %s", kernel->name,
                kernel->require_texts[failed]);
}

/* ---- buffers --------------------------------------------------------------------------------- */

static tilec_status too_small(const struct run_launch *launch, int i, int64_t needed)
{
    const tilec_kernel *kernel = launch->kernel;
    if (needed == PLAN_IN_FRONT)
        return FAIL(launch, TILEC_ERROR_ARGUMENT, "'tilec check' shows the access that is outside",
                    "kernel '%s': with these arguments and the grid (%lld, %lld, %lld) array '%s' "
                    "is accessed in front of its first element",
                    kernel->name, (long long)launch->grid[0], (long long)launch->grid[1],
                    (long long)launch->grid[2], kernel->parameters[i].name);
    return FAIL(launch, TILEC_ERROR_ARGUMENT, "'tilec check' shows the access that is outside",
                "kernel '%s': array '%s' has %lld elements, but with these arguments and the grid "
                "(%lld, %lld, %lld) the kernel needs %lld",
                kernel->name, kernel->parameters[i].name, (long long)launch->elements[i],
                (long long)launch->grid[0], (long long)launch->grid[1], (long long)launch->grid[2],
                (long long)needed);
}

tilec_status run_launch_compare_sizes(struct run_launch *launch)
{
    const tilec_kernel *kernel = launch->kernel;
    int buffer = 0;
    for (int i = 0; i < kernel->parameter_count; i++) {
        if (!kernel->parameters[i].pointer)
            continue;
        int64_t needed = launch->needed[buffer++];
        if (launch->elements[i] >= 0 && launch->elements[i] < needed)
            return too_small(launch, i, needed);
    }
    return TILEC_OK;
}

/* Whether two buffers, one of them written, may share memory; unknown lengths say `unknown`. */
static bool overlap(const struct run_launch *launch, int a, int b, bool unknown)
{
    const struct run_parameter *p = launch->kernel->parameters;
    if (!p[a].pointer || !p[b].pointer || (p[a].is_const && p[b].is_const))
        return false;
    if (launch->elements[a] == 0 || launch->elements[b] == 0)
        return false;
    if (launch->elements[a] < 0 || launch->elements[b] < 0)
        return unknown;
    uint64_t begin_a = launch->values[a], begin_b = launch->values[b];
    uint64_t end_a = begin_a + (uint64_t)launch->elements[a] * ir_elem_bytes(p[a].elem);
    uint64_t end_b = begin_b + (uint64_t)launch->elements[b] * ir_elem_bytes(p[b].elem);
    return begin_a < end_b && begin_b < end_a;
}

static bool any_overlap(const struct run_launch *launch)
{
    for (int a = 0; a < launch->kernel->parameter_count; a++)
        for (int b = 0; b < a; b++)
            if (overlap(launch, a, b, true))
                return true;
    return false;
}

/* The code takes it that a restrict buffer is apart from what else is written, and would be
 * silently wrong where it is not. Unknown lengths are trusted. */
static tilec_status check_restrict(const struct run_launch *launch)
{
    const tilec_kernel *kernel = launch->kernel;
    const struct run_parameter *p = kernel->parameters;
    for (int a = 0; a < kernel->parameter_count; a++)
        for (int b = 0; p[a].is_restrict && b < kernel->parameter_count; b++)
            if (a != b && overlap(launch, a, b, false))
                return FAIL(launch, TILEC_ERROR_ARGUMENT,
                            "pass separate buffers, or leave 'restrict' out of the kernel",
                            "kernel '%s': arrays '%s' and '%s' overlap, but '%s' is restrict",
                            kernel->name, p[a].name, p[b].name, p[a].name);
    return TILEC_OK;
}

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
    if (variant & differs & CPU_VARIANT_NO_OVERLAP && any_overlap(launch))
        variant &= ~(unsigned)CPU_VARIANT_NO_OVERLAP;
    if (differs & CPU_VARIANT_STREAMING && is_output_large(launch)) {
        if (use_variant(launch, variant | CPU_VARIANT_STREAMING) == TILEC_OK)
            return TILEC_OK;
        run_report_clear(launch->kernel->context);
    }
    return use_variant(launch, variant);
}

/* ---- tile_assert and tile_print on the CPU -----------------------------------------------------
 */

static void on_assert(const struct cpu_hooks *table, const char *text, int64_t id)
{
    struct run_hooks *hooks = (struct run_hooks *)(uintptr_t)table;
    if (atomic_exchange(&hooks->failed, true))
        return;
    hooks->text = text;
    hooks->program = id;
}

static void set_hooks(struct run_launch *launch, const tilec_launch_options *options)
{
    launch->hooks.table.failed = on_assert;
    launch->hooks.table.print = run_print;
    launch->hooks.print = options->print;
    launch->hooks.user = options->user;
    launch->hooks.grid = launch->grid;
}

/* ---- the CPU --------------------------------------------------------------------------------- */

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
    double begin = launch->device_seconds ? run_now() : 0;
    run_programs(launch);
    if (launch->device_seconds)
        *launch->device_seconds = run_now() - begin;
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

const struct run_backend run_backend_cpu = {
    .name = "cpu",
    .grid = cpu_grid,
    .require = cpu_require,
    .prepare = cpu_prepare,
    .go = cpu_go,
    .report = cpu_report,
};

/* ---- the whole ------------------------------------------------------------------------------- */

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
    tilec_status status = check_arguments(launch, arguments, count);
    if (status != TILEC_OK || (status = check_restrict(launch)) != TILEC_OK)
        return status;
    collect_scalars(launch);
    if ((status = find_grid(launch, grid)) != TILEC_OK || (status = check_grid(launch)) != TILEC_OK)
        return status;
    if ((status = check_requirements(launch)) != TILEC_OK)
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
        return TILEC_ERROR_INVALID;
    grid[0] = grid[1] = grid[2] = 0;
    run_enter(kernel->context);
    struct run_launch *launch = kernel->launch;
    tilec_status status = argument_count && !arguments ? TILEC_ERROR_INVALID
                                                       : match(launch, arguments, argument_count);
    for (int i = 0; status == TILEC_OK && i < kernel->parameter_count; i++)
        if (!kernel->parameters[i].pointer)
            status = check_scalar(launch, i, launch->given[i]);
    if (status == TILEC_OK) {
        collect_scalars(launch);
        status = find_grid(launch, NULL);
    }
    if (status == TILEC_OK)
        status = check_grid(launch);
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
        return TILEC_ERROR_INVALID;
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
