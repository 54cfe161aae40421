/* argv -> flags and words, by the table flags.def; see cli.h. */
#include "base/suggest.h"
#include "cli/cli.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    RUN = 1 << CLI_RUN,
    CHECK = 1 << CLI_CHECK,
    EMIT = 1 << CLI_EMIT,
    EXPLAIN = 1 << CLI_EXPLAIN,
    BUILD = 1 << CLI_BUILD,
    DEVICES = 1 << CLI_DEVICES,
    LAB_INPUTS = 1 << CLI_LAB_INPUTS,
    LAB_RUN = 1 << CLI_LAB_RUN,
    LAB_NULL = 1 << CLI_LAB_NULL,
    LAB_REGRESS = 1 << CLI_LAB_REGRESS,
    LAB_SAMPLE = 1 << CLI_LAB_SAMPLE,
    LAB_VERIFY = 1 << CLI_LAB_VERIFY,
    LAB_EXPORT = 1 << CLI_LAB_EXPORT,
    LAB_TUNE = 1 << CLI_LAB_TUNE,
    LAB_VALIDATE = 1 << CLI_LAB_VALIDATE,
    LAB_SHOW = 1 << CLI_LAB_SHOW,
    LAB_MEASURES = LAB_RUN | LAB_NULL | LAB_REGRESS | LAB_SAMPLE | LAB_EXPORT | LAB_TUNE |
                   LAB_VALIDATE,
    EVERY = (1 << CLI_COMMAND_COUNT) - 1,
};

/* What a flag serves. */
enum {
    ALWAYS = 0,
    ON_CPU = 1 << 0,
    ON_INTERP = 1 << 1,
    ON_CUDA = 1 << 2,
    ON_MSL_HOST = 1 << 3,
    WITH_EXPECT = 1 << 4,
    MANY = 1 << 5,
};

static const struct {
    unsigned serves;
    const char *target, *place; /* target: NULL, it is beside a flag */
} places[] = {
    {ON_CPU, "cpu", "for the target cpu"},
    {ON_INTERP, "interp", "in the interpreter ('--target interp')"},
    {ON_CUDA, "cuda", "for the target cuda"},
    {ON_MSL_HOST, "msl-host", "for the target msl-host"},
    {WITH_EXPECT, NULL, "beside '--expect'"},
};

const struct cli_flag_info cli_flags[CLI_FLAG_COUNT] = {
#define FLAG(code, name, letter, argument, commands, serves, meaning)                              \
    [FLAG_##code] = {name, letter, argument, commands, serves, meaning},
#include "cli/flags.def"
#undef FLAG
};

/* ---- Reading --------------------------------------------------------------------------------- */

static bool takes(enum cli_command command, const struct cli_flag_info *flag)
{
    return flag->commands & (1u << command);
}

/* What getopt_long wants: long options whose value is the flag's number plus 256, and letters. */
static void list_options(enum cli_command command, struct option *options, char *letters)
{
    *letters++ = ':'; /* tells a missing argument from an unknown option */
    for (int i = 0; i < CLI_FLAG_COUNT; i++) {
        const struct cli_flag_info *flag = &cli_flags[i];
        if (!takes(command, flag))
            continue;
        int has = flag->argument ? required_argument : no_argument;
        *options++ = (struct option){flag->name, has, NULL, 256 + i};
        if (!flag->letter)
            continue;
        *letters++ = flag->letter;
        if (flag->argument)
            *letters++ = ':';
    }
    *options = (struct option){0};
    *letters = '\0';
}

static int flag_of_letter(int letter)
{
    for (int i = 0; i < CLI_FLAG_COUNT; i++)
        if (cli_flags[i].letter == letter)
            return i;
    return -1;
}

/* The options that begin so, which are several where getopt_long knows none: " --a or --b". */
static const char *begun_options(const struct cli *cli, const char *name)
{
    struct text text;
    text_init(&text, cli->arena);
    for (int i = 0; i < CLI_FLAG_COUNT; i++)
        if (takes(cli->command, &cli_flags[i]) &&
            strncmp(cli_flags[i].name, name, strlen(name)) == 0)
            text_format(&text, "%s --%s", text.count ? " or" : "", cli_flags[i].name);
    text_char(&text, '\0');
    return text.count > 1 ? text.items : NULL;
}

static int unknown_flag(const struct cli *cli, const char *word)
{
    struct suggestion suggestion;
    char name[64];
    size_t length = strcspn(word, "=");
    if (length > 2 && length < sizeof name && word[1] == '-') {
        memcpy(name, word + 2, length - 2);
        name[length - 2] = '\0';
        suggestion = (struct suggestion){.name = name};
        for (int i = 0; i < CLI_FLAG_COUNT; i++)
            if (takes(cli->command, &cli_flags[i]))
                suggestion_offer(&suggestion, cli_flags[i].name);
        const char *several = begun_options(cli, name);
        if (several)
            return cli_usage(cli, "option '%s' may be%s", word, several);
        if (suggestion.best)
            return cli_usage(cli, "unknown option '%s'; did you mean '--%s'?", word,
                             suggestion.best);
    }
    return cli_usage(cli, "unknown option '%s'", word);
}

/* What getopt_long could not read. */
static int bad_flag(const struct cli *cli, int code, char **argv)
{
    const char *word = argv[optind - 1];
    char letter[3] = {'-', (char)optopt, '\0'};
    if (code == ':')
        return cli_usage(cli, "option '%s' needs a value", word);
    if (optopt >= 256)
        return cli_usage(cli, "option '--%s' takes no value", cli_flags[optopt - 256].name);
    return unknown_flag(cli, optopt ? letter : word);
}

/* A flag with a value of which only the last would count. */
static int check_repeated(const struct cli *cli, int number)
{
    enum cli_flag flag = cli->given[number].flag;
    if (!cli->given[number].value || cli_flags[flag].serves & MANY ||
        (flag == FLAG_CPU && cli->command == CLI_BUILD)) /* which takes several */
        return CLI_FINE;
    for (int i = 0; i < number; i++)
        if (cli->given[i].flag == flag)
            return cli_usage(cli, "'--%s' is given twice", cli_flags[flag].name);
    return CLI_FINE;
}

int cli_read_flags(struct cli *cli, int argc, char **argv)
{
    struct option options[CLI_FLAG_COUNT + 1];
    char letters[2 * CLI_FLAG_COUNT + 2];
    list_options(cli->command, options, letters);
    cli->given = ARENA_ARRAY(cli->arena, struct cli_given, (size_t)argc);
    opterr = 0; /* messages are ours */
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strncmp(argv[i], "-:", 2) == 0) /* -:KERNEL is no option */
            argv[i] = arena_format(cli->arena, "%s%s", cli_stream_path, argv[i] + 1);
    int code;
    while ((code = getopt_long(argc, argv, letters, options, NULL)) != -1) {
        int flag = code >= 256 ? code - 256 : flag_of_letter(code);
        if (code == '?' || code == ':' || flag < 0)
            return bad_flag(cli, code, argv);
        cli->given[cli->given_count++] = (struct cli_given){(enum cli_flag)flag, optarg};
    }
    cli->words = argv + optind;
    cli->word_count = argc - optind;
    int result = CLI_FINE;
    for (int i = 0; i < cli->given_count && result == CLI_FINE; i++)
        result = check_repeated(cli, i);
    return result;
}

