/* Places, findings and elementary rules; see verify.h. */
#include "lab/verify.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- places ---------------------------------------------------------------------------------- */

struct place place_root(const struct verify *v)
{
    return (struct place){.json = v->root};
}

struct place place_key(const struct place *parent, const char *key)
{
    const json_t *json = parent->json ? json_object_get(parent->json, key) : NULL;
    return (struct place){parent, key, 0, json};
}

struct place place_item(const struct place *list, size_t i)
{
    const json_t *json = list->json ? json_array_get(list->json, i) : NULL;
    return (struct place){list, NULL, i, json};
}

size_t place_count(const struct place *list)
{
    if (json_is_array(list->json))
        return json_array_size(list->json);
    return json_is_object(list->json) ? json_object_size(list->json) : 0;
}

static void put_place(struct text *out, const struct place *place)
{
    if (!place->parent)
        return;
    put_place(out, place->parent);
    if (place->key)
        text_format(out, "%s%s", out->count ? "." : "", place->key);
    else
        text_format(out, "[%zu]", place->index);
}

const char *place_text(struct arena *arena, const struct place *place)
{
    struct text text;
    text_init(&text, arena);
    put_place(&text, place);
    return text.items;
}

/* ---- what is confirmed ----------------------------------------------------------------------- */

/* Containers are different objects, so a place is known by the container and its key in it. */
static uint64_t place_hash(const struct place *place)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    if (place->key)
        for (const char *c = place->key; *c; c++)
            hash = (hash ^ (unsigned char)*c) * UINT64_C(1099511628211);
    else
        hash = (hash ^ (place->index + 256)) * UINT64_C(1099511628211);
    uint64_t container = place->parent ? (uint64_t)(uintptr_t)place->parent->json : 1;
    hash ^= container * UINT64_C(0x9e3779b97f4a7c15);
    hash ^= hash >> 29;
    hash *= UINT64_C(0xbf58476d1ce4e5b9);
    hash ^= hash >> 32;
    return hash ? hash : 1;
}

static size_t slot_of(const struct verify *v, uint64_t hash)
{
    size_t mask = v->confirmed.capacity - 1, slot = hash & mask;
    while (v->confirmed.items[slot] && v->confirmed.items[slot] != hash)
        slot = (slot + 1) & mask;
    return slot;
}

static void grow_confirmed(struct verify *v)
{
    uint64_t *before = v->confirmed.items;
    size_t count = v->confirmed.capacity;
    v->confirmed.capacity = count ? 2 * count : 4096;
    v->confirmed.items = ARENA_ARRAY(v->arena, uint64_t, v->confirmed.capacity);
    for (size_t i = 0; i < count; i++)
        if (before[i])
            v->confirmed.items[slot_of(v, before[i])] = before[i];
}

void verify_confirm(struct verify *v, const struct place *place)
{
    if (v->first_only)
        return;
    if (2 * v->confirmed.count >= v->confirmed.capacity)
        grow_confirmed(v);
    uint64_t hash = place_hash(place);
    size_t slot = slot_of(v, hash);
    v->confirmed.count += v->confirmed.items[slot] == 0;
    v->confirmed.items[slot] = hash;
}

bool verify_is_confirmed(const struct verify *v, const struct place *place)
{
    return v->confirmed.capacity && v->confirmed.items[slot_of(v, place_hash(place))];
}

void verify_confirm_all(struct verify *v, const struct place *place)
{
    if (v->first_only)
        return;
    verify_confirm(v, place);
    for (size_t i = 0; json_is_array(place->json) && i < place_count(place); i++) {
        struct place item = place_item(place, i);
        verify_confirm_all(v, &item);
    }
    if (json_is_object(place->json)) {
        struct place child;
        PLACE_EACH(place, child)
            verify_confirm_all(v, &child);
    }
}

/* ---- findings -------------------------------------------------------------------------------- */

bool verify_wrong(struct verify *v, const struct place *place, const char *format, ...)
{
    char message[512];
    va_list arguments;
    if (v->problem_count++ >= VERIFY_MAX_PROBLEMS)
        return false;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    const char *where = place_text(v->arena, place);
    v->problems[v->problem_count - 1] =
        arena_format(v->arena, "%s%s%s", where, where[0] ? ": " : "", message);
    if (v->first_only)
        longjmp(*v->arena->on_failure, 2);
    return false;
}

void verify_note(struct verify *v, const char *format, ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    const char *note = arena_format(v->arena, "%s", message);
    ARENA_PUSH(v->arena, &v->notes, note);
}

/* ---- reading --------------------------------------------------------------------------------- */

const char *verify_device_key(const struct verify *v, const char *before, const char *after)
{
    return arena_format(v->arena, "%s%s%s", before, v->dev, after);
}

static bool expect(struct verify *v, const struct place *place, bool is, const char *what)
{
    if (is)
        return true;
    return verify_wrong(v, place, place->json ? "%s is expected" : "is missing: %s is expected",
                        what);
}

bool verify_number(struct verify *v, const struct place *place, double *number)
{
    *number = json_number_value(place->json);
    return expect(v, place, json_is_number(place->json), "a number");
}

bool verify_positive(struct verify *v, const struct place *place, double *number)
{
    return verify_number(v, place, number) &&
           expect(v, place, *number > 0 && isfinite(*number), "a finite number above 0");
}

bool verify_whole(struct verify *v, const struct place *place, int64_t *number)
{
    *number = json_integer_value(place->json);
    return expect(v, place, json_is_integer(place->json), "a whole number");
}

const char *verify_text(struct verify *v, const struct place *place)
{
    expect(v, place, json_is_string(place->json), "a text");
    return json_string_value(place->json);
}

