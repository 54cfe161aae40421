/* Arguments, grid and requirements of a launch; see launch.h. */
#include "base/c_locale.h"
#include "base/suggest.h"
#include "ir/eval.h"
#include "plan/plan.h"
#include "run/launch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const int64_t most_programs = (int64_t)1 << 32;

/* ---- which argument is which ----------------------------------------------------------------- */

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
tilec_status run_launch_match(struct run_launch *launch, const tilec_argument *arguments,
                              size_t count)
{
    const tilec_kernel *kernel = launch->kernel;
    size_t wanted = (size_t)kernel->parameter_count;
    if (count && !arguments)
        return FAIL(launch, TILEC_ERROR_INVALID, NULL, "the array of arguments is NULL");
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
tilec_status run_launch_check_scalar(struct run_launch *launch, int i,
                                     const tilec_argument *argument)
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
    tilec_status status = run_check_shape(launch->kernel->context, p->name, ir_elem_bytes(p->elem),
                                          argument, &launch->elements[i]);
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

tilec_status run_launch_check_arguments(struct run_launch *launch, const tilec_argument *arguments,
                                        size_t count)
{
    tilec_status status = run_launch_match(launch, arguments, count);
    for (int i = 0; status == TILEC_OK && i < launch->kernel->parameter_count; i++)
        status = launch->kernel->parameters[i].pointer
                     ? check_buffer(launch, i, launch->given[i])
                     : run_launch_check_scalar(launch, i, launch->given[i]);
    return status;
}

/* ---- scalars, grid, requirements ------------------------------------------------------------- */

void run_launch_collect_scalars(struct run_launch *launch)
{
    const tilec_kernel *kernel = launch->kernel;
    int n = 0;
    for (int i = 0; i < kernel->parameter_count; i++)
        if (!kernel->parameters[i].pointer)
            launch->inputs[n++] = launch->values[i];
}

static tilec_status choose_grid(struct run_launch *launch, const int64_t *grid)
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

tilec_status run_launch_find_grid(struct run_launch *launch, const int64_t *given)
{
    tilec_status status = choose_grid(launch, given);
    return status == TILEC_OK ? check_grid(launch) : status;
}

tilec_status run_launch_check_requirements(struct run_launch *launch)
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

bool run_launch_overlaps(const struct run_launch *launch)
{
    for (int a = 0; a < launch->kernel->parameter_count; a++)
        for (int b = 0; b < a; b++)
            if (overlap(launch, a, b, true))
                return true;
    return false;
}

/* The code takes it that a restrict buffer is apart from what else is written, and would be
 * silently wrong where it is not. Unknown lengths are trusted. */
tilec_status run_launch_check_restrict(const struct run_launch *launch)
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
