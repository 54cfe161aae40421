/*
 * The disk cache: hits, what changes the key, and that whatever lies in the directory is either
 * used rightly or not at all.
 */
#include <tilec/tilec.h>

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static char folder[64], cache[96];

static const char text[] = "launch_grid(fill, cdiv(n, 64));\n"
                           "kernel void fill(float *Out, int n, constexpr int VALUE)\n"
                           "{\n"
                           "    int i = program_id(0) * 64 + arange(0, 64);\n"
                           "    store(Out + i, cast(float, VALUE), i < n);\n"
                           "}\n";

static bool has_cpu(void)
{
    tilec_context *context;
    tilec_device device;
    assert_int_equal(tilec_context_create(NULL, &context), TILEC_OK);
    assert_int_equal(tilec_device_get(context, 0, &device), TILEC_OK);
    bool available = device.available != 0;
    tilec_context_destroy(context);
    return available;
}

static void shell(const char *format, const char *a, const char *b)
{
    char command[2000];
    snprintf(command, sizeof command, format, a, b);
    assert_int_equal(system(command), 0);
}

static int set_up(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/tilec-test-XXXXXX");
    if (!mkdtemp(folder))
        return 1;
    snprintf(cache, sizeof cache, "%s/deep/cache", folder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    shell("chmod -R u+rwX %s; rm -r %s", folder, folder);
    return 0;
}

struct outcome {
    bool from_cache;
    float value; /* that the kernel stored */
    size_t diagnostics;
};

static struct outcome compile_text(const char *directory, const char *kernel_text,
                                   const char *value, const char *path)
{
    struct outcome outcome;
    tilec_context *context;
    tilec_kernel *kernel;
    tilec_kernel_info info = {.size = sizeof info};
    tilec_define constant = {"VALUE", value};
    tilec_context_options options = {.size = sizeof options, .cache_directory = directory};
    tilec_source source = {.size = sizeof source,
                           .path = path,
                           .text = kernel_text,
                           .defines = &constant,
                           .define_count = 1};
    assert_int_equal(tilec_context_create(&options, &context), TILEC_OK);
    tilec_status status = tilec_compile(context, &source, NULL, &kernel);
    if (status != TILEC_OK) {
        tilec_diagnostic diagnostic;
        tilec_diagnostic_get(context, 0, &diagnostic);
        fail_msg("%s", diagnostic.text);
    }
    outcome.diagnostics = tilec_diagnostic_count(context);
    assert_int_equal(tilec_kernel_get_info(kernel, &info), TILEC_OK);
    outcome.from_cache = info.from_cache != 0;
    float out[100] = {0};
    tilec_argument arguments[] = {tilec_array(TILEC_F32, out, 100), tilec_int(TILEC_I32, 100)};
    assert_int_equal(tilec_launch(kernel, NULL, arguments, 2, NULL), TILEC_OK);
    outcome.value = out[99];
    tilec_kernel_destroy(kernel);
    tilec_context_destroy(context);
    return outcome;
}

static struct outcome compile(const char *value)
{
    return compile_text(cache, text, value, "fill.tile.c");
}

static void expect(struct outcome outcome, bool from_cache, float value)
{
    assert_int_equal(outcome.from_cache, from_cache);
    assert_true(outcome.value == value);
}

/* The only entry's path; the number of files is returned. */
static int find_entry(char *path, size_t size)
{
    DIR *directory = opendir(cache);
    int count = 0;
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory));) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, size, "%s/%s", cache, entry->d_name);
        count++;
    }
    closedir(directory);
    return count;
}

static void hits_and_keys(void **state)
{
    (void)state;
    char path[512];
    struct stat s;
    expect(compile("3"), false, 3);
    expect(compile("3"), true, 3);
    assert_int_equal(find_entry(path, sizeof path), 1);
    assert_int_equal(stat(cache, &s), 0);
    assert_int_equal(s.st_mode & 0777, 0700);
    assert_int_equal(stat(path, &s), 0);
    assert_int_equal(s.st_mode & 0777, 0600);
    expect(compile("4"), false, 4);
    expect(compile("4"), true, 4);
    expect(compile_text(cache, text, "3", "other.tile.c"), false, 3);
    expect(compile_text("", text, "3", "fill.tile.c"), false, 3); /* none */
    expect(compile_text("", text, "3", "fill.tile.c"), false, 3);
}

