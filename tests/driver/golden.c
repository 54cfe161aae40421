/*
 * golden [--bless] [--no-cpu] [--only TEXT] --tilec PROGRAM FOLDER...: runs the golden text tests.
 *
 * A test is one file. What stands before its first line `---` is the input, what stands after it the
 * text that must come out; the folder says what is run (the table `folders`). Each test runs in a
 * fresh folder that holds the input under the file's name, and links to the source tree's kernels/
 * and examples/, so that no path of this machine can get into the output. --bless writes what came
 * out into the test.
 */
#include "golden.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SANDBOX "/tmp/golden.XXXXXX"

enum kind { KIND_EMIT, KIND_ERROR, KIND_RUN, KIND_CLI };

static const struct folder {
    const char *name;
    enum kind kind;
    const char *arguments; /* of emit, unless the test has --stage among its own */
} folders[] = {
    {"lang", KIND_EMIT, "--stage lowered"}, {"ir", KIND_EMIT, "--stage lowered"},
    {"pass", KIND_EMIT, "--stage tile"},    {"layout", KIND_EMIT, "--stage layout"},
    {"emit", KIND_EMIT, "--stage msl"},     {"error", KIND_ERROR, "--stage tile"},
    {"limit", KIND_ERROR, "--stage tile"},  {"run", KIND_RUN, NULL},
    {"perf", KIND_EMIT, "--stage asm -o /dev/null"}, {"cli", KIND_CLI, NULL},
};

struct options {
    bool bless, no_cpu;
    const char *only;
    char tree[PATH_MAX]; /* the source tree: where the driver was started */
};

struct test {
    const struct folder *folder;
    char path[PATH_MAX]; /* from the source tree */
    const char *name;    /* its last part */
    struct buffer input, expected;
    bool has_expected;
};

/* ---- The test's file --------------------------------------------------------------------------- */

/* Splits at the first line that is just `---`. */
static void test_split(struct test *test, const struct buffer *whole)
{
    const char *line = whole->bytes;
    while (*line) {
        const char *end = strchrnul(line, '\n');
        if (end - line == 3 && strncmp(line, "---", 3) == 0) {
            buffer_add(&test->input, whole->bytes, (size_t)(line - whole->bytes));
            if (*end)
                buffer_add(&test->expected, end + 1, strlen(end + 1));
            test->has_expected = true;
            return;
        }
        line = *end ? end + 1 : end;
    }
    buffer_add(&test->input, whole->bytes, whole->length);
}

/*
 * The next directive `// NAME: VALUE` or `# NAME: VALUE` at or after *at, whose value is returned in
 * fresh memory; NULL when there is none. *at moves behind it.
 */
static char *test_directive(const char **at, const char *name)
{
    while (**at) {
        const char *line = *at, *end = strchrnul(line, '\n');
        *at = *end ? end + 1 : end;
        if (strncmp(line, "//", 2) == 0)
            line += 2;
        else if (*line == '#')
            line++;
        else
            continue;
        line += strspn(line, " ");
        size_t length = strlen(name);
        if (strncmp(line, name, length) != 0 || line[length] != (strcmp(name, "array") ? ':' : ' '))
            continue;
        line += length + 1;
        line += strspn(line, " ");
        if (line <= end)
            return strndup(line, (size_t)(end - line));
    }
    return NULL;
}

static char *test_single(const struct test *test, const char *name)
{
    const char *at = test->input.bytes;
    return test_directive(&at, name);
}

/* ---- A fresh folder for each test -------------------------------------------------------------- */

/* IR has no comments: lines of directives are blank in what tilec reads. */
static void blank_directives(char *line)
{
    while (*line) {
        size_t length = strcspn(line, "\n");
        if (strncmp(line, "//", 2) == 0)
            memset(line, ' ', length);
        line += length;
        line += *line == '\n';
    }
}

