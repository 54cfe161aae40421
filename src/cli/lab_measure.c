/* tilec lab run and its like: commands that measure, with their options, the arms of other
 * libraries and the progress line; see cli.h. */
#define _GNU_SOURCE
#include "base/code_file.h"
#include "cli/cli.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct measuring {
    struct cli *cli;
    tilec_lab_options options;
    tilec_lab_external externals[16];
    bool shows; /* a progress line stands on the terminal */
};

/* ---- progress -------------------------------------------------------------------------------- */

static void on_progress(void *user, const char *what, double share, double seconds_left)
{
    struct measuring *m = user;
    m->shows = true;
    fprintf(stderr, "\r\033[K%3.0f%%  %d:%02d left  %s", share * 100, (int)seconds_left / 60,
            (int)seconds_left % 60, what);
    fflush(stderr);
}

static void end_progress(struct measuring *m)
{
    if (m->shows)
        fputs("\r\033[K", stderr);
    m->shows = false;
}

/* ---- arms of other libraries ----------------------------------------------------------------- */

/* The names that experiments use; each is looked for beside libtilec. */
static const char *const known_externals[] = {"onednn"};

static const tilec_lab_external *load_external(const char *name, const char *path, char *why,
                                               size_t size)
{
    char symbol[96];
    int length = snprintf(symbol, sizeof symbol, "tilec_lab_external_%s", name);
    if (length < 0 || (size_t)length >= sizeof symbol) {
        snprintf(why, size, "the name '%s' is too long", name);
        return NULL;
    }
    /* Never closed: libraries with threads do not survive it. */
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        snprintf(why, size, "%s", dlerror());
        return NULL;
    }
    const tilec_lab_external *(*get)(void);
    *(void **)&get = dlsym(library, symbol);
    const tilec_lab_external *external = get ? get() : NULL;
    if (!get)
        snprintf(why, size, "'%s' has no function %s", path, symbol);
    else if (!external)
        snprintf(why, size, "%s of '%s' gives none", symbol, path);
    return external;
}

static bool add_external(struct measuring *m, const tilec_lab_external *external)
{
    if (m->options.external_count == sizeof m->externals / sizeof *m->externals)
        return false;
    m->externals[m->options.external_count++] = *external;
    return true;
}

static int add_given_externals(struct measuring *m)
{
    char why[512];
    size_t count;
    const char **given = cli_values(m->cli, FLAG_EXTERNAL, false, &count);
    for (size_t i = 0; i < count; i++) {
        const char *name, *path;
        if (!cli_split(m->cli, given[i], &name, &path))
            return cli_usage(m->cli, "'--external' needs NAME=FILE.so, not '%s'", given[i]);
        const tilec_lab_external *external = load_external(name, path, why, sizeof why);
        if (!external)
            return cli_error("cannot use '%s': %s", given[i], why);
        if (!add_external(m, external))
            return cli_usage(m->cli, "too many '--external'");
    }
    return CLI_FINE;
}

static bool is_given(const struct measuring *m, const char *name)
{
    for (size_t i = 0; i < m->options.external_count; i++)
        if (strcmp(m->externals[i].name, name) == 0)
            return true;
    return false;
}

/* They lie where libtilec's own module does. One that is not there, or whose library is missing, is
 * absent from the record; that is no error. */
static void add_known_externals(struct measuring *m)
{
    char file[96], path[PATH_MAX], why[512];
    for (size_t i = 0; i < sizeof known_externals / sizeof *known_externals; i++) {
        const char *name = known_externals[i];
        snprintf(file, sizeof file, "libtilec-lab-%s.so", name);
        if (is_given(m, name) || !code_module((const void *)(uintptr_t)tilec_version, file, path))
            continue;
        const tilec_lab_external *external = load_external(name, path, why, sizeof why);
        if (external)
            add_external(m, external);
    }
}

/* ---- the commands ---------------------------------------------------------------------------- */

