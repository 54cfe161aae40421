/* Bounded reading of JSON; see json_text.h. */
#include "base/json_text.h"
#include "base/sha256.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- bounds ---------------------------------------------------------------------------------- */

struct scan {
    int line, depth;
    size_t line_start, values;
};

static const char *over(struct arena *arena, const struct scan *scan, size_t at, const char *what,
                        long limit)
{
    return arena_format(arena, "line %d, column %zu: more than %ld %s", scan->line,
                        at - scan->line_start + 1, limit, what);
}

/* Every value but the first of its brackets stands behind a comma, and every bracket is one; so
 * commas and brackets outside strings bound the number of values. */
static const char *check_bounds(struct arena *arena, const char *bytes, size_t length)
{
    struct scan scan = {.line = 1};
    bool in_string = false;
    for (size_t i = 0; i < length; i++) {
        char c = bytes[i];
        if (in_string) {
            if (c == '\\')
                i++;
            in_string = c != '"';
            continue;
        }
        if (c == '\n') {
            scan.line++;
            scan.line_start = i + 1;
        }
        in_string = c == '"';
        bool opens = c == '[' || c == '{';
        scan.depth += opens - (c == ']' || c == '}');
        scan.values += (opens ? 2 : 0) + (c == ',');
        if (scan.depth > JSON_TEXT_DEPTH)
            return over(arena, &scan, i, "brackets inside each other", JSON_TEXT_DEPTH);
        if (scan.values > JSON_TEXT_VALUES)
            return over(arena, &scan, i, "values", JSON_TEXT_VALUES);
    }
    return NULL;
}

json_t *json_text_load(struct arena *arena, const char *bytes, size_t length, const char **error)
{
    if (length > JSON_TEXT_BYTES)
        *error = arena_format(arena, "%zu bytes are more than the %d that are read", length,
                              JSON_TEXT_BYTES);
    else
        *error = check_bounds(arena, bytes, length);
    if (*error)
        return NULL;
    json_error_t json_error;
    json_t *value = json_loadb(bytes, length, JSON_REJECT_DUPLICATES, &json_error);
    if (!value)
        *error = arena_format(arena, "line %d, column %d: %s", json_error.line, json_error.column,
                              json_error.text);
    return value;
}

/* ---- files ----------------------------------------------------------------------------------- */

static char *read_open_file(struct arena *arena, int file, size_t limit, size_t *length,
                            const char **why)
{
    struct stat status;
    if (fstat(file, &status) != 0) {
        *why = strerror(errno);
        return NULL;
    }
    if (!S_ISREG(status.st_mode)) {
        *why = "not a regular file";
        return NULL;
    }
    if ((uint64_t)status.st_size > limit) {
        *why = arena_format(arena, "%lld bytes are more than the %zu that are read",
                            (long long)status.st_size, limit);
        return NULL;
    }
    size_t size = (size_t)status.st_size, got = 0;
    char *bytes = arena_alloc(arena, size + 1);
    while (got < size) {
        ssize_t step = read(file, bytes + got, size - got);
        if (step < 0 && errno == EINTR)
            continue;
        if (step < 0) {
            *why = strerror(errno);
            return NULL;
        }
        if (step == 0)
            break;
        got += (size_t)step;
    }
    bytes[got] = '\0';
    *length = got;
    return bytes;
}

const char *json_text_file(struct arena *arena, const char *path, size_t limit, size_t *length,
                           const char **error)
{
    /* Without waiting for the other end of a pipe, which is refused. */
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const char *why = NULL, *bytes = NULL;
    if (file < 0)
        why = strerror(errno);
    else
        bytes = read_open_file(arena, file, limit, length, &why);
    if (file >= 0)
        close(file);
    if (!bytes)
        *error = arena_format(arena, "cannot read '%s': %s", path, why);
    return bytes;
}

json_t *json_text_read(struct arena *arena, const char *path, const char **bytes, size_t *length,
                       const char **error)
{
    size_t size;
    const char *text = json_text_file(arena, path, JSON_TEXT_BYTES, &size, error);
    if (!text)
        return NULL;
    if (bytes)
        *bytes = text;
    if (length)
        *length = size;
    json_t *value = json_text_load(arena, text, size, error);
    if (!value)
        *error = arena_format(arena, "'%s' is not JSON that can be read: %s", path, *error);
    return value;
}

/* ---- one text for all ways to write a value --------------------------------------------------- */

static void put_value(struct text *out, const json_t *value, const char *without);

static void put_string(struct text *out, const char *string, size_t length)
{
    static const char digits[] = "0123456789abcdef";
    text_char(out, '"');
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)string[i];
        if (c == '"' || c == '\\')
            text_char(out, '\\');
        if (c < 0x20)
            text_format(out, "\\u00%c%c", digits[c >> 4], digits[c & 15]);
        else
            text_char(out, (char)c);
    }
    text_char(out, '"');
}