/* What is fixed stands in the entry: code from the cache refuses other values as well. */
static void fixed_scalars(void **state)
{
    (void)state;
    static const char *const lengths[] = {"100", "100", "99", "100"};
    tilec_context_options options = {.size = sizeof options, .cache_directory = cache};
    for (size_t i = 0; i < 4; i++) {
        tilec_context *context;
        tilec_kernel *kernel;
        tilec_kernel_info info = {.size = sizeof info};
        const tilec_define defines[] = {{"VALUE", "5"}, {"n", lengths[i]}};
        tilec_source source = {.size = sizeof source,
                               .path = "fill.tile.c",
                               .text = text,
                               .defines = defines,
                               .define_count = 2};
        float out[100] = {0};
        assert_int_equal(tilec_context_create(&options, &context), TILEC_OK);
        assert_int_equal(tilec_compile(context, &source, NULL, &kernel), TILEC_OK);
        assert_int_equal(tilec_kernel_get_info(kernel, &info), TILEC_OK);
        assert_int_equal(info.from_cache, i % 2);
        tilec_argument arguments[] = {tilec_array(TILEC_F32, out, 100), tilec_int(TILEC_I32, 100)};
        assert_int_equal(tilec_launch(kernel, NULL, arguments, 2, NULL),
                         i == 2 ? TILEC_ERROR_ARGUMENT : TILEC_OK);
        assert_int_equal(tilec_launch(kernel, NULL, arguments, 1, NULL), TILEC_OK);
        assert_true(out[98] == 5);
        tilec_kernel_destroy(kernel);
        tilec_context_destroy(context);
    }
}

static void included_files(void **state)
{
    (void)state;
    char path[200];
    snprintf(path, sizeof path, "%s/main.tile.c", folder);
    shell("printf '#include \"part.h\"\\n' > %s/main.tile.c; printf '#define ADD 1\\n' > %s/part.h",
          folder, folder);
    FILE *file = fopen(path, "a");
    fputs(text, file);
    fputs("#if ADD == 2\n#define UNUSED\n#endif\n", file);
    fclose(file);
    expect(compile_text(cache, NULL, "3", path), false, 3);
    expect(compile_text(cache, NULL, "3", path), true, 3);
    shell("printf '#define ADD 2\\n' > %s/part.h%s", folder, "");
    expect(compile_text(cache, NULL, "3", path), false, 3);
}

/* Warnings are there whether or not the code comes from the cache. */
static void warnings_are_repeated(void **state)
{
    (void)state;
    static const char warns[] =
        "launch_grid(fill, 1);\n"
        "kernel void fill(float *Out, int n, constexpr int VALUE)\n"
        "{\n"
        "    float best = 1.0f;\n"
        "    for (int i = 0; i < n; i += 100)\n"
        "        best = maximum(best, cast(float, arange(0, 100)));\n"
        "    store(Out + arange(0, 100), cast(float, VALUE) + 0.0f * max(best));\n"
        "}\n";
    struct outcome first = compile_text(cache, warns, "5", "warns.tile.c");
    struct outcome second = compile_text(cache, warns, "5", "warns.tile.c");
    expect(first, false, 5);
    expect(second, true, 5);
    assert_int_equal(first.diagnostics, second.diagnostics);
}

static void change_byte(const char *path, long offset)
{
    int file = open(path, O_RDWR);
    unsigned char byte;
    assert_true(file >= 0);
    assert_int_equal(pread(file, &byte, 1, offset), 1);
    byte ^= 0x40;
    assert_int_equal(pwrite(file, &byte, 1, offset), 1);
    close(file);
}

static void corrupt_entries(void **state)
{
    (void)state;
    char path[512];
    struct stat s;
    expect(compile("3"), false, 3);
    assert_int_equal(find_entry(path, sizeof path), 1);
    assert_int_equal(stat(path, &s), 0);
    for (long offset = 0; offset < s.st_size; offset += offset < 200 ? 13 : 997) {
        change_byte(path, offset);
        expect(compile("3"), false, 3); /* compiled again, and replaced */
        expect(compile("3"), true, 3);
    }
    static const long lengths[] = {0, 1, 71, 72, 1000};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        assert_int_equal(truncate(path, lengths[i]), 0);
        expect(compile("3"), false, 3);
        expect(compile("3"), true, 3);
    }
    shell("printf x >> %s%s", path, "");
    expect(compile("3"), false, 3);
    assert_int_equal(find_entry(path, sizeof path), 1); /* nothing temporary is left */
}

static void directories_that_are_not_used(void **state)
{
    (void)state;
    char path[512], link[512];
    expect(compile("3"), false, 3);
    assert_int_equal(chmod(cache, 0722), 0); /* others may write */
    expect(compile("3"), false, 3);
    assert_int_equal(chmod(cache, 0700), 0);
    expect(compile("3"), true, 3);
    find_entry(path, sizeof path);
    assert_int_equal(chmod(path, 0622), 0);
    expect(compile("3"), false, 3);
    expect(compile("3"), true, 3); /* it was replaced by a private one */

    shell("mv %s %s.real", cache, cache); /* a link instead of the directory */
    snprintf(link, sizeof link, "%s.real", cache);
    assert_int_equal(symlink(link, cache), 0);
    expect(compile("3"), false, 3);
    shell("rm %s; rm -r %s.real", cache, cache);
}

