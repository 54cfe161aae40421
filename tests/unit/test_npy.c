/*
 * .npy files: what NumPy writes is read, what we write is what NumPy writes, and every way in which a
 * file can be wrong has its message.
 */
#include "base/npy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#define PATH "test_npy.npy"

/* A file of version 1.0 with this dictionary and so many bytes of data. */
static void write_file(const char *dictionary, size_t data_bytes)
{
    FILE *file = fopen(PATH, "wb");
    size_t length = strlen(dictionary);
    assert_non_null(file);
    fwrite("\x93NUMPY\1\0", 1, 8, file);
    fputc((int)(length & 0xff), file);
    fputc((int)(length >> 8), file);
    fputs(dictionary, file);
    for (size_t i = 0; i < data_bytes; i++)
        fputc((int)(i & 0xff), file);
    fclose(file);
}

static void assert_refused(const char *dictionary, size_t data_bytes, const char *message)
{
    struct npy_array array;
    char error[NPY_ERROR_SIZE];
    write_file(dictionary, data_bytes);
    assert_false(npy_read(PATH, &array, error));
    assert_null(array.data);
    assert_string_equal(error, message);
}

static void reads_what_numpy_writes(void **state)
{
    (void)state;
    struct npy_array array;
    char error[NPY_ERROR_SIZE];
    write_file("{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }    \n", 12);
    assert_true(npy_read(PATH, &array, error));
    assert_int_equal(array.type, NPY_I16);
    assert_int_equal(array.rank, 2);
    assert_int_equal(array.shape[0], 2);
    assert_int_equal(array.shape[1], 3);
    assert_int_equal(array.count, 6);
    assert_int_equal(((int16_t *)array.data)[5], 0x0b0a);
    assert_int_equal((uintptr_t)array.data % NPY_ALIGNMENT, 0);
    npy_free(&array);

    write_file("{'shape': (), \"descr\": \"|b1\", 'fortran_order': False}", 1);
    assert_true(npy_read(PATH, &array, error));
    assert_int_equal(array.rank, 0);
    assert_int_equal(array.count, 1);
    npy_free(&array);

    write_file("{'descr': '<f8', 'fortran_order': True, 'shape': (0,), }", 0);
    assert_true(npy_read(PATH, &array, error));
    assert_int_equal(array.count, 0);
    npy_free(&array);
}

static void writes_what_numpy_writes(void **state)
{
    (void)state;
    static const char *const expected[] = {
        "{'descr': '<f4', 'fortran_order': False, 'shape': (), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 1), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 1, 1), }",
    };
    float data[3] = {1, 2, 3};
    for (int rank = 0; rank < 4; rank++) {
        struct npy_array array = {NPY_F32, rank, {3, 1, 1}, 0, 0, data}, again;
        char error[NPY_ERROR_SIZE], bytes[256];
        assert_true(npy_write(PATH, &array, error));
        FILE *file = fopen(PATH, "rb");
        size_t size = fread(bytes, 1, sizeof bytes, file);
        fclose(file);
        assert_int_equal(size, 128 + (rank ? 12 : 4));
        assert_memory_equal(bytes, "\x93NUMPY\1\0\x76\0", 10);
        assert_memory_equal(bytes + 10, expected[rank], strlen(expected[rank]));
        assert_int_equal(bytes[127], '\n');
        assert_memory_equal(bytes + 128, data, size - 128);
        assert_true(npy_read(PATH, &again, error));
        npy_free(&again);
    }
}

static void refuses(void **state)
{
    (void)state;
    assert_refused("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", 11,
                   "the file is truncated: its shape needs 12 bytes of data, it has 11");
    assert_refused("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", 13,
                   "the file has 1 byte too many for its shape");
    assert_refused("{'descr': '>f4', 'fortran_order': False, 'shape': (3,), }", 12,
                   "the array is big-endian ('>f4'); save it with "
                   "a.astype(a.dtype.newbyteorder('<'))");
    assert_refused("{'descr': '<f4', 'fortran_order': True, 'shape': (3, 1), }", 12,
                   "the array is in Fortran order; save it with numpy.ascontiguousarray(a)");
    assert_refused("{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }", 8,
                   "element type '<c8' is not supported");
    assert_refused("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", 8,
                   "element type '|O' is not supported");
    assert_refused("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", 4,
                   "arrays of structures are not supported");
    assert_refused("{'descr': '<f4', 'fortran_order': False, "
                   "'shape': (4294967296, 4294967296, 4), }",
                   0, "the shape is too large");
    assert_refused("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }", 0,
                   "the shape is too large");
    assert_refused("{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000,), }", 0,
                   "the file is truncated: its shape needs 4000000000000 bytes of data, it has 0");
    assert_refused("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", 14,
                   "the file has 2 bytes too many for its shape");
    assert_refused("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", 0,
                   "the .npy header is malformed: a size is negative");
    assert_refused("{'descr': '<f4', 'fortran_order': False, 'shape': (2, ,), }", 0,
                   "the .npy header is malformed: a size is missing in the shape");
    assert_refused("{'descr': '<f4', 'fortran_order': False, 'shape': (06,), }", 24,
                   "the .npy header is malformed: a size begins with 0");
    assert_refused("{'descr': '<f4', 'fortran_order': False, 'shape': (3), }", 12,
                   "the .npy header is malformed: the shape is not a tuple");
    assert_refused("{'descr': '<f4', 'shape': (3,), }", 12,
                   "the .npy header is malformed: 'descr', 'fortran_order' or 'shape' is missing");
    assert_refused("{'descr': '<f4', 'descr': '<f4', 'shape': (3,), }", 12,
                   "the .npy header is malformed: a key stands twice");
    assert_refused("{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }", 3,
                   "element 2 is 2, but a bool is 0 or 1; save it with a.view('u1') != 0");
    assert_refused("", 0, "the .npy header is malformed: it is not a dictionary");
    assert_refused("{'descr': '<f4", 0, "the .npy header is malformed: a string does not end");
}