static void put_number(struct text *out, const json_t *value)
{
    double number = json_number_value(value);
    if (json_is_integer(value))
        text_format(out, "%lld", (long long)json_integer_value(value));
    else if (number == floor(number) && fabs(number) < 0x1p53)
        text_format(out, "%lld", (long long)number);
    else
        text_format(out, "%.17g", number);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void put_object(struct text *out, const json_t *value, const char *without)
{
    size_t count = 0;
    const char **keys = ARENA_ARRAY(out->arena, const char *, json_object_size(value));
    const char *key;
    json_t *member;
    json_object_foreach((json_t *)value, key, member)
        if (!without || strcmp(key, without) != 0)
            keys[count++] = key;
    qsort(keys, count, sizeof *keys, by_name);
    text_char(out, '{');
    for (size_t i = 0; i < count; i++) {
        if (i)
            text_char(out, ',');
        put_string(out, keys[i], strlen(keys[i]));
        text_char(out, ':');
        put_value(out, json_object_get(value, keys[i]), NULL);
    }
    text_char(out, '}');
}

static void put_array(struct text *out, const json_t *value)
{
    text_char(out, '[');
    for (size_t i = 0; i < json_array_size(value); i++) {
        if (i)
            text_char(out, ',');
        put_value(out, json_array_get(value, i), NULL);
    }
    text_char(out, ']');
}

static void put_value(struct text *out, const json_t *value, const char *without)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT: put_object(out, value, without); return;
    case JSON_ARRAY: put_array(out, value); return;
    case JSON_STRING: put_string(out, json_string_value(value), json_string_length(value)); return;
    case JSON_INTEGER:
    case JSON_REAL: put_number(out, value); return;
    case JSON_TRUE: text_string(out, "true"); return;
    case JSON_FALSE: text_string(out, "false"); return;
    case JSON_NULL: text_string(out, "null"); return;
    }
}

const char *json_text_at(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* ---- for people ------------------------------------------------------------------------------ */

static void put_scalar(struct text *out, const json_t *value)
{
    size_t before = out->count;
    put_value(out, value, NULL);
    if (!json_is_real(value))
        return;
    /* A real stays one when it is read. */
    bool marked = strpbrk(out->items + before, ".e");
    if (!marked)
        text_string(out, ".0");
}

static bool holds_numbers_only(const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!json_is_number(json_array_get(list, i)))
            return false;
    return true;
}

static void put_line_of(struct text *out, const json_t *list)
{
    text_char(out, '[');
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (i)
            text_string(out, ", ");
        put_scalar(out, json_array_get(list, i));
    }
    text_char(out, ']');
}

static void put_indented(struct text *out, const json_t *value, int level);

static void put_item(struct text *out, const char *key, const json_t *value, int level, bool first)
{
    text_format(out, "%s\n%*s", first ? "" : ",", 2 * level, "");
    if (key) {
        put_string(out, key, strlen(key));
        text_string(out, ": ");
    }
    put_indented(out, value, level);
}

static void put_indented(struct text *out, const json_t *value, int level)
{
    const char *key;
    json_t *member;
    bool first = true;
    if (!json_is_array(value) && !json_is_object(value)) {
        put_scalar(out, value);
        return;
    }
    if (json_is_array(value) && holds_numbers_only(value)) {
        put_line_of(out, value);
        return;
    }
    text_char(out, json_is_array(value) ? '[' : '{');
    for (size_t i = 0; i < json_array_size(value); i++, first = false)
        put_item(out, NULL, json_array_get(value, i), level + 1, first);
    if (json_is_object(value)) {
        json_object_foreach((json_t *)value, key, member) {
            put_item(out, key, member, level + 1, first);
            first = false;
        }
    }
    if (!first)
        text_format(out, "\n%*s", 2 * level, "");
    text_char(out, json_is_array(value) ? ']' : '}');
}

void json_text_indented(struct text *out, const json_t *value)
{
    put_indented(out, value, 0);
    text_char(out, '\n');
}

const char *json_text_canonical(struct arena *arena, const json_t *value, const char *without)
{
    struct text text;
    text_init(&text, arena);
    put_value(&text, value, without);
    return text.items;
}

void json_text_sha256(struct arena *arena, const json_t *value, const char *without, char hex[65])
{
    unsigned char digest[SHA256_BYTES];
    struct sha256 hash;
    const char *text = json_text_canonical(arena, value, without);
    sha256_init(&hash);
    sha256_add(&hash, text, strlen(text));
    sha256_end(&hash, digest);
    sha256_hex(digest, hex);
}