static void sandbox_enter(const struct options *options, const struct test *test, char *folder)
{
    static const char *const shared[] = {"kernels", "examples", "lab"};
    if (!mkdtemp(folder) || chdir(folder) != 0)
        die("cannot make a folder in /tmp: %s", strerror(errno));
    setenv("HOME", folder, 1);
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
        struct buffer target = {0};
        buffer_format(&target, "%s/%s", options->tree, shared[i]);
        if (symlink(target.bytes, shared[i]) != 0)
            die("cannot link: %s", strerror(errno));
    }
    struct buffer input = {0};
    buffer_add(&input, test->input.bytes, test->input.length);
    size_t name = strlen(test->name);
    if (name > 3 && strcmp(test->name + name - 3, ".ir") == 0)
        blank_directives(input.bytes);
    file_write(test->name, input.bytes, input.length);
    const char *at = test->input.bytes;
    char *description;
    while ((description = test_directive(&at, "array")) != NULL)
        array_make(description);
}

static void sandbox_leave(const struct options *options, const char *folder)
{
    struct buffer command = {0}, ignored = {0};
    if (chdir(options->tree) != 0)
        die("cannot return to %s", options->tree);
    buffer_format(&command, "chmod -R u+w '%s'; rm -rf '%s'", folder, folder);
    command_run(command.bytes, &ignored);
}

/* ---- Running ----------------------------------------------------------------------------------- */

static void add_status(struct buffer *out, int status)
{
    if (out->length && out->bytes[out->length - 1] != '\n')
        buffer_add(out, "\n", 1);
    if (status != 0)
        buffer_format(out, "[status %d]\n", status);
}

/* What the command prints, warnings aside, must print itself when it is read. */
static void check_round_trip(const char *command, struct buffer *out)
{
    struct buffer quiet = {0}, printed = {0}, again = {0};
    buffer_format(&quiet, "%s 2>/dev/null", command);
    command_run(quiet.bytes, &printed);
    file_write("printed.ir", printed.bytes, printed.length);
    int status = command_run("tilec emit printed.ir --stage lowered", &again);
    if (status == 0 && strcmp(again.bytes, printed.bytes) == 0)
        return;
    file_write("again.ir", again.bytes, again.length);
    buffer_format(out, "[reading this back printed something else, status %d]\n", status);
    command_run("diff printed.ir again.ir", out);
}

static void run_emit(const struct test *test, struct buffer *out)
{
    char *extra = test_single(test, "args");
    struct buffer command = {0};
    bool own_stage = extra && strstr(extra, "--stage");
    buffer_format(&command, "tilec emit '%s' %s %s", test->name,
                  own_stage ? "" : test->folder->arguments, extra ? extra : "");
    int status = command_run(command.bytes, out);
    add_status(out, status);
    bool is_ir = !own_stage && (strstr(test->folder->arguments, "lowered") ||
                                strstr(test->folder->arguments, "tile"));
    if (status == 0 && is_ir && test->folder->kind == KIND_EMIT)
        check_round_trip(command.bytes, out);
    /* An error test states its text alone: status 1 is what it is about. */
    if (test->folder->kind == KIND_ERROR && status == 1)
        out->bytes[out->length -= strlen("[status 1]\n")] = '\0';
}

/* Shows every file that `--out NAME=FILE.npy` names. */
static void show_results(const char *arguments, int digits, struct buffer *out)
{
    const char *at = arguments;
    while ((at = strstr(at, "--out ")) != NULL) {
        char name[64], path[256], declared[80];
        at += strlen("--out ");
        if (sscanf(at, "%63[^= ]=%255s", name, path) != 2)
            continue;
        snprintf(declared, sizeof declared, "%s=new:bf16[", name);
        array_show(path, name, strstr(arguments, declared) != NULL, digits, out);
    }
}

/* What the device takes of a run's arguments: '--cpu LEVEL' is for the processor's code alone. */
static void add_arguments(struct buffer *command, const char *device, const char *arguments)
{
    static const char flag[] = " --cpu ";
    const char *level = strstr(arguments, flag);
    if (!strstr(arguments, " --target "))
        buffer_format(command, " --target %s", device);
    else if (strstr(arguments, " --target cpu"))
        device = "cpu";
    if (!level || strcmp(device, "cpu") == 0) {
        buffer_format(command, " %s", arguments);
        return;
    }
    const char *behind = level + strlen(flag);
    buffer_format(command, " %.*s%s", (int)(level - arguments), arguments,
                  behind + strcspn(behind, " "));
}

