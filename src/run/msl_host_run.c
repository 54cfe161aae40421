/*
 * One launch on msl-host: threadgroups one after another, the threads of each as fibers.
 *
 * A fiber runs until it comes to a meeting (barrier or SIMD collective), ends, or faults. When all
 * have stopped, whoever may go on does: a SIMD group when all of its lanes wait at one and the same
 * collective, the threadgroup when all of its threads wait at one and the same barrier. When
 * neither is so, threads diverged: some will never come. A fault switches back to the scheduler for
 * good; the fiber's stack is simply given up, as kernels own nothing that would need cleaning.
 *
 * Switching is what a product of matrices mostly does, and swapcontext asks the system for the
 * signal mask twice each time: longjmp between the stacks does not. A fiber starts once, and runs
 * the code again for each threadgroup.
 */
#define _GNU_SOURCE
#undef _FORTIFY_SOURCE /* its longjmp refuses to go to another stack */
#include "base/poison.h"
#include "run/msl_host_parts.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

static const size_t stack_bytes = (size_t)256 << 10;
static const size_t stack_guard = (size_t)16 << 10; /* unmapped below each stack; whole pages */

enum fiber_state { FIBER_READY, FIBER_WAITING, FIBER_DONE };

struct fiber {
    ucontext_t start;
    jmp_buf here; /* where it goes on, once it has started */
    bool started;
    void *kept; /* by AddressSanitizer */
    unsigned char *stack;
    enum fiber_state state;
    struct msl_host_arrival *arrival; /* what it waits for; on its own stack */
    struct msl_host_place place;
    struct msl_thread thread;
};

struct simd { /* the values that the lanes brought to the last collective */
    unsigned char values[MSL_HOST_LANES][MSL_HOST_VALUE_BYTES];
};

struct run {
    struct msl_host_program *program;
    const struct msl_host_launch *launch;
    msl_kernel_code *code;
    void *buffers[MSL_HOST_BUFFERS];
    struct msl_memory memory;
    struct msl_host_hooks hooks;
    uint32_t threads; /* per threadgroup */
    uint32_t *order;
    struct fiber *fibers;
    struct simd *simds;
    unsigned char *stacks;
    struct fiber *current;
    jmp_buf scheduler;
    const void *stack; /* the scheduler's, and what AddressSanitizer keeps of it */
    size_t stack_bytes;
    void *kept;
    bool failed;
    char fault[400];
};

/* ---- Switching -------------------------------------------------------------------------------- */

/* Runs the fiber until it stops; the scheduler's side. */
__attribute__((noinline)) static void resume(struct run *run, struct fiber *fiber)
{
    if (_setjmp(run->scheduler)) {
        enter_stack(run->kept, NULL, NULL);
        return;
    }
    leave_stack(&run->kept, fiber->stack, stack_bytes);
    if (fiber->started)
        _longjmp(fiber->here, 1);
    fiber->started = true;
    setcontext(&fiber->start);
}

/* Until it is resumed; the fiber's side. */
__attribute__((noinline)) static void stop(struct run *run, struct fiber *fiber)
{
    if (!_setjmp(fiber->here)) {
        leave_stack(&fiber->kept, run->stack, run->stack_bytes);
        _longjmp(run->scheduler, 1);
    }
    enter_stack(fiber->kept, &run->stack, &run->stack_bytes);
}

/* ---- What kernels call ----------------------------------------------------------------------- */

static void access_hook(void *user, const void *address, size_t size, size_t alignment,
                        enum msl_host_access kind)
{
    struct run *run = user;
    struct fiber *fiber = run->current;
    uintptr_t at = (uintptr_t)address, stack = (uintptr_t)fiber->stack;
    if (at - stack < stack_bytes)
        return; /* its own variables */
    if (msl_memory_access(&run->memory, &fiber->thread, address, size, alignment, kind, run->fault,
                          sizeof run->fault))
        return;
    run->failed = true;
    stop(run, fiber); /* for good */
}

static uint32_t lanes_of(const struct run *run, uint32_t simd)
{
    uint32_t rest = run->threads - simd * MSL_HOST_LANES;
    return rest < MSL_HOST_LANES ? rest : MSL_HOST_LANES;
}

