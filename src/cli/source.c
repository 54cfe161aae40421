/* The kernel file and how it is compiled: context, program, options, diagnostics; see cli.h. */
#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Diagnostics ----------------------------------------------------------------------------- */

/* After a defect of tilec: leaves the kernel as the passes got it, for a report. */
static void write_reproducer(struct cli *cli)
{
    static const char path[] = "tilec-defect.ir";
    tilec_compile_options options = cli->options;
    char *text;
    options.passes = NULL;
    if (tilec_emit(cli->program, &options, TILEC_STAGE_LOWERED, &text, NULL) != TILEC_OK)
        return;
    FILE *file = fopen(path, "w");
    bool written = file && fputs(text, file) >= 0;
    if (file && fclose(file) == 0 && written)
        cli_hint("this is a defect of tilec; please report it with the command and the file '%s', "
                 "which was just written",
                 path);
    tilec_release(cli->context, text);
}

int cli_report(struct cli *cli, tilec_status status)
{
    size_t count = tilec_diagnostic_count(cli->context);
    bool said = false;
    for (size_t i = 0; i < count; i++) {
        tilec_diagnostic diagnostic;
        if (tilec_diagnostic_get(cli->context, i, &diagnostic) != TILEC_OK)
            continue;
        fputs(diagnostic.text, stderr);
        said = said || diagnostic.kind == TILEC_DIAGNOSTIC_ERROR;
    }
    if (status == TILEC_OK)
        return cli->dump_lost ? CLI_WRONG : CLI_FINE;
    if (status == TILEC_ERROR_INTERNAL && cli->program)
        write_reproducer(cli);
    return said ? CLI_WRONG : cli_error("%s", tilec_status_string(status));
}

/* ---- The file -------------------------------------------------------------------------------- */

static bool is_identifier(const char *text)
{
    if (!*text || (*text >= '0' && *text <= '9'))
        return false;
    return text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")] ==
           '\0';
}

/* FILE:KERNEL, unless there is a file whose name has the colon. */
static void split_file(struct cli *cli, const char *word)
{
    struct stat information;
    const char *colon = strrchr(word, ':');
    cli->file = word;
    if (!colon || !is_identifier(colon + 1) || stat(word, &information) == 0)
        return;
    cli->file = arena_copy_text(cli->arena, word, (size_t)(colon - word));
    cli->kernel = colon + 1;
    if (strcmp(cli->file, cli_stream_path) == 0)
        cli->file = "-";
}

static int read_defines(struct cli *cli, tilec_source *source)
{
    size_t count;
    const char **given = cli_values(cli, FLAG_DEFINE, false, &count);
    tilec_define *defines = ARENA_ARRAY(cli->arena, tilec_define, count);
    for (size_t i = 0; i < count; i++) {
        const char *name, *value;
        if (cli_split(cli, given[i], &name, &value))
            defines[i] = (tilec_define){name, value};
        else
            defines[i] = (tilec_define){given[i], NULL}; /* -D NAME alone: 1 */
        if (!is_identifier(defines[i].name))
            return cli_usage(cli, "'-D' needs NAME=VALUE, not '%s'", given[i]);
    }
    source->defines = defines;
    source->define_count = count;
    return CLI_FINE;
}

/* A file's text up to its first NUL; NULL, and why. */
static const char *read_text(struct arena *arena, const char *path, const char **message)
{
    struct text text;
    char piece[4096];
    size_t count;
    FILE *file = fopen(path, "rb");
    *message = file ? "it is larger than 16 MB" : strerror(errno);
    if (!file)
        return NULL;
    text_init(&text, arena);
    while (text.count < (size_t)16 << 20 && (count = fread(piece, 1, sizeof piece, file)) > 0)
        text_append(&text, piece, count);
    bool whole = text.count < (size_t)16 << 20;
    fclose(file);
    return whole ? text.items : NULL;
}

const char cli_stream_path[] = "/dev/stdin";

