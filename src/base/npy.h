#ifndef TILEC_BASE_NPY_H
#define TILEC_BASE_NPY_H
/*
 * Reader and writer of NumPy's .npy files (format 1.0, 2.0 and 3.0), for C-ordered little-endian
 * arrays of numbers. A file is not trusted: every length is checked before it is used, and memory is
 * taken only for bytes that are really there. Each failure is one sentence in the caller's buffer,
 * without the file's name.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum npy_type {
#define NPY(code, name, descr, size) NPY_##code,
#include "base/npy.def"
#undef NPY
    NPY_TYPE_COUNT
};

enum { NPY_MAX_RANK = 32, NPY_ERROR_SIZE = 256, NPY_ALIGNMENT = 64 };

struct npy_array {
    enum npy_type type;
    int rank;
    uint64_t shape[NPY_MAX_RANK];
    uint64_t count; /* elements: the product of the shape, 1 for rank 0 */
    size_t bytes;   /* of the elements */
    void *data;     /* aligned to NPY_ALIGNMENT; never NULL after npy_read, even for 0 bytes */
};

const char *npy_type_name(enum npy_type type); /* "f32" */
size_t npy_type_size(enum npy_type type);

/*
 * Reads what stands before the data: fills in everything but data, and *offset with where the data
 * begin. bytes holds the beginning of a file of file_size bytes, at least the whole header.
 */
bool npy_parse_header(const void *bytes, size_t length, uint64_t file_size,
                      struct npy_array *array, size_t *offset, char error[NPY_ERROR_SIZE]);

/* Reads a whole file; npy_free releases the data. */
bool npy_read(const char *path, struct npy_array *array, char error[NPY_ERROR_SIZE]);
void npy_free(struct npy_array *array);

/*
 * Writes a file (format 1.0): to a new file beside it first, which then takes its place, so that
 * nobody ever sees half an array. Uses type, rank, shape and data; count and bytes are derived.
 */
bool npy_write(const char *path, const struct npy_array *array, char error[NPY_ERROR_SIZE]);

#endif