/* All `// run:` lines on one device. */
static void run_device(const struct test *test, const char *device, struct buffer *out)
{
    const char *at = test->input.bytes;
    char *arguments, *digits = test_single(test, "digits");
    for (int run = 1; (arguments = test_directive(&at, "run")) != NULL; run++) {
        struct buffer command = {0};
        /* ":kernel ..." chooses a kernel of the file. */
        const char *rest = arguments;
        size_t kernel = *rest == ':' ? strcspn(rest, " ") : 0;
        buffer_format(&command, "tilec run '%s%.*s'", test->name, (int)kernel, rest);
        add_arguments(&command, device, rest + kernel);
        buffer_format(out, "run %d\n", run);
        int status = command_run(command.bytes, out);
        add_status(out, status);
        if (status == 0)
            show_results(arguments, digits ? atoi(digits) : 0, out);
    }
}

/* On every device, which must all print the same; false when they do not. */
static bool run_devices(const struct options *options, const struct test *test, struct buffer *out)
{
    char *devices = test_single(test, "devices");
    char *list = devices ? devices : strdup("interp cpu");
    bool same = true;
    char *rest; /* not strtok's own place: array lines are split with that meanwhile */
    for (char *device = strtok_r(list, " ", &rest); device; device = strtok_r(NULL, " ", &rest)) {
        char folder[] = SANDBOX;
        struct buffer text = {0};
        if (options->no_cpu && strcmp(device, "cpu") == 0)
            continue;
        sandbox_enter(options, test, folder);
        run_device(test, device, &text);
        sandbox_leave(options, folder);
        if (out->length == 0) {
            buffer_add(out, text.bytes, text.length);
        } else if (strcmp(text.bytes, out->bytes) != 0) {
            printf("%s: %s differs from the first device:\n%s", test->path, device, text.bytes);
            same = false;
        }
    }
    return same;
}

/* Lines `$ COMMAND`, each shown with what it prints; `$ show FILE.npy` is the driver's own. */
static void run_cli(const struct test *test, struct buffer *out)
{
    const char *line = test->input.bytes;
    while (*line) {
        const char *end = strchrnul(line, '\n');
        if (strncmp(line, "$ ", 2) == 0) {
            char *command = strndup(line + 2, (size_t)(end - line - 2));
            buffer_format(out, "$ %s\n", command);
            if (strncmp(command, "show ", 5) == 0)
                array_show(command + 5, command + 5, false, 0, out);
            else
                add_status(out, command_run(command, out));
        }
        line = *end ? end + 1 : end;
    }
}

/* False when the test is wrong whatever it expects. */
static bool run_test(const struct options *options, const struct test *test, struct buffer *out)
{
    char folder[] = SANDBOX;
    if (test->folder->kind == KIND_RUN)
        return run_devices(options, test, out);
    sandbox_enter(options, test, folder);
    if (test->folder->kind == KIND_CLI)
        run_cli(test, out);
    else
        run_emit(test, out);
    sandbox_leave(options, folder);
    return true;
}

/* ---- Comparing --------------------------------------------------------------------------------- */

static void show_difference(const struct test *test, const struct buffer *actual)
{
    char folder[] = SANDBOX;
    struct buffer command = {0}, text = {0};
    if (!mkdtemp(folder))
        die("cannot make a folder in /tmp");
    buffer_format(&command, "%s/expected", folder);
    file_write(command.bytes, test->expected.bytes ? test->expected.bytes : "",
               test->expected.length);
    command.length = 0;
    buffer_format(&command, "%s/actual", folder);
    file_write(command.bytes, actual->bytes, actual->length);
    command.length = 0;
    buffer_format(&command, "cd %s && diff -u expected actual; rm -rf %s", folder, folder);
    command_run(command.bytes, &text);
    printf("FAILED %s\n%s", test->path, text.bytes);
}

static void bless(const struct test *test, const struct buffer *actual)
{
    struct buffer file = {0};
    buffer_add(&file, test->input.bytes, test->input.length);
    if (file.length && file.bytes[file.length - 1] != '\n')
        buffer_add(&file, "\n", 1);
    buffer_format(&file, "---\n%s", actual->bytes);
    file_write(test->path, file.bytes, file.length);
    printf("blessed %s\n", test->path);
}