bool verify_flag(struct verify *v, const struct place *place, bool *flag)
{
    *flag = json_is_true(place->json);
    return expect(v, place, json_is_boolean(place->json), "true or false");
}

bool verify_list(struct verify *v, const struct place *place)
{
    return expect(v, place, json_is_array(place->json), "a list");
}

bool verify_object(struct verify *v, const struct place *place)
{
    return expect(v, place, json_is_object(place->json), "an object");
}

/* ---- rules ----------------------------------------------------------------------------------- */

/* Whoever computed the figure may have rounded in another order. */
static bool is_near(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b));
}

double verify_geomean(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += log(values[i]);
    return exp(sum / (double)count);
}

bool verify_is_number(struct verify *v, const struct place *place, double computed)
{
    double number;
    if (!verify_number(v, place, &number))
        return false;
    if (!is_near(number, computed))
        return verify_wrong(v, place, "is %.17g, but %.17g comes out", number, computed);
    verify_confirm(v, place);
    return true;
}

bool verify_is_whole(struct verify *v, const struct place *place, int64_t computed)
{
    int64_t number;
    if (!verify_whole(v, place, &number))
        return false;
    if (number != computed)
        return verify_wrong(v, place, "is %lld, but %lld comes out", (long long)number,
                            (long long)computed);
    verify_confirm(v, place);
    return true;
}

bool verify_is_flag(struct verify *v, const struct place *place, bool computed)
{
    bool flag;
    if (!verify_flag(v, place, &flag))
        return false;
    if (flag != computed)
        return verify_wrong(v, place, "is %s, but %s comes out", flag ? "true" : "false",
                            computed ? "true" : "false");
    verify_confirm(v, place);
    return true;
}

bool verify_is_text(struct verify *v, const struct place *place, const char *computed)
{
    const char *text = verify_text(v, place);
    if (!text)
        return false;
    if (strcmp(text, computed) != 0)
        return verify_wrong(v, place, "is '%.160s', but '%.160s' comes out", text, computed);
    verify_confirm(v, place);
    return true;
}

static const char *join(struct arena *arena, const char *const *names, size_t count)
{
    struct text text;
    text_init(&text, arena);
    for (size_t i = 0; i < count; i++)
        text_format(&text, "%s%s", i ? ", " : "", names[i]);
    return count ? text.items : "nothing";
}

bool verify_is_names(struct verify *v, const struct place *place, const char *const *names,
                     size_t count)
{
    if (!verify_list(v, place))
        return false;
    bool same = place_count(place) == count;
    for (size_t i = 0; same && i < count; i++) {
        const char *name = json_string_value(json_array_get(place->json, i));
        same = name && strcmp(name, names[i]) == 0;
    }
    if (!same)
        return verify_wrong(v, place, "is not what comes out: %s", join(v->arena, names, count));
    verify_confirm_all(v, place);
    return true;
}

/* Finds the first difference; numbers by value, keys in any order. */
static bool differ(struct verify *v, const struct place *a, const struct place *b, const char *why)
{
    if (json_is_number(a->json) && json_is_number(b->json)) {
        if (json_number_value(a->json) == json_number_value(b->json))
            return false;
    } else if (json_is_array(a->json) && json_is_array(b->json) &&
               place_count(a) == place_count(b)) {
        for (size_t i = 0; i < place_count(a); i++) {
            struct place left = place_item(a, i), right = place_item(b, i);
            if (differ(v, &left, &right, why))
                return true;
        }
        return false;
    } else if (json_is_object(a->json) && json_is_object(b->json) &&
               place_count(a) == place_count(b)) {
        struct place left;
        PLACE_EACH(a, left) {
            struct place right = place_key(b, left.key);
            if (differ(v, &left, &right, why))
                return true;
        }
        return false;
    } else if (a->json && b->json && !json_is_array(a->json) && !json_is_object(a->json) &&
               json_equal(a->json, b->json)) {
        return false;
    }
    verify_wrong(v, a, "is not as in %s: %s", place_text(v->arena, b), why);
    return true;
}

bool verify_same(struct verify *v, const struct place *a, const struct place *b, const char *why)
{
    if (differ(v, a, b, why))
        return false;
    verify_confirm_all(v, a);
    verify_confirm_all(v, b);
    return true;
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* The places above are copied too: they live as long as the group. */
static const struct place *keep(struct verify *v, const struct place *place)
{
    if (!place)
        return NULL;
    struct place *copy = ARENA_NEW(v->arena, struct place);
    *copy = *place;
    copy->parent = keep(v, place->parent);
    return copy;
}

void verify_group_add(struct verify *v, struct verify_group *group, const char *key,
                      const struct place *place)
{
    if (!place->json)
        return;
    struct verify_member member = {key, *keep(v, place)};
    ARENA_PUSH(v->arena, &group->members, member);
}

static uint64_t text_hash(const char *text)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
    return hash ^ hash >> 32;
}

void verify_group_check(struct verify *v, struct verify_group *group)
{
    size_t capacity = 16;
    while (capacity < 2 * group->members.count)
        capacity *= 2;
    const struct verify_member **first =
        ARENA_ARRAY(v->arena, const struct verify_member *, capacity);
    for (size_t i = 0; i < group->members.count; i++) {
        const struct verify_member *member = &group->members.items[i];
        size_t slot = text_hash(member->key) & (capacity - 1);
        while (first[slot] && strcmp(first[slot]->key, member->key) != 0)
            slot = (slot + 1) & (capacity - 1);
        if (first[slot])
            verify_same(v, &member->place, &first[slot]->place, group->why);
        else
            first[slot] = member;
    }
}
