/* Launches on a CUDA device; see cuda.h. The launch itself allocates nothing and takes no lock. */
#include "run/cuda.h"

#include <string.h>

enum { MOST_GRID_X = INT32_MAX, MOST_GRID_YZ = 65535 };

static bool make(struct run_launch *launch)
{
    tilec_context *context = launch->kernel->context;
    size_t count = (size_t)launch->kernel->parameter_count;
    struct cuda_launch *cuda = run_allocate(context, 1, sizeof *cuda);
    void **parameters = run_allocate(context, count, sizeof *parameters);
    if (!cuda || !parameters) {
        run_free(context, cuda);
        run_free(context, parameters);
        return false;
    }
    for (size_t i = 0; i < count; i++)
        parameters[i] = &launch->values[i]; /* little-endian: smaller scalars lie in front */
    cuda->parameters = parameters;
    launch->device = cuda;
    return true;
}

static const struct cuda_driver *driver_of(const struct run_launch *launch)
{
    const struct cuda_kernel *kernel = launch->kernel->device;
    return &kernel->cuda->driver;
}

static void destroy_events(struct run_launch *launch)
{
    struct cuda_launch *cuda = launch->device;
    const struct cuda_kernel *kernel = launch->kernel->device;
    if (!cuda->events[0] && !cuda->events[1])
        return;
    bool entered;
    bool lost = run_cuda_enter(kernel->cuda, &entered) != 0;
    for (int e = 0; e < 2 && !lost; e++)
        if (cuda->events[e])
            driver_of(launch)->event_destroy(cuda->events[e]);
    run_cuda_leave(kernel->cuda, entered);
}

static void unmake(struct run_launch *launch)
{
    struct cuda_launch *cuda = launch->device;
    if (cuda) {
        destroy_events(launch);
        run_free(launch->kernel->context, cuda->parameters);
        run_free(launch->kernel->context, cuda->uniforms);
    }
    run_free(launch->kernel->context, cuda);
}

/* ---- checks ---------------------------------------------------------------------------------- */

static tilec_status grid_of(tilec_kernel *kernel, const uint64_t *scalars, int64_t grid[3])
{
    const struct cuda_kernel *cuda = kernel->device;
    uint64_t sizes[3] = {1, 1, 1};
    host_function_call(cuda->grid, scalars, sizes);
    for (int axis = 0; axis < 3; axis++)
        grid[axis] = (int64_t)sizes[axis];
    return TILEC_OK;
}

static tilec_status require(tilec_kernel *kernel, const uint64_t *scalars, int32_t *failed)
{
    const struct cuda_kernel *cuda = kernel->device;
    *failed = -1;
    for (int i = 0; *failed < 0 && i < kernel->require_count; i++) {
        uint64_t holds;
        host_function_call(cuda->conditions[i], scalars, &holds);
        *failed = holds ? -1 : i;
    }
    return TILEC_OK;
}

/* CUDA's second and third axes are short; a grid that is long there is launched along the first. */
static tilec_status check_grid(struct run_launch *launch)
{
    struct cuda_launch *cuda = launch->device;
    const int64_t *grid = launch->grid;
    cuda->folded = grid[1] > MOST_GRID_YZ || grid[2] > MOST_GRID_YZ;
    if (cuda->folded ? launch->programs <= MOST_GRID_X : grid[0] <= MOST_GRID_X)
        return TILEC_OK;
    return run_fail(launch->kernel->context, TILEC_ERROR_GRID,
                    "launch parts of it one after the other",
                    "kernel '%s': the grid (%lld, %lld, %lld) is larger than the target 'cuda' "
                    "takes: 2147483647 programs along the first axis and 65535 along the others, or "
                    "2147483647 in all",
                    launch->kernel->name, (long long)grid[0], (long long)grid[1],
                    (long long)grid[2]);
}

/* Here, so that the launch itself makes nothing. */
static tilec_status make_events(struct run_launch *launch)
{
    struct cuda_launch *cuda = launch->device;
    const struct cuda_kernel *kernel = launch->kernel->device;
    bool entered;
    if (!cuda->waits || !launch->device_seconds)
        return TILEC_OK;
    int error = run_cuda_enter(kernel->cuda, &entered);
    for (int e = 0; e < 2 && !error; e++)
        if (!cuda->events[e])
            error = driver_of(launch)->event_create(&cuda->events[e], 0);
    run_cuda_leave(kernel->cuda, entered);
    if (!error)
        return TILEC_OK;
    return run_cuda_error(launch->kernel->context, kernel->cuda, error,
                          "kernel '%s': an event cannot be made", launch->kernel->name);
}

