/*
 * .npy files.
 *
 * A file is "\x93NUMPY", two bytes of version, the length of the header (2 bytes in version 1.0, else
 * 4, little-endian), the header, then the elements. The header is the text of a Python dictionary
 * with the keys 'descr', 'fortran_order' and 'shape'. The parser below knows just the part of
 * Python's grammar that such dictionaries use.
 */
#include "base/npy.h"

#include "base/replacement.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
    const char *name, *descr;
    size_t size;
} types[NPY_TYPE_COUNT] = {
#define NPY(code, name, descr, size) {name, descr, size},
#include "base/npy.def"
#undef NPY
};

/* Real headers have a few hundred bytes. */
enum { HEADER_MAX = 1 << 16, MAGIC_SIZE = 6, HEADER_ALIGNMENT = 64 };

static const char magic[MAGIC_SIZE] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

const char *npy_type_name(enum npy_type type)
{
    return types[type].name;
}

size_t npy_type_size(enum npy_type type)
{
    return types[type].size;
}

__attribute__((format(printf, 2, 3))) static bool fail(char error[NPY_ERROR_SIZE],
                                                       const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error, NPY_ERROR_SIZE, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- The header's dictionary ------------------------------------------------------------------- */

struct reader {
    const char *at, *end;
    char *error;
};

static void skip_space(struct reader *r)
{
    while (r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at)
        r->at++;
}

/* Takes the character when it comes next. */
static bool take(struct reader *r, char wanted)
{
    skip_space(r);
    if (r->at == r->end || *r->at != wanted)
        return false;
    r->at++;
    return true;
}

static bool take_word(struct reader *r, const char *word)
{
    size_t length = strlen(word);
    skip_space(r);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, word, length) != 0)
        return false;
    r->at += length;
    return true;
}

static bool malformed(struct reader *r, const char *what)
{
    return fail(r->error, "the .npy header is malformed: %s", what);
}

/* A quoted string without escapes, cut to the size of out. */
static bool read_string(struct reader *r, char *out, size_t size)
{
    char quote = '\'';
    if (!take(r, '\'')) {
        quote = '"';
        if (!take(r, '"'))
            return malformed(r, "a quoted string is missing");
    }
    size_t length = 0;
    for (; r->at < r->end && *r->at != quote; r->at++) {
        if ((unsigned char)*r->at < ' ' || *r->at == '\\')
            return malformed(r, "a string holds odd characters");
        if (length + 1 < size)
            out[length++] = *r->at;
    }
    out[length] = '\0';
    return take(r, quote) || malformed(r, "a string does not end");
}

static bool read_descr(struct reader *r, struct npy_array *array)
{
    char descr[32];
    skip_space(r);
    if (r->at < r->end && *r->at == '[')
        return fail(r->error, "arrays of structures are not supported");
    if (!read_string(r, descr, sizeof descr))
        return false;
    const char *name = descr;
    bool big_endian = *name == '>';
    if (*name && strchr("<>=|", *name))
        name++;
    for (int type = 0; type < NPY_TYPE_COUNT; type++) {
        if (strcmp(name, types[type].descr) != 0)
            continue;
        if (big_endian && types[type].size > 1)
            return fail(r->error, "the array is big-endian ('%s'); save it with "
                                  "a.astype(a.dtype.newbyteorder('<'))",
                        descr);
        array->type = (enum npy_type)type;
        return true;
    }
    return fail(r->error, "element type '%s' is not supported", descr);
}

static bool read_size(struct reader *r, uint64_t *size)
{
    *size = 0;
    skip_space(r);
    if (take(r, '-'))
        return malformed(r, "a size is negative");
    if (r->at == r->end || *r->at < '0' || *r->at > '9')
        return malformed(r, "a size is missing in the shape");
    const char *first = r->at;
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++)
        if (__builtin_mul_overflow(*size, 10, size) ||
            __builtin_add_overflow(*size, (uint64_t)(*r->at - '0'), size) || *size > INT64_MAX)
            return fail(r->error, "the shape is too large");
    if (*first == '0' && *size > 0)
        return malformed(r, "a size begins with 0"); /* Python takes 00, but not 06 */
    take(r, 'L'); /* Python 2 wrote long integers so */
    return true;
}

static bool read_shape(struct reader *r, struct npy_array *array)
{
    if (!take(r, '('))
        return malformed(r, "the shape is not a tuple");
    array->rank = 0;
    while (!take(r, ')')) {
        if (array->rank == NPY_MAX_RANK)
            return fail(r->error, "the array has more than %d axes", NPY_MAX_RANK);
        if (!read_size(r, &array->shape[array->rank]))
            return false;
        array->rank++;
        if (take(r, ','))
            continue;
        if (array->rank == 1)
            return malformed(r, "the shape is not a tuple");
        if (!take(r, ')'))
            return malformed(r, "the shape does not end");
        break;
    }
    return true;
}

enum { HAS_DESCR = 1, HAS_ORDER = 2, HAS_SHAPE = 4, HAS_ALL = 7 };

