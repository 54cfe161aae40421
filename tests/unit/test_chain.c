/*
 * Long chains of dependent ops, of each kind, on the stack of a thread: no stage recurses as deep
 * as a chain is long.
 */
#include <tilec/tilec.h>

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

#ifdef __SANITIZE_ADDRESS__
enum { STACK_BYTES = 8 << 20 }; /* its frames are several times as large */
#else
enum { STACK_BYTES = 512 << 10 };
#endif

#ifdef TILEC_TINY_LIMITS
enum { SHORT = 100, LONG = 100 };
#else
enum { SHORT = 500, LONG = 3000 };
#endif

/* SHORT: what LLVM itself takes long for, a loop for each op. */
static const struct chain {
    const char *start, *line, *end;
    int count;
} chains[] = {
    {"float t = x;", "t = t + x;", "store(Y + i, t);", LONG},
    {"float t = x;", "t = t * x;", "store(Y + i, t);", LONG},
    {"float t = x;", "t = t * t + t;", "store(Y + i, t);", LONG},
    {"float t = x;", "t = x / (t + 1.0f);", "store(Y + i, t);", LONG},
    {"float t = x;", "t = exp(t);", "store(Y + i, t);", SHORT},
    {"float t = x;", "t = (float)(int)(t + 1.5f);", "store(Y + i, t);", LONG},
    {"float t = x;", "t = (float)(half)(t + 1.5f);", "store(Y + i, t);", LONG},
    {"float t = x;", "t = where(t > x, t - 1.0f, x);", "store(Y + i, t);", LONG},
    {"float t = x;", "t = maximum(t - 1.0f, x);", "store(Y + i, t);", LONG},
    {"float t = x;", "t = reshape(reshape(t, 8, 8) + 1.0f, 64);", "store(Y + i, t);", LONG},
    {"float t = x;", "t = max(expand_dims(t, 1) + expand_dims(x, 0), axis(1));", "store(Y + i, t);",
     SHORT},
    {"float t = x;", "t = t + sum(t);", "store(Y + i, t);", SHORT},
    {"float t = x;", "t = t - cumsum(t);", "store(Y + i, t);", SHORT},
    {"bool t = i < n;", "t = t == (i < n);", "store(Y + i, where(t, 1.0f, 0.0f));", LONG},
    {"bool t = i < n;", "t = ((int)t + i) > n;", "store(Y + i, where(t, 1.0f, 0.0f));", LONG},
    {"bool t = i < n;", "t = t && (i < n - 1);", "store(Y + i, load(X + i, t, 0.0f));", LONG},
    {"int p = i;", "p = p + i;", "store(Y + i, load(X + p, p < n, 0.0f));", LONG},
    {"long p = i;", "p = p * n + i;", "store(Y + i, load(X + p, p < n, 0.0f));", LONG},
    {"int p = i;", "p = (p + 1) % n;", "store(Y + i, load(X + p));", LONG},
    {"int p = i;", "p = load(I + p);", "store(Y + p, 1.0f);", LONG},
    {"int p = i;", "p = load(I + p, p < n, 0);", "store(Y + p, 1.0f);", LONG},
    {"const float *p = X + i;", "p = p + i;", "store(Y + i, load(p));", LONG},
    {"int p = n;", "p = p * n + 3;", "Y[p] = 1.0f;", LONG},
    {"int p = n;", "p = p > 3 ? p - 1 : n;", "Y[p] = 1.0f;", LONG},
    {"int p = n;", "p = I[p];", "Y[p] = 1.0f;", LONG},
};

enum { CHAINS = sizeof chains / sizeof *chains };

static char *source(const struct chain *chain)
{
    char *text = malloc(1000 + (size_t)chain->count * (strlen(chain->line) + 1)), *end = text;
    assert_non_null(text);
    end += sprintf(end,
                   "launch_grid(k, 1);\n"
                   "kernel void k(const float *X, const int *I, float *Y, int n)\n{\n"
                   "int i = arange(0, 64);\nfloat x = load(X + i);\n%s\n",
                   chain->start);
    for (int i = 0; i < chain->count; i++)
        end += sprintf(end, "%s\n", chain->line);
    sprintf(end, "%s\n}\n", chain->end);
    return text;
}

static bool has_cpu(tilec_context *context)
{
    for (size_t i = 0; i < tilec_device_count(context); i++) {
        tilec_device device;
        if (tilec_device_get(context, i, &device) == TILEC_OK && strcmp(device.target, "cpu") == 0)
            return device.available;
    }
    return false;
}

struct job {
    tilec_stage stage;
    char failure[500]; /* empty: none */
};

/* What the stage says of the chain, or nothing. */
static void compile(struct job *job, tilec_context *context, const struct chain *chain)
{
    char *text = source(chain), *made = NULL;
    size_t length;
    tilec_source given = {
        .size = sizeof given, .path = "chain.tile.c", .text = text, .text_length = strlen(text)};
    tilec_compile_options options = {.size = sizeof options};
    tilec_program *program = NULL;
    tilec_status status = tilec_program_create(context, &given, &program);
    if (status == TILEC_OK)
        status = tilec_emit(program, &options, job->stage, &made, &length);
    tilec_diagnostic d = {.text = ""};
    if (status != TILEC_OK && tilec_diagnostic_count(context) > 0)
        tilec_diagnostic_get(context, 0, &d);
    if (status != TILEC_OK)
        snprintf(job->failure, sizeof job->failure, "%s: status %d, %.300s", chain->line, status,
                 d.text);
    tilec_release(context, made);
    tilec_program_destroy(program);
    free(text);
}

static void *compile_all(void *user)
{
    struct job *job = user;
    tilec_context *context;
    if (tilec_context_create(NULL, &context) != TILEC_OK)
        return NULL;
    bool skipped = job->stage == TILEC_STAGE_LLVM && !has_cpu(context);
    for (int k = 0; k < CHAINS && !job->failure[0] && !skipped; k++)
        compile(job, context, &chains[k]);
    tilec_context_destroy(context);
    return NULL;
}

static void on_small_stack(tilec_stage stage)
{
    struct job job = {.stage = stage};
    pthread_attr_t attributes;
    pthread_t thread;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, STACK_BYTES), 0);
    assert_int_equal(pthread_create(&thread, &attributes, compile_all, &job), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
    if (job.failure[0])
        fail_msg("%s", job.failure);
}

static void test_tile(void **state)
{
    (void)state;
    on_small_stack(TILEC_STAGE_TILE);
}

static void test_llvm(void **state)
{
    (void)state;
    on_small_stack(TILEC_STAGE_LLVM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tile),
        cmocka_unit_test(test_llvm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
