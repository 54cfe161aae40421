/*
 * What goes when the cache's directory is full, and what stays.
 */
#define _GNU_SOURCE
#include "base/sha256.h"
#include "run/run.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { FILES = 40, FILE_BYTES = 65536 };
static char folder[64];
static int directory;

static int set_up(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/tilec-trim-XXXXXX");
    directory = mkdtemp(folder) ? open(folder, O_RDONLY | O_DIRECTORY) : -1;
    return directory < 0;
}

static int tear_down(void **state)
{
    (void)state;
    char command[128];
    close(directory);
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) != 0;
}

static void entry_name(int number, char name[SHA256_HEX])
{
    snprintf(name, SHA256_HEX, "%064x", (unsigned)number);
}

static void make_file(const char *name, double hours_old)
{
    static const char bytes[FILE_BYTES] = {1};
    int file = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(file >= 0);
    assert_int_equal(write(file, bytes, sizeof bytes), sizeof bytes);
    struct timespec time_of_use = {time(NULL) - (time_t)(3600 * hours_old), 0};
    assert_int_equal(futimens(file, (struct timespec[2]){time_of_use, time_of_use}), 0);
    close(file);
}

static void make_entries(void)
{
    char name[SHA256_HEX];
    for (int i = 0; i < FILES; i++) {
        entry_name(i, name);
        make_file(name, 2.0 * i);
    }
}

static bool is_there(const char *name)
{
    return faccessat(directory, name, F_OK, 0) == 0;
}

/* Entries are numbered from the youngest on: those there must be the first ones. */
static int entries_left(void)
{
    char name[SHA256_HEX];
    int left = 0;
    for (int i = 0; i < FILES; i++) {
        entry_name(i, name);
        if (!is_there(name))
            continue;
        assert_int_equal(left, i);
        left++;
    }
    return left;
}

static void below_the_limit_all_stay(void **state)
{
    (void)state;
    make_entries();
    run_cache_trim(directory, (uint64_t)FILES * FILE_BYTES * 2);
    assert_int_equal(entries_left(), FILES);
}

static void the_least_recently_used_go(void **state)
{
    (void)state;
    make_entries();
    run_cache_trim(directory, (uint64_t)FILES / 2 * FILE_BYTES);
    int left = entries_left();
    assert_true(left <= FILES * 3 / 8);
    assert_true(left >= FILES / 8); /* ages are told apart to a twelfth of themselves */
}

static void only_the_cache_s_files_go(void **state)
{
    (void)state;
    char name[SHA256_HEX], unfinished[SHA256_HEX + 16];
    entry_name(7, name);
    snprintf(unfinished, sizeof unfinished, "%s.12.0x34", name);
    make_file("notes.txt", 1000);
    make_file(unfinished, 1000);
    make_file(name, 0);
    run_cache_trim(directory, FILE_BYTES);
    assert_true(is_there("notes.txt"));
    assert_false(is_there(unfinished));
    assert_true(is_there(name));
}

static void a_hit_renews(void **state)
{
    (void)state;
    char name[SHA256_HEX];
    struct stat s;
    entry_name(1, name);
    make_file(name, 100);
    int file = openat(directory, name, O_RDONLY);
    assert_int_equal(fstat(file, &s), 0);
    run_cache_renew(file, &s);
    assert_int_equal(fstat(file, &s), 0);
    close(file);
    assert_true(difftime(time(NULL), s.st_mtime) < 600);
}

static void the_limit_is_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t megabytes;
    } cases[] = {{"1", 1},      {"0", 0},      {"", 1024},
                 {"-1", 1024},  {"12x", 1024}, {"99999999999999999999", 1024}};
    unsetenv("TILEC_CACHE_MEGABYTES");
    assert_true(run_cache_limit() == (uint64_t)1024 << 20);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setenv("TILEC_CACHE_MEGABYTES", cases[i].text, 1);
        assert_true(run_cache_limit() == cases[i].megabytes << 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(below_the_limit_all_stay, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_least_recently_used_go, set_up, tear_down),
        cmocka_unit_test_setup_teardown(only_the_cache_s_files_go, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_hit_renews, set_up, tear_down),
        cmocka_unit_test(the_limit_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
