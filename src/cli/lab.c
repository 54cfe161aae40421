/* tilec lab ...: thin wrappers of include/tilec/lab.h; see cli.h. */
#include "cli/cli.h"

/* Prints what a function of the lab left and frees it. */
static int finish(tilec_status status, tilec_lab_text *text)
{
    bool printed = !text->text || cli_print(text->text, text->length);
    if (status != TILEC_OK)
        cli_error("%s", text->error ? text->error : tilec_status_string(status));
    tilec_lab_text_free(text);
    return status == TILEC_OK && printed ? CLI_FINE : CLI_WRONG;
}

const char *cli_lab_file(struct cli *cli, const char *what)
{
    if (cli->word_count == 1)
        return cli->words[0];
    if (cli->word_count == 0)
        cli_usage(cli, "no %s is given", what);
    else
        cli_usage(cli, "one %s only; '%s' is too much", what, cli->words[1]);
    return NULL;
}

int cli_lab_inputs(struct cli *cli)
{
    tilec_lab_text text = {0};
    const char *experiment = cli_lab_file(cli, "experiment");
    return experiment ? finish(tilec_lab_inputs(experiment, &text), &text) : CLI_USAGE;
}