static void refuses_shape_of_33_axes(void **state)
{
    (void)state;
    char dictionary[512] = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
    for (int i = 0; i < 33; i++)
        strcat(dictionary, "1, ");
    strcat(dictionary, "), }");
    assert_refused(dictionary, 4, "the array has more than 32 axes");
}

static void refuses_other_files(void **state)
{
    (void)state;
    struct npy_array array;
    char error[NPY_ERROR_SIZE];
    static const struct {
        const char *bytes;
        size_t length;
        const char *message;
    } cases[] = {
        {"", 0, "not a .npy file"},
        {"hello, world", 12, "not a .npy file"},
        {"\x93NUMPY\1", 7, "not a .npy file"},
        {"\x93NUMPY\1\0", 8, "the file is truncated in its header"},
        {"\x93NUMPY\1\0\x76\0{", 11, "the file is truncated in its header"},
        {"\x93NUMPY\4\0\x76\0{", 11, ".npy format 4.0 is not supported"},
        {"\x93NUMPY\2\0\xff\xff\xff\xff{", 13, "the .npy header is too long (4294967295 bytes)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        FILE *file = fopen(PATH, "wb");
        fwrite(cases[i].bytes, 1, cases[i].length, file);
        fclose(file);
        assert_false(npy_read(PATH, &array, error));
        assert_string_equal(error, cases[i].message);
    }
    assert_false(npy_read("/proc/nonexistent/x.npy", &array, error));
    assert_string_equal(error, "No such file or directory");
    assert_false(npy_read("/", &array, error));
    assert_string_equal(error, "it is a folder");
    assert_false(npy_read("/dev/null", &array, error));
    assert_string_equal(error, "not a regular file");
}

static void writing_fails_cleanly(void **state)
{
    (void)state;
    float data = 1;
    struct npy_array array = {NPY_F32, 0, {0}, 0, 0, &data};
    char error[NPY_ERROR_SIZE];
    assert_false(npy_write("/proc/nonexistent/x.npy", &array, error));
    assert_string_equal(error, "No such file or directory");
    assert_false(npy_write("/", &array, error));
    assert_string_equal(error, "it is a folder");
    assert_false(npy_write("/dev/full", &array, error));
    assert_string_equal(error, "writing failed: No space left on device");
    assert_true(npy_write("/dev/null", &array, error));
}

static void writing_goes_through_links(void **state)
{
    (void)state;
    float data = 1;
    struct npy_array array = {NPY_F32, 0, {0}, 0, 0, &data};
    char error[NPY_ERROR_SIZE];
    struct stat status;
    assert_true(npy_write(PATH, &array, error));
    unlink("test_npy.link");
    assert_int_equal(symlink(PATH, "test_npy.link"), 0);
    assert_true(npy_write("test_npy.link", &array, error));
    assert_int_equal(lstat("test_npy.link", &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    /* To what is not there, and cannot be. */
    unlink(PATH);
    assert_true(npy_write("test_npy.link", &array, error));
    assert_int_equal(lstat("test_npy.link", &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(lstat(PATH, &status), 0);
    assert_true(S_ISREG(status.st_mode) && status.st_size > 0);
    unlink("test_npy.link");
    assert_int_equal(symlink("missing/x.npy", "test_npy.link"), 0);
    assert_false(npy_write("test_npy.link", &array, error));
    assert_string_equal(error, "No such file or directory");
    assert_int_equal(lstat("test_npy.link", &status), 0);
    unlink("test_npy.link");
}

/* What only its owner could read stays so. */
static void writing_keeps_rights(void **state)
{
    (void)state;
    float data = 1;
    struct npy_array array = {NPY_F32, 0, {0}, 0, 0, &data};
    char error[NPY_ERROR_SIZE];
    struct stat status;
    const mode_t rights[] = {0600, 0640, 0664};
    for (size_t i = 0; i < sizeof rights / sizeof *rights; i++) {
        assert_true(npy_write(PATH, &array, error));
        assert_int_equal(chmod(PATH, rights[i]), 0);
        assert_true(npy_write(PATH, &array, error));
        assert_int_equal(stat(PATH, &status), 0);
        assert_int_equal(status.st_mode & 07777, rights[i]);
    }
}

/* The tests write where they run: in a folder of their own. */
static int enter_folder(void **state)
{
    static char folder[] = "/tmp/test_npy.XXXXXX";
    *state = folder;
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void **state)
{
    unlink(PATH);
    return chdir("/") == 0 ? rmdir(*state) : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_numpy_writes),
        cmocka_unit_test(writes_what_numpy_writes),
        cmocka_unit_test(refuses),
        cmocka_unit_test(refuses_shape_of_33_axes),
        cmocka_unit_test(refuses_other_files),
        cmocka_unit_test(writing_fails_cleanly),
        cmocka_unit_test(writing_goes_through_links),
        cmocka_unit_test(writing_keeps_rights),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