bool cli_reads_stream(const struct cli *cli)
{
    return cli_is_stream(cli->file);
}

/* A kernel file, or Tile IR, which its first word tells, from the standard input. */
static int read_stream(struct cli *cli, tilec_source *source)
{
    static const char tile_ir[] = "func @";
    struct text text;
    char piece[4096];
    size_t count;
    text_init(&text, cli->arena);
    while (text.count <= (size_t)64 << 20 && (count = fread(piece, 1, sizeof piece, stdin)) > 0)
        text_append(&text, piece, count);
    if (ferror(stdin))
        return cli_error("cannot read the standard input: %s", strerror(errno));
    source->path = "<stdin>";
    source->text_length = text.count;
    text_char(&text, '\0');
    source->text = text.items;
    source->tile_ir = strncmp(source->text, tile_ir, strlen(tile_ir)) == 0;
    return CLI_FINE;
}

static int open_context(struct cli *cli)
{
    tilec_context_options options = {.size = sizeof options};
    if (cli_has(cli, FLAG_NO_CACHE))
        options.cache_directory = "";
    tilec_status status = tilec_context_create(&options, &cli->context);
    return status == TILEC_OK ? CLI_FINE : cli_error("%s", tilec_status_string(status));
}

/* --launch, else what lies beside the source: k.json of k.metal. */
static int read_launch(struct cli *cli, tilec_source *source)
{
    const char *given = cli_value(cli, FLAG_LAUNCH), *message;
    const char *path = given ? given
                             : arena_format(cli->arena, "%.*s.json",
                                            (int)(strlen(cli->file) - strlen(".metal")), cli->file);
    source->launch = read_text(cli->arena, path, &message);
    if (!source->launch && given)
        return cli_error("cannot read '%s': %s", path, message);
    return CLI_FINE;
}

static int read_metal(struct cli *cli, tilec_source *source)
{
    bool is_source = text_ends_with(cli->file, ".metal");
    source->metal = is_source || text_ends_with(cli->file, ".json");
    if (!source->metal && (cli_has(cli, FLAG_TRUST) || cli_has(cli, FLAG_LAUNCH) ||
                           cli_has(cli, FLAG_ENTRY)))
        return cli_usage(cli, "'%s' is no Metal source: a file that ends in .metal or .json is",
                         cli->file);
    source->entry = cli_value(cli, FLAG_ENTRY);
    source->trusted = cli_has(cli, FLAG_TRUST);
    return is_source ? read_launch(cli, source) : CLI_FINE;
}

static int open_program(struct cli *cli)
{
    tilec_source source = {.size = sizeof source, .path = cli->file};
    source.tile_ir = text_ends_with(cli->file, ".ir");
    int status = cli_reads_stream(cli) ? read_stream(cli, &source) : CLI_FINE;
    if (status == CLI_FINE)
        status = read_defines(cli, &source);
    if (status == CLI_FINE)
        status = read_metal(cli, &source);
    if (status != CLI_FINE)
        return status;
    if (source.metal && source.define_count)
        return cli_usage(cli, "'-D' is for kernel files, not for Metal source");
    if (source.tile_ir && source.define_count)
        return cli_usage(cli, "'-D' is for kernel files: Tile IR has its constants folded in");
    return cli_report(cli, tilec_program_create(cli->context, &source, &cli->program));
}

/* ---- Passes ---------------------------------------------------------------------------------- */

/* What goes wrong is said once: the next dumps would not get there either. */
static void write_dump(struct cli *cli, const tilec_dump *dump)
{
    const char *path = arena_format(cli->arena, "%s/%02d-%s.ir", cli_value(cli, FLAG_DUMP_DIR),
                                    dump->number, dump->pass);
    if (!cli->dump_lost)
        cli->dump_lost = cli_write_file(cli, path, dump->text, strlen(dump->text)) != CLI_FINE;
}