/* One "key: value" of the dictionary; marks what it was in *found. */
static bool read_entry(struct reader *r, struct npy_array *array, unsigned *found, bool *fortran)
{
    char key[20];
    if (!read_string(r, key, sizeof key))
        return false;
    if (!take(r, ':'))
        return malformed(r, "':' is missing");
    unsigned mark;
    bool good;
    if (strcmp(key, "descr") == 0) {
        mark = HAS_DESCR;
        good = read_descr(r, array);
    } else if (strcmp(key, "shape") == 0) {
        mark = HAS_SHAPE;
        good = read_shape(r, array);
    } else if (strcmp(key, "fortran_order") == 0) {
        mark = HAS_ORDER;
        *fortran = take_word(r, "True");
        good = *fortran || take_word(r, "False") ||
               malformed(r, "'fortran_order' is neither True nor False");
    } else {
        return malformed(r, "an unknown key");
    }
    if (good && *found & mark)
        return malformed(r, "a key stands twice");
    *found |= mark;
    return good;
}

static bool read_dictionary(struct reader *r, struct npy_array *array, bool *fortran)
{
    unsigned found = 0;
    if (!take(r, '{'))
        return malformed(r, "it is not a dictionary");
    while (!take(r, '}')) {
        if (!read_entry(r, array, &found, fortran))
            return false;
        if (take(r, ','))
            continue;
        if (!take(r, '}'))
            return malformed(r, "the dictionary does not end");
        break;
    }
    skip_space(r);
    if (r->at != r->end)
        return malformed(r, "something follows the dictionary");
    if (found != HAS_ALL)
        return malformed(r, "'descr', 'fortran_order' or 'shape' is missing");
    return true;
}

/* ---- Reading ----------------------------------------------------------------------------------- */

/* Derives count and bytes from type and shape. */
static bool measure(struct npy_array *array, char *error)
{
    array->count = 1;
    bool empty = false;
    for (int i = 0; i < array->rank; i++)
        empty = empty || array->shape[i] == 0;
    if (empty)
        array->count = 0;
    for (int i = 0; i < array->rank && !empty; i++)
        if (__builtin_mul_overflow(array->count, array->shape[i], &array->count))
            return fail(error, "the shape is too large");
    uint64_t bytes;
    if (__builtin_mul_overflow(array->count, types[array->type].size, &bytes) ||
        bytes > (uint64_t)PTRDIFF_MAX)
        return fail(error, "the shape is too large");
    array->bytes = (size_t)bytes;
    return true;
}

bool npy_parse_header(const void *bytes, size_t length, uint64_t file_size,
                      struct npy_array *array, size_t *offset, char error[NPY_ERROR_SIZE])
{
    const unsigned char *file = bytes;
    *array = (struct npy_array){0};
    if (length < MAGIC_SIZE + 2 || memcmp(file, magic, MAGIC_SIZE) != 0)
        return fail(error, "not a .npy file");
    unsigned version = file[6];
    if (version < 1 || version > 3 || file[7] != 0)
        return fail(error, ".npy format %u.%u is not supported", version, file[7]);
    size_t start = version == 1 ? 10 : 12;
    if (length < start)
        return fail(error, "the file is truncated in its header");
    size_t header = (size_t)(file[8] | file[9] << 8);
    if (version > 1)
        header |= (size_t)file[10] << 16 | (size_t)file[11] << 24;
    if (header > HEADER_MAX)
        return fail(error, "the .npy header is too long (%zu bytes)", header);
    if (length - start < header)
        return fail(error, "the file is truncated in its header");

    struct reader reader = {(const char *)file + start, (const char *)file + start + header, error};
    bool fortran = false;
    if (!read_dictionary(&reader, array, &fortran))
        return false;
    if (fortran && array->rank > 1)
        return fail(error, "the array is in Fortran order; save it with "
                           "numpy.ascontiguousarray(a)");
    if (!measure(array, error))
        return false;
    *offset = start + header;
    uint64_t present = file_size - *offset;
    if (present < array->bytes)
        return fail(error, "the file is truncated: its shape needs %zu bytes of data, it has %llu",
                    array->bytes, (unsigned long long)present);
    if (present > array->bytes)
        return fail(error, "the file has %llu byte%s too many for its shape",
                    (unsigned long long)(present - array->bytes),
                    present - array->bytes == 1 ? "" : "s");
    return true;
}

/* Reads until size bytes are there or the file ends; how many there were, or -1. */
static ssize_t read_fully(int file, void *bytes, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t got = read(file, (char *)bytes + done, size - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        done += (size_t)got;
    }
    return (ssize_t)done;
}

static bool read_data(int file, size_t offset, struct npy_array *array, char *error)
{
    if (posix_memalign(&array->data, NPY_ALIGNMENT, array->bytes ? array->bytes : 1) != 0) {
        array->data = NULL;
        return fail(error, "no memory for %zu bytes", array->bytes);
    }
    if (lseek(file, (off_t)offset, SEEK_SET) >= 0 &&
        read_fully(file, array->data, array->bytes) == (ssize_t)array->bytes)
        return true;
    npy_free(array);
    return fail(error, "reading failed: %s", errno ? strerror(errno) : "the file shrank");
}

