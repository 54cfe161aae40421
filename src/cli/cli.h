#ifndef TILEC_CLI_CLI_H
#define TILEC_CLI_CLI_H
/*
 * The command line: one thin program over the public API.
 *
 *   main.c      which command, its exit status
 *   flags.c     argv -> struct cli, by flags.def; help.c shows the same table
 *   source.c    the kernel file and how to compile it: program, options, diagnostics
 *   value.c     NAME=VALUE -> arrays and scalars; array.c makes, reads and writes arrays
 *   compare.c   --expect
 *   output.c    files that are written
 *   run.c emit.c explain.c build.c devices.c lab.c lab_measure.c   the commands
 *
 * Functions that can fail print one clear message and return false, or an exit status: CLI_FINE,
 * CLI_WRONG (the input or the result was wrong), CLI_USAGE (the command line was).
 */
#include "base/arena.h"
#include "base/text.h"

#define TILEC_EXPERIMENTAL
#include <tilec/lab.h>

enum { CLI_FINE = 0, CLI_WRONG = 1, CLI_USAGE = 2 };

enum cli_command {
#define COMMAND(code, word, rest, meaning) CLI_##code,
#include "cli/flags.def"
#undef COMMAND
    CLI_COMMAND_COUNT
};

enum cli_flag {
#define FLAG(code, name, letter, argument, commands, serves, meaning) FLAG_##code,
#include "cli/flags.def"
#undef FLAG
    CLI_FLAG_COUNT
};

struct cli_command_info {
    const char *word, *rest, *meaning;
};
extern const struct cli_command_info cli_commands[CLI_COMMAND_COUNT];

struct cli_flag_info {
    const char *name;
    char letter;
    const char *argument;
    unsigned commands; /* bit n: enum cli_command n takes it */
    unsigned serves;   /* when it has a meaning, see flags.c */
    const char *meaning;
};
extern const struct cli_flag_info cli_flags[CLI_FLAG_COUNT];

struct cli_given {
    enum cli_flag flag;
    const char *value; /* NULL: it takes none */
};

struct cli {
    struct arena *arena;
    enum cli_command command;
    int given_count;
    struct cli_given *given; /* flags in order */
    int word_count;
    char **words; /* what is no flag: the file, NAME=VALUE... */

    /* source.c */
    const char *file, *kernel; /* kernel: NULL when none was named */
    tilec_context *context;
    tilec_program *program;
    tilec_compile_options options;
    tilec_pass_options passes;
    bool dump_lost; /* a file of --dump-dir could not be written, which was said */
};

/* ---- main.c ---------------------------------------------------------------------------------- */

