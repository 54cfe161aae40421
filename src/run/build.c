/*
 * Ahead of time: a kernel as an object file and a header; see aot.h and docs/aot.md.
 */
#include "run/aot.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

struct request {
    tilec_build_options options;
    tilec_built built; /* of the context's allocator */
};

/* ---- names ----------------------------------------------------------------------------------- */

bool aot_is_keyword(const char *name)
{
    static const char *const words[] = {
#define KEYWORD(word) #word,
#include "run/keywords.def"
#undef KEYWORD
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], name) == 0)
            return true;
    return false;
}

bool aot_is_identifier(const char *name)
{
    if (!isalpha((unsigned char)name[0]) && name[0] != '_')
        return false;
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && *name != '_')
            return false;
    return true;
}

/* Names of the generated header, and those that C keeps for <stdint.h>, which it includes. */
static bool is_in_header(const char *name)
{
    static const char *const ends[] = {"_t", "_MAX", "_MIN", "_WIDTH", "_C"};
    bool integer = strncmp(name, "int", 3) == 0 || strncmp(name, "uint", 4) == 0 ||
                   strncmp(name, "INT", 3) == 0 || strncmp(name, "UINT", 4) == 0;
    if (strncmp(name, "tilec_aot_", 10) == 0 || strncmp(name, "TILEC_AOT_", 10) == 0)
        return true;
    for (size_t i = 0; integer && i < sizeof ends / sizeof *ends; i++)
        if (text_ends_with(name, ends[i]))
            return true;
    return false;
}

/* A function of that name in a program would stand in for the C library's, in all of the program:
 * printf, but also exit, read, select. */
static bool is_in_c_library(const char *name)
{
    static const char *const libraries[] = {"libc.so.6", "libm.so.6"};
    bool found = false;
    for (size_t i = 0; !found && i < sizeof libraries / sizeof *libraries; i++) {
        void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_LOCAL);
        if (library) {
            found = dlsym(library, name) != NULL;
            dlclose(library);
        }
    }
    return found;
}

static bool choose_symbol(struct aot_build *build, const struct request *request)
{
    const char *symbol =
        request->options.symbol ? request->options.symbol : build->job->kernel_name;
    build->symbol = symbol;
    if (!aot_is_identifier(symbol))
        return run_job_fail(build->job, TILEC_ERROR_INVALID, NULL,
                            "the symbol '%s' is not an identifier of C", symbol);
    if (aot_is_keyword(symbol) || symbol[0] == '_' || is_in_header(symbol) ||
        is_in_c_library(symbol))
        return run_job_fail(
            build->job, TILEC_ERROR_INVALID, "give the function another name (--symbol)",
            "a C or C++ program cannot have a function of its own called '%s'", symbol);
    return true;
}

/* ---- levels ---------------------------------------------------------------------------------- */

/* More features first, so that the best that fits is found first. */
static int weight(const struct cpu_features *f)
{
    return f->avx2 + f->fma + f->f16c + f->avx512 + f->avx512_bf16 + f->avx512_vnni +
           f->avx512_vbmi + f->neon;
}

static bool add_level(struct aot_build *build, const char *name)
{
    struct cpu_level level;
    struct text hint;
    int place = build->level_count;
    text_init(&hint, build->job->arena);
    text_string(&hint, "the levels are");
    for (const char *const *known = cpu_level_names(); *known; known++)
        text_format(&hint, " '%s'", *known);
    if (!cpu_level_find(name, &level) || level.triple)
        return run_job_fail(build->job, TILEC_ERROR_TARGET, hint.items, "unknown CPU level '%s'",
                            name);
    for (int i = 0; i < build->level_count; i++)
        if (strcmp(build->levels[i].cpu.name, level.name) == 0)
            return true;
    for (; place > 0 && weight(&build->levels[place - 1].cpu.features) < weight(&level.features);
         place--)
        build->levels[place] = build->levels[place - 1];
    build->levels[place] = (struct aot_level){.cpu = level};
    build->level_count++;
    return true;
}

static const char *default_level(void)
{
    struct cpu_level level;
    return cpu_level_find("x86-64-v3", &level) ? "x86-64-v3" : "generic";
}

/* Fills build->levels; the job's level becomes the best of them. */
static bool choose_levels(struct aot_build *build, const struct request *request)
{
    const tilec_build_options *options = &request->options;
    size_t count = options->cpus ? options->cpu_count : 0;
    const char *only = build->job->options.cpu ? build->job->options.cpu : default_level();
    build->levels = ARENA_ARRAY(build->job->arena, struct aot_level, count + 1);
    for (size_t i = 0; i < count; i++) {
        if (!options->cpus[i])
            return run_job_fail(build->job, TILEC_ERROR_INVALID, NULL, "a CPU level is NULL");
        if (!add_level(build, options->cpus[i]))
            return false;
    }
    if (!count && !add_level(build, only))
        return false;
    build->job->level = build->levels[0].cpu;
    return true;
}

