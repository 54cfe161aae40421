/* Checking without timing; see checking.h. */
#define _GNU_SOURCE
#include "lab/checking.h"
#include "lab/run.h"
#include "lab/run_record.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_WORKERS = 64 };

/* What the workers share. */
struct checking {
    struct lab_session *session; /* the caller's, which only shows progress */
    const char *path;
    lab_case_maker *make;
    int64_t seed;
    size_t count;
    atomic_size_t next;
    json_t **cases; /* by place */
    pthread_mutex_t lock; /* of what follows, and of the progress */
    size_t done;
};

struct worker {
    struct checking *checking;
    struct lab_session session;
    pthread_t thread;
    bool started;
    tilec_status status;
    tilec_lab_text text; /* the error */
};

json_t *lab_check_case(struct lab_session *s, size_t place, int64_t seed)
{
    const struct lab_case *c = &s->experiment.cases[place];
    if (!lab_session_case(s, c, seed))
        return NULL;
    json_t *json = lab_record_case(&s->experiment, c);
    json_object_set_new(json, "input_sha256", json_string(s->input_sha256));
    json_object_set_new(json, "status", json_string("incomparable"));
    lab_run_put_arms(s, json);
    lab_session_case_end(s);
    return json;
}

static void finish_case(struct checking *checking, size_t place, json_t *json)
{
    struct lab_session *s = checking->session;
    pthread_mutex_lock(&checking->lock);
    checking->cases[place] = json;
    checking->done++;
    lab_session_progress(s, s->experiment.cases[place].name,
                         (double)checking->done / (double)checking->count);
    pthread_mutex_unlock(&checking->lock);
}

static void check_cases(struct lab_call *call)
{
    struct worker *worker = (struct worker *)call->arguments;
    struct checking *checking = worker->checking;
    enum lab_form form = checking->session->experiment.form;
    if (!lab_session_open(&worker->session, call, checking->path, form))
        return;
    for (;;) {
        size_t place = atomic_fetch_add(&checking->next, 1);
        if (place >= checking->count)
            return;
        json_t *json = checking->make(&worker->session, place, checking->seed);
        if (!json) {
            atomic_store(&checking->next, checking->count); /* for the others it is over too */
            return;
        }
        finish_case(checking, place, json);
    }
}

static void *work(void *user)
{
    struct worker *worker = user;
    worker->status = lab_call_run(check_cases, worker, &worker->text);
    lab_session_close(&worker->session);
    return NULL;
}

static size_t worker_count(const struct lab_session *s)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t wanted = s->options.jobs > 0 ? (size_t)s->options.jobs
                    : processors > 0    ? (size_t)processors
                                        : 1;
    wanted = wanted < MOST_WORKERS ? wanted : MOST_WORKERS;
    return wanted < s->experiment.case_count ? wanted : s->experiment.case_count;
}

/* The first failure becomes the call's. */
static bool take_errors(struct lab_call *call, struct worker *workers, size_t count)
{
    bool good = true;
    for (size_t w = 0; w < count; w++) {
        struct worker *worker = &workers[w];
        if (worker->started && worker->status != TILEC_OK && good) {
            lab_call_fail(call, worker->status, "%s",
                          worker->text.error ? worker->text.error
                                             : tilec_status_string(worker->status));
            good = false;
        }
        tilec_lab_text_free(&worker->text);
    }
    return good;
}

/* A thread that cannot be started leaves its share to the others; the caller's own works too. */
static bool run_workers(struct checking *checking, struct worker *workers, size_t count)
{
    for (size_t w = 0; w < count; w++) {
        workers[w].checking = checking;
        workers[w].session.options = checking->session->options;
        workers[w].session.options.progress = NULL;
    }
    for (size_t w = 1; w < count; w++)
        workers[w].started = pthread_create(&workers[w].thread, NULL, work, &workers[w]) == 0;
    workers[0].started = true;
    work(&workers[0]);
    for (size_t w = 1; w < count; w++)
        if (workers[w].started)
            pthread_join(workers[w].thread, NULL);
    return take_errors(checking->session->call, workers, count);
}

bool lab_check_all(struct lab_session *s, const char *path, lab_case_maker *make, int64_t seed,
                   json_t *list)
{
    size_t count = worker_count(s);
    struct checking checking = {.session = s,
                                .path = path,
                                .make = make,
                                .seed = seed,
                                .count = s->experiment.case_count,
                                .lock = PTHREAD_MUTEX_INITIALIZER};
    checking.cases = ARENA_ARRAY(s->bench.arena, json_t *, checking.count);
    struct worker *workers = calloc(count, sizeof *workers);
    if (!workers) {
        lab_call_fail(s->call, TILEC_ERROR_NO_MEMORY, "not enough memory for the checks");
        return false;
    }
    bool good = run_workers(&checking, workers, count);
    free(workers);
    for (size_t i = 0; i < checking.count; i++)
        if (checking.cases[i])
            json_array_append_new(list, checking.cases[i]);
    return good;
}
