#ifndef TILEC_TESTS_RECORDED_H
#define TILEC_TESTS_RECORDED_H
/*
 * The records of an earlier compiler, in the folder that TILEC_SEEDS names (the build sets it: see
 * tests/CMakeLists.txt). To be included behind cmocka.h.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* Writes the path of the record of that name; false where the folder is not at hand. */
static inline bool recorded_path(const char *name, char *path, size_t size)
{
    const char *folder = getenv("TILEC_SEEDS");
    if (!folder || !folder[0])
        return false;
    snprintf(path, size, "%s/%s.json", folder, name);
    return true;
}

/* The record of that name, which the caller releases, or null where the folder is not at hand. Fails
   where the folder is there and has no such record. Not inline, as gcc warns of its variable in
   functions with a setjmp. */
__attribute__((noinline, unused)) static json_t *load_recorded(const char *name)
{
    char path[4096];
    json_error_t error;
    if (!recorded_path(name, path, sizeof path))
        return NULL;
    json_t *record = json_load_file(path, 0, &error);
    if (!record)
        fail_msg("%s: %s", path, error.text);
    return record;
}

#define RECORDED_MISSING "TILEC_SEEDS, the folder of the earlier compiler's records, is not set"

#endif
