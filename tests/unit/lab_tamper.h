#ifndef TILEC_TESTS_LAB_TAMPER_H
#define TILEC_TESTS_LAB_TAMPER_H
/*
 * Altering a record one value at a time: every number, flag, hash and text is replaced by others,
 * every list loses, repeats, swaps and gains items. After each alteration the record is verified. What
 * goes unseen must be at a place that the verifier itself lists as not confirmed, and all that it
 * lists must really go unseen in some way: so the list is exact.
 *
 * Include after cmocka.h.
 */
#include "base/json_text.h"
#include "lab/verify.h"

#include <string.h>

/* What records must be of, in all runs; or NULL. */
static const struct lab_experiment *tamper_experiment;

struct tamper {
    struct arena arena; /* of the record as it is */
    jmp_buf failure;
    struct verify_memo *memo; /* inputs' hashes, for all runs */
    json_t *root;
    struct verify verify; /* of the record as it is */
    size_t alterations, found, surprises;
    const char *surprise; /* the first: confirmed, yet unseen */
    struct {
        const char **items;
        size_t count, capacity;
    } unseen; /* patterns, each once */
};

/* Verifies what root is now; the number of disagreements, 1 where it is no record any more. */
static inline size_t tamper_problems(const json_t *root, struct verify_memo *memo, bool seal,
                                     char first[256])
{
    struct arena arena;
    jmp_buf failure;
    const char *error = NULL;
    first[0] = '\0';
    if (setjmp(failure))
        fail_msg("out of memory");
    arena_init(&arena, allocator_default, &failure);
    struct verify v = {.arena = &arena, .root = root, .memo = memo, .ignore_seal = !seal,
                       .experiment = tamper_experiment};
    bool is_record = verify_record(&v, &error);
    size_t problems = is_record ? v.problem_count : 1;
    if (problems)
        snprintf(first, 256, "%s", is_record ? v.problems[0] : error);
    arena_free(&arena);
    return problems;
}

/* Whether there is any: the first one ends it, which makes hundred thousands of runs bearable. */
static inline bool tamper_is_found(const json_t *root, struct verify_memo *memo)
{
    struct arena arena;
    jmp_buf failure;
    const char *error = NULL;
    arena_init(&arena, allocator_default, &failure);
    int ended = setjmp(failure);
    if (!ended) {
        struct verify v = {
            .arena = &arena, .root = root, .memo = memo, .ignore_seal = true, .first_only = true,
            .experiment = tamper_experiment};
        ended = verify_record(&v, &error) ? 0 : 2;
    }
    arena_free(&arena);
    if (ended == 1)
        fail_msg("out of memory");
    return ended == 2;
}

/* Whether one of the disagreements, or the refusal of the whole, has these words. */
static inline bool tamper_says(const json_t *root, struct verify_memo *memo, bool seal,
                               const char *words)
{
    struct arena arena;
    jmp_buf failure;
    const char *error = NULL;
    if (setjmp(failure))
        fail_msg("out of memory");
    arena_init(&arena, allocator_default, &failure);
    struct verify v = {.arena = &arena, .root = root, .memo = memo, .ignore_seal = !seal,
                       .experiment = tamper_experiment};
    bool says = !verify_record(&v, &error) && strstr(error, words);
    for (size_t i = 0; i < v.problem_count && i < VERIFY_MAX_PROBLEMS; i++)
        says = says || strstr(v.problems[i], words);
    arena_free(&arena);
    return says;
}

static inline void tamper_note_unseen(struct tamper *t, const struct place *place, const char *how)
{
    const char *pattern = verify_pattern(&t->verify, place);
    if (verify_is_confirmed(&t->verify, place)) {
        t->surprises++;
        if (!t->surprise)
            t->surprise = arena_format(&t->arena, "%s: %s", place_text(&t->arena, place), how);
        return;
    }
    for (size_t i = 0; i < t->unseen.count; i++)
        if (strcmp(t->unseen.items[i], pattern) == 0)
            return;
    ARENA_PUSH(&t->arena, &t->unseen, pattern);
}

/* Verifies the record as it is altered now. */
static inline void tamper_try(struct tamper *t, const struct place *place, const char *how)
{
    t->alterations++;
    if (tamper_is_found(t->root, t->memo))
        t->found++;
    else
        tamper_note_unseen(t, place, how);
}

static inline void tamper_put(const struct place *place, json_t *value)
{
    json_t *container = (json_t *)place->parent->json;
    if (place->key)
        json_object_set(container, place->key, value);
    else
        json_array_set(container, place->index, value);
}

/* Another value in its place for one run. */
static inline void tamper_replace(struct tamper *t, const struct place *place, json_t *value,
                                  const char *how)
{
    json_t *before = json_incref((json_t *)place->json);
    tamper_put(place, value);
    struct place now = *place;
    now.json = value;
    tamper_try(t, &now, how);
    tamper_put(place, before);
    json_decref(before);
    json_decref(value);
}

static inline void tamper_number(struct tamper *t, const struct place *place)
{
    double number = json_number_value(place->json);
    if (json_is_integer(place->json)) {
        json_int_t whole = json_integer_value(place->json);
        tamper_replace(t, place, json_integer(whole + 1), "one more");
        tamper_replace(t, place, json_integer(2 * whole + 3), "twice and three");
        return;
    }
    tamper_replace(t, place, json_real(number ? number * (1 + 1e-9) : 1e-9), "a little more");
    tamper_replace(t, place, json_real(number ? number * 1.5 : 0.5), "half as much again");
}

