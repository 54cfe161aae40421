#ifndef TILEC_BENCH_MEASURE_H
#define TILEC_BENCH_MEASURE_H
/*
 * Paired timing for the benchmarks: arms alternate call by call, in the order A B .. then .. B A,
 * and each arm's median is reported, so that drift of a shared machine hits all alike.
 */
#include <stddef.h>
#include <stdint.h>

struct measure_arm {
    const char *name;
    void (*run)(void *user); /* NULL: the peer cannot do this */
    void *user;
    double seconds; /* median of one call, set by measure_arms; 0 without run */
    double quartile_low, quartile_high;
    int samples;
};

/* Runs all arms alternately for about budget seconds, at least least rounds. Calls that take less
 * than least_call seconds are repeated within a sample. pause: seconds of rest between arms of
 * different thread pools (0 for none). */
void measure_arms(struct measure_arm *arms, int count, double budget, int least, double least_call,
                  double pause);

/* GFLOP/s of float multiply-adds in registers, one thread. */
double measure_fma_peak(void);

double measure_now(void); /* monotonic seconds */

/* Copies bytes (a multiple of 64, 64-byte aligned) with streaming stores on threads threads. */
void measure_streaming_copy(void *to, const void *from, size_t bytes, int threads);

#endif
