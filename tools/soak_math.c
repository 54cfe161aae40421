/*
 * soak_math: checks the CPU backend's arithmetic against libm and against plain conversions.
 *
 *     soak_math [--quick] [--function NAME | --function convert] [--level NAME]...
 *
 * Every one-argument function over all 2^32 floats, and over doubles drawn from all exponents and
 * from around 0; functions of two arguments over pairs; every pair of element types; compiled for
 * each level that this machine runs. Prints the greatest error in units of the last place, the
 * input where it is, and the time for 16 elements in cache. Status 1 if an error exceeds 2 ULP, an
 * exact function is not exact, a special case is wrong, or a conversion differs.
 * --quick takes 2^20 inputs of each and every element of the 16-bit types. Threads by
 * OMP_NUM_THREADS.
 */
#define _POSIX_C_SOURCE 200809L
#include "math_language.h"
#include "math_reference.h"

#include <time.h>

enum { MOST_LEVELS = 4, BLOCK = 1 << 16, LANES = 16 };

static const double ulp_limit = 2.0;

struct options {
    bool quick;
    const char *function; /* NULL: all */
    const char *levels[MOST_LEVELS];
    int level_count;
};

/* What is checked: a function of the CPU backend, or one that is written in the language. */
struct function {
    const char *name;
    const char *expression; /* in the language, of x and y; NULL: `code` */
    enum cpu_math_function code;
    int operands;
    bool exact;
    bool positive; /* where it does its usual work */
    bool near_one; /* where it changes fast */
    double (*one)(double);
    double (*two)(double, double);
    long double (*one_long)(long double);
    long double (*two_long)(long double, long double);
};

struct worst {
    double ulps;
    uint32_t x, y; /* bits of the inputs */
};

