#ifndef TILEC_LAB_FIELDS_H
#define TILEC_LAB_FIELDS_H
/*
 * Reading the fields of a JSON file whose structure is fixed. The first thing wrong is kept as a
 * message that names the file and the place ("lab/x.json: cases[3].width: ..."); after it every
 * function returns a harmless value, so that callers check once, at the end.
 */
#include "base/arena.h"

#include <jansson.h>

struct lab_fields {
    struct arena *arena;
    const char *file;  /* for messages */
    const char *error; /* NULL while all is well */
};

/* One object of the file: where it stands, and which keys of it were asked for. */
struct lab_object {
    struct lab_fields *fields;
    const json_t *json; /* NULL after an error */
    const char *place;  /* "cases[3]"; "" for the whole */
    struct {
        const char **items;
        size_t count, capacity;
    } known;
};

/* Keeps the first error: "FILE: cases[3].seed: MESSAGE". */
void lab_wrong_key(const struct lab_object *object, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

struct lab_object lab_object(struct lab_fields *fields, const json_t *json, const char *place);

/* NULL, with a message when it is required, when the key is missing; of any type. */
const json_t *lab_field(struct lab_object *object, const char *key, bool required);
const char *lab_text(struct lab_object *object, const char *key, bool required);
int64_t lab_whole(struct lab_object *object, const char *key, int64_t least, int64_t most);
/* Finite, within [least, most]; the second takes a default for a missing key. */
double lab_real(struct lab_object *object, const char *key, double least, double most);
double lab_real_or(struct lab_object *object, const char *key, double missing, double least,
                   double most);
bool lab_flag(struct lab_object *object, const char *key); /* false where it is missing */
/* An array of 1 (0 where it is not required) to `most` items; their number. */
const json_t *lab_list(struct lab_object *object, const char *key, bool required, size_t most,
                       size_t *count);
struct lab_object lab_child(struct lab_object *object, const char *key, bool required);
/* Item i of the list under key. */
struct lab_object lab_item(struct lab_object *object, const char *key, const json_t *list, size_t i);

/* A message about the first key that nobody asked for, with the one that was likely meant. */
void lab_only_known(struct lab_object *object);

/* Its "name", which may stand in file names and tables: letters, digits and "_-.+", at most 63. */
const char *lab_name(struct lab_object *object);

#endif