/* ---- What is given in vain ------------------------------------------------------------------- */

int cli_check_flags(const struct cli *cli, const char *target)
{
    for (int i = 0; i < cli->given_count; i++) {
        const struct cli_flag_info *flag = &cli_flags[cli->given[i].flag];
        for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
            const char *on = places[k].target;
            bool holds = on ? strcmp(on, target) == 0 : cli_has(cli, FLAG_EXPECT);
            if (flag->serves & places[k].serves && !holds)
                return cli_usage(cli, "'--%s' has a meaning only %s", flag->name, places[k].place);
        }
    }
    return CLI_FINE;
}

/* ---- Looking up ------------------------------------------------------------------------------ */

bool cli_has(const struct cli *cli, enum cli_flag flag)
{
    for (int i = 0; i < cli->given_count; i++)
        if (cli->given[i].flag == flag)
            return true;
    return false;
}

const char *cli_value(const struct cli *cli, enum cli_flag flag)
{
    const char *value = NULL;
    for (int i = 0; i < cli->given_count; i++)
        if (cli->given[i].flag == flag)
            value = cli->given[i].value;
    return value;
}

struct name_list {
    const char **items;
    size_t count, capacity;
};

static void add_split(const struct cli *cli, struct name_list *list, const char *value)
{
    for (;;) {
        size_t length = strcspn(value, ",");
        const char *part = arena_copy_text(cli->arena, value, length);
        ARENA_PUSH(cli->arena, list, part);
        if (!value[length])
            return;
        value += length + 1;
    }
}

const char **cli_values(const struct cli *cli, enum cli_flag flag, bool split, size_t *count)
{
    struct name_list list = {0};
    for (int i = 0; i < cli->given_count; i++) {
        if (cli->given[i].flag != flag)
            continue;
        if (split)
            add_split(cli, &list, cli->given[i].value);
        else
            ARENA_PUSH(cli->arena, &list, cli->given[i].value);
    }
    *count = list.count;
    return list.items;
}

bool cli_read_count(const struct cli *cli, enum cli_flag flag, int64_t *count)
{
    const char *text = cli_value(cli, flag);
    char *end;
    if (!text)
        return true;
    errno = 0;
    *count = strtoll(text, &end, 10);
    if (*text >= '0' && *text <= '9' && *end == '\0' && errno == 0)
        return true;
    cli_usage(cli, "'--%s' needs a whole number, not '%s'", cli_flags[flag].name, text);
    return false;
}

bool cli_read_real(const struct cli *cli, enum cli_flag flag, double *real)
{
    const char *text = cli_value(cli, flag);
    char *end;
    if (!text)
        return true;
    *real = strtod(text, &end);
    if (end != text && *end == '\0' && *real >= 0 && !isinf(*real))
        return true;
    cli_usage(cli, "'--%s' needs a number of at least 0, not '%s'", cli_flags[flag].name, text);
    return false;
}

bool cli_split(const struct cli *cli, const char *word, const char **name, const char **value)
{
    const char *equals = strchr(word, '=');
    if (!equals || equals == word)
        return false;
    *name = arena_copy_text(cli->arena, word, (size_t)(equals - word));
    *value = equals + 1;
    return true;
}