/* Measuring takes minutes, which would be lost. */
static int foresee_outputs(const struct cli *cli)
{
    const char *paths[] = {cli_value(cli, FLAG_OUTPUT), cli_value(cli, FLAG_MANIFEST)};
    int status = CLI_FINE;
    if (paths[1] && cli_is_stream(paths[0]))
        return cli_usage(cli, "the manifest names the record's file: '-o' needs one, not '-'");
    for (size_t i = 0; i < sizeof paths / sizeof *paths && status == CLI_FINE; i++)
        if (paths[i])
            status = cli_foresee_output(cli, paths[i]);
    return status;
}

static int read_options(struct measuring *m, struct cli *cli)
{
    *m = (struct measuring){.cli = cli};
    m->options = (tilec_lab_options){.size = sizeof m->options,
                                     .target = cli_value(cli, FLAG_TARGET),
                                     .baseline = cli_value(cli, FLAG_BASELINE),
                                     .cache_directory = cli_has(cli, FLAG_NO_CACHE) ? "" : NULL,
                                     .externals = m->externals,
                                     .user = m};
    m->options.cases = cli_values(cli, FLAG_CASE, true, &m->options.case_count);
    if (isatty(STDERR_FILENO))
        m->options.progress = on_progress;
    int64_t jobs = 0;
    if (cli_has(cli, FLAG_JOBS) && !cli_read_count(cli, FLAG_JOBS, &jobs))
        return CLI_USAGE;
    m->options.jobs = jobs > 64 ? 64 : (int)jobs;
    int status = foresee_outputs(cli);
    if (status == CLI_FINE)
        status = add_given_externals(m);
    if (status == CLI_FINE)
        add_known_externals(m);
    return status;
}

static int finish(struct measuring *m, tilec_status status, tilec_lab_text *text)
{
    end_progress(m);
    int result = CLI_WRONG;
    if (status != TILEC_OK)
        cli_error("%s", text->error ? text->error : tilec_status_string(status));
    else
        result = cli_write_text(m->cli, text->text, text->length);
    tilec_lab_text_free(text);
    return result;
}

/* A command that makes a record of one file. */
static int record_of(struct cli *cli, const char *what,
                     tilec_status (*work)(const char *path, const tilec_lab_options *options,
                                          tilec_lab_text *text))
{
    struct measuring m;
    tilec_lab_text text = {0};
    const char *path = cli_lab_file(cli, what);
    int status = path ? read_options(&m, cli) : CLI_USAGE;
    if (status != CLI_FINE)
        return status;
    return finish(&m, work(path, &m.options, &text), &text);
}

/* ---- lab run --------------------------------------------------------------------------------- */

/* A script of Python that runs the lab in its own process, with arms of its own: its path, or NULL. */
static const char *find_script(struct cli *cli)
{
    size_t count;
    const char **given = cli_values(cli, FLAG_EXTERNAL, false, &count);
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(given[i]);
        const char *path = strchr(given[i], '=');
        if (path && length > 3 && strcmp(given[i] + length - 3, ".py") == 0)
            return path + 1;
    }
    return NULL;
}

enum { MOST_WORDS = 256 };

