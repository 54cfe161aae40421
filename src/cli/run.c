/* tilec run, tilec check: one launch, then --expect, --out and --time; see cli.h. */
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

/* --expect NAME=@PATH, --out NAME=PATH */
struct target {
    const char *name, *path;
    const struct cli_array *array;
};

struct target_list {
    struct target *items;
    size_t count, capacity;
};

struct running {
    struct cli *cli;
    struct cli_values values;
    tilec_kernel *kernel;
    tilec_launch_options options;
    double rtol, atol;
    struct target_list expected, written;
};

static void on_print(void *user, const char *text, size_t length)
{
    (void)user;
    fwrite(text, 1, length, stdout);
}

static int read_launch_options(struct running *r)
{
    int64_t threads = 0, order = 0;
    r->options = (tilec_launch_options){.size = sizeof r->options, .print = on_print};
    if (!cli_read_count(r->cli, FLAG_THREADS, &threads) ||
        !cli_read_count(r->cli, FLAG_ORDER, &order) ||
        !cli_read_count(r->cli, FLAG_STEPS, &r->options.step_limit) ||
        !cli_read_real(r->cli, FLAG_RTOL, &r->rtol) || !cli_read_real(r->cli, FLAG_ATOL, &r->atol))
        return CLI_USAGE;
    const char *target = cli_value(r->cli, FLAG_TARGET);
    r->options.host_buffers = target && strcmp(target, "cuda") == 0;
    r->options.threads = threads > 4096 ? 4096 : (int)threads;
    r->options.thread_order = (uint64_t)order;
    return CLI_FINE;
}

/* ---- Tuning ---------------------------------------------------------------------------------- */

static void put_values(struct text *out, const tilec_candidate *candidate)
{
    for (size_t v = 0; v < candidate->value_count; v++)
        text_format(out, "%s%s=%lld", v ? " " : "", candidate->values[v].name,
                    (long long)candidate->values[v].value);
}

/* On the standard error, so that what a kernel prints stays apart. */
static void print_tuning(struct cli *cli, const tilec_tuning *tuning)
{
    tilec_candidate c;
    struct text out;
    text_init(&out, cli->arena);
    for (size_t i = 0; tilec_tuning_get(tuning, i, &c) == TILEC_OK; i++) {
        text_string(&out, "tune: ");
        put_values(&out, &c);
        if (c.error) {
            text_format(&out, ": left out: %s", c.error);
        } else if (c.ratio > 0) {
            text_string(&out, ": ");
            text_measured(&out, c.seconds * 1e6);
            text_format(&out, " us, %.3f of the default's (%.3f to %.3f)", c.ratio, c.ratio_low,
                        c.ratio_high);
        }
        text_format(&out, "%s%s\n", i ? "" : ", the default",
                    !c.is_chosen                      ? ""
                    : tilec_tuning_from_cache(tuning) ? ", chosen (stored)"
                                                      : ", chosen");
    }
    fputs(out.items, stderr);
}

static int tune(struct running *r)
{
    tilec_tuning *tuning;
    tilec_autotune_options options = {.size = sizeof options,
                                      .threads = r->options.threads,
                                      .host_buffers = r->options.host_buffers};
    tilec_status status =
        tilec_program_autotune(r->cli->program, &r->cli->options, r->values.arguments,
                               r->values.count, &options, &r->kernel, &tuning);
    if (status == TILEC_OK)
        print_tuning(r->cli, tuning);
    tilec_tuning_destroy(tuning);
    return cli_report(r->cli, status);
}

static int compile(struct running *r)
{
    struct cli *cli = r->cli;
    if (cli_has(cli, FLAG_TUNE))
        return tune(r);
    if (!cli_choose_constants(cli, r->values.known, r->values.known_count))
        return CLI_WRONG;
    return cli_report(cli, tilec_program_compile(cli->program, &cli->options, &r->kernel));
}

static int launch(struct running *r)
{
    if (cli_has(r->cli, FLAG_TIME) && cli_time_keep(r->kernel, &r->values) != CLI_FINE)
        return CLI_WRONG;
    tilec_status status =
        tilec_launch(r->kernel, NULL, r->values.arguments, r->values.count, &r->options);
    if (fflush(stdout) != 0)
        return cli_error("cannot write to the standard output");
    return cli_report(r->cli, status);
}

/* ---- Results --------------------------------------------------------------------------------- */

/* The arrays and files that the values of --expect or --out name. */
static int read_targets(struct running *r, enum cli_flag flag, struct target_list *list)
{
    size_t count;
    const char **given = cli_values(r->cli, flag, false, &count);
    for (size_t i = 0; i < count; i++) {
        struct target target;
        bool file = cli_split(r->cli, given[i], &target.name, &target.path);
        bool is_expect = flag == FLAG_EXPECT;
        if (!file || (is_expect && target.path[0] != '@') || !target.path[is_expect])
            return cli_usage(r->cli, "'--%s' needs %s, not '%s'", cli_flags[flag].name,
                             cli_flags[flag].argument, given[i]);
        target.path += is_expect;
        if (cli_is_stream(target.path))
            return cli_usage(r->cli, "array '%s' needs a file, not '-'", target.name);
        target.array = cli_find_array(&r->values, target.name);
        if (!target.array)
            return CLI_WRONG;
        for (size_t other = 0; !is_expect && other < list->count; other++)
            if (cli_same_output(list->items[other].path, target.path))
                return cli_usage(r->cli, "two arrays would be written to '%s'", target.path);
        ARENA_PUSH(r->cli->arena, list, target);
    }
    return CLI_FINE;
}

/* Before anything is compiled, so that a mistyped name costs nothing. */
static int read_all_targets(struct running *r)
{
    int status = read_targets(r, FLAG_EXPECT, &r->expected);
    return status == CLI_FINE ? read_targets(r, FLAG_OUT, &r->written) : status;
}

/* Goes on after a difference, so that each array is reported. */
static int compare_all(struct running *r)
{
    int result = CLI_FINE;
    for (size_t i = 0; i < r->expected.count; i++) {
        const struct target *t = &r->expected.items[i];
        int status = cli_compare(r->cli, t->name, t->array, t->path, r->rtol, r->atol);
        result = result == CLI_FINE ? status : result;
    }
    return result;
}

static int write_all(struct running *r)
{
    for (size_t i = 0; i < r->written.count; i++) {
        const struct target *t = &r->written.items[i];
        int status = cli_check_output(r->cli, t->path);
        if (status == CLI_FINE && !cli_array_write(t->name, t->path, t->array))
            status = CLI_WRONG;
        if (status != CLI_FINE)
            return status;
    }
    return CLI_FINE;
}

static int measure(struct running *r)
{
    if (!cli_has(r->cli, FLAG_TIME))
        return CLI_FINE;
    return cli_time(r->cli, r->kernel, &r->values, &r->options);
}

/* ---- The command ----------------------------------------------------------------------------- */

static int open_file(struct running *r)
{
    return cli_open(r->cli);
}

static int read_values(struct running *r)
{
    return cli_read_values(r->cli, &r->values);
}

static int compare_and_write(struct running *r)
{
    int compared = compare_all(r);
    int written = write_all(r); /* arrays that differ from what was expected too */
    return compared == CLI_FINE ? written : compared;
}

static int run_steps(struct running *r)
{
    static int (*const steps[])(struct running * r) = {read_launch_options, open_file, read_values,
                                                       read_all_targets,    compile,   launch,
                                                       compare_and_write,   measure};
    int result = CLI_FINE;
    for (size_t i = 0; result == CLI_FINE && i < sizeof steps / sizeof *steps; i++)
        result = steps[i](r);
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
