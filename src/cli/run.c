/* tilec run, tilec check: one launch, then --expect, --out and --time; see cli.h. */
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct running {
    struct cli *cli;
    struct cli_values values;
    tilec_kernel *kernel;
    tilec_launch_options options;
    double rtol, atol;
};

static void on_print(void *user, const char *text, size_t length)
{
    (void)user;
    fwrite(text, 1, length, stdout);
}

static int read_launch_options(struct running *r)
{
    int64_t threads = 0;
    r->options = (tilec_launch_options){.size = sizeof r->options, .print = on_print};
    if (!cli_read_count(r->cli, FLAG_THREADS, &threads) ||
        !cli_read_count(r->cli, FLAG_STEPS, &r->options.step_limit) ||
        !cli_read_real(r->cli, FLAG_RTOL, &r->rtol) || !cli_read_real(r->cli, FLAG_ATOL, &r->atol))
        return CLI_USAGE;
    r->options.threads = threads > 4096 ? 4096 : (int)threads;
    return CLI_FINE;
}

static int compile(struct running *r)
{
    struct cli *cli = r->cli;
    if (!cli_choose_constants(cli, r->values.known, r->values.known_count))
        return CLI_WRONG;
    return cli_report(cli, tilec_program_compile(cli->program, &cli->options, &r->kernel));
}

static int launch(struct running *r)
{
    tilec_status status =
        tilec_launch(r->kernel, NULL, r->values.arguments, r->values.count, &r->options);
    if (fflush(stdout) != 0)
        return cli_error("cannot write to the standard output");
    return cli_report(r->cli, status);
}

/* ---- Results --------------------------------------------------------------------------------- */

/* Every `--expect NAME=@FILE`; goes on after a difference, so that each array is reported. */
static int compare_all(struct running *r)
{
    size_t count;
    const char **given = cli_values(r->cli, FLAG_EXPECT, false, &count);
    int result = CLI_FINE;
    for (size_t i = 0; i < count; i++) {
        const char *name, *value;
        if (!cli_split(r->cli, given[i], &name, &value) || value[0] != '@')
            return cli_usage(r->cli, "'--expect' needs NAME=@FILE.npy, not '%s'", given[i]);
        struct cli_array *array = cli_find_array(&r->values, name);
        int status =
            array ? cli_compare(r->cli, name, array, value + 1, r->rtol, r->atol) : CLI_WRONG;
        if (status != CLI_FINE)
            result = status;
    }
    return result;
}

static int write_all(struct running *r)
{
    size_t count;
    const char **given = cli_values(r->cli, FLAG_OUT, false, &count);
    for (size_t i = 0; i < count; i++) {
        const char *name, *value;
        if (!cli_split(r->cli, given[i], &name, &value) || !*value)
            return cli_usage(r->cli, "'--out' needs NAME=FILE.npy, not '%s'", given[i]);
        struct cli_array *array = cli_find_array(&r->values, name);
        if (!array || !cli_array_write(name, value, array))
            return CLI_WRONG;
    }
    return CLI_FINE;
}

/* ---- Time ------------------------------------------------------------------------------------ */

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int compare_seconds(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

enum { TIMED_LEAST = 5, TIMED_MOST = 1000 };

/* Runs for about half a second, at least TIMED_LEAST times. The number of runs. */
static int time_runs(tilec_prepared *prepared, double *seconds)
{
    double start = now();
    int count = 0;
    while (count < TIMED_MOST && (count < TIMED_LEAST || now() - start < 0.5)) {
        double before = now();
        if (tilec_prepared_run(prepared) != TILEC_OK)
            return 0;
        seconds[count++] = now() - before;
    }
    return count;
}

static int print_time(struct running *r, double *seconds, int count)
{
    struct text text;
    double bytes = 0;
    for (size_t i = 0; i < r->values.count; i++)
        bytes += (double)r->values.arrays[i].bytes;
    qsort(seconds, (size_t)count, sizeof *seconds, compare_seconds);
    double median = seconds[count / 2];
    text_init(&text, r->cli->arena);
    text_format(&text, "%s: median %.4g us of %d runs, %.4g GB/s (%.4g MB in arrays)\n",
                tilec_kernel_name(r->kernel), median * 1e6, count, bytes / median / 1e9,
                bytes / 1e6);
    return cli_print(text.items, text.count) ? CLI_FINE : CLI_WRONG;
}

static int measure(struct running *r)
{
    tilec_prepared *prepared;
    double *seconds = ARENA_ARRAY(r->cli->arena, double, TIMED_MOST);
    tilec_launch_options quiet = r->options;
    if (!cli_has(r->cli, FLAG_TIME))
        return CLI_FINE;
    quiet.print = NULL; /* the first launch has printed */
    tilec_status status = tilec_prepare(r->kernel, NULL, r->values.arguments, r->values.count,
                                        &quiet, &prepared);
    if (status != TILEC_OK)
        return cli_report(r->cli, status);
    int count = time_runs(prepared, seconds);
    tilec_prepared_destroy(prepared);
    return count ? print_time(r, seconds, count) : cli_error("a repeated run failed");
}

/* ---- The command ----------------------------------------------------------------------------- */

static int run_steps(struct running *r)
{
    static int (*const steps[])(struct running *r) = {compile, launch, compare_all, write_all,
                                                      measure};
    int result = read_launch_options(r);
    if (result == CLI_FINE)
        result = cli_open(r->cli);
    if (result == CLI_FINE)
        result = cli_read_values(r->cli, &r->values);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        /* Arrays that differ from what was expected are written all the same. */
        if (result != CLI_FINE && steps[i] != write_all)
            continue;
        if (steps[i] == write_all && !r->kernel)
            continue;
        int status = steps[i](r);
        result = result == CLI_FINE ? status : result;
    }
    return result;
}

int cli_run(struct cli *cli)
{
    struct running r = {.cli = cli};
    int result = run_steps(&r);
    tilec_kernel_destroy(r.kernel);
    cli_free_values(&r.values);
    cli_close(cli);
    return result;
}