/* The arrays of a block, once for each thread: they lie on its stack, which is to hold more. */
static _Thread_local struct {
    float x[BLOCK], y[BLOCK], got[MOST_LEVELS][BLOCK];
    double want[BLOCK], wide_x[BLOCK], wide_y[BLOCK], wide_got[BLOCK];
} arrays;

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static float float_of(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static uint64_t mix(uint64_t x) /* a fixed scrambling of 64 bits */
{
    x = (x ^ (x >> 31)) * UINT64_C(0x7fb5d329728ea185);
    x = (x ^ (x >> 27)) * UINT64_C(0x81dadef4bc2dd44d);
    return x ^ (x >> 33);
}

static LLVMValueRef body_call(struct cpu_math *m, LLVMValueRef a, LLVMValueRef b,
                              const struct math_kernel *k)
{
    return cpu_math_call_elem(m, (enum cpu_math_function)k->selector, k->a, a, b);
}

/* Its loop over vectors of elements of a type. */
static math_loop compile(struct math_jit *jit, const struct function *f, enum ir_elem elem)
{
    struct math_kernel kernel = {elem,  elem,      elem,        f->operands == 2,
                                 LANES, body_call, (int)f->code};
    return f->expression ? math_language_compile(jit, f->expression, elem, LANES)
                         : math_jit_compile(jit, &kernel);
}

static LLVMValueRef body_convert(struct cpu_math *m, LLVMValueRef a, LLVMValueRef b,
                                 const struct math_kernel *k)
{
    (void)b;
    return cpu_convert(m, a, k->a, k->out);
}

/* ---- functions of one argument */

static void merge(struct worst *into, const struct worst *from)
{
    if (from->ulps > into->ulps || (from->ulps == into->ulps && from->x < into->x))
        *into = *from;
}

static struct worst worst_of_block(const float *x, const float *got, const double *want)
{
    struct worst worst = {0};
    for (int i = 0; i < BLOCK; i++) {
        double ulps = math_ulps(got[i], want[i]);
        if (ulps > worst.ulps) {
            worst.ulps = ulps;
            memcpy(&worst.x, &x[i], sizeof worst.x);
        }
    }
    return worst;
}

/* All floats in blocks; quick: every 2^12th, at a place in its group that varies. */
static void fill_block(float *x, uint32_t block, bool quick)
{
    for (uint32_t i = 0; i < BLOCK; i++) {
        uint32_t bits = block * BLOCK + i;
        if (quick)
            bits = bits << 12 | (uint32_t)(mix(bits) & 0xfff & -(uint64_t)(bits % 16 != 0));
        memcpy(&x[i], &bits, sizeof bits);
    }
}

/* One block at every level. As a rule levels agree to the bit, and are measured once. */
static void sweep_block(const math_loop *loops, int count, double (*reference)(double),
                        const float *x, struct worst *worst)
{
    float(*got)[BLOCK] = arrays.got;
    double *want = arrays.want;
    struct worst first = {0};
    for (int i = 0; i < BLOCK; i++)
        want[i] = reference((double)x[i]);
    for (int l = 0; l < count; l++) {
        loops[l](x, x, got[l], BLOCK / LANES);
        bool same = l > 0 && memcmp(got[l], got[0], sizeof got[l]) == 0;
        struct worst here = same ? first : worst_of_block(x, got[l], want);
        first = l == 0 ? here : first;
        merge(&worst[l], &here);
    }
}

static void sweep(const math_loop *loops, int count, double (*reference)(double), bool quick,
                  struct worst *worst)
{
    int blocks = quick ? 16 : 65536;
#pragma omp parallel
    {
        float *x = arrays.x;
        struct worst mine[MOST_LEVELS] = {{0}};
#pragma omp for schedule(dynamic, 4)
        for (int b = 0; b < blocks; b++) {
            fill_block(x, (uint32_t)b, quick);
            sweep_block(loops, count, reference, x, mine);
        }
#pragma omp critical
        for (int l = 0; l < count; l++)
            merge(&worst[l], &mine[l]);
    }
}

/* The time for 16 elements, on inputs where functions do their usual work: [-3, 7], or positive. */
static double nanoseconds(math_loop loop, bool positive, bool wide)
{
    enum { COUNT = 1024 };
    static float x[COUNT], y[COUNT];
    static double wide_x[COUNT], wide_y[COUNT], out[COUNT];
    double best = 1.0;
    for (int i = 0; i < COUNT; i++) {
        x[i] = (float)(i - 300) * 0.01f;
        x[i] = positive ? fabsf(x[i]) + 0.01f : x[i];
        wide_x[i] = (double)x[i];
        y[i] = (float)i * 0.005f;
        wide_y[i] = (double)y[i];
    }
    for (int round = 0; round < 20; round++) {
        double start = seconds();
        for (int i = 0; i < 100; i++)
            loop(wide ? (void *)wide_x : (void *)x, wide ? (void *)wide_y : (void *)y, out,
                 COUNT / LANES);
        double time = (seconds() - start) / (100.0 * COUNT / LANES);
        best = time < best ? time : best;
    }
    return best * 1e9;
}

static bool is_exact(enum cpu_math_function f)
{
    return f <= CPU_MATH_RINT || f == CPU_MATH_FMOD;
}

static bool wants_positive(enum cpu_math_function f)
{
    return f == CPU_MATH_LOG || f == CPU_MATH_LOG2 || f == CPU_MATH_LOG10 || f == CPU_MATH_RSQRT ||
           f == CPU_MATH_SQRT || f == CPU_MATH_POW;
}

/* One line of the table; `rest` ends it. */
static bool report(const char *name, const char *level, bool exact, double ulps, double at,
                   double time, const char *rest)
{
    bool good = ulps <= (exact ? 0.5 : ulp_limit);
    printf("%-10s %-10s %8.4f ULP at %-22a %7.2f ns/16%s%s%s\n", name, level, ulps, at, time,
           *rest ? "  " : "", rest,
           good          ? ""
           : isinf(ulps) ? "  WRONG"
                         : "  TOO LARGE");
    fflush(stdout);
    return good;
}

static bool check_function(struct math_jit *jits, int count, const struct function *f, bool quick)
{
    math_loop loops[MOST_LEVELS];
    struct worst worst[MOST_LEVELS] = {{0}};
    bool good = true;
    for (int l = 0; l < count; l++)
        loops[l] = compile(&jits[l], f, IR_F32);
    sweep(loops, count, f->one, quick, worst);
    for (int l = 0; l < count; l++) {
        good &= report(f->name, jits[l].level.name, f->exact, worst[l].ulps,
                       (double)float_of(worst[l].x), nanoseconds(loops[l], f->positive, false), "");
    }
    return good;
}

/* exp of what is at most 0, or NaN, goes a shorter way; the result is exp's to the bit. */

static LLVMValueRef body_not_positive(struct cpu_math *m, LLVMValueRef a, LLVMValueRef b,
                                      const struct math_kernel *k)
{
    (void)b;
    LLVMValueRef near = LLVMConstInt(LLVMInt1TypeInContext(m->context), 1, 0);
    return cpu_math_exp_not_positive(m, k->a, a, k->selector ? near : NULL);
}

/* Whether the bits are the same, or both no numbers, whose bits are not defined. */
static bool is_same(float a, float b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static uint64_t count_different(math_loop shorter, math_loop exp, int blocks, bool quick)
{
    uint64_t different = 0;
#pragma omp parallel for schedule(dynamic, 4) reduction(+ : different)
    for (int b = 0; b < blocks; b++) {
        float *x = arrays.x, *got = arrays.got[0], *want = arrays.got[1];
        fill_block(x, (uint32_t)b, quick);
        shorter(x, NULL, got, BLOCK / LANES);
        exp(x, NULL, want, BLOCK / LANES);
        for (int i = 0; i < BLOCK; i++)
            different += !(x[i] > 0.0f) && !is_same(got[i], want[i]);
    }
    return different;
}

static bool check_not_positive(struct math_jit *jits, int count, bool quick)
{
    struct math_kernel shorter = {IR_F32, IR_F32, IR_F32, false, LANES, body_not_positive, 0};
    struct math_kernel exp = {IR_F32, IR_F32, IR_F32, false, LANES, body_call, CPU_MATH_EXP};
    bool good = true;
    for (int l = 0; l < count; l++) {
        uint64_t different =
            count_different(math_jit_compile(&jits[l], &shorter), math_jit_compile(&jits[l], &exp),
                            quick ? 16 : 65536, quick);
        printf("exp below 0 %-9s %s: %llu differ from exp\n", jits[l].level.name,
               different == 0 ? "same" : "WRONG", (unsigned long long)different);
        good &= different == 0;
    }
    fflush(stdout);
    return good;
}

/* exp of [-20, 0] leaves a part of ln 2 out; and where it is asked to agree with that, the other
 * one does. */

static LLVMValueRef body_near(struct cpu_math *m, LLVMValueRef a, LLVMValueRef b,
                              const struct math_kernel *k)
{
    (void)b;
    return cpu_math_exp_near(m, k->a, a);
}

static struct worst sweep_near(math_loop near, math_loop agreeing, bool quick, uint64_t *different)
{
    struct worst worst = {0};
    uint64_t count = 0;
    int blocks = quick ? 16 : 65536;
#pragma omp parallel for schedule(dynamic, 4) reduction(+ : count)
    for (int b = 0; b < blocks; b++) {
        float *x = arrays.x, *got = arrays.got[0], *same = arrays.got[1];
        double *want = arrays.want;
        fill_block(x, (uint32_t)b, quick);
        for (int i = 0; i < BLOCK; i++) {
            x[i] = x[i] >= -CPU_EXP_NEAR && x[i] <= 0 ? x[i] : -CPU_EXP_NEAR;
            want[i] = math_reference(CPU_MATH_EXP)((double)x[i]);
        }
        near(x, NULL, got, BLOCK / LANES);
        agreeing(x, NULL, same, BLOCK / LANES);
        for (int i = 0; i < BLOCK; i++)
            count += memcmp(&got[i], &same[i], sizeof got[i]) != 0;
        struct worst here = worst_of_block(x, got, want);
#pragma omp critical
        merge(&worst, &here);
    }
    *different = count;
    return worst;
}

static bool check_near(struct math_jit *jits, int count, bool quick)
{
    struct math_kernel near = {IR_F32, IR_F32, IR_F32, false, LANES, body_near, 0};
    struct math_kernel agreeing = {IR_F32, IR_F32, IR_F32, false, LANES, body_not_positive, 1};
    bool good = true;
    for (int l = 0; l < count; l++) {
        uint64_t different;
        struct worst worst = sweep_near(math_jit_compile(&jits[l], &near),
                                        math_jit_compile(&jits[l], &agreeing), quick, &different);
        bool right = different == 0 && worst.ulps <= ulp_limit;
        printf("exp near 0 %-9s %8.4f ULP at %a, %llu differ from exp below 0%s\n",
               jits[l].level.name, worst.ulps, (double)float_of(worst.x),
               (unsigned long long)different, right ? "" : "  WRONG");
        good &= right;
    }
    fflush(stdout);
    return good;
}

/* Floats that are normal as bfloats and below 2^111 are rounded with fewer operations where AVX2
 * makes bfloats: to the same. */

static LLVMValueRef body_round(struct cpu_math *m, LLVMValueRef a, LLVMValueRef b,
                               const struct math_kernel *k)
{
    (void)b;
    return k->selector ? cpu_round_normal_to_bf16(m, a, false) : cpu_convert(m, a, k->a, k->out);
}

static uint64_t count_rounded(math_loop shorter, math_loop convert, bool quick)
{
    uint64_t different = 0;
    int blocks = quick ? 16 : 65536;
#pragma omp parallel for schedule(dynamic, 4) reduction(+ : different)
    for (int b = 0; b < blocks; b++) {
        float *x = arrays.x;
        static _Thread_local uint16_t got[BLOCK], want[BLOCK];
        fill_block(x, (uint32_t)b, quick);
        for (int i = 0; i < BLOCK; i++)
            x[i] = fabsf(x[i]) >= 0x1p-126f && fabsf(x[i]) < 0x1p111f ? x[i] : 1.0f;
        shorter(x, NULL, got, BLOCK / LANES);
        convert(x, NULL, want, BLOCK / LANES);
        for (int i = 0; i < BLOCK; i++)
            different += got[i] != want[i];
    }
    return different;
}

static bool check_rounding(struct math_jit *jits, int count, bool quick)
{
    struct math_kernel shorter = {IR_F32, IR_F32, IR_BF16, false, LANES, body_round, 1};
    struct math_kernel convert = {IR_F32, IR_F32, IR_BF16, false, LANES, body_round, 0};
    bool good = true;
    for (int l = 0; l < count; l++) {
        if (!jits[l].level.features.fma)
            continue;
        uint64_t different = count_rounded(math_jit_compile(&jits[l], &shorter),
                                           math_jit_compile(&jits[l], &convert), quick);
        printf("normal floats to bf16 %-9s %s: %llu differ\n", jits[l].level.name,
               different == 0 ? "same" : "WRONG", (unsigned long long)different);
        good &= different == 0;
    }
    fflush(stdout);
    return good;
}

/* ---- functions of one argument, of double */

/* Any bits, a value of everyday size, or one beside a multiple of pi/2; edges of the format first.
 */
static double draw_double(uint64_t i)
{
    static const double edges[] = {0.0,         1.0,
                                   0x1p-1074,   0x1p-1022,
                                   DBL_MAX,     (double)INFINITY,
                                   (double)NAN, 709.78271289338397,
                                   745.2,       1024.0,
                                   1074.5,      0.5};
    enum { EDGES = sizeof edges / sizeof *edges };
    uint64_t bits = mix(i);
    double x = ((double)(int64_t)bits) * (i % 4 == 1 ? 0x1p-53 : 0x1p-60);
    if (i < 2 * EDGES)
        return i % 2 ? -edges[i / 2] : edges[i / 2];
    if (i % 2 == 0)
        memcpy(&x, &bits, sizeof x);
    else if (i % 8 == 3)
        x = nextafter((double)(1.57079632679489661923L * (long double)(bits >> 42)),
                      i % 16 == 3 ? (double)INFINITY : 0.0);
    else if (i % 8 == 7)
        x = (double)(1.57079632679489661923L * (long double)(bits >> 43));
    return x;
}

/* Beside 1 and -1, at all distances. */
static double draw_near_one(uint64_t i)
{
    uint64_t bits = mix(i);
    double x = 1.0 + ldexp((double)(int64_t)bits * 0x1p-64, -(int)(bits % 53));
    return bits & 64 ? -x : x;
}

static double sweep_doubles(math_loop loop, const struct function *f, int blocks, double *at)
{
    double worst = 0.0;
#pragma omp parallel
    {
        double *x = arrays.wide_x, *got = arrays.wide_got;
        double mine = 0.0, mine_at = 0.0;
#pragma omp for schedule(dynamic, 1)
        for (int b = 0; b < blocks; b++) {
            for (uint64_t i = 0; i < BLOCK; i++)
                x[i] = f->near_one && i % 4 == 3 ? draw_near_one((uint64_t)b * BLOCK + i)
                                                 : draw_double((uint64_t)b * BLOCK + i);
            loop(x, x, got, BLOCK / LANES);
            for (int i = 0; i < BLOCK; i++) {
                double ulps = math_ulps_double(got[i], f->one_long((long double)x[i]));
                if (ulps > mine) {
                    mine = ulps;
                    mine_at = x[i];
                }
            }
        }
#pragma omp critical
        if (mine > worst || (mine == worst && mine_at < *at)) {
            worst = mine;
            *at = mine_at;
        }
    }
    return worst;
}

static bool check_function_double(struct math_jit *jits, int count, const struct function *f,
                                  bool quick)
{
    bool good = true;
    for (int l = 0; l < count; l++) {
        math_loop loop = compile(&jits[l], f, IR_F64);
        double at = 0.0;
        double worst = sweep_doubles(loop, f, quick ? 4 : 512, &at);
        good &= report(f->name, jits[l].level.name, f->exact, worst, at,
                       nanoseconds(loop, f->positive, true), "double");
    }
    return good;
}

/* ---- functions of two arguments: special values against each other, and random pairs */

static const float special[] = {
    0.0f,
    1.0f,
    2.0f,
    3.0f,
    4.0f,
    0.5f,
    1.5f,
    0x1p24f,
    0x1p24f + 2,
    0x1p-149f,
    0x1p-126f,
    FLT_MAX,
    (float)INFINITY,
    (float)NAN,
    0x1.fffffep-1f,
    0x1.000002p0f,
    16777215.0f,
    1e30f,
    8388607.5f,
    127.0f,
    149.0f,
};

/* What the kinds of random pairs are, beside any bits: where pow works hardest, an angle or a
 * quotient does. */
static void fill_powers(float *x, float *y, uint32_t kind, uint32_t low, uint32_t high, bool whole)
{
    *x = float_of(low);
    if (kind == 1) { /* results over the whole range */
        *x = fabsf(*x);
        double scale = fabs(log2((double)*x));
        *y = (float)(((double)high * 0x1p-31 - 1.0) * 152.0 / (scale > 0 ? scale : 1.0));
    } else if (kind == 2) { /* bases near 1, the hard ones */
        *x = 1.0f + (float)((int)low >> (low & 15)) * 0x1p-33f;
        *y = (float)((double)(int)high * 0x1p-31 * 90.0 / fabs(log2((double)*x) + 1e-9));
    } else { /* everyday */
        *x = (float)low * 0x1p-28f;
        *y = (float)((int)high >> 8) * 0x1p-19f;
        *y = whole ? rintf(*y) : *y;
    }
}

static void fill_points(float *x, float *y, uint32_t kind, uint32_t low, uint32_t high)
{
    *x = (float)(int)low * 0x1p-20f;
    if (kind == 1) /* slopes of all sizes */
        *y = *x * ldexpf((float)(int)high * 0x1p-31f, (int)(high & 255) - 128);
    else if (kind == 2) /* beside the diagonals */
        *y = (high & 1 ? *x : -*x) * (1.0f + (float)((int)high >> (high >> 1 & 15)) * 0x1p-33f);
    else /* everyday */
        *y = (float)(int)high * 0x1p-20f;
}

/* Beside whole quotients of all sizes, and everyday. */
static void fill_quotients(float *x, float *y, uint32_t kind, uint32_t low, uint32_t high)
{
    *y = kind == 3 ? (float)(int)high * 0x1p-20f : float_of(high);
    *x = *y * (float)(low >> (low & 31)) + *y * (float)((int)(high & 3) - 1) * 0x1p-23f;
}

static void fill_pairs(const struct function *f, float *x, float *y, uint32_t block)
{
    enum { COUNT = 2 * sizeof special / sizeof *special };
    for (uint32_t i = 0; i < BLOCK; i++) {
        uint64_t r = mix((uint64_t)block << 32 | i);
        uint32_t low = (uint32_t)r, high = (uint32_t)(r >> 32);
        x[i] = float_of(low);
        y[i] = float_of(high);
        if (block == 0 && i < COUNT * COUNT) {
            x[i] = (i % COUNT % 2 ? -1.0f : 1.0f) * special[i % COUNT / 2];
            y[i] = (i / COUNT % 2 ? -1.0f : 1.0f) * special[i / COUNT / 2];
        } else if (block % 4 != 0) {
            if (f->two == pow)
                fill_powers(&x[i], &y[i], block % 4, low, high, i % 3 == 0);
            else if (f->two == fmod || f->two == remainder)
                fill_quotients(&x[i], &y[i], block % 4, low, high);
            else
                fill_points(&x[i], &y[i], block % 4, low, high);
        }
    }
}

static struct worst sweep_pairs(math_loop loop, const struct function *f, int blocks)
{
    struct worst worst = {0};
#pragma omp parallel
    {
        float *x = arrays.x, *y = arrays.y, *got = arrays.got[0];
        struct worst mine = {0};
#pragma omp for schedule(dynamic, 1)
        for (int b = 0; b < blocks; b++) {
            fill_pairs(f, x, y, (uint32_t)b);
            loop(x, y, got, BLOCK / LANES);
            for (int i = 0; i < BLOCK; i++) {
                double ulps = math_ulps(got[i], f->two((double)x[i], (double)y[i]));
                if (ulps > mine.ulps) {
                    mine.ulps = ulps;
                    memcpy(&mine.x, &x[i], sizeof mine.x);
                    memcpy(&mine.y, &y[i], sizeof mine.y);
                }
            }
        }
#pragma omp critical
        merge(&worst, &mine);
    }
    return worst;
}

static bool check_pairs(struct math_jit *jits, int count, const struct function *f, bool quick)
{
    bool good = true;
    for (int l = 0; l < count; l++) {
        math_loop loop = compile(&jits[l], f, IR_F32);
        struct worst worst = sweep_pairs(loop, f, quick ? 16 : 8192);
        char with[32];
        snprintf(with, sizeof with, "and %a", (double)float_of(worst.y));
        good &= report(f->name, jits[l].level.name, f->exact, worst.ulps, (double)float_of(worst.x),
                       nanoseconds(loop, f->positive, false), with);
    }
    return good;
}

/* Of double: both drawn like the argument of a function of one, or one of them near the other. */
static double sweep_double_pairs(math_loop loop, const struct function *f, int blocks, double *at)
{
    double worst = 0.0;
#pragma omp parallel for schedule(dynamic, 1)
    for (int b = 0; b < blocks; b++) {
        double *x = arrays.wide_x, *y = arrays.wide_y, *got = arrays.wide_got;
        double mine = 0.0, mine_at = 0.0;
        for (uint64_t i = 0; i < BLOCK; i++) {
            uint64_t k = (uint64_t)b * BLOCK + i;
            x[i] = draw_double(b ? k : i % 24);
            y[i] = draw_double(b ? mix(k) : i / 24 % 24);
            y[i] = b % 2 ? x[i] * ldexp(y[i], -8 * (int)(i % 8)) : y[i];
        }
        loop(x, y, got, BLOCK / LANES);
        for (int i = 0; i < BLOCK; i++) {
            double ulps =
                math_ulps_double(got[i], f->two_long((long double)x[i], (long double)y[i]));
            mine_at = ulps > mine ? x[i] : mine_at;
            mine = ulps > mine ? ulps : mine;
        }
#pragma omp critical
        if (mine > worst || (mine == worst && mine_at < *at)) {
            worst = mine;
            *at = mine_at;
        }
    }
    return worst;
}

static bool check_pairs_double(struct math_jit *jits, int count, const struct function *f,
                               bool quick)
{
    bool good = true;
    for (int l = 0; l < count; l++) {
        math_loop loop = compile(&jits[l], f, IR_F64);
        double at = 0.0, worst = sweep_double_pairs(loop, f, quick ? 4 : 512, &at);
        good &= report(f->name, jits[l].level.name, f->exact, worst, at,
                       nanoseconds(loop, f->positive, true), "double");
    }
    return good;
}

/* ---- conversions */

/* Input i of a type: all of the short ones, else edges of every exponent, then anything. */
static uint64_t sample(enum ir_elem elem, uint64_t i)
{
    int width = ir_elems[elem].bits;
    if (elem == IR_BOOL)
        return i & 1;
    if (width <= 16)
        return i & (UINT64_MAX >> (64 - width));
    uint64_t r = mix(i);
    if (i % 2 == 0) { /* a power of two or a half step between numbers of 8, 11, 24, 53 bits, +-1 */
        uint64_t one = UINT64_C(1) << (r % (unsigned)width);
        static const int precisions[] = {8, 9, 11, 12, 24, 25, 53, 54};
        uint64_t step = one >> precisions[r >> 8 & 7];
        r = one + step * (r >> 16 & 3) + (r >> 24 & 3) - 1;
        uint64_t choice = mix(i) >> 40;
        r = choice & 1 ? -r : r;
        if (ir_is_float(elem) && choice & 2) /* a step of the value, else of the bits */
            r = float_bits_of(elem, ldexpl((long double)(int64_t)r, -(int)(choice >> 2 & 127)));
    }
    return r & (UINT64_MAX >> (64 - width));
}

static uint64_t element_load(const uint8_t *at, enum ir_elem elem)
{
    uint64_t bits = 0;
    memcpy(&bits, at, ir_elem_bytes(elem)); /* little-endian hosts only, as the rest of tilec */
    return bits;
}

struct mismatches {
    uint64_t count, input, got, want;
};

/* Compares one block of inputs; NaNs need only be NaNs. */
static void convert_block(math_loop loop, enum ir_elem from, enum ir_elem to, const uint64_t *in,
                          struct mismatches *bad)
{
    uint8_t *source = (uint8_t *)arrays.wide_x, *result = (uint8_t *)arrays.wide_got;
    size_t step = ir_elem_bytes(from);
    for (size_t i = 0; i < BLOCK; i++)
        memcpy(source + i * step, &in[i], step);
    loop(source, NULL, result, BLOCK / LANES);
    for (size_t i = 0; i < BLOCK; i++) {
        uint64_t got = element_load(result + i * ir_elem_bytes(to), to);
        uint64_t want = reference_convert(in[i], from, to);
        if (got == want || (element_is_nan(to, want) && element_is_nan(to, got)))
            continue;
        if (bad->count++ == 0)
            *bad = (struct mismatches){1, in[i], got, want};
    }
}

static struct mismatches sweep_conversion(math_loop loop, enum ir_elem from, enum ir_elem to,
                                          int blocks, bool all)
{
    struct mismatches bad = {0};
#pragma omp parallel
    {
        static _Thread_local uint64_t in[BLOCK];
        struct mismatches mine = {0};
#pragma omp for schedule(dynamic, 1)
        for (int b = 0; b < blocks; b++) {
            for (uint64_t i = 0; i < BLOCK; i++) {
                uint64_t at = (uint64_t)b * BLOCK + i;
                in[i] = all ? at : sample(from, at);
            }
            convert_block(loop, from, to, in, &mine);
        }
#pragma omp critical
        {
            uint64_t total = bad.count + mine.count;
            if (mine.count && (!bad.count || mine.input < bad.input))
                bad = mine;
            bad.count = total;
        }
    }
    return bad;
}

static bool check_conversion(struct math_jit *j, enum ir_elem from, enum ir_elem to, bool quick)
{
    struct math_kernel kernel = {from, from, to, false, LANES, body_convert, 0};
    math_loop loop = math_jit_compile(j, &kernel);
    bool narrow = ir_elems[from].bits <= 16, to_short = to == IR_F16 || to == IR_BF16;
    bool all = !quick && from == IR_F32 && to_short;
    int blocks = all ? 65536 : narrow ? 1 : quick ? 1 : 64;
    struct mismatches bad = sweep_conversion(loop, from, to, blocks, all);
    if (bad.count)
        printf("%s to %s, %s: %llu wrong, the first is 0x%llx: 0x%llx instead of 0x%llx\n",
               ir_elems[from].name, ir_elems[to].name, j->level.name, (unsigned long long)bad.count,
               (unsigned long long)bad.input, (unsigned long long)bad.got,
               (unsigned long long)bad.want);
    fflush(stdout);
    return bad.count == 0;
}

static bool check_conversions(struct math_jit *j, bool quick)
{
    bool good = true;
    double start = seconds();
    for (int from = 0; from < IR_ELEM_COUNT; from++)
        for (int to = 0; to < IR_ELEM_COUNT; to++)
            if (from != to)
                good &= check_conversion(j, (enum ir_elem)from, (enum ir_elem)to, quick);
    printf("conversions %-9s %s, 156 pairs of types%s (%.0f s)\n", j->level.name,
           good ? "exact" : "WRONG", quick ? "" : ", all 2^32 floats to f16 and bf16",
           seconds() - start);
    fflush(stdout);
    return good;
}

/* ---- the command line */

static bool parse(int argc, char **argv, struct options *o)
{
    *o = (struct options){0};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0)
            o->quick = true;
        else if (strcmp(argv[i], "--function") == 0 && i + 1 < argc)
            o->function = argv[++i];
        else if (strcmp(argv[i], "--level") == 0 && i + 1 < argc && o->level_count < MOST_LEVELS)
            o->levels[o->level_count++] = argv[++i];
        else
            return false;
    }
    if (o->level_count == 0) {
        o->levels[o->level_count++] = "native";
        o->levels[o->level_count++] = "x86-64-v3";
    }
    return true;
}

