/*
 * The stored choice of a tuning, under everything that it depends on: device, toolchain, source, sizes,
 * candidates. See autotune.h.
 */
#include "run/autotune.h"
#include "run/cuda.h"

#include "base/sha256.h"

#include <stdio.h>
#include <string.h>

static void add_argument(struct sha256 *hash, const tilec_tuning *tuning, size_t i)
{
    const tilec_argument *a = &tuning->arguments[i];
    sha256_add_string(hash, a->name);
    sha256_add_u64(hash, (uint64_t)a->kind);
    sha256_add_u64(hash, (uint64_t)a->type);
    /* Floating-point scalars are data, integers are sizes. */
    sha256_add_u64(hash, a->kind == TILEC_SCALAR && autotune_is_whole(a->type) ? a->bits : 0);
    sha256_add_u64(hash, tuning->arrays[i].elements);
}

/* The processor's name, which two levels of code may share. */
static void add_processor(struct sha256 *hash)
{
    char line[512];
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, "model name", 10) != 0 && strncmp(line, "CPU part", 8) != 0)
            continue;
        sha256_add_string(hash, line);
        break;
    }
    if (file)
        fclose(file);
}

static void add_options(struct sha256 *hash, const tilec_compile_options *options)
{
    sha256_add_string(hash, options->kernel);
    sha256_add_string(hash, options->target);
    sha256_add_string(hash, options->cpu);
    sha256_add_string(hash, options->grid);
    sha256_add_string(hash, options->arch);
    sha256_add_u64(hash, (uint64_t)(options->relaxed != 0));
    sha256_add_u64(hash, options->constant_count);
    for (size_t i = 0; i < options->constant_count; i++) {
        sha256_add_string(hash, options->constants[i].name);
        sha256_add_string(hash, options->constants[i].value);
    }
    sha256_add_u64(hash, options->requirement_count);
    for (size_t i = 0; i < options->requirement_count; i++)
        sha256_add_string(hash, options->requirements[i]);
}

/* The GPU with its driver, and the compiler for it: opened here if they were not, so that the key
 * is the same before a choice is looked for and when it is stored. */
static void add_gpu(struct sha256 *hash, const tilec_tuning *tuning)
{
    char why[512];
    tilec_context *context = tuning->context;
    run_enter(context);
    const struct run_cuda *cuda = run_cuda_open(context, why, sizeof why);
    if (!context->nvrtc)
        context->nvrtc = nvrtc_open(why, sizeof why);
    sha256_add_string(hash, cuda ? cuda->description : "");
    sha256_add_u64(hash, (uint64_t)(context->nvrtc ? nvrtc_version(context->nvrtc) : 0));
    run_leave(context, TILEC_OK);
}

static void make_key(const tilec_tuning *tuning, unsigned char key[RUN_KEY_BYTES])
{
    struct sha256 hash;
    struct cpu_level level = {0};
    sha256_init(&hash);
    sha256_add_string(&hash, "autotune 1");
    sha256_add_string(&hash, TILEC_VERSION);
    sha256_add_u64(&hash, run_build_id());
    if (tuning->on_gpu)
        add_gpu(&hash, tuning);
    else
        add_processor(&hash);
    if (cpu_level_find("native", &level))
        run_cache_add_level(&hash, &level);
    run_cache_add_program(&hash, tuning->program);
    add_options(&hash, &tuning->options);
    sha256_add_u64(
        &hash, (uint64_t)(tuning->tune.threads ? tuning->tune.threads : tuning->context->threads));
    for (size_t i = 0; i < tuning->argument_count; i++)
        add_argument(&hash, tuning, i);
    for (int i = 0; i < tuning->count; i++) {
        const tilec_candidate *candidate = &tuning->candidates[i];
        sha256_add_u64(&hash, candidate->value_count);
        for (size_t v = 0; v < candidate->value_count; v++) {
            sha256_add_string(&hash, candidate->values[v].name);
            sha256_add_u64(&hash, (uint64_t)candidate->values[v].value);
        }
    }
    sha256_end(&hash, key);
}

void autotune_find_choice(tilec_tuning *tuning)
{
    unsigned char key[RUN_KEY_BYTES];
    size_t size;
    const char *directory = tuning->context->cache_directory;
    make_key(tuning, key);
    const unsigned char *entry =
        directory ? run_cache_find(directory, key, &tuning->arena, &size) : NULL;
    if (!entry || size != 1 || entry[0] >= tuning->count)
        return;
    tuning->chosen = entry[0];
    tuning->from_cache = true;
}

void autotune_keep_choice(const tilec_tuning *tuning)
{
    unsigned char key[RUN_KEY_BYTES], chosen = (unsigned char)tuning->chosen;
    make_key(tuning, key);
    if (tuning->context->cache_directory)
        run_cache_store(tuning->context->cache_directory, key, (struct run_entry){&chosen, 1});
}