/* python3 SCRIPT --lib LIBTILEC --lab EXPERIMENT ... in place of this program. */
static int run_script(struct cli *cli, const char *script)
{
    static const enum cli_flag passed[] = {FLAG_BASELINE, FLAG_OUTPUT};
    static const enum cli_flag refused[] = {FLAG_NO_CACHE, FLAG_JOBS};
    const char *experiment = cli_lab_file(cli, "experiment"), *words[MOST_WORDS];
    const char *target = cli_value(cli, FLAG_TARGET);
    char library[PATH_MAX];
    size_t count = 0, cases, externals;
    if (!experiment)
        return CLI_USAGE;
    if (!target || strcmp(target, "cuda") != 0)
        return cli_usage(cli, "a script's arms are for the target 'cuda'");
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (cli_has(cli, refused[i]))
            return cli_usage(cli, "'--%s' is not for a script's arms: leave it out",
                             cli_flags[refused[i]].name);
    cli_values(cli, FLAG_EXTERNAL, false, &externals);
    if (externals > 1)
        return cli_usage(cli, "a script brings all its arms: give no other '--external'");
    if (!code_file((const void *)(uintptr_t)tilec_version, library))
        return cli_error("libtilec is not found, which '%s' needs", script);
    const char *head[] = {"python3", script, "--lib", library, "--lab", experiment};
    for (; count < sizeof head / sizeof *head; count++)
        words[count] = head[count];
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++) {
        if (!cli_has(cli, passed[i]))
            continue;
        words[count++] = arena_format(cli->arena, "--%s", cli_flags[passed[i]].name);
        words[count++] = cli_value(cli, passed[i]);
    }
    const char **names = cli_values(cli, FLAG_CASE, true, &cases);
    if (count + 2 * cases >= MOST_WORDS)
        return cli_usage(cli, "a script takes no more than %d words", MOST_WORDS - 1);
    for (size_t i = 0; i < cases; i++) {
        words[count++] = "--case";
        words[count++] = names[i];
    }
    words[count] = NULL;
    execvp(words[0], (char *const *)words);
    return cli_error("cannot start python3 for '%s': %s", script, strerror(errno));
}

int cli_lab_run(struct cli *cli)
{
    const char *script = find_script(cli);
    return script ? run_script(cli, script) : record_of(cli, "experiment", tilec_lab_run);
}

int cli_lab_null(struct cli *cli)
{
    struct measuring m;
    tilec_lab_text text = {0};
    int64_t repeats = 25;
    const char *experiment = cli_lab_file(cli, "experiment");
    if (!experiment || !cli_read_count(cli, FLAG_REPEAT, &repeats))
        return CLI_USAGE;
    if (repeats < 1 || repeats > 1000000)
        return cli_usage(cli, "'--repeat' takes a number from 1 to 1000000");
    int status = read_options(&m, cli);
    if (status != CLI_FINE)
        return status;
    return finish(
        &m, tilec_lab_null(experiment, (int)repeats, cli_has(cli, FLAG_POWER), &m.options, &text),
        &text);
}

int cli_lab_sample(struct cli *cli)
{
    struct measuring m;
    tilec_lab_text text = {0};
    const char *experiment = cli_lab_file(cli, "experiment");
    int status = experiment ? read_options(&m, cli) : CLI_USAGE;
    if (status != CLI_FINE)
        return status;
    m.options.progress = NULL; /* regress has a line of its own */
    return finish(&m, tilec_lab_sample(experiment, &m.options, &text), &text);
}

/* ---- lab regress ----------------------------------------------------------------------------- */

/* Runs a program with the output going to the standard error. */
static bool run_tool(char *const *arguments)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = -1;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return false;
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    if (posix_spawnp(&child, arguments[0], &actions, NULL, arguments, environ) == 0)
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            continue;
    posix_spawn_file_actions_destroy(&actions);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Builds a source tree in its folder build-lab, always with the same options, so that two trees
 * differ in their source only. */
static bool build_tree(struct cli *cli, const char *tree, const char **program)
{
    char *folder = (char *)arena_format(cli->arena, "%s/build-lab", tree);
    char *configure[] = {"cmake",
                         "-S",
                         (char *)tree,
                         "-B",
                         folder,
                         "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
                         "-DTILEC_TESTS=OFF",
                         NULL};
    char *build[] = {"cmake",
                     "--build",
                     folder,
                     "--parallel",
                     arena_format(cli->arena, "%ld", sysconf(_SC_NPROCESSORS_ONLN)),
                     NULL};
    if (access(arena_format(cli->arena, "%s/CMakeLists.txt", tree), R_OK) != 0) {
        cli_error("'%s' is neither a program nor a source tree", tree);
        return false;
    }
    fprintf(stderr, "building '%s'\n", tree);
    if (!run_tool(configure) || !run_tool(build)) {
        cli_error("cannot build the source tree '%s'", tree);
        return false;
    }
    *program = arena_format(cli->arena, "%s/tilec", folder);
    return true;
}

