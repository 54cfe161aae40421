/* Paired timing; see measure.h. */
#include "bench/measure.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined __x86_64__
#include <immintrin.h>
#elif defined __aarch64__
#include <arm_neon.h>
#endif

enum { MAX_SAMPLES = 4096 };

double measure_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void rest(double seconds)
{
    struct timespec t = {.tv_nsec = (long)(seconds * 1e9)};
    if (seconds > 0)
        nanosleep(&t, NULL);
}

static double time_calls(const struct measure_arm *arm, int calls)
{
    double begin = measure_now();
    for (int i = 0; i < calls; i++)
        arm->run(arm->user);
    return (measure_now() - begin) / calls;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void summarise(struct measure_arm *arm, double *samples)
{
    int n = arm->samples;
    if (!n)
        return;
    qsort(samples, (size_t)n, sizeof *samples, compare_doubles);
    arm->seconds = n % 2 ? samples[n / 2] : (samples[n / 2 - 1] + samples[n / 2]) / 2;
    arm->quartile_low = samples[n / 4];
    arm->quartile_high = samples[(3 * n) / 4 < n ? (3 * n) / 4 : n - 1];
}

/* Threads that slept take a while, and a few calls, to be back on cores of their own. */
static void warm(const struct measure_arm *arm, double seconds)
{
    double begin = measure_now();
    do
        arm->run(arm->user);
    while (measure_now() - begin < seconds);
}

/* How many calls make a sample of least_call seconds; warms the arm up on the way. */
static int calibrate(const struct measure_arm *arm, double least_call)
{
    warm(arm, 5e-3);
    double one = time_calls(arm, 1);
    int calls = one < least_call ? (int)(least_call / (one > 1e-9 ? one : 1e-9)) + 1 : 1;
    if (calls > 1) {
        one = time_calls(arm, calls);
        calls = one < least_call ? (int)(least_call / one) + 1 : 1;
    }
    return calls;
}

void measure_arms(struct measure_arm *arms, int count, double budget, int least, double least_call,
                  double pause)
{
    double *samples = calloc((size_t)count * MAX_SAMPLES, sizeof *samples);
    int *calls = calloc((size_t)count, sizeof *calls);
    if (!samples || !calls)
        abort(); /* a benchmark program without memory has nothing to report */
    for (int a = 0; a < count; a++) {
        arms[a].samples = 0;
        arms[a].seconds = 0;
        if (arms[a].run)
            calls[a] = calibrate(&arms[a], least_call);
    }
    double end = measure_now() + budget;
    for (int round = 0; round < MAX_SAMPLES && (round < least || measure_now() < end); round++) {
        for (int k = 0; k < count; k++) {
            int a = round % 2 ? count - 1 - k : k;
            if (!arms[a].run)
                continue;
            rest(pause);
            if (pause > 0)
                warm(&arms[a], 5e-3);
            samples[a * MAX_SAMPLES + arms[a].samples++] = time_calls(&arms[a], calls[a]);
        }
    }
    for (int a = 0; a < count; a++)
        summarise(&arms[a], samples + a * MAX_SAMPLES);
    free(samples);
    free(calls);
}

static void copy_part(char *to, const char *from, size_t bytes)
{
#if defined __AVX512F__
    for (size_t i = 0; i < bytes; i += 64)
        _mm512_stream_si512((void *)(to + i), _mm512_load_si512((const void *)(from + i)));
    _mm_sfence();
#elif defined __AVX2__
    for (size_t i = 0; i < bytes; i += 32)
        _mm256_stream_si256((void *)(to + i), _mm256_load_si256((const void *)(from + i)));
    _mm_sfence();
#else
    memcpy(to, from, bytes);
#endif
}

void measure_streaming_copy(void *to, const void *from, size_t bytes, int threads)
{
    size_t lines = bytes / 64;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int t = 0; t < threads; t++) {
        size_t begin = lines * (size_t)t / (size_t)threads * 64;
        size_t end = lines * ((size_t)t + 1) / (size_t)threads * 64;
        copy_part((char *)to + begin, (const char *)from + begin, end - begin);
    }
}

#if defined __aarch64__
#define VECTOR_REGISTER "w"
#else
#define VECTOR_REGISTER "v"
#endif

#if defined __AVX512F__
typedef __m512 fma_vector;
#define FMA(a, b, c) _mm512_fmadd_ps(a, b, c)
#elif defined __FMA__
typedef __m256 fma_vector;
#define FMA(a, b, c) _mm256_fmadd_ps(a, b, c)
#elif defined __aarch64__
typedef float32x4_t fma_vector;
#define FMA(a, b, c) vfmaq_f32(c, a, b)
#else
typedef float fma_vector __attribute__((vector_size(16)));
#define FMA(a, b, c) ((a) * (b) + (c))
#endif

double measure_fma_peak(void)
{
    enum { CHAINS = 12 }; /* hide the latency of 4 cycles at 2 per cycle */
    const long turns = 400000;
    double best = 1e9;
    fma_vector sums[CHAINS] = {0}, x = {0};
    for (int i = 0; i < 40; i++) {
        double begin = measure_now();
        for (long t = 0; t < turns; t++) {
#pragma GCC unroll 12
            for (int c = 0; c < CHAINS; c++) {
                sums[c] = FMA(sums[c], x, x);
                __asm__ volatile("" : "+" VECTOR_REGISTER(sums[c]));
            }
        }
        double seconds = measure_now() - begin;
        best = seconds < best ? seconds : best;
    }
    return 2e-9 * CHAINS * (double)(sizeof x / sizeof(float)) * (double)turns / best;
}
