/*
 * The caller's pass options, shared out between Tile IR and GPU IR: names that begin with "gpu:"
 * are passes over GPU IR, and so are those that Tile IR has no pass of; others are passes over Tile
 * IR; "all" and "changed" are both's.
 */
#include "run/run.h"

#include "opt/opt.h"

#include <string.h>

static const char prefix[] = "gpu:";
enum { PREFIX = sizeof prefix - 1, GPU_DUMPS_FROM = 50 /* behind those of Tile IR */ };

static bool has_prefix(const char *name)
{
    return strncmp(name, prefix, PREFIX) == 0;
}

static bool is_gpu(const char *name)
{
    return has_prefix(name) || (gpu_is_pass(name) && !opt_is_pass(name));
}

static const char *without_prefix(const char *name)
{
    return has_prefix(name) ? name + PREFIX : name;
}

static bool is_general(const char *name)
{
    return strcmp(name, "all") == 0 || strcmp(name, "changed") == 0;
}

/* The names of one kind, without the prefix. */
static const char **choose(struct arena *arena, const char *const *names, size_t count, bool gpu,
                           int *chosen)
{
    const char **list = ARENA_ARRAY(arena, const char *, count + 1);
    *chosen = 0;
    for (size_t i = 0; i < count; i++) {
        if (is_gpu(names[i]) == gpu)
            list[(*chosen)++] = without_prefix(names[i]);
    }
    return list;
}

void run_job_tile_options(struct run_job *job, const tilec_pass_options *passes,
                          struct opt_options *options)
{
    options->off = choose(job->arena, passes->off, passes->off_count, false, &options->off_count);
    options->only =
        choose(job->arena, passes->only, passes->only_count, false, &options->only_count);
    if (passes->only_count > 0 && options->only_count == 0)
        options->pass_limit = 0; /* none of these passes */
    if (options->stop_after && is_gpu(options->stop_after))
        options->stop_after = NULL;
    if (options->dump && is_gpu(options->dump))
        options->dump = NULL;
    struct text further;
    text_init(&further, job->arena);
    gpu_list_passes(&further);
    options->further = further.items;
}

static const char *find_gpu_name(const tilec_pass_options *passes)
{
    for (size_t i = 0; i < passes->off_count; i++)
        if (is_gpu(passes->off[i]))
            return passes->off[i];
    for (size_t i = 0; i < passes->only_count; i++)
        if (is_gpu(passes->only[i]))
            return passes->only[i];
    if (passes->stop_after && is_gpu(passes->stop_after))
        return passes->stop_after;
    return passes->dump && is_gpu(passes->dump) ? passes->dump : NULL;
}

bool run_job_only_tile_options(struct run_job *job, const tilec_pass_options *passes)
{
    const char *name = find_gpu_name(passes);
    if (!name || !gpu_is_pass(without_prefix(name)))
        return true;
    return run_job_fail(job, TILEC_ERROR_INVALID,
                        "GPU IR is made for the targets 'cuda', 'msl' and 'msl-host', and for the "
                        "stages 'gpu', 'msl' and 'cuda'",
                        "no GPU IR is made here for the pass '%s'", name);
}

/* ---- GPU IR ---------------------------------------------------------------------------------- */

static void on_dump(void *user, const struct opt_dump *dump)
{
    struct run_job *job = user;
    const tilec_pass_options *passes = &job->gpu_passes;
    const char *name = arena_format(job->arena, "%s%s", prefix, dump->pass);
    tilec_dump out = {name, dump->number + GPU_DUMPS_FROM, dump->changed, dump->text};
    passes->on_dump(passes->user, &out);
}

static void on_time(void *user, const char *pass, double seconds)
{
    struct run_job *job = user;
    const tilec_pass_options *passes = &job->gpu_passes;
    passes->on_time(passes->user, arena_format(job->arena, "%s%s", prefix, pass), seconds);
}

static void read_options(struct run_job *job, const tilec_pass_options *passes,
                         struct gpu_options *options)
{
    bool tile_is_last = passes->stop_after && !is_gpu(passes->stop_after);
    options->verify_each = passes->verify_each != 0;
    options->off = choose(job->arena, passes->off, passes->off_count, true, &options->off_count);
    const char **only =
        choose(job->arena, passes->only, passes->only_count, true, &options->only_count);
    if (passes->only_count > 0 || tile_is_last)
        options->only = only; /* none where all are of Tile IR */
    if (passes->stop_after && !tile_is_last)
        options->stop_after = without_prefix(passes->stop_after);
    options->limited = passes->limited != 0;
    options->limit = passes->limit > job->passes.changes ? passes->limit - job->passes.changes : 0;
    if (passes->dump && (is_gpu(passes->dump) || is_general(passes->dump)))
        options->dump = without_prefix(passes->dump);
    options->on_dump = passes->on_dump ? on_dump : NULL;
    options->on_time = passes->on_time ? on_time : NULL;
    options->user = job;
}

bool run_job_gpu_options(struct run_job *job, struct gpu_options *options)
{
    *options = (struct gpu_options){0};
    if (!job->options.passes)
        return true;
    RUN_READ_OPTIONS(&job->gpu_passes, job->options.passes);
    read_options(job, &job->gpu_passes, options);
    return true;
}
