/*
 * tilec lab regress: two builds of tilec against each other. Each runs twice, `tilec lab sample`,
 * in processes of their own, in the order baseline, current, current, baseline with a rest between
 * them; process.c compares what they say.
 */
#define _GNU_SOURCE
#include "base/json_text.h"
#include "lab/process.h"
#include "lab/run_record.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

struct regress {
    tilec_lab_options options;
    const char *path, *programs[2]; /* baseline, current */
    struct lab_experiment experiment;
    bool is_open;
    struct lab_bench bench;
    struct lab_regression regression;
    double begin;
};

enum { MOST_ANSWER = 64 << 20 };

/* ---- one process ----------------------------------------------------------------------------- */

/* Everything that comes through the pipe. */
static void read_pipe(struct text *out, int descriptor)
{
    char bytes[1 << 16];
    ssize_t got;
    while ((got = read(descriptor, bytes, sizeof bytes)) > 0 || (got < 0 && errno == EINTR))
        if (got > 0 && out->count < MOST_ANSWER)
            text_append(out, bytes, (size_t)got);
}

static int start(const struct regress *r, const char *program, int pipe_end, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    char *arguments[] = {(char *)program,         "lab", "sample", (char *)r->path, "--target",
                         (char *)r->bench.target, NULL};
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed)
        return failed;
    failed = posix_spawn_file_actions_adddup2(&actions, pipe_end, STDOUT_FILENO);
    if (!failed)
        failed = posix_spawn(child, program, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

static bool wait_for(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return errno == ECHILD; /* the caller takes or ignores them all: the answer tells */
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* What the program answers, a new reference; NULL after lab_call_fail. */
static json_t *ask(struct regress *r, struct lab_call *call, const char *program)
{
    int ends[2];
    pid_t child;
    const char *error = NULL;
    struct text answer;
    text_init(&answer, &call->arena);
    if (pipe2(ends, O_CLOEXEC) != 0) {
        lab_call_fail(call, TILEC_ERROR_IO, "no pipe: %s", strerror(errno));
        return NULL;
    }
    int failed = start(r, program, ends[1], &child);
    close(ends[1]);
    if (!failed)
        read_pipe(&answer, ends[0]);
    close(ends[0]);
    if (failed) {
        lab_call_fail(call, TILEC_ERROR_IO, "cannot start '%s': %s", program, strerror(failed));
        return NULL;
    }
    if (!wait_for(child)) {
        lab_call_fail(call, TILEC_ERROR_FAULT, "'%s lab sample' failed", program);
        return NULL;
    }
    json_t *json = json_text_load(&call->arena, answer.items, answer.count, &error);
    if (!json)
        lab_call_fail(call, TILEC_ERROR_FAULT, "'%s lab sample' gave no JSON: %s", program, error);
    return json;
}

/* ---- all four -------------------------------------------------------------------------------- */

static void rest(double seconds)
{
    struct timespec time = {.tv_sec = (time_t)seconds};
    time.tv_nsec = (long)((seconds - (double)time.tv_sec) * 1e9);
    while (nanosleep(&time, &time) != 0 && errno == EINTR)
        continue;
}

static void show_progress(const struct regress *r, int done)
{
    double passed = measure_clock_monotonic.now(NULL) - r->begin, share = done / 4.0;
    if (r->options.progress)
        r->options.progress(r->options.user, lab_process_side[done & 3] ? "current" : "baseline",
                            share, done ? passed * (1 - share) / share : 0);
}

static bool ask_all(struct regress *r, struct lab_call *call, json_t *answers[LAB_PROCESS_COUNT])
{
    for (int p = 0; p < LAB_PROCESS_COUNT; p++) {
        if (p)
            rest(r->experiment.configuration.cooldown_seconds);
        show_progress(r, p);
        answers[p] = ask(r, call, r->programs[lab_process_side[p]]);
        if (!answers[p])
            return false;
        call->files[call->file_count++] = answers[p];
    }
    return true;
}

static bool open_all(struct regress *r, struct lab_call *call)
{
    const char *error = NULL;
    tilec_context_options options = {.size = sizeof options, .cache_directory = ""};
    if (!lab_experiment_open(&call->arena, r->path, &r->experiment, &error)) {
        lab_call_fail(call, TILEC_ERROR_IO, "%s", error);
        return false;
    }
    r->is_open = true;
    if (r->experiment.form != LAB_PROCESSES) {
        lab_call_fail(call, TILEC_ERROR_INVALID,
                      "%s compares no whole compilers: its form is not 'processes'", r->path);
        return false;
    }
    if (tilec_context_create(&options, &r->bench.context) != TILEC_OK) {
        lab_call_fail(call, TILEC_ERROR_NO_MEMORY, "not enough memory");
        return false;
    }
    r->bench.arena = &call->arena;
    r->bench.experiment = &r->experiment;
    r->bench.target = r->options.target ? r->options.target : "cpu";
    return true;
}

static void work(struct lab_call *call)
{
    struct regress *r = (struct regress *)call->arguments;
    json_t *answers[LAB_PROCESS_COUNT] = {NULL};
    const char *error = NULL;
    if (!open_all(r, call) || !ask_all(r, call, answers))
        return;
    json_t *record = lab_record_head("processes", &r->bench, r->experiment.seed);
    call->files[call->file_count++] = record;
    double declared = r->experiment.gate.wall_ratio_maximum;
    r->regression.threshold = declared > 1 ? declared - 1 : 0.03;
    if (lab_process_compare(&call->arena, &r->experiment, answers, record, &r->regression, &error))
        lab_record_deliver(call, record);
    else
        lab_call_fail(call, TILEC_ERROR_FAULT, "incomparable: %s", error);
}

tilec_status tilec_lab_regress(const char *experiment, const char *baseline, const char *current,
                               const tilec_lab_options *options, int *regressed,
                               tilec_lab_text *record)
{
    if (regressed)
        *regressed = 0;
    if (!experiment || !baseline || !current || !regressed || !record)
        return TILEC_ERROR_INVALID;
    struct regress *r = calloc(1, sizeof *r);
    if (!r)
        return TILEC_ERROR_NO_MEMORY;
    r->path = experiment;
    r->programs[0] = baseline;
    r->programs[1] = current;
    r->begin = measure_clock_monotonic.now(NULL);
    tilec_status status = TILEC_ERROR_INVALID;
    if (lab_options_read(&r->options, options))
        status = lab_call_run(work, r, record);
    *regressed = status == TILEC_OK && r->regression.regressed;
    tilec_context_destroy(r->bench.context);
    if (r->is_open)
        lab_experiment_close(&r->experiment);
    free(r);
    return status;
}
