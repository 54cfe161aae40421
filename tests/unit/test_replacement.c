/*
 * Files that take others' places: what is there stays until the new one is whole, and neither an
 * error nor the end of the process leaves anything beside it.
 */
#include "base/replacement.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../skip.h"

static void put(const char *path, const char *text, bool good)
{
    struct replacement r;
    assert_true(replacement_open(&r, path));
    assert_int_equal(write(r.file, text, strlen(text)), strlen(text));
    assert_true(replacement_close(&r, good) == good);
}

static void assert_holds(const char *path, const char *text)
{
    char bytes[100];
    int file = open(path, O_RDONLY);
    assert_true(file >= 0);
    ssize_t count = read(file, bytes, sizeof bytes);
    close(file);
    assert_int_equal(count, strlen(text));
    assert_memory_equal(bytes, text, strlen(text));
}

/* How many files there are. */
static int files(void)
{
    int count = 0;
    DIR *folder = opendir(".");
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder));)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(folder);
    return count;
}

static void takes_the_place(void **state)
{
    (void)state;
    const char *const paths[] = {"a", "./b", "inner/c", "/proc/self/cwd/d"};
    mkdir("inner", 0700);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        put(paths[i], "first", true);
        assert_holds(paths[i], "first");
        put(paths[i], "half of", false);
        assert_holds(paths[i], "first");
        put(paths[i], "second", true);
        assert_holds(paths[i], "second");
        unlink(paths[i]);
        put(paths[i], "half of", false);
        assert_int_equal(access(paths[i], F_OK), -1);
    }
    rmdir("inner");
    assert_int_equal(files(), 0);
}

static void keeps_rights(void **state)
{
    (void)state;
    struct stat status;
    mode_t before = umask(027);
    put("a", "x", true);
    umask(before);
    assert_int_equal(stat("a", &status), 0);
    assert_int_equal(status.st_mode & 07777, 0640);
    chmod("a", 0604);
    put("a", "y", true);
    assert_int_equal(stat("a", &status), 0);
    assert_int_equal(status.st_mode & 07777, 0604);
    unlink("a");
}

/* As long as a name may be. */
static void long_names(void **state)
{
    (void)state;
    char name[NAME_MAX + 1];
    memset(name, 'n', NAME_MAX);
    name[NAME_MAX] = '\0';
    put(name, "first", true);
    put(name, "second", true);
    assert_holds(name, "second");
    unlink(name);
    assert_int_equal(files(), 0);
}

/* Left by a process of the same number. */
static void names_that_are_taken(void **state)
{
    (void)state;
    char name[100];
    snprintf(name, sizeof name, ".tilec-%ld-0.tmp", (long)getpid());
    put(name, "old", true);
    put("a", "first", true);
    put("a", "second", true);
    assert_holds("a", "second");
    assert_holds(name, "old");
    unlink("a");
    unlink(name);
}

static void folders_that_are_not_there(void **state)
{
    (void)state;
    struct replacement r;
    assert_false(replacement_open(&r, "missing/a"));
    assert_int_equal(errno, ENOENT);
    assert_int_equal(files(), 0);
}

/* Whatever ends the process, even without asking it. */
static void ended_in_the_midst(void **state)
{
    (void)state;
    const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGKILL};
    struct replacement r;
    assert_true(replacement_open(&r, "a"));
    bool named = r.name[0] != '\0';
    replacement_close(&r, false);
    if (named)
        SKIP("this file system has no files without names");
    put("a", "before", true);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        int status;
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            signal(signals[i], SIG_DFL);
            if (replacement_open(&r, "a") && write(r.file, "half", 4) == 4)
                kill(getpid(), signals[i]);
            _exit(0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == signals[i]);
        assert_holds("a", "before");
        assert_int_equal(files(), 1);
    }
    unlink("a");
}

static int enter_folder(void **state)
{
    static char folder[] = "/tmp/test_replacement.XXXXXX";
    *state = folder;
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void **state)
{
    return chdir("/") == 0 ? rmdir(*state) : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_the_place),
        cmocka_unit_test(keeps_rights),
        cmocka_unit_test(long_names),
        cmocka_unit_test(names_that_are_taken),
        cmocka_unit_test(folders_that_are_not_there),
        cmocka_unit_test(ended_in_the_midst),
    };
    return RUN_TESTS(tests, enter_folder, leave_folder);
}