/* What runs on the CPU alone has no device in a build without it. */
static bool needs_cpu(const struct test *test)
{
    char *devices = test->folder->kind == KIND_RUN ? test_single(test, "devices") : NULL;
    bool needs = devices && strcmp(devices, "cpu") == 0;
    free(devices);
    return needs;
}

enum outcome { FAILED, PASSED, SKIPPED };

/* A blessed test has passed. */
static enum outcome check_file(const struct options *options, const struct folder *folder,
                       const char *directory, const char *name)
{
    struct test test = {.folder = folder};
    struct buffer whole = {0}, actual = {0};
    snprintf(test.path, sizeof test.path, "%s/%s", directory, name);
    test.name = strrchr(test.path, '/') + 1;
    if (!file_read(test.path, &whole))
        die("cannot read %s: %s", test.path, strerror(errno));
    test_split(&test, &whole);
    buffer_add(&actual, "", 0);
    if (options->no_cpu && needs_cpu(&test)) {
        printf("skipped: %s needs the CPU backend\n", test.path);
        return SKIPPED;
    }
    bool good = run_test(options, &test, &actual);

    bool same = test.has_expected && actual.length == test.expected.length &&
                memcmp(actual.bytes, test.expected.bytes ? test.expected.bytes : "",
                       actual.length) == 0;
    if (good && options->bless && !same)
        bless(&test, &actual);
    else if (!good || !same)
        show_difference(&test, &actual);
    return good && (same || options->bless) ? PASSED : FAILED;
}

/* ---- Folders ----------------------------------------------------------------------------------- */

static int is_test(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && strcmp(entry->d_name, "README.md") != 0;
}

static const struct folder *folder_find(const char *directory)
{
    const char *slash = strrchr(directory, '/');
    const char *name = slash ? slash + 1 : directory;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (strcmp(name, folders[i].name) == 0)
            return &folders[i];
    die("%s is not a folder of golden tests", directory);
}

/* Returns how many failed. */
static int check_folder(const struct options *options, const char *directory)
{
    struct dirent **entries;
    const struct folder *folder = folder_find(directory);
    int count = scandir(directory, &entries, is_test, alphasort);
    int outcomes[SKIPPED + 1] = {0};
    if (count < 0)
        die("cannot read %s: %s", directory, strerror(errno));
    for (int i = 0; i < count; i++) {
        if (options->only && !strstr(entries[i]->d_name, options->only))
            continue;
        outcomes[check_file(options, folder, directory, entries[i]->d_name)]++;
        fflush(stdout);
    }
    printf("%s: %d of %d passed\n", directory, outcomes[PASSED],
           outcomes[FAILED] + outcomes[PASSED] + outcomes[SKIPPED]);
    return outcomes[FAILED];
}

/* `tilec` in tests is this program. */
static void use_program(const char *program)
{
    char resolved[PATH_MAX];
    struct buffer path = {0};
    if (!realpath(program, resolved))
        die("no program %s", program);
    *strrchr(resolved, '/') = '\0';
    buffer_format(&path, "%s:%s", resolved, getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin");
    setenv("PATH", path.bytes, 1);
}

int main(int argc, char **argv)
{
    struct options options = {0};
    int failed = 0, folder_count = 0;
    setenv("LC_ALL", "C", 1);
    unsetenv("COLUMNS");
    if (!getcwd(options.tree, sizeof options.tree))
        die("no current folder");
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--bless") == 0) {
            options.bless = true;
        } else if (strcmp(argv[i], "--no-cpu") == 0) {
            options.no_cpu = true;
        } else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc) {
            options.only = argv[++i];
        } else if (strcmp(argv[i], "--tilec") == 0 && i + 1 < argc) {
            use_program(argv[++i]);
        } else if (argv[i][0] == '-') {
            die("usage: golden [--bless] [--no-cpu] [--only TEXT] --tilec PROGRAM FOLDER...");
        } else {
            failed += check_folder(&options, argv[i]);
            folder_count++;
        }
    }
    if (folder_count == 0)
        die("no folder given");
    return failed ? 1 : 0;
}
