/* --help and the manual page, from the same table as the parser; see cli.h. */
#include "cli/cli.h"

#include <string.h>

enum { HELP_COLUMN = 24, HELP_WIDTH = 80 };

/* Words of text in lines of HELP_WIDTH from HELP_COLUMN on; `at` is the column reached. */
static void put_wrapped(const char *text, int at, struct text *out)
{
    if (at + 1 > HELP_COLUMN) {
        text_char(out, '\n');
        at = 0;
    }
    text_format(out, "%*s", HELP_COLUMN - at, "");
    at = HELP_COLUMN;
    while (*text) {
        int length = (int)strcspn(text, " ");
        if (at + length > HELP_WIDTH) {
            text_format(out, "\n%*s", HELP_COLUMN, "");
            at = HELP_COLUMN;
        }
        text_append(out, text, (size_t)length);
        at += length + 1;
        text += length;
        if (*text == ' ') {
            text++;
            if (at + (int)strcspn(text, " ") <= HELP_WIDTH)
                text_char(out, ' ');
        }
    }
    text_char(out, '\n');
}

static void put_flag(const struct cli_flag_info *flag, struct text *out)
{
    struct text left;
    text_init(&left, out->arena);
    if (flag->letter && flag->argument)
        text_format(&left, "  -%c %s", flag->letter, flag->argument);
    else if (flag->letter)
        text_format(&left, "  -%c, --%s", flag->letter, flag->name);
    else
        text_format(&left, "  --%s%s%s", flag->name, flag->argument ? " " : "",
                    flag->argument ? flag->argument : "");
    text_append(out, left.items, left.count);
    put_wrapped(flag->meaning, (int)left.count, out);
}

static const char values_help[] =
    "\nEach parameter of the kernel takes a NAME=VALUE. For a scalar VALUE is a number; for a\n"
    "buffer it is one of\n"
    "  @FILE.npy             an array in a file (bf16 is stored as its bits, u16)\n"
    "  new:TYPE[SHAPE]       a new array, filled with NaN, or with bytes 0xA5 for integers\n"
    "  zeros:TYPE[SHAPE]     a new array of zeros\n"
    "  rand:TYPE[SHAPE]:SEED random numbers from NumPy's default_rng(SEED): floats of a\n"
    "                        standard normal distribution; integers from -100 to 99, without\n"
    "                        sign from 0 to 99\n"
    "TYPE is f16 bf16 f32 f64 i8 i16 i32 i64 u8 u16 u32 u64 or bool; SHAPE as in 128,1000.\n"
    "A constexpr parameter that is not given takes the first candidate of its tune line.\n";

static const char stream_help[] =
    "\nThe FILE '-' is the standard input, as an output it is the standard output. A long option\n"
    "may be cut where that leaves one; options may stand anywhere, and '--' ends them.\n";

static const char status_help[] =
    "Exit status: 0 fine, 1 the input or the result was wrong, 2 the command line was.\n";

static void put_commands(bool lab, struct text *out)
{
    for (int i = 0; i < CLI_COMMAND_COUNT; i++) {
        const struct cli_command_info *command = &cli_commands[i];
        if (lab != (strncmp(command->word, "lab ", 4) == 0))
            continue;
        int before = (int)out->count;
        text_format(out, "  %s", command->word);
        put_wrapped(command->meaning, (int)out->count - before, out);
    }
}

void cli_lab_help(struct text *out)
{
    text_string(out, "Measurements that a sceptic would accept; docs/lab.md explains.\n\n"
                     "usage: tilec lab COMMAND ...\n\n");
    put_commands(true, out);
    text_string(out, "\n'tilec lab COMMAND --help' shows what a command takes.\n");
}

void cli_help(struct text *out)
{
    text_string(out, "tilec compiles and runs tile kernels that are written in C syntax.\n\n"
                     "usage: tilec COMMAND ...\n\n");
    put_commands(false, out);
    put_commands(true, out);
    text_string(out, "\n'tilec COMMAND --help' shows what a command takes; 'tilec --version' the "
                     "version.\n");
    text_string(out, status_help);
}

