#ifndef TILEC_BASE_JSON_TEXT_H
#define TILEC_BASE_JSON_TEXT_H
/*
 * JSON from strangers, read by jansson behind bounds of ours: size, nesting and number of values are
 * counted before anything is built, so that a small text cannot take much memory or stack. Duplicate
 * keys, NaN, Infinity, numbers beyond int64_t or double, NUL characters and text behind the value are
 * errors, each with line and column.
 */
#include "base/arena.h"

#include <jansson.h>

enum {
    JSON_TEXT_BYTES = 64 << 20, /* most bytes of a file */
    JSON_TEXT_DEPTH = 48,       /* most brackets inside each other */
    JSON_TEXT_VALUES = 4 << 20, /* most values, keys not counted */
};

/* The value, to be released with json_decref; NULL after a message in *error, from the arena:
 * "line 3, column 7: ...". */
json_t *json_text_load(struct arena *arena, const char *bytes, size_t length, const char **error);

/* The same for a file; *bytes and *length (may be NULL) are its contents, in the arena. The message
 * starts with the path. */
json_t *json_text_read(struct arena *arena, const char *path, const char **bytes, size_t *length,
                       const char **error);

/* A whole file of at most `limit` bytes, NUL behind them; NULL after a message. */
const char *json_text_file(struct arena *arena, const char *path, size_t limit, size_t *length,
                           const char **error);

/* The text under a key of an object, owned by it; "" where there is none. Any value may be NULL. */
const char *json_text_at(const json_t *object, const char *key);

/* The text of a value with keys sorted, no white space, and numbers in one form (100.0 is 100): the
 * same for every way to write it. In the arena. `without`, or NULL, is a key of the outermost object
 * that is left out. */
const char *json_text_canonical(struct arena *arena, const json_t *value, const char *without);

/* Appends the value as people read it: two blanks for each level, lists of numbers on one line, reals with
 * the digits that give them back, and a new line behind all. */
struct text;
void json_text_indented(struct text *out, const json_t *value);

/* SHA-256 of the canonical text. */
void json_text_sha256(struct arena *arena, const json_t *value, const char *without, char hex[65]);

#endif
