/* tilec devices; see cli.h. */
#include "cli/cli.h"

int cli_devices(struct cli *cli)
{
    struct text text;
    tilec_device device;
    if (cli->word_count)
        return cli_usage(cli, "'%s' is too much", cli->words[0]);
    tilec_status status = tilec_context_create(NULL, &cli->context);
    if (status != TILEC_OK)
        return cli_error("%s", tilec_status_string(status));
    text_init(&text, cli->arena);
    for (size_t i = 0; i < tilec_device_count(cli->context); i++)
        if (tilec_device_get(cli->context, i, &device) == TILEC_OK)
            text_format(&text, "%-8s %s\n", device.target, device.description);
    cli_close(cli);
    return cli_print(text.items, text.count) ? CLI_FINE : CLI_WRONG;
}
