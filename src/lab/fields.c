/* Fields of a JSON file with their places in messages; see fields.h. */
#include "lab/fields.h"
#include "base/suggest.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- messages -------------------------------------------------------------------------------- */

static void keep(struct lab_fields *fields, const char *place, const char *format,
                 va_list arguments)
{
    char message[512];
    if (fields->error)
        return;
    vsnprintf(message, sizeof message, format, arguments);
    fields->error = arena_format(fields->arena, "%s: %s%s%s", fields->file, place,
                                 place[0] ? ": " : "", message);
}

__attribute__((format(printf, 3, 4))) static void wrong(struct lab_fields *fields,
                                                        const char *place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    keep(fields, place, format, arguments);
    va_end(arguments);
}

static const char *place_of(const struct lab_object *object, const char *key)
{
    return arena_format(object->fields->arena, "%s%s%s", object->place,
                        object->place[0] ? "." : "", key);
}

void lab_wrong_key(const struct lab_object *object, const char *key, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    keep(object->fields, place_of(object, key), format, arguments);
    va_end(arguments);
}

/* ---- objects --------------------------------------------------------------------------------- */

struct lab_object lab_object(struct lab_fields *fields, const json_t *json, const char *place)
{
    if (json && !json_is_object(json)) {
        wrong(fields, place, "an object is expected");
        json = NULL;
    }
    return (struct lab_object){.fields = fields, .json = json, .place = place};
}

const json_t *lab_field(struct lab_object *object, const char *key, bool required)
{
    ARENA_PUSH(object->fields->arena, &object->known, key);
    const json_t *value = object->json ? json_object_get(object->json, key) : NULL;
    if (!value && object->json && required)
        lab_wrong_key(object, key, "is missing");
    return value;
}

struct lab_object lab_child(struct lab_object *object, const char *key, bool required)
{
    return lab_object(object->fields, lab_field(object, key, required), place_of(object, key));
}

struct lab_object lab_item(struct lab_object *object, const char *key, const json_t *list, size_t i)
{
    const char *place = arena_format(object->fields->arena, "%s[%zu]", place_of(object, key), i);
    return lab_object(object->fields, json_array_get(list, i), place);
}

void lab_only_known(struct lab_object *object)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object->json, key, value) {
        bool known = false;
        struct suggestion suggestion = {.name = key};
        for (size_t i = 0; i < object->known.count; i++) {
            known = known || strcmp(key, object->known.items[i]) == 0;
            suggestion_offer(&suggestion, object->known.items[i]);
        }
        if (!known && suggestion.best)
            lab_wrong_key(object, key, "is not known; did you mean '%s'?", suggestion.best);
        else if (!known)
            lab_wrong_key(object, key, "is not known");
    }
}

/* ---- values ---------------------------------------------------------------------------------- */

const char *lab_text(struct lab_object *object, const char *key, bool required)
{
    const json_t *value = lab_field(object, key, required);
    if (value && !json_is_string(value))
        lab_wrong_key(object, key, "a text is expected");
    const char *text = value ? json_string_value(value) : NULL;
    return text || !required ? text : "";
}

const char *lab_name(struct lab_object *object)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.+";
    const char *name = lab_text(object, "name", true);
    size_t length = strlen(name);
    if (object->json && (length == 0 || length > 63 || strspn(name, allowed) != length))
        lab_wrong_key(object, "name",
                      "a name of 1 to 63 letters, digits and characters of '_-.+' is expected");
    return name;
}

int64_t lab_whole(struct lab_object *object, const char *key, int64_t least, int64_t most)
{
    const json_t *value = lab_field(object, key, true);
    int64_t number = value ? json_integer_value(value) : least;
    if (value && (!json_is_integer(value) || number < least || number > most)) {
        lab_wrong_key(object, key, "a whole number from %lld to %lld is expected",
                      (long long)least, (long long)most);
        number = least;
    }
    return number;
}

double lab_real_or(struct lab_object *object, const char *key, double missing, double least,
                   double most)
{
    const json_t *value = lab_field(object, key, false);
    double number = value ? json_number_value(value) : missing;
    if (value && (!json_is_number(value) || !(number >= least && number <= most))) {
        lab_wrong_key(object, key, "a number from %g to %g is expected", least, most);
        number = least;
    }
    return number;
}

double lab_real(struct lab_object *object, const char *key, double least, double most)
{
    if (object->json && !json_object_get(object->json, key))
        lab_wrong_key(object, key, "is missing");
    return lab_real_or(object, key, least, least, most);
}

bool lab_flag(struct lab_object *object, const char *key)
{
    const json_t *value = lab_field(object, key, false);
    if (value && !json_is_boolean(value))
        lab_wrong_key(object, key, "true or false is expected");
    return json_is_true(value);
}

const json_t *lab_list(struct lab_object *object, const char *key, bool required, size_t most,
                       size_t *count)
{
    const json_t *value = lab_field(object, key, required);
    *count = value ? json_array_size(value) : 0;
    if (value && (!json_is_array(value) || *count > most || (required && *count == 0))) {
        lab_wrong_key(object, key, "a list of %d to %zu items is expected", required ? 1 : 0, most);
        *count = 0;
    }
    return value;
}