static tilec_status prepare(struct run_launch *launch, const tilec_launch_options *options)
{
    struct cuda_launch *cuda = launch->device;
    const struct cuda_kernel *kernel = launch->kernel->device;
    cuda->stream = options->stream;
    cuda->host_buffers = options->host_buffers != 0;
    cuda->waits = !options->stream || cuda->host_buffers;
    cuda->overlap = options->overlap != 0;
    tilec_status status = check_grid(launch);
    if (status == TILEC_OK)
        status = make_events(launch);
    if (status == TILEC_OK && kernel->needs) {
        host_function_call(kernel->needs, launch->inputs, (uint64_t *)launch->needed);
        status = run_launch_compare_sizes(launch);
    }
    return status == TILEC_OK ? run_cuda_choose(launch) : status;
}

/* ---- the launch ------------------------------------------------------------------------------ */

/* On addresses of the device; 0 or an error. */
static int start(const struct run_launch *launch)
{
    const struct cuda_launch *cuda = launch->device;
    const struct cuda_kernel *kernel = launch->kernel->device;
    struct cuda_launch_attribute attribute = {.id = CUDA_ATTRIBUTE_OVERLAP, .value = {.overlap = 1}};
    unsigned width = (unsigned)run_cuda_width(launch), programs = cuda->variant->programs;
    bool folded = cuda->folded;
    struct cuda_launch_config config = {
        .grid = {(width * cuda->variant->blocks + programs - 1) / programs,
                 folded ? 1 : (unsigned)launch->grid[1], folded ? 1 : (unsigned)launch->grid[2]},
        .block = {cuda->variant->threads, 1, 1},
        .shared_bytes = cuda->variant->dynamic_shared_bytes,
        .stream = cuda->stream,
        .attributes = cuda->overlap ? &attribute : NULL,
        .attribute_count = cuda->overlap ? 1 : 0,
    };
    return kernel->cuda->driver.launch(&config, cuda->variant->function, cuda->parameters, NULL);
}

static int start_and_wait(const struct run_launch *launch)
{
    const struct cuda_launch *cuda = launch->device;
    int error = start(launch);
    return error || !cuda->waits ? error : driver_of(launch)->stream_wait(cuda->stream);
}

/* Between events, which take some microseconds themselves: see docs/cuda.md. */
static int start_and_time(const struct run_launch *launch)
{
    const struct cuda_launch *cuda = launch->device;
    const struct cuda_driver *d = driver_of(launch);
    float milliseconds = 0;
    int error = d->event_record(cuda->events[0], cuda->stream);
    if (!error)
        error = start(launch);
    if (!error)
        error = d->event_record(cuda->events[1], cuda->stream);
    if (!error)
        error = d->stream_wait(cuda->stream);
    if (!error)
        error = d->event_elapsed(&milliseconds, cuda->events[0], cuda->events[1]);
    *launch->device_seconds = 1e-3 * (double)milliseconds;
    return error;
}

static int run_kernel(const struct run_launch *launch)
{
    const struct cuda_launch *cuda = launch->device;
    bool timed = launch->device_seconds && cuda->waits;
    return timed ? start_and_time(launch) : start_and_wait(launch);
}

/* ---- buffers in host memory ------------------------------------------------------------------ */

/* Host memory that one or several buffers cover, and its copy on the device. */
struct block {
    uint64_t begin, end;
    cuda_pointer copy;
    bool written;
};

struct blocks {
    int count;
    struct block *items;
};

static bool is_buffer(const struct run_launch *launch, int i)
{
    return launch->kernel->parameters[i].pointer && launch->elements[i] > 0;
}

/* Buffers that overlap share a block, as they share memory. */
static void add_buffer(struct blocks *blocks, struct block block)
{
    for (int i = 0; i < blocks->count;) {
        struct block *other = &blocks->items[i];
        if (other->end <= block.begin || block.end <= other->begin) {
            i++;
            continue;
        }
        block.begin = block.begin < other->begin ? block.begin : other->begin;
        block.end = block.end > other->end ? block.end : other->end;
        block.written = block.written || other->written;
        *other = blocks->items[--blocks->count];
        i = 0;
    }
    blocks->items[blocks->count++] = block;
}