void cli_command_help(enum cli_command command, struct text *out)
{
    const struct cli_command_info *info = &cli_commands[command];
    text_format(out, "usage: tilec %s %s%s[OPTION...]\n\n", info->word, info->rest,
                info->rest[0] ? " " : "");
    text_format(out, "%c%s.\n", info->meaning[0] - 'a' + 'A', info->meaning + 1);
    if (command == CLI_RUN || command == CLI_CHECK)
        text_string(out, values_help);
    if (command == CLI_EMIT)
        text_string(out, "\nA FILE that ends in .ir holds Tile IR as this command prints it.\n");
    if (strncmp(info->rest, "FILE", 4) == 0)
        text_string(out, stream_help);
    text_char(out, '\n');
    for (int i = 0; i < CLI_FLAG_COUNT; i++)
        if (cli_flags[i].commands & (1u << command))
            put_flag(&cli_flags[i], out);
    text_char(out, '\n');
    text_string(out, status_help);
}

/* ---- The manual page ------------------------------------------------------------------------- */

/* Text of a manual page: a leading dot or quote would be a command, a minus a hyphen. */
static void put_roff(const char *text, struct text *out)
{
    for (; *text; text++) {
        if (*text == '-')
            text_string(out, "\\-");
        else if (*text == '\\')
            text_string(out, "\\e");
        else if (*text == '\'')
            text_string(out, "\\(aq");
        else
            text_char(out, *text);
    }
}

static void put_roff_flag(const struct cli_flag_info *flag, struct text *out)
{
    const char *separator = "";
    text_string(out, ".TP\n");
    if (flag->letter) {
        text_format(out, "\\fB\\-%c\\fR", flag->letter);
        separator = ", ";
    }
    text_format(out, "%s\\fB\\-\\-", separator);
    put_roff(flag->name, out);
    text_string(out, "\\fR");
    if (flag->argument) {
        text_string(out, " \\fI");
        put_roff(flag->argument, out);
        text_string(out, "\\fR");
    }
    text_char(out, '\n');
    put_roff(flag->meaning, out);
    text_string(out, " (");
    separator = "";
    for (int i = 0; i < CLI_COMMAND_COUNT; i++) {
        if (!(flag->commands & (1u << i)))
            continue;
        text_format(out, "%s%s", separator, cli_commands[i].word);
        separator = ", ";
    }
    text_string(out, ")\n");
}

void cli_manual(struct text *out)
{
    text_format(out,
                ".\\\" Made by 'tilec --manual' from src/cli/flags.def.\n"
                ".TH TILEC 1 \"\" \"tilec %s\" \"User Commands\"\n",
                tilec_version());
    text_string(out, ".SH NAME\ntilec \\- compile and run tile kernels in C syntax\n"
                     ".SH SYNOPSIS\n");
    for (int i = 0; i < CLI_COMMAND_COUNT; i++)
        text_format(out, "%s.B tilec %s\n%s%s[option...]\n", i ? ".br\n" : "", cli_commands[i].word,
                    cli_commands[i].rest, cli_commands[i].rest[0] ? " " : "");
    text_string(out, ".SH DESCRIPTION\n"
                     "A kernel file holds functions in C syntax that say what one program does "
                     "with blocks of\nvalues. tilec compiles them for the CPU, runs them on arrays "
                     "and checks the results.\n.SH COMMANDS\n");
    for (int i = 0; i < CLI_COMMAND_COUNT; i++) {
        text_format(out, ".TP\n.B %s\n", cli_commands[i].word);
        put_roff(cli_commands[i].meaning, out);
        text_char(out, '\n');
    }
    text_string(out, ".SH VALUES\n.nf\n");
    put_roff(values_help + 1, out);
    text_string(out, ".fi\n.SH OPTIONS\n");
    put_roff(stream_help + 1, out);
    for (int i = 0; i < CLI_FLAG_COUNT; i++)
        put_roff_flag(&cli_flags[i], out);
    text_string(out,
                ".SH EXIT STATUS\n0 fine, 1 the input or the result was wrong, 2 the command "
                "line was.\n"
                ".SH ENVIRONMENT\n.TP\n.B TILEC_CACHE_DIR\nwhere compiled kernels are kept; "
                "empty: nowhere. Default: $XDG_CACHE_HOME/tilec or ~/.cache/tilec.\n"
                ".TP\n.B TILEC_CACHE_MEGABYTES\nhow much the cache may fill; default 1024.\n"
                ".TP\n.B OMP_NUM_THREADS\nthreads that a launch uses.\n"
                ".SH EXAMPLE\n.nf\n"
                "tilec run softmax.tile.c X=@in.npy Out=new:f32[128,1000] rows=128 N=1000 \\e\n"
                "    \\-\\-expect Out=@ref.npy \\-\\-rtol 1e\\-6 \\-\\-out Out=out.npy\n.fi\n");
}