static void meet_hook(void *user, struct msl_host_arrival *arrival)
{
    struct run *run = user;
    struct fiber *fiber = run->current;
    uint32_t simd = fiber->thread.thread / MSL_HOST_LANES;
    fiber->state = FIBER_WAITING;
    fiber->arrival = arrival;
    stop(run, fiber);
    arrival->lane = fiber->thread.thread % MSL_HOST_LANES;
    arrival->lanes = lanes_of(run, simd);
    for (uint32_t lane = 0; lane < arrival->lanes && arrival->size; lane++)
        memcpy((unsigned char *)arrival->values + lane * arrival->size,
               run->simds[simd].values[lane], arrival->size);
}

/* makecontext passes ints: two of them make a pointer. */
static void fiber_main(unsigned high, unsigned low)
{
    struct run *run = (struct run *)(((uintptr_t)high << 16 << 16) | low);
    struct fiber *fiber = run->current;
    enter_stack(NULL, &run->stack, &run->stack_bytes);
    for (;;) { /* for each threadgroup */
        run->code(run->buffers, &fiber->place);
        fiber->state = FIBER_DONE;
        stop(run, fiber);
    }
}

/* ---- Meetings -------------------------------------------------------------------------------- */

static bool same_meeting(const struct fiber *a, const struct fiber *b)
{
    return a->state == FIBER_WAITING && b->state == FIBER_WAITING &&
           a->arrival->kind == b->arrival->kind && a->arrival->line == b->arrival->line &&
           a->arrival->column == b->arrival->column;
}

/* Whether fibers [first, first + count) all wait at one meeting. */
static bool all_meet(const struct run *run, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++)
        if (!same_meeting(&run->fibers[first], &run->fibers[i]))
            return false;
    return true;
}

static bool all_ended(const struct run *run, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++)
        if (run->fibers[i].state != FIBER_DONE)
            return false;
    return true;
}

static void release(struct run *run, uint32_t first, uint32_t count)
{
    static const int orders[MSL_SPACE_COUNT] = {MSL_HOST_ORDER_DEVICE, MSL_HOST_ORDER_THREADGROUP};
    const struct msl_host_arrival *what = run->fibers[first].arrival;
    enum msl_host_meeting kind = what->kind;
    int order = what->order;
    for (uint32_t i = first; i < first + count; i++) {
        struct fiber *fiber = &run->fibers[i];
        if (kind == MSL_HOST_COLLECTIVE && fiber->arrival->size) /* some bring no value */
            memcpy(run->simds[first / MSL_HOST_LANES].values[i - first], fiber->arrival->value,
                   fiber->arrival->size);
        for (int space = 0; space < MSL_SPACE_COUNT; space++) {
            if (kind == MSL_HOST_COLLECTIVE || !(order & orders[space]))
                continue;
            fiber->thread.simd_barriers[space]++;
            fiber->thread.barriers[space] += kind == MSL_HOST_BARRIER;
        }
        fiber->state = FIBER_READY;
    }
}

static const char *describe(const struct fiber *fiber, char *buffer, size_t size)
{
    static const char *const kinds[] = {"a SIMD collective", "a SIMD group barrier", "a barrier"};
    if (fiber->state == FIBER_DONE)
        return "has ended";
    snprintf(buffer, size, "waits at %s in line %d", kinds[fiber->arrival->kind],
             fiber->arrival->line);
    return buffer;
}

/* Nobody may go on: names the first thread that waits, and one that it waits for in vain. */
static void fail_diverged(struct run *run)
{
    uint32_t one = 0, other, first = 0, count = run->threads;
    char waits[80], stray[80];
    while (run->fibers[one].state != FIBER_WAITING)
        one++;
    if (run->fibers[one].arrival->kind != MSL_HOST_BARRIER) {
        first = one / MSL_HOST_LANES * MSL_HOST_LANES;
        count = lanes_of(run, one / MSL_HOST_LANES);
    }
    for (other = first; other + 1 < first + count; other++)
        if (!same_meeting(&run->fibers[one], &run->fibers[other]))
            break;
    run->failed = true;
    snprintf(run->fault, sizeof run->fault,
             "threads diverge in threadgroup %u: thread %u %s, thread %u %s",
             run->fibers[one].thread.group - 1, one,
             describe(&run->fibers[one], waits, sizeof waits), other,
             describe(&run->fibers[other], stray, sizeof stray));
}

/* All fibers have stopped: lets those go on that may. False: all ended, or a fault. */
static bool resolve(struct run *run)
{
    bool any = false;
    for (uint32_t first = 0; first < run->threads; first += MSL_HOST_LANES) {
        uint32_t count = lanes_of(run, first / MSL_HOST_LANES);
        if (all_meet(run, first, count) && run->fibers[first].arrival->kind != MSL_HOST_BARRIER) {
            release(run, first, count);
            any = true;
        }
    }
    if (any || all_ended(run, 0, run->threads))
        return any;
    if (all_meet(run, 0, run->threads)) {
        release(run, 0, run->threads);
        return true;
    }
    fail_diverged(run);
    return false;
}

