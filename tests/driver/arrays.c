/* Small arrays in tests: written from a line of text, and shown as text. */
#include "golden.h"

#include "base/half.h"
#include "base/npy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Elements ---------------------------------------------------------------------------------- */

static void put_integer(const struct npy_array *array, uint64_t index, uint64_t value)
{
    size_t size = npy_type_size(array->type);
    memcpy((char *)array->data + index * size, &value, size); /* little-endian, as the file */
}

/* A number as C writes it, nan, inf, or bits:0x7f800001. */
static void put_element(const struct npy_array *array, uint64_t index, bool bfloat,
                        const char *text)
{
    double number = strtod(text, NULL);
    float single = strtof(text, NULL);
    uint64_t bits = 0;
    if (strncmp(text, "bits:", 5) == 0) {
        put_integer(array, index, strtoull(text + 5, NULL, 0));
        return;
    }
    if (array->type == NPY_F16) {
        bits = half_from_double(number);
    } else if (bfloat) {
        bits = bfloat_from_double(number);
    } else if (array->type == NPY_F32) {
        memcpy(&bits, &single, sizeof single);
    } else if (array->type == NPY_F64) {
        memcpy(&bits, &number, sizeof number);
    } else {
        bits = *text == '-' ? (uint64_t)strtoll(text, NULL, 0) : strtoull(text, NULL, 0);
    }
    put_integer(array, index, bits);
}

static void show_element(const struct npy_array *array, uint64_t index, bool bfloat, int digits,
                         struct buffer *out)
{
    size_t size = npy_type_size(array->type);
    const char *at = (const char *)array->data + index * size;
    uint64_t bits = 0;
    memcpy(&bits, at, size);
    float single;
    double number = 0;
    int enough = 0;
    if (array->type == NPY_F16) {
        number = (double)half_to_float((uint16_t)bits);
        enough = 5;
    } else if (bfloat && array->type == NPY_U16) {
        number = (double)bfloat_to_float((uint16_t)bits);
        enough = 4;
    } else if (array->type == NPY_F32) {
        memcpy(&single, at, sizeof single);
        number = (double)single;
        enough = 9;
    } else if (array->type == NPY_F64) {
        memcpy(&number, at, sizeof number);
        enough = 17;
    }
    if (enough && number != number)
        buffer_format(out, "nan"); /* printf shows a sign that means nothing */
    else if (enough)
        buffer_format(out, "%.*g", digits ? digits : enough, number);
    else if (array->type >= NPY_I8 && array->type <= NPY_I64)
        buffer_format(out, "%" PRId64, (int64_t)(bits << (64 - 8 * size)) >> (64 - 8 * size));
    else
        buffer_format(out, "%" PRIu64, bits);
}

/* ---- Whole arrays ------------------------------------------------------------------------------ */

static enum npy_type parse_type(const char *name, bool *bfloat)
{
    *bfloat = strcmp(name, "bf16") == 0;
    if (*bfloat)
        return NPY_U16;
    for (int type = 0; type < NPY_TYPE_COUNT; type++)
        if (strcmp(name, npy_type_name((enum npy_type)type)) == 0)
            return (enum npy_type)type;
    die("array: unknown type %s", name);
}

static void parse_shape(char *text, struct npy_array *array)
{
    array->count = 1;
    for (char *size = strtok(text, ", "); size; size = strtok(NULL, ", ")) {
        if (array->rank == NPY_MAX_RANK)
            die("array: too many axes");
        array->shape[array->rank] = strtoull(size, NULL, 10);
        array->count *= array->shape[array->rank++];
    }
}

void array_make(const char *description)
{
    char path[256], type[16], shape[128] = "", error[NPY_ERROR_SIZE];
    int end = 0;
    struct npy_array array = {0};
    bool bfloat;
    if (sscanf(description, "%255s %15[a-z0-9] %n", path, type, &end) != 2 || !end ||
        description[end] != '[')
        die("array: expected NAME.npy TYPE[SHAPE]: VALUES, got '%s'", description);
    const char *close = strstr(description + end, "]:");
    if (!close || (size_t)(close - (description + end)) > sizeof shape)
        die("array: ']:' is missing in '%s'", description);
    memcpy(shape, description + end + 1, (size_t)(close - (description + end)) - 1);
    array.type = parse_type(type, &bfloat);
    parse_shape(shape, &array);

    array.data = calloc(array.count + 1, 8);
    char *list = strdup(close + 2);
    const char **values = calloc(strlen(list) + 1, sizeof *values);
    uint64_t count = 0;
    for (char *value = strtok(list, " \t"); value; value = strtok(NULL, " \t"))
        values[count++] = value;
    if (count == 0 && array.count > 0)
        die("array: no values in '%s'", description);
    for (uint64_t i = 0; i < array.count; i++)
        put_element(&array, i, bfloat, values[i % count]);
    if (!npy_write(path, &array, error))
        die("array: %s: %s", path, error);
    free(values);
    free(list);
    free(array.data);
}

void array_show(const char *path, const char *label, bool as_bfloat, int digits,
                struct buffer *out)
{
    struct npy_array array;
    char error[NPY_ERROR_SIZE];
    if (!npy_read(path, &array, error)) {
        buffer_format(out, "%s: %s\n", path, error);
        return;
    }
    bool bfloat = as_bfloat && array.type == NPY_U16;
    buffer_format(out, "%s %s[", label, bfloat ? "bf16" : npy_type_name(array.type));
    for (int i = 0; i < array.rank; i++)
        buffer_format(out, i ? ",%" PRIu64 : "%" PRIu64, array.shape[i]);
    buffer_format(out, "]\n");
    uint64_t row = array.rank ? array.shape[array.rank - 1] : 1;
    for (uint64_t i = 0; i < array.count; i++) {
        show_element(&array, i, bfloat, digits, out);
        buffer_format(out, (i + 1) % row == 0 ? "\n" : " ");
    }
    npy_free(&array);
}
