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

int cli_lab_verify(struct cli *cli)
{
    tilec_lab_text text = {0};
    const char *record = cli_lab_file(cli, "record");
    const char *experiment = cli_value(cli, FLAG_EXPERIMENT);
    if (!record)
        return CLI_USAGE;
    return finish(experiment ? tilec_lab_verify_against(record, experiment, &text)
                             : tilec_lab_verify(record, &text),
                  &text);
}

/* Writes what a function of the lab left to a file. */
static int finish_file(const struct cli *cli, tilec_status status, tilec_lab_text *text,
                       const char *path)
{
    if (status != TILEC_OK)
        return finish(status, text);
    int result = cli_write_file(cli, path, text->text, text->length);
    tilec_lab_text_free(text);
    return result;
}

int cli_lab_show(struct cli *cli)
{
    tilec_lab_text text = {0};
    const char *svg = cli_value(cli, FLAG_SVG), *html = cli_value(cli, FLAG_HTML);
    const char *record = cli_lab_file(cli, "record");
    if (!record)
        return CLI_USAGE;
    if (svg && html && cli_same_output(svg, html))
        return cli_usage(cli, "both files would have the same name '%s'", html);
    if (!svg && !html)
        return finish(tilec_lab_show(record, TILEC_LAB_TABLE, &text), &text);
    int result = CLI_FINE;
    if (svg)
        result = finish_file(cli, tilec_lab_show(record, TILEC_LAB_SVG, &text), &text, svg);
    if (html && result == CLI_FINE)
        result = finish_file(cli, tilec_lab_show(record, TILEC_LAB_HTML, &text), &text, html);
    return result;
}