static inline void tamper_text(struct tamper *t, const struct place *place)
{
    const char *text = json_string_value(place->json);
    tamper_replace(t, place, json_sprintf("%sx", text), "longer");
    if (!text[0])
        return;
    json_t *cases = json_object_get(t->root, "cases"), *other;
    bool is_name = false;
    size_t i;
    json_array_foreach(cases, i, other)
        is_name = is_name || json_equal(json_object_get(other, "name"), place->json);
    json_array_foreach(cases, i, other)
        if (is_name && !json_equal(json_object_get(other, "name"), place->json))
            tamper_replace(t, place, json_incref(json_object_get(other, "name")), "another case");
    char *copy = strdup(text);
    size_t last = strlen(copy) - 1;
    copy[last] = copy[last] == '0' ? '1' : '0';
    tamper_replace(t, place, json_string(copy), "another last character");
    free(copy);
}

static inline void tamper_swap(json_t *list, size_t a, size_t b)
{
    json_t *left = json_incref(json_array_get(list, a));
    json_t *right = json_incref(json_array_get(list, b));
    json_array_set_new(list, a, right);
    json_array_set_new(list, b, left);
}

static inline void tamper_drop(struct tamper *t, const struct place *place, size_t i)
{
    json_t *list = (json_t *)place->json, *item = json_incref(json_array_get(list, i));
    json_array_remove(list, i);
    tamper_try(t, place, "an item less");
    json_array_insert_new(list, i, item);
}

/* A list of failing cases gains each of the others, in order. */
static inline void tamper_names(struct tamper *t, const struct place *place)
{
    json_t *list = (json_t *)place->json, *cases = json_object_get(t->root, "cases"), *item;
    size_t at = 0, i;
    if (!place->key || strncmp(place->key, "failed_", 7) != 0)
        return;
    json_array_foreach(cases, i, item) {
        json_t *name = json_object_get(item, "name");
        if (json_equal(json_array_get(list, at), name)) {
            at++;
            continue;
        }
        json_array_insert(list, at, name);
        tamper_try(t, place, "one more case");
        json_array_remove(list, at);
    }
}

static inline void tamper_list(struct tamper *t, const struct place *place)
{
    tamper_names(t, place);
    json_t *list = (json_t *)place->json;
    size_t count = json_array_size(list);
    for (size_t i = 0; i < count; i++)
        if (i < 2 || i + 1 == count)
            tamper_drop(t, place, i);
    json_t *extra = count ? json_incref(json_array_get(list, count - 1)) : json_integer(1);
    json_array_append_new(list, extra);
    tamper_try(t, place, "an item more");
    json_array_remove(list, count);
    for (size_t i = 0; i + 1 < count; i++) {
        if (json_equal(json_array_get(list, i), json_array_get(list, i + 1)))
            continue;
        tamper_swap(list, i, i + 1);
        tamper_try(t, place, "two items swapped");
        tamper_swap(list, i, i + 1);
    }
}

static inline void tamper_walk(struct tamper *t, const struct place *place)
{
    struct place child;
    if (json_is_number(place->json))
        tamper_number(t, place);
    else if (json_is_boolean(place->json))
        tamper_replace(t, place, json_boolean(!json_is_true(place->json)), "the opposite");
    else if (json_is_string(place->json))
        tamper_text(t, place);
    else if (json_is_null(place->json))
        tamper_replace(t, place, json_integer(4), "a number for null");
    else if (json_is_array(place->json))
        tamper_list(t, place);
    for (size_t i = 0; json_is_array(place->json) && i < place_count(place); i++) {
        child = place_item(place, i);
        tamper_walk(t, &child);
    }
    if (json_is_object(place->json)) {
        /* Setting the value of a key that is there leaves the order of keys alone. */
        PLACE_EACH(place, child)
            tamper_walk(t, &child);
    }
}

/* Every pattern in the list went unseen once, and everything unseen is in the list. */
static inline void tamper_compare(struct tamper *t, const char *name)
{
    size_t listed = 0;
    for (int texts = 0; texts < 2; texts++) {
        const char **list = verify_unconfirmed(&t->verify, texts);
        for (; *list; list++, listed++) {
            bool unseen = false;
            for (size_t i = 0; i < t->unseen.count; i++)
                unseen = unseen || strcmp(t->unseen.items[i], *list) == 0;
            if (!unseen)
                fail_msg("%s: '%s' is listed as not confirmed, but every alteration is found", name,
                         *list);
        }
    }
    if (t->surprises)
        fail_msg("%s: %zu alterations of confirmed places go unseen, the first: %s", name,
                 t->surprises, t->surprise);
    assert_int_equal(listed, t->unseen.count);
}

/* Alters everything in root, which is as before afterwards, and fails the test when the list of what
 * is not confirmed is not exact. */
static inline void tamper_all(const char *name, json_t *root, struct verify_memo *memo)
{
    struct tamper *t = calloc(1, sizeof *t);
    const char *error = NULL;
    assert_non_null(t);
    if (setjmp(t->failure))
        fail_msg("out of memory");
    arena_init(&t->arena, allocator_default, &t->failure);
    t->memo = memo;
    t->root = root;
    t->verify = (struct verify){.arena = &t->arena, .root = root, .memo = memo,
                                .ignore_seal = true, .experiment = tamper_experiment};
    if (!verify_record(&t->verify, &error))
        fail_msg("%s %s", name, error);
    if (t->verify.problem_count)
        fail_msg("%s: %s", name, t->verify.problems[0]);
    struct place place = place_root(&t->verify);
    tamper_walk(t, &place);
    printf("%s: %zu alterations, %zu found, %zu places not confirmed\n", name, t->alterations,
           t->found, t->unseen.count);
    tamper_compare(t, name);
    arena_free(&t->arena);
    free(t);
}

#endif