static void on_dump(void *user, const tilec_dump *dump)
{
    struct cli *cli = user;
    if (cli_has(cli, FLAG_DUMP_DIR)) {
        if (dump->text)
            write_dump(cli, dump);
        return;
    }
    fprintf(stderr, "// %02d %s%s\n", dump->number, dump->pass, dump->text ? "" : " (unchanged)");
    fputs(dump->text ? dump->text : "", stderr);
}

static void on_time(void *user, const char *pass, double seconds)
{
    (void)user;
    fprintf(stderr, "%9.3f ms  %s\n", seconds * 1e3, pass);
}

static int read_passes(struct cli *cli)
{
    static const enum cli_flag used[] = {FLAG_DUMP,       FLAG_OFF,        FLAG_ONLY,
                                         FLAG_STOP_AFTER, FLAG_PASS_LIMIT, FLAG_TIME_PASSES,
                                         FLAG_VERIFY_EACH};
    tilec_pass_options *passes = &cli->passes;
    int64_t limit = 0;
    bool any = false;
    for (size_t i = 0; i < sizeof used / sizeof *used; i++)
        any = any || cli_has(cli, used[i]);
    if (!cli_read_count(cli, FLAG_PASS_LIMIT, &limit))
        return CLI_USAGE;
    if (cli_has(cli, FLAG_DUMP_DIR) && !cli_has(cli, FLAG_DUMP))
        return cli_usage(cli, "'--dump-dir' needs '--dump'");
    *passes = (tilec_pass_options){.size = sizeof *passes, .user = cli};
    passes->verify_each = cli_has(cli, FLAG_VERIFY_EACH);
    passes->off = cli_values(cli, FLAG_OFF, true, &passes->off_count);
    passes->only = cli_values(cli, FLAG_ONLY, true, &passes->only_count);
    passes->stop_after = cli_value(cli, FLAG_STOP_AFTER);
    passes->limited = cli_has(cli, FLAG_PASS_LIMIT);
    passes->limit = limit > 1000000 ? 1000000 : (int)limit;
    passes->dump = cli_value(cli, FLAG_DUMP);
    passes->on_dump = passes->dump ? on_dump : NULL;
    passes->on_time = cli_has(cli, FLAG_TIME_PASSES) ? on_time : NULL;
    cli->options.passes = any ? passes : NULL;
    return CLI_FINE;
}

/* ---- Options --------------------------------------------------------------------------------- */

/* What the command makes code for: a stage or Metal source may say it, too. */
static const char *target_of(const struct cli *cli, bool is_metal)
{
    const char *stage = cli_value(cli, FLAG_STAGE), *target = cli->options.target;
    if (stage && (strcmp(stage, "msl") == 0 || strcmp(stage, "cuda") == 0))
        return stage;
    if (stage && (strcmp(stage, "llvm") == 0 || strcmp(stage, "asm") == 0))
        return "cpu";
    if (target)
        return target;
    return is_metal ? "msl-host" : "cpu";
}

static int read_options(struct cli *cli)
{
    tilec_compile_options *options = &cli->options;
    *options = (tilec_compile_options){.size = sizeof *options, .kernel = cli->kernel};
    options->target = cli_value(cli, FLAG_TARGET);
    bool is_metal = text_ends_with(cli->file, ".metal") || text_ends_with(cli->file, ".json");
    if (cli->command == CLI_CHECK && !options->target)
        options->target = is_metal ? "msl-host" : "interp";
    if (cli->command == CLI_CHECK && strcmp(options->target, "interp") != 0 &&
        strcmp(options->target, "msl-host") != 0)
        return cli_usage(cli, "the target '%s' checks nothing: 'interp' and 'msl-host' do",
                         options->target);
    int result = cli_check_flags(cli, target_of(cli, is_metal));
    if (result != CLI_FINE)
        return result;
    options->aligned = cli_values(cli, FLAG_ALIGNED, true, &options->aligned_count);
    options->arch = cli_value(cli, FLAG_ARCH);
    options->grid = cli_value(cli, FLAG_GRID);
    options->relaxed = cli_has(cli, FLAG_RELAXED);
    options->requirements = cli_values(cli, FLAG_REQUIRE, false, &options->requirement_count);
    if (cli->command != CLI_BUILD) /* which takes several */
        options->cpu = cli_value(cli, FLAG_CPU);
    return read_passes(cli);
}