/* Prints "tilec: error: ..."; the second also points to --help. Return CLI_WRONG and CLI_USAGE. */
int cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
int cli_usage(const struct cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cli_hint(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Writes to standard output; false, with a message, when that fails. */
bool cli_print(const char *text, size_t length);

/* ---- flags.c, help.c ------------------------------------------------------------------------- */

/* Reads argv behind the command's word. CLI_FINE, or CLI_USAGE with a message. */
int cli_read_flags(struct cli *cli, int argc, char **argv);
/* Refuses flags that would have no effect: of another target, or beside a flag that is missing. */
int cli_check_flags(const struct cli *cli, const char *target);
const char *cli_value(const struct cli *cli, enum cli_flag flag); /* the last; NULL: not given */
bool cli_has(const struct cli *cli, enum cli_flag flag);
/* All values, with those that contain commas split if so wanted. */
const char **cli_values(const struct cli *cli, enum cli_flag flag, bool split, size_t *count);
/* A whole number, not negative. False with a message. */
bool cli_read_count(const struct cli *cli, enum cli_flag flag, int64_t *count);
/* A number of at least 0 for --rtol and --atol. */
bool cli_read_real(const struct cli *cli, enum cli_flag flag, double *real);
/* Splits "NAME=VALUE"; false when there is no '=' or no name. */
bool cli_split(const struct cli *cli, const char *word, const char **name, const char **value);

void cli_help(struct text *out);
void cli_lab_help(struct text *out); /* the commands that start with "lab" */
void cli_command_help(enum cli_command command, struct text *out);
void cli_manual(struct text *out);

/* ---- source.c -------------------------------------------------------------------------------- */

extern const char cli_stream_path[]; /* of the standard input, where '-' would begin an option */
/* Whether the kernel file is '-', the standard input. */
bool cli_reads_stream(const struct cli *cli);
/* Context, program and compile options from the flags. CLI_FINE, or a status after a message. */
int cli_open(struct cli *cli);
/* The same for commands that take one file and no values; constants: those that are open are
 * chosen. */
int cli_open_kernel(struct cli *cli, bool constants);
void cli_close(struct cli *cli);
/* Whether the word names a kernel of the file, for who forgot the ':'; and how one is chosen. */
bool cli_is_kernel(const struct cli *cli, const char *word);
void cli_hint_kernel(const struct cli *cli, const char *word);
/* Prints what the last call on the context left, errors or not. Returns the exit status. */
int cli_report(struct cli *cli, tilec_status status);
/* Adds candidates of tune lines for constexpr parameters that are not set; known: integer scalars.
 * False after a message. */
bool cli_choose_constants(struct cli *cli, const tilec_value *known, size_t count);
void cli_add_constant(struct cli *cli, const char *name, const char *value);

/* ---- array.c --------------------------------------------------------------------------------- */

struct cli_array {
    tilec_type type;
    int rank;
    int64_t shape[TILEC_MAX_RANK];
    int64_t count; /* elements */
    size_t bytes;
    void *data;  /* of malloc; released by cli_array_free */
    void *start; /* what it held at first, where --time puts that back (cli_time_keep); or NULL */
    bool is_new; /* what it held at first means nothing */
};

/* "f32[128, 1000]" at *text, which moves behind it. False after a message about argument `name`. */
bool cli_array_parse(const char *name, const char **text, struct cli_array *array);
/* Poison: NaN, or bytes 0xA5. False after a message when there is not enough memory. */
bool cli_array_new(const char *name, struct cli_array *array);
/* Random numbers from NumPy's default_rng(seed); array is made already. */
void cli_array_randomise(struct cli_array *array, uint64_t seed);
/* wanted: the type the kernel takes, for bf16, which files hold as u16. */
bool cli_array_read(const char *name, const char *path, tilec_type wanted, struct cli_array *array);
bool cli_array_write(const char *name, const char *path, const struct cli_array *array);
void cli_array_free(struct cli_array *array);
/* Element i, for comparing; exact for every type. */
long double cli_array_get(const struct cli_array *array, int64_t i);
/* "[3, 5]" */
void cli_array_index(const struct cli_array *array, int64_t i, struct text *out);

/* ---- output.c -------------------------------------------------------------------------------- */

/* Whether it is '-', which stands for the standard streams; './-' is a file of that name. */
bool cli_is_stream(const char *path);
/* Whether what is written to one would replace what was written to the other. */
bool cli_same_output(const char *a, const char *b);
/* An exit status, after a message where it is not CLI_FINE. Whether the path is none of the files
 * that the command reads. */
int cli_check_output(const struct cli *cli, const char *path);
/* That, and whether writing there can be expected to work, for commands that take long before. */
int cli_foresee_output(const struct cli *cli, const char *path);
int cli_write_file(const struct cli *cli, const char *path, const void *bytes, size_t length);
/* To --output, or to standard output. */
int cli_write_text(const struct cli *cli, const char *text, size_t length);

/* ---- value.c --------------------------------------------------------------------------------- */

struct cli_values {
    size_t count; /* of arguments */
    tilec_argument *arguments;
    struct cli_array *arrays; /* by argument; data NULL for scalars */
    size_t known_count;
    tilec_value *known; /* integer scalars, for grids and tune candidates */
};

/* Reads NAME=VALUE words for the program's kernel. CLI_FINE, or a status after a message. */
int cli_read_values(struct cli *cli, struct cli_values *values);
void cli_free_values(struct cli_values *values);
/* The array argument of that name; NULL after a message. */
struct cli_array *cli_find_array(const struct cli_values *values, const char *name);

/* ---- compare.c ------------------------------------------------------------------------------- */

/* Compares array `name` with a file and prints how they differ or agree. */
int cli_compare(struct cli *cli, const char *name, const struct cli_array *array, const char *path,
                double rtol, double atol);

/* ---- time.c ---------------------------------------------------------------------------------- */

/* To be called before the first launch: keeps what the kernel may change. CLI_FINE, or a status
 * after a message. */
int cli_time_keep(tilec_kernel *kernel, struct cli_values *values);
/* Runs the kernel many times and prints the median; options: of a launch. A status. */
int cli_time(struct cli *cli, tilec_kernel *kernel, const struct cli_values *values,
             const tilec_launch_options *options);

/* ---- commands -------------------------------------------------------------------------------- */

int cli_run(struct cli *cli);
int cli_emit(struct cli *cli);
int cli_explain(struct cli *cli);
int cli_build(struct cli *cli);
int cli_devices(struct cli *cli);
int cli_lab_inputs(struct cli *cli);
int cli_lab_run(struct cli *cli);
int cli_lab_null(struct cli *cli);
int cli_lab_tune(struct cli *cli);
int cli_lab_regress(struct cli *cli);
int cli_lab_sample(struct cli *cli);
/* The one file that a command of the lab takes; NULL after a message. */
const char *cli_lab_file(struct cli *cli, const char *what);
int cli_lab_verify(struct cli *cli);
int cli_lab_export(struct cli *cli);
int cli_lab_validate(struct cli *cli);
int cli_lab_show(struct cli *cli);

#endif
