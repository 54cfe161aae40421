/* The command line's entry: finds the command, and turns its result into an exit status. */
#include "base/guard.h"
#include "base/suggest.h"
#include "cli/cli.h"

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- Messages -------------------------------------------------------------------------------- */

int cli_error(const char *format, ...)
{
    va_list arguments;
    fputs("tilec: error: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return CLI_WRONG;
}

int cli_usage(const struct cli *cli, const char *format, ...)
{
    va_list arguments;
    fputs("tilec: error: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    if (cli)
        fprintf(stderr, "\nhint: 'tilec %s --help' shows what it takes\n",
                cli_commands[cli->command].word);
    else
        fputs("\nhint: 'tilec --help' shows the commands\n", stderr);
    return CLI_USAGE;
}

void cli_hint(const char *format, ...)
{
    va_list arguments;
    fputs("hint: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

bool cli_print(const char *text, size_t length)
{
    if (fwrite(text, 1, length, stdout) == length && fflush(stdout) == 0)
        return true;
    cli_error("cannot write to the standard output");
    return false;
}

/* ---- Commands -------------------------------------------------------------------------------- */

const struct cli_command_info cli_commands[CLI_COMMAND_COUNT] = {
#define COMMAND(code, word, rest, meaning) [CLI_##code] = {word, rest, meaning},
#include "cli/flags.def"
#undef COMMAND
};

static int (*const functions[CLI_COMMAND_COUNT])(struct cli *cli) = {
    [CLI_RUN] = cli_run,
    [CLI_CHECK] = cli_run,
    [CLI_EMIT] = cli_emit,
    [CLI_EXPLAIN] = cli_explain,
    [CLI_BUILD] = cli_build,
    [CLI_DEVICES] = cli_devices,
    [CLI_LAB_INPUTS] = cli_lab_inputs,
    [CLI_LAB_RUN] = cli_lab_run,
    [CLI_LAB_NULL] = cli_lab_null,
    [CLI_LAB_TUNE] = cli_lab_tune,
    [CLI_LAB_REGRESS] = cli_lab_regress,
    [CLI_LAB_SAMPLE] = cli_lab_sample,
    [CLI_LAB_VERIFY] = cli_lab_verify,
    [CLI_LAB_EXPORT] = cli_lab_export,
    [CLI_LAB_VALIDATE] = cli_lab_validate,
    [CLI_LAB_SHOW] = cli_lab_show,
};

static int run_command(struct cli *cli, int argc, char **argv)
{
    int status = cli_read_flags(cli, argc, argv);
    if (status != CLI_FINE)
        return status;
    if (cli_has(cli, FLAG_HELP)) {
        struct text text;
        text_init(&text, cli->arena);
        cli_command_help(cli->command, &text);
        return cli_print(text.items, text.count) ? CLI_FINE : CLI_WRONG;
    }
    return functions[cli->command](cli);
}

/* How many words of argv name the command, after "tilec": two for "lab inputs", else one. */
static int command_words(int argc, char **argv)
{
    return argc > 2 && strcmp(argv[1], "lab") == 0 && argv[2][0] != '-' ? 2 : 1;
}

static int lab_help(struct arena *arena)
{
    struct text text;
    text_init(&text, arena);
    cli_lab_help(&text);
    return cli_print(text.items, text.count) ? CLI_FINE : CLI_WRONG;
}

static int unknown_command(const char *word)
{
    struct suggestion suggestion = {.name = word};
    for (int i = 0; i < CLI_COMMAND_COUNT; i++)
        suggestion_offer(&suggestion, cli_commands[i].word);
    if (suggestion.best)
        return cli_usage(NULL, "unknown command '%s'; did you mean '%s'?", word, suggestion.best);
    return cli_usage(NULL, "unknown command '%s'", word);
}

static int unknown_option(const char *word)
{
    static const char *const options[] = {"--help", "--version", "--manual"};
    struct suggestion suggestion = {.name = word};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        suggestion_offer(&suggestion, options[i]);
    if (strcmp(word, "-V") == 0 || strcmp(word, "-v") == 0)
        suggestion.best = "--version";
    if (suggestion.best)
        return cli_usage(NULL, "unknown option '%s'; did you mean '%s'?", word, suggestion.best);
    return cli_usage(NULL, "unknown option '%s'", word);
}

/* tilec help COMMAND. */
static int help_on(struct arena *arena, int argc, char **argv)
{
    struct text text;
    const char *word = argv[0];
    if (argc > 1)
        word = arena_format(arena, "%s %s", argv[0], argv[1]);
    text_init(&text, arena);
    for (int i = 0; i < CLI_COMMAND_COUNT; i++)
        if (strcmp(word, cli_commands[i].word) == 0)
            cli_command_help((enum cli_command)i, &text);
    if (strcmp(word, "lab") == 0)
        cli_lab_help(&text);
    if (!text.count)
        return unknown_command(word);
    return cli_print(text.items, text.count) ? CLI_FINE : CLI_WRONG;
}

static int dispatch(struct arena *arena, int argc, char **argv)
{
    struct text text;
    text_init(&text, arena);
    if (argc < 2) {
        cli_help(&text);
        fwrite(text.items, 1, text.count, stderr);
        return CLI_USAGE;
    }
    const char *word = argv[1];
    if (strcmp(word, "help") == 0 && argc > 2)
        return help_on(arena, argc - 2, argv + 2);
    if (strcmp(word, "--version") == 0 || strcmp(word, "version") == 0)
        text_format(&text, "tilec %s\n", tilec_version());
    else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0)
        cli_help(&text);
    else if (strcmp(word, "--manual") == 0) /* docs/tilec.1 */
        cli_manual(&text);
    if (text.count)
        return cli_print(text.items, text.count) ? CLI_FINE : CLI_WRONG;
    int words = command_words(argc, argv);
    if (words == 2)
        word = arena_format(arena, "lab %s", argv[2]);
    for (int i = 0; i < CLI_COMMAND_COUNT; i++) {
        if (strcmp(word, cli_commands[i].word) == 0) {
            struct cli cli = {.arena = arena, .command = (enum cli_command)i};
            return run_command(&cli, argc - words, argv + words);
        }
    }
    if (strcmp(word, "lab") == 0)
        return lab_help(arena);
    if (word[0] == '-')
        return unknown_option(word);
    return unknown_command(word);
}

struct call {
    struct arena arena;
    int argc;
    char **argv;
    int status;
};

static void call(void *user)
{
    struct call *c = user;
    c->status = dispatch(&c->arena, c->argc, c->argv);
}

/* A stream that was closed by who started this would be the next file that is opened, and what is
 * printed would stand in that. So it is a file that refuses it. */
static void keep_streams(void)
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
        if (fcntl(stream, F_GETFD) < 0)
            open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv)
{
    struct call c = {.argc = argc, .argv = argv};
    keep_streams();
    signal(SIGCHLD, SIG_DFL); /* ignored by who started this, it would hide how children end */
    signal(SIGXFSZ, SIG_IGN); /* a file that ulimit finds too large is an error of writing */
    arena_init(&c.arena, allocator_default, NULL);
    if (!guard_run(&c.arena, call, &c))
        c.status = cli_error("out of memory");
    arena_free(&c.arena);
    return c.status;
}
