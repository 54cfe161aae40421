/* tilec explain: what was really generated for a kernel; see cli.h. */
#include "cli/cli.h"

static int explain(struct cli *cli)
{
    char *text;
    size_t length;
    tilec_report_form form = cli_has(cli, FLAG_TEXT) ? TILEC_REPORT_TEXT : TILEC_REPORT_JSON;
    int result = cli_open_kernel(cli, true);
    if (result != CLI_FINE)
        return result;
    tilec_status status = tilec_explain(cli->program, &cli->options, form, &text, &length);
    result = cli_report(cli, status);
    if (result == CLI_FINE)
        result = cli_write_text(cli, text, length);
    tilec_release(cli->context, text);
    return result;
}

int cli_explain(struct cli *cli)
{
    int result = explain(cli);
    cli_close(cli);
    return result;
}
