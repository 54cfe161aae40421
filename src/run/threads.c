/*
 * Spreading the programs of a launch over threads.
 *
 * Each thread runs one contiguous range of programs in order. Programs do not depend on one
 * another, so results do not depend on the number of threads.
 *
 * To fork and join takes 0.4 to 1 us where the threads still spin, and 30 to 120 us where they
 * sleep, which depends on OMP_WAIT_POLICY and on what the process does between its launches. So it
 * is measured, and a launch whose work gains less by its threads stays on the calling thread. How
 * much work there is shows the time that programs took in the launch before. Where that is unknown,
 * or was little and the arguments may be others now, the first program is timed before the rest is
 * decided.
 *
 * After a fork the child has none of OpenMP's threads, but OpenMP waits for them all the same. So a
 * child of a process that ran a parallel launch stays on one thread.
 */
#include "base/clock.h"
#include "run/run.h"

#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#endif

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

static void run_range(struct run_launch *launch, int64_t begin, int64_t end, int thread)
{
    unsigned char *scratch = launch->scratch->blocks[thread];
    ((const struct cpu_hooks **)(void *)scratch)[-1] = &launch->hooks.table;
    launch->kernel->code[launch->variant](launch->values, launch->grid, begin, end, scratch);
}

#ifdef _OPENMP

/* Runs a range on the calling thread and notes what one program took. */
static double run_timed(struct run_launch *launch, int64_t begin, int64_t end)
{
    double start = clock_seconds();
    run_range(launch, begin, end, 0);
    launch->program_seconds = (clock_seconds() - start) / (double)(end - begin);
    return launch->program_seconds;
}

/* What it takes to fork and join, beyond the longest share: the process's, as the threads are. The
 * lower of two neighbours counts, as now and then a thread is not on a processor when it is wanted;
 * where others keep it from there for milliseconds, that says nothing about the next launch. */
static const double least_fork = 0.4e-6, most_fork = 60e-6;
static _Atomic double fork_seconds = 0.7e-6, last_fork = 0.7e-6;

static void learn_fork(double seconds)
{
    seconds = seconds < most_fork ? seconds : most_fork;
    double before = atomic_exchange_explicit(&last_fork, seconds, memory_order_relaxed);
    double known = atomic_load_explicit(&fork_seconds, memory_order_relaxed);
    double lower = seconds < before ? seconds : before;
    known = lower > known ? lower : known + (lower - known) / 4;
    atomic_store_explicit(&fork_seconds, known, memory_order_relaxed);
}

/* Whether threads gain more than forking takes. Where they do not, that is forgotten bit by bit, so
 * that it is measured again after 512 times the work; it may cost less by then. */
static bool pays(double work, int threads)
{
    double known = atomic_load_explicit(&fork_seconds, memory_order_relaxed);
    if (work * (threads - 1) / threads > 1.25 * known)
        return true;
    if (known > least_fork)
        atomic_store_explicit(&fork_seconds, known - work / 512, memory_order_relaxed);
    return false;
}

/* Of the arguments' first launches all are timed, then one of eight; all whose arguments may be
 * others than before, and one behind a fork that took unusually long. */
static bool is_timed(struct run_launch *launch)
{
    enum { FIRST = 4, EACH = 8 };
    unsigned number = launch->runs++;
    return !launch->is_prepared || number < FIRST || number % EACH == 0 ||
           atomic_load_explicit(&last_fork, memory_order_relaxed) >
               2 * atomic_load_explicit(&fork_seconds, memory_order_relaxed);
}

static void run_share(struct run_launch *launch, int64_t begin, int64_t end, int thread,
                      int threads)
{
    int64_t count = end - begin, share = count / threads, more = count % threads;
    int64_t first = begin + share * thread + (thread < more ? thread : more);
    int64_t last = first + share + (thread < more);
    if (first < last)
        run_range(launch, first, last, thread);
}

/* Which process OpenMP's threads belong to. They are the process's, and so is this. */
static atomic_int owner;

static bool may_use_threads(void)
{
    int nobody = 0, self = (int)getpid();
    return atomic_compare_exchange_strong(&owner, &nobody, self) || nobody == self;
}

static int threads_for(const struct run_launch *launch, int64_t programs)
{
    return programs < launch->threads ? (int)programs : launch->threads;
}

/* No reduction clause: clang would export a variable for it. */
static void keep_longest(_Atomic double *longest, double own)
{
    double known = atomic_load_explicit(longest, memory_order_relaxed);
    while (own > known && !atomic_compare_exchange_weak(longest, &known, own))
        continue;
}

static void run_parallel(struct run_launch *launch, int64_t begin, int64_t end, bool timed)
{
    int threads = threads_for(launch, end - begin);
    if (!may_use_threads()) {
        run_timed(launch, begin, end);
        return;
    }
    if (!timed) {
#pragma omp parallel num_threads(threads)
        run_share(launch, begin, end, omp_get_thread_num(), omp_get_num_threads());
        return;
    }
    double start = clock_seconds();
    _Atomic double longest = 0;
    int team = 1; /* fewer than wanted within the caller's own parallel region */
#pragma omp parallel num_threads(threads)
    {
        double own = clock_seconds();
        int thread = omp_get_thread_num();
        if (thread == 0)
            team = omp_get_num_threads();
        run_share(launch, begin, end, thread, omp_get_num_threads());
        keep_longest(&longest, clock_seconds() - own);
    }
    learn_fork(clock_seconds() - start - longest);
    launch->program_seconds = longest * team / (double)(end - begin);
}

/* Arguments that stay what they were tell how long a launch takes. */
static void run_prepared(struct run_launch *launch)
{
    int64_t count = launch->programs;
    bool timed = is_timed(launch);
    if (pays(launch->program_seconds * (double)count, threads_for(launch, count)))
        run_parallel(launch, 0, count, timed);
    else if (timed)
        run_timed(launch, 0, count);
    else
        run_range(launch, 0, count, 0);
}

static void run_several(struct run_launch *launch)
{
    /* Timing one program measures the clock and cold caches too, so the limit is generous. */
    static const double pays_surely = 100e-6;
    int64_t count = launch->programs;
    if (launch->is_prepared && launch->program_seconds > 0) {
        run_prepared(launch);
        return;
    }
    double before = launch->program_seconds * (double)count;
    if (before > 0 && pays(before, threads_for(launch, count))) {
        run_parallel(launch, 0, count, is_timed(launch));
        return;
    }
    double rest = run_timed(launch, 0, 1) * (double)(count - 1);
    if (rest > pays_surely && pays(rest, threads_for(launch, count - 1)))
        run_parallel(launch, 1, count, true);
    else
        run_range(launch, 1, count, 0);
}

#else

static void run_several(struct run_launch *launch)
{
    run_range(launch, 0, launch->programs, 0);
}

#endif

void run_programs(struct run_launch *launch)
{
    if (launch->threads == 1 || launch->programs == 1)
        run_range(launch, 0, launch->programs, 0);
    else
        run_several(launch);
}