/* ---- Threadgroups ---------------------------------------------------------------------------- */

static void set(uint32_t at[3], uint32_t x, uint32_t y, uint32_t z)
{
    at[0] = x;
    at[1] = y;
    at[2] = z;
}

static void place_fiber(const struct run *run, struct fiber *fiber, uint32_t index,
                        const uint32_t group[3])
{
    const uint32_t *threads = run->launch->threads, *groups = run->launch->groups;
    struct msl_host_place *place = &fiber->place;
    uint32_t x = index % threads[0], y = index / threads[0] % threads[1];
    uint32_t z = index / threads[0] / threads[1];
    set(place->thread_position_in_threadgroup, x, y, z);
    set(place->thread_position_in_grid, group[0] * threads[0] + x, group[1] * threads[1] + y,
        group[2] * threads[2] + z);
    set(place->threads_per_grid, groups[0] * threads[0], groups[1] * threads[1],
        groups[2] * threads[2]);
    set(place->threadgroup_position_in_grid, group[0], group[1], group[2]);
    set(place->threadgroups_per_grid, groups[0], groups[1], groups[2]);
    set(place->threads_per_threadgroup, threads[0], threads[1], threads[2]);
    set(place->thread_index_in_threadgroup, index, 0, 0);
    set(place->thread_index_in_simdgroup, index % MSL_HOST_LANES, 0, 0);
    set(place->threads_per_simdgroup, MSL_HOST_LANES, 0, 0);
    set(place->simdgroup_index_in_threadgroup, index / MSL_HOST_LANES, 0, 0);
    set(place->simdgroups_per_threadgroup, (run->threads + MSL_HOST_LANES - 1) / MSL_HOST_LANES, 0,
        0);
    fiber->thread = (struct msl_thread){
        .group = 1 + group[0] + groups[0] * (group[1] + groups[1] * group[2]), .thread = index};
}

static bool run_group(struct run *run, const uint32_t group[3])
{
    for (uint32_t i = 0; i < run->threads; i++) {
        place_fiber(run, &run->fibers[i], i, group);
        run->fibers[i].state = FIBER_READY;
    }
    do {
        for (uint32_t i = 0; i < run->threads; i++) {
            run->current = &run->fibers[run->order[i]];
            run->hooks.lane = run->order[i] % MSL_HOST_LANES;
            if (run->current->state == FIBER_READY)
                resume(run, run->current);
            if (run->failed)
                return false;
        }
    } while (resolve(run));
    return !run->failed;
}

/* ---- The launch ------------------------------------------------------------------------------ */

static void order_threads(struct run *run, uint64_t order)
{
    for (uint32_t i = 0; i < run->threads; i++)
        run->order[i] = order == 1 ? run->threads - 1 - i : i;
    for (uint32_t i = run->threads; order > 1 && i > 1; i--) {
        order = order * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint32_t other = (uint32_t)(order >> 33) % i, kept = run->order[i - 1];
        run->order[i - 1] = run->order[other];
        run->order[other] = kept;
    }
}

static void make_fiber(struct run *run, struct fiber *fiber)
{
    uintptr_t self = (uintptr_t)run;
    getcontext(&fiber->start);
    fiber->start.uc_stack.ss_sp = fiber->stack;
    fiber->start.uc_stack.ss_size = stack_bytes;
    fiber->start.uc_link = NULL;
    makecontext(&fiber->start, (void (*)(void))fiber_main, 2, (unsigned)(self >> 16 >> 16),
                (unsigned)self);
}