/* Code takes it that a bool is 0 or 1, as the language has no others. */
static bool check_bools(struct npy_array *array, char *error)
{
    const unsigned char *bytes = array->data;
    for (size_t i = 0; array->type == NPY_BOOL && i < array->bytes; i++)
        if (bytes[i] > 1) {
            fail(error, "element %zu is %d, but a bool is 0 or 1; save it with a.view('u1') != 0",
                 i, bytes[i]);
            npy_free(array);
            return false;
        }
    return true;
}

static bool read_open(int file, struct npy_array *array, char *error)
{
    struct stat status;
    if (fstat(file, &status) != 0)
        return fail(error, "%s", strerror(errno));
    if (S_ISDIR(status.st_mode))
        return fail(error, "it is a folder");
    if (!S_ISREG(status.st_mode))
        return fail(error, "not a regular file");
    size_t wanted = HEADER_MAX + 12;
    char *start = malloc(wanted);
    if (!start)
        return fail(error, "no memory");
    ssize_t length = read_fully(file, start, wanted);
    size_t offset = 0;
    bool good = length < 0 ? fail(error, "reading failed: %s", strerror(errno))
                           : npy_parse_header(start, (size_t)length, (uint64_t)status.st_size,
                                              array, &offset, error);
    free(start);
    errno = 0;
    return good && read_data(file, offset, array, error) && check_bools(array, error);
}

bool npy_read(const char *path, struct npy_array *array, char error[NPY_ERROR_SIZE])
{
    *array = (struct npy_array){0};
    /* Not blocking: opening a pipe must not wait for a writer. */
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return fail(error, "%s", strerror(errno));
    bool good = read_open(file, array, error);
    close(file);
    return good;
}

void npy_free(struct npy_array *array)
{
    free(array->data);
    array->data = NULL;
}

/* ---- Writing ----------------------------------------------------------------------------------- */

/* The bytes before the data, padded so that the data are aligned; returns their number. */
static size_t format_header(const struct npy_array *array, char *out, size_t size)
{
    int at = snprintf(out, size, "%.6s%c%c%c%c{'descr': '%c%s', 'fortran_order': False, 'shape': (",
                      magic, 1, 0, 0, 0, types[array->type].size > 1 ? '<' : '|',
                      types[array->type].descr);
    for (int i = 0; i < array->rank; i++)
        at += snprintf(out + at, size - (size_t)at, i == 0 ? "%llu," : i == 1 ? " %llu" : ", %llu",
                       (unsigned long long)array->shape[i]);
    at += snprintf(out + at, size - (size_t)at, "), }");
    while ((at + 1) % HEADER_ALIGNMENT != 0)
        out[at++] = ' ';
    out[at++] = '\n';
    out[8] = (char)((at - 10) & 0xff);
    out[9] = (char)((at - 10) >> 8);
    return (size_t)at;
}

static bool write_fully(int file, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size > 0) {
        ssize_t put = write(file, at, size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return false;
        at += put;
        size -= (size_t)put;
    }
    return true;
}

static bool write_array(int file, const struct npy_array *array)
{
    char header[NPY_MAX_RANK * 22 + 256];
    size_t length = format_header(array, header, sizeof header);
    return write_fully(file, header, length) && write_fully(file, array->data, array->bytes);
}

/* path is where a regular file is or will be. */
static bool write_and_replace(const char *path, const struct npy_array *array, char *error)
{
    struct replacement file;
    if (!replacement_open(&file, path))
        return fail(error, "%s", strerror(errno));
    return replacement_close(&file, write_array(file.file, array)) ||
           fail(error, "writing failed: %s", strerror(errno));
}

/* What the link at path leads to. */
static bool make_empty(const char *path)
{
    int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    return file >= 0 && close(file) == 0;
}

bool npy_write(const char *path, const struct npy_array *array, char error[NPY_ERROR_SIZE])
{
    struct npy_array whole = *array;
    if (!measure(&whole, error))
        return false;
    struct stat status;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return fail(error, "it is a folder");
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
        /* A device or pipe must not be replaced by a file. */
        int file = open(path, O_WRONLY | O_CLOEXEC);
        if (file < 0)
            return fail(error, "%s", strerror(errno));
        bool good = write_array(file, &whole);
        int why = errno;
        close(file);
        return good || fail(error, "writing failed: %s", strerror(why));
    }
    /* Through a link to what it names, so that the link stays one. Where that is not there, it is
     * made first, as only what is there has a path of its own. */
    bool is_new = stat(path, &status) != 0, leads = lstat(path, &status) == 0;
    if (is_new && leads && !make_empty(path))
        return fail(error, "%s", strerror(errno));
    char *resolved = realpath(path, NULL);
    bool good = write_and_replace(resolved ? resolved : path, &whole, error);
    if (is_new && leads && !good)
        unlink(resolved ? resolved : path);
    free(resolved);
    return good;
}