/* A program as it is, a source tree built. */
static bool find_program(struct cli *cli, const char *given, const char **program)
{
    struct stat information;
    *program = given;
    if (stat(given, &information) != 0) {
        cli_error("'%s': %s", given, strerror(errno));
        return false;
    }
    return !S_ISDIR(information.st_mode) || build_tree(cli, given, program);
}

static const char *own_program(struct cli *cli)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    return length > 0 ? arena_copy_text(cli->arena, path, (size_t)length) : "tilec";
}

static int say_regression(int regressed)
{
    if (!regressed)
        return CLI_FINE;
    return cli_error(
        "slower than the baseline, or wrong: 'regression' in the record names the cases");
}

int cli_lab_regress(struct cli *cli)
{
    struct measuring m;
    tilec_lab_text text = {0};
    const char *baseline = cli_value(cli, FLAG_BASELINE), *current = cli_value(cli, FLAG_CURRENT);
    const char *experiment = cli_lab_file(cli, "experiment");
    int regressed, status = experiment ? read_options(&m, cli) : CLI_USAGE;
    if (status != CLI_FINE)
        return status;
    if (!baseline)
        return cli_usage(cli, "'--baseline' is missing: a program or a source tree");
    if (!find_program(cli, baseline, &baseline) ||
        !find_program(cli, current ? current : own_program(cli), &current))
        return CLI_WRONG;
    status = finish(
        &m, tilec_lab_regress(experiment, baseline, current, &m.options, &regressed, &text), &text);
    return status == CLI_FINE ? say_regression(regressed) : status;
}

/* ---- exports and validations ----------------------------------------------------------------- */

int cli_lab_export(struct cli *cli)
{
    return record_of(cli, "experiment", tilec_lab_export);
}

int cli_lab_validate(struct cli *cli)
{
    return record_of(cli, "manifest", tilec_lab_validate);
}

/* ---- lab tune -------------------------------------------------------------------------------- */

static int write_manifest(struct cli *cli, const char *experiment)
{
    tilec_lab_text text = {0};
    const char *path = cli_value(cli, FLAG_MANIFEST), *baseline = cli_value(cli, FLAG_BASELINE);
    tilec_status status = tilec_lab_freeze(experiment, baseline ? baseline : "",
                                           cli_value(cli, FLAG_OUTPUT), path, &text);
    int result = CLI_WRONG;
    if (status != TILEC_OK)
        cli_error("%s", text.error ? text.error : tilec_status_string(status));
    else
        result = cli_write_file(cli, path, text.text, text.length);
    tilec_lab_text_free(&text);
    return result;
}

int cli_lab_tune(struct cli *cli)
{
    struct measuring m;
    tilec_lab_text text = {0};
    const char *experiment = cli_lab_file(cli, "experiment");
    int status = experiment ? read_options(&m, cli) : CLI_USAGE;
    if (status != CLI_FINE)
        return status;
    const char *output = cli_value(cli, FLAG_OUTPUT), *manifest = cli_value(cli, FLAG_MANIFEST);
    if (manifest && !output)
        return cli_usage(cli, "'--manifest' binds the tuning record: write it to a file with '-o'");
    if (manifest && cli_same_output(output, manifest))
        return cli_usage(cli, "both files would have the same name '%s'", manifest);
    status = finish(&m, tilec_lab_tune(experiment, &m.options, &text), &text);
    return status == CLI_FINE && manifest ? write_manifest(cli, experiment) : status;
}