/* ---- code ------------------------------------------------------------------------------------ */

/* The IR of one level, all of whose symbols start with the level's prefix. */
static bool generate_level(struct aot_build *build, int index)
{
    struct run_job *job = build->job;
    struct aot_level *level = &build->levels[index];
    level->prefix = arena_format(job->arena, "tilec.l%d", index);
    struct cpu_options options = {
        .level = level->cpu.name,
        .variants = run_job_variants(job->ir),
        .relaxed = job->options.relaxed != 0,
        .symbol = level->prefix,
    };
    job->level = level->cpu;
    if (!run_job_require(job) || !run_job_codegen(job, &options, CPU_LLVM_IR))
        return false;
    level->module = arena_copy_text(job->arena, job->object.bytes, job->object.size);
    level->scratch_bytes = job->object.stats.scratch_bytes;
    level->variants = job->object.stats.variants;
    return true;
}

static bool link_levels(struct aot_build *build)
{
    struct run_job *job = build->job;
    const char **modules = ARENA_ARRAY(job->arena, const char *, (size_t)build->level_count);
    for (int i = 0; i < build->level_count; i++) {
        if (!generate_level(build, i))
            return false;
        modules[i] = build->levels[i].module;
    }
    struct cpu_link link = {build->level_count, modules, aot_wrapper(build)};
    free(job->object.bytes);
    job->object = (struct cpu_output){0};
    if (job->context->cpu->link(&link, job->arena, &job->diagnostics, &job->object))
        return true;
    job->status = TILEC_ERROR_INTERNAL;
    return false;
}

static void hand_out(struct aot_build *build, struct request *request)
{
    struct run_job *job = build->job;
    struct text header = aot_header(build);
    tilec_built *built = &request->built;
    built->object_size = job->object.size;
    built->header_size = header.count;
    built->object = run_allocate(job->context, job->object.size, 1);
    built->header = run_allocate(job->context, header.count + 1, 1);
    if (!built->object || !built->header) {
        job->status = TILEC_ERROR_NO_MEMORY;
        return;
    }
    memcpy(built->object, job->object.bytes, job->object.size);
    memcpy(built->header, header.items, header.count);
}

static void build_kernel(struct run_job *job)
{
    struct request *request = job->user;
    struct aot_build build = {.job = job};
    if (job->target == RUN_MSL) {
        run_build_msl(job, &request->options, &request->built);
        return;
    }
    if (job->target == RUN_CUDA) {
        run_build_cuda(job, &request->options, &request->built);
        return;
    }
    if (job->target != RUN_CPU) {
        run_job_fail(job, TILEC_ERROR_TARGET, NULL,
                     "kernels are built ahead of time for the targets 'cpu', 'msl' and 'cuda' "
                     "only");
        return;
    }
    if (choose_symbol(&build, request) && choose_levels(&build, request) && run_job_lower(job) &&
        run_job_plan(job) && run_job_optimise(job) && run_job_load_cpu(job) && link_levels(&build))
        hand_out(&build, request);
}

/* ---- public ---------------------------------------------------------------------------------- */

tilec_status tilec_build(tilec_program *program, const tilec_compile_options *options,
                         const tilec_build_options *build, tilec_built *built)
{
    struct request request = {0};
    struct run_job job = {.variant = RUN_PRIMARY, .user = &request};
    if (built)
        *built = (tilec_built){0};
    if (!program || !built)
        return run_misused(program ? program->context : NULL);
    run_enter(program->context);
    tilec_status status;
    if (!RUN_READ_OPTIONS(&request.options, build)) {
        status = run_fail(program->context, TILEC_ERROR_INVALID, NULL,
                          "the build options have a bad size");
        return run_leave(program->context, status);
    }
    if ((unsigned)request.options.form > TILEC_FORM_TEXT) {
        status = run_fail(program->context, TILEC_ERROR_INVALID, NULL, "unknown form");
        return run_leave(program->context, status);
    }
    status = run_job_run(&job, program, options, build_kernel);
    run_job_end(&job);
    if (status == TILEC_OK) {
        *built = request.built;
    } else {
        run_free(program->context, request.built.object);
        run_free(program->context, request.built.header);
    }
    return run_leave(program->context, status);
}
