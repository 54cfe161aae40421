/* Arrays of the command line: made, filled, read and written; see cli.h. */
#include "base/half.h"
#include "base/npy.h"
#include "base/random.h"
#include "cli/cli.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ARRAY_ALIGNMENT = 64 };

/* ---- Shapes ---------------------------------------------------------------------------------- */

static bool bad_array(const char *name, const char *why)
{
    cli_error("argument '%s': %s", name, why);
    cli_hint("an array is written as f32[128,1000]");
    return false;
}

static bool parse_dimension(const char **text, int64_t *dimension)
{
    char *end;
    while (**text == ' ')
        ++*text;
    if (**text < '0' || **text > '9')
        return false;
    errno = 0;
    *dimension = strtoll(*text, &end, 10);
    for (*text = end; **text == ' ';)
        ++*text;
    return errno == 0;
}

static bool parse_shape(const char *name, const char **text, struct cli_array *array)
{
    if (**text == ']') /* one element without axes */
        return true;
    for (;;) {
        if (array->rank == TILEC_MAX_RANK)
            return bad_array(name, "too many axes, at most 8 are possible");
        if (!parse_dimension(text, &array->shape[array->rank]))
            return bad_array(name, "a size is not a whole number of at least 0");
        array->rank++;
        if (**text == ']')
            return true;
        if (**text != ',')
            return bad_array(name, "the sizes must be separated by ',' and end with ']'");
        ++*text;
    }
}

/* Counts elements and bytes; false with a message when they do not fit. */
static bool measure(const char *name, struct cli_array *array)
{
    int64_t count = 1, bytes;
    bool empty = false, overflow = false;
    for (int i = 0; i < array->rank; i++) {
        empty = empty || array->shape[i] == 0;
        overflow = overflow || __builtin_mul_overflow(count, array->shape[i], &count);
    }
    if (empty)
        count = 0;
    overflow = (overflow && !empty) ||
               __builtin_mul_overflow(count, (int64_t)tilec_type_size(array->type), &bytes);
    if (overflow) {
        cli_error("argument '%s': the array is too large", name);
        return false;
    }
    array->count = count;
    array->bytes = (size_t)bytes;
    return true;
}

bool cli_array_parse(const char *name, const char **text, struct cli_array *array)
{
    char type[8];
    size_t length = strcspn(*text, "[");
    *array = (struct cli_array){0};
    if (length >= sizeof type || (*text)[length] != '[')
        return bad_array(name, "a type and a shape are needed");
    memcpy(type, *text, length);
    type[length] = '\0';
    if (tilec_type_find(type, &array->type) != TILEC_OK) {
        cli_error("argument '%s': unknown type '%s'", name, type);
        cli_hint("the types are f16 bf16 f32 f64 i8 i16 i32 i64 u8 u16 u32 u64 bool");
        return false;
    }
    *text += length + 1;
    if (!parse_shape(name, text, array))
        return false;
    ++*text;
    return measure(name, array);
}

void cli_array_index(const struct cli_array *array, int64_t i, struct text *out)
{
    int64_t stride = array->count;
    text_char(out, '[');
    for (int axis = 0; axis < array->rank; axis++) {
        stride /= array->shape[axis];
        text_format(out, "%s%lld", axis ? ", " : "", (long long)(i / stride));
        i %= stride;
    }
    text_char(out, ']');
}

/* ---- Making ---------------------------------------------------------------------------------- */

static bool is_float(tilec_type type)
{
    return type >= TILEC_F16;
}

/* A quiet NaN's bits, or 0xA5 in every byte. */
static uint64_t poison(tilec_type type)
{
    switch (type) {
    case TILEC_F16:
        return 0x7e00;
    case TILEC_BF16:
        return 0x7fc0;
    case TILEC_F32:
        return 0x7fc00000;
    case TILEC_F64:
        return 0x7ff8000000000000;
    default:
        return 0xa5a5a5a5a5a5a5a5;
    }
}

bool cli_array_new(const char *name, struct cli_array *array)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    bool fits = pages < 0 || page < 0 || array->bytes <= (size_t)pages * (size_t)page;
    size_t bytes = (array->bytes + ARRAY_ALIGNMENT) / ARRAY_ALIGNMENT * ARRAY_ALIGNMENT;
    array->data = fits ? aligned_alloc(ARRAY_ALIGNMENT, bytes) : NULL;
    if (!array->data) {
        cli_error("argument '%s': not enough memory for %zu bytes", name, array->bytes);
        return false;
    }
    size_t size = tilec_type_size(array->type);
    uint64_t bits = poison(array->type);
    for (size_t at = 0; at < array->bytes; at += size)
        memcpy((char *)array->data + at, &bits, size); /* little-endian: the low bytes */
    return true;
}