static void links_are_not_followed(void **state)
{
    (void)state;
    char path[512], away[600];
    expect(compile("3"), false, 3);
    find_entry(path, sizeof path);
    snprintf(away, sizeof away, "%s/away", folder);
    assert_int_equal(rename(path, away), 0);
    assert_int_equal(symlink(away, path), 0);
    expect(compile("3"), false, 3);
    expect(compile("3"), true, 3); /* the link was replaced, not followed */
    struct stat s;
    assert_int_equal(lstat(path, &s), 0);
    assert_true(S_ISREG(s.st_mode));

    /* A file, a pipe or a directory of the entry's name. */
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    expect(compile("3"), false, 3);
    expect(compile("3"), true, 3);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    expect(compile("3"), false, 3);
    expect(compile("3"), false, 3);
}

static void places_that_cannot_be_written(void **state)
{
    (void)state;
    expect(compile_text("/proc/nonexistent/tilec", text, "3", "fill.tile.c"), false, 3);
    expect(compile_text("/dev/null", text, "3", "fill.tile.c"), false, 3);
    expect(compile_text("/dev/null/x", text, "3", "fill.tile.c"), false, 3);
}

/* Where files may not grow so large (ulimit -f) there is no entry, and no signal that ends the
 * host. */
static void limit_of_file_sizes(void **state)
{
    (void)state;
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 100;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    struct outcome outcome = compile_text(cache, text, "77", "fill.tile.c");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    expect(outcome, false, 77);
    expect(compile_text(cache, text, "77", "fill.tile.c"), false, 77);
    expect(compile_text(cache, text, "77", "fill.tile.c"), true, 77);
}

/* Processes that fill the cache at the same time. */
static void at_once(void **state)
{
    (void)state;
    enum { PROCESSES = 4 };
    pid_t children[PROCESSES];
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            for (int round = 0; round < 4; round++) {
                char value[8];
                snprintf(value, sizeof value, "%d", round);
                if (compile(value).value != (float)round)
                    _exit(1);
            }
            _exit(0);
        }
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status;
        waitpid(children[i], &status, 0);
        assert_int_equal(status, 0);
    }
    char path[512];
    assert_int_equal(find_entry(path, sizeof path), 4);
    expect(compile("2"), true, 2);
}

static void environment(void **state)
{
    (void)state;
    setenv("TILEC_CACHE_DIR", cache, 1);
    expect(compile_text(NULL, text, "3", "fill.tile.c"), false, 3);
    expect(compile_text(NULL, text, "3", "fill.tile.c"), true, 3);
    setenv("TILEC_CACHE_DIR", "", 1); /* nowhere */
    expect(compile_text(NULL, text, "3", "fill.tile.c"), false, 3);
    unsetenv("TILEC_CACHE_DIR");
    setenv("XDG_CACHE_HOME", folder, 1);
    expect(compile_text(NULL, text, "3", "fill.tile.c"), false, 3);
    char path[200];
    snprintf(path, sizeof path, "%s/tilec", folder);
    expect(compile_text(path, text, "3", "fill.tile.c"), true, 3);
}

/* A process that goes elsewhere keeps the directory that it named. */
static void relative_directory(void **state)
{
    (void)state;
    char before[4096], path[200];
    tilec_context *context;
    tilec_kernel *kernel;
    tilec_define constant = {"VALUE", "3"};
    tilec_context_options options = {.size = sizeof options, .cache_directory = "kept/here"};
    tilec_source source = {.size = sizeof source,
                           .path = "fill.tile.c",
                           .text = text,
                           .defines = &constant,
                           .define_count = 1};
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(tilec_context_create(&options, &context), TILEC_OK);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(tilec_compile(context, &source, NULL, &kernel), TILEC_OK);
    tilec_kernel_destroy(kernel);
    tilec_context_destroy(context);
    assert_int_equal(chdir(before), 0);
    snprintf(path, sizeof path, "%s/kept/here", folder);
    expect(compile_text(path, text, "3", "fill.tile.c"), true, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(hits_and_keys, set_up, tear_down),
        cmocka_unit_test_setup_teardown(fixed_scalars, set_up, tear_down),
        cmocka_unit_test_setup_teardown(included_files, set_up, tear_down),
        cmocka_unit_test_setup_teardown(warnings_are_repeated, set_up, tear_down),
        cmocka_unit_test_setup_teardown(corrupt_entries, set_up, tear_down),
        cmocka_unit_test_setup_teardown(directories_that_are_not_used, set_up, tear_down),
        cmocka_unit_test_setup_teardown(links_are_not_followed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(places_that_cannot_be_written, set_up, tear_down),
        cmocka_unit_test_setup_teardown(limit_of_file_sizes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(at_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(environment, set_up, tear_down),
        cmocka_unit_test_setup_teardown(relative_directory, set_up, tear_down),
    };
    if (!has_cpu())
        return 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