/* Whether --function asks for this one. */
static bool wanted(const struct options *o, const char *name)
{
    return !o->function || strcmp(o->function, name) == 0;
}

/* ---- what there is to check */

/* Written in the language (src/lang/composed/composed.tile.c). */
static const struct function composed[] = {
    {"asinh", "asinh(x)", .operands = 1, .one = asinh, .one_long = asinhl},
    {"acosh", "acosh(x)", .operands = 1, .one = acosh, .one_long = acoshl, .positive = true,
     .near_one = true},
    {"atanh", "atanh(x)", .operands = 1, .one = atanh, .one_long = atanhl, .near_one = true},
    {"erfc", "erfc(x)", .operands = 1, .one = erfc, .one_long = erfcl},
    {"sinpi", "sinpi(x)", .operands = 1, .one = reference_sinpi, .one_long = reference_sinpi_long},
    {"cospi", "cospi(x)", .operands = 1, .one = reference_cospi, .one_long = reference_cospi_long},
    {"logb", "logb(x)", .operands = 1, .exact = true, .one = logb, .one_long = logbl},
    {"copysign", "copysign(x, y)", .operands = 2, .exact = true, .two = copysign,
     .two_long = copysignl},
    {"fdim", "fdim(x, y)", .operands = 2, .exact = true, .two = reference_fdim,
     .two_long = reference_fdim_long},
    {"remainder", "remainder(x, y)", .operands = 2, .exact = true, .two = remainder,
     .two_long = remainderl},
    {"nextafter", "nextafter(x, y)", .operands = 2, .exact = true, .two = reference_nextafter,
     .two_long = reference_nextafter_long},
    {"ldexp", "ldexp(x, (int)y)", .operands = 2, .exact = true, .two = reference_ldexp,
     .two_long = reference_ldexp_long},
};
enum { COMPOSED = sizeof composed / sizeof *composed, FUNCTIONS = CPU_MATH_COUNT + COMPOSED };