static bool open_fibers(struct run *run)
{
    size_t step = stack_guard + stack_bytes;
    run->order = calloc(run->threads, sizeof *run->order);
    run->fibers = calloc(run->threads, sizeof *run->fibers);
    run->simds = calloc((run->threads + MSL_HOST_LANES - 1) / MSL_HOST_LANES, sizeof *run->simds);
    void *stacks = mmap(NULL, run->threads * step, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    run->stacks = stacks == MAP_FAILED ? NULL : stacks;
    if (!run->order || !run->fibers || !run->simds || !run->stacks)
        return false;
    for (uint32_t i = 0; i < run->threads; i++) {
        run->fibers[i].stack = run->stacks + i * step + stack_guard;
        if (mprotect(run->fibers[i].stack, stack_bytes, PROT_READ | PROT_WRITE) != 0)
            return false;
        make_fiber(run, &run->fibers[i]);
    }
    return true;
}

static void close_run(struct run *run)
{
    if (run->stacks)
        munmap(run->stacks, run->threads * (stack_guard + stack_bytes));
    free(run->simds);
    free(run->fibers);
    free(run->order);
    msl_memory_close(&run->memory);
}

static void run_groups(struct run *run)
{
    const uint32_t *groups = run->launch->groups;
    for (size_t i = 0; i < run->launch->only_count; i++)
        if (!run_group(run, run->launch->only[i]))
            return;
    if (run->launch->only_count)
        return;
    for (uint32_t z = 0; z < groups[2]; z++)
        for (uint32_t y = 0; y < groups[1]; y++)
            for (uint32_t x = 0; x < groups[0]; x++)
                if (!run_group(run, (const uint32_t[3]){x, y, z}))
                    return;
}

static bool find_kernel(const struct msl_host_program *program, const char *name, size_t *index)
{
    for (*index = 0; *index < program->source.count; ++*index)
        if (!name || strcmp(name, program->source.items[*index].name) == 0)
            return true;
    return false;
}

static bool check_launch(const struct msl_host_program *program, const struct msl_kernel *kernel,
                         const struct msl_host_launch *launch, struct diagnostics *diagnostics)
{
    const uint32_t *groups = launch->groups, *threads = launch->threads;
    uint64_t count = (uint64_t)threads[0] * threads[1], shared;
    if (launch->buffer_count > MSL_HOST_BUFFERS)
        return msl_host_fail(diagnostics, "a kernel has at most %d buffers, not %zu",
                             MSL_HOST_BUFFERS, launch->buffer_count);
    if (threads[0] > MSL_HOST_THREADS || threads[1] > MSL_HOST_THREADS || count == 0 ||
        threads[2] == 0 || threads[2] > MSL_HOST_THREADS / count)
        return msl_host_fail(diagnostics, "a threadgroup has 1 to %d threads, not %u x %u x %u",
                             MSL_HOST_THREADS, threads[0], threads[1], threads[2]);
    if (groups[0] == 0 || groups[1] == 0 || groups[2] == 0 || groups[1] > UINT32_MAX / groups[0] ||
        groups[2] >= UINT32_MAX / (groups[0] * groups[1]))
        return msl_host_fail(diagnostics, "a grid of %u x %u x %u threadgroups cannot run",
                             groups[0], groups[1], groups[2]);
    shared = (uint64_t)(program->shared[1] - program->shared[0]);
    if (shared > MSL_HOST_SHARED_BYTES)
        return msl_host_fail(diagnostics, "the text has %ju bytes of threadgroup memory, Metal %d",
                             (uintmax_t)shared, MSL_HOST_SHARED_BYTES);
    for (size_t i = 0; i < MSL_HOST_BUFFERS; i++)
        if (kernel->buffers[i] && (i >= launch->buffer_count || !launch->buffers[i].data))
            return msl_host_fail(diagnostics, "kernel '%s' gets no buffer %zu ('%s')", kernel->name,
                                 i, kernel->buffers[i]);
    return true;
}

bool msl_host_run(struct msl_host_program *program, const struct msl_host_launch *launch,
                  struct diagnostics *diagnostics)
{
    size_t index;
    if (!find_kernel(program, launch->kernel, &index))
        return msl_host_fail(diagnostics, "the MSL text has no kernel '%s'", launch->kernel);
    const struct msl_kernel *kernel = &program->source.items[index];
    if (!check_launch(program, kernel, launch, diagnostics))
        return false;
    struct run run = {.program = program, .launch = launch, .code = program->code[index]};
    run.threads = launch->threads[0] * launch->threads[1] * launch->threads[2];
    run.hooks = (struct msl_host_hooks){&run, 0, access_hook, meet_hook};
    if (!msl_memory_open(&run.memory, program, kernel, launch) || !open_fibers(&run)) {
        close_run(&run);
        return msl_host_fail(diagnostics, "no memory to run kernel '%s'", kernel->name);
    }
    for (size_t i = 0; i < MSL_HOST_BUFFERS; i++)
        run.buffers[i] = msl_memory_buffer(&run.memory, launch, i);
    order_threads(&run, launch->order);
    *program->hooks = &run.hooks;
    run_groups(&run);
    if (!run.failed)
        msl_memory_write_back(&run.memory);
    close_run(&run);
    return !run.failed || msl_host_fail(diagnostics, "kernel '%s': %s", kernel->name, run.fault);
}
