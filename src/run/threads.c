/*
 * Spreading the programs of a launch over threads.
 *
 * Each thread runs one contiguous range of programs in order. Programs do not depend on one
 * another, so results do not depend on the number of threads.
 *
 * Waking the threads costs 0.7 us when they still spin and up to 120 us when they sleep, so a
 * launch with little work stays on the calling thread. How much work there is shows the time that
 * programs took in the launch before. Where that is unknown or was little, the first program is
 * timed before the rest is decided, because the arguments may be others now.
 *
 * After a fork the child has none of OpenMP's threads, but OpenMP waits for them all the same. So a
 * child of a process that ran a parallel launch stays on one thread.
 */
#include "run/run.h"

#include <time.h>
#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#endif

static const double pays_from = 2e-6; /* seconds of work, measured with libgomp */

int run_default_threads(void)
{
#ifdef _OPENMP
    return omp_get_max_threads();
#else
    return 1;
#endif
}

/* OpenMP ends the process where the system refuses it a thread, so nobody gets thousands, whatever
 * was asked for; some more than there are processors are of use to tests. */
int run_most_threads(void)
{
#ifdef _OPENMP
    int several = 4 * omp_get_num_procs();
    return several > 64 ? several : 64;
#else
    return 1;
#endif
}

double run_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void run_range(struct run_launch *launch, int64_t begin, int64_t end, int thread)
{
    unsigned char *scratch = launch->scratch->blocks[thread];
    ((const struct cpu_hooks **)(void *)scratch)[-1] = &launch->hooks.table;
    launch->kernel->code[launch->variant](launch->values, launch->grid, begin, end, scratch);
}

/* Runs a range and notes what one program took. */
static double run_timed(struct run_launch *launch, int64_t begin, int64_t end)
{
    double start = run_now();
    run_range(launch, begin, end, 0);
    double each = (run_now() - start) / (double)(end - begin);
    atomic_store_explicit(&launch->kernel->program_seconds, each, memory_order_relaxed);
    return each;
}

#ifdef _OPENMP

static void run_share(struct run_launch *launch, int64_t begin, int64_t end)
{
    int threads = omp_get_num_threads(), thread = omp_get_thread_num();
    int64_t count = end - begin, share = count / threads, more = count % threads;
    int64_t first = begin + share * thread + (thread < more ? thread : more);
    int64_t last = first + share + (thread < more);
    if (first == last)
        return;
    if (thread == 0)
        run_timed(launch, first, last);
    else
        run_range(launch, first, last, thread);
}

/* Which process OpenMP's threads belong to. They are the process's, and so is this. */
static atomic_int owner;

static bool may_use_threads(void)
{
    int nobody = 0, self = (int)getpid();
    return atomic_compare_exchange_strong(&owner, &nobody, self) || nobody == self;
}

static void run_parallel(struct run_launch *launch, int64_t begin, int64_t end)
{
    if (!may_use_threads()) {
        run_timed(launch, begin, end);
        return;
    }
    int64_t count = end - begin;
    int threads = count < launch->threads ? (int)count : launch->threads;
#pragma omp parallel num_threads(threads)
    run_share(launch, begin, end);
}

#else

static void run_parallel(struct run_launch *launch, int64_t begin, int64_t end)
{
    run_timed(launch, begin, end);
}

#endif

void run_programs(struct run_launch *launch)
{
    int64_t count = launch->programs;
    if (launch->threads == 1 || count == 1) {
        run_range(launch, 0, count, 0);
        return;
    }
    double before = atomic_load_explicit(&launch->kernel->program_seconds, memory_order_relaxed);
    if (before * (double)count > pays_from) {
        run_parallel(launch, 0, count);
        return;
    }
    double first = run_timed(launch, 0, 1);
    /* Timing one program measures the clock and cold caches too, so the limit is generous. */
    if (first * (double)(count - 1) > 50 * pays_from)
        run_parallel(launch, 1, count);
    else
        run_range(launch, 1, count, 0);
}