/* The CPU backend's functions come first. */
static struct function function_at(int i)
{
    enum cpu_math_function f = (enum cpu_math_function)i;
    if (i >= CPU_MATH_COUNT)
        return composed[i - CPU_MATH_COUNT];
    return (struct function){.name = cpu_math_infos[f].name,
                             .code = f,
                             .operands = cpu_math_infos[f].operands,
                             .exact = is_exact(f),
                             .positive = wants_positive(f),
                             .one = math_reference(f),
                             .two = math_reference_pair(f),
                             .one_long = math_reference_long(f),
                             .two_long = math_reference_pair_long(f)};
}

static bool known(const char *name)
{
    for (int i = 0; i < FUNCTIONS; i++)
        if (strcmp(name, function_at(i).name) == 0)
            return true;
    return strcmp(name, "convert") == 0;
}

static bool check_all(struct math_jit *jits, int count, const struct options *o)
{
    bool good = true;
    for (int i = 0; i < FUNCTIONS; i++) {
        struct function f = function_at(i);
        if (!wanted(o, f.name))
            continue;
        if (f.operands == 2) {
            good &= check_pairs(jits, count, &f, o->quick);
            good &= check_pairs_double(jits, count, &f, o->quick);
            continue;
        }
        good &= check_function(jits, count, &f, o->quick);
        good &= check_function_double(jits, count, &f, o->quick);
    }
    if (wanted(o, "exp"))
        good &= check_not_positive(jits, count, o->quick) && check_near(jits, count, o->quick);
    if (wanted(o, "convert"))
        good &= check_rounding(jits, count, o->quick);
    for (int l = 0; l < count && wanted(o, "convert"); l++)
        good &= check_conversions(&jits[l], o->quick);
    return good;
}

int main(int argc, char **argv)
{
    struct options o;
    struct math_jit jits[MOST_LEVELS];
    int count = 0;
    if (!parse(argc, argv, &o) || (o.function && !known(o.function))) {
        fprintf(stderr, "usage: soak_math [--quick] [--function NAME] [--level NAME]...\n");
        return 2;
    }
    for (int l = 0; l < o.level_count; l++)
        count += math_jit_open(&jits[count], o.levels[l]);
    bool good = count > 0 && check_all(jits, count, &o);
    for (int l = 0; l < count; l++)
        math_jit_close(&jits[l]);
    return good ? 0 : 1;
}
