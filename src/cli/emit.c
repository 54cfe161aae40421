/* tilec emit: what a kernel becomes, as text; see cli.h. */
#include "cli/cli.h"

#include <string.h>

static const struct {
    const char *name;
    tilec_stage stage;
} stages[] = {
    {"ast", TILEC_STAGE_AST},   {"lowered", TILEC_STAGE_LOWERED}, {"tile", TILEC_STAGE_TILE},
    {"llvm", TILEC_STAGE_LLVM}, {"asm", TILEC_STAGE_ASSEMBLY},    {"gpu", TILEC_STAGE_GPU},
    {"msl", TILEC_STAGE_MSL},   {"cuda", TILEC_STAGE_CUDA},
};

static bool read_stage(struct cli *cli, tilec_stage *stage)
{
    const char *name = cli_value(cli, FLAG_STAGE);
    *stage = TILEC_STAGE_TILE;
    for (size_t i = 0; name && i < sizeof stages / sizeof *stages; i++) {
        if (strcmp(name, stages[i].name) == 0) {
            *stage = stages[i].stage;
            return true;
        }
    }
    if (name)
        cli_usage(cli, "unknown stage '%s': ast, lowered, tile, llvm, asm, gpu, msl or cuda", name);
    return !name;
}

static int emit(struct cli *cli)
{
    tilec_stage stage;
    char *text;
    size_t length;
    if (!read_stage(cli, &stage))
        return CLI_USAGE;
    int result = cli_open_kernel(cli, stage != TILEC_STAGE_AST);
    if (result != CLI_FINE)
        return result;
    tilec_status status = tilec_emit(cli->program, &cli->options, stage, &text, &length);
    result = cli_report(cli, status);
    if (result == CLI_FINE)
        result = cli_write_text(cli, text, length);
    tilec_release(cli->context, text);
    return result;
}

int cli_emit(struct cli *cli)
{
    int result = emit(cli);
    cli_close(cli);
    return result;
}
