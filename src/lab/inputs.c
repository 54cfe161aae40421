/* tilec lab inputs: the hashes of an experiment's inputs. */
#include "lab/call.h"
#include "lab/experiment.h"

static bool put_hash(struct lab_call *call, const struct lab_experiment *experiment,
                     const struct lab_case *c, int64_t seed, const char *label)
{
    struct lab_data data;
    char hex[LAB_HASH_SIZE];
    bool made = lab_data_make(experiment->problem, c, seed, &data);
    if (made) {
        lab_data_sha256(&data, hex);
        text_format(&call->out, "%s %s%s\n", c->name, label, hex);
    } else {
        lab_call_fail(call, TILEC_ERROR_NO_MEMORY, "not enough memory for the inputs of case '%s'",
                      c->name);
    }
    lab_data_free(&data);
    return made;
}

static void work(struct lab_call *call)
{
    struct lab_experiment experiment;
    const char *error = NULL;
    if (!lab_experiment_open(&call->arena, call->arguments, &experiment, &error)) {
        lab_call_fail(call, TILEC_ERROR_IO, "%s", error);
        return;
    }
    call->files[call->file_count++] = experiment.json;
    for (size_t i = 0; i < experiment.case_count && !call->error; i++) {
        const struct lab_case *c = &experiment.cases[i];
        if (experiment.form != LAB_TUNING)
            put_hash(call, &experiment, c, experiment.seed, "");
        else if (put_hash(call, &experiment, c, experiment.training_seed, "training "))
            put_hash(call, &experiment, c, experiment.validation_seed, "validation ");
    }
}

tilec_status tilec_lab_inputs(const char *experiment, tilec_lab_text *text)
{
    return experiment ? lab_call_run(work, experiment, text) : TILEC_ERROR_INVALID;
}