static uint64_t float_bits(tilec_type type, double value)
{
    tilec_argument argument = tilec_float(type, value);
    return argument.bits;
}

/* The next random element's bits. */
static uint64_t draw(struct random *random, tilec_type type)
{
    if (is_float(type))
        return float_bits(type, random_normal(random));
    if (type == TILEC_BOOL)
        return random_double(random) < 0.5;
    bool is_signed = type <= TILEC_I64;
    return (uint64_t)(int64_t)floor(random_uniform(random, is_signed ? -100 : 0, 100));
}

void cli_array_randomise(struct cli_array *array, uint64_t seed)
{
    struct random random;
    size_t size = tilec_type_size(array->type);
    random_seed(&random, seed);
    for (size_t at = 0; at < array->bytes; at += size) {
        uint64_t bits = draw(&random, array->type);
        memcpy((char *)array->data + at, &bits, size);
    }
}

void cli_array_free(struct cli_array *array)
{
    free(array->data);
    free(array->start);
    array->data = array->start = NULL;
}

long double cli_array_get(const struct cli_array *array, int64_t i)
{
    size_t size = tilec_type_size(array->type);
    uint64_t bits = 0;
    float single;
    double real;
    memcpy(&bits, (const char *)array->data + (size_t)i * size, size);
    switch (array->type) {
    case TILEC_BOOL:
        return bits != 0;
    case TILEC_I8:
        return (int8_t)bits;
    case TILEC_I16:
        return (int16_t)bits;
    case TILEC_I32:
        return (int32_t)bits;
    case TILEC_I64:
        return (int64_t)bits;
    case TILEC_U8:
    case TILEC_U16:
    case TILEC_U32:
    case TILEC_U64:
        return bits;
    case TILEC_F16:
        return half_to_float((uint16_t)bits);
    case TILEC_BF16:
        return bfloat_to_float((uint16_t)bits);
    case TILEC_F32:
        memcpy(&single, &bits, sizeof single);
        return single;
    case TILEC_F64:
        break;
    }
    memcpy(&real, &bits, sizeof real);
    return real;
}

/* ---- Files ----------------------------------------------------------------------------------- */

bool cli_array_read(const char *name, const char *path, tilec_type wanted, struct cli_array *array)
{
    char error[NPY_ERROR_SIZE];
    struct npy_array file;
    *array = (struct cli_array){0};
    if (!npy_read(path, &file, error)) {
        cli_error("argument '%s': '%s': %s", name, path, error);
        return false;
    }
    if (file.rank > TILEC_MAX_RANK) {
        cli_error("argument '%s': '%s' has %d axes, at most %d are possible", name, path, file.rank,
                  TILEC_MAX_RANK);
        npy_free(&file);
        return false;
    }
    tilec_type_find(npy_type_name(file.type), &array->type);
    if (wanted == TILEC_BF16 && array->type == TILEC_U16)
        array->type = TILEC_BF16;
    array->rank = file.rank;
    for (int i = 0; i < file.rank; i++)
        array->shape[i] = (int64_t)file.shape[i];
    array->count = (int64_t)file.count;
    array->bytes = file.bytes;
    array->data = file.data; /* of malloc, as npy_free would release it */
    return true;
}

/* The type in a file; bf16 is stored as the u16 of its bits. */
static enum npy_type file_type(tilec_type type)
{
    const char *name = tilec_type_name(type == TILEC_BF16 ? TILEC_U16 : type);
    enum npy_type found = 0;
    while (strcmp(npy_type_name(found), name) != 0)
        found++;
    return found;
}

bool cli_array_write(const char *name, const char *path, const struct cli_array *array)
{
    char error[NPY_ERROR_SIZE];
    struct npy_array file = {.type = file_type(array->type), .rank = array->rank};
    for (int i = 0; i < array->rank; i++)
        file.shape[i] = (uint64_t)array->shape[i];
    file.data = array->data;
    if (npy_write(path, &file, error))
        return true;
    cli_error("cannot write array '%s' to '%s': %s", name, path, error);
    return false;
}