int cli_open(struct cli *cli)
{
    if (cli->word_count == 0)
        return cli_usage(cli, "no kernel file is given");
    split_file(cli, cli->words[0]);
    int status = read_options(cli);
    if (status == CLI_FINE)
        status = open_context(cli);
    if (status == CLI_FINE)
        status = open_program(cli);
    return status;
}

void cli_close(struct cli *cli)
{
    tilec_program_destroy(cli->program);
    tilec_context_destroy(cli->context);
}

bool cli_is_kernel(const struct cli *cli, const char *word)
{
    size_t count;
    return is_identifier(word) &&
           tilec_program_parameter_count(cli->program, word, &count) == TILEC_OK;
}

void cli_hint_kernel(const struct cli *cli, const char *word)
{
    cli_hint("kernel '%s' is chosen by %s:%s", word, cli->file, word);
}

void cli_add_constant(struct cli *cli, const char *name, const char *value)
{
    tilec_compile_options *options = &cli->options;
    size_t count = options->constant_count;
    tilec_define *grown = ARENA_ARRAY(cli->arena, tilec_define, count + 1);
    if (count)
        memcpy(grown, options->constants, count * sizeof *grown);
    grown[count] = (tilec_define){name, value};
    options->constants = grown;
    options->constant_count = count + 1;
}

/* Integers among the constants that are set already, for candidates that depend on them. */
static size_t known_constants(const struct cli *cli, tilec_value *known)
{
    size_t count = 0;
    for (size_t i = 0; i < cli->options.constant_count; i++) {
        char *end;
        int64_t value = strtoll(cli->options.constants[i].value, &end, 0);
        if (*end == '\0')
            known[count++] = (tilec_value){cli->options.constants[i].name, value};
    }
    return count;
}

bool cli_choose_constants(struct cli *cli, const tilec_value *known, size_t count)
{
    size_t all = count + cli->options.constant_count, chosen_count;
    tilec_value *values = ARENA_ARRAY(cli->arena, tilec_value, all), *chosen;
    if (count)
        memcpy(values, known, count * sizeof *values);
    count += known_constants(cli, values + count);
    tilec_status status =
        tilec_program_tune(cli->program, cli->kernel, values, count, &chosen, &chosen_count);
    if (status != TILEC_OK) {
        cli_report(cli, status);
        return false;
    }
    for (size_t i = 0; i < chosen_count; i++)
        cli_add_constant(cli, arena_format(cli->arena, "%s", chosen[i].name),
                         arena_format(cli->arena, "%lld", (long long)chosen[i].value));
    tilec_release(cli->context, chosen);
    return true;
}

int cli_open_kernel(struct cli *cli, bool constants)
{
    int result = cli_open(cli);
    if (result != CLI_FINE)
        return result;
    if (cli->word_count > 1 && cli_value(cli, FLAG_CPU) && strchr(cli->words[1], '.') == NULL)
        return cli_usage(cli,
                         "one file only; '%s' is too much (each level of code has a '--cpu' of "
                         "its own)",
                         cli->words[1]);
    if (cli->word_count > 1 && cli_is_kernel(cli, cli->words[1])) {
        cli_error("one file only; '%s' is too much", cli->words[1]);
        cli_hint_kernel(cli, cli->words[1]);
        return CLI_USAGE;
    }
    if (cli->word_count > 1)
        return cli_usage(cli, "one file only; '%s' is too much", cli->words[1]);
    return constants && !cli_choose_constants(cli, NULL, 0) ? CLI_WRONG : CLI_FINE;
}
