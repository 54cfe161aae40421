#ifndef TILEC_TESTS_VARIANTS_H
#define TILEC_TESTS_VARIANTS_H
/*
 * A kernel in all the code that the CPU backend may make of it for one level: every variant
 * (cpu.h), and those that stream once for each way in which a processor may like lines to be
 * fetched (features.h), whatever this processor likes and however small the arrays are.
 *
 * What the launches of src/run do is not done: arguments are not checked, and who calls says which
 * programs run in one call, as threads would share them.
 */
#include "cpu/cpu.h"

#include <tilec/tilec.h>

enum { VARIANTS_MOST = 2 + 2 * CPU_FETCH_COUNT, VARIANTS_COLUMNS = 1 + CPU_FETCH_COUNT };

struct variants_code;

struct variants {
    int count;
    struct variants_code *codes;
    char why[400];                    /* why there are none */
    unsigned paths[VARIANTS_COLUMNS]; /* of the code that does not stream; by way of fetching */
};

/* Never NULL; `why` is empty where all code was made. */
struct variants *variants_make(tilec_context *context, const tilec_source *source,
                               const tilec_compile_options *options);
void variants_free(struct variants *variants);

/* "streaming, fetching near, arrays apart" */
const char *variants_name(const struct variants *variants, int code);
/* Whether the code takes it that no two arrays, one of them written, have memory in common. */
bool variants_need_apart(const struct variants *variants, int code);
/* Runs all programs of the grid, `share` in a call, the last ones first. grid: NULL: the kernel's.
 */
void variants_run(const struct variants *variants, int code, const tilec_argument *arguments,
                  size_t count, const int64_t *grid, int64_t share);

/* Adds to counts which paths were taken. */
void variants_count(const struct variants *variants,
                    uint64_t counts[VARIANTS_COLUMNS][CPU_PATH_COUNT]);
/* Prints them; false if one that processors of the level may take is below `least`. level: or NULL.
 */
bool variants_print_counts(uint64_t counts[VARIANTS_COLUMNS][CPU_PATH_COUNT], const char *level,
                           uint64_t least);

#endif
