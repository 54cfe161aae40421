#ifndef TILEC_TESTS_RMSNORM_RECORD_H
#define TILEC_TESTS_RMSNORM_RECORD_H
/*
 * The recorded cases of RMSNorm (rmsnorm-register.json, see recorded.h): their inputs, made anew
 * and checked by their hashes, and the reference in double. To be included behind cmocka.h.
 */
#include "base/half.h"
#include "base/random.h"
#include "recorded.h"

#include <jansson.h>
#include <math.h>
#include <openssl/evp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One recorded case. */
struct problem {
    bool is_half;
    int width, batches;
    size_t element, x_bytes, w_bytes;
    unsigned char *x, *w, *out; /* w lies behind x */
    float epsilon;
};

static unsigned char *store(unsigned char *at, bool is_half, double value)
{
    uint16_t bits = half_from_double(value);
    float single = (float)value;
    memcpy(at, is_half ? (void *)&bits : (void *)&single, is_half ? 2 : 4);
    return at + (is_half ? 2 : 4);
}

static double load(const struct problem *problem, const unsigned char *from, int index)
{
    uint16_t bits;
    float single;
    if (!problem->is_half) {
        memcpy(&single, from + (size_t)index * 4, 4);
        return single;
    }
    memcpy(&bits, from + (size_t)index * 2, 2);
    return half_to_float(bits);
}

static void assert_sha256(const void *bytes, size_t size, const char *expected)
{
    unsigned char digest[32];
    char text[65];
    assert_int_equal(EVP_Digest(bytes, size, digest, NULL, EVP_sha256(), NULL), 1);
    for (int i = 0; i < 32; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
    assert_string_equal(text, expected);
}

static void record_make_inputs(struct problem *problem, const json_t *recorded)
{
    problem->is_half =
        strcmp(json_string_value(json_object_get(recorded, "dtype")), "float16") == 0;
    problem->width = (int)json_integer_value(json_object_get(recorded, "width"));
    problem->batches = (int)json_integer_value(json_object_get(recorded, "batches"));
    problem->epsilon = (float)json_real_value(json_object_get(recorded, "epsilon"));
    problem->element = problem->is_half ? 2 : 4;
    problem->w_bytes = (size_t)problem->width * problem->element;
    problem->x_bytes = problem->w_bytes * (size_t)problem->batches;
    problem->x = malloc(problem->x_bytes + problem->w_bytes);
    problem->out = malloc(problem->x_bytes);
    assert_true(problem->x && problem->out);
    struct random random;
    random_seed(&random, (uint64_t)(619 + 1009 * problem->width + 17 * problem->batches +
                                    !problem->is_half));
    unsigned char *at = problem->x;
    for (int i = 0; i < problem->width * problem->batches; i++)
        at = store(at, problem->is_half, random_normal(&random));
    problem->w = at;
    for (int i = 0; i < problem->width; i++)
        at = store(at, problem->is_half, random_uniform(&random, 0.5, 1.5));
    assert_sha256(problem->x, problem->x_bytes + problem->w_bytes,
                  json_string_value(json_object_get(recorded, "input_sha256")));
}

/* Every element of out against RMSNorm in double. */
static void record_check_output(const struct problem *problem, double relative, double absolute)
{
    for (int row = 0; row < problem->batches; row++) {
        double sum = 0;
        for (int i = 0; i < problem->width; i++) {
            double x = load(problem, problem->x, row * problem->width + i);
            sum += x * x;
        }
        double scale = 1 / sqrt(sum / problem->width + problem->epsilon);
        for (int i = 0; i < problem->width; i++) {
            int at = row * problem->width + i;
            double want = load(problem, problem->x, at) * scale * load(problem, problem->w, i);
            double error = fabs(load(problem, problem->out, at) - want);
            if (!(error <= absolute + relative * fabs(want)))
                fail_msg("row %d, element %d: off by %g", row, i, error);
        }
    }
}

#endif
