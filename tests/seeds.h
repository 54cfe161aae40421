#ifndef TILEC_TESTS_SEEDS_H
#define TILEC_TESTS_SEEDS_H
/*
 * Which seeds a random test runs. NAME_SEEDS=n in the environment runs n of them, NAME_FIRST=n
 * starts there. The test says what it ran, and fails where that is nothing or the environment holds
 * no number: it would pass without testing. script/random_counts.sh tries that for every test.
 */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

struct seeds {
    const char *name;
    uint64_t first, count, taken;
};

/* Not inline, as gcc warns of its variables in functions with a setjmp. */
__attribute__((noinline, unused)) static uint64_t seeds_number(const char *name, const char *what,
                                                               uint64_t otherwise)
{
    char variable[64], *end;
    snprintf(variable, sizeof variable, "%s_%s", name, what);
    const char *text = getenv(variable);
    if (!text)
        return otherwise;
    uint64_t number = strtoull(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end)
        fail_msg("%s=%s is no number", variable, text);
    return number;
}

/* So many from 1 on, unless the environment says otherwise. */
static inline struct seeds seeds_of(const char *name, uint64_t count)
{
    struct seeds seeds = {.name = name,
                          .first = seeds_number(name, "FIRST", 1),
                          .count = seeds_number(name, "SEEDS", count)};
    if (seeds.count == 0)
        fail_msg("%s: no seeds", name);
    return seeds;
}

/* The next ones, at most so many, and the first of them. 0: all are done, which is told. */
static inline uint64_t seeds_take(struct seeds *seeds, uint64_t most, uint64_t *first)
{
    uint64_t left = seeds->count - seeds->taken, taken = left < most ? left : most;
    *first = seeds->first + seeds->taken;
    seeds->taken += taken;
    if (taken == 0)
        print_message("%s: seeds %llu to %llu ran\n", seeds->name, (unsigned long long)seeds->first,
                      (unsigned long long)(seeds->first + seeds->taken - 1));
    return taken;
}

#endif