static void collect(const struct run_launch *launch, struct blocks *blocks)
{
    for (int i = 0; i < launch->kernel->parameter_count; i++) {
        const struct run_parameter *p = &launch->kernel->parameters[i];
        if (!is_buffer(launch, i))
            continue;
        uint64_t bytes = (uint64_t)launch->elements[i] * ir_elem_bytes(p->elem);
        add_buffer(blocks, (struct block){.begin = launch->values[i],
                                          .end = launch->values[i] + bytes,
                                          .written = !p->is_const});
    }
}

/* The copy starts as far from a multiple of 256 bytes as the memory itself does. */
static int copy_in(const struct cuda_driver *d, struct blocks *blocks, int *made)
{
    int error = 0;
    for (*made = 0; !error && *made < blocks->count; (*made)++) {
        struct block *b = &blocks->items[*made];
        size_t shift = b->begin % 256, bytes = (size_t)(b->end - b->begin);
        error = d->allocate(&b->copy, bytes + shift);
        if (error)
            break;
        b->copy += shift;
        error = d->copy_in(b->copy, (const void *)(uintptr_t)b->begin, bytes);
    }
    return error;
}

static int copy_out(const struct cuda_driver *d, const struct blocks *blocks)
{
    int error = 0;
    for (int i = 0; !error && i < blocks->count; i++) {
        const struct block *b = &blocks->items[i];
        if (b->written)
            error = d->copy_out((void *)(uintptr_t)b->begin, b->copy, (size_t)(b->end - b->begin));
    }
    return error;
}

/* values: of the launch, which are the host's again afterwards. */
static int run_on_copies(struct run_launch *launch, struct blocks *blocks, uint64_t *saved)
{
    const struct cuda_driver *d = driver_of(launch);
    int made = 0, count = launch->kernel->parameter_count;
    collect(launch, blocks);
    int error = copy_in(d, blocks, &made);
    memcpy(saved, launch->values, (size_t)count * sizeof *saved);
    for (int i = 0; !error && i < count; i++) {
        for (int k = 0; is_buffer(launch, i) && k < blocks->count; k++) {
            const struct block *b = &blocks->items[k];
            if (b->begin <= saved[i] && saved[i] < b->end)
                launch->values[i] = b->copy + (saved[i] - b->begin);
        }
    }
    if (!error)
        error = run_kernel(launch);
    if (!error)
        error = copy_out(d, blocks);
    memcpy(launch->values, saved, (size_t)count * sizeof *saved);
    for (int i = 0; i < made; i++)
        d->free(blocks->items[i].copy - blocks->items[i].begin % 256);
    return error;
}

static int run_on_host_buffers(struct run_launch *launch)
{
    tilec_context *context = launch->kernel->context;
    size_t count = (size_t)launch->kernel->parameter_count;
    struct blocks blocks = {0, run_allocate(context, count, sizeof *blocks.items)};
    uint64_t *saved = run_allocate(context, count, sizeof *saved);
    int error = CUDA_NO_MEMORY;
    if (blocks.items && saved)
        error = run_on_copies(launch, &blocks, saved);
    run_free(context, blocks.items);
    run_free(context, saved);
    return error;
}

/* ---- both ------------------------------------------------------------------------------------ */

static tilec_status go(struct run_launch *launch)
{
    const struct cuda_kernel *kernel = launch->kernel->device;
    struct cuda_launch *cuda = launch->device;
    bool entered;
    cuda->error = run_cuda_enter(kernel->cuda, &entered);
    if (!cuda->error)
        cuda->error = cuda->host_buffers ? run_on_host_buffers(launch) : run_kernel(launch);
    run_cuda_leave(kernel->cuda, entered);
    return cuda->error ? TILEC_ERROR_DEVICE : TILEC_OK;
}

static tilec_status report(struct run_launch *launch, tilec_status status)
{
    const tilec_kernel *kernel = launch->kernel;
    const struct cuda_launch *cuda = launch->device;
    const struct cuda_kernel *code = kernel->device;
    if (status == TILEC_OK)
        return status;
    return run_cuda_error(kernel->context, code->cuda, cuda->error, "kernel '%s' fails",
                          kernel->name);
}

const struct run_backend run_backend_cuda = {
    .name = "cuda",
    .grid = grid_of,
    .require = require,
    .make = make,
    .unmake = unmake,
    .prepare = prepare,
    .go = go,
    .report = report,
    .release = run_cuda_unload,
};
