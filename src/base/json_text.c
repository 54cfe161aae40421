/* Bounded reading of JSON; see json_text.h. */
#include "base/json_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
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

const char *json_text_canonical(struct arena *arena, const json_t *value)
{
    size_t flags = JSON_SORT_KEYS | JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(17);
    size_t length = json_dumpb(value, NULL, 0, flags);
    if (!length)
        return NULL;
    char *text = arena_alloc(arena, length + 1);
    return json_dumpb(value, text, length, flags) == length ? text : NULL;
}
